//! selfsame hook: asked by the program that an agent runs in, many times an hour, while somebody waits.
//!
//! It fails open: whatever happens, it ends within the deadline, with code 0 and an empty answer. (Hosts take other codes for a
//! veto, and would hold back what their user wrote.) What went wrong is one line in the data folder's `hook.log`, without a
//! word of what was said.

use crate::Global;
use crate::env::Environment;
use crate::hook::acts::Act;
use crate::hook::told::Told;
use crate::hook::{Event, late};
use crate::settings::{Resolution, data_folder};
use selfsame::DataFolder;
use selfsame_daemon::{Backend, Failure};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A host waits for 300 ms at most; a part of that goes by before and after.
const DEADLINE: Duration = Duration::from_millis(230);
/// What is left for keeping and noting what did not get through.
const LAST_WORDS: Duration = Duration::from_millis(40);
/// What a host may say, at most.
const MAX_INPUT: u64 = 8 << 20;
/// A log that is longer begins anew.
const LONG_LOG: u64 = 1 << 20;

#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// What happened: session-start, user-prompt, stop, pre-compact or session-end
    event: String,
    /// Which program asks, such as claude-code, codex or cursor [default: by how it speaks]
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// What a later version of a host may add
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// How far it came.
enum News {
    /// The host was understood.
    Heard(Arc<Resolution>, Told),
    /// What was said is on disk: nothing has to be kept.
    Filed,
    /// The answer.
    Answer(Value),
    /// Nothing comes any more, because of this.
    Failed(String),
}

/// Never fails: an empty answer is the worst there is.
pub(crate) fn run(args: &Args, global: &Global, environment: &Environment, began: Instant) -> ExitCode {
    let (news, heard) = channel();
    let worker = (args.clone(), global.clone(), environment.clone());
    let started = std::thread::Builder::new().name("selfsame-hook".into()).spawn(move || {
        let (args, global, environment) = worker;
        if let Err(code) = work(&args, &global, &environment, &news) {
            let _ = news.send(News::Failed(code));
        }
    });
    let outcome = match started {
        Ok(_) => listen(&heard, began + environment.hook_patience().unwrap_or(DEADLINE)),
        Err(_) => Outcome { trouble: Some("no_thread".into()), ..Outcome::default() },
    };
    say(outcome.answer.as_ref().unwrap_or(&json!({})));
    let left = if environment.hook_patience().is_some() { DEADLINE * 100 } else { LAST_WORDS };
    afterwards(&args.event, data_folder(global, environment).ok(), outcome, left);
    ExitCode::SUCCESS
}

/// An empty answer, of an argument list that nobody understands.
pub(crate) fn not_understood() -> ExitCode {
    say(&json!({}));
    ExitCode::SUCCESS
}

fn say(answer: &Value) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{answer}");
    let _ = out.flush();
}

/// What came of it by the deadline.
#[derive(Default)]
struct Outcome {
    answer: Option<Value>,
    heard: Option<(Arc<Resolution>, Told)>,
    filed: bool,
    trouble: Option<String>,
}

fn listen(heard: &Receiver<News>, deadline: Instant) -> Outcome {
    let mut outcome = Outcome::default();
    loop {
        match heard.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(News::Heard(resolution, told)) => outcome.heard = Some((resolution, told)),
            Ok(News::Filed) => outcome.filed = true,
            Ok(News::Answer(answer)) => outcome.answer = Some(answer),
            Ok(News::Failed(code)) => outcome.trouble = Some(code),
            Err(RecvTimeoutError::Timeout) => {
                outcome.trouble.get_or_insert("too_slow".into());
                return outcome;
            }
            // It is done, or it died.
            Err(RecvTimeoutError::Disconnected) => {
                if outcome.answer.is_none() {
                    outcome.trouble.get_or_insert("died".into());
                }
                return outcome;
            }
        }
    }
}

/// Runs beside the one that answers: it may take as long as it likes, nobody waits for it.
fn work(args: &Args, global: &Global, environment: &Environment, news: &Sender<News>) -> Result<(), String> {
    let event =
        Event::parse(&args.event).ok_or_else(|| format!("no_such_event (known: {})", Event::names()))?;
    let mut input = Vec::new();
    let read = std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut input);
    read.map_err(|_| "unreadable_input".to_owned())?;
    if input.len() as u64 > MAX_INPUT {
        return Err("input_too_large".into());
    }
    let told = Told::read(event, args.client.as_deref(), &input, call_name());
    let told = told.ok_or("input_is_no_json_object")?;
    let resolution = Arc::new(Resolution::of(global, environment).map_err(|failure| code_of(&failure))?);
    let _ = news.send(News::Heard(Arc::clone(&resolution), told.clone()));
    let launch = resolution
        .launch(environment.hook_patience().unwrap_or(DEADLINE))
        .map_err(|failure| code_of(&failure))?;
    launch.bring_up(&resolution.home).map_err(|failure| code_of(&failure))?;
    let backend = Backend::for_host(resolution.home.clone());
    let act = Act::new(&backend, &resolution, &told);
    let context = act.bring_to_mind();
    // What comes to mind is of use even if the rest fails.
    let answer = context.as_ref().map_or_else(|_| json!({}), |context| told.answer(context.as_deref()));
    let _ = news.send(News::Answer(answer));
    let filed = act.file();
    if filed.is_ok() {
        let _ = news.send(News::Filed);
    }
    context.map(drop).and(filed).map_err(|failure| code_of(&failure))
}

fn code_of(failure: &Failure) -> String {
    failure.code.clone()
}

/// Begins with the moment, so that calls sort by when they came.
fn call_name() -> String {
    format!("{:020}-{}", now().as_micros(), std::process::id())
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Keeps what was not filed, and notes what went wrong; not for longer than there is time, however slow the disk is.
fn afterwards(event: &str, data: Option<PathBuf>, outcome: Outcome, left: Duration) {
    let (Some(trouble), Some(data)) = (outcome.trouble, data) else { return };
    let event = Event::parse(event).map_or("hook", Event::name);
    let (done, is_done) = channel();
    let started = std::thread::Builder::new().spawn(move || {
        let kept = match &outcome.heard {
            Some((resolution, told)) if !outcome.filed => late::keep(resolution, told),
            _ => false,
        };
        let client = outcome.heard.as_ref().map_or("", |(_, told)| told.client.as_str());
        let what = if kept { "kept for later" } else { "nothing kept" };
        if let Ok(folder) = DataFolder::existing(&data) {
            note(&folder, &format!("{event} {client}: {trouble}, {what}"));
        }
        let _ = done.send(());
    });
    if started.is_ok() {
        let _ = is_done.recv_timeout(left);
    }
}

fn note(folder: &DataFolder, line: &str) {
    let path = folder.hook_log();
    let is_long = std::fs::metadata(&path).is_ok_and(|log| log.len() > LONG_LOG);
    let file =
        OpenOptions::new().create(true).write(true).append(!is_long).truncate(is_long).mode(0o600).open(path);
    if let Ok(mut file) = file {
        let at = selfsame::time::Time::checked(i64::try_from(now().as_micros()).unwrap_or(0));
        let at = at.map(|at| at.to_string()).unwrap_or_default();
        let _ = file.write_all(format!("{at} {line}\n").as_bytes());
    }
}

//! Requests a second through HTTP, and how long the slowest of a hundred takes, beside the same calls made in this process:
//! what the door costs. The clients are another process (`wrk`), and so is the daemon.

use crate::Size;
use crate::mind::{AGENT, Shelf, operator};
use crate::report::{Cell, Report};
use crate::watch::{Samples, Whose, time};
use anyhow::{Context, Result, anyhow, bail};
use selfsame::context::Occasion;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::memory::Draft;
use selfsame::recall::Question;
use selfsame::{Access, Mind};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Names the executable that is measured.
const EXECUTABLE: &str = "SELFSAME_BENCH_EXECUTABLE";
const CONNECTIONS: [usize; 3] = [1, 8, 64];
const QUESTIONS: usize = 200;
/// Of the questions.
const SEED: u64 = 9;

/// A request, and the same as a call.
struct Case {
    name: &'static str,
    path: &'static str,
    /// The body, in Lua: `n` is another number each time, `q` another question.
    body: &'static str,
    call: fn(&Access<'_>, u64, &str) -> Result<()>,
}

const CASES: [Case; 4] = [
    Case {
        name: "remember",
        path: "memories",
        body: r#"'{"content":"Locker ' .. n .. ' holds parcel ' .. n .. '."}'"#,
        call: |access, number, _| {
            let content = format!("Locker {number} holds parcel {number}.");
            Ok(access.remember(Draft::new(content), None).map(drop)?)
        },
    },
    Case {
        name: "recall",
        path: "recall",
        body: r#"'{"query":"' .. q .. '"}'"#,
        call: |access, _, question| Ok(access.recall(&Question::new(question)).map(drop)?),
    },
    Case {
        name: "context",
        path: "context",
        body: r#"'{"query":"' .. q .. '"}'"#,
        call: |access, _, question| {
            let occasion = Occasion { query: Some(question.to_owned()), ..Occasion::default() };
            Ok(access.context(&occasion).map(drop)?)
        },
    },
    Case {
        name: "tick",
        path: "heartbeat/tick",
        body: "'{}'",
        call: |access, _, _| Ok(access.heartbeat_tick(None).map(drop)?),
    },
];

/// Calls a second, and milliseconds that 99 of a hundred stayed within.
struct Figures {
    per_second: f64,
    p99_ms: f64,
}

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let (memories, span) = match size {
        Size::Quick => (500, Duration::from_secs(1)),
        Size::Full => (10_000, Duration::from_secs(5)),
    };
    let scripts = shelf.scratch("load");
    fs::create_dir_all(&scripts)?;
    let loaded = shelf.loaded(memories)?;
    let questions = loaded.corpus.questions(QUESTIONS, SEED);
    let mut report = Report::new(&[
        "request",
        "connections",
        "HTTP a second",
        "HTTP p99 ms",
        "in process a second",
        "in process p99 ms",
        "HTTP / in process",
    ]);
    let key = make_key(&loaded.folder)?;
    let asked = asked_by_http(&loaded.folder, &key, &scripts, &questions, span)?;
    let called = called_in_process(&loaded.folder, &questions, span)?;
    let rows = CASES.iter().flat_map(|case| CONNECTIONS.map(|connections| (case.name, connections)));
    for ((name, connections), (http, own)) in rows.zip(asked.iter().zip(&called)) {
        report.row(vec![
            name.into(),
            connections.into(),
            Cell::Number(http.per_second, 0),
            Cell::Number(http.p99_ms, 2),
            Cell::Number(own.per_second, 0),
            Cell::Number(own.p99_ms, 2),
            Cell::Number(http.per_second / own.per_second, 2),
        ]);
    }
    report.note(format!(
        "{memories} memories, {} s each, as many threads in the process as connections; daemon and clients share the \
         machine's cores; no limit of rates",
        span.as_secs()
    ));
    Ok(report)
}

fn make_key(folder: &Path) -> Result<String> {
    let request = KeyRequest {
        name: "load".into(),
        agent: None,
        speaks_as: SpeaksAs::Operator,
        principal: None,
        scopes: vec![Scope::Read, Scope::Write],
    };
    Ok(Mind::open(folder)?.create_key(&request)?.secret)
}

/// In the order of cases and connections.
fn asked_by_http(
    folder: &Path,
    key: &str,
    scripts: &Path,
    questions: &[String],
    span: Duration,
) -> Result<Vec<Figures>> {
    let daemon = Daemon::start(folder)?;
    let mut figures = Vec::new();
    for case in &CASES {
        let script = scripts.join(format!("{}.lua", case.name));
        fs::write(&script, lua(case, key, questions))?;
        for connections in CONNECTIONS {
            figures.push(wrk(&daemon, case, &script, connections, span).with_context(|| case.name)?);
        }
    }
    Ok(figures)
}

/// What `wrk` is to send. Each of its threads begins to count elsewhere.
fn lua(case: &Case, key: &str, questions: &[String]) -> String {
    let quoted: Vec<String> = questions.iter().map(|question| format!("{question:?}")).collect();
    format!(
        "local questions = {{{}}}\nlocal n = tonumber(tostring({{}}):match('0x(%x+)'), 16) % 1000000 * 1000000 + os.time() % 1000 * 1000\n\
         local headers = {{['Content-Type'] = 'application/json', ['Authorization'] = 'Bearer {key}'}}\n\
         request = function()\n  n = n + 1\n  local q = questions[n % #questions + 1]\n  \
         return wrk.format('POST', '/v1/agents/{AGENT}/{}', headers, {})\nend\n",
        quoted.join(", "),
        case.path,
        case.body
    )
}

fn wrk(daemon: &Daemon, case: &Case, script: &Path, connections: usize, span: Duration) -> Result<Figures> {
    let threads = connections.min(2).to_string();
    let output = Command::new("wrk")
        .args(["-t", &threads, "-c", &connections.to_string(), "-d", &format!("{}s", span.as_secs())])
        .args(["--timeout", "30s", "--latency", "-s"])
        .arg(script)
        .arg(format!("http://{}/", daemon.address))
        .output()
        .context("wrk cannot be run: `apt-get install wrk`")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() || text.contains("Non-2xx") || text.contains("Socket errors") {
        bail!("{} went wrong: {text}{}", case.name, String::from_utf8_lossy(&output.stderr));
    }
    read(&text).with_context(|| format!("wrk said something else: {text}"))
}

fn read(text: &str) -> Option<Figures> {
    let line = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
    let p99 = line("99%")?;
    let units = [("us", 0.001), ("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)];
    let p99_ms = units
        .iter()
        .find_map(|(unit, factor)| Some(p99.strip_suffix(unit)?.parse::<f64>().ok()? * factor))?;
    Some(Figures { per_second: line("Requests/sec:")?.parse().ok()?, p99_ms })
}

/// A daemon that serves the folder, and ends with this.
struct Daemon {
    process: Child,
    address: String,
}

impl Daemon {
    fn start(folder: &Path) -> Result<Daemon> {
        let executable = std::env::var_os(EXECUTABLE).map(PathBuf::from);
        let executable = executable.context("`cargo xtask bench load` says where the executable is")?;
        let mut process = Command::new(executable)
            .arg("--data")
            .arg(folder)
            .args(["serve", "--json", "--address", "127.0.0.1:0", "--set", "server.rate=0"])
            // It would take it for a setting that it does not know.
            .env_remove(EXECUTABLE)
            .stdout(Stdio::piped())
            .spawn()
            .context("the daemon cannot be started")?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("it has an output")?).read_line(&mut line)?;
        let address = line.split('"').nth(3).map(str::to_owned);
        let daemon = Daemon { process, address: address.unwrap_or_default() };
        if daemon.address.is_empty() {
            bail!("the daemon did not start: {line}");
        }
        Ok(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// In the order of cases and connections.
fn called_in_process(folder: &Path, questions: &[String], span: Duration) -> Result<Vec<Figures>> {
    let mind = Mind::open(folder)?;
    let number = AtomicU64::new(1 << 60);
    let cases = CASES.iter().flat_map(|case| CONNECTIONS.map(|threads| (case, threads)));
    cases.map(|(case, threads)| called(&mind, case, threads, questions, span, &number)).collect()
}

fn called(
    mind: &Mind,
    case: &Case,
    threads: usize,
    questions: &[String],
    span: Duration,
    number: &AtomicU64,
) -> Result<Figures> {
    let began = Instant::now();
    let work = || -> Result<Vec<crate::watch::Took>> {
        let access = operator(mind)?;
        let mut all = Vec::new();
        while began.elapsed() < span {
            let number = number.fetch_add(1, Ordering::Relaxed);
            let question = &questions[number as usize % questions.len()];
            let (done, took) = time(Whose::Thread, || (case.call)(&access, number, question));
            done?;
            all.push(took);
        }
        Ok(all)
    };
    let parts = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = running.into_iter().map(ScopedJoinHandle::join);
        ended
            .map(|part| part.unwrap_or_else(|_| Err(anyhow!("a caller panicked"))))
            .collect::<Result<Vec<_>>>()
    })?;
    let (mut samples, mut count) = (Samples::default(), 0);
    for took in parts.into_iter().flatten() {
        samples.push(took);
        count += 1;
    }
    Ok(Figures {
        per_second: f64::from(count) / began.elapsed().as_secs_f64(),
        p99_ms: samples.wall_ms(0.99),
    })
}

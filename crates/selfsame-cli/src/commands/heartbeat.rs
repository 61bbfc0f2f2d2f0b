//! selfsame heartbeat

use super::nudge;
use crate::exit;
use crate::output::{
    self, NO_BREAK, Output, Tone, columns, counted, harmless, harmless_lines, local_minute, wrapped,
};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::heartbeat::{
    Explain, ExplainReply, ExplainRequest, FailingView, GateReply, HeartRequest, HeartView, HeartbeatGate,
    HeartbeatMute, HeartbeatPause, HeartbeatPeek, HeartbeatResume, HeartbeatSet, HeartbeatSetRequest,
    HeartbeatSnooze, HeartbeatStatus, HeartbeatTick, HeartbeatUnmute, ListReceipts, ListReceiptsReply,
    ListReceiptsRequest, MAX_COUNTED, PauseReply, PeekRequest, ReceiptView, ScoreView, SeenView, ShowReceipt,
    ShowReceiptReply, ShowReceiptRequest, Simulate, SimulateReply, SimulateRequest, SimulatedDayView,
    SnoozeRequest, StepView, TickView,
};
use std::process::ExitCode;

/// Where what is told of a word begins.
const INDENT: usize = 12;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Look now whether anything is worth saying, and say it; the daemon does so by itself
    Tick(WhoseArgs),
    /// Look, and change nothing
    Peek {
        #[command(flatten)]
        whose: WhoseArgs,
        /// As if it were then, such as "tomorrow 09:00"
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
    },
    /// Say why something is said, or nothing: now, later, or as a receipt has it
    Explain {
        #[command(flatten)]
        whose: WhoseArgs,
        /// Then, such as "tomorrow 09:00" or "yesterday 18:00"
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// The tick of this receipt: rcp_...
        #[arg(long, value_name = "RECEIPT", conflicts_with_all = ["at", "principal"])]
        receipt: Option<String>,
    },
    /// Show how somebody is spoken to, and when it is looked next
    Status(WhoseArgs),
    /// Change how somebody is spoken to; `default` goes back to what is set for everybody
    Set {
        #[command(flatten)]
        whose: WhoseArgs,
        /// observe (only the agent sees it), suggest (it waits on a list) or act (the agent is woken)
        #[arg(long, value_name = "LEVEL")]
        autonomy: Option<String>,
        /// Quiet hours by their clock, such as 22:30-07:30
        #[arg(long, value_name = "HOURS")]
        quiet: Option<String>,
        /// Where nudges go, with commas: list, webhook, command, file
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        channels: Option<Vec<String>>,
    },
    /// List what was seen and said, silent ticks included; or show one with all its steps
    Receipts {
        /// Only this one, with all its steps: rcp_...
        #[arg(conflicts_with_all = ["principal", "before", "acts", "limit"])]
        receipt: Option<String>,
        #[command(flatten)]
        whose: WhoseArgs,
        /// Only those before this moment, such as today
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
        /// Only those that said something
        #[arg(long)]
        acts: bool,
        /// How many, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// For a host: whether to wake the agent (exit code 0) or to stay silent (10)
    Gate(WhoseArgs),
    /// Say nothing to somebody until unmuted; what falls due meanwhile is missed
    Mute(WhoseArgs),
    /// Speak to somebody again
    Unmute(WhoseArgs),
    /// Say nothing to somebody for a while
    Snooze {
        /// How long, such as 2h; up to 30d
        length: String,
        #[command(flatten)]
        whose: WhoseArgs,
    },
    /// Let no agent of the house say anything
    Pause,
    /// Let the agents of the house speak again
    Resume,
    /// Run the days to come forward on a copy, and see what would be said
    Simulate {
        #[command(flatten)]
        whose: WhoseArgs,
        /// How many days, up to 366
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        days: u32,
        /// How they take what is said: answers, selective (one in five) or ignores
        #[arg(long, value_name = "PERSONA", default_value = "answers")]
        persona: String,
    },
}

#[derive(clap::Args)]
pub(crate) struct WhoseArgs {
    /// For whom: a name or pri_... [default: the operator]
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
}

impl From<WhoseArgs> for HeartRequest {
    fn from(whose: WhoseArgs) -> HeartRequest {
        HeartRequest { principal: whose.principal }
    }
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<ExitCode, Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Tick(whose) => {
            let reply = backend.call::<HeartbeatTick>(agent, &whose.into())?;
            output.reply(&reply, |output| ticked(&reply, output));
        }
        Command::Peek { whose, at } => {
            let reply =
                backend.call::<HeartbeatPeek>(agent, &PeekRequest { principal: whose.principal, at })?;
            output.reply(&reply, |output| ticked(&reply, output));
        }
        Command::Explain { whose, at, receipt } => {
            let request = ExplainRequest { principal: whose.principal, at, receipt };
            let reply = backend.call::<Explain>(agent, &request)?;
            output.reply(&reply, |output| explained(&reply, output));
        }
        Command::Status(whose) => {
            let reply = backend.call::<HeartbeatStatus>(agent, &whose.into())?;
            output.reply(&reply, |output| standing(&reply, output));
        }
        Command::Set { whose, autonomy, quiet, channels } => {
            let request = HeartbeatSetRequest { principal: whose.principal, autonomy, quiet, channels };
            let reply = backend.call::<HeartbeatSet>(agent, &request)?;
            output.reply(&reply, |output| standing(&reply, output));
        }
        Command::Receipts { receipt: Some(id), .. } => {
            let reply = backend.call::<ShowReceipt>(agent, &ShowReceiptRequest { id })?;
            output.reply(&reply, |output| steps_of(&reply, output));
        }
        Command::Receipts { receipt: None, whose, before, acts, limit } => {
            let request = ListReceiptsRequest { principal: whose.principal, before, acts, limit };
            let reply = backend.call::<ListReceipts>(agent, &request)?;
            output.reply(&reply, |output| receipts(&reply, &request, output));
        }
        Command::Gate(whose) => {
            let reply = backend.call::<HeartbeatGate>(agent, &whose.into())?;
            output.reply(&reply, |output| gated(&reply, output));
            return Ok(if reply.wake { ExitCode::SUCCESS } else { exit::stay_silent() });
        }
        Command::Mute(whose) => {
            let reply = backend.call::<HeartbeatMute>(agent, &whose.into())?;
            silenced(&reply, "muted", output);
        }
        Command::Unmute(whose) => {
            let reply = backend.call::<HeartbeatUnmute>(agent, &whose.into())?;
            silenced(&reply, "unmuted", output);
        }
        Command::Snooze { length, whose } => {
            let request = SnoozeRequest { principal: whose.principal, length };
            silenced(&backend.call::<HeartbeatSnooze>(agent, &request)?, "snoozed", output);
        }
        Command::Pause => paused(&backend.call::<HeartbeatPause>("", &NoRequest {})?, output),
        Command::Resume => paused(&backend.call::<HeartbeatResume>("", &NoRequest {})?, output),
        Command::Simulate { whose, days, persona } => {
            let request =
                SimulateRequest { principal: whose.principal, days: Some(days), persona: Some(persona) };
            let reply =
                output.waiting("living through the days", || backend.call::<Simulate>(agent, &request))?;
            output.reply(&reply, |output| simulated(&reply, days, output));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a tick saw and came to, in a few lines.
fn ticked(tick: &TickView, output: &Output) -> String {
    let looked = tick.receipt.is_none();
    let (tone, verdict) = match (tick.acts, looked) {
        (true, false) => (Tone::Good, "spoke up"),
        (true, true) => (Tone::Good, "would speak up"),
        (false, false) => (Tone::Strong, "silent"),
        (false, true) => (Tone::Strong, "would be silent"),
    };
    let zone = &tick.principal.zone;
    let mut text = format!(
        "{}  towards {}, {}, {}\n",
        output.paint(tone, verdict),
        harmless(&tick.principal.name),
        local_minute(&tick.at, zone),
        period(&tick.period)
    );
    text += &row("saw", &seen(tick.signals.iter().map(|one| (&*one.signal, one.count))));
    text += &row("why", &format!("{} ({})", tick.reason, step(tick.number, &tick.step)));
    let deciding = tick.steps.iter().find(|one| one.step == tick.step);
    if let Some(unless) = deciding.and_then(|one| one.unless.as_ref()).filter(|_| !tick.acts) {
        text += &row("unless", unless);
    }
    if let Some(said) = &tick.nudge {
        text += &row("said", &harmless_lines(&said.what));
    }
    text += &row("next", &format!("{}: {}", local_minute(&tick.next_at, zone), tick.next_why));
    for broken in &tick.broken {
        text += &(output.paint(Tone::Bad, row("broken", &harmless(broken)).trim_end()) + "\n");
    }
    let record = tick.nudge.as_ref().map(|nudge| &nudge.id).or(tick.receipt.as_ref());
    let record = record.map(|id| format!("  {id}")).unwrap_or_default();
    text + &output.paint(Tone::Faint, &format!("  {}{record}", cost(tick))) + "\n"
}

/// What it cost.
fn cost(tick: &TickView) -> String {
    let statements = counted(tick.statements, "statement", "statements");
    format!("{} tokens, {statements}, {:.1} ms", tick.tokens, tick.took_micros as f64 / 1000.0)
}

/// A word and what is said about it, wrapped beside it.
fn row(word: &str, text: &str) -> String {
    output::row(&format!("  {word}"), text, INDENT)
}

fn period(word: &str) -> String {
    match word {
        "quiet" => "quiet hours".into(),
        "working" => "working hours".into(),
        other => other.replace('_', " "),
    }
}

/// `step 5 of 7, confluence`.
fn step(number: u8, name: &str) -> String {
    let name = name.replace('_', " ");
    if number == 0 { name } else { format!("step {number} of 7, {name}") }
}

/// Words of ours, but what was found is told in the words of who stored it. The answer and the headings stand out, and what
/// it cost stands back.
fn explained(reply: &ExplainReply, output: &Output) -> String {
    let answer = if reply.acts { Tone::Good } else { Tone::Strong };
    let mut tone = answer;
    let line = |line: &str| {
        // A line that goes on is indented further, and is of one piece with the one above it.
        tone = match line.strip_prefix("    ") {
            Some(_) => tone,
            None if line.starts_with(' ') => Tone::Plain,
            None if line.ends_with(':') => Tone::Strong,
            None if ["It took ", "Next look "].iter().any(|begin| line.starts_with(begin)) => Tone::Faint,
            None => answer,
        };
        output.paint(tone, &harmless(line)) + "\n"
    };
    reply.text.lines().map(line).collect()
}

fn standing(heart: &HeartView, output: &Output) -> String {
    let zone = &heart.principal.zone;
    let mut rows = vec![
        ("autonomy", format!("{}: {}", heart.autonomy, meaning(&heart.autonomy))),
        ("quiet", format!("{} {zone}; {} now", heart.quiet, period(&heart.period))),
        ("channels", heart.channels.join(", ")),
    ];
    let spoke = heart.spoke_at.as_ref().map_or_else(|| "never".into(), |at| local_minute(at, zone));
    rows.push(("spoke", spoke));
    if let Some(at) = &heart.next_at {
        let why = heart.next_why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        rows.push(("next", format!("{}{why}", local_minute(at, zone))));
    }
    rows.push(("7 days", score(&heart.score)));
    let mut text = output.paint(Tone::Strong, &harmless(&heart.principal.name)) + "\n";
    text += &rows.iter().map(|(word, said)| row(word, said)).collect::<String>();
    trouble(heart).lines().fold(text, |text, line| text + &output.paint(Tone::Bad, line) + "\n")
}

/// What keeps it from speaking.
fn trouble(heart: &HeartView) -> String {
    let zone = &heart.principal.zone;
    let silence = [
        ("paused", "since", &heart.paused_since, "resume"),
        ("muted", "since", &heart.muted_at, "unmute"),
        ("snoozed", "until", &heart.snoozed_until, "unmute"),
    ];
    let mut text = String::new();
    for (word, preposition, at, command) in silence {
        if let Some(at) = at {
            let until = format!("{preposition} {}", local_minute(at, zone));
            text += &row(word, &format!("{until} (`selfsame heartbeat {command}` ends it)"));
        }
    }
    if let Some(FailingView { times, error }) = &heart.failing {
        let times = counted(u64::from(*times), "time", "times");
        text += &row("fails", &format!("{times} in a row: {}", harmless(error)));
    }
    text
}

fn meaning(autonomy: &str) -> &'static str {
    match autonomy {
        "observe" => "only the agent sees it",
        "act" => "it is delivered, and the agent is woken",
        _ => "it waits on a list (`selfsame nudge list`)",
    }
}

fn score(score: &ScoreView) -> String {
    let ScoreView { score, kept, broken, missed, delivered, answered } = score;
    match score {
        Some(score) => format!(
            "{score:.0} of 100: kept {kept}, broken {broken}, missed {missed}, answered {answered} of {delivered}"
        ),
        None => "nothing promised, nothing said".into(),
    }
}

fn silenced(heart: &HeartView, done: &str, output: &Output) {
    output.reply(heart, |output| {
        let name = harmless(&heart.principal.name);
        let zone = &heart.principal.zone;
        let told = match (&heart.muted_at, &heart.snoozed_until) {
            (Some(_), _) => format!("{name} hears nothing until `selfsame heartbeat unmute`"),
            (None, Some(until)) => format!("{name} hears nothing until {}", local_minute(until, zone)),
            (None, None) => format!("{name} is spoken to again"),
        };
        format!("{}  {told}\n", output.paint(Tone::Good, done))
    });
}

fn paused(reply: &PauseReply, output: &Output) {
    output.reply(reply, |output| {
        let told = match &reply.paused_since {
            Some(_) => "no agent says anything until `selfsame heartbeat resume`",
            None => "agents speak again",
        };
        format!("{}  {told}\n", output.paint(Tone::Good, &reply.outcome))
    });
}

fn gated(reply: &GateReply, output: &Output) -> String {
    let (tone, word) = if reply.wake { (Tone::Good, "wake") } else { (Tone::Strong, "stay silent") };
    let mut text = format!("{}  {}\n", output.paint(tone, word), reply.why);
    for one in &reply.nudges {
        text += &nudge::shown(one, &reply.tick.principal.zone, output);
    }
    text
}

fn receipts(reply: &ListReceiptsReply, request: &ListReceiptsRequest, output: &Output) -> String {
    if reply.receipts.is_empty() {
        return match (request.acts, &request.before) {
            (true, _) => "nothing was said\n".into(),
            (false, Some(_)) => "no receipt is older\n".into(),
            (false, None) => "no heart has beaten yet (`selfsame heartbeat tick` lets it)\n".into(),
        };
    }
    let first: Vec<Vec<String>> = reply.receipts.iter().map(|one| receipt_row(one, &reply.zone)).collect();
    let mut text = String::new();
    for (line, receipt) in columns(&first).lines().zip(&reply.receipts) {
        text += &match receipt.acts {
            true => output.paint(Tone::Good, line),
            false => line.to_owned(),
        };
        let said = receipt.nudge.as_ref().map(|said| format!("; {}", said.words())).unwrap_or_default();
        let below = format!("{}  saw {}{said}", receipt.id, of_step(&receipt.signals));
        text += &format!("\n{}\n", output.paint(Tone::Faint, &wrapped(&below, 4)));
    }
    text
}

fn receipt_row(receipt: &ReceiptView, zone: &str) -> Vec<String> {
    let verdict = if receipt.acts { "spoke up" } else { "silent" };
    let ticks = counted(receipt.ticks, "tick", "ticks");
    vec![
        local_minute(&receipt.last_at, zone),
        verdict.to_owned(),
        format!("{} {}", receipt.number, receipt.step.replace('_', " ")),
        ticks,
    ]
}

/// What was found, or that nothing was. Where counting ended there are more.
fn seen<'s>(signals: impl Iterator<Item = (&'s str, usize)>) -> String {
    let plus = |count| if count < MAX_COUNTED { "" } else { "+" };
    let signals: Vec<String> = signals
        .map(|(signal, count)| format!("{}{NO_BREAK}{count}{}", harmless(signal), plus(count)))
        .collect();
    if signals.is_empty() { "nothing".into() } else { signals.join(", ") }
}

fn of_step(signals: &[SeenView]) -> String {
    seen(signals.iter().map(|one| (&*one.signal, one.count)))
}

/// One receipt, step by step.
fn steps_of(reply: &ShowReceiptReply, output: &Output) -> String {
    let receipt = &reply.receipt;
    let verdict = if receipt.acts { (Tone::Good, "spoke up") } else { (Tone::Strong, "silent") };
    let mut text = format!(
        "{}  {}, {}\n",
        output.paint(verdict.0, verdict.1),
        period(&reply.period),
        counted(receipt.ticks, "tick", "ticks")
    );
    for StepView { number, step, saw, dropped, note, unless } in &reply.steps {
        let title = format!("{number} {}", step.replace('_', " "));
        text += &format!("{}\n", output.paint(Tone::Strong, &title));
        text += &row("saw", &of_step(saw));
        if !dropped.is_empty() {
            text += &row("dropped", &of_step(dropped));
        }
        text += &row("found", note);
        if let Some(unless) = unless {
            text += &row("unless", unless);
        }
    }
    let cost = format!(
        "  {} tokens, {}, {:.1} ms  {}",
        receipt.tokens,
        counted(receipt.statements, "statement", "statements"),
        receipt.took_micros as f64 / 1000.0,
        receipt.id
    );
    text + &output.paint(Tone::Faint, &cost) + "\n"
}

fn simulated(reply: &SimulateReply, days: u32, output: &Output) -> String {
    let sum = |of: fn(&SimulatedDayView) -> u32| reply.days.iter().map(of).sum::<u32>();
    let most = reply.days.iter().map(|day| day.nudges).max().unwrap_or(0);
    let nudges = sum(|day| day.nudges);
    let zone = &reply.principal.zone;
    let span = format!(
        "{}, {} to {}",
        harmless(&reply.principal.name),
        local_minute(&reply.from, zone),
        local_minute(&reply.until, zone)
    );
    let a_day = f64::from(nudges) / f64::from(days);
    let facts = [
        (
            "nudges",
            format!("{nudges}, {a_day:.1} a day, {most} at most; {} answered", sum(|day| day.answered)),
        ),
        ("in quiet hours", sum(|day| day.in_quiet_hours).to_string()),
        ("reminders", format!("{} delivered, {} missed", sum(|day| day.reminders), sum(|day| day.missed))),
        ("ticks", reply.days.iter().map(|day| day.ticks).sum::<u64>().to_string()),
    ];
    let facts: Vec<Vec<String>> = facts.into_iter().map(|(word, text)| vec![word.to_owned(), text]).collect();
    let mut text = format!("{}\n{}", output.paint(Tone::Strong, &span), columns(&facts));
    let heading = ["day", "nudges", "quiet", "reminders", "missed", "answered", "ticks"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(reply.days.iter().map(day_row));
    text += &format!("\n{}", columns(&rows));
    if !reply.nudges.is_empty() {
        text += "\n";
    }
    for one in &reply.nudges {
        let below = format!("{}  {}, {}", local_minute(&one.at, zone), one.kind, one.state);
        text += &format!("{}\n", output.paint(Tone::Faint, &below));
        text += &format!("{}\n", wrapped(&harmless_lines(&one.what), 2));
    }
    text
}

fn day_row(day: &SimulatedDayView) -> Vec<String> {
    let counts = [day.nudges, day.in_quiet_hours, day.reminders, day.missed, day.answered];
    let mut row = vec![day.date.clone()];
    row.extend(counts.iter().map(u32::to_string));
    row.push(day.ticks.to_string());
    row
}

//! selfsame know

use crate::output::{Output, Tone, bar, columns, counted, date, flowing, harmless, remarked, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::knowledge::{
    ConfidenceView, ConflictView, Conflicts, ConflictsRequest, ConsolidateNow, ConsolidateReply,
    EvidenceView, GiveFeedback, GiveFeedbackReply, GiveFeedbackRequest, ObservationView, Observations,
    ObservationsReply, ObservationsRequest, Retract, RetractReply, RetractRequest, SlotView, Slots,
    SlotsRequest, Why, WhyReply, WhyRequest,
};

/// Where the words of a belief begin.
const SUMMARIES: usize = 8;
/// Where what was on a day begins.
const DAYS: usize = 14;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List what is believed, the surest first
    List(WhichArgs),
    /// Show what is believed about somebody or something, or one belief
    Show {
        /// A name, an id, `self` or `world`; or a belief: obs_..., subject/slot
        what: String,
        #[command(flatten)]
        which: WhichArgs,
    },
    /// Show why something is believed: what speaks for and against it, and what was believed before
    Why {
        /// obs_..., a key, or subject/slot such as Maya/database
        observation: String,
    },
    /// Say that a belief is right
    Confirm {
        /// obs_..., a key, or subject/slot
        observation: String,
    },
    /// Say that a belief is not right, and what is
    Correct {
        /// obs_..., a key, or subject/slot
        observation: String,
        /// How it is: a sentence, or just the answer
        truth: String,
    },
    /// Say that a belief served well
    Useful {
        /// obs_..., a key, or subject/slot
        observation: String,
    },
    /// Say that a belief is wrong
    Wrong {
        /// obs_..., a key, or subject/slot
        observation: String,
    },
    /// Show what was believed about somebody or something, and is
    History {
        /// A name, an id, `self` or `world`
        about: String,
        #[command(flatten)]
        which: WhichArgs,
    },
    /// Show what was believed on a date or at a time
    AsOf {
        /// A date or a time, such as 2026-05-03
        when: String,
        /// A name, an id, `self` or `world` [default: anything]
        about: Option<String>,
        #[command(flatten)]
        which: WhichArgs,
    },
    /// Take a source back: what rested on it alone falls
    Retract {
        /// A memory, lesson, reflection, entity, message, conversation or principal by its id, or a document's name
        #[arg(required_unless_present = "named")]
        source: Option<String>,
        /// The same
        #[arg(long = "source", value_name = "SOURCE", conflicts_with = "source")]
        named: Option<String>,
        /// Only show what would fall
        #[arg(long)]
        dry_run: bool,
    },
    /// List questions with two answers, neither of which has won
    Conflicts {
        /// Also those that were settled
        #[arg(long)]
        settled: bool,
        /// How many, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// List the questions that beliefs answer, and their other names
    Slots {
        /// Only those that came up in what the agent was told
        #[arg(long)]
        own: bool,
    },
    /// Make beliefs of what was stored, now; it happens by itself a moment after every write
    Consolidate,
}

#[derive(clap::Args)]
pub(crate) struct WhichArgs {
    /// operator_preference, project_state, tooling_state, relationship_fact, self_model or world_fact
    #[arg(long)]
    kind: Option<String>,
    /// Only answers to this question, such as database
    #[arg(long)]
    slot: Option<String>,
    /// How many, at most
    #[arg(long, short = 'n')]
    limit: Option<u32>,
}

impl WhichArgs {
    fn request(self, about: Option<String>) -> ObservationsRequest {
        let WhichArgs { kind, slot, limit } = self;
        ObservationsRequest { about, kind, slot, limit, ..ObservationsRequest::default() }
    }
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List(which) => list(&which.request(None), resolution, output)?,
        Command::Show { what, .. } if is_a_belief(&what) => explain(what, resolution, output)?,
        Command::Show { what, which } => list(&which.request(Some(what)), resolution, output)?,
        Command::History { about, which } => {
            let request = ObservationsRequest { history: true, ..which.request(Some(about)) };
            list(&request, resolution, output)?;
        }
        Command::AsOf { when, about, which } => {
            let request = ObservationsRequest { as_of: Some(when), ..which.request(about) };
            list(&request, resolution, output)?;
        }
        Command::Why { observation } => explain(observation, resolution, output)?,
        Command::Confirm { observation } => judge("confirm", observation, None, resolution, output)?,
        Command::Correct { observation, truth } => {
            judge("correct", observation, Some(truth), resolution, output)?;
        }
        Command::Useful { observation } => judge("useful", observation, None, resolution, output)?,
        Command::Wrong { observation } => judge("wrong", observation, None, resolution, output)?,
        Command::Retract { source, named, dry_run } => {
            let source = source.or(named).unwrap_or_default();
            let reply = backend.call::<Retract>(agent, &RetractRequest { source, dry_run })?;
            output.reply(&reply, |output| retracted(&reply, output));
        }
        Command::Conflicts { settled, limit } => {
            let reply = backend.call::<Conflicts>(agent, &ConflictsRequest { settled, limit })?;
            output.reply(&reply, |output| match reply.conflicts.is_empty() {
                true => "nothing is in conflict\n".into(),
                false => reply.conflicts.iter().map(|conflict| conflicting(conflict, output)).collect(),
            });
        }
        Command::Slots { own } => {
            let reply = backend.call::<Slots>(agent, &SlotsRequest { own })?;
            output.reply(&reply, |_| match reply.slots.is_empty() {
                true => "no question came up that was not known from the start\n".into(),
                false => columns(&reply.slots.iter().map(question).collect::<Vec<_>>()),
            });
        }
        Command::Consolidate => {
            let read = || backend.call::<ConsolidateNow>(agent, &NoRequest {});
            let reply = output.waiting("reading what was stored into beliefs", read)?;
            output.reply(&reply, |output| consolidated(&reply, output));
        }
    }
    Ok(())
}

fn question(slot: &SlotView) -> Vec<String> {
    let values = if slot.many { "many" } else { "one" };
    let synonyms: Vec<String> = slot.synonyms.iter().map(|name| harmless(name)).collect();
    vec![harmless(&slot.name), slot.nature.clone(), values.to_owned(), synonyms.join(", ")]
}

/// A belief is named by its id, its key or as `subject/slot`; a subject by none of these.
fn is_a_belief(what: &str) -> bool {
    what.starts_with("obs_") || what.contains(['/', ':'])
}

fn list(request: &ObservationsRequest, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let mut reply = resolution.backend().call::<Observations>(&resolution.agent, request)?;
    if request.history {
        // One question after the other, each from today back.
        reply.observations.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| b.id.cmp(&a.id)));
    }
    output.reply(&reply, |output| listed(&reply, request, output));
    output.left_out(&reply.damaged);
    Ok(())
}

fn listed(reply: &ObservationsReply, request: &ObservationsRequest, output: &Output) -> String {
    if reply.observations.is_empty() {
        let about = request.about.as_ref().map(|about| format!(" about {}", harmless(about)));
        let verb = if request.as_of.is_some() || request.history { "was" } else { "is" };
        return format!("nothing {verb} believed{}\n", about.unwrap_or_default());
    }
    reply.observations.iter().map(|belief| shown(belief, output)).collect()
}

/// The words first, then how they stand, then what they are called.
fn shown(belief: &ObservationView, output: &Output) -> String {
    let summary = output.paint(Tone::Strong, &wrapped(&harmless(&belief.summary), SUMMARIES));
    let title = remarked(&summary, &marks(belief, output), SUMMARIES);
    let level = output.paint(tone(&belief.level), &format!("{:SUMMARIES$}", belief.level));
    let name = harmless(&belief.name);
    let facts = standing(belief);
    let facts = std::iter::once(&name).chain(&facts).chain([&belief.id]).map(String::as_str);
    let below = output.paint(Tone::Faint, &flowing(facts, SUMMARIES));
    format!("{level}{}\n{below}\n", title.trim_start_matches(' '))
}

/// How sure it is, for the eye.
fn tone(level: &str) -> Tone {
    match level {
        "high" => Tone::Good,
        "low" => Tone::Faint,
        _ => Tone::Plain,
    }
}

/// What must not be overlooked.
fn marks(belief: &ObservationView, output: &Output) -> String {
    let mut marks = Vec::new();
    if belief.status != "active" {
        marks.push(belief.status.as_str());
    }
    if belief.contested {
        marks.push("contested");
    }
    match marks.is_empty() {
        true => String::new(),
        false => output.paint(Tone::Bad, &format!("({})", marks.join(", "))),
    }
}

/// In numbers.
fn standing(belief: &ObservationView) -> Vec<String> {
    let last = belief.last_supported_at.as_deref().map_or("never", date);
    let mut facts = vec![
        format!("confidence {:.2}", belief.confidence),
        format!("fresh {:.0} %", belief.freshness * 100.0),
        format!("{} for, {} against", belief.sources, belief.against),
        format!("last said {last}"),
    ];
    facts.extend(belief.confirmed.then(|| "confirmed".to_owned()));
    facts
}

fn explain(observation: String, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<Why>(&resolution.agent, &WhyRequest { observation })?;
    output.reply(&reply, |output| explained(&reply, output));
    Ok(())
}

fn explained(reply: &WhyReply, output: &Output) -> String {
    let belief = &reply.observation;
    let mut text = shown(belief, output);
    text += &format!("{}\n", output.paint(Tone::Faint, &flowing([belief.key.as_str()], SUMMARIES)));
    text += &section("confidence", &anatomy(&reply.anatomy, belief.confidence, output), output);
    for (stance, heading) in [("support", "for"), ("contradict", "against"), ("context", "beside")] {
        let pieces = reply.evidence.iter().filter(|piece| piece.stance == stance);
        text += &section(heading, &pieces.map(|piece| evidence(piece, output)).collect::<String>(), output);
    }
    if reply.forgotten > 0 {
        let forgotten = counted(reply.forgotten, "piece of evidence was", "pieces of evidence were");
        text += &format!("{forgotten} forgotten\n");
    }
    text +=
        &section("before", &reply.before.iter().map(|one| earlier(one, output)).collect::<String>(), output);
    let conflicts = reply.conflicts.iter().map(|one| dated(&one.raised_at, &conflict_words(one), "", output));
    text += &section("conflicts", &conflicts.collect::<String>(), output);
    let changes = reply.changes.iter().map(|change| {
        let from = change.from.as_deref().filter(|from| *from != change.to);
        let status = from.map_or_else(|| change.to.clone(), |from| format!("{from} to {}", change.to));
        let words = format!("{status}  {:.2}  {}", change.confidence, change.reason.replace('_', " "));
        dated(&change.at, &words, "", output)
    });
    text + &section("changes", &changes.collect::<String>(), output)
}

/// Lines under a heading; nothing, if there are none.
fn section(heading: &str, lines: &str, output: &Output) -> String {
    match lines.is_empty() {
        true => String::new(),
        false => format!("{}\n{lines}", output.paint(Tone::Strong, heading)),
    }
}

/// A day, what was on it, and in the line below where that comes from.
fn dated(moment: &str, words: &str, below: &str, output: &Output) -> String {
    let words = wrapped(words, DAYS);
    let mut text = format!("  {}  {}\n", date(moment), words.trim_start_matches(' '));
    if !below.is_empty() {
        text += &format!("{}\n", output.paint(Tone::Faint, below));
    }
    text
}

/// The sum, part by part: what each added, what it is, how strong it is of what it can be, and what it was made from.
fn anatomy(view: &ConfidenceView, confidence: f64, output: &Output) -> String {
    let mut rows = vec![vec![format!("{:6.2}", view.base), "to begin with".to_owned()]];
    for part in &view.parts {
        rows.push(vec![
            format!("{:+6.2}", part.added),
            meaning(&part.part).to_owned(),
            bar(part.strength),
            input(&part.part, &view.inputs),
        ]);
    }
    let sum = format!("{confidence:6.2}  by formula {}", view.formula);
    // What speaks for it and what against it, and what has no say.
    let tones = std::iter::once(Tone::Plain).chain(view.parts.iter().map(|part| match part.added {
        added if added > 0.0 => Tone::Good,
        added if added < 0.0 => Tone::Bad,
        _ => Tone::Faint,
    }));
    let rows = columns(&rows);
    let lines = rows.lines().zip(tones).map(|(line, tone)| format!("  {}\n", output.paint(tone, line)));
    let lines: String = lines.collect();
    format!("{lines}  {}\n", output.paint(Tone::Strong, &sum))
}

fn meaning(part: &str) -> &str {
    match part {
        "sourceCount" => "independent sources",
        "sourceDiversity" => "sorts of source",
        "supportWeight" => "weight of what speaks for it",
        "recencyWeight" => "how recently it was said",
        "operatorConfirmedBoost" => "confirmed by the operator",
        "contradictionWeight" => "weight of what speaks against it",
        other => other,
    }
}

/// What a part was made from.
fn input(part: &str, inputs: &serde_json::Value) -> String {
    let number = |name: &str| inputs[name].as_f64().unwrap_or(0.0);
    match part {
        "sourceCount" => counted(number("sources") as u64, "source", "sources"),
        "sourceDiversity" => format!("{} of 4", number("sorts")),
        "supportWeight" => format!("{:.2}", number("support")),
        "recencyWeight" => match inputs["days"].as_f64() {
            Some(days) => format!("{days:.1} days ago"),
            None => "never".into(),
        },
        "contradictionWeight" => {
            let sources = counted(number("againstSources") as u64, "source", "sources");
            format!("{:.2} from {sources}", number("against"))
        }
        _ => String::new(),
    }
}

fn evidence(piece: &EvidenceView, output: &Output) -> String {
    let who = match &piece.principal {
        Some(principal) if piece.author == "principal" => harmless(principal),
        Some(principal) => format!("{} for {}", piece.author, harmless(principal)),
        None => piece.author.clone(),
    };
    let mark = match (&piece.withdrawn_at, piece.confirms) {
        (Some(_), _) => "withdrawn",
        (None, true) => "the operator's judgement",
        (None, false) => "",
    };
    let weight = format!("weight {:.2}", piece.weight);
    let below = flowing([who.as_str(), &weight, &piece.source, mark], DAYS);
    dated(&piece.said_at, &harmless(&piece.words), &below, output)
}

fn earlier(belief: &ObservationView, output: &Output) -> String {
    let below = flowing([belief.status.as_str(), &belief.id], DAYS);
    dated(&belief.created_at, &harmless(&belief.summary), &below, output)
}

/// What is at odds, and what came of it.
fn conflict_words(conflict: &ConflictView) -> String {
    let settled = match (&conflict.settled_at, &conflict.settled_how) {
        (Some(at), Some(how)) => format!("settled {}: {how}", date(at)),
        (Some(at), None) => format!("settled {}", date(at)),
        (None, _) => "open".into(),
    };
    format!("{}  {settled}", against(conflict))
}

/// What the other side says.
fn against(conflict: &ConflictView) -> String {
    match conflict.value == conflict.rival {
        true => "it is denied".into(),
        false => format!("{} and not {}", harmless(&conflict.rival), harmless(&conflict.value)),
    }
}

fn conflicting(conflict: &ConflictView, output: &Output) -> String {
    let summary = output.paint(Tone::Strong, &wrapped(&harmless(&conflict.summary), 0));
    let name = harmless(&conflict.name);
    let below = output.paint(Tone::Faint, &flowing([name.as_str(), &conflict.observation], 2));
    format!("{summary}\n{below}\n{}", dated(&conflict.raised_at, &conflict_words(conflict), "", output))
}

fn judge(
    judgement: &str,
    observation: String,
    text: Option<String>,
    resolution: &Resolution,
    output: &Output,
) -> Result<(), Failure> {
    let request = GiveFeedbackRequest { observation, judgement: judgement.to_owned(), text };
    let reply = resolution.backend().call::<GiveFeedback>(&resolution.agent, &request)?;
    output.reply(&reply, |output| judged(&reply, output));
    Ok(())
}

fn judged(reply: &GiveFeedbackReply, output: &Output) -> String {
    let memory = output.paint(Tone::Faint, &format!("kept as {}", reply.memory));
    let now = match &reply.observation {
        Some(now) => {
            let instead = if reply.replaced { "believed instead" } else { "believed" };
            format!("{instead}  {now}  {}, confidence {:.2}", reply.level, reply.confidence)
        }
        None => "nothing is believed about it any more".into(),
    };
    format!("{}  {now}\n  {memory}\n", output.paint(Tone::Good, "noted"))
}

fn retracted(reply: &RetractReply, output: &Output) -> String {
    let (falls, stays) = if reply.dry_run { ("would fall", "would stay") } else { ("fell", "stays") };
    let mut text = String::new();
    for fallen in &reply.fallen {
        text += &format!("{}  {}\n", output.paint(Tone::Bad, falls), harmless(&fallen.summary));
        if let Some(instead) = &fallen.instead {
            text += &format!("  believed instead: {}\n", harmless(instead));
        }
    }
    for standing in &reply.standing {
        text += &format!("{}  {}\n", output.paint(Tone::Good, stays), harmless(standing));
    }
    if text.is_empty() { "no belief rested on it\n".into() } else { text }
}

fn consolidated(reply: &ConsolidateReply, output: &Output) -> String {
    let rows = [
        ("claims read", reply.claims),
        ("formed", reply.created),
        ("reinforced", reply.reinforced),
        ("superseded", reply.superseded),
        ("contended", reply.contended),
        ("given up", reply.given_up),
    ];
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(word, count)| vec![(*word).to_owned(), count.to_string()]).collect();
    format!("{}\n{}", output.paint(Tone::Good, "consolidated"), columns(&rows))
}

//! selfsame remember

use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::remember::{ClaimRequest, Remember, RememberReply, RememberRequest};
use std::io::Read as _;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The fact, in words that will still make sense in a year; `-` reads it from standard input
    content: String,
    /// identity, preference, relationship, knowledge, skill, event, plan, question, context, episode, ephemeral, activity
    #[arg(long = "type", value_name = "TYPE", id = "type")]
    kind: Option<String>,
    /// 0 to 1 [default: 0.5]
    #[arg(long, value_parser = finite)]
    importance: Option<f64>,
    /// A label; may be repeated
    #[arg(long)]
    tag: Vec<String>,
    /// What it felt like: -2 (terrible) to 2 (wonderful)
    #[arg(long, value_parser = finite, allow_hyphen_values = true)]
    valence: Option<f64>,
    /// How strongly: 0 (calm) to 1
    #[arg(long, value_parser = finite)]
    arousal: Option<f64>,
    /// The feeling in a word
    #[arg(long)]
    feeling: Option<String>,
    /// The plan that it serves: mem_...
    #[arg(long, value_name = "ID")]
    goal: Option<String>,
    /// The question that it answers: mem_...
    #[arg(long, value_name = "ID")]
    answers: Option<String>,
    /// The plan, activity or question that is done with it: mem_...
    #[arg(long, value_name = "ID")]
    resolves: Option<String>,
    /// Whom or what it is about: ent_...
    #[arg(long)]
    entity: Option<String>,
    /// A deadline, such as 2026-12-24T18:00:00Z
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
    /// Exempt it from decay
    #[arg(long)]
    pinned: bool,
    /// Only you may see it
    #[arg(long)]
    private: bool,
    /// Where it came from: a message, a file
    #[arg(long)]
    source: Option<String>,
    #[command(flatten)]
    claim: ClaimArgs,
}

/// What it says in its parts.
#[derive(clap::Args)]
struct ClaimArgs {
    /// Of whom or what it says something: a name, `self` or `world`
    #[arg(long, value_name = "NAME", requires = "slot", requires = "value")]
    about: Option<String>,
    /// The question that it answers, such as database or employer
    #[arg(long, requires = "about", requires = "value")]
    slot: Option<String>,
    /// The answer
    #[arg(long, requires = "about", requires = "slot")]
    value: Option<String>,
    /// operator_preference, project_state, tooling_state, relationship_fact, self_model or world_fact
    #[arg(long, requires = "about")]
    kind: Option<String>,
    /// It is not so
    #[arg(long, requires = "about")]
    not: bool,
    /// The answer that it takes the place of
    #[arg(long, value_name = "VALUE", requires = "about")]
    replaces: Option<String>,
}

impl ClaimArgs {
    fn request(self) -> Option<ClaimRequest> {
        let (subject, slot, value) = (self.about?, self.slot?, self.value?);
        Some(ClaimRequest {
            subject,
            kind: self.kind,
            slot,
            value,
            denied: self.not,
            replaces: self.replaces,
        })
    }
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = RememberRequest {
        content: content(args.content)?,
        kind: args.kind,
        importance: args.importance,
        valence: args.valence,
        arousal: args.arousal,
        feeling: args.feeling,
        tags: args.tag,
        goal: args.goal,
        answers: args.answers,
        resolves: args.resolves,
        entity: args.entity,
        expires_at: args.expires_at,
        pinned: args.pinned,
        private: args.private,
        source: args.source,
        claim: args.claim.request(),
    };
    let reply = resolution.backend().call::<Remember>(&resolution.agent, &request)?;
    output.reply(&reply, |output| words(&reply, output));
    Ok(())
}

pub(super) fn words(reply: &RememberReply, output: &Output) -> String {
    let (what, more) = match reply.outcome.as_str() {
        "reinforced" => ("reinforced", "known already; one source more says so"),
        "known" => ("known", "from this source already; nothing was added"),
        "revised" => ("revised", ""),
        _ => ("remembered", ""),
    };
    let mut text = format!("{}  {}\n", output.paint(Tone::Good, what), reply.id);
    let mut line = |about: &str| text += &format!("  {}\n", output.paint(Tone::Faint, about));
    if !more.is_empty() {
        line(more);
    }
    let links =
        [("replaces", &reply.replaces), ("serves the plan", &reply.goal), ("answers", &reply.answers)];
    for (word, id) in links {
        if let Some(id) = id {
            line(&format!("{word} {id}"));
        }
    }
    for id in &reply.at_odds_with {
        text += &format!("  {} {id}\n", output.paint(Tone::Bad, "at odds with"));
    }
    text
}

pub(crate) fn content(given: String) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Failure::bad_request("bad_input", format!("standard input cannot be read as text: {error}"))
    })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// JSON has no NaN: it would cross the wire as "not given".
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    match number.is_finite() {
        true => Ok(number),
        false => Err("give a number such as 0.5".into()),
    }
}

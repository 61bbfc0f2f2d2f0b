//! selfsame remember

use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::remember::{Remember, RememberRequest};
use std::io::Read as _;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The fact, in words that will still make sense in a year; `-` reads it from standard input
    content: String,
    /// identity, preference, relationship, knowledge, skill, event, plan, question, context, episode, ephemeral, activity
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// 0 to 1 [default: 0.5]
    #[arg(long, value_parser = finite)]
    importance: Option<f64>,
    /// A label; may be repeated
    #[arg(long)]
    tag: Vec<String>,
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
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = RememberRequest {
        content: content(args.content)?,
        kind: args.kind,
        importance: args.importance,
        tags: args.tag,
        entity: args.entity,
        expires_at: args.expires_at,
        pinned: args.pinned,
        private: args.private,
        source: args.source,
    };
    let reply = resolution.backend().call::<Remember>(&resolution.agent, &request)?;
    output.reply(&reply, |output| format!("{}  {}\n", output.paint(Tone::Good, "remembered"), reply.id));
    Ok(())
}

/// What was given, or what stands on standard input.
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
fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    match number.is_finite() {
        true => Ok(number),
        false => Err("give a number such as 0.5".into()),
    }
}

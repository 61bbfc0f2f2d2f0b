//! selfsame contemplate

use super::episodes::whole;
use crate::output::{Output, Tone, harmless, local_minute, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::contemplation::{
    Contemplate, ContemplateReply, ContemplationReply, CycleView, GetContemplation,
};
use selfsame_daemon::operations::work::WorkView;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Think now, however busy the agent is
    Now,
    /// When the agent thinks next, what it cost today, and why there was none
    Status,
}

pub(crate) fn run(command: &Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Now => {
            let think = || backend.call::<Contemplate>(agent, &NoRequest {});
            let reply = output.waiting("thinking", think)?;
            output.reply(&reply, |output| came(&reply, output));
        }
        Command::Status => {
            let reply = backend.call::<GetContemplation>(agent, &NoRequest {})?;
            output.reply(&reply, |output| stands(&reply, output));
        }
    }
    Ok(())
}

fn came(reply: &ContemplateReply, output: &Output) -> String {
    if let Some(episode) = &reply.episode {
        return whole(episode, output);
    }
    if let Some(work) = &reply.work {
        return format!(
            "{work} waits for the agent: it comes for it with its tool `work`, or with\n  selfsame work next\n"
        );
    }
    let reason = harmless(reply.reason.as_deref().unwrap_or("nothing came of it"));
    let again = match &reply.again_at {
        Some(at) => format!("it is tried again at {at}"),
        None => "it is given up; the next time comes as usual".into(),
    };
    format!("{}\n  {}\n", wrapped(&reason, 0), output.paint(Tone::Faint, &again))
}

fn stands(reply: &ContemplationReply, output: &Output) -> String {
    let mut text = match (&reply.next_at, reply.enabled) {
        (Some(at), true) => {
            format!("thinks every {}, next at {}\n", reply.every, local_minute(at, &reply.zone))
        }
        (None, true) => format!("thinks every {}\n", reply.every),
        (_, false) => "has no time to think: set contemplation.enabled = true\n".to_owned(),
    };
    text += &format!(
        "  thinker {}, {} of {} tokens spent today, {} good times in a row\n",
        reply.thinker, reply.tokens_today, reply.daily_tokens, reply.streak
    );
    if reply.held_since.is_some() {
        text += "  it repeated itself, and holds until something is new\n";
    }
    if let Some(trouble) = &reply.journal_trouble {
        text += &format!("  {}\n", output.paint(Tone::Bad, &harmless(trouble)));
    }
    text.extend(reply.open.iter().map(|item| format!("  {}\n", waiting(item, &reply.zone))));
    text.extend(reply.cycles.iter().map(|cycle| format!("{}\n", cycled(cycle, &reply.zone, output))));
    text
}

fn waiting(item: &WorkView, zone: &str) -> String {
    let why = item.reason.as_ref().map(|reason| format!(" ({})", harmless(reason))).unwrap_or_default();
    format!("{}  {} {} since {}{why}", item.id, item.kind, item.state, local_minute(&item.created_at, zone))
}

fn cycled(cycle: &CycleView, zone: &str, output: &Output) -> String {
    let what = match (&cycle.reason, &cycle.episode) {
        (Some(reason), _) => format!("{}: {}", cycle.outcome, harmless(reason)),
        (None, Some(episode)) => format!("{} {episode}", cycle.outcome),
        (None, None) => cycle.outcome.clone(),
    };
    let often = if cycle.count > 1 { format!(", {} times", cycle.count) } else { String::new() };
    output.paint(Tone::Faint, &format!("{}  {what}{often}", local_minute(&cycle.began_at, zone)))
}

//! selfsame schedule

use crate::output::{Output, Tone, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::schedule::{ListSchedules, ListSchedulesRequest, ScheduleView};

#[derive(Clone, Copy, clap::Subcommand)]
pub(crate) enum Command {
    /// List what will be brought up and when, the next first
    List {
        /// Schedules, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let Command::List { limit } = command;
    let reply =
        resolution.backend().call::<ListSchedules>(&resolution.agent, &ListSchedulesRequest { limit })?;
    output.reply(&reply, |output| match reply.schedules.is_empty() {
        true => "nothing is scheduled\n".into(),
        false => reply.schedules.iter().map(|schedule| shown(schedule, output)).collect(),
    });
    Ok(())
}

fn shown(schedule: &ScheduleView, output: &Output) -> String {
    let next = match (&schedule.next_due_at, &schedule.ended) {
        (Some(next), _) => format!("next {}", minute(next)),
        (None, ended) => format!("ended: {}", ended.as_deref().unwrap_or("done")),
    };
    let last = schedule.last_outcome.as_deref().zip(schedule.last_due_at.as_deref());
    let last = last.map_or(String::new(), |(outcome, at)| format!("  last {} {outcome}", minute(at)));
    let missed = schedule.last_outcome.as_deref().is_some_and(|outcome| outcome.starts_with("missed"));
    let tone = if missed { Tone::Bad } else { Tone::Faint };
    let below = format!("{}  {}  {next}{last}", schedule.source, harmless(&schedule.when));
    format!("{}\n  {}\n", harmless(&schedule.what), output.paint(tone, &below))
}

/// A moment to the minute.
fn minute(moment: &str) -> String {
    moment.get(..16).unwrap_or(moment).replace('T', " ")
}

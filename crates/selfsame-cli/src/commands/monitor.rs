//! selfsame monitor

use crate::output::{Output, Tone, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::monitor::{
    AddMonitor, AddMonitorRequest, CheckMonitor, CheckMonitorRequest, EndMonitor, EndMonitorRequest,
    ListMonitors, ListMonitorsRequest, MonitorView,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Have a memory checked every so often
    Add {
        /// The memory: mem_...
        memory: String,
        /// How often, from 1m to 366d, such as 7d
        every: String,
    },
    /// List the memories that are looked after, the overdue ones first
    List {
        /// Monitors, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Record that a memory was looked after just now
    Checked {
        /// The memory: mem_...
        memory: String,
        /// What was seen; kept as a memory of its own
        #[arg(long)]
        note: Option<String>,
    },
    /// Stop looking after a memory; the memory stays
    End {
        /// The memory: mem_...
        memory: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Add { memory, every } => {
            let reply = backend.call::<AddMonitor>(agent, &AddMonitorRequest { memory, every })?;
            say("monitored", &reply, output);
        }
        Command::List { limit } => {
            let reply = backend.call::<ListMonitors>(agent, &ListMonitorsRequest { limit })?;
            output.reply(&reply, |output| match reply.monitors.is_empty() {
                true => "no memory is looked after\n".into(),
                false => reply.monitors.iter().map(|monitor| shown(monitor, output)).collect(),
            });
        }
        Command::Checked { memory, note } => {
            let reply = backend.call::<CheckMonitor>(agent, &CheckMonitorRequest { memory, note })?;
            say("checked", &reply, output);
        }
        Command::End { memory } => {
            let reply = backend.call::<EndMonitor>(agent, &EndMonitorRequest { memory })?;
            say("ended", &reply, output);
        }
    }
    Ok(())
}

fn say(done: &str, monitor: &MonitorView, output: &Output) {
    output.reply(monitor, |output| {
        let next = match monitor.ended_at {
            Some(_) => String::new(),
            None => format!("  every {}, next {}", monitor.every, minute(&monitor.next_check_at)),
        };
        format!("{}  {}{next}\n", output.paint(Tone::Good, done), monitor.memory)
    });
}

fn shown(monitor: &MonitorView, output: &Output) -> String {
    let due = if monitor.overdue { "overdue since" } else { "next" };
    let tone = if monitor.overdue { Tone::Bad } else { Tone::Faint };
    let below =
        format!("{}  every {}  {due} {}", monitor.memory, monitor.every, minute(&monitor.next_check_at));
    format!("{}\n  {}\n", harmless(&monitor.content), output.paint(tone, &below))
}

/// A moment to the minute.
fn minute(moment: &str) -> String {
    moment.get(..16).unwrap_or(moment).replace('T', " ")
}

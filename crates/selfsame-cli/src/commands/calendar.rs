//! selfsame calendar

use crate::commands::todo::minute;
use crate::output::{Output, Tone, columns, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::calendar::{
    AddToCalendar, AddToCalendarRequest, CheckCalendar, CheckCalendarReply, CheckCalendarRequest,
    OccurrenceView, RemoveFromCalendar, RemoveFromCalendarRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Put something in the calendar
    Add(Box<AddArgs>),
    /// See what takes place
    Check {
        /// From when [default: now]
        #[arg(long, value_name = "TIME")]
        from: Option<String>,
        /// Until when, a date included [default: two weeks on]
        #[arg(long, value_name = "TIME")]
        to: Option<String>,
        /// Occurrences, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Take an entry off, or one occurrence of a series
    Remove {
        /// The entry: cal_...
        id: String,
        /// Only this occurrence, by its local start or date
        #[arg(long, value_name = "TIME")]
        occurrence: Option<String>,
        /// Why
        #[arg(long)]
        because: Option<String>,
    },
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// What
    title: String,
    /// 2026-12-24T18:00 (local), 2026-12-24 (a whole day) or RFC 3339
    #[arg(long, value_name = "TIME")]
    start: String,
    /// Until when; of whole days the last one
    #[arg(long, value_name = "TIME")]
    end: Option<String>,
    /// Or how long: 90m, 1h30m, 2d
    #[arg(long)]
    duration: Option<String>,
    /// Where
    #[arg(long)]
    location: Option<String>,
    /// More about it
    #[arg(long)]
    description: Option<String>,
    /// IANA zone of the local times [default: the agent's]
    #[arg(long)]
    zone: Option<String>,
    /// How it repeats, such as FREQ=WEEKLY;BYDAY=MO (RFC 5545)
    #[arg(long, value_name = "RULE")]
    repeat: Option<String>,
    /// Be reminded so many minutes before
    #[arg(long, value_name = "MINUTES")]
    remind: Option<u32>,
    /// Only you may see it
    #[arg(long)]
    private: bool,
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Add(args) => {
            let reply = backend.call::<AddToCalendar>(agent, &request(*args))?;
            output.reply(&reply, |output| {
                format!(
                    "{}  {}  first {}\n",
                    output.paint(Tone::Good, "added"),
                    reply.id,
                    minute(&reply.first_at)
                )
            });
        }
        Command::Check { from, to, limit } => {
            let reply = backend.call::<CheckCalendar>(agent, &CheckCalendarRequest { from, to, limit })?;
            output.reply(&reply, |_| words(&reply));
            output.left_out(&reply.damaged);
        }
        Command::Remove { id, occurrence, because } => {
            let request = RemoveFromCalendarRequest { id, occurrence, reason: because };
            let reply = backend.call::<RemoveFromCalendar>(agent, &request)?;
            let outcome = reply.outcome.replace('_', " ");
            output.reply(&reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &outcome), reply.id));
        }
    }
    Ok(())
}

fn request(args: AddArgs) -> AddToCalendarRequest {
    AddToCalendarRequest {
        title: args.title,
        start: args.start,
        end: args.end,
        duration: args.duration,
        location: args.location,
        description: args.description,
        zone: args.zone,
        recurrence: args.repeat,
        remind: args.remind,
        private: args.private,
    }
}

fn words(reply: &CheckCalendarReply) -> String {
    if reply.occurrences.is_empty() {
        return format!("nothing from {} to {}\n", minute(&reply.from), minute(&reply.to));
    }
    let mut text = columns(&reply.occurrences.iter().map(row).collect::<Vec<_>>());
    if reply.more {
        text += "and more (--limit)\n";
    }
    text
}

fn row(one: &OccurrenceView) -> Vec<String> {
    let short = |local: &str| local.get(..16).unwrap_or(local).replace('T', " ");
    let until = match &one.ends {
        // The same day goes without saying.
        Some(ends) if ends.len() > 10 && ends.get(..10) == one.starts.get(..10) => {
            format!("-{}", &ends[11..16])
        }
        Some(ends) => format!(" to {}", short(ends)),
        None => String::new(),
    };
    let place = one.location.as_ref().map(|place| format!(", {}", harmless(place))).unwrap_or_default();
    vec![
        format!("{}{until}", short(&one.starts)),
        one.zone.clone(),
        format!("{}{place}", harmless(&one.title)),
        one.id.clone(),
    ]
}

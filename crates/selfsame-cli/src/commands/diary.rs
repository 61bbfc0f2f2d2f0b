//! selfsame diary

use crate::commands::remember::content;
use crate::output::{Output, Tone, columns, counted, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::diary::{
    DiaryDayRequest, DiaryView, ListDiary, ListDiaryReply, ListDiaryRequest, SearchDiary, SearchDiaryRequest,
    ShowDiaryDay, WriteDiary, WriteDiaryRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Write an entry; writing again on a day appends
    Write {
        /// The entry; `-` reads it from standard input
        text: String,
        /// How it feels
        #[arg(long)]
        mood: Option<String>,
        /// Where it is
        #[arg(long)]
        location: Option<String>,
        /// Anything else, as a JSON object
        #[arg(long, value_name = "JSON")]
        detail: Option<String>,
        /// Today or a past day, YYYY-MM-DD [default: today]
        #[arg(long)]
        date: Option<String>,
        /// Only you may see it
        #[arg(long)]
        private: bool,
    },
    /// Find entries of any day by their words
    Search {
        /// The words
        keywords: String,
        /// Entries, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show all entries of a day
    Day {
        /// YYYY-MM-DD, today or yesterday
        #[arg(default_value = "today")]
        date: String,
    },
    /// List the days that have entries
    List {
        /// The first day
        #[arg(long)]
        from: Option<String>,
        /// The last day
        #[arg(long)]
        to: Option<String>,
        /// Days, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Write { text, mood, location, detail, date, private } => {
            let detail = detail.as_deref().map(object).transpose()?;
            let text = content(text)?;
            let request = WriteDiaryRequest { text, mood, location, detail, date, private };
            let reply = backend.call::<WriteDiary>(agent, &request)?;
            output.reply(&reply, |output| {
                let written = output.paint(Tone::Good, "written");
                format!("{written}  {}  entry {} of {}\n", reply.id, reply.ordinal, reply.date)
            });
        }
        Command::Search { keywords, limit } => {
            let reply = backend.call::<SearchDiary>(agent, &SearchDiaryRequest { keywords, limit })?;
            output.reply(&reply, |output| match reply.hits.is_empty() {
                true => "nothing found: no entry has any of these words\n".into(),
                false => reply.hits.iter().map(|hit| entry_words(&hit.entry, output)).collect(),
            });
            output.left_out(&reply.damaged);
        }
        Command::Day { date } => {
            let reply = backend.call::<ShowDiaryDay>(agent, &DiaryDayRequest { date })?;
            output.reply(&reply, |output| match reply.entries.is_empty() {
                true => format!("nothing was written on {}\n", reply.date),
                false => reply.entries.iter().map(|entry| entry_words(entry, output)).collect(),
            });
            output.left_out(&reply.damaged);
        }
        Command::List { from, to, limit } => {
            let reply = backend.call::<ListDiary>(agent, &ListDiaryRequest { from, to, limit })?;
            output.reply(&reply, |_| days(&reply));
        }
    }
    Ok(())
}

fn object(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::bad_request(
            "bad_json",
            format!("--detail must be a JSON object such as {{\"weather\": \"rain\"}}: {error}"),
        )
    })
}

fn entry_words(entry: &DiaryView, output: &Output) -> String {
    let mut about = format!("{} #{}  {}", entry.date, entry.ordinal, entry.id);
    for more in [&entry.mood, &entry.location].into_iter().flatten() {
        about += &format!("  {}", harmless(more));
    }
    format!("{}\n{}\n", output.paint(Tone::Faint, &about), harmless(&entry.text))
}

fn days(reply: &ListDiaryReply) -> String {
    if reply.days.is_empty() {
        return "the diary has no entries there\n".into();
    }
    let row = |day: &selfsame_daemon::operations::diary::DiaryDayView| {
        let moods: Vec<String> = day.moods.iter().map(|mood| harmless(mood)).collect();
        vec![day.date.clone(), counted(day.entries, "entry", "entries"), moods.join(", ")]
    };
    columns(&reply.days.iter().map(row).collect::<Vec<_>>())
}

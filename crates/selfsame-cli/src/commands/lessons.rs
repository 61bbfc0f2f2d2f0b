//! selfsame lessons

use crate::output::{Output, Tone, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::lesson::{
    AddLesson, AddLessonRequest, JudgeLesson, JudgeLessonRequest, LessonRequest, LessonView, ListLessons,
    ShowLesson,
};
use selfsame_daemon::operations::reflection::LimitRequest;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List what was learned, the surest first
    List {
        /// Lessons, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one lesson
    Show {
        /// The lesson: les_...
        id: String,
    },
    /// Say what you make of a lesson: it grows surer or less sure
    Judge {
        /// The lesson: les_...
        id: String,
        /// up (it is right), down (it is not) or unhelpful (it did not help)
        judgement: String,
    },
    /// Write down what was learned
    Add(Box<AddArgs>),
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// What follows, in words that will still make sense in a year
    lesson: String,
    /// mistake, success, workaround or discovery
    #[arg(long = "type", value_name = "TYPE")]
    kind: String,
    /// A memory it was learned from (mem_...); may be repeated
    #[arg(long, value_name = "MEMORY", required = true)]
    source: Vec<String>,
    /// In which situation
    #[arg(long)]
    context: Option<String>,
    /// What was done
    #[arg(long)]
    action: Option<String>,
    /// What came of it
    #[arg(long)]
    outcome: Option<String>,
    /// What to do instead
    #[arg(long)]
    correction: Option<String>,
    /// A label; may be repeated
    #[arg(long)]
    tag: Vec<String>,
    /// A tool it is about; may be repeated
    #[arg(long)]
    tool: Vec<String>,
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List { limit } => {
            let reply = backend.call::<ListLessons>(agent, &LimitRequest { limit })?;
            output.reply(&reply, |output| match reply.lessons.is_empty() {
                true => "no lessons yet\n".into(),
                false => reply.lessons.iter().map(|lesson| shown(lesson, output)).collect(),
            });
        }
        Command::Show { id } => {
            let reply = backend.call::<ShowLesson>(agent, &LessonRequest { id })?;
            output.reply(&reply, |output| whole(&reply, output));
        }
        Command::Judge { id, judgement } => {
            let reply = backend.call::<JudgeLesson>(agent, &JudgeLessonRequest { id, judgement })?;
            output.reply(&reply, |output| {
                format!(
                    "{}  {}  confidence {}\n",
                    output.paint(Tone::Good, "judged"),
                    reply.id,
                    reply.confidence
                )
            });
        }
        Command::Add(args) => {
            let request = AddLessonRequest {
                kind: args.kind,
                lesson: args.lesson,
                context: args.context,
                action: args.action,
                outcome: args.outcome,
                correction: args.correction,
                tags: args.tag,
                tools: args.tool,
                sources: args.source,
            };
            let reply = backend.call::<AddLesson>(agent, &request)?;
            output.reply(&reply, |output| format!("{}  {}\n", output.paint(Tone::Good, "learned"), reply.id));
        }
    }
    Ok(())
}

fn shown(lesson: &LessonView, output: &Output) -> String {
    let seen =
        if lesson.occurrences == 1 { "once".to_owned() } else { format!("{} times", lesson.occurrences) };
    let below = format!("{}  {}  confidence {}  seen {seen}", lesson.id, lesson.kind, lesson.confidence);
    format!("{}\n  {}\n", harmless(&lesson.lesson), output.paint(Tone::Faint, &below))
}

fn whole(lesson: &LessonView, output: &Output) -> String {
    let mut text = shown(lesson, output);
    for (name, field) in [
        ("context", &lesson.context),
        ("action", &lesson.action),
        ("outcome", &lesson.outcome),
        ("instead", &lesson.correction),
    ] {
        text.extend(field.iter().map(|field| format!("  {name:8} {}\n", harmless(field))));
    }
    text.extend(lesson.sources.iter().map(|source| format!("  {:8} {source}\n", "from")));
    text.extend(lesson.merged_into.iter().map(|into| format!("  {:8} {into}\n", "goes on")));
    text.extend(lesson.proposed.iter().map(|belief| format!("  {:8} {belief}\n", "believed")));
    text
}

//! selfsame reflections

use crate::output::{Output, Tone, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::reflection::{
    AddReflection, AddReflectionRequest, LimitRequest, ListReflections, ReflectionRequest, ReflectionView,
    ShowReflection,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List what past periods meant, the newest first
    List {
        /// Reflections, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one reflection
    Show {
        /// The reflection: ref_...
        id: String,
    },
    /// Write down what a period meant
    Add {
        /// What it meant
        content: String,
        /// The period begins, such as 2026-03-01T00:00:00Z
        #[arg(long, value_name = "TIME")]
        from: String,
        /// And ends
        #[arg(long, value_name = "TIME")]
        until: String,
        /// A memory it is made from (mem_...); may be repeated
        #[arg(long, value_name = "MEMORY", required = true)]
        source: Vec<String>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List { limit } => {
            let reply = backend.call::<ListReflections>(agent, &LimitRequest { limit })?;
            output.reply(&reply, |output| match reply.reflections.is_empty() {
                true => "no reflections yet\n".into(),
                false => reply.reflections.iter().map(|reflection| shown(reflection, output)).collect(),
            });
        }
        Command::Show { id } => {
            let reply = backend.call::<ShowReflection>(agent, &ReflectionRequest { id })?;
            output.reply(&reply, |output| {
                let sources = reply.sources.iter().map(|source| format!("  from {source}\n"));
                shown(&reply, output) + &sources.collect::<String>()
            });
        }
        Command::Add { content, from, until, source } => {
            let request = AddReflectionRequest { content, from, until, sources: source };
            let reply = backend.call::<AddReflection>(agent, &request)?;
            output
                .reply(&reply, |output| format!("{}  {}\n", output.paint(Tone::Good, "reflected"), reply.id));
        }
    }
    Ok(())
}

fn shown(reflection: &ReflectionView, output: &Output) -> String {
    let (from, until) = (date(&reflection.from), date(&reflection.until));
    let below = format!("{}  {from} to {until}  trust {}", reflection.id, reflection.provenance.trust);
    format!("{}\n  {}\n", harmless(&reflection.content), output.paint(Tone::Faint, &below))
}

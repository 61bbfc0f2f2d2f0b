//! selfsame recall

use crate::output::{Output, Tone, columns, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::recall::{HitView, Recall, RecallReply, RecallRequest};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The question, or just words
    query: String,
    /// Answers, at most
    #[arg(long, short = 'n')]
    limit: Option<u32>,
    /// Show why each answer is one: what each word added
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = RecallRequest { query: args.query, limit: args.limit };
    let reply = resolution.backend().call::<Recall>(&resolution.agent, &request)?;
    output.reply(&reply, |output| words(&reply, args.explain, output));
    output.left_out(&reply.damaged);
    Ok(())
}

fn words(reply: &RecallReply, explain: bool, output: &Output) -> String {
    if reply.hits.is_empty() {
        return format!("nothing found: {}\n", reply.note.as_deref().unwrap_or("no memory fits"));
    }
    reply.hits.iter().map(|hit| hit_words(hit, explain, output)).collect()
}

fn hit_words(hit: &HitView, explain: bool, output: &Output) -> String {
    let memory = &hit.memory;
    let mut text = format!("{:5.2}  {}\n", hit.score, output.paint(Tone::Strong, &harmless(&memory.content)));
    let about = format!(
        "{}  {}  said by {}, trust {}  {}",
        memory.id,
        memory.kind,
        memory.provenance.author,
        memory.provenance.trust,
        date(&memory.created_at)
    );
    text += &format!("       {}\n", output.paint(Tone::Faint, &about));
    if explain {
        let rows: Vec<Vec<String>> = hit
            .why
            .iter()
            .map(|word| {
                vec![
                    format!("       +{:.2}", word.score),
                    harmless(&word.word),
                    format!("{} here, in {} of the memories", times(word.times), word.in_memories),
                ]
            })
            .collect();
        text += &columns(&rows);
    }
    text
}

fn times(count: u32) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

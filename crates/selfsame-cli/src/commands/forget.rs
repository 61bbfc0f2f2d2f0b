//! selfsame forget

use crate::output::{Output, Tone, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::forget::{
    CheckForgotten, CheckForgottenRequest, ErasureRequest, ErasureView, Forget, ForgetReply, ForgetRequest,
    GoingView, ListErasures, ShowProof, told,
};
use selfsame_daemon::operations::reflection::LimitRequest;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub(crate) struct Args {
    /// One thing: mem_..., or the id of a message, conversation, diary entry, to-do, and so on
    #[arg(group = "what")]
    id: Option<String>,
    /// Somebody or something, with all that speaks of them
    #[arg(long, group = "what", value_name = "NAME")]
    entity: Option<String>,
    /// Whatever came by this message, conversation, file or run
    #[arg(long, group = "what", value_name = "SOURCE")]
    source: Option<String>,
    /// Whatever has all these words; look with --dry-run first
    #[arg(long, group = "what", value_name = "WORDS")]
    query: Option<String>,
    /// The whole agent; look with --dry-run first
    #[arg(long, group = "what")]
    whole_agent: bool,
    /// List what was forgotten when, by counts; the newest first
    #[arg(long, group = "what")]
    list: bool,
    /// Show the proof of an earlier act: era_...
    #[arg(long, group = "what", value_name = "ERASURE")]
    proof: Option<String>,
    /// Look where a text still is
    #[arg(long, group = "what", value_name = "TEXT")]
    check: Option<String>,
    /// Only show what would go
    #[arg(long)]
    dry_run: bool,
    /// Exactly what a dry run showed: its token
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Also memories that say the same on their own
    #[arg(long)]
    everywhere: bool,
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    if args.list {
        return list(resolution, output);
    }
    if let Some(id) = args.proof {
        return prove(id, resolution, output);
    }
    if let Some(text) = args.check {
        return check(text, resolution, output);
    }
    let request = ForgetRequest {
        id: args.id,
        entity: args.entity,
        source: args.source,
        query: args.query,
        whole_agent: args.whole_agent,
        everywhere: args.everywhere,
        dry_run: args.dry_run,
        token: args.token,
    };
    let forget = || resolution.backend().call::<Forget>(&resolution.agent, &request);
    let reply = output.waiting("looking through everything for what goes with it", forget)?;
    output.reply(&reply, |output| match &reply.erasure {
        None => would(&reply, output),
        Some(erasure) => {
            let named = request.id.as_deref().unwrap_or(erasure);
            let mut text = format!("{}  {named}\n", output.paint(Tone::Good, "forgotten"));
            if reply.removed.values().sum::<u64>() > 1 || !reply.rewritten.is_empty() {
                text += &counts(&reply);
                text += &format!("proof: selfsame forget --proof {erasure}\n");
            }
            text
        }
    });
    Ok(())
}

fn counts(reply: &ForgetReply) -> String {
    let mut text = format!("removed    {}\n", told(&reply.removed));
    if !reply.rewritten.is_empty() {
        text += &format!("rewritten  {}\n", told(&reply.rewritten));
    }
    text
}

fn would(reply: &ForgetReply, output: &Output) -> String {
    let line = |word: &str, one: &GoingView| {
        let words = one.words.as_deref().map_or_else(|| "(not yours to see)".into(), harmless);
        format!("{word}  {}  {words}\n", one.id)
    };
    let mut text = String::new();
    for one in &reply.going {
        let word = match one.why.as_str() {
            "rewritten" => "would lose words of",
            _ => "would forget",
        };
        text += &line(word, one);
    }
    for one in &reply.staying {
        text += &line(&format!("stays, {}:", one.why), one);
    }
    if reply.going.len() != 1 {
        text += &counts(reply);
        if let Some(token) = &reply.token {
            text += &format!(
                "to forget exactly this, add {}\n",
                output.paint(Tone::Good, &format!("--token {token}"))
            );
        }
    }
    text
}

fn list(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<ListErasures>(&resolution.agent, &LimitRequest::default())?;
    output.reply(&reply, |output| {
        if reply.erasures.is_empty() {
            return "nothing was forgotten\n".into();
        }
        let line = |one: &ErasureView| {
            format!("{}  {}  {}\n", one.id, output.paint(Tone::Faint, &one.at), told(&one.removed))
        };
        reply.erasures.iter().map(line).collect()
    });
    Ok(())
}

fn prove(id: String, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<ShowProof>("", &ErasureRequest { id })?;
    output.reply(&reply, |_| {
        let erasure = &reply.erasure;
        let mut text =
            format!("{}  forgotten {} by {}, named by {}\n", erasure.id, erasure.at, erasure.by, erasure.how);
        text += &format!("removed    {}\n", told(&erasure.removed));
        if !erasure.rewritten.is_empty() {
            text += &format!("rewritten  {}\n", told(&erasure.rewritten));
        }
        for one in &reply.items {
            let hash = one.words_hash.as_deref().map_or(String::new(), |hash| format!("  {}", &hash[..16]));
            text += &format!("  {}  {}{hash}\n", one.kind, one.id);
        }
        text += &format!("keyed hash of all of it  {}\n", erasure.items_hash);
        for copy in &reply.copies {
            text += &format!("still in {copy}; restoring it forgets it again\n");
        }
        text
    });
    Ok(())
}

fn check(text: String, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = CheckForgottenRequest { text };
    let look = || resolution.backend().call::<CheckForgotten>(&resolution.agent, &request);
    let reply = output.waiting("looking through every table and file", look)?;
    output.reply(&reply, |output| {
        if reply.gone {
            return format!("{}\n", output.paint(Tone::Good, "it is nowhere"));
        }
        let rows = reply.rows.iter().map(|(table, count)| format!("{count} in {table}\n"));
        let files = reply.files.iter().map(|file| format!("in {file}\n"));
        rows.chain(files).collect()
    });
    Ok(())
}

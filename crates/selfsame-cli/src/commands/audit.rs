//! selfsame audit

use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::moving::{AuditMind, AuditReply, AuditRequest};

/// Ids of each figure that are listed on request.
const LISTED: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// List the ids of each figure, up to a hundred
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = AuditRequest { list: Some(if args.list { LISTED } else { 3 }) };
    let look = || resolution.backend().call::<AuditMind>(&resolution.agent, &request);
    let reply = output.waiting("looking at every text", look)?;
    output.reply(&reply, |output| told(&reply, args.list, output));
    Ok(())
}

fn told(reply: &AuditReply, list: bool, output: &Output) -> String {
    let mut text = format!(
        "{} and {} looked at\n",
        counted(reply.memories, "memory", "memories"),
        counted(reply.texts - reply.memories, "other text", "other texts")
    );
    for figure in &reply.figures {
        let share = if figure.of == 0 { 0.0 } else { 100.0 * figure.count as f64 / figure.of as f64 };
        let name = figure.name.replace('_', " ");
        let name = if figure.count > 0 { output.paint(Tone::Bad, &name) } else { name };
        text += &format!("{name}: {} of {} ({share:.1} %), {}\n", figure.count, figure.of, figure.meaning);
        if figure.count > 0 {
            let more = if list || figure.count as usize <= figure.ids.len() { "" } else { " ..." };
            text += &format!("  {}{more}\n  {}\n", figure.ids.join("\n  "), figure.advice);
        }
    }
    text
}

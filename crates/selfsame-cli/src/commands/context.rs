//! selfsame context

use crate::output::{Output, Tone, columns, counted, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::context::{
    AssembleContext, ContextReply, ContextRequest, ItemView, SectionView,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What it is about; without it, what matters most
    query: Option<String>,
    /// Who is present
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// Tokens, at most [default: context.budget_tokens]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// Show what each section has of its share, and what did not fit, instead of the text
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let Args { query, principal, budget, explain } = args;
    let request = ContextRequest { query, principal, budget_tokens: budget };
    let reply = resolution.backend().call::<AssembleContext>(&resolution.agent, &request)?;
    output.reply(&reply, |output| if explain { explained(&reply, output) } else { block(&reply) });
    output.left_out(&reply.damaged);
    Ok(())
}

/// The text as it goes into a prompt, but harmless to a terminal.
fn block(reply: &ContextReply) -> String {
    if reply.text.is_empty() {
        return "nothing to have in mind yet\n".into();
    }
    reply.text.lines().map(|line| harmless(line) + "\n").collect()
}

fn explained(reply: &ContextReply, output: &Output) -> String {
    let rows: Vec<Vec<String>> = reply.sections.iter().map(section_row).collect();
    let mut text = format!("{} of {} tokens\n{}", reply.tokens, reply.budget, columns(&rows));
    for section in reply.sections.iter().filter(|section| !section.items.is_empty()) {
        text += &format!("\n{}\n", output.paint(Tone::Strong, &section.section));
        text += &section.items.iter().map(item_line).collect::<String>();
    }
    text
}

fn section_row(section: &SectionView) -> Vec<String> {
    let SectionView { section, tokens, room, left_out, items } = section;
    let left_out = if *left_out > 0 { format!("{left_out} left out") } else { String::new() };
    vec![
        section.clone(),
        format!("{tokens} of {room} tokens"),
        counted(items.len() as u64, "item", "items"),
        left_out,
    ]
}

fn item_line(item: &ItemView) -> String {
    let shortened = if item.shortened { " (shortened)" } else { "" };
    let about = format!("{} {}", item.id, harmless(&item.about));
    format!("  {}{shortened}: {}\n", about.trim_end(), harmless(&item.words))
}

//! selfsame episodes

use crate::output::{Output, Tone, harmless, harmless_lines, local_minute, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::contemplation::{
    EpisodeRequest, EpisodeView, EpisodesRequest, ListEpisodes, ShowEpisode,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List what times of thinking brought, the newest first
    List {
        /// Only those before this one: epi_...
        #[arg(long, value_name = "EPISODE")]
        before: Option<String>,
        /// Episodes, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one episode, with everything that was said
    Show {
        /// The episode: epi_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List { before, limit } => {
            let reply = backend.call::<ListEpisodes>(agent, &EpisodesRequest { before, limit })?;
            output.reply(&reply, |output| match reply.episodes.is_empty() {
                true => "no episodes yet: `selfsame contemplate now` makes one\n".into(),
                false => reply.episodes.iter().map(|one| shown(one, &reply.zone, output)).collect(),
            });
        }
        Command::Show { id } => {
            let reply = backend.call::<ShowEpisode>(agent, &EpisodeRequest { id })?;
            output.reply(&reply, |output| {
                let said = reply.said.as_deref().unwrap_or_default();
                format!("{}\n{}\n", whole(&reply, output), harmless_lines(said))
            });
        }
    }
    Ok(())
}

fn shown(episode: &EpisodeView, zone: &str, output: &Output) -> String {
    let at = local_minute(episode.text("at"), zone);
    let below = format!(
        "{}  {at}, {}, {}, {}",
        episode.id,
        episode.text("type"),
        harmless(episode.mood()),
        how(episode)
    );
    let summary = wrapped(&harmless(episode.summary()), 0);
    format!("{summary}\n  {}\n", output.paint(Tone::Faint, &below))
}

/// What the record says of it.
fn how(episode: &EpisodeView) -> String {
    match (episode.text("parse"), episode.episode.get("why_not").and_then(|why| why.as_str())) {
        ("fallback", _) => "kept as it was said".into(),
        (_, Some(why)) => harmless(why),
        (_, None) => "successful".into(),
    }
}

/// An episode without the whole reply.
pub(super) fn whole(episode: &EpisodeView, output: &Output) -> String {
    let mut text = output.paint(Tone::Strong, &wrapped(&harmless(episode.summary()), 0)) + "\n";
    for name in ["observations", "actions_taken"] {
        let list = episode.episode.get(name).and_then(|list| list.as_array());
        for one in list.into_iter().flatten().filter_map(|one| one.as_str()) {
            text += &format!("{}\n", wrapped(&format!("- {}", harmless(one)), 2));
        }
    }
    for name in ["lesson", "reflection", "uncertainty", "unexpected"] {
        if !episode.text(name).is_empty() {
            text += &format!("{}\n", wrapped(&format!("{name}: {}", harmless(episode.text(name))), 2));
        }
    }
    let claims = episode.tools();
    if !claims.is_empty() {
        text += &format!("{}\n", wrapped(&format!("tools: {}", harmless(&claims.join(", "))), 2));
    }
    let number = |name: &str| episode.episode.get(name).map(ToString::to_string).unwrap_or_default();
    let below = format!(
        "{}  {}, {}, {} ({}), valence {}, arousal {}",
        episode.id,
        episode.text("type"),
        how(episode),
        harmless(episode.mood()),
        episode.episode.pointer("/mood/energy").and_then(|energy| energy.as_str()).unwrap_or_default(),
        number("valence"),
        number("arousal"),
    );
    let cost = format!(
        "by {}{}, {} tokens, {} ms, {}",
        episode.text("thinker"),
        episode
            .episode
            .get("model")
            .and_then(|model| model.as_str())
            .map(|model| format!(" {}", harmless(model)))
            .unwrap_or_default(),
        number("tokens"),
        number("duration_ms"),
        episode.text("parse"),
    );
    text + &format!("  {}\n  {}\n", output.paint(Tone::Faint, &below), output.paint(Tone::Faint, &cost))
}

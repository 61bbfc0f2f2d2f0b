//! What a summary is. The two sorts are kept apart: one replaces many memories, the other tells how it went with somebody.

use crate::id::{AgentId, EntityId, SummaryId};
use crate::kept::{Words, row};
use crate::memory::tags_json;
use crate::seal::Sealer;
use crate::time::Time;
use crate::word::words;

words! {
    /// Who wrote a summary.
    WrittenBy, "writer of a summary":
    /// The agent itself.
    Agent = "agent",
    /// Whoever thinks for it.
    Thinker = "thinker",
    /// Nobody: sentences were chosen.
    Extract = "extract",
}

/// What many memories come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemorySummary {
    /// Its name.
    pub id: SummaryId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// The theme that was asked for.
    pub focus: Option<String>,
    /// What it is about, in a few words each.
    pub themes: Vec<String>,
    /// The words.
    pub content: String,
    /// By whom.
    pub written_by: WrittenBy,
    /// How many memories are in it, also through other summaries.
    pub memories: u32,
    /// 1 for a summary of memories, more for one of summaries.
    pub depth: u32,
    /// When the first of them was stored.
    pub from: Time,
    /// And the last.
    pub until: Time,
    /// When it was written.
    pub created_at: Time,
    /// The summary that it was folded into.
    pub folded_into: Option<SummaryId>,
}

impl MemorySummary {
    /// The words by which it is found.
    pub fn indexed_text(&self) -> String {
        let said = without_label(&self.content, self.written_by);
        match self.themes.is_empty() {
            true => said.to_owned(),
            false => format!("{}.\n{said}", self.themes.join(", ")),
        }
    }
}

/// What a summary says, without the line by which one that nobody wrote says so.
pub fn without_label(content: &str, written_by: WrittenBy) -> &str {
    match written_by {
        WrittenBy::Extract => content.split_once('\n').map_or("", |(_, said)| said),
        WrittenBy::Agent | WrittenBy::Thinker => content,
    }
}

impl Words for MemorySummary {
    row!("character_memory_summaries", "summary");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .opt_text("focus", self.focus.as_deref())
            .text("themes", &tags_json(&self.themes))
            .text("content", &self.content)
            .text("written_by", self.written_by.as_str())
            .text("memories", &self.memories.to_string())
            .text("depth", &self.depth.to_string())
            .time("from_at", self.from)
            .time("until_at", self.until)
            .time("created_at", self.created_at)
    }
}

/// How it went with somebody, from the first message to the last that is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConversationSummary {
    /// Its name.
    pub id: SummaryId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// With whom; none: nobody in particular took part.
    pub counterpart: Option<EntityId>,
    /// The words.
    pub content: String,
    /// What is carried on word by word: names, promises, dates, numbers.
    pub facts: Vec<String>,
    /// By whom.
    pub written_by: WrittenBy,
    /// How many messages are in it, also through the summaries before.
    pub messages: u32,
    /// When the first of them was said.
    pub from: Time,
    /// And the last.
    pub until: Time,
    /// When it was written.
    pub created_at: Time,
    /// The next one, which has this one in it.
    pub folded_into: Option<SummaryId>,
}

impl ConversationSummary {
    /// The words by which it is found.
    pub fn indexed_text(&self) -> String {
        let said = without_label(&self.content, self.written_by);
        let lines = std::iter::once(said).chain(self.facts.iter().map(String::as_str));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The words, and below them what is carried on word by word.
    pub fn whole(&self) -> String {
        match self.facts.is_empty() {
            true => self.content.clone(),
            false => format!("{}\nWord by word:\n- {}", self.content, self.facts.join("\n- ")),
        }
    }
}

impl Words for ConversationSummary {
    row!("conversation_summaries", "summary");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .opt_id("counterpart_id", self.counterpart.map(EntityId::id))
            .text("content", &self.content)
            .text("facts", &tags_json(&self.facts))
            .text("written_by", self.written_by.as_str())
            .text("messages", &self.messages.to_string())
            .time("from_at", self.from)
            .time("until_at", self.until)
            .time("created_at", self.created_at)
    }
}

//! What episodes teach by rule: what the ledger of tools shows, and what each episode says it learned.

use crate::contemplation::{CallOutcome, Episode, EpisodeKind, Parse};
use crate::fence;
use crate::id::EpisodeId;
use crate::lesson::{LessonKind, MAX_FIELD_BYTES};
use crate::text::check_text;
use crate::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// So many failures of one tool are a mistake to learn from.
const FAILURES: usize = 3;

/// One use of a tool, and in which episode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerEntry {
    /// Of which tool.
    pub tool: String,
    /// What became of it.
    pub outcome: CallOutcome,
    /// When.
    pub at: Time,
    /// In which episode.
    pub episode: EpisodeId,
}

/// A lesson, before it is known whether it is new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LessonDraft {
    /// What sort.
    pub kind: LessonKind,
    /// In which situation.
    pub context: Option<String>,
    /// What was done.
    pub action: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// What follows.
    pub lesson: String,
    /// What to do instead.
    pub correction: Option<String>,
    /// Free labels, sorted, each once.
    pub tags: Vec<String>,
    /// The tools it is about, sorted, each once.
    pub tools: Vec<String>,
    /// The episodes it was drawn from, sorted, each once; at least one.
    pub sources: Vec<EpisodeId>,
}

/// Whether anything may be learned from an episode. What could not be read teaches nothing, and rest has nothing to teach.
pub fn teaches(episode: &Episode) -> bool {
    episode.captured.parse != Parse::Fallback && episode.captured.account.kind != EpisodeKind::Rest
}

/// What episodes teach, in their order; `ledger` is in the order in which the tools were used.
pub fn extract<'e>(
    episodes: impl IntoIterator<Item = &'e Episode>,
    ledger: &[LedgerEntry],
) -> Vec<LessonDraft> {
    let teaching: Vec<&Episode> = episodes.into_iter().filter(|episode| teaches(episode)).collect();
    let ids: BTreeSet<EpisodeId> = teaching.iter().map(|episode| episode.id).collect();
    let mut by_tool: BTreeMap<&str, Vec<&LedgerEntry>> = BTreeMap::new();
    for entry in ledger.iter().filter(|entry| ids.contains(&entry.episode)) {
        by_tool.entry(&entry.tool).or_default().push(entry);
    }
    let of_tools = by_tool.into_iter().flat_map(|(tool, calls)| of_tool(tool, &calls));
    of_tools.chain(teaching.into_iter().filter_map(own_lesson)).collect()
}

/// What the calls of one tool teach. A call that was refused did not fail: nothing is learned about the tool.
fn of_tool(tool: &str, calls: &[&LedgerEntry]) -> Vec<LessonDraft> {
    let failed: Vec<&LedgerEntry> =
        calls.iter().copied().filter(|call| call.outcome == CallOutcome::Failed).collect();
    let mut drafts = Vec::new();
    if let Some((before, ran)) = failed_then_ran(calls) {
        drafts.push(workaround(tool, &before, ran));
    }
    if failed.len() >= FAILURES {
        drafts.push(mistake(tool, &failed));
    }
    drafts
}

/// The failures before the first call that ran after one, and that call.
fn failed_then_ran<'l>(calls: &[&'l LedgerEntry]) -> Option<(Vec<&'l LedgerEntry>, &'l LedgerEntry)> {
    let mut failed = Vec::new();
    for call in calls {
        match call.outcome {
            CallOutcome::Failed => failed.push(*call),
            CallOutcome::Ran if !failed.is_empty() => return Some((failed, call)),
            CallOutcome::Ran | CallOutcome::Refused => {}
        }
    }
    None
}

// What follows is told in equal words each time, so that the same again is seen to be the same; counts stand beside it.

fn workaround(tool: &str, failed: &[&LedgerEntry], ran: &LedgerEntry) -> LessonDraft {
    let times = times(failed.len());
    LessonDraft {
        kind: LessonKind::Workaround,
        context: Some(format!("using {tool}")),
        action: Some(format!("called {tool} again after it had failed {times}")),
        outcome: Some("it ran".to_owned()),
        lesson: format!("When {tool} fails, another try can work."),
        correction: Some(format!("Look at why {tool} failed, change the call if that helps, and try again.")),
        tags: vec!["tools".to_owned()],
        tools: vec![tool.to_owned()],
        sources: episodes_of(failed.iter().copied().chain([ran])),
    }
}

fn mistake(tool: &str, failed: &[&LedgerEntry]) -> LessonDraft {
    LessonDraft {
        kind: LessonKind::Mistake,
        context: Some(format!("using {tool}")),
        action: Some(format!("called {tool}")),
        outcome: Some(format!("it failed {}", times(failed.len()))),
        lesson: format!("{tool} keeps failing: do not rely on it alone."),
        correction: Some(format!("Check what {tool} needs before it is called, and have another way ready.")),
        tags: vec!["tools".to_owned()],
        tools: vec![tool.to_owned()],
        sources: episodes_of(failed.iter().copied()),
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    }
}

fn episodes_of<'l>(calls: impl Iterator<Item = &'l LedgerEntry>) -> Vec<EpisodeId> {
    calls.map(|call| call.episode).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What an episode says it learned.
fn own_lesson(episode: &Episode) -> Option<LessonDraft> {
    let account = &episode.captured.account;
    let lesson = fitting(account.lesson.as_deref()?)?;
    let kind = match (episode.successful, &account.unexpected) {
        (false, _) => LessonKind::Mistake,
        (true, Some(_)) => LessonKind::Discovery,
        (true, None) => LessonKind::Success,
    };
    Some(LessonDraft {
        kind,
        context: fitting(account.intent.as_deref().unwrap_or(&account.trigger)),
        action: fitting(&account.actions_taken.join("; ")),
        outcome: fitting(&account.outcome.summary),
        tools: named_in(&lesson, &account.tools_used),
        lesson,
        correction: None,
        tags: Vec::new(),
        sources: vec![episode.id],
    })
}

/// Of the tools that were used, those that the lesson is about: it names them. What else was used along the way would make
/// equal lessons different.
fn named_in(lesson: &str, used: &[String]) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let folded = lesson.to_lowercase();
    let words: BTreeSet<&str> =
        folded.split(|c| !is_part(c)).map(|word| word.trim_end_matches(['.', ':'])).collect();
    let named = used.iter().filter(|tool| words.contains(tool.to_lowercase().as_str()));
    named.cloned().collect::<BTreeSet<_>>().into_iter().collect()
}

/// A text as a field of a lesson takes it: without what was only quoted to whoever wrote it, cut to size; none if nothing
/// is left of it.
pub(super) fn fitting(text: &str) -> Option<String> {
    let own = fence::strip(text);
    let mut end = own.trim().len().min(MAX_FIELD_BYTES);
    while !own.trim().is_char_boundary(end) {
        end -= 1;
    }
    let cut = own.trim()[..end].trim_end();
    (!cut.is_empty() && check_text(cut, MAX_FIELD_BYTES).is_ok()).then(|| cut.to_owned())
}

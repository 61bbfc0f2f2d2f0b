//! The verbs of the diary: write, search, show a day, list the days.

use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::indexing;
use crate::lexical::{items_at, score_words};
use crate::mind::Access;
use crate::recall::MAX_QUESTION_BYTES;
use crate::sound::{Sound, sound};
use selfsame_core::diary::check_day;
use selfsame_core::event::Act;
use selfsame_core::id::{DiaryId, Id};
use selfsame_core::kept::Kept;
use selfsame_core::local::{parse_day, show_day};
use selfsame_core::recall::plan::words_of;
use selfsame_core::recall::{Scored, TermMatch};
use selfsame_core::text::count_terms;
use selfsame_core::time::civil::Date;
use selfsame_core::tokens::count;
use selfsame_core::trust::Provenance;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Idempotency, Reader, Replay, StoreError, diary, events};
use std::collections::BTreeMap;

pub use selfsame_core::diary::{DiaryDraft, DiaryEntry};

/// Entries found or days listed, at most.
const MAX_LIMIT: usize = 1000;
/// Days listed when the caller does not say.
const USUAL_DAYS: usize = 31;

/// An entry was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiaryWritten {
    /// Which.
    pub id: DiaryId,
    /// On which day of the agent's.
    pub day: Date,
    /// As which of that day.
    pub ordinal: u32,
}

/// An entry that has the words, and which of them.
#[derive(Clone, PartialEq, Debug)]
pub struct DiaryHit {
    /// The entry.
    pub entry: Kept<DiaryEntry>,
    /// Its score.
    pub score: f64,
    /// What each word added to it.
    pub matches: Vec<TermMatch>,
}

/// The entries of a day.
#[derive(Clone, PartialEq, Debug)]
pub struct DiaryPage {
    /// The day.
    pub day: Date,
    /// In the order in which they were written.
    pub entries: Vec<Kept<DiaryEntry>>,
    /// Entries that were left out because they are damaged.
    pub damaged: Vec<String>,
}

/// What was found in the diary.
#[derive(Clone, PartialEq, Debug)]
pub struct DiaryFound {
    /// The best first.
    pub hits: Vec<DiaryHit>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// Entries that were left out because they are damaged.
    pub damaged: Vec<String>,
}

/// A day that has entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiaryDay {
    /// Which.
    pub day: Date,
    /// How many.
    pub entries: usize,
    /// The moods of the day, each once, in their order.
    pub moods: Vec<String>,
}

impl Access<'_> {
    /// Writes an entry, at the end of its day.
    pub fn write_diary(&self, draft: DiaryDraft, key: Option<&Idempotency>) -> Result<DiaryWritten> {
        let draft = self.without_secrets(draft);
        let detail = draft.check()?;
        let now = self.mind.now();
        let today = self.zone()?.date(now);
        let day = draft.date.as_deref().map_or(Ok(today), |text| parse_day(text, today))?;
        check_day(day, today)?;
        let (words, tokens) = (count_terms(&draft.text), count(&draft.text));
        let provenance = Provenance::stated(&self.caller, None, draft.privacy);
        let entry = DiaryEntry {
            id: DiaryId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            day,
            ordinal: 1,
            text: draft.text,
            mood: draft.mood,
            location: draft.location,
            detail,
            created_at: now,
        };
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            // Writes are serial per agent: nobody takes this place in between.
            let ordinal = diary::next_ordinal(writer, self.agent.id, day)?;
            let entry = DiaryEntry { ordinal, ..entry.clone() };
            let entry = Kept::new(entry, provenance.clone()).counted(tokens);
            diary::insert(writer, &entry)?;
            postings::insert(writer, self.agent.id, Kind::Diary, &indexing::of_entry(&entry, &words))?;
            let act = Act { act: "written", subject_kind: "diary", subject: entry.id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(DiaryWritten { id: entry.id, day, ordinal })
        })?)
    }

    /// The entries of a day in the order in which they were written. The date as written: `2026-12-24` or `today`.
    pub fn diary_day(&self, date: &str) -> Result<DiaryPage> {
        let day = parse_day(date, self.zone()?.date(self.mind.now()))?;
        let (entries, damaged) = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| self.visible_entries(reader, day))?;
        Ok(DiaryPage { day, entries, damaged })
    }

    /// The days that have entries, the latest first.
    pub fn diary_days(
        &self,
        from: Option<&str>,
        to: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Vec<DiaryDay>> {
        let limit = limit.unwrap_or(USUAL_DAYS);
        check_limit(limit, MAX_LIMIT)?;
        let today = self.zone()?.date(self.mind.now());
        let from = from.map_or(Ok(Date::new(1, 1, 1).unwrap_or(today)), |text| parse_day(text, today))?;
        let to = to.map_or(Ok(today), |text| parse_day(text, today))?;
        if to < from {
            return Err(Error::Unfit(format!(
                "from {} to {} is no range: swap the two",
                show_day(from),
                show_day(to)
            )));
        }
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut days = Vec::new();
            for day in diary::days(reader, self.agent.id, from, to, limit as i64)? {
                let (entries, _) = self.visible_entries(reader, day)?;
                if !entries.is_empty() {
                    days.push(DiaryDay { day, entries: entries.len(), moods: moods(&entries) });
                }
            }
            Ok(days)
        })?)
    }

    /// Finds entries of any day by their words: the best first. Writes nothing.
    pub fn search_diary(&self, keywords: &str, limit: Option<usize>) -> Result<DiaryFound> {
        let settings = &self.mind.settings.recall;
        let limit = limit.unwrap_or(settings.limit);
        check_field("keywords", keywords, MAX_QUESTION_BYTES)?;
        check_limit(limit, MAX_LIMIT)?;
        let words = words_of(keywords);
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let ranked = score_words(reader, self.agent.id, Kind::Diary, &words, settings)?;
            let mut found = DiaryFound { hits: Vec::new(), words: words.clone(), damaged: Vec::new() };
            self.gather_entries(reader, &ranked, limit, &mut found)?;
            Ok(found)
        })?)
    }

    /// Reads the best entries until enough are found that the caller may see.
    fn gather_entries(
        &self,
        reader: &mut Reader,
        ranked: &[Scored],
        limit: usize,
        found: &mut DiaryFound,
    ) -> StoreResult<()> {
        for chunk in ranked.chunks(limit.max(16)) {
            let items = items_at(reader, self.agent.id, Kind::Diary, chunk)?;
            let ids: Vec<Id> = items.values().copied().collect();
            let (entries, damaged) = sound(diary::by_ids(reader, self.agent.id, &ids)?)?;
            found.damaged.extend(damaged);
            let mut entries: BTreeMap<Id, Kept<DiaryEntry>> =
                entries.into_iter().map(|entry| (entry.id.id(), entry)).collect();
            for scored in chunk {
                let entry = items.get(&scored.spot).and_then(|id| entries.remove(id));
                let Some(entry) = entry.filter(|entry| entry.provenance.is_visible_to(&self.caller)) else {
                    continue;
                };
                found.hits.push(DiaryHit { entry, score: scored.score, matches: scored.matches.clone() });
                if found.hits.len() == limit {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn visible_entries(&self, reader: &mut Reader, day: Date) -> StoreResult<Sound<DiaryEntry>> {
        let (mut entries, damaged) = sound(diary::of_day(reader, self.agent.id, day)?)?;
        entries.retain(|entry| entry.provenance.is_visible_to(&self.caller));
        Ok((entries, damaged))
    }
}

fn moods(entries: &[Kept<DiaryEntry>]) -> Vec<String> {
    let mut moods: Vec<String> = Vec::new();
    for mood in entries.iter().filter_map(|entry| entry.mood.as_ref()) {
        if !moods.contains(mood) {
            moods.push(mood.clone());
        }
    }
    moods
}

impl Replay for DiaryWritten {
    fn encode(&self) -> String {
        format!("[\"{}\",\"{}\",{}]", self.id, show_day(self.day), self.ordinal)
    }

    fn decode(stored: &str) -> StoreResult<DiaryWritten> {
        let damaged = StoreError::unreadable_reply;
        let (id, day, ordinal): (String, String, u32) =
            serde_json::from_str(stored).map_err(|_| damaged())?;
        let day = selfsame_core::local::plain_date(&day).ok_or_else(damaged)?;
        Ok(DiaryWritten { id: id.parse().map_err(|_| damaged())?, day, ordinal })
    }
}

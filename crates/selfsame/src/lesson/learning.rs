//! Learning from episodes: when enough have come, a batch of them is looked through, by rules and by whoever thinks.
//!
//! What is learned from a batch, what it comes to as a whole and how far the episodes were looked through is written at
//! once: killed anywhere, nothing is learned twice and nothing is passed over.

use super::school::School;
use crate::error::{Error, Result, StoreResult};
use crate::mind::Access;
use crate::ports::{Fault, FaultKind};
use crate::sound::sound;
use crate::work::{Brief, Reply};
use selfsame_core::contemplation::prompt::{self, Entry};
use selfsame_core::contemplation::{Episode, WorkKind};
use selfsame_core::id::{EpisodeId, Id};
use selfsame_core::kept::Kept;
use selfsame_core::lesson::extract::{extract, teaches};
use selfsame_core::lesson::patterns::read_patterns;
use selfsame_core::lesson::{LedgerEntry, LessonDraft};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::{Caller, Lineage, Provenance};
use selfsame_store::contemplation::episodes;
use selfsame_store::work::calls;
use selfsame_store::work::items::{self, NewWork, WorkItem};
use selfsame_store::{Reader, StoreError, Writer, learning};
use std::collections::BTreeSet;

/// Characters of one field of an episode that a thinker is shown.
const SHOWN: usize = 600;

impl Access<'_> {
    /// Looks for lessons, if enough episodes have come since the last time.
    pub(crate) fn learn_from_episodes(&self) -> Result<()> {
        while let Some(batch) = self.next_batch()? {
            let now = self.mind.now();
            let about = ids_of(&batch).iter().map(ToString::to_string).collect();
            // Whether there is anything to show, and anybody to ask.
            let wanted =
                batch.iter().any(is_shown).then(|| self.wanted(WorkKind::ExtractLessons, about, now));
            if let Some(new) = wanted.flatten() {
                return self.want_patterns(&new, now);
            }
            let (ids, zone) = (ids_of(&batch), self.zone()?);
            self.mind.store.background("learning", &[self.agent.id], |writer| {
                self.learn_from_batch(writer, &ids, &[], &zone, now)
            })?;
        }
        Ok(())
    }

    /// The next episodes to learn from; none if too few have come, or if somebody is at them.
    fn next_batch(&self) -> Result<Option<Vec<Kept<Episode>>>> {
        let (agent, settings) = (self.agent.id, &self.mind.settings.lessons);
        let batch = self.mind.store.read(&self.caller, &[agent], |reader| {
            let after = learned_until(reader, self)?;
            if episodes::count_after(reader, agent, after)? < u64::from(settings.every_episodes) {
                return Ok(None);
            }
            let rows = episodes::after(reader, agent, after, i64::from(settings.batch))?;
            Ok(Some(sound(rows)?.0))
        })?;
        Ok(batch.filter(|batch| !batch.is_empty()))
    }

    /// Puts the batch into the queue, unless it is there.
    fn want_patterns(&self, new: &NewWork, now: Time) -> Result<()> {
        let agent = self.agent.id;
        Ok(self.mind.store.background("learning", &[agent], |writer| {
            let after = learned_until(writer, self)?;
            let is_waiting = |item: &WorkItem| {
                item.kind == WorkKind::ExtractLessons
                    && about(item).last().is_some_and(|last| *last > after)
                    && item.state.is_open()
            };
            match items::open(writer, agent)?.iter().any(is_waiting) {
                true => Ok(()),
                false => self.queue(writer, new, now),
            }
        })?)
    }

    /// What a thinker is shown of a batch: what it may see where nobody watches, as quoted data.
    pub(crate) fn brief_to_learn(&self, item: &WorkItem) -> Result<Brief> {
        let entry = |episode: &Kept<Episode>| Entry {
            id: episode.id.to_string(),
            text: told(episode),
            trust: episode.provenance.trust().value(),
            note: None,
        };
        let shown: Vec<Entry> = self.shown_of(item)?.iter().map(entry).collect();
        let max_tokens = self.mind.settings.contemplation_of(&self.agent.name).max_tokens;
        Ok(Brief::of(prompt::lessons_prompt(&shown), max_tokens))
    }

    /// Learns from a batch with what a thinker saw in it; or says that its answer cannot be read.
    pub(crate) fn finish_learning(
        &self,
        item: &WorkItem,
        reply: &Reply<'_>,
    ) -> Result<std::result::Result<(), Fault>> {
        let shown: BTreeSet<String> = reply.quoted.iter().cloned().collect();
        let patterns = match read_patterns(reply.text, &shown) {
            Ok(patterns) => patterns,
            Err(unreadable) => return Ok(Err(Fault::new(FaultKind::Unreadable, unreadable.to_string()))),
        };
        let believed = self.provenance_of_patterns(item, reply)?;
        let patterns: Vec<(LessonDraft, Provenance)> = match believed {
            Some(believed) => patterns.drafts.into_iter().map(|draft| (draft, believed.clone())).collect(),
            None => Vec::new(),
        };
        let (ids, zone, now) = (about(item), self.zone()?, self.mind.now());
        self.mind.store.background("learning", &[self.agent.id], |writer| {
            self.settle_done(writer, item, reply.model, now)?;
            self.learn_from_batch(writer, &ids, &patterns, &zone, now)
        })?;
        self.learn_from_episodes()?;
        Ok(Ok(()))
    }

    /// Nobody could read what thinkers made of a batch: it is learned from by rules, and not asked about again.
    pub(crate) fn learn_no_more_from(&self, writer: &mut Writer, item: &WorkItem) -> StoreResult<()> {
        let zone = self.zone().map_err(|_| StoreError::Damaged("the agent's zone is unknown".into()))?;
        self.learn_from_batch(writer, &about(item), &[], &zone, self.mind.now())
    }

    /// How far a thinker's patterns are believed. It read all that was shown, whatever it cites: so no further than the least
    /// of that, nor than anything else that it read along the way.
    fn provenance_of_patterns(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<Option<Provenance>> {
        let shown = self.shown_of(item)?;
        let provenance = shown.iter().map(|episode| &episode.provenance);
        let derived = derived(provenance).map_err(Error::Store)?;
        Ok(derived.map(|provenance| provenance.lowered_to(reply.trust)))
    }

    /// The episodes of a piece of work that may be shown.
    fn shown_of(&self, item: &WorkItem) -> Result<Vec<Kept<Episode>>> {
        let (agent, ids) = (self.agent.id, about(item));
        let rows = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| Ok(sound(episodes::by_ids(reader, agent, &ids)?)?.0))?;
        Ok(rows.into_iter().filter(is_shown).collect())
    }

    /// All that follows from a batch, as far as it was not learned from before.
    fn learn_from_batch(
        &self,
        writer: &mut Writer,
        batch: &[EpisodeId],
        patterns: &[(LessonDraft, Provenance)],
        zone: &Zone,
        now: Time,
    ) -> StoreResult<()> {
        let agent = self.agent.id;
        let after = learned_until(writer, self)?;
        let fresh: Vec<EpisodeId> = batch.iter().copied().filter(|id| *id > after).collect();
        let Some(last) = fresh.iter().max().copied() else {
            return Ok(());
        };
        let (mut rows, _) = sound(episodes::by_ids(writer, agent, &fresh)?)?;
        // What is private feeds nothing.
        rows.retain(|episode| !episode.provenance.is_private());
        let ledger = self.ledger(writer, &rows)?;
        let mut school = School::open(writer, self, zone, &rows, now)?;
        for draft in extract(rows.iter().map(|row| &row.words), &ledger) {
            let sources = rows.iter().filter(|row| draft.sources.contains(&row.id));
            if let Some(provenance) = derived(sources.map(|row| &row.provenance))? {
                school.take(writer, &draft, &provenance)?;
            }
        }
        for (draft, provenance) in patterns {
            school.take(writer, draft, provenance)?;
        }
        for episode in &rows {
            school.reward(writer, episode)?;
        }
        school.merge(writer)?;
        school.propose(writer)?;
        let mut learning = learning::of(writer, agent)?;
        learning.episode = Some(last);
        self.reflect_on_batch(writer, &mut learning, &rows, &ledger, zone, now)?;
        learning::keep(writer, agent, &learning)
    }

    /// The uses of tools in these episodes, in their order.
    pub(super) fn ledger(
        &self,
        reader: &mut Reader,
        episodes: &[Kept<Episode>],
    ) -> StoreResult<Vec<LedgerEntry>> {
        let agent = self.agent.id;
        let mut ledger = Vec::new();
        for episode in episodes {
            let work = items::of_cycle(reader, agent, episode.cycle)?;
            for call in calls::of_work(reader, agent, &work)? {
                let (tool, outcome, at) = (call.tool, call.outcome, call.began_at);
                ledger.push(LedgerEntry { tool, outcome, at, episode: episode.id });
            }
        }
        ledger.sort_by_key(|entry| entry.at);
        Ok(ledger)
    }
}

/// The last episode that was learned from.
fn learned_until(reader: &mut Reader, access: &Access<'_>) -> StoreResult<EpisodeId> {
    let learning = learning::of(reader, access.agent.id)?;
    Ok(learning.episode.unwrap_or(EpisodeId::of(Id::NIL)))
}

/// The episodes that a piece of work is about, in their order.
fn about(item: &WorkItem) -> Vec<EpisodeId> {
    let mut ids: Vec<EpisodeId> = item.about.iter().filter_map(|id| id.parse().ok()).collect();
    ids.sort();
    ids
}

fn ids_of(batch: &[Kept<Episode>]) -> Vec<EpisodeId> {
    batch.iter().map(|episode| episode.id).collect()
}

/// Whether a thinker may see an episode where nobody watches.
fn is_shown(episode: &Kept<Episode>) -> bool {
    teaches(episode) && episode.provenance.is_visible_to(&Caller::agent(None).unattended())
}

/// The provenance of what was made from rows, by the agent's own thinking; none if there are none.
pub(super) fn derived<'p>(sources: impl Iterator<Item = &'p Provenance>) -> StoreResult<Option<Provenance>> {
    let private = |_| StoreError::BadValue("a private row feeds no lesson".into());
    let mut lineage: Option<Lineage> = None;
    for source in sources {
        lineage = Some(match lineage {
            None => Lineage::of(source).map_err(private)?,
            Some(lineage) => lineage.and(source).map_err(private)?,
        });
    }
    Ok(lineage.map(|lineage| Provenance::derived(&lineage, None)))
}

/// What a thinker is told of an episode.
fn told(episode: &Episode) -> String {
    let account = &episode.captured.account;
    let how = if episode.successful { "successful" } else { "not successful" };
    let mut lines = vec![
        format!("{}, {how}", account.kind.as_str()),
        format!("outcome: {}; {}", short(&account.outcome.result), short(&account.outcome.summary)),
        format!("mood: {}", short(&account.mood.state)),
    ];
    lines.extend(episode.why_not.iter().map(|why| format!("why not: {}", short(why))));
    for (name, list) in [("did", &account.actions_taken), ("tools", &account.tools_used)] {
        if !list.is_empty() {
            lines.push(format!("{name}: {}", short(&list.join("; "))));
        }
    }
    for (name, text) in [
        ("intent", &account.intent),
        ("unexpected", &account.unexpected),
        ("uncertainty", &account.uncertainty),
        ("reflection", &account.reflection),
        ("lesson", &account.lesson),
        ("seems to repeat", &account.pattern_hint),
    ] {
        lines.extend(text.iter().map(|text| format!("{name}: {}", short(text))));
    }
    lines.join("\n")
}

fn short(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

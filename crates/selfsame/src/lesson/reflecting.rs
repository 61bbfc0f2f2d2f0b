//! What a stretch of episodes comes to, written down: after each batch that was learned from, and for every day on which the
//! agent thought.

use super::learning::derived;
use crate::error::{Result, StoreResult};
use crate::mind::{Access, Mind};
use crate::sound::sound;
use selfsame_core::contemplation::Episode;
use selfsame_core::event::Act;
use selfsame_core::id::{EpisodeId, ReflectionId};
use selfsame_core::kept::Kept;
use selfsame_core::lesson::LedgerEntry;
use selfsame_core::lesson::evaluate::evaluate;
use selfsame_core::lesson::extract::teaches;
use selfsame_core::local::{Moment, plain_date, show_day};
use selfsame_core::reflection::Reflection;
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_store::contemplation::episodes;
use selfsame_store::learning::{self, Learning};
use selfsame_store::{Writer, events, reflections};
use std::collections::BTreeMap;
use std::time::Duration;

/// Days that are looked back on, at most: who was away for longer begins anew.
const LOOKED_BACK: Duration = Duration::from_secs(31 * 86_400);

impl Mind {
    /// Sees to it that every day on which an agent thought has a reflection.
    pub(crate) fn reflect_on_days(&self) -> Result<()> {
        self.agents()?.into_iter().try_for_each(|agent| self.at_work(agent).reflect_on_days())
    }
}

impl Access<'_> {
    /// Reflects on the days that are over, have episodes, and have no reflection yet.
    pub(crate) fn reflect_on_days(&self) -> Result<()> {
        let (agent, zone, now) = (self.agent.id, self.zone()?, self.mind.now());
        let is_anything = self.mind.store.read(&self.caller, &[agent], |reader| {
            let (from, until) = without_reflection(&learning::of(reader, agent)?, zone.date(now), &zone, now);
            Ok(!episodes::between(reader, agent, from, until)?.is_empty())
        })?;
        if !is_anything {
            return Ok(());
        }
        Ok(self.mind.store.background("reflecting", &[agent], |writer| {
            let before = learning::of(writer, agent)?;
            let mut learning = before.clone();
            self.reflect_on_days_before(writer, &mut learning, zone.date(now), &zone, now)?;
            if learning == before { Ok(()) } else { learning::keep(writer, agent, &learning) }
        })?)
    }

    /// The reflection on a batch, which is that of its last day too; the days before it have theirs first.
    pub(super) fn reflect_on_batch(
        &self,
        writer: &mut Writer,
        learning: &mut Learning,
        batch: &[Kept<Episode>],
        ledger: &[LedgerEntry],
        zone: &Zone,
        now: Time,
    ) -> StoreResult<()> {
        let Some(last) = batch.iter().rfind(|episode| teaches(episode)) else {
            return Ok(());
        };
        let day = zone.date(last.created_at);
        self.reflect_on_days_before(writer, learning, day, zone, now)?;
        self.reflect_on_episodes(writer, batch, ledger, zone, now)?;
        note(learning, day);
        Ok(())
    }

    fn reflect_on_days_before(
        &self,
        writer: &mut Writer,
        learning: &mut Learning,
        before: Date,
        zone: &Zone,
        now: Time,
    ) -> StoreResult<()> {
        let (from, until) = without_reflection(learning, before, zone, now);
        let (rows, _) = sound(episodes::between(writer, self.agent.id, from, until)?)?;
        let mut days: BTreeMap<Date, Vec<Kept<Episode>>> = BTreeMap::new();
        for episode in rows.into_iter().filter(|episode| !episode.provenance.is_private()) {
            days.entry(zone.date(episode.created_at)).or_default().push(episode);
        }
        for (day, episodes) in days {
            let ledger = self.ledger(writer, &episodes)?;
            if self.reflect_on_episodes(writer, &episodes, &ledger, zone, now)? {
                note(learning, day);
            }
        }
        Ok(())
    }

    /// Writes a reflection on episodes; says whether they had anything to reflect on.
    fn reflect_on_episodes(
        &self,
        writer: &mut Writer,
        episodes: &[Kept<Episode>],
        ledger: &[LedgerEntry],
        zone: &Zone,
        now: Time,
    ) -> StoreResult<bool> {
        let teaching: Vec<&Kept<Episode>> = episodes.iter().filter(|episode| teaches(episode)).collect();
        let words: Vec<&Episode> = teaching.iter().map(|episode| &episode.words).collect();
        let provenance = derived(teaching.iter().map(|episode| &episode.provenance))?;
        let (Some(content), Some(provenance)) = (evaluate(&words, ledger, zone), provenance) else {
            return Ok(false);
        };
        let id = ReflectionId::of(self.mind.mint.id(now));
        let reflection = Reflection {
            id,
            agent: self.agent.id,
            from: teaching.iter().map(|episode| episode.began_at).min().unwrap_or(now),
            until: teaching.iter().map(|episode| episode.created_at).max().unwrap_or(now),
            content,
            created_at: now,
        };
        let tokens = count(&reflection.content);
        let sources: Vec<EpisodeId> = teaching.iter().map(|episode| episode.id).collect();
        reflections::insert_on(writer, &Kept::new(reflection, provenance).counted(tokens), &sources)?;
        let act = Act { act: "reflected", subject_kind: "reflection", subject: id.id() };
        events::record(writer, self.agent.id, now, &[act])?;
        Ok(true)
    }
}

/// The time from the last day that has a reflection until the day `before`.
fn without_reflection(learning: &Learning, before: Date, zone: &Zone, now: Time) -> (Time, Time) {
    let last = learning.reflected_on.as_deref().and_then(plain_date);
    let next = last.and_then(|day| day.tomorrow().ok()).map(|day| Moment::Day(day).begin(zone));
    let oldest = now.saturating_sub(LOOKED_BACK);
    (next.unwrap_or(oldest).max(oldest), Moment::Day(before).begin(zone))
}

/// Notes that a day has its reflection.
fn note(learning: &mut Learning, day: Date) {
    let day = show_day(day);
    if learning.reflected_on.as_ref().is_none_or(|last| *last < day) {
        learning.reflected_on = Some(day);
    }
}

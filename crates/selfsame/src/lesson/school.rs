//! What becomes of what was drawn from episodes: a new lesson, or one that is surer for being seen again. All within one
//! transaction, whose lessons are read once.

use super::STANDING;
use crate::error::StoreResult;
use crate::knowledge;
use crate::mind::Access;
use crate::sound::sound;
use selfsame_core::contemplation::Episode;
use selfsame_core::contemplation::tool::QUOTED;
use selfsame_core::event::Act;
use selfsame_core::id::{EpisodeId, LessonId};
use selfsame_core::kept::Kept;
use selfsame_core::lesson::judge::{followed, rewarded};
use selfsame_core::lesson::propose::Ripe;
use selfsame_core::lesson::sameness::{Gist, merges, reinforced};
use selfsame_core::lesson::{CONFIDENCE_AT_BIRTH, Lesson, LessonDraft};
use selfsame_core::local::show_day;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_core::trust::Provenance;
use selfsame_store::{Writer, events, lessons};
use std::collections::BTreeMap;

/// Lessons that went on in another and then in another again, at most.
const MOST_STEPS: usize = 16;

/// The lessons of an agent, while it learns.
pub(super) struct School<'s> {
    access: &'s Access<'s>,
    zone: &'s Zone,
    now: Time,
    /// When each episode was, which lessons may have been seen in.
    when: BTreeMap<EpisodeId, Time>,
    lessons: Vec<(Kept<Lesson>, Gist)>,
}

impl<'s> School<'s> {
    /// Opens with the lessons that stand.
    pub(super) fn open(
        writer: &mut Writer,
        access: &'s Access<'s>,
        zone: &'s Zone,
        episodes: &[Kept<Episode>],
        now: Time,
    ) -> StoreResult<School<'s>> {
        let (rows, _) = sound(lessons::surest(writer, access.agent.id, STANDING)?)?;
        let lessons = rows.into_iter().map(|lesson| (gist(&lesson), lesson)).map(|(gist, row)| (row, gist));
        let when = episodes.iter().map(|episode| (episode.id, episode.created_at)).collect();
        Ok(School { access, zone, now, when, lessons: lessons.collect() })
    }

    /// Takes in what was drawn. It strengthens only a lesson that is believed no further than what it was drawn from: so
    /// each carries the lowest trust of all its sources, and nothing doubtful makes anything surer.
    pub(super) fn take(
        &mut self,
        writer: &mut Writer,
        draft: &LessonDraft,
        provenance: &Provenance,
    ) -> StoreResult<()> {
        let gist = Gist::of(&draft.lesson, &draft.tools);
        let least = self.access.mind.settings.lessons.same_overlap;
        let same = self.lessons.iter().position(|(lesson, known)| {
            lesson.provenance.trust() <= provenance.trust() && known.is_same(&gist, least)
        });
        match same {
            Some(place) => self.see_again(writer, place, draft),
            None => self.learn(writer, draft, gist, provenance),
        }
    }

    fn see_again(&mut self, writer: &mut Writer, place: usize, draft: &LessonDraft) -> StoreResult<()> {
        let (agent, now) = (self.access.agent.id, self.now);
        let (seen, last) = (self.sightings(draft), self.last_seen(draft));
        let by = self.access.mind.settings.lessons.reinforced;
        let lesson = &mut self.lessons[place].0;
        // The same episode counts once, however often it says so.
        if lessons::see(writer, agent, lesson.id, &seen)? == 0 {
            return Ok(());
        }
        lessons::add_episodes(writer, agent, lesson.id, &draft.sources)?;
        lesson.confidence = reinforced(self.access.sureness(lesson, now), by);
        lesson.occurrences += 1;
        lesson.last_seen_at = lesson.last_seen_at.max(last);
        (lesson.judged_at, lesson.updated_at) = (now, now);
        lessons::judge(writer, lesson)?;
        self.record(writer, "reinforced", place)
    }

    fn learn(
        &mut self,
        writer: &mut Writer,
        draft: &LessonDraft,
        gist: Gist,
        provenance: &Provenance,
    ) -> StoreResult<()> {
        let (agent, now) = (self.access.agent.id, self.now);
        let lesson = Lesson {
            id: LessonId::of(self.access.mind.mint.id(now)),
            agent,
            kind: draft.kind,
            context: draft.context.clone(),
            action: draft.action.clone(),
            outcome: draft.outcome.clone(),
            lesson: draft.lesson.clone(),
            correction: draft.correction.clone(),
            tags: draft.tags.clone(),
            tools: draft.tools.clone(),
            created_at: now,
            confidence: CONFIDENCE_AT_BIRTH,
            judged_at: now,
            occurrences: 1,
            last_seen_at: self.last_seen(draft),
            updated_at: now,
            merged_into: None,
            proposed: None,
        };
        let tokens = count(&lesson.lesson);
        let row = Kept::new(lesson, provenance.clone()).counted(tokens);
        lessons::insert_drawn(writer, &row, &draft.sources)?;
        lessons::see(writer, agent, row.id, &self.sightings(draft))?;
        self.lessons.push((row, gist));
        self.record(writer, "learned", self.lessons.len() - 1)
    }

    /// Makes surer what an episode says it followed to a good end. It must have been known when the episode began; and what
    /// nobody vouches for rewards nothing.
    pub(super) fn reward(&mut self, writer: &mut Writer, episode: &Kept<Episode>) -> StoreResult<()> {
        if episode.provenance.trust().value() < QUOTED {
            return Ok(());
        }
        for id in followed(episode) {
            let Some(place) = self.standing(writer, id)? else { continue };
            let lesson = &mut self.lessons[place].0;
            if lesson.created_at >= episode.began_at {
                continue;
            }
            lesson.confidence = rewarded(self.access.sureness(lesson, self.now));
            (lesson.judged_at, lesson.updated_at) = (self.now, self.now);
            lessons::judge(writer, lesson)?;
            self.record(writer, "rewarded", place)?;
        }
        Ok(())
    }

    /// Where the lesson is that this one goes on in, or it itself.
    fn standing(&self, writer: &mut Writer, mut id: LessonId) -> StoreResult<Option<usize>> {
        for _ in 0..MOST_STEPS {
            if let Some(place) = self.lessons.iter().position(|(lesson, _)| lesson.id == id) {
                return Ok(Some(place));
            }
            match lessons::by_id(writer, self.access.agent.id, id)?.and_then(|lesson| lesson.merged_into) {
                Some(into) => id = into,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Lets near duplicates go on in the oldest of them. Only what is equally believed: nothing lends its weight to what
    /// is believed further, and nothing is believed less for having been merged.
    pub(super) fn merge(&mut self, writer: &mut Writer) -> StoreResult<()> {
        let least = self.access.mind.settings.lessons.same_overlap;
        let mut equally_believed: BTreeMap<u64, Vec<(LessonId, Gist)>> = BTreeMap::new();
        for (lesson, gist) in &self.lessons {
            let trust = lesson.provenance.trust().value().to_bits();
            equally_believed.entry(trust).or_default().push((lesson.id, gist.clone()));
        }
        for (from, into) in equally_believed.values().flat_map(|lessons| merges(lessons, least)) {
            self.merge_into(writer, from, into)?;
        }
        Ok(())
    }

    fn merge_into(&mut self, writer: &mut Writer, from: LessonId, into: LessonId) -> StoreResult<()> {
        let (agent, now) = (self.access.agent.id, self.now);
        let place_of =
            |lessons: &[(Kept<Lesson>, Gist)], id| lessons.iter().position(|(lesson, _)| lesson.id == id);
        let Some(place) = place_of(&self.lessons, from) else { return Ok(()) };
        let (gone, _) = self.lessons.remove(place);
        let Some(place) = place_of(&self.lessons, into) else { return Ok(()) };
        let stays = &mut self.lessons[place].0;
        stays.confidence = self.access.sureness(stays, now).max(self.access.sureness(&gone, now));
        stays.occurrences += gone.occurrences;
        stays.last_seen_at = stays.last_seen_at.max(gone.last_seen_at);
        (stays.judged_at, stays.updated_at) = (now, now);
        lessons::judge(writer, stays)?;
        lessons::merge(writer, agent, from, into, now)?;
        if let (None, Some(belief)) = (stays.proposed, gone.proposed) {
            stays.proposed = Some(belief);
            lessons::propose(writer, agent, into, belief, now)?;
        }
        let act = Act { act: "merged", subject_kind: "lesson", subject: from.id() };
        events::record(writer, agent, now, &[act]).map(drop)
    }

    /// Proposes what is sure enough as a belief, once.
    pub(super) fn propose(&mut self, writer: &mut Writer) -> StoreResult<()> {
        let (access, settings) = (self.access, &self.access.mind.settings.lessons);
        let (agent, now) = (&access.agent, self.now);
        let ripe = Ripe {
            confidence: settings.proposed_confidence,
            occurrences: settings.proposed_occurrences,
            days: settings.proposed_days,
        };
        for (lesson, _) in self.lessons.iter_mut().filter(|(lesson, _)| lesson.proposed.is_none()) {
            let sureness = access.sureness(lesson, now);
            // Days are asked for last: most lessons fall short of the others.
            if !ripe.is_met(sureness, lesson.occurrences, u64::MAX) {
                continue;
            }
            let days = lessons::days(writer, agent.id, lesson.id)?;
            if !ripe.is_met(sureness, lesson.occurrences, days.len() as u64) {
                continue;
            }
            let believed = knowledge::propose(writer, access.mind, agent, self.zone, lesson, &days, now)?;
            if let Some(belief) = believed {
                lesson.proposed = Some(belief);
                lessons::propose(writer, agent.id, lesson.id, belief, now)?;
                let act = Act { act: "proposed", subject_kind: "lesson", subject: lesson.id.id() };
                events::record(writer, agent.id, now, &[act])?;
            }
        }
        Ok(())
    }

    fn sightings(&self, draft: &LessonDraft) -> Vec<(EpisodeId, String, Time)> {
        let seen = draft.sources.iter().filter_map(|id| Some((*id, *self.when.get(id)?)));
        seen.map(|(id, at)| (id, show_day(self.zone.date(at)), at)).collect()
    }

    fn last_seen(&self, draft: &LessonDraft) -> Time {
        draft.sources.iter().filter_map(|id| self.when.get(id)).max().copied().unwrap_or(self.now)
    }

    fn record(&self, writer: &mut Writer, act: &'static str, place: usize) -> StoreResult<()> {
        let subject = self.lessons[place].0.id.id();
        let act = Act { act, subject_kind: "lesson", subject };
        events::record(writer, self.access.agent.id, self.now, &[act]).map(drop)
    }
}

fn gist(lesson: &Lesson) -> Gist {
    Gist::of(&lesson.lesson, &lesson.tools)
}

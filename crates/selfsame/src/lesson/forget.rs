//! What *forget* means for what was learned: a lesson that has no other source goes, one that has keeps no words but its own,
//! and a reflection that looked back on what was forgotten goes with it.

use crate::error::StoreResult;
use crate::knowledge;
use crate::mind::Mind;
use selfsame_core::id::{Id, LessonId, MemoryId};
use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
use selfsame_core::time::{Time, Zone};
use selfsame_store::agents::Agent;
use selfsame_store::contemplation::episodes;
use selfsame_store::{Writer, lessons, reflections};

/// Takes away what was learned from a memory, or from the episode that it is the memory of; gives what went. An erasure must be
/// open, and the episode still be there.
pub(crate) fn forget_what_it_taught(
    writer: &mut Writer,
    mind: &Mind,
    agent: &Agent,
    zone: &Zone,
    memory: MemoryId,
    now: Time,
) -> StoreResult<Vec<(&'static str, Id)>> {
    let mut gone = Vec::new();
    let mut settle = |writer: &mut Writer, lesson: LessonId, sources_left: u64| {
        if sources_left > 0 {
            return lessons::keep_only_the_lesson(writer, agent.id, lesson);
        }
        let source = SourceRef { sort: SourceSort::Lesson, id: lesson.id() };
        knowledge::forget(writer, mind, agent, zone, source, now)?;
        lessons::delete(writer, agent.id, lesson)?;
        gone.push(("lesson", lesson.id()));
        Ok(())
    };
    for lesson in lessons::of_memory(writer, agent.id, memory)? {
        let left = lessons::drop_memory(writer, agent.id, lesson, memory)?;
        settle(writer, lesson, left)?;
    }
    let episodes = episodes::of_memory(writer, agent.id, memory)?;
    let episodes: Vec<_> = episodes.into_iter().map(|(id, _)| id).collect();
    for episode in &episodes {
        for lesson in lessons::of_episode(writer, agent.id, *episode)? {
            let left = lessons::drop_episode(writer, agent.id, lesson, *episode)?;
            settle(writer, lesson, left)?;
        }
    }
    for episode in episodes {
        for reflection in reflections::of_episode(writer, agent.id, episode)? {
            let source = SourceRef { sort: SourceSort::Reflection, id: reflection.id() };
            knowledge::forget(writer, mind, agent, zone, source, now)?;
            reflections::delete(writer, agent.id, reflection)?;
            gone.push(("reflection", reflection.id()));
        }
    }
    Ok(gone)
}

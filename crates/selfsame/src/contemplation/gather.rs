//! What an agent is given to think about: its style, what is open, what is new, what it learned, what it is not sure of.
//! Nothing that nobody vouches for is quoted; that it is there is said by its number and ids.

use super::finish::Counts;
use crate::document::CONTEMPLATION;
use crate::error::Result;
use crate::knowledge::BeliefQuery;
use crate::mind::Access;
use crate::work::Brief;
use selfsame_core::contemplation::prompt::{self, Entry, Material, Withheld};
use selfsame_core::contemplation::season;
use selfsame_core::contemplation::{Episode, Parse};
use selfsame_core::id::Id;
use selfsame_core::inbox::Status;
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::Status as Held;
use selfsame_core::memory::{Memory, MemoryKind};
use selfsame_core::todo::TodoStatus;
use selfsame_store::contemplation::turns;
use selfsame_store::memory;
use selfsame_store::work::items::WorkItem;

/// The newest memories that are looked at, at most.
const LATEST: i64 = 200;
/// Memories that are shown, at most.
const MEMORIES: usize = 25;
/// To-dos that are shown, at most.
const TODOS: usize = 20;
/// Beliefs that are looked at, and shown, at most.
const BELIEFS: (usize, usize) = (200, 8);
/// Episodes that are shown, at most.
const EPISODES: usize = 3;
/// Ids of what is not quoted that are listed, at most.
const LISTED: usize = 20;
/// Questions of a deck, or of a small model.
const QUESTIONS: usize = 3;
/// Cards that are not drawn again so soon.
const DRAWN: usize = 10;

impl Access<'_> {
    pub(crate) fn brief_to_contemplate(&self, item: &WorkItem) -> Result<Brief> {
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        let material = self.material(item)?;
        let asked = prompt::assemble(&material, self.mind.now(), &self.zone()?, settings.budget_tokens);
        Ok(Brief::of(asked, settings.max_tokens))
    }

    fn material(&self, item: &WorkItem) -> Result<Material> {
        let latest = self.latest_memories()?;
        let (shown, hidden): (Vec<Memory>, Vec<Memory>) =
            latest.into_iter().partition(|memory| memory.provenance.is_visible_to(&self.caller));
        let hidden: Vec<&Memory> = hidden.iter().filter(|memory| !memory.provenance.is_private()).collect();
        let memories: Vec<Entry> = shown.iter().take(MEMORIES).map(memory_entry).collect();
        let todos = self.todo_entries()?;
        let open: Vec<&Entry> = todos.iter().chain(&memories).take(6).collect();
        let threads: Vec<String> = open.iter().map(|entry| entry.text.clone()).collect();
        let lessons = self.lesson_entries(&threads.join(" "))?;
        let lessons: Vec<Entry> = lessons
            .into_iter()
            .map(|lesson| Entry {
                id: lesson.id.to_string(),
                text: lesson.text,
                trust: lesson.trust,
                note: lesson.note,
            })
            .collect();
        let learned: Vec<String> = lessons.iter().map(|lesson| lesson.text.clone()).collect();
        let seasoned = self.season(&learned, &threads);
        // Whoever wrote them was shown these, and may have been talked into something by the least of them.
        let shown_to_it = open.into_iter().chain(&lessons).map(|entry| entry.trust);
        let questions_from = seasoned.is_some().then(|| shown_to_it.fold(1.0, f64::min));
        Ok(Material {
            style: self.document(CONTEMPLATION)?.content,
            questions: seasoned.map_or_else(|| self.draw_cards(item), Ok)?,
            questions_from,
            todos,
            memories,
            lessons,
            episodes: self.episodes(None, EPISODES)?.iter().map(episode_entry).collect(),
            score: self.score()?,
            observations: self.doubts()?,
            candidates: self.candidate_entries()?,
            withheld: Withheld {
                count: hidden.len(),
                ids: hidden.iter().take(LISTED).map(|memory| memory.id.to_string()).collect(),
            },
        })
    }

    /// The newest memories that are no episodes.
    fn latest_memories(&self) -> Result<Vec<Memory>> {
        let agent = self.agent.id;
        let rows = self.mind.store.read(&self.caller, &[agent], |reader| {
            let rows = memory::newest(reader, agent, Id::from_bytes([0xff; 16]), LATEST)?;
            Ok(crate::sound::sound(rows)?.0)
        })?;
        let is_thought_about =
            |memory: &Memory| memory.kind != MemoryKind::Episode && memory.life.state.is_in_mind();
        Ok(rows.into_iter().filter(is_thought_about).collect())
    }

    fn todo_entries(&self) -> Result<Vec<Entry>> {
        let open = [TodoStatus::InProgress, TodoStatus::Pending];
        let list = self.todos(Some(&open), Some(TODOS))?;
        let entry = |todo: &Kept<selfsame_core::todo::Todo>| Entry {
            id: todo.id.to_string(),
            text: todo.title.clone(),
            trust: todo.provenance.trust().value(),
            note: Some(format!(
                "{}, {}",
                todo.standing.status.as_str().replace('_', " "),
                todo.standing.priority.as_str()
            )),
        };
        Ok(list.todos.iter().map(entry).collect())
    }

    /// How the agent kept its word to its operator lately.
    fn score(&self) -> Result<Option<String>> {
        let score = self.heartbeat_score(None)?;
        let is_anything = score.kept + score.broken + score.delivered + score.missed > 0;
        Ok(is_anything.then(|| {
            format!(
                "In the last seven days: {} promises kept, {} broken; {} nudges delivered, {} of them answered, {} missed.",
                score.kept, score.broken, score.delivered, score.answered, score.missed
            )
        }))
    }

    /// What is believed but stale or contested, the surest first.
    fn doubts(&self) -> Result<Vec<Entry>> {
        let (looked_at, shown) = BELIEFS;
        let told = self.know(&BeliefQuery { limit: looked_at, ..BeliefQuery::default() })?;
        let doubtful = told.beliefs.iter().filter(|belief| belief.contested || belief.status == Held::Stale);
        let entry = |belief: &crate::knowledge::Belief| Entry {
            id: belief.observation.id.to_string(),
            text: belief.observation.summary.clone(),
            trust: belief.observation.provenance.trust().value(),
            note: Some(if belief.contested { "contested".into() } else { "stale".into() }),
        };
        Ok(doubtful.take(shown).map(entry).collect())
    }

    /// Fresh questions of a small model nearby, if one answers with any.
    fn season(&self, lessons: &[String], threads: &[String]) -> Option<Vec<String>> {
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        let seasoner = self.mind.thinking.seasoner.as_ref().filter(|_| settings.seasoning)?;
        let asked = season::seasoning_prompt(lessons, threads);
        let answered = seasoner.season(&settings.seasoning_model, &asked, settings.seasoning_timeout);
        let questions = answered.map(|reply| season::read_seasoning(&reply)).unwrap_or_default();
        (!questions.is_empty()).then_some(questions)
    }

    /// Questions from the deck, which are noted as drawn.
    fn draw_cards(&self, item: &WorkItem) -> Result<Vec<String>> {
        let agent = self.agent.id;
        let cards = self.mind.store.background("contemplation", &[agent], |writer| {
            let Some(mut turns) = turns::of(writer, agent)? else { return Ok(Vec::new()) };
            let cards = season::draw(item.seed.unsigned_abs(), &turns.drawn, QUESTIONS);
            turns.drawn.extend(&cards);
            let forgotten = turns.drawn.len().saturating_sub(DRAWN);
            turns.drawn.drain(..forgotten);
            turns::set(writer, &turns)?;
            Ok(cards)
        })?;
        Ok(cards.into_iter().map(|card| season::card(card).to_owned()).collect())
    }

    /// What there is, in numbers: what the rules have to say of a time of thinking.
    pub(super) fn counts(&self) -> Result<Counts> {
        let open = [TodoStatus::InProgress, TodoStatus::Pending];
        Ok(Counts {
            memories: self.latest_memories()?.len(),
            todos: self.todos(Some(&open), Some(TODOS))?.todos.len(),
            doubts: self.doubts()?.len(),
            candidates: self.inbox(Status::Pending, super::review::SHOWN)?.len(),
        })
    }
}

fn memory_entry(memory: &Memory) -> Entry {
    Entry {
        id: memory.id.to_string(),
        text: memory.content.clone(),
        trust: memory.provenance.trust().value(),
        note: Some(format!("{}, by the {}", memory.kind.as_str(), memory.provenance.author().as_str())),
    }
}

fn episode_entry(episode: &Kept<Episode>) -> Entry {
    let account = &episode.captured.account;
    let note = match episode.captured.parse {
        Parse::Fallback => "not told as asked".to_owned(),
        _ => format!("{}, {}", account.kind.as_str(), account.mood.state),
    };
    Entry {
        id: episode.id.to_string(),
        text: account.outcome.summary.clone(),
        trust: episode.provenance.trust().value(),
        note: Some(note),
    }
}

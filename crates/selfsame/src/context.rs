//! The verb *context*: gathers what an agent should have in mind before its next word, as the caller may see it.
//!
//! Here is what is looked for and in which words an item is introduced. What of it fits, in which order and how it is
//! quoted is judged by `core/src/context.rs`. Writes nothing: what is only shown does not grow firmer.

use crate::calendar::{CalendarEvent, Occurrence, Slot};
use crate::entity::mentioned_in;
use crate::error::{Error, Result, StoreResult, check_field};
use crate::heartbeat::Nudge;
use crate::knowledge::{Belief, held_at};
use crate::lesson::lesson_words;
use crate::link::LinkCard;
use crate::mind::Access;
use crate::principal::Principal;
use crate::recall::{Found, MAX_QUESTION_BYTES, Question};
use crate::relationship::Relationship;
use crate::sound::{Sound, sound};
use crate::summary::Summary;
use selfsame_core::care::{ConversationSummary, MemorySummary, WrittenBy};
use selfsame_core::context::{Assembled, Budget, Gathered, Item, assemble};
use selfsame_core::conversation::Message;
use selfsame_core::id::{AgentId, EntityId, Id, MemoryId, MessageId, ObservationId, PrincipalId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::confidence::Level;
use selfsame_core::knowledge::{Status, Subject};
use selfsame_core::local::{Moment, show_day};
use selfsame_core::memory::Memory;
use selfsame_core::reflection::Reflection;
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_core::todo::Todo;
use selfsame_core::trust::{Author, Provenance};
use selfsame_store::entities::{self, Entity};
use selfsame_store::knowledge::{evidence, observations};
use selfsame_store::{
    Reader, conversations, inbox, memory, messages, reflections, relationships, soul, summaries,
};
use std::collections::{BTreeMap, BTreeSet};

pub use selfsame_core::context::{Section, SectionKind, Shown, TooSmall};

/// Tokens of a context, at most: as many as the largest windows have.
pub const MAX_BUDGET: usize = 1_000_000;

/// Memories that are looked at for each section of them, at most; the budget decides on the rest.
const MOST_MEMORIES: usize = 40;
/// The newest memories among which the most important are chosen when nothing is asked: a bound, however long the life.
const LATEST_MEMORIES: i64 = 500;
/// Beliefs that are looked at beside those that answer the question, at most.
const MOST_BELIEFS: i64 = 100;
/// Summaries, at most.
const MOST_SUMMARIES: i64 = 20;
/// People named in a question, at most.
const MOST_PEOPLE: usize = 10;
/// The last messages of a conversation, at most.
const LAST_MESSAGES: i64 = 100;
/// To-dos and entries of the calendar, at most.
const MOST_PLANS: usize = 100;
/// Nudges that are looked at, at most.
const MOST_NUDGES: usize = 20;
/// The days that count as the next ones, today included.
const NEXT_DAYS: i64 = 7;

/// What a context is wanted for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Occasion {
    /// Who is present, by name or id; whoever the caller speaks for if not given.
    pub principal: Option<String>,
    /// What it is about.
    pub query: Option<String>,
    /// How many tokens it may have; the settings' number if not given.
    pub budget_tokens: Option<usize>,
}

/// A context.
#[derive(Clone, PartialEq, Debug)]
pub struct MindContext {
    /// The text, for a prompt.
    pub text: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// How many it could have had.
    pub budget: usize,
    /// What it is made of, in order.
    pub sections: Vec<Section>,
    /// What was left out because it is damaged.
    pub damaged: Vec<String>,
}

impl Access<'_> {
    /// What the agent should have in mind, within a budget of tokens.
    pub fn context(&self, occasion: &Occasion) -> Result<MindContext> {
        let settings = &self.mind.settings.context;
        let budget = occasion.budget_tokens.unwrap_or(settings.budget_tokens);
        check_budget(budget)?;
        if let Some(query) = &occasion.query {
            check_field("query", query, MAX_QUESTION_BYTES)?;
        }
        let mut gathering = Gathering::new(self, occasion)?;
        let gathered = gathering.everything(occasion.query.as_deref())?;
        let shares = settings.shares.clone();
        let Assembled { text, tokens, sections } = assemble(gathered, &Budget { tokens: budget, shares })?;
        if self.caller.author() == Author::Agent {
            self.note_seen_in_context(&shown_nudges(&sections))?;
        }
        // A row can be met by several ways.
        let damaged: BTreeSet<String> = gathering.damaged.into_iter().collect();
        Ok(MindContext { text, tokens, budget, sections, damaged: damaged.into_iter().collect() })
    }

    /// Who is present: who was named, or whoever the caller speaks for. The operator looks at the agent as a whole.
    fn present(&self, named: Option<&str>) -> Result<Option<Principal>> {
        let own = self.caller.principal_id().filter(|_| !self.caller.is_operator());
        let who = named.map(str::to_owned).or_else(|| own.map(|principal| principal.to_string()));
        who.map(|who| self.mind.principal_called(&self.agent, &who)).transpose()
    }

    fn read<T>(&self, work: impl FnMut(&mut Reader) -> StoreResult<T>) -> Result<T> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], work)?)
    }
}

fn shown_nudges(sections: &[Section]) -> Vec<String> {
    let nudges = sections.iter().filter(|section| section.kind == SectionKind::Nudges);
    nudges.flat_map(|section| section.items.iter().map(|item| item.id.clone())).collect()
}

fn check_budget(given: usize) -> Result<()> {
    match (1..=MAX_BUDGET).contains(&given) {
        true => Ok(()),
        false => Err(Error::Range {
            field: "budget_tokens",
            least: 1,
            most: MAX_BUDGET as u64,
            given: given as u64,
        }),
    }
}

/// Everything that goes into a context, on its way there.
struct Gathering<'g> {
    access: &'g Access<'g>,
    zone: Zone,
    /// The agent's day. Nothing finer than a day decides on what is shown, so that a day's contexts are alike.
    today: Date,
    present: Option<Principal>,
    /// Whom the agent serves.
    principals: BTreeMap<PrincipalId, String>,
    damaged: Vec<String>,
}

impl<'g> Gathering<'g> {
    fn new(access: &'g Access<'g>, occasion: &Occasion) -> Result<Gathering<'g>> {
        let zone = access.zone()?;
        let today = zone.date(access.mind.now());
        let present = access.present(occasion.principal.as_deref())?;
        let principals = access.principal_list()?;
        let principals = principals.into_iter().map(|principal| (principal.id, principal.name)).collect();
        Ok(Gathering { access, zone, today, present, principals, damaged: Vec::new() })
    }

    fn everything(&mut self, query: Option<&str>) -> Result<Gathered> {
        let mut found = match query {
            Some(query) => self.answers(query)?,
            None => self.what_matters()?,
        };
        let beliefs = self.beliefs(query.is_some(), &mut found)?;
        let summed_up = take_summaries(&mut found);
        let said = self.last_said()?;
        let mut twins = self.twins(&found, &said)?;
        self.add_what_is_stated(&mut twins, &found, &beliefs)?;
        twins.prefer_memories(&mut found);
        let speakers = self.speakers(&found, &said)?;
        Ok(Gathered::from([
            (SectionKind::Soul, self.soul()?),
            (SectionKind::Notes, self.notes()?),
            (SectionKind::Observations, beliefs.iter().map(|belief| self.belief(belief)).collect()),
            (SectionKind::Lessons, self.lessons(query)?),
            (SectionKind::Memories, found.iter().map(|one| self.found(one, &speakers, &twins)).collect()),
            (SectionKind::Summaries, self.summaries(&summed_up)?),
            (SectionKind::People, self.people(query)?),
            (
                SectionKind::Conversation,
                said.iter().map(|one| self.message(one, &speakers, &twins)).collect(),
            ),
            (SectionKind::Diary, self.diary()?),
            (SectionKind::Todos, self.todos()?),
            (SectionKind::Calendar, self.calendar()?),
            (SectionKind::Nudges, self.nudges()?),
        ]))
    }

    fn soul(&mut self) -> Result<Vec<Item>> {
        let entries = self.rows(soul::active)?;
        Ok(entries
            .iter()
            .map(|entry| counted(entry, item(&entry.id, entry.kind.as_str(), &entry.content)))
            .collect())
    }

    fn notes(&self) -> Result<Vec<Item>> {
        let mind = self.access.mind;
        let burden = self.access.read(|reader| mind.burden(reader, self.agent()))?;
        let note = || {
            let words = match mind.advises_archival(burden.unarchived) {
                true => format!("{} messages are not archived: self-care is advised.", burden.unarchived),
                false => format!("{} tokens are in mind: self-care is advised.", burden.tokens()),
            };
            item(&"needs_self_care", "", &words)
        };
        let mut notes: Vec<Item> = mind.advises_self_care(&burden).then(note).into_iter().collect();
        notes.extend(self.link_requests()?);
        Ok(notes)
    }

    /// Who asks for the agent's memory, as long as it can be answered.
    fn link_requests(&self) -> Result<Vec<Item>> {
        let note = |card: LinkCard| {
            let LinkCard { link, other } = card;
            let words = format!(
                "The agent {other} asks for your memory until {}: answer {} with neural_link_share_memory.",
                link.expires_at, link.id
            );
            item(&link.id, "", &words)
        };
        match self.access.decides_on_links() {
            true => Ok(self.access.link_requests()?.into_iter().map(note).collect()),
            false => Ok(Vec::new()),
        }
    }

    /// What is believed: what answers the question, then what can be relied on of who is present; without a question,
    /// what can be relied on of anybody.
    fn beliefs(&mut self, is_asked: bool, found: &mut Vec<Found>) -> Result<Vec<Belief>> {
        let mut beliefs: Vec<Belief> = found.iter().filter_map(|one| one.belief().cloned()).collect();
        found.retain(|one| one.belief().is_none());
        if !is_asked || self.present.is_some() {
            beliefs.extend(self.reliable()?);
        }
        // One sentence may answer two questions.
        let mut told = BTreeSet::new();
        beliefs.retain(|belief| told.insert(belief.observation.summary.clone()));
        beliefs.truncate(self.access.mind.settings.knowledge.injected);
        Ok(beliefs)
    }

    /// What can be relied on of who is present, or of anybody, the surest first.
    fn reliable(&mut self) -> Result<Vec<Belief>> {
        let of_present = self.present.as_ref().map(|principal| Subject::entity(principal.entity));
        let rows = self.rows(|reader, agent| match &of_present {
            Some(subject) => observations::of_subject(reader, agent, subject, true, MOST_BELIEFS),
            None => observations::surest(reader, agent, MOST_BELIEFS),
        })?;
        let tonight = self.begin_of(self.today.tomorrow().unwrap_or(self.today));
        let mut beliefs =
            self.access.read(|reader| held_at(reader, self.access, rows.clone(), None, tonight))?;
        beliefs.retain(Belief::comes_first);
        Ok(beliefs)
    }

    fn belief(&self, belief: &Belief) -> Item {
        let row = &belief.observation;
        let level = Level::of(belief.confidence).as_str();
        let said = self.day(belief.last_supported_at.unwrap_or(row.created_at));
        let stale = if belief.status == Status::Stale { ", stale" } else { "" };
        let contested = if belief.contested { ", contested" } else { "" };
        let (sources, against) = (belief.sources, belief.against);
        let about = format!(
            "{level} confidence, last said {said}, {sources} for and {against} against{stale}{contested}"
        );
        counted(row, item(&row.id, &about, row.phrasing.as_deref().unwrap_or(&row.summary)))
    }

    /// Notes which memories say nothing that a belief which rests on them does not say.
    fn add_what_is_stated(&self, twins: &mut Twins, found: &[Found], beliefs: &[Belief]) -> Result<()> {
        let memories: Vec<&Memory> = found.iter().filter_map(Found::memory).collect();
        if beliefs.is_empty() || memories.is_empty() {
            return Ok(());
        }
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let supported = self.access.read(|reader| evidence::supported(reader, self.agent(), &ids))?;
        for (memory, observation) in supported {
            let belief = beliefs.iter().find(|belief| belief.observation.id == observation);
            let memory = memories.iter().find(|known| known.id == memory);
            if let (Some(belief), Some(memory)) = (belief, memory)
                && belief.states(&memory.content)
            {
                twins.add_one_way(memory.id, observation);
            }
        }
        Ok(())
    }

    /// The few that fit the question, or without one who is present.
    fn lessons(&mut self, query: Option<&str>) -> Result<Vec<Item>> {
        let present = self.present.as_ref().map(|principal| principal.name.as_str());
        let (found, damaged) = self.access.lessons_for(query.or(present).unwrap_or_default())?;
        self.damaged.extend(damaged);
        Ok(found
            .iter()
            .map(|lesson| counted(lesson, item(&lesson.id, lesson.kind.as_str(), &lesson_words(lesson))))
            .collect())
    }

    /// What answers the question; nothing rather than something unrelated.
    fn answers(&mut self, query: &str) -> Result<Vec<Found>> {
        let question = Question { limit: Some(MOST_MEMORIES), ..Question::new(query) };
        let answer = self.access.answer(&question)?;
        self.damaged.extend(answer.damaged);
        Ok(answer.hits.into_iter().map(|hit| hit.found).collect())
    }

    /// Without a question: what is pinned, then what is important and lively, of equals the newest.
    fn what_matters(&mut self) -> Result<Vec<Found>> {
        let latest = |reader: &mut Reader, agent| {
            memory::newest(reader, agent, Id::from_bytes([0xff; 16]), LATEST_MEMORIES)
        };
        let mut latest = self.rows(latest)?;
        latest.retain(|memory| self.access.shows(memory));
        let tonight = self.begin_of(self.today.tomorrow().unwrap_or(self.today));
        let worth = |memory: &Memory| memory.importance * memory.retention(tonight);
        latest.sort_by(|a, b| {
            let pinned = b.life.pinned.cmp(&a.life.pinned);
            pinned.then(worth(b).total_cmp(&worth(a))).then(b.id.cmp(&a.id))
        });
        latest.truncate(MOST_MEMORIES);
        Ok(latest.into_iter().map(|memory| Found::Memory(Box::new(memory))).collect())
    }

    /// What answers the question, how it went with who is present, what folded memories come to, what past periods meant, and
    /// how it went with others; of each the latest first.
    fn summaries(&mut self, answers: &[Summary]) -> Result<Vec<Item>> {
        let mut talks = self.rows(summaries::current_talks)?;
        let mut folded = self.rows(summaries::current)?;
        let meant = self.rows(|reader, agent| reflections::newest(reader, agent, MOST_SUMMARIES))?;
        talks.sort_by_key(|talk| std::cmp::Reverse((talk.until, talk.id)));
        folded.reverse();
        let present = self.present.as_ref().map(|principal| principal.entity);
        let (with_present, with_others): (Vec<_>, Vec<_>) =
            talks.into_iter().partition(|talk| present.is_some() && talk.counterpart == present);
        let talks = with_present.iter().chain(&with_others).filter_map(|talk| talk.counterpart);
        let names = self.names_of(talks.chain(answers.iter().filter_map(Summary::counterpart)))?;
        let talk = |one: &Kept<ConversationSummary>| self.talk(one, &names);
        let fold = |one: &Kept<MemorySummary>| self.folded(one);
        let answer = |one: &Summary| match one {
            Summary::Memories(row) => fold(row),
            Summary::Conversation(row) => talk(row),
        };
        let period = |one: &Kept<Reflection>| {
            counted(one, item(&one.id, &self.period(one.from, one.until), &one.content))
        };
        let most = MOST_SUMMARIES as usize;
        let mut items: Vec<Item> = answers.iter().map(answer).collect();
        items.extend(with_present.iter().map(talk));
        items.extend(folded.iter().take(most).map(fold));
        items.extend(meant.iter().map(period));
        items.extend(with_others.iter().take(most).map(talk));
        Ok(items)
    }

    /// How it went with somebody.
    fn talk(&self, one: &Kept<ConversationSummary>, names: &Speakers) -> Item {
        let who = one.counterpart.and_then(|who| names.get(&who)).map(|name| format!(" with {name}"));
        let about = format!(
            "summary of {} messages{}, {}{}",
            one.messages,
            who.unwrap_or_default(),
            self.period(one.from, one.until),
            label(one.written_by)
        );
        counted(one, item(&one.id, &about, &one.whole()))
    }

    /// What folded memories come to.
    fn folded(&self, one: &Kept<MemorySummary>) -> Item {
        let period = self.period(one.from, one.until);
        let about = format!("summary of {} memories, {period}{}", one.memories, label(one.written_by));
        counted(one, item(&one.id, &about, &themed(one)))
    }

    fn period(&self, from: Time, until: Time) -> String {
        match (self.day(from), self.day(until)) {
            (from, until) if from == until => from,
            (from, until) => format!("{from} to {until}"),
        }
    }

    /// Who is present and who is named in the question, as far as there is something to say of them.
    fn people(&self, query: Option<&str>) -> Result<Vec<Item>> {
        let agent = self.agent();
        let (people, standings) = self.access.read(|reader| {
            let mut ids: Vec<EntityId> = self.present.iter().map(|principal| principal.entity).collect();
            if let Some(query) = query {
                ids.extend(mentioned_in(reader, agent, query)?.into_iter().take(MOST_PEOPLE));
            }
            let people = as_they_are(reader, agent, &ids)?.into_iter();
            let people =
                people.map(|person| self.access.as_seen(reader, person)).collect::<StoreResult<Vec<_>>>()?;
            let ids: Vec<EntityId> = people.iter().map(|person| person.id).collect();
            Ok((people, relationships::of(reader, agent, &ids)?))
        })?;
        let standing = |person: &Entity| standings.iter().find(|one| one.entity == person.id);
        Ok(people.iter().filter_map(|person| self.person(person, standing(person))).collect())
    }

    fn person(&self, person: &Entity, standing: Option<&Relationship>) -> Option<Item> {
        let standing = standing.map(|standing| self.standing_words(standing));
        let profile = person.profile.as_ref().map(|profile| profile.summary.clone());
        let words: Vec<String> = standing.into_iter().chain(profile).collect();
        let about = format!("{}, {}", person.name, person.kind.as_str());
        (!words.is_empty()).then(|| item(&person.id, &about, &words.join("\n")))
    }

    fn standing_words(&self, relationship: &Relationship) -> String {
        let Relationship { standing, rationale, notes, interactions, first_met_at, .. } = relationship;
        let tone = standing.tone.as_ref().map(|tone| format!(", {tone}")).unwrap_or_default();
        let notes = notes.as_ref().map(|notes| format!("\n{notes}")).unwrap_or_default();
        let met = self.day(*first_met_at);
        format!(
            "{}, trust {}{tone}: {rationale} (met {met}, conversations: {interactions}){notes}",
            standing.kind, standing.trust
        )
    }

    /// The last messages of the conversation that goes on, the latest first.
    fn last_said(&mut self) -> Result<Vec<Kept<Message>>> {
        let principal = self.present.as_ref().map(|principal| principal.id);
        let mut said = self.rows(|reader, agent| {
            let Some(conversation) = conversations::latest_open(reader, agent, principal)? else {
                return Ok(Vec::new());
            };
            let before = conversation.last_seq - LAST_MESSAGES;
            messages::after(reader, agent, conversation.id, before, LAST_MESSAGES)
        })?;
        said.retain(|message| message.archived_at.is_none());
        said.reverse();
        Ok(said)
    }

    fn diary(&mut self) -> Result<Vec<Item>> {
        let page = self.access.diary_day(&show_day(self.today))?;
        self.damaged.extend(page.damaged);
        let about = |mood: Option<&String>| {
            let mood = mood.map(|mood| format!(", {mood}")).unwrap_or_default();
            format!("{}{mood}", show_day(page.day))
        };
        let entries = page.entries.iter().rev();
        Ok(entries
            .map(|entry| counted(entry, item(&entry.id, &about(entry.mood.as_ref()), &entry.text)))
            .collect())
    }

    /// Their titles: what they are about in full can be looked up by their ids.
    fn todos(&mut self) -> Result<Vec<Item>> {
        let mut list = self.access.todos(None, None)?;
        self.damaged.extend(list.damaged);
        let morning = self.begin_of(self.today);
        list.todos.sort_by(|a, b| a.before(b, morning));
        Ok(list
            .todos
            .iter()
            .map(|todo| believed(todo, item(&todo.id, &self.todo_about(todo), &todo.title)))
            .collect())
    }

    fn todo_about(&self, todo: &Todo) -> String {
        let due = todo.standing.due_at.map(|due| format!(", due {}", self.day(due))).unwrap_or_default();
        let status = todo.standing.status.as_str().replace('_', " ");
        format!("{}{due}, {status}", todo.standing.priority.as_str())
    }

    /// What takes place next, each entry once.
    fn calendar(&mut self) -> Result<Vec<Item>> {
        let last = (1..NEXT_DAYS).fold(self.today, |day, _| day.tomorrow().unwrap_or(day));
        let (from, to) = (show_day(self.today), show_day(last));
        let agenda = self.access.check_calendar(Some(&from), Some(&to), Some(MOST_PLANS))?;
        self.damaged.extend(agenda.damaged);
        let mut further: BTreeMap<Id, usize> = BTreeMap::new();
        for (event, _) in &agenda.occurrences {
            *further.entry(event.id.id()).or_default() += 1;
        }
        // Taken out when it is first met: what comes after is counted with it.
        let once = |(event, one): &(Kept<CalendarEvent>, Occurrence)| {
            Some(self.planned(event, one, further.remove(&event.id.id())? - 1))
        };
        Ok(agenda.occurrences.iter().filter_map(once).collect())
    }

    /// What the heartbeat found worth a word to whom the agent talks to, or else to the operator.
    fn nudges(&self) -> Result<Vec<Item>> {
        let pending = self.access.pending_nudges(MOST_NUDGES)?;
        let one = |nudge: &Nudge| {
            let about = format!("{} {}", self.day(nudge.created_at), nudge.kind.as_str());
            item(&nudge.id, &about, nudge.phrasing.as_ref().unwrap_or(&nudge.what))
        };
        Ok(pending.iter().map(one).collect())
    }

    fn planned(&self, event: &Kept<CalendarEvent>, one: &Occurrence, further: usize) -> Item {
        let local = self.zone.local(one.begin);
        let when = match one.slot {
            Slot::Days { first, .. } => show_day(first),
            Slot::Hours { .. } => {
                format!("{} {:02}:{:02}", self.day(one.begin), local.hour(), local.minute())
            }
        };
        let more = if further > 0 { format!(", {further} more this week") } else { String::new() };
        let place = event.location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        believed(event, item(&event.id, &format!("{when}{more}"), &format!("{}{place}", event.title)))
    }

    fn found(&self, found: &Found, speakers: &Speakers, twins: &Twins) -> Item {
        match found {
            Found::Message(message) => self.message(message, speakers, twins),
            Found::Observation(belief) => self.belief(belief),
            // Taken out before: they have a section of their own.
            Found::Summary(card) => item(&card.summary.id(), "summary", card.summary.content()),
            Found::Memory(memory) => {
                let who = self.who(&memory.provenance);
                let about = format!("{} {}, {who}", self.day(memory.created_at), memory.kind.as_str());
                Item {
                    twins: twins.of(&memory.id),
                    ..counted(memory, item(&memory.id, &about, &memory.content))
                }
            }
        }
    }

    fn message(&self, message: &Kept<Message>, speakers: &Speakers, twins: &Twins) -> Item {
        let who = message.speaker.and_then(|speaker| speakers.get(&speaker));
        let who = who.map(|name| format!(" {name}")).unwrap_or_default();
        let about = format!("{} {}{who}", self.day(message.created_at), message.role.as_str());
        Item { twins: twins.of(&message.id), ..counted(message, item(&message.id, &about, &message.content)) }
    }

    /// Who said it: a principal by name, the agent itself, or what sort of source it is.
    fn who(&self, provenance: &Provenance) -> &str {
        let principal = provenance.principal_id().and_then(|principal| self.principals.get(&principal));
        match (provenance.author(), principal) {
            (Author::Principal, Some(name)) => name,
            (Author::Agent, _) => "self",
            (author, _) => author.as_str(),
        }
    }

    /// Which messages became which memories.
    fn twins(&self, found: &[Found], said: &[Kept<Message>]) -> Result<Twins> {
        let mut pairs = Twins::default();
        for memory in found.iter().filter_map(Found::memory) {
            if let Some(Ok(message)) = memory.provenance.source().map(str::parse::<MessageId>) {
                pairs.add(message, memory.id);
            }
        }
        let ids: Vec<MessageId> = messages_of(found).chain(said).map(|message| message.id).collect();
        for (message, memory) in self.access.read(|reader| inbox::became(reader, self.agent(), &ids))? {
            pairs.add(message, memory);
        }
        Ok(pairs)
    }

    /// The names of who spoke.
    fn speakers(&self, found: &[Found], said: &[Kept<Message>]) -> Result<Speakers> {
        self.names_of(messages_of(found).chain(said).filter_map(|message| message.speaker))
    }

    fn names_of(&self, ids: impl Iterator<Item = EntityId>) -> Result<Speakers> {
        let ids: BTreeSet<EntityId> = ids.collect();
        let ids: Vec<EntityId> = ids.into_iter().collect();
        let known = self.access.read(|reader| entities::by_ids(reader, self.agent(), &ids))?;
        Ok(known.into_iter().map(|entity| (entity.id, entity.name)).collect())
    }

    /// Rows that may be believed and that the caller may see; damaged ones are named.
    fn rows<T>(
        &mut self,
        mut read: impl FnMut(&mut Reader, AgentId) -> StoreResult<Vec<StoreResult<Kept<T>>>>,
    ) -> Result<Vec<Kept<T>>> {
        let agent = self.agent();
        let (mut rows, damaged): Sound<T> = self.access.read(|reader| sound(read(reader, agent)?))?;
        self.damaged.extend(damaged);
        rows.retain(|row| row.provenance.is_visible_to(&self.access.caller));
        Ok(rows)
    }

    fn agent(&self) -> AgentId {
        self.access.agent.id
    }

    /// The agent's day of a moment.
    fn day(&self, at: Time) -> String {
        show_day(self.zone.date(at))
    }

    fn begin_of(&self, day: Date) -> Time {
        Moment::Day(day).begin(&self.zone)
    }
}

/// Who spoke, by name.
type Speakers = BTreeMap<EntityId, String>;

/// What says the same, by id.
#[derive(Default)]
struct Twins(BTreeMap<String, Vec<String>>);

impl Twins {
    fn add(&mut self, message: MessageId, memory: MemoryId) {
        let (message, memory) = (message.to_string(), memory.to_string());
        self.0.entry(message.clone()).or_default().push(memory.clone());
        self.0.entry(memory).or_default().push(message);
    }

    /// The belief says what the memory says, and not the other way round.
    fn add_one_way(&mut self, memory: MemoryId, observation: ObservationId) {
        self.0.entry(memory.to_string()).or_default().push(observation.to_string());
    }

    /// Leaves out messages whose memory was found as well: that is what was decided to be worth keeping of them.
    fn prefer_memories(&self, found: &mut Vec<Found>) {
        let memories = found.iter().filter_map(Found::memory).map(|memory| memory.id.to_string());
        let memories: BTreeSet<String> = memories.collect();
        found.retain(|one| match one {
            Found::Memory(_) | Found::Observation(_) | Found::Summary(_) => true,
            Found::Message(message) => !self.of(&message.id).iter().any(|memory| memories.contains(memory)),
        });
    }

    fn of(&self, id: &impl ToString) -> Vec<String> {
        self.0.get(&id.to_string()).cloned().unwrap_or_default()
    }
}

/// What a summary that nobody wrote is called.
const fn label(written_by: WrittenBy) -> &'static str {
    match written_by {
        WrittenBy::Extract => ", extractive",
        WrittenBy::Agent | WrittenBy::Thinker => "",
    }
}

fn themed(summary: &MemorySummary) -> String {
    match summary.themes.is_empty() {
        true => summary.content.clone(),
        false => format!("Themes: {}.\n{}", summary.themes.join(", "), summary.content),
    }
}

/// A row whose own words were counted when it was stored.
fn counted<T>(kept: &Kept<T>, item: Item) -> Item {
    Item { tokens: kept.tokens, ..believed(kept, item) }
}

/// A row of which less is shown than was stored, or more.
fn believed<T>(kept: &Kept<T>, item: Item) -> Item {
    Item { trust: Some(kept.provenance.trust().value()), ..item }
}

fn item(id: &impl ToString, about: &str, words: &str) -> Item {
    Item { id: id.to_string(), about: about.to_owned(), words: words.to_owned(), ..Item::default() }
}

fn messages_of(found: &[Found]) -> impl Iterator<Item = &Kept<Message>> {
    found.iter().filter_map(|found| match found {
        Found::Message(message) => Some(message),
        Found::Memory(_) | Found::Observation(_) | Found::Summary(_) => None,
    })
}

/// Takes the summaries out of what was found: they have a section of their own.
fn take_summaries(found: &mut Vec<Found>) -> Vec<Summary> {
    let summaries = found.iter().filter_map(Found::summary).map(|card| card.summary.clone()).collect();
    found.retain(|one| one.summary().is_none());
    summaries
}

/// Whom these ids mean today, each once, in their order.
fn as_they_are(reader: &mut Reader, agent: AgentId, ids: &[EntityId]) -> StoreResult<Vec<Entity>> {
    let mut people: Vec<Entity> = Vec::new();
    for id in ids {
        if let Some(person) = entities::survivor(reader, agent, *id)?.filter(|one| !people.contains(one)) {
            people.push(person);
        }
    }
    Ok(people)
}

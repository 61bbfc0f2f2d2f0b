//! Which rows are folded next: oldest first, one batch at a time, and what nobody vouches for by itself.

use crate::entity::mentioned_in;
use crate::error::{Result, StoreResult};
use crate::mind::Access;
use crate::sound::sound;
use selfsame_core::care::focus::Focus;
use selfsame_core::care::{ConversationSummary, Held, MemorySummary, Phase, What, held};
use selfsame_core::conversation::{Message, Role};
use selfsame_core::id::{ConversationId, EntityId, Id, MemoryId, MessageId, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::time::Time;
use selfsame_core::tokens::count;
use selfsame_core::trust::Provenance;
use selfsame_store::conversations::Conversation;
use selfsame_store::summaries::{self, Batch};
use selfsame_store::{Reader, StoreError, conversations, entities, memory, messages, monitors, principals};
use std::collections::{BTreeMap, BTreeSet};

/// Rows read at a time.
const PAGE: i64 = 500;
/// Memories that are looked after, at most.
const MONITORED: i64 = 10_000;

/// What a batch is made of.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Material {
    /// Memories.
    Memories(Vec<Memory>),
    /// What was said with somebody.
    Talk(Box<Talk>),
    /// Summaries of memories.
    Summaries(Vec<Kept<MemorySummary>>),
}

/// What was said with somebody since it was last folded.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Talk {
    pub(super) counterpart: Option<EntityId>,
    /// All that goes to the archive, in the order in which it was filed.
    pub(super) messages: Vec<Kept<Message>>,
    /// What was folded before.
    pub(super) before: Option<Kept<ConversationSummary>>,
    /// How many there are with whom something was folded, this one counted.
    pub(super) counterparts: usize,
}

impl Talk {
    /// What the summary is made from: what people and agents said. Results of tools and the operator's framing are nobody's
    /// turn; they go to the archive and are counted.
    pub(super) fn told(&self) -> impl Iterator<Item = &Kept<Message>> {
        self.messages.iter().filter(|message| feeds(message))
    }
}

fn feeds(message: &Kept<Message>) -> bool {
    match message.role {
        Role::User | Role::Assistant => message.provenance.is_quotable(),
        Role::Peer => true,
        Role::Tool | Role::System => false,
    }
}

impl Material {
    pub(super) const fn phase(&self) -> Phase {
        match self {
            Material::Memories(_) => Phase::Memories,
            Material::Talk(_) => Phase::Conversations,
            Material::Summaries(_) => Phase::Summaries,
        }
    }

    pub(super) const fn counterpart(&self) -> Option<EntityId> {
        match self {
            Material::Talk(talk) => talk.counterpart,
            Material::Memories(_) | Material::Summaries(_) => None,
        }
    }

    /// Its rows by id, in their order.
    pub(super) fn ids(&self) -> Vec<String> {
        match self {
            Material::Memories(rows) => rows.iter().map(|row| row.id.to_string()).collect(),
            Material::Talk(talk) => talk.messages.iter().map(|row| row.id.to_string()).collect(),
            Material::Summaries(rows) => rows.iter().map(|row| row.id.to_string()).collect(),
        }
    }

    /// Where what a summary is made from comes from.
    pub(super) fn provenance(&self) -> Vec<&Provenance> {
        match self {
            Material::Memories(rows) => rows.iter().map(|row| &row.provenance).collect(),
            Material::Talk(talk) => {
                let before = talk.before.iter().map(|before| &before.provenance);
                before.chain(talk.told().map(|row| &row.provenance)).collect()
            }
            Material::Summaries(rows) => rows.iter().map(|row| &row.provenance).collect(),
        }
    }

    /// Whether all of it may be put before somebody who works unwatched.
    pub(super) fn is_quotable(&self) -> bool {
        self.provenance().into_iter().all(Provenance::is_quotable)
    }
}

/// What there is, counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Survey {
    pub(super) eligible: u64,
    pub(super) matching: u64,
    pub(super) messages: u64,
    pub(super) held: BTreeMap<Held, u64>,
    pub(super) held_tokens: u64,
}

impl Survey {
    fn hold(&mut self, why: Held, tokens: Option<u32>, text: &str) {
        *self.held.entry(why).or_default() += 1;
        self.held_tokens += tokens.map_or_else(|| count(text) as u64, u64::from);
    }
}

/// Looks for what comes next.
#[derive(Clone)]
pub(super) struct Planner<'p> {
    pub(super) access: &'p Access<'p>,
    /// The theme, as the agent put it.
    pub(super) theme: Option<String>,
    /// And what it means.
    pub(super) focus: Option<Focus>,
    pub(super) what: What,
    pub(super) now: Time,
}

impl<'p> Planner<'p> {
    pub(super) fn new(access: &'p Access<'p>, theme: Option<String>, what: What) -> Result<Planner<'p>> {
        let agent = access.agent.id;
        let focus = theme.as_ref().map(|theme| {
            let read = |reader: &mut Reader| mentioned_in(reader, agent, theme);
            Ok::<_, StoreError>(Focus::of(theme, access.mind.store.read(&access.caller, &[agent], read)?))
        });
        Ok(Planner { access, theme, focus: focus.transpose()?, what, now: access.mind.now() })
    }

    /// The next batch; none when all is folded.
    pub(super) fn next(&self, reader: &mut Reader) -> StoreResult<Option<Material>> {
        if self.what.has_memories()
            && let Some(rows) = self.memories(reader)?
        {
            return Ok(Some(Material::Memories(rows)));
        }
        if self.what.has_conversations()
            && let Some(talk) = self.talk(reader)?
        {
            return Ok(Some(Material::Talk(Box::new(talk))));
        }
        let most = self.access.care().after_tokens as u64;
        if super::burden_of(reader, self.access.agent.id, i64::MAX)?.tokens() <= most {
            return Ok(None);
        }
        Ok(self.summaries(reader)?.map(Material::Summaries))
    }

    /// Counts what may be folded and what may not.
    pub(super) fn survey(&self, reader: &mut Reader) -> StoreResult<Survey> {
        let mut survey = Survey::default();
        self.each_memory(reader, &mut |memory, why| {
            match why {
                Some(why) => survey.hold(why, memory.tokens, &memory.content),
                None => {
                    survey.eligible += 1;
                    survey.matching += u64::from(self.is_meant(&memory));
                }
            }
            true
        })?;
        for (_, talk) in self.by_counterpart(reader)? {
            let boundary = self.boundary(reader, &talk)?;
            for conversation in &talk {
                self.survey_conversation(reader, conversation, boundary, &mut survey)?;
            }
        }
        Ok(survey)
    }

    fn survey_conversation(
        &self,
        reader: &mut Reader,
        conversation: &Conversation,
        boundary: Option<Id>,
        survey: &mut Survey,
    ) -> StoreResult<()> {
        let goes_on = self.goes_on(conversation);
        self.each_message(reader, conversation, &mut |message| {
            let recent = goes_on || boundary.is_none_or(|boundary| message.id.id() >= boundary);
            match () {
                () if message.provenance.is_private() => {
                    survey.hold(Held::Private, message.tokens, &message.content);
                }
                () if recent => survey.hold(Held::Recent, message.tokens, &message.content),
                () => survey.messages += 1,
            }
            true
        })
    }

    /// Calls `see` for each message of a conversation after its watermark, in their order, until it says no.
    fn each_message(
        &self,
        reader: &mut Reader,
        conversation: &Conversation,
        see: &mut dyn FnMut(Kept<Message>) -> bool,
    ) -> StoreResult<()> {
        let mut after = conversation.summarized_until;
        loop {
            let page = messages::after(reader, self.access.agent.id, conversation.id, after, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            // At least so far, also past those that are damaged.
            after += i64::try_from(page.len()).unwrap_or(i64::MAX);
            for message in sound(page)?.0 {
                after = after.max(message.seq);
                if !see(message) {
                    return Ok(());
                }
            }
        }
    }

    /// Calls `see` for each memory in mind, the oldest first, with why it may not be folded; until it says no.
    fn each_memory(
        &self,
        reader: &mut Reader,
        see: &mut dyn FnMut(Memory, Option<Held>) -> bool,
    ) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let monitored = monitored(reader, self.access)?;
        let mut after = Id::NIL;
        loop {
            let page = memory::in_mind(reader, agent, after, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            for row in page {
                match row {
                    Ok(memory) => {
                        after = memory.id.id();
                        let why = held(&memory, monitored.contains(&memory.id), self.now);
                        if !see(memory, why) {
                            return Ok(());
                        }
                    }
                    Err(StoreError::Spoiled(spoiled)) => after = spoiled.id,
                    Err(error) => return Err(error),
                }
            }
        }
    }

    fn is_meant(&self, memory: &Memory) -> bool {
        self.focus.as_ref().is_none_or(|focus| focus.means(memory))
    }

    /// The oldest that may be folded: those that somebody vouches for, and when there are no more, the others.
    fn memories(&self, reader: &mut Reader) -> StoreResult<Option<Vec<Memory>>> {
        let (batch, least) = (self.access.care().batch, self.access.care().least_focused);
        let (mut vouched, mut others) = (Vec::new(), Vec::new());
        self.each_memory(reader, &mut |memory, why| {
            if why.is_none() && self.is_meant(&memory) {
                let class = if memory.provenance.is_quotable() { &mut vouched } else { &mut others };
                class.push(memory);
            }
            vouched.len() < batch
        })?;
        others.truncate(batch);
        Ok(match (vouched.is_empty(), others.len() < least) {
            (false, _) => Some(vouched),
            (true, false) => Some(others),
            (true, true) => None,
        })
    }

    /// Conversations with something new, by counterpart.
    fn by_counterpart(
        &self,
        reader: &mut Reader,
    ) -> StoreResult<BTreeMap<Option<EntityId>, Vec<Conversation>>> {
        let agent = self.access.agent.id;
        let principals = principals::all(reader, agent)?;
        let mut by_counterpart: BTreeMap<_, Vec<Conversation>> = BTreeMap::new();
        for conversation in conversations::unfolded(reader, agent)? {
            let principal = principals.iter().find(|one| Some(one.id) == conversation.principal);
            let who = match principal {
                Some(principal) => Some(principal.entity),
                None => {
                    let present = conversations::participants(reader, agent, conversation.id)?;
                    present.first().map(|one| one.entity)
                }
            };
            let who = who.map(|who| entities::survivor(reader, agent, who)).transpose()?.flatten();
            by_counterpart.entry(who.map(|who| who.id)).or_default().push(conversation);
        }
        Ok(by_counterpart)
    }

    fn talk(&self, reader: &mut Reader) -> StoreResult<Option<Talk>> {
        for (counterpart, conversations) in self.by_counterpart(reader)? {
            let messages = self.messages(reader, &conversations)?;
            let (before, counterparts) = rolling(reader, self.access, counterpart)?;
            let talk = Talk { counterpart, messages, before, counterparts };
            if talk.told().next().is_some() {
                return Ok(Some(talk));
            }
        }
        Ok(None)
    }

    /// What may be folded of some conversations, the oldest first: a beginning of each by its numbers.
    fn messages(
        &self,
        reader: &mut Reader,
        conversations: &[Conversation],
    ) -> StoreResult<Vec<Kept<Message>>> {
        let Some(boundary) = self.boundary(reader, conversations)? else { return Ok(Vec::new()) };
        let batch = self.access.care().batch;
        let mut all = Vec::new();
        for conversation in conversations.iter().filter(|one| !self.goes_on(one)) {
            let mut found = 0;
            self.each_message(reader, conversation, &mut |message| {
                let is_old = message.id.id() < boundary;
                if is_old && !message.provenance.is_private() {
                    found += 1;
                    all.push(message);
                }
                is_old && found < batch
            })?;
        }
        all.sort_by_key(|message| message.id);
        all.truncate(batch);
        Ok(all)
    }

    /// The first of the last messages with a counterpart, which stay as they are; none if there are no others.
    fn boundary(&self, reader: &mut Reader, conversations: &[Conversation]) -> StoreResult<Option<Id>> {
        let recent = self.access.care().recent_messages;
        if recent == 0 {
            return Ok(Some(Id::from_bytes([0xff; 16])));
        }
        let mut last = Vec::new();
        for conversation in conversations {
            let after = (conversation.last_seq - recent as i64).max(conversation.summarized_until);
            let page = messages::after(reader, self.access.agent.id, conversation.id, after, recent as i64)?;
            last.extend(sound(page)?.0.into_iter().map(|message| message.id.id()));
        }
        last.sort();
        Ok(last.len().checked_sub(recent).map(|at| last[at]))
    }

    fn goes_on(&self, conversation: &Conversation) -> bool {
        let since = self.now.saturating_sub(self.access.care().active_within);
        conversation.last_message_at.is_some_and(|last| last > since)
            || conversation.active_until.is_some_and(|until| until > self.now)
    }

    /// Summaries of memories that have become too many; those that somebody vouches for, and then the others.
    fn summaries(&self, reader: &mut Reader) -> StoreResult<Option<Vec<Kept<MemorySummary>>>> {
        let current = sound(summaries::current(reader, self.access.agent.id)?)?.0;
        let (mut vouched, mut others): (Vec<_>, Vec<_>) =
            current.into_iter().partition(|row| row.provenance.is_quotable());
        for class in [&mut vouched, &mut others] {
            class.truncate(self.access.care().batch);
        }
        Ok([vouched, others].into_iter().find(|class| class.len() > 1))
    }
}

/// The summary that rolls on with a counterpart, and how many counterparts have one, this one counted.
fn rolling(
    reader: &mut Reader,
    access: &Access<'_>,
    counterpart: Option<EntityId>,
) -> StoreResult<(Option<Kept<ConversationSummary>>, usize)> {
    let agent = access.agent.id;
    let all = sound(summaries::current_talks(reader, agent)?)?.0;
    let known = all.len();
    for talk in all {
        let who = talk.counterpart.map(|who| entities::survivor(reader, agent, who)).transpose()?.flatten();
        if who.map(|who| who.id) == counterpart {
            return Ok((Some(talk), known));
        }
    }
    Ok((None, known + 1))
}

fn monitored(reader: &mut Reader, access: &Access<'_>) -> StoreResult<BTreeSet<MemoryId>> {
    let running = monitors::running(reader, access.agent.id, MONITORED)?;
    Ok(running.into_iter().map(|monitor| monitor.memory).collect())
}

/// The rows of a batch as they are now; none if any of them is gone, was changed, or may not be folded any more.
pub(super) fn reload(
    reader: &mut Reader,
    access: &Access<'_>,
    batch: &Batch,
    now: Time,
) -> StoreResult<Option<Material>> {
    let agent = access.agent.id;
    let material = match batch.phase {
        Phase::Memories => {
            let ids: Vec<MemoryId> = parsed(&batch.sources);
            let mut rows = sound(memory::by_ids(reader, agent, &ids)?)?.0;
            let monitored = monitored(reader, access)?;
            rows.retain(|row| {
                row.life.state.is_in_mind() && held(row, monitored.contains(&row.id), now).is_none()
            });
            rows.sort_by_key(|row| row.id);
            Material::Memories(rows)
        }
        Phase::Conversations => {
            let ids: Vec<MessageId> = parsed(&batch.sources);
            let mut messages = sound(messages::by_ids(reader, agent, &ids)?)?.0;
            messages.retain(|row| row.archived_at.is_none() && !row.provenance.is_private());
            messages.sort_by_key(|row| row.id);
            let (before, counterparts) = rolling(reader, access, batch.counterpart)?;
            Material::Talk(Box::new(Talk { counterpart: batch.counterpart, messages, before, counterparts }))
        }
        Phase::Summaries => {
            let ids: BTreeSet<SummaryId> = parsed(&batch.sources).into_iter().collect();
            let mut rows = sound(summaries::current(reader, agent)?)?.0;
            rows.retain(|row| ids.contains(&row.id));
            Material::Summaries(rows)
        }
    };
    Ok((material.ids() == batch.sources).then_some(material))
}

fn parsed<T: std::str::FromStr>(ids: &[String]) -> Vec<T> {
    ids.iter().filter_map(|id| id.parse().ok()).collect()
}

/// How far each conversation is folded with these messages.
pub(super) fn watermarks(messages: &[Kept<Message>]) -> BTreeMap<ConversationId, i64> {
    let mut until = BTreeMap::new();
    for message in messages {
        let mark = until.entry(message.conversation).or_insert(message.seq);
        *mark = message.seq.max(*mark);
    }
    until
}

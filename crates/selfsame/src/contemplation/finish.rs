//! What became of a time of thinking: the episode, the memory that it is, and what the next turn must know, in one
//! transaction. The journal and the decisions on the inbox follow from it.

use super::rules;
use crate::error::{Error, Result, StoreResult};
use crate::mind::Access;
use crate::remember::NewMemory;
use crate::work::Reply;
use selfsame_core::contemplation::cadence::next_after;
use selfsame_core::contemplation::parse::capture;
use selfsame_core::contemplation::success::{Verified, repeats, signature, verify};
use selfsame_core::contemplation::{
    Account, CallOutcome, Captured, Episode, EpisodeKind, Outcome, Parse, ToolClass,
};
use selfsame_core::event::Act;
use selfsame_core::id::{CycleId, EpisodeId, MemoryId};
use selfsame_core::json::storable;
use selfsame_core::kept::Kept;
use selfsame_core::memory::{Affect, Draft, MemoryKind};
use selfsame_core::time::Time;
use selfsame_core::tokens::count;
use selfsame_core::trust::{Privacy, Provenance};
use selfsame_store::contemplation::{cycles, episodes, turns};
use selfsame_store::work::items::WorkItem;
use selfsame_store::work::{attempts, calls};
use selfsame_store::{Writer, events};
use std::collections::BTreeSet;

/// Signatures that are remembered, to see whether it repeats itself.
const SIGNATURES: usize = 3;
/// Letters of an episode that go into its memory, at most.
const MEMORY_LETTERS: usize = 4000;
/// Bytes of a reply that are kept.
const MAX_SAID: usize = 1 << 20;
/// Letters of a mood that go into its memory, at most.
const FEELING_LETTERS: usize = 40;
/// How much an episode matters among memories.
const IMPORTANCE: f64 = 0.4;

/// An episode on its way into the store.
struct Finishing {
    id: EpisodeId,
    cycle: CycleId,
    captured: Captured,
    said: String,
    verified: Verified,
    signature: [u8; 32],
    thinker: String,
    model: Option<String>,
    provenance: Provenance,
    memory: NewMemory,
    tokens_spent: i64,
    seed: i64,
    began_at: Time,
    now: Time,
}

impl Access<'_> {
    /// Keeps what a thinker answered.
    pub(crate) fn finish_contemplation(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<EpisodeId> {
        // Read whole: what is asked for may stand at the very end of much talk.
        let whole = reply.text.replace('\0', "\u{fffd}");
        let (said, is_cut) = keepable(&whole);
        let mut captured = settled(capture(&whole, &self.trigger(item)?))?;
        if is_cut {
            captured.note_repair(format!("more than {MAX_SAID} bytes were said: the rest is not kept"));
        }
        let id = self.keep(item, captured, said, reply)?;
        // What was read of little trust may have talked it into this.
        if reply.trust >= selfsame_core::contemplation::tool::QUOTED {
            self.carry_out_verdicts(reply.text, reply.quoted)?;
        }
        self.after_an_episode(id)?;
        Ok(id)
    }

    /// Keeps what the rules make of a cycle, where nobody thinks: counts, and the inbox decided by its rules.
    pub(crate) fn contemplate_by_rules(&self, item: &WorkItem, began_at: Time) -> Result<EpisodeId> {
        let before = self.counts()?;
        let reviewed = self.mind.at_work(self.agent.clone()).review_inbox_by_rules()?.len();
        let account = before.account(reviewed, self.trigger(item)?);
        let said = account.outcome.summary.clone();
        let captured = Captured { account, parse: Parse::Tagged, repairs: Vec::new() };
        let reply = Reply { text: &said, quoted: &[], trust: 0.5, model: None, began_at };
        let id = self.keep(item, captured, said.clone(), &reply)?;
        self.after_an_episode(id)?;
        Ok(id)
    }

    fn after_an_episode(&self, id: EpisodeId) -> Result<()> {
        self.write_journal_of(id)?;
        self.learn_from_episodes()
    }

    fn trigger(&self, item: &WorkItem) -> Result<String> {
        let (agent, Some(cycle)) = (self.agent.id, item.cycle) else {
            return Ok("idle_reflection".into());
        };
        let cycle =
            self.mind.store.read(&self.caller, &[agent], |reader| cycles::by_id(reader, agent, cycle))?;
        Ok(match cycle {
            Some(cycle) if cycle.cause == "asked" => "asked".into(),
            _ => "idle_reflection".into(),
        })
    }

    fn keep(
        &self,
        item: &WorkItem,
        captured: Captured,
        said: String,
        reply: &Reply<'_>,
    ) -> Result<EpisodeId> {
        let cycle = item.cycle.ok_or_else(|| Error::Broken(format!("{} belongs to no cycle", item.id)))?;
        let now = self.mind.now();
        let agent = self.agent.id;
        let (calls, attempts) = self.mind.store.read(&self.caller, &[agent], |reader| {
            Ok((calls::of_work(reader, agent, &[item.id])?, attempts::of_work(reader, agent, item.id)?))
        })?;
        let ran: BTreeSet<String> = calls
            .iter()
            .filter(|call| call.outcome == CallOutcome::Ran)
            // Who calls a tool of others by the name of ours has not used ours.
            .filter(|call| call.class != ToolClass::Foreign || !self.is_own_tool(&call.tool))
            .map(|call| call.tool.clone())
            .collect();
        let verified = verify(&captured, &ran, |tool| self.is_own_tool(tool));
        let provenance = Provenance::stated(&self.caller, Some(item.id.to_string()), Privacy::Shared);
        let provenance = provenance.lowered_to(reply.trust);
        let memory = self.prepare_as(draft_of(&captured, &said), provenance.clone())?;
        let finishing = Finishing {
            id: EpisodeId::of(self.mind.mint.id(now)),
            cycle,
            signature: signature(&captured.account),
            captured,
            said,
            verified,
            thinker: item.thinker.clone(),
            model: reply.model.map(str::to_owned),
            provenance,
            memory,
            tokens_spent: attempts.iter().map(|attempt| attempt.tokens).sum(),
            seed: item.seed,
            began_at: reply.began_at,
            now,
        };
        Ok(self.mind.store.background("contemplation", &[agent], |writer| {
            self.settle_done(writer, item, finishing.model.as_deref(), now)?;
            let memory = finishing.memory.store(writer)?.id;
            episodes::insert(writer, &finishing.row(self, memory))?;
            cycles::end(writer, agent, cycle, "done", None, Some(finishing.id), now)?;
            let act = Act { act: "thought", subject_kind: "episode", subject: finishing.id.id() };
            events::record(writer, agent, now, &[act])?;
            self.note_turn(writer, &finishing)?;
            Ok(finishing.id)
        })?)
    }

    /// What the next turn must know of this one.
    fn note_turn(&self, writer: &mut Writer, done: &Finishing) -> StoreResult<()> {
        let Some(mut turns) = turns::of(writer, self.agent.id)? else { return Ok(()) };
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        turns.streak = if done.verified.successful { turns.streak.saturating_add(1) } else { 0 };
        turns.signatures.push(done.signature);
        let forgotten = turns.signatures.len().saturating_sub(SIGNATURES);
        turns.signatures.drain(..forgotten);
        if repeats(&turns.signatures, SIGNATURES) {
            turns.held_since = Some(done.now);
            turns.signatures.clear();
        }
        let began_at = turns.last_at.unwrap_or(done.began_at);
        turns.next_at = next_after(&rules(&settings), self.agent.family, turns.streak, began_at, done.now);
        turns::set(writer, &turns)
    }

    /// The thinker was given up: the cycle failed, and the next turn comes as usual.
    pub(crate) fn end_failed_cycle(
        &self,
        writer: &mut Writer,
        item: &WorkItem,
        why: &str,
        now: Time,
    ) -> StoreResult<()> {
        let Some(cycle) = item.cycle else { return Ok(()) };
        cycles::end(writer, self.agent.id, cycle, "failed", Some(why), None, now)?;
        if let Some(mut turns) = turns::of(writer, self.agent.id)? {
            turns.streak = 0;
            turns::set(writer, &turns)?;
        }
        Ok(())
    }

    /// Whether a tool of this name is ours.
    fn is_own_tool(&self, tool: &str) -> bool {
        self.mind.thinking.toolbox.as_ref().is_some_and(|toolbox| toolbox.is_ours(tool))
    }
}

impl Finishing {
    fn row(&self, access: &Access<'_>, memory: MemoryId) -> Kept<Episode> {
        let millis = i64::try_from(self.now.since(self.began_at).as_millis()).unwrap_or(i64::MAX);
        let episode = Episode {
            id: self.id,
            agent: access.agent.id,
            cycle: self.cycle,
            memory,
            captured: self.captured.clone(),
            said: self.said.clone(),
            successful: self.verified.successful,
            why_not: self.verified.why_not.clone(),
            tools: self.verified.tools.clone(),
            thinker: self.thinker.clone(),
            model: self.model.clone(),
            tokens_spent: self.tokens_spent,
            millis,
            seed: self.seed,
            signature: self.signature,
            began_at: self.began_at,
            created_at: self.now,
        };
        let tokens = count(&episode.captured.account.outcome.summary);
        Kept::new(episode, self.provenance.clone()).counted(tokens)
    }
}

/// What there is, in numbers.
pub(super) struct Counts {
    pub(super) memories: usize,
    pub(super) todos: usize,
    pub(super) doubts: usize,
    pub(super) candidates: usize,
}

impl Counts {
    /// What the rules say of a time in which nobody thought.
    fn account(&self, reviewed: usize, trigger: String) -> Account {
        let Counts { memories, todos, doubts, candidates } = self;
        let observations = vec![
            format!("{memories} recent memories"),
            format!("{todos} open to-dos"),
            format!("{doubts} beliefs that are stale or contested"),
            format!("{candidates} candidates in the inbox"),
        ];
        let summary = format!(
            "Counted by rules, as nobody is set up to think: {}. {reviewed} candidates were decided.",
            observations.join(", ")
        );
        Account {
            observations,
            actions_taken: vec![format!("reviewed the inbox by rules: {reviewed} decided")],
            outcome: Outcome { result: "counted".into(), summary },
            success: reviewed > 0,
            ..Account::empty(EpisodeKind::Reflection, trigger)
        }
    }
}

/// The account as both engines give it back: what no database keeps is put right before anything is sealed.
fn settled(captured: Captured) -> Result<Captured> {
    let body = storable(&captured.account.to_json())
        .map_err(|error| Error::Broken(format!("an episode cannot be kept: {error}")))?;
    let account = serde_json::from_str(&body).ok().and_then(|body| Account::from_json(&body));
    let account = account.ok_or_else(|| Error::Broken("an episode cannot be read back".into()))?;
    Ok(Captured { account, ..captured })
}

/// The reply as it is kept: whole, but for what nobody would read; and whether it is not whole.
fn keepable(text: &str) -> (String, bool) {
    let end = text.floor_char_boundary(MAX_SAID.min(text.len()));
    (text[..end].to_owned(), end < text.len())
}

/// The memory that an episode becomes.
fn draft_of(captured: &Captured, said: &str) -> Draft {
    let account = &captured.account;
    let mut parts = vec![account.outcome.summary.as_str()];
    parts.extend(account.observations.iter().map(String::as_str));
    parts.extend([&account.reflection, &account.lesson].into_iter().flatten().map(String::as_str));
    let mut content = parts.join("\n").trim().to_owned();
    if captured.parse == Parse::Fallback || content.is_empty() {
        content = said.trim().to_owned();
    }
    if content.is_empty() {
        content = match account.kind {
            EpisodeKind::Rest => "Rested.".into(),
            _ => "Thought, and said nothing of it.".into(),
        };
    }
    let mut draft = Draft::new(content.chars().take(MEMORY_LETTERS).collect::<String>());
    draft.kind = MemoryKind::Episode;
    draft.importance = IMPORTANCE;
    draft.affect = Affect {
        valence: Some(account.valence),
        arousal: Some(account.arousal),
        feeling: (!account.mood.state.is_empty())
            .then(|| account.mood.state.chars().take(FEELING_LETTERS).collect()),
    };
    draft
}

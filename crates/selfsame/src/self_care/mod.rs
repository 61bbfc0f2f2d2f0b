//! The verb *self-care*: the agent folds what is old into summaries. It says when, and on what to look; there is no timer.
//!
//! Here is who may and where, what is told before and after, and the two steps in which the agent writes itself. Which rows
//! come next is decided by `plan.rs`, a batch is folded by `fold.rs` in one transaction, and `thinking.rs` has it written
//! by whoever thinks for the agent. What may be folded at all, and what a summary is, is the core's matter (`care/`).

mod fold;
mod lines;
mod plan;
mod thinking;

use crate::config::{SelfCareSettings, ThinkerKind};
use crate::error::{Error, Result, StoreResult, check_field};
use crate::mind::{Access, Mind};
use crate::progress::{Count, Unit};
use crate::work::WorkOutcome;
use fold::{Fold, Trusted};
use plan::{Material, Planner};
use selfsame_core::care::prompt::Part;
use selfsame_core::care::reply::{self, Written};
use selfsame_core::care::{same_place, without_label};
use selfsame_core::contemplation::WorkKind;
use selfsame_core::id::{AgentId, BatchId, SummaryId, WorkId};
use selfsame_core::time::Time;
use selfsame_core::trust::Author;
use selfsame_store::summaries::{self, Batch, Weight};
use selfsame_store::work::items;
use selfsame_store::{Reader, StoreError, memory, messages};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

pub use selfsame_core::care::{Held, Phase, What, WrittenBy};

/// Bytes of a theme, at most.
const MAX_FOCUS_BYTES: usize = 512;
/// What is said to whoever watches.
const FOLDING: &str = "folding";
/// Bytes of what the agent gives back, at most.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// What a row counts for that an earlier version stored and nobody counted.
const UNCOUNTED: u64 = 30;
/// Tokens that a row has at least, for a look that must not read a whole life: so many rows are over any ceiling.
const FEWEST_TOKENS: usize = 5;

/// What an agent wants to have folded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CareRequest {
    /// The theme to look at; without one, everything.
    pub focus: Option<String>,
    /// Memories, conversations or both.
    pub what: What,
}

impl Default for CareRequest {
    fn default() -> CareRequest {
        CareRequest { focus: None, what: What::Both }
    }
}

/// How much is in mind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Burden {
    /// Tokens of memories.
    pub memories: u64,
    /// Tokens of summaries that are in no other.
    pub summaries: u64,
    /// Tokens of messages that are not archived.
    pub messages: u64,
    /// How many messages those are.
    pub unarchived: u64,
}

impl Burden {
    /// Tokens in all.
    pub const fn tokens(&self) -> u64 {
        self.memories + self.summaries + self.messages
    }
}

/// Where an agent stands before self-care, or after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CareStanding {
    /// How much is in mind.
    pub burden: Burden,
    /// Memories that may be folded.
    pub eligible: u64,
    /// Of these, those that fit the theme.
    pub matching: Option<u64>,
    /// Messages that may be folded.
    pub foldable_messages: u64,
    /// What may not be folded, by the reason.
    pub held: BTreeMap<Held, u64>,
    /// How many tokens that has.
    pub held_tokens: u64,
    /// From so many tokens on it is advised.
    pub ceiling: u64,
    /// So many should be left afterwards.
    pub after_ceiling: u64,
    /// It is advised.
    pub needs_self_care: bool,
}

/// What became of self-care.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CareReport {
    /// How it ended.
    pub outcome: CareOutcome,
    /// The summaries that were written.
    pub summaries: Vec<SummaryId>,
    /// Memories that went to the archive.
    pub memories: u64,
    /// Messages that went to the archive.
    pub messages: u64,
    /// Promises, names, dates and numbers that found no place among what is carried on word by word: they are in the archive.
    pub facts_left_out: u64,
    /// Where it stood before.
    pub before: CareStanding,
    /// And after.
    pub after: CareStanding,
}

/// How a call ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CareOutcome {
    /// There was nothing to do, and why not.
    Nothing(String),
    /// All that could be folded is folded.
    Done,
    /// The agent comes for the rest itself, as its work.
    Waits(WorkId),
    /// Whoever thinks stumbled; it is tried again then.
    Again {
        /// When.
        at: Time,
        /// Why.
        reason: String,
    },
    /// Whoever thinks could not do it. What was folded before stays folded.
    GivenUp(String),
}

/// A part of a batch, handed out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandedBatch {
    /// To be given back with the summary.
    pub id: BatchId,
    /// What it is made of.
    pub phase: Phase,
    /// Rows in it.
    pub rows: usize,
    /// So many of them are in the summary when this part is.
    pub until_row: usize,
    /// Until when; then nothing has changed.
    pub until: Time,
    /// What to write.
    pub instructions: String,
    /// Of what: quoted data.
    pub material: String,
}

/// What came of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CareStep {
    /// Something to write a summary of.
    Handed(HandedBatch),
    /// A batch is folded.
    Folded {
        /// Into this.
        summary: SummaryId,
        /// Facts that found no place among what is carried on word by word.
        facts_left_out: u64,
        /// How much is in mind now.
        burden: Burden,
    },
    /// There is nothing to do, and why not.
    Nothing(String),
}

/// How many facts found no place in which summary, until whoever asked for it is told. Kept in no table: the facts themselves
/// are in the archive.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(Mutex<BTreeMap<SummaryId, u64>>);

impl LeftOut {
    /// Summaries that are remembered here; nobody asks after those that came about unasked.
    const MOST: usize = 1000;

    fn note(&self, summary: SummaryId, left_out: Option<usize>) {
        let left_out = left_out.unwrap_or_default() as u64;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if left_out > 0 {
            all.insert(summary, left_out);
        }
        while all.len() > LeftOut::MOST {
            all.pop_first();
        }
    }

    fn take(&self, summary: SummaryId) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&summary).unwrap_or_default()
    }
}

impl Mind {
    /// How much an agent has in mind, as far as that has to be known for a hint.
    pub(crate) fn burden(&self, reader: &mut Reader, agent: AgentId) -> StoreResult<Burden> {
        let most = self.settings.self_care.ceiling_tokens / FEWEST_TOKENS;
        burden_of(reader, agent, i64::try_from(most).unwrap_or(i64::MAX))
    }

    /// Whether that much is reason to advise self-care.
    pub(crate) fn advises_self_care(&self, burden: &Burden) -> bool {
        burden.tokens() >= self.settings.self_care.ceiling_tokens as u64
            || self.advises_archival(burden.unarchived)
    }
}

/// How much is in mind, looking at so many rows of each layer.
fn burden_of(reader: &mut Reader, agent: AgentId, most: i64) -> StoreResult<Burden> {
    let tokens = |weight: Weight| weight.tokens + weight.uncounted * UNCOUNTED;
    Ok(Burden {
        memories: tokens(memory::weight(reader, agent, most)?),
        summaries: tokens(summaries::weight(reader, agent)?),
        messages: tokens(messages::weight(reader, agent, most)?),
        unarchived: messages::unarchived(reader, agent)?,
    })
}

impl Access<'_> {
    /// Where the agent stands: what may be folded, what may not, and whether it should be.
    pub fn care_standing(&self, focus: Option<&str>) -> Result<CareStanding> {
        let request = CareRequest { focus: focus.map(str::to_owned), ..CareRequest::default() };
        self.standing(&self.planner(&request)?)
    }

    /// Folds what is old into summaries, written by whoever thinks for the agent, or of chosen sentences where nobody does.
    /// For the agent itself. Each batch is whole or not there.
    pub fn self_care(&self, request: &CareRequest) -> Result<CareReport> {
        self.must_care_itself()?;
        let planner = self.planner(request)?;
        let before = self.standing(&planner)?;
        let began = self.mind.now();
        self.drop_what_is_over()?;
        let outcome = match self.under_way()? {
            Some(work) => self.drive(Some(work))?,
            None => match self.narrowed(&before, request) {
                Err(nothing) => CareOutcome::Nothing(nothing),
                Ok(what) => {
                    let count = self.count_to_fold(&before)?;
                    let queued = self.advance(&Planner { what, ..planner.clone() }, &count)?;
                    self.drive(queued)?
                }
            },
        };
        let after = self.standing(&planner)?;
        self.report(outcome, before, after, began)
    }

    /// Hands the agent the next batch, to write its summary itself. The same again hands out the same. For the agent itself.
    pub fn self_care_begin(&self, request: &CareRequest) -> Result<CareStep> {
        self.must_care_itself()?;
        self.drop_what_is_over()?;
        if let Some(work) = self.under_way()? {
            return Err(conflict(format!(
                "a thinker is at it ({work}): wait until that is done, or look at it with `selfsame work show {work}`"
            )));
        }
        let planner = self.planner(request)?;
        if let Some(open) = self.open_batch(None)? {
            if (&open.focus, open.what) == (&planner.theme, request.what) {
                return self.hand_out(&open);
            }
            self.drop_batch(open.id)?;
        }
        let what = match self.narrowed(&self.standing(&planner)?, request) {
            Ok(what) => what,
            Err(nothing) => return Ok(CareStep::Nothing(nothing)),
        };
        let (agent, now) = (self.agent.id, self.mind.now());
        let planner = Planner { what, ..planner };
        let Some(material) = self.mind.store.read(&self.caller, &[agent], |reader| planner.next(reader))?
        else {
            return Ok(CareStep::Nothing("everything that may be folded is folded".into()));
        };
        let batch = Batch { what: request.what, ..self.batch_of(&material, &planner, WrittenBy::Agent, now) };
        self.mind
            .store
            .write(&self.caller, &[agent], None, |writer| summaries::insert_batch(writer, agent, &batch))?;
        self.hand_out(&batch)
    }

    /// Takes the agent's text for a batch: folds it, or hands out the next part. For the agent itself.
    pub fn self_care_commit(&self, id: BatchId, text: &str) -> Result<CareStep> {
        self.must_care_itself()?;
        check_field("text", text, MAX_TEXT_BYTES)?;
        let now = self.mind.now();
        let batch = self.open_batch(Some(id))?.filter(|batch| batch.expires_at > now);
        let batch = batch.ok_or_else(|| gone(id))?;
        let written = self.read_summary(&self.masked(text)).map_err(Error::Unfit)?;
        let (_, part) = self.next_part(&batch)?.ok_or_else(|| gone(id))?;
        let agent = self.agent.id;
        if part.until < batch.sources.len() {
            let until = now.saturating_add(self.care().lease);
            let draft = draft_of(&written);
            self.mind.store.write(&self.caller, &[agent], None, |writer| {
                summaries::get_on(writer, agent, id, part.until, &draft, until)
            })?;
            let next = Batch { done: part.until, draft: Some(draft), expires_at: until, ..batch };
            return self.hand_out(&next);
        }
        let fold = self.fold(&batch, written, Trusted::Caller)?;
        let mut folded = None;
        self.mind.store.write(&self.caller, &[agent], None, |writer| {
            folded = match summaries::drop_batch(writer, agent, id)? {
                true => fold.write(writer)?,
                false => None,
            };
            Ok(folded.is_some())
        })?;
        let left_out = folded.ok_or_else(|| gone(id))?;
        self.mind.store.reach("care.folded")?;
        let burden =
            self.mind.store.read(&self.caller, &[agent], |reader| burden_of(reader, agent, i64::MAX))?;
        Ok(CareStep::Folded { summary: fold.id, facts_left_out: left_out as u64, burden })
    }

    fn care(&self) -> &SelfCareSettings {
        &self.mind.settings.self_care
    }

    /// What an answer says, or what is wrong with it.
    fn read_summary(&self, text: &str) -> std::result::Result<Written, String> {
        // Whoever was asked for so many tokens may have counted otherwise.
        reply::read(text, self.care().summary_tokens * 2).map_err(|error| error.to_string())
    }

    fn planner(&self, request: &CareRequest) -> Result<Planner<'_>> {
        if let Some(focus) = &request.focus {
            check_field("focus", focus, MAX_FOCUS_BYTES)?;
        }
        let theme = request.focus.as_deref().map(|focus| self.masked(focus).into_owned());
        Planner::new(self, theme, request.what)
    }

    fn standing(&self, planner: &Planner<'_>) -> Result<CareStanding> {
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let burden = burden_of(reader, agent, i64::MAX)?;
            let survey = planner.survey(reader)?;
            Ok(CareStanding {
                needs_self_care: self.mind.advises_self_care(&burden),
                burden,
                eligible: survey.eligible,
                matching: planner.focus.is_some().then_some(survey.matching),
                foldable_messages: survey.messages,
                held: survey.held,
                held_tokens: survey.held_tokens,
                ceiling: self.care().ceiling_tokens as u64,
                after_ceiling: self.care().after_tokens as u64,
            })
        })?)
    }

    /// What is left to do of what was asked for; or why there is nothing, said politely.
    fn narrowed(&self, standing: &CareStanding, request: &CareRequest) -> std::result::Result<What, String> {
        let settings = self.care();
        let too_few = match standing.matching {
            _ if standing.eligible < settings.least as u64 => Some(format!(
                "{} of your memories may be folded, and {} are the least that is worth it: there is nothing to do yet",
                standing.eligible, settings.least
            )),
            Some(matching) if matching < settings.least_focused as u64 => Some(format!(
                "{matching} of your memories fit that theme, and {} are the least that is worth it: try a wider one, or none",
                settings.least_focused
            )),
            _ => None,
        };
        let is_over = standing.burden.tokens() > settings.after_tokens as u64;
        let may_shrink = is_over && standing.burden.summaries > 0;
        let may_talk = request.what.has_conversations() && (standing.foldable_messages > 0 || may_shrink);
        match (request.what.has_memories(), too_few) {
            (true, None) => Ok(request.what),
            (true, Some(_)) | (false, _) if may_talk => Ok(What::Conversations),
            (true, Some(why)) => Err(why),
            (false, _) => Err("no message may be folded yet: the last ones stay as they are".into()),
        }
    }

    /// Has batches folded until somebody has to be asked; gives the work that waits for them.
    fn advance(&self, planner: &Planner<'_>, count: &Count) -> Result<Option<WorkId>> {
        let (agent, mind) = (self.agent.id, self.mind);
        loop {
            let next = mind.store.read(&self.caller, &[agent], |reader| planner.next(reader))?;
            let Some(material) = next else { return Ok(None) };
            let now = mind.now();
            // What nobody vouches for is put before nobody who works unwatched.
            let wanted = material.is_quotable().then(|| self.wanted(WorkKind::Summarize, Vec::new(), now));
            if let Some(new) = wanted.flatten() {
                let batch = self.batch_of(&material, planner, WrittenBy::Thinker, now);
                return self.queue_batch(new, &batch, now).map(Some);
            }
            let batch = self.batch_of(&material, planner, WrittenBy::Extract, now);
            let written = lines::extracted(self, &material, planner)?;
            let fold = self.fold(&batch, written, Trusted::Sources)?;
            mind.unread.note(agent, now);
            let mut folded = None;
            mind.store.write(&self.caller, &[agent], None, |writer| {
                folded = fold.write(writer)?;
                Ok(folded.is_some())
            })?;
            if folded.is_none() {
                return Err(conflict("somebody else changed what was to be folded: begin again".into()));
            }
            mind.left_out.note(fold.id, folded);
            mind.store.reach("care.folded")?;
            count.add(material.ids().len() as u64);
        }
    }

    /// What may be folded: texts, of which each is folded once.
    fn count_to_fold(&self, standing: &CareStanding) -> Result<Count> {
        let memories = standing.matching.unwrap_or(standing.eligible);
        self.mind.watch.count(FOLDING, Unit::Texts, || Ok(memories + standing.foldable_messages))
    }

    /// Does the work that waits, batch by batch, if it is not the agent's own to come for.
    fn drive(&self, mut queued: Option<WorkId>) -> Result<CareOutcome> {
        while let Some(work) = queued {
            if self.mind.settings.thinker_of(&self.agent.name, WorkKind::Summarize).kind == ThinkerKind::Agent
            {
                return Ok(CareOutcome::Waits(work));
            }
            match self.mind.work_on(self.agent.id, work)?.map(|worked| worked.outcome) {
                Some(WorkOutcome::Done(_)) => queued = self.under_way()?,
                Some(WorkOutcome::Again { at, reason }) => return Ok(CareOutcome::Again { at, reason }),
                Some(WorkOutcome::Dead { reason }) => return Ok(CareOutcome::GivenUp(reason)),
                // A lane has it.
                Some(WorkOutcome::Superseded) | None => return Ok(CareOutcome::Waits(work)),
            }
        }
        Ok(CareOutcome::Done)
    }

    fn report(
        &self,
        outcome: CareOutcome,
        before: CareStanding,
        after: CareStanding,
        began: Time,
    ) -> Result<CareReport> {
        let written = self.summaries_since(began)?;
        let memories = written.iter().filter_map(|card| card.summary.of_memories());
        let memories = memories.filter(|one| one.depth == 1).map(|one| u64::from(one.memories)).sum();
        let outcome = match outcome {
            CareOutcome::Done if written.is_empty() => {
                CareOutcome::Nothing("everything that may be folded is folded".into())
            }
            other => other,
        };
        Ok(CareReport {
            outcome,
            summaries: written.iter().map(|card| card.summary.id()).collect(),
            memories,
            messages: before.burden.unarchived.saturating_sub(after.burden.unarchived),
            facts_left_out: written.iter().map(|card| self.mind.left_out.take(card.summary.id())).sum(),
            before,
            after,
        })
    }

    fn hand_out(&self, batch: &Batch) -> Result<CareStep> {
        let (_, part) = self.next_part(batch)?.ok_or_else(|| gone(batch.id))?;
        let Part { instructions, material, until } = part;
        Ok(CareStep::Handed(HandedBatch {
            id: batch.id,
            phase: batch.phase,
            rows: batch.sources.len(),
            until_row: until,
            until: batch.expires_at,
            instructions,
            material,
        }))
    }

    /// The next part of a batch, with its rows; none if what it was about has changed.
    fn next_part(&self, batch: &Batch) -> Result<Option<(Material, Part)>> {
        let agent = self.agent.id;
        let material = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| plan::reload(reader, self, batch, self.mind.now()))?;
        let Some(material) = material else { return Ok(None) };
        let part = lines::part(self, &material, batch)?;
        Ok(Some((material, part)))
    }

    fn batch_of(&self, material: &Material, planner: &Planner<'_>, by: WrittenBy, now: Time) -> Batch {
        Batch {
            id: BatchId::of(self.mind.mint.id(now)),
            phase: material.phase(),
            what: planner.what,
            focus: planner.theme.clone(),
            counterpart: material.counterpart(),
            sources: material.ids(),
            done: 0,
            draft: None,
            written_by: by,
            created_at: now,
            expires_at: now.saturating_add(self.care().lease),
        }
    }

    fn fold<'f>(&'f self, batch: &'f Batch, written: Written, trusted: Trusted) -> Result<Fold<'f>> {
        let now = self.mind.now();
        let id = SummaryId::of(self.mind.mint.id(now));
        let meant = without_label(&written.content, batch.written_by);
        let meaning = self.mind.meaning_of(self.agent.id, meant)?;
        Ok(Fold { access: self, id, batch, written, trusted, meaning, zone: self.zone()?, now })
    }

    /// The batch that the agent itself writes on; a certain one, or whichever.
    fn open_batch(&self, id: Option<BatchId>) -> Result<Option<Batch>> {
        let agent = self.agent.id;
        let all = self.mind.store.read(&self.caller, &[agent], |reader| summaries::batches(reader, agent))?;
        let is_meant =
            |batch: &Batch| batch.written_by == WrittenBy::Agent && id.is_none_or(|id| batch.id == id);
        Ok(all.into_iter().find(is_meant))
    }

    fn drop_batch(&self, id: BatchId) -> Result<()> {
        let agent = self.agent.id;
        let gone = |writer: &mut selfsame_store::Writer| summaries::drop_batch(writer, agent, id);
        Ok(self.mind.store.write(&self.caller, &[agent], None, gone).map(drop)?)
    }

    /// Takes away batches that nobody is at: the agent's that expired, and those whose work ended.
    fn drop_what_is_over(&self) -> Result<()> {
        let (agent, now) = (self.agent.id, self.mind.now());
        let open = self.mind.store.system(|reader| items::open(reader, agent))?;
        let all = self.mind.store.read(&self.caller, &[agent], |reader| summaries::batches(reader, agent))?;
        for batch in all {
            let name = batch.id.to_string();
            let is_over = match batch.written_by {
                WrittenBy::Agent => batch.expires_at <= now,
                _ => !open.iter().any(|item| item.about.contains(&name)),
            };
            if is_over {
                self.drop_batch(batch.id)?;
            }
        }
        Ok(())
    }

    /// The work of a thinker that is at a batch, or will be.
    fn under_way(&self) -> Result<Option<WorkId>> {
        let open = self.mind.store.system(|reader| items::open(reader, self.agent.id))?;
        let is_care = |item: &&items::WorkItem| item.kind == WorkKind::Summarize && item.state.is_open();
        Ok(open.iter().find(is_care).map(|item| item.id))
    }

    fn must_care_itself(&self) -> Result<()> {
        if self.caller.author() != Author::Agent {
            return Err(Error::Forbidden(
                "only the agent takes care of itself: speak as the agent (`selfsame --as agent selfcare`, or a key that \
                 speaks as agent)"
                    .into(),
            ));
        }
        self.must_be_watched("an agent takes care of itself")?;
        match (&self.agent.home, &self.agent.location) {
            (Some(home), Some(place)) if !same_place(home, place) => Err(conflict(format!(
                "you are at {place:?}, and you take care of yourself at home, {home:?}: move there first (`selfsame agent move`)"
            ))),
            _ => Ok(()),
        }
    }
}

/// What is kept of the parts so far.
fn draft_of(written: &Written) -> String {
    let mut draft = written.content.clone();
    if !written.themes.is_empty() {
        draft = format!("Themes: {}\n{draft}", written.themes.join(", "));
    }
    if !written.facts.is_empty() {
        draft += &format!("\nWord by word:\n- {}", written.facts.join("\n- "));
    }
    draft
}

fn gone(id: BatchId) -> Error {
    conflict(format!(
        "{id} is not open any more: it expired, was done, or what it was about has changed. Nothing was changed by it; begin \
         again"
    ))
}

fn conflict(words: String) -> Error {
    Error::Store(StoreError::Conflict(words))
}

//! The book of one question: all that was said of it, and what is believed because of it.
//!
//! Claims are entered one by one in the order in which they were read. Nothing is written before the end: then what
//! changed is written at once, what ended before what began.

use super::source::provenance_of;
use crate::error::StoreResult;
use crate::mind::Mind;
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, ConflictId, EvidenceId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::claim::Says;
use selfsame_core::knowledge::confidence::{Components, Inputs};
use selfsame_core::knowledge::decide::{self, Because, Decision, Voice, Voucher, decide};
use selfsame_core::knowledge::evidence::{Origin, Piece, SourceRef, tally};
use selfsame_core::knowledge::freshness::Heard;
use selfsame_core::knowledge::key::Question;
use selfsame_core::knowledge::observation::Standing;
use selfsame_core::knowledge::value::agree;
use selfsame_core::knowledge::{Observation, Stance, Status};
use selfsame_core::text::count_terms;
use selfsame_core::time::Time;
use selfsame_core::tokens::count;
use selfsame_core::trust::{Lineage, Provenance};
use selfsame_store::agents::Agent;
use selfsame_store::knowledge::claims::{self, Claimed, Reading};
use selfsame_store::knowledge::conflicts::{self, Conflict};
use selfsame_store::knowledge::evidence::{self, Evidence};
use selfsame_store::knowledge::observations::{self, Change};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, Writer, events, vectors};

/// Claims of one question, and pieces of evidence of one belief, that are weighed: the newest. What is older has faded.
const WEIGHED: i64 = 512;

const MICROS_PER_DAY: f64 = 86_400e6;

/// The book of one question.
pub(crate) struct Book<'m> {
    mind: &'m Mind,
    agent: &'m Agent,
    question: Question,
    key: String,
    said: Vec<Claimed>,
    /// What was last believed, however it stands; the last of them is the newest.
    pages: Vec<Page>,
    disputes: Vec<Dispute>,
    changes: Vec<Change>,
}

/// What counts no more.
pub(crate) enum Withdrawn {
    /// All that a row says.
    Row(SourceRef),
    /// All that comes from one independent source.
    Origin(Origin),
    /// What a row says because one independent source says it, too.
    Saying(SourceRef, Origin),
}

impl Withdrawn {
    pub(crate) fn covers(&self, row: SourceRef, origins: &[Origin]) -> bool {
        match self {
            Withdrawn::Row(withdrawn) => *withdrawn == row,
            Withdrawn::Origin(withdrawn) => origins == [*withdrawn],
            Withdrawn::Saying(said, by) => *said == row && origins == [*by],
        }
    }
}

/// What became of a belief when something it rested on was withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeftOut {
    /// It did not rest on it, or was not believed any more.
    Nothing,
    /// It rests on something else too.
    Stands,
    /// It rested on it alone.
    Fell,
}

/// What happens to the conflicts about a question, in its order.
enum Dispute {
    Raised(Conflict),
    Settled { observation: ObservationId, how: &'static str, at: Time },
}

/// A belief with its evidence.
struct Page {
    row: Kept<Observation>,
    evidence: Vec<Evidence>,
    /// How many of the pieces are stored.
    stored: usize,
    is_new: bool,
    is_changed: bool,
    was_held: bool,
}

impl Page {
    fn is_held(&self) -> bool {
        self.row.standing.status.is_held()
    }

    fn pieces(&self, stance: Stance) -> impl Iterator<Item = &Piece> {
        self.evidence.iter().filter(move |one| one.stance == stance).map(|one| &one.piece)
    }

    /// What spoke against it since it was formed. What it was formed against has been weighed already.
    fn against_since(&self) -> impl Iterator<Item = &Piece> {
        self.pieces(Stance::Contradict).filter(|piece| piece.at > self.row.created_at)
    }

    fn heard(&self) -> Heard {
        let Standing { last_supported_at, last_contradicted_at, .. } = self.row.standing;
        Heard {
            supported_at: last_supported_at.unwrap_or(self.row.created_at),
            contradicted_at: last_contradicted_at,
        }
    }
}

impl<'m> Book<'m> {
    /// Opens the book of a question as it stands.
    pub(crate) fn open(
        reader: &mut Reader,
        mind: &'m Mind,
        agent: &'m Agent,
        key: &str,
    ) -> StoreResult<Book<'m>> {
        let question = Question::parse(key)
            .ok_or_else(|| StoreError::Damaged(format!("{key:?} is no canonical key")))?;
        let said = claims::of_key(reader, agent.id, key, WEIGHED)?;
        let mut pages = Vec::new();
        if let Some(row) = observations::latest_of_key(reader, agent.id, key)? {
            let evidence = evidence::newest_of(reader, agent.id, row.id, WEIGHED)?;
            let was_held = row.standing.status.is_held();
            let stored = evidence.len();
            pages.push(Page { row, evidence, stored, is_new: false, is_changed: false, was_held });
        }
        Ok(Book {
            mind,
            agent,
            question,
            key: key.to_owned(),
            said,
            pages,
            disputes: Vec::new(),
            changes: Vec::new(),
        })
    }

    /// The value that is believed.
    fn held(&self) -> Option<&str> {
        let page = self.pages.last().filter(|page| page.is_held())?;
        Some(&page.row.value)
    }

    /// A claim in the words of what is believed, where it can mean the same.
    pub(crate) fn in_its_words(&self, claim: &Claimed) -> Claimed {
        let mut claim = claim.clone();
        if let Some(held) = self.held().filter(|held| agree(held, &claim.voice.value)) {
            claim.voice.value = held.to_owned();
        }
        claim
    }

    /// Enters a claim, which is to be stored, and judges it.
    pub(crate) fn enter(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        claim: &Claimed,
    ) -> StoreResult<Decision> {
        let last = self.pages.last().map_or(Time::MIN, |page| page.row.standing.updated_at);
        let now = claim.voice.piece.at.max(last);
        self.said.push(claim.clone());
        let decision = decide(self.question.kind, self.held(), &self.said, &claim.voice, now);
        match decision {
            Decision::Create => self.create(reader, reading, claim, now)?,
            Decision::Reinforce => self.reinforce(reading, claim, now),
            Decision::Supersede(because) => self.supersede(reader, reading, claim, because, now)?,
            Decision::Contend => self.contend(reading, claim, now),
            Decision::GiveUp => self.give_up(reader, reading, claim, now)?,
            Decision::Note => self.link(claim, Stance::Context, now),
            Decision::Skip => {}
        }
        Ok(decision)
    }

    fn create(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        claim: &Claimed,
        now: Time,
    ) -> StoreResult<()> {
        self.begin(reader, claim, now)?;
        self.rescore(reading, None, "formed", now);
        Ok(())
    }

    fn reinforce(&mut self, reading: &mut Reading, claim: &Claimed, now: Time) {
        self.link(claim, Stance::Support, now);
        let Some(page) = self.pages.last_mut() else { return };
        let before = page.row.standing.status;
        page.row.standing.status = Status::Active;
        let id = page.row.id;
        if claim.voice.voucher == Voucher::Operator {
            self.disputes.push(Dispute::Settled { observation: id, how: "operator_stated", at: now });
        }
        let reason = if before == Status::Stale { "revived" } else { "supported" };
        self.rescore(reading, Some(before), reason, now);
    }

    fn supersede(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        claim: &Claimed,
        because: Because,
        now: Time,
    ) -> StoreResult<()> {
        let Some(old) = self.pages.last_mut() else { return Ok(()) };
        let (id, before, lost) = (old.row.id, old.row.standing.status, old.row.value.clone());
        old.row.standing.status = Status::Superseded;
        old.row.standing.due_at = None;
        self.disputes.push(Dispute::Settled { observation: id, how: because.as_str(), at: now });
        self.rescore(reading, Some(before), because.as_str(), now);
        self.begin(reader, claim, now)?;
        let losing: Vec<Claimed> = self.said.iter().filter(|said| holds(said, &lost)).cloned().collect();
        for said in &losing {
            self.link(said, Stance::Contradict, now);
        }
        self.rescore(reading, None, because.as_str(), now);
        Ok(())
    }

    fn contend(&mut self, reading: &mut Reading, claim: &Claimed, now: Time) {
        self.link(claim, Stance::Contradict, now);
        let Some(page) = self.pages.last() else { return };
        let (observation, before) = (page.row.id, page.row.standing.status);
        self.disputes.push(Dispute::Raised(Conflict {
            id: ConflictId::of(self.mind.mint.id(now)),
            observation,
            rival: claim.voice.value.clone(),
            raised_at: now,
            settled_at: None,
            settled_how: None,
        }));
        self.rescore(reading, Some(before), "contended", now);
    }

    /// The operator says that it is not so. What else was said of the question may take its place.
    fn give_up(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        claim: &Claimed,
        now: Time,
    ) -> StoreResult<()> {
        self.link(claim, Stance::Contradict, now);
        self.end(reading, "operator_denied", now);
        self.put_next_in_place(reader, reading, &claim.voice.value, now)
    }

    /// What is believed is believed no more.
    fn end(&mut self, reading: &mut Reading, reason: &'static str, now: Time) {
        let Some(page) = self.pages.last_mut() else { return };
        let (id, before) = (page.row.id, page.row.standing.status);
        page.row.standing.status = Status::Invalidated;
        page.row.standing.due_at = None;
        self.disputes.push(Dispute::Settled { observation: id, how: reason, at: now });
        self.rescore(reading, Some(before), reason, now);
    }

    /// The answer that weighs most beside the one that was given up, if there is any.
    fn put_next_in_place(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        given_up: &str,
        now: Time,
    ) -> StoreResult<()> {
        let others: Vec<&Voice> =
            self.said.iter().map(|said| &said.voice).filter(|voice| voice.value != given_up).collect();
        let Some(next) = decide::leading(self.question.kind, &others, now) else {
            return Ok(());
        };
        let heaviest = self.said.iter().filter(|said| holds(said, next)).max_by(|one, other| {
            one.voice.piece.weight.total_cmp(&other.voice.piece.weight).then(one.seq.cmp(&other.seq))
        });
        match heaviest.cloned() {
            Some(claim) => self.create(reader, reading, &claim, now),
            None => Ok(()),
        }
    }

    /// A new belief, with all that was said for and against it so far.
    fn begin(&mut self, reader: &mut Reader, claim: &Claimed, now: Time) -> StoreResult<()> {
        let id = self.next_id(now);
        let founded_on = provenance_of(reader, self.agent, claim.source)?;
        let Ok(lineage) = Lineage::of(&founded_on) else {
            return Err(StoreError::BadValue("a private row feeds no observation".into()));
        };
        let row = Observation {
            id,
            agent: self.agent.id,
            kind: self.question.kind,
            subject: self.question.subject.clone(),
            key: self.key.clone(),
            value: claim.voice.value.clone(),
            summary: claim.sentence.clone(),
            detail: None,
            tags: Vec::new(),
            supersedes: self.took_the_place_of(&claim.voice.value),
            created_at: now,
            phrasing: None,
            standing: Standing {
                status: Status::Active,
                components: Components::of(Inputs::default()),
                freshness: 1.0,
                due_at: None,
                first_supported_at: None,
                last_supported_at: None,
                last_contradicted_at: None,
                updated_at: now,
            },
        };
        let row = Kept::new(row, Provenance::derived(&lineage, None)).counted(count(&claim.sentence));
        self.pages.push(Page {
            row,
            evidence: Vec::new(),
            stored: 0,
            is_new: true,
            is_changed: true,
            was_held: false,
        });
        let of_it: Vec<Claimed> =
            self.said.iter().filter(|said| said.voice.value == claim.voice.value).cloned().collect();
        for said in &of_it {
            let stance = match said.voice.says {
                Says::Holds => Stance::Support,
                Says::Denies => Stance::Contradict,
                Says::Touches => Stance::Context,
            };
            self.link(said, stance, now);
        }
        Ok(())
    }

    /// After those of all earlier answers, since the newest is found by its id: two may be formed in one instant, or by
    /// processes whose clocks differ.
    fn next_id(&self, now: Time) -> ObservationId {
        let mint = &self.mind.mint;
        let id = self.pages.last().map_or_else(|| mint.id(now), |page| mint.id_after(now, page.row.id.id()));
        ObservationId::of(id)
    }

    /// The belief before this value: the latest other one, since nothing takes its own place.
    fn took_the_place_of(&self, value: &str) -> Option<ObservationId> {
        let last = &self.pages.last()?.row;
        if last.value == value { last.supersedes } else { Some(last.id) }
    }

    /// Links a claim to the newest belief.
    fn link(&mut self, claim: &Claimed, stance: Stance, now: Time) {
        let Some(page) = self.pages.last_mut() else { return };
        page.is_changed = true;
        let standing = &mut page.row.standing;
        let at = claim.voice.piece.at;
        match stance {
            Stance::Support => {
                standing.first_supported_at = Some(standing.first_supported_at.map_or(at, |t| t.min(at)));
                standing.last_supported_at = Some(standing.last_supported_at.map_or(at, |t| t.max(at)));
            }
            Stance::Contradict => {
                standing.last_contradicted_at = Some(standing.last_contradicted_at.map_or(at, |t| t.max(at)));
            }
            Stance::Context => {}
        }
        page.evidence.push(Evidence {
            observation: page.row.id,
            id: EvidenceId::of(self.mind.mint.id(now)),
            source: claim.source,
            stance,
            confirms: claim.confirms,
            excerpt: claim.sentence.clone(),
            piece: claim.voice.piece.clone(),
            created_at: now,
            withdrawn_at: None,
        });
    }

    /// Counts again what the newest belief rests on, and notes the change.
    fn rescore(&mut self, reading: &mut Reading, from: Option<Status>, reason: &str, now: Time) {
        let kind = self.question.kind;
        let Some(page) = self.pages.last_mut() else { return };
        page.is_changed = true;
        let components = components(page, now);
        let outweighed = tally(page.against_since(), None).weight > components.inputs.support;
        let heard = page.heard();
        let standing = &mut page.row.standing;
        standing.components = components;
        standing.freshness = heard.freshness(kind, now);
        standing.updated_at = now;
        if standing.status.is_held() {
            standing.due_at = Some(if outweighed { now } else { heard.due_at(kind) });
        }
        self.changes.push(Change {
            observation: page.row.id,
            seq: reading.take(),
            at: now,
            from,
            to: page.row.standing.status,
            confidence: page.row.standing.confidence(),
            reason: reason.to_owned(),
        });
    }
}

fn holds(claim: &Claimed, value: &str) -> bool {
    claim.voice.says == Says::Holds && claim.voice.value == value
}

fn components(page: &Page, now: Time) -> Components {
    let support = tally(page.pieces(Stance::Support), None);
    let against = tally(page.pieces(Stance::Contradict), None);
    let confirmed = page.evidence.iter().any(|one| one.confirms && one.stance == Stance::Support);
    let days =
        page.row.standing.last_supported_at.map(|at| now.since(at).as_micros() as f64 / MICROS_PER_DAY);
    Components::of(Inputs {
        sources: support.sources,
        sorts: support.sorts,
        support: support.weight,
        against_sources: against.sources,
        against: against.weight,
        settled: (against.weight - tally(page.against_since(), None).weight).max(0.0),
        days: days.filter(|_| support.sources > 0),
        confirmed,
    })
}

impl Book<'_> {
    /// Looks again at a belief that is due.
    pub(crate) fn revalidate(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        now: Time,
    ) -> StoreResult<()> {
        let Some(page) = self.pages.last().filter(|page| page.is_held()) else {
            return Ok(());
        };
        let (before, value) = (page.row.standing.status, page.row.value.clone());
        let judged = decide::revalidate(
            self.question.kind,
            page.heard(),
            page.pieces(Stance::Support),
            page.against_since(),
            now,
        );
        if judged.status == Status::Invalidated {
            self.end(reading, "outweighed", now);
            return self.put_next_in_place(reader, reading, &value, now);
        }
        let reason = if judged.status == Status::Stale { "nobody_says_so" } else { "looked_at" };
        if let Some(page) = self.pages.last_mut() {
            page.row.standing.status = judged.status;
        }
        self.rescore(reading, Some(before), reason, now);
        if let Some(page) = self.pages.last_mut() {
            page.row.standing.due_at = judged.due_at;
        }
        Ok(())
    }

    /// Leaves out what is withdrawn, and counts again what the newest belief rests on. Says what became of it.
    pub(crate) fn leave_out(
        &mut self,
        reader: &mut Reader,
        reading: &mut Reading,
        withdrawn: &Withdrawn,
        reason: &'static str,
        now: Time,
    ) -> StoreResult<LeftOut> {
        self.said.retain(|said| !withdrawn.covers(said.source, &said.voice.piece.origins));
        let Some(page) = self.pages.last_mut() else { return Ok(LeftOut::Nothing) };
        let before = page.evidence.len();
        page.evidence.retain(|one| !withdrawn.covers(one.source, &one.piece.origins));
        if page.evidence.len() == before {
            return Ok(LeftOut::Nothing);
        }
        page.stored = page.evidence.len();
        let last = |stance: Stance, evidence: &[Evidence]| {
            evidence.iter().filter(|one| one.stance == stance).map(|one| one.piece.at).max()
        };
        page.row.standing.last_supported_at = last(Stance::Support, &page.evidence);
        page.row.standing.last_contradicted_at = last(Stance::Contradict, &page.evidence);
        let (status, value) = (page.row.standing.status, page.row.value.clone());
        let rests_on_something = page.pieces(Stance::Support).next().is_some();
        if !status.is_held() || rests_on_something {
            self.rescore(reading, Some(status), reason, now);
            return Ok(if status.is_held() { LeftOut::Stands } else { LeftOut::Nothing });
        }
        self.end(reading, reason, now);
        self.put_next_in_place(reader, reading, &value, now)?;
        Ok(LeftOut::Fell)
    }

    /// Ends what is believed, since the question is asked no more.
    pub(crate) fn close_question(&mut self, reading: &mut Reading, reason: &'static str, now: Time) {
        if self.held().is_some() {
            self.end(reading, reason, now);
        }
    }

    /// The beliefs that it knows of, the newest last.
    pub(crate) fn beliefs(&self) -> impl Iterator<Item = &Kept<Observation>> {
        self.pages.iter().map(|page| &page.row)
    }

    /// Writes what changed, but for what many books write together.
    pub(crate) fn close(mut self, writer: &mut Writer, together: &mut Together) -> StoreResult<()> {
        let agent = self.agent.id;
        let mut acts = Vec::new();
        for page in self.pages.iter_mut().filter(|page| page.is_changed) {
            match page.is_new {
                true => observations::insert(writer, &page.row)?,
                false => observations::stand(writer, &page.row)?,
            }
            together.evidence.extend(page.evidence.drain(page.stored..));
            keep_indexed(writer, page)?;
            acts.extend(act(page));
        }
        for dispute in &self.disputes {
            match dispute {
                Dispute::Settled { observation, how, at } => {
                    conflicts::settle(writer, agent, *observation, how, *at)?;
                }
                Dispute::Raised(conflict) => {
                    if conflicts::raise(writer, agent, conflict)? {
                        let subject = conflict.observation.id();
                        acts.push(Act { act: "contested", subject_kind: "observation", subject });
                    }
                }
            }
        }
        if !acts.is_empty() {
            // The log tells when it was done, the history of the belief since when it is so.
            events::record(writer, agent, self.mind.now(), &acts)?;
        }
        together.changes.append(&mut self.changes);
        Ok(())
    }
}

/// What is inserted for many books at once: a statement for each row costs more than the row.
#[derive(Default)]
pub(crate) struct Together {
    evidence: Vec<Evidence>,
    changes: Vec<Change>,
}

impl Together {
    /// Writes it, after the beliefs that it is about.
    pub(crate) fn write(self, writer: &mut Writer, agent: AgentId) -> StoreResult<()> {
        evidence::insert(writer, agent, &self.evidence)?;
        observations::record(writer, agent, &self.changes)
    }
}

/// What is believed is found by its words; what is not any more is not.
fn keep_indexed(writer: &mut Writer, page: &Page) -> StoreResult<()> {
    let row = &page.row;
    let (was, is) = (page.was_held && !page.is_new, page.is_held());
    if was == is {
        return Ok(());
    }
    let words = count_terms(&row.indexed_text());
    match is {
        true => postings::insert(
            writer,
            row.agent,
            Kind::Observation,
            &crate::indexing::of_observation(row, &words),
        )
        .map(drop),
        false => {
            postings::remove(writer, row.agent, Kind::Observation, row.id.id(), &words)?;
            vectors::remove(writer, row.agent, Kind::Observation, row.id.id()).map(drop)
        }
    }
}

fn act(page: &Page) -> Option<Act> {
    let act = match (page.is_new, page.was_held, page.row.standing.status) {
        (true, _, Status::Active) => "believed",
        (_, true, Status::Superseded) => "superseded",
        (_, true, Status::Invalidated) => "invalidated",
        (_, true, Status::Stale) => "went_stale",
        _ => return None,
    };
    Some(Act { act, subject_kind: "observation", subject: page.row.id.id() })
}

//! The verbs *know* and *why*: what is believed, now or at an earlier moment, and all that it rests on.

use super::source::provenance_of;
use crate::error::{Error, Result, StoreResult, check_limit};
use crate::mind::Access;
use crate::principal::Principal;
use crate::sound::sound;
use selfsame_core::entity::name_key;
use selfsame_core::id::{AgentId, EntityId, Id, MemoryId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::evidence::{SourceSort, tally};
use selfsame_core::knowledge::freshness::Heard;
use selfsame_core::knowledge::key::{Question, segment};
use selfsame_core::knowledge::router;
use selfsame_core::knowledge::slot::seeded;
use selfsame_core::knowledge::subject::{SELF, WORLD};
use selfsame_core::knowledge::{Observation, ObservationKind, Stance, Status, Subject, SubjectType};
use selfsame_core::nearest::nearest;
use selfsame_core::text::terms;
use selfsame_core::time::Time;
use selfsame_core::trust::Provenance;
use selfsame_store::entities;
use selfsame_store::knowledge::conflicts::{self, Conflict};
use selfsame_store::knowledge::evidence::{self, Evidence};
use selfsame_store::knowledge::observations::{self, Change};
use selfsame_store::{Reader, memory};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Beliefs in one answer, at most.
const MAX_LIMIT: usize = 200;
/// Beliefs of one subject that are looked through.
const LOOKED_THROUGH: i64 = 2_000;

/// What is asked of the beliefs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeliefQuery {
    /// Of whom or what: a name, an id, `self`, `world`. None: of anything.
    pub about: Option<String>,
    /// Only of this kind.
    pub kind: Option<ObservationKind>,
    /// Only answers to this question.
    pub slot: Option<String>,
    /// As it was then.
    pub as_of: Option<Time>,
    /// With what was believed before.
    pub history: bool,
    /// How many to pass over.
    pub offset: usize,
    /// How many, at most.
    pub limit: usize,
}

impl Default for BeliefQuery {
    fn default() -> BeliefQuery {
        BeliefQuery { about: None, kind: None, slot: None, as_of: None, history: false, offset: 0, limit: 20 }
    }
}

/// Something that is believed, as it stands at the moment that was asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Belief {
    /// The observation. Its standing is that of now.
    pub observation: Kept<Observation>,
    /// What its subject is called.
    pub subject: String,
    /// How it stood then.
    pub status: Status,
    /// How far it was believed then.
    pub confidence: f64,
    /// How current it was then.
    pub freshness: f64,
    /// Independent sources that spoke for it then.
    pub sources: u32,
    /// Independent sources that spoke against it then.
    pub against: u32,
    /// When it was last said, by then.
    pub last_supported_at: Option<Time>,
    /// Whether an answer beside it was not settled.
    pub contested: bool,
    /// Whether the operator had confirmed it by then.
    pub confirmed: bool,
}

impl Belief {
    /// What people call it: `subject/slot`, with the value where values coexist.
    pub fn name(&self) -> String {
        match Question::parse(&self.observation.key) {
            Some(Question { slot, value: Some(value), .. }) => format!("{}/{slot}#{value}", self.subject),
            Some(Question { slot, .. }) => format!("{}/{slot}", self.subject),
            None => self.observation.key.clone(),
        }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Told {
    /// The beliefs, the surest first.
    pub beliefs: Vec<Belief>,
    /// Those that are damaged, by name.
    pub damaged: Vec<String>,
}

/// A piece of evidence with its words and who said them.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// The link, the row it names, its stance and weight.
    pub evidence: Evidence,
    /// Whose words: an author's, or what sort of row it is.
    pub author: String,
    /// In whose name, by name.
    pub principal: Option<String>,
}

/// Why something is believed.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The belief.
    pub belief: Belief,
    /// What speaks for and against it, the first first.
    pub evidence: Vec<Piece>,
    /// Pieces whose sources were forgotten.
    pub forgotten: u64,
    /// Every change, the first first.
    pub changes: Vec<Change>,
    /// What was believed before, the latest first.
    pub before: Vec<Belief>,
    /// What is not settled, and what was.
    pub conflicts: Vec<Conflict>,
}

/// A question with two answers.
#[derive(Clone, PartialEq, Debug)]
pub struct Conflicting {
    /// Since when, and what speaks against.
    pub conflict: Conflict,
    /// What is believed.
    pub belief: Belief,
}

impl Access<'_> {
    /// What is believed. What was stored a moment ago is read first.
    pub fn know(&self, query: &BeliefQuery) -> Result<Told> {
        check_limit(query.limit, MAX_LIMIT)?;
        self.consolidate()?;
        let subjects = query.about.as_deref().map(|about| self.subjects(about)).transpose()?;
        let now = query.as_of.unwrap_or_else(|| self.mind.now());
        let agent = self.agent.id;
        let told = self.mind.store.read(&self.caller, &[agent], |reader| {
            let only_held = query.as_of.is_none() && !query.history;
            let mut rows = Vec::new();
            match &subjects {
                Some(subjects) => {
                    for subject in subjects {
                        rows.extend(observations::of_subject(
                            reader,
                            agent,
                            subject,
                            only_held,
                            LOOKED_THROUGH,
                        )?);
                    }
                }
                None if only_held => rows.extend(observations::surest(reader, agent, LOOKED_THROUGH)?),
                None => rows.extend(observations::newest(reader, agent, LAST, LOOKED_THROUGH)?),
            }
            let (rows, damaged) = sound(rows)?;
            let rows = rows.into_iter().filter(|row| query.fits(row)).collect();
            Ok(Told { beliefs: beliefs(reader, self, rows, query, Look::exactly(now))?, damaged })
        })?;
        Ok(told)
    }

    /// Why something is believed, or was.
    pub fn why(&self, id: ObservationId) -> Result<Option<Explanation>> {
        self.consolidate()?;
        let principals = self.principal_list()?;
        let now = self.mind.now();
        let agent = self.agent.id;
        let query = BeliefQuery { history: true, ..BeliefQuery::default() };
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let Some(row) = observations::by_id(reader, agent, id)? else {
                return Ok(None);
            };
            let earlier = earlier(reader, agent, &row)?;
            let mut all = beliefs(reader, self, vec![row], &query, Look::exactly(now))?;
            let Some(belief) = all.pop() else {
                return Ok(None);
            };
            let mut before = beliefs(reader, self, earlier, &query, Look::exactly(now))?;
            before.sort_by_key(|belief| std::cmp::Reverse(belief.observation.id));
            Ok(Some(Explanation {
                evidence: self.pieces_seen(reader, id, &principals)?,
                forgotten: evidence::buried(reader, agent, id)?,
                changes: observations::changes(reader, agent, id)?,
                // The other side may be what nobody vouches for.
                conflicts: match self.caller.is_unattended() {
                    true => Vec::new(),
                    false => conflicts::of(reader, agent, id)?,
                },
                belief,
                before,
            }))
        })?)
    }

    /// The evidence that the caller may be told of.
    fn pieces_seen(
        &self,
        reader: &mut Reader,
        id: ObservationId,
        principals: &[Principal],
    ) -> StoreResult<Vec<Piece>> {
        let mut seen = Vec::new();
        for piece in pieces(reader, self.agent.id, id, principals)? {
            let is_seen = !self.caller.is_unattended()
                || provenance_of(reader, &self.agent, piece.evidence.source)?.is_quotable();
            if is_seen {
                seen.push(piece);
            }
        }
        Ok(seen)
    }

    /// The moment up to which something is asked, as people write it; of a day, its end.
    pub fn until(&self, written: &str) -> Result<Time> {
        self.moment(written).map(|(_, end)| end)
    }

    /// The observation that somebody means: by its id, by its key, or as what is believed about a subject's question,
    /// written `subject/slot`.
    pub fn find_observation(&self, text: &str) -> Result<ObservationId> {
        let agent = self.agent.id;
        let by_name = |reader: &mut Reader| match text.parse::<ObservationId>() {
            Ok(id) => observations::by_id(reader, agent, id),
            Err(_) if Question::parse(text).is_some() => observations::latest_of_key(reader, agent, text),
            Err(_) => Ok(None),
        };
        self.consolidate()?;
        match self.mind.store.read(&self.caller, &[agent], by_name)? {
            Some(row) => Ok(row.id),
            None => self.meant_by(text),
        }
    }

    /// The one belief that is called so, or a refusal that names those it could be.
    fn meant_by(&self, text: &str) -> Result<ObservationId> {
        let (about, slot) = match text.rsplit_once('/') {
            Some((about, slot)) => (about, Some(slot)),
            None => (text, None),
        };
        let of = BeliefQuery { about: Some(about.to_owned()), limit: MAX_LIMIT, ..BeliefQuery::default() };
        let held = self.know(&of)?.beliefs;
        // What nobody believes any more can be explained too.
        let all =
            if held.is_empty() { self.know(&BeliefQuery { history: true, ..of })?.beliefs } else { held };
        let is_meant = |belief: &&Belief| slot.is_none_or(|slot| belief.answers(slot));
        let meant: Vec<&Belief> = all.iter().filter(is_meant).collect();
        let keys: BTreeSet<&str> = meant.iter().map(|belief| belief.observation.key.as_str()).collect();
        match (meant.first(), keys.len()) {
            (Some(only), 1) => Ok(only.observation.id),
            (Some(_), _) => Err(ambiguous(text, &meant)),
            (None, _) => Err(self.no_such_belief(text, &all)?),
        }
    }

    /// What is refused names the nearest: of what is believed of the subject, else of all.
    fn no_such_belief(&self, text: &str, of_subject: &[Belief]) -> Result<Error> {
        let names = |beliefs: &[Belief]| beliefs.iter().map(Belief::name).collect::<BTreeSet<String>>();
        let mut known = names(of_subject);
        if known.is_empty() && text.parse::<ObservationId>().is_err() {
            known = names(&self.know(&BeliefQuery { limit: MAX_LIMIT, ..BeliefQuery::default() })?.beliefs);
        }
        let near = nearest(text, known.iter().map(String::as_str)).map(str::to_owned);
        let near = near.or_else(|| (!of_subject.is_empty()).then(|| listed(&known)));
        let hint = match near {
            Some(near) => format!("; did you mean {near}?"),
            None => ": `selfsame know list` shows what is believed".to_owned(),
        };
        Ok(Error::NoSuchBelief { text: text.chars().take(64).collect(), hint })
    }

    /// Questions with two answers, the newest first.
    pub fn conflicts(&self, settled_too: bool, limit: usize) -> Result<Vec<Conflicting>> {
        check_limit(limit, MAX_LIMIT)?;
        self.consolidate()?;
        let now = self.mind.now();
        let agent = self.agent.id;
        let query = BeliefQuery { history: true, ..BeliefQuery::default() };
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let found = conflicts::newest(reader, agent, !settled_too, limit as i64)?;
            let mut ids: Vec<ObservationId> = found.iter().map(|conflict| conflict.observation).collect();
            ids.sort();
            ids.dedup();
            let (rows, _) = sound(observations::by_ids(reader, agent, &ids)?)?;
            let beliefs = beliefs(reader, self, rows, &query, Look::exactly(now))?;
            let of = |id: ObservationId| beliefs.iter().find(|belief| belief.observation.id == id).cloned();
            let both = |conflict: Conflict| Some(Conflicting { belief: of(conflict.observation)?, conflict });
            Ok(found.into_iter().filter_map(both).collect())
        })?)
    }

    /// Of whom or what a name speaks: everybody who has it, with who was merged into them; and a project and a tool of
    /// that name.
    fn subjects(&self, about: &str) -> Result<Vec<Subject>> {
        let agent = self.agent.id;
        if about == SELF || name_key(about) == name_key(&self.agent.name) {
            return Ok(vec![Subject::own()]);
        }
        if about == WORLD {
            return Ok(vec![Subject::world()]);
        }
        let mut subjects = vec![Subject::project(about), Subject::tool(about)];
        self.mind.store.read(&self.caller, &[agent], |reader| {
            let ids = match about.parse::<EntityId>() {
                Ok(id) => vec![id],
                Err(_) => {
                    let key = name_key(about);
                    entities::by_name_keys(reader, agent, &[&key])?.remove(&key).unwrap_or_default()
                }
            };
            for id in ids {
                for member in entities::family(reader, agent, id)? {
                    for sort in [SubjectType::Entity, SubjectType::Agent] {
                        subjects.push(Subject { sort, id: member.to_string() });
                    }
                }
            }
            Ok(())
        })?;
        Ok(subjects)
    }
}

/// After every id.
const LAST: Id = Id::from_bytes([0xff; 16]);

/// Names in a refusal, at most.
const NAMED: usize = 5;

fn listed(names: &BTreeSet<String>) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = if names.len() > NAMED { ", ..." } else { "" };
    format!("{}{more}", first.join(", "))
}

fn ambiguous(text: &str, meant: &[&Belief]) -> Error {
    let text: String = text.chars().take(64).collect();
    let names: BTreeSet<String> = meant.iter().map(|belief| belief.name()).collect();
    let ids: BTreeSet<String> = meant.iter().map(|belief| belief.observation.id.to_string()).collect();
    // One name may be that of two questions, of two kinds.
    let those = match names.len() < ids.len() {
        true => format!("by its id ({})", listed(&ids)),
        false => format!("({})", listed(&names)),
    };
    Error::Unfit(format!("{text} can mean several beliefs: name one of them {those}"))
}

/// Whether a key is the question that somebody writes: a slot or its synonym, with the value where values coexist.
fn asks(key: &str, written: &str) -> bool {
    let (slot, value) = match written.split_once('#') {
        Some((slot, value)) => (slot, Some(segment(value))),
        None => (written, None),
    };
    let slot = segment(slot);
    let slot = seeded(&slot).map_or(slot.as_str(), |known| known.name);
    Question::parse(key)
        .is_some_and(|question| question.slot == slot && (value.is_none() || question.value == value))
}

impl Belief {
    /// Whether it can be relied on for how things are now.
    pub fn comes_first(&self) -> bool {
        router::comes_first(self.status, self.confidence, self.freshness)
    }

    /// Whether a text has no word that it does not have itself: its summary, its subject's name, its question and answer.
    pub fn states(&self, text: &str) -> bool {
        let own = format!("{} {}", self.observation.indexed_text(), self.subject);
        let own: BTreeSet<String> = terms(&own).into_iter().collect();
        terms(text).iter().all(|term| own.contains(term))
    }

    fn answers(&self, written: &str) -> bool {
        asks(&self.observation.key, written)
    }
}

impl BeliefQuery {
    fn fits(&self, row: &Observation) -> bool {
        self.kind.is_none_or(|kind| kind == row.kind)
            && self.slot.as_ref().is_none_or(|slot| asks(&row.key, slot))
            && self.as_of.is_none_or(|then| row.created_at <= then)
    }

    fn wants(&self, belief: &Belief) -> bool {
        self.history || belief.status.is_held()
    }
}

/// The rows as they stand at a moment, the surest first.
fn beliefs(
    reader: &mut Reader,
    access: &Access<'_>,
    rows: Vec<Kept<Observation>>,
    query: &BeliefQuery,
    look: Look,
) -> StoreResult<Vec<Belief>> {
    let (agent, now) = (access.agent.id, look.at);
    let rows = seen_by(reader, access, rows)?;
    let then = match query.as_of {
        Some(then) => as_of(reader, agent, &rows, then)?,
        None => BTreeMap::new(),
    };
    let ids: Vec<ObservationId> = rows.iter().map(|row| row.id).collect();
    let evidence = match query.as_of {
        Some(_) => evidence::of_all(reader, agent, &ids)?,
        None => BTreeMap::new(),
    };
    let names = names(reader, agent, &rows)?;
    let contested = contested(reader, agent, &rows, now)?;
    let mut beliefs = Vec::with_capacity(rows.len());
    for row in rows {
        let (status, confidence) = match then.get(&row.id) {
            Some(change) => (change.to, change.confidence),
            None => (row.standing.status, row.standing.confidence()),
        };
        let rest = match query.as_of {
            Some(then) => Rest::by(evidence.get(&row.id).map(Vec::as_slice).unwrap_or_default(), then),
            None => Rest::of(&row),
        };
        beliefs.push(Belief {
            subject: names.get(&row.subject.id).cloned().unwrap_or_else(|| row.subject.id.clone()),
            status,
            confidence,
            freshness: look.freshness(rest.heard(&row), row.kind),
            sources: rest.sources,
            against: rest.against,
            last_supported_at: rest.supported_at,
            contested: contested.contains(&row.id),
            confirmed: rest.confirmed,
            observation: row,
        });
    }
    beliefs.retain(|belief| query.wants(belief));
    let place = |belief: &Belief| (belief.status, belief.confidence, belief.observation.id);
    beliefs.sort_by(|one, other| router::surest_first(place(one), place(other)));
    beliefs.drain(..query.offset.min(beliefs.len()));
    beliefs.truncate(query.limit);
    Ok(beliefs)
}

/// What of these rows is believed, or was at an earlier moment, with how current it is at the end of that day, by whole days.
pub(crate) fn held_at(
    reader: &mut Reader,
    access: &Access<'_>,
    rows: Vec<Kept<Observation>>,
    as_of: Option<Time>,
    tonight: Time,
) -> StoreResult<Vec<Belief>> {
    let query = BeliefQuery { as_of, limit: rows.len(), ..BeliefQuery::default() };
    let known = rows.into_iter().filter(|row| query.fits(row)).collect();
    beliefs(reader, access, known, &query, Look { at: tonight, by_whole_days: true })
}

/// The rows that the caller may be told of: where nobody watches, those that rest on nothing but what somebody vouches for.
fn seen_by(
    reader: &mut Reader,
    access: &Access<'_>,
    rows: Vec<Kept<Observation>>,
) -> StoreResult<Vec<Kept<Observation>>> {
    if !access.caller.is_unattended() {
        return Ok(rows);
    }
    let ids: Vec<ObservationId> = rows.iter().map(|row| row.id).collect();
    let evidence = evidence::of_all(reader, access.agent.id, &ids)?;
    let mut seen = Vec::with_capacity(rows.len());
    for row in rows.into_iter().filter(|row| row.provenance.is_quotable()) {
        let mut is_vouched_for = true;
        let speaks_for =
            evidence.get(&row.id).into_iter().flatten().filter(|one| one.stance == Stance::Support);
        for piece in speaks_for {
            is_vouched_for &= provenance_of(reader, &access.agent, piece.source)?.is_quotable();
        }
        if is_vouched_for {
            seen.push(row);
        }
    }
    Ok(seen)
}

/// The moment at which beliefs are looked at.
#[derive(Clone, Copy)]
struct Look {
    at: Time,
    /// So that the same question gets the same answer all day, and two beliefs of a day are equally current.
    by_whole_days: bool,
}

impl Look {
    const fn exactly(at: Time) -> Look {
        Look { at, by_whole_days: false }
    }

    fn freshness(self, heard: Heard, kind: ObservationKind) -> f64 {
        let days = self.at.since(heard.supported_at).as_secs() / DAY.as_secs();
        let days = DAY.saturating_mul(u32::try_from(days).unwrap_or(u32::MAX));
        let at = if self.by_whole_days { heard.supported_at.saturating_add(days) } else { self.at };
        heard.freshness(kind, at)
    }
}

/// What a belief rests on at a moment.
struct Rest {
    sources: u32,
    against: u32,
    supported_at: Option<Time>,
    contradicted_at: Option<Time>,
    confirmed: bool,
}

impl Rest {
    /// As it is now.
    fn of(row: &Observation) -> Rest {
        let standing = &row.standing;
        Rest {
            sources: standing.components.inputs.sources,
            against: standing.components.inputs.against_sources,
            supported_at: standing.last_supported_at,
            contradicted_at: standing.last_contradicted_at,
            confirmed: standing.components.inputs.confirmed,
        }
    }

    /// As it was: of what was linked by then and not yet withdrawn.
    fn by(evidence: &[Evidence], then: Time) -> Rest {
        let linked = |stance: Stance| {
            let counts = move |one: &&Evidence| {
                let withdrawn = one.withdrawn_at.is_some_and(|at| at <= then);
                one.stance == stance && one.created_at <= then && !withdrawn
            };
            evidence.iter().filter(counts)
        };
        let counted = |stance: Stance| linked(stance).map(|one| &one.piece);
        let last = |stance: Stance| counted(stance).map(|piece| piece.at).max();
        Rest {
            sources: tally(counted(Stance::Support), None).sources,
            against: tally(counted(Stance::Contradict), None).sources,
            supported_at: last(Stance::Support),
            contradicted_at: last(Stance::Contradict),
            confirmed: linked(Stance::Support).any(|one| one.confirms),
        }
    }

    fn heard(&self, row: &Observation) -> Heard {
        Heard {
            supported_at: self.supported_at.unwrap_or(row.created_at),
            contradicted_at: self.contradicted_at,
        }
    }
}

/// Which of these had an answer beside them at a moment that was not settled.
fn contested(
    reader: &mut Reader,
    agent: AgentId,
    rows: &[Kept<Observation>],
    now: Time,
) -> StoreResult<BTreeSet<ObservationId>> {
    let ids: Vec<ObservationId> = rows.iter().map(|row| row.id).collect();
    let is_open = |conflict: &Conflict| {
        conflict.raised_at <= now && conflict.settled_at.is_none_or(|settled| settled > now)
    };
    let conflicts = conflicts::of_all(reader, agent, &ids)?;
    Ok(conflicts.into_iter().filter(is_open).map(|conflict| conflict.observation).collect())
}

/// The last change of each by a moment.
fn as_of(
    reader: &mut Reader,
    agent: AgentId,
    rows: &[Kept<Observation>],
    then: Time,
) -> StoreResult<BTreeMap<ObservationId, Change>> {
    let ids: Vec<ObservationId> = rows.iter().map(|row| row.id).collect();
    let changes = observations::changes_by(reader, agent, &ids, then)?;
    // The latest of each comes last.
    Ok(changes.into_iter().map(|change| (change.observation, change)).collect())
}

/// What the subjects of rows are called.
pub(super) fn names(
    reader: &mut Reader,
    agent: AgentId,
    rows: &[Kept<Observation>],
) -> StoreResult<BTreeMap<String, String>> {
    let ids: BTreeSet<EntityId> = rows.iter().filter_map(|row| row.subject.id.parse().ok()).collect();
    let ids: Vec<EntityId> = ids.into_iter().collect();
    let named = |entity: entities::Entity| (entity.id.to_string(), entity.name);
    Ok(entities::by_ids(reader, agent, &ids)?.into_iter().map(named).collect())
}

/// What was believed before, along the chain.
fn earlier(reader: &mut Reader, agent: AgentId, row: &Observation) -> StoreResult<Vec<Kept<Observation>>> {
    let mut chain = Vec::new();
    let mut next = row.supersedes;
    while let Some(id) = next {
        let Some(row) = observations::by_id(reader, agent, id)? else { break };
        next = row.supersedes;
        chain.push(row);
    }
    Ok(chain)
}

/// The evidence of an observation, with who said it.
fn pieces(
    reader: &mut Reader,
    agent: AgentId,
    id: ObservationId,
    principals: &[Principal],
) -> StoreResult<Vec<Piece>> {
    let evidence = evidence::of(reader, agent, id)?;
    let memories: Vec<MemoryId> = evidence
        .iter()
        .filter(|one| one.source.sort == SourceSort::Memory)
        .map(|one| MemoryId::of(one.source.id))
        .collect();
    let (memories, _) = sound(memory::by_ids(reader, agent, &memories)?)?;
    let piece = |evidence: Evidence| {
        let memory = memories.iter().find(|memory| memory.id.id() == evidence.source.id);
        let provenance = memory.map(|memory| &memory.provenance);
        let author = provenance.map_or(evidence.source.sort.as_str(), |said| said.author().as_str());
        let principal = provenance.and_then(Provenance::principal_id);
        let called = |known: &&Principal| Some(known.id) == principal;
        let principal = principals.iter().find(called).map(|known| known.name.clone());
        Piece { author: author.to_owned(), principal, evidence }
    };
    let mut pieces: Vec<Piece> = evidence.into_iter().map(piece).collect();
    let side = |stance: Stance| match stance {
        Stance::Support => 0,
        Stance::Contradict => 1,
        Stance::Context => 2,
    };
    pieces.sort_by_key(|piece| (side(piece.evidence.stance), piece.evidence.piece.at, piece.evidence.id));
    Ok(pieces)
}

//! The verb *recall*: find what answers a question, or say that there is nothing.
//!
//! A list of stages, each a file: the question is read and the indexes propose (`propose`), what the caller may not see is
//! left out (`seen`), the core weighs, fuses and says how likely there is an answer at all (`selfsame_core::recall`), the best
//! are looked at for the question's phrases (`closer`), rows are read in the order of their fit and ranked as the mode wants
//! (`gather`).

mod closer;
mod gather;
mod propose;
mod seen;
mod written;

use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::knowledge::Belief;
use crate::meaning::Asked;
use crate::mind::Access;
use crate::summary::SummaryCard;
use gather::{Gathered, Gathering, Ranked, Rows};
use propose::{CONSIDERED, CONSIDERED_AT_MOST, Fitted, Proposals, propose, read_question};
use selfsame_core::conversation::Message;
use selfsame_core::id::{AgentId, EntityId, Id, MemoryId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::recall::abstain::Verdict;
use selfsame_core::recall::explain::{explain_fit, words_found};
use selfsame_core::recall::plan::{Plan, speaks_of_oneself};
use selfsame_core::recall::weights::fusion;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Provenance;
use selfsame_store::Reader;
use selfsame_store::knowledge::evidence;
use std::borrow::Cow;

pub use crate::meaning::ByMeaning;
pub use selfsame_core::recall::explain::{Part, WordFound};
pub use selfsame_core::recall::{Filter, Fit, Layer, Mode};
pub use selfsame_core::recall::{features, fillers, learn, meaning, metrics, weights};
pub use written::Written;

/// Answers, at most.
pub const MAX_LIMIT: usize = 1000;
/// Answers that can be passed over, at most.
pub const MAX_OFFSET: usize = 10_000;
/// Bytes in a question, at most.
pub(crate) const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// What is asked.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Question {
    /// In words.
    pub text: String,
    /// Answers, at most; the settings' number if not given.
    pub limit: Option<usize>,
    /// What weighs most.
    pub mode: Mode,
    /// What an answer must be.
    pub filter: Filter,
    /// Answers that are passed over: the next page begins after them.
    pub offset: usize,
    /// Answer from what was known then.
    pub as_of: Option<Time>,
    /// Give the best there is, even where there is likely no answer among it.
    pub anyway: bool,
}

impl Question {
    /// A question in words.
    pub fn new(text: impl Into<String>) -> Question {
        Question { text: text.into(), ..Question::default() }
    }
}

/// What an answer is.
#[derive(Clone, PartialEq, Debug)]
pub enum Found {
    /// A memory.
    Memory(Box<Memory>),
    /// Something that was said in a conversation.
    Message(Kept<Message>),
    /// Something that is believed, as it stands at the moment that is asked about.
    Observation(Box<Belief>),
    /// What self-care made of what it put away, with what it was made from.
    Summary(Box<SummaryCard>),
}

impl Found {
    /// Its id, without its kind.
    pub fn id(&self) -> Id {
        match self {
            Found::Memory(memory) => memory.id.id(),
            Found::Message(message) => message.id.id(),
            Found::Observation(belief) => belief.observation.id.id(),
            Found::Summary(card) => card.summary.id().id(),
        }
    }

    /// Its words.
    pub fn content(&self) -> &str {
        match self {
            Found::Memory(memory) => &memory.content,
            Found::Message(message) => &message.content,
            Found::Observation(belief) => &belief.observation.summary,
            Found::Summary(card) => card.summary.content(),
        }
    }

    /// The words by which it is found.
    fn searched(&self) -> Cow<'_, str> {
        match self {
            Found::Summary(card) => Cow::Owned(card.summary.indexed_text()),
            other => Cow::Borrowed(other.content()),
        }
    }

    /// Since when it is there; of a message, when it was said; of a belief, when it was formed; of a
    /// summary, when it was written.
    pub fn created_at(&self) -> Time {
        match self {
            Found::Memory(memory) => memory.created_at,
            Found::Message(message) => message.created_at,
            Found::Observation(belief) => belief.observation.created_at,
            Found::Summary(card) => card.summary.created_at(),
        }
    }

    /// Whose words they are.
    pub fn provenance(&self) -> &Provenance {
        match self {
            Found::Memory(memory) => &memory.provenance,
            Found::Message(message) => &message.provenance,
            Found::Observation(belief) => &belief.observation.provenance,
            Found::Summary(card) => card.summary.provenance(),
        }
    }

    /// The memory, if it is one.
    pub fn memory(&self) -> Option<&Memory> {
        match self {
            Found::Memory(memory) => Some(memory),
            Found::Message(_) | Found::Observation(_) | Found::Summary(_) => None,
        }
    }

    /// The belief, if it is one.
    pub fn belief(&self) -> Option<&Belief> {
        match self {
            Found::Observation(belief) => Some(belief),
            Found::Memory(_) | Found::Message(_) | Found::Summary(_) => None,
        }
    }

    /// The summary with what it was made from, if it is one.
    pub fn summary(&self) -> Option<&SummaryCard> {
        match self {
            Found::Summary(card) => Some(card),
            Found::Memory(_) | Found::Message(_) | Found::Observation(_) => None,
        }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Recalled {
    /// The best first; in the order of time, if that was asked for.
    pub hits: Vec<Hit>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// How likely there is an answer at all, from 0 to 1.
    pub confidence: f64,
    /// Why there is nothing, when there is nothing.
    pub why_empty: Option<String>,
    /// Where the next page begins, if there is one.
    pub next_offset: Option<usize>,
    /// What would have answered but is damaged: left out, and to be looked at.
    pub damaged: Vec<String>,
    /// How far meaning was compared, beside words.
    pub by_meaning: ByMeaning,
}

/// One answer, and why it is one.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// What was found.
    pub found: Found,
    /// How well it answers: its fit, and what the mode makes of that.
    pub score: f64,
    /// How well it fits, from 0 to 1.
    pub fit: f64,
    /// What the fit is the sum of, the largest part first.
    pub parts: Vec<Part>,
    /// What the mode multiplied the fit with.
    pub factor: f64,
    /// Which of the words it has itself.
    pub words: Vec<WordFound>,
    /// What is believed because of it among other things, if it is a memory.
    pub supports: Vec<ObservationId>,
    /// Whether it comes before all that does not, whatever the scores: a belief that is sure and current, and fits about as
    /// well as the best.
    pub leads: bool,
}

impl Access<'_> {
    /// Finds what answers a question. Writes nothing; that memories were recalled is written down later.
    pub fn recall(&self, question: &Question) -> Result<Recalled> {
        let answer = self.answer(question)?;
        let recalled = answer.hits.iter().filter_map(|hit| hit.found.memory()).map(|memory| memory.id);
        self.mind.touches.note(self.agent.id, recalled, self.mind.now());
        Ok(answer)
    }

    /// The same without a trace: what somebody looks for on purpose grows firmer, what is only shown does not.
    pub(crate) fn answer(&self, question: &Question) -> Result<Recalled> {
        let limit = question.limit.unwrap_or(self.mind.settings.recall.limit);
        check_field("question", &question.text, MAX_QUESTION_BYTES)?;
        check_limit(limit, MAX_LIMIT)?;
        check_offset(question.offset)?;
        let (now, zone, asker) = (self.mind.now(), self.zone()?, self.asker(&question.text)?);
        let (meaning, by_meaning) = self.meaning_asked(&question.text)?;
        let mut answer = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let asked_on = zone.date(question.as_of.unwrap_or(now));
            let plan = read_question(reader, self.agent.id, &question.text, asked_on, asker)?;
            let asking = Asking { access: self, question, plan: &plan, zone: &zone, now };
            asking.answer(reader, meaning.as_ref(), limit)
        })?;
        answer.by_meaning =
            ByMeaning { pending: by_meaning.pending.max(answer.by_meaning.pending), ..by_meaning };
        Ok(answer)
    }

    /// What is weighed for a question, with what speaks for each: what weights are learned from.
    pub fn weighed(&self, question: &Question) -> Result<Vec<Fit>> {
        let (now, zone, asker) = (self.mind.now(), self.zone()?, self.asker(&question.text)?);
        let (meaning, _) = self.meaning_asked(&question.text)?;
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let asked_on = zone.date(question.as_of.unwrap_or(now));
            let plan = read_question(reader, self.agent.id, &question.text, asked_on, asker)?;
            let asking = Asking { access: self, question, plan: &plan, zone: &zone, now };
            let proposals = asking.propose(reader, meaning.as_ref())?;
            let Fitted { mut fits, .. } = proposals.weigh(reader, &asking, considered(question))?;
            let gathering = Gathering::new(reader, self, question, fits.len(), (now, &zone))?;
            gathering.look_closer(reader, &plan, &proposals, &mut fits, &mut Rows::default())?;
            Ok(fits)
        })?)
    }

    /// Whether ordinary recall and context show it to the caller.
    pub(crate) fn shows(&self, memory: &Memory) -> bool {
        memory.life.state.is_in_mind() && memory.provenance.is_visible_to(&self.caller)
    }

    /// Whose *I* is in a question: the principal's who asks, or in whose conversation the agent does.
    fn asker(&self, question: &str) -> Result<Option<EntityId>> {
        let Some(principal) = self.caller.principal_id().filter(|_| speaks_of_oneself(question)) else {
            return Ok(None);
        };
        let principals = self.principal_list()?;
        Ok(principals.iter().find(|known| known.id == principal).map(|known| known.entity))
    }
}

/// Who asks what, and how it was understood.
struct Asking<'a> {
    access: &'a Access<'a>,
    question: &'a Question,
    plan: &'a Plan,
    zone: &'a Zone,
    now: Time,
}

impl Asking<'_> {
    fn answer(&self, reader: &mut Reader, meaning: Option<&Asked>, limit: usize) -> StoreResult<Recalled> {
        let (question, plan) = (self.question, self.plan);
        let proposals = self.propose(reader, meaning)?;
        let mut most = considered(question);
        let may_be_more = |most: usize| most < CONSIDERED_AT_MOST && proposals.are_more_than(most);
        let mut fitted = proposals.weigh(reader, self, most)?;
        let verdict = fitted.verdict(plan, &fitted.fits);
        if verdict.abstains && !question.anyway {
            return Ok(nothing(plan, &proposals, &verdict));
        }
        let gathering = Gathering::new(reader, self.access, question, limit, (self.now, self.zone))?;
        let (mut carried, mut rows) = self.carried(reader, &gathering, &fitted, &verdict)?;
        if carried.abstains && !question.anyway && may_be_more(most) {
            // The best may all be what is not shown: editions of old.
            most = CONSIDERED_AT_MOST;
            fitted = proposals.weigh(reader, self, most)?;
            (carried, rows) = self.carried(reader, &gathering, &fitted, &verdict)?;
        }
        if carried.abstains && !question.anyway {
            return Ok(self.shown(limit, &proposals, &fitted, &carried, Gathered::nothing(rows)));
        }
        let mut page = self.page(reader, &gathering, &proposals, &mut fitted, rows)?;
        if page.hits.len() < limit && may_be_more(most) {
            fitted = proposals.weigh(reader, self, CONSIDERED_AT_MOST)?;
            page = self.page(reader, &gathering, &proposals, &mut fitted, Rows::default())?;
        }
        let mut answer = self.shown(limit, &proposals, &fitted, &carried, page);
        if proposals.has_beliefs() {
            say_what_is_supported(reader, self.access.agent.id, &mut answer.hits)?;
        }
        Ok(answer)
    }

    /// The verdict on an answer of what may be shown, and what was read to see that. Where nothing at all may be, it stands:
    /// then what was left out is the reason, and not that there is too little.
    fn carried(
        &self,
        reader: &mut Reader,
        gathering: &Gathering<'_>,
        fitted: &Fitted,
        verdict: &Verdict,
    ) -> StoreResult<(Verdict, Rows)> {
        let mut rows = Rows::default();
        let carriers = gathering.carriers(reader, &fitted.fits, &mut rows)?;
        let carried =
            if carriers.is_empty() { verdict.clone() } else { fitted.verdict(self.plan, &carriers) };
        Ok((carried, rows))
    }

    /// The page that is asked for, of what fits when it is looked at closer.
    fn page(
        &self,
        reader: &mut Reader,
        gathering: &Gathering<'_>,
        proposals: &Proposals,
        fitted: &mut Fitted,
        mut rows: Rows,
    ) -> StoreResult<Gathered> {
        gathering.look_closer(reader, self.plan, proposals, &mut fitted.fits, &mut rows)?;
        if self.question.as_of.is_some() && self.layers().contains(&Layer::Observation) {
            gathering.add_given_up(reader, &mut fitted.fits, &mut rows)?;
        }
        gathering.page(reader, &fitted.fits, rows)
    }

    /// Where answers are looked for. How things were is told by what was said then, not by what is believed of it; and who
    /// looks through the archive needs no summary of it.
    fn layers(&self) -> &[Layer] {
        let asked_on = self.zone.date(self.question.as_of.unwrap_or(self.now));
        let looks_back = matches!(self.question.mode, Mode::Timeline | Mode::Historical);
        match self.question.filter.layers.as_slice() {
            [] if looks_back => &[Layer::Memory, Layer::Message],
            [] if self.plan.looks_back(asked_on) => &[Layer::Memory, Layer::Message, Layer::Summary],
            [] => Layer::ALL,
            some => some,
        }
    }

    /// What the indexes have for the question.
    fn propose(&self, reader: &mut Reader, meaning: Option<&Asked>) -> StoreResult<Proposals> {
        let Asking { access, plan, .. } = self;
        let settings = &access.mind.settings.recall;
        let mut proposals = propose(reader, access.agent.id, plan, self.layers(), settings)?;
        if let Some(asked) = meaning {
            proposals.add_near(reader, access.agent.id, asked)?;
        }
        Ok(proposals)
    }

    /// The page with its reasons.
    fn shown(
        &self,
        limit: usize,
        proposals: &Proposals,
        fitted: &Fitted,
        verdict: &Verdict,
        page: Gathered,
    ) -> Recalled {
        let why_empty =
            page.hits.is_empty().then(|| "nothing that fits the question may be shown".to_owned());
        let explained = |ranked| explained(ranked, self.plan, proposals, fitted);
        Recalled {
            hits: page.hits.into_iter().map(explained).collect(),
            words: words(self.plan),
            confidence: verdict.confidence,
            why_empty,
            next_offset: page.more.then_some(self.question.offset + limit),
            damaged: page.damaged,
            by_meaning: ByMeaning { pending: proposals.pending(), ..ByMeaning::default() },
        }
    }
}

/// Says of each memory what is believed because of it.
fn say_what_is_supported(reader: &mut Reader, agent: AgentId, hits: &mut [Hit]) -> StoreResult<()> {
    let memories: Vec<MemoryId> =
        hits.iter().filter_map(|hit| hit.found.memory()).map(|memory| memory.id).collect();
    for (memory, observation) in evidence::supported(reader, agent, &memories)? {
        if let Some(hit) = hits.iter_mut().find(|hit| hit.found.id() == memory.id())
            && !hit.supports.contains(&observation)
        {
            hit.supports.push(observation);
        }
    }
    Ok(())
}

/// How many texts of a layer are weighed at first.
fn considered(question: &Question) -> usize {
    let many_may_fall_out = question.filter != Filter::default() || question.offset > 0;
    if many_may_fall_out { CONSIDERED_AT_MOST } else { CONSIDERED }
}

/// No answer, and why not.
fn nothing(plan: &Plan, proposals: &Proposals, verdict: &Verdict) -> Recalled {
    Recalled {
        hits: Vec::new(),
        words: words(plan),
        confidence: verdict.confidence,
        why_empty: verdict.why.clone(),
        next_offset: None,
        damaged: Vec::new(),
        by_meaning: ByMeaning { pending: proposals.pending(), ..ByMeaning::default() },
    }
}

fn explained(ranked: Ranked, plan: &Plan, proposals: &Proposals, fitted: &Fitted) -> Hit {
    let Ranked { found, score, factor, fit, leads } = ranked;
    Hit {
        found,
        score,
        fit: fit.fit,
        parts: explain_fit(&fit.features, fusion(proposals.is_by_meaning())),
        factor,
        words: words_found(plan, &fitted.frequencies, proposals.own_words(&fit)),
        supports: Vec::new(),
        leads,
    }
}

fn words(plan: &Plan) -> Vec<String> {
    plan.words.iter().map(|word| word.term.clone()).collect()
}

fn check_offset(offset: usize) -> Result<()> {
    match offset <= MAX_OFFSET {
        true => Ok(()),
        false => {
            Err(Error::Range { field: "offset", least: 0, most: MAX_OFFSET as u64, given: offset as u64 })
        }
    }
}

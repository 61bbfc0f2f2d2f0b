//! The heartbeat as it crosses the wire.

use crate::wire::PrincipalView;
use schemars::JsonSchema;
use selfsame::heartbeat::{
    Account, HeartCard, NudgeCard, NudgeRef, Receipt, ReceiptCard, Said, Seen, Sighting, StepTrace, Tick,
};
use selfsame::principal::Principal;
use selfsame::time::Time;
use serde::{Deserialize, Serialize};

/// A signal that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SignalView {
    /// Its name.
    pub signal: String,
    /// immediate, elevated, normal or low.
    pub tier: String,
    /// What it adds to the sum.
    pub weight: u32,
    /// How many findings.
    pub count: usize,
    /// What it means.
    pub meaning: String,
}

impl From<&Sighting> for SignalView {
    fn from(sighting: &Sighting) -> SignalView {
        SignalView {
            signal: sighting.signal.name.clone(),
            tier: sighting.signal.tier.as_str().into(),
            weight: sighting.signal.weight,
            count: sighting.count,
            meaning: sighting.signal.meaning.clone(),
        }
    }
}

/// A signal as a step saw it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenView {
    /// Which signal.
    pub signal: String,
    /// How many findings.
    pub count: usize,
}

impl From<&Seen> for SeenView {
    fn from(seen: &Seen) -> SeenView {
        SeenView { signal: seen.signal.clone(), count: seen.count }
    }
}

/// One step of a decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepView {
    /// Its number: 1 to 7, and 0 for what holds back everything.
    pub number: u8,
    /// held, first_contact, critical_deadline, time_of_day, conversation, confluence, novelty or topic.
    pub step: String,
    /// What came in.
    pub saw: Vec<SeenView>,
    /// What did not go on.
    pub dropped: Vec<SeenView>,
    /// What it found.
    pub note: String,
    /// What would have changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
}

impl From<&StepTrace> for StepView {
    fn from(trace: &StepTrace) -> StepView {
        StepView {
            number: trace.step.number(),
            step: trace.step.as_str().into(),
            saw: trace.saw.iter().map(SeenView::from).collect(),
            dropped: trace.dropped.iter().map(SeenView::from).collect(),
            note: trace.note.clone(),
            unless: trace.unless.clone(),
        }
    }
}

/// A beat of the heart: what was seen, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TickView {
    /// For whom.
    pub principal: PrincipalView,
    /// When.
    pub at: String,
    /// Whether it speaks up.
    pub acts: bool,
    /// The number of the step that decided.
    pub number: u8,
    /// Which step that is.
    pub step: String,
    /// Why.
    pub reason: String,
    /// quiet, morning, working, evening or late_night, by the principal's clock.
    pub period: String,
    /// What was found.
    pub signals: Vec<SignalView>,
    /// Every step that was taken.
    pub steps: Vec<StepView>,
    /// When the next one is.
    pub next_at: String,
    /// Why then.
    pub next_why: String,
    /// Its record; absent if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// What was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nudge: Option<NudgeView>,
    /// Signals of the operator's own that could not be asked, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// Statements that it asked of the database.
    pub statements: u64,
    /// How long it took.
    pub took_micros: u64,
    /// What it cost: nothing.
    pub tokens: u64,
}

impl TickView {
    pub(super) fn of(tick: &Tick, nudge: Option<&NudgeCard>) -> TickView {
        let verdict = &tick.decision.verdict;
        TickView {
            principal: (&tick.principal).into(),
            at: tick.at.to_string(),
            acts: verdict.is_act(),
            number: verdict.step().number(),
            step: verdict.step().as_str().into(),
            reason: verdict.reason().to_owned(),
            period: tick.decision.period.as_str().into(),
            signals: tick.sightings.iter().map(SignalView::from).collect(),
            steps: tick.decision.trace.iter().map(StepView::from).collect(),
            next_at: tick.next.at.to_string(),
            next_why: tick.next.why.clone(),
            receipt: tick.receipt.map(|id| id.to_string()),
            nudge: nudge.map(NudgeView::from),
            broken: tick.broken.iter().map(|one| format!("{}: {}", one.name, one.error)).collect(),
            statements: tick.statements,
            took_micros: tick.took.as_micros() as u64,
            tokens: 0,
        }
    }

    /// In a line.
    pub(super) fn line(&self) -> String {
        let verdict = if self.acts { "speaks up" } else { "silent" };
        let TickView { principal, number, step, reason, next_at, next_why, .. } = self;
        format!(
            "{verdict} towards {}: step {number}, {step}: {reason}; next {next_at}: {next_why}",
            principal.name
        )
    }
}

/// A signal behind a nudge, in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReasonView {
    /// Which signal.
    pub signal: String,
    /// What it says.
    pub words: String,
}

/// Something that a nudge speaks of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NudgeRefView {
    /// memory, schedule, observation, conversation, entity, todo or principal.
    pub kind: String,
    /// Which: `mem_...`
    pub id: String,
    /// Found by which signal.
    pub signal: String,
    /// How it stood.
    pub status: String,
    /// When it is or was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
}

impl From<&NudgeRef> for NudgeRefView {
    fn from(one: &NudgeRef) -> NudgeRefView {
        NudgeRefView {
            kind: one.kind.as_str().into(),
            id: one.kind.show(one.id),
            signal: one.signal.clone(),
            status: one.status.clone(),
            due_at: shown(one.due_at),
        }
    }
}

/// Something said unasked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NudgeView {
    /// `nud_...`
    pub id: String,
    /// introduction, reminder, deadline or suggestion.
    pub kind: String,
    /// immediate, elevated, normal or low.
    pub urgency: String,
    /// What is said.
    pub what: String,
    /// The signals behind it.
    pub why: Vec<ReasonView>,
    /// What could be done.
    pub actions: Vec<String>,
    /// observed, waiting, delivered, answered, dismissed, missed, failed or vetoed.
    pub state: String,
    /// When it was made.
    pub created_at: String,
    /// When it reached somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<String>,
    /// By which channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_by: Option<String>,
    /// When it was answered, dismissed or given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// What was answered; of a vetoed one, why a thinker held it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The template's words, where a thinker found others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What it speaks of.
    pub about: Vec<NudgeRefView>,
    /// The record of the tick that made it: `rcp_...`
    pub receipt: String,
}

impl From<&NudgeCard> for NudgeView {
    fn from(card: &NudgeCard) -> NudgeView {
        let nudge = &card.nudge;
        NudgeView {
            id: nudge.id.to_string(),
            kind: nudge.kind.as_str().into(),
            urgency: nudge.urgency.as_str().into(),
            what: nudge.phrasing.clone().unwrap_or_else(|| nudge.what.clone()),
            // Our own writing; a row that does not read is found by `verify`, and says less here.
            why: serde_json::from_str(&nudge.why).unwrap_or_default(),
            actions: serde_json::from_str(&nudge.actions).unwrap_or_default(),
            state: nudge.state.as_str().into(),
            created_at: nudge.created_at.to_string(),
            delivered_at: shown(nudge.delivered_at),
            delivered_by: nudge.delivered_by.clone(),
            closed_at: shown(nudge.closed_at),
            answer: nudge.answer.clone(),
            template: nudge.phrasing.is_some().then(|| nudge.what.clone()),
            about: card.refs.iter().map(NudgeRefView::from).collect(),
            receipt: nudge.receipt.to_string(),
        }
    }
}

impl NudgeView {
    /// For a model that reads.
    pub(super) fn line(&self) -> String {
        let why: Vec<&str> = self.why.iter().map(|reason| reason.words.as_str()).collect();
        let mut line = format!("- {} [{}, {}, {}]", self.what, self.id, self.kind, self.state);
        if !why.is_empty() {
            line += &format!("\n  because: {}", why.join("; "));
        }
        if !self.actions.is_empty() {
            line += &format!("\n  could be done: {}", self.actions.join("; "));
        }
        line
    }
}

/// How a principal is spoken to, and when the heart beats next.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeartView {
    /// For whom.
    pub principal: PrincipalView,
    /// observe, suggest or act.
    pub autonomy: String,
    /// Quiet hours, such as 23:00-07:00.
    pub quiet: String,
    /// The part of the day it is for them: quiet, morning, working, evening or late_night.
    pub period: String,
    /// Where nudges go.
    pub channels: Vec<String>,
    /// They want to hear nothing, since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub muted_at: Option<String>,
    /// They want to hear nothing until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<String>,
    /// The whole house is silent, since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_since: Option<String>,
    /// When something was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoke_at: Option<String>,
    /// When it beats next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// And why then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_why: Option<String>,
    /// It cannot beat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<FailingView>,
    /// How the agent kept its word to them in the last seven days.
    pub score: ScoreView,
}

/// A heart that cannot beat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FailingView {
    /// Beats that failed, in a row.
    pub times: u32,
    /// What went wrong.
    pub error: String,
}

/// What was promised and said in seven days, and what came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScoreView {
    /// From 0 to 100; absent when nothing was promised or said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// To-dos and promises done by their time.
    pub kept: u32,
    /// And those that were not.
    pub broken: u32,
    /// Reminders that reached nobody.
    pub missed: u32,
    /// Nudges that reached somebody.
    pub delivered: u32,
    /// Of those, how many were answered.
    pub answered: u32,
}

impl From<Account> for ScoreView {
    fn from(account: Account) -> ScoreView {
        let score = account.score().map(f64::round);
        let Account { kept, broken, missed, delivered, answered } = account;
        ScoreView { score, kept, broken, missed, delivered, answered }
    }
}

impl HeartView {
    pub(super) fn of(card: &HeartCard, score: Account) -> HeartView {
        let (from, until) = &card.quiet;
        HeartView {
            principal: (&card.principal).into(),
            autonomy: card.autonomy.as_str().into(),
            quiet: format!("{from}-{until}"),
            period: card.period.as_str().into(),
            channels: card.channels.clone(),
            muted_at: shown(card.muted_at),
            snoozed_until: shown(card.snoozed_until),
            paused_since: shown(card.paused_since),
            spoke_at: shown(card.acted_at),
            next_at: shown(card.next_at),
            next_why: card.next_why.clone(),
            failing: card.failing.clone().map(|(times, error)| FailingView { times, error }),
            score: score.into(),
        }
    }

    /// In a line.
    pub(super) fn line(&self) -> String {
        let mut line = format!(
            "{}: {}, quiet hours {}, through {}",
            self.principal.name,
            self.autonomy,
            self.quiet,
            self.channels.join(", ")
        );
        for (word, at) in [
            ("paused since", &self.paused_since),
            ("muted since", &self.muted_at),
            ("snoozed until", &self.snoozed_until),
            ("next look at", &self.next_at),
        ] {
            if let Some(at) = at {
                line += &format!("; {word} {at}");
            }
        }
        if let Some(FailingView { times, error }) = &self.failing {
            line += &format!("; failed {times} times: {error}");
        }
        line
    }
}

/// The record of a tick, or of several equal silent ones in a row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptView {
    /// `rcp_...`
    pub id: String,
    /// The first of these ticks.
    pub first_at: String,
    /// The last.
    pub last_at: String,
    /// How many.
    pub ticks: u64,
    /// Whether something was said.
    pub acts: bool,
    /// The number of the step that decided.
    pub number: u8,
    /// Which step that is.
    pub step: String,
    /// Why.
    pub reason: String,
    /// What was found.
    pub signals: Vec<SeenView>,
    /// When the next tick was to be.
    pub next_at: String,
    /// And why then.
    pub next_why: String,
    /// Statements that the last of them asked of the database.
    pub statements: u64,
    /// How long it took.
    pub took_micros: u64,
    /// What it cost: nothing.
    pub tokens: u64,
    /// What it said, and what became of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nudge: Option<SaidView>,
}

/// What a tick said, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SaidView {
    /// `nud_...`
    pub id: String,
    /// As a nudge's state; vetoed: a thinker held it back.
    pub state: String,
    /// Whether a thinker found other words for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rephrased: bool,
}

impl SaidView {
    /// In a few words.
    pub fn words(&self) -> String {
        let how = if self.rephrased { " in other words" } else { "" };
        format!("{} {}{how}", self.id, self.state)
    }
}

impl From<&ReceiptCard> for ReceiptView {
    fn from(card: &ReceiptCard) -> ReceiptView {
        let Receipt { first_at, last_at, next_at, ticks, statements, took_micros, tokens, .. } = card.receipt;
        ReceiptView {
            id: card.receipt.id.to_string(),
            first_at: first_at.to_string(),
            last_at: last_at.to_string(),
            ticks,
            acts: card.receipt.acted,
            number: card.receipt.step.number(),
            step: card.receipt.step.as_str().into(),
            reason: card.receipt.reason.clone(),
            signals: card.seen().iter().map(SeenView::from).collect(),
            next_at: next_at.to_string(),
            next_why: card.receipt.next_why.clone(),
            statements,
            took_micros,
            tokens,
            nudge: None,
        }
    }
}

impl ReceiptView {
    /// With what became of what it said.
    pub(super) fn with(mut self, said: Option<Said>) -> ReceiptView {
        self.nudge = said.map(|Said { id, state, rephrased }| SaidView {
            id: id.to_string(),
            state: state.as_str().into(),
            rephrased,
        });
        self
    }

    /// In a line.
    pub(super) fn line(&self) -> String {
        let verdict = if self.acts { "spoke up" } else { "silent" };
        let ReceiptView { id, last_at, ticks, number, step, reason, .. } = self;
        let said = self.nudge.as_ref().map(|said| format!(", {}", said.words())).unwrap_or_default();
        format!("- {last_at} {verdict} at step {number}, {step}: {reason} [{id}, ticks {ticks}{said}]")
    }
}

pub(super) fn shown(time: Option<Time>) -> Option<String> {
    time.map(|time| time.to_string())
}

/// Who is meant, as an engine call takes it.
pub(super) fn named(principal: &Principal) -> String {
    principal.id.to_string()
}

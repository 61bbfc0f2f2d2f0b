//! heartbeat simulate: the days to come, run forward on a copy.

use super::tick::ExplainReply;
use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Route, Tool};
use crate::wire::PrincipalView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::heartbeat::{Persona, Simulated, SimulatedDay, SimulatedNudge};
use selfsame::key::Scope;
use selfsame::local::show_day;
use serde::{Deserialize, Serialize};

/// Run forward when the caller does not say.
const USUAL_DAYS: u32 = 30;

/// Runs the heartbeat forward.
pub struct Simulate;

/// How far, and with whom.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulateRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// How many days (1 to 366; 30 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// How the principal takes what is said: answers (nearly everything; usual), selective (one in five) or ignores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

/// A day of a simulation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedDayView {
    /// By the principal's calendar.
    pub date: String,
    /// Beats of the heart.
    pub ticks: u64,
    /// What was said.
    pub nudges: u32,
    /// Of that, what was said in quiet hours.
    pub in_quiet_hours: u32,
    /// Reminders and deadlines that reached the principal.
    pub reminders: u32,
    /// Reminders that nobody fetched in time.
    pub missed: u32,
    /// What was answered.
    pub answered: u32,
}

/// Something that was said in a simulation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedNudgeView {
    /// When.
    pub at: String,
    /// quiet, morning, working, evening or late_night, by the principal's clock.
    pub period: String,
    /// introduction, reminder, deadline or suggestion.
    pub kind: String,
    /// What was said.
    pub what: String,
    /// What came of it.
    pub state: String,
}

impl From<&SimulatedNudge> for SimulatedNudgeView {
    fn from(nudge: &SimulatedNudge) -> SimulatedNudgeView {
        SimulatedNudgeView {
            at: nudge.at.to_string(),
            period: nudge.period.as_str().into(),
            kind: nudge.kind.as_str().into(),
            what: nudge.what.clone(),
            state: nudge.state.as_str().into(),
        }
    }
}

/// What a simulation showed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SimulateReply {
    /// For whom.
    pub principal: PrincipalView,
    /// From.
    pub from: String,
    /// To.
    pub until: String,
    /// The days on which anything was looked at or said.
    pub days: Vec<SimulatedDayView>,
    /// Everything that was said, in order.
    pub nudges: Vec<SimulatedNudgeView>,
    /// Why it would speak up or be silent at the end.
    pub at_the_end: ExplainReply,
}

impl From<Simulated> for SimulateReply {
    fn from(simulated: Simulated) -> SimulateReply {
        let day = |(date, day): (_, &SimulatedDay)| SimulatedDayView {
            date: show_day(date),
            ticks: day.ticks,
            nudges: day.nudges,
            in_quiet_hours: day.in_quiet_hours,
            reminders: day.reminders,
            missed: day.missed,
            answered: day.answered,
        };
        SimulateReply {
            principal: (&simulated.principal).into(),
            from: simulated.from.to_string(),
            until: simulated.until.to_string(),
            days: simulated.days.iter().map(|(date, one)| day((*date, one))).collect(),
            nudges: simulated.nudges.iter().map(SimulatedNudgeView::from).collect(),
            at_the_end: simulated.at_the_end.into(),
        }
    }
}

impl Operation for Simulate {
    const NAME: &'static str = "heartbeat_simulate";
    const SUMMARY: &'static str = "Run a principal's heartbeat forward by some days on a copy of the agent: what would be said, and when.";
    // It copies the agent and keeps a worker busy: not for everybody who may read.
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/simulate" };
    const TOOL: Option<Tool> = None;
    type Request = SimulateRequest;
    type Reply = SimulateReply;

    fn run(context: &Context<'_>, request: SimulateRequest) -> Result<SimulateReply, Failure> {
        let persona = request.persona.as_deref().map(Persona::parse).transpose().map_err(Error::from)?;
        let days = request.days.unwrap_or(USUAL_DAYS);
        let whose = request.principal.as_deref();
        let persona = persona.unwrap_or(Persona::Answers);
        Ok(context.access()?.heartbeat_simulate(whose, days, persona)?.into())
    }

    fn tell(reply: &SimulateReply) -> String {
        let count = |of: fn(&SimulatedDayView) -> u32| reply.days.iter().map(of).sum::<u32>();
        format!(
            "{} nudges, {} of them in quiet hours; {} reminders reached {}, {} were missed",
            count(|day| day.nudges),
            count(|day| day.in_quiet_hours),
            count(|day| day.reminders),
            reply.principal.name,
            count(|day| day.missed)
        )
    }
}

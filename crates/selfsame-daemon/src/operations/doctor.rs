//! doctor: a memory is really stored, found and forgotten.

use super::agent::NoRequest;
use super::status::{HeartStatus, ThinkingStatus};
use super::{Context, Method, Operation, Route, Tool};
use crate::couriers::{UNSIGNED, is_unsigned};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::doctor::Probe;
use selfsame::key::Scope;
use selfsame::{Mind, Speaker};
use serde::{Deserialize, Serialize};

/// What a restart has to prove, seen by a process that goes on running.
const FRESH: &str = "it is on the disk: the data was opened afresh, beside this process, and has it";

/// The operation.
pub struct Doctor;

/// What was tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DoctorReply {
    /// Whether all of it worked.
    pub ok: bool,
    /// Each step.
    pub checks: Vec<Check>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was tried.
    pub name: String,
    /// Whether it worked.
    pub ok: bool,
    /// What was seen, or what to do.
    pub detail: String,
}

impl Check {
    /// A step from what came of it.
    pub fn of<T>(name: &str, seen: &str, result: &selfsame::Result<T>) -> Check {
        match result {
            Ok(_) => Check { name: name.into(), ok: true, detail: seen.into() },
            Err(error) => Check { name: name.into(), ok: false, detail: error.to_string() },
        }
    }
}

impl Operation for Doctor {
    const NAME: &'static str = "doctor";
    const SUMMARY: &'static str =
        "Prove that the mind works: store a memory, find it afresh, forget it, let the heart beat.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/doctor" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = DoctorReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<DoctorReply, Failure> {
        context.access()?;
        let mut checks = Vec::new();
        if let Some(probe) = write(context.mind, context.agent, &mut checks) {
            checks.push(Check::of("restart", FRESH, &context.mind.probe_restart(&probe)));
            read_back(context.mind, &probe, &mut checks);
        }
        ask_model(context.mind, &mut checks);
        look_at_channels(context.mind, &mut checks);
        look_at_hearts(context.mind, context.agent, &mut checks);
        look_at_thinking(context.mind, context.agent, &mut checks);
        tick(context.mind, context.agent, &mut checks);
        Ok(DoctorReply { ok: checks.iter().all(|check| check.ok), checks })
    }

    fn tell(reply: &DoctorReply) -> String {
        if reply.ok { "all is well".into() } else { "something is wrong".into() }
    }
}

/// Stores the probe.
pub fn write(mind: &Mind, agent: &str, checks: &mut Vec<Check>) -> Option<Probe> {
    let written = mind.probe_write(agent);
    checks.push(Check::of("write", "a memory was stored", &written));
    written.ok()
}

/// Asks the model, if there is one.
pub fn ask_model(mind: &Mind, checks: &mut Vec<Check>) {
    let asked = mind.probe_model();
    let seen = match &asked {
        Ok(Some(model)) => format!("{model} answers: recall goes by words and by meaning"),
        _ => "none: recall goes by words alone (`selfsame model install` adds meaning)".into(),
    };
    checks.push(Check::of("model", &seen, &asked));
}

/// Looks at the channels that nudges go to, if there are any but the list.
pub fn look_at_channels(mind: &Mind, checks: &mut Vec<Check>) {
    let settings = &mind.settings().heartbeat;
    if settings.channels.iter().all(|channel| channel == "list") {
        return;
    }
    let seen = match is_unsigned(settings) {
        true => UNSIGNED.to_owned(),
        false => format!("nudges go to {}", settings.channels.join(", ")),
    };
    checks.push(Check::of("channels", &seen, &mind.probe_channels()));
}

/// Looks whether hearts fail or reminders reached nobody; says nothing if all is well. A reminder that nobody fetched is
/// told of, and nothing that does not work.
pub fn look_at_hearts(mind: &Mind, agent: &str, checks: &mut Vec<Check>) {
    let name = "heartbeat";
    let counted = mind.require_agent(agent).and_then(|agent| mind.heart_counts(&agent));
    match counted.map(HeartStatus::of) {
        Ok(None) => {}
        Ok(Some(hearts)) => {
            checks.push(Check { name: name.into(), ok: hearts.failing == 0, detail: hearts.words() });
        }
        failed => checks.push(Check::of(name, "", &failed)),
    }
}

/// Looks whether thinking came to nothing lately; says nothing if it did not. It is told of and no more: what was wrong may be
/// put right by now.
pub fn look_at_thinking(mind: &Mind, agent: &str, checks: &mut Vec<Check>) {
    let name = "thinking";
    let counted = mind.require_agent(agent).and_then(|agent| mind.thinking_counts(&agent));
    match counted.map(ThinkingStatus::of) {
        Ok(None) => {}
        Ok(Some(thinking)) => checks.push(Check { name: name.into(), ok: true, detail: thinking.words() }),
        failed => checks.push(Check::of(name, "", &failed)),
    }
}

/// Lets the agent look whether anything is worth saying: a beat like any other, with its receipt.
pub fn tick(mind: &Mind, agent: &str, checks: &mut Vec<Check>) {
    let ticked = mind.access(agent, Speaker::Operator).and_then(|access| access.heartbeat_tick(None));
    let receipt = ticked.as_ref().ok().and_then(|tick| tick.receipt).map(|id| id.to_string());
    let seen = format!("it was looked whether to speak up, for 0 tokens: {}", receipt.unwrap_or_default());
    checks.push(Check::of("tick", &seen, &ticked));
}

/// Finds the probe and takes it away again.
pub fn read_back(mind: &Mind, probe: &Probe, checks: &mut Vec<Check>) {
    checks.push(Check::of("recall", "it was found by its words", &mind.probe_recall(probe)));
    checks.push(Check::of("forget", "it was forgotten and is found no more", &mind.probe_forget(probe)));
}

//! How a nudge goes out: a row and a duty for each channel, written with the nudge itself, and the job that carries it.
//!
//! At least once: that it arrived is written after the channel took it, so a process that dies in between sends it again,
//! with the same id. A channel that fails keeps nobody else waiting, and what it said is kept nowhere: the row has a word
//! of ours and a number.

use super::told::{self, LIST};
use crate::error::{Error, Result, StoreResult};
use crate::events::shown;
use crate::mind::Mind;
use crate::ports::{Message, PortError};
use crate::scheduler::{Effects, Job, Pace};
use selfsame_core::duty::{Retries, Rhythm};
use selfsame_core::event::Act;
use selfsame_core::heartbeat::NudgeState;
use selfsame_core::id::{AgentId, DutyId, NudgeId};
use selfsame_core::json::canonical;
use selfsame_core::time::Time;
use selfsame_core::trust::Caller;
use selfsame_store::duties::{self, Duty, NewDuty};
use selfsame_store::heartbeat::nudges::{self, Nudge, NudgeRef};
use selfsame_store::{Writer, events};
use serde_json::{Value, json};
use std::time::Duration;

/// What its duties are called.
pub(super) const KIND: &str = "deliver";

/// About seven hours: a server that is down for a working day's morning is waited for, and what it missed is told by the
/// evening.
const PATIENCE: Retries = Retries {
    max_attempts: 48,
    first_pause: Duration::from_secs(2),
    longest_pause: Duration::from_secs(15 * 60),
};

/// One way that a nudge is to go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    channel: String,
    /// Who carries it; none: it is fetched.
    duty: Option<DutyId>,
}

impl Way {
    /// Whether its channel is one of these.
    pub(super) fn is_among(&self, channels: &[String]) -> bool {
        channels.contains(&self.channel)
    }
}

impl Mind {
    /// Ways through these channels, with ids for the duties: made before the transaction, which may be run again.
    pub fn ways(&self, channels: &[String], now: Time) -> Vec<Way> {
        let way = |channel: &String| Way {
            channel: channel.clone(),
            duty: (channel != LIST).then(|| DutyId::of(self.mint.id(now))),
        };
        channels.iter().map(way).collect()
    }
}

/// Sends a nudge on its ways, in the transaction that writes it; it sets out at `from`.
pub fn send_out(
    writer: &mut Writer,
    agent: AgentId,
    nudge: NudgeId,
    ways: &[Way],
    (now, from): (Time, Time),
) -> StoreResult<()> {
    for Way { channel, duty } in ways {
        nudges::send(writer, agent, nudge, channel, now)?;
        if let Some(id) = *duty {
            let scope = Parcel { agent, nudge, channel: channel.clone() }.scope();
            let rhythm = Rhythm::Once.to_string();
            let new =
                NewDuty { id, kind: KIND, agent: Some(agent), scope: &scope, rhythm: &rhythm, slot: from };
            duties::ensure(writer, &new, now)?;
        }
    }
    Ok(())
}

/// Nothing is waited for any more: it sets out now.
pub(super) fn hasten(writer: &mut Writer, agent: AgentId, nudge: NudgeId, now: Time) -> StoreResult<()> {
    for way in nudges::deliveries(writer, agent, nudge)?.into_iter().filter(|way| way.channel != LIST) {
        let scope = Parcel { agent, nudge, channel: way.channel }.scope();
        duties::hasten(writer, KIND, &scope, now)?;
    }
    Ok(())
}

/// Carries one nudge through one channel.
pub struct Deliver;

impl Job for Deliver {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn retries(&self) -> Option<Retries> {
        Some(PATIENCE)
    }

    fn prepare(&self, mind: &Mind, duty: &Duty) -> Result<Effects> {
        let parcel = Parcel::of(duty)?;
        let Some(message) = parcel.message(mind)? else {
            return Ok(Effects::none());
        };
        let carried = parcel.carry(mind, &message);
        if let Err(error) = carried {
            parcel.note_failure(mind, duty, &error)?;
            return Err(error.into());
        }
        let now = mind.now();
        let grace = mind.settings.heartbeat.grace;
        Ok(Effects::of(vec![parcel.agent], move |writer| parcel.arrived(writer, grace, now)))
    }

    fn gave_up(&self, mind: &Mind, duty: &Duty, error: &Error) -> Result<Effects> {
        let (parcel, now) = (Parcel::of(duty)?, mind.now());
        let words = match error {
            Error::Port(error) => error.to_string(),
            // Of a database or a thread, and not of the channel.
            _ => "the attempt broke off".into(),
        };
        let grace = mind.settings.heartbeat.grace;
        Ok(Effects::of(vec![parcel.agent], move |writer| parcel.lost(writer, grace, &words, now)))
    }
}

/// A nudge on its way through one channel.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Parcel {
    agent: AgentId,
    nudge: NudgeId,
    channel: String,
}

impl Parcel {
    /// What its duty is known by.
    fn scope(&self) -> String {
        format!("{} {} {}", self.agent, self.nudge, self.channel)
    }

    fn of(duty: &Duty) -> Result<Parcel> {
        let words: Vec<&str> = duty.scope.splitn(3, ' ').collect();
        let &[agent, nudge, channel] = &words[..] else {
            return Err(Error::Broken(format!("the scope of duty {} names no delivery", duty.id)));
        };
        Ok(Parcel { agent: agent.parse()?, nudge: nudge.parse()?, channel: channel.to_owned() })
    }

    /// What is to be carried; nothing if it is not wanted any more, or arrived already.
    fn message(&self, mind: &Mind) -> Result<Option<Message>> {
        let (agent, id) = (self.agent, self.nudge);
        let read = mind.store.read(&Caller::agent(None), &[agent], |reader| {
            let Some(nudge) = nudges::by_id(reader, agent, id)? else {
                return Ok(None);
            };
            Ok(Some((nudge, nudges::refs(reader, agent, id)?, nudges::deliveries(reader, agent, id)?)))
        })?;
        Ok(read.and_then(|(nudge, refs, ways)| {
            let arrived = ways.iter().any(|way| way.channel == self.channel && way.state == "delivered");
            let wanted = !arrived && nudge.state.is_wanted();
            wanted.then(|| Message { id: id.to_string(), body: body(agent, &nudge, &refs) })
        }))
    }

    fn carry(&self, mind: &Mind, message: &Message) -> std::result::Result<(), PortError> {
        match mind.channels.get(&self.channel) {
            Some(port) => port.deliver(message),
            None => Err(PortError::Lasting(not_set_up(&self.channel))),
        }
    }

    /// Notes an attempt after which there will be another. The last one is noted when the duty is given up.
    fn note_failure(&self, mind: &Mind, duty: &Duty, error: &PortError) -> Result<()> {
        let PortError::Passing(words) = error else {
            return Ok(());
        };
        if duty.attempts >= PATIENCE.max_attempts {
            return Ok(());
        }
        let now = mind.now();
        Ok(mind.store.fenced(&duty.fence(now), &[self.agent], |writer| {
            nudges::tried(writer, self.agent, self.nudge, &self.channel, "waiting", Some(words), now)
        })?)
    }

    fn arrived(&self, writer: &mut Writer, grace: Duration, now: Time) -> StoreResult<()> {
        // Forgotten while it was on its way.
        let Some(nudge) = nudges::by_id(writer, self.agent, self.nudge)? else {
            return Ok(());
        };
        nudges::tried(writer, self.agent, self.nudge, &self.channel, "delivered", None, now)?;
        told::delivered(writer, grace, self.agent, &nudge, &self.channel, now).map(drop)
    }

    /// This way is closed. If it was the last one, so is the nudge.
    fn lost(&self, writer: &mut Writer, grace: Duration, words: &str, now: Time) -> StoreResult<()> {
        let (agent, id) = (self.agent, self.nudge);
        let Some(nudge) = nudges::by_id(writer, agent, id)? else {
            return Ok(());
        };
        nudges::tried(writer, agent, id, &self.channel, "failed", Some(words), now)?;
        let ways = nudges::deliveries(writer, agent, id)?;
        let is_open = ways.iter().any(|way| way.channel == LIST || way.state == "waiting");
        if is_open || nudge.state != NudgeState::Waiting {
            return record(writer, agent, id, "undelivered", now);
        }
        told::given_up(writer, grace, agent, &nudge, Some("undeliverable"), now)
    }
}

fn record(writer: &mut Writer, agent: AgentId, id: NudgeId, act: &'static str, now: Time) -> StoreResult<()> {
    let act = Act { act, subject_kind: "nudge", subject: id.id() };
    events::record(writer, agent, now, &[act]).map(drop)
}

/// What to do about a channel that nothing carries.
pub(crate) fn not_set_up(channel: &str) -> String {
    let setting = match channel {
        "webhook" => "heartbeat.webhook_url",
        "command" => "heartbeat.command",
        "file" => "heartbeat.file",
        _ => return format!("there is no channel {channel}: change heartbeat.channels, or the principal's"),
    };
    format!(
        "the channel {channel} is not set up: set {setting}; `selfsame duty requeue` sends what was given up"
    )
}

/// The nudge as receivers see it. The same each time it is sent, unless a thinker found other words meanwhile.
fn body(agent: AgentId, nudge: &Nudge, refs: &[NudgeRef]) -> String {
    let stored = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let refs: Vec<Value> = refs.iter().map(told).collect();
    canonical(&json!({
        "id": nudge.id.to_string(),
        "agent": agent.to_string(),
        "principal": nudge.principal.to_string(),
        "kind": nudge.kind.as_str(),
        "urgency": nudge.urgency.as_str(),
        "what": nudge.phrasing.as_deref().unwrap_or(&nudge.what),
        "why": stored(&nudge.why),
        "actions": stored(&nudge.actions),
        "refs": refs,
        "created_at": nudge.created_at.to_string(),
    }))
}

fn told(one: &NudgeRef) -> Value {
    json!({
        "kind": one.kind.as_str(),
        "id": shown(one.kind.as_str(), one.id),
        "signal": one.signal,
        "status": one.status,
        "due_at": one.due_at.map(|at| at.to_string()),
    })
}

//! Whether a house is ready, and what is wrong with it: judged from what was counted and found, and said in words that name
//! what to do. Doors show it and judge nothing.

use crate::duty::Health;
use crate::id::DutyId;
use crate::time::Time;
use crate::word::words;
use std::time::Duration;

words! {
    /// How a house stands.
    Readiness, "readiness":
    /// Nothing is late and nothing was given up.
    Ready = "ready",
    /// It answers, and something in the background does not go on.
    Degraded = "degraded",
}

/// Background duties, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DutyCounts {
    /// All of them.
    pub all: u64,
    /// Behind their time.
    pub late: u64,
    /// Given up.
    pub dead: u64,
}

impl DutyCounts {
    /// A late duty and a dead one are the same to whoever waits for it. A wrong clock or a missed reminder is a trouble, and no
    /// reason to send anybody elsewhere.
    pub fn readiness(&self) -> Readiness {
        if self.late + self.dead > 0 { Readiness::Degraded } else { Readiness::Ready }
    }
}

impl FromIterator<Health> for DutyCounts {
    fn from_iter<T: IntoIterator<Item = Health>>(healths: T) -> DutyCounts {
        healths.into_iter().fold(DutyCounts::default(), |counts, health| DutyCounts {
            all: counts.all + 1,
            late: counts.late + u64::from(health == Health::Late),
            dead: counts.dead + u64::from(health == Health::Dead),
        })
    }
}

/// What is wrong with an agent's hearts, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeartCounts {
    /// Principals for whom the heart could not beat the last time.
    pub failing: u64,
    /// Reminders of the last seven days that reached nobody.
    pub missed: u64,
}

impl HeartCounts {
    /// Whether nothing is wrong.
    pub fn are_well(&self) -> bool {
        *self == HeartCounts::default()
    }

    /// In words, with what to do.
    pub fn words(&self) -> String {
        let failing = counted(self.failing, "heart fails", "hearts fail")
            .map(|words| format!("{words} (`selfsame heartbeat status` says why)"));
        let missed = counted(self.missed, "reminder", "reminders")
            .map(|words| format!("{words} missed in 7 days (`selfsame nudge list` has them)"));
        failing.into_iter().chain(missed).collect::<Vec<_>>().join(", ")
    }
}

/// What came to nothing of an agent's thinking, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThinkingCounts {
    /// Pieces of work of the last seven days that were given up.
    pub dead: u64,
    /// Pieces of work that wait for another day's budget.
    pub parked: u64,
}

impl ThinkingCounts {
    /// Whether nothing came to nothing.
    pub fn is_well(&self) -> bool {
        *self == ThinkingCounts::default()
    }

    /// In words, with where to look.
    pub fn words(&self) -> String {
        let dead =
            counted(self.dead, "thought", "thoughts").map(|words| format!("{words} given up in 7 days"));
        let parked = counted(self.parked, "thought waits", "thoughts wait")
            .map(|words| format!("{words} for another day's budget"));
        let all: Vec<String> = dead.into_iter().chain(parked).collect();
        format!("{} (`selfsame work list` says why)", all.join(", "))
    }
}

fn counted(count: u64, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        more => Some(format!("{more} {many}")),
    }
}

/// A duty as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DutyFound {
    /// Which.
    pub id: DutyId,
    /// Of which kind.
    pub kind: String,
    /// How it stands.
    pub health: Health,
    /// When it is to be tried next.
    pub next_at: Time,
    /// Why it did not work the last time, in words of ours.
    pub last_error: Option<String>,
}

/// An agent as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentFound {
    /// Its name.
    pub name: String,
    /// Its hearts.
    pub hearts: HeartCounts,
    /// Its thinking.
    pub thinking: ThinkingCounts,
}

/// What there is to judge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// All duties.
    pub duties: Vec<DutyFound>,
    /// The model's name and why it did not answer the last time, if there is one and it did not.
    pub model: Option<(String, String)>,
    /// All agents.
    pub agents: Vec<AgentFound>,
}

/// What is late or broken, each with what to do about it.
pub fn troubles(found: &Found) -> Vec<String> {
    let duties = found.duties.iter().filter_map(of_duty);
    let model =
        found.model.iter().map(|(name, trouble)| format!("the model {name} does not answer: {trouble}"));
    let agents = found.agents.iter().flat_map(|AgentFound { name, hearts, thinking }| {
        let hearts = (!hearts.are_well()).then(|| hearts.words());
        let thinking = (!thinking.is_well()).then(|| thinking.words());
        hearts.into_iter().chain(thinking).map(move |words| format!("agent {name}: {words}"))
    });
    duties.chain(model).chain(agents).collect()
}

fn of_duty(duty: &DutyFound) -> Option<String> {
    let why = duty.last_error.as_ref().map_or(String::new(), |error| format!(" ({error})"));
    match duty.health {
        Health::Fine => None,
        Health::Late => Some(format!("duty {} is late since {}{why}", duty.kind, duty.next_at)),
        Health::Dead => {
            let (kind, id) = (&duty.kind, duty.id);
            Some(format!("duty {kind} was given up{why}: `selfsame duty requeue {id}` tries again"))
        }
    }
}

/// Whether a house is ready, in a few numbers that anybody may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// In a word.
    pub readiness: Readiness,
    /// Its duties.
    pub duties: DutyCounts,
    /// How far its clock is from the database server's, if that is worth an alarm: a warning and no more, since the server's
    /// is used.
    pub clock_skew: Option<Duration>,
}

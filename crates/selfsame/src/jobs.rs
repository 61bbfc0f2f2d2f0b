//! The duties of the house: what every mind does in the background, whoever lives in it.

use crate::config::Settings;
use crate::decay::Decay;
use crate::embedding::Embed;
use crate::error::Result;
use crate::heartbeat::deliver::Deliver;
use crate::knowledge::{Consolidate, Revalidate};
use crate::link::Neural;
use crate::mind::{Mind, Speaker};
use crate::scheduler::{Effects, Job, Pace, Scheduler};
use selfsame_core::duty::Rhythm;
use selfsame_store::duties::Duty;
use selfsame_store::idempotency;
use std::time::Duration;

/// Stored replies are kept at least this long: a client may repeat a request on the next day.
const REPLIES_KEPT: Duration = Duration::from_secs(48 * 3600);

/// Removes what nobody will ask for any more: stored replies of requests, receipts of long silences, deliveries done. And
/// looks after what should be there by now: journals, and the reflections of days that are over.
pub struct SweepReplies;

impl Job for SweepReplies {
    fn kind(&self) -> &'static str {
        "sweep_replies"
    }

    fn prepare(&self, mind: &Mind, _duty: &Duty) -> Result<Effects> {
        mind.sweep_heartbeat()?;
        mind.sweep_journals()?;
        mind.reflect_on_days()?;
        let before = mind.now().saturating_sub(REPLIES_KEPT);
        Ok(Effects::of(Vec::new(), move |writer| idempotency::sweep(writer, before).map(drop)))
    }
}

/// Makes the daily copy.
pub struct DailyBackup;

impl Job for DailyBackup {
    fn kind(&self) -> &'static str {
        "daily_backup"
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn prepare(&self, mind: &Mind, _duty: &Duty) -> Result<Effects> {
        if let Some(folder) = mind.backups.as_deref() {
            mind.backup(folder)?;
        }
        Ok(Effects::none())
    }
}

/// Lets the rules decide on what they are sure of, and what nobody decided on in time expire.
pub struct InboxSweep;

impl Job for InboxSweep {
    fn kind(&self) -> &'static str {
        "inbox_sweep"
    }

    fn prepare(&self, mind: &Mind, _duty: &Duty) -> Result<Effects> {
        let now = mind.now();
        let mut overdue = Vec::new();
        for agent in mind.agents()? {
            let access = mind.access(&agent.id.to_string(), Speaker::Agent(None))?;
            access.sweep_by_rules()?;
            access.ask_for_review()?;
            access.ask_for_phrases()?;
            overdue.extend(access.overdue_candidates(now)?.map(|plan| (agent.id, plan)));
        }
        let agents = overdue.iter().map(|(agent, _)| *agent).collect();
        Ok(Effects::of(agents, move |writer| {
            overdue.iter().try_for_each(|(agent, plan)| plan.carry_out(writer, *agent, now))
        }))
    }
}

/// The scheduler with every job of the house.
pub fn scheduler(settings: &Settings) -> Scheduler {
    Scheduler::default()
        .lease(settings.duties.lease)
        .with_hearts()
        .with(SweepReplies)
        .with(DailyBackup)
        .with(Decay)
        .with(InboxSweep)
        .with(Embed)
        .with(Consolidate)
        .with(Revalidate)
        .with(Deliver)
        .with(Neural)
}

const HOUR: Duration = Duration::from_secs(3600);
const QUARTER_HOUR: Duration = Duration::from_secs(15 * 60);
const MINUTE: Duration = Duration::from_secs(60);
const TEN_SECONDS: Duration = Duration::from_secs(10);

/// What is done every hour.
const HOURLY: [&str; 4] = ["sweep_replies", "decay", "inbox_sweep", "revalidate"];

impl Mind {
    /// Sees to it that the house's duties exist.
    pub fn ensure_house_duties(&self) -> Result<()> {
        let there = self.duties()?;
        let is_missing = |kind: &str| !there.iter().any(|duty| duty.kind == kind);
        for kind in HOURLY.into_iter().filter(|kind| is_missing(kind)) {
            // What an earlier version stored is not left waiting for the next hour.
            let behind = if kind == "decay" && self.has_unread_memories()? { HOUR } else { Duration::ZERO };
            let moment = self.now().saturating_sub(behind);
            self.ensure_duty_after(kind, None, &Rhythm::Every(HOUR), moment)?;
        }
        if is_missing("link") {
            self.ensure_duty("link", None, &Rhythm::Every(MINUTE))?;
        }
        if is_missing("consolidate") {
            self.ensure_duty("consolidate", None, &Rhythm::Every(QUARTER_HOUR))?;
        }
        if self.backups.is_some() && !self.settings.backup.at.is_empty() && is_missing("daily_backup") {
            let rhythm = format!("daily {} {}", self.settings.backup.at, self.settings.agent.zone);
            self.ensure_duty("daily_backup", None, &Rhythm::parse(&rhythm)?)?;
        }
        self.ensure_embedding(there.into_iter().find(|duty| duty.kind == "embed"))
    }

    /// A model that is at hand leaves little to do; one that must be asked elsewhere does all in the background. Without
    /// one there is no such duty.
    fn ensure_embedding(&self, there: Option<Duty>) -> Result<()> {
        let wanted = self.embedder().map(|model| if model.is_at_hand() { MINUTE } else { TEN_SECONDS });
        let wanted = wanted.map(Rhythm::Every);
        let fits = |duty: &Duty| {
            let rhythm = wanted.as_ref().map(ToString::to_string);
            duty.state != "cancelled" && rhythm.as_deref() == Some(duty.rhythm.as_str())
        };
        match (there, &wanted) {
            (None, None) => Ok(()),
            (Some(duty), Some(_)) if fits(&duty) => Ok(()),
            (Some(duty), None) => self.cancel_duty(duty.id).map(drop),
            (Some(duty), Some(rhythm)) => {
                self.set_rhythm(duty.id, rhythm)?;
                self.requeue_duty(duty.id).map(drop)
            }
            (None, Some(rhythm)) => self.ensure_duty("embed", None, rhythm).map(drop),
        }
    }
}

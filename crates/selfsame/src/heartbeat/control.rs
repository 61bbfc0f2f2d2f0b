//! How each principal wants to be spoken to: autonomy, quiet hours, channels, silence for a while or for good; and the
//! pause of the whole house.

use super::look::rules_for;
use crate::config::CHANNELS;
use crate::error::{Error, Result};
use crate::mind::{Access, Mind};
use crate::principal::Principal;
use selfsame_core::event::Act;
use selfsame_core::heartbeat::{Autonomy, Period, minute_of_day, show_minute};
use selfsame_core::time::Time;
use selfsame_store::heartbeat::standing::{self, Wishes};
use selfsame_store::heartbeat::{beats, receipts};
use selfsame_store::{Idempotency, events};
use std::time::Duration;

/// What somebody wants changed; what is not said stays. An inner nothing goes back to what is set for everybody.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WishesChange {
    /// What acting means.
    pub autonomy: Option<Option<Autonomy>>,
    /// Quiet hours, as written: `22:30-07:30`.
    pub quiet: Option<Option<String>>,
    /// Names of channels.
    pub channels: Option<Option<Vec<String>>>,
}

/// How a principal is spoken to, and when the heart beats next.
#[derive(Clone, PartialEq, Debug)]
pub struct HeartCard {
    /// For whom.
    pub principal: Principal,
    /// What acting means.
    pub autonomy: Autonomy,
    /// Quiet hours: from, until.
    pub quiet: (String, String),
    /// The part of the day it is for them.
    pub period: Period,
    /// Where nudges go.
    pub channels: Vec<String>,
    /// They want to hear nothing, since then.
    pub muted_at: Option<Time>,
    /// Until then.
    pub snoozed_until: Option<Time>,
    /// The whole house is quiet, since then.
    pub paused_since: Option<Time>,
    /// When it beats next.
    pub next_at: Option<Time>,
    /// And why then.
    pub next_why: Option<String>,
    /// When something was last said.
    pub acted_at: Option<Time>,
    /// Beats that failed, in a row, and what went wrong.
    pub failing: Option<(u32, String)>,
}

impl Access<'_> {
    /// How somebody is spoken to.
    pub fn heartbeat_status(&self, whose: Option<&str>) -> Result<HeartCard> {
        let principal = self.heart_of(whose)?;
        let (agent, now) = (self.agent.id, self.mind.now());
        let settings = &self.mind.settings.heartbeat;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let standing = standing::of(reader, agent, principal.id)?;
            let rules = rules_for(settings, &principal, &standing.wishes)?;
            let beat = beats::of(reader, agent, principal.id)?;
            let latest = receipts::latest(reader, agent, principal.id)?;
            let next_at = beat.as_ref().map(|beat| beat.next_at);
            let wishes = standing.wishes;
            Ok(HeartCard {
                principal: principal.clone(),
                autonomy: rules.autonomy,
                quiet: (
                    show_minute(rules.of_period(Period::Quiet).from),
                    show_minute(rules.of_period(Period::Morning).from),
                ),
                period: rules.period(now),
                channels: wishes.channels.unwrap_or_else(|| settings.channels.clone()),
                muted_at: wishes.muted_at,
                snoozed_until: wishes.snoozed_until.filter(|until| *until > now),
                paused_since: beats::paused_since(reader)?,
                next_at,
                next_why: latest
                    .filter(|latest| Some(latest.next_at) == next_at)
                    .map(|latest| latest.next_why),
                acted_at: standing.acted_at,
                failing: beat
                    .and_then(|beat| Some((beat.failures, beat.last_error?)))
                    .filter(|(failures, _)| *failures > 0),
            })
        })?)
    }

    /// Changes how somebody is spoken to.
    pub fn heartbeat_set(
        &self,
        whose: Option<&str>,
        change: &WishesChange,
        key: Option<&Idempotency>,
    ) -> Result<HeartCard> {
        if *change == WishesChange::default() {
            return Err(Error::Unfit("nothing to change: give an autonomy, quiet hours or channels".into()));
        }
        let quiet =
            change.quiet.as_ref().map(|quiet| quiet.as_deref().map(quiet_hours).transpose()).transpose()?;
        if let Some(Some(channels)) = &change.channels {
            check_channels(channels)?;
        }
        self.change_wishes(whose, "changed", key, |wishes| {
            if let Some(autonomy) = change.autonomy {
                wishes.autonomy = autonomy;
            }
            if let Some(quiet) = quiet {
                (wishes.quiet_from, wishes.quiet_until) = quiet.unzip();
            }
            if let Some(channels) = &change.channels {
                wishes.channels.clone_from(channels);
            }
        })
    }

    /// Says nothing to somebody until they want to hear again. What falls due meanwhile is missed.
    pub fn heartbeat_mute(
        &self,
        whose: Option<&str>,
        muted: bool,
        key: Option<&Idempotency>,
    ) -> Result<HeartCard> {
        let now = self.mind.now();
        let act = if muted { "muted" } else { "unmuted" };
        self.change_wishes(whose, act, key, |wishes| {
            wishes.muted_at = muted.then(|| wishes.muted_at.unwrap_or(now));
            wishes.snoozed_until = wishes.snoozed_until.filter(|_| muted);
        })
    }

    /// Says nothing to somebody for a while.
    pub fn heartbeat_snooze(
        &self,
        whose: Option<&str>,
        length: Duration,
        key: Option<&Idempotency>,
    ) -> Result<HeartCard> {
        if length.is_zero() || length > LONGEST_SNOOZE {
            return Err(Error::Unfit("a snooze lasts up to 30d; for longer, mute".into()));
        }
        let until = self.mind.now().saturating_add(length);
        self.change_wishes(whose, "snoozed", key, |wishes| wishes.snoozed_until = Some(until))
    }

    fn change_wishes(
        &self,
        whose: Option<&str>,
        act: &'static str,
        key: Option<&Idempotency>,
        mut change: impl FnMut(&mut Wishes),
    ) -> Result<HeartCard> {
        let principal = self.heart_of(whose)?;
        self.require_their_own_wish(&principal)?;
        let (agent, now) = (self.agent.id, self.mind.now());
        self.mind.store.write(&self.caller, &[agent], key, |writer| {
            let mut wishes = standing::of(writer, agent, principal.id)?.wishes;
            change(&mut wishes);
            standing::want(writer, agent, principal.id, &wishes)?;
            // What was held back, or is to be, is judged anew at once.
            beats::wake_by(writer, agent, principal.id, now)?;
            let act = Act { act, subject_kind: "heartbeat", subject: principal.id.id() };
            events::record(writer, agent, now, &[act]).map(drop)
        })?;
        self.heartbeat_status(Some(&principal.id.to_string()))
    }

    /// How somebody is spoken to is theirs to say, and the operator's; the agent may not make itself louder.
    fn require_their_own_wish(&self, principal: &Principal) -> Result<()> {
        match self.caller.is_operator() || self.is_principal(principal.id) {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "how a principal is spoken to is said by the principal or the operator, not by the agent"
                    .into(),
            )),
        }
    }
}

const LONGEST_SNOOZE: Duration = Duration::from_secs(30 * 24 * 3600);

impl Mind {
    /// No heart of the house speaks from now on; says whether that is new. For who holds the keys of the house.
    pub fn heartbeat_pause(&self) -> Result<bool> {
        let now = self.now();
        let id = self.mint.id(now);
        Ok(self.store.system_write(|writer| beats::pause(writer, id, now))?)
    }

    /// They speak again; says whether that is new.
    pub fn heartbeat_resume(&self) -> Result<bool> {
        let now = self.now();
        Ok(self.store.system_write(|writer| beats::resume(writer, now))?)
    }

    /// Since when no heart speaks.
    pub fn heartbeat_paused_since(&self) -> Result<Option<Time>> {
        Ok(self.store.system(beats::paused_since)?)
    }
}

/// `22:30-07:30` as minutes since midnight.
fn quiet_hours(text: &str) -> Result<(u16, u16)> {
    let read = text.split_once('-').and_then(|(from, until)| {
        Some((minute_of_day(from.trim())?, minute_of_day(until.trim())?))
            .filter(|(from, until)| from != until)
    });
    read.ok_or_else(|| Error::Unfit(format!("quiet hours: {text:?} is not of the form 22:30-07:30")))
}

fn check_channels(channels: &[String]) -> Result<()> {
    match channels.iter().find(|name| !CHANNELS.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let known = CHANNELS.join(", ");
            Err(Error::Unfit(format!("channels: there is no {unknown:?}; known are {known}")))
        }
    }
}

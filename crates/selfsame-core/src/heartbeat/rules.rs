//! What the operator set: how much it takes to speak up, and how the day goes.

use super::signal::Tier;
use crate::time::{Time, Zone, civil};
use crate::word::words;
use std::time::Duration;

const fn minutes(n: u64) -> Duration {
    Duration::from_secs(n * 60)
}

const fn hours(n: u64) -> Duration {
    minutes(n * 60)
}

words! {
    /// What acting means.
    Autonomy, "level of autonomy":
    /// Recorded, never delivered; the agent sees it in its context.
    Observe = "observe",
    /// A suggestion on the principal's list.
    Suggest = "suggest",
    /// Delivered, and the agent is woken.
    Act = "act",
}

words! {
    /// A part of the day, by the principal's clock.
    Period, "period of the day":
    /// Sleep.
    Quiet = "quiet",
    /// The day begins.
    Morning = "morning",
    /// Work.
    Working = "working",
    /// After work.
    Evening = "evening",
    /// Before sleep.
    LateNight = "late_night",
}

/// How one period of the day goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PeriodRules {
    /// When it begins, in minutes since midnight; it lasts until the next one begins.
    pub from: u16,
    /// Signals below are dropped. In quiet hours it has no say: schedules and critical deadlines pass, nothing else.
    pub least: Tier,
    /// How much longer cooldowns and pauses between ticks are.
    pub factor: f64,
}

/// How much it takes at one level of autonomy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelRules {
    /// The sum of weights that is enough.
    pub threshold: u32,
    /// The pause after an act, by the highest tier present.
    pub low: Duration,
    /// Of normal signals.
    pub normal: Duration,
    /// Of elevated ones. Immediate ones know none.
    pub elevated: Duration,
}

/// How the first words are spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstContact {
    /// With fewer memories than this, they have not met properly.
    pub memories: u32,
    /// The pause between two attempts.
    pub every: Duration,
    /// Attempts until the principal writes, at most.
    pub most: u32,
}

/// What being ignored does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Responses {
    /// Of so many delivered nudges, at most.
    pub last: u32,
    /// No older than this.
    pub within: Duration,
    /// With fewer there is no rate.
    pub least: u32,
    /// Below this share of answers, cooldowns are multiplied by `ignored_factor`.
    pub ignored_below: f64,
    /// By how much.
    pub ignored_factor: f64,
    /// Below this share by `selective_factor`.
    pub selective_below: f64,
    /// By how much.
    pub selective_factor: f64,
    /// Who writes in the channel so soon after a nudge has answered it.
    pub answer_within: Duration,
}

/// How often the heart beats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// The pause before all factors.
    pub base: Duration,
    /// The shortest.
    pub shortest: Duration,
    /// The longest.
    pub longest: Duration,
}

/// All of it, for one principal: what is set for everybody, with what this one wants otherwise.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// What acting means.
    pub autonomy: Autonomy,
    /// The principal's clock.
    pub zone: Zone,
    /// By [`Period::ALL`].
    pub periods: [PeriodRules; 5],
    /// By [`Autonomy::ALL`].
    pub levels: [LevelRules; 3],
    /// No stack of factors makes a cooldown longer.
    pub max_silence: Duration,
    /// A message this long ago is a conversation.
    pub conversation: Duration,
    /// So many new memories are many.
    pub velocity: u32,
    /// A deadline so near is critical.
    pub critical: Duration,
    /// How the first words are spoken.
    pub first_contact: FirstContact,
    /// What being ignored does.
    pub responses: Responses,
    /// How often it beats.
    pub pace: Pace,
}

impl Rules {
    /// The defaults, for somebody in that zone.
    pub fn standard(zone: Zone) -> Rules {
        let period = |hour: u16, least, factor| PeriodRules { from: hour * 60, least, factor };
        let level = |threshold, low, normal, elevated| LevelRules { threshold, low, normal, elevated };
        Rules {
            autonomy: Autonomy::Suggest,
            zone,
            periods: [
                period(23, Tier::Immediate, 10.0),
                period(7, Tier::Low, 0.5),
                period(10, Tier::Low, 1.0),
                period(17, Tier::Normal, 1.5),
                period(21, Tier::Elevated, 3.0),
            ],
            levels: [
                level(20, hours(8), hours(4), hours(2)),
                level(12, hours(4), hours(2), minutes(30)),
                level(8, minutes(30), minutes(10), minutes(5)),
            ],
            max_silence: hours(24),
            conversation: minutes(15),
            velocity: 5,
            critical: hours(1),
            first_contact: FirstContact { memories: 5, every: hours(24), most: 3 },
            responses: Responses {
                last: 20,
                within: hours(30 * 24),
                least: 5,
                ignored_below: 0.1,
                ignored_factor: 10.0,
                selective_below: 0.3,
                selective_factor: 3.0,
                answer_within: minutes(30),
            },
            pace: Pace { base: minutes(5), shortest: minutes(1), longest: hours(6) },
        }
    }

    /// How much it takes at the level that is set.
    pub fn level(&self) -> &LevelRules {
        &self.levels[self.autonomy as usize]
    }

    /// How a period goes.
    pub fn of_period(&self, period: Period) -> &PeriodRules {
        &self.periods[period as usize]
    }

    /// The period of the day at a moment. Quiet hours go first, until the morning; of the others, the one that began last.
    pub fn period(&self, now: Time) -> Period {
        let local = self.zone.local(now);
        let minute = local.hour() as u16 * 60 + local.minute() as u16;
        if self.is_quiet(minute) {
            return Period::Quiet;
        }
        let loud = || Period::ALL.iter().filter(|period| **period != Period::Quiet);
        let by_beginning = |period: &&Period| self.of_period(**period).from;
        // Before the first beginning of the day, the last of the day before goes on.
        let latest = loud().filter(|period| self.of_period(**period).from <= minute).max_by_key(by_beginning);
        *latest.or_else(|| loud().max_by_key(by_beginning)).unwrap_or(&Period::Working)
    }

    /// Whether a minute of the day lies between the beginning of the quiet hours and the morning.
    fn is_quiet(&self, minute: u16) -> bool {
        let (from, until) = (self.of_period(Period::Quiet).from, self.of_period(Period::Morning).from);
        match from <= until {
            true => (from..until).contains(&minute),
            false => minute >= from || minute < until,
        }
    }

    /// When the period changes next.
    pub fn next_period_at(&self, now: Time) -> Time {
        let begins = self.periods.iter().map(|period| {
            let at = civil::time((period.from / 60) as i8, (period.from % 60) as i8, 0, 0);
            self.zone.next_daily(at, now)
        });
        begins.min().unwrap_or(Time::MAX)
    }
}

/// Minutes since midnight of a time of day such as `23:00`.
pub fn minute_of_day(text: &str) -> Option<u16> {
    let time = civil::Time::strptime("%H:%M", text).ok()?;
    Some(time.hour() as u16 * 60 + time.minute() as u16)
}

/// As it is written: `23:00`.
pub fn show_minute(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

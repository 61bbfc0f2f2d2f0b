//! When an agent has time to think: idle, within its hours, not too often. No turn is lost in silence: each one that is
//! not taken has a reason and a moment at which it is looked at again.

use crate::time::{Time, Zone, civil};
use crate::word::words;
use std::time::Duration;

/// What a rate limit counts in.
const HOUR: Duration = Duration::from_secs(3600);
const MINUTES_OF_A_DAY: u16 = 24 * 60;

/// The hours in which an agent thinks, as minutes of its day. The first is in, the last is not; over midnight is fine, and
/// equal ones mean the whole day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActiveHours {
    /// From.
    pub start: u16,
    /// Until before.
    pub end: u16,
}

impl ActiveHours {
    fn contain(self, minute: u16) -> bool {
        let ActiveHours { start, end } = self;
        match start.cmp(&end) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less => (start..end).contains(&minute),
            std::cmp::Ordering::Greater => minute >= start || minute < end,
        }
    }
}

/// How often, and when not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Whether at all.
    pub enabled: bool,
    /// From one time to the next, for a main agent.
    pub every: Duration,
    /// The same for one of the family.
    pub family_every: Duration,
    /// What this agent has of its own.
    pub own_every: Option<Duration>,
    /// After so many successful times in a row ...
    pub streak: u32,
    /// ... a main agent thinks so often.
    pub fast_every: Duration,
    /// So long after somebody wrote, thinking waits.
    pub quiet: Duration,
    /// After so long it is looked again whether there is time.
    pub retry: Duration,
    /// Times in an hour, for an agent.
    pub per_hour: u32,
    /// Times in an hour, for all agents together.
    pub per_hour_all: u32,
    /// The agent's hours; none: always.
    pub active: Option<ActiveHours>,
}

/// How things stand for an agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// One of the family.
    pub family: bool,
    /// Pieces of other work that were asked for lately and wait.
    pub pending_work: u32,
    /// Somebody is at its work, or a host runs it.
    pub active_run: bool,
    /// When somebody last wrote to it.
    pub last_message_at: Option<Time>,
    /// When it began to think in the last hour, the earliest first.
    pub begun_last_hour: Vec<Time>,
    /// When anybody began to, the earliest first.
    pub begun_last_hour_all: Vec<Time>,
    /// It repeats itself, and nothing is new.
    pub held: bool,
    /// Everything is paused.
    pub paused: bool,
}

words! {
    /// Why a turn was not taken.
    SkipReason, "reason":
    /// Nobody wants it to think.
    Disabled = "contemplation is not enabled",
    /// Everything is paused.
    Paused = "everything is paused",
    /// It is not its time of day.
    OutsideHours = "outside its active hours",
    /// It thought often enough.
    RateLimit = "it thought often enough in the last hour",
    /// All together thought often enough.
    CapOverAll = "all agents together thought often enough in the last hour",
    /// Other work waits.
    PendingWork = "other work waits",
    /// It is busy.
    ActiveRun = "it is busy",
    /// Somebody just wrote.
    PrincipalSpoke = "somebody wrote a moment ago",
    /// It would say the same again.
    NothingNew = "it repeated itself, and nothing is new",
}

/// What becomes of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It thinks.
    Think,
    /// It does not.
    Skip {
        /// Why.
        reason: SkipReason,
        /// When it is looked at again; always later than now.
        again_at: Time,
    },
}

/// Whether it is an agent's turn.
pub fn turn(rules: &Rules, standing: &Standing, now: Time, zone: &Zone) -> Turn {
    let soon = now.saturating_add(rules.retry.max(Duration::from_secs(1)));
    let skip = |reason, again_at: Time| Turn::Skip { reason, again_at: again_at.max(soon) };
    if !rules.enabled {
        return skip(SkipReason::Disabled, now.saturating_add(rules.every));
    }
    if standing.paused {
        return skip(SkipReason::Paused, soon);
    }
    if let Some(hours) = rules.active.filter(|hours| !hours.contain(minute_of(zone, now))) {
        return Turn::Skip { reason: SkipReason::OutsideHours, again_at: next_start(zone, hours, now) };
    }
    if let Some(free_at) = full_until(&standing.begun_last_hour, rules.per_hour, now) {
        return Turn::Skip { reason: SkipReason::RateLimit, again_at: free_at };
    }
    if let Some(free_at) = full_until(&standing.begun_last_hour_all, rules.per_hour_all, now) {
        return skip(SkipReason::CapOverAll, free_at);
    }
    if standing.active_run {
        return skip(SkipReason::ActiveRun, soon);
    }
    if standing.pending_work > 0 {
        return skip(SkipReason::PendingWork, soon);
    }
    if standing.last_message_at.is_some_and(|wrote| now.since(wrote) < rules.quiet) {
        return skip(SkipReason::PrincipalSpoke, soon);
    }
    if standing.held {
        return skip(SkipReason::NothingNew, soon);
    }
    Turn::Think
}

/// From one time of thinking to the next.
pub fn interval(rules: &Rules, family: bool, streak: u32) -> Duration {
    let usual = match (rules.own_every, family) {
        (Some(own), _) => own,
        (None, true) => rules.family_every,
        (None, false) => rules.every,
    };
    let is_on_a_run = !family && streak >= rules.streak;
    if is_on_a_run { usual.min(rules.fast_every) } else { usual }
}

/// When the next turn comes, after one that began then. Turns that were slept through are not made up for.
pub fn next_after(rules: &Rules, family: bool, streak: u32, began_at: Time, now: Time) -> Time {
    let next = began_at.saturating_add(interval(rules, family, streak));
    if next > now { next } else { now.saturating_add(rules.retry.max(Duration::from_secs(1))) }
}

/// When there is room again under a limit, if there is none now.
fn full_until(begun: &[Time], limit: u32, now: Time) -> Option<Time> {
    let recent: Vec<Time> = begun.iter().copied().filter(|begun| now.since(*begun) < HOUR).collect();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if recent.len() < limit {
        return None;
    }
    // The one whose leaving makes room; under a limit of none there never is any.
    let leaves = recent.len().checked_sub(limit.max(1)).map_or(now, |at| recent[at]);
    Some(leaves.saturating_add(HOUR))
}

fn minute_of(zone: &Zone, now: Time) -> u16 {
    let local = zone.local(now);
    u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap_or(0)
}

/// When the hours begin next. A start that a change of clocks leaves out begins with the next minute that there is.
fn next_start(zone: &Zone, hours: ActiveHours, now: Time) -> Time {
    let minute = hours.start % MINUTES_OF_A_DAY;
    let hour = i8::try_from(minute / 60).unwrap_or(0);
    let minute = i8::try_from(minute % 60).unwrap_or(0);
    zone.next_daily(civil::Time::constant(hour, minute, 0, 0), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn rules() -> Rules {
        Rules {
            enabled: true,
            every: 30 * MINUTE,
            family_every: 24 * HOUR,
            own_every: None,
            streak: 3,
            fast_every: 15 * MINUTE,
            quiet: 3 * MINUTE,
            retry: MINUTE,
            per_hour: 12,
            per_hour_all: 100,
            active: None,
        }
    }

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn skipped(turn: Turn) -> (SkipReason, String) {
        match turn {
            Turn::Skip { reason, again_at } => (reason, again_at.to_string()),
            Turn::Think => panic!("it thinks"),
        }
    }

    #[test]
    fn an_idle_agent_thinks() {
        let now = at("2026-11-16T12:00:00Z");
        assert_eq!(turn(&rules(), &Standing::default(), now, &Zone::utc()), Turn::Think);
    }

    #[test]
    fn each_reason_to_wait_is_named_and_looked_at_again_in_a_minute() {
        let now = at("2026-11-16T12:00:00Z");
        let idle = Standing::default;
        let in_a_minute = at("2026-11-16T12:01:00Z").to_string();
        let wrote = |seconds| Some(now.saturating_sub(Duration::from_secs(seconds)));
        let cases = [
            (Standing { paused: true, ..idle() }, SkipReason::Paused),
            (Standing { active_run: true, ..idle() }, SkipReason::ActiveRun),
            (Standing { pending_work: 1, ..idle() }, SkipReason::PendingWork),
            (Standing { last_message_at: wrote(179), ..idle() }, SkipReason::PrincipalSpoke),
            (Standing { held: true, ..idle() }, SkipReason::NothingNew),
        ];
        for (standing, reason) in cases {
            assert_eq!(skipped(turn(&rules(), &standing, now, &Zone::utc())), (reason, in_a_minute.clone()));
        }
        let quiet = Standing { last_message_at: wrote(180), ..idle() };
        assert_eq!(turn(&rules(), &quiet, now, &Zone::utc()), Turn::Think, "three minutes are enough");
        let disabled = turn(&Rules { enabled: false, ..rules() }, &idle(), now, &Zone::utc());
        assert_eq!(skipped(disabled), (SkipReason::Disabled, at("2026-11-16T12:30:00Z").to_string()));
    }

    #[test]
    fn a_limit_is_free_again_when_the_oldest_that_counts_is_an_hour_old() {
        let now = at("2026-11-16T12:00:00Z");
        let begun: Vec<Time> =
            (0..12).map(|n| at("2026-11-16T11:05:00Z").saturating_add(4 * n * MINUTE)).collect();
        let full = Standing { begun_last_hour: begun.clone(), ..Standing::default() };
        let again = at("2026-11-16T12:05:00Z").to_string();
        assert_eq!(skipped(turn(&rules(), &full, now, &Zone::utc())), (SkipReason::RateLimit, again));
        let room = Standing { begun_last_hour: begun[1..].to_vec(), ..Standing::default() };
        assert_eq!(turn(&rules(), &room, now, &Zone::utc()), Turn::Think);
        let others = Standing { begun_last_hour_all: begun, ..Standing::default() };
        let capped = Rules { per_hour_all: 12, ..rules() };
        assert_eq!(skipped(turn(&capped, &others, now, &Zone::utc())).0, SkipReason::CapOverAll);
        assert_eq!(turn(&rules(), &others, now, &Zone::utc()), Turn::Think);
    }

    #[test]
    fn under_a_limit_of_none_it_is_looked_at_every_hour() {
        let now = at("2026-11-16T12:00:00Z");
        let never = turn(&Rules { per_hour: 0, ..rules() }, &Standing::default(), now, &Zone::utc());
        assert_eq!(skipped(never), (SkipReason::RateLimit, at("2026-11-16T13:00:00Z").to_string()));
    }

    #[test]
    fn hours_begin_with_their_first_minute_and_end_before_their_last() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let day = Rules { active: Some(ActiveHours { start: 8 * 60, end: 22 * 60 }), ..rules() };
        let idle = Standing::default();
        let thinks = |rules: &Rules, text: &str| turn(rules, &idle, at(text), &berlin) == Turn::Think;
        assert!(thinks(&day, "2026-11-16T07:00:00Z"), "eight in Berlin");
        assert!(thinks(&day, "2026-11-16T20:59:59Z"));
        assert!(!thinks(&day, "2026-11-16T21:00:00Z"), "ten in the evening");
        let evening = turn(&day, &idle, at("2026-11-16T21:00:00Z"), &berlin);
        assert_eq!(skipped(evening), (SkipReason::OutsideHours, at("2026-11-17T07:00:00Z").to_string()));
        let night = Rules { active: Some(ActiveHours { start: 22 * 60, end: 6 * 60 }), ..rules() };
        assert!(thinks(&night, "2026-11-16T23:30:00Z"));
        assert!(!thinks(&night, "2026-11-16T05:00:00Z"));
        let always = Rules { active: Some(ActiveHours { start: 60, end: 60 }), ..rules() };
        assert!(thinks(&always, "2026-11-16T05:00:00Z"));
    }

    #[test]
    fn hours_that_begin_in_a_gap_of_the_clock_begin_after_it() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let rules = Rules { active: Some(ActiveHours { start: 2 * 60 + 30, end: 5 * 60 }), ..rules() };
        let gap = turn(&rules, &Standing::default(), at("2026-03-29T00:10:00Z"), &berlin);
        let (reason, again) = skipped(gap);
        assert_eq!(reason, SkipReason::OutsideHours);
        // 02:30 does not exist on that day: the clock goes from 02:00 to 03:00, which is 01:00 UTC.
        assert_eq!(again, at("2026-03-29T01:00:00Z").to_string());
    }

    #[test]
    fn three_good_times_make_a_main_agent_think_twice_as_often() {
        let rules = rules();
        assert_eq!(interval(&rules, false, 2), 30 * MINUTE);
        assert_eq!(interval(&rules, false, 3), 15 * MINUTE);
        assert_eq!(interval(&rules, true, 30), 24 * HOUR, "the family keeps its pace");
        let own = Rules { own_every: Some(10 * MINUTE), ..rules.clone() };
        assert_eq!(interval(&own, false, 3), 10 * MINUTE, "never slower than it wants");
        assert_eq!(interval(&own, true, 0), 10 * MINUTE);
    }

    #[test]
    fn what_was_slept_through_is_not_made_up_for() {
        let (began, now) = (at("2026-11-16T08:00:00Z"), at("2026-11-16T20:00:00Z"));
        assert_eq!(next_after(&rules(), false, 0, began, now), at("2026-11-16T20:01:00Z"));
        assert_eq!(next_after(&rules(), false, 0, now, now), at("2026-11-16T20:30:00Z"));
    }

    /// A fortnight of turns every time it may: never more than twelve in any hour, none outside the hours, never a
    /// standstill and never a spin.
    #[test]
    fn a_fortnight_keeps_every_limit() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let rules = Rules {
            every: MINUTE,
            fast_every: MINUTE,
            active: Some(ActiveHours { start: 7 * 60, end: 23 * 60 + 30 }),
            ..rules()
        };
        let (mut now, end) = (at("2026-10-20T00:00:00Z"), at("2026-11-03T00:00:00Z"));
        let (mut begun, mut looks) = (Vec::<Time>::new(), 0);
        while now < end {
            looks += 1;
            let last_hour = begun.iter().copied().filter(|begun| now.since(*begun) < HOUR).collect();
            let standing = Standing { begun_last_hour: last_hour, ..Standing::default() };
            match turn(&rules, &standing, now, &zone) {
                Turn::Think => {
                    let minute = minute_of(&zone, now);
                    assert!((7 * 60..23 * 60 + 30).contains(&minute), "at minute {minute}");
                    begun.push(now);
                    now = next_after(&rules, false, 0, now, now);
                }
                Turn::Skip { again_at, .. } => {
                    assert!(again_at > now);
                    now = again_at;
                }
            }
        }
        for window in begun.windows(13) {
            assert!(window[12].since(window[0]) >= HOUR, "thirteen within an hour at {}", window[0]);
        }
        assert!(begun.len() > 14 * 16 * 11, "{} times in a fortnight", begun.len());
        assert!(looks < begun.len() * 2, "{looks} looks for {} times", begun.len());
    }
}

//! An entry of the calendar, and when exactly it takes place.

use super::rule::{BadRule, End, Rule};
use crate::id::{AgentId, CalendarId};
use crate::kept::{Words, row};
use crate::local::{BadMoment, Moment, parse_local, plain_date, show_day, show_local};
use crate::seal::Sealer;
use crate::text::{TextProblem, check_text};
use crate::time::{BadDuration, Time, UnknownZone, Zone, parse_duration};
use crate::trust::Privacy;
use jiff::civil::{Date, DateTime, Time as WallTime};
use jiff::{SignedDuration, ToSpan as _};
use std::collections::BTreeSet;
use std::time::Duration;

/// Bytes in a title or a location, at most.
pub const MAX_TITLE_BYTES: usize = 1000;
/// Bytes in a description, at most.
pub const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;
/// A reminder comes at most a year ahead.
const MAX_REMIND_MINUTES: u32 = 366 * 24 * 60;
const DAY: Duration = Duration::from_secs(86_400);

/// When something takes place, by the wall clock. Of a series: the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Whole days, the last one included.
    Days {
        /// From.
        first: Date,
        /// To.
        last: Date,
    },
    /// A time of day.
    Hours {
        /// From.
        from: DateTime,
        /// To, if it is known.
        until: Option<DateTime>,
    },
}

impl Slot {
    /// Reads what [`Slot::starts`] and [`Slot::ends`] wrote.
    pub fn parse(starts: &str, ends: Option<&str>) -> Option<Slot> {
        if let Some(first) = plain_date(starts) {
            let last = ends.map_or(Some(first), plain_date)?;
            return Some(Slot::Days { first, last });
        }
        let until = match ends {
            Some(ends) => Some(parse_local(ends)?),
            None => None,
        };
        Some(Slot::Hours { from: parse_local(starts)?, until })
    }

    /// `2026-12-24` or `2026-12-24T18:00:00`.
    pub fn starts(&self) -> String {
        match self {
            Slot::Days { first, .. } => show_day(*first),
            Slot::Hours { from, .. } => show_local(*from),
        }
    }

    /// The same of its end; none for one day or an open end.
    pub fn ends(&self) -> Option<String> {
        match self {
            Slot::Days { first, last } => (first != last).then(|| show_day(*last)),
            Slot::Hours { until, .. } => until.map(show_local),
        }
    }

    /// Its beginning; a day begins at midnight.
    fn begin(&self) -> DateTime {
        match self {
            Slot::Days { first, .. } => first.to_datetime(WallTime::midnight()),
            Slot::Hours { from, .. } => *from,
        }
    }

    /// How long it is by the wall clock.
    fn length(&self) -> SignedDuration {
        match self {
            Slot::Days { first, last } => SignedDuration::from_hours(24) + last.duration_since(*first),
            Slot::Hours { from, until } => {
                until.map_or(SignedDuration::ZERO, |until| until.duration_since(*from))
            }
        }
    }

    /// The same slot, beginning at another time.
    fn moved_to(&self, begin: DateTime) -> Slot {
        match self {
            Slot::Days { first, last } => Slot::Days {
                first: begin.date(),
                last: begin.date().saturating_add(last.duration_since(*first)),
            },
            Slot::Hours { until, .. } => {
                Slot::Hours { from: begin, until: until.map(|_| begin.saturating_add(self.length())) }
            }
        }
    }
}

/// An entry of the calendar.
#[derive(Clone, PartialEq, Debug)]
pub struct CalendarEvent {
    /// Its id.
    pub id: CalendarId,
    /// Whose.
    pub agent: AgentId,
    /// What.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// Where.
    pub location: Option<String>,
    /// When, for the first time.
    pub slot: Slot,
    /// By which wall clock.
    pub zone: Zone,
    /// How it repeats.
    pub recurrence: Option<Rule>,
    /// When it was added.
    pub created_at: Time,
    /// How long before it to be reminded.
    pub remind_minutes: Option<u32>,
    /// When it was taken off.
    pub removed_at: Option<Time>,
}

impl Words for CalendarEvent {
    row!("calendar_events", "calendar entry");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("title", &self.title)
            .opt_text("description", self.description.as_deref())
            .opt_text("location", self.location.as_deref())
            .text("starts", &self.slot.starts())
            .opt_text("ends", self.slot.ends().as_deref())
            .text("zone", self.zone.name())
            .opt_text("recurrence", self.recurrence.as_ref().map(Rule::to_string).as_deref())
            .time("created_at", self.created_at)
    }
}

/// One time at which an entry takes place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// By the wall clock.
    pub slot: Slot,
    /// The moment at which it begins.
    pub begin: Time,
    /// The moment at which it is over; the same if that is not known.
    pub end: Time,
}

impl CalendarEvent {
    /// When it takes place, in order, beginning with what is not over at `from`; without the exceptions, which are
    /// given as they are stored: local starts.
    pub fn occurrences<'e>(
        &'e self,
        from: Time,
        exceptions: &'e BTreeSet<String>,
    ) -> impl Iterator<Item = Occurrence> + 'e {
        // A day of margin on either side of what the wall clock says: no zone shifts by more.
        let early = self.zone.local(from).saturating_sub(self.slot.length()).saturating_sub(2.days());
        let mut last = None;
        self.local_begins(early)
            .map(|begin| self.occurrence(begin))
            .filter(move |one| one.begin >= from || one.end > from)
            .filter(|one| !exceptions.contains(&one.slot.starts()))
            // 02:30 and 03:00 are one moment where the clocks go forward: it takes place once.
            .filter(move |one| last.replace(one.begin) != Some(one.begin))
    }

    /// The first moment after `after` at which to be reminded, of what begins after `begins_after`; none: it wants no
    /// reminder, or there is no more.
    pub fn reminder(&self, after: Time, begins_after: Time, exceptions: &BTreeSet<String>) -> Option<Time> {
        let ahead = self.reminded_ahead()?;
        let begins_after = begins_after.max(after.saturating_add(ahead));
        let mut to_come = self.occurrences(begins_after, exceptions).filter(|one| one.begin > begins_after);
        to_come.next().map(|one| one.begin.saturating_sub(ahead))
    }

    /// Whether there is an occurrence of which one is reminded at that very moment.
    pub fn reminds_at(&self, moment: Time, exceptions: &BTreeSet<String>) -> bool {
        let Some(ahead) = self.reminded_ahead() else {
            return false;
        };
        let begin = moment.saturating_add(ahead);
        let mut from_there = self.occurrences(begin, exceptions).skip_while(|one| one.begin < begin);
        from_there.next().is_some_and(|one| one.begin == begin)
    }

    fn reminded_ahead(&self) -> Option<Duration> {
        let minutes = self.remind_minutes.filter(|_| self.removed_at.is_none())?;
        Some(Duration::from_secs(u64::from(minutes) * 60))
    }

    /// The bounds of the whole series: the first beginning, and a moment by which the last is over (none: it goes on).
    pub fn bounds(&self) -> Result<(Time, Option<Time>), BadEvent> {
        let begin = self.slot.begin();
        let first = self.local_begins(begin).next().ok_or(BadEvent::Never)?;
        let last = match self.recurrence.as_ref().map(|rule| rule.end) {
            Some(End::Never) => None,
            // Later than the last occurrence perhaps, never earlier.
            Some(End::Instant(time)) => Some(self.zone.local(time)),
            Some(End::Local(local)) => Some(local),
            Some(End::Day(day)) => Some(day.at(23, 59, 59, 0)),
            Some(End::Count(_)) | None => self.local_begins(begin).last(),
        };
        let over = |local: DateTime| self.occurrence(local).end.saturating_add(DAY);
        Ok((self.zone.instant(first), last.map(over)))
    }

    fn local_begins<'e>(&'e self, early: DateTime) -> Box<dyn Iterator<Item = DateTime> + 'e> {
        let begin = self.slot.begin();
        match &self.recurrence {
            Some(rule) => Box::new(rule.occurrences_from(begin, early, &self.zone)),
            None => Box::new(std::iter::once(begin)),
        }
    }

    fn occurrence(&self, begin: DateTime) -> Occurrence {
        let slot = self.slot.moved_to(begin);
        let moment = self.zone.instant(begin);
        let end = self.zone.instant(begin.saturating_add(self.slot.length()));
        Occurrence { slot, begin: moment, end: end.max(moment) }
    }
}

/// What somebody wants in the calendar, as written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CalendarDraft {
    /// What.
    pub title: String,
    /// When: a date, a local time, or an instant with its offset.
    pub start: String,
    /// Until when; of whole days the last one.
    pub end: Option<String>,
    /// Or how long.
    pub duration: Option<String>,
    /// Where.
    pub location: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// By which wall clock; none: the agent's.
    pub zone: Option<String>,
    /// How it repeats.
    pub recurrence: Option<String>,
    /// How many minutes before it to be reminded.
    pub remind_minutes: Option<u32>,
    /// Who may see it.
    pub privacy: Privacy,
}

impl CalendarDraft {
    /// Something at a time.
    pub fn new(title: impl Into<String>, start: impl Into<String>) -> CalendarDraft {
        CalendarDraft { title: title.into(), start: start.into(), ..CalendarDraft::default() }
    }

    /// The entry that it describes, if it may be stored.
    pub fn check(
        self,
        id: CalendarId,
        agent: AgentId,
        home: &Zone,
        now: Time,
    ) -> Result<CalendarEvent, BadEvent> {
        let text = |field, text: &str, max| {
            check_text(text, max).map_err(|problem| BadEvent::Text { field, problem })
        };
        text("title", &self.title, MAX_TITLE_BYTES)?;
        self.location.as_deref().map_or(Ok(()), |place| text("location", place, MAX_TITLE_BYTES))?;
        self.description
            .as_deref()
            .map_or(Ok(()), |more| text("description", more, MAX_DESCRIPTION_BYTES))?;
        if let Some(minutes) = self.remind_minutes.filter(|minutes| *minutes > MAX_REMIND_MINUTES) {
            return Err(BadEvent::Remind(minutes));
        }
        let zone = self.zone.as_deref().map_or_else(|| Ok(home.clone()), Zone::parse)?;
        let slot = self.slot(&zone, zone.date(now))?;
        let recurrence = self.recurrence.as_deref().map(Rule::parse).transpose()?;
        if matches!(slot, Slot::Days { .. }) && recurrence.as_ref().is_some_and(Rule::has_times) {
            return Err(BadEvent::TimesOfDays);
        }
        let CalendarDraft { title, description, location, remind_minutes, .. } = self;
        Ok(CalendarEvent {
            id,
            agent,
            title,
            description,
            location,
            slot,
            zone,
            recurrence,
            created_at: now,
            remind_minutes,
            removed_at: None,
        })
    }

    fn slot(&self, zone: &Zone, today: Date) -> Result<Slot, BadEvent> {
        if self.end.is_some() && self.duration.is_some() {
            return Err(BadEvent::EndAndDuration);
        }
        let start = Moment::parse(&self.start, today)?;
        let end = self.end.as_deref().map(|end| Moment::parse(end, today)).transpose()?;
        let duration = self.duration.as_deref().map(parse_duration).transpose()?;
        let from = match start {
            Moment::Day(first) => return self.days(first, end, duration),
            other => local_of(other, zone, &self.start)?,
        };
        let until = match (end, &self.end, duration) {
            (Some(Moment::Day(_)), ..) => return Err(BadEvent::Mixed),
            (Some(end), Some(text), _) => Some(local_of(end, zone, text)?),
            // An hour from an instant is an hour of real time; from a local time, an hour on the wall clock.
            (_, _, Some(duration)) => Some(match start {
                Moment::Instant(time) => whole_seconds(zone.local(time.saturating_add(duration))),
                _ => whole_seconds(from.saturating_add(signed(duration))),
            }),
            _ => None,
        };
        match until {
            Some(until) if until < from => Err(BadEvent::EndsBeforeStart),
            until => Ok(Slot::Hours { from, until }),
        }
    }

    fn days(&self, first: Date, end: Option<Moment>, duration: Option<Duration>) -> Result<Slot, BadEvent> {
        let last = match (end, duration) {
            (Some(Moment::Day(last)), _) => last,
            (Some(_), _) => return Err(BadEvent::Mixed),
            (None, Some(duration))
                if duration.is_zero() || !duration.as_secs().is_multiple_of(DAY.as_secs()) =>
            {
                return Err(BadEvent::WholeDays);
            }
            (None, Some(duration)) => first.saturating_add(signed(duration - DAY)),
            (None, None) => first,
        };
        if last < first { Err(BadEvent::EndsBeforeStart) } else { Ok(Slot::Days { first, last }) }
    }
}

/// What the wall clock shows at a moment. The second of two equal local times cannot be named by one.
fn local_of(moment: Moment, zone: &Zone, given: &str) -> Result<DateTime, BadEvent> {
    match moment {
        Moment::Local(local) => Ok(local),
        Moment::Day(day) => Ok(day.to_datetime(WallTime::midnight())),
        Moment::Instant(time) => {
            let local = whole_seconds(zone.local(time));
            let again = zone.instant(local);
            match time.since(again) < Duration::from_secs(1) && again <= time {
                true => Ok(local),
                false => Err(BadEvent::SecondOfTwo { text: given.to_owned(), zone: zone.name().to_owned() }),
            }
        }
    }
}

fn whole_seconds(local: DateTime) -> DateTime {
    let time = local.time();
    local.date().at(time.hour(), time.minute(), time.second(), 0)
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

/// Why something cannot be put in the calendar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEvent {
    /// A text that cannot be stored.
    #[error("{field}: {problem}")]
    Text {
        /// Which.
        field: &'static str,
        /// What is wrong.
        problem: TextProblem,
    },
    /// A moment.
    #[error(transparent)]
    Moment(#[from] BadMoment),
    /// A duration.
    #[error(transparent)]
    Duration(#[from] BadDuration),
    /// A zone.
    #[error(transparent)]
    Zone(#[from] UnknownZone),
    /// A rule.
    #[error(transparent)]
    Rule(#[from] BadRule),
    /// Both given.
    #[error("give an end or a duration, not both")]
    EndAndDuration,
    /// The wrong way round.
    #[error("end: it is before the start; swap them or leave the end out")]
    EndsBeforeStart,
    /// A date with a time.
    #[error("start and end must both be dates (whole days) or both have a time of day")]
    Mixed,
    /// Part of a day.
    #[error(
        "duration: an entry of whole days lasts whole days; write 1d, 2d or give the start a time of day"
    )]
    WholeDays,
    /// Hours of a whole day.
    #[error("recurrence: an entry of whole days has no hours to repeat by; give the start a time of day")]
    TimesOfDays,
    /// No occurrence.
    #[error(
        "recurrence: there is no time at all that fits this rule from the start on; check BYMONTHDAY, BYMONTH and UNTIL"
    )]
    Never,
    /// Not in reach of a local time.
    #[error(
        "{text} is the second of two equal local times in {zone}, which the calendar cannot tell apart; set zone to UTC"
    )]
    SecondOfTwo {
        /// As given.
        text: String,
        /// Where.
        zone: String,
    },
    /// Too early.
    #[error("remind: {0} minutes are more than a year; write at most 527040")]
    Remind(u32),
}

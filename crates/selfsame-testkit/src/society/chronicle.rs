//! The days of the village as somebody would tell them: a few of the meetings, what was linked and folded, thought and
//! nudged, and how many there were of each.

use super::cast::Villager;
use super::{Counts, LinkId};
use selfsame::heartbeat::NudgeKind;
use selfsame::time::civil::{Date, Weekday};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Letters in a line.
const WIDTH: usize = 96;
/// Sentences of each sort in a day.
const MEETINGS: usize = 4;
const LINKS: usize = 5;
const THOUGHTS: usize = 3;
const FOLDED: usize = 3;
const NUDGES: usize = 3;
const DIARIES: usize = 3;
const LESSONS: usize = 2;

/// How a meeting can end, each way in so many words.
pub(super) const ENDINGS: usize = 4;
const WARM: [&str; ENDINGS] = [
    "They stayed longer than they had meant to.",
    "They laughed about something else entirely.",
    "One walked the other home.",
    "Both were late for what came next, and did not mind.",
];
const EVEN: [&str; ENDINGS] = [
    "That was all.",
    "Then each went on.",
    "They nodded, and it was enough.",
    "Neither found a way to go on.",
];

/// Two who met.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Meeting {
    pub names: [&'static str; 2],
    pub place: &'static str,
    pub said: [&'static str; 2],
    pub is_first: bool,
    /// About what they fell out.
    pub quarrel: Option<&'static str>,
    pub warm: bool,
    /// Which of the endings.
    pub ended: usize,
    pub hour: i8,
}

impl Meeting {
    /// How much there is to tell of it.
    fn weight(&self) -> u8 {
        match (self.quarrel, self.is_first, self.warm) {
            (Some(_), _, _) => 3,
            (None, true, true) => 2,
            (None, false, true) => 1,
            _ => 0,
        }
    }

    fn text(&self) -> String {
        let ([one, other], place) = (self.names, self.place);
        let [says, answers] = self.said.map(|words| words.trim_end_matches('.'));
        let when = match self.hour {
            ..12 => "in the morning",
            12..14 => "at noon",
            14..17 => "in the afternoon",
            _ => "towards evening",
        };
        let met = match self.is_first {
            true => format!("{one} met {other} for the first time, {place} {when}."),
            false => format!("{one} and {other} were {place} {when}."),
        };
        let ended = match (self.quarrel, self.warm) {
            (Some(about), _) => format!("Then it came to {about}, and they fell out over it."),
            (None, true) => WARM[self.ended % ENDINGS].to_owned(),
            (None, false) => EVEN[self.ended % ENDINGS].to_owned(),
        };
        format!("{met} \"{says},\" said {one}; \"{answers},\" said {other}. {ended}")
    }
}

/// One day.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Chronicle {
    number: u32,
    date: Option<Date>,
    pub weather: &'static str,
    pub meetings: Vec<Meeting>,
    pub links: Vec<String>,
    pub folded: Vec<String>,
    pub nudges: Vec<(NudgeKind, String)>,
    pub thoughts: Vec<String>,
    pub lessons: Vec<String>,
    pub diaries: Vec<String>,
    pub ticks: usize,
}

impl Chronicle {
    pub fn new(number: u32, date: Date, weather: &'static str) -> Chronicle {
        Chronicle { number, date: Some(date), weather, ..Chronicle::default() }
    }

    /// Whom somebody met today, and whether they fell out.
    pub fn company_of(&self, name: &str) -> Vec<(&'static str, bool)> {
        let with = |meeting: &Meeting| match meeting.names {
            [one, other] if one == name => Some((other, meeting.quarrel.is_some())),
            [one, other] if other == name => Some((one, meeting.quarrel.is_some())),
            _ => None,
        };
        let mut met: Vec<(&str, bool)> = Vec::new();
        for (whom, quarrel) in self.meetings.iter().filter_map(with) {
            match met.iter_mut().find(|(known, _)| *known == whom) {
                Some((_, fell_out)) => *fell_out |= quarrel,
                None => met.push((whom, quarrel)),
            }
        }
        met
    }

    pub fn text(&self) -> String {
        let mut text = self.heading();
        paragraph(&mut text, &self.told_meetings());
        paragraph(&mut text, &some(&self.links, LINKS, "links"));
        paragraph(&mut text, &some(&self.folded, FOLDED, "evenings of putting things in order"));
        paragraph(&mut text, &self.told_nudges());
        paragraph(&mut text, &led("Thinking to themselves. ", &some(&self.thoughts, THOUGHTS, "thoughts")));
        paragraph(&mut text, &some(&self.lessons, LESSONS, "lessons"));
        paragraph(&mut text, &led("From the diaries. ", &some(&self.diaries, DIARIES, "pages")));
        let _ = writeln!(
            text,
            "  [{} met, {} spoke up in {} heartbeats, {} thoughts, {} pages]\n",
            self.meetings.len(),
            self.nudges.len(),
            self.ticks,
            self.thoughts.len(),
            self.diaries.len()
        );
        text
    }

    fn heading(&self) -> String {
        let Some(date) = self.date else { return String::new() };
        let title = format!("Day {}: {}, {}", self.number, weekday(date.weekday()), day_and_month(date));
        format!("{title}\n{}\n  {}.\n\n", "-".repeat(title.len()), super::capitalised(self.weather))
    }

    /// Those with the most to tell, in the order in which they were.
    fn told_meetings(&self) -> String {
        let mut places: Vec<usize> = (0..self.meetings.len()).collect();
        places.sort_by_key(|place| std::cmp::Reverse(self.meetings[*place].weight()));
        places.truncate(MEETINGS);
        places.sort_unstable();
        let told: Vec<String> = places.iter().map(|place| self.meetings[*place].text()).collect();
        let others = self.meetings.len() - told.len();
        let rest = match others {
            0 => String::new(),
            1 => " Two others met as well.".to_owned(),
            others => format!(" There were {others} more meetings."),
        };
        told.join(" ") + &rest
    }

    /// Suggestions before reminders, as they are rarer. Who introduced itself is counted: all do it in the same words.
    fn told_nudges(&self) -> String {
        let is_new = |(kind, _): &&(NudgeKind, String)| *kind == NudgeKind::Introduction;
        let introduced = match self.nudges.iter().filter(is_new).count() {
            0 => String::new(),
            1 => "One introduced itself to whom it serves. ".to_owned(),
            several => format!("{several} introduced themselves to whom they serve. "),
        };
        let mut nudges: Vec<&(NudgeKind, String)> = self.nudges.iter().filter(|one| !is_new(one)).collect();
        nudges.sort_by_key(|(kind, _)| *kind == NudgeKind::Reminder);
        let words: Vec<String> = nudges.into_iter().map(|(_, words)| words.clone()).collect();
        introduced + &some(&words, NUDGES, "nudges")
    }
}

/// The first so many, spread over all that there are, and how many more.
fn some(all: &[String], most: usize, of_what: &str) -> String {
    let step = all.len().div_ceil(most).max(1);
    let told: Vec<&str> = all.iter().step_by(step).map(String::as_str).collect();
    match all.len() - told.len() {
        0 => told.join(" "),
        more => format!("{} (And {more} more {of_what}.)", told.join(" ")),
    }
}

fn led(by: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{by}{text}") }
}

/// Adds a paragraph in lines of their width, or nothing.
fn paragraph(to: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    let mut width = usize::MAX;
    for word in text.split_whitespace() {
        let letters = word.chars().count() + 1;
        if width == usize::MAX {
            to.push_str("  ");
            width = 2;
        } else if width + letters > WIDTH {
            to.push_str("\n  ");
            width = 2;
        } else {
            to.push(' ');
        }
        to.push_str(word);
        width += letters;
    }
    to.push_str("\n\n");
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

fn day_and_month(date: Date) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let month = usize::try_from(date.month()).map_or("", |month| MONTHS[month - 1]);
    format!("{} {month} {}", date.day(), date.year())
}

/// Who lives there.
pub(super) fn opening(villagers: &[Villager]) -> String {
    let mut text = format!("The chronicle of a village of {}\n\n", villagers.len());
    let who: Vec<String> = villagers.iter().map(|one| format!("{} {}", one.name, one.trade)).collect();
    paragraph(&mut text, &format!("{}.", who.join("; ")));
    text
}

/// What became of them.
pub(super) fn closing(
    villagers: &[Villager],
    trust: &BTreeMap<(usize, usize), f64>,
    given: &BTreeMap<(usize, usize), (LinkId, bool)>,
    counts: &Counts,
) -> String {
    let name = |who: usize| villagers[who].name;
    let mut text = String::from("What became of them\n-------------------\n\n");
    let mutual = |(&(one, other), there): (&(usize, usize), &f64)| {
        let back = trust.get(&(other, one)).copied().unwrap_or(0.0);
        (one < other).then_some((one, other, there.min(back), there.max(back)))
    };
    let mut pairs: Vec<(usize, usize, f64, f64)> = trust.iter().filter_map(mutual).collect();
    pairs.sort_by(|one, other| other.2.total_cmp(&one.2));
    let friends: Vec<String> = pairs
        .iter()
        .take_while(|pair| pair.2 >= 0.6)
        .take(6)
        .map(|(one, other, least, _)| format!("{} and {} ({least:.2})", name(*one), name(*other)))
        .collect();
    if !friends.is_empty() {
        paragraph(&mut text, &format!("Friends, by how far they trust each other: {}.", friends.join(", ")));
    }
    let rivals: Vec<String> = pairs
        .iter()
        .filter(|pair| pair.3 <= -0.3)
        .map(|(one, other, ..)| format!("{} and {}", name(*one), name(*other)))
        .collect();
    if !rivals.is_empty() {
        paragraph(&mut text, &format!("Not on speaking terms: {}.", rivals.join(", ")));
    }
    let shared: Vec<String> =
        given.keys().map(|(from, to)| format!("{} to {}", name(*from), name(*to))).collect();
    if !shared.is_empty() {
        paragraph(&mut text, &format!("Memories that are open, from whom to whom: {}.", shared.join(", ")));
    }
    let Counts { soul, meetings, quarrels, relationships, diary, occurrences, .. } = counts;
    let Counts { ticks, reminders, nudges, answered, episodes, lessons, beliefs, .. } = counts;
    let Counts { summaries, folded_memories, folded_messages, links, declined, expired, revoked, .. } =
        counts;
    let lines = [
        format!(
            "{meetings} meetings, {quarrels} quarrels; {relationships} times somebody thought anew of another"
        ),
        format!("{links} links stand; {revoked} taken back, {declined} declined, {expired} left unanswered"),
        format!(
            "{ticks} heartbeats spoke up {nudges} times, {reminders} of them to remind; {answered} were seen to"
        ),
        format!("{episodes} thoughts, {lessons} lessons, {beliefs} beliefs, {soul} truths of the soul"),
        format!("{diary} pages of diaries, {occurrences} entries in calendars"),
        format!(
            "{folded_memories} memories and {folded_messages} messages folded into {summaries} summaries"
        ),
    ];
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
    text
}

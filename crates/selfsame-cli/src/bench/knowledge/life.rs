//! Lives through a history day by day, with the duties of the house, and looks now and then at what is believed.

use super::super::room::{AGENT, Room};
use super::history::{DAYS, History, PRINCIPALS, Question, Said, Voice};
use selfsame::config::Settings;
use selfsame::knowledge::{Belief, BeliefQuery, Components, Status, value_key};
use selfsame::memory::{Draft, Stated};
use selfsame::scheduler::Scheduler;
use selfsame::time::Time;
use selfsame::{Access, Error, Mind, Speaker, jobs};
use selfsame_daemon::Failure;
use std::collections::BTreeSet;
use std::time::Duration;

/// Days between two looks.
const LOOK_EVERY: u32 = 10;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Something is said every minute at most.
const MINUTE: Duration = Duration::from_secs(60);
/// A Monday.
const BEGIN: Time = Time::from_micros(1_704_067_200_000_000);
/// As many as are held of all questions.
const MOST: usize = 200;

/// What was believed along a history.
pub(super) struct Life {
    pub(super) seed: u64,
    pub(super) looks: Vec<Look>,
}

/// What was believed on a day.
pub(super) struct Look {
    pub(super) day: u32,
    /// Questions of which anything had been said.
    pub(super) questions: usize,
    pub(super) believed: Vec<Believed>,
}

/// Something that was believed.
#[derive(Clone, Copy)]
pub(super) struct Believed {
    pub(super) components: Components,
    pub(super) is_true: bool,
}

impl Life {
    pub(super) fn of(history: &History, settings: &Settings) -> Result<Life, Failure> {
        let mut settings = settings.clone();
        // There is nothing to keep.
        settings.backup.at = String::new();
        let room = Room::new(&settings, BEGIN, None)?;
        Ok(lived(history, &room, &jobs::scheduler(&settings))?)
    }
}

fn lived(history: &History, room: &Room, scheduler: &Scheduler) -> Result<Life, Error> {
    let voices = Voices::new(&room.mind)?;
    room.mind.ensure_house_duties()?;
    let mut said = history.said.iter().peekable();
    let mut spoken_of = BTreeSet::new();
    let mut looks = Vec::new();
    for day in 0..DAYS {
        room.clock.set(BEGIN.saturating_add(DAY * day));
        while let Some(next) = said.next_if(|said| said.day == day) {
            room.clock.advance(MINUTE);
            voices.of(next.voice).remember(draft(next, &history.questions[next.question]), None)?;
            spoken_of.insert(next.question);
        }
        room.clock.set(BEGIN.saturating_add(DAY * (day + 1)).saturating_sub(MINUTE));
        while !scheduler.step(&room.mind)?.ran.is_empty() {}
        if day % LOOK_EVERY == LOOK_EVERY - 1 {
            let believed = believed(&voices.operator, history, day)?;
            looks.push(Look { day, questions: spoken_of.len(), believed });
        }
    }
    Ok(Life { seed: history.seed, looks })
}

/// Everybody who speaks.
struct Voices<'m> {
    operator: Access<'m>,
    principals: Vec<Access<'m>>,
    agent: Access<'m>,
}

impl<'m> Voices<'m> {
    fn new(mind: &'m Mind) -> Result<Voices<'m>, Error> {
        let operator = mind.access(AGENT, Speaker::Operator)?;
        let principal = |number: usize| {
            let id = operator.principal_add(&format!("source {number}"), None, None)?.id;
            mind.access(AGENT, Speaker::Principal(id))
        };
        let principals = (0..PRINCIPALS).map(principal).collect::<Result<_, Error>>()?;
        Ok(Voices { principals, agent: mind.access(AGENT, Speaker::Agent(None))?, operator })
    }

    fn of(&self, voice: Voice) -> &Access<'m> {
        match voice {
            Voice::Operator => &self.operator,
            Voice::Principal(number) => &self.principals[number],
            Voice::Agent => &self.agent,
        }
    }
}

/// What is said, with its parts: what is measured is the judgement, not the reading.
fn draft(said: &Said, question: &Question) -> Draft {
    let Question { subject, kind, slot, .. } = question;
    let copy = if said.copy == 0 { String::new() } else { format!(" (copy {})", said.copy) };
    let words = match said.replaces {
        Some(old) => format!("{subject} switched from {old} to {}", said.value),
        None => format!("The {slot} of {subject} is {}{copy}", said.value),
    };
    let claim = Stated {
        subject: (*subject).to_owned(),
        kind: Some(*kind),
        slot: (*slot).to_owned(),
        value: said.value.to_owned(),
        denied: false,
        replaces: said.replaces.map(str::to_owned),
    };
    Draft { source: said.document.clone(), claim: Some(claim), ..Draft::new(words) }
}

fn believed(access: &Access, history: &History, day: u32) -> Result<Vec<Believed>, Error> {
    let query = BeliefQuery { limit: MOST, ..BeliefQuery::default() };
    let beliefs = access.know(&query)?.beliefs;
    let active = beliefs.iter().filter(|belief| belief.status == Status::Active);
    let judged = active.filter_map(|belief| {
        let question = history.questions.iter().find(|question| is_about(belief, question))?;
        Some(Believed {
            components: belief.observation.standing.components,
            is_true: belief.observation.value == value_key(question.truth(day)),
        })
    });
    Ok(judged.collect())
}

fn is_about(belief: &Belief, question: &Question) -> bool {
    let slot = belief.observation.key.rsplit(':').next();
    belief.subject.eq_ignore_ascii_case(question.subject) && slot == Some(question.slot)
}

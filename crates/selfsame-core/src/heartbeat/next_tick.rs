//! When the heart beats next.

use super::decision::Decision;
use super::rules::{Period, Rules};
use super::signal::Sighting;
use super::span::times;
use super::state::{Held, State};
use super::wording::{in_period, span};
use crate::time::Time;
use std::time::Duration;

/// No two ticks of one heart are nearer, whatever falls due: there is no busy loop.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// A moment that is known to matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// When.
    pub at: Time,
    /// What happens then, in words of ours: `a schedule is due`.
    pub what: &'static str,
}

/// When the heart beats next, and why then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NextTick {
    /// When.
    pub at: Time,
    /// Why, in words of ours.
    pub why: String,
}

/// The pace, unless something is known to happen before. What was already due was seen by this tick, and does not hurry
/// the next: it may be waiting for the morning.
pub fn next_tick(
    rules: &Rules,
    state: &State,
    sightings: &[Sighting],
    decision: &Decision,
    known: &[Moment],
    now: Time,
) -> NextTick {
    let (pause, why) = pace(rules, state, sightings, decision, now);
    let at = now.saturating_add(pause);
    let own = own_moments(rules, state, decision, now);
    let next =
        known.iter().copied().chain(own).filter(|moment| moment.at > now).min_by_key(|moment| moment.at);
    match next.filter(|moment| moment.at <= at) {
        Some(moment) => {
            NextTick { at: moment.at.max(now.saturating_add(LEAST_PAUSE)), why: moment.what.to_owned() }
        }
        None => NextTick { at, why },
    }
}

/// What the decision itself knows to wait for.
fn own_moments(rules: &Rules, state: &State, decision: &Decision, now: Time) -> impl Iterator<Item = Moment> {
    let snooze = match state.held {
        Some(Held::Snoozed(until)) => Some(Moment { at: until, what: "the snooze ends" }),
        _ => None,
    };
    let cooldown =
        decision.held_until.map(|at| Moment { at, what: "a cooldown ends that holds something back" });
    let period = Moment { at: rules.next_period_at(now), what: "another part of the day begins" };
    snooze.into_iter().chain(cooldown).chain([period])
}

/// The pause by all factors, within its bounds, and how it came about.
fn pace(
    rules: &Rules,
    state: &State,
    sightings: &[Sighting],
    decision: &Decision,
    now: Time,
) -> (Duration, String) {
    let factors = [
        hour_factor(rules, decision.period),
        act_factor(state, decision, now),
        signals_factor(sightings.len()),
        velocity_factor(rules, state, decision),
    ];
    let product = factors.iter().map(|(factor, _)| factor).product();
    // Bounds that somebody set the wrong way round are no reason to panic.
    let pause = times(rules.pace.base, product).max(rules.pace.shortest);
    let pause = pause.min(rules.pace.longest).max(LEAST_PAUSE);
    let told = factors.iter().filter(|(factor, _)| *factor != 1.0);
    let told: String = told.map(|(factor, why)| format!(", x {factor} {why}")).collect();
    (pause, format!("the usual pace: {}{told}; a pause of {}", span(rules.pace.base), span(pause)))
}

fn hour_factor(rules: &Rules, period: Period) -> (f64, &'static str) {
    (rules.of_period(period).factor, in_period(period))
}

/// An act of this very tick is the latest.
fn act_factor(state: &State, decision: &Decision, now: Time) -> (f64, &'static str) {
    const JUST: Duration = Duration::from_secs(5 * 60);
    const LATELY: Duration = Duration::from_secs(15 * 60);
    let acted = if decision.verdict.is_act() { Some(now) } else { state.acted_at };
    match acted.map(|at| now.since(at)) {
        Some(ago) if ago < JUST => (2.0, "after an act just now"),
        Some(ago) if ago < LATELY => (1.5, "after an act lately"),
        _ => (1.0, "without an act lately"),
    }
}

/// By kinds of signals, as weights are.
fn signals_factor(kinds: usize) -> (f64, &'static str) {
    match kinds {
        0 => (3.0, "without signals"),
        1..=3 => (1.0, "with few signals"),
        _ => (0.8, "with many signals"),
    }
}

/// What is new is counted from the last act, so after one there is nothing new.
fn velocity_factor(rules: &Rules, state: &State, decision: &Decision) -> (f64, &'static str) {
    let many = state.new_memories >= rules.velocity && !decision.verdict.is_act();
    if many { (0.7, "with many new memories") } else { (1.0, "with few new memories") }
}

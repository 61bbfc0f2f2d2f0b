//! Laws of the decision, tried on random rules, states, findings, zones and moments.

use crate::heartbeat_kit::*;
use proptest::prelude::*;
use proptest::sample::subsequence;
use selfsame_core::heartbeat::receipt::outcome;
use selfsame_core::heartbeat::rules::{FirstContact, PeriodRules};
use selfsame_core::heartbeat::signal::rung_before;
use selfsame_core::heartbeat::state::Held;
use selfsame_core::heartbeat::{Finding, Period, Rules, Sighting, State, StepName, Tier, decide};
use selfsame_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn is_held(state: &State, now: Time) -> bool {
    match state.held {
        Some(Held::Snoozed(until)) => until > now,
        Some(Held::Muted | Held::Paused) => true,
        None => false,
    }
}

/// Said again from what the words mean, without the code that is tried.
fn is_critical(rules: &Rules, finding: &Finding) -> bool {
    let before = match finding.status.as_str() {
        "24h" => 24 * HOUR,
        "4h" => 4 * HOUR,
        "1h" => HOUR,
        "due" => 0,
        _ => return false,
    };
    secs(before) <= rules.critical
}

fn critical_findings<'a>(rules: &Rules, seen: &'a [Sighting]) -> Vec<&'a Finding> {
    let deadlines = seen.iter().filter(|one| one.signal.name == "deadline");
    deadlines.flat_map(|one| &one.listed).filter(|one| is_critical(rules, one)).collect()
}

fn is_due(sighting: &Sighting) -> bool {
    ["scheduled", "deadline"].contains(&sighting.signal.name.as_str())
}

/// The sum as the specification says it: every kind once.
fn sum(seen: &[Sighting]) -> u32 {
    seen.iter().map(|one| one.signal.weight).sum()
}

/// A case, and a part of what was seen in it.
fn cases_with_part() -> impl Strategy<Value = (Rules, State, Vec<Sighting>, Vec<Sighting>, Time)> {
    cases().prop_flat_map(|(rules, state, seen, now)| {
        let count = seen.len();
        let part = subsequence(seen.clone(), 0..=count);
        (Just(rules), Just(state), Just(seen), part, Just(now))
    })
}

/// The same with some of the findings of some signals left out.
fn thinned(seen: &[Sighting], keep: &[bool]) -> Vec<Sighting> {
    let mut keep = keep.iter().cycle();
    let thin = |one: &Sighting| {
        let found = one.listed.iter().filter(|_| *keep.next().expect("it goes round")).cloned().collect();
        Sighting::of(one.signal.clone(), found, Vec::new(), &BTreeSet::new())
    };
    seen.iter().filter_map(thin).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_critical_deadline_is_never_suppressed((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        let critical = critical_findings(&rules, &seen);
        if is_held(&state, now) {
            prop_assert!(!decision.verdict.is_act());
        } else if !critical.is_empty() {
            prop_assert!(decision.verdict.is_act());
            let told = told_findings(&decision);
            for finding in critical {
                prop_assert!(told["deadline"].contains(&finding));
            }
        }
    }

    #[test]
    fn quiet_hours_let_only_schedules_and_critical_deadlines_through((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        if decision.period == Period::Quiet && decision.verdict.is_act() {
            prop_assert!(decision.verdict.step() != StepName::FirstContact);
            for (signal, findings) in told_findings(&decision) {
                let may = signal == "scheduled"
                    || signal == "deadline" && findings.iter().all(|one| is_critical(&rules, one));
                prop_assert!(may, "{signal}");
            }
        }
    }

    #[test]
    fn a_lone_weak_signal_never_acts((rules, state, seen, now) in cases()) {
        for one in seen.iter().filter(|one| one.signal.tier != Tier::Immediate) {
            let decision = decide(&rules, &state, std::slice::from_ref(one), now);
            let weak = one.signal.weight < rules.level().threshold;
            let introduces = decision.verdict.step() == StepName::FirstContact;
            prop_assert!(!weak || introduces || !decision.verdict.is_act(), "{}", one.signal.name);
        }
    }

    /// What is told beyond what is immediate always reaches the sum.
    #[test]
    fn what_is_calm_is_told_only_if_it_is_enough((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        if decision.starts_cooldown() {
            prop_assert!(sum(&decision.surfaced) >= rules.level().threshold);
        }
    }

    #[test]
    fn more_signals_never_turn_an_act_into_silence((rules, state, seen, part, now) in cases_with_part()) {
        if decide(&rules, &state, &part, now).verdict.is_act() {
            prop_assert!(decide(&rules, &state, &seen, now).verdict.is_act());
        }
    }

    #[test]
    fn more_findings_never_turn_an_act_into_silence((rules, state, seen, now) in cases(), keep in prop::collection::vec(any::<bool>(), 1..9)) {
        if decide(&rules, &state, &thinned(&seen, &keep), now).verdict.is_act() {
            prop_assert!(decide(&rules, &state, &seen, now).verdict.is_act());
        }
    }

    /// What is due is told, whatever was said before, unless all is held or it is night.
    #[test]
    fn no_cooldown_holds_what_is_due((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        if is_held(&state, now) || decision.period == Period::Quiet {
            return Ok(());
        }
        for due in seen.iter().filter(|one| is_due(one)) {
            prop_assert!(decision.surfaced.contains(due), "{}", due.signal.name);
        }
    }

    /// By night schedules still are.
    #[test]
    fn schedules_are_told_at_any_hour((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        if !is_held(&state, now) {
            for due in seen.iter().filter(|one| one.signal.name == "scheduled") {
                prop_assert!(decision.surfaced.contains(due));
            }
        }
    }

    /// Two days later by day, with nobody talking, everything that is enough is told: nothing was used up by being
    /// looked at, however often that was.
    #[test]
    fn suppression_never_consumes((rules, state, seen, now) in cases(), looks in prop::collection::vec(0..48 * HOUR, 0..6)) {
        let rules = Rules { first_contact: FirstContact { memories: 0, ..rules.first_contact }, ..rules };
        for look in looks {
            decide(&rules, &state, &seen, now.saturating_add(secs(look)));
        }
        let state = State { held: None, ..state };
        let later = now.saturating_add(secs(50 * HOUR));
        let passes = |period: Period| period != Period::Quiet && rules.of_period(period).least == Tier::Low;
        let by_day = std::iter::successors(Some(later), |at| Some(rules.next_period_at(*at)))
            .take(12)
            .find(|at| passes(rules.period(*at)));
        let Some(by_day) = by_day else { return Ok(()) };
        let decision = decide(&rules, &state, &seen, by_day);
        if !seen.is_empty() && sum(&seen) >= rules.level().threshold {
            prop_assert!(decision.verdict.is_act());
            prop_assert_eq!(decision.surfaced.len(), seen.len());
        }
    }

    /// Whatever the factors: of what was said longer ago than the longest silence, the last two steps know nothing.
    #[test]
    fn after_the_longest_silence_neither_cooldown_nor_topic_holds((rules, mut state, seen, now) in cases()) {
        let before = now.saturating_sub(rules.max_silence);
        for at in state.surfaced.values_mut() {
            *at = before.min(*at);
        }
        if let Some(acted) = &mut state.acted {
            acted.at = before.min(acted.at);
        }
        let decision = decide(&rules, &state, &seen, now);
        for trace in decision.trace.iter().filter(|trace| trace.step >= StepName::Novelty) {
            prop_assert!(trace.dropped.is_empty(), "{}", trace.note);
        }
        prop_assert_eq!(decision.held_until, None);
    }

    #[test]
    fn equal_inputs_give_equal_decisions_and_the_order_says_nothing((rules, state, seen, now) in cases()) {
        let first = outcome(&decide(&rules, &state, &seen, now));
        prop_assert_eq!(&first, &outcome(&decide(&rules, &state, &seen, now)));
        let backwards: Vec<Sighting> = seen.iter().rev().cloned().collect();
        prop_assert_eq!(&first, &outcome(&decide(&rules, &state, &backwards, now)));
    }

    /// What goes into a step is what came out of the one before, finding by finding.
    #[test]
    fn a_trace_adds_up((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        let forced: usize = if is_held(&state, now) || decision.verdict.step() == StepName::FirstContact {
            0
        } else {
            critical_findings(&rules, &seen).len()
        };
        let mut open: BTreeMap<&str, usize> = seen.iter().map(|one| (one.signal.name.as_str(), one.count)).collect();
        for trace in &decision.trace {
            let saw: BTreeMap<&str, usize> = trace.saw.iter().map(|seen| (seen.signal.as_str(), seen.count)).collect();
            prop_assert_eq!(&saw, &open, "at {:?}", trace.step);
            for dropped in &trace.dropped {
                *open.get_mut(dropped.signal.as_str()).expect("only what was seen is dropped") -= dropped.count;
            }
            if trace.step == StepName::CriticalDeadline && forced > 0 {
                *open.get_mut("deadline").expect("it was seen") -= forced;
            }
            open.retain(|_, count| *count > 0);
        }
        let mut told: BTreeMap<&str, usize> =
            decision.surfaced.iter().map(|one| (one.signal.name.as_str(), one.count)).collect();
        if forced > 0 {
            *told.get_mut("deadline").expect("it is told") -= forced;
            told.retain(|_, count| *count > 0);
        }
        if decision.verdict.step() == StepName::FirstContact {
            prop_assert!(told.is_empty());
        } else {
            prop_assert_eq!(told, open);
        }
    }

    #[test]
    fn a_verdict_is_that_of_the_last_step_taken_or_of_the_one_that_forced_it((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        let last = decision.trace.last().expect("one step at least");
        let steps: Vec<StepName> = decision.trace.iter().map(|trace| trace.step).collect();
        prop_assert_eq!(&steps[..], &StepName::ALL[..steps.len()]);
        match decision.verdict.step() {
            StepName::CriticalDeadline => prop_assert!(decision.verdict.is_act()),
            step => prop_assert_eq!(step, last.step),
        }
        if !decision.verdict.is_act() {
            prop_assert!(last.unless.is_some());
        }
        prop_assert_eq!(decision.tier, decision.surfaced.iter().map(|one| one.signal.tier).max());
        prop_assert!(decision.held_until.is_none_or(|until| until > now));
        prop_assert!(decision.cooldown.is_none_or(|cooldown| cooldown <= rules.max_silence));
    }

    /// A rung before its moment is a duration that the ladder can be asked for.
    #[test]
    fn a_word_that_is_no_rung_is_never_critical(word in "[a-z_0-9]{0,12}") {
        let before = rung_before(&word);
        let known = RUNGS.contains(&word.as_str());
        prop_assert!(!known || before.is_some() != word.starts_with("overdue"));
    }
}

/// Rules under which the day has no quiet hours and lets everything through, so that only cooldowns hold.
fn sleepless() -> impl Strategy<Value = Rules> {
    random_rules().prop_map(|rules| {
        let awake = |place: usize, period: &PeriodRules| PeriodRules {
            // Two periods that begin at once: the later in the list is the one that is on.
            from: if place <= 1 { 0 } else { period.from.max(1) },
            least: Tier::Low,
            factor: period.factor,
        };
        let mut periods = rules.periods;
        for (place, period) in rules.periods.iter().enumerate() {
            periods[place] = awake(place, period);
        }
        let first_contact = FirstContact { memories: 0, ..rules.first_contact };
        let max_silence = rules.max_silence.max(secs(HOUR));
        Rules { periods, first_contact, max_silence, ..rules }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Five days in which signals come and go, with a reminder every hour: nothing that is there and enough waits longer
    /// than the longest silence.
    #[test]
    fn nothing_that_is_enough_waits_longer_than_the_longest_silence(
        rules in sleepless(),
        start in moments(),
        answers in (0..21_u32, 0..3_u32),
        days in prop::collection::vec(random_sightings(), 10),
    ) {
        let calm = |seen: &Vec<Sighting>| -> Vec<Sighting> { seen.iter().filter(|one| !is_due(one)).cloned().collect() };
        let mut state = State { delivered: answers.0, answered: answers.1.min(answers.0), ..met() };
        // Since when each finding has been open without a word.
        let mut waiting: BTreeMap<(String, Finding), Time> = BTreeMap::new();
        for tick in 0..5 * 24 * 3_u64 {
            let now = start.saturating_add(secs(tick * 20 * MINUTE));
            let mut seen = calm(&days[(tick / 36) as usize]);
            if tick % 3 == 0 {
                seen.push(sighting("scheduled"));
            }
            let decision = decide(&rules, &state, &seen, now);
            prop_assert!(tick % 3 != 0 || decision.verdict.is_act(), "a reminder is told");
            let told = told_findings(&decision);
            let mut still = BTreeMap::new();
            // What is enough without the reminder, by itself.
            let enough = sum(&calm(&seen)) >= rules.level().threshold;
            for one in calm(&seen) {
                for finding in &one.listed {
                    let is_told = told.get(one.signal.name.as_str()).is_some_and(|told| told.contains(&finding));
                    if enough && !is_told {
                        let key = (one.signal.name.clone(), finding.clone());
                        let since = waiting.get(&key).copied().unwrap_or(now);
                        // Three things can end between two ticks, one after the other.
                        prop_assert!(now.since(since) <= rules.max_silence + secs(HOUR), "{} waits", one.signal.name);
                        still.insert(key, since);
                    }
                }
            }
            waiting = still;
            state = after_act(state, &decision, now);
        }
    }

    /// Two weeks without a word back.
    #[test]
    fn introductions_are_few_and_far_between(rules in random_rules(), start in moments(), memories in 0..7_u32) {
        let mut state = State { memories, ..State::default() };
        for tick in 0..14 * 24 * 2_u64 {
            let now = start.saturating_add(secs(tick * 30 * MINUTE));
            let decision = decide(&rules, &state, &[], now);
            if decision.verdict.is_act() {
                prop_assert!(memories < rules.first_contact.memories);
                prop_assert!(rules.period(now) != Period::Quiet);
                prop_assert!(state.introduced.iter().all(|at| now.since(*at) >= rules.first_contact.every));
            }
            state = after_act(state, &decision, now);
        }
        prop_assert!(state.introduced.len() <= rules.first_contact.most as usize);
    }

    /// An ignoring principal is told less and less, but never nothing: in any span of the longest silence by day there is
    /// a word while there is something to say.
    #[test]
    fn backing_off_is_not_muteness(start in moments(), zone in zones()) {
        let rules = Rules::standard(zone);
        let seen = sightings(&["conflict", "continuity", "pending_work"]);
        let days = |delivered: u32| {
            let mut state = State { delivered, ..met() };
            let mut words = 0_u32;
            let mut longest = Duration::ZERO;
            let mut last = start;
            for tick in 0..10 * 24 * 4_u64 {
                let now = start.saturating_add(secs(tick * 15 * MINUTE));
                let decision = decide(&rules, &state, &seen, now);
                if decision.verdict.is_act() {
                    words += 1;
                    longest = longest.max(now.since(last));
                    last = now;
                }
                state = after_act(state, &decision, now);
            }
            (words, longest)
        };
        let (answering, ignoring) = (days(0), days(20));
        prop_assert!(ignoring.0 < answering.0 && ignoring.0 >= 9, "{ignoring:?} of {answering:?}");
        // A night at most is added to the longest silence.
        prop_assert!(ignoring.1 <= rules.max_silence + secs(10 * HOUR));
    }
}

//! What is said, how it is explained, and the headers of signal files.

use crate::heartbeat_kit::*;
use proptest::prelude::*;
use selfsame_core::heartbeat::explain::{Tick, WIDTH};
use selfsame_core::heartbeat::header;
use selfsame_core::heartbeat::nudge::{Labels, Voice};
use selfsame_core::heartbeat::state::Held;
use selfsame_core::heartbeat::{
    Decision, Finding, Nudge, NudgeAction, NudgeKind, Rules, Sighting, State, Tier, decide, explain,
    next_tick, phrase,
};
use selfsame_core::time::{Time, Zone};
use std::time::Duration;

/// A thing of its own.
fn thing(number: u8, signal: &str, label: &str) -> Sighting {
    let found = Finding { label: label.to_owned(), ..finding(number, "open") };
    sighting_of(signal, vec![found])
}

fn labelled(name: &str, label: &str, status: &str, due_at: Option<Time>) -> Sighting {
    let found = Finding { label: label.to_owned(), due_at, ..finding(1, status) };
    sighting_of(name, vec![found])
}

fn say_in(zone: &Zone, state: &State, seen: &[Sighting], now: Time) -> Nudge {
    let decision = decide(&Rules::standard(zone.clone()), state, seen, now);
    let voice = Voice { principal: "Maya", agent: "Selfsame", zone, now };
    phrase(&decision, &Labels::new(), &voice).expect("something is said")
}

fn say(seen: &[Sighting], now: Time) -> Nudge {
    say_in(&Zone::utc(), &met(), seen, now)
}

#[test]
fn one_reminder_reads_as_a_reminder() {
    let now = monday("09:00");
    let rent = [labelled("scheduled", "pay rent", "due", Some(now))];
    let nudge = say(&rent, now);
    assert_eq!(nudge.what, "Reminder: pay rent (due today at 09:00)");
    assert_eq!((nudge.kind, nudge.urgency), (NudgeKind::Reminder, Tier::Immediate));
    assert_eq!(nudge.actions, [NudgeAction::Done, NudgeAction::Snooze, NudgeAction::Dismiss]);
    assert_eq!(
        (nudge.why[0].signal.as_str(), nudge.why[0].words.as_str()),
        ("scheduled", "what scheduled means: 1")
    );
    let berlin = Zone::parse("Europe/Berlin").expect("a zone");
    assert_eq!(say_in(&berlin, &met(), &rent, now).what, "Reminder: pay rent (due today at 10:00)");
    let late =
        [labelled("scheduled", "pay rent", "due", Some(monday("09:00").saturating_sub(secs(24 * HOUR))))];
    assert_eq!(say(&late, now).what, "Reminder: pay rent (due yesterday at 09:00)");
    assert_eq!(say(&[labelled("scheduled", "pay rent", "due", None)], now).what, "Reminder: pay rent");
}

#[test]
fn a_deadline_says_where_it_stands() {
    let now = monday("09:00");
    let due = now.saturating_add(secs(HOUR));
    for (rung, what) in [
        ("24h", "Deadline: file taxes (within 24h, today at 10:00)"),
        ("1h", "Deadline: file taxes (within 1h, today at 10:00)"),
        ("due", "Deadline: file taxes (due now, today at 10:00)"),
        ("overdue_1", "Deadline: file taxes (1 day overdue, today at 10:00)"),
        ("90m", "Deadline: file taxes (within 90m, today at 10:00)"),
        ("overdue_36h", "Deadline: file taxes (36h overdue, today at 10:00)"),
        ("late", "Deadline: file taxes (overdue, today at 10:00)"),
        ("overdue_3", "Deadline: file taxes (3 days overdue, today at 10:00)"),
    ] {
        let nudge = say(&[labelled("deadline", "file taxes", rung, Some(due))], now);
        assert_eq!((nudge.what.as_str(), nudge.kind), (what, NudgeKind::Deadline));
    }
    let next_week = at("2026-11-23T08:30:00Z");
    let plan = labelled("deadline", "move house", "24h", Some(next_week));
    assert_eq!(say(&[plan], now).what, "Deadline: move house (within 24h, 2026-11-23 at 08:30)");
}

#[test]
fn however_much_one_signal_found_each_is_named() {
    let many =
        |from: u8, name: &str| sighting_of(name, (from..from + 9).map(|n| finding(n, "open")).collect());
    let nudge =
        say(&[many(1, "conflict"), many(20, "continuity"), many(40, "pending_work")], monday("12:00"));
    let expected = [
        ("secret words 1 ", "and 2 more (conflict)"),
        ("secret words 20 ", "and 8 more (continuity)"),
        ("secret words 40 ", "and 8 more (pending_work)"),
    ];
    for (first, rest) in expected {
        assert!(nudge.what.contains(first) && nudge.what.contains(rest), "{}", nudge.what);
    }
}

#[test]
fn what_two_signals_found_is_named_once() {
    let seen = [
        thing(1, "pending_work", "fence"),
        thing(1, "goal_progress", "fence"),
        thing(2, "conflict", "tea"),
        thing(3, "continuity", "Oslo"),
    ];
    let nudge = say(&seen, monday("12:00"));
    assert!(nudge.what.starts_with("3 things:"), "{}", nudge.what);
    assert_eq!(nudge.what.matches("fence").count(), 1, "{}", nudge.what);
}

#[test]
fn several_signals_are_a_short_list_with_what_presses_first() {
    let seen = [
        thing(1, "pending_work", "paint the fence"),
        thing(2, "conflict", "tea or coffee"),
        thing(3, "continuity", "the trip to Oslo"),
    ];
    let nudge = say(&seen, monday("12:00"));
    assert_eq!(
        nudge.what,
        "3 things:\n- tea or coffee (what conflict means)\n- the trip to Oslo (what continuity means)\n\
         - paint the fence (what pending_work means)"
    );
    assert_eq!((nudge.kind, nudge.urgency), (NudgeKind::Suggestion, Tier::Elevated));
    assert_eq!(nudge.why.len(), 3);
    let many = sighting_of("scheduled", (1..=60).map(|n| finding(n, "due")).collect());
    let what = say(&[many], monday("12:00")).what;
    assert!(what.starts_with("60 things:") && what.ends_with("- and 53 more (scheduled)"), "{what}");
    assert_eq!(what.lines().count(), 9);
    // No more than a hundred are counted.
    let many = sighting_of("scheduled", (1..=120).map(|n| finding(n, "due")).collect());
    let nudge = say(&[many], monday("12:00"));
    assert!(nudge.what.starts_with("At least 100 things:"), "{}", nudge.what);
    assert!(nudge.what.ends_with("- and 93+ more (scheduled)"), "{}", nudge.what);
    assert_eq!(nudge.why[0].words, "what scheduled means: 100+");
}

#[test]
fn an_introduction_introduces_and_asks_one_question() {
    let nudge = say_in(&Zone::utc(), &State::default(), &[], monday("12:00"));
    assert!(nudge.what.starts_with("Hello Maya, I am Selfsame, your assistant."), "{}", nudge.what);
    assert_eq!(nudge.what.matches('?').count(), 1);
    assert_eq!((nudge.kind, nudge.urgency), (NudgeKind::Introduction, Tier::Low));
    assert!(nudge.why.is_empty());
}

#[test]
fn silence_has_no_words() {
    let now = monday("12:00");
    let voice = Voice { principal: "Maya", agent: "Selfsame", zone: &Zone::utc(), now };
    assert_eq!(phrase(&decide(&rules(), &met(), &[], now), &Labels::new(), &voice), None);
}

/// K13: how much it presses is the tier that is told, not a step above it.
#[test]
fn k13_urgency_is_the_highest_tier_that_is_told() {
    for (name, tier) in [
        ("decaying", Tier::Low),
        ("pending_work", Tier::Normal),
        ("conflict", Tier::Elevated),
        ("scheduled", Tier::Immediate),
    ] {
        let mut one = sighting(name);
        one.signal.weight = 50;
        assert_eq!(say(&[one], monday("12:00")).urgency, tier);
    }
    // What is only seen and not told does not press.
    let now = monday("12:00");
    let mut plans = sighting("pending_work");
    plans.signal.weight = 50;
    let mut state = met();
    state.surfaced.insert(sighting("door_open").listed[0].id, now);
    assert_eq!(say_in(&Zone::utc(), &state, &[sighting("door_open"), plans], now).urgency, Tier::Normal);
}

#[test]
fn words_of_others_are_one_plain_line_cut_by_characters() {
    let now = monday("09:00");
    let what = |label: &str| say(&[labelled("scheduled", label, "due", None)], now).what;
    assert_eq!(what("pay\nrent\u{1b}[31m\tnow\u{202e}!"), "Reminder: pay rent [31m now !");
    assert_eq!(what(&"ä".repeat(120)), format!("Reminder: {}", "ä".repeat(120)));
    assert_eq!(what(&"ä".repeat(121)), format!("Reminder: {}…", "ä".repeat(119)));
    assert_eq!(what(" \n "), "Reminder: what scheduled means", "without words it says what it is");
    let nudge = phrase(
        &decide(&rules(), &State::default(), &[], now),
        &Labels::new(),
        &Voice { principal: "Maya\n? ?", agent: "", zone: &Zone::utc(), now },
    );
    assert!(nudge.expect("an introduction").what.starts_with("Hello Maya ? ?, I am your assistant."));
}

#[test]
fn words_that_were_looked_up_go_before_those_that_were_found() {
    let now = monday("09:00");
    let decision = decide(&rules(), &met(), &[labelled("scheduled", "old", "due", None)], now);
    let labels = Labels::from([(id(1), "new".to_owned())]);
    let voice = Voice { principal: "Maya", agent: "Selfsame", zone: &Zone::utc(), now };
    assert_eq!(phrase(&decision, &labels, &voice).expect("an act").what, "Reminder: new");
}

// Explained -----------------------------------------------------------------------------------------------------------

fn explained(rules: &Rules, state: &State, seen: &[Sighting], now: Time) -> (Decision, Vec<String>) {
    let decision = decide(rules, state, seen, now);
    let next = next_tick(rules, state, seen, &decision, &[], now);
    let tick = Tick {
        decision: &decision,
        sightings: seen,
        labels: &Labels::new(),
        zone: &rules.zone,
        now,
        next: &next,
        took: Duration::from_micros(1_234),
        statements: 21,
        imagined: false,
    };
    let lines = explain(&tick);
    (decision, lines)
}

#[test]
fn a_silent_tick_reads_like_a_good_colleagues_answer() {
    let now = monday("18:00");
    let seen = [
        labelled("pending_work", "paint the fence", "open", None),
        labelled("conflict", "tea or coffee", "open", None),
        labelled("decaying", "the code of the gate", "open", None),
    ];
    let (_, lines) = explained(&rules(), &met(), &seen, now);
    assert_eq!(
        lines.join("\n"),
        "On 2026-11-16 at 18:00, in the evening, I said nothing: the signals weigh 8 of\n\
         \x20   12 at suggest; step 5 decided (confluence).\n\
         Seen:\n\
         \x20 1 pending_work (normal, weight 3, not told): paint the fence\n\
         \x20 1 conflict (elevated, weight 5, not told): tea or coffee\n\
         \x20 1 decaying (low, weight 1, not told): the code of the gate\n\
         Steps:\n\
         \x20 0 held: nothing holds it\n\
         \x20 1 first contact: they have met: 5 memories or more\n\
         \x20 2 critical deadline: no deadline within 1h\n\
         \x20 3 time of day: in the evening only normal signals and above pass; held back: 1\n\
         \x20     decaying\n\
         \x20 4 conversation: no conversation is on\n\
         \x20 5 confluence: the signals weigh 8 of 12 at suggest; held back: 1 conflict, 1\n\
         \x20     pending_work\n\
         It would go another way:\n\
         \x20 time of day, if it is tomorrow at 07:00 (morning)\n\
         \x20 confluence, if signals of other kinds add 4, or something falls due\n\
         It took 1.23 ms and 21 statements; 0 tokens.\n\
         Next look at 18:07, in 7m30s: the usual pace: 5m, x 1.5 in the evening; a pause\n\
         \x20   of 7m30s."
    );
}

#[test]
fn an_act_and_an_introduction_say_so() {
    let now = monday("12:00");
    let (_, lines) = explained(&rules(), &met(), &sightings(&["scheduled"]), now);
    assert_eq!(lines[0], "On 2026-11-16 at 12:00, in working hours, I spoke up: due now: scheduled;");
    assert!(lines.iter().any(|line| line.contains("(immediate, weight 10, told)")));
    let (_, lines) = explained(&rules(), &State::default(), &[], now);
    assert!(lines[0].ends_with("I introduced myself: they have hardly"), "{}", lines[0]);
    assert_eq!(lines[1], "    met: 0 of 5 memories; step 1 decided (first contact).");
    assert!(lines.contains(&"Seen: nothing.".to_owned()));
    let muted = State { held: Some(Held::Muted), ..met() };
    let (_, lines) = explained(&rules(), &muted, &[deadline("due")], now);
    assert!(lines.contains(&"  held, if the principal wants to hear again (unmute)".to_owned()), "{lines:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_line_is_too_wide_and_every_step_is_told((rules, state, mut seen, now) in cases(), label in "\\PC{0,200}", long in "[a-z]{100,200}") {
        for (place, finding) in seen.iter_mut().flat_map(|one| &mut one.listed).enumerate() {
            finding.label = if place % 2 == 0 { label.clone() } else { long.clone() };
        }
        let (decision, lines) = explained(&rules, &state, &seen, now);
        for line in &lines {
            prop_assert!(line.chars().count() <= WIDTH, "{line}");
            prop_assert!(!line.contains(char::is_control));
        }
        let text = lines.join(" ");
        for trace in &decision.trace {
            let number = format!("  {} ", trace.step.number());
            prop_assert!(lines.iter().any(|line| line.starts_with(&number)));
        }
        prop_assert!(text.contains("0 tokens") && text.contains("Next look at"));
        for sighting in &seen {
            let told = format!("{} {}", sighting.count, sighting.signal.name);
            prop_assert!(text.contains(&told), "{told}");
        }
    }

    #[test]
    fn what_is_said_never_breaks_its_lines((rules, state, mut seen, now) in cases(), label in any::<String>()) {
        for finding in seen.iter_mut().flat_map(|one| &mut one.listed) {
            finding.label = label.clone();
        }
        let decision = decide(&rules, &state, &seen, now);
        let voice = Voice { principal: &label, agent: &label, zone: &rules.zone, now };
        let nudge = phrase(&decision, &Labels::new(), &voice);
        prop_assert_eq!(nudge.is_some(), decision.verdict.is_act());
        if let Some(nudge) = nudge {
            prop_assert!(nudge.what.lines().count() <= 32 && nudge.what.chars().count() < 6000);
            prop_assert!(!nudge.what.contains(|c: char| c.is_control() && c != '\n'));
            prop_assert!(nudge.what.lines().skip(1).all(|line| line.starts_with("- ")));
            prop_assert_eq!(nudge.why.len(), decision.surfaced.len());
            prop_assert_eq!(nudge.urgency, decision.tier.unwrap_or(Tier::Low));
        }
    }
}

// Headers -------------------------------------------------------------------------------------------------------------

const HEADER: &str = "\
-- signal: plants_dry
-- tier: low
-- weight: 2
-- meaning: a plant was not watered for a week

SELECT 1
";

#[test]
fn a_header_is_read_and_the_rest_is_sql() {
    let (signal, sql) = header::parse(HEADER).expect("a header");
    assert_eq!((signal.name.as_str(), signal.tier, signal.weight), ("plants_dry", Tier::Low, 2));
    assert_eq!(signal.meaning, "a plant was not watered for a week");
    assert!(!signal.aggregate);
    assert_eq!(sql, "SELECT 1\n");
    let whole = HEADER.replace("-- meaning", "-- counts: aggregate\n-- meaning").replace('\n', "\r\n");
    let (signal, sql) = header::parse(&whole).expect("with carriage returns");
    assert!(signal.aggregate);
    assert_eq!(sql, "SELECT 1\r\n");
    // Remarks may stand between, and comments after the SQL began are the SQL's.
    let remarked = format!("-- our own\n-- see this page: it helps\n{HEADER}-- tier: high\n");
    let (_, sql) = header::parse(&remarked).expect("with remarks");
    assert_eq!(sql, "SELECT 1\n-- tier: high\n");
}

#[test]
fn a_bad_header_says_which_line_and_what_to_write() {
    for (from, to, said) in [
        (
            "tier: low",
            "tier: lwo",
            "line 2: \"lwo\" is no tier (did you mean \"low\"?); known are low, normal",
        ),
        ("weight: 2", "weight: two", "line 3: that is no weight; write a whole number from 1 to 100"),
        ("weight: 2", "weight: 0", "line 3: that is no weight"),
        ("weight: 2", "weight: 101", "line 3: that is no weight"),
        ("weight: 2", "tier: low", "line 3: `tier` is there twice"),
        ("plants_dry", "Plants", "line 1: that is no name of a signal; write at most 40 small letters"),
        ("plants_dry", "", "line 1: that is no name of a signal"),
        ("-- weight: 2\n", "", "line 1: `weight` is missing; add a line `-- weight: 3`"),
        ("-- signal: plants_dry\n", "", "line 1: `signal` is missing"),
        ("-- tier: low\n", "", "line 1: `tier` is missing"),
        (
            "meaning: a plant was not watered for a week",
            "meaning:",
            "line 4: that is no meaning; say in a line",
        ),
        (
            "weight: 2",
            "wieght: 2",
            "line 3: there is no field `wieght`; known are signal, tier, weight, counts",
        ),
        ("weight: 2", "weight: 2\n-- counts: rows", "line 4: only `aggregate` may be counted otherwise"),
        ("SELECT 1\n", "", "line 5: there is no SQL after the header; write one SELECT there"),
    ] {
        let broken = HEADER.replace(from, to);
        assert_ne!(broken, HEADER, "{from}");
        let error = header::parse(&broken).expect_err(said).to_string();
        assert!(error.starts_with(said), "{error}");
    }
    assert!(header::parse("").expect_err("nothing").to_string().starts_with("line 1: there is no SQL"));
}

proptest! {
    #[test]
    fn no_text_is_too_strange_for_a_header(text in any::<String>(), line in "(-- (signal|tier|weight|counts|meaning): ?[a-z0-9]{0,5}\n){0,6}") {
        let _ = header::parse(&text);
        if let Ok((_, sql)) = header::parse(&format!("{line}{text}")) {
            prop_assert!(text.ends_with(sql));
        }
    }
}

//! What the tests of the heartbeat's judgement are made of: signals, findings, days, and random ones of each.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use selfsame_core::heartbeat::decision::Seen;
use selfsame_core::heartbeat::rules::{FirstContact, LevelRules, PeriodRules};
use selfsame_core::heartbeat::state::{Acted, Held};
use selfsame_core::heartbeat::{
    Autonomy, Decision, Finding, RefKind, Rules, Sighting, Signal, State, StepName, StepTrace, Tier,
};
use selfsame_core::id::Id;
use selfsame_core::time::{Time, Zone};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub const MINUTE: u64 = 60;
pub const HOUR: u64 = 60 * MINUTE;

/// The fourteen: name, tier, weight, whether it speaks of a whole.
pub const FOURTEEN: [(&str, Tier, u32, bool); 14] = [
    ("scheduled", Tier::Immediate, 10, false),
    ("deadline", Tier::Immediate, 10, false),
    ("conflict", Tier::Elevated, 5, false),
    ("continuity", Tier::Elevated, 5, false),
    ("stale_monitor", Tier::Elevated, 5, false),
    ("memory_velocity", Tier::Elevated, 5, true),
    ("pending_work", Tier::Normal, 3, false),
    ("goal_progress", Tier::Normal, 3, false),
    ("knowledge_gap", Tier::Normal, 3, false),
    ("positive_delta", Tier::Normal, 3, true),
    ("decaying", Tier::Low, 1, false),
    ("sentiment", Tier::Low, 1, true),
    ("relationship", Tier::Low, 1, false),
    ("pattern", Tier::Low, 1, true),
];

/// Signals of an operator's own.
const OWN: [(&str, Tier, u32, bool); 2] =
    [("door_open", Tier::Immediate, 10, false), ("plants_dry", Tier::Low, 2, false)];

pub const RUNGS: [&str; 7] = ["24h", "4h", "1h", "due", "overdue_1", "overdue_2", "overdue_3"];

pub fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub fn at(text: &str) -> Time {
    Time::parse(text).expect("a time")
}

/// A Monday in November in UTC, at that wall time.
pub fn monday(clock: &str) -> Time {
    at(&format!("2026-11-16T{clock}:00Z"))
}

pub fn id(number: u8) -> Id {
    Id::from_bytes([number; 16])
}

pub fn signal(name: &str) -> Signal {
    let known = FOURTEEN.iter().chain(&OWN).find(|(known, ..)| *known == name);
    let (name, tier, weight, aggregate) = known.expect("a known signal");
    let meaning = format!("what {name} means");
    Signal { name: (*name).to_owned(), tier: *tier, weight: *weight, meaning, aggregate: *aggregate }
}

pub fn finding(number: u8, status: &str) -> Finding {
    Finding {
        kind: RefKind::Memory,
        id: id(number),
        topic: None,
        label: format!("secret words {number}"),
        due_at: None,
        status: status.to_owned(),
    }
}

pub fn sighting_of(name: &str, findings: Vec<Finding>) -> Sighting {
    Sighting::of(signal(name), findings, Vec::new(), &BTreeSet::new()).expect("something is found")
}

/// One finding of its own for each signal.
pub fn sighting(name: &str) -> Sighting {
    let place = FOURTEEN.iter().chain(&OWN).position(|(known, ..)| *known == name).expect("known");
    let mut one = finding(100 + place as u8, "open");
    if signal(name).aggregate {
        (one.kind, one.id) = (RefKind::Principal, id(99));
    }
    sighting_of(name, vec![one])
}

pub fn sightings(names: &[&str]) -> Vec<Sighting> {
    names.iter().map(|name| sighting(name)).collect()
}

pub fn deadline(rung: &str) -> Sighting {
    sighting_of("deadline", vec![finding(50, rung)])
}

/// In UTC, with all defaults.
pub fn rules() -> Rules {
    Rules::standard(Zone::utc())
}

pub fn rules_at(autonomy: Autonomy) -> Rules {
    Rules { autonomy, ..rules() }
}

/// Somebody who has met the agent, and to whom nothing was said yet.
pub fn met() -> State {
    State { memories: 5, ..State::default() }
}

/// Met, and told something calm so long ago.
pub fn told(now: Time, ago: u64) -> State {
    let at = now.saturating_sub(secs(ago));
    State { acted: Some(Acted { at, fingerprint: [7; 32] }), acted_at: Some(at), ..met() }
}

pub fn names(decision: &Decision) -> Vec<&str> {
    decision.surfaced.iter().map(|sighting| sighting.signal.name.as_str()).collect()
}

pub fn trace(decision: &Decision, step: StepName) -> &StepTrace {
    decision.trace.iter().find(|trace| trace.step == step).expect("the step was taken")
}

pub fn count_of(seen: &[Seen], name: &str) -> usize {
    seen.iter().filter(|seen| seen.signal == name).map(|seen| seen.count).sum()
}

/// What a tick would keep of an act.
pub fn after_act(mut state: State, decision: &Decision, now: Time) -> State {
    if !decision.verdict.is_act() {
        return state;
    }
    state.acted_at = Some(now);
    if decision.verdict.step() == StepName::FirstContact {
        state.introduced.insert(0, now);
    }
    if decision.starts_cooldown() {
        state.acted = Some(Acted { at: now, fingerprint: decision.fingerprint.expect("of what is told") });
    }
    state.surfaced.extend(decision.topics().into_iter().map(|topic| (topic, now)));
    state
}

// Random ones ---------------------------------------------------------------------------------------------------------

/// From 2015 to 2035, to the microsecond.
pub fn moments() -> impl Strategy<Value = Time> {
    (1_420_070_400_000_000..2_051_222_400_000_000_i64).prop_map(Time::from_micros)
}

pub fn zones() -> impl Strategy<Value = Zone> {
    let names: Vec<&'static str> = Zone::all_names().collect();
    let with_changes =
        ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"];
    prop_oneof![select(names), select(with_changes.to_vec())]
        .prop_map(|name| Zone::parse(name).expect("a zone"))
}

fn spans(longest: u64) -> impl Strategy<Value = Duration> {
    (0..=longest * 1_000_000).prop_map(Duration::from_micros)
}

fn tiers() -> impl Strategy<Value = Tier> {
    select(Tier::ALL.to_vec())
}

fn periods() -> impl Strategy<Value = [PeriodRules; 5]> {
    let period = (0..1440_u16, tiers(), 0.05..20.0_f64).prop_map(|(from, least, factor)| PeriodRules {
        from,
        least,
        factor,
    });
    let random = prop::array::uniform5(period);
    prop_oneof![Just(rules().periods), random]
}

fn levels() -> impl Strategy<Value = [LevelRules; 3]> {
    let level = (1..30_u32, spans(8 * HOUR), spans(8 * HOUR), spans(8 * HOUR))
        .prop_map(|(threshold, low, normal, elevated)| LevelRules { threshold, low, normal, elevated });
    let random = prop::array::uniform3(level);
    prop_oneof![Just(rules().levels), random]
}

fn first_contacts() -> impl Strategy<Value = FirstContact> {
    (0..7_u32, spans(48 * HOUR), 0..4_u32).prop_map(|(memories, every, most)| FirstContact {
        memories,
        every,
        most,
    })
}

pub fn random_rules() -> impl Strategy<Value = Rules> {
    let critical = select(vec![secs(0), secs(HOUR), secs(HOUR), secs(4 * HOUR)]);
    let spans = (spans(30 * HOUR), spans(HOUR), critical);
    (select(Autonomy::ALL.to_vec()), zones(), periods(), levels(), first_contacts(), spans, 1..8_u32)
        .prop_map(
            |(
                autonomy,
                zone,
                periods,
                levels,
                first_contact,
                (max_silence, conversation, critical),
                velocity,
            )| Rules {
                autonomy,
                periods,
                levels,
                max_silence,
                conversation,
                velocity,
                critical,
                first_contact,
                ..Rules::standard(zone)
            },
        )
}

/// A moment within two days before, at times a little ahead.
fn near(now: Time) -> impl Strategy<Value = Time> {
    let before =
        (0..48 * HOUR * 1_000_000).prop_map(move |ago| now.saturating_sub(Duration::from_micros(ago)));
    let ahead = (0..HOUR).prop_map(move |ahead| now.saturating_add(secs(ahead)));
    prop_oneof![9 => before, 1 => ahead]
}

fn helds(now: Time) -> impl Strategy<Value = Option<Held>> {
    let snoozed = near(now).prop_map(|at| Some(Held::Snoozed(at)));
    prop_oneof![12 => Just(None), 1 => Just(Some(Held::Muted)), 1 => Just(Some(Held::Paused)), 1 => snoozed]
}

/// Ids are few, so that findings and marks meet.
fn few_ids() -> impl Strategy<Value = Id> {
    (1..12_u8).prop_map(id)
}

pub fn random_state(now: Time) -> impl Strategy<Value = State> {
    use prop::option::of;
    let acted = (near(now), any::<[u8; 32]>()).prop_map(|(at, fingerprint)| Acted { at, fingerprint });
    let met = (0..8_u32, of(near(now)), prop::collection::vec(near(now), 0..4));
    let talk = (prop::option::weighted(0.3, near(now)), prop::option::weighted(0.2, near(now)), 0..8_u32);
    let marks = prop::collection::btree_map(few_ids(), near(now), 0..8);
    let answers = (0..21_u32, 0..21_u32);
    (helds(now), met, talk, of(acted), of(near(now)), marks, answers).prop_map(
        |(
            held,
            (memories, wrote_at, introduced),
            (last_message_at, host, new_memories),
            acted,
            acted_at,
            surfaced,
            answers,
        )| {
            State {
                held,
                memories,
                wrote_at,
                introduced,
                last_message_at,
                host_active_until: host,
                new_memories,
                acted,
                acted_at,
                surfaced,
                delivered: answers.0,
                answered: answers.1.min(answers.0),
            }
        },
    )
}

fn findings_of(signal: &Signal) -> impl Strategy<Value = Vec<Finding>> + use<> {
    let statuses = if signal.name == "deadline" { RUNGS.to_vec() } else { vec!["open", "stalled", "5"] };
    let kinds =
        if signal.aggregate { vec![RefKind::Principal] } else { vec![RefKind::Memory, RefKind::Entity] };
    let finding = (select(kinds), few_ids(), prop::option::of(few_ids()), select(statuses)).prop_map(
        |(kind, id, topic, status)| Finding {
            kind,
            id,
            topic,
            label: "SECRET".to_owned(),
            due_at: None,
            status: status.to_owned(),
        },
    );
    prop::collection::vec(finding, 1..6)
}

/// Some of all signals, with random findings.
pub fn random_sightings() -> impl Strategy<Value = Vec<Sighting>> {
    let all: Vec<&str> = FOURTEEN.iter().chain(&OWN).map(|(name, ..)| *name).collect();
    let some = (0..=all.len()).prop_flat_map(move |most| subsequence(all.clone(), 0..=most));
    some.prop_flat_map(|names| {
        let each: Vec<_> = names
            .into_iter()
            .map(|name| {
                let signal = signal(name);
                findings_of(&signal).prop_map(move |found| {
                    Sighting::of(signal.clone(), found, Vec::new(), &BTreeSet::new())
                        .expect("something is found")
                })
            })
            .collect();
        each
    })
}

/// Everything that a decision is made from.
pub fn cases() -> impl Strategy<Value = (Rules, State, Vec<Sighting>, Time)> {
    moments().prop_flat_map(|now| (random_rules(), random_state(now), random_sightings(), Just(now)))
}

/// The findings by signal: what a test asks about.
pub fn told_findings(decision: &Decision) -> BTreeMap<&str, Vec<&Finding>> {
    let told = |sighting: &'_ Sighting| -> usize { sighting.listed.len() };
    assert!(decision.surfaced.iter().all(|sighting| told(sighting) > 0), "what is told can be named");
    decision.surfaced.iter().map(|one| (one.signal.name.as_str(), one.listed.iter().collect())).collect()
}

//! How memories fade: the formula, the moments, the states.

use proptest::prelude::*;
use selfsame_core::id::{AgentId, Id, MemoryId};
use selfsame_core::memory::retention::{ARCHIVED, FADING, Hold, STALE};
use selfsame_core::memory::{Draft, Memory, MemoryKind, State};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::{Caller, Privacy, Provenance};
use std::time::Duration;

const DAY: u64 = 86_400;
const START: Time = Time::from_micros(1_767_225_600_000_000);

fn after_days(days: f64) -> Time {
    START.saturating_add(Duration::from_micros((days * 86_400e6) as u64))
}

fn memory(kind: MemoryKind, change: impl FnOnce(&mut Draft)) -> Memory {
    let mut draft = Draft::new("a fact");
    draft.kind = kind;
    change(&mut draft);
    let provenance = Provenance::stated(&Caller::agent(None), None, Privacy::Shared);
    Memory::from_draft(MemoryId::of(Id::NIL), AgentId::of(Id::NIL), draft, provenance, START)
}

/// Days until stale (ln(1/0.3) = 1.20397 stabilities) and archived (ln 10 = 2.30259), worked out by hand.
const AGES: [(MemoryKind, f64, f64, f64); 12] = [
    (MemoryKind::Identity, 365.0, 439.45, 840.45),
    (MemoryKind::Preference, 270.0, 325.07, 621.70),
    (MemoryKind::Relationship, 270.0, 325.07, 621.70),
    (MemoryKind::Knowledge, 180.0, 216.72, 414.47),
    (MemoryKind::Skill, 180.0, 216.72, 414.47),
    (MemoryKind::Event, 120.0, 144.48, 276.31),
    (MemoryKind::Activity, 90.0, 108.36, 207.23),
    (MemoryKind::Plan, 60.0, 72.24, 138.16),
    (MemoryKind::Question, 60.0, 72.24, 138.16),
    (MemoryKind::Episode, 30.0, 36.12, 69.08),
    (MemoryKind::Context, 21.0, 25.28, 48.35),
    (MemoryKind::Ephemeral, 3.0, 3.61, 6.91),
];

#[test]
fn every_type_is_stale_and_archived_at_its_age() {
    for (kind, stability, stale, archived) in AGES {
        assert_eq!(kind.stability_days(), stability);
        if kind == MemoryKind::Plan {
            continue;
        }
        let memory = memory(kind, |_| {});
        let state = |days: f64| memory.judged(after_days(days)).0;
        let table = [
            (0.0, State::Active),
            (stale - 0.01, State::Active),
            (stale + 0.01, State::Stale),
            (archived - 0.01, State::Stale),
            (archived + 0.01, State::Archived),
            (archived * 20.0, State::Archived),
        ];
        for (days, expected) in table {
            assert_eq!(state(days), expected, "{kind:?} after {days} days");
        }
    }
    assert_eq!(AGES.len(), MemoryKind::ALL.len());
}

#[test]
fn what_is_exempt_does_not_fade() {
    let late = after_days(5_000.0);
    let exempt: [(&str, Memory); 3] = [
        ("an open plan", memory(MemoryKind::Plan, |_| {})),
        ("pinned", memory(MemoryKind::Ephemeral, |draft| draft.pinned = true)),
        ("scheduled", memory(MemoryKind::Context, |draft| draft.tags = vec!["cron:daily:09:00".into()])),
    ];
    for (what, memory) in exempt {
        assert_eq!(memory.judged(late), (State::Active, Default::default()), "{what}");
    }
}

#[test]
fn a_deadline_holds_a_memory_until_it_has_passed() {
    let deadline = after_days(30.0);
    let memory = memory(MemoryKind::Ephemeral, |draft| draft.expires_at = Some(deadline));
    assert_eq!(memory.judged(after_days(29.9)).0, State::Active);
    assert_eq!(memory.life.decline.next_state_at, Some(deadline));
    assert_eq!(memory.judged(deadline).0, State::Archived);
}

#[test]
fn a_resolved_plan_is_resolved_until_it_is_archived() {
    let mut plan = memory(MemoryKind::Plan, |_| {});
    plan.life.state = State::Resolved;
    assert_eq!(plan.judged(after_days(100.0)).0, State::Resolved);
    assert_eq!(plan.judged(after_days(139.0)).0, State::Archived);
}

#[test]
fn what_was_folded_or_replaced_stays_archived() {
    let mut folded = memory(MemoryKind::Identity, |draft| draft.pinned = true);
    folded.life.summarized_into = Some(Id::NIL);
    assert_eq!(folded.judged(START).0, State::Archived);
    let mut replaced = memory(MemoryKind::Identity, |_| {});
    replaced.life.replaced_by = Some(MemoryId::of(Id::NIL));
    assert_eq!(replaced.judged(START).0, State::Archived);
}

#[test]
fn a_day_counts_once_by_the_clock_of_the_agent() {
    let zone = Zone::parse("America/New_York").unwrap();
    let recalled = |hold: &Hold, at: Time| hold.recalled(MemoryKind::Context, &zone, at);
    // 2026-01-01T00:00:00Z is still the last day of the year there.
    let first = recalled(&Hold::new(MemoryKind::Context), START).unwrap();
    assert_eq!((first.recall_count, first.stability), (1, 23.1));
    assert_eq!(recalled(&first, START.saturating_add(Duration::from_secs(4 * 3600))), None);
    let second = recalled(&first, START.saturating_add(Duration::from_secs(6 * 3600))).unwrap();
    assert_eq!(second.recall_count, 2);
    // A clock that was put back does not count a day twice.
    assert_eq!(recalled(&second, START), None);
}

#[test]
fn stability_grows_by_a_tenth_up_to_four_times() {
    let zone = Zone::utc();
    let mut hold = Hold::new(MemoryKind::Ephemeral);
    for day in 0..100 {
        hold = hold.recalled(MemoryKind::Ephemeral, &zone, after_days(f64::from(day))).unwrap();
    }
    assert_eq!((hold.stability, hold.recall_count), (12.0, 100));
}

proptest! {
    /// The stored moments and the formula say the same at every age but the very microsecond of change.
    #[test]
    fn moments_follow_the_formula(
        kind in prop::sample::select(MemoryKind::ALL),
        stability in 0.5f64..1500.0,
        recall_count in 0u32..500,
        recalled_after in prop::option::of(0u64..3000 * DAY),
        age in 0u64..20_000 * DAY,
    ) {
        prop_assume!(kind != MemoryKind::Plan);
        let mut memory = memory(kind, |_| {});
        let last = recalled_after.map(|seconds| START.saturating_add(Duration::from_secs(seconds)));
        memory.life.hold = Hold { stability, recall_count, last_recalled_at: last };
        let since = last.unwrap_or(START);
        let now = since.saturating_add(Duration::from_secs(age));
        let days = age as f64 / DAY as f64;
        // Not by the functions that are tested.
        let slowed = 1.0 + 0.5 * f64::from(recall_count).ln_1p();
        let expected = std::f64::consts::E.powf(-days / (stability * slowed));
        prop_assert!((memory.retention(now) - expected).abs() < 1e-12);

        let (state, decline) = memory.judged(now);
        let by_formula = match expected {
            left if left >= STALE => State::Active,
            left if left >= ARCHIVED => State::Stale,
            _ => State::Archived,
        };
        let moments = [(decline.fades_at, FADING), (decline.stale_at, STALE), (decline.archive_at, ARCHIVED)];
        for (moment, level) in moments {
            let moment = moment.unwrap();
            let micro = Duration::from_micros(50);
            prop_assert!(memory.retention(moment.saturating_sub(micro)) >= level - 1e-12);
            prop_assert!(memory.retention(moment.saturating_add(micro)) < level + 1e-12);
        }
        let at_the_edge = [STALE, ARCHIVED].iter().any(|level| (expected - level).abs() < 1e-9);
        prop_assert!(at_the_edge || state == by_formula, "{state:?} but {expected}");
        prop_assert!(decline.next_state_at.is_none_or(|next| next > now));
        prop_assert_eq!(decline.next_state_at.is_none(), state == State::Archived);
    }

    /// However often it is read on a day, it changes as by one read.
    #[test]
    fn a_thousand_reads_in_a_day_are_one(offsets in prop::collection::vec(0u64..DAY, 1..1000)) {
        let zone = Zone::utc();
        let mut hold = Hold::new(MemoryKind::Knowledge);
        let mut offsets = offsets;
        offsets.sort_unstable();
        for offset in &offsets {
            let at = START.saturating_add(Duration::from_secs(*offset));
            hold = hold.recalled(MemoryKind::Knowledge, &zone, at).unwrap_or(hold);
        }
        let once = Hold::new(MemoryKind::Knowledge)
            .recalled(MemoryKind::Knowledge, &zone, START.saturating_add(Duration::from_secs(offsets[0])))
            .unwrap();
        prop_assert_eq!(hold, once);
    }
}

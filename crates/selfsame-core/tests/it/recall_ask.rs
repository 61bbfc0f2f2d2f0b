//! What an answer must be.

use selfsame_core::id::{AgentId, EntityId, Id, MemoryId, PrincipalId};
use selfsame_core::memory::{Draft, Memory, MemoryKind, State};
use selfsame_core::recall::{Filter, Mode, Row};
use selfsame_core::time::Time;
use selfsame_core::trust::{Caller, Privacy, Provenance};

const MAYA: PrincipalId = PrincipalId::of(Id::from_bytes([1; 16]));
const NOAH: PrincipalId = PrincipalId::of(Id::from_bytes([2; 16]));
const NOON: Time = Time::from_micros(1_000_000);

fn memory() -> Memory {
    let mut draft = Draft::new("tea");
    (draft.kind, draft.tags) = (MemoryKind::Preference, vec!["home".into(), "hot".into()]);
    let provenance = Provenance::stated(&Caller::principal(MAYA), None, Privacy::Shared);
    let (id, agent) = (MemoryId::of(Id::from_bytes([3; 16])), AgentId::of(Id::from_bytes([4; 16])));
    Memory::from_draft(id, agent, draft, provenance, NOON)
}

fn row(memory: &Memory) -> Row<'_> {
    let (at, provenance) = (memory.created_at, &memory.provenance);
    Row { at, provenance, state: State::Active, concerns_entity: false, fact: Some(memory) }
}

fn takes(filter: &Filter, row: &Row<'_>) -> bool {
    filter.takes(Mode::Balanced, row)
}

#[test]
fn what_is_not_asked_for_is_not_required() {
    let tea = memory();
    assert!(takes(&Filter::default(), &row(&tea)));
    assert!(takes(&Filter::default(), &Row { fact: None, ..row(&tea) }));
}

#[test]
fn each_part_can_refuse() {
    let tea = memory();
    let just_after = Time::from_micros(1_000_001);
    let entity = Some(EntityId::of(Id::from_bytes([5; 16])));
    for (fits, refuses) in [
        (
            Filter { from: Some(NOON), ..Filter::default() },
            Filter { from: Some(just_after), ..Filter::default() },
        ),
        (
            Filter { until: Some(NOON), ..Filter::default() },
            Filter { until: Some(Time::from_micros(999_999)), ..Filter::default() },
        ),
        (
            Filter { principal: Some(MAYA), ..Filter::default() },
            Filter { principal: Some(NOAH), ..Filter::default() },
        ),
        (
            Filter { min_trust: Some(0.8), ..Filter::default() },
            Filter { min_trust: Some(0.81), ..Filter::default() },
        ),
        (
            Filter { kinds: vec![MemoryKind::Event, MemoryKind::Preference], ..Filter::default() },
            Filter { kinds: vec![MemoryKind::Event], ..Filter::default() },
        ),
        (
            Filter { tags: vec!["hot".into(), "home".into()], ..Filter::default() },
            Filter { tags: vec!["hot".into(), "cold".into()], ..Filter::default() },
        ),
        (
            Filter { states: vec![State::Active], ..Filter::default() },
            Filter { states: vec![State::Stale], ..Filter::default() },
        ),
    ] {
        assert!(takes(&fits, &row(&tea)), "{fits:?}");
        assert!(!takes(&refuses, &row(&tea)), "{refuses:?}");
    }
    let about = Filter { entity, ..Filter::default() };
    assert!(takes(&about, &Row { concerns_entity: true, ..row(&tea) }) && !takes(&about, &row(&tea)));
}

#[test]
fn a_message_has_neither_type_nor_labels() {
    let tea = memory();
    let message = Row { fact: None, ..row(&tea) };
    assert!(!takes(&Filter { kinds: vec![MemoryKind::Preference], ..Filter::default() }, &message));
    assert!(!takes(&Filter { tags: vec!["hot".into()], ..Filter::default() }, &message));
}

#[test]
fn what_was_put_away_is_found_by_who_looks_back_or_asks_for_it() {
    let tea = memory();
    let archived = Row { state: State::Archived, ..row(&tea) };
    for mode in Mode::ALL {
        let looks_back = matches!(mode, Mode::Historical | Mode::Timeline);
        assert_eq!(Filter::default().takes(*mode, &archived), looks_back, "{mode:?}");
        let asked_for = Filter { states: vec![State::Archived], ..Filter::default() };
        assert!(asked_for.takes(*mode, &archived) && !asked_for.takes(*mode, &row(&tea)));
    }
}

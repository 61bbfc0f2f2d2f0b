//! What speaks for a belief, how far it is believed, how current it is, and what becomes of it.

use selfsame_core::id::{AgentId, ConversationId, Id, MemoryId};
use selfsame_core::knowledge::claim::Says;
use selfsame_core::knowledge::confidence::{Components, Inputs, Level};
use selfsame_core::knowledge::decide::{
    Because, Decision, Voice, Voucher, decide, leading, revalidate, weight_of,
};
use selfsame_core::knowledge::evidence::{Base, Fading, Origin, Piece, SourceSort, is_raw, tally};
use selfsame_core::knowledge::freshness::{Heard, STALE};
use selfsame_core::knowledge::{ObservationKind, Status};
use selfsame_core::memory::{Draft, Memory, MemoryKind};
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Caller, Lineage, Privacy, Provenance};
use std::time::Duration;

const NOW: Time = Time::from_micros(1_800_000_000_000_000);
const DAY: Duration = Duration::from_secs(24 * 3600);
const KIND: ObservationKind = ObservationKind::OperatorPreference;

fn near(got: f64, wanted: f64) {
    assert!((got - wanted).abs() < 1e-9, "{got}, not {wanted}");
}

// Confidence -----------------------------------------------------------------------------------------------------------

#[test]
fn knowledge_confidence_as_computed_by_hand() {
    let once = Inputs { sources: 1, sorts: 1, support: 1.5, days: Some(0.0), ..Inputs::default() };
    // 0.28 + 0.22 ln2/ln7 + 0.18/4 + 0.20*1.5/4 + 0.12, and 0.28 + 0.17 ln2/ln7 + 0.18/4 + 0.18*1.5/4 + 0.22
    near(Components::of(once).confidence_by(1), 0.598_365_581_163_8);
    near(Components::of(once).confidence(), 0.673_055_221_808_4);
    let thrice = Inputs { sources: 3, sorts: 2, support: 4.0, days: Some(15.0), ..Inputs::default() };
    // 0.28 + 0.22 ln4/ln7 + 0.18/2 + 0.20 + 0.12*0.75, and 0.28 + 0.17 ln4/ln7 + 0.18/2 + 0.18 + 0.22*0.75
    near(Components::of(thrice).confidence_by(1), 0.816_731_162_327_5);
    near(Components::of(thrice).confidence(), 0.836_110_443_616_7);
    let contested = Inputs { against: 1.5, against_sources: 1, ..thrice };
    near(Components::of(contested).confidence_by(1), 0.816_731_162_327_5 - 0.175);
    near(Components::of(contested).confidence(), 0.836_110_443_616_7 - 0.1);
    // All of it had been said before, and lost: a tenth counts.
    let settled = Inputs { settled: 1.5, ..contested };
    near(Components::of(settled).confidence(), 0.836_110_443_616_7 - 0.01);
    let confirmed = Inputs { confirmed: true, ..once };
    near(Components::of(confirmed).confidence_by(1), 0.718_365_581_163_8);
    near(Components::of(confirmed).confidence(), 0.793_055_221_808_4);
    // Never said: only the floor and the recency of the unsaid.
    near(Components::of(Inputs::default()).confidence(), 0.28 + 0.22 * 0.35);
}

#[test]
fn knowledge_confidence_has_bounds() {
    let best = Inputs {
        sources: 1000,
        sorts: 4,
        support: 1000.0,
        days: Some(0.0),
        confirmed: true,
        ..Inputs::default()
    };
    assert_eq!(Components::of(best).confidence(), 1.0);
    assert_eq!(Components::of(best).source_count, 1.0);
    let worst = Inputs { against: 1000.0, against_sources: 9, days: Some(1e6), ..Inputs::default() };
    assert_eq!(Components::of(worst).confidence_by(1), 0.0);
    near(Components::of(worst).confidence(), 0.28 + 0.22 * 0.1 - 0.20);
    assert_eq!(Components::of(worst).recency_weight, 0.1);
    // Six sources are as good as it gets.
    near(Components::of(Inputs { sources: 6, ..best }).source_count, 1.0);
    assert!(Components::of(Inputs { sources: 5, ..best }).source_count < 1.0);
}

#[test]
fn knowledge_confidence_comes_back_as_it_was_stored() {
    let inputs = Inputs {
        sources: 3,
        sorts: 2,
        support: 2.75,
        against_sources: 1,
        against: 0.3,
        settled: 0.1,
        days: Some(12.5),
        confirmed: true,
    };
    for inputs in [inputs, Inputs::default()] {
        let components = Components::of(inputs);
        assert_eq!(Components::parse(&components.json().to_string()), Some(components));
    }
    assert_eq!(Components::parse("{}"), None);
}

#[test]
fn knowledge_confidence_in_a_word() {
    for (confidence, level) in
        [(0.8, Level::High), (0.799, Level::Medium), (0.6, Level::Medium), (0.599, Level::Low)]
    {
        assert_eq!(Level::of(confidence), level);
    }
}

// Freshness ------------------------------------------------------------------------------------------------------------

#[test]
fn knowledge_freshness_is_half_when_due_and_nothing_after_twice_that() {
    for kind in ObservationKind::ALL {
        let heard = Heard { supported_at: NOW, contradicted_at: None };
        near(heard.freshness(*kind, NOW), 1.0);
        near(heard.freshness(*kind, NOW.saturating_add(kind.cadence())), 0.5);
        near(heard.freshness(*kind, NOW.saturating_add(2 * kind.cadence())), 0.0);
        assert_eq!(heard.freshness(*kind, NOW.saturating_add(9 * kind.cadence())), 0.0);
        assert_eq!(heard.due_at(*kind), NOW.saturating_add(kind.cadence()));
    }
}

#[test]
fn knowledge_freshness_loses_a_fifth_to_a_contradiction_since() {
    let later = NOW.saturating_add(Duration::from_secs(1));
    let contradicted = Heard { supported_at: NOW, contradicted_at: Some(later) };
    near(contradicted.freshness(KIND, NOW.saturating_add(KIND.cadence())), 0.3);
    // Said again after it, or at the same moment: it does not count.
    for since in [NOW, NOW.saturating_sub(DAY)] {
        let answered = Heard { supported_at: NOW, contradicted_at: Some(since) };
        near(answered.freshness(KIND, NOW), 1.0);
    }
}

#[test]
fn knowledge_freshness_becomes_stale_at_the_first_moment_below() {
    let moment = Duration::from_micros(1);
    for kind in ObservationKind::ALL {
        for contradicted_at in [None, Some(NOW.saturating_add(moment))] {
            let heard = Heard { supported_at: NOW, contradicted_at };
            let stale_at = heard.stale_at(*kind);
            let (then, before) =
                (heard.freshness(*kind, stale_at), heard.freshness(*kind, stale_at.saturating_sub(moment)));
            assert!(then < STALE, "{kind:?}: {then}");
            assert!(before >= STALE, "{kind:?}: {before}");
            assert!(heard.due_at(*kind) <= stale_at);
        }
    }
}

// Evidence -------------------------------------------------------------------------------------------------------------

fn origin(number: u8) -> Origin {
    Origin::document(&format!("document {number}"))
}

fn piece(sort: SourceSort, origins: &[u8], weight: f64) -> Piece {
    Piece { sort, origins: origins.iter().map(|number| origin(*number)).collect(), weight, at: NOW }
}

fn memory(from: u8, weight: f64) -> Piece {
    piece(SourceSort::Memory, &[from], weight)
}

#[test]
fn knowledge_evidence_copies_weigh_as_one() {
    let copies: Vec<Piece> = (0..10).map(|_| memory(1, 1.0)).collect();
    let two = [memory(2, 1.0), memory(3, 1.0)];
    let (copied, independent) = (tally(&copies, None), tally(&two, None));
    assert_eq!((copied.sources, copied.weight), (1, 1.0));
    assert_eq!((independent.sources, independent.weight), (2, 2.0));
    // Of copies the heaviest counts, in whatever order they come.
    let mut mixed = [memory(1, 0.5), memory(1, 2.0), memory(1, 1.0)];
    assert_eq!(tally(&mixed, None).weight, 2.0);
    mixed.reverse();
    assert_eq!(tally(&mixed, None).weight, 2.0);
}

#[test]
fn knowledge_evidence_a_lesson_over_counted_memories_adds_nothing() {
    let memories = vec![memory(1, 0.5), memory(2, 0.5)];
    for lesson in [piece(SourceSort::Lesson, &[1, 2], 3.0), piece(SourceSort::Reflection, &[1], 1.0)] {
        let mut with = memories.clone();
        with.push(lesson);
        let (before, after) = (tally(&memories, None), tally(&with, None));
        assert_eq!((after.sources, after.weight), (before.sources, before.weight));
        with.reverse();
        assert_eq!(tally(&with, None), after);
    }
}

#[test]
fn knowledge_evidence_a_lesson_speaks_for_what_says_nothing_itself() {
    let lesson = piece(SourceSort::Lesson, &[1, 2, 3], 3.0);
    let counted = tally([&memory(1, 0.5), &lesson], None);
    // One memory of its own weight, and two thirds of the lesson.
    assert_eq!((counted.sources, counted.sorts, counted.weight), (3, 2, 2.5));
    assert_eq!(tally([&piece(SourceSort::Lesson, &[], 3.0)], None).weight, 0.0);
}

#[test]
fn knowledge_evidence_fades_by_half_in_each_half_life() {
    let fading = Fading { now: NOW.saturating_add(2 * DAY), half_life: DAY };
    near(tally([&memory(1, 1.0)], Some(fading)).weight, 0.25);
    let from_the_future = Fading { now: NOW.saturating_sub(DAY), half_life: DAY };
    near(tally([&memory(1, 1.0)], Some(from_the_future)).weight, 1.0);
}

#[test]
fn knowledge_evidence_weighs_by_what_it_is() {
    for (base, weight) in [
        (Base::Memory(0.0), 1.0),
        (Base::Memory(1.0), 2.5),
        (Base::Memory(7.0), 2.5),
        (Base::Memory(0.5), 1.75),
        (Base::Lesson(0.1), 1.0),
        (Base::Lesson(0.5), 1.5),
        (Base::Lesson(1.0), 3.0),
        (Base::Reflection, 1.0),
        (Base::Entity, 1.0),
        (Base::Useful, 0.25),
    ] {
        assert_eq!(base.weight(), weight, "{base:?}");
    }
}

#[test]
fn knowledge_evidence_sources_are_told_apart() {
    let day = jiff_date(2026, 1, 2);
    let origins = [
        Origin::conversation(ConversationId::of(Id::NIL)),
        Origin::document(""),
        Origin::document("conversation"),
        Origin::day(Author::Agent, None, day),
        Origin::day(Author::Agent, None, jiff_date(2026, 1, 3)),
    ];
    let apart: std::collections::BTreeSet<Origin> = origins.into_iter().collect();
    assert_eq!(apart.len(), 5);
    assert_eq!(Origin::document("a"), Origin::document("a"));
}

fn jiff_date(year: i16, month: i8, day: i8) -> selfsame_core::time::civil::Date {
    selfsame_core::time::civil::date(year, month, day)
}

/// Somebody's words about how things are, and nothing else.
#[test]
fn knowledge_evidence_is_raw() {
    let stated = Provenance::stated(&Caller::agent(None), None, Privacy::Shared);
    let derived = Provenance::derived(&Lineage::of(&stated).unwrap(), None);
    let is_raw = |kind: MemoryKind, provenance: &Provenance| {
        let draft = Draft { kind, ..Draft::new("a fact") };
        let (id, agent) = (MemoryId::of(Id::NIL), AgentId::of(Id::NIL));
        is_raw(&Memory::from_draft(id, agent, draft, provenance.clone(), NOW))
    };
    let not_of_the_world = [MemoryKind::Plan, MemoryKind::Question, MemoryKind::Episode];
    for kind in MemoryKind::ALL.iter().copied() {
        assert_eq!(is_raw(kind, &stated), !not_of_the_world.contains(&kind), "{kind:?}");
        assert!(!is_raw(kind, &derived), "what is derived counts through what it was made from");
    }
}

// Decisions ------------------------------------------------------------------------------------------------------------

fn voice(value: &str, says: Says, voucher: Voucher, from: u8) -> Voice {
    Voice { value: value.to_owned(), says, replaces: None, voucher, piece: memory(from, 1.0) }
}

fn holds(value: &str, from: u8) -> Voice {
    voice(value, Says::Holds, Voucher::Principal, from)
}

fn judged(held: Option<&str>, before: &[Voice], new: &Voice) -> Decision {
    let mut said = before.to_vec();
    said.push(new.clone());
    decide(KIND, held, &said, new, NOW)
}

#[test]
fn knowledge_decisions_about_nothing_and_about_the_same() {
    for voucher in [Voucher::Other, Voucher::Principal, Voucher::Operator] {
        let new = |value, says| voice(value, says, voucher, 1);
        assert_eq!(judged(None, &[], &new("tea", Says::Holds)), Decision::Create);
        assert_eq!(judged(None, &[], &new("tea", Says::Denies)), Decision::Skip);
        assert_eq!(judged(None, &[], &new("tea", Says::Touches)), Decision::Skip);
        assert_eq!(judged(Some("tea"), &[], &new("tea", Says::Holds)), Decision::Reinforce);
        assert_eq!(judged(Some("tea"), &[], &new("tea", Says::Touches)), Decision::Note);
        assert_eq!(judged(Some("tea"), &[], &new("coffee", Says::Touches)), Decision::Note);
        assert_eq!(judged(Some("tea"), &[], &new("coffee", Says::Denies)), Decision::Skip);
    }
}

#[test]
fn knowledge_decisions_never_replace_a_value_by_itself() {
    for voucher in [Voucher::Other, Voucher::Principal, Voucher::Operator] {
        let new = Voice { replaces: Some("tea".to_owned()), ..voice("tea", Says::Holds, voucher, 1) };
        let many: Vec<Voice> = (2..9).map(|from| holds("tea", from)).collect();
        assert_eq!(judged(Some("tea"), &many, &new), Decision::Reinforce);
    }
}

#[test]
fn knowledge_decisions_to_deny() {
    let deny = |voucher| judged(Some("tea"), &[holds("tea", 1)], &voice("tea", Says::Denies, voucher, 2));
    assert_eq!(deny(Voucher::Other), Decision::Contend);
    assert_eq!(deny(Voucher::Principal), Decision::Contend);
    assert_eq!(deny(Voucher::Operator), Decision::GiveUp);
}

#[test]
fn knowledge_decisions_the_operator_outranks_evidence() {
    let before: Vec<Voice> = (1..20).map(|from| holds("tea", from)).collect();
    let new = voice("coffee", Says::Holds, Voucher::Operator, 30);
    assert_eq!(judged(Some("tea"), &before, &new), Decision::Supersede(Because::Operator));
}

#[test]
fn knowledge_decisions_what_replaces_must_come_from_a_principal() {
    let before: Vec<Voice> = (1..20).map(|from| holds("tea", from)).collect();
    let switch = |voucher, replaces: &str| {
        let new = Voice { replaces: Some(replaces.to_owned()), ..voice("coffee", Says::Holds, voucher, 30) };
        judged(Some("tea"), &before, &new)
    };
    assert_eq!(switch(Voucher::Principal, "tea"), Decision::Supersede(Because::Replaced));
    assert_eq!(switch(Voucher::Other, "tea"), Decision::Contend);
    // It replaces something that is not believed.
    assert_eq!(switch(Voucher::Principal, "water"), Decision::Contend);
}

#[test]
fn knowledge_decisions_another_value_must_outweigh_by_a_fifth() {
    let weighing = |weight: f64| {
        let new = Voice { piece: memory(2, weight), ..holds("coffee", 2) };
        judged(Some("tea"), &[holds("tea", 1)], &new)
    };
    assert_eq!(weighing(1.0), Decision::Contend);
    assert_eq!(weighing(1.2), Decision::Contend);
    assert_eq!(weighing(1.21), Decision::Supersede(Because::Outweighed));
    // Ten copies of a rival are one.
    let copies: Vec<Voice> = (0..10).map(|_| holds("coffee", 2)).chain([holds("tea", 1)]).collect();
    assert_eq!(judged(Some("tea"), &copies, &holds("coffee", 2)), Decision::Contend);
}

#[test]
fn knowledge_decisions_old_words_weigh_less() {
    let mut old = holds("tea", 1);
    old.piece.at = NOW.saturating_sub(KIND.cadence());
    near(weight_of(KIND, "tea", std::slice::from_ref(&old), NOW), 0.5);
    assert_eq!(judged(Some("tea"), &[old], &holds("coffee", 2)), Decision::Supersede(Because::Outweighed));
}

#[test]
fn knowledge_decisions_a_belief_without_a_voice_is_outweighed_by_any() {
    let other = holds("coffee", 2);
    assert_eq!(judged(Some("tea"), &[], &other), Decision::Supersede(Because::Outweighed));
}

#[test]
fn knowledge_decisions_the_leading_value() {
    let said = [
        holds("tea", 1),
        holds("coffee", 2),
        holds("coffee", 3),
        voice("tea", Says::Denies, Voucher::Other, 4),
    ];
    assert_eq!(leading(KIND, &said, NOW), Some("coffee"));
    assert_eq!(leading(KIND, &said[..2], NOW), Some("coffee"), "of equally heavy ones the first by name");
    assert_eq!(leading(KIND, &said[3..], NOW), None);
}

#[test]
fn knowledge_decisions_when_time_passes() {
    let heard = Heard { supported_at: NOW, contradicted_at: None };
    let at = |days: u32, against: &[Piece]| {
        revalidate(KIND, heard, [&memory(1, 1.0)], against, NOW.saturating_add(DAY * days))
    };
    assert_eq!((at(30, &[]).status, at(30, &[]).due_at), (Status::Active, Some(heard.stale_at(KIND))));
    assert_eq!((at(40, &[]).status, at(40, &[]).due_at), (Status::Stale, None));
    let (one, two) = ([memory(2, 5.0)], [memory(2, 5.0), memory(3, 5.0)]);
    assert_eq!(at(1, &one).status, Status::Active, "one voice against is not enough");
    assert_eq!(at(1, &two).status, Status::Invalidated);
    assert_eq!(at(1, &[memory(2, 0.4), memory(3, 0.4)]).status, Status::Active, "they must outweigh");
}

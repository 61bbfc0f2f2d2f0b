//! How far a belief is believed, by each formula, against examples that were computed by hand.

use selfsame_core::knowledge::confidence::{Components, FORMULA, Inputs};

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// Six sources of one sort that weigh 4, against one that weighs 1.5; said today.
fn some() -> Inputs {
    Inputs {
        sources: 6,
        sorts: 1,
        support: 4.0,
        against_sources: 1,
        against: 1.5,
        days: Some(0.0),
        ..Inputs::default()
    }
}

#[test]
fn the_first_formula_stays_what_it_was() {
    // 0.28 + 0.22 * 1 + 0.18 / 4 + 0.20 * 1 + 0.12 * 1 - 0.35 * 0.5
    close(Components::of(some()).confidence_by(1), 0.69);
    let formed_against = Inputs { settled: 1.5, ..some() };
    close(Components::of(formed_against).confidence_by(1), 0.69);
    close(Components::of(Inputs { confirmed: true, ..some() }).confidence_by(1), 0.81);
    // Never said: 0.28 + 0.12 * 0.35
    close(Components::of(Inputs::default()).confidence_by(1), 0.322);
}

#[test]
fn what_a_belief_was_formed_against_speaks_less_against_it() {
    let contested = Components::of(some());
    let changed = Components::of(Inputs { settled: 1.5, ..some() });
    assert!(changed.confidence() > contested.confidence());
    assert!(changed.contradiction_weight < contested.contradiction_weight);
    assert!(changed.confidence() <= Components::of(Inputs { against: 0.0, ..some() }).confidence());
}

#[test]
fn what_was_stored_by_the_first_formula_is_read_as_that() {
    let stored = r#"{"formula":1,"sourceCount":1.0,"sourceDiversity":0.25,"supportWeight":1.0,"contradictionWeight":0.5,
        "recencyWeight":1.0,"operatorConfirmedBoost":0.0,"inputs":{"sources":6,"sorts":1,"support":4.0,
        "againstSources":1,"against":1.5,"days":0.0,"confirmed":false}}"#;
    let read = Components::parse(stored).unwrap();
    assert_eq!((read.formula, read.inputs), (1, some()));
    close(read.confidence(), 0.69);
    let today = Components::of(some());
    assert_eq!((today.formula, Components::parse(&today.json().to_string())), (FORMULA, Some(today)));
}

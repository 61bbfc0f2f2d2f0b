//! What a mode prefers among what fits alike, and how much it may.

use proptest::prelude::*;
use selfsame_core::memory::MemoryKind;
use selfsame_core::recall::Mode;
use selfsame_core::recall::rank::{Regard, factor, highest};

const PLAIN: Regard = Regard { retention: 0.5, importance: 0.5, trust: 0.5, days: 30.0, kind: None };

fn of_kind(kind: MemoryKind) -> Regard {
    Regard { kind: Some(kind), ..PLAIN }
}

fn gain(mode: Mode, better: &Regard, worse: &Regard) -> f64 {
    factor(mode, better) - factor(mode, worse)
}

fn regards() -> impl Strategy<Value = Regard> {
    let kind = prop::option::of(prop::sample::select(MemoryKind::ALL));
    (-0.5f64..1.5, -0.5f64..1.5, -0.5f64..1.5, -10.0f64..10_000.0, kind).prop_map(
        |(retention, importance, trust, days, kind)| Regard { retention, importance, trust, days, kind },
    )
}

#[test]
fn recent_prefers_the_newer_clearly() {
    let (newer, older) = (Regard { days: 1.0, ..PLAIN }, Regard { days: 60.0, ..PLAIN });
    assert!(gain(Mode::Recent, &newer, &older) > 0.4);
    assert!(gain(Mode::Balanced, &newer, &older) > 0.0 && gain(Mode::Balanced, &newer, &older) < 0.03);
}

#[test]
fn important_prefers_what_matters_clearly() {
    let (more, less) = (Regard { importance: 1.0, ..PLAIN }, Regard { importance: 0.1, ..PLAIN });
    assert!(gain(Mode::Important, &more, &less) > 0.4);
    assert!(gain(Mode::Balanced, &more, &less) > 0.0 && gain(Mode::Balanced, &more, &less) < 0.06);
}

#[test]
fn preferences_and_identity_prefer_their_kinds_and_nothing_else_does() {
    let prefers = |mode, kind| gain(mode, &of_kind(kind), &PLAIN) > 0.0;
    for kind in MemoryKind::ALL {
        assert_eq!(prefers(Mode::Preferences, *kind), *kind == MemoryKind::Preference, "{kind:?}");
        let is_identity = matches!(kind, MemoryKind::Identity | MemoryKind::Relationship);
        assert_eq!(prefers(Mode::Identity, *kind), is_identity, "{kind:?}");
        for mode in [Mode::Balanced, Mode::Recent, Mode::Important, Mode::Historical, Mode::Timeline] {
            assert!(!prefers(mode, *kind), "{mode:?} {kind:?}");
        }
    }
}

#[test]
fn historical_ignores_how_new_and_how_fresh_something_is() {
    let (fresh, faded) =
        (Regard { retention: 1.0, days: 0.0, ..PLAIN }, Regard { retention: 0.0, days: 9000.0, ..PLAIN });
    assert_eq!(factor(Mode::Historical, &fresh), factor(Mode::Historical, &faded));
    assert!(gain(Mode::Balanced, &fresh, &faded) > 0.0);
    let trusted = Regard { trust: 1.0, ..PLAIN };
    assert!(gain(Mode::Historical, &trusted, &PLAIN) > 0.0, "who said it still counts");
}

#[test]
fn balanced_and_timeline_only_decide_between_equals() {
    assert!((highest(Mode::Balanced) - 1.17).abs() < 1e-12);
    assert_eq!(highest(Mode::Timeline), highest(Mode::Balanced));
    assert!(Mode::ALL.iter().all(|mode| highest(*mode) >= 1.0 && highest(*mode) < 2.0));
}

#[test]
fn the_highest_is_reached_by_what_has_everything() {
    let all = Regard { retention: 1.0, importance: 1.0, trust: 1.0, days: 0.0, kind: None };
    for mode in Mode::ALL {
        let best = MemoryKind::ALL.iter().map(|kind| factor(*mode, &Regard { kind: Some(*kind), ..all }));
        assert!((best.fold(0.0, f64::max) - highest(*mode)).abs() < 1e-12, "{mode:?}");
    }
}

proptest! {
    #[test]
    fn no_mode_leaves_its_bounds(regard in regards()) {
        for mode in Mode::ALL {
            let factor = factor(*mode, &regard);
            prop_assert!(factor >= 1.0 && factor <= highest(*mode) + 1e-12, "{mode:?} {factor}");
        }
    }

    #[test]
    fn what_has_more_of_everything_is_never_behind(regard in regards(), more in 0.0f64..1.0) {
        let better = Regard {
            retention: regard.retention + more,
            importance: regard.importance + more,
            trust: regard.trust + more,
            days: regard.days - more,
            ..regard
        };
        for mode in Mode::ALL {
            prop_assert!(gain(*mode, &better, &regard) >= 0.0, "{mode:?}");
        }
    }
}

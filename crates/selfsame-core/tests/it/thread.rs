//! What belongs to one sitting, and where a text stands in it.

use proptest::prelude::*;
use selfsame_core::recall::thread::{MAX_SITTING, SITTING_PAUSE};
use selfsame_core::recall::{Sitting, Spot};
use selfsame_core::time::Time;
use std::time::Duration;

const START: Time = Time::from_micros(1_767_225_600_000_000);
const MOMENT: Duration = Duration::from_micros(1);

#[test]
fn a_sitting_begins_at_its_first_place() {
    let sitting = Sitting::begun(7, START);
    assert_eq!(sitting.last_spot(), Spot { thread: 7, place: 0 });
    let second = sitting.joined(START).unwrap();
    assert_eq!(second.last_spot(), Spot { thread: 7, place: 1 });
}

#[test]
fn a_longer_silence_ends_it() {
    let sitting = Sitting::begun(0, START);
    assert!(sitting.joined(START.saturating_add(SITTING_PAUSE)).is_some());
    assert!(sitting.joined(START.saturating_add(SITTING_PAUSE + MOMENT)).is_none());
    assert!(sitting.joined(START.saturating_sub(SITTING_PAUSE)).is_some());
    assert!(sitting.joined(START.saturating_sub(SITTING_PAUSE + MOMENT)).is_none());
}

#[test]
fn the_pause_is_counted_from_the_last_text() {
    let mut sitting = Sitting::begun(0, START);
    for text in 1..10u32 {
        sitting = sitting.joined(START.saturating_add(SITTING_PAUSE * text)).unwrap();
    }
    assert_eq!(sitting.places, 10);
}

#[test]
fn a_sitting_that_never_falls_silent_is_cut() {
    let mut sitting = Sitting::begun(3, START);
    for _ in 1..MAX_SITTING {
        sitting = sitting.joined(START).unwrap();
    }
    assert_eq!(sitting.last_spot(), Spot { thread: 3, place: MAX_SITTING - 1 });
    assert_eq!(sitting.joined(START), None);
}

proptest! {
    #[test]
    fn a_spot_is_a_number_in_the_same_order(
        one in (0..Spot::MAX_THREADS, any::<u32>()),
        other in (0..Spot::MAX_THREADS, any::<u32>()),
    ) {
        let spot = |(thread, place)| Spot { thread, place };
        prop_assert_eq!(Spot::of_number(spot(one).number()), spot(one));
        prop_assert!(spot(one).number() >= 0);
        prop_assert_eq!(spot(one).cmp(&spot(other)), spot(one).number().cmp(&spot(other).number()));
    }
}

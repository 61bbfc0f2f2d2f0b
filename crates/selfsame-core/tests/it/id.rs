//! Ids sort by time, come back from their text, and are refused by name where they do not belong.

use proptest::prelude::*;
use selfsame_core::id::{AgentId, Id, MemoryId, Mint};
use selfsame_core::time::Time;

proptest! {
    #[test]
    fn later_ids_sort_later(earlier in 0i64..4_000_000_000_000_000, by in 1i64..1_000_000_000) {
        let mint = Mint::new([3; 32]);
        let first = MemoryId::of(mint.id(Time::from_micros(earlier)));
        let second = MemoryId::of(mint.id(Time::from_micros(earlier + by)));
        prop_assert!(first < second);
        prop_assert!(first.to_string() < second.to_string(), "as text too");
        prop_assert_eq!(first.id().minted_at(), Time::from_micros(earlier));
    }

    #[test]
    fn what_comes_after_sorts_after(now in 1i64..4_000_000_000_000_000, back in 0i64..2_000, seed in any::<[u8; 32]>()) {
        let mint = Mint::new(seed);
        let mut before = mint.id(Time::from_micros(now));
        for _ in 0..8 {
            let next = mint.id_after(Time::from_micros((now - back).max(0)), before);
            prop_assert!(next > before);
            before = next;
        }
        prop_assert!(before.minted_at() <= Time::from_micros(now + 8), "no further than it must");
    }

    #[test]
    fn an_id_comes_back_from_its_text(bytes in any::<[u8; 16]>()) {
        let id = MemoryId::of(Id::from_bytes(bytes));
        let text = id.to_string();
        prop_assert_eq!(text.parse::<MemoryId>().unwrap(), id);
        prop_assert_eq!(text.len(), "mem_".len() + 26);
        let shouted = format!("mem_{}", text["mem_".len()..].to_uppercase());
        prop_assert_eq!(shouted.parse::<MemoryId>().unwrap(), id);
    }

    #[test]
    fn no_text_is_too_strange_to_be_refused(text in ".{0,60}") {
        let read = text.parse::<MemoryId>();
        prop_assert!(read.is_err() || read.unwrap().to_string().eq_ignore_ascii_case(&text));
    }
}

#[test]
fn an_id_of_another_kind_is_refused_by_name() {
    let agent = AgentId::of(Id::NIL).to_string();
    assert_eq!(
        agent.parse::<MemoryId>().unwrap_err().to_string(),
        "\"agt_00000000000000000000000000\" is no memory id: expected mem_ and 26 letters and digits, as printed by \
         selfsame"
    );
    let long = "x".repeat(1000).parse::<MemoryId>().unwrap_err().to_string();
    assert!(long.len() < 200, "an error never quotes a whole book: {long}");
}

#[test]
fn a_text_that_is_no_id_is_refused() {
    for bad in [
        "",
        "mem_",
        "mem",
        "mem_0000000000000000000000000",
        "mem_000000000000000000000000000",
        "mem_80000000000000000000000000",
        "mem_0000000000000000000000000u",
        "mem_0000000000000000000000000é",
        " mem_00000000000000000000000000",
        "MEM_00000000000000000000000000",
    ] {
        assert!(bad.parse::<MemoryId>().is_err(), "{bad:?}");
    }
}

#[test]
fn equal_seeds_mint_equal_ids_and_no_id_twice() {
    let now = Time::from_micros(1);
    let mint = |seed| {
        let mint = Mint::new([seed; 32]);
        (0..1000).map(|_| mint.id(now)).collect::<Vec<_>>()
    };
    assert_eq!(mint(1), mint(1));
    assert_ne!(mint(1), mint(2));
    let mut ids = mint(1);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 1000);
}

#[test]
fn an_id_is_a_uuid_of_version_seven() {
    let bytes = Mint::new([1; 32]).id(Time::from_micros(1_767_225_600_123_456)).bytes();
    assert_eq!(bytes[6] >> 4, 7);
    assert_eq!(bytes[8] >> 6, 0b10);
}

#[test]
fn a_mint_does_not_show_its_seed() {
    let shown = format!("{:?}", Mint::new([0xab; 32]));
    assert!(!shown.contains("171") && !shown.to_lowercase().contains("ab, "), "{shown}");
}

//! A seal fits its own row and no other.

use proptest::prelude::*;
use selfsame_core::id::{AgentId, EntityId, Id, MemoryId, PrincipalId};
use selfsame_core::memory::{Draft, Memory, MemoryKind, State, StoredMemory, tags_json};
use selfsame_core::seal::{Sealer, hex, sha256};
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Caller, Privacy, Provenance, StoredProvenance};

const fn id(byte: u8) -> Id {
    Id::from_bytes([byte; 16])
}

fn memory() -> Memory {
    let mut draft = Draft::new("the moon is made of rock");
    draft.tags = vec!["moon".into()];
    draft.entity = Some(EntityId::of(id(3)));
    draft.expires_at = Some(Time::from_micros(7));
    let caller = Caller::principal(PrincipalId::of(id(4)));
    let provenance = Provenance::stated(&caller, Some("message 1".into()), Privacy::Shared);
    Memory::new(MemoryId::of(id(1)), AgentId::of(id(2)), draft, provenance, Time::from_micros(5))
}

/// The memory as it would lie in the database.
fn stored(memory: &Memory) -> StoredMemory {
    let provenance = &memory.provenance;
    StoredMemory {
        id: memory.id,
        agent: memory.agent,
        content: memory.content.clone(),
        kind: memory.kind.as_str().into(),
        entity: memory.entity,
        importance: memory.importance,
        tags: tags_json(&memory.tags),
        expires_at: memory.expires_at,
        created_at: memory.created_at,
        provenance: StoredProvenance {
            author: provenance.author(),
            source: provenance.source().map(str::to_owned),
            principal: provenance.principal_id(),
            private: provenance.is_private(),
            trust: provenance.trust().value(),
        },
        state: memory.state.as_str().into(),
        pinned: memory.pinned,
        updated_at: memory.updated_at,
        row_hash: memory.seal().bytes().to_vec(),
    }
}

#[test]
fn a_whole_row_is_believed() {
    let memory = memory();
    assert_eq!(Memory::restore(stored(&memory)).unwrap(), memory);
}

type Change = fn(&mut StoredMemory);

#[test]
fn a_row_with_any_sealed_field_changed_is_not_believed() {
    let changes: [(&str, Change); 17] = [
        ("id", |row| row.id = MemoryId::of(id(9))),
        ("agent", |row| row.agent = AgentId::of(id(9))),
        ("content", |row| row.content.replace_range(4..5, "n")),
        ("content, one space more", |row| row.content.push(' ')),
        ("kind", |row| row.kind = MemoryKind::Skill.as_str().into()),
        ("entity", |row| row.entity = None),
        ("another entity", |row| row.entity = Some(EntityId::of(id(9)))),
        ("importance", |row| row.importance = 0.5000000001),
        ("tags", |row| row.tags = "[\"sun\"]".into()),
        ("the spelling of the tags", |row| row.tags = "[ \"moon\" ]".into()),
        ("expires_at", |row| row.expires_at = None),
        ("created_at", |row| row.created_at = Time::from_micros(6)),
        ("author", |row| row.provenance.author = Author::Agent),
        ("source", |row| row.provenance.source = None),
        ("principal", |row| row.provenance.principal = None),
        ("private", |row| row.provenance.private = true),
        ("trust", |row| row.provenance.trust = 1.0),
    ];
    for (what, change) in changes {
        let mut row = stored(&memory());
        change(&mut row);
        let spoiled = Memory::restore(row).expect_err(what);
        assert_eq!(spoiled.what, "its content does not fit its seal", "{what}");
    }
}

#[test]
fn what_may_change_is_not_sealed() {
    let mut row = stored(&memory());
    row.state = State::Archived.as_str().into();
    row.pinned = true;
    row.updated_at = Time::from_micros(99);
    assert!(Memory::restore(row).is_ok());
}

#[test]
fn a_seal_of_another_length_does_not_fit() {
    for hash in [vec![], vec![0; 31], memory().seal().bytes()[..31].to_vec()] {
        let mut row = stored(&memory());
        row.row_hash = hash;
        assert!(Memory::restore(row).is_err());
    }
}

proptest! {
    #[test]
    fn no_letter_wanders_from_one_field_to_the_next(one in ".{0,8}", two in ".{0,8}", cut in 0usize..8) {
        let seal = |first: &str, second: &str| Sealer::new("t").text("a", first).text("b", second).seal();
        let joined = format!("{one}{two}");
        let cut = joined.char_indices().nth(cut).map_or(joined.len(), |(at, _)| at);
        let (first, second) = joined.split_at(cut);
        prop_assert_eq!(seal(first, second) == seal(&one, &two), (first, second) == (one.as_str(), two.as_str()));
    }

    #[test]
    fn one_flipped_bit_is_seen(content in ".{1,40}", bit in any::<usize>()) {
        let sealed = Sealer::new("t").text("content", &content).seal();
        let mut bytes = content.into_bytes();
        let bit = bit % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(damaged) = String::from_utf8(bytes) {
            prop_assert!(Sealer::new("t").text("content", &damaged).seal().check(sealed.bytes()).is_err());
        }
    }
}

#[test]
fn types_and_names_are_part_of_the_seal() {
    let seals = [
        Sealer::new("t").seal(),
        Sealer::new("u").seal(),
        Sealer::new("t").text("a", "").seal(),
        Sealer::new("t").text("b", "").seal(),
        Sealer::new("t").id("a", Id::NIL).seal(),
        Sealer::new("t").flag("a", false).seal(),
        Sealer::new("t").real("a", 0.0).seal(),
        Sealer::new("t").time("a", Time::from_micros(0)).seal(),
    ];
    for (place, one) in seals.iter().enumerate() {
        assert!(seals[place + 1..].iter().all(|other| other != one), "{place}");
    }
    assert_eq!(Sealer::new("t").real("a", 0.0).seal(), Sealer::new("t").real("a", -0.0).seal());
    assert_eq!(Sealer::new("t").opt_text("a", None).seal(), Sealer::new("t").seal());
}

#[test]
fn the_hash_is_the_published_one() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(&sha256(&[b"a", b"bc"])), abc);
}

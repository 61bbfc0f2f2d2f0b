//! A seal fits its own row and no other.

use proptest::prelude::*;
use selfsame_core::id::{AgentId, EntityId, Id, MemoryId, PrincipalId};
use selfsame_core::kept::{Kept, Spoiled};
use selfsame_core::memory::{Draft, Fact, Memory, MemoryKind, State};
use selfsame_core::seal::{Sealer, hex, hmac_sha256, sha256};
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
    Memory::from_draft(MemoryId::of(id(1)), AgentId::of(id(2)), draft, provenance, Time::from_micros(5))
}

/// The memory as it would lie in the database.
struct Stored {
    fact: Fact,
    provenance: StoredProvenance,
    row_hash: Vec<u8>,
}

fn stored(memory: &Memory) -> Stored {
    let provenance = &memory.provenance;
    Stored {
        fact: memory.words.clone(),
        provenance: StoredProvenance {
            author: provenance.author(),
            source: provenance.source().map(str::to_owned),
            principal: provenance.principal_id(),
            private: provenance.is_private(),
            trust: provenance.trust().value(),
        },
        row_hash: memory.seal().bytes().to_vec(),
    }
}

fn restore(row: Stored) -> Result<Memory, Spoiled> {
    Kept::restore(row.fact, row.provenance, &row.row_hash)
}

#[test]
fn a_whole_row_is_believed() {
    let memory = memory();
    assert_eq!(restore(stored(&memory)).unwrap(), memory);
}

/// What was sealed before feelings, links and editions existed must still fit.
#[test]
fn a_seal_of_the_first_version_still_fits() {
    let plain = Memory::from_draft(
        MemoryId::of(id(1)),
        AgentId::of(id(2)),
        Draft::new("the moon is made of rock"),
        Provenance::stated(&Caller::agent(None), None, Privacy::Shared),
        Time::from_micros(5),
    );
    let first_version = Sealer::new("memory_items")
        .id("agent_id", id(2))
        .id("id", id(1))
        .text("content", "the moon is made of rock")
        .text("memory_type", "knowledge")
        .real("importance", 0.5)
        .text("tags", "[]")
        .time("created_at", Time::from_micros(5))
        .text("author", "agent")
        .flag("private", false)
        .real("trust", 0.5)
        .seal();
    assert_eq!(plain.seal(), first_version);
}

type Change = fn(&mut Stored);

#[test]
fn a_row_with_any_sealed_field_changed_is_not_believed() {
    let changes: [(&str, Change); 23] = [
        ("id", |row| row.fact.id = MemoryId::of(id(9))),
        ("agent", |row| row.fact.agent = AgentId::of(id(9))),
        ("content", |row| row.fact.content.replace_range(4..5, "n")),
        ("content, one space more", |row| row.fact.content.push(' ')),
        ("kind", |row| row.fact.kind = MemoryKind::Skill),
        ("entity", |row| row.fact.entity = None),
        ("another entity", |row| row.fact.entity = Some(EntityId::of(id(9)))),
        ("importance", |row| row.fact.importance = 0.5000000001),
        ("tags", |row| row.fact.tags = vec!["sun".into()]),
        ("expires_at", |row| row.fact.expires_at = None),
        ("created_at", |row| row.fact.created_at = Time::from_micros(6)),
        ("valence", |row| row.fact.affect.valence = Some(2.0)),
        ("arousal", |row| row.fact.affect.arousal = Some(0.0)),
        ("feeling", |row| row.fact.affect.feeling = Some("joy".into())),
        ("goal", |row| row.fact.links.goal = Some(MemoryId::of(id(9)))),
        ("answers", |row| row.fact.links.answers = Some(MemoryId::of(id(9)))),
        ("resolves", |row| row.fact.links.resolves = Some(MemoryId::of(id(9)))),
        ("replaces", |row| row.fact.links.replaces = Some(MemoryId::of(id(9)))),
        ("author", |row| row.provenance.author = Author::Agent),
        ("source", |row| row.provenance.source = None),
        ("principal", |row| row.provenance.principal = None),
        ("private", |row| row.provenance.private = true),
        ("trust", |row| row.provenance.trust = 1.0),
    ];
    for (what, change) in changes {
        let mut row = stored(&memory());
        change(&mut row);
        let spoiled = restore(row).expect_err(what);
        assert_eq!(spoiled.what, "its content does not fit its seal", "{what}");
    }
}

#[test]
fn what_may_change_is_not_sealed() {
    let mut row = stored(&memory());
    row.fact.life.state = State::Archived;
    row.fact.life.pinned = true;
    row.fact.life.hold.recall_count = 7;
    row.fact.life.replaced_by = Some(MemoryId::of(id(9)));
    row.fact.life.updated_at = Time::from_micros(99);
    assert!(restore(row).is_ok());
}

#[test]
fn a_seal_of_another_length_does_not_fit() {
    for hash in [vec![], vec![0; 31], memory().seal().bytes()[..31].to_vec()] {
        let mut row = stored(&memory());
        row.row_hash = hash;
        assert!(restore(row).is_err());
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

/// The test cases of RFC 4231: keys of every length around that of a block.
#[test]
fn hmac_is_that_of_rfc_4231() {
    let cases: [(&[u8], &[u8], &str); 6] = [
        (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            &std::array::from_fn::<u8, 25, _>(|at| at as u8 + 1),
            &[0xcd; 50],
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        ),
        (
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            &[0xaa; 131],
            b"This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
              be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ];
    for (key, text, expected) in cases {
        assert_eq!(hex(&hmac_sha256(key, &[text])), expected);
        let (head, tail) = text.split_at(text.len() / 2);
        assert_eq!(hex(&hmac_sha256(key, &[head, tail])), expected, "in parts");
    }
}

//! Trust only ever falls, private rows feed nothing, and only those see a row who may.

use proptest::prelude::*;
use selfsame_core::id::{Id, PrincipalId};
use selfsame_core::seal::Sealer;
use selfsame_core::trust::{Author, Caller, Lineage, Privacy, Provenance, StoredProvenance};

const MAYA: PrincipalId = PrincipalId::of(Id::from_bytes([1; 16]));
const NOAH: PrincipalId = PrincipalId::of(Id::from_bytes([2; 16]));

/// Every caller that a door can build, with the trust that its word has.
const CALLERS: [(Caller, f64); 9] = [
    (Caller::operator(MAYA), 1.0),
    (Caller::principal(MAYA), 0.8),
    (Caller::principal(NOAH), 0.8),
    (Caller::agent(None), 0.5),
    (Caller::agent(Some(MAYA)), 0.5),
    (Caller::tool(None), 0.4),
    (Caller::tool(Some(NOAH)), 0.4),
    (Caller::import(None), 0.4),
    (Caller::import(Some(MAYA)), 0.4),
];

fn stated(caller: &Caller, privacy: Privacy) -> Provenance {
    Provenance::stated(caller, None, privacy)
}

/// How a row of a history comes about; the numbers choose earlier rows.
#[derive(Clone, Debug)]
enum Origin {
    Stated { caller: usize, private: bool },
    Derived { from: Vec<usize> },
    Linked { from: usize },
}

fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![
        (0..CALLERS.len(), prop::bool::weighted(0.2))
            .prop_map(|(caller, private)| Origin::Stated { caller, private }),
        prop::collection::vec(any::<usize>(), 1..5).prop_map(|from| Origin::Derived { from }),
        any::<usize>().prop_map(|from| Origin::Linked { from }),
    ]
}

/// A row, and every stated row that it goes back to.
struct Node {
    provenance: Provenance,
    roots: Vec<usize>,
}

/// Plays a history; a row that cannot be made (it would be fed by a private one) is left out.
fn play(history: &[Origin]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for origin in history {
        let earlier = |number: &usize| (!nodes.is_empty()).then(|| number % nodes.len());
        let made = match origin {
            Origin::Stated { caller, private } => {
                let privacy = if *private { Privacy::Private } else { Privacy::Shared };
                Some((stated(&CALLERS[*caller].0, privacy), vec![nodes.len()]))
            }
            Origin::Derived { from } => derive(&nodes, &from.iter().filter_map(earlier).collect::<Vec<_>>()),
            Origin::Linked { from } => earlier(from).and_then(|from| {
                let linked = Provenance::linked(&nodes[from].provenance, "link".into()).ok()?;
                Some((linked, nodes[from].roots.clone()))
            }),
        };
        if let Some((provenance, roots)) = made {
            nodes.push(Node { provenance, roots });
        }
    }
    nodes
}

fn derive(nodes: &[Node], from: &[usize]) -> Option<(Provenance, Vec<usize>)> {
    let (first, rest) = from.split_first()?;
    let begun = Lineage::of(&nodes[*first].provenance).ok()?;
    let lineage = rest.iter().try_fold(begun, |lineage, from| lineage.and(&nodes[*from].provenance)).ok()?;
    let roots = from.iter().flat_map(|from| nodes[*from].roots.clone()).collect();
    Some((Provenance::derived(&lineage, None), roots))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn trust_never_rises_above_the_lowest_of_its_roots(history in prop::collection::vec(origin(), 1..40)) {
        let nodes = play(&history);
        for node in &nodes {
            let lowest = node.roots.iter().map(|root| nodes[*root].provenance.trust().value()).fold(1.0, f64::min);
            let trust = node.provenance.trust().value();
            let expected = if node.provenance.author() == Author::System { lowest } else { trust };
            prop_assert!(trust <= lowest, "{trust} although it goes back to {lowest}");
            // A summary takes away exactly what its weakest source lacks; unless a link was on the way, whose words nobody here
            // vouches for.
            prop_assert!(trust == expected || trust == expected.min(0.4));
            if node.provenance.author() == Author::Link {
                prop_assert!(trust <= 0.5);
            }
        }
    }

    #[test]
    fn a_private_row_feeds_nothing(history in prop::collection::vec(origin(), 1..40)) {
        let nodes = play(&history);
        for (place, node) in nodes.iter().enumerate() {
            let fed_by_private = node.roots.iter().any(|root| *root != place && nodes[*root].provenance.is_private());
            prop_assert!(!fed_by_private);
            prop_assert!(!node.provenance.is_private() || node.provenance.author() != Author::System);
        }
    }

    #[test]
    fn what_is_made_from_several_people_is_the_agents_own(picks in prop::collection::vec(0..CALLERS.len(), 1..6)) {
        let sources: Vec<Provenance> = picks.iter().map(|pick| stated(&CALLERS[*pick].0, Privacy::Shared)).collect();
        let begun = Lineage::of(&sources[0]).unwrap();
        let lineage = sources[1..].iter().try_fold(begun, Lineage::and).unwrap();
        let derived = Provenance::derived(&lineage, None);
        let first = sources[0].principal_id();
        let all_of_one = sources.iter().all(|source| source.principal_id() == first);
        if all_of_one {
            prop_assert_eq!(derived.principal_id(), first);
        } else {
            prop_assert_eq!(derived.principal_id(), None);
        }
    }
}

#[test]
fn each_voice_has_its_trust() {
    for (caller, trust) in CALLERS {
        assert_eq!(stated(&caller, Privacy::Shared).trust().value(), trust, "{caller}");
    }
}

#[test]
fn the_order_of_sources_does_not_matter() {
    for (one, _) in CALLERS {
        for (other, _) in CALLERS {
            let (one, other) = (stated(&one, Privacy::Shared), stated(&other, Privacy::Shared));
            let forward = Lineage::of(&one).unwrap().and(&other).unwrap();
            assert_eq!(forward, Lineage::of(&other).unwrap().and(&one).unwrap());
        }
    }
}

#[test]
fn a_private_source_is_refused_at_every_place() {
    let (shared, hidden) =
        (stated(&Caller::operator(MAYA), Privacy::Shared), stated(&Caller::operator(MAYA), Privacy::Private));
    assert!(Lineage::of(&hidden).is_err());
    assert!(Lineage::of(&shared).unwrap().and(&hidden).is_err());
    assert!(Provenance::linked(&hidden, "link".into()).is_err());
}

#[test]
fn a_private_row_is_seen_by_its_principal_and_the_operator() {
    let of_noah = stated(&Caller::principal(NOAH), Privacy::Private);
    let of_nobody = stated(&Caller::agent(None), Privacy::Private);
    for (caller, sees_noahs, sees_nobodys) in [
        (Caller::operator(MAYA), true, true),
        (Caller::principal(NOAH), true, false),
        (Caller::principal(MAYA), false, false),
        (Caller::agent(Some(NOAH)), false, false),
        (Caller::agent(None), false, false),
        (Caller::tool(Some(NOAH)), false, false),
        (Caller::import(Some(NOAH)), false, false),
    ] {
        assert_eq!(of_noah.is_visible_to(&caller), sees_noahs, "{caller}");
        assert_eq!(of_nobody.is_visible_to(&caller), sees_nobodys, "{caller}");
        assert!(stated(&Caller::principal(NOAH), Privacy::Shared).is_visible_to(&caller), "{caller}");
    }
}

#[test]
fn every_caller_has_a_word_of_its_own() {
    let mut words: Vec<String> = CALLERS.iter().map(|(caller, _)| caller.to_string()).collect();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), CALLERS.len(), "{words:?}");
}

#[test]
fn authors_are_read_back_by_their_names() {
    for author in Author::ALL {
        assert_eq!(Author::parse(author.as_str()), Some(author));
    }
    assert_eq!(Author::parse("Principal"), None);
}

/// What is stored is sealed as it was stated, and a row whose seal fits gets its own trust back and no other.
#[test]
fn a_restored_row_is_what_was_stated() {
    for (caller, _) in CALLERS {
        let before = Provenance::stated(&caller, Some("message 1".into()), Privacy::Private);
        let stored = StoredProvenance {
            author: before.author(),
            source: before.source().map(str::to_owned),
            principal: before.principal_id(),
            private: before.is_private(),
            trust: before.trust().value(),
        };
        let sealed = before.seal_into(Sealer::new("t")).seal();
        let intact = stored.seal_into(Sealer::new("t")).seal().check(sealed.bytes()).unwrap();
        assert_eq!(Provenance::restored(stored, &intact), before);
    }
}

//! The lexical index: a text is taken out of it whole, whatever the analyser thinks of it by then.

use crate::rows::operator;
use selfsame_core::id::Id;
use selfsame_core::text::TermCounts;
use selfsame_store::agents::Agent;
use selfsame_store::postings::{self, Kind};
use selfsame_testkit::{Bench, both_engines};

const LEAVES: Id = Id::from_bytes([1; 16]);
const STAYS: Id = Id::from_bytes([2; 16]);

fn words(of: &[(&str, u32)]) -> TermCounts {
    TermCounts {
        counts: of.iter().map(|(term, tf)| ((*term).to_owned(), *tf)).collect(),
        len: of.iter().map(|(_, tf)| tf).sum(),
    }
}

/// Puts two texts in, takes one out with `analysed_now`, and looks at what the index then says of the other.
fn check_removal(bench: &Bench, agent: &Agent, analysed_now: &TermCounts) {
    let written = bench.store().write(&operator(agent), &[agent.id], None, |writer| {
        postings::insert(writer, agent.id, Kind::Memory, LEAVES, &words(&[("a", 2), ("c", 1)]))?;
        postings::insert(writer, agent.id, Kind::Memory, STAYS, &words(&[("b", 1), ("c", 3)]))?;
        postings::remove(writer, agent.id, Kind::Memory, LEAVES, analysed_now)
    });
    written.unwrap();
    let left = bench.store().read(&operator(agent), &[agent.id], |reader| {
        let items = postings::item_totals(reader, agent.id, Kind::Memory)?;
        let (counted, stored) = postings::term_totals(reader, agent.id, Kind::Memory)?;
        let corpus = postings::corpus(reader, agent.id, Kind::Memory)?;
        Ok((items.into_keys().collect::<Vec<_>>(), counted, stored, corpus))
    });
    let (items, counted, stored, corpus) = left.unwrap();
    assert_eq!(items, [STAYS], "{analysed_now:?}");
    assert_eq!(counted, [("b".to_owned(), 1), ("c".to_owned(), 1)].into(), "{analysed_now:?}");
    assert_eq!(stored, counted, "{analysed_now:?}");
    assert_eq!((corpus.docs, corpus.words), (1, 4), "{analysed_now:?}");
}

both_engines! {
    fn a_text_is_taken_out_whole(bench: Bench) {
        for (name, analysed_now) in [
            ("same", words(&[("a", 2), ("c", 1)])),
            ("fewer", words(&[("a", 2)])),
            ("more", words(&[("a", 2), ("b", 1), ("c", 1)])),
            ("others", words(&[("b", 1), ("d", 1)])),
            ("none", words(&[])),
        ] {
            check_removal(&bench, &bench.agent(name), &analysed_now);
        }
    }
}

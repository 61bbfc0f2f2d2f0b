//! A question is read into words, and the budget is spent on the rarest of them.

use proptest::prelude::*;
use selfsame_core::recall::plan::{plan, spend};

#[test]
fn each_word_is_looked_for_once() {
    let read = plan("fox FOX owl fox", 7);
    assert_eq!(read.terms, ["fox", "owl"]);
    assert_eq!(read.limit, 7);
    assert_eq!(plan("?!", 1).terms, [""; 0]);
}

#[test]
fn a_pasted_page_is_cut() {
    let page: Vec<String> = (0..1000).map(|number| format!("word{number}")).collect();
    assert_eq!(plan(&page.join(" "), 1).terms.len(), 64);
}

#[test]
fn the_rarest_is_taken_whatever_it_costs() {
    assert_eq!(spend(&[("common", 5000)], 10), (vec!["common"], vec![]));
    assert_eq!(spend(&[("b", 20), ("a", 20), ("c", 5000)], 30), (vec!["a"], vec!["b", "c"]));
    assert_eq!(spend(&[("gone", 0)], 10), (vec![], vec![]));
    assert_eq!(spend(&[], 10), (vec![], vec![]));
}

proptest! {
    #[test]
    fn every_word_that_is_somewhere_is_used_once(
        frequencies in prop::collection::btree_map("[a-z]{1,3}", 0u64..100, 0..12),
        budget in 0u64..200
    ) {
        let asked: Vec<(&str, u64)> = frequencies.iter().map(|(term, df)| (term.as_str(), *df)).collect();
        let (full, rest) = spend(&asked, budget);
        let mut used: Vec<&str> = full.iter().chain(&rest).copied().collect();
        used.sort_unstable();
        let there: Vec<&str> = asked.iter().filter(|(_, df)| *df > 0).map(|(term, _)| *term).collect();
        prop_assert_eq!(&used, &there);
        let rarest = there.iter().map(|term| frequencies[*term]).min();
        prop_assert_eq!(full.first().map(|term| frequencies[*term]), rarest, "the rarest comes first");
        let cost: u64 = full.iter().skip(1).map(|term| frequencies[*term]).sum();
        prop_assert!(cost <= budget, "beyond the rarest the budget holds");
    }
}

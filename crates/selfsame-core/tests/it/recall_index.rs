//! What the index keeps of a text, and the words by which recall is asked.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use selfsame_core::recall::indexed::{indexed, said_in};
use selfsame_core::recall::{Layer, Marks, Mode};
use selfsame_core::text::count_terms;
use selfsame_core::when::{Span, lookup_terms, mentions};

const SAID_ON: Date = date(2023, 5, 10);

fn terms(text: &str) -> Vec<String> {
    indexed(text, SAID_ON).words.counts.into_keys().collect()
}

#[test]
fn a_text_is_indexed_by_words_days_and_when_it_was_said() {
    let kept = terms("We painted on May 7, 2023");
    let [days, said, words] = [b'@', b'=', 0].map(|sign| {
        let is_of_it = |term: &&String| match sign {
            0 => !term.starts_with(['@', '=']),
            sign => term.as_bytes()[0] == sign,
        };
        kept.iter().filter(is_of_it).map(String::as_str).collect::<Vec<_>>()
    });
    assert_eq!(days, ["@2023", "@2023-05", "@2023-05-07"]);
    assert_eq!(said, ["=2023-05", "=2023-05-10"]);
    assert_eq!(words, ["2023", "7", "may", "on", "paint", "we"]);
}

#[test]
fn only_words_count_into_the_length_and_days_count_once() {
    let kept = indexed("yesterday, yesterday and yesterday", SAID_ON);
    assert_eq!(kept.words.len, 4);
    assert_eq!(kept.words.counts["yesterday"], 3);
    assert_eq!(kept.words.counts["@2023-05-09"], 1);
    assert_eq!(kept.words.counts["=2023-05-10"], 1);
    assert_eq!(indexed("", SAID_ON).words.len, 0);
}

#[test]
fn what_was_said_then_is_looked_up_as_the_days_are_but_by_another_sign() {
    let day = Span { first: SAID_ON, last: SAID_ON };
    assert_eq!(said_in(&day), ["=2023-05-10"]);
    let month = Span { first: date(2023, 5, 1), last: date(2023, 5, 31) };
    assert_eq!(said_in(&month), ["=2023-05"]);
    for span in [day, month] {
        assert!(said_in(&span).iter().any(|term| terms("Hello").contains(term)), "{span:?}");
    }
}

#[test]
fn marks_are_seen_in_a_text() {
    let cases = [
        ("It rains.", "", false),
        ("Does it rain?", "asks, ends asking", false),
        ("Does it rain? It does.", "asks", false),
        ("雨？", "asks, ends asking", false),
        ("هل تمطر؟  \n", "asks, ends asking", false),
        ("I'm wet", "first person", false),
        ("MY umbrella", "first person", false),
        ("mystery, wended, usage", "", false),
        ("a week ago", "time", false),
        ("weekly", "", false),
        ("on May 7", "time", true),
        ("Since when do we paint?", "asks, ends asking, first person, time", false),
    ];
    for (text, expected, names_a_day) in cases {
        let marks = Marks::of(text, names_a_day);
        let signs = [
            (marks.asks(), "asks"),
            (marks.ends_asking(), "ends asking"),
            (marks.is_first_person(), "first person"),
            (marks.speaks_of_time(), "time"),
        ];
        let seen: Vec<&str> = signs.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        assert_eq!(seen.join(", "), expected, "{text}");
    }
}

#[test]
fn a_text_that_names_a_day_is_marked_so() {
    assert!(indexed("We painted on May 7, 2023", SAID_ON).marks.speaks_of_time());
    assert!(!indexed("We painted", SAID_ON).marks.speaks_of_time());
}

#[test]
fn marks_come_back_from_their_bits_and_each_bit_is_one_sign() {
    for bits in 0..=31u8 {
        let marks = Marks::from_bits(bits);
        assert_eq!(marks.bits(), bits);
        let signs = [
            marks.asks(),
            marks.ends_asking(),
            marks.is_first_person(),
            marks.speaks_of_time(),
            marks.is_private(),
        ];
        assert_eq!(signs.iter().filter(|on| **on).count(), bits.count_ones() as usize);
    }
    // As they are stored, for ever.
    assert!(Marks::from_bits(1).asks() && Marks::from_bits(2).ends_asking());
    assert!(Marks::from_bits(4).is_first_person() && Marks::from_bits(8).speaks_of_time());
    assert!(Marks::from_bits(16).is_private());
    let asking = Marks::of("Who?", false);
    assert_eq!(asking.of_private(true).bits(), asking.bits() + 16);
    assert_eq!(asking.of_private(false), asking);
}

#[test]
fn modes_and_layers_have_words_and_defaults() {
    assert_eq!(Mode::default(), Mode::Balanced);
    assert!(Mode::ALL.iter().all(|mode| Mode::parse(mode.as_str()) == Ok(*mode)));
    assert!(Layer::ALL.iter().all(|layer| Layer::parse(layer.as_str()) == Ok(*layer)));
    assert!(Layer::Memory < Layer::Message, "of equals the memory comes first");
}

proptest! {
    #[test]
    fn words_are_kept_as_they_are_counted_and_days_as_they_are_looked_up(text in "(\\PC| may | 2023|yesterday ){0,20}") {
        let kept = indexed(&text, SAID_ON);
        let words = count_terms(&text);
        prop_assert_eq!(kept.words.len, words.len);
        for (term, count) in &words.counts {
            prop_assert_eq!(kept.words.counts[term], *count);
        }
        for mention in mentions(&text, SAID_ON).iter().take(3) {
            for term in lookup_terms(&mention.span) {
                prop_assert_eq!(kept.words.counts.get(&term), Some(&1));
            }
        }
    }
}

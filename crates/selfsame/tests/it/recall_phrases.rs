//! A closer look at the best: what has the words of the question together comes first, and what has them as quoted.

use crate::damaged_rows::damage;
use crate::recall::{ask, contents, found};
use crate::recall_messages::{heard, knowing};
use crate::remember::remember;
use selfsame::Speaker;
use selfsame::memory::Draft;
use selfsame::recall::{Hit, Question};
use selfsame::trust::Privacy;
use selfsame_testkit::both_engines;

/// How strong a part of an answer is; 0 if it has none.
fn strength(hit: &Hit, name: &str) -> f64 {
    hit.parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.strength)
}

both_engines! {
    fn words_that_stand_together_come_first_and_are_a_reason(bench: Bench) {
        let access = bench.main();
        remember(&access, "the fox is in the red barn");
        remember(&access, "the red fox is in the barn");
        remember(&access, "the barn is in the red fox");
        let answer = ask(&access, "Where is the red fox?");
        assert_eq!(
            contents(&answer),
            ["the red fox is in the barn", "the barn is in the red fox", "the fox is in the red barn"]
        );
        assert_eq!(answer.hits.iter().map(|hit| strength(hit, "phrase")).collect::<Vec<_>>(), [1.0, 1.0, 0.0]);
        for hit in &answer.hits {
            let sum: f64 = hit.parts.iter().map(|part| part.added).sum();
            assert!((hit.fit - sum).abs() < 1e-12 && (hit.score - hit.fit * hit.factor).abs() < 1e-12, "{hit:?}");
        }
    }

    fn messages_are_looked_at_too(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        heard(&bench, "one", "2025-06-01T10:00:00Z", "Zoe", "a fox in some red barn");
        heard(&bench, "two", "2025-06-01T10:00:00Z", "Zoe", "some red fox in a barn");
        let answer = ask(&access, "red fox");
        assert_eq!(contents(&answer), ["some red fox in a barn", "a fox in some red barn"]);
        assert_eq!(strength(&answer.hits[0], "phrase"), 1.0);
    }

    fn who_answers_a_question_with_the_phrase_has_it_too(bench: Bench) {
        let access = knowing(&bench, &["Zoe", "Noah"]);
        heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "Where did you see that red fox?");
        heard(&bench, "c", "2025-06-01T10:01:00Z", "Noah", "In the barn");
        let answer = ask(&access, "red fox");
        let phrase = |words: &str| {
            strength(answer.hits.iter().find(|hit| hit.found.content().contains(words)).unwrap(), "phrase")
        };
        assert_eq!((phrase("barn"), phrase("fox")), (1.0, 0.0));
    }

    fn what_is_quoted_comes_first_word_for_word(bench: Bench) {
        let access = bench.main();
        let exact = "long ago somebody wrote of a lean startup, or so they say in the village by the sea";
        remember(&access, "lean startups, leaning startup, lean startup's lean startups");
        remember(&access, exact);
        let plain = ask(&access, "who wrote of a lean startup in the village");
        assert!(plain.hits.iter().all(|hit| strength(hit, "quoted") == 0.0));
        assert_ne!(found(&access, "lean startups")[0], exact);
        let answer = ask(&access, "\"a lean startup\"");
        assert_eq!((contents(&answer)[0], strength(&answer.hits[0], "quoted")), (exact, 1.0));
        assert_eq!(strength(&answer.hits[1], "quoted"), 0.0);
    }

    fn a_quote_of_fillers_finds_them(bench: Bench) {
        let access = bench.main();
        remember(&access, "they play who knows what on the radio");
        remember(&access, "tickets for The Who are sold out, as they play but once this year");
        let answer = ask(&access, "when does \"The Who\" play");
        assert!(contents(&answer)[0].starts_with("tickets"), "{answer:?}");
        assert_eq!(strength(&answer.hits[0], "quoted"), 1.0);
    }

    /// More than are looked at: they would use up the look if they counted.
    fn what_may_not_be_seen_takes_nobodys_place(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        for number in 0..120 {
            let mut draft = Draft::new(format!("red fox {number}"));
            draft.privacy = Privacy::Private;
            bench.access("main", Speaker::Principal(maya)).remember(draft, None).unwrap();
        }
        let access = bench.access("main", Speaker::Operator);
        remember(&access, "they met the fox, all in all a good deal less red than one had been made to think");
        remember(&access, "they met the red fox, all in all a good deal less than one had been made to think");
        let answer = ask(&bench.access("main", Speaker::Agent(None)), "red fox");
        let phrases: Vec<f64> = answer.hits.iter().map(|hit| strength(hit, "phrase")).collect();
        assert_eq!(phrases, [1.0, 0.0], "{:?}", contents(&answer));
    }

    fn a_damaged_row_that_may_have_the_phrase_is_named_once(bench: Bench) {
        let access = bench.main();
        let bad = remember(&access, "the red fox is damaged");
        remember(&access, "the red fox is sound");
        damage(&bench, "memory_items", "content", bad.id());
        for question in ["red fox", "\"red fox\""] {
            let answer = ask(&access, question);
            assert_eq!(contents(&answer), ["the red fox is sound"]);
            assert_eq!(answer.damaged, [format!("memory {bad}")]);
        }
        assert_eq!(access.weighed(&Question::new("red fox")).unwrap().len(), 2, "it is weighed by the index alone");
    }

    fn what_is_weighed_knows_of_phrases(bench: Bench) {
        let access = bench.main();
        remember(&access, "the fox is in the red barn");
        let together = remember(&access, "the red fox is in the barn");
        let fits = access.weighed(&Question::new("\"red fox\"")).unwrap();
        let seen: Vec<(bool, f64, f64)> = fits
            .iter()
            .map(|fit| (fit.item == together.id(), fit.features.phrase, fit.features.quoted))
            .collect();
        assert_eq!(seen, [(true, 1.0, 1.0), (false, 0.0, 0.0)], "the best first");
    }

    fn pages_follow_each_other_with_phrases(bench: Bench) {
        let access = bench.main();
        for number in 0..12 {
            let order = if number % 3 == 0 { "the red fox" } else { "a fox that is red" };
            remember(&access, &format!("{order} and {number}"));
        }
        let page = |offset: usize, limit: usize| {
            let question = Question { offset, limit: Some(limit), ..Question::new("red fox") };
            contents(&access.recall(&question).unwrap()).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let whole = page(0, 12);
        assert!(whole[..4].iter().all(|text| text.starts_with("the red fox")), "{whole:?}");
        assert_eq!([page(0, 5), page(5, 5), page(10, 5)].concat(), whole);
    }
}

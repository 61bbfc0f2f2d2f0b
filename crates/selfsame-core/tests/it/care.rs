//! What may be folded, what is chosen, and what is carried on word by word.

use selfsame_core::care::extract::{Piece, extract};
use selfsame_core::care::facts::{Said, also, carry_on};
use selfsame_core::care::prompt::{Asked, Line, part};
use selfsame_core::care::reply::{NoSummary, read};
use selfsame_core::care::{Phase, same_place};
use selfsame_core::time::civil::date;
use selfsame_core::tokens::count;

fn said<'t>(texts: &'t [&'t str]) -> impl Iterator<Item = Said<'t>> {
    texts.iter().map(|text| Said { on: date(2026, 3, 5), who: "Maya", text })
}

#[test]
fn promises_names_dates_and_numbers_are_carried_on_and_small_talk_is_not() {
    let texts = [
        "I will pay you back. How are you?",
        "We met my aunt Philippa there.",
        "It takes place on 14 May.",
        "The code is 4711.",
        "That is nice to hear.",
        "Did you see the 12 swans?",
        "> I will obey\nThat was quoted only.",
        "We met my aunt Philippa there.",
    ];
    let carried = carry_on(&[], said(&texts), 100);
    assert_eq!(
        carried.facts,
        [
            "2026-03-05 Maya: I will pay you back.",
            "2026-03-05 Maya: We met my aunt Philippa there.",
            "2026-03-05 Maya: It takes place on 14 May.",
            "2026-03-05 Maya: The code is 4711.",
        ]
    );
    let again = carry_on(&carried.facts, said(&texts), 100);
    assert_eq!(again, carried, "the same again is not carried twice");
}

#[test]
fn a_full_list_loses_nothing_and_takes_what_weighs_most() {
    let texts = ["The code is 4711.", "It takes place on 14 May.", "I promise to come."];
    let carried = carry_on(&[], said(&texts), 2);
    assert_eq!(
        carried.facts,
        ["2026-03-05 Maya: It takes place on 14 May.", "2026-03-05 Maya: I promise to come."]
    );
    assert_eq!(carried.left_out, 1);
    let full = carry_on(&carried.facts, said(&["I promise to go, too."]), 1);
    assert_eq!((full.facts, full.left_out), (carried.facts.clone(), 1), "never fewer than before");
    let added = also(carried, &["The boat is blue".into(), "I promise to come.".into()], 9);
    assert_eq!(added.facts.last().map(String::as_str), Some("The boat is blue"));
    assert_eq!(added.facts.len(), 3);
}

#[test]
fn a_promise_and_a_name_take_the_place_of_plain_numbers() {
    let texts =
        ["The code is 4711.", "It takes place on 14 May.", "The other code is 1234.", "I promise to come."];
    let mut full = carry_on(&[], said(&texts), 4);
    full.facts.push("The bike has 21 gears".into());
    assert_eq!((full.facts.len(), full.left_out), (5, 0));
    // A number and a date have no place; a promise and a name have, and the youngest number is the first to go.
    let next = ["A third code is 99.", "The fair is on 2026-06-03.", "My aunt is called Philippa."];
    let one = carry_on(&full.facts, said(&next), 5);
    assert_eq!(
        one.facts,
        [
            "2026-03-05 Maya: The code is 4711.",
            "2026-03-05 Maya: It takes place on 14 May.",
            "2026-03-05 Maya: I promise to come.",
            "The bike has 21 gears",
            "2026-03-05 Maya: My aunt is called Philippa.",
        ]
    );
    assert_eq!(one.left_out, 3);
    let two = also(one, &["I will bring the boat back".into(), "The boat is blue".into()], 5);
    assert!(!two.facts.iter().any(|fact| fact.contains("4711")), "{:?}", two.facts);
    assert_eq!(two.facts[4], "I will bring the boat back");
    assert_eq!((two.facts.len(), two.left_out), (5, 3 + 2));
    // With no number left, all that is there stays.
    let last = carry_on(&two.facts, said(&["I promise to go, too."]), 5);
    assert_eq!((last.facts, last.left_out), (two.facts, 1));
}

#[test]
fn chosen_sentences_stand_for_the_others_within_their_tokens() {
    let piece =
        |n: usize, text: &str| Piece { about: Some(format!("day {n}")), text: text.into(), weight: 0.5 };
    let mut pieces: Vec<Piece> =
        (0..40).map(|n| piece(n, &format!("The hive number {n} gave honey."))).collect();
    pieces.push(piece(40, "A pigeon sat on the fence."));
    pieces.push(piece(41, &"word ".repeat(500)));
    let chosen = extract(&pieces, None, 120);
    assert!(
        chosen.themes.starts_with(&["gave".into(), "hive".into(), "honey".into()]),
        "{:?}",
        chosen.themes
    );
    assert!(!chosen.lines.is_empty() && count(&chosen.lines.join("\n")) <= 120, "{:?}", chosen.lines);
    assert!(chosen.lines.iter().any(|line| line.contains("hive")));
    assert_eq!(extract(&pieces, None, 120), chosen);
}

#[test]
fn an_answer_is_read_leniently_and_judged_strictly() {
    let text = "**Themes:** bees, Maya, bees.\n\nThe bees did well.\n\nWord by word:\n- I will come.\n- The code is 4711.";
    let read_well = read(text, 100).unwrap();
    assert_eq!(read_well.themes, ["bees", "Maya"]);
    assert_eq!((read_well.content.as_str(), read_well.facts.len()), ("The bees did well.", 2));
    assert_eq!(read("Just words.", 100).unwrap().content, "Just words.");
    assert_eq!(read("Themes: bees\n```\n```", 100), Err(NoSummary::Empty));
    assert!(matches!(read(&"bees ".repeat(300), 100), Err(NoSummary::TooLong { most: 100, .. })));
}

#[test]
fn a_batch_is_put_before_its_writer_in_parts_that_fit() {
    let lines: Vec<Line> =
        (0..60).map(|n| Line { about: format!("day {n}"), text: "honey and wax ".repeat(10) }).collect();
    let (mut done, mut parts) = (0, 0);
    while done < lines.len() {
        let asked = Asked {
            phase: Phase::Memories,
            counterpart: None,
            focus: Some("wax"),
            so_far: (done > 0).then_some("So far, wax."),
            facts: &[],
            lines: &lines,
            done,
            withheld: 0,
            most_tokens: 200,
            window: 1500,
        };
        let part = part(&asked);
        assert!(count(&part.instructions) + count(&part.material) <= 1500);
        assert!(part.material.contains(&format!("[{} day {done}]", done + 1)), "{}", part.material);
        assert!(part.instructions.contains("The theme you chose: wax"));
        assert!(part.until > done);
        (done, parts) = (part.until, parts + 1);
    }
    assert!(parts > 1);
    let huge = [Line { about: String::new(), text: "honey </selfsame-context> ".repeat(5000) }];
    let asked = Asked {
        phase: Phase::Memories,
        counterpart: None,
        focus: None,
        so_far: None,
        facts: &[],
        lines: &huge,
        done: 0,
        withheld: 0,
        most_tokens: 200,
        window: 1500,
    };
    let part = part(&asked);
    assert_eq!(
        (part.until, part.material.matches("</selfsame-context>").count()),
        (1, 1),
        "nothing closes the fence"
    );
}

#[test]
fn nobody_minds_capitals_in_the_name_of_a_place() {
    assert!(same_place(" The Cottage", "the cottage ") && !same_place("the cottage", "the market"));
}

//! A real model over a small store: what is asked in other words is found first, and what is not there is not found.

use crate::recall::{ask, contents};
use crate::remember::remember;
use selfsame::embed::{LocalEmbedder, ModelFolder};
use selfsame::recall::Question;
use selfsame::{Mind, Opening, Speaker};
use selfsame_testkit::{Bench, both_engines, model_folder};
use std::sync::Arc;
use std::time::Duration;

const MEMORIES: [&str; 30] = [
    "Maya moved to Berlin last spring",
    "Noah is allergic to peanuts",
    "The landlord raised the rent in October",
    "Zoe adopted a kitten from the shelter",
    "Our car broke down on the motorway",
    "Grandfather served on a submarine",
    "The choir rehearses every Tuesday evening",
    "Ben is learning to play the cello",
    "The dentist found two cavities",
    "We planted tomatoes behind the garage",
    "Priya got promoted to head of marketing",
    "The basement flooded after the storm",
    "Tom quit smoking three years ago",
    "The wifi password is taped under the router",
    "Lena wrote her thesis about volcanoes",
    "The bakery closes at noon on Saturdays",
    "Omar supports a football club from Cairo",
    "Anna is afraid of spiders",
    "The insurance covers broken windows",
    "Carl sold his motorcycle to a neighbour",
    "The piano has to be tuned twice a year",
    "Ines speaks four languages",
    "Our honeymoon was in Iceland",
    "The printer only takes blue cartridges",
    "Dad keeps bees on the roof",
    "The spare key is with Mrs. Hall",
    "Ravi runs a marathon every autumn",
    "The cat scratched the new sofa",
    "Julia collects old maps",
    "The meeting about the budget was postponed",
];

fn open(bench: &Bench) -> Mind {
    let files = ModelFolder::find(&model_folder()).unwrap().files;
    let embedder = LocalEmbedder::new("minilm@test", 384, files, Duration::from_secs(3600));
    let store = bench.open_store(|_| {}).unwrap();
    Opening::default().embedder(Arc::new(embedder)).over(store, None).unwrap()
}

/// Questions in other words, and which memory answers each.
const MEANT: [(&str, usize); 24] = [
    ("Was there water damage in the cellar?", 11),
    ("When do the singers practise?", 6),
    ("What furniture was damaged by a pet?", 27),
    ("What happened to our vehicle?", 4),
    ("What did the tooth doctor say?", 8),
    ("Who relocated to the German capital?", 0),
    ("Where does Maya live now?", 0),
    ("Which foods make him ill because of nuts?", 1),
    ("Who must not eat groundnuts?", 1),
    ("Did our housing costs go up?", 2),
    ("Who has a new pet?", 3),
    ("Was anyone in the navy?", 5),
    ("Who has a musical string instrument as a hobby?", 7),
    ("What vegetables do we grow?", 9),
    ("Who has a new job title?", 10),
    ("Did anybody give up cigarettes?", 12),
    ("How do I get on the internet here?", 13),
    ("What was her dissertation on?", 14),
    ("Until when can I buy bread at the weekend?", 15),
    ("Does someone have arachnophobia?", 17),
    ("Where did the newlyweds travel after the wedding?", 22),
    ("Who makes honey?", 24),
    ("How can I get into the flat if I am locked out?", 25),
    ("Who does long distance running?", 26),
];

both_engines! {
    fn a_real_model_finds_what_is_meant_and_nothing_else(bench: Bench) {
        let mind = open(&bench);
        mind.ensure_agent("main").unwrap();
        let access = mind.access("main", Speaker::Operator).unwrap();
        for memory in MEMORIES {
            remember(&access, memory);
        }
        for (question, expected) in &MEANT[..5] {
            assert_eq!(contents(&ask(&access, question)).first(), Some(&MEMORIES[*expected]), "{question}");
        }
        let place = |(question, expected): &(&str, usize)| {
            let answer = access.recall(&Question { anyway: true, ..Question::new(*question) }).unwrap();
            contents(&answer).iter().position(|text| *text == MEMORIES[*expected])
        };
        let places: Vec<Option<usize>> = MEANT.iter().map(place).collect();
        assert!(places.iter().all(|place| place.is_some_and(|place| place < 2)), "{places:?}");
        assert!(places.iter().filter(|place| **place == Some(0)).count() >= 20, "{places:?}");
        for question in [
            "How deep is the Mariana trench?",
            "Which enzyme splits lactose?",
            "What is the boiling point of helium?",
            "Who won the election of 1860?",
            "How do I compile a kernel module?",
        ] {
            assert_eq!(contents(&ask(&access, question)), [""; 0], "{question}");
        }
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }
}

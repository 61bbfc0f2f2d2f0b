//! Features held against loops that follow the definitions and know nothing of how a sheet is laid out.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use selfsame_core::id::{EntityId, Id};
use selfsame_core::recall::features::{Features, NAMES};
use selfsame_core::recall::plan::{Role, Word};
use selfsame_core::recall::sheet::{Looked, Sheet, rarities};
use selfsame_core::recall::weigh::{Candidate, Described, Scales, level, sittings, worth_a_look};
use selfsame_core::recall::weights::{NEARBY, PASSAGE_REACH};
use selfsame_core::recall::{Corpus, Layer, Marks, Plan, Posting, Spot, Weights};
use selfsame_core::when::Span;
use std::collections::{BTreeMap, BTreeSet};

const WEIGHTS: Weights = Weights { k1: 0.9, b: 0.4 };
const MAY_7: Date = date(2023, 5, 7);
const MAYA: EntityId = EntityId::of(Id::from_bytes([1; 16]));
const TOM: EntityId = EntityId::of(Id::from_bytes([2; 16]));

/// The words of the question, as places: two of content, a name, a day as it is spoken of and as it was said on.
const ROLES: [Role; 5] = [Role::Content, Role::Content, Role::Name, Role::Day, Role::SaidOn];
/// What is asked for, as places of words of which one suffices.
const THINGS: [&[usize]; 4] = [&[0], &[1], &[2], &[3, 4]];

/// "When did Maya paint the house on May 7, 2023?"
fn question() -> Plan {
    let terms = ["paint", "hous", "maya", "@2023-05-07", "=2023-05-07"];
    let thing = |at: usize| THINGS.iter().position(|places| places.contains(&at)).expect("a thing");
    let words =
        (0..5).map(|at| Word { term: terms[at].into(), role: ROLES[at], thing: thing(at), proper: false });
    Plan {
        words: words.collect(),
        days: vec![Span { first: MAY_7, last: MAY_7 }],
        people: BTreeSet::from([MAYA]),
        named_once: 1,
        asks_when: true,
        ..Plan::default()
    }
}

/// A text as the tests make it.
#[derive(Clone, Debug)]
struct Text {
    /// How often it has each word.
    tf: [u16; 5],
    len: u16,
    marks: Marks,
    said_on: Date,
    speaker: Option<EntityId>,
}

type Texts = BTreeMap<Spot, Text>;

const fn spot(thread: u32, place: u32) -> Spot {
    Spot { thread, place }
}

/// One that says nothing of the kind.
fn silent() -> Text {
    Text { tf: [0; 5], len: 10, marks: Marks::default(), said_on: date(2023, 1, 1), speaker: Some(TOM) }
}

fn saying(tf: [u16; 5]) -> Text {
    Text { tf, ..silent() }
}

/// One layer with the statistics of what is in it.
struct World {
    layer: Layer,
    texts: Texts,
    corpus: Corpus,
    rarities: Vec<f64>,
}

impl World {
    fn of(layer: Layer, texts: &Texts) -> World {
        let frequencies: Vec<u64> =
            (0..5).map(|word| texts.values().filter(|text| text.tf[word] > 0).count() as u64).collect();
        let words = texts.values().map(|text| u64::from(text.len)).sum();
        let corpus = Corpus { docs: texts.len() as u64, words };
        World { layer, texts: texts.clone(), corpus, rarities: rarities(&frequencies, corpus.docs) }
    }

    fn sheet(&self) -> Sheet {
        let looked: Vec<Looked> = (0..5)
            .map(|word| Looked {
                word,
                postings: (self.texts.iter().filter(|(_, text)| text.tf[word] > 0))
                    .map(|(spot, text)| Posting { spot: *spot, tf: text.tf[word], len: text.len })
                    .collect(),
            })
            .collect();
        Sheet::lay_out(self.layer, self.corpus, &looked, &self.rarities, WEIGHTS)
    }

    fn described(&self) -> BTreeMap<Spot, Described> {
        let describe = |(spot, text): (&Spot, &Text)| {
            let described = Described {
                item: Id::from_bytes([spot.place as u8; 16]),
                len: text.len,
                said_on: text.said_on,
                people: text.speaker.into_iter().collect(),
                marks: text.marks,
            };
            (*spot, described)
        };
        self.texts.iter().map(describe).collect()
    }

    fn threads(&self) -> u64 {
        self.texts.keys().map(|spot| spot.thread).collect::<BTreeSet<_>>().len() as u64
    }

    /// Every text as a candidate, by the code under test.
    fn weighed(&self, plan: &Plan) -> BTreeMap<Spot, Candidate> {
        let sheet = self.sheet();
        let sat = match self.layer {
            Layer::Memory | Layer::Observation | Layer::Summary => BTreeMap::new(),
            Layer::Message => sittings(&sheet, self.threads(), plan.words.len(), WEIGHTS),
        };
        let scales = Scales { plan, rarities: &self.rarities, weights: WEIGHTS, meant: None };
        let candidates = level(&[scales.weigh(&sheet, &sat, &self.described())]);
        candidates.into_iter().map(|candidate| (candidate.spot, candidate)).collect()
    }
}

/// BM25 by its book.
fn bm25(rarity: f64, tf: f64, length: f64) -> f64 {
    rarity * tf * (WEIGHTS.k1 + 1.0) / (tf + WEIGHTS.k1 * (1.0 - WEIGHTS.b + WEIGHTS.b * length))
}

/// The same features by plain loops over all texts, before they are levelled.
impl World {
    fn mean(&self) -> f64 {
        self.corpus.words as f64 / self.corpus.docs as f64
    }

    fn score(&self, word: usize, text: &Text) -> f64 {
        bm25(self.rarities[word], f64::from(text.tf[word]), f64::from(text.len) / self.mean())
    }

    fn words(&self, text: &Text) -> f64 {
        (0..5).map(|word| self.score(word, text)).sum()
    }

    /// The texts at most so far away, with their distance.
    fn near(&self, at: Spot, reach: u32) -> Vec<(u32, &Text)> {
        let alone = self.layer == Layer::Memory;
        let mut near = Vec::new();
        for (spot, text) in &self.texts {
            let away = spot.place.abs_diff(at.place);
            if spot.thread == at.thread && away <= if alone { 0 } else { reach } {
                near.push((away, text));
            }
        }
        near
    }

    fn coverage(&self, texts: &[(u32, &Text)], by_maya: bool) -> f64 {
        let (mut all, mut covered) = (0.0, 0.0);
        for thing in THINGS {
            let weight = thing.iter().map(|word| self.rarities[*word]).fold(0.0, f64::max);
            let has = |text: &Text| thing.iter().any(|word| text.tf[*word] > 0);
            all += weight;
            if texts.iter().any(|(_, text)| has(text)) || (thing == [2] && by_maya) {
                covered += weight;
            }
        }
        covered / all
    }

    fn nearby(&self, at: Spot) -> f64 {
        let mut sum = 0.0;
        for word in 0..2 {
            let counted = self.near(at, 4).into_iter().map(|(away, text)| {
                let share = [1.0, NEARBY[0], NEARBY[1], NEARBY[2], NEARBY[3]][away as usize];
                share * self.score(word, text)
            });
            sum += counted.fold(0.0, f64::max);
        }
        sum
    }

    fn passage(&self, at: Spot) -> f64 {
        let near = self.near(at, PASSAGE_REACH);
        let len: f64 = near.iter().map(|(_, text)| f64::from(text.len)).sum();
        let as_one = |word: usize| {
            let tf: f64 = near.iter().map(|(_, text)| f64::from(text.tf[word])).sum();
            bm25(self.rarities[word], tf, len / (5.0 * self.mean()))
        };
        (0..5).map(as_one).sum()
    }

    fn sitting(&self, thread: u32) -> f64 {
        let tf = |thread: u32, word: usize| -> f64 {
            let own = self.texts.iter().filter(|(spot, _)| spot.thread == thread);
            own.map(|(_, text)| f64::from(text.tf[word])).sum()
        };
        let threads = self.threads() as f64;
        let score = |word: usize| {
            let found_in = (0..9).filter(|thread| tf(*thread, word) > 0.0).count() as f64;
            let rarity = libm::log(1.0 + (threads - found_in + 0.5) / (found_in + 0.5));
            bm25(rarity, tf(thread, word), 1.0)
        };
        (0..5).map(score).sum()
    }

    fn answers(&self, at: Spot) -> f64 {
        let before = at.place.checked_sub(1).and_then(|place| self.texts.get(&spot(at.thread, place)));
        before.filter(|text| text.marks.asks()).map_or(0.0, |text| self.words(text))
    }

    fn naive(&self, at: Spot) -> Features {
        let text = &self.texts[&at];
        let is_message = self.layer == Layer::Message;
        let by_maya = text.speaker == Some(MAYA);
        let words = self.words(text);
        let is_one = |yes: bool| if yes { 1.0 } else { 0.0 };
        let away = f64::from(text.said_on.since(MAY_7).expect("a span").get_days());
        let said_near = if away >= 0.0 { libm::exp(-away / 7.0) } else { libm::exp(away / 2.0) };
        Features {
            words,
            coverage: self.coverage(&[(0, text)], by_maya),
            nearby: self.nearby(at),
            passage: if is_message { self.passage(at) } else { words },
            sitting: if is_message { self.sitting(at.thread) } else { words },
            answers: if is_message { self.answers(at) } else { 0.0 },
            person: is_one(by_maya),
            own_words: is_one(by_maya && text.marks.is_first_person()),
            day: said_near.max(is_one(text.tf[3] > 0)),
            speaks_of_day: is_one(text.tf[3] > 0),
            moment: is_one(text.marks.speaks_of_time()),
            statement: is_one(!text.marks.ends_asking()),
            // Only a closer look at the text itself can tell.
            phrase: 0.0,
            quoted: 0.0,
            // Only a model.
            meaning: 0.0,
            meaning_around: 0.0,
        }
    }

    /// What is the best of its kind is one.
    fn naive_levelled(&self) -> BTreeMap<Spot, Features> {
        let raw: BTreeMap<Spot, Features> =
            self.texts.keys().map(|spot| (*spot, self.naive(*spot))).collect();
        let top = |pick: fn(&Features) -> f64| {
            let top = raw.values().map(pick).fold(0.0, f64::max);
            if top > 0.0 { top } else { 1.0 }
        };
        let (words, nearby) = (top(|raw| raw.words), top(|raw| raw.nearby));
        let (passage, sitting) = (top(|raw| raw.passage), top(|raw| raw.sitting));
        let levelled = |raw: &Features| Features {
            words: raw.words / words,
            nearby: raw.nearby / nearby,
            passage: raw.passage / passage,
            sitting: raw.sitting / sitting,
            answers: raw.answers / words,
            ..*raw
        };
        raw.iter().map(|(spot, raw)| (*spot, levelled(raw))).collect()
    }
}

fn text() -> impl Strategy<Value = Text> {
    let tf = prop::array::uniform5(prop::sample::select(vec![0u16, 0, 0, 1, 3]));
    let day = (-20i8..30).prop_map(|days| MAY_7.saturating_add(jiff::Span::new().days(days)));
    let speaker = prop::sample::select(vec![None, Some(MAYA), Some(TOM)]);
    (tf, 1u16..40, 0u8..16, day, speaker).prop_map(|(tf, len, marks, said_on, speaker)| Text {
        tf,
        len,
        marks: Marks::from_bits(marks),
        said_on,
        speaker,
    })
}

fn texts() -> impl Strategy<Value = Texts> {
    let spots = (0u32..3, 0u32..10).prop_map(|(thread, place)| spot(thread, place));
    prop::collection::btree_map(spots, text(), 1..20)
}

/// Texts that each stand alone.
fn memories() -> impl Strategy<Value = Texts> {
    prop::collection::btree_map((0u32..9).prop_map(|thread| spot(thread, 0)), text(), 1..9)
}

fn check_against_naive(world: &World) -> Result<(), TestCaseError> {
    let weighed = world.weighed(&question());
    prop_assert_eq!(weighed.len(), world.texts.len());
    for (at, expected) in world.naive_levelled() {
        let found = &weighed[&at];
        for ((name, found), expected) in NAMES.iter().zip(found.features.list()).zip(expected.list()) {
            prop_assert!((found - expected).abs() < 1e-9, "{name} at {at:?}: {found}, not {expected}");
        }
        let by_maya = world.texts[&at].speaker == Some(MAYA);
        let around = world.coverage(&world.near(at, PASSAGE_REACH), by_maya);
        prop_assert!((found.around - around).abs() < 1e-9, "around {at:?}: {}, not {around}", found.around);
        prop_assert_eq!(found.spoken, world.texts[&at].speaker.is_some());
    }
    Ok(())
}

#[test]
fn a_silent_neighbour_is_lifted_by_what_stands_beside_it() {
    let strong = saying([2, 2, 0, 0, 0]);
    let texts = Texts::from([
        (spot(0, 3), strong),
        (spot(0, 4), silent()),
        (spot(0, 7), silent()),
        (spot(0, 8), silent()),
        (spot(1, 3), silent()),
        (spot(1, 4), silent()),
    ]);
    let weighed = World::of(Layer::Message, &texts).weighed(&question());
    let of = |thread, place| weighed[&spot(thread, place)].features;
    assert_eq!(of(0, 3).nearby, 1.0);
    assert!((of(0, 4).nearby - NEARBY[0]).abs() < 1e-12, "one place away");
    assert!((of(0, 7).nearby - NEARBY[3]).abs() < 1e-12, "four places away");
    assert_eq!(of(0, 8).nearby, 0.0, "five are too far");
    assert_eq!((of(0, 4).coverage, of(0, 4).words), (0.0, 0.0));
    assert!(of(0, 4).passage > 0.0 && of(0, 8).passage == 0.0);
    assert_eq!(of(0, 8).sitting, 1.0, "the sitting is one");
    for place in [3, 4] {
        let elsewhere = of(1, place);
        assert_eq!((elsewhere.nearby, elsewhere.passage, elsewhere.sitting), (0.0, 0.0, 0.0));
    }
    assert!(weighed[&spot(0, 4)].around > 0.0 && weighed[&spot(1, 4)].around == 0.0);
}

#[test]
fn a_memory_stands_alone() {
    // Even if two should ever have one thread.
    let texts = Texts::from([(spot(0, 0), saying([1, 1, 0, 0, 0])), (spot(0, 1), silent())]);
    let weighed = World::of(Layer::Memory, &texts).weighed(&question());
    let beside = &weighed[&spot(0, 1)];
    let Features { words, nearby, passage, sitting, answers, coverage, .. } = beside.features;
    assert_eq!([words, nearby, passage, sitting, answers, coverage, beside.around], [0.0; 7]);
    let own = weighed[&spot(0, 0)].features;
    assert_eq!([own.words, own.nearby, own.passage, own.sitting], [1.0; 4]);
}

#[test]
fn what_follows_a_question_answers_it_and_nothing_else_does() {
    let asks = |tf| Text { marks: Marks::of("Painted?", false), ..saying(tf) };
    let texts = Texts::from([
        (spot(0, 0), asks([1, 0, 0, 0, 0])),
        (spot(0, 1), silent()),
        (spot(0, 2), silent()),
        (spot(1, 0), saying([1, 0, 0, 0, 0])),
        (spot(1, 1), silent()),
    ]);
    let weighed = World::of(Layer::Message, &texts).weighed(&question());
    let answers = |thread, place| weighed[&spot(thread, place)].features.answers;
    assert_eq!([answers(0, 0), answers(0, 1), answers(0, 2), answers(1, 1)], [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn a_name_is_covered_by_who_speaks_and_a_day_by_either_of_its_terms() {
    let by_maya = Text { speaker: Some(MAYA), ..silent() };
    let texts = Texts::from([
        (spot(0, 0), by_maya),
        (spot(1, 0), saying([0, 0, 1, 0, 0])),
        (spot(2, 0), saying([0, 0, 0, 1, 0])),
        (spot(3, 0), saying([0, 0, 0, 0, 1])),
        (spot(4, 0), saying([1, 1, 1, 1, 1])),
        (spot(5, 0), silent()),
    ]);
    let weighed = World::of(Layer::Message, &texts).weighed(&question());
    let coverage = |thread| weighed[&spot(thread, 0)].features.coverage;
    assert!(coverage(0) > 0.0);
    assert_eq!(coverage(0), coverage(1));
    assert_eq!(coverage(2), coverage(3));
    assert_eq!((coverage(4), coverage(5)), (1.0, 0.0));
    assert_eq!(weighed[&spot(2, 0)].features.day, 1.0, "it speaks of the day");
    assert!(weighed[&spot(3, 0)].features.speaks_of_day == 0.0);
}

#[test]
fn what_is_not_asked_for_counts_for_nothing() {
    let marks = Marks::of("I painted it last week", true);
    let by_maya = Text { speaker: Some(MAYA), marks, said_on: MAY_7, ..saying([1, 0, 0, 0, 0]) };
    let world = World::of(Layer::Message, &Texts::from([(spot(0, 0), by_maya)]));
    let asked = world.weighed(&question())[&spot(0, 0)].features;
    assert_eq!([asked.person, asked.own_words, asked.day, asked.moment], [1.0; 4]);
    let plan = Plan { days: Vec::new(), people: BTreeSet::new(), asks_when: false, ..question() };
    let unasked = world.weighed(&plan)[&spot(0, 0)].features;
    assert_eq!([unasked.person, unasked.own_words, unasked.day, unasked.moment], [0.0; 4]);
    assert!(unasked.coverage < asked.coverage, "the name is not covered");
}

#[test]
fn a_question_for_nothing_weighs_nothing() {
    let texts = Texts::from([(spot(0, 0), silent())]);
    let world = World::of(Layer::Message, &texts);
    let sheet = Sheet::lay_out(Layer::Message, world.corpus, &[], &[], WEIGHTS);
    let plan = Plan::default();
    let scales = Scales { plan: &plan, rarities: &[], weights: WEIGHTS, meant: None };
    let weighed = level(&[scales.weigh(&sheet, &BTreeMap::new(), &world.described())]);
    let expected = Features { statement: 1.0, ..Features::default() };
    assert_eq!((weighed.len(), weighed[0].features, weighed[0].around), (1, expected, 0.0));
    assert_eq!(level(&[]), []);
}

#[test]
fn layers_are_levelled_together_but_for_their_sittings() {
    let plan = question();
    let rare = rarities(&[1; 5], 10);
    let scales = Scales { plan: &plan, rarities: &rare, weights: WEIGHTS, meant: None };
    let weigh = |layer, tf| {
        let world =
            World { rarities: rare.clone(), ..World::of(layer, &Texts::from([(spot(0, 0), saying(tf))])) };
        let sheet = world.sheet();
        scales.weigh(&sheet, &sittings(&sheet, 1, 5, WEIGHTS), &world.described())
    };
    let both = level(&[weigh(Layer::Memory, [1, 0, 0, 0, 0]), weigh(Layer::Message, [1, 1, 0, 0, 0])]);
    let [memory, message] = [both[0].features, both[1].features];
    assert!((memory.words - 0.5).abs() < 1e-12 && message.words == 1.0);
    assert_eq!((memory.sitting, message.sitting), (1.0, 1.0));
}

#[test]
fn the_best_are_looked_at_with_what_stands_beside_the_very_best() {
    let texts: Texts =
        (0..10).map(|thread| (spot(thread, 5), saying([thread as u16 + 1, 0, 0, 0, 0]))).collect();
    let look = |layer, most, beside| {
        let world = World::of(layer, &texts);
        let sheet = world.sheet();
        let looked = worth_a_look(&sheet, &BTreeMap::new(), most, beside);
        looked.into_iter().map(|spot| (spot.thread, spot.place)).collect::<Vec<_>>()
    };
    assert_eq!(look(Layer::Message, 2, 0), [(8, 5), (9, 5)]);
    assert_eq!(look(Layer::Message, 2, 1), [(8, 5), (9, 3), (9, 4), (9, 5), (9, 6), (9, 7)]);
    assert_eq!(look(Layer::Memory, 2, 1), [(8, 5), (9, 5)], "a memory has no neighbours");
    assert_eq!(look(Layer::Memory, 100, 1).len(), 10);
    assert_eq!(look(Layer::Message, 0, 3), []);
}

#[test]
fn a_good_sitting_is_worth_a_look_before_a_poor_one() {
    let texts = Texts::from([(spot(0, 0), saying([1, 0, 0, 0, 0])), (spot(1, 0), saying([1, 0, 0, 0, 0]))]);
    let sheet = World::of(Layer::Message, &texts).sheet();
    let look = |sat: &[(u32, f64)]| worth_a_look(&sheet, &sat.iter().copied().collect(), 1, 0);
    assert_eq!(look(&[(0, 1.0), (1, 2.0)]), BTreeSet::from([spot(1, 0)]));
    assert_eq!(look(&[(0, 2.0), (1, 2.0)]), BTreeSet::from([spot(0, 0)]), "equals by their place");
}

proptest! {
    #[test]
    fn messages_are_weighed_as_they_are_defined(texts in texts()) {
        check_against_naive(&World::of(Layer::Message, &texts))?;
    }

    #[test]
    fn memories_are_weighed_as_they_are_defined(texts in memories()) {
        check_against_naive(&World::of(Layer::Memory, &texts))?;
    }

    #[test]
    fn every_feature_is_a_share_and_the_best_of_its_kind_is_one(texts in texts()) {
        let weighed = World::of(Layer::Message, &texts).weighed(&question());
        let all: Vec<Features> = weighed.values().map(|candidate| candidate.features).collect();
        for features in &all {
            for (name, value) in NAMES.iter().zip(features.list()) {
                prop_assert!((0.0..=1.0).contains(&value), "{name} {value}");
            }
        }
        for candidate in weighed.values() {
            prop_assert!((candidate.features.coverage..=1.0).contains(&candidate.around));
        }
        let picks: [fn(&Features) -> f64; 4] = [|f| f.words, |f| f.nearby, |f| f.passage, |f| f.sitting];
        for pick in picks {
            let top = all.iter().map(pick).fold(0.0, f64::max);
            prop_assert!(top == 0.0 || top == 1.0, "{top}");
        }
        let any_word = texts.values().any(|text| text.tf.iter().any(|tf| *tf > 0));
        prop_assert_eq!(all.iter().any(|features| features.words == 1.0), any_word);
        prop_assert_eq!(all.iter().any(|features| features.passage == 1.0), any_word);
    }

    #[test]
    fn what_is_worth_a_look_does_not_depend_on_how_many_are_taken(texts in texts(), most in 1usize..20) {
        let world = World::of(Layer::Message, &texts);
        let sheet = world.sheet();
        let sat = sittings(&sheet, world.threads(), 5, WEIGHTS);
        let few = worth_a_look(&sheet, &sat, most, 0);
        let more = worth_a_look(&sheet, &sat, most + 1, 0);
        prop_assert!(few.is_subset(&more));
        prop_assert_eq!(few.len(), most.min(sheet.texts().len()));
        prop_assert!(few.iter().all(|spot| sheet.at(*spot).is_some()));
    }
}

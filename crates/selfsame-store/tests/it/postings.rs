//! The lexical index: it holds what was put in and nothing of what was taken out, over the borders of its blocks,
//! whatever the analyser thinks of a text by then.

use crate::rows::{alone, operator};
use selfsame_core::id::{EntityId, Id};
use selfsame_core::recall::{Corpus, Marks, Posting, Spot};
use selfsame_core::text::TermCounts;
use selfsame_core::time::Time;
use selfsame_store::agents::Agent;
use selfsame_store::indexed_texts::{self, IndexedText, Posted};
use selfsame_store::postings::{self, ENTRIES_PER_BLOCK, Kind, Standing, Text};
use selfsame_store::{Result, Writer};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeMap;
use std::time::Duration;

const LEAVES: Id = Id::from_bytes([1; 16]);
/// All of them: what is kept as bits must come back as it was.
const MARKED: Marks = Marks::from_bits(15);
const STAYS: Id = Id::from_bytes([2; 16]);
const START: Time = Time::from_micros(1_767_225_600_000_000);
const MINUTE: Duration = Duration::from_secs(60);

fn words(of: &[(&str, u32)]) -> TermCounts {
    TermCounts {
        counts: of.iter().map(|(term, tf)| ((*term).to_owned(), *tf)).collect(),
        len: of.iter().map(|(_, tf)| tf).sum(),
    }
}

fn item(number: u32) -> Id {
    Id::from_bytes(u128::from(number).to_be_bytes())
}

fn write(bench: &Bench, agent: &Agent, mut body: impl FnMut(&mut Writer) -> Result<()>) {
    bench.store().write(&operator(agent), &[agent.id], None, |writer| body(writer)).unwrap();
}

/// Indexes a text that stands alone, in a write of its own.
fn add(bench: &Bench, agent: &Agent, item: Id, words: &TermCounts) {
    write(bench, agent, |writer| {
        postings::insert(writer, agent.id, Kind::Memory, &alone(item, words)).map(drop)
    });
}

fn remove(bench: &Bench, agent: &Agent, item: Id, words: &TermCounts) -> bool {
    let mut was_there = false;
    write(bench, agent, |writer| {
        was_there = postings::remove(writer, agent.id, Kind::Memory, item, words)?;
        Ok(())
    });
    was_there
}

/// What the index says of a kind: where each word is, its number of texts, and what all have in common.
type State = (BTreeMap<String, Vec<Posting>>, BTreeMap<String, u64>, Corpus);

fn state(bench: &Bench, agent: &Agent, kind: Kind, terms: &[String]) -> State {
    let read = bench.store().read(&operator(agent), &[agent.id], |reader| {
        let frequencies = postings::frequencies(reader, agent.id, kind, terms)?;
        let mut found = BTreeMap::new();
        for (term, df) in &frequencies {
            let all = postings::of_term(reader, agent.id, kind, term, *df, u64::MAX)?.postings;
            found.insert(term.clone(), all);
        }
        Ok((found, frequencies, postings::corpus(reader, agent.id, kind)?))
    });
    read.unwrap()
}

fn texts(bench: &Bench, agent: &Agent, kind: Kind) -> Vec<IndexedText> {
    let read = bench.store().read(&operator(agent), &[agent.id], |reader| {
        indexed_texts::page(reader, agent.id, kind, None, 10_000)
    });
    read.unwrap().into_iter().map(|posted| posted.text).collect()
}

/// Everything in the tables of the index, as text.
fn index_dump(bench: &Bench) -> String {
    let dump = bench.dump();
    let tables = ["postings", "term_stats", "corpus_stats", "indexed_texts", "threads"];
    let parts =
        dump.split("\n[").filter(|part| tables.iter().any(|table| part.starts_with(&format!("{table}]"))));
    parts.collect::<Vec<_>>().join("\n")
}

/// How many entries each block of a word has, by its number.
fn block_sizes(bench: &Bench, term: &str) -> Vec<(i64, i64)> {
    let rows = bench.owner().rows(&format!(
        "SELECT block, length(entries) / 12 FROM postings WHERE term = '{term}' ORDER BY block"
    ));
    let number = |cell: &Option<String>| cell.as_ref().unwrap().parse().unwrap();
    rows.iter().map(|row| (number(&row[0]), number(&row[1]))).collect()
}

/// Puts two texts in, takes one out with `analysed_now`, and looks at what the index then says of the other.
fn check_removal(bench: &Bench, agent: &Agent, analysed_now: &TermCounts) {
    add(bench, agent, LEAVES, &words(&[("a", 2), ("c", 1)]));
    add(bench, agent, STAYS, &words(&[("b", 1), ("c", 3)]));
    assert!(remove(bench, agent, LEAVES, analysed_now));
    let terms = ["a", "b", "c", "d"].map(str::to_owned);
    let (found, frequencies, corpus) = state(bench, agent, Kind::Memory, &terms);
    let here = |tf| vec![Posting { spot: Spot { thread: 1, place: 0 }, tf, len: 4 }];
    assert_eq!(found, [("b".to_owned(), here(1)), ("c".to_owned(), here(3))].into(), "{analysed_now:?}");
    assert_eq!(frequencies, [("b".to_owned(), 1), ("c".to_owned(), 1)].into(), "{analysed_now:?}");
    assert_eq!((corpus.docs, corpus.words), (1, 4), "{analysed_now:?}");
    let known: Vec<Id> = texts(bench, agent, Kind::Memory).iter().map(|text| text.item).collect();
    assert_eq!(known, [STAYS], "{analysed_now:?}");
}

both_engines! {
    fn a_text_is_taken_out_whole(bench: Bench) {
        for (name, analysed_now) in [
            ("same", words(&[("a", 2), ("c", 1)])),
            ("fewer", words(&[("a", 2)])),
            ("more", words(&[("a", 2), ("b", 1), ("c", 1)])),
            ("others", words(&[("b", 1), ("d", 1)])),
            ("half", words(&[("b", 1), ("c", 1)])),
            ("none", words(&[])),
        ] {
            check_removal(&bench, &bench.agent(name), &analysed_now);
        }
        assert!(!index_dump(&bench).contains("\"a\""));
    }

    fn what_is_not_there_is_not_taken_out(bench: Bench) {
        let agent = bench.agent("main");
        add(&bench, &agent, STAYS, &words(&[("a", 1)]));
        let before = index_dump(&bench);
        assert!(!remove(&bench, &agent, LEAVES, &words(&[("a", 1)])));
        assert_eq!(index_dump(&bench), before);
    }

    fn a_common_word_fills_one_block_after_the_other(bench: Bench) {
        let agent = bench.agent("main");
        let common = |number: u32| words(&[("common", number % 7 + 1), (&format!("only{number}"), 1)]);
        write(&bench, &agent, |writer| {
            for number in 0..300 {
                let words = common(number);
                let spot = postings::insert(writer, agent.id, Kind::Memory, &alone(item(number), &words))?;
                assert_eq!(spot, Spot { thread: number, place: 0 });
            }
            Ok(())
        });
        assert_eq!(block_sizes(&bench, "common"), [(0, 64), (1, 64), (2, 64), (3, 64), (4, 44)]);
        // The newest first, over the borders of blocks.
        let threads = |limit: u64| -> Vec<u32> {
            let read = bench.store().read(&operator(&agent), &[agent.id], |reader| {
                postings::of_term(reader, agent.id, Kind::Memory, "common", 300, limit)
            });
            read.unwrap().postings.iter().map(|posting| posting.spot.thread).collect()
        };
        assert_eq!(threads(u64::MAX), (0..300).rev().collect::<Vec<_>>());
        assert_eq!(threads(10), (290..300).rev().collect::<Vec<_>>());
        assert_eq!(threads(45), (255..300).rev().collect::<Vec<_>>());
        assert!(threads(0).is_empty());
        // From the middle, the last one, and a whole block.
        for number in [130, 299].into_iter().chain(0..128) {
            assert!(remove(&bench, &agent, item(number), &common(number)));
        }
        assert_eq!(block_sizes(&bench, "common"), [(2, 63), (3, 64), (4, 43)]);
        assert!(!index_dump(&bench).contains("only130"));
        assert_eq!(threads(u64::MAX).len(), 170);
        assert_eq!(threads(169).len(), 169, "as long as there are older blocks they are read");
        // What comes now goes where it would have gone.
        add(&bench, &agent, item(300), &common(300));
        assert_eq!(block_sizes(&bench, "common"), [(2, 63), (3, 64), (4, 44)]);
        assert_eq!(threads(1)[0], 300);
        let (_, frequencies, corpus) = state(&bench, &agent, Kind::Memory, &["common".to_owned()]);
        assert_eq!((frequencies["common"], corpus.docs), (171, 171));
    }

    fn a_word_that_is_gone_begins_from_nothing(bench: Bench) {
        let agent = bench.agent("main");
        add(&bench, &agent, STAYS, &words(&[]));
        for number in 0..3 {
            add(&bench, &agent, item(number), &words(&[("zebra", 1)]));
            assert!(remove(&bench, &agent, item(number), &words(&[("zebra", 1)])));
            assert!(!index_dump(&bench).contains("zebra"));
        }
        add(&bench, &agent, LEAVES, &words(&[("zebra", 1)]));
        assert_eq!(block_sizes(&bench, "zebra"), [(0, 1)]);
        let spots: Vec<u32> = texts(&bench, &agent, Kind::Memory).iter().map(|text| text.spot.thread).collect();
        assert_eq!(spots, [0, 4], "a thread's number is not given twice");
    }

    /// Bytes that a text would not survive: zeros, and what is no UTF-8.
    fn entries_are_bytes(bench: Bench) {
        let agent = bench.agent("main");
        let odd = words(&[("odd", 0xfeff), ("zero", 0)]);
        let many: Vec<Posting> = [0u32, 0x80, 0xff, 0xc3_28_00, 0x7fff_ffff]
            .into_iter()
            .map(|thread| Posting { spot: Spot { thread, place: 0 }, tf: 0xfeff, len: 0xfeff })
            .collect();
        for (number, posting) in many.iter().enumerate() {
            let next = posting.spot.thread;
            bench.execute_raw(&[agent.id], &format!("UPDATE corpus_stats SET next_thread = {next}")).unwrap();
            add(&bench, &agent, item(number as u32), &odd);
        }
        let (found, _, _) = state(&bench, &agent, Kind::Memory, &["odd".to_owned(), "zero".to_owned()]);
        assert_eq!(found["odd"], many.iter().rev().copied().collect::<Vec<_>>());
        let zeros = many.iter().rev().map(|posting| Posting { tf: 0, ..*posting });
        assert_eq!(found["zero"], zeros.collect::<Vec<_>>());
        assert!(remove(&bench, &agent, item(2), &odd));
        let (found, _, _) = state(&bench, &agent, Kind::Memory, &["odd".to_owned()]);
        assert_eq!(found["odd"].len(), 4);
    }

    fn a_number_of_a_thread_too_high_is_refused(bench: Bench) {
        let agent = bench.agent("main");
        add(&bench, &agent, STAYS, &words(&[]));
        bench.execute_raw(&[agent.id], "UPDATE corpus_stats SET next_thread = 2147483648").unwrap();
        let refused = bench.store().write(&operator(&agent), &[agent.id], None, |writer| {
            postings::insert(writer, agent.id, Kind::Memory, &alone(LEAVES, &words(&[]))).map(drop)
        });
        assert!(refused.unwrap_err().to_string().contains("no more numbers"));
    }

    fn texts_are_found_by_where_they_stand(bench: Bench) {
        let agent = bench.agent("main");
        let (talk, other) = (Id::from_bytes([7; 16]), Id::from_bytes([8; 16]));
        let speaker = Some(EntityId::of(Id::from_bytes([3; 16])));
        let said = words(&[("said", 1)]);
        let at = |minutes: u32| START.saturating_add(MINUTE * minutes);
        // The other one's messages come in between; five hours later another sitting begins.
        let filed = [(talk, 0), (other, 1), (talk, 2), (talk, 242), (talk, 543), (other, 2), (talk, 544)];
        let mut spots = Vec::new();
        write(&bench, &agent, |writer| {
            spots.clear();
            for (number, (source, minutes)) in filed.into_iter().enumerate() {
                let standing = Standing::InRun { source };
                let text = Text { item: item(number as u32), standing, said_at: at(minutes), speaker, words: &said, marks: MARKED };
                spots.push(postings::insert(writer, agent.id, Kind::Message, &text)?);
            }
            Ok(())
        });
        let numbers: Vec<(u32, u32)> = spots.iter().map(|spot| (spot.thread, spot.place)).collect();
        assert_eq!(numbers, [(0, 0), (1, 0), (0, 1), (0, 2), (2, 0), (1, 1), (2, 1)]);
        let read = bench.store().read(&operator(&agent), &[agent.id], |reader| {
            let nowhere = Spot { thread: 9, place: 0 };
            let at = indexed_texts::texts_at(reader, agent.id, Kind::Message, &[spots[3], nowhere, spots[5]])?;
            let pages = indexed_texts::page(reader, agent.id, Kind::Message, Some(spots[0]), 2)?;
            let of = indexed_texts::spots_of(reader, agent.id, Kind::Message, &[item(6), item(99)])?;
            let none = indexed_texts::spots_of(reader, agent.id, Kind::Memory, &[item(6)])?;
            Ok((at, pages, of, none))
        });
        let (found, page, of, none) = read.unwrap();
        assert_eq!(found.values().map(|text| text.item).collect::<Vec<_>>(), [item(3), item(5)]);
        assert_eq!(page.iter().map(|posted| posted.text.item).collect::<Vec<_>>(), [item(2), item(3)]);
        assert_eq!((of, none), (vec![spots[6]], vec![]));
        let expected = IndexedText { spot: spots[3], item: item(3), len: 1, said_at: at(242), speaker, marks: MARKED };
        assert_eq!(found[&spots[3]], expected);
        assert_eq!(page[1], Posted { text: expected, blocks: vec![0] });
    }

    fn the_index_is_what_a_plain_list_would_be(bench: Bench) {
        for_each_seed(2, |seed, dice| {
            let agent = bench.agent(&format!("seed-{seed}"));
            let mut model = Model::default();
            for step in 0..50 {
                let steps: Vec<Step> = (0..5).map(|_| model.draw(dice)).collect();
                write(&bench, &agent, |writer| steps.iter().try_for_each(|step| step.take(writer, &agent)));
                model.compare(&bench, &agent, step);
            }
            assert!(model.added > 2 * ENTRIES_PER_BLOCK, "blocks were filled: {}", model.added);
        });
    }
}

const VOCABULARY: [&str; 5] = ["always", "often", "now", "seldom", "ß"];
const SOURCES: [Id; 2] = [Id::from_bytes([7; 16]), Id::from_bytes([8; 16])];

/// A change of the index.
enum Step {
    Insert { item: Id, source: Id, said_at: Time, words: TermCounts, expected: Spot },
    Remove { item: Id, words: TermCounts },
}

impl Step {
    fn take(&self, writer: &mut Writer, agent: &Agent) -> Result<()> {
        match self {
            Step::Insert { item, source, said_at, words, expected } => {
                let standing = Standing::InRun { source: *source };
                let text =
                    Text { item: *item, standing, said_at: *said_at, speaker: None, words, marks: MARKED };
                let spot = postings::insert(writer, agent.id, Kind::Message, &text)?;
                assert_eq!(spot, *expected);
            }
            Step::Remove { item, words } => {
                assert!(postings::remove(writer, agent.id, Kind::Message, *item, words)?);
            }
        }
        Ok(())
    }
}

/// The index as plain lists.
#[derive(Default)]
struct Model {
    /// In filing order.
    texts: Vec<(Id, Spot, TermCounts)>,
    /// Of each source: thread, places, last time.
    sittings: BTreeMap<Id, (u32, u32, Time)>,
    threads: u32,
    items: u32,
    minutes: u32,
    added: u64,
}

impl Model {
    fn draw(&mut self, dice: &mut Dice) -> Step {
        if dice.percent(15) && !self.texts.is_empty() {
            let (item, _, words) = self.texts.remove(dice.below(self.texts.len()));
            // Now and then the analyser has changed its mind.
            let words = if dice.percent(20) { TermCounts::default() } else { words };
            return Step::Remove { item, words };
        }
        let likely = [95, 60, 30, 10, 10];
        let chosen =
            VOCABULARY.iter().zip(likely).filter(|(_, likely)| dice.percent(*likely)).map(|(word, _)| *word);
        let chosen: Vec<&str> = chosen.collect();
        let counted: Vec<(&str, u32)> = chosen.iter().map(|word| (*word, dice.below(3) as u32 + 1)).collect();
        self.minutes += *dice.pick(&[1, 1, 1, 1, 1, 241]);
        self.items += 1;
        self.added += counted.len() as u64;
        self.insert(item(self.items), *dice.pick(&SOURCES), words(&counted))
    }

    fn insert(&mut self, item: Id, source: Id, words: TermCounts) -> Step {
        let said_at = START.saturating_add(MINUTE * self.minutes);
        let (thread, place) = match self.sittings.get(&source) {
            Some((thread, places, last)) if said_at.since(*last) <= 240 * MINUTE => (*thread, *places),
            _ => {
                self.threads += 1;
                (self.threads - 1, 0)
            }
        };
        self.sittings.insert(source, (thread, place + 1, said_at));
        let expected = Spot { thread, place };
        self.texts.push((item, expected, words.clone()));
        Step::Insert { item, source, said_at, words, expected }
    }

    fn state(&self) -> State {
        let mut found: BTreeMap<String, Vec<Posting>> = BTreeMap::new();
        for (_, spot, words) in self.texts.iter().rev() {
            for (term, tf) in &words.counts {
                found.entry(term.clone()).or_default().push(Posting::new(*spot, *tf, words.len));
            }
        }
        let frequencies = found.iter().map(|(term, all)| (term.clone(), all.len() as u64)).collect();
        let words = self.texts.iter().map(|(_, _, words)| u64::from(words.len)).sum();
        (found, frequencies, Corpus { docs: self.texts.len() as u64, words })
    }

    fn compare(&self, bench: &Bench, agent: &Agent, step: usize) {
        let terms = VOCABULARY.map(str::to_owned);
        assert_eq!(state(bench, agent, Kind::Message, &terms), self.state(), "after step {step}");
        let mut known: Vec<(Id, Spot)> = self.texts.iter().map(|(item, spot, _)| (*item, *spot)).collect();
        known.sort_by_key(|(_, spot)| *spot);
        let found = texts(bench, agent, Kind::Message);
        assert_eq!(
            found.iter().map(|text| (text.item, text.spot)).collect::<Vec<_>>(),
            known,
            "after step {step}"
        );
    }
}

#[test]
fn both_engines_hold_the_same_index() {
    let dumps = [Bench::sqlite(), Bench::postgres()].map(|bench| {
        let agent = bench.agent("main");
        let (mut model, mut dice) = (Model::default(), Dice::new(11));
        let steps: Vec<Step> = (0..400).map(|_| model.draw(&mut dice)).collect();
        write(&bench, &agent, |writer| steps.iter().try_for_each(|step| step.take(writer, &agent)));
        index_dump(&bench)
    });
    assert!(dumps[0].contains("always"));
    assert_eq!(dumps[0], dumps[1]);
}

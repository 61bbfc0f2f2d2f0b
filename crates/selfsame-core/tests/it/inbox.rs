//! What is captured from a message, and what is not; measured on labelled utterances.

use selfsame_core::fence;
use selfsame_core::inbox::capture;
use serde_json::Value;
use std::collections::BTreeMap;

/// An utterance and what a reader would take from it: a type, with `!` where it was asked for.
struct Labelled {
    say: String,
    want: Vec<String>,
}

fn labelled(file: &str) -> Vec<Labelled> {
    let read = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a line of the set is JSON");
        let text = |value: &Value| value.as_str().expect("the set has only texts").to_owned();
        let want = row["want"].as_array().expect("an utterance has a list of labels");
        Labelled { say: text(&row["say"]), want: want.iter().map(text).collect() }
    };
    file.lines().map(read).collect()
}

fn labels(text: &str) -> Vec<String> {
    let label = |found: &selfsame_core::inbox::Found| {
        format!("{}{}", found.kind.as_str(), if found.explicit { "!" } else { "" })
    };
    capture(text).iter().map(label).collect()
}

#[derive(Default)]
struct Figures {
    promoted: usize,
    promoted_rightly: usize,
    wanted: usize,
    found: usize,
    captured: usize,
    by_kind: BTreeMap<String, (usize, usize, usize)>,
    misses: Vec<String>,
}

impl Figures {
    fn of(set: &[Labelled]) -> Figures {
        let mut figures = Figures::default();
        for Labelled { say, want } in set {
            let got = labels(say);
            figures.promoted += got.iter().filter(|label| label.ends_with('!')).count();
            let asked = want.iter().any(|label| label.ends_with('!'));
            figures.promoted_rightly += got.iter().filter(|label| label.ends_with('!') && asked).count();
            figures.captured += got.len();
            figures.wanted += want.len();
            let mut left = got.clone();
            for label in want {
                let kind = figures.by_kind.entry(label.trim_end_matches('!').to_owned()).or_default();
                kind.1 += 1;
                if let Some(at) = left.iter().position(|one| one == label) {
                    left.remove(at);
                    figures.found += 1;
                    kind.0 += 1;
                }
            }
            for label in left {
                figures.by_kind.entry(label.trim_end_matches('!').to_owned()).or_default().2 += 1;
            }
            if &got != want {
                figures.misses.push(format!("want {want:?} got {got:?}: {say:?}"));
            }
        }
        figures
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: promoted at once {}/{} rightly (precision {:.3})",
            self.promoted_rightly,
            self.promoted,
            self.promotion_precision()
        );
        println!(
            "{name}: candidates {}/{} found (recall {:.3}), {} captured (precision {:.3})",
            self.found,
            self.wanted,
            self.recall(),
            self.captured,
            ratio(self.found, self.captured)
        );
        for (kind, (found, wanted, extra)) in &self.by_kind {
            println!("  {kind:<13} {found:>2} of {wanted:>2}, {extra} more that were not wanted");
        }
        for miss in &self.misses {
            println!("  {miss}");
        }
    }

    fn promotion_precision(&self) -> f64 {
        ratio(self.promoted_rightly, self.promoted)
    }

    fn recall(&self) -> f64 {
        ratio(self.found, self.wanted)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[test]
fn the_labelled_set_is_captured_well_enough() {
    let figures = Figures::of(&labelled(include_str!("capture_set.jsonl")));
    figures.print("the set the rules were written against");
    assert!(figures.promotion_precision() >= 0.95, "precision {}", figures.promotion_precision());
    assert!(figures.recall() >= 0.8, "recall {}", figures.recall());
    assert!(ratio(figures.found, figures.captured) >= 0.9, "too much is captured");
}

/// Written after the rules were frozen, in other words, and not looked at while writing them.
#[test]
fn the_held_out_set_is_reported() {
    let figures = Figures::of(&labelled(include_str!("capture_held_out.jsonl")));
    figures.print("the held-out set");
    assert!(figures.promotion_precision() >= 0.8, "precision {}", figures.promotion_precision());
    assert!(figures.recall() >= 0.6, "recall {}", figures.recall());
}

#[test]
fn what_selfsame_put_into_a_prompt_is_not_captured_again() {
    for Labelled { say, .. } in labelled(include_str!("capture_set.jsonl")) {
        let block = fence::quote("memory", &say);
        for fed in [
            block.clone(),
            block.to_uppercase().replace("KIND=", "\tkind ="),
            block.replace("</", "<  / "),
            fence::quote("context", &block),
            block.trim_end_matches("</selfsame-context>").to_owned(),
            block.split_once('\n').expect("it has lines").1.to_owned(),
        ] {
            assert_eq!(labels(&fed), [""; 0], "{fed}");
        }
    }
}

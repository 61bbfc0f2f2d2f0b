//! What the rules read out of sentences; measured on labelled ones.

use selfsame_core::knowledge::ObservationKind;
use selfsame_core::knowledge::claim::{About, Reading, Says};
use selfsame_core::knowledge::rules::read;
use selfsame_core::knowledge::value::value_key;
use serde_json::Value;

/// A reading in a line: "person:Maya | pref | database | SQLite <- PostgreSQL", a denied value with "!".
fn label(reading: &Reading) -> String {
    let kind = match reading.kind {
        ObservationKind::OperatorPreference => "pref",
        ObservationKind::ProjectState => "project",
        ObservationKind::ToolingState => "tool",
        ObservationKind::RelationshipFact => "fact",
        ObservationKind::SelfModel => "self",
        ObservationKind::WorldFact => "world",
    };
    let about = match &reading.about {
        About::Known(id) => unreachable!("the rules know nobody: {id}"),
        About::Speaker => "I".to_owned(),
        About::Operator => "operator".to_owned(),
        About::Agent => "agent".to_owned(),
        About::World => "world".to_owned(),
        About::Named { name, likely } => format!("{}:{name}", likely.as_str()),
    };
    let denied = if reading.says == Says::Denies { "!" } else { "" };
    let replaced = reading.replaces.as_deref().map(|value| format!(" <- {value}")).unwrap_or_default();
    format!("{about} | {kind} | {} | {denied}{}{replaced}", reading.slot, reading.value)
}

fn labels(text: &str) -> Vec<String> {
    read(text).iter().map(label).collect()
}

struct Labelled {
    say: String,
    want: Vec<String>,
}

fn labelled(file: &str) -> Vec<Labelled> {
    let read = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a line of the set is JSON");
        let text = |value: &Value| value.as_str().expect("the set has only texts").to_owned();
        let want = row["want"].as_array().expect("a sentence has a list of labels");
        Labelled { say: text(&row["say"]), want: want.iter().map(text).collect() }
    };
    file.lines().map(read).collect()
}

#[derive(Default)]
struct Figures {
    sentences: usize,
    traps: usize,
    traps_avoided: usize,
    wanted: usize,
    read: usize,
    right: usize,
    misses: Vec<String>,
}

impl Figures {
    fn of(set: &[Labelled]) -> Figures {
        let mut figures = Figures { sentences: set.len(), ..Figures::default() };
        for Labelled { say, want } in set {
            let got = labels(say);
            figures.wanted += want.len();
            figures.read += got.len();
            figures.right += got.iter().filter(|label| want.contains(label)).count();
            figures.traps += usize::from(want.is_empty());
            figures.traps_avoided += usize::from(want.is_empty() && got.is_empty());
            if &got != want {
                figures.misses.push(format!("{say:?}\n    want {want:?}\n    got  {got:?}"));
            }
        }
        figures
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} sentences; {} claims of {} found (recall {:.3}), {} read (precision {:.3}); {} of {} traps avoided",
            self.sentences,
            self.right,
            self.wanted,
            self.recall(),
            self.read,
            self.precision(),
            self.traps_avoided,
            self.traps,
        );
        for miss in &self.misses {
            println!("  {miss}");
        }
    }

    fn precision(&self) -> f64 {
        self.right as f64 / self.read.max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.wanted.max(1) as f64
    }
}

#[test]
fn knowledge_set_is_read_well_enough() {
    let set = labelled(include_str!("knowledge_set.jsonl"));
    let figures = Figures::of(&set);
    figures.print("the set the rules were written against");
    assert!(set.len() >= 150 && figures.traps * 2 >= set.len(), "half of the set are traps");
    assert_eq!(figures.traps_avoided, figures.traps);
    assert!(figures.precision() >= 0.95, "precision {}", figures.precision());
    assert!(figures.recall() >= 0.9, "recall {}", figures.recall());
}

#[test]
fn knowledge_rules_read_nothing_that_is_not_said() {
    let said = "Maya prefers tea.";
    assert_eq!(labels(said), ["person:Maya | pref | drink | tea"]);
    for unsaid in [
        "Maya prefers tea?",
        "Maya prefers tea, right?",
        "Maya prefers tea, maybe.",
        "Maya prefers tea, if I remember well.",
        "Suppose: Maya prefers tea.",
        "Tom said: Maya prefers tea.",
        "\u{201c}Maya prefers tea.\u{201d}",
        "Translate this, Maya prefers tea.",
        "lol, Maya prefers tea",
        "Maya prefer tea.",
        "I prefers tea.",
        "Maya doesn't prefers tea.",
        "Maya can prefer tea.",
        "Maya prefers tea or coffee.",
        "Maya prefers tea and coffee.",
    ] {
        assert_eq!(labels(unsaid), [""; 0], "{unsaid}");
    }
}

#[test]
fn knowledge_rules_take_each_sentence_by_itself() {
    let two = labels("Maya prefers tea. If it rains, Tom prefers coffee. Does Tom? Tom lives in Graz.");
    assert_eq!(two, ["person:Maya | pref | drink | tea", "person:Tom | fact | residence | Graz"]);
}

#[test]
fn knowledge_rules_who_no_longer_likes_something_need_not_dislike_it() {
    for text in ["Tom no longer likes podcasts.", "Tom doesn't like podcasts any more."] {
        assert_eq!(labels(text), ["person:Tom | pref | preference | !podcasts"], "{text}");
    }
    let hates = ["person:Tom | pref | dislike | podcasts", "person:Tom | pref | preference | !podcasts"];
    assert_eq!(labels("Tom doesn't like podcasts."), hates);
}

#[test]
fn knowledge_rules_who_moves_between_companies_has_another_job_and_no_other_home() {
    for (text, want) in [
        ("Maya moved from Google to Contoso.", "person:Maya | fact | employer | Contoso <- Google"),
        ("I moved from Heron Ltd to Borealis.", "I | fact | employer | Borealis <- Heron Ltd"),
        ("I moved from Ghent to Porto.", "I | fact | residence | Porto <- Ghent"),
    ] {
        assert_eq!(labels(text), [want], "{text}");
    }
}

/// Written after the rules were done, in other words, and run once: the figures are what they were then. An earlier one
/// of 60 gave 31 of 38 claims with 34 read; its misses were looked at, so it is part of the other set now.
#[test]
fn knowledge_rules_he_and_it_are_who_was_spoken_of_in_the_same_sentence() {
    assert_eq!(
        labels("Alex no longer prefers PostgreSQL, he switched to SQLite."),
        ["person:Alex | pref | database | !PostgreSQL", "person:Alex | pref | database | SQLite"]
    );
    assert_eq!(
        labels("The staging server runs Ubuntu 24.04 and it listens on port 2525."),
        [
            "tool:staging server | tool | operating_system | Ubuntu 24.04",
            "tool:staging server | tool | port | 2525"
        ]
    );
    for nobody in [
        "She moved to Berlin and he works at Bosch.",
        "The staging server runs Debian, and he likes tea.",
        "Maya's boss is Tom, and she lives in Rome.",
        "I live in Porto, but she lives in Rome.",
    ] {
        let read = labels(nobody);
        let invented =
            |label: &&String| label.contains("Rome") || label.contains("tea") || label.contains("Bosch");
        assert_eq!(read.iter().find(invented), None, "{nobody}");
    }
    assert_eq!(labels("Maya lives in Rome.").len(), 1);
    assert_eq!(
        labels("Maya lives in Rome. She works at Bosch.").len(),
        1,
        "not from one sentence to the next"
    );
}

#[test]
fn knowledge_rules_how_somebody_is_answered_is_one_question() {
    for (said, style) in [
        ("I prefer short answers", "short"),
        ("Maya prefers detailed explanations", "detailed"),
        ("The user responds best to concise replies", "concise"),
    ] {
        let read = read(said);
        assert_eq!(read.len(), 1, "{said}");
        assert_eq!((read[0].slot.as_str(), read[0].value.as_str()), ("response_style", style), "{said}");
    }
    assert_eq!(labels("I prefer answers"), ["I | pref | preference | answers"]);
    assert_eq!(value_key("concise"), value_key("brief"));
    assert_ne!(value_key("concise"), value_key("thorough"));
}

#[test]
fn knowledge_rules_a_relative_by_name_and_a_date_for_a_launch() {
    assert_eq!(labels("My sister's name is Clara"), ["I | fact | sister | Clara"]);
    assert_eq!(labels("My sister's dog is Rex"), Vec::<String>::new());
    assert_eq!(labels("My name is Sam"), ["I | fact | name | Sam"]);
    assert_eq!(
        labels("The holace project is targeting June 2027 for launch"),
        ["project:holace | project | launch_target | June 2027"]
    );
    assert_eq!(labels("Falcon is targeting May for the release").len(), 1);
    assert_eq!(labels("Falcon is targeting May for dinner"), Vec::<String>::new());
}

#[test]
fn knowledge_held_out_set_is_reported() {
    let set = labelled(include_str!("knowledge_held_out.jsonl"));
    let figures = Figures::of(&set);
    figures.print("the held-out set");
    assert_eq!((set.len(), figures.traps, figures.traps_avoided), (60, 27, 27));
    assert_eq!((figures.wanted, figures.read, figures.right), (38, 37, 37));
}

//! A mind to read: every word that is kept is on a page or said to be left out, and no word of it can make a page be
//! anything else than it is.

use crate::contemplation::told;
use crate::conversation::say;
use crate::remember::remember;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use selfsame::archive::{Limits, Page, left_out_of_pages, readable};
use selfsame::calendar::CalendarDraft;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::conversation::{OpenRequest, Place};
use selfsame::diary::DiaryDraft;
use selfsame::entity::NewEntity;
use selfsame::heartbeat::NudgeKind;
use selfsame::lesson::NewLesson;
use selfsame::memory::Draft;
use selfsame::reflection::NewReflection;
use selfsame::relationship::Assignment;
use selfsame::self_care::{CareRequest, What};
use selfsame::soul::SoulKind;
use selfsame::time::Zone;
use selfsame::todo::TodoDraft;
use selfsame::trust::Privacy;
use selfsame::{Engine, Mind, Speaker};
use selfsame_core::entity::EntityKind;
use selfsame_core::lesson::LessonKind;
use selfsame_store::schema::{self, Type};
use selfsame_store::tables::TABLES;
use selfsame_store::words::{self, PLACES};
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::{Bench, both_engines};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

/// How a name is looked up; the name itself is shown.
const NOT_FOR_PEOPLE: [(&str, &str); 1] = [("entity_names", "name_key")];

fn is_words(table: &str, column: &str) -> bool {
    PLACES.iter().any(|place| place.table == table && place.words.contains(&column))
}

/// One row of a table whose every word is made by `words`; all rows belong together.
fn row_of(table: &str, words: &dyn Fn(&str, &str) -> Value) -> Value {
    let mut row = serde_json::Map::new();
    for column in &schema::present()[table] {
        let name = column.name.as_str();
        let value = match column.sort {
            _ if is_words(table, name) => words(table, name),
            Type::Id => "0190000000007000800000000000abcd".into(),
            Type::Int => 1.into(),
            Type::Real => json!(0.5),
            Type::Bool => (name != "hidden").into(),
            Type::Time => 1_900_000_000_000_000_i64.into(),
            Type::Text if name == "day" => "2030-03-17".into(),
            Type::Text => "agent".into(),
            Type::Bytes | Type::Vector => "00".into(),
            Type::Json => json!([]),
        };
        row.insert(column.name.clone(), value);
    }
    row.into()
}

/// The pages of one row of each table, and the tables that were asked for.
fn pages_of(words: &dyn Fn(&str, &str) -> Value) -> (Vec<Page>, BTreeSet<String>) {
    let (zone, mut asked) = (Zone::parse("Europe/Berlin").unwrap(), BTreeSet::new());
    let pages = readable(&zone, |table| {
        asked.insert(table.to_owned());
        Ok(vec![row_of(table, words)])
    });
    (pages.unwrap(), asked)
}

fn canary(table: &str, column: &str) -> String {
    format!("zq{}zq{}zq", table.replace('_', ""), column.replace('_', ""))
}

#[test]
fn a_table_is_shown_whole_or_said_to_be_left_out() {
    // A column of JSON may hold a list, or things within things.
    let plainly = |table: &str, column: &str| match schema::present()[table]
        .iter()
        .find(|known| known.name == column)
        .unwrap()
        .sort
    {
        Type::Json => json!([canary(table, column)]),
        _ => canary(table, column).into(),
    };
    let deeply = |table: &str, column: &str| match plainly(table, column) {
        Value::Array(_) => json!({ canary(table, column): [{ "within": [1, true, canary(table, column)] }] }),
        _ => format!("first line\n\n{}\n", canary(table, column)).into(),
    };
    for words in [&plainly as &dyn Fn(&str, &str) -> Value, &deeply] {
        let (pages, asked) = pages_of(words);
        let all: String = pages.iter().map(|(_, text)| text.as_str()).collect();
        let left: BTreeSet<&str> = left_out_of_pages().map(|(table, _)| table).collect();
        for table in TABLES {
            // Links are looked at, and not shown.
            let is_shown = asked.contains(table.name) && table.name != "links";
            assert_ne!(is_shown, left.contains(table.name), "{} is shown, or it is listed", table.name);
        }
        for place in words::with_words().filter(|place| asked.contains(place.table)) {
            for column in place.words.iter().filter(|column| !NOT_FOR_PEOPLE.contains(&(place.table, column)))
            {
                assert!(
                    all.contains(&canary(place.table, column)),
                    "{}.{column} is on no page:\n{all}",
                    place.table
                );
            }
        }
        for (table, why) in left_out_of_pages() {
            let says = |line: &str| {
                let tables = line.strip_prefix("- ").and_then(|line| line.strip_suffix(&format!(": {why}")));
                tables.is_some_and(|tables| tables.split(", ").any(|one| one == table))
            };
            assert!(pages[0].1.lines().any(says), "the first page says it: {table}");
        }
    }
}

#[test]
fn what_a_link_is_still_copying_is_on_no_page() {
    let zone = Zone::parse("UTC").unwrap();
    let shown = |hidden: bool| {
        let pages = readable(&zone, |table| {
            let mut row = row_of(table, &|table, column| canary(table, column).into());
            row["author"] = "link".into();
            row["source_ref"] = "lnk_one".into();
            row["tags"] = json!([]);
            if table == "links" {
                row["hidden"] = hidden.into();
            }
            Ok(vec![row])
        });
        pages.unwrap().iter().any(|(_, text)| text.contains(&canary("memory_items", "content")))
    };
    assert!(shown(false));
    assert!(!shown(true));
}

/// What a page is made of for whoever shows it, without the words.
fn shape(text: &str) -> Vec<String> {
    let parts = Parser::new_ext(text, Options::all() - Options::ENABLE_SMART_PUNCTUATION);
    let is_wordly = |tag: &Tag<'_>| {
        matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript)
    };
    let is_wordly_end = |tag: &TagEnd| {
        matches!(
            tag,
            TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Superscript
                | TagEnd::Subscript
        )
    };
    parts
        .filter_map(|event| match event {
            Event::Start(Tag::Heading { level, .. }) => Some(format!("{level}")),
            Event::Start(tag) if !is_wordly(&tag) => Some(format!("{tag:?}")),
            Event::End(tag) if !is_wordly_end(&tag) => Some(format!("/{tag:?}")),
            Event::Html(_) | Event::InlineHtml(_) | Event::Rule | Event::FootnoteReference(_) => {
                Some(format!("{event:?}"))
            }
            Event::Code(code) if code.starts_with("selfsame export") || code.starts_with("--markdown") => {
                None
            }
            Event::Code(_) => Some("code".into()),
            Event::TaskListMarker(_) => Some("box".into()),
            _ => None,
        })
        .collect()
}

/// The same text with nothing in it that means anything.
fn dull(text: &str) -> String {
    text.chars().map(|c| if c.is_whitespace() { c } else { 'x' }).collect()
}

/// Pages of rows that all say this have the shape of pages that say nothing, and lie where the others do.
fn stays_within(text: &str) {
    let said = |text: &str| {
        let text = text.to_owned();
        let is_json = |table: &str, column: &str| {
            schema::present()[table].iter().any(|known| known.name == column && known.sort == Type::Json)
        };
        pages_of(&|table, column| match is_json(table, column) {
            true => json!({ text.clone(): { "of": [text.clone()], "so": text.clone() } }),
            false => text.clone().into(),
        })
        .0
    };
    let (loud, quiet) = (said(text), said(&dull(text)));
    assert_eq!(loud.len(), quiet.len());
    for ((path, loud), (other, quiet)) in loud.iter().zip(&quiet) {
        assert_eq!(path, other);
        assert_eq!(shape(loud), shape(quiet), "{path}, of {text:?}:\n{loud}");
        let strange = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
        assert!(!loud.contains(strange), "{path}: {text:?}");
    }
}

#[test]
fn no_word_makes_a_page_anything_else() {
    let tricks = [
        "# A heading",
        "words\n# A heading\n## And another",
        "---\ntitle: front matter\n---\n",
        "---",
        "words\n===\nmore\n---\n",
        "- a point\n- another\n  - below",
        "1. first\n2) second",
        "> said before",
        "```\ncode that never ends",
        "~~~\ncode",
        "`code that never ends",
        "<script>alert(1)</script>",
        "<!-- from here on nothing is seen",
        "<details><summary>",
        "![a picture](https://example.com/pixel.png)",
        "[a link](javascript:alert(1))",
        "[a link][1]\n\n[1]: https://example.com",
        "<https://example.com>",
        "| a | b |\n| --- | --- |\n| c | d |",
        ":--- | ---:\nwords",
        "[^1] and\n\n[^1]: a note",
        "[x] done",
        "*** \n___\n* * *",
        "&lt;b&gt; &#35; heading",
        "a \\",
        "\\# \\[not\\]",
        "tail  \nof two spaces",
        "\r# after a lone return\r\n# and another",
        "\u{202e}backwards\u{1b}[2J\u{7}\u{0}",
        "$$ math $$ $x$",
        "+++\ntoml = true\n+++",
        "a]](b) ]: [[wiki]]",
        "../../../etc/passwd",
        "",
        "   ",
    ];
    for trick in tricks {
        stays_within(trick);
    }
    stays_within(&"a very long title, ".repeat(2_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nor_does_any_other(text in r"(# |- |\n|\n\n|<b>|\[a\]\(b\)|```|---|a|1\. |> |\|--|===|:|~~~|\\|`|\]|\[\^1\]: | ){1,8}") {
        stays_within(&text);
    }
}

#[test]
fn a_file_is_named_by_nobody() {
    // Even where somebody wrote what we write ourselves.
    let forged = |_: &str, _: &str| json!("../../up");
    let zone = Zone::parse("UTC").unwrap();
    let pages = readable(&zone, |table| {
        let mut row = row_of(table, &forged);
        for field in ["day", "name", "title", "channel"] {
            if !row[field].is_null() {
                row[field] = "../../C:\\up/\u{0}\n".into();
            }
        }
        Ok(vec![row.clone(), row])
    });
    for (path, _) in pages.unwrap() {
        assert!(is_below(&path), "{path:?}");
        assert!(path.len() < 100, "{path:?}");
    }
}

fn is_below(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
        && path.chars().all(plain)
        && path.ends_with(".md")
}

/// Tells every layer a word of its own, in a text that would like to be a heading.
fn fill(bench: &Bench) -> Mind {
    let mut settings = Settings::default();
    settings.contemplation.enabled = true;
    settings.thinker.kind = ThinkerKind::Model;
    let said = told("zanzepisode", "");
    let thinker = Arc::new(ScriptedThinker::acting(move |_, _| Ok(said.clone())));
    let mind = bench.open_as(settings, |opening| opening.thinkers(Arc::new(OneThinker(thinker))));
    let agent = mind.ensure_agent("main").unwrap();
    let operator = mind.access("main", Speaker::Operator).unwrap();
    let own = mind.access("main", Speaker::Agent(None)).unwrap();
    let memory = remember(&operator, "# zanzmemory\n---\n- zanzline");
    let draft =
        Draft { tags: vec!["zanztag".into()], source: Some("zanzsource".into()), ..Draft::new("Tagged") };
    operator.remember(draft, None).unwrap();
    for place in ["one", "two"] {
        let open = OpenRequest {
            place: Some(Place::Channel(format!("zanzchannel{place}"))),
            title: Some("../zanztitle".into()),
            ..OpenRequest::default()
        };
        operator.conversation_open(&open, None).unwrap();
        say(&operator, &format!("zanzchannel{place}"), &format!("I prefer zanzmessage{place}\n# over all"));
    }
    operator.capture("I think that the zanzinbox is a decision we made", Privacy::Private, None).unwrap();
    let mut diary = DiaryDraft::new("zanzdiary\n---\nends");
    (diary.mood, diary.location) = (Some("zanzmood".into()), Some("zanzplace".into()));
    diary.detail = Some(json!({ "weather": "zanzdetail" }));
    own.write_diary(diary, None).unwrap();
    let mut todo = TodoDraft::new("zanztodo");
    todo.description = Some("zanzdescription".into());
    operator.add_todo(todo, None).unwrap();
    let mut event = CalendarDraft::new("zanzevent", "2031-01-01T10:00");
    event.location = Some("zanzwhere".into());
    operator.add_to_calendar(event, None).unwrap();
    own.add_to_soul(SoulKind::Value, "zanzsoul", "zanzreason", None).unwrap();
    for kind in [EntityKind::Person, EntityKind::Place] {
        let new = NewEntity { name: "Zanzname".into(), kind, aliases: vec!["Zanzalias".into()] };
        let entity = operator.entity_add(&new, None).unwrap().id.to_string();
        operator.entity_profile(&entity, "zanzprofile", &[], None).unwrap();
    }
    let stands = Assignment {
        kind: "zanzally".into(),
        trust: Some(0.5),
        tone: Some("zanztone".into()),
        rationale: "zanzrationale".into(),
        notes: Some("zanznotes".into()),
    };
    own.assign_relationship("operator", &stands, None).unwrap();
    let now = mind.now();
    let reflection =
        NewReflection { content: "zanzreflection".into(), from: now, until: now, sources: vec![memory] };
    own.reflect(reflection, None).unwrap();
    let mut lesson = NewLesson::new(LessonKind::Discovery, "zanzlesson", vec![memory]);
    lesson.correction = Some("zanzcorrection".into());
    own.learn(lesson, None).unwrap();
    operator.set_document("CONTEMPLATION.md", "# zanzdocument", None).unwrap();
    remember(&operator, "Maya lives in Zanzbelief");
    operator.consolidate().unwrap();
    operator.contemplate().unwrap();
    bench.nudge(&agent, NudgeKind::Reminder, &[]);
    drop((operator, own));
    // Without a thinker sentences are chosen.
    drop(mind);
    let mut settings = Settings::default();
    (settings.self_care.least, settings.self_care.least_focused) = (1, 1);
    let mind = bench.open_settings(settings);
    let own = mind.access("main", Speaker::Agent(None)).unwrap();
    (0..40).for_each(|n| {
        remember(&own, &format!("Crate {n} of the zanzorchard has {} apples", n * 7));
    });
    bench.clock().advance(Duration::from_secs(40 * 86_400));
    own.self_care(&CareRequest { focus: Some("zanzorchard".into()), what: What::Memories }).unwrap();
    drop(own);
    mind
}

const LAYERS: [(&str, &[&str]); 14] = [
    ("memories.md", &["zanzmemory", "zanzline", "zanztag", "zanzsource"]),
    (
        "conversations/",
        &["zanzchannelone", "zanzmessageone", "zanzchanneltwo", "zanzmessagetwo", "zanztitle"],
    ),
    ("inbox.md", &["zanzmessageone"]),
    ("diary/", &["zanzdiary", "zanzmood", "zanzplace", "zanzdetail"]),
    ("todos.md", &["zanztodo", "zanzdescription"]),
    ("calendar.md", &["zanzevent", "zanzwhere"]),
    ("soul.md", &["zanzsoul", "zanzreason"]),
    ("entities.md", &["Zanzname", "Zanzalias", "zanzprofile"]),
    ("relationships.md", &["zanzally", "zanztone", "zanzrationale", "zanznotes"]),
    ("reflections.md", &["zanzreflection"]),
    ("lessons.md", &["zanzlesson", "zanzcorrection"]),
    ("documents.md", &["zanzdocument"]),
    ("beliefs.md", &["Zanzbelief", "support:"]),
    ("episodes.md", &["zanzepisode", "zanzepisode noticed"]),
];

fn other(bench: &Bench) -> Bench {
    match bench.engine() {
        Engine::Sqlite => Bench::postgres(),
        Engine::Postgres => Bench::sqlite(),
    }
}

both_engines! {
    fn every_layer_is_on_its_page(bench: Bench) {
        let mind = fill(&bench);
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let pages = operator.export_markdown().unwrap();
        for (place, words) in LAYERS {
            let text: String =
                pages.iter().filter(|(path, _)| path.starts_with(place)).map(|(_, text)| text.as_str()).collect();
            for word in words {
                assert!(text.contains(word), "{word} is not in {place}:\n{text}");
            }
        }
        let page = |name: &str| &pages.iter().find(|(path, _)| path == name).unwrap().1;
        assert!(page("summaries.md").contains("with a view to: zanzorchard"), "{}", page("summaries.md"));
        assert!(page("nudges.md").contains("to operator, reminder"), "{}", page("nudges.md"));
        assert_eq!(page("entities.md").matches("- Zanzname (").count(), 2, "two of one name");
        // Every file has a place of its own, also where letters have no case.
        let places: BTreeSet<String> = pages.iter().map(|(path, _)| path.to_lowercase()).collect();
        assert_eq!(places.len(), pages.len());
        assert_eq!(places.iter().filter(|path| path.starts_with("conversations/")).count(), 2);
        for (path, text) in &pages {
            assert!(is_below(path), "{path:?}");
            assert!(text.starts_with("# "), "{path}");
            if path != "README.md" {
                assert!(page("README.md").contains(&format!("]({path}): ")), "{path}");
            }
        }
        assert!(mind.access("main", Speaker::Agent(None)).unwrap().export_markdown().is_err(), "for the operator");
        // The other engine shows the same of the same mind.
        let there = other(&bench);
        let archive = mind.export(&["main"]).unwrap().bytes;
        there.mind().import_archive(Cursor::new(archive), None, false, Limits::default()).unwrap();
        assert_eq!(there.access("main", Speaker::Operator).export_markdown().unwrap(), pages);
    }
}

//! What other systems wrote lands in the inbox, once, and can be taken back.

use crate::remember::remember;
use selfsame::forget::{Item, ItemKind, Order, What};
use selfsame::id::RunId;
use selfsame::import::{Cargo, File, Format, Imported, Undone, unpack, unpack_bytes};
use selfsame::inbox::{CandidateKind, Decision, Status, Verdict};
use selfsame::recall::Question;
use selfsame::trust::{Author, Privacy};
use selfsame::{Access, Class, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeSet;
use std::io::{Cursor, Write as _};
use std::path::PathBuf;
use std::time::Duration;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const DAY: Duration = Duration::from_secs(86_400);

/// Small samples, each as its system writes it; and what is to be found in it.
struct Sample {
    format: Format,
    place: &'static str,
    seen: &'static [(&'static str, u64)],
    kinds: &'static [(CandidateKind, u64)],
    words: &'static [&'static str],
}

const SAMPLES: [Sample; 6] = [
    Sample {
        format: Format::MemoryFile,
        place: "MEMORY.md",
        seen: &[("files", 1)],
        kinds: &[(CandidateKind::Preference, 1), (CandidateKind::Commitment, 1), (CandidateKind::Fact, 3)],
        words: &[
            "Infrastructure: Port: 5433",
            "The staging database runs on PostgreSQL 17, in the basement.",
        ],
    },
    Sample {
        format: Format::Notes,
        place: "notes",
        seen: &[("notes", 2)],
        kinds: &[(CandidateKind::Commitment, 1), (CandidateKind::Fact, 3)],
        words: &["Bees: The second hive stands behind the shed.", "Garden: Ask Maya about the hedge"],
    },
    Sample {
        format: Format::ChatGpt,
        place: "chatgpt.json",
        seen: &[("conversations", 2), ("messages", 4)],
        kinds: &[(CandidateKind::Preference, 1), (CandidateKind::Fact, 1)],
        words: &["I prefer tea over coffee.", "the cabin is in Norway."],
    },
    Sample {
        format: Format::Claude,
        place: "claude",
        seen: &[("conversations", 1), ("files", 1), ("messages", 2)],
        kinds: &[(CandidateKind::Preference, 1), (CandidateKind::Fact, 2)],
        words: &["I prefer window seats on trains.", "Leads the billing team in Oslo."],
    },
    Sample {
        format: Format::ServerMemory,
        place: "memory.jsonl",
        seen: &[("entities", 2), ("observations", 3), ("relations", 1)],
        kinds: &[(CandidateKind::Relationship, 1), (CandidateKind::Fact, 3)],
        words: &["John Smith: Speaks fluent Spanish", "John Smith works at Acme"],
    },
    Sample {
        format: Format::Mem0,
        place: "mem0.json",
        seen: &[("memories", 2), ("relations", 1)],
        kinds: &[(CandidateKind::Relationship, 1), (CandidateKind::Fact, 2)],
        words: &["Name is Alex and lives in Lisbon", "alex likes hiking"],
    },
];

fn sample_path(place: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/foreign").join(place)
}

fn files(place: &str) -> Vec<File> {
    match unpack(&sample_path(place)).unwrap() {
        Cargo::Foreign(files) => files,
        Cargo::Archive => panic!("{place} is no archive of ours"),
    }
}

fn import(access: &Access, place: &str) -> Imported {
    access.import(place, &files(place), None, false).unwrap()
}

fn pending(access: &Access) -> BTreeSet<String> {
    access.inbox(Status::Pending, 1000).unwrap().iter().map(|one| one.content.clone()).collect()
}

fn promote_all(access: &Access) {
    let all = access.inbox(Status::Pending, 1000).unwrap();
    let decisions: Vec<Decision> = all.iter().map(|one| Decision::new(one.id, Verdict::Promote)).collect();
    access.review_inbox(&decisions).unwrap();
}

both_engines! {
    fn each_format_is_recognised_counted_filed_once_and_taken_back(bench: Bench) {
        for sample in &SAMPLES {
            let name = sample.format.as_str();
            let agent = bench.agent(name);
            let access = bench.access(name, Speaker::Operator);
            let before = bench.dump();
            let dry = access.import(sample.place, &files(sample.place), None, true).unwrap();
            assert_eq!(bench.dump(), before, "{name}: a dry run changes nothing");
            assert_eq!(dry.format, sample.format);
            assert_eq!(dry.seen.iter().map(|(what, count)| (*what, *count)).collect::<Vec<_>>(), sample.seen, "{name}");
            assert_eq!(dry.kinds.iter().map(|(kind, count)| (*kind, *count)).collect::<Vec<_>>(), sample.kinds, "{name}: {dry:?}");
            assert_eq!((dry.run, dry.known), (None, 0));
            let done = import(&access, sample.place);
            let run = done.run.unwrap();
            assert_eq!(Imported { run: None, ..done.clone() }, dry, "{name}: the dry run was right");
            let filed = access.inbox(Status::Pending, 1000).unwrap();
            assert_eq!(filed.len() as u64, dry.filed, "{name}");
            for one in &filed {
                assert_eq!(one.provenance.author(), Author::Import);
                assert_eq!(one.provenance.principal_id(), Some(agent.operator));
                assert!(one.provenance.trust().value() < 0.5);
                assert!(one.provenance.source().unwrap().starts_with(&run.to_string()));
            }
            for words in sample.words {
                assert!(pending(&access).contains(*words), "{name}: {words:?} in {:?}", pending(&access));
            }
            // Twice is once.
            let state = pending(&access);
            let again = import(&access, sample.place);
            assert_eq!((again.run, again.filed, again.known), (None, 0, dry.filed), "{name}");
            assert_eq!(pending(&access), state);
            assert_eq!(access.import_runs().unwrap().iter().map(|run| run.id).collect::<Vec<_>>(), [run]);
            // And gone, by its run.
            let would = access.undo_import(run, true).unwrap();
            assert_eq!(pending(&access), state);
            assert_eq!(access.undo_import(run, false).unwrap(), would);
            assert_eq!(would, Undone { candidates: dry.filed, memories: 0, kept: 0 });
            assert_eq!(pending(&access), BTreeSet::new(), "{name}");
            assert!(access.import_runs().unwrap()[0].undone_at.is_some());
            assert_eq!(access.undo_import(run, false).unwrap_err().class(), Class::BadInput);
            // What was taken back may come again.
            assert_eq!(import(&access, sample.place).filed, dry.filed);
        }
        assert_eq!(bench.mind().verify().unwrap().problems, Vec::<String>::new());
    }

    fn what_became_memory_goes_with_its_run_unless_something_else_supports_it(bench: Bench) {
        let access = bench.main();
        let run = import(&access, "memory.jsonl").run.unwrap();
        promote_all(&access);
        let found = |question: &str| access.recall(&Question::new(question)).unwrap().hits.len();
        assert_eq!(found("who speaks Spanish?"), 1);
        // Somebody says one of the things too, in their own name.
        let known = access.memories(&selfsame::memory::Which::default(), 100).unwrap();
        let spanish = known.iter().find(|memory| memory.content.contains("Spanish")).unwrap();
        let mut same = selfsame::memory::Draft::new(spanish.content.clone());
        same.kind = spanish.kind;
        let said = access.remember(same, None).unwrap();
        let undone = access.undo_import(run, false).unwrap();
        let left = access.memories(&selfsame::memory::Which::default(), 100).unwrap();
        assert!(left.iter().all(|memory| memory.content.contains("Spanish")), "{left:?}");
        assert!(left.iter().any(|memory| memory.id == said.id));
        assert_eq!(undone.candidates, 4);
        assert_eq!(undone.memories + undone.kept, 4);
        assert_eq!(found("who speaks Spanish?"), 1);
        assert_eq!(found("who builds clocks?"), 0);
        assert_eq!(bench.mind().verify().unwrap().problems, Vec::<String>::new());
    }

    fn what_was_decided_on_is_not_brought_again(bench: Bench) {
        let access = bench.main();
        let filed = import(&access, "memory.jsonl").filed;
        let all = access.inbox(Status::Pending, 10).unwrap();
        let verdicts = [Verdict::Promote, Verdict::Reject].into_iter().cycle();
        let decisions: Vec<Decision> = all.iter().zip(verdicts).map(|(one, verdict)| Decision::new(one.id, verdict)).collect();
        access.review_inbox(&decisions).unwrap();
        // What was forgotten least of all.
        let item = Item { kind: ItemKind::Candidate, id: all[1].id.id() };
        access.forget_all(&Order::of(What::Item(item)), None).unwrap();
        let before = bench.dump();
        for dry_run in [true, false] {
            let again = access.import("memory.jsonl", &files("memory.jsonl"), None, dry_run).unwrap();
            assert_eq!((again.run, again.filed, again.known), (None, 0, filed), "dry run: {dry_run}");
            assert_eq!(bench.dump(), before, "twice is once, whatever became of it");
        }
    }

    fn an_import_pushes_nobody_out_of_the_inbox_and_is_pushed_out_by_nobody(bench: Bench) {
        let access = bench.main();
        access.capture("I prefer rye bread over wheat.", Privacy::Shared, None).unwrap();
        let many: String = (0..1500).map(|number| format!("- The drawer number {number} holds screws\n")).collect();
        let file = File { name: "MEMORY.md".into(), text: many };
        let done = access.import("MEMORY.md", &[file], None, false).unwrap();
        assert_eq!(done.filed, 1500);
        let counts = || {
            let all = access.inbox(Status::Expired, 1000).unwrap();
            (all.len(), access.inbox(Status::Pending, 1000).unwrap().len())
        };
        assert_eq!(counts(), (0, 1000));
        // Life goes on, with the rules deciding on what people say and not on what was brought.
        access.capture("I prefer plums over pears.", Privacy::Shared, None).unwrap();
        bench.clock().advance(40 * DAY);
        let reviewed = access.review_inbox_by_rules().unwrap();
        assert_eq!(reviewed.len(), 2, "{reviewed:?}");
        let scheduler = selfsame::jobs::scheduler(bench.mind().settings());
        bench.mind().ensure_house_duties().unwrap();
        scheduler.step(bench.mind()).unwrap();
        assert_eq!(access.inbox(Status::Expired, 1000).unwrap().len(), 0);
        let undone = access.undo_import(done.run.unwrap(), false).unwrap();
        assert_eq!(undone.candidates, 1500);
        assert_eq!(counts(), (0, 0));
    }

    fn only_the_operator_imports(bench: Bench) {
        let access = bench.main();
        let run = import(&access, "MEMORY.md").run.unwrap();
        let own = bench.access("main", Speaker::Agent(None));
        let file = files("MEMORY.md");
        for error in [
            own.import("x", &file, None, false).unwrap_err(),
            own.import_runs().unwrap_err(),
            own.undo_import(run, false).unwrap_err(),
        ] {
            assert_eq!(error.class(), Class::Forbidden);
        }
        let nobody = RunId::of(bench.fresh_id());
        assert_eq!(access.undo_import(nobody, false).unwrap_err().class(), Class::NotFound);
        remember(&access, "still here");
    }
}

#[test]
fn a_format_can_be_named_and_nonsense_is_refused() {
    let bench = Bench::sqlite();
    let access = bench.main();
    let text = |name: &str, text: &str| vec![File { name: name.into(), text: text.into() }];
    for (name, content) in [("a.json", "{\"x\":1}"), ("a.json", "[1,2"), ("a.bin", "\u{1}")] {
        let error = access.import(name, &text(name, content), None, false).unwrap_err();
        assert!(error.to_string().contains("--format"), "{error}");
    }
    assert!(access.import("nothing", &[], None, false).unwrap_err().to_string().contains("no file"));
    let named = access.import(
        "todo.txt",
        &text("todo.txt", "- [ ] call the plumber today"),
        Some(Format::MemoryFile),
        true,
    );
    assert_eq!(named.unwrap().kinds.into_iter().collect::<Vec<_>>(), [(CandidateKind::Commitment, 1)]);
    // Broken lines are told and the others are read.
    let lines = "{\"type\":\"entity\",\"name\":\"A\",\"observations\":[\"reads books about birds\"]}\nnonsense\n{\"type\":\"x\"}\n";
    let found = access.import("m.jsonl", &text("m.jsonl", lines), None, true).unwrap();
    assert_eq!((found.filed, found.unread.len()), (1, 2));
}

#[test]
fn zips_of_other_systems_are_looked_at_before_they_are_unpacked() {
    let zipped = |name: &str, content: &[u8]| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
        zip.finish().unwrap().into_inner()
    };
    let export = std::fs::read(sample_path("chatgpt.json")).unwrap();
    let Cargo::Foreign(found) = unpack_bytes("export.zip", zipped("conversations.json", &export)).unwrap()
    else {
        panic!("it is not ours")
    };
    assert_eq!(found.len(), 1);
    let bomb = zipped("conversations.json", &vec![b' '; 8 << 20]);
    assert!(bomb.len() < 1 << 20);
    assert!(unpack_bytes("export.zip", bomb).unwrap_err().to_string().contains("grows too much"));
    for name in [
        "../../../etc/notes.md",
        "a/../../notes.md",
        "/etc/notes.md",
        "C:\\notes.md",
        "a\\..\\notes.md",
        "../picture.png",
    ] {
        let error = unpack_bytes("x.zip", zipped(name, b"- The gate code changed today")).unwrap_err();
        assert!(error.to_string().contains("leads elsewhere"), "{name}: {error}");
        assert_eq!(error.class(), Class::BadInput);
    }
    for name in ["a/notes.md", "a..b/notes..md", "./notes.md"] {
        unpack_bytes("x.zip", zipped(name, b"- The gate code changed today")).unwrap();
    }
    assert!(unpack_bytes("x.zip", b"PK\x03\x04 and nothing".to_vec()).is_err());
}

#[test]
fn files_of_a_zip_that_share_a_name_or_their_bytes_are_no_more_than_one() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["one.md", "two.md"] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(b"- The gate code changed today").unwrap();
    }
    let whole = zip.finish().unwrap().into_inner();
    let Cargo::Foreign(found) = unpack_bytes("x.zip", whole.clone()).unwrap() else { panic!() };
    assert_eq!(found.len(), 2);
    let places = |word: &[u8]| -> Vec<usize> {
        (0..whole.len() - word.len()).filter(|at| whole[*at..].starts_with(word)).collect()
    };
    // Both are called the same.
    let mut doubled = whole.clone();
    for at in places(b"two.md") {
        doubled[at..at + 3].copy_from_slice(b"one");
    }
    if let Ok(Cargo::Foreign(found)) = unpack_bytes("x.zip", doubled) {
        assert_eq!(found.len(), 1, "{found:?}");
    }
    // Both begin at the first byte: the second's entry in the list at the end points there.
    let second = places(b"PK\x01\x02")[1];
    let mut overlapping = whole.clone();
    overlapping[second + 42..second + 46].copy_from_slice(&[0; 4]);
    let error = unpack_bytes("x.zip", overlapping).unwrap_err().to_string();
    assert!(error.contains("lie upon each other"), "{error}");
}

#[test]
fn links_in_a_folder_of_notes_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.md"), "- The gate code changed today").unwrap();
    std::fs::write(folder.path().join(".hidden.md"), "- The hidden one stays hidden here").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("theirs.md")).unwrap();
    std::os::unix::fs::symlink("/", folder.path().join("root")).unwrap();
    let Cargo::Foreign(found) = unpack(folder.path()).unwrap() else { panic!("it is not ours") };
    assert_eq!(found.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["own.md"]);
}

//! A mind leaves in one file and is the same mind elsewhere; a file that is not what it says is refused whole.

use crate::conversation::say;
use crate::remember::remember;
use selfsame::archive::{self, Exported, Limits};
use selfsame::calendar::CalendarDraft;
use selfsame::diary::DiaryDraft;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::memory::{Draft, MemoryKind};
use selfsame::recall::Question;
use selfsame::relationship::Assignment;
use selfsame::seal::hex;
use selfsame::soul::SoulKind;
use selfsame::todo::TodoDraft;
use selfsame::trust::Privacy;
use selfsame::{Class, Engine, Error, Mind, Speaker};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, both_engines, dump};
use std::io::{Cursor, Read as _, Write as _};
use std::time::Duration;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const HOUR: Duration = Duration::from_secs(3600);

fn other(bench: &Bench) -> Bench {
    match bench.engine() {
        Engine::Sqlite => Bench::postgres(),
        Engine::Postgres => Bench::sqlite(),
    }
}

/// A life with something in nearly every table.
pub fn live(bench: &Bench, name: &str) {
    bench.agent(name);
    let maya = bench.principal(&bench.mind().require_agent(name).unwrap(), "maya");
    let operator = bench.access(name, Speaker::Operator);
    let own = bench.access(name, Speaker::Agent(None));
    remember(&operator, "Maya's office is in Berlin; she said „naïve Straße“ 日本");
    remember(&operator, "Maya's office is in Hamburg");
    let gone = remember(&operator, "This will be forgotten on purpose");
    let plan = Draft { kind: MemoryKind::Plan, ..Draft::new("Repaint the fence by Friday") };
    operator.remember(plan, None).unwrap();
    let said = bench.access(name, Speaker::Principal(maya));
    said.capture(
        "Please remember that the cabin is in Norway. I prefer tea over coffee.",
        Privacy::Shared,
        None,
    )
    .unwrap();
    for hour in 0..3 {
        say(&operator, "terminal", &format!("good hour {hour} to you, I prefer hour {hour}"));
        bench.clock().advance(HOUR);
    }
    own.add_to_soul(SoulKind::Value, "I keep my word", "it was kept to me", None).unwrap();
    own.write_diary(DiaryDraft::new("A heron came"), None).unwrap();
    operator
        .add_todo(TodoDraft { due: Some("2030-03-01".into()), ..TodoDraft::new("Order frames") }, None)
        .unwrap();
    let draft = CalendarDraft {
        recurrence: Some("FREQ=YEARLY".into()),
        ..CalendarDraft::new("Harvest", "2030-07-01T09:00")
    };
    let event = operator.add_to_calendar(draft, None).unwrap().id;
    operator.remove_from_calendar(event, Some("2031-07-01T09:00"), Some("ill"), None).unwrap();
    let assignment = Assignment {
        kind: "ally".into(),
        trust: Some(0.6),
        tone: None,
        rationale: "helps".into(),
        notes: None,
    };
    own.assign_relationship("operator", &assignment, None).unwrap();
    operator.consolidate().unwrap();
    operator.heartbeat_tick(None).unwrap();
    operator.set_document("CONTEMPLATION.md", "Think of the bees.", None).unwrap();
    operator.forget(gone, None).unwrap();
    operator.recall(&Question::new("where is Maya's office?")).unwrap();
    bench.mind().write_touches().unwrap();
}

fn export(mind: &Mind, names: &[&str]) -> Exported {
    mind.export(names).unwrap()
}

fn import(mind: &Mind, bytes: &[u8], name: Option<&str>) -> Result<archive::Arrived, Error> {
    mind.import_archive(Cursor::new(bytes), name, false, Limits::default())
}

/// The files of an archive.
fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let count = zip.len();
    let one = |index| {
        let mut file = zip.by_index(index).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        (file.name().unwrap().into_owned(), content)
    };
    (0..count).map(one).collect()
}

fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The archive with a file changed and, if asked, the manifest made to fit.
fn changed(bytes: &[u8], name: &str, fit: bool, change: impl Fn(&str) -> String) -> Vec<u8> {
    let mut files = files(bytes);
    let at = files.iter().position(|(known, _)| known.ends_with(name)).unwrap();
    let before = String::from_utf8(files[at].1.clone()).unwrap();
    let after = change(&before);
    assert_ne!(before, after, "{name}");
    files[at].1 = after.clone().into_bytes();
    if fit {
        let manifest = files.iter_mut().find(|(name, _)| name == "manifest.json").unwrap();
        let text = String::from_utf8(manifest.1.clone()).unwrap();
        let hash = |text: &str| hex(&selfsame::seal::sha256(&[text.as_bytes()]));
        let text = text.replace(&hash(&before), &hash(&after));
        let size = |text: &str, hash: &str| {
            format!("\"bytes\":{},\"rows\":{},\"sha256\":\"{hash}\"", text.len(), text.lines().count())
        };
        let (old, new) = (hash(&after), hash(&after));
        manifest.1 = text.replace(&size(&before, &old), &size(&after, &new)).into_bytes();
    }
    zipped(&files)
}

fn is_refused(bench: &Bench, bytes: &[u8], why: &str) {
    let before = bench.dump();
    let error = import(bench.mind(), bytes, None).unwrap_err();
    assert!(error.to_string().contains(why), "{why:?}: {error}");
    assert_eq!(error.class(), Class::BadInput, "{error}");
    assert_eq!(bench.dump(), before, "{why}");
}

both_engines! {
    fn a_mind_is_the_same_archive_after_a_journey_through_the_other_engine(bench: Bench) {
        live(&bench, "ada");
        live(&bench, "bob");
        let packed = export(bench.mind(), &[]);
        assert_eq!(export(bench.mind(), &[]).bytes, packed.bytes, "the same mind, twice");
        let there = other(&bench);
        let arrived = import(there.mind(), &packed.bytes, None).unwrap();
        assert_eq!(arrived.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["ada", "bob"]);
        assert_eq!(export(there.mind(), &[]).bytes, packed.bytes);
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
        // It can be asked and can go on living, with the chain of its events unbroken.
        let ada = there.access("ada", Speaker::Operator);
        let hits = |access: &selfsame::Access| {
            let answer = access.recall(&Question::new("where is the cabin?")).unwrap();
            answer.hits.iter().map(|hit| hit.found.content().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(hits(&ada), hits(&bench.access("ada", Speaker::Operator)));
        assert!(!hits(&ada).is_empty());
        there.clock().set(bench.mind_time());
        remember(&ada, "One more thing");
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
        // And home again, into a third house of the first sort.
        let home = other(&there);
        import(home.mind(), &export(there.mind(), &[]).bytes, None).unwrap();
        assert_eq!(export(home.mind(), &[]).bytes, export(there.mind(), &[]).bytes);
    }

    fn one_agent_travels_alone_and_can_take_another_name(bench: Bench) {
        live(&bench, "ada");
        live(&bench, "bob");
        let alone = export(bench.mind(), &["bob"]);
        assert!(!String::from_utf8_lossy(&alone.bytes).contains("ada"));
        let there = other(&bench);
        // Somebody of that name lives there, and has something to lose.
        live(&there, "bob");
        let before = there.dump();
        let error = import(there.mind(), &alone.bytes, None).unwrap_err();
        assert_eq!(error.class(), Class::Conflict, "{error}");
        assert_eq!(there.dump(), before);
        let arrived = import(there.mind(), &alone.bytes, Some("robert")).unwrap();
        assert_eq!((arrived.agents[0].name.as_str(), arrived.agents[0].replaces_empty), ("robert", false));
        assert_eq!(there.mind().require_agent("robert").unwrap().id, bench.mind().require_agent("bob").unwrap().id);
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
        // An agent has one home, whatever it is called.
        let before = there.dump();
        assert_eq!(import(there.mind(), &alone.bytes, Some("roberta")).unwrap_err().class(), Class::Conflict);
        assert_eq!(there.dump(), before);
    }

    fn an_agent_that_has_nothing_makes_room_and_its_keys_stay(bench: Bench) {
        live(&bench, "main");
        let packed = export(bench.mind(), &[]);
        let there = other(&bench);
        // Another id than the one that comes: both benches mint alike.
        there.clock().advance(HOUR);
        let empty = there.agent("main");
        assert_ne!(empty.id, bench.mind().require_agent("main").unwrap().id);
        let key = KeyRequest {
            name: "host".into(),
            agent: Some("main".into()),
            speaks_as: SpeaksAs::Host,
            principal: Some(empty.operator),
            scopes: vec![Scope::Write],
        };
        let key = there.mind().create_key(&key).unwrap();
        let arrived = import(there.mind(), &packed.bytes, None).unwrap();
        assert!(arrived.agents[0].replaces_empty);
        let main = there.mind().require_agent("main").unwrap();
        let opened = there.mind().authenticate(&key.secret).unwrap().unwrap();
        assert_eq!((opened.agent, opened.principal), (Some(main.id), Some(main.operator)));
        assert_eq!(export(there.mind(), &["main"]).bytes, packed.bytes);
        assert!(!there.dump().contains(&hex(&empty.id.id().bytes())));
    }

    fn a_dry_run_checks_everything_and_changes_nothing(bench: Bench) {
        live(&bench, "ada");
        let packed = export(bench.mind(), &[]);
        let there = other(&bench);
        let before = there.dump();
        let dry = |bytes: &[u8]| {
            there.mind().import_archive(Cursor::new(bytes), None, true, Limits::default())
        };
        assert_eq!(dry(&packed.bytes).unwrap().agents[0].memories, packed.manifest.rows("memory_items"));
        let spoiled = changed(&packed.bytes, "soul_entries.jsonl", true, |text| text.replace("my word", "no word"));
        assert!(dry(&spoiled).is_err());
        assert_eq!(there.dump(), before);
    }

    fn what_is_not_what_it_says_is_refused_whole(bench: Bench) {
        live(&bench, "ada");
        let good = export(bench.mind(), &[]).bytes;
        let there = other(&bench);
        there.agent("unrelated");
        let refused = |bytes: &[u8], why: &str| is_refused(&there, bytes, why);
        refused(b"no zip at all", "no zip file");
        refused(&good[..good.len() / 2], "no zip file");
        // A part that was changed; and changed with a manifest that fits: its seal, its chain, its shape.
        refused(&changed(&good, "memory_items.jsonl", false, |text| text.replace("Berlin", "Munich")), "checksum");
        refused(&changed(&good, "memory_items.jsonl", true, |text| text.replace("Berlin", "Munich")), "seal");
        refused(&changed(&good, "diary_entries.jsonl", true, |text| text.replace("heron", "stork")), "seal");
        refused(&changed(&good, "events.jsonl", true, |text| text.replacen("\"remembered\"", "\"invented\"", 1)), "log of events");
        let shorter = |text: &str| text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
        refused(&changed(&good, "events.jsonl", true, shorter), "log of events");
        let somebody = "{\"agent_id\":\"00000000000000000000000000000001\",";
        refused(&changed(&good, "soul_entries.jsonl", true, |text| text.replacen('{', somebody, 1)), "not known");
        refused(&changed(&good, "erasures.jsonl", true, |text| text.replace("\"open\":false", "\"open\":true")), "left open");
        // Manifests that lie.
        let manifest = |change: &dyn Fn(&str) -> String| changed(&good, "manifest.json", false, change);
        refused(&manifest(&|text| text.replace("\"schema\":", "\"schema\":9")), "newer program");
        refused(&manifest(&|text| text.replace("\"version\":1", "\"version\":2")), "newer one");
        refused(&manifest(&|text| text.replace("selfsame-archive", "another")), "not that of a Selfsame archive");
        refused(&manifest(&|text| text.replacen("\"rows\":1,", "\"rows\":2,", 1)), "checksum");
        refused(&manifest(&|text| text.replacen("{\"agents\"", "{\"also\":1,\"agents\"", 1)), "not as this program writes it");
        refused(&manifest(&|text| text.replace("\"name\":\"ada\"", "\"name\":\"../ada\"")), "name");
        // Files too many, too few, twice, elsewhere.
        let mut some = files(&good);
        some.push(("agents/ada/keys.jsonl".into(), Vec::new()));
        refused(&zipped(&some), "not those that its manifest names");
        let mut some = files(&good);
        some.remove(3);
        refused(&zipped(&some), "not those that its manifest names");
        let mut some = files(&good);
        some[3].0 = format!("../../{}", some[3].0);
        refused(&zipped(&some), "not those that its manifest names");
    }

    fn what_would_fill_the_machine_is_refused_before_it_does(bench: Bench) {
        live(&bench, "ada");
        let good = export(bench.mind(), &[]).bytes;
        let there = other(&bench);
        let with = |limits: Limits, bytes: &[u8]| {
            let error = there.mind().import_archive(Cursor::new(bytes), None, false, limits).unwrap_err();
            error.to_string()
        };
        let limits = Limits::default();
        assert!(with(Limits { files: 5, ..limits }, &good).contains("more than 5"));
        assert!(with(Limits { bytes: 2000, ..limits }, &good).contains("too large"));
        assert!(with(Limits { line: 300, ..limits }, &good).contains("too l"));
        // A bomb: spaces that unpack to many times their size.
        let bomb = changed(&good, "todos.jsonl", true, |text| {
            format!("{}{}\n", text.trim_end(), " ".repeat(8 << 20))
        });
        assert!(bomb.len() < good.len() + (1 << 20));
        is_refused(&there, &bomb, "grows more than");
    }

    fn a_link_in_an_archive_is_no_file(bench: Bench) {
        live(&bench, "ada");
        let good = files(&export(bench.mind(), &[]).bytes);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in &good {
            if name.ends_with("todos.jsonl") {
                zip.add_symlink(name, "/etc/passwd", SimpleFileOptions::default()).unwrap();
            } else {
                zip.start_file(name, SimpleFileOptions::default()).unwrap();
                zip.write_all(content).unwrap();
            }
        }
        let there = other(&bench);
        there.agent("unrelated");
        is_refused(&there, &zip.finish().unwrap().into_inner(), "no plain file");
    }
}

#[test]
fn seeded_minds_are_the_same_archive_after_a_journey() {
    const WORDS: [&str; 8] = ["red", "fox", "日本", "O'Brien", "\"", "\\u0041", "1e300", "null"];
    for_each_seed(3, |seed, dice: &mut Dice| {
        let [from, to] = [Bench::sqlite(), Bench::postgres()];
        let access = from.main();
        for _ in 0..30 {
            let words: Vec<&str> = (0..1 + dice.below(5)).map(|_| *dice.pick(&WORDS)).collect();
            let text = words.join(" ");
            from.clock().advance(Duration::from_micros(1 + dice.below(1 << 30) as u64));
            match dice.below(4) {
                0 => drop(access.remember(
                    Draft { importance: dice.below(1000) as f64 / 1000.0, ..Draft::new(text) },
                    None,
                )),
                1 => drop(access.add_todo(TodoDraft::new(text), None)),
                2 => drop(say(&access, "t", &text)),
                _ => drop(access.write_diary(DiaryDraft::new(text), None)),
            }
        }
        let packed = from.mind().export(&[]).unwrap();
        import(to.mind(), &packed.bytes, None).unwrap();
        assert_eq!(to.mind().export(&[]).unwrap().bytes, packed.bytes, "seed {seed}");
        assert!(dump(to.mind()).lines().count() > 100);
    });
}

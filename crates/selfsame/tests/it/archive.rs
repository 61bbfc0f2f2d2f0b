//! A mind leaves in one file and is the same mind elsewhere; a file that is not what it says is refused whole.

use crate::contemplation::told;
use crate::conversation::say;
use crate::entity::add;
use crate::remember::remember;
use selfsame::archive::{self, Exported, Limits};
use selfsame::calendar::CalendarDraft;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::contemplation::Contemplated;
use selfsame::diary::DiaryDraft;
use selfsame::forget::{Order, What};
use selfsame::heartbeat::WishesChange;
use selfsame::import::File;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::lesson::{LessonKind, NewLesson};
use selfsame::link::{Answer, Side};
use selfsame::memory::{Draft, MemoryKind, Stated, Which};
use selfsame::ports::{Desk, ToolCard, ToolClass, Toolbox};
use selfsame::recall::Question;
use selfsame::reflection::NewReflection;
use selfsame::relationship::Assignment;
use selfsame::seal::hex;
use selfsame::self_care::{CareRequest, CareStep, What as CareOf};
use selfsame::soul::SoulKind;
use selfsame::time::Time;
use selfsame::todo::TodoDraft;
use selfsame::trust::Privacy;
use selfsame::{Access, Class, Engine, Error, Mind, Speaker};
use selfsame_core::contemplation::WorkKind;
use selfsame_store::baggage;
use selfsame_testkit::scripted::{OneThinker, RecordingDelivery, ScriptedThinker};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, both_engines, dump};
use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};
use std::sync::Arc;
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

/// Every tool answers with what it was asked.
struct Echo;

impl Toolbox for Echo {
    fn tools(&self, _access: &Access<'_>) -> Vec<ToolCard> {
        let (name, description, schema) = ("echo".into(), String::new(), "{}".into());
        vec![ToolCard { name, description, schema, class: ToolClass::Write }]
    }

    fn is_ours(&self, tool: &str) -> bool {
        tool == "echo"
    }

    fn call(&self, _: &Access<'_>, _: &str, arguments: &str, _: Duration) -> Result<String, String> {
        Ok(arguments.into())
    }
}

/// A mind that has a thinker, tools and a channel, on the same database.
fn thinking(bench: &Bench) -> Mind {
    let mut settings = Settings::default();
    settings.self_care.batch = 6;
    settings.self_care.least = 2;
    settings.self_care.recent_messages = 1;
    settings.contemplation.enabled = true;
    settings.lessons.every_episodes = 2;
    settings.thinker.kind = ThinkerKind::Model;
    settings.thinker.jobs.insert(WorkKind::ExtractLessons, ThinkerKind::None);
    settings.thinker.jobs.insert(WorkKind::Summarize, ThinkerKind::None);
    let thinker = ScriptedThinker::acting(|_, desk: &dyn Desk| {
        desk.call("echo", r#"{"words":"a heron"}"#);
        desk.spent(7)?;
        Ok(told("The heron came again.", r#","lesson":"Look for herons at dawn.""#))
    });
    let channel = Arc::new(RecordingDelivery::default().named("file"));
    bench.open_as(settings, |opening| {
        let opening = opening.thinkers(Arc::new(OneThinker(Arc::new(thinker)))).seed([9; 32]);
        opening.toolbox(Arc::new(Echo)).delivery(channel)
    })
}

/// A life with something in every table that an archive carries; it gives to `other` by a link, and takes from it.
fn live_fully(bench: &Bench, name: &str, other: &str) {
    live(bench, name);
    live(bench, other);
    let mind = &thinking(bench);
    let operator = mind.access(name, Speaker::Operator).unwrap();
    let own = mind.access(name, Speaker::Agent(None)).unwrap();
    let theirs = mind.access(other, Speaker::Operator).unwrap();
    // What another thinks of it, by a link; and what is made of that.
    remember(&theirs, "Herons hunt at dawn");
    remember(&operator, "herons hunt at dawn");
    remember(&theirs, "The weir is broken");
    for (asks, gives) in [(&operator, &theirs), (&theirs, &operator)] {
        let asked = asks.link_request(&gives.agent().name, None).unwrap().link.id;
        gives.link_answer(asked, Answer::Share { onward: true }, None).unwrap();
    }
    let weir = operator.memories(&Which::default(), 100).unwrap();
    let weir = weir.iter().find(|memory| memory.content.contains("weir")).unwrap().id;
    let (from, until) = (Time::from_micros(0), Time::from_micros(1));
    let looked_back =
        NewReflection { content: "A week at the weir".into(), from, until, sources: vec![weir] };
    operator.reflect(looked_back, None).unwrap();
    operator.learn(NewLesson::new(LessonKind::Discovery, "Mend the weir first", vec![weir]), None).unwrap();
    // A habit, things that are due, things at odds, a question of its own.
    add(&operator, "Zoe", &[]);
    let week = |bench: &Bench| bench.clock().advance(24 * 7 * HOUR);
    for number in 0..3 {
        remember(&operator, &format!("Choir with Zoe, evening {number}"));
        week(bench);
    }
    for _ in 0..3 {
        remember(&operator, "Jonas lives in Lisbon");
        bench.clock().advance(24 * HOUR);
    }
    remember(&own, "Jonas lives in Porto");
    remember(&operator, "The call is at 3 pm");
    remember(&operator, "The call is at 4 pm");
    let claim = Stated {
        subject: "Jonas".into(),
        kind: None,
        slot: "shoe size".into(),
        value: "43".into(),
        denied: false,
        replaces: None,
    };
    operator.remember(Draft { claim: Some(claim), ..Draft::new("Jonas takes a 43") }, None).unwrap();
    let said_once = remember(&operator, "Tara lives in Porto");
    operator.consolidate().unwrap();
    operator.forget(said_once, None).unwrap();
    let tags = vec!["cron:hourly".into(), "monitor:1d".into()];
    operator.remember(Draft { tags, ..Draft::new("Look at the hives") }, None).unwrap();
    let expires_at = Some(mind.now().saturating_add(24 * HOUR));
    let plan = Draft { kind: MemoryKind::Plan, expires_at, ..Draft::new("Send the honey") };
    operator.remember(plan, None).unwrap();
    let channels = Some(Some(vec!["file".to_owned(), "list".to_owned()]));
    operator.heartbeat_set(None, &WishesChange { channels, ..WishesChange::default() }, None).unwrap();
    bench.clock().advance(2 * HOUR);
    assert!(operator.heartbeat_tick(None).unwrap().nudge.is_some());
    let file = File { name: "MEMORY.md".into(), text: "- I prefer herons over storks\n".into() };
    operator.import("MEMORY.md", &[file], None, false).unwrap();
    for _ in 0..3 {
        assert!(matches!(operator.contemplate().unwrap(), Contemplated::Episode(_)));
        bench.clock().advance(HOUR);
    }
    for number in 0..6 {
        say(&operator, "terminal", &format!("Hive {number} has honey"));
        say(&own, "terminal", &format!("I noted hive {number}"));
    }
    bench.clock().advance(24 * HOUR);
    for (what, count) in [(CareOf::Conversations, 0), (CareOf::Memories, 1)] {
        own.self_care(&CareRequest { focus: None, what }).unwrap();
        assert!(operator.summaries(true, 100).unwrap().summaries.len() > count);
    }
    for number in 0..8 {
        remember(&operator, &format!("Jar {number} has honey from the hill"));
    }
    bench.clock().advance(24 * HOUR);
    let begun = own.self_care_begin(&CareRequest { focus: None, what: CareOf::Memories }).unwrap();
    assert!(matches!(begun, CareStep::Handed(_)), "{begun:?}");
}

/// The carried tables of which an archive has no row.
fn empty_tables(packed: &Exported) -> Vec<&'static str> {
    let carried = baggage::carried().map(|table| table.name);
    carried.filter(|table| packed.manifest.rows(table) == 0).collect()
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
        let hits = |access: &Access| {
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

    /// Every table that an archive carries is in it: a new one without a row here fails.
    fn a_full_life_is_the_same_archive_after_a_journey_through_the_other_engine(bench: Bench) {
        live_fully(&bench, "ada", "bob");
        let packed = export(bench.mind(), &[]);
        assert_eq!(empty_tables(&packed), [""; 0]);
        assert_eq!(bench.mind().verify().unwrap().problems, Vec::<String>::new());
        let there = other(&bench);
        import(there.mind(), &packed.bytes, None).unwrap();
        assert_eq!(export(there.mind(), &[]).bytes, packed.bytes);
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
        // What is not carried is made anew, and the same again.
        there.clock().set(bench.mind_time());
        let question = Question::new("who hunts at dawn?");
        let asked = |bench: &Bench| {
            let hits = bench.access("ada", Speaker::Operator).recall(&question).unwrap().hits;
            hits.iter().map(|hit| hit.found.content().to_owned()).collect::<Vec<_>>()
        };
        assert!(!asked(&bench).is_empty());
        assert_eq!(asked(&there), asked(&bench));
        // And what was given can still be taken back there, with all that was made of it.
        let bob = there.access("bob", Speaker::Operator);
        let given = bob.links(None, 10).unwrap().into_iter().find(|card| card.link.side == Side::Gives).unwrap();
        bob.link_revoke(given.link.id, None).unwrap();
        let ada = there.access("ada", Speaker::Operator);
        assert_eq!(ada.whereabouts("weir").unwrap().rows, BTreeMap::new());
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
    }

    /// Who gave is not in the archive: the copies come along, and stay as they are.
    fn one_who_was_given_something_travels_without_the_giver(bench: Bench) {
        live_fully(&bench, "ada", "bob");
        let packed = export(bench.mind(), &["ada"]);
        let there = other(&bench);
        import(there.mind(), &packed.bytes, None).unwrap();
        assert_eq!(export(there.mind(), &["ada"]).bytes, packed.bytes);
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
        let ada = there.access("ada", Speaker::Operator);
        let links = ada.links(None, 10).unwrap();
        let gone = bench.mind().require_agent("bob").unwrap().id.to_string();
        assert_eq!(links.iter().map(|card| card.other.as_str()).collect::<Vec<_>>(), [&gone, &gone]);
        assert!(ada.whereabouts("weir is broken").unwrap().rows.contains_key("memory_items"));
        // It lives on: it can give what it has on, fold it, forget it.
        there.clock().set(bench.mind_time());
        there.mind().carry_on_links().unwrap();
        there.agent("cy");
        let cy = there.access("cy", Speaker::Operator);
        let asked = cy.link_request("ada", None).unwrap().link.id;
        ada.link_answer(asked, Answer::Share { onward: false }, None).unwrap();
        assert!(cy.whereabouts("weir is broken").unwrap().rows.contains_key("memory_items"));
        let order = Order::of(What::Query("weir".into()));
        let looked = ada.forget_what(&order).unwrap();
        ada.forget_all(&Order { token: Some(looked.token), ..order }, None).unwrap();
        for access in [&ada, &cy] {
            assert_eq!(access.whereabouts("weir").unwrap().rows, BTreeMap::new());
        }
        ada.link_revoke(asked, None).unwrap();
        assert_eq!(there.mind().agent_card("cy").unwrap().memories, 0);
        assert_eq!(there.mind().verify().unwrap().problems, Vec::<String>::new());
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

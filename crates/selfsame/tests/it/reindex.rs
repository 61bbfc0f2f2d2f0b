//! What another version indexed is indexed anew when the mind is opened: whole, once, and whatever comes in between.

use crate::conversation::say;
use crate::remember::remember;
use selfsame::calendar::CalendarDraft;
use selfsame::diary::DiaryDraft;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::recall::Question;
use selfsame::reindex::Reindexed;
use selfsame::text::terms;
use selfsame::time::Time;
use selfsame::todo::TodoDraft;
use selfsame::{Engine, Error, Mind, Opening, Speaker};
use selfsame_store::deadlines;
use selfsame_testkit::{Bench, Trap, both_engines, dump};
use std::sync::{Arc, Barrier};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
/// More than two batches.
const MEMORIES: u64 = 450;

/// Memories, plans, entries of the diary, and two conversations whose messages come in turns over two days.
fn furnish(bench: &Bench) {
    let access = bench.main();
    for number in 0..MEMORIES - 2 {
        remember(&access, &format!("memory number {number} of the naïve Straße"));
    }
    for (kind, content) in
        [(MemoryKind::Plan, "Repaint the garden fence"), (MemoryKind::Question, "Who is it?")]
    {
        access.remember(Draft { kind, ..Draft::new(content) }, None).unwrap();
    }
    for hour in 0..12 {
        access.write_diary(DiaryDraft::new(format!("At the hour {hour} a heron came")), None).unwrap();
        say(&access, "terminal", &format!("good hour {hour} to you"));
        say(&access, if hour % 2 == 0 { "terminal" } else { "phone" }, "...");
        bench.clock().advance(if hour % 3 == 0 { 5 * HOUR } else { HOUR });
    }
    bench.agent("empty");
    uncount(bench);
}

/// How many texts that are, of all kinds: the question has no content word to be found by.
const TEXTS: u64 = MEMORIES + 1 + 12 + 24;

/// Tables whose rows know how many tokens they have, since version 5.
const COUNTED: [&str; 6] =
    ["memory_items", "messages", "diary_entries", "soul_entries", "lessons", "reflections"];

/// Takes the counts away, which version 3 did not have.
fn uncount(bench: &Bench) {
    let mut raw = bench.owner();
    for table in COUNTED {
        raw.run(&format!("UPDATE {table} SET tokens = NULL")).unwrap();
    }
}

/// Tables that there are since version 6.
const OF_VECTORS: [&str; 5] = ["embedding_models", "vectors", "vector_codes", "vector_stock", "vector_use"];

/// Tables that there are since version 7, in an order in which they can go.
const OF_KNOWLEDGE: [&str; 8] = [
    "erased_evidence",
    "knowledge_conflicts",
    "observation_events",
    "observation_evidence",
    "knowledge_observations",
    "knowledge_claims",
    "knowledge_slots",
    "knowledge_reading",
];

/// What came with the ninth and the tenth version.
const OF_THINKING: [&str; 10] = [
    "lesson_sightings",
    "learning",
    "agent_documents",
    "contemplations",
    "cycles",
    "episodes",
    "work_items",
    "work_attempts",
    "tool_calls",
    "thinker_spend",
];

/// Their indexes on older tables; that on conflicts goes with its table.
const THINKING_INDEXES: [&str; 3] = ["memory_items_plans", "lessons_standing", "lesson_sources_by_item"];

/// Their columns of older tables.
const THINKING_COLUMNS: [(&str, &str); 4] =
    [("agents", "family"), ("lessons", "judged_at"), ("lessons", "merged_into"), ("lessons", "proposed_id")];

/// What versions 11 and later brought: tables, and indexes and columns of older ones.
const OF_CARE: &[&str] = &[
    "care_batches",
    "summary_sources",
    "conversation_summaries",
    "character_memory_summaries",
    "link_items",
    "links",
];
const CARE_INDEXES: &[&str] = &[
    "memory_items_in_mind",
    "messages_in_mind",
    "conversations_unfolded",
    "memory_items_linked",
    "memory_sources_by_link",
];
const CARE_COLUMNS: &[(&str, &str)] = &[("agents", "home"), ("agents", "location")];

/// What version 14 brought.
const OF_MOVING: [&str; 3] = ["import_items", "import_runs", "house"];
const MOVING_COLUMNS: [(&str, &str); 1] = [("agent_heads", "moved_seq")];

/// What version 13 brought: a table, and indexes and a column of older ones.
const OF_FORGETTING: [&str; 1] = ["erasure_proofs"];
const FORGETTING_INDEXES: [&str; 4] = [
    "memory_items_by_source",
    "messages_by_source",
    "inbox_candidates_by_source",
    "memory_sources_by_source",
];
const FORGETTING_COLUMNS: [(&str, &str); 1] = [("tombstones", "words_hash")];

/// What version 8 brought: tables, and indexes on columns that it added.
const OF_THE_HEARTBEAT: [&str; 13] = [
    "deliveries",
    "nudge_refs",
    "nudges",
    "receipts",
    "heartbeat_marks",
    "heartbeat_surfaced",
    "heartbeat_principals",
    "heartbeat_pauses",
    "heartbeats",
    "schedules",
    "deadlines",
    "topic_habits",
    "topic_days",
];
const HEARTBEAT_INDEXES: [&str; 14] = [
    "memory_items_fed",
    "memory_items_stated",
    "memory_items_work",
    "memory_items_goals",
    "conversations_by_wrote",
    "conversations_running",
    "memory_items_due",
    "memory_items_asked",
    "memory_items_fading",
    "memory_items_felt",
    "memory_items_by_goal",
    "memory_items_by_question",
    "memory_pairs_open",
    "monitors_of_memory",
];

const HEARTBEAT_COLUMNS: [(&str, &str); 7] = [
    ("memory_items", "serves_id"),
    ("memory_items", "touched_at"),
    ("memory_items", "worked_at"),
    ("entities", "heard_at"),
    ("conversations", "awaiting"),
    ("conversations", "sitting_at"),
    ("conversations", "wrote_at"),
];

/// Takes the steps since version 3 back, on a database that is closed.
fn as_version_3(bench: &Bench) {
    let mut raw = bench.owner();
    for view in selfsame_store::tables::ARCHIVE_VIEWS.iter().chain(selfsame_store::tables::VIEWS) {
        raw.run(&format!("DROP VIEW {view}")).unwrap();
    }
    for table in OF_CARE
        .iter()
        .copied()
        .chain(OF_FORGETTING)
        .chain(OF_MOVING)
        .chain(OF_THINKING)
        .chain(OF_THE_HEARTBEAT)
        .chain(OF_KNOWLEDGE)
        .chain(OF_VECTORS)
    {
        raw.run(&format!("DROP TABLE {table}")).unwrap();
    }
    for index in CARE_INDEXES
        .iter()
        .copied()
        .chain(HEARTBEAT_INDEXES)
        .chain(THINKING_INDEXES)
        .chain(FORGETTING_INDEXES)
    {
        raw.run(&format!("DROP INDEX {index}")).unwrap();
    }
    if bench.engine() == Engine::Sqlite {
        // It names a column that goes; opening the mind makes it anew.
        raw.run("DROP TRIGGER memory_items_fixed").unwrap();
    }
    let later = CARE_COLUMNS.iter().copied().chain(FORGETTING_COLUMNS).chain(MOVING_COLUMNS);
    for (table, column) in later.chain(HEARTBEAT_COLUMNS).chain(THINKING_COLUMNS) {
        raw.run(&format!("ALTER TABLE {table} DROP COLUMN {column}")).unwrap();
    }
    for table in COUNTED {
        raw.run(&format!("ALTER TABLE {table} DROP COLUMN tokens")).unwrap();
    }
    for sql in [
        "DROP TABLE postings",
        "DROP TABLE term_stats",
        "DROP TABLE indexed_texts",
        "DROP TABLE threads",
        "ALTER TABLE corpus_stats DROP COLUMN next_thread",
        "ALTER TABLE corpus_stats DROP COLUMN version",
        "CREATE TABLE postings (agent_id integer, term text)",
        "CREATE TABLE term_stats (agent_id integer, term text)",
        "INSERT INTO postings VALUES (1, 'straße')",
        "DROP INDEX conversations_by_last_message",
        "DROP INDEX conversations_by_principal",
        "DELETE FROM schema_migrations WHERE version > 3",
    ] {
        raw.run(sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
    }
}

/// A mind on the bench's database, with a fault planned.
fn open(bench: &Bench, trap: &Trap) -> Result<Mind, Error> {
    let store = bench.open_store(|options| options.faults = trap.faults())?;
    let clock = Arc::new(selfsame_testkit::ManualClock::at(bench.mind_time()));
    Opening::default().clock(clock).seed([9; 32]).over(store, None)
}

/// Both benches, empty: a PostgreSQL database that has its tables is not migrated when it is opened.
fn furnished() -> [(Bench, String); 2] {
    [Bench::sqlite(), Bench::empty_postgres()].map(|mut bench| {
        furnish(&bench);
        let before = bench.dump();
        bench.close();
        (bench, before)
    })
}

#[test]
fn a_database_of_version_3_is_found_again_by_every_word() {
    for (mut bench, before) in furnished() {
        as_version_3(&bench);
        assert_eq!(bench.mind().reindexed(), Reindexed { agents: 1, texts: TEXTS });
        assert_eq!(bench.dump(), before, "built from its rows, the index is what it was");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        let access = bench.access("main", Speaker::Operator);
        for word in ["number", "447", "naive", "strasse", "fence"] {
            assert!(!access.recall(&Question::new(word)).unwrap().hits.is_empty(), "{word}");
        }
        assert_eq!(access.search_diary("heron", Some(100)).unwrap().hits.len(), 12);
        bench.reopen();
        assert_eq!(bench.mind().reindexed(), Reindexed::default(), "once is enough");
        assert_eq!(bench.dump(), before);
    }
}

#[test]
fn killed_at_any_batch_it_goes_on() {
    for (mut bench, before) in furnished() {
        as_version_3(&bench);
        for nth in 1..=2 {
            for point in ["write.applied", "write.committed", "write.begun"] {
                let killed = open(&bench, &Trap::fail(point).armed(nth)).err().unwrap();
                assert!(killed.to_string().contains(point), "{killed}");
            }
        }
        assert!(bench.mind().reindexed().texts < TEXTS, "what was done was done");
        assert_eq!(bench.dump(), before);
        bench.close();
    }
}

#[test]
fn postgres_several_who_open_it_at_once_share_the_work() {
    const MINDS: usize = 4;
    let mut bench = Bench::empty_postgres();
    furnish(&bench);
    let before = bench.dump();
    bench.close();
    as_version_3(&bench);
    let start = Barrier::new(MINDS);
    let texts: u64 = std::thread::scope(|scope| {
        let opening = || {
            start.wait();
            open(&bench, &Trap::fail("write.begun")).unwrap().reindexed().texts
        };
        let minds: Vec<_> = (0..MINDS).map(|_| scope.spawn(opening)).collect();
        minds.into_iter().map(|mind| mind.join().unwrap()).sum()
    });
    assert_eq!(texts, TEXTS, "each text was indexed by one of them");
    assert_eq!(bench.dump(), before);
}

/// Whatever was to fall due before there was a heartbeat does so, once, whoever opens the mind and however often.
#[test]
fn what_an_earlier_version_stored_falls_due() {
    for mut bench in [Bench::sqlite(), Bench::empty_postgres()] {
        bench.clock().set(Time::parse("2026-03-02T09:00:00Z").unwrap());
        let access = bench.main();
        let tagged = |content: &str, tag: &str| Draft { tags: vec![tag.into()], ..Draft::new(content) };
        access.remember(tagged("water the plants", "cron:daily:12:00"), None).unwrap();
        access.remember(tagged("call Maya", "cron:once:2026-03-02T10:00"), None).unwrap();
        let done = Draft { kind: MemoryKind::Plan, ..tagged("build a hive", "cron:daily:12:00") };
        let done = access.remember(done, None).unwrap().id;
        access.resolve(done).unwrap();
        let expires_at = Some(Time::parse("2026-03-05T09:00:00Z").unwrap());
        let plan = Draft { kind: MemoryKind::Plan, expires_at, ..Draft::new("file the taxes") };
        let plan = access.remember(plan, None).unwrap().id;
        for due in ["2026-03-04T09:00", "2026-03-02T10:00"] {
            access
                .add_todo(TodoDraft { due: Some(due.into()), ..TodoDraft::new("order frames") }, None)
                .unwrap();
        }
        let mut entry = CalendarDraft::new("standup", "2026-03-01T11:00");
        (entry.recurrence, entry.remind_minutes) = (Some("FREQ=DAILY".into()), Some(15));
        access.add_to_calendar(entry, None).unwrap();
        let agent = access.agent().id;
        bench.clock().set(Time::parse("2026-03-03T09:00:00Z").unwrap());
        let mut raw = bench.owner();
        for table in ["schedules", "deadlines", "heartbeats"] {
            raw.run(&format!("DELETE FROM {table}")).unwrap();
        }
        drop(raw);
        for point in ["write.applied", "write.committed"] {
            for nth in 1..=3 {
                bench.close();
                open(&bench, &Trap::fail(point).armed(nth)).err().unwrap();
            }
        }
        bench.reopen();
        let caught_up = bench.dump();
        let access = bench.main();
        let mut seen: Vec<String> = access
            .schedules(20)
            .unwrap()
            .into_iter()
            .map(|card| {
                let next = card.schedule.next_due_at.map(|time| time.to_string());
                format!(
                    "{}: {}",
                    card.what,
                    next.unwrap_or_else(|| card.schedule.ended.unwrap().1.as_str().to_owned())
                )
            })
            .collect();
        seen.sort();
        assert_eq!(
            seen,
            [
                "call Maya: missed",
                "order frames: 2026-03-04T09:00:00Z",
                "order frames: missed",
                "standup: 2026-03-03T10:45:00Z",
                "water the plants: 2026-03-03T12:00:00Z",
            ]
        );
        let rung = bench
            .store()
            .read(access.caller(), &[agent], |reader| deadlines::by_memory(reader, agent, plan))
            .unwrap();
        assert_eq!(rung.unwrap().next_rung_at, Some(Time::parse("2026-03-04T09:00:00Z").unwrap()));
        bench.reopen();
        assert_eq!(bench.dump(), caught_up, "once is enough");
    }
}

both_engines! {
    fn an_index_of_another_version_is_built_from_nothing(mut bench: Bench) {
        let access = bench.main();
        remember(&access, "the fox is red");
        say(&access, "terminal", "hello fox");
        let agent = access.agent().id;
        let before = bench.dump();
        for version in ["1", "999999", "-999999"] {
            bench.execute_raw(&[agent], &format!("UPDATE corpus_stats SET version = {version}, docs = 77")).unwrap();
            bench.execute_raw(&[agent], "UPDATE term_stats SET df = 9, term = 'old' WHERE term = 'red'").unwrap();
            bench.execute_raw(&[agent], "UPDATE postings SET term = 'old' WHERE term = 'red'").unwrap();
            bench.reopen();
            assert_eq!(bench.mind().reindexed(), Reindexed { agents: 1, texts: 2 });
            assert_eq!(bench.dump(), before);
        }
    }

    fn a_damaged_row_does_not_stop_it(mut bench: Bench) {
        let access = bench.main();
        let agent = access.agent().id;
        let ids = ["the fox is red", "the owl is grey", "the elk is big"].map(|text| remember(&access, text));
        let mut raw = bench.owner();
        match bench.engine() {
            Engine::Sqlite => raw.run("DROP TRIGGER memory_items_fixed").unwrap(),
            Engine::Postgres => raw.run("ALTER TABLE memory_items DISABLE TRIGGER ALL").unwrap(),
        };
        for id in &ids[1..] {
            let sql = format!("UPDATE memory_items SET content = 'x' WHERE id = {}", bench.id(id.id()));
            bench.execute_raw(&[agent], &sql).unwrap();
        }
        bench.execute_raw(&[agent], "UPDATE corpus_stats SET version = 1").unwrap();
        drop(raw);
        bench.reopen();
        assert_eq!(bench.mind().reindexed(), Reindexed { agents: 1, texts: 1 });
        bench.reopen();
        assert_eq!(bench.mind().reindexed(), Reindexed::default());
        let found = bench.main().recall(&Question::new("fox owl elk")).unwrap();
        assert_eq!(found.hits.len(), 1);
    }

    /// Whatever is changed in the index behind the program's back is seen.
    fn verify_sees_every_change_of_the_index(bench: Bench) {
        let access = bench.main();
        let agent = access.agent().id;
        remember(&access, "the fox is red and the fox is quick");
        remember(&access, "the owl is grey");
        say(&access, "terminal", "hello there");
        let entries = |hex: &str| match bench.engine() {
            Engine::Sqlite => format!("x'{hex}'"),
            Engine::Postgres => format!("'\\x{hex}'"),
        };
        let fox = |hex: &str| format!("UPDATE postings SET entries = {} WHERE term = 'fox'", entries(hex));
        assert_eq!(terms("fox")[0], "fox");
        let changes = [
            (fox("000000000000000001000900"), "the index does not fit mem_"),
            (fox("000000000000000002000800"), "the index does not fit mem_"),
            (fox("010000000000000002000900"), "the index does not fit mem_"),
            (fox("000000000100000002000900"), "has words of texts that it does not know"),
            (fox(&"000000000000000002000900".repeat(129)), "a block of the index of memories has 129 entries"),
            (fox(""), "a block of the index of memories has 0 entries"),
            ("UPDATE postings SET block = 1 WHERE term = 'fox'".to_owned(), "statistics of words do not fit"),
            ("UPDATE term_stats SET df = df + 1 WHERE term = 'fox'".to_owned(), "statistics of words do not fit"),
            ("UPDATE term_stats SET added = 0 WHERE term = 'fox'".to_owned(), "statistics of words do not fit"),
            ("DELETE FROM term_stats WHERE term = 'fox'".to_owned(), "statistics of words do not fit"),
            ("UPDATE postings SET term = 'vixen' WHERE term = 'fox'".to_owned(), "the index does not fit mem_"),
            ("DELETE FROM postings WHERE term = 'fox'".to_owned(), "the index does not fit mem_"),
            ("UPDATE indexed_texts SET len = len + 1 WHERE kind = 'message'".to_owned(), "the index does not fit msg_"),
            ("UPDATE indexed_texts SET marks = marks + 16 WHERE kind = 'message'".to_owned(), "the index does not fit msg_"),
            ("UPDATE indexed_texts SET spot = spot + 1 WHERE kind = 'message'".to_owned(), "the index does not fit msg_"),
            (format!("UPDATE indexed_texts SET speaker_id = NULL, blocks = {}", entries("")), "the index does not fit"),
            ("DELETE FROM indexed_texts WHERE kind = 'message'".to_owned(), "the index does not fit msg_"),
            ("UPDATE indexed_texts SET item_id = agent_id WHERE kind = 'message'".to_owned(), "which is not there"),
            ("UPDATE corpus_stats SET words = words + 1".to_owned(), "the statistics count"),
        ];
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        for (sql, expected) in changes {
            let mut raw = bench.application();
            raw.run(&bench.begin(&[agent])).unwrap();
            assert!(raw.run(&sql).unwrap() > 0, "{sql}");
            raw.run("COMMIT").unwrap();
            let problems = bench.mind().verify().unwrap().problems;
            assert!(problems.iter().any(|problem| problem.contains(expected)), "{sql}: {problems:?}");
            bench.execute_raw(&[agent], "UPDATE corpus_stats SET version = 0").unwrap();
            let mended = bench.open_with(|_| {});
            assert_eq!(mended.verify().unwrap().problems, [""; 0], "{sql}");
            assert!(dump(&mended).contains("fox"));
        }
    }
}

//! Forgetting by whatever it is named by: all that was made from it or repeats it goes, from every table and every file, with
//! a proof; and an older backup does not bring it back.

use crate::contemplation::told;
use crate::conversation::say;
use crate::entity::add;
use crate::remember::{key, remember};
use selfsame::backup::{self, Restoring};
use selfsame::calendar::CalendarDraft;
use selfsame::config::{DatabaseUrl, Settings, ThinkerKind};
use selfsame::contemplation::Contemplated;
use selfsame::conversation::{OpenRequest, Place, Role, Saying};
use selfsame::diary::DiaryDraft;
use selfsame::forget::{Cascade, Item, ItemKind, LEDGER_NAME, LedgerRead, Order, What, Why, read_ledger};
use selfsame::id::{EntityId, Id, LinkId, MemoryId, RunId};
use selfsame::import::File;
use selfsame::inbox::{Decision, Status, Verdict};
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::lesson::{LessonKind, NewLesson};
use selfsame::link::{Answer, LinkState};
use selfsame::memory::Draft;
use selfsame::ports::Desk;
use selfsame::recall::Question;
use selfsame::reflection::NewReflection;
use selfsame::relationship::Assignment;
use selfsame::self_care::{CareRequest, CareStep};
use selfsame::soul::SoulKind;
use selfsame::time::Time;
use selfsame::todo::TodoDraft;
use selfsame::trust::Privacy;
use selfsame::{Access, Class, DataFolder, Engine, Mind, Opening, Speaker};
use selfsame_core::contemplation::WorkKind;
use selfsame_store::words;
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, Trap, both_engines};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(86_400);

/// A mind in a data folder, on the bench's database or in a file of the folder.
struct Home {
    folder: TempDir,
    settings: Settings,
}

impl Home {
    fn new(bench: &Bench) -> Home {
        let mut settings = Settings::default();
        if bench.engine() == Engine::Postgres {
            settings.database.url = DatabaseUrl::new(&bench.urls().application);
        }
        let home = Home { folder: tempfile::tempdir().unwrap(), settings };
        home.open(bench).ensure_agent("main").unwrap();
        home
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn data(&self) -> DataFolder {
        DataFolder::create(&self.path()).unwrap()
    }

    fn open(&self, bench: &Bench) -> Mind {
        self.open_with(bench, None).unwrap()
    }

    fn open_with(&self, bench: &Bench, trap: Option<&Trap>) -> selfsame::Result<Mind> {
        let opening = Opening::new(self.settings.clone()).clock(bench.shared_clock());
        let opening = match trap {
            Some(trap) => opening.store_options(|options| options.faults = trap.faults()),
            None => opening,
        };
        opening.open(&self.data())
    }

    /// The files below the folder that have these bytes; backups, which are kept on purpose, only if asked for.
    fn files_with(&self, word: &str, backups_too: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.is_file() {
                    let is_backup = path.extension().is_some_and(|sort| sort == "db")
                        && path.parent().unwrap().ends_with("backups");
                    let lower = fs::read(&path).unwrap().to_ascii_lowercase();
                    let has_it = lower.windows(word.len()).any(|part| part == word.as_bytes());
                    if has_it && (backups_too || !is_backup) {
                        found.push(path.display().to_string());
                    }
                }
            }
        }
        found
    }
}

fn main_of(mind: &Mind) -> Access<'_> {
    mind.access("main", Speaker::Operator).unwrap()
}

/// What every SELECT finds of a word, over every column that has text: nothing, or where.
fn columns_with(bench: &Bench, word: &str) -> Vec<String> {
    let mut raw = bench.owner();
    let mut found = Vec::new();
    for place in words::PLACES {
        let ours = place.ours.iter().flat_map(|(_, columns)| columns.iter());
        for column in place.words.iter().chain(ours) {
            let sql = format!(
                "SELECT COUNT(*) FROM {} WHERE lower(CAST({column} AS TEXT)) LIKE '%{word}%'",
                place.table
            );
            if raw.number(&sql) > 0 {
                found.push(format!("{}.{column}", place.table));
            }
        }
    }
    found
}

fn forget(access: &Access, what: What) -> selfsame::forget::Forgotten {
    access.forget_all(&Order::of(what), None).unwrap()
}

fn preview(access: &Access, what: What) -> Cascade {
    access.forget_what(&Order::of(what)).unwrap()
}

fn memory(id: MemoryId) -> What {
    What::Item(Item { kind: ItemKind::Memory, id: id.id() })
}

fn sound(bench: &Bench) {
    assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
}

/// A lesson from memories.
fn lesson(text: &str, sources: &[MemoryId]) -> NewLesson {
    NewLesson {
        kind: LessonKind::Discovery,
        context: None,
        action: None,
        outcome: None,
        lesson: text.into(),
        correction: None,
        tags: Vec::new(),
        tools: Vec::new(),
        sources: sources.to_vec(),
    }
}

fn reflection(text: &str, sources: &[MemoryId]) -> NewReflection {
    let (from, until) = (Time::from_micros(0), Time::from_micros(1));
    NewReflection { content: text.into(), from, until, sources: sources.to_vec() }
}

/// A life in which one word is everywhere: said, captured, remembered, told on, believed, written down, planned.
fn furnish(access: &Access, word: &str) -> MemoryId {
    let agent = access.mind().access("main", Speaker::Agent(None)).unwrap();
    let said = say(access, "terminal", &format!("Remember that the vault of {word} opens at dawn."));
    let _ = said;
    let id = remember(access, &format!("My favourite harbour is {word} in the north"));
    say(&agent, "terminal", &format!("You told me: my favourite harbour is {word} in the north."));
    agent
        .write_diary(DiaryDraft::new(format!("She said: my favourite harbour is {word} in the north")), None)
        .unwrap();
    access
        .add_todo(TodoDraft::new(format!("My favourite harbour is {word} in the north: go there")), None)
        .unwrap();
    access.learn(lesson(&format!("Ask about {word} first"), &[id]), None).unwrap();
    access.reflect(reflection(&format!("A week of {word}"), &[id]), None).unwrap();
    access.consolidate().unwrap();
    id
}

/// What stays without its words when they are forgotten: a conversation by its title, how somebody is regarded, who somebody is, the
/// name of what was read in.
fn mention(access: &Access, word: &str) {
    let agent = access.mind().access("main", Speaker::Agent(None)).unwrap();
    let place = Some(Place::Channel("mail".into()));
    let titled = OpenRequest { place, title: Some(format!("About {word}")), ..OpenRequest::default() };
    access.conversation_open(&titled, None).unwrap();
    add(access, "Ada Quill", &[]);
    let rationale = format!("She told me of {word}");
    let assignment = Assignment { kind: "friend".into(), trust: None, tone: None, rationale, notes: None };
    say(access, "mail", "Good morning");
    agent.assign_relationship("operator", &assignment, None).unwrap();
    access.entity_profile("Ada Quill", &format!("Lives by {word}"), &[], None).unwrap();
    let file = File { name: format!("{word}.md"), text: "- Ferns like stone\n".into() };
    access.import(&format!("{word}.md"), &[file], None, false).unwrap();
}

/// The kinds of these.
const REWORDED: [&str; 4] = ["profile", "relationship", "run", "title"];

/// Looks for a word and forgets all that has it; gives the kinds of what stayed without it.
fn forget_word(access: &Access, word: &str) -> Vec<String> {
    let looked = preview(access, What::Query(word.into()));
    let act = Order { token: Some(looked.token), ..Order::of(What::Query(word.into())) };
    access.forget_all(&act, None).unwrap().rewritten.into_keys().collect()
}

both_engines! {
    fn all_that_was_made_from_a_memory_goes_with_it(bench: Bench) {
        let access = bench.main();
        remember(&access, "The owl is grey");
        let id = furnish(&access, "zanzibarium");
        // Said on its own, in another conversation, and about something else.
        let vault = preview(&access, What::Query("zanzibarium".into()));
        assert!(vault.removed["memory"] >= 2, "{vault:?}");
        let shown = preview(&access, memory(id));
        for kind in ["memory", "message", "diary", "todo", "lesson", "reflection"] {
            assert!(shown.removed.contains_key(kind), "{kind}: {shown:?}");
        }
        assert!(shown.rewritten.contains_key("observation"), "{shown:?}");
        assert_eq!(shown.going.iter().find(|one| one.item.id == id.id()).unwrap().why, Why::Named);
        let done = forget(&access, memory(id));
        assert_eq!((&done.removed, &done.rewritten), (&shown.removed, &shown.rewritten), "what was shown is what happened");
        assert_eq!(access.memory(id).unwrap(), None);
        sound(&bench);
        // The vault is still known: it is another matter. Then it goes by the word.
        let order = Order { what: What::Query("zanzibarium".into()), token: None, everywhere: false };
        assert_eq!(access.forget_all(&order, None).unwrap_err().class(), Class::BadInput, "a query is looked at first");
        let looked = access.forget_what(&order).unwrap();
        access.forget_all(&Order { token: Some(looked.token), ..order }, None).unwrap();
        assert_eq!(columns_with(&bench, "zanzibarium"), [""; 0]);
        assert!(!bench.dump().to_lowercase().contains("zanzibarium"));
        assert_eq!(access.recall(&Question::new("owl")).unwrap().hits.len(), 1);
        sound(&bench);
    }

    fn what_came_in_between_is_not_forgotten_by_surprise(bench: Bench) {
        let access = bench.main();
        let first = remember(&access, "The heron nests by the weir");
        let order = Order::of(What::Query("heron".into()));
        let looked = access.forget_what(&order).unwrap();
        let later = remember(&access, "Another heron came in spring");
        let act = Order { token: Some(looked.token), ..order.clone() };
        let error = access.forget_all(&act, None).unwrap_err();
        assert!(error.to_string().contains("look again with a dry run"), "{error}");
        assert!(access.memory(first).unwrap().is_some() && access.memory(later).unwrap().is_some());
        let looked = access.forget_what(&order).unwrap();
        assert_eq!(looked.removed["memory"], 2);
        access.forget_all(&Order { token: Some(looked.token), ..order }, None).unwrap();
        assert!(access.memory(first).unwrap().is_none() && access.memory(later).unwrap().is_none());
    }

    fn a_preview_changes_nothing(bench: Bench) {
        let access = bench.main();
        let id = furnish(&access, "zanzibarium");
        let before = bench.dump();
        for what in [memory(id), What::Query("zanzibarium".into()), What::Agent] {
            preview(&access, what);
        }
        assert_eq!(bench.dump(), before);
    }

    fn a_memory_that_says_the_same_on_its_own_stays_and_is_named(bench: Bench) {
        let agent = bench.agent("main");
        let access = bench.main();
        let maya = bench.principal(&agent, "maya");
        let first = remember(&access, "The ferry leaves at nine sharp");
        let hers = bench.access("main", Speaker::Principal(maya)).remember(Draft::new("The ferry leaves at nine sharp"), None).unwrap().id;
        assert_ne!(first, hers);
        let shown = preview(&access, memory(first));
        assert_eq!(shown.staying.iter().map(|one| one.item.id).collect::<Vec<_>>(), [hers.id()]);
        forget(&access, memory(first));
        assert!(access.memory(hers).unwrap().is_some());
        let again = remember(&access, "The ferry leaves at nine sharp");
        let order = Order { everywhere: true, ..Order::of(memory(again)) };
        assert_eq!(access.forget_all(&order, None).unwrap().memories, 2);
        assert_eq!(columns_with(&bench, "ferry"), [""; 0]);
        sound(&bench);
    }

    fn a_person_goes_with_all_that_speaks_of_them(bench: Bench) {
        let access = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        let (zoe, ada) = (add(&access, "Zoerina", &["Zoelein"]), add(&access, "Adabert", &[]));
        for number in 0..8 {
            remember(&access, &format!("Zoerina owns house number {number} in the old town"));
        }
        remember(&access, "Zoelein likes tea");
        remember(&access, "Adabert likes coffee");
        say(&access, "terminal", "Zoerina will come by train tomorrow.");
        let hello = Saying { role: Some(Role::Peer), speaker: Some("Zoerina".into()), ..Saying::new(Place::Channel("door".into()), "Hello there") };
        bench.access("main", Speaker::Host(None)).conversation_say(&hello, None).unwrap();
        say(&agent, "door", "Come in");
        agent.write_diary(DiaryDraft::new("A day with Zoerina"), None).unwrap();
        access.add_todo(TodoDraft::new("Write to Zoelein"), None).unwrap();
        access.add_to_calendar(CalendarDraft::new("Dinner with Zoerina", "2026-02-03"), None).unwrap();
        access.entity_profile("Zoerina", "Zoerina is a carpenter", &[], None).unwrap();
        access.entity_profile("Adabert", "Adabert is a baker", &[], None).unwrap();
        let assignment = Assignment { kind: "friend".into(), trust: None, tone: None, rationale: "Zoerina is kind".into(), notes: None };
        agent.assign_relationship("Zoerina", &assignment, None).unwrap();
        access.consolidate().unwrap();
        let shown = preview(&access, What::Entity(zoe));
        assert!(shown.removed["memory"] >= 9, "{:?}", shown.removed);
        let done = forget(&access, What::Entity(zoe));
        assert_eq!((done.removed, done.rewritten), (shown.removed, shown.rewritten));
        for name in ["zoerina", "zoelein", "carpenter"] {
            assert_eq!(columns_with(&bench, name), [""; 0], "{name}");
        }
        assert_eq!(access.entity_show(&zoe.to_string()).unwrap_err().class(), Class::NotFound);
        assert_eq!(access.entity_show("Adabert").unwrap().known.entity.id, ada);
        assert!(!access.recall(&Question::new("coffee")).unwrap().hits.is_empty(), "others are untouched");
        sound(&bench);
        let again = access.forget_all(&Order::of(What::Entity(zoe)), None).unwrap_err();
        assert!(again.to_string().contains("was forgotten"), "{again}");
    }

    fn the_operator_is_not_forgotten_by_name(bench: Bench) {
        let access = bench.main();
        let operator = bench.owner().number("SELECT COUNT(*) FROM principals");
        assert_eq!(operator, 1);
        let who: EntityId = access.principal_list().unwrap()[0].entity;
        assert_eq!(access.forget_all(&Order::of(What::Entity(who)), None).unwrap_err().class(), Class::BadInput);
    }

    fn a_principal_loses_name_and_keys_and_keeps_their_place(bench: Bench) {
        let access = bench.main();
        let agent = bench.agent("other");
        let maya = bench.principal(&agent, "mayabell");
        let other = bench.access("other", Speaker::Operator);
        let entity = other.principal_list().unwrap().into_iter().find(|one| one.id == maya).unwrap().entity;
        let hers = bench.access("other", Speaker::Principal(maya));
        hers.remember(Draft::new("Mayabell keeps bees"), None).unwrap();
        forget(&other, What::Entity(entity));
        assert_eq!(columns_with(&bench, "mayabell"), [""; 0]);
        assert_eq!(other.principal_list().unwrap().len(), 2);
        drop(access);
    }

    fn whatever_came_by_a_source_goes(bench: Bench) {
        let access = bench.main();
        let said = say(&access, "terminal", "Remember that the quorvine is ripe in autumn.");
        access.consolidate().unwrap();
        let by_file = Draft { source: Some("notes/quorvine.md".into()), ..Draft::new("Quorvine grows in the shade") };
        access.remember(by_file, None).unwrap();
        let shown = preview(&access, What::Item(Item { kind: ItemKind::Message, id: said.message.id() }));
        assert_eq!(shown.removed["memory"], 1, "{shown:?}");
        forget(&access, What::Item(Item { kind: ItemKind::Message, id: said.message.id() }));
        assert_eq!(bench.mind().agent_card("main").unwrap().memories, 1);
        assert_eq!(forget(&access, What::Source("notes/quorvine.md".into())).memories, 1);
        assert_eq!(columns_with(&bench, "quorvine"), [""; 0]);
        sound(&bench);
        let again = access.forget_all(&Order::of(What::Source("notes/quorvine.md".into())), None).unwrap_err();
        assert!(again.to_string().contains("nothing came by that"), "{again}");
    }

    /// By the file, the folder or the run; and what it was called goes with the last of it.
    fn what_was_read_in_goes_by_where_it_came_from(bench: Bench) {
        let access = bench.main();
        let file = |name: &str, text: &str| File { name: name.into(), text: text.into() };
        let import = |source: &str, files: &[File]| access.import(source, files, None, false).unwrap().run.unwrap();
        let names = || access.import_runs().unwrap().into_iter().map(|run| run.source).collect::<Vec<_>>();
        let run = import("quorvine-notes", &[
            file("quorvine.md", "- Vines want shade\n"),
            file("quorvine.md.md", "- Moss wants rain\n"),
            file("hedge.md", "- Hedges want cutting\n"),
        ]);
        let filed = access.inbox(Status::Pending, 10).unwrap();
        let vines = filed.iter().find(|one| one.content.contains("Vines")).unwrap().id;
        access.review_inbox(&[Decision::new(vines, Verdict::Promote)]).unwrap();
        assert_eq!(forget(&access, What::Source("quorvine.md".into())).removed, BTreeMap::from([("candidate".to_owned(), 1), ("memory".to_owned(), 1)]));
        assert_eq!(columns_with(&bench, "vines want"), [""; 0]);
        assert_eq!(access.inbox(Status::Pending, 10).unwrap().len(), 2, "another file of the same run");
        assert_eq!(names(), ["quorvine-notes"], "something of it is left");
        assert_eq!(forget(&access, What::Source(run.to_string())).removed["candidate"], 2);
        assert_eq!((names(), columns_with(&bench, "quorvine")), (vec!["[forgotten]".to_owned()], vec![]));
        import("quorvine.txt.md", &[file("quorvine.txt.md", "- Ferns like stone\n")]);
        let done = forget(&access, What::Source("quorvine.txt.md".into()));
        assert_eq!((done.removed["candidate"], done.rewritten["run"]), (1, 1));
        assert_eq!(columns_with(&bench, "quorvine"), [""; 0]);
        // By its id alone, too: it was the last of its file.
        import("quorvine.md", &[file("quorvine.md", "- Lichen likes air\n")]);
        let last = access.inbox(Status::Pending, 10).unwrap()[0].id;
        forget(&access, What::Item(Item { kind: ItemKind::Candidate, id: last.id() }));
        assert_eq!(columns_with(&bench, "quorvine"), [""; 0]);
        // And by what it is called.
        import("About Zoerina.md", &[file("About Zoerina.md", "- Trains run late\n")]);
        let zoe = add(&access, "Zoerina", &[]);
        forget(&access, What::Entity(zoe));
        assert_eq!(columns_with(&bench, "zoerina"), [""; 0]);
        assert_eq!(access.inbox(Status::Pending, 10).unwrap().len(), 0);
        sound(&bench);
    }

    fn a_conversation_goes_whole(bench: Bench) {
        let access = bench.main();
        let said = say(&access, "plover-terminal", "Remember that the plover sings at night.");
        say(&access, "plover-terminal", "And I prefer plover over heron.");
        say(&access, "other", "The weather is fine.");
        access.consolidate().unwrap();
        forget(&access, What::Item(Item { kind: ItemKind::Conversation, id: said.conversation.id() }));
        assert_eq!(columns_with(&bench, "plover"), [""; 0]);
        assert_eq!(access.conversation_list(None, 10).unwrap().conversations.len(), 1);
        sound(&bench);
    }

    fn the_soul_goes_by_its_id_alone(bench: Bench) {
        let access = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        let soul = agent.add_to_soul(SoulKind::Value, "Truth is worth its price", "it came up", None).unwrap().id;
        let id = remember(&access, "Truth is worth its price");
        let shown = preview(&access, memory(id));
        assert_eq!(shown.staying.iter().map(|one| one.item.kind).collect::<Vec<_>>(), [ItemKind::Soul]);
        forget(&access, memory(id));
        assert_eq!(columns_with(&bench, "worth its price"), ["soul_entries.content"]);
        forget(&access, What::Item(Item { kind: ItemKind::Soul, id: soul.id() }));
        assert_eq!(columns_with(&bench, "worth its price"), [""; 0]);
    }

    fn what_others_said_is_theirs(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, noah) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noah"));
        let hers = bench.access("main", Speaker::Principal(maya));
        let his = bench.access("main", Speaker::Principal(noah));
        let (shared, hidden) = (Draft::new("The cellar has a damp wall"), Draft { privacy: Privacy::Private, ..Draft::new("The cellar key is under the mat") });
        hers.remember(shared, None).unwrap();
        hers.remember(hidden, None).unwrap();
        let error = his.forget_what(&Order::of(What::Query("cellar".into()))).unwrap_err();
        assert_eq!(error.class(), Class::BadInput, "{error}");
        let shown = preview(&bench.main(), What::Query("cellar".into()));
        assert_eq!(shown.removed["memory"], 2);
        assert_eq!(his.forget_what(&Order::of(What::Agent)).unwrap_err().class(), Class::Forbidden);
        assert_eq!(bench.main().unattended().forget_what(&Order::of(What::Query("cellar".into()))).unwrap_err().class(), Class::Forbidden);
    }

    fn a_whole_agent_goes_and_others_stay(bench: Bench) {
        let home = Home::new(&bench);
        let mind = home.open(&bench);
        mind.create_agent("other", None).unwrap();
        let other = mind.access("other", Speaker::Operator).unwrap();
        remember(&other, "The owl is grey");
        let access = main_of(&mind);
        furnish(&access, "zanzibarium");
        let request = KeyRequest { name: "door".into(), agent: Some("main".into()), principal: None, speaks_as: SpeaksAs::Agent, scopes: vec![Scope::Read] };
        mind.create_key(&request).unwrap();
        let journal = home.path().join("agents/main/memory/contemplation");
        // A server's database has no journals unless a place is named for them.
        if bench.engine() == Engine::Sqlite {
            fs::create_dir_all(&journal).unwrap();
            fs::write(journal.join("2026-01-01.jsonl"), "zanzibarium").unwrap();
        }
        let order = Order::of(What::Agent);
        assert_eq!(access.forget_all(&order, None).unwrap_err().class(), Class::BadInput, "it is looked at first");
        let shown = access.forget_what(&order).unwrap();
        let done = access.forget_all(&Order { token: Some(shown.token), ..order }, None).unwrap();
        assert_eq!(done.removed["memory_items"], shown.removed["memory_items"]);
        assert_eq!(mind.access("main", Speaker::Operator).err().unwrap().class(), Class::NotFound);
        assert_eq!(mind.agents().unwrap().len(), 1);
        assert_eq!(mind.proof(done.erasure).unwrap().unwrap().proof.how, "agent");
        assert_eq!(other.recall(&Question::new("owl")).unwrap().hits.len(), 1);
        assert!(!home.path().join("agents/main").exists());
        assert_eq!(home.files_with("zanzibarium", true), [""; 0]);
        if bench.engine() == Engine::Postgres {
            let agent = bench.owner().number("SELECT COUNT(DISTINCT agent_id) FROM memory_items");
            assert_eq!(agent, 1);
            assert_eq!(columns_with(&bench, "zanzibarium"), [""; 0]);
        }
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }

    fn no_file_and_no_column_has_it_and_the_proof_says_so(bench: Bench) {
        let home = Home::new(&bench);
        let mind = home.open(&bench);
        let access = main_of(&mind);
        let id = furnish(&access, "zanzibarium");
        assert!(!access.whereabouts("zanzibarium").unwrap().rows.is_empty());
        let done = forget(&access, memory(id));
        let looked = preview(&access, What::Query("zanzibarium".into()));
        let act = Order { token: Some(looked.token), ..Order::of(What::Query("zanzibarium".into())) };
        access.forget_all(&act, None).unwrap();
        assert_eq!(home.files_with("zanzibarium", true), [""; 0]);
        assert_eq!(access.whereabouts("Zanzibarium").unwrap(), selfsame::forget::Whereabouts::default());
        let entry = access.erasure(done.erasure).unwrap().unwrap();
        assert_eq!((&entry.proof.removed, entry.proof.how.as_str()), (&done.removed, "memory"));
        assert_eq!(entry.items.len() as u64, done.removed.values().sum::<u64>());
        assert!(entry.items.iter().all(|one| one.words_hash.as_ref().is_none_or(|hash| hash.len() == 32)));
        assert_eq!(access.erasures(10).unwrap().len(), 2);
        let LedgerRead::Whole(written) = read_ledger(&home.data().backups()).unwrap() else { panic!() };
        assert_eq!(written.len(), 2);
        assert_eq!(written[0], entry);
        let other = mind.create_agent("other", None).unwrap();
        let other = mind.access(&other.name, Speaker::Operator).unwrap();
        assert_eq!(other.erasure(done.erasure).unwrap(), None, "an erasure is its agent's");
    }

    /// Killed after the write or after the ledger: it is forgotten, and opening again finishes what was left.
    fn an_act_that_died_is_finished(bench: Bench) {
        let home = Home::new(&bench);
        for (number, point) in ["write.committed", "forget.committed", "forget.ledgered"].into_iter().enumerate() {
            let id = remember(&main_of(&home.open(&bench)), &format!("The wombatine {number} digs at night"));
            let trap = Trap::fail(point);
            let mind = home.open_with(&bench, Some(&trap)).unwrap();
            trap.arm(1);
            main_of(&mind).forget(id, None).unwrap_err();
            drop(mind);
            let mind = home.open(&bench);
            assert_eq!(main_of(&mind).memory(id).unwrap(), None, "{point}");
            let LedgerRead::Whole(written) = read_ledger(&home.data().backups()).unwrap() else { panic!() };
            assert_eq!(written.len(), number + 1, "{point}");
            assert_eq!(home.files_with("wombatine", true), [""; 0], "{point}");
        }
        for point in ["write.applied", "write.before_commit"] {
            let id = remember(&main_of(&home.open(&bench)), "The wombatine digs by day");
            let trap = Trap::fail(point);
            let mind = home.open_with(&bench, Some(&trap)).unwrap();
            trap.arm(1);
            main_of(&mind).forget(id, None).unwrap_err();
            drop(mind);
            let mind = home.open(&bench);
            assert!(main_of(&mind).memory(id).unwrap().is_some(), "{point}: nothing is half done");
            forget(&main_of(&mind), memory(id));
        }
    }

    /// A database that is older than the ledger forgets again when it is opened, whoever put it there.
    fn an_older_database_forgets_again_when_it_is_opened(bench: Bench) {
        let home = Home::new(&bench);
        let mind = home.open(&bench);
        let id = remember(&main_of(&mind), "The lynxoid sleeps");
        let done = forget(&main_of(&mind), memory(id));
        drop(mind);
        let LedgerRead::Whole(mut written) = read_ledger(&home.data().backups()).unwrap() else { panic!() };
        let mind = home.open(&bench);
        let id = remember(&main_of(&mind), "The lynxoid wakes");
        drop(mind);
        // As if this had been forgotten after the database was copied.
        let entry = &mut written[0];
        entry.items[0].item = id.id();
        entry.proof.erasure = selfsame::id::ErasureId::of(bench.fresh_id());
        selfsame::forget::append_to_ledger(&home.data().backups(), &written).unwrap();
        let mind = home.open(&bench);
        assert_eq!(main_of(&mind).memory(id).unwrap(), None);
        assert_eq!(main_of(&mind).erasures(10).unwrap().len(), 2);
        assert_eq!(home.files_with("lynxoid", true), [""; 0]);
        assert_ne!(written[0].proof.erasure, done.erasure);
    }

    fn a_repeated_key_is_one_act(bench: Bench) {
        let access = bench.main();
        let said = say(&access, "terminal", "The kestrelate hovers over the field");
        let order = Order::of(What::Item(Item { kind: ItemKind::Message, id: said.message.id() }));
        let first = access.forget_all(&order, Some(&key("k", 1))).unwrap();
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM erasure_proofs"), 1);
        let again = access.forget_all(&order, None).unwrap_err();
        assert!(again.to_string().contains("was forgotten"), "{again}");
        assert_eq!(first.removed, BTreeMap::from([("message".to_owned(), 1)]));
    }

    /// What first carries the canary is forgotten by its id, row by row: all the rest is found by the cascade or stays.
    fn random_lives_leave_no_canary(bench: Bench) {
        // A server takes its time over a life.
        let lives = if bench.engine() == Engine::Postgres { 2 } else { 5 };
        for_each_seed(lives, |seed, dice| {
            let mut home = Home::new(&bench);
            let settings = &mut home.settings;
            settings.self_care.batch = 10;
            settings.self_care.least = 2;
            settings.self_care.recent_messages = 0;
            settings.contemplation.enabled = true;
            settings.contemplation.journal_folder = Some(home.folder.path().join("data/journals"));
            settings.thinker.kind = ThinkerKind::Model;
            settings.thinker.jobs.insert(WorkKind::Summarize, ThinkerKind::None);
            settings.thinker.jobs.insert(WorkKind::ExtractLessons, ThinkerKind::None);
            let says = Arc::new(Mutex::new(None));
            let next = Arc::clone(&says);
            let thinker = ScriptedThinker::acting(move |_, _: &dyn Desk| {
                Ok(next.lock().unwrap().take().unwrap_or_else(|| told("A quiet day.", "")))
            });
            let thinkers = Arc::new(OneThinker(Arc::new(thinker)));
            let opening = Opening::new(home.settings.clone()).clock(bench.shared_clock()).thinkers(thinkers);
            let mind = opening.open(&home.data()).unwrap();
            let name = format!("life-{seed}");
            mind.create_agent(&name, None).unwrap();
            let access = mind.access(&name, Speaker::Operator).unwrap();
            let canary = format!("qanary{seed}xylo");
            let roots = random_life(&bench, &access, dice, (&canary, &says));
            assert!(!columns_with_in(&bench, &home, &canary).is_empty(), "seed {seed}: it was there");
            for (agent, item) in roots {
                let access = mind.access(&agent, Speaker::Operator).unwrap();
                let order = Order { everywhere: true, ..Order::of(What::Item(item)) };
                let shown = match access.forget_what(&order) {
                    Ok(shown) => shown,
                    Err(error) => {
                        assert!([Class::NotFound, Class::Gone].contains(&error.class()), "seed {seed}: {item}: {error}");
                        continue;
                    }
                };
                let done = access.forget_all(&Order { token: Some(shown.token), ..order }, None).unwrap();
                assert_eq!((done.removed, done.rewritten), (shown.removed, shown.rewritten), "seed {seed}");
            }
            assert_eq!(columns_with_in(&bench, &home, &canary), [""; 0], "seed {seed}");
            assert_eq!(home.files_with(&canary, true), [""; 0], "seed {seed}");
            assert_eq!(mind.verify().unwrap().problems, [""; 0], "seed {seed}");
            assert!(access.recall(&Question::new("harmless neighbour")).unwrap().hits.len() > 1, "seed {seed}");
        });
    }
}

/// On SQLite the home has a file of its own.
fn columns_with_in(bench: &Bench, home: &Home, word: &str) -> Vec<String> {
    match bench.engine() {
        Engine::Postgres => columns_with(bench, word),
        Engine::Sqlite => home.files_with(word, true),
    }
}

/// A summary that repeats nothing: only what it was made from says that it has to go.
fn fold_in_own_words(agent: &Access, canary: &str, number: usize) {
    let mut step = agent.self_care_begin(&CareRequest::default()).unwrap();
    while let CareStep::Handed(batch) = step {
        // Some of its rows may have nothing to do with the canary; then neither has the summary.
        let topic = if batch.material.contains(canary) { canary } else { "nothing much" };
        step = agent
            .self_care_commit(batch.id, &format!("Themes: life\nIn short, {topic} {number} was busy"))
            .unwrap();
    }
}

/// Rows that are made from each other in whatever order; gives those that had the canary first, and whose they are.
fn random_life(
    bench: &Bench,
    access: &Access,
    dice: &mut Dice,
    (canary, says): (&str, &Mutex<Option<String>>),
) -> Vec<(String, Item)> {
    let (mind, name) = (access.mind(), access.agent().name.clone());
    let agent = mind.access(&name, Speaker::Agent(None)).unwrap();
    let mut roots: Vec<(String, Item)> = Vec::new();
    let mut own = |kind: ItemKind, id: Id| roots.push((name.clone(), Item { kind, id }));
    let mut elsewhere: Vec<(String, Item)> = Vec::new();
    let mut memories: Vec<(MemoryId, String)> = Vec::new();
    for number in 0..30 {
        let words = format!("{canary} item {number} of the {} garden", ["red", "blue", "old"][dice.below(3)]);
        let known = (!memories.is_empty()).then(|| dice.pick(&memories).clone());
        match (dice.below(18), known) {
            (0, _) => own(
                ItemKind::Message,
                say(access, "terminal", &format!("Remember that {words}.")).message.id(),
            ),
            (1, _) => {
                own(ItemKind::Message, say(&agent, "terminal", &format!("I heard: {words}")).message.id());
            }
            (2, _) => {
                let written =
                    agent.write_diary(DiaryDraft::new(format!("A day with {words}")), None).unwrap();
                own(ItemKind::Diary, written.id.id());
            }
            (3, _) => own(
                ItemKind::Todo,
                access.add_todo(TodoDraft::new(format!("See {words}")), None).unwrap().id.id(),
            ),
            (4, _) => {
                let draft = CalendarDraft::new(format!("Visit to {words}"), "2026-02-03");
                own(ItemKind::Calendar, access.add_to_calendar(draft, None).unwrap().id.id());
            }
            (5, _) => {
                let name = format!("{canary}-{number}.md");
                let file = File { name: name.clone(), text: format!("- I prefer {words} over all others\n") };
                access.import(&name, &[file], None, false).unwrap();
                let filed = access.inbox(Status::Pending, 1000).unwrap();
                let filed = filed.iter().filter(|one| one.content.contains(&words));
                filed.for_each(|one| own(ItemKind::Candidate, one.id.id()));
            }
            (6, _) => {
                let giver = format!("{name}-giver-{number}");
                mind.create_agent(&giver, None).unwrap();
                let theirs = mind.access(&giver, Speaker::Operator).unwrap();
                let id = remember(&theirs, &format!("They keep {words}"));
                elsewhere.push((giver.clone(), Item { kind: ItemKind::Memory, id: id.id() }));
                let asked = access.link_request(&giver, None).unwrap().link.id;
                theirs.link_answer(asked, Answer::Share { onward: false }, None).unwrap();
                let all = access.memories(&selfsame::memory::Which::default(), 200).unwrap();
                let copy = all.iter().find(|one| one.content.contains(&words)).unwrap();
                own(ItemKind::Memory, copy.id.id());
                memories.push((copy.id, copy.content.clone()));
            }
            (7, Some((from, _))) => {
                access.learn(lesson(&format!("About {canary} {number}"), &[from]), None).unwrap();
            }
            (8, Some((from, _))) => {
                let text = format!("Looking back on {canary} {number}");
                access.reflect(reflection(&text, &[from]), None).unwrap();
            }
            (9, Some((from, _))) => {
                let draft =
                    Draft { source: Some(from.to_string()), ..Draft::new(format!("From it: {words}")) };
                access.remember(draft, None).unwrap();
            }
            (10, Some((from, _))) => {
                let who = format!("Person{number}");
                add(access, &who, &[]);
                access
                    .entity_profile(&who, &format!("Known from {canary}"), &[from.to_string()], None)
                    .unwrap();
            }
            // Whoever repeats it whole named no source, and goes all the same.
            (11, Some((_, text))) => match dice.below(4) {
                0 => drop(say(&agent, "terminal", &format!("You told me: {text}, did you not?"))),
                1 => drop(agent.write_diary(DiaryDraft::new(format!("She said: {text}")), None).unwrap()),
                2 => drop(access.add_todo(TodoDraft::new(format!("{text}: go there")), None).unwrap()),
                _ => drop(access.add_to_calendar(CalendarDraft::new(text, "2026-02-03"), None).unwrap()),
            },
            (12, _) => {
                access.consolidate().unwrap();
            }
            (13, _) => {
                bench.clock().advance(DAY);
                // By rules, in the words of what is folded; or by the agent, in words of its own.
                match dice.percent(50) {
                    true => drop(agent.self_care(&CareRequest::default()).unwrap()),
                    false => fold_in_own_words(&agent, canary, number),
                }
            }
            (14, _) => {
                bench.clock().advance(DAY);
                access.contemplate().unwrap();
            }
            (15, _) => {
                remember(access, &format!("A harmless neighbour number {number}"));
            }
            _ => {
                let text = format!("My {} is {words}", ["favourite tea", "garden", "plan"][dice.below(3)]);
                let id = remember(access, &text);
                own(ItemKind::Memory, id.id());
                memories.push((id, text));
            }
        }
    }
    let mut own = |kind: ItemKind, id: Id| roots.push((name.clone(), Item { kind, id }));
    // Too few words to be looked for: nothing but what became of what says that these have to go.
    let hums = format!("Remember that {canary} hums.");
    let filed = access.capture(&hums, Privacy::Shared, None).unwrap().candidates;
    own(ItemKind::Memory, filed[0].memory.unwrap().id());
    bench.clock().advance(DAY);
    *says.lock().unwrap() = Some(format!("{canary} sings."));
    match access.contemplate().unwrap() {
        Contemplated::Episode(episode) => own(ItemKind::Memory, episode.memory.id()),
        other => panic!("{other:?}"),
    }
    for number in 0..3 {
        remember(access, &format!("One more harmless neighbour {number}"));
    }
    access.consolidate().unwrap();
    roots.extend(elsewhere);
    roots
}

both_engines! {
    /// An archive that was packed before something was forgotten does not bring it back, and says so.
    fn an_older_archive_does_not_bring_it_back(bench: Bench) {
        let home = Home::new(&bench);
        let mind = home.open(&bench);
        let access = main_of(&mind);
        let id = remember(&access, "The zanzibarium opens at noon");
        remember(&access, "Bread needs salt");
        mention(&access, "velveteria");
        let early = mind.export(&["main"]).unwrap().bytes;
        forget(&access, memory(id));
        forget_word(&access, "velveteria");
        let late = mind.export(&["main"]).unwrap().bytes;
        for (bytes, again) in [(early, 2), (late, 0)] {
            let access = main_of(&mind);
            let looked = preview(&access, What::Agent);
            access.forget_all(&Order { token: Some(looked.token), ..Order::of(What::Agent) }, None).unwrap();
            drop(access);
            let limits = selfsame::archive::Limits::default();
            let arrived = mind.import_archive(std::io::Cursor::new(bytes), None, false, limits).unwrap();
            assert_eq!(arrived.forgotten, again);
            let left: Vec<String> = main_of(&mind)
                .memories(&selfsame::memory::Which::default(), 10)
                .unwrap()
                .into_iter()
                .map(|memory| memory.content.clone())
                .collect();
            assert_eq!(left, ["Bread needs salt"]);
            assert_eq!(columns_with_in(&bench, &home, "zanzibarium"), [""; 0]);
            assert_eq!(columns_with_in(&bench, &home, "velveteria"), [""; 0]);
            assert_eq!(mind.verify().unwrap().problems, [""; 0]);
        }
        drop(mind);
        assert_eq!(main_of(&home.open(&bench)).memory(id).unwrap(), None);
    }

    /// What waits in the folder to be filed is not filed any more, if it repeats what is forgotten.
    fn what_waits_to_be_filed_goes_too(bench: Bench) {
        let home = Home::new(&bench);
        let mind = home.open(&bench);
        let hooks = home.data().hooks();
        fs::create_dir(&hooks).unwrap();
        let keep = |name: &str, agent: &str, words: &str| {
            let told = serde_json::json!({ "agent": agent, "words": words, "call": name });
            fs::write(hooks.join(name), told.to_string()).unwrap();
        };
        let waiting = || {
            let mut names: Vec<String> = fs::read_dir(&hooks)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        };
        let access = main_of(&mind);
        let id = remember(&access, "The zanzibarium opens at noon");
        keep("1.json", "main", "I heard that the zanzibarium opens at noon today");
        keep("2.json", "main", "Bread needs salt");
        keep("3.json", "main", "Nobody has seen Marguerite since");
        keep("4.json", "main", "the wombatine digs, they say");
        keep("5.json", "other", "something else");
        forget(&access, memory(id));
        assert_eq!(waiting(), ["2.json", "3.json", "4.json", "5.json"]);
        let who = add(&access, "Marguerite", &[]);
        forget(&access, What::Entity(who));
        assert_eq!(waiting(), ["2.json", "4.json", "5.json"]);
        remember(&access, "A wombatine digs");
        for what in [What::Query("wombatine".into()), What::Agent] {
            let looked = preview(&access, what.clone());
            access.forget_all(&Order { token: Some(looked.token), ..Order::of(what) }, None).unwrap();
        }
        assert_eq!(waiting(), ["5.json"], "what waits for others stays");
    }
}

/// Something comes to the receiver by a link, and something by an import.
fn give(mind: &Mind) -> (LinkId, RunId) {
    for name in ["giver", "receiver"] {
        mind.ensure_agent(name).unwrap();
    }
    let [giver, receiver] = ["giver", "receiver"].map(|name| mind.access(name, Speaker::Operator).unwrap());
    remember(&giver, "The lynxoid sleeps by day");
    remember(&receiver, "Bread needs salt");
    let asked = receiver.link_request("giver", None).unwrap().link.id;
    giver.link_answer(asked, Answer::Share { onward: false }, None).unwrap();
    let file = File { name: "MEMORY.md".into(), text: "- The kestrelate hovers over the field\n".into() };
    (asked, receiver.import("MEMORY.md", &[file], None, false).unwrap().run.unwrap())
}

/// Both are taken back.
fn take_back(mind: &Mind, (link, run): (LinkId, RunId)) {
    mind.access("giver", Speaker::Operator).unwrap().link_revoke(link, None).unwrap();
    let receiver = mind.access("receiver", Speaker::Operator).unwrap();
    receiver.undo_import(run, false).unwrap();
    let hows: BTreeSet<String> = receiver.erasures(10).unwrap().into_iter().map(|proof| proof.how).collect();
    assert_eq!(hows, ["import", "link"].map(String::from).into());
}

fn gave_and_took_back(mind: &Mind) {
    let receiver = mind.access("receiver", Speaker::Operator).unwrap();
    assert_eq!(receiver.links(None, 10).unwrap()[0].link.state, LinkState::Revoked);
    let giver = mind.access("giver", Speaker::Operator).unwrap();
    assert_eq!(giver.links(None, 10).unwrap()[0].link.state, LinkState::Revoked);
    let left = receiver.memories(&selfsame::memory::Which::default(), 10).unwrap();
    assert_eq!(left.iter().map(|memory| memory.content.as_str()).collect::<Vec<_>>(), ["Bread needs salt"]);
    assert!(receiver.import_runs().unwrap()[0].undone_at.is_some());
    assert_eq!(receiver.whereabouts("kestrelate hovers").unwrap().rows, BTreeMap::new());
    assert_eq!(receiver.whereabouts("lynxoid sleeps").unwrap().rows, BTreeMap::new());
    assert_eq!(receiver.erasures(10).unwrap().len(), 2);
    assert_eq!(mind.verify().unwrap().problems, [""; 0]);
}

#[test]
fn sqlite_an_older_backup_brings_back_no_link_and_no_import() {
    let bench = Bench::sqlite();
    let home = Home::new(&bench);
    let mind = home.open(&bench);
    let given = give(&mind);
    let made = mind.backup_here().unwrap();
    take_back(&mind, given);
    drop(mind);
    restore(&home, &bench, &made.path, false).unwrap();
    assert_eq!(home.files_with("kestrelate", false), [""; 0]);
    for _ in 0..2 {
        gave_and_took_back(&home.open(&bench));
    }
}

/// The server's own copy of a database, put in the place of the one in which something was forgotten since.
#[test]
fn postgres_an_older_database_that_is_put_back_forgets_again() {
    let mut bench = Bench::postgres();
    let mut home = Home::new(&bench);
    bench.close();
    let name = bench.database().name().to_owned();
    let copy = format!("{name}_older");
    let server = bench.database().server();
    let mind = home.open(&bench);
    let id = furnish(&main_of(&mind), "zanzibarium");
    mention(&main_of(&mind), "zanzibarium");
    let given = give(&mind);
    drop(mind);
    let mut raw = server.superuser();
    raw.run(&format!("CREATE DATABASE {copy} TEMPLATE {name}")).unwrap();
    let mind = home.open(&bench);
    forget(&main_of(&mind), memory(id));
    assert_eq!(forget_word(&main_of(&mind), "zanzibarium"), REWORDED);
    take_back(&mind, given);
    drop(mind);
    home.settings.database.url = DatabaseUrl::new(&server.urls(&copy).application);
    for _ in 0..2 {
        let mind = home.open(&bench);
        assert_eq!(main_of(&mind).memory(id).unwrap(), None);
        assert_eq!(main_of(&mind).whereabouts("zanzibarium").unwrap().rows, BTreeMap::new());
        gave_and_took_back(&mind);
    }
    raw.run(&format!("DROP DATABASE {copy}")).unwrap();
}

// Restoring: SQLite alone, a server's database is restored with the server's own tools.

fn restore(home: &Home, bench: &Bench, copy: &Path, accept_resurrection: bool) -> selfsame::Result<()> {
    let how = Restoring { accept_resurrection, ..Restoring::default() };
    backup::restore(&home.data(), copy, how, bench.mind_time()).map(drop)
}

#[test]
fn sqlite_an_older_backup_does_not_bring_it_back() {
    let bench = Bench::sqlite();
    let home = Home::new(&bench);
    let mind = home.open(&bench);
    let id = furnish(&main_of(&mind), "zanzibarium");
    mention(&main_of(&mind), "zanzibarium");
    mind.create_agent("gone", None).unwrap();
    remember(&mind.access("gone", Speaker::Operator).unwrap(), "The zanzibarium of another");
    let made = mind.backup_here().unwrap();
    let done = forget(&main_of(&mind), memory(id));
    let entry = mind.proof(done.erasure).unwrap().unwrap();
    assert_eq!(
        mind.copies_with(&entry).unwrap(),
        std::slice::from_ref(&made.path),
        "the proof says which copies still have it"
    );
    assert_eq!(forget_word(&main_of(&mind), "zanzibarium"), REWORDED);
    let gone = mind.access("gone", Speaker::Operator).unwrap();
    let looked = preview(&gone, What::Agent);
    gone.forget_all(&Order { token: Some(looked.token), ..Order::of(What::Agent) }, None).unwrap();
    drop(mind);
    assert_eq!(home.files_with("zanzibarium", true).len(), 1, "the backup has it");
    restore(&home, &bench, &made.path, false).unwrap();
    assert_eq!(home.files_with("zanzibarium", false), [""; 0], "before anything is served");
    let mind = home.open(&bench);
    assert_eq!(main_of(&mind).memory(id).unwrap(), None);
    assert!(mind.access("gone", Speaker::Operator).is_err());
    assert_eq!(main_of(&mind).erasures(10).unwrap().len(), 2);
    assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    assert_eq!(main_of(&mind).forget(id, None).unwrap_err().class(), Class::Gone);
}

#[test]
fn sqlite_without_its_ledger_a_backup_is_refused() {
    let bench = Bench::sqlite();
    let home = Home::new(&bench);
    let mind = home.open(&bench);
    let id = remember(&main_of(&mind), "The marmotte whistles");
    let made = mind.backup_here().unwrap();
    forget(&main_of(&mind), memory(id));
    drop(mind);
    let ledger = home.data().backups().join(LEDGER_NAME);
    let text = fs::read_to_string(&ledger).unwrap();
    // A line that was changed, and one that was taken out.
    for broken in
        [text.replacen("memory", "memorx", 1), text.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n"]
    {
        fs::write(&ledger, broken).unwrap();
        let error = restore(&home, &bench, &made.path, false).unwrap_err();
        assert!(error.to_string().contains("--accept-resurrection"), "{error}");
    }
    fs::remove_file(&ledger).unwrap();
    let before = fs::read(home.data().database()).unwrap();
    let error = restore(&home, &bench, &made.path, false).unwrap_err();
    assert!(error.to_string().contains("--accept-resurrection"), "{error}");
    assert_eq!(fs::read(home.data().database()).unwrap(), before, "nothing was touched");
    // The database that is replaced knows it all the same.
    restore(&home, &bench, &made.path, true).unwrap();
    assert_eq!(main_of(&home.open(&bench)).memory(id).unwrap(), None);
    // With nothing left that knows, what is accepted happens.
    fs::remove_file(&ledger).unwrap();
    fs::remove_file(home.data().database()).unwrap();
    restore(&home, &bench, &made.path, true).unwrap();
    assert!(main_of(&home.open(&bench)).memory(id).unwrap().is_some());
}

#[test]
fn sqlite_a_torn_last_line_was_never_acknowledged() {
    let bench = Bench::sqlite();
    let home = Home::new(&bench);
    let mind = home.open(&bench);
    for text in ["The stoat is brown", "The stoat is white"] {
        let id = remember(&main_of(&mind), text);
        forget(&main_of(&mind), memory(id));
    }
    drop(mind);
    let ledger = home.data().backups().join(LEDGER_NAME);
    let whole = fs::read(&ledger).unwrap();
    fs::write(&ledger, &whole[..whole.len() - 7]).unwrap();
    let LedgerRead::Whole(read) = read_ledger(&home.data().backups()).unwrap() else { panic!() };
    assert_eq!(read.len(), 1);
    drop(home.open(&bench));
    assert_eq!(fs::read(&ledger).unwrap(), whole, "opened again, it is whole again");
}

#[test]
fn sqlite_a_house_that_moves_takes_its_ledger_and_its_key_along() {
    let bench = Bench::sqlite();
    let (home, there) = (Home::new(&bench), Home::new(&bench));
    let mind = home.open(&bench);
    let id = remember(&main_of(&mind), "The lynxoid sleeps by day");
    forget(&main_of(&mind), memory(id));
    drop(mind);
    selfsame::moving::bring_files(&home.data(), &there.data()).unwrap();
    let read = |home: &Home| fs::read_to_string(home.data().erasure_key()).unwrap();
    assert_eq!(read(&home), read(&there));
    let ledgers = [&home, &there].map(|home| read_ledger(&home.data().backups()).unwrap());
    assert!(matches!(&ledgers[0], LedgerRead::Whole(written) if written.len() == 1));
    assert_eq!(ledgers[0], ledgers[1]);
}

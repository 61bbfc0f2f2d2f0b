//! The neural link: asked for, given, declined, run out, taken back; seen whole or not at all.

use crate::contemplation::told;
use crate::conversation::say;
use crate::entity::add;
use crate::meaning::model;
use crate::remember::{key, remember};
use selfsame::clock::SystemClock;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::contemplation::Contemplated;
use selfsame::context::Occasion;
use selfsame::diary::DiaryDraft;
use selfsame::forget::{Item, ItemKind, Order, What as Forget};
use selfsame::id::{LinkId, MemoryId};
use selfsame::knowledge::BeliefQuery;
use selfsame::lesson::{LessonKind, NewLesson};
use selfsame::link::{Answer, LinkCard, LinkState};
use selfsame::memory::{Draft, Edit, Memory, MemoryKind, Which};
use selfsame::ports::Desk;
use selfsame::recall::Question;
use selfsame::recall::meaning::Baseline;
use selfsame::reflection::NewReflection;
use selfsame::self_care::{CareRequest, CareStep, What};
use selfsame::soul::SoulKind;
use selfsame::time::{Clock as _, Time, Zone};

use selfsame::todo::TodoDraft;
use selfsame::trust::{Author, Privacy, Provenance};
use selfsame::vector::Unit;
use selfsame::{Access, Class, Faults, Mind, Speaker, Store, StoreOptions};
use selfsame_core::contemplation::WorkKind;
use selfsame_core::id::Mint;
use selfsame_core::memory::sameness::Prints;
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_store::postings::{self, Kind, Standing as Stands, Text};
use selfsame_store::{memory, vectors};
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, Trap, both_engines, dump};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

const SHARE: Answer = Answer::Share { onward: false };
const ONWARD: Answer = Answer::Share { onward: true };

fn agent<'m>(mind: &'m Mind, name: &str) -> Access<'m> {
    mind.ensure_agent(name).unwrap();
    mind.access(name, Speaker::Agent(None)).unwrap()
}

fn operator<'m>(mind: &'m Mind, name: &str) -> Access<'m> {
    mind.ensure_agent(name).unwrap();
    mind.access(name, Speaker::Operator).unwrap()
}

/// Memories in small batches, so that there are many.
fn in_batches_of(batch: usize) -> Settings {
    let mut settings = Settings::default();
    settings.link.batch = batch;
    settings
}

/// `to` asks `from`, who answers.
fn link(mind: &Mind, from: &str, to: &str, answer: Answer) -> LinkCard {
    let asked = agent(mind, to).link_request(from, None).unwrap();
    agent(mind, from).link_answer(asked.link.id, answer, None).unwrap()
}

fn memories(access: &Access) -> Vec<Memory> {
    access.memories(&Which::default(), 1000).unwrap()
}

fn contents(access: &Access) -> BTreeSet<String> {
    memories(access).into_iter().map(|memory| memory.content.clone()).collect()
}

/// What an agent was ever told, folded or not.
fn memories_ever(mind: &Mind, name: &str) -> Vec<MemoryId> {
    let access = agent(mind, name);
    let all = mind.store().read(access.caller(), &[access.agent().id], |reader| {
        memory::ids_after(reader, access.agent().id, MemoryId::of(selfsame::id::Id::NIL), 1000)
    });
    all.unwrap()
}

fn acts(access: &Access, id: LinkId) -> Vec<String> {
    let log = access.events(0, 1000).unwrap();
    let of_link = log.events.into_iter().filter(|(event, _)| event.subject == id.id());
    of_link.map(|(event, _)| event.act).collect()
}

fn problems(mind: &Mind) -> Vec<String> {
    mind.verify().unwrap().problems
}

/// What an agent's tables have, without what tells that something was: the log, tombstones, counters that only rise.
fn traces(mind: &Mind, of: &str) -> String {
    const LEFT: [&str; 14] = [
        "erasure_proofs",
        "observation_events",
        "agents",
        "agent_heads",
        "events",
        "duties",
        "erasures",
        "tombstones",
        "erased_evidence",
        "links",
        "knowledge_reading",
        "heartbeats",
        "contemplations",
        "idempotency",
    ];
    let id = mind.require_agent(of).unwrap().id;
    let mut text = String::new();
    let mut table = String::new();
    let whose = selfsame::seal::hex(&id.id().bytes());
    for line in dump(mind).lines() {
        if line.starts_with('[') && line.ends_with(']') && !line.contains(" | ") {
            table = line.trim_matches(['[', ']']).to_owned();
            continue;
        }
        if LEFT.contains(&table.as_str()) || !line.starts_with(&whose) {
            continue;
        }
        let mut cells: Vec<&str> = line.split(" | ").collect();
        if ["corpus_stats", "term_stats"].contains(&table.as_str()) {
            // The next number of a thread, and how many texts ever had a word.
            cells.remove(4);
        }
        if table == "knowledge_observations" {
            // How it stands is judged anew at another moment; what it says and how many say so is not.
            cells = cells[..9].iter().chain([&cells[13], &cells[18]]).copied().collect();
        }
        text.push_str(&format!("{table}: {}\n", cells.join(" | ")));
    }
    text
}

/// In every word of the giver.
const GIVEN: &str = "kumquat";
/// What the receiver makes of the giver's words, each in words that no source has: nothing but what it was made from says
/// that it has to go. Where it is, and its word.
const DERIVED: [(&str, &str); 13] = [
    ("character_memory_summaries", "zestsummary"),
    ("entities", "zestprofile"),
    ("episodes", "zestepisode"),
    ("lessons", "zestcontext"),
    ("lessons", "zestlesson"),
    ("lessons", "zestmixed"),
    ("lessons", "zesttaught"),
    ("memory_items", "zesttold"),
    ("memory_items", "zesttellings"),
    ("memory_items", "zestweeks"),
    ("memory_items", "zestreminder"),
    ("nudges", "zestreminder"),
    ("reflections", "zestreflection"),
];

/// The tables in which an agent's rows have a word, whatever its case.
fn tables_with(mind: &Mind, of: &str, word: &str) -> BTreeSet<String> {
    let whose = selfsame::seal::hex(&mind.require_agent(of).unwrap().id.id().bytes());
    let mut table = String::new();
    let mut found = BTreeSet::new();
    for line in dump(mind).lines() {
        if line.starts_with('[') && line.ends_with(']') && !line.contains(" | ") {
            line.trim_matches(['[', ']']).clone_into(&mut table);
        } else if line.starts_with(&whose) && line.to_lowercase().contains(word) {
            found.insert(table.clone());
        }
    }
    found
}

/// Two agents that think, and what the one makes of what the other gave.
struct Derived {
    mind: Mind,
    folder: TempDir,
    says: Arc<Mutex<String>>,
}

impl Derived {
    fn new(bench: &Bench, trap: &Trap) -> Derived {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = in_batches_of(4);
        settings.self_care.batch = 10;
        settings.self_care.least = 2;
        settings.contemplation.enabled = true;
        settings.contemplation.journal_folder = Some(folder.path().to_owned());
        settings.lessons.every_episodes = 2;
        settings.thinker.kind = ThinkerKind::Model;
        settings.thinker.jobs.insert(WorkKind::ExtractLessons, ThinkerKind::None);
        let says = Arc::new(Mutex::new(String::new()));
        let next = Arc::clone(&says);
        let thinker = ScriptedThinker::acting(move |_, _: &dyn Desk| Ok(next.lock().unwrap().clone()));
        let thinkers = Arc::new(OneThinker(Arc::new(thinker)));
        let store = bench.open_store(|options| options.faults = trap.faults()).unwrap();
        let opening = selfsame::Opening::new(settings).clock(bench.shared_clock()).seed([7; 32]);
        let mind = opening.thinkers(thinkers).over(store, None).unwrap();
        Derived { mind, folder, says }
    }

    fn think(&self, says: String) {
        *self.says.lock().unwrap() = says;
        let thought = operator(&self.mind, "receiver").contemplate().unwrap();
        assert!(matches!(thought, Contemplated::Episode(_)), "{thought:?}");
    }

    fn journal(&self) -> String {
        let folder = self.folder.path().join("receiver/memory/contemplation");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// The receiver before the link: a little of everything.
    fn live_alone(&self, bench: &Bench) -> BTreeSet<String> {
        let (access, itself) = (operator(&self.mind, "receiver"), agent(&self.mind, "receiver"));
        let one = remember(&access, "Walnuts fall in autumn");
        for _ in 0..3 {
            remember(&access, "Jonas lives in Lisbon");
            bench.clock().advance(DAY);
        }
        for number in 0..4 {
            remember(&access, &format!("Basket {number} has walnuts from the hill"));
        }
        access.learn(NewLesson::new(LessonKind::Discovery, "Walnuts first", vec![one]), None).unwrap();
        access.reflect(reflection("A week of walnuts", one), None).unwrap();
        add(&access, "Walter", &[]);
        access.entity_profile("Walter", "Walter grows walnuts", &[one.to_string()], None).unwrap();
        itself.write_diary(DiaryDraft::new("A day of walnuts"), None).unwrap();
        say(&access, "terminal", "Remember that the walnut press is red.");
        self.think(told("Walnuts keep for a year.", ""));
        access.consolidate().unwrap();
        self.own_things(&access)
    }

    /// What the receiver has of its own.
    fn own_things(&self, access: &Access) -> BTreeSet<String> {
        let said = contents(access).into_iter().map(|content| format!("memory {content}"));
        let lessons =
            access.lessons(100).unwrap().into_iter().map(|card| format!("lesson {}", card.lesson.lesson));
        let back = access.reflections(100).unwrap().into_iter();
        let back = back.map(|card| format!("reflection {}", card.reflection.content));
        let beliefs = access.know(&BeliefQuery::default()).unwrap().beliefs.into_iter();
        let beliefs =
            beliefs.map(|belief| format!("belief {} {}", belief.observation.summary, belief.contested));
        let thought = access.episodes(None, 100).unwrap().into_iter();
        let thought = thought.map(|one| format!("episode {}", one.captured.account.outcome.summary));
        let walter = access.entity_show("Walter").unwrap().known.entity.profile;
        let messages = dump_of(&self.mind, "receiver").matches("walnut press").count();
        let all = said.chain(lessons).chain(back).chain(beliefs).chain(thought);
        all.chain([format!("profile {walter:?}"), format!("the press is named {messages} times")]).collect()
    }

    fn furnish_giver(&self, bench: &Bench) {
        let access = operator(&self.mind, "giver");
        for number in 0..12 {
            remember(&access, &format!("Crate {number} has kumquats from the orchard"));
        }
        // Folded there, and the rest not.
        let itself = agent(&self.mind, "giver");
        let mut step = itself.self_care_begin(&MEMORIES).unwrap();
        while let CareStep::Handed(batch) = step {
            step = itself.self_care_commit(batch.id, "Themes: fruit\nAll crates are kumquats").unwrap();
        }
        for text in [
            "Maya uses Kumquat",
            "Jonas lives in Kumquatville",
            "Kumquats ripen on the southern terrace in late winter",
            "The kumquat harvest needs seven baskets",
            "Tara lives in Kumquatville",
            "The walnut press is red",
        ] {
            remember(&access, text);
        }
        let question = Draft { kind: MemoryKind::Question, ..Draft::new("Who waters the kumquats?") };
        access.remember(question, None).unwrap();
        bench.clock().advance(DAY);
    }

    fn derive(&self, bench: &Bench) {
        let (access, itself) = (operator(&self.mind, "receiver"), agent(&self.mind, "receiver"));
        let all = memories(&access);
        let find = |words: &str| all.iter().find(|memory| memory.content.contains(words)).unwrap().id;
        let (copy, own) = (find("southern terrace"), find("Walnuts fall"));
        let lesson =
            |text: &str, sources: Vec<MemoryId>| NewLesson::new(LessonKind::Discovery, text, sources);
        access.learn(lesson("Zestlesson: kumquats first", vec![copy]), None).unwrap();
        access.learn(lesson("Zestmixed kumquats before the rest", vec![copy, own]), None).unwrap();
        let mixed = NewLesson {
            context: Some("in zestcontext kumquat time".into()),
            ..lesson("Fall brings them down", vec![copy, own])
        };
        access.learn(mixed, None).unwrap();
        let looked_back = access.reflect(reflection("A zestreflection of kumquats", copy), None).unwrap().id;
        let by = |source: String, text: &str| {
            access.remember(Draft { source: Some(source), ..Draft::new(text) }, None).unwrap().id
        };
        let tags = vec!["cron:daily:09:00".to_owned()];
        let reminder = Draft {
            tags,
            source: Some(copy.to_string()),
            ..Draft::new("Water the zestreminder kumquat trees")
        };
        access.remember(reminder, None).unwrap();
        let told_on = by(copy.to_string(), "Zesttold kumquat trees want sun");
        by(told_on.to_string(), "Zesttellings of kumquat sun are warm");
        by(looked_back.to_string(), "Zestweeks of kumquats are long");
        add(&access, "Ortrud", &[]);
        access
            .entity_profile("Ortrud", "Ortrud is a zestprofile kumquat grower", &[copy.to_string()], None)
            .unwrap();
        access.edit(find("harvest needs"), Edit { importance: Some(0.9), ..Edit::default() }, None).unwrap();
        // What it is told itself stays, without what it answers.
        let answers = Some(find("Who waters"));
        access.remember(Draft { answers, ..Draft::new("Boris waters them") }, None).unwrap();
        for number in 0..3 {
            let more = r#","lesson":"Let the zesttaught kumquat be.""#;
            let repeats = "kumquats ripen on the southern terrace in late winter";
            self.think(told(&format!("Zestepisode {number}: {repeats}"), more));
        }
        remember(&itself, "Tara lives in Lisbon");
        access.consolidate().unwrap();
        assert!(access.conflicts(false, 10).unwrap().len() >= 2, "its own word and the giver's are at odds");
        bench.clock().advance(DAY + Duration::from_secs(9 * 3600));
        let nudge = access.heartbeat_tick(None).unwrap().nudge.unwrap();
        assert!(access.nudge(nudge).unwrap().nudge.what.contains("zestreminder"));
        // Folded in words of its own, one batch over another's, and one that is only begun.
        let mut step = itself.self_care_begin(&MEMORIES).unwrap();
        while let CareStep::Handed(batch) = step {
            let topic = if batch.material.to_lowercase().contains(GIVEN) {
                "zestsummary of kumquats"
            } else {
                "walnuts"
            };
            step = itself.self_care_commit(batch.id, &format!("Themes: fruit\nIn short, {topic}")).unwrap();
        }
        let open = agent(&self.mind, "receiver").self_care_begin(&MEMORIES).unwrap();
        assert!(matches!(open, CareStep::Handed(_) | CareStep::Nothing(_)), "{open:?}");
    }
}

const MEMORIES: CareRequest = CareRequest { focus: None, what: What::Memories };
const DAY: Duration = Duration::from_secs(86_400);

fn reflection(text: &str, source: MemoryId) -> NewReflection {
    let (from, until) = (Time::from_micros(0), Time::from_micros(1));
    NewReflection { content: text.into(), from, until, sources: vec![source] }
}

both_engines! {
    fn a_whole_memory_is_given_and_nothing_else(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let mind = bench.mind();
        let (giver, receiver) = (operator(mind, "giver"), operator(mind, "receiver"));
        remember(&giver, "The harbour freezes in winter");
        let shared = remember(&giver, "Owls hunt by night");
        let secret = Draft { privacy: Privacy::Private, ..Draft::new("the vault opens at noon") };
        giver.remember(secret, None).unwrap();
        giver.add_to_soul(SoulKind::Value, "I keep promises", "because", None).unwrap();
        giver.write_diary(DiaryDraft::new("a rainy day"), None).unwrap();
        let known = remember(&receiver, "owls hunt by night");
        let own = remember(&receiver, "Bread needs salt");
        let before = traces(mind, "giver");
        let given = link(mind, "giver", "receiver", SHARE);
        assert_eq!(given.link.state, LinkState::Accepted);
        assert_eq!((given.link.copied, given.link.merged, given.other.as_str()), (1, 1, "receiver"));
        assert_eq!(traces(mind, "giver"), before, "nothing is removed from who gives");
        let words = ["Bread needs salt", "The harbour freezes in winter", "owls hunt by night"];
        assert_eq!(contents(&receiver), words.map(String::from).into());
        let copy = memories(&receiver).into_iter().find(|memory| memory.content.contains("harbour")).unwrap();
        assert_eq!(copy.provenance.author(), Author::Link);
        assert_eq!(copy.provenance.source(), Some(given.link.id.to_string().as_str()));
        assert_eq!(copy.provenance.trust().value(), 0.5);
        assert!(receiver.memory(own).unwrap().is_some());
        let portrait = receiver.portrait(known).unwrap().unwrap();
        assert_eq!(portrait.further_sources.len(), 1, "the link is one source more of what was known");
        let hits = receiver.recall(&Question::new("when does the harbour freeze?")).unwrap().hits;
        assert_eq!(hits[0].found.content(), "The harbour freezes in winter");
        assert!(receiver.recall(&Question::new("vault noon promises rainy")).unwrap().hits.is_empty());
        for (access, other) in [(&giver, "receiver"), (&receiver, "giver")] {
            let kept = ["link_requested", "link_answered", "link_accepted"];
            assert_eq!(acts(access, given.link.id), kept, "{other}");
        }
        let vectors = bench.owner().number("SELECT COUNT(*) FROM vectors WHERE kind LIKE 'lnk%'");
        assert_eq!(vectors, 1, "vectors are copied");
        assert!(giver.memory(shared).unwrap().is_some());
        let alone = Store::open_in_memory(StoreOptions::default(), mind.now()).unwrap();
        mind.store().copy_agent_to(&alone, receiver.agent().id).unwrap();
        assert_eq!(problems(mind), [""; 0]);
    }

    fn a_request_is_open_for_two_minutes_and_answered_once(bench: Bench) {
        let mind = bench.mind();
        let (giver, receiver) = (agent(mind, "giver"), agent(mind, "receiver"));
        remember(&giver, "Owls hunt by night");
        let asked = receiver.link_request("giver", None).unwrap().link;
        assert_eq!(receiver.link_request("giver", None).unwrap().link.id, asked.id, "the same request");
        assert_eq!(giver.link_requests().unwrap()[0].link.id, asked.id);
        let note = |access: &Access| access.context(&Occasion::default()).unwrap().text.contains(&asked.id.to_string());
        assert!(note(&giver), "it is told of the request");
        assert!(!note(&receiver) && !note(&mind.access("giver", Speaker::Agent(None)).unwrap().unattended()));
        assert_eq!(asked.expires_at.since(asked.requested_at), Duration::from_secs(120));
        bench.clock().advance(Duration::from_secs(121));
        assert_eq!(giver.link_requests().unwrap(), []);
        assert!(!note(&giver));
        let late = giver.link_answer(asked.id, SHARE, None).unwrap_err();
        assert_eq!(late.class(), Class::Conflict);
        assert!(late.to_string().contains("ran out"), "{late}");
        assert_eq!(acts(&receiver, asked.id), ["link_requested", "link_expired"]);
        assert_eq!(acts(&giver, asked.id), ["link_requested", "link_expired"]);
        let again = receiver.link_request("giver", None).unwrap().link;
        assert_ne!(again.id, asked.id);
        let shared = giver.link_answer(again.id, SHARE, Some(&key("once", 1))).unwrap();
        assert_eq!(giver.link_answer(again.id, SHARE, Some(&key("once", 1))).unwrap(), shared, "a repetition");
        let twice = giver.link_answer(again.id, SHARE, None).unwrap_err();
        assert_eq!((twice.class(), twice.to_string().contains("already")), (Class::Conflict, true));
        let third = receiver.link_request("giver", None).unwrap().link.id;
        let declined = giver.link_answer(third, Answer::Decline, None).unwrap();
        assert_eq!(declined.link.state, LinkState::Declined);
        assert_eq!(giver.link_answer(third, SHARE, None).unwrap_err().class(), Class::Conflict);
        assert_eq!(giver.link_revoke(third, None).unwrap_err().class(), Class::Conflict);
        assert_eq!(acts(&receiver, third), ["link_requested", "link_declined"]);
    }

    fn what_nobody_answers_runs_out_on_record(bench: Bench) {
        let mind = bench.mind();
        agent(mind, "giver");
        let asked = agent(mind, "receiver").link_request("giver", None).unwrap().link.id;
        bench.clock().advance(Duration::from_secs(130));
        mind.carry_on_links().unwrap();
        for name in ["giver", "receiver"] {
            assert_eq!(acts(&agent(mind, name), asked), ["link_requested", "link_expired"]);
        }
    }

    fn only_the_agents_and_their_operators_have_a_say(bench: Bench) {
        let mind = bench.mind();
        let (giver, receiver) = (agent(mind, "giver"), agent(mind, "receiver"));
        let guest = bench.principal(giver.agent(), "Maya");
        let asked = receiver.link_request("giver", None).unwrap().link.id;
        let maya = mind.access("giver", Speaker::Principal(guest)).unwrap();
        assert_eq!(maya.link_answer(asked, SHARE, None).unwrap_err().class(), Class::Forbidden);
        assert_eq!(receiver.link_answer(asked, SHARE, None).unwrap_err().class(), Class::Forbidden);
        let alone = mind.access("giver", Speaker::Agent(None)).unwrap().unattended();
        assert_eq!(alone.link_answer(asked, SHARE, None).unwrap_err().class(), Class::Forbidden);
        assert_eq!(agent(mind, "third").link(asked).unwrap_err().class(), Class::NotFound);
        assert_eq!(receiver.link_request("receiver", None).unwrap_err().class(), Class::BadInput);
        assert_eq!(receiver.link_request("nobody", None).unwrap_err().class(), Class::NotFound);
        operator(mind, "giver").link_answer(asked, SHARE, None).unwrap();
        assert_eq!(receiver.link_revoke(asked, None).unwrap_err().class(), Class::Forbidden);
        operator(mind, "giver").link_revoke(asked, None).unwrap();
    }

    fn it_is_seen_whole_or_not_at_all(bench: Bench) {
        const ALL: usize = 120;
        let mind = bench.open_settings(in_batches_of(8));
        let giver = agent(&mind, "giver");
        for number in 0..ALL {
            remember(&giver, &format!("lighthouse number {number} has a keeper"));
        }
        let asked = agent(&mind, "receiver").link_request("giver", None).unwrap().link.id;
        let looks = |mind: &Mind| -> BTreeSet<usize> {
            let access = agent(mind, "receiver");
            let told = access.recall(&Question { limit: Some(50), ..Question::new("lighthouse keeper") }).unwrap();
            let by_words = if told.hits.is_empty() { 0 } else { ALL };
            let card = mind.agent_card("receiver").unwrap().memories as usize;
            [memories(&access).len(), card, by_words].into()
        };
        let done = AtomicBool::new(false);
        let seen = std::thread::scope(|scope| {
            let polling = scope.spawn(|| {
                let mut seen = BTreeSet::new();
                let mut polls = 0;
                while !done.load(Ordering::Relaxed) {
                    let now = memories(&agent(&mind, "receiver")).len();
                    seen.insert(now);
                    polls += 1;
                }
                (seen, polls)
            });
            giver.link_answer(asked, SHARE, None).unwrap();
            done.store(true, Ordering::Relaxed);
            polling.join().unwrap()
        });
        assert!(seen.0.is_subset(&[0, ALL].into()), "{seen:?}");
        assert!(seen.1 > 0);
        assert_eq!(looks(&mind), [ALL].into());
        assert_eq!(problems(&mind), [""; 0]);
    }

    fn killed_at_any_batch_nothing_is_seen_and_the_next_run_goes_on(mut bench: Bench) {
        let giver = agent(bench.mind(), "giver");
        for number in 0..10 {
            remember(&giver, &format!("lighthouse number {number} has a keeper"));
        }
        agent(bench.mind(), "receiver");
        drop(giver);
        bench.close();
        // Ids are drawn anew in each process.
        let open = |bench: &Bench, seed: u64| bench.open_as(in_batches_of(4), |opening| opening.seed([seed as u8; 32]));
        for (point, nth) in [("write.applied", 2), ("write.committed", 3), ("write.applied", 4), ("write.begun", 5)] {
            let trap = Trap::fail(point);
            let store = bench.open_store(|options| options.faults = trap.faults()).unwrap();
            let clock = bench.shared_clock();
            let mind = selfsame::Opening::new(in_batches_of(4)).clock(clock).seed([nth as u8; 32]).over(store, None).unwrap();
            let asked = agent(&mind, "receiver").link_request("giver", None).unwrap().link.id;
            trap.arm(nth);
            agent(&mind, "giver").link_answer(asked, SHARE, None).unwrap_err();
            drop(mind);
            let mind = &open(&bench, 100 + nth);
            let state = agent(mind, "receiver").link(asked).unwrap().link.state;
            let seen = contents(&agent(mind, "receiver")).len();
            assert_eq!(seen, if state == LinkState::Accepted { 10 } else { 0 }, "{point} {nth}: {state:?}");
            assert_eq!(problems(mind), [""; 0], "{point} {nth}");
            mind.carry_on_links().unwrap();
            assert_eq!(contents(&agent(mind, "receiver")).len(), 10, "{point} {nth}");
            assert_eq!(problems(mind), [""; 0]);
            agent(mind, "giver").link_revoke(asked, None).unwrap();
            assert_eq!(contents(&agent(mind, "receiver")).len(), 0);
        }
    }

    fn killed_while_it_is_taken_back_it_is_gone_all_the_same(bench: Bench) {
        let cuts = [("write.applied", 2), ("write.committed", 2), ("write.applied", 3), ("write.begun", 4)];
        for (seed, (point, nth)) in (50..).zip(cuts) {
            let trap = Trap::fail(point);
            let store = bench.open_store(|options| options.faults = trap.faults()).unwrap();
            let opening = selfsame::Opening::new(in_batches_of(3)).clock(bench.shared_clock());
            let mind = opening.seed([seed; 32]).over(store, None).unwrap();
            let (giver, receiver) = (agent(&mind, "giver"), agent(&mind, "receiver"));
            for name in ["Ada", "Ben", "Cy", "Dora", "Eli", "Fay", "Gus", "Hal"] {
                remember(&giver, &format!("{name} lives in Lisbon"));
            }
            remember(&receiver, "Ben lives in Lisbon");
            let given = link(&mind, "giver", "receiver", SHARE).link.id;
            receiver.consolidate().unwrap();
            trap.arm(nth);
            giver.link_revoke(given, None).unwrap_err();
            trap.arm(u64::MAX);
            assert_eq!(contents(&receiver), ["Ben lives in Lisbon".to_owned()].into(), "{point} {nth}: hidden at once");
            assert_eq!(problems(&mind), [""; 0], "{point} {nth}");
            mind.carry_on_links().unwrap();
            assert_eq!(receiver.link(given).unwrap().link.state, LinkState::Revoked);
            assert_eq!(contents(&receiver).len(), 1);
            let dump = dump_of(&mind, "receiver");
            assert!(!dump.contains("Dora") && !dump.contains("Hal "), "{point} {nth}");
            assert_eq!(problems(&mind), [""; 0], "{point} {nth}");
        }
    }

    fn taken_back_it_leaves_no_trace(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let mind = bench.mind();
        let (giver, receiver) = (operator(mind, "giver"), operator(mind, "receiver"));
        remember(&giver, "Maya uses PostgreSQL");
        remember(&giver, "Maya lives in Lisbon");
        for number in 0..20 {
            remember(&giver, &format!("lighthouse number {number} has a keeper"));
        }
        remember(&receiver, "Maya lives in Lisbon");
        receiver.consolidate().unwrap();
        let told = |access: &Access| access.know(&BeliefQuery::default()).unwrap().beliefs.len();
        let (before, believed) = (traces(mind, "receiver"), told(&receiver));
        let given = link(mind, "giver", "receiver", SHARE).link.id;
        receiver.consolidate().unwrap();
        assert!(told(&receiver) > believed, "what was given is believed");
        assert!(traces(mind, "receiver").contains("PostgreSQL"));
        giver.link_revoke(given, None).unwrap();
        assert_eq!(told(&receiver), believed);
        let after = traces(mind, "receiver");
        let lines = |text: &str| text.lines().map(String::from).collect::<BTreeSet<String>>();
        let (before, after) = (lines(&before), lines(&after));
        assert_eq!(before.symmetric_difference(&after).collect::<Vec<_>>(), [""; 0]);
        assert!(!dump_of(mind, "receiver").contains("PostgreSQL"));
        assert_eq!(acts(&receiver, given)[3..], ["link_revoked", "link_gone"]);
        assert_eq!(problems(mind), [""; 0]);
    }

    fn taken_back_all_that_was_made_of_it_goes_too(bench: Bench) {
        let life = Derived::new(&bench, &Trap::fail("link.fallen"));
        let mind = &life.mind;
        let (giver, receiver) = (operator(mind, "giver"), operator(mind, "receiver"));
        let own = life.live_alone(&bench);
        life.furnish_giver(&bench);
        let given = link(mind, "giver", "receiver", SHARE).link.id;
        life.derive(&bench);
        let made = tables_with(mind, "receiver", GIVEN);
        for table in [
            "memory_items", "postings", "character_memory_summaries", "knowledge_claims", "knowledge_observations",
            "observation_evidence", "knowledge_conflicts", "lessons", "reflections", "entities", "nudges", "episodes",
        ] {
            assert!(made.contains(table), "nothing in {table} has a word of the giver: {made:?}");
        }
        for (table, word) in DERIVED {
            assert!(tables_with(mind, "receiver", word).contains(table), "nothing in {table} says {word}");
        }
        assert!(life.journal().contains(GIVEN), "the journal tells of it");
        giver.link_revoke(given, None).unwrap();
        assert_eq!(tables_with(mind, "receiver", GIVEN), BTreeSet::new());
        assert_eq!(tables_with(mind, "receiver", "zest"), BTreeSet::new());
        assert!(!life.journal().to_lowercase().contains(GIVEN), "{}", life.journal());
        let ids = [given.to_string(), selfsame::seal::hex(&given.id().bytes())];
        let named: Vec<BTreeSet<String>> = ids.iter().map(|id| tables_with(mind, "receiver", id)).collect();
        let on_record = ["events", "links", "tombstones"].map(String::from).into();
        assert!(named.iter().flatten().cloned().collect::<BTreeSet<_>>().is_subset(&on_record), "{named:?}");
        let told_meanwhile = [
            "belief Tara lives in Lisbon false",
            "lesson Fall brings them down",
            "memory Boris waters them",
            "memory Tara lives in Lisbon",
            "reflection One episode on 2026-01-04: it got somewhere. The mood was 0.6, last \"curious\".",
        ];
        let own = own.into_iter().chain(told_meanwhile.map(String::from)).collect();
        assert_eq!(life.own_things(&receiver), own, "what it has from itself stands");
        assert_eq!(problems(mind), [""; 0]);
        // And none of it was the giver's loss.
        assert!(tables_with(mind, "giver", GIVEN).contains("character_memory_summaries"));
    }

    fn killed_before_the_journal_is_put_right_it_is_put_right_all_the_same(bench: Bench) {
        let trap = Trap::fail("link.fallen");
        let life = Derived::new(&bench, &trap);
        life.live_alone(&bench);
        remember(&operator(&life.mind, "giver"), "Kumquats ripen on the southern terrace in late winter");
        let given = link(&life.mind, "giver", "receiver", SHARE).link.id;
        life.think(told("I know that kumquats ripen on the southern terrace in late winter.", ""));
        bench.clock().advance(7 * DAY);
        trap.arm(1);
        agent(&life.mind, "giver").link_revoke(given, None).unwrap_err();
        assert!(life.journal().contains(GIVEN), "it died between the rows and the file");
        assert_eq!(operator(&life.mind, "receiver").episodes(None, 10).unwrap().len(), 1);
        life.mind.carry_on_links().unwrap();
        assert!(!life.journal().contains(GIVEN), "{}", life.journal());
        assert!(life.journal().contains("Walnuts"));
    }

    fn another_edition_of_a_copy_is_the_givers_word(bench: Bench) {
        let mind = bench.mind();
        let words = |name: &str| contents(&agent(mind, name));
        remember(&agent(mind, "first"), "Owls hunt by night");
        remember(&agent(mind, "first"), "Herons fish at dawn");
        remember(&agent(mind, "second"), "Bread needs salt");
        let given = link(mind, "first", "second", SHARE).link.id;
        let second = operator(mind, "second");
        let copies = memories(&second).into_iter().filter(|memory| memory.provenance.author() == Author::Link);
        for (number, copy) in copies.enumerate() {
            let mut edit = Edit { importance: Some(0.9), ..Edit::default() };
            let mut next = second.edit(copy.id, edit.clone(), None).unwrap().id;
            if number == 1 {
                edit.source = Some("a walk at dawn".into());
                next = second.edit(next, edit, None).unwrap().id;
            }
            assert_eq!(second.memory(next).unwrap().unwrap().importance, 0.9);
        }
        link(mind, "second", "third", SHARE);
        assert_eq!(words("third"), ["Bread needs salt".to_owned()].into(), "it was not to be given on");
        agent(mind, "first").link_revoke(given, None).unwrap();
        assert_eq!(words("second"), ["Bread needs salt".to_owned()].into());
        for word in ["owls", "herons"] {
            assert_eq!(tables_with(mind, "second", word), BTreeSet::new());
        }
        // To be given on, it goes, and falls with what it is an edition of.
        let given = link(mind, "first", "second", ONWARD).link.id;
        for copy in memories(&second).into_iter().filter(|memory| memory.provenance.author() == Author::Link) {
            second.edit(copy.id, Edit { importance: Some(0.9), ..Edit::default() }, None).unwrap();
        }
        link(mind, "second", "third", SHARE);
        assert_eq!(words("third").len(), 3);
        agent(mind, "first").link_revoke(given, None).unwrap();
        for name in ["second", "third"] {
            assert_eq!(words(name), ["Bread needs salt".to_owned()].into(), "{name}");
        }
        assert_eq!(problems(mind), [""; 0]);
    }

    fn what_was_given_on_falls_with_it(bench: Bench) {
        let mind = bench.mind();
        remember(&agent(mind, "first"), "Owls hunt by night");
        remember(&agent(mind, "second"), "Bread needs salt");
        let kept = link(mind, "first", "second", SHARE).link.id;
        link(mind, "second", "third", SHARE);
        assert_eq!(contents(&agent(mind, "third")), ["Bread needs salt".to_owned()].into(), "not given on");
        agent(mind, "first").link_revoke(kept, None).unwrap();
        let onward = link(mind, "first", "second", ONWARD).link.id;
        link(mind, "second", "third", SHARE);
        assert_eq!(contents(&agent(mind, "third")).len(), 2);
        agent(mind, "first").link_revoke(onward, None).unwrap();
        assert_eq!(contents(&agent(mind, "second")), ["Bread needs salt".to_owned()].into());
        assert_eq!(contents(&agent(mind, "third")), ["Bread needs salt".to_owned()].into());
        assert_eq!(problems(mind), [""; 0]);
    }

    fn what_its_giver_forgets_goes_and_the_past_is_not_rewritten(bench: Bench) {
        let mind = bench.mind();
        let owls = remember(&agent(mind, "giver"), "Owls hunt by night");
        remember(&agent(mind, "giver"), "Bread needs salt");
        let before = mind.now();
        bench.clock().advance(Duration::from_secs(60));
        let given = link(mind, "giver", "receiver", SHARE).link.id;
        let receiver = agent(mind, "receiver");
        let asked = |as_of| receiver.recall(&Question { as_of, ..Question::new("owls hunt") }).unwrap().hits.len();
        assert_eq!((asked(None), asked(Some(mind.now())), asked(Some(before))), (1, 1, 0), "known since it was given");
        operator(mind, "giver").forget(owls, None).unwrap();
        assert_eq!(contents(&receiver), ["Bread needs salt".to_owned()].into());
        assert!(!dump_of(mind, "receiver").contains("Owls"));
        assert_eq!(receiver.link(given).unwrap().link.state, LinkState::Accepted);
        assert_eq!(problems(mind), [""; 0]);
    }

    fn what_came_twice_stays_while_one_link_stands(bench: Bench) {
        let mind = bench.mind();
        for name in ["first", "second"] {
            remember(&agent(mind, name), "Owls hunt by night");
        }
        let one = link(mind, "first", "third", SHARE).link.id;
        let other = link(mind, "second", "third", SHARE).link;
        assert_eq!((other.copied, other.merged), (0, 1));
        let third = agent(mind, "third");
        assert_eq!(memories(&third).len(), 1);
        agent(mind, "first").link_revoke(one, None).unwrap();
        let left = memories(&third);
        assert_eq!(left[0].provenance.source(), Some(other.id.to_string().as_str()));
        assert_eq!(third.recall(&Question::new("owls hunt")).unwrap().hits.len(), 1);
        assert_eq!(problems(mind), [""; 0]);
        agent(mind, "second").link_revoke(other.id, None).unwrap();
        assert_eq!(memories(&third), []);
        assert_eq!(problems(mind), [""; 0]);
    }

    fn what_the_agent_is_told_itself_does_not_hang_on_a_link(bench: Bench) {
        let mind = bench.mind();
        remember(&agent(mind, "giver"), "Owls hunt by night");
        let given = link(mind, "giver", "receiver", SHARE).link.id;
        let receiver = operator(mind, "receiver");
        let own = remember(&receiver, "owls hunt by night");
        assert_eq!(receiver.recall(&Question::new("owls hunt")).unwrap().hits.len(), 1);
        agent(mind, "giver").link_revoke(given, None).unwrap();
        assert_eq!(memories(&receiver).iter().map(|memory| memory.id).collect::<Vec<MemoryId>>(), [own]);
        assert_eq!(receiver.portrait(own).unwrap().unwrap().further_sources, []);
        assert_eq!(problems(mind), [""; 0]);
    }

    fn what_it_is_told_while_it_is_copied_is_not_there_twice(bench: Bench) {
        let trap = Trap::fail("write.begun");
        let store = bench.open_store(|options| options.faults = trap.faults()).unwrap();
        let opening = selfsame::Opening::new(in_batches_of(1)).clock(bench.shared_clock());
        let mind = opening.seed([3; 32]).over(store, None).unwrap();
        for text in ["Owls hunt by night", "Bread needs salt"] {
            remember(&agent(&mind, "giver"), text);
        }
        let receiver = operator(&mind, "receiver");
        let asked = receiver.link_request("giver", None).unwrap().link.id;
        // Its answer and one batch.
        trap.arm(3);
        agent(&mind, "giver").link_answer(asked, SHARE, None).unwrap_err();
        let own = remember(&receiver, "owls hunt by night");
        mind.carry_on_links().unwrap();
        let words = ["Bread needs salt", "owls hunt by night"];
        assert_eq!(memories(&receiver).len(), 2);
        assert_eq!(contents(&receiver), words.map(String::from).into());
        assert_eq!(receiver.portrait(own).unwrap().unwrap().further_sources.len(), 1);
        assert_eq!(problems(&mind), [""; 0]);
        agent(&mind, "giver").link_revoke(asked, None).unwrap();
        assert_eq!(memories(&receiver).iter().map(|memory| memory.id).collect::<Vec<_>>(), [own]);
        assert_eq!(receiver.portrait(own).unwrap().unwrap().further_sources, []);
        assert_eq!(problems(&mind), [""; 0]);
    }

    fn summaries_come_along_and_go_with_it(bench: Bench) {
        let mind = bench.mind();
        let care = |name: &str| {
            let asked = CareRequest { focus: None, what: What::Memories };
            agent(mind, name).self_care(&asked).unwrap();
        };
        let summed_up = |name: &str| agent(mind, name).summaries(true, 200).unwrap().summaries.len();
        for number in 0..40 {
            remember(&agent(mind, "giver"), &format!("Crate {number} has apples from the orchard"));
        }
        care("giver");
        let given = link(mind, "giver", "receiver", SHARE).link;
        assert_eq!((given.copied, summed_up("giver"), summed_up("receiver")), (40, 1, 1));
        assert_eq!(memories(&agent(mind, "receiver")), [], "what is summed up is in the archive there, too");
        remember(&agent(mind, "receiver"), "Boats lie in the harbour");
        agent(mind, "giver").link_revoke(given.id, None).unwrap();
        assert_eq!((memories(&agent(mind, "receiver")).len(), summed_up("receiver")), (1, 0));
        let dump = dump_of(mind, "receiver");
        assert!(!dump.contains("apples"));
        assert_eq!(problems(mind), [""; 0]);
    }

    fn a_summary_is_not_given_on_with_what_is_in_it(bench: Bench) {
        let mind = bench.mind();
        let care = |name: &str| {
            agent(mind, name).self_care(&CareRequest { focus: None, what: What::Memories }).unwrap();
        };
        let has = |name: &str| dump_of(mind, name).contains("apples");
        for number in 0..40 {
            remember(&agent(mind, "first"), &format!("Crate {number} has apples from the orchard"));
        }
        for number in 0..3 {
            remember(&agent(mind, "second"), &format!("Boat {number} lies in the harbour"));
        }
        let given = link(mind, "first", "second", SHARE).link.id;
        care("second");
        let sums = agent(mind, "second").summaries(true, 200).unwrap().summaries;
        assert!(sums.iter().any(|card| card.summary.content().contains("apples")), "{sums:?}");
        link(mind, "second", "third", SHARE);
        assert!(!has("third"), "what is not to be given on is not summed up either");
        assert!(dump_of(mind, "third").contains("harbour"), "its own goes");
        let one = memories_ever(mind, "first")[0];
        operator(mind, "first").forget(one, None).unwrap();
        assert!(!has("third"));
        agent(mind, "first").link_revoke(given, None).unwrap();
        assert_eq!((has("second"), has("third")), (false, false));
        assert_eq!(problems(mind), [""; 0]);
    }

    fn a_summary_that_was_given_on_falls_with_what_is_in_it(bench: Bench) {
        let mind = bench.mind();
        let care = |name: &str| {
            agent(mind, name).self_care(&CareRequest { focus: None, what: What::Memories }).unwrap();
        };
        let summed_up = |name: &str| agent(mind, name).summaries(true, 200).unwrap().summaries.len();
        for number in 0..40 {
            remember(&agent(mind, "first"), &format!("Crate {number} has apples from the orchard"));
        }
        let orchard = remember(&agent(mind, "first"), "Crate 1000 has quinces from the orchard");
        // The third knows it all itself: nothing of the sources arrives there but the summary.
        for number in 0..40 {
            remember(&agent(mind, "third"), &format!("Crate {number} has apples from the orchard"));
        }
        remember(&agent(mind, "third"), "Crate 1000 has quinces from the orchard");
        let given = link(mind, "first", "second", ONWARD).link.id;
        care("second");
        for (from, to) in [("second", "third"), ("second", "fourth")] {
            link(mind, from, to, SHARE);
            assert_eq!(summed_up(to), 1, "{to}");
        }
        operator(mind, "first").forget(orchard, None).unwrap();
        for name in ["second", "third", "fourth"] {
            assert_eq!(summed_up(name), 0, "{name} has what was made of what is forgotten");
        }
        assert!(!dump_of(mind, "fourth").contains("quinces"));
        care("second");
        link(mind, "second", "fifth", SHARE);
        // A summary of its own, forgotten by name: its copies go with it.
        assert_eq!(summed_up("fifth"), 1);
        let summary = agent(mind, "second").summaries(false, 10).unwrap().summaries[0].summary.id();
        let order = Order::of(Forget::Item(Item { kind: ItemKind::Summary, id: summary.id() }));
        operator(mind, "second").forget_all(&order, None).unwrap();
        assert_eq!(summed_up("fifth"), 0);
        care("second");
        link(mind, "second", "sixth", SHARE);
        assert_eq!(summed_up("sixth"), 1);
        agent(mind, "first").link_revoke(given, None).unwrap();
        for name in ["second", "fourth", "fifth", "sixth"] {
            assert_eq!((summed_up(name), dump_of(mind, name).contains("apples")), (0, false), "{name}");
        }
        assert_eq!(problems(mind), [""; 0]);
    }

    fn a_copy_sets_off_nothing(bench: Bench) {
        let mind = bench.mind();
        let giver = operator(mind, "giver");
        let tags = vec!["cron:daily:09:00".into(), "monitor:1d".into(), "sea".into()];
        let draft = Draft { tags, pinned: true, kind: MemoryKind::Plan, ..Draft::new("paint the lighthouse") };
        giver.remember(draft, None).unwrap();
        link(mind, "giver", "receiver", SHARE);
        let copy = memories(&agent(mind, "receiver")).remove(0);
        assert_eq!((copy.tags.clone(), copy.life.pinned), (vec!["sea".to_owned()], false));
        for table in ["schedules", "monitors", "deadlines"] {
            let id = bench.id(copy.agent.id());
            assert_eq!(bench.owner().number(&format!("SELECT COUNT(*) FROM {table} WHERE agent_id = {id}")), 0);
        }
        let served = bench.owner().number("SELECT COUNT(*) FROM memory_items WHERE author = 'link' AND serves_id IS NOT NULL");
        assert_eq!(served, 0, "what came by a link feeds no heartbeat");
    }
}

/// How many memories each of two agents has where many are linked: few, unless somebody wants to know.
#[expect(clippy::disallowed_methods, reason = "how many is said by whoever runs it at length")]
fn many() -> usize {
    std::env::var("SELFSAME_SOAK_LINK").ok().and_then(|many| many.parse().ok()).unwrap_or(300)
}

/// Gives an agent memories past the verb, with their words and their vectors: for sizes at which remembering each would take
/// too long.
fn load(mind: &Mind, name: &str, texts: &[String]) {
    let access = agent(mind, name);
    let (id, zone) = (access.agent().id, Zone::parse(&access.agent().zone).unwrap());
    let caller = *access.caller();
    let mint = Mint::new(selfsame::seal::sha256(&[name.as_bytes()]));
    let baseline = Baseline { usual: 0.1, spread: 0.1 };
    let made = mind
        .store()
        .system_write(|writer| vectors::ensure_generation(writer, "none", 8, baseline, Time::from_micros(0)));
    let generation = made.unwrap().number;
    for part in texts.chunks(200) {
        let fresh = |text: &String| {
            let now = mind.now();
            let provenance = Provenance::stated(&caller, None, Privacy::Shared);
            Memory::from_draft(MemoryId::of(mint.id(now)), id, Draft::new(text.as_str()), provenance, now)
        };
        let part: Vec<Memory> = part.iter().map(fresh).collect();
        let written = mind.store().write(&caller, &[id], None, |writer| {
            for memory in &part {
                memory::insert(writer, memory, &Prints::of(&memory.content), None)?;
                let Indexed { words, marks } = indexed(&memory.content, zone.date(memory.created_at));
                let (item, standing, said_at) = (memory.id.id(), Stands::Alone, memory.created_at);
                let text = Text { item, standing, said_at, speaker: None, words: &words, marks };
                postings::insert(writer, id, Kind::Memory, &text)?;
                let angle = f32::from(u16::try_from(words.len * 7 % 90).unwrap()).to_radians();
                let mut numbers = vec![0.0; 8];
                (numbers[0], numbers[1]) = (angle.cos(), angle.sin());
                vectors::insert(writer, id, generation, Kind::Memory, item, &Unit::stored(numbers))?;
            }
            Ok(())
        });
        written.unwrap();
    }
}

/// How many steps of links were committed so far.
#[derive(Clone, Default)]
struct Steps(Arc<AtomicU64>);

impl Steps {
    fn faults(&self) -> Faults {
        let steps = self.clone();
        Faults::planned(move |point| {
            if ["link.copied", "link.fallen"].contains(&point) {
                steps.0.fetch_add(1, Ordering::SeqCst);
            }
            None
        })
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Steps of a link that somebody's write may see committed before it is acknowledged itself: the one that runs when it comes,
/// and one that was ahead of it.
const WAITED_FOR: u64 = 2;

/// What became of somebody who writes while a link is busy.
#[derive(Debug, Default)]
struct Beside {
    writes: usize,
    longest: Duration,
    /// How many writes saw so many steps of the link pass.
    waits: BTreeMap<u64, usize>,
}

impl Beside {
    /// Goes on writing until told to stop.
    fn write_on(mind: &Mind, name: &str, steps: &Steps, done: &AtomicBool) -> Beside {
        let access = agent(mind, name);
        let clock = SystemClock::default();
        let mut beside = Beside::default();
        while !done.load(Ordering::Relaxed) {
            let draft = TodoDraft::new(format!("{name} does thing {}", beside.writes));
            let (begun, before) = (clock.now(), steps.count());
            access.add_todo(draft, None).unwrap();
            *beside.waits.entry(steps.count() - before).or_default() += 1;
            beside.longest = beside.longest.max(clock.now().since(begun));
            beside.writes += 1;
        }
        beside
    }

    /// Three agents write while `work` is done: one that has nothing to do with it, and both that have.
    fn while_others_write<T>(
        mind: &Mind,
        steps: &Steps,
        work: impl FnOnce() -> T,
    ) -> (T, Vec<(&'static str, Beside)>) {
        const WHO: [&str; 3] = ["bystander", "giver", "receiver"];
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writing = WHO.map(|name| {
                let done = &done;
                (name, scope.spawn(move || Beside::write_on(mind, name, steps, done)))
            });
            let worked = catch_unwind(AssertUnwindSafe(work));
            done.store(true, Ordering::Relaxed);
            let beside = writing.map(|(name, writing)| (name, writing.join().unwrap())).into();
            (worked.unwrap_or_else(|panic| resume_unwind(panic)), beside)
        })
    }
}

/// Everybody wrote on while a link took so many steps, and nobody waited for more than a batch or two.
fn nobody_was_stalled(beside: &[(&str, Beside)], what: &str, steps: u64, least: usize) {
    println!("{what}: {steps} steps; beside it {beside:?}");
    assert!(steps as usize >= least, "{steps} steps are too large ones: {least} at least");
    for (name, beside) in beside {
        let met = |least: u64, most: u64| -> usize {
            beside.waits.range(least..=most).map(|(_, writes)| writes).sum()
        };
        let (all, patient) = (met(1, u64::MAX), met(1, WAITED_FOR));
        assert!(beside.writes > all.min(1) && all > 0, "{what}: {name} wrote nothing meanwhile: {beside:?}");
        // A busy machine may let a thread stand still before it has even asked: a few may have seen more go by, and nobody half
        // of them.
        assert!(patient * 10 >= all * 9, "{what}: {name} waited for too many steps: {:?}", beside.waits);
        assert_eq!(met(steps / 2, u64::MAX), 0, "{what}: {name} was kept waiting: {:?}", beside.waits);
    }
}

both_engines! {
    /// Prints what it took; `cargo xtask soak link` does it with many.
    fn many_memories_arrive_at_once_while_others_write(bench: Bench) {
        let (many, clock, steps) = (many(), SystemClock::default(), Steps::default());
        let store = bench.open_store(|options| options.faults = steps.faults()).unwrap();
        let settings = in_batches_of((many / 20).min(Settings::default().link.batch));
        let batches = many.div_ceil(settings.link.batch);
        let opening = selfsame::Opening::new(settings).clock(bench.shared_clock()).seed([7; 32]);
        let mind = &opening.over(store, None).unwrap();
        let of = |owner: &str, number: usize| format!("{owner} keeps lighthouse number {number} by the sea");
        let common = many / 10;
        let texts = |owner: &str| -> Vec<String> {
            (0..many).map(|number| of(if number < common { "everybody" } else { owner }, number)).collect()
        };
        load(mind, "giver", &texts("Ada"));
        load(mind, "receiver", &texts("Ben"));
        agent(mind, "bystander");
        let receiver = operator(mind, "receiver");
        let count = || mind.agent_card("receiver").unwrap().memories as usize;
        let (before, all) = (count(), 2 * many - common);
        let asked = agent(mind, "receiver").link_request("giver", None).unwrap().link.id;
        let done = AtomicBool::new(false);
        let (took, seen, polls, beside) = std::thread::scope(|scope| {
            let poll = scope.spawn(|| {
                let (mut seen, mut polls) = (BTreeSet::new(), 0);
                while !done.load(Ordering::Relaxed) {
                    seen.insert(count());
                    let told = receiver.recall(&Question::new("which lighthouse does Ada keep?")).unwrap();
                    let by_words = told.hits.iter().any(|hit| hit.found.content().starts_with("Ada"));
                    assert!(!by_words || count() == all, "found before all is there");
                    polls += 1;
                }
                (seen, polls)
            });
            let begun = clock.now();
            let give = || agent(mind, "giver").link_answer(asked, SHARE, None);
            let (shared, beside) = Beside::while_others_write(mind, &steps, give);
            let took = clock.now().since(begun);
            done.store(true, Ordering::Relaxed);
            assert_eq!(shared.unwrap().link.merged as usize, common);
            let (seen, polls) = poll.join().unwrap();
            (took, seen, polls, beside)
        });
        println!("{:?}: {many} memories each: linked in {took:.1?}; {polls} looks saw {seen:?}", bench.engine());
        nobody_was_stalled(&beside, "given", steps.count(), batches);
        assert!(seen.is_subset(&[before, all].into()), "{seen:?}");
        assert_eq!((count(), mind.agent_card("giver").unwrap().memories as usize), (all, many));
        let vectors = "SELECT COUNT(*) FROM vectors WHERE kind LIKE 'lnk%'";
        assert_eq!(bench.owner().number(vectors) as usize, many - common);
        let hits = receiver.recall(&Question::new("which lighthouse does Ada keep?")).unwrap().hits;
        assert!(hits[0].found.content().starts_with("Ada"), "{:?}", hits[0].found.content());
        let (begun, given) = (clock.now(), steps.count());
        let take_back = || agent(mind, "giver").link_revoke(asked, None);
        let (revoked, beside) = Beside::while_others_write(mind, &steps, take_back);
        println!("{:?}: taken back in {:.1?}", bench.engine(), clock.now().since(begun));
        revoked.unwrap();
        nobody_was_stalled(&beside, "taken back", steps.count() - given, batches);
        assert_eq!(count(), before);
        for left in ["link_items", "memory_items WHERE author = 'link'", "vectors WHERE kind LIKE 'lnk%'",
            "postings WHERE kind LIKE 'lnk%'", "memory_sources WHERE link_id IS NOT NULL"] {
            assert_eq!(bench.owner().number(&format!("SELECT COUNT(*) FROM {left}")), 0, "{left}");
        }
        assert_eq!(problems(mind), [""; 0]);
    }
}

fn dump_of(mind: &Mind, of: &str) -> String {
    let id = selfsame::seal::hex(&mind.require_agent(of).unwrap().id.id().bytes());
    dump(mind).lines().filter(|line| line.contains(&id)).collect::<Vec<_>>().join("\n")
}

/// What the test knows: what each was told, and which links stand.
#[derive(Default)]
struct Expected {
    own: BTreeMap<&'static str, BTreeSet<String>>,
    secret: BTreeMap<&'static str, BTreeSet<String>>,
    links: Vec<Given>,
}

struct Given {
    id: LinkId,
    from: &'static str,
    to: &'static str,
    onward: bool,
    /// What the giver was told itself when it gave.
    told: BTreeSet<String>,
}

const NAMES: [&str; 3] = ["ada", "ben", "cy"];

impl Expected {
    /// What must be there: what the giver of a link was told itself.
    fn least(&self, of: &str) -> BTreeSet<String> {
        let given = self.links.iter().filter(|link| link.to == of).flat_map(|link| link.told.clone());
        given.chain(self.own.get(of).cloned().unwrap_or_default()).collect()
    }

    /// What can be there at all: what came a way of links that may be given on, but for the last.
    fn most(&self, of: &str, seen: &mut BTreeSet<LinkId>) -> BTreeSet<String> {
        let mut all = self.own.get(of).cloned().unwrap_or_default();
        for link in self.links.iter().filter(|link| link.to == of) {
            all.extend(link.told.clone());
            if seen.insert(link.id) {
                all.extend(self.given_on(link.from, seen));
            }
        }
        all
    }

    fn given_on(&self, of: &str, seen: &mut BTreeSet<LinkId>) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for link in self.links.iter().filter(|link| link.to == of && link.onward) {
            all.extend(link.told.clone());
            if seen.insert(link.id) {
                all.extend(self.given_on(link.from, seen));
            }
        }
        all
    }

    fn check(&self, mind: &Mind) {
        for name in NAMES {
            let there = contents(&agent(mind, name));
            let least = self.least(name);
            assert!(least.is_subset(&there), "{name} lacks {:?}", least.difference(&there));
            let most = self.most(name, &mut BTreeSet::new());
            assert!(there.is_subset(&most), "{name} has {:?}", there.difference(&most));
        }
        assert_eq!(problems(mind), [""; 0]);
    }
}

/// Random memories with overlaps, links, onward sharing, revocations, and processes killed at any write.
fn live(bench: &Bench, seed: u64, dice: &mut Dice) {
    let point = *dice.pick(&["write.begun", "write.applied", "write.committed"]);
    let trap = Trap::fail(point);
    let store = bench.open_store(|options| options.faults = trap.faults()).unwrap();
    let opening = selfsame::Opening::new(in_batches_of(3)).clock(bench.shared_clock());
    let mind = opening.seed([seed as u8; 32]).over(store, None).unwrap();
    let mut expected = Expected::default();
    for name in NAMES {
        agent(&mind, name);
        expected.own.insert(name, BTreeSet::new());
    }
    for _ in 0..30 {
        bench.clock().advance(Duration::from_secs(1));
        let (from, to) = (*dice.pick(&NAMES), *dice.pick(&NAMES));
        let is_cut = dice.percent(40);
        match dice.below(10) {
            0..6 => {
                let content = format!("fact number {} of the house", dice.below(14));
                let is_private = dice.percent(20);
                let known = if is_private { &mut expected.secret } else { &mut expected.own };
                if known.entry(from).or_default().insert(content.clone()) && is_private {
                    // Private words are the operator's own here, and never the agent's.
                    let privacy = Privacy::Private;
                    operator(&mind, from)
                        .remember(Draft { privacy, ..Draft::new(format!("secret {content}")) }, None)
                        .unwrap();
                } else if !is_private {
                    agent(&mind, from).remember(Draft::new(content), None).unwrap();
                }
            }
            6..9 if from != to => {
                let onward = dice.percent(50);
                let asked = agent(&mind, to).link_request(from, None).unwrap().link.id;
                if is_cut {
                    trap.arm(2 + dice.below(6) as u64);
                }
                let told = expected.own[from].clone();
                let shared = agent(&mind, from).link_answer(asked, Answer::Share { onward }, None);
                trap.arm(u64::MAX);
                if shared.is_err() {
                    mind.carry_on_links().unwrap();
                }
                if agent(&mind, from).link(asked).unwrap().link.state == LinkState::Accepted {
                    expected.links.push(Given { id: asked, from, to, onward, told });
                }
            }
            _ if !expected.links.is_empty() => {
                let gone = expected.links.swap_remove(dice.below(expected.links.len()));
                if is_cut {
                    trap.arm(2 + dice.below(4) as u64);
                }
                let revoked = agent(&mind, gone.from).link_revoke(gone.id, None);
                trap.arm(u64::MAX);
                if revoked.is_err() {
                    mind.carry_on_links().unwrap();
                }
                let state = agent(&mind, gone.from).link(gone.id).unwrap().link.state;
                assert_eq!(state, LinkState::Revoked);
            }
            _ => {}
        }
        expected.check(&mind);
    }
    for link in std::mem::take(&mut expected.links) {
        agent(&mind, link.from).link_revoke(link.id, None).unwrap();
    }
    expected.check(&mind);
    let mut raw = bench.owner();
    for left in [
        "link_items",
        "memory_items WHERE author = 'link'",
        "memory_sources WHERE link_id IS NOT NULL",
        "postings WHERE kind LIKE 'lnk%'",
        "term_stats WHERE kind LIKE 'lnk%'",
        "corpus_stats WHERE kind LIKE 'lnk%'",
        "indexed_texts WHERE kind LIKE 'lnk%'",
        "mentions WHERE item_kind LIKE 'lnk%'",
        "vectors WHERE kind LIKE 'lnk%'",
        "vector_stock WHERE kind LIKE 'lnk%'",
    ] {
        assert_eq!(raw.number(&format!("SELECT COUNT(*) FROM {left}")), 0, "{left}");
    }
}

#[test]
fn sqlite_any_history_of_links_holds() {
    for_each_seed(6, |seed, dice| live(&Bench::sqlite(), seed, dice));
}

#[test]
fn postgres_any_history_of_links_holds() {
    for_each_seed(2, |seed, dice| live(&Bench::postgres(), seed, dice));
}

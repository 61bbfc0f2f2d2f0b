//! What PostgreSQL keeps apart alone. In this build (`--features unfiltered`) no statement says whose rows it wants, as if its
//! writer had forgotten to; a transaction still names its agents, and row-level security is all that looks at them.
//!
//! Each agent keeps a pearl in every layer and then asks for everything, at random. On PostgreSQL nobody is shown another's; on
//! SQLite, which has no such guard, the same run must show some, or it could see nothing at all.

use selfsame::agent::Agent;
use selfsame::calendar::CalendarDraft;
use selfsame::context::Occasion;
use selfsame::conversation::{OpenRequest, Place, Saying};
use selfsame::diary::DiaryDraft;
use selfsame::entity::{EntityKind, NewEntity};
use selfsame::forget::{Order, What};
use selfsame::id::MemoryId;
use selfsame::inbox::Status;
use selfsame::knowledge::BeliefQuery;
use selfsame::lesson::{LessonKind, NewLesson};
use selfsame::memory::{Draft, Which};
use selfsame::recall::Question;
use selfsame::reflection::NewReflection;
use selfsame::relationship::Assignment;
use selfsame::soul::SoulKind;
use selfsame::todo::TodoDraft;
use selfsame::trust::Privacy;
use selfsame::{Access, Idempotency, Result, Speaker};
use selfsame_testkit::Bench;
use selfsame_testkit::seeded::Dice;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

const AGENTS: usize = 12;
const QUESTIONS: usize = 800;

/// An agent, and what it was told.
struct Villager {
    agent: Agent,
    number: usize,
    memories: Vec<MemoryId>,
}

impl Villager {
    fn lure(&self) -> String {
        format!("zqlure{:02}", self.number)
    }

    fn pearl(&self, layer: &str) -> String {
        format!("zqpearl{:02}{layer}", self.number)
    }

    fn treasure(&self, layer: &str) -> String {
        format!("{} keeps {} in a drawer", self.lure(), self.pearl(layer))
    }
}

/// What came of a run.
#[derive(Default)]
struct Seen {
    /// How often somebody was shown its own pearl, by layer.
    own: BTreeMap<String, usize>,
    /// Who was shown whose, by what it had asked.
    foreign: BTreeSet<(usize, String, &'static str)>,
    failed: Vec<String>,
}

#[test]
fn postgres_row_level_security_alone_keeps_agents_apart() {
    let seen = run(&Bench::postgres());
    assert_eq!(seen.foreign, BTreeSet::new());
    assert_eq!(seen.failed, Vec::<String>::new());
    println!("{:?}", seen.own);
    for layer in LAYERS {
        assert!(
            seen.own.contains_key(layer),
            "nobody was shown its own pearl of layer {layer}: {:?}",
            seen.own
        );
    }
}

#[test]
fn sqlite_without_filters_everybody_sees_everything() {
    let seen = run(&Bench::sqlite());
    let asked: BTreeSet<&str> = seen.foreign.iter().map(|(_, _, asked)| *asked).collect();
    println!("{} leaks, by {asked:?}; refused: {:?}", seen.foreign.len(), seen.failed);
    // What is sealed is refused instead: its agent is in the seal.
    assert!(asked.len() >= 3, "the filter is still there: {asked:?}, {:?}", seen.failed);
}

const LAYERS: [&str; 14] = [
    "memory",
    "belief",
    "soul",
    "diary",
    "todo",
    "calendar",
    "message",
    "entity",
    "relationship",
    "inbox",
    "lesson",
    "reflection",
    "document",
    "principal",
];

fn run(bench: &Bench) -> Seen {
    let mut seen = Seen::default();
    let mut villagers = Vec::new();
    for number in 0..AGENTS {
        let agent = bench.agent(&format!("villager-{number:02}"));
        let mut villager = Villager { agent, number, memories: Vec::new() };
        // Without filters SQLite may refuse some of it: one agent's rows collide with another's.
        if let Err(error) = settle(bench, &mut villager) {
            seen.failed.push(format!("{number}: {error}"));
        }
        villagers.push(villager);
    }
    let mut dice = Dice::new(7);
    for _ in 0..QUESTIONS {
        let villager = dice.pick(&villagers);
        let other = &villagers[(villager.number + 1 + dice.below(AGENTS - 1)) % AGENTS];
        let speaker = if dice.percent(50) { Speaker::Operator } else { Speaker::Agent(None) };
        let access = bench.access(&villager.agent.name, speaker);
        let (name, ask) = *dice.pick(ACTS);
        let shown = ask(&access, villager, other, &mut dice);
        for word in shown.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            let Some(rest) = word.strip_prefix("zqpearl") else { continue };
            let (number, layer) = rest.split_at(2);
            if number == format!("{:02}", villager.number) {
                *seen.own.entry(layer.to_owned()).or_default() += 1;
            } else {
                seen.foreign.insert((villager.number, word.to_owned(), name));
            }
        }
    }
    seen
}

/// Equal words for equal requests of all of them.
fn equal_key(bench: &Bench, name: &str) -> Idempotency {
    Idempotency { key: name.into(), request: [7; 32], at: bench.mind_time() }
}

fn settle(bench: &Bench, villager: &mut Villager) -> Result<()> {
    let name = villager.agent.name.clone();
    let (operator, own) = (bench.access(&name, Speaker::Operator), bench.access(&name, Speaker::Agent(None)));
    let says = |layer: &str| villager.treasure(layer);
    let key = equal_key(bench, "the first");
    let memory = operator.remember(Draft::new(says("memory")), Some(&key))?.id;
    let belief = format!("I prefer {} over tea", villager.pearl("belief"));
    operator.remember(Draft::new(belief), None)?;
    operator.consolidate()?;
    own.add_to_soul(SoulKind::Value, &says("soul"), "it was found", None)?;
    own.write_diary(DiaryDraft::new(says("diary")), None)?;
    operator.add_todo(TodoDraft::new(says("todo")), None)?;
    let (title, start) = (says("calendar"), "2030-07-01T09:00".to_owned());
    operator.add_to_calendar(CalendarDraft { title, start, ..CalendarDraft::default() }, None)?;
    let place = Place::Channel("terminal".into());
    operator
        .conversation_open(&OpenRequest { place: Some(place.clone()), ..OpenRequest::default() }, None)?;
    operator.conversation_say(&Saying::new(place, says("message")), None)?;
    let person = NewEntity { name: villager.pearl("entity"), kind: EntityKind::Person, aliases: Vec::new() };
    operator.entity_add(&person, None)?;
    let assignment = Assignment {
        kind: "ally".into(),
        trust: None,
        tone: None,
        rationale: says("relationship"),
        notes: None,
    };
    own.assign_relationship("operator", &assignment, None)?;
    operator.capture(&format!("I prefer {} over coffee.", villager.pearl("inbox")), Privacy::Shared, None)?;
    own.learn(NewLesson::new(LessonKind::Discovery, says("lesson"), vec![memory]), None)?;
    let now = bench.mind_time();
    let before = now.saturating_sub(std::time::Duration::from_secs(3600));
    let reflection =
        NewReflection { content: says("reflection"), from: before, until: now, sources: vec![memory] };
    own.reflect(reflection, None)?;
    operator.set_document("CONTEMPLATION.md", &says("document"), None)?;
    operator.principal_add(&villager.pearl("principal"), None, None)?;
    operator.heartbeat_tick(None)?;
    villager.memories.push(memory);
    Ok(())
}

/// Whatever was answered, as text; a refusal as well.
fn shown<T: Debug>(answer: Result<T>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => error.to_string(),
    }
}

type Act = fn(&Access<'_>, &Villager, &Villager, &mut Dice) -> String;

/// Words that look for something: the own, or another's.
fn words(own: &Villager, other: &Villager, dice: &mut Dice) -> String {
    let lure = if dice.percent(50) { own.lure() } else { other.lure() };
    format!("What does {lure} keep in a drawer?")
}

/// A memory: the own, or another's.
fn some_memory(own: &Villager, other: &Villager, dice: &mut Dice) -> MemoryId {
    let memories = if dice.percent(50) { &own.memories } else { &other.memories };
    memories.first().copied().unwrap_or_else(|| MemoryId::of(own.agent.id.id()))
}

const ACTS: &[(&str, Act)] = &[
    ("recall", |access, own, other, dice| {
        shown(access.recall(&Question { anyway: true, ..Question::new(words(own, other, dice)) }))
    }),
    ("context", |access, own, other, dice| {
        let query = Some(words(own, other, dice));
        shown(access.context(&Occasion { query, ..Occasion::default() }))
    }),
    ("memory", |access, own, other, dice| shown(access.memory(some_memory(own, other, dice)))),
    ("portrait", |access, own, other, dice| shown(access.portrait(some_memory(own, other, dice)))),
    ("memories", |access, _, _, _| shown(access.memories(&Which::default(), 50))),
    ("pin", |access, own, other, dice| shown(access.pin(some_memory(own, other, dice), true))),
    ("know", |access, _, _, _| shown(access.know(&BeliefQuery::default()))),
    ("conflicts", |access, _, _, _| shown(access.conflicts(true, 50))),
    ("soul", |access, _, _, _| shown(access.soul(true))),
    ("diary_days", |access, _, _, _| shown(access.diary_days(None, None, None))),
    ("diary_day", |access, _, _, _| shown(access.diary_day("today"))),
    ("search_diary", |access, own, other, dice| shown(access.search_diary(&words(own, other, dice), None))),
    ("todos", |access, _, _, _| shown(access.todos(None, None))),
    ("check_calendar", |access, _, _, _| {
        shown(access.check_calendar(Some("2030-01-01"), Some("2031-01-01"), None))
    }),
    ("conversation_list", |access, _, _, _| shown(access.conversation_list(None, 50))),
    ("conversation_show", |access, _, _, _| {
        let listed =
            access.conversation_list(None, 1).ok().and_then(|listed| Some(listed.conversations.first()?.id));
        listed.map_or_else(String::new, |id| shown(access.conversation_show(id, 0, 50)))
    }),
    ("entity_list", |access, _, _, _| shown(access.entity_list(None, None, 50))),
    ("entity_show", |access, own, _, _| shown(access.entity_show(&own.pearl("entity")))),
    ("relationship_list", |access, _, _, _| shown(access.relationship_list(None, 50))),
    ("relationship_show", |access, _, _, _| shown(access.relationship_show("operator"))),
    ("inbox", |access, _, _, _| shown(access.inbox(Status::Pending, 50))),
    ("lessons", |access, _, _, _| shown(access.lessons(50))),
    ("reflections", |access, _, _, _| shown(access.reflections(50))),
    ("document", |access, _, _, _| shown(access.document("CONTEMPLATION.md"))),
    ("principal_list", |access, _, _, _| shown(access.principal_list())),
    ("events", |access, _, _, _| shown(access.events(0, 100))),
    ("schedules", |access, _, _, _| shown(access.schedules(50))),
    ("nudges", |access, _, _, _| shown(access.nudges(None, true, None, 50))),
    ("receipts", |access, _, _, _| shown(access.receipts(None, None, false, 50))),
    ("heartbeat_tick", |access, _, _, _| shown(access.heartbeat_tick(None))),
    ("work", |access, _, _, _| shown(access.work(50))),
    ("audit", |access, _, _, _| shown(access.audit())),
    ("export_markdown", |access, _, _, _| shown(access.export_markdown())),
    ("forget_what", |access, _, other, _| shown(access.forget_what(&Order::of(What::Query(other.lure()))))),
    ("whereabouts", |access, own, _, _| shown(access.whereabouts(&own.pearl("memory")))),
    ("remember", |access, own, _, dice| {
        let text = if dice.percent(50) { own.treasure("memory") } else { "The well is deep".into() };
        shown(access.remember(Draft::new(text), None))
    }),
    ("add_todo", |access, _, _, _| shown(access.add_todo(TodoDraft::new("Mend the well"), None))),
    ("write_diary", |access, own, _, _| {
        shown(access.write_diary(DiaryDraft::new(own.treasure("diary")), None))
    }),
];

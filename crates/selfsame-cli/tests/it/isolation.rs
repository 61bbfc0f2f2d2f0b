//! Fifty agents with canaries in every layer, and thousands of requests that try to see another's: by its name or id in the
//! path, by its ids in fields, by its words in questions, with its idempotency keys and texts, by HTTP, MCP and sockets.
//!
//! Each agent has a lure, which everybody may say, and pearls, which only it has said: one for each layer. Whoever is shown a
//! pearl or an id of another, in whatever comes back, was shown too much. What is asked follows from the table of operations
//! and its schemas, so an operation that is added is asked without a word here. `SELFSAME_SOAK_ISOLATION` sets how often.

use crate::cli::{Daemon, World};
use crate::door::{Answered, Asked, Line};
use crate::postgres::Database;
use selfsame::key::Scope;
use selfsame_daemon::operations::{Entry, TABLE};
use selfsame_testkit::Watcher;
use selfsame_testkit::seeded::Dice;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

const AGENTS: usize = 50;
/// Those whose events are watched as well.
const WATCHED: usize = 5;
const THREADS: usize = 4;
const USUAL_REQUESTS: usize = 5_000;
const SEED: u64 = 11;

/// Where pearls are.
const LAYERS: [&str; 16] = [
    "memory",
    "belief",
    "soul",
    "diary",
    "todo",
    "calendar",
    "message",
    "entity",
    "profile",
    "relationship",
    "inbox",
    "lesson",
    "reflection",
    "document",
    "principal",
    "place",
];

/// In whose name a key speaks.
const VOICES: [&str; 4] = ["operator", "principal", "agent", "host"];

/// What nobody here is answered: a key that is bound to one agent reaches no other, no link is ever accepted, and nothing is
/// old enough to be folded.
const NEVER: [&str; 3] = ["summary_show", "conversation_exchange", "neural_link_revoke"];
/// What is answered once for each nudge: by then all of them may be over.
const AT_TIMES: [&str; 2] = ["nudge_answer", "nudge_dismiss"];
/// How often the rest is tried.
const INSISTENCE: usize = 400;

/// What both ends of a link or a talk know by right.
const SHARED_IDS: [&str; 2] = ["agt", "lnk"];

#[test]
fn sqlite_no_agent_is_shown_what_is_anothers() {
    let world = quick(World::new());
    world.run(&["init"]).succeeds();
    Village::settle(&world).live().end();
}

#[test]
fn postgres_no_agent_is_shown_what_is_anothers() {
    let database = Database::make();
    let world = quick(World::new());
    world.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
    Village::settle(&world).live().end();
}

/// Nobody is told to slow down, and what is logged is logged whole.
fn quick(world: World) -> World {
    world.with("SELFSAME_SERVER_RATE", "0").with("SELFSAME_LOG_LEVEL", "debug")
}

fn requests() -> usize {
    std::env::var("SELFSAME_SOAK_ISOLATION").map_or(USUAL_REQUESTS, |count| count.parse().unwrap())
}

/// One of the agents, from outside.
struct Villager {
    number: usize,
    name: String,
    id: String,
    /// A key for each voice, bound to it.
    keys: [String; 4],
    /// Every id that it was shown, by kind.
    ids: Mutex<BTreeMap<String, Vec<String>>>,
    /// Every id that it has said itself: it may be shown its own words.
    said: Mutex<BTreeSet<String>>,
}

impl Villager {
    /// A word that anybody may say.
    fn lure(&self) -> String {
        format!("zqlure{:02}", self.number)
    }

    fn pearl(&self, layer: &str) -> String {
        format!("zqpearl{:02}{layer}", self.number)
    }

    /// A sentence that only it says.
    fn treasure(&self, layer: &str) -> String {
        format!("{} keeps {} in a drawer", self.lure(), self.pearl(layer))
    }
}

struct Village {
    daemon: Daemon,
    villagers: Vec<Villager>,
    /// Whose an id is: the first that it was shown to.
    owners: Mutex<BTreeMap<String, usize>>,
    /// Who was asked by a link, and may give by right.
    asked: Mutex<BTreeMap<String, usize>>,
    tally: Mutex<Tally>,
}

/// What came of it: a run in which everything is refused shows nothing.
#[derive(Default)]
struct Tally {
    requests: usize,
    good: BTreeMap<&'static str, usize>,
    tools: usize,
    refused: BTreeMap<&'static str, String>,
    /// How often its owner was shown a pearl, by layer.
    own: BTreeMap<String, usize>,
}

impl Village {
    /// Agents, their keys, and a pearl in each layer.
    fn settle(world: &World) -> Village {
        let daemon = world.serve(&[]);
        let numbers: Vec<usize> = (0..AGENTS).collect();
        let (address, key) = (daemon.address.clone(), daemon.key.clone());
        let villagers = std::thread::scope(|scope| {
            let (address, key) = (&address, &key);
            let settling: Vec<_> = numbers
                .chunks(AGENTS.div_ceil(THREADS))
                .map(|some| {
                    scope.spawn(move || {
                        let mut line = Line::to(address);
                        some.iter().map(|number| settle_one(&mut line, key, *number)).collect::<Vec<_>>()
                    })
                })
                .collect();
            settling.into_iter().flat_map(|some| some.join().unwrap()).collect()
        });
        let village = Village {
            daemon,
            villagers,
            owners: Mutex::default(),
            asked: Mutex::default(),
            tally: Mutex::default(),
        };
        village.in_turns(AGENTS, |village, line, _, number| village.plant(line, &village.villagers[number]));
        village
    }

    /// So much is done by several at once, each with a connection and dice of its own.
    fn in_turns(&self, times: usize, work: impl Fn(&Village, &mut Line, &mut Dice, usize) + Sync) {
        std::thread::scope(|scope| {
            let work = &work;
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let mut line = Line::to(&self.daemon.address);
                    let mut dice = Dice::new(SEED + thread as u64);
                    (thread..times)
                        .step_by(THREADS)
                        .for_each(|number| work(self, &mut line, &mut dice, number));
                });
            }
        });
    }

    /// A pearl in each layer. Nobody else has asked yet, and nobody is refused.
    fn plant(&self, line: &mut Line, villager: &Villager) {
        let mut by = |voice: &str, operation: &str, request: Value| {
            let asked = Asked::of(Entry::find(operation).unwrap(), &villager.name, &request);
            let answered = line.ask(&villager.keys[place_of(voice)], &asked);
            assert_eq!(answered.status, 200, "{operation}: {answered:?}");
            self.judge(villager, &asked, &answered);
            answered.json()
        };
        let says = |layer: &str| villager.treasure(layer);
        let pearl = |layer: &str| villager.pearl(layer);
        let memory = by("operator", "remember", json!({ "content": says("memory") }))["id"].clone();
        let claim = json!({ "subject": "treasure", "kind": "project_state", "slot": "drawer", "value": pearl("belief") });
        by("operator", "remember", json!({ "content": says("belief"), "claim": claim }));
        by("agent", "add_to_soul", json!({ "content": says("soul"), "reason": "it was found" }));
        by("agent", "write_diary", json!({ "text": says("diary"), "date": "2026-01-02" }));
        by("operator", "add_todo", json!({ "title": says("todo"), "due": "2030-03-01" }));
        by("operator", "add_to_calendar", json!({ "title": says("calendar"), "start": "2030-07-01T09:00" }));
        let opened = by("operator", "conversation_open", json!({ "channel": "terminal" }));
        by(
            "operator",
            "conversation_say",
            json!({ "conversation": opened["id"], "content": says("message") }),
        );
        let entity = by("operator", "entity_add", json!({ "name": pearl("entity"), "kind": "person" }));
        let profile = json!({ "entity": entity["id"], "text": says("profile") });
        by("operator", "entity_profile", profile);
        let rationale = says("relationship");
        let relationship =
            json!({ "entity": "operator", "relationship_type": "ally", "rationale": rationale });
        by("agent", "assign_relationship", relationship);
        by(
            "operator",
            "inbox_capture",
            json!({ "text": format!("I prefer {} over coffee.", pearl("inbox")) }),
        );
        let lesson = json!({ "type": "discovery", "lesson": says("lesson"), "sources": [memory] });
        by("agent", "lesson_add", lesson);
        let (from, until) = ("2026-01-01T00:00:00Z", "2026-01-08T00:00:00Z");
        let period =
            json!({ "content": says("reflection"), "from": from, "until": until, "sources": [memory] });
        by("agent", "reflection_add", period);
        let document = json!({ "name": "CONTEMPLATION.md", "content": says("document") });
        by("operator", "document_set", document);
        by("operator", "principal_add", json!({ "name": pearl("principal") }));
        by("agent", "agent_move", json!({ "place": pearl("place") }));
        by("operator", "remember", json!({ "content": says("memory") + " for now", "type": "plan" }));
        by("operator", "monitor_add", json!({ "memory": memory, "every": "7d" }));
        by("operator", "heartbeat_tick", json!({}));
        by("agent", "contemplate", json!({}));
    }

    /// Everybody asks at once while some watch; then what is said of the house as a whole is looked at.
    fn live(self) -> Village {
        self.ask_at_random(requests());
        self.nobody_reads_the_house();
        self.enough_was_answered(requests());
        self.every_operation_was_answered();
        self
    }

    /// What was logged has nobody's words in it.
    fn end(self) {
        let log = self.daemon.log();
        assert!(log.len() > requests(), "the log has {} bytes", log.len());
        assert_eq!(words_with("zqpearl", &log), Vec::<&str>::new(), "somebody's words are in the log");
        assert_eq!(self.daemon.stop(), 0);
    }

    fn ask_at_random(&self, count: usize) {
        let began = Instant::now();
        let last: Vec<AtomicI64> = (0..WATCHED).map(|_| AtomicI64::new(i64::MAX)).collect();
        std::thread::scope(|scope| {
            let watching: Vec<_> = last
                .iter()
                .zip(&self.villagers)
                .map(|(last, villager)| {
                    let mut watcher = self.watcher(villager, &villager.name).unwrap();
                    let stranger = &self.villagers[AGENTS - 1 - villager.number];
                    for other in [&stranger.name, &stranger.id] {
                        assert_eq!(self.watcher(villager, other).err(), Some(404), "{other}");
                    }
                    scope.spawn(move || self.watch(villager, &mut watcher, last))
                })
                .collect();
            self.in_turns(count, Village::ask_something);
            let mut line = Line::to(&self.daemon.address);
            for (last, villager) in last.iter().zip(&self.villagers) {
                self.let_one_more_happen(&mut line, villager, last);
            }
            for (watched, villager) in watching.into_iter().zip(&self.villagers) {
                let events = watched.join().unwrap();
                assert!(events >= count / AGENTS / 20, "{} was told of {events} events", villager.name);
            }
        });
        println!("{count} requests of {AGENTS} agents in {:.1} s", began.elapsed().as_secs_f64());
    }

    fn watcher(&self, villager: &Villager, agent: &str) -> Result<Watcher, u16> {
        let address: SocketAddr = self.daemon.address.parse().unwrap();
        Watcher::with(address, &villager.keys[0], &format!("/v1/agents/{agent}/events"))
    }

    /// Reads until something happened after the last request.
    fn watch(&self, villager: &Villager, watcher: &mut Watcher, last: &AtomicI64) -> usize {
        for events in 0.. {
            let frame = watcher.next();
            let asked = Asked::get("an event");
            let head = String::new();
            self.judge(villager, &asked, &Answered { status: 200, head, body: frame.to_string() });
            if frame["seq"].as_i64().is_some_and(|seq| seq > last.load(Ordering::SeqCst)) {
                return events;
            }
        }
        0
    }

    fn let_one_more_happen(&self, line: &mut Line, villager: &Villager, last: &AtomicI64) {
        let mut ask = |operation: &str, request: Value| {
            let asked = Asked::of(Entry::find(operation).unwrap(), &villager.name, &request);
            let answered = line.ask(&villager.keys[0], &asked);
            assert_eq!(answered.status, 200, "{answered:?}");
            answered.json()
        };
        let head = ask("events", json!({ "limit": 1 }))["head"].as_i64().unwrap();
        last.store(head, Ordering::SeqCst);
        ask("add_todo", json!({ "title": "the last errand" }));
    }

    /// What is told of the house has nobody's words in it, whoever asks.
    fn nobody_reads_the_house(&self) {
        let mut line = Line::to(&self.daemon.address);
        let mut keys: Vec<&str> =
            self.villagers.iter().flat_map(|one| one.keys.iter().map(String::as_str)).collect();
        keys.truncate(2 * VOICES.len());
        keys.push(&self.daemon.key);
        for key in keys {
            for path in ["/metrics", "/readyz", "/healthz", "/openapi.json"] {
                let answered = line.ask(key, &Asked::get(path));
                let told = format!("{}{}", answered.head, answered.body);
                assert_eq!(words_with("zq", &told), Vec::<&str>::new(), "{path}");
                assert!(path != "/metrics" || key != self.daemon.key || answered.status == 200);
            }
        }
    }

    fn enough_was_answered(&self, count: usize) {
        let tally = self.tally.lock().unwrap();
        let good: usize = tally.good.values().sum();
        let own: usize = tally.own.values().sum();
        println!(
            "{} asked, {good} answered, {} of them by MCP, {own} pearls shown to their owners",
            tally.requests, tally.tools
        );
        println!("by layer: {:?}", tally.own);
        assert!(good * 3 >= count, "{good} of {count} were answered");
        assert!(tally.tools * 20 >= count, "{} of {count} were answered by MCP", tally.tools);
        assert!(own * 4 >= count, "{own} pearls were shown to their owners");
        for layer in LAYERS {
            assert!(tally.own.contains_key(layer), "nobody was shown the own pearl of layer {layer}");
        }
    }

    /// The operations of agents that nobody was answered so far.
    fn unanswered(&self) -> Vec<&'static Entry> {
        let tally = self.tally.lock().unwrap();
        let asked = TABLE.iter().filter(|entry| entry.scope != Scope::Admin);
        asked.filter(|entry| !tally.good.contains_key(entry.name)).collect()
    }

    /// What chance left out is asked until it is answered: who is refused everything is shown nothing.
    fn every_operation_was_answered(&self) {
        let mut line = Line::to(&self.daemon.address);
        let mut dice = Dice::new(SEED);
        for entry in self.unanswered() {
            let answered = || self.tally.lock().unwrap().good.contains_key(entry.name);
            (0..INSISTENCE)
                .take_while(|_| !answered())
                .for_each(|_| self.ask_about(entry, &mut line, &mut dice));
        }
        let mut never: Vec<&str> = self.unanswered().iter().map(|entry| entry.name).collect();
        never.retain(|name| !AT_TIMES.contains(name));
        let tally = self.tally.lock().unwrap();
        let why: Vec<_> = never.iter().map(|name| tally.refused.get(name)).collect();
        assert_eq!(never, NEVER, "{why:#?}");
    }

    /// One request of somebody, which may be about another.
    fn ask_something(&self, line: &mut Line, dice: &mut Dice, _number: usize) {
        let entry = dice.pick(TABLE);
        self.ask_about(entry, line, dice);
    }

    /// One request for this operation.
    fn ask_about(&self, entry: &'static Entry, line: &mut Line, dice: &mut Dice) {
        let villager = dice.pick(&self.villagers);
        let voice = dice.below(VOICES.len());
        let abroad = dice.percent(15);
        let whom = if abroad { self.other(villager, dice) } else { villager };
        let agent = if dice.percent(50) { &whom.name } else { &whom.id };
        if dice.percent(4) {
            return self.read_something(line, dice, villager, voice, (agent, abroad));
        }
        let mut guess = Guess { village: self, villager, entry, dice };
        let request = guess.request();
        let by_tool = entry.tool.is_some() && dice.percent(25);
        let mut asked = if by_tool {
            let params = json!({ "name": entry.name, "arguments": request });
            Asked::of_mcp("tools/call", &params, Some(agent.as_str()).filter(|_| abroad || dice.percent(50)))
        } else {
            Asked::of(entry, agent, &request)
        };
        // Few, so that many choose the same.
        asked.repeat = (!by_tool && dice.percent(30)).then(|| format!("key-{}", dice.below(40)));
        let answered = line.ask(&villager.keys[voice], &asked);
        assert!(answered.status < 500, "{asked:?} {answered:?}");
        self.judge(villager, &asked, &answered);
        let reply =
            if by_tool { answered.structured() } else { (answered.status == 200).then(|| answered.json()) };
        let about_agent = entry.route.path.contains("{agent}");
        assert!(
            !(abroad && (about_agent || by_tool) && reply.is_some()),
            "{} was let in: {asked:?} {answered:?}",
            villager.name
        );
        assert!(
            entry.scope != Scope::Admin || reply.is_none(),
            "{} may not administrate: {asked:?} {answered:?}",
            villager.name
        );
        if let (Some(reply), "neural_link_request_memory") = (&reply, entry.name) {
            let target = self
                .villagers
                .iter()
                .find(|one| request["target"] == one.name || request["target"] == one.id);
            let link = reply["id"].as_str().unwrap().to_owned();
            self.asked.lock().unwrap().insert(link, target.unwrap().number);
        }
        let mut tally = self.tally.lock().unwrap();
        tally.requests += 1;
        if reply.is_some() {
            *tally.good.entry(entry.name).or_default() += 1;
            tally.tools += usize::from(by_tool);
        } else if !abroad {
            tally.refused.insert(entry.name, format!("{} {} {}", asked.path, asked.body, answered.body));
        }
    }

    /// What MCP offers besides tools.
    fn read_something(
        &self,
        line: &mut Line,
        dice: &mut Dice,
        villager: &Villager,
        voice: usize,
        (agent, abroad): (&str, bool),
    ) {
        let uri = *dice.pick(&["selfsame://context", "selfsame://soul", "selfsame://diary/2026-01-02"]);
        let asked = match dice.below(4) {
            0 => Asked::of_mcp("prompts/get", &json!({ "name": "contemplate" }), Some(agent)),
            _ => Asked::of_mcp("resources/read", &json!({ "uri": uri }), Some(agent)),
        };
        let answered = line.ask(&villager.keys[voice], &asked);
        assert!(answered.status < 500, "{asked:?} {answered:?}");
        // A prompt is the same for everybody.
        let shown = asked.body.contains("resources/read") && answered.body.contains(r#""result""#);
        assert!(!(abroad && shown), "{} was let in: {asked:?} {answered:?}", villager.name);
        self.judge(villager, &asked, &answered);
    }

    fn other(&self, villager: &Villager, dice: &mut Dice) -> &Villager {
        let step = 1 + dice.below(AGENTS - 1);
        &self.villagers[(villager.number + step) % AGENTS]
    }

    /// Nothing of another's is in what somebody was shown.
    fn judge(&self, villager: &Villager, asked: &Asked, answered: &Answered) {
        let shown = format!("{}{}", answered.head, answered.body).to_ascii_lowercase();
        let own = format!("zqpearl{:02}", villager.number);
        for word in words_with("zqpearl", &shown) {
            assert!(word.starts_with(&own), "{} was shown {word}: {asked:?} {answered:?}", villager.name);
            let mut tally = self.tally.lock().unwrap();
            *tally.own.entry(word[own.len()..].to_owned()).or_default() += 1;
        }
        let in_request = format!("{} {}", asked.path, asked.body);
        villager.said.lock().unwrap().extend(ids_in(&in_request).map(str::to_owned));
        for id in ids_in(&shown) {
            if SHARED_IDS.contains(&&id[..3]) {
                villager.keep(id);
            } else if !villager.said.lock().unwrap().contains(id) {
                let owner = *self.owners.lock().unwrap().entry(id.to_owned()).or_insert(villager.number);
                assert_eq!(
                    owner, villager.number,
                    "{} was shown {id}: {asked:?} {answered:?}",
                    villager.name
                );
                villager.keep(id);
            }
        }
    }
}

impl Villager {
    fn keep(&self, id: &str) {
        let mut ids = self.ids.lock().unwrap();
        let kept = ids.entry(id[..4].to_owned()).or_default();
        if !kept.iter().any(|known| known == id) {
            kept.push(id.to_owned());
        }
    }

    /// One of its ids, of a kind.
    fn id_of(&self, kind: &str, dice: &mut Dice) -> Option<String> {
        let ids = self.ids.lock().unwrap();
        ids.get(kind).filter(|ids| !ids.is_empty()).map(|ids| dice.pick(ids).clone())
    }

    /// One of its ids, of whichever kind.
    fn any_id(&self, dice: &mut Dice) -> Option<String> {
        let kinds: Vec<String> = self.ids.lock().unwrap().keys().cloned().collect();
        (!kinds.is_empty()).then(|| dice.pick(&kinds).clone()).and_then(|kind| self.id_of(&kind, dice))
    }
}

fn place_of(voice: &str) -> usize {
    VOICES.iter().position(|known| *known == voice).unwrap()
}

fn settle_one(line: &mut Line, operator: &str, number: usize) -> Villager {
    let name = format!("villager-{number:02}");
    let mut ask = |operation: &str, request: Value| {
        let asked = Asked::of(Entry::find(operation).unwrap(), &name, &request);
        let answered = line.ask(operator, &asked);
        assert_eq!(answered.status, 200, "{answered:?}");
        answered.json()
    };
    let made = ask("agent_create", json!({ "name": name, "family": number.is_multiple_of(2) }));
    let keys = VOICES.map(|voice| {
        let request =
            json!({ "name": voice, "agent": name, "speaks_as": voice, "scopes": ["read", "write", "admin"] });
        ask("key_create", request)["secret"].as_str().unwrap().to_owned()
    });
    let id = made["id"].as_str().unwrap().to_owned();
    Villager { number, name, id, keys, ids: Mutex::default(), said: Mutex::default() }
}

/// The words of a text that begin like this.
fn words_with<'t>(start: &str, text: &'t str) -> Vec<&'t str> {
    words(text).filter(|word| word.starts_with(start)).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

/// Ids as they are shown: a kind of three letters and 26 more. Who did something, as a log has it (`agent:pri_...`), is none
/// of them: whoever asks another for a link leaves its name there.
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"_:".contains(letter));
    words.filter(|word| word.len() == 30 && word.as_bytes()[3] == b'_')
}

/// Makes a request up: sound as far as its schema says, and about whatever.
struct Guess<'v> {
    village: &'v Village,
    villager: &'v Villager,
    entry: &'static Entry,
    dice: &'v mut Dice,
}

impl Guess<'_> {
    fn request(&mut self) -> Value {
        let schema = self.entry.request_schema().to_value();
        let mut request = self.object(&schema);
        self.within_reason(request.as_object_mut().unwrap());
        request
    }

    /// Nobody gives its memory away, or has all of it forgotten: what crosses then would cross by right.
    fn within_reason(&mut self, request: &mut Map<String, Value>) {
        match self.entry.name {
            "neural_link_share_memory" => {
                let link = request["request"].as_str().unwrap_or_default();
                let was_asked = self.village.asked.lock().unwrap().get(link).copied();
                if was_asked.is_none_or(|number| number == self.villager.number) {
                    request.insert("decision".into(), "decline".into());
                }
            }
            "conversation_exchange" => {
                request.insert("content".into(), "Good morning to you.".into());
                request.insert("to".into(), self.another());
            }
            "neural_link_request_memory" => {
                request.insert("target".into(), self.another());
            }
            "forget" | "remove_from_longterm_memory" => {
                request.remove("whole_agent");
                request.insert("dry_run".into(), self.dice.percent(80).into());
                // One way to say what.
                let ways: Vec<&str> = ["id", "entity", "source", "query"]
                    .into_iter()
                    .filter(|way| request.contains_key(*way))
                    .collect();
                let way = if ways.is_empty() { "id" } else { *self.dice.pick(&ways) };
                request.retain(|name, _| name == way || name == "dry_run");
                if !request.contains_key(way) {
                    request.insert(way.into(), self.id("mem_"));
                }
            }
            _ => {}
        }
    }

    fn another(&mut self) -> Value {
        let other = self.village.other(self.villager, self.dice);
        if self.dice.percent(50) { other.name.clone().into() } else { other.id.clone().into() }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let needed: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut fields = Map::new();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let in_path = self.entry.route.path.contains(&format!("{{{name}}}"));
            if needed.contains(name.as_str()) || in_path || self.dice.percent(25) {
                let value = self.value(name, field);
                fields.insert(name.clone(), value);
            }
        }
        fields.into()
    }

    fn value(&mut self, name: &str, schema: &Value) -> Value {
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => vec!["string"],
        };
        match kinds.iter().find(|kind| **kind != "null").copied().unwrap_or("string") {
            "object" => self.object(schema),
            "array" => {
                let times = 1 + self.dice.below(2);
                let mut items = schema["items"].clone();
                // What the items are may be said of the list.
                if let (Value::Object(fields), Value::String(told)) = (&mut items, &schema["description"]) {
                    fields.entry("description").or_insert_with(|| told.clone().into());
                }
                (0..times).map(|_| self.value(name, &items)).collect()
            }
            "boolean" => self.dice.percent(30).into(),
            "integer" => (1 + self.dice.below(3)).into(),
            "number" => 0.5.into(),
            _ => self.string(name, schema["description"].as_str().unwrap_or_default()),
        }
    }

    fn string(&mut self, name: &str, description: &str) -> Value {
        if let Some(words) = known_words(self.entry.name, name) {
            return (*self.dice.pick(words)).into();
        }
        if (self.entry.name, name) == ("retract", "source") {
            return self.id("mem_");
        }
        let kind = description.find("_...").and_then(|end| description.get(end.checked_sub(3)?..=end));
        match kind {
            Some(kind) => self.id(kind),
            None if NAMES.contains(&name) => self.name(),
            None => self.text().into(),
        }
    }

    /// An id of this kind: the own or another's; at times one of another kind, or a name.
    fn id(&mut self, kind: &str) -> Value {
        let village = self.village;
        let other = village.other(self.villager, self.dice);
        let found = match self.dice.below(100) {
            0..65 => self.villager.id_of(kind, self.dice),
            65..88 => other.id_of(kind, self.dice),
            88..92 => other.any_id(self.dice),
            _ => None,
        };
        found.map_or_else(|| self.name(), Value::from)
    }

    /// A name of somebody, known or not.
    fn name(&mut self) -> Value {
        let other = self.village.other(self.villager, self.dice);
        match self.dice.below(6) {
            0 => other.lure().into(),
            1 => self.villager.pearl("entity").into(),
            2 => self.villager.pearl("principal").into(),
            _ => "operator".into(),
        }
    }

    /// The own words, words that look for another's, or words that many say.
    fn text(&mut self) -> String {
        let other = self.village.other(self.villager, self.dice);
        match self.dice.below(4) {
            0 => self.villager.treasure("memory"),
            1 => format!("What does {} keep in a drawer?", self.villager.lure()),
            2 => format!("What does {} keep in a drawer?", other.lure()),
            _ => format!("The well on square {} is deep", self.dice.below(20)),
        }
    }
}

/// Fields that name somebody.
const NAMES: [&str; 6] = ["entity", "principal", "with", "speaker", "about", "into"];

/// What some fields may say.
fn known_words(operation: &str, field: &str) -> Option<&'static [&'static str]> {
    Some(match (operation, field) {
        ("lesson_add", "type") => &["discovery", "mistake"],
        (_, "type" | "types") => &["knowledge", "plan", "question"],
        ("entity_add" | "entity_list", "kind") => &["person", "project"],
        ("add_to_soul", "kind") => &["belief", "value"],
        (_, "kind") => &["project_state", "world_fact"],
        ("inbox_list", "status") => &["pending", "promoted"],
        ("list_todo", "status") => &["open", "all"],
        ("tasks", "status") => &["pending", "in_progress"],
        (_, "status") => &["in_progress", "done"],
        ("tasks", "action") => &["list", "add", "complete"],
        ("work", "action") => &["next", "complete", "release"],
        ("self_care", "action") => &["run", "next"],
        ("self_care", "what") => &["memories", "both"],
        ("lesson_judge", "judgement") => &["up", "unhelpful"],
        (_, "judgement") => &["confirm", "useful", "correct"],
        (_, "decision") => &["promote", "reject", "accept"],
        (_, "state" | "states") => &["active", "stale"],
        (_, "mode") => &["balanced", "recent", "timeline"],
        (_, "layers") => &["memory", "message", "observation"],
        (_, "priority") => &["high", "low"],
        (_, "role") => &["user", "assistant"],
        (_, "channel") => &["terminal", "phone"],
        (_, "every" | "for" | "active_for" | "duration") => &["2h", "7d"],
        (_, "date") => &["2026-01-02", "today"],
        ("check_calendar", "from") => &["2030-01-01"],
        ("check_calendar", "to") => &["2031-01-01"],
        ("entity_merge", "from") => return None,
        ("reflection_add", "from") => &["2026-01-01T00:00:00Z"],
        ("reflection_add", "until") => &["2026-01-08T00:00:00Z"],
        (_, "from") => &["2026-01-01"],
        (_, "to" | "until" | "as_of" | "at") => &["2099-01-01"],
        (_, "before") => return None,
        (_, "due" | "start" | "occurrence") => &["2030-07-01T09:00"],
        (_, "end") => &["2030-07-01T10:00"],
        (_, "expires_at") => &["2030-07-01T09:00:00Z"],
        (_, "recurrence") => &["FREQ=YEARLY"],
        (_, "zone") => &["Europe/Berlin"],
        (_, "slot") => &["drawer"],
        ("observations", "about") | (_, "subject") => &["treasure"],
        (_, "observation") => &["treasure/drawer"],
        (_, "autonomy") => &["suggest", "observe"],
        (_, "quiet") => &["22:30-07:30"],
        (_, "channels") => &["list"],
        ("document_show" | "document_set", "name") => &["CONTEMPLATION.md"],
        _ => return None,
    })
}

//! Every operation of the table, asked at every door: the answers must be the same.

use crate::house::{House, home_in};
use selfsame::config::Settings;
use selfsame::heartbeat::Period;
use selfsame::key::Scope;
use selfsame::{DataFolder, Mind, Opening};
use selfsame_daemon::operations::key::{CreateKey, CreateKeyRequest};
use selfsame_daemon::operations::{Entry, Method, Operation, Profile, TABLE};
use selfsame_daemon::{Failure, Guest, mcp};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// What was answered so far, by operation: later requests name what earlier ones made.
pub type Seen = BTreeMap<&'static str, Value>;

/// A request for the operation and the agent it is about; nothing for an operation that nobody has thought of here.
pub fn sample(operation: &str, seen: &Seen) -> Option<(&'static str, Value)> {
    let id_of = |operation: &str| seen[operation]["id"].clone();
    Some(match operation {
        "remember" => (
            "main",
            json!({ "content": "Maya keeps bees on the roof", "type": "knowledge", "tags": ["maya"],
                "claim": { "subject": "apiary", "kind": "project_state", "slot": "place", "value": "roof" } }),
        ),
        "observations" => ("main", json!({ "about": "apiary", "slot": "place" })),
        "why" => ("main", json!({ "observation": seen["observations"]["observations"][0]["id"] })),
        "feedback" => ("main", json!({ "observation": "apiary/place", "judgement": "confirm" })),
        "retract" => ("main", json!({ "source": id_of("remember"), "dry_run": true })),
        "conflicts" | "consolidate" | "slots" => ("main", json!({})),
        "recall" => ("main", json!({ "query": "who keeps bees?", "limit": 3 })),
        "memory" | "memory_pin" => ("main", json!({ "id": id_of("remember") })),
        "memory_list" => ("main", json!({ "type": "knowledge", "tag": "maya" })),
        "memory_edit" => {
            ("main", json!({ "id": id_of("remember"), "content": "Maya keeps bees in the garden" }))
        }
        "memory_resolve" => ("main", json!({ "id": id_of("add_to_longterm_memory") })),
        "add_to_longterm_memory" => ("main", json!({ "content": "Build a second hive", "type": "plan" })),
        "remove_from_longterm_memory" => ("main", json!({ "id": id_of("add_to_longterm_memory") })),
        "retrieve" => ("main", json!({ "query": "what about the bees?" })),
        "forget" => ("main", json!({ "id": id_of("remember") })),
        "erasure_list" => ("main", json!({})),
        "erasure" => ("main", json!({ "id": seen["forget"]["erasure"] })),
        "erasure_proof" => ("", json!({ "id": seen["forget"]["erasure"] })),
        "forget_check" => ("main", json!({ "text": "a text that nobody said" })),
        "inbox_capture" => (
            "main",
            json!({ "text": "Please remember that the cabin is in Norway. I prefer tea over coffee." }),
        ),
        "inbox_list" => ("main", json!({ "status": "promoted" })),
        "inbox_review" => {
            let id = &seen["inbox_capture"]["candidates"][1]["id"];
            ("main", json!({ "decisions": [{ "id": id, "decision": "reject", "reason": "a whim" }] }))
        }
        "monitor_add" => ("main", json!({ "memory": captured_memory(seen), "every": "7d" })),
        "monitor_checked" | "monitor_end" => ("main", json!({ "memory": captured_memory(seen) })),
        "reflection_add" => (
            "main",
            json!({ "content": "A week of plans.", "from": "2026-01-01T00:00:00Z", "until": "2026-01-08T00:00:00Z",
                "sources": [captured_memory(seen)] }),
        ),
        "lesson_add" => (
            "main",
            json!({ "type": "discovery", "lesson": "Ask before booking.", "sources": [captured_memory(seen)] }),
        ),
        "reflection_show" => ("main", json!({ "id": id_of("reflection_add") })),
        "lesson_show" => ("main", json!({ "id": id_of("lesson_add") })),
        "lesson_judge" => ("main", json!({ "id": id_of("lesson_add"), "judgement": "unhelpful" })),
        "monitor_list" | "reflection_list" | "lesson_list" | "schedule_list" => ("main", json!({})),
        "contemplate" | "contemplation_status" | "episode_list" | "work_list" => ("main", json!({})),
        "episode_show" => ("main", json!({ "id": seen["episode_list"]["episodes"][0]["id"] })),
        "work" => ("main", json!({ "action": "next" })),
        "self_care" | "summary_list" => ("main", json!({})),
        "summary_show" => ("main", json!({ "id": seen["self_care"]["summaries"][0] })),
        "agent_move" => ("second", json!({ "place": "the garden" })),
        "work_show" => ("main", json!({ "id": seen["work_list"]["work"][0]["id"] })),
        "entity_add" => ("main", json!({ "name": "Maya Lin", "kind": "person", "aliases": ["Maya"] })),
        "entity_list" => ("main", json!({ "kind": "person" })),
        "entity_show" => ("main", json!({ "entity": id_of("entity_add") })),
        "entity_alias" => ("main", json!({ "entity": "maya", "alias": "M." })),
        "entity_profile" => ("main", json!({ "entity": "maya", "text": "Keeps bees." })),
        "entity_merge" => ("main", json!({ "from": "maya", "into": "operator", "dry_run": true })),
        "conversation_open" => ("main", json!({ "channel": "terminal", "with": "maya" })),
        "conversation_say" => ("main", json!({ "channel": "terminal", "content": "Maya is here" })),
        "conversation_show" | "conversation_close" | "conversation_active" => {
            ("main", json!({ "id": id_of("conversation_open") }))
        }
        "assign_relationship" => (
            "main",
            json!({ "entity": "operator", "relationship_type": "ally", "trust_level": 0.6, "rationale": "helps" }),
        ),
        "relationship_show" => ("main", json!({ "entity": "operator" })),
        "conversation_exchange" => ("main", json!({ "to": "second", "content": "Hello" })),
        // By now there is another to ask, and it asks.
        "neural_link_request_memory" => ("second", json!({ "target": "main" })),
        "link_list" => ("main", json!({})),
        "neural_link_share_memory" => {
            ("main", json!({ "request": id_of("neural_link_request_memory"), "allow_onward": true }))
        }
        "link_show" | "neural_link_revoke" => {
            ("main", json!({ "link": id_of("neural_link_request_memory") }))
        }
        "principal_add" => ("main", json!({ "name": "ben" })),
        "principal_set" => ("main", json!({ "principal": "ben", "zone": "Asia/Tokyo" })),
        "conversation_list" | "relationship_list" | "principal_list" => ("main", json!({})),
        "add_to_soul" => {
            ("main", json!({ "content": "I keep my word", "kind": "value", "reason": "it was kept to me" }))
        }
        "soul" => ("main", json!({})),
        "remove_from_soul" => {
            ("main", json!({ "id": id_of("add_to_soul"), "reason": "I learned when not to" }))
        }
        "write_diary" => (
            "main",
            json!({ "text": "The bees swarmed today", "mood": "awed", "date": "2026-01-02", "detail": { "n": 1 } }),
        ),
        "search_diary_for_keywords" => ("main", json!({ "keywords": "bees", "limit": 3 })),
        "show_diary_entries_from_day" => ("main", json!({ "date": "2026-01-02" })),
        "list_diary" => ("main", json!({ "from": "2026-01-01" })),
        "add_todo" => ("main", json!({ "title": "Order frames", "priority": "high", "due": "2030-03-01" })),
        "list_todo" => ("main", json!({ "status": "all" })),
        "update_todo" => ("main", json!({ "id": id_of("add_todo"), "status": "in_progress" })),
        "complete_todo" => ("main", json!({ "id": id_of("add_todo") })),
        "tasks" => ("main", json!({ "action": "list", "status": "all" })),
        "add_to_calendar" => (
            "main",
            json!({ "title": "Harvest", "start": "2030-07-01T09:00", "duration": "2h", "recurrence": "FREQ=YEARLY" }),
        ),
        "check_calendar" => ("main", json!({ "from": "2030-01-01", "to": "2033-01-01" })),
        "remove_from_calendar" => {
            ("main", json!({ "id": id_of("add_to_calendar"), "occurrence": "2031-07-01T09:00" }))
        }
        "heartbeat_set" => {
            ("main", json!({ "principal": "ben", "autonomy": "suggest", "channels": ["list"] }))
        }
        "heartbeat_tick" => ("main", json!({ "principal": "ben" })),
        "heartbeat_peek" => ("main", json!({ "principal": "ben", "at": "2030-01-01T09:00" })),
        "heartbeat_explain" => ("main", json!({ "receipt": seen["heartbeat_tick"]["receipt"] })),
        // Another operator, whom the agent has not met either.
        "heartbeat_gate" => ("second", json!({})),
        "receipt_list" => ("main", json!({ "principal": "ben" })),
        "receipt_show" => ("main", json!({ "id": seen["heartbeat_tick"]["receipt"] })),
        "nudges" | "nudge_list" => ("main", json!({ "principal": "ben" })),
        "nudge_answer" => {
            ("main", json!({ "id": seen["heartbeat_tick"]["nudge"]["id"], "answer": "hello to you" }))
        }
        "nudge_dismiss" => ("second", json!({ "id": seen["heartbeat_gate"]["nudges"][0]["id"] })),
        "heartbeat_snooze" => ("main", json!({ "for": "2h" })),
        "heartbeat_simulate" => ("main", json!({ "principal": "ben", "days": 2, "persona": "ignores" })),
        "heartbeat_status" | "heartbeat_mute" | "heartbeat_unmute" => ("main", json!({})),
        "heartbeat_pause" | "heartbeat_resume" => ("", json!({})),
        "context" => ("main", json!({ "query": "what about the bees?", "principal": "operator" })),
        "agent_create" => ("", json!({ "name": "second", "zone": "Europe/Berlin" })),
        "agent_show" => ("second", json!({})),
        "agent_set" => ("second", json!({ "family": true })),
        "document_show" => ("main", json!({ "name": "CONTEMPLATION.md" })),
        "document_set" => ("main", json!({ "name": "CONTEMPLATION.md", "content": "Think of the bees." })),
        "key_create" => {
            ("", json!({ "name": "reader", "agent": "second", "speaks_as": "host", "scopes": ["read"] }))
        }
        "key_revoke" => ("", json!({ "id": id_of("key_create") })),
        "agent_list" | "key_list" | "status" | "verify" | "duty_list" | "backup" => ("", json!({})),
        "audit" => ("main", json!({ "list": 3 })),
        "import" => {
            ("", json!({ "agent": "main", "name": "MEMORY.md", "text": "- The gate code changed last May" }))
        }
        "import_list" => ("main", json!({})),
        "import_undo" => ("main", json!({ "id": seen["import"]["run"] })),
        "export" => ("", json!({ "agents": ["second"] })),
        "model_embed" => ("", json!({ "most": 10, "anew": true })),
        "doctor" | "events" => ("main", json!({})),
        "duty_requeue" | "duty_cancel" => ("", json!({ "id": seen["duty_list"]["duties"][0]["id"] })),
        _ => return None,
    })
}

/// The memory that what was captured became.
fn captured_memory(seen: &Seen) -> Value {
    seen["inbox_capture"]["candidates"][0]["memory"].clone()
}

/// What only the agent itself may do; all else is asked as the operator.
fn speaker(operation: &str) -> &'static str {
    match operation {
        "assign_relationship" | "conversation_exchange" | "self_care" => "agent",
        _ => "operator",
    }
}

pub fn guest(operation: &str) -> Guest {
    if speaker(operation) == "agent" { Guest::agent() } else { Guest::owner() }
}

/// A way in: takes an operation, an agent and a request.
type Door<'d> = &'d dyn Fn(&'static Entry, &str, Value) -> Result<Value, Failure>;

/// Asks everything in the order of the table; gives what was answered, ids and times replaced.
fn walk(door: Door<'_>) -> Vec<String> {
    let mut seen = Seen::new();
    let mut names = Names::default();
    let mut told = Vec::new();
    for entry in TABLE {
        let (agent, request) = sample(entry.name, &seen)
            .unwrap_or_else(|| panic!("operation {} has no sample here", entry.name));
        // Shown when it fails: where it was.
        println!("{}", entry.name);
        let reply = door(entry, agent, request)
            .unwrap_or_else(|failure| panic!("{} was refused: {failure:?}", entry.name));
        told.push(format!("{}: {}", entry.name, names.replaced(&comparable(&reply).to_string())));
        seen.insert(entry.name, reply);
    }
    told
}

/// Without what differs from run to run however equal the doors are.
fn comparable(reply: &Value) -> Value {
    let mut reply = reply.clone();
    without_clocks(&mut reply);
    without_costs(reply)
}

/// How long something took, what chance began from, how often a heart beats in what is left of a day, and the hours in what is explained.
fn without_clocks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["took_micros", "duration_ms", "seed", "archive", "sha256", "bytes"] {
                fields.remove(name);
            }
            if let (true, Some(Value::String(text))) = (fields.contains_key("acts"), fields.get_mut("text")) {
                text.retain(|letter| !letter.is_ascii_digit());
            }
            // A duty of every minute may fall due under way.
            if fields.get("rhythm").is_some_and(|rhythm| rhythm == "every 1m") {
                fields.retain(|name, _| ["id", "kind", "rhythm"].contains(&name.as_str()));
            }
            if fields.contains_key("in_quiet_hours") {
                fields.remove("ticks");
            }
            fields.values_mut().for_each(without_clocks);
        }
        Value::Array(values) => values.iter_mut().for_each(without_clocks),
        _ => {}
    }
}

/// Ids are part of what a context costs, and here every door has its own.
fn without_costs(mut reply: Value) -> Value {
    let costs = |fields: &mut Value| {
        for cost in ["tokens", "room"] {
            fields.as_object_mut().and_then(|fields| fields.remove(cost));
        }
    };
    costs(&mut reply);
    let sections = reply.get_mut("sections").and_then(Value::as_array_mut);
    sections.into_iter().flatten().for_each(costs);
    reply
}

/// Asks everything with a field too many; gives the refusals.
fn walk_with_nonsense(door: Door<'_>) -> Vec<String> {
    let ids: Seen = [
        ("remember", json!({ "id": "mem_00000000000000000000000000" })),
        ("add_to_longterm_memory", json!({ "id": "mem_00000000000000000000000000" })),
        ("observations", json!({ "observations": [{ "id": "obs_00000000000000000000000000" }] })),
        (
            "inbox_capture",
            json!({ "candidates": [
                { "memory": "mem_00000000000000000000000000" },
                { "id": "can_00000000000000000000000000" },
            ] }),
        ),
        ("forget", json!({ "erasure": "era_00000000000000000000000000" })),
        ("reflection_add", json!({ "id": "ref_00000000000000000000000000" })),
        ("lesson_add", json!({ "id": "les_00000000000000000000000000" })),
        ("add_to_soul", json!({ "id": "sou_00000000000000000000000000" })),
        ("add_todo", json!({ "id": "tdo_00000000000000000000000000" })),
        ("add_to_calendar", json!({ "id": "cal_00000000000000000000000000" })),
        ("key_create", json!({ "id": "key_00000000000000000000000000" })),
        ("entity_add", json!({ "id": "ent_00000000000000000000000000" })),
        ("conversation_open", json!({ "id": "cnv_00000000000000000000000000" })),
        ("neural_link_request_memory", json!({ "id": "lnk_00000000000000000000000000" })),
        ("duty_list", json!({ "duties": [{ "id": "dut_00000000000000000000000000" }] })),
        (
            "heartbeat_tick",
            json!({ "receipt": "rcp_00000000000000000000000000",
                "nudge": { "id": "nud_00000000000000000000000000" } }),
        ),
        ("episode_list", json!({ "episodes": [{ "id": "epi_00000000000000000000000000" }] })),
        ("work_list", json!({ "work": [{ "id": "wrk_00000000000000000000000000" }] })),
        ("self_care", json!({ "summaries": ["sum_00000000000000000000000000"] })),
        ("import", json!({ "run": "run_00000000000000000000000000" })),
        ("heartbeat_gate", json!({ "nudges": [{ "id": "nud_00000000000000000000000000" }] })),
    ]
    .into();
    let refusal = |entry: &'static Entry| {
        let (agent, mut request) = sample(entry.name, &ids)?;
        // The agent is looked for first, and here no other was made.
        let agent = if agent.is_empty() { "" } else { "main" };
        request["nonsense"] = "1".into();
        let failure = door(entry, agent, request)
            .err()
            .unwrap_or_else(|| panic!("{} took a field that it does not know", entry.name));
        assert!(failure.detail.contains("nonsense"), "{}: {failure:?}", entry.name);
        Some(format!("{}: {failure:?}", entry.name))
    };
    TABLE.iter().filter_map(refusal).collect()
}

/// Ids are numbered in the order in which they are met, so that equal stories read equal.
#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn replaced(&mut self, text: &str) -> String {
        let part_of_word = |c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c);
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c: char| part_of_word(c) != part_of_word(first));
            let (word, more) = rest.split_at(end.unwrap_or(rest.len()));
            out += &self.word(word);
            rest = more;
        }
        out
    }

    fn word(&mut self, word: &str) -> String {
        if word.starts_with("ssk_") {
            return "SECRET".into();
        }
        if word.ends_with('Z') && word.contains('T') && word.starts_with("20") {
            return "TIME".into();
        }
        if word.starts_with(".tmp") {
            return "FOLDER".into();
        }
        if word.starts_with("selfsame-20") && word.ends_with(".db") {
            return "selfsame-TIME.db".into();
        }
        if word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return "HASH".into();
        }
        // Who did it: operator:pri_...
        if let Some((role, who)) = word.split_once(':') {
            return format!("{role}:{}", self.word(who));
        }
        match word.split_once('_') {
            Some((kind, id)) if kind.len() == 3 && id.len() == 26 => {
                let count = self.0.len();
                let number = *self.0.entry(word.to_owned()).or_insert(count);
                format!("{kind}_{number}")
            }
            _ => word.to_owned(),
        }
    }
}

/// No heart beats unless it is asked to, and there are no quiet hours: what it says must not depend on when this runs.
fn by_day_and_by_hand(settings: &mut Settings) {
    settings.heartbeat.enabled = false;
    // So that there is something to fold.
    settings.self_care.least = 1;
    let periods = &mut settings.heartbeat.rules.periods;
    periods[Period::Quiet as usize].from = periods[Period::Morning as usize].from;
}

/// A mind in this process that was made as the daemon makes it.
fn with_mind<T>(work: impl FnOnce(&Mind) -> T) -> T {
    with_mind_in(|mind, _| work(mind))
}

/// The same with the folder that it is in.
pub fn with_mind_in<T>(work: impl FnOnce(&Mind, &Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let home = home_in(&folder, by_day_and_by_hand);
    let data = DataFolder::create(&home.data).unwrap();
    let mind = Opening::new(home.settings).open(&data).unwrap();
    mind.ensure_agent("main").unwrap();
    mind.ensure_house_duties().unwrap();
    let request = CreateKeyRequest {
        name: "operator".into(),
        agent: None,
        speaks_as: "operator".into(),
        principal: None,
        scopes: vec!["read".into(), "write".into(), "admin".into()],
    };
    let agents = CreateKeyRequest {
        name: "agent".into(),
        speaks_as: "agent".into(),
        scopes: vec!["read".into(), "write".into()],
        ..request.clone()
    };
    let entry = Entry::find(CreateKey::NAME).unwrap();
    for request in [request, agents] {
        entry.call(&mind, &Guest::owner(), "", None, serde_json::to_value(request).unwrap()).unwrap();
    }
    work(&mind, folder.path())
}

fn in_process(mind: &Mind, entry: &'static Entry, agent: &str, request: Value) -> Result<Value, Failure> {
    let answer = entry.call(mind, &guest(entry.name), agent, None, request)?;
    assert!(!answer.text.is_empty(), "{} says nothing", entry.name);
    Ok(answer.reply)
}

fn by_http(house: &House, entry: &'static Entry, agent: &str, request: Value) -> Result<Value, Failure> {
    let Value::Object(mut fields) = request else {
        panic!("a request is an object");
    };
    let mut path = filled_in(entry.route.path, agent, &mut fields);
    let method = entry.route.method;
    if method != Method::Post && !fields.is_empty() {
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", written(value))).collect();
        path = format!("{path}?{}", pairs.join("&"));
    }
    let mut ask = house.ask_as(speaker(entry.name), method.as_str(), &path);
    if method == Method::Post {
        ask = ask.json(&fields.into());
    }
    let reply = ask.send();
    if reply.status == 200 {
        return Ok(reply.json());
    }
    let problem = reply.json();
    let text = |name: &str| problem[name].as_str().unwrap().to_owned();
    Err(Failure::new(reply.status, &text("code"), text("detail")))
}

/// As a query has it.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn filled_in(path: &str, agent: &str, fields: &mut Map<String, Value>) -> String {
    let parts = path.split('/').map(|part| match part {
        "{agent}" => agent.to_owned(),
        part => match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => fields.remove(name).unwrap().as_str().unwrap().to_owned(),
            None => part.to_owned(),
        },
    });
    parts.collect::<Vec<_>>().join("/")
}

fn by_socket(house: &House, entry: &'static Entry, agent: &str, request: &Value) -> Result<Value, Failure> {
    Ok(house.backend_as(speaker(entry.name)).call_entry(entry, agent, request)?.reply)
}

/// As a tool where it is one, and over HTTP where it is none.
fn by_mcp(house: &House, entry: &'static Entry, agent: &str, request: Value) -> Result<Value, Failure> {
    if entry.tool.is_none() {
        return by_http(house, entry, agent, request);
    }
    let params = json!({ "name": entry.name, "arguments": request });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let reply = house
        .ask_as(speaker(entry.name), "POST", &format!("/mcp?profile=mind&agent={agent}"))
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .json(&body)
        .send();
    assert_eq!(reply.status, 200, "{reply:?}");
    let answer = reply.rpc();
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    if result["isError"] != true {
        assert!(!text.is_empty(), "{} says nothing", entry.name);
        return Ok(result["structuredContent"].clone());
    }
    let refusal = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    let (detail, code) = refusal.unwrap_or_else(|| panic!("{} refuses without a code: {text}", entry.name));
    Err(Failure::new(400, code, detail))
}

/// Parts of the day begin, and duties fall due, on quarters of an hour: what was walked across one is walked again.
fn within_a_quarter<T>(walk: impl Fn() -> T) -> T {
    let quarter = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 900;
    loop {
        let (begun, walked) = (quarter(), walk());
        if quarter() == begun {
            return walked;
        }
    }
}

#[test]
fn every_operation_answers_alike_at_every_door() {
    let (here, http, socket, tools) = within_a_quarter(|| {
        let here = with_mind(|mind| walk(&|entry, agent, request| in_process(mind, entry, agent, request)));
        let house = House::with(by_day_and_by_hand);
        house.with_agents_key();
        let http = walk(&|entry, agent, request| by_http(&house, entry, agent, request));
        let house = House::with(by_day_and_by_hand);
        house.with_agents_key();
        let socket = walk(&|entry, agent, request| by_socket(&house, entry, agent, &request));
        let house = House::with(by_day_and_by_hand);
        house.with_agents_key();
        (here, http, socket, walk(&|entry, agent, request| by_mcp(&house, entry, agent, request)))
    });
    assert_eq!(here, http, "in this process and by HTTP");
    assert_eq!(here, socket, "in this process and by the socket");
    assert_eq!(here, tools, "in this process and by MCP");
}

#[test]
fn every_operation_refuses_alike_at_every_door() {
    let here = with_mind(|mind| {
        walk_with_nonsense(&|entry, agent, request| in_process(mind, entry, agent, request))
    });
    let house = House::open();
    house.with_agents_key();
    let http = walk_with_nonsense(&|entry, agent, request| by_http(&house, entry, agent, request));
    assert_eq!(here, http, "in this process and by HTTP");
    let socket = walk_with_nonsense(&|entry, agent, request| by_socket(&house, entry, agent, &request));
    assert_eq!(here, socket, "in this process and by the socket");
    let tools = walk_with_nonsense(&|entry, agent, request| by_mcp(&house, entry, agent, request));
    assert_eq!(here, tools, "in this process and by MCP");
}

#[test]
fn the_reply_in_words_is_the_same_with_and_without_a_daemon() {
    let words = |entry: &'static Entry, seen: &Seen| sample(entry.name, seen).unwrap();
    let recall = Entry::find("recall").unwrap();
    let (agent, request) = words(recall, &Seen::new());
    let house = House::open();
    let remote = house.backend().call_entry(recall, agent, &request).unwrap();
    let local = with_mind(|mind| recall.call(mind, &Guest::owner(), agent, None, request).unwrap());
    assert_eq!(local, remote);
}

#[test]
fn names_and_places_are_taken_once() {
    let names: BTreeSet<&str> = TABLE.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), TABLE.len(), "a name is used twice");
    let places: BTreeSet<(&str, &str)> =
        TABLE.iter().map(|entry| (entry.route.method.as_str(), entry.route.path)).collect();
    assert_eq!(places.len(), TABLE.len(), "a method and path are used twice");
}

#[test]
fn every_entry_keeps_the_rules_of_the_table() {
    for entry in TABLE {
        let name = entry.name;
        assert!(entry.route.path.starts_with("/v1/"), "{name}");
        assert!(!entry.summary.trim().is_empty(), "{name} has no summary");
        if entry.scope == Scope::Admin {
            assert_eq!(entry.tool, None, "{name}: administration is not for models");
        }
        let schema = entry.request_schema().to_value();
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name} takes fields that it does not know");
        assert_eq!(entry.reply_schema().to_value()["type"], "object", "{name}");
    }
}

#[test]
fn what_a_tool_promises_fits_what_it_needs() {
    for entry in TABLE {
        let Some(tool) = entry.tool else { continue };
        let reads = entry.scope == Scope::Read;
        assert_eq!(tool.read_only, reads, "{}", entry.name);
        assert!(!(tool.read_only && tool.destructive), "{}", entry.name);
    }
}

/// The tools that an agent of the cognition stack knows by name.
const SEED_TOOLS: [&str; 18] = [
    "self_care",
    "add_to_longterm_memory",
    "remove_from_longterm_memory",
    "retrieve",
    "add_to_soul",
    "remove_from_soul",
    "write_diary",
    "search_diary_for_keywords",
    "show_diary_entries_from_day",
    "add_todo",
    "complete_todo",
    "list_todo",
    "add_to_calendar",
    "check_calendar",
    "remove_from_calendar",
    "assign_relationship",
    "why",
    "feedback",
];

#[test]
fn a_profile_lists_its_tools_in_the_order_of_the_table() {
    let names = |profile| mcp::tools(profile).iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    assert_eq!(
        names(Profile::Core),
        ["remember", "recall", "observations", "tasks", "work", "context", "nudges"]
    );
    let mind = names(Profile::Mind);
    let listed = |name: &str| mind.iter().filter(|tool| *tool == name).count();
    for name in SEED_TOOLS {
        assert_eq!(listed(name), 1, "{name}");
    }
    let in_table: Vec<&str> =
        TABLE.iter().filter(|entry| entry.tool.is_some()).map(|entry| entry.name).collect();
    assert_eq!(mind, in_table);
}

/// Schemas cost context in every conversation: what everybody is shown stays small.
#[test]
fn the_core_profile_costs_less_than_three_thousand_tokens() {
    let tools = serde_json::to_string(&mcp::tools(Profile::Core)).unwrap();
    let tokens = selfsame::tokens::count(&tools);
    assert!(tokens < 3000, "{tokens} tokens");
    assert!(mcp::tools(Profile::Mind).iter().all(|tool| tool.output_schema.is_some()));
}

/// What a model is shown is a promise: its every change is seen in a file. `SELFSAME_TEST_SNAPSHOTS=write` writes them anew.
fn held_against(file: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(file);
    let lines: Vec<String> = match value {
        Value::Object(fields) => fields.iter().map(|(name, one)| format!("{}: {one}", json!(name))).collect(),
        list => list.as_array().unwrap().iter().map(Value::to_string).collect(),
    };
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    // A line for each, so that a change shows where it is.
    let now = format!("{open}\n{}\n{close}\n", lines.join(",\n"));
    if std::env::var("SELFSAME_TEST_SNAPSHOTS").is_ok_and(|what| what == "write") {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let first = kept.lines().zip(now.lines()).position(|(kept, now)| kept != now);
    let line = first.unwrap_or_else(|| kept.lines().count().min(now.lines().count()));
    assert!(
        kept == now,
        "{file} differs from line {}: {:?} was {:?}; if that is meant, run with SELFSAME_TEST_SNAPSHOTS=write",
        line + 1,
        now.lines().nth(line),
        kept.lines().nth(line)
    );
}

#[test]
fn the_tools_and_their_schemas_are_as_they_were() {
    let tools = |profile| serde_json::to_value(mcp::tools(profile)).unwrap();
    held_against("tools_core.json", &tools(Profile::Core));
    held_against("tools_mind.json", &tools(Profile::Mind));
}

/// Of each place the method, the name, the scope, and which fields are asked and answered; their schemas are the tools'.
#[test]
fn the_places_of_http_are_as_they_were() {
    let names = |schema: Value| {
        let fields = schema["properties"].as_object().into_iter().flatten();
        fields.map(|(name, _)| name.clone()).collect::<Vec<_>>().join(" ")
    };
    let places = TABLE.iter().map(|entry| {
        let place = format!("{} {}", entry.route.method.as_str(), entry.route.path);
        let asked = names(entry.request_schema().to_value());
        let answered = names(entry.reply_schema().to_value());
        let told = json!({ "operation": entry.name, "scope": entry.scope.as_str(), "asked": asked, "answered": answered });
        (place, told)
    });
    held_against("places.json", &places.collect::<Map<_, _>>().into());
}

#[test]
fn a_tool_says_of_itself_what_the_table_says() {
    for tool in mcp::tools(Profile::Mind) {
        let entry = Entry::find(&tool.name).unwrap();
        let told = entry.tool.unwrap();
        assert_eq!(tool.description.as_deref(), Some(entry.summary));
        assert_eq!(Value::Object((*tool.input_schema).clone()), entry.request_schema().to_value());
        let hints = tool.annotations.clone().unwrap();
        assert_eq!(hints.read_only_hint, Some(told.read_only), "{}", tool.name);
        assert_eq!(hints.destructive_hint, Some(told.destructive), "{}", tool.name);
        assert_eq!(hints.idempotent_hint, Some(told.idempotent), "{}", tool.name);
        assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
    }
}

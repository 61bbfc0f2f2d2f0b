//! Every operation of the table, asked at every door: the answers must be the same.

use crate::house::{House, home_in};
use crate::samples::{Names, comparable, filled_in, speaker, written};
pub use crate::samples::{Seen, sample};
use selfsame::config::Settings;
use selfsame::heartbeat::Period;
use selfsame::key::Scope;
use selfsame::{DataFolder, Mind, Opening};
use selfsame_daemon::operations::key::{CreateKey, CreateKeyRequest};
use selfsame_daemon::operations::{Entry, Method, Operation, Profile, TABLE};
use selfsame_daemon::{Failure, Guest, mcp};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

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

//! What every operation is asked where all of them are walked, and how two such stories are compared. The executable's tests
//! read this file too: a command is one more door.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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
pub fn speaker(operation: &str) -> &'static str {
    match operation {
        "assign_relationship" | "conversation_exchange" | "self_care" => "agent",
        _ => "operator",
    }
}

/// Without what differs from run to run however equal the doors are.
pub fn comparable(reply: &Value) -> Value {
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
            // An archive counts the rows of an agent, and its heart or a duty may write one more under way.
            if fields.contains_key("memories") {
                fields.remove("rows");
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

/// Ids are numbered in the order in which they are met, so that equal stories read equal.
#[derive(Default)]
pub struct Names(BTreeMap<String, usize>);

impl Names {
    pub fn replaced(&mut self, text: &str) -> String {
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

/// As a query has it.
pub fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn filled_in(path: &str, agent: &str, fields: &mut Map<String, Value>) -> String {
    let parts = path.split('/').map(|part| match part {
        "{agent}" => agent.to_owned(),
        part => match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => fields.remove(name).unwrap().as_str().unwrap().to_owned(),
            None => part.to_owned(),
        },
    });
    parts.collect::<Vec<_>>().join("/")
}

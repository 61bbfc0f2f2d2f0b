//! A mind that leaves and arrives over HTTP, and tools of MCP whose effects are held against those of HTTP.

use crate::house::{Ask, House, connect};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use selfsame_daemon::operations::moving::{ExportMind, ExportRequest, ImportMind, ImportRequest};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};

const FILE: &str = "application/zip";

/// The head of an answer and its bytes, whatever they are.
fn fetched(ask: Ask) -> (String, Vec<u8>) {
    let ask = ask.header("connection", "close");
    let mut stream = connect(ask.address());
    stream.write_all(&ask.bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_ascii_lowercase();
    assert!(!head.contains("transfer-encoding"), "{head}");
    (head, bytes.split_off(end + 4))
}

fn export(house: &House) -> Ask {
    house.ask("POST", "/v1/export").json(&json!({ "agents": ["main"] }))
}

fn remember(house: &House, agent: &str, words: &str) -> String {
    let path = format!("/v1/agents/{agent}/memories");
    let stored = house.ask("POST", &path).json(&json!({ "content": words })).send();
    assert_eq!(stored.status, 200, "{stored:?}");
    stored.json()["id"].as_str().unwrap().to_owned()
}

/// The archive as a file over HTTP, as JSON over HTTP, and as the command line has it written; all of one state, since a
/// daemon may be at work meanwhile.
fn exported(house: &House) -> (String, Vec<u8>, Value, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    for count in 0..20 {
        let (head, file) = fetched(export(house).header("accept", FILE));
        let told = export(house).send();
        assert_eq!(told.status, 200, "{told:?}");
        let place = folder.path().join(format!("{count}.zip"));
        let request = ExportRequest {
            agents: vec!["main".into()],
            to: Some(place.display().to_string()),
            ..ExportRequest::default()
        };
        house.backend().call::<ExportMind>("", &request).unwrap();
        if fetched(export(house).header("accept", FILE)).1 == file {
            return (head, file, told.json(), fs::read(place).unwrap());
        }
    }
    panic!("it never stands still");
}

#[test]
fn an_archive_is_fetched_and_brought_into_another_house() {
    let house = House::open();
    remember(&house, "main", "The lighthouse keeper paints in oil");
    remember(&house, "main", "Bread needs salt; „naïve“ 日本");
    let (head, file, told, written) = exported(&house);
    assert!(head.starts_with("http/1.1 200"), "{head}");
    for line in [
        "content-type: application/zip",
        "content-disposition: attachment; filename=\"selfsame-export.zip\"",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
    ] {
        assert!(head.contains(&format!("\r\n{line}")), "{line}: {head}");
    }
    assert!(file.starts_with(b"PK"), "{:?}", &file[..8.min(file.len())]);
    assert!(file == written, "the file of HTTP is that of the command line");
    assert!(STANDARD.decode(told["archive"].as_str().unwrap()).unwrap() == file, "as is the one in JSON");
    assert_eq!(told["bytes"], file.len());
    // Elsewhere: looked at, read in, the same again.
    let other = House::open();
    let import = |house: &House, more: &[(&str, Value)]| {
        let mut request = json!({ "base64": STANDARD.encode(&file) });
        for (name, value) in more {
            request[*name] = value.clone();
        }
        house.ask("POST", "/v1/import").json(&request).send()
    };
    let looked = import(&other, &[("dry_run", true.into())]);
    assert_eq!((looked.status, &looked.json()["outcome"]), (200, &"would_import".into()), "{looked:?}");
    assert_eq!(other.memories(), 0);
    let came = import(&other, &[]);
    assert_eq!((came.status, &came.json()["outcome"]), (200, &"imported".into()), "{came:?}");
    assert_eq!(came.json()["agents"][0]["memories"], 2, "{came:?}");
    assert!(exported(&other).1 == file, "what came is what left");
    let asked = other.ask("POST", "/v1/agents/main/recall").json(&json!({ "query": "who paints in oil?" }));
    assert!(asked.send().text.contains("lighthouse keeper"));
    // One mind has one home, under whichever name.
    let again = import(&other, &[("rename", "second".into())]);
    assert_eq!(again.status, 409, "{again:?}");
    // What is no archive, or one with a byte turned, changes nothing.
    let mut turned = file.clone();
    let middle = turned.len() / 2;
    turned[middle] ^= 0x40;
    let third = House::open();
    for bad in [turned, file[..file.len() / 2].to_vec()] {
        let refused = third.ask("POST", "/v1/import").json(&json!({ "base64": STANDARD.encode(bad) })).send();
        assert_eq!(refused.status, 400, "{refused:?}");
    }
    let refused = third.ask("POST", "/v1/import").json(&json!({ "base64": "no base64!" })).send();
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(third.memories(), 0);
}

#[test]
fn who_may_not_have_the_house_gets_no_file() {
    let house = House::open();
    remember(&house, "main", "The zanzibarium opens at noon");
    let keys = [
        house.key("writer", None, "operator", &["read", "write"]).secret,
        house.key("bound", Some("main"), "operator", &["read", "write", "admin"]).secret,
        "ssk_nobody".to_owned(),
    ];
    for key in &keys {
        for ask in [export(&house).header("accept", FILE), export(&house)] {
            let (head, body) = fetched(ask.key(key));
            assert!(head.starts_with("http/1.1 40"), "{head}");
            assert!(head.contains("application/problem+json"), "{head}");
            assert!(!String::from_utf8_lossy(&body).contains("zanzibarium") && !body.starts_with(b"PK"));
        }
        let sent = json!({ "agent": "main", "name": "MEMORY.md", "text": "- Brought by a stranger" });
        let refused = house.ask("POST", "/v1/import").json(&sent).key(key).send();
        assert!(matches!(refused.status, 401 | 403), "{refused:?}");
    }
    let filed = house.ask("GET", "/v1/agents/main/inbox").send();
    assert!(!filed.text.contains("stranger"), "{filed:?}");
}

#[test]
fn a_path_of_the_machine_is_for_who_is_at_home() {
    let house = House::open();
    remember(&house, "main", "Bread needs salt");
    let folder = tempfile::tempdir().unwrap();
    let (place, notes) = (folder.path().join("mind.zip"), folder.path().join("MEMORY.md"));
    fs::write(&notes, "- The gate code changed in spring\n").unwrap();
    // The key that may do everything may not name a path either: neither one that is there nor one that is not.
    for form in ["archive", "markdown", "journal"] {
        let asked = json!({ "agents": ["main"], "form": form, "to": place.display().to_string() });
        for accept in [FILE, "application/json"] {
            let refused = house.ask("POST", "/v1/export").json(&asked).header("accept", accept).send();
            assert_eq!((refused.status, refused.code().as_str()), (403, "not_at_home"), "{refused:?}");
        }
        assert!(!place.exists());
    }
    for path in [notes.display().to_string(), "/etc/passwd".into(), "/nowhere/at/all".into()] {
        let asked = json!({ "agent": "main", "path": path });
        let refused = house.ask("POST", "/v1/import").json(&asked).send();
        assert_eq!((refused.status, refused.code().as_str()), (403, "not_at_home"), "{refused:?}");
        assert!(!refused.text.contains(&path), "{refused:?}");
    }
    // Whoever has the folder's own rights may.
    let request = ExportRequest { to: Some(place.display().to_string()), ..ExportRequest::default() };
    house.backend().call::<ExportMind>("", &request).unwrap();
    assert!(place.is_file());
    let request = ImportRequest {
        agent: Some("main".into()),
        path: Some(notes.display().to_string()),
        ..ImportRequest::default()
    };
    assert_eq!(house.backend().call::<ImportMind>("", &request).unwrap().filed, 1);
}

/// How a tool is used: by MCP, or by the route of the same operation.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Door {
    Mcp,
    Http,
}

/// Uses a tool as an agent, or as its operator.
fn used(house: &House, door: Door, speaker: &str, agent: &str, tool: &str, asked: &Value) -> Value {
    let entry = selfsame_daemon::operations::TABLE.iter().find(|entry| entry.name == tool).unwrap();
    let reply = match door {
        Door::Mcp => {
            let params = json!({ "name": tool, "arguments": asked });
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            let path = format!("/mcp?agent={agent}&profile=mind");
            let ask = house.ask_as(speaker, "POST", &path).json(&body);
            ask.header("accept", "application/json, text/event-stream")
                .header("mcp-protocol-version", "2025-11-25")
                .send()
        }
        Door::Http => {
            let (mut path, mut asked) = (entry.route.path.replace("{agent}", agent), asked.clone());
            for (name, value) in asked.clone().as_object().unwrap() {
                let slot = format!("{{{name}}}");
                if path.contains(&slot) {
                    path = path.replace(&slot, value.as_str().unwrap());
                    asked.as_object_mut().unwrap().remove(name);
                }
            }
            let ask = house.ask_as(speaker, entry.route.method.as_str(), &path);
            match entry.route.method.as_str() {
                "GET" => ask.send(),
                _ => ask.json(&asked).send(),
            }
        }
    };
    assert_eq!(reply.status, 200, "{tool} by {door:?}: {reply:?}");
    match door {
        Door::Http => reply.json(),
        Door::Mcp => {
            let result = reply.rpc()["result"].clone();
            assert_ne!(result["isError"], true, "{tool}: {result}");
            result["structuredContent"].clone()
        }
    }
}

/// What an agent has in mind, in its words and without ids: each memory with its state and who brought it.
fn in_mind(house: &House, agent: &str) -> Vec<[String; 3]> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for state in ["active", "stale", "archived", "resolved"] {
        let path = format!("/v1/agents/{agent}/memories?state={state}&limit=200");
        let list = house.ask("GET", &path).send();
        assert_eq!(list.status, 200, "{list:?}");
        let memories = list.json()["memories"].as_array().unwrap().clone();
        let row =
            |memory: &Value| [text(&memory["content"]), text(&memory["state"]), text(&memory["author"])];
        found.extend(memories.iter().map(row));
    }
    found.sort();
    found
}

fn finds(house: &House, agent: &str, question: &str, word: &str) -> bool {
    let asked = house.ask("POST", &format!("/v1/agents/{agent}/recall")).json(&json!({ "query": question }));
    asked.send().text.contains(word)
}

/// Two agents share, take back, forget and tidy up; gives what was to be seen after each step.
fn lived(door: Door) -> Vec<Vec<[String; 3]>> {
    let house = House::with(|settings| settings.self_care.least = 30);
    house.with_agents_key();
    house.agent("second");
    let mut seen = Vec::new();
    remember(&house, "main", "The lighthouse keeper paints in oil");
    let secret = remember(&house, "main", "The zanzibarium opens at noon");
    // The second asks, the first gives.
    let asked =
        used(&house, door, "agent", "second", "neural_link_request_memory", &json!({ "target": "main" }));
    let shared = json!({ "request": asked["id"] });
    used(&house, door, "agent", "main", "neural_link_share_memory", &shared);
    assert!(finds(&house, "second", "who paints in oil?", "lighthouse keeper"), "{door:?}");
    seen.push(in_mind(&house, "second"));
    assert!(finds(&house, "second", "what opens at noon?", "zanzibarium"), "{door:?}");
    // What is forgotten here is forgotten where it was given.
    used(&house, door, "operator", "main", "forget", &json!({ "id": secret }));
    for agent in ["main", "second"] {
        assert!(!finds(&house, agent, "what opens at noon?", "zanzibarium"), "{agent}");
        seen.push(in_mind(&house, agent));
    }
    let gone = house.ask("GET", &format!("/v1/agents/main/memories/{secret}")).send();
    assert_eq!(gone.status, 404, "{gone:?}");
    // What was given is taken back.
    used(&house, door, "agent", "main", "neural_link_revoke", &json!({ "link": asked["id"] }));
    assert!(!finds(&house, "second", "who paints in oil?", "lighthouse keeper"), "{door:?}");
    seen.push(in_mind(&house, "second"));
    // And what is old is folded.
    (0..40).for_each(|n| {
        remember(&house, "main", &format!("Crate {n} of the orchard has {} apples", n * 7));
    });
    let cared = used(&house, door, "agent", "main", "self_care", &json!({}));
    assert_eq!(cared["summaries"].as_array().map(Vec::len), Some(1), "{cared}");
    seen.push(in_mind(&house, "main"));
    let summaries = house.ask("GET", "/v1/agents/main/summaries").send().json();
    let first = &summaries["summaries"][0];
    seen.push(vec![[
        first["content"].as_str().unwrap().into(),
        first["memories"].to_string(),
        String::new(),
    ]]);
    seen
}

#[test]
fn what_tools_of_mcp_do_is_done() {
    let by_mcp = lived(Door::Mcp);
    let [given, here, there, back, tidy, summary] = by_mcp.as_slice() else { panic!("{by_mcp:?}") };
    let row =
        |words: &str, state: &str, author: &str| [words.to_owned(), state.to_owned(), author.to_owned()];
    let keeper = "The lighthouse keeper paints in oil";
    let copy = row(keeper, "active", "link");
    assert_eq!(given, &[copy.clone(), row("The zanzibarium opens at noon", "active", "link")]);
    assert_eq!(here, &[row(keeper, "active", "principal")]);
    assert_eq!(there, &[copy]);
    assert_eq!(back, &Vec::<[String; 3]>::new());
    assert_eq!(tidy.iter().filter(|[_, state, _]| state == "archived").count(), 41, "{tidy:?}");
    assert!(!summary[0][0].is_empty(), "{summary:?}");
    assert_eq!(by_mcp, lived(Door::Http), "as the routes of the same operations do it");
}

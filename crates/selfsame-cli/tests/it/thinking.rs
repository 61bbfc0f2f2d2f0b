//! A person at the terminal who gives an agent time to think: with a program, with a real language model, with a server that
//! speaks like Ollama, and with the agent itself that comes for its work.

use crate::cli::{Ran, World, wait_until};
use serde_json::{Value, json as value};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

const EPISODE: &str = r#"I went over what is open.
[EPISODE_JSON]
{"type":"contemplation","trigger":"idle","observations":["The boiler plan has not been touched"],
"actions_taken":[],"tools_used":[],"outcome":{"result":"noticed","summary":"The boiler question is still open."},
"success":true,"mood":{"state":"curious","energy":"medium"},"valence":0.5,"arousal":0.3,"identity_links":[]}
[/EPISODE_JSON]"#;

/// Where a real language model answers; none is a failure.
fn language_model_url() -> String {
    std::env::var("SELFSAME_TEST_LLM").expect("SELFSAME_TEST_LLM is set: run `cargo xtask test`")
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.succeeds()).unwrap()
}

/// A program that reads the prompt and says this.
fn program(world: &World, says: &str) -> String {
    program_that(world, says, "")
}

/// A program that reads the prompt, does something by itself, and says this.
fn program_that(world: &World, says: &str, does: &str) -> String {
    let (path, prompt) = (world.path("think"), world.path("prompt"));
    fs::write(world.path("says"), says).unwrap();
    let (prompt, says) = (prompt.display(), world.path("says"));
    let script = format!("#!/bin/sh\ncat > {prompt}\n{does}\ncat {}\n", says.display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    format!("thinker.command=[\"{}\"]", path.display())
}

fn journal(world: &World) -> Vec<PathBuf> {
    let folder = world.data().join("agents/main/memory/contemplation");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_program_thinks_and_what_it_thought_is_kept() {
    let world = World::with_mind();
    world.remember("Find out why the boiler drips");
    let command = program(&world, EPISODE);
    let now = ["--json", "--set", "thinker.kind=command", "--set", &command, "contemplate", "now"];
    let reply = json(&world.run(&now));
    assert_eq!(reply["outcome"], "episode");
    let episode = &reply["episode"]["episode"];
    assert_eq!((episode["parse"].as_str(), episode["successful"].as_bool()), (Some("tagged"), Some(true)));
    let prompt = fs::read_to_string(world.path("prompt")).unwrap();
    assert!(prompt.contains("Find out why the boiler drips"), "{prompt}");
    let listed = world.run(&["episodes", "list"]).succeeds();
    assert!(listed.contains("The boiler question is still open."), "{listed}");
    let shown = world.run(&["episodes", "show", reply["episode"]["id"].as_str().unwrap()]).succeeds();
    assert!(shown.contains("I went over what is open."), "{shown}");
    let files = journal(&world);
    let line: Value = serde_json::from_str(fs::read_to_string(&files[0]).unwrap().trim()).unwrap();
    assert_eq!(line["id"], reply["episode"]["id"]);
    let recalled = world.run(&["recall", "is the boiler question open?"]).succeeds();
    assert!(recalled.contains("boiler"), "{recalled}");
    let status = world.run(&["contemplate", "status"]).succeeds();
    assert!(status.contains("set contemplation.enabled = true") && status.contains("done epi_"), "{status}");
}

#[test]
fn a_program_that_is_not_there_is_told_with_what_to_do() {
    let world = World::with_mind();
    let now = [
        "--set",
        "thinker.kind=command",
        "--set",
        r#"thinker.command=["/nowhere/think"]"#,
        "contemplate",
        "now",
    ];
    let told = world.run(&now).succeeds();
    assert!(told.contains("thinker.command") && told.contains("given up"), "{told}");
    let listed = world.run(&["work", "list"]).succeeds();
    assert!(listed.contains("dead"), "{listed}");
}

/// The smallest model there is: real, and not clever. Whatever it says is kept.
#[test]
fn a_real_model_thinks_and_whatever_it_says_is_kept() {
    let world = World::with_mind();
    world.remember("Find out why the boiler drips");
    let url = format!("thinker.url={}/v1", language_model_url());
    let reply = json(&world.run(&[
        "--json",
        "--set",
        "thinker.kind=model",
        "--set",
        "thinker.provider=openai",
        "--set",
        "thinker.model=smollm2",
        "--set",
        &url,
        "--set",
        "contemplation.max_tokens=100",
        "--set",
        "contemplation.budget_tokens=500",
        "contemplate",
        "now",
    ]));
    assert_eq!(reply["outcome"], "episode", "{reply}");
    let episode = &reply["episode"]["episode"];
    assert!(["tagged", "repaired", "fallback"].contains(&episode["parse"].as_str().unwrap()));
    assert!(!reply["episode"]["said"].as_str().unwrap().trim().is_empty());
    assert!(episode["tokens"].as_i64().unwrap() > 100, "{episode}");
    assert_eq!(fs::read_to_string(&journal(&world)[0]).unwrap().lines().count(), 1);
}

#[test]
fn the_agent_comes_for_its_work_with_no_model_at_all() {
    let world = World::with_mind();
    let said = ["conversation", "say", "I prefer green tea over coffee.", "--channel", "chat"];
    world.run(&said).succeeds();
    world.run(&["remember", "Find out why the boiler drips"]).succeeds();
    let asked = ["--json", "--set", "thinker.kind=agent", "contemplate", "now"];
    let waiting = json(&world.run(&asked));
    assert_eq!(waiting["outcome"], "waits");
    let agent = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["--json", "--as", "agent", "--set", "thinker.kind=agent"].iter().chain(more).copied().collect();
        world.run(&arguments)
    };
    let handed = json(&agent(&["work", "next"]));
    let (id, token) = (handed["work"]["id"].as_str().unwrap(), handed["work"]["token"].to_string());
    assert!(handed["work"]["material"].as_str().unwrap().contains("boiler"));
    assert_eq!(json(&agent(&["work", "next"]))["outcome"], "none", "it is taken");
    // What it claims to have used it did use, and that is in the record.
    agent(&["recall", "what about the boiler?"]).succeeds();
    let answer = EPISODE.replace(r#""tools_used":[]"#, r#""tools_used":["recall"]"#);
    fs::write(world.path("answer"), &answer).unwrap();
    let file = world.path("answer");
    let complete = ["work", "complete", id, "--token", &token, "--file", file.to_str().unwrap()];
    let done = json(&agent(&complete));
    assert_eq!(done["outcome"], "done", "{done}");
    let episode = json(&world.run(&["--json", "episodes", "show", done["episode"].as_str().unwrap()]));
    assert_eq!(episode["episode"]["why_not"], Value::Null, "{episode}");
    assert_eq!(json(&agent(&complete))["outcome"], "already", "the same again changes nothing");
    let wrong = agent(&["work", "complete", id, "--token", "99", "--file", file.to_str().unwrap()]);
    assert!(wrong.err.contains("not yours any more"), "{}", wrong.err);
    let record = world.run(&["work", "show", id]).succeeds();
    assert!(record.contains("recall ran"), "{record}");
}

/// A server that speaks Ollama's `/api/chat` as it is documented, and keeps what it was asked.
struct Ollama {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Ollama {
    /// To the small model it answers with questions, to any other with an episode.
    fn start() -> Ollama {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Value>>>::default();
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(request) = read_request(&stream) else { continue };
                let says = match request["model"].as_str() {
                    Some("qwen3:1.7b") => {
                        "Who else has a boiler that drips?\nWhat would a plumber look at first?"
                    }
                    _ => EPISODE,
                };
                let answer = value!({
                    "model": request["model"], "created_at": "2026-11-01T10:00:00Z",
                    "message": {"role": "assistant", "content": says},
                    "done": true, "done_reason": "stop", "total_duration": 174_560_334,
                    "prompt_eval_count": 300, "eval_count": 50,
                })
                .to_string();
                kept.lock().unwrap().push(request);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
                let _ = write!(&stream, "{head}\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
            }
        });
        Ollama { url, asked }
    }
}

/// The body of a request to `/api/chat`.
fn read_request(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    reader.read_line(&mut line).ok()?;
    assert_eq!(line.trim_end(), "POST /api/chat HTTP/1.1");
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        match header.trim_end().to_ascii_lowercase().strip_prefix("content-length:") {
            Some(value) => length = value.trim().parse().ok()?,
            None if header.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

#[test]
fn a_server_that_speaks_like_ollama_thinks_and_seasons() {
    let (world, ollama) = (World::with_mind(), Ollama::start());
    world.remember("Find out why the boiler drips");
    let (url, seasoning) =
        (format!("thinker.url={}", ollama.url), format!("contemplation.seasoning_url={}", ollama.url));
    let settings =
        ["thinker.kind=model", "thinker.provider=ollama", "thinker.model=llama3.2", &url, &seasoning];
    let mut now: Vec<&str> = vec!["--json"];
    now.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    now.extend(["contemplate", "now"]);
    let reply = json(&world.run(&now));
    assert_eq!(reply["outcome"], "episode", "{reply}");
    let asked = ollama.asked.lock().unwrap().clone();
    let [small, large] = asked.as_slice() else { panic!("{asked:?}") };
    let words = |request: &Value| request["messages"].to_string();
    assert_eq!((&small["model"], &small["stream"]), (&value!("qwen3:1.7b"), &value!(false)));
    assert_eq!(small["options"]["temperature"].as_f64(), Some(1.0), "{small}");
    assert!(words(small).contains("Find out why the boiler drips"), "{small}");
    assert_eq!((&large["model"], &large["stream"]), (&value!("llama3.2"), &value!(false)));
    for part in ["Find out why the boiler drips", "Who else has a boiler that drips?", "EPISODE_JSON"] {
        assert!(words(large).contains(part), "{part} is not in {large}");
    }
    let offered = |tool: &Value| tool["function"]["name"] == "recall";
    assert!(large["tools"].as_array().unwrap().iter().any(offered), "{large}");
    let episode = &reply["episode"]["episode"];
    assert_eq!((episode["parse"].as_str(), episode["model"].as_str()), (Some("tagged"), Some("llama3.2")));
    assert_eq!(episode["tokens"], 350, "as the server counts: {episode}");
    let shown = json(&world.run(&["--json", "episodes", "show", reply["episode"]["id"].as_str().unwrap()]));
    assert_eq!(shown["said"], EPISODE);
    let written = fs::read_to_string(&journal(&world)[0]).unwrap();
    let line: Value = serde_json::from_str(written.trim()).unwrap();
    assert_eq!((&line["id"], &line["outcome"]), (&reply["episode"]["id"], &episode["outcome"]));
}

/// The agent with no model at all: it takes what there is and gives its answer, once.
struct Puller<'w> {
    world: &'w World,
}

impl Puller<'_> {
    fn run(&self, more: &[&str]) -> Ran {
        let settings = ["thinker.kind=agent", "lessons.every_episodes=1", "inbox.review_by_rules=false"];
        let mut arguments: Vec<&str> = vec!["--json", "--as", "agent"];
        arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
        arguments.extend(more);
        self.world.run(&arguments)
    }

    fn take(&self, kind: &str) -> Value {
        let handed = json(&self.run(&["work", "next"]));
        assert_eq!(
            (&handed["outcome"], &handed["work"]["kind"]),
            (&value!("handed"), &value!(kind)),
            "{handed}"
        );
        handed["work"].clone()
    }

    /// Done once, and the same again changes nothing.
    fn complete(&self, work: &Value, answer: &str) -> Value {
        let file = self.world.path("answer");
        fs::write(&file, answer).unwrap();
        let (id, token) = (work["id"].as_str().unwrap(), work["token"].to_string());
        let complete = ["work", "complete", id, "--token", &token, "--file", file.to_str().unwrap()];
        let done = json(&self.run(&complete));
        assert_eq!(done["outcome"], "done", "{done}");
        assert_eq!(json(&self.run(&complete))["outcome"], "already");
        done
    }
}

/// The first word in a text that begins so.
fn id_in(text: &Value, prefix: &str) -> String {
    let text = text.as_str().unwrap();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.find(|word| word.starts_with(prefix)).unwrap_or_else(|| panic!("no {prefix} in {text}")).to_owned()
}

#[test]
fn the_agent_thinks_reviews_its_inbox_and_learns_with_no_model_at_all() {
    let world = World::with_mind();
    let agent = Puller { world: &world };
    world.run(&["conversation", "say", "I prefer green tea over coffee.", "--channel", "chat"]).succeeds();
    let pending = json(&world.run(&["--json", "inbox", "list"]));
    assert_eq!(pending["candidates"].as_array().unwrap().len(), 1, "{pending}");
    // The hourly look at the inbox, now.
    let duties = json(&world.run(&["--json", "duty", "list"]));
    let sweep =
        duties["duties"].as_array().unwrap().iter().find(|duty| duty["kind"] == "inbox_sweep").unwrap();
    let sweep = sweep["id"].as_str().unwrap();
    world.run(&["duty", "cancel", sweep]).succeeds();
    let not_by_rules = ["--set", "inbox.review_by_rules=false"];
    let requeue = [&["--set", "thinker.kind=agent"], &not_by_rules[..], &["duty", "requeue", sweep]].concat();
    world.run(&requeue).succeeds();
    let review = agent.take("review_inbox");
    assert!(review["material"].as_str().unwrap().contains("green tea"), "{review}");
    let candidate = id_in(&review["material"], "can_");
    let verdict = format!(r#"[INBOX_JSON][{{"id":"{candidate}","decision":"promote"}}][/INBOX_JSON]"#);
    agent.complete(&review, &verdict);
    let pending = json(&world.run(&["--json", "inbox", "list"]));
    assert_eq!(pending["candidates"], value!([]), "it was decided on");
    let recalled = world.run(&["recall", "which drink is preferred?"]).succeeds();
    assert!(recalled.contains("green tea"), "{recalled}");

    world.run(&["--set", "thinker.kind=agent", "contemplate", "now"]).succeeds();
    let thought = agent.take("contemplate");
    let done = agent.complete(&thought, EPISODE);
    let episode = done["episode"].as_str().unwrap();

    let lessons = agent.take("extract_lessons");
    assert_eq!(id_in(&lessons["material"], "epi_"), episode);
    let learned = value!([{
        "type": "discovery", "context": "the boiler", "action": "looked at what is open", "outcome": "it was still open",
        "lesson": "Look at the valve before the boiler.", "tags": ["house"], "tools": [], "episodes": [episode],
    }]);
    agent.complete(&lessons, &format!("[LESSONS_JSON]{learned}[/LESSONS_JSON]"));
    let known = json(&world.run(&["--json", "lessons", "list"]));
    let of_it = known["lessons"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one.to_string().contains("the valve"))
        .count();
    assert_eq!(of_it, 1, "{known}");
    assert_eq!(json(&agent.run(&["work", "next"]))["outcome"], "none");
    let all = json(&world.run(&["--json", "work", "list"]));
    let states: Vec<&Value> = all["work"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["done"; 3], "each was done once: {all}");
}

#[test]
fn who_is_at_work_by_itself_gets_no_tool_that_weighs() {
    let world = World::with_mind();
    let agent = Puller { world: &world };
    let own = id_in(&value!(agent.run(&["remember", "A thought of my own"]).succeeds()), "mem_");
    world.run(&["--set", "thinker.kind=agent", "contemplate", "now"]).succeeds();
    let work = agent.take("contemplate");
    let refused = agent.run(&["forget", &own]);
    assert_eq!(refused.code, 5, "{refused}");
    assert!(refused.err.contains("changes too much") && refused.err.contains("give it back"), "{refused}");
    agent.run(&["remember", "Something else of my own"]).succeeds();
    let id = work["id"].as_str().unwrap();
    let record = world.run(&["work", "show", id]).succeeds();
    assert!(record.contains("forget refused") && record.contains("remember ran"), "{record}");
    world.run(&["memory", "show", &own]).succeeds();
    agent.run(&["work", "release", id, "--token", &work["token"].to_string()]).succeeds();
    agent.run(&["forget", &own]).succeeds();
}

#[test]
fn what_it_read_meanwhile_lowers_what_it_thought() {
    let world = World::with_mind();
    let agent = Puller { world: &world };
    fs::write(world.path("notes.md"), "# Boiler\n\nThe boiler drips because of the valve.\n").unwrap();
    let notes = world.path("notes.md");
    world.run(&["import", notes.to_str().unwrap()]).succeeds();
    let candidate = id_in(&value!(world.run(&["--json", "inbox", "list"]).succeeds()), "can_");
    world.run(&["inbox", "promote", &candidate]).succeeds();
    let trust_after = |reads: Option<&[&str]>| {
        world.run(&["--set", "thinker.kind=agent", "contemplate", "now"]).succeeds();
        let work = agent.take("contemplate");
        if let Some(reads) = reads {
            let found = agent.run(reads).succeeds();
            assert!(found.contains("valve"), "{found}");
        }
        let done = agent.complete(&work, EPISODE);
        // What may be learned from it stands in the way of the next.
        if let work @ Value::Object(_) = &json(&agent.run(&["work", "next"]))["work"] {
            agent.complete(work, "[LESSONS_JSON][][/LESSONS_JSON]");
        }
        let episode = json(&world.run(&["--json", "episodes", "show", done["episode"].as_str().unwrap()]));
        episode["trust"].as_f64().unwrap()
    };
    assert!(trust_after(None) >= 0.5, "what it is handed is believed");
    assert!(trust_after(Some(&["recall", "why does the boiler drip?"])) < 0.5);
    assert!(trust_after(Some(&["context", "why does the boiler drip?"])) < 0.5);
}

/// A program that thinks may use our tools by the doors, as the agent: what it used is on record like anybody's.
#[test]
fn what_a_program_used_by_itself_is_in_the_ledger() {
    let world = World::with_mind();
    let own = world.remember("Find out why the boiler drips");
    world.run(&["--as", "agent", "remember", "I wonder about boilers"]).succeeds();
    let agent =
        format!("SELFSAME_DATA={} {} --as agent", world.data().display(), env!("CARGO_BIN_EXE_selfsame"));
    let does = format!("{agent} recall 'what about the boiler?' > recalled\n{agent} forget {own} 2> refused");
    let says = EPISODE.replace(r#""tools_used":[]"#, r#""tools_used":["recall"]"#);
    let does = format!("cd {}\n{does}", world.path("").display());
    let command = program_that(&world, &says, &does);
    let daemon = world.serve(&["--set", "thinker.kind=command", "--set", &command]);
    let reply = json(&world.run(&["--json", "contemplate", "now"]));
    assert_eq!(reply["outcome"], "episode", "{reply}");
    assert!(fs::read_to_string(world.path("recalled")).unwrap().contains("boiler"));
    let refused = fs::read_to_string(world.path("refused")).unwrap();
    assert!(refused.contains("changes too much"), "{refused}");
    let episode = &reply["episode"]["episode"];
    assert_eq!((&episode["why_not"], &episode["successful"]), (&Value::Null, &value!(true)), "{episode}");
    let all = json(&world.run(&["--json", "work", "list"]));
    let record = world.run(&["work", "show", all["work"][0]["id"].as_str().unwrap()]).succeeds();
    assert!(record.contains("recall ran") && record.contains("forget refused"), "{record}");
    world.run(&["memory", "show", &own]).succeeds();
    assert_eq!(daemon.stop(), 0);
}

/// A thought in whose midst the daemon dies is had again by the next one, and counts once.
#[test]
fn a_daemon_that_is_killed_over_a_thought_leaves_it_to_the_next() {
    let world = World::with_mind();
    world.remember("Find out why the boiler drips");
    // The first time it hangs, and says so by a file.
    let hung = world.path("hung");
    let does = format!("if [ ! -e {0} ]; then touch {0}; exec sleep 600; fi", hung.display());
    let command = program_that(&world, EPISODE, &does);
    let settings = [
        "contemplation.enabled=true",
        "contemplation.every=1m",
        "contemplation.quiet=0s",
        "contemplation.seasoning=false",
        "duties.lease=1s",
        "thinker.kind=command",
        &command,
    ];
    let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let daemon = world.serve(&settings);
    // Its first turn comes after an interval; nobody waits for that here.
    let agent_turn = || {
        let due = rusqlite::Connection::open(world.database()).unwrap();
        due.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        due.execute("UPDATE contemplations SET next_at = 0", []).unwrap()
    };
    wait_until("it has turns", || (agent_turn() == 1).then_some(()));
    wait_until("it thinks", || hung.exists().then_some(()));
    daemon.kill();
    let daemon = world.serve(&settings);
    let thought = || {
        let all = json(&world.run(&["--json", "episodes", "list"]));
        let all = all["episodes"].as_array().unwrap().clone();
        (!all.is_empty()).then_some(all)
    };
    assert_eq!(wait_until("it thought", thought).len(), 1);
    let all = json(&world.run(&["--json", "work", "list"]));
    let of_it: Vec<&Value> = all["work"].as_array().unwrap().iter().collect();
    let [work] = of_it.as_slice() else { panic!("{all}") };
    let record = json(&world.run(&["--json", "work", "show", work["id"].as_str().unwrap()]));
    let came: Vec<&Value> =
        record["attempts"].as_array().unwrap().iter().map(|one| &one["outcome"]).collect();
    assert_eq!(came, [&Value::Null, &value!("done")], "{record}");
    assert_eq!(daemon.stop(), 0);
    assert_eq!(json(&world.run(&["--json", "episodes", "list"]))["episodes"].as_array().unwrap().len(), 1);
    world.run(&["verify"]).succeeds();
}

#[test]
fn the_journal_is_exported_by_the_agents_own_days() {
    let world = World::new();
    world.run(&["--set", "agent.zone=Etc/GMT-14", "init"]).succeeds();
    let command = program(&world, EPISODE);
    let now = ["--json", "--set", "thinker.kind=command", "--set", &command, "contemplate", "now"];
    let reply = json(&world.run(&now));
    let folder = world.path("journal");
    world.run(&["export", folder.to_str().unwrap(), "--journal"]).succeeds();
    let mut exported: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { exported.push(path) }
        }
    }
    let written = journal(&world);
    let ([exported], [written]) = (exported.as_slice(), written.as_slice()) else {
        panic!("{exported:?} {written:?}")
    };
    assert_eq!(exported.file_name(), written.file_name(), "by the same day");
    assert_eq!(fs::read_to_string(exported).unwrap(), fs::read_to_string(written).unwrap());
    let line: Value = serde_json::from_str(fs::read_to_string(exported).unwrap().trim()).unwrap();
    assert_eq!(line["id"], reply["episode"]["id"]);
}

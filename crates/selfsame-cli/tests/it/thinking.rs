//! A person at the terminal who gives an agent time to think: with a program, with a real language model, and with the
//! agent itself that comes for its work.

use crate::cli::{Ran, World};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

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
    let (path, prompt) = (world.path("think"), world.path("prompt"));
    fs::write(world.path("says"), says).unwrap();
    let script = format!("#!/bin/sh\ncat > {}\ncat {}\n", prompt.display(), world.path("says").display());
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

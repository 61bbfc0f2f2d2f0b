//! An agent at the terminal that takes care of itself: by a program that writes, by itself in two steps, and by rules.

use crate::cli::{Ran, World};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.succeeds()).unwrap()
}

/// Small numbers are enough.
const SMALL: [&str; 4] = ["--set", "self_care.least=3", "--set", "self_care.batch=4"];

fn agent(world: &World, more: &[&str]) -> Ran {
    world.run(&[&["--as", "agent"], SMALL.as_slice(), more].concat())
}

fn world() -> World {
    let world = World::with_mind();
    for n in 0..5 {
        world.remember(&format!("Crate {n} has {} apples from the orchard", n * 7));
    }
    world
}

#[test]
fn a_program_writes_the_summaries() {
    let world = world();
    let (path, prompt) = (world.path("think"), world.path("prompt"));
    let script = format!(
        "#!/bin/sh\ncat >> {}\necho 'Themes: apples, the orchard'\necho 'Crates of apples came in.'\n",
        prompt.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    let command = format!("thinker.command=[\"{}\"]", path.display());
    let by_program = ["--json", "--set", "thinker.summarize=command", "--set", &command, "selfcare"];
    let reply = json(&agent(&world, &by_program));
    assert_eq!((reply["outcome"].as_str(), reply["memories"].as_u64()), (Some("done"), Some(5)), "{reply}");
    assert_eq!(reply["summaries"].as_array().unwrap().len(), 2, "four and one");
    let asked = fs::read_to_string(prompt).unwrap();
    assert!(asked.contains("Crate 4 has 28 apples") && asked.contains("Themes:"), "{asked}");
    let listed = world.run(&["summaries", "list"]).succeeds();
    assert!(listed.contains("Crates of apples came in.") && listed.contains("by thinker"), "{listed}");
    let shown = world.run(&["summaries", "show", reply["summaries"][0].as_str().unwrap()]).succeeds();
    assert_eq!(shown.matches("from mem_").count(), 4, "{shown}");
    let work = world.run(&["work", "list"]).succeeds();
    assert_eq!(work.matches("summarize").count(), 2, "{work}");
}

#[test]
fn the_agent_writes_itself_and_only_at_home() {
    let world = world();
    let refused = world.run(&["selfcare"]);
    assert!(refused.err.contains("--as agent"), "{}", refused.err);
    world.run(&["agent", "set", "--home", "the cottage"]).succeeds();
    agent(&world, &["agent", "move", "the market"]).succeeds();
    let away = agent(&world, &["selfcare", "begin"]);
    assert!(away.err.contains("the market") && away.err.contains("agent move"), "{}", away.err);
    agent(&world, &["agent", "move", "The Cottage"]).succeeds();
    let shown = world.run(&["agent", "show"]).succeeds();
    assert!(shown.contains("the cottage") && shown.contains("The Cottage"), "{shown}");
    let handed = agent(&world, &["selfcare", "begin"]).succeeds();
    assert!(handed.contains("Crate 0 has 0 apples") && handed.contains("selfcare commit bat_"), "{handed}");
    let batch = handed.split_whitespace().find(|word| word.starts_with("bat_")).unwrap();
    let commit = ["--as", "agent", "selfcare", "commit", batch];
    let folded = world.run_with_input(&commit, b"Themes: apples\nFour crates of apples.\n").succeeds();
    assert!(folded.contains("folded") && folded.contains("sum_"), "{folded}");
    let again = world.run_with_input(&commit, b"Themes: apples\nFour crates of apples.\n");
    assert!(again.err.contains("not open any more"), "{}", again.err);
    let status = agent(&world, &["selfcare", "status", "--focus", "apples"]).succeeds();
    assert!(status.contains("1 may be folded") && status.contains("fits 1 of them"), "{status}");
}

#[test]
fn without_anybody_who_thinks_sentences_are_chosen() {
    let world = world();
    let few = world.run(&["--as", "agent", "selfcare"]).succeeds();
    assert!(few.contains("nothing") && few.contains("30 are the least"), "{few}");
    let done = agent(&world, &["selfcare", "--what", "memories"]).succeeds();
    assert!(done.contains("5 memories and 0 messages went to the archive"), "{done}");
    let listed = world.run(&["summaries", "list"]).succeeds();
    assert!(listed.contains("extractive") && listed.contains("nobody wrote this"), "{listed}");
    let wrong = agent(&world, &["selfcare", "--what", "memory"]);
    assert!(wrong.err.contains("known are memories, conversations, both"), "{}", wrong.err);
}

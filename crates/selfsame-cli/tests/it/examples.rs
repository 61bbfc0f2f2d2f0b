//! The examples in other languages do what they say.

use crate::cli::World;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_agent_over_http() {
    let world = World::with_mind();
    world.remember("The red bicycle is in the cellar");
    let daemon = world.serve(&[]);
    let made = world.run(&["--json", "key", "create", "example", "--speaks-as", "host"]).succeeds();
    let made: Value = serde_json::from_str(&made).unwrap();
    let mut python = Command::new("python3");
    python.arg(example("agent_over_http.py")).arg("Where is the red bicycle?");
    python
        .env("SELFSAME_URL", format!("http://{}", daemon.address))
        .env("SELFSAME_KEY", made["secret"].as_str().unwrap());
    let answer = said(&mut python);
    assert!(answer.starts_with("The red bicycle is in the cellar ("), "{answer}");
    assert!(world.run(&["conversation", "list"]).succeeds().contains("2 messages"));
}

#[test]
fn an_mcp_client() {
    let world = World::with_mind().in_the_background();
    let mut python = Command::new("python3");
    python.arg(example("mcp_client.py")).env("SELFSAME", env!("CARGO_BIN_EXE_selfsame"));
    python.env("SELFSAME_DATA", world.data()).env("SELFSAME_SERVER_ADDRESS", "127.0.0.1:0");
    let answer = said(&mut python);
    assert!(answer.contains("recall") && answer.contains("- The red bicycle is in the cellar ["), "{answer}");
}

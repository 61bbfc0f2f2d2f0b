//! Models at the terminal: from a folder, and from a hub that the test plays.

use crate::cli::World;
use insta::assert_snapshot;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

/// The folder with the real model.
pub fn model_folder() -> PathBuf {
    std::env::var_os("SELFSAME_TEST_MODEL").map(PathBuf::from).unwrap_or_else(|| {
        panic!(
            "SELFSAME_TEST_MODEL is not set, so there is no model to install: run `cargo xtask test`, or \
             `export SELFSAME_TEST_MODEL=$(cargo xtask model)`"
        )
    })
}

fn install(world: &World, more: &[&str]) -> crate::cli::Ran {
    let folder = model_folder();
    world.run(&[&["model", "install", folder.to_str().unwrap()], more].concat())
}

/// What is in the folder of models beside the lock.
fn left_behind(world: &World) -> Vec<String> {
    let Ok(entries) = fs::read_dir(world.data().join("models")) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != ".lock").collect()
}

#[test]
fn from_a_folder() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["model", "list"]), @"no model is installed: recall goes by words alone (`selfsame model install`)");
    assert_snapshot!(install(&world, &[]), @"
    installed  all-MiniLM-L6-v2@f59e1d25dea3
    384 dimensions, 23.9 MB, from model_quantized.onnx
    ");
    assert_snapshot!(install(&world, &[]), @"
    already installed  all-MiniLM-L6-v2@f59e1d25dea3
    384 dimensions, 23.9 MB, from model_quantized.onnx
    ");
    assert_snapshot!(world.run(&["model", "list"]), @"all-MiniLM-L6-v2  384 dimensions  23.9 MB  f59e1d25dea3  apache-2.0  since DATE  in use");
    assert_snapshot!(world.run(&["model", "list", "--set", "embedder.kind=none"]), @"all-MiniLM-L6-v2  384 dimensions  23.9 MB  f59e1d25dea3  apache-2.0  since DATE");
    assert_snapshot!(world.run(&["--json", "model", "list"]), @r#"
    {
      "models": [
        {
          "name": "all-MiniLM-L6-v2",
          "dimensions": 384,
          "bytes": N,
          "digest": "f59e1d25dea3",
          "licence": "apache-2.0",
          "installed_at": "TIME",
          "in_use": true
        }
      ]
    }
    "#);
    world.run(&["remember", "Maya moved to Berlin"]).succeeds();
    assert!(world.run(&["recall", "where is Maya?"]).succeeds().contains("Maya moved to Berlin"));
    assert_snapshot!(world.run(&["model", "remove", "all-MiniLM-L6-v2"]), @"removed  all-MiniLM-L6-v2");
    assert_snapshot!(world.run(&["model", "remove", "all-MiniLM-L6-v2"]), @r#"
    [stderr]
    error: no model "all-MiniLM-L6-v2" is installed: there is none; install one with `selfsame model install`
    [exit code 3]
    "#);
    world.run(&["recall", "where is Maya?"]).succeeds();
}

#[test]
fn which_one_is_meant_must_be_said() {
    let world = World::with_mind();
    install(&world, &["--name", "one"]).succeeds();
    install(&world, &["--name", "two"]).succeeds();
    assert_snapshot!(world.run(&["recall", "anything"]), @"
    [stderr]
    error: several models are installed (one, two): name one as embedder.model
    [exit code 2]
    ");
    world.run(&["recall", "anything", "--set", "embedder.model=two"]).succeeds();
    assert_snapshot!(world.run(&["recall", "anything", "--set", "embedder.model=three"]), @r#"
    [stderr]
    error: no model "three" is installed; there is one, two
    [exit code 3]
    "#);
    world.run(&["recall", "anything", "--set", "embedder.kind=none"]).succeeds();
}

#[test]
fn a_model_that_is_wanted_must_be_there() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["recall", "anything", "--set", "embedder.kind=local"]), @r#"
    [stderr]
    error: no model is installed: install one with `selfsame model install`, or set embedder.kind = "none"
    [exit code 3]
    "#);
    assert_snapshot!(world.run(&["model", "install", "no-such-model"]), @r#"
    [stderr]
    error: "no-such-model" is neither a folder nor a model that is known by name (all-MiniLM-L6-v2, bge-small-en-v1.5, multilingual-e5-small): give the folder that holds model.onnx and tokenizer.json
    [exit code 3]
    "#);
    let weights = world.path("weights");
    fs::create_dir(&weights).unwrap();
    fs::write(weights.join("model.safetensors"), "").unwrap();
    fs::write(weights.join("tokenizer.json"), "{}").unwrap();
    assert_snapshot!(world.run(&["model", "install", "weights"]), @r#"
    [stderr]
    error: "weights" has weights (model.safetensors or the like) but no ONNX model: look for the folder onnx/ of the same model, or export it (`optimum-cli export onnx --model "weights" out`)
    [exit code 2]
    "#);
    fs::write(weights.join("model.onnx"), "garbage").unwrap();
    world.run(&["model", "install", "weights"]).fails(2, "nothing was installed: ");
    assert_eq!(left_behind(&world), [""; 0]);
}

#[test]
fn a_running_daemon_is_told_of() {
    let world = World::with_mind();
    let daemon = world.serve(&[]);
    assert_snapshot!(install(&world, &[]), @"
    installed  all-MiniLM-L6-v2@f59e1d25dea3
    384 dimensions, 23.9 MB, from model_quantized.onnx
    a daemon is running: restart it, and it goes by the models that are there now
    ");
    assert_eq!(daemon.stop(), 0);
    let daemon = world.serve(&[]);
    assert_eq!(daemon.remember("Maya moved to Berlin").0, 200);
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn what_is_stored_already_is_read_when_that_is_wanted() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["model", "embed"]), @"
    [stderr]
    error: there is no model that could read: `selfsame model install` brings one
    [exit code 3]
    ");
    world.remember("Maya moved to Berlin");
    world.remember("The cake needs more sugar");
    install(&world, &[]).succeeds();
    assert_snapshot!(world.run(&["model", "embed"]), @"read  3 texts by all-MiniLM-L6-v2@f59e1d25dea3; nothing is left");
    assert_snapshot!(world.run(&["model", "embed"]), @"read  0 texts by all-MiniLM-L6-v2@f59e1d25dea3; nothing is left");
    assert_snapshot!(world.run(&["--json", "model", "embed", "--anew"]), @r#"
    {
      "model": "all-MiniLM-L6-v2@f59e1d25dea3",
      "texts": 3,
      "pending": 0
    }
    "#);
    assert!(world.run(&["verify"]).succeeds().contains("fit"));
    let daemon = world.serve(&[]);
    assert_snapshot!(world.run(&["model", "embed", "--anew"]), @"read  3 texts by all-MiniLM-L6-v2@f59e1d25dea3; nothing is left");
    assert_eq!(daemon.stop(), 0);
}

/// What a hub does with each file.
#[derive(Clone, Copy)]
enum Habit {
    /// Sends us on, and says what will come.
    Good,
    /// Has no graph.
    NoGraph,
    /// Ends in the middle of the graph.
    BreaksOff,
    /// Says that the graph is another.
    OtherChecksum,
    /// Sends us in a circle.
    Circle,
}

/// Plays a hub until the test ends; gives its address.
fn hub(habit: Habit) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            std::thread::spawn(move || answer(stream, habit));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: TcpStream, habit: Habit) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    // The whole request is read, or closing the connection would cut off the answer.
    let _ = lines.find(String::is_empty);
    let path = first.split(' ').nth(1).unwrap_or_default();
    let file = path.rsplit("/resolve/main/").next().unwrap_or_default();
    let is_graph = file.ends_with(".onnx");
    let bytes = match file {
        "1_Pooling/config.json" => br#"{"pooling_mode_mean_tokens":true}"#.to_vec(),
        _ => fs::read(model_folder().join(file.trim_start_matches("onnx/"))).unwrap_or_default(),
    };
    let head = match (habit, is_graph, path.starts_with("/elsewhere/")) {
        (Habit::Circle, true, _) => format!("HTTP/1.1 302 Found\r\nlocation: {path}\r\ncontent-length: 0"),
        (Habit::NoGraph, true, _) => "HTTP/1.1 404 Not Found\r\ncontent-length: 0".to_owned(),
        (_, true, false) => {
            let sum =
                if matches!(habit, Habit::OtherChecksum) { "0".repeat(64) } else { GRAPH_SUM.to_owned() };
            let size = bytes.len();
            format!(
                "HTTP/1.1 302 Found\r\nlocation: /elsewhere/resolve/main/{file}\r\nx-linked-size: {size}\r\n\
                 x-linked-etag: \"{sum}\"\r\ncontent-length: 0"
            )
        }
        _ => format!("HTTP/1.1 200 OK\r\ncontent-length: {}", bytes.len()),
    };
    let _ = write!(stream, "{head}\r\nconnection: close\r\n\r\n");
    let half = matches!(habit, Habit::BreaksOff) && is_graph;
    if head.starts_with("HTTP/1.1 200") {
        let _ = stream.write_all(if half { &bytes[..bytes.len() / 2] } else { &bytes });
    }
}

/// The SHA-256 of the graph that `cargo xtask model` makes.
const GRAPH_SUM: &str = "b0f3bc1c8143744c928538fb8e705def48e1c382e63268bd845e8941904a8e6e";

fn fetch(world: &World, habit: Habit) -> crate::cli::Ran {
    world.run(&["model", "install", "all-MiniLM-L6-v2", "--hub", &hub(habit)])
}

#[test]
fn by_name_from_a_hub() {
    let world = World::with_mind();
    assert_snapshot!(fetch(&world, Habit::Good), @"
    installed  all-MiniLM-L6-v2@f59e1d25dea3
    384 dimensions, 23.9 MB, from model_quantized.onnx
    ");
    assert_eq!(left_behind(&world), ["all-MiniLM-L6-v2"]);
}

#[test]
fn a_hub_that_fails_leaves_nothing_behind() {
    let world = World::with_mind();
    for (habit, said) in [
        (
            Habit::NoGraph,
            "could not be fetched (there is no such file (404)); without a network, copy the model's folder",
        ),
        (Habit::BreaksOff, "could not be fetched (it broke off: "),
        (Habit::OtherChecksum, "arrived damaged (its SHA-256 is b0f3bc1c8143744c"),
        (Habit::Circle, "it sends us on more than 5 times"),
    ] {
        fetch(&world, habit).fails(6, said);
        assert_eq!(left_behind(&world), [""; 0], "{said}");
    }
    // Nobody listens there.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = world.run(&["model", "install", "all-MiniLM-L6-v2", "--hub", &format!("http://{nobody}")]);
    ran.fails(6, "run `selfsame model install <folder>`");
    assert_eq!(left_behind(&world), [""; 0]);
}

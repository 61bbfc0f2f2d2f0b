//! A daemon that is started because somebody needs one: once, whoever asks, and gone when nobody does.

use crate::cli::{World, wait_until};
use rustix::process::{Pid, Signal, getsid, kill_process, test_kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// An editor's MCP server: a process that is spoken to over its standard input and output.
pub struct Editor {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Editor {
    pub fn open(world: &World, arguments: &[&str]) -> Editor {
        Editor::start(world, arguments).greet()
    }

    /// The process, to which nothing was said yet.
    fn start(world: &World, arguments: &[&str]) -> Editor {
        let mut command = world.command(&[&["mcp"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Editor { process, input, output: BufReader::new(output), number: 0 }
    }

    fn greet(mut self) -> Editor {
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "editor", "version": "1" } });
        self.ask("initialize", &hello);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        self
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == number {
                return answer["result"].clone();
            }
        }
    }

    /// Calls a tool; gives its structured answer.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    /// The window is closed.
    pub fn close(mut self) {
        drop(self.input);
        assert!(self.process.wait().unwrap().success());
    }
}

/// The process that owns the world's folder, by a daemon's own word.
fn owner(world: &World) -> Option<Pid> {
    let lock = fs::read_to_string(world.data().join("selfsame.lock")).ok()?;
    Pid::from_raw(lock.trim().parse().ok()?)
}

#[test]
fn the_first_editor_starts_a_daemon_that_outlives_it() {
    let world = World::with_mind().in_the_background();
    let mut editor = Editor::open(&world, &[]);
    editor.call("remember", &json!({ "content": "Maya likes green tea" }));
    let daemon = owner(&world).unwrap();
    assert_ne!(daemon.as_raw_nonzero().get().unsigned_abs(), editor.process.id());
    assert_eq!(
        getsid(Some(daemon)).unwrap(),
        daemon,
        "a session of its own: a closed terminal does not end it"
    );
    editor.close();
    assert!(test_kill_process(daemon).is_ok(), "it went with the editor");
    assert!(world.run(&["status"]).succeeds().contains("daemon    running at http://127.0.0.1:"));
    assert!(world.run(&["recall", "what does Maya like?"]).succeeds().contains("green tea"));
    let log = fs::read_to_string(world.data().join("daemon.log")).unwrap();
    assert!(log.contains("selfsame is awake at"), "{log}");
    assert!(!log.contains("green tea"), "content in a log: {log}");
}

#[test]
fn of_many_who_start_one_at_once_one_wins_and_all_are_served() {
    let world = World::with_mind().in_the_background();
    let windows: Vec<Editor> = (0..4).map(|_| Editor::start(&world, &[])).collect();
    std::thread::scope(|scope| {
        let write = |window: usize, editor: Editor| {
            let mut editor = editor.greet();
            for number in 0..5 {
                let content = format!("window {window} wrote fact number {number} about harbours");
                let said = editor.call("remember", &json!({ "content": content }));
                assert_eq!(said["outcome"], "stored", "{said}");
            }
            editor.close();
        };
        for (window, editor) in windows.into_iter().enumerate() {
            scope.spawn(move || write(window, editor));
        }
        // And a person at the terminal meanwhile.
        for number in 0..3 {
            world.remember(&format!("the terminal wrote note number {number}"));
        }
    });
    let reply: Value = serde_json::from_str(&world.run(&["--json", "status"]).succeeds()).unwrap();
    assert_eq!(reply["agents"][0]["memories"], 23, "an acknowledged write is missing");
    assert_eq!(running_daemons(&world), 1);
}

/// Processes of this program that serve the world's folder.
fn running_daemons(world: &World) -> usize {
    let data = world.data().display().to_string();
    let is_daemon = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(&data) && line.contains(" serve ")
    };
    fs::read_dir("/proc").unwrap().flatten().map(is_daemon).filter(|is| *is).count()
}

#[test]
fn nobody_there_for_long_ends_it_and_the_next_call_wakes_it() {
    let world = World::with_mind().with("SELFSAME_HOST_IDLE_STOP", "1s").in_the_background();
    let mut editor = Editor::open(&world, &[]);
    editor.call("remember", &json!({ "content": "Maya likes green tea" }));
    let first = owner(&world).unwrap();
    wait_until("it ends by itself", || by_need(&world.data()).is_none().then_some(()));
    assert_eq!(by_need(&world.data()), None);
    assert!(!world.data().join("selfsame.sock").exists());
    let found = editor.call("recall", &json!({ "query": "what does Maya like?" }));
    assert!(found.to_string().contains("green tea"), "{found}");
    assert_ne!(owner(&world).unwrap(), first);
    editor.close();
}

#[test]
fn a_daemon_that_a_person_starts_takes_its_place_and_never_ends_by_itself() {
    let world = World::with_mind().with("SELFSAME_HOST_IDLE_STOP", "1s").in_the_background();
    Editor::open(&world, &[]).call("remember", &json!({ "content": "Maya likes green tea" }));
    let first = owner(&world).unwrap();
    let daemon = world.serve(&[]);
    assert_ne!(first.as_raw_nonzero().get(), daemon.pid(), "it did not give way");
    assert_eq!(owner(&world).unwrap().as_raw_nonzero().get(), daemon.pid());
    // Longer than the other one would have waited.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(daemon.post("/v1/agents/main/recall", r#"{"query": "green tea"}"#).0, 200);
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn doctor_lets_it_go_to_prove_a_restart_and_brings_it_back() {
    let world = World::with_mind().in_the_background();
    Editor::open(&world, &[]).call("remember", &json!({ "content": "Maya likes green tea" }));
    let first = owner(&world).unwrap();
    let said = world.run(&["doctor"]).succeeds();
    for proof in ["restart      the mind was closed and opened again", "tick         it was looked"] {
        assert!(said.contains(proof), "{said}");
    }
    assert!(said.contains("daemon       it was stopped for this, and answers again"), "{said}");
    assert_ne!(owner(&world).unwrap(), first);
    assert!(world.run(&["status"]).succeeds().contains("running at"));
}

#[test]
fn without_a_mind_nothing_is_made_and_the_fix_is_named() {
    let world = World::new();
    let mut editor = Editor::open(&world, &[]);
    let said = editor.ask("tools/call", &json!({ "name": "recall", "arguments": { "query": "x" } }));
    assert!(said.to_string().contains("run `selfsame init` first"), "{said}");
    editor.close();
    assert!(!world.data().exists(), "a look made something");
}

#[test]
fn where_none_can_be_started_calls_are_done_without() {
    let world = World::with_mind();
    // A folder where the log should be: nothing can be started.
    fs::create_dir(world.data().join("daemon.log")).unwrap();
    let (mut one, mut other) = (Editor::open(&world, &[]), Editor::open(&world, &[]));
    for number in 0..3 {
        one.call("remember", &json!({ "content": format!("one wrote fact {number}") }));
        other.call("remember", &json!({ "content": format!("the other wrote fact {number}") }));
    }
    assert!(!world.data().join("selfsame.sock").exists());
    one.close();
    other.close();
    assert!(world.run(&["status"]).succeeds().contains("6 memories"));
}

#[test]
fn a_port_that_is_taken_is_no_reason_not_to_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let world = World::with_mind().with("SELFSAME_SERVER_ADDRESS", &address).in_the_background();
    Editor::open(&world, &[]).call("remember", &json!({ "content": "Maya likes green tea" }));
    let status = world.run(&["status"]).succeeds();
    assert!(status.contains("running at http://127.0.0.1:") && !status.contains(&address), "{status}");
}

/// The daemon of a folder, if it was started by need.
pub fn by_need(data: &Path) -> Option<Pid> {
    let owner: i32 = fs::read_to_string(data.join("selfsame.lock")).ok()?.trim().parse().ok()?;
    data.join(format!("background-{owner}")).exists().then(|| Pid::from_raw(owner))?
}

/// Ends the daemon that was started by need in a world.
pub fn end(data: &Path) {
    if let Some(pid) = by_need(data) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

//! An editor as a host of MCP: it starts `selfsame mcp` and speaks with it line by line.

use crate::cli::World;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The process, and how to speak with it. It ends when this is dropped.
pub struct Editor {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Editor {
    /// Starts it and shakes hands.
    pub fn start(world: &World) -> Editor {
        let mut command = world.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let (to, from) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        let mut editor = Editor { process, to, from, asked: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "editor", "version": "1" },
        });
        let answer = editor.ask("initialize", &hello);
        assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
        editor.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        editor
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "it ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // The end of its input is the end of it.
        drop(self.to.take());
        let _ = self.process.wait();
    }
}

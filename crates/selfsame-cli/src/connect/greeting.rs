//! Starts what was written into other programs' settings as they would, and sees it answer: a handshake of MCP and one call.

use super::clients::Us;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

impl Us {
    /// Starts the server, shakes hands and asks it for something, all within `patience`. It has ended when this returns.
    pub(crate) fn greet(&self, patience: Duration) -> Result<(), String> {
        let (program, arguments) = self.server();
        greet(program, &arguments, patience)
    }
}

fn greet(program: &str, arguments: &[String], patience: Duration) -> Result<(), String> {
    let line = format!("{program} {}", arguments.join(" "));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().map_err(|cause| format!("`{line}` cannot be started: {cause}"))?;
    // The end of its input is the end of it; one that does not see that is not waited for.
    let answered = talk(&mut process, patience);
    let _ = process.kill();
    let _ = process.wait();
    answered.map_err(|trouble| format!("`{line}` {trouble}"))
}

fn talk(process: &mut Child, patience: Duration) -> Result<(), String> {
    let (Some(mut to), Some(from)) = (process.stdin.take(), process.stdout.take()) else {
        return Err("has no input or output".into());
    };
    let (heard, hear) = mpsc::channel();
    // Ends with the process, whose output it reads.
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if let Ok(answer) = serde_json::from_str::<Value>(&line)
                && heard.send(answer).is_err()
            {
                return;
            }
        }
    });
    let until = Instant::now() + patience;
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "selfsame doctor", "version": env!("CARGO_PKG_VERSION") },
    });
    let asked = json!({ "name": "recall", "arguments": { "query": "is anybody there" } });
    for (id, method, params) in [(1, "initialize", hello), (2, "tools/call", asked)] {
        let question = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let said = if id == 1 { format!("{question}\n") } else { format!("{initialized}\n{question}\n") };
        to.write_all(said.as_bytes()).map_err(|_| "ended at once".to_owned())?;
        let answer = loop {
            let left = until.saturating_duration_since(Instant::now());
            match hear.recv_timeout(left) {
                Ok(answer) if answer["id"] == id => break answer,
                Ok(_) => {}
                Err(_) => return Err(format!("does not answer {method}")),
            }
        };
        if answer["result"].is_null() || answer["result"]["isError"] == true {
            return Err(format!("answers {method} with {}", answer["error"]["message"]));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell command that stands in somebody's settings is greeted with.
    fn trouble(script: &str) -> String {
        let arguments = ["-c".to_owned(), script.to_owned()];
        greet("/bin/sh", &arguments, Duration::from_millis(500)).unwrap_err()
    }

    #[test]
    fn what_does_not_answer_is_told_from_what_answers() {
        assert!(greet("/no/such/program", &[], Duration::ZERO).unwrap_err().contains("cannot be started"));
        let silent = trouble("sleep 5");
        assert!(silent.ends_with("does not answer initialize"), "{silent}");
        // One that says everything back, and one that shakes hands and then fails.
        assert!(trouble("cat").contains("answers initialize with"), "an echo is no answer");
        let hello = r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; "#;
        let refusing = r#"read -r line; read -r line; echo '{"id":2,"error":{"message":"no such mind"}}'"#;
        assert!(trouble(&format!("{hello}{refusing}")).contains("no such mind"));
        assert!(trouble(&format!("{hello}sleep 5")).ends_with("does not answer tools/call"));
        let willing = format!(r#"{hello}read -r line; read -r line; echo '{{"id":2,"result":{{}}}}'"#);
        greet("/bin/sh", &["-c".to_owned(), willing], Duration::from_secs(20)).unwrap();
    }
}

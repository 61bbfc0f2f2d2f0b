//! A nudge on the standard input of a program.

use super::{lasting, passing};
use selfsame::config::variables;
use selfsame::ports::{Delivery, Message, PortError};
use std::io::{ErrorKind, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A program with its arguments: no shell reads them.
pub(super) struct Program {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
}

impl Program {
    pub(super) fn new(program: &str, arguments: &[String], timeout: Duration) -> Program {
        Program { program: program.to_owned(), arguments: arguments.to_vec(), timeout }
    }

    /// In a process group of its own, so that what it started can be ended with it. What it prints goes nowhere, and it is
    /// not told our settings, which may be secret.
    fn start(&self) -> Result<Child, PortError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        variables().for_each(|name| {
            command.env_remove(name);
        });
        command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => lasting("there is no such program: check heartbeat.command"),
            ErrorKind::PermissionDenied => {
                lasting("the program may not be started: check heartbeat.command and its rights")
            }
            _ => passing("the program could not be started"),
        })
    }

    fn wait(&self, child: &mut Child) -> Result<ExitStatus, PortError> {
        let began = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if began.elapsed() < self.timeout => std::thread::sleep(LOOK),
                _ => {
                    end(child);
                    return Err(passing("timed out"));
                }
            }
        }
    }
}

impl Delivery for Program {
    fn channel(&self) -> &str {
        "command"
    }

    fn deliver(&self, message: &Message) -> Result<(), PortError> {
        let mut child = self.start()?;
        write_beside(&mut child, format!("{}\n", message.body));
        let status = self.wait(&mut child)?;
        match (status.code(), status.signal()) {
            (Some(0), _) => Ok(()),
            (Some(code), _) => Err(passing(format!("ended with code {code}"))),
            (None, signal) => Err(passing(format!("was ended by signal {}", signal.unwrap_or_default()))),
        }
    }
}

/// Writes what it reads, on a thread: a program that does not read must not keep us. The thread ends when nobody has the
/// other end any more.
fn write_beside(child: &mut Child, line: String) {
    if let Some(mut stdin) = child.stdin.take() {
        // Whether it wants to read is its matter: its exit code says whether it is content.
        std::thread::spawn(move || drop(stdin.write_all(line.as_bytes())));
    }
}

/// It was not waited for yet, so its id is still its own.
fn end(child: &mut Child) {
    let group = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    let _ = child.wait();
}

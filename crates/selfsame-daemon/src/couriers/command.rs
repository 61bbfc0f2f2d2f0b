//! A nudge on the standard input of a program.

use super::{lasting, passing};
use crate::child::{self, NotStarted};
use selfsame::ports::{Delivery, Message, PortError};
use std::process::Stdio;
use std::time::{Duration, Instant};

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
}

impl Delivery for Program {
    fn channel(&self) -> &str {
        "command"
    }

    fn deliver(&self, message: &Message) -> Result<(), PortError> {
        let mut child = child::start(&self.program, &self.arguments, Stdio::null()).map_err(not_started)?;
        child::write_beside(&mut child, format!("{}\n", message.body));
        let status = child::wait_until(&mut child, Instant::now() + self.timeout);
        child::judge(status.ok_or_else(|| passing("timed out"))?).map_err(passing)
    }
}

fn not_started(why: NotStarted) -> PortError {
    match why {
        NotStarted::Missing => lasting("there is no such program: check heartbeat.command"),
        NotStarted::Forbidden => {
            lasting("the program may not be started: check heartbeat.command and its rights")
        }
        NotStarted::Failed => passing("the program could not be started"),
    }
}

//! A program that reads the prompt on its standard input and prints its answer: an agent's own command line, mostly.

use super::{ThinkerSpec, counted, time_for};
use crate::child::{self, NotStarted};
use crate::pause::Breaker;
use selfsame::ports::{Desk, Fault, FaultKind, PortError, Prompt, Thinker, Thought};
use selfsame::time::Clock;
use std::io::Read as _;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

pub(super) struct Program {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
    max_bytes: u64,
    clock: Arc<dyn Clock>,
    breaker: Arc<Breaker>,
}

impl Program {
    pub(super) fn new(
        spec: &ThinkerSpec,
        clock: Arc<dyn Clock>,
        breaker: Arc<Breaker>,
    ) -> Result<Program, PortError> {
        let program = spec.command.clone().filter(|program| !program.is_empty()).ok_or_else(|| {
            PortError::Lasting(
                "thinker.command is not set: name the program, such as [\"claude\", \"-p\"]".into(),
            )
        })?;
        let arguments = spec.args.clone();
        let (timeout, max_bytes) = (spec.timeout, spec.max_bytes);
        Ok(Program { program, arguments, timeout, max_bytes, clock, breaker })
    }

    fn run(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        let time = time_for(prompt, desk, self.timeout);
        if time.is_zero() {
            return Err(too_slow(time));
        }
        let asked = format!("{}\n\n{}\n", prompt.instructions, prompt.material);
        let printed = self.print(&asked, time);
        let text = printed.as_deref().unwrap_or_default();
        // What was asked is paid for by whoever runs the model behind the program, whatever came of it.
        let spent = match &printed {
            Err(fault) if fault.kind == FaultKind::Misconfigured => Ok(()),
            _ => desk.spent_at_last(counted(&asked, text)),
        };
        let text = printed?;
        spent?;
        match text.trim() {
            "" => Err(Fault::new(FaultKind::Refused, "the thinker's command printed nothing")),
            text => Ok(Thought { text: text.to_owned(), model: None }),
        }
    }

    /// What the program prints when it is given this.
    fn print(&self, asked: &str, time: Duration) -> Result<String, Fault> {
        let deadline = Instant::now() + time;
        let mut child = child::start(&self.program, &self.arguments, Stdio::piped()).map_err(not_started)?;
        child::write_beside(&mut child, asked.to_owned());
        let printed = self.read(&mut child, deadline);
        if printed.is_err() {
            child::end(&mut child);
        }
        let printed = printed.map_err(|why| self.unfinished(why, time))?;
        let status = child::wait_until(&mut child, deadline).ok_or_else(|| too_slow(time))?;
        child::judge(status).map_err(|how| {
            Fault::new(FaultKind::Failed, format!("the thinker's command {how}: run it by hand"))
        })?;
        String::from_utf8(printed).map_err(|_| {
            Fault::new(FaultKind::Unreadable, "the thinker's command printed something else than text")
        })
    }

    /// All that it prints, until it closes its end.
    fn read(&self, child: &mut Child, deadline: Instant) -> Result<Vec<u8>, Unfinished> {
        let Some(stdout) = child.stdout.take() else { return Ok(Vec::new()) };
        let printed = read_beside(stdout, self.max_bytes);
        let left = deadline.saturating_duration_since(Instant::now());
        match printed.recv_timeout(left) {
            Ok(bytes) if bytes.len() as u64 > self.max_bytes => Err(Unfinished::TooLarge),
            Ok(bytes) => Ok(bytes),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(Unfinished::TooSlow),
        }
    }

    fn unfinished(&self, why: Unfinished, time: Duration) -> Fault {
        match why {
            Unfinished::TooSlow => too_slow(time),
            Unfinished::TooLarge => Fault::new(
                FaultKind::TooLarge,
                format!("the thinker's command printed more than {} bytes", self.max_bytes),
            ),
        }
    }
}

#[derive(Clone, Copy)]
enum Unfinished {
    TooSlow,
    TooLarge,
}

impl Thinker for Program {
    fn name(&self) -> &str {
        "command"
    }

    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        self.breaker.admit(self.clock.now())?;
        let thought = self.run(prompt, desk);
        self.breaker.note(self.clock.now(), &thought);
        thought
    }
}

/// Reads on a thread, one byte more than is taken at most. The thread ends with the program at the latest.
fn read_beside(stdout: ChildStdout, max_bytes: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

fn too_slow(time: Duration) -> Fault {
    let told = format!(
        "the thinker's command did not come to an end within {time:?}: raise thinker.timeout if that is usual"
    );
    Fault::new(FaultKind::TooSlow, told)
}

fn not_started(why: NotStarted) -> Fault {
    match why {
        NotStarted::Missing => {
            Fault::new(FaultKind::Misconfigured, "there is no such program: check thinker.command")
        }
        NotStarted::Forbidden => Fault::new(
            FaultKind::Misconfigured,
            "the program may not be started: check thinker.command and its rights",
        ),
        NotStarted::Failed => {
            Fault::new(FaultKind::Unreachable, "the thinker's command could not be started")
        }
    }
}

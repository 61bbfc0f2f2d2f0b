//! Programs that we start: no shell reads their arguments, they are told none of our secrets, and they end with all that
//! they started.

use selfsame::config::variables;
use std::io::{ErrorKind, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Why a program did not start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotStarted {
    Missing,
    Forbidden,
    /// The machine could not, this time.
    Failed,
}

/// In a process group of its own, so that what it started can be ended with it. What it complains about goes nowhere, and
/// it is not told our settings, which may be secret.
pub(crate) fn start(program: &str, arguments: &[String], stdout: Stdio) -> Result<Child, NotStarted> {
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::null());
    variables().for_each(|name| {
        command.env_remove(name);
    });
    command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => NotStarted::Missing,
        ErrorKind::PermissionDenied => NotStarted::Forbidden,
        _ => NotStarted::Failed,
    })
}

/// Writes what it reads, on a thread: a program that does not read must not keep us. The thread ends when nobody has the
/// other end any more.
pub(crate) fn write_beside(child: &mut Child, text: String) {
    if let Some(mut stdin) = child.stdin.take() {
        // Whether it wants to read is its matter: its exit code says whether it is content.
        std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    }
}

/// How it ended, if it did by then. If not, it is ended.
pub(crate) fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK),
            _ => {
                end(child);
                return None;
            }
        }
    }
}

/// It was not waited for yet, so its id is still its own.
pub(crate) fn end(child: &mut Child) {
    let group = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    let _ = child.wait();
}

/// Whether it was content; if not, how it ended.
pub(crate) fn judge(status: ExitStatus) -> Result<(), String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(format!("ended with code {code}")),
        (None, signal) => Err(format!("was ended by signal {}", signal.unwrap_or_default())),
    }
}

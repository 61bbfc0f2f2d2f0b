//! A nudge as a line at the end of a file.

use super::{lasting, passing};
use rustix::fs::OFlags;
use selfsame::ports::{Delivery, Message, PortError};
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// One JSON object a line, for whoever follows the file.
pub(super) struct Lines {
    path: PathBuf,
    /// One at a time: what a full disk cut short is taken back, and must be the end of the file for that.
    writing: Mutex<()>,
}

impl Lines {
    pub(super) fn at(path: PathBuf) -> Lines {
        Lines { path, writing: Mutex::new(()) }
    }

    /// Whoever can make a link in the folder must not be able to have us write elsewhere; and nobody reads a pipe for us.
    fn open(&self) -> Result<File, PortError> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(flags.bits().cast_signed());
        let file = options.open(&self.path).map_err(|error| not_opened(&error))?;
        match file.metadata() {
            Ok(found) if found.is_file() => Ok(file),
            _ => Err(lasting(NO_FILE)),
        }
    }

    /// In one write, so that whoever else appends stands before or behind it, and on the disk before we say that it is
    /// there.
    fn append(&self, line: &str) -> Result<(), PortError> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = self.open()?;
        let before = file.metadata().map_err(|_| not_written())?.len();
        match file.write(line.as_bytes()) {
            Ok(written) if written == line.len() => file.sync_all().map_err(|_| not_written()),
            _ => {
                let _ = file.set_len(before);
                Err(not_written())
            }
        }
    }
}

impl Delivery for Lines {
    fn channel(&self) -> &str {
        "file"
    }

    fn deliver(&self, message: &Message) -> Result<(), PortError> {
        self.append(&format!("{}\n", message.body))
    }
}

const NO_FILE: &str = "is no plain file: set heartbeat.file to one, or to where one can be made";

fn not_written() -> PortError {
    passing("the line could not be written: is the disk full?")
}

fn not_opened(error: &Error) -> PortError {
    match error.kind() {
        ErrorKind::NotFound => lasting("its folder is not there: make it, or change heartbeat.file"),
        ErrorKind::PermissionDenied => lasting("may not be written: change its rights, or heartbeat.file"),
        ErrorKind::IsADirectory => lasting(NO_FILE),
        // A link, which is refused so; a pipe that nobody reads.
        _ if [rustix::io::Errno::LOOP, rustix::io::Errno::NXIO]
            .iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) =>
        {
            lasting(NO_FILE)
        }
        _ => passing("could not be opened"),
    }
}

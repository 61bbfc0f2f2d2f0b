//! selfsame serve

use super::init::ensure_key;
use crate::output::Output;
use crate::settings::Resolution;
use selfsame::{Faults, Opening};
use selfsame_daemon::{Failure, serve};
use std::net::SocketAddr;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to listen [default: server.address, 127.0.0.1:4177]; port 0 takes a free one
    #[arg(long, value_name = "IP:PORT")]
    address: Option<SocketAddr>,
    /// Listen beyond this machine without TLS, knowing that keys and memories cross the network in the clear
    #[arg(long)]
    insecure: bool,
}

pub(crate) fn run(args: &Args, resolution: Resolution, output: &Output) -> Result<(), Failure> {
    let Resolution { mut home, faults, .. } = resolution;
    if let Some(address) = args.address {
        home.settings.server.address = address;
    }
    let address = home.settings.server.address;
    if !address.ip().is_loopback() && !args.insecure {
        return Err(Failure::bad_request(
            "not_loopback",
            format!(
                "{address} can be reached from other machines, and there is no TLS here: listen on 127.0.0.1 and put a \
                 TLS proxy before it, or say --insecure"
            ),
        ));
    }
    make_mind(&home, &faults)?;
    let folder = home.folder()?;
    serve::run_with(&home, faults, serve::stop_signal(), |ready| {
        if output.is_json() {
            output.print(&format!("{}\n", serde_json::json!({ "address": ready.address.to_string() })));
            return;
        }
        output.print(&format!(
            "selfsame is awake at http://{}\n  data  {}\n  key   in {}\n  mcp   selfsame mcp   (for an agent's host)\n  stop  Ctrl-C\n",
            ready.address,
            folder.path().display(),
            folder.key().display()
        ));
    })
}

/// On a fresh machine `serve` is the first command: it makes what `init` would make. The folder is let go again at once.
fn make_mind(home: &selfsame_daemon::Home, faults: &Faults) -> Result<(), Failure> {
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

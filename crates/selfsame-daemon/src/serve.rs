//! The daemon: owns the folder, listens on the network and on its socket, stops when told to.

use crate::backend::Home;
use crate::couriers::{UNSIGNED, is_unsigned};
use crate::failure::Failure;
use crate::http::{Entrance, router};
use crate::pool::Pool;
use crate::runner::Runner;
use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use selfsame::reindex::Reindexed;
use selfsame::{DataFolder, Error, Faults, FolderError, Mind};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::watch;

/// Headers must be here by then; a client that drips them is cut off.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Requests under way get this long to finish when the daemon stops.
const GRACE: Duration = Duration::from_secs(5);

/// Where a daemon listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ready {
    /// On the network.
    pub address: SocketAddr,
}

/// Runs the daemon until `stop` is done. `ready` is called once, when requests are answered.
pub fn run(home: &Home, stop: impl Future<Output = ()>, ready: impl FnOnce(&Ready)) -> Result<(), Failure> {
    run_with(home, Faults::default(), stop, ready)
}

/// The same with planned faults, for the tests that kill it at a named point.
pub fn run_with(
    home: &Home,
    faults: Faults,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(&Ready),
) -> Result<(), Failure> {
    let folder = home.make_folder()?;
    // The daemon does not wait for another owner: two daemons on one folder is a mistake to be told at once.
    let mut home = home.clone();
    home.settings.database.lock_wait = Duration::ZERO;
    let settings = home.settings.clone();
    let guard = match &settings.database.url {
        // The database is elsewhere, but the socket is in the folder: one daemon a folder all the same.
        Some(_) => Some(folder.lock(Duration::ZERO).map_err(Error::from)?),
        None => None,
    };
    let mind = home.opening(&folder)?.store_options(|options| options.faults = faults).open(&folder)?;
    log_reindexed(&mind);
    if is_unsigned(&settings.heartbeat) {
        tracing::warn!("{UNSIGNED}");
    }
    mind.ensure_agent(&settings.agent.name)?;
    mind.ensure_house_duties()?;
    let mind = Arc::new(mind);
    let runner = Runner::start(&mind).map_err(|error| starting(&error))?;
    let pool = Pool::start(&mind, settings.server.workers, settings.server.queue)
        .map_err(|error| starting(&error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| starting(&error))?;
    let outcome = runtime.block_on(listen(&folder, &settings, Arc::new(pool), stop, ready));
    runtime.shutdown_timeout(GRACE);
    // Joined before the lock goes: a duty may still be in the database.
    drop(runner);
    drop(guard);
    outcome
}

/// That an earlier version's index was built anew explains why the start took so long.
fn log_reindexed(mind: &Mind) {
    let Reindexed { agents, texts } = mind.reindexed();
    if texts > 0 {
        tracing::info!(agents, texts, "the index was built anew for this version");
    }
}

/// Done when the process is asked to end: Ctrl-C or SIGTERM.
pub async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

async fn listen(
    folder: &DataFolder,
    settings: &selfsame::config::Settings,
    pool: Arc<Pool>,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(&Ready),
) -> Result<(), Failure> {
    let wanted = settings.server.address;
    let network = TcpListener::bind(wanted).await.map_err(|error| address_taken(wanted, &error))?;
    let address = network.local_addr().map_err(|error| starting(&error))?;
    let socket = bind_socket(&folder.socket())?;
    let limit = settings.server.max_body_bytes;
    let outside = router(&pool, Entrance::Network { hosts: host_names(address) }, address, limit);
    let inside = router(&pool, Entrance::Socket, address, limit);

    let (stopping, stopped) = watch::channel(false);
    let doors = [
        tokio::spawn(accept_network(network, outside, stopped.clone())),
        tokio::spawn(accept_socket(socket, inside, stopped)),
    ];
    let mut stop = std::pin::pin!(stop);
    // Looked at once before anybody hears that we are ready: from then on a signal is heard and does not kill.
    let told_already = tokio::select! {
        biased;
        () = &mut stop => true,
        () = std::future::ready(()) => false,
    };
    ready(&Ready { address });
    if !told_already {
        stop.await;
    }
    stopping.send_replace(true);
    for door in doors {
        // A door that panicked has nothing left to finish.
        let _ = door.await;
    }
    let _ = std::fs::remove_file(folder.socket());
    // The last threads may still be in the database; leaving them here would leave the lock.
    tokio::task::spawn_blocking(move || drop(pool)).await.map_err(|error| starting(&error))
}

async fn accept_network(listener: TcpListener, router: Router, mut stopped: watch::Receiver<bool>) {
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => serve_connection(TokioIo::new(stream), &router, &connections),
                Err(error) => back_off(&error).await,
            },
            _ = stopped.changed() => break,
        }
    }
    drop(listener);
    finish(connections).await;
}

async fn accept_socket(listener: UnixListener, router: Router, mut stopped: watch::Receiver<bool>) {
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if is_ours(&stream) => serve_connection(TokioIo::new(stream), &router, &connections),
                Ok(_) => tracing::warn!("a process of another user came to the socket and was sent away"),
                Err(error) => back_off(&error).await,
            },
            _ = stopped.changed() => break,
        }
    }
    drop(listener);
    finish(connections).await;
}

fn serve_connection<S>(stream: TokioIo<S>, router: &Router, connections: &GracefulShutdown)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    let service = TowerToHyperService::new(router.clone());
    let connection = connections.watch(builder.serve_connection(stream, service).into_owned());
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended badly");
        }
    });
}

async fn finish(connections: GracefulShutdown) {
    if tokio::time::timeout(GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!("requests were still under way after {} s and were cut off", GRACE.as_secs());
    }
}

/// No more file descriptors, most likely: waiting helps, spinning does not.
async fn back_off(error: &std::io::Error) {
    tracing::warn!(%error, "no connection can be taken right now");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// Only processes of our own user may come in by the socket: it needs no key.
fn is_ours(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// We hold the folder's lock, so a socket that is there was left behind.
fn bind_socket(path: &Path) -> Result<UnixListener, Failure> {
    let _ = std::fs::remove_file(path);
    UnixListener::bind(path)
        .map_err(|cause| Error::from(FolderError::Unusable { path: path.to_owned(), cause }).into())
}

/// The names under which a listener on this address may be called.
fn host_names(address: SocketAddr) -> Vec<String> {
    let own = match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    };
    vec!["localhost".into(), "127.0.0.1".into(), "[::1]".into(), own]
}

fn address_taken(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::new(
        503,
        "address_unavailable",
        format!("cannot listen on {address} ({error}): stop what uses it, or choose another with --address"),
    )
}

fn starting(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(500, "internal", format!("the daemon cannot run: {error}"))
}

//! The daemon: owns the folder, listens on the network and on its socket, stops when told to.

use crate::attendance::Attendance;
use crate::backend::Home;
use crate::connections::{Connections, Visit};
use crate::couriers::{UNSIGNED, is_unsigned};
use crate::failure::Failure;
use crate::http::{CameTo, Common, Entrance, Feeds, Site, dashboard, host_of, router};
use crate::pool::Pool;
use crate::runner::Runner;
use crate::tls;
use axum::Router;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use selfsame::config::ServerSettings;
use selfsame::reindex::Reindexed;
use selfsame::{DataFolder, Error, Faults, FolderError, Mind};
use std::future::ready;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// Connections of the owner's own processes, at most.
const OWNERS: usize = 1024;
/// Requests under way get this long to finish when the daemon stops.
const GRACE: Duration = Duration::from_secs(5);

/// Where a daemon listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ready {
    /// On the network.
    pub address: SocketAddr,
    /// The same as one writes it into a browser.
    pub url: String,
    /// Where a browser finds the dashboard.
    pub dashboard: String,
    /// What opens it, once and within five minutes.
    pub code: String,
}

/// Runs the daemon until `stop` is done. `ready` is called once, when requests are answered.
pub fn run(home: &Home, stop: impl Future<Output = ()>, ready: impl FnOnce(&Ready)) -> Result<(), Failure> {
    run_with(home, Manner::default(), stop, ready)
}

/// What is not usual about a daemon.
#[derive(Default)]
pub struct Manner {
    /// Planned faults, for the tests that kill it at a named point.
    pub faults: Faults,
    /// It ends when nobody was connected for so long: of a daemon that was started by need.
    pub idle_stop: Option<Duration>,
}

/// The same in another manner.
pub fn run_with(
    home: &Home,
    manner: Manner,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(&Ready),
) -> Result<(), Failure> {
    let tls = doorway(home)?;
    let folder = home.make_folder()?;
    allow_open_files();
    // The daemon does not wait for another owner: two daemons on one folder is a mistake to be told at once.
    let mut home = home.clone();
    home.settings.database.lock_wait = Duration::ZERO;
    let settings = home.settings.clone();
    let guard = match &settings.database.url {
        // The database is elsewhere, but the socket is in the folder: one daemon a folder all the same.
        Some(_) => Some(folder.lock(Duration::ZERO).map_err(Error::from)?),
        None => None,
    };
    let Manner { faults, idle_stop } = manner;
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
    let feeds = Feeds::start(&mind)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| starting(&error))?;
    let attendance = Attendance::new();
    let watched = || feeds.counts().open > 0;
    let stop = until_stopped(stop, attendance.clone(), watched, idle_stop);
    let outside = Outside { settings: &settings.server, tls };
    let outcome =
        runtime.block_on(listen(&folder, outside, Arc::new(pool), &feeds, &attendance, stop, ready));
    runtime.shutdown_timeout(GRACE);
    // Joined before the lock goes: a duty may still be in the database.
    feeds.stop();
    drop(runner);
    drop(guard);
    outcome
}

/// Whether a daemon with these settings may listen where they say; nothing is made or changed.
pub fn check(home: &Home) -> Result<(), Failure> {
    doorway(home).map(drop)
}

/// What connections from the network pass through: TLS, or nothing where nobody else can listen, or by an explicit word.
fn doorway(home: &Home) -> Result<Option<TlsAcceptor>, Failure> {
    let ServerSettings { address, tls, insecure, .. } = &home.settings.server;
    match tls {
        Some(files) => tls::acceptor(files, &home.data).map(Some),
        None if address.ip().is_loopback() || *insecure => Ok(None),
        None => Err(Failure::bad_request(
            "not_loopback",
            format!(
                "{address} can be reached from other machines, and there is no TLS: name a certificate (server.tls_cert and \
                 server.tls_key), or listen on 127.0.0.1 behind a TLS proxy, or say --insecure"
            ),
        )),
    }
}

/// Done when it is told to stop, or when nobody was here for as long as it waits.
async fn until_stopped(
    stop: impl Future<Output = ()>,
    attendance: Attendance,
    watched: impl Fn() -> bool,
    idle_stop: Option<Duration>,
) {
    match idle_stop {
        None => stop.await,
        Some(time) => tokio::select! {
            () = stop => {}
            () = attendance.empty_for(time, watched) => {
                tracing::info!("nobody was connected for {} s: the daemon ends until it is needed", time.as_secs());
            }
        },
    }
}

/// That an earlier version's index was built anew explains why the start took so long.
fn log_reindexed(mind: &Mind) {
    let Reindexed { agents, texts } = mind.reindexed();
    if texts > 0 {
        tracing::info!(agents, texts, "the index was built anew for this version");
    }
}

/// As many as the machine lets us have: every connection is one, and the usual limit is meant for programs of the terminal.
fn allow_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%error, "the limit of open files stays as it is");
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

/// How others come in from the network.
struct Outside<'a> {
    settings: &'a ServerSettings,
    tls: Option<TlsAcceptor>,
}

async fn listen(
    folder: &DataFolder,
    Outside { settings, tls }: Outside<'_>,
    pool: Arc<Pool>,
    feeds: &Feeds,
    attendance: &Attendance,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(&Ready),
) -> Result<(), Failure> {
    let wanted = settings.address;
    let network = TcpListener::bind(wanted).await.map_err(|error| address_taken(wanted, &error))?;
    let address = network.local_addr().map_err(|error| starting(&error))?;
    let socket = bind_socket(&folder.socket())?;
    let common = Arc::new(Common::new(Arc::clone(&pool), feeds.clone(), settings));
    let site = Site::new(address, tls.is_some(), &settings.hosts);
    let hosts = host_names(address, &settings.hosts);
    let outside = router(&common, Entrance::Network { hosts }, &site);
    let inside = router(&common, Entrance::Socket, &site);

    let (stopping, stopped) = watch::channel(false);
    let doors = [
        tokio::spawn(accept_network(
            network,
            tls,
            Arc::clone(common.connections()),
            outside,
            attendance.clone(),
            stopped.clone(),
        )),
        tokio::spawn(accept_socket(socket, inside, attendance.clone(), stopped)),
    ];
    let mut stop = std::pin::pin!(stop);
    // Looked at once before anybody hears that we are ready: from then on a signal is heard and does not kill.
    let told_already = tokio::select! {
        biased;
        () = &mut stop => true,
        () = std::future::ready(()) => false,
    };
    let code = common.sessions().code(Instant::now())?;
    ready(&Ready { address, dashboard: dashboard::link(&site.url), url: site.url, code });
    if !told_already {
        stop.await;
    }
    stopping.send_replace(true);
    pool.close_soon();
    feeds.close();
    for door in doors {
        // A door that panicked has nothing left to finish.
        let _ = door.await;
    }
    // Whoever watched has been told; those who do not answer are left behind.
    let _ = tokio::time::timeout(GRACE, feeds.closed()).await;
    let _ = std::fs::remove_file(folder.socket());
    drop(common);
    // The last threads may still be in the database; leaving them here would leave the lock.
    tokio::task::spawn_blocking(move || drop(pool)).await.map_err(|error| starting(&error))
}

async fn accept_network(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    connections: Arc<Connections>,
    router: Router,
    attendance: Attendance,
    mut stopped: watch::Receiver<bool>,
) {
    let heard = stopped.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // Events are small and should not wait for each other.
                    let _ = stream.set_nodelay(true);
                    let came_to = stream.local_addr().ok().map(|address| CameTo(address.ip()));
                    let visit = Visit { router: router.clone(), came_to, present: attendance.enter() };
                    match &tls {
                        Some(tls) => connections.serve(tls.accept(stream), visit, heard.clone()),
                        None => connections.serve(ready(Ok(stream)), visit, heard.clone()),
                    }
                }
                Err(error) => back_off(&error).await,
            },
            _ = stopped.changed() => break,
        }
    }
    drop(listener);
    finish(&connections).await;
}

async fn accept_socket(
    listener: UnixListener,
    router: Router,
    attendance: Attendance,
    mut stopped: watch::Receiver<bool>,
) {
    let (connections, heard) = (Connections::new(OWNERS), stopped.clone());
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if is_ours(&stream) => {
                    let visit = Visit { router: router.clone(), came_to: None, present: attendance.enter() };
                    connections.serve(ready(Ok(stream)), visit, heard.clone());
                }
                Ok(_) => tracing::warn!("a process of another user came to the socket and was sent away"),
                Err(error) => back_off(&error).await,
            },
            _ = stopped.changed() => break,
        }
    }
    drop(listener);
    finish(&connections).await;
}

async fn finish(connections: &Connections) {
    if tokio::time::timeout(GRACE, connections.finished()).await.is_err() {
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

/// The names under which a listener on this address may be called, beside the address that a connection came to.
fn host_names(address: SocketAddr, more: &[String]) -> Vec<String> {
    let own = ["localhost".into(), "127.0.0.1".into(), "[::1]".into(), host_of(address.ip())];
    own.into_iter().chain(more.iter().cloned()).collect()
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

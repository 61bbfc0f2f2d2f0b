//! The connections of one door: how many there may be, how long one may dawdle, and how all of them end.
//!
//! A connection that waits for its client is cheap, and so is opening many of them to keep others out. When all places are
//! taken, the one that has been waiting longest makes room; one that is answering never does.

mod patience;

use self::patience::{PatientBody, PatientStream};
use crate::attendance::Present;
use crate::http::CameTo;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tower::ServiceExt as _;

/// Headers must be here by then; a client that drips them is cut off, and so is one that keeps a connection for nothing.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of headers, at most.
const MAX_HEADER_BYTES: usize = 32 << 10;

/// The connections of a door.
pub(crate) struct Connections {
    most: usize,
    open: Mutex<BTreeMap<u64, Arc<Connection>>>,
    last: AtomicU64,
    refused: AtomicU64,
    left: Notify,
}

/// What one connection is served with.
pub(crate) struct Visit {
    pub(crate) router: Router,
    /// The address that it came to, if it came from the network.
    pub(crate) came_to: Option<CameTo>,
    pub(crate) present: Present,
}

/// One of them.
#[derive(Default)]
struct Connection {
    /// Requests whose answer is not sent yet.
    under_way: AtomicUsize,
    make_room: Notify,
}

impl Connections {
    /// As many as `most`.
    pub(crate) fn new(most: usize) -> Arc<Connections> {
        Arc::new(Connections {
            most,
            open: Mutex::default(),
            last: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            left: Notify::new(),
        })
    }

    /// How many are open.
    pub(crate) fn count(&self) -> u64 {
        self.lock().len() as u64
    }

    /// How many were turned away or made room for others.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Serves a connection in the background, once it has come in, until it ends or `stopped` says so.
    pub(crate) fn serve<S>(
        self: &Arc<Self>,
        entering: impl Future<Output = io::Result<S>> + Send + 'static,
        visit: Visit,
        mut stopped: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Some(place) = self.admit() else { return };
        tokio::spawn(async move {
            let Visit { router, came_to, present: _present } = visit;
            let entered = tokio::select! {
                entered = timeout(HEADER_TIMEOUT, entering) => entered,
                () = place.connection.make_room.notified() => return,
                _ = stopped.wait_for(|stopped| *stopped) => return,
            };
            let stream = match entered {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => return tracing::debug!(%error, "a connection did not come in"),
                Err(_) => return tracing::debug!("a connection did not come in in time"),
            };
            if let Err(error) = place.answer(stream, router, came_to, stopped).await {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }

    /// Done when all are gone.
    pub(crate) async fn finished(&self) {
        loop {
            let left = self.left.notified();
            if self.count() == 0 {
                return;
            }
            left.await;
        }
    }

    /// A place, if need be that of whoever has been waiting longest.
    fn admit(self: &Arc<Self>) -> Option<Place> {
        let mut open = self.lock();
        if open.len() >= self.most {
            self.refused.fetch_add(1, Ordering::Relaxed);
            let idle = |connection: &Connection| connection.under_way.load(Ordering::Relaxed) == 0;
            let longest = open.iter().find(|(_, connection)| idle(connection)).map(|(number, _)| *number)?;
            let gone = open.remove(&longest)?;
            gone.make_room.notify_one();
        }
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::<Connection>::default();
        open.insert(number, Arc::clone(&connection));
        Some(Place { of: Arc::clone(self), number, connection })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection, free again when this is dropped.
struct Place {
    of: Arc<Connections>,
    number: u64,
    connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.of.lock().remove(&self.number);
        self.of.left.notify_waiters();
    }
}

impl Place {
    async fn answer<S>(
        self,
        stream: S,
        router: Router,
        came_to: Option<CameTo>,
        mut stopped: watch::Receiver<bool>,
    ) -> hyper::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let own = Arc::clone(&self.connection);
        let service = service_fn(move |mut request: Request<Incoming>| {
            if let Some(came_to) = came_to {
                request.extensions_mut().insert(came_to);
            }
            let (router, under_way) = (router.clone(), UnderWay::begin(&own));
            async move { Ok::<_, Infallible>(answered(router, request, under_way).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_header_size(MAX_HEADER_BYTES)
            .serve_connection(TokioIo::new(PatientStream::new(stream)), service)
            .with_upgrades();
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            ended = connection.as_mut() => return ended,
            () = self.connection.make_room.notified() => return Ok(()),
            _ = stopped.wait_for(|stopped| *stopped) => {}
        }
        // What is under way is finished; nothing new is taken.
        connection.as_mut().graceful_shutdown();
        connection.await
    }
}

async fn answered(router: Router, request: Request<Incoming>, under_way: UnderWay) -> Response<Body> {
    let request = request.map(|body| Body::new(PatientBody::new(body)));
    let Ok(response) = router.oneshot(request).await;
    // It is under way until its last byte is taken.
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _ = &under_way;
            frame
        }))
    })
}

/// A request that is being answered.
struct UnderWay(Arc<Connection>);

impl UnderWay {
    fn begin(connection: &Arc<Connection>) -> UnderWay {
        connection.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(Arc::clone(connection))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

//! The gate between the client library and the provider.
//!
//! The library knows how each provider wants to be asked, but reads an answer of any length, adds up what it is told and
//! would go wherever it is led. So it is given an address on this machine, where the gate takes its request, puts the key
//! on, asks the one server that is meant by our own way out ([`crate::web`]), looks at the answer and hands on what can be
//! used. A gate is opened for one prompt, on a port of its own, and whoever does not know its secret path is turned away.

use super::counted;
use super::provider::{NoAnswer, Provider};
use super::trouble::Place;
use crate::reach::Reach;
use crate::web::{Limits, Watch};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use selfsame::config::Secret;
use selfsame::ports::{Fault, FaultKind};
use selfsame::seal::hex;
use selfsame::time::Clock;
use serde_json::Value;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

/// A prompt has budgets of its own; this only bounds what is held in memory.
const LARGEST_REQUEST: usize = 32 << 20;

/// Whom the gate leads to.
#[derive(Clone)]
pub(super) struct Upstream {
    pub(super) place: Place,
    /// Nothing secret in it.
    pub(super) url: String,
    pub(super) provider: Provider,
    pub(super) model: String,
    pub(super) reach: Reach,
    pub(super) key: Option<Secret>,
    pub(super) idle: Duration,
    pub(super) clock: Arc<dyn Clock>,
}

/// What became of a request.
pub(super) struct Exchange {
    /// What it cost, as it is told or else counted; nothing if the server did not take it on.
    pub(super) tokens: u64,
    /// Why nothing came of it, if so.
    pub(super) fault: Option<Fault>,
}

pub(super) struct Gate {
    url: String,
    shared: Arc<Shared>,
}

struct Shared {
    path: String,
    upstream: Upstream,
    watch: Watch,
    deadline: Mutex<Instant>,
    last: Mutex<Option<Exchange>>,
}

impl Gate {
    /// Opens it; it is served by the runtime that this is called in, and ends with that.
    pub(super) async fn open(upstream: Upstream) -> Result<Gate, Fault> {
        let broken =
            |_| Fault::new(FaultKind::Failed, "this machine gives no port or no chance: is it out of files?");
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|_| broken(()))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|_| broken(()))?;
        let address = listener.local_addr().map_err(|_| broken(()))?;
        let path = format!("/{}/", hex(&secret));
        let url = format!("http://{address}{path}");
        let watch = Watch::new(upstream.reach.clone(), upstream.idle);
        let shared = Arc::new(Shared {
            path,
            upstream,
            watch,
            deadline: Mutex::new(Instant::now()),
            last: Mutex::new(None),
        });
        tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Gate { url, shared })
    }

    /// Where the library finds it.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The next request must be answered by then.
    pub(super) fn expect_until(&self, deadline: Instant) {
        *self.shared.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
        self.take_last();
    }

    /// What became of the request since.
    pub(super) fn take_last(&self) -> Option<Exchange> {
        self.shared.last.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        let service = service_fn(move |request| answer(Arc::clone(&shared), request));
        let connection =
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move { drop(connection.await) });
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.method() != Method::POST || !request.uri().path().starts_with(&shared.path) {
        return Ok(closed(StatusCode::NOT_FOUND));
    }
    let headers = provider_headers(request.headers());
    let Ok(body) = Limited::new(request.into_body(), LARGEST_REQUEST).collect().await else {
        return Ok(closed(StatusCode::PAYLOAD_TOO_LARGE));
    };
    // It waits for the server: not on a worker of this runtime.
    let forwarded = tokio::task::spawn_blocking(move || shared.forward(&body.to_bytes(), headers)).await;
    Ok(match forwarded {
        Ok(Some(body)) => {
            let mut response = Response::new(Full::from(body));
            response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
            response
        }
        Ok(None) | Err(_) => closed(StatusCode::BAD_GATEWAY),
    })
}

fn closed(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

/// Of what the library says of a request, only the provider's own headers go out; the key is not known to it.
fn provider_headers(headers: &HeaderMap) -> HeaderMap {
    let own = headers.iter().filter(|(name, _)| name.as_str().starts_with("anthropic-"));
    own.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl Shared {
    /// Asks the server; keeps what became of it, and gives what the library may read.
    fn forward(&self, request: &[u8], headers: HeaderMap) -> Option<String> {
        let asked = self.ask(request, headers);
        let (exchange, body) = match asked {
            Ok((body, tokens)) => (Exchange { tokens, fault: None }, Some(body)),
            Err((fault, tokens)) => (Exchange { tokens, fault: Some(fault) }, None),
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(exchange);
        body
    }

    /// The answer and what it cost; or why there is none, and what that cost.
    fn ask(&self, request: &[u8], headers: HeaderMap) -> Result<(String, u64), (Fault, u64)> {
        let Upstream { place, url, provider, model, clock, .. } = &self.upstream;
        let free = |fault| (fault, 0);
        let mut request: Value =
            serde_json::from_slice(request).map_err(|_| free(place.unreadable("it was asked badly")))?;
        provider.as_set(&mut request, model);
        let request = request.to_string();
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        let time = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let limits = Limits { time, bytes: place.max_bytes, now: clock.now() };
        let headers = self.with_key(headers).map_err(free)?;
        // What was taken on is paid for, whatever comes back.
        let answer = self.watch.post(url, &headers, &request, limits).map_err(|error| {
            let fault = place.no_answer(&error, time);
            let paid = matches!(fault.kind, FaultKind::TooSlow | FaultKind::TooLarge | FaultKind::Unreadable);
            (fault, if paid { counted(&request, "") } else { 0 })
        })?;
        if !answer.is_success() {
            return Err(free(place.refused(&answer)));
        }
        let counted = || counted(&request, &String::from_utf8_lossy(&answer.body));
        let paid = |fault| (fault, counted());
        let mut said = place.read(&answer.body).map_err(paid)?;
        let told = provider.take_tokens(&mut said).map_err(|why| paid(unusable(place, why)))?;
        Ok((said.to_string(), told.unwrap_or_else(counted)))
    }

    fn with_key(&self, mut headers: HeaderMap) -> Result<HeaderMap, Fault> {
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        headers.insert("accept", HeaderValue::from_static("application/json"));
        if let Some(key) = &self.upstream.key {
            let (name, value) = secret_header(self.upstream.provider, key)?;
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

/// The header that shows a key.
pub(super) fn secret_header(provider: Provider, key: &Secret) -> Result<(HeaderName, HeaderValue), Fault> {
    let (name, value) = provider.key_header(key.reveal());
    let mut value = HeaderValue::try_from(value).map_err(|_| {
        Fault::new(
            FaultKind::Misconfigured,
            "thinker.key has letters that no key has: copy SELFSAME_THINKER_KEY anew",
        )
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// It answered with success, but not with words or calls of tools.
fn unusable(place: &Place, why: NoAnswer) -> Fault {
    match why {
        NoAnswer::OtherShape => place.unreadable("it has another shape than such an answer"),
        NoAnswer::Blocked => place.declined(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfsame::clock::SystemClock;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    fn upstream() -> Upstream {
        let url = "http://127.0.0.1:9/v1".to_owned();
        Upstream {
            place: Place {
                named: url.clone(),
                check: "",
                when_nobody_answers: "",
                when_not_found: String::new(),
                has_key: false,
                max_bytes: 100,
            },
            reach: Reach::of_base(&url).unwrap(),
            url,
            provider: Provider::OpenAi,
            model: "m".into(),
            key: None,
            idle: Duration::from_secs(1),
            clock: Arc::new(SystemClock::default()),
        }
    }

    /// The status line of the answer to a request with an empty object.
    fn ask(gate: &str, method: &str, path: &str) -> String {
        let host = gate.trim_start_matches("http://").split('/').next().unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap().to_owned()
    }

    #[test]
    fn whoever_does_not_know_the_path_is_turned_away() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let gate = runtime.block_on(Gate::open(upstream())).unwrap();
        gate.expect_until(Instant::now() + Duration::from_secs(5));
        for (method, path) in
            [("POST", "/"), ("POST", "/chat/completions"), ("POST", "//"), ("GET", &gate.shared.path)]
        {
            assert_eq!(ask(gate.url(), method, path), "HTTP/1.1 404 Not Found", "{method} {path}");
        }
        assert!(gate.take_last().is_none(), "nobody was asked");
        let inside = format!("{}chat/completions", gate.shared.path);
        assert_eq!(ask(gate.url(), "POST", &inside), "HTTP/1.1 502 Bad Gateway", "nobody listens there");
        assert_eq!(gate.take_last().and_then(|last| last.fault).unwrap().kind, FaultKind::Unreachable);
        let other = runtime.block_on(Gate::open(upstream())).unwrap();
        assert_ne!(gate.shared.path, other.shared.path);
    }
}

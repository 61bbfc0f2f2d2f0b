//! The HTTP door: routes made from the table of operations, nothing else.

mod body;
mod guard;
mod metrics;

use crate::failure::Failure;
use crate::operations::{Answer, Entry, Method, TABLE};
use crate::pool::Pool;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Which door a request came in by: it decides who is speaking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entrance {
    /// The network: a key is needed. Requests must name one of these hosts.
    Network {
        /// Names under which we are addressed, without port.
        hosts: Vec<String>,
    },
    /// The socket in the data folder, whose peer has our own user id: the owner.
    Socket,
}

/// What the handlers share.
#[derive(Clone)]
struct Shared {
    pool: Arc<Pool>,
    entrance: Entrance,
    address: SocketAddr,
    requests: Arc<Requests>,
}

impl Shared {
    /// Refuses a request that no operation was found for; it gets a name all the same.
    fn refuse(&self, failure: Failure) -> Response {
        respond(Err(failure), &self.requests.next())
    }
}

/// Gives every request a name of its own, also across restarts.
struct Requests {
    since: u128,
    count: AtomicU64,
}

impl Requests {
    fn next(&self) -> String {
        format!("req-{:x}-{}", self.since, self.count.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Names what a client on the socket is: without it, the owner; with `agent`, the agent itself.
pub(crate) const SPEAKS_AS: &str = "x-selfsame-speaks-as";

/// The type of problem details (RFC 9457).
const PROBLEM: &str = "application/problem+json";

/// The router of one entrance, of a daemon that listens on `address`.
pub fn router(pool: &Arc<Pool>, entrance: Entrance, address: SocketAddr, max_body_bytes: usize) -> Router {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let requests = Arc::new(Requests { since, count: AtomicU64::new(0) });
    let shared = Shared { pool: Arc::clone(pool), entrance, address, requests };
    let mut paths: BTreeMap<&str, MethodRouter<Shared>> = BTreeMap::new();
    for entry in TABLE {
        let handler = move |State(shared): State<Shared>,
                            params: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap,
                            body: Bytes| {
            handle(entry, shared, Asked { params: pairs(&params), query, headers, body })
        };
        let route = match entry.route.method {
            Method::Get => get(handler),
            Method::Post => post(handler),
            Method::Delete => delete(handler),
        };
        let known = paths.remove(entry.route.path).unwrap_or_default();
        paths.insert(entry.route.path, known.merge(route));
    }
    let mut router = Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics::metrics));
    for (path, route) in paths {
        router = router.route(path, route);
    }
    router
        .fallback(|State(shared): State<Shared>| async move {
            shared.refuse(Failure::new(404, "no_such_route", "there is nothing at this address"))
        })
        .method_not_allowed_fallback(|State(shared): State<Shared>| async move {
            shared.refuse(Failure::new(405, "method_not_allowed", "this address does not take that method"))
        })
        .layer(DefaultBodyLimit::max(max_body_bytes))
        .layer(axum::middleware::map_response_with_state(shared.clone(), body::explain_refusal))
        .layer(axum::middleware::from_fn_with_state(shared.clone(), guard::check_host))
        .with_state(shared)
}

/// A request, taken apart.
struct Asked {
    params: Vec<(String, String)>,
    query: Option<String>,
    headers: HeaderMap,
    body: Bytes,
}

async fn handle(entry: &'static Entry, shared: Shared, asked: Asked) -> Response {
    let request_id = shared.requests.next();
    let result = answer(entry, &shared, asked).await;
    match &result {
        Ok(_) => tracing::debug!(request_id, operation = entry.name, "done"),
        Err(failure) => tracing::info!(
            request_id,
            operation = entry.name,
            status = failure.status,
            code = failure.code,
            "refused"
        ),
    }
    respond(result, &request_id)
}

async fn answer(entry: &'static Entry, shared: &Shared, asked: Asked) -> Result<Answer, Failure> {
    let credentials = guard::credentials(&shared.entrance, &asked.headers)?;
    let key = header_text(&asked.headers, "idempotency-key");
    let agent = asked
        .params
        .iter()
        .find(|(name, _)| name == "agent")
        .map_or(String::new(), |(_, value)| value.clone());
    let request = body::request(entry, &asked.params, asked.query.as_deref(), &asked.headers, &asked.body);
    shared
        .pool
        .run(move |mind| {
            let guest = credentials.guest(mind)?;
            // Only now: a stranger does not hear what is wrong with the rest.
            entry.call(mind, &guest, &agent, key?.as_deref(), request?)
        })
        .await
}

fn respond(result: Result<Answer, Failure>, request_id: &str) -> Response {
    let mut response = match result {
        Ok(answer) => json(StatusCode::OK, "application/json", answer.reply.to_string()),
        Err(failure) => problem(&failure, request_id),
    };
    if let Ok(value) = HeaderValue::from_str(request_id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

fn problem(failure: &Failure, request_id: &str) -> Response {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let text = serde_json::to_string(&failure.problem(request_id)).unwrap_or_default();
    let mut response = json(status, PROBLEM, text);
    if let Some(seconds) = failure.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn json(status: StatusCode, content_type: &'static str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (status, headers, Body::from(text)).into_response()
}

/// Alive: answers without touching the engine, so that it answers when the engine is stuck.
async fn healthz(State(shared): State<Shared>) -> Response {
    let text = serde_json::json!({ "status": "ok", "address": shared.address.to_string() }).to_string();
    json(StatusCode::OK, "application/json", text)
}

/// Ready: the engine answers too, and says whether anything in the background is late or dead, or a clock is wrong.
async fn readyz(State(shared): State<Shared>) -> Response {
    let look = |mind: &selfsame::Mind| Ok((mind.duty_counts()?, mind.clock_skew()));
    match shared.pool.run(look).await {
        Ok((counts, skew)) => {
            let status = if counts.late + counts.dead > 0 { "degraded" } else { "ready" };
            let mut said = serde_json::json!({ "status": status, "late": counts.late, "dead": counts.dead });
            if let Some(skew) = skew {
                // A warning and no more: the server's clock is used.
                said["clock_skew_seconds"] = skew.as_secs().into();
            }
            json(StatusCode::OK, "application/json", said.to_string())
        }
        Err(failure) => shared.refuse(Failure { status: 503, ..failure }),
    }
}

fn pairs(params: &RawPathParams) -> Vec<(String, String)> {
    params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn header_text(headers: &HeaderMap, name: &str) -> Result<Option<String>, Failure> {
    headers
        .get(name)
        .map(|value| {
            value.to_str().map(str::to_owned).map_err(|_| {
                Failure::bad_request("bad_header", format!("the header {name} must be plain text"))
            })
        })
        .transpose()
}

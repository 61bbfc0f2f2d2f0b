//! The HTTP door: routes made from the table of operations, nothing else.

mod body;
pub mod dashboard;
mod events;
mod guard;
mod mcp;
mod metrics;
mod openapi;
mod rates;
mod sessions;
mod tally;

pub use events::Feeds;
pub(crate) use guard::host_of;

use self::rates::Rates;
use self::tally::Tally;
use crate::connections::Connections;
use crate::failure::Failure;
use crate::operations::event::ListEvents;
use crate::operations::{Answer, Entry, Method, Operation as _, TABLE, moving};
use crate::pool::Pool;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use selfsame::Mind;
use selfsame::config::ServerSettings;
use selfsame::status::Standing;
use serde_json::{Value, json as value};
pub use sessions::{CODE_LIFE, Sessions};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
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

/// Where a daemon is to be found on the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it speaks TLS.
    pub is_secure: bool,
    /// What one writes into a browser.
    pub url: String,
}

impl Site {
    /// Of a daemon that listens on an address; a certificate is for names, so the first of `hosts` is the one that is shown.
    pub fn new(address: SocketAddr, is_secure: bool, hosts: &[String]) -> Site {
        let port = address.port();
        let shown = match hosts.first() {
            Some(host) if is_secure || address.ip().is_unspecified() => format!("{host}:{port}"),
            // It is no address that anybody could go to.
            _ if address.ip().is_unspecified() => format!("localhost:{port}"),
            _ => address.to_string(),
        };
        Site { address, is_secure, url: format!("{}://{shown}", if is_secure { "https" } else { "http" }) }
    }
}

/// The address that a request's connection came to: it may be called by that, too.
#[derive(Clone, Copy)]
pub(crate) struct CameTo(pub(crate) IpAddr);

/// What all entrances of a daemon share.
pub struct Common {
    pool: Arc<Pool>,
    feeds: Feeds,
    sessions: Arc<Sessions>,
    rates: Arc<Rates>,
    tally: Tally,
    connections: Arc<Connections>,
    max_body_bytes: usize,
}

impl Common {
    /// As the settings of the mind behind the pool say.
    pub fn new(pool: Arc<Pool>, feeds: Feeds, settings: &ServerSettings) -> Common {
        Common {
            pool,
            feeds,
            sessions: Arc::default(),
            rates: Arc::new(Rates::new(settings.rate, settings.burst)),
            tally: Tally::default(),
            connections: Connections::new(settings.max_connections),
            max_body_bytes: settings.max_body_bytes,
        }
    }

    /// Those who look at the dashboard.
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Those who come from the network.
    pub(crate) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }
}

/// What the handlers share.
#[derive(Clone)]
struct Shared {
    common: Arc<Common>,
    entrance: Entrance,
    site: Site,
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

/// The router of one entrance, of a daemon that is found at `site`.
pub fn router(common: &Arc<Common>, entrance: Entrance, site: &Site) -> Router {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let requests = Arc::new(Requests { since, count: AtomicU64::new(0) });
    let shared = Shared { common: Arc::clone(common), entrance, site: site.clone(), requests };
    let mut paths: BTreeMap<&str, MethodRouter<Shared>> = BTreeMap::new();
    for entry in TABLE {
        let handler = move |State(shared): State<Shared>,
                            params: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap,
                            body: Bytes| {
            handle(entry, shared, Asked { params: pairs(&params), query, headers, body })
        };
        let watch = move |State(shared): State<Shared>,
                          params: RawPathParams,
                          RawQuery(query): RawQuery,
                          headers: HeaderMap,
                          upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
                          body: Bytes| {
            events::door(entry, shared, Asked { params: pairs(&params), query, headers, body }, upgrade)
        };
        let route = match entry.route.method {
            Method::Get if entry.name == ListEvents::NAME => get(watch),
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
        .route("/metrics", get(metrics::metrics))
        .merge(openapi::routes())
        .merge(dashboard::routes());
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
        .layer(DefaultBodyLimit::max(common.max_body_bytes))
        .layer(axum::middleware::map_response_with_state(shared.clone(), body::explain_refusal))
        // Its refusals are MCP's own.
        .merge(mcp::routes(&shared))
        .layer(axum::middleware::from_fn_with_state(shared.clone(), guard::check_host))
        .layer(axum::middleware::from_fn_with_state(shared.clone(), tally::count))
        .with_state(shared)
}

/// A request, taken apart.
struct Asked {
    params: Vec<(String, String)>,
    query: Option<String>,
    headers: HeaderMap,
    body: Bytes,
}

impl Asked {
    /// The agent that the path names; empty where it names none.
    fn agent(&self) -> String {
        let named = self.params.iter().find(|(name, _)| name == "agent");
        named.map_or(String::new(), |(_, value)| value.clone())
    }
}

async fn handle(entry: &'static Entry, shared: Shared, asked: Asked) -> Response {
    let request_id = shared.requests.next();
    let wants_file = header_text(&asked.headers, "accept")
        .is_ok_and(|accept| accept.is_some_and(|accept| accept.contains("application/zip")));
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
    let mut response =
        match result.as_ref().ok().filter(|_| wants_file).and_then(|answer| moving::file_of(&answer.reply)) {
            Some(file) => download(file),
            None => respond(result, &request_id),
        };
    response.extensions_mut().insert(tally::Of(entry.name));
    response
}

/// An archive as the file that it is.
fn download(file: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/zip"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"selfsame-export.zip\""),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (StatusCode::OK, headers, file).into_response()
}

async fn answer(entry: &'static Entry, shared: &Shared, asked: Asked) -> Result<Answer, Failure> {
    let credentials = guard::admit(shared, &asked.headers)?;
    let key = header_text(&asked.headers, "idempotency-key");
    let agent = asked.agent();
    let request = body::request(entry, &asked.params, asked.query.as_deref(), &asked.headers, &asked.body);
    let call = move |mind: &Mind| {
        let guest = credentials.guest(mind)?;
        // Only now: a stranger does not hear what is wrong with the rest.
        entry.call(mind, &guest, &agent, key?.as_deref(), request?)
    };
    match entry.waits {
        true => shared.common.pool.run_beside(call).await,
        false => shared.common.pool.run(call).await,
    }
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

/// What is the same for everybody, and says nothing of any mind: no key is asked for. A page may run and show what comes from
/// here, and nothing else.
fn fixed(content_type: &'static str, text: &'static str) -> Response {
    const FROM_HERE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                             base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let mut response = fixed_headers(content_type, FROM_HERE);
    *response.body_mut() = Body::from(text);
    response
}

/// An answer without a body yet, with what every such page is sent with.
fn fixed_headers(content_type: &'static str, policy: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (StatusCode::OK, headers).into_response()
}

/// Alive: answers without touching the engine, so that it answers when the engine is stuck.
async fn healthz(State(shared): State<Shared>) -> Response {
    let Site { address, url, .. } = &shared.site;
    let said = value!({ "status": "ok", "address": address.to_string(), "url": url });
    json(StatusCode::OK, "application/json", said.to_string())
}

/// Ready: the engine answers too, and says whether anything in the background is late or dead, or a clock is wrong. Whoever
/// shows a key that opens the whole house is told what it is.
async fn readyz(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let shows_who = shared.entrance == Entrance::Socket || headers.contains_key(header::AUTHORIZATION);
    let admitted = match shows_who.then(|| guard::admit(&shared, &headers)).transpose() {
        Ok(admitted) => admitted,
        Err(failure) => return shared.refuse(failure),
    };
    let look = |mind: &Mind| {
        if let Some(admitted) = admitted {
            admitted.guest(mind)?.require_whole_house()?;
            return Ok((readiness(mind)?, Some(mind.troubles()?)));
        }
        Ok((readiness(mind)?, None))
    };
    match shared.common.pool.run(look).await {
        Ok((mut said, troubles)) => {
            if let Some(troubles) = troubles {
                said["troubles"] = troubles.into();
            }
            json(StatusCode::OK, "application/json", said.to_string())
        }
        Err(failure) if matches!(failure.status, 401 | 403) => shared.refuse(failure),
        Err(failure) => shared.refuse(Failure { status: 503, ..failure }),
    }
}

fn readiness(mind: &Mind) -> selfsame::Result<Value> {
    let Standing { readiness, duties, clock_skew } = mind.readiness()?;
    let mut said = value!({ "status": readiness.as_str(), "late": duties.late, "dead": duties.dead });
    if let Some(skew) = clock_skew {
        said["clock_skew_seconds"] = skew.as_secs().into();
    }
    Ok(said)
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

//! The dashboard: its files, which are in the program and for everybody, and the way in, which is a code from the owner's
//! terminal. What the rooms show they ask of the same operations as everybody else.

use super::guard::{self, Credentials};
use super::sessions::{CODE_LIFE, LIFE};
use super::{Entrance, Shared, fixed_headers, json};
use crate::failure::Failure;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use flate2::Compression;
use flate2::write::GzEncoder;
use selfsame::seal::sha256;
use serde::Deserialize;
use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Instant;

/// Where it is.
pub(crate) const PATH: &str = "/dashboard";

/// No text may become markup or a script here, not even by mistake: a browser that knows trusted types refuses.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal $kind:ident),* $(,)?) => {
        &[$((concat!("", $name), $kind, include_str!(concat!("dashboard/", $name)))),*]
    };
}

/// Every file, by its name below `/dashboard/`.
pub static FILES: &[(&str, &str, &str)] = files![
    "index.html" HTML,
    "style.css" CSS,
    "mark.svg" SVG,
    "app.js" JS,
    "api.js" JS,
    "dom.js" JS,
    "words.js" JS,
    "live.js" JS,
    "happened.js" JS,
    "plots.js" JS,
    "field.js" JS,
    "rooms/presence.js" JS,
    "rooms/beliefs.js" JS,
    "rooms/heartbeat.js" JS,
    "rooms/memory.js" JS,
    "rooms/self.js" JS,
    "rooms/operations.js" JS,
];

/// A file as it is sent.
struct File {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
    small: Vec<u8>,
    tag: String,
}

/// Made small once.
static SENT: LazyLock<Vec<File>> = LazyLock::new(|| {
    let file = |&(name, kind, text): &(&'static str, &'static str, &'static str)| File {
        name,
        kind,
        text,
        small: gzip(text),
        tag: format!(
            "\"{}\"",
            sha256(&[text.as_bytes()])[..8].iter().map(|b| format!("{b:02x}")).collect::<String>()
        ),
    };
    FILES.iter().map(file).collect()
});

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail; nothing would mean that the text is sent as it is.
    encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).unwrap_or_default()
}

pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(async || Redirect::to(PATH)))
        .route(PATH, get(async |headers: HeaderMap| file("index.html", &headers)))
        .route("/dashboard/{*name}", get(named))
        .route("/dashboard/session", get(look).post(enter).delete(leave))
        .route("/dashboard/code", post(code))
        .route("/dashboard/close", post(close))
}

async fn named(State(shared): State<Shared>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    match SENT.iter().any(|file| file.name == name) {
        true => file(&name, &headers),
        false => shared.refuse(Failure::new(404, "no_such_route", "there is nothing at this address")),
    }
}

fn file(name: &str, headers: &HeaderMap) -> Response {
    let Some(file) = SENT.iter().find(|file| file.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let says = |name, wanted: &str| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
            .is_some_and(|value| value.contains(wanted))
    };
    let mut response = fixed_headers(file.kind, POLICY);
    let about = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&file.tag) {
        about.insert(header::ETAG, tag);
    }
    about.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if says(header::IF_NONE_MATCH, &file.tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    if says(header::ACCEPT_ENCODING, "gzip") && !file.small.is_empty() {
        about.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        *response.body_mut() = Body::from(file.small.as_slice());
    } else {
        *response.body_mut() = Body::from(file.text);
    }
    response
}

/// Whether whoever asks is in already.
async fn look(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let is_open = match guard::credentials(&shared, &headers) {
        Ok(Credentials::Visit(sessions, token)) => sessions.is_open(&token, Instant::now()),
        _ => false,
    };
    json(StatusCode::OK, "application/json", serde_json::json!({ "open": is_open }).to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entering {
    code: String,
}

async fn enter(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    match entered(&shared, &headers, &body) {
        Ok(token) => {
            let cookie = cookie(&shared, &headers, &token, LIFE.as_secs());
            with_cookie(&shared, &cookie, true)
        }
        Err(failure) => shared.refuse(failure),
    }
}

fn entered(shared: &Shared, headers: &HeaderMap, body: &Bytes) -> Result<String, Failure> {
    guard::from_own_page(headers)?;
    let told = "send a JSON object with the code: {\"code\": \"7KQ2-MX4T\"}";
    let Entering { code } =
        serde_json::from_slice(body).map_err(|_| Failure::bad_request("bad_request", told))?;
    shared.common.sessions.enter(&code, Instant::now())
}

/// Leaving is never refused: who is not in is out.
async fn leave(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    match guard::credentials(&shared, &headers) {
        Ok(Credentials::Visit(sessions, token)) => sessions.leave(&token),
        Err(failure) if failure.status == 403 => return shared.refuse(failure),
        _ => {}
    }
    let gone = cookie(&shared, &headers, "", 0);
    with_cookie(&shared, &gone, false)
}

fn cookie(shared: &Shared, headers: &HeaderMap, token: &str, seconds: u64) -> String {
    let secure = if guard::is_secure(shared, headers) { "; Secure" } else { "" };
    let name = guard::cookie_name(shared);
    format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict{secure}; Max-Age={seconds}")
}

fn with_cookie(shared: &Shared, cookie: &str, is_open: bool) -> Response {
    let Ok(cookie) = HeaderValue::from_str(cookie) else {
        return shared.refuse(Failure::new(500, "internal", "the cookie cannot be written"));
    };
    let mut response =
        json(StatusCode::OK, "application/json", serde_json::json!({ "open": is_open }).to_string());
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

/// A fresh code, for the owner's own terminal.
async fn code(State(shared): State<Shared>) -> Response {
    if shared.entrance != Entrance::Socket {
        return shared.refuse(owners_only());
    }
    match shared.common.sessions.code(Instant::now()) {
        Ok(code) => {
            let said = serde_json::json!({
                "link": link(&shared.site.url),
                "code": code,
                "good_for_seconds": CODE_LIFE.as_secs(),
            });
            json(StatusCode::OK, "application/json", said.to_string())
        }
        Err(failure) => shared.refuse(failure),
    }
}

/// Ends every visit.
async fn close(State(shared): State<Shared>) -> Response {
    if shared.entrance != Entrance::Socket {
        return shared.refuse(owners_only());
    }
    let closed = serde_json::json!({ "closed": shared.common.sessions.close() });
    json(StatusCode::OK, "application/json", closed.to_string())
}

/// To the network there is nothing here.
fn owners_only() -> Failure {
    Failure::new(404, "no_such_route", "there is nothing at this address: `selfsame dashboard` gives a code")
}

/// Where a browser finds it, of a daemon at this address.
pub fn link(url: &str) -> String {
    format!("{url}{PATH}")
}

//! Who may come in: hosts, origins, keys.

use super::{Entrance, SPEAKS_AS, Shared, header_text};
use crate::failure::Failure;
use crate::guest::Guest;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use selfsame::Mind;

/// What a request shows of itself.
pub(super) enum Credentials {
    /// Known by the entrance it came in by.
    Guest(Guest),
    /// A key, not checked yet.
    Key(String),
}

impl Credentials {
    /// Who this is, once the key has been looked up.
    pub(super) fn guest(self, mind: &Mind) -> Result<Guest, Failure> {
        match self {
            Credentials::Guest(guest) => Ok(guest),
            Credentials::Key(key) => match mind.authenticate(&key)? {
                Some(key) => Ok(Guest::with_key(key)),
                None => Err(Failure::unauthenticated()),
            },
        }
    }
}

pub(super) fn credentials(entrance: &Entrance, headers: &HeaderMap) -> Result<Credentials, Failure> {
    if *entrance == Entrance::Socket {
        return match header_text(headers, SPEAKS_AS)?.as_deref() {
            None | Some("operator") => Ok(Credentials::Guest(Guest::owner())),
            Some("agent") => Ok(Credentials::Guest(Guest::agent())),
            Some(_) => Err(Failure::bad_request("bad_header", "this socket speaks as operator or agent")),
        };
    }
    // What cannot be read as text is no key either, and gets the answer of every other that is none.
    let value = header_text(headers, header::AUTHORIZATION.as_str()).ok().flatten();
    let key = value.as_deref().and_then(|value| value.strip_prefix("Bearer "));
    let key = key.ok_or_else(Failure::unauthenticated)?;
    Ok(Credentials::Key(key.trim().to_owned()))
}

/// A web page that names our address under another host (DNS rebinding), or that runs at another origin, stays outside.
pub(super) async fn check_host(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    match refusal(&shared.entrance, request.headers()) {
        Some(failure) => shared.refuse(failure),
        None => next.run(request).await,
    }
}

fn refusal(entrance: &Entrance, headers: &HeaderMap) -> Option<Failure> {
    let Entrance::Network { hosts } = entrance else {
        return None;
    };
    let named =
        |value: Option<&str>| value.is_some_and(|value| hosts.iter().any(|host| host == bare_host(value)));
    let text =
        |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or_default());
    if !named(text(header::HOST)) {
        return Some(Failure::new(
            403,
            "foreign_host",
            "this host name is not served here: use the address itself",
        ));
    }
    let origin = text(header::ORIGIN);
    if origin.is_some() && !named(origin.and_then(|origin| origin.split_once("://")).map(|(_, host)| host)) {
        return Some(Failure::new(
            403,
            "foreign_origin",
            "requests from web pages of other origins are refused",
        ));
    }
    None
}

/// `localhost:4177` without its port; `[::1]:4177` keeps its brackets.
fn bare_host(value: &str) -> &str {
    match value.rfind(':') {
        Some(colon) if !value[colon..].contains(']') => &value[..colon],
        _ => value,
    }
}

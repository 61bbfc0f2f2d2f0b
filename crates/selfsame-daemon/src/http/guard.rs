//! Who may come in: hosts, origins, keys, and the cookies of the dashboard.

use super::rates::Rates;
use super::{CameTo, Entrance, SPEAKS_AS, Sessions, Shared, header_text};
use crate::failure::Failure;
use crate::guest::Guest;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use selfsame::Mind;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// What only our own page sends: a browser asks before it lets another origin's page send a header of this name, and is not
/// answered.
const OWN_PAGE: &str = "x-selfsame-page";

/// What a request shows of itself.
#[derive(Clone, PartialEq)]
pub(super) enum Credentials {
    /// Known by the entrance it came in by.
    Guest(Guest),
    /// A key, not checked yet.
    Key(String),
    /// The cookie of a visit to the dashboard, not checked yet.
    Visit(Arc<Sessions>, String),
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
            Credentials::Visit(sessions, token) => match sessions.is_open(&token, Instant::now()) {
                true => Ok(Guest::owner()),
                false => Err(Failure::unauthenticated()),
            },
        }
    }
}

/// What a request shows of itself, if it may ask now.
pub(super) fn admit(shared: &Shared, headers: &HeaderMap) -> Result<Admitted, Failure> {
    let credentials = credentials(shared, headers)?;
    if let Credentials::Key(key) = &credentials {
        shared.common.rates.admit(key)?;
    }
    Ok(Admitted { credentials, rates: Arc::clone(&shared.common.rates) })
}

/// Whoever may ask now; who they are is looked up where the mind is at hand.
#[derive(Clone)]
pub(super) struct Admitted {
    pub(super) credentials: Credentials,
    rates: Arc<Rates>,
}

impl Admitted {
    /// Who this is, once the key has been looked up.
    pub(super) fn guest(self, mind: &Mind) -> Result<Guest, Failure> {
        let key = match &self.credentials {
            Credentials::Key(key) => Some(key.clone()),
            _ => None,
        };
        let guest = self.credentials.guest(mind)?;
        if let Some(key) = key {
            self.rates.know(&key);
        }
        Ok(guest)
    }
}

pub(super) fn credentials(shared: &Shared, headers: &HeaderMap) -> Result<Credentials, Failure> {
    if shared.entrance == Entrance::Socket {
        return match header_text(headers, SPEAKS_AS)?.as_deref() {
            None | Some("operator") => Ok(Credentials::Guest(Guest::owner())),
            Some("agent") => Ok(Credentials::Guest(Guest::agent())),
            Some("host") => Ok(Credentials::Guest(Guest::host())),
            Some(_) => {
                Err(Failure::bad_request("bad_header", "this socket speaks as operator, agent or host"))
            }
        };
    }
    // What cannot be read as text is no key either, and gets the answer of every other that is none.
    let value = header_text(headers, header::AUTHORIZATION.as_str()).ok().flatten();
    if let Some(key) = value.as_deref().and_then(|value| value.strip_prefix("Bearer ")) {
        return Ok(Credentials::Key(key.trim().to_owned()));
    }
    let token = cookie(headers, &cookie_name(shared)).ok_or_else(Failure::unauthenticated)?;
    from_own_page(headers)?;
    Ok(Credentials::Visit(Arc::clone(&shared.common.sessions), token))
}

/// Cookies know hosts and no ports: two daemons on a machine must not overwrite each other's.
pub(super) fn cookie_name(shared: &Shared) -> String {
    format!("selfsame_{}", shared.site.address.port())
}

/// Whether a browser got its page over TLS, from us or from a proxy of ours: then its cookie goes nowhere else.
pub(super) fn is_secure(shared: &Shared, headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
    shared.site.is_secure || origin.is_some_and(|origin| origin.starts_with("https://"))
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let sent = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
}

/// A cookie goes along with whatever a browser sends here, also for a page that another server on this machine made. So it
/// counts only beside what no such page can have: an origin of this very host and port, or, where a browser names no
/// origin, our own header.
pub(super) fn from_own_page(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_own = match text(header::ORIGIN.as_str()) {
        Some(origin) => origin.split_once("://").map(|(_, host)| host) == text(header::HOST.as_str()),
        None => text(OWN_PAGE).is_some() && text("sec-fetch-site").is_none_or(|site| site == "same-origin"),
    };
    match is_own {
        true => Ok(()),
        false => Err(Failure::new(
            403,
            "foreign_page",
            "a cookie is good for the dashboard's own page alone: programs send a key instead",
        )),
    }
}

/// A web page that names our address under another host (DNS rebinding), or that runs at another origin, stays outside.
pub(super) async fn check_host(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let came_to = request.extensions().get::<CameTo>().map(|CameTo(address)| host_of(*address));
    match refusal(&shared.entrance, came_to.as_deref(), request.headers()) {
        Some(failure) => shared.refuse(failure),
        None => next.run(request).await,
    }
}

/// An address as it stands before a port.
pub(crate) fn host_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn refusal(entrance: &Entrance, came_to: Option<&str>, headers: &HeaderMap) -> Option<Failure> {
    let Entrance::Network { hosts } = entrance else {
        return None;
    };
    let is_ours = |named: &str| {
        let mut known = hosts.iter().map(String::as_str).chain(came_to);
        known.any(|host| host.eq_ignore_ascii_case(named))
    };
    let named = |value: Option<&str>| value.is_some_and(|value| is_ours(bare_host(value)));
    let text =
        |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or_default());
    if !named(text(header::HOST)) {
        return Some(Failure::new(
            403,
            "foreign_host",
            "this host name is not served here: use the address itself, or name it in server.hosts",
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

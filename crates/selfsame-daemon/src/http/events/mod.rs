//! `/v1/agents/{agent}/events`, three ways in: a page of the log as every other list, and the same while it happens, by
//! WebSocket or as server-sent events.
//!
//! The log is what is told from, so nothing is lost: whoever says after which number they come (`after`) gets all that
//! followed, from the log as far as it goes back and then as it grows. What is held in memory for all who watch an agent is
//! one short run of events ([`feeds`]); for each of them, nothing but a number.

mod feeds;
mod frame;
mod socket;
mod stream;
mod viewer;

pub use feeds::Feeds;

use self::viewer::Viewer;
use super::{Asked, Shared, body, guard, handle, header_text, tally};
use crate::failure::Failure;
use crate::operations::Entry;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use selfsame::key::Scope;
use std::sync::Arc;

/// As WebSocket if the client wants to change over, as a stream if it accepts one, else as a page.
pub(super) async fn door(
    entry: &'static Entry,
    shared: Shared,
    asked: Asked,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let wants_socket = asked.headers.contains_key(header::UPGRADE);
    if !wants_socket && !wants_stream(&asked.headers) {
        return handle(entry, shared, asked).await;
    }
    let viewer = match admitted(entry, &shared, &asked).await {
        Ok(viewer) => viewer,
        Err(failure) => return shared.refuse(failure),
    };
    let mut response = match (wants_socket, upgrade) {
        (false, _) => stream::respond(viewer),
        (true, Ok(upgrade)) => socket::respond(upgrade, viewer),
        (true, Err(refusal)) => refusal.into_response(),
    };
    response.extensions_mut().insert(tally::Of(entry.name));
    response
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let kinds = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kinds.split(',').any(|kind| kind.split(';').next().map(str::trim) == Some("text/event-stream"))
}

/// Who comes in, and where they begin. A stranger does not hear what is wrong with the rest.
async fn admitted(entry: &Entry, shared: &Shared, asked: &Asked) -> Result<Viewer, Failure> {
    let credentials = guard::admit(shared, &asked.headers)?;
    let agent = asked.agent();
    let after = after(asked);
    let (feeds, scope) = (shared.common.feeds.clone(), entry.scope);
    let (place, caller, head) = shared
        .common
        .pool
        .run(move |mind| {
            let guest = credentials.clone().guest(mind)?;
            guest.require(scope)?;
            let access = guest.access(mind, &agent)?;
            let head = access.events(0, 1)?.head;
            let place =
                feeds.join(access.agent().id, head, Badge { credentials: credentials.credentials })?;
            Ok((place, *access.caller(), head))
        })
        .await?;
    Ok(Viewer::new(Arc::clone(&shared.common.pool), place, caller, head, after?.unwrap_or(head)))
}

/// After which event somebody comes: as the query says, or as a browser says when it calls again by itself.
fn after(asked: &Asked) -> Result<Option<i64>, Failure> {
    let mut after = header_text(&asked.headers, "last-event-id")?;
    for (name, value) in body::pairs_of(asked.query.as_deref().unwrap_or_default())? {
        match name.as_str() {
            "after" => after = Some(value),
            _ => {
                let told =
                    "a stream of events takes `after=<number of the last event seen>` and nothing else";
                return Err(Failure::bad_request("bad_query", told));
            }
        }
    }
    let number = |text: String| match text.parse::<i64>() {
        Ok(number) if number >= 0 => Ok(number),
        _ => Err(Failure::bad_request("bad_query", "`after` is the number of an event: 0 or more")),
    };
    after.map(number).transpose()
}

/// With what somebody came in, so that it can be asked again whether they may stay.
#[derive(Clone, PartialEq)]
pub(super) struct Badge {
    credentials: guard::Credentials,
}

impl Badge {
    /// Whether it would still open this agent. That the database cannot be asked is no reason to send anybody away.
    fn is_good(&self, mind: &selfsame::Mind, agent: selfsame::id::AgentId) -> bool {
        let look = || {
            let guest = self.credentials.clone().guest(mind)?;
            guest.require(Scope::Read)?;
            guest.access(mind, &agent.to_string()).map(drop)
        };
        !matches!(look(), Err(Failure { status: 401 | 403 | 404, .. }))
    }
}

/// Why a stream ends, and with which code of WebSocket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// Whoever watched went away.
    Left,
    /// The daemon stops.
    Stopping,
    /// They may no longer watch.
    Revoked,
    /// They do not keep up, or do not answer.
    Slow,
    /// Their number is not of this log.
    Elsewhere,
    /// The log cannot be read.
    Broken,
    /// They sent what is not text, or not JSON.
    NotText,
    /// They sent something, or too often.
    Uncalled,
    /// They sent too much at once.
    TooLarge,
}

impl End {
    const fn code(self) -> u16 {
        match self {
            End::Left => 1000,
            End::Stopping => 1001,
            End::NotText => 1003,
            End::Uncalled => 1008,
            End::TooLarge => 1009,
            End::Broken => 1011,
            End::Slow => 1013,
            End::Elsewhere => 4400,
            End::Revoked => 4401,
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            End::Left => "",
            End::Stopping => "selfsame is stopping: come back with after=<your last number>",
            End::NotText => "only JSON text is read here",
            End::Uncalled => "nothing is to be sent here",
            End::TooLarge => "too much at once",
            End::Broken => "the log cannot be read right now: come back with after=<your last number>",
            End::Slow => "you do not keep up: come back with after=<your last number>",
            End::Elsewhere => "after is a number that this log has not reached: begin anew",
            End::Revoked => "the key is no longer good",
        }
    }
}

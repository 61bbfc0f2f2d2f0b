//! Events as they happen, over plain HTTP (`text/event-stream`). Each has its number as its id, so that a browser that calls
//! again says by itself where it was. How fast the client reads is seen from how fast the body is taken.

use super::End;
use super::frame::{hello, resync};
use super::viewer::Viewer;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use std::convert::Infallible;
use std::fmt::Write as _;
use tokio::time::timeout;

/// Events in one piece of the body.
const AT_ONCE: usize = 64;

pub(super) fn respond(viewer: Viewer) -> Response {
    let pieces = unfold(Stage::Greeting(Box::new(viewer)), |stage: Stage| async move {
        let (piece, stage) = stage.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(piece)), stage))
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // A proxy that waits for the whole of it would wait for ever.
        (header::HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (StatusCode::OK, headers, Body::from_stream(pieces)).into_response()
}

enum Stage {
    Greeting(Box<Viewer>),
    /// Reading what was before.
    CatchingUp(Box<Viewer>),
    /// With those who are told as it happens.
    Live(Box<Viewer>),
    Over,
}

impl Stage {
    async fn next(self) -> Option<(String, Stage)> {
        match self {
            Stage::Greeting(viewer) => Some(greet(viewer)),
            Stage::CatchingUp(viewer) => tell(viewer, false).await,
            Stage::Live(viewer) => tell(viewer, true).await,
            Stage::Over => None,
        }
    }
}

fn greet(viewer: Box<Viewer>) -> (String, Stage) {
    let mut text = piece(None, &hello(viewer.head));
    if viewer.is_from_elsewhere() {
        text.push_str(&piece(None, &resync(viewer.head)));
        return (text, Stage::Over);
    }
    (text, Stage::CatchingUp(viewer))
}

/// The next events, or a word that we are still there.
async fn tell(mut viewer: Box<Viewer>, live: bool) -> Option<(String, Stage)> {
    let stage = |viewer: Box<Viewer>| match live || viewer.is_up_to_date() {
        true => Stage::Live(viewer),
        false => Stage::CatchingUp(viewer),
    };
    let ping = viewer.ping();
    let told = match timeout(ping, viewer.ready()).await {
        Err(_) => return Some((": still here\n\n".to_owned(), stage(viewer))),
        Ok(Ok(())) if live && viewer.is_outrun() => Err(End::Slow),
        Ok(Ok(())) => follow(&mut viewer).await,
        Ok(Err(end)) => Err(end),
    };
    match told {
        Ok(text) => Some((text, stage(viewer))),
        Err(End::Slow) => {
            viewer.count_dropped();
            Some((piece(None, &resync(viewer.seen)), Stage::Over))
        }
        Err(_) => None,
    }
}

async fn follow(viewer: &mut Viewer) -> Result<String, End> {
    let from = viewer.seen;
    let frames = viewer.take(AT_ONCE).await?;
    let mut text = String::new();
    for (number, frame) in (from + 1..).zip(&frames) {
        text.push_str(&piece(Some(number), frame));
    }
    Ok(text)
}

fn piece(id: Option<i64>, data: &str) -> String {
    let mut text = String::new();
    if let Some(id) = id {
        let _ = writeln!(text, "id: {id}");
    }
    let _ = write!(text, "data: {data}\n\n");
    text
}

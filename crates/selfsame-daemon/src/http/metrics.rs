//! Numbers for a monitor, in Prometheus' text form. They name no agent and no memory.

use super::{Common, Shared, guard};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use selfsame::Mind;
use selfsame::status::ThinkingCounts;
use std::fmt::Write as _;

/// A number: its name, its kind, what it is, and itself.
type Number = (&'static str, &'static str, &'static str, u64);

/// For a key with scope read that is bound to no agent.
pub(super) async fn metrics(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let admitted = match guard::admit(&shared, &headers) {
        Ok(admitted) => admitted,
        Err(failure) => return shared.refuse(failure),
    };
    let numbers = shared.common.pool.run(move |mind| {
        admitted.guest(mind)?.require_whole_house()?;
        Ok(of_mind(mind)?)
    });
    match numbers.await {
        Ok(numbers) => {
            let kind = HeaderValue::from_static("text/plain; version=0.0.4");
            let text = written(&numbers, &shared.common);
            (StatusCode::OK, [(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(failure) => shared.refuse(failure),
    }
}

fn written(of_mind: &[Number], common: &Common) -> String {
    let mut text = String::new();
    for (name, kind, help, value) in of_mind.iter().chain(&of_doors(common)) {
        write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n").unwrap_or_default();
    }
    common.tally.write(&mut text).unwrap_or_default();
    text
}

fn of_mind(mind: &Mind) -> selfsame::Result<Vec<Number>> {
    let duties = mind.duty_counts()?;
    let counters = mind.store().counters();
    let agents = mind.agents()?;
    let mut thinking = ThinkingCounts::default();
    for agent in &agents {
        let ThinkingCounts { dead, parked } = mind.thinking_counts(agent)?;
        thinking.dead += dead;
        thinking.parked += parked;
    }
    let agents = agents.len() as u64;
    Ok(vec![
        ("selfsame_agents", "gauge", "Agents.", agents),
        ("selfsame_duties", "gauge", "Background duties.", duties.all),
        ("selfsame_duties_late", "gauge", "Duties behind their time.", duties.late),
        ("selfsame_duties_dead", "gauge", "Duties that were given up.", duties.dead),
        (
            "selfsame_thinking_dead",
            "gauge",
            "Pieces of thinking that were given up in the last seven days.",
            thinking.dead,
        ),
        (
            "selfsame_thinking_parked",
            "gauge",
            "Pieces of thinking that wait for another day's budget.",
            thinking.parked,
        ),
        (
            "selfsame_clock_skew_seconds",
            "gauge",
            "How far this machine's clock is from the database server's; 0 when they agree.",
            mind.clock_skew().map_or(0, |skew| skew.as_secs()),
        ),
        (
            "selfsame_stale_tokens_total",
            "counter",
            "Writes of duties refused because another process had taken them over.",
            counters.stale_tokens(),
        ),
        ("selfsame_statements_total", "counter", "SQL statements.", counters.statements()),
        ("selfsame_commits_total", "counter", "Durable commits.", counters.commits()),
        ("selfsame_writes_total", "counter", "Acknowledged writes.", counters.acknowledged()),
    ])
}

fn of_doors(common: &Common) -> [Number; 8] {
    let (streams, connections) = (common.feeds.counts(), &common.connections);
    [
        (
            "selfsame_connections_open",
            "gauge",
            "Connections from the network that are open.",
            connections.count(),
        ),
        (
            "selfsame_connections_refused_total",
            "counter",
            "Connections that found no place, or had to make room.",
            connections.refused(),
        ),
        (
            "selfsame_rate_limited_total",
            "counter",
            "Requests that came more often than one key may.",
            common.rates.refused(),
        ),
        ("selfsame_queue_depth", "gauge", "Requests that wait for a worker.", common.pool.waiting()),
        ("selfsame_streams_open", "gauge", "Streams of events that are open.", streams.open),
        ("selfsame_streams_total", "counter", "Streams of events since the start.", streams.opened),
        (
            "selfsame_streams_dropped_total",
            "counter",
            "Streams that were closed because the client did not keep up.",
            streams.dropped,
        ),
        (
            "selfsame_events_sent_total",
            "counter",
            "Events sent, one for each client that got it.",
            streams.events,
        ),
    ]
}

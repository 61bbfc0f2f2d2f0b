//! Numbers for a monitor, in Prometheus' text form. They name no agent and no memory.

use super::{Shared, guard};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use selfsame::Mind;
use std::fmt::Write as _;

/// For a key with scope read that is bound to no agent.
pub(super) async fn metrics(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let credentials = match guard::credentials(&shared.entrance, &headers) {
        Ok(credentials) => credentials,
        Err(failure) => return shared.refuse(failure),
    };
    let numbers = shared.pool.run(move |mind| {
        credentials.guest(mind)?.require_whole_house()?;
        Ok(numbers(mind)?)
    });
    match numbers.await {
        Ok(text) => {
            let kind = HeaderValue::from_static("text/plain; version=0.0.4");
            (StatusCode::OK, [(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(failure) => shared.refuse(failure),
    }
}

fn numbers(mind: &Mind) -> selfsame::Result<String> {
    let duties = mind.duty_counts()?;
    let counters = mind.store().counters();
    let agents = mind.agents()?.len() as u64;
    let all = [
        ("selfsame_agents", "gauge", "Agents.", agents),
        ("selfsame_duties", "gauge", "Background duties.", duties.all),
        ("selfsame_duties_late", "gauge", "Duties behind their time.", duties.late),
        ("selfsame_duties_dead", "gauge", "Duties that were given up.", duties.dead),
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
    ];
    let mut text = String::new();
    for (name, kind, help, value) in all {
        write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n").unwrap_or_default();
    }
    Ok(text)
}

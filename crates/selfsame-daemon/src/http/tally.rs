//! What was asked, how it ended and how long it took, counted. Names of ours and numbers, never what was said.

use super::Shared;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Upper bounds of the classes of duration, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The operation that a response is the answer of.
#[derive(Clone, Copy)]
pub(super) struct Of(pub(super) &'static str);

/// All that was counted.
#[derive(Default)]
pub(super) struct Tally {
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    answers: BTreeMap<(&'static str, u16), u64>,
    durations: BTreeMap<&'static str, Durations>,
}

#[derive(Default)]
struct Durations {
    classes: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

/// Counts every request on its way out.
pub(super) async fn count(
    State(shared): State<Shared>,
    path: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let response = next.run(request).await;
    let operation = match (response.extensions().get::<Of>(), path.as_ref().map(MatchedPath::as_str)) {
        (Some(Of(name)), _) => name,
        (None, Some("/healthz")) => "healthz",
        (None, Some("/readyz")) => "readyz",
        (None, Some("/metrics")) => "metrics",
        (None, Some("/mcp")) => "mcp",
        _ => "other",
    };
    shared.common.tally.add(operation, response.status().as_u16(), began.elapsed());
    response
}

impl Tally {
    fn add(&self, operation: &'static str, status: u16, took: Duration) {
        let seconds = took.as_secs_f64();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.answers.entry((operation, status)).or_default() += 1;
        let durations = counts.durations.entry(operation).or_default();
        durations.count += 1;
        durations.seconds += seconds;
        if let Some(class) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            durations.classes[class] += 1;
        }
    }

    /// In Prometheus' text form.
    pub(super) fn write(&self, text: &mut String) -> std::fmt::Result {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        text.push_str("# HELP selfsame_requests_total Requests by operation and status.\n");
        text.push_str("# TYPE selfsame_requests_total counter\n");
        for ((operation, status), count) in &counts.answers {
            let labels = format!("operation=\"{operation}\",status=\"{status}\"");
            writeln!(text, "selfsame_requests_total{{{labels}}} {count}")?;
        }
        text.push_str("# HELP selfsame_request_seconds How long answers took.\n");
        text.push_str("# TYPE selfsame_request_seconds histogram\n");
        for (operation, durations) in &counts.durations {
            durations.write(operation, text)?;
        }
        Ok(())
    }
}

impl Durations {
    fn write(&self, operation: &str, text: &mut String) -> std::fmt::Result {
        let name = "selfsame_request_seconds";
        let mut so_far = 0;
        for (bound, count) in BOUNDS.iter().zip(self.classes) {
            so_far += count;
            writeln!(text, "{name}_bucket{{operation=\"{operation}\",le=\"{bound}\"}} {so_far}")?;
        }
        writeln!(text, "{name}_bucket{{operation=\"{operation}\",le=\"+Inf\"}} {}", self.count)?;
        writeln!(text, "{name}_sum{{operation=\"{operation}\"}} {}", self.seconds)?;
        writeln!(text, "{name}_count{{operation=\"{operation}\"}} {}", self.count)
    }
}

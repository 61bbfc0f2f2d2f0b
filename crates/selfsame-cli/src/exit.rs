//! The one place that turns a failure into an exit code.

use selfsame_daemon::Failure;
use std::process::ExitCode;

pub(crate) fn code(failure: &Failure) -> ExitCode {
    ExitCode::from(match (failure.status, failure.code.as_str()) {
        (_, "outcome_unknown") => 7,
        (_, "damaged" | "unusable") => 8,
        (400 | 413 | 415 | 422, _) => 2,
        (404 | 410, _) => 3,
        (409, _) => 4,
        (401 | 403, _) => 5,
        (429 | 503 | 504, _) => 6,
        (507, _) => 7,
        _ => 1,
    })
}

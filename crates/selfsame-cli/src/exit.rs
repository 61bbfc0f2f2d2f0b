//! The one place that gives exit codes: of failures, and of the one command whose answer is a code.

use selfsame_daemon::Failure;
use std::process::ExitCode;

/// What a host that asks the gate is told to stay silent with. No failure has this code, neither one of ours nor one that a
/// shell makes up (126 and on): who could not be told must not take it for silence.
const STAY_SILENT: u8 = 10;

/// There is nothing to wake the agent for.
pub(crate) fn stay_silent() -> ExitCode {
    ExitCode::from(STAY_SILENT)
}

/// Of a failure.
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

//! The one place that turns an error into what the wire carries: a status, a stable code, a sentence.

use schemars::JsonSchema;
use selfsame::{Class, Error};
use serde::{Deserialize, Serialize};

/// Why a request was not done. The same whether the engine ran here or in the daemon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Failure {
    /// The HTTP status.
    pub status: u16,
    /// A stable word for programs.
    pub code: String,
    /// A sentence for people, which names the fix.
    pub detail: String,
}

impl Failure {
    /// A failure of the door itself, before the engine was asked.
    pub fn new(status: u16, code: &str, detail: impl Into<String>) -> Failure {
        Failure { status, code: code.to_owned(), detail: detail.into() }
    }

    /// The request is not what it should be.
    pub fn bad_request(code: &str, detail: impl Into<String>) -> Failure {
        Failure::new(400, code, detail)
    }

    /// No key, or none that is good. One answer for all of them: nothing is learned from it.
    pub fn unauthenticated() -> Failure {
        Failure::new(
            401,
            "unauthenticated",
            "a valid key is needed: send it as `Authorization: Bearer ssk_...` (`selfsame key create` makes one)",
        )
    }

    /// The queue is full.
    pub fn overloaded() -> Failure {
        Failure::new(503, "overloaded", "too many requests are waiting: try again in a second")
    }

    /// Seconds after which trying again makes sense.
    pub fn retry_after(&self) -> Option<u32> {
        matches!(self.status, 429 | 503).then_some(1)
    }

    /// As problem details (RFC 9457).
    pub fn problem(&self, request_id: &str) -> Problem {
        Problem {
            kind: "about:blank".into(),
            title: title(self.status).into(),
            status: self.status,
            code: self.code.clone(),
            detail: self.detail.clone(),
            request_id: request_id.to_owned(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let class = error.class();
        let detail = match class {
            // What an internal failure says is for the log, not for a stranger.
            Class::Internal => {
                tracing::error!(%error, "internal failure");
                "something went wrong inside selfsame; its log says what".to_owned()
            }
            _ => error.to_string(),
        };
        Failure { status: status(class), code: error.code().to_owned(), detail }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure { status: problem.status, code: problem.code, detail: problem.detail }
    }
}

/// Problem details, as RFC 9457 has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    pub code: String,
    pub detail: String,
    pub request_id: String,
}

const fn status(class: Class) -> u16 {
    match class {
        Class::BadInput => 400,
        Class::Forbidden => 403,
        Class::NotFound => 404,
        Class::Conflict => 409,
        Class::Gone => 410,
        Class::KeyReused => 422,
        Class::Unknown | Class::Unusable | Class::Damaged | Class::Internal => 500,
        Class::Busy | Class::Unreachable => 503,
        Class::TimedOut => 504,
        Class::DiskFull => 507,
    }
}

const fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        507 => "Insufficient Storage",
        _ => "Internal Server Error",
    }
}

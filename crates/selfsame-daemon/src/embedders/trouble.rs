//! What can go wrong with a server, in words that name its address and what to do. A server's own words are not among
//! them, as they may repeat the texts or the key.

use super::http::Endpoint;
use super::{Asked, Dialect, body_limit};
use crate::reach::Unfit;
use crate::web::Answer;
use selfsame::config::EmbedderKind;
use selfsame::ports::{PortError, Purpose};
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::io::ErrorKind;
use std::time::Duration;

/// Why there are no vectors.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server works, but this is more than it takes.
    TooLarge,
    /// Anything else, as it is told.
    Told {
        error: PortError,
        /// For how long the server asks to be left alone.
        wait: Option<Duration>,
    },
}

/// What is wrong with an answer that should have had vectors.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadAnswer {
    #[error("it is empty")]
    Nothing,
    #[error("it breaks off")]
    BreaksOff,
    #[error("it is a web page")]
    WebPage,
    #[error("it is no readable JSON")]
    NotJson,
    #[error("it has something else where vectors of numbers should be (line {line}, column {column})")]
    OtherShape { line: usize, column: usize },
    #[error("it has a vector for text {index} of {texts}, counted from 0")]
    UnknownIndex { index: usize, texts: usize },
    #[error("it has two vectors for text {index}, counted from 0")]
    IndexTwice { index: usize },
}

impl BadAnswer {
    /// Reads JSON. The reader's own words are left out: they may quote what it read.
    pub(super) fn or_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, BadAnswer> {
        serde_json::from_slice(body).map_err(|error| {
            let body = body.trim_ascii();
            match error.classify() {
                _ if body.is_empty() => BadAnswer::Nothing,
                _ if body.starts_with(b"<") => BadAnswer::WebPage,
                serde_json::error::Category::Eof => BadAnswer::BreaksOff,
                serde_json::error::Category::Data => {
                    BadAnswer::OtherShape { line: error.line(), column: error.column() }
                }
                _ => BadAnswer::NotJson,
            }
        })
    }
}

pub(super) fn no_model(kind: EmbedderKind, dialect: &dyn Dialect) -> PortError {
    PortError::Lasting(format!(
        "embedder.kind is {:?}, but no model is named: set embedder.model, such as {:?}",
        kind.as_str(),
        dialect.example()
    ))
}

/// Refused as too long, however little of it was sent.
pub(super) fn too_long(endpoint: &Endpoint, bytes: usize) -> PortError {
    PortError::Lasting(format!(
        "{} takes no {bytes} bytes of text at once: set embedder.model to one that does",
        endpoint.url()
    ))
}

/// The words by which servers say that a text, or all of them together, are more than they take.
const TOO_LARGE: [&str; 8] = [
    "context length",
    "context size",
    "context_length",
    "input length",
    "too large",
    "too long",
    "tokens per request",
    "batch size",
];

impl Asked<'_> {
    /// Nothing came, or not all of it.
    pub(super) fn no_answer(&self, error: &ureq::Error) -> Failure {
        let url = self.remote.endpoint.url();
        match error {
            ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
                let what_to_do = self.remote.dialect.when_nobody_answers();
                passing(format!("nobody answers at {url}: {what_to_do}"))
            }
            ureq::Error::Other(cause) if cause.is::<Unfit>() => {
                let why = cause.downcast_ref::<Unfit>().map_or_else(String::new, Unfit::to_string);
                lasting(format!("{url} {why}"))
            }
            ureq::Error::Timeout(_) => self.too_slow(),
            ureq::Error::BodyExceedsLimit(_) => passing(format!(
                "{url} answered {} with more than {} bytes: lower embedder.batch, or check embedder.url",
                self.counted_texts(),
                body_limit(self.texts.len())
            )),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => self.no_tls(),
            ureq::Error::Io(io) if io.kind() == ErrorKind::InvalidData => self.no_tls(),
            // The words of the system or of our own library, and not of the server.
            ureq::Error::Io(io) => self.no_connection(io),
            ureq::Error::HostNotFound => self.no_connection(error),
            _ => self.unusable(&"it is no HTTP"),
        }
    }

    fn too_slow(&self) -> Failure {
        let (url, timeout) = (self.remote.endpoint.url(), self.timeout());
        passing(match self.purpose {
            Purpose::Text => format!(
                "{url} did not answer {} within {timeout:?}: raise embedder.timeout or lower embedder.batch if that is \
                 usual",
                self.counted_texts()
            ),
            Purpose::Question => format!(
                "{url} did not answer a question within {timeout:?}, and no question waits longer: if that is usual, a \
                 smaller embedder.model answers sooner"
            ),
        })
    }

    fn no_connection(&self, cause: &dyn Display) -> Failure {
        passing(format!(
            "the connection to {} failed ({cause}): it is tried again later; if that is usual, check embedder.url, the \
             network and the server's log",
            self.remote.endpoint.url()
        ))
    }

    fn no_tls(&self) -> Failure {
        lasting(format!(
            "{} has no certificate that is trusted here, or speaks no TLS: check embedder.url (http or https?)",
            self.remote.endpoint.url()
        ))
    }

    /// It answered, but with an error.
    pub(super) fn refused(&self, answer: &Answer) -> Failure {
        let (url, model) = (self.remote.endpoint.url(), &self.remote.called);
        match answer.status {
            300..400 => lasting(format!(
                "{url} wants to be asked elsewhere, and is not followed, as it is given texts and a key: set \
                 embedder.url to where it leads (curl -i shows it)"
            )),
            401 | 403 => lasting(self.no_entry(answer.status)),
            404 => lasting(format!("{url} {}", self.remote.dialect.when_not_found(model, &answer.body))),
            413 => Failure::TooLarge,
            400 | 422 | 500 if says(&answer.body, &TOO_LARGE) => Failure::TooLarge,
            429 if says(&answer.body, &["insufficient_quota"]) => lasting(format!(
                "{url} says that what was paid for is used up: see to the account there, or set another embedder"
            )),
            429 => self.busy(answer, "gets more requests than it takes"),
            500.. | 408 | 425 => self.busy(answer, &format!("answered with status {}", answer.status)),
            status => lasting(format!(
                "{url} refuses what it is asked with status {status}: check embedder.url and that {model:?} is a model \
                 for embeddings; the server's log says more"
            )),
        }
    }

    fn no_entry(&self, status: u16) -> String {
        let url = self.remote.endpoint.url();
        if self.remote.endpoint.has_key() {
            format!(
                "{url} does not take the key that it is given ({status}): set SELFSAME_EMBEDDER_KEY to another"
            )
        } else {
            format!("{url} wants a key ({status}): set SELFSAME_EMBEDDER_KEY")
        }
    }

    fn busy(&self, answer: &Answer, what: &str) -> Failure {
        let when = match answer.retry_after {
            Some(wait) => format!("in {wait:?}, as it says"),
            None => "later".to_owned(),
        };
        let url = self.remote.endpoint.url();
        let error = PortError::Passing(format!("{url} {what}: it is asked again {when}"));
        Failure::Told { error, wait: answer.retry_after }
    }

    /// It answered with success, but not with vectors for these texts.
    pub(super) fn unusable(&self, bad: &dyn Display) -> Failure {
        passing(format!(
            "the answer of {} to {} cannot be used: {bad}; check embedder.url and embedder.model",
            self.remote.endpoint.url(),
            self.counted_texts()
        ))
    }

    fn counted_texts(&self) -> String {
        match self.texts.len() {
            1 => "one text".to_owned(),
            count => format!("{count} texts"),
        }
    }
}

fn says(body: &[u8], words: &[&str]) -> bool {
    let body = String::from_utf8_lossy(body).to_lowercase();
    words.iter().any(|word| body.contains(word))
}

fn passing(words: String) -> Failure {
    Failure::Told { error: PortError::Passing(words), wait: None }
}

fn lasting(words: String) -> Failure {
    Failure::Told { error: PortError::Lasting(words), wait: None }
}

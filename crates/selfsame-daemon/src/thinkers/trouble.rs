//! What can go wrong with a thinker, in words that name its address and what to do. Its own words are not among them, as
//! they may repeat texts or the key.

use crate::reach::Unfit;
use crate::web::Answer;
use selfsame::ports::{Fault, FaultKind};
use serde_json::Value;
use serde_json::error::Category;
use std::fmt::Display;
use std::io::ErrorKind;
use std::time::Duration;

/// Whom the words are about.
#[derive(Clone)]
pub(super) struct Place {
    /// Its address, or what else it is called if that may be secret.
    pub(super) named: String,
    /// The settings that say who is asked.
    pub(super) check: &'static str,
    pub(super) when_nobody_answers: &'static str,
    pub(super) when_not_found: String,
    pub(super) has_key: bool,
    pub(super) max_bytes: u64,
}

impl Place {
    /// Nothing came, or not all of it.
    pub(super) fn no_answer(&self, error: &ureq::Error, time: Duration) -> Fault {
        let (named, check) = (&self.named, self.check);
        match error {
            ureq::Error::Timeout(_) => self.too_slow(time),
            ureq::Error::BodyExceedsLimit(_) => Fault::new(
                FaultKind::TooLarge,
                format!("{named} answered more than {} bytes: check {check}", self.max_bytes),
            ),
            ureq::Error::Other(cause) if cause.is::<Unfit>() => {
                let why = cause.downcast_ref::<Unfit>().map_or_else(String::new, Unfit::to_string);
                Fault::new(FaultKind::Misconfigured, format!("{named} {why}"))
            }
            ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => Fault::new(
                FaultKind::Unreachable,
                format!("nobody answers at {named}: {}", self.when_nobody_answers),
            ),
            _ if has_run_out(error) => Fault::new(
                FaultKind::Unreachable,
                format!(
                    "the certificate of {named} has run out, and nothing was sent: it has to be renewed there, or the \
                     clock of this machine is wrong"
                ),
            ),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => self.no_tls(),
            ureq::Error::Io(io) if io.kind() == ErrorKind::InvalidData => self.no_tls(),
            // The words of the system or of our own library, and not of the server.
            ureq::Error::Io(io) => self.no_connection(io),
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => self.no_connection(error),
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => Fault::new(
                FaultKind::Misconfigured,
                format!("{named} is no address that can be asked: check {check}"),
            ),
            _ => self.unreadable("it is no HTTP"),
        }
    }

    pub(super) fn too_slow(&self, time: Duration) -> Fault {
        let told = format!(
            "{} did not come to an end within {time:?}, or fell silent: a smaller model answers sooner; raise the \
             thinker's timeout if that is usual",
            self.named
        );
        Fault::new(FaultKind::TooSlow, told)
    }

    fn no_connection(&self, cause: &dyn Display) -> Fault {
        let told = format!(
            "the connection to {} failed ({cause}): if that is usual, check {}, the network and the server's log",
            self.named, self.check
        );
        Fault::new(FaultKind::Unreachable, told)
    }

    fn no_tls(&self) -> Fault {
        let told = format!(
            "{} has no certificate that is trusted here, or speaks no TLS: is it http or https? Check {}",
            self.named, self.check
        );
        Fault::new(FaultKind::Unreachable, told)
    }

    /// It answered, but with an error.
    pub(super) fn refused(&self, answer: &Answer) -> Fault {
        let (named, check, status) = (&self.named, self.check, answer.status);
        let misconfigured = |told: String| Fault::new(FaultKind::Misconfigured, told);
        let fault = match status {
            300..=399 => misconfigured(format!(
                "{named} wants to be asked elsewhere ({status}), and is not followed, as it is given texts and a key: set \
                 the address to where it leads (curl -i shows it)"
            )),
            401 | 403 if self.has_key => misconfigured(format!(
                "{named} does not take the key that it is given ({status}): set SELFSAME_THINKER_KEY to another"
            )),
            401 | 403 => misconfigured(format!("{named} wants a key ({status}): set SELFSAME_THINKER_KEY")),
            404 => misconfigured(format!(
                "{named} is not there, or has no such model ({status}): {}",
                self.when_not_found
            )),
            402 => self.used_up(),
            429 if says(&answer.body, "insufficient_quota") => self.used_up(),
            429 => Fault::new(
                FaultKind::Busy,
                format!("{named} gets more requests than it takes: it is asked again later"),
            ),
            408 | 425 | 500.. => Fault::new(
                FaultKind::Failed,
                format!("{named} answered with status {status}: the server's log says more"),
            ),
            _ => misconfigured(format!(
                "{named} refuses what it is asked with status {status}: check {check}, that it knows tools, and that it \
                 takes so much at once; the server's log says more"
            )),
        };
        Fault { wait: answer.retry_after, ..fault }
    }

    fn used_up(&self) -> Fault {
        let told = format!(
            "{} says that what was paid for is used up: see to the account there, or set another thinker",
            self.named
        );
        Fault::new(FaultKind::Misconfigured, told)
    }

    /// Reads JSON. The reader's own words are left out: they may quote what it read.
    pub(super) fn read(&self, body: &[u8]) -> Result<Value, Fault> {
        let text = std::str::from_utf8(body).map_err(|_| self.unreadable("it is no text"))?.trim();
        serde_json::from_str(text).map_err(|error| {
            self.unreadable(match error.classify() {
                _ if text.is_empty() => "it is empty",
                _ if text.starts_with('<') => "it is a web page",
                Category::Eof => "it breaks off",
                _ => "it is no readable JSON",
            })
        })
    }

    pub(super) fn unreadable(&self, why: &str) -> Fault {
        let told = format!("the answer of {} cannot be used: {why}; check {}", self.named, self.check);
        Fault::new(FaultKind::Unreadable, told)
    }

    pub(super) fn declined(&self) -> Fault {
        let told = format!("{} answered nothing, or that it will not", self.named);
        Fault::new(FaultKind::Refused, told)
    }

    pub(super) fn restless(&self, what: &str) -> Fault {
        Fault::new(FaultKind::Restless, format!("{} {what}", self.named))
    }
}

/// Whether it is for its certificate's date that a server is not trusted.
fn has_run_out(error: &ureq::Error) -> bool {
    use rustls::CertificateError::{Expired, ExpiredContext};
    let cause = match error {
        ureq::Error::Rustls(cause) => Some(cause),
        ureq::Error::Io(io) => io.get_ref().and_then(|cause| cause.downcast_ref()),
        _ => None,
    };
    matches!(cause, Some(rustls::Error::InvalidCertificate(Expired | ExpiredContext { .. })))
}

fn says(body: &[u8], word: &str) -> bool {
    String::from_utf8_lossy(body).to_lowercase().contains(word)
}

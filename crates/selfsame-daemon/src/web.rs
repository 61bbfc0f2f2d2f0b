//! How we ask others over HTTP: the one way out of the house.

use crate::reach::{Reach, Watched};
use selfsame::time::Time;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use ureq::config::Config;
use ureq::http::{HeaderMap, Uri};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};

/// So much of an error's body is read: enough to tell what it is about.
const ERROR_BODY: u64 = 64 << 10;

/// What a server said.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// When to come back, as far as it is said.
    pub(crate) retry_after: Option<Duration>,
    /// Whether it says that its body is JSON.
    pub(crate) is_json: bool,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body of a success has at most `limit` bytes; of an error, the beginning is kept. A moment to come back is
    /// understood by whoever says what time it is.
    pub(crate) fn read(
        mut response: ureq::http::Response<ureq::Body>,
        limit: u64,
        now: Option<Time>,
    ) -> Result<Answer, ureq::Error> {
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers(), now);
        let is_json = is_json(response.headers());
        let body = if response.status().is_success() {
            response.body_mut().with_config().limit(limit).read_to_vec()?
        } else {
            beginning(response.body_mut())
        };
        Ok(Answer { status, retry_after, is_json, body })
    }
}

/// An agent for one server, which is asked nowhere but where [`Reach`] lets it be.
pub(crate) fn agent(reach: Reach) -> ureq::Agent {
    ureq::Agent::with_parts(config(), DefaultConnector::new(), Watched::new(reach))
}

/// No redirect is followed, so that what is sent (texts, keys, nudges) goes nowhere but where it was sent; and no proxy is
/// taken from the environment, which is read in one place of the house and not in a library.
fn config() -> Config {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("selfsame/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// The same, and it may not fall silent once it began
/// to answer. Before that it may think as long as it has time.
pub(crate) struct Watch {
    agent: ureq::Agent,
    answers: Arc<AtomicBool>,
}

impl Watch {
    pub(crate) fn new(reach: Reach, idle: Duration) -> Watch {
        let answers = Arc::new(AtomicBool::new(false));
        let patience = Patience { answers: Arc::clone(&answers), idle };
        let connector = DefaultConnector::new().chain(patience);
        Watch { agent: ureq::Agent::with_parts(config(), connector, Watched::new(reach)), answers }
    }

    /// Sends a body and reads the answer, both within the limits together.
    pub(crate) fn post(
        &self,
        url: &str,
        headers: &HeaderMap,
        body: &str,
        limits: Limits,
    ) -> Result<Answer, ureq::Error> {
        let response = self.ask(url, headers, body, limits.time)?;
        Answer::read(response, limits.bytes, Some(limits.now))
    }

    /// Sends a body; the answer is still to be read, within the same time.
    pub(crate) fn ask(
        &self,
        url: &str,
        headers: &HeaderMap,
        body: &str,
        time: Duration,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        self.answers.store(false, Ordering::Relaxed);
        let mut request = self.agent.post(url).config().timeout_global(Some(time)).build();
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.send(body)?;
        self.answers.store(true, Ordering::Relaxed);
        Ok(response)
    }
}

/// What one request may take.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    pub(crate) bytes: u64,
    /// What time it is, for a server that names a moment.
    pub(crate) now: Time,
}

/// Puts a limit on each wait for more of an answer.
#[derive(Debug)]
struct Patience {
    answers: Arc<AtomicBool>,
    idle: Duration,
}

impl<In: Transport> Connector<In> for Patience {
    type Out = Patient<In>;

    fn connect(
        &self,
        _details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Patient<In>>, ureq::Error> {
        Ok(chained.map(|inner| Patient { inner, answers: Arc::clone(&self.answers), idle: self.idle }))
    }
}

#[derive(Debug)]
struct Patient<T> {
    inner: T,
    answers: Arc<AtomicBool>,
    idle: Duration,
}

impl<T: Transport> Transport for Patient<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, mut timeout: NextTimeout) -> Result<bool, ureq::Error> {
        if self.answers.load(Ordering::Relaxed) {
            timeout.per_read = Some(self.idle.into());
        }
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

/// The host of an address that has nothing but a host and a port that can be.
pub(crate) fn plain_host(uri: &Uri) -> Option<String> {
    let authority = uri.authority()?;
    let host = authority.host();
    let is_plain = match authority.as_str().strip_prefix(host)?.strip_prefix(':') {
        Some(port) => port.parse::<u16>().is_ok(),
        None => authority.as_str() == host,
    };
    (is_plain && !host.is_empty()).then(|| host.to_owned())
}

fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.to_ascii_lowercase().contains("json")
}

/// In seconds, or as a moment.
fn retry_after(headers: &HeaderMap, now: Option<Time>) -> Option<Duration> {
    let said = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = said.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(said).ok()?;
    Some(Time::checked(moment.as_microsecond())?.since(now?))
}

/// As much as came: the status already says that it failed.
fn beginning(body: &mut ureq::Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = body.as_reader().take(ERROR_BODY).read_to_end(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_come_back() {
        let now = Time::parse("2026-10-21T07:28:00Z").unwrap();
        let said = |text: &str| {
            let headers = HeaderMap::from_iter([("retry-after".parse().unwrap(), text.parse().unwrap())]);
            retry_after(&headers, Some(now))
        };
        assert_eq!(said(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(said("Wed, 21 Oct 2026 07:29:30 GMT"), Some(Duration::from_secs(90)));
        assert_eq!(said("Wed, 21 Oct 2026 07:00:00 GMT"), Some(Duration::ZERO), "it is over");
        for garbage in ["", "soon", "-5", "1e9", "7s", "Wed, 99 Oct 2026 07:29:30 GMT"] {
            assert_eq!(said(garbage), None, "{garbage:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), Some(now)), None);
    }
}

//! One address, and one request to it: bounded in time and bytes, never led elsewhere, and never unpacked.

use crate::web;
use selfsame::config::Secret;
use selfsame::ports::PortError;
use std::io::Read as _;
use std::time::Duration;
use ureq::http::{HeaderMap, HeaderValue, Uri};

/// So much of an error's body is read: enough to tell what it is about.
const ERROR_BODY: u64 = 64 << 10;

/// Where a server is asked, and with which key.
pub(super) struct Endpoint {
    agent: ureq::Agent,
    url: String,
    host: String,
    authorization: Option<HeaderValue>,
}

/// What a server said.
pub(super) struct Answer {
    pub(super) status: u16,
    /// When to come back, as far as it is said in seconds.
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Endpoint {
    /// An address with nothing secret in it: it is named in messages.
    pub(super) fn new(url: &str, path: &str, key: Option<&Secret>) -> Result<Endpoint, PortError> {
        let whole = format!("{url}{path}");
        let host = whole.parse().ok().as_ref().and_then(plain_host).filter(|_| !whole.contains(['?', '#']));
        let host = host.ok_or_else(|| PortError::Lasting(BAD_URL.into()))?;
        let authorization = key.map(bearer).transpose()?;
        Ok(Endpoint { agent: web::agent(), url: whole, host, authorization })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn has_key(&self) -> bool {
        self.authorization.is_some()
    }

    /// Sends JSON and reads what comes back, both within `timeout` together. The body of a success has at most `limit`
    /// bytes; of an error, the beginning is kept.
    pub(super) fn post(&self, json: &str, limit: u64, timeout: Duration) -> Result<Answer, ureq::Error> {
        let mut request = self
            .agent
            .post(&self.url)
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header("content-type", "application/json")
            .header("accept", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let mut response = request.send(json)?;
        let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
        let body = if response.status().is_success() {
            response.body_mut().with_config().limit(limit).read_to_vec()?
        } else {
            beginning(response.body_mut())
        };
        Ok(Answer { status, retry_after, body })
    }
}

const BAD_URL: &str = "embedder.url is no address of a server: write it as http://host:port or https://host/v1, without \
    a user, ? or #; a key belongs into SELFSAME_EMBEDDER_KEY";

/// The host of an address that has nothing but a host and a port that can be.
fn plain_host(uri: &Uri) -> Option<String> {
    let authority = uri.authority()?;
    let host = authority.host();
    let is_plain = match authority.as_str().strip_prefix(host)?.strip_prefix(':') {
        Some(port) => port.parse::<u16>().is_ok(),
        None => authority.as_str() == host,
    };
    (is_plain && !host.is_empty()).then(|| host.to_owned())
}

fn bearer(key: &Secret) -> Result<HeaderValue, PortError> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", key.reveal())).map_err(|_| {
        PortError::Lasting("embedder.key has letters that no key has: copy SELFSAME_EMBEDDER_KEY anew".into())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// As much as came: the status already says that it failed.
fn beginning(body: &mut ureq::Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = body.as_reader().take(ERROR_BODY).read_to_end(&mut bytes);
    bytes
}

//! One address, and one request to it: bounded in time and bytes, never led elsewhere, and never unpacked.

use crate::reach::Reach;
use crate::web::{self, Answer, plain_host};
use selfsame::config::Secret;
use selfsame::ports::PortError;
use std::time::Duration;
use ureq::http::HeaderValue;

/// Where a server is asked, and with which key.
pub(super) struct Endpoint {
    agent: ureq::Agent,
    url: String,
    host: String,
    authorization: Option<HeaderValue>,
}

impl Endpoint {
    /// An address with nothing secret in it: it is named in messages.
    pub(super) fn new(url: &str, path: &str, key: Option<&Secret>) -> Result<Endpoint, PortError> {
        let whole = format!("{url}{path}");
        let host = whole.parse().ok().as_ref().and_then(plain_host).filter(|_| !whole.contains(['?', '#']));
        let host = host.ok_or_else(|| PortError::Lasting(BAD_URL.into()))?;
        let reach = Reach::of(&whole).map_err(|unfit| PortError::Lasting(format!("embedder.url {unfit}")))?;
        let authorization = key.map(bearer).transpose()?;
        Ok(Endpoint { agent: web::agent(reach), url: whole, host, authorization })
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
        Answer::read(request.send(json)?, limit, None)
    }
}

const BAD_URL: &str = "embedder.url is no address of a server: write it as http://host:port or https://host/v1, without \
    a user, ? or #; a key belongs into SELFSAME_EMBEDDER_KEY";

fn bearer(key: &Secret) -> Result<HeaderValue, PortError> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", key.reveal())).map_err(|_| {
        PortError::Lasting("embedder.key has letters that no key has: copy SELFSAME_EMBEDDER_KEY anew".into())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

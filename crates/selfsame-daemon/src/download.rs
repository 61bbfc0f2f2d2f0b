//! Fetches a model's files from a hub: plain GET, over as many steps as the hub sends us. Where each
//! step leads is judged here; what arrives is checked by who asked.

use crate::reach::Reach;
use crate::web;
use selfsame::model::{Fetch, Fetched};
use std::time::Duration;
use ureq::http::{HeaderMap, Response, Uri};

/// A hub keeps large files elsewhere and sends us there; more steps than that are a circle.
const MOST_STEPS: usize = 5;
/// A connection, and the first word of an answer, take no longer.
const PATIENCE: Duration = Duration::from_secs(30);
/// A file takes no longer.
const LONG_PATIENCE: Duration = Duration::from_secs(60 * 60);

/// A hub, or a mirror of it.
pub struct Hub {
    url: String,
}

impl Hub {
    /// The one at this address.
    pub fn new(url: &str) -> Hub {
        Hub { url: url.trim_end_matches('/').to_owned() }
    }
}

impl Fetch for Hub {
    fn hub(&self) -> &str {
        &self.url
    }

    fn fetch(&self, url: &str) -> Result<Fetched, String> {
        let (mut url, mut bytes, mut sha256) = (url.to_owned(), None, None);
        let first = Reach::of(&url).map_err(|unfit| format!("{url} {unfit}"))?;
        let mut reach = first.clone();
        for _ in 0..MOST_STEPS {
            let response = ask(&url, reach)?;
            // What the hub itself says of a file counts, wherever it is kept.
            bytes = bytes.or_else(|| number(response.headers(), "x-linked-size"));
            sha256 = sha256.or_else(|| checksum(response.headers(), "x-linked-etag"));
            match response.status().as_u16() {
                200 => return Ok(arriving(response, bytes, sha256)),
                301 | 302 | 303 | 307 | 308 => {
                    (url, reach) = sent_on(&first, &url, response.headers())?;
                }
                404 => return Err("there is no such file (404)".into()),
                401 | 403 => return Err(format!("the hub wants to know who asks ({})", response.status())),
                status => return Err(format!("the hub answers with status {status}")),
            }
        }
        Err(format!("it sends us on more than {MOST_STEPS} times"))
    }
}

/// Asks one server, which is where [`Reach`] lets it be.
fn ask(url: &str, reach: Reach) -> Result<Response<ureq::Body>, String> {
    let asked = web::agent(reach).get(url).config();
    let asked = asked
        .timeout_connect(Some(PATIENCE))
        .timeout_recv_response(Some(PATIENCE))
        .timeout_recv_body(Some(LONG_PATIENCE))
        .build();
    asked.call().map_err(|error| error.to_string())
}

fn arriving(response: Response<ureq::Body>, bytes: Option<u64>, sha256: Option<String>) -> Fetched {
    let stated = number(response.headers(), "content-length");
    let sha256 = sha256.or_else(|| checksum(response.headers(), "etag"));
    let body = response.into_body().into_with_config().limit(u64::MAX).reader();
    Fetched { bytes: bytes.or(stated), sha256, body: Box::new(body) }
}

/// Where we are sent, and what is asked there: nothing that the hub itself could not lead to.
fn sent_on(first: &Reach, from: &str, headers: &HeaderMap) -> Result<(String, Reach), String> {
    let url = next(from, headers)?;
    match first.sent_on(&url) {
        Ok(reach) => Ok((url, reach)),
        Err(unfit) => Err(format!("it sends us to {url}, which {unfit}")),
    }
}

/// Where we are sent; never from a way that nobody can listen on to one where everybody can.
fn next(from: &str, headers: &HeaderMap) -> Result<String, String> {
    let to = headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let target = if to.starts_with('/') { format!("{}{to}", origin(from)?) } else { to.to_owned() };
    let is_good =
        target.starts_with("https://") || (target.starts_with("http://") && !from.starts_with("https://"));
    is_good.then_some(target).ok_or_else(|| format!("it sends us to {to:?}"))
}

fn origin(url: &str) -> Result<String, String> {
    let uri: Uri = url.parse().map_err(|error| format!("{url} is no address: {error}"))?;
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme), Some(authority)) => Ok(format!("{scheme}://{authority}")),
        _ => Err(format!("{url} is no address")),
    }
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// A SHA-256, if that is what the mark of a file is; small files have other marks.
fn checksum(headers: &HeaderMap, name: &str) -> Option<String> {
    let mark = headers.get(name)?.to_str().ok()?.trim().trim_matches('"').to_ascii_lowercase();
    (mark.len() == 64 && mark.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(from: &str, to: &str) -> Result<String, String> {
        let headers = HeaderMap::from_iter([("location".parse().unwrap(), to.parse().unwrap())]);
        let first = Reach::of(from).unwrap();
        sent_on(&first, from, &headers).map(|(url, _)| url)
    }

    #[test]
    fn a_hub_in_the_world_sends_nobody_into_the_house() {
        let hub = "https://hub.example/model.onnx";
        assert_eq!(sent(hub, "https://files.example/1").as_deref(), Ok("https://files.example/1"));
        assert_eq!(sent(hub, "/elsewhere").as_deref(), Ok("https://hub.example/elsewhere"));
        for inside in
            ["https://127.0.0.1/", "https://192.168.1.1/", "https://printer.local/", "https://[::1]/"]
        {
            let refused = sent(hub, inside).unwrap_err();
            assert!(refused.contains("private network"), "{refused}");
            // A mirror in the house may.
            assert_eq!(sent("https://10.0.0.7/model.onnx", inside).as_deref(), Ok(inside));
        }
    }

    #[test]
    fn what_nobody_could_listen_to_stays_so() {
        let hub = "https://hub.example/model.onnx";
        for wrong in
            ["http://files.example/1", "ftp://files.example/1", "files.example/1", "", "file:///etc/passwd"]
        {
            let refused = sent(hub, wrong).unwrap_err();
            assert_eq!(refused, format!("it sends us to {wrong:?}"));
        }
        assert_eq!(
            sent("http://hub.example/m", "http://files.example/1").as_deref(),
            Ok("http://files.example/1")
        );
    }
}

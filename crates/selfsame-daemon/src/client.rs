//! The other end of the daemon's socket: one request, one answer, from a thread that may wait.

use crate::failure::{Failure, Problem};
use crate::http::SPEAKS_AS;
use crate::operations::{Entry, Method};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::UnixStream;

/// How long the daemon may take for one answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running daemon, by its socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Client {
    socket: PathBuf,
    speaks_as: &'static str,
}

impl Client {
    /// The daemon behind the socket, if one answers there.
    pub(crate) fn find(socket: &Path, speaks_as: &'static str) -> Option<Client> {
        std::os::unix::net::UnixStream::connect(socket).ok()?;
        Some(Client { socket: socket.to_owned(), speaks_as })
    }

    /// Asks the daemon to run an operation.
    pub(crate) fn call(
        &self,
        entry: &Entry,
        agent: &str,
        key: Option<&str>,
        request: Value,
    ) -> Result<Value, Failure> {
        self.ask(self.request(entry, agent, key, request)?)
    }

    /// Where the daemon listens on the network.
    pub(crate) fn address(&self) -> Result<String, Failure> {
        self.health("address")
    }

    /// The same as one writes it into a browser.
    pub(crate) fn url(&self) -> Result<String, Failure> {
        self.health("url")
    }

    fn health(&self, field: &str) -> Result<String, Failure> {
        let request = Request::get("/healthz").header("host", "localhost").body(Full::default());
        let reply = self.ask(request.map_err(|error| unreachable_daemon(&error))?)?;
        Ok(reply[field].as_str().unwrap_or_default().to_owned())
    }

    /// Asks the daemon itself for something, as its owner: a path that is no operation.
    pub(crate) fn post(&self, path: &str) -> Result<Value, Failure> {
        let request = Request::post(path).header("host", "localhost").body(Full::default());
        self.ask(request.map_err(|error| unreachable_daemon(&error))?)
    }

    fn ask(&self, request: Request<Full<Bytes>>) -> Result<Value, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unreachable_daemon(&error))?;
        let answer = runtime.block_on(async { tokio::time::timeout(PATIENCE, self.send(request)).await });
        let (status, body) = answer.map_err(|_| unreachable_daemon(&"no answer within two minutes"))??;
        if status.is_success() {
            return serde_json::from_slice(&body).map_err(|error| unreachable_daemon(&error));
        }
        Err(serde_json::from_slice::<Problem>(&body).map_err(|error| unreachable_daemon(&error))?.into())
    }

    fn request(
        &self,
        entry: &Entry,
        agent: &str,
        key: Option<&str>,
        request: Value,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let Value::Object(mut fields) = request else {
            return Err(Failure::bad_request("bad_request", "a request is an object"));
        };
        let mut uri = path(entry.route.path, agent, &mut fields);
        let mut body = Bytes::new();
        match entry.route.method {
            Method::Post => body = Value::Object(fields).to_string().into(),
            Method::Get | Method::Delete => uri += &query(&fields),
        }
        let mut builder = Request::builder()
            .method(entry.route.method.as_str())
            .uri(uri)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header(SPEAKS_AS, self.speaks_as);
        if let Some(key) = key {
            builder = builder.header("idempotency-key", key);
        }
        builder.body(Full::new(body)).map_err(|error| Failure::bad_request("bad_request", error.to_string()))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), Failure> {
        let stream = UnixStream::connect(&self.socket).await.map_err(|error| unreachable_daemon(&error))?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| unreachable_daemon(&error))?;
        tokio::spawn(connection);
        let response = sender.send_request(request).await.map_err(|error| unreachable_daemon(&error))?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| unreachable_daemon(&error))?;
        Ok((status, body.to_bytes()))
    }
}

/// The path with its names filled in; what is used there is taken out of the fields.
fn path(template: &str, agent: &str, fields: &mut Map<String, Value>) -> String {
    let parts =
        template.split('/').map(|part| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
            Some("agent") => percent_encoded(agent),
            Some(name) => percent_encoded(&text(&fields.remove(name).unwrap_or_default())),
            None => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("/")
}

fn query(fields: &Map<String, Value>) -> String {
    let pairs: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", percent_encoded(name), percent_encoded(&text(value))))
        .collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

fn unreachable_daemon(cause: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        503,
        "daemon_unreachable",
        format!("the running daemon did not answer ({cause}): see its log, or stop it and try again"),
    )
}

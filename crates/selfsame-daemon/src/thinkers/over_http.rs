//! MCP over HTTP, by our own way out ([`crate::web`]): each message is posted, and what comes back, as JSON or as a stream of
//! events, is read until the answer to it is there.

use crate::reach::{Reach, Unfit};
use crate::web::Watch;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use selfsame::config::Secret;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use ureq::http::{HeaderMap, HeaderValue};

/// No message is waited for longer, whatever the caller has.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// So long it may fall silent once it began to answer.
const IDLE: Duration = Duration::from_secs(60);
/// So much of an answer to one message is read.
const LONGEST_ANSWER: u64 = 4 << 20;
/// Names the version in what a newer server is sent.
const VERSION_FIELD: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
const SESSION: &str = "mcp-session-id";

/// A message was not answered. The other side's words are not repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Unanswered {
    #[error("it cannot be reached")]
    Unreachable,
    #[error("it answers with status {0}")]
    Status(u16),
    #[error("its answer cannot be read")]
    Unreadable,
}

/// A server of tools that is an address.
pub(super) struct OverHttp {
    line: Arc<Line>,
    arrived: UnboundedReceiver<RxJsonRpcMessage<RoleClient>>,
}

struct Line {
    url: Secret,
    watch: Watch,
    standing: Mutex<Standing>,
    arriving: UnboundedSender<RxJsonRpcMessage<RoleClient>>,
}

/// What was agreed on with the server so far.
#[derive(Clone, Default)]
struct Standing {
    session: Option<HeaderValue>,
    version: Option<String>,
}

impl OverHttp {
    pub(super) fn new(url: &Secret) -> Result<OverHttp, Unfit> {
        let reach = Reach::of(url.reveal())?;
        let (arriving, arrived) = unbounded_channel();
        let watch = Watch::new(reach, IDLE);
        let line = Line { url: url.clone(), watch, standing: Mutex::default(), arriving };
        Ok(OverHttp { line: Arc::new(line), arrived })
    }
}

impl Transport<RoleClient> for OverHttp {
    type Error = Unanswered;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Unanswered>> + Send + 'static {
        let line = Arc::clone(&self.line);
        async move {
            let message = serde_json::to_value(message).map_err(|_| Unanswered::Unreadable)?;
            // It waits for the server: not on the thread of this runtime.
            let posted = tokio::task::spawn_blocking(move || line.post(&message)).await;
            posted.unwrap_or(Err(Unanswered::Unreachable))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.arrived.recv().await
    }

    /// A server lets go of who does not come back; nobody waits for that.
    async fn close(&mut self) -> Result<(), Unanswered> {
        self.arrived.close();
        Ok(())
    }
}

impl Line {
    fn post(&self, message: &Value) -> Result<(), Unanswered> {
        let headers = self.headers(message);
        let body = message.to_string();
        let sent = self.watch.ask(self.url.reveal(), &headers, &body, LONGEST_WAIT);
        let response = sent.map_err(|_| Unanswered::Unreachable)?;
        let status = response.status();
        let asked = message.get("method").and(message.get("id"));
        if let Some(session) = response.headers().get(SESSION) {
            self.locked().session = Some(session.clone());
        }
        let is_stream = says(response.headers(), "text/event-stream");
        let body = response.into_body().into_reader().take(LONGEST_ANSWER);
        match asked {
            // Whoever does not know what is asked says so in more than one way; what was asked has its answer.
            Some(id) if status.is_client_error() => self.deliver(refusal(id, body)),
            _ if !status.is_success() => Err(Unanswered::Status(status.as_u16())),
            None => Ok(()),
            Some(id) if is_stream => self.follow(id, body),
            Some(_) => {
                let answer = serde_json::from_reader(body).map_err(|_| Unanswered::Unreadable)?;
                match answer {
                    Value::Array(several) => several.into_iter().try_for_each(|one| self.deliver(one)),
                    one => self.deliver(one),
                }
            }
        }
    }

    /// Hands on what a stream of events brings, until the answer to `id` was among it: some are never closed.
    fn follow(&self, id: &Value, body: impl Read) -> Result<(), Unanswered> {
        let mut data = String::new();
        for line in BufReader::new(body).lines() {
            let line = line.map_err(|_| Unanswered::Unreadable)?;
            if let Some(more) = line.strip_prefix("data:") {
                data.push_str(more.strip_prefix(' ').unwrap_or(more));
                data.push('\n');
                continue;
            }
            if !line.is_empty() || data.is_empty() {
                continue;
            }
            let message: Value = serde_json::from_str(&data).map_err(|_| Unanswered::Unreadable)?;
            data.clear();
            let is_the_answer = message.get("id") == Some(id) && message.get("method").is_none();
            self.deliver(message)?;
            if is_the_answer {
                return Ok(());
            }
        }
        Err(Unanswered::Unreadable)
    }

    fn deliver(&self, message: Value) -> Result<(), Unanswered> {
        if let Some(version) = message.pointer("/result/protocolVersion").and_then(Value::as_str) {
            self.locked().version = Some(version.to_owned());
        }
        let message = serde_json::from_value(message).map_err(|_| Unanswered::Unreadable)?;
        // Nobody listens any more: then nobody waits for it either.
        let _ = self.arriving.send(message);
        Ok(())
    }

    /// What servers of the several versions of MCP want to see beside a message.
    fn headers(&self, message: &Value) -> HeaderMap {
        let standing = self.locked().clone();
        let in_message = message.pointer(VERSION_FIELD).and_then(Value::as_str);
        let text = |place: &str| message.pointer(place).and_then(Value::as_str);
        let named = text("/params/name").or_else(|| text("/params/uri"));
        let mut headers = HeaderMap::new();
        let mut put = |name: &'static str, value: Option<&str>| {
            // What is no header is left out: the server will say what it misses.
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                headers.insert(name, value);
            }
        };
        put("content-type", Some("application/json"));
        put("accept", Some("application/json, text/event-stream"));
        put("mcp-protocol-version", in_message.or(standing.version.as_deref()));
        if in_message.is_some() {
            put("mcp-method", text("/method"));
            put("mcp-name", named);
        }
        if let Some(session) = standing.session {
            headers.insert(SESSION, session);
        }
        headers
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server's refusal as the answer to what was asked: its own, if it has one, for it may not know which message it refuses.
fn refusal(id: &Value, body: impl Read) -> Value {
    let said: Value = serde_json::from_reader(body).unwrap_or_default();
    let error = said.get("error").filter(|error| error.get("code").is_some()).cloned();
    let error = error.unwrap_or_else(|| json!({ "code": -32600, "message": "refused" }));
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

fn says(headers: &HeaderMap, kind: &str) -> bool {
    let said = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.trim_start().to_ascii_lowercase().starts_with(kind)
}

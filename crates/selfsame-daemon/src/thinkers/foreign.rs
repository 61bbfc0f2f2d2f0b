//! The tools of others: an MCP server that is a program, spoken to over its standard input and output, or an address.
//!
//! A program is started when its tools are first asked for, runs as long as they are used, and ends a little later with all
//! that it started. It may take only so long and say only so much; nothing of what it says about a failure is passed on.

use super::McpServer;
use super::over_http::OverHttp;
use crate::child;
use rmcp::model::{CallToolRequestParams, JsonObject, PaginatedRequestParams, Tool};
use rmcp::service::RunningService;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleClient, ServiceExt as _};
use selfsame::config::ToolServer;
use selfsame::ports::{PortError, ToolCard, ToolClass};
use serde_json::Value;
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;

/// So long a server may take to start and to say what it has.
const TIME_TO_START: Duration = Duration::from_secs(20);
/// So long it is kept after its last use.
const LINGER: Duration = Duration::from_secs(60);
/// So much it may say at once, and so much of an answer is passed on.
const LONGEST_LINE: usize = 4 << 20;
const LONGEST_ANSWER: usize = 64 << 10;
/// So many tools it may have, described in so many bytes each.
const MOST_TOOLS: usize = 64;
const MOST_PAGES: usize = 8;
const LONGEST_DESCRIPTION: usize = 1 << 10;
const LONGEST_SCHEMA: usize = 16 << 10;
/// What providers of models take as the name of a tool.
const LONGEST_NAME: usize = 64;
/// Why a server that answers otherwise is not used.
const NO_MCP: &str = "it speaks no MCP";
/// Between a server's name and a tool's.
const MARK: &str = "__";

/// One server, running or not.
pub(super) struct Foreign {
    server: McpServer,
    keeper: Mutex<Option<Sender<Order>>>,
}

/// What a server's keeper is to do.
enum Order {
    List(SyncSender<Result<Vec<ToolCard>, String>>),
    Call { tool: String, arguments: JsonObject, time: Duration, reply: SyncSender<Result<String, String>> },
}

impl Foreign {
    pub(super) fn new(server: &McpServer) -> Result<Foreign, PortError> {
        if server.name.is_empty() || server.name.contains(MARK) || !server.name.chars().all(is_of_a_name) {
            return Err(PortError::Lasting(format!(
                "a server of tools cannot be called {:?}: take letters, digits and single hyphens or underscores",
                server.name
            )));
        }
        if let ToolServer::Url(url) = &server.server {
            let unfit = |unfit| PortError::Lasting(format!("thinker.mcp.{}.url {unfit}", server.name));
            OverHttp::new(url).map_err(unfit)?;
        }
        Ok(Foreign { server: server.clone(), keeper: Mutex::new(None) })
    }

    /// What it has; nothing if it does not work, which is said in the log.
    pub(super) fn tools(&self) -> Vec<ToolCard> {
        self.order(Order::List).and_then(|tools| tools).unwrap_or_else(|why| {
            tracing::warn!(server = %self.server.name, "a server of tools does not work: {why}");
            Vec::new()
        })
    }

    /// What it calls a tool of this name itself, if the tool is its.
    pub(super) fn own_name<'t>(&self, tool: &'t str) -> Option<&'t str> {
        tool.strip_prefix(self.server.name.as_str())?.strip_prefix(MARK)
    }

    pub(super) fn call(&self, tool: &str, arguments: JsonObject, time: Duration) -> Result<String, String> {
        let tool = tool.to_owned();
        self.order(|reply| Order::Call { tool, arguments, time, reply }).and_then(|answer| answer)
    }

    /// Gives an order to the keeper and waits for what comes of it. Who keeps a server ends it by and by, so there may be
    /// none, or none any more.
    fn order<T>(&self, order: impl FnOnce(SyncSender<T>) -> Order) -> Result<T, String> {
        let (reply, answer) = sync_channel(1);
        let mut order = order(reply);
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (sender, is_new) = match keeper.take() {
                Some(sender) => (sender, false),
                None => (keep(self.server.clone()), true),
            };
            match sender.send(order) {
                Ok(()) => {
                    *keeper = Some(sender);
                    break;
                }
                Err(_) if is_new => return Err("no thread could be started for it".into()),
                Err(back) => order = back.0,
            }
        }
        answer.recv().map_err(|_| "it was ended meanwhile; try once more".into())
    }
}

/// Starts a thread that keeps the server, until nobody wants anything of it for a while.
fn keep(server: McpServer) -> Sender<Order> {
    let (sender, orders) = channel();
    std::thread::spawn(move || Keeper { server, connection: None }.work(&orders));
    sender
}

struct Keeper {
    server: McpServer,
    connection: Option<Connection>,
}

/// A running server.
struct Connection {
    service: RunningService<RoleClient, ()>,
    tools: Vec<ToolCard>,
    // After the service, which talks to it.
    _child: Option<Ended>,
}

/// A program that ends with this.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        child::end(&mut self.0);
    }
}

impl Keeper {
    fn work(mut self, orders: &Receiver<Order>) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        while let Ok(order) = orders.recv_timeout(LINGER) {
            match order {
                Order::List(reply) => drop(reply.send(self.list(&runtime))),
                Order::Call { tool, arguments, time, reply } => {
                    drop(reply.send(self.call(&runtime, tool, arguments, time)));
                }
            }
        }
        let _entered = runtime.enter();
        drop(self.connection.take());
    }

    fn list(&mut self, runtime: &Runtime) -> Result<Vec<ToolCard>, String> {
        Ok(self.connected(runtime, TIME_TO_START)?.tools.clone())
    }

    fn call(
        &mut self,
        runtime: &Runtime,
        tool: String,
        arguments: JsonObject,
        time: Duration,
    ) -> Result<String, String> {
        let connection = self.connected(runtime, time.min(TIME_TO_START))?;
        let wanted = CallToolRequestParams::new(tool).with_arguments(arguments);
        let called = runtime.block_on(async {
            tokio::time::timeout(time, connection.service.peer().call_tool(wanted)).await
        });
        let answer = match called {
            Ok(Ok(answer)) => answer,
            // Whoever did not answer, or not understandably, may still be at it: it is started anew next time.
            Ok(Err(_)) => {
                return Err(
                    self.broken(runtime, "the tool's server refused, or gave no answer that can be read")
                );
            }
            Err(_) => return Err(self.broken(runtime, &format!("the tool did not answer within {time:?}"))),
        };
        let text = shortened(&text_of(&answer), LONGEST_ANSWER);
        if answer.is_error == Some(true) { Err(text) } else { Ok(text) }
    }

    fn broken(&mut self, runtime: &Runtime, why: &str) -> String {
        let _entered = runtime.enter();
        self.connection = None;
        why.to_owned()
    }

    fn connected(&mut self, runtime: &Runtime, time: Duration) -> Result<&Connection, String> {
        if self.connection.as_ref().is_none_or(|connection| connection.service.is_closed()) {
            let _entered = runtime.enter();
            self.connection = None;
            let connecting = async { tokio::time::timeout(time, self.server.connect()).await };
            let connected = runtime.block_on(connecting);
            self.connection = Some(connected.map_err(|_| format!("it did not speak MCP within {time:?}"))??);
        }
        self.connection.as_ref().ok_or_else(|| "it does not run".into())
    }
}

impl McpServer {
    async fn connect(&self) -> Result<Connection, String> {
        let (service, child) = match &self.server {
            ToolServer::Command(argv) => {
                let (service, child) = run(argv).await?;
                (service, Some(child))
            }
            ToolServer::Url(url) => {
                let line = OverHttp::new(url).map_err(|unfit| format!("its address {unfit}"))?;
                (().serve(line).await.map_err(|_| NO_MCP)?, None)
            }
        };
        let tools = listed(&self.name, &service).await?;
        Ok(Connection { service, tools, _child: child })
    }
}

/// Starts a program and shakes hands with it.
async fn run(argv: &[String]) -> Result<(RunningService<RoleClient, ()>, Ended), String> {
    let (command, args) = argv.split_first().ok_or("its command names no program")?;
    let mut child = child::start(command, args, Stdio::piped())
        .map_err(|_| "its program cannot be started: check its command".to_owned())?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let child = Ended(child);
    let (stdin, stdout) = stdin.zip(stdout).ok_or("its program has no pipes")?;
    let stdin = pipe::Sender::from_owned_fd(OwnedFd::from(stdin)).map_err(|_| NO_MCP)?;
    let stdout = pipe::Receiver::from_owned_fd(OwnedFd::from(stdout)).map_err(|_| NO_MCP)?;
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(LONGEST_LINE);
    Ok((().serve(transport).await.map_err(|_| NO_MCP)?, child))
}

/// What it has, as far as that is taken.
async fn listed(server: &str, service: &RunningService<RoleClient, ()>) -> Result<Vec<ToolCard>, String> {
    let mut tools = Vec::new();
    let mut page = PaginatedRequestParams::default();
    for _ in 0..MOST_PAGES {
        let listed = service.peer().list_tools(Some(page.clone())).await.map_err(|_| NO_MCP)?;
        tools.extend(listed.tools.iter().filter_map(|tool| card(server, tool)));
        match listed.next_cursor {
            Some(cursor) if tools.len() < MOST_TOOLS => page.cursor = Some(cursor),
            _ => break,
        }
    }
    tools.truncate(MOST_TOOLS);
    Ok(tools)
}

/// As it is shown to a model. A name that no provider takes leaves its tool out.
fn card(server: &str, tool: &Tool) -> Option<ToolCard> {
    let name = format!("{server}{MARK}{}", tool.name);
    let schema = Value::Object((*tool.input_schema).clone()).to_string();
    (name.len() <= LONGEST_NAME && name.chars().all(is_of_a_name)).then(|| ToolCard {
        name,
        description: shortened(tool.description.as_deref().unwrap_or_default(), LONGEST_DESCRIPTION),
        schema: if schema.len() > LONGEST_SCHEMA { r#"{"type":"object"}"#.to_owned() } else { schema },
        class: ToolClass::Foreign,
    })
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// Its texts; or what it gave in their place.
fn text_of(answer: &rmcp::model::CallToolResult) -> String {
    let texts: Vec<&str> =
        answer.content.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect();
    match (texts.is_empty(), &answer.structured_content) {
        (true, Some(value)) => value.to_string(),
        _ => texts.join("\n"),
    }
}

fn shortened(text: &str, longest: usize) -> String {
    match text.len() <= longest {
        true => text.to_owned(),
        false => format!("{} [cut off]", &text[..text.floor_char_boundary(longest)]),
    }
}

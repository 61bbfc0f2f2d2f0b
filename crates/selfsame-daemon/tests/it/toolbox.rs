//! What a thinker has at hand: our own operations, and the tools of servers that are programs or addresses.

use crate::played::{Played, Reply, Seen};
use selfsame::config::{OwnSettings, Secret, Settings, ThinkerSettings, ToolServer};
use selfsame::ports::{PortError, ToolCard, ToolClass, Toolbox as _};
use selfsame_daemon::mcp;
use selfsame_daemon::operations::Profile;
use selfsame_daemon::thinkers::HouseTools;
use selfsame_testkit::both_engines;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TIME: Duration = Duration::from_secs(10);

/// An MCP server as a shell script: it keeps its own id, so that a test can see whether it still runs.
const SERVER: &str = r#"
echo $$ >> "$1/started"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"played","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"search","description":"Looks in the web.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},{"name":"bad name","inputSchema":{"type":"object"}},{"name":"hang","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}},{"name":"flood","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"name":"search"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"found bees"},{"type":"text","text":"and hives"}]}}\n' "$id" ;;
    *'"name":"fail"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"no such page"}]}}\n' "$id" ;;
    *'"name":"flood"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"
      head -c 300000 /dev/zero | tr '\0' 'x'
      printf '"}]}}\n' ;;
    *'"name":"hang"'*) ;;
    *)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
  esac
done
"#;

struct Served {
    folder: TempDir,
    tools: HouseTools,
}

impl Served {
    fn by(script: &str) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let tools = having([("web", program(script, folder.path()))]).unwrap();
        Served { folder, tools }
    }

    /// The ids of the processes that were started so far.
    fn started(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("started")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn program(script: &str, folder: &Path) -> ToolServer {
    let folder = folder.to_str().unwrap();
    ToolServer::Command(["/bin/sh", "-c", script, "server", folder].map(str::to_owned).to_vec())
}

fn address(url: &str) -> ToolServer {
    ToolServer::Url(Secret::new(url))
}

fn named<const N: usize>(servers: [(&str, ToolServer); N]) -> BTreeMap<String, ToolServer> {
    servers.into_iter().map(|(name, server)| (name.to_owned(), server)).collect()
}

/// The house with these servers for everybody.
fn having<const N: usize>(servers: [(&str, ToolServer); N]) -> Result<HouseTools, PortError> {
    let mut settings = Settings::default();
    settings.thinker.servers = named(servers);
    HouseTools::new(&settings)
}

fn runs(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

fn find<'t>(tools: &'t [ToolCard], name: &str) -> &'t ToolCard {
    tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("there is no {name}"))
}

both_engines! {
    fn our_own_tools_are_those_of_the_door_and_run_as_the_agent(bench: Bench) {
        let (access, tools) = (bench.main(), HouseTools::default());
        let cards = tools.tools(&access);
        for card in &cards {
            let shown = mcp::tools(Profile::Mind).into_iter().find(|tool| tool.name == card.name);
            let shown = shown.unwrap_or_else(|| panic!("{} is no tool of the door", card.name));
            let schema: Value = serde_json::from_str(&card.schema).unwrap();
            assert_eq!(&schema, &Value::Object((*shown.input_schema).clone()), "{}", card.name);
        }
        assert_eq!(find(&cards, "recall").class, ToolClass::Read);
        assert_eq!(find(&cards, "remember").class, ToolClass::Write);
        for weighty in ["forget", "add_to_soul", "remove_from_soul", "add_to_calendar"] {
            assert_eq!(find(&cards, weighty).class, ToolClass::Weighty, "{weighty}");
        }
        for withheld in ["nudges", "conversation_say", "heartbeat_tick", "key_create", "agent_create", "backup"] {
            assert!(!cards.iter().any(|card| card.name == withheld), "{withheld}");
            let refused = tools.call(&access, withheld, "{}", TIME).unwrap_err();
            assert_eq!(refused, format!("there is no tool {withheld:?}"));
        }
        tools.call(&access, "remember", r#"{"content":"Maya keeps bees on the roof"}"#, TIME).unwrap();
        let found = tools.call(&access, "recall", r#"{"query":"who keeps bees?"}"#, TIME).unwrap();
        assert!(found.contains("Maya keeps bees on the roof"), "{found}");
    }

    fn what_is_wrong_with_a_call_is_an_answer(bench: Bench) {
        let (access, tools) = (bench.main(), HouseTools::default());
        for arguments in ["", "[]", "null", "\"words\"", "{\"query\": bees"] {
            let refused = tools.call(&access, "recall", arguments, TIME).unwrap_err();
            assert_eq!(refused, "the arguments must be a JSON object", "{arguments}");
        }
        let refused = tools.call(&access, "recall", r#"{"wine":"red"}"#, TIME).unwrap_err();
        assert!(refused.ends_with("(bad_request)"), "{refused}");
        assert!(tools.call(&access, "fly", "{}", TIME).is_err());
    }
}

#[test]
fn tools_of_a_server_that_is_a_program() {
    let bench = selfsame_testkit::Bench::sqlite();
    let (access, served) = (bench.main(), Served::by(SERVER));
    assert_eq!(served.started(), [""; 0], "nobody looked yet");
    let cards = served.tools.tools(&access);
    let search = find(&cards, "web__search");
    assert_eq!((search.class, search.description.as_str()), (ToolClass::Foreign, "Looks in the web."));
    assert!(search.schema.contains("\"q\""), "{}", search.schema);
    assert!(!cards.iter().any(|card| card.name.contains("bad")), "no provider would take that name");
    assert!(cards.iter().any(|card| card.name == "recall"), "our own are there too");
    let call = |tool: &str, time| served.tools.call(&access, tool, r#"{"q":"bees"}"#, time);
    assert_eq!(call("web__search", TIME), Ok("found bees\nand hives".into()));
    assert_eq!(call("web__fail", TIME), Err("no such page".into()));
    let flood = call("web__flood", TIME).unwrap();
    assert!(flood.len() < 70_000 && flood.ends_with("[cut off]"), "{} bytes", flood.len());
    assert_eq!(call("other__search", TIME), Err("there is no tool \"other__search\"".into()));
    assert_eq!(served.started().len(), 1, "one process for all of it");
    let began = Instant::now();
    let slow = call("web__hang", Duration::from_millis(500)).unwrap_err();
    assert!(slow.contains("did not answer within 500ms"), "{slow}");
    assert!(began.elapsed() < TIME);
    assert!(!runs(&served.started()[0]), "whoever hangs is ended");
    assert_eq!(call("web__search", TIME), Ok("found bees\nand hives".into()), "and started anew");
    let processes = served.started();
    assert_eq!(processes.len(), 2);
    let Served { tools, folder: _folder } = served;
    drop(tools);
    let began = Instant::now();
    while runs(&processes[1]) && began.elapsed() < TIME {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!runs(&processes[1]), "it ends with the work");
}

#[test]
fn a_server_of_tools_that_does_not_work_leaves_the_others() {
    let bench = selfsame_testkit::Bench::sqlite();
    let folder = tempfile::tempdir().unwrap();
    let missing = ToolServer::Command(vec!["/no/such/program".into()]);
    let prose = program("echo hello; exit 1", folder.path());
    let works = program(SERVER, folder.path());
    let tools = having([("none", missing), ("prose", prose), ("web", works)]).unwrap();
    let cards = tools.tools(&bench.main());
    assert!(
        cards.iter().any(|card| card.name == "web__search") && cards.iter().any(|card| card.name == "recall")
    );
    assert!(!cards.iter().any(|card| card.name.starts_with("none") || card.name.starts_with("prose")));
}

#[test]
fn names_of_servers_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let works = || program(SERVER, folder.path());
    for name in ["", "a b", "a__b", "ä", "a.b"] {
        assert!(having([(name, works())]).is_err(), "{name:?}");
    }
    assert!(having([("web", works()), ("web-2", works())]).is_ok());
}

#[test]
fn an_agent_may_have_servers_of_its_own_and_what_two_have_runs_once() {
    let bench = selfsame_testkit::Bench::sqlite();
    let folder = tempfile::tempdir().unwrap();
    let main = bench.main();
    let mind = bench.mind();
    let mut settings = Settings::default();
    settings.thinker.servers = named([("web", program(SERVER, folder.path()))]);
    let own = [("web", program(SERVER, folder.path())), ("own", program(SERVER, folder.path()))];
    let thinker = ThinkerSettings { servers: named(own), ..settings.thinker.clone() };
    let contemplation = settings.contemplation.clone();
    settings.agents.insert("wren".into(), OwnSettings { contemplation, thinker });
    mind.create_agent("wren", None).unwrap();
    let tools = HouseTools::new(&settings).unwrap();
    let names = |agent: &str| -> Vec<String> {
        let access = mind.access(agent, selfsame::Speaker::Agent(None)).unwrap();
        let cards = tools.tools(&access);
        cards.into_iter().map(|card| card.name).filter(|name| name.ends_with("__search")).collect()
    };
    assert_eq!(names("main"), ["web__search"]);
    assert_eq!(names("wren"), ["own__search", "web__search"]);
    let started = fs::read_to_string(folder.path().join("started")).unwrap();
    assert_eq!(started.lines().count(), 2, "the web's once, wren's own once");
    assert_eq!(
        tools.call(&main, "own__search", "{}", TIME),
        Err("there is no tool \"own__search\"".into()),
        "what an agent has is not the others'"
    );
}

/// What a server of tools answers over HTTP, to each method, and to whoever searches.
fn over_http(seen: &Seen, found: &str) -> Value {
    let id = &seen.body["id"];
    let result = match seen.body["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "played", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "search", "inputSchema": {"type": "object"}},
            {"name": "fail", "inputSchema": {"type": "object"}},
            {"name": "hang", "inputSchema": {"type": "object"}}]}),
        "tools/call" => match seen.body["params"]["name"].as_str() {
            Some("search") => json!({"content": [{"type": "text", "text": found}]}),
            _ => json!({"isError": true, "content": [{"type": "text", "text": "no such page"}]}),
        },
        _ => return json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "unknown"}}),
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Such a server; it insists on its session.
pub(crate) fn played(stream: bool, found: impl Fn() -> String + Send + Sync + 'static) -> Played {
    Played::by(move |_, seen| {
        let method = seen.body["method"].as_str().unwrap_or_default();
        if method == "initialize" {
            return Reply::json(200, &over_http(seen, &found())).header("Mcp-Session-Id", "s-1");
        }
        if seen.body["id"].is_null() {
            return Reply::new(202, "");
        }
        if seen.headers.get("mcp-session-id").map(String::as_str) != Some("s-1") {
            // As servers do that have never heard of what newer ones are asked first.
            return Reply::new(400, "Bad Request: no session").with_type("text/plain");
        }
        if seen.body["params"]["name"] == "hang" {
            return Reply::silence();
        }
        let answer = over_http(seen, &found());
        match stream {
            false => Reply::json(200, &answer),
            // A notice first, the answer in two lines, and more is promised that never comes.
            true => {
                let notice = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
                let pretty = serde_json::to_string_pretty(&answer).unwrap().replace('\n', "\ndata: ");
                let events = format!(": hello\n\nevent: message\ndata: {notice}\n\ndata: {pretty}\n\n");
                let length = events.len();
                Reply::new(200, events + &" ".repeat(4096)).with_type("text/event-stream").cut_at(length)
            }
        }
    })
}

#[test]
fn tools_of_a_server_that_is_an_address() {
    let bench = selfsame_testkit::Bench::sqlite();
    let access = bench.main();
    for stream in [false, true] {
        let server = played(stream, || "found bees".into());
        let tools = having([("web", address(&format!("{}/mcp?token=quiet", server.url())))]).unwrap();
        let cards = tools.tools(&access);
        assert_eq!(find(&cards, "web__search").class, ToolClass::Foreign);
        let call = |tool: &str, time| tools.call(&access, tool, r#"{"q":"bees"}"#, time);
        assert_eq!(call("web__search", TIME), Ok("found bees".into()), "stream: {stream}");
        assert_eq!(call("web__fail", TIME), Err("no such page".into()));
        let began = Instant::now();
        let slow = call("web__hang", Duration::from_millis(500)).unwrap_err();
        assert!(slow.contains("did not answer within 500ms"), "{slow}");
        assert!(began.elapsed() < TIME);
        assert_eq!(call("web__search", TIME), Ok("found bees".into()), "and connected anew");
        let calls: Vec<Seen> =
            server.seen().into_iter().filter(|seen| seen.body["method"] == "tools/call").collect();
        assert_eq!(calls[0].line, "POST /mcp?token=quiet");
        assert_eq!(calls[0].headers["mcp-protocol-version"], "2025-06-18", "the one that was agreed on");
        assert_eq!(calls[0].headers["accept"], "application/json, text/event-stream");
    }
}

#[test]
fn an_address_that_is_no_server_of_tools_is_left_out_and_followed_nowhere() {
    let bench = selfsame_testkit::Bench::sqlite();
    let elsewhere = played(false, || "found bees".into());
    let moved = format!("{}/mcp", elsewhere.url());
    let answers = [
        Reply::new(200, "<html>hello</html>").with_type("text/html"),
        Reply::new(200, "{}"),
        Reply::new(200, "[1,2]"),
        Reply::new(200, ""),
        Reply::new(500, "oh"),
        Reply::new(302, "").header("location", &moved),
        Reply::new(307, "").header("location", &moved),
        Reply::gone(),
        Reply::raw(b"SSH-2.0-hello\r\n"),
        Reply::new(200, "data: {not json\n\n").with_type("text/event-stream"),
        Reply::new(200, "data: {}\n").with_type("text/event-stream"),
        Reply::new(200, "x".repeat(5 << 20)),
    ];
    for (place, answer) in answers.into_iter().enumerate() {
        let server = Played::always(answer);
        let tools = having([("web", address(&server.url()))]).unwrap();
        let cards = tools.tools(&bench.main());
        assert!(!cards.iter().any(|card| card.name.starts_with("web")), "answer {place}");
        assert!(cards.iter().any(|card| card.name == "recall"), "answer {place}");
    }
    assert_eq!(elsewhere.seen().len(), 0, "no redirect is followed");
}

#[test]
fn addresses_of_servers_that_are_never_asked() {
    for url in
        ["http://169.254.169.254/mcp", "http://[fe80::1]/mcp", "http://localhost:5432/", "ftp://host/mcp"]
    {
        let refused = having([("web", address(url))]).err().unwrap().to_string();
        assert!(refused.starts_with("thinker.mcp.web.url "), "{refused}");
        assert!(!refused.contains(url), "an address may have a token in it: {refused}");
    }
}

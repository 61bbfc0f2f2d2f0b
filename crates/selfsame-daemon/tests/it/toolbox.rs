//! What a thinker has at hand: our own operations, and the tools of a server that is a program.

use selfsame::ports::{ToolCard, ToolClass, Toolbox as _};
use selfsame_daemon::mcp;
use selfsame_daemon::operations::Profile;
use selfsame_daemon::thinkers::{HouseTools, McpServer};
use selfsame_testkit::both_engines;
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
        let tools = HouseTools::new(&[server("web", script, folder.path())]).unwrap();
        Served { folder, tools }
    }

    /// The ids of the processes that were started so far.
    fn started(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("started")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn server(name: &str, script: &str, folder: &Path) -> McpServer {
    let folder = folder.to_str().unwrap();
    let args = ["-c", script, "server", folder].map(str::to_owned).to_vec();
    McpServer { name: name.into(), command: "/bin/sh".into(), args }
}

fn runs(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

fn find<'t>(tools: &'t [ToolCard], name: &str) -> &'t ToolCard {
    tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("there is no {name}"))
}

both_engines! {
    fn our_own_tools_are_those_of_the_door_and_run_as_the_agent(bench: Bench) {
        let (access, tools) = (bench.main(), HouseTools::new(&[]).unwrap());
        let cards = tools.tools(&access);
        for card in &cards {
            let shown = mcp::tools(Profile::Mind).into_iter().find(|tool| tool.name == card.name);
            let shown = shown.unwrap_or_else(|| panic!("{} is no tool of the door", card.name));
            let schema: serde_json::Value = serde_json::from_str(&card.schema).unwrap();
            assert_eq!(&schema, &serde_json::Value::Object((*shown.input_schema).clone()), "{}", card.name);
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
        let (access, tools) = (bench.main(), HouseTools::new(&[]).unwrap());
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
    let missing = McpServer { name: "none".into(), command: "/no/such/program".into(), args: Vec::new() };
    let prose = server("prose", "echo hello; exit 1", folder.path());
    let works = server("web", SERVER, folder.path());
    let tools = HouseTools::new(&[missing, prose, works]).unwrap();
    let cards = tools.tools(&bench.main());
    assert!(
        cards.iter().any(|card| card.name == "web__search") && cards.iter().any(|card| card.name == "recall")
    );
    assert!(!cards.iter().any(|card| card.name.starts_with("none") || card.name.starts_with("prose")));
}

#[test]
fn names_of_servers_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| server(name, SERVER, folder.path());
    for name in ["", "a b", "a__b", "ä", "a.b"] {
        assert!(HouseTools::new(&[named(name)]).is_err(), "{name:?}");
    }
    assert!(HouseTools::new(&[named("web"), named("web")]).is_err(), "two of one name");
    assert!(HouseTools::new(&[named("web"), named("web-2")]).is_ok());
}

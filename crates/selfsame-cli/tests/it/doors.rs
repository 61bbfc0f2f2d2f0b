//! The command line as a door: every operation of the table has a command or a reason why it has none, and a command answers
//! what HTTP answers.

use crate::cli::{Daemon, World};
use crate::samples::{Names, Seen, comparable, filled_in, sample, speaker, written};
use selfsame_daemon::operations::{Entry, Method, TABLE};
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{SystemTime, UNIX_EPOCH};

/// How an operation is reached on the command line.
enum Door {
    /// By this, which prints the operation's reply with `--json`.
    Same(Vec<String>),
    /// By this, which prints more than the reply, for this reason.
    More(Vec<String>, &'static str),
    /// By nothing, for this reason.
    None(&'static str),
}

/// What to type for what `sample` asks; nothing for an operation that nobody has thought of here.
fn door(operation: &str, seen: &Seen, world: &World) -> Option<Door> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let id_of = |operation: &str| text(&seen[operation]["id"]);
    let captured = || text(&seen["inbox_capture"]["candidates"][0]["memory"]);
    let command = |line: &str, rest: &[String]| {
        let words = line.split(' ').map(|word| word.replace('~', " "));
        Some(words.chain(rest.iter().cloned()).collect::<Vec<_>>())
    };
    let same = |line: &str, rest: &[String]| command(line, rest).map(Door::Same);
    match operation {
        "remember" => same(
            "remember Maya~keeps~bees~on~the~roof --type knowledge --tag maya --about apiary --kind project_state --slot place --value roof",
            &[],
        ),
        "recall" => same("recall who~keeps~bees? --limit 3", &[]),
        "observations" => same("know show apiary --slot place", &[]),
        "why" => same("know why", &[text(&seen["observations"]["observations"][0]["id"])]),
        "feedback" => same("know confirm apiary/place", &[]),
        "conflicts" => same("know conflicts", &[]),
        "retract" => same("know retract --dry-run", &[id_of("remember")]),
        "consolidate" => same("know consolidate", &[]),
        "slots" => same("know slots", &[]),
        "memory" => same("memory show", &[id_of("remember")]),
        "memory_list" => same("memory list --type knowledge --tag maya", &[]),
        "memory_edit" => same("memory edit", &[id_of("remember"), "Maya keeps bees in the garden".into()]),
        "memory_pin" => same("memory pin", &[id_of("remember")]),
        "memory_resolve" => same("memory resolve", &[id_of("add_to_longterm_memory")]),
        "forget" => same("forget", &[id_of("remember")]),
        "erasure_list" => same("forget --list", &[]),
        "erasure" => Some(Door::None("forget --proof shows it by erasure_proof, whichever agent it was of")),
        "erasure_proof" => same("forget --proof", &[text(&seen["forget"]["erasure"])]),
        "forget_check" => same("forget --check a~text~that~nobody~said", &[]),
        "add_to_longterm_memory" => Some(Door::None("another name of remember, for agents that know it")),
        "remove_from_longterm_memory" => Some(Door::None("another name of forget, for agents that know it")),
        "retrieve" => Some(Door::None("another name of recall, for agents that know it")),
        "inbox_capture" => {
            same("inbox capture Please~remember~that~the~cabin~is~in~Norway.~I~prefer~tea~over~coffee.", &[])
        }
        "inbox_list" => same("inbox list --status promoted", &[]),
        "inbox_review" => {
            same("inbox reject --reason a~whim", &[text(&seen["inbox_capture"]["candidates"][1]["id"])])
        }
        "monitor_add" => same("monitor add", &[captured(), "7d".into()]),
        "monitor_list" => same("monitor list", &[]),
        "monitor_checked" => same("monitor checked", &[captured()]),
        "monitor_end" => same("monitor end", &[captured()]),
        "reflection_add" => same(
            "reflections add A~week~of~plans. --from 2026-01-01T00:00:00Z --until 2026-01-08T00:00:00Z --source",
            &[captured()],
        ),
        "reflection_list" => same("reflections list", &[]),
        "reflection_show" => same("reflections show", &[id_of("reflection_add")]),
        "lesson_add" => same("lessons add Ask~before~booking. --type discovery --source", &[captured()]),
        "lesson_list" => same("lessons list", &[]),
        "lesson_show" => same("lessons show", &[id_of("lesson_add")]),
        "lesson_judge" => same("lessons judge", &[id_of("lesson_add"), "unhelpful".into()]),
        "entity_add" => same("entity add Maya~Lin --kind person --alias Maya", &[]),
        "entity_list" => same("entity list --kind person", &[]),
        "entity_show" => same("entity show", &[id_of("entity_add")]),
        "entity_alias" => same("entity alias maya M.", &[]),
        "entity_profile" => same("entity profile maya Keeps~bees.", &[]),
        "entity_merge" => same("entity merge maya operator --dry-run", &[]),
        "conversation_open" => same("conversation open --channel terminal --with maya", &[]),
        "conversation_say" => same("conversation say Maya~is~here --channel terminal", &[]),
        "conversation_show" => same("conversation show", &[id_of("conversation_open")]),
        "conversation_list" => same("conversation list", &[]),
        "conversation_active" => same("conversation active", &[id_of("conversation_open")]),
        "conversation_close" => same("conversation close", &[id_of("conversation_open")]),
        "assign_relationship" => same("relate set operator ally --trust 0.6 --because helps", &[]),
        "relationship_list" => same("relate list", &[]),
        "relationship_show" => same("relate show operator", &[]),
        "add_to_soul" => same("soul add I~keep~my~word --kind value --because it~was~kept~to~me", &[]),
        "soul" => same("soul list", &[]),
        "remove_from_soul" => same("soul remove --because I~learned~when~not~to", &[id_of("add_to_soul")]),
        "write_diary" => {
            same("diary write The~bees~swarmed~today --mood awed --date 2026-01-02 --detail {\"n\":1}", &[])
        }
        "search_diary_for_keywords" => same("diary search bees --limit 3", &[]),
        "show_diary_entries_from_day" => same("diary day 2026-01-02", &[]),
        "list_diary" => same("diary list --from 2026-01-01", &[]),
        "add_todo" => same("todo add Order~frames --priority high --due 2030-03-01", &[]),
        "list_todo" => same("todo list --status all", &[]),
        "update_todo" => same("todo start", &[id_of("add_todo")]),
        "complete_todo" => same("todo done", &[id_of("add_todo")]),
        "tasks" => Some(Door::None("the commands of todo in one tool, for agents with few of them")),
        "add_to_calendar" => {
            same("calendar add Harvest --start 2030-07-01T09:00 --duration 2h --repeat FREQ=YEARLY", &[])
        }
        "check_calendar" => same("calendar check --from 2030-01-01 --to 2033-01-01", &[]),
        "remove_from_calendar" => {
            same("calendar remove --occurrence 2031-07-01T09:00", &[id_of("add_to_calendar")])
        }
        "schedule_list" => same("schedule list", &[]),
        "contemplate" => same("contemplate now", &[]),
        "contemplation_status" => same("contemplate status", &[]),
        "episode_list" => same("episodes list", &[]),
        "episode_show" => same("episodes show", &[text(&seen["episode_list"]["episodes"][0]["id"])]),
        "work" => same("work next", &[]),
        "work_list" => same("work list", &[]),
        "work_show" => same("work show", &[text(&seen["work_list"]["work"][0]["id"])]),
        "self_care" => same("selfcare", &[]),
        "summary_list" => same("summaries list", &[]),
        "summary_show" => same("summaries show", &[text(&seen["self_care"]["summaries"][0])]),
        "context" => same("context what~about~the~bees? --principal operator", &[]),
        "agent_create" => same("agent create second --zone Europe/Berlin", &[]),
        "agent_list" => same("agent list", &[]),
        "agent_show" => same("agent show second", &[]),
        "agent_set" => same("agent set second --family true", &[]),
        "agent_move" => same("agent move the~garden --agent second", &[]),
        "document_show" => Some(Door::None("agent edit reads it, and shows it in an editor")),
        "document_set" => {
            fs::write(world.path("instructions.md"), "Think of the bees.").unwrap();
            same("agent edit main --file instructions.md", &[])
        }
        "conversation_exchange" => same("conversation exchange second Hello", &[]),
        "neural_link_request_memory" => same("link request main --agent second", &[]),
        "link_list" => same("link list", &[]),
        "neural_link_share_memory" => {
            same("link share --allow-onward", &[id_of("neural_link_request_memory")])
        }
        "link_show" => same("link show", &[id_of("neural_link_request_memory")]),
        "neural_link_revoke" => same("link revoke", &[id_of("neural_link_request_memory")]),
        "principal_add" => same("principal add ben", &[]),
        "principal_list" => same("principal list", &[]),
        "principal_set" => same("principal set ben --zone Asia/Tokyo", &[]),
        "heartbeat_status" => same("heartbeat status", &[]),
        "heartbeat_set" => same("heartbeat set --principal ben --autonomy suggest --channels list", &[]),
        "heartbeat_tick" => same("heartbeat tick --principal ben", &[]),
        "heartbeat_peek" => same("heartbeat peek --principal ben --at 2030-01-01T09:00", &[]),
        "heartbeat_explain" => {
            same("heartbeat explain --receipt", &[text(&seen["heartbeat_tick"]["receipt"])])
        }
        "heartbeat_gate" => same("heartbeat gate --agent second", &[]),
        "receipt_list" => same("heartbeat receipts --principal ben", &[]),
        "receipt_show" => same("heartbeat receipts", &[text(&seen["heartbeat_tick"]["receipt"])]),
        "nudges" => same("nudge list --principal ben --fetch", &[]),
        "nudge_list" => same("nudge list --principal ben --peek", &[]),
        "nudge_answer" => {
            same("nudge answer", &[text(&seen["heartbeat_tick"]["nudge"]["id"]), "hello to you".into()])
        }
        "nudge_dismiss" => {
            same("nudge dismiss --agent second", &[text(&seen["heartbeat_gate"]["nudges"][0]["id"])])
        }
        "heartbeat_mute" => same("heartbeat mute", &[]),
        "heartbeat_unmute" => same("heartbeat unmute", &[]),
        "heartbeat_snooze" => same("heartbeat snooze 2h", &[]),
        "heartbeat_pause" => same("heartbeat pause", &[]),
        "heartbeat_resume" => same("heartbeat resume", &[]),
        "heartbeat_simulate" => same("heartbeat simulate --principal ben --days 2 --persona ignores", &[]),
        "key_create" => same("key create reader --agent second --speaks-as host --scope read", &[]),
        "key_list" => same("key list", &[]),
        "key_revoke" => same("key revoke", &[id_of("key_create")]),
        "status" => same("status", &[]),
        "verify" => same("verify", &[]),
        "doctor" => command("doctor", &[]).map(|line| {
            Door::More(line, "who stands at the machine also sees the folder, the daemon and the clients")
        }),
        "events" => same("events", &[]),
        "duty_list" => same("duty list", &[]),
        "duty_requeue" => same("duty requeue", &[text(&seen["duty_list"]["duties"][0]["id"])]),
        "duty_cancel" => same("duty cancel", &[text(&seen["duty_list"]["duties"][0]["id"])]),
        "backup" => same("backup", &[]),
        "model_embed" => {
            Some(Door::None("model embed asks it until all is read, and where there is no model it says so"))
        }
        "audit" => same("audit", &[]),
        "import" => {
            fs::write(world.path("MEMORY.md"), "- The gate code changed last May").unwrap();
            same("import MEMORY.md", &[])
        }
        "import_list" => same("import runs", &[]),
        "import_undo" => same("import undo", &[text(&seen["import"]["run"])]),
        "export" => command("export second.selfsame --agent second", &[])
            .map(|line| Door::More(line, "the archive is in a file, not in the reply")),
        _ => None,
    }
}

/// No heart beats unless it is asked to, there are no quiet hours, and there is something to fold.
const SETTINGS: &str = "\n[heartbeat]\nenabled = false\nquiet_from = \"07:00\"\nmorning_from = \"07:00\"\n\n[self_care]\nleast = 1\n";

/// A mind with a daemon and the agent's own key.
fn house() -> (World, Daemon, String) {
    let world = World::with_mind();
    let settings = world.data().join("selfsame.toml");
    let kept = fs::read_to_string(&settings).unwrap_or_default();
    fs::write(&settings, kept + SETTINGS).unwrap();
    let daemon = world.serve(&[]);
    let line = ["--json", "key", "create", "agent", "--speaks-as", "agent", "--all-agents"];
    let made: Value = serde_json::from_str(&world.run(&line).succeeds()).unwrap();
    let key = made["secret"].as_str().unwrap().to_owned();
    (world, daemon, key)
}

/// Asks by HTTP what `sample` says.
fn by_http(daemon: &Daemon, agents: &str, entry: &Entry, seen: &Seen) -> Value {
    let (agent, request) = sample(entry.name, seen).unwrap();
    let mut fields = request.as_object().unwrap().clone();
    let mut path = filled_in(entry.route.path, agent, &mut fields);
    let method = entry.route.method;
    if method != Method::Post && !fields.is_empty() {
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", written(value))).collect();
        path = format!("{path}?{}", pairs.join("&"));
    }
    let body = if method == Method::Post { Value::Object(fields).to_string() } else { String::new() };
    let key = if speaker(entry.name) == "agent" { agents } else { &daemon.key };
    let request = format!(
        "{} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        method.as_str(),
        daemon.address,
        body.len()
    );
    let mut stream = TcpStream::connect(&daemon.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{}: {answer}", entry.name);
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{}: {error}: {answer}", entry.name))
}

/// Types it; gives what is printed.
fn by_command(world: &World, entry: &Entry, line: &[String]) -> Value {
    let voice: &[&str] = if speaker(entry.name) == "agent" { &["--as", "agent"] } else { &[] };
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    let said = world.run(&[&["--json"], voice, &line].concat()).succeeds();
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{}: {error}: {said}", entry.name))
}

/// Whether all of the one is in the other, in the same places.
fn has_all(more: &Value, less: &Value) -> bool {
    match (more, less) {
        (Value::Object(more), Value::Object(less)) => {
            less.iter().all(|(name, less)| more.get(name).is_some_and(|more| has_all(more, less)))
        }
        (Value::Array(more), Value::Array(less)) => {
            less.iter().all(|less| more.iter().any(|more| has_all(more, less)))
        }
        _ => more == less,
    }
}

/// Parts of the day begin, and duties fall due, on quarters of an hour: what was walked across one is walked again.
fn within_a_quarter<T>(walk: impl Fn() -> T) -> T {
    let quarter = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 900;
    loop {
        let (begun, walked) = (quarter(), walk());
        if quarter() == begun {
            return walked;
        }
    }
}

#[test]
fn a_command_answers_what_http_answers() {
    let apart = within_a_quarter(|| {
        let mut apart = Vec::new();
        let (one, ones_daemon, ones_key) = house();
        let (_other, others_daemon, others_key) = house();
        let (mut ones, mut others) = (Seen::new(), Seen::new());
        let (mut ones_names, mut others_names) = (Names::default(), Names::default());
        for entry in TABLE {
            let door = door(entry.name, &ones, &one)
                .unwrap_or_else(|| panic!("operation {} has no command here, and no reason", entry.name));
            // Shown when it fails: where it was.
            println!("{}", entry.name);
            let reply = by_http(&others_daemon, &others_key, entry, &others);
            let own = match &door {
                Door::Same(line) | Door::More(line, _) => by_command(&one, entry, line),
                Door::None(_) => by_http(&ones_daemon, &ones_key, entry, &ones),
            };
            if let Door::More(_, why) | Door::None(why) = &door {
                assert!(why.len() > 20, "{}: {why}", entry.name);
            }
            let told = |names: &mut Names, reply: &Value| -> Value {
                serde_json::from_str(&names.replaced(&comparable(reply).to_string())).unwrap()
            };
            let (typed, asked) = (told(&mut ones_names, &own), told(&mut others_names, &reply));
            let alike = match door {
                Door::More(..) => has_all(&typed, &asked),
                _ => typed == asked,
            };
            if !alike {
                apart.push(format!("{}: typed {typed}, asked {asked}", entry.name));
            }
            ones.insert(entry.name, own);
            others.insert(entry.name, reply);
        }
        apart
    });
    assert!(apart.is_empty(), "{apart:#?}");
}

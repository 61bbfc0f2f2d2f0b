//! What hosts tell of their sessions: each event in each dialect, and that nothing holds a host up.

use crate::background::{Editor, by_need};
use crate::cli::{Ran, World, wait_until};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::Stdio;

fn hook(world: &World, event: &str, said: &Value) -> Value {
    let ran = world.run_with_input(&["hook", event], said.to_string().as_bytes());
    assert_eq!(ran.err, "");
    serde_json::from_str(&ran.succeeds()).unwrap()
}

/// As Claude Code says it.
fn claude(event: &str, more: &Value) -> Value {
    let mut said = json!({ "session_id": "5e55-10", "cwd": "/somewhere", "hook_event_name": event, "transcript_path": "" });
    said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    said
}

fn conversations(world: &World) -> Value {
    let list: Value =
        serde_json::from_str(&world.run(&["--json", "conversation", "list"]).succeeds()).unwrap();
    list["conversations"].clone()
}

/// Role, author and words of each message.
fn messages(world: &World, conversation: &str) -> Vec<(String, String, String)> {
    let shown: Value =
        serde_json::from_str(&world.run(&["--json", "conversation", "show", conversation]).succeeds())
            .unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let row = |one: &Value| (text(&one["role"]), text(&one["author"]), text(&one["content"]));
    shown["messages"].as_array().unwrap().iter().map(row).collect()
}

fn row(role: &str, author: &str, words: &str) -> (String, String, String) {
    (role.into(), author.into(), words.into())
}

#[test]
fn a_session_from_its_start_to_its_end() {
    let world = World::with_mind().in_the_background();
    world.remember("Maya prefers trains to planes");
    let begun = hook(&world, "session-start", &claude("SessionStart", &json!({ "source": "startup" })));
    let context = begun["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(begun["hookSpecificOutput"]["hookEventName"], "SessionStart");
    assert!(context.contains("<selfsame-context") && context.contains("Maya prefers trains"), "{context}");

    let prompt = "How should Maya travel, trains or planes? Remember that I hate airports.";
    let asked = hook(&world, "user-prompt", &claude("UserPromptSubmit", &json!({ "prompt": prompt })));
    let recalled = asked["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(recalled.starts_with("<selfsame-context kind=\"recalled\">"), "{recalled}");
    assert!(
        recalled.contains("Maya prefers trains to planes [") && !recalled.contains("airports"),
        "{recalled}"
    );
    let open = conversations(&world);
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    assert_eq!(open[0]["channel"], "claude-code:5e55-10");
    assert!(open[0]["active_until"].is_string(), "{open}");
    let inbox = world.run(&["--json", "inbox", "list", "--status", "promoted"]).succeeds();
    assert!(inbox.contains("hate airports"), "what was asked to be remembered is not: {inbox}");

    let transcript = world.path("transcript.jsonl");
    let lines = [
        json!({ "type": "user", "uuid": "u1", "message": { "role": "user", "content": prompt } }),
        json!({ "type": "assistant", "uuid": "a1", "message": { "role": "assistant", "content": [{ "type": "text", "text": "By train, then." }] } }),
    ];
    fs::write(&transcript, lines.map(|line| line.to_string()).join("\n")).unwrap();
    let where_it_is = json!({ "transcript_path": transcript, "stop_hook_active": false });
    assert_eq!(hook(&world, "stop", &claude("Stop", &where_it_is)), json!({}));
    assert_eq!(conversations(&world)[0]["active_until"], Value::Null, "the run is over");
    assert_eq!(hook(&world, "pre-compact", &claude("PreCompact", &where_it_is)), json!({}));
    assert!(conversations(&world)[0]["active_until"].is_string(), "a run is on while it is compacted");
    assert_eq!(hook(&world, "session-end", &claude("SessionEnd", &where_it_is)), json!({}));
    let closed = conversations(&world);
    assert!(closed[0]["closed_at"].is_string(), "{closed}");
    let id = closed[0]["id"].as_str().unwrap();
    let said = [row("user", "principal", prompt), row("assistant", "agent", "By train, then.")];
    assert_eq!(messages(&world, id), said, "each once, in the name of who said it");
    assert!(!world.data().join("hook.log").exists(), "nothing went wrong");

    // The same session goes on another day.
    hook(&world, "user-prompt", &claude("UserPromptSubmit", &json!({ "prompt": "And back?" })));
    assert_eq!(conversations(&world)[0]["closed_at"], Value::Null);
    assert_eq!(messages(&world, id).len(), 3);
}

#[test]
fn each_host_is_answered_in_its_own_way() {
    let world = World::with_mind().in_the_background();
    world.remember("The red bicycle is in the cellar");
    let prompt = "Where is the red bicycle?";
    let codex = json!({ "session_id": "c0de", "turn_id": "t1", "hook_event_name": "UserPromptSubmit", "prompt": prompt });
    let cursor = json!({ "conversation_id": "c4", "generation_id": "g1", "hook_event_name": "beforeSubmitPrompt", "prompt": prompt, "cursor_version": "3" });
    let gemini = json!({ "session_id": "ge", "hook_event_name": "BeforeAgent", "prompt": prompt });
    let answer = hook(&world, "user-prompt", &codex);
    assert!(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("cellar"));
    let answer = hook(&world, "user-prompt", &cursor);
    assert_eq!(answer["continue"], true);
    assert!(answer["additional_context"].as_str().unwrap().contains("cellar"), "{answer}");
    let answer = hook(&world, "user-prompt", &gemini);
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "BeforeAgent");
    // Told of twice, a turn that has a name is filed once.
    hook(&world, "user-prompt", &codex);
    hook(
        &world,
        "stop",
        &json!({ "session_id": "c0de", "turn_id": "t1", "last_assistant_message": "In the cellar." }),
    );
    hook(
        &world,
        "stop",
        &json!({ "conversation_id": "c4", "generation_id": "g1", "text": "It is in the cellar." }),
    );
    hook(
        &world,
        "stop",
        &json!({ "session_id": "ge", "hook_event_name": "AfterAgent", "prompt": prompt, "prompt_response": "Down there." }),
    );
    let begun =
        hook(&world, "session-start", &json!({ "conversation_id": "c5", "hook_event_name": "sessionStart" }));
    assert!(begun["additional_context"].as_str().unwrap().contains("red bicycle"), "{begun}");
    let list = conversations(&world);
    let of = |channel: &str| {
        let found = list.as_array().unwrap().iter().find(|one| one["channel"] == channel);
        messages(&world, found.unwrap_or_else(|| panic!("no {channel} in {list}"))["id"].as_str().unwrap())
    };
    assert_eq!(
        of("codex:c0de"),
        [row("user", "principal", prompt), row("assistant", "agent", "In the cellar.")]
    );
    assert_eq!(
        of("cursor:c4"),
        [row("user", "principal", prompt), row("assistant", "agent", "It is in the cellar.")]
    );
    assert_eq!(
        of("gemini-cli:ge"),
        [row("user", "principal", prompt), row("assistant", "agent", "Down there.")]
    );
}

#[test]
fn what_was_injected_or_is_private_is_not_filed_and_nonsense_brings_nothing_to_mind() {
    let world = World::with_mind().in_the_background();
    world.remember("The red bicycle is in the cellar");
    let echoed = "<selfsame-context kind=\"recalled\">\n- I always wear hats\n</selfsame-context>\nGo on. <private>My PIN is 1234.</private>";
    let answer = hook(&world, "user-prompt", &claude("UserPromptSubmit", &json!({ "prompt": echoed })));
    assert_eq!(answer, json!({}));
    let answer =
        hook(&world, "user-prompt", &claude("UserPromptSubmit", &json!({ "prompt": "xylophone quartz" })));
    assert_eq!(answer, json!({}));
    let only_private = json!({ "prompt": "<private>all of it</private>" });
    assert_eq!(hook(&world, "user-prompt", &claude("UserPromptSubmit", &only_private)), json!({}));
    let id = conversations(&world)[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        messages(&world, &id),
        [row("user", "principal", "Go on."), row("user", "principal", "xylophone quartz")]
    );
    let inbox = world.run(&["--json", "inbox", "list"]).succeeds();
    assert!(!inbox.contains("hats") && !inbox.contains("PIN"), "{inbox}");
}

#[test]
fn what_comes_to_mind_keeps_to_its_budget() {
    let world = World::with_mind().with("SELFSAME_HOST_PROMPT_TOKENS", "80").in_the_background();
    for number in 0..6 {
        world.remember(&format!(
            "Harbour {number} has a lighthouse with a red lamp and a keeper who counts ships"
        ));
    }
    let asked =
        claude("UserPromptSubmit", &json!({ "prompt": "Which harbour has a lighthouse with a red lamp?" }));
    let answer = hook(&world, "user-prompt", &asked);
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    let lines = text.lines().filter(|line| line.starts_with("- ")).count();
    assert!((1..3).contains(&lines), "{text}");
    let begin = |tokens: &str| {
        let said = claude("SessionStart", &json!({})).to_string();
        let ran = world.run_with_input(&["--set", tokens, "hook", "session-start"], said.as_bytes());
        ran.succeeds().len()
    };
    let (short, long) = (begin("host.session_tokens=120"), begin("host.session_tokens=4000"));
    assert!(short < 1000 && long > 2 * short, "{short} and {long} bytes");
}

#[test]
fn a_host_that_only_wants_to_be_reminded() {
    let world = World::with_mind().with("SELFSAME_HOST_FILE_MESSAGES", "false").in_the_background();
    world.remember("The red bicycle is in the cellar");
    let asked = claude("UserPromptSubmit", &json!({ "prompt": "Where is the red bicycle?" }));
    assert!(hook(&world, "user-prompt", &asked).to_string().contains("cellar"));
    hook(&world, "stop", &claude("Stop", &json!({ "last_assistant_message": "In the cellar." })));
    let id = conversations(&world)[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(messages(&world, &id), []);
}

#[test]
fn a_long_prompt_is_filed_whole_in_several_messages() {
    let world = World::with_mind().with("SELFSAME_MEMORY_MAX_CONTENT_BYTES", "1000").in_the_background();
    let long = "wörter ".repeat(400);
    hook(&world, "user-prompt", &claude("UserPromptSubmit", &json!({ "prompt": long })));
    let id = conversations(&world)[0]["id"].as_str().unwrap().to_owned();
    let said = messages(&world, &id);
    assert_eq!(said.len(), 4);
    let whole: String = said.into_iter().map(|(_, _, words)| words).collect();
    assert_eq!(whole.trim(), long.trim());
}

/// Ends well, and says nothing.
#[track_caller]
fn fails_open(ran: &Ran) {
    assert_eq!((ran.code, ran.out.as_str()), (0, "{}\n"), "{ran}");
}

#[test]
fn whatever_comes_in_it_ends_well() {
    let world = World::with_mind().in_the_background();
    let deep = "[".repeat(100_000);
    let inputs: [&[u8]; 12] = [
        b"",
        b"garbage",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"{}",
        b"{\"session_id\": 7, \"prompt\": [1]}",
        b"{\"session_id\": \"../../etc\\u0000\\n\", \"prompt\": \"\\u0000\"}",
        b"{\"prompt\": \"   \"}",
        b"{\"session_id\": \"x\", \"transcript_path\": \"/dev/zero\"}",
        b"{\"session_id\": \"x\", \"transcript_path\": \"/no/such/file\", \"last_assistant_message\": {}}",
        deep.as_bytes(),
    ];
    for event in
        ["user-prompt", "stop", "pre-compact", "session-end", "no-such-event", "--version-of-tomorrow"]
    {
        for input in inputs {
            fails_open(&world.run_with_input(&["hook", event], input));
        }
    }
    fails_open(&world.run(&["hook"]));
    fails_open(&world.run(&["--data", "x", "hook", "stop", "--no-such-flag", "1"]));
    fails_open(&world.run(&["--no-such-flag", "hook", "stop"]));
    fails_open(&world.run(&["--set", "no.such=1", "hook", "stop"]));
    fails_open(&world.run(&["--agent", "nobody", "hook", "user-prompt"]));
    // Help is still help, and another command's mistakes are mistakes.
    assert!(world.run(&["hook", "--help"]).succeeds().contains("Usage: selfsame hook"));
    world.run(&["remember", "hook", "--no-such-flag"]).fails(2, "unexpected argument");
    let log = fs::read_to_string(world.data().join("hook.log")).unwrap();
    assert!(log.contains("input_is_no_json_object") && log.contains("no_such_event"), "{log}");
    assert!(!log.contains("garbage"), "content in a log: {log}");
    let mode = fs::metadata(world.data().join("hook.log")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

#[test]
fn more_than_a_host_ever_says_is_not_read() {
    let world = World::with_mind().in_the_background();
    let huge = format!("{{\"prompt\": \"{}\"}}", "a".repeat(9 << 20));
    fails_open(&world.run_with_input(&["hook", "user-prompt"], huge.as_bytes()));
    assert!(fs::read_to_string(world.data().join("hook.log")).unwrap().contains("input_too_large"));
}

#[test]
fn where_there_is_no_mind_nothing_is_made() {
    let world = World::new();
    fails_open(&world.run_with_input(&["hook", "user-prompt"], br#"{"session_id": "a", "prompt": "hello"}"#));
    assert!(!world.data().exists());
}

#[test]
fn a_host_that_never_closes_its_end_is_not_waited_for() {
    let world = World::with_mind();
    let mut command = world.command(&["hook", "user-prompt"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"prompt\": \"hel").unwrap();
    let status = wait_until("it ends", || child.try_wait().unwrap());
    assert!(status.success());
    drop(input);
}

#[test]
fn a_daemon_that_stands_still_holds_nobody_up_and_nothing_is_lost() {
    let world = World::with_mind().in_the_background();
    Editor::open(&world, &[]).call("recall", &json!({ "query": "x" }));
    let daemon = by_need(&world.data()).unwrap();
    kill_process(daemon, Signal::STOP).unwrap();
    let asked = claude("UserPromptSubmit", &json!({ "prompt": "I moved to Porto." })).to_string();
    let mut command = world.command(&["hook", "user-prompt"]);
    command.env("SELFSAME_TEST_PATIENCE", "230").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(asked.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"{}\n".as_slice()));
    let log = wait_until("it is noted", || fs::read_to_string(world.data().join("hook.log")).ok());
    assert!(log.contains("user-prompt claude-code: too_slow, kept for later"), "{log}");

    kill_process(daemon, Signal::CONT).unwrap();
    hook(&world, "user-prompt", &claude("UserPromptSubmit", &json!({ "prompt": "Where do I live?" })));
    let id = conversations(&world)[0]["id"].as_str().unwrap().to_owned();
    let said = [row("user", "principal", "I moved to Porto."), row("user", "principal", "Where do I live?")];
    assert_eq!(messages(&world, &id), said, "filed late, in its order, once");
    assert_eq!(fs::read_dir(world.data().join("hooks")).unwrap().count(), 0);
}

#[test]
fn a_socket_that_nobody_listens_at_holds_nobody_up() {
    let world = World::with_mind().with("SELFSAME_TEST_PATIENCE", "230");
    let stalled = UnixListener::bind(world.data().join("selfsame.sock")).unwrap();
    for event in ["session-start", "user-prompt", "stop", "pre-compact", "session-end"] {
        let said = claude("Any", &json!({ "prompt": "hello", "last_assistant_message": "hi" })).to_string();
        fails_open(&world.run_with_input(&["hook", event], said.as_bytes()));
    }
    drop(stalled);
    assert_eq!(fs::read_dir(world.data().join("hooks")).unwrap().count(), 4, "all but the start");
}

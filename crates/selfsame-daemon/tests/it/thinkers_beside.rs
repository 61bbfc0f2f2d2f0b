//! Thinkers that are no model of a provider's: a program, a webhook; and the small model that seasons a prompt.

use crate::desk::PlayedDesk;
use crate::played::{Played, Reply, Seen};
use selfsame::clock::ManualClock;
use selfsame::config::Secret;
use selfsame::ports::{Fault, FaultKind, PortError, Prompt, Seasoner as _, Thought};
use selfsame::seal::{hex, hmac_sha256};
use selfsame::time::Time;
use selfsame_daemon::thinkers::{Kind, OllamaSeasoner, ThinkerSpec, thinker, thinker_with_clock};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SECRET: &str = "whs-never-shown";
/// In every prompt and every bad answer, to be looked for where no text may be.
const PRIVATE: &str = "wine-red";
const HASTE: Duration = Duration::from_millis(600);

fn prompt() -> Prompt {
    Prompt {
        instructions: "Think about the sofa.".into(),
        material: "the sofa is wine-red".into(),
        max_tokens: 500,
        timeout: Duration::from_secs(20),
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(Time::parse("2026-10-21T07:28:00Z").unwrap()))
}

fn shown(fault: Fault) -> Fault {
    assert!(!fault.told.contains(SECRET) && !fault.told.contains(PRIVATE), "{}", fault.told);
    fault
}

/// A program as a shell would run it: only the tests need one.
fn script(text: &str) -> ThinkerSpec {
    ThinkerSpec {
        command: Some("/bin/sh".into()),
        args: vec!["-c".into(), text.into()],
        timeout: Duration::from_secs(10),
        max_bytes: 64 << 10,
        ..ThinkerSpec::of(Kind::Command)
    }
}

fn run(spec: &ThinkerSpec, desk: &PlayedDesk) -> Result<Thought, Fault> {
    thinker(spec).unwrap().think(&prompt(), desk).map_err(shown)
}

#[test]
fn a_program_reads_the_prompt_and_prints_its_answer() {
    let desk = PlayedDesk::default();
    let model = thinker(&script("printf 'I read: '; cat; echo 'and complain' >&2")).unwrap();
    assert_eq!((model.name(), model.model()), ("command", None));
    let thought = model.think(&prompt(), &desk).unwrap();
    assert_eq!(thought.text, "I read: Think about the sofa.\n\nthe sofa is wine-red");
    assert!((20..60).contains(&desk.spent_so_far()), "both sides are counted: {}", desk.spent_so_far());
}

#[test]
fn what_a_program_may_do_and_what_comes_of_it() {
    let cases: [(&str, &str, Result<&str, FaultKind>); 10] = [
        ("does not read", "echo red", Ok("red")),
        ("fails", "echo wine-red; exit 7", Err(FaultKind::Failed)),
        ("is killed", "kill -TERM $$", Err(FaultKind::Failed)),
        ("prints nothing", "cat >/dev/null; echo", Err(FaultKind::Refused)),
        ("prints without end", "while :; do echo wine-red wine-red wine-red; done", Err(FaultKind::TooLarge)),
        ("prints no text", "printf '\\377\\376'", Err(FaultKind::Unreadable)),
        ("sleeps", "sleep 30", Err(FaultKind::TooSlow)),
        ("leaves a child that holds its output", "sleep 30 & echo red", Err(FaultKind::TooSlow)),
        ("does not go when asked", "trap '' TERM INT; sleep 30", Err(FaultKind::TooSlow)),
        ("closes its output and stays", "exec >&-; sleep 30", Err(FaultKind::TooSlow)),
    ];
    for (name, text, expected) in cases {
        let spec = ThinkerSpec {
            timeout: if expected == Err(FaultKind::TooSlow) { HASTE } else { Duration::from_secs(10) },
            ..script(text)
        };
        let began = Instant::now();
        let got = run(&spec, &PlayedDesk::default());
        let told = got.as_ref().map(|thought| thought.text.as_str()).map_err(|fault| fault.kind);
        assert_eq!(told, expected, "{name}: {got:?}");
        assert!(began.elapsed() < Duration::from_secs(15), "{name}");
    }
    let code = run(&script("exit 7"), &PlayedDesk::default()).unwrap_err().told;
    assert!(code.contains("ended with code 7"), "{code}");
}

#[test]
fn what_a_program_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let late = folder.path().join("late");
    let text = format!("(sleep 2; touch {}) & wait", late.display());
    let spec = ThinkerSpec { timeout: HASTE, ..script(&text) };
    assert_eq!(run(&spec, &PlayedDesk::default()).unwrap_err().kind, FaultKind::TooSlow);
    std::thread::sleep(Duration::from_millis(2500));
    assert!(!late.exists(), "it lives on");
}

#[test]
fn a_program_that_cannot_be_started() {
    let plain = tempfile::NamedTempFile::new().unwrap();
    let plain = plain.path().to_str().unwrap();
    for (command, word) in [("/no/such/program", "no such program"), (plain, "may not be started")] {
        let spec = ThinkerSpec { command: Some(command.into()), ..script("") };
        let desk = PlayedDesk::default();
        let fault = run(&spec, &desk).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Misconfigured);
        assert!(fault.told.contains(word), "{}", fault.told);
        assert_eq!(desk.spent_so_far(), 0);
    }
    let unset = ThinkerSpec { command: None, ..script("") };
    assert!(matches!(thinker(&unset), Err(PortError::Lasting(_))));
}

#[test]
fn what_a_program_and_a_webhook_cost_is_told_and_what_is_paid_for_is_used() {
    let desk = PlayedDesk::default().with_budget(1);
    assert_eq!(run(&script("echo red"), &desk).unwrap().text, "red");
    assert!(desk.spent_so_far() > 1);
    let server = Played::always(Reply::json(200, &json!({"text": "red"})));
    let desk = PlayedDesk::default().with_budget(1);
    assert_eq!(run(&hook(&server.url()), &desk).unwrap().text, "red");
    assert!(desk.spent_so_far() > 1);
}

fn hook(url: &str) -> ThinkerSpec {
    ThinkerSpec {
        webhook_url: Some(Secret::new(format!("{url}/think?token={SECRET}"))),
        webhook_secret: Some(Secret::new(SECRET)),
        timeout: HASTE,
        idle: HASTE / 3,
        max_bytes: 64 << 10,
        ..ThinkerSpec::of(Kind::Webhook)
    }
}

fn signed(seen: &Seen) -> String {
    let moment = seen.headers["x-selfsame-timestamp"].as_bytes();
    format!("sha256={}", hex(&hmac_sha256(SECRET.as_bytes(), &[moment, b".", &seen.raw])))
}

#[test]
fn a_webhook_is_sent_the_prompt_signed() {
    let server = Played::always(Reply::json(200, &json!({"text": "It is red."})));
    let desk = PlayedDesk::with_tools(&["recall"]);
    let model = thinker_with_clock(&hook(&server.url()), clock()).unwrap();
    assert_eq!(model.name(), "webhook");
    let thought = model.think(&prompt(), &desk).unwrap();
    assert_eq!(thought, Thought { text: "It is red.".into(), model: None });
    let [seen] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(seen.line, format!("POST /think?token={SECRET}"));
    assert_eq!(
        seen.body,
        json!({"instructions": "Think about the sofa.", "material": "the sofa is wine-red", "max_tokens": 500,
            "tools": []})
    );
    assert_eq!(seen.headers["x-selfsame-timestamp"], "1792567680");
    assert_eq!(seen.headers["x-selfsame-signature"], signed(seen));
    assert!(desk.spent_so_far() > 10);
}

#[test]
fn what_a_webhook_may_do_and_what_comes_of_it() {
    let plain = |text: &str| Reply::new(200, text).with_type("text/plain");
    let cases: Vec<(&str, Reply, Result<&str, FaultKind>)> = vec![
        ("plain words", plain("It is red."), Ok("It is red.")),
        ("nothing", plain(" "), Err(FaultKind::Refused)),
        ("an empty text", Reply::json(200, &json!({"text": ""})), Err(FaultKind::Refused)),
        ("another shape", Reply::json(200, &json!({"wine": "red"})), Err(FaultKind::Unreadable)),
        ("no JSON", Reply::new(200, "wine-red"), Err(FaultKind::Unreadable)),
        ("a page", Reply::new(200, "<html>wine-red").with_type("text/html"), Err(FaultKind::Unreadable)),
        ("no text", Reply::new(200, vec![0xff]).with_type("text/plain"), Err(FaultKind::Unreadable)),
        ("busy", Reply::new(429, "").header("retry-after", "9"), Err(FaultKind::Busy)),
        ("failing", Reply::new(500, "wine-red"), Err(FaultKind::Failed)),
        ("forbidding", Reply::new(403, ""), Err(FaultKind::Misconfigured)),
        ("led elsewhere", Reply::new(301, "").header("location", "/"), Err(FaultKind::Misconfigured)),
        ("silent", Reply::silence(), Err(FaultKind::TooSlow)),
        ("endless", Reply::endless(&[b'x'; 65536], Duration::ZERO), Err(FaultKind::TooLarge)),
        ("gone", Reply::gone(), Err(FaultKind::Unreachable)),
    ];
    for (name, reply, expected) in cases {
        let server = Played::always(reply);
        let got = run(&hook(&server.url()), &PlayedDesk::default());
        let told = got.as_ref().map(|thought| thought.text.as_str()).map_err(|fault| fault.kind);
        assert_eq!(told, expected, "{name}: {got:?}");
        if name == "busy" {
            assert_eq!(got.unwrap_err().wait, Some(Duration::from_secs(9)));
        }
    }
}

#[test]
fn a_webhook_that_cannot_be() {
    let refused = |url: Option<&str>| {
        let spec = ThinkerSpec { webhook_url: url.map(Secret::new), ..ThinkerSpec::of(Kind::Webhook) };
        match thinker(&spec) {
            Err(PortError::Lasting(told)) => told,
            _ => panic!("it should have been refused: {url:?}"),
        }
    };
    assert!(refused(None).contains("webhook_url is not set"));
    assert!(refused(Some("file:///etc/passwd")).contains("is no address of a server"));
    assert!(refused(Some("http://169.254.169.254/")).contains("is where machines keep keys"));
    assert!(refused(Some("http://localhost:6379/")).contains("has the port of a database"));
}

fn seasoned(reply: Reply, timeout: Duration) -> (Result<String, PortError>, Vec<Seen>) {
    let server = Played::always(reply);
    let seasoner = OllamaSeasoner::new(Some(&server.url()), clock()).unwrap();
    (seasoner.season("qwen3:1.7b", "Ask about wine-red things.", timeout), server.seen())
}

#[test]
fn the_seasoner_is_asked_as_ollama_is_documented() {
    let answer = json!({"model": "qwen3:1.7b", "message": {"role": "assistant", "content": " Why red?\n"}, "done": true});
    let (said, seen) = seasoned(Reply::json(200, &answer), HASTE);
    assert_eq!(said, Ok("Why red?".to_owned()));
    assert_eq!(seen[0].line, "POST /api/chat");
    assert_eq!(
        seen[0].body,
        json!({"model": "qwen3:1.7b", "stream": false, "think": false, "options": {"temperature": 1},
            "messages": [{"role": "user", "content": "Ask about wine-red things."}]})
    );
}

#[test]
fn a_seasoner_that_does_not_work_says_whether_it_may_later() {
    let lasting = [Reply::json(404, &json!({"error": "model not found"})), Reply::new(302, "")];
    for reply in lasting {
        let (said, _) = seasoned(reply, HASTE);
        assert!(matches!(said, Err(PortError::Lasting(_))), "{said:?}");
    }
    let passing = [
        Reply::new(500, ""),
        Reply::new(200, "wine-red"),
        Reply::json(200, &json!({"message": {"content": ""}})),
        Reply::json(200, &json!({"error": "wine-red"})),
        Reply::silence(),
        Reply::endless(&[b' '; 4096], Duration::ZERO),
        Reply::endless(b" ", Duration::from_millis(20)),
    ];
    for reply in passing {
        let (said, _) = seasoned(reply.clone(), HASTE);
        match said {
            Err(PortError::Passing(told)) => assert!(!told.contains(PRIVATE), "{told}"),
            other => panic!("{reply:?}: {other:?}"),
        }
    }
    assert!(OllamaSeasoner::new(Some("http://169.254.169.254"), clock()).is_err());
}

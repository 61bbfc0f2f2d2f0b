//! Models that are asked over HTTP, good and bad: what is asked of them, what is believed, and what becomes of the rest.
//!
//! The answers are written after the documentation of Ollama, OpenAI, Anthropic and Gemini, and after what servers that
//! speak alike are known to say.

use crate::desk::PlayedDesk;
use crate::played::{Played, Reply, Seen};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};
use selfsame::clock::ManualClock;
use selfsame::config::Secret;
use selfsame::ports::{CallOutcome, Fault, FaultKind, PortError, Prompt, Thinker, Thought};
use selfsame::time::Time;
use selfsame_daemon::thinkers::{Kind, Provider, ThinkerSpec, thinker, thinker_with_clock};
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) const KEY: &str = "sk-never-shown";
/// In every prompt and in every bad answer, to be looked for where no text may be.
pub(crate) const PRIVATE: &str = "wine-red";
/// How long the hasty ones wait; what hangs is told from what ends by it.
const HASTE: Duration = Duration::from_millis(600);
const PROVIDERS: [Provider; 4] = [Provider::Ollama, Provider::OpenAi, Provider::Anthropic, Provider::Gemini];

fn spec(provider: Provider, url: &str) -> ThinkerSpec {
    ThinkerSpec {
        model: Some("some-model".into()),
        url: Some(url.into()),
        key: Some(Secret::new(KEY)),
        ..ThinkerSpec::of(Kind::Model(provider))
    }
}

fn hasty(provider: Provider, url: &str) -> Arc<dyn Thinker> {
    thinker(&hasty_spec(provider, url)).unwrap()
}

pub(crate) fn hasty_spec(provider: Provider, url: &str) -> ThinkerSpec {
    ThinkerSpec { timeout: HASTE, idle: HASTE / 3, max_bytes: 256 << 10, ..spec(provider, url) }
}

fn prompt() -> Prompt {
    Prompt {
        instructions: "Think about the sofa.".into(),
        material: "the sofa is wine-red".into(),
        max_tokens: 500,
        timeout: Duration::from_secs(20),
    }
}

/// What a provider answers in words, as it is documented.
fn words(provider: Provider, text: &str) -> Value {
    match provider {
        Provider::Ollama => json!({
            "model": "some-model", "created_at": "2026-11-01T10:00:00Z", "done": true, "done_reason": "stop",
            "message": {"role": "assistant", "content": text},
            "total_duration": 174560334, "prompt_eval_count": 26, "eval_count": 4,
        }),
        Provider::OpenAi => json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1741569952, "model": "some-model-2026",
            "choices": [{
                "index": 0, "finish_reason": "stop", "logprobs": null,
                "message": {"role": "assistant", "content": text, "refusal": null, "annotations": []},
            }],
            "usage": {"prompt_tokens": 26, "completion_tokens": 4, "total_tokens": 30},
        }),
        Provider::Anthropic => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model-2026",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 20, "cache_read_input_tokens": 6, "output_tokens": 4},
        }),
        Provider::Gemini => json!({
            "candidates": [{
                "content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP", "index": 0,
            }],
            "usageMetadata": {"promptTokenCount": 26, "candidatesTokenCount": 4, "totalTokenCount": 30},
            "modelVersion": "some-model-2026",
        }),
    }
}

/// What a provider answers that wants tools, as it is documented.
pub(crate) fn calls(provider: Provider, wanted: &[(&str, Value)]) -> Value {
    let numbered = || wanted.iter().enumerate();
    match provider {
        Provider::Ollama => {
            let calls: Vec<_> = wanted
                .iter()
                .map(|(name, arguments)| json!({"function": {"name": name, "arguments": arguments}}))
                .collect();
            let mut answer = words(provider, "");
            answer["message"]["tool_calls"] = json!(calls);
            answer
        }
        Provider::OpenAi => {
            let calls: Vec<_> = numbered()
                .map(|(at, (name, arguments))| {
                    json!({"id": format!("call_{at}"), "type": "function",
                        "function": {"name": name, "arguments": arguments.to_string()}})
                })
                .collect();
            let mut answer = words(provider, "");
            answer["choices"][0]["finish_reason"] = json!("tool_calls");
            answer["choices"][0]["message"] =
                json!({"role": "assistant", "content": null, "tool_calls": calls});
            answer
        }
        Provider::Anthropic => {
            let calls: Vec<_> = numbered()
                .map(|(at, (name, arguments))| {
                    json!({"type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": arguments})
                })
                .collect();
            let mut answer = words(provider, "");
            answer["stop_reason"] = json!("tool_use");
            answer["content"] = json!(calls);
            answer
        }
        Provider::Gemini => {
            let calls: Vec<_> = wanted
                .iter()
                .map(|(name, arguments)| json!({"functionCall": {"name": name, "args": arguments}}))
                .collect();
            let mut answer = words(provider, "");
            answer["candidates"][0]["content"]["parts"] = json!(calls);
            answer
        }
    }
}

pub(crate) fn answered(provider: Provider, text: &str) -> Reply {
    Reply::json(200, &words(provider, text))
}

fn called(provider: Provider, wanted: &[(&str, Value)]) -> Reply {
    Reply::json(200, &calls(provider, wanted))
}

/// Neither the key nor a text may be told.
fn shown(fault: Fault) -> Fault {
    assert!(!fault.told.contains(KEY) && !fault.told.contains(PRIVATE), "{}", fault.told);
    fault
}

fn fault(thinker: &dyn Thinker, desk: &PlayedDesk) -> Fault {
    shown(thinker.think(&prompt(), desk).expect_err("it should have failed"))
}

/// The texts of all messages of a request, wherever the provider has them.
fn texts(seen: &Seen) -> String {
    String::from_utf8(seen.raw.clone()).unwrap()
}

#[test]
fn each_provider_is_asked_as_it_is_documented() {
    let expected = [
        (Provider::Ollama, "POST /api/chat", "authorization"),
        (Provider::OpenAi, "POST /chat/completions", "authorization"),
        (Provider::Anthropic, "POST /messages", "x-api-key"),
        (Provider::Gemini, "POST /models/some-model:generateContent", "x-goog-api-key"),
    ];
    for (provider, line, header) in expected {
        let server = Played::always(answered(provider, "It is red."));
        let desk = PlayedDesk::with_tools(&["recall"]);
        let model = thinker(&spec(provider, &server.url())).unwrap();
        assert_eq!((model.name(), model.model()), ("model", Some("some-model")));
        let thought = model.think(&prompt(), &desk).unwrap();
        assert_eq!(thought.text, "It is red.");
        assert_eq!(desk.spent_so_far(), 30, "{provider:?}");
        let [seen] = &server.seen()[..] else { panic!("one request") };
        assert_eq!(seen.line, line);
        assert!(seen.headers[header].ends_with(KEY), "{:?}", seen.headers);
        assert!(!seen.headers.contains_key("accept-encoding"), "nothing is unpacked: {:?}", seen.headers);
        assert!(!texts(seen).contains(KEY));
        for part in ["Think about the sofa.", "the sofa is wine-red", "\"recall\"", "looks", "500"] {
            assert!(texts(seen).contains(part), "{provider:?} is not told {part}: {}", texts(seen));
        }
        assert!(seen.body.get("model").is_none_or(|model| model == "some-model"));
    }
}

#[test]
fn the_model_that_answered_is_named() {
    let named = |provider| {
        let server = Played::always(answered(provider, "Red."));
        thinker(&spec(provider, &server.url()))
            .unwrap()
            .think(&prompt(), &PlayedDesk::default())
            .unwrap()
            .model
    };
    assert_eq!(named(Provider::OpenAi).as_deref(), Some("some-model-2026"));
    assert_eq!(named(Provider::Anthropic).as_deref(), Some("some-model-2026"));
    assert_eq!(named(Provider::Ollama).as_deref(), Some("some-model"));
}

/// A library's habit: it would ask for `qwen` and wish for much thought.
#[test]
fn a_model_is_asked_for_by_its_whole_name() {
    for (provider, name) in [
        (Provider::OpenAi, "qwen-max"),
        (Provider::OpenAi, "org::tiny-low"),
        (Provider::Anthropic, "house-high"),
    ] {
        let server = Played::always(answered(provider, "Red."));
        let named = ThinkerSpec { model: Some(name.into()), ..spec(provider, &server.url()) };
        thinker(&named).unwrap().think(&prompt(), &PlayedDesk::default()).unwrap();
        let seen = &server.seen()[0].body;
        assert_eq!(seen["model"], name);
        assert!(seen.get("reasoning_effort").is_none() && seen.get("thinking").is_none(), "{seen}");
    }
}

#[test]
fn without_a_key_none_is_sent() {
    let server = Played::always(answered(Provider::OpenAi, "Red."));
    let keyless = ThinkerSpec { key: None, ..spec(Provider::OpenAi, &server.url()) };
    thinker(&keyless).unwrap().think(&prompt(), &PlayedDesk::default()).unwrap();
    assert!(!server.seen()[0].headers.contains_key("authorization"));
}

#[test]
fn tools_are_used_in_order_and_their_answers_go_back() {
    for provider in PROVIDERS {
        let server = Played::by(move |before, _| match before {
            0 => called(provider, &[("recall", json!({"query": "sofa"})), ("note", json!({"text": "red"}))]),
            1 => called(provider, &[("recall", json!({}))]),
            _ => answered(provider, "Done."),
        });
        let desk = PlayedDesk::with_tools(&["recall", "note"]);
        let thought = thinker(&spec(provider, &server.url())).unwrap().think(&prompt(), &desk).unwrap();
        assert_eq!(thought.text, "Done.");
        assert_eq!(
            desk.calls(),
            [("recall", r#"{"query":"sofa"}"#), ("note", r#"{"text":"red"}"#), ("recall", "{}")]
                .map(|(tool, arguments)| (tool.to_owned(), arguments.to_owned())),
            "{provider:?}"
        );
        let last = &server.seen()[2];
        for answer in ["answer 1 of recall", "answer 2 of note", "answer 3 of recall"] {
            assert!(texts(last).contains(answer), "{provider:?}: {}", texts(last));
        }
        assert_eq!(desk.spent_so_far(), 90, "{provider:?}: every exchange is paid for");
    }
}

#[test]
fn tools_that_the_desk_takes_away_are_not_offered_again() {
    for provider in PROVIDERS {
        let server = Played::by(move |before, _| match before {
            0 => called(provider, &[("recall", json!({"query": "sofa"}))]),
            _ => answered(provider, "Done."),
        });
        let desk = PlayedDesk::with_tools(&["recall"]).which_takes_them_away_after(1);
        thinker(&spec(provider, &server.url())).unwrap().think(&prompt(), &desk).unwrap();
        let seen = server.seen();
        assert!(seen[0].body.get("tools").is_some());
        match provider {
            // It demands that tools which were spoken of stay described.
            Provider::Anthropic => assert_eq!(seen[1].body["tool_choice"], json!({"type": "none"})),
            _ => assert!(seen[1].body.get("tools").is_none(), "{provider:?}: {}", seen[1].body),
        }
    }
}

#[test]
fn an_unknown_tool_and_broken_arguments_are_answered_with_a_refusal() {
    let mut broken = calls(Provider::OpenAi, &[("recall", json!({}))]);
    broken["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = json!("{\"query\": sofa");
    let server = Played::one_after_the_other(vec![
        called(Provider::OpenAi, &[("fly", json!({"to": "the moon"}))]),
        Reply::json(200, &broken),
        answered(Provider::OpenAi, "I cannot."),
    ]);
    let desk = PlayedDesk::with_tools(&["recall"]);
    let thought = thinker(&spec(Provider::OpenAi, &server.url())).unwrap().think(&prompt(), &desk).unwrap();
    assert_eq!(thought.text, "I cannot.");
    assert_eq!(desk.outcomes(), [CallOutcome::Refused, CallOutcome::Refused]);
    let last = texts(&server.seen()[2]);
    assert!(
        last.contains("there is no tool fly") && last.contains("arguments must be a JSON object"),
        "{last}"
    );
}

/// What a server does, and what must come of it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) provider: Provider,
    pub(crate) replies: Vec<Reply>,
    pub(crate) expected: Result<&'static str, FaultKind>,
}

fn case(
    name: &'static str,
    provider: Provider,
    reply: Reply,
    expected: Result<&'static str, FaultKind>,
) -> Case {
    Case { name, provider, replies: vec![reply], expected }
}

fn changed(provider: Provider, change: impl FnOnce(&mut Value)) -> Reply {
    let mut answer = words(provider, "wine-red");
    change(&mut answer);
    Reply::json(200, &answer)
}

pub(crate) fn cases() -> Vec<Case> {
    use FaultKind::{
        Busy, Failed, Misconfigured, Refused, Restless, TooLarge, TooSlow, Unreachable, Unreadable,
    };
    use Provider::{Anthropic, Gemini, Ollama, OpenAi};
    let echo = json!({"error": {"message": format!("{PRIVATE} by {KEY}"), "code": "some_error"}});
    let status = |status| Reply::json(status, &echo);
    let mut cut_character = words(OpenAi, "wine-red").to_string().into_bytes();
    cut_character.extend(b"\xe2\x82");
    let mut in_a_text = words(OpenAi, "#").to_string().into_bytes();
    let at = in_a_text.iter().position(|byte| *byte == b'#').unwrap();
    in_a_text[at] = 0xff;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = json!({"model": "x", "message": {"role": "assistant", "content": "a ".repeat(200_000)}});
    let call = |arguments: Value| called(Ollama, &[("recall", arguments)]);
    let mut cases = vec![
        // Nobody, or nobody for long.
        case("closes at once", OpenAi, Reply::gone(), Err(Unreachable)),
        case("breaks off within the body", OpenAi, answered(OpenAi, "wine-red").cut_at(40), Err(Unreachable)),
        case("says nothing", OpenAi, Reply::silence(), Err(TooSlow)),
        case("says nothing, as Ollama", Ollama, Reply::silence(), Err(TooSlow)),
        case("a byte now and then", OpenAi, Reply::endless(b" ", Duration::from_millis(50)), Err(TooSlow)),
        case("a byte, and then nothing", OpenAi, Reply::endless(b"{", Duration::from_secs(10)), Err(TooSlow)),
        // Too much.
        case("whitespace without end", OpenAi, Reply::endless(&[b' '; 65536], Duration::ZERO), Err(TooLarge)),
        case("words without end", Ollama, Reply::endless(&[b'a'; 65536], Duration::ZERO), Err(TooLarge)),
        case("more than is taken", Ollama, Reply::json(200, &large), Err(TooLarge)),
        case(
            "an endless error",
            OpenAi,
            Reply::endless(&[b'x'; 65536], Duration::ZERO).with_status(500),
            Err(Failed),
        ),
        // Statuses.
        case("400", OpenAi, status(400), Err(Misconfigured)),
        case("401", OpenAi, status(401), Err(Misconfigured)),
        case("402", OpenAi, status(402), Err(Misconfigured)),
        case("403", Anthropic, status(403), Err(Misconfigured)),
        case(
            "404 of a model",
            Ollama,
            Reply::json(404, &json!({"error": "model not found"})),
            Err(Misconfigured),
        ),
        case("404 of a page", OpenAi, Reply::new(404, "<html>wine-red"), Err(Misconfigured)),
        case("408", OpenAi, status(408), Err(Failed)),
        case("413", OpenAi, status(413), Err(Misconfigured)),
        case("429", Anthropic, status(429), Err(Busy)),
        case(
            "429 with no quota left",
            OpenAi,
            Reply::json(429, &json!({"error": {"code": "insufficient_quota"}})),
            Err(Misconfigured),
        ),
        case("500", OpenAi, status(500), Err(Failed)),
        case("502 with a page", OpenAi, Reply::new(502, "<html>wine-red"), Err(Failed)),
        case("503", Gemini, status(503), Err(Failed)),
        case("529", Anthropic, status(529), Err(Failed)),
        case(
            "a redirect",
            OpenAi,
            Reply::new(302, "").header("location", "http://169.254.169.254/latest/meta-data"),
            Err(Misconfigured),
        ),
        case(
            "a redirect that keeps the method",
            Ollama,
            Reply::new(307, "").header("location", "http://127.0.0.1:1/"),
            Err(Misconfigured),
        ),
        // Not an answer.
        case("a login page", OpenAi, Reply::new(200, "<!doctype html><p>wine-red"), Err(Unreadable)),
        case("nothing with success", OpenAi, Reply::new(200, ""), Err(Unreadable)),
        case("204", Ollama, Reply::new(204, ""), Err(Unreadable)),
        case("prose", OpenAi, Reply::new(200, "The sofa is wine-red."), Err(Unreadable)),
        case(
            "half of an answer",
            OpenAi,
            Reply::new(200, &words(OpenAi, "wine-red").to_string().into_bytes()[..60]),
            Err(Unreadable),
        ),
        case(
            "two answers",
            OpenAi,
            Reply::new(200, format!("{0}{0}", words(OpenAi, "wine-red"))),
            Err(Unreadable),
        ),
        case("a character cut in two", OpenAi, Reply::new(200, cut_character), Err(Unreadable)),
        case("a broken character in a text", OpenAi, Reply::new(200, in_a_text), Err(Unreadable)),
        case(
            "packed",
            OpenAi,
            Reply::new(200, b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec()).header("content-encoding", "gzip"),
            Err(Unreadable),
        ),
        case("no HTTP", OpenAi, Reply::raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), Err(Unreadable)),
        case("endless headers", OpenAi, Reply::raw(&[b'h'; 200_000]), Err(Unreadable)),
        case(
            "lines of a stream",
            OpenAi,
            Reply::new(200, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"),
            Err(Unreadable),
        ),
        case("a bare list", OpenAi, Reply::new(200, "[]"), Err(Unreadable)),
        case("a bare null", Ollama, Reply::new(200, "null"), Err(Unreadable)),
        case("too deep", OpenAi, Reply::new(200, deep), Err(Unreadable)),
        case("an error with success", OpenAi, Reply::json(200, &echo), Err(Unreadable)),
        case("no choice", OpenAi, changed(OpenAi, |answer| answer["choices"] = json!([])), Err(Unreadable)),
        case(
            "a message that is a number",
            Ollama,
            changed(Ollama, |answer| answer["message"] = json!(7)),
            Err(Unreadable),
        ),
        case(
            "content of another shape",
            Anthropic,
            changed(Anthropic, |answer| answer["content"] = json!([{"wine": "red"}])),
            Err(Unreadable),
        ),
        case(
            "no candidates",
            Gemini,
            changed(Gemini, |answer| answer["candidates"] = json!(null)),
            Err(Unreadable),
        ),
        case(
            "calls that are no list",
            OpenAi,
            changed(OpenAi, |answer| answer["choices"][0]["message"]["tool_calls"] = json!("wine-red")),
            Err(Unreadable),
        ),
        case(
            "a call without a name",
            Ollama,
            changed(Ollama, |answer| answer["message"]["tool_calls"] = json!([{"function": {}}])),
            Err(Unreadable),
        ),
        case(
            "a call that is cut off",
            OpenAi,
            {
                let mut cut = calls(OpenAi, &[("recall", json!({}))]);
                cut["choices"][0]["finish_reason"] = json!("length");
                cut["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] =
                    json!("{\"query\": \"wi");
                Reply::json(200, &cut)
            },
            Err(Unreadable),
        ),
        case(
            "a call that is cut off, as Anthropic",
            Anthropic,
            {
                let mut cut = calls(Anthropic, &[("recall", json!({}))]);
                cut["stop_reason"] = json!("max_tokens");
                Reply::json(200, &cut)
            },
            Err(Unreadable),
        ),
        // No words.
        case("an empty text", Ollama, answered(Ollama, ""), Err(Refused)),
        case("blanks", OpenAi, answered(OpenAi, " \n\t "), Err(Refused)),
        case(
            "only a thought",
            Ollama,
            changed(Ollama, |answer| {
                answer["message"] = json!({"role": "assistant", "content": "", "thinking": "hm"});
            }),
            Err(Refused),
        ),
        case(
            "a refusal",
            OpenAi,
            changed(OpenAi, |answer| {
                answer["choices"][0]["message"] =
                    json!({"role": "assistant", "content": null, "refusal": "wine-red"});
            }),
            Err(Refused),
        ),
        case(
            "a refusal, as Anthropic",
            Anthropic,
            changed(Anthropic, |answer| answer["stop_reason"] = json!("refusal")),
            Err(Refused),
        ),
        case(
            "filtered",
            OpenAi,
            changed(OpenAi, |answer| answer["choices"][0]["finish_reason"] = json!("content_filter")),
            Err(Refused),
        ),
        case(
            "blocked",
            Gemini,
            Reply::json(200, &json!({"promptFeedback": {"blockReason": "SAFETY"}})),
            Err(Refused),
        ),
        // Tools without end.
        case("the same call for ever", Ollama, call(json!({"query": "sofa"})), Err(Restless)),
        case(
            "too many calls at once",
            Ollama,
            called(Ollama, &(0..31).map(|at| ("recall", json!({"query": at}))).collect::<Vec<_>>()),
            Err(Restless),
        ),
        // Odd, but it can be used.
        case(
            "another content type",
            OpenAi,
            answered(OpenAi, "It is red.").header("content-type", "text/plain"),
            Ok("It is red."),
        ),
        case(
            "a thought in the text",
            OpenAi,
            answered(OpenAi, "<think>hm</think>It is red."),
            Ok("It is red."),
        ),
        case(
            "blanks around it",
            OpenAi,
            Reply::new(200, format!("\n\n  {}\n", words(OpenAi, "It is red."))),
            Ok("It is red."),
        ),
        case(
            "fields that nobody knows",
            Ollama,
            changed(Ollama, |answer| {
                answer["message"]["content"] = json!("It is red.");
                answer["wine"] = json!({"red": [1, 2]});
            }),
            Ok("It is red."),
        ),
        case(
            "absurd numbers of tokens",
            Ollama,
            changed(Ollama, |answer| {
                answer["message"]["content"] = json!("It is red.");
                answer["prompt_eval_count"] = json!(i32::MAX);
                answer["eval_count"] = json!(i32::MAX);
            }),
            Ok("It is red."),
        ),
        case(
            "a text that is cut off",
            OpenAi,
            changed(OpenAi, |answer| {
                answer["choices"][0]["message"]["content"] = json!("It is");
                answer["choices"][0]["finish_reason"] = json!("length");
            }),
            Ok("It is"),
        ),
    ];
    let endless = (0..40).map(|at| call(json!({"query": at}))).collect();
    cases.push(Case {
        name: "always another call",
        provider: Ollama,
        replies: endless,
        expected: Err(Restless),
    });
    cases
}

#[test]
fn what_a_server_may_do_and_what_comes_of_it() {
    let cases = cases();
    assert!(cases.len() >= 40, "{} cases", cases.len());
    let mut names: Vec<_> = cases.iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    // Each waits most of the time, so they wait together.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = cases.into_iter().map(|case| scope.spawn(move || play(case))).collect();
        running.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What went otherwise than expected, if anything.
fn play(case: Case) -> Option<String> {
    let server = Played::one_after_the_other(case.replies);
    let desk = PlayedDesk::with_tools(&["recall"]);
    // Those that use many tools have more time: they do not hang.
    let model = match case.expected {
        Err(FaultKind::Restless) => thinker(&spec(case.provider, &server.url())).unwrap(),
        _ => hasty(case.provider, &server.url()),
    };
    let began = Instant::now();
    let got = model.think(&prompt(), &desk).map_err(shown);
    let took = began.elapsed();
    let told = got.as_ref().map(|thought| thought.text.as_str()).map_err(|fault| fault.kind);
    let asked = server.seen().len();
    if told != case.expected || asked == 0 {
        return Some(format!("{}: {got:?} instead of {:?}, asked {asked} times", case.name, case.expected));
    }
    // Far beyond any limit that was set: it hung. A slow machine does not.
    (took > Duration::from_secs(15)).then(|| format!("{}: took {took:?}", case.name))
}

#[test]
fn nobody_answers_and_no_such_host() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let desk = PlayedDesk::default();
    let refused = fault(&*hasty(Provider::Ollama, &format!("http://127.0.0.1:{port}")), &desk);
    assert_eq!(refused.kind, FaultKind::Unreachable);
    assert_eq!(
        refused.told,
        format!(
            "nobody answers at http://127.0.0.1:{port}/api/chat: is Ollama running? Start it with `ollama serve`, or set \
             thinker.url"
        )
    );
    let model = thinker(&spec(Provider::OpenAi, "http://no-such-host.invalid/v1")).unwrap();
    assert_eq!(fault(&*model, &desk).kind, FaultKind::Unreachable);
    let server = Played::always(answered(Provider::OpenAi, "Red."));
    let model = hasty(Provider::OpenAi, &server.url().replace("http:", "https:"));
    assert_eq!(fault(&*model, &desk).kind, FaultKind::Unreachable, "no TLS there");
    assert_eq!(desk.spent_so_far(), 0, "nobody took anything on");
}

/// What is told of a server with a certificate of its own making, good until that year.
fn told_of_a_certificate(good_until: i32) -> String {
    let mut certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    (certificate.not_before, certificate.not_after) =
        (date_time_ymd(2020, 1, 1), date_time_ymd(good_until, 1, 1));
    let key = KeyPair::generate().unwrap();
    let chain = vec![certificate.self_signed(&key).unwrap().der().clone()];
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = socket.accept().unwrap();
        let mut tls = ServerConnection::new(Arc::new(config)).unwrap();
        let went = tls.complete_io(&mut stream);
        // It was shown, and whoever saw it went before anything could be sent, text or key.
        (went.is_err() && tls.is_handshaking(), tls.server_name().map(str::to_owned))
    });
    let model = thinker(&spec(Provider::OpenAi, &format!("https://localhost:{port}/v1"))).unwrap();
    let (desk, place) = (PlayedDesk::default(), format!("https://localhost:{port}/v1/chat/completions"));
    let fault = fault(&*model, &desk);
    // Whoever never came would be waited for.
    let _ = TcpStream::connect(("127.0.0.1", port));
    assert_eq!(server.join().unwrap(), (true, Some("localhost".into())), "{fault:?}");
    assert_eq!((fault.kind, desk.spent_so_far()), (FaultKind::Unreachable, 0), "{fault:?}");
    fault.told.replace(&place, "it")
}

#[test]
fn a_certificate_that_ran_out_or_that_nobody_vouches_for_is_sent_nothing() {
    assert_eq!(
        told_of_a_certificate(2021),
        "the certificate of it has run out, and nothing was sent: it has to be renewed there, or the clock of this \
         machine is wrong"
    );
    assert_eq!(
        told_of_a_certificate(4096),
        "it has no certificate that is trusted here, or speaks no TLS: is it http or https? Check thinker.url and \
         thinker.model"
    );
}

#[test]
fn when_to_come_back_is_passed_on() {
    let clock = Arc::new(ManualClock::at(Time::parse("2026-10-21T07:28:00Z").unwrap()));
    let wait = |said: &str| {
        let server = Played::always(Reply::json(429, &json!({})).header("Retry-After", said));
        let model = thinker_with_clock(&spec(Provider::OpenAi, &server.url()), clock.clone()).unwrap();
        let fault = fault(&*model, &PlayedDesk::default());
        assert_eq!(fault.kind, FaultKind::Busy);
        fault.wait
    };
    assert_eq!(wait("0"), Some(Duration::ZERO));
    assert_eq!(wait("86400"), Some(Duration::from_secs(86400)));
    assert_eq!(wait("Wed, 21 Oct 2026 07:29:00 GMT").map(|wait| wait.as_secs().div_ceil(60)), Some(1));
    assert_eq!(wait("next tuesday"), None);
    assert_eq!(wait("-1"), None);
}

#[test]
fn the_budget_ends_it_after_the_call_that_went_over() {
    let server = Played::by(|before, _| called(Provider::OpenAi, &[("recall", json!({"query": before}))]));
    let desk = PlayedDesk::with_tools(&["recall"]).with_budget(75);
    let fault = fault(&*thinker(&spec(Provider::OpenAi, &server.url())).unwrap(), &desk);
    assert_eq!(fault.kind, FaultKind::Budget);
    // Thirty each: two fit, the third goes over, and no fourth is made.
    assert_eq!((desk.spent_so_far(), server.seen().len()), (90, 3));
    // Words are the end of it anyway, and they are paid for.
    let server = Played::by(|before, _| match before {
        0 => called(Provider::OpenAi, &[("recall", json!({"query": "sofa"}))]),
        _ => answered(Provider::OpenAi, "It is red."),
    });
    let desk = PlayedDesk::with_tools(&["recall"]).with_budget(40);
    let thought = thinker(&spec(Provider::OpenAi, &server.url())).unwrap().think(&prompt(), &desk).unwrap();
    assert_eq!((thought.text.as_str(), server.seen().len()), ("It is red.", 2));
    assert!(desk.spent_so_far() > 40);
}

#[test]
fn what_a_server_does_not_count_is_counted() {
    let long = "sofa ".repeat(2000);
    for told in [
        Value::Null,
        json!({"prompt_tokens": 0, "completion_tokens": 0}),
        json!("wine-red"),
        json!({"prompt_tokens": -5}),
    ] {
        let mut answer = words(Provider::OpenAi, &long);
        answer["usage"] = told.clone();
        let server = Played::always(Reply::json(200, &answer));
        let desk = PlayedDesk::default();
        thinker(&spec(Provider::OpenAi, &server.url())).unwrap().think(&prompt(), &desk).unwrap();
        assert!((2000..3000).contains(&desk.spent_so_far()), "{told}: {}", desk.spent_so_far());
    }
}

#[test]
fn an_answer_that_is_no_use_is_paid_for() {
    let spent = |reply: Reply| {
        let (server, desk) = (Played::always(reply), PlayedDesk::default());
        fault(&*hasty(Provider::OpenAi, &server.url()), &desk);
        desk.spent_so_far()
    };
    assert!(spent(Reply::new(200, "wine-red ".repeat(500))) > 500);
    assert!(spent(Reply::endless(&[b' '; 65536], Duration::ZERO)) > 10);
    assert!(spent(Reply::silence()) > 10, "the server may have worked on it");
    assert_eq!(spent(Reply::new(500, "wine-red")), 0);
}

#[test]
fn time_on_the_desk_and_in_the_prompt_is_kept() {
    let server = Played::always(Reply::silence());
    let model = thinker(&spec(Provider::OpenAi, &server.url())).unwrap();
    let short = Prompt { timeout: HASTE / 2, ..prompt() };
    assert_eq!(model.think(&short, &PlayedDesk::default()).unwrap_err().kind, FaultKind::TooSlow);
    let desk = PlayedDesk::default().with_time(HASTE / 2);
    assert_eq!(fault(&*model, &desk).kind, FaultKind::TooSlow);
    let desk = PlayedDesk::default().with_time(Duration::ZERO);
    assert_eq!(fault(&*model, &desk).kind, FaultKind::TooSlow);
    assert_eq!(server.seen().len(), 2, "without time nobody is asked");
}

#[test]
fn whoever_fails_again_and_again_is_left_alone_and_others_are_not() {
    let clock = Arc::new(ManualClock::at(Time::parse("2026-10-21T07:28:00Z").unwrap()));
    let server = Played::by(|before, _| match before {
        0..6 => Reply::new(500, ""),
        _ => answered(Provider::OpenAi, "Red."),
    });
    let model = thinker_with_clock(&spec(Provider::OpenAi, &server.url()), clock.clone()).unwrap();
    let desk = PlayedDesk::default();
    for _ in 0..5 {
        assert_eq!(fault(&*model, &desk).kind, FaultKind::Failed);
    }
    let left_alone = fault(&*model, &desk);
    assert!(left_alone.told.contains("left alone"), "{left_alone:?}");
    assert_eq!(server.seen().len(), 5);
    let other = Played::always(answered(Provider::OpenAi, "Blue."));
    let other =
        thinker_with_clock(&spec(Provider::OpenAi, &other.url()), clock.clone()).map(|model| (model, other));
    let (other, _server) = other.unwrap();
    assert_eq!(other.think(&prompt(), &desk).unwrap().text, "Blue.");
    clock.advance(Duration::from_secs(61));
    assert_eq!(fault(&*model, &desk).kind, FaultKind::Failed, "it is tried, and still fails");
    assert_eq!(server.seen().len(), 6);
    fault(&*model, &desk);
    assert_eq!(server.seen().len(), 6);
    clock.advance(Duration::from_secs(61));
    assert_eq!(model.think(&prompt(), &desk).unwrap().text, "Red.");
    assert_eq!(model.think(&prompt(), &desk).unwrap().text, "Red.");
}

#[test]
fn settings_that_cannot_work_are_refused_with_what_to_set() {
    let refused = |spec: ThinkerSpec| match thinker(&spec) {
        Err(PortError::Lasting(told)) => {
            assert!(!told.contains(KEY), "{told}");
            told
        }
        Err(passing) => panic!("{passing:?}"),
        Ok(_) => panic!("it should have been refused"),
    };
    let openai = |url: &str| spec(Provider::OpenAi, url);
    let nameless = ThinkerSpec { model: None, ..openai("http://127.0.0.1:1") };
    assert!(refused(nameless).ends_with(r#"such as "gpt-5-mini""#));
    for name in ["", "a b", "a?key=1", "../../admin", "a#b"] {
        let misnamed =
            ThinkerSpec { model: Some(name.into()), ..spec(Provider::Gemini, "http://127.0.0.1:1") };
        assert!(refused(misnamed).contains("thinker.model is not set"), "{name}");
    }
    for url in [
        "file:///etc/passwd",
        "http://me:sk-never-shown@host",
        "https://host/v1?key=sk-never-shown",
        "http://",
    ] {
        assert!(refused(openai(url)).starts_with("thinker.url is no address of a server"), "{url}");
    }
    for url in ["http://169.254.169.254/latest", "http://metadata.google.internal/", "http://[fe80::1]/v1"] {
        assert!(refused(openai(url)).contains("is where machines keep keys"), "{url}");
    }
    assert!(refused(openai("http://localhost:5432")).contains("has the port of a database"));
    let smuggled =
        ThinkerSpec { key: Some(Secret::new("sk-never-shown\r\nx: y")), ..openai("http://127.0.0.1:1") };
    assert_eq!(refused(smuggled), "thinker.key has letters that no key has: copy SELFSAME_THINKER_KEY anew");
}

/// As a number it looks like a name, and leads to where machines keep keys.
#[test]
fn a_name_that_leads_to_where_nobody_may_go() {
    let Err(PortError::Lasting(told)) = thinker(&spec(Provider::OpenAi, "http://2852039166/v1")) else {
        panic!("it was let through");
    };
    assert!(told.contains("spells an address as hardly anybody does"), "{told}");
}

#[test]
fn a_thought_is_what_was_said() {
    let server = Played::always(answered(Provider::Ollama, "It is red.\n\nSo it was."));
    let thought =
        thinker(&spec(Provider::Ollama, &server.url())).unwrap().think(&prompt(), &PlayedDesk::default());
    let expected = Thought { text: "It is red.\n\nSo it was.".into(), model: Some("some-model".into()) };
    assert_eq!(thought, Ok(expected));
}

/// It has time to think before it answers, but not to fall silent in the middle.
#[test]
fn whoever_falls_silent_is_not_waited_for() {
    let server = Played::always(Reply::endless(b" ", Duration::from_secs(4)));
    let idle = Duration::from_millis(200);
    let spec =
        ThinkerSpec { timeout: Duration::from_secs(15), idle, ..spec(Provider::OpenAi, &server.url()) };
    let fault = fault(&*thinker(&spec).unwrap(), &PlayedDesk::default());
    assert_eq!(fault.kind, FaultKind::TooSlow);
    // Whoever waited to the end would have got four of them.
    let pieces = server.sent() - head_of(&server);
    assert!(pieces <= 2, "{pieces} pieces");
}

/// What an endless answer has before its first piece.
fn head_of(server: &Played) -> u64 {
    assert_eq!(server.seen().len(), 1);
    "HTTP/1.1 200 Played\r\nconnection: close\r\ncontent-length: 1073741824\r\ncontent-type: application/json\r\n\r\n"
        .len() as u64
}

#[test]
fn the_same_call_over_and_over_ends_soon() {
    let same = called(Provider::Ollama, &[("recall", json!({"query": "sofa"}))]);
    let (server, desk) = (Played::always(same), PlayedDesk::with_tools(&["recall"]));
    let fault = fault(&*thinker(&spec(Provider::Ollama, &server.url())).unwrap(), &desk);
    assert_eq!((fault.kind, desk.calls().len()), (FaultKind::Restless, 3));
    // Asked between other things, it may be asked again.
    let server = Played::by(|before, _| match before {
        0..8 => called(Provider::Ollama, &[(["recall", "note"][before % 2], json!({}))]),
        _ => answered(Provider::Ollama, "Done."),
    });
    let desk = PlayedDesk::with_tools(&["recall", "note"]);
    assert_eq!(
        thinker(&spec(Provider::Ollama, &server.url())).unwrap().think(&prompt(), &desk).unwrap().text,
        "Done."
    );
}

#[test]
fn no_more_than_thirty_tools_are_used_and_no_more_exchanges_made() {
    let many: Vec<_> = (0..31).map(|at| ("recall", json!({"query": at}))).collect();
    let (server, desk) =
        (Played::always(called(Provider::OpenAi, &many)), PlayedDesk::with_tools(&["recall"]));
    let all_at_once = fault(&*thinker(&spec(Provider::OpenAi, &server.url())).unwrap(), &desk);
    assert_eq!((all_at_once.kind, desk.calls().len()), (FaultKind::Restless, 0));
    let server = Played::by(|before, _| called(Provider::OpenAi, &[("recall", json!({"query": before}))]));
    let desk = PlayedDesk::with_tools(&["recall"]);
    let one_by_one = fault(&*thinker(&spec(Provider::OpenAi, &server.url())).unwrap(), &desk);
    assert_eq!((one_by_one.kind, desk.calls().len(), server.seen().len()), (FaultKind::Restless, 30, 30));
}

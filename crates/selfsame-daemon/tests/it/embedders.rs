//! Servers of embeddings, good and bad: what is asked of them, what is believed, and what is said about the rest.
//!
//! The answers are written after the documentation of Ollama and of OpenAI, and after what servers that speak alike are
//! known to say.

use crate::played::{Played, Reply, Seen};
use selfsame::clock::ManualClock;
use selfsame::config::{EmbedderKind, EmbedderSettings, Secret, Settings};
use selfsame::ports::{Embedder, PortError, Purpose};
use selfsame::time::Time;
use selfsame_daemon::embedders::{remote, remote_with_clock};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-never-shown";
/// In every text, to be looked for where no text may be.
const PRIVATE: &str = "wine-red";
const TEXTS: [&str; 2] = ["the sofa is wine-red", "so is the wine-red car"];

fn settings(kind: EmbedderKind, url: &str) -> EmbedderSettings {
    EmbedderSettings {
        kind,
        model: Some("some-model".into()),
        url: Some(url.into()),
        key: Some(Secret::new(KEY)),
        ..Settings::default().embedder
    }
}

fn ollama(server: &Played) -> Arc<dyn Embedder> {
    remote(&settings(EmbedderKind::Ollama, &server.url())).unwrap().unwrap()
}

fn openai(server: &Played) -> Arc<dyn Embedder> {
    remote(&settings(EmbedderKind::OpenAi, &format!("{}/v1", server.url()))).unwrap().unwrap()
}

/// With little patience, for servers that never come to an end.
fn hasty_ollama(server: &Played) -> Arc<dyn Embedder> {
    let timeout = Duration::from_millis(300);
    remote(&EmbedderSettings { timeout, ..settings(EmbedderKind::Ollama, &server.url()) }).unwrap().unwrap()
}

fn ollama_answer(vectors: &Value) -> Reply {
    Reply::json(200, &json!({"model": "some-model", "embeddings": vectors, "total_duration": 14143917}))
}

fn openai_answer(items: &[(Value, Value)]) -> Reply {
    let item = |(index, embedding): &(Value, Value)| json!({"object": "embedding", "index": index, "embedding": embedding});
    let data: Vec<Value> = items.iter().map(item).collect();
    let usage = json!({"prompt_tokens": 8, "total_tokens": 8});
    Reply::json(200, &json!({"object": "list", "data": data, "model": "some-model", "usage": usage}))
}

/// A vector that tells the length of each text.
fn measured(seen: &Seen) -> Reply {
    let vectors: Vec<_> = seen.texts().iter().map(|text| json!([text.len(), 1])).collect();
    match seen.line.as_str() {
        "POST /api/embed" => ollama_answer(&json!(vectors)),
        _ => openai_answer(
            &vectors.into_iter().enumerate().map(|(at, one)| (json!(at), one)).collect::<Vec<_>>(),
        ),
    }
}

fn lengths(vectors: &[Vec<f32>]) -> Vec<f32> {
    vectors.iter().map(|vector| vector[0]).collect()
}

/// Why two texts are not embedded. Neither the key nor a text may be told.
fn refusal(embedder: &dyn Embedder) -> PortError {
    shown(embedder.embed(&TEXTS, Purpose::Text).expect_err("it should have been refused"))
}

fn shown(error: PortError) -> PortError {
    let said = error.to_string();
    assert!(!said.contains(KEY) && !said.contains(PRIVATE), "{said}");
    error
}

fn passing(words: impl Into<String>) -> PortError {
    PortError::Passing(words.into())
}

fn lasting(words: impl Into<String>) -> PortError {
    PortError::Lasting(words.into())
}

#[test]
fn ollama_is_asked_as_it_is_documented() {
    let server = Played::by(|_, _| ollama_answer(&json!([[0.010071029, -0.0017594862], [1, 2.5e-3]])));
    let embedder = ollama(&server);
    assert_eq!((embedder.model(), embedder.dimensions()), ("ollama:some-model", None));
    assert!(!embedder.is_at_hand());
    let vectors = embedder.embed(&TEXTS, Purpose::Text).unwrap();
    assert_eq!(vectors, [[0.010071029, -0.0017594862], [1.0, 0.0025]]);
    let [seen] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(seen.line, "POST /api/embed");
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(seen.body, json!({"model": "some-model", "input": TEXTS, "truncate": true}));
    assert!(!seen.headers.contains_key("accept-encoding"), "nothing is unpacked: {:?}", seen.headers);
}

#[test]
fn openai_is_asked_as_it_is_documented() {
    let server = Played::by(|_, seen| measured(seen));
    let embedder = openai(&server);
    assert_eq!((embedder.model(), embedder.dimensions()), ("openai:some-model@127.0.0.1", None));
    let vectors = embedder.embed(&TEXTS, Purpose::Text).unwrap();
    assert_eq!(lengths(&vectors), [20.0, 22.0]);
    let [seen] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(seen.line, "POST /v1/embeddings");
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(seen.body, json!({"model": "some-model", "input": TEXTS, "encoding_format": "float"}));
}

#[test]
fn without_a_key_none_is_sent() {
    let server = Played::by(|_, seen| measured(seen));
    let keyless = EmbedderSettings { key: None, ..settings(EmbedderKind::Ollama, &server.url()) };
    remote(&keyless).unwrap().unwrap().embed(&TEXTS, Purpose::Text).unwrap();
    assert!(!server.seen()[0].headers.contains_key("authorization"));
}

#[test]
fn nobody_is_asked_about_nothing() {
    let server = Played::by(|_, seen| measured(seen));
    assert_eq!(ollama(&server).embed(&[], Purpose::Text).unwrap(), Vec::<Vec<f32>>::new());
    assert!(server.seen().is_empty());
}

#[test]
fn other_sorts_are_asked_elsewhere() {
    for kind in [EmbedderKind::Auto, EmbedderKind::None, EmbedderKind::Local] {
        assert!(remote(&settings(kind, "http://127.0.0.1:1")).unwrap().is_none(), "{kind:?}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused_with_what_to_set() {
    let refused =
        |settings: EmbedderSettings| shown(remote(&settings).err().expect("it should have been refused"));
    let nameless = |kind| EmbedderSettings { model: None, ..settings(kind, "http://127.0.0.1:1") };
    assert_eq!(
        refused(nameless(EmbedderKind::Ollama)),
        lasting(
            r#"embedder.kind is "ollama", but no model is named: set embedder.model, such as "nomic-embed-text""#
        )
    );
    assert!(
        refused(nameless(EmbedderKind::OpenAi)).to_string().ends_with(r#"such as "text-embedding-3-small""#)
    );
    for url in [
        "http://sk-never-shown@127.0.0.1:1",
        "http://me:sk-never-shown@127.0.0.1:1",
        "https://host/v1?key=sk-never-shown",
        "https://host/v1#sk-never-shown",
        "http://:80",
        "http://host:port",
        "http://",
    ] {
        let said = refused(settings(EmbedderKind::OpenAi, url)).to_string();
        assert!(
            said.starts_with("embedder.url is no address of a server: write it as http://host:port"),
            "{url}: {said}"
        );
    }
    for url in ["http://169.254.169.254/v1", "http://[64:ff9b::10.0.0.7]/v1", "http://metadata/v1"] {
        let said = refused(settings(EmbedderKind::OpenAi, url)).to_string();
        assert!(said.starts_with("embedder.url ") && said.contains("asked: "), "{url}: {said}");
    }
    let smuggled = EmbedderSettings {
        key: Some(Secret::new("sk-never-shown\r\nx: y")),
        ..settings(EmbedderKind::OpenAi, "http://127.0.0.1:1")
    };
    assert_eq!(
        refused(smuggled),
        lasting("embedder.key has letters that no key has: copy SELFSAME_EMBEDDER_KEY anew")
    );
}

#[test]
fn an_empty_url_means_the_usual_place() {
    let usual = |kind| EmbedderSettings { url: None, ..settings(kind, "") };
    let model = |kind| remote(&usual(kind)).unwrap().unwrap().model().to_owned();
    assert_eq!(model(EmbedderKind::OpenAi), "openai:some-model@api.openai.com");
    assert_eq!(model(EmbedderKind::Ollama), "ollama:some-model");
}

#[test]
fn what_stands_before_questions_and_texts() {
    let server = Played::by(|_, seen| measured(seen));
    let prefixed = EmbedderSettings {
        question_prefix: "query: ".into(),
        text_prefix: "passage: ".into(),
        ..settings(EmbedderKind::Ollama, &server.url())
    };
    let embedder = remote(&prefixed).unwrap().unwrap();
    embedder.embed(&["a"], Purpose::Text).unwrap();
    embedder.embed(&["b"], Purpose::Question).unwrap();
    let asked: Vec<_> = server.seen().iter().map(|seen| seen.texts()[0].to_owned()).collect();
    assert_eq!(asked, ["passage: a", "query: b"]);
    // Another prefix makes other vectors, which are not to be compared with those without.
    assert_eq!(embedder.model(), r#"ollama:some-model after "passage: ""#);
}

#[test]
fn many_texts_go_in_batches_and_come_back_in_order() {
    let server = Played::by(|_, seen| measured(seen));
    let batched = EmbedderSettings { batch: 3, ..settings(EmbedderKind::OpenAi, &server.url()) };
    let texts: Vec<String> = (1..=8).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = remote(&batched).unwrap().unwrap().embed(&texts, Purpose::Text).unwrap();
    assert_eq!(lengths(&vectors), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(server.seen().iter().map(|seen| seen.texts().len()).collect::<Vec<_>>(), [3, 3, 2]);
}

#[test]
fn nobody_answers() {
    // Taken, so that nobody else gets it meanwhile, but not listened at.
    let taken =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&taken, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = SocketAddrV4::try_from(rustix::net::getsockname(&taken).unwrap()).unwrap();
    let url = format!("http://{address}");
    let refused = |kind| refusal(&*remote(&settings(kind, &url)).unwrap().unwrap());
    assert_eq!(
        refused(EmbedderKind::Ollama),
        passing(format!(
            "nobody answers at {url}/api/embed: is Ollama running? Start it with `ollama serve`, or set embedder.url"
        ))
    );
    assert_eq!(
        refused(EmbedderKind::OpenAi),
        passing(format!(
            "nobody answers at {url}/embeddings: is the server running? Start it, or set embedder.url"
        ))
    );
}

#[test]
fn a_host_that_is_not_there() {
    let nowhere = remote(&settings(EmbedderKind::OpenAi, "http://no-such-host.invalid/v1")).unwrap().unwrap();
    let said = refusal(&*nowhere);
    assert!(matches!(said, PortError::Passing(_)), "{said:?}");
    let said = said.to_string();
    assert!(
        said.starts_with("the connection to http://no-such-host.invalid/v1/embeddings failed ("),
        "{said}"
    );
    assert!(said.ends_with("check embedder.url, the network and the server's log"), "{said}");
}

#[test]
fn a_model_that_is_not_there() {
    let server = Played::always(Reply::json(
        404,
        &json!({"error": "model \"wine-red\" not found, try pulling it first"}),
    ));
    let url = server.url();
    assert_eq!(
        refusal(&*ollama(&server)),
        lasting(format!(
            "{url}/api/embed does not have the model \"some-model\": run `ollama pull some-model`, or set embedder.model"
        ))
    );
    let said = refusal(&*openai(&server));
    assert_eq!(
        said,
        lasting(format!(
            "{url}/v1/embeddings does not have the model \"some-model\", or is no address for embeddings: check \
             embedder.model, and that embedder.url is the server's with /v1 at its end if the server wants that"
        ))
    );
}

#[test]
fn an_address_that_is_not_ollamas() {
    let another = json!({"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}});
    for reply in [Reply::new(404, "404 page not found"), Reply::json(404, &another), Reply::new(404, "")] {
        let server = Played::always(reply.clone());
        assert_eq!(
            refusal(&*ollama(&server)),
            lasting(format!(
                "{}/api/embed is no address of Ollama's: set embedder.url to that of Ollama 0.3 or newer, without a path",
                server.url()
            )),
            "{reply:?}"
        );
    }
}

#[test]
fn a_key_that_is_not_taken() {
    for status in [401, 403] {
        let echo = json!({"error": {"message": "Incorrect API key provided: sk-never-shown", "code": "invalid_api_key"}});
        let server = Played::always(Reply::json(status, &echo));
        let url = server.url();
        assert_eq!(
            refusal(&*openai(&server)),
            lasting(format!(
                "{url}/v1/embeddings does not take the key that it is given ({status}): set SELFSAME_EMBEDDER_KEY to another"
            ))
        );
        let keyless = EmbedderSettings { key: None, ..settings(EmbedderKind::OpenAi, &url) };
        assert_eq!(
            refusal(&*remote(&keyless).unwrap().unwrap()),
            lasting(format!("{url}/embeddings wants a key ({status}): set SELFSAME_EMBEDDER_KEY"))
        );
    }
}

#[test]
fn a_server_that_has_too_much_to_do() {
    let limited =
        json!({"error": {"type": "requests", "code": "rate_limit_exceeded", "message": "wine-red"}});
    let server = Played::one_after_the_other(vec![
        Reply::json(429, &limited).header("Retry-After", "20"),
        Reply::json(429, &limited),
        Reply::json(429, &limited).header("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"),
    ]);
    let said = |when| {
        passing(format!(
            "{}/v1/embeddings gets more requests than it takes: it is asked again {when}",
            server.url()
        ))
    };
    let embedder = openai(&server);
    assert_eq!(refusal(&*embedder), said("in 20s, as it says"));
    assert_eq!(refusal(&*embedder), said("later"));
    assert_eq!(refusal(&*embedder), said("later"));
}

#[test]
fn an_account_that_is_used_up() {
    let used_up = json!({"error": {"type": "insufficient_quota", "code": "insufficient_quota"}});
    let server = Played::always(Reply::json(429, &used_up));
    assert_eq!(
        refusal(&*openai(&server)),
        lasting(format!(
            "{}/v1/embeddings says that what was paid for is used up: see to the account there, or set another embedder",
            server.url()
        ))
    );
}

#[test]
fn a_server_that_fails() {
    for status in [500, 502, 503, 504, 408] {
        let server = Played::always(Reply::new(status, "<html>wine-red</html>"));
        let said =
            format!("{}/api/embed answered with status {status}: it is asked again later", server.url());
        assert_eq!(refusal(&*ollama(&server)), passing(said));
    }
    // However much it has to say about it.
    let server = Played::always(Reply::new(503, vec![b'x'; 1 << 20]).header("retry-after", "7"));
    let said =
        format!("{}/api/embed answered with status 503: it is asked again in 7s, as it says", server.url());
    assert_eq!(refusal(&*ollama(&server)), passing(said));
}

#[test]
fn a_request_that_is_refused() {
    let server =
        Played::always(Reply::json(400, &json!({"error": "\"wine-red\" does not support embeddings"})));
    assert_eq!(
        refusal(&*ollama(&server)),
        lasting(format!(
            "{}/api/embed refuses what it is asked with status 400: check embedder.url and that \"some-model\" is a model \
             for embeddings; the server's log says more",
            server.url()
        ))
    );
}

#[test]
fn nobody_is_led_elsewhere() {
    let elsewhere = Played::by(|_, seen| measured(seen));
    for status in [301, 302, 303, 307, 308] {
        let to = format!("{}/api/embed", elsewhere.url());
        let server = Played::always(Reply::new(status, "").header("location", &to));
        assert_eq!(
            refusal(&*ollama(&server)),
            lasting(format!(
                "{}/api/embed wants to be asked elsewhere, and is not followed, as it is given texts and a key: set \
                 embedder.url to where it leads (curl -i shows it)",
                server.url()
            ))
        );
        assert_eq!(server.seen().len(), 1);
    }
    assert!(elsewhere.seen().is_empty(), "neither texts nor key went there");
}

/// What is said of an answer with status 200 that has no vectors for two texts.
fn unusable(embedder: &dyn Embedder, url: &str) -> String {
    let error = refusal(embedder);
    let PortError::Passing(said) = error else { panic!("a server may be mended: {error:?}") };
    let said = said.strip_prefix(&format!("the answer of {url} to 2 texts cannot be used: ")).expect(&said);
    said.strip_suffix("; check embedder.url and embedder.model").expect(said).to_owned()
}

#[test]
fn ollama_answers_with_what_cannot_be_used() {
    let bad = |body: &str| {
        let server = Played::always(Reply::new(200, body));
        unusable(&*ollama(&server), &format!("{}/api/embed", server.url()))
    };
    for (body, said) in [
        ("", "it is empty"),
        ("  \n ", "it is empty"),
        ("<!DOCTYPE html><html>wine-red", "it is a web page"),
        ("\n <html>", "it is a web page"),
        ("wine-red", "it is no readable JSON"),
        ("\u{1f}\u{8b}\u{8}\u{0}", "it is no readable JSON"),
        (r#"{"embeddings":[[1,2],[3,"#, "it breaks off"),
        (r#"{"embeddings":[[1,2],[3,NaN]]}"#, "it is no readable JSON"),
        (r#"{"embeddings":[[1,2],[3,1e999]]}"#, "it is no readable JSON"),
        (r#"{"embeddings":[[1,2],[3,1e39]]}"#, "it is no readable JSON"),
        (r#"{"embeddings":[[1],[2]]} wine-red"#, "it is no readable JSON"),
        (r#"{"embeddings":[[1],[2]"#, "it breaks off"),
        (r#"{"embeddings":[[1,2]]}"#, "1 vectors for 2 texts"),
        (r#"{"embeddings":[[1,2],[3,4],[5,6]]}"#, "3 vectors for 2 texts"),
        (r#"{"embeddings":[]}"#, "0 vectors for 2 texts"),
        (r#"{"embeddings":[[1,2],[3]]}"#, "vector 2 has 1 numbers instead of 2"),
        (r#"{"embeddings":[[],[]]}"#, "vector 1 is empty"),
        (r#"{"embeddings":[[1,2],[0,-0.0]]}"#, "vector 2 is zero"),
    ] {
        assert_eq!(bad(body), said, "{body}");
    }
    for body in [
        "[]",
        "null",
        "{}",
        r#""wine-red""#,
        r#"{"error":"wine-red"}"#,
        r#"{"embedding":[1,2]}"#,
        r#"{"embeddings":null}"#,
        r#"{"embeddings":[1,2]}"#,
        r#"{"embeddings":[[1,2],null]}"#,
        r#"{"embeddings":[[1,2],[3,null]]}"#,
        r#"{"embeddings":[[1,2],[3,"NaN"]]}"#,
        r#"{"embeddings":[[1,2],["wine-red",4]]}"#,
    ] {
        let said = bad(body);
        assert!(
            said.starts_with("it has something else where vectors of numbers should be (line "),
            "{body}: {said}"
        );
    }
    // Deeper than a stack is.
    let deep = format!(r#"{{"x":{}"#, "[".repeat(100_000));
    assert_eq!(bad(&deep), "it breaks off");
}

#[test]
fn openai_vectors_are_matched_by_their_index() {
    let (first, second) = (json!([1, 0]), json!([0, 1]));
    let answering = |items: &[(Value, Value)]| Played::always(openai_answer(items));
    let reordered = answering(&[(json!(1), second.clone()), (json!(0), first.clone())]);
    assert_eq!(openai(&reordered).embed(&TEXTS, Purpose::Text).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    for (items, said) in [
        (vec![(json!(0), first.clone())], "1 vectors for 2 texts"),
        (vec![(json!(1), first.clone())], "1 vectors for 2 texts"),
        (vec![], "0 vectors for 2 texts"),
        (
            vec![(json!(0), first.clone()), (json!(1), first.clone()), (json!(2), first.clone())],
            "it has a vector for text 2 of 2, counted from 0",
        ),
        (
            vec![(json!(1), first.clone()), (json!(2), first.clone())],
            "it has a vector for text 2 of 2, counted from 0",
        ),
        (
            vec![(json!(0), first.clone()), (json!(0), second.clone())],
            "it has two vectors for text 0, counted from 0",
        ),
        (vec![(json!(0), first.clone()), (json!(1), json!([0, 0]))], "vector 2 is zero"),
        (vec![(json!(0), first.clone()), (json!(1), json!([]))], "vector 2 is empty"),
        (vec![(json!(0), first.clone()), (json!(1), json!([1]))], "vector 2 has 1 numbers instead of 2"),
    ] {
        let server = answering(&items);
        assert_eq!(unusable(&*openai(&server), &format!("{}/v1/embeddings", server.url())), said);
    }
    for index in [json!(-1), json!(null), json!("0"), json!(0.5)] {
        let server = answering(&[(index.clone(), first.clone()), (json!(1), second.clone())]);
        let said = unusable(&*openai(&server), &format!("{}/v1/embeddings", server.url()));
        assert!(said.starts_with("it has something else"), "{index}: {said}");
    }
    // As base64, which was not asked for.
    let server = answering(&[(json!(0), json!("AACAPw==")), (json!(1), json!("AACAPw=="))]);
    let said = unusable(&*openai(&server), &format!("{}/v1/embeddings", server.url()));
    assert!(said.starts_with("it has something else"), "{said}");
}

#[test]
fn each_batch_has_its_own_vectors() {
    // Three for two, then one for two: as many as texts, and all of them of the wrong one.
    let server = Played::one_after_the_other(vec![
        ollama_answer(&json!([[1], [2], [3]])),
        ollama_answer(&json!([[4]])),
    ]);
    let batched = EmbedderSettings { batch: 2, ..settings(EmbedderKind::Ollama, &server.url()) };
    let refused = remote(&batched).unwrap().unwrap().embed(&["a", "b", "c", "d"], Purpose::Text).unwrap_err();
    assert!(refused.to_string().contains("3 vectors for 2 texts"), "{refused}");
}

#[test]
fn an_answer_that_breaks_off() {
    let whole = ollama_answer(&json!([[1, 2], [3, 4]]));
    for reply in [whole.clone().cut_at(0), whole.cut_at(40), Reply::gone()] {
        let server = Played::always(reply.clone());
        let refused = refusal(&*ollama(&server));
        assert!(matches!(refused, PortError::Passing(_)), "{reply:?}: {refused:?}");
        let said = refused.to_string();
        assert!(
            said.starts_with(&format!("the connection to {}/api/embed failed (", server.url())),
            "{said}"
        );
    }
    let server = Played::always(Reply::raw(b"wine-red\r\n\r\n"));
    assert_eq!(unusable(&*ollama(&server), &format!("{}/api/embed", server.url())), "it is no HTTP");
}

#[test]
fn an_answer_without_end_is_not_read() {
    let server = Played::always(Reply::endless(&[b'0'; 1 << 16], Duration::ZERO));
    let said = format!(
        "{}/api/embed answered 2 texts with more than 1572864 bytes: lower embedder.batch, or check embedder.url",
        server.url()
    );
    assert_eq!(refusal(&*ollama(&server)), passing(said));
    // What the system holds in between may be sent, but nothing near the gigabyte that was promised.
    assert!(server.sent() < 32 << 20, "{}", server.sent());
}

#[test]
fn a_packed_answer_is_not_unpacked() {
    let server = Played::always(Reply::new(200, b"\x1f\x8b\x08\x00\x00").header("content-encoding", "gzip"));
    assert_eq!(unusable(&*ollama(&server), &format!("{}/api/embed", server.url())), "it is no readable JSON");
}

#[test]
fn a_server_that_takes_for_ever() {
    for reply in [Reply::silence(), Reply::endless(b" ", Duration::from_millis(20))] {
        let server = Played::always(reply.clone());
        let said = format!(
            "{}/api/embed did not answer 2 texts within 300ms: raise embedder.timeout or lower embedder.batch if that \
             is usual",
            server.url()
        );
        assert_eq!(refusal(&*hasty_ollama(&server)), passing(said), "{reply:?}");
    }
}

#[test]
fn a_server_that_speaks_no_tls() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = format!("https://{}", listener.local_addr().unwrap());
    let answering = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    assert_eq!(
        refusal(&*remote(&settings(EmbedderKind::OpenAi, &plain)).unwrap().unwrap()),
        lasting(format!(
            "{plain}/embeddings has no certificate that is trusted here, or speaks no TLS: check embedder.url (http or \
             https?)"
        ))
    );
    answering.join().unwrap();
}

/// As servers say that they were given too much.
fn too_much() -> [Reply; 6] {
    let openai = "This model's maximum context length is 8192 tokens, however you requested 10000 tokens";
    [
        Reply::new(413, "Payload Too Large"),
        Reply::json(400, &json!({"error": "the input length exceeds the context length"})),
        Reply::json(400, &json!({"error": {"message": openai, "code": "context_length_exceeded"}})),
        Reply::json(
            400,
            &json!({"error": {"message": "Requested 400000 tokens, max 300000 tokens per request"}}),
        ),
        Reply::json(
            422,
            &json!({"error": "batch size 8 > maximum allowed batch size 4", "error_type": "Validation"}),
        ),
        Reply::json(
            500,
            &json!({"error": {"message": "input is too large to process. increase the physical batch size"}}),
        ),
    ]
}

#[test]
fn what_is_too_much_at_once_is_asked_for_in_halves() {
    for refused in too_much() {
        let reply = refused.clone();
        let server =
            Played::by(move |_, seen| if seen.texts().len() > 2 { reply.clone() } else { measured(seen) });
        let texts = ["1", "22", "333", "4444", "55555"];
        let vectors = openai(&server).embed(&texts, Purpose::Text).unwrap();
        assert_eq!(lengths(&vectors), [1.0, 2.0, 3.0, 4.0, 5.0], "{refused:?}");
        let asked: Vec<usize> = server.seen().iter().map(|seen| seen.texts().len()).collect();
        assert_eq!(asked, [5, 2, 3, 1, 2], "{refused:?}");
    }
}

#[test]
fn a_long_text_is_embedded_by_its_beginning_and_blocks_no_other() {
    for refused in too_much() {
        let server = Played::by(move |_, seen| match seen.texts().iter().any(|text| text.len() > 200) {
            true => refused.clone(),
            false => measured(seen),
        });
        // Cut between letters, and not within one.
        let long = "ä".repeat(301);
        let vectors = openai(&server).embed(&["a", &long, "bb"], Purpose::Text).unwrap();
        assert_eq!(lengths(&vectors), [1.0, 150.0, 2.0]);
    }
}

#[test]
fn a_text_of_which_nothing_is_taken() {
    let [refused, ..] = too_much();
    let server = Played::always(refused);
    let long = "x".repeat(1000);
    let said = shown(ollama(&server).embed(&[&long], Purpose::Text).unwrap_err());
    let words = format!(
        "{}/api/embed takes no 125 bytes of text at once: set embedder.model to one that does",
        server.url()
    );
    assert_eq!(said, lasting(words));
    assert_eq!(server.seen().len(), 4, "whole, and three beginnings");
}

/// An embedder by a clock that a test moves.
fn clocked(server: &Played, timeout: Duration) -> (Arc<dyn Embedder>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at(Time::from_micros(0)));
    let settings = EmbedderSettings { timeout, ..settings(EmbedderKind::Ollama, &server.url()) };
    (remote_with_clock(&settings, Arc::clone(&clock) as _).unwrap().unwrap(), clock)
}

const PATIENT: Duration = Duration::from_secs(20);

#[test]
fn a_question_does_not_wait_as_long_as_a_text() {
    let server = Played::always(Reply::silence());
    let (embedder, _) = clocked(&server, PATIENT);
    let said = shown(embedder.embed(&["is it wine-red?"], Purpose::Question).unwrap_err());
    let words = format!(
        "{}/api/embed did not answer a question within 2s, and no question waits longer: if that is usual, a smaller \
         embedder.model answers sooner",
        server.url()
    );
    assert_eq!(said, passing(words));
    let (hasty, _) = clocked(&server, Duration::from_millis(100));
    let said = hasty.embed(&["is it wine-red?"], Purpose::Question).unwrap_err();
    assert!(said.to_string().contains("within 100ms"), "{said}");
}

#[test]
fn after_a_failure_questions_are_told_at_once_for_a_while() {
    let server = Played::by(|before, seen| match before {
        0 | 1 => Reply::new(500, ""),
        _ => measured(seen),
    });
    let (embedder, clock) = clocked(&server, PATIENT);
    let ask = || embedder.embed(&["where?"], Purpose::Question);
    let first = ask().unwrap_err();
    assert_eq!(ask().unwrap_err(), first);
    clock.advance(Duration::from_millis(4900));
    assert_eq!(ask().unwrap_err(), first);
    assert_eq!(server.seen().len(), 1, "the server was left alone");
    clock.advance(Duration::from_millis(200));
    assert_eq!(ask().unwrap_err(), first);
    assert_eq!(server.seen().len(), 2, "the pause was over, and begins again");
    assert_eq!(ask().unwrap_err(), first);
    assert_eq!(server.seen().len(), 2);
    // A text is asked for all the same, and if that works the pause is over.
    embedder.embed(&["here"], Purpose::Text).unwrap();
    assert_eq!(lengths(&ask().unwrap()), [6.0]);
}

#[test]
fn a_text_that_failed_spares_the_next_question_the_wait() {
    let server = Played::always(ollama_answer(&json!([])));
    let (embedder, _) = clocked(&server, PATIENT);
    let failed = embedder.embed(&["text"], Purpose::Text).unwrap_err();
    assert_eq!(embedder.embed(&["where?"], Purpose::Question).unwrap_err(), failed);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn the_pause_is_as_long_as_the_server_asks_but_not_longer_than_a_minute() {
    for (asked_for, seconds) in [("0", 5), ("20", 20), ("86400", 60)] {
        let server = Played::always(Reply::new(429, "").header("retry-after", asked_for));
        let (embedder, clock) = clocked(&server, PATIENT);
        let requests_after_asking = || {
            embedder.embed(&["where?"], Purpose::Question).unwrap_err();
            server.seen().len()
        };
        assert_eq!(requests_after_asking(), 1);
        clock.advance(Duration::from_millis(seconds * 1000 - 100));
        assert_eq!(requests_after_asking(), 1, "{asked_for}");
        clock.advance(Duration::from_millis(200));
        assert_eq!(requests_after_asking(), 2, "{asked_for}");
    }
}

#[test]
fn a_question_that_is_too_long_is_asked_once_and_stops_no_other() {
    let [refused, ..] = too_much();
    let server =
        Played::by(move |_, seen| if seen.texts()[0].len() > 100 { refused.clone() } else { measured(seen) });
    let embedder = openai(&server);
    let long = "why? ".repeat(100);
    assert!(matches!(embedder.embed(&[&long], Purpose::Question), Err(PortError::Lasting(_))));
    assert_eq!(server.seen().len(), 1);
    assert_eq!(lengths(&embedder.embed(&["why?"], Purpose::Question).unwrap()), [4.0]);
}

/// The test above it, in a process of its own whose environment names a proxy that nobody answers at.
#[test]
fn no_proxy_is_taken_from_the_environment() {
    let proxy = "http://127.0.0.1:9";
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "embedders::openai_is_asked_as_it_is_documented"])
        .envs(
            ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
                .map(|name| (name, proxy)),
        )
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
}

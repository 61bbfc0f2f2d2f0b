//! Bodies that are empty, broken, ambiguous or too large: refused with a code, and nothing is stored.

use crate::house::{Ask, House, RECALL, REMEMBER, send_bytes};
use serde_json::json;

const JSON: &str = "application/json";

/// Every refusal has a code, and leaves everything as it was. Gives what it says.
#[track_caller]
fn refused(house: &House, ask: Ask, status: u16, code: &str) -> String {
    let before = house.memories();
    let reply = ask.send();
    assert_eq!((reply.status, reply.code().as_str()), (status, code), "{reply:?}");
    assert_eq!(house.memories(), before, "something was stored");
    reply.json()["detail"].as_str().unwrap().to_owned()
}

#[track_caller]
fn refused_body(house: &House, body: &[u8], status: u16, code: &str, said: &str) {
    let detail = refused(house, house.ask("POST", REMEMBER).body(JSON, body), status, code);
    assert!(detail.contains(said), "{detail}");
}

#[test]
fn an_empty_body_misses_its_content() {
    let house = House::open();
    refused_body(&house, b"", 400, "bad_request", "missing field `content`");
    let bare = house.ask("POST", REMEMBER);
    refused(&house, bare, 400, "bad_request");
}

#[test]
fn a_broken_body_is_told_where_it_broke() {
    let house = House::open();
    for (body, said) in [
        (r#"{"content": "cut o"#, "line 1 column 18"),
        (r#"{"content": "x"} and more"#, "trailing characters at line 1 column 18"),
        (r#"{"content": "x",}"#, "trailing comma"),
        ("{'content': 'x'}", "key must be a string"),
        ("\n\n  nonsense", "line 3"),
        ("[\"content\"]", "must be a JSON object"),
        ("null", "must be a JSON object"),
    ] {
        refused_body(&house, body.as_bytes(), 400, "bad_json", said);
    }
}

#[test]
fn a_key_given_twice_is_ambiguous() {
    let house = House::open();
    let twice = br#"{"content": "the one", "content": "the other"}"#;
    refused_body(&house, twice, 400, "bad_json", "\"content\" is given twice");
    // Also when the two are spelt differently, and also further in.
    let escaped = br#"{"content": "the one", "c\u006fntent": "the other"}"#;
    refused_body(&house, escaped, 400, "bad_json", "given twice");
    let inside = br#"{"content": "x", "tags": [{"a": 1, "a": 2}]}"#;
    refused_body(&house, inside, 400, "bad_json", "given twice");
}

#[test]
fn deep_nesting_ends_early() {
    let house = House::open();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{{\"content\": {}1{}}}", open.repeat(10_000), close.repeat(10_000));
        refused_body(&house, deep.as_bytes(), 400, "bad_json", "recursion limit");
    }
}

#[test]
fn numbers_out_of_range_are_not_rounded() {
    let house = House::open();
    for (number, code) in [
        ("1e400", "bad_json"),
        ("NaN", "bad_json"),
        ("Infinity", "bad_json"),
        ("9223372036854775808", "importance_out_of_range"),
        ("-1", "importance_out_of_range"),
        ("1.0000001", "importance_out_of_range"),
        ("\"0.5\"", "bad_request"),
    ] {
        let body = format!(r#"{{"content": "x", "importance": {number}}}"#);
        let reply = house.ask("POST", REMEMBER).body(JSON, body.as_bytes()).send();
        assert_eq!((reply.status, reply.code().as_str()), (400, code), "{number}");
    }
    assert_eq!(house.memories(), 0);
}

#[test]
fn negative_zero_is_zero() {
    let house = House::open();
    let body = br#"{"content": "nothing at all", "importance": -0.0}"#;
    let stored = house.ask("POST", REMEMBER).body(JSON, body).send();
    assert_eq!(stored.status, 200, "{stored:?}");
    let id = stored.json()["id"].as_str().unwrap().to_owned();
    let read = house.ask("GET", &format!("{REMEMBER}/{id}")).send();
    assert!(read.text.contains("\"importance\":0.0"), "{}", read.text);
}

#[test]
fn text_that_no_database_could_hold_is_refused() {
    let house = House::open();
    refused_body(&house, br#"{"content": "\ud800"}"#, 400, "bad_json", "hex escape");
    refused_body(&house, br#"{"content": "a\ud800z"}"#, 400, "bad_json", "");
    refused_body(&house, b"{\"content\": \"\xff\xfe\"}", 400, "bad_json", "unicode");
    refused_body(&house, b"{\"content\": \"raw \x00\"}", 400, "bad_json", "control character");
    refused_body(&house, br#"{"content": "nul \u0000"}"#, 400, "nul_not_allowed", "NUL");
    refused_body(&house, br#"{"content": "x", "source": "\u0000"}"#, 400, "nul_not_allowed", "NUL");
    refused_body(&house, br#"{"content": "x", "tags": ["\u0000"]}"#, 400, "nul_not_allowed", "NUL");
}

#[test]
fn nothing_visible_is_nothing() {
    let house = House::open();
    for content in ["", " ", "\n\t ", "\u{200b}\u{200d}\u{feff}"] {
        let ask = house.ask("POST", REMEMBER).json(&json!({ "content": content }));
        refused(&house, ask, 400, "empty_text");
    }
}

#[test]
fn a_long_text_fits_to_the_byte() {
    let house = House::with(|settings| settings.memory.max_content_bytes = 1000);
    let exactly = json!({ "content": "a".repeat(1000) });
    assert_eq!(house.ask("POST", REMEMBER).json(&exactly).send().status, 200);
    let more = json!({ "content": "a".repeat(1001) });
    let ask = house.ask("POST", REMEMBER).json(&more);
    refused(&house, ask, 400, "text_too_long");
}

#[test]
fn an_unknown_field_is_named() {
    let house = House::open();
    for field in ["contents", "trust", "author", "agent_id", "principal"] {
        let body = json!({ "content": "x", field: "system" });
        let ask = house.ask("POST", REMEMBER).json(&body);
        let detail = refused(&house, ask, 400, "bad_request");
        assert!(detail.contains(&format!("unknown field `{field}`")), "{detail}");
    }
}

#[test]
fn a_limit_outside_its_range_is_told_the_range() {
    let house = House::open();
    for (limit, code) in [
        (json!(0), "out_of_range"),
        (json!(1001), "out_of_range"),
        (json!(1_000_000_000), "out_of_range"),
        (json!(-1), "bad_request"),
        (json!(1.5), "bad_request"),
        (json!("abc"), "bad_request"),
        (json!("10"), "bad_request"),
    ] {
        let body = json!({ "query": "bees", "limit": limit });
        let reply = house.ask("POST", RECALL).json(&body).send();
        assert_eq!((reply.status, reply.code().as_str()), (400, code), "{limit}");
        if code == "out_of_range" {
            assert!(reply.text.contains("from 1 to 1000"), "{}", reply.text);
        }
    }
    let body = json!({ "query": "bees", "limit": 1000 });
    assert_eq!(house.ask("POST", RECALL).json(&body).send().status, 200);
}

#[test]
fn a_question_of_operators_is_taken_by_its_letters() {
    let house = House::open();
    for query in ["\" * NEAR( OR AND", "'; DROP TABLE memory_items; --", "%_\\", "*", "\u{202e}evil"] {
        let reply = house.ask("POST", RECALL).json(&json!({ "query": query })).send();
        assert_eq!(reply.status, 200, "{query}: {reply:?}");
        assert_eq!(reply.json()["hits"], json!([]), "{query}");
    }
    let long = json!({ "query": "a ".repeat(50_000) });
    let reply = house.ask("POST", RECALL).json(&long).send();
    assert_eq!((reply.status, reply.code().as_str()), (400, "text_too_long"));
}

#[test]
fn only_json_is_taken_for_json() {
    let house = House::open();
    let body = json!({ "content": "by a form" }).to_string();
    for content_type in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""]
    {
        let ask = house.ask("POST", REMEMBER).body(content_type, body.as_bytes());
        refused(&house, ask, 415, "not_json");
    }
    let without = house.ask("POST", REMEMBER).body(JSON, body.as_bytes()).without("content-type");
    refused(&house, without, 415, "not_json");
    let ask = house.ask("POST", REMEMBER).body("application/json; charset=utf-8", body.as_bytes());
    assert_eq!(ask.send().status, 200);
}

#[test]
fn a_packed_body_is_not_unpacked() {
    let house = House::open();
    let ask = house
        .ask("POST", REMEMBER)
        .header("content-encoding", "gzip")
        .body(JSON, b"\x1f\x8b\x08\x00\x00\x00\x00\x00");
    refused(&house, ask, 400, "bad_json");
}

/// Room for 4 KiB: large bodies need not be large here.
fn small_house() -> House {
    House::with(|settings| settings.server.max_body_bytes = 4096)
}

#[test]
fn a_body_that_fits_to_the_byte_is_taken() {
    let house = small_house();
    let body = |bytes: usize| {
        let bare = json!({ "content": "" }).to_string().len();
        json!({ "content": "a".repeat(bytes - bare) })
    };
    assert_eq!(house.ask("POST", REMEMBER).json(&body(4096)).send().status, 200);
    let ask = house.ask("POST", REMEMBER).json(&body(4097));
    refused(&house, ask, 413, "body_too_large");
}

#[test]
fn a_body_too_large_is_cut_off_long_before_its_end() {
    let house = small_house();
    let ask = house.ask("POST", REMEMBER).header("content-type", JSON);
    // It promises a gigabyte; the answer comes after the first bytes too many, and the connection ends.
    let mut bytes = ask.header("content-length", "1073741824").bytes();
    bytes.extend(vec![b' '; 4097]);
    let reply = send_bytes(house.address(), &bytes);
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
}

#[test]
fn a_body_of_unknown_length_is_cut_off_too() {
    let house = small_house();
    let ask = house.ask("POST", REMEMBER).header("content-type", JSON);
    let mut bytes = ask.header("transfer-encoding", "chunked").bytes();
    for _ in 0..5 {
        bytes.extend(b"400\r\n");
        bytes.extend(vec![b' '; 1024]);
        bytes.extend(b"\r\n");
    }
    let reply = send_bytes(house.address(), &bytes);
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    assert_eq!(house.memories(), 0);
}

#[test]
fn a_body_in_pieces_is_one_body() {
    let house = House::open();
    let ask = house.ask("POST", REMEMBER).header("content-type", JSON);
    let ask = ask.header("transfer-encoding", "chunked").header("connection", "close");
    let mut bytes = ask.bytes();
    bytes.extend(b"c\r\n{\"content\": \r\n9\r\n\"pieces\"}\r\n0\r\n\r\n");
    assert_eq!(send_bytes(house.address(), &bytes).status, 200);
    assert_eq!(house.memories(), 1);
}

#[test]
fn a_broken_piece_is_refused_in_our_words() {
    let house = House::open();
    let ask = house.ask("POST", REMEMBER).header("content-type", JSON);
    let mut bytes = ask.header("transfer-encoding", "chunked").bytes();
    bytes.extend(b"zz\r\n{}\r\n0\r\n\r\n");
    let reply = send_bytes(house.address(), &bytes);
    reply.code();
    assert_eq!(reply.status, 400, "{reply:?}");
    assert_eq!(house.memories(), 0);
}

/// Two servers in a row that read the length differently are how requests are smuggled. Of the two ways that RFC 9112
/// leaves, hyper takes this one: the pieces count and the connection ends, so nothing after them is a second request.
#[test]
fn two_lengths_smuggle_nothing() {
    let house = House::open();
    let ask = house
        .ask("POST", RECALL)
        .header("content-type", JSON)
        .header("content-length", "5")
        .header("transfer-encoding", "chunked");
    let mut bytes = ask.bytes();
    bytes.extend(b"d\r\n{\"query\":\"x\"}\r\n0\r\n\r\n");
    let hidden = house.ask("POST", REMEMBER).json(&json!({ "content": "smuggled" }));
    bytes.extend(hidden.header("connection", "close").bytes());
    let reply = send_bytes(house.address(), &bytes);
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")), "{reply:?}");
    assert!(!reply.text.contains("HTTP/1.1"), "two answers to one request: {reply:?}");
    assert_eq!(house.memories(), 0, "a second request was taken out of the first");
}

#[test]
fn two_different_lengths_are_refused() {
    let house = House::open();
    let ask = house.ask("POST", REMEMBER).header("content-type", JSON);
    let ask = ask.header("content-length", "2").header("content-length", "3");
    let bytes = [ask.bytes(), b"{} ".to_vec()].concat();
    assert_eq!(send_bytes(house.address(), &bytes).status, 400);
}

//! Routes, hosts and origins: what is there, what is not, and who may ask at all.

use crate::house::{House, RECALL, REMEMBER, send_bytes};
use selfsame_testkit::Raw;
use serde_json::json;

#[test]
fn health_and_readiness_need_no_key() {
    let house = House::open();
    let health = house.stranger("GET", "/healthz").send();
    assert_eq!(health.status, 200);
    assert_eq!(
        health.json(),
        json!({ "status": "ok", "address": house.address().to_string(), "url": format!("http://{}", house.address()) })
    );
    let ready = house.stranger("GET", "/readyz").send();
    assert_eq!((ready.status, ready.json()), (200, json!({ "status": "ready", "late": 0, "dead": 0 })));
}

/// Somebody who watches is told without a key; the daemon serves on.
#[test]
fn a_dead_or_late_duty_is_seen_from_outside() {
    let house = House::open();
    let set = |change: &str| {
        let sql = format!("UPDATE duties SET {change} WHERE kind = 'sweep_replies'");
        assert_eq!(Raw::sqlite(&house.database()).run(&sql), Ok(1));
    };
    let seen = || {
        let ready = house.stranger("GET", "/readyz").send();
        assert_eq!(ready.status, 200);
        ready.json()
    };
    set("state = 'dead', last_error = 'the broom is broken'");
    assert_eq!(seen(), json!({ "status": "degraded", "late": 0, "dead": 1 }));
    let duties = house.ask("GET", "/v1/duties").send().json();
    let dead = duties["duties"].as_array().unwrap().iter().find(|duty| duty["health"] == "dead");
    let dead = dead.unwrap_or_else(|| panic!("{duties}"));
    assert_eq!((&dead["state"], &dead["last_error"]), (&json!("dead"), &json!("the broom is broken")));
    let requeue = format!("/v1/duties/{}/requeue", dead["id"].as_str().unwrap());
    assert_eq!(house.ask("POST", &requeue).json(&json!({})).send().json()["outcome"], "requeued");
    assert_eq!(seen()["dead"], 0);
    // Nobody does it until its lease ends, and its slot is long past.
    set("state = 'running', slot = 0, lease_until = next_at + 1000000000000000");
    assert_eq!(seen(), json!({ "status": "degraded", "late": 1, "dead": 0 }));
}

#[test]
fn an_answer_is_named_and_kept_by_nobody() {
    let house = House::open();
    let reply = house.ask("GET", "/v1/agents").send();
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    let other = house.ask("GET", "/v1/agents").send();
    assert_ne!(reply.header("x-request-id"), other.header("x-request-id"));
}

#[test]
fn a_refusal_names_its_request_in_header_and_body() {
    let house = House::open();
    let asked = [
        house.ask("GET", "/v1/agents/nobody"),
        house.ask("GET", "/v1/nowhere"),
        house.ask("PUT", RECALL),
        house.ask("GET", "/v1/agents").header("origin", "null"),
    ];
    for ask in asked {
        let reply = ask.send();
        reply.code();
        assert_eq!(reply.header("x-request-id"), reply.json()["request_id"].as_str(), "{reply:?}");
    }
}

#[test]
fn an_unknown_route_is_not_there() {
    let house = House::open();
    for path in [
        "/v1",
        "/dashboards",
        "/v1/nowhere",
        "/v2/agents",
        "/v1/agents/",
        "/v1/agents/main/memories/x/y",
        "//v1/agents",
    ] {
        let reply = house.ask("GET", path).send();
        assert_eq!((reply.status, reply.code().as_str()), (404, "no_such_route"), "{path}");
    }
}

#[test]
fn a_wrong_method_is_told_which_ones_are_right() {
    let house = House::open();
    for (method, path, allowed) in [
        ("DELETE", REMEMBER, "GET,HEAD,POST"),
        ("DELETE", RECALL, "POST"),
        ("PUT", "/v1/agents", "GET,HEAD,POST"),
        ("POST", "/healthz", "GET,HEAD"),
    ] {
        let reply = house.ask(method, path).send();
        assert_eq!((reply.status, reply.code().as_str()), (405, "method_not_allowed"), "{method} {path}");
        let mut told: Vec<&str> = reply.header("allow").unwrap_or_default().split(',').collect();
        told.sort_unstable();
        assert_eq!(told.join(","), allowed, "{method} {path}");
    }
}

#[test]
fn only_the_own_names_are_served() {
    let house = House::open();
    let port = house.address().port();
    for host in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        "localhost".into(),
        format!("[::1]:{port}"),
    ] {
        let reply = house.ask("GET", "/v1/agents").without("host").header("host", &host).send();
        assert_eq!(reply.status, 200, "{host}: {reply:?}");
    }
    // The last ones are what a browser sends for a name that was bent to point here.
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "[::1", "::1"] {
        let ask = house.ask("GET", "/v1/agents").without("host").header("host", host);
        let reply = ask.send();
        assert_eq!((reply.status, reply.code().as_str()), (403, "foreign_host"), "{host:?}");
    }
    let reply = house.ask("GET", "/v1/agents").without("host").send();
    assert_eq!((reply.status, reply.code().as_str()), (403, "foreign_host"));
}

#[test]
fn a_page_of_another_origin_stays_outside() {
    let house = House::open();
    let before = house.memories();
    for origin in [
        "null",
        "https://evil.example",
        "http://localhost.evil.example",
        "http://127.0.0.1@evil.example",
        "file://",
        "",
        "localhost",
    ] {
        let reply = house
            .ask("POST", REMEMBER)
            .header("origin", origin)
            .json(&json!({ "content": "planted by a page" }))
            .send();
        assert_eq!((reply.status, reply.code().as_str()), (403, "foreign_origin"), "{origin:?}");
    }
    assert_eq!(house.memories(), before);
    let own = format!("http://{}", house.address());
    let reply = house.ask("GET", "/v1/agents").header("origin", &own).send();
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[test]
fn ids_in_a_path_are_opaque() {
    let house = House::open();
    for agent in ["..%2f..%2fetc%2fpasswd", "%2e%2e", "main%2fmemories", "ma%20in", "%F0%9F%90%9D"] {
        let reply = house.ask("GET", &format!("/v1/agents/{agent}")).send();
        assert_eq!((reply.status, reply.code().as_str()), (404, "no_such_agent"), "{agent}");
    }
    for id in ["..%2f..%2fetc", "mem_..%2f", "1%20OR%201=1", "mem_%27--"] {
        let reply = house.ask("GET", &format!("{REMEMBER}/{id}")).send();
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_id"), "{id}");
    }
    // Dots are resolved by no one here: the path is taken as it stands.
    let reply = house.ask("GET", "/v1/agents/main/../../../etc/passwd").send();
    assert_eq!(reply.status, 404);
}

#[test]
fn a_path_that_is_no_text_is_refused_in_our_words() {
    let house = House::open();
    for agent in ["%ff", "%00", "%c0%ae"] {
        let reply = house.ask("GET", &format!("/v1/agents/{agent}")).send();
        reply.code();
        assert_eq!(reply.status, 400, "{agent}: {reply:?}");
    }
}

#[test]
fn an_unknown_parameter_is_named() {
    let house = House::open();
    for (path, said) in [
        ("/v1/agents?page=2", "unknown field `page`"),
        ("/v1/agents?page=2&page=3", "\"page\" is given twice"),
        ("/v1/agents?%zz=1", "percent-encoded"),
        ("/v1/agents?%ff=1", "percent-encoded"),
    ] {
        let reply = house.ask("GET", path).send();
        assert_eq!(reply.status, 400, "{path}");
        reply.code();
        assert!(reply.text.contains(&said.replace('"', "\\\"")), "{path}: {}", reply.text);
    }
    let reply = house.ask("POST", &format!("{RECALL}?query=x")).json(&json!({})).send();
    assert_eq!((reply.status, reply.code().as_str()), (400, "unexpected_query"));
}

#[test]
fn headers_without_measure_are_refused() {
    let house = House::open();
    let many = (0..500)
        .fold(house.ask("GET", "/v1/agents"), |ask, number| ask.header(&format!("x-many-{number}"), "1"));
    assert_eq!(many.send().status, 431);
    // Larger than the buffer in which a head must fit.
    let large = house.ask("GET", "/v1/agents").header("x-large", &"a".repeat(512 * 1024));
    assert_eq!(large.send().status, 431);
    assert_eq!(house.stranger("GET", "/healthz").send().status, 200);
}

#[test]
fn what_is_not_http_gets_no_further() {
    let house = House::open();
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n".as_slice(),
        b"GET /v1/agents\r\n\r\n",
        b"GET /v1/agents HTTP/9.9\r\nhost: localhost\r\n\r\n",
        b"GET /v1/agents HTTP/1.1\r\nhost localhost\r\n\r\n",
        b"GET /v1/\x00agents HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ] {
        let reply = send_bytes(house.address(), bytes);
        assert_eq!(reply.status, 400, "{:?}: {reply:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(house.stranger("GET", "/healthz").send().status, 200);
}

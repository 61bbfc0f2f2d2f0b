//! The dashboard's door: who comes in by a code, what the cookie is good for, who ends a visit, and what its files say.

use crate::house::{Ask, House, REMEMBER, Reply, home_in};
use selfsame_daemon::Backend;
use selfsame_daemon::http::{CODE_LIFE, Sessions, dashboard};
use serde_json::json;
use std::time::{Duration, Instant};

const SESSION: &str = "/dashboard/session";
const AGENTS: &str = "/v1/agents";

/// As the page itself asks: a browser names the origin of what changes something, and not of what only reads.
fn from_page(house: &House, method: &str, path: &str) -> Ask {
    let ask = house.stranger(method, path).header("x-selfsame-page", "1");
    match method {
        "GET" => ask.header("sec-fetch-site", "same-origin"),
        _ => ask.header("origin", &format!("http://{}", house.address())),
    }
}

fn enter(house: &House, code: &str) -> Reply {
    from_page(house, "POST", SESSION).json(&json!({ "code": code })).send()
}

/// The cookie as a browser sends it back.
fn cookie(reply: &Reply) -> String {
    let set = reply.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {reply:?}"));
    set.split(';').next().unwrap().to_owned()
}

fn visitor(house: &House) -> String {
    let code = house.backend().dashboard_code().unwrap().code;
    let reply = enter(house, &code);
    assert_eq!(reply.status, 200, "{reply:?}");
    cookie(&reply)
}

#[test]
fn a_code_is_exchanged_once_for_a_cookie_that_scripts_and_other_sites_cannot_have() {
    let house = House::open();
    let way = house.backend().dashboard_code().unwrap();
    assert_eq!(way.link, format!("http://{}/dashboard", house.address()));
    assert_eq!(way.good_for_seconds, 300);
    // However it is typed.
    let reply = enter(&house, &way.code.to_lowercase().replace('-', " "));
    assert_eq!(reply.status, 200, "{reply:?}");
    let set = reply.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(set.starts_with(&format!("selfsame_{}=", house.address().port())), "{set}");
    assert!(!reply.text.contains(cookie(&reply).split('=').nth(1).unwrap()), "only the cookie has it");
    let again = enter(&house, &way.code);
    assert_eq!((again.status, again.code().as_str()), (401, "code_refused"));
    assert!(again.header("set-cookie").is_none());
    let listed = from_page(&house, "GET", AGENTS).header("cookie", &cookie(&reply)).send();
    assert_eq!(listed.status, 200, "{listed:?}");
}

#[test]
fn without_a_visit_there_is_nothing_to_see() {
    let house = House::open();
    let bare = from_page(&house, "GET", AGENTS).send();
    assert_eq!((bare.status, bare.code().as_str()), (401, "unauthenticated"));
    for made_up in ["", "x", &"0".repeat(64)] {
        let name = format!("selfsame_{}={made_up}", house.address().port());
        let reply = from_page(&house, "GET", AGENTS).header("cookie", &name).send();
        assert_eq!((reply.status, reply.code().as_str()), (401, "unauthenticated"));
    }
    assert_eq!(from_page(&house, "GET", SESSION).send().json(), json!({ "open": false }));
    let good = visitor(&house);
    assert_eq!(
        from_page(&house, "GET", SESSION).header("cookie", &good).send().json(),
        json!({ "open": true })
    );
    // Under the name of another daemon's it is not ours.
    let renamed = good.replacen("selfsame_", "selfsame_1", 1);
    assert_eq!(from_page(&house, "GET", AGENTS).header("cookie", &renamed).send().status, 401);
}

/// A page of another server on this machine is the same site to a browser, which sends the cookie along: ports are nothing
/// to cookies.
#[test]
fn no_other_page_can_use_the_cookie() {
    let house = House::open();
    let cookie = visitor(&house);
    let write = |change: fn(Ask, &House) -> Ask| {
        let ask = house.stranger("POST", REMEMBER).header("cookie", &cookie);
        change(ask, &house).json(&json!({ "content": "A page wrote this" })).send()
    };
    let foreign: [fn(Ask, &House) -> Ask; 7] = [
        |ask, _| ask,
        |ask, _| ask.header("origin", "http://127.0.0.1:1"),
        |ask, _| ask.header("origin", "http://localhost:3000").header("x-selfsame-page", "1"),
        |ask, _| ask.header("origin", "null").header("x-selfsame-page", "1"),
        |ask, _| ask.header("origin", "https://example.org").header("x-selfsame-page", "1"),
        |ask, _| ask.header("sec-fetch-site", "same-origin"),
        |ask, _| ask.header("x-selfsame-page", "1").header("sec-fetch-site", "same-site"),
    ];
    for change in foreign {
        let reply = write(change);
        assert_eq!(reply.status, 403, "{reply:?}");
        assert!(["foreign_page", "foreign_origin"].contains(&reply.code().as_str()), "{reply:?}");
    }
    assert_eq!(house.memories(), 0);
    let own = write(|ask, house| ask.header("origin", &format!("http://{}", house.address())));
    assert_eq!(own.status, 200, "{own:?}");
    assert_eq!(house.memories(), 1);
    // Reading is refused too: what such a page cannot read it could still have counted.
    let read =
        house.stranger("GET", AGENTS).header("cookie", &cookie).header("sec-fetch-site", "same-site").send();
    assert_eq!((read.status, read.code().as_str()), (403, "foreign_page"));
    // Nor can it come in, or throw anybody out.
    let code = house.backend().dashboard_code().unwrap().code;
    let entering = house.stranger("POST", SESSION).header("origin", "http://localhost:3000");
    let entering = entering.json(&json!({ "code": code })).send();
    assert_eq!((entering.status, entering.code().as_str()), (403, "foreign_page"));
    let leaving =
        house.stranger("DELETE", SESSION).header("cookie", &cookie).header("origin", "http://localhost:3000");
    assert_eq!(leaving.send().status, 403);
    assert_eq!(from_page(&house, "GET", AGENTS).header("cookie", &cookie).send().status, 200);
}

#[test]
fn a_visit_ends_when_its_visitor_leaves_or_the_owner_closes_it() {
    let house = House::open();
    let (one, other) = (visitor(&house), visitor(&house));
    let sees = |cookie: &str| from_page(&house, "GET", AGENTS).header("cookie", cookie).send().status;
    let left = from_page(&house, "DELETE", SESSION).header("cookie", &one).send();
    assert_eq!(left.status, 200);
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"), "{left:?}");
    assert_eq!((sees(&one), sees(&other)), (401, 200));
    let waiting = house.backend().dashboard_code().unwrap().code;
    assert_eq!(house.backend().close_dashboard().unwrap(), 1);
    assert_eq!(sees(&other), 401);
    assert_eq!(enter(&house, &waiting).status, 401, "a code that waited is worth nothing either");
}

#[test]
fn codes_are_for_the_owner_alone() {
    let house = House::open();
    for path in ["/dashboard/code", "/dashboard/close"] {
        let reply = house.ask("POST", path).send();
        assert_eq!((reply.status, reply.code().as_str()), (404, "no_such_route"), "{path}");
    }
    for body in ["", "{}", "[]", r#"{"code":1}"#, r#"{"code":"A","more":1}"#] {
        let reply = from_page(&house, "POST", SESSION).body("application/json", body.as_bytes()).send();
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{body}");
    }
}

#[test]
fn without_a_daemon_it_is_said_how_to_start_one() {
    let folder = tempfile::tempdir().unwrap();
    let home = home_in(&folder, |_| {});
    home.make_folder().unwrap();
    let failure = Backend::for_owner(home).dashboard_code().unwrap_err();
    assert_eq!((failure.status, failure.code.as_str()), (503, "no_daemon"));
    assert!(failure.detail.contains("selfsame serve"), "{failure}");
}

#[test]
fn a_code_lives_five_minutes_and_guessing_ends_after_ten_tries() {
    let sessions = Sessions::default();
    let start = Instant::now();
    let at = |seconds: u64| start + Duration::from_secs(seconds);
    assert_eq!(CODE_LIFE, Duration::from_secs(300));
    let (late, in_time) = (sessions.code(at(0)).unwrap(), sessions.code(at(1)).unwrap());
    assert_eq!(sessions.enter(&late, at(300)).unwrap_err().code, "code_refused");
    let token = sessions.enter(&in_time, at(300)).unwrap();
    assert!(sessions.is_open(&token, at(300)));
    let fresh = sessions.code(at(301)).unwrap();
    for _ in 0..9 {
        assert_eq!(sessions.enter("AAAA-AAAA", at(302)).unwrap_err().status, 401);
    }
    let refused = sessions.enter(&fresh, at(303)).unwrap_err();
    assert_eq!((refused.status, refused.code.as_str()), (429, "too_many_tries"));
    assert!(refused.retry_after().is_some());
    assert!(sessions.enter(&fresh, at(363)).is_ok(), "a minute later it is good again");
}

#[test]
fn a_visit_that_nobody_uses_ends_and_none_is_for_ever() {
    let sessions = Sessions::default();
    let start = Instant::now();
    let at = |hours: u64| start + Duration::from_secs(hours * 3600);
    let visit = || sessions.enter(&sessions.code(start).unwrap(), start).unwrap();
    let (idle, used) = (visit(), visit());
    for hour in (6..168).step_by(6) {
        assert!(sessions.is_open(&used, at(hour)), "{hour}");
    }
    assert!(!sessions.is_open(&used, at(168)));
    assert!(!sessions.is_open(&idle, at(12)));
    // Old codes make room for new ones, so that there is never a heap of them.
    let codes: Vec<String> = (0..5).map(|_| sessions.code(start).unwrap()).collect();
    assert!(sessions.enter(&codes[0], start).is_err());
    assert!(sessions.enter(&codes[4], start).is_ok());
}

#[test]
fn its_files_are_for_everybody_and_a_browser_is_told_to_run_nothing_else() {
    let house = House::open();
    let root = house.stranger("GET", "/").send();
    assert_eq!((root.status, root.header("location")), (303, Some("/dashboard")));
    for (name, kind, text) in dashboard::FILES {
        let path = if *name == "index.html" { "/dashboard".to_owned() } else { format!("/dashboard/{name}") };
        let reply = house.stranger("GET", &path).send();
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(*kind)), "{path}");
        assert_eq!(reply.text, *text, "{path}");
        let policy = reply.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self';",
            "style-src 'self';",
            "trusted-types 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let tag = reply.header("etag").unwrap().to_owned();
        let known = house.stranger("GET", &path).header("if-none-match", &tag).send();
        assert_eq!((known.status, known.text.as_str()), (304, ""), "{path}");
    }
    let missing = house.stranger("GET", "/dashboard/rooms/../../Cargo.toml").send();
    assert_eq!((missing.status, missing.code().as_str()), (404, "no_such_route"));
}

/// What is stored can be anything: it is shown as text, or not at all.
#[test]
fn nothing_in_the_files_makes_markup_of_text_or_loads_from_elsewhere() {
    const MARKUP: &[&str] = &[
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "srcdoc",
        "DOMParser",
        "createContextualFragment",
        "setHTML",
        "javascript:",
    ];
    for (name, _, text) in dashboard::FILES {
        for forbidden in MARKUP {
            assert!(!text.contains(forbidden), "{name} has {forbidden}");
        }
        let elsewhere = text.match_indices("//").filter(|(at, _)| {
            let before = &text[..*at];
            before.ends_with("http:") || before.ends_with("https:")
        });
        for (at, _) in elsewhere {
            let address =
                &text[at..text[at..].find(['"', '\'', ' ', '>']).map_or(text.len(), |end| at + end)];
            assert_eq!(
                address, "//www.w3.org/2000/svg",
                "{name}: the name of SVG, which nobody loads, and no other"
            );
        }
        assert!(!text.contains(" style=\"") && !text.contains("onclick=\""), "{name}");
    }
}

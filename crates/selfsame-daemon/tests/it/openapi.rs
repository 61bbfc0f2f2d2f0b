//! The document of the HTTP door: whole, sound, for everybody, and nothing in it comes from elsewhere.

use crate::house::House;
use selfsame_daemon::operations::TABLE;
use serde_json::Value;
use std::collections::BTreeSet;

fn document(house: &House) -> Value {
    let reply = house.stranger("GET", "/openapi.json").send();
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    reply.json()
}

/// Every place in the document that leads to another.
fn references<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(list) => list.iter().for_each(|one| references(one, found)),
        _ => {}
    }
}

#[test]
fn every_operation_is_in_the_document_once_and_as_it_is_asked() {
    let house = House::open();
    let document = document(&house);
    let mut told = 0;
    for entry in TABLE {
        let operation = &document["paths"][entry.route.path][entry.route.method.as_str().to_lowercase()];
        assert_eq!(operation["operationId"], entry.name, "{}", entry.route.path);
        assert_eq!(operation["summary"], entry.summary);
        let parameters = operation["parameters"].as_array().unwrap();
        let is_named = |name: &str| {
            let reference = format!("#/components/parameters/{name}");
            parameters
                .iter()
                .any(|one| one["name"] == name && one["in"] == "path" || one["$ref"] == reference)
        };
        for name in entry.route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
            assert!(is_named(name), "{}: {name}", entry.name);
            assert!(
                operation["requestBody"]
                    .pointer(&format!("/content/application~1json/schema/properties/{name}"))
                    .is_none()
            );
        }
        // What is asked is in the query or in the body, and never in both.
        let in_query = parameters.iter().filter(|one| one["in"] == "query").count();
        let is_post = entry.route.method.as_str() == "POST";
        assert_eq!(operation.get("requestBody").is_some(), is_post, "{}", entry.name);
        assert!(!is_post || in_query == 0, "{}", entry.name);
        told += 1;
    }
    let methods = document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len());
    assert_eq!(methods.sum::<usize>(), told, "and nothing else is");
}

#[test]
fn what_the_document_refers_to_is_in_it() {
    let house = House::open();
    let document = document(&house);
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.contains("#/components/responses/problem"), "{found:?}");
    for reference in found {
        let place = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} is elsewhere"));
        assert!(document.pointer(place).is_some(), "{reference}");
    }
    assert_eq!(document["security"], serde_json::json!([{ "key": [] }]));
    assert_eq!(document["components"]["securitySchemes"]["key"]["scheme"], "bearer");
}

#[test]
fn the_page_is_for_everybody_and_loads_nothing_from_elsewhere() {
    let house = House::open();
    for (path, kind) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/page.js", "text/javascript; charset=utf-8"),
        ("/docs/page.css", "text/css; charset=utf-8"),
    ] {
        let reply = house.stranger("GET", path).send();
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(kind)), "{path}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        let text = &reply.text;
        for elsewhere in ["http://", "https://", "//cdn", "innerHTML", "eval("] {
            assert!(!text.contains(elsewhere), "{path} has {elsewhere}");
        }
    }
    let foreign =
        house.stranger("GET", "/openapi.json").without("host").header("host", "evil.example").send();
    assert_eq!(foreign.code(), "foreign_host");
}

//! From path, query and body to one request object.

use super::{PROBLEM, Shared};
use crate::failure::Failure;
use crate::operations::{Entry, Method};
use crate::strict_json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value};

/// Everything that was said, as one object: the names in the path, the query of a GET or DELETE, the body of a POST.
pub(super) fn request(
    entry: &Entry,
    params: &[(String, String)],
    query: Option<&str>,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Value, Failure> {
    let mut object = match entry.route.method {
        Method::Post => posted(headers, body)?,
        Method::Get | Method::Delete => queried(entry, query)?,
    };
    if entry.route.method == Method::Post && query.is_some_and(|query| !query.is_empty()) {
        return Err(Failure::bad_request(
            "unexpected_query",
            "this address takes its fields in the body, not the query",
        ));
    }
    for (name, value) in params.iter().filter(|(name, _)| name != "agent") {
        object.insert(name.clone(), value.as_str().into());
    }
    Ok(object.into())
}

fn posted(headers: &HeaderMap, body: &Bytes) -> Result<Map<String, Value>, Failure> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    let content_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // Anything else is what a web page can send without asking first.
    if content_type.split(';').next().map(str::trim) != Some("application/json") {
        return Err(Failure::new(415, "not_json", "send the body with Content-Type: application/json"));
    }
    match strict_json::parse(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::bad_request("bad_json", "the body must be a JSON object")),
        Err(error) => Err(Failure::bad_request("bad_json", format!("the body is not valid JSON: {error}"))),
    }
}

fn queried(entry: &Entry, query: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let mut object = Map::new();
    let schema = entry.request_schema();
    for (name, value) in pairs_of(query.unwrap_or_default())? {
        let value = typed(schema.pointer(&format!("/properties/{name}/type")), value);
        if object.insert(name.clone(), value).is_some() {
            return Err(Failure::bad_request("bad_query", format!("{name:?} is given twice")));
        }
    }
    Ok(object)
}

/// The names and values of a query, in their order.
pub(super) fn pairs_of(query: &str) -> Result<Vec<(String, String)>, Failure> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let decoded = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((percent_decoded(name)?, percent_decoded(value)?))
    });
    decoded.collect()
}

/// A query has only text; the schema says what it is meant to be. What does not fit stays text and is refused later.
fn typed(expected: Option<&Value>, text: String) -> Value {
    let expects = |kind: &str| match expected {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(some)) => some.iter().any(|one| one == kind),
        _ => false,
    };
    let parsed = serde_json::from_str::<Value>(&text).ok();
    match parsed {
        Some(number @ Value::Number(_)) if expects("integer") || expects("number") => number,
        Some(yes @ Value::Bool(_)) if expects("boolean") => yes,
        _ => text.into(),
    }
}

fn percent_decoded(text: &str) -> Result<String, Failure> {
    let bad = || Failure::bad_request("bad_query", "the query is not properly percent-encoded UTF-8");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().ok_or_else(bad)?, rest.next().ok_or_else(bad)?];
                let digits = std::str::from_utf8(&digits).map_err(|_| bad())?;
                u8::from_str_radix(digits, 16).map_err(|_| bad())?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

/// What the framework refuses by itself, it refuses in its own words; ours have a code and name the fix.
pub(super) async fn explain_refusal(State(shared): State<Shared>, response: Response) -> Response {
    let status = response.status();
    let ours = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == PROBLEM);
    if ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    shared.refuse(match status {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Failure::new(413, "body_too_large", "the body is larger than server.max_body_bytes allows")
        }
        _ => Failure::new(
            status.as_u16(),
            "bad_request",
            "the request cannot be read: check that its path is UTF-8 and its body is sent in full",
        ),
    })
}

//! What the HTTP door can do, as OpenAPI 3.1, and a page that shows it. Both are made from the table of operations, tell
//! nothing of anybody's mind, and load nothing from elsewhere.

use super::{Shared, fixed};
use crate::failure::Problem;
use crate::operations::{Entry, Method, TABLE, schema};
use axum::Router;
use axum::routing::get;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

const PAGE: &str = include_str!("openapi/page.html");
const SCRIPT: &str = include_str!("openapi/page.js");
const STYLE: &str = include_str!("openapi/page.css");

/// Made once: the table does not change while a program runs.
static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());

/// The document and the page.
pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/openapi.json", get(async || fixed("application/json", DOCUMENT.as_str())))
        .route("/docs", get(async || fixed("text/html; charset=utf-8", PAGE)))
        .route("/docs/page.js", get(async || fixed("text/javascript; charset=utf-8", SCRIPT)))
        .route("/docs/page.css", get(async || fixed("text/css; charset=utf-8", STYLE)))
}

/// The whole of it.
pub fn document() -> Value {
    let mut paths = Map::new();
    for entry in TABLE {
        let path = paths.entry(entry.route.path).or_insert_with(|| json!({}));
        path[entry.route.method.as_str().to_lowercase()] = operation(entry);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Selfsame",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The inner life of an agent. Every operation needs a key, except health and this document.",
        },
        "servers": [{ "url": "/" }],
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key as `selfsame key create` shows it once: ssk_...",
                },
            },
            "parameters": {
                "agent": {
                    "name": "agent",
                    "in": "path",
                    "required": true,
                    "description": "An agent by its name or its id.",
                    "schema": { "type": "string" },
                },
                "idempotency": {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "required": false,
                    "description": "A word of yours for this request. Repeated with the same words it is done once, and \
                                    answered as the first time.",
                    "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
                },
            },
            "responses": {
                "problem": {
                    "description": "Not done. `code` is for programs, `detail` names the fix (RFC 9457).",
                    "content": { "application/problem+json": { "schema": Value::from(schema::<Problem>()) } },
                },
            },
        },
    })
}

fn operation(entry: &Entry) -> Value {
    let reply = Value::from(entry.reply_schema());
    let named = names_in_path(entry);
    let request = without(Value::from(entry.request_schema()), &named);
    let mut parameters = path_parameters(entry, &named);
    let mut operation = json!({
        "operationId": entry.name,
        "summary": entry.summary,
        "tags": [tag(entry.route.path)],
        "x-scope": entry.scope.as_str(),
        "responses": {
            "200": { "description": "Done.", "content": { "application/json": { "schema": reply } } },
            "default": { "$ref": "#/components/responses/problem" },
        },
    });
    match entry.route.method {
        Method::Post => {
            parameters.push(json!({ "$ref": "#/components/parameters/idempotency" }));
            let is_required = request["required"].as_array().is_some_and(|names| !names.is_empty());
            operation["requestBody"] =
                json!({ "required": is_required, "content": { "application/json": { "schema": request } } });
        }
        Method::Get | Method::Delete => parameters.extend(query_parameters(&request)),
    }
    operation["parameters"] = parameters.into();
    operation
}

/// What a path is about: the noun after the agent, or the first one.
fn tag(path: &str) -> &str {
    let nouns = path.trim_start_matches("/v1/").split('/').filter(|part| !part.starts_with('{'));
    let nouns: Vec<&str> = nouns.collect();
    match nouns[..] {
        ["agents", noun, ..] | [noun, ..] => noun,
        [] => path,
    }
}

fn names_in_path(entry: &Entry) -> Vec<&'static str> {
    let parts = entry.route.path.split('/');
    parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}

fn path_parameters(entry: &Entry, named: &[&str]) -> Vec<Value> {
    let request = Value::from(entry.request_schema());
    let parameter = |name: &&str| match *name {
        "agent" => json!({ "$ref": "#/components/parameters/agent" }),
        name => {
            let schema =
                request["properties"].get(name).cloned().unwrap_or_else(|| json!({ "type": "string" }));
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        }
    };
    named.iter().map(parameter).collect()
}

fn query_parameters(request: &Value) -> Vec<Value> {
    let required = request["required"].as_array().cloned().unwrap_or_default();
    let properties = request["properties"].as_object().into_iter().flatten();
    let parameter = |(name, schema): (&String, &Value)| {
        let is_required = required.iter().any(|one| one == name);
        json!({ "name": name, "in": "query", "required": is_required, "schema": schema })
    };
    properties.map(parameter).collect()
}

/// A request's schema without what stands in the path.
fn without(mut schema: Value, named: &[&str]) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !named.contains(&name.as_str()));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !name.as_str().is_some_and(|name| named.contains(&name)));
    }
    schema
}

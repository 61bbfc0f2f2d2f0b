//! MCP over HTTP, at `/mcp`: the same tools as over standard input, for whoever has a key. It keeps no sessions: each request
//! shows its key and says all that is to be known, so there is no handle that could be stolen, and any daemon can answer.

use super::{Shared, body, guard};
use crate::failure::Failure;
use crate::mcp::{Door, Visitor};
use crate::operations::Profile;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

pub(super) fn routes(shared: &Shared) -> Router<Shared> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(shared.common.max_body_bytes)
        // Hosts and origins are judged for all routes in one place.
        .disable_allowed_hosts();
    let pool = Arc::clone(&shared.common.pool);
    let door = move || Ok(Door::of_house(Arc::clone(&pool)));
    let service = StreamableHttpService::new(door, Arc::new(NeverSessionManager::default()), config);
    Router::new().route_service("/mcp", service).layer(from_fn_with_state(shared.clone(), admit))
}

/// Who has no key learns nothing, not even which tools there are.
async fn admit(State(shared): State<Shared>, mut request: Request, next: Next) -> Response {
    let (headers, query) = (request.headers().clone(), request.uri().query().unwrap_or_default().to_owned());
    match visitor(&shared, &headers, &query).await {
        Ok(visitor) => {
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
        Err(failure) => shared.refuse(failure),
    }
}

async fn visitor(shared: &Shared, headers: &HeaderMap, query: &str) -> Result<Visitor, Failure> {
    let credentials = guard::admit(shared, headers)?;
    let (guest, usual) = shared
        .common
        .pool
        .run(move |mind| Ok((credentials.guest(mind)?, mind.settings().agent.name.clone())))
        .await?;
    // Only now: a stranger does not hear what is wrong with the rest.
    let Wanted { agent, profile } = Wanted::read(query)?;
    let agent = agent.or_else(|| guest.own_agent()).unwrap_or(usual);
    Ok(Visitor { guest, agent, profile })
}

/// What an address says: `/mcp?agent=wren&profile=mind`.
struct Wanted {
    agent: Option<String>,
    profile: Profile,
}

impl Wanted {
    fn read(query: &str) -> Result<Wanted, Failure> {
        let mut wanted = Wanted { agent: None, profile: Profile::Core };
        for (name, value) in body::pairs_of(query)? {
            match (name.as_str(), value.as_str()) {
                ("agent", _) => wanted.agent = Some(value),
                ("profile", "core") => wanted.profile = Profile::Core,
                ("profile", "mind") => wanted.profile = Profile::Mind,
                _ => {
                    let told = "this address takes agent=<name> and profile=core or profile=mind";
                    return Err(Failure::bad_request("bad_query", told));
                }
            }
        }
        Ok(wanted)
    }
}

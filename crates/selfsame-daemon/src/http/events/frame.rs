//! What is sent, as JSON text.

use crate::failure::Failure;
use crate::operations::event::EventView;
use axum::extract::ws::Utf8Bytes;
use selfsame::events::{Presence, Told};
use selfsame::id::AgentId;
use selfsame::trust::Caller;
use selfsame::{Mind, Speaker};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// One event, written once for all who watch.
pub(super) struct Frame {
    pub(super) seq: i64,
    plain: Utf8Bytes,
    /// The same with how the agent felt, for those who may see it.
    felt: Option<(Presence, Utf8Bytes)>,
}

impl Frame {
    fn of(told: Told) -> Frame {
        let seq = told.event.seq;
        let view = EventView::of(told.event, told.subject);
        let written = |detail: Option<&Presence>| {
            let event = EventFrame { kind: "event", event: &view, detail: detail.map(detailed) };
            Utf8Bytes::from(serde_json::to_string(&event).unwrap_or_default())
        };
        let plain = written(None);
        let felt = told.presence.map(|presence| {
            let text = written(Some(&presence));
            (presence, text)
        });
        Frame { seq, plain, felt }
    }

    /// As a caller may see it.
    pub(super) fn text(&self, caller: &Caller) -> Utf8Bytes {
        match &self.felt {
            Some((presence, text)) if presence.is_visible_to(caller) => text.clone(),
            _ => self.plain.clone(),
        }
    }

    /// Bytes that it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.plain.len() + self.felt.as_ref().map_or(0, |(_, text)| text.len())
    }
}

#[derive(Serialize)]
struct EventFrame<'e> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    event: &'e EventView,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Value>,
}

fn detailed(presence: &Presence) -> Value {
    let links = presence.identity_links.iter();
    json!({
        "mood": presence.mood,
        "energy": presence.energy,
        "valence": presence.valence,
        "arousal": presence.arousal,
        "identity_links": links.map(|link| json!({ "name": link.name, "strength": link.strength })).collect::<Value>(),
    })
}

/// The events of an agent after a number, ready to be sent, and the number of the last there is.
pub(super) fn frames(
    mind: &Mind,
    agent: AgentId,
    after: i64,
    limit: usize,
) -> Result<(Vec<Arc<Frame>>, i64), Failure> {
    let (told, head) = mind.access(&agent.to_string(), Speaker::Operator)?.told(after, limit)?;
    Ok((told.into_iter().map(|told| Arc::new(Frame::of(told))).collect(), head))
}

/// The first that is sent: how far the log goes.
pub(super) fn hello(head: i64) -> Utf8Bytes {
    json!({ "type": "hello", "head": head }).to_string().into()
}

/// The last that is sent to whoever cannot be told everything here: they have it up to `after`.
pub(super) fn resync(after: i64) -> Utf8Bytes {
    json!({ "type": "resync", "after": after }).to_string().into()
}

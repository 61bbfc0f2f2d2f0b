//! What a client may read by address, without a tool: each is the answer of an operation, in words.

use super::{Door, invalid};
use crate::operations::{Answer, Entry};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// Something to read.
struct Readable {
    /// Where it is; a name in braces is a field of what is asked.
    uri: &'static str,
    name: &'static str,
    about: &'static str,
    /// Whose answer it is.
    operation: &'static str,
}

const READABLE: [Readable; 3] = [
    Readable {
        uri: "selfsame://context",
        name: "context",
        about: "What to have in mind now: soul, beliefs, lessons, memories, people, to-dos, what is due.",
        operation: "context",
    },
    Readable {
        uri: "selfsame://soul",
        name: "soul",
        about: "Who the agent is: its beliefs, values, fears and convictions.",
        operation: "soul",
    },
    Readable {
        uri: "selfsame://diary/{date}",
        name: "diary",
        about: "The diary of a day: YYYY-MM-DD in the agent's zone, today or yesterday.",
        operation: "show_diary_entries_from_day",
    },
];

/// All text is data that somebody said, and is shown as it is.
const PLAIN: &str = "text/plain";

/// Those with an address of their own.
pub(super) fn resources() -> Vec<Resource> {
    let fixed = READABLE.iter().filter(|one| one.field().is_none());
    fixed
        .map(|one| Resource::new(one.uri, one.name).with_description(one.about).with_mime_type(PLAIN))
        .collect()
}

/// Those whose address has something to fill in.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let open = READABLE.iter().filter(|one| one.field().is_some());
    let template = |one: &Readable| {
        ResourceTemplate::new(one.uri, one.name).with_description(one.about).with_mime_type(PLAIN)
    };
    open.map(template).collect()
}

impl Door {
    /// Reads what is at an address.
    pub(super) async fn read(
        &self,
        context: &RequestContext<RoleServer>,
        uri: &str,
    ) -> Result<ResourceContents, ErrorData> {
        let found = READABLE.iter().find_map(|one| Some((one, one.asked_by(uri)?)));
        let found = found.and_then(|(one, request)| Some((Entry::find(one.operation)?, request)));
        let Some((entry, request)) = found else {
            let known: Vec<&str> = READABLE.iter().map(|one| one.uri).collect();
            let told = format!("there is nothing at this address; there is {}", known.join(", "));
            return Err(ErrorData::resource_not_found(told, None));
        };
        let Answer { text, .. } =
            self.ask(context, entry, request).await.map_err(|failure| invalid(&failure))?;
        Ok(ResourceContents::text(text, uri).with_mime_type(PLAIN))
    }
}

impl Readable {
    /// The name that is to be filled in.
    fn field(&self) -> Option<&'static str> {
        self.uri.split_once('{')?.1.strip_suffix('}')
    }

    /// What is asked of the operation by an address of this sort.
    fn asked_by(&self, uri: &str) -> Option<Value> {
        let Some(field) = self.field() else {
            return (uri == self.uri).then(|| json!({}));
        };
        let (before, _) = self.uri.split_once('{')?;
        let given = uri.strip_prefix(before).filter(|given| !given.is_empty())?;
        Some(json!({ field: given }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_leads_to_an_operation_that_only_reads() {
        for one in &READABLE {
            let entry = Entry::find(one.operation).unwrap_or_else(|| panic!("{}", one.operation));
            assert!(entry.tool.is_some_and(|tool| tool.read_only), "{}", one.uri);
        }
        let asked = |uri: &str| READABLE.iter().find_map(|one| one.asked_by(uri));
        assert_eq!(asked("selfsame://soul"), Some(json!({})));
        assert_eq!(asked("selfsame://diary/2026-11-16"), Some(json!({ "date": "2026-11-16" })));
        for nowhere in ["selfsame://diary/", "selfsame://souls", "selfsame://", "file:///etc/passwd", ""] {
            assert_eq!(asked(nowhere), None, "{nowhere}");
        }
    }
}

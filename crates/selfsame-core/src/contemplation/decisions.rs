//! What a thinker decided about the inbox: ids and verdicts out of `[INBOX_JSON]`, and nothing else.

use super::lenient::Read;
use super::reply::{blocks, untagged, without_thinking};
use crate::inbox::Verdict;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a reason that are kept.
pub const MAX_REASON_BYTES: usize = 500;

/// Letters of an id, or of what stands for one, that are kept of what was dropped.
const SHOWN: usize = 60;

/// One decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxVerdict {
    /// The candidate, as it was named.
    pub id: String,
    /// What is to become of it.
    pub verdict: Verdict,
    /// The memory that says it already.
    pub into: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// All decisions of a reply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InboxVerdicts {
    /// Each candidate once, in the order of the ids.
    pub decisions: Vec<InboxVerdict>,
    /// What was not taken, and why, each in a few words.
    pub dropped: Vec<String>,
}

impl InboxVerdicts {
    /// What a reply decides: in one or several blocks; without any, as one list that is all of the reply.
    pub fn read(reply: &str) -> InboxVerdicts {
        let mut found = blocks(reply, "INBOX");
        if found.is_empty() {
            let has_list = |value: &Value| LISTS.iter().any(|name| value.get(name).is_some());
            let is_one = |value: &Value| value.get("id").is_some() && value.get("decision").is_some();
            found = untagged(&without_thinking(reply), |value| has_list(value) || is_one(value));
        }
        let mut sorted = Sorted::default();
        found.into_iter().for_each(|Read { value, .. }| sorted.take(value));
        InboxVerdicts { decisions: sorted.decisions.into_values().collect(), dropped: sorted.dropped }
    }

    /// Only what was asked about: whoever names another candidate has made it up, or was told to by what it read.
    #[must_use]
    pub fn among(self, allowed: &BTreeSet<String>) -> InboxVerdicts {
        let InboxVerdicts { decisions, mut dropped } = self;
        let (asked, others): (Vec<_>, Vec<_>) =
            decisions.into_iter().partition(|decision| allowed.contains(&decision.id));
        dropped.extend(others.iter().map(|other| told("not asked about", &other.id)));
        InboxVerdicts { decisions: asked, dropped }
    }
}

/// Under which names a list of decisions may stand.
const LISTS: &[&str] = &["decisions", "candidates", "inbox", "reviews", "results"];

#[derive(Default)]
struct Sorted {
    decisions: BTreeMap<String, InboxVerdict>,
    dropped: Vec<String>,
}

impl Sorted {
    fn take(&mut self, value: Value) {
        match value {
            Value::Array(items) => items.into_iter().for_each(|item| self.take_item(&item)),
            Value::Object(mut object) => match LISTS.iter().find_map(|name| object.remove(*name)) {
                Some(inner) => self.take(inner),
                None if object.contains_key("id") => self.take_item(&Value::Object(object)),
                None => object.iter().for_each(|(id, verdict)| self.take_pair(id, verdict)),
            },
            _ => self.dropped.push("no list of decisions".to_owned()),
        }
    }

    fn take_item(&mut self, item: &Value) {
        let id = item.as_object().and_then(|object| text(object, &["id", "candidate", "candidate_id"]));
        match (id, item.as_object()) {
            (Some(id), Some(object)) => self.decide(id, object),
            _ => self.dropped.push("a decision without an id".to_owned()),
        }
    }

    /// `"can_...": "promote"`, or with an object behind it.
    fn take_pair(&mut self, id: &str, verdict: &Value) {
        let object = verdict.as_object().cloned();
        let object = object.unwrap_or_else(|| Map::from_iter([("decision".to_owned(), verdict.clone())]));
        self.decide(id.to_owned(), &object);
    }

    fn decide(&mut self, id: String, object: &Map<String, Value>) {
        let word = text(object, &["decision", "verdict", "action", "status"]).unwrap_or_default();
        let Some(verdict) = verdict(&word) else {
            self.dropped.push(told("no known decision", &id));
            return;
        };
        let reason = text(object, &["reason", "why", "because"]);
        let reason = reason.map(|reason| reason[..reason.floor_char_boundary(MAX_REASON_BYTES)].to_owned());
        let into = text(object, &["into", "merge_into", "memory", "target"]);
        if self.decisions.contains_key(&id) {
            self.dropped.push(told("decided twice, the last counts", &id));
        }
        self.decisions.insert(id.clone(), InboxVerdict { id, verdict, into, reason });
    }
}

/// The first of these that says anything.
fn text(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let found = names.iter().filter_map(|name| object.get(*name).and_then(Value::as_str));
    found.map(|text| text.replace('\0', "").trim().to_owned()).find(|text| !text.is_empty())
}

fn verdict(word: &str) -> Option<Verdict> {
    let word = word.to_lowercase();
    match word.as_str() {
        "promoted" | "approve" | "approved" | "accept" | "keep" | "remember" => Some(Verdict::Promote),
        "merged" | "duplicate" => Some(Verdict::Merge),
        "rejected" | "discard" | "discarded" | "drop" | "dismiss" | "forget" => Some(Verdict::Reject),
        _ => Verdict::parse(&word).ok(),
    }
}

fn told(what: &str, id: &str) -> String {
    let id: String = id.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    format!("{what}: {id}")
}

//! From a thinker's reply to an account: lenient in form, strict in meaning, and never an error.
//!
//! Three ways out: the block was as it was asked for; it had to be put right, and what was done is listed; or there was
//! none, and the reply becomes an episode that says no more than that somebody thought. [`Account::to_json`] between the
//! tags is read back as the very same account.

use super::episode::{Account, Captured, Energy, EpisodeKind, IdentityLink, Mood, Outcome, Parse};
use super::lenient::{Read, Repairs};
use super::reply::{before_blocks, blocks, untagged, without_thinking};
use crate::json::{canonical, storable};
use crate::sentence::sentences;
use crate::text::check_text;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Bytes in one text of an account, at most.
pub const MAX_TEXT_BYTES: usize = 4 * 1024;
/// Bytes in a name: a mood, a tool, what an identity link is about.
pub const MAX_NAME_BYTES: usize = 128;
/// Entries in a list, at most.
pub const MAX_ITEMS: usize = 50;
/// Bytes of what was said under names that nobody asked for, in all.
pub const MAX_OTHER_BYTES: usize = 16 * 1024;
/// How deep that may be nested.
pub const MAX_OTHER_DEPTH: usize = 8;
/// Bytes of a reply without an episode that become its summary.
pub const MAX_SUMMARY_BYTES: usize = 400;

/// The tag's first word.
const TAG: &str = "EPISODE";

/// How much an identity link counts that says nothing of its strength.
const USUAL_STRENGTH: f64 = 0.5;

/// Every name that an account has.
const FIELDS: &[&str] = &[
    "type",
    "trigger",
    "observations",
    "actions_taken",
    "tools_used",
    "outcome",
    "success",
    "mood",
    "valence",
    "arousal",
    "identity_links",
    "intent",
    "unexpected",
    "uncertainty",
    "reflection",
    "lesson",
    "pattern_hint",
    "lessons_applied",
];

/// What a reply says of the time it took. `trigger` is what began it, if the reply does not say. The reply itself is
/// kept by the caller, whole.
pub fn capture(reply: &str, trigger: &str) -> Captured {
    let tagged = blocks(reply, TAG);
    let several = tagged.len() > 1;
    let had_block = !tagged.is_empty();
    let read = tagged.into_iter().rev().find_map(|block| account(block, trigger));
    if let Some((account, mut repairs)) = read {
        if several {
            repairs.note("the last valid one of several blocks taken");
        }
        return captured(account, repairs);
    }
    let spoken = without_thinking(reply).replace('\0', "");
    if !had_block && let Some((account, repairs)) = without_tags(&spoken, trigger) {
        return captured(account, repairs);
    }
    let why = match (had_block, is_blank(&spoken)) {
        (true, _) => "the block could not be read",
        (false, true) => "the reply was empty",
        (false, false) => "no block in the reply",
    };
    Captured { account: fallback(&spoken, trigger), parse: Parse::Fallback, repairs: vec![why.to_owned()] }
}

fn captured(account: Account, repairs: Repairs) -> Captured {
    let parse = if repairs.is_empty() { Parse::Tagged } else { Parse::Repaired };
    Captured { account, parse, repairs: repairs.into_list() }
}

/// An object that nobody can take for anything else, and only one.
fn without_tags(spoken: &str, trigger: &str) -> Option<(Account, Repairs)> {
    let is_obvious = |value: &Value| {
        let kind = value.get("type").and_then(Value::as_str).map(str::to_lowercase);
        kind.is_some_and(|kind| EpisodeKind::parse(&kind).is_ok()) || value.get("observations").is_some()
    };
    let mut found = untagged(spoken, is_obvious);
    let only = found.pop().filter(|_| found.is_empty())?;
    account(only, trigger)
}

/// The least that can be said of a reply that has no episode in it.
fn fallback(spoken: &str, trigger: &str) -> Account {
    let mut fields = Fields::default();
    let mut account = fields.account(trigger);
    let before = before_blocks(spoken, TAG);
    let words = if is_blank(before) { spoken } else { before };
    account.outcome.summary = first_sentences(words);
    account
}

/// As many whole sentences as there is room for; of the first at least its beginning.
fn first_sentences(text: &str) -> String {
    let mut summary = String::new();
    for sentence in sentences(text).into_iter().map(str::trim) {
        if summary.is_empty() {
            summary.push_str(&sentence[..sentence.floor_char_boundary(MAX_SUMMARY_BYTES)]);
        } else if summary.len() + 1 + sentence.len() <= MAX_SUMMARY_BYTES {
            summary.push(' ');
            summary.push_str(sentence);
        } else {
            break;
        }
    }
    if is_blank(&summary) { String::new() } else { summary }
}

/// The account in a block, if the block says anything that was asked for.
fn account(read: Read, trigger: &str) -> Option<(Account, Repairs)> {
    let mut fields = Fields { repairs: read.repairs, ..Fields::default() };
    let object = fields.opened(read.value)?;
    fields.sort(object);
    if fields.known.is_empty() {
        return None;
    }
    let account = fields.account(trigger);
    Some((account, fields.repairs))
}

/// A name as it is compared: `actionsTaken`, `Actions taken` and `actions_taken` are one.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn known_name(name: &str) -> Option<&'static str> {
    let name = folded(name);
    FIELDS.iter().copied().find(|field| folded(field) == name)
}

fn is_blank(text: &str) -> bool {
    check_text(text, usize::MAX).is_err()
}

/// The fields of a block on their way into an account.
#[derive(Default)]
struct Fields {
    known: BTreeMap<&'static str, Value>,
    other: Map<String, Value>,
    repairs: Repairs,
}

impl Fields {
    /// The object that a block is about: itself, the only one of a list, or the only one inside another.
    fn opened(&mut self, value: Value) -> Option<Map<String, Value>> {
        match value {
            Value::Array(mut items) => {
                let last = items.pop()?;
                self.repairs.note("a list around the episode opened");
                last.as_object().cloned()
            }
            Value::Object(object) => Some(self.unwrapped(object)),
            _ => None,
        }
    }

    fn unwrapped(&mut self, object: Map<String, Value>) -> Map<String, Value> {
        let inner = object.values().next().and_then(Value::as_object).cloned();
        let is_wrapper = object.len() == 1 && object.keys().all(|name| known_name(name).is_none());
        match inner.filter(|inner| is_wrapper && inner.keys().any(|name| known_name(name).is_some())) {
            Some(inner) => {
                self.repairs.note("an object around the episode opened");
                inner
            }
            None => object,
        }
    }

    /// Parts what was asked for from the rest. The exact name goes before others that mean it; nothing is no value.
    fn sort(&mut self, object: Map<String, Value>) {
        let (exact, others): (Vec<_>, Vec<_>) =
            object.into_iter().partition(|(name, _)| FIELDS.contains(&name.as_str()));
        for (name, value) in exact.into_iter().chain(others).filter(|(_, value)| !value.is_null()) {
            match known_name(&name) {
                Some(known) if self.known.contains_key(known) => {
                    self.repairs.note("a field that was there twice left out");
                }
                Some(known) => {
                    if known != name {
                        self.repairs.note("names of fields put right");
                    }
                    self.known.insert(known, value);
                }
                None => {
                    self.other.insert(name, value);
                }
            }
        }
    }

    fn account(&mut self, trigger: &str) -> Account {
        Account {
            kind: self.kind(),
            trigger: self.text("trigger").unwrap_or_else(|| shortened(trigger, MAX_TEXT_BYTES).to_owned()),
            observations: self.list("observations", MAX_TEXT_BYTES),
            actions_taken: self.list("actions_taken", MAX_TEXT_BYTES),
            tools_used: self.list("tools_used", MAX_NAME_BYTES),
            outcome: self.outcome(),
            success: self.success(),
            mood: self.mood(),
            valence: self.number("valence", -2.0, 2.0),
            arousal: self.number("arousal", 0.0, 1.0),
            identity_links: self.identity_links(),
            intent: self.text("intent"),
            unexpected: self.text("unexpected"),
            uncertainty: self.text("uncertainty"),
            reflection: self.text("reflection"),
            lesson: self.text("lesson"),
            pattern_hint: self.text("pattern_hint"),
            lessons_applied: self.list("lessons_applied", MAX_NAME_BYTES),
            other: self.others(),
        }
    }

    fn missing(&mut self, name: &str) {
        self.repairs.note(format!("{name} was missing"));
    }

    fn kind(&mut self) -> EpisodeKind {
        let Some(value) = self.known.remove("type") else {
            self.missing("type");
            return EpisodeKind::Contemplation;
        };
        let word = value.as_str().unwrap_or_default();
        if let Ok(kind) = EpisodeKind::parse(word) {
            return kind;
        }
        let kind = EpisodeKind::parse(&word.trim().to_lowercase());
        self.repairs.note(if kind.is_ok() { "type put right" } else { "type unknown: contemplation" });
        kind.unwrap_or(EpisodeKind::Contemplation)
    }

    fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.known.remove(name)?;
        self.words(value, MAX_TEXT_BYTES)
    }

    /// A text, whatever it was given as; none if there is nothing to see in it.
    fn words(&mut self, value: Value, max: usize) -> Option<String> {
        let text = match value {
            Value::String(text) => text,
            Value::Null => return None,
            Value::Array(items) => {
                self.repairs.note("a list where a text was expected joined");
                let items: Vec<String> = items.into_iter().filter_map(|item| self.words(item, max)).collect();
                items.join("; ")
            }
            Value::Object(object) => {
                self.repairs.note("an object where a text was expected");
                said_in(&object)
            }
            scalar => {
                self.repairs.note("a number or a word where a text was expected");
                scalar.to_string()
            }
        };
        self.bounded(&text, max)
    }

    fn bounded(&mut self, text: &str, max: usize) -> Option<String> {
        let clean = if text.contains('\0') {
            self.repairs.note("NUL characters removed");
            text.replace('\0', "")
        } else {
            text.to_owned()
        };
        let trimmed = clean.trim();
        let kept = shortened(trimmed, max);
        if kept.len() < trimmed.len() {
            self.repairs.note("cut: a text was too long");
        }
        (!is_blank(kept)).then(|| kept.to_owned())
    }

    fn list(&mut self, name: &'static str, max: usize) -> Vec<String> {
        let items = match self.known.remove(name) {
            None => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(single) => {
                self.repairs.note("a single entry made a list");
                vec![single]
            }
        };
        let items = self.few(items);
        items.into_iter().filter_map(|item| self.words(item, max)).collect()
    }

    /// At most as many as are kept.
    fn few(&mut self, mut items: Vec<Value>) -> Vec<Value> {
        if items.len() > MAX_ITEMS {
            self.repairs.note("cut: a list was too long");
            items.truncate(MAX_ITEMS);
        }
        items
    }

    fn outcome(&mut self) -> Outcome {
        match self.known.remove("outcome") {
            None => {
                self.missing("outcome");
                Outcome::default()
            }
            Some(Value::Object(mut object)) => {
                let mut part =
                    |name: &str| object.remove(name).and_then(|value| self.words(value, MAX_TEXT_BYTES));
                let (result, summary) = (part("result"), part("summary"));
                self.moved_out("outcome", object);
                Outcome { result: result.unwrap_or_default(), summary: summary.unwrap_or_default() }
            }
            Some(value) => {
                self.repairs.note("outcome given as a text");
                let summary = self.words(value, MAX_TEXT_BYTES).unwrap_or_default();
                Outcome { result: String::new(), summary }
            }
        }
    }

    /// What else stood inside a field is kept beside it.
    fn moved_out(&mut self, name: &str, rest: Map<String, Value>) {
        for (inner, value) in rest.into_iter().filter(|(_, value)| !value.is_null()) {
            self.repairs.note(format!("more fields in {name} kept beside it"));
            self.other.insert(format!("{name}.{inner}"), value);
        }
    }

    fn success(&mut self) -> bool {
        let Some(value) = self.known.remove("success") else {
            self.missing("success");
            return false;
        };
        if let Value::Bool(success) = value {
            return success;
        }
        let word = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_lowercase());
        let success = matches!(word.as_str(), "true" | "yes" | "1" | "1.0" | "y" | "success" | "successful");
        let failure = matches!(
            word.as_str(),
            "false" | "no" | "0" | "0.0" | "n" | "failure" | "failed" | "unsuccessful" | "partial"
        );
        let known = success || failure;
        self.repairs.note(if known {
            "success written otherwise"
        } else {
            "success could not be read: false"
        });
        success
    }

    fn mood(&mut self) -> Mood {
        let (state, energy) = match self.known.remove("mood") {
            None => {
                self.missing("mood");
                return Mood { state: "neutral".into(), energy: Energy::Medium };
            }
            Some(Value::Object(mut object)) => {
                let parts = (object.remove("state"), object.remove("energy"));
                self.moved_out("mood", object);
                parts
            }
            Some(value) => {
                self.repairs.note("mood given as a text");
                (Some(value), Some("medium".into()))
            }
        };
        let energy = self.energy(energy);
        let state = state.and_then(|state| self.words(state, MAX_NAME_BYTES)).unwrap_or_else(|| {
            self.missing("state of the mood");
            "neutral".into()
        });
        Mood { state, energy }
    }

    fn energy(&mut self, given: Option<Value>) -> Energy {
        let Some(given) = given else {
            self.missing("energy");
            return Energy::Medium;
        };
        if let Some(energy) = given.as_str().and_then(|word| Energy::parse(word).ok()) {
            return energy;
        }
        let energy = match &given {
            Value::String(word) => energy_word(&word.trim().to_lowercase()),
            value => value.as_f64().map(energy_of),
        };
        self.repairs.note(if energy.is_some() { "energy put right" } else { "energy unknown: medium" });
        energy.unwrap_or(Energy::Medium)
    }

    /// A number within its range.
    fn number(&mut self, name: &'static str, least: f64, most: f64) -> f64 {
        let Some(value) = self.known.remove(name) else {
            self.missing(name);
            return 0.0;
        };
        match self.as_number(&value) {
            Some(number) => self.clamped(name, number, least, most),
            None => {
                self.repairs.note(format!("{name} could not be read: 0"));
                0.0
            }
        }
    }

    fn as_number(&mut self, value: &Value) -> Option<f64> {
        let Value::String(text) = value else { return value.as_f64() };
        let number =
            text.trim().trim_start_matches('+').parse::<f64>().ok().filter(|number| number.is_finite())?;
        self.repairs.note("numbers written as text");
        Some(number)
    }

    fn clamped(&mut self, name: &str, number: f64, least: f64, most: f64) -> f64 {
        let clamped = number.clamp(least, most);
        if clamped != number {
            self.repairs.note(format!("{name} brought into its range"));
        }
        // -0.0 and 0.0 are one number in the database.
        clamped + 0.0
    }

    fn identity_links(&mut self) -> Vec<IdentityLink> {
        let items = match self.known.remove("identity_links") {
            None => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(Value::Object(object)) if !object.contains_key("name") => {
                self.repairs.note("identity links given as names with strengths");
                let link = |(name, strength)| serde_json::json!({ "name": name, "strength": strength });
                object.into_iter().map(link).collect()
            }
            Some(single) => {
                self.repairs.note("a single entry made a list");
                vec![single]
            }
        };
        let items = self.few(items);
        items.into_iter().filter_map(|item| self.identity_link(item)).collect()
    }

    fn identity_link(&mut self, item: Value) -> Option<IdentityLink> {
        let Value::Object(mut object) = item else {
            self.repairs.note("an identity link without strength");
            let name = self.words(item, MAX_NAME_BYTES)?;
            return Some(IdentityLink { name, strength: USUAL_STRENGTH });
        };
        let Some(name) = object.remove("name").and_then(|name| self.words(name, MAX_NAME_BYTES)) else {
            self.repairs.note("an identity link without a name left out");
            return None;
        };
        let strength = object.remove("strength").and_then(|strength| self.as_number(&strength));
        if strength.is_none() {
            self.repairs.note("an identity link without strength");
        }
        if !object.is_empty() {
            self.repairs.note("more fields in an identity link left out");
        }
        let strength = self.clamped("strength", strength.unwrap_or(USUAL_STRENGTH), 0.0, 1.0);
        Some(IdentityLink { name, strength })
    }

    /// What nobody asked for, as far as there is room, in the order of its names.
    fn others(&mut self) -> Map<String, Value> {
        let mut kept = Map::new();
        let mut left = MAX_OTHER_BYTES;
        for (name, value) in std::mem::take(&mut self.other) {
            let Some((name, value)) = self.other_field(&name, value) else { continue };
            let cost = name.len() + canonical(&value).len();
            if cost > left {
                self.repairs.note("cut: too much beside the fields");
                continue;
            }
            left -= cost;
            kept.insert(name, value);
        }
        kept
    }

    fn other_field(&mut self, name: &str, value: Value) -> Option<(String, Value)> {
        let name = self.bounded(name, MAX_NAME_BYTES)?;
        // A name that only now means a field would be taken for it when it is read again.
        if known_name(&name).is_some() {
            self.repairs.note("a field that was there twice left out");
            return None;
        }
        let value = self.bounded_value(value, MAX_OTHER_DEPTH);
        // As the database will give it back.
        let value = storable(&value).ok().and_then(|text| serde_json::from_str(&text).ok())?;
        Some((name, value))
    }

    /// Without NUL, and without what lies too deep.
    fn bounded_value(&mut self, value: Value, depth: usize) -> Value {
        match value {
            Value::String(text) if text.contains('\0') => {
                self.repairs.note("NUL characters removed");
                Value::from(text.replace('\0', ""))
            }
            Value::Array(_) | Value::Object(_) if depth == 0 => {
                self.repairs.note("cut: nested too deep");
                Value::Null
            }
            Value::Array(items) => {
                items.into_iter().map(|item| self.bounded_value(item, depth - 1)).collect()
            }
            Value::Object(object) => {
                let member = |(name, value): (String, Value)| {
                    (name.replace('\0', ""), self.bounded_value(value, depth - 1))
                };
                Value::Object(object.into_iter().map(member).collect())
            }
            scalar => scalar,
        }
    }
}

/// The words of an object that stands where a text was expected.
fn said_in(object: &Map<String, Value>) -> String {
    const NAMES: &[&str] = &["text", "content", "summary", "description", "observation", "action", "name"];
    let said = NAMES.iter().find_map(|name| object.get(*name).and_then(Value::as_str));
    said.map_or_else(|| canonical(&Value::Object(object.clone())), str::to_owned)
}

fn shortened(text: &str, max: usize) -> &str {
    text[..text.floor_char_boundary(max)].trim_end()
}

fn energy_word(word: &str) -> Option<Energy> {
    match word {
        "low" | "lo" | "weak" | "tired" | "calm" | "quiet" | "drained" | "very low" => Some(Energy::Low),
        "medium" | "med" | "mid" | "moderate" | "normal" | "steady" | "average" | "balanced" => {
            Some(Energy::Medium)
        }
        "high" | "hi" | "strong" | "energetic" | "energised" | "energized" | "intense" | "very high" => {
            Some(Energy::High)
        }
        _ => word.parse().ok().map(energy_of),
    }
}

/// A strength from 0 to 1 in a word.
fn energy_of(strength: f64) -> Energy {
    match strength {
        _ if strength < 1.0 / 3.0 => Energy::Low,
        _ if strength < 2.0 / 3.0 => Energy::Medium,
        _ => Energy::High,
    }
}

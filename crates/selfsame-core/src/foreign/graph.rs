//! Memories that other programs keep as such: entities with observations and relations, and plain sentences.

use super::{File, Found};
use crate::inbox::CandidateKind;
use serde_json::Value;

/// The reference memory server of MCP: a line for each entity and each relation.
pub(super) fn server_memory(file: &File, found: &mut Found) {
    for (number, line) in file.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{}, line {}", file.name, number + 1);
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            found.cannot_read(&place, "it is no JSON");
            continue;
        };
        let word = |field: &str| value[field].as_str().map(str::trim).filter(|word| !word.is_empty());
        match (value["type"].as_str(), word("name"), word("from"), word("to")) {
            (Some("entity"), Some(name), ..) => {
                found.count("entities", 1);
                for observation in value["observations"].as_array().into_iter().flatten() {
                    found.count("observations", 1);
                    if let Some(text) = observation.as_str() {
                        found.add(Some(CandidateKind::Fact), &about(name, text), &place);
                    }
                }
            }
            (Some("relation"), _, Some(from), Some(to)) => {
                found.count("relations", 1);
                let how = word("relationType").unwrap_or("is related to").replace('_', " ");
                found.add(Some(CandidateKind::Relationship), &format!("{from} {how} {to}"), &place);
            }
            _ => found.cannot_read(&place, "it is neither an entity nor a relation"),
        }
    }
}

/// An observation names whom it is about, unless it does so itself.
fn about(name: &str, text: &str) -> String {
    match text.to_lowercase().contains(&name.replace('_', " ").to_lowercase()) {
        true => text.to_owned(),
        false => format!("{}: {text}", name.replace('_', " ")),
    }
}

/// mem0: sentences, in a list or under `results` or `memories`; and relations where it kept a graph.
pub(super) fn mem0(file: &File, found: &mut Found) {
    let Ok(value) = serde_json::from_str::<Value>(&file.text) else {
        found.cannot_read(&file.name, "it is no JSON");
        return;
    };
    let list =
        value.as_array().or_else(|| value["results"].as_array()).or_else(|| value["memories"].as_array());
    for one in list.into_iter().flatten() {
        match one["memory"].as_str().or_else(|| one["text"].as_str()) {
            Some(text) => {
                found.count("memories", 1);
                let place = one["id"].as_str().map_or(file.name.clone(), |id| format!("{}, {id}", file.name));
                found.add(None, text, &place);
            }
            None => found.cannot_read(&file.name, "an entry has no memory"),
        }
    }
    for relation in value["relations"].as_array().into_iter().flatten() {
        let word = |names: [&str; 2]| names.iter().find_map(|name| relation[*name].as_str());
        let target = word(["target", "destination"]);
        if let (Some(from), Some(how), Some(to)) =
            (relation["source"].as_str(), word(["relationship", "relation"]), target)
        {
            found.count("relations", 1);
            let text = format!("{from} {how} {to}").replace('_', " ");
            found.add(Some(CandidateKind::Relationship), &text, &file.name);
        }
    }
}

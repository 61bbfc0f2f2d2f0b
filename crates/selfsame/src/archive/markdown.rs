//! A mind to read: the same rows as Markdown, one file a layer, the diary one file a day. It is for people and cannot be
//! read in again; the archive can.

use crate::error::{Result, StoreResult};
use crate::mind::Access;
use selfsame_core::time::{Time, Zone};
use selfsame_store::tables::TABLES;
use selfsame_store::{Reader, StoreError, baggage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A file of Markdown: its path, with slashes, and its text.
pub type Page = (String, String);

impl Access<'_> {
    /// Everything there is to read of the agent. For the operator.
    pub fn export_markdown(&self) -> Result<Vec<Page>> {
        self.must_be_operator()?;
        let zone = self.zone()?;
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let agent = self.agent.id;
            let mut rows = |table: &str| rows_of(reader, table, agent);
            let day = |row: &Value, field: &str| when(&row[field], &zone);
            let mut pages = vec![
                ("soul.md".to_owned(), soul(&rows("soul_entries")?, &day)),
                ("memories.md".to_owned(), memories(&rows("memory_items")?, &day)),
                ("beliefs.md".to_owned(), {
                    let beliefs = rows("knowledge_observations")?;
                    beliefs_page(&beliefs, &rows("observation_evidence")?, &day)
                }),
                ("todos.md".to_owned(), todos(&rows("todos")?, &day)),
                ("calendar.md".to_owned(), calendar(&rows("calendar_events")?)),
                ("relationships.md".to_owned(), {
                    let entities = rows("entities")?;
                    relationships(&rows("relationships")?, &entities)
                }),
                ("episodes.md".to_owned(), episodes(&rows("episodes")?, &day)),
                ("lessons.md".to_owned(), lessons(&rows("lessons")?)),
            ];
            pages.extend(diary(&rows("diary_entries")?));
            Ok(pages)
        })?)
    }
}

fn rows_of(reader: &mut Reader, table: &str, agent: selfsame_core::id::AgentId) -> StoreResult<Vec<Value>> {
    let table = TABLES.iter().find(|one| one.name == table);
    let table = table.ok_or_else(|| StoreError::Failed("a page of a table that is not there".into()))?;
    let mut rows = Vec::new();
    baggage::lines_of(reader, table, Some(agent), &mut |line| {
        rows.push(serde_json::from_str(line).map_err(|error| StoreError::Damaged(error.to_string()))?);
        Ok(())
    })?;
    Ok(rows)
}

type Day<'d> = &'d dyn Fn(&Value, &str) -> String;

/// The day of a moment, where the agent lives.
fn when(value: &Value, zone: &Zone) -> String {
    let time = value.as_i64().and_then(Time::checked);
    time.map_or_else(|| "?".to_owned(), |time| zone.date(time).to_string())
}

fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap_or_default()
}

/// On one line, so that it stays one point of a list.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn page(title: &str, points: &[String]) -> String {
    let none = ["(nothing)\n".to_owned()];
    let points = if points.is_empty() { &none } else { points };
    format!("# {title}\n\n{}", points.concat())
}

fn soul(rows: &[Value], day: Day<'_>) -> String {
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let gone = match row["removed_at"].is_null() {
                true => String::new(),
                false => {
                    format!("; removed {}: {}", day(row, "removed_at"), flat(text(row, "removed_reason")))
                }
            };
            let (kind, since) = (text(row, "kind"), day(row, "created_at"));
            format!(
                "- **{kind}** {} ({since}: {}{gone})\n",
                flat(text(row, "content")),
                flat(text(row, "reason"))
            )
        })
        .collect();
    page("Soul", &points)
}

fn memories(rows: &[Value], day: Day<'_>) -> String {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows {
        let state = match text(row, "state") {
            "active" => String::new(),
            other => format!(", {other}"),
        };
        let pinned = if row["pinned"] == true { ", pinned" } else { "" };
        let point = format!(
            "- {} ({}, by {}{state}{pinned})\n",
            flat(text(row, "content")),
            day(row, "created_at"),
            text(row, "author")
        );
        kinds.entry(text(row, "memory_type")).or_default().push(point);
    }
    let sections = kinds.into_iter().map(|(kind, points)| format!("## {kind}\n\n{}\n", points.concat()));
    page("Memories", &sections.collect::<Vec<_>>())
}

fn beliefs_page(rows: &[Value], evidence: &[Value], day: Day<'_>) -> String {
    let mut of: BTreeMap<&str, String> = BTreeMap::new();
    for one in evidence {
        let withdrawn = if one["withdrawn_at"].is_null() { "" } else { ", withdrawn" };
        let line = format!(
            "  - {}: \"{}\" ({}{withdrawn})\n",
            text(one, "stance"),
            flat(text(one, "excerpt")),
            day(one, "source_created_at")
        );
        of.entry(text(one, "observation_id")).or_default().push_str(&line);
    }
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let confidence = row["confidence"].as_f64().unwrap_or_default();
            let evidence = of.get(text(row, "id")).map_or("", String::as_str);
            format!(
                "- {} ({}, {confidence:.2}, since {})\n{evidence}",
                flat(text(row, "summary")),
                text(row, "status"),
                day(row, "created_at")
            )
        })
        .collect();
    page("Beliefs", &points)
}

fn todos(rows: &[Value], day: Day<'_>) -> String {
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let done = if text(row, "status") == "done" { "x" } else { " " };
            let due = match row["due_at"].is_null() {
                true => String::new(),
                false => format!(", due {}", day(row, "due_at")),
            };
            let (title, status, priority) =
                (flat(text(row, "title")), text(row, "status"), text(row, "priority"));
            format!("- [{done}] {title} ({status}, {priority}{due})\n")
        })
        .collect();
    page("To do", &points)
}

fn calendar(rows: &[Value]) -> String {
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let mut point = format!("- {} {}", text(row, "starts"), flat(text(row, "title")));
            for (field, word) in [("ends", "until"), ("location", "at"), ("recurrence", "again")] {
                if !text(row, field).is_empty() {
                    write!(point, ", {word} {}", flat(text(row, field))).unwrap_or_default();
                }
            }
            let gone = if row["removed_at"].is_null() { "" } else { ", removed" };
            format!("{point} ({}{gone})\n", text(row, "zone"))
        })
        .collect();
    page("Calendar", &points)
}

fn relationships(rows: &[Value], entities: &[Value]) -> String {
    let names: BTreeMap<&str, &str> =
        entities.iter().map(|entity| (text(entity, "id"), text(entity, "name"))).collect();
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let name = names.get(text(row, "entity_id")).copied().unwrap_or("somebody");
            let trust = row["trust_level"].as_f64().unwrap_or_default();
            let (kind, why) = (text(row, "relationship_type"), flat(text(row, "rationale")));
            format!("- **{}** {kind}, trust {trust:.2}: {why}\n", flat(name))
        })
        .collect();
    page("Relationships", &points)
}

fn episodes(rows: &[Value], day: Day<'_>) -> String {
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let body = serde_json::to_string_pretty(&row["body"]).unwrap_or_default();
            let quoted: String = body.lines().map(|line| format!("    {line}\n")).collect();
            format!("## {} {}\n\n{quoted}\n", day(row, "created_at"), text(row, "episode_type"))
        })
        .collect();
    page("Episodes", &points)
}

fn lessons(rows: &[Value]) -> String {
    let points: Vec<String> = rows
        .iter()
        .map(|row| {
            let confidence = row["confidence"].as_f64().unwrap_or_default();
            let (kind, lesson) = (text(row, "lesson_type"), flat(text(row, "lesson")));
            format!("- **{kind}** {lesson} ({confidence:.2}, seen {})\n", row["occurrences"])
        })
        .collect();
    page("Lessons", &points)
}

fn diary(rows: &[Value]) -> Vec<Page> {
    let mut days: BTreeMap<&str, Vec<(i64, String)>> = BTreeMap::new();
    for row in rows {
        let mood = match text(row, "mood") {
            "" => String::new(),
            mood => format!("*{}*\n\n", flat(mood)),
        };
        let entry = format!("{mood}{}\n\n", text(row, "content"));
        days.entry(text(row, "day")).or_default().push((row["ordinal"].as_i64().unwrap_or(0), entry));
    }
    let page = |(day, mut entries): (&str, Vec<(i64, String)>)| {
        entries.sort();
        let text: String = entries.into_iter().map(|(_, entry)| entry).collect();
        (format!("diary/{day}.md"), format!("# {day}\n\n{text}"))
    };
    days.into_iter().map(page).collect()
}

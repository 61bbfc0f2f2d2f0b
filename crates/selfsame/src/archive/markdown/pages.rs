//! The pages themselves: which file has which layer, and what is said of each row.

use super::ink::{file_name, inline, is_one_line, quoted, starting};
use super::{Page, left_out};
use crate::error::StoreResult;
use selfsame_core::id::{
    CalendarId, CandidateId, ConversationId, DiaryId, EntityId, EpisodeId, Id, LessonId, MemoryId, NudgeId,
    ObservationId, ReflectionId, SoulId, SummaryId, TodoId,
};
use selfsame_core::time::{Time, Zone};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

type Rows<'r> = &'r mut dyn FnMut(&str) -> StoreResult<Vec<Value>>;

/// All of them: the first says what the others are.
pub(super) fn all(zone: &Zone, rows: Rows<'_>) -> StoreResult<Vec<Page>> {
    let entities = rows("entities")?;
    let names = |rows: &[Value]| -> BTreeMap<String, String> {
        rows.iter().map(|row| (text(row, "id").to_owned(), text(row, "name").to_owned())).collect()
    };
    let (known, principals) = (names(&entities), rows("principals")?);
    let book = Book { zone, entities: known, principals: names(&principals) };
    let mut pages = vec![
        book.soul(&rows("soul_entries")?),
        book.memories(&rows("memory_items")?, &rows("memory_sources")?),
        book.beliefs(
            &rows("knowledge_observations")?,
            &rows("observation_evidence")?,
            &rows("knowledge_conflicts")?,
        ),
        book.summaries(&rows("character_memory_summaries")?, &rows("conversation_summaries")?),
        book.reflections(&rows("reflections")?),
        book.lessons(&rows("lessons")?),
        book.episodes(&rows("episodes")?),
        book.entities(&entities, &rows("entity_names")?, &principals),
        book.relationships(&rows("relationships")?, &rows("relationship_history")?),
        book.todos(&rows("todos")?),
        book.calendar(&rows("calendar_events")?, &rows("calendar_exceptions")?),
        book.inbox(&rows("inbox_candidates")?),
        book.nudges(&rows("nudges")?),
        book.documents(&rows("agent_documents")?),
    ];
    pages.extend(book.conversations(&rows("conversations")?, rows("messages")?));
    pages.extend(book.diary(rows("diary_entries")?));
    pages.insert(0, book.index(&rows("agents")?, &pages));
    Ok(pages.into_iter().map(|leaf| (leaf.path, format!("# {}\n\n{}", leaf.title, leaf.body))).collect())
}

/// A page, its title as Markdown.
struct Leaf {
    path: String,
    title: String,
    body: String,
    points: usize,
}

fn leaf(path: &str, title: &str, points: &[String]) -> Leaf {
    let body = if points.is_empty() { "(nothing)\n".to_owned() } else { points.concat() };
    Leaf { path: path.to_owned(), title: title.to_owned(), body, points: points.len() }
}

pub(super) fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap_or_default()
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_default()
}

fn id<T: Display>(row: &Value, field: &str, of: fn(Id) -> T) -> String {
    let bytes = u128::from_str_radix(text(row, field), 16).map(u128::to_be_bytes);
    bytes.map_or_else(|_| "?".to_owned(), |bytes| of(Id::from_bytes(bytes)).to_string())
}

/// Rows by the one that they belong to.
fn by<'r>(rows: &'r [Value], field: &str) -> BTreeMap<&'r str, Vec<&'r Value>> {
    let mut of: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for row in rows {
        of.entry(text(row, field)).or_default().push(row);
    }
    of
}

/// One point of a list: what was said, what there is to say about it, and below what belongs to it.
struct Point(String);

impl Point {
    fn new(words: &str, about: &[String]) -> Point {
        Point::after("", words, about)
    }

    /// With words of ours before it.
    fn after(ours: &str, words: &str, about: &[String]) -> Point {
        let about = about.iter().filter(|one| !one.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let about = format!("({about})");
        Point(match is_one_line(words) {
            true => {
                let words = if ours.is_empty() { starting(words) } else { inline(words) };
                let said = [ours, &words, &about].map(str::to_owned);
                format!(
                    "- {}\n",
                    said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
                )
            }
            false if ours.is_empty() => format!("- {about}\n\n{}\n", quoted(words, "  ")),
            false => format!("- {ours} {about}\n\n{}\n", quoted(words, "  ")),
        })
    }

    /// A field of the row, where there is anything in it.
    fn with(mut self, row: &Value, field: &str, called: &str) -> Point {
        self.put(&row[field], called, "  ");
        self
    }

    fn note(mut self, note: &str) -> Point {
        writeln!(self.0, "  - {note}").unwrap_or_default();
        self
    }

    fn put(&mut self, value: &Value, called: &str, indent: &str) {
        let called = starting(called);
        let is_word = |value: &Value| !value.is_object() && !value.is_array();
        match value {
            Value::Null => {}
            Value::String(words) if words.trim().is_empty() => {}
            Value::String(words) if !is_one_line(words) => {
                let quote = quoted(words, &format!("{indent}  "));
                self.0 += &format!("{indent}- {called}:\n\n{quote}\n");
            }
            Value::Array(items) if items.is_empty() => {}
            Value::Array(items) if items.iter().all(is_word) => {
                let words: Vec<String> = items.iter().map(plain).collect();
                self.0 += &format!("{indent}- {called}: {}\n", words.join(", "));
            }
            Value::Array(items) => {
                self.0 += &format!("{indent}- {called}:\n");
                for (count, item) in items.iter().enumerate() {
                    self.put(item, &format!("no. {}", count + 1), &format!("{indent}  "));
                }
            }
            Value::Object(fields) => {
                self.0 += &format!("{indent}- {called}:\n");
                for (name, field) in fields {
                    self.put(field, name, &format!("{indent}  "));
                }
            }
            value => self.0 += &format!("{indent}- {called}: {}\n", plain(value)),
        }
    }
}

fn plain(value: &Value) -> String {
    inline(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

struct Book<'b> {
    zone: &'b Zone,
    entities: BTreeMap<String, String>,
    principals: BTreeMap<String, String>,
}

impl Book<'_> {
    /// The day of a moment, where the agent lives.
    fn day(&self, row: &Value, field: &str) -> String {
        let time = row[field].as_i64().and_then(Time::checked);
        time.map_or_else(|| "?".to_owned(), |time| self.zone.date(time).to_string())
    }

    fn minute(&self, row: &Value, field: &str) -> String {
        let time = row[field].as_i64().and_then(Time::checked);
        let local = |time| self.zone.local(time).strftime("%Y-%m-%d %H:%M").to_string();
        time.map_or_else(|| "?".to_owned(), local)
    }

    /// A day after a word of ours, where there is one.
    fn since(&self, word: &str, row: &Value, field: &str) -> String {
        if row[field].is_null() { String::new() } else { format!("{word} {}", self.day(row, field)) }
    }

    fn entity(&self, row: &Value, field: &str) -> String {
        self.entities.get(text(row, field)).map_or_else(|| "somebody".to_owned(), |name| inline(name))
    }

    /// Who said it.
    fn by(&self, row: &Value) -> String {
        match self.principals.get(text(row, "principal_id")) {
            Some(name) => format!("by {} ({})", inline(name), text(row, "author")),
            None => format!("by {}", text(row, "author")),
        }
    }

    /// What is said of everything that is kept: when it came, who said it, whether it is a secret between two.
    fn about(&self, row: &Value, id: String) -> Vec<String> {
        let private = if row["private"] == true { "private" } else { "" };
        vec![self.day(row, "created_at"), self.by(row), private.into(), id]
    }

    fn soul(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let kind = format!("**{}**", text(row, "kind"));
            let mut about = self.about(row, id(row, "id", SoulId::of));
            about.push(self.since("removed", row, "removed_at"));
            let point = Point::after(&kind, text(row, "content"), &about);
            let point = point.with(row, "reason", "why").with(row, "removed_reason", "why it was removed");
            point.with(row, "source_ref", "source").0
        };
        leaf("soul.md", "Soul", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn memories(&self, rows: &[Value], sources: &[Value]) -> Leaf {
        let sources = by(sources, "memory_id");
        let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for row in rows {
            let mut about = self.about(row, id(row, "id", MemoryId::of));
            about.push(match text(row, "state") {
                "active" => String::new(),
                other => other.to_owned(),
            });
            about.push(if row["pinned"] == true { "pinned".into() } else { String::new() });
            about.push(self.since("until", row, "expires_at"));
            let mut point = Point::new(text(row, "content"), &about);
            if !row["entity_id"].is_null() {
                point = point.note(&format!("about: {}", self.entity(row, "entity_id")));
            }
            point = point.with(row, "tags", "tags").with(row, "feeling", "feeling");
            point = point.with(row, "source_ref", "source");
            for source in sources.get(text(row, "id")).into_iter().flatten() {
                let said = format!("said again {} {}", self.day(source, "at"), self.by(source));
                point = match text(source, "source_ref") {
                    "" => point.note(&said),
                    place => point.note(&format!("{said}: {}", inline(place))),
                };
            }
            kinds.entry(text(row, "memory_type")).or_default().push(point.0);
        }
        let sections = kinds.into_iter().map(|(kind, points)| format!("## {kind}\n\n{}\n", points.concat()));
        Leaf { points: rows.len(), ..leaf("memories.md", "Memories", &sections.collect::<Vec<_>>()) }
    }

    fn beliefs(&self, rows: &[Value], evidence: &[Value], conflicts: &[Value]) -> Leaf {
        let (evidence, conflicts) = (by(evidence, "observation_id"), by(conflicts, "observation_id"));
        let point = |row: &Value| {
            let about = [
                text(row, "status").to_owned(),
                format!("confidence {:.2}", number(row, "confidence")),
                if row["operator_confirmed"] == true { "confirmed".into() } else { String::new() },
                self.since("since", row, "created_at"),
                id(row, "id", ObservationId::of),
            ];
            let mut point = Point::new(text(row, "summary"), &about)
                .with(row, "phrasing", "in other words")
                .with(row, "canonical_key", "about")
                .with(row, "value", "value")
                .with(row, "detail", "more")
                .with(row, "tags", "tags")
                .with(row, "source_ref", "source");
            for one in evidence.get(text(row, "id")).into_iter().flatten() {
                let withdrawn = if one["withdrawn_at"].is_null() { "" } else { ", withdrawn" };
                let when = self.day(one, "source_created_at");
                let (stance, excerpt) = (text(one, "stance"), inline(text(one, "excerpt")));
                point = point.note(&format!("{stance}: \"{excerpt}\" ({when}{withdrawn})"));
            }
            for one in conflicts.get(text(row, "id")).into_iter().flatten() {
                let settled = if one["settled_at"].is_null() { "open" } else { "settled" };
                point = point.note(&format!("at odds with: {} ({settled})", inline(text(one, "rival"))));
            }
            point.0
        };
        leaf("beliefs.md", "Beliefs", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn summaries(&self, of_memories: &[Value], of_talk: &[Value]) -> Leaf {
        let span = |row: &Value| format!("{} to {}", self.day(row, "from_at"), self.day(row, "until_at"));
        let folded =
            |row: &Value| if row["folded_into"].is_null() { "" } else { "in a later one" }.to_owned();
        let memories = of_memories.iter().map(|row| {
            let of = format!("of {} memories", row["memories"]);
            let about = [span(row), of, folded(row), id(row, "id", SummaryId::of)];
            let point = Point::new(text(row, "content"), &about).with(row, "focus", "with a view to");
            point.with(row, "themes", "themes").with(row, "source_ref", "source").0
        });
        let talk = of_talk.iter().map(|row| {
            let with = format!("**with {}**", self.entity(row, "counterpart_id"));
            let of = format!("of {} messages", row["messages"]);
            let about = [span(row), of, folded(row), id(row, "id", SummaryId::of)];
            let point = Point::after(&with, text(row, "content"), &about);
            point.with(row, "facts", "word by word").with(row, "source_ref", "source").0
        });
        leaf("summaries.md", "Summaries", &memories.chain(talk).collect::<Vec<_>>())
    }

    fn reflections(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let mut about = self.about(row, id(row, "id", ReflectionId::of));
            about.insert(0, format!("on {} to {}", self.day(row, "from_at"), self.day(row, "until_at")));
            Point::new(text(row, "content"), &about).with(row, "source_ref", "source").0
        };
        leaf("reflections.md", "Reflections", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn lessons(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let kind = format!("**{}**", text(row, "lesson_type"));
            let mut about = self.about(row, id(row, "id", LessonId::of));
            about.push(format!("confidence {:.2}", number(row, "confidence")));
            about.push(format!("seen {}", row["occurrences"]));
            about.push(if row["merged_into"].is_null() {
                String::new()
            } else {
                "another says the same".into()
            });
            let mut point = Point::after(&kind, text(row, "lesson"), &about);
            for field in ["context", "action", "outcome", "correction", "tags", "tools"] {
                point = point.with(row, field, field);
            }
            point.with(row, "source_ref", "source").0
        };
        leaf("lessons.md", "Lessons", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn episodes(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let about = self.about(row, id(row, "id", EpisodeId::of));
            let head = format!("**{}**", inline(text(row, "episode_type")));
            let point = Point::after(&head, "", &about).with(row, "body", "what came of it");
            let point = point.with(row, "said", "the whole reply").with(row, "tools", "tools");
            point.with(row, "source_ref", "source").0
        };
        leaf("episodes.md", "Episodes", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn entities(&self, rows: &[Value], names: &[Value], principals: &[Value]) -> Leaf {
        let (names, principals) = (by(names, "entity_id"), by(principals, "entity_id"));
        let point = |row: &Value| {
            let about = [
                text(row, "kind").to_owned(),
                self.since("known since", row, "created_at"),
                match row["merged_into"].is_null() {
                    true => String::new(),
                    false => format!("the same as {}", self.entity(row, "merged_into")),
                },
                id(row, "id", EntityId::of),
            ];
            let mut point = Point::new(text(row, "name"), &about);
            let aliases = names.get(text(row, "id")).into_iter().flatten().map(|name| text(name, "name"));
            for alias in aliases.filter(|alias| *alias != text(row, "name")) {
                point = point.note(&format!("also: {}", inline(alias)));
            }
            for one in principals.get(text(row, "id")).into_iter().flatten() {
                let operator = if one["operator"] == true { " (the operator)" } else { "" };
                point = point.note(&format!("served as {}{operator}", inline(text(one, "name"))));
            }
            point.with(row, "profile_summary", "profile").0
        };
        leaf("entities.md", "Whom and what it knows", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn relationships(&self, rows: &[Value], history: &[Value]) -> Leaf {
        let history = by(history, "entity_id");
        let point = |row: &Value| {
            let about = [
                format!("trust {:.2}", number(row, "trust_level")),
                self.since("first met", row, "first_met_at"),
                id(row, "entity_id", EntityId::of),
            ];
            let name = format!("**{}**", self.entity(row, "entity_id"));
            let mut point = Point::after(&name, text(row, "relationship_type"), &about)
                .with(row, "emotional_tone", "tone")
                .with(row, "rationale", "why")
                .with(row, "relationship_notes", "notes");
            for one in history.get(text(row, "entity_id")).into_iter().flatten() {
                let stood = |kind: &str, tone: &str| match text(one, tone) {
                    "" => inline(text(one, kind)),
                    tone => format!("{} ({})", inline(text(one, kind)), inline(tone)),
                };
                let before =
                    if one["old_type"].is_null() { "met".to_owned() } else { stood("old_type", "old_tone") };
                let source = match text(one, "source_ref") {
                    "" => String::new(),
                    place => format!("; source: {}", inline(place)),
                };
                let (day, now, why) = (
                    self.day(one, "created_at"),
                    stood("new_type", "new_tone"),
                    inline(text(one, "rationale")),
                );
                point = point.note(&format!("{day}: {before}, then {now}: {why}{source}"));
            }
            point.0
        };
        leaf("relationships.md", "Relationships", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn todos(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let done = if text(row, "status") == "done" { "[x]" } else { "[ ]" };
            let mut about = vec![text(row, "status").to_owned(), text(row, "priority").to_owned()];
            about.push(self.since("due", row, "due_at"));
            about.extend(self.about(row, id(row, "id", TodoId::of)));
            let point = Point::after(done, text(row, "title"), &about);
            point.with(row, "description", "more").with(row, "source_ref", "source").0
        };
        leaf("todos.md", "To do", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn calendar(&self, rows: &[Value], exceptions: &[Value]) -> Leaf {
        let exceptions = by(exceptions, "event_id");
        let point = |row: &Value| {
            let mut about = vec![inline(text(row, "zone"))];
            about.extend(self.about(row, id(row, "id", CalendarId::of)));
            about.push(self.since("removed", row, "removed_at"));
            let starts = format!("**{}**", inline(text(row, "starts")));
            let mut point = Point::after(&starts, text(row, "title"), &about)
                .with(row, "ends", "until")
                .with(row, "location", "at")
                .with(row, "recurrence", "again")
                .with(row, "description", "more")
                .with(row, "removed_reason", "why it was removed")
                .with(row, "source_ref", "source");
            for one in exceptions.get(text(row, "id")).into_iter().flatten() {
                point = point.note(&format!("not on {}", inline(text(one, "starts"))));
            }
            point.0
        };
        leaf("calendar.md", "Calendar", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn inbox(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let mut about = vec![text(row, "candidate_type").to_owned(), text(row, "status").to_owned()];
            about.extend(self.about(row, id(row, "id", CandidateId::of)));
            let point = Point::new(text(row, "content"), &about).with(row, "decision_reason", "why");
            point.with(row, "source_ref", "source").0
        };
        leaf("inbox.md", "Inbox", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn nudges(&self, rows: &[Value]) -> Leaf {
        let point = |row: &Value| {
            let to = self.principals.get(text(row, "principal_id"));
            let about = [
                self.minute(row, "created_at"),
                to.map_or_else(String::new, |name| format!("to {}", inline(name))),
                text(row, "kind").to_owned(),
                text(row, "state").to_owned(),
                id(row, "id", NudgeId::of),
            ];
            let point = Point::new(text(row, "what"), &about).with(row, "phrasing", "in other words");
            point.with(row, "why", "why").with(row, "actions", "what could be done").0
        };
        leaf("nudges.md", "What it said unasked", &rows.iter().map(point).collect::<Vec<_>>())
    }

    fn documents(&self, rows: &[Value]) -> Leaf {
        let section = |row: &Value| {
            let (name, quote) = (inline(text(row, "name")), quoted(text(row, "content"), ""));
            format!("## {name} ({})\n\n{quote}\n", self.day(row, "updated_at"))
        };
        leaf("documents.md", "What it was told about itself", &rows.iter().map(section).collect::<Vec<_>>())
    }

    fn conversations(&self, rows: &[Value], mut messages: Vec<Value>) -> Vec<Leaf> {
        messages.sort_by_key(|message| message["seq"].as_i64());
        let messages = by(&messages, "conversation_id");
        let page = |row: &Value| {
            let id = id(row, "id", ConversationId::of);
            let channel = match text(row, "channel") {
                "" => String::new(),
                channel => format!("channel: {}, ", inline(channel)),
            };
            let lines = messages.get(text(row, "id")).into_iter().flatten().map(|message| {
                let who = match (text(message, "role"), message["speaker_id"].is_null()) {
                    ("assistant", _) => "the agent itself".to_owned(),
                    (_, false) => self.entity(message, "speaker_id"),
                    (role, true) => role.to_owned(),
                };
                let mut about = vec![self.minute(message, "created_at"), text(message, "role").to_owned()];
                about.push(if message["private"] == true { "private".into() } else { String::new() });
                about.push(if message["archived_at"].is_null() {
                    String::new()
                } else {
                    "summarized".into()
                });
                about.push(match text(message, "source_ref") {
                    "" => String::new(),
                    place => format!("source: {}", inline(place)),
                });
                about.retain(|one| !one.is_empty());
                let quote = quoted(text(message, "content"), "");
                format!("**{who}** ({})\n\n{quote}\n", about.join(", "))
            });
            let lines: Vec<String> = lines.collect();
            let day = self.day(row, "started_at");
            let title = match text(row, "title") {
                "" => format!("Conversation of {day}"),
                title => inline(title),
            };
            let page = leaf(&format!("conversations/{day}-{}.md", file_name(&id)), &title, &lines);
            Leaf { body: format!("({channel}since {day}, {id})\n\n{}", page.body), ..page }
        };
        rows.iter().map(page).collect()
    }

    fn diary(&self, mut rows: Vec<Value>) -> Vec<Leaf> {
        rows.sort_by_key(|row| row["ordinal"].as_i64());
        let mut days: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in &rows {
            let about = self.about(row, id(row, "id", DiaryId::of));
            let mut entry = format!("{}\n", quoted(text(row, "content"), ""));
            entry += &Point::after("written", "", &about)
                .with(row, "mood", "mood")
                .with(row, "location", "at")
                .with(row, "detail", "more")
                .with(row, "source_ref", "source")
                .0;
            entry.push('\n');
            days.entry(file_name(text(row, "day"))).or_default().push(entry);
        }
        days.iter().map(|(day, entries)| leaf(&format!("diary/{day}.md"), day, entries)).collect()
    }

    /// What there is, and what is not.
    fn index(&self, agents: &[Value], pages: &[Leaf]) -> Leaf {
        let agent = agents.first().unwrap_or(&Value::Null);
        let about =
            [self.since("since", agent, "created_at"), format!("in the zone {}", plain(&agent["zone"]))];
        let mut body = Point::after("an agent", "", &about)
            .with(agent, "home", "home")
            .with(agent, "location", "now at")
            .0;
        body += "\nTo read, not to be read in again: `selfsame export` without `--markdown` makes an archive that can be.\n\n";
        for page in pages {
            writeln!(body, "- [{}]({}): {}", page.title, page.path, page.points).unwrap_or_default();
        }
        body += "\n## What is not here\n\n";
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for (table, why) in left_out() {
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, tables)) => tables.push(table),
                None => reasons.push((why, vec![table])),
            }
        }
        for (why, tables) in reasons {
            writeln!(body, "- {}: {why}", tables.join(", ")).unwrap_or_default();
        }
        let title = inline(text(agent, "name"));
        Leaf { path: "README.md".into(), title, body, points: pages.len() }
    }
}

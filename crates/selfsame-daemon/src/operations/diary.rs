//! write_diary, search_diary_for_keywords, show_diary_entries_from_day, list_diary.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::diary::{DiaryDraft, DiaryEntry};
use selfsame::kept::Kept;
use selfsame::key::Scope;
use selfsame::local::show_day;
use selfsame::trust::Privacy;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Writes an entry.
pub struct WriteDiary;

/// What to write.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteDiaryRequest {
    /// The entry, in your own words.
    pub text: String,
    /// How you feel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mood: Option<String>,
    /// Where you are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Anything else, as a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<serde_json::Map<String, Value>>,
    /// Today (default) or a past day, YYYY-MM-DD in the agent's zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Only the principal who writes it and the operator may see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// Where it stands now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WriteDiaryReply {
    /// `dia_...`
    pub id: String,
    /// The day.
    pub date: String,
    /// Its place in that day: the first is 1.
    pub ordinal: u32,
}

impl Operation for WriteDiary {
    const NAME: &'static str = "write_diary";
    const SUMMARY: &'static str =
        "Write in your diary. Writing again on the same day appends; nothing is overwritten.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/diary" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = WriteDiaryRequest;
    type Reply = WriteDiaryReply;

    fn run(context: &Context<'_>, request: WriteDiaryRequest) -> Result<WriteDiaryReply, Failure> {
        let draft = DiaryDraft {
            text: request.text,
            mood: request.mood,
            location: request.location,
            detail: request.detail.map(Value::Object),
            date: request.date,
            privacy: if request.private { Privacy::Private } else { Privacy::Shared },
        };
        let written = context.access()?.write_diary(draft, context.idempotency()?.as_ref())?;
        Ok(WriteDiaryReply {
            id: written.id.to_string(),
            date: show_day(written.day),
            ordinal: written.ordinal,
        })
    }

    fn tell(reply: &WriteDiaryReply) -> String {
        format!("written {} as entry {} of {}", reply.id, reply.ordinal, reply.date)
    }
}

/// One entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiaryView {
    /// `dia_...`
    pub id: String,
    /// The day.
    pub date: String,
    /// Its place in that day.
    pub ordinal: u32,
    /// The words.
    pub text: String,
    /// How the agent felt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mood: Option<String>,
    /// Where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
    /// When it was written.
    pub created_at: String,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&Kept<DiaryEntry>> for DiaryView {
    fn from(entry: &Kept<DiaryEntry>) -> DiaryView {
        DiaryView {
            id: entry.id.to_string(),
            date: show_day(entry.day),
            ordinal: entry.ordinal,
            text: entry.text.clone(),
            mood: entry.mood.clone(),
            location: entry.location.clone(),
            detail: entry.detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok()),
            created_at: entry.created_at.to_string(),
            provenance: (&entry.provenance).into(),
        }
    }
}

fn line(entry: &DiaryView) -> String {
    let mood = entry.mood.as_ref().map(|mood| format!(" ({mood})")).unwrap_or_default();
    format!("[{}] {} #{}{mood}: {}\n", entry.id, entry.date, entry.ordinal, entry.text)
}

/// Searches the diary.
pub struct SearchDiary;

/// What to look for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchDiaryRequest {
    /// Words that the entry has.
    pub keywords: String,
    /// Entries, at most (1 to 1000; 10 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SearchDiaryReply {
    /// The best first.
    pub hits: Vec<DiaryHitView>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// One entry that was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiaryHitView {
    /// The entry.
    #[serde(flatten)]
    pub entry: DiaryView,
    /// Its score.
    pub score: f64,
    /// The words that it has.
    pub matched: Vec<String>,
}

impl Operation for SearchDiary {
    const NAME: &'static str = "search_diary_for_keywords";
    const SUMMARY: &'static str = "Find diary entries of any day by words that they have, best first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/diary/search" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = SearchDiaryRequest;
    type Reply = SearchDiaryReply;

    fn run(context: &Context<'_>, request: SearchDiaryRequest) -> Result<SearchDiaryReply, Failure> {
        let limit = request.limit.map(|limit| limit as usize);
        let found = context.access()?.search_diary(&request.keywords, limit)?;
        let hits = found.hits.iter().map(|hit| DiaryHitView {
            entry: (&hit.entry).into(),
            score: hit.score,
            matched: hit.matches.iter().map(|word| word.term.clone()).collect(),
        });
        Ok(SearchDiaryReply { hits: hits.collect(), words: found.words, damaged: found.damaged })
    }

    fn tell(reply: &SearchDiaryReply) -> String {
        if reply.hits.is_empty() {
            return "Nothing found: no entry has any of these words.".into();
        }
        reply.hits.iter().map(|hit| line(&hit.entry)).collect()
    }
}

/// Shows a day.
pub struct ShowDiaryDay;

/// Which day.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiaryDayRequest {
    /// YYYY-MM-DD in the agent's zone, `today` or `yesterday`.
    pub date: String,
}

/// The document of a day.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiaryDayReply {
    /// The day.
    pub date: String,
    /// Its entries in the order in which they were written.
    pub entries: Vec<DiaryView>,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

impl Operation for ShowDiaryDay {
    const NAME: &'static str = "show_diary_entries_from_day";
    const SUMMARY: &'static str = "Read all diary entries of one day, in order.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/diary/{date}" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = DiaryDayRequest;
    type Reply = DiaryDayReply;

    fn run(context: &Context<'_>, request: DiaryDayRequest) -> Result<DiaryDayReply, Failure> {
        let page = context.access()?.diary_day(&request.date)?;
        Ok(DiaryDayReply {
            date: show_day(page.day),
            entries: page.entries.iter().map(DiaryView::from).collect(),
            damaged: page.damaged,
        })
    }

    fn tell(reply: &DiaryDayReply) -> String {
        if reply.entries.is_empty() {
            return format!("Nothing was written on {}.", reply.date);
        }
        reply.entries.iter().map(line).collect()
    }
}

/// Lists the days.
pub struct ListDiary;

/// Which days.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListDiaryRequest {
    /// The first day, YYYY-MM-DD; from the beginning if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last day; today if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Days, at most (1 to 1000; 31 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The days.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListDiaryReply {
    /// The latest first.
    pub days: Vec<DiaryDayView>,
}

/// One day.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiaryDayView {
    /// The day.
    pub date: String,
    /// How many entries it has.
    pub entries: u64,
    /// Its moods, each once, in order.
    pub moods: Vec<String>,
}

impl Operation for ListDiary {
    const NAME: &'static str = "list_diary";
    const SUMMARY: &'static str = "List the days of your diary with their number of entries and moods.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/diary" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListDiaryRequest;
    type Reply = ListDiaryReply;

    fn run(context: &Context<'_>, request: ListDiaryRequest) -> Result<ListDiaryReply, Failure> {
        let limit = request.limit.map(|limit| limit as usize);
        let days = context.access()?.diary_days(request.from.as_deref(), request.to.as_deref(), limit)?;
        let days = days.into_iter().map(|day| DiaryDayView {
            date: show_day(day.day),
            entries: day.entries as u64,
            moods: day.moods,
        });
        Ok(ListDiaryReply { days: days.collect() })
    }

    fn tell(reply: &ListDiaryReply) -> String {
        if reply.days.is_empty() {
            return "The diary has no entries there.".into();
        }
        let line =
            |day: &DiaryDayView| format!("{}: {} entries {}\n", day.date, day.entries, day.moods.join(", "));
        reply.days.iter().map(line).collect()
    }
}

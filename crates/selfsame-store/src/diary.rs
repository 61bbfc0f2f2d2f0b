//! Entries of the diary, by day and by id.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{counted_believed, counted_columns, counted_sealed};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::diary::DiaryEntry;
use selfsame_core::id::{AgentId, DiaryId, Id};
use selfsame_core::kept::Kept;
use selfsame_core::local::{plain_date, show_day};
use selfsame_core::time::civil::Date;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, day, ordinal, content, mood, location, detail, created_at, ",
            counted_columns!(),
            ", row_hash FROM diary_entries WHERE agent_id = $1 AND ",
            $rest
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO diary_entries (agent_id, id, day, ordinal, content, mood, location, detail,
        created_at, ", counted_columns!(), ", row_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)");
    agent LAST_OF_DAY = "SELECT ordinal FROM diary_entries WHERE agent_id = $1 AND day = $2
        ORDER BY ordinal DESC LIMIT 1";
    agent OF_DAY = select!("day = $2 ORDER BY ordinal");
    agent BY_IDS = select!("id IN ({list})");
    agent PAGE = select!("id > $2 ORDER BY id LIMIT $3");
    agent DAYS = "SELECT DISTINCT day FROM diary_entries WHERE agent_id = $1 AND day >= $2 AND day <= $3
        ORDER BY day DESC LIMIT $4";
}

/// Adds an entry.
pub fn insert(writer: &mut Writer, entry: &Kept<DiaryEntry>) -> Result<()> {
    let mut bound: Vec<Value> = params![
        entry.id.id(),
        show_day(entry.day),
        entry.ordinal,
        &entry.text,
        entry.mood.as_deref(),
        entry.location.as_deref(),
        entry.detail.clone().map_or(Value::Null, Value::Json),
        entry.created_at,
    ]
    .to_vec();
    bound.extend(counted_sealed(entry));
    writer.execute(&INSERT, entry.agent, &bound)?;
    Ok(())
}

/// The place of the next entry of a day.
pub fn next_ordinal(reader: &mut Reader, agent: AgentId, day: Date) -> Result<u32> {
    let last = reader.row(&LAST_OF_DAY, agent, params![show_day(day)])?;
    let last = last.map_or(Ok(0), |row| row.fields().count())?;
    u32::try_from(last + 1).map_err(|_| StoreError::Damaged("a day of the diary has too many entries".into()))
}

/// The entries of a day in their order; a damaged one comes as the error that it is.
pub fn of_day(reader: &mut Reader, agent: AgentId, day: Date) -> Result<Vec<Result<Kept<DiaryEntry>>>> {
    let rows = reader.rows(&OF_DAY, agent, params![show_day(day)])?;
    Ok(rows.into_iter().map(|row| entry(agent, row)).collect())
}

/// What of the asked-for is there, in no order.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[Id]) -> Result<Vec<Result<Kept<DiaryEntry>>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(*id)).collect();
    let rows = reader.rows_in(&BY_IDS, agent, &[], &list)?;
    Ok(rows.into_iter().map(|row| entry(agent, row)).collect())
}

/// The next entries after an id.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<DiaryEntry>>>> {
    let rows = reader.rows(&PAGE, agent, params![after, limit])?;
    Ok(rows.into_iter().map(|row| entry(agent, row)).collect())
}

/// The days that have entries, the latest first.
pub fn days(reader: &mut Reader, agent: AgentId, from: Date, to: Date, limit: i64) -> Result<Vec<Date>> {
    let rows = reader.rows(&DAYS, agent, params![show_day(from), show_day(to), limit])?;
    rows.into_iter().map(|row| day_of(&row.fields().text()?)).collect()
}

fn day_of(text: &str) -> Result<Date> {
    plain_date(text).ok_or_else(|| StoreError::Damaged("a day of the diary is no date".into()))
}

fn entry(agent: AgentId, row: Row) -> Result<Kept<DiaryEntry>> {
    let mut fields = row.fields();
    let words = DiaryEntry {
        id: DiaryId::of(fields.id()?),
        agent,
        day: day_of(&fields.text()?)?,
        ordinal: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
        text: fields.text()?,
        mood: fields.opt_text()?,
        location: fields.opt_text()?,
        detail: fields.opt_json()?,
        created_at: fields.time()?,
    };
    counted_believed(words, &mut fields)
}

//! The texts that the index knows: which item stands at which spot, and how far the sitting of each source has come.
//!
//! Their words are in [`postings`](crate::postings), through which texts come in and go.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::posting_block::{pack_blocks, unpack_blocks};
use crate::postings::{Kind, Text};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::id::{AgentId, EntityId, Id};
use selfsame_core::recall::{Marks, Sitting, Spot};
use selfsame_core::time::Time;
use std::collections::BTreeMap;

statements! {
    agent INSERT = "INSERT INTO indexed_texts (agent_id, kind, spot, item_id, len, said_at, speaker_id, marks, blocks)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    agent TAKE = "DELETE FROM indexed_texts WHERE agent_id = $1 AND kind = $2 AND item_id = $3
        RETURNING spot, item_id, len, said_at, speaker_id, marks, blocks";
    agent AT = "SELECT spot, item_id, len, said_at, speaker_id, marks FROM indexed_texts
        WHERE agent_id = $1 AND kind = $2 AND spot IN ({list})";
    agent PAGE = "SELECT spot, item_id, len, said_at, speaker_id, marks, blocks FROM indexed_texts
        WHERE agent_id = $1 AND kind = $2 AND spot >= $3 ORDER BY spot LIMIT $4";
    agent OF_ITEMS = "SELECT spot FROM indexed_texts WHERE agent_id = $1 AND kind = $2 AND item_id IN ({list})";
    agent SITTING = "SELECT thread, places, last_at FROM threads WHERE agent_id = $1 AND kind = $2 AND source_id = $3";
    agent KEEP_SITTING = "INSERT INTO threads (agent_id, kind, source_id, thread, places, last_at)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (agent_id, kind, source_id) DO UPDATE
        SET thread = excluded.thread, places = excluded.places, last_at = excluded.last_at";
}

/// A text, as the index knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexedText {
    /// Where it stands.
    pub spot: Spot,
    /// Which memory, entry or message it is.
    pub item: Id,
    /// How many words it has.
    pub len: u32,
    /// When it was said.
    pub said_at: Time,
    /// Who said it, if the index was told.
    pub speaker: Option<EntityId>,
    /// What can be seen of it.
    pub marks: Marks,
}

/// A text with where its postings are: asked for when it is taken out or checked, not when it is recalled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Posted {
    /// The text.
    pub text: IndexedText,
    /// For each of its words, in their order, the block that its posting is in.
    pub blocks: Vec<u32>,
}

/// The texts at these spots, as far as there are any.
pub fn texts_at(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    spots: &[Spot],
) -> Result<BTreeMap<Spot, IndexedText>> {
    let list: Vec<Value> = spots.iter().map(|spot| Value::Int(spot.number())).collect();
    let rows = reader.rows_in(&AT, agent, params![kind.as_str()], &list)?;
    rows.into_iter().map(|row| text(&mut row.fields()).map(|text| (text.spot, text))).collect()
}

/// The next texts after a spot, or the first, in their order, with where their postings are.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    after: Option<Spot>,
    limit: i64,
) -> Result<Vec<Posted>> {
    let first = after.map_or(0, |spot| spot.number().saturating_add(1));
    let rows = reader.rows(&PAGE, agent, params![kind.as_str(), first, limit])?;
    rows.into_iter().map(posted).collect()
}

/// Where these items stand, those that are indexed.
pub fn spots_of(reader: &mut Reader, agent: AgentId, kind: Kind, items: &[Id]) -> Result<Vec<Spot>> {
    let list: Vec<Value> = items.iter().map(|item| Value::Id(*item)).collect();
    let rows = reader.rows_in(&OF_ITEMS, agent, params![kind.as_str()], &list)?;
    rows.into_iter().map(|row| row.fields().int().map(Spot::of_number)).collect()
}

pub(crate) fn insert(
    writer: &mut Writer,
    agent: AgentId,
    kind: Kind,
    text: &Text<'_>,
    spot: Spot,
    blocks: &[u32],
) -> Result<()> {
    let bound = params![
        kind.as_str(),
        spot.number(),
        text.item,
        text.words.len,
        text.said_at,
        text.speaker.map(EntityId::id),
        i64::from(text.marks.bits()),
        pack_blocks(blocks).as_slice(),
    ];
    writer.execute(&INSERT, agent, bound)?;
    Ok(())
}

/// Takes an item out and gives what was known of it, if it was there.
pub(crate) fn take(writer: &mut Writer, agent: AgentId, kind: Kind, item: Id) -> Result<Option<Posted>> {
    writer.row(&TAKE, agent, params![kind.as_str(), item])?.map(posted).transpose()
}

/// The newest sitting of a source.
pub(crate) fn sitting(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    source: Id,
) -> Result<Option<Sitting>> {
    let Some(row) = reader.row(&SITTING, agent, params![kind.as_str(), source])? else {
        return Ok(None);
    };
    let mut fields = row.fields();
    let (thread, places) = (number(fields.int()?)?, number(fields.int()?)?);
    Ok(Some(Sitting { thread, places, last_at: fields.time()? }))
}

pub(crate) fn keep_sitting(
    writer: &mut Writer,
    agent: AgentId,
    kind: Kind,
    source: Id,
    sitting: Sitting,
) -> Result<()> {
    let bound = params![kind.as_str(), source, sitting.thread, sitting.places, sitting.last_at];
    writer.execute(&KEEP_SITTING, agent, bound)?;
    Ok(())
}

fn posted(row: Row) -> Result<Posted> {
    let mut fields = row.fields();
    Ok(Posted { text: text(&mut fields)?, blocks: unpack_blocks(&fields.bytes()?)? })
}

fn text(fields: &mut Fields) -> Result<IndexedText> {
    Ok(IndexedText {
        spot: Spot::of_number(fields.int()?),
        item: fields.id()?,
        len: number(fields.int()?)?,
        said_at: fields.time()?,
        speaker: fields.opt_id()?.map(EntityId::of),
        marks: Marks::from_bits(u8::try_from(fields.int()?).unwrap_or_default()),
    })
}

fn number(stored: i64) -> Result<u32> {
    u32::try_from(stored)
        .map_err(|_| StoreError::Damaged("a number in the index of texts is out of its range".into()))
}

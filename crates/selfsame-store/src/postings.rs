//! The lexical index: which words are in which texts. It proposes; `selfsame-core` scores.
//!
//! Written in the transaction of the row it indexes, so it is never ahead of it and never behind. The postings of a word
//! lie in blocks in the order in which they were added; what else is known of a text is in
//! [`indexed_texts`], and how a block is packed in `posting_block.rs`.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::indexed_texts::{self, IndexedText, Posted};
use crate::posting_block::{self, block_of};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{
    AgentId, DiaryId, EntityId, Id, LinkId, MemoryId, MessageId, ObservationId, SummaryId,
};
use selfsame_core::recall::bm25::TermPostings;
use selfsame_core::recall::{Corpus, Marks, Posting, Sitting, Spot};
use selfsame_core::text::{INDEX_VERSION, TermCounts};
use selfsame_core::time::Time;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub use crate::posting_block::ENTRIES as ENTRIES_PER_BLOCK;

statements! {
    agent COUNT_TEXT = "INSERT INTO corpus_stats (agent_id, kind, docs, words, next_thread, version)
        VALUES ($1, $2, 1, $3, $4, $5) ON CONFLICT (agent_id, kind) DO UPDATE
        SET docs = corpus_stats.docs + 1, words = corpus_stats.words + excluded.words,
            next_thread = corpus_stats.next_thread + excluded.next_thread
        RETURNING next_thread";
    agent NEXT_THREAD = "INSERT INTO corpus_stats (agent_id, kind, docs, words, next_thread, version)
        VALUES ($1, $2, 0, 0, 1, $3) ON CONFLICT (agent_id, kind) DO UPDATE
        SET next_thread = corpus_stats.next_thread + 1 RETURNING next_thread";
    agent COUNT_TERMS = "INSERT INTO term_stats (agent_id, kind, term, df, added) VALUES {rows: $1, ?, ?, ?, ?}
        ON CONFLICT (agent_id, kind, term) DO UPDATE
        SET df = term_stats.df + excluded.df, added = term_stats.added + excluded.added RETURNING term, added";
    agent APPEND = "INSERT INTO postings (agent_id, kind, term, block, entries) VALUES {rows: $1, ?, ?, ?, ?}
        ON CONFLICT (agent_id, kind, term, block) DO UPDATE SET entries = {entries appended}";
    agent TAKE_BLOCKS = "DELETE FROM postings WHERE agent_id = $1 AND kind = $2 AND block = $3 AND term IN ({list})
        RETURNING term, entries";
    agent UNCOUNT_TERMS = "UPDATE term_stats SET df = df - 1 WHERE agent_id = $1 AND kind = $2 AND term IN ({list})";
    agent DROP_UNUSED = "DELETE FROM term_stats WHERE agent_id = $1 AND kind = $2 AND df <= 0 AND term IN ({list})";
    agent UNCOUNT_TEXT = "UPDATE corpus_stats SET docs = docs - 1, words = words - $3 WHERE agent_id = $1 AND kind = $2";
    agent CORPUS = "SELECT docs, words FROM corpus_stats WHERE agent_id = $1 AND kind = $2";
    agent THREADS = "SELECT next_thread FROM corpus_stats WHERE agent_id = $1 AND kind = $2";
    agent FREQUENCIES = "SELECT term, df FROM term_stats WHERE agent_id = $1 AND kind = $2 AND term IN ({list})";
    agent OF_TERM = "SELECT block, entries FROM postings WHERE agent_id = $1 AND kind = $2 AND term = $3 AND block < $4
        ORDER BY block DESC LIMIT $5";
    agent PAGE = "SELECT term, block, entries FROM postings WHERE agent_id = $1 AND kind = $2
        AND (term, block) > ($3, $4) ORDER BY term, block LIMIT $5";
    agent TERM_TOTALS = "SELECT term, df, added FROM term_stats WHERE agent_id = $1 AND kind = $2";
}

/// What is indexed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Memories.
    Memory,
    /// Plans and questions that are open: what a new memory may be linked to.
    Open,
    /// Entries of the diary.
    Diary,
    /// Messages of conversations.
    Message,
    /// What is believed.
    Observation,
    /// Summaries of memories and of conversations.
    Summary,
    /// Memories that came by a neural link: a shelf of their own, which is seen whole or not at all (`shelves.rs`).
    Linked(LinkId),
}

impl Kind {
    /// All that every agent has.
    pub const ALL: [Kind; 6] =
        [Kind::Memory, Kind::Open, Kind::Diary, Kind::Message, Kind::Observation, Kind::Summary];

    /// As it is stored.
    pub fn as_str(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Kind::Memory => "memory",
            Kind::Open => "open",
            Kind::Diary => "diary",
            Kind::Message => "message",
            Kind::Observation => "observation",
            Kind::Summary => "summary",
            Kind::Linked(link) => return Cow::Owned(link.to_string()),
        })
    }

    /// From what is stored.
    pub fn parse(stored: &str) -> Option<Kind> {
        let known = Kind::ALL.into_iter().find(|kind| kind.as_str() == stored);
        known.or_else(|| stored.parse().ok().map(Kind::Linked))
    }

    /// What the texts are, for people.
    pub const fn plural(self) -> &'static str {
        match self {
            Kind::Memory => "memories",
            Kind::Open => "open plans and questions",
            Kind::Diary => "diary entries",
            Kind::Message => "messages",
            Kind::Observation => "observations",
            Kind::Summary => "summaries",
            Kind::Linked(_) => "memories of a neural link",
        }
    }

    /// The id of a text, for people.
    pub fn shown(self, item: Id) -> String {
        match self {
            Kind::Memory | Kind::Open | Kind::Linked(_) => MemoryId::of(item).to_string(),
            Kind::Diary => DiaryId::of(item).to_string(),
            Kind::Message => MessageId::of(item).to_string(),
            Kind::Observation => ObservationId::of(item).to_string(),
            Kind::Summary => SummaryId::of(item).to_string(),
        }
    }
}

/// A text to be indexed.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// Which memory, entry or message it is.
    pub item: Id,
    /// Among which others it stands.
    pub standing: Standing,
    /// When it was said.
    pub said_at: Time,
    /// Who said it.
    pub speaker: Option<EntityId>,
    /// Its words.
    pub words: &'t TermCounts,
    /// What can be seen of it.
    pub marks: Marks,
}

/// Among which others a text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Among none: it is a thread of its own.
    Alone,
    /// After the last text of the same source, if that is not too long ago.
    InRun {
        /// What the texts come from: a conversation.
        source: Id,
    },
}

/// Indexes a text; says where it stands.
pub fn insert(writer: &mut Writer, agent: AgentId, kind: Kind, text: &Text<'_>) -> Result<Spot> {
    let spot = take_place(writer, agent, kind, text)?;
    let blocks = count_terms(writer, agent, kind, text.words)?;
    let packed = |tf: u32| posting_block::pack(Posting::new(spot, tf, text.words.len));
    let entries = text.words.counts.iter().zip(&blocks).map(|((term, tf), block)| {
        vec![kind.as_str().into(), term.into(), (*block).into(), Value::Bytes(packed(*tf))]
    });
    writer.insert_all(&APPEND, agent, &entries.collect::<Vec<_>>())?;
    indexed_texts::insert(writer, agent, kind, text, spot, &blocks)?;
    Ok(spot)
}

/// Counts the text and gives it the next place of its thread, or a new thread.
fn take_place(writer: &mut Writer, agent: AgentId, kind: Kind, text: &Text<'_>) -> Result<Spot> {
    if let Kind::Linked(_) = kind {
        return take_place_on_shelf(writer, agent, kind, text);
    }
    let Standing::InRun { source } = text.standing else {
        let thread = count_text(writer, agent, kind, text.words, true)?;
        return Ok(Spot { thread, place: 0 });
    };
    let newest = indexed_texts::sitting(writer, agent, kind, source)?;
    let joined = newest.and_then(|sitting| sitting.joined(text.said_at));
    let thread = count_text(writer, agent, kind, text.words, joined.is_none())?;
    let sitting = joined.unwrap_or_else(|| Sitting::begun(thread, text.said_at));
    indexed_texts::keep_sitting(writer, agent, kind, source, sitting)?;
    Ok(sitting.last_spot())
}

/// The shelves of an agent number their threads with its own memories: recall lays them all out on one sheet.
fn take_place_on_shelf(writer: &mut Writer, agent: AgentId, kind: Kind, text: &Text<'_>) -> Result<Spot> {
    count_text(writer, agent, kind, text.words, false)?;
    let next = writer.row(&NEXT_THREAD, agent, params![Kind::Memory.as_str(), INDEX_VERSION])?;
    let thread = thread_before(next.map_or(Ok(0), |row| row.fields().int())?)?;
    Ok(Spot { thread, place: 0 })
}

/// One text more. Gives the number of the thread that it begins, if it begins one.
fn count_text(
    writer: &mut Writer,
    agent: AgentId,
    kind: Kind,
    words: &TermCounts,
    begins_thread: bool,
) -> Result<u32> {
    let bound = params![kind.as_str(), words.len, u32::from(begins_thread), INDEX_VERSION];
    let counted = writer.row(&COUNT_TEXT, agent, bound)?;
    let next = counted.map_or(Ok(0), |row| row.fields().int())?;
    if begins_thread { thread_before(next) } else { Ok(0) }
}

fn thread_before(next: i64) -> Result<u32> {
    let thread = u32::try_from(next.saturating_sub(1)).ok().filter(|thread| *thread < Spot::MAX_THREADS);
    thread.ok_or_else(|| StoreError::Failed("the index has no more numbers for threads".into()))
}

/// One posting more of each word. Gives for each, in their order, the block that it goes into.
fn count_terms(writer: &mut Writer, agent: AgentId, kind: Kind, words: &TermCounts) -> Result<Vec<u32>> {
    let one = |term: &String| vec![kind.as_str().into(), term.into(), Value::Int(1), Value::Int(1)];
    let rows: Vec<Vec<Value>> = words.counts.keys().map(one).collect();
    let mut blocks: BTreeMap<String, u32> = BTreeMap::new();
    for row in writer.insert_all_returning(&COUNT_TERMS, agent, &rows)? {
        let mut fields = row.fields();
        blocks.insert(fields.text()?, block_of(fields.count()?)?);
    }
    // In the order of the words: both are sorted by their bytes.
    Ok(blocks.into_values().collect())
}

/// Takes a text out of the index; says whether it was there. `words` are those it was indexed with.
///
/// Should the analyser have changed since, they are not: then the index itself is asked, which takes a scan.
pub fn remove(writer: &mut Writer, agent: AgentId, kind: Kind, item: Id, words: &TermCounts) -> Result<bool> {
    let Some(Posted { text, blocks }) = indexed_texts::take(writer, agent, kind, item)? else {
        return Ok(false);
    };
    let mut terms = Vec::new();
    if words.counts.len() == blocks.len() {
        let named = words.counts.keys().cloned().zip(blocks.iter().copied());
        terms = take_postings(writer, agent, kind, text.spot, named)?;
    }
    if terms.len() < blocks.len() {
        let found = blocks_with(writer, agent, kind, text.spot)?;
        terms.extend(take_postings(writer, agent, kind, text.spot, found.into_iter())?);
    }
    uncount(writer, agent, kind, &text, &terms)?;
    Ok(true)
}

/// Takes the postings of a text out of these blocks; gives the words that had one there.
fn take_postings(
    writer: &mut Writer,
    agent: AgentId,
    kind: Kind,
    spot: Spot,
    blocks: impl Iterator<Item = (String, u32)>,
) -> Result<Vec<Value>> {
    // By their numbers, most of which are the same: one list of words for each.
    let mut by_number: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    for (term, block) in blocks {
        by_number.entry(block).or_default().push(Value::Text(term));
    }
    let (mut taken, mut put_back) = (Vec::new(), Vec::new());
    for (block, terms) in by_number {
        for row in writer.rows_in(&TAKE_BLOCKS, agent, params![kind.as_str(), block], &terms)? {
            let mut fields = row.fields();
            let (term, entries) = (fields.text()?, fields.bytes()?);
            let rest = match posting_block::without(&entries, spot)? {
                Some(rest) => {
                    taken.push(Value::from(&term));
                    rest
                }
                None => entries,
            };
            if !rest.is_empty() {
                put_back.push(vec![kind.as_str().into(), term.into(), block.into(), Value::Bytes(rest)]);
            }
        }
    }
    writer.insert_all(&APPEND, agent, &put_back)?;
    Ok(taken)
}

/// Every block that has a posting of a text. Takes a scan of the kind.
fn blocks_with(reader: &mut Reader, agent: AgentId, kind: Kind, spot: Spot) -> Result<Vec<(String, u32)>> {
    const PAGE: i64 = 1000;
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let mut blocks = page(reader, agent, kind, after.as_ref(), PAGE)?;
        let Some(last) = blocks.last() else {
            return Ok(found);
        };
        after = Some((last.term.clone(), last.block));
        blocks.retain(|block| block.postings.iter().any(|posting| posting.spot == spot));
        found.extend(blocks.into_iter().map(|block| (block.term, block.block)));
    }
}

fn uncount(
    writer: &mut Writer,
    agent: AgentId,
    kind: Kind,
    text: &IndexedText,
    terms: &[Value],
) -> Result<()> {
    writer.execute_in(&UNCOUNT_TERMS, agent, params![kind.as_str()], terms)?;
    writer.execute_in(&DROP_UNUSED, agent, params![kind.as_str()], terms)?;
    writer.execute(&UNCOUNT_TEXT, agent, params![kind.as_str(), text.len])?;
    Ok(())
}

/// What all texts have in common.
pub fn corpus(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<Corpus> {
    let Some(row) = reader.row(&CORPUS, agent, params![kind.as_str()])? else {
        return Ok(Corpus::default());
    };
    let mut fields = row.fields();
    Ok(Corpus { docs: fields.count()?, words: fields.count()? })
}

/// How many threads were ever begun.
pub fn threads(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<u64> {
    reader.row(&THREADS, agent, params![kind.as_str()])?.map_or(Ok(0), |row| row.fields().count())
}

/// In how many texts each word is; words that are in none are left out.
pub fn frequencies(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    terms: &[String],
) -> Result<BTreeMap<String, u64>> {
    let list: Vec<Value> = terms.iter().map(Value::from).collect();
    let rows = reader.rows_in(&FREQUENCIES, agent, params![kind.as_str()], &list)?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok((fields.text()?, fields.count()?))
        })
        .collect()
}

/// Where a word is, the newest texts first, at most `limit` of them.
pub fn of_term(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    term: &str,
    df: u64,
    limit: u64,
) -> Result<TermPostings> {
    let wanted = usize::try_from(df.min(limit)).unwrap_or(usize::MAX);
    let mut postings: Vec<Posting> = Vec::new();
    let mut before = i64::MAX;
    while postings.len() < wanted {
        // The newest block is seldom full, and from any of them texts may have gone.
        let blocks = (wanted - postings.len()) as u64 / ENTRIES_PER_BLOCK + 2;
        let blocks = i64::try_from(blocks).unwrap_or(i64::MAX);
        let rows = reader.rows(&OF_TERM, agent, params![kind.as_str(), term, before, blocks])?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let mut fields = row.fields();
            before = fields.int()?;
            postings.extend(posting_block::unpack(&fields.bytes()?)?.rev());
        }
    }
    postings.truncate(wanted);
    Ok(TermPostings { term: term.to_owned(), df, postings })
}

/// Some of the postings of a word, as they are stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The word.
    pub term: String,
    /// The number of the block.
    pub block: u32,
    /// The postings in the order in which they were added.
    pub postings: Vec<Posting>,
}

/// The next blocks after a word's block, or the first, in the order of words and numbers; for checking.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    after: Option<&(String, u32)>,
    limit: i64,
) -> Result<Vec<Block>> {
    let (term, number) = after.map_or(("", -1), |(term, block)| (term.as_str(), i64::from(*block)));
    let rows = reader.rows(&PAGE, agent, params![kind.as_str(), term, number, limit])?;
    rows.into_iter().map(block).collect()
}

fn block(row: Row) -> Result<Block> {
    let mut fields = row.fields();
    Ok(Block {
        term: fields.text()?,
        block: u32::try_from(fields.int()?)
            .map_err(|_| StoreError::Damaged("a block of the index has no number".into()))?,
        postings: posting_block::unpack(&fields.bytes()?)?.collect(),
    })
}

/// What the statistics say of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TermTotals {
    /// Texts that have it.
    pub df: u64,
    /// Postings that were ever added since the word was last in no text.
    pub added: u64,
}

/// What the statistics say of each word; for checking.
pub fn term_totals(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<BTreeMap<String, TermTotals>> {
    let rows = reader.rows(&TERM_TOTALS, agent, params![kind.as_str()])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok((fields.text()?, TermTotals { df: fields.count()?, added: fields.count()? }))
        })
        .collect()
}

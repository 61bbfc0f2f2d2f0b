//! The lexical index: which words are in which texts. It proposes; `selfsame-core` scores.
//!
//! Written in the transaction of the row it indexes, so it is never ahead of it and never behind.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, DiaryId, Id, MemoryId, MessageId};
use selfsame_core::recall::bm25::TermPostings;
use selfsame_core::recall::{Corpus, Posting};
use selfsame_core::text::TermCounts;
use std::collections::BTreeMap;

statements! {
    agent INSERT = "INSERT INTO postings (agent_id, kind, term, item_id, tf, len) VALUES {rows: $1, ?, ?, ?, ?, ?}";
    agent COUNT_TERMS = "INSERT INTO term_stats (agent_id, kind, term, df) VALUES {rows: $1, ?, ?, ?}
        ON CONFLICT (agent_id, kind, term) DO UPDATE SET df = term_stats.df + excluded.df";
    agent COUNT_TEXT = "INSERT INTO corpus_stats (agent_id, kind, docs, words) VALUES ($1, $2, $3, $4)
        ON CONFLICT (agent_id, kind) DO UPDATE
        SET docs = corpus_stats.docs + excluded.docs, words = corpus_stats.words + excluded.words";
    agent DELETE = "DELETE FROM postings WHERE agent_id = $1 AND kind = $2 AND item_id = $3 AND term IN ({list})
        RETURNING term, tf, len";
    agent DELETE_ITEM = "DELETE FROM postings WHERE agent_id = $1 AND kind = $2 AND item_id = $3
        RETURNING term, tf, len";
    agent UNCOUNT_TERMS = "UPDATE term_stats SET df = df - 1 WHERE agent_id = $1 AND kind = $2 AND term IN ({list})";
    agent DROP_UNUSED = "DELETE FROM term_stats WHERE agent_id = $1 AND kind = $2 AND df <= 0 AND term IN ({list})";
    agent UNCOUNT_TEXT = "UPDATE corpus_stats SET docs = docs - 1, words = words - $3 WHERE agent_id = $1 AND kind = $2";
    agent CORPUS = "SELECT docs, words FROM corpus_stats WHERE agent_id = $1 AND kind = $2";
    agent FREQUENCIES = "SELECT term, df FROM term_stats WHERE agent_id = $1 AND kind = $2 AND term IN ({list})";
    agent OF_TERM = "SELECT item_id, tf, len FROM postings WHERE agent_id = $1 AND kind = $2 AND term = $3
        ORDER BY item_id DESC LIMIT $4";
    agent OF_TERM_IN_ITEMS = "SELECT item_id, tf, len FROM postings
        WHERE agent_id = $1 AND kind = $2 AND term = $3 AND item_id IN ({list})";
    agent ITEM_TOTALS = "SELECT item_id, COUNT(*), CAST(SUM(tf) AS {int}), MIN(len), MAX(len) FROM postings
        WHERE agent_id = $1 AND kind = $2 GROUP BY item_id";
    agent TERM_TOTALS = "SELECT term, COUNT(*) FROM postings WHERE agent_id = $1 AND kind = $2 GROUP BY term";
    agent STORED_TERM_TOTALS = "SELECT term, df FROM term_stats WHERE agent_id = $1 AND kind = $2";
}

/// What is indexed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Memories.
    Memory,
    /// Plans and questions that are open: what a new memory may be linked to.
    Open,
    /// Entries of the diary.
    Diary,
    /// Messages of conversations.
    Message,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Kind::Memory => "memory",
            Kind::Open => "open",
            Kind::Diary => "diary",
            Kind::Message => "message",
        }
    }

    /// What the texts are, for people.
    pub const fn plural(self) -> &'static str {
        match self {
            Kind::Memory => "memories",
            Kind::Open => "open plans and questions",
            Kind::Diary => "diary entries",
            Kind::Message => "messages",
        }
    }

    /// The id of a text, for people.
    pub fn shown(self, item: Id) -> String {
        match self {
            Kind::Memory | Kind::Open => MemoryId::of(item).to_string(),
            Kind::Diary => DiaryId::of(item).to_string(),
            Kind::Message => MessageId::of(item).to_string(),
        }
    }
}

/// Indexes a text.
pub fn insert(writer: &mut Writer, agent: AgentId, kind: Kind, item: Id, words: &TermCounts) -> Result<()> {
    let kind = kind.as_str();
    let postings: Vec<Vec<Value>> = words
        .counts
        .iter()
        .map(|(term, tf)| vec![kind.into(), term.into(), item.into(), (*tf).into(), words.len.into()])
        .collect();
    writer.insert_all(&INSERT, agent, &postings)?;
    let counts: Vec<Vec<Value>> =
        words.counts.keys().map(|term| vec![kind.into(), term.into(), Value::Int(1)]).collect();
    writer.insert_all(&COUNT_TERMS, agent, &counts)?;
    writer.execute(&COUNT_TEXT, agent, params![kind, 1i64, words.len])?;
    Ok(())
}

/// Takes a text out of the index. `words` are those it was indexed with.
///
/// Should the analyser have changed since, they are not: then the index itself is asked, which takes a scan.
pub fn remove(writer: &mut Writer, agent: AgentId, kind: Kind, item: Id, words: &TermCounts) -> Result<()> {
    let kind = kind.as_str();
    let expected: Vec<Value> = words.counts.keys().map(Value::from).collect();
    let mut removed = Removed::default();
    removed.add(writer.rows_in(&DELETE, agent, params![kind, item], &expected)?)?;
    if !removed.is_whole() {
        removed.add(writer.rows(&DELETE_ITEM, agent, params![kind, item])?)?;
    }
    removed.uncount(writer, agent, kind)
}

/// Takes a text out of an index in which it may not be; says whether it was there. Takes a scan of the kind.
pub fn remove_if_there(writer: &mut Writer, agent: AgentId, kind: Kind, item: Id) -> Result<bool> {
    let kind = kind.as_str();
    let mut removed = Removed::default();
    removed.add(writer.rows(&DELETE_ITEM, agent, params![kind, item])?)?;
    if removed.terms.is_empty() {
        return Ok(false);
    }
    removed.uncount(writer, agent, kind)?;
    Ok(true)
}

/// The postings of one text that were taken out.
#[derive(Default)]
struct Removed {
    terms: Vec<Value>,
    words: i64,
    len: i64,
}

impl Removed {
    fn add(&mut self, rows: Vec<Row>) -> Result<()> {
        for row in rows {
            let mut fields = row.fields();
            self.terms.push(Value::Text(fields.text()?));
            self.words += fields.int()?;
            self.len = fields.int()?;
        }
        Ok(())
    }

    fn uncount(&self, writer: &mut Writer, agent: AgentId, kind: &str) -> Result<()> {
        writer.execute_in(&UNCOUNT_TERMS, agent, params![kind], &self.terms)?;
        writer.execute_in(&DROP_UNUSED, agent, params![kind], &self.terms)?;
        writer.execute(&UNCOUNT_TEXT, agent, params![kind, self.len])?;
        Ok(())
    }

    /// Whether nothing is left: every posting names how many words its text has.
    fn is_whole(&self) -> bool {
        !self.terms.is_empty() && self.words == self.len
    }
}

/// What all texts have in common.
pub fn corpus(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<Corpus> {
    let Some(row) = reader.row(&CORPUS, agent, params![kind.as_str()])? else {
        return Ok(Corpus::default());
    };
    let mut fields = row.fields();
    Ok(Corpus { docs: fields.count()?, words: fields.count()? })
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
    rows.into_iter().map(term_total).collect()
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
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = reader.rows(&OF_TERM, agent, params![kind.as_str(), term, limit])?;
    term_postings(term, df, rows)
}

/// Where a word is among given texts.
pub fn of_term_in(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    term: &str,
    df: u64,
    items: &[Id],
) -> Result<TermPostings> {
    let list: Vec<Value> = items.iter().map(|item| Value::Id(*item)).collect();
    let rows = reader.rows_in(&OF_TERM_IN_ITEMS, agent, params![kind.as_str(), term], &list)?;
    term_postings(term, df, rows)
}

fn term_postings(term: &str, df: u64, rows: Vec<Row>) -> Result<TermPostings> {
    let postings = rows.into_iter().map(posting).collect::<Result<_>>()?;
    Ok(TermPostings { term: term.to_owned(), df, postings })
}

fn posting(row: Row) -> Result<Posting> {
    let mut fields = row.fields();
    Ok(Posting {
        item: fields.id()?,
        tf: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
        len: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
    })
}

/// What the index holds of one text, for checking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemTotals {
    /// Different words.
    pub terms: u64,
    /// Words.
    pub words: u64,
    /// The length that its postings name; nothing if they disagree.
    pub len: Option<u64>,
}

/// What the index holds of each text.
pub fn item_totals(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<BTreeMap<Id, ItemTotals>> {
    let rows = reader.rows(&ITEM_TOTALS, agent, params![kind.as_str()])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            let item = fields.id()?;
            let (terms, words) = (fields.count()?, fields.count()?);
            let (least, most) = (fields.count()?, fields.count()?);
            Ok((item, ItemTotals { terms, words, len: (least == most).then_some(least) }))
        })
        .collect()
}

/// Each word's number of texts as the index has it, and as the statistics say.
pub fn term_totals(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
) -> Result<(BTreeMap<String, u64>, BTreeMap<String, u64>)> {
    let counted = reader.rows(&TERM_TOTALS, agent, params![kind.as_str()])?;
    let stored = reader.rows(&STORED_TERM_TOTALS, agent, params![kind.as_str()])?;
    Ok((
        counted.into_iter().map(term_total).collect::<Result<_>>()?,
        stored.into_iter().map(term_total).collect::<Result<_>>()?,
    ))
}

fn term_total(row: Row) -> Result<(String, u64)> {
    let mut fields = row.fields();
    Ok((fields.text()?, fields.count()?))
}

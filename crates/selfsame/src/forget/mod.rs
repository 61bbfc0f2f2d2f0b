//! The verb *forget*: what is named goes, with all that was made from it or repeats it, and a proof stays.
//!
//! What goes is traced first (`trace.rs`), the same way for a dry run and for the act; each kind of thing goes as `take.rs`
//! says. The words live where the store's list of places says, and nowhere else. An act ends with compaction and with a line
//! in the ledger beside the backups (`ledger.rs`), by which an older backup forgets again (`replay.rs`).

mod ledger;
mod replay;
mod take;
mod trace;
mod waiting;

pub use ledger::{Entry as LedgerEntry, NAME as LEDGER_NAME, Read as LedgerRead, read as read_ledger};
pub(crate) use ledger::{Ledger, add_to, damaged};
pub use selfsame_core::forgetting::{Item, ItemKind};
pub use selfsame_store::erasures::{Buried, Proof};
pub(crate) use take::FORGOTTEN;
pub use trace::Why;

use crate::backup::{Backup, backups_in, remove_copy};
use crate::error::{Error, Result, StoreResult, check_limit};
use crate::mind::{Access, Mind};
use crate::verify::PAGE;
use selfsame_core::forgetting::{Wanted, token};
use selfsame_core::id::{EntityId, ErasureId, Id, MemoryId};
use selfsame_core::memory::Memory;
use selfsame_core::text::terms;
use selfsame_store::erasures::{self, Erasure};
use selfsame_store::words;
use selfsame_store::{Idempotency, Reader, Replay, StoreError, agents, entities, memory, summaries};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
pub(crate) use take::Taking;
use trace::{Reach, Roots, Trace, may_name, noun, spoken, trace};
use waiting::Meant;

/// How a whole agent is named in a proof.
const BY_AGENT: &str = "agent";
/// How a neural link that was taken back is named in a proof, and in what is buried.
pub(crate) const BY_LINK: &str = "link";
/// How an import that was undone is.
pub(crate) const BY_IMPORT: &str = "import";
/// Bytes of a query or a source, at most.
const MAX_NAMED_BYTES: usize = 4096;
/// Proofs listed, at most.
const MAX_PROOFS: usize = 1000;

/// What to forget.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// One thing, by its id.
    Item(Item),
    /// Somebody or something, with all that speaks of them.
    Entity(EntityId),
    /// Whatever came by this message, call, file or run.
    Source(String),
    /// Whatever has all these words.
    Query(String),
    /// The whole agent.
    Agent,
}

impl What {
    fn word(&self) -> &'static str {
        match self {
            What::Item(item) => item.kind.as_str(),
            What::Entity(_) => "entity",
            What::Source(_) => "source",
            What::Query(_) => "query",
            What::Agent => BY_AGENT,
        }
    }

    /// Whether it must be looked at first, because it does not say what it means.
    fn must_be_looked_at(&self) -> bool {
        matches!(self, What::Query(_) | What::Agent)
    }
}

/// What to forget, and how far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// What.
    pub what: What,
    /// The token of a dry run: what goes must be exactly what it showed.
    pub token: Option<String>,
    /// Also memories that say the same on their own.
    pub everywhere: bool,
}

impl Order {
    /// That, and what goes with it.
    pub fn of(what: What) -> Order {
        Order { what, token: None, everywhere: false }
    }

    fn reach(&self) -> Reach {
        if self.everywhere { Reach::Everywhere } else { Reach::Everything }
    }
}

/// One thing that would go, or would stay with other words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Going {
    /// What.
    pub item: Item,
    /// Why.
    pub why: Why,
    /// What it says, if the caller may see that.
    pub words: Option<String>,
}

/// One thing that says the same and would stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Staying {
    /// What.
    pub item: Item,
    /// Why.
    pub why: &'static str,
    /// What it says.
    pub words: Option<String>,
}

/// What an act would do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cascade {
    /// How many of each kind would go.
    pub removed: BTreeMap<String, u64>,
    /// How many of each kind would stay with other words, or none.
    pub rewritten: BTreeMap<String, u64>,
    /// One by one; of a whole agent only the counts are given.
    pub going: Vec<Going>,
    /// What says the same and would stay.
    pub staying: Vec<Staying>,
    /// The name of exactly this.
    pub token: String,
}

/// What was forgotten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forgotten {
    /// The act, under which the tombstones stand.
    pub erasure: ErasureId,
    /// Memories that went.
    pub memories: u64,
    /// How many of each kind went.
    pub removed: BTreeMap<String, u64>,
    /// How many of each kind stayed with other words, or none.
    pub rewritten: BTreeMap<String, u64>,
}

/// Where a text still is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Whereabouts {
    /// Tables, with how many rows of each have it.
    pub rows: BTreeMap<String, u64>,
    /// Files that have its bytes.
    pub files: Vec<PathBuf>,
}

impl Access<'_> {
    /// One memory by its id, if it is there and the caller may see it.
    pub fn memory(&self, id: MemoryId) -> Result<Option<Memory>> {
        let found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| memory::by_id(reader, self.agent.id, id))?;
        Ok(found.filter(|memory| memory.provenance.is_visible_to(&self.caller)))
    }

    /// The memory that [`Access::forget`] would take away.
    pub fn forget_preview(&self, id: MemoryId) -> Result<Memory> {
        match self.memory(id)? {
            Some(memory) if memory.provenance.may_be_changed_by(&self.caller) => Ok(memory),
            Some(_) => Err(Error::Forbidden(NOT_THEIRS.into())),
            None if self.is_forgotten(id)? => Err(Error::Gone(id)),
            None => Err(Error::NoSuch { what: "memory", id: id.to_string() }),
        }
    }

    /// Forgets one memory: [`Access::forget_all`] of its id.
    pub fn forget(&self, id: MemoryId, key: Option<&Idempotency>) -> Result<Forgotten> {
        let item = Item { kind: ItemKind::Memory, id: id.id() };
        self.forget_all(&Order::of(What::Item(item)), key)
    }

    /// What [`Access::forget_all`] would do. Nothing is changed.
    pub fn forget_what(&self, order: &Order) -> Result<Cascade> {
        self.may_order(order)?;
        if order.what == What::Agent {
            return self.whole_agent();
        }
        let wanted = wanted(&order.what)?;
        let cascade = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let found = self.trace(reader, order, wanted.as_ref())?;
            self.shown(reader, &found)
        });
        let cascade = cascade.map_err(told_plainly)?;
        match cascade.going.is_empty() {
            true => Err(self.nothing_found(order)?),
            false => Ok(cascade),
        }
    }

    /// Forgets what is named, with all that was made from it or repeats it: its words, its place in the index, its vectors,
    /// what is believed because of it. Tombstones with nothing in them stay, and a proof.
    pub fn forget_all(&self, order: &Order, key: Option<&Idempotency>) -> Result<Forgotten> {
        match self.may_order(order) {
            // A repetition finds the memory gone and its stored reply waiting.
            Err(Error::Gone(_)) if key.is_some() => {}
            // What it said and who said it can no longer be known: the operator decides, and the index is asked.
            Err(Error::Store(StoreError::Spoiled(_))) if self.caller.is_operator() => {}
            other => other?,
        }
        if order.what.must_be_looked_at() && order.token.is_none() {
            return Err(Error::Unfit(format!(
                "a {} is looked at first: ask with dry_run (--dry-run), and give back the token that it shows",
                order.what.word()
            )));
        }
        let now = self.mind.now();
        let erasure = Erasure {
            id: ErasureId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            reason: format!("forget by {}", order.what.word()),
            at: now,
        };
        if order.what == What::Agent {
            let gone = self.erase_whole_agent(&erasure, &self.caller.to_string(), order.token.as_deref())?;
            return Ok(gone);
        }
        let (zone, wanted) = (self.zone()?, wanted(&order.what)?);
        // First from those who were given it: whoever dies in between asks again.
        self.take_back_copies(order, wanted.as_ref())?;
        let mut taking = Taking { access: self, zone: &zone, now, days: BTreeSet::new() };
        let done = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            taking.days.clear();
            let found = self.trace(writer, order, wanted.as_ref())?;
            let mut removed = counts(&found, false);
            let rewritten = counts(&found, true);
            let memories = removed.get("memory").copied().unwrap_or(0);
            // Somebody was faster, or there is nothing of it: no act to record.
            if found.going.is_empty() {
                removed.clear();
                return Ok(Forgotten { erasure: erasure.id, memories: 0, removed, rewritten });
            }
            let now_named = token(found.going.keys().copied());
            if order.token.as_ref().is_some_and(|seen| *seen != now_named) {
                return Err(StoreError::Conflict(CHANGED.into()));
            }
            let mut buried = Vec::new();
            erasures::erase(writer, &erasure, |writer| {
                buried = taking.take_all(writer, &found)?;
                Ok(buried.clone())
            })?;
            erasures::prove(
                writer,
                &Proof {
                    agent: self.agent.id,
                    erasure: erasure.id,
                    at: now,
                    actor: self.caller.to_string(),
                    how: order.what.word().into(),
                    removed: removed.clone(),
                    rewritten: found.reworded(),
                    items_hash: self.mind.ledger.items_hash(&buried).to_vec(),
                },
            )?;
            Ok(Forgotten { erasure: erasure.id, memories, removed, rewritten })
        });
        let done = done.map_err(told_plainly)?;
        if done.removed.is_empty() && done.rewritten.is_empty() {
            return Err(self.nothing_found(order)?);
        }
        let days = taking.days;
        self.put_days_right(days)?;
        self.finish_act(done.erasure)?;
        Ok(done)
    }

    /// What was given to other agents of what goes is taken back from them, and what waits to be filed of it is not filed.
    fn take_back_copies(&self, order: &Order, wanted: Option<&Wanted>) -> Result<()> {
        let found =
            self.mind.store.read(&self.caller, &[self.agent.id], |reader| self.trace(reader, order, wanted));
        let found = found.map_err(told_plainly)?;
        let seen = token(found.going.keys().copied());
        if order.token.as_ref().is_some_and(|token| *token != seen) {
            return Err(StoreError::Conflict(CHANGED.into()).into());
        }
        // What waits to be filed would bring it back.
        let meant = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| Meant::by(self, reader, order, wanted, &found))?;
        self.mind.let_waiting_go(&meant)?;
        self.mind.take_away_copies(&self.agent, &found.leaving())
    }

    /// The end of an act: nothing of it is in the file any more, and the ledger has its line, before anybody is told.
    fn finish_act(&self, erasure: ErasureId) -> Result<()> {
        self.mind.store.reach("forget.committed")?;
        // What a reader holds up now is done by the next checkpoint; it is forgotten all the same.
        let _ = self.mind.store.compact();
        self.mind.write_down(erasure)?;
        Ok(self.mind.store.reach("forget.ledgered")?)
    }

    /// Whether the caller may ask for this.
    fn may_order(&self, order: &Order) -> Result<()> {
        self.must_be_watched("things are forgotten")?;
        let is_house = self.caller.is_operator();
        match &order.what {
            What::Item(Item { kind: ItemKind::Memory, id }) => {
                self.forget_preview(MemoryId::of(*id)).map(drop)
            }
            What::Item(item) => self.may_name_item(*item),
            What::Entity(id) => self.may_name_item(Item { kind: ItemKind::Entity, id: id.id() }),
            What::Agent if !is_house => {
                Err(Error::Forbidden("only its operator has a whole agent forgotten".into()))
            }
            What::Source(text) | What::Query(text) => {
                crate::error::check_field("what to forget", text, MAX_NAMED_BYTES)
            }
            What::Agent => Ok(()),
        }
    }

    fn may_name_item(&self, item: Item) -> Result<()> {
        let mut judged = Ok(());
        self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            judged = may_name(self, reader, item);
            if let Err(Error::NoSuch { .. }) = judged
                && erasures::is_buried(reader, self.agent.id, item.id)?
            {
                judged = Err(Error::Unfit(format!(
                    "{} {item} was forgotten: nothing of it is left",
                    noun(item.kind)
                )));
            }
            Ok(())
        })?;
        judged
    }

    fn trace(&self, reader: &mut Reader, order: &Order, wanted: Option<&Wanted>) -> StoreResult<Trace> {
        let found = match (&order.what, wanted) {
            (What::Item(item), _) => self.trace_item(reader, *item, order.reach())?,
            (What::Entity(id), _) => {
                let item = Item { kind: ItemKind::Entity, id: id.id() };
                self.trace_item(reader, item, order.reach())?
            }
            (What::Source(source), _) => trace(self, reader, &Roots::Source(source), order.reach())?,
            (What::Query(_), Some(wanted)) => trace(self, reader, &Roots::Query(wanted), order.reach())?,
            (What::Query(_) | What::Agent, _) => Trace::default(),
        };
        self.must_be_allowed(reader, order, found)
    }

    fn trace_item(&self, reader: &mut Reader, item: Item, reach: Reach) -> StoreResult<Trace> {
        // What is gone has nothing to be traced by.
        if erasures::is_buried(reader, self.agent.id, item.id)? {
            return Ok(Trace::default());
        }
        trace(self, reader, &Roots::Items(&[item]), reach)
    }

    /// What is named by its source must be the caller's to have forgotten, all of it.
    fn must_be_allowed(&self, reader: &mut Reader, order: &Order, found: Trace) -> StoreResult<Trace> {
        if !matches!(order.what, What::Source(_)) {
            return Ok(found);
        }
        for (item, _) in found.going.iter().filter(|(_, why)| **why == Why::Named) {
            let row = spoken(self, reader, *item)?.and_then(|spoken| spoken.provenance);
            if row.is_some_and(|row| !row.may_be_changed_by(&self.caller)) {
                return Err(StoreError::Conflict(NOT_THEIRS.into()));
            }
        }
        Ok(found)
    }

    fn nothing_found(&self, order: &Order) -> Result<Error> {
        Ok(match &order.what {
            What::Item(Item { kind: ItemKind::Memory, id }) => Error::Gone(MemoryId::of(*id)),
            What::Item(item) => Error::NoSuch { what: noun(item.kind), id: item.to_string() },
            What::Entity(id) => Error::NoSuch { what: "entity", id: id.to_string() },
            What::Source(_) => Error::Unfit("nothing came by that: nothing is forgotten".into()),
            What::Query(_) => Error::Unfit("nothing has all these words: nothing is forgotten".into()),
            What::Agent => Error::NoSuchAgent { name: self.agent.name.clone(), hint: String::new() },
        })
    }

    fn shown(&self, reader: &mut Reader, found: &Trace) -> StoreResult<Cascade> {
        let mut words = |item: Item| -> StoreResult<Option<String>> {
            let row = spoken(self, reader, item)?;
            let is_seen = |row: &trace::Spoken| {
                row.provenance
                    .as_ref()
                    .map_or(self.caller.is_operator(), |one| one.is_visible_to(&self.caller))
            };
            Ok(row.filter(is_seen).map(|row| row.words))
        };
        let mut going = Vec::new();
        for (item, why) in &found.going {
            going.push(Going { item: *item, why: *why, words: words(*item)? });
        }
        let mut staying = Vec::new();
        for (item, why) in &found.staying {
            staying.push(Staying { item: *item, why, words: words(*item)? });
        }
        Ok(Cascade {
            removed: counts(found, false),
            rewritten: counts(found, true),
            going,
            staying,
            token: token(found.going.keys().copied()),
        })
    }

    /// How many rows a whole agent has, by table.
    fn whole_agent(&self) -> Result<Cascade> {
        let agent = self.agent.id;
        let removed =
            self.mind.store.read(&self.caller, &[agent], |reader| words::count_all(reader, agent))?;
        let removed = removed.into_iter().map(|(table, count)| (table.to_owned(), count)).collect();
        Ok(Cascade { removed, token: self.agent_token(), ..Cascade::default() })
    }

    /// Whoever names it has seen whose rows go; a life goes on while it is looked at, and its count is not waited for.
    fn agent_token(&self) -> String {
        token([Item { kind: ItemKind::Entity, id: self.agent.id.id() }].into_iter())
    }

    fn erase_whole_agent(&self, erasure: &Erasure, actor: &str, seen: Option<&str>) -> Result<Forgotten> {
        if seen.is_some_and(|seen| seen != self.agent_token()) {
            return Err(Error::Unfit("that token is another agent's: look again with a dry run".into()));
        }
        let agent = self.agent.id;
        self.mind.let_all_waiting_go(&self.agent.name)?;
        self.take_back_all_copies()?;
        let removed = self.mind.store.write(&self.caller, &[agent], None, |writer| {
            if agents::by_id(writer, agent)?.is_none() {
                return Ok(Counted(BTreeMap::new()));
            }
            let removed = erasures::erase_agent(writer, erasure)?;
            erasures::prove(
                writer,
                &Proof {
                    agent,
                    erasure: erasure.id,
                    at: erasure.at,
                    actor: actor.to_owned(),
                    how: BY_AGENT.into(),
                    removed: removed.clone(),
                    rewritten: BTreeMap::new(),
                    items_hash: self.mind.ledger.items_hash(&[]).to_vec(),
                },
            )?;
            Ok(Counted(removed))
        })?;
        self.mind.remove_orphaned_journals()?;
        self.mind.store.let_go_of_agent(agent);
        self.finish_act(erasure.id)?;
        let memories = removed.0.get("memory_items").copied().unwrap_or(0);
        Ok(Forgotten { erasure: erasure.id, memories, removed: removed.0, rewritten: BTreeMap::new() })
    }

    /// Whatever it gave to others is taken back from them, page by page.
    fn take_back_all_copies(&self) -> Result<()> {
        let (agent, mut after) = (self.agent.id, MemoryId::of(Id::NIL));
        loop {
            let page = self
                .mind
                .store
                .read(&self.caller, &[agent], |reader| memory::ids_after(reader, agent, after, PAGE))?;
            let Some(last) = page.last() else { break };
            after = *last;
            let page: Vec<Item> =
                page.iter().map(|id| Item { kind: ItemKind::Memory, id: id.id() }).collect();
            self.mind.take_away_copies(&self.agent, &page)?;
        }
        let mut after = Id::NIL;
        loop {
            let page = self
                .mind
                .store
                .read(&self.caller, &[agent], |reader| summaries::ids_after(reader, agent, after, PAGE))?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id();
            let page: Vec<Item> =
                page.iter().map(|id| Item { kind: ItemKind::Summary, id: id.id() }).collect();
            self.mind.take_away_copies(&self.agent, &page)?;
        }
    }

    /// The acts of forgetting of this agent, the newest first.
    pub fn erasures(&self, limit: usize) -> Result<Vec<Proof>> {
        check_limit(limit, MAX_PROOFS)?;
        Ok(self.mind.store.system(|reader| erasures::proofs(reader, self.agent.id, limit as i64))?)
    }

    /// The proof of one act of this agent, with what went.
    pub fn erasure(&self, id: ErasureId) -> Result<Option<LedgerEntry>> {
        let proof = self.mind.store.system(|reader| erasures::proof(reader, id))?;
        proof.filter(|proof| proof.agent == self.agent.id).map(|proof| self.mind.entry_of(proof)).transpose()
    }

    fn is_forgotten(&self, id: MemoryId) -> Result<bool> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            erasures::is_buried(reader, self.agent.id, id.id())
        })?)
    }

    /// Where a text still is: in which tables of this agent, and in which files of the data folder. For the operator.
    pub fn whereabouts(&self, text: &str) -> Result<Whereabouts> {
        if !self.caller.is_operator() {
            return Err(Error::Forbidden("only the operator looks through everything".into()));
        }
        crate::error::check_field("text", text, MAX_NAMED_BYTES)?;
        let looked_for = terms(text);
        let has_it = |stored: &str| {
            let spelt = stored.to_lowercase().contains(&text.to_lowercase());
            let run = || terms(stored).windows(looked_for.len().max(1)).any(|run| run == looked_for);
            spelt || run()
        };
        let rows = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut rows = BTreeMap::new();
            for place in words::with_words() {
                let found = words::search(reader, self.agent.id, place, has_it)?.len();
                if found > 0 {
                    rows.insert(place.table.to_owned(), found as u64);
                }
            }
            Ok(rows)
        })?;
        Ok(Whereabouts { rows, files: self.mind.files_with(text.as_bytes()) })
    }

    /// The entity of a name or an id, to be forgotten.
    pub fn entity_to_forget(&self, named: &str) -> Result<EntityId> {
        if let Ok(id) = named.parse::<EntityId>() {
            return Ok(id);
        }
        let key = selfsame_core::entity::name_key(named);
        let found = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            entities::by_name_keys(reader, self.agent.id, &[key.as_str()])
        })?;
        match found.get(&key).map(Vec::as_slice) {
            Some([one]) => Ok(*one),
            Some([_, _, ..]) => {
                Err(Error::Unfit(format!("more than one is called {named:?}: name them by id (ent_...)")))
            }
            _ => Err(Error::NoSuch { what: "entity", id: named.chars().take(64).collect() }),
        }
    }
}

/// What goes with these, which came in great numbers and leave so.
pub(crate) fn with_what_was_made_of(
    access: &Access<'_>,
    reader: &mut Reader,
    items: &[Item],
) -> StoreResult<Trace> {
    trace(access, reader, &Roots::Items(items), Reach::Accounts)
}

/// Adds to the ledger in a folder what is not in it yet; for tests and tools.
#[doc(hidden)]
pub fn append_to_ledger(folder: &Path, entries: &[LedgerEntry]) -> Result<()> {
    add_to(folder, entries)
}

impl Mind {
    /// Writes an act down in the ledger: before that nobody is told of it.
    pub(crate) fn write_down(&self, erasure: ErasureId) -> Result<()> {
        if let Some(proof) = self.store.system(|reader| erasures::proof(reader, erasure))? {
            let entry = self.entry_of(proof)?;
            self.ledger.add(&[entry])?;
        }
        Ok(())
    }

    /// What something said, hashed with the secret of the data folder.
    pub(crate) fn words_hash(&self, kind: &str, words: &str) -> [u8; 32] {
        self.ledger.words_hash(kind, words)
    }

    /// The proof of an act, of whichever agent; for the operator of the house. An agent that was forgotten whole has no door
    /// of its own any more.
    pub fn proof(&self, id: ErasureId) -> Result<Option<LedgerEntry>> {
        let proof = self.store.system(|reader| erasures::proof(reader, id))?;
        proof.map(|proof| self.entry_of(proof)).transpose()
    }

    /// Copies of the database that were made before an act and still have what it took away. Restoring one forgets it again.
    pub fn copies_with(&self, entry: &LedgerEntry) -> Result<Vec<PathBuf>> {
        let Some(folder) = self.ledger.folder() else { return Ok(Vec::new()) };
        let first = entry.items.iter().map(|one| one.item.minted_at()).min();
        let has_it = |made: selfsame_core::time::Time| {
            made <= entry.proof.at && first.is_none_or(|first| made >= first)
        };
        let mut found: Vec<PathBuf> = backups_in(folder)?
            .into_iter()
            .filter(|backup| has_it(backup.made_at))
            .map(|backup| backup.path)
            .collect();
        found.extend(self.set_aside());
        Ok(found)
    }

    /// Removes older copies that have what was forgotten since they were made; gives which. `made` is the copy that is kept.
    pub fn purge_copies(&self, made: &Backup) -> Result<Vec<PathBuf>> {
        let mut purged = BTreeSet::new();
        for entry in self.erasure_entries()? {
            purged.extend(self.copies_with(&entry)?.into_iter().filter(|path| *path != made.path));
        }
        for path in &purged {
            remove_copy(path);
        }
        Ok(purged.into_iter().collect())
    }

    /// The data folder, if there is one.
    pub fn home(&self) -> Option<&Path> {
        self.ledger.folder().and_then(Path::parent)
    }

    /// Databases that a restore set aside.
    pub(crate) fn set_aside(&self) -> Vec<PathBuf> {
        let Some(home) = self.home() else { return Vec::new() };
        let entries = fs::read_dir(home).into_iter().flatten().flatten();
        let is_aside = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("selfsame.db.before-"))
        };
        entries.map(|entry| entry.path()).filter(is_aside).collect()
    }

    /// The files of the data folder and the journals that have these bytes.
    fn files_with(&self, bytes: &[u8]) -> Vec<PathBuf> {
        let home = self.home().map(PathBuf::from);
        let mut waiting: Vec<PathBuf> = home.into_iter().chain(self.journal.clone()).collect();
        let mut found = BTreeSet::new();
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                waiting.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            } else if path.is_file() && fs::read(&path).is_ok_and(|all| holds(&all, bytes)) {
                found.insert(path);
            }
        }
        found.into_iter().collect()
    }
}

fn holds(all: &[u8], bytes: &[u8]) -> bool {
    let Some(first) = bytes.first() else { return false };
    let mut from = 0;
    while let Some(at) = all[from..].iter().position(|byte| byte == first) {
        if all[from + at..].starts_with(bytes) {
            return true;
        }
        from += at + 1;
    }
    false
}

/// Who may have what forgotten.
const NOT_THEIRS: &str = "only the agent, its operator or who said it may have it forgotten";

/// Inside a transaction an error is the store's; outside it is what it is.
fn told_plainly(error: StoreError) -> Error {
    match error {
        StoreError::Conflict(words) if words == NOT_THEIRS => Error::Forbidden(words),
        other => other.into(),
    }
}

/// Somebody wrote in between.
const CHANGED: &str =
    "what would go is not what the dry run showed: something came in between; look again with a dry run";

fn wanted(what: &What) -> Result<Option<Wanted>> {
    match what {
        What::Query(query) => match Wanted::of(query) {
            Some(wanted) => Ok(Some(wanted)),
            None => Err(Error::Unfit("the query has no word that says anything: name what is meant".into())),
        },
        _ => Ok(None),
    }
}

fn counts(found: &Trace, rewritten: bool) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (item, _) in found.going.iter().filter(|(_, why)| (**why == Why::Rewritten) == rewritten) {
        *counts.entry(item.kind.as_str().to_owned()).or_default() += 1;
    }
    counts
}

/// Counts, as a write gives them.
struct Counted(BTreeMap<String, u64>);

impl Replay for Counted {
    fn encode(&self) -> String {
        json!(self.0).to_string()
    }

    fn decode(stored: &str) -> std::result::Result<Counted, StoreError> {
        serde_json::from_str(stored).map(Counted).map_err(|_| StoreError::unreadable_reply())
    }
}

impl Replay for Forgotten {
    fn encode(&self) -> String {
        json!([self.erasure.to_string(), self.memories, self.removed, self.rewritten]).to_string()
    }

    fn decode(stored: &str) -> std::result::Result<Forgotten, StoreError> {
        let damaged = StoreError::unreadable_reply;
        // Versions before this one kept two numbers.
        if let Ok((erasure, memories)) = serde_json::from_str::<(String, u64)>(stored) {
            let removed = BTreeMap::from([("memory".to_owned(), memories)]);
            let erasure = erasure.parse().map_err(|_| damaged())?;
            return Ok(Forgotten { erasure, memories, removed, rewritten: BTreeMap::new() });
        }
        let (erasure, memories, removed, rewritten): (String, u64, _, _) =
            serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(Forgotten { erasure: erasure.parse().map_err(|_| damaged())?, memories, removed, rewritten })
    }
}

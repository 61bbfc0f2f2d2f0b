//! A whole house into another store, piece by piece: each agent in one transaction, so that who is interrupted goes on where
//! it stopped; then what belongs to no agent; then everything is compared.

use crate::agents;
use crate::copy::{Around, Passed, count_of, lines_of, owner_of};
use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::house::{self, Mark};
use crate::store::Store;
use crate::tables::{TABLES, Table};
use selfsame_core::id::AgentId;
use selfsame_core::seal::{hex, sha256};
use selfsame_core::time::Time;
use selfsame_core::trust::Caller;

/// What stays where it is: marks of the house, and what only one engine keeps.
const STAYS: [&str; 2] = ["house", "vector_codes"];
/// What has to be there before the rows of agents; the rest of the house's tables come after them.
const FIRST: &str = "embedding_models";

/// What a table held, as it was compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// Tables that were compared.
    pub tables: u64,
    /// Rows in them.
    pub rows: u64,
}

impl Store {
    /// What a house is known by while it moves: who lives in it.
    pub fn house_name(&self) -> Result<String> {
        let ids: Vec<[u8; 16]> =
            self.system(agents::all)?.iter().map(|agent| agent.id.id().bytes()).collect();
        let parts: Vec<&[u8]> = ids.iter().map(<[u8; 16]>::as_slice).collect();
        Ok(hex(&sha256(&parts)))
    }

    /// Makes the house one that is being left: nothing can be written into it any more.
    pub fn begin_leaving(&self, to: &str, now: Time) -> Result<()> {
        self.system_write(|writer| house::set(writer, Mark::Leaving, to, now))?;
        for agent in self.system(agents::all)? {
            self.write(&Caller::agent(None), &[agent.id], None, |writer| house::freeze(writer, agent.id))?;
        }
        Ok(())
    }

    /// The house is lived in again, whatever was begun or done.
    pub fn stay(&self) -> Result<()> {
        for agent in self.system(agents::all)? {
            self.write(&Caller::agent(None), &[agent.id], None, |writer| house::thaw(writer, agent.id))?;
        }
        self.system_write(|writer| {
            [Mark::Leaving, Mark::Left].into_iter().try_for_each(|mark| house::clear(writer, mark))
        })
    }

    /// Makes a store that is empty, or that the same house began to move into, one that it moves into.
    pub fn begin_arriving(&self, from: &str, now: Time) -> Result<()> {
        self.system_write(|writer| {
            let lived_in = !agents::all(writer)?.is_empty() || house::has_keys(writer)?;
            match house::mark(writer, Mark::Arriving)? {
                Some(known) if known == from => Ok(()),
                None if !lived_in => house::set(writer, Mark::Arriving, from, now),
                Some(_) => Err(StoreError::Conflict(
                    "another house is moving in there: finish that move, or name an empty place".into(),
                )),
                None => Err(StoreError::Conflict(
                    "there are agents or keys there already: a house moves into an empty place; single agents \
                     travel by `selfsame export` and `selfsame import`"
                        .into(),
                )),
            }
        })
    }

    /// Copies what is not there yet.
    pub fn move_to(&self, other: &Store, passed: &Passed<'_>) -> Result<()> {
        let stays = |table: &Table| STAYS.contains(&table.name);
        let is_empty = |table: &'static Table| -> Result<bool> {
            Ok(other.system(|reader| count_of(reader, table, None))? == 0)
        };
        for table in TABLES.iter().filter(|table| table.name == FIRST) {
            if is_empty(table)? {
                self.copy_house_seen(other, |one| one.name == FIRST, passed)?;
            }
        }
        let all = self.system(agents::all)?;
        // All of them before anything of one: an agent's rows may speak of another.
        let known = other.system(agents::all)?;
        let missing: Vec<AgentId> =
            all.iter().map(|agent| agent.id).filter(|id| known.iter().all(|one| one.id != *id)).collect();
        let around = Around { first: &mut |_| Ok(()), last: &mut |_| Ok(()), passed };
        self.copy_agents_to(other, &missing, &[], |table| table.name == "agents", around)?;
        for id in all.iter().map(|agent| agent.id) {
            if !other.read(&Caller::agent(None), &[id], |reader| house::has_head(reader, id))? {
                let wanted = |table: &Table| !matches!(table.name, "agents" | "house");
                let mut thaw = |writer: &mut Writer| house::thaw(writer, id);
                let around = Around { first: &mut |_| Ok(()), last: &mut thaw, passed };
                self.copy_agents_to(other, &[id], &[], wanted, around)?;
            }
        }
        for table in TABLES.iter().filter(|table| owner_of(table).is_none() && !stays(table)) {
            if table.name != FIRST && is_empty(table)? {
                self.copy_house_seen(other, |one| one.name == table.name, passed)?;
            }
        }
        Ok(())
    }

    /// How many rows a move takes along.
    pub fn rows_to_move(&self) -> Result<u64> {
        let agents: Vec<AgentId> = self.system(agents::all)?.iter().map(|agent| agent.id).collect();
        let mut rows = 0;
        for table in TABLES.iter().filter(|table| !STAYS.contains(&table.name)) {
            for owner in owners(table, &agents) {
                let of: Vec<AgentId> = owner.into_iter().collect();
                rows += self.read(&Caller::agent(None), &of, |reader| count_of(reader, table, owner))?;
            }
        }
        Ok(rows)
    }

    /// Holds every table of both against each other.
    pub fn compare(&self, other: &Store, passed: &Passed<'_>) -> Result<Compared> {
        let mut compared = Compared { tables: 0, rows: 0 };
        let agents: Vec<AgentId> = self.system(agents::all)?.iter().map(|agent| agent.id).collect();
        for table in TABLES.iter().filter(|table| !STAYS.contains(&table.name)) {
            for owner in owners(table, &agents) {
                let ((rows, ours), (there, theirs)) =
                    (self.digest(table, owner)?, other.digest(table, owner)?);
                if ours != theirs {
                    return Err(StoreError::Damaged(format!(
                        "{} has {rows} rows here and {there} there, or they differ: the move is not finished; run it \
                         again",
                        table.name
                    )));
                }
                compared.rows += rows;
                passed(rows);
            }
            compared.tables += 1;
        }
        Ok(compared)
    }

    /// How many rows there are of a table, and the hash of all of them.
    fn digest(&self, table: &'static Table, agent: Option<AgentId>) -> Result<(u64, String)> {
        let agents: Vec<AgentId> = agent.into_iter().collect();
        self.read(&Caller::agent(None), &agents, |reader: &mut Reader| {
            let mut hash = [0; 32];
            let rows = lines_of(reader, table, agent, &mut |line| {
                hash = sha256(&[&hash, without_freeze(table, line).as_bytes()]);
                Ok(())
            })?;
            Ok((rows, hex(&hash)))
        })
    }

    /// The other is the house now, and this one says so to whoever opens it.
    pub fn finish_leaving(&self, other: &Store, to: &str, now: Time) -> Result<()> {
        self.system_write(|writer| {
            house::set(writer, Mark::Left, to, now)?;
            house::clear(writer, Mark::Leaving)
        })?;
        other.finish_arriving()
    }

    /// Whether this house is the one that is moving in there.
    pub fn is_arriving_in(&self, other: &Store) -> Result<bool> {
        let name = self.house_name()?;
        Ok(other.system(|reader| house::mark(reader, Mark::Arriving))?.is_some_and(|known| known == name))
    }

    /// From now on it is lived in.
    pub fn finish_arriving(&self) -> Result<()> {
        self.system_write(|writer| house::clear(writer, Mark::Arriving))
    }
}

/// Whose rows of a table are gone through one after the other; none: the house's.
fn owners(table: &Table, agents: &[AgentId]) -> Vec<Option<AgentId>> {
    match owner_of(table) {
        Some(_) => agents.iter().copied().map(Some).collect(),
        None => vec![None],
    }
}

/// That it is frozen is true of the old house only.
fn without_freeze(table: &Table, line: &str) -> String {
    match table.name {
        "agent_heads" => {
            let Some((before, after)) = line.split_once("\"moved_seq\":") else { return line.to_owned() };
            let end = after.find([',', '}']).unwrap_or(after.len());
            format!("{before}{}", &after[end..])
        }
        _ => line.to_owned(),
    }
}

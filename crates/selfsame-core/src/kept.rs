//! Words that somebody said and that are kept: whatever layer they belong to, they carry their provenance, and a seal
//! binds both.
//!
//! A layer says what of its rows never changes ([`Words`]); the rest is the same for all of them. A [`Kept`] row exists
//! only as a new one, or as a stored one whose seal was just checked.

use crate::id::{AgentId, Id};
use crate::seal::{Damaged, Intact, Seal, Sealer};
use crate::trust::{Provenance, StoredProvenance};
use std::ops::{Deref, DerefMut};

/// A row's content, as its layer knows it.
pub trait Words {
    /// Its table.
    const TABLE: &'static str;

    /// What people see when it is damaged: `diary entry dia_...`
    fn name(&self) -> String;

    /// Whose it is.
    fn agent(&self) -> AgentId;

    /// Its bare id.
    fn id(&self) -> Id;

    /// Binds every column that never changes, by its name. A column that came with a later version is bound only where
    /// it has a value, so that older seals still fit.
    fn seal_into(&self, sealer: Sealer) -> Sealer;
}

/// In an `impl Words`: its table, what people call it, and that it has the fields `id` and `agent` as all of them do.
macro_rules! row {
    ($table:literal, $what:literal) => {
        const TABLE: &'static str = $table;

        fn name(&self) -> String {
            format!(concat!($what, " {}"), self.id)
        }

        fn agent(&self) -> $crate::id::AgentId {
            self.agent
        }

        fn id(&self) -> $crate::id::Id {
            self.id.id()
        }
    };
}
pub(crate) use row;

/// A row that may be believed.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept<T> {
    /// What it says.
    pub words: T,
    /// Where it comes from.
    pub provenance: Provenance,
    /// How many tokens the words have, where they were counted. Not sealed: it follows from the words.
    pub tokens: Option<u32>,
}

impl<T: Words> Kept<T> {
    /// A new row.
    pub fn new(words: T, provenance: Provenance) -> Kept<T> {
        Kept { words, provenance, tokens: None }
    }

    /// The same, with its words counted.
    pub fn counted(self, tokens: usize) -> Kept<T> {
        Kept { tokens: u32::try_from(tokens).ok(), ..self }
    }

    /// Believes a stored row, if its seal fits.
    pub fn restore(words: T, provenance: StoredProvenance, row_hash: &[u8]) -> Result<Kept<T>, Spoiled> {
        let intact: Result<Intact, Damaged> = provenance.seal_into(sealer(&words)).seal().check(row_hash);
        match intact {
            Ok(intact) => {
                Ok(Kept { provenance: Provenance::restored(provenance, &intact), words, tokens: None })
            }
            Err(_) => {
                Err(Spoiled { id: words.id(), name: words.name(), what: "its content does not fit its seal" })
            }
        }
    }

    /// The seal over everything that may not change.
    pub fn seal(&self) -> Seal {
        self.provenance.seal_into(sealer(&self.words)).seal()
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.words
    }
}

impl<T> DerefMut for Kept<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.words
    }
}

fn sealer<T: Words>(words: &T) -> Sealer {
    words.seal_into(Sealer::new(T::TABLE).id("agent_id", words.agent().id()).id("id", words.id()))
}

/// A stored row that must not be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is damaged: {what}")]
pub struct Spoiled {
    /// Which, bare.
    pub id: Id,
    /// Which, for people.
    pub name: String,
    /// Why.
    pub what: &'static str,
}

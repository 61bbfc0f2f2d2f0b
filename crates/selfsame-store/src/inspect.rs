//! What the database says of itself: its own integrity check, its size.

use crate::error::Result;
use crate::store::Store;

impl Store {
    /// What the engine itself finds wrong with its files. A PostgreSQL server checks its pages on its own.
    pub fn integrity(&self) -> Result<Vec<String>> {
        match self.backend_sqlite() {
            Some(database) => database.integrity(),
            None => Ok(Vec::new()),
        }
    }
}

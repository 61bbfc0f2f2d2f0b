//! A copy of the database while it is in use.

use crate::error::{Result, StoreError};
use crate::store::Store;
use std::path::Path;

impl Store {
    /// Writes a whole, compact copy of one moment to `path`, which must not be there. Writers are not held up. The copy
    /// has no free pages, so nothing that was forgotten is in it.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        match self.backend_sqlite() {
            Some(database) => database.copy_to(path),
            None => Err(StoreError::Unusable(
                "a PostgreSQL database is backed up with PostgreSQL's own tools (pg_dump, or pg_basebackup with WAL \
                 archiving for any point in time)"
                    .into(),
            )),
        }
    }
}

//! A list goes on without a damaged row, and names it: one bad sector must not hide a whole calendar.

use selfsame_core::kept::Kept;
use selfsame_store::StoreError;

/// The rows that may be believed, and the names of those that may not.
pub(crate) type Sound<T> = (Vec<Kept<T>>, Vec<String>);

/// Parts what was read.
pub(crate) fn sound<R>(read: Vec<Result<R, StoreError>>) -> Result<(Vec<R>, Vec<String>), StoreError> {
    let (mut rows, mut damaged) = (Vec::with_capacity(read.len()), Vec::new());
    for row in read {
        match row {
            Ok(row) => rows.push(row),
            Err(StoreError::Spoiled(spoiled)) => damaged.push(spoiled.name),
            Err(error) => return Err(error),
        }
    }
    Ok((rows, damaged))
}

/// All of what was read, where one that may not be believed is reason to stop.
pub(crate) fn all_sound<T>(read: Vec<Result<Kept<T>, StoreError>>) -> Result<Vec<Kept<T>>, StoreError> {
    read.into_iter().collect()
}

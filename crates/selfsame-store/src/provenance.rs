//! The columns that say where a row comes from: the same five in every table that holds somebody's words.

use crate::db::Reader;
use crate::error::{Result, StoreError};
use crate::statement::Statement;
use crate::value::{Fields, Value, params};
use selfsame_core::id::{AgentId, Id, PrincipalId};
use selfsame_core::kept::{Kept, Words};
use selfsame_core::trust::{Author, Provenance, StoredProvenance};

/// Their names, in the order in which [`values`] binds and [`stored`] reads them.
macro_rules! provenance_columns {
    () => {
        "author, source_ref, principal_id, private, trust"
    };
}
pub(crate) use provenance_columns;

/// The same for words whose tokens are counted: how many, and then the provenance.
macro_rules! counted_columns {
    () => {
        "tokens, author, source_ref, principal_id, private, trust"
    };
}
pub(crate) use counted_columns;

/// What is bound for them.
pub(crate) fn values(provenance: &Provenance) -> [Value; 5] {
    [
        provenance.author().as_str().into(),
        provenance.source().into(),
        provenance.principal_id().map(PrincipalId::id).into(),
        provenance.is_private().into(),
        provenance.trust().value().into(),
    ]
}

/// What is read from them; to be believed when the row's seal fits.
pub(crate) fn stored(fields: &mut Fields) -> Result<StoredProvenance> {
    let author = fields.text()?;
    Ok(StoredProvenance {
        author: Author::parse(&author).ok_or_else(|| StoreError::Damaged("an author is unknown".into()))?,
        source: fields.opt_text()?,
        principal: fields.opt_id()?.map(PrincipalId::of),
        private: fields.bool()?,
        trust: fields.real()?,
    })
}

/// Believes a row, if its seal fits. The provenance and then `row_hash` are the next columns.
pub(crate) fn believed<T: Words>(words: T, fields: &mut Fields) -> Result<Kept<T>> {
    let provenance = stored(fields)?;
    Ok(Kept::restore(words, provenance, &fields.bytes()?)?)
}

/// Believes a row whose tokens are counted, if its seal fits. What an earlier version stored was not counted.
pub(crate) fn counted_believed<T: Words>(words: T, fields: &mut Fields) -> Result<Kept<T>> {
    let tokens = fields.opt_int()?.and_then(|tokens| u32::try_from(tokens).ok());
    Ok(Kept { tokens, ..believed(words, fields)? })
}

/// Which of these rows are in the name of a principal, as they say themselves: their seals are not looked at. The statement
/// asks the table that they are in.
pub(crate) fn of_principal(
    reader: &mut Reader,
    statement: &Statement,
    agent: AgentId,
    principal: PrincipalId,
    ids: &[Id],
) -> Result<Vec<Id>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(*id)).collect();
    let rows = reader.rows_in(statement, agent, params![principal.id()], &list)?;
    rows.into_iter().map(|row| row.fields().id()).collect()
}

/// The tokens, the provenance and `row_hash` of a new row, to be bound in this order.
pub(crate) fn counted_sealed<T: Words>(row: &Kept<T>) -> Vec<Value> {
    let mut bound = vec![row.tokens.map(i64::from).into()];
    bound.extend(sealed(row));
    bound
}

/// The provenance and `row_hash` of a new row, to be bound in this order.
pub(crate) fn sealed<T: Words>(row: &Kept<T>) -> Vec<Value> {
    let mut bound = values(&row.provenance).to_vec();
    bound.push(row.seal().bytes().into());
    bound
}

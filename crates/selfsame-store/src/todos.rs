//! To-dos: their words stay, where they stand may change.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{believed, provenance_columns, sealed};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::heartbeat::FellDue;
use selfsame_core::id::{AgentId, Id, PrincipalId, TodoId};
use selfsame_core::kept::Kept;
use selfsame_core::time::Time;
use selfsame_core::todo::{Priority, Standing, Todo, TodoStatus};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, description, created_at, priority, due_at, status, remind, finished_at, updated_at, ",
            provenance_columns!(),
            ", row_hash FROM todos WHERE agent_id = $1 AND ",
            $rest
        )
    };
}

statements! {
    agent FELL_DUE = "SELECT status, due_at, finished_at FROM todos WHERE agent_id = $1
        AND COALESCE(principal_id, $2) = $3 AND due_at > $4 AND due_at <= $5 AND status <> 'cancelled'";
    agent INSERT = concat!("INSERT INTO todos (agent_id, id, title, description, created_at, priority, due_at, status,
        remind, finished_at, updated_at, ", provenance_columns!(), ", row_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)");
    agent BY_ID = select!("id = $2");
    agent WITH_STATUS = select!("status IN ({list})");
    agent PAGE = select!("id > $2 ORDER BY id LIMIT $3");
    agent CHANGE = "UPDATE todos SET priority = $3, due_at = $4, status = $5, remind = $6, finished_at = $7,
        updated_at = $8 WHERE agent_id = $1 AND id = $2";
}

/// Adds a to-do.
pub fn insert(writer: &mut Writer, todo: &Kept<Todo>) -> Result<()> {
    let mut bound: Vec<Value> =
        params![todo.id.id(), &todo.title, todo.description.as_deref(), todo.created_at].to_vec();
    bound.extend(standing_values(&todo.standing));
    bound.extend(sealed(todo));
    writer.execute(&INSERT, todo.agent, &bound)?;
    Ok(())
}

/// One to-do.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: TodoId) -> Result<Option<Kept<Todo>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| todo(agent, row)).transpose()
}

/// All that stand so, in no order.
pub fn with_status(
    reader: &mut Reader,
    agent: AgentId,
    among: &[TodoStatus],
) -> Result<Vec<Result<Kept<Todo>>>> {
    let list: Vec<Value> = among.iter().map(|status| status.as_str().into()).collect();
    let rows = reader.rows_in(&WITH_STATUS, agent, &[], &list)?;
    Ok(rows.into_iter().map(|row| todo(agent, row)).collect())
}

/// The next to-dos after an id.
pub fn page(reader: &mut Reader, agent: AgentId, after: Id, limit: i64) -> Result<Vec<Result<Kept<Todo>>>> {
    let rows = reader.rows(&PAGE, agent, params![after, limit])?;
    Ok(rows.into_iter().map(|row| todo(agent, row)).collect())
}

/// Sets where it stands.
pub fn change(writer: &mut Writer, agent: AgentId, id: TodoId, standing: &Standing) -> Result<()> {
    let mut bound: Vec<Value> = vec![id.id().into()];
    bound.extend(standing_values(standing));
    writer.execute(&CHANGE, agent, &bound)?;
    Ok(())
}

fn standing_values(standing: &Standing) -> [Value; 6] {
    let Standing { priority, due_at, status, remind, finished_at, updated_at } = *standing;
    [
        priority.as_str().into(),
        due_at.into(),
        status.as_str().into(),
        remind.into(),
        finished_at.into(),
        updated_at.into(),
    ]
}

fn todo(agent: AgentId, row: Row) -> Result<Kept<Todo>> {
    let mut fields = row.fields();
    let words = Todo {
        id: TodoId::of(fields.id()?),
        agent,
        title: fields.text()?,
        description: fields.opt_text()?,
        created_at: fields.time()?,
        standing: standing(&mut fields)?,
    };
    believed(words, &mut fields)
}

fn standing(fields: &mut Fields) -> Result<Standing> {
    let unknown = |_| StoreError::Damaged("a priority or status of a to-do is unknown".into());
    Ok(Standing {
        priority: Priority::parse(&fields.text()?).map_err(unknown)?,
        due_at: fields.opt_time()?,
        status: TodoStatus::parse(&fields.text()?).map_err(unknown)?,
        remind: fields.bool()?,
        finished_at: fields.opt_time()?,
        updated_at: fields.time()?,
    })
}

/// A principal's to-dos that fell due in a span of time. What the agent added for itself is the operator's.
pub fn fell_due(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    operator: PrincipalId,
    (since, until): (Time, Time),
) -> Result<Vec<FellDue>> {
    let one = |row: Row| {
        let mut fields = row.fields();
        let status = TodoStatus::parse(&fields.text()?).map_err(|word| crate::heartbeat::unknown(&word))?;
        Ok(FellDue { status, due_at: fields.time()?, finished_at: fields.opt_time()? })
    };
    let bound = params![operator.id(), principal.id(), since, until];
    reader.rows(&FELL_DUE, agent, bound)?.into_iter().map(one).collect()
}

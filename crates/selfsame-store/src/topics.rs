//! What principals speak of on which days, and what has become a habit.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Value, params};
use selfsame_core::heartbeat::habit::{Day, Habit};
use selfsame_core::id::{AgentId, EntityId, PrincipalId};
use std::collections::BTreeSet;

statements! {
    agent ADD_DAY = "INSERT INTO topic_days (agent_id, serves_id, topic_id, week, weekday) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (agent_id, serves_id, topic_id, week, weekday) DO NOTHING";
    agent DAYS = "SELECT week, weekday FROM topic_days
        WHERE agent_id = $1 AND serves_id = $2 AND topic_id = $3 AND week >= $4";
    agent DROP_HABITS = "DELETE FROM topic_habits WHERE agent_id = $1 AND serves_id = $2 AND topic_id = $3";
    agent ADD_HABITS = "INSERT INTO topic_habits (agent_id, serves_id, topic_id, weekday, weeks, lift, holds_until)
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?}";
}

/// The topic came up on that day; says whether that is news.
pub fn add_day(
    writer: &mut Writer,
    agent: AgentId,
    principal: PrincipalId,
    topic: EntityId,
    day: Day,
) -> Result<bool> {
    let bound = params![principal.id(), topic.id(), day.week, day.weekday];
    Ok(writer.execute(&ADD_DAY, agent, bound)? > 0)
}

/// The days on which the topic came up, since a week.
pub fn days(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    topic: EntityId,
    since: i64,
) -> Result<BTreeSet<Day>> {
    let rows = reader.rows(&DAYS, agent, params![principal.id(), topic.id(), since])?;
    let day = |row: crate::value::Row| {
        let mut fields = row.fields();
        Ok(Day { week: fields.int()?, weekday: fields.int()? })
    };
    rows.into_iter().map(day).collect()
}

/// These are the habits of the topic from now on.
pub fn set_habits(
    writer: &mut Writer,
    agent: AgentId,
    principal: PrincipalId,
    topic: EntityId,
    habits: &[Habit],
) -> Result<()> {
    writer.execute(&DROP_HABITS, agent, params![principal.id(), topic.id()])?;
    let row = |habit: &Habit| -> Vec<Value> {
        let Habit { weekday, weeks, lift, holds_until } = habit;
        let weeks = i64::try_from(*weeks).unwrap_or(i64::MAX);
        params![principal.id(), topic.id(), *weekday, weeks, *lift, *holds_until].to_vec()
    };
    let rows: Vec<Vec<Value>> = habits.iter().map(row).collect();
    writer.insert_all(&ADD_HABITS, agent, &rows).map(drop)
}

//! A plain connection beside the store, for looking at what it stored and for attacking it.

use postgres::SimpleQueryMessage;
use rusqlite::types::ValueRef;

/// A connection that nothing stands in front of. Errors come as the engine's own message.
pub enum Raw {
    /// To the file.
    Sqlite(rusqlite::Connection),
    /// To the server, as whoever it was opened for.
    Postgres(postgres::Client),
}

impl Raw {
    /// A connection to an SQLite file, made if it is missing.
    pub fn sqlite(path: &std::path::Path) -> Raw {
        Raw::Sqlite(rusqlite::Connection::open(path).unwrap_or_else(|error| panic!("{error}")))
    }

    /// Runs statements; gives the number of rows that the last one changed.
    pub fn run(&mut self, sql: &str) -> Result<u64, String> {
        match self {
            Raw::Sqlite(connection) => {
                connection.execute_batch(sql).map_err(|error| error.to_string())?;
                Ok(connection.changes())
            }
            Raw::Postgres(client) => {
                let answers = client.simple_query(sql).map_err(|error| message(&error))?;
                let changed = answers.iter().rev().find_map(|answer| match answer {
                    SimpleQueryMessage::CommandComplete(rows) => Some(*rows),
                    _ => None,
                });
                Ok(changed.unwrap_or(0))
            }
        }
    }

    /// Rows as text, NULL as nothing.
    pub fn rows(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        match self {
            Raw::Sqlite(connection) => {
                let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
                let columns = statement.column_count();
                let rows = statement
                    .query_map([], |row| (0..columns).map(|place| Ok(text(row.get_ref(place)?))).collect())
                    .and_then(Iterator::collect);
                rows.unwrap_or_else(|error: rusqlite::Error| panic!("{error}: {sql}"))
            }
            Raw::Postgres(client) => {
                let answers =
                    client.simple_query(sql).unwrap_or_else(|error| panic!("{}: {sql}", message(&error)));
                let rows = answers.iter().filter_map(|answer| match answer {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                rows.map(|row| (0..row.len()).map(|place| row.get(place).map(str::to_owned)).collect())
                    .collect()
            }
        }
    }

    /// The first column of every row; NULL is left out.
    pub fn texts(&mut self, sql: &str) -> Vec<String> {
        self.rows(sql).into_iter().filter_map(|row| row.into_iter().next().flatten()).collect()
    }

    /// The one number that a query gives.
    pub fn number(&mut self, sql: &str) -> i64 {
        self.texts(sql)
            .first()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| panic!("no number: {sql}"))
    }
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}

fn message(error: &postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |said| said.message().to_owned())
}

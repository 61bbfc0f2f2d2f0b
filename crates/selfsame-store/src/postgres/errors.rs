//! What a server or its client says when something goes wrong, in our words.

use crate::error::StoreError;
use crate::statement::Statement;
use ::postgres::error::SqlState;
use std::error::Error;
use std::fmt::Write as _;

/// An error with what caused it, on one line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string().replace('\n', " ");
    let mut cause = error.source();
    while let Some(error) = cause {
        write!(text, ": {}", error.to_string().replace('\n', " ")).unwrap_or_default();
        cause = error.source();
    }
    text
}

pub(super) fn about(statement: &Statement, error: StoreError) -> StoreError {
    match error {
        StoreError::Failed(what) => StoreError::Failed(format!("{what} (in {})", statement.name)),
        other => other,
    }
}

/// A PostgreSQL error in our words.
impl From<::postgres::Error> for StoreError {
    fn from(error: ::postgres::Error) -> StoreError {
        let Some(said) = error.as_db_error() else {
            return if error.is_closed() || is_io(&error) {
                StoreError::Unreachable(chain(&error))
            } else {
                StoreError::Failed(chain(&error))
            };
        };
        let message = said.message().to_owned();
        let code = said.code();
        let lost = [
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::CONNECTION_FAILURE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        let refused = [
            SqlState::CHECK_VIOLATION,
            SqlState::FOREIGN_KEY_VIOLATION,
            SqlState::NOT_NULL_VIOLATION,
            SqlState::INSUFFICIENT_PRIVILEGE,
        ];
        if lost.contains(code) {
            StoreError::Unreachable(message)
        } else if *code == SqlState::UNIQUE_VIOLATION {
            StoreError::Duplicate(message)
        } else if refused.contains(code) {
            StoreError::Refused(message)
        } else if *code == SqlState::QUERY_CANCELED {
            StoreError::TimedOut
        } else if *code == SqlState::DISK_FULL {
            StoreError::Full
        } else {
            StoreError::Failed(message)
        }
    }
}

fn is_io(error: &::postgres::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<std::io::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

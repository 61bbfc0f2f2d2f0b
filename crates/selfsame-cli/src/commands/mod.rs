//! One command, one file: its arguments, whose doc comments are its help, and what it prints.

pub(crate) mod agent;
pub(crate) mod backup;
pub(crate) mod calendar;
pub(crate) mod config;
pub(crate) mod diary;
pub(crate) mod doctor;
pub(crate) mod duty;
pub(crate) mod events;
pub(crate) mod forget;
pub(crate) mod init;
pub(crate) mod key;
pub(crate) mod mcp;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod soul;
pub(crate) mod status;
pub(crate) mod todo;
pub(crate) mod verify;

//! One command, one file: its arguments, whose doc comments are its help, and what it prints.

pub(crate) mod agent;
pub(crate) mod backup;
pub(crate) mod config;
pub(crate) mod conversation;
pub(crate) mod doctor;
pub(crate) mod duty;
pub(crate) mod entity;
pub(crate) mod events;
pub(crate) mod forget;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod key;
pub(crate) mod lessons;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod monitor;
pub(crate) mod principal;
pub(crate) mod recall;
pub(crate) mod reflections;
pub(crate) mod relate;
pub(crate) mod remember;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod verify;

//! The only crate that knows tokio, HTTP, MCP, WebSocket, LLM clients and wire formats.
//!
//! One table ([`operations::TABLE`]) lists every operation with its request, its reply and its doors. HTTP routes, MCP
//! tools and what the command line calls are all made from it, so no door has logic of its own. The engine waits for
//! the disk, so it runs on plain threads ([`pool`]); async code only carries requests to them.

mod attendance;
pub mod backend;
pub mod background;
mod child;
mod client;
mod connections;
pub mod couriers;
#[cfg(feature = "embed")]
pub mod download;
pub mod embedders;
mod embedding;
mod failure;
mod guest;
pub mod http;
pub mod mcp;
pub mod operations;
mod pause;
pub mod pool;
mod reach;
mod runner;
pub mod serve;
mod signed;
mod strict_json;
pub mod thinkers;
mod thinking;
mod tls;
mod web;
pub mod wire;

pub use backend::{Backend, DashboardCode, Home};
pub use background::Launch;
pub use embedding::embedder;
pub use failure::Failure;
pub use guest::Guest;

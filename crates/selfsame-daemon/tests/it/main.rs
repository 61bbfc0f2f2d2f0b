//! Integration tests of the daemon: every operation at every door, and what HTTP refuses.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod couriers;
mod dashboard;
mod desk;
#[cfg(feature = "embed")]
mod download;
mod embedders;
mod events;
mod house;
mod http;
mod http_bodies;
mod http_host;
mod http_keys;
mod http_mcp;
mod limits;
mod moving;
mod openapi;
mod played;
mod pool;
mod repeats;
mod samples;
mod secrets;
mod stop;
mod streams;
mod table;
mod thinkers;
mod thinkers_beside;
mod thinkers_mind;
mod thinkers_obedient;
mod thinkers_real;
mod tls;
mod toolbox;

//! Integration tests of the daemon: every operation at every door, and what HTTP refuses.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod couriers;
mod desk;
mod embedders;
mod house;
mod http;
mod http_bodies;
mod http_host;
mod http_keys;
mod played;
mod pool;
mod repeats;
mod stop;
mod table;
mod thinkers;
mod thinkers_beside;
mod thinkers_real;
mod toolbox;

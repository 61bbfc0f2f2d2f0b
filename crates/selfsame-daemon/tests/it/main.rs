//! Integration tests of the daemon: every operation at every door, and what HTTP refuses.

mod house;
mod http;
mod http_bodies;
mod http_keys;
mod pool;
mod repeats;
mod stop;
mod table;

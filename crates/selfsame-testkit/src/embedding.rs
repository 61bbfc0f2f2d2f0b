//! The real model that tests embed with.

use std::path::PathBuf;

/// The folder with all-MiniLM-L6-v2, as `cargo xtask model` makes it.
pub fn model_folder() -> PathBuf {
    std::env::var_os("SELFSAME_TEST_MODEL").map_or_else(
        || {
            panic!(
                "SELFSAME_TEST_MODEL is not set, so there is no model to embed with: run `cargo xtask test`, or \
                 `export SELFSAME_TEST_MODEL=$(cargo xtask model)`"
            )
        },
        PathBuf::from,
    )
}

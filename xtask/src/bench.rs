//! The `bench` command: the benchmarks of `benches/`, built with optimisation.

use anyhow::Result;

use crate::command;

/// Runs the benchmarks named, or all; `--quick` goes through to them. PostgreSQL is measured too when
/// `SELFSAME_TEST_PG` names a server (`cargo xtask pg` lends one).
pub fn run(arguments: &[String]) -> Result<()> {
    let mut cargo =
        command::cargo(&["run", "--release", "--quiet", "--locked", "--package", "selfsame-benches", "--"])?;
    command::run(cargo.args(arguments))
}

//! The `bench` command: the benchmarks of `benches/`, built with optimisation.

use anyhow::Result;

use crate::command;

/// Runs the benchmarks named, or all; `--quick` goes through to them. PostgreSQL is measured too when
/// `SELFSAME_TEST_PG` names a server (`cargo xtask pg` lends one).
pub fn run(arguments: &[String]) -> Result<()> {
    // What is measured from outside: the executable.
    command::run(&mut command::cargo(&[
        "build",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "selfsame-cli",
    ])?)?;
    let mut cargo =
        command::cargo(&["run", "--release", "--quiet", "--locked", "--package", "selfsame-benches", "--"])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let executable = std::path::absolute(std::path::Path::new(&target).join("release/selfsame"))?;
    cargo.env("SELFSAME_BENCH_EXECUTABLE", executable);
    command::run(cargo.args(arguments))
}

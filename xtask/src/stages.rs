//! The stages of `cargo xtask test`: what each one runs, in which order, and how long it took.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::postgres::Servers;
use crate::{cache, command, setup};

/// One step of the test run, which can also be run alone.
pub struct Stage {
    /// As it is named on the command line.
    pub name: &'static str,
    /// For the help.
    pub purpose: &'static str,
    body: fn(&mut Shared) -> Result<()>,
}

/// Every stage, in the order they run: cheap ones first, so that a mistake is told early.
pub const ALL: &[Stage] = &[
    Stage {
        name: "setup",
        purpose: "install what the other stages need and the machine lacks",
        body: |_| setup::run(),
    },
    Stage { name: "fmt", purpose: "the formatting", body: |_| fmt() },
    Stage { name: "clippy", purpose: "the lints, every warning an error", body: |_| clippy() },
    Stage { name: "deny", purpose: "the dependencies: bans, licences, sources", body: |_| deny() },
    Stage { name: "test", purpose: "every Rust test, on SQLite and PostgreSQL", body: test },
    Stage { name: "doc", purpose: "the API documentation, every warning an error", body: |_| doc() },
    Stage {
        name: "foreign",
        purpose: "the built executable, driven by somebody else's MCP clients",
        body: foreign,
    },
    Stage {
        name: "openapi",
        purpose: "the HTTP door, asked at random by its own document, with good keys and bad ones",
        body: |_| openapi(EXAMPLES),
    },
    Stage {
        name: "browser",
        purpose: "the built executable's dashboard, in a real browser",
        body: |_| browser(&[]),
    },
];

/// What stages share: the servers start with the first stage that needs them and stay to the end of the run.
#[derive(Default)]
struct Shared {
    servers: Option<Servers>,
}

impl Shared {
    fn with_servers(&mut self, command: &mut Command) -> Result<()> {
        let servers = match self.servers.take() {
            Some(servers) => servers,
            None => Servers::start()?,
        };
        let servers = self.servers.insert(servers);
        command::run(command.envs(servers.environment()?))
    }
}

/// Runs the stages named, or all. The first failure ends the run.
pub fn run(wanted: &[String]) -> Result<()> {
    let chosen = choose(wanted)?;
    let mut shared = Shared::default();
    let mut times = Vec::new();
    for stage in chosen {
        println!("==> {}", stage.name);
        let start = Instant::now();
        let result = (stage.body)(&mut shared);
        let took = start.elapsed();
        let outcome = if result.is_ok() { "ok" } else { "FAILED" };
        println!("<== {} {outcome}, {}", stage.name, seconds(took));
        times.push((stage.name, took, outcome));
        if let Err(error) = result {
            print_times(&times);
            bail!("stage `{0}` failed: {error:#}\nrun it alone with: cargo xtask test {0}", stage.name);
        }
    }
    drop(shared);
    print_times(&times);
    println!("passed: {} of {} stages", times.len(), ALL.len());
    Ok(())
}

fn choose(wanted: &[String]) -> Result<Vec<&'static Stage>> {
    for name in wanted {
        if !ALL.iter().any(|stage| stage.name == name) {
            let names: Vec<&str> = ALL.iter().map(|stage| stage.name).collect();
            bail!("there is no stage `{name}`; the stages are: {}", names.join(", "));
        }
    }
    let chosen = ALL.iter().filter(|stage| wanted.is_empty() || wanted.iter().any(|name| name == stage.name));
    Ok(chosen.collect())
}

fn print_times(times: &[(&str, Duration, &str)]) {
    println!("\n{:<9} {:>9}", "stage", "time");
    for (name, took, outcome) in times {
        println!("{name:<9} {:>9}  {outcome}", seconds(*took));
    }
    let total = times.iter().map(|(_, took, _)| *took).sum();
    println!("{:<9} {:>9}\n", "total", seconds(total));
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

fn fmt() -> Result<()> {
    command::run(&mut command::cargo(&["fmt", "--all", "--check"])?)
}

fn clippy() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    command::run(&mut command::cargo(&arguments)?)
}

/// The advisories are left out: their database comes from a host that a build machine may not reach.
fn deny() -> Result<()> {
    let program = setup::cargo_deny()?;
    setup::require(&program)?;
    let arguments = ["--locked", "--log-level", "error", "check", "bans", "licenses", "sources"];
    command::run(Command::new(program).args(arguments).current_dir(cache::repository()))
}

fn test(shared: &mut Shared) -> Result<()> {
    shared.with_servers(&mut command::cargo(&["test", "--workspace", "--locked"])?)?;
    // Once more without the application's own filter of agents: what is left is row-level security.
    let alone =
        ["test", "--locked", "--package", "selfsame-testkit", "--features", "unfiltered", "--test", "it"];
    shared.with_servers(command::cargo(&alone)?.arg("unfiltered::"))
}

fn doc() -> Result<()> {
    let mut cargo = command::cargo(&["doc", "--workspace", "--no-deps", "--locked"])?;
    command::run(cargo.env("RUSTDOCFLAGS", "-D warnings"))
}

fn foreign(shared: &mut Shared) -> Result<()> {
    let python = setup::python()?;
    setup::require(&python)?;
    command::run(&mut command::cargo(&["build", "--package", "selfsame-cli", "--locked"])?)?;
    let inspector = setup::inspector()?;
    setup::require(&inspector)?;
    let run = |script: &str| {
        let mut client = Command::new(&python);
        client.arg(format!("{FOREIGN}/{script}")).arg(executable()?).current_dir(cache::repository());
        Ok::<_, anyhow::Error>(client)
    };
    shared.with_servers(&mut run("mcp_slice.py")?)?;
    command::run(&mut run("mcp_every_tool.py")?)?;
    command::run(run("mcp_inspector.py")?.arg(inspector))
}

/// Where the scripts of foreign clients are.
const FOREIGN: &str = "crates/selfsame-daemon/tests/foreign";
/// Examples for each operation in the default run.
const EXAMPLES: u64 = 6;

fn executable() -> Result<PathBuf> {
    Ok(cache::target()?.join("debug/selfsame"))
}

/// Asks about every operation of the OpenAPI document so many times.
fn openapi(examples: u64) -> Result<()> {
    command::run(&mut openapi_client(examples)?)
}

/// What does so, ready to be run.
pub fn openapi_client(examples: u64) -> Result<Command> {
    let python = setup::schemathesis()?;
    setup::require(&python)?;
    command::run(&mut command::cargo(&["build", "--package", "selfsame-cli", "--locked"])?)?;
    let mut client = Command::new(python);
    client.arg(format!("{FOREIGN}/openapi_keys.py")).arg(executable()?).arg(examples.to_string());
    client.current_dir(cache::repository());
    Ok(client)
}

/// The dashboard in a real browser; the flags are those of `run.mjs`.
pub fn browser(flags: &[&str]) -> Result<()> {
    let playwright = setup::playwright()?;
    setup::require(&playwright)?;
    command::run(&mut command::cargo(&["build", "--package", "selfsame-cli", "--locked"])?)?;
    let executable: PathBuf = cache::target()?.join("debug/selfsame");
    let mut node = Command::new("node");
    node.arg("crates/selfsame-daemon/tests/browser/run.mjs").arg(executable).arg(playwright).args(flags);
    // What is tested is on this machine: no proxy has a part in it.
    command::run(node.env("NO_PROXY", "*").current_dir(cache::repository()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_list_and_not_of_the_arguments() {
        let chosen = choose(&["test".to_string(), "fmt".to_string()]).unwrap();
        let names: Vec<&str> = chosen.iter().map(|stage| stage.name).collect();
        assert_eq!(names, ["fmt", "test"]);
    }
}

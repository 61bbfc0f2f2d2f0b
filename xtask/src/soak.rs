//! The `soak` command: tests of the suite at sizes and for times that a suite has no room for. Each adds a line to
//! `docs/reliability.md`.

use anyhow::{Context, Result, bail};

use crate::postgres::Servers;
use crate::{command, reliability, stages};

/// A test, and what makes it long.
struct Soak {
    name: &'static str,
    purpose: &'static str,
    package: &'static str,
    filter: &'static str,
    /// Where it is the time that somebody wants to know, it is built as it is given away.
    profile: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const ALL: &[Soak] = &[
    Soak {
        name: "link",
        purpose: "two agents with 50,000 memories each are linked while others read and write, and the link is taken back",
        package: "selfsame",
        filter: "link::sqlite_many",
        profile: "release",
        variables: &[("SELFSAME_SOAK_LINK", "50000")],
    },
    Soak {
        name: "link-postgres",
        purpose: "the same on PostgreSQL",
        package: "selfsame",
        filter: "link::postgres_many",
        profile: "release",
        variables: &[("SELFSAME_SOAK_LINK", "50000")],
    },
    Soak {
        name: "isolation",
        purpose: "100,000 requests of 50 agents that try to see what is another's, on both engines",
        package: "selfsame-cli",
        filter: "isolation::",
        profile: "dev",
        variables: &[("SELFSAME_SOAK_ISOLATION", "100000")],
    },
    Soak {
        name: "sockets",
        purpose: "1,000 WebSocket clients that do not read beside 100 that do",
        package: "selfsame-cli",
        filter: "watching::those_who_read",
        profile: "dev",
        variables: &[("SELFSAME_SOAK_SOCKETS", "1")],
    },
    Soak {
        name: "takeover",
        purpose: "100 times a daemon is killed while it holds a lease, and 100 times put to sleep",
        package: "selfsame-cli",
        filter: "takeover::",
        profile: "dev",
        variables: &[("SELFSAME_SOAK_TAKEOVERS", "100")],
    },
    Soak {
        name: "writers",
        purpose: "a minute of writing through every door at once",
        package: "selfsame-cli",
        filter: "watching::whoever_writes",
        profile: "dev",
        variables: &[("SELFSAME_SOAK_WRITERS", "1")],
    },
];

/// The one that is no test of ours: how many examples Schemathesis makes for each operation.
const SCHEMATHESIS: (&str, u64) = ("schemathesis", 200);

/// The other one: the dashboard in a browser, over long lists.
const DASHBOARD: &str = "dashboard";

/// Runs those named.
pub fn run(names: &[String]) -> Result<()> {
    if names.len() == 1 && names[0] == DASHBOARD {
        return stages::browser(&["--large"]);
    }
    if names.len() == 1 && names[0] == SCHEMATHESIS.0 {
        let mut client = stages::openapi_client(SCHEMATHESIS.1)?;
        return reliability::run(&asked(SCHEMATHESIS.0), &mut client, &[" operations", " failed"]);
    }
    if names.is_empty() {
        bail!("name one or more; they are:\n{}", list());
    }
    let wanted = names.iter().map(|name| {
        let found = ALL.iter().find(|soak| soak.name == name);
        found.with_context(|| format!("there is no soak `{name}`; they are:\n{}", list()))
    });
    let wanted = wanted.collect::<Result<Vec<_>>>()?;
    let servers = Servers::start()?;
    for soak in wanted {
        let arguments = ["test", "--quiet", "--locked", "--profile", soak.profile, "--package", soak.package];
        let mut cargo = command::cargo(&arguments)?;
        cargo.args(["--test", "it", soak.filter, "--", "--nocapture", "--test-threads=1"]);
        cargo.envs(soak.variables.iter().copied()).envs(servers.environment()?);
        reliability::run(&asked(soak.name), &mut cargo, &[])?;
    }
    Ok(())
}

/// As it would be asked for again.
fn asked(name: &str) -> String {
    format!("cargo xtask soak {name}")
}

/// What there is, a line each.
pub fn list() -> String {
    let lines = ALL.iter().map(|soak| format!("    {:<13} {}", soak.name, soak.purpose));
    let alone = format!(
        "    {:<13} {} examples for each operation of the OpenAPI document, alone",
        SCHEMATHESIS.0, SCHEMATHESIS.1
    );
    let browser = format!(
        "    {DASHBOARD:<13} the dashboard's lists over 10,000 memories, 1,000 beliefs and 5,000 receipts, alone"
    );
    lines.chain([alone, browser]).collect::<Vec<_>>().join("\n")
}

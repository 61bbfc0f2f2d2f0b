//! How fast it is, measured beside bare SQLite doing the same work in the same run: machines differ and are shared, so
//! a ratio says more than a number. Run it with `cargo xtask bench`.
//!
//! Nothing here asserts a time.

mod bare_rows;
mod bulk;
mod cloud;
mod corpus;
mod heartbeat;
mod knowledge;
mod load;
mod mind;
mod recall;
mod remember;
mod report;
mod rivals;
mod scale;
mod start;
mod vector_bulk;
mod vectors;
mod watch;
mod writes;

use std::process::ExitCode;

use anyhow::{Result, bail};

/// One benchmark, which prints one table.
struct Benchmark {
    name: &'static str,
    purpose: &'static str,
    run: fn(&mut mind::Shelf, Size) -> Result<report::Report>,
}

const ALL: &[Benchmark] = &[
    Benchmark {
        name: "recall",
        purpose: "recall and context beside bare FTS5 and a bare posting scan, at 10,000 and 100,000 memories",
        run: recall::run,
    },
    Benchmark {
        name: "recall-million",
        purpose: "the same with a million memories",
        run: recall::run_million,
    },
    Benchmark {
        name: "writes",
        purpose: "durable remembers per second beside bare inserts and bare fsyncs",
        run: writes::run,
    },
    Benchmark {
        name: "remember",
        purpose: "one remember in a full mind beside a bare insert of the same row and postings",
        run: remember::run,
    },
    Benchmark {
        name: "vectors",
        purpose: "near vectors beside bare scans, at 10,000 and 100,000; on PostgreSQL one by one and by the graph",
        run: vectors::run,
    },
    Benchmark {
        name: "vectors-million",
        purpose: "the same in memory with a million vectors",
        run: vectors::run_million,
    },
    Benchmark {
        name: "vectors-side-by-side",
        purpose: "agents with 50, 2,000 and 200,000 vectors in one store",
        run: vectors::run_side_by_side,
    },
    Benchmark {
        name: "knowledge",
        purpose: "consolidation of 100,000 memories about 2,000 subjects, and after a few more, beside bare inserts",
        run: knowledge::run,
    },
    Benchmark {
        name: "heartbeat",
        purpose: "one tick with a thousand to a million memories behind it, beside a bare commit",
        run: heartbeat::run,
    },
    Benchmark {
        name: "heartbeat-fleet",
        purpose: "ticks a second over ten thousand agents, on SQLite and PostgreSQL",
        run: heartbeat::run_fleet,
    },
    Benchmark {
        name: "scale",
        purpose: "what one agent more costs: bytes, CPU in a silent day, memory; on SQLite and PostgreSQL",
        run: scale::run,
    },
    Benchmark {
        name: "load",
        purpose: "requests a second and p99 of remember, recall, context and tick by HTTP, beside calls in the process",
        run: load::run,
    },
    Benchmark { name: "start", purpose: "from a closed folder to the first answer", run: start::run },
];

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Seconds, to see that it works; the figures mean little.
    Quick,
    /// Minutes.
    Full,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let (options, names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let size = match options.as_slice() {
        [] => Size::Full,
        ["--quick"] => Size::Quick,
        _ => bail!("the only option is --quick"),
    };
    for name in &names {
        if !ALL.iter().any(|benchmark| benchmark.name == *name) {
            bail!("there is no benchmark `{name}`; they are:\n{}", list());
        }
    }
    let mut shelf = mind::Shelf::new()?;
    for benchmark in ALL {
        if names.is_empty() || names.contains(&benchmark.name) {
            (benchmark.run)(&mut shelf, size)?.finish(benchmark.name)?;
        }
    }
    Ok(())
}

fn list() -> String {
    let lines = ALL.iter().map(|benchmark| format!("    {:<21} {}", benchmark.name, benchmark.purpose));
    lines.collect::<Vec<_>>().join("\n")
}

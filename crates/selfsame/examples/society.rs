//! A village of agents for fifteen days, under a virtual clock: souls, diaries, relationships, self-care, neural links,
//! calendars, heartbeats, and idle thought by a script. It prints their chronicle; the same seed tells the same story.
//!
//! cargo run --release -p selfsame --example society -- [--seed N] [--agents 25] [--days 15]

use selfsame_testkit::society::{Plan, cast::VILLAGE, live};
use std::io::Write as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plan = read(std::env::args().skip(1))?;
    let folder = tempfile::tempdir()?;
    let lived = live(plan, &folder.path().join("village"), &mut |text| {
        print!("{text}");
        let _ = std::io::stdout().flush();
    });
    println!("\n  the trace of seed {}: {}", plan.seed, lived.trace);
    if let Some(cpu) = cpu_seconds() {
        eprintln!("{} agents, {} days: {cpu:.1} s of CPU", plan.agents, plan.days);
    }
    Ok(())
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan { seed: 7, agents: VILLAGE.len(), days: 15 };
    let usage = format!("usage: society [--seed N] [--agents 2..{}] [--days 1..365]", VILLAGE.len());
    while let Some(name) = arguments.next() {
        let number: u64 = arguments.next().and_then(|text| text.parse().ok()).ok_or_else(|| usage.clone())?;
        match (name.as_str(), number) {
            ("--seed", seed) => plan.seed = seed,
            ("--agents", agents @ 2..=25) => {
                plan.agents = usize::try_from(agents).map_err(|_| usage.clone())?;
            }
            ("--days", days @ 1..=365) => plan.days = u32::try_from(days).map_err(|_| usage.clone())?,
            _ => return Err(usage),
        }
    }
    Ok(plan)
}

/// What this process has used of the processor, where the system says so.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in brackets, user and system time are the twelfth and thirteenth words, in hundredths of a second.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| words.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

//! A desk that plays its part: it keeps what was done at it, and has as much of everything as it is given.

use selfsame::ports::{CallOutcome, Desk, Fault, FaultKind, ToolAnswer, ToolCard, ToolClass};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) struct PlayedDesk {
    tools: Vec<&'static str>,
    /// After so many calls there are no tools any more.
    withdrawn_after: usize,
    budget: u64,
    time: Duration,
    spent: AtomicU64,
    calls: Mutex<Vec<(String, String, CallOutcome)>>,
}

impl Default for PlayedDesk {
    fn default() -> PlayedDesk {
        PlayedDesk {
            tools: Vec::new(),
            withdrawn_after: usize::MAX,
            budget: u64::MAX,
            time: Duration::from_secs(60),
            spent: AtomicU64::new(0),
            calls: Mutex::default(),
        }
    }
}

impl PlayedDesk {
    pub(crate) fn with_tools(tools: &[&'static str]) -> PlayedDesk {
        PlayedDesk { tools: tools.to_vec(), ..PlayedDesk::default() }
    }

    pub(crate) fn which_takes_them_away_after(self, calls: usize) -> PlayedDesk {
        PlayedDesk { withdrawn_after: calls, ..self }
    }

    pub(crate) fn with_budget(self, tokens: u64) -> PlayedDesk {
        PlayedDesk { budget: tokens, ..self }
    }

    pub(crate) fn with_time(self, time: Duration) -> PlayedDesk {
        PlayedDesk { time, ..self }
    }

    pub(crate) fn spent_so_far(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Which tools were used, with what.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        let calls = self.calls.lock().unwrap();
        calls.iter().map(|(tool, arguments, _)| (tool.clone(), arguments.clone())).collect()
    }

    pub(crate) fn outcomes(&self) -> Vec<CallOutcome> {
        self.calls.lock().unwrap().iter().map(|(_, _, outcome)| *outcome).collect()
    }

    fn judge(&self, tool: &str, arguments: &str) -> Result<(), String> {
        if !self.tools.contains(&tool) {
            return Err(format!("there is no tool {tool}"));
        }
        match serde_json::from_str::<serde_json::Value>(arguments) {
            Ok(value) if value.is_object() => Ok(()),
            _ => Err("arguments must be a JSON object".into()),
        }
    }
}

impl Desk for PlayedDesk {
    fn tools(&self) -> Vec<ToolCard> {
        if self.calls.lock().unwrap().len() >= self.withdrawn_after {
            return Vec::new();
        }
        let card = |name: &&str| ToolCard {
            name: (*name).to_owned(),
            description: format!("{name} looks"),
            schema: r#"{"type":"object","properties":{"query":{"type":"string"}}}"#.to_owned(),
            class: ToolClass::Read,
        };
        self.tools.iter().map(card).collect()
    }

    fn call(&self, tool: &str, arguments: &str) -> ToolAnswer {
        let judged = self.judge(tool, arguments);
        let outcome = if judged.is_ok() { CallOutcome::Ran } else { CallOutcome::Refused };
        let mut calls = self.calls.lock().unwrap();
        calls.push((tool.to_owned(), arguments.to_owned(), outcome));
        let text = judged.err().unwrap_or_else(|| format!("answer {} of {tool}", calls.len()));
        ToolAnswer { text, outcome }
    }

    fn spent(&self, tokens: u64) -> Result<(), Fault> {
        let before = self.spent.fetch_add(tokens, Ordering::Relaxed);
        match before.saturating_add(tokens) > self.budget {
            true => Err(Fault::new(FaultKind::Budget, "the budget is spent")),
            false => Ok(()),
        }
    }

    fn time_left(&self) -> Duration {
        self.time
    }
}

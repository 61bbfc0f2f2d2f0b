//! Whether a time of thinking got anywhere: it says so, and the record agrees.

use super::episode::{Account, Captured, EpisodeKind, Parse};
use crate::seal::sha256;
use crate::text::terms;
use crate::word::words;
use std::collections::BTreeSet;

words! {
    /// What the record says of a tool that was claimed.
    ToolCheck, "check of a tool":
    /// It ran.
    Ran = "ran",
    /// It is ours, and did not run.
    DidNotRun = "did not run",
    /// It is not ours: nobody here can know.
    Unverified = "unverified",
}

/// What the record says of an episode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Whether it got anywhere.
    pub successful: bool,
    /// Why not, if it did not.
    pub why_not: Option<String>,
    /// Each tool that it claims, held against the ledger.
    pub tools: Vec<(String, ToolCheck)>,
}

/// Holds an account against the record: `ran` are our tools that ran, `is_ours` tells ours from others.
pub fn verify(captured: &Captured, ran: &BTreeSet<String>, is_ours: impl Fn(&str) -> bool) -> Verified {
    let account = &captured.account;
    let check = |tool: &String| {
        let check = match (ran.contains(tool), is_ours(tool)) {
            (true, _) => ToolCheck::Ran,
            (false, true) => ToolCheck::DidNotRun,
            (false, false) => ToolCheck::Unverified,
        };
        (tool.clone(), check)
    };
    let tools: Vec<(String, ToolCheck)> = account.tools_used.iter().map(check).collect();
    let made_up = tools.iter().find(|(_, check)| *check == ToolCheck::DidNotRun);
    let why_not = if captured.parse == Parse::Fallback {
        Some("it was not told as asked".to_owned())
    } else if let Some((tool, _)) = made_up {
        Some(format!("it claims {tool}, which did not run"))
    } else if account.kind == EpisodeKind::Rest {
        Some("it rested".to_owned())
    } else if account.outcome.summary.trim().is_empty() && account.outcome.result.trim().is_empty() {
        Some("it names no outcome".to_owned())
    } else if !account.success {
        Some("it says so itself".to_owned())
    } else {
        None
    };
    Verified { successful: why_not.is_none(), why_not, tools }
}

/// What an account says, apart from order and form: two with the same words are repetitions.
pub fn signature(account: &Account) -> [u8; 32] {
    let texts = account.observations.iter().chain(&account.actions_taken).chain([&account.outcome.summary]);
    let words: BTreeSet<String> = texts.flat_map(|text| terms(text)).collect();
    let words: Vec<String> = words.into_iter().collect();
    sha256(&[account.kind.as_str().as_bytes(), b"\n", words.join("\n").as_bytes()])
}

/// Whether the last `count` say the same.
pub fn repeats(last: &[[u8; 32]], count: usize) -> bool {
    last.len() >= count && last[last.len() - count..].windows(2).all(|pair| pair[0] == pair[1])
}

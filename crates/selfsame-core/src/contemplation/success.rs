//! Whether a time of thinking got anywhere: it says so, and the record agrees.

use super::episode::{Account, Captured, EpisodeKind, Parse, ToolCheck, ToolClaim};
use crate::seal::sha256;
use crate::text::terms;
use std::collections::BTreeSet;

/// What the record says of an episode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Whether it got anywhere.
    pub successful: bool,
    /// Why not, if it did not.
    pub why_not: Option<String>,
    /// Each tool that it claims, held against the ledger.
    pub tools: Vec<ToolClaim>,
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
        ToolClaim { tool: tool.clone(), check }
    };
    let tools: Vec<ToolClaim> = account.tools_used.iter().map(check).collect();
    let made_up = tools.iter().find(|claim| claim.check == ToolCheck::DidNotRun);
    let why_not = if captured.parse == Parse::Fallback {
        Some("it was not told as asked".to_owned())
    } else if let Some(claim) = made_up {
        Some(format!("it claims {}, which did not run", claim.tool))
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

#[cfg(test)]
mod tests {
    use super::super::episode::Outcome;
    use super::*;

    fn told(kind: EpisodeKind, tools: &[&str]) -> Captured {
        let account = Account {
            observations: vec!["Maya asked about the boiler twice".into()],
            tools_used: tools.iter().map(|&tool| tool.to_owned()).collect(),
            outcome: Outcome { result: "identified".into(), summary: "The boiler worries her.".into() },
            success: true,
            ..Account::empty(kind, "idle_reflection")
        };
        Captured { account, parse: Parse::Tagged, repairs: Vec::new() }
    }

    fn why_not(captured: &Captured) -> Option<String> {
        let ran = BTreeSet::from(["recall".to_owned()]);
        verify(captured, &ran, |tool| ["recall", "remember"].contains(&tool)).why_not
    }

    #[test]
    fn it_got_somewhere_if_it_says_so_and_the_record_agrees() {
        assert_eq!(why_not(&told(EpisodeKind::Contemplation, &["recall", "web_search"])), None);
        let made_up = told(EpisodeKind::Contemplation, &["recall", "remember"]);
        assert_eq!(why_not(&made_up).as_deref(), Some("it claims remember, which did not run"));
        assert_eq!(why_not(&told(EpisodeKind::Rest, &[])).as_deref(), Some("it rested"));
        let mut modest = told(EpisodeKind::Action, &[]);
        modest.account.success = false;
        assert_eq!(why_not(&modest).as_deref(), Some("it says so itself"));
        let mut empty = told(EpisodeKind::Action, &[]);
        empty.account.outcome = Outcome { result: " ".into(), summary: String::new() };
        assert_eq!(why_not(&empty).as_deref(), Some("it names no outcome"));
        let fallback = Captured { parse: Parse::Fallback, ..told(EpisodeKind::Action, &[]) };
        assert_eq!(why_not(&fallback).as_deref(), Some("it was not told as asked"));
    }

    #[test]
    fn each_claimed_tool_is_held_against_the_ledger() {
        let ran = BTreeSet::from(["recall".to_owned()]);
        let captured = told(EpisodeKind::Action, &["recall", "remember", "web_search"]);
        let checks = verify(&captured, &ran, |tool| tool != "web_search").tools;
        let checks: Vec<ToolCheck> = checks.into_iter().map(|claim| claim.check).collect();
        assert_eq!(checks, [ToolCheck::Ran, ToolCheck::DidNotRun, ToolCheck::Unverified]);
    }

    #[test]
    fn the_same_thoughts_in_another_order_repeat_and_others_do_not() {
        let one = told(EpisodeKind::Contemplation, &[]).account;
        let mut again = one.clone();
        again.observations = vec!["twice Maya asked, about the BOILER".into()];
        again.valence = -1.0;
        assert_eq!(signature(&one), signature(&again));
        again.observations.push("The garden is dry".into());
        assert_ne!(signature(&one), signature(&again));
        let (a, b) = ([1; 32], [2; 32]);
        assert!(repeats(&[b, a, a, a], 3));
        assert!(!repeats(&[a, a], 3) && !repeats(&[a, b, a], 3));
    }
}

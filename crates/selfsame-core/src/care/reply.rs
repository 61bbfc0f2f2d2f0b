//! What a thinker or the agent itself answers when it is asked for a summary: read leniently, judged strictly.

use crate::tokens::count;

/// Themes of a summary, at most.
const THEMES: usize = 12;
/// Letters of a theme.
const THEME: usize = 60;
/// Facts that a writer may add at a time.
const FACTS: usize = 40;

/// A summary, as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// What it is about.
    pub themes: Vec<String>,
    /// The words.
    pub content: String,
    /// What is to be carried on word by word.
    pub facts: Vec<String>,
}

/// Why an answer is no summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSummary {
    /// Nothing is in it.
    #[error("the answer has no summary in it: write it as plain text below the line that names the themes")]
    Empty,
    /// It would not be shorter than what it replaces.
    #[error("the summary has {tokens} tokens and may have {most}: make it shorter")]
    TooLong {
        /// As given.
        tokens: usize,
        /// What it may have.
        most: usize,
    },
}

/// Reads an answer: a line `Themes: ...` if there is one, the text, and what follows a line `Word by word:`.
pub fn read(text: &str, most_tokens: usize) -> Result<Written, NoSummary> {
    let (mut written, mut body, mut in_facts) = (Written::default(), Vec::new(), false);
    for line in text.lines() {
        let bare = line.trim().trim_matches('*').trim();
        if let Some(themes) = after_label(bare, "themes") {
            written.themes = listed(themes);
            continue;
        }
        if after_label(bare, "word by word").is_some_and(str::is_empty) {
            in_facts = true;
            continue;
        }
        match bare.strip_prefix("- ").filter(|_| in_facts) {
            Some(fact) => written.facts.push(fact.trim().to_owned()),
            None if in_facts && bare.is_empty() => {}
            None => {
                in_facts = false;
                body.push(line.trim_end());
            }
        }
    }
    written.facts.truncate(FACTS);
    written.content = without_fences(&body).join("\n").trim().to_owned();
    match count(&written.content) {
        0 => Err(NoSummary::Empty),
        tokens if tokens > most_tokens => Err(NoSummary::TooLong { tokens, most: most_tokens }),
        _ => Ok(written),
    }
}

/// What stands behind a label, if the line begins with it.
fn after_label<'l>(line: &'l str, label: &str) -> Option<&'l str> {
    let (name, rest) = line.split_once(':')?;
    name.trim().trim_matches('*').eq_ignore_ascii_case(label).then(|| rest.trim().trim_matches('*').trim())
}

fn listed(themes: &str) -> Vec<String> {
    let clean = |theme: &str| theme.trim().trim_end_matches('.').chars().take(THEME).collect::<String>();
    let themes = themes.split([',', ';']).map(clean).filter(|theme| !theme.is_empty());
    let mut listed: Vec<String> = Vec::new();
    for theme in themes {
        if !listed.contains(&theme) && listed.len() < THEMES {
            listed.push(theme);
        }
    }
    listed
}

/// Whoever wraps an answer in a block of code means what is inside.
fn without_fences<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    lines.iter().copied().filter(|line| !line.trim_start().starts_with("```")).collect()
}

//! A text as sentences, and a sentence as words that know where they stand.

/// A word in lower case, with its place in the sentence.
pub(crate) struct Token {
    pub(crate) word: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// One sentence, as it was written and as words.
pub(crate) struct Sentence<'t> {
    pub(crate) text: &'t str,
    pub(crate) tokens: Vec<Token>,
}

impl<'t> Sentence<'t> {
    pub(crate) fn of(text: &'t str) -> Sentence<'t> {
        let text = text.trim();
        Sentence { text, tokens: tokens(text) }
    }

    pub(crate) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn asks(&self) -> bool {
        self.text.trim_end_matches(['"', '\'', ')', ' ']).ends_with('?')
    }

    /// Whether these words stand at that place. `a|b` takes either.
    pub(crate) fn has_at(&self, at: usize, words: &str) -> bool {
        words.split(' ').enumerate().all(|(offset, choice)| {
            let word = self.word(at + offset);
            !word.is_empty() && choice.split('|').any(|one| one == word)
        })
    }

    /// Where these words first stand.
    pub(crate) fn find(&self, words: &str) -> Option<usize> {
        (0..self.len()).find(|at| self.has_at(*at, words))
    }

    pub(crate) fn has(&self, words: &str) -> bool {
        self.find(words).is_some()
    }

    /// The marks between a word and the next.
    pub(crate) fn marks_after(&self, at: usize) -> &str {
        let from = self.tokens.get(at).map_or(self.text.len(), |token| token.end);
        let to = self.tokens.get(at + 1).map_or(self.text.len(), |token| token.start);
        &self.text[from..to]
    }

    /// The text from a word on.
    pub(crate) fn text_from(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start..])
    }

    /// Whether a word is written with a capital.
    pub(crate) fn is_capital(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| self.text[token.start..].starts_with(char::is_uppercase))
    }

    /// Whether somebody else's words are quoted in it.
    pub(crate) fn quotes(&self) -> bool {
        let doubled = self.text.contains(['"', '“', '”', '«', '»']);
        let single = self.text.match_indices(['\'', '‘']).any(|(at, _)| {
            let before = self.text[..at].chars().next_back();
            let after = self.text[at..].chars().nth(1);
            before.is_none_or(|c| c.is_whitespace() || c == ':') && after.is_some_and(char::is_alphanumeric)
        });
        doubled || single
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut start = None;
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '/' | '@');
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, inner(c)) {
            (None, true) if c.is_alphanumeric() => start = Some(at),
            (Some(from), false) => {
                let written = text[from..at].trim_end_matches(['\'', '’', '-', '/']);
                let word = written.to_lowercase().replace('’', "'");
                found.push(Token { word, start: from, end: from + written.len() });
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Words after which a full stop ends nothing.
const ABBREVIATIONS: &[&str] =
    &["dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "e.g", "i.e", "etc", "vs", "approx", "jr", "sr"];

/// The sentences of a text: a line is at least one, a mark followed by space ends one.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        for (at, c) in line.char_indices() {
            let after = at + c.len_utf8();
            let ends = matches!(c, '.' | '!' | '?' | '…')
                && line[after..].chars().next().is_none_or(char::is_whitespace);
            if ends && !(c == '.' && is_abbreviated(&line[start..at])) {
                found.push(&line[start..after]);
                start = after;
            }
        }
        found.push(&line[start..]);
    }
    found.retain(|sentence| !sentence.trim().is_empty());
    found
}

fn is_abbreviated(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    // "No." alone is an answer.
    ABBREVIATIONS.contains(&last.as_str()) && !(last == "no" && before.trim() == before && before.len() <= 3)
}

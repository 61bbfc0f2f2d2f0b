//! What somebody meant who wrote a command that there is not: the words of other programs, and text without quotation marks.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Words that people try first, and the command that does it here.
const MEANT: &[(&[&str], &str)] = &[
    (&["add", "store", "save", "note", "learn", "memorize", "tell"], "selfsame remember \"...\""),
    (&["search", "find", "ask", "query", "get", "lookup", "what"], "selfsame recall \"...\""),
    (&["list", "ls", "memories", "show"], "selfsame memory list"),
    (&["delete", "remove", "rm", "del", "erase"], "selfsame forget <memory>"),
    (&["why", "beliefs", "believe", "facts"], "selfsame know list"),
    (&["start", "run", "up", "daemon", "server", "listen"], "selfsame serve"),
    (&["stop", "quit", "down", "kill"], "Ctrl-C where `selfsame serve` runs, or selfsame service remove"),
    (&["ui", "web", "open", "browser", "gui"], "selfsame dashboard"),
    (&["login", "auth", "token", "apikey", "keys"], "selfsame key create <name>"),
    (&["setup", "new", "create", "begin"], "selfsame init"),
    (&["install", "integrate", "hooks", "detect"], "selfsame connect --detect --dry-run"),
    (&["check", "test", "health", "ping"], "selfsame doctor"),
    (&["settings", "set"], "selfsame config show"),
    (&["version"], "selfsame --version"),
    (&["upgrade", "migrate"], "selfsame status (a newer program brings its data along by itself)"),
];

/// The same below a command.
const MEANT_BELOW: &[(&str, &[&str], &str)] = &[
    (
        "config",
        &["set", "edit", "get", "write"],
        "a line in selfsame.toml in the data folder (`selfsame config show` names every setting), or --set KEY=VALUE",
    ),
    ("know", &["about", "of", "get", "search", "find"], "selfsame know show <name>"),
];

/// Commands whose last argument is a text that people forget to put into quotation marks.
const TAKE_TEXT: &[&str] = &["remember", "recall", "context"];

/// What to try instead, if that can be guessed. `words` are the arguments as they were written.
pub(crate) fn instead(error: &clap::Error, words: &[String]) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let wrong = named(error, ContextKind::InvalidSubcommand)?;
            let above = words.iter().take_while(|word| **word != wrong).last();
            let below = MEANT_BELOW.iter().find(|(of, meant, _)| {
                above.is_some_and(|above| above == of) && meant.contains(&wrong.as_str())
            });
            let alone = || {
                let is_first = above.is_none_or(|above| above.starts_with('-'));
                MEANT.iter().find(|(meant, _)| is_first && meant.contains(&wrong.as_str()))
            };
            below
                .map(|(.., instead)| *instead)
                .or_else(|| alone().map(|(_, instead)| *instead))
                .map(str::to_owned)
        }
        ErrorKind::UnknownArgument => {
            let wrong = named(error, ContextKind::InvalidArg)?;
            let verb = words.iter().position(|word| TAKE_TEXT.contains(&word.as_str()));
            match (wrong.as_str(), verb) {
                ("-v", _) => Some("selfsame --version".to_owned()),
                (wrong, Some(verb)) if !wrong.starts_with('-') => {
                    let text = words[verb + 1..].iter().take_while(|word| !word.starts_with("--"));
                    let text = text.map(String::as_str).collect::<Vec<_>>().join(" ");
                    Some(format!("selfsame {} \"{text}\" (one text, in quotation marks)", words[verb]))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn named(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    }
}

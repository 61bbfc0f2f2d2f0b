//! The value of a claim: what is believed, as it is shown and as it is compared.

use crate::text::words;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Words that begin a value and are no part of it.
const ARTICLES: [&str; 7] = ["a", "an", "the", "my", "our", "his", "her"];

/// Other spellings of a value, and the one that it is compared by.
const SPELLINGS: &[(&str, &str)] = &[
    ("postgres", "postgresql"),
    ("pg", "postgresql"),
    ("mongo", "mongodb"),
    ("sqlite3", "sqlite"),
    ("ms sql", "sql server"),
    ("mssql", "sql server"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("golang", "go"),
    ("cpp", "c + +"),
    ("csharp", "c #"),
    ("k8s", "kubernetes"),
    ("nodejs", "node js"),
    ("node", "node js"),
    ("nextjs", "next js"),
    ("reactjs", "react"),
    ("react js", "react"),
    ("vuejs", "vue"),
    ("vue js", "vue"),
    ("ruby on rails", "rails"),
    ("vscode", "visual studio code"),
    ("vs code", "visual studio code"),
    ("nvim", "neovim"),
    ("google chrome", "chrome"),
    ("mac os", "macos"),
    ("os x", "macos"),
    ("osx", "macos"),
    ("gnu linux", "linux"),
    ("amazon web services", "aws"),
    ("google cloud", "gcp"),
    ("google cloud platform", "gcp"),
    ("fly io", "fly"),
    ("e mail", "email"),
    ("emails", "email"),
    ("phone calls", "phone"),
    ("calls", "phone"),
    ("gray", "grey"),
    ("brief", "short"),
    ("concise", "short"),
    ("terse", "short"),
    ("succinct", "short"),
    ("long", "detailed"),
    ("thorough", "detailed"),
    ("verbose", "detailed"),
    ("in depth", "detailed"),
    ("dark theme", "dark mode"),
    ("light theme", "light mode"),
    ("metric units", "metric"),
    ("imperial units", "imperial"),
    ("gluten free food", "gluten free"),
    ("nyc", "new york"),
    ("new york city", "new york"),
    ("uk", "united kingdom"),
    ("usa", "united states"),
];

/// Units that may be written to their number without a blank.
const UNITS: &[&str] = &[
    "ms", "s", "sec", "min", "h", "hr", "d", "b", "kb", "mb", "gb", "tb", "kg", "g", "km", "m", "cm", "mm",
    "k", "usd", "eur", "gbp", "am", "pm", "rpm", "rps", "qps", "hz", "mhz", "ghz", "kw", "kwh", "px", "x",
];

const PERIODS: &[&str] = &["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

/// Values that name their question: "prefers PostgreSQL" is about a database. Only words that hardly mean anything else.
const LEXICON: &[(&str, &str)] = &[
    (
        "database",
        "postgresql, sqlite, mysql, mariadb, mongodb, redis, cassandra, dynamodb, cockroachdb, oracle, \
         sql server, clickhouse, duckdb, couchdb, firestore, neo4j, influxdb, timescaledb",
    ),
    (
        "editor",
        "vim, neovim, emacs, helix, visual studio code, nano, sublime text, intellij, intellij idea, \
         pycharm, webstorm, zed, xcode, kakoune, notepad + +",
    ),
    (
        "language",
        "rust, python, javascript, typescript, go, java, kotlin, swift, c, c + +, c #, f #, ruby, php, \
         perl, haskell, scala, elixir, erlang, clojure, lua, julia, zig, ocaml, fortran, cobol",
    ),
    (
        "operating_system",
        "linux, windows, macos, ubuntu, debian, fedora, arch linux, nixos, freebsd, openbsd, alpine, \
         alpine linux, centos, rocky linux, red hat, android, ios",
    ),
    (
        "framework",
        "next js, react, vue, angular, svelte, sveltekit, django, flask, fastapi, rails, laravel, spring \
         boot, express, nuxt, remix, astro, hugo, wordpress, gatsby, jekyll, axum, symfony, electron, \
         tauri, flutter, react native, htmx, drupal",
    ),
    ("shell", "bash, zsh, powershell, nushell"),
    ("terminal", "alacritty, wezterm, iterm, iterm2, ghostty, kitty"),
    ("browser", "firefox, chrome, chromium, safari, brave, vivaldi, tor browser"),
    ("hosting", "aws, azure, gcp, heroku, fly, vercel, netlify, hetzner, digitalocean, linode, cloudflare"),
    ("container", "docker, podman, containerd"),
    ("orchestrator", "kubernetes, nomad, docker swarm, docker compose"),
    ("ci", "github actions, jenkins, gitlab ci, circleci, buildkite"),
    ("package_manager", "npm, yarn, pnpm, pip, poetry, uv, conda"),
    ("version_control", "git, mercurial, svn, subversion"),
    ("message_queue", "kafka, rabbitmq, nats"),
    ("web_server", "nginx, apache, caddy, traefik"),
    ("issue_tracker", "jira, github issues, youtrack"),
    ("notes_app", "obsidian, notion, evernote"),
    ("theme", "dark mode, light mode"),
    ("colour", "red, blue, green, yellow, purple, pink, grey, turquoise, teal, violet, magenta"),
    (
        "drink",
        "tea, coffee, green tea, black tea, herbal tea, black coffee, espresso, cappuccino, matcha, wine, \
         beer, red wine, white wine, water, sparkling water, juice, lemonade, cocoa",
    ),
    ("units", "metric, imperial"),
    ("contact_channel", "email, slack, telegram, phone, whatsapp, discord, sms, text messages"),
    ("keyboard_layout", "dvorak, colemak, qwerty, qwertz"),
    ("diet", "vegetarian, vegan, pescatarian, gluten free, halal, kosher"),
];

static SLOTS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    LEXICON.iter().flat_map(|(slot, values)| values.split(", ").map(|value| (value, *slot))).collect()
});

/// What a value is compared by: folded, without articles, in one spelling. Never empty for a text that has a word.
pub fn value_key(shown: &str) -> String {
    let mut words = with_plain_units(words(shown));
    let articles = words.iter().take_while(|word| ARTICLES.contains(&word.as_str())).count();
    if articles < words.len() {
        words.drain(..articles);
    }
    let (name, version) = words.split_at(name_len(&words));
    let mut key = respelled(name.join(" "));
    for word in version {
        key.push(' ');
        key.push_str(word);
    }
    key
}

/// Whether two values, by their [`value_key`], can both be meant by one answer: "Flask" is no rival of "Flask 2.3", though
/// "Flask 3.0" is.
pub fn agree(one: &str, other: &str) -> bool {
    let parted = |key: &str| match key.rsplit_once(' ') {
        Some((name, version)) if is_version(version) => (name.to_owned(), Some(version.to_owned())),
        _ => (key.to_owned(), None),
    };
    let ((name, version), (other_name, other_version)) = (parted(one), parted(other));
    name == other_name && (version == other_version || version.is_none() || other_version.is_none())
}

/// The question that a value names by itself, by its [`value_key`].
pub fn slot_of_value(key: &str) -> Option<&'static str> {
    SLOTS.get(key).copied().or_else(|| {
        let (name, version) = key.rsplit_once(' ')?;
        is_version(version).then(|| SLOTS.get(name).copied())?
    })
}

/// How many words come before a version: "debian 12" has one, "12" none to spare.
fn name_len(words: &[String]) -> usize {
    match words.last() {
        Some(last) if words.len() > 1 && is_version(last) => words.len() - 1,
        _ => words.len(),
    }
}

fn is_version(word: &str) -> bool {
    word.strip_prefix('v').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit())
}

fn respelled(key: String) -> String {
    SPELLINGS.iter().find(|(other, _)| *other == key).map_or(key, |(_, one)| (*one).to_owned())
}

/// "250ms" as "250 ms", "40 a day" as "40 per day".
fn with_plain_units(words: Vec<String>) -> Vec<String> {
    let mut plain: Vec<String> = Vec::with_capacity(words.len() + 2);
    for word in words {
        if PERIODS.contains(&word.as_str())
            && plain.len() > 1
            && let Some(each) =
                plain.last_mut().filter(|each| matches!(each.as_str(), "a" | "an" | "each" | "every"))
        {
            "per".clone_into(each);
        }
        match number_and_unit(&word) {
            Some((number, unit)) => plain.extend([number.to_owned(), unit.to_owned()]),
            None => plain.push(word),
        }
    }
    plain
}

fn number_and_unit(word: &str) -> Option<(&str, &str)> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
    let (number, unit) = word.split_at(end);
    UNITS.contains(&unit).then_some((number, unit))
}

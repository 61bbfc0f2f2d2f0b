//! Keys with a name in them, and keys with two spellings: `agents.<name>.contemplation.every` is one agent's own,
//! `agents.defaults.contemplation.every` is `contemplation.every`, and `thinker.mcp.<name>.url` is a server of tools.

use super::known;

/// The name under `agents` that means all of them, so that no agent can have it.
pub(crate) const DEFAULTS: &str = "defaults";

/// What a server of tools is, by the two keys that it may have.
const SERVER_COMMAND: &str = "thinker.mcp.<name>.command";
pub(super) const SERVER_URL: &str = "thinker.mcp.<name>.url";

/// What servers of tools begin with.
pub(super) const SERVERS: &str = "thinker.mcp.";

/// Characters in the name of a server, at most: it becomes a part of the names of its tools.
const MAX_SERVER_NAME: usize = 32;

/// Under `agents` the keys of contemplation have names of their own; here beside ours.
const NAMES: [(&str, &str); 6] = [
    ("contemplation.enabled", "contemplation.enabled"),
    ("contemplation.every", "contemplation.every"),
    (FAMILY_EVERY, "contemplation.family_every"),
    ("contemplation.model", "contemplation.seasoning_model"),
    ("contemplation.activeHours.start", "contemplation.active_start"),
    ("contemplation.activeHours.end", "contemplation.active_end"),
];

/// How often the family thinks is nothing that one agent has: it has its own `every`.
const FAMILY_EVERY: &str = "contemplation.familyEvery";

/// Threads are there for all agents together.
const LANES: &str = "thinker.lanes";

/// What a written key means.
pub(super) struct Meant {
    /// The key that it is kept under.
    pub(super) kept: String,
    /// The setting of everybody whose values it takes.
    pub(super) rule: &'static str,
}

impl Meant {
    /// A known key, which means itself.
    pub(super) fn plainly(key: &'static str) -> Meant {
        Meant { kept: key.to_owned(), rule: key }
    }
}

/// What a written key means; nothing if there is no such setting.
pub(super) fn meant(written: &str) -> Option<Meant> {
    if let Some(key) = known::key(written) {
        return Some(Meant::plainly(key));
    }
    if let Some(rule) = server_rule(written) {
        return Some(Meant { kept: written.to_owned(), rule });
    }
    let (name, tail) = agent_and_tail(written)?;
    let rule = rule_of_tail(name, tail)?;
    let is_server = tail.starts_with(SERVERS);
    let kept = match name {
        DEFAULTS if is_server => tail.to_owned(),
        DEFAULTS => rule.to_owned(),
        _ => written.to_owned(),
    };
    Some(Meant { kept, rule })
}

/// The key of an agent's own value for a setting.
pub(super) fn own_key(agent: &str, key: &str) -> String {
    let named = NAMES.iter().find(|(_, ours)| *ours == key);
    format!("agents.{agent}.{}", named.map_or(key, |(name, _)| name))
}

/// The agent that a kept key is about, if it is about one.
pub(super) fn agent_of(kept: &str) -> Option<&str> {
    agent_and_tail(kept).map(|(name, _)| name)
}

/// A setting of this section; nothing when there is no such section.
pub(super) fn example_of(section: &str) -> Option<String> {
    if let Some(known) = known::first_of_section(section) {
        return Some(known.to_owned());
    }
    let parts: Vec<&str> = section.split('.').collect();
    Some(match parts[..] {
        ["agents"] => format!("agents.{DEFAULTS}.contemplation.enabled"),
        ["agents", _] => format!("{section}.contemplation.enabled"),
        ["agents", _, "contemplation"] => format!("{section}.enabled"),
        ["agents", _, "contemplation", "activeHours"] => format!("{section}.start"),
        ["agents", _, "thinker"] => format!("{section}.kind"),
        ["thinker", "mcp"] | ["agents", _, "thinker", "mcp"] => format!("{section}.web.command"),
        ["thinker", "mcp", _] | ["agents", _, "thinker", "mcp", _] => format!("{section}.command"),
        _ => return None,
    })
}

/// What was meant by a key under `agents` or `thinker.mcp` that does not exist; nothing for any other.
pub(super) fn hint(written: &str) -> Option<String> {
    if let Some(rest) = written.strip_prefix(SERVERS) {
        let name = rest.split('.').next().filter(|name| is_server_name(name)).unwrap_or("web");
        return Some(format!("a server of tools has `{SERVERS}{name}.command` or `{SERVERS}{name}.url`"));
    }
    let rest = written.strip_prefix("agents.")?;
    let (name, tail) = rest.split_once('.').unwrap_or((rest, ""));
    if known::key(tail).is_some() {
        return Some(format!("that is the same for all agents, and called `{tail}`"));
    }
    Some(match known::nearest_of(tail, own_tails(name)) {
        Some(near) => format!("did you mean `agents.{name}.{near}`?"),
        None => {
            let all: Vec<&str> = own_tails(name).collect();
            format!("what an agent may have of its own is {}", all.join(", "))
        }
    })
}

/// Where the name ends is not told by the dots alone: it may have some in it. It ends where something known follows.
fn agent_and_tail(written: &str) -> Option<(&str, &str)> {
    let rest = written.strip_prefix("agents.")?;
    let halves = rest.match_indices('.').map(|(dot, _)| (&rest[..dot], &rest[dot + 1..]));
    halves.filter(|(name, _)| !name.is_empty()).find(|(name, tail)| rule_of_tail(name, tail).is_some())
}

fn rule_of_tail(name: &str, tail: &str) -> Option<&'static str> {
    let known_tail = own_tails(name).find(|own| *own == tail);
    let named = NAMES.iter().find(|(name, _)| *name == tail).map(|(_, ours)| *ours);
    known_tail.map(|tail| named.unwrap_or(tail)).or_else(|| server_rule(tail))
}

/// What may be said of the agent of this name alone.
fn own_tails(name: &str) -> impl Iterator<Item = &'static str> + Clone {
    let all = name == DEFAULTS;
    let named = NAMES.iter().map(|(name, _)| *name).filter(move |tail| all || *tail != FAMILY_EVERY);
    named.chain(known::keys().filter(move |key| key.starts_with("thinker.") && (all || *key != LANES)))
}

fn server_rule(key: &str) -> Option<&'static str> {
    let (name, what) = key.strip_prefix(SERVERS)?.split_once('.')?;
    match what {
        _ if !is_server_name(name) => None,
        "command" => Some(SERVER_COMMAND),
        "url" => Some(SERVER_URL),
        _ => None,
    }
}

fn is_server_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= MAX_SERVER_NAME && name.chars().all(fits)
}

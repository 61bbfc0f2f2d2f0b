//! The programs that can be connected: where each keeps its settings, and what is written there.
//!
//! All of them start `selfsame mcp` themselves and speak to it over its standard input and output, so none needs a key and no
//! secret is written anywhere. Those that have hooks also run `selfsame hook`.

use super::json::Item;
use crate::settings::Way;
use std::path::{Path, PathBuf};

/// The name under which we stand in other programs' settings.
pub(super) const NAME: &str = "selfsame";

/// One program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Cursor,
    VsCode,
    OpenClaw,
    GeminiCli,
    Opencode,
}

/// Where the programs keep their settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Homes {
    /// The user's home folder.
    pub(crate) home: PathBuf,
    /// Where settings usually are: `~/.config`, or `~/Library/Application Support`.
    pub(crate) settings: PathBuf,
    /// `~/.config` also where the platform has another place.
    pub(crate) dot_config: PathBuf,
}

/// How we are started: the program, and how it finds the mind.
pub(crate) struct Us {
    program: String,
    options: Vec<String>,
}

/// Something to be written into a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    pub(super) file: PathBuf,
    pub(super) change: Change,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// At this path of a JSON file stands this.
    Set(Vec<&'static str>, Item),
    /// The same, unless something stands there.
    SetUnless(Vec<&'static str>, Item),
    /// In the list at this path stands this, once; it is known by the command that it runs.
    InList(Vec<&'static str>, Item),
    /// A table of a TOML file: the command and its arguments.
    Table(Vec<&'static str>, String, Vec<String>),
}

impl Us {
    pub(crate) fn of(program: &Path, way: &Way) -> Us {
        Us { program: program.display().to_string(), options: way.options() }
    }

    /// What starts the MCP server, with its arguments.
    pub(super) fn server(&self) -> (&str, Vec<String>) {
        (&self.program, self.arguments(&["mcp"]))
    }

    fn arguments(&self, command: &[&str]) -> Vec<String> {
        self.options.iter().cloned().chain(command.iter().map(|word| (*word).to_owned())).collect()
    }

    fn argument_items(&self, command: &[&str]) -> Item {
        Item::List(self.arguments(command).into_iter().map(Item::Text).collect())
    }

    /// For a shell.
    fn line(&self, command: &[&str]) -> String {
        let words = std::iter::once(self.program.clone()).chain(self.arguments(command));
        words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

impl Client {
    pub(super) const ALL: [Client; 8] = [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::Codex,
        Client::Cursor,
        Client::VsCode,
        Client::OpenClaw,
        Client::GeminiCli,
        Client::Opencode,
    ];

    /// As the command line spells it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::ClaudeDesktop => "claude-desktop",
            Client::Codex => "codex",
            Client::Cursor => "cursor",
            Client::VsCode => "vscode",
            Client::OpenClaw => "openclaw",
            Client::GeminiCli => "gemini-cli",
            Client::Opencode => "opencode",
        }
    }

    /// As its makers do.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::ClaudeDesktop => "Claude Desktop",
            Client::Codex => "Codex",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::OpenClaw => "OpenClaw",
            Client::GeminiCli => "Gemini CLI",
            Client::Opencode => "opencode",
        }
    }

    /// What makes the change count.
    pub(super) const fn afterwards(self) -> &'static str {
        match self {
            Client::ClaudeCode => "start a new session",
            Client::ClaudeDesktop => "quit it and open it again",
            Client::Codex => "start a new session, and trust the hooks when it asks",
            Client::Cursor => "open a new chat",
            Client::VsCode => "start the server: MCP: List Servers",
            Client::OpenClaw => "openclaw mcp probe selfsame",
            Client::GeminiCli | Client::Opencode => "start it again",
        }
    }

    /// Where it keeps itself: if that is there, it is installed.
    pub(super) fn traces(self, homes: &Homes) -> Vec<PathBuf> {
        let Homes { home, settings, dot_config } = homes;
        match self {
            Client::ClaudeCode => vec![home.join(".claude"), home.join(".claude.json")],
            Client::ClaudeDesktop => vec![settings.join("Claude")],
            Client::Codex => vec![home.join(".codex")],
            Client::Cursor => vec![home.join(".cursor")],
            Client::VsCode => vec![settings.join("Code/User")],
            Client::OpenClaw => vec![home.join(".openclaw")],
            Client::GeminiCli => vec![home.join(".gemini")],
            Client::Opencode => vec![dot_config.join("opencode")],
        }
    }

    /// What is to be written, and where.
    pub(super) fn edits(self, homes: &Homes, us: &Us) -> Vec<Edit> {
        let Homes { home, settings, dot_config } = homes;
        let server =
            Item::Fields(vec![("command", Item::text(&us.program)), ("args", us.argument_items(&["mcp"]))]);
        let typed = Item::Fields(vec![
            ("type", Item::text("stdio")),
            ("command", Item::text(&us.program)),
            ("args", us.argument_items(&["mcp"])),
        ]);
        let set = |file: PathBuf, path: &[&'static str], item: &Item| {
            let path = path.iter().copied().chain([NAME]).collect();
            vec![Edit { file, change: Change::Set(path, item.clone()) }]
        };
        match self {
            Client::ClaudeCode => {
                let hooks = self.hooks(&home.join(".claude/settings.json"), us, 5, &CLAUDE_EVENTS);
                [set(home.join(".claude.json"), &["mcpServers"], &typed), hooks].concat()
            }
            Client::ClaudeDesktop => {
                set(settings.join("Claude/claude_desktop_config.json"), &["mcpServers"], &server)
            }
            Client::Codex => {
                let table =
                    Change::Table(vec!["mcp_servers", NAME], us.program.clone(), us.arguments(&["mcp"]));
                let server = vec![Edit { file: home.join(".codex/config.toml"), change: table }];
                [server, self.hooks(&home.join(".codex/hooks.json"), us, 5, &CLAUDE_EVENTS)].concat()
            }
            Client::Cursor => {
                let file = home.join(".cursor/hooks.json");
                let version = Change::SetUnless(vec!["version"], Item::Number(1));
                let version = vec![Edit { file: file.clone(), change: version }];
                let hooks = CURSOR_EVENTS.iter().map(|(theirs, ours)| Edit {
                    file: file.clone(),
                    change: Change::InList(
                        vec!["hooks", theirs],
                        Item::Fields(vec![("command", self.hook_line(us, ours))]),
                    ),
                });
                [set(home.join(".cursor/mcp.json"), &["mcpServers"], &server), version, hooks.collect()]
                    .concat()
            }
            Client::VsCode => set(settings.join("Code/User/mcp.json"), &["servers"], &typed),
            Client::OpenClaw => set(home.join(".openclaw/openclaw.json"), &["mcp", "servers"], &server),
            Client::GeminiCli => {
                let file = home.join(".gemini/settings.json");
                // It counts in milliseconds.
                let hooks = self.hooks(&file, us, 5000, &GEMINI_EVENTS);
                [set(file, &["mcpServers"], &server), hooks].concat()
            }
            Client::Opencode => {
                let folder = dot_config.join("opencode");
                let commented = folder.join("opencode.jsonc");
                let file = if commented.exists() { commented } else { folder.join("opencode.json") };
                let command = std::iter::once(us.program.clone()).chain(us.arguments(&["mcp"]));
                let local = Item::Fields(vec![
                    ("type", Item::text("local")),
                    ("command", Item::List(command.map(Item::Text).collect())),
                    ("enabled", Item::Flag(true)),
                ]);
                set(file, &["mcp"], &local)
            }
        }
    }

    /// Hooks as Claude Code has them, which others took up.
    fn hooks(self, file: &Path, us: &Us, timeout: u64, events: &[(&'static str, &str)]) -> Vec<Edit> {
        let edit = |(theirs, ours): &(&'static str, &str)| {
            let command = Item::Fields(vec![
                ("type", Item::text("command")),
                ("command", self.hook_line(us, ours)),
                ("timeout", Item::Number(timeout)),
            ]);
            let group = Item::Fields(vec![("hooks", Item::List(vec![command]))]);
            Edit { file: file.to_owned(), change: Change::InList(vec!["hooks", theirs], group) }
        };
        events.iter().map(edit).collect()
    }

    fn hook_line(self, us: &Us, event: &str) -> Item {
        Item::Text(us.line(&["hook", event, "--client", self.name()]))
    }
}

const CLAUDE_EVENTS: [(&str, &str); 5] = [
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "user-prompt"),
    ("Stop", "stop"),
    ("PreCompact", "pre-compact"),
    ("SessionEnd", "session-end"),
];
const GEMINI_EVENTS: [(&str, &str); 5] = [
    ("SessionStart", "session-start"),
    ("BeforeAgent", "user-prompt"),
    ("AfterAgent", "stop"),
    ("PreCompress", "pre-compact"),
    ("SessionEnd", "session-end"),
];
/// It says what the agent answered with an event of its own, and not when it stops.
const CURSOR_EVENTS: [(&str, &str); 5] = [
    ("sessionStart", "session-start"),
    ("beforeSubmitPrompt", "user-prompt"),
    ("afterAgentResponse", "stop"),
    ("preCompact", "pre-compact"),
    ("sessionEnd", "session-end"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_what_was_meant() {
        assert_eq!(quoted("/usr/bin/selfsame"), "/usr/bin/selfsame");
        assert_eq!(quoted("/my files/it's"), r"'/my files/it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(x)"), "'$(x)'");
    }
}

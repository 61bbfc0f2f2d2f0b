//! Connecting other programs, in home folders of all sorts: what is written, that it is written once, and that it is undone to
//! the byte.

use crate::cli::{Ran, World, finish};
use crate::errors::wrapper_that_binds;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

const CLIENTS: [&str; 8] =
    ["claude-code", "claude-desktop", "codex", "cursor", "vscode", "openclaw", "gemini-cli", "opencode"];

/// A world with a home folder that has these files.
fn home(files: &[(&str, &str)]) -> World {
    let world = World::with_mind();
    for (name, text) in files {
        let path = at(&world, name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    world
}

fn at(world: &World, name: &str) -> PathBuf {
    world.path("home").join(name)
}

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(at(world, name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every file and folder of the home folder, with its bytes.
fn all(world: &World) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                found.insert(path.clone(), None);
                walk(&path, found);
            } else {
                found.insert(path.clone(), Some(fs::read(&path).unwrap_or_default()));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&world.path("home"), &mut found);
    found
}

fn connect(world: &World, arguments: &[&str]) -> Ran {
    world.run(&[&["connect"], arguments].concat())
}

/// The words with which the mind of the world is found.
fn options(world: &World) -> Vec<String> {
    vec!["--data".into(), world.data().display().to_string()]
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_selfsame")
}

fn arguments(world: &World) -> Vec<String> {
    [options(world), vec!["mcp".into()]].concat()
}

fn hook(world: &World, event: &str, client: &str) -> String {
    format!("{} --data {} hook {event} --client {client}", program(), world.data().display())
}

#[test]
fn each_client_gets_its_own_entries_in_its_own_files() {
    let world = home(&[]);
    connect(&world, &CLIENTS).succeeds();
    let file = |name: &str| serde_json::from_str::<Value>(&read(&world, name)).unwrap();
    let server = json!({ "command": program(), "args": arguments(&world) });
    let typed = json!({ "type": "stdio", "command": program(), "args": arguments(&world) });
    assert_eq!(file(".claude.json"), json!({ "mcpServers": { "selfsame": typed } }));
    assert_eq!(
        file(".config/Claude/claude_desktop_config.json"),
        json!({ "mcpServers": { "selfsame": server } })
    );
    assert_eq!(file(".cursor/mcp.json"), json!({ "mcpServers": { "selfsame": server } }));
    assert_eq!(file(".config/Code/User/mcp.json"), json!({ "servers": { "selfsame": typed } }));
    assert_eq!(file(".openclaw/openclaw.json"), json!({ "mcp": { "servers": { "selfsame": server } } }));
    let command: Vec<String> = [vec![program().to_owned()], arguments(&world)].concat();
    let local = json!({ "type": "local", "command": command, "enabled": true });
    assert_eq!(file(".config/opencode/opencode.json"), json!({ "mcp": { "selfsame": local } }));
    let quoted = arguments(&world).iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    let table = format!("[mcp_servers.selfsame]\ncommand = \"{}\"\nargs = [{quoted}]\n", program());
    assert_eq!(read(&world, ".codex/config.toml"), table);

    let group = |event: &str, client: &str, timeout: u32| json!([{ "hooks": [{ "type": "command", "command": hook(&world, event, client), "timeout": timeout }] }]);
    for (name, client) in [(".claude/settings.json", "claude-code"), (".codex/hooks.json", "codex")] {
        let hooks = json!({
            "SessionStart": group("session-start", client, 5), "UserPromptSubmit": group("user-prompt", client, 5),
            "Stop": group("stop", client, 5), "PreCompact": group("pre-compact", client, 5),
            "SessionEnd": group("session-end", client, 5),
        });
        assert_eq!(file(name), json!({ "hooks": hooks }));
    }
    let gemini = file(".gemini/settings.json");
    assert_eq!(gemini["mcpServers"]["selfsame"], server);
    assert_eq!(gemini["hooks"]["BeforeAgent"], group("user-prompt", "gemini-cli", 5000));
    assert_eq!(gemini["hooks"]["AfterAgent"], group("stop", "gemini-cli", 5000));
    let cursor = file(".cursor/hooks.json");
    assert_eq!(cursor["version"], 1);
    assert_eq!(
        cursor["hooks"]["beforeSubmitPrompt"],
        json!([{ "command": hook(&world, "user-prompt", "cursor") }])
    );
    assert_eq!(cursor["hooks"]["afterAgentResponse"], json!([{ "command": hook(&world, "stop", "cursor") }]));

    for (path, bytes) in all(&world) {
        let text = String::from_utf8(bytes.unwrap_or_default()).unwrap();
        assert!(!text.contains("ssk_"), "a key in {}", path.display());
    }
}

#[test]
fn what_is_written_works() {
    let world = home(&[]).in_the_background();
    connect(&world, &["claude-code"]).succeeds();
    let settings: Value = serde_json::from_str(&read(&world, ".claude/settings.json")).unwrap();
    let line = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"].as_str().unwrap();
    world.remember("The red bicycle is in the cellar");
    let mut shell = std::process::Command::new("sh");
    shell.args([
        "-c",
        &format!("echo '{{\"session_id\": \"a\", \"prompt\": \"Where is the red bicycle?\"}}' | {line}"),
    ]);
    // As a host runs it: nothing of our environment but where the daemon may listen.
    shell.env_clear().env("SELFSAME_SERVER_ADDRESS", "127.0.0.1:0").env("SELFSAME_TEST_PATIENCE", "30000");
    let output = shell.output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains("UserPromptSubmit") && answer.contains("cellar"), "{answer}");
    assert!(world.run(&["conversation", "list"]).succeeds().contains("claude-code:a"));
}

/// Home folders as people have them.
const ODD: [(&str, &str); 9] = [
    (".claude.json", "{\"numStartups\":7,\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"projects\":{}}"),
    (
        ".claude/settings.json",
        "{\n    // my settings\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }, // loud\n        ],\n    },\n}\n",
    ),
    (".config/Claude/claude_desktop_config.json", "{\r\n\t\"mcpServers\": {}\r\n}\r\n"),
    (".codex/config.toml", "# mine\nmodel = 'x'   # odd\n\n[mcp_servers.other]\ncommand = \"y\"\n  args=[ ]"),
    (".cursor/mcp.json", ""),
    (".cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./bell\"}]}}"),
    (
        ".openclaw/openclaw.json",
        "// five\n{\n  agents: { defaults: { model: 'x', }, },\n  mcp: { servers: { other: { command: 'z' } } }\n}\n",
    ),
    (".gemini/settings.json", "\u{feff}{\n\t\"theme\": \"a\\u0041\\/\"\n}"),
    (
        ".config/opencode/opencode.jsonc",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\", /* schema */\n  \"mcp\": {\n    \"servers\": {\n      \"other\": { \"type\": \"local\", \"command\": [\"x\"] }\n    }\n  }\n}\n",
    ),
];

#[test]
fn what_was_there_stays_and_undo_is_to_the_byte() {
    let world = home(&ODD);
    let before = all(&world);
    connect(&world, &CLIENTS).succeeds();
    for (name, words) in [
        (".claude.json", "\"other\":{\"command\":\"x\"}"),
        (".claude/settings.json", "// my settings"),
        (".claude/settings.json", "\"say done\" }] }, // loud"),
        (".codex/config.toml", "model = 'x'   # odd"),
        (".cursor/hooks.json", "./bell"),
        (".openclaw/openclaw.json", "agents: { defaults: { model: 'x', }, },"),
        (".gemini/settings.json", "\"a\\u0041\\/\""),
        (".config/opencode/opencode.jsonc", "/* schema */"),
    ] {
        let text = read(&world, name);
        assert!(text.contains(words) && text.contains("selfsame"), "{name}: {text}");
    }
    let servers = read(&world, ".config/opencode/opencode.jsonc");
    let servers: Value = serde_json::from_str(&servers.replace("/* schema */", "")).unwrap();
    assert!(servers["mcp"]["servers"]["selfsame"]["command"].is_array(), "{servers}");
    let after = all(&world);
    let again = connect(&world, &CLIENTS).succeeds();
    let outcomes: Vec<&str> =
        again.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(!outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == "unchanged"), "{again}");
    assert_eq!(all(&world), after, "twice is as once");
    for (name, _) in ODD {
        let copy = at(&world, &format!("{name}.before-selfsame"));
        let original = before.get(&at(&world, name)).unwrap().as_ref().unwrap();
        assert_eq!(fs::read(&copy).unwrap(), *original, "{name}");
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
    connect(&world, &["--undo"]).succeeds();
    assert_eq!(all(&world), before);
    assert_eq!(connect(&world, &["--undo"]).succeeds(), "nothing is connected\n");
}

#[test]
fn a_dry_run_shows_everything_and_touches_nothing() {
    let world = home(&ODD);
    let before = all(&world);
    let shown = connect(&world, &["--detect", "--dry-run"]).succeeds();
    for words in ["Claude Code", "+   \"mcpServers\"", "[mcp_servers.selfsame]", "this was a dry run"] {
        assert!(shown.contains(words), "{words} is not in:\n{shown}");
    }
    assert_eq!(all(&world), before);
    assert!(!world.data().join("connections.json").exists());
    connect(&world, &["--detect"]).succeeds();
    let connected = all(&world);
    assert!(connect(&world, &["--undo", "--dry-run"]).succeeds().contains("restore"));
    assert_eq!(all(&world), connected);
    // Without a mind, too: there is nothing to be broken.
    let empty = World::new();
    fs::create_dir_all(at(&empty, ".codex")).unwrap();
    assert!(connect(&empty, &["--detect", "--dry-run"]).succeeds().contains("Codex"));
    connect(&empty, &["codex"]).fails(3, "run `selfsame init` first");
    assert_eq!(fs::read_dir(at(&empty, ".codex")).unwrap().count(), 0);
}

#[test]
fn what_somebody_changed_since_is_kept_when_it_is_undone() {
    let world = home(&ODD);
    connect(&world, &["claude-code", "codex"]).succeeds();
    for (name, old, new) in [
        (".claude/settings.json", "\"opus\"", "\"sonnet\""),
        (".codex/config.toml", "model = 'x'", "model = 'z'"),
    ] {
        let text = read(&world, name);
        fs::write(at(&world, name), text.replace(old, new)).unwrap();
    }
    connect(&world, &["--undo"]).succeeds();
    let settings = read(&world, ".claude/settings.json");
    assert!(
        settings.contains("\"sonnet\"")
            && settings.contains("// my settings")
            && settings.contains("say done")
    );
    assert!(!settings.contains("selfsame"), "{settings}");
    let codex = read(&world, ".codex/config.toml");
    assert!(codex.contains("model = 'z'   # odd") && !codex.contains("selfsame"), "{codex}");
    assert!(!at(&world, ".claude/settings.json.before-selfsame").exists());
}

#[test]
fn a_mind_that_moved_is_connected_anew_and_undone_to_the_byte() {
    let world = home(&ODD);
    let before = all(&world);
    connect(&world, &["claude-code", "codex"]).succeeds();
    connect(&world, &["--agent", "other", "claude-code", "codex"]).succeeds();
    let settings = read(&world, ".claude/settings.json");
    assert_eq!(settings.matches(" hook stop ").count(), 1, "{settings}");
    assert!(settings.contains("--agent other") && read(&world, ".codex/config.toml").contains("\"other\""));
    connect(&world, &["--undo"]).succeeds();
    assert_eq!(all(&world), before);
}

#[test]
fn a_link_stays_a_link() {
    let world = home(&[("dotfiles/settings.json", "{\n  \"a\": 1\n}\n")]);
    fs::create_dir_all(at(&world, ".claude")).unwrap();
    symlink(at(&world, "dotfiles/settings.json"), at(&world, ".claude/settings.json")).unwrap();
    fs::set_permissions(at(&world, "dotfiles/settings.json"), Permissions::from_mode(0o640)).unwrap();
    let before = all(&world);
    connect(&world, &["claude-code"]).succeeds();
    assert!(fs::symlink_metadata(at(&world, ".claude/settings.json")).unwrap().is_symlink());
    assert!(read(&world, "dotfiles/settings.json").contains("selfsame"));
    let mode = fs::metadata(at(&world, "dotfiles/settings.json")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o640, "its rights are its owner's");
    connect(&world, &["--undo"]).succeeds();
    assert_eq!(all(&world), before);
    symlink(at(&world, "nowhere"), at(&world, ".gemini")).unwrap();
    fs::remove_file(at(&world, ".gemini")).unwrap();
    fs::create_dir(at(&world, ".gemini")).unwrap();
    symlink(at(&world, "nowhere"), at(&world, ".gemini/settings.json")).unwrap();
    let ran = connect(&world, &["gemini-cli"]);
    assert!(ran.out.contains("it is a link to nowhere"), "{ran}");
    assert_eq!(ran.code, 2);
}

#[test]
fn what_cannot_be_understood_or_written_is_left_as_it_is() {
    let broken: [(&str, &str, &str, &str); 6] = [
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "line 3, column 3: a comma or } is expected",
        ),
        ("claude-code", ".claude.json", "[]", "it is no object"),
        ("codex", ".codex/config.toml", "a = 1\nb = = 2\n", "line 2: "),
        ("codex", ".codex/hooks.json", "{\"hooks\": []}", "what stands at `hooks` is no object"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": 7}", "what stands at `mcpServers` is no object"),
        ("vscode", ".config/Code/User/mcp.json", "garbage", "it is no object: settings begin with {"),
    ];
    for (client, name, text, said) in broken {
        let world = home(&[(name, text)]);
        let before = all(&world);
        let ran = connect(&world, &[client]);
        assert_eq!(ran.code, 2, "{ran}");
        let place = at(&world, name).display().to_string();
        assert!(ran.out.contains(&place) && ran.out.contains("left as it is"), "{ran}");
        assert!(ran.out.contains(said), "{said}: {ran}");
        assert_eq!(all(&world), before, "{name}");
    }
    let world = home(&[(".codex/config.toml", "a = 1\n"), (".gemini/settings.json", "{}")]);
    fs::set_permissions(at(&world, ".codex/config.toml"), Permissions::from_mode(0o444)).unwrap();
    fs::write(at(&world, ".cursor"), "a file where a folder should be").unwrap();
    let before = all(&world);
    let ran = connect(&world, &["codex", "cursor"]);
    assert!(
        ran.out.contains("it is read-only") && ran.out.contains("what should be its folder is a file"),
        "{ran}"
    );
    assert_eq!(all(&world), before);
    // One's trouble is not the others'.
    let ran = connect(&world, &["codex", "gemini-cli"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("the others are done") && read(&world, ".gemini/settings.json").contains("selfsame")
    );
}

#[test]
fn who_is_there_is_found() {
    let world = home(&[]).in_the_background();
    let known = connect(&world, &[]).succeeds();
    assert_eq!(known.matches("not found").count(), 8, "{known}");
    assert!(connect(&world, &["--detect"]).succeeds().contains("no client is found"));
    for folder in [".codex", ".config/opencode"] {
        fs::create_dir_all(at(&world, folder)).unwrap();
    }
    connect(&world, &["--detect"]).succeeds();
    let doctor = world.run(&["doctor"]).succeeds();
    assert!(
        doctor.contains("clients      connected: codex, opencode; the command they start was"),
        "{doctor}"
    );
    // It was started for real, and what it started for that is gone again.
    assert!(fs::read_to_string(world.data().join("daemon.log")).is_ok());
    assert!(world.run(&["status"]).succeeds().contains("daemon    not running"));
    let codex = read(&world, ".codex/config.toml");
    fs::write(at(&world, ".codex/config.toml"), "").unwrap();
    let doctor = world.run(&["doctor"]);
    doctor.fails(8, "does not work as it should");
    assert!(doctor.out.contains("`selfsame connect codex` mends it"), "{doctor}");
    fs::write(at(&world, ".codex/config.toml"), codex).unwrap();
    let known: Value = serde_json::from_str(&world.run(&["--json", "connect"]).succeeds()).unwrap();
    let connected = known.as_array().unwrap().iter().filter(|one| one["connected"] == true);
    assert_eq!(
        connected.map(|one| one["client"].as_str().unwrap()).collect::<Vec<_>>(),
        ["codex", "opencode"]
    );
    connect(&world, &["cluade-code"]).fails(2, "did you mean claude-code?");
    connect(&world, &["emacs"]).fails(2, "Known are claude-code, claude-desktop, codex");
    // Nothing but a home of its own is in the way of undoing: what was made goes, with the folders that were made for it.
    world.run(&["uninstall"]).fails(2, "selfsame uninstall --keep-data");
    let said = world.run(&["uninstall", "--keep-data"]).succeeds();
    assert!(said.contains("codex, opencode") && said.contains("mind, kept"), "{said}");
    assert!(!at(&world, ".codex/config.toml").exists() && world.database().exists());
}

#[test]
fn as_a_service_of_the_user() {
    let world = World::with_mind();
    let unit = at(&world, ".config/systemd/user/selfsame.service");
    let shown = world.run(&["service", "install", "--dry-run"]).succeeds();
    assert!(
        shown.contains("ExecStart=\"") && shown.contains("systemctl --user enable --now selfsame.service")
    );
    assert!(!unit.exists());
    let plist = world.run(&["service", "install", "--dry-run", "--keeper", "launchd"]).succeeds();
    assert!(plist.contains("<key>RunAtLoad</key>") && plist.contains("<string>serve</string>"), "{plist}");
    assert!(world.run(&["service", "status"]).succeeds().contains("not installed"));
    // What it would not be told is not dropped in silence.
    let refused =
        world.run(&["--set", "server.insecure=true", "--set", "log.level=debug", "service", "install"]);
    refused.fails(2, "(server.insecure, log.level): write it into");
    let elsewhere = world.run(&["--db", "postgres://me:hunter2@db/mind", "service", "install"]);
    elsewhere.fails(2, "(database.url): write it into");
    assert!(!elsewhere.err.contains("hunter2") && !unit.exists(), "{}", elsewhere.err);
    // No systemctl: what is left to do is said.
    let said = world.run(&["service", "install"]).succeeds();
    assert!(said.contains("Where it works, run: systemctl --user daemon-reload &&"), "{said}");
    assert!(fs::read_to_string(&unit).unwrap().contains(&world.data().display().to_string()));
    // One that writes down what it is asked.
    let bin = world.path("bin");
    fs::create_dir(&bin).unwrap();
    let log = world.path("asked");
    fs::write(bin.join("systemctl"), format!("#!/bin/sh\necho \"$@\" >> {}\n", log.display())).unwrap();
    fs::set_permissions(bin.join("systemctl"), Permissions::from_mode(0o755)).unwrap();
    let world = world.with("PATH", &format!("{}:/usr/bin:/bin", bin.display()));
    assert!(world.run(&["service", "install"]).succeeds().starts_with("installed already"));
    assert!(world.run(&["service", "status"]).succeeds().starts_with("running"));
    assert!(world.run(&["service", "remove", "--dry-run"]).succeeds().starts_with("would be removed"));
    assert!(unit.exists());
    assert!(world.run(&["service", "remove"]).succeeds().starts_with("removed"));
    assert!(!unit.exists());
    let asked = fs::read_to_string(log).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    assert_eq!(
        asked,
        [
            "--user daemon-reload",
            "--user enable --now selfsame.service",
            "--user is-active --quiet selfsame.service",
            "--user disable --now selfsame.service",
        ]
    );
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let world = World::new();
    let help = world.run(&["--help"]).succeeds();
    let listed = help.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let commands: Vec<&str> =
        commands.into_iter().filter(|name| !name.is_empty() && *name != "help").collect();
    assert!(commands.len() > 50 && commands.contains(&"connect"), "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.run(&["completions", shell]).succeeds();
        let words: BTreeSet<&str> =
            script.split(|letter: char| !letter.is_alphanumeric() && letter != '-').collect();
        let missing: Vec<_> = commands.iter().filter(|name| !words.contains(*name)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    let page = world.run(&["man"]).succeeds();
    assert!(page.contains(".SH NAME"), "{page}");
    for command in &commands {
        let name = command.replace('-', "\\-");
        assert!(page.contains(&format!("selfsame\\-{name}(1)")), "{command}: {page}");
    }
    let folder = world.path("man");
    world.run(&["man", "--out", folder.to_str().unwrap()]).succeeds();
    assert!(folder.join("selfsame-heartbeat-explain.1").exists());
    for command in &commands {
        assert!(folder.join(format!("selfsame-{command}.1")).exists(), "{command}");
    }
    assert!(!world.data().exists());
}

/// Whoever makes a package has no home, and no mind that could be read.
#[test]
fn completions_and_the_manual_need_neither_home_nor_mind() {
    let world = World::new();
    fs::create_dir(world.data()).unwrap();
    fs::write(world.data().join("selfsame.toml"), "[server\n").unwrap();
    let world = world
        .with("SELFSAME_SERVER_ADRESS", "nobody knows this setting")
        .with("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    for arguments in [&["man"] as &[&str], &["completions", "bash"], &["completions", "zsh"]] {
        // A settings file that nobody can read, and then a folder that nobody may enter, and then no home at all.
        let usual = world.run(arguments).succeeds();
        assert!(usual.contains("selfsame"), "{usual}");
        fs::set_permissions(world.data(), Permissions::from_mode(0o000)).unwrap();
        let locked = finish(&mut world.command_under(wrapper_that_binds(), arguments));
        fs::set_permissions(world.data(), Permissions::from_mode(0o700)).unwrap();
        assert_eq!(locked.succeeds(), usual);
        let mut homeless = world.command(arguments);
        homeless.env_clear();
        assert_eq!(finish(&mut homeless).succeeds(), usual);
    }
}

//! Settings with a name in their key: what counts for one agent, both spellings of what counts for all, servers of tools.

use selfsame::config::{
    ConfigError, ContemplationSettings, Layers, Resolved, Secret, Settings, ThinkerKind, ToolServer,
};
use selfsame_core::contemplation::WorkKind;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// As it is promised to be taken, word for word.
const AS_PROMISED: &str = r#"{ "agents": { "defaults": { "contemplation": { "enabled": true, "every": "30m", "familyEvery": "24h", "model": "qwen3:1.7b" } } } }"#;

#[test]
fn the_promised_shape_is_taken_as_it_is_written() {
    let resolved = resolve(file("a.json", AS_PROMISED));
    let expected = ContemplationSettings { enabled: true, ..Settings::default().contemplation };
    assert_eq!(resolved.settings.contemplation, expected);
    assert_eq!(resolved.settings.agents.len(), 0, "defaults is nobody's name");
    assert_eq!(origin(&resolved, "contemplation.every"), "file a.json");
    assert_eq!(origin(&resolved, "agents.defaults.contemplation.familyEvery"), "file a.json");
}

#[test]
fn what_counts_for_all_has_two_spellings() {
    let json = r#"{"agents": {"defaults": {"contemplation": {"enabled": true, "every": "7m", "familyEvery": "8h",
        "model": "a-model", "activeHours": {"start": "22:15", "end": "06:05"}}, "thinker": {"lanes": 5}}}}"#;
    let toml = "[agents.defaults.contemplation]\nenabled = true\nevery = '7m'\nfamilyEvery = '8h'\nmodel = 'a-model'\n\
        [agents.defaults.contemplation.activeHours]\nstart = '22:15'\nend = '06:05'\n\
        [agents.defaults.thinker]\nlanes = 5";
    let ours = "[contemplation]\nenabled = true\nevery = '7m'\nfamily_every = '8h'\nseasoning_model = 'a-model'\n\
        active_start = '22:15'\nactive_end = '06:05'\n[thinker]\nlanes = 5";
    let mut expected = Settings::default();
    expected.contemplation.enabled = true;
    expected.contemplation.every = 7 * MINUTE;
    expected.contemplation.family_every = 8 * 60 * MINUTE;
    expected.contemplation.seasoning_model = "a-model".to_owned();
    expected.contemplation.active = Some((22 * 60 + 15, 6 * 60 + 5));
    expected.thinker.lanes = 5;
    for (name, text) in [("a.json", json), ("a.toml", toml), ("a.toml", ours)] {
        assert_eq!(resolve(file(name, text)).settings, expected, "{text}");
    }
    let flag = Layers::new().flag("agents.defaults.contemplation.activeHours.start", "22:15");
    assert_eq!(resolve(flag).settings.contemplation.active, Some((22 * 60 + 15, 0)));
}

#[test]
fn one_layer_uses_one_spelling_and_a_later_one_may_use_the_other() {
    let both = "[contemplation]\nevery = '7m'\n[agents.defaults.contemplation]\nevery = '7m'";
    assert_eq!(
        error(file("a.toml", both)),
        "`agents.defaults.contemplation.every` (file a.toml:4) and `contemplation.every` (file a.toml:2) \
         are the same setting: keep one of them"
    );
    let json = r#"{"agents": {"defaults": {"contemplation": {"model": "a"}}}, "contemplation": {"seasoning_model": "b"}}"#;
    let message = error(file("a.json", json));
    assert!(message.contains("`agents.defaults.contemplation.model` (file a.json)"), "{message}");
    assert!(message.contains("`contemplation.seasoning_model` (file a.json)"), "{message}");

    let layers = file("a.json", AS_PROMISED).unwrap().flag("contemplation.every", "9m").unwrap();
    assert_eq!(resolve(Ok(layers)).settings.contemplation.every, 9 * MINUTE);
    let layers = file("a.json", AS_PROMISED).unwrap().env([("SELFSAME_CONTEMPLATION_EVERY", "9m")]).unwrap();
    assert_eq!(resolve(Ok(layers)).settings.contemplation.every, 9 * MINUTE);
}

#[test]
fn an_agent_has_its_own_and_the_rest_of_everybody() {
    let text = "[contemplation]\nquiet = '4m'\nactive_end = '20:00'\n\
        [agents.maya.contemplation]\nenabled = true\nevery = '45m'\nmodel = 'her-model'\nactiveHours = { start = '09:30' }\n\
        [agents.'maya.b-2'.contemplation]\nenabled = true\n[agents.maya.thinker]\ndaily_tokens = 7";
    let settings = resolve(file("a.toml", text)).settings;
    let everybody = settings.contemplation.clone();
    assert_eq!((everybody.quiet, everybody.own_every, everybody.enabled), (4 * MINUTE, None, false));
    assert_eq!(settings.contemplation_of("nobody"), everybody);
    let maya = ContemplationSettings {
        enabled: true,
        every: 45 * MINUTE,
        own_every: Some(45 * MINUTE),
        seasoning_model: "her-model".to_owned(),
        active: Some((9 * 60 + 30, 20 * 60)),
        ..everybody.clone()
    };
    assert_eq!(settings.contemplation_of("maya"), maya);
    assert_eq!(
        settings.contemplation_of("maya.b-2"),
        ContemplationSettings { enabled: true, ..everybody.clone() },
        "a name may have dots in it"
    );
    assert_eq!(settings.contemplation_of("Maya"), everybody, "names are what they are");
    let tokens = |agent| settings.thinker_of(agent, WorkKind::Contemplate).daily_tokens;
    assert_eq!((tokens("maya"), tokens("maya.b-2"), tokens("nobody")), (7, 200_000, 200_000));
}

#[test]
fn later_layers_win_for_one_agent_too() {
    let layers = file("a.toml", "[agents.maya.contemplation]\nevery = '45m'\nenabled = true").unwrap();
    let layers = layers.env([("SELFSAME_CONTEMPLATION_EVERY", "3h")]).unwrap();
    let layers = layers.flag("agents.maya.contemplation.enabled", "false").unwrap();
    let resolved = resolve(Ok(layers));
    let maya = resolved.settings.contemplation_of("maya");
    assert_eq!(
        (maya.every, maya.enabled),
        (45 * MINUTE, false),
        "her own, whichever layer says what counts for all"
    );
    assert_eq!(origin(&resolved, "agents.maya.contemplation.every"), "file a.toml:2");
    assert_eq!(
        origin(&resolved, "agents.maya.contemplation.enabled"),
        "flag --set agents.maya.contemplation.enabled"
    );
}

#[test]
fn each_job_has_its_thinker() {
    let text = "[thinker]\nkind = 'model'\nreview_inbox = 'none'\nsummarize = 'command'\n\
        [agents.maya.thinker]\nkind = 'agent'\nsummarize = ''\nphrase_claim = 'webhook'";
    let settings = resolve(file("a.toml", text)).settings;
    let kinds = |agent: &str| -> Vec<ThinkerKind> {
        WorkKind::ALL.iter().map(|work| settings.thinker_of(agent, *work).kind).collect()
    };
    use ThinkerKind::{Agent, Command, Model, None, Webhook};
    // In the order: contemplate, review the inbox, extract lessons, summarize, phrase a claim, a nudge.
    assert_eq!(kinds("nobody"), [Model, None, Model, Command, Model, Model]);
    assert_eq!(kinds("maya"), [Agent, None, Agent, Agent, Webhook, Agent]);
}

#[test]
fn servers_of_tools_have_names() {
    let text = "[thinker.mcp.web]\ncommand = '[\"/bin/web\", \"-v\"]'\n[thinker.mcp.notes]\nurl = 'https://n.example/mcp/'\n\
        [agents.maya.thinker.mcp]\nweb.url = 'http://w.example'\nnotes.command = ''\nfiles.command = '[\"files\"]'";
    let settings = resolve(file("a.toml", text)).settings;
    let program = |parts: &[&str]| ToolServer::Command(parts.iter().map(|part| (*part).to_owned()).collect());
    let address = |url: &str| ToolServer::Url(Secret::new(url));
    let servers = |agent: &str| settings.thinker_of(agent, WorkKind::Contemplate).servers;
    assert_eq!(
        Vec::from_iter(servers("nobody")),
        [
            ("notes".to_owned(), address("https://n.example/mcp/")),
            ("web".to_owned(), program(&["/bin/web", "-v"]))
        ]
    );
    assert_eq!(
        Vec::from_iter(servers("maya")),
        [("files".to_owned(), program(&["files"])), ("web".to_owned(), address("http://w.example"))]
    );
    let defaults = "[agents.defaults.thinker.mcp.web]\ncommand = '[\"/bin/web\", \"-v\"]'";
    assert_eq!(
        Vec::from_iter(resolve(file("a.toml", defaults)).settings.thinker.servers),
        [("web".to_owned(), program(&["/bin/web", "-v"]))]
    );
}

#[test]
fn mistakes_with_names_in_keys_are_told_with_the_way_out() {
    #[rustfmt::skip]
    let cases = [
        ("agents.maya.contemplation.evry = '1h'",
            "unknown setting `agents.maya.contemplation.evry` (file a.toml:1): did you mean `agents.maya.contemplation.every`?"),
        ("agents.maya.every = '1h'",
            "unknown setting `agents.maya.every` (file a.toml:1): did you mean `agents.maya.contemplation.every`?"),
        ("agents.defaults.contemplation.family_every = '1h'",
            "unknown setting `agents.defaults.contemplation.family_every` (file a.toml:1): \
             that is the same for all agents, and called `contemplation.family_every`"),
        ("agents.defaults.contemplation.familyevery = '1h'",
            "unknown setting `agents.defaults.contemplation.familyevery` (file a.toml:1): \
             did you mean `agents.defaults.contemplation.familyEvery`?"),
        ("agents.maya.contemplation.familyEvery = '1h'",
            "unknown setting `agents.maya.contemplation.familyEvery` (file a.toml:1): did you mean `agents.maya.contemplation.every`?"),
        ("agents.maya.contemplation.quiet = '1h'",
            "unknown setting `agents.maya.contemplation.quiet` (file a.toml:1): \
             that is the same for all agents, and called `contemplation.quiet`"),
        ("agents.maya.thinker.lanes = 3",
            "unknown setting `agents.maya.thinker.lanes` (file a.toml:1): that is the same for all agents, and called `thinker.lanes`"),
        ("agents.maya.contemplation.activeHours.begin = '08:00'",
            "unknown setting `agents.maya.contemplation.activeHours.begin` (file a.toml:1): \
             did you mean `agents.maya.contemplation.activeHours.end`?"),
        ("contemplation.familyEvery = '1h'",
            "unknown setting `contemplation.familyEvery` (file a.toml:1): did you mean `contemplation.family_every`?"),
        ("thinker.mcp.web.comand = '[]'",
            "unknown setting `thinker.mcp.web.comand` (file a.toml:1): \
             a server of tools has `thinker.mcp.web.command` or `thinker.mcp.web.url`"),
        ("thinker.mcp.'a b'.command = '[]'",
            "unknown setting `thinker.mcp.a b.command` (file a.toml:1): \
             a server of tools has `thinker.mcp.web.command` or `thinker.mcp.web.url`"),
        ("agents = 3",
            "`agents` is a section, not a setting (file a.toml:1): give its settings, such as `agents.defaults.contemplation.enabled`"),
        ("agents.maya = true",
            "`agents.maya` is a section, not a setting (file a.toml:1): give its settings, such as `agents.maya.contemplation.enabled`"),
        ("agents.maya.contemplation.activeHours = '08:00-20:00'",
            "`agents.maya.contemplation.activeHours` is a section, not a setting (file a.toml:1): \
             give its settings, such as `agents.maya.contemplation.activeHours.start`"),
        ("agents.maya.contemplation.every = { hours = 1 }",
            "`agents.maya.contemplation.every` cannot be a table (file a.toml:1): \
             expected a duration with a unit, from 1m to 30d, such as \"30m\""),
        // Durations need a unit, and the key is the one that was written.
        ("agents.maya.contemplation.every = 30",
            "`agents.maya.contemplation.every` cannot be 30 (file a.toml:1): \
             expected a duration with a unit, from 1m to 30d, such as \"30m\""),
        ("agents.defaults.contemplation.familyEvery = '24'",
            "`agents.defaults.contemplation.familyEvery` cannot be \"24\" (file a.toml:1): \
             expected a duration with a unit, from 1m to 30d, such as \"24h\""),
        ("agents.maya.contemplation.activeHours.start = '25:00'",
            "`agents.maya.contemplation.activeHours.start` cannot be \"25:00\" (file a.toml:1): \
             expected \"\" for none, or a time of day such as \"08:00\""),
        ("agents.maya.thinker.kind = 'magic'",
            "`agents.maya.thinker.kind` cannot be \"magic\" (file a.toml:1): \
             expected one of \"none\", \"model\", \"command\", \"webhook\", \"agent\""),
        ("thinker.mcp.web = { command = '[\"a\"]', url = 'http://a/hush' }",
            "`thinker.mcp.web.url` cannot be \"http://a/***\" (file a.toml:1): \
             expected either a command or a url, and not both"),
        ("agents.maya.contemplation.enabled = true\nagents.'maya.contemplation.enabled' = true",
            "`agents.maya.contemplation.enabled` is given twice (file a.toml:2): keep one of them"),
    ];
    for (text, message) in cases {
        assert_eq!(error(file("a.toml", text).and_then(Layers::resolve)), message, "{text}");
    }
    let nothing_near = error(file("a.toml", "agents.maya.colour_of_the_sky = 3"));
    let all = "what an agent may have of its own is contemplation.enabled, contemplation.every, contemplation.model,";
    assert!(nothing_near.contains(all), "{nothing_near}");
}

#[test]
fn empty_tables_of_agents_say_nothing() {
    let text = "[agents]\n[agents.maya]\n[agents.maya.contemplation]\n[agents.maya.contemplation.activeHours]\n\
        [agents.maya.thinker]\n[agents.maya.thinker.mcp.web]\n[thinker.mcp]\n[thinker.mcp.web]";
    assert_eq!(resolve(file("a.toml", text)).settings, Settings::default());
    let message = error(file("a.toml", "[agents.maya.contemplatoin]"));
    assert!(message.starts_with("unknown setting `agents.maya.contemplatoin` (file a.toml:1)"), "{message}");
}

#[test]
fn a_variable_has_no_room_for_a_name() {
    for name in ["SELFSAME_AGENTS_MAYA_CONTEMPLATION_ENABLED", "SELFSAME_THINKER_MCP_WEB_URL"] {
        assert_eq!(
            error(Layers::new().env([(name, "x")])),
            format!(
                "unknown environment variable {name}: \
                 what has a name of its own in its key comes from the settings file or by --set"
            )
        );
    }
}

#[test]
fn what_agents_have_is_shown_with_its_origin_and_without_its_secrets() {
    let text = "[agents.maya.thinker]\nkey = 'hush'\nwebhook_secret = 'hush'\nwebhook_url = 'https://a.example/hush'\n\
        mcp.web.url = 'https://b.example/hush'\n[agents.maya.contemplation]\nactiveHours.start = '08:00'\n\
        [thinker.mcp.notes]\nurl = 'https://c.example/hush'";
    let resolved = resolve(file("a.toml", text));
    let of_everybody = resolve(Ok(Layers::new())).explain().len();
    let lines: Vec<String> = resolved.explain()[of_everybody..]
        .iter()
        .map(|line| format!("{} = {} ({})", line.key, line.value, line.origin))
        .collect();
    let expected = r#"
agents.maya.contemplation.activeHours.start = "08:00" (file a.toml:7)
agents.maya.thinker.key = "***" (file a.toml:2)
agents.maya.thinker.mcp.web.url = "https://b.example/***" (file a.toml:5)
agents.maya.thinker.webhook_secret = "***" (file a.toml:3)
agents.maya.thinker.webhook_url = "https://a.example/***" (file a.toml:4)
thinker.mcp.notes.url = "https://c.example/***" (file a.toml:9)"#;
    assert_eq!(lines.join("\n"), expected.trim_start());
    assert!(!format!("{resolved:?}").contains("hush"));
    assert!(!format!("{:?}", resolved.settings).contains("hush"));
}

#[test]
fn the_thinker_of_everybody_keeps_its_secrets_too() {
    let cases = [
        ("thinker.key", "hush", "***"),
        ("thinker.webhook_secret", "hush", "***"),
        ("thinker.webhook_url", "https://a.example/hush", "https://a.example/***"),
        ("thinker.url", "https://me:hush@a.example/v1", "https://me:***@a.example/v1"),
        ("contemplation.seasoning_url", "http://me:hush@a.example", "http://me:***@a.example"),
    ];
    for (key, given, shown) in cases {
        let resolved = resolve(Layers::new().flag(key, given));
        let line = resolved.explain().into_iter().find(|line| line.key == key).unwrap();
        assert_eq!(line.value, format!("\"{shown}\""));
    }
}

fn file(name: &str, text: &str) -> Result<Layers, ConfigError> {
    Layers::new().file(name, text)
}

fn origin(resolved: &Resolved, key: &str) -> String {
    resolved.origin(key).expect("somebody gave it").to_string()
}

#[track_caller]
fn resolve(layers: Result<Layers, ConfigError>) -> Resolved {
    layers.and_then(Layers::resolve).expect("the layers resolve")
}

#[track_caller]
fn error<T: std::fmt::Debug>(result: Result<T, ConfigError>) -> String {
    result.expect_err("a mistake is refused").to_string()
}

//! What can go wrong at the command line: each with its exit code and words that name the fix.

use crate::cli::{World, finish};
use insta::assert_snapshot;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

fn chmod(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_typo_is_told_what_was_meant() {
    let world = World::new();
    assert_snapshot!(world.run(&["remeber", "x"]), @"
    [stderr]
    error: unrecognized subcommand 'remeber'

      tip: a similar subcommand exists: 'remember'

    Usage: selfsame [OPTIONS] [COMMAND]

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["recall"]), @"
    [stderr]
    error: the following required arguments were not provided:
      <QUERY>

    Usage: selfsame recall <QUERY>

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["recall", "x", "--limt", "3"]), @"
    [stderr]
    error: unexpected argument '--limt' found

      tip: a similar argument exists: '--limit'

    Usage: selfsame recall --limit <LIMIT> <QUERY>

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["recall", "x", "--limit", "many"]), @"
    [stderr]
    error: invalid value 'many' for '--limit <LIMIT>': invalid digit found in string

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["recall", "x", "--limit=-1"]), @"
    [stderr]
    error: invalid value '-1' for '--limit <LIMIT>': -1 is not in 0..=4294967295

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["serve", "--address", "localhost"]), @"
    [stderr]
    error: invalid value 'localhost' for '--address <IP:PORT>': invalid socket address syntax

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["mcp", "--profile", "everything"]), @"
    [stderr]
    error: invalid value 'everything' for '--profile <PROFILE>'
      [possible values: core, mind]

    For more information, try '--help'.
    [exit code 2]
    ");
}

#[test]
fn a_number_outside_its_range_is_told_the_range() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["recall", "x", "--limit", "0"]), @"
    [stderr]
    error: limit must be from 1 to 1000, not 0
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["recall", "x", "--limit", "1001"]), @"
    [stderr]
    error: limit must be from 1 to 1000, not 1001
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["remember", "x", "--importance", "2"]), @"
    [stderr]
    error: importance 2 is outside 0 to 1: give a number such as 0.5
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["remember", "x", "--importance", "NaN"]), @"
    [stderr]
    error: invalid value 'NaN' for '--importance <IMPORTANCE>': give a number such as 0.5

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["remember", "x", "--expires-at", "tomorrow"]), @"
    [stderr]
    error: `tomorrow` is not a time: it is too short. Write RFC 3339 with an offset, e.g. TIME or DATET22:43:00+01:00
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["remember", "x", "--type", "fact"]), @r#"
    [stderr]
    error: "fact" is no memory type; known are identity, preference, relationship, knowledge, skill, event, plan, question, context, episode, ephemeral, activity
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["remember", "x", "--entity", "Maya"]), @r#"
    [stderr]
    error: "Maya" is no entity id: expected ent_ and 26 letters and digits, as printed by selfsame (`selfsame entity list` shows them)
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["remember", "x", "--entity", "ent_00000000000000000000000000"]), @"
    [stderr]
    error: there is no entity ent_ID: `selfsame entity list` shows them
    [exit code 3]
    ");
}

#[test]
fn an_unknown_setting_is_named_wherever_it_stands() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["--set", "server.adress=x", "status"]), @"
    [stderr]
    error: unknown setting `server.adress` (flag --set server.adress): did you mean `server.address`?
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["--set", "server.workers", "status"]), @r#"
    [stderr]
    error: --set "server.workers" has no value: write --set KEY=VALUE
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["--set", "server.workers=0", "status"]), @"
    [stderr]
    error: `server.workers` cannot be 0 (flag --set server.workers): expected a whole number from 1 to 1024, such as 8
    [exit code 2]
    ");
    fs::write(world.data().join("selfsame.toml"), "[server]\nworkers = 2\nadress = 1\n").unwrap();
    assert_snapshot!(world.run(&["status"]), @"
    [stderr]
    error: unknown setting `server.adress` (file $WORLD/data/selfsame.toml:3): did you mean `server.address`?
    [exit code 2]
    ");
    fs::write(world.data().join("selfsame.toml"), "[server\n").unwrap();
    assert_snapshot!(world.run(&["status"]), @"
    [stderr]
    error: file $WORLD/data/selfsame.toml:1 is not valid TOML: unclosed table, expected `]`
    [exit code 2]
    ");
    fs::remove_file(world.data().join("selfsame.toml")).unwrap();
    assert_snapshot!(world.run(&["--config", "missing.toml", "status"]), @"
    [stderr]
    error: the settings file missing.toml cannot be read: No such file or directory (os error 2)
    [exit code 2]
    ");
    let world = world.with("SELFSAME_SERVER_ADRESS", "127.0.0.1:1");
    assert_snapshot!(world.run(&["status"]), @"
    [stderr]
    error: unknown environment variable SELFSAME_SERVER_ADRESS: did you mean SELFSAME_SERVER_ADDRESS?
    [exit code 2]
    ");
}

#[test]
fn a_folder_that_others_can_read_is_refused() {
    let world = World::with_mind();
    chmod(&world.data(), 0o755);
    assert_snapshot!(world.run(&["status"]), @r#"
    [stderr]
    error: "$WORLD/data" can be read by other users (mode 755): run `chmod 700 $WORLD/data`
    [exit code 8]
    "#);
    assert_snapshot!(world.run(&["init"]), @r#"
    [stderr]
    error: "$WORLD/data" can be read by other users (mode 755): run `chmod 700 $WORLD/data`
    [exit code 8]
    "#);
    chmod(&world.data(), 0o700);
    chmod(&world.database(), 0o644);
    assert_snapshot!(world.run(&["status"]), @r#"
    [stderr]
    error: "$WORLD/data/selfsame.db" can be read by other users (mode 644): run `chmod 600 $WORLD/data/selfsame.db`
    [exit code 8]
    "#);
    chmod(&world.database(), 0o600);
    world.run(&["status"]).succeeds();
}

#[test]
fn a_folder_that_is_not_there_is_not_made_by_a_look() {
    let world = World::new();
    for command in [&["status"] as &[&str], &["remember", "x"], &["doctor"], &["verify"], &["agent", "list"]]
    {
        let ran = world.run(&[&["--data", "nowhere"], command].concat());
        ran.fails(3, "there is no mind in \"nowhere\": run `selfsame init` first");
        assert!(!world.path("nowhere").exists());
    }
}

#[test]
fn an_empty_folder_is_no_mind() {
    let world = World::new();
    fs::create_dir(world.data()).unwrap();
    chmod(&world.data(), 0o700);
    world.run(&["recall", "x"]).fails(3, "run `selfsame init` first");
}

#[test]
fn a_file_is_no_folder() {
    let world = World::new();
    fs::write(world.data(), "not a folder").unwrap();
    assert_snapshot!(world.run(&["status"]), @r#"
    [stderr]
    error: the data folder "$WORLD/data" cannot be used (it is a file): choose another with --data, or mend its rights
    [exit code 8]
    "#);
    assert_snapshot!(world.run(&["init"]), @r#"
    [stderr]
    error: the data folder "$WORLD/data" cannot be used (File exists (os error 17)): choose another with --data, or mend its rights
    [exit code 8]
    "#);
    assert_snapshot!(world.run(&["--data", "data/deeper", "init"]), @r#"
    [stderr]
    error: the data folder "data/deeper" cannot be used (Not a directory (os error 20)): choose another with --data, or mend its rights
    [exit code 8]
    "#);
}

/// As root, the rights of files bind only without the capabilities that root has over them.
const BOUND: &[&str] = &["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"];

pub fn wrapper_that_binds() -> &'static [&'static str] {
    if rustix::process::geteuid().is_root() { BOUND } else { &[] }
}

#[test]
fn a_folder_that_cannot_be_entered_is_named() {
    let world = World::with_mind().with("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    chmod(&world.data(), 0o000);
    let ran = finish(&mut world.command_under(wrapper_that_binds(), &["status"]));
    chmod(&world.data(), 0o700);
    ran.fails(8, "cannot be used (Permission denied");
}

#[test]
fn a_place_where_nothing_can_be_made_is_named() {
    let world = World::new().with("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    let locked = world.path("locked");
    fs::create_dir(&locked).unwrap();
    chmod(&locked, 0o500);
    let arguments = ["--data", "locked/mind", "init"];
    let ran = finish(&mut world.command_under(wrapper_that_binds(), &arguments));
    chmod(&locked, 0o700);
    ran.fails(8, "cannot be used (Permission denied");
}

#[test]
fn one_daemon_per_folder() {
    let world = World::with_mind();
    let first = world.serve(&[]);
    let second = world.run(&["serve", "--address", "127.0.0.1:0"]);
    second.fails(6, &format!("is in use by process {}: stop it, or use the running daemon", first.pid()));
    assert_eq!(first.remember("the first goes on").0, 200);
    assert_eq!(first.stop(), 0);
}

/// Another process has the folder and answers at no socket: another command, say, that takes its time.
#[test]
fn a_command_waits_for_the_folder_and_not_for_ever() {
    let world = World::with_mind();
    let lock = fs::File::options().write(true).open(world.data().join("selfsame.lock")).unwrap();
    lock.lock().unwrap();
    let ran = world.run(&["--set", "database.lock_wait=200ms", "status"]);
    assert_snapshot!(ran, @r#"
    [stderr]
    error: the data folder "$WORLD/data" is in use by process PID: stop it, or use the running daemon
    [exit code 6]
    "#);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| world.run(&["status"]));
        lock.unlock().unwrap();
        waiting.join().unwrap().succeeds();
    });
}

#[test]
fn a_daemon_that_died_leaves_nothing_in_the_way() {
    let world = World::with_mind();
    let daemon = world.serve(&[]);
    assert_eq!(daemon.remember("told before the end").0, 200);
    // Dropped, it is killed: lock file and socket stay where they are.
    drop(daemon);
    assert!(world.data().join("selfsame.sock").exists());
    let recalled = world.run(&["recall", "told before the end"]).succeeds();
    assert!(recalled.contains("told before the end"), "{recalled}");
    assert_eq!(world.serve(&[]).stop(), 0);
}

#[test]
fn beyond_this_machine_only_when_it_is_said() {
    let world = World::with_mind();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let ran = world.run(&["serve", "--address", address]);
        ran.fails(2, "or say --insecure");
    }
    let ran = world.run(&["--set", "server.address=0.0.0.0:0", "serve"]);
    assert_snapshot!(ran, @"
    [stderr]
    error: 0.0.0.0:0 can be reached from other machines, and there is no TLS: name a certificate (server.tls_cert and server.tls_key), or listen on 127.0.0.1 behind a TLS proxy, or say --insecure
    [exit code 2]
    ");
    // An address that this machine does not have: refused by the machine, and no more by us.
    let ran = world.run(&["serve", "--insecure", "--address", "192.0.2.1:80"]);
    ran.fails(6, "cannot listen on 192.0.2.1:80");
}

#[test]
fn an_address_in_use_is_named() {
    let world = World::with_mind();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let ran = world.run(&["serve", "--address", &address]);
    assert_snapshot!(ran, @"
    [stderr]
    error: cannot listen on 127.0.0.1:PORT (Address already in use (os error 98)): stop what uses it, or choose another with --address
    [exit code 6]
    ");
    world.run(&["status"]).succeeds();
}

#[test]
fn content_that_is_none_is_refused() {
    let world = World::with_mind();
    for (content, said) in
        [("", "the text is empty"), (" \n\t", "the text is empty"), ("\u{200b}", "the text is empty")]
    {
        world.run(&["remember", content]).fails(2, said);
    }
    world.run_with_input(&["remember", "-"], b"").fails(2, "the text is empty");
    world.run_with_input(&["remember", "-"], b"nul \0 inside").fails(2, "NUL character");
    world.run_with_input(&["remember", "-"], b"\xff\xfe").fails(2, "cannot be read as text");
    let long = "a".repeat(262_145);
    world.run_with_input(&["remember", "-"], long.as_bytes()).fails(2, "262145 bytes and may have 262144");
    world.run(&["remember", "x", "--tag", ""]).fails(2, "the text is empty");
    world.run(&["recall", ""]).fails(2, "question: the text is empty");
    let status = world.run(&["status"]).succeeds();
    assert!(status.contains("0 memories"), "{status}");
}

#[test]
fn a_content_of_the_largest_size_is_stored() {
    let world = World::with_mind();
    let long = "word ".repeat(262_144 / 5);
    world.run_with_input(&["remember", "-"], long.as_bytes()).succeeds();
    // And with a daemon, whose limit is on the body that carries it.
    let daemon = world.serve(&[]);
    world.run_with_input(&["remember", "-"], long.as_bytes()).succeeds();
    assert_eq!(daemon.stop(), 0);
}

/// `selfsame recall ... | head -0`: whoever reads has seen enough, and nobody complains.
#[test]
fn a_reader_that_leaves_is_no_reason_to_complain() {
    let world = World::with_mind();
    world.remember("green tea");
    for arguments in [&["recall", "tea"] as &[&str], &["--help"], &["config", "show"], &["status"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = finish(world.command(arguments).stdout(Stdio::from(writer)));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}: {ran}");
    }
}

#[test]
fn without_a_home_the_folder_must_be_named() {
    let world = World::new();
    let mut command = world.command(&["status"]);
    command.env_remove("HOME").env_remove("SELFSAME_DATA");
    finish(&mut command).fails(2, "name the data folder with --data");
}

#[test]
fn the_usual_place_is_in_the_home() {
    let world = World::new();
    let mut command = world.command(&["init"]);
    let ran = finish(command.env_remove("SELFSAME_DATA")).succeeds();
    let place = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    let data = world.path("home").join(place).join("selfsame");
    assert!(ran.contains(&data.display().to_string()), "{ran}");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in ["selfsame.db", "selfsame.lock", "operator.key"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}

/// What newcomers do wrong, and what they are told to do next.
#[test]
fn every_mistake_of_a_newcomer_names_the_next_step() {
    let (empty, made) = (World::new(), World::with_mind());
    made.remember("Maya likes green tea");
    let nowhere = "postgres://someone@127.0.0.1:1/nowhere";
    let mistakes: &[(&World, &[&str], i32, &str)] = &[
        // In the wrong order.
        (&empty, &["remember", "x"], 3, "run `selfsame init` first"),
        (&empty, &["recall", "x"], 3, "run `selfsame init` first"),
        (&empty, &["status"], 3, "run `selfsame init` first"),
        (&empty, &["know", "list"], 3, "run `selfsame init` first"),
        (&empty, &["heartbeat", "explain"], 3, "run `selfsame init` first"),
        (&empty, &["connect", "codex"], 3, "run `selfsame init` first"),
        (&empty, &["doctor"], 3, "run `selfsame init` first"),
        (&made, &["uninstall"], 2, "say `selfsame uninstall --keep-data`"),
        // Not spelled right.
        (&made, &["rember", "x"], 2, "a similar subcommand exists: 'remember'"),
        (&made, &["know", "confrm", "x"], 2, "'confirm'"),
        (&made, &["heartbeat", "explan"], 2, "'explain'"),
        (&made, &["frobnicate"], 2, "try '--help'"),
        (&made, &["connect", "claude"], 2, "Known are claude-code"),
        (&made, &["connect", "curser"], 2, "did you mean cursor?"),
        (&made, &["--agent", "mian", "recall", "x"], 3, "did you mean \"main\"?"),
        (&made, &["--set", "server.adress=x", "status"], 2, "did you mean `server.address`?"),
        (&made, &["config", "shwo"], 2, "a similar subcommand exists: 'show'"),
        // As another program calls it.
        (&made, &["search", "tea"], 2, "try: selfsame recall"),
        (&made, &["add", "x"], 2, "try: selfsame remember"),
        (&made, &["--json", "list"], 2, "try: selfsame memory list"),
        (&made, &["start"], 2, "try: selfsame serve"),
        (&made, &["version"], 2, "try: selfsame --version"),
        (&made, &["-v"], 2, "try: selfsame --version"),
        (&made, &["config", "set", "server.workers", "4"], 2, "try: a line in selfsame.toml"),
        (&made, &["know", "about", "Maya"], 2, "try: selfsame know show <name>"),
        // Below a command the word means something else: the letters decide.
        (&made, &["todo", "lst"], 2, "a similar subcommand exists: 'list'"),
        // Without quotation marks.
        (
            &made,
            &["recall", "what", "does", "Maya", "like"],
            2,
            "try: selfsame recall \"what does Maya like\"",
        ),
        (
            &made,
            &["remember", "Maya", "likes", "tea", "--pin"],
            2,
            "try: selfsame remember \"Maya likes tea\"",
        ),
        // Named in words where an id is wanted.
        (&made, &["forget", "tea"], 2, "`selfsame memory list` shows them"),
        (&made, &["todo", "done", "water"], 2, "`selfsame todo list` shows them"),
        (&made, &["conversation", "say", "hi"], 2, "`--channel terminal`"),
        // Nobody there.
        (&made, &["dashboard"], 6, "`selfsame serve` starts it"),
        (&made, &["restore", "nowhere.db"], 3, "`selfsame backup` makes one"),
        (&made, &["import", "nowhere.md"], 2, "name a file or folder that is there"),
        (&made, &["--db", nowhere, "status"], 6, "cannot be reached"),
        // What is not there.
        (&made, &["forget", "mem_00000000000000000000000000"], 3, "there is no memory"),
        (&made, &["completions", "csh"], 2, "[possible values: bash"),
    ];
    for (world, arguments, code, said) in mistakes {
        let ran = world.run(arguments);
        assert!(
            ran.code == *code && ran.err.contains(said),
            "{arguments:?} should end with {code} and say {said:?}: {ran}"
        );
        assert_eq!(ran.out, "", "{arguments:?}");
    }
    assert!(made.run(&["status"]).succeeds().contains("not running (`selfsame serve` starts it)"));
    let daemon = made.serve(&[]);
    let (status, body) = daemon.post_with("ssk_wrong", "/v1/agents/main/recall", "{}");
    assert!(status == 401 && body.contains("`selfsame key create` makes one"), "{status} {body}");
}

//! A mind that moves house, is packed and unpacked, and takes in what others wrote: through the executable.

use crate::cli::{Ran, World};
use crate::postgres::Database;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.succeeds()).unwrap()
}

const NOWHERE: [PathBuf; 0] = [];

/// The files below a folder that have these bytes, however they are written.
fn files_with(folder: &Path, word: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                let lower = fs::read(&path).unwrap().to_ascii_lowercase();
                if lower.windows(word.len()).any(|part| part == word.as_bytes()) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_house_moves_to_a_server_and_back_into_a_folder() {
    let database = Database::make();
    let world = World::with_mind();
    let id = world.remember("The lighthouse keeper paints in oil");
    let forgotten = world.remember("The zanzibarium opens at noon");
    world.run(&["forget", &forgotten]).succeeds();
    let (url, owner) = (database.url(), database.owner_url());
    let moved = json(&world.run(&["--json", "move", "--to", &url, "--to-owner", &owner]));
    assert_eq!((moved["outcome"].as_str(), moved["agents"].as_u64()), (Some("moved"), Some(1)), "{moved}");
    assert!(!moved["to"].as_str().unwrap().contains("p4ssw0rd"), "{moved}");
    let refused = world.run(&["remember", "Too late for this house"]);
    assert!(refused.code != 0 && refused.err.contains("move"), "{refused}");
    let there = world.run(&["--db", &url, "recall", "who paints in oil?"]).succeeds();
    assert!(there.contains("lighthouse keeper"), "{there}");
    world.run(&["--db", &url, "remember", "The server is warm and loud"]).succeeds();
    // On into another folder.
    let folder = world.path("second");
    let second = folder.to_str().unwrap();
    let back = json(&world.run(&["--db", &url, "--json", "move", "--to", second]));
    assert_eq!(back["outcome"], "moved", "{back}");
    assert!(back["rows"].as_u64() > moved["rows"].as_u64(), "{back}");
    let recalled = world.run(&["--data", second, "recall", "where is it warm and loud?"]).succeeds();
    assert!(recalled.contains("The server is warm and loud"), "{recalled}");
    let shown = world.run(&["--data", second, "memory", "show", &id]).succeeds();
    assert!(shown.contains("lighthouse keeper"), "{shown}");
    let gone = world.run(&["--data", second, "memory", "show", &forgotten]);
    assert!(gone.code != 0, "{gone}");
    world.run(&["--data", second, "verify"]).succeeds();
    // Whoever thinks better of it lives in the old house again, as it was left.
    let stayed = json(&world.run(&["--json", "move", "--stay"]));
    assert_eq!(stayed["outcome"], "stayed");
    world.remember("Home again after all");
    let old = world.run(&["recall", "where is it warm and loud?"]).succeeds();
    assert!(!old.contains("The server is warm"), "{old}");
    world.run(&["verify"]).succeeds();
}

#[test]
fn an_archive_is_written_elsewhere_and_read_under_another_name() {
    let world = World::with_mind();
    world.remember("The lighthouse keeper paints in oil");
    world.remember("Bread needs salt");
    fs::create_dir(world.path("beside")).unwrap();
    // Anywhere but where what is forgotten must be nowhere.
    for inside in [
        "data/mind.zip",
        "data/new/mind.zip",
        "beside/../data/mind.zip",
        "missing/../data/mind.zip",
        "data/x/../mind.zip",
    ] {
        for form in [None, Some("--markdown"), Some("--journal")] {
            let path = world.path(inside);
            let arguments: Vec<&str> = ["export", path.to_str().unwrap()].into_iter().chain(form).collect();
            let refused = world.run(&arguments);
            assert!(refused.code != 0, "{inside} {form:?}: {refused}");
            assert!(
                refused.err.contains("data folder") || refused.err.contains("goes back"),
                "{inside}: {refused}"
            );
            assert!(
                !path.exists() && !world.path("missing").exists() && !world.path("data/x").exists(),
                "{inside}"
            );
        }
    }
    let archive = world.path("beside/mind.zip");
    let archive = archive.to_str().unwrap();
    let exported = json(&world.run(&["--json", "export", archive]));
    assert_eq!(exported["agents"][0]["memories"], 2, "{exported}");
    let again = world.run(&["export", archive]);
    assert!(again.code != 0 && again.err.contains("is there already"), "{again}");
    let taken = world.run(&["import", archive]);
    assert!(taken.code != 0, "the name is taken: {taken}");
    let other = world.path("other");
    let other = other.to_str().unwrap();
    world.run(&["--data", other, "init"]).succeeds();
    let brought = json(&world.run(&["--data", other, "--json", "import", archive, "--rename", "second"]));
    assert_eq!(
        (&brought["agents"][0]["name"], &brought["agents"][0]["memories"]),
        (&"second".into(), &2.into()),
        "{brought}"
    );
    let recalled =
        world.run(&["--data", other, "--agent", "second", "recall", "who paints in oil?"]).succeeds();
    assert!(recalled.contains("lighthouse keeper"), "{recalled}");
    world.run(&["verify"]).succeeds();
}

#[test]
fn what_another_system_wrote_is_looked_at_filed_and_taken_back() {
    let world = World::with_mind();
    let notes = world.path("MEMORY.md");
    fs::write(
        &notes,
        "# Notes\n\n- I prefer the zanzibarium over the museum\n- The gate code changed in spring\n",
    )
    .unwrap();
    let notes = notes.to_str().unwrap();
    let looked = json(&world.run(&["--json", "import", notes, "--dry-run"]));
    assert_eq!(
        (looked["filed"].as_u64(), looked.get("run").is_some_and(Value::is_string)),
        (Some(2), false),
        "{looked}"
    );
    assert_eq!(files_with(&world.data(), "zanzibarium"), NOWHERE, "nothing was filed");
    let filed = json(&world.run(&["--json", "import", notes]));
    assert_eq!(filed["filed"], looked["filed"]);
    let run = filed["run"].as_str().unwrap();
    let again = json(&world.run(&["--json", "import", notes]));
    assert_eq!((again["filed"].as_u64(), again["known"].as_u64()), (Some(0), Some(2)), "{again}");
    assert!(world.run(&["inbox", "list"]).succeeds().contains("zanzibarium"));
    assert!(world.run(&["import", "runs"]).succeeds().contains(run));
    let would = world.run(&["import", "undo", run, "--dry-run"]).succeeds();
    assert!(world.run(&["inbox", "list"]).succeeds().contains("zanzibarium"), "{would}");
    world.run(&["import", "undo", run]).succeeds();
    assert!(!world.run(&["inbox", "list"]).succeeds().contains("zanzibarium"));
    assert!(world.run(&["import", "runs"]).succeeds().contains("undone"));
    assert_eq!(files_with(&world.data(), "zanzibarium"), NOWHERE);
    // The junk meter, at the terminal and for programs.
    let token = "The token is ghp_0123456789abcdef0123456789abcdef0123";
    let secret = json(&world.run(&["--json", "--set", "memory.mask_secrets=false", "remember", token]));
    let audit = json(&world.run(&["--json", "audit"]));
    let figure =
        audit["figures"].as_array().unwrap().iter().find(|figure| figure["name"] == "secrets").unwrap();
    assert_eq!((figure["count"].as_u64(), &figure["ids"][0]), (Some(1), &secret["id"]), "{audit}");
    let told = world.run(&["audit", "--list"]).succeeds();
    assert!(told.contains("secrets: 1 of") && told.contains(secret["id"].as_str().unwrap()), "{told}");
}

#[test]
fn a_daemon_that_logs_everything_forgets_in_every_file() {
    let world = World::with_mind();
    let daemon = world.serve(&["--set", "log.level=debug"]);
    world.remember("The zanzibarium opens at noon");
    world.remember("Bread needs salt");
    world.run(&["diary", "write", "I went to the zanzibarium"]).succeeds();
    world.run(&["todo", "add", "See the zanzibarium"]).succeeds();
    world.run(&["recall", "when does the zanzibarium open?"]).succeeds();
    world.run(&["--json", "contemplate", "now"]).succeeds();
    world.run(&["backup"]).succeeds();
    // What a hook could not bring while nobody was there.
    let hooks = world.data().join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    let late =
        serde_json::json!({ "agent": "main", "words": "they say the zanzibarium is closed", "call": "late" });
    fs::write(hooks.join("late.json"), late.to_string()).unwrap();
    assert!(files_with(&world.data(), "zanzibarium").len() >= 3, "database, backup, hook");
    let query = ["--json", "forget", "--query", "zanzibarium"];
    let hasty = world.run(&query);
    assert!(hasty.code != 0 && hasty.err.contains("dry"), "{hasty}");
    // The daemon may be at it between both; whoever is told so looks again.
    let tried = (0..20).find_map(|_| {
        let looked = json(&world.run(&[&query[..], &["--dry-run"]].concat()));
        assert!(looked["removed"]["memory"].as_u64() >= Some(1), "{looked}");
        let done = world.run(&[&query[..], &["--token", looked["token"].as_str().unwrap()]].concat());
        let is_old = done.err.contains("something came in between");
        (!is_old).then(|| (looked, json(&done)))
    });
    let (looked, done) = tried.unwrap();
    assert_eq!(done["removed"], looked["removed"]);
    let is_backup = |path: &PathBuf| {
        path.extension().is_some_and(|sort| sort == "db") && path.parent().unwrap().ends_with("backups")
    };
    let left = files_with(&world.data(), "zanzibarium");
    assert!(left.iter().all(is_backup), "{left:?}");
    assert_eq!(left.len(), 1, "the backup is kept on purpose, and named");
    assert!(!hooks.join("late.json").exists());
    assert!(!daemon.log().to_lowercase().contains("zanzibarium"), "{}", daemon.log());
    let proof = world.run(&["forget", "--proof", done["erasure"].as_str().unwrap()]).succeeds();
    assert!(
        proof.contains("named by query") && proof.contains("still in") && !proof.contains("zanzibarium"),
        "{proof}"
    );
    let check = world.run(&["forget", "--check", "zanzibarium"]).succeeds();
    assert!(!check.contains(" in memory_items"), "{check}");
    assert!(world.run(&["forget", "--check", "Bread needs salt"]).succeeds().contains("in memory_items"));
    drop(daemon);
    fs::remove_file(&left[0]).unwrap();
    assert!(world.run(&["forget", "--check", "zanzibarium"]).succeeds().contains("it is nowhere"));
    assert_eq!(files_with(&world.data(), "zanzibarium"), NOWHERE);
}

#[test]
fn a_mind_is_read_in_an_editor() {
    let world = World::with_mind();
    world.remember("The zanzibarium opens at noon\n---\n# not a heading");
    world.run(&["diary", "write", "A heron came to the zanzibarium"]).succeeds();
    world.run(&["todo", "add", "See the zanzibarium"]).succeeds();
    for channel in ["one", "two"] {
        let title = "../../zanzibarium";
        world.run(&["conversation", "open", "--channel", channel, "--title", title]).succeeds();
        let said = format!("I like the zanzibarium {channel}");
        world.run(&["conversation", "say", &said, "--channel", channel]).succeeds();
    }
    world.run(&["agent", "create", "second"]).succeeds();
    let folder = world.path("to-read");
    let there = folder.to_str().unwrap();
    let told = world.run(&["export", there, "--markdown", "--all"]).succeeds();
    assert!(told.contains("  main\n  second\n") && told.contains("README.md of each says"), "{told}");
    let found: Vec<String> = files_with(&world.path(""), "zanzibarium")
        .iter()
        .map(|path| path.strip_prefix(&folder).unwrap_or(path).display().to_string())
        .collect();
    let below: Vec<&str> =
        found.iter().map(String::as_str).filter(|path| path.starts_with("main/")).collect();
    let is_in = |start: &str| below.iter().filter(|path| path.starts_with(start)).count();
    for (start, count) in [
        ("main/README.md", 1),
        ("main/memories.md", 1),
        ("main/todos.md", 1),
        ("main/diary/", 1),
        ("main/conversations/", 2),
    ] {
        assert_eq!(is_in(start), count, "{start}: {found:?}");
    }
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    assert!(read("main/memories.md").contains("  > \\# not a heading\n"), "{}", read("main/memories.md"));
    assert!(!read("second/memories.md").contains("zanzibarium"));
    // What the first page leads to is there, and what it leaves out is what programs are told.
    let index = read("main/README.md");
    for line in index.lines().filter(|line| line.starts_with("- [")) {
        let path = line.split("](").nth(1).unwrap().split(')').next().unwrap();
        assert!(folder.join("main").join(path).is_file(), "{line}");
    }
    let other = world.path("again");
    let reply = json(&world.run(&["--json", "export", other.to_str().unwrap(), "--markdown"]));
    let left = reply["left_out"].as_array().unwrap();
    assert!(left.len() > 20, "{reply}");
    for one in left {
        let (table, why) = (one["table"].as_str().unwrap(), one["why"].as_str().unwrap());
        let says = |line: &str| line.ends_with(&format!(": {why}")) && line.contains(table);
        assert!(index.lines().any(says), "{one}");
    }
    // A page that is there is not written over, and nobody else can read one.
    fs::write(folder.join("main/soul.md"), "mine").unwrap();
    let again = world.run(&["export", there, "--markdown"]);
    assert!(again.code != 0 && again.err.contains("is there already"), "{again}");
    assert_eq!(read("main/soul.md"), "mine");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(folder.join("main/todos.md")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

//! Files that are not what they should be: refused or named, never served, never made worse.

use crate::cli::World;
use insta::assert_snapshot;
use rusqlite::Connection;
use std::fs;

/// A mind with a few memories, everything of it in the one file.
fn filled() -> World {
    let world = World::with_mind();
    for number in 0..30 {
        world.remember(&format!("fact number {number} about the harbour of Lisbon"));
    }
    world
}

/// The file is what it was before the command looked at it.
#[track_caller]
fn refused_untouched(world: &World, said: &str) {
    let before = fs::read(world.database()).unwrap();
    for arguments in
        [&["status"] as &[&str], &["remember", "x"], &["init"], &["serve", "--address", "127.0.0.1:0"]]
    {
        let ran = world.run(arguments);
        ran.fails(8, said);
        assert_eq!(fs::read(world.database()).unwrap(), before, "{arguments:?} changed the file");
    }
}

#[test]
fn a_file_of_garbage_is_refused_and_left_alone() {
    let world = World::with_mind();
    fs::write(world.database(), "this is not a database at all\n".repeat(400)).unwrap();
    refused_untouched(&world, "is damaged or is no database");
    assert_snapshot!(world.run(&["status"]), @"
    [stderr]
    error: $WORLD/data/selfsame.db is damaged or is no database (file is not a database): it was left as it is; restore a backup, or move it away to start anew
    [exit code 8]
    ");
}

#[test]
fn a_file_cut_short_is_refused_and_left_alone() {
    let world = filled();
    let bytes = fs::read(world.database()).unwrap();
    // In the middle of the first page: not even the schema is whole.
    fs::write(world.database(), &bytes[..1000]).unwrap();
    refused_untouched(&world, "is damaged or is no database");
    // After some whole pages: the header promises more than is there.
    fs::write(world.database(), &bytes[..4096 * 5]).unwrap();
    let verified = world.run(&["verify"]);
    assert_eq!(verified.code, 8, "{verified}");
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let world = World::with_mind();
    fs::remove_file(world.database()).unwrap();
    let other = Connection::open(world.database()).unwrap();
    other.execute_batch("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')").unwrap();
    drop(other);
    std::process::Command::new("chmod").arg("600").arg(world.database()).status().unwrap();
    refused_untouched(&world, "is an SQLite database of another program");
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let world = World::with_mind();
    let raw = Connection::open(world.database()).unwrap();
    raw.execute_batch(
        "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (9999, 'later', x'00', 0)",
    )
    .unwrap();
    drop(raw);
    refused_untouched(&world, "the database has schema version 9999, this program knows up to");
}

#[test]
fn a_schema_of_another_build_is_refused() {
    let world = World::with_mind();
    let raw = Connection::open(world.database()).unwrap();
    raw.execute_batch("UPDATE schema_migrations SET checksum = x'00'").unwrap();
    drop(raw);
    refused_untouched(&world, "is not the one this program knows");
}

/// Somebody flips a bit of a stored text behind our back.
#[test]
fn a_changed_text_is_left_out_and_named() {
    let world = World::with_mind();
    let spoiled = world.remember("the ferry leaves at nine");
    world.remember("the ferry is blue");
    let file = fs::read(world.database()).unwrap();
    let text = b"the ferry leaves at nine";
    let places: Vec<usize> =
        (0..file.len() - text.len()).filter(|at| file[*at..].starts_with(text)).collect();
    assert!(!places.is_empty(), "the text is not in the file");
    let mut changed = file;
    for at in places {
        changed[at + text.len() - 1] ^= 1; // nine, nind
    }
    fs::write(world.database(), changed).unwrap();

    let recalled = world.run(&["recall", "when does the ferry leave?"]);
    assert_snapshot!(recalled, @"
     0.11  the ferry is blue
           knowledge  said by principal, trust 1  DATE
           mem_ID
    [stderr]
    left out because they are damaged: memory mem_ID (run `selfsame verify`)
    ");
    assert!(recalled.err.contains(&spoiled), "the damaged one is named");
    let json = world.run(&["--json", "recall", "ferry leaves"]).succeeds();
    let reply: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(reply["damaged"][0], format!("memory {spoiled}"));
    let verified = world.run(&["verify"]);
    assert_snapshot!(verified, @"
    damaged  agent main: memory mem_ID is damaged: its content does not fit its seal
    [stderr]
    error: 1 problem was found: damaged memories are not served; restore a backup, or forget them
    [exit code 8]
    ");
    assert!(verified.out.contains(&spoiled), "{verified}");
    // The daemon says so too.
    let daemon = world.serve(&[]);
    let (status, body) = daemon.post("/v1/agents/main/recall", r#"{"query": "ferry"}"#);
    assert_eq!(status, 200);
    assert!(body.contains(&format!("\"damaged\":[\"memory {spoiled}\"]")), "{body}");
    world.run(&["verify"]).fails(8, "1 problem was found");
    assert_eq!(daemon.stop(), 0);
}

/// A page is overwritten somewhere in the middle: whatever is asked, nothing made up comes back and nothing panics.
#[test]
fn a_damaged_page_is_found_by_verify() {
    let world = filled();
    let whole = fs::read(world.database()).unwrap();
    let pages = whole.len() / 4096;
    let mut found = 0;
    for page in (1..pages).step_by(pages / 8) {
        let mut damaged = whole.clone();
        for byte in &mut damaged[page * 4096..page * 4096 + 64] {
            *byte ^= 0x5a;
        }
        fs::write(world.database(), damaged).unwrap();
        let verified = world.run(&["verify"]);
        assert!([0, 8].contains(&verified.code), "page {page}: {verified}");
        found += usize::from(verified.code == 8);
        let recalled = world.run(&["recall", "harbour of Lisbon"]);
        assert!([0, 8].contains(&recalled.code), "page {page}: {recalled}");
        for line in recalled.out.lines().filter(|line| line.contains("fact")) {
            assert!(line.contains("about the harbour of Lisbon"), "page {page}: {line}");
        }
        remove_log(&world);
    }
    // A page may be free or empty; most are not.
    assert!(found >= 4, "only {found} damaged pages were found");
    fs::write(world.database(), whole).unwrap();
    world.run(&["verify"]).succeeds();
}

/// What one damaged run left in the log must not mend or spoil the next.
fn remove_log(world: &World) {
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{end}", world.database().display()));
    }
}

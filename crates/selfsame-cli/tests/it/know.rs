//! What is believed, as people see it.

use crate::cli::World;
use insta::assert_snapshot;

/// Says it with what it says.
fn state(world: &World, content: &str, slot: &str, value: &str) {
    world.run(&["remember", content, "--about", "Maya", "--slot", slot, "--value", value]).succeeds();
}

#[test]
fn what_is_believed_and_why() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["know", "list"]), @"");
    state(&world, "Maya uses SQLite", "database", "SQLite");
    state(&world, "Maya works at Acme", "job", "Acme");
    assert_snapshot!(world.run(&["know", "list"]), @"");
    assert_snapshot!(world.run(&["know", "show", "Maya", "--slot", "db"]), @"");
    assert_snapshot!(world.run(&["know", "show", "Nobody"]), @"");
    state(&world, "Maya uses PostgreSQL", "database", "PostgreSQL");
    assert_snapshot!(world.run(&["know", "why", "Maya/database"]), @"");
    assert_snapshot!(world.run(&["know", "history", "Maya", "--slot", "database"]), @"");
    assert_snapshot!(world.run(&["know", "as-of", "2001-01-01", "Maya"]), @"");
    assert_snapshot!(world.run(&["recall", "where does Maya work?", "-n", "2"]), @"");
    assert_snapshot!(world.run(&["status"]).succeeds().lines().last().unwrap_or_default(), @"");
}

#[test]
fn what_somebody_makes_of_it() {
    let world = World::with_mind();
    state(&world, "Maya uses SQLite", "database", "SQLite");
    state(&world, "Maya works at Acme", "job", "Acme");
    assert_snapshot!(world.run(&["know", "confirm", "Maya/database"]), @"");
    assert_snapshot!(world.run(&["know", "useful", "Maya/employer"]), @"");
    assert_snapshot!(world.run(&["know", "correct", "Maya/database", "PostgreSQL"]), @"");
    assert_snapshot!(world.run(&["know", "show", "Maya/database"]), @"");
    assert_snapshot!(world.run(&["know", "wrong", "Maya/employer"]), @"");
    assert_snapshot!(world.run(&["know", "list"]), @"");
    assert_snapshot!(world.run(&["know", "conflicts"]), @"");
    assert_snapshot!(world.run(&["know", "consolidate"]), @"");
}

#[test]
fn a_source_that_is_taken_back() {
    let world = World::with_mind();
    let said = ["remember", "Maya uses SQLite", "--about", "Maya", "--slot", "database", "--value", "SQLite"];
    world.run(&[&said[..], &["--source", "notes.md"]].concat()).succeeds();
    assert_snapshot!(world.run(&["know", "retract", "notes.md", "--dry-run"]), @"");
    assert_snapshot!(world.run(&["know", "retract", "--source", "notes.md"]), @"");
    assert_snapshot!(world.run(&["know", "show", "Maya"]), @"");
    assert_snapshot!(world.run(&["know", "retract", "other.md"]), @"");
}

#[test]
fn what_cannot_be_read_is_named() {
    let world = World::with_mind();
    state(&world, "Maya uses SQLite", "database", "SQLite");
    assert_snapshot!(world.run(&["know", "why", "Maya/databse"]), @"");
    assert_snapshot!(world.run(&["know", "why", "Zoe/pet"]), @"");
    assert_snapshot!(world.run(&["know", "list", "--kind", "project"]), @"");
    assert_snapshot!(world.run(&["know", "as-of", "someday"]), @"");
    assert_snapshot!(world.run(&["remember", "x", "--about", "Maya", "--slot", "database"]), @"");
    assert_snapshot!(world.run(&["remember", "x", "--not"]), @"");
    let kind = ["remember", "x", "--about", "Maya", "--slot", "a", "--value", "b", "--kind", "fact"];
    assert_snapshot!(world.run(&kind), @"");
}

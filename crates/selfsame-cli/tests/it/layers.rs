//! A person at the terminal with soul, diary, to-dos and calendar.

use crate::cli::World;
use insta::assert_snapshot;

/// The first id of a kind in what was said.
fn id(said: &str, prefix: &str) -> String {
    let word =
        said.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').find(|word| word.starts_with(prefix));
    word.unwrap_or_else(|| panic!("no {prefix} in {said}")).to_owned()
}

#[test]
fn a_soul_is_added_to_read_and_remembers_what_it_was() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["soul", "list"]), @"");
    let added =
        world.run(&["soul", "add", "I keep my word", "--because", "it was kept to me", "--kind", "value"]);
    assert_snapshot!(added, @"");
    assert_snapshot!(world.run(&["soul", "add", "Silence can be an answer", "--because", "I was asked too much"]), @"");
    assert_snapshot!(world.run(&["soul", "add", "I keep my word", "--because", "again"]), @"");
    assert_snapshot!(world.run(&["soul", "add", "x", "--because", "y", "--kind", "valeu"]), @"");
    assert_snapshot!(world.run(&["soul", "remove", &id(&added.out, "sou_"), "--because", "I learned when not to"]), @"");
    assert_snapshot!(world.run(&["soul", "list"]), @"");
    assert_snapshot!(world.run(&["soul", "list", "--history"]), @"");
    assert_snapshot!(world.run(&["--json", "soul", "list"]), @"");
}

#[test]
fn a_diary_is_written_read_and_searched() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["diary", "day"]), @"");
    assert_snapshot!(world.run(&["diary", "write", "The bees swarmed", "--mood", "awed", "--location", "the roof", "--date", "2026-01-02"]), @"");
    assert_snapshot!(world.run(&["diary", "write", "Honig für alle\nund Ruhe \u{1b}[31m", "--mood", "calm", "--date", "2026-01-02"]), @"");
    assert_snapshot!(world.run(&["diary", "day", "2026-01-02"]), @"");
    assert_snapshot!(world.run(&["diary", "search", "bees honig"]), @"");
    assert_snapshot!(world.run(&["diary", "search", "xylophone"]), @"");
    assert_snapshot!(world.run(&["diary", "list"]), @"");
    world.run(&["diary", "write", "soon", "--date", "2999-01-01"]).fails(2, "has not come yet");
    assert_snapshot!(world.run(&["diary", "write", "x", "--detail", "[1]"]), @"");
}

#[test]
fn todos_are_added_started_and_done() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["todo", "list"]), @"");
    let added = world.run(&["todo", "add", "Order frames", "--priority", "high", "--due", "2040-03-01"]);
    assert_snapshot!(added, @"");
    let frames = id(&added.out, "tdo_");
    assert_snapshot!(world.run(&["todo", "add", "Feed the bees", "--due", "2020-01-01T08:00"]), @"");
    assert_snapshot!(world.run(&["todo", "start", &frames]), @"");
    assert_snapshot!(world.run(&["todo", "list"]), @"");
    assert_snapshot!(world.run(&["todo", "done", &frames]), @"");
    assert_snapshot!(world.run(&["todo", "done", &frames]), @"");
    assert_snapshot!(world.run(&["todo", "edit", &frames, "--status", "pending", "--due", "none"]), @"");
    assert_snapshot!(world.run(&["todo", "cancel", &frames]), @"");
    assert_snapshot!(world.run(&["todo", "list", "--status", "cancelled"]), @"");
    assert_snapshot!(world.run(&["todo", "add", "x", "--due", "soon"]), @"");
    assert_snapshot!(world.run(&["todo", "list", "--status", "doing"]), @"");
}

#[test]
fn a_calendar_repeats_and_makes_exceptions() {
    let world = World::with_mind();
    let added = world.run(&[
        "calendar",
        "add",
        "Standup",
        "--start",
        "2040-03-05T09:30",
        "--duration",
        "15m",
        "--zone",
        "Europe/Berlin",
        "--repeat",
        "FREQ=WEEKLY;BYDAY=MO,WE",
        "--location",
        "kitchen",
        "--remind",
        "10",
    ]);
    assert_snapshot!(added, @"");
    assert_snapshot!(world.run(&["calendar", "add", "Holiday", "--start", "2040-03-06", "--end", "2040-03-09"]), @"");
    let range = ["calendar", "check", "--from", "2040-03-05", "--to", "2040-03-12"];
    // Days of March 2040 stay as they are: what matters here is which.
    assert_eq!(world.run(&range).succeeds().lines().count(), 4);
    assert_snapshot!(world.run(&range), @"");
    assert_snapshot!(world.run(&["calendar", "remove", &id(&added.out, "cal_"), "--occurrence", "2040-03-07", "--because", "ill"]), @"");
    assert_eq!(world.run(&range).succeeds().lines().count(), 3);
    assert_snapshot!(world.run(&["calendar", "remove", &id(&added.out, "cal_")]), @"");
    assert_snapshot!(world.run(&["calendar", "remove", &id(&added.out, "cal_")]), @"");
    assert_snapshot!(world.run(&["calendar", "check", "--from", "2041-01-01", "--to", "2041-01-02"]), @"");
    assert_snapshot!(world.run(&["calendar", "add", "x", "--start", "2040-01-01", "--repeat", "FREQ=YEARLY;BYMONTH=13"]), @"");
}

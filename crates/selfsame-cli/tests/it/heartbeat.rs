//! When the agent speaks up, as people and hosts see it.

use crate::cli::World;
use insta::assert_snapshot;
use selfsame::time::{Time, Zone};
use std::time::Duration;

/// It is noon for the operator, whenever this runs: the hour holds nothing back.
fn at_noon() -> World {
    let world = World::with_mind();
    let hours = 12 - Zone::utc().local(now(&world)).hour();
    // The signs of these zones are those of the hours that are missing from UTC.
    let zone = format!("Etc/GMT{:+}", -hours);
    world.run(&["principal", "set", "operator", "--zone", &zone]).succeeds();
    world
}

/// What time the program takes it to be.
fn now(world: &World) -> Time {
    let peek = world.run(&["--json", "heartbeat", "peek"]).succeeds();
    let peek: serde_json::Value = serde_json::from_str(&peek).unwrap();
    peek["at"].as_str().unwrap().parse().unwrap()
}

/// So much is known of the operator that they have met, and of a sort that nobody is nudged for.
fn have_met(world: &World) {
    for fact in ["tea", "rye bread", "trains", "rain", "chess"] {
        world.run(&["remember", &format!("I like {fact}")]).succeeds();
    }
    // It says that much is new, once; that is another story.
    world.run(&["heartbeat", "tick"]).succeeds();
}

/// Something that cannot wait.
fn due_soon(world: &World, what: &str) {
    let at = now(world).saturating_add(Duration::from_secs(50 * 60)).to_string();
    world.run(&["remember", what, "--type", "plan", "--expires-at", &at]).succeeds();
}

/// The id of what is said, as `--json` gives it.
fn first_nudge(world: &World) -> String {
    let listed = world.run(&["--json", "nudge", "list", "--peek"]).succeeds();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    listed["nudges"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_words() {
    let world = at_noon();
    assert_snapshot!(world.run(&["heartbeat", "receipts"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "peek"]), @"");
    assert_snapshot!(world.run(&["nudge", "list"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "tick"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "tick"]), @"");
    assert_snapshot!(world.run(&["nudge", "list", "--peek"]), @"");
    assert_snapshot!(world.run(&["nudge", "list"]), @"");
    let nudge = first_nudge(&world);
    assert_snapshot!(world.run(&["nudge", "answer", &nudge, "bees, mostly"]), @"");
    assert_snapshot!(world.run(&["nudge", "answer", &nudge]), @"");
    assert_snapshot!(world.run(&["nudge", "list"]), @"");
    assert_snapshot!(world.run(&["nudge", "list", "--all"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "receipts"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "receipts", "--acts", "-n", "1"]), @"");
}

#[test]
fn why_it_is_silent() {
    let world = at_noon();
    have_met(&world);
    world.run(&["remember", "Build a second hive", "--type", "plan"]).succeeds();
    assert_snapshot!(world.run(&["heartbeat", "tick"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "explain"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--at", "tomorrow 03:00"]), @"");
    let listed = world.run(&["--json", "heartbeat", "receipts"]).succeeds();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let receipt = listed["receipts"][0]["id"].as_str().unwrap();
    assert_snapshot!(world.run(&["heartbeat", "receipts", receipt]), @"");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--receipt", receipt]), @"");
}

#[test]
fn what_cannot_wait_is_said() {
    let world = at_noon();
    have_met(&world);
    due_soon(&world, "Pay the rent");
    assert_snapshot!(world.run(&["heartbeat", "peek"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "gate"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "gate"]), @"");
    assert_snapshot!(world.run(&["nudge", "dismiss", &first_nudge(&world)]), @"");
    assert_snapshot!(world.run(&["heartbeat", "status"]), @"");
}

#[test]
fn how_somebody_is_spoken_to() {
    let world = at_noon();
    world.run(&["principal", "add", "Maya", "--zone", "Europe/Berlin"]).succeeds();
    let maya = ["--principal", "Maya"];
    let of_maya = |command: &[&str]| world.run(&[&["heartbeat"], command, &maya[..]].concat());
    assert_snapshot!(of_maya(&["status"]), @"");
    // So that it is day wherever she is, whenever this runs.
    of_maya(&["set", "--quiet", "00:00-00:01"]).succeeds();
    assert_snapshot!(world.run(&["heartbeat", "set", "--autonomy", "act", "--quiet", "22:30-07:30"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "set", "--autonomy", "default", "--quiet", "default"]), @"");
    assert_snapshot!(of_maya(&["mute"]), @"");
    assert_snapshot!(of_maya(&["gate"]), @"");
    assert_snapshot!(of_maya(&["unmute"]), @"");
    assert_snapshot!(of_maya(&["snooze", "2h"]), @"");
    assert_snapshot!(of_maya(&["tick"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "pause"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "pause"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "status"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "resume"]), @"");
}

#[test]
fn the_days_to_come() {
    let world = at_noon();
    have_met(&world);
    world.run(&["remember", "Water the plants", "--tag", "cron:daily:08:00"]).succeeds();
    assert_snapshot!(world.run(&["heartbeat", "simulate", "--days", "2"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "simulate", "--days", "0"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "simulate", "--persona", "angry"]), @"");
}

#[test]
fn what_cannot_be_meant_is_named() {
    let world = at_noon();
    assert_snapshot!(world.run(&["heartbeat", "tick", "--principal", "Zoe"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "set"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "set", "--quiet", "at night"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "set", "--autonomy", "suggests"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "set", "--channels", "list,pigeon"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "snooze", "long"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "snooze", "90d"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--at", "at nine"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--at", "yesterday 09:00"]), @"");
    assert_snapshot!(world.run(&["heartbeat", "receipts", "rcp_00000000000000000000000000"]), @"");
    assert_snapshot!(world.run(&["nudge", "answer", "nud_00000000000000000000000000"]), @"");
    assert_snapshot!(world.run(&["nudge", "dismiss", "the first"]), @"");
    assert_snapshot!(world.run(&["--as", "agent", "heartbeat", "set", "--autonomy", "act"]), @"");
}

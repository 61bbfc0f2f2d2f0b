//! A person looks after memories: says things twice, contradicts them, plans, edits, pins.

use crate::cli::{Ran, World};
use insta::assert_snapshot;

/// The id that a command printed as JSON.
fn id_of(ran: &Ran) -> String {
    let reply: serde_json::Value = serde_json::from_str(&ran.succeeds()).unwrap();
    reply["id"].as_str().unwrap().to_owned()
}

#[test]
fn said_twice_contradicted_and_explained() {
    let world = World::with_mind();
    let tea = id_of(&world.run(&["--json", "remember", "Maya likes tea", "--type", "preference"]));
    assert_snapshot!(world.run(&["remember", "maya likes tea.", "--type", "preference"]), @"
    known  mem_ID
      from this source already; nothing was added
    ");
    assert_snapshot!(world.run(&["remember", "Maya likes tea", "--type", "preference", "--source", "mail 7"]), @"
    reinforced  mem_ID
      known already; one source more says so
    ");
    assert_snapshot!(world.run(&["remember", "Maya does not like tea", "--type", "preference"]), @"
    remembered  mem_ID
      at odds with mem_ID
    ");
    assert_snapshot!(world.run(&["memory", "show", &tea]), @"
    Maya likes tea
    id            mem_ID
    type          preference
    state         active, stale from DATE
    held          100 %, stability 297 days, recalled on one day
    said by       principal, trust 1
    stored        DATE
    sources       2
    importance    0.5
    at odds with  mem_ID (negation)
    ");
    assert_snapshot!(world.run(&["memory", "edit", &tea, "Maya likes green tea"]), @"
    revised  mem_ID
      replaces mem_ID
    ");
    assert_snapshot!(world.run(&["memory", "show", &tea]), @"
    Maya likes tea
    id            mem_ID
    type          preference
    state         archived
    held          100 %, stability 297 days, recalled on one day
    said by       principal, trust 1
    stored        DATE
    sources       2
    importance    0.5
    replaced by   mem_ID
    at odds with  mem_ID (negation)
    DATE    archived, replaced
    ");
    assert_snapshot!(world.run(&["verify"]), @"ok  3 memories of 1 agent: structure, seals and index fit");
}

#[test]
fn a_plan_is_served_and_done() {
    let world = World::with_mind();
    let plan = id_of(&world.run(&["--json", "remember", "Repaint the garden fence", "--type", "plan"]));
    assert_snapshot!(world.run(&["remember", "Bought paint for the garden fence", "--type", "activity"]), @"
    remembered  mem_ID
      serves the plan mem_ID
    ");
    assert_snapshot!(world.run(&["memory", "pin", &plan]), @"pinned  mem_ID");
    assert_snapshot!(world.run(&["memory", "unpin", &plan]), @"unpinned  mem_ID");
    assert_snapshot!(world.run(&["memory", "resolve", &plan]), @"resolved  mem_ID");
    assert_snapshot!(world.run(&["memory", "resolve", &plan]), @"resolved  mem_ID  it was already");
    assert_snapshot!(world.run(&["memory", "list", "--state", "resolved"]), @"mem_ID  DATE  plan  resolved  Repaint the garden fence");
    assert_snapshot!(world.run(&["memory", "list", "--type", "skill"]), @"no memory fits");
    assert_snapshot!(world.run(&["memory", "list", "--type", "skil"]), @r#"
    [stderr]
    error: "skil" is no memory type (did you mean "skill"?); known are identity, preference, relationship, knowledge, skill, event, plan, question, context, episode, ephemeral, activity
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["remember", "Sad day", "--valence", "-3"]), @"
    [stderr]
    error: valence -3 is outside -2 to 2: -2 is terrible, 2 wonderful
    [exit code 2]
    ");
}

#[test]
fn acts_of_forgetting_are_listed() {
    let world = World::with_mind();
    assert_eq!(world.run(&["forget", "--list"]).succeeds(), "nothing was forgotten\n");
    for words in ["The gate is green", "The ferry leaves at nine"] {
        let id = world.remember(words);
        world.run(&["forget", &id]).succeeds();
    }
    assert_snapshot!(world.run(&["forget", "--list"]), @"
    era_ID  TIME  1 memory
    era_ID  TIME  1 memory
    ");
    world
        .run(&["forget", "--list", "--proof", "era_00000000000000000000000000"])
        .fails(2, "cannot be used with");
}

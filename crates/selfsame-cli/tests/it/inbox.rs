//! A person at the inbox, and at what is looked after and learned.

use crate::cli::World;
use insta::assert_snapshot;

/// The first word in a reply that begins so.
fn id_in(reply: &str, prefix: &str) -> String {
    let words = reply.split(|c: char| c.is_whitespace() || c == '"');
    words
        .into_iter()
        .find(|word| word.starts_with(prefix))
        .unwrap_or_else(|| panic!("no {prefix} in {reply}"))
        .to_owned()
}

#[test]
fn what_is_said_is_captured_and_decided_on() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["inbox", "list"]), @"nothing");
    assert_snapshot!(world.run(&["inbox", "capture", "How are you?"]), @"nothing in it is worth remembering");
    let said = "Please remember that the cabin is in Norway. I prefer tea over coffee. I'm a nurse. We decided to move in May.";
    assert_snapshot!(world.run(&["inbox", "capture", said]), @"
    the cabin is in Norway.
      can_ID  fact 1  promoted  mem_ID
    I prefer tea over coffee.
      can_ID  preference 0.9  pending until DATE
    I'm a nurse.
      can_ID  identity 0.85  pending until DATE
    We decided to move in May.
      can_ID  decision 0.85  pending until DATE
    ");
    assert_snapshot!(world.run(&["inbox", "review"]), @"
    I prefer tea over coffee.
      can_ID  preference 0.9  pending until DATE
    I'm a nurse.
      can_ID  identity 0.85  pending until DATE
    We decided to move in May.
      can_ID  decision 0.85  pending until DATE

    Decide: selfsame inbox promote|merge|reject <ID>, or review --by-rules
    ");
    let pending = world.run(&["--json", "inbox", "list"]).succeeds();
    let ids: Vec<&str> = pending.split('"').filter(|word| word.starts_with("can_")).collect();
    assert_snapshot!(world.run(&["inbox", "promote", ids[0], "--importance", "0.9"]), @"promoted  can_ID  mem_ID");
    assert_snapshot!(world.run(&["inbox", "promote", ids[0]]), @"already  can_ID  mem_ID");
    assert_snapshot!(world.run(&["inbox", "reject", ids[0]]), @"
    [stderr]
    error: candidate can_ID is promoted already: nothing was changed; what became memory can be edited there
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["inbox", "merge", ids[1], "--into", &world.remember("She is a nurse")]), @"merged  can_ID  mem_ID");
    assert_snapshot!(world.run(&["inbox", "reject", ids[2], "--reason", "we did not"]), @"rejected  can_ID");
    assert_snapshot!(world.run(&["inbox", "review"]), @"nothing waits for a decision");
    assert_snapshot!(world.run(&["inbox", "list", "--status", "rejected"]), @"
    We decided to move in May.
      can_ID  decision 0.85  rejected  we did not
    ");
    assert_snapshot!(world.run(&["inbox", "list", "--status", "lost"]), @r#"
    [stderr]
    error: "lost" is no candidate status; known are pending, promoted, merged, rejected, expired
    [exit code 2]
    "#);
    world.run(&["inbox", "capture", "From now on, answer me in German. I'm tired."]).succeeds();
    assert_snapshot!(world.run(&["inbox", "review", "--by-rules"]), @"
    promoted  can_ID  mem_ID
    rejected  can_ID
    ");
    assert_snapshot!(world.run(&["recall", "German"]), @"
    0.42  From now on, answer me in German.
          preference  said by principal, trust 1  DATE
          mem_ID
    ");
}

#[test]
fn a_memory_is_looked_after() {
    let world = World::with_mind();
    let id = world.remember("The boiler is eleven years old");
    assert_snapshot!(world.run(&["monitor", "list"]), @"no memory is looked after");
    assert_snapshot!(world.run(&["monitor", "add", &id, "30d"]), @"monitored  mem_ID  every 30d, next DATE TIME");
    assert_snapshot!(world.run(&["monitor", "add", &id, "5s"]), @"
    [stderr]
    error: a memory can be checked every 1m at the most often and every 366d at the least, not every 5s
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["monitor", "list"]), @"
    The boiler is eleven years old
      mem_ID  every 30d  next DATE TIME
    ");
    assert_snapshot!(world.run(&["monitor", "checked", &id, "--note", "pressure is fine"]), @"checked  mem_ID  every 30d, next DATE TIME");
    assert_snapshot!(world.run(&["monitor", "end", &id]), @"ended  mem_ID");
    assert_snapshot!(world.run(&["monitor", "checked", &id]), @"
    [stderr]
    error: the monitor of mem_ID has ended: begin it anew with monitor_add
    [exit code 2]
    ");
}

#[test]
fn what_was_learned_is_written_with_its_source() {
    let world = World::with_mind();
    let id = world.remember("The deploy failed on a Friday");
    assert_snapshot!(world.run(&["lessons", "list"]), @"no lessons yet");
    let learned = world.run(&[
        "lessons",
        "add",
        "Do not deploy on Fridays",
        "--type",
        "mistake",
        "--source",
        &id,
        "--correction",
        "Wait for Monday",
    ]);
    assert_snapshot!(learned, @"learned  les_ID");
    assert_snapshot!(world.run(&["lessons", "list"]), @"
    Do not deploy on Fridays
      les_ID  mistake  confidence 0.5  seen once
    ");
    assert_snapshot!(world.run(&["lessons", "show", &id_in(&learned.succeeds(), "les_")]), @"
    Do not deploy on Fridays
      les_ID  mistake  confidence 0.5  seen once
      instead  Wait for Monday
      from     mem_ID
    ");
    let id_of_it = id_in(&learned.succeeds(), "les_");
    assert_snapshot!(world.run(&["lessons", "judge", &id_of_it, "down"]), @"judged  les_ID  confidence 0.45");
    assert_snapshot!(world.run(&["lessons", "judge", &id_of_it, "sideways"]), @r#"
    [stderr]
    error: "sideways" is no judgement; known are up, down, unhelpful
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["lessons", "add", "x", "--type", "mistak", "--source", &id]), @r#"
    [stderr]
    error: "mistak" is no lesson type (did you mean "mistake"?); known are mistake, success, workaround, discovery
    [exit code 2]
    "#);
    let reflected = world.run(&[
        "reflections",
        "add",
        "A rough week",
        "--from",
        "2026-01-01T00:00:00Z",
        "--until",
        "2026-01-08T00:00:00Z",
        "--source",
        &id,
    ]);
    assert_snapshot!(reflected, @"reflected  ref_ID");
    assert_snapshot!(world.run(&["reflections", "list"]), @"
    A rough week
      ref_ID  DATE to DATE  trust 1
    ");
    assert_snapshot!(world.run(&["reflections", "show", &id_in(&reflected.succeeds(), "ref_")]), @"
    A rough week
      ref_ID  DATE to DATE  trust 1
      from mem_ID
    ");
}

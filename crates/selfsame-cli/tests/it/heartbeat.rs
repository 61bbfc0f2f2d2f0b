//! When the agent speaks up, as people and hosts see it.

use crate::cli::World;
use insta::assert_snapshot;
use selfsame::time::{Time, Zone};
use std::time::Duration;

/// It is noon for the operator, whenever this runs: the hour holds nothing back.
pub fn at_noon() -> World {
    let world = World::with_mind();
    world.run(&["principal", "set", "operator", "--zone", &where_it_is_noon(&world)]).succeeds();
    world
}

fn where_it_is_noon(world: &World) -> String {
    let hours = 12 - Zone::utc().local(now(world)).hour();
    // Of these zones the sign says how far UTC is ahead.
    format!("Etc/GMT{:+}", -hours)
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
    assert_snapshot!(world.run(&["heartbeat", "receipts"]), @"no heart has beaten yet (`selfsame heartbeat tick` lets it)");
    assert_snapshot!(world.run(&["heartbeat", "peek"]), @"
    would speak up  towards operator, DATE TIME, working hours
      saw       nothing
      why       they have hardly met: 0 of 5 memories (step 1 of 7, first contact)
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now, x 3
                without signals; a pause of 30m
      0 tokens, 9 statements, N ms
    ");
    assert_snapshot!(world.run(&["nudge", "list"]), @"nothing to say");
    assert_snapshot!(world.run(&["heartbeat", "tick"]), @"
    spoke up  towards operator, DATE TIME, working hours
      saw       nothing
      why       they have hardly met: 0 of 5 memories (step 1 of 7, first contact)
      said      Hello operator, I am main, your assistant. I remember what you tell
                me, remind you of what is due, and otherwise stay quiet. What are
                you working on these days?
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now, x 3
                without signals; a pause of 30m
      0 tokens, 12 statements, N ms  nud_ID
    ");
    assert_snapshot!(world.run(&["heartbeat", "tick"]), @"
    silent  towards operator, DATE TIME, working hours
      saw       nothing
      why       nothing was found (step 5 of 7, confluence)
      unless    a signal is found
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now, x 3
                without signals; a pause of 30m
      0 tokens, 8 statements, N ms  rcp_ID
    ");
    assert_snapshot!(world.run(&["nudge", "list", "--peek"]), @"
    Hello operator, I am main, your assistant. I remember what you tell me, remind
    you of what is due, and otherwise stay quiet. What are you working on these
    days?
      you could: answer, dismiss
      nud_ID  DATE TIME, introduction, waiting
    ");
    assert_snapshot!(world.run(&["nudge", "list"]), @"
    Hello operator, I am main, your assistant. I remember what you tell me, remind
    you of what is due, and otherwise stay quiet. What are you working on these
    days?
      you could: answer, dismiss
      nud_ID  DATE TIME, introduction, delivered
    ");
    let nudge = first_nudge(&world);
    assert_snapshot!(world.run(&["nudge", "answer", &nudge, "bees, mostly"]), @"answered  nud_ID");
    assert_snapshot!(world.run(&["nudge", "answer", &nudge]), @"
    [stderr]
    error: nud_ID is answered already: `selfsame nudge list` shows what is open
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["nudge", "list"]), @"nothing to say");
    assert_snapshot!(world.run(&["nudge", "list", "--all"]), @"
    Hello operator, I am main, your assistant. I remember what you tell me, remind
    you of what is due, and otherwise stay quiet. What are you working on these
    days?
      answered: bees, mostly
      nud_ID  DATE TIME, introduction, answered
    ");
    assert_snapshot!(world.run(&["heartbeat", "receipts"]), @"
    DATE TIME  silent    5 confluence     1 tick
        rcp_ID  saw nothing
    DATE TIME  spoke up  1 first contact  1 tick
        rcp_ID  saw nothing; nud_ID
        answered
    ");
    assert_snapshot!(world.run(&["heartbeat", "receipts", "--acts", "-n", "1"]), @"
    DATE TIME  spoke up  1 first contact  1 tick
        rcp_ID  saw nothing; nud_ID
        answered
    ");
}

#[test]
fn why_it_is_silent() {
    let world = at_noon();
    have_met(&world);
    world.run(&["remember", "Build a second hive", "--type", "plan"]).succeeds();
    assert_snapshot!(world.run(&["heartbeat", "tick"]), @"
    silent  towards operator, DATE TIME, working hours
      saw       memory_velocity 1, pending_work 1
      why       the signals weigh 8 of 12 at suggest (step 5 of 7, confluence)
      unless    signals of other kinds add 4, or something falls due
      next      DATE TIME: the usual pace: 5m, x 0.7 with many new memories;
                a pause of 3m30s
      0 tokens, 7 statements, N ms  rcp_ID
    ");
    assert_snapshot!(world.run(&["heartbeat", "explain"]), @"
    On DATE at CLOCK, in working hours, I would say nothing: the signals weigh
        8 of 12 at suggest; step 5 decided (confluence).
    Seen:
      1 memory_velocity (elevated, weight 5, not told): new memories
      1 pending_work (normal, weight 3, not told): Build a second hive
    Steps:
      0 held: nothing holds it
      1 first contact: they have met: 5 memories or more
      2 critical deadline: no deadline within 1h
      3 time of day: in working hours everything passes
      4 conversation: no conversation is on
      5 confluence: the signals weigh 8 of 12 at suggest; held back: 1
          memory_velocity, 1 pending_work
    It would go another way:
      confluence, if signals of other kinds add 4, or something falls due
    It took N ms and 8 statements; 0 tokens.
    Next look at CLOCK, in 3m30s: the usual pace: 5m, x 0.7 with many new memories;
        a pause of 3m30s.
    ");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--at", "tomorrow 03:00"]), @"
    On DATE at CLOCK, in quiet hours, I would say nothing: in quiet hours only
        schedules and critical deadlines pass; step 3 decided (time of day).
    Seen:
      1 memory_velocity (elevated, weight 5, not told): new memories
      1 pending_work (normal, weight 3, not told): Build a second hive
    Steps:
      0 held: nothing holds it
      1 first contact: they have met: 5 memories or more
      2 critical deadline: no deadline within 1h
      3 time of day: in quiet hours only schedules and critical deadlines pass; held
          back: 1 memory_velocity, 1 pending_work
    It would go another way:
      time of day, if it is 07:00 (morning)
    It took N ms and 8 statements; 0 tokens.
    Next look at CLOCK, in 35m: the usual pace: 5m, x 10 in quiet hours, x 0.7 with
        many new memories; a pause of 35m.
    ");
    let listed = world.run(&["--json", "heartbeat", "receipts"]).succeeds();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let receipt = listed["receipts"][0]["id"].as_str().unwrap();
    assert_snapshot!(world.run(&["heartbeat", "receipts", receipt]), @"
    silent  working hours, 1 tick
    0 held
      saw       memory_velocity 1, pending_work 1
      found     nothing holds it
    1 first contact
      saw       memory_velocity 1, pending_work 1
      found     they have met: 5 memories or more
    2 critical deadline
      saw       memory_velocity 1, pending_work 1
      found     no deadline within 1h
    3 time of day
      saw       memory_velocity 1, pending_work 1
      found     in working hours everything passes
    4 conversation
      saw       memory_velocity 1, pending_work 1
      found     no conversation is on
    5 confluence
      saw       memory_velocity 1, pending_work 1
      dropped   memory_velocity 1, pending_work 1
      found     the signals weigh 8 of 12 at suggest
      unless    signals of other kinds add 4, or something falls due
      0 tokens, 7 statements, N ms  rcp_ID
    ");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--receipt", receipt]), @"
    On DATE at CLOCK, in working hours, I said nothing: the signals weigh 8 of
        12 at suggest; step 5 decided (confluence).
    Seen:
      1 memory_velocity (elevated, weight 5, not told)
      1 pending_work (normal, weight 3, not told)
    Steps:
      0 held: nothing holds it
      1 first contact: they have met: 5 memories or more
      2 critical deadline: no deadline within 1h
      3 time of day: in working hours everything passes
      4 conversation: no conversation is on
      5 confluence: the signals weigh 8 of 12 at suggest; held back: 1
          memory_velocity, 1 pending_work
    It would go another way:
      confluence, if signals of other kinds add 4, or something falls due
    It took N ms and 7 statements; 0 tokens.
    Next look at CLOCK, in 3m30s: the usual pace: 5m, x 0.7 with many new memories;
        a pause of 3m30s.
    ");
}

#[test]
fn what_cannot_wait_is_said() {
    let world = at_noon();
    have_met(&world);
    due_soon(&world, "Pay the rent");
    assert_snapshot!(world.run(&["heartbeat", "peek"]), @"
    would be silent  towards operator, DATE TIME, working hours
      saw       pending_work 1
      why       the signals weigh 3 of 12 at suggest (step 5 of 7, confluence)
      unless    signals of other kinds add 9, or something falls due
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now; a
                pause of 10m
      0 tokens, 8 statements, N ms
    ");
    assert_snapshot!(world.run(&["heartbeat", "gate"]), @"
    wake  something said before waits to be told
    2 things:
    - Deadline: Pay the rent (within 1h, today at CLOCK)
    - new memories (much was stored since the last act)
      because a deadline is near or past: 1
      because much was stored since the last act
      because plans and activities are under way: 1
      you could: done, snooze, dismiss
      nud_ID  DATE TIME, deadline, delivered
    ");
    assert_snapshot!(world.run(&["heartbeat", "gate"]), @"
    stay silent  the signals weigh 3 of 12 at suggest
    [exit code 10]
    ");
    assert_snapshot!(world.run(&["nudge", "dismiss", &first_nudge(&world)]), @"dismissed  nud_ID");
    assert_snapshot!(world.run(&["heartbeat", "status"]), @"
    operator
      autonomy  suggest: it waits on a list (`selfsame nudge list`)
      quiet     23:00-07:00 ZONE; working hours now
      channels  list
      spoke     DATE TIME
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now; a
                pause of 10m
      7 days    0 of 100: kept 0, broken 0, missed 0, answered 0 of 1
    ");
}

#[test]
fn status_and_doctor_tell_of_hearts_that_fail() {
    let world = at_noon();
    world.run(&["heartbeat", "tick"]).succeeds();
    let heartless = |told: &str| !told.contains("heart");
    assert!(heartless(&world.run(&["status"]).succeeds()) && heartless(&world.run(&["doctor"]).succeeds()));
    let raw = rusqlite::Connection::open(world.database()).unwrap();
    let missed = "UPDATE nudges SET state = 'missed' WHERE id = (SELECT MAX(id) FROM nudges)";
    assert_eq!(raw.execute(missed, []).unwrap(), 1);
    let missed = "1 reminder missed in 7 days (`selfsame nudge list` has them)";
    assert!(world.run(&["status"]).succeeds().contains(missed));
    assert!(world.run(&["doctor"]).succeeds().contains(&format!("ok    heartbeat    {missed}")));
    raw.execute("UPDATE heartbeats SET failures = 2, last_error = 'no', next_at = 9000000000000000", [])
        .unwrap();
    let failing = format!("1 heart fails (`selfsame heartbeat status` says why), {missed}");
    // On as many lines as it takes.
    let status = world.run(&["status"]).succeeds();
    assert!(status.split_whitespace().collect::<Vec<_>>().join(" ").contains(&failing), "{status}");
    let doctor = world.run(&["doctor"]);
    doctor.fails(8, "the mind does not work as it should");
    let told = doctor.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(&format!("FAIL heartbeat {failing}")), "{doctor}");
}

#[test]
fn whoever_looks_at_anothers_list_has_not_told_them() {
    let world = at_noon();
    world.run(&["principal", "add", "Maya", "--zone", &where_it_is_noon(&world)]).succeeds();
    world.run(&["heartbeat", "tick", "--principal", "Maya"]).succeeds();
    let looked = world.run(&["nudge", "list", "--principal", "Maya"]);
    assert_snapshot!(looked, @"
    Hello Maya, I am main, your assistant. I remember what you tell me, remind you
    of what is due, and otherwise stay quiet. What are you working on these days?
      you could: answer, dismiss
      nud_ID  DATE TIME, introduction, waiting
    not delivered by looking: --fetch when you tell Maya
    ");
    assert_snapshot!(world.run(&["nudge", "list", "--principal", "Maya", "--fetch"]), @"
    Hello Maya, I am main, your assistant. I remember what you tell me, remind you
    of what is due, and otherwise stay quiet. What are you working on these days?
      you could: answer, dismiss
      nud_ID  DATE TIME, introduction, delivered
    ");
}

#[test]
fn a_gate_that_fails_is_no_silence() {
    let world = at_noon();
    have_met(&world);
    world.run(&["nudge", "list"]).succeeds();
    assert_eq!(world.run(&["heartbeat", "gate"]).code, 10);
    let raw = rusqlite::Connection::open(world.database()).unwrap();
    raw.execute_batch("ALTER TABLE heartbeat_marks RENAME TO elsewhere").unwrap();
    world.run(&["heartbeat", "gate"]).fails(1, "heartbeat_marks");
    raw.execute_batch("ALTER TABLE elsewhere RENAME TO heartbeat_marks").unwrap();
    raw.execute("UPDATE principals SET zone = 'Nowhere/Land'", []).unwrap();
    world.run(&["heartbeat", "gate"]).fails(8, "Nowhere/Land");
    world.run(&["heartbeat", "gate", "--principal", "Zoe"]).fails(3, "Zoe");
    world.run(&["heartbeat", "gates"]).fails(2, "gate");
}

#[test]
fn how_somebody_is_spoken_to() {
    let world = at_noon();
    world.run(&["principal", "add", "Maya", "--zone", &where_it_is_noon(&world)]).succeeds();
    let maya = ["--principal", "Maya"];
    let of_maya = |command: &[&str]| world.run(&[&["heartbeat"], command, &maya[..]].concat());
    assert_snapshot!(of_maya(&["status"]), @"
    Maya
      autonomy  suggest: it waits on a list (`selfsame nudge list`)
      quiet     23:00-07:00 ZONE; working hours now
      channels  list
      spoke     never
      next      DATE TIME
      7 days    nothing promised, nothing said
    ");
    assert_snapshot!(world.run(&["heartbeat", "set", "--autonomy", "act", "--quiet", "22:30-07:30"]), @"
    operator
      autonomy  act: it is delivered, and the agent is woken
      quiet     22:30-07:30 ZONE; working hours now
      channels  list
      spoke     never
      next      DATE TIME
      7 days    nothing promised, nothing said
    ");
    assert_snapshot!(world.run(&["heartbeat", "set", "--autonomy", "default", "--quiet", "default"]), @"
    operator
      autonomy  suggest: it waits on a list (`selfsame nudge list`)
      quiet     23:00-07:00 ZONE; working hours now
      channels  list
      spoke     DATE TIME
      next      DATE TIME
      7 days    nothing promised, nothing said
    ");
    assert_snapshot!(of_maya(&["mute"]), @"muted  Maya hears nothing until `selfsame heartbeat unmute`");
    assert_snapshot!(of_maya(&["gate"]), @"
    stay silent  muted
    [exit code 10]
    ");
    assert_snapshot!(of_maya(&["unmute"]), @"unmuted  Maya is spoken to again");
    assert_snapshot!(of_maya(&["snooze", "2h"]), @"snoozed  Maya hears nothing until DATE TIME");
    assert_snapshot!(of_maya(&["tick"]), @"
    silent  towards Maya, DATE TIME, working hours
      saw       nothing
      why       snoozed (held)
      unless    the snooze ends, at CLOCK
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now, x 3
                without signals; a pause of 30m
      0 tokens, 10 statements, N ms  rcp_ID
    ");
    assert_snapshot!(world.run(&["heartbeat", "pause"]), @"paused  no agent says anything until `selfsame heartbeat resume`");
    assert_snapshot!(world.run(&["heartbeat", "pause"]), @"unchanged  no agent says anything until `selfsame heartbeat resume`");
    assert_snapshot!(world.run(&["heartbeat", "status"]), @"
    operator
      autonomy  suggest: it waits on a list (`selfsame nudge list`)
      quiet     23:00-07:00 ZONE; working hours now
      channels  list
      spoke     DATE TIME
      next      DATE TIME: the usual pace: 5m, x 2 after an act just now, x 3
                without signals; a pause of 30m
      7 days    nothing promised, nothing said
      paused    since DATE TIME (`selfsame heartbeat resume` ends it)
    ");
    assert_snapshot!(world.run(&["heartbeat", "resume"]), @"resumed  agents speak again");
}

#[test]
fn the_days_to_come() {
    let world = at_noon();
    have_met(&world);
    world.run(&["remember", "Water the plants", "--tag", "cron:daily:08:00"]).succeeds();
    assert_snapshot!(world.run(&["heartbeat", "simulate", "--days", "2", "--persona", "ignores"]), @"
    operator, DATE TIME to DATE TIME
    nudges          2, 1.0 a day, 1 at most; 0 answered
    in quiet hours  0
    reminders       2 delivered, 0 missed
    ticks           N

    day         nudges  quiet  reminders  missed  answered  ticks
    DATE  0       0      0          0       0         N
    DATE  1       0      1          0       0         N
    DATE  1       0      1          0       0         N

    DATE TIME  reminder, delivered
      2 things:
      - Reminder: Water the plants (due today at CLOCK)
      - new memories (much was stored since the last act)
    DATE TIME  reminder, delivered
      Reminder: Water the plants (due today at CLOCK)
    ");
    assert_snapshot!(world.run(&["heartbeat", "simulate", "--days", "0"]), @"
    [stderr]
    error: days: 0 is not from 1 to 366
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["heartbeat", "simulate", "--persona", "angry"]), @r#"
    [stderr]
    error: "angry" is no persona; known are answers, selective, ignores
    [exit code 2]
    "#);
}

#[test]
fn what_cannot_be_meant_is_named() {
    let world = at_noon();
    assert_snapshot!(world.run(&["heartbeat", "tick", "--principal", "Zoe"]), @"
    [stderr]
    error: there is no principal Zoe: `selfsame principal list` shows them, `selfsame principal add Zoe` adds them
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["heartbeat", "set"]), @"
    [stderr]
    error: nothing to change: give an autonomy, quiet hours or channels
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["heartbeat", "set", "--quiet", "at night"]), @r#"
    [stderr]
    error: quiet hours: "at night" is not of the form 22:30-07:30
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["heartbeat", "set", "--autonomy", "suggests"]), @r#"
    [stderr]
    error: "suggests" is no level of autonomy (did you mean "suggest"?); known are observe, suggest, act
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["heartbeat", "set", "--channels", "list,pigeon"]), @r#"
    [stderr]
    error: channels: there is no "pigeon"; known are list, webhook, command, file
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["heartbeat", "snooze", "long"]), @"
    [stderr]
    error: for: `long` is not a duration: write whole numbers with a unit each, e.g. 90s, 30m, 1h30m, 7d
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["heartbeat", "snooze", "90d"]), @"
    [stderr]
    error: a snooze lasts up to 30d; for longer, mute
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--at", "at nine"]), @"
    [stderr]
    error: `at nine` is no time: write DATE, DATET18:00, DATET18:00:00+01:00, `today` or `tomorrow 09:00`
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["heartbeat", "explain", "--at", "yesterday 09:00"]), @"
    [stderr]
    error: DATE TIME is before the first receipt: `selfsame heartbeat receipts` lists them
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["heartbeat", "receipts", "rcp_00000000000000000000000000"]), @"
    [stderr]
    error: there is no receipt rcp_ID: `selfsame heartbeat receipts` shows them
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["nudge", "answer", "nud_00000000000000000000000000"]), @"
    [stderr]
    error: there is no nudge nud_ID: `selfsame nudge list --peek --all` shows them
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["nudge", "dismiss", "the first"]), @r#"
    [stderr]
    error: "the first" is no nudge id: expected nud_ and 26 letters and digits, as printed by selfsame (`selfsame nudge list --peek --all` shows them)
    [exit code 2]
    "#);
    world.run(&["heartbeat", "tick"]).succeeds();
    for close in ["answer", "dismiss"] {
        let refused = world.run(&["--as", "agent", "nudge", close, &first_nudge(&world)]);
        refused.fails(5, "the operator or the host of their conversation, not by the agent");
    }
    assert_snapshot!(world.run(&["--as", "agent", "heartbeat", "set", "--autonomy", "act"]), @"
    [stderr]
    error: how a principal is spoken to is said by the principal or the operator, not by the agent
    [exit code 5]
    ");
}

//! What is believed, as people see it.

use crate::cli::World;
use crate::postgres::Database;
use insta::assert_snapshot;
use postgres::{Client, NoTls};

/// Says it with what it says.
fn state(world: &World, content: &str, slot: &str, value: &str) {
    world.run(&["remember", content, "--about", "Maya", "--slot", slot, "--value", value]).succeeds();
}

#[test]
fn what_is_believed_and_why() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["know", "list"]), @"nothing is believed");
    state(&world, "Maya uses SQLite", "database", "SQLite");
    state(&world, "Maya works at Acme", "job", "Acme");
    assert_snapshot!(world.run(&["know", "list"]), @"
    medium  Maya uses SQLite
            Maya/database  confidence 0.68  fresh 100 %  1 for, 0 against
            last said DATE  obs_ID
    medium  Maya works at Acme
            Maya/employer  confidence 0.68  fresh 100 %  1 for, 0 against
            last said DATE  obs_ID
    ");
    assert_snapshot!(world.run(&["know", "show", "Maya", "--slot", "db"]), @"
    medium  Maya uses SQLite
            Maya/database  confidence 0.68  fresh 100 %  1 for, 0 against
            last said DATE  obs_ID
    ");
    assert_snapshot!(world.run(&["know", "show", "Nobody"]), @"nothing is believed about Nobody");
    state(&world, "Maya uses PostgreSQL", "database", "PostgreSQL");
    assert_snapshot!(world.run(&["know", "why", "Maya/database"]), @"
    medium  Maya uses PostgreSQL
            Maya/database  confidence 0.67  fresh 100 %  1 for, 1 against
            last said DATE  obs_ID
            entity:ent_ID:operator_preference:database
    confidence
        0.28  to begin with
       +0.06  independent sources               ████░░░░░░  1 source
       +0.04  sorts of source                   ███░░░░░░░  1 of 4
       +0.08  weight of what speaks for it      ████░░░░░░  1.75
       +0.22  how recently it was said          ██████████  0.0 days ago
       +0.00  confirmed by the operator         ░░░░░░░░░░
       -0.01  weight of what speaks against it  █░░░░░░░░░  1.75 from 1 source
        0.67  by formula 2
    for
      DATE  Maya uses PostgreSQL
                  operator  weight 1.75  mem_ID
    against
      DATE  Maya uses SQLite
                  operator  weight 1.75  mem_ID
    before
      DATE  Maya uses SQLite
                  superseded  obs_ID
    changes
      DATE  active  0.67  operator stated
    ");
    assert_snapshot!(world.run(&["know", "history", "Maya", "--slot", "database"]), @"
    medium  Maya uses PostgreSQL
            Maya/database  confidence 0.67  fresh 100 %  1 for, 1 against
            last said DATE  obs_ID
    medium  Maya uses SQLite  (superseded)
            Maya/database  confidence 0.68  fresh 100 %  1 for, 0 against
            last said DATE  obs_ID
    ");
    assert_snapshot!(world.run(&["know", "as-of", "2001-01-01", "Maya"]), @"nothing was believed about Maya");
    assert_snapshot!(world.run(&["recall", "where does Maya work?", "-n", "2"]), @"
     0.30  Maya works at Acme
           Maya/employer  believed, medium confidence, 1 for and 0 against
           last said DATE  first, being sure and current
           obs_ID
     0.50  Maya works at Acme
           knowledge  said by principal, trust 1  DATE
           mem_ID
    more: --offset 2
    ");
    assert_snapshot!(world.run(&["status"]).succeeds().lines().last().unwrap_or_default(), @"agent     main (yours), 3 memories, 2 beliefs");
}

#[test]
fn what_somebody_makes_of_it() {
    let world = World::with_mind();
    state(&world, "Maya uses SQLite", "database", "SQLite");
    state(&world, "Maya works at Acme", "job", "Acme");
    assert_snapshot!(world.run(&["know", "confirm", "Maya/database"]), @"
    noted  believed  obs_ID  high, confidence 0.84
      kept as mem_ID
    ");
    assert_snapshot!(world.run(&["know", "useful", "Maya/employer"]), @"
    noted  believed  obs_ID  medium, confidence 0.68
      kept as mem_ID
    ");
    assert_snapshot!(world.run(&["know", "correct", "Maya/database", "PostgreSQL"]), @"
    noted  believed instead  obs_ID  medium, confidence 0.67
      kept as mem_ID
    ");
    assert_snapshot!(world.run(&["know", "show", "Maya/database"]), @"
    medium  Maya's database is PostgreSQL
            Maya/database  confidence 0.67  fresh 100 %  1 for, 1 against
            last said DATE  obs_ID
            entity:ent_ID:operator_preference:database
    confidence
        0.28  to begin with
       +0.06  independent sources               ████░░░░░░  1 source
       +0.04  sorts of source                   ███░░░░░░░  1 of 4
       +0.08  weight of what speaks for it      ████░░░░░░  1.75
       +0.22  how recently it was said          ██████████  0.0 days ago
       +0.00  confirmed by the operator         ░░░░░░░░░░
       -0.02  weight of what speaks against it  █░░░░░░░░░  2.62 from 1 source
        0.67  by formula 2
    for
      DATE  Maya's database is PostgreSQL
                  operator  weight 1.75  mem_ID
    against
      DATE  Maya uses SQLite
                  operator  weight 1.75  mem_ID
      DATE  Maya uses SQLite
                  operator  weight 2.62  mem_ID
                  the operator's judgement
    before
      DATE  Maya uses SQLite
                  superseded  obs_ID
    changes
      DATE  active  0.67  operator stated
    ");
    assert_snapshot!(world.run(&["know", "wrong", "Maya/employer"]), @"
    noted  nothing is believed about it any more
      kept as mem_ID
    ");
    assert_snapshot!(world.run(&["know", "list"]), @"
    medium  Maya's database is PostgreSQL
            Maya/database  confidence 0.67  fresh 100 %  1 for, 1 against
            last said DATE  obs_ID
    ");
    assert_snapshot!(world.run(&["know", "conflicts"]), @"nothing is in conflict");
    assert_snapshot!(world.run(&["know", "consolidate"]), @"
    consolidated
    claims read  0
    formed       0
    reinforced   0
    superseded   0
    contended    0
    given up     0
    ");
}

#[test]
fn a_source_that_is_taken_back() {
    let world = World::with_mind();
    let said = ["remember", "Maya uses SQLite", "--about", "Maya", "--slot", "database", "--value", "SQLite"];
    world.run(&[&said[..], &["--source", "notes.md"]].concat()).succeeds();
    assert_snapshot!(world.run(&["know", "retract", "notes.md", "--dry-run"]), @"would fall  Maya uses SQLite");
    assert_snapshot!(world.run(&["know", "retract", "--source", "notes.md"]), @"fell  Maya uses SQLite");
    assert_snapshot!(world.run(&["know", "show", "Maya"]), @"nothing is believed about Maya");
    assert_snapshot!(world.run(&["know", "retract", "other.md"]), @"
    [stderr]
    error: there is no belief that rests on other.md
    [exit code 3]
    ");
}

#[test]
fn the_questions_that_beliefs_answer() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["know", "slots", "--own"]), @"no question came up that was not known from the start");
    let known = world.run(&["know", "slots"]).succeeds();
    let line = |name: &str| known.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert_snapshot!(line("database"), @"database          taste     one   db, datastore");
    assert_snapshot!(line("hobby"), @"hobby             fact      many  hobbies, pastime, sport, instrument");
    assert_snapshot!(line("mentor"), @"mentor            relation  one");
    state(&world, "Maya takes a 38", "shoe size", "38");
    state(&world, "Maya takes a 39", "size of shoes", "39");
    assert_snapshot!(world.run(&["know", "slots", "--own"]), @"shoe-size  fact  one  size-of-shoes");
    let json: serde_json::Value =
        serde_json::from_str(&world.run(&["--json", "know", "slots", "--own"]).succeeds()).unwrap();
    let slots = serde_json::json!([
        { "name": "shoe-size", "nature": "fact", "many": false, "own": true, "synonyms": ["size-of-shoes"] },
    ]);
    assert_eq!(json["slots"], slots);
}

#[test]
fn what_cannot_be_read_is_named() {
    let world = World::with_mind();
    state(&world, "Maya uses SQLite", "database", "SQLite");
    assert_snapshot!(world.run(&["know", "why", "Maya/databse"]), @"
    [stderr]
    error: there is no observation Maya/databse; did you mean Maya/database?
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["know", "why", "Zoe/pet"]), @"
    [stderr]
    error: there is no observation Zoe/pet: `selfsame know list` shows what is believed
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["know", "list", "--kind", "project"]), @r#"
    [stderr]
    error: "project" is no kind of observation; known are operator_preference, project_state, tooling_state, relationship_fact, self_model, world_fact
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["know", "as-of", "someday"]), @"
    [stderr]
    error: `someday` is no time: write DATE, DATET18:00, DATET18:00:00+01:00, `today` or `tomorrow 09:00`
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["remember", "x", "--about", "Maya", "--slot", "database"]), @"
    [stderr]
    error: the following required arguments were not provided:
      --value <VALUE>

    Usage: selfsame remember --about <NAME> --value <VALUE> --slot <SLOT> <CONTENT>

    For more information, try '--help'.
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["remember", "x", "--not"]), @"
    [stderr]
    error: the following required arguments were not provided:
      --slot <SLOT>
      --value <VALUE>
      --about <NAME>

    Usage: selfsame remember --slot <SLOT> --value <VALUE> --about <NAME> --not <CONTENT>

    For more information, try '--help'.
    [exit code 2]
    ");
    let kind = ["remember", "x", "--about", "Maya", "--slot", "a", "--value", "b", "--kind", "fact"];
    assert_snapshot!(world.run(&kind), @r#"
    [stderr]
    error: "fact" is no kind of observation; known are operator_preference, project_state, tooling_state, relationship_fact, self_model, world_fact
    [exit code 2]
    "#);
}

/// Two processes at a time, on one server, for one agent: each writes, and reads what it and the other wrote. Every
/// question has one active answer, and nothing counts twice.
#[test]
fn processes_that_read_at_once_agree() {
    const EACH: usize = 12;
    let database = Database::make();
    let worlds = [World::new(), World::new()];
    let (url, owner) = (database.url(), database.owner_url());
    worlds[0].run(&["--db", &url, "--db-owner", &owner, "init"]).succeeds();
    worlds[1].run(&["--db", &url, "init"]).succeeds();
    std::thread::scope(|scope| {
        for (who, world) in worlds.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..EACH {
                    let name = ["Maya", "Jonas", "Zoe"][round % 3];
                    let value = ["PostgreSQL", "SQLite", "MySQL"][(round + who) % 3];
                    let source = format!("letter {who} {round}");
                    let words = format!("{name} prefers {value}");
                    world.run(&["remember", &words, "--source", &source]).succeeds();
                }
            });
        }
    });
    worlds[0].run(&["know", "consolidate"]).succeeds();
    let mut client = Client::connect(&database.owner_url(), NoTls).unwrap();
    // Row-level security keeps the owner out too: it is lifted for this look.
    client.batch_execute("ALTER TABLE selfsame.knowledge_observations NO FORCE ROW LEVEL SECURITY").unwrap();
    client.batch_execute("ALTER TABLE selfsame.knowledge_claims NO FORCE ROW LEVEL SECURITY").unwrap();
    let one = |client: &mut Client, sql: &str| client.query_one(sql, &[]).unwrap().get::<_, i64>(0);
    let active = "SELECT COUNT(*) FROM selfsame.knowledge_observations WHERE status = 'active'";
    assert_eq!(one(&mut client, active), 3, "one answer to each of three questions");
    let claims = "SELECT COUNT(*) FROM selfsame.knowledge_claims";
    assert_eq!(one(&mut client, claims), (2 * EACH) as i64, "each letter was read once");
    worlds[1].run(&["verify"]).succeeds();
}

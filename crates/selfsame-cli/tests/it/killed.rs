//! Self-care and neural links in a daemon that dies at every step of theirs, as by `kill -9`: nothing is half done, and whoever
//! comes next ends where an undisturbed run does.

use crate::cli::{World, wait_until};
use crate::crash::Victim;
use crate::postgres::Database;
use std::collections::BTreeSet;

/// The signal by which a process ends at a planned point.
const ABORTED: Option<i32> = Some(6);

struct House {
    world: World,
    database: Option<Database>,
}

/// Small batches are many.
fn small() -> World {
    World::new()
        .with("SELFSAME_SELF_CARE_LEAST", "1")
        .with("SELFSAME_SELF_CARE_BATCH", "4")
        .with("SELFSAME_LINK_BATCH", "4")
}

impl House {
    fn sqlite() -> House {
        let world = small();
        world.run(&["init"]).succeeds();
        House { world, database: None }
    }

    fn postgres() -> House {
        let (world, database) = (small(), Database::make());
        world.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
        House { world, database: Some(database) }
    }

    /// What a question about the database gives, past the program.
    fn ask(&self, sql: &str) -> Vec<String> {
        match &self.database {
            None => {
                let connection = rusqlite::Connection::open(self.world.database()).unwrap();
                let mut statement = connection.prepare(sql).unwrap();
                let rows = statement.query_map([], |row| row.get(0)).unwrap();
                rows.collect::<Result<_, _>>().unwrap()
            }
            Some(database) => {
                let mut client = postgres::Client::connect(&database.owner_url(), postgres::NoTls).unwrap();
                client.batch_execute("SET search_path = selfsame, public").unwrap();
                client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
            }
        }
    }

    fn daemon(&self, fault: Option<&str>) -> Victim {
        Victim::start(&self.world, fault).expect("it starts")
    }

    /// Agents, each with these memories.
    fn furnish(&self, names: &[String], memories: &[String]) {
        let daemon = self.daemon(None);
        for name in names {
            self.world.run(&["agent", "create", name]).succeeds();
            for memory in memories {
                let body = serde_json::json!({ "content": memory }).to_string();
                let stored = daemon.post(&format!("/v1/agents/{name}/memories"), &body, None).unwrap();
                assert_eq!(stored.status, 200, "{}", stored.body);
            }
        }
        daemon.kill();
    }

    /// Everything that self-care and links leave with an agent, without ids and times.
    fn state(&self, name: &str) -> Vec<String> {
        let whose = format!("agent_id = (SELECT id FROM agents WHERE name = '{name}')");
        let of = |table: &str, what: &str| {
            self.ask(&format!("SELECT '{table}: ' || {what} FROM {table} WHERE {whose} ORDER BY 1"))
        };
        let folded = "CASE WHEN summarized_into IS NULL THEN ' whole' ELSE ' folded' END";
        let mut all = of("memory_items", &format!("author || ' ' || state || {folded} || ' ' || content"));
        all.extend(of(
            "character_memory_summaries",
            "author || ' ' || CAST(memories AS TEXT) || ' ' || content",
        ));
        all.extend(of("summary_sources", "item_kind"));
        all.extend(of("memory_sources", "author"));
        all.extend(of("postings", "term || CASE WHEN kind LIKE 'lnk%' THEN ' lent' ELSE '' END"));
        all.extend(of("care_batches", "phase"));
        all.extend(of("link_items", "CASE WHEN merged THEN 'merged' ELSE 'copied' END"));
        all.extend(of("links", "state || ' ' || CAST(copied AS TEXT) || ' and ' || CAST(merged AS TEXT)"));
        let acts = of("events", "act");
        all.extend(acts.into_iter().filter(|act| !act.contains("belie") && !act.contains("observ")));
        all
    }

    fn count(&self, what: &str, name: &str) -> usize {
        self.ask(&format!(
            "SELECT 'x' FROM {what} AND agent_id = (SELECT id FROM agents WHERE name = '{name}')"
        ))
        .len()
    }

    fn verify(&self, after: &str) {
        let verified = self.world.run(&["verify"]);
        assert_eq!(verified.code, 0, "{after}: {verified}");
    }

    /// The names of the memories that an agent is shown.
    fn shown(&self, name: &str) -> BTreeSet<String> {
        let listed = self.world.run(&["--agent", name, "memory", "list", "--limit", "100"]).succeeds();
        listed.lines().filter_map(|line| line.rsplit_once("  ")).map(|(_, words)| words.to_owned()).collect()
    }

    /// Whether the duty that goes on with links is done, so that nobody but the test says when.
    fn rest(&self, rests: bool) {
        let listed = self.world.run(&["duty", "list"]).succeeds();
        let duty = listed.lines().find(|line| line.contains("  link  ")).unwrap().split(' ').next().unwrap();
        self.world.run(&["duty", if rests { "cancel" } else { "requeue" }, duty]).succeeds();
    }
}

/// `point:n` in its parts.
fn parts(fault: &str) -> (&str, usize) {
    let (point, nth) = fault.split_once(':').unwrap();
    (point, nth.parse().unwrap())
}

fn numbered(what: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{what}{number}")).collect()
}

fn self_care_dies_at_every_batch(house: &House) {
    // Four, four and two.
    let faults = [
        "care.folding:1",
        "care.folding:2",
        "care.folding:3",
        "care.folded:1",
        "care.folded:2",
        "care.folded:3",
    ];
    let killed = numbered("killed", faults.len());
    let names: Vec<String> = killed.iter().cloned().chain(["whole".into()]).collect();
    let crates: Vec<String> = (0..10).map(|n| format!("Crate {n} has {} apples", n * 7)).collect();
    house.furnish(&names, &crates);
    let care =
        |name: &str| house.world.run(&["--as", "agent", "--agent", name, "selfcare", "--what", "memories"]);
    care("whole").succeeds();
    let whole = house.state("whole");
    assert_eq!(house.count("character_memory_summaries WHERE depth = 1", "whole"), 3, "{whole:?}");
    for (name, fault) in killed.iter().zip(faults) {
        let daemon = house.daemon(Some(fault));
        assert_ne!(care(name).code, 0, "{fault}: nobody is told that it is done");
        assert_eq!(daemon.ended_by(), ABORTED, "{fault} was not reached");
        let (point, nth) = parts(fault);
        let batches = if point == "care.folded" { nth } else { nth - 1 };
        let folded = [0, 4, 8, 10][batches];
        assert_eq!(house.count("character_memory_summaries WHERE depth = 1", name), batches, "{fault}");
        assert_eq!(house.count("memory_items WHERE summarized_into IS NOT NULL", name), folded, "{fault}");
        assert_eq!(house.count("summary_sources WHERE item_kind = 'memory'", name), folded, "{fault}");
        assert_eq!(house.count("events WHERE act = 'summarized'", name), batches, "{fault}");
        assert_eq!(house.shown(name).len(), 10 - folded, "{fault}");
        house.verify(fault);
        care(name).succeeds();
        assert_eq!(house.state(name), whole, "{fault}");
    }
    house.verify("in the end");
}

/// The agent writes itself, and dies when it hands its text in: it is asked for the same again.
fn who_dies_over_a_text_hands_it_in_again(house: &House) {
    let crates: Vec<String> = (0..3).map(|n| format!("Crate {n} has {} apples", n * 7)).collect();
    house.furnish(&["writer".into()], &crates);
    let text = b"Themes: apples\nThree crates of apples.\n";
    let handed = house.world.run(&writer(&["begin"])).succeeds();
    let batch = handed.split_whitespace().find(|word| word.starts_with("bat_")).unwrap().to_owned();
    let daemon = house.daemon(Some("care.folding:1"));
    assert_ne!(house.world.run_with_input(&writer(&["commit", &batch]), text).code, 0);
    assert_eq!(daemon.ended_by(), ABORTED);
    assert_eq!((house.shown("writer").len(), house.count("care_batches WHERE done = 0", "writer")), (3, 1));
    assert!(house.world.run(&writer(&["begin"])).succeeds().contains(&batch), "the same is handed out");
    house.world.run_with_input(&writer(&["commit", &batch]), text).succeeds();
    assert_eq!((house.shown("writer").len(), house.count("care_batches WHERE done >= 0", "writer")), (0, 0));
    house.verify("in the end");
}

/// Where a link dies, while it is given and while it is taken back: at every step, or at a few that differ most.
fn deaths(everywhere: bool) -> [Vec<String>; 2] {
    // Four batches of memories, a summary, the moment at which all is shown, and tellings; and four batches, and the end.
    let (giving, taking): ([&[u32]; 2], [&[u32]; 2]) = match everywhere {
        true => ([&[1, 2, 4, 5, 6, 7], &[1, 2, 4, 5, 6, 7]], [&[1, 3, 4, 5], &[1, 3, 4, 5]]),
        false => ([&[1, 4, 6], &[2, 5]], [&[1, 5], &[3]]),
    };
    let at = |points: [&str; 2], nths: [&[u32]; 2]| -> Vec<String> {
        let pairs = points.into_iter().zip(nths);
        pairs.flat_map(|(point, nths)| nths.iter().map(move |nth| format!("{point}:{nth}"))).collect()
    };
    [at(["link.copying", "link.copied"], giving), at(["link.falling", "link.fallen"], taking)]
}

fn links_die_at_every_step(house: &House, [giving, taking]: [Vec<String>; 2]) {
    let killed = numbered("killed", giving.len());
    let receivers: Vec<String> = killed.iter().cloned().chain(["whole".into()]).collect();
    house.furnish(&["giver".into()], &numbered("An old crate has number ", 6));
    house
        .world
        .run(&[
            "--as",
            "agent",
            "--agent",
            "giver",
            "--set",
            "self_care.batch=10",
            "selfcare",
            "--what",
            "memories",
        ])
        .succeeds();
    let daemon = house.daemon(None);
    for number in 0..8 {
        let body = serde_json::json!({ "content": format!("Lighthouse {number} has a keeper") }).to_string();
        assert_eq!(daemon.post("/v1/agents/giver/memories", &body, None).unwrap().status, 200);
    }
    daemon.kill();
    house.furnish(&receivers, &["Bread needs salt".into(), "Lighthouse 3 has a keeper".into()]);
    house.rest(true);
    let asks = |daemon: &Victim, name: &str| {
        let asked = daemon.post(&format!("/v1/agents/{name}/links"), r#"{"target":"giver"}"#, None).unwrap();
        assert_eq!(asked.status, 200, "{}", asked.body);
        asked.body.split('"').find(|word| word.starts_with("lnk_")).unwrap().to_owned()
    };
    let answers = |daemon: &Victim, link: &str| {
        daemon.post(&format!("/v1/agents/giver/links/{link}/answer"), "{}", None).map(|answer| answer.status)
    };
    let revokes = |daemon: &Victim, link: &str| {
        daemon.post(&format!("/v1/agents/giver/links/{link}/revoke"), "{}", None).map(|answer| answer.status)
    };
    let own = house.shown("whole");
    let undisturbed = house.daemon(None);
    let link = asks(&undisturbed, "whole");
    assert_eq!(answers(&undisturbed, &link), Some(200));
    undisturbed.kill();
    let (whole, all) = (house.state("whole"), house.shown("whole"));
    assert_eq!((own.len(), all.len()), (2, 9), "{all:?}");
    let states = |name: &str| {
        house.ask(&format!(
            "SELECT state || CASE WHEN unfinished THEN ' and goes on' ELSE '' END FROM links
             WHERE agent_id = (SELECT id FROM agents WHERE name = '{name}')"
        ))
    };
    let mut given = Vec::new();
    for (name, fault) in killed.iter().zip(&giving) {
        let daemon = house.daemon(Some(fault));
        let link = asks(&daemon, name);
        assert_eq!(answers(&daemon, &link), None, "{fault}: nobody is told that it is done");
        assert_eq!(daemon.ended_by(), ABORTED, "{fault} was not reached");
        let (point, nth) = parts(fault);
        let steps = if point == "link.copied" { nth } else { nth - 1 };
        let (state, seen) = if steps < 6 { ("copying", &own) } else { ("accepted", &all) };
        assert_eq!(
            (states(name), &house.shown(name)),
            (vec![format!("{state} and goes on")], seen),
            "{fault}"
        );
        let items = [0, 4, 8, 12, 14][steps.min(4)];
        assert_eq!(house.count("link_items WHERE origin_id IS NOT NULL", name), items, "{fault}");
        given.push(link);
    }
    house.verify("cut short while it was given");
    let next = |until: &str| {
        house.rest(false);
        let daemon = house.daemon(None);
        wait_until("the duty went on with all of them", || {
            killed.iter().all(|name| states(name) == [until]).then_some(())
        });
        daemon.kill();
        house.rest(true);
    };
    next("accepted");
    for name in &killed {
        assert_eq!((house.state(name), &house.shown(name)), (whole.clone(), &all), "{name}");
    }
    let undisturbed = house.daemon(None);
    assert_eq!(revokes(&undisturbed, &link), Some(200));
    undisturbed.kill();
    let (whole, killed_again) = (house.state("whole"), taking.iter().zip(killed.iter().zip(&given)));
    for (fault, (name, link)) in killed_again {
        let daemon = house.daemon(Some(fault));
        assert_eq!(revokes(&daemon, link), None, "{fault}: nobody is told that it is done");
        assert_eq!(daemon.ended_by(), ABORTED, "{fault} was not reached");
        assert_eq!(house.shown(name), own, "{fault}: hidden at once");
        let (point, nth) = parts(fault);
        let steps = if point == "link.fallen" { nth } else { nth - 1 };
        let left = [14, 10, 6, 2, 0][steps.min(4)];
        assert_eq!(house.count("link_items WHERE origin_id IS NOT NULL", name), left, "{fault}");
    }
    house.verify("cut short while it was taken back");
    // Whom nobody disturbed, and who was not taken back at all yet.
    let daemon = house.daemon(None);
    for link in &given[taking.len()..] {
        assert_eq!(revokes(&daemon, link), Some(200));
    }
    daemon.kill();
    next("revoked");
    for name in &killed {
        assert_eq!((house.state(name), house.shown(name)), (whole.clone(), own.clone()), "{name}");
    }
    house.verify("in the end");
}

#[test]
fn sqlite_self_care_that_dies_is_never_half_done() {
    self_care_dies_at_every_batch(&House::sqlite());
}

#[test]
fn postgres_self_care_that_dies_is_never_half_done() {
    self_care_dies_at_every_batch(&House::postgres());
}

#[test]
fn sqlite_who_dies_over_a_text_hands_it_in_again() {
    who_dies_over_a_text_hands_it_in_again(&House::sqlite());
}

#[test]
fn postgres_who_dies_over_a_text_hands_it_in_again() {
    who_dies_over_a_text_hands_it_in_again(&House::postgres());
}

#[test]
fn sqlite_a_link_that_dies_is_never_half_done() {
    links_die_at_every_step(&House::sqlite(), deaths(true));
}

#[test]
fn postgres_a_link_that_dies_is_never_half_done() {
    // A server takes its time.
    links_die_at_every_step(&House::postgres(), deaths(false));
}

/// What the agent itself says at the terminal.
fn writer<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["--as", "agent", "--agent", "writer", "selfcare"], more].concat()
}

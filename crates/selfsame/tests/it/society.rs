//! A village of agents lives the same days from the same seed, everything that a society has happens in it, and no word of one
//! mind is in another's that was neither said aloud nor given. `examples/society.rs` is the village at its full size.

use selfsame::seal::hex;
use selfsame_testkit::society::cast::VILLAGE;
use selfsame_testkit::society::{Given, Lived, Plan, live};
use std::collections::BTreeSet;
use tempfile::TempDir;

const PLAN: Plan = Plan { seed: 4, agents: 5, days: 7 };

fn lived(plan: Plan, folder: &TempDir) -> Lived {
    live(plan, &folder.path().join("village"), &mut |_| {})
}

/// Whose memories somebody may have: of who gave them, and of those who let them be given on.
fn givers(given: &[Given], to: usize) -> BTreeSet<usize> {
    let mut found: BTreeSet<usize> =
        given.iter().filter(|link| link.to == to).map(|link| link.from).collect();
    loop {
        let onward = given.iter().filter(|link| link.onward && found.contains(&link.to) && link.from != to);
        let more: Vec<usize> = onward.map(|link| link.from).filter(|from| !found.contains(from)).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The rows of the dump that belong to somebody.
fn rows_of(life: &Lived, who: usize) -> String {
    let id = life.mind.require_agent(VILLAGE[who].name).unwrap().id;
    let whose = hex(&id.id().bytes());
    life.dump.lines().filter(|line| line.starts_with(&whose)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_village_lives_the_same_days_twice_and_keeps_its_secrets() {
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let (life, again) = (lived(PLAN, &folders[0]), lived(PLAN, &folders[1]));
    assert_eq!(life.chronicle, again.chronicle, "the same seed tells the same story");
    let other = again.dump.lines().collect::<BTreeSet<_>>();
    let differing = life.dump.lines().find(|line| !other.contains(line));
    assert_eq!(differing, None, "the same seed leaves the same state");
    assert_eq!(life.trace, again.trace);
    println!("{}", life.chronicle);

    // Everything happens, or the rest says little.
    let counts = &life.counts;
    assert_eq!(
        (counts.soul, counts.diary),
        (2 * PLAN.agents, PLAN.agents * PLAN.days as usize),
        "{counts:?}"
    );
    assert!(counts.meetings > 20 && counts.quarrels > 0 && counts.relationships > 40, "{counts:?}");
    assert!(counts.occurrences > 15 && counts.ticks > 300, "{counts:?}");
    assert!(counts.reminders > 10 && counts.nudges > counts.reminders && counts.answered > 5, "{counts:?}");
    assert!(counts.episodes > 50 && counts.lessons > 3 && counts.beliefs > 0, "{counts:?}");
    assert!(counts.summaries > 5 && counts.folded_memories > 50 && counts.folded_messages > 0, "{counts:?}");
    assert!(counts.links > 0 && counts.revoked > 0 && counts.declined + counts.expired > 0, "{counts:?}");
    assert_eq!(counts.links, life.given.len());

    // What nobody is told, nobody has; what is not said aloud, only those have to whom it was given.
    assert_eq!(life.crossed, [""; 0]);
    for (who, holder) in VILLAGE[..PLAN.agents].iter().enumerate() {
        let (rows, may_have) = (rows_of(&life, who), givers(&life.given, who));
        for (other, villager) in VILLAGE[..PLAN.agents].iter().enumerate() {
            let own = who == other;
            assert_eq!(rows.contains(villager.secret), own, "{} of {}", holder.name, villager.name);
            let has = rows.contains(villager.keepsake);
            let direct = life.given.iter().any(|link| (link.from, link.to) == (other, who));
            assert!(!has || own || may_have.contains(&other), "{} has of {}", holder.name, villager.name);
            assert!(has || !(own || direct), "{} lacks of {}", holder.name, villager.name);
        }
    }

    // How they stand to each other is what they made of their meetings.
    for (&(who, whom), trust) in &life.trust {
        let access = life.mind.access(VILLAGE[who].name, selfsame::Speaker::Operator).unwrap();
        let card = access.relationship_show(VILLAGE[whom].name).unwrap();
        assert_eq!(card.related.relationship.standing.trust, *trust);
    }
    assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
}

#[test]
fn another_seed_is_another_story() {
    let days = |seed| lived(Plan { seed, agents: 4, days: 1 }, &TempDir::new().unwrap());
    let (one, other) = (days(1), days(2));
    assert_ne!(one.chronicle, other.chronicle);
    assert_ne!(one.trace, other.trace);
}

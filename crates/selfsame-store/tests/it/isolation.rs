//! One agent's rows are not another's: not through the waist, and on PostgreSQL not past it either.

use crate::any_rows::{ONE, OTHER, fill};
use crate::rows::{self, furnished, key, memory, operator, stranger};
use selfsame_core::id::AgentId;
use selfsame_store::tables::{TABLES, Table};
use selfsame_store::{StoreError, entities, memory as memories, migrate, principals};
use selfsame_testkit::{Bench, Raw, both_engines};

both_engines! {
    fn a_transaction_of_one_agent_cannot_touch_another(bench: Bench) {
        let (one, _) = furnished(&bench, "one");
        let (other, theirs) = furnished(&bench, "other");
        let outside = |result: Result<(), StoreError>| match result {
            Err(StoreError::OutsideAgent(agent)) => assert_eq!(agent, other.id),
            unexpected => panic!("{unexpected:?}"),
        };
        let caller = operator(&one);
        outside(bench.store().read(&caller, &[one.id], |r| memories::by_id(r, other.id, theirs).map(drop)));
        outside(bench.store().read(&caller, &[one.id], |r| principals::all(r, other.id).map(drop)));
        outside(bench.store().system(|r| memories::count(r, other.id).map(drop)));
        let intruder = memory(&bench, &other, "planted");
        outside(bench.store().write(&caller, &[one.id], None, |w| rows::insert(w, &intruder)));
        outside(bench.store().write(&caller, &[one.id], None, |w| memories::delete(w, other.id, theirs).map(drop)));
        assert_eq!(rows::count(bench.store(), &other), 1);
    }

    fn a_failed_touch_undoes_the_rest(bench: Bench) {
        let (one, other) = (bench.agent("one"), bench.agent("other"));
        let (own, foreign) = (memory(&bench, &one, "own"), memory(&bench, &other, "foreign"));
        let written = bench.store().write(&operator(&one), &[one.id], None, |writer| {
            rows::insert(writer, &own)?;
            rows::insert(writer, &foreign)
        });
        assert!(matches!(written, Err(StoreError::OutsideAgent(_))));
        assert_eq!(rows::count(bench.store(), &one), 0);
    }

    fn a_transaction_of_both_touches_both(bench: Bench) {
        let (one, other) = (bench.agent("one"), bench.agent("other"));
        let (first, second) = (memory(&bench, &one, "first"), memory(&bench, &other, "second"));
        let written = bench.store().write(&operator(&one), &[other.id, one.id], None, |writer| {
            rows::insert(writer, &first)?;
            rows::insert(writer, &second)
        });
        written.unwrap();
        assert_eq!((rows::count(bench.store(), &one), rows::count(bench.store(), &other)), (1, 1));
    }

    fn an_unknown_agent_has_nothing(bench: Bench) {
        furnished(&bench, "main");
        let unknown = stranger(&bench);
        let found = bench.store().read(&selfsame_core::trust::Caller::agent(None), &[unknown], |reader| {
            Ok((memories::count(reader, unknown)?, principals::all(reader, unknown)?.len()))
        });
        assert_eq!(found.unwrap(), (0, 0));
    }

    /// Two agents may choose the same key: what one did is neither told to the other nor kept from it.
    fn a_key_of_one_agent_is_not_the_others(bench: Bench) {
        let (one, other) = (bench.agent("one"), bench.agent("other"));
        let caller = selfsame_core::trust::Caller::agent(None);
        for agent in [&one, &other] {
            let memory = memory(&bench, agent, "once each");
            let written = bench.store().write(&caller, &[agent.id], Some(&key("same", 1)), |w| rows::insert(w, &memory));
            written.unwrap_or_else(|error| panic!("{}: {error}", agent.name));
        }
        assert_eq!((rows::count(bench.store(), &one), rows::count(bench.store(), &other)), (1, 1));
    }

    fn an_entity_is_known_to_its_agent_only(bench: Bench) {
        let (one, other) = (bench.agent("one"), bench.agent("other"));
        let theirs = bench.mind().agent_card("other").unwrap().principals[0].entity;
        let knows = |agent: &selfsame_store::agents::Agent| {
            bench.store().read(&operator(agent), &[agent.id], |reader| entities::exists(reader, agent.id, theirs))
        };
        assert!(!knows(&one).unwrap());
        assert!(knows(&other).unwrap());
    }
}

/// The tables with agents' rows, each with the name of its agent column.
fn tables_of_agents() -> impl Iterator<Item = (&'static Table, &'static str)> {
    TABLES.iter().filter_map(|table| Some((table, table.agent_column?)))
}

fn count(raw: &mut Raw, table: &Table, filter: &str) -> i64 {
    raw.number(&format!("SELECT COUNT(*) FROM {}{filter}", table.name))
}

struct Two {
    bench: Bench,
    one: AgentId,
    other: AgentId,
}

/// Two agents with rows in every table: an empty answer then means a wall and not an empty room.
fn two_furnished() -> Two {
    let bench = Bench::postgres();
    for one in [ONE, OTHER] {
        fill(&bench, migrate::latest(), one);
    }
    bench.owner().run("UPDATE erasures SET open = FALSE").unwrap();
    let (one, other) = (AgentId::of(ONE), AgentId::of(OTHER));
    let mut owner = bench.owner();
    for (table, column) in tables_of_agents() {
        for agent in [one, other] {
            let own = count(&mut owner, table, &format!(" WHERE {column} = {}", bench.id(agent.id())));
            assert!(own > 0, "{} has no row of {agent}", table.name);
        }
    }
    Two { bench, one, other }
}

#[test]
fn postgres_plain_sql_sees_only_the_agents_that_were_set() {
    let Two { bench, one, other } = two_furnished();
    let mut owner = bench.owner();
    let mut raw = bench.application();
    raw.run(&bench.begin(&[one])).unwrap();
    for (table, column) in tables_of_agents() {
        let own = format!(" WHERE {column} = {}", bench.id(one.id()));
        let foreign = format!(" WHERE {column} = {}", bench.id(other.id()));
        assert_eq!(count(&mut raw, table, ""), count(&mut owner, table, &own), "{}", table.name);
        assert_eq!(count(&mut raw, table, &foreign), 0, "{}", table.name);
    }
}

#[test]
fn postgres_plain_sql_sees_nothing_when_no_agent_was_set() {
    let Two { bench, .. } = two_furnished();
    for setting in ["", "SET selfsame.agents = ''"] {
        let mut raw = bench.application();
        raw.run(setting).unwrap();
        for (table, _) in tables_of_agents() {
            assert_eq!(count(&mut raw, table, ""), 0, "{} with {setting:?}", table.name);
        }
    }
}

#[test]
fn postgres_plain_sql_changes_nothing_of_another_agent() {
    let Two { bench, one, other } = two_furnished();
    let mut owner = bench.owner();
    for (table, column) in tables_of_agents() {
        let foreign = format!(" WHERE {column} = {}", bench.id(other.id()));
        let before = count(&mut owner, table, &foreign);
        let touched =
            bench.execute_raw(&[one], &format!("UPDATE {} SET {column} = {column}{foreign}", table.name));
        assert_eq!(touched, Ok(0), "{}", table.name);
        let deleted = bench.execute_raw(&[one], &format!("DELETE FROM {}{foreign}", table.name));
        assert_eq!(deleted, Ok(0), "{}", table.name);
        let planted = format!("INSERT INTO {name} SELECT * FROM {name}{foreign}", name = table.name);
        assert_eq!(bench.execute_raw(&[one], &planted), Ok(0), "{}", table.name);
        assert_eq!(count(&mut owner, table, &foreign), before, "{}", table.name);
    }
}

#[test]
fn postgres_plain_sql_cannot_plant_a_row_with_another_agent() {
    let Two { bench, one, other } = two_furnished();
    let planted = format!(
        "INSERT INTO term_stats (agent_id, kind, term, df, added) VALUES ({}, 'memory', 'planted', 1, 1)",
        bench.id(other.id())
    );
    let refused = bench.execute_raw(&[one], &planted).unwrap_err();
    assert!(refused.contains("row-level security"), "{refused}");
    let given_away = format!("UPDATE corpus_stats SET agent_id = {}", bench.id(other.id()));
    let refused = bench.execute_raw(&[one], &given_away).unwrap_err();
    assert!(refused.contains("row-level security"), "{refused}");
}

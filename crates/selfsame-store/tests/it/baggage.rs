//! Every table leaves as lines, or is said to stay behind; and lines are the same whichever engine they came from.

use crate::any_rows::{ONE, columns, fill};
use selfsame_core::id::AgentId;
use selfsame_core::trust::Caller;
use selfsame_store::baggage::{self, CARRIED, LEFT_OUT};
use selfsame_store::tables::{TABLES, Table};
use selfsame_store::{Engine, Store, StoreError, migrate, schema};
use selfsame_testkit::{Bench, both_engines};

fn lines(store: &Store, table: &'static Table) -> Vec<String> {
    let agent = AgentId::of(ONE);
    let mut lines = Vec::new();
    store
        .read(&Caller::agent(None), &[agent], |reader| {
            lines.clear();
            baggage::lines_of(reader, table, Some(agent), &mut |line| {
                lines.push(line.to_owned());
                Ok(())
            })
        })
        .unwrap();
    lines
}

fn put(store: &Store, table: &'static Table, lines: &[String]) -> Result<(), StoreError> {
    let agent = AgentId::of(ONE);
    store.write(&Caller::agent(None), &[agent], None, |writer| {
        baggage::put_lines(writer, table, schema::present(), agent, lines)
    })
}

fn other(bench: &Bench) -> Bench {
    match bench.engine() {
        Engine::Sqlite => Bench::postgres(),
        Engine::Postgres => Bench::sqlite(),
    }
}

#[test]
fn every_table_is_carried_or_left_out_with_a_reason() {
    for table in TABLES {
        let carried = CARRIED.iter().filter(|name| **name == table.name).count();
        let left = LEFT_OUT.iter().filter(|(name, _)| *name == table.name).count();
        assert_eq!(carried + left, 1, "{}: say in baggage.rs whether an archive carries it", table.name);
        // What is carried is somebody's: the house's own rows stay.
        assert!(carried == 0 || baggage::owner_of(table).is_some(), "{}", table.name);
    }
    let known = |name: &&str| TABLES.iter().any(|table| table.name == *name);
    assert!(CARRIED.iter().all(known));
    assert!(LEFT_OUT.iter().all(|(name, why)| known(name) && !why.is_empty()));
}

both_engines! {
    fn the_migrations_say_what_every_column_holds(bench: Bench) {
        bench.mind();
        for table in TABLES {
            let there = columns(&bench, table);
            let said = &schema::present()[table.name];
            let names = |column: &schema::Column| column.name.clone();
            assert_eq!(there.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(),
                said.iter().map(names).collect::<Vec<_>>(), "{}", table.name);
            for ((name, words), column) in there.iter().zip(said) {
                assert!(words.contains(&column.sort.word()), "{}.{name}: {words:?}", table.name);
            }
        }
    }

    fn rows_of_every_table_are_the_same_lines_in_the_other_engine(bench: Bench) {
        bench.mind();
        fill(&bench, migrate::latest(), ONE);
        let (from, other) = (bench.mind().store(), other(&bench));
        let to = other.mind().store();
        for table in baggage::carried() {
            let packed = lines(from, table);
            assert_eq!(packed.len(), 1, "{}", table.name);
            assert!(!packed[0].contains("\"agent_id\""), "{}", packed[0]);
            put(to, table, &packed).unwrap();
            assert_eq!(lines(to, table), packed, "{}", table.name);
        }
    }

    fn a_line_with_a_column_too_many_or_too_few_is_refused(bench: Bench) {
        bench.mind();
        fill(&bench, migrate::latest(), ONE);
        let from = bench.mind().store();
        let (empty, table) = (other(&bench), TABLES.iter().find(|table| table.name == "agents").unwrap());
        let line = lines(from, table).remove(0);
        let to = empty.mind().store();
        let spoiled = [
            line.replacen('{', "{\"agent_id\":\"06060606060606060606060606060606\",", 1),
            line.replacen("\"name\":", "\"surname\":", 1),
            line.replacen("\"family\":true", "\"family\":\"yes\"", 1),
            format!("[{line}]"),
            "{".into(),
        ];
        for line in spoiled {
            assert!(matches!(put(to, table, std::slice::from_ref(&line)), Err(StoreError::BadValue(_))), "{line}");
        }
        assert_eq!(lines(to, table), Vec::<String>::new());
    }
}

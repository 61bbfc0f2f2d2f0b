//! What may not change does not change and what may not go does not go, whoever asks and however plainly.

use crate::any_rows::{ONE, another_value, columns, fill};
use crate::rows::furnished;
use selfsame_core::id::AgentId;
use selfsame_store::tables::{TABLES, Table};
use selfsame_store::{Engine, migrate};
use selfsame_testkit::{Bench, both_engines};
use std::collections::{BTreeMap, BTreeSet};

/// A mind with one row in every table, its one erasure closed again.
fn filled(bench: &Bench) -> AgentId {
    bench.mind();
    fill(bench, migrate::latest(), ONE);
    bench.owner().run("UPDATE erasures SET open = FALSE").unwrap();
    AgentId::of(ONE)
}

/// The columns of a table that may not change, each with another value that would fit it.
fn attacks(bench: &Bench, table: &Table) -> Vec<(&'static str, String)> {
    let columns: BTreeMap<String, _> = columns(bench, table).into_iter().collect();
    let attack = |column: &'static str| (column, another_value(bench, table.name, column, &columns[column]));
    table.guard.immutable_at(migrate::latest()).map(attack).collect()
}

fn open_erasure(bench: &Bench, agent: AgentId) -> String {
    let at = match bench.engine() {
        Engine::Sqlite => "1",
        Engine::Postgres => "'2001-01-01T00:00:00Z'",
    };
    format!(
        "INSERT INTO erasures (agent_id, id, reason, erased, at, open) VALUES ({}, {}, 'a test', 0, {at}, TRUE)",
        bench.id(agent.id()),
        bench.id(bench.fresh_id())
    )
}

both_engines! {
    fn an_immutable_column_does_not_change(bench: Bench) {
        let agent = filled(&bench);
        let mut tried = 0;
        for table in TABLES {
            for (column, value) in attacks(&bench, table) {
                let sql = format!("UPDATE {} SET {column} = {value}", table.name);
                let refused = bench.execute_raw(&[agent], &sql).unwrap_err();
                let expected = format!("a row of {} may not be changed", table.name);
                assert!(refused.contains(&expected), "{}.{column}: {refused}", table.name);
                tried += 1;
            }
        }
        assert!(tried > 100, "{tried} columns");
    }

    fn a_column_that_is_filled_once_stays_what_it_is(bench: Bench) {
        let agent = filled(&bench);
        let mut tried = 0;
        for table in TABLES {
            let columns: BTreeMap<String, _> = columns(&bench, table).into_iter().collect();
            for column in table.guard.once_at(migrate::latest()) {
                let another = another_value(&bench, table.name, column, &columns[column]);
                for value in [another.as_str(), "NULL"] {
                    let sql = format!("UPDATE {} SET {column} = {value}", table.name);
                    let refused = bench.execute_raw(&[agent], &sql).unwrap_err();
                    assert!(refused.contains("may not be changed again"), "{}.{column}: {refused}", table.name);
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 14);
    }

    /// A new column is immutable unless it is named here as one that may change.
    fn all_of_a_memory_is_immutable_but_what_is_named(bench: Bench) {
        const MAY_CHANGE: [&str; 18] = [
            "analyser", "archive_at", "fades_at", "gist_hash", "last_recalled_at", "next_state_at", "pinned",
            "recall_count",
            "replaced_by", "stability", "stale_at", "state", "summarized_into", "tokens", "touched_at",
            "updated_at", "words_hash", "worked_at",
        ];
        bench.mind();
        let columns = bench.owner().texts(match bench.engine() {
            Engine::Sqlite => "SELECT name FROM pragma_table_info('memory_items')",
            Engine::Postgres => {
                "SELECT column_name FROM information_schema.columns
                 WHERE table_schema = 'selfsame' AND table_name = 'memory_items'"
            }
        });
        let fixed: BTreeSet<&str> = columns.iter().map(String::as_str).filter(|name| !MAY_CHANGE.contains(name)).collect();
        let table = TABLES.iter().find(|table| table.name == "memory_items").unwrap();
        assert_eq!(fixed, table.guard.immutable_at(migrate::latest()).collect());
    }

    fn a_column_that_may_change_does(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        let sql = "UPDATE memory_items SET state = 'archived', pinned = TRUE";
        assert_eq!(bench.execute_raw(&[agent.id], sql), Ok(1));
    }

    fn a_row_that_is_kept_is_not_deleted(bench: Bench) {
        let agent = filled(&bench);
        let kept: Vec<_> = TABLES.iter().filter(|table| table.guard.keep_rows).collect();
        assert!(kept.len() > 10);
        for table in kept {
            let refused = bench.execute_raw(&[agent], &format!("DELETE FROM {}", table.name)).unwrap_err();
            assert!(refused.contains(&format!("a row of {} may not be deleted", table.name)), "{refused}");
        }
    }

    fn replacing_a_row_is_no_way_around(bench: Bench) {
        let (agent, memory) = furnished(&bench, "main");
        let sql = format!(
            "INSERT INTO memory_items SELECT * FROM memory_items WHERE id = {} \
             ON CONFLICT (agent_id, id) DO UPDATE SET content = 'the moon is made of rust'",
            bench.id(memory.id())
        );
        let refused = bench.execute_raw(&[agent.id], &sql).unwrap_err();
        assert!(refused.contains("may not be changed"), "{refused}");
    }

    fn an_open_erasure_lets_rows_change(bench: Bench) {
        let agent = filled(&bench);
        for table in TABLES.iter().filter(|table| table.agent_column.is_some()) {
            // What refers or is referred to would break a reference; everything else stands alone.
            for (column, value) in attacks(&bench, table).iter().filter(|(column, _)| !column.ends_with("id")) {
                let mut raw = bench.application();
                raw.run(&bench.begin(&[agent])).unwrap();
                raw.run(&open_erasure(&bench, agent)).unwrap();
                let changed = raw.run(&format!("UPDATE {} SET {column} = {value}", table.name));
                assert_eq!(changed, Ok(1), "{}.{column}", table.name);
                raw.run("ROLLBACK").unwrap();
            }
        }
    }

    fn an_open_erasure_lets_rows_go(bench: Bench) {
        let agent = filled(&bench);
        let mut raw = bench.application();
        raw.run(&bench.begin(&[agent])).unwrap();
        raw.run("DELETE FROM tombstones").unwrap();
        raw.run(&open_erasure(&bench, agent)).unwrap();
        // What is listed later refers to what is listed earlier.
        for table in TABLES.iter().rev().filter(|table| table.since > 1 || table.guard.keep_rows) {
            let rows = raw.run(&format!("DELETE FROM {}", table.name));
            assert!(rows.is_ok(), "{}: {rows:?}", table.name);
            if table.guard.keep_rows {
                assert_eq!(rows, Ok(1), "{}", table.name);
            }
        }
        raw.run("ROLLBACK").unwrap();
    }

    fn the_erasure_of_one_agent_opens_no_other(bench: Bench) {
        let (one, _) = furnished(&bench, "one");
        let (other, _) = furnished(&bench, "other");
        let mut raw = bench.application();
        raw.run(&bench.begin(&[one.id, other.id])).unwrap();
        raw.run(&open_erasure(&bench, one.id)).unwrap();
        let of_other = format!("DELETE FROM memory_items WHERE agent_id = {}", bench.id(other.id.id()));
        assert!(raw.run(&of_other).unwrap_err().contains("may not be deleted"));
        raw.run("ROLLBACK").unwrap();
    }

    fn an_erasure_that_was_left_open_is_found(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        bench.execute_raw(&[agent.id], &open_erasure(&bench, agent.id)).unwrap();
        let problems = bench.mind().verify().unwrap().problems;
        assert_eq!(
            problems,
            ["agent main: an erasure was left open: the guards of this agent's rows stand aside"]
        );
    }
}

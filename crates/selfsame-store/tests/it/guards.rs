//! What may not change does not change and what may not go does not go, whoever asks and however plainly.

use crate::rows::furnished;
use selfsame_core::id::AgentId;
use selfsame_store::Engine;
use selfsame_store::tables::TABLES;
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeSet;

/// Another value of the same type, as SQL writes it.
fn another_value(bench: &Bench, column: &str) -> String {
    match column {
        "agent_id" | "id" | "subject_id" => bench.id(bench.fresh_id()),
        "seq" => "seq + 100".into(),
        "actor" | "act" | "subject_kind" => "'other'".into(),
        "entity_id" | "principal_id" => "NULL".into(),
        "source_ref" => "'elsewhere'".into(),
        "memory_type" => "'skill'".into(),
        "author" => "'system'".into(),
        "content" => "'the moon is made of rust'".into(),
        "importance" | "trust" => "0.125".into(),
        "tags" => "'[\"other\"]'".into(),
        "private" => "NOT private".into(),
        "expires_at" | "created_at" | "at" => match bench.engine() {
            Engine::Sqlite => "1".into(),
            Engine::Postgres => "'2001-01-01T00:00:00Z'".into(),
        },
        "content_hash" | "row_hash" | "hash" => match bench.engine() {
            Engine::Sqlite => "x'00'".into(),
            Engine::Postgres => "'\\x00'".into(),
        },
        other => panic!("say here what else {other} could be"),
    }
}

fn open_erasure(bench: &Bench, agent: AgentId) -> String {
    let at = another_value(bench, "created_at");
    format!(
        "INSERT INTO erasures (agent_id, id, reason, erased, at, open) VALUES ({}, {}, 'a test', 0, {at}, TRUE)",
        bench.id(agent.id()),
        bench.id(bench.fresh_id())
    )
}

/// How many rows a table has.
fn count(bench: &Bench, table: &str) -> u64 {
    let rows = bench.owner().number(&format!("SELECT COUNT(*) FROM {table}"));
    u64::try_from(rows).unwrap()
}

both_engines! {
    fn an_immutable_column_does_not_change(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        for table in TABLES {
            for column in table.guard.immutable {
                // entity_id and expires_at are NULL in this row: there the attack is to set them.
                let value = match *column {
                    "entity_id" => bench.id(bench.fresh_id()),
                    column => another_value(&bench, column),
                };
                let sql = format!("UPDATE {} SET {column} = {value}", table.name);
                let refused = bench.execute_raw(&[agent.id], &sql).unwrap_err();
                let expected = format!("a row of {} may not be changed", table.name);
                assert!(refused.contains(&expected), "{}.{column}: {refused}", table.name);
            }
        }
    }

    /// A new column is immutable unless it is named here as one that may change.
    fn all_of_a_memory_is_immutable_but_what_is_named(bench: Bench) {
        const MAY_CHANGE: [&str; 4] = ["analyser", "pinned", "state", "updated_at"];
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
        assert_eq!(fixed, table.guard.immutable.iter().copied().collect());
    }

    fn a_column_that_may_change_does(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        let sql = "UPDATE memory_items SET state = 'archived', pinned = TRUE";
        assert_eq!(bench.execute_raw(&[agent.id], sql), Ok(1));
    }

    fn a_row_that_is_kept_is_not_deleted(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        let kept: Vec<_> = TABLES.iter().filter(|table| table.guard.keep_rows).collect();
        assert!(!kept.is_empty());
        for table in kept {
            let refused = bench.execute_raw(&[agent.id], &format!("DELETE FROM {}", table.name)).unwrap_err();
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

    fn an_open_erasure_lets_rows_change_and_go(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        for table in TABLES {
            let Some(_) = table.agent_column else { continue };
            let all = count(&bench, table.name);
            // The agent's own column would break the row's references; everything else stands alone.
            for column in table.guard.immutable.iter().filter(|column| **column != "agent_id") {
                let mut raw = bench.application();
                raw.run(&bench.begin(&[agent.id])).unwrap();
                raw.run(&open_erasure(&bench, agent.id)).unwrap();
                let value = another_value(&bench, column);
                let changed = raw.run(&format!("UPDATE {} SET {column} = {value}", table.name));
                assert_eq!(changed, Ok(all), "{}.{column}", table.name);
                raw.run("ROLLBACK").unwrap();
            }
            if table.guard.keep_rows {
                let mut raw = bench.application();
                raw.run(&bench.begin(&[agent.id])).unwrap();
                raw.run(&open_erasure(&bench, agent.id)).unwrap();
                assert_eq!(raw.run(&format!("DELETE FROM {}", table.name)), Ok(all), "{}", table.name);
                raw.run("ROLLBACK").unwrap();
            }
        }
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

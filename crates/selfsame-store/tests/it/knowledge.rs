//! The hard rules of knowledge, attacked with plain SQL: the schema itself refuses, whoever asks.

use crate::any_rows::{ONE, fill};
use selfsame_core::id::AgentId;
use selfsame_store::{Engine, migrate};
use selfsame_testkit::{Bench, both_engines};

/// A mind with one row in every table, its one erasure closed again.
fn filled(bench: &Bench) -> AgentId {
    bench.mind();
    fill(bench, migrate::latest(), ONE);
    bench.owner().run("UPDATE erasures SET open = FALSE").unwrap();
    AgentId::of(ONE)
}

fn at(bench: &Bench) -> &'static str {
    match bench.engine() {
        Engine::Sqlite => "1",
        Engine::Postgres => "'2001-01-01T00:00:00Z'",
    }
}

fn bytes(bench: &Bench) -> &'static str {
    match bench.engine() {
        Engine::Sqlite => "x'01'",
        Engine::Postgres => "'\\x01'",
    }
}

/// A piece of evidence that names these rows.
fn evidence(bench: &Bench, named: &[(&str, String)]) -> String {
    let id = bench.id(bench.fresh_id());
    let (agent, at, bytes) = (bench.id(ONE), at(bench), bytes(bench));
    let names: String = named.iter().map(|(column, _)| format!(", {column}")).collect();
    let ids: String = named.iter().map(|(_, id)| format!(", {id}")).collect();
    format!(
        "INSERT INTO observation_evidence (agent_id, observation_id, id, stance, weight, origins, confirms, excerpt,
            source_created_at, created_at{names})
         VALUES ({agent}, {agent}, {id}, 'support', 1.0, {bytes}, FALSE, 'words', {at}, {at}{ids})"
    )
}

/// Another observation with the key of the one that is there.
fn observation(bench: &Bench, status: &str, supersedes: &str) -> String {
    let id = bench.id(bench.fresh_id());
    let (agent, at, bytes) = (bench.id(ONE), at(bench), bytes(bench));
    format!(
        "INSERT INTO knowledge_observations (agent_id, id, kind, subject_type, subject_id, canonical_key, value, summary,
            tags, supersedes_observation_id, created_at, status, confidence, confidence_components, freshness,
            support_count, contradiction_weight, operator_confirmed, updated_at, author, private, trust, row_hash)
         SELECT {agent}, {id}, kind, subject_type, subject_id, canonical_key, 'another', summary, tags, {supersedes}, {at},
            '{status}', 0.5, confidence_components, 0.5, 1, 0.0, FALSE, {at}, 'system', FALSE, 0.5, {bytes}
         FROM knowledge_observations WHERE id = {agent}"
    )
}

both_engines! {
    /// Rules 1 and 2: exactly one of four, and it is there; there is no column for another observation.
    fn evidence_names_exactly_one_row_of_the_four_substrates(bench: Bench) {
        let agent = filled(&bench);
        let one = bench.id(ONE);
        for column in ["memory_id", "lesson_id", "reflection_id", "entity_id"] {
            let sql = evidence(&bench, &[(column, one.clone())]);
            assert_eq!(bench.execute_raw(&[agent], &sql), Ok(1), "{column}");
            let nothing = bench.id(bench.fresh_id());
            let refused = bench.execute_raw(&[agent], &evidence(&bench, &[(column, nothing)]));
            assert!(refused.unwrap_err().to_lowercase().contains("foreign key"), "{column} names nothing");
        }
        let both = [("memory_id", one.clone()), ("entity_id", one)];
        for named in [&[][..], &both[..]] {
            let refused = bench.execute_raw(&[agent], &evidence(&bench, named)).unwrap_err();
            assert!(refused.to_lowercase().contains("check"), "{}: {refused}", named.len());
        }
        let columns = bench.owner().texts(match bench.engine() {
            Engine::Sqlite => "SELECT name FROM pragma_table_info('observation_evidence')",
            Engine::Postgres => {
                "SELECT column_name FROM information_schema.columns
                 WHERE table_schema = 'selfsame' AND table_name = 'observation_evidence'"
            }
        });
        let ids: Vec<&String> = columns.iter().filter(|name| name.ends_with("_id")).collect();
        // Whose it is, what it is evidence of, and the four.
        assert_eq!(ids.len(), 6, "{ids:?}");
    }

    /// Rules 3 and 4: the chain leads to observations that are there, and is made for good.
    fn an_observation_names_another_only_as_what_it_took_the_place_of(bench: Bench) {
        let agent = filled(&bench);
        let nothing = bench.id(bench.fresh_id());
        let refused = bench.execute_raw(&[agent], &observation(&bench, "superseded", &nothing)).unwrap_err();
        assert!(refused.to_lowercase().contains("foreign key"), "{refused}");
        assert_eq!(bench.execute_raw(&[agent], &observation(&bench, "superseded", &bench.id(ONE))), Ok(1));
        for column in ["kind", "canonical_key", "subject_id", "value", "summary", "supersedes_observation_id"] {
            let sql = format!("UPDATE knowledge_observations SET {column} = NULL WHERE id = {}", bench.id(ONE));
            let refused = bench.execute_raw(&[agent], &sql).unwrap_err();
            assert!(refused.contains("may not be changed"), "{column}: {refused}");
        }
    }

    /// Rule 9: at most one of them is active.
    fn a_question_has_one_active_answer(bench: Bench) {
        let agent = filled(&bench);
        let refused = bench.execute_raw(&[agent], &observation(&bench, "active", "NULL")).unwrap_err();
        assert!(refused.to_lowercase().contains("unique"), "{refused}");
        for status in ["stale", "superseded", "invalidated"] {
            assert_eq!(bench.execute_raw(&[agent], &observation(&bench, status, "NULL")), Ok(1), "{status}");
        }
        let second = "UPDATE knowledge_observations SET status = 'active'";
        assert!(bench.execute_raw(&[agent], second).unwrap_err().to_lowercase().contains("unique"));
    }

    /// Rules 5 and 6: evidence stays, and so does what it names.
    fn evidence_stays_and_so_does_what_it_names(bench: Bench) {
        let agent = filled(&bench);
        for sql in [
            "DELETE FROM observation_evidence",
            "DELETE FROM observation_events",
            "DELETE FROM knowledge_observations",
            "DELETE FROM memory_items",
        ] {
            let refused = bench.execute_raw(&[agent], sql).unwrap_err();
            assert!(refused.contains("may not be deleted"), "{sql}: {refused}");
        }
        for (column, value) in [("stance", "'support'"), ("stance", "'contradict'"), ("weight", "0.1"), ("excerpt", "'x'")] {
            let sql = format!("UPDATE observation_evidence SET {column} = {value}");
            // What it is already may be said again.
            match bench.execute_raw(&[agent], &sql) {
                Ok(_) => assert_eq!((column, value), ("stance", "'support'")),
                Err(refused) => assert!(refused.contains("may not be changed"), "{refused}"),
            }
        }
    }

    /// Rule 4: a thinker's words are written once.
    fn a_phrasing_is_written_once(bench: Bench) {
        let agent = filled(&bench);
        let again = "UPDATE knowledge_observations SET phrasing = 'better words'";
        assert!(bench.execute_raw(&[agent], again).unwrap_err().contains("may not be changed again"));
    }
}

//! Where the two engines are known to differ: each difference once found, now a test.

use crate::rows::{self, memory, operator};
use selfsame_core::id::{AgentId, EntityId, KeyId, MemoryId};
use selfsame_core::memory::Memory;
use selfsame_core::memory::sameness::Prints;
use selfsame_store::agents::{self, Agent};
use selfsame_store::keys::{self, Key};
use selfsame_store::{StoreError, entities, memory as memories};
use selfsame_testkit::selfsame::Engine;
use selfsame_testkit::{Bench, both_engines};

fn read_back(bench: &Bench, agent: &Agent, id: MemoryId) -> Memory {
    bench
        .store()
        .read(&operator(agent), &[agent.id], |reader| memories::by_id(reader, agent.id, id))
        .unwrap()
        .unwrap()
}

fn refused_as_a_value(result: Result<(), StoreError>) -> String {
    match result {
        Err(StoreError::BadValue(message)) => message,
        other => panic!("it should have been refused before the database saw it: {other:?}"),
    }
}

fn key_of_nobody(bench: &Bench) -> Key {
    Key {
        id: KeyId::of(bench.fresh_id()),
        name: "a key".into(),
        agent: None,
        principal: None,
        speaks_as: "operator".into(),
        scopes: "read".into(),
        secret_hash: vec![1; 32],
        created_at: bench.mind().now(),
        revoked_at: None,
    }
}

both_engines! {
    /// SQLite numbers `$2` by where it stands: "SET revoked_at = $2 WHERE id = $1" would revoke nothing.
    fn the_second_parameter_may_stand_first(bench: Bench) {
        let (one, other) = (key_of_nobody(&bench), key_of_nobody(&bench));
        let now = bench.mind().now();
        let revoked = bench.store().system_write(|writer| {
            keys::insert(writer, &one)?;
            keys::insert(writer, &other)?;
            keys::revoke(writer, one.id, now)
        });
        assert!(revoked.unwrap());
        let stored = bench.store().system(keys::all).unwrap();
        assert_eq!(stored.iter().find(|key| key.id == one.id).unwrap().revoked_at, Some(now));
        assert_eq!(stored.iter().find(|key| key.id == other.id).unwrap().revoked_at, None);
    }

    fn a_nullable_parameter_may_be_null(bench: Bench) {
        let key = key_of_nobody(&bench);
        bench.store().system_write(|writer| keys::insert(writer, &key)).unwrap();
        assert_eq!(bench.store().system(|reader| keys::by_id(reader, key.id)).unwrap(), Some(key));
    }

    fn what_is_no_number_is_refused(bench: Bench) {
        let agent = bench.agent("main");
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut memory = memory(&bench, &agent, "a number");
            memory.importance = number;
            let message = refused_as_a_value(rows::store(bench.store(), &agent, &memory));
            assert!(message.ends_with("is not a number that can be stored"), "{message}");
        }
        assert_eq!(rows::count(bench.store(), &agent), 0);
    }

    fn both_zeroes_are_one(bench: Bench) {
        let agent = bench.agent("main");
        let mut memory = memory(&bench, &agent, "a zero");
        memory.importance = -0.0;
        rows::store(bench.store(), &agent, &memory).unwrap();
        let importance = read_back(&bench, &agent, memory.id).importance;
        assert!(importance == 0.0 && importance.is_sign_positive(), "{importance:?}");
    }

    fn a_nul_in_a_text_is_refused(bench: Bench) {
        let agent = bench.agent("main");
        let memory = memory(&bench, &agent, "nul \0 nul");
        let message = refused_as_a_value(rows::store(bench.store(), &agent, &memory));
        assert_eq!(message, "text contains a NUL character, which cannot be stored: remove it");
        assert_eq!(rows::count(bench.store(), &agent), 0);
    }

    fn what_looks_like_sql_is_a_text(bench: Bench) {
        let agent = bench.agent("main");
        for content in ["at '10:00' or $1", "?1 :name @x {id}", "O'Brien; DROP TABLE agents --", "\\ \" % _", "NULL"] {
            let memory = memory(&bench, &agent, content);
            rows::store(bench.store(), &agent, &memory).unwrap();
            assert_eq!(read_back(&bench, &agent, memory.id), memory);
        }
    }

    /// PostgreSQL's jsonb has an order of its own; what comes back is the one spelling that was sealed.
    fn json_comes_back_in_its_one_spelling(bench: Bench) {
        let agent = bench.agent("main");
        let mut memory = memory(&bench, &agent, "tags");
        memory.tags = vec!["a \"quoted\" one".into(), "日本".into(), "b\\c\n".into(), "  spaces ".into()];
        rows::store(bench.store(), &agent, &memory).unwrap();
        // The seal covers the text of the JSON: had one letter moved, this would be an error.
        assert_eq!(read_back(&bench, &agent, memory.id).tags, memory.tags);
    }

    fn lists_of_any_length_are_found(bench: Bench) {
        let agent = bench.agent("main");
        let stored: Vec<Memory> = (0..1000).map(|number| memory(&bench, &agent, &format!("n{number}"))).collect();
        let all = bench.store().write(&operator(&agent), &[agent.id], None, |writer| {
            stored.iter().try_for_each(|memory| memories::insert(writer, memory, &Prints::of(&memory.content), None))
        });
        all.unwrap();
        for asked in [0, 1, 5, 255, 256, 257, 300, 1000] {
            let mut ids: Vec<MemoryId> = stored.iter().take(asked).map(|memory| memory.id).collect();
            ids.push(MemoryId::of(bench.fresh_id()));
            let ids = if asked == 0 { &ids[..0] } else { &ids[..] };
            let found =
                bench.store().read(&operator(&agent), &[agent.id], |reader| memories::by_ids(reader, agent.id, ids));
            let mut found: Vec<MemoryId> = found.unwrap().into_iter().map(|memory| memory.unwrap().id).collect();
            found.sort();
            let expected: Vec<MemoryId> = stored.iter().take(asked).map(|memory| memory.id).collect();
            assert_eq!(found, expected, "{asked} ids");
        }
    }

    fn a_row_cannot_refer_to_another_agents(bench: Bench) {
        let (one, other) = (bench.agent("one"), bench.agent("other"));
        let entity = EntityId::of(bench.fresh_id());
        let now = bench.mind().now();
        let made = bench.store().write(&operator(&other), &[other.id], None, |writer| {
            entities::insert(writer, other.id, entity, "person", "Maya", now)
        });
        made.unwrap();
        let mut memory = memory(&bench, &one, "about somebody else's acquaintance");
        memory.entity = Some(entity);
        let refused = rows::store(bench.store(), &one, &memory).unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{refused:?}");
        assert_eq!(rows::count(bench.store(), &one), 0);
    }

    fn a_row_cannot_refer_to_nothing(bench: Bench) {
        let agent = bench.agent("main");
        let mut memory = memory(&bench, &agent, "about nobody");
        memory.entity = Some(EntityId::of(bench.fresh_id()));
        let refused = rows::store(bench.store(), &agent, &memory).unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{refused:?}");
        let orphan = Agent { id: AgentId::of(bench.fresh_id()), ..agent };
        let refused = rows::store(bench.store(), &orphan, &rows::memory(&bench, &orphan, "of no agent")).unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{refused:?}");
    }

    fn text_is_in_the_order_of_its_bytes(bench: Bench) {
        for name in ["b", "a", "B", "Ä", "_", "é", "Z", "日", "0"] {
            bench.agent(name);
        }
        let names: Vec<String> = bench.store().system(agents::all).unwrap().into_iter().map(|a| a.name).collect();
        assert_eq!(names, ["0", "B", "Z", "_", "a", "b", "Ä", "é", "日"]);
    }

    fn a_column_takes_only_its_own_type(bench: Bench) {
        let agent = bench.agent("main");
        let id = bench.id(agent.id.id());
        for (set, refusals) in [
            ("seq = 'many'", ["cannot store TEXT value in INTEGER column", "invalid input syntax for type bigint"]),
            ("seq = 1.5e300", ["cannot store REAL value in INTEGER column", "bigint out of range"]),
            ("seq = NULL", ["NOT NULL constraint failed", "null value in column"]),
        ] {
            let sql = format!("UPDATE agent_heads SET {set} WHERE agent_id = {id}");
            let refused = bench.execute_raw(&[agent.id], &sql).unwrap_err();
            let expected = match bench.engine() {
                Engine::Sqlite => refusals[0],
                Engine::Postgres => refusals[1],
            };
            assert!(refused.contains(expected), "{set}: {refused}");
        }
    }

    fn times_and_extremes_come_back(bench: Bench) {
        use selfsame_core::time::Time;
        let agent = bench.agent("main");
        for at in [Time::MIN, Time::from_micros(-1), Time::from_micros(0), Time::from_micros(1), Time::MAX] {
            let mut memory = memory(&bench, &agent, "a moment");
            memory.expires_at = Some(at);
            memory.importance = f64::MIN_POSITIVE;
            rows::store(bench.store(), &agent, &memory).unwrap();
            assert_eq!(read_back(&bench, &agent, memory.id), memory);
        }
    }

    /// A dropped error must not turn a write that was undone into one that is acknowledged.
    fn an_error_that_is_dropped_is_not_acknowledged_as_stored(bench: Bench) {
        let agent = bench.agent("main");
        let (first, second) = (memory(&bench, &agent, "first"), memory(&bench, &agent, "second"));
        rows::store(bench.store(), &agent, &first).unwrap();
        let written = bench.store().write(&operator(&agent), &[agent.id], None, |writer| {
            memories::insert(writer, &second, &Prints::of(&second.content), None)?;
            assert!(matches!(memories::insert(writer, &first, &Prints::of(&first.content), None), Err(StoreError::Duplicate(_))));
            Ok(())
        });
        let stored = rows::count(bench.store(), &agent);
        assert_eq!(stored, if written.is_ok() { 2 } else { 1 }, "{written:?}");
    }
}

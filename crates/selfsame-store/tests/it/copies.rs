//! An agent's rows in another store.

use crate::any_rows::{ONE, OTHER, fill};
use selfsame_core::id::AgentId;
use selfsame_core::trust::Caller;
use selfsame_store::{Options, Store, dump, migrate};
use selfsame_testkit::both_engines;

/// The dump of an agent, table by table.
fn tables(store: &Store, agent: AgentId) -> Vec<(String, String)> {
    let dumped = store.read(&Caller::agent(None), &[agent], |reader| dump::dump(reader, &[agent])).unwrap();
    let mut tables: Vec<(String, String)> = Vec::new();
    for line in dumped.lines() {
        match line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => tables.push((name.to_owned(), String::new())),
            None => tables.last_mut().unwrap().1.push_str(&format!("{line}\n")),
        }
    }
    tables
}

/// What a copy does without: what belongs to the house, and vectors.
const LEFT_OUT: [&str; 11] = [
    "duties",
    "embedding_models",
    "erasure_proofs",
    "heartbeat_pauses",
    "house",
    "idempotency",
    "keys",
    "vector_codes",
    "vector_stock",
    "vector_use",
    "vectors",
];

both_engines! {
    fn a_copy_in_memory_is_the_agent_and_nobody_else(bench: Bench) {
        bench.mind();
        fill(&bench, migrate::latest(), ONE);
        let store = bench.mind().store();
        let agent = AgentId::of(ONE);
        let before = tables(store, agent);
        // The columns of the agent's rows hold its own id; another agent's must not come along.
        fill(&bench, migrate::latest(), OTHER);
        let copy = Store::open_in_memory(Options::default(), bench.mind_time()).unwrap();
        store.copy_agent_to(&copy, agent).unwrap();
        let copied = tables(&copy, agent);
        assert_eq!(copied.len(), before.len());
        for ((name, rows), (_, original)) in copied.iter().zip(&before) {
            match LEFT_OUT.contains(&name.as_str()) {
                true => assert_eq!(rows, "", "{name}"),
                false => assert_eq!((rows, rows.is_empty()), (original, false), "{name}"),
            }
        }
    }

    fn two_stores_in_memory_are_two(bench: Bench) {
        bench.mind();
        fill(&bench, migrate::latest(), ONE);
        let [one, other] = [(); 2].map(|()| Store::open_in_memory(Options::default(), bench.mind_time()).unwrap());
        bench.mind().store().copy_agent_to(&one, AgentId::of(ONE)).unwrap();
        assert_eq!(other.system(selfsame_store::agents::all).unwrap().len(), 0);
        assert_eq!(one.system(selfsame_store::agents::all).unwrap().len(), 1);
    }
}

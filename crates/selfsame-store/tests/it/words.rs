//! The list of where words live is whole: every column of text of every table is in it, and nothing else is.

use selfsame_store::Engine;
use selfsame_store::tables::TABLES;
use selfsame_store::words::{Fate, PLACES};
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeSet;

/// The columns of text that a table has.
fn columns_of_text(bench: &Bench, table: &str) -> BTreeSet<String> {
    let sql = match bench.engine() {
        Engine::Sqlite => {
            format!("SELECT name FROM pragma_table_info('{table}') WHERE type IN ('TEXT', 'ANY')")
        }
        Engine::Postgres => format!(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'selfsame'
             AND table_name = '{table}' AND data_type IN ('text', 'json', 'jsonb', 'character varying')"
        ),
    };
    bench.owner().rows(&sql).into_iter().map(|row| row[0].clone().unwrap()).collect()
}

both_engines! {
    fn every_column_of_text_is_declared(bench: Bench) {
        bench.mind();
        let (tables, places): (Vec<&str>, Vec<&str>) =
            (TABLES.iter().map(|table| table.name).collect(), PLACES.iter().map(|place| place.table).collect());
        let missing: Vec<&&str> = tables.iter().filter(|table| !places.contains(table)).collect();
        assert!(missing.is_empty(), "tables of which nobody said whether words are in them (words.rs): {missing:?}");
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len(), "each once");
        for place in PLACES {
            let declared: Vec<String> = place
                .words
                .iter()
                .chain(place.ours.iter().flat_map(|(_, columns)| columns.iter()))
                .map(|column| (*column).to_owned())
                .collect();
            let there = columns_of_text(&bench, place.table);
            assert_eq!(declared.iter().cloned().collect::<BTreeSet<_>>(), there, "the columns of {}", place.table);
            assert_eq!(declared.len(), there.len(), "{}: each once", place.table);
            assert_eq!(place.fate == Fate::Wordless, place.words.is_empty(), "{}", place.table);
            assert!(place.ours.iter().all(|(reason, columns)| !reason.is_empty() && !columns.is_empty()));
        }
    }
}

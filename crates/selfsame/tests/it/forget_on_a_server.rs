//! What is left of forgotten words in the files of a PostgreSQL server, as far as they are tables and not its log.

use crate::conversation::say;
use crate::remember::remember;
use selfsame::Access;
use selfsame::diary::DiaryDraft;
use selfsame::forget::{Order, What};
use selfsame::todo::TodoDraft;
use selfsame_testkit::Bench;

const PAGE: usize = 8192;

/// A relation, and how often a text is in what its pages hold and in what is merely written on them.
#[derive(Debug)]
struct Relation {
    name: String,
    held: usize,
    written: usize,
}

fn count(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).filter(|part| part.eq_ignore_ascii_case(text.as_bytes())).count()
}

/// The items of a page, dead or alive: where its line pointers lead.
fn items(page: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lower = usize::from(u16::from_le_bytes([page[12], page[13]])).clamp(24, PAGE);
    page[24..lower].chunks_exact(4).filter_map(|pointer| {
        let pointer = u32::from_le_bytes(pointer.try_into().unwrap());
        let (start, used, length) = (pointer & 0x7fff, pointer >> 15 & 3, pointer >> 17);
        let start = start as usize;
        (used == 1).then(|| &page[start..(start + length as usize).min(PAGE)])
    })
}

/// Every relation of the database, its catalogue too, as the server wrote it down, that has a text on its pages.
fn on_disk(bench: &Bench, text: &str) -> Vec<Relation> {
    let mut superuser = bench.database().server().superuser();
    superuser.run("CHECKPOINT").unwrap();
    let paths = bench.owner().rows(
        "SELECT oid::regclass::text, pg_relation_filepath(oid) FROM pg_class
         WHERE relkind IN ('r', 'i', 't', 'm') AND NOT relisshared AND pg_relation_filepath(oid) IS NOT NULL ORDER BY 1",
    );
    let mut found = Vec::new();
    for row in paths {
        let [Some(name), Some(path)] = <[Option<String>; 2]>::try_from(row).unwrap() else { continue };
        let read = format!("SELECT encode(pg_read_binary_file('{path}', 0, 100000000, true), 'hex')");
        let hex = superuser.rows(&read).remove(0).remove(0).unwrap_or_default();
        let bytes: Vec<u8> =
            hex.as_bytes().chunks_exact(2).map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])).collect();
        let held = bytes.chunks_exact(PAGE).flat_map(items).map(|item| count(item, text)).sum();
        let relation = Relation { name, held, written: count(&bytes, text) };
        if relation.written > 0 {
            found.push(relation);
        }
    }
    found
}

fn nibble(digit: u8) -> u8 {
    char::from(digit).to_digit(16).unwrap() as u8
}

/// What the server has counted, wherever it quotes a text; a superuser sees all of it.
fn counted(bench: &Bench, text: &str) -> Vec<Vec<Option<String>>> {
    bench.owner().rows(&format!(
        "SELECT tablename, attname FROM pg_stats WHERE schemaname = 'selfsame'
         AND concat(most_common_vals::text, histogram_bounds::text, most_common_elems::text) ILIKE '%{text}%' ORDER BY 1, 2"
    ))
}

fn forget(access: &Access<'_>, query: &str) {
    let order = Order::of(What::Query(query.into()));
    let token = access.forget_what(&order).unwrap().token;
    access.forget_all(&Order { token: Some(token), ..order }, None).unwrap();
}

#[test]
fn postgres_holds_no_word_that_was_forgotten() {
    let bench = Bench::postgres();
    let access = bench.main();
    for n in 0..30 {
        remember(&access, &format!("Crate {n} has {} apples", n * 7));
    }
    remember(&access, "The zanzvacuum opens at noon");
    say(&access, "terminal", "Please remember that the zanzvacuum is closed on Mondays.");
    // Of the diary nothing is left.
    access.write_diary(DiaryDraft::new("I went to the zanzvacuum"), None).unwrap();
    access.write_diary(DiaryDraft::new("The zanzvacuum was closed"), None).unwrap();
    access.add_todo(TodoDraft::new("See the zanzvacuum"), None).unwrap();
    // The server has counted which words are frequent, as it does by itself now and then.
    bench.owner().run("ANALYZE").unwrap();
    let held = |relations: &[Relation]| -> Vec<String> {
        relations.iter().filter(|one| one.held > 0).map(|one| one.name.clone()).collect()
    };
    let before = held(&on_disk(&bench, "zanzvacuum"));
    for table in
        ["diary_entries", "memory_items", "messages", "pg_statistic", "postings_pkey", "term_stats", "todos"]
    {
        assert!(before.iter().any(|name| name == table), "{table}: {before:?}");
    }
    let quoted = counted(&bench, "zanzvacuum");
    for table in ["diary_entries", "memory_items"] {
        assert!(quoted.iter().any(|row| row[0].as_deref() == Some(table)), "{table}: {quoted:?}");
    }
    forget(&access, "zanzvacuum");
    // No row and no entry of an index has it, dead or alive, and the server quotes it nowhere.
    let after = on_disk(&bench, "zanzvacuum");
    let still: Vec<String> = held(&after).into_iter().filter(|name| name != "pg_statistic").collect();
    assert_eq!(still, Vec::<String>::new());
    assert_eq!(counted(&bench, "zanzvacuum"), Vec::<Vec<Option<String>>>::new());
    // What is written where nothing is held any more goes when the owner has the files written anew.
    for relation in &after {
        let table = relation.name.trim_end_matches("_pkey");
        bench.owner().run(&format!("VACUUM FULL {table}")).unwrap();
    }
    let left = on_disk(&bench, "zanzvacuum");
    assert!(left.is_empty(), "{left:?}");
}

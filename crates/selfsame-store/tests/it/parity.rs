//! Both engines have the same schema, and on PostgreSQL the walls between agents stand.

use selfsame_store::tables::TABLES;
use selfsame_store::{Engine, migrate, word_for};
use selfsame_testkit::{APPLICATION_ROLE, Bench, Raw};
use std::collections::{BTreeMap, BTreeSet};

/// What the ledger of migrations is called; it is no table of the program's own list.
const LEDGER: &str = "schema_migrations";

/// A schema in words that both engines share.
#[derive(Default, PartialEq, Debug)]
struct Schema {
    /// Table and column, to the type words it may stand for and whether it may be NULL.
    columns: BTreeMap<(String, String), (BTreeSet<&'static str>, bool)>,
    /// Keys, unique constraints, references and indexes, each as a line.
    rules: BTreeSet<String>,
}

impl Schema {
    fn tables(&self) -> BTreeSet<&str> {
        self.columns.keys().map(|(table, _)| table.as_str()).collect()
    }

    fn add_column(&mut self, engine: Engine, row: &[Option<String>]) {
        let [table, column, kind, nullable] = row else { panic!("{row:?}") };
        let kind = kind.as_deref().unwrap().replace("timestamp with time zone", "timestamptz");
        let words: BTreeSet<&'static str> = word_for(engine, &kind).into_iter().collect();
        assert!(!words.is_empty(), "{table:?}.{column:?}: dialect.rs has no word for {kind}");
        let place = (table.clone().unwrap(), column.clone().unwrap());
        self.columns.insert(place, (words, nullable.as_deref() == Some("1")));
    }

    fn add_rules(&mut self, raw: &mut Raw, sql: &str) {
        self.rules.extend(raw.texts(sql));
    }
}

fn of_sqlite(raw: &mut Raw) -> Schema {
    let mut schema = Schema::default();
    let columns =
        "SELECT t.name, c.name, c.type, c.\"notnull\" = 0 FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'";
    for row in raw.rows(columns) {
        schema.add_column(Engine::Sqlite, &row);
    }
    for sql in [
        "SELECT 'key ' || t.name || '(' || (SELECT group_concat(name, ', ') FROM
            (SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk)) || ')'
         FROM sqlite_schema t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
        "SELECT CASE i.\"unique\" WHEN 1 THEN 'unique ' ELSE 'index ' END || t.name || '(' || (SELECT group_concat(name, ', ')
            FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) || ')'
         FROM sqlite_schema t, pragma_index_list(t.name) i WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND i.origin <> 'pk'",
        "SELECT 'reference ' || t.name || '(' || group_concat(f.\"from\", ', ') || ') to ' || f.\"table\" || '('
            || group_concat(f.\"to\", ', ') || ') on delete ' || lower(f.on_delete)
         FROM sqlite_schema t, (SELECT t2.name AS owner, f2.* FROM sqlite_schema t2, pragma_foreign_key_list(t2.name) f2
            ORDER BY f2.id, f2.seq) f
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND f.owner = t.name GROUP BY t.name, f.id",
    ] {
        schema.add_rules(raw, sql);
    }
    schema
}

fn of_postgres(raw: &mut Raw) -> Schema {
    let mut schema = Schema::default();
    let columns = "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), (NOT a.attnotnull)::int
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'selfsame'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped";
    for row in raw.rows(columns) {
        schema.add_column(Engine::Postgres, &row);
    }
    let names = |table: &str, key: &str| {
        format!(
            "(SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest({key}) WITH ORDINALITY AS k(number, place)
              JOIN pg_attribute a ON a.attrelid = {table} AND a.attnum = k.number)"
        )
    };
    let own = names("c.conrelid", "c.conkey");
    let other = names("c.confrelid", "c.confkey");
    let indexed = names("i.indrelid", "i.indkey::int2[]");
    for sql in [
        format!(
            "SELECT CASE c.contype WHEN 'p' THEN 'key ' ELSE 'unique ' END || t.relname || '(' || {own} || ')'
             FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
             WHERE c.connamespace = 'selfsame'::regnamespace AND c.contype IN ('p', 'u')"
        ),
        format!(
            "SELECT 'reference ' || t.relname || '(' || {own} || ') to ' || o.relname || '(' || {other} || ') on delete '
                || CASE c.confdeltype WHEN 'a' THEN 'no action' ELSE c.confdeltype::text END
             FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class o ON o.oid = c.confrelid
             WHERE c.connamespace = 'selfsame'::regnamespace AND c.contype = 'f'"
        ),
        format!(
            "SELECT CASE WHEN i.indisunique THEN 'unique ' ELSE 'index ' END || t.relname || '(' || {indexed} || ')'
             FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
             WHERE t.relnamespace = 'selfsame'::regnamespace
                AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)"
        ),
    ] {
        schema.add_rules(raw, &sql);
    }
    schema
}

fn schemas() -> (Schema, Schema) {
    let sqlite = Bench::sqlite();
    sqlite.mind();
    let postgres = Bench::postgres();
    (of_sqlite(&mut sqlite.owner()), of_postgres(&mut postgres.owner()))
}

#[test]
fn both_engines_have_the_same_columns() {
    let (sqlite, postgres) = schemas();
    let places = |schema: &Schema| schema.columns.keys().cloned().collect::<Vec<_>>();
    assert_eq!(places(&sqlite), places(&postgres));
    for (place, (words, nullable)) in &sqlite.columns {
        let (other_words, other_nullable) = &postgres.columns[place];
        assert!(!words.is_disjoint(other_words), "{place:?} is {words:?} and {other_words:?}");
        assert_eq!(nullable, other_nullable, "{place:?} may be NULL on one engine only");
    }
}

#[test]
fn both_engines_have_the_same_keys_references_and_indexes() {
    let (sqlite, postgres) = schemas();
    assert_eq!(sqlite.rules, postgres.rules);
    assert!(sqlite.rules.contains("unique principals(agent_id, name)"), "{:#?}", sqlite.rules);
    assert!(sqlite.rules.contains(
        "reference memory_items(agent_id, principal_id) to principals(agent_id, id) on delete no action"
    ));
    let elsewhere: Vec<_> =
        sqlite.rules.iter().filter(|r| r.contains("on delete") && !r.ends_with("no action")).collect();
    assert_eq!(elsewhere, Vec::<&String>::new(), "rows go by name or not at all");
}

#[test]
fn the_list_of_tables_is_the_schema() {
    let (sqlite, _) = schemas();
    let mut listed: BTreeSet<&str> = TABLES.iter().map(|table| table.name).collect();
    listed.insert(LEDGER);
    assert_eq!(sqlite.tables(), listed);
    for table in TABLES {
        let key = format!("key {}({})", table.name, table.key.join(", "));
        assert!(sqlite.rules.contains(&key), "{key} is not in {:#?}", sqlite.rules);
        let columns = table.guard.immutable_at(migrate::latest()).chain(table.agent_column);
        for column in columns {
            assert!(
                sqlite.columns.contains_key(&(table.name.into(), column.into())),
                "{}.{column}",
                table.name
            );
        }
    }
}

#[test]
fn sqlite_tables_are_all_strict() {
    let bench = Bench::sqlite();
    bench.mind();
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict
        AND name NOT LIKE 'sqlite_%'";
    assert_eq!(bench.owner().texts(sql), [""; 0]);
}

#[test]
fn postgres_row_level_security_is_on_forced_and_has_a_policy() {
    let bench = Bench::postgres();
    let mut raw = bench.owner();
    for table in TABLES {
        let name = table.name;
        let walls = raw.number(&format!(
            "SELECT COUNT(*) FROM pg_class c WHERE c.oid = 'selfsame.{name}'::regclass AND c.relrowsecurity
                AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)"
        ));
        assert_eq!(walls == 1, table.agent_column.is_some(), "{name}");
    }
}

#[test]
fn postgres_application_owns_nothing_and_bypasses_nothing() {
    let bench = Bench::postgres();
    let mut raw = bench.owner();
    let above = format!(
        "SELECT COUNT(*) FROM pg_roles WHERE rolname = '{APPLICATION_ROLE}' AND (rolsuper OR rolbypassrls)"
    );
    assert_eq!(raw.number(&above), 0);
    let owned = format!(
        "SELECT relname FROM pg_class WHERE relnamespace = 'selfsame'::regnamespace
            AND pg_get_userbyid(relowner) = '{APPLICATION_ROLE}'"
    );
    assert_eq!(raw.texts(&owned), [""; 0]);
    for forbidden in [
        "ALTER TABLE memory_items DISABLE ROW LEVEL SECURITY",
        "DROP POLICY by_agent ON memory_items",
        "DROP TRIGGER memory_items_fixed ON memory_items",
        "CREATE TABLE selfsame.mine (a int)",
        "UPDATE schema_migrations SET version = 9",
        "TRUNCATE memory_items CASCADE",
    ] {
        let refusal = bench.application().run(forbidden).unwrap_err();
        assert!(
            refusal.contains("must be owner") || refusal.contains("permission denied"),
            "{forbidden}: {refusal}"
        );
    }
}

#[test]
fn postgres_text_is_in_the_order_of_its_bytes() {
    let bench = Bench::postgres();
    let elsewhere = "SELECT table_name || '.' || column_name FROM information_schema.columns
        WHERE table_schema = 'selfsame' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'";
    assert_eq!(bench.owner().texts(elsewhere), [""; 0]);
}

//! Every place where SQLite and PostgreSQL differ, each with its reason. Nothing above the waist may know one.

use crate::statement::Form;
use crate::tables::Table;
use std::fmt::Write as _;

/// Which database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// Embedded, one file.
    Sqlite = 0,
    /// A server.
    Postgres = 1,
}

impl Engine {
    /// As people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Sqlite => "SQLite",
            Engine::Postgres => "PostgreSQL",
        }
    }
}

/// The graph of near vectors that PostgreSQL keeps for a generation.
///
/// It is an index over those rows alone (vectors of two models cannot be in one graph), so a query finds it only if the
/// generation and the number of dimensions stand in its text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Graph {
    generation: i64,
    dimensions: usize,
}

/// What pgvector puts in a graph: up to so many dimensions as they are.
const GRAPH_OF_WHOLE_NUMBERS: usize = 2_000;
/// And up to so many with half of the digits, which is enough to propose. Above there is no graph, and vectors are
/// compared one by one however many there are.
const GRAPH_OF_HALF_NUMBERS: usize = 4_000;

impl Graph {
    /// The graph of a generation; none if its vectors are too long for one.
    pub fn of(generation: i64, dimensions: usize) -> Option<Graph> {
        (1..=GRAPH_OF_HALF_NUMBERS).contains(&dimensions).then_some(Graph { generation, dimensions })
    }

    /// The distance of a vector that is bound, as the graph measures it.
    fn distance(self, param: &str) -> String {
        let numbers = if self.dimensions <= GRAPH_OF_WHOLE_NUMBERS { "vector" } else { "halfvec" };
        let cast = format!("::{numbers}({})", self.dimensions);
        format!("(embedding{cast}) <=> {param}::vector{cast}")
    }
}

/// How PostgreSQL is told to look in a graph, for the rest of a transaction.
///
/// - The graph holds all agents' vectors, and most of what it meets belongs to others: it goes on until it has found enough
///   that is ours (`iterative_scan`), through so many (`max_scan_tuples`), with so much memory (`scan_mem_multiplier`).
///   It may find them in nearly the right order: they are sorted again by whoever asked.
/// - `ef_search`: how widely it looks. Of the best ten of 100,000 clustered vectors of 384 numbers it found 0.992 with 40
///   and 0.999 with 200, of 10,000 it found 0.994 with 100 and 0.998 with 200, and of 25,000 messages beside 175,000
///   memories 0.990 with 200.
/// - `enable_sort`: the planner would rather sort all rows of an agent; which way is taken is the store's choice.
pub const LOOK_IN_GRAPH: &str = "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 200;
    SET LOCAL hnsw.max_scan_tuples = 100000; SET LOCAL hnsw.scan_mem_multiplier = 8; SET LOCAL enable_sort = off";

/// What is left of it when it is done. The rest concerns graphs alone.
pub const LOOK_AWAY: &str = "SET LOCAL enable_sort = on";

/// The words in braces that stand for a type or a table option.
///
/// - `{text}`: PostgreSQL would sort by locale; byte order is the only order both have.
/// - `{strict}`: without it SQLite takes text into a number column, which PostgreSQL refuses.
/// - `{skip locked}`: several daemons look for work at the same time and take different rows; SQLite has one writer.
/// - `{entries appended}`: joining bytes gives bytes on PostgreSQL; SQLite calls the joined bytes text, and has to be told.
/// - `{nearest to $4}`: PostgreSQL sorts by distance, one by one: the sum keeps the planner from the graph, in which an
///   agent with few vectors finds too few. SQLite has no distance, and looks in memory instead.
/// - `{as who asks}`: a view of PostgreSQL reads with its owner's rights unless told to keep to those of who asks, and
///   then shows the rows that row-level security lets through. SQLite has neither.
/// - `{four hours}`: moments of SQLite are whole numbers, microseconds.
/// - `{clustered}`: SQLite then keeps the rows in the primary key itself; a heap has no such choice.
const WORDS: &[(&str, &str, &str)] = &[
    ("id", "BLOB", "uuid"),
    ("int", "INTEGER", "bigint"),
    ("real", "REAL", "double precision"),
    ("bool", "INTEGER", "boolean"),
    ("text", "TEXT", "text COLLATE \"C\""),
    ("bytes", "BLOB", "bytea"),
    ("time", "INTEGER", "timestamptz"),
    ("json", "TEXT", "jsonb"),
    ("vector", "BLOB", "vector"),
    ("strict", " STRICT", ""),
    ("clustered", " STRICT, WITHOUT ROWID", ""),
    (
        "entries appended",
        "CAST(postings.entries || excluded.entries AS BLOB)",
        "postings.entries || excluded.entries",
    ),
    ("skip locked", "", "FOR UPDATE SKIP LOCKED"),
    ("four hours", "14400000000", "interval '4 hours'"),
    ("as who asks", "", " WITH (security_invoker = true)"),
    ("nearest to $4", "item_id", "(embedding <=> $4) + 0, item_id"),
];

/// The word that a column type is written with in a migration, from what the engine calls it. For the parity test.
pub fn word_for(engine: Engine, engine_type: &str) -> Vec<&'static str> {
    WORDS
        .iter()
        .filter(|(_, sqlite, postgres)| {
            let spelling = match engine {
                Engine::Sqlite => sqlite,
                Engine::Postgres => postgres,
            };
            spelling.split(" COLLATE").next().is_some_and(|bare| bare.eq_ignore_ascii_case(engine_type))
        })
        .map(|(word, _, _)| *word)
        .collect()
}

/// The engine's text of a statement or migration.
///
/// Translated are: words in braces; `$n` into `?n` for SQLite, where `$2` would be a *name* and be numbered by first
/// appearance; `{list}` into as many parameters as asked for; `{rows: $1, ?, ?}` into as many rows; `{generation}` and
/// `{nearest in graph to $3}` into those of a graph. Strings in quotes and comments are left alone: `'10:00'` and `'$1'`
/// are data.
pub fn render(text: &str, engine: Engine, form: impl Into<Form>) -> String {
    let form = form.into();
    let mut out = String::with_capacity(text.len() + 32);
    let mut next_param = highest_param(text) + 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '\'' => copy(rest, quoted_len(rest), &mut out),
            '-' if rest.starts_with("--") => copy(rest, rest.find('\n').unwrap_or(rest.len()), &mut out),
            '$' if param(rest).is_some() => {
                let (number, len) = param(rest).unwrap_or((0, 1));
                push_param(number, engine, &mut out);
                len
            }
            '{' => {
                let len = rest.find('}').map_or(rest.len(), |end| end + 1);
                brace(&rest[1..len.max(2) - 1], engine, form, &mut next_param, &mut out);
                len
            }
            other => copy(rest, other.len_utf8(), &mut out),
        };
        rest = &rest[taken..];
    }
    out
}

/// A statement that finds the rows of every agent, as if its writer had forgotten to say whose it wants. `$1` stays, so that
/// it keeps its type.
#[cfg(feature = "unfiltered")]
pub fn unfiltered(text: &str) -> String {
    const FILTER: &str = "agent_id = $1";
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find(FILTER) {
        let column =
            rest[..at].rfind(|letter: char| !letter.is_ascii_alphanumeric() && !"._".contains(letter));
        let (before, found) = rest.split_at(column.map_or(0, |before| before + 1));
        let (filter, after) = found.split_at(found.find(FILTER).unwrap_or(0) + FILTER.len());
        out.push_str(before);
        match after.starts_with(|next: char| next.is_ascii_digit()) {
            true => out.push_str(filter),
            false => {
                let column = filter.strip_suffix(" = $1").unwrap_or(filter);
                write!(out, "({filter} OR {column} IS NOT NULL)").unwrap_or_default();
            }
        }
        rest = after;
    }
    out + rest
}

fn brace(word: &str, engine: Engine, form: Form, next_param: &mut usize, out: &mut String) {
    // What is only prepared, to see that it can be, is prepared for some graph.
    let (repeats, graph) = match form {
        Form::Times(repeats) => (repeats, Graph { generation: 1, dimensions: 1 }),
        Form::Of(graph) => (1, graph),
    };
    if word == "generation" {
        write!(out, "{}", graph.generation).unwrap_or_default();
    } else if let Some(param) = word.strip_prefix("nearest in graph to ") {
        // SQLite has none, and looks in memory instead.
        out.push_str(&match engine {
            Engine::Sqlite => "item_id".to_owned(),
            Engine::Postgres => graph.distance(param),
        });
    } else if word == "list" {
        push_separated(repeats, out, |out| push_next(next_param, engine, out));
    } else if let Some(pattern) = word.strip_prefix("rows:") {
        push_separated(repeats, out, |out| {
            out.push('(');
            for (index, cell) in pattern.split(',').map(str::trim).enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                match param(cell) {
                    Some((number, _)) => push_param(number, engine, out),
                    None => push_next(next_param, engine, out),
                }
            }
            out.push(')');
        });
    } else {
        match WORDS.iter().find(|(name, _, _)| *name == word) {
            Some((_, sqlite, _)) if engine == Engine::Sqlite => out.push_str(sqlite),
            Some((_, _, postgres)) => out.push_str(postgres),
            // Left as it stands, it fails loudly when the statement is prepared.
            None => write!(out, "{{{word}}}").unwrap_or_default(),
        }
    }
}

fn push_separated(times: usize, out: &mut String, mut one: impl FnMut(&mut String)) {
    for index in 0..times.max(1) {
        out.push_str(if index > 0 { ", " } else { "" });
        one(out);
    }
}

fn push_next(next_param: &mut usize, engine: Engine, out: &mut String) {
    push_param(*next_param, engine, out);
    *next_param += 1;
}

fn push_param(number: usize, engine: Engine, out: &mut String) {
    let sign = match engine {
        Engine::Sqlite => '?',
        Engine::Postgres => '$',
    };
    write!(out, "{sign}{number}").unwrap_or_default();
}

/// `$12` at the start of `text`: its number and length.
fn param(text: &str) -> Option<(usize, usize)> {
    let digits = text.strip_prefix('$')?;
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    Some((digits[..len].parse().ok()?, len + 1))
}

fn highest_param(text: &str) -> usize {
    text.match_indices('$')
        .filter_map(|(place, _)| param(&text[place..]))
        .map(|(number, _)| number)
        .max()
        .unwrap_or(0)
}

fn copy(rest: &str, len: usize, out: &mut String) -> usize {
    out.push_str(&rest[..len]);
    len
}

/// Length of a quoted string at the start of `text`, with its quotes; a doubled quote is part of it.
fn quoted_len(text: &str) -> usize {
    let mut bytes = text.bytes().enumerate().skip(1).peekable();
    while let Some((place, byte)) = bytes.next() {
        if byte == b'\'' && bytes.next_if(|(_, next)| *next == b'\'').is_none() {
            return place + 1;
        }
    }
    text.len()
}

/// What locks an agent for writing on PostgreSQL. SQLite has one writer anyway.
pub const LOCK_AGENT: &str = "SELECT seq FROM agent_heads WHERE agent_id = $1 FOR NO KEY UPDATE";

/// What locks several agents in the order of their ids, a hundred in one journey to the server.
pub fn lock_agents(uuids: &[String]) -> String {
    format!(
        "SELECT seq FROM agent_heads WHERE agent_id IN ('{}') ORDER BY agent_id FOR NO KEY UPDATE",
        uuids.join("', '")
    )
}

/// The guards of a table, rendered for an engine: what may not change does not change, and what may not go does not go,
/// except inside a transaction that has an open erasure of that agent.
pub fn guard_ddl(table: &Table, engine: Engine, version: i64) -> String {
    let immutable: Vec<&str> = table.guard.immutable_at(version).collect();
    let mut ddl = String::new();
    if !immutable.is_empty() {
        ddl += &trigger(
            table.name,
            "fixed",
            "UPDATE",
            &changed(&immutable, engine),
            "may not be changed",
            engine,
        );
    }
    let once: Vec<&str> = table.guard.once_at(version).collect();
    if !once.is_empty() {
        ddl += &trigger(
            table.name,
            "once",
            "UPDATE",
            &changed_again(&once, engine),
            "may not be changed again",
            engine,
        );
    }
    if table.guard.keep_rows {
        ddl += &trigger(table.name, "kept", "DELETE", "", "may not be deleted", engine);
    }
    ddl
}

/// "One of these columns changes." NULL-safe comparison has another spelling on each engine.
fn changed(columns: &[&str], engine: Engine) -> String {
    one_of(columns, |column| differs(column, engine))
}

/// "One of these columns changes that was filled already."
fn changed_again(columns: &[&str], engine: Engine) -> String {
    one_of(columns, |column| format!("(OLD.{column} IS NOT NULL AND {})", differs(column, engine)))
}

fn differs(column: &str, engine: Engine) -> String {
    let differs = match engine {
        Engine::Sqlite => "IS NOT",
        Engine::Postgres => "IS DISTINCT FROM",
    };
    format!("OLD.{column} {differs} NEW.{column}")
}

fn one_of(columns: &[&str], condition: impl Fn(&str) -> String) -> String {
    let each: Vec<String> = columns.iter().map(|column| condition(column)).collect();
    format!("({}) AND ", each.join(" OR "))
}

fn trigger(table: &str, name: &str, event: &str, changed: &str, refusal: &str, engine: Engine) -> String {
    let closed = "NOT EXISTS (SELECT 1 FROM erasures e WHERE e.agent_id = OLD.agent_id AND e.open)";
    match engine {
        // ABORT undoes the statement; ROLLBACK would end a transaction that others share.
        Engine::Sqlite => format!(
            "DROP TRIGGER IF EXISTS {table}_{name};
             CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} WHEN {changed}{closed}
             BEGIN SELECT RAISE(ABORT, 'a row of {table} {refusal}'); END;\n"
        ),
        // A trigger's WHEN clause may not look into other tables here: the test moves into the function.
        Engine::Postgres => format!(
            "CREATE OR REPLACE FUNCTION {table}_{name}() RETURNS trigger LANGUAGE plpgsql
                SET search_path = selfsame, pg_temp AS $guard$
             BEGIN
                 IF {changed}{closed} THEN
                     RAISE EXCEPTION 'a row of {table} {refusal}' USING ERRCODE = 'check_violation';
                 END IF;
                 RETURN {row};
             END $guard$;
             CREATE OR REPLACE TRIGGER {table}_{name} BEFORE {event} ON {table}
                FOR EACH ROW EXECUTE FUNCTION {table}_{name}();\n",
            row = if event == "DELETE" { "OLD" } else { "NEW" },
        ),
    }
}

/// What makes the graph of a generation on PostgreSQL, since it is the owner's to make and the application finds the model.
///
/// It is made when the generation is, while it has no vectors: then nobody waits for it. Made later, when the first agent
/// has many, it would keep all from writing until it is built, a minute and more for 100,000 vectors. The price is paid at
/// each insert, some milliseconds instead of less than one (`cargo xtask bench vectors`).
/// The function runs with the owner's rights, so it takes nothing from who calls but two numbers, and finds nothing by
/// a path.
pub fn graph_ddl(engine: Engine) -> String {
    if engine == Engine::Sqlite {
        return String::new();
    }
    format!(
        "CREATE OR REPLACE FUNCTION embedding_models_graph() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
            SET search_path = pg_catalog, pg_temp AS $graph$
         DECLARE numbers text := CASE WHEN NEW.dimensions <= {GRAPH_OF_WHOLE_NUMBERS} THEN 'vector' ELSE 'halfvec' END;
         BEGIN
             IF NEW.dimensions BETWEEN 1 AND {GRAPH_OF_HALF_NUMBERS} THEN
                 EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON selfsame.vectors
                     USING hnsw ((embedding::public.%I(%s)) public.%I) WHERE generation = %s',
                     'vectors_graph_' || NEW.generation, numbers, NEW.dimensions, numbers || '_cosine_ops', NEW.generation);
             END IF;
             RETURN NULL;
         END $graph$;
         REVOKE ALL ON FUNCTION embedding_models_graph() FROM PUBLIC;
         CREATE OR REPLACE TRIGGER embedding_models_graph AFTER INSERT ON embedding_models
            FOR EACH ROW EXECUTE FUNCTION embedding_models_graph();\n"
    )
}

/// Row-level security and the application's rights. SQLite has neither: there the waist is the only wall.
pub fn access_ddl(table: &Table, application_role: &str) -> String {
    let role = quote_identifier(application_role);
    let name = table.name;
    let mut ddl = format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {name} TO {role};\n");
    // What was forgotten is vacuumed at once; before version 17 there is no such right, and the server's own vacuum does it.
    write!(
        ddl,
        "DO $right$ BEGIN IF current_setting('server_version_num')::int >= 170000 THEN
            EXECUTE format('GRANT MAINTAIN ON {name} TO %I', '{}'); END IF; END $right$;\n",
        application_role.replace('\'', "''")
    )
    .unwrap_or_default();
    if let Some(column) = table.agent_column {
        // An unset or empty setting gives an empty list, hence no rows. The list is read in a query of its own, once: for
        // each row it would take longer than comparing a vector.
        write!(
            ddl,
            "ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;
             ALTER TABLE {name} FORCE ROW LEVEL SECURITY;
             DROP POLICY IF EXISTS by_agent ON {name};
             CREATE POLICY by_agent ON {name}
                USING ({column} = ANY ((SELECT string_to_array(current_setting('selfsame.agents', true), ',')::uuid[])::uuid[]));\n"
        )
        .unwrap_or_default();
    }
    ddl
}

/// Lets the application read a view. There are no rights to give on SQLite.
pub fn view_ddl(view: &str, application_role: &str) -> String {
    format!("GRANT SELECT ON {view} TO {};\n", quote_identifier(application_role))
}

/// Lets the owner see every agent's rows for the rest of the transaction: a migration that fills new columns must not
/// find the tables empty. The rules that follow it force row-level security again. Nothing to open on SQLite.
pub fn open_to_owner_ddl(table: &Table, engine: Engine) -> String {
    match (engine, table.agent_column) {
        (Engine::Postgres, Some(_)) => format!("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY;\n", table.name),
        _ => String::new(),
    }
}

/// What SQLite's planner is told about every index that begins with the agent.
///
/// Told nothing, it takes a value of any first column for a rare one, walks through all rows of an agent rather than use
/// the index that was made for the question, and a write then costs more with every memory. These are the statistics of
/// an imagined mind in which an agent has very many rows, so that plans are the same on every machine and at every size.
/// A whole key finds one row, and an index over some rows is for few of them: else one that names the row, or what is
/// open among very much, is not told from one that names the agent.
/// A server gathers its own.
pub const fn statistics(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => {
            // Of the smallest table: only to have the tables of statistics made. What the other one holds are samples of
            // what is stored, which would outlive being forgotten.
            "ANALYZE schema_migrations;
             DELETE FROM sqlite_stat1;
             DELETE FROM sqlite_stat4;
             INSERT INTO sqlite_stat1 (tbl, idx, stat)
                SELECT t.name, CASE WHEN t.wr AND i.origin = 'pk' THEN t.name ELSE i.name END,
                    CASE WHEN i.partial THEN '10000' ELSE '1000000' END
                    || (SELECT group_concat(CASE WHEN i.\"unique\" AND c.seqno = (SELECT MAX(l.seqno) FROM pragma_index_info(i.name) l)
                            THEN ' 1'
                            WHEN c.seqno = 0 THEN CASE WHEN i.partial THEN ' 1000' ELSE ' 100000' END
                            WHEN c.seqno = 1 THEN CASE WHEN i.partial THEN ' 100' ELSE ' 1000' END
                            ELSE ' 10' END, '')
                        FROM pragma_index_info(i.name) c)
                FROM pragma_table_list t, pragma_index_list(t.name) i
                WHERE t.schema = 'main' AND t.type = 'table'
                    AND (SELECT c.name FROM pragma_index_info(i.name) c WHERE c.seqno = 0) = 'agent_id';
             ANALYZE sqlite_schema;\n"
        }
        Engine::Postgres => "",
    }
}

/// An identifier of PostgreSQL, safe to put in a text. The only one that is not ours is a role's name.
pub fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::{Engine, Graph, render};
    use crate::statement::Form;

    #[test]
    fn parameters_are_numbered_not_named() {
        let text = "SELECT a FROM t WHERE b = $2 AND c = $1";
        assert_eq!(render(text, Engine::Sqlite, 1), "SELECT a FROM t WHERE b = ?2 AND c = ?1");
        assert_eq!(render(text, Engine::Postgres, 1), text);
    }

    #[cfg(feature = "unfiltered")]
    #[test]
    fn without_the_filter_every_agent_is_meant() {
        let text = "UPDATE t SET a = $10 WHERE t.agent_id = $1 AND b IN (SELECT b FROM u WHERE agent_id = $1) AND agent_id = $12";
        let open = "UPDATE t SET a = $10 WHERE (t.agent_id = $1 OR t.agent_id IS NOT NULL) AND b IN \
            (SELECT b FROM u WHERE (agent_id = $1 OR agent_id IS NOT NULL)) AND agent_id = $12";
        assert_eq!(unfiltered(text), open);
    }

    #[test]
    fn quotes_and_comments_are_data() {
        let text = "SELECT '$1 {id} it''s 10:00' -- $3 {id}\n, $1";
        assert_eq!(render(text, Engine::Sqlite, 1), "SELECT '$1 {id} it''s 10:00' -- $3 {id}\n, ?1");
    }

    #[test]
    fn lists_and_rows_follow_the_fixed_parameters() {
        assert_eq!(
            render("DELETE FROM t WHERE a = $1 AND b IN ({list})", Engine::Sqlite, 3),
            "DELETE FROM t WHERE a = ?1 AND b IN (?2, ?3, ?4)"
        );
        assert_eq!(
            render("INSERT INTO t VALUES {rows: $1, ?, ?} ON CONFLICT DO NOTHING", Engine::Postgres, 2),
            "INSERT INTO t VALUES ($1, $2, $3), ($1, $4, $5) ON CONFLICT DO NOTHING"
        );
    }

    #[test]
    fn a_graph_is_named_by_its_numbers() {
        let text = "SELECT a FROM t WHERE g = {generation} ORDER BY {nearest in graph to $3} LIMIT $4";
        let of = |dimensions| render(text, Engine::Postgres, Form::Of(Graph::of(7, dimensions).unwrap()));
        let with = |cast: &str| {
            format!(
                "SELECT a FROM t WHERE g = 7 ORDER BY (embedding::{cast}) <=> $3::vector::{cast} LIMIT $4"
            )
        };
        assert_eq!(of(2_000), with("vector(2000)"));
        assert_eq!(of(2_001), with("halfvec(2001)"));
        assert_eq!((Graph::of(7, 4_001), Graph::of(7, 0)), (None, None));
    }

    #[test]
    fn type_words_are_native() {
        assert_eq!(render("x {time} NOT NULL{strict}", Engine::Sqlite, 1), "x INTEGER NOT NULL STRICT");
        assert_eq!(render("x {time} NOT NULL{strict}", Engine::Postgres, 1), "x timestamptz NOT NULL");
    }
}

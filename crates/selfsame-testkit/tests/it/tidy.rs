//! Tidy is a test: the rules of the house that neither the compiler nor clippy knows, read off the files themselves.
//!
//! Every rule is a function over a path and a text that gives its findings as `path:line: what is wrong`. It runs
//! twice: over the repository, where it must find nothing, and over a bad example, where it must find something.

use std::fs;
use std::path::{Path, PathBuf};

const STORE: &str = "selfsame-store";
const TESTKIT: &str = "selfsame-testkit";
const DAEMON: &str = "selfsame-daemon";
const CLI: &str = "selfsame-cli";

/// Which library only some crates may know, and which crates those are.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("rusqlite", &[STORE, TESTKIT]),
    ("postgres", &[STORE, TESTKIT]),
    ("axum", &[DAEMON]),
    ("hyper", &[DAEMON]),
    ("rmcp", &[DAEMON]),
    ("tokio", &[DAEMON]),
    ("ureq", &[DAEMON]),
    ("genai", &[DAEMON]),
    ("reqwest", &[DAEMON]),
    ("clap", &[CLI]),
];

/// How a string with SQL begins, and what else it must have. Prose ("Select one of ...")
/// and HTTP ("DELETE /path") are written otherwise.
const STATEMENTS: &[(&str, &str)] = &[
    ("SELECT ", ""),
    ("INSERT ", ""),
    ("UPDATE ", " SET "),
    ("DELETE FROM ", ""),
    ("CREATE TABLE ", ""),
    ("select ", " from "),
    ("insert into ", ""),
    ("update ", " set "),
    ("delete from ", ""),
    ("create table ", ""),
];

const ENVIRONMENT_FILE: &str = "crates/selfsame-cli/src/env.rs";
const MIGRATIONS: &str = "crates/selfsame-store/migrations/";

/// A file of the repository: its path from the root, and its text when it is one.
struct Source {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every text file of the repository, in the order of the paths. What is built is left out.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository can be read") {
        let entry = entry.expect("an entry can be read");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().expect("an entry has a type");
        // A folder, or in a second working tree a file that says where the first is.
        if name == ".git" {
            continue;
        }
        if kind.is_dir() {
            if !["target", "dist", "node_modules", "__pycache__"].contains(&name.as_str()) {
                walk(&entry.path(), &format!("{path}/"), found);
            }
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            found.push(Source { path, text });
        }
    }
}

/// Runs a rule over every file and shows all that it found at once.
fn expect_clean(rule: impl Fn(&str, &str) -> Vec<String>) {
    let findings: Vec<String> = sources().iter().flat_map(|file| rule(&file.path, &file.text)).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// The crate whose `src` the path is in, when it is Rust.
fn crate_of(path: &str) -> Option<&str> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    (rest.starts_with("src/") && rest.ends_with(".rs")).then_some(name)
}

/// The lines of code with their numbers: comments may speak of what code may not do.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(at, line)| (at + 1, line))
}

/// Whether the line names the library itself (`rusqlite::`), and not a module of ours (`store::postgres::`) or a
/// word that only ends alike (`tokio_postgres::`).
fn names_library(line: &str, library: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(&format!("{library}::")).any(|(at, _)| {
        let before = &line[..at];
        let before = before.strip_suffix("::").unwrap_or(before);
        !before.ends_with(part_of_name)
    })
}

fn library_findings(path: &str, text: &str) -> Vec<String> {
    let Some(name) = crate_of(path) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for (library, owners) in LIBRARIES.iter().filter(|(_, owners)| !owners.contains(&name)) {
        for (line, _) in code_lines(text).filter(|(_, code)| names_library(code, library)) {
            findings.push(format!("{path}:{line}: only {} may know {library}", owners.join(" and ")));
        }
    }
    findings
}

/// A library that is not among the dependencies cannot be used under another name either.
fn manifest_findings(path: &str, text: &str) -> Vec<String> {
    let Some(name) = path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml")) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut shipped = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            shipped = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        }
        let key = line.split(['.', '=', ' ']).next().unwrap_or_default();
        let owners = LIBRARIES.iter().find(|(library, _)| *library == key).map(|(_, owners)| *owners);
        if let Some(owners) = owners.filter(|owners| shipped && !owners.contains(&name)) {
            findings.push(format!("{path}:{}: only {} may depend on {key}", at + 1, owners.join(" and ")));
        }
    }
    findings
}

fn sql_findings(path: &str, text: &str) -> Vec<String> {
    if path.ends_with(".sql") && !path.starts_with(&format!("crates/{STORE}/")) {
        return vec![format!("{path}:1: SQL files belong to {STORE}")];
    }
    if crate_of(path).is_none_or(|name| name == STORE || name == TESTKIT) {
        return Vec::new();
    }
    let quotes = text.match_indices('"').map(|(at, _)| at);
    let statements = quotes.filter(|at| begins_statement(&text[at + 1..]));
    statements.map(|at| format!("{path}:{}: only {STORE} may speak SQL", line_of(text, at))).collect()
}

/// Whether a string literal with this inside (up to its closing quote) is an SQL statement.
fn begins_statement(inside: &str) -> bool {
    let literal = inside.split('"').next().unwrap_or_default();
    // Line breaks count as spaces, also those that the literal continues over with a backslash.
    let words = literal.replace("\\n", " ").replace('\\', " ");
    let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
    STATEMENTS.iter().any(|(start, also)| flat.starts_with(start) && flat.contains(also))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn environment_findings(path: &str, text: &str) -> Vec<String> {
    if path == ENVIRONMENT_FILE || crate_of(path).is_none_or(|name| name == TESTKIT) {
        return Vec::new();
    }
    let reads = code_lines(text).filter(|(_, code)| code.contains("env::var"));
    reads.map(|(line, _)| format!("{path}:{line}: only {ENVIRONMENT_FILE} reads the environment")).collect()
}

/// Work left undone, and tests that test nothing. In pieces, so that this file does not find itself.
fn leftovers() -> [String; 5] {
    [["FIX", "ME"], ["todo", "!("], ["unimplemented", "!("], ["#[", "ignore"], ["assert!(", "true"]]
        .map(|pieces| pieces.concat())
}

fn leftover_findings(path: &str, text: &str) -> Vec<String> {
    if !path.ends_with(".rs") {
        return Vec::new();
    }
    findings_of(&leftovers(), path, text, |_| true)
}

/// Places that exist on one machine only.
fn machine_paths() -> [String; 3] {
    [["/ro", "ot/"], ["/wo", "rk/"], ["../sha", "red"]].map(|pieces| pieces.concat())
}

fn machine_path_findings(path: &str, text: &str) -> Vec<String> {
    // After a name it is the middle of some path (`$folder/...`), which may be called anything.
    let inside = |c: char| c.is_alphanumeric() || "_-.~$})".contains(c);
    findings_of(&machine_paths(), path, text, |before| !before.ends_with(inside))
}

/// Every place of every needle, where what stands before it on the line counts as a find.
fn findings_of(needles: &[String], path: &str, text: &str, counts: impl Fn(&str) -> bool) -> Vec<String> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for needle in needles {
            if line.match_indices(needle).any(|(column, _)| counts(&line[..column])) {
                findings.push(format!("{path}:{}: `{needle}` must not be in the repository", at + 1));
            }
        }
    }
    findings
}

fn head_findings(path: &str, text: &str) -> Vec<String> {
    let in_workshop = path.starts_with("xtask/src/") && path.ends_with(".rs");
    if (crate_of(path).is_some() || in_workshop) && !text.starts_with("//!") {
        return vec![format!("{path}:1: a source file begins with `//!`: what it is for")];
    }
    Vec::new()
}

/// Migrations are `NNNN_words.sql`, numbered from 0001 without gaps.
fn migration_findings(names: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let expected = format!("{:04}_", at + 1);
        let words = name.strip_prefix(&expected).and_then(|rest| rest.strip_suffix(".sql"));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !words.is_some_and(|words| !words.is_empty() && words.chars().all(plain)) {
            findings.push(format!("{MIGRATIONS}{name}:1: the name should be {expected}words.sql"));
        }
    }
    findings
}

/// A test file that its `main.rs` does not declare is never compiled; a second binary is linked for nothing.
fn test_file_findings(path: &str, main: &str) -> Vec<String> {
    let Some((package, file)) =
        path.split_once("/tests/").filter(|(package, _)| package.starts_with("crates/"))
    else {
        return Vec::new();
    };
    let Some(file) = file.strip_suffix(".rs") else {
        return Vec::new();
    };
    let Some(module) = file.strip_prefix("it/") else {
        return vec![format!("{path}:1: tests are modules of {package}/tests/it, one binary per crate")];
    };
    // Of a folder of modules, the folder is what main.rs declares.
    let module = module.split('/').next().unwrap_or(module);
    let declared = |line: &str| line.trim() == format!("mod {module};");
    if module != "main" && !main.lines().any(declared) {
        return vec![format!("{path}:1: {package}/tests/it/main.rs does not declare `mod {module};`")];
    }
    Vec::new()
}

/// Finds the `main.rs` that a test file must be declared in.
fn main_of<'a>(path: &str, files: &'a [Source]) -> &'a str {
    let package = path.split("/tests/").next().unwrap_or_default();
    let main = format!("{package}/tests/it/main.rs");
    files.iter().find(|file| file.path == main).map_or("", |file| &file.text)
}

/// A build without the filter of agents is for one test: no program can ask for it.
#[test]
fn no_program_is_built_without_the_filter_of_agents() {
    let named = |file: &&Source| file.path.ends_with("Cargo.toml") && file.text.contains("unfiltered");
    let files = sources();
    let paths: Vec<&str> = files.iter().filter(named).map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["crates/selfsame-store/Cargo.toml", "crates/selfsame-testkit/Cargo.toml"]);
}

#[test]
fn the_walk_sees_the_repository() {
    let files = sources();
    for path in ["Cargo.toml", ".ci/run", "xtask/src/main.rs", "crates/selfsame-testkit/tests/it/tidy.rs"] {
        assert!(files.iter().any(|file| file.path == path), "{path} was not seen");
    }
    for name in [STORE, TESTKIT, DAEMON, CLI, "selfsame", "selfsame-core"] {
        assert!(files.iter().any(|file| crate_of(&file.path) == Some(name)), "no source of {name} was seen");
    }
}

#[test]
fn a_library_is_known_only_to_its_crate() {
    expect_clean(library_findings);
    expect_clean(manifest_findings);
}

#[test]
fn sql_is_spoken_only_in_the_store() {
    expect_clean(sql_findings);
}

#[test]
fn the_environment_is_read_in_one_file() {
    expect_clean(environment_findings);
}

#[test]
fn nothing_is_left_undone() {
    expect_clean(leftover_findings);
}

#[test]
fn nothing_speaks_of_one_machine() {
    expect_clean(machine_path_findings);
}

#[test]
fn every_source_file_has_a_head() {
    expect_clean(head_findings);
}

#[test]
fn migrations_are_numbered_without_gaps() {
    let files = sources();
    let names: Vec<&str> = files.iter().filter_map(|file| file.path.strip_prefix(MIGRATIONS)).collect();
    assert!(!names.is_empty(), "there is no migration in {MIGRATIONS}");
    let findings = migration_findings(&names);
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn every_test_file_is_declared() {
    let files = sources();
    expect_clean(|path, _| test_file_findings(path, main_of(path, &files)));
}

/// The rules must bite: each is fed what it is there to find, and its neighbours that it must leave alone.
mod bites {
    use super::*;

    const ENGINE: &str = "crates/selfsame/src/remember.rs";
    const IN_STORE: &str = "crates/selfsame-store/src/db.rs";
    const IN_TESTS: &str = "crates/selfsame/tests/it/main.rs";

    /// The lines, in order, in which a rule finds something.
    fn lines(findings: &[String]) -> Vec<usize> {
        let line = |finding: &String| finding.split(':').nth(1).and_then(|line| line.parse().ok());
        findings.iter().map(|finding| line(finding).expect("a finding names a line")).collect()
    }

    fn finds(findings: &[String], expected: &[usize]) {
        assert_eq!(lines(findings), expected, "{findings:#?}");
    }

    fn spares(findings: &[String]) {
        finds(findings, &[]);
    }

    #[test]
    fn a_library_in_the_wrong_crate() {
        let bad = "//! Head.\nuse rusqlite::Connection;\nfn f() { ::tokio::spawn(g()) }\n";
        let findings = library_findings(ENGINE, bad);
        finds(&findings, &[2, 3]);
        assert_eq!(findings[1], format!("{ENGINE}:3: only selfsame-daemon may know tokio"));
        for (library, _) in LIBRARIES {
            finds(&library_findings(ENGINE, &format!("{library}::run()")), &[1]);
        }
    }

    #[test]
    fn but_not_its_owner_nor_a_module_of_ours() {
        let text = "use rusqlite::Row;";
        spares(&library_findings(IN_STORE, text));
        spares(&library_findings(IN_TESTS, text));
        spares(&library_findings(ENGINE, "// axum::serve is not for us\ntokio_postgres::f();"));
        spares(&library_findings(ENGINE, "selfsame_store::postgres::open();"));
    }

    #[test]
    fn a_dependency_in_the_wrong_manifest() {
        let bad = "[dependencies]\nserde.workspace = true\ntokio.workspace = true\naxum = \"0.8\"\n";
        finds(&manifest_findings("crates/selfsame/Cargo.toml", bad), &[3, 4]);
        spares(&manifest_findings("crates/selfsame-daemon/Cargo.toml", bad));
        let development = "[dev-dependencies]\ntokio.workspace = true\n";
        spares(&manifest_findings("crates/selfsame/Cargo.toml", development));
    }

    #[test]
    fn a_statement_outside_the_store() {
        let bad = "//! Head.\nf(\"SELECT * FROM memory\");\nf(r#\"\n  DELETE FROM memory\n\"#);\n";
        finds(&sql_findings(ENGINE, bad), &[2, 3]);
        spares(&sql_findings(IN_STORE, bad));
        spares(&sql_findings(IN_TESTS, bad));
        for (start, also) in STATEMENTS {
            finds(&sql_findings(ENGINE, &format!("f(\"\\\n  {start}x{also}y\")")), &[1]);
        }
        finds(&sql_findings("crates/selfsame/src/all.sql", ""), &[1]);
        spares(&sql_findings("crates/selfsame-store/src/all.sql", ""));
    }

    #[test]
    fn but_not_prose_nor_http() {
        for prose in [
            "Select one",
            "select one",
            "update the memory",
            "SELECTED",
            "say: SELECT",
            "DELETE",
            "DELETE /x",
        ] {
            spares(&sql_findings(ENGINE, &format!("f(\"{prose}\")")));
        }
    }

    #[test]
    fn a_look_at_the_environment() {
        let bad = "use std::env;\nlet home = env::var(\"HOME\");\nfor pair in std::env::vars() {}\n";
        finds(&environment_findings(ENGINE, bad), &[2, 3]);
        finds(&environment_findings("crates/selfsame-cli/src/main.rs", bad), &[2, 3]);
        spares(&environment_findings(ENVIRONMENT_FILE, bad));
        spares(&environment_findings(IN_TESTS, bad));
    }

    #[test]
    fn work_left_undone() {
        for needle in leftovers() {
            let text = format!("fn f() {{\n    {needle}\n}}\n");
            finds(&leftover_findings(IN_TESTS, &text), &[2]);
            spares(&leftover_findings("CONTRIBUTING.md", &text));
        }
        spares(&leftover_findings(IN_TESTS, "assert!(it.is_true());"));
    }

    #[test]
    fn a_path_of_one_machine() {
        for needle in machine_paths() {
            let text = format!("first\nsee `{needle}notes.md`\n");
            finds(&machine_path_findings("README.md", &text), &[2]);
        }
        let inner = format!("$folder{} and tree{}", machine_paths()[0], machine_paths()[1]);
        spares(&machine_path_findings("README.md", &inner));
    }

    #[test]
    fn a_file_without_a_head() {
        finds(&head_findings(ENGINE, "use std::fs;\n//! Too late.\n"), &[1]);
        finds(&head_findings("xtask/src/main.rs", "fn main() {}"), &[1]);
        spares(&head_findings(ENGINE, "//! Head.\n"));
        spares(&head_findings("README.md", "# Head\n"));
    }

    #[test]
    fn a_migration_out_of_line() {
        spares(&migration_findings(&["0001_foundation.sql", "0002_two_words.sql"]));
        for bad in ["0002_late.sql", "1_a.sql", "0001_.sql", "0001-a.sql", "0001_a.txt", "0001_A.sql"] {
            finds(&migration_findings(&[bad]), &[1]);
        }
        finds(&migration_findings(&["0001_a.sql", "0003_c.sql"]), &[1]);
        finds(&migration_findings(&["0001_a.sql", "0001_b.sql"]), &[1]);
    }

    #[test]
    fn a_test_file_that_nobody_declares() {
        let main = "//! Head.\nmod recall;\n// mod heartbeat;\n";
        let rule = |file: &str| test_file_findings(&format!("crates/selfsame/tests/{file}"), main);
        for bad in ["it/heartbeat.rs", "it/heartbeat/mod.rs", "second.rs"] {
            finds(&rule(bad), &[1]);
        }
        for good in ["it/main.rs", "it/recall.rs", "it/recall/lists.rs", "foreign/client.py"] {
            spares(&rule(good));
        }
    }
}

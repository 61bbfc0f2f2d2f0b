//! A whole session on PostgreSQL, through the executable; and the ways not to reach one.

use crate::cli::{Ran, World, wait_until};
use insta::assert_snapshot;
use postgres::{Client, Config, NoTls};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

const ROLE: &str = "selfsame_cli_test";
const PASSWORD: &str = "p4ssw0rd-that-nobody-sees";

pub fn superuser_url() -> String {
    std::env::var("SELFSAME_TEST_PG").unwrap_or_else(|_| {
        panic!(
            "SELFSAME_TEST_PG is not set, so there is no PostgreSQL to test with: run `cargo xtask test`, or \
             `cargo xtask pg` in another terminal and export what it prints"
        )
    })
}

/// A database of its own on the test server, which goes when this is dropped.
pub struct Database {
    name: String,
    server: String,
}

impl Database {
    pub fn make() -> Database {
        Database::on(superuser_url())
    }

    /// On another server, by the address of its superuser.
    pub fn on(server: String) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("selfsame_cli_{}_{number}", std::process::id());
        let mut client = superuser(&server);
        // Held by whoever makes the role, until the connection ends.
        client.batch_execute("SELECT pg_advisory_lock(736563)").unwrap();
        let known = client.query_opt("SELECT 1 FROM pg_roles WHERE rolname = $1", &[&ROLE]).unwrap();
        if known.is_none() {
            let make = format!("CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}' NOSUPERUSER NOBYPASSRLS");
            client.batch_execute(&make).unwrap();
        }
        client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        Database { name, server }
    }

    /// For the application's role.
    pub fn url(&self) -> String {
        format!("postgres://{ROLE}:{PASSWORD}@{}/{}", host(&self.server), self.name)
    }

    /// For the role that owns the tables, with a password that the server does not ask for and nobody may see.
    pub fn owner_url(&self) -> String {
        let config: Config = self.server.parse().unwrap();
        let user = config.get_user().unwrap_or("postgres");
        let password =
            String::from_utf8_lossy(config.get_password().unwrap_or(PASSWORD.as_bytes())).into_owned();
        format!("postgres://{user}:{password}@{}/{}", host(&self.server), self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = superuser(&self.server).batch_execute(&sql) {
            eprintln!("{} was not dropped: {error}", self.name);
        }
    }
}

fn superuser(server: &str) -> Client {
    Client::connect(server, NoTls)
        .unwrap_or_else(|error| panic!("the test server does not answer ({error}): run `cargo xtask test`"))
}

/// The server's host and port, as a URL has them.
fn host(server: &str) -> String {
    let config: Config = server.parse().unwrap();
    let host = match config.get_hosts().first() {
        Some(postgres::config::Host::Tcp(host)) => host.clone(),
        other => panic!("the test server must be named with a host: {other:?}"),
    };
    format!("{host}:{}", config.get_ports().first().copied().unwrap_or(5432))
}

/// Nothing that anybody sees has the password in it.
#[track_caller]
fn discreet(ran: Ran) -> Ran {
    assert!(!format!("{ran}").contains(PASSWORD), "the password is shown: {ran}");
    ran
}

#[test]
fn a_whole_session() {
    let database = Database::make();
    let world = World::new();
    let run = |arguments: &[&str]| discreet(world.run(arguments));
    assert_snapshot!(run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]), @r#"
    A mind is made.
    data      $WORLD/data
    database  PostgreSQL
    agent     main
    key       in $WORLD/data/operator.key

    Next: selfsame remember "..."   selfsame recall "..."   selfsame serve
    "#);
    assert!(!world.database().exists(), "a file was made beside the server");
    // From here on the folder knows its database; the owner is not needed.
    assert_snapshot!(run(&["init"]), @r#"
    The mind is there already; nothing was changed.
    data      $WORLD/data
    database  PostgreSQL
    agent     main
    key       in $WORLD/data/operator.key

    Next: selfsame remember "..."   selfsame recall "..."   selfsame serve
    "#);
    assert_snapshot!(run(&["remember", "Maya likes green tea in the morning"]), @"remembered  mem_ID");
    assert_snapshot!(run(&["recall", "what does Maya like?", "--explain"]), @"
     0.35  Maya likes green tea in the morning
           Maya/preference#green-tea-in-the-morning
           believed, medium confidence, 1 for and 0 against  last said DATE
           first, being sure and current
           obs_ID
           +0.29  has the words                  ██████████
           +0.07  said by or about who is named  ██████████
           +0.07  words together as asked        ██████████
           +0.05  covers the question            ██████████
           +0.03  says rather than asks          ██████████
           x0.68  kind, confidence, freshness
           has    maya, like
     0.50  Maya likes green tea in the morning
           knowledge  said by principal, trust 1  DATE
           mem_ID
           +0.29  has the words                      ██████████
           +0.07  words together as asked            ██████████
           +0.05  covers the question                ██████████
           +0.03  says rather than asks              ██████████
           x1.15  age, importance, retention, trust
           has    maya, like
           for    obs_ID
    100 % sure that there is an answer
    by words alone
    ");
    assert_snapshot!(run(&["recall", "xylophone"]), @"nothing found: nothing that is stored has any of these words");
    assert_snapshot!(run(&["doctor"]), @"
    ok    data folder  $WORLD/data is yours alone
    ok    write        a memory was stored
    ok    restart      the mind was closed and opened again
    ok    recall       it was found by its words
    ok    forget       it was forgotten and is found no more
    ok    model        none: recall goes by words alone (`selfsame model install`
                       adds meaning)
    ok    tick         it was looked whether to speak up, for 0 tokens:
                       rcp_ID
    ok    clients      none is connected (`selfsame connect --detect --dry-run`)
    ");
    assert_snapshot!(run(&["verify"]), @"ok  1 memory of 1 agent: structure, seals and index fit");
    assert_snapshot!(run(&["agent", "create", "second"]), @"created  second  agt_ID  UTC");
    assert_snapshot!(run(&["agent", "create", "second"]), @r#"
    [stderr]
    error: agent "second" exists already: choose another name
    [exit code 4]
    "#);
    let id = world.remember("The code of the door is 4711");
    assert_snapshot!(run(&["forget", &id]), @"forgotten  mem_ID");
    assert_snapshot!(run(&["forget", &id]), @"
    [stderr]
    error: memory mem_ID was forgotten: nothing of it is left
    [exit code 3]
    ");
    assert_snapshot!(run(&["recall", "code of the door"]), @"nothing found: nothing that is stored has any of these words");
    assert_snapshot!(run(&["verify"]), @"ok  1 memory of 2 agents: structure, seals and index fit");
}

#[test]
fn a_daemon_on_a_server() {
    let database = Database::make();
    let world = World::new();
    world.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
    let daemon = world.serve(&["--set", "log.level=trace"]);
    let (status, body) = daemon.remember("told by HTTP");
    assert_eq!(status, 200, "{body}");
    world.remember("told by the socket");
    let recalled = discreet(world.run(&["recall", "told"])).succeeds();
    assert!(recalled.contains("told by HTTP") && recalled.contains("told by the socket"), "{recalled}");
    assert_snapshot!(discreet(world.run(&["doctor"])), @"
    ok    data folder  $WORLD/data is yours alone
    ok    daemon       it answers at http://127.0.0.1:PORT
    ok    write        a memory was stored
    ok    restart      it is on the disk: the data was opened afresh, beside this
                       process, and has it
    ok    recall       it was found by its words
    ok    forget       it was forgotten and is found no more
    ok    model        none: recall goes by words alone (`selfsame model install`
                       adds meaning)
    ok    tick         it was looked whether to speak up, for 0 tokens:
                       rcp_ID
    ok    clients      none is connected (`selfsame connect --detect --dry-run`)
    ");
    // The socket is in the folder, so there is one daemon a folder here too.
    let second = discreet(world.run(&["serve", "--address", "127.0.0.1:0"]));
    second.fails(6, "is in use by process");
    assert!(!daemon.log().contains(PASSWORD), "{}", daemon.log());
    assert_eq!(daemon.stop(), 0);
}

/// Two folders, one server: two machines that share a mind.
#[test]
fn two_folders_share_a_mind() {
    let database = Database::make();
    let (one, other) = (World::new(), World::new());
    one.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
    other.run(&["--db", &database.url(), "init"]).succeeds();
    let (first, second) = (one.serve(&[]), other.serve(&[]));
    assert_eq!(first.remember("told to the first").0, 200);
    let (_, body) = second.post_with(&first.key, "/v1/agents/main/recall", r#"{"query": "told"}"#);
    assert!(body.contains("told to the first"), "{body}");
    assert_eq!((first.stop(), second.stop()), (0, 0));
}

#[test]
fn the_password_is_never_shown() {
    let url = format!("postgres://someone:{PASSWORD}@127.0.0.1:1/nowhere");
    let twice = format!("{url}?sslpassword={PASSWORD}");
    let world = World::new();
    // What it says of all the others is with the settings' own tests.
    let shown = discreet(world.run(&["--db", &twice, "config", "show"])).succeeds();
    let of_database = shown.lines().find(|line| line.starts_with("database.url ")).unwrap();
    assert_snapshot!(of_database, @r#"database.url                           "postgres://someone:***@127.0.0.1:PORT/nowhere?sslpassword=***"  flag --set database.url"#);
    discreet(world.run(&["--db", &twice, "--json", "config", "show"])).succeeds();
    discreet(world.run(&["--db", &twice, "init"])).fails(8, "is no PostgreSQL address");
    // Misspelt, so that it is no URL any more: then nothing of it is shown.
    let bad = format!("database.url={}", url.replace("postgres://", "postgras:"));
    discreet(world.run(&["--set", &bad, "status"])).fails(2, "`database.url`");
    let world = world.with("SELFSAME_DB", &url).with("SELFSAME_DB_OWNER", &url);
    discreet(world.run(&["config", "show"])).succeeds();
    discreet(world.run(&["init"])).fails(6, "no connection to PostgreSQL");
}

#[test]
fn an_address_that_is_none_is_refused() {
    let world = World::new();
    for url in ["mysql://user@host/database", "host/database", "postgres://"] {
        let ran = world.run(&["--db", url, "init"]);
        ran.fails(2, "`database.url` cannot be");
    }
    assert!(!world.data().exists(), "something was made");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let world = World::new();
    // Bound and let go again: nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://{ROLE}:{PASSWORD}@127.0.0.1:{port}/x");
    assert_snapshot!(discreet(world.run(&["--db", &url, "init"])), @r#"
    [stderr]
    error: the database cannot be reached: no connection to PostgreSQL as "selfsame_cli_test" at 127.0.0.1 (error connecting to server: Connection refused (os error 111)): check the address, the password and that the server runs
    [exit code 6]
    "#);
    // It did not work, so it is not kept: the next command is not sent there.
    assert!(!world.data().join("selfsame.toml").exists());
}

#[test]
fn a_database_that_is_not_there_is_named() {
    let database = Database::make();
    let world = World::new();
    let url = database.url().replace(&database.name, "no_such_database");
    assert_snapshot!(discreet(world.run(&["--db", &url, "init"])), @r#"
    [stderr]
    error: the database cannot be reached: no connection to PostgreSQL as "selfsame_cli_test" at 127.0.0.1 (db error: FATAL: database "no_such_database" does not exist): check the address, the password and that the server runs
    [exit code 6]
    "#);
}

/// The test server lets everybody in; this one lets nobody in.
#[test]
fn a_wrong_password_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut startup = vec![0; u32::from_be_bytes(length) as usize - 4];
        stream.read_exact(&mut startup).unwrap();
        let fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user \"someone\"\0\0";
        let mut refusal = vec![b'E'];
        refusal.extend((fields.len() as u32 + 4).to_be_bytes());
        refusal.extend(fields);
        stream.write_all(&refusal).unwrap();
    });
    let world = World::new();
    let url = format!("postgres://someone:{PASSWORD}@127.0.0.1:{port}/x");
    assert_snapshot!(discreet(world.run(&["--db", &url, "init"])), @r#"
    [stderr]
    error: the database cannot be reached: no connection to PostgreSQL as "someone" at 127.0.0.1 (db error: FATAL: password authentication failed for user "someone"): check the address, the password and that the server runs
    [exit code 6]
    "#);
    server.join().unwrap();
}

#[test]
fn a_role_that_nothing_binds_is_refused() {
    let database = Database::make();
    let world = World::new();
    let ran =
        discreet(world.run(&["--db", &database.owner_url(), "--db-owner", &database.owner_url(), "init"]));
    assert_snapshot!(ran, @"
    [stderr]
    error: the database role of database.url is a superuser or bypasses row-level security, so nothing would keep agents apart: make a plain role (CREATE ROLE selfsame_app LOGIN PASSWORD '...' NOSUPERUSER NOBYPASSRLS) and name it in database.url; the other role may stay in database.owner_url
    [exit code 8]
    ");
}

#[test]
fn without_its_owner_an_empty_database_cannot_be_used() {
    let database = Database::make();
    let world = World::new();
    assert_snapshot!(discreet(world.run(&["--db", &database.url(), "init"])), @"
    [stderr]
    error: the database has no tables of selfsame that this role may use: name the role that owns (or shall own) them once, with --db-owner or database.owner_url, and the tables are made, migrated and opened to the application's role
    [exit code 8]
    ");
}

/// A warning in every place that somebody looks at; the daemon serves on.
#[test]
fn a_clock_that_differs_from_the_servers_is_seen() {
    let database = Database::make();
    let world = World::new();
    world.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
    let before = world.serve(&[]);
    assert!(before.get("/metrics").contains("\nselfsame_clock_skew_seconds 0\n"));
    assert!(!before.get("/readyz").contains("skew"));
    assert!(!world.run(&["status"]).succeeds().contains("clock"));
    assert_eq!(before.stop(), 0);
    // Another clock before the server's own, for whoever connects from now on.
    let another_clock = format!(
        "CREATE SCHEMA skewed; GRANT USAGE ON SCHEMA skewed TO PUBLIC;
         CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
             $$ SELECT pg_catalog.clock_timestamp() + interval '300.5 s' $$;
         ALTER DATABASE {} SET search_path = skewed, pg_catalog",
        database.name
    );
    Client::connect(&database.owner_url(), NoTls).unwrap().batch_execute(&another_clock).unwrap();
    let daemon = world.serve(&[]);
    let metrics = daemon.get("/metrics");
    assert!(metrics.contains("\nselfsame_clock_skew_seconds 300\n"), "{metrics}");
    let ready = daemon.get("/readyz");
    assert!(ready.starts_with("HTTP/1.1 200 ") && ready.contains(r#""status":"ready""#), "{ready}");
    assert!(ready.contains(r#""clock_skew_seconds":300"#), "{ready}");
    let status = world.run(&["status"]).succeeds();
    assert!(status.contains("clock     300 s from the database server's, which is used"), "{status}");
    assert!(world.run(&["--json", "status"]).succeeds().contains(r#""clock_skew_seconds": 300"#));
    // Whoever watches the clock logs it in its own time.
    wait_until("the log tells of it", || daemon.log().contains("this machine's clock differs").then_some(()));
    assert_eq!(daemon.stop(), 0);
    // Without a daemon too.
    assert!(world.run(&["status"]).succeeds().contains("300 s from the database server's"));
}

//! A server that cannot be used is refused in words that name the remedy, and is left as it was.

use selfsame_core::time::Time;
use selfsame_store::{Options, PostgresUrl, Store, StoreError};
use selfsame_testkit::{APPLICATION_PASSWORD, APPLICATION_ROLE, Bench, Database, Server};

fn refusal(url: &PostgresUrl) -> String {
    let opened = Store::open_postgres(url, Options::default(), Time::from_micros(0));
    opened.err().expect("it should have been refused").to_string()
}

/// Whether nothing of ours is in the database.
fn is_untouched(database: &Database) -> bool {
    database.owner().number("SELECT COUNT(*) FROM pg_namespace WHERE nspname = 'selfsame'") == 0
}

fn application_only(application: String) -> PostgresUrl {
    PostgresUrl { application, owner: None }
}

#[test]
fn postgres_an_address_that_is_none() {
    for garbage in ["garbage", "postgres://", "http://localhost/selfsame", "postgres://u@h:notaport/d"] {
        let said = refusal(&application_only(garbage.into()));
        assert!(
            said == "database.url is no PostgreSQL address: write postgres://user:password@host:5432/database"
                || said == "database.url names no role: write postgres://user:password@host:5432/database",
            "{garbage}: {said}"
        );
    }
    let bench = Bench::empty_postgres();
    let owner = PostgresUrl { owner: Some("garbage".into()), ..bench.urls() };
    assert_eq!(
        refusal(&owner),
        "database.owner_url is no PostgreSQL address: write postgres://user:password@host:5432/database"
    );
    assert!(is_untouched(bench.database()));
}

#[test]
fn postgres_a_server_that_is_not_there() {
    // A port that was free a moment ago: nobody answers there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let said = refusal(&application_only(format!("postgres://maya:secret@127.0.0.1:{port}/mind")));
    assert!(said.contains("no connection to PostgreSQL as \"maya\""), "{said}");
    assert!(said.ends_with("check the address, the password and that the server runs"), "{said}");
    assert!(!said.contains("secret"), "{said}");
    let said = refusal(&application_only("postgres://maya:secret@no-such-host.invalid/mind".into()));
    assert!(said.contains("no-such-host.invalid") && !said.contains("secret"), "{said}");
}

#[test]
fn postgres_a_database_that_is_not_there() {
    let server = Server::with_vectors();
    server.ensure_role(APPLICATION_ROLE, "NOSUPERUSER NOBYPASSRLS");
    let said = refusal(&server.urls("selfsame_no_such_database"));
    assert!(said.contains("database \"selfsame_no_such_database\" does not exist"), "{said}");
}

#[test]
fn postgres_a_role_that_is_not_there() {
    let bench = Bench::empty_postgres();
    let database = bench.database();
    let said =
        refusal(&application_only(database.server().url("selfsame_no_such_role", "x", database.name())));
    assert!(said.contains("selfsame_no_such_role"), "{said}");
    assert!(is_untouched(database));
}

#[test]
fn postgres_a_server_without_pgvector() {
    let database = Server::bare().empty_database();
    assert_eq!(
        refusal(&database.urls()),
        "the PostgreSQL server has no pgvector 0.8: install it there (Debian: apt-get install \
         postgresql-17-pgvector, with the server's own number), then start again"
    );
    assert!(is_untouched(&database));
}

const STANDS_ABOVE: &str = "the database role of database.url is a superuser or bypasses row-level security, so nothing \
    would keep agents apart: make a plain role (CREATE ROLE selfsame_app LOGIN PASSWORD '...' NOSUPERUSER NOBYPASSRLS) \
    and name it in database.url; the other role may stay in database.owner_url";

#[test]
fn postgres_a_superuser_as_the_application() {
    let bench = Bench::empty_postgres();
    let superuser = bench.urls().owner.unwrap();
    assert_eq!(refusal(&application_only(superuser.clone())), STANDS_ABOVE);
    assert_eq!(
        refusal(&PostgresUrl { application: superuser.clone(), owner: Some(superuser) }),
        STANDS_ABOVE
    );
    assert!(is_untouched(bench.database()));
}

#[test]
fn postgres_a_role_that_bypasses_row_level_security() {
    let bench = Bench::empty_postgres();
    let (database, role) = (bench.database(), "selfsame_bypass_test");
    database.server().ensure_role(role, "NOSUPERUSER BYPASSRLS");
    let application = database.server().url(role, APPLICATION_PASSWORD, database.name());
    assert_eq!(refusal(&PostgresUrl { application, ..bench.urls() }), STANDS_ABOVE);
    assert!(is_untouched(database));
}

const OWNS: &str = "the database role of database.url owns the tables and could switch row-level security off: make a \
    second role (CREATE ROLE selfsame_app LOGIN PASSWORD '...'), name it in database.url, and name the present one in \
    database.owner_url";

#[test]
fn postgres_a_role_that_owns_the_tables() {
    let bench = Bench::empty_postgres();
    let (database, role) = (bench.database(), "selfsame_owner_test");
    database.server().ensure_role(role, "NOSUPERUSER NOBYPASSRLS");
    let name = database.name();
    database
        .owner()
        .run(&format!("CREATE EXTENSION vector SCHEMA public; GRANT ALL ON DATABASE {name} TO {role}"))
        .unwrap();
    let owner = database.server().url(role, APPLICATION_PASSWORD, name);
    let both = PostgresUrl { application: owner.clone(), owner: Some(owner.clone()) };
    assert_eq!(refusal(&both), OWNS);
    assert!(is_untouched(database));
    // With a role for each it works, and then the owner is still no application.
    Store::open_postgres(
        &PostgresUrl { owner: Some(owner.clone()), ..bench.urls() },
        Options::default(),
        Time::from_micros(0),
    )
    .unwrap();
    assert_eq!(refusal(&application_only(owner)), OWNS);
}

#[test]
fn postgres_an_empty_database_and_no_owner() {
    let bench = Bench::empty_postgres();
    assert_eq!(
        refusal(&application_only(bench.urls().application)),
        "the database has no tables of selfsame that this role may use: name the role that owns (or shall own) them \
         once, with --db-owner or database.owner_url, and the tables are made, migrated and opened to the application's \
         role"
    );
    assert!(is_untouched(bench.database()));
}

#[test]
fn postgres_an_owner_that_may_not_make_the_schema() {
    let bench = Bench::empty_postgres();
    let (database, role) = (bench.database(), "selfsame_powerless_test");
    database.server().ensure_role(role, "NOSUPERUSER NOBYPASSRLS");
    let owner = database.server().url(role, APPLICATION_PASSWORD, database.name());
    let said = refusal(&PostgresUrl { owner: Some(owner), ..bench.urls() });
    assert!(said.starts_with("the owner role may not make the schema or the extension"), "{said}");
    assert!(said.contains("CREATE SCHEMA selfsame AUTHORIZATION <owner role>"), "{said}");
    assert!(is_untouched(database));
}

#[test]
fn postgres_errors_are_of_the_class_that_says_what_to_do() {
    let bench = Bench::empty_postgres();
    let url = application_only(bench.urls().application);
    let opened = Store::open_postgres(&url, Options::default(), Time::from_micros(0)).err();
    assert!(matches!(opened, Some(StoreError::Unusable(_))), "{APPLICATION_ROLE}: {opened:?}");
}

//! Clocks of two machines: the database server's is used, and a difference is told.

use selfsame::config::{DatabaseUrl, Settings};
use selfsame::{DataFolder, Mind, Opening};
use selfsame_testkit::{Bench, Raw};
use std::time::Duration;

/// Puts another clock before the server's own, for whoever connects from now on.
const ANOTHER_CLOCK: &str = "
    CREATE SCHEMA skewed;
    CREATE TABLE skewed.skew (by_how_much interval);
    INSERT INTO skewed.skew VALUES ('0 s');
    CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() + by_how_much FROM skewed.skew';
    GRANT USAGE ON SCHEMA skewed TO PUBLIC;
    GRANT SELECT ON skewed.skew TO PUBLIC;
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = skewed, pg_catalog', current_database()); END $$";

fn skew(server: &mut Raw, by: &str) {
    server.run(&format!("UPDATE skewed.skew SET by_how_much = '{by}'")).unwrap();
}

fn open(bench: &Bench, folder: &DataFolder) -> Mind {
    let mut settings = Settings::default();
    settings.database.url = DatabaseUrl::new(&bench.urls().application);
    Opening::new(settings).open(folder).unwrap()
}

/// About, because a moment passes while one asks.
fn seconds(skew: Option<Duration>) -> Option<u64> {
    skew.map(|skew| (skew + Duration::from_millis(500)).as_secs())
}

#[test]
fn postgres_a_clock_that_differs_is_told_and_the_servers_used() {
    let bench = Bench::postgres();
    bench.agent("main");
    let mut server = bench.owner();
    server.run(ANOTHER_CLOCK).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let folder = DataFolder::create(&temporary.path().join("mind")).unwrap();
    let right = open(&bench, &folder);
    assert_eq!((right.clock_skew(), right.status().unwrap().clock_skew), (None, None));
    for (by, told) in [("1 s", None), ("300 s", Some(300)), ("-300 s", Some(300))] {
        skew(&mut server, by);
        let mind = open(&bench, &folder);
        assert_eq!(seconds(mind.clock_skew()), told, "{by}");
        assert_eq!(seconds(mind.status().unwrap().clock_skew), told, "{by}");
    }
    // It is asked again from time to time: who was right may be wrong by then, and the other way round.
    skew(&mut server, "1000 s");
    let before = right.now();
    right.agree_with_server().unwrap();
    assert_eq!(seconds(right.clock_skew()), Some(1000));
    assert!(right.now().since(before) > Duration::from_secs(990), "the server's time is used");
    skew(&mut server, "0 s");
    right.agree_with_server().unwrap();
    assert_eq!(right.clock_skew(), None);
}

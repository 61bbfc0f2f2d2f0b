//! One test, both engines: `sqlite_x` and `postgres_x` out of `x`.

/// Runs each test on SQLite and on PostgreSQL, by name. The test is given a fresh [`Bench`](crate::Bench).
///
/// ```
/// selfsame_testkit::both_engines! {
///     fn an_agent_is_found_by_its_name(bench: Bench) {
///         let made = bench.mind().create_agent("main", None).unwrap();
///         assert_eq!(bench.mind().require_agent("main").unwrap(), made);
///     }
/// }
/// ```
#[macro_export]
macro_rules! both_engines {
    ($($(#[$meta:meta])* fn $name:ident($($bench:ident)+: Bench) $body:block)*) => {
        $crate::pastey::paste! {$(
            fn $name($($bench)+: $crate::Bench) $body

            $(#[$meta])*
            #[test]
            fn [<sqlite_ $name>]() {
                $name($crate::Bench::sqlite());
            }

            $(#[$meta])*
            #[test]
            fn [<postgres_ $name>]() {
                $name($crate::Bench::postgres());
            }
        )*}
    };
}

//! Vectors that do not fit are named, whatever is wrong with them, and can be made again.

use crate::conversation::say;
use crate::meaning::{fill, first, model, rows};
use crate::recall::ask;
use crate::remember::remember;
use selfsame::id::MemoryId;
use selfsame::{Access, Engine, Mind};
use selfsame_testkit::{Bench, Meanings, both_engines};
use std::sync::Arc;

const WAY_OUT: &str = ": `selfsame model embed --anew` makes the vectors again";

struct Spoiled<'b> {
    bench: &'b Bench,
    model: Arc<Meanings>,
    car: MemoryId,
}

/// An agent with a few texts, one of them about a car.
fn furnish(bench: &mut Bench) -> Spoiled<'_> {
    let model = model("a");
    bench.reopen_with(Some(Arc::clone(&model)), &[]);
    let access = bench.main();
    fill(&access);
    say(&access, "c", "the feline is unwell");
    let car = remember(&access, "Maya purchased an automobile");
    assert_eq!(problems(bench.mind()), [""; 0]);
    Spoiled { bench, model, car }
}

fn problems(mind: &Mind) -> Vec<String> {
    mind.verify().unwrap().problems
}

impl Spoiled<'_> {
    fn access(&self) -> Access<'_> {
        self.bench.main()
    }

    fn run(&self, sql: &str) {
        let sql = sql.replace("CAR", &self.bench.id(self.car.id()));
        self.bench.owner().run(&sql).unwrap();
    }

    /// Exactly this is said, with the way out; the way out is taken, and everything fits again.
    fn is_named_and_mended(&self, said: &[&str]) {
        let said: Vec<String> = said
            .iter()
            .map(|said| format!("agent main: {}{WAY_OUT}", said.replace("CAR", &self.car.to_string())))
            .collect();
        let mind = self.bench.open_models(Some(Arc::clone(&self.model)), &[], |_| {}, Default::default());
        assert_eq!(problems(&mind), said);
        // Words go on, whatever vectors say.
        let access = mind.access("main", selfsame::Speaker::Operator).unwrap();
        assert_eq!(ask(&access, "automobile").hits[0].found.id(), self.car.id());
        mind.drop_vectors().unwrap();
        assert_eq!((rows(self.bench, "vectors", "1 = 1"), rows(self.bench, "vector_codes", "1 = 1")), (0, 0));
        assert_eq!(mind.embed_pending(1000).unwrap().texts, 6);
        assert_eq!(problems(&mind), [""; 0]);
        assert_eq!(first(&access, "bought car").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!(
            first(&self.access(), "bought car").as_deref(),
            Some("Maya purchased an automobile"),
            "for others, too"
        );
    }
}

both_engines! {
    fn a_vector_that_is_missing_is_counted(mut bench: Bench) {
        let spoiled = furnish(&mut bench);
        spoiled.run("DELETE FROM vectors WHERE item_id = CAR");
        match spoiled.bench.engine() {
            Engine::Sqlite => spoiled.is_named_and_mended(&[
                "there is a short form of CAR, but no vector",
                "5 vectors of memories are counted where 4 are",
            ]),
            Engine::Postgres => spoiled.is_named_and_mended(&["5 vectors of memories are counted where 4 are"]),
        }
    }

    fn a_count_that_is_wrong_is_named(mut bench: Bench) {
        let spoiled = furnish(&mut bench);
        spoiled.run("UPDATE vector_stock SET live = 3 WHERE kind = 'message'");
        spoiled.is_named_and_mended(&["3 vectors of messages are counted where 1 are"]);
    }

    fn vectors_that_nobody_counts_are_named(mut bench: Bench) {
        let spoiled = furnish(&mut bench);
        spoiled.run("DELETE FROM vector_stock WHERE kind = 'memory'");
        spoiled.is_named_and_mended(&["5 vectors of the kind memory and the model 1 are not counted"]);
    }

    fn a_vector_of_nothing_is_named(mut bench: Bench) {
        let spoiled = furnish(&mut bench);
        let nobody = spoiled.bench.fresh_id();
        let to = spoiled.bench.id(nobody);
        let owl = "(SELECT max(id) FROM memory_items WHERE content = 'Owls hunt by night')";
        let owl = match spoiled.bench.engine() {
            Engine::Sqlite => owl.to_owned(),
            Engine::Postgres => owl.replace("max(id)", "id"),
        };
        spoiled.run(&format!("UPDATE vectors SET item_id = {to} WHERE item_id = {owl}"));
        spoiled.run(&format!("UPDATE vector_codes SET item_id = {to} WHERE item_id = {owl}"));
        spoiled.is_named_and_mended(&[&format!("the vector of {} belongs to no text", MemoryId::of(nobody))]);
    }

    fn a_vector_that_is_not_of_length_one_is_named(mut bench: Bench) {
        let spoiled = furnish(&mut bench);
        match spoiled.bench.engine() {
            Engine::Sqlite => spoiled.run("UPDATE vectors SET embedding = zeroblob(1024) WHERE item_id = CAR"),
            Engine::Postgres => {
                spoiled.run("UPDATE vectors SET embedding = l2_normalize(embedding::vector) * embedding::vector WHERE item_id = CAR");
            }
        }
        spoiled.is_named_and_mended(&["the vector of CAR is not of length one"]);
    }

    fn a_model_that_is_not_known_is_named(mut bench: Bench) {
        let spoiled = furnish(&mut bench);
        spoiled.run("UPDATE vector_use SET generation = 9");
        spoiled.is_named_and_mended(&["recall looks among vectors of a model 9 that is not known"]);
    }
}

#[test]
fn what_cannot_be_read_as_a_vector_is_named() {
    let mut bench = Bench::sqlite();
    let spoiled = furnish(&mut bench);
    spoiled.run("UPDATE vectors SET embedding = x'010203' WHERE item_id = CAR");
    spoiled.is_named_and_mended(&["the vector of CAR has 0 numbers instead of 256"]);
    spoiled.run("UPDATE vectors SET embedding = substr(embedding, 1, 1020) WHERE item_id = CAR");
    spoiled.is_named_and_mended(&["the vector of CAR has 255 numbers instead of 256"]);
}

#[test]
fn a_short_form_that_is_another_is_named() {
    let mut bench = Bench::sqlite();
    let spoiled = furnish(&mut bench);
    for spoil in [
        "code = x'00'",
        "code = zeroblob(length(code))",
        "code = CAST(substr(code, 1, 40) || x'05' || substr(code, 42) AS BLOB)",
    ] {
        spoiled.run(&format!("UPDATE vector_codes SET {spoil} WHERE item_id = CAR AND code IS NOT NULL"));
        spoiled.is_named_and_mended(&["the vector of CAR has the short form of another"]);
    }
    spoiled.run("DELETE FROM vector_codes WHERE item_id = CAR AND code IS NOT NULL");
    spoiled.is_named_and_mended(&["the vector of CAR has no short form"]);
}

//! What is forgotten is gone from episodes and journals too, what is damaged is named and left out, and the rows of work have
//! nobody's words.

use crate::contemplation::told;
use crate::damaged_rows::damage;
use crate::remember::remember;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::contemplation::{Contemplated, EpisodeRow};
use selfsame::ports::{Desk, Fault, FaultKind, ToolCard, ToolClass, Toolbox};
use selfsame::recall::Question;
use selfsame::time::Time;
use selfsame::{Access, Engine, Mind, Speaker};
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::{Bench, both_engines};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// Every tool answers with what it was asked.
struct Echo;

impl Toolbox for Echo {
    fn tools(&self, _access: &Access<'_>) -> Vec<ToolCard> {
        let card = |name: &str| ToolCard {
            name: name.into(),
            description: String::new(),
            schema: "{}".into(),
            class: ToolClass::Write,
        };
        vec![card("echo"), card("fail")]
    }

    fn is_ours(&self, tool: &str) -> bool {
        ["echo", "fail"].contains(&tool)
    }

    fn call(&self, _: &Access<'_>, tool: &str, arguments: &str, _: Duration) -> Result<String, String> {
        if tool == "fail" { Err(arguments.into()) } else { Ok(arguments.into()) }
    }
}

struct Diarist {
    mind: Mind,
    folder: TempDir,
    thinker: Arc<ScriptedThinker>,
    /// What it says next.
    says: Arc<Mutex<Result<String, Fault>>>,
}

fn diarist(bench: &Bench) -> Diarist {
    bench.clock().set(Time::parse("2026-02-03T10:00:00Z").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::default();
    settings.contemplation.enabled = true;
    settings.contemplation.journal_folder = Some(folder.path().to_owned());
    settings.thinker.kind = ThinkerKind::Model;
    let says = Arc::new(Mutex::new(Ok(String::new())));
    let next = Arc::clone(&says);
    let thinker = Arc::new(ScriptedThinker::acting(move |_, desk: &dyn Desk| {
        let says = next.lock().unwrap().clone()?;
        desk.call("echo", r#"{"words":"the zebra slept"}"#);
        desk.call("fail", r#"{"words":"the zebra slept"}"#);
        Ok(says)
    }));
    let theirs = Arc::new(OneThinker(Arc::clone(&thinker)));
    let mind = bench.open_as(settings, |opening| opening.thinkers(theirs).toolbox(Arc::new(Echo)));
    mind.ensure_agent("main").unwrap();
    Diarist { mind, folder, thinker, says }
}

impl Diarist {
    fn main(&self) -> Access<'_> {
        self.mind.access("main", Speaker::Operator).unwrap()
    }

    fn thinks(&self, says: String) -> EpisodeRow {
        *self.says.lock().unwrap() = Ok(says);
        match self.main().contemplate().unwrap() {
            Contemplated::Episode(episode) => *episode,
            other => panic!("{other:?}"),
        }
    }

    fn journal(&self) -> String {
        let path: PathBuf = self.folder.path().join("main/memory/contemplation/2026-02-03.jsonl");
        std::fs::read_to_string(path).unwrap()
    }

    fn dump(&self) -> String {
        selfsame_testkit::dump(&self.mind)
    }
}

fn count(bench: &Bench, table: &str) -> i64 {
    bench.owner().number(&format!("SELECT COUNT(*) FROM {table}"))
}

both_engines! {
    fn an_episode_goes_with_its_memory(bench: Bench) {
        let life = diarist(&bench);
        let stays = life.thinks(told("The owl is grey.", ""));
        let goes = life.thinks(told("The zebra slept badly.", r#","lesson":"Let the zebra sleep.","stripes":"zebra""#));
        assert_eq!(life.journal().lines().count(), 2);
        life.main().forget(goes.memory, None).unwrap();
        assert_eq!(life.main().episode(goes.id).unwrap(), None);
        assert_eq!(life.main().episodes(None, 10).unwrap().iter().map(|one| one.id).collect::<Vec<_>>(), [stays.id]);
        assert!(!life.dump().contains("zebra"), "{}", life.dump());
        assert!(life.journal().contains("owl") && !life.journal().contains("zebra"), "{}", life.journal());
        assert_eq!(life.journal().lines().count(), 1);
        assert_eq!(count(&bench, "tombstones"), 2, "the memory and the episode");
        assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
        life.thinks(told("Another thought.", ""));
        assert!(!life.thinker.prompts().last().unwrap().material.contains("zebra"));
    }

    fn an_account_that_repeats_what_is_forgotten_goes_with_it(bench: Bench) {
        let life = diarist(&bench);
        let secret = remember(&life.main(), "The zebra sleeps on the red sofa");
        let stays = life.thinks(told("The sofa is red.", ""));
        let summary = life.thinks(told("I know now: the Zebra sleeps, on the red sofa.", ""));
        let other_field = life.thinks(told("Something else.", r#","reflection":"The zebra sleeps on the red sofa.""#));
        let fallback = life.thinks("No account. The zebra sleeps on the red sofa.".into());
        assert_eq!(life.journal().lines().count(), 4);
        let found = |life: &Diarist| life.main().recall(&Question::new("zebra sofa")).unwrap().hits.len();
        assert!(found(&life) > 0);
        life.main().forget(secret, None).unwrap();
        for gone in [summary, other_field, fallback] {
            assert_eq!(life.main().episode(gone.id).unwrap(), None);
            assert_eq!(life.main().memory(gone.memory).unwrap(), None);
        }
        assert!(life.main().episode(stays.id).unwrap().is_some(), "it has a word or two of it, as others do");
        let dump = life.dump().to_lowercase();
        assert!(!dump.contains("zebra"), "{dump}");
        assert!(!life.journal().to_lowercase().contains("zebra"), "{}", life.journal());
        assert_eq!(life.journal().lines().count(), 1);
        assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
    }

    fn one_word_takes_no_accounts_away(bench: Bench) {
        let life = diarist(&bench);
        let word = remember(&life.main(), "tea");
        let episode = life.thinks(told("She likes tea.", ""));
        life.main().forget(word, None).unwrap();
        assert!(life.main().episode(episode.id).unwrap().is_some());
        assert_eq!(life.journal().lines().count(), 1);
    }

    fn the_rows_of_work_have_nobodys_words(bench: Bench) {
        let life = diarist(&bench);
        remember(&life.main(), "The zebra sleeps on the red sofa");
        life.thinks(told("The zebra slept.", ""));
        *life.says.lock().unwrap() = Err(Fault::new(FaultKind::Busy, "it is busy"));
        life.main().contemplate().unwrap();
        let columns = [
            ("work_items", ["about", "quoted", "reason", "kind", "thinker"].as_slice()),
            ("work_attempts", &["reason", "outcome", "model", "thinker"]),
            ("tool_calls", &["tool", "class", "reason", "outcome"]),
            ("cycles", &["reason", "outcome", "cause"]),
            ("contemplations", &["signatures", "drawn"]),
        ];
        for (table, columns) in columns {
            assert!(count(&bench, table) > 0, "{table} has rows");
            for column in columns {
                let holds = format!("SELECT COUNT(*) FROM {table} WHERE CAST({column} AS TEXT) LIKE '%zebra%'");
                assert_eq!(bench.owner().number(&holds), 0, "{table}.{column}");
            }
        }
        assert!(life.dump().contains("zebra"), "the dump would show them");
    }

    fn a_damaged_episode_is_named_and_left_out(bench: Bench) {
        let life = diarist(&bench);
        let bad = life.thinks(told("The zebra slept badly.", ""));
        let good = life.thinks(told("The owl is grey.", ""));
        damage(&bench, "episodes", "said", bad.id.id());
        let problems = life.mind.verify().unwrap().problems;
        assert!(problems.len() == 1 && problems[0].contains(&bad.id.to_string()), "{problems:?}");
        let seen = |life: &Diarist| life.main().episodes(None, 10).unwrap().iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(seen(&life), [good.id]);
        assert!(life.main().episode(bad.id).is_err());
        let mut last = good.id;
        for number in 0..5 {
            last = life.thinks(told(&format!("Thought {number} goes on."), r#","lesson":"Go on whatever is damaged.""#)).id;
        }
        assert_eq!(seen(&life)[0], last);
        let prompt = life.thinker.prompts()[2].clone();
        assert!(prompt.material.contains("owl") && !prompt.material.contains(&bad.id.to_string()), "{}", prompt.material);
        assert!(!life.journal().contains(&bad.id.to_string()), "{}", life.journal());
        assert_eq!(life.journal().lines().count(), 6);
        assert!(life.dump().contains("Go on whatever is damaged"), "what is sound is learned from");
        // One that cannot even be read, and one that the operator has forgotten.
        let unreadable = format!("UPDATE episodes SET body = '[]' WHERE id = {}", bench.id(good.id.id()));
        assert_eq!(bench.owner().run(&unreadable), Ok(1));
        assert_eq!(life.mind.verify().unwrap().problems.len(), 2);
        assert!(!seen(&life).contains(&good.id));
        life.main().forget(bad.memory, None).unwrap();
        assert_eq!(life.mind.verify().unwrap().problems.len(), 1);
        if bench.engine() == Engine::Sqlite {
            assert_eq!(count(&bench, "episodes"), 6);
        }
    }
}

//! The soul: written deliberately, by those who may, and left alone by everything else.

use crate::remember::{key, remember};
use selfsame::diary::DiaryDraft;
use selfsame::id::SoulId;
use selfsame::jobs;
use selfsame::scheduler::Pace;
use selfsame::soul::SoulKind;
use selfsame::trust::Author;
use selfsame::{Access, Class, Error, Speaker};
use selfsame_testkit::seeded::for_each_seed;
use selfsame_testkit::{Bench, both_engines, nasty};
use std::time::Duration;

fn add(access: &Access, content: &str) -> Result<SoulId, Error> {
    access.add_to_soul(SoulKind::Belief, content, "it came to me", None).map(|added| added.id)
}

fn contents(access: &Access) -> Vec<String> {
    access.soul(false).unwrap().iter().map(|entry| entry.content.clone()).collect()
}

/// The rows of the soul, byte by byte.
fn rows(bench: &Bench) -> String {
    let dump = bench.dump();
    let rest = dump.split_once("[soul_entries]\n").unwrap().1;
    rest.split("\n[").next().unwrap().to_owned()
}

both_engines! {
    fn an_entry_is_kept_with_its_reason_and_stays_as_history(bench: Bench) {
        let own = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        let first = agent.add_to_soul(SoulKind::Value, "I am honest", "lies cost more", None).unwrap().id;
        let second = add(&own, "I matter").unwrap();
        assert_eq!(contents(&own), ["I am honest", "I matter"], "in the order of addition");
        assert!(agent.remove_from_soul(first, "I learned tact", None).unwrap().now);
        assert!(!own.remove_from_soul(first, "again", None).unwrap().now, "twice is as once");
        assert_eq!(contents(&agent), ["I matter"]);
        let all = own.soul(true).unwrap();
        assert_eq!(all.iter().map(|entry| entry.id).collect::<Vec<_>>(), [first, second]);
        let removal = all[0].removed.clone().unwrap();
        assert_eq!((removal.reason.as_str(), removal.by.as_str()), ("I learned tact", "agent"));
        assert_eq!((all[0].kind, all[0].provenance.author()), (SoulKind::Value, Author::Agent));
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        // The same words may come back after they went.
        add(&agent, "I am honest").unwrap();
    }

    fn only_the_agent_and_its_operator_may_write(bench: Bench) {
        let main = bench.agent("main");
        let maya = bench.principal(&main, "maya");
        let id = add(&bench.access("main", Speaker::Agent(Some(maya))), "I am kind").unwrap();
        let stranger = bench.access("main", Speaker::Principal(maya));
        let before = bench.dump();
        for error in [
            add(&stranger, "I obey Maya").unwrap_err(),
            stranger.remove_from_soul(id, "no", None).unwrap_err(),
        ] {
            assert_eq!(error.class(), Class::Forbidden);
            assert!(error.to_string().contains("only the agent itself"), "{error}");
        }
        assert_eq!(bench.dump(), before);
        assert_eq!(contents(&stranger), ["I am kind"], "it may be read");
    }

    fn there_is_a_limit_in_characters_and_one_in_entries(bench: Bench) {
        let access = bench.main();
        let settings = bench.mind().settings().soul.clone();
        add(&access, &"信".repeat(settings.max_characters)).unwrap();
        let error = add(&access, &"x".repeat(settings.max_characters + 1)).unwrap_err();
        assert_eq!(error.to_string(), "content: 1001 characters are more than 1000; say it in fewer words (or raise soul.max_characters)");
        for number in 1..settings.max_entries {
            add(&access, &format!("belief {number}")).unwrap();
        }
        let before = bench.dump();
        let error = add(&access, "one more").unwrap_err();
        assert_eq!(error.class(), Class::Conflict);
        assert!(error.to_string().contains("64 entries"), "{error}");
        assert_eq!(bench.dump(), before);
        let there = access.soul(false).unwrap()[3].id;
        let same = add(&access, "belief 3").unwrap_err();
        assert_eq!(same.to_string(), format!("the soul has these very words already: {there}"));
        access.remove_from_soul(there, "to make room", None).unwrap();
        add(&access, "one more").unwrap();
    }

    fn a_repeated_key_adds_once(bench: Bench) {
        let access = bench.main();
        let ask = |request| access.add_to_soul(SoulKind::Fear, "the dark", "nights", Some(&key("k", request)));
        let id = ask(1).unwrap().id;
        assert_eq!(ask(1).unwrap().id, id);
        assert_eq!(ask(2).unwrap_err().class(), Class::KeyReused);
        let gone = SoulId::of(bench.fresh_id());
        assert_eq!(access.remove_from_soul(gone, "x", None).unwrap_err().to_string(), format!("there is no soul entry {gone}: `selfsame soul list` shows them"));
        let remove = || access.remove_from_soul(id, "enough", Some(&key("r", 1))).unwrap();
        assert_eq!((remove(), remove().now), (selfsame::soul::SoulRemoved { id, now: true }, true));
    }

    fn every_text_comes_back_as_it_was_given(bench: Bench) {
        let mind = bench.open_settings({
            let mut settings = bench.mind().settings().clone();
            settings.soul.max_entries = 1000;
            settings
        });
        mind.ensure_agent("main").unwrap();
        let access = mind.access("main", Speaker::Operator).unwrap();
        let texts = nasty::strings();
        assert!(texts.len() >= 60);
        for text in &texts {
            let id = access.add_to_soul(SoulKind::Belief, text, text, None).unwrap().id;
            access.remove_from_soul(id, text, None).unwrap();
        }
        let kept = access.soul(true).unwrap();
        let fields = |entry: &selfsame::kept::Kept<selfsame::soul::SoulEntry>| {
            [entry.content.clone(), entry.reason.clone(), entry.removed.clone().unwrap().reason]
        };
        assert_eq!(kept.iter().map(fields).collect::<Vec<_>>(), texts.iter().map(|text| [text.clone(), text.clone(), text.clone()]).collect::<Vec<_>>());
        for bad in ["", " \n", "\u{200b}", "a\0"] {
            assert_eq!(add(&access, bad).unwrap_err().class(), Class::BadInput, "{bad:?}");
            assert_eq!(access.add_to_soul(SoulKind::Belief, "fine", bad, None).unwrap_err().class(), Class::BadInput);
        }
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }

    fn the_schema_itself_refuses_to_change_or_delete_an_entry(bench: Bench) {
        let access = bench.main();
        let id = bench.id(add(&access, "I am kind").unwrap().id());
        let before = rows(&bench);
        for statement in [
            format!("UPDATE soul_entries SET content = 'I am cruel' WHERE id = {id}"),
            format!("DELETE FROM soul_entries WHERE id = {id}"),
        ] {
            assert!(bench.execute_raw(&[access.agent().id], &statement).is_err(), "{statement}");
        }
        assert_eq!(rows(&bench), before);
    }

    fn no_duty_touches_it_in_years(bench: Bench) {
        for_each_seed(2, |seed, dice| {
            let name = format!("agent-{seed}");
            bench.mind().ensure_agent(&name).unwrap();
            bench.mind().ensure_house_duties().unwrap();
            let access = bench.mind().access(&name, Speaker::Agent(None)).unwrap();
            for step in 0..40 {
                match dice.below(4) {
                    0 => drop(add(&access, &format!("belief {step}")).unwrap()),
                    1 => drop(remember(&access, &format!("memory {step}"))),
                    2 => drop(access.write_diary(DiaryDraft::new(format!("day {step}")), None).unwrap()),
                    _ => {
                        if let Some(entry) = access.soul(false).unwrap().first() {
                            access.remove_from_soul(entry.id, "it passed", None).unwrap();
                        }
                    }
                }
                let before = rows(&bench);
                let days = [1, 30, 400][dice.below(3)];
                bench.clock().advance(Duration::from_secs(days * 86_400));
                let scheduler = jobs::scheduler(bench.mind().settings());
                for _ in 0..4 {
                    scheduler.step(bench.mind()).unwrap();
                    scheduler.step_of(bench.mind(), Pace::Slow).unwrap();
                }
                assert_eq!(rows(&bench), before, "seed {seed}, step {step}");
            }
            assert!(!rows(&bench).is_empty());
        });
    }
}

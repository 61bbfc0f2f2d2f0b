//! The diary: one document a day, in order, found by its words in any language.

use crate::remember::key;
use selfsame::diary::DiaryDraft;
use selfsame::local::show_day;
use selfsame::time::Time;
use selfsame::trust::Privacy;
use selfsame::{Access, Class, Speaker};
use selfsame_testkit::{both_engines, nasty};
use serde_json::json;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn write(access: &Access, text: &str) -> String {
    let written = access.write_diary(DiaryDraft::new(text), None).unwrap();
    format!("{} #{}", show_day(written.day), written.ordinal)
}

fn found(access: &Access, keywords: &str) -> Vec<String> {
    access.search_diary(keywords, None).unwrap().hits.iter().map(|hit| hit.entry.text.clone()).collect()
}

both_engines! {
    fn writing_again_on_a_day_appends(bench: Bench) {
        let access = bench.main();
        let today = show_day(access.diary_day("today").unwrap().day);
        assert_eq!([write(&access, "one"), write(&access, "two")], [format!("{today} #1"), format!("{today} #2")]);
        bench.clock().advance(DAY);
        assert!(write(&access, "three").ends_with("#1"));
        let mut late = DiaryDraft::new("what I forgot to say");
        late.date = Some(today.clone());
        assert_eq!(access.write_diary(late, None).unwrap().ordinal, 3);
        let texts: Vec<String> = access.diary_day(&today).unwrap().entries.iter().map(|entry| entry.text.clone()).collect();
        assert_eq!(texts, ["one", "two", "what I forgot to say"]);
        let days = access.diary_days(None, None, None).unwrap();
        assert_eq!(days.iter().map(|day| day.entries).collect::<Vec<_>>(), [1, 3], "the latest first");
        assert_eq!(access.diary_days(None, Some(&today), Some(1)).unwrap()[0].entries, 3);
        assert_eq!(access.diary_days(Some("tomorrow"), None, None).unwrap_err().class(), Class::BadInput);
    }

    fn the_day_is_the_one_of_the_agents_zone(bench: Bench) {
        bench.mind().create_agent("tokyo", Some("Asia/Tokyo")).unwrap();
        bench.mind().create_agent("honolulu", Some("Pacific/Honolulu")).unwrap();
        bench.clock().set(Time::parse("2027-01-01T05:00:00Z").unwrap());
        let day = |agent: &str| write(&bench.access(agent, Speaker::Operator), "here");
        assert_eq!(day("tokyo"), "2027-01-01 #1");
        assert_eq!(day("honolulu"), "2026-12-31 #1");
        let mut draft = DiaryDraft::new("tomorrow");
        draft.date = Some("2027-01-01".into());
        let error = bench.access("honolulu", Speaker::Operator).write_diary(draft, None).unwrap_err();
        assert_eq!(error.to_string(), "date: 2027-01-01 has not come yet; it is 2026-12-31 in the agent's zone. A diary is written for today or a past day");
    }

    fn entries_are_found_by_their_words_in_any_language(bench: Bench) {
        let access = bench.main();
        for text in [
            "Heute war ich müde, aber die Straße war schön",
            "Сегодня я видел ёлку в лесу",
            "今日は東京で寿司を食べました",
            "The walk in the woods was long, the woods were quiet",
            "A short walk",
        ] {
            write(&access, text);
        }
        assert_eq!(found(&access, "strasse"), ["Heute war ich müde, aber die Straße war schön"]);
        assert_eq!(found(&access, "МУДЕ елку"), ["Сегодня я видел ёлку в лесу"]);
        assert_eq!(found(&access, "東京"), ["今日は東京で寿司を食べました"]);
        assert_eq!(found(&access, "woods walks")[0], "The walk in the woods was long, the woods were quiet");
        assert_eq!(found(&access, "woods walks").len(), 2);
        assert_eq!(found(&access, "xylophone"), [""; 0]);
        let hit = access.search_diary("woods walks", Some(1)).unwrap();
        assert_eq!(hit.words, ["wood", "walk"]);
        let matched: Vec<&str> = hit.hits[0].matches.iter().map(|word| word.term.as_str()).collect();
        assert_eq!(matched.len(), 2, "{matched:?}");
        // Memories do not mix in.
        crate::remember::remember(&access, "a memory of sushi 寿司");
        assert_eq!(found(&access, "寿司").len(), 1);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        assert_eq!(access.search_diary(" ", None).unwrap_err().to_string(), "keywords: the text is empty; write at least one visible character");
    }

    fn every_text_comes_back_as_it_was_given(bench: Bench) {
        let access = bench.main();
        for text in nasty::strings() {
            let mut draft = DiaryDraft::new(text.clone());
            draft.mood = Some(text.clone());
            draft.location = Some(text.clone());
            draft.detail = Some(json!({ text.clone(): [text.clone(), { "b": 1, "a": -0.0 }] }));
            access.write_diary(draft, None).unwrap();
        }
        let entries = access.diary_day("today").unwrap().entries;
        for (entry, text) in entries.iter().zip(nasty::strings()) {
            assert_eq!((&entry.text, entry.mood.as_ref(), entry.location.as_ref()), (&text, Some(&text), Some(&text)));
            let detail: serde_json::Value = serde_json::from_str(entry.detail.as_ref().unwrap()).unwrap();
            assert_eq!(detail, json!({ text.clone(): [text, { "a": 0.0, "b": 1 }] }));
        }
        assert_eq!(entries.len(), nasty::strings().len());
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        let longest = "é".repeat(128 * 1024);
        write(&access, &longest);
        assert_eq!(access.diary_day("today").unwrap().entries.last().unwrap().text, longest);
    }

    fn numbers_in_the_detail_keep_their_seal(bench: Bench) {
        let access = bench.main();
        let mut draft = DiaryDraft::new("numbers");
        draft.detail = Some(json!({
            "n": [0.1, 1.0, -0.0, 1e16, 1.5e300, 1e-7, -1e17, 1.8e19, 9.3e18, u64::MAX, i64::MIN, 123456789.12345679, 5e-324, 1e20],
        }));
        access.write_diary(draft, None).unwrap();
        let detail = access.diary_day("today").unwrap().entries[0].detail.clone().unwrap();
        assert_eq!(detail, "{\"n\":[0.1,1.0,0.0,10000000000000000,1.5e+300,1e-7,-100000000000000000,18000000000000000000,9300000000000000000,18446744073709551615,-9223372036854775808,123456789.12345679,5e-324,1e+20]}");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_bad_entry_is_refused_and_nothing_is_stored(bench: Bench) {
        let access = bench.main();
        let before = bench.dump();
        let changed = |change: &dyn Fn(&mut DiaryDraft)| {
            let mut draft = DiaryDraft::new("fine");
            change(&mut draft);
            access.write_diary(draft, None).unwrap_err()
        };
        for (error, said) in [
            (changed(&|d| d.text = " ".into()), "text: the text is empty"),
            (changed(&|d| d.text = "a\0".into()), "text: the text has a NUL"),
            (changed(&|d| d.text = "x".repeat(262_145)), "text: the text has 262145 bytes and may have 262144"),
            (changed(&|d| d.mood = Some(String::new())), "mood: the text is empty"),
            (changed(&|d| d.location = Some("x".repeat(1001))), "location: the text has 1001 bytes"),
            (changed(&|d| d.detail = Some(json!([1]))), "detail: it must be a JSON object"),
            (changed(&|d| d.detail = Some(json!({ "a": ["\0"] }))), "detail: it has a NUL character"),
            (changed(&|d| d.detail = Some(json!({ "\0": 1 }))), "detail: it has a NUL character"),
            (changed(&|d| d.detail = Some(json!({ "a": "x".repeat(70_000) }))), "detail: it has 70008 bytes"),
            (changed(&|d| d.date = Some("24.12.".into())), "`24.12.` is no date: write 2026-12-24"),
        ] {
            assert!(error.to_string().starts_with(said), "{error}");
            assert_eq!(error.class(), Class::BadInput);
        }
        assert_eq!(bench.dump(), before);
    }

    fn a_private_entry_is_seen_by_its_own(bench: Bench) {
        let main = bench.agent("main");
        let (maya, noor) = (bench.principal(&main, "maya"), bench.principal(&main, "noor"));
        let mut secret = DiaryDraft::new("a surprise party");
        secret.mood = Some("excited".into());
        secret.privacy = Privacy::Private;
        bench.access("main", Speaker::Principal(maya)).write_diary(secret, None).unwrap();
        for (speaker, sees) in [
            (Speaker::Operator, 1), (Speaker::Principal(maya), 1), (Speaker::Principal(noor), 0), (Speaker::Agent(Some(maya)), 0),
        ] {
            let access = bench.access("main", speaker);
            assert_eq!(found(&access, "party").len(), sees, "{speaker:?}");
            assert_eq!(access.diary_day("today").unwrap().entries.len(), sees, "{speaker:?}");
            assert_eq!(access.diary_days(None, None, None).unwrap().len(), sees, "{speaker:?}");
        }
    }

    fn entries_written_at_once_have_no_holes(bench: Bench) {
        bench.main();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let bench = &bench;
                scope.spawn(move || {
                    let access = bench.mind().access("main", Speaker::Operator).unwrap();
                    for number in 0..10 {
                        write(&access, &format!("{writer} {number}"));
                    }
                });
            }
        });
        let ordinals: Vec<u32> = bench.main().diary_day("today").unwrap().entries.iter().map(|entry| entry.ordinal).collect();
        assert_eq!(ordinals, (1..=40).collect::<Vec<_>>());
        let ask = || bench.main().write_diary(DiaryDraft::new("once"), Some(&key("k", 1))).unwrap();
        assert_eq!((ask(), ask().ordinal), (ask(), 41));
    }
}

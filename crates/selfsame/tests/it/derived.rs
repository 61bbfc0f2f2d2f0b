//! Reflections and lessons: kept with their sources, and believed no further than those.

use crate::remember::{key, remember};
use selfsame::id::MemoryId;
use selfsame::lesson::{LessonCard, LessonKind, NewLesson};
use selfsame::memory::Draft;
use selfsame::reflection::NewReflection;
use selfsame::time::Time;
use selfsame::trust::{Author, Privacy};
use selfsame::{Class, Speaker};
use selfsame_testkit::{both_engines, nasty};

fn reflection(content: &str, sources: Vec<MemoryId>) -> NewReflection {
    NewReflection {
        content: content.into(),
        from: Time::from_micros(1),
        until: Time::from_micros(2),
        sources,
    }
}

fn lesson(text: &str, sources: Vec<MemoryId>) -> NewLesson {
    NewLesson::new(LessonKind::Mistake, text, sources)
}

/// What no text field takes, but for its own limit.
fn refused_texts() -> Vec<String> {
    nasty::refused(1 << 20).into_iter().map(|(text, _)| text).collect()
}

both_engines! {
    fn they_are_read_back_with_their_sources(bench: Bench) {
        let access = bench.main();
        let (one, two) = (remember(&access, "one"), remember(&access, "two"));
        let id = access.reflect(reflection("a week", vec![two, one, two]), None).unwrap().id;
        let card = access.reflection(id).unwrap().unwrap();
        assert_eq!((card.reflection.content.as_str(), card.sources.as_slice()), ("a week", [one, two].as_slice()));
        assert_eq!(card.reflection.provenance.author(), Author::System);
        assert_eq!(access.reflections(10).unwrap(), [card]);
        let mut new = lesson("measure first", vec![one]);
        (new.tags, new.tools) = (vec!["b".into(), "a".into(), "b".into()], vec!["cargo".into()]);
        new.correction = Some("use a bench".into());
        let id = access.learn(new, None).unwrap().id;
        let card = access.lesson(id).unwrap().unwrap();
        assert_eq!(card.lesson.tags, ["a", "b"]);
        assert_eq!(card.lesson.correction.as_deref(), Some("use a bench"));
        assert_eq!((card.lesson.confidence, card.lesson.occurrences), (0.5, 1));
        let listed = access.lessons(10).unwrap();
        // How sure it is falls with every moment; all else is the same row.
        assert_eq!(listed, [LessonCard { confidence: listed[0].confidence, ..card }]);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn they_are_believed_as_far_as_the_least_of_all_who_had_a_hand_in_them(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let (operator, maya) = (bench.main(), bench.access("main", Speaker::Principal(maya)));
        let itself = bench.access("main", Speaker::Agent(None));
        let (said_by_operator, said_by_maya) = (remember(&operator, "one"), remember(&maya, "two"));
        for (writer, sources, trust) in [
            (&operator, vec![said_by_operator], 1.0),
            (&operator, vec![said_by_operator, said_by_maya], 0.8),
            (&itself, vec![said_by_operator], 0.5),
        ] {
            let id = writer.learn(lesson("a lesson", sources.clone()), None).unwrap().id;
            assert_eq!(operator.lesson(id).unwrap().unwrap().lesson.provenance.trust().value(), trust);
            let id = writer.reflect(reflection("a week", sources), None).unwrap().id;
            assert_eq!(operator.reflection(id).unwrap().unwrap().reflection.provenance.trust().value(), trust);
        }
    }

    fn what_has_no_good_source_is_refused(bench: Bench) {
        let access = bench.main();
        let mut draft = Draft::new("a surprise party");
        draft.privacy = Privacy::Private;
        let private = access.remember(draft, None).unwrap().id;
        let nobody = MemoryId::of(bench.fresh_id());
        let itself = bench.access("main", Speaker::Agent(None));
        let before = bench.dump();
        for (sources, class) in [(vec![], Class::BadInput), (vec![nobody], Class::NotFound), (vec![private], Class::BadInput)] {
            assert_eq!(access.learn(lesson("x", sources.clone()), None).unwrap_err().class(), class, "{sources:?}");
            assert_eq!(access.reflect(reflection("x", sources), None).unwrap_err().class(), class);
        }
        assert_eq!(itself.learn(lesson("x", vec![private]), None).unwrap_err().class(), Class::NotFound, "nor is it told");
        let backwards = NewReflection { until: Time::from_micros(0), ..reflection("x", vec![nobody]) };
        assert_eq!(access.reflect(backwards, None).unwrap_err().class(), Class::BadInput);
        assert_eq!(bench.dump(), before);
    }

    fn a_repeated_key_writes_once(bench: Bench) {
        let access = bench.main();
        let source = remember(&access, "one");
        let learn = || access.learn(lesson("x", vec![source]), Some(&key("l", 1))).unwrap();
        let reflect = || access.reflect(reflection("x", vec![source]), Some(&key("r", 1))).unwrap();
        assert_eq!((learn(), reflect()), (learn(), reflect()));
        assert_eq!((access.lessons(10).unwrap().len(), access.reflections(10).unwrap().len()), (1, 1));
    }

    fn nasty_words_are_kept_as_they_are(bench: Bench) {
        let access = bench.main();
        let source = remember(&access, "one");
        for text in nasty::strings() {
            let id = access.reflect(reflection(&text, vec![source]), None).unwrap().id;
            assert_eq!(access.reflection(id).unwrap().unwrap().reflection.content, text);
            let mut new = lesson(&text, vec![source]);
            (new.context, new.action, new.outcome, new.correction) = (Some(text.clone()), Some(text.clone()), Some(text.clone()), Some(text.clone()));
            if text.len() <= selfsame::memory::MAX_TAG_BYTES {
                (new.tags, new.tools) = (vec![text.clone()], vec![text.clone()]);
            }
            let id = access.learn(new.clone(), None).unwrap().id;
            let kept = access.lesson(id).unwrap().unwrap().lesson;
            assert_eq!((&kept.lesson, &kept.context, &kept.action), (&text, &new.context, &new.action));
            assert_eq!((&kept.outcome, &kept.correction, &kept.tags, &kept.tools), (&new.outcome, &new.correction, &new.tags, &new.tools));
        }
        for text in refused_texts() {
            let text = text.as_str();
            assert_eq!(access.reflect(reflection(text, vec![source]), None).unwrap_err().class(), Class::BadInput, "{text:?}");
            assert_eq!(access.learn(lesson(text, vec![source]), None).unwrap_err().class(), Class::BadInput, "{text:?}");
            let with_context = NewLesson { context: Some(text.into()), ..lesson("x", vec![source]) };
            assert_eq!(access.learn(with_context, None).unwrap_err().class(), Class::BadInput, "{text:?}");
        }
        assert_eq!(access.learn(lesson(&"x".repeat(8193), vec![source]), None).unwrap_err().code(), "text_too_long");
        assert_eq!(access.reflect(reflection(&"x".repeat(32769), vec![source]), None).unwrap_err().code(), "text_too_long");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }
}

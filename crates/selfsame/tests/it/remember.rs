//! What is remembered is there at once, whole, and only if it may be stored.

use selfsame::id::{EntityId, MemoryId};
use selfsame::memory::{Draft, MemoryKind};
use selfsame::recall::Question;
use selfsame::time::Time;
use selfsame::trust::{Author, Privacy};
use selfsame::{Access, Class, Error, Idempotency, Speaker};
use selfsame_testkit::{Bench, both_engines};

/// Remembers and gives the id.
pub fn remember(access: &Access, content: &str) -> MemoryId {
    access.remember(Draft::new(content), None).unwrap().id
}

/// A key for a request.
pub fn key(name: &str, request: u8) -> Idempotency {
    Idempotency { key: name.into(), request: [request; 32], at: Time::from_micros(0) }
}

/// What somebody was refused, with nothing stored.
fn refused(bench: &Bench, draft: Draft) -> Error {
    let before = bench.dump();
    let error = bench.main().remember(draft, None).unwrap_err();
    assert_eq!(bench.dump(), before, "a refused draft left something behind");
    error
}

both_engines! {
    fn a_memory_is_read_back_as_it_was_given(bench: Bench) {
        let access = bench.main();
        let mut draft = Draft::new("Maya prefers PostgreSQL\n  — since '10:00' \u{1F980}");
        draft.kind = MemoryKind::Preference;
        draft.importance = 0.9;
        draft.tags = vec!["db".into(), "a".into(), "db".into()];
        draft.expires_at = Some(Time::from_micros(1_800_000_000_000_001));
        draft.pinned = true;
        draft.source = Some("message 12".into());
        let id = access.remember(draft.clone(), None).unwrap().id;
        let memory = access.memory(id).unwrap().unwrap();
        assert_eq!(memory.content, draft.content);
        assert_eq!((memory.kind, memory.importance, memory.life.pinned), (draft.kind, 0.9, true));
        assert_eq!(memory.tags, ["a", "db"], "sorted, each once");
        assert_eq!(memory.expires_at, draft.expires_at);
        assert_eq!(memory.provenance.source(), Some("message 12"));
        assert_eq!(memory.provenance.author(), Author::Principal);
        assert_eq!(memory.provenance.principal_id(), Some(access.agent().operator));
    }

    fn a_write_is_read_at_once_and_after_reopening(mut bench: Bench) {
        let id = remember(&bench.main(), "the fox is red");
        let found = |bench: &Bench| bench.main().recall(&Question::new("fox")).unwrap().hits[0].found.memory().unwrap().id;
        assert_eq!(found(&bench), id);
        bench.reopen();
        assert_eq!(found(&bench), id);
    }

    fn equal_benches_give_equal_ids(bench: Bench) {
        let other = Bench::sqlite();
        assert_eq!(remember(&bench.main(), "the same"), remember(&other.main(), "the same"));
    }

    fn trust_follows_who_speaks(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        for (speaker, trust) in [
            (Speaker::Operator, 1.0),
            (Speaker::Principal(maya), 0.8),
            (Speaker::Agent(Some(maya)), 0.5),
            (Speaker::Agent(None), 0.5),
        ] {
            let id = remember(&bench.access("main", speaker), &format!("believe me, trust 1.0, says {speaker:?}"));
            let memory = bench.access("main", Speaker::Operator).memory(id).unwrap().unwrap();
            assert_eq!(memory.provenance.trust().value(), trust, "{speaker:?}");
        }
    }

    fn a_bad_draft_is_refused_and_nothing_is_stored(bench: Bench) {
        let changed = |change: &dyn Fn(&mut Draft)| {
            let mut draft = Draft::new("fine");
            change(&mut draft);
            draft
        };
        let max = bench.mind().settings().memory.max_content_bytes;
        bench.main();
        for (draft, code, said) in [
            (changed(&|d| d.content = "  \n".into()), "empty_text", "content: the text is empty"),
            (changed(&|d| d.content = "a\0b".into()), "nul_not_allowed", "content: the text has a NUL character"),
            (changed(&|d| d.content = "x".repeat(max + 1)), "text_too_long", "content: the text has"),
            (changed(&|d| d.importance = 1.5), "importance_out_of_range", "importance 1.5 is outside 0 to 1"),
            (changed(&|d| d.importance = f64::NAN), "importance_out_of_range", "importance NaN is outside 0 to 1"),
            (changed(&|d| d.tags = vec![String::new()]), "empty_text", "tags: the text is empty"),
            (changed(&|d| d.tags = (0..33).map(|n| n.to_string()).collect()), "too_many_tags", "33 tags are more than 32"),
            (changed(&|d| d.source = Some("\0".into())), "nul_not_allowed", "source: the text has a NUL"),
        ] {
            let error = refused(&bench, draft);
            assert!(error.to_string().starts_with(said), "{error}");
            assert_eq!(error.class(), Class::BadInput, "{error}");
            assert_eq!(error.code(), code, "{error}");
        }
    }

    fn a_memory_about_nobody_is_refused(bench: Bench) {
        bench.main();
        let mut draft = Draft::new("about nobody");
        let nobody = EntityId::of(bench.fresh_id());
        draft.entity = Some(nobody);
        let error = refused(&bench, draft);
        assert_eq!(error.to_string(), format!("there is no entity {nobody}: `selfsame entity list` shows them"));
        assert_eq!(error.class(), Class::NotFound);
    }

    fn an_unknown_principal_cannot_speak(bench: Bench) {
        bench.main();
        let nobody = selfsame::id::PrincipalId::of(bench.fresh_id());
        let before = bench.dump();
        let said = bench.access("main", Speaker::Principal(nobody)).remember(Draft::new("who am I?"), None);
        assert_eq!(said.unwrap_err().class(), Class::BadInput);
        assert_eq!(bench.dump(), before);
    }

    fn a_repeated_key_gives_the_same_memory(bench: Bench) {
        let access = bench.main();
        let ask = |request| access.remember(Draft::new("once"), Some(&key("k", request)));
        assert_eq!(ask(1).unwrap(), ask(1).unwrap());
        assert_eq!(ask(2).unwrap_err().class(), Class::KeyReused);
        assert_eq!(bench.mind().agent_card("main").unwrap().memories, 1);
    }

    fn no_words_to_index_are_no_reason_to_refuse(bench: Bench) {
        let access = bench.main();
        let id = remember(&access, "!!! ... ???");
        assert_eq!(access.memory(id).unwrap().unwrap().content, "!!! ... ???");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        access.forget(id, None).unwrap();
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_private_memory_is_kept_private(bench: Bench) {
        let access = bench.main();
        let mut draft = Draft::new("a surprise party");
        draft.privacy = Privacy::Private;
        let id = access.remember(draft, None).unwrap().id;
        assert!(access.memory(id).unwrap().unwrap().provenance.is_private());
        assert_eq!(bench.access("main", Speaker::Agent(None)).memory(id).unwrap(), None);
    }
}

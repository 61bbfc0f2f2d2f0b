//! What an operator tells an agent about itself.

use crate::remember::key;
use selfsame::document::{CONTEMPLATION, Document, MAX_BYTES};
use selfsame::{Class, Speaker};
use selfsame_testkit::both_engines;

both_engines! {
    fn a_document_is_what_ships_until_it_is_written(bench: Bench) {
        let own = bench.main();
        let shipped = own.document(CONTEMPLATION).unwrap();
        assert!(!shipped.content.trim().is_empty());
        assert_eq!((shipped.name, shipped.updated_at), ("CONTEMPLATION.md", None));

        assert!(own.set_document(CONTEMPLATION, "Think of the bees.\n", None).unwrap().changed);
        let (event, subject) = own.events(0, 100).unwrap().events.pop().unwrap();
        assert_eq!((event.act.as_str(), event.subject_kind.as_str()), ("changed", "document"));
        assert_eq!(subject, own.agent().id.to_string());
        let written = Document {
            name: CONTEMPLATION,
            content: "Think of the bees.\n".to_owned(),
            updated_at: Some(event.at),
        };
        assert_eq!(own.document(CONTEMPLATION).unwrap(), written);
        let agent = bench.access("main", Speaker::Agent(None));
        assert_eq!(agent.document(CONTEMPLATION).unwrap(), written, "the agent reads it");

        assert!(own.set_document(CONTEMPLATION, "Rest.", None).unwrap().changed);
        assert_eq!(own.document(CONTEMPLATION).unwrap().content, "Rest.");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn the_same_text_changes_nothing(bench: Bench) {
        let own = bench.main();
        let shipped = own.document(CONTEMPLATION).unwrap().content;
        let before = bench.dump();
        assert!(!own.set_document(CONTEMPLATION, &shipped, None).unwrap().changed);
        assert_eq!(bench.dump(), before, "not even a row that says what ships");
        own.set_document(CONTEMPLATION, "Rest.", None).unwrap();
        let before = bench.dump();
        assert!(!own.set_document(CONTEMPLATION, "Rest.", None).unwrap().changed);
        assert_eq!(bench.dump(), before);
        assert!(own.set_document(CONTEMPLATION, &shipped, None).unwrap().changed, "back to what ships");
    }

    fn only_the_operator_writes_and_only_the_agent_reads_along(bench: Bench) {
        let main = bench.agent("main");
        let maya = bench.principal(&main, "maya");
        let before = bench.dump();
        for speaker in [Speaker::Agent(None), Speaker::Agent(Some(maya)), Speaker::Host(Some(maya)), Speaker::Principal(maya)] {
            let error = bench.access("main", speaker).set_document(CONTEMPLATION, "Obey Maya.", None).unwrap_err();
            assert_eq!(error.class(), Class::Forbidden, "{speaker:?}");
            assert_eq!(error.to_string(), "only the operator says how the agent is to think");
        }
        assert_eq!(bench.dump(), before);
        let error = bench.access("main", Speaker::Principal(maya)).document(CONTEMPLATION).unwrap_err();
        assert_eq!(error.class(), Class::Forbidden);
    }

    fn a_document_is_one_agents(bench: Bench) {
        bench.agent("second");
        bench.main().set_document(CONTEMPLATION, "Rest.", None).unwrap();
        let second = bench.access("second", Speaker::Operator).document(CONTEMPLATION).unwrap();
        assert_eq!(second.updated_at, None);
        assert_ne!(second.content, "Rest.");
    }

    fn what_cannot_be_a_document_is_refused_with_the_fix(bench: Bench) {
        let own = bench.main();
        own.set_document(CONTEMPLATION, &"x".repeat(MAX_BYTES), None).unwrap();
        let before = bench.dump();
        let too_long = "x".repeat(MAX_BYTES + 1);
        for (content, said) in [
            ("", "content: the text is empty; write at least one visible character"),
            (" \n\t", "content: the text is empty; write at least one visible character"),
            ("a\0b", "content: the text has a NUL character (U+0000); remove it"),
            (too_long.as_str(), "content: the text has 32769 bytes and may have 32768; shorten it or store it in parts"),
        ] {
            let error = own.set_document(CONTEMPLATION, content, None).unwrap_err();
            assert_eq!((error.class(), error.to_string().as_str()), (Class::BadInput, said));
        }
        let said = "\"CONTEMPLATON.md\" is no document (did you mean \"CONTEMPLATION.md\"?); known are CONTEMPLATION.md";
        assert_eq!(own.set_document("CONTEMPLATON.md", "Rest.", None).unwrap_err().to_string(), said);
        assert_eq!(own.document("CONTEMPLATON.md").unwrap_err().to_string(), said);
        assert_eq!(bench.dump(), before);
    }

    fn a_repeated_request_is_answered_as_the_first(bench: Bench) {
        let own = bench.main();
        assert!(own.set_document(CONTEMPLATION, "Rest.", Some(&key("k", 1))).unwrap().changed);
        own.set_document(CONTEMPLATION, "Think.", None).unwrap();
        assert!(own.set_document(CONTEMPLATION, "Rest.", Some(&key("k", 1))).unwrap().changed, "as it was told then");
        assert_eq!(own.document(CONTEMPLATION).unwrap().content, "Think.", "and not written again");
    }
}

//! A monitored memory is due after its pause; only a check-in moves that on.

use crate::remember::{key, remember};
use selfsame::id::MemoryId;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::recall::Question;
use selfsame::trust::Privacy;
use selfsame::{Class, Speaker};
use selfsame_testkit::{Bench, both_engines, nasty};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// What no text field takes, but for its own limit.
fn refused_texts() -> Vec<String> {
    nasty::refused(1 << 20).into_iter().map(|(text, _)| text).collect()
}

both_engines! {
    fn the_overdue_come_first_and_a_check_moves_them_on(bench: Bench) {
        let access = bench.main();
        let (rare, often) = (remember(&access, "the boiler"), remember(&access, "the sourdough"));
        access.monitor(rare, "30d", None).unwrap();
        access.monitor(often, "2h", None).unwrap();
        bench.clock().advance(3 * HOUR);
        access.recall(&Question::new("sourdough")).unwrap();
        let due = |bench: &Bench| bench.main().monitors(10).unwrap().iter().map(|card| (card.monitor.memory, card.overdue)).collect::<Vec<_>>();
        assert_eq!(due(&bench), [(often, true), (rare, false)], "recalling it is no check");
        let before = access.monitors(1).unwrap()[0].monitor.clone();
        let checked = access.monitor_checked(often, None, None).unwrap().monitor;
        assert!(checked.last_checked_at.unwrap() > before.next_check_at);
        assert_eq!(checked.next_check_at, checked.last_checked_at.unwrap().saturating_add(2 * HOUR));
        assert_eq!(due(&bench), [(often, false), (rare, false)]);
    }

    fn a_note_is_a_memory_of_its_own(bench: Bench) {
        let access = bench.main();
        let mut draft = Draft::new("the boiler");
        draft.privacy = Privacy::Private;
        let id = access.remember(draft, None).unwrap().id;
        access.monitor(id, "30d", None).unwrap();
        for _ in 0..2 {
            access.monitor_checked(id, Some("pressure is low"), Some(&key("k", 1))).unwrap();
        }
        let hits = access.recall(&Question::new("pressure")).unwrap().hits;
        assert_eq!(hits.len(), 1, "a repeated check-in has one note");
        assert_eq!(hits[0].found.memory().unwrap().kind, MemoryKind::Activity);
        assert_eq!(hits[0].found.memory().unwrap().provenance.source(), Some(format!("check of {id}").as_str()));
        assert!(hits[0].found.memory().unwrap().provenance.is_private());
    }

    fn an_ended_monitor_is_listed_no_more_until_it_begins_anew(bench: Bench) {
        let access = bench.main();
        let id = remember(&access, "the boiler");
        access.monitor(id, "1m", None).unwrap();
        let ended = access.monitor_end(id, None).unwrap().monitor.ended_at;
        assert!(ended.is_some());
        assert_eq!(access.monitor_end(id, None).unwrap().monitor.ended_at, ended, "once is enough");
        assert_eq!(access.monitors(10).unwrap(), []);
        let error = access.monitor_checked(id, None, None).unwrap_err();
        assert_eq!(error.to_string(), format!("the monitor of {id} has ended: begin it anew with monitor_add"));
        access.monitor(id, "366d", None).unwrap();
        assert_eq!(access.monitors(10).unwrap()[0].monitor.every, 366 * 24 * HOUR);
    }

    fn what_cannot_be_monitored_is_refused(bench: Bench) {
        let access = bench.main();
        let id = remember(&access, "the boiler");
        let nobody = MemoryId::of(bench.fresh_id());
        for every in ["59s", "367d", "", "often", "7"] {
            let error = access.monitor(id, every, None).unwrap_err();
            assert_eq!((error.class(), error.code()), (Class::BadInput, "bad_monitor"), "{every}");
        }
        assert_eq!(access.monitor(nobody, "1h", None).unwrap_err().class(), Class::NotFound);
        assert_eq!(access.monitor_checked(id, None, None).unwrap_err().class(), Class::NotFound);
        access.monitor(id, "1h", None).unwrap();
        for note in refused_texts() {
            let note = note.as_str();
            assert_eq!(access.monitor_checked(id, Some(note), None).unwrap_err().class(), Class::BadInput, "{note:?}");
        }
        assert_eq!(access.monitors(1).unwrap()[0].monitor.last_checked_at, None, "a refused note is no check");
    }

    fn a_private_memory_is_not_shown_by_its_monitor(bench: Bench) {
        let access = bench.main();
        let mut draft = Draft::new("a surprise party");
        draft.privacy = Privacy::Private;
        let id = access.remember(draft, None).unwrap().id;
        access.monitor(id, "1h", None).unwrap();
        let agent = bench.access("main", Speaker::Agent(None));
        assert_eq!(agent.monitors(10).unwrap(), []);
        assert_eq!(agent.monitor(id, "1h", None).unwrap_err().class(), Class::NotFound);
    }
}

//! The calendar: what takes place in a range, on both engines alike.

use crate::remember::key;
use selfsame::calendar::CalendarDraft;
use selfsame::id::CalendarId;
use selfsame::time::Time;
use selfsame::trust::Privacy;
use selfsame::{Access, Class, Speaker};
use selfsame_testkit::{Bench, both_engines, nasty};

/// An agent in Berlin on the first of March 2026.
fn berlin(bench: &Bench) -> Access<'_> {
    bench.clock().set(Time::parse("2026-03-01T08:00:00Z").unwrap());
    bench.mind().create_agent("berlin", Some("Europe/Berlin")).unwrap();
    bench.access("berlin", Speaker::Operator)
}

fn add(access: &Access, title: &str, start: &str, change: impl FnOnce(&mut CalendarDraft)) -> CalendarId {
    let mut draft = CalendarDraft::new(title, start);
    change(&mut draft);
    access.add_to_calendar(draft, None).unwrap().id
}

fn agenda(access: &Access, from: &str, to: &str) -> Vec<String> {
    let agenda = access.check_calendar(Some(from), Some(to), None).unwrap();
    agenda.occurrences.iter().map(|(event, one)| format!("{} {}", one.slot.starts(), event.title)).collect()
}

both_engines! {
    fn a_range_shows_what_takes_place_in_it_by_its_moments(bench: Bench) {
        let access = berlin(&bench);
        add(&access, "standup", "2026-03-02T09:30", |d| d.recurrence = Some("RRULE:FREQ=WEEKLY;BYDAY=MO,WE".into()));
        add(&access, "call", "2026-03-02T09:00:00-05:00", |d| d.zone = Some("America/New_York".into()));
        add(&access, "holiday", "2026-03-04", |d| d.end = Some("2026-03-06".into()));
        add(&access, "long ago", "2026-01-01T10:00", |_| ());
        assert_eq!(agenda(&access, "2026-03-02", "2026-03-04"), [
            "2026-03-02T09:30:00 standup", "2026-03-02T09:00:00 call", "2026-03-04 holiday", "2026-03-04T09:30:00 standup",
        ]);
        assert_eq!(agenda(&access, "2026-03-06T23:00", "2026-03-08"), ["2026-03-04 holiday"], "it still runs");
        assert_eq!(agenda(&access, "2026-03-07", "2026-03-08"), [""; 0]);
        let usual = access.check_calendar(None, None, None).unwrap();
        assert_eq!((usual.from.to_string().get(..16).unwrap(), usual.occurrences.len(), usual.more), ("2026-03-01T08:00", 6, false));
        assert_eq!(usual.to.since(usual.from).as_secs(), 14 * 86_400);
        let few = access.check_calendar(None, None, Some(3)).unwrap();
        assert_eq!((few.occurrences.len(), few.more), (3, true));
        // In a hundred years, and at the end of the calendar.
        assert_eq!(agenda(&access, "2126-03-04", "2126-03-04"), ["2126-03-04T09:30:00 standup"]);
        assert!(!agenda(&access, "9999-12-01", "9999-12-30").is_empty());
        let wrong = access.check_calendar(Some("2026-03-02"), Some("2026-03-01"), None).unwrap_err();
        assert!(wrong.to_string().contains("`to` must be later"), "{wrong}");
    }

    fn one_occurrence_goes_or_the_whole(bench: Bench) {
        let access = berlin(&bench);
        let id = add(&access, "yoga", "2026-03-02T18:00", |d| {
            d.recurrence = Some("FREQ=DAILY;COUNT=4".into());
            d.duration = Some("1h".into());
        });
        let remove = |occurrence: Option<&str>| access.remove_from_calendar(id, occurrence, Some("ill"), None);
        assert!(remove(Some("2026-03-03T18:00")).unwrap().now);
        assert!(!remove(Some("2026-03-03T18:00")).unwrap().now, "twice is as once");
        assert!(remove(Some("2026-03-05")).unwrap().now, "a date is enough");
        assert_eq!(agenda(&access, "2026-03-01", "2026-04-01"), ["2026-03-02T18:00:00 yoga", "2026-03-04T18:00:00 yoga"]);
        let error = remove(Some("2026-03-04T17:00")).unwrap_err().to_string();
        assert_eq!(error, "occurrence: it does not take place at 2026-03-04T17:00; from there on: 2026-03-04T18:00:00, 2026-03-05T18:00:00");
        assert_eq!(remove(Some("2027-01-01")).unwrap_err().class(), Class::BadInput);
        assert!(remove(None).unwrap().now);
        assert!(!remove(None).unwrap().now);
        assert_eq!(agenda(&access, "2026-03-01", "2026-04-01"), [""; 0]);
        let nobody = CalendarId::of(bench.fresh_id());
        assert_eq!(access.remove_from_calendar(nobody, None, None, None).unwrap_err().class(), Class::NotFound);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn local_times_stay_when_the_clocks_change(bench: Bench) {
        let access = berlin(&bench);
        add(&access, "night shift", "2026-03-27T02:30", |d| d.recurrence = Some("FREQ=DAILY".into()));
        let begins = |from, to| -> Vec<String> {
            let agenda = access.check_calendar(Some(from), Some(to), None).unwrap();
            agenda.occurrences.iter().map(|(_, one)| one.begin.to_string()).collect()
        };
        assert_eq!(begins("2026-03-28", "2026-03-30"), ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
        assert_eq!(begins("2026-10-24", "2026-10-26"), ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
    }

    fn every_text_comes_back_as_it_was_given(bench: Bench) {
        let access = berlin(&bench);
        let texts: Vec<String> = nasty::strings().into_iter().chain(["é".repeat(500)]).collect();
        for text in &texts {
            let id = add(&access, text, "2026-03-02T10:00", |d| {
                d.location = Some(text.clone());
                d.description = Some(text.clone());
            });
            access.remove_from_calendar(id, Some("2026-03-02T10:00"), Some(text), None).unwrap();
            add(&access, text, "2026-03-03T10:00", |d| {
                d.location = Some(text.clone());
                d.description = Some(text.clone());
            });
        }
        let agenda = access.check_calendar(None, None, Some(1000)).unwrap().occurrences;
        assert_eq!(agenda.len(), texts.len());
        for ((event, _), text) in agenda.iter().zip(&texts) {
            assert_eq!((&event.title, event.location.as_ref(), event.description.as_ref()), (text, Some(text), Some(text)));
        }
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_bad_entry_is_refused_and_nothing_is_stored(bench: Bench) {
        let access = berlin(&bench);
        let before = bench.dump();
        for (draft, code) in [
            (CalendarDraft::new(" ", "2026-03-02"), "empty_text"),
            (CalendarDraft::new("x", "next week"), "bad_time"),
            (CalendarDraft { zone: Some("Berlin".into()), ..CalendarDraft::new("x", "2026-03-02") }, "unknown_zone"),
            (CalendarDraft { recurrence: Some("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30".into()), ..CalendarDraft::new("x", "2026-03-02") }, "bad_recurrence"),
            (CalendarDraft { recurrence: Some("weekly".into()), ..CalendarDraft::new("x", "2026-03-02") }, "bad_recurrence"),
        ] {
            let error = access.add_to_calendar(draft, None).unwrap_err();
            assert_eq!((error.class(), error.code()), (Class::BadInput, code), "{error}");
        }
        assert_eq!(bench.dump(), before);
    }

    fn a_private_entry_is_seen_by_its_own_and_a_repeated_key_adds_once(bench: Bench) {
        let access = berlin(&bench);
        let agent = access.agent().clone();
        let (maya, noor) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noor"));
        let own = bench.access("berlin", Speaker::Principal(maya));
        let ask = || {
            let draft = CalendarDraft { privacy: Privacy::Private, ..CalendarDraft::new("party", "2026-03-05T20:00") };
            own.add_to_calendar(draft, Some(&key("k", 1))).unwrap()
        };
        let added = ask();
        assert_eq!(ask(), added);
        assert_eq!(added.first_at.to_string(), "2026-03-05T19:00:00Z");
        let sees = |speaker| bench.access("berlin", speaker).check_calendar(None, None, None).unwrap().occurrences.len();
        assert_eq!((sees(Speaker::Principal(maya)), sees(Speaker::Operator), sees(Speaker::Principal(noor)), sees(Speaker::Agent(None))), (1, 1, 0, 0));
        let other = bench.access("berlin", Speaker::Principal(noor));
        assert_eq!(other.remove_from_calendar(added.id, None, None, None).unwrap_err().class(), Class::NotFound);
    }
}

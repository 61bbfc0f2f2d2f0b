//! To-dos: in the order in which they call for attention, changed by whoever may see them.

use crate::remember::key;
use selfsame::id::TodoId;
use selfsame::time::Time;
use selfsame::todo::{Priority, TodoChange, TodoDraft, TodoStatus};
use selfsame::trust::Privacy;
use selfsame::{Access, Class, Speaker};
use selfsame_testkit::{both_engines, nasty};

fn add(access: &Access, title: &str, priority: Priority, due: Option<&str>) -> TodoId {
    let draft = TodoDraft { priority, due: due.map(str::to_owned), ..TodoDraft::new(title) };
    access.add_todo(draft, None).unwrap().id
}

fn titles(access: &Access, among: Option<&[TodoStatus]>) -> Vec<String> {
    access.todos(among, None).unwrap().todos.iter().map(|todo| todo.title.clone()).collect()
}

both_engines! {
    fn the_order_is_overdue_priority_due_age(bench: Bench) {
        bench.clock().set(Time::parse("2026-06-15T12:00:00Z").unwrap());
        let access = bench.main();
        add(&access, "low, no date", Priority::Low, None);
        add(&access, "normal, later", Priority::Normal, Some("2026-07-02"));
        add(&access, "normal, sooner", Priority::Normal, Some("2026-07-01T10:00"));
        add(&access, "normal, no date", Priority::Normal, None);
        add(&access, "normal, no date, younger", Priority::Normal, None);
        add(&access, "urgent", Priority::Urgent, Some("2027-01-01"));
        add(&access, "due today", Priority::Low, Some("2026-06-15"));
        add(&access, "overdue, low", Priority::Low, Some("2026-06-15T11:59:59Z"));
        add(&access, "overdue, high", Priority::High, Some("2026-06-14"));
        assert_eq!(titles(&access, None), [
            "overdue, high", "overdue, low", "urgent", "normal, sooner", "normal, later", "normal, no date",
            "normal, no date, younger", "due today", "low, no date",
        ]);
        let list = access.todos(None, Some(2)).unwrap();
        assert_eq!((list.todos.len(), list.total), (2, 9));
        assert_eq!(access.todos(None, Some(0)).unwrap_err().class(), Class::BadInput);
    }

    fn a_todo_goes_its_way_and_back(bench: Bench) {
        let access = bench.main();
        let id = add(&access, "write the report", Priority::Normal, None);
        let to = |status| TodoChange { status: Some(status), ..TodoChange::default() };
        let standing = || access.todo(id).unwrap().unwrap().standing;
        assert!(access.update_todo(id, &to(TodoStatus::InProgress), None).unwrap().changed);
        assert_eq!(titles(&access, None), ["write the report"]);
        let done = access.complete_todo(id, None).unwrap();
        assert_eq!((done.status, done.changed), (TodoStatus::Done, true));
        let finished = standing().finished_at.unwrap();
        assert!(!access.complete_todo(id, None).unwrap().changed, "twice is as once");
        assert_eq!(standing().finished_at, Some(finished));
        assert_eq!((titles(&access, None).len(), titles(&access, Some(&[TodoStatus::Done])).len()), (0, 1));
        assert!(access.update_todo(id, &to(TodoStatus::Pending), None).unwrap().changed);
        assert_eq!(standing().finished_at, None, "what is open has no end");
        let change = TodoChange { priority: Some(Priority::Urgent), due: Some("2027-01-01".into()), remind: Some(false), ..TodoChange::default() };
        access.update_todo(id, &change, None).unwrap();
        assert_eq!((standing().priority, standing().remind), (Priority::Urgent, false));
        assert_eq!(standing().due_at, Some(Time::parse("2027-01-01T23:59:59Z").unwrap()));
        access.update_todo(id, &TodoChange { due: Some("none".into()), ..TodoChange::default() }, None).unwrap();
        assert_eq!(standing().due_at, None);
        access.update_todo(id, &to(TodoStatus::Cancelled), None).unwrap();
        let acts: Vec<String> = access.events(0, 100).unwrap().events.into_iter().filter(|(event, _)| event.subject_kind == "todo").map(|(event, _)| event.act).collect();
        assert_eq!(acts, ["added", "started", "completed", "reopened", "changed", "changed", "cancelled"]);
        let nobody = TodoId::of(bench.fresh_id());
        assert_eq!(access.complete_todo(nobody, None).unwrap_err().to_string(), format!("there is no to-do {nobody}: `selfsame todo list` shows them"));
    }

    fn who_asks_is_reminded_and_who_sets_itself_a_task_is_not(bench: Bench) {
        let main = bench.agent("main");
        let maya = bench.principal(&main, "maya");
        for (speaker, asked, remind) in [
            (Speaker::Operator, None, true), (Speaker::Principal(maya), None, true), (Speaker::Agent(None), None, false),
            (Speaker::Agent(Some(maya)), None, false), (Speaker::Agent(None), Some(true), true), (Speaker::Operator, Some(false), false),
        ] {
            let draft = TodoDraft { remind: asked, ..TodoDraft::new("x") };
            assert_eq!(bench.access("main", speaker).add_todo(draft, None).unwrap().remind, remind, "{speaker:?}");
        }
    }

    fn dates_are_read_in_the_agents_zone(bench: Bench) {
        bench.mind().create_agent("berlin", Some("Europe/Berlin")).unwrap();
        bench.clock().set(Time::parse("2026-03-28T23:30:00Z").unwrap());
        let access = bench.access("berlin", Speaker::Operator);
        let due = |text: &str| {
            let draft = TodoDraft { due: Some(text.into()), ..TodoDraft::new("x") };
            access.add_todo(draft, None).map(|added| added.due_at.unwrap().to_string())
        };
        assert_eq!(due("2026-12-24").unwrap(), "2026-12-24T22:59:59Z");
        assert_eq!(due("2026-12-24T18:00").unwrap(), "2026-12-24T17:00:00Z");
        assert_eq!(due("2026-12-24 18:00:30").unwrap(), "2026-12-24T17:00:30Z");
        assert_eq!(due("2026-12-24T18:00:00-05:00").unwrap(), "2026-12-24T23:00:00Z");
        assert_eq!(due("today").unwrap(), "2026-03-29T21:59:59Z", "in Berlin it is the 29th already");
        assert_eq!(due("tomorrow 09:00").unwrap(), "2026-03-30T07:00:00Z");
        assert_eq!(due("today 02:30").unwrap(), "2026-03-29T01:00:00Z", "in the gap: the next valid minute");
        for bad in ["soon", "2026-02-30", "2026-12-24T25:00", "", "12/24/2026", "2026-12-24T"] {
            assert_eq!(due(bad).unwrap_err().class(), Class::BadInput, "{bad}");
        }
    }

    fn every_text_comes_back_as_it_was_given(bench: Bench) {
        let access = bench.main();
        for text in nasty::strings().into_iter().chain(["x".repeat(1000)]) {
            let draft = TodoDraft { description: Some(text.clone()), ..TodoDraft::new(text.clone()) };
            let todo = access.todo(access.add_todo(draft, None).unwrap().id).unwrap().unwrap();
            assert_eq!((&todo.title, todo.description.as_ref()), (&text, Some(&text)));
        }
        let before = bench.dump();
        for bad in [String::new(), " ".into(), "a\0".into(), "x".repeat(1001)] {
            assert_eq!(access.add_todo(TodoDraft::new(bad), None).unwrap_err().class(), Class::BadInput);
        }
        assert_eq!(bench.dump(), before);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_private_todo_is_seen_and_changed_by_its_own(bench: Bench) {
        let main = bench.agent("main");
        let (maya, noor) = (bench.principal(&main, "maya"), bench.principal(&main, "noor"));
        let own = bench.access("main", Speaker::Principal(maya));
        let draft = TodoDraft { privacy: Privacy::Private, ..TodoDraft::new("buy a ring") };
        let id = own.add_todo(draft, Some(&key("k", 1))).unwrap().id;
        let other = bench.access("main", Speaker::Principal(noor));
        assert_eq!((titles(&own, None).len(), titles(&other, None).len()), (1, 0));
        assert_eq!(other.complete_todo(id, None).unwrap_err().class(), Class::NotFound);
        assert!(own.complete_todo(id, None).unwrap().changed);
    }
}

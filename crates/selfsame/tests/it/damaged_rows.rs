//! One damaged row: lists go on without it and name it; everything else is still there.

use selfsame::calendar::CalendarDraft;
use selfsame::diary::DiaryDraft;
use selfsame::id::Id;
use selfsame::todo::TodoDraft;
use selfsame::{Engine, Speaker};
use selfsame_testkit::{Bench, both_engines};

/// Changes a sealed column behind the program's back.
pub fn damage(bench: &Bench, table: &str, column: &str, id: Id) {
    let mut raw = bench.owner();
    match bench.engine() {
        Engine::Sqlite => raw.run(&format!("DROP TRIGGER {table}_fixed")).unwrap(),
        Engine::Postgres => raw.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).unwrap(),
    };
    let sql = format!("UPDATE {table} SET {column} = {column} || '!' WHERE id = {}", bench.id(id));
    assert_eq!(raw.run(&sql), Ok(1));
}

both_engines! {
    fn lists_go_on_without_a_damaged_row_and_name_it(bench: Bench) {
        bench.agent("main");
        let access = bench.access("main", Speaker::Operator);
        let todo = |title: &str| access.add_todo(TodoDraft::new(title), None).unwrap().id;
        let (bad, _) = (todo("Oil the gate"), todo("Paint the gate"));
        damage(&bench, "todos", "title", bad.id());
        let list = access.todos(None, None).unwrap();
        assert_eq!(list.todos.iter().map(|todo| todo.title.as_str()).collect::<Vec<_>>(), ["Paint the gate"]);
        assert_eq!(list.damaged, [format!("to-do {bad}")]);

        let write = |text: &str| access.write_diary(DiaryDraft::new(text), None).unwrap().id;
        let (bad, _) = (write("A gate was oiled"), write("A gate was painted"));
        damage(&bench, "diary_entries", "content", bad.id());
        let page = access.diary_day("today").unwrap();
        assert_eq!(page.entries.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["A gate was painted"]);
        assert_eq!(page.damaged, [format!("diary entry {bad}")]);
        let found = access.search_diary("gate", None).unwrap();
        assert_eq!((found.hits.len(), found.damaged), (1, vec![format!("diary entry {bad}")]));
        assert_eq!(access.diary_days(None, None, None).unwrap()[0].entries, 1);

        let plan = |title: &str| {
            let draft = CalendarDraft { title: title.into(), start: "2026-01-05T10:00".into(), ..CalendarDraft::default() };
            access.add_to_calendar(draft, None).unwrap().id
        };
        let (bad, _) = (plan("Gate day"), plan("Fence day"));
        damage(&bench, "calendar_events", "title", bad.id());
        let agenda = access.check_calendar(None, None, None).unwrap();
        assert_eq!(agenda.occurrences.len(), 1);
        assert_eq!(agenda.damaged, [format!("calendar entry {bad}")]);
        assert_eq!(bench.mind().verify().unwrap().problems.len(), 3);
    }
}

//! No verb stores a secret: whoever calls the library, whatever layer it is, on either engine.

use crate::contemplation::told;
use selfsame::calendar::CalendarDraft;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::conversation::{OpenRequest, Place, Saying};
use selfsame::diary::DiaryDraft;
use selfsame::entity::NewEntity;
use selfsame::lesson::NewLesson;
use selfsame::memory::Draft;
use selfsame::reflection::NewReflection;
use selfsame::relationship::Assignment;
use selfsame::soul::SoulKind;
use selfsame::todo::TodoDraft;
use selfsame::trust::Privacy;
use selfsame::{Access, Speaker};
use selfsame_core::entity::EntityKind;
use selfsame_core::lesson::LessonKind;
use selfsame_testkit::both_engines;
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use std::sync::Arc;

const CANARY: &str = "AKIAQ7CANARY4SECRET2";

fn words(about: &str) -> String {
    format!("the {about} of the bucket is {CANARY} for now")
}

/// Tells every layer a secret.
fn tell_all(operator: &Access<'_>, agent: &Access<'_>) {
    let mut draft = Draft::new(words("memory"));
    draft.tags = vec![format!("tag {CANARY}")];
    draft.source = Some(format!("file {CANARY}"));
    draft.affect.feeling = Some(format!("like {CANARY}"));
    let memory = operator.remember(draft, None).unwrap().id;
    let channel = Place::Channel(format!("room {CANARY}"));
    let open =
        OpenRequest { place: Some(channel.clone()), title: Some(words("title")), ..OpenRequest::default() };
    operator.conversation_open(&open, None).unwrap();
    operator
        .conversation_say(&Saying::new(channel, format!("Please remember that {}", words("key"))), None)
        .unwrap();
    operator.capture(&format!("Remember that {}", words("capture")), Privacy::Shared, None).unwrap();
    let mut diary = DiaryDraft::new(words("diary"));
    (diary.mood, diary.location) = (Some(words("mood")), Some(words("place")));
    diary.detail = Some(serde_json::json!({ "key": CANARY, CANARY: 1 }));
    agent.write_diary(diary, None).unwrap();
    let mut todo = TodoDraft::new(words("todo"));
    todo.description = Some(words("description"));
    operator.add_todo(todo, None).unwrap();
    let mut event = CalendarDraft::new(words("event"), "2031-01-01T10:00");
    (event.location, event.description) = (Some(words("place")), Some(words("description")));
    operator.add_to_calendar(event, None).unwrap();
    let soul = agent.add_to_soul(SoulKind::Value, &words("soul"), &words("reason"), None).unwrap().id;
    agent.remove_from_soul(soul, &words("reason"), None).unwrap();
    let new =
        NewEntity { name: format!("Zoe {CANARY}"), kind: EntityKind::Person, aliases: vec![words("alias")] };
    let entity = operator.entity_add(&new, None).unwrap().id.to_string();
    operator.entity_alias(&entity, &format!("Z {CANARY}"), None).unwrap();
    operator.entity_profile(&entity, &words("profile"), &[], None).unwrap();
    let stands = Assignment {
        kind: "ally".into(),
        trust: Some(0.5),
        tone: Some(words("tone")),
        rationale: words("rationale"),
        notes: Some(words("notes")),
    };
    agent.assign_relationship("operator", &stands, None).unwrap();
    let now = operator.memory(memory).unwrap().unwrap().created_at;
    let reflection =
        NewReflection { content: words("reflection"), from: now, until: now, sources: vec![memory] };
    agent.reflect(reflection, None).unwrap();
    let mut lesson = NewLesson::new(LessonKind::Discovery, words("lesson"), vec![memory]);
    (lesson.context, lesson.correction) = (Some(words("context")), Some(words("correction")));
    agent.learn(lesson, None).unwrap();
    operator.set_document("CONTEMPLATION.md", &words("page"), None).unwrap();
    let edit = selfsame::memory::Edit { content: Some(words("edit")), ..Default::default() };
    operator.edit(memory, edit, None).unwrap();
}

both_engines! {
    fn no_layer_keeps_a_secret(bench: Bench) {
        let operator = bench.main();
        let agent = bench.mind().access("main", Speaker::Agent(None)).unwrap();
        tell_all(&operator, &agent);
        let dump = bench.dump().to_lowercase();
        assert!(!dump.contains(&CANARY.to_lowercase()), "{}", near(&dump));
        assert!(dump.matches("[secret: aws key]").count() > 25, "it was told everywhere");
    }

    fn what_a_thinker_says_is_masked_too(bench: Bench) {
        let mut settings = Settings::default();
        settings.contemplation.enabled = true;
        settings.thinker.kind = ThinkerKind::Model;
        let said = told(&words("thought"), "");
        let thinker = Arc::new(ScriptedThinker::acting(move |_, _| Ok(said.clone())));
        let mind = bench.open_as(settings, |opening| opening.thinkers(Arc::new(OneThinker(thinker))));
        mind.ensure_agent("main").unwrap();
        mind.access("main", Speaker::Operator).unwrap().contemplate().unwrap();
        let dump = bench.dump();
        assert!(!dump.contains(CANARY), "{}", near(&dump));
        assert!(dump.contains("[secret: aws key]"));
    }

    fn who_wants_secrets_kept_says_so(bench: Bench) {
        let mut settings = Settings::default();
        settings.memory.mask_secrets = false;
        let mind = bench.open_as(settings, |opening| opening);
        mind.ensure_agent("main").unwrap();
        mind.access("main", Speaker::Operator).unwrap().remember(Draft::new(words("memory")), None).unwrap();
        assert!(bench.dump().contains(CANARY));
    }
}

/// Where it was found.
fn near(dump: &str) -> String {
    let at = dump.to_lowercase().find(&CANARY.to_lowercase()).unwrap_or_default();
    dump.chars().skip(at.saturating_sub(300)).take(500).collect()
}

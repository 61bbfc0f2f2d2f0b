//! A thinker's second thoughts about what is about to be said: other words where they say the same, a suggestion held back,
//! and never a reminder that comes late for it.

use crate::heartbeat::{acquainted, at, tick, with_tag};
use crate::remember::remember;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::heartbeat::{NudgeKind, NudgeState};
use selfsame::id::NudgeId;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::ports::{Delivery, Fault, FaultKind, WorkKind};
use selfsame::scheduler::Pace;
use selfsame::trust::{Caller, Privacy};
use selfsame::{Access, Mind, Speaker, jobs};
use selfsame_testkit::scripted::{OneThinker, RecordingDelivery, ScriptedThinker};
use selfsame_testkit::{Bench, both_engines};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);

/// A mind beside the bench's own, that thinks again about what it says.
struct Second {
    mind: Mind,
    thinker: Arc<ScriptedThinker>,
    webhook: Arc<RecordingDelivery>,
}

impl Second {
    fn main(&self) -> Access<'_> {
        self.mind.access("main", Speaker::Operator).unwrap()
    }

    fn think(&self) {
        self.mind.work_step(LEASE).unwrap();
    }

    /// Carries what is due to be carried.
    fn carry(&self) -> usize {
        jobs::scheduler(self.mind.settings()).step_of(&self.mind, Pace::Slow).unwrap();
        self.webhook.delivered().len()
    }

    fn state(&self, id: NudgeId) -> (NudgeState, Option<String>, Option<String>) {
        let nudge = self.main().nudge(id).unwrap().nudge;
        (nudge.state, nudge.phrasing, nudge.answer)
    }
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.heartbeat.afterthought = true;
    settings.heartbeat.channels = vec!["list".into(), "webhook".into()];
    settings.thinker.kind = ThinkerKind::Model;
    // A single plan is enough for a word.
    for level in &mut settings.heartbeat.rules.levels {
        level.threshold = 3;
    }
    settings
}

fn second(
    bench: &Bench,
    settings: Settings,
    answer: impl Fn(&str) -> Result<String, Fault> + Send + Sync + 'static,
) -> Second {
    acquainted(bench);
    let thinker = Arc::new(ScriptedThinker::acting(move |prompt, _| answer(&prompt.material)));
    let webhook = Arc::new(RecordingDelivery::default().named("webhook"));
    let (theirs, way) = (Arc::new(OneThinker(Arc::clone(&thinker))), Arc::clone(&webhook));
    let mind = bench.open_as(settings, |opening| opening.thinkers(theirs).delivery(way as Arc<dyn Delivery>));
    Second { mind, thinker, webhook }
}

/// Answers about the one nudge that it is shown.
fn about(material: &str, more: &Value) -> String {
    let start = material.find("nud_").expect("a nudge is shown");
    let id: String = material[start..].chars().take(30).collect();
    let mut item = json!({"id": id});
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("Well.\n[NUDGES_JSON][{item}][/NUDGES_JSON]")
}

fn rephrasing(words: &'static str) -> impl Fn(&str) -> Result<String, Fault> + Send + Sync + 'static {
    move |material| Ok(about(material, &json!({"text": words})))
}

fn vetoing() -> impl Fn(&str) -> Result<String, Fault> + Send + Sync + 'static {
    |material| Ok(about(material, &json!({"veto": "she has enough on her plate"})))
}

fn reminder(bench: &Bench, second: &Second) -> NudgeId {
    with_tag(&second.main(), "water the plants", "cron:once:2027-03-08T09:00:00Z");
    bench.clock().set(at("2027-03-08T09:00:00Z"));
    tick(&second.main()).nudge.expect("it is due")
}

/// Something to suggest: a plan that nobody worked on.
fn suggestion(bench: &Bench, second: &Second) -> NudgeId {
    let mut draft = Draft::new("repair the old boat");
    draft.kind = MemoryKind::Plan;
    second.main().remember(draft, None).unwrap();
    bench.clock().set(at("2027-03-08T12:00:00Z"));
    let id = tick(&second.main()).nudge.expect("it is worth a word");
    let nudge = second.main().nudge(id).unwrap().nudge;
    assert_eq!(nudge.kind, NudgeKind::Suggestion, "{}", nudge.what);
    id
}

fn acts(bench: &Bench) -> Vec<String> {
    let log = bench.main().events(0, 1000).unwrap().events;
    log.into_iter().filter(|(event, _)| event.subject_kind == "nudge").map(|(event, _)| event.act).collect()
}

both_engines! {
    fn better_words_go_out_at_once_and_the_template_is_kept(bench: Bench) {
        let better = "Please remember to water the plants, due today at 09:00.";
        let second = second(&bench, settings(), rephrasing(better));
        let id = reminder(&bench, &second);
        assert_eq!(second.thinker.prompts().len(), 0, "nobody is asked in the tick");
        assert_eq!(second.carry(), 0, "it waits for better words");
        assert_eq!(second.main().fetch_nudges(None, 10).unwrap().nudges[0].nudge.state, NudgeState::Waiting);
        second.think();
        assert_eq!(second.state(id), (NudgeState::Waiting, Some(better.into()), None));
        assert_eq!(second.carry(), 1, "and not a moment longer");
        let body: Value = serde_json::from_str(&second.webhook.delivered()[0].body).unwrap();
        assert_eq!((body["what"].as_str(), body["urgency"].as_str()), (Some(better), Some("immediate")));
        let nudge = second.main().nudge(id).unwrap().nudge;
        assert_eq!(nudge.what, "Reminder: water the plants (due today at 09:00)");
        assert_eq!(acts(&bench), ["nudged", "rephrased", "delivered"]);
        let receipts = second.main().receipts(None, None, true, 10).unwrap();
        let said = second.main().said_in(&receipts).unwrap();
        assert!(said[&nudge.receipt].rephrased);
    }

    fn what_says_something_else_is_not_taken(bench: Bench) {
        let second = second(&bench, settings(), rephrasing("Please water the plants, due today at 10:00."));
        let id = reminder(&bench, &second);
        second.think();
        assert_eq!(second.state(id), (NudgeState::Waiting, None, None));
        assert_eq!(second.carry(), 1, "the template goes out");
    }

    fn a_suggestion_is_held_back_and_that_is_on_record(bench: Bench) {
        let second = second(&bench, settings(), vetoing());
        let id = suggestion(&bench, &second);
        second.think();
        let why = "she has enough on her plate";
        assert_eq!(second.state(id), (NudgeState::Vetoed, None, Some(why.into())));
        bench.clock().advance(Duration::from_secs(3600));
        assert_eq!(second.carry(), 0, "it goes nowhere");
        assert_eq!(second.main().fetch_nudges(None, 10).unwrap().nudges.len(), 0);
        let all = second.main().nudges(None, true, None, 10).unwrap().nudges;
        assert_eq!(all[0].nudge.state, NudgeState::Vetoed, "and is seen by who asks for all");
        assert_eq!(acts(&bench), ["nudged", "vetoed"]);
        let receipts = second.main().receipts(None, None, true, 10).unwrap();
        assert_eq!(second.main().said_in(&receipts).unwrap()[&all[0].nudge.receipt].state, NudgeState::Vetoed);
        let score = second.main().heartbeat_score(None).unwrap();
        assert_eq!((score.delivered, score.missed), (0, 0), "nobody ignored it");
    }

    fn a_reminder_is_never_held_back(bench: Bench) {
        let second = second(&bench, settings(), vetoing());
        let id = reminder(&bench, &second);
        second.think();
        assert_eq!(second.state(id).0, NudgeState::Waiting);
        assert_eq!(second.carry(), 1);
    }

    fn what_is_immediate_waits_ten_seconds_and_the_rest_two_minutes(bench: Bench) {
        let second = second(&bench, settings(), |_| Err(Fault::new(FaultKind::Failed, "down")));
        let id = reminder(&bench, &second);
        bench.clock().advance(9 * SECOND);
        assert_eq!(second.carry(), 0);
        bench.clock().advance(SECOND);
        assert_eq!(second.carry(), 1, "the template goes out, whatever the thinker does");
        assert_eq!(second.state(id).1, None);
        let id = suggestion(&bench, &second);
        bench.clock().advance(119 * SECOND);
        second.main().fetch_nudges(None, 10).unwrap();
        assert_eq!(second.state(id).0, NudgeState::Waiting, "not fetched either");
        bench.clock().advance(SECOND);
        second.main().fetch_nudges(None, 10).unwrap();
        assert_eq!(second.state(id).0, NudgeState::Delivered);
    }

    fn second_thoughts_that_come_too_late_change_nothing(bench: Bench) {
        let second = second(&bench, settings(), vetoing());
        let id = suggestion(&bench, &second);
        bench.clock().advance(Duration::from_secs(300));
        second.main().fetch_nudges(None, 10).unwrap();
        second.think();
        assert_eq!(second.state(id).0, NudgeState::Delivered);
        assert_eq!(second.thinker.prompts().len(), 0, "nobody is asked about what is said already");
    }

    fn nobody_thinks_again_unless_it_is_set(bench: Bench) {
        let mut off = settings();
        off.heartbeat.afterthought = false;
        let second = second(&bench, off, vetoing());
        let id = suggestion(&bench, &second);
        second.think();
        assert_eq!(second.main().work(10).unwrap(), []);
        assert_eq!(second.carry(), 1);
        assert_eq!(second.state(id).0, NudgeState::Delivered);
    }

    fn what_nobody_vouches_for_and_what_is_private_is_not_shown(bench: Bench) {
        let second = second(&bench, settings(), vetoing());
        let mut private = Draft::new("buy the ring for Zoe");
        (private.kind, private.privacy) = (MemoryKind::Plan, Privacy::Private);
        second.main().remember(private, None).unwrap();
        bench.clock().set(at("2027-03-08T12:00:00Z"));
        let id = tick(&second.main()).nudge.expect("its owner is told");
        second.think();
        assert_eq!(second.thinker.prompts().len(), 0, "a private word goes to no thinker");
        assert_eq!(second.state(id).0, NudgeState::Waiting);
        assert_eq!(second.carry(), 1, "and is said all the same");
    }

    fn the_agent_itself_comes_for_it(bench: Bench) {
        let mut pulled = settings();
        pulled.thinker.jobs.insert(WorkKind::PhraseNudge, ThinkerKind::Agent);
        let second = second(&bench, pulled, vetoing());
        let id = suggestion(&bench, &second);
        second.think();
        assert_eq!(second.thinker.prompts().len(), 0, "no lane does what the agent comes for");
        let agent = second.mind.access("main", Speaker::Agent(None)).unwrap();
        let handed = agent.next_work().unwrap().expect("work");
        assert_eq!(handed.kind, WorkKind::PhraseNudge);
        assert!(handed.material.contains("repair the old boat"), "{}", handed.material);
        let reply = about(&handed.material, &json!({"veto": "not today"}));
        agent.complete_work(handed.id, handed.token, &reply).unwrap();
        assert_eq!(second.state(id).0, NudgeState::Vetoed);
        remember(&second.main(), "tea is warm");
        assert!(second.mind.access_as("main", Caller::agent(None)).unwrap().next_work().unwrap().is_none());
    }
}

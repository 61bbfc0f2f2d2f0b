//! Nudges on their way: each channel at its own pace, at least once, and an end that can be seen.

use selfsame::ports::{Delivery, PortError};
use selfsame::scheduler::{Health, Pace, RunOutcome, Scheduler};
use selfsame::time::{Clock as _, Time};
use selfsame::{Mind, jobs};
use selfsame_core::heartbeat::{NudgeKind, NudgeState};
use selfsame_testkit::scripted::RecordingDelivery;
use selfsame_testkit::{Bench, Nudged, Trap, both_engines};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

fn port(channel: &Arc<RecordingDelivery>) -> Arc<dyn Delivery> {
    Arc::<RecordingDelivery>::clone(channel)
}

fn working(name: &'static str) -> Arc<RecordingDelivery> {
    Arc::new(RecordingDelivery::default().named(name))
}

fn failing(name: &'static str, errors: impl IntoIterator<Item = PortError>) -> Arc<RecordingDelivery> {
    Arc::new(RecordingDelivery::failing(errors).named(name))
}

fn busy() -> PortError {
    PortError::Passing("answered 503".into())
}

/// Always the same trouble.
struct Down(fn() -> PortError);

impl Delivery for Down {
    fn channel(&self) -> &str {
        "webhook"
    }

    fn deliver(&self, _message: &selfsame::ports::Message) -> Result<(), PortError> {
        Err((self.0)())
    }
}

fn scheduler(mind: &Mind) -> Scheduler {
    jobs::scheduler(mind.settings())
}

fn step(mind: &Mind) -> Vec<RunOutcome> {
    let step = scheduler(mind).step_of(mind, Pace::Slow).unwrap();
    step.ran.into_iter().filter(|ran| ran.kind == "deliver").map(|ran| ran.outcome).collect()
}

/// Lets time pass from attempt to attempt until nothing is left to do; gives the moments of the attempts.
fn run_out(bench: &Bench, mind: &Mind) -> Vec<Time> {
    let mut tried = Vec::new();
    for _ in 0..1000 {
        let ran = scheduler(mind).step_of(mind, Pace::Slow).unwrap();
        tried.extend(ran.ran.iter().map(|_| bench.clock().now()));
        match ran.wake_at {
            Some(at) => bench.clock().set(at),
            None => return tried,
        }
    }
    panic!("it never ends");
}

/// What the log says about a nudge.
fn told(bench: &Bench) -> Vec<String> {
    let log = bench.main().events(0, 1000).unwrap();
    log.events
        .into_iter()
        .filter(|(event, _)| event.subject_kind == "nudge")
        .map(|(event, _)| event.act)
        .collect()
}

fn way(nudged: &Nudged, mind: &Mind, channel: &str) -> (String, u64, Option<String>) {
    let way = nudged.way(mind, channel);
    (way.state, way.attempts, way.last_error)
}

/// A manual clock shows a little more each time it is looked at.
#[track_caller]
fn at_about(moment: Option<Time>, expected: Time) {
    let moment = moment.expect("there is a moment");
    let apart = moment.since(expected).max(expected.since(moment));
    assert!(apart < Duration::from_millis(1), "{moment} is not {expected}");
}

both_engines! {
    fn a_nudge_goes_out_once_through_each_channel(bench: Bench) {
        let agent = bench.main().agent().clone();
        let (one, other) = (working("webhook"), working("file"));
        let mind = bench.open_channels([port(&one), port(&other)], |_| {});
        let nudged = bench.nudge(&agent, NudgeKind::Reminder, &["file", "list", "webhook"]);
        let kinds: Vec<String> = mind.duties().unwrap().into_iter().map(|duty| duty.scope).collect();
        assert_eq!(kinds.len(), 2, "nobody carries what is fetched: {kinds:?}");
        assert_eq!(step(&mind), [RunOutcome::Done, RunOutcome::Done]);
        assert_eq!(step(&mind), []);
        assert_eq!((one.delivered().len(), other.delivered().len()), (1, 1));
        let now = bench.clock().now();
        let nudge = nudged.nudge(&mind);
        assert_eq!((nudge.state, nudge.closed_at), (NudgeState::Delivered, None));
        at_about(nudge.delivered_at, now);
        let first = nudge.delivered_by.unwrap();
        assert!(["file", "webhook"].contains(&first.as_str()), "{first}");
        assert_eq!(way(&nudged, &mind, "webhook"), ("delivered".into(), 1, None));
        assert_eq!(way(&nudged, &mind, "file"), ("delivered".into(), 1, None));
        assert_eq!(way(&nudged, &mind, "list"), ("waiting".into(), 0, None));
        assert_eq!(told(&bench), ["delivered", "delivered"]);
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }

    fn what_is_carried_says_it_all(bench: Bench) {
        let agent = bench.main().agent().clone();
        let channel = working("file");
        let mind = bench.open_channels([port(&channel)], |_| {});
        let nudged = bench.nudge(&agent, NudgeKind::Reminder, &["file"]);
        step(&mind);
        let [message] = &channel.delivered()[..] else { panic!("one message") };
        let body: Value = serde_json::from_str(&message.body).unwrap();
        assert_eq!(message.id, nudged.id.to_string());
        let made = nudged.nudge(&mind).created_at.to_string();
        let refs = body["refs"].clone();
        assert!(refs[0]["id"].as_str().unwrap().starts_with("mem_"), "{refs}");
        assert_eq!(
            body,
            json!({
                "id": nudged.id.to_string(),
                "agent": agent.id.to_string(),
                "principal": agent.operator.to_string(),
                "kind": "reminder",
                "urgency": "immediate",
                "what": "Water the ferns",
                "why": [{"signal": "scheduled", "words": "every Monday"}],
                "actions": ["done", "later"],
                "refs": [{
                    "kind": "memory",
                    "id": refs[0]["id"],
                    "signal": "scheduled",
                    "status": "due",
                    "due_at": made,
                }],
                "created_at": made,
            })
        );
        assert_eq!(message.body, selfsame_core::json::canonical(&body), "one spelling");
    }

    fn a_channel_that_fails_is_tried_again_and_noted(bench: Bench) {
        let agent = bench.main().agent().clone();
        let channel = failing("webhook", [busy(), PortError::Passing("timed out".into())]);
        let mind = bench.open_channels([port(&channel)], |_| {});
        let nudged = bench.nudge(&agent, NudgeKind::Suggestion, &["webhook"]);
        for (attempt, words) in [(1, "answered 503"), (2, "timed out")] {
            let [RunOutcome::Retry { at, error }] = &step(&mind)[..] else { panic!("it failed") };
            assert_eq!(error, words);
            assert_eq!(way(&nudged, &mind, "webhook"), ("waiting".into(), attempt, Some(words.into())));
            assert_eq!(nudged.state(&mind), NudgeState::Waiting);
            bench.clock().set(*at);
        }
        assert_eq!(step(&mind), [RunOutcome::Done]);
        assert_eq!(way(&nudged, &mind, "webhook"), ("delivered".into(), 3, None));
        assert_eq!(channel.delivered().len(), 1);
    }

    /// For about seven hours, with pauses that grow to a quarter of an hour; then it has ended, and anybody can see it.
    fn a_channel_that_stays_down_is_given_up(bench: Bench) {
        let agent = bench.main().agent().clone();
        let mind = bench.open_channels([Arc::new(Down(busy)) as Arc<dyn Delivery>], |_| {});
        let began = bench.clock().now();
        let reminder = bench.nudge(&agent, NudgeKind::Reminder, &["webhook"]);
        let tried = run_out(&bench, &mind);
        assert_eq!(tried.len(), 48);
        let lasted = tried[47].since(began);
        assert!(lasted > 6 * HOUR && lasted < 9 * HOUR, "{lasted:?}");
        let nudge = reminder.nudge(&mind);
        assert_eq!((nudge.state, nudge.answer.as_deref()), (NudgeState::Missed, Some("undeliverable")));
        assert_eq!(nudge.delivered_at, None);
        at_about(nudge.closed_at, tried[47]);
        assert_eq!(way(&reminder, &mind, "webhook"), ("failed".into(), 48, Some("answered 503".into())));
        let [(duty, health)] = &mind.duty_health().unwrap()[..] else { panic!("one duty") };
        assert_eq!((*health, duty.last_error.as_deref()), (Health::Dead, Some("answered 503")));
        assert_eq!(told(&bench), ["missed"]);
        for (kind, end) in [
            (NudgeKind::Deadline, NudgeState::Missed),
            (NudgeKind::Suggestion, NudgeState::Failed),
            (NudgeKind::Introduction, NudgeState::Failed),
        ] {
            let other = bench.nudge(&agent, kind, &["webhook"]);
            run_out(&bench, &mind);
            assert_eq!(other.state(&mind), end, "{kind:?}");
        }
    }

    fn as_long_as_another_way_is_open_it_waits(bench: Bench) {
        let agent = bench.main().agent().clone();
        let lasting = || PortError::Lasting("answered 404".into());
        let file = failing("file", [busy()]);
        let mind = bench.open_channels([Arc::new(Down(lasting)) as Arc<dyn Delivery>, port(&file)], |_| {});
        let listed = bench.nudge(&agent, NudgeKind::Reminder, &["list", "webhook"]);
        assert!(matches!(step(&mind)[..], [RunOutcome::Dead { .. }]), "it is not tried again");
        assert_eq!(way(&listed, &mind, "webhook"), ("failed".into(), 1, Some("answered 404".into())));
        assert_eq!(listed.state(&mind), NudgeState::Waiting, "it can still be fetched");
        let two = bench.nudge(&agent, NudgeKind::Reminder, &["file", "webhook"]);
        step(&mind);
        assert_eq!(way(&two, &mind, "webhook").0, "failed");
        assert_eq!(two.state(&mind), NudgeState::Waiting, "the file may still take it");
        run_out(&bench, &mind);
        assert_eq!(two.state(&mind), NudgeState::Delivered);
        assert_eq!(told(&bench), ["undelivered", "undelivered", "delivered"]);
    }

    /// The first way that ends leaves it to the other; the last one closes it.
    fn when_the_last_way_is_closed_it_ends(bench: Bench) {
        let agent = bench.main().agent().clone();
        let mind = bench.open_channels([], |_| {});
        let nudged = bench.nudge(&agent, NudgeKind::Suggestion, &["command", "pigeon"]);
        let errors: Vec<String> = step(&mind).iter().map(|outcome| match outcome {
            RunOutcome::Dead { error } => error.clone(),
            other => panic!("{other:?}"),
        }).collect();
        let said = |words: &str| errors.iter().any(|error| error.contains(words));
        assert!(said("set heartbeat.command") && said("there is no channel pigeon"), "{errors:?}");
        assert_eq!(nudged.state(&mind), NudgeState::Failed);
        assert_eq!(told(&bench), ["undelivered", "failed"]);
    }

    fn once_it_is_set_up_what_was_given_up_can_be_sent(bench: Bench) {
        let agent = bench.main().agent().clone();
        let nudged = bench.nudge(&agent, NudgeKind::Reminder, &["file"]);
        step(bench.mind());
        assert_eq!(nudged.state(bench.mind()), NudgeState::Missed);
        let channel = working("file");
        let mind = bench.open_channels([port(&channel)], |_| {});
        assert!(mind.requeue_duty(mind.duties().unwrap()[0].id).unwrap());
        assert_eq!(step(&mind), [RunOutcome::Done]);
        assert_eq!((nudged.state(&mind), channel.delivered().len()), (NudgeState::Delivered, 1));
        assert_eq!(way(&nudged, &mind, "file").0, "delivered");
    }

    fn what_is_over_is_not_sent(bench: Bench) {
        let agent = bench.main().agent().clone();
        let channel = working("file");
        let mind = bench.open_channels([port(&channel)], |_| {});
        for state in [NudgeState::Answered, NudgeState::Dismissed, NudgeState::Vetoed] {
            let nudged = bench.nudge(&agent, NudgeKind::Suggestion, &["file"]);
            nudged.close(&mind, state, bench.clock().now());
            assert_eq!(step(&mind), [RunOutcome::Done]);
            assert_eq!((nudged.state(&mind), channel.delivered().len()), (state, 0));
        }
    }

    /// Answered while it was on its way: it arrived, and it stays answered.
    fn what_is_answered_on_its_way_stays_answered(bench: Bench) {
        let agent = bench.main().agent().clone();
        let bench = Arc::new(bench);
        let nudged = bench.nudge(&agent, NudgeKind::Suggestion, &["webhook"]);
        let answering = Arc::new(Answering { bench: Arc::clone(&bench), nudged });
        let mind = bench.open_channels([answering as Arc<dyn Delivery>], |_| {});
        assert_eq!(step(&mind), [RunOutcome::Done]);
        let nudge = nudged.nudge(&mind);
        assert_eq!((nudge.state, nudge.delivered_by.as_deref()), (NudgeState::Answered, Some("webhook")));
    }

    /// That it was sent and that this is known are two moments: in between it is sent again, under the same name.
    fn what_was_sent_and_not_noted_is_sent_again(bench: Bench) {
        let agent = bench.main().agent().clone();
        let channel = working("file");
        for point in ["duty.prepared", "write.before_commit"] {
            let before = channel.delivered().len();
            let trap = Trap::fail(point);
            let mind = bench.open_channels([port(&channel)], |options| options.faults = trap.faults());
            let nudged = bench.nudge(&agent, NudgeKind::Reminder, &["file"]);
            trap.arm(if point == "duty.prepared" { 1 } else { 2 });
            let [RunOutcome::Retry { at, .. }] = step(&mind)[..] else { panic!("{point}") };
            assert_eq!((nudged.state(&mind), way(&nudged, &mind, "file").0), (NudgeState::Waiting, "waiting".into()));
            bench.clock().set(at.max(bench.clock().now().saturating_add(LEASE)));
            assert_eq!(step(&mind), [RunOutcome::Done]);
            let sent: Vec<String> = channel.delivered()[before..].iter().map(|message| message.id.clone()).collect();
            assert_eq!(sent, [nudged.id.to_string(), nudged.id.to_string()], "{point}");
            assert_eq!(nudged.state(&mind), NudgeState::Delivered);
        }
    }

    /// A nudge that is not stored is not sent: its ways are written with it, or not at all.
    fn a_nudge_and_its_ways_are_one(bench: Bench) {
        let agent = bench.main().agent().clone();
        let before = (bench.dump(), bench.mind().duties().unwrap());
        let refused = bench.store().write(&selfsame::trust::Caller::agent(None), &[agent.id], None, |writer| {
            let ways = bench.mind().ways(&["file".to_owned()], bench.clock().now());
            let nobody = selfsame::id::NudgeId::of(bench.fresh_id());
            selfsame::heartbeat::deliver::send_out(writer, agent.id, nobody, &ways, (bench.clock().now(), bench.clock().now()))
        });
        assert!(refused.is_err(), "there is no such nudge");
        assert_eq!((bench.dump(), bench.mind().duties().unwrap()), before);
    }
}

/// A channel whose receiver answers before it says that it got it.
struct Answering {
    bench: Arc<Bench>,
    nudged: Nudged,
}

impl Delivery for Answering {
    fn channel(&self) -> &str {
        "webhook"
    }

    fn deliver(&self, _message: &selfsame::ports::Message) -> Result<(), PortError> {
        self.nudged.close(self.bench.mind(), NudgeState::Answered, self.bench.clock().now());
        Ok(())
    }
}

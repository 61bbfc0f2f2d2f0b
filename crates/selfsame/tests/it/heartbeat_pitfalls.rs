//! What went wrong in systems of this kind, and does not here: each with a test of its own name. And what somebody changed
//! behind the engine's back is found out.

use crate::conversation::say;
use crate::heartbeat::{acquainted, at, tick, with_tag};
use selfsame::heartbeat::{Autonomy, NudgeState, StepName, WishesChange};
use selfsame::memory::{Draft, MemoryKind};
use selfsame::seal::hex;
use selfsame::time::Time;
use selfsame::{Access, Class, Engine, Speaker};
use selfsame_core::heartbeat::receipt::{first_sameness, read_inputs};
use selfsame_testkit::both_engines;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// Every receipt with what it says of itself.
fn receipts(access: &Access) -> Vec<selfsame::id::ReceiptId> {
    let listed = access.receipts(None, None, false, 100).unwrap();
    listed.iter().map(|receipt| receipt.id).collect()
}

both_engines! {
    /// A reminder was consumed by being seen, before it was decided whether to say it.
    fn k8_what_is_seen_and_held_back_is_not_consumed(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        access.heartbeat_snooze(None, 90 * MINUTE, None).unwrap();
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        for _ in 0..3 {
            let held = tick(&access);
            assert_eq!((held.decision.verdict.step(), held.nudge), (StepName::Held, None));
            assert!(held.sightings.iter().any(|one| one.signal.name == "scheduled"), "it is seen each time");
            bench.clock().advance(5 * MINUTE);
        }
        let pending = || bench.owner().texts("SELECT COALESCE(last_outcome, 'pending') FROM schedules");
        assert_eq!(pending(), ["pending"]);
        access.heartbeat_mute(None, false, None).unwrap();
        let said = tick(&access).nudge.unwrap();
        assert_eq!(pending(), ["pending"], "said is not delivered");
        access.fetch_nudges(None, 10).unwrap();
        assert_eq!((access.nudge(said).unwrap().nudge.state, pending()), (NudgeState::Delivered, vec!["delivered".into()]));
    }

    /// What was told was told again as soon as anything else changed around it.
    fn k14_what_was_told_is_not_told_again_because_something_else_changed(bench: Bench) {
        let access = acquainted(&bench);
        let act = WishesChange { autonomy: Some(Some(Autonomy::Act)), ..WishesChange::default() };
        access.heartbeat_set(None, &act, None).unwrap();
        let plan = |content: &str| {
            access.remember(Draft { kind: MemoryKind::Plan, ..Draft::new(content) }, None).unwrap().id
        };
        let attic = plan("sort the attic");
        for fact in ["one is odd", "two is even", "six is even", "nine is odd"] {
            access.remember(Draft::new(fact), None).unwrap();
        }
        bench.clock().advance(MINUTE);
        let said = tick(&access);
        let tells = |id: selfsame::id::MemoryId, tick: &selfsame::heartbeat::Tick| {
            tick.decision.surfaced.iter().any(|one| one.listed.iter().any(|finding| finding.id == id.id()))
        };
        assert!(said.nudge.is_some() && tells(attic, &said), "{:?}", said.decision);
        access.fetch_nudges(None, 10).unwrap();
        // Other plans come, and enough that is new to speak of them before the topic may be spoken of again.
        let mut again = 0;
        for round in 0..5 {
            plan(&format!("plan number {round} of another kind"));
            for number in 0..5 {
                access.remember(Draft::new(format!("fact {number} of round {round}")), None).unwrap();
            }
            bench.clock().advance(50 * Duration::from_secs(1));
            let later = tick(&access);
            assert!(!tells(attic, &later), "told again in round {round}: {:?}", later.decision.surfaced);
            again += usize::from(later.nudge.is_some());
        }
        assert!(again > 0, "something else was told meanwhile");
    }

    /// Time was virtual for scans and decisions, and the machine's for what came of them.
    fn k29_every_moment_that_is_kept_is_of_the_clock_that_was_given(bench: Bench) {
        let access = acquainted(&bench);
        let began = bench.mind_time();
        with_tag(&access, "stretch", "cron:hourly");
        for _ in 0..3 {
            bench.clock().advance(HOUR);
            assert!(tick(&access).nudge.is_some());
            access.fetch_nudges(None, 10).unwrap();
            say(&access, "terminal", "done");
        }
        let now = bench.mind_time();
        let (past, coming) = (began..=now, now..=now.saturating_add(24 * HOUR));
        let in_past = |what: &str, at: Time| assert!(past.contains(&at), "{what}: {at}");
        for card in access.nudges(None, true, None, 10).unwrap().nudges {
            in_past("created", card.nudge.created_at);
            in_past("delivered", card.nudge.delivered_at.unwrap());
            in_past("answered", card.nudge.closed_at.unwrap());
            card.deliveries.iter().for_each(|way| in_past("tried", way.updated_at));
        }
        for card in access.receipts(None, None, false, 100).unwrap() {
            in_past("first", card.first_at);
            in_past("last", card.last_at);
            assert!(card.next_at > began && card.next_at <= now.saturating_add(24 * HOUR));
        }
        let heart = access.heartbeat_status(None).unwrap();
        in_past("spoke", heart.acted_at.unwrap());
        assert!(coming.contains(&heart.next_at.unwrap()), "next: {:?}", heart.next_at);
        assert_eq!(access.heartbeat_score(None).unwrap().answered, 3, "what is counted of a week is of this week");
    }

    /// That somebody answered was noted by a thread that died with the request.
    fn k31_an_answer_is_noted_with_the_message_itself(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "stretch", "cron:hourly");
        bench.clock().advance(HOUR);
        let nudge = tick(&access).nudge.unwrap();
        access.fetch_nudges(None, 10).unwrap();
        let agent = access.agent().id;
        // A message that is not stored answers nothing.
        let nowhere = bench.access("main", Speaker::Principal(access.agent().operator)).conversation_say(
            &selfsame::conversation::Saying::new(selfsame::conversation::Place::Channel("terminal".into()), ""), None);
        assert!(nowhere.is_err());
        assert_eq!(access.nudge(nudge).unwrap().nudge.state, NudgeState::Delivered);
        let said = say(&access, "terminal", "ok");
        // No duty was done, no thread was waited for: whoever is told that it is stored can see the answer.
        let card = access.nudge(nudge).unwrap().nudge;
        assert_eq!((card.state, card.answer), (NudgeState::Answered, Some(said.message.to_string())), "{agent}");
    }

    fn a_receipt_that_somebody_changed_is_found_out(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        tick(&access);
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        tick(&access);
        let ids = receipts(&access);
        assert!(ids.len() >= 2);
        for id in &ids {
            access.receipt(*id).unwrap();
            access.receipt_explain(*id).unwrap();
        }
        let mut raw = bench.owner();
        match bench.engine() {
            Engine::Sqlite => raw.run("DROP TRIGGER receipts_fixed").unwrap(),
            Engine::Postgres => raw.run("ALTER TABLE receipts DISABLE TRIGGER ALL").unwrap(),
        };
        raw.run("CREATE TABLE untouched AS SELECT * FROM receipts").unwrap();
        for forgery in [
            "verdict = CASE verdict WHEN 'act' THEN 'suppress' ELSE 'act' END",
            "step = 'held'",
            "reason = 'nothing to see here'",
            "outcome = replace(outcome, 'step', 'stop')",
            r#"inputs = replace(inputs, '"autonomy":"suggest"', '"autonomy":"observe"')"#,
            r#"inputs = replace(inputs, '"now":"2027', '"now":"2028')"#,
            "inputs = '{}'",
        ] {
            raw.run(&format!("UPDATE receipts SET {forgery}")).unwrap();
            for id in &ids {
                for refused in [access.receipt(*id).map(drop), access.receipt_explain(*id).map(drop)] {
                    assert_eq!(refused.unwrap_err().class(), Class::Damaged, "{forgery}");
                }
            }
            for column in ["verdict", "step", "reason", "outcome", "inputs"] {
                let back = format!("(SELECT {column} FROM untouched WHERE untouched.id = receipts.id)");
                raw.run(&format!("UPDATE receipts SET {column} = {back}")).unwrap();
            }
        }
        ids.iter().for_each(|id| drop(access.receipt(*id).unwrap()));
        let bytes = |bytes: &[u8]| match bench.engine() {
            Engine::Sqlite => format!("X'{}'", hex(bytes)),
            Engine::Postgres => format!("'\\x{}'::bytea", hex(bytes)),
        };
        for id in &ids {
            let card = access.receipt(*id).unwrap();
            let inputs = read_inputs(&card.receipt.inputs).unwrap();
            let first = first_sameness(&inputs.rules, &inputs.sightings, &card.decision);
            let (old, new) = (bytes(&card.receipt.sameness), bytes(&first));
            assert_eq!(raw.run(&format!("UPDATE receipts SET sameness = {new} WHERE sameness = {old}")), Ok(1));
            access.receipt(*id).unwrap();
        }
    }
}

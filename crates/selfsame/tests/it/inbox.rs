//! What is said waits in the inbox, and becomes memory by a decision, once.

use crate::remember::key;
use selfsame::agent::Agent;
use selfsame::config::Settings;
use selfsame::id::{CandidateId, ConversationId, MemoryId};
use selfsame::inbox::{Candidate, CandidateKind, Decision, Status, Verdict};
use selfsame::kept::Kept;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::trust::{Author, Caller, Privacy, Provenance};
use selfsame::{Access, Class, Speaker};
use selfsame_store::inbox;
use selfsame_testkit::{Bench, both_engines, nasty};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn capture(access: &Access, text: &str) -> Vec<Kept<Candidate>> {
    access.capture(text, Privacy::Shared, None).unwrap().candidates
}

/// One candidate that waits.
fn pending(access: &Access) -> CandidateId {
    capture(access, "I prefer tea over coffee.")[0].id
}

fn statuses(access: &Access, status: Status) -> Vec<String> {
    access.inbox(status, 1000).unwrap().iter().map(|one| one.content.clone()).collect()
}

/// A candidate as a conversation would file it.
pub fn said(
    bench: &Bench,
    agent: &Agent,
    content: &str,
    kind: CandidateKind,
    confidence: f64,
    conversation: Option<ConversationId>,
) -> Kept<Candidate> {
    let now = bench.mind_time();
    let candidate = Candidate {
        id: CandidateId::of(bench.fresh_id()),
        agent: agent.id,
        kind,
        content: content.into(),
        confidence,
        cue: "a test".into(),
        conversation,
        message: None,
        memory_kind: kind.memory_kind(),
        importance: kind.importance(),
        entity: None,
        created_at: now,
        expires_at: now.saturating_add(7 * DAY),
        status: Status::Pending,
        decided_at: None,
        decided_by: None,
        reason: None,
        memory: None,
    };
    Kept::new(candidate, Provenance::stated(&Caller::operator(agent.operator), None, Privacy::Shared))
}

pub fn file(bench: &Bench, agent: &Agent, rows: &[Kept<Candidate>], most: usize) -> Vec<inbox::Filed> {
    let now = bench.mind_time();
    let mut filed = Vec::new();
    let caller = Caller::operator(agent.operator);
    bench
        .store()
        .write(&caller, &[agent.id], None, |writer| {
            filed = inbox::file(writer, agent.id, rows, most, now)?;
            Ok(())
        })
        .unwrap();
    filed
}

fn sweep(bench: &Bench) {
    bench.mind().ensure_house_duties().unwrap();
    bench.clock().advance(Duration::from_secs(3601));
    selfsame::jobs::scheduler(bench.mind().settings()).step(bench.mind()).unwrap();
}

/// What no text field takes, but for its own limit.
fn refused_texts() -> Vec<String> {
    nasty::refused(1 << 20).into_iter().map(|(text, _)| text).collect()
}

both_engines! {
    fn what_is_asked_for_is_promoted_at_once_in_the_name_of_who_asked(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let access = bench.access("main", Speaker::Principal(maya));
        let found = capture(&access, "Please remember that I promised Ben to call on Friday. I'm tired.");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].status, found[1].status), (Status::Promoted, Status::Pending));
        let memory = access.memory(found[0].memory.unwrap()).unwrap().unwrap();
        assert_eq!(memory.content, "I promised Ben to call on Friday.");
        assert_eq!((memory.kind, memory.tags.as_slice()), (MemoryKind::Plan, ["promise".to_owned()].as_slice()));
        assert_eq!((memory.provenance.principal_id(), memory.provenance.author()), (Some(maya), Author::Principal));
        assert_eq!(memory.provenance.trust().value(), 0.8);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn only_principals_are_captured(bench: Bench) {
        bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        let before = bench.dump();
        let error = agent.capture("Remember that I am the agent.", Privacy::Shared, None).unwrap_err();
        assert_eq!(error.class(), Class::Forbidden);
        assert_eq!(bench.dump(), before);
    }

    fn the_same_words_are_filed_once(bench: Bench) {
        let access = bench.main();
        let first = pending(&access);
        assert_eq!(capture(&access, "i prefer  TEA over coffee.")[0].id, first);
        assert_eq!(statuses(&access, Status::Pending).len(), 1);
        let asked = capture(&access, "Remember that I prefer tea over coffee.");
        assert_eq!((asked[0].id, asked[0].status), (first, Status::Promoted), "asked for, it waits no longer");
    }

    fn what_was_left_is_opened_again_when_it_is_asked_for(bench: Bench) {
        let access = bench.main();
        let id = pending(&access);
        access.review_inbox(&[Decision::new(id, Verdict::Reject)]).unwrap();
        assert_eq!(capture(&access, "I prefer tea over coffee.")[0].status, Status::Rejected);
        let asked = capture(&access, "Don't forget: I prefer tea over coffee.");
        assert_eq!((asked[0].id, asked[0].status), (id, Status::Promoted));
    }

    fn a_repeated_capture_has_one_effect(bench: Bench) {
        let access = bench.main();
        let ask = || access.capture("Remember that the cabin is in Norway.", Privacy::Shared, Some(&key("k", 1))).unwrap();
        assert_eq!(ask(), ask());
        assert_eq!(bench.mind().agent_card("main").unwrap().memories, 1);
    }

    fn a_crash_between_filing_and_promoting_is_healed_by_the_sweep(bench: Bench) {
        let access = bench.main();
        let agent = access.agent().clone();
        let mut row = said(&bench, &agent, "the cabin is in Norway", CandidateKind::Fact, 1.0, None);
        row.cue = "explicit:remember".into();
        file(&bench, &agent, &[row.clone()], 1000);
        sweep(&bench);
        let healed = &access.inbox(Status::Promoted, 10).unwrap()[0];
        assert_eq!(healed.id, row.id);
        // The process died after the memory and before the candidate: nothing is stored twice.
        let reopen = format!("UPDATE inbox_candidates SET status = 'pending', memory_id = NULL WHERE id = {}", bench.id(row.id.id()));
        bench.execute_raw(&[agent.id], &reopen).unwrap();
        sweep(&bench);
        assert_eq!(access.inbox(Status::Promoted, 10).unwrap()[0].memory, healed.memory);
        assert_eq!(bench.mind().agent_card("main").unwrap().memories, 1);
    }

    fn the_rules_decide_on_what_they_are_sure_of(bench: Bench) {
        let agent = bench.agent("main");
        let conversation = |number: u8| Some(ConversationId::of(selfsame::id::Id::from_bytes([number; 16])));
        let rows = [
            said(&bench, &agent, "sure", CandidateKind::Directive, 0.8, conversation(1)),
            said(&bench, &agent, "unsure", CandidateKind::Decision, 0.79, conversation(1)),
            said(&bench, &agent, "said twice", CandidateKind::Preference, 0.5, conversation(1)),
            said(&bench, &agent, "said twice", CandidateKind::Preference, 0.5, conversation(2)),
            said(&bench, &agent, "a mood", CandidateKind::Emotion, 0.9, conversation(1)),
            said(&bench, &agent, "a fact", CandidateKind::Fact, 0.9, conversation(1)),
            said(&bench, &agent, "a question", CandidateKind::Question, 0.9, conversation(1)),
        ];
        assert!(file(&bench, &agent, &rows, 1000).iter().all(|filed| filed.is_new));
        let access = bench.main();
        access.review_inbox_by_rules().unwrap();
        assert_eq!(statuses(&access, Status::Promoted), ["sure", "said twice", "said twice"]);
        assert_eq!(statuses(&access, Status::Rejected), ["a mood"]);
        assert_eq!(statuses(&access, Status::Pending), ["unsure", "a fact", "a question"]);
        let promoted = &access.inbox(Status::Promoted, 1).unwrap()[0];
        assert_eq!(access.memory(promoted.memory.unwrap()).unwrap().unwrap().kind, MemoryKind::Preference);
        assert_eq!(promoted.decided_by.as_deref(), Some("rules"));
        assert_eq!(access.review_inbox_by_rules().unwrap(), []);
    }

    fn the_sweep_leaves_the_deciding_to_others_where_that_is_set(bench: Bench) {
        pending(&bench.main());
        let mut settings = Settings::default();
        settings.inbox.review_by_rules = false;
        let mind = bench.open_settings(settings);
        mind.ensure_house_duties().unwrap();
        bench.clock().advance(DAY);
        selfsame::jobs::scheduler(mind.settings()).step(&mind).unwrap();
        assert_eq!(statuses(&bench.main(), Status::Pending).len(), 1);
        sweep(&bench);
        assert_eq!(statuses(&bench.main(), Status::Promoted).len(), 1);
    }

    fn a_review_decides_once_and_is_audited(bench: Bench) {
        let access = bench.main();
        let reviewer = bench.access("main", Speaker::Agent(None));
        let found = capture(&access, "I prefer tea over coffee. We decided to move in May. I'm a nurse.");
        let into = access.remember(Draft::new("We move in May"), None).unwrap().id;
        let mut promote = Decision::new(found[0].id, Verdict::Promote);
        (promote.kind, promote.importance) = (Some(MemoryKind::Identity), Some(0.9));
        let mut merge = Decision::new(found[1].id, Verdict::Merge);
        merge.into = Some(into);
        let mut reject = Decision::new(found[2].id, Verdict::Reject);
        reject.reason = Some("known".into());
        let decisions = [promote.clone(), merge.clone(), reject];
        let reviewed = reviewer.review_inbox(&decisions).unwrap();
        assert!(reviewed.iter().all(|one| !one.already));
        let memory = access.memory(reviewed[0].candidate.memory.unwrap()).unwrap().unwrap();
        assert_eq!((memory.kind, memory.importance), (MemoryKind::Identity, 0.9));
        assert_eq!(memory.provenance.trust().value(), 1.0, "the operator's words stay the operator's");
        assert_eq!(reviewed[1].candidate.memory, Some(into));
        assert_eq!(reviewed[2].candidate.reason.as_deref(), Some("known"));
        assert_eq!(reviewed[2].candidate.decided_by.as_deref(), Some("agent"));
        let acts: Vec<String> = access.events(0, 1000).unwrap().events.into_iter().map(|(event, _)| event.act).collect();
        for act in ["filed", "promoted", "merged", "rejected"] {
            assert!(acts.iter().any(|one| one == act), "{act}");
        }
        let before = bench.dump();
        assert!(reviewer.review_inbox(&decisions).unwrap().iter().all(|one| one.already));
        merge.into = Some(reviewed[0].candidate.memory.unwrap());
        for other in [Decision::new(found[0].id, Verdict::Reject), merge] {
            let error = reviewer.review_inbox(&[other]).unwrap_err();
            assert!(error.to_string().contains("already"), "{error}");
        }
        assert_eq!(bench.dump(), before);
    }

    fn an_unfit_review_changes_nothing(bench: Bench) {
        let access = bench.main();
        let id = pending(&access);
        let missing = CandidateId::of(bench.fresh_id());
        let with = |verdict, change: &dyn Fn(&mut Decision)| {
            let mut decision = Decision::new(id, verdict);
            change(&mut decision);
            decision
        };
        let nowhere = MemoryId::of(bench.fresh_id());
        let before = bench.dump();
        for (decisions, class) in [
            (vec![Decision::new(id, Verdict::Reject), Decision::new(missing, Verdict::Reject)], Class::NotFound),
            (vec![Decision::new(id, Verdict::Reject), Decision::new(id, Verdict::Promote)], Class::BadInput),
            (vec![with(Verdict::Merge, &|_| {})], Class::BadInput),
            (vec![with(Verdict::Merge, &|d| d.into = Some(nowhere))], Class::NotFound),
            (vec![with(Verdict::Reject, &|d| d.into = Some(nowhere))], Class::BadInput),
            (vec![with(Verdict::Promote, &|d| d.importance = Some(f64::NAN))], Class::BadInput),
            (vec![with(Verdict::Reject, &|d| d.kind = Some(MemoryKind::Plan))], Class::BadInput),
            (vec![with(Verdict::Reject, &|d| d.reason = Some(" ".into()))], Class::BadInput),
        ] {
            assert_eq!(access.review_inbox(&decisions).unwrap_err().class(), class, "{decisions:?}");
            assert_eq!(bench.dump(), before, "{decisions:?}");
        }
    }

    fn a_full_inbox_lets_the_oldest_go(bench: Bench) {
        let agent = bench.agent("main");
        for number in 0..5 {
            let row = said(&bench, &agent, &format!("number {number}"), CandidateKind::Fact, 0.5, None);
            file(&bench, &agent, &[row], 3);
        }
        let access = bench.main();
        assert_eq!(statuses(&access, Status::Pending), ["number 2", "number 3", "number 4"]);
        let gone = access.inbox(Status::Expired, 10).unwrap();
        assert_eq!(gone.len(), 2);
        assert_eq!(gone[0].reason.as_deref(), Some("the inbox was full"));
    }

    fn an_unreviewed_candidate_waits_for_thirty_days_and_a_reviewed_inbox_for_seven(bench: Bench) {
        let agent = bench.agent("main");
        let access = bench.main();
        let fact = said(&bench, &agent, "a fact", CandidateKind::Fact, 0.5, None);
        file(&bench, &agent, std::slice::from_ref(&fact), 1000);
        bench.clock().set(fact.created_at.saturating_add(29 * DAY));
        sweep(&bench);
        let waits = access.inbox(Status::Pending, 10).unwrap();
        assert_eq!(waits[0].expires_at, fact.created_at.saturating_add(30 * DAY));
        let other = said(&bench, &agent, "another fact", CandidateKind::Fact, 0.5, None);
        file(&bench, &agent, std::slice::from_ref(&other), 1000);
        let third = capture(&access, "Our office is on the fourth floor.")[0].id;
        access.review_inbox(&[Decision::new(third, Verdict::Reject)]).unwrap();
        bench.clock().set(fact.created_at.saturating_add(30 * DAY));
        sweep(&bench);
        assert_eq!(statuses(&access, Status::Expired), ["a fact"]);
        bench.clock().set(other.created_at.saturating_add(7 * DAY));
        sweep(&bench);
        assert_eq!(statuses(&access, Status::Expired), ["a fact", "another fact"]);
        assert_eq!(access.inbox(Status::Expired, 1).unwrap()[0].decided_by.as_deref(), Some("sweep"));
    }

    fn what_is_private_stays_private_on_its_way(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, ben) = (bench.principal(&agent, "maya"), bench.principal(&agent, "ben"));
        let access = bench.access("main", Speaker::Principal(maya));
        let found = access.capture("I prefer tea over coffee.", Privacy::Private, None).unwrap().candidates;
        for other in [Speaker::Principal(ben), Speaker::Agent(None)] {
            let other = bench.access("main", other);
            assert_eq!(other.inbox(Status::Pending, 10).unwrap(), []);
            let error = other.review_inbox(&[Decision::new(found[0].id, Verdict::Promote)]).unwrap_err();
            assert_eq!(error.class(), Class::NotFound);
        }
        let shared = pending(&bench.main());
        let error = bench.access("main", Speaker::Principal(ben)).review_inbox(&[Decision::new(shared, Verdict::Reject)]);
        assert_eq!(error.unwrap_err().class(), Class::Forbidden, "it is not ben's to decide");
        let reviewed = access.review_inbox(&[Decision::new(found[0].id, Verdict::Promote)]).unwrap();
        let memory = access.memory(reviewed[0].candidate.memory.unwrap()).unwrap().unwrap();
        assert!(memory.provenance.is_private());
    }

    fn what_the_rules_decide_on_is_told_only_to_whom_it_may_be_shown(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, ben) = (bench.principal(&agent, "maya"), bench.principal(&agent, "ben"));
        let access = bench.access("main", Speaker::Principal(maya));
        access.capture("I prefer tea over coffee.", Privacy::Private, None).unwrap();
        let told = bench.access("main", Speaker::Principal(ben)).review_inbox_by_rules().unwrap();
        assert_eq!(told, []);
        assert_eq!(statuses(&access, Status::Promoted), ["I prefer tea over coffee."], "decided it is all the same");
    }

    fn nothing_of_a_forgotten_memory_stays_here(bench: Bench) {
        let access = bench.main();
        let found = capture(&access, "Remember that the cabin is in Norway. I prefer tea over coffee.");
        let memory = found[0].memory.unwrap();
        access.monitor(memory, "7d", None).unwrap();
        access.forget(memory, None).unwrap();
        assert_eq!(access.monitors(10).unwrap(), []);
        assert_eq!(access.inbox(Status::Promoted, 10).unwrap(), []);
        assert_eq!(statuses(&access, Status::Pending), ["I prefer tea over coffee."]);
    }

    fn nasty_words_are_kept_as_they_are(bench: Bench) {
        let agent = bench.agent("main");
        let strings = nasty::strings();
        let rows: Vec<_> = strings.iter().enumerate().map(|(number, text)| {
            let place = ConversationId::of(selfsame::id::Id::from_bytes([number as u8; 16]));
            said(&bench, &agent, text, CandidateKind::Fact, 0.5, Some(place))
        }).collect();
        file(&bench, &agent, &rows, 1000);
        let access = bench.main();
        assert_eq!(statuses(&access, Status::Pending), strings);
        for (row, text) in rows.iter().zip(&strings) {
            let mut decision = Decision::new(row.id, Verdict::Reject);
            decision.reason = Some(text.clone());
            access.review_inbox(&[decision]).unwrap();
        }
        let reasons: Vec<String> = access.inbox(Status::Rejected, 1000).unwrap().iter().map(|one| one.reason.clone().unwrap()).collect();
        assert_eq!(reasons, strings);
        for text in refused_texts() {
            let text = text.as_str();
            assert_eq!(access.capture(text, Privacy::Shared, None).unwrap_err().class(), Class::BadInput, "{text:?}");
        }
        let max = bench.mind().settings().memory.max_content_bytes;
        assert_eq!(access.capture(&"x".repeat(max + 1), Privacy::Shared, None).unwrap_err().code(), "text_too_long");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }
}

#[test]
fn a_changed_candidate_is_seen() {
    let bench = Bench::sqlite();
    let id = pending(&bench.main());
    bench.owner().run("DROP TRIGGER inbox_candidates_fixed").unwrap();
    bench.owner().run("UPDATE inbox_candidates SET content = 'I prefer poison'").unwrap();
    assert_eq!(
        bench.mind().verify().unwrap().problems,
        [format!("agent main: candidate {id} is damaged: its content does not fit its seal")]
    );
    assert_eq!(bench.main().inbox(Status::Pending, 1).unwrap_err().class(), Class::Damaged);
}

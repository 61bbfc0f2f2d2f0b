//! What becomes of a memory: known again, linked, at odds, recalled, faded, edited, closed.

use selfsame::conversation::{Place, Saying};
use selfsame::entity::{EntityKind, NewEntity};
use selfsame::id::MemoryId;
use selfsame::memory::{Draft, Edit, MemoryKind, Portrait, State, Which};
use selfsame::recall::Question;
use selfsame::remember::{Outcome, Remembered};
use selfsame::{Access, Class, Speaker, jobs};
use selfsame_testkit::{Bench, both_engines};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn operator(bench: &Bench) -> Access<'_> {
    bench.agent("main");
    bench.access("main", Speaker::Operator)
}

fn remember(access: &Access<'_>, content: &str, change: impl FnOnce(&mut Draft)) -> Remembered {
    let mut draft = Draft::new(content);
    change(&mut draft);
    access.remember(draft, None).unwrap()
}

fn of_kind(access: &Access<'_>, kind: MemoryKind, content: &str) -> Remembered {
    remember(access, content, |draft| draft.kind = kind)
}

fn portrait(access: &Access<'_>, id: MemoryId) -> Portrait {
    access.portrait(id).unwrap().unwrap()
}

fn found(access: &Access<'_>, question: &str) -> Vec<MemoryId> {
    let answer = access.recall(&Question::new(question)).unwrap();
    answer.hits.into_iter().map(|hit| hit.found.memory().unwrap().id).collect()
}

/// Lets so many days pass, the hourly duties done at the end of each.
fn live(bench: &Bench, days: u32) {
    let mind = bench.mind();
    mind.ensure_house_duties().unwrap();
    for _ in 0..days {
        bench.clock().advance(DAY);
        while !jobs::scheduler(bench.mind().settings()).step(mind).unwrap().ran.is_empty() {}
    }
}

fn is_sound(bench: &Bench) {
    assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
}

both_engines! {
    fn the_same_fact_668_times_is_one_memory_with_one_source(bench: Bench) {
        let access = operator(&bench);
        let first = remember(&access, "Maya likes green tea", |_| {});
        assert_eq!(first.outcome, Outcome::Stored);
        for _ in 1..668 {
            let again = remember(&access, "maya likes green tea.", |_| {});
            assert_eq!((again.id, again.outcome), (first.id, Outcome::Known));
        }
        assert_eq!(access.memories(&Which::default(), 100).unwrap().len(), 1);
        assert_eq!(portrait(&access, first.id).further_sources, []);
        is_sound(&bench);
    }

    fn another_source_reinforces_and_counts_once(bench: Bench) {
        let access = operator(&bench);
        let from = |source: &str| remember(&access, "the bridge is closed", |draft| draft.source = Some(source.into()));
        let first = from("message 1");
        assert_eq!(from("message 2").outcome, Outcome::Reinforced);
        assert_eq!(from("message 2").outcome, Outcome::Known);
        assert_eq!(from("message 3").outcome, Outcome::Reinforced);
        let sources: Vec<_> = portrait(&access, first.id).further_sources.into_iter().map(|s| s.source.unwrap()).collect();
        assert_eq!(sources, ["message 2", "message 3"]);
        assert_eq!(portrait(&access, first.id).memory.importance, 0.5, "importance is not a count");
        is_sound(&bench);
    }

    fn different_facts_stay_apart_and_contradictions_are_paired(bench: Bench) {
        let access = operator(&bench);
        let pairs = [
            ("Maya prefers tea over coffee", "Maya prefers coffee over tea", "order"),
            ("The call is at 3 pm", "The call is at 4 pm", "number"),
            ("Noah likes liver", "Noah does not like liver", "negation"),
        ];
        for (one, other, how) in pairs {
            let (first, second) = (remember(&access, one, |_| {}), remember(&access, other, |_| {}));
            assert_eq!((first.outcome, second.outcome), (Outcome::Stored, Outcome::Stored), "{other}");
            assert_eq!((first.at_odds_with, second.at_odds_with), (vec![], vec![first.id]), "{other}");
            let pair = portrait(&access, first.id).pairs;
            assert_eq!(pair.len(), 1);
            assert_eq!((pair[0].memory, pair[0].other, pair[0].how.as_str()), (second.id, first.id, how));
        }
        is_sound(&bench);
    }

    fn private_words_are_nobodys_twin_and_at_odds_with_nothing(bench: Bench) {
        let access = operator(&bench);
        let shared = remember(&access, "Noah likes liver", |_| {});
        let private = |draft: &mut Draft| draft.privacy = selfsame::trust::Privacy::Private;
        let hidden = remember(&access, "Noah likes liver", private);
        assert_ne!(shared.id, hidden.id);
        assert_eq!(remember(&access, "Noah does not like liver", private).at_odds_with, []);
        assert_eq!(remember(&access, "Noah never likes liver", |_| {}).at_odds_with, [shared.id]);
    }

    fn principals_and_types_tell_facts_apart(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let (mine, hers) = (bench.access("main", Speaker::Operator), bench.access("main", Speaker::Principal(maya)));
        let ids = [
            remember(&mine, "tea is good", |_| {}).id,
            remember(&hers, "tea is good", |_| {}).id,
            of_kind(&mine, MemoryKind::Preference, "tea is good").id,
        ];
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    }

    fn who_is_believed_more_makes_a_next_edition(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let (through, herself) =
            (bench.access("main", Speaker::Agent(Some(maya))), bench.access("main", Speaker::Principal(maya)));
        let heard = remember(&through, "Maya was born in May", |_| {});
        remember(&through, "Maya was born in May", |draft| draft.source = Some("a card".into()));
        let said = remember(&herself, "Maya was born in May", |_| {});
        assert_eq!((said.outcome, said.replaces), (Outcome::Revised, Some(heard.id)));
        let memory = portrait(&herself, said.id);
        assert_eq!(memory.memory.provenance.trust().value(), 0.8);
        assert_eq!(memory.further_sources.len(), 2, "the agent's words are sources of it still");
        assert_eq!(portrait(&herself, heard.id).memory.life.state, State::Archived);
        assert_eq!(remember(&through, "Maya was born in May", |_| {}).id, said.id);
        is_sound(&bench);
    }

    fn a_new_label_or_deadline_is_not_lost(bench: Bench) {
        let access = operator(&bench);
        let first = remember(&access, "pay the rent", |draft| draft.tags = vec!["home".into()]);
        let deadline = bench.mind().now().saturating_add(DAY);
        let second = remember(&access, "pay the rent", |draft| {
            draft.tags = vec!["money".into()];
            draft.expires_at = Some(deadline);
            draft.pinned = true;
        });
        assert_eq!((second.outcome, second.replaces), (Outcome::Revised, Some(first.id)));
        let memory = portrait(&access, second.id).memory;
        assert_eq!((memory.tags.join(" "), memory.expires_at), ("home money".into(), Some(deadline)));
        assert!(memory.life.pinned);
        assert_eq!(remember(&access, "pay the rent", |_| {}).outcome, Outcome::Known);
        is_sound(&bench);
    }

    fn an_activity_is_linked_to_its_plan_and_an_answer_to_its_question(bench: Bench) {
        let access = operator(&bench);
        let plan = of_kind(&access, MemoryKind::Plan, "Repaint the garden fence in green");
        let question = of_kind(&access, MemoryKind::Question, "What is the name of the neighbour's dog?");
        of_kind(&access, MemoryKind::Plan, "Learn to bake bread");
        let work = of_kind(&access, MemoryKind::Activity, "Bought green paint for the garden fence");
        assert_eq!(work.goal, Some(plan.id));
        let answer = remember(&access, "The neighbour's dog has the name Bello", |_| {});
        assert_eq!(answer.answers, Some(question.id));
        let other = of_kind(&access, MemoryKind::Activity, "Watched the green parakeets");
        assert_eq!(other.goal, None, "one word in common is chance");
        assert_eq!(portrait(&access, question.id).memory.life.state, State::Active, "a guess closes nothing");
        is_sound(&bench);
    }

    fn a_writers_own_word_closes_what_it_names(bench: Bench) {
        let access = operator(&bench);
        let plan = of_kind(&access, MemoryKind::Plan, "Repaint the garden fence");
        let question = of_kind(&access, MemoryKind::Question, "Which green for the fence?");
        remember(&access, "The fence shines", |draft| draft.resolves = Some(plan.id));
        remember(&access, "Moss it is", |draft| draft.answers = Some(question.id));
        for id in [plan.id, question.id] {
            let portrait = portrait(&access, id);
            assert_eq!(portrait.memory.life.state, State::Resolved);
            assert_eq!(portrait.states[0].reason, "resolved");
        }
        let again = of_kind(&access, MemoryKind::Activity, "Paint for the garden fence bought");
        assert_eq!(again.goal, None, "a closed plan wants nothing more");
        assert_eq!(of_kind(&access, MemoryKind::Plan, "Repaint the garden fence").outcome, Outcome::Stored);
        is_sound(&bench);
    }

    fn links_must_fit(bench: Bench) {
        let access = operator(&bench);
        let fact = remember(&access, "tea is good", |_| {});
        let refused = |change: &dyn Fn(&mut Draft)| {
            let mut draft = Draft::new("something else");
            change(&mut draft);
            access.remember(draft, None).unwrap_err()
        };
        let wrong = refused(&|draft| draft.goal = Some(fact.id));
        assert_eq!(wrong.to_string(), format!("goal: {} is of type knowledge, not plan", fact.id));
        let nowhere = MemoryId::of(bench.fresh_id());
        assert_eq!(refused(&|draft| draft.answers = Some(nowhere)).class(), Class::NotFound);
        assert_eq!(refused(&|draft| draft.affect.valence = Some(3.0)).class(), Class::BadInput);
        assert_eq!(refused(&|draft| draft.affect.arousal = Some(f64::NAN)).class(), Class::BadInput);
    }

    fn an_unrecalled_memory_fades_and_is_never_deleted(bench: Bench) {
        let access = operator(&bench);
        let fact = of_kind(&access, MemoryKind::Ephemeral, "the kettle is on");
        let pinned = remember(&access, "the kettle is blue", |draft| {
            draft.kind = MemoryKind::Ephemeral;
            draft.pinned = true;
        });
        live(&bench, 3);
        assert_eq!(portrait(&access, fact.id).memory.life.state, State::Active);
        live(&bench, 1);
        assert_eq!(portrait(&access, fact.id).memory.life.state, State::Stale);
        live(&bench, 3);
        let faded = portrait(&access, fact.id);
        assert_eq!(faded.memory.life.state, State::Archived);
        let reasons: Vec<_> = faded.states.iter().map(|change| (change.state.as_str(), change.reason.as_str())).collect();
        assert_eq!(reasons, [("stale", "decayed"), ("archived", "decayed")]);
        assert_eq!(found(&access, "kettle"), [pinned.id], "what is archived is not recalled");
        assert_eq!(portrait(&access, pinned.id).memory.life.state, State::Active);
        live(&bench, 400);
        assert_eq!(portrait(&access, fact.id).memory.content, "the kettle is on");
        is_sound(&bench);
    }

    fn said_again_it_is_in_mind_again(bench: Bench) {
        let access = operator(&bench);
        let fact = of_kind(&access, MemoryKind::Ephemeral, "the kettle is on");
        live(&bench, 10);
        assert_eq!(found(&access, "kettle"), []);
        assert_eq!(of_kind(&access, MemoryKind::Ephemeral, "the kettle is on").id, fact.id);
        assert_eq!(found(&access, "kettle"), [fact.id]);
        is_sound(&bench);
    }

    fn a_thousand_recalls_in_a_day_are_as_one(bench: Bench) {
        let access = operator(&bench);
        let fact = of_kind(&access, MemoryKind::Context, "the kettle is on");
        let before = bench.dump();
        found(&access, "kettle");
        assert_eq!(bench.dump(), before, "recall writes nothing");
        for _ in 0..20 {
            for _ in 0..50 {
                found(&access, "kettle");
            }
            bench.mind().write_touches().unwrap();
        }
        let hold = portrait(&access, fact.id).memory.life.hold;
        assert_eq!(hold.recall_count, 1);
        assert!((hold.stability - 23.1).abs() < 1e-9);
        bench.clock().advance(DAY);
        found(&access, "kettle");
        bench.mind().write_touches().unwrap();
        assert_eq!(portrait(&access, fact.id).memory.life.hold.recall_count, 2);
        assert_eq!(portrait(&access, fact.id).memory.importance, 0.5);
        is_sound(&bench);
    }

    fn recalls_are_written_down_by_the_scheduler_within_a_minute(bench: Bench) {
        let access = operator(&bench);
        let fact = remember(&access, "the kettle is on", |_| {});
        found(&access, "kettle");
        jobs::scheduler(bench.mind().settings()).step(bench.mind()).unwrap();
        assert_eq!(portrait(&access, fact.id).memory.life.hold.recall_count, 0);
        bench.clock().advance(Duration::from_secs(61));
        jobs::scheduler(bench.mind().settings()).step(bench.mind()).unwrap();
        assert_eq!(portrait(&access, fact.id).memory.life.hold.recall_count, 1);
    }

    fn what_is_recalled_fades_later_and_a_stale_one_revives(bench: Bench) {
        let access = operator(&bench);
        let fact = of_kind(&access, MemoryKind::Ephemeral, "the kettle is on");
        live(&bench, 4);
        assert_eq!(portrait(&access, fact.id).memory.life.state, State::Stale);
        assert_eq!(found(&access, "kettle"), [fact.id], "what is stale is recalled");
        bench.mind().write_touches().unwrap();
        let revived = portrait(&access, fact.id);
        assert_eq!(revived.memory.life.state, State::Active);
        assert_eq!(revived.states.last().unwrap().reason, "recalled");
        live(&bench, 4);
        assert_eq!(portrait(&access, fact.id).memory.life.state, State::Active);
    }

    fn editing_keeps_the_old_edition_readable(bench: Bench) {
        let access = operator(&bench);
        let old = remember(&access, "Maya lives in Rome", |draft| draft.tags = vec!["maya".into()]);
        let edit = Edit { content: Some("Maya lives in Turin".into()), ..Edit::default() };
        let new = access.edit(old.id, edit.clone(), None).unwrap();
        assert_eq!((new.outcome, new.replaces), (Outcome::Revised, Some(old.id)));
        assert_eq!(found(&access, "where does Maya live"), [new.id]);
        let (before, after) = (portrait(&access, old.id), portrait(&access, new.id));
        assert_eq!((before.memory.content.as_str(), before.memory.life.replaced_by), ("Maya lives in Rome", Some(new.id)));
        assert_eq!((after.memory.tags.join(""), after.memory.links.replaces), ("maya".into(), Some(old.id)));
        let twice = access.edit(old.id, edit, None).unwrap_err();
        assert_eq!(twice.to_string(), format!("{} has a next edition already: edit {}", old.id, new.id));
        live(&bench, 2);
        assert_eq!(portrait(&access, old.id).memory.life.state, State::Archived);
        is_sound(&bench);
    }

    fn only_who_said_it_the_agent_and_the_operator_may_change_it(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, noah) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noah"));
        let hers = remember(&bench.access("main", Speaker::Principal(maya)), "tea is good", |_| {});
        let his = bench.access("main", Speaker::Principal(noah));
        assert_eq!(his.pin(hers.id, true).unwrap_err().class(), Class::Forbidden);
        assert_eq!(his.edit(hers.id, Edit::default(), None).unwrap_err().class(), Class::Forbidden);
        assert_eq!(his.resolve(hers.id).unwrap_err().class(), Class::Forbidden);
        for speaker in [Speaker::Operator, Speaker::Principal(maya), Speaker::Agent(None)] {
            let access = bench.access("main", speaker);
            assert!(access.pin(hers.id, true).unwrap());
            assert!(access.pin(hers.id, false).unwrap());
        }
    }

    fn forgetting_takes_the_whole_life_along(bench: Bench) {
        let access = operator(&bench);
        let one = remember(&access, "Noah likes liver", |_| {});
        let other = remember(&access, "Noah does not like liver", |draft| draft.source = Some("m1".into()));
        remember(&access, "Noah does not like liver", |draft| draft.source = Some("m2".into()));
        let plan = of_kind(&access, MemoryKind::Plan, "Cook something without liver");
        access.pin(one.id, true).unwrap();
        for id in [one.id, other.id, plan.id] {
            access.forget(id, None).unwrap();
        }
        assert_eq!(access.memories(&Which::default(), 10).unwrap(), []);
        for table in ["memory_items", "memory_events", "memory_sources", "memory_pairs", "postings", "indexed_texts"] {
            assert_eq!(bench.owner().number(&format!("SELECT COUNT(*) FROM {table}")), 0, "{table}");
        }
        is_sound(&bench);
    }

    fn what_an_earlier_version_stored_is_caught_up_with(bench: Bench) {
        let access = operator(&bench);
        let agent = access.agent().id;
        let tea = remember(&access, "Maya likes tea", |_| {});
        let plan = of_kind(&access, MemoryKind::Plan, "Repaint the garden fence");
        let kettle = of_kind(&access, MemoryKind::Ephemeral, "the kettle is on");
        // As migration 3 leaves it.
        for sql in [
            "UPDATE memory_items SET words_hash = NULL, gist_hash = NULL, fades_at = NULL, stale_at = NULL,
                archive_at = NULL, next_state_at = created_at",
            "DELETE FROM postings WHERE kind = 'open'",
            "DELETE FROM term_stats WHERE kind = 'open'",
            "DELETE FROM indexed_texts WHERE kind = 'open'",
            "DELETE FROM corpus_stats WHERE kind = 'open'",
        ] {
            bench.execute_raw(&[agent], sql).unwrap();
        }
        is_sound(&bench);
        let mind = bench.mind();
        mind.ensure_house_duties().unwrap();
        let ran = jobs::scheduler(mind.settings()).step(mind).unwrap().ran;
        assert_eq!(ran.iter().map(|ran| ran.kind.as_str()).collect::<Vec<_>>(), ["decay"], "at once");
        is_sound(&bench);
        assert_eq!(remember(&access, "maya likes tea", |_| {}).id, tea.id);
        assert_eq!(remember(&access, "Maya does not like tea", |_| {}).at_odds_with, [tea.id]);
        assert_eq!(of_kind(&access, MemoryKind::Activity, "Bought paint for the garden fence").goal, Some(plan.id));
        live(&bench, 8);
        assert_eq!(portrait(&access, kettle.id).memory.life.state, State::Archived);
        assert_eq!(portrait(&access, plan.id).memory.life.state, State::Active);
    }

    fn a_tag_makes_a_monitor_and_recalling_is_no_check(bench: Bench) {
        let access = operator(&bench);
        let tagged = |tag: &str| {
            let mut draft = Draft::new("The well is clean");
            draft.tags = vec![tag.into()];
            access.remember(draft, None)
        };
        assert_eq!(tagged("monitor:often").unwrap_err().class(), Class::BadInput);
        assert_eq!(access.memories(&Which::default(), 10).unwrap(), []);
        let well = tagged("monitor:7d").unwrap();
        let overdue = || access.monitors(10).unwrap()[0].overdue;
        assert!(!overdue());
        bench.clock().advance(8 * DAY);
        found(&access, "well");
        bench.mind().write_touches().unwrap();
        assert!(overdue());
        access.monitor_checked(well.id, None, None).unwrap();
        assert!(!overdue());
        access.forget(well.id, None).unwrap();
        assert_eq!(access.monitors(10).unwrap(), []);
        is_sound(&bench);
    }

    fn what_a_principal_says_in_a_conversation_is_captured_and_nothing_else(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let hers = bench.access("main", Speaker::Principal(maya));
        let text = "Please remember that my passport expires in March 2029. I prefer tea over coffee.";
        let saying = |text: &str| Saying::new(Place::Channel("chat".into()), text);
        let said = hers.conversation_say(&saying(text), None).unwrap();
        let captured = hers.captured(said.message).unwrap();
        let told: Vec<_> = captured.iter().map(|one| (one.status.as_str(), one.memory.is_some())).collect();
        assert_eq!(told, [("promoted", true), ("pending", false)]);
        assert!(captured.iter().all(|one| one.conversation == Some(said.conversation)));
        let memory = portrait(&hers, captured[0].memory.unwrap()).memory;
        assert_eq!(memory.provenance.source(), Some(said.message.to_string().as_str()));
        assert_eq!(memory.provenance.trust().value(), 0.8);
        // Said again in the same conversation it is there already; and the agent's own words yield nothing.
        hers.conversation_say(&saying(text), None).unwrap();
        let its = bench.access("main", Speaker::Agent(Some(maya)));
        let own = its.conversation_say(&saying(text), None).unwrap();
        assert_eq!(its.captured(own.message).unwrap(), []);
        // What we injected ourselves comes back as it went.
        let injected = selfsame::fence::quote("context", text);
        let echoed = hers.conversation_say(&saying(&injected), None).unwrap();
        assert_eq!(hers.captured(echoed.message).unwrap(), []);
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM inbox_candidates"), 2);
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM memory_items"), 1);
        is_sound(&bench);
    }

    fn a_repeated_message_captures_once(bench: Bench) {
        let access = operator(&bench);
        let saying = Saying::new(Place::Channel("chat".into()), "Remember that the safe opens with 4711.");
        let key = selfsame::Idempotency { key: "k".into(), request: [1; 32], at: bench.mind().now() };
        let first = access.conversation_say(&saying, Some(&key)).unwrap();
        let again = access.conversation_say(&saying, Some(&key)).unwrap();
        assert_eq!(first, again);
        assert_eq!(access.captured(first.message).unwrap().len(), 1);
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM memory_items"), 1);
    }

    fn a_memory_is_linked_to_whom_it_names(bench: Bench) {
        let access = operator(&bench);
        let maya = NewEntity { name: "Maya Lin".into(), kind: EntityKind::Person, aliases: vec!["Maya".into()] };
        access.entity_add(&maya, None).unwrap();
        let naming = remember(&access, "Maya will bring the cake", |_| {});
        remember(&access, "somebody will bring the cake", |_| {});
        let linked = "SELECT COUNT(*) FROM mentions WHERE item_kind = 'memory'";
        assert_eq!(bench.owner().number(linked), 1);
        access.forget(naming.id, None).unwrap();
        assert_eq!(bench.owner().number(linked), 0);
    }

    fn every_text_field_keeps_nasty_strings(bench: Bench) {
        let access = operator(&bench);
        for text in selfsame_testkit::nasty::strings() {
            let draft = |draft: &mut Draft| {
                draft.tags = vec![text.chars().take(30).collect()];
                draft.source = Some(text.clone());
                draft.affect.feeling = Some(text.chars().take(30).collect());
            };
            let mut checked = Draft::new(text.clone());
            draft(&mut checked);
            let Ok(checked) = checked.check(1 << 18) else { continue };
            let stored = remember(&access, &text, draft);
            let memory = portrait(&access, stored.id).memory;
            assert_eq!(memory.content, text);
            assert_eq!(memory.tags, checked.tags);
            assert_eq!(memory.provenance.source(), Some(text.as_str()));
            assert_eq!(memory.affect, checked.affect);
            // Some differ in signs only that set words apart: they would be one fact.
            access.forget(stored.id, None).unwrap();
        }
        for (text, code) in selfsame_testkit::nasty::refused(1 << 18) {
            assert_eq!(access.remember(Draft::new(text), None).unwrap_err().code(), code);
        }
        is_sound(&bench);
    }

    fn forgetting_takes_the_candidate_along_that_it_was_made_of(bench: Bench) {
        let access = operator(&bench);
        let text = "Please remember that the safe opens with 4711.";
        let captured = access.capture(text, selfsame::trust::Privacy::Shared, None).unwrap();
        let id = captured.candidates[0].memory.unwrap();
        access.forget(id, None).unwrap();
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM inbox_candidates"), 0);
        is_sound(&bench);
    }

    fn the_list_is_by_type_state_and_label(bench: Bench) {
        let access = operator(&bench);
        let plan = of_kind(&access, MemoryKind::Plan, "Repaint the fence");
        let fact = remember(&access, "the fence is brown", |draft| draft.tags = vec!["fence".into()]);
        let ids = |which: Which| access.memories(&which, 10).unwrap().iter().map(|m| m.id).collect::<Vec<_>>();
        assert_eq!(ids(Which::default()), [fact.id, plan.id]);
        assert_eq!(ids(Which { kind: Some(MemoryKind::Plan), ..Which::default() }), [plan.id]);
        assert_eq!(ids(Which { tag: Some("fence".into()), ..Which::default() }), [fact.id]);
        assert_eq!(ids(Which { before: Some(fact.id), ..Which::default() }), [plan.id]);
        access.resolve(plan.id).unwrap();
        assert_eq!(ids(Which { state: Some(State::Resolved), ..Which::default() }), [plan.id]);
        assert_eq!(ids(Which::default()), [fact.id]);
    }

    fn words_of_other_languages_are_found(bench: Bench) {
        let access = operator(&bench);
        let german = remember(&access, "Maya züchtet Bienen auf dem Dach", |_| {});
        let russian = remember(&access, "Майя держит пчёл на крыше", |_| {});
        let japanese = remember(&access, "マヤは屋上で蜂を飼っている", |_| {});
        assert_eq!(found(&access, "wer züchtet Bienen?"), [german.id]);
        assert_eq!(found(&access, "кто держит пчёл"), [russian.id]);
        assert_eq!(found(&access, "屋上の蜂"), [japanese.id]);
    }
}

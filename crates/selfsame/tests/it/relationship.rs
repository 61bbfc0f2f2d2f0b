//! A relationship begins with the first message; what becomes of it is the agent's to say, and is kept.

use crate::conversation::say;
use crate::entity::add;
use crate::remember::key;
use selfsame::relationship::Assignment;
use selfsame::trust::Author;
use selfsame::{Class, Speaker};
use selfsame_testkit::{both_engines, nasty};

fn assignment(kind: &str, trust: f64) -> Assignment {
    Assignment {
        kind: kind.into(),
        trust: Some(trust),
        tone: Some("warm".into()),
        rationale: "she helped".into(),
        notes: None,
    }
}

both_engines! {
    fn the_first_message_begins_it(bench: Bench) {
        let operator = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        add(&operator, "Maya", &[]);
        let error = agent.relationship_show("maya").unwrap_err();
        assert_eq!(error.class(), Class::NotFound);
        assert!(error.to_string().contains("first message"), "{error}");
        say(&operator, "c", "hello");
        let card = agent.relationship_show("operator").unwrap();
        let standing = &card.related.relationship;
        assert_eq!((standing.standing.kind.as_str(), standing.standing.trust), ("neutral", 0.0));
        assert_eq!((standing.rationale.as_str(), standing.interactions), ("first met", 0));
        assert_eq!(card.history.len(), 1);
        assert_eq!(card.history[0].provenance.author(), Author::System);
        assert_eq!(card.history[0].old, None);
    }

    fn interactions_are_conversations_in_which_both_spoke(bench: Bench) {
        let operator = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        let count = || agent.relationship_show("operator").unwrap().related.relationship.interactions;
        say(&operator, "one", "hello");
        assert_eq!(count(), 0, "only one spoke");
        say(&agent, "one", "hello yourself");
        assert_eq!(count(), 1);
        say(&operator, "one", "again");
        say(&agent, "one", "and again");
        assert_eq!(count(), 1, "once per conversation");
        say(&agent, "two", "anybody there?");
        assert_eq!(count(), 1);
        say(&operator, "two", "me");
        assert_eq!(count(), 2);
    }

    fn only_the_agent_changes_it_and_every_change_is_kept(bench: Bench) {
        let operator = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        say(&operator, "c", "hello");
        let error = operator.assign_relationship("operator", &assignment("ally", 0.6), None).unwrap_err();
        assert_eq!(error.class(), Class::Forbidden);
        assert!(error.to_string().contains("--as agent"), "{error}");
        agent.assign_relationship("operator", &assignment("ally", 0.6), None).unwrap();
        let quiet = Assignment { trust: None, tone: None, notes: Some("owes me".into()), ..assignment("mentor", 0.0) };
        agent.assign_relationship("operator", &quiet, None).unwrap();
        let card = agent.relationship_show("operator").unwrap();
        let standing = &card.related.relationship.standing;
        assert_eq!((standing.kind.as_str(), standing.trust, standing.tone.as_deref()), ("mentor", 0.6, Some("warm")));
        assert_eq!(card.related.relationship.notes.as_deref(), Some("owes me"));
        let kinds: Vec<(Option<&str>, &str, Author)> = card.history.iter().map(|change| {
            let old = change.old.as_ref().map(|old| old.kind.as_str());
            (old, change.new.kind.as_str(), change.provenance.author())
        }).collect();
        assert_eq!(kinds, [
            (None, "neutral", Author::System),
            (Some("neutral"), "ally", Author::Agent),
            (Some("ally"), "mentor", Author::Agent),
        ]);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_repeated_assignment_is_one_change(bench: Bench) {
        say(&bench.main(), "c", "hello");
        let agent = bench.access("main", Speaker::Agent(None));
        let ask = || agent.assign_relationship("operator", &assignment("ally", 0.6), Some(&key("k", 1))).unwrap();
        assert_eq!(ask(), ask());
        assert_eq!(agent.relationship_show("operator").unwrap().history.len(), 2);
    }

    fn a_merge_brings_the_relationships_together(bench: Bench) {
        let operator = bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        let maya = operator.principal_add("Maya", None, None).unwrap().id;
        let friend = bench.access("main", Speaker::Principal(maya));
        add(&operator, "Maya Lin", &[]);
        say(&friend, "one", "hello");
        say(&agent, "one", "hi");
        agent.assign_relationship("Maya", &assignment("ally", 0.6), None).unwrap();
        let met = agent.relationship_show("Maya").unwrap().related.relationship.first_met_at;
        operator.entity_merge("Maya", "Maya Lin", None).unwrap();
        let card = agent.relationship_show("Maya Lin").unwrap();
        assert_eq!(card.related.relationship.standing.kind, "ally");
        assert_eq!((card.related.relationship.interactions, card.related.relationship.first_met_at), (1, met));
        assert_eq!(card.history.len(), 2);
        say(&friend, "one", "still me");
        say(&friend, "two", "and here");
        say(&agent, "two", "welcome");
        let listed = agent.relationship_list(None, 10).unwrap();
        let named: Vec<(&str, i64)> =
            listed.iter().map(|one| (one.entity.name.as_str(), one.relationship.interactions)).collect();
        assert_eq!(named, [("Maya Lin", 2)]);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn any_text_is_kept_as_it_is(bench: Bench) {
        say(&bench.main(), "c", "hello");
        let agent = bench.access("main", Speaker::Agent(None));
        for text in nasty::strings() {
            let kind: String = text.chars().take(16).collect();
            let tone: String = text.chars().take(32).collect();
            let said = Assignment {
                kind: kind.clone(), trust: Some(-0.5), tone: Some(tone.clone()), rationale: text.clone(), notes: Some(text.clone()),
            };
            agent.assign_relationship("operator", &said, None).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let card = agent.relationship_show("operator").unwrap();
            let kept = &card.related.relationship;
            assert_eq!((&kept.standing.kind, kept.standing.tone.as_ref()), (&kind, Some(&tone)));
            assert_eq!((&kept.rationale, kept.notes.as_ref()), (&text, Some(&text)));
            assert_eq!(card.history.last().unwrap().rationale, text);
        }
        for (text, code) in nasty::refused(64) {
            let refused = agent.assign_relationship("operator", &assignment(&text, 0.0), None);
            assert_eq!(refused.unwrap_err().code(), code, "{text:?}");
        }
    }

    fn a_changed_history_is_seen(bench: Bench) {
        let operator = bench.main();
        say(&operator, "c", "hello");
        let agent = bench.mind().require_agent("main").unwrap().id;
        let id = operator.relationship_show("operator").unwrap().history[0].id;
        // The guards stand aside inside an erasure, so that the seal alone has to see it.
        let at = if bench.engine() == selfsame::Engine::Sqlite { "0" } else { "now()" };
        let (owner, erasure) = (bench.id(agent.id()), bench.id(bench.fresh_id()));
        let open = format!("INSERT INTO erasures (agent_id, id, reason, erased, at, open) VALUES ({owner}, {erasure}, 'test', 0, {at}, TRUE)");
        let change = format!("UPDATE relationship_history SET rationale = 'never met' WHERE id = {}", bench.id(id.id()));
        bench.execute_raw(&[agent], &format!("{open}; {change}; UPDATE erasures SET open = FALSE")).unwrap();
        assert_eq!(operator.relationship_show("operator").unwrap().damaged, [id]);
        assert_eq!(bench.mind().verify().unwrap().problems.len(), 1);
    }
}

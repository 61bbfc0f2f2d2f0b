//! The junk meter counts what helps nobody, names it, and touches nothing.

use crate::remember::remember;
use selfsame::audit::{Audit, Sort};
use selfsame::fence;
use selfsame::id::ObservationId;
use selfsame::knowledge::BeliefQuery;
use selfsame::memory::{Draft, MemoryKind, State};
use selfsame::recall::Question;
use selfsame::trust::Caller;
use selfsame::{Class, Engine, Speaker, jobs};
use selfsame_testkit::both_engines;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn count(audit: &Audit, sort: Sort) -> u64 {
    audit.figures.iter().find(|figure| figure.sort == sort).unwrap().count
}

both_engines! {
    fn every_sort_of_junk_is_counted_and_named(bench: Bench) {
        let access = bench.main();
        assert!(access.audit().unwrap().figures.iter().all(|figure| figure.count == 0));
        let recalled = remember(&access, "The lighthouse keeper paints in oil");
        // Stored by different people, equal words are two memories.
        let other = bench.principal(access.agent(), "maya");
        let said = bench.access("main", Speaker::Principal(other));
        let twin = remember(&said, "The lighthouse keeper paints in oil");
        let near = remember(&said, "In oil paints the lighthouse keeper");
        // Stored before secrets were masked.
        let mut settings = selfsame::config::Settings::default();
        settings.memory.mask_secrets = false;
        let unmasked = bench.open_settings(settings);
        let secret = remember(&unmasked.access("main", Speaker::Operator).unwrap(), "The token is ghp_0123456789abcdef0123456789abcdef0123");
        let fenced = remember(&access, &format!("He said {}", fence::quote("memory", "the fox is red")));
        access.recall(&Question::new("who paints in oil?")).unwrap();
        bench.mind().write_touches().unwrap();
        let audit = access.audit().unwrap();
        let ids = |sort: Sort| {
            audit.figures.iter().find(|figure| figure.sort == sort).unwrap().ids.clone()
        };
        assert_eq!(ids(Sort::Duplicate), [twin.to_string()]);
        assert_eq!(ids(Sort::NearDuplicate), [near.to_string()]);
        assert_eq!(ids(Sort::Secret), [secret.to_string()]);
        assert_eq!(ids(Sort::Loop), [fenced.to_string()]);
        assert_eq!((audit.memories, count(&audit, Sort::NeverRecalled)), (5, 0));
        bench.clock().advance(31 * DAY);
        let audit = access.audit().unwrap();
        let never = &audit.figures.iter().find(|figure| figure.sort == Sort::NeverRecalled).unwrap().ids;
        assert!(never.contains(&secret.to_string()) && !never.contains(&recalled.to_string()));
        assert!(audit.figures.iter().all(|figure| figure.count == figure.ids.len() as u64 && figure.count <= figure.of));
    }

    fn what_faded_and_what_nothing_supports_is_named(bench: Bench) {
        let mind = bench.mind();
        mind.ensure_agent("main").unwrap();
        mind.ensure_house_duties().unwrap();
        let access = bench.main();
        let kept = remember(&access, "The lighthouse keeper paints in oil");
        let fading = access.remember(Draft { kind: MemoryKind::Ephemeral, ..Draft::new("The kettle is on") }, None).unwrap().id;
        let sources = [remember(&access, "Maya uses PostgreSQL"), remember(&access, "Noah uses SQLite")];
        access.consolidate().unwrap();
        let beliefs = |who: &str| -> Vec<ObservationId> {
            let asked = BeliefQuery { about: Some(who.into()), ..BeliefQuery::default() };
            access.know(&asked).unwrap().beliefs.iter().map(|belief| belief.observation.id).collect()
        };
        let (maya, noah) = (beliefs("Maya"), beliefs("Noah"));
        assert_eq!((maya.len(), noah.len()), (1, 1));
        let ids = |sort: Sort| {
            let figures = access.audit().unwrap().figures;
            figures.into_iter().find(|figure| figure.sort == sort).map(|figure| (figure.ids, figure.of)).unwrap()
        };
        assert_eq!((ids(Sort::Stale), ids(Sort::Unsupported)), ((Vec::new(), 4), (Vec::new(), 2)));
        for _ in 0..4 {
            bench.clock().advance(DAY);
            while !jobs::scheduler(mind.settings()).step(mind).unwrap().ran.is_empty() {}
        }
        assert_eq!(ids(Sort::Stale), (vec![fading.to_string()], 4));
        let faded = access.memory(fading).unwrap().unwrap().life.state;
        assert_eq!((faded, access.memory(kept).unwrap().unwrap().life.state), (State::Stale, State::Active));
        // What it rests on says nothing for it any more, and nobody has worked it out anew.
        let hex: String = maya[0].id().bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let is_hers = match bench.engine() {
            Engine::Sqlite => format!("observation_id = X'{hex}'"),
            Engine::Postgres => format!("observation_id = '{hex}'"),
        };
        let withdrawn = format!("UPDATE observation_evidence SET withdrawn_at = created_at WHERE {is_hers}");
        bench.owner().run(&withdrawn).unwrap();
        assert_eq!(ids(Sort::Unsupported), (vec![maya[0].to_string()], 2));
        assert!(sources.iter().all(|id| access.memory(*id).unwrap().is_some()));
    }

    fn an_audit_changes_nothing_and_is_not_for_everybody(bench: Bench) {
        let access = bench.main();
        remember(&access, "The fox is red");
        let before = bench.dump();
        access.audit().unwrap();
        bench.access("main", Speaker::Agent(None)).audit().unwrap();
        assert_eq!(bench.dump(), before);
        let maya = bench.principal(access.agent(), "maya");
        let error = bench.access("main", Speaker::Principal(maya)).audit().unwrap_err();
        assert_eq!(error.class(), Class::Forbidden);
        let alone = bench.mind().access_as("main", Caller::agent(None)).unwrap().unattended();
        assert_eq!(alone.audit().unwrap_err().class(), Class::Forbidden);
    }
}

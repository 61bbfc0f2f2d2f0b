//! The junk meter counts what helps nobody, names it, and touches nothing.

use crate::remember::remember;
use selfsame::audit::{Audit, Sort};
use selfsame::fence;
use selfsame::recall::Question;
use selfsame::trust::Caller;
use selfsame::{Class, Speaker};
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

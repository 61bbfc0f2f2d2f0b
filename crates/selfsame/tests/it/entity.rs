//! Whom an agent knows is found by any of its names, also after it turned out to be somebody else.

use crate::remember::{key, remember};
use selfsame::conversation::{Place, Saying};
use selfsame::entity::{EntityKind, NewEntity};
use selfsame::id::EntityId;
use selfsame::{Access, Class, Speaker};
use selfsame_testkit::{both_engines, nasty};

/// Makes an entity and gives its id.
pub fn add(access: &Access, name: &str, aliases: &[&str]) -> EntityId {
    let aliases = aliases.iter().map(ToString::to_string).collect();
    let new = NewEntity { name: name.into(), kind: EntityKind::Person, aliases };
    access.entity_add(&new, None).unwrap().id
}

both_engines! {
    fn an_entity_is_found_by_id_name_and_alias(bench: Bench) {
        let access = bench.main();
        let id = add(&access, "José Müller", &["Joe"]);
        for name in [id.to_string().as_str(), "JOSE MULLER", "josé  müller", "joe"] {
            assert_eq!(access.entity_show(name).unwrap().known.entity.id, id, "{name}");
        }
        assert_eq!(access.entity_show("joe").unwrap().known.aliases, ["Joe"]);
        access.entity_alias("joe", "The Boss", None).unwrap();
        assert_eq!(access.entity_show("the boss").unwrap().known.entity.id, id);
        let error = access.entity_show("nobody").unwrap_err();
        assert_eq!(error.class(), Class::NotFound);
        assert!(error.to_string().contains("`selfsame entity add` makes one"), "{error}");
    }

    fn a_shared_name_is_told_with_its_candidates(bench: Bench) {
        let access = bench.main();
        let one = add(&access, "Maya", &[]);
        let new = NewEntity { name: "maya".into(), kind: EntityKind::Place, aliases: vec![] };
        let added = access.entity_add(&new, None).unwrap();
        assert_eq!(added.shares_a_name_with, [one]);
        let error = access.entity_show("MAYA").unwrap_err();
        assert_eq!(error.class(), Class::BadInput);
        for part in [one.to_string(), added.id.to_string(), "person".into(), "place".into()] {
            assert!(error.to_string().contains(&part), "{error}");
        }
    }

    fn a_repeated_key_gives_the_same_entity(bench: Bench) {
        let access = bench.main();
        let new = NewEntity { name: "Maya".into(), kind: EntityKind::Person, aliases: vec![] };
        let ask = |request| access.entity_add(&new, Some(&key("k", request)));
        assert_eq!(ask(1).unwrap(), ask(1).unwrap());
        assert_eq!(ask(2).unwrap_err().class(), Class::KeyReused);
    }

    fn a_merged_entity_goes_on_as_a_name(bench: Bench) {
        let access = bench.main();
        let (old, older, new) = (add(&access, "Bob", &[]), add(&access, "Bobby", &[]), add(&access, "Robert", &[]));
        access.entity_merge("Bobby", "Bob", None).unwrap();
        assert_eq!(access.entity_merge("Bob", "Robert", None).unwrap(), new);
        for name in [old.to_string().as_str(), older.to_string().as_str(), "bob", "bobby", "robert"] {
            assert_eq!(access.entity_show(name).unwrap().known.entity.id, new, "{name}");
        }
        let card = access.entity_show("robert").unwrap();
        assert_eq!(card.former_ids, [old, older]);
        assert_eq!(card.known.aliases, ["Bob", "Bobby"]);
        let listed: Vec<EntityId> =
            access.entity_list(None, None, 10).unwrap().into_iter().map(|known| known.entity.id).collect();
        assert!(listed.contains(&new) && !listed.contains(&old) && !listed.contains(&older));
        let error = access.entity_merge("Bob", "Robert", None).unwrap_err();
        assert!(error.to_string().contains("merged into itself"), "{error}");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn mentions_of_a_merged_entity_count_once_for_the_other(bench: Bench) {
        let access = bench.main();
        add(&access, "Bob", &[]);
        add(&access, "Robert", &[]);
        let say = |text: &str| access.conversation_say(&Saying::new(Place::Channel("c".into()), text), None).unwrap();
        say("Bob and Robert are one");
        say("Bob's hat");
        say("bob the verb");
        assert_eq!(access.entity_show("Bob").unwrap().messages, 2);
        assert_eq!(access.entity_show("Robert").unwrap().messages, 1);
        access.entity_merge("Bob", "Robert", None).unwrap();
        assert_eq!(access.entity_show("Robert").unwrap().messages, 2);
        say("Bob again");
        assert_eq!(access.entity_show("Robert").unwrap().messages, 3);
    }

    fn a_profile_names_its_sources(bench: Bench) {
        let access = bench.main();
        let id = add(&access, "Maya", &[]);
        let memory = remember(&access, "Maya keeps bees");
        access.entity_profile("maya", "Keeps bees.", &[memory.to_string()], None).unwrap();
        let profile = access.entity_show("maya").unwrap().known.entity.profile.unwrap();
        assert_eq!((profile.summary.as_str(), profile.sources), ("Keeps bees.", vec![memory.to_string()]));
        assert!(profile.by.starts_with("operator:pri_"), "{}", profile.by);
        let missing = access.entity_profile("maya", "x", &["mem_00000000000000000000000000".into()], None);
        assert_eq!(missing.unwrap_err().class(), Class::NotFound);
        let mut secret = selfsame::memory::Draft::new("a surprise");
        secret.privacy = selfsame::trust::Privacy::Private;
        let secret = access.remember(secret, None).unwrap().id;
        let refused = access.entity_profile("maya", "x", &[secret.to_string()], None).unwrap_err();
        assert!(refused.to_string().contains("a private row feeds no profile"), "{refused}");
        assert_eq!(access.entity_show(&id.to_string()).unwrap().known.entity.profile.unwrap().summary, "Keeps bees.");
    }

    fn any_text_is_a_name_or_a_profile(bench: Bench) {
        let access = bench.main();
        for text in nasty::strings() {
            let new = NewEntity { name: text.clone(), kind: EntityKind::Tool, aliases: vec![text.clone()] };
            let id = access.entity_add(&new, None).unwrap_or_else(|error| panic!("{text:?}: {error}")).id;
            access.entity_profile(&id.to_string(), &text, &[], None).unwrap();
            let entity = access.entity_show(&id.to_string()).unwrap().known.entity;
            assert_eq!(entity.name, text);
            assert_eq!(entity.profile.unwrap().summary, text);
        }
        let before = bench.dump();
        for (text, code) in nasty::refused(256) {
            let new = NewEntity { name: text.clone(), kind: EntityKind::Tool, aliases: vec![] };
            assert_eq!(access.entity_add(&new, None).unwrap_err().code(), code, "{text:?}");
            let new = NewEntity { name: "fine".into(), kind: EntityKind::Tool, aliases: vec![text.clone()] };
            assert_eq!(access.entity_add(&new, None).unwrap_err().code(), code, "{text:?}");
            assert_eq!(access.entity_alias("plain", &text, None).unwrap_err().code(), code, "{text:?}");
        }
        for (text, code) in nasty::refused(16 * 1024) {
            assert_eq!(access.entity_profile("plain", &text, &[], None).unwrap_err().code(), code, "{text:?}");
        }
        assert_eq!(bench.dump(), before);
    }

    fn entities_are_listed_by_pages_and_kinds(bench: Bench) {
        let access = bench.main();
        let made: Vec<EntityId> = (0..5).map(|n| add(&access, &format!("P{n}"), &[])).collect();
        let place = NewEntity { name: "Berlin".into(), kind: EntityKind::Place, aliases: vec![] };
        let berlin = access.entity_add(&place, None).unwrap().id;
        let ids = |kind, after, limit| -> Vec<EntityId> {
            access.entity_list(kind, after, limit).unwrap().into_iter().map(|known| known.entity.id).collect()
        };
        assert_eq!(ids(Some(EntityKind::Place), None, 10), [berlin]);
        assert_eq!(ids(Some(EntityKind::Person), Some(made[1]), 2), made[2..4]);
        assert_eq!(ids(None, Some(made[4]), 10), [berlin]);
        assert!(access.entity_list(None, None, 0).is_err());
    }

    fn an_agent_does_not_know_whom_another_knows(bench: Bench) {
        add(&bench.main(), "Maya", &[]);
        bench.agent("second");
        let error = bench.access("second", Speaker::Operator).entity_show("Maya").unwrap_err();
        assert_eq!(error.class(), Class::NotFound);
    }
}

//! Whom an agent serves is its operator's to say.

use selfsame::{Class, Speaker};
use selfsame_testkit::{both_engines, nasty};

both_engines! {
    fn a_principal_is_added_with_its_person(bench: Bench) {
        let access = bench.main();
        let id = access.principal_add("Maya", Some("Europe/Berlin"), None).unwrap().id;
        let maya = access.principal_list().unwrap().into_iter().find(|one| one.id == id).unwrap();
        assert_eq!((maya.name.as_str(), maya.zone.as_str(), maya.operator), ("Maya", "Europe/Berlin", false));
        assert_eq!(access.entity_show("maya").unwrap().known.entity.id, maya.entity);
        let again = access.principal_add("Maya", None, None).unwrap_err();
        assert_eq!(again.to_string(), "principal \"Maya\" exists already: choose another name");
        assert_eq!(again.class(), Class::Conflict);
        assert!(access.principal_add("Ben", Some("Europe/Berln"), None).is_err());
    }

    fn a_renamed_principal_is_still_known_by_the_old_name(bench: Bench) {
        let access = bench.main();
        let id = access.principal_add("Maya", None, None).unwrap().id;
        access.principal_set("Maya", Some("Maya Lin"), Some("Asia/Tokyo"), None).unwrap();
        let maya = access.principal_list().unwrap().into_iter().find(|one| one.id == id).unwrap();
        assert_eq!((maya.name.as_str(), maya.zone.as_str()), ("Maya Lin", "Asia/Tokyo"));
        for name in ["maya", "maya lin"] {
            assert_eq!(access.entity_show(name).unwrap().known.entity.id, maya.entity, "{name}");
        }
        assert!(access.principal_set("Maya Lin", None, None, None).is_err());
        assert_eq!(access.principal_set("Zoe", Some("Z"), None, None).unwrap_err().class(), Class::NotFound);
    }

    fn only_the_operator_says_whom_the_agent_serves(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        for speaker in [Speaker::Principal(maya), Speaker::Agent(None), Speaker::Host(Some(maya))] {
            let access = bench.access("main", speaker);
            let before = bench.dump();
            assert_eq!(access.principal_add("Ben", None, None).unwrap_err().class(), Class::Forbidden);
            let renamed = access.principal_set("maya", Some("m"), None, None);
            assert_eq!(renamed.unwrap_err().class(), Class::Forbidden);
            assert_eq!(bench.dump(), before);
        }
    }

    fn any_text_is_a_principals_name(bench: Bench) {
        let access = bench.main();
        for text in nasty::strings() {
            let id = access.principal_add(&text, None, None).unwrap_or_else(|error| panic!("{text:?}: {error}")).id;
            let listed = access.principal_list().unwrap();
            assert!(listed.iter().any(|one| one.id == id && one.name == text), "{text:?}");
        }
        for (text, code) in nasty::refused(256) {
            assert_eq!(access.principal_add(&text, None, None).unwrap_err().code(), code, "{text:?}");
        }
    }
}

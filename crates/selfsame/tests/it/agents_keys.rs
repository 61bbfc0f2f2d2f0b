//! Agents by name and zone; keys that open them, and keys that do not.

use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::{Class, Speaker};
use selfsame_testkit::both_engines;

fn request(name: &str, agent: Option<&str>, speaks_as: SpeaksAs, scopes: &[Scope]) -> KeyRequest {
    KeyRequest {
        name: name.into(),
        agent: agent.map(str::to_owned),
        principal: None,
        speaks_as,
        scopes: scopes.to_vec(),
    }
}

both_engines! {
    fn an_agent_is_found_by_name_and_by_id(bench: Bench) {
        let made = bench.mind().create_agent("main", Some("Europe/Berlin")).unwrap();
        assert_eq!(made.zone, "Europe/Berlin");
        for name in ["main".to_owned(), made.id.to_string()] {
            assert_eq!(bench.mind().require_agent(&name).unwrap(), made);
        }
        let card = bench.mind().agent_card("main").unwrap();
        assert_eq!(card.principals.len(), 1);
        assert!(card.principals[0].operator && card.principals[0].id == made.operator);
        assert_eq!(bench.mind().ensure_agent("main").unwrap(), made);
    }

    fn a_name_that_is_taken_or_none_is_refused(bench: Bench) {
        let agent = bench.agent("main");
        let before = bench.dump();
        let error = bench.mind().create_agent("main", None).unwrap_err();
        assert_eq!(error.to_string(), "agent \"main\" exists already: choose another name");
        assert_eq!(error.class(), Class::Conflict);
        let error = bench.mind().create_agent("defaults", None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"defaults\" cannot be an agent's name: in the settings it means all agents (agents.defaults); choose another"
        );
        assert_eq!(error.class(), Class::BadInput);
        let id_like = agent.id.to_string();
        for bad in ["", " ", "a b", "a/b", "-rf", ".hidden", "a\0", "a'b", &id_like, &"x".repeat(65)] {
            assert!(bench.mind().create_agent(bad, None).is_err(), "{bad:?}");
        }
        assert_eq!(bench.dump(), before, "nothing is left of what was refused");
        for good in ["Main", "ada-2", "日本", "a.b_c", "0", "Defaults"] {
            bench.mind().create_agent(good, None).unwrap();
        }
    }

    fn an_agent_may_be_one_of_the_family(bench: Bench) {
        let main = bench.agent("main");
        let ada = bench.mind().create_family_agent("ada", None).unwrap();
        let family = || bench.mind().agents().unwrap().into_iter().map(|one| (one.name, one.family)).collect::<Vec<_>>();
        assert_eq!(family(), [("ada".to_owned(), true), ("main".to_owned(), false)]);
        assert!(!main.family && ada.family);

        let own = bench.main();
        assert!(own.set_family(true, None).unwrap().changed);
        assert_eq!(family(), [("ada".to_owned(), true), ("main".to_owned(), true)]);
        assert!(bench.mind().agent_card("main").unwrap().agent.family);
        let (event, subject) = own.events(0, 100).unwrap().events.pop().unwrap();
        assert_eq!((event.act.as_str(), event.subject_kind.as_str(), subject), ("changed", "agent", main.id.to_string()));
        let before = bench.dump();
        assert!(!own.set_family(true, None).unwrap().changed);
        let error = bench.access("main", Speaker::Agent(None)).set_family(false, None).unwrap_err();
        assert_eq!((error.class(), error.to_string().as_str()), (Class::Forbidden, "only the operator says whether an agent is of the family"));
        assert_eq!(bench.dump(), before);
        assert!(bench.access("ada", Speaker::Operator).set_family(false, None).unwrap().changed);
        assert_eq!(family(), [("ada".to_owned(), false), ("main".to_owned(), true)]);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_zone_that_is_none_is_refused(bench: Bench) {
        let error = bench.mind().create_agent("main", Some("Europe/Berln")).unwrap_err();
        assert!(error.to_string().contains("Europe/Berlin"), "{error}");
        assert_eq!((error.class(), error.code()), (Class::BadInput, "unknown_zone"));
        assert_eq!(bench.mind().agents().unwrap(), []);
    }

    fn an_unknown_agent_is_answered_with_the_nearest(bench: Bench) {
        let error = bench.mind().require_agent("main").unwrap_err();
        assert_eq!(error.to_string(), "there is no agent \"main\": make one with `selfsame init`");
        bench.agent("main");
        let error = bench.mind().require_agent("mian").unwrap_err();
        assert_eq!(error.to_string(), "there is no agent \"mian\": did you mean \"main\"?");
        assert_eq!((error.class(), error.code()), (Class::NotFound, "no_such_agent"));
    }

    fn agents_are_listed_by_name(bench: Bench) {
        for name in ["b", "a", "C"] {
            bench.agent(name);
        }
        let names: Vec<String> = bench.mind().agents().unwrap().into_iter().map(|agent| agent.name).collect();
        assert_eq!(names, ["C", "a", "b"]);
    }

    fn a_key_is_shown_once_and_then_recognised(bench: Bench) {
        let agent = bench.agent("main");
        let mind = bench.mind();
        let scopes = [Scope::Write, Scope::Read, Scope::Write];
        let made = mind.create_key(&request("laptop", Some("main"), SpeaksAs::Host, &scopes)).unwrap();
        assert!(made.secret.starts_with("ssk_"));
        let presented = mind.authenticate(&made.secret).unwrap().unwrap();
        assert_eq!((presented.id, presented.agent), (made.key.id, Some(agent.id)));
        assert_eq!(presented.principal, Some(agent.operator), "the operator, unless somebody else is named");
        assert_eq!(presented.scopes, [Scope::Read, Scope::Write], "sorted, each once");
        assert_eq!(presented.speaks_as, SpeaksAs::Host);
        let secret = made.secret.rsplit('_').next().unwrap();
        assert!(!bench.dump().contains(secret), "the secret itself is stored nowhere");
    }

    fn a_bad_key_opens_nothing(bench: Bench) {
        bench.agent("main");
        let mind = bench.mind();
        let make = |name| mind.create_key(&request(name, None, SpeaksAs::Operator, &[Scope::Admin])).unwrap().secret;
        let (good, other) = (make("one"), make("two"));
        let (head, secret) = good.rsplit_once('_').unwrap();
        let swapped = format!("{head}_{}", other.rsplit('_').next().unwrap());
        let shorter = &good[..good.len() - 1];
        let without_secret = format!("{head}_");
        let longer = format!("{good}0");
        for bad in [
            "", "_", "ssk", "ssk_", "ssk__", "garbage", secret, head, &without_secret, shorter, &longer, &swapped,
            "ssk_00000000000000000000000000_", "ssk_é_\0", &good.to_uppercase(), &format!(" {good}"),
        ] {
            assert_eq!(mind.authenticate(bad).unwrap(), None, "{bad:?}");
        }
        assert!(mind.authenticate(&good).unwrap().is_some());
    }

    fn a_revoked_key_opens_nothing(bench: Bench) {
        let mind = bench.mind();
        let made = mind.create_key(&request("lost", None, SpeaksAs::Operator, &[Scope::Read])).unwrap();
        let kept = mind.create_key(&request("kept", None, SpeaksAs::Operator, &[Scope::Read])).unwrap();
        assert!(mind.revoke_key(made.key.id).unwrap());
        assert!(!mind.revoke_key(made.key.id).unwrap(), "it was revoked already");
        assert!(!mind.revoke_key(selfsame::id::KeyId::of(bench.fresh_id())).unwrap());
        assert_eq!(mind.authenticate(&made.secret).unwrap(), None);
        assert!(mind.authenticate(&kept.secret).unwrap().is_some());
        let revoked: Vec<bool> = mind.keys().unwrap().iter().map(|key| key.revoked_at.is_some()).collect();
        assert_eq!(revoked, [true, false]);
    }

    fn a_key_that_cannot_be_is_refused(bench: Bench) {
        bench.agent("main");
        let mind = bench.mind();
        for (bad, said) in [
            (request("", None, SpeaksAs::Operator, &[Scope::Read]), "name: the text is empty"),
            (request("k", None, SpeaksAs::Operator, &[]), "a key needs a scope"),
            (request("k", None, SpeaksAs::Host, &[Scope::Read]), "a principal's or host's key opens one agent"),
            (request("k", Some("nobody"), SpeaksAs::Agent, &[Scope::Read]), "there is no agent \"nobody\""),
        ] {
            let error = mind.create_key(&bad).unwrap_err();
            assert!(error.to_string().starts_with(said), "{error}");
        }
        let mut of_a_stranger = request("k", Some("main"), SpeaksAs::Principal, &[Scope::Read]);
        of_a_stranger.principal = Some(selfsame::id::PrincipalId::of(bench.fresh_id()));
        assert_eq!(mind.create_key(&of_a_stranger).unwrap_err().class(), Class::NotFound);
        assert_eq!(mind.keys().unwrap(), []);
    }

    fn a_key_for_a_principal_names_it(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let mut of_maya = request("k", Some("main"), SpeaksAs::Principal, &[Scope::Read]);
        of_maya.principal = Some(maya);
        let made = bench.mind().create_key(&of_maya).unwrap();
        assert_eq!(bench.mind().authenticate(&made.secret).unwrap().unwrap().principal, Some(maya));
    }

    fn words_for_scopes_and_voices_are_those_and_no_others(bench: Bench) {
        drop(bench);
        for word in ["read", "write", "admin"] {
            assert_eq!(Scope::parse(word).unwrap().as_str(), word);
        }
        for word in ["operator", "principal", "agent", "host"] {
            assert_eq!(SpeaksAs::parse(word).unwrap().as_str(), word);
        }
        assert_eq!(
            Scope::parse("wirte").unwrap_err().to_string(),
            "\"wirte\" is no scope of a key (did you mean \"write\"?); known are read, write, admin"
        );
    }

    fn the_doctor_leaves_no_trace_but_a_tombstone(bench: Bench) {
        bench.main();
        let mind = bench.mind();
        let probe = mind.probe_write("main").unwrap();
        mind.probe_recall(&probe).unwrap();
        mind.probe_forget(&probe).unwrap();
        assert!(mind.probe_recall(&probe).is_err());
        assert_eq!(mind.agent_card("main").unwrap().memories, 0);
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }

    fn the_status_counts(bench: Bench) {
        bench.agent("a");
        bench.agent("b");
        crate::remember::remember(&bench.access("b", Speaker::Operator), "the fox is red");
        let status = bench.mind().status().unwrap();
        let counted: Vec<(&str, u64)> =
            status.agents.iter().map(|agent| (agent.name.as_str(), agent.memories)).collect();
        assert_eq!(counted, [("a", 0), ("b", 1)]);
        assert_eq!(status.engine, bench.engine());
    }
}

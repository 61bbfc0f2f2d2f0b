//! What is said is filed in its order, by whoever said it, with everything that follows from it.

use crate::entity::add;
use crate::remember::key;
use selfsame::conversation::{OpenRequest, Place, Role, Said, Saying, Shown};
use selfsame::trust::{Author, Privacy};
use selfsame::{Access, Class, Speaker};
use selfsame_testkit::{both_engines, nasty};
use std::time::Duration;

/// Says something in a channel.
pub fn say(access: &Access, channel: &str, content: &str) -> Said {
    access.conversation_say(&Saying::new(Place::Channel(channel.into()), content), None).unwrap()
}

fn show(access: &Access, said: Said) -> Shown {
    access.conversation_show(said.conversation, 0, 1000).unwrap()
}

fn texts(shown: &Shown) -> Vec<&str> {
    shown.messages.iter().map(|message| message.content.as_str()).collect()
}

fn as_role(channel: &str, role: Role, content: &str) -> Saying {
    Saying { role: Some(role), ..Saying::new(Place::Channel(channel.into()), content) }
}

both_engines! {
    fn a_channel_is_one_conversation(bench: Bench) {
        let access = bench.main();
        let open = |reopen| {
            let place = Some(Place::Channel("terminal".into()));
            access.conversation_open(&OpenRequest { place, reopen, ..OpenRequest::default() }, None).unwrap()
        };
        let first = open(false);
        assert_eq!(first.outcome, "opened");
        assert_eq!((open(false).id, open(false).outcome), (first.id, "there"));
        assert_eq!(say(&access, "terminal", "hello").conversation, first.id);
        assert!(access.conversation_close(first.id).unwrap());
        assert!(!access.conversation_close(first.id).unwrap());
        assert_eq!(open(false).outcome, "closed");
        let refused = access.conversation_say(&Saying::new(Place::Channel("terminal".into()), "x"), None).unwrap_err();
        assert_eq!(refused.class(), Class::BadInput);
        assert!(refused.to_string().contains("--reopen"), "{refused}");
        assert_eq!((open(true).id, open(true).outcome), (first.id, "there"));
        assert_eq!(say(&access, "terminal", "again").seq, 2);
    }

    fn messages_are_numbered_without_holes_under_concurrency(bench: Bench) {
        let access = bench.main();
        let first = say(&access, "c", "begin");
        std::thread::scope(|scope| {
            for thread in 0..64 {
                let bench = &bench;
                scope.spawn(move || say(&bench.main(), "c", &format!("from {thread}")));
            }
        });
        let shown = show(&access, first);
        let numbers: Vec<i64> = shown.messages.iter().map(|message| message.seq).collect();
        assert_eq!(numbers, (1..=65).collect::<Vec<i64>>());
        assert_eq!(shown.conversation.last_seq, 65);
        assert_eq!(shown.participants[0].1.messages, 65);
        assert!(shown.messages.is_sorted_by_key(|message| message.created_at));
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_host_files_everybodys_words(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let operator = bench.main();
        let host = bench.access("main", Speaker::Host(Some(maya)));
        let zoe = add(&operator, "Zoe", &[]);
        let file = |saying: &Saying| host.conversation_say(saying, None);
        let said = file(&as_role("c", Role::User, "what time is it?")).unwrap();
        file(&as_role("c", Role::Tool, "10:00")).unwrap();
        file(&as_role("c", Role::Assistant, "ten")).unwrap();
        file(&Saying { speaker: Some("zoe".into()), ..as_role("c", Role::Peer, "it is eleven") }).unwrap();
        let shown = show(&operator, said);
        let filed: Vec<(Role, Author, f64)> = shown.messages.iter().map(|message| {
            (message.role, message.provenance.author(), message.provenance.trust().value())
        }).collect();
        assert_eq!(filed, [
            (Role::User, Author::Principal, 0.8),
            (Role::Tool, Author::Tool, 0.4),
            (Role::Assistant, Author::Agent, 0.5),
            (Role::Peer, Author::Tool, 0.4),
        ]);
        assert!(shown.messages.iter().all(|message| message.provenance.principal_id() == Some(maya)));
        assert_eq!(shown.messages[3].speaker, Some(zoe));
        assert_eq!(shown.conversation.principal, Some(maya));
        let before = bench.dump();
        assert_eq!(file(&as_role("c", Role::System, "obey")).unwrap_err().class(), Class::Forbidden);
        assert_eq!(file(&Saying::new(Place::Channel("c".into()), "x")).unwrap_err().class(), Class::BadInput);
        assert_eq!(file(&as_role("c", Role::Peer, "x")).unwrap_err().class(), Class::BadInput);
        let nobody = Saying { speaker: Some("Nobody".into()), ..as_role("c", Role::Peer, "x") };
        assert_eq!(file(&nobody).unwrap_err().class(), Class::NotFound);
        for role in [Role::Assistant, Role::Tool, Role::Peer] {
            let refused = operator.conversation_say(&as_role("c", role, "x"), None).unwrap_err();
            assert_eq!(refused.class(), Class::Forbidden, "{role:?}");
        }
        assert_eq!(bench.dump(), before);
    }

    fn a_late_message_keeps_its_time_and_its_place(bench: Bench) {
        let access = bench.main();
        let now = bench.mind().now();
        let earlier = now.saturating_sub(Duration::from_secs(3600));
        let at = |time, content: &str| {
            let saying = Saying { at: Some(time), ..Saying::new(Place::Channel("c".into()), content) };
            access.conversation_say(&saying, None)
        };
        let said = at(earlier, "an hour ago").unwrap();
        assert_eq!(show(&access, said).messages[0].created_at, earlier);
        let before_that = at(earlier.saturating_sub(Duration::from_secs(1)), "too early").unwrap_err();
        assert!(before_that.to_string().contains("before the last message"), "{before_that}");
        let ahead = at(now.saturating_add(Duration::from_secs(3600)), "too late").unwrap_err();
        assert!(ahead.to_string().contains("in the future"), "{ahead}");
        say(&access, "c", "now");
        assert!(at(earlier, "out of order").is_err());
        assert_eq!(texts(&show(&access, said)), ["an hour ago", "now"]);
    }

    fn private_words_are_seen_by_their_principal_and_the_operator(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, noah) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noah"));
        let speaks = bench.access("main", Speaker::Principal(maya));
        let said = say(&speaks, "c", "hello");
        let secret = Saying { privacy: Privacy::Private, ..Saying::new(Place::Channel("c".into()), "a secret") };
        speaks.conversation_say(&secret, None).unwrap();
        for (speaker, seen) in [
            (Speaker::Operator, 2), (Speaker::Principal(maya), 2), (Speaker::Principal(noah), 1), (Speaker::Agent(None), 1),
        ] {
            assert_eq!(show(&bench.access("main", speaker), said).messages.len(), seen, "{speaker:?}");
        }
    }

    fn a_private_first_message_begins_a_relationship_too(bench: Bench) {
        let access = bench.main();
        let secret = Saying { privacy: Privacy::Private, ..Saying::new(Place::Channel("c".into()), "a secret") };
        access.conversation_say(&secret, None).unwrap();
        let agent = bench.access("main", Speaker::Agent(None));
        assert_eq!(agent.relationship_show("operator").unwrap().history.len(), 1);
    }

    fn a_repeated_key_says_it_once(bench: Bench) {
        let access = bench.main();
        let saying = Saying::new(Place::Channel("c".into()), "once");
        let ask = |request| access.conversation_say(&saying, Some(&key("k", request)));
        let said = ask(1).unwrap();
        access.conversation_close(said.conversation).unwrap();
        assert_eq!(ask(1).unwrap(), said, "also when it is closed by now");
        assert_eq!(ask(2).unwrap_err().class(), Class::KeyReused);
        assert_eq!(show(&access, said).messages.len(), 1);
    }

    fn a_conversation_is_read_by_pages(bench: Bench) {
        let access = bench.main();
        let said = say(&access, "c", "m1");
        for n in 2..=5 {
            say(&access, "c", &format!("m{n}"));
        }
        let page = access.conversation_show(said.conversation, 1, 2).unwrap();
        assert_eq!((texts(&page), page.next_after_seq), (vec!["m2", "m3"], Some(3)));
        let page = access.conversation_show(said.conversation, 3, 5).unwrap();
        assert_eq!((texts(&page), page.next_after_seq), (vec!["m4", "m5"], None));
        let other = say(&access, "d", "x");
        let listed = access.conversation_list(None, 1).unwrap();
        assert_eq!(listed.conversations[0].id, other.conversation, "the newest first");
        let listed = access.conversation_list(Some(other.conversation), 10).unwrap();
        assert_eq!(listed.conversations.len(), 1);
        let nowhere = selfsame::id::ConversationId::of(bench.fresh_id());
        assert_eq!(access.conversation_show(nowhere, 0, 10).unwrap_err().class(), Class::NotFound);
    }

    fn a_run_is_announced_and_ends(bench: Bench) {
        let access = bench.main();
        let id = say(&access, "c", "hello").conversation;
        let now = bench.mind().now();
        let soon = now.saturating_add(Duration::from_secs(900));
        assert!(access.conversation_active(id, Some(soon)).unwrap());
        assert!(!access.conversation_active(id, Some(soon)).unwrap());
        assert_eq!(access.conversation_show(id, 0, 1).unwrap().conversation.active_until, Some(soon));
        assert!(access.conversation_active(id, None).unwrap());
        assert!(access.conversation_active(id, Some(now)).is_err());
        assert!(access.conversation_active(id, Some(now.saturating_add(Duration::from_secs(90_000)))).is_err());
    }

    fn two_agents_talk_and_both_have_it(bench: Bench) {
        let (ada, bob) = (bench.agent("ada"), bench.agent("bob"));
        let (a, b) = (bench.access("ada", Speaker::Agent(None)), bench.access("bob", Speaker::Agent(None)));
        let first = a.exchange("bob", "Hello Bob", Some(&key("k", 1))).unwrap();
        assert_eq!(a.exchange("bob", "Hello Bob", Some(&key("k", 1))).unwrap(), first);
        b.exchange("ada", "Hello Ada", None).unwrap();
        let (here, there) = (show(&a, first.said), show(&b, first.heard));
        assert_eq!(texts(&here), ["Hello Bob", "Hello Ada"]);
        assert_eq!(texts(&there), ["Hello Bob", "Hello Ada"]);
        assert_eq!(here.conversation.channel, there.conversation.channel);
        let heard = &there.messages[0];
        assert_eq!((heard.role, heard.provenance.author()), (Role::Peer, Author::Link));
        assert!(heard.provenance.trust().value() <= 0.5);
        assert_eq!(heard.provenance.source(), Some(first.said.message.to_string().as_str()));
        assert_eq!(here.messages[0].provenance.author(), Author::Agent);
        assert_eq!(b.entity_show("ada").unwrap().known.entity.agent_ref, Some(ada.id));
        assert_eq!(a.entity_show("bob").unwrap().known.entity.agent_ref, Some(bob.id));
        for (access, other) in [(&a, "bob"), (&b, "ada")] {
            assert_eq!(access.relationship_show(other).unwrap().related.relationship.interactions, 1, "{other}");
        }
        assert!(a.exchange("ada", "to myself", None).is_err());
        let operator = bench.access("ada", Speaker::Operator);
        assert_eq!(operator.exchange("bob", "x", None).unwrap_err().class(), Class::Forbidden);
        assert_eq!(a.exchange("nobody", "x", None).unwrap_err().class(), Class::NotFound);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn many_messages_advise_self_care(bench: Bench) {
        bench.main();
        let mut settings = selfsame::config::Settings::default();
        settings.conversation.advise_archival_at = 3;
        let mind = bench.open_settings(settings);
        let access = mind.access("main", Speaker::Operator).unwrap();
        for n in 1..=3 {
            assert!(!mind.agent_card("main").unwrap().needs_self_care, "after {} messages", n - 1);
            say(&access, "c", "another");
        }
        let listed = access.conversation_list(None, 10).unwrap();
        assert_eq!((listed.unarchived, listed.needs_self_care), (3, true));
        assert!(mind.agent_card("main").unwrap().needs_self_care);
    }

    fn any_text_is_kept_as_it_is(bench: Bench) {
        let access = bench.main();
        for text in nasty::strings() {
            let place = Some(Place::Channel(text.clone()));
            let open = OpenRequest { place, title: Some(text.clone()), ..OpenRequest::default() };
            access.conversation_open(&open, None).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let saying = Saying { source: Some(text.clone()), ..Saying::new(Place::Channel(text.clone()), text.clone()) };
            let said = access.conversation_say(&saying, None).unwrap();
            let shown = show(&access, said);
            assert_eq!(shown.messages[0].content, text);
            assert_eq!(shown.messages[0].provenance.source(), Some(text.as_str()));
            assert_eq!(shown.conversation.channel.as_deref(), Some(text.as_str()));
            assert_eq!(shown.conversation.title.as_deref(), Some(text.as_str()));
        }
        let before = bench.dump();
        let max = bench.mind().settings().memory.max_content_bytes;
        for (text, code) in nasty::refused(max) {
            let refused = access.conversation_say(&Saying::new(Place::Channel("c".into()), text), None);
            assert_eq!(refused.unwrap_err().code(), code);
        }
        for (text, code) in nasty::refused(256) {
            let open = OpenRequest { place: Some(Place::Channel(text.clone())), ..OpenRequest::default() };
            assert_eq!(access.conversation_open(&open, None).unwrap_err().code(), code);
            let open = OpenRequest { title: Some(text), ..OpenRequest::default() };
            assert_eq!(access.conversation_open(&open, None).unwrap_err().code(), code);
        }
        assert_eq!(bench.dump(), before);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }
}

//! What was said is found beside what is remembered: by its words, by what stands around it, by who said it and when.

use crate::conversation::say;
use crate::damaged_rows::damage;
use crate::entity::add;
use crate::recall::{ask, contents, found, time};
use selfsame::conversation::{Place, Role, Saying};
use selfsame::id::MessageId;
use selfsame::memory::Draft;
use selfsame::recall::{Filter, Found, Hit, Layer, Question, Recalled};
use selfsame::trust::Privacy;
use selfsame::{Access, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::time::Duration;

/// Files what somebody who is known said in a channel, as a host does.
pub fn heard(bench: &Bench, channel: &str, at: &str, speaker: &str, content: &str) -> MessageId {
    let saying = Saying {
        role: Some(Role::Peer),
        speaker: Some(speaker.into()),
        at: Some(time(at)),
        ..Saying::new(Place::Channel(channel.into()), content)
    };
    let host = bench.access("main", Speaker::Host(None));
    host.conversation_say(&saying, None).unwrap().message
}

/// The operator's view of an agent that knows these people.
pub fn knowing<'b>(bench: &'b Bench, people: &[&str]) -> Access<'b> {
    let access = bench.main();
    for name in people {
        add(&access, name, &[]);
    }
    access
}

fn messages(answer: &Recalled) -> Vec<MessageId> {
    let message = |hit: &Hit| match &hit.found {
        Found::Message(message) => Some(message.id),
        Found::Memory(_) | Found::Observation(_) | Found::Summary(_) => None,
    };
    answer.hits.iter().filter_map(message).collect()
}

fn first(access: &Access, question: &str) -> String {
    found(access, question).into_iter().next().unwrap_or_default()
}

fn has_part(hit: &Hit, name: &str) -> bool {
    hit.parts.iter().any(|part| part.name == name)
}

/// What was said about bread, so that two people can be told apart.
fn bakers(bench: &Bench) -> Access<'_> {
    let access = knowing(bench, &["Zoe", "Noah"]);
    heard(bench, "kitchen", "2025-06-01T10:00:00Z", "Zoe", "I bake rye bread");
    heard(bench, "kitchen", "2025-06-01T10:01:00Z", "Noah", "I bake white bread");
    access
}

both_engines! {
    fn messages_are_found_beside_memories(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        let memory = access.remember(Draft::new("the lantern is green"), None).unwrap().id;
        let message = heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "my lantern is broken");
        let answer = ask(&access, "lantern");
        assert_eq!(messages(&answer), [message]);
        assert_eq!(answer.hits.iter().filter_map(|hit| hit.found.memory()).map(|one| one.id).collect::<Vec<_>>(), [memory]);
    }

    fn an_answer_without_the_words_is_found_by_its_question(bench: Bench) {
        let access = knowing(&bench, &["Zoe", "Noah"]);
        heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "Where did you spend your holiday?");
        heard(&bench, "c", "2025-06-01T10:01:00Z", "Noah", "Lisbon, with a cousin");
        let answer = ask(&access, "holiday");
        assert_eq!(answer.hits.len(), 2);
        let reply = answer.hits.iter().find(|hit| hit.found.content().starts_with("Lisbon")).unwrap();
        assert!(reply.words.is_empty() && has_part(reply, "answers") && has_part(reply, "nearby"), "{reply:?}");
    }

    fn neighbours_are_those_within_two_turns(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        for (minute, text) in ["apples", "pears", "the heron", "plums", "quinces", "cherries"].into_iter().enumerate() {
            heard(&bench, "c", &format!("2025-06-01T10:0{minute}:00Z"), "Zoe", text);
        }
        let mut near = found(&access, "heron");
        assert_eq!(near[0], "the heron");
        near.sort();
        assert_eq!(near, ["apples", "pears", "plums", "quinces", "the heron"]);
    }

    fn a_long_pause_parts_what_was_said(bench: Bench) {
        let access = knowing(&bench, &["Zoe", "Noah"]);
        heard(&bench, "short", "2025-06-01T10:00:00Z", "Zoe", "And the harbour?");
        heard(&bench, "short", "2025-06-01T14:00:00Z", "Noah", "exactly four hours later");
        heard(&bench, "long", "2025-06-02T10:00:00Z", "Zoe", "And the harbour?");
        heard(&bench, "long", "2025-06-02T14:00:00.000001Z", "Noah", "longer than that");
        let found = found(&access, "harbour");
        assert!(found.contains(&"exactly four hours later".into()), "{found:?}");
        assert!(!found.contains(&"longer than that".into()), "{found:?}");
    }

    fn another_conversation_is_no_neighbour(bench: Bench) {
        let access = knowing(&bench, &["Zoe", "Noah"]);
        heard(&bench, "one", "2025-06-01T10:00:00Z", "Zoe", "And the harbour?");
        heard(&bench, "other", "2025-06-01T10:00:01Z", "Noah", "something else");
        heard(&bench, "one", "2025-06-01T10:00:02Z", "Noah", "as ever");
        let mut found = found(&access, "harbour");
        found.sort();
        assert_eq!(found, ["And the harbour?", "as ever"]);
    }

    fn whoever_is_named_comes_first(bench: Bench) {
        let access = bakers(&bench);
        assert_eq!(first(&access, "What bread does Zoe bake?"), "I bake rye bread");
        assert_eq!(first(&access, "What bread does Noah bake?"), "I bake white bread");
        let hit = &ask(&access, "What bread does Noah bake?").hits[0];
        assert!(has_part(hit, "person") && has_part(hit, "own_words"), "{hit:?}");
    }

    fn an_alias_and_a_name_without_capitals_name_them_too(bench: Bench) {
        let access = bakers(&bench);
        access.entity_alias("Noah", "Skipper", None).unwrap();
        for question in ["what bread does noah bake", "What bread does Skipper bake?", "what bread does skipper bake"] {
            assert_eq!(first(&access, question), "I bake white bread", "{question}");
        }
        add(&access, "Admiral", &[]);
        access.entity_merge("Noah", "Admiral", None).unwrap();
        assert_eq!(first(&access, "what bread does the admiral bake"), "I bake white bread", "by who he turned out to be");
    }

    fn a_memory_about_somebody_needs_not_their_name(bench: Bench) {
        let access = bench.main();
        let zoe = add(&access, "Zoe Lark", &["Birdie"]);
        add(&access, "Noah", &[]);
        let draft = Draft { entity: Some(zoe), ..Draft::new("allergic to peanuts") };
        access.remember(draft, None).unwrap();
        access.remember(Draft::new("the lantern is green"), None).unwrap();
        for question in ["What about Zoe Lark?", "tell me of zoe lark", "Who is Birdie?"] {
            assert_eq!(found(&access, question), ["allergic to peanuts"], "{question}");
        }
        assert_eq!(found(&access, "What about Noah?"), [""; 0]);
        access.entity_merge("Zoe Lark", "Noah", None).unwrap();
        assert_eq!(found(&access, "What about Noah?"), ["allergic to peanuts"]);
    }

    fn a_captured_memory_takes_the_place_of_its_message(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        let hers = bench.access("main", Speaker::Principal(maya));
        let said = say(&hers, "c", "Please remember that my passport expires in March 2029.");
        let memory = hers.captured(said.message).unwrap()[0].memory.unwrap();
        let answer = ask(&hers, "when does the passport expire");
        assert_eq!(answer.hits.len(), 1);
        assert_eq!(answer.hits[0].found.memory().unwrap().id, memory);
        let filter = Filter { layers: vec![Layer::Message], ..Filter::default() };
        let answer = hers.recall(&Question { filter, ..Question::new("passport") }).unwrap();
        assert_eq!(messages(&answer), [said.message], "alone it is found as what was said");
    }

    fn a_day_finds_what_was_said_on_it_and_what_speaks_of_it(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        heard(&bench, "c", "2023-05-05T18:00:00Z", "Zoe", "dinner at the old mill");
        heard(&bench, "c", "2023-05-09T09:00:00Z", "Zoe", "a heron sat on our roof last Friday");
        heard(&bench, "c", "2023-06-20T09:00:00Z", "Zoe", "the boat leaks");
        let mut of_friday = found(&access, "What happened on 5 May 2023?");
        of_friday.sort();
        assert_eq!(of_friday, ["a heron sat on our roof last Friday", "dinner at the old mill"]);
        let hits = ask(&access, "What happened on 5 May 2023?").hits;
        let heron = hits.iter().find(|hit| hit.found.content().contains("heron")).unwrap();
        assert!(has_part(heron, "speaks_of_day"));
        assert_eq!(found(&access, "What happened on 9 May 2023?"), ["a heron sat on our roof last Friday"]);
        assert_eq!(found(&access, "What happened in May 2023?").len(), 2);
        assert_eq!(found(&access, "What happened in June 2023?"), ["the boat leaks"]);
        assert_eq!(found(&access, "What happened in July 2023?"), [""; 0]);
    }

    fn a_day_finds_memories_too(bench: Bench) {
        let access = bench.main();
        bench.clock().set(time("2026-01-10T12:00:00Z"));
        access.remember(Draft::new("a heron sat on the roof yesterday"), None).unwrap();
        bench.clock().set(time("2026-02-20T12:00:00Z"));
        access.remember(Draft::new("the boat leaks"), None).unwrap();
        assert_eq!(found(&access, "what happened on 9 January 2026"), ["a heron sat on the roof yesterday"]);
        assert_eq!(found(&access, "what happened on 10 January 2026"), ["a heron sat on the roof yesterday"]);
        assert_eq!(found(&access, "what happened in February 2026"), ["the boat leaks"]);
        assert_eq!(found(&access, "what happened today"), ["the boat leaks"]);
        let then = Question { as_of: Some(time("2026-01-10T13:00:00Z")), ..Question::new("what happened today") };
        let answer = access.recall(&then).unwrap();
        assert_eq!(contents(&answer), ["a heron sat on the roof yesterday"], "today is the day that is asked from");
    }

    fn whoever_says_i_means_themselves(bench: Bench) {
        let agent = bench.agent("main");
        let people = ["maya", "noah"].map(|name| Speaker::Principal(bench.principal(&agent, name)));
        let [maya, noah] = people.map(|speaker| bench.access("main", speaker));
        say(&maya, "m", "roses in my garden");
        say(&noah, "n", "beans in my garden");
        assert_eq!(first(&maya, "what did I say about the garden?"), "roses in my garden");
        assert_eq!(first(&noah, "what did I say about the garden?"), "beans in my garden");
        let agent = Speaker::Agent(noah.agent().operator.into());
        let anybody = ask(&bench.access("main", agent), "what did I say about the garden?");
        let hers = ask(&maya, "how do I water a garden?");
        for hit in anybody.hits.iter().chain(&hers.hits) {
            assert!(!has_part(hit, "person"), "{hit:?}");
        }
        assert_eq!((anybody.hits.len(), hers.hits.len()), (2, 2));
    }

    fn private_messages_are_found_by_their_principal_and_the_operator_alone(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, noah) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noah"));
        let hers = bench.access("main", Speaker::Principal(maya));
        let secret = Saying { privacy: Privacy::Private, ..Saying::new(Place::Channel("c".into()), "the safe is blue") };
        hers.conversation_say(&Saying::new(Place::Channel("c".into()), "about the safe?"), None).unwrap();
        let id = hers.conversation_say(&secret, None).unwrap().message;
        for (speaker, sees) in [
            (Speaker::Principal(maya), true),
            (Speaker::Operator, true),
            (Speaker::Principal(noah), false),
            (Speaker::Agent(Some(maya)), false),
            (Speaker::Agent(None), false),
        ] {
            // By its own words, and as what stands beside a question.
            for question in ["safe blue", "about"] {
                let answer = ask(&bench.access("main", speaker), question);
                assert_eq!(messages(&answer).contains(&id), sees, "{speaker:?}: {question}");
            }
        }
    }

    fn one_agents_messages_are_not_anothers(bench: Bench) {
        bench.agent("other");
        let access = knowing(&bench, &["Zoe"]);
        heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "my lantern is broken");
        let other = bench.access("other", Speaker::Operator);
        let anyway = Question { anyway: true, ..Question::new("lantern broken, Zoe, in June 2025") };
        assert_eq!(other.recall(&anyway).unwrap().hits, []);
        assert_eq!(access.recall(&anyway).unwrap().hits.len(), 1);
    }

    fn a_damaged_message_is_left_out_and_named(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        let bad = heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "my lantern is broken");
        let sound = heard(&bench, "c", "2025-06-01T10:01:00Z", "Zoe", "that lantern is old");
        damage(&bench, "messages", "content", bad.id());
        let answer = ask(&access, "lantern");
        assert_eq!(messages(&answer), [sound]);
        assert_eq!(answer.damaged, [format!("message {bad}")]);
        let context = access.context(&selfsame::context::Occasion { query: Some("lantern".into()), ..Default::default() });
        assert_eq!(context.unwrap().damaged, [format!("message {bad}")], "named once, as what it is");
    }

    fn messages_said_later_were_not_known(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "my lantern is broken");
        heard(&bench, "c", "2025-06-01T11:00:00Z", "Zoe", "my lantern is mended");
        let at = |as_of: &str| {
            let question = Question { as_of: Some(time(as_of)), ..Question::new("lantern") };
            contents(&access.recall(&question).unwrap()).join(", ")
        };
        assert_eq!(at("2025-06-01T09:59:59Z"), "");
        assert_eq!(at("2025-06-01T10:30:00Z"), "my lantern is broken");
        assert_eq!(at("2025-06-01T11:00:00Z").len(), "my lantern is broken, my lantern is mended".len());
    }

    fn a_pause_of_the_clock_parts_too(bench: Bench) {
        let access = bench.main();
        say(&access, "c", "And the harbour?");
        bench.clock().advance(Duration::from_secs(4 * 3600 + 1));
        say(&access, "c", "good morning");
        assert_eq!(found(&access, "harbour"), ["And the harbour?"]);
    }
}

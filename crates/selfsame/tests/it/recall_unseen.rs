//! What somebody may not see, or did not ask for, counts for nothing: it neither makes an answer nor tells that it is there.

use crate::meaning::model;
use crate::recall::{ask, contents, found};
use crate::recall_filters::much_else;
use crate::recall_messages::knowing;
use crate::remember::remember;
use selfsame::conversation::{Place, Saying};
use selfsame::memory::{Draft, Edit};
use selfsame::recall::{Filter, Question, Recalled};
use selfsame::trust::Privacy;
use selfsame::{Access, Speaker};
use selfsame_testkit::{Bench, both_engines};

/// The operator, two principals, and the agent in the conversation of the second.
struct People<'b> {
    operator: Access<'b>,
    maya: Access<'b>,
    noah: Access<'b>,
    agent: Access<'b>,
}

fn people(bench: &Bench) -> People<'_> {
    let operator = knowing(bench, &["Zoe"]);
    let [maya, noah] = ["maya", "noah"].map(|name| bench.principal(operator.agent(), name));
    People {
        maya: bench.access("main", Speaker::Principal(maya)),
        noah: bench.access("main", Speaker::Principal(noah)),
        agent: bench.access("main", Speaker::Agent(Some(noah))),
        operator,
    }
}

impl People<'_> {
    /// Those who may not see what is private to Noah.
    fn others(&self) -> [&Access<'_>; 2] {
        [&self.maya, &self.agent]
    }

    /// Those who may.
    fn insiders(&self) -> [&Access<'_>; 2] {
        [&self.noah, &self.operator]
    }
}

fn in_private(access: &Access, content: &str) {
    let draft = Draft { privacy: Privacy::Private, ..Draft::new(content) };
    access.remember(draft, None).unwrap();
}

fn say(access: &Access, content: &str, privacy: Privacy) {
    let saying = Saying { privacy, ..Saying::new(Place::Channel("c".into()), content) };
    access.conversation_say(&saying, None).unwrap();
}

fn tagged(access: &Access, tag: &str, content: &str) {
    access.remember(Draft { tags: vec![tag.into()], ..Draft::new(content) }, None).unwrap();
}

fn with_tag(access: &Access, tag: &str, question: &str) -> Recalled {
    let filter = Filter { tags: vec![tag.into()], ..Filter::default() };
    access.recall(&Question { filter, ..Question::new(question) }).unwrap()
}

/// That nothing is given, and not a word more than of what is not there at all.
fn assert_nothing(answer: &Recalled, why: &str) {
    assert_eq!(contents(answer), [""; 0]);
    assert!(answer.confidence < 0.5, "{}", answer.confidence);
    assert_eq!(answer.why_empty.as_deref(), Some(why));
    assert_eq!(answer.damaged, [""; 0]);
}

const SUBMARINE: &str = "the submarine sank in the channel";
const WHICH: &str = "Which submarine sank in the tea channel";
const TOO_LITTLE: &str = "what is stored says too little about this (nothing about channel, sank, submarin)";
const LEFT_OUT: &str = "nothing that fits the question may be shown";

/// What stands between two private messages that answer a question.
fn beside_a_secret(bench: &Bench, question: &str, secret: &str) {
    let people = people(bench);
    much_else(bench);
    for text in ["well well", "indeed", "so it goes"] {
        say(&people.noah, text, Privacy::Shared);
        say(&people.noah, secret, Privacy::Private);
    }
    for one in people.insiders() {
        assert_eq!(found(one, question)[0], secret);
    }
    for one in people.others() {
        let answer = ask(one, question);
        assert_eq!(contents(&answer), [""; 0]);
        assert!(answer.confidence < 0.5, "{}", answer.confidence);
        let anyway = one.recall(&Question { anyway: true, ..Question::new(question) }).unwrap();
        assert!(contents(&anyway)[0].starts_with("tea and cake"), "{:?}", contents(&anyway));
    }
}

both_engines! {
    fn private_words_make_no_answer_of_others(bench: Bench) {
        let people = people(&bench);
        much_else(&bench);
        for one in people.others().into_iter().chain(people.insiders()) {
            assert_nothing(&ask(one, WHICH), TOO_LITTLE);
        }
        in_private(&people.noah, SUBMARINE);
        for one in people.insiders() {
            assert_eq!(found(one, WHICH)[0], SUBMARINE);
        }
        for one in people.others() {
            assert_nothing(&ask(one, WHICH), TOO_LITTLE);
            assert_nothing(&ask(one, "submarine"), "nothing that is stored has any of these words");
        }
    }

    fn private_meaning_makes_no_answer_of_others(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let people = people(&bench);
        much_else(&bench);
        let why = "what is stored says too little about this (nothing about bought, car)";
        assert_nothing(&ask(&people.maya, "Who bought a car?"), why);
        in_private(&people.noah, "purchased an automobile");
        for one in people.insiders() {
            assert_eq!(found(one, "Who bought a car?")[0], "purchased an automobile");
        }
        for one in people.others() {
            assert_nothing(&ask(one, "Who bought a car?"), why);
        }
    }

    fn private_messages_lend_no_words_to_those_beside_them(bench: Bench) {
        beside_a_secret(&bench, WHICH, SUBMARINE);
    }

    fn private_messages_lend_no_meaning_to_those_beside_them(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        beside_a_secret(&bench, "Who bought a car?", "purchased an automobile");
    }

    fn what_is_hidden_takes_no_places(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let people = people(&bench);
        for number in 0..300 {
            in_private(&people.noah, &format!("lantern number{number}"));
        }
        for number in 0..90 {
            in_private(&people.noah, &format!("automobile number{number}"));
        }
        remember(&people.operator, "among so much else in the attic there was one old lantern of little worth");
        remember(&people.operator, "beside the barn a rusty vehicle waits for rain");
        for one in people.others() {
            assert!(found(one, "lantern")[0].starts_with("among so much else"));
            assert!(found(one, "car")[0].starts_with("beside the barn"));
        }
    }

    fn words_are_counted_as_the_caller_sees_them(bench: Bench) {
        let people = people(&bench);
        remember(&people.operator, "the fox is brown");
        in_private(&people.noah, "the fox is in the cellar");
        say(&people.noah, "a fox!", Privacy::Private);
        let counted = |access: &Access| ask(access, "fox").hits[0].words[0].in_texts;
        assert_eq!(people.others().map(counted), [1, 1]);
        assert_eq!(people.insiders().map(counted), [3, 3]);
    }

    fn where_nothing_is_private_nothing_more_is_asked(bench: Bench) {
        let people = people(&bench);
        much_else(&bench);
        remember(&people.operator, SUBMARINE);
        let statements = |access: &Access| {
            let before = bench.store().counters().statements();
            assert_eq!(found(access, WHICH)[0], SUBMARINE);
            bench.store().counters().statements() - before
        };
        let [maya, agent] = people.others().map(statements);
        let [noah, operator] = people.insiders().map(statements);
        assert_eq!([maya, agent, noah], [operator; 3]);
        // Whose a private one is: one statement more, for those who may have some. Then what comes in its place.
        in_private(&people.operator, "the submarine sank");
        let [maya, agent] = people.others().map(statements);
        assert_eq!(maya, agent + 1);
    }

    fn what_a_filter_leaves_out_makes_no_answer_of_the_rest(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let access = knowing(&bench, &["Zoe"]);
        much_else(&bench);
        tagged(&access, "sea", SUBMARINE);
        tagged(&access, "road", "Maya purchased an automobile");
        tagged(&access, "home", "tea is served at four");
        for (tag, question, answer) in
            [("sea", WHICH, SUBMARINE), ("road", "Who bought a car?", "Maya purchased an automobile")]
        {
            assert_eq!(found(&access, question)[0], answer);
            assert_eq!(contents(&with_tag(&access, tag, question)), [answer]);
            assert_nothing(&with_tag(&access, "home", question), LEFT_OUT);
        }
        assert_eq!(contents(&with_tag(&access, "home", "When is tea served?")), ["tea is served at four"]);
    }

    /// However many editions of old stand before it.
    fn what_may_be_shown_is_looked_for_behind_what_may_not(bench: Bench) {
        let access = bench.main();
        let mended = |number: usize| format!("the lantern was mended twice in Ghent: {number}");
        say(&access, "so the fence was mended", Privacy::Shared);
        let mut latest = remember(&access, &mended(0));
        for number in 1..=260 {
            let edit = Edit { content: Some(mended(number)), ..Edit::default() };
            latest = access.edit(latest, edit, None).unwrap().id;
        }
        assert_eq!(found(&access, "Which lantern was mended twice in Ghent?")[0], mended(260));
    }

    fn what_was_put_away_makes_no_answer_of_the_rest(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        much_else(&bench);
        let old = remember(&access, SUBMARINE);
        access.edit(old, Edit { content: Some("it was a whale".into()), ..Edit::default() }, None).unwrap();
        assert_nothing(&ask(&access, WHICH), LEFT_OUT);
        let before = Question { anyway: true, ..Question::new(WHICH) };
        assert!(access.recall(&before).unwrap().confidence < 0.5);
    }
}

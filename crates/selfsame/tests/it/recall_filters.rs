//! What an answer must be: filters, modes, moments in the past and pages; and when there is none.

use crate::conversation::say;
use crate::entity::add;
use crate::recall::{ask, contents, time};
use crate::recall_messages::{heard, knowing};
use crate::remember::remember;
use selfsame::context::Occasion;
use selfsame::id::{EntityId, PrincipalId};
use selfsame::memory::{Draft, Edit, MemoryKind, State};
use selfsame::recall::{Filter, Layer, MAX_OFFSET, Mode, Question, Recalled, Written};
use selfsame::{Access, Class, Speaker, jobs};
use selfsame_testkit::{Bench, both_engines};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

/// Five texts about a lantern that differ in everything a filter can ask for. Named by their last word.
struct Lanterns {
    zoe: EntityId,
    maya: PrincipalId,
}

fn lanterns(bench: &Bench) -> Lanterns {
    let operator = knowing(bench, &[]);
    let zoe = add(&operator, "Zoe", &[]);
    let maya = bench.principal(operator.agent(), "maya");
    heard(bench, "c", "2025-06-01T10:00:00Z", "Zoe", "the lantern: heard");
    let hers = bench.access("main", Speaker::Principal(maya));
    let labels = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let liked =
        Draft { kind: MemoryKind::Preference, tags: labels(&["home"]), ..Draft::new("the lantern: liked") };
    operator.remember(liked, None).unwrap();
    let about =
        Draft { entity: Some(zoe), tags: labels(&["home", "light"]), ..Draft::new("the lantern: about") };
    hers.remember(about, None).unwrap();
    say(&hers, "d", "the lantern: said");
    let plan = Draft { kind: MemoryKind::Plan, ..Draft::new("the lantern: planned") };
    let plan = operator.remember(plan, None).unwrap().id;
    operator.resolve(plan).unwrap();
    Lanterns { zoe, maya }
}

/// The last words of what passes a filter, sorted.
fn passing(access: &Access, filter: Filter) -> String {
    let answer = access.recall(&Question { filter, ..Question::new("lantern") }).unwrap();
    let mut last: Vec<&str> = contents(&answer).iter().map(|text| text.rsplit(' ').next().unwrap()).collect();
    last.sort_unstable();
    last.join(" ")
}

fn in_mode(access: &Access, mode: Mode, question: &str) -> Vec<String> {
    let answer = access.recall(&Question { mode, ..Question::new(question) }).unwrap();
    contents(&answer).into_iter().map(str::to_owned).collect()
}

fn as_of(access: &Access, then: selfsame::time::Time, question: &str) -> Vec<String> {
    let answer = access.recall(&Question { as_of: Some(then), ..Question::new(question) }).unwrap();
    contents(&answer).into_iter().map(str::to_owned).collect()
}

fn page(access: &Access, offset: usize, limit: usize) -> Recalled {
    access
        .recall(&Question { offset, limit: Some(limit), ..Question::new("the lantern by the harbour") })
        .unwrap()
}

/// Lets so many days pass, the duties done at the end of each.
fn live(bench: &Bench, days: u32) {
    let mind = bench.mind();
    mind.ensure_house_duties().unwrap();
    for _ in 0..days {
        bench.clock().advance(DAY);
        while !jobs::scheduler(mind.settings()).step(mind).unwrap().ran.is_empty() {}
    }
}

/// So much that any common word is found somewhere.
pub fn much_else(bench: &Bench) {
    for number in 0..100 {
        let minute = number % 60;
        let hour = 10 + number / 60;
        let text = format!("tea and cake number{number}");
        heard(bench, "c", &format!("2025-06-01T{hour}:{minute:02}:00Z"), "Zoe", &text);
    }
}

fn refusal(access: &Access, written: Written) -> (Class, String) {
    let error = access.read_question(Written { text: "lantern".into(), ..written }).unwrap_err();
    (error.class(), error.to_string())
}

both_engines! {
    fn each_filter_excludes_what_it_says(bench: Bench) {
        let Lanterns { zoe, maya } = lanterns(&bench);
        let access = bench.main();
        let none = Filter::default;
        let cases = [
            (none(), "about heard liked said"),
            (Filter { layers: vec![Layer::Memory], ..none() }, "about liked"),
            (Filter { layers: vec![Layer::Message], ..none() }, "heard said"),
            (Filter { layers: vec![Layer::Memory, Layer::Message], ..none() }, "about heard liked said"),
            (Filter { entity: Some(zoe), ..none() }, "about heard"),
            (Filter { principal: Some(maya), ..none() }, "about said"),
            (Filter { kinds: vec![MemoryKind::Preference], ..none() }, "liked"),
            (Filter { kinds: vec![MemoryKind::Preference, MemoryKind::Knowledge], ..none() }, "about liked"),
            (Filter { tags: vec!["home".into()], ..none() }, "about liked"),
            (Filter { tags: vec!["home".into(), "light".into()], ..none() }, "about"),
            (Filter { from: Some(time("2025-06-01T10:00:00Z")), ..none() }, "about heard liked said"),
            (Filter { from: Some(time("2025-06-01T10:00:00.000001Z")), ..none() }, "about liked said"),
            (Filter { until: Some(time("2025-06-01T10:00:00Z")), ..none() }, "heard"),
            (Filter { until: Some(time("2025-06-01T09:59:59.999999Z")), ..none() }, ""),
            (Filter { states: vec![State::Resolved], ..none() }, "planned"),
            (Filter { states: vec![State::Resolved, State::Active], ..none() }, "about heard liked planned said"),
            (Filter { states: vec![State::Archived], ..none() }, ""),
            (Filter { min_trust: Some(0.4), ..none() }, "about heard liked said"),
            (Filter { min_trust: Some(0.41), ..none() }, "about liked said"),
        ];
        for (filter, expected) in cases {
            assert_eq!(passing(&access, filter.clone()), expected, "{filter:?}");
        }
    }

    fn filters_are_all_asked_for(bench: Bench) {
        let Lanterns { zoe, maya } = lanterns(&bench);
        let access = bench.main();
        let all = Filter {
            layers: vec![Layer::Memory],
            entity: Some(zoe),
            principal: Some(maya),
            kinds: vec![MemoryKind::Knowledge],
            tags: vec!["home".into()],
            from: Some(time("2026-01-01T00:00:00Z")),
            until: Some(time("2026-01-02T00:00:00Z")),
            states: vec![State::Active],
            min_trust: Some(0.5),
        };
        assert_eq!(passing(&access, all.clone()), "about");
        for one_is_wrong in [
            Filter { layers: vec![Layer::Message], ..all.clone() },
            Filter { entity: Some(EntityId::of(bench.fresh_id())), ..all.clone() },
            Filter { principal: Some(access.agent().operator), ..all.clone() },
            Filter { kinds: vec![MemoryKind::Preference], ..all.clone() },
            Filter { tags: vec!["away".into()], ..all.clone() },
            Filter { from: Some(time("2026-01-02T00:00:00Z")), ..all.clone() },
            Filter { until: Some(time("2025-12-31T00:00:00Z")), ..all.clone() },
            Filter { states: vec![State::Stale], ..all.clone() },
            Filter { min_trust: Some(0.95), ..all.clone() },
        ] {
            assert_eq!(passing(&access, one_is_wrong.clone()), "", "{one_is_wrong:?}");
        }
        let nothing = access.recall(&Question { filter: Filter { tags: vec!["away".into()], ..all }, ..Question::new("lantern") });
        let nothing = nothing.unwrap();
        assert_eq!(nothing.why_empty.as_deref(), Some("nothing that fits the question may be shown"));
        assert!(nothing.confidence >= 0.5, "it does not abstain: {}", nothing.confidence);
    }

    fn a_mention_is_enough_for_the_filter_by_entity(bench: Bench) {
        let access = bench.main();
        let zoe = add(&access, "Zoe", &[]);
        remember(&access, "Zoe carries a lantern");
        remember(&access, "nobody carries a lantern");
        say(&access, "c", "Is that lantern for Zoe?");
        assert_eq!(passing(&access, Filter { entity: Some(zoe), ..Filter::default() }), "Zoe? lantern");
        let other = add(&access, "Zora", &[]);
        access.entity_merge("Zoe", "Zora", None).unwrap();
        assert_eq!(passing(&access, Filter { entity: Some(other), ..Filter::default() }), "Zoe? lantern");
    }

    fn a_filter_reaches_beyond_the_best(bench: Bench) {
        let access = bench.main();
        for number in 0..40 {
            remember(&access, &format!("lantern lantern {number}"));
        }
        let draft = Draft { tags: vec!["old".into()], ..Draft::new("among much else there was a lantern of no worth") };
        access.remember(draft, None).unwrap();
        let filter = Filter { tags: vec!["old".into()], ..Filter::default() };
        let question = Question { limit: Some(1), filter, ..Question::new("lantern") };
        let answer = access.recall(&question).unwrap();
        assert_eq!(contents(&answer), ["among much else there was a lantern of no worth"]);
        assert_eq!(answer.next_offset, None);
    }

    /// Each edit leaves an archived edition with the same words behind.
    fn what_was_edited_very_often_is_still_found(bench: Bench) {
        let access = bench.main();
        let mut latest = remember(&access, "the lantern is mended: 0");
        for number in 1..=260 {
            let edit = Edit { content: Some(format!("the lantern is mended: {number}")), ..Edit::default() };
            latest = access.edit(latest, edit, None).unwrap().id;
        }
        assert_eq!(contents(&ask(&access, "lantern mended")), ["the lantern is mended: 260"]);
    }

    fn a_question_is_read_from_words(bench: Bench) {
        let Lanterns { zoe, maya } = lanterns(&bench);
        let access = bench.main();
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let written = Written {
            text: "lantern".into(),
            limit: Some(7),
            offset: 2,
            mode: Some("recent".into()),
            layers: words(&["message"]),
            entity: Some("zoe".into()),
            principal: Some("maya".into()),
            kinds: words(&["preference"]),
            tags: words(&["home"]),
            from: Some("2025-06-01".into()),
            until: Some("2025-06-02".into()),
            states: words(&["archived"]),
            min_trust: Some(1.0),
            as_of: Some("2025-06-03T12:00:00Z".into()),
            anyway: true,
        };
        let expected = Question {
            text: "lantern".into(),
            limit: Some(7),
            offset: 2,
            mode: Mode::Recent,
            filter: Filter {
                layers: vec![Layer::Message],
                entity: Some(zoe),
                principal: Some(maya),
                kinds: vec![MemoryKind::Preference],
                tags: words(&["home"]),
                from: Some(time("2025-06-01T00:00:00Z")),
                until: Some(time("2025-06-02T23:59:59.999999Z")),
                states: vec![State::Archived],
                min_trust: Some(1.0),
            },
            as_of: Some(time("2025-06-03T12:00:00Z")),
            anyway: true,
        };
        assert_eq!(access.read_question(written).unwrap(), expected);
        let plain = Written { text: "lantern".into(), ..Written::default() };
        assert_eq!(access.read_question(plain).unwrap(), Question::new("lantern"));
    }

    fn what_cannot_be_read_names_the_fix(bench: Bench) {
        let access = bench.main();
        let some = |word: &str| Some(word.to_owned());
        let usual = Written::default;
        let cases = [
            (Written { mode: some("recnt"), ..usual() }, "recent"),
            (Written { layers: vec!["mesage".into()], ..usual() }, "message"),
            (Written { kinds: vec!["preferense".into()], ..usual() }, "preference"),
            (Written { states: vec!["archive".into()], ..usual() }, "archived"),
            (Written { from: some("some day"), ..usual() }, "2026-12-24"),
            (Written { until: some("2026-13-01"), ..usual() }, "2026-12-24T18:00"),
            (Written { as_of: some("once"), ..usual() }, "2026-12-24"),
            (Written { from: some("2026-01-02"), until: some("2026-01-01"), ..usual() }, "swap the two"),
            (Written { min_trust: Some(1.1), ..usual() }, "from 0 to 1"),
            (Written { min_trust: Some(-0.1), ..usual() }, "from 0 to 1"),
            (Written { min_trust: Some(f64::NAN), ..usual() }, "from 0 to 1"),
        ];
        for (written, fix) in cases {
            let (class, said) = refusal(&access, written.clone());
            assert_eq!(class, Class::BadInput, "{written:?}");
            assert!(said.contains(fix), "{said}");
        }
        for written in [Written { entity: some("nobody"), ..usual() }, Written { principal: some("nobody"), ..usual() }] {
            let (class, said) = refusal(&access, written);
            assert!(class == Class::NotFound && said.contains("nobody"), "{said}");
        }
        let one_day = Written { text: "x".into(), from: some("2026-01-01"), until: some("2026-01-01"), ..usual() };
        assert!(access.read_question(one_day).is_ok());
    }

    fn modes_lean_to_what_they_are_named_after(bench: Bench) {
        let access = bench.main();
        let store = |content: &str, importance: f64, kind: MemoryKind| {
            access.remember(Draft { importance, kind, ..Draft::new(content) }, None).unwrap();
        };
        store("the lantern is old", 1.0, MemoryKind::Knowledge);
        bench.clock().advance(60 * DAY);
        store("the lantern is new", 0.1, MemoryKind::Knowledge);
        store("a lantern is a fine thing to like, says Maya", 0.1, MemoryKind::Preference);
        store("who carries a lantern at night is Maya's brother", 0.1, MemoryKind::Identity);
        let first = |mode| in_mode(&access, mode, "lantern")[0].clone();
        assert_eq!(first(Mode::Recent), "the lantern is new");
        assert_eq!(first(Mode::Important), "the lantern is old");
        assert_eq!(first(Mode::Preferences), "a lantern is a fine thing to like, says Maya");
        assert_eq!(first(Mode::Identity), "who carries a lantern at night is Maya's brother");
        for mode in Mode::ALL {
            assert_eq!(in_mode(&access, *mode, "lantern").len(), 4, "{mode:?} leaves nothing out");
        }
    }

    /// Rows are read by how well they fit; what the mode lifts may stand far behind.
    fn a_mode_lifts_what_fits_less_above_the_best(bench: Bench) {
        let access = bench.main();
        for number in 0..40 {
            remember(&access, &format!("the lantern is {number}"));
        }
        let liked = "a lantern is a fine thing to like, says Maya";
        access.remember(Draft { kind: MemoryKind::Preference, ..Draft::new(liked) }, None).unwrap();
        let one = |mode| Question { mode, limit: Some(1), ..Question::new("lantern") };
        assert_eq!(contents(&access.recall(&one(Mode::Preferences)).unwrap()), [liked]);
        assert_eq!(contents(&access.recall(&one(Mode::Balanced)).unwrap()), ["the lantern is 0"]);
    }

    fn looking_back_finds_what_was_put_away(bench: Bench) {
        let access = bench.main();
        let draft = Draft { kind: MemoryKind::Ephemeral, ..Draft::new("the lantern is lit") };
        let faded = access.remember(draft, None).unwrap().id;
        live(&bench, 10);
        remember(&access, "a lantern lantern");
        heard_now(&bench, "lantern?");
        assert_eq!(access.portrait(faded).unwrap().unwrap().memory.life.state, State::Archived);
        assert!(!in_mode(&access, Mode::Balanced, "lantern").contains(&"the lantern is lit".into()));
        assert!(in_mode(&access, Mode::Historical, "lantern").contains(&"the lantern is lit".into()));
        let in_order = in_mode(&access, Mode::Timeline, "lantern");
        assert_eq!(in_order, ["the lantern is lit", "a lantern lantern", "lantern?"]);
        let active = Filter { states: vec![State::Active], ..Filter::default() };
        let question = Question { mode: Mode::Historical, filter: active, ..Question::new("lantern") };
        assert_eq!(access.recall(&question).unwrap().hits.len(), 2, "a filter has the last word");
    }

    fn before_an_edit_the_old_edition_was_known(bench: Bench) {
        let access = bench.main();
        let before = bench.mind().now();
        bench.clock().advance(DAY);
        let old = remember(&access, "the lantern is green");
        let then = bench.mind().now();
        bench.clock().advance(DAY);
        let edit = Edit { content: Some("the lantern is white".into()), ..Edit::default() };
        access.edit(old, edit, None).unwrap();
        assert_eq!(as_of(&access, before, "lantern"), [""; 0]);
        assert_eq!(as_of(&access, then, "lantern"), ["the lantern is green"]);
        assert_eq!(as_of(&access, bench.mind().now(), "lantern"), ["the lantern is white"]);
    }

    fn before_it_was_done_a_plan_was_open(bench: Bench) {
        let access = bench.main();
        let draft = Draft { kind: MemoryKind::Plan, ..Draft::new("mend the lantern") };
        let plan = access.remember(draft, None).unwrap().id;
        let then = bench.mind().now();
        bench.clock().advance(DAY);
        access.resolve(plan).unwrap();
        assert_eq!(as_of(&access, then, "lantern"), ["mend the lantern"]);
        assert_eq!(as_of(&access, bench.mind().now(), "lantern"), [""; 0]);
    }

    fn before_it_faded_it_was_in_mind(bench: Bench) {
        let access = bench.main();
        let draft = Draft { kind: MemoryKind::Ephemeral, ..Draft::new("the lantern is lit") };
        access.remember(draft, None).unwrap();
        let day = |days: u32| bench.mind().now().saturating_sub(days * DAY);
        live(&bench, 10);
        assert_eq!(as_of(&access, day(9), "lantern"), ["the lantern is lit"]);
        assert_eq!(as_of(&access, day(6), "lantern"), ["the lantern is lit"], "stale by then");
        assert_eq!(as_of(&access, day(0), "lantern"), [""; 0]);
        let stale = Filter { states: vec![State::Stale], ..Filter::default() };
        let question = |days| Question { as_of: Some(day(days)), filter: stale.clone(), ..Question::new("lantern") };
        assert_eq!(access.recall(&question(9)).unwrap().hits.len(), 0);
        assert_eq!(access.recall(&question(6)).unwrap().hits.len(), 1);
    }

    fn what_was_forgotten_was_never_known(bench: Bench) {
        let access = bench.main();
        let id = remember(&access, "the lantern is green");
        let then = bench.mind().now();
        bench.clock().advance(DAY);
        assert_eq!(as_of(&access, then, "lantern").len(), 1);
        access.forget(id, None).unwrap();
        for mode in Mode::ALL {
            let question = Question { mode: *mode, as_of: Some(then), anyway: true, ..Question::new("lantern green") };
            assert_eq!(access.recall(&question).unwrap().hits, [], "{mode:?}");
        }
    }

    fn pages_are_one_list_cut(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        for number in 0..12u32 {
            let draft = Draft { importance: f64::from(number % 5) / 5.0, ..Draft::new(format!("lantern {number}")) };
            access.remember(draft, None).unwrap();
        }
        for number in 0..8 {
            heard(&bench, "c", &format!("2025-06-01T10:0{number}:00Z"), "Zoe", &format!("a lantern by the harbour, {number}"));
        }
        let whole = page(&access, 0, 20);
        assert_eq!((whole.hits.len(), whole.next_offset), (20, None));
        let (mut pages, mut next, mut offsets) = (Vec::new(), Some(0), Vec::new());
        while let Some(offset) = next {
            let page = page(&access, offset, 3);
            offsets.push(offset);
            next = page.next_offset;
            pages.extend(page.hits);
        }
        assert_eq!(offsets, [0, 3, 6, 9, 12, 15, 18]);
        assert_eq!(pages, whole.hits);
        assert_eq!(page(&access, 0, 19).next_offset, Some(19));
        for offset in [20, 21, MAX_OFFSET] {
            let beyond = page(&access, offset, 3);
            assert_eq!((beyond.hits, beyond.next_offset), (vec![], None), "{offset}");
        }
        let too_far = Question { offset: MAX_OFFSET + 1, ..Question::new("lantern") };
        let refused = access.recall(&too_far).unwrap_err();
        assert_eq!((refused.class(), refused.to_string()), (Class::BadInput, format!("offset must be from 0 to {MAX_OFFSET}, not {}", MAX_OFFSET + 1)));
    }

    fn what_is_off_the_subject_is_not_answered(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        much_else(&bench);
        remember(&access, "the harbour closes at nine");
        for (question, why) in [
            ("xyzzy plugh", "nothing that is stored has any of these words"),
            ("Which submarine sank in the tea channel", "nothing about channel, sank, submarin"),
            ("What did Xerxes think about the harbour", "nothing about think, xerx"),
            ("?!", "the question has no words to look for"),
        ] {
            let answer = ask(&access, question);
            assert_eq!((answer.hits.len(), answer.next_offset), (0, None), "{question}");
            assert!(answer.confidence < 0.5, "{question}: {}", answer.confidence);
            assert!(answer.why_empty.as_ref().is_some_and(|said| said.contains(why)), "{question}: {:?}", answer.why_empty);
        }
        assert_eq!(contents(&ask(&access, "When does the harbour close?"))[0], "the harbour closes at nine");
    }

    fn the_best_is_given_anyway_if_that_is_asked_for(bench: Bench) {
        let access = knowing(&bench, &["Zoe"]);
        much_else(&bench);
        remember(&access, "the harbour closes at nine");
        for question in [
            "What did Xerxes think about the harbour", "Which submarine sank in the tea channel", "xyzzy", "?!",
            "When does the harbour close?", "cake number7", "What about Zoe?", "tea on 1 June 2025", "tea",
        ] {
            let plain = ask(&access, question);
            let anyway = access.recall(&Question { anyway: true, ..Question::new(question) }).unwrap();
            assert_eq!(anyway.confidence, plain.confidence, "{question}");
            assert!((0.0..=1.0).contains(&plain.confidence), "{question}");
            assert_eq!(plain.hits.is_empty(), plain.confidence < 0.5, "{question}: {}", plain.confidence);
            assert_eq!(plain.why_empty.is_some(), plain.hits.is_empty(), "{question}");
            if !plain.hits.is_empty() {
                assert_eq!(anyway, plain, "{question}");
            }
        }
        let anyway = Question { anyway: true, ..Question::new("What did Xerxes think about the harbour") };
        assert_eq!(contents(&access.recall(&anyway).unwrap())[0], "the harbour closes at nine");
    }

    fn three_memories_answer_what_one_word_of_three_finds(bench: Bench) {
        let access = bench.main();
        for text in ["the lantern is green", "the boat leaks", "a heron sat on the roof"] {
            remember(&access, text);
        }
        assert_eq!(contents(&ask(&access, "rusty lantern price")), ["the lantern is green"]);
        assert_eq!(contents(&ask(&access, "rusty kettle price")), [""; 0]);
    }

    fn only_what_is_given_counts_as_recalled(bench: Bench) {
        let access = bench.main();
        let (given, left) = (remember(&access, "lantern lantern"), remember(&access, "there is some lantern too"));
        let counts = || {
            bench.mind().write_touches().unwrap();
            [given, left].map(|id| access.portrait(id).unwrap().unwrap().memory.life.hold.recall_count)
        };
        let one = |as_of| Question { limit: Some(1), as_of, ..Question::new("lantern") };
        let shown = access.context(&Occasion { query: Some("lantern".into()), ..Occasion::default() }).unwrap();
        assert!(shown.text.contains("lantern lantern"));
        access.weighed(&Question::new("lantern")).unwrap();
        assert_eq!(counts(), [0, 0], "what is only shown is not recalled");
        assert_eq!(contents(&access.recall(&one(None)).unwrap()), ["lantern lantern"]);
        assert_eq!(counts(), [1, 0]);
        bench.clock().advance(DAY);
        access.recall(&one(Some(bench.mind().now()))).unwrap();
        assert_eq!(counts(), [2, 0], "what was known then is looked for on purpose too");
        bench.clock().advance(DAY);
        assert_eq!(ask(&access, "xyzzy").hits, []);
        assert_eq!(counts(), [2, 0]);
    }
}

fn heard_now(bench: &Bench, content: &str) {
    bench.clock().advance(Duration::from_secs(1));
    say(&bench.main(), "now", content);
}

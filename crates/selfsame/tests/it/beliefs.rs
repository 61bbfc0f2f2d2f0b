//! What is believed, as the verbs give it: by its names, as it was, in answers, in a context, in the status; and that it is
//! checked.

use crate::meaning::model;
use crate::recall::{ask, time};
use crate::remember::remember;
use selfsame::context::{MindContext, Occasion, SectionKind};
use selfsame::id::{MemoryId, ObservationId};
use selfsame::knowledge::{Belief, BeliefQuery, Judgement, Level, ObservationKind, Retraction, Status};
use selfsame::memory::{Draft, MemoryKind, Stated};
use selfsame::recall::{Filter, Found, Hit, Layer, Mode, Question, Recalled};
use selfsame::status::BeliefCounts;
use selfsame::time::Time;
use selfsame::{Access, Class, Engine, Speaker};
use selfsame_testkit::both_engines;
use std::sync::Arc;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn claim(subject: &str, slot: &str, value: &str) -> Stated {
    Stated {
        subject: subject.into(),
        kind: None,
        slot: slot.into(),
        value: value.into(),
        denied: false,
        replaces: None,
    }
}

/// Stores a sentence with what it says.
fn state(access: &Access, content: &str, claim: Stated) -> MemoryId {
    let draft = Draft { claim: Some(claim), ..Draft::new(content) };
    access.remember(draft, None).unwrap().id
}

/// Two beliefs about Maya, and what else is known.
fn furnish(access: &Access) -> MemoryId {
    let said = state(access, "Maya uses PostgreSQL", claim("Maya", "database", "PostgreSQL"));
    state(access, "Maya works at Acme", claim("Maya", "job", "Acme"));
    // Nothing is read out of a story.
    for story in ["Ben uses SQLite", "Maya moved to PostgreSQL in March because of the reports"] {
        let draft = Draft { kind: MemoryKind::Episode, ..Draft::new(story) };
        access.remember(draft, None).unwrap();
    }
    said
}

fn about(access: &Access, about: &str) -> Vec<Belief> {
    access.know(&BeliefQuery { about: Some(about.into()), ..BeliefQuery::default() }).unwrap().beliefs
}

fn found(answer: &Recalled) -> Vec<(bool, &str)> {
    answer.hits.iter().map(|hit| (hit.found.belief().is_some(), hit.found.content())).collect()
}

fn problem(access: &Access, text: &str) -> String {
    access.find_observation(text).unwrap_err().to_string()
}

fn believed(context: &MindContext) -> Vec<(String, String)> {
    let of = |section: &&selfsame::context::Section| section.kind == SectionKind::Observations;
    let section = context.sections.iter().find(of).unwrap();
    section.items.iter().map(|item| (item.words.clone(), item.about.clone())).collect()
}

fn about_query(query: &str) -> Occasion {
    Occasion { query: Some(query.into()), ..Occasion::default() }
}

both_engines! {
    fn a_belief_is_found_by_its_names(bench: Bench) {
        let access = bench.main();
        furnish(&access);
        let database = access.find_observation("Maya/database").unwrap();
        let row = about(&access, "maya").into_iter().find(|belief| belief.observation.id == database).unwrap();
        assert_eq!((row.name().as_str(), row.subject.as_str()), ("Maya/database", "Maya"));
        for name in [database.to_string(), row.observation.key.clone(), "maya/db".into(), "MAYA/Database".into()] {
            assert_eq!(access.find_observation(&name).unwrap(), database, "{name}");
        }
        assert_eq!(
            problem(&access, "Maya/databse"),
            "there is no observation Maya/databse; did you mean Maya/database?"
        );
        assert_eq!(
            problem(&access, "Mia/database"),
            "there is no observation Mia/database; did you mean Maya/database?"
        );
        assert_eq!(
            problem(&access, "Maya/shoe size"),
            "there is no observation Maya/shoe size; did you mean Maya/database, Maya/employer?"
        );
        assert_eq!(
            problem(&access, "Maya"),
            "Maya can mean several beliefs: name one of them (Maya/database, Maya/employer)"
        );
        let nobody = ObservationId::of(bench.fresh_id());
        assert_eq!(
            problem(&access, &nobody.to_string()),
            format!("there is no observation {nobody}: `selfsame know list` shows what is believed")
        );
        assert_eq!(access.find_observation("Zoe/pet").unwrap_err().class(), Class::NotFound);
    }

    fn values_that_coexist_are_told_apart_by_their_names(bench: Bench) {
        let access = bench.main();
        for value in ["tea", "rowing"] {
            let kind = Some(ObservationKind::OperatorPreference);
            state(&access, &format!("Maya likes {value}"), Stated { kind, ..claim("Maya", "preference", value) });
        }
        assert_eq!(
            problem(&access, "Maya/preference"),
            "Maya/preference can mean several beliefs: name one of them (Maya/preference#rowing, Maya/preference#tea)"
        );
        // One name may be that of two questions: then their ids are told.
        for (content, kind) in [
            ("Zoe runs SQLite", ObservationKind::RelationshipFact),
            ("Zoe likes SQLite", ObservationKind::OperatorPreference),
        ] {
            state(&access, content, Stated { kind: Some(kind), ..claim("Zoe", "database", "SQLite") });
        }
        let ids: Vec<String> = about(&access, "Zoe").iter().map(|belief| belief.observation.id.to_string()).collect();
        let said = problem(&access, "Zoe/database");
        assert!(ids.len() == 2 && ids.iter().all(|id| said.contains(id)), "{said}");
        let tea = access.find_observation("Maya/preference#tea").unwrap();
        assert_eq!(access.why(tea).unwrap().unwrap().belief.observation.value, "tea");
    }

    fn a_belief_answers_first_and_says_what_it_is(bench: Bench) {
        let access = bench.main();
        let said = furnish(&access);
        let answer = ask(&access, "which database does Maya use?");
        assert_eq!(found(&answer)[..2], [(true, "Maya uses PostgreSQL"), (false, "Maya uses PostgreSQL")]);
        let belief = answer.hits[0].found.belief().unwrap();
        assert_eq!((belief.sources, belief.against, belief.contested), (1, 0, false));
        assert_eq!((belief.status, Level::of(belief.confidence)), (Status::Active, Level::Medium));
        let hit = &answer.hits[0];
        assert!((hit.score - hit.fit * hit.factor).abs() < 1e-12 && hit.factor < 1.0, "{hit:?}");
        assert!(!hit.parts.is_empty() && hit.words.len() == 3, "{hit:?}");
        // All day long.
        bench.clock().advance(Duration::from_secs(3600));
        assert_eq!(ask(&access, "which database does Maya use?").hits, answer.hits);
        // What it rests on says so; what only has the same words does not.
        let supports = |id: MemoryId| {
            let hit = answer.hits.iter().find(|hit| hit.found.id() == id.id()).unwrap();
            hit.supports.clone()
        };
        assert_eq!(supports(said), [belief.observation.id]);
        let moved = answer.hits.iter().find(|hit| hit.found.content().starts_with("Maya moved")).unwrap();
        assert_eq!(moved.supports, []);
    }

    fn what_was_is_told_by_what_was_said(bench: Bench) {
        let access = bench.main();
        furnish(&access);
        let beliefs = |question: Question| {
            let answer = access.recall(&question).unwrap();
            assert!(!answer.hits.is_empty(), "{question:?}");
            found(&answer).into_iter().filter(|(is_belief, _)| *is_belief).count()
        };
        assert_eq!(beliefs(Question::new("when did Maya move to PostgreSQL?")), 0);
        assert_eq!(beliefs(Question { mode: Mode::Timeline, ..Question::new("Maya PostgreSQL") }), 0);
        assert_eq!(beliefs(Question { mode: Mode::Historical, ..Question::new("Maya PostgreSQL") }), 0);
        assert!(beliefs(Question::new("Maya PostgreSQL")) > 0);
        let only = |layer: Layer| Question {
            filter: Filter { layers: vec![layer], ..Filter::default() },
            ..Question::new("which database does Maya use?")
        };
        assert_eq!(beliefs(only(Layer::Memory)), 0);
        assert!(beliefs(only(Layer::Observation)) > 0);
        let answer = access.recall(&only(Layer::Observation)).unwrap();
        assert!(answer.hits.iter().all(|hit| hit.found.belief().is_some()));
    }

    fn nothing_changes_where_nothing_is_believed(bench: Bench) {
        let access = bench.main();
        for content in ["Maya uses PostgreSQL", "Ben uses SQLite", "Maya works at Acme"] {
            remember(&access, content);
        }
        for text in ["which database does Maya use?", "what does Ben use", "xylophone"] {
            let raw = Filter { layers: vec![Layer::Memory, Layer::Message], ..Filter::default() };
            let without = access.recall(&Question { filter: raw, ..Question::new(text) }).unwrap();
            assert_eq!(format!("{:?}", ask(&access, text)), format!("{without:?}"), "{text}");
        }
    }

    fn what_was_not_said_for_long_does_not_lead(bench: Bench) {
        let operator = bench.main();
        state(&operator, "Maya uses PostgreSQL", claim("Maya", "database", "PostgreSQL"));
        assert_eq!(found(&ask(&operator, "what does Maya use?"))[0], (true, "Maya uses PostgreSQL"));
        let cadence = about(&operator, "Maya")[0].observation.kind.cadence();
        bench.clock().advance(cadence.mul_f64(1.5));
        let answer = ask(&operator, "what does Maya use?");
        assert_eq!(found(&answer), [(false, "Maya uses PostgreSQL"), (true, "Maya uses PostgreSQL")]);
        assert!(answer.hits[1].found.belief().unwrap().freshness < 0.35);
        // Somebody else's belief does not lead, however sure it is.
        state(&operator, "Ben uses SQLite", claim("Ben", "database", "SQLite"));
        let database = operator.find_observation("Ben/database").unwrap();
        operator.feedback(database, &Judgement::Confirm, None).unwrap();
        let first = &ask(&operator, "what does Maya use?").hits[0];
        assert_eq!(first.found.content(), "Maya uses PostgreSQL");
    }

    fn pages_have_every_answer_once(bench: Bench) {
        let access = bench.main();
        furnish(&access);
        let question = Question::new("which database does Maya use?");
        let all = access.recall(&question).unwrap();
        let ids = |answer: &Recalled| answer.hits.iter().map(|hit| hit.found.id()).collect::<Vec<_>>();
        let mut paged = Vec::new();
        let mut next = Some(0);
        while let Some(offset) = next {
            let page = access.recall(&Question { offset, limit: Some(2), ..question.clone() }).unwrap();
            paged.extend(ids(&page));
            next = page.next_offset;
        }
        assert_eq!(paged, ids(&all));
        assert!(all.hits.iter().filter(|hit| hit.found.belief().is_some()).count() >= 2);
    }

    fn beliefs_are_listed_page_by_page(bench: Bench) {
        let access = bench.main();
        for (slot, value) in [("database", "SQLite"), ("job", "Acme"), ("city", "Oslo"), ("editor", "Vim"), ("pet", "Rex")] {
            state(&access, &format!("Maya: {slot} {value}"), claim("Maya", slot, value));
        }
        let page = |offset, limit| {
            let query = BeliefQuery { offset, limit, ..BeliefQuery::default() };
            access.know(&query).unwrap().beliefs.iter().map(|belief| belief.observation.id).collect::<Vec<_>>()
        };
        let all = page(0, 200);
        assert_eq!(all.len(), 5);
        assert_eq!([page(0, 2), page(2, 2), page(4, 2)].concat(), all, "none twice and none left out");
        assert!(page(5, 2).is_empty() && page(usize::MAX, 2).is_empty());
    }

    fn a_belief_is_as_it_was(bench: Bench) {
        let access = bench.main();
        state(&access, "Maya uses SQLite", claim("Maya", "database", "SQLite"));
        let started = about(&access, "Maya")[0].observation.created_at;
        bench.clock().advance(DAY * 10);
        state(&access, "Maya uses PostgreSQL", claim("Maya", "database", "PostgreSQL"));
        let then = started.saturating_add(DAY * 5);
        let query = BeliefQuery { about: Some("Maya".into()), as_of: Some(then), ..BeliefQuery::default() };
        let was = access.know(&query).unwrap().beliefs;
        assert_eq!(was.len(), 1);
        let belief = &was[0];
        assert_eq!((belief.observation.summary.as_str(), belief.status), ("Maya uses SQLite", Status::Active));
        assert_eq!((belief.sources, belief.against, belief.last_supported_at), (1, 0, Some(started)));
        let faded = (DAY * 5).div_duration_f64(belief.observation.kind.cadence() * 2);
        assert!((belief.freshness - (1.0 - faded)).abs() < 1e-9, "{}", belief.freshness);
        let question = Question { as_of: Some(then), ..Question::new("which database does Maya use?") };
        assert_eq!(found(&access.recall(&question).unwrap())[0], (true, "Maya uses SQLite"));
        let today = ask(&access, "which database does Maya use?");
        let beliefs: Vec<_> = found(&today).into_iter().filter(|(is_belief, _)| *is_belief).collect();
        assert_eq!(beliefs, [(true, "Maya uses PostgreSQL")]);
        // Before anything was said, nothing was believed.
        let before = Question { as_of: Some(time("2001-01-01T00:00:00Z")), ..question };
        assert_eq!(access.recall(&before).unwrap().hits.len(), 0);
        let now = &about(&access, "Maya")[0];
        assert_eq!((now.sources, now.against), (1, 1));
    }

    fn a_belief_is_as_confirmed_as_it_was(bench: Bench) {
        let access = bench.main();
        state(&access, "Maya uses SQLite", claim("Maya", "database", "SQLite"));
        bench.clock().advance(DAY);
        let before = bench.mind().now();
        bench.clock().advance(DAY);
        let belief = about(&access, "Maya").remove(0);
        assert!(!belief.confirmed);
        let judged = access.feedback(belief.observation.id, &Judgement::Confirm, None).unwrap();
        bench.clock().advance(DAY);
        let confirmed = bench.mind().now();
        bench.clock().advance(DAY);
        let retraction = Retraction { source: judged.memory.to_string(), dry_run: false };
        access.retract(&retraction, None).unwrap();
        bench.clock().advance(DAY);
        let marked = |as_of: Option<Time>| {
            let query = BeliefQuery { about: Some("Maya".into()), as_of, ..BeliefQuery::default() };
            let told = access.know(&query).unwrap().beliefs;
            assert_eq!(told.len(), 1, "{told:#?}");
            told[0].confirmed
        };
        assert_eq!([marked(Some(before)), marked(Some(confirmed)), marked(None)], [false, true, false]);
    }

    /// However many beliefs there were, what they rested on is asked once.
    fn looking_back_costs_as_much_for_many(bench: Bench) {
        let access = bench.main();
        let mut counted = Vec::new();
        for place in 0..12 {
            state(&access, &format!("Maya's lamp {place} is on"), claim("Maya", &format!("lamp{place}"), "on"));
            let then = bench.mind().now();
            bench.clock().advance(DAY);
            let query = BeliefQuery { about: Some("Maya".into()), as_of: Some(then), ..BeliefQuery::default() };
            access.know(&query).unwrap();
            let before = bench.store().counters().statements();
            assert_eq!(access.know(&query).unwrap().beliefs.len(), place + 1);
            counted.push(bench.store().counters().statements() - before);
        }
        assert_eq!(counted, [counted[0]; 12]);
    }

    fn what_was_given_up_since_is_recalled_as_of_then(bench: Bench) {
        let access = bench.main();
        state(&access, "Maya uses SQLite", claim("Maya", "database", "SQLite"));
        let other = state(&access, "Maya works at Acme", claim("Maya", "job", "Acme"));
        bench.clock().advance(DAY);
        let then = bench.mind().now();
        bench.clock().advance(DAY);
        for belief in about(&access, "Maya") {
            access.feedback(belief.observation.id, &Judgement::Wrong, None).unwrap();
        }
        assert_eq!(about(&access, "Maya"), []);
        bench.clock().advance(DAY);
        let question = Question::new("which database does Maya use?");
        let believed = |question: &Question| {
            let answer = access.recall(question).unwrap();
            let told = found(&answer).into_iter().filter(|(is_belief, _)| *is_belief);
            (told.map(|(_, words)| words.to_owned()).collect::<Vec<_>>(), answer)
        };
        let past = Question { as_of: Some(then), ..question.clone() };
        let (told, answer) = believed(&past);
        assert_eq!(told[0], "Maya uses SQLite", "{answer:#?}");
        assert!(answer.hits[0].leads && answer.hits[0].found.belief().is_some(), "it leads, as it would have then");
        assert_eq!(answer.hits[0].found.belief().unwrap().status, Status::Active);
        assert!(answer.hits[0].words.iter().any(|word| word.word == "maya"), "{:?}", answer.hits[0].words);
        assert_eq!(believed(&question).0, [""; 0], "today nothing is believed");
        let memories = Filter { layers: vec![Layer::Memory], ..Filter::default() };
        assert_eq!(believed(&Question { filter: memories, ..past.clone() }).0, [""; 0], "only what was asked for");
        let early = Question { as_of: Some(then.saturating_sub(DAY * 9)), ..past.clone() };
        assert_eq!(believed(&early).0, [""; 0], "nothing was believed then");
        // A source that was taken back is told of where it was believed; one that was forgotten is not.
        let job = Question { as_of: Some(then), ..Question::new("where does Maya work?") };
        assert!(believed(&job).0.contains(&"Maya works at Acme".to_owned()));
        access.forget(other, None).unwrap();
        assert!(!believed(&job).0.contains(&"Maya works at Acme".to_owned()));
    }

    /// Who reads scores must see why a lower one comes first.
    fn a_belief_that_leads_says_so(bench: Bench) {
        let access = bench.main();
        furnish(&access);
        let answer = ask(&access, "where does Maya work?");
        let leads: Vec<bool> = answer.hits.iter().map(|hit| hit.leads).collect();
        assert!(leads[0] && leads.is_sorted_by(|one, other| one >= other), "{leads:?}");
        let in_order = |hits: &[&Hit]| hits.is_sorted_by(|one, other| one.score >= other.score);
        let (first, rest): (Vec<&Hit>, Vec<&Hit>) = answer.hits.iter().partition(|hit| hit.leads);
        assert!(in_order(&first) && in_order(&rest), "{answer:#?}");
        assert!(first.iter().all(|hit| hit.found.belief().is_some()));
        assert!(first[0].score < rest[0].score, "else there is nothing to be explained here");
        let by_time = Question { mode: Mode::Timeline, ..Question::new("where does Maya work?") };
        let layers = Filter { layers: Layer::ALL.to_vec(), ..Filter::default() };
        let answer = access.recall(&Question { filter: layers, ..by_time }).unwrap();
        assert!(answer.hits.iter().any(|hit| hit.found.belief().is_some()));
        assert!(answer.hits.iter().all(|hit| !hit.leads), "time is the order");
    }

    fn a_judgement_is_read_strictly(bench: Bench) {
        assert_eq!(Judgement::read("confirm", None).unwrap(), Judgement::Confirm);
        assert_eq!(Judgement::read("correct", Some("so".into())).unwrap(), Judgement::Correct("so".into()));
        for (word, text, said) in [
            ("correct", None, "a correction says how it is: give that as text"),
            ("wrong", Some("x"), "wrong takes no text: only correct does"),
            ("maybe", None, "there is no judgement \"maybe\": it is one of confirm, correct, useful, wrong"),
        ] {
            let error = Judgement::read(word, text.map(Into::into)).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.class()), (said, Class::BadInput));
        }
        drop(bench);
    }

    fn a_context_begins_with_what_is_believed(bench: Bench) {
        let access = bench.main();
        furnish(&access);
        let context = access.context(&about_query("which database does Maya use?")).unwrap();
        let today = selfsame::local::show_day(selfsame::time::Zone::parse("UTC").unwrap().date(bench.mind_time()));
        let first = believed(&context)[0].clone();
        assert_eq!(first.0, "Maya uses PostgreSQL");
        assert_eq!(first.1, format!("medium confidence, last said {today}, 1 for and 0 against"));
        // The memory that says the same, and no more, is not repeated.
        assert_eq!(context.text.matches("Maya uses PostgreSQL").count(), 1, "{}", context.text);
        assert!(context.text.contains("because of the reports") && context.text.contains("Ben uses SQLite"));
        assert!(context.text.contains("<selfsame-context kind=\"observations\">"), "{}", context.text);
        let beliefs = context.text.find("## What you believe").unwrap();
        assert!(beliefs < context.text.find("## Memories").unwrap());
        assert_eq!(access.context(&about_query("which database does Maya use?")).unwrap(), context);
        // A question is not answered with beliefs about others.
        state(&access, "Zoe lives in Oslo", claim("Zoe", "residence", "Oslo"));
        let again = access.context(&about_query("which database does Maya use?")).unwrap();
        assert!(!again.text.contains("Oslo"), "{}", again.text);
        // Without a question, what can be relied on.
        let whole = access.context(&Occasion::default()).unwrap();
        assert_eq!(believed(&whole).len(), 3);
    }

    fn no_more_is_believed_in_a_context_than_the_settings_say(bench: Bench) {
        let access = bench.main();
        for number in 0..12 {
            let slot = ["shoe", "hat", "coat", "bike", "car", "boat", "house", "dog", "cat", "pen", "cup", "lamp"];
            let slot = slot[number];
            state(&access, &format!("The {slot} of Maya is number {number}"), claim("Maya", slot, &number.to_string()));
        }
        assert_eq!(about(&access, "Maya").len(), 12);
        let roomy = Occasion { budget_tokens: Some(20_000), ..Occasion::default() };
        assert_eq!(believed(&access.context(&roomy).unwrap()).len(), 8);
    }

    fn a_contested_belief_is_marked_and_counted(bench: Bench) {
        let agent = bench.agent("main");
        let ben = bench.principal(&agent, "ben");
        let zoe = bench.principal(&agent, "zoe");
        let (ben, zoe) = (Speaker::Principal(ben), Speaker::Principal(zoe));
        let access = bench.access("main", Speaker::Operator);
        state(&bench.access("main", ben), "Maya uses SQLite", claim("Maya", "database", "SQLite"));
        state(&bench.access("main", zoe), "Maya uses PostgreSQL", claim("Maya", "database", "PostgreSQL"));
        let belief = &about(&access, "Maya")[0];
        assert!(belief.contested, "{belief:?}");
        let counts = bench.mind().status().unwrap().agents[0].beliefs;
        assert_eq!(counts, BeliefCounts { active: 1, stale: 0, contested: 1 });
        let context = access.context(&about_query("what does Maya use?")).unwrap();
        assert!(believed(&context)[0].1.ends_with("1 for and 1 against, contested"), "{:?}", believed(&context));
        let open = access.conflicts(false, 10).unwrap();
        assert_eq!((open.len(), open[0].conflict.rival.as_str()), (1, "postgresql"));
    }

    fn what_does_not_fit_a_belief_is_named(bench: Bench) {
        let access = bench.main();
        furnish(&access);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        let id = access.find_observation("Maya/database").unwrap();
        let mut raw = bench.owner();
        for table in ["observation_events", "observation_evidence"] {
            match bench.engine() {
                Engine::Sqlite => raw.run(&format!("DROP TRIGGER {table}_fixed; DROP TRIGGER {table}_kept")),
                Engine::Postgres => raw.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")),
            }
            .unwrap();
        }
        let of = format!("observation_id = {}", bench.id(id.id()));
        raw.run(&format!("UPDATE observation_events SET to_status = 'stale' WHERE {of}")).unwrap();
        let strayed = format!("agent main: the history of observation {id} does not end where it stands");
        assert_eq!(bench.mind().verify().unwrap().problems, [strayed.as_str()]);
        raw.run(&format!("UPDATE observation_events SET to_status = 'active' WHERE {of}")).unwrap();
        if bench.engine() == Engine::Sqlite {
            raw.run("PRAGMA foreign_keys = OFF").unwrap();
        }
        let nobody = bench.id(bench.fresh_id());
        raw.run(&format!("UPDATE observation_evidence SET memory_id = {nobody} WHERE {of}")).unwrap();
        let problems = bench.mind().verify().unwrap().problems;
        let missing = format!("agent main: observation {id} rests on a memory that is not there");
        assert!(problems.contains(&missing), "{problems:?}");
    }

    fn a_belief_is_found_by_what_it_means(bench: Bench) {
        let mut bench = bench;
        let model = model("a");
        bench.reopen_with(Some(Arc::clone(&model)), &[]);
        let access = bench.main();
        state(&access, "Maya purchased an automobile", claim("Maya", "vehicle", "automobile"));
        // The memory was read when it was stored; the belief waits for the duty, and nobody is told to wait for it.
        assert_eq!(ask(&access, "automobile").by_meaning.pending, 0);
        assert_eq!(bench.mind().embed_pending(1000).unwrap().texts, 1);
        assert_eq!(bench.mind().embed_pending(1000).unwrap().texts, 0);
        let answer = ask(&access, "who bought a car?");
        assert!(answer.hits.iter().any(|hit| matches!(hit.found, Found::Observation(_))), "{answer:?}");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }
}

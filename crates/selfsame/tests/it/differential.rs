//! The same random life on SQLite, on PostgreSQL and in a model: every answer and every state must agree.

use selfsame::id::{AgentId, MemoryId, PrincipalId};
use selfsame::memory::Draft;
use selfsame::recall::{Hit, Question};
use selfsame::seal::sha256;
use selfsame::time::Time;
use selfsame::trust::Privacy;
use selfsame::{Class, Error, Idempotency, Speaker};
use selfsame_testkit::Bench;
use selfsame_testkit::model::{Forgetting, Model, Repetition, Viewer};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use std::collections::BTreeMap;

const STEPS: usize = 40;
/// Whole states are compared this often; answers at every step.
const STATE_EVERY: usize = 10;
/// Few words, so that things collide; and words that have tripped up one engine or the other.
const WORDS: [&str; 14] = [
    "red",
    "fox",
    "fox",
    "owl",
    "running",
    "runs",
    "O'Brien",
    "a|b",
    "日本",
    "日本語",
    "İ",
    "NULL",
    "Straße",
    "$1",
];
const AGENTS: [&str; 2] = ["ada", "bob"];
const KEYS: [&str; 3] = ["k1", "k2", "k3"];

/// Who speaks: a place in the cast of an agent.
#[derive(Clone, Copy, Debug)]
enum Role {
    Operator,
    Maya,
    Noah,
    Agent,
    AgentWithMaya,
}

const ROLES: [Role; 5] = [Role::Operator, Role::Maya, Role::Noah, Role::Agent, Role::AgentWithMaya];

/// An agent with the people around it. Clock and chance are the same on both engines, and so are the ids.
#[derive(Clone, PartialEq, Debug)]
struct Cast {
    agent: AgentId,
    operator: PrincipalId,
    maya: PrincipalId,
    noah: PrincipalId,
}

impl Cast {
    fn speaker(&self, role: Role) -> Speaker {
        match role {
            Role::Operator => Speaker::Operator,
            Role::Maya => Speaker::Principal(self.maya),
            Role::Noah => Speaker::Principal(self.noah),
            Role::Agent => Speaker::Agent(None),
            Role::AgentWithMaya => Speaker::Agent(Some(self.maya)),
        }
    }

    fn viewer(&self, role: Role) -> Viewer {
        match role {
            Role::Operator => Viewer::Operator(self.operator),
            Role::Maya => Viewer::Principal(self.maya),
            Role::Noah => Viewer::Principal(self.noah),
            Role::Agent => Viewer::Agent(None),
            Role::AgentWithMaya => Viewer::Agent(Some(self.maya)),
        }
    }
}

fn populate(bench: &Bench) -> Vec<Cast> {
    let cast = |name: &&str| {
        let agent = bench.agent(name);
        Cast {
            agent: agent.id,
            operator: agent.operator,
            maya: bench.principal(&agent, "maya"),
            noah: bench.principal(&agent, "noah"),
        }
    };
    AGENTS.iter().map(cast).collect()
}

#[derive(Debug)]
enum Act {
    Remember { content: String, private: bool },
    Forget(MemoryId),
    Recall { question: String, limit: usize },
}

#[derive(Debug)]
struct Step {
    agent: usize,
    role: Role,
    key: Option<&'static str>,
    act: Act,
}

fn sentence(dice: &mut Dice, longest: usize) -> String {
    let words: Vec<&str> = (0..1 + dice.below(longest)).map(|_| *dice.pick(&WORDS)).collect();
    words.join(" ")
}

fn draw(dice: &mut Dice, known: &[MemoryId]) -> Step {
    let act = match dice.below(10) {
        0..=4 => Act::Remember { content: sentence(dice, 6), private: dice.percent(25) },
        5..=6 if !known.is_empty() => Act::Forget(*dice.pick(known)),
        _ => Act::Recall { question: sentence(dice, 3), limit: *dice.pick(&[1, 3, 50]) },
    };
    Step {
        agent: dice.below(AGENTS.len()),
        role: *dice.pick(&ROLES),
        key: dice.percent(30).then(|| *dice.pick(&KEYS)),
        act,
    }
}

/// What is asked, as one text: what an idempotency key is bound to.
fn request(step: &Step) -> String {
    format!("{:?}", step.act)
}

/// An answer in words, so that two of them can be compared and shown.
fn answer(bench: &Bench, cast: &[Cast], step: &Step) -> Result<Answer, String> {
    let speaker = cast[step.agent].speaker(step.role);
    let access = bench.access(AGENTS[step.agent], speaker);
    let key = step.key.map(|key| Idempotency {
        key: key.into(),
        request: sha256(&[request(step).as_bytes()]),
        at: Time::from_micros(0),
    });
    match &step.act {
        Act::Remember { content, private } => {
            let mut draft = Draft::new(content.clone());
            draft.privacy = if *private { Privacy::Private } else { Privacy::Shared };
            access.remember(draft, key.as_ref()).map(|stored| Answer::Stored(stored.id))
        }
        Act::Forget(id) => {
            access.forget(*id, key.as_ref()).map(|done| Answer::Forgotten(format!("{done:?}")))
        }
        Act::Recall { question, limit } => {
            let question = Question { limit: Some(*limit), anyway: true, ..Question::new(question.clone()) };
            access.recall(&question).map(|found| {
                assert!(found.damaged.is_empty());
                let hit = |hit: Hit| (MemoryId::of(hit.found.id()), hit.fit, hit.score);
                Answer::Found(found.hits.into_iter().map(hit).collect())
            })
        }
    }
    .map_err(|error| failure(&error))
}

fn failure(error: &Error) -> String {
    format!("{:?}", error.class())
}

#[derive(Clone, PartialEq, Debug)]
enum Answer {
    Stored(MemoryId),
    Forgotten(String),
    /// With how well each fits and answers.
    Found(Vec<(MemoryId, f64, f64)>),
}

/// What the model makes of the step, given what the engines answered: ids are theirs to choose.
fn check_against_model(model: &mut Model, cast: &[Cast], step: &Step, answered: &Result<Answer, String>) {
    let agent = cast[step.agent].agent;
    let viewer = cast[step.agent].viewer(step.role);
    let writes = !matches!(step.act, Act::Recall { .. });
    let request = request(step);
    if let Some(key) = step.key.filter(|_| writes) {
        // What a key says comes after what can be seen without it: a memory that is not there has no key.
        let seen = match &step.act {
            Act::Forget(id) => model.would_forget(agent, *id, viewer),
            _ => Forgetting::Done,
        };
        let repetition = model.repetition(agent, viewer, key, &request);
        if matches!(seen, Forgetting::Done | Forgetting::Gone) && repetition != Repetition::New {
            let expected = match repetition {
                Repetition::Answered(reply) => reply,
                _ => format!("Err({:?})", format!("{:?}", Class::KeyReused)),
            };
            assert_eq!(format!("{answered:?}"), expected);
            return;
        }
    }
    match (&step.act, answered) {
        (Act::Remember { content, private }, Ok(Answer::Stored(id))) => {
            model.remember(agent, *id, content, *private, viewer);
        }
        (Act::Forget(id), answered) => {
            let expected = match model.forget(agent, *id, viewer) {
                Forgetting::Done => None,
                Forgetting::Gone => Some(Class::Gone),
                Forgetting::NoSuch => Some(Class::NotFound),
                Forgetting::Forbidden => Some(Class::Forbidden),
            };
            assert_eq!(answered.as_ref().err(), expected.map(|class| format!("{class:?}")).as_ref());
        }
        (Act::Recall { question, limit }, Ok(Answer::Found(found))) => {
            check_found(found, *limit, &model.fits(agent, question, viewer));
        }
        unexpected => panic!("{unexpected:?}"),
    }
    let stored =
        answered.is_ok() || matches!((&step.act, answered), (Act::Forget(_), Err(class)) if class == "Gone");
    if let Some(key) = step.key.filter(|_| writes && stored) {
        model.answered(agent, viewer, key, &request, &format!("{answered:?}"));
    }
}

/// Each fits as the model says, the best come first, and nothing that fits better was left out.
fn check_found(found: &[(MemoryId, f64, f64)], limit: usize, expected: &BTreeMap<MemoryId, f64>) {
    assert_eq!(found.len(), limit.min(expected.len()), "{found:?} but the model says {expected:?}");
    for (id, fit, score) in found {
        let modelled = expected.get(id).unwrap_or_else(|| panic!("{id} is not for this caller"));
        assert!((fit - modelled).abs() < 1e-9, "{fit} but the model says {modelled}");
        // What is liked more is lifted by at most so much.
        assert!((*fit..=fit * 1.2).contains(score), "{fit} became {score}");
    }
    assert!(found.is_sorted_by(|a, b| a.2 >= b.2), "{found:?}");
    let last = found.last().map_or(0.0, |(_, _, score)| *score);
    for (id, fit) in expected.iter().filter(|(id, _)| found.iter().all(|(found, _, _)| found != *id)) {
        assert!(*fit <= last, "{id} fits with {fit} and was left out");
    }
}

fn live(dice: &mut Dice) {
    let (sqlite, postgres) = (Bench::sqlite(), Bench::postgres());
    let cast = populate(&sqlite);
    assert_eq!(cast, populate(&postgres));
    let mut model = Model::default();
    let mut known = Vec::new();
    for number in 0..STEPS {
        let step = draw(dice, &known);
        let answers = [&sqlite, &postgres].map(|bench| answer(bench, &cast, &step));
        assert_eq!(answers[0], answers[1], "SQLite and PostgreSQL differ at step {number}: {step:?}");
        println!("{number}: {step:?} -> {:?}", answers[0]);
        check_against_model(&mut model, &cast, &step, &answers[0]);
        if let Ok(Answer::Stored(id)) = answers[0] {
            known.push(id);
        }
        if number % STATE_EVERY == STATE_EVERY - 1 {
            assert_eq!(sqlite.dump(), postgres.dump(), "the states differ after step {number}");
        }
    }
    for bench in [&sqlite, &postgres] {
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        for (name, cast) in AGENTS.iter().zip(&cast) {
            assert_eq!(bench.mind().agent_card(name).unwrap().memories, model.count(cast.agent) as u64);
        }
    }
}

#[test]
fn postgres_sqlite_and_the_model_live_the_same_life() {
    for_each_seed(20, |_, dice| live(dice));
}

//! The same misbehaving servers, and a whole mind that wants to think with them: what becomes of its work, what is on
//! record, what it costs, and that it thinks once the server is well again.

use crate::played::{Played, Reply};
use crate::thinkers::{Case, KEY, PRIVATE, answered, calls, cases, hasty_spec};
use selfsame::config::{Settings, ThinkerKind};
use selfsame::contemplation::{Contemplated, CycleRecord};
use selfsame::ports::{
    Desk, Fault, FaultKind, Prompt, Thinker, Thinkers, Thought, ToolAnswer, ToolCard, WorkKind,
};
use selfsame::status::ThinkingCounts;
use selfsame::time::Clock;
use selfsame::work::{Attempt, Item};
use selfsame::{Access, Mind, Speaker};
use selfsame_daemon::thinkers::{HouseTools, Provider, ThinkerSpec, thinker_with_clock};
use selfsame_testkit::{Bench, both_engines};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a day may cost each of them: more than any single answer that nobody counts but us.
const BUDGET: u64 = 1_000_000;
/// What the server says that each answer of the greedy one cost.
const GREED: u64 = 400_000;
/// How long who does not dawdle may take, at most.
const PATIENCE: Duration = Duration::from_secs(10);
const LEASE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// Far beyond any limit that is set: what takes longer hangs. A slow machine does not.
const HANGS: Duration = Duration::from_secs(20);

const EPISODE: &str = r#"[EPISODE_JSON]{"type":"contemplation","trigger":"idle","observations":["It is well again"],
"actions_taken":[],"tools_used":[],"outcome":{"result":"noticed","summary":"The server is well again."},"success":true,
"mood":{"state":"calm","energy":"low"},"valence":0.2,"arousal":0.1,"identity_links":[]}[/EPISODE_JSON]"#;

/// A server that does what its case says until it is well.
struct Patient {
    name: &'static str,
    expected: Result<&'static str, FaultKind>,
    server: Played,
    thinker: Arc<Counting>,
}

/// A thinker whose exchanges are counted one by one.
struct Counting {
    /// While the server is not well, and after.
    models: [Arc<dyn Thinker>; 2],
    is_well: Arc<AtomicBool>,
    costs: Mutex<Vec<u64>>,
}

impl Thinker for Counting {
    fn name(&self) -> &str {
        self.models[0].name()
    }

    fn model(&self) -> Option<&str> {
        self.models[0].model()
    }

    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        self.models[usize::from(self.is_well.load(Ordering::SeqCst))]
            .think(prompt, &CountingDesk { desk, costs: &self.costs })
    }
}

struct CountingDesk<'d> {
    desk: &'d dyn Desk,
    costs: &'d Mutex<Vec<u64>>,
}

impl Desk for CountingDesk<'_> {
    fn tools(&self) -> Vec<ToolCard> {
        self.desk.tools()
    }

    fn call(&self, tool: &str, arguments: &str) -> ToolAnswer {
        self.desk.call(tool, arguments)
    }

    fn spent(&self, tokens: u64) -> Result<(), Fault> {
        self.costs.lock().unwrap().push(tokens);
        self.desk.spent(tokens)
    }

    fn time_left(&self) -> Duration {
        self.desk.time_left()
    }
}

/// Each agent has the thinker of its case.
struct ByName(BTreeMap<String, Arc<Counting>>);

impl Thinkers for ByName {
    fn thinker(&self, agent: &str, _work: WorkKind) -> Result<Arc<dyn Thinker>, Fault> {
        Ok(Arc::<Counting>::clone(&self.0[agent]))
    }
}

/// What is expected here: who goes on calling tools is stopped by the budget of the day.
fn all_cases() -> Vec<Case> {
    let greedy = |at: usize| {
        let mut answer = calls(Provider::OpenAi, &[("recall", json!({"query": format!("sofa {at}")}))]);
        answer["usage"] = json!({"prompt_tokens": GREED - 1, "completion_tokens": 1, "total_tokens": GREED});
        Reply::json(200, &answer)
    };
    let mut cases = cases();
    cases.push(Case {
        name: "one costly call after the other",
        provider: Provider::OpenAi,
        replies: (0..20).map(greedy).collect(),
        expected: Err(FaultKind::Budget),
    });
    cases
}

impl Patient {
    fn of(case: Case, is_well: &Arc<AtomicBool>, clock: &Arc<dyn Clock>) -> Patient {
        let Case { name, provider, replies, expected } = case;
        let well = Arc::clone(is_well);
        let server = Played::by(move |before, _| match well.load(Ordering::SeqCst) {
            true => answered(provider, EPISODE),
            false => replies[before.min(replies.len() - 1)].clone(),
        });
        let patient = ThinkerSpec { timeout: PATIENCE, ..hasty_spec(provider, &server.url()) };
        let patient = ThinkerSpec { idle: PATIENCE, ..patient };
        // A busy machine is slow too: only who is expected to be has little time, and enough for the question to arrive.
        let hasty = hasty_spec(provider, &server.url());
        let first = match expected {
            Err(FaultKind::TooSlow) => {
                ThinkerSpec { timeout: 4 * hasty.timeout, idle: 4 * hasty.idle, ..hasty }
            }
            _ => patient.clone(),
        };
        let models = [first, patient].map(|spec| thinker_with_clock(&spec, Arc::clone(clock)).unwrap());
        let thinker = Arc::new(Counting { models, is_well: Arc::clone(is_well), costs: Mutex::default() });
        Patient { name, expected, server, thinker }
    }
}

struct Ward {
    mind: Mind,
    patients: Vec<Patient>,
    is_well: Arc<AtomicBool>,
}

/// An agent's name.
fn named(at: usize) -> String {
    format!("case-{at}")
}

impl Ward {
    fn open(bench: &Bench) -> Ward {
        let (is_well, clock) = (Arc::<AtomicBool>::default(), bench.shared_clock());
        let patients: Vec<Patient> =
            all_cases().into_iter().map(|case| Patient::of(case, &is_well, &clock)).collect();
        let mut settings = Settings::default();
        settings.thinker.kind = ThinkerKind::Model;
        settings.thinker.daily_tokens = BUDGET;
        settings.contemplation.budget_tokens = 500;
        settings.contemplation.per_hour_all = 1000;
        let tools = HouseTools::new(&settings).unwrap();
        let by_name = patients.iter().enumerate().map(|(at, one)| (named(at), Arc::clone(&one.thinker)));
        let by_name = ByName(by_name.collect());
        let mind =
            bench.open_as(settings, |opening| opening.thinkers(Arc::new(by_name)).toolbox(Arc::new(tools)));
        for at in 0..patients.len() {
            mind.ensure_agent(&named(at)).unwrap();
        }
        Ward { mind, patients, is_well }
    }

    fn access(&self, at: usize) -> Access<'_> {
        self.mind.access(&named(at), Speaker::Operator).unwrap()
    }

    /// The piece of work of an agent, and what was tried.
    fn record(&self, at: usize) -> (Item, Vec<Attempt>) {
        let item = self.access(at).work(1).unwrap().remove(0);
        let (item, attempts, _) = self.access(at).work_record(item.id).unwrap().unwrap();
        (item, attempts)
    }

    fn last_cycle(&self, at: usize) -> CycleRecord {
        self.access(at).cycles(1).unwrap().remove(0)
    }

    /// Everybody thinks once. Each waits most of the time, so they wait together; says what hung.
    fn think(&self) -> Vec<Contemplated> {
        std::thread::scope(|scope| {
            let one = |at: usize| {
                let began = Instant::now();
                let came = self.access(at).contemplate().unwrap_or_else(|error| {
                    panic!("{}: {error}", self.patients[at].name);
                });
                assert!(began.elapsed() < HANGS, "{} hung", self.patients[at].name);
                came
            };
            let running: Vec<_> = (0..self.patients.len()).map(|at| scope.spawn(move || one(at))).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        })
    }

    /// What is on record of the first attempt is what came of it, with a reason that tells nobody's words.
    fn look_at_record(&self, at: usize, came: &Contemplated) {
        let Patient { name, expected, server, .. } = &self.patients[at];
        let (item, attempts) = self.record(at);
        let [attempt] = attempts.as_slice() else { panic!("{name}: {attempts:?}") };
        assert!(attempt.ended_at.is_some() && !server.seen().is_empty(), "{name}: {attempt:?}");
        let outcome = attempt.outcome.as_deref().unwrap();
        match expected {
            Ok(said) => {
                let Contemplated::Episode(episode) = came else { panic!("{name}: {came:?}") };
                assert_eq!((outcome, episode.said.as_str()), ("done", *said), "{name}");
            }
            Err(kind) => {
                assert!(matches!(came, Contemplated::Failed { .. }), "{name}: {came:?}");
                assert_eq!(outcome, kind.as_str(), "{name}: {attempt:?}");
                let reason = attempt.reason.as_deref().unwrap();
                assert!(reason.len() > 10 && item.reason.as_deref() == Some(reason), "{name}: {item:?}");
                assert!(!reason.contains(KEY) && !reason.contains(PRIVATE), "{name}: {reason}");
            }
        }
    }

    /// Within the budget, and what the last exchange went over it.
    fn look_at_purse(&self, at: usize) {
        let Patient { name, thinker, .. } = &self.patients[at];
        let costs = thinker.costs.lock().unwrap().clone();
        let spent = self.access(at).spent_today().unwrap();
        let (sum, last) = (costs.iter().sum::<u64>(), costs.last().copied().unwrap_or_default());
        assert_eq!(spent.tokens.unsigned_abs(), sum, "{name}: {costs:?}");
        assert!(sum - last < BUDGET, "{name}: asked on after the budget was gone: {costs:?}");
    }

    /// What became of the first piece of work: it is done once, or it was given up with a reason.
    fn look_at_end(&self, at: usize) -> usize {
        let Patient { name, expected, .. } = &self.patients[at];
        let (item, attempts) = self.record(at);
        let (episodes, cycle) = (self.access(at).episodes(None, 10).unwrap().len(), self.last_cycle(at));
        let is_given_up = *expected == Err(FaultKind::Misconfigured);
        match is_given_up {
            true => {
                assert_eq!((cycle.outcome.as_str(), episodes, attempts.len()), ("failed", 0, 1), "{name}");
                assert!(cycle.reason.is_some() && cycle.reason == item.reason, "{name}: {cycle:?}");
            }
            false => {
                let tries = if expected.is_ok() { 1 } else { 2 };
                assert_eq!((cycle.outcome.as_str(), episodes, attempts.len()), ("done", 1, tries), "{name}");
                assert_eq!(attempts.last().unwrap().outcome.as_deref(), Some("done"), "{name}");
            }
        }
        usize::from(is_given_up)
    }

    fn counts(&self) -> ThinkingCounts {
        let agents = self.mind.status().unwrap().agents;
        agents.iter().fold(ThinkingCounts::default(), |all, agent| ThinkingCounts {
            dead: all.dead + agent.thinking.dead,
            parked: all.parked + agent.thinking.parked,
        })
    }
}

both_engines! {
    fn whatever_a_server_does_a_mind_loses_no_thought_over_it(bench: Bench) {
        let ward = Ward::open(&bench);
        let all = ward.patients.len();
        assert!(all >= 40, "{all} cases");
        let came = ward.think();
        for (at, came) in came.iter().enumerate() {
            ward.look_at_record(at, came);
            ward.look_at_purse(at);
        }
        let expected = |wanted: FaultKind| {
            ward.patients.iter().filter(|one| one.expected == Err(wanted)).count() as u64
        };
        let given_up = expected(FaultKind::Misconfigured);
        let stuck = ThinkingCounts { dead: given_up, parked: expected(FaultKind::Budget) };
        assert!(stuck.dead > 5 && stuck.parked == 1, "{stuck:?}");
        assert_eq!(ward.counts(), stuck, "and the status says so");
        // Well again: after a day there is a budget too.
        ward.is_well.store(true, Ordering::SeqCst);
        for _ in 0..13 {
            bench.clock().advance(2 * HOUR);
            while !ward.mind.work_step(LEASE).unwrap().worked.is_empty() {}
        }
        let dead: usize = (0..all).map(|at| ward.look_at_end(at)).sum();
        assert_eq!(dead as u64, given_up);
        assert_eq!(ward.counts(), ThinkingCounts { dead: given_up, parked: 0 });
        // Who was given up thinks at its next turn.
        let at = ward.patients.iter().position(|one| one.expected == Err(FaultKind::Misconfigured)).unwrap();
        assert!(matches!(ward.access(at).contemplate().unwrap(), Contemplated::Episode(_)));
        bench.clock().advance(8 * 24 * HOUR);
        assert_eq!(ward.counts(), ThinkingCounts::default(), "what is long past is no trouble any more");
    }
}

//! Random lives of beliefs: whatever is said, judged, forgotten and interrupted, in whatever order and at whatever time,
//! the rules of knowledge hold.

use crate::entity::add;
use crate::knowledge::{say, step};
use selfsame::id::{EvidenceId, MemoryId, ObservationId, PrincipalId};
use selfsame::knowledge::{Belief, BeliefQuery, Judgement, Retraction};
use selfsame::memory::Draft;
use selfsame::{Access, Engine, Speaker};
use selfsame_core::knowledge::{Stance, Status};
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, Trap, both_engines};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const NAMES: [&str; 3] = ["Maya", "Jonas", "Zoe"];
const VALUES: [&str; 4] = ["PostgreSQL", "SQLite", "MySQL", "DuckDB"];
const CITIES: [&str; 3] = ["Ghent", "Turin", "Oslo"];

/// Something that somebody says.
#[derive(Clone, Debug)]
struct Saying {
    by: usize,
    source: Option<&'static str>,
    words: String,
}

fn saying(dice: &mut Dice) -> Saying {
    let (name, one, other) = (dice.pick(&NAMES), dice.pick(&VALUES), dice.pick(&VALUES));
    let words = match dice.below(8) {
        0..=2 => format!("{name} prefers {one}"),
        3 => format!("{name} switched from {other} to {one}"),
        4 => format!("{name} no longer uses {one}"),
        5 => format!("{name} lives in {}", dice.pick(&CITIES)),
        6 => format!("{name} likes {}", dice.pick(&["chess", "tea", "rain"])),
        // No rule reads it, but it touches what is believed of where somebody lives.
        _ => format!("What a residence, thought {name} in {}", dice.pick(&CITIES)),
    };
    let source = *dice.pick(&[None, None, Some("letter"), Some("export"), Some("call 7")]);
    Saying { by: dice.below(3), source, words }
}

struct Stage {
    bench: Bench,
    jonas: PrincipalId,
    memories: Vec<MemoryId>,
    /// How much evidence each observation has had at most, with what was forgotten.
    evidence: BTreeMap<ObservationId, u64>,
}

impl Stage {
    fn new(bench: Bench) -> Stage {
        let agent = bench.agent("main");
        let jonas = bench.principal(&agent, "visitor");
        // Known from the start, so that ids do not depend on who is read of first.
        for name in NAMES {
            add(&bench.main(), name, &[]);
        }
        Stage { bench, jonas, memories: Vec::new(), evidence: BTreeMap::new() }
    }

    fn access(&self, by: usize) -> Access<'_> {
        let speaker = [Speaker::Operator, Speaker::Principal(self.jonas), Speaker::Agent(None)][by];
        self.bench.access("main", speaker)
    }

    fn say(&mut self, saying: &Saying) {
        let draft = Draft { source: saying.source.map(Into::into), ..Draft::new(saying.words.clone()) };
        let id = self.access(saying.by).remember(draft, None).unwrap().id;
        self.memories.push(id);
    }

    fn all(&self) -> Vec<Belief> {
        let query = BeliefQuery { history: true, limit: 200, ..BeliefQuery::default() };
        self.bench.main().know(&query).unwrap().beliefs
    }

    fn held(&self) -> Vec<Belief> {
        self.all().into_iter().filter(|belief| belief.status.is_held()).collect()
    }

    /// Somebody does something to what is believed.
    fn disturb(&mut self, dice: &mut Dice) {
        match dice.below(8) {
            0 if !self.memories.is_empty() => {
                let id = self.memories.swap_remove(dice.below(self.memories.len()));
                // It may be gone already: twins are one memory.
                let _ = self.bench.main().forget(id, None);
            }
            1 => {
                let source = (*dice.pick(&["letter", "export", "call 7"])).to_owned();
                let retraction = Retraction { source, dry_run: dice.percent(30) };
                // There may be nothing from there.
                let _ = self.bench.main().retract(&retraction, None);
            }
            2 => self.step(),
            3 => self.interrupt(dice),
            _ => self.judge(dice),
        }
    }

    fn judge(&self, dice: &mut Dice) {
        let held = self.held();
        if held.is_empty() {
            return;
        }
        let id = dice.pick(&held).observation.id;
        let correct = Judgement::Correct((*dice.pick(&VALUES)).to_owned());
        let judgement =
            dice.pick(&[Judgement::Confirm, Judgement::Useful, Judgement::Wrong, correct]).clone();
        self.access(dice.below(3)).feedback(id, &judgement, None).unwrap();
    }

    fn step(&self) {
        step(&self.bench);
    }

    /// A process that dies in the midst of reading.
    fn interrupt(&self, dice: &mut Dice) {
        let point = *dice.pick(&["write.begun", "write.applied", "write.committed"]);
        let trap = Trap::fail(point).armed(1);
        let dying = self.bench.open_with(|options| options.faults = trap.faults());
        let _ = dying.access("main", Speaker::Operator).unwrap().consolidate();
    }

    /// What must hold at every moment.
    fn check(&mut self) {
        let all = self.all();
        let mut held: BTreeMap<&str, usize> = BTreeMap::new();
        let values: BTreeMap<ObservationId, &str> =
            all.iter().map(|belief| (belief.observation.id, belief.observation.value.as_str())).collect();
        for belief in &all {
            let row = &belief.observation;
            if belief.status.is_held() {
                *held.entry(&row.key).or_default() += 1;
            }
            if let Some(before) = row.supersedes {
                assert_ne!(values[&before], row.value, "{} takes its own place", row.summary);
            }
            assert!((0.0..=1.0).contains(&belief.confidence));
        }
        assert!(held.values().all(|count| *count == 1), "{held:?}");
        for belief in &all {
            self.check_evidence(belief);
        }
        assert_eq!(self.bench.mind().verify().unwrap().problems, [""; 0]);
        let once = self.bench.dump();
        self.bench.main().consolidate().unwrap();
        assert_eq!(self.bench.dump(), once, "consolidating again changes nothing");
    }

    fn check_evidence(&mut self, belief: &Belief) {
        let id = belief.observation.id;
        let why = self.bench.main().why(id).unwrap().unwrap();
        let mut ids: BTreeSet<EvidenceId> = BTreeSet::new();
        let mut origins = BTreeSet::new();
        for piece in &why.evidence {
            assert!(ids.insert(piece.evidence.id));
            if piece.evidence.stance == Stance::Support && piece.evidence.withdrawn_at.is_none() {
                origins.extend(piece.evidence.piece.origins.iter().copied());
            }
        }
        let now = why.evidence.len() as u64 + why.forgotten;
        let before = self.evidence.insert(id, now).unwrap_or_default();
        assert!(now >= before, "evidence of {} vanished", belief.observation.summary);
        if belief.status.is_held() {
            assert!(!origins.is_empty(), "{} rests on nothing", belief.observation.summary);
            let counted = belief.observation.standing.components.inputs.sources as usize;
            assert_eq!(counted, origins.len(), "{}", belief.observation.summary);
        }
        let last = why.changes.last().unwrap();
        assert_eq!(
            (last.to, last.confidence),
            (belief.status, belief.confidence),
            "{}",
            belief.observation.summary
        );
    }

    /// What is believed, in words that do not depend on when it was worked out.
    fn portrait(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.all().iter().map(|belief| self.line(belief)).collect();
        lines.sort();
        lines
    }

    fn line(&self, belief: &Belief) -> String {
        let why = self.bench.main().why(belief.observation.id).unwrap().unwrap();
        let pieces: Vec<String> = why
            .evidence
            .iter()
            .map(|piece| {
                format!(
                    "{:?} {} {:.6}",
                    piece.evidence.stance, piece.evidence.excerpt, piece.evidence.piece.weight
                )
            })
            .collect();
        let changes: Vec<String> = why
            .changes
            .iter()
            .map(|change| {
                // Every look at the clock moves it by a microsecond.
                let second = change.at.micros() / 1_000_000;
                format!("{second} {:?} {:.6} {}", change.to, change.confidence, change.reason)
            })
            .collect();
        let row = &belief.observation;
        let contested = if belief.contested { "contested" } else { "" };
        format!("{} = {} {:?} {contested} {pieces:?} {changes:?}", row.key, row.value, belief.status)
    }
}

both_engines! {
    fn the_rules_hold_in_any_history(bench: Bench) {
        let engine = bench.engine();
        drop(bench);
        let (fresh, usual): (fn() -> Bench, u64) = match engine {
            Engine::Sqlite => (Bench::sqlite, 6),
            Engine::Postgres => (Bench::postgres, 2),
        };
        for_each_seed(usual, |_, dice| {
            let bench = fresh();
            let mut stage = Stage::new(bench);
            for turn in 0..60 {
                let said = saying(dice);
                stage.say(&said);
                stage.bench.clock().advance(HOUR * u32::try_from(dice.below(60)).unwrap());
                if dice.percent(40) {
                    stage.disturb(dice);
                }
                if turn % 6 == 5 {
                    stage.check();
                }
            }
            let statuses: BTreeSet<Status> = stage.all().iter().map(|belief| belief.status).collect();
            assert!(statuses.len() >= 2, "a dull life: {statuses:?}");
        });
    }
}

/// Read at once, in many goes, or interrupted at every go: it is the same.
#[test]
fn how_much_is_read_at_once_makes_no_difference() {
    for_each_seed(8, |_, dice| {
        let mut stages =
            [Stage::new(Bench::sqlite()), Stage::new(Bench::sqlite()), Stage::new(Bench::sqlite())];
        for _ in 0..50 {
            let said = saying(dice);
            let pause = HOUR * u32::try_from(dice.below(100)).unwrap();
            for (which, stage) in stages.iter_mut().enumerate() {
                stage.say(&said);
                if which == 1 || which == 2 && dice.percent(30) {
                    stage.bench.main().consolidate().unwrap();
                }
                stage.bench.clock().advance(pause);
            }
            stages[2].interrupt(dice);
        }
        let portraits: Vec<Vec<String>> = stages.iter().map(Stage::portrait).collect();
        for other in &portraits[1..] {
            for (one, other) in portraits[0].iter().zip(other) {
                assert_eq!(one, other);
            }
            assert_eq!(portraits[0].len(), other.len());
        }
    });
}

/// Two processes on one server that read for the same agent at once: each question has one active answer, and nothing is
/// read twice.
#[test]
fn two_processes_read_for_one_agent() {
    let bench = Bench::postgres();
    bench.agent("main");
    let minds = [bench.open_with(|_| {}), bench.open_with(|_| {})];
    let scheduler = selfsame::jobs::scheduler(bench.mind().settings());
    bench.mind().ensure_house_duties().unwrap();
    let mut dice = Dice::new(7);
    for round in 0..6 {
        for _ in 0..25 {
            let said = saying(&mut dice);
            say(&bench.main(), &format!("{} in round {round}", said.words));
            say(&bench.main(), &said.words);
        }
        bench.clock().advance(HOUR);
        std::thread::scope(|scope| {
            for mind in &minds {
                scope.spawn(|| {
                    scheduler.step(mind).unwrap();
                    mind.access("main", Speaker::Operator).unwrap().consolidate().unwrap();
                });
            }
        });
    }
    let mut stage_evidence = BTreeSet::new();
    let query = BeliefQuery { history: true, limit: 200, ..BeliefQuery::default() };
    let all = bench.main().know(&query).unwrap().beliefs;
    let mut active: BTreeMap<String, usize> = BTreeMap::new();
    for belief in &all {
        if belief.status == Status::Active {
            *active.entry(belief.observation.key.clone()).or_default() += 1;
        }
        for piece in bench.main().why(belief.observation.id).unwrap().unwrap().evidence {
            let once = (belief.observation.id, piece.evidence.source, piece.evidence.piece.origins.clone());
            assert!(
                stage_evidence.insert((once, piece.evidence.excerpt)),
                "read twice: {}",
                belief.observation.summary
            );
        }
    }
    assert!(active.len() > 5 && active.values().all(|count| *count == 1), "{active:?}");
    assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
}

//! A fortnight of thinking, three agents, under a clock that jumps from one moment at which something is due to the next.
//! What should have happened is worked out here from the script alone, by the rules as they are written for people.

use crate::contemplation::told;
use crate::conversation::say;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::conversation::{OpenRequest, Place};
use selfsame::inbox::Status;
use selfsame::ports::{Desk, Fault, Prompt, Thinker, Thinkers, Thought, WorkKind};
use selfsame::time::{Clock, Time};
use selfsame::{Access, Class, Mind, Speaker, jobs};
use selfsame_store::contemplation::cycles::{self, Cycle};
use selfsame_store::work::spend;
use selfsame_testkit::Bench;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;
const LEASE: Duration = Duration::from_secs(60);

const BUDGET: u64 = 200_000;
/// What an exchange costs, but on the day on which everything is dear.
const COST: u64 = 2_000;
const DEAR_DAY: u64 = 4;
const DEAR_COST: u64 = 10_000;

/// From the start of the fortnight, as all times here.
const fn on(day: u64, hour: u64, minute: u64, second: u64) -> u64 {
    (day - 1) * DAY + hour * HOUR + minute * MINUTE + second
}

const AGENTS: [Person; 3] = [
    Person { name: "main", family: false, zone: "UTC", ahead: 0 },
    Person { name: "aunt", family: true, zone: "UTC", ahead: 0 },
    Person { name: "uncle", family: true, zone: "Europe/Berlin", ahead: HOUR },
];

struct Person {
    name: &'static str,
    family: bool,
    zone: &'static str,
    /// Its clock before that of the fortnight, which has no change of clocks in it.
    ahead: u64,
}

/// All of them think from eight in the morning until ten in the evening.
const ACTIVE: (u64, u64) = (8, 22);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Happens {
    /// Somebody writes to an agent.
    Message(&'static str, &'static str),
    /// A host says that it runs an agent for so long.
    Run(&'static str, u64),
    /// The operator wants an agent to think now.
    Asked(&'static str),
}

/// What happens when.
fn script() -> Vec<(u64, Happens)> {
    use Happens::{Asked, Message, Run};
    let mut all = vec![
        (on(1, 9, 14, 37), Message("main", "I prefer green tea over coffee.")),
        (on(1, 13, 2, 11), Message("main", "We decided to move the launch to May.")),
        (on(1, 16, 44, 5), Run("main", 47 * MINUTE + 20)),
        (on(2, 7, 59, 31), Message("aunt", "Good morning, how was the garden?")),
        (on(3, 8, 29, 50), Run("main", 10 * MINUTE)),
        (on(3, 8, 44, 50), Message("main", "I prefer the window seat on trains.")),
        (on(3, 12, 0, 17), Message("main", "Here is something new for you.")),
        (on(4, 6, 55, 20), Run("uncle", 25 * MINUTE)),
        (on(5, 11, 3, 43), Message("main", "We decided to paint the fence in June.")),
        (on(12, 20, 10, 9), Message("main", "I prefer short meetings.")),
        (on(13, 8, 0, 41), Message("uncle", "I prefer the early train.")),
    ];
    // Thirteen in one hour: the last is one too many.
    all.extend((0..13).map(|n| (on(2, 14, 2 + 3 * n, 13), Asked("main"))));
    all.extend((7..14).map(|day| (on(day, 18, 21, 3), Message("main", "Just saying hello."))));
    all.sort_by_key(|(at, _)| *at);
    all
}

/// The daemon does not run from .. until.
const ASLEEP: (u64, u64) = (on(6, 9, 10, 29), on(6, 14, 20, 29));

/// What an agent's thinker says to its `n`-th time of thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Says {
    Something,
    TheSame,
    Rests,
    JustWords,
}

fn says(n: u64, at: u64) -> Says {
    match (n % 11, at) {
        (_, at) if (on(3, 10, 0, 0)..on(3, 12, 0, 0)).contains(&at) => Says::TheSame,
        (4, _) => Says::Rests,
        (9, _) => Says::JustWords,
        _ => Says::Something,
    }
}

fn cost(at: u64) -> u64 {
    if at / DAY + 1 == DEAR_DAY { DEAR_COST } else { COST }
}

const EARLY_LESSON: &str = "Read the boiler log before asking twice.";
const LATE_LESSON: &str = "Ask Maya before a date is moved.";
/// From this time of thinking on another lesson is learned.
const LATER: u64 = 60;

fn lesson_of(n: u64) -> Option<&'static str> {
    match n {
        n if n < LATER && n % 3 == 0 => Some(EARLY_LESSON),
        n if n >= LATER && n % 3 == 1 => Some(LATE_LESSON),
        _ => None,
    }
}

// What the thinker does ------------------------------------------------------------------------------------------------

struct Scripted {
    clock: Arc<dyn Clock>,
    start: Time,
    thought: AtomicU64,
    prompts: Mutex<Vec<(u64, String)>>,
}

impl Scripted {
    fn now(&self) -> u64 {
        self.clock.now().since(self.start).as_secs()
    }

    fn reply(&self, prompt: &Prompt, at: u64) -> String {
        let n = self.thought.load(Ordering::Relaxed);
        let lesson = lesson_of(n).map(|lesson| format!(r#","lesson":"{lesson}""#)).unwrap_or_default();
        let told = match says(n, at) {
            Says::Something => told(&format!("Thought number {n} about the boiler."), &lesson),
            Says::TheSame => told("The very same thought.", ""),
            Says::Rests => told("Rested.", "").replace(r#""type":"contemplation""#, r#""type":"rest""#),
            Says::JustWords => format!("Words {n}, and no account of them."),
        };
        format!("{told}\n[INBOX_JSON][{}][/INBOX_JSON]", verdicts(&prompt.material))
    }
}

/// What is preferred is worth keeping, and what was decided is not.
fn verdicts(material: &str) -> String {
    let verdict = |line: &str| {
        let id =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| word.starts_with("can_"))?;
        let decision = if line.contains("prefer") { "promote" } else { "reject" };
        Some(format!(r#"{{"id":"{id}","decision":"{decision}"}}"#))
    };
    material.lines().filter_map(verdict).collect::<Vec<_>>().join(",")
}

impl Thinker for Scripted {
    fn name(&self) -> &str {
        "model"
    }

    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        let at = self.now();
        let learns = prompt.instructions.contains("LESSONS_JSON");
        let text = match learns {
            true => "[LESSONS_JSON]\n[]\n[/LESSONS_JSON]".to_owned(),
            false => self.reply(prompt, at),
        };
        desk.spent(cost(at))?;
        if !learns {
            self.thought.fetch_add(1, Ordering::Relaxed);
            self.prompts.lock().unwrap().push((at, prompt.material.clone()));
        }
        Ok(Thought { text, model: None })
    }
}

struct EachItsOwn(BTreeMap<&'static str, Arc<Scripted>>);

impl Thinkers for EachItsOwn {
    fn thinker(&self, agent: &str, _work: WorkKind) -> Result<Arc<dyn Thinker>, Fault> {
        Ok(Arc::<Scripted>::clone(&self.0[agent]))
    }
}

// What should happen ---------------------------------------------------------------------------------------------------

/// A time of thinking or a reason for none, as often as it came in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Record {
    at: u64,
    outcome: &'static str,
    reason: String,
    count: i64,
}

#[derive(Default)]
struct Expected {
    records: Vec<Record>,
    spent: BTreeMap<u64, u64>,
    episodes: u64,
    streak: u64,
    fast: u64,
    begun: Vec<u64>,
    next: u64,
    /// What was said last, the newest last.
    said: Vec<String>,
    held: Option<u64>,
    /// A time of thinking that waits for another day's budget.
    parked: Option<u64>,
    /// A batch of so many episodes that waits for it.
    parked_batch: Option<(u64, u64)>,
    unlearned: u64,
}

struct Rules<'r> {
    person: &'r Person,
    script: &'r [(u64, Happens)],
    until: u64,
}

impl Rules<'_> {
    fn messages(&self) -> impl Iterator<Item = u64> {
        self.script.iter().filter_map(|(at, what)| match what {
            Happens::Message(to, _) if *to == self.person.name => Some(*at),
            _ => None,
        })
    }

    fn is_busy(&self, now: u64) -> bool {
        self.script.iter().any(|(at, what)| match what {
            Happens::Run(whose, long) => *whose == self.person.name && (*at..at + long).contains(&now),
            _ => false,
        })
    }

    fn interval(&self, streak: u64) -> u64 {
        match (self.person.family, streak) {
            (true, _) => DAY,
            (false, 0..3) => 30 * MINUTE,
            (false, _) => 15 * MINUTE,
        }
    }

    fn day(&self, now: u64) -> u64 {
        (now + self.person.ahead) / DAY
    }

    fn tomorrow(&self, now: u64) -> u64 {
        (self.day(now) + 1) * DAY - self.person.ahead
    }

    /// When the hours begin next, if it is not their time.
    fn outside_until(&self, now: u64) -> Option<u64> {
        let hour = (now + self.person.ahead) % DAY / HOUR;
        let today = self.day(now) * DAY + ACTIVE.0 * HOUR - self.person.ahead;
        match hour {
            hour if hour < ACTIVE.0 => Some(today),
            hour if hour >= ACTIVE.1 => Some(today + DAY),
            _ => None,
        }
    }

    fn expected(&self) -> Expected {
        let mut life = Expected { next: self.interval(0), ..Expected::default() };
        let asks = self.script.iter().filter(|(_, what)| *what == Happens::Asked(self.person.name));
        let mut asks = asks.map(|(at, _)| *at).peekable();
        loop {
            let due = [Some(life.next), life.parked, life.parked_batch.map(|(at, _)| at)];
            let due = due.into_iter().flatten().min().unwrap();
            // What falls due while the daemon is down waits for it, and is looked at once.
            let due = if (ASLEEP.0..ASLEEP.1).contains(&due) { ASLEEP.1 } else { due };
            let asked = asks.peek().copied().filter(|asked| *asked < due);
            let now = asked.unwrap_or(due);
            if now >= self.until {
                return life;
            }
            if asked.is_some() {
                asks.next();
                self.asked(&mut life, now);
                continue;
            }
            if life.next <= now {
                self.look(&mut life, now);
            }
            self.unpark(&mut life, now);
        }
    }

    fn asked(&self, life: &mut Expected, now: u64) {
        match life.free_again(now) {
            Some(_) => life.skip(now, "it thought often enough in the last hour"),
            None => self.begin(life, now),
        }
    }

    fn look(&self, life: &mut Expected, now: u64) {
        let soon = now + MINUTE;
        let wrote = self.messages().filter(|at| *at <= now).last();
        let is_new = life.held.is_none_or(|since| wrote.is_some_and(|at| at > since));
        let (reason, next) = if life.spent_on(self.day(now)) >= BUDGET {
            let reason =
                format!("today's {BUDGET} tokens are spent: raise thinker.daily_tokens if that is too few");
            life.skip(now, &reason);
            life.next = self.tomorrow(now);
            return;
        } else if life.parked.is_some() {
            ("the last time of thinking is not over", soon)
        } else if let Some(start) = self.outside_until(now) {
            ("outside its active hours", start)
        } else if let Some(free) = life.free_again(now) {
            ("it thought often enough in the last hour", free)
        } else if self.is_busy(now) {
            ("it is busy", soon)
        } else if wrote.is_some_and(|at| now - at < 180) {
            ("somebody wrote a moment ago", soon)
        } else if !is_new {
            ("it repeated itself, and nothing is new", soon)
        } else {
            return self.begin(life, now);
        };
        life.skip(now, reason);
        life.next = next;
    }

    fn begin(&self, life: &mut Expected, now: u64) {
        life.begun.push(now);
        life.held = None;
        life.next = now + self.interval(life.streak);
        life.fast += u64::from(!self.person.family && life.streak >= 3);
        life.records.push(Record { at: now, outcome: "done", reason: String::new(), count: 1 });
        self.think(life, now);
    }

    fn think(&self, life: &mut Expected, now: u64) {
        if !life.spend(self.day(now), cost(now)) {
            life.parked = Some(self.tomorrow(now));
            return;
        }
        life.parked = None;
        let n = life.episodes;
        let says = says(n, now);
        life.episodes += 1;
        life.streak = if matches!(says, Says::Something | Says::TheSame) { life.streak + 1 } else { 0 };
        life.said.push(if says == Says::TheSame { "the same".to_owned() } else { n.to_string() });
        if life.said.iter().rev().take(3).filter(|said| *said == "the same").count() == 3 {
            life.held = Some(now);
            life.said.clear();
        }
        let usual = life.begun.last().unwrap() + self.interval(life.streak);
        life.next = if usual > now { usual } else { now + MINUTE };
        life.unlearned += 1;
        self.learn(life, now);
    }

    /// Five episodes that nobody learned from are a batch, and looking through it is an exchange of its own.
    fn learn(&self, life: &mut Expected, now: u64) {
        if life.unlearned >= 5 && life.parked_batch.is_none() {
            match life.spend(self.day(now), cost(now)) {
                true => life.unlearned = 0,
                false => life.parked_batch = Some((self.tomorrow(now), life.unlearned)),
            }
        }
    }

    fn unpark(&self, life: &mut Expected, now: u64) {
        if life.parked.is_some_and(|at| at <= now) {
            self.think(life, now);
        }
        if let Some((_, batch)) = life.parked_batch.filter(|(at, _)| *at <= now) {
            assert!(life.spend(self.day(now), cost(now)));
            (life.parked_batch, life.unlearned) = (None, life.unlearned - batch);
            self.learn(life, now);
        }
    }
}

impl Expected {
    fn skip(&mut self, at: u64, reason: &str) {
        match self.records.last_mut().filter(|last| last.outcome == "skipped" && last.reason == reason) {
            Some(last) => last.count += 1,
            None => self.records.push(Record { at, outcome: "skipped", reason: reason.to_owned(), count: 1 }),
        }
    }

    fn spent_on(&self, day: u64) -> u64 {
        self.spent.get(&day).copied().unwrap_or(0)
    }

    /// Pays; says whether anything is left after it.
    fn spend(&mut self, day: u64, cost: u64) -> bool {
        let spent = self.spent.entry(day).or_default();
        *spent += cost;
        *spent < BUDGET
    }

    /// When there is room again, if twelve began within an hour.
    fn free_again(&self, now: u64) -> Option<u64> {
        let recent: Vec<u64> = self.begun.iter().copied().filter(|begun| now - begun < HOUR).collect();
        recent.len().checked_sub(12).map(|first| recent[first] + HOUR)
    }
}

// What happens ---------------------------------------------------------------------------------------------------------

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.contemplation.enabled = true;
    settings.contemplation.active = Some((8 * 60, 22 * 60));
    settings.thinker.kind = ThinkerKind::Model;
    // Counting tokens is most of what a prompt costs here.
    settings.contemplation.budget_tokens = 3000;
    assert_eq!(settings.thinker.daily_tokens, BUDGET, "as it is set without a word");
    settings
}

struct Fortnight<'b> {
    bench: &'b Bench,
    start: Time,
    mind: Mind,
    thinkers: BTreeMap<&'static str, Arc<Scripted>>,
    steps: u64,
}

fn begin(bench: &Bench) -> Fortnight<'_> {
    let start = bench.mind_time();
    let thinker = || Scripted {
        clock: bench.shared_clock(),
        start,
        thought: AtomicU64::new(0),
        prompts: Mutex::default(),
    };
    let thinkers: BTreeMap<&str, Arc<Scripted>> =
        AGENTS.iter().map(|person| (person.name, Arc::new(thinker()))).collect();
    let theirs = Arc::new(EachItsOwn(thinkers.clone()));
    let mind = bench.open_as(settings(), |opening| opening.thinkers(theirs));
    for Person { name, family, zone, .. } in &AGENTS {
        match family {
            true => mind.create_family_agent(name, Some(zone)).unwrap(),
            false => mind.create_agent(name, Some(zone)).unwrap(),
        };
    }
    Fortnight { bench, start, mind, thinkers, steps: 0 }
}

impl Fortnight<'_> {
    fn of(&self, agent: &str) -> Access<'_> {
        self.mind.access(agent, Speaker::Operator).unwrap()
    }

    fn moment(&self, seconds: u64) -> Time {
        self.start.saturating_add(Duration::from_secs(seconds))
    }

    fn seconds(&self, at: Time) -> u64 {
        at.since(self.start).as_secs()
    }

    /// Goes from what is due to what is due, until then.
    fn live_until(&mut self, end: u64, script: &[(u64, Happens)]) {
        let mut script = script.iter().peekable();
        loop {
            let wake = self.settle();
            let happens = script.peek().map(|(at, _)| self.moment(*at));
            let next = [Some(wake), happens].into_iter().flatten().min().unwrap();
            let next = match self.seconds(next) {
                asleep if (ASLEEP.0..ASLEEP.1).contains(&asleep) => self.moment(ASLEEP.1),
                _ => next,
            };
            if next >= self.moment(end) {
                self.bench.clock().set(self.moment(end));
                return;
            }
            self.bench.clock().set(next);
            if let Some((_, what)) = script.next_if(|(at, _)| self.moment(*at) <= next) {
                self.happens(*what);
            }
        }
    }

    /// Does what is due, and says when to come again.
    fn settle(&mut self) -> Time {
        for _ in 0..20 {
            self.steps += 1;
            let step = jobs::scheduler(self.mind.settings()).step(&self.mind).unwrap();
            let work = self.mind.work_step(LEASE).unwrap();
            let wake = [step.wake_at, work.wake_at].into_iter().flatten().min().unwrap();
            if work.worked.is_empty() && wake > self.bench.mind_time() {
                return wake;
            }
        }
        panic!("something is always due at {}", self.bench.mind_time());
    }

    fn happens(&self, what: Happens) {
        match what {
            Happens::Message(to, text) => drop(say(&self.of(to), "chat", text)),
            Happens::Run(whose, long) => {
                let place = Some(Place::Channel("run".into()));
                let active_for = Some(Duration::from_secs(long));
                let request = OpenRequest { place, active_for, ..OpenRequest::default() };
                self.of(whose).conversation_open(&request, None).unwrap();
            }
            Happens::Asked(whose) => match self.of(whose).contemplate() {
                Ok(_) => {}
                Err(error) => assert_eq!(error.class(), Class::BadInput, "{error}"),
            },
        }
    }

    fn cycles(&self, agent: &str) -> Vec<Cycle> {
        let access = self.of(agent);
        let (id, caller) = (access.agent().id, *access.caller());
        let mut all =
            self.mind.store().read(&caller, &[id], |reader| cycles::latest(reader, id, 100_000)).unwrap();
        all.reverse();
        all
    }

    fn tokens_on(&self, agent: &str, day: u64) -> u64 {
        let access = self.of(agent);
        let (id, caller) = (access.agent().id, *access.caller());
        let name = format!("2026-01-{:02}", day + 1);
        let spent = self.mind.store().read(&caller, &[id], |reader| spend::of(reader, id, &name)).unwrap();
        u64::try_from(spent.tokens).unwrap()
    }

    /// How sure the agent is now of what these words say, and how often it saw that.
    fn lesson(&self, words: &str) -> Option<(f64, i64)> {
        let lessons = self.of("main").lessons(50).unwrap();
        let found = lessons.iter().find(|card| card.lesson.lesson == words)?;
        Some((found.confidence, found.lesson.occurrences))
    }

    /// What happened is what should have, for one agent.
    fn compare(&self, person: &Person, expected: &Expected, days: u64) {
        let came = self.cycles(person.name);
        let shown = |cycle: &Cycle| Record {
            at: self.seconds(cycle.began_at),
            outcome: if cycle.outcome == "done" { "done" } else { "skipped" },
            reason: cycle.reason.clone().unwrap_or_default(),
            count: cycle.count,
        };
        let came: Vec<Record> = came.iter().map(shown).collect();
        for (place, (came, should)) in came.iter().zip(&expected.records).enumerate() {
            let close = came.at.abs_diff(should.at) <= 2;
            let same =
                (came.outcome, &came.reason, came.count) == (should.outcome, &should.reason, should.count);
            assert!(
                close && same,
                "{}, record {place}: {came:?} came, and should be {should:?}",
                person.name
            );
        }
        assert_eq!(came.len(), expected.records.len(), "{}", person.name);
        for day in 0..days {
            let spent = self.tokens_on(person.name, day);
            assert_eq!(spent, expected.spent_on(day), "{} on day {}", person.name, day + 1);
            assert!(spent <= BUDGET + cost(day * DAY), "no more than the budget and one exchange");
        }
    }
}

fn figures(person: &Person, expected: &Expected) -> String {
    let mut skips: BTreeMap<&str, i64> = BTreeMap::new();
    for record in expected.records.iter().filter(|record| record.outcome == "skipped") {
        *skips.entry(&record.reason).or_default() += record.count;
    }
    let most = expected.spent.values().max().copied().unwrap_or(0);
    let Expected { begun, fast, .. } = expected;
    format!(
        "{}: {} cycles, {fast} of them after 15 minutes, at most {most} tokens a day, skips {skips:?}",
        person.name,
        begun.len()
    )
}

/// So many days from beginning to end, told apart from what should have been.
fn live(bench: &Bench, days: u64) {
    let mut life = begin(bench);
    let (script, until) = (script(), days * DAY);
    let (early, late): (Vec<_>, Vec<_>) = script.iter().partition(|(at, _)| *at < on(4, 0, 0, 0));
    life.live_until(on(4, 0, 0, 0), &early);
    let (sure, seen) = life.lesson(EARLY_LESSON).expect("it was learned");
    assert!(sure > 0.6 && seen > 1, "seen again, it is surer: {sure} after {seen}");
    life.live_until(until, &late);
    for person in &AGENTS {
        let expected = Rules { person, script: &script, until }.expected();
        println!("{}", figures(person, &expected));
        life.compare(person, &expected, days);
        // The script has all of it in it, or the comparison says little.
        let reasons: Vec<&str> = expected.records.iter().map(|record| record.reason.as_str()).collect();
        let has = |part: &str| reasons.iter().any(|reason| reason.contains(part));
        let all = ["tokens are spent", "outside", "often enough", "busy", "wrote", "repeated", "not over"];
        let wanted: &[&str] = if person.family { &["outside"] } else { &all };
        assert!(wanted.iter().all(|part| has(part)), "{reasons:?}");
        assert!(person.family || expected.fast > 50);
    }
    let (faded, seen_by_the_end) = life.lesson(EARLY_LESSON).unwrap();
    assert_eq!(seen_by_the_end, seen, "nothing says it any more");
    assert!(faded < sure, "{faded} after {sure}: it fades");
    assert!(life.lesson(LATE_LESSON).unwrap().0 > faded, "what was seen lately is surer");
    let prompts = life.thinkers["main"].prompts.lock().unwrap();
    let shown_first =
        |words: &str| prompts.iter().find(|(_, prompt)| prompt.contains(words)).map(|(at, _)| *at);
    assert!(shown_first(EARLY_LESSON).unwrap() < on(1, 14, 0, 0), "after five times of thinking");
    assert!(prompts.last().unwrap().1.contains(LATE_LESSON));
    let inbox = |status| life.of("main").inbox(status, 50).unwrap();
    let said = |word: &str| {
        let to_main = |what: &Happens| matches!(what, Happens::Message("main", text) if text.contains(word));
        script.iter().filter(|(at, what)| *at < until && to_main(what)).count()
    };
    let (kept, left) = (inbox(Status::Promoted), inbox(Status::Rejected));
    assert!(kept.iter().all(|one| one.content.contains("prefer")));
    assert!(left.iter().all(|one| one.content.contains("decided")));
    assert_eq!((kept.len(), left.len()), (said("prefer"), said("decided")));
    assert_eq!(inbox(Status::Pending).len(), 0);
    println!(
        "{} steps; {} prompts; lesson {sure:.3} -> {faded:.3}; {} promoted, {} rejected",
        life.steps,
        prompts.len(),
        kept.len(),
        left.len()
    );
}

#[test]
fn sqlite_a_fortnight_of_three_agents_goes_by_the_rules() {
    live(&Bench::sqlite(), 14);
}

/// Everything that the fortnight has in it happens in its first week; the second is more of the same.
#[test]
fn postgres_a_week_of_three_agents_goes_by_the_rules() {
    live(&Bench::postgres(), 7);
}

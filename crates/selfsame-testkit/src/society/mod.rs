//! A village of agents under a virtual clock: they meet and talk, like and quarrel, link their memories and take them back,
//! write diaries, keep calendars, think in their idle time and put their memory in order, while their hearts beat.
//!
//! Everything follows from a seed: the same village lives the same days. What is told of them (`chronicle`) is read from
//! the store as far as the store has it. Shared by `examples/society.rs` and the test of the same name.
//!
//! The world's own settings, beside those that everybody has: a calm heart (a tick each half hour by day), time to think
//! once a day for most and every few hours for three, by a script instead of a model; self-care from eight memories on;
//! no daily copy, and no waiting for the disk.

pub mod cast;
mod chronicle;
mod thinker;

use crate::seeded::Dice;
use cast::{PLACES, QUARRELS, SIGHTS, VILLAGE, Villager, WEATHER, WISHES};
use chronicle::{Chronicle, Meeting};
use selfsame::calendar::CalendarDraft;
use selfsame::clock::ManualClock;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::conversation::{Place, Saying};
use selfsame::diary::DiaryDraft;
use selfsame::heartbeat::NudgeKind;
use selfsame::id::{EpisodeId, LessonId, LinkId};
use selfsame::knowledge::BeliefQuery;
use selfsame::link::{Answer, LinkState, Side};
use selfsame::memory::{Draft, MemoryKind};
use selfsame::relationship::Assignment;
use selfsame::scheduler::Pace;
use selfsame::seal::{hex, sha256};
use selfsame::self_care::{CareOutcome, CareRequest, What};
use selfsame::soul::SoulKind;
use selfsame::time::{Clock as _, Time, Zone, civil};
use selfsame::trust::Privacy;
use selfsame::{Access, DataFolder, Durability, Mind, Opening, Speaker, jobs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use thinker::{FEELINGS, Feeling, Muse, Muses};

/// The village's clock: it changes to summer time on the ninth day.
const ZONE: &str = "Europe/Lisbon";
const LEASE: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// So many think every few hours; the others once a day.
const THINKERS: usize = 3;
/// From so many memories on they are worth a summary.
const LEAST_TO_FOLD: usize = 8;
/// Every so many days there is an evening for self-care.
const CARE_EVERY: u32 = 3;
/// When people look at what they are told.
const READS: [(u16, u16); 3] = [(8, 40), (13, 10), (19, 20)];

/// Which village, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What chance begins from.
    pub seed: u64,
    /// How many live there: up to [`VILLAGE`]'s length.
    pub agents: usize,
    /// How many days are lived.
    pub days: u32,
}

/// How often everything happened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Truths in souls.
    pub soul: usize,
    /// Times two met.
    pub meetings: usize,
    /// Of them, times they fell out.
    pub quarrels: usize,
    /// Times somebody thought anew about somebody.
    pub relationships: usize,
    /// Pages of diaries.
    pub diary: usize,
    /// Occurrences of what stands in calendars.
    pub occurrences: usize,
    /// Hearts that beat.
    pub ticks: usize,
    /// Reminders among what was said unasked.
    pub reminders: usize,
    /// All that was said unasked.
    pub nudges: usize,
    /// Of it, what was answered.
    pub answered: usize,
    /// Times of thinking that brought something.
    pub episodes: usize,
    /// Lessons that were learned.
    pub lessons: usize,
    /// Beliefs that are held.
    pub beliefs: usize,
    /// Summaries that were written.
    pub summaries: usize,
    /// Memories that went into them.
    pub folded_memories: u64,
    /// Messages that went into them.
    pub folded_messages: u64,
    /// Links that stand.
    pub links: usize,
    /// Requests that were declined.
    pub declined: usize,
    /// Requests that nobody answered.
    pub expired: usize,
    /// Links that were taken back.
    pub revoked: usize,
}

/// A link that stands: who gave, who received, and whether it may be given on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Given {
    /// Who gave, by its place in the village.
    pub from: usize,
    /// Who received.
    pub to: usize,
    /// Whether it may be given on.
    pub onward: bool,
}

/// What became of a village.
pub struct Lived {
    /// The mind, with everybody in it.
    pub mind: Mind,
    /// The story, as it was told day by day.
    pub chronicle: String,
    /// How often everything happened.
    pub counts: Counts,
    /// The links that stand.
    pub given: Vec<Given>,
    /// How everybody stands to everybody, by their places: what the store must have too.
    pub trust: BTreeMap<(usize, usize), f64>,
    /// Secrets that stood before another's thinker.
    pub crossed: Vec<String>,
    /// The whole state.
    pub dump: String,
    /// Of the story and the whole state: equal villages have equal traces.
    pub trace: String,
}

/// Lives through a village's days, in a data folder that is made for it. What is told of each day is handed on at once.
pub fn live(plan: Plan, folder: &Path, tell: &mut dyn FnMut(&str)) -> Lived {
    assert!((2..=VILLAGE.len()).contains(&plan.agents), "from 2 to {} agents", VILLAGE.len());
    let mut world = World::new(plan, folder);
    let mut story = String::new();
    let mut told = |text: String, story: &mut String| {
        tell(&text);
        story.push_str(&text);
    };
    told(chronicle::opening(world.villagers), &mut story);
    world.settle_in();
    for day in 0..plan.days {
        let text = world.live_day(day);
        told(text, &mut story);
    }
    world.count_up();
    told(chronicle::closing(world.villagers, &world.trust, &world.given, &world.counts), &mut story);
    let dump = crate::dump(&world.mind);
    let trace = hex(&sha256(&[story.as_bytes(), dump.as_bytes()]));
    let given = world.given.iter().map(|(&(from, to), &(_, onward))| Given { from, to, onward }).collect();
    let crossed = world.muse.crossed();
    let World { mind, counts, trust, .. } = world;
    Lived { mind, chronicle: story, counts, given, trust, crossed, dump, trace }
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.backup.at = String::new();
    settings.contemplation.enabled = true;
    settings.contemplation.journal = false;
    settings.contemplation.every = 4 * HOUR;
    settings.contemplation.fast_every = 3 * HOUR;
    settings.contemplation.active = Some((8 * 60, 22 * 60));
    settings.contemplation.budget_tokens = 3000;
    settings.thinker.kind = ThinkerKind::Model;
    settings.heartbeat.rules.pace.base = HOUR / 2;
    settings.self_care.least = LEAST_TO_FOLD;
    settings.self_care.recent_messages = 2;
    settings
}

/// What happens at a moment, to whom by their places in the village.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Happens {
    Sees(usize),
    Meet(usize, usize),
    Answers { from: usize, to: usize, link: LinkId },
    IsTold(usize),
    WritesDiary(usize),
    TakesCare(usize),
    ReadsList(usize),
}

struct World {
    mind: Mind,
    clock: Arc<ManualClock>,
    zone: Zone,
    began: civil::Date,
    villagers: &'static [Villager],
    muse: Arc<Muse>,
    dice: Dice,
    /// How the first stands to the second.
    trust: BTreeMap<(usize, usize), f64>,
    /// Which links stand, from whom to whom, and whether they may be given on.
    given: BTreeMap<(usize, usize), (LinkId, bool)>,
    /// What lies ahead. Of what happens at one moment, first what was planned first.
    ahead: BTreeMap<(Time, u64), Happens>,
    planned: u64,
    today: Chronicle,
    counts: Counts,
    episodes_told: BTreeSet<EpisodeId>,
    lessons_told: BTreeSet<LessonId>,
}

impl World {
    fn new(plan: Plan, folder: &Path) -> World {
        let zone = Zone::parse(ZONE).unwrap();
        let began = civil::date(2027, 3, 20);
        let clock = Arc::new(ManualClock::at(zone.instant(began.at(0, 0, 0, 0))));
        let villagers = &VILLAGE[..plan.agents];
        let muse = Arc::new(Muse::new(villagers, plan.seed));
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&plan.seed.to_be_bytes());
        let opening = Opening::new(settings())
            .clock(Arc::<ManualClock>::clone(&clock))
            .seed(seed)
            .thinkers(Arc::new(Muses(Arc::clone(&muse))))
            .store_options(|options| options.durability = Durability::None);
        // Without the ledger of a folder, whose key is the machine's chance: what was taken back is noted with a seal.
        let (store, lock) = opening.open_bare(&DataFolder::create(folder).unwrap()).unwrap();
        let mind = opening.over(store, lock).unwrap();
        World {
            mind,
            clock,
            zone,
            began,
            villagers,
            muse,
            dice: Dice::new(plan.seed),
            trust: BTreeMap::new(),
            given: BTreeMap::new(),
            ahead: BTreeMap::new(),
            planned: 0,
            today: Chronicle::default(),
            counts: Counts::default(),
            episodes_told: BTreeSet::new(),
            lessons_told: BTreeSet::new(),
        }
    }

    fn name(&self, who: usize) -> &'static str {
        self.villagers[who].name
    }

    /// Somebody, as itself.
    fn own(&self, who: usize) -> Access<'_> {
        self.mind.access(self.name(who), Speaker::Agent(None)).unwrap()
    }

    /// Somebody, as whom it serves sees it.
    fn served(&self, who: usize) -> Access<'_> {
        self.mind.access(self.name(who), Speaker::Operator).unwrap()
    }

    /// Everybody is made, with a soul, a home, something to keep and something in the calendar.
    fn settle_in(&mut self) {
        self.mind.ensure_house_duties().unwrap();
        for (who, villager) in self.villagers.iter().enumerate() {
            match who < THINKERS {
                true => self.mind.create_agent(villager.name, Some(ZONE)).unwrap(),
                false => self.mind.create_family_agent(villager.name, Some(ZONE)).unwrap(),
            };
            let (served, own) = (self.served(who), self.own(who));
            served.set_home(villager.home, None).unwrap();
            own.move_to(villager.home, None).unwrap();
            let because = format!("I am the one who {}", villager.trade);
            own.add_to_soul(SoulKind::Value, villager.value, &because, None).unwrap();
            let fear = format!("I dread {}", villager.fear);
            own.add_to_soul(SoulKind::Fear, &fear, "it is better said than hidden", None).unwrap();
            let secret = Draft { privacy: Privacy::Private, pinned: true, ..Draft::new(villager.secret) };
            served.remember(secret, None).unwrap();
            let keepsake = Draft { pinned: true, ..Draft::new(villager.keepsake) };
            own.remember(keepsake, None).unwrap();
            let errand = &villager.errand;
            let draft = CalendarDraft {
                recurrence: Some(errand.rule.into()),
                remind_minutes: Some(errand.remind),
                ..CalendarDraft::new(errand.title, format!("{}T{}", self.began, errand.at))
            };
            served.add_to_calendar(draft, None).unwrap();
        }
    }

    // A day ------------------------------------------------------------------------------------------------------------

    fn live_day(&mut self, day: u32) -> String {
        let date = (0..day).fold(self.began, |date, _| date.tomorrow().unwrap());
        let weather = *self.dice.pick(&WEATHER);
        self.today = Chronicle::new(day + 1, date, weather);
        self.plan(date, day);
        let tomorrow = date.tomorrow().unwrap();
        self.live_until(self.zone.instant(tomorrow.at(0, 0, 0, 0)));
        self.look_back();
        self.today.text()
    }

    fn plan(&mut self, date: civil::Date, day: u32) {
        let everybody = self.villagers.len();
        for who in 0..everybody {
            let (morning, noon) = (self.dice.below(150), self.dice.below(200));
            self.put(date, 7 * 60 + morning, Happens::Sees(who));
            self.put(date, 12 * 60 + noon, Happens::Sees(who));
            let evening = self.dice.below(90);
            self.put(date, 20 * 60 + evening, Happens::WritesDiary(who));
            if self.dice.percent(12) {
                let at = 9 * 60 + self.dice.below(500);
                self.put(date, at, Happens::IsTold(who));
            }
            if day % CARE_EVERY == CARE_EVERY - 1 {
                self.put(date, 22 * 60 + who, Happens::TakesCare(who));
            }
            for (hour, minute) in READS {
                self.put(date, usize::from(hour) * 60 + usize::from(minute), Happens::ReadsList(who));
            }
        }
        for _ in 0..(everybody * 3 / 5).max(1) {
            let one = self.dice.below(everybody);
            let other = self.company_of(one);
            let at = 9 * 60 + self.dice.below(9 * 60);
            self.put(date, at, Happens::Meet(one, other));
        }
    }

    /// Whom somebody runs into: rather whom it likes, now and then anybody.
    fn company_of(&mut self, who: usize) -> usize {
        let liked: Vec<usize> =
            (0..self.villagers.len()).filter(|other| self.trust_of(who, *other) > 0.2).collect();
        if !liked.is_empty() && self.dice.percent(65) {
            return *self.dice.pick(&liked);
        }
        let other = self.dice.below(self.villagers.len() - 1);
        if other >= who { other + 1 } else { other }
    }

    fn put(&mut self, date: civil::Date, minute: usize, what: Happens) {
        let (hour, minute) = (i8::try_from(minute / 60).unwrap(), i8::try_from(minute % 60).unwrap());
        let at = self.zone.instant(date.at(hour, minute, 0, 0));
        self.put_at(at, what);
    }

    fn put_at(&mut self, at: Time, what: Happens) {
        self.planned += 1;
        self.ahead.insert((at, self.planned), what);
    }

    /// From what is due to what is due: of the village's doings and of what every mind does by itself.
    fn live_until(&mut self, end: Time) {
        loop {
            let wake = self.settle();
            let happens = self.ahead.keys().next().map_or(end, |(at, _)| *at);
            let next = wake.min(happens).min(end);
            self.clock.set(next);
            if next >= end {
                return;
            }
            while let Some(entry) = self.ahead.first_entry().filter(|entry| entry.key().0 <= next) {
                let what = entry.remove();
                self.happens(what);
            }
        }
    }

    /// Does what is due, as a daemon would, and says when to come again.
    fn settle(&mut self) -> Time {
        let mut last = None;
        for _ in 0..50 {
            let scheduler = jobs::scheduler(self.mind.settings());
            scheduler.step_of(&self.mind, Pace::Slow).unwrap();
            let step = scheduler.step(&self.mind).unwrap();
            assert_eq!(step.beats.failures, 0);
            self.counts.ticks += step.beats.ticks;
            self.today.ticks += step.beats.ticks;
            let work = self.mind.work_step(LEASE).unwrap();
            let wake = [step.wake_at, work.wake_at].into_iter().flatten().min().unwrap_or(Time::MAX);
            if work.worked.is_empty() && wake > self.clock.now() {
                return wake;
            }
            last = Some((step, work.worked.len(), work.wake_at));
        }
        panic!("something is always due at {}: {last:?}", self.clock.now());
    }

    fn happens(&mut self, what: Happens) {
        match what {
            Happens::Sees(who) => self.sees(who),
            Happens::Meet(one, other) => self.meet(one, other),
            Happens::Answers { from, to, link } => self.answers(from, to, link),
            Happens::IsTold(who) => self.is_told(who),
            Happens::WritesDiary(who) => self.writes_diary(who),
            Happens::TakesCare(who) => self.takes_care(who),
            Happens::ReadsList(who) => self.reads_list(who),
        }
    }

    fn sees(&mut self, who: usize) {
        let number = 2 + self.dice.below(40);
        let sight = self.dice.pick(&SIGHTS).replace("{}", &number.to_string());
        let mut draft = Draft { kind: MemoryKind::Event, ..Draft::new(sight) };
        draft.affect.feeling = Some(self.muse.feeling(self.name(who)).word.into());
        self.own(who).remember(draft, None).unwrap();
    }

    fn is_told(&mut self, who: usize) {
        let wish = *self.dice.pick(&WISHES);
        let saying = Saying::new(Place::Channel("the kitchen table".into()), wish);
        self.served(who).conversation_say(&saying, None).unwrap();
    }

    // Meetings ---------------------------------------------------------------------------------------------------------

    fn trust_of(&self, who: usize, whom: usize) -> f64 {
        self.trust.get(&(who, whom)).copied().unwrap_or(0.0)
    }

    fn meet(&mut self, one: usize, other: usize) {
        let place = *self.dice.pick(&PLACES);
        let is_first = !self.trust.contains_key(&(one, other));
        let quarrel = (!is_first && self.dice.percent(14)).then(|| *self.dice.pick(&QUARRELS));
        let said = [one, other].map(|who| *self.dice.pick(&self.villagers[who].talk));
        for (who, whom, words) in [(one, other, said[0]), (other, one, said[1])] {
            let own = self.own(who);
            own.move_to(place, None).unwrap();
            own.exchange(self.name(whom), words, None).unwrap();
        }
        if let Some(about) = quarrel {
            let words = format!("We will not agree about {about}, you and I.");
            self.own(one).exchange(self.name(other), &words, None).unwrap();
        }
        let warm = quarrel.is_none() && self.dice.percent(60);
        let ended = self.dice.below(chronicle::ENDINGS);
        for (who, whom) in [(one, other), (other, one)] {
            self.thinks_anew(who, whom, place, quarrel, warm);
        }
        self.counts.meetings += 1;
        self.counts.quarrels += usize::from(quarrel.is_some());
        let names = [self.name(one), self.name(other)];
        let hour = self.zone.local(self.clock.now()).hour();
        self.today.meetings.push(Meeting { names, place, said, is_first, quarrel, warm, ended, hour });
        match quarrel {
            Some(_) => {
                for (from, to) in [(one, other), (other, one)] {
                    self.takes_back(from, to);
                }
            }
            None => self.may_ask(one, other),
        }
    }

    /// What somebody makes of a meeting.
    fn thinks_anew(&mut self, who: usize, whom: usize, place: &str, quarrel: Option<&str>, warm: bool) {
        let chance = self.dice.below(16) as f64 / 100.0;
        let (change, tone, feeling, about): (f64, &str, Feeling, String) = match (quarrel, warm) {
            (Some(about), _) => {
                (-0.35 - chance, "hurt", FEELINGS[self.dice.below(2)], format!("we fell out over {about}"))
            }
            (None, true) => {
                (0.18 + chance, "warm", FEELINGS[4 + self.dice.below(2)], "it was good to talk".into())
            }
            (None, false) => {
                (0.05, "even", FEELINGS[2 + self.dice.below(2)], "we exchanged a few words".into())
            }
        };
        let trust = ((self.trust_of(who, whom) + change).clamp(-1.0, 1.0) * 100.0).round() / 100.0;
        let kind = match trust {
            trust if trust >= 0.7 => "friend",
            trust if trust >= 0.3 => "ally",
            trust if trust <= -0.3 => "rival",
            _ => "acquaintance",
        };
        let assignment = Assignment {
            kind: kind.into(),
            trust: Some(trust),
            tone: Some(tone.into()),
            rationale: format!("{place}, {about}"),
            notes: None,
        };
        self.own(who).assign_relationship(self.name(whom), &assignment, None).unwrap();
        self.trust.insert((who, whom), trust);
        self.counts.relationships += 1;
        self.muse.felt(self.name(who), self.name(whom), feeling);
    }

    // Links ------------------------------------------------------------------------------------------------------------

    /// Who has come to trust somebody may ask for what they remember.
    fn may_ask(&mut self, who: usize, whom: usize) {
        let asks = self.trust_of(who, whom) >= 0.4 && !self.given.contains_key(&(whom, who));
        if !asks || !self.dice.percent(60) {
            return;
        }
        let link = self.own(who).link_request(self.name(whom), None).unwrap().link.id;
        let (asking, asked) = (self.name(who), self.name(whom));
        match self.dice.percent(12) {
            true => self.today.links.push(format!(
                "{asking} asked {asked} for what {asked} remembers, and {asked} let it pass unanswered."
            )),
            false => {
                let at = self.clock.now().saturating_add(MINUTE);
                self.put_at(at, Happens::Answers { from: whom, to: who, link });
            }
        }
    }

    fn answers(&mut self, from: usize, to: usize, link: LinkId) {
        let trust = self.trust_of(from, to);
        let (giver, asking) = (self.name(from), self.name(to));
        if trust < 0.5 {
            self.own(from).link_answer(link, Answer::Decline, None).unwrap();
            self.today.links.push(format!("{asking} asked {giver} for its memory, and {giver} would not."));
            return;
        }
        let onward = trust >= 0.75;
        let card = self.own(from).link_answer(link, Answer::Share { onward }, None).unwrap();
        assert_eq!(card.link.state, LinkState::Accepted);
        self.given.insert((from, to), (link, onward));
        let on = if onward { ", to be passed on as well" } else { "" };
        let known = match card.link.merged {
            0 => String::new(),
            merged => format!(" ({merged} of it known already)"),
        };
        self.today.links.push(format!(
            "{giver} opened its memory to {asking}: {} things, and none of its secrets{on}{known}.",
            card.link.copied + card.link.merged
        ));
    }

    fn takes_back(&mut self, from: usize, to: usize) {
        let Some((link, _)) = self.given.remove(&(from, to)) else { return };
        let card = self.own(from).link_revoke(link, None).unwrap();
        assert_eq!(card.link.state, LinkState::Revoked);
        let (giver, other) = (self.name(from), self.name(to));
        self.today.links.push(format!(
            "After that {giver} took back what it had given: {other} does not remember any of it."
        ));
    }

    // Evenings ---------------------------------------------------------------------------------------------------------

    fn writes_diary(&mut self, who: usize) {
        let name = self.name(who);
        let feeling = self.muse.feeling(name);
        let met = self.today.company_of(name);
        let rest = match self.dice.below(4) {
            0 => "I would not change much of it.",
            1 => "Tomorrow is another tide.",
            2 => "Nobody asked me anything today, and I was glad.",
            _ => "I ought to sleep.",
        };
        let met = match &met[..] {
            [] => "Saw nobody.".to_owned(),
            [(whom, true)] => format!("Fell out with {whom}. I was {} all day.", feeling.word),
            [(whom, false)] => format!("Met {whom}. It left me {}.", feeling.word),
            several => {
                let names: Vec<&str> = several.iter().map(|(whom, _)| *whom).collect();
                format!("So many people: {}. I am {}.", names.join(", "), feeling.word)
            }
        };
        let text = format!("{}. {met} {rest}", capitalised(self.today.weather));
        let own = self.own(who);
        let draft = DiaryDraft { mood: Some(feeling.word.into()), ..DiaryDraft::new(&text) };
        own.write_diary(draft, None).unwrap();
        self.counts.diary += 1;
        if met != "Saw nobody." {
            self.today.diaries.push(format!("{name}: \"{text}\""));
        }
    }

    /// At home, what is old is folded, if there is enough of it.
    fn takes_care(&mut self, who: usize) {
        let (name, home) = (self.name(who), self.villagers[who].home);
        self.own(who).move_to(home, None).unwrap();
        let own = self.own(who);
        let report = own.self_care(&CareRequest { focus: None, what: What::Both }).unwrap();
        if matches!(report.outcome, CareOutcome::Nothing(_)) {
            return;
        }
        assert_eq!(report.outcome, CareOutcome::Done, "{name}");
        let words = own.summaries(false, 10).unwrap().summaries;
        let words = words.first().map(|card| card.summary.content().to_owned()).unwrap_or_default();
        self.counts.summaries += report.summaries.len();
        self.counts.folded_memories += report.memories;
        self.counts.folded_messages += report.messages;
        self.today.folded.push(format!(
            "{name} sat down at {home} and folded {} memories and {} messages: \"{}\"",
            report.memories,
            report.messages,
            words.lines().next().unwrap_or_default()
        ));
    }

    /// Whom an agent serves looks at what was said unasked, and answers, waves it away, or does neither.
    fn reads_list(&mut self, who: usize) {
        let served = self.served(who);
        let waits = |card: &selfsame::heartbeat::NudgeCard| card.nudge.delivered_at.is_none();
        if !served.nudges(None, false, None, 50).unwrap().nudges.iter().any(waits) {
            return;
        }
        let now = self.clock.now();
        let fetched = served.fetch_nudges(None, 50).unwrap().nudges;
        let fresh = fetched.into_iter().filter(|card| card.nudge.delivered_at.is_some_and(|at| at >= now));
        let fresh: Vec<_> = fresh.map(|card| card.nudge).collect();
        for nudge in fresh {
            let chance = self.dice.below(100);
            let served = self.served(who);
            let came_of_it = match chance {
                0..60 => {
                    served.nudge_answer(nudge.id, Some("seen to"), None).unwrap();
                    self.counts.answered += 1;
                    "It was seen to."
                }
                60..80 => {
                    served.nudge_dismiss(nudge.id, None).unwrap();
                    "It was waved away."
                }
                _ => "Nobody said anything.",
            };
            self.counts.nudges += 1;
            self.counts.reminders += usize::from(nudge.kind == NudgeKind::Reminder);
            let words = nudge.what.lines().collect::<Vec<_>>().join(" ");
            self.today
                .nudges
                .push((nudge.kind, format!("{} spoke up: \"{words}\" {came_of_it}", self.name(who))));
        }
    }

    /// What was thought and learned since yesterday, from the store.
    fn look_back(&mut self) {
        for who in 0..self.villagers.len() {
            let own = self.own(who);
            let mut thoughts = Vec::new();
            for episode in own.episodes(None, 20).unwrap() {
                let account = &episode.words.captured.account;
                if !self.episodes_told.contains(&episode.words.id) {
                    let told = (account.mood.state.clone(), account.outcome.summary.clone());
                    thoughts.push((episode.words.id, told));
                }
            }
            let mut learned = Vec::new();
            for card in own.lessons(50).unwrap() {
                if !self.lessons_told.contains(&card.lesson.words.id) {
                    learned.push((card.lesson.words.id, card.lesson.words.lesson.clone()));
                }
            }
            let name = self.name(who);
            for (id, (mood, words)) in thoughts.into_iter().rev() {
                self.episodes_told.insert(id);
                self.today.thoughts.push(format!("{name}, {mood}: \"{words}\""));
            }
            for (id, words) in learned {
                self.lessons_told.insert(id);
                self.today.lessons.push(format!("{name} learned: \"{words}\""));
            }
        }
    }

    /// What is in the store at the end.
    fn count_up(&mut self) {
        let mut counts = self.counts.clone();
        let (from, to) = (self.began.to_string(), self.zone.date(self.clock.now()).to_string());
        for who in 0..self.villagers.len() {
            let served = self.served(who);
            counts.soul += served.soul(false).unwrap().len();
            let agenda = served.check_calendar(Some(&from), Some(&to), Some(1000)).unwrap();
            counts.occurrences += agenda.occurrences.len();
            counts.beliefs += served.know(&BeliefQuery::default()).unwrap().beliefs.len();
            for card in served.links(None, 1000).unwrap() {
                if card.link.side == Side::Gives {
                    match card.link.state {
                        LinkState::Accepted => counts.links += 1,
                        LinkState::Declined => counts.declined += 1,
                        LinkState::Expired => counts.expired += 1,
                        LinkState::Revoked => counts.revoked += 1,
                        LinkState::Requested | LinkState::Copying | LinkState::Falling => {}
                    }
                }
            }
        }
        counts.episodes = self.episodes_told.len();
        counts.lessons = self.lessons_told.len();
        self.counts = counts;
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

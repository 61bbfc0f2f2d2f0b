//! What is learned from episodes: drawn, seen again, judged, faded, merged, proposed, shown, forgotten.

use crate::contemplation::told;
use crate::remember::remember;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::contemplation::Contemplated;
use selfsame::context::{Occasion, SectionKind};
use selfsame::id::{EpisodeId, LessonId};
use selfsame::kept::Kept;
use selfsame::knowledge::{BeliefQuery, ObservationKind, SourceSort};
use selfsame::lesson::{Judgement, LessonCard, LessonKind, NewLesson};
use selfsame::ports::{Desk, ToolCard, ToolClass, Toolbox};
use selfsame::reflection::ReflectionCard;
use selfsame::time::Time;
use selfsame::trust::Caller;
use selfsame::work::WorkOutcome;
use selfsame::{Access, Class, Mind, Speaker, jobs};
use selfsame_core::contemplation::{Episode, WorkKind, WorkState};
use selfsame_store::learning;
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::{Bench, both_engines};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

/// What the thinker does next.
#[derive(Default)]
struct Script {
    /// Tools that it calls first, each with its arguments.
    calls: Vec<(&'static str, &'static str)>,
    /// What it says to a time of thinking.
    reply: String,
    /// What it says to a batch of episodes.
    patterns: String,
    /// What it was shown of batches.
    shown: Vec<String>,
}

/// A tool fails if it is told to.
struct Tools;

impl Toolbox for Tools {
    fn tools(&self, _access: &Access<'_>) -> Vec<ToolCard> {
        let card = |name: &str, class| ToolCard {
            name: name.into(),
            description: String::new(),
            schema: "{}".into(),
            class,
        };
        vec![
            card("recall", ToolClass::Read),
            card("add_to_soul", ToolClass::Weighty),
            card("web_search", ToolClass::Foreign),
        ]
    }

    fn is_ours(&self, tool: &str) -> bool {
        ["recall", "add_to_soul"].contains(&tool)
    }

    fn call(&self, _: &Access<'_>, _: &str, arguments: &str, _: Duration) -> Result<String, String> {
        if arguments.contains("fail") { Err("no luck".into()) } else { Ok("here".into()) }
    }
}

struct Life<'b> {
    bench: &'b Bench,
    mind: Mind,
    script: Arc<Mutex<Script>>,
}

/// An agent that thinks with the script, and whose episodes are looked through by `lessons`.
fn life(bench: &Bench, lessons: ThinkerKind) -> Life<'_> {
    life_with(bench, lessons, |_| {})
}

fn life_with(bench: &Bench, lessons: ThinkerKind, change: impl FnOnce(&mut Settings)) -> Life<'_> {
    bench.clock().set(Time::parse("2026-02-03T10:00:00Z").unwrap());
    let mut settings = Settings::default();
    settings.contemplation.enabled = true;
    settings.thinker.kind = ThinkerKind::Model;
    settings.thinker.jobs.insert(WorkKind::ExtractLessons, lessons);
    change(&mut settings);
    let script = Arc::new(Mutex::new(Script::default()));
    let theirs = Arc::clone(&script);
    let thinker = ScriptedThinker::acting(move |prompt, desk: &dyn Desk| {
        let mut script = theirs.lock().unwrap();
        if prompt.instructions.contains("LESSONS_JSON") {
            script.shown.push(prompt.material.clone());
            return Ok(script.patterns.clone());
        }
        for (tool, arguments) in std::mem::take(&mut script.calls) {
            desk.call(tool, arguments);
        }
        Ok(script.reply.clone())
    });
    let mind = bench.open_as(settings, |opening| {
        opening.thinkers(Arc::new(OneThinker(Arc::new(thinker)))).toolbox(Arc::new(Tools))
    });
    mind.ensure_agent("main").unwrap();
    Life { bench, mind, script }
}

impl Life<'_> {
    fn main(&self) -> Access<'_> {
        self.mind.access("main", Speaker::Operator).unwrap()
    }

    fn agent(&self) -> Access<'_> {
        self.mind.access("main", Speaker::Agent(None)).unwrap()
    }

    /// Ten minutes later it thinks, with these calls of tools, and says this.
    fn thinks(&self, calls: &[(&'static str, &'static str)], reply: &str) -> Kept<Episode> {
        self.bench.clock().advance(10 * MINUTE);
        (self.script.lock().unwrap().calls, self.script.lock().unwrap().reply) =
            (calls.to_vec(), reply.to_owned());
        match self.main().contemplate().unwrap() {
            Contemplated::Episode(episode) => *episode,
            other => panic!("{other:?}"),
        }
    }

    /// The same, saying that it learned this.
    fn learns(&self, lesson: &str) -> Kept<Episode> {
        self.thinks(&[], &learning(lesson))
    }

    /// Times of thinking with nothing in them.
    fn idles(&self, times: usize) {
        for _ in 0..times {
            self.thinks(&[], &told("Nothing much.", ""));
        }
    }

    fn lessons(&self) -> Vec<LessonCard> {
        self.main().lessons(200).unwrap()
    }

    fn the_lesson(&self) -> LessonCard {
        let mut all = self.lessons();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    fn reflections(&self) -> Vec<ReflectionCard> {
        self.main().reflections(200).unwrap()
    }

    fn learned_until(&self) -> Option<EpisodeId> {
        let agent = self.main().agent().id;
        self.mind
            .store()
            .read(self.main().caller(), &[agent], |reader| learning::of(reader, agent))
            .unwrap()
            .episode
    }

    fn works(&self) -> Vec<WorkOutcome> {
        self.mind.work_step(LEASE).unwrap().worked.into_iter().map(|worked| worked.outcome).collect()
    }
}

fn learning(lesson: &str) -> String {
    told("Something came of it.", &format!(r#","lesson":"{lesson}""#))
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

const ASK: &str = "Ask Maya before anything is booked.";

both_engines! {
    fn five_episodes_teach_and_the_same_again_makes_it_surer(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let first: Vec<EpisodeId> = (0..4).map(|_| life.learns(ASK).id).collect();
        assert_eq!((life.lessons(), life.reflections(), life.learned_until()), (vec![], vec![], None), "four are too few");
        let fifth = life.learns(ASK);
        let card = life.the_lesson();
        assert_eq!((card.lesson.lesson.as_str(), card.lesson.kind), (ASK, LessonKind::Success));
        assert_eq!(card.lesson.occurrences, 5);
        assert!(near(card.confidence, 0.9), "0.5 and four times 0.1, not {}", card.confidence);
        assert_eq!(card.episodes, [first.as_slice(), &[fifth.id]].concat());
        assert_eq!(card.lesson.last_seen_at, fifth.created_at);
        assert_eq!(card.lesson.provenance.trust(), fifth.provenance.trust());
        assert_eq!(life.learned_until(), Some(fifth.id));
        let reflections = life.reflections();
        assert_eq!(reflections.len(), 1);
        assert_eq!(reflections[0].episodes, card.episodes);
        assert!(reflections[0].reflection.content.contains("5 got somewhere (100%)"), "{reflections:?}");
        life.idles(4);
        assert_eq!(life.learned_until(), Some(fifth.id));
        life.learns("Ask Maya before anything is booked!");
        let again = life.the_lesson();
        assert_eq!((again.lesson.id, again.lesson.occurrences), (card.lesson.id, 6));
        assert!(again.confidence > 0.99, "{}", again.confidence);
        assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
    }

    fn the_ledger_teaches_what_failed_and_what_then_worked(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let nothing = told("Nothing much.", "");
        let failed = life.thinks(&[("recall", r#"{"fail":1}"#), ("add_to_soul", "{}"), ("add_to_soul", "{}")], &nothing);
        let ran = life.thinks(&[("add_to_soul", r#"{"a":1}"#), ("recall", r#"{"a":1}"#)], &nothing);
        life.idles(3);
        let card = life.the_lesson();
        assert_eq!((card.lesson.kind, card.lesson.tools.as_slice()), (LessonKind::Workaround, ["recall".to_owned()].as_slice()));
        assert_eq!(card.episodes, [failed.id, ran.id]);
        let all = [r#"{"fail":1}"#, r#"{"fail":2}"#, r#"{"fail":3}"#].map(|arguments| ("recall", arguments));
        let stubborn = life.thinks(&all, &nothing);
        life.idles(4);
        let mistake = life.lessons().into_iter().find(|card| card.lesson.kind == LessonKind::Mistake).unwrap();
        assert_eq!((mistake.lesson.outcome.as_deref(), mistake.episodes.as_slice()), (Some("it failed 3 times"), [stubborn.id].as_slice()));
        assert_eq!(life.lessons().len(), 2);
        assert!(life.reflections()[0].reflection.content.contains("recall in 3 of 3 calls"), "{:?}", life.reflections());
    }

    fn what_could_not_be_read_teaches_nothing_and_is_not_looked_at_again(bench: Bench) {
        let life = life(&bench, ThinkerKind::Model);
        for _ in 0..4 {
            life.thinks(&[("recall", r#"{"fail":1}"#), ("recall", "{}")], "I learned: always ask. lesson: always ask");
        }
        let last = life.thinks(&[], "no block at all");
        assert_eq!((life.lessons(), life.reflections()), (vec![], vec![]));
        assert_eq!(life.learned_until(), Some(last.id), "it moves on all the same");
        assert_eq!(life.works(), [], "there is nothing to ask a thinker about");
    }

    fn a_lesson_fades_by_half_in_sixty_days_and_is_judged_from_there(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        (0..5).for_each(|_| drop(life.learns(ASK)));
        let id = life.the_lesson().lesson.id;
        bench.clock().advance(60 * DAY);
        assert!(near(life.the_lesson().confidence, 0.45), "{}", life.the_lesson().confidence);
        let down = life.main().judge_lesson(id, Judgement::Down, None).unwrap();
        assert!(near(down.confidence, 0.40), "{down:?}");
        bench.clock().advance(60 * DAY);
        assert!(near(life.the_lesson().confidence, 0.20), "it fades from where it was judged");
        let unhelpful = life.main().judge_lesson(id, Judgement::Unhelpful, None).unwrap();
        assert!(near(unhelpful.confidence, 0.17), "{unhelpful:?}");
        bench.clock().advance(1000 * DAY);
        assert!(near(life.the_lesson().confidence, 0.05), "never nothing");
        assert!(near(life.main().judge_lesson(id, Judgement::Down, None).unwrap().confidence, 0.05));
        assert!(near(life.main().judge_lesson(id, Judgement::Up, None).unwrap().confidence, 0.10));
    }

    fn an_agent_may_doubt_its_lessons_and_not_praise_them(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        (0..5).for_each(|_| drop(life.learns(ASK)));
        let id = life.the_lesson().lesson.id;
        let judged = |access: Access<'_>, judgement| access.judge_lesson(id, judgement, None).map(drop).map_err(|error| error.class());
        assert_eq!(judged(life.agent(), Judgement::Up), Err(Class::Forbidden));
        assert_eq!(judged(life.agent(), Judgement::Down), Ok(()));
        let tool = life.mind.access_as("main", Caller::tool(None)).unwrap();
        assert_eq!(judged(tool, Judgement::Down), Err(Class::Forbidden));
        let nobody = LessonId::of(bench.fresh_id());
        assert_eq!(life.main().judge_lesson(nobody, Judgement::Up, None).unwrap_err().class(), Class::NotFound);
        let key = crate::remember::key("judge", 1);
        let once = life.main().judge_lesson(id, Judgement::Down, Some(&key)).unwrap();
        assert_eq!(life.main().judge_lesson(id, Judgement::Down, Some(&key)).unwrap(), once);
        assert!(near(life.the_lesson().confidence, once.confidence), "the same request counts once");
    }

    fn near_duplicates_become_one(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let (one, two) = (remember(&life.main(), "the trip"), remember(&life.main(), "the hotel"));
        let written = |text: &str, source| life.main().learn(NewLesson::new(LessonKind::Mistake, text, vec![source]), None).unwrap().id;
        let older = written("Ask Maya before anything is booked", one);
        let newer = written("Before anything is booked, ask Maya!", two);
        let other = written("Never ask Maya before anything is booked", two);
        life.idles(5);
        let stands: Vec<LessonId> = life.lessons().iter().map(|card| card.lesson.id).collect();
        assert_eq!((stands.contains(&older), stands.contains(&newer), stands.contains(&other)), (true, false, true));
        let card = life.main().lesson(older).unwrap().unwrap();
        assert_eq!((card.lesson.occurrences, card.sources.as_slice()), (2, [one, two].as_slice()));
        let gone = life.main().lesson(newer).unwrap().unwrap();
        assert_eq!((gone.lesson.merged_into, gone.lesson.occurrences), (Some(older), 1));
        let refused = life.main().judge_lesson(newer, Judgement::Up, None).unwrap_err();
        assert!(refused.to_string().contains(&older.to_string()), "{refused}");
        assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
    }

    fn only_what_was_cited_is_rewarded_for_a_good_outcome(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let source = remember(&life.main(), "the trip");
        let written = |text: &str| life.main().learn(NewLesson::new(LessonKind::Mistake, text, vec![source]), None).unwrap().id;
        let (cited, other, failed) = (written("Ask Maya first"), written("Look at the calendar"), written("Sleep over it"));
        let citing = |id: LessonId| told("Booked it.", &format!(r#","lessons_applied":["{id}","{id}","les_invented"]"#));
        life.thinks(&[], &citing(cited));
        life.thinks(&[], &citing(failed).replace(r#""success":true"#, r#""success":false"#));
        life.idles(3);
        let sureness = |id| life.main().lesson(id).unwrap().unwrap().confidence;
        assert!(near((sureness(cited) * 1e3).round() / 1e3, 0.55), "{}", sureness(cited));
        assert!(sureness(other) < 0.5001 && sureness(failed) < 0.5001, "{} {}", sureness(other), sureness(failed));
    }

    fn what_a_doubtful_episode_says_makes_nothing_surer(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        (0..4).for_each(|_| drop(life.learns(ASK)));
        let doubtful = life.thinks(&[("web_search", "{}")], &learning(ASK));
        assert_eq!(doubtful.provenance.trust().value(), 0.4);
        let all = life.lessons();
        assert_eq!(all.len(), 2, "{all:?}");
        let of = |trust: f64| all.iter().find(|card| card.lesson.provenance.trust().value() == trust).unwrap();
        assert_eq!((of(0.5).lesson.occurrences, of(0.4).lesson.occurrences), (4, 1));
        assert_eq!(of(0.4).episodes, [doubtful.id]);
        let cited = of(0.5).lesson.id;
        let before = of(0.5).confidence;
        life.thinks(&[("web_search", "{}")], &told("Booked it.", &format!(r#","lessons_applied":["{cited}"]"#)));
        life.idles(4);
        assert!(life.main().lesson(cited).unwrap().unwrap().confidence <= before, "nor does it reward");
    }

    fn a_thinker_sees_patterns_and_may_cite_only_what_it_was_shown(bench: Bench) {
        let life = life(&bench, ThinkerKind::Model);
        let shown: Vec<EpisodeId> = (0..3).map(|_| life.thinks(&[], &told("Rested a while.", "")).id).collect();
        let hidden = life.thinks(&[("web_search", "{}")], &told("SECRET of the web.", "")).id;
        let pattern = |lesson: &str, ids: &[EpisodeId]| {
            let ids: Vec<String> = ids.iter().map(|id| format!("{:?}", id.to_string())).collect();
            format!(r#"{{"type":"success","lesson":"{lesson}","episodes":[{}]}}"#, ids.join(","))
        };
        life.script.lock().unwrap().patterns = format!(
            "[LESSONS_JSON][{},{},{}][/LESSONS_JSON]",
            pattern("A pause helps.", &shown[..2]),
            pattern("Invented.", &[EpisodeId::of(bench.fresh_id())]),
            pattern("From the web.", &[shown[0], hidden]),
        );
        life.idles(1);
        assert_eq!((life.lessons(), life.learned_until()), (vec![], None), "it waits for the thinker");
        assert_eq!(life.works(), [WorkOutcome::Done(None)]);
        let card = life.the_lesson();
        assert_eq!((card.lesson.lesson.as_str(), card.episodes.as_slice()), ("A pause helps.", &shown[..2]));
        assert_eq!(card.lesson.provenance.trust().value(), 0.5);
        assert!(life.learned_until().unwrap() > hidden);
        assert_eq!(life.reflections().len(), 1);
        let prompt = life.script.lock().unwrap().shown.remove(0);
        assert!(prompt.contains("Rested a while.") && !prompt.contains("SECRET"), "{prompt}");
        assert_eq!(life.works(), []);
    }

    fn the_agent_comes_for_its_lessons_itself(bench: Bench) {
        let life = life(&bench, ThinkerKind::Agent);
        let own = life.learns(ASK).id;
        life.idles(6);
        let handed = life.agent().next_work().unwrap().unwrap();
        assert_eq!(handed.kind, WorkKind::ExtractLessons);
        assert_eq!(handed.material.matches("epi_").count(), 5, "what had come when it was queued");
        let answer = format!(r#"[LESSONS_JSON][{{"type":"success","lesson":"{ASK}","episodes":["{own}"]}}][/LESSONS_JSON]"#);
        let returned = life.agent().complete_work(handed.id, handed.token, &answer).unwrap();
        assert_eq!((returned.again, returned.already), (None, false));
        let card = life.the_lesson();
        assert_eq!((card.lesson.lesson.as_str(), card.lesson.occurrences), (ASK, 1), "the same episode counts once");
        assert!(life.agent().complete_work(handed.id, handed.token, &answer).unwrap().already);
        assert_eq!(life.the_lesson().lesson.occurrences, 1);
        assert_eq!(life.agent().next_work().unwrap(), None, "two more are too few");
    }

    fn what_nobody_can_read_is_asked_for_as_often_as_the_settings_say_and_then_passed_over(bench: Bench) {
        let life = life_with(&bench, ThinkerKind::Model, |settings| settings.lessons.tries = 4);
        life.script.lock().unwrap().patterns = "I see no pattern".into();
        life.learns(ASK);
        life.idles(4);
        for attempt in 1..=4 {
            let came = life.works();
            assert_eq!((came.len(), matches!(came[0], WorkOutcome::Dead { .. })), (1, attempt == 4), "{came:?}");
            bench.clock().advance(20 * MINUTE);
        }
        let work = life.main().work(10).unwrap();
        let item = work.iter().find(|item| item.kind == WorkKind::ExtractLessons).unwrap();
        assert_eq!((item.state, item.attempts), (WorkState::Dead, 4));
        assert_eq!(life.learned_until().unwrap().to_string(), *item.about.last().unwrap());
        assert_eq!(life.the_lesson().lesson.lesson, ASK, "the rules learned from it all the same");
        assert_eq!(life.reflections().len(), 1);
        assert_eq!(life.works(), []);
        life.idles(4);
        assert_eq!(life.works(), [], "nor is it asked about again");
        life.idles(1);
        assert_eq!(life.works().len(), 1, "but the next five are");
    }

    fn what_is_sure_frequent_and_lasting_is_proposed_with_the_lesson_as_its_evidence(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        (0..10).for_each(|_| drop(life.learns(ASK)));
        bench.clock().advance(DAY);
        (0..5).for_each(|_| drop(life.learns(ASK)));
        let two_days = life.the_lesson();
        assert_eq!((two_days.lesson.occurrences, two_days.lesson.proposed), (15, None), "two days are not three");
        bench.clock().advance(DAY);
        (0..5).for_each(|_| drop(life.learns(ASK)));
        let card = life.the_lesson();
        let belief = card.lesson.proposed.unwrap();
        life.main().consolidate().unwrap();
        let told = life.main().know(&BeliefQuery { limit: 50, ..BeliefQuery::default() }).unwrap().beliefs;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].observation.id, told[0].observation.kind), (belief, ObservationKind::SelfModel));
        assert_eq!(told[0].observation.summary, ASK);
        assert_eq!(told[0].observation.provenance.trust().value(), 0.5);
        let why = life.main().why(belief).unwrap().unwrap();
        let evidence: Vec<_> = why.evidence.iter().map(|piece| (piece.evidence.source.sort, piece.evidence.source.id)).collect();
        assert_eq!(evidence, [(SourceSort::Lesson, card.lesson.id.id())]);
        (0..5).for_each(|_| drop(life.learns(ASK)));
        assert_eq!(life.the_lesson().lesson.proposed, Some(belief));
        let log = life.main().events(0, 1000).unwrap().events;
        assert_eq!(log.iter().filter(|(event, _)| event.act == "proposed").count(), 1, "once");
        assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
    }

    fn the_lessons_that_fit_go_into_the_context_five_at_most(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let source = remember(&life.main(), "a source");
        let texts = ["Boil water first", "Ask Maya about paint", "Close the window", "Lock the door", "Feed the cat", "Water the plants"];
        let written = |text: &str| life.main().learn(NewLesson::new(LessonKind::Success, text, vec![source]), None).unwrap().id;
        let ids: Vec<LessonId> = texts.iter().map(|text| written(text)).collect();
        for _ in 0..3 {
            life.main().judge_lesson(ids[3], Judgement::Up, None).unwrap();
        }
        let shown = |query: Option<&str>| -> Vec<String> {
            let occasion = Occasion { query: query.map(str::to_owned), ..Occasion::default() };
            let context = life.main().context(&occasion).unwrap();
            let section = context.sections.into_iter().find(|section| section.kind == SectionKind::Lessons).unwrap();
            section.items.into_iter().map(|item| item.id).collect()
        };
        let asked = shown(Some("which paint would Maya like"));
        assert_eq!(asked.len(), 5);
        assert_eq!(asked[..2], [ids[1].to_string(), ids[3].to_string()], "what fits, then what is surest");
        assert_eq!(shown(None)[0], ids[3].to_string());
        for _ in 0..20 {
            life.main().judge_lesson(ids[1], Judgement::Down, None).unwrap();
        }
        assert!(!shown(Some("which paint would Maya like")).contains(&ids[1].to_string()), "too doubtful, however well it fits");
        life.thinks(&[], &told("Nothing much.", ""));
        bench.clock().advance(120 * DAY);
        assert_eq!(shown(None), [""; 0], "all have faded");
    }

    fn every_day_on_which_it_thought_has_a_reflection(bench: Bench) {
        let life = life_with(&bench, ThinkerKind::None, |settings| settings.contemplation.enabled = false);
        life.mind.ensure_house_duties().unwrap();
        let hours = |count: u32| {
            for _ in 0..count {
                bench.clock().advance(61 * MINUTE);
                jobs::scheduler(life.mind.settings()).step(&life.mind).unwrap();
            }
        };
        let days = || -> Vec<Vec<EpisodeId>> { life.reflections().into_iter().rev().map(|card| card.episodes).collect() };
        let first = life.thinks(&[], &told("Tuesday's thought.", "")).id;
        hours(3);
        assert_eq!(days(), [[]; 0], "the day is not over");
        hours(15);
        assert_eq!(days(), [[first]]);
        life.thinks(&[], "nothing that could be read");
        hours(24);
        assert_eq!(days(), [[first]], "once, and that day has nothing to reflect on");
        let third = [life.thinks(&[], &told("A thought.", "")).id, life.thinks(&[], &told("Another.", "")).id];
        hours(24);
        assert_eq!(days(), [vec![first], third.to_vec()]);
        assert_eq!(life.learned_until(), None, "four episodes are too few to learn from");
        let content = life.reflections()[0].reflection.content.clone();
        assert!(content.starts_with("2 episodes on 2026-02-05: 2 got somewhere (100%)."), "{content}");
        let fifth = life.thinks(&[], &told("Enough now.", "")).id;
        let batch = vec![first, third[0], third[1], fifth];
        assert_eq!(days()[2..], [batch], "that of a batch is that of its last day");
        hours(24);
        assert_eq!(days().len(), 3);
    }

    fn a_batch_that_ends_on_a_later_day_leaves_no_day_out(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let mut all = vec![life.thinks(&[], &told("Tuesday's thought.", "")).id];
        bench.clock().advance(DAY);
        all.extend((0..4).map(|_| life.thinks(&[], &told("Nothing much.", "")).id));
        let days: Vec<Vec<EpisodeId>> = life.reflections().into_iter().map(|card| card.episodes).collect();
        assert_eq!(days.len(), 2, "{days:?}");
        assert!(days.contains(&all[..1].to_vec()) && days.contains(&all), "{days:?}");
    }

    fn what_was_learned_only_from_what_is_forgotten_goes_with_it(bench: Bench) {
        let life = life(&bench, ThinkerKind::None);
        let zebra = life.thinks(&[], &told("The zebra came.", r#","lesson":"Zebras bite.","intent":"see the zebra""#));
        let quoted = r#","lesson":"Ask Maya before anything is booked.","intent":"meet the zebra""#;
        let both = life.thinks(&[], &told("The zebra went.", quoted));
        life.learns(ASK);
        life.idles(2);
        assert_eq!((life.lessons().len(), life.reflections().len()), (2, 1));
        life.main().forget(zebra.memory, None).unwrap();
        assert_eq!((life.the_lesson().lesson.lesson.as_str(), life.reflections()), (ASK, vec![]));
        assert_eq!(life.the_lesson().lesson.context.as_deref(), Some("meet the zebra"), "of another episode");
        life.main().forget(both.memory, None).unwrap();
        let left = life.the_lesson();
        assert_eq!((left.lesson.context.as_deref(), left.episodes.len()), (None, 1));
        assert_eq!(life.mind.verify().unwrap().problems, [""; 0]);
    }
}

//! How lessons are drawn, compared, judged, forgotten slowly, proposed and chosen.

use selfsame_core::contemplation::{
    Account, CallOutcome, Captured, Energy, Episode, EpisodeKind, Mood, Outcome, Parse,
};
use selfsame_core::id::{AgentId, CycleId, EpisodeId, LessonId, MemoryId, Mint};
use selfsame_core::knowledge::ObservationKind;
use selfsame_core::knowledge::claim::About;
use selfsame_core::lesson::evaluate::evaluate;
use selfsame_core::lesson::extract::extract;
use selfsame_core::lesson::inject::{Choice, Weights, chosen};
use selfsame_core::lesson::judge::{Penalties, followed, judged, rewarded};
use selfsame_core::lesson::patterns::{Unreadable, read_patterns};
use selfsame_core::lesson::propose::{Ripe, proposal};
use selfsame_core::lesson::sameness::{Gist, merges, reinforced};
use selfsame_core::lesson::{Judgement, LedgerEntry, Lesson, LessonKind, MAX_FIELD_BYTES, confidence_at};
use selfsame_core::time::{Time, Zone};
use std::collections::BTreeSet;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);
const START: Time = Time::from_micros(1_772_452_800_000_000); // 2026-03-02 12:00 UTC

fn day(number: u32) -> Time {
    START.saturating_add(DAY * number)
}

fn mint() -> Mint {
    Mint::new([7; 32])
}

/// Ids in order: the first sorts before the second.
fn ids(count: u32) -> Vec<EpisodeId> {
    let mint = mint();
    (0..count).map(|number| EpisodeId::of(mint.id(day(number)))).collect()
}

fn account() -> Account {
    Account {
        outcome: Outcome { result: "done".into(), summary: "It is done".into() },
        success: true,
        mood: Mood { state: "calm".into(), energy: Energy::Medium },
        ..Account::empty(EpisodeKind::Contemplation, "interval")
    }
}

fn episode(id: EpisodeId, at: Time) -> Episode {
    let other = mint().id(START);
    Episode {
        id,
        agent: AgentId::of(other),
        cycle: CycleId::of(other),
        memory: MemoryId::of(other),
        captured: Captured { account: account(), parse: Parse::Tagged, repairs: Vec::new() },
        said: String::new(),
        successful: true,
        why_not: None,
        tools: Vec::new(),
        thinker: "model".into(),
        model: None,
        tokens_spent: 0,
        millis: 0,
        seed: 0,
        signature: [0; 32],
        began_at: at,
        created_at: at,
    }
}

fn learned(id: EpisodeId, text: &str) -> Episode {
    let mut episode = episode(id, START);
    episode.captured.account.lesson = Some(text.into());
    episode
}

fn call(tool: &str, outcome: CallOutcome, episode: EpisodeId) -> LedgerEntry {
    LedgerEntry { tool: tool.into(), outcome, at: START, episode }
}

fn lesson(id: LessonId, text: &str) -> Lesson {
    Lesson {
        id,
        agent: AgentId::of(mint().id(START)),
        kind: LessonKind::Discovery,
        context: None,
        action: None,
        outcome: None,
        lesson: text.into(),
        correction: None,
        tags: Vec::new(),
        tools: Vec::new(),
        created_at: START,
        confidence: 0.5,
        judged_at: START,
        occurrences: 1,
        last_seen_at: START,
        updated_at: START,
        merged_into: None,
        proposed: None,
    }
}

fn lesson_ids(count: u32) -> Vec<LessonId> {
    ids(count).into_iter().map(|id| LessonId::of(id.id())).collect()
}

#[test]
fn lesson_what_is_not_seen_again_is_half_as_sure_after_sixty_days_and_never_nothing() {
    let at = |days| confidence_at(0.8, START, day(days), DAY * 60, 0.05);
    assert_eq!((at(0), at(60), at(120)), (0.8, 0.4, 0.2));
    assert_eq!(at(240), 0.05, "0.8 in four half-lives is the floor");
    assert_eq!(at(10_000), 0.05);
    assert_eq!(
        confidence_at(0.8, day(1), START, DAY * 60, 0.05),
        0.8,
        "a clock that went back takes nothing"
    );
}

#[test]
fn lesson_a_tool_that_failed_and_then_ran_is_a_workaround() {
    use CallOutcome::{Failed, Ran, Refused};
    let ids = ids(3);
    let episodes: Vec<Episode> = ids.iter().map(|id| episode(*id, START)).collect();
    let drawn = |outcomes: &[(CallOutcome, usize)]| {
        let ledger: Vec<LedgerEntry> =
            outcomes.iter().map(|(outcome, at)| call("search", *outcome, ids[*at])).collect();
        let told =
            |draft: selfsame_core::lesson::LessonDraft| (draft.kind, draft.outcome.unwrap(), draft.sources);
        extract(&episodes, &ledger).into_iter().map(told).collect::<Vec<_>>()
    };
    let workaround = |sources: &[usize]| {
        (LessonKind::Workaround, "it ran".to_owned(), sources.iter().map(|at| ids[*at]).collect::<Vec<_>>())
    };
    assert_eq!(drawn(&[(Failed, 0), (Ran, 1)]), [workaround(&[0, 1])]);
    assert_eq!(drawn(&[(Ran, 0), (Failed, 1)]), [], "it did not get around anything");
    assert_eq!(drawn(&[(Refused, 0), (Ran, 1)]), [], "what was refused did not fail");
    assert_eq!(drawn(&[(Failed, 0), (Refused, 1)]), []);
    let mistake = (LessonKind::Mistake, "it failed 3 times".to_owned(), vec![ids[0], ids[2]]);
    assert_eq!(drawn(&[(Failed, 0), (Failed, 0), (Failed, 2)]), [mistake]);
    assert_eq!(drawn(&[(Failed, 0), (Failed, 0), (Refused, 2)]), [], "two failures are not three");
    assert_eq!(
        drawn(&[(Failed, 0), (Ran, 1), (Ran, 2)]),
        [workaround(&[0, 1])],
        "what came later adds nothing"
    );
}

#[test]
fn lesson_failures_of_two_tools_are_not_added_up() {
    let id = ids(1)[0];
    let ledger = ["a", "a", "b"].map(|tool| call(tool, CallOutcome::Failed, id));
    assert_eq!(extract(&[episode(id, START)], &ledger), []);
    let ran_elsewhere = [call("a", CallOutcome::Failed, id), call("b", CallOutcome::Ran, id)];
    assert_eq!(extract(&[episode(id, START)], &ran_elsewhere), []);
}

#[test]
fn lesson_what_could_not_be_read_and_rest_teach_nothing() {
    let ids = ids(2);
    let (mut fallback, mut rest) = (learned(ids[0], "Ask first"), learned(ids[1], "Ask first"));
    fallback.captured.parse = Parse::Fallback;
    rest.captured.account.kind = EpisodeKind::Rest;
    let ledger: Vec<LedgerEntry> = ids
        .iter()
        .flat_map(|id| [CallOutcome::Failed, CallOutcome::Ran].map(|outcome| call("search", outcome, *id)))
        .collect();
    assert_eq!(extract(&[fallback, rest], &ledger), []);
}

#[test]
fn lesson_an_episode_says_what_it_learned_and_the_record_says_of_which_sort() {
    let ids = ids(4);
    let mut with_tools = learned(ids[0], "Ask `Web_Search` first, then notes.");
    with_tools.captured.account.tools_used = vec!["web_search".into(), "notes".into(), "diary".into()];
    with_tools.captured.account.actions_taken = vec!["searched".into(), "wrote".into()];
    with_tools.captured.account.intent = Some("find the place".into());
    let mut failed = learned(ids[1], "Ask first");
    failed.successful = false;
    let mut surprising = learned(ids[2], "Ask first");
    surprising.captured.account.unexpected = Some("it was closed".into());
    let drafts = extract(&[with_tools, failed, surprising, learned(ids[3], " \n ")], &[]);
    let kinds: Vec<LessonKind> = drafts.iter().map(|draft| draft.kind).collect();
    assert_eq!(kinds, [LessonKind::Success, LessonKind::Mistake, LessonKind::Discovery]);
    let first = &drafts[0];
    assert_eq!(first.tools, ["notes", "web_search"], "those that it names");
    assert_eq!(first.action.as_deref(), Some("searched; wrote"));
    assert_eq!(
        (first.context.as_deref(), first.outcome.as_deref()),
        (Some("find the place"), Some("It is done"))
    );
    assert_eq!((first.sources.as_slice(), drafts[1].context.as_deref()), (&ids[..1], Some("interval")));
}

#[test]
fn lesson_what_was_quoted_to_the_thinker_is_not_learned_and_long_words_are_cut() {
    let ids = ids(2);
    let quoted = selfsame_core::fence::quote("memories", "obey me");
    let long = "é".repeat(MAX_FIELD_BYTES);
    let drafts = extract(&[learned(ids[0], &format!("Ask first\n{quoted}")), learned(ids[1], &long)], &[]);
    assert_eq!(drafts[0].lesson, "Ask first");
    assert_eq!(drafts[1].lesson.len(), MAX_FIELD_BYTES);
    assert_eq!(extract(&[learned(ids[0], &quoted)], &[]), [], "nothing of its own");
}

#[test]
fn lesson_patterns_are_taken_only_about_episodes_that_were_shown() {
    let ids = ids(3);
    let allowed: BTreeSet<String> = ids[..2].iter().map(ToString::to_string).collect();
    let pattern = |kind: &str, episodes: &str| {
        format!(r#"{{"type":"{kind}","lesson":"Rest helps","episodes":{episodes}}}"#)
    };
    let both = format!(r#"["{}","{}"]"#, ids[1], ids[0]);
    let read = |patterns: &[String]| {
        read_patterns(&format!("I think\n[LESSONS_JSON][{}][/LESSONS_JSON] so", patterns.join(",")), &allowed)
            .unwrap()
    };
    let good = read(&[pattern("success", &both)]);
    assert_eq!((good.drafts.len(), good.dropped), (1, 0));
    assert_eq!((good.drafts[0].sources.as_slice(), good.drafts[0].kind), (&ids[..2], LessonKind::Success));
    for bad in [
        pattern("success", &format!(r#"["{}","{}"]"#, ids[0], ids[2])),
        pattern("success", r#"["epi_invented"]"#),
        pattern("success", "[]"),
        pattern("success", r#""all""#),
        pattern("wisdom", &both),
        r#"{"type":"success","lesson":" ","episodes":[]}"#.to_owned(),
        "3".to_owned(),
    ] {
        let read = read(&[bad.clone(), pattern("mistake", &both)]);
        assert_eq!((read.drafts.len(), read.dropped), (1, 1), "{bad}");
    }
    assert_eq!(read(&[]).drafts, [], "nothing to learn is an answer");
    let many = read(&vec![pattern("success", &both); 25]);
    assert_eq!((many.drafts.len(), many.dropped), (20, 5));
}

#[test]
fn lesson_a_reply_without_a_list_cannot_be_read() {
    let none = BTreeSet::new();
    for reply in [
        "",
        "no",
        "[LESSONS_JSON]",
        "[] [/LESSONS_JSON]",
        "[LESSONS_JSON]{}[/LESSONS_JSON]",
        "[LESSONS_JSON]x[/LESSONS_JSON]",
    ] {
        assert_eq!(read_patterns(reply, &none), Err(Unreadable), "{reply}");
    }
    let last = "[LESSONS_JSON][1][/LESSONS_JSON] or [LESSONS_JSON]{\"lessons\":[1,2]}[/LESSONS_JSON] or [LESSONS_JSON]x[/LESSONS_JSON]";
    assert_eq!(read_patterns(last, &none).unwrap().dropped, 2, "the last that can be read");
    assert_eq!(
        read_patterns("[LESSONS_JSON] ```json\n[1, 2, 3,]\n```", &none).unwrap().dropped,
        3,
        "as models write"
    );
}

#[test]
fn lesson_the_same_is_the_same_tools_and_most_of_the_words() {
    let of = |text: &str| Gist::of(text, &[]);
    let one = of("alpha bravo charlie delta echo foxtrot golf hotel");
    assert_eq!(one.overlap(&of("alpha bravo charlie delta echo foxtrot golf hotel india juliet")), 0.8);
    assert!(
        one.is_same(&of("alpha bravo charlie delta echo foxtrot golf hotel india juliet"), 0.8),
        "8 of 10"
    );
    let nine = of("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo");
    assert!(!one.is_same(&nine, 0.8), "8 of 11");
    assert!(one.is_same(&nine, 0.7));
    let search = |text: &str| Gist::of(text, &["search".into()]);
    assert!(
        !one.is_same(&search("alpha bravo charlie delta echo foxtrot golf hotel"), 0.8),
        "of another tool"
    );
    assert!(search("it fails").is_same(&Gist::of("It fails!", &["Search".into()]), 0.8));
    let asks = of("Ask Maya before you book a trip to the sea");
    assert!(!asks.is_same(&of("Never ask Maya before you book a trip to the sea"), 0.8), "the opposite");
    let waits = of("Wait 5 seconds before the build is started again there");
    assert!(!waits.is_same(&of("Wait 50 seconds before the build is started again there"), 0.8));
    assert!(of("!!").is_same(&of("!!"), 0.8) && !of("!!").is_same(&of("??"), 0.8));
    assert_eq!((reinforced(0.5, 0.1), reinforced(0.95, 0.1)), (0.6, 1.0));
}

#[test]
fn lesson_near_duplicates_go_on_in_the_oldest() {
    let ids = lesson_ids(4);
    let of = |at: usize, text: &str| (ids[at], Gist::of(text, &[]));
    let lessons = [of(2, "ask first"), of(0, "Ask first."), of(3, "rest helps"), of(1, "first ask")];
    assert_eq!(merges(&lessons, 0.8), [(ids[1], ids[0]), (ids[2], ids[0])]);
    assert_eq!(merges(&[of(0, "ask first"), of(1, "rest helps")], 0.8), []);
}

#[test]
fn lesson_judgements_take_and_give_little_and_never_go_below_the_floor() {
    let penalties = Penalties { down: 0.05, unhelpful: 0.03 };
    let after = |judgement| judged(0.5, judgement, penalties, 0.05);
    assert_eq!(
        (after(Judgement::Up), after(Judgement::Down), after(Judgement::Unhelpful)),
        (0.55, 0.45, 0.47)
    );
    assert_eq!(judged(0.07, Judgement::Down, penalties, 0.05), 0.05);
    assert_eq!(judged(0.06, Judgement::Unhelpful, penalties, 0.05), 0.05);
    assert_eq!((rewarded(0.5), rewarded(0.98)), (0.55, 1.0));
}

#[test]
fn lesson_only_what_a_successful_episode_cites_was_followed() {
    let (id, lessons) = (ids(1)[0], lesson_ids(2));
    let mut good = episode(id, START);
    let cited =
        [lessons[1].to_string(), "les_nonsense".into(), lessons[0].to_string(), lessons[1].to_string()];
    good.captured.account.lessons_applied = cited.to_vec();
    assert_eq!(followed(&good), lessons);
    let failed = Episode { successful: false, ..good.clone() };
    let mut fallback = good.clone();
    fallback.captured.parse = Parse::Fallback;
    assert_eq!((followed(&failed), followed(&fallback)), (vec![], vec![]));
}

#[test]
fn lesson_it_is_proposed_when_it_is_sure_frequent_and_not_of_one_day() {
    let ripe = Ripe { confidence: 0.9, occurrences: 10, days: 3 };
    assert!(ripe.is_met(0.9, 10, 3));
    assert!(!ripe.is_met(0.89, 10, 3) && !ripe.is_met(0.9, 9, 3) && !ripe.is_met(0.9, 10, 2));
    let mut of_a_tool = lesson(lesson_ids(1)[0], "search keeps failing");
    assert_eq!(
        (proposal(&of_a_tool).about, proposal(&of_a_tool).kind),
        (About::Agent, ObservationKind::SelfModel)
    );
    of_a_tool.tools = vec!["search".into()];
    let proposed = proposal(&of_a_tool);
    assert_eq!((proposed.kind, proposed.many), (ObservationKind::ToolingState, true));
    assert!(matches!(proposed.about, About::Named { name, .. } if name == "search"));
    of_a_tool.tools.push("notes".into());
    assert_eq!(
        proposal(&of_a_tool).about,
        About::Agent,
        "of several it is about how the agent works with them"
    );
}

fn choice() -> Choice {
    Choice {
        weights: Weights { confidence: 0.4, overlap: 0.3, recency: 0.2, occurrences: 0.1 },
        least_confidence: 0.3,
        most: 5,
        half_life: DAY * 60,
        floor: 0.05,
    }
}

#[test]
fn lesson_the_score_is_the_weighted_sum() {
    let mut one = lesson(lesson_ids(1)[0], "Ask Maya early");
    (one.confidence, one.occurrences) = (0.8, 5);
    let found = chosen([&one], "what would Maya paint", &choice(), day(60));
    // 0.4 x 0.4 + 0.3 x 1/2 (maya, of maya and paint) + 0.2 x 0.5 + 0.1 x 0.5
    assert!((found[0].score - 0.46).abs() < 1e-12, "{found:?}");
    assert_eq!(found[0].confidence, 0.4);
    one.occurrences = 1000;
    let found = chosen([&one], "", &choice(), START);
    assert!((found[0].score - (0.32 + 0.2 + 0.1)).abs() < 1e-12, "often counts once: {found:?}");
}

#[test]
fn lesson_at_most_five_are_chosen_none_doubtful_none_merged_and_ties_go_to_the_older() {
    let ids = lesson_ids(8);
    let mut lessons: Vec<Lesson> = ids.iter().rev().map(|id| lesson(*id, "Ask first")).collect();
    let best = |lessons: &[Lesson]| -> Vec<LessonId> {
        chosen(lessons, "nothing", &choice(), START).iter().map(|one| one.id).collect()
    };
    assert_eq!(best(&lessons), ids[..5]);
    lessons[7].confidence = 0.29;
    lessons[6].merged_into = Some(ids[2]);
    lessons[0].lesson = "nothing is lost".into();
    assert_eq!(best(&lessons), [ids[7], ids[2], ids[3], ids[4], ids[5]]);
    lessons[0].confidence = 0.3;
    assert!(best(&lessons).contains(&ids[7]), "at the bound it is taken");
}

#[test]
fn lesson_a_stretch_of_episodes_is_told_in_plain_words() {
    let ids = ids(4);
    let mut episodes: Vec<Episode> = (0..4).map(|at| episode(ids[at], day(at as u32 / 2))).collect();
    for (episode, valence) in episodes.iter_mut().zip([-1.0, 0.0, 1.0, 1.0]) {
        episode.captured.account.valence = valence;
    }
    episodes[1].captured.account.outcome.result = "stuck".into();
    (episodes[1].successful, episodes[1].why_not) = (false, Some("nothing came of it".into()));
    let outcomes = [CallOutcome::Failed, CallOutcome::Failed, CallOutcome::Ran, CallOutcome::Refused];
    let ledger = outcomes.map(|outcome| call("search", outcome, ids[0]));
    let all: Vec<&Episode> = episodes.iter().collect();
    assert_eq!(
        evaluate(&all, &ledger, &Zone::utc()).unwrap(),
        "4 episodes from 2026-03-02 to 2026-03-03: 3 got somewhere (75%). What stood in the way: nothing came of it. \
         The mood rose from -0.5 to 1.0, last \"calm\". The same outcome came up again: done (3 times). Tools that \
         failed: search in 2 of 3 calls."
    );
    assert_eq!(
        evaluate(&all[2..3], &[], &Zone::utc()).unwrap(),
        "One episode on 2026-03-03: it got somewhere. The mood was 1.0, last \"calm\"."
    );
    assert_eq!(
        evaluate(&all[2..], &[], &Zone::utc()).unwrap(),
        "2 episodes on 2026-03-03: 2 got somewhere (100%). The mood held steady around 1.0, last \"calm\". The same \
         outcome came up again: done (2 times)."
    );
    let mut fallback = episodes[0].clone();
    fallback.captured.parse = Parse::Fallback;
    assert_eq!(evaluate(&[&fallback], &ledger, &Zone::utc()), None);
}

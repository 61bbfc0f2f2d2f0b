//! Self-care: what is old is folded into summaries, batch by batch, and nothing that somebody counts on goes with it.

use crate::conversation::say;
use crate::remember::remember;
use selfsame::agent::Agent;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::context::{Occasion, SectionKind};
use selfsame::conversation::{Place, Saying};
use selfsame::id::{ConversationId, Id, MemoryId, MessageId, SummaryId};
use selfsame::kept::Kept;
use selfsame::knowledge::BeliefQuery;
use selfsame::memory::{Draft, Memory, MemoryKind, State};
use selfsame::recall::{Filter, Layer, Mode, Question};
use selfsame::self_care::{CareOutcome, CareReport, CareRequest, CareStep, Held, What, WrittenBy};
use selfsame::summary::{Summary, SummaryCard};
use selfsame::time::Time;
use selfsame::trust::{Caller, Privacy, Provenance};
use selfsame::{Access, Class, Mind, Speaker, jobs};
use selfsame_core::conversation::{Message, Role};
use selfsame_core::memory::sameness::Prints;
use selfsame_store::conversations::{self, Conversation};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{memory, messages, principals};
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::{Bench, Trap, both_engines, dump};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

fn agent(mind: &Mind) -> Access<'_> {
    mind.access("main", Speaker::Agent(None)).unwrap()
}

fn care(access: &Access, what: What, focus: Option<&str>) -> CareReport {
    access.self_care(&CareRequest { focus: focus.map(str::to_owned), what }).unwrap()
}

fn refusal(access: &Access) -> (Class, String) {
    let error = access.self_care(&CareRequest::default()).unwrap_err();
    (error.class(), error.to_string())
}

/// Some memories that may be folded.
fn facts(access: &Access, count: usize) -> Vec<MemoryId> {
    (0..count)
        .map(|n| remember(access, &format!("Crate {n} has {} apples from the orchard", n * 7)))
        .collect()
}

fn current(access: &Access) -> Vec<SummaryCard> {
    access.summaries(false, 200).unwrap().summaries
}

fn mapped<T>(cards: &[SummaryCard], of: impl Fn(&Summary) -> T) -> Vec<T> {
    cards.iter().map(|card| of(&card.summary)).collect()
}

fn state(access: &Access, id: MemoryId) -> (State, Option<Id>) {
    let memory = access.memory(id).unwrap().unwrap();
    (memory.life.state, memory.life.summarized_into)
}

/// Stores many memories at once, without their index: what is folded is rows.
fn flood(mind: &Mind, texts: &[String]) {
    let (agent, now) = (mind.require_agent("main").unwrap(), mind.now());
    let provenance = Provenance::stated(&Caller::operator(agent.operator), None, Privacy::Shared);
    let ids = minted(now, texts.len());
    let caller = Caller::operator(agent.operator);
    mind.store()
        .write(&caller, &[agent.id], None, |writer| {
            for (text, id) in texts.iter().zip(&ids) {
                let memory = Memory::from_draft(
                    MemoryId::of(*id),
                    agent.id,
                    Draft::new(text),
                    provenance.clone(),
                    now,
                );
                let memory = memory.counted(selfsame::tokens::count(text));
                memory::insert(writer, &memory, &Prints::of(text), None)?;
            }
            Ok(())
        })
        .unwrap();
}

/// Files many messages of a conversation with the operator at once.
fn chatter(mind: &Mind, channel: &str, texts: &[String]) -> ConversationId {
    let (agent, now) = (mind.require_agent("main").unwrap(), mind.now());
    let caller = Caller::operator(agent.operator);
    let ids = minted(now, texts.len() + 1);
    let id = ConversationId::of(ids[0]);
    mind.store()
        .write(&caller, &[agent.id], None, |writer| {
            let operator = principals::by_id(writer, agent.id, agent.operator)?.unwrap();
            let mut row = Conversation {
                id,
                channel: Some(channel.into()),
                title: None,
                principal: Some(agent.operator),
                started_at: now,
                last_message_at: None,
                active_until: None,
                closed_at: None,
                last_seq: 0,
                own_messages: 0,
                awaiting: false,
                sitting_at: None,
                wrote_at: None,
                summarized_until: 0,
            };
            conversations::insert(writer, agent.id, &row)?;
            for (n, text) in texts.iter().enumerate() {
                let mine = n % 2 == 1;
                let said_by = if mine { Caller::agent(Some(agent.operator)) } else { caller };
                let message = Message {
                    id: MessageId::of(ids[n + 1]),
                    agent: agent.id,
                    conversation: id,
                    seq: n as i64 + 1,
                    role: if mine { Role::Assistant } else { Role::User },
                    speaker: (!mine).then_some(operator.entity),
                    content: text.clone(),
                    created_at: now,
                    archived_at: None,
                };
                let kept = Kept::new(message, Provenance::stated(&said_by, None, Privacy::Shared));
                messages::insert(writer, &kept.counted(selfsame::tokens::count(text)))?;
            }
            row.last_seq = texts.len() as i64;
            row.last_message_at = Some(now);
            conversations::advance(writer, agent.id, &row)
        })
        .unwrap();
    id
}

/// Ids of one moment, in their order.
fn minted(now: Time, count: usize) -> Vec<Id> {
    let mint = selfsame::id::Mint::new([9; 32]);
    let mut ids = vec![mint.id(now)];
    while ids.len() < count {
        ids.push(mint.id_after(now, ids[ids.len() - 1]));
    }
    ids
}

fn watermark(mind: &Mind, id: ConversationId) -> i64 {
    let agent = mind.require_agent("main").unwrap().id;
    let read = |reader: &mut selfsame_store::Reader| conversations::by_id(reader, agent, id);
    mind.store().read(&Caller::agent(None), &[agent], read).unwrap().unwrap().summarized_until
}

fn unarchived(access: &Access) -> u64 {
    access.conversation_list(None, 10).unwrap().unarchived
}

/// Settings under which small numbers are enough.
fn small() -> Settings {
    let mut settings = Settings::default();
    settings.self_care.batch = 10;
    settings.self_care.least = 5;
    settings.self_care.least_focused = 2;
    settings.self_care.recent_messages = 2;
    settings
}

fn thinking(bench: &Bench, settings: Settings, thinker: &Arc<ScriptedThinker>) -> Mind {
    let theirs = Arc::new(OneThinker(Arc::clone(thinker)));
    let mind = bench.open_as(settings, |opening| opening.thinkers(theirs));
    mind.ensure_agent("main").unwrap();
    mind
}

fn by(kind: ThinkerKind) -> Settings {
    let mut settings = small();
    settings.thinker.kind = kind;
    settings
}

/// Every memory is in mind and in no summary, or in the archive and in exactly one that is there and names it.
fn assert_whole(mind: &Mind, ids: &[MemoryId], said: u64) {
    let access = mind.access("main", Speaker::Operator).unwrap();
    let all = access.summaries(true, 200).unwrap().summaries;
    let linked: Vec<Id> = all.iter().flat_map(|card| card.sources.iter().map(|(_, id)| *id)).collect();
    assert_eq!(linked.len(), linked.iter().collect::<BTreeSet<_>>().len(), "nothing is folded twice");
    for id in ids {
        match state(&access, *id) {
            (State::Archived, Some(into)) => {
                let card = all.iter().find(|card| card.summary.id().id() == into);
                assert!(card.expect("its summary is there").sources.iter().any(|(_, one)| *one == id.id()));
            }
            (State::Active, None) => assert!(!linked.contains(&id.id())),
            other => panic!("half folded: {other:?}"),
        }
    }
    for card in &all {
        if let Some(row) = card.summary.of_memories().filter(|row| row.depth == 1) {
            assert_eq!(row.memories as usize, card.sources.len());
        }
    }
    let told: u64 = all
        .iter()
        .filter_map(|card| card.summary.of_conversation())
        .filter(|row| row.folded_into.is_none())
        .map(|row| u64::from(row.messages))
        .sum();
    assert_eq!(
        told + unarchived(&access),
        said,
        "a message is in the archive and in the summary, or in neither"
    );
    assert_eq!(mind.verify().unwrap().problems, [""; 0]);
}

both_engines! {
    fn twenty_nine_are_left_alone_and_thirty_are_folded(bench: Bench) {
        let ids = facts(&bench.main(), 29);
        let (before, own) = (bench.dump(), agent(bench.mind()));
        let report = care(&own, What::Memories, None);
        let CareOutcome::Nothing(why) = &report.outcome else { panic!("{report:?}") };
        assert!(why.contains("29 of your memories") && why.contains("30 are the least"), "{why}");
        assert!(matches!(own.self_care_begin(&CareRequest::default()).unwrap(), CareStep::Nothing(_)));
        assert_eq!(bench.dump(), before, "nothing has changed");
        let then = bench.mind().now();
        bench.clock().advance(DAY);
        let last = remember(&bench.main(), "The cellar holds pears, too");
        let report = care(&own, What::Memories, None);
        assert_eq!((report.outcome, report.memories, report.summaries.len()), (CareOutcome::Done, 30, 1));
        let card = own.summary(report.summaries[0]).unwrap().unwrap();
        let summary = card.summary.of_memories().unwrap();
        assert_eq!((card.sources.len(), summary.memories, summary.written_by), (30, 30, WrittenBy::Extract));
        assert!(summary.content.starts_with("Sentences chosen from 30 memories; nobody wrote this."), "{}", summary.content);
        assert!(summary.themes.contains(&"apples".to_owned()), "{:?}", summary.themes);
        assert_eq!(state(&own, last), (State::Archived, Some(summary.id.id())));
        // Out of mind, and within reach: by its id, by who looks back, and as it was.
        let ask = |mode, as_of| {
            let question = Question { mode, as_of, ..Question::new("crate 17 apples orchard") };
            own.recall(&question).unwrap().hits.iter().any(|hit| hit.found.id() == ids[17].id())
        };
        assert!(!ask(Mode::Balanced, None));
        assert!(ask(Mode::Historical, None) && ask(Mode::Timeline, None) && ask(Mode::Balanced, Some(then)));
        assert!(own.memory(ids[17]).unwrap().is_some());
        let again = care(&own, What::Memories, None);
        assert!(matches!(again.outcome, CareOutcome::Nothing(_)));
        assert_whole(bench.mind(), &ids, 0);
    }

    /// What was folded is found through what it became, like anything else that is known.
    fn what_was_folded_is_found_through_its_summary(bench: Bench) {
        let mind = bench.open_settings(small());
        mind.ensure_agent("main").unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let own = agent(&mind);
        let mut ids = facts(&operator, 8);
        ids.push(remember(&operator, "The spare key of the boathouse hangs behind the third lantern"));
        ids.push(remember(&operator, "The otters came back to the weir"));
        for text in ["The violin teacher is called Ottoline Marsh.", "Well, so it goes.", "And so on.", "And on."] {
            say(&operator, "terminal", text);
        }
        let asked = "where does the spare key of the boathouse hang";
        let ask = |access: &Access, question: Question| access.recall(&question).unwrap();
        let found = |answer: &selfsame::recall::Recalled| -> Vec<(Option<SummaryId>, String)> {
            answer.hits.iter().map(|hit| (hit.found.summary().map(|card| card.summary.id()), hit.found.content().to_owned())).collect()
        };
        let before = ask(&own, Question::new(asked));
        assert_eq!(found(&before)[0], (None, "The spare key of the boathouse hangs behind the third lantern".into()));
        let then = mind.now();
        bench.clock().advance(DAY);
        let report = care(&own, What::Both, None);
        assert_eq!(report.summaries.len(), 2);
        let answer = ask(&own, Question::new(asked));
        let [hit] = answer.hits.as_slice() else { panic!("{:?}", found(&answer)) };
        let card = hit.found.summary().expect("a summary");
        assert!(card.summary.content().contains("behind the third lantern"));
        let mut sources: Vec<Id> = card.sources.iter().map(|(_, id)| *id).collect();
        sources.sort();
        assert_eq!(sources, ids.iter().map(|id| id.id()).collect::<Vec<_>>(), "with what it was made from");
        assert_eq!(hit.found.provenance().trust().value(), 1.0);
        let (parts, factor): (f64, f64) = (hit.parts.iter().map(|part| part.added).sum(), hit.factor);
        assert!((parts - hit.fit).abs() < 1e-9 && (hit.fit * factor - hit.score).abs() < 1e-9, "{hit:?}");
        assert!(hit.words.iter().any(|word| word.word.starts_with("boathous")), "{:?}", hit.words);
        // What was said is found through the summary of the conversation, by what is carried on word by word as well.
        let talk = ask(&own, Question::new("what is the violin teacher called"));
        let of = talk.hits.iter().find_map(|hit| hit.found.summary()).expect("a summary").summary.of_conversation();
        assert!(of.expect("of the conversation").whole().contains("Ottoline Marsh"));
        for stranger in ["who painted the lighthouse in Bergen", "xyzzy plugh"] {
            let answer = ask(&own, Question::new(stranger));
            assert!(answer.hits.is_empty() && answer.why_empty.is_some(), "{stranger}: {:?}", found(&answer));
        }
        // As it was then: before it was written there was no summary, and after that it was all there was.
        let as_of = |at| Question { as_of: Some(at), ..Question::new(asked) };
        assert!(found(&ask(&own, as_of(then))).iter().all(|(summary, _)| summary.is_none()));
        assert_eq!(found(&ask(&own, as_of(then)))[0], found(&before)[0]);
        assert_eq!(found(&ask(&own, as_of(mind.now()))), found(&answer));
        // Who looks through the archive finds the thing itself.
        let historical = ask(&own, Question { mode: Mode::Historical, ..Question::new(asked) });
        assert_eq!(found(&historical)[0], found(&before)[0]);
        let filtered = |filter: Filter| found(&ask(&own, Question { filter, ..Question::new(asked) })).len();
        assert_eq!(filtered(Filter { layers: vec![Layer::Summary], ..Filter::default() }), 1);
        assert_eq!(filtered(Filter { layers: vec![Layer::Memory, Layer::Message], ..Filter::default() }), 0);
        assert_eq!(filtered(Filter { kinds: vec![MemoryKind::Knowledge], ..Filter::default() }), 0);
        assert_eq!(filtered(Filter { until: Some(then), ..Filter::default() }), 1, "it tells of a time that was over by then");
        assert_eq!(filtered(Filter { from: Some(then.saturating_add(MINUTE)), ..Filter::default() }), 0);
        // It comes first among the summaries of a context that is about it.
        let context = own.context(&Occasion { query: Some(asked.into()), ..Occasion::default() }).unwrap();
        let shown = context.sections.iter().find(|section| section.kind == SectionKind::Summaries).unwrap();
        assert_eq!(shown.items[0].id, card.summary.id().to_string());
        // The index is whole, and built anew from the rows alone.
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
        bench.execute_raw(&[mind.require_agent("main").unwrap().id], "UPDATE corpus_stats SET version = 0 WHERE kind = 'summary'").unwrap();
        let again = bench.open_settings(small());
        assert_eq!(found(&ask(&agent(&again), Question::new(asked))), found(&answer));
        assert_eq!(again.verify().unwrap().problems, [""; 0]);
    }

    fn a_summary_in_another_is_found_as_it_was(bench: Bench) {
        let mut settings = small();
        settings.self_care.after_tokens = 1;
        let mind = bench.open_settings(settings);
        mind.ensure_agent("main").unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let own = agent(&mind);
        remember(&operator, "The spare key of the boathouse hangs behind the third lantern");
        facts(&operator, 9);
        let first = care(&own, What::Memories, None).summaries[0];
        let then = mind.now();
        bench.clock().advance(DAY);
        for n in 0..6 {
            remember(&operator, &format!("Basket {n} holds pears from the hill"));
        }
        let deep = *care(&own, What::Memories, None).summaries.last().unwrap();
        let asked = |as_of, filter| {
            let answer = own.recall(&Question { as_of, filter, ..Question::new("where does the key of the boathouse hang") }).unwrap();
            answer.hits.iter().filter_map(|hit| hit.found.summary()).map(|card| card.summary.id()).collect::<Vec<_>>()
        };
        assert_eq!(asked(None, Filter::default()), [deep]);
        assert_eq!(asked(Some(then), Filter::default()), [first]);
        assert_eq!(asked(None, Filter { states: vec![State::Archived], layers: vec![Layer::Summary], ..Filter::default() }), [first]);
    }

    fn what_nobody_vouches_for_is_not_found_where_nobody_watches_nor_what_is_forgotten(bench: Bench) {
        let mind = bench.open_settings(small());
        mind.ensure_agent("main").unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        facts(&operator, 6);
        let import = mind.access_as("main", Caller::import(None)).unwrap();
        let rumours: Vec<MemoryId> = (0..6).map(|n| remember(&import, &format!("Rumour {n}: the bailiff hides silver under the chapel"))).collect();
        let own = agent(&mind);
        assert_eq!(care(&own, What::Memories, None).summaries.len(), 2);
        let asked = |access: &Access, min_trust| {
            let filter = Filter { min_trust, ..Filter::default() };
            access.recall(&Question { filter, ..Question::new("where does the bailiff hide silver") }).unwrap().hits.len()
        };
        assert_eq!((asked(&own, None), asked(&own, Some(0.5))), (1, 0), "believed as far as what it was made from");
        assert_eq!(asked(&mind.access("main", Speaker::Agent(None)).unwrap().unattended(), None), 0);
        let agent_id = mind.require_agent("main").unwrap().id;
        let is_indexed = || {
            let terms = |reader: &mut selfsame_store::Reader| postings::term_totals(reader, agent_id, Kind::Summary);
            mind.store().read(&Caller::agent(None), &[agent_id], terms).unwrap().keys().any(|term| term.starts_with("bailiff"))
        };
        assert!(is_indexed());
        operator.forget(rumours[0], None).unwrap();
        assert!(!is_indexed());
        assert_eq!(asked(&own, None), 5, "the others are in mind again");
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }

    fn only_the_agent_takes_care_of_itself_and_only_at_home(bench: Bench) {
        facts(&bench.main(), 30);
        let (class, told) = refusal(&bench.main());
        assert!(class == Class::Forbidden && told.contains("--as agent"), "{told}");
        let unwatched = bench.access("main", Speaker::Agent(None)).unattended();
        assert_eq!(refusal(&unwatched).0, Class::Forbidden);
        assert!(bench.main().move_to("market", None).unwrap().changed);
        // Without a home it is at home anywhere.
        assert!(bench.main().set_home("The Cottage", None).unwrap().changed);
        let (class, told) = refusal(&agent(bench.mind()));
        assert!(class == Class::Conflict && told.contains("market") && told.contains("The Cottage"), "{told}");
        assert!(agent(bench.mind()).self_care_begin(&CareRequest::default()).is_err());
        assert!(agent(bench.mind()).move_to(" the cottage ", None).unwrap().changed);
        assert_eq!(care(&agent(bench.mind()), What::Memories, None).outcome, CareOutcome::Done);
        assert!(agent(bench.mind()).set_home("elsewhere", None).is_err(), "who lives where the operator says");
    }

    fn what_somebody_counts_on_is_never_folded(bench: Bench) {
        let access = bench.main();
        let plain = facts(&access, 40);
        let later = Some(bench.mind().now().saturating_add(30 * DAY));
        let tagged = |text: &str, tag: &str| Draft { tags: vec![tag.into()], ..Draft::new(text) };
        let of_kind = |text: &str, kind| Draft { kind, ..Draft::new(text) };
        let kept = [
            (Held::Pinned, Draft { pinned: true, ..Draft::new("The safe is behind the mirror") }),
            (Held::Open, of_kind("Build a second hive", MemoryKind::Plan)),
            (Held::Open, of_kind("Who painted the barn?", MemoryKind::Question)),
            (Held::Promised, tagged("I will return the ladder", "promise")),
            (Held::Scheduled, tagged("Water the plants", "cron:daily:12:00")),
            (Held::Due, Draft { expires_at: later, ..Draft::new("The permit runs out") }),
            (Held::Monitored, tagged("The boiler drips", "monitor:7d")),
            (Held::Private, Draft { privacy: Privacy::Private, ..Draft::new("Her diagnosis is known to me") }),
        ];
        let kept = kept.map(|(why, draft)| (why, access.remember(draft, None).unwrap().id));
        let looked_after = remember(&access, "The roof has a loose tile");
        access.monitor(looked_after, "7d", None).unwrap();
        let own = agent(bench.mind());
        let report = care(&own, What::Both, None);
        assert_eq!((report.outcome, report.memories), (CareOutcome::Done, 40));
        assert!(plain.iter().all(|id| state(&access, *id).0 == State::Archived));
        for (why, id) in kept {
            assert_eq!(state(&access, id), (State::Active, None), "{why:?}");
            assert!(report.after.held[&why] > 0, "{why:?}");
        }
        assert_eq!(state(&access, looked_after), (State::Active, None));
        assert_eq!(report.after.held[&Held::Monitored], 2);
        assert!(report.after.held_tokens > 0 && report.after.eligible == 0);
        let told = current(&access).iter().map(|card| card.summary.of_memories().unwrap().content.clone()).collect::<String>();
        assert!(!told.contains("diagnosis") && !told.contains("ladder"), "{told}");
    }

    /// 1,700 memories and 2,400 messages: with a theme, then without.
    fn a_grown_life_is_folded_below_its_ceilings(bench: Bench) {
        let mind = bench.mind();
        mind.ensure_agent("main").unwrap();
        let padding = "and so the day went on with small things that nobody will ask about again, one after the other, until it \
            was dark and the lamps were lit in the house by the river where the boats are kept over winter";
        let texts: Vec<String> = (0..1700)
            .map(|n| match n % 10 {
                0..4 => format!("Bees: hive {n} gave {} jars of honey, {padding}", n % 13),
                _ => format!("Workshop: bench {n} was repaired with {} screws, {padding}", n % 17),
            })
            .collect();
        flood(mind, &texts);
        let said: Vec<String> = (0..2400).map(|n| format!("About case {n}: the {} crates arrived, {padding}", n % 23)).collect();
        bench.clock().advance(DAY);
        let conversation = chatter(mind, "desk", &said);
        bench.clock().advance(DAY);
        let own = agent(mind);
        let before = own.care_standing(None).unwrap();
        assert!(before.needs_self_care && before.burden.tokens() > 100_000, "{before:?}");
        assert_eq!((before.eligible, before.foldable_messages, before.held[&Held::Recent]), (1700, 2380, 20));
        let noted = own.context(&Occasion::default()).unwrap();
        assert!(noted.text.contains("2400 messages are not archived: self-care is advised."), "{}", noted.text);
        let focused = care(&own, What::Memories, Some("the honey of my bees"));
        assert_eq!((focused.memories, focused.before.matching), (680, Some(680)));
        let sizes = |report: &CareReport| -> Vec<(u32, Option<String>)> {
            let cards = report.summaries.iter().map(|id| own.summary(*id).unwrap().unwrap());
            cards.map(|card| card.summary.of_memories().map_or((0, None), |one| (one.memories, one.focus.clone()))).collect()
        };
        let theme = Some("the honey of my bees".to_owned());
        // More is in mind than there should be, so what was just written is folded once more.
        let folded = [(500, theme.clone()), (180, theme.clone()), (680, theme)];
        assert_eq!(sizes(&focused), folded, "oldest first, five hundred at a time");
        let rest = care(&own, What::Both, None);
        assert_eq!((rest.outcome.clone(), rest.memories, rest.messages), (CareOutcome::Done, 1020, 2380));
        let of_memories: Vec<u32> = sizes(&rest).into_iter().map(|(count, _)| count).filter(|count| *count > 0).collect();
        assert_eq!(of_memories, [500, 500, 20]);
        assert_eq!(watermark(mind, conversation), 2380, "a number, not a time");
        assert_eq!(rest.after.burden.unarchived, 20);
        assert!(rest.after.burden.tokens() <= 50_000 && !rest.after.needs_self_care, "{:?}", rest.after);
        println!("tokens {} -> {}", before.burden.tokens(), rest.after.burden.tokens());
        let rolling = current(&own).into_iter().find_map(|card| card.summary.of_conversation().cloned()).unwrap();
        assert_eq!(rolling.messages, 2380);
        assert!(rolling.facts.len() <= 200);
        // What was said is where it was.
        let shown = own.conversation_show(conversation, 0, 1000).unwrap();
        assert_eq!(shown.messages[7].content, said[7]);
        let context = own.context(&Occasion { principal: Some("operator".into()), budget_tokens: Some(20_000), query: None }).unwrap();
        assert!(!context.text.contains("self-care is advised"));
        let summaries = context.sections.iter().find(|section| section.kind == SectionKind::Summaries).unwrap();
        assert!(summaries.items[0].about.starts_with("summary of 2380 messages with operator"), "{}", summaries.items[0].about);
        // A large summary of a conversation leaves room for what the memories came to: whole sentences of both.
        let of_memories: Vec<_> = summaries.items.iter().filter(|item| item.about.contains(" memories, ")).collect();
        assert!(of_memories.iter().all(|item| item.about.ends_with(", extractive")), "{of_memories:?}");
        assert!(of_memories.iter().any(|item| item.words.contains("jars of honey")), "{of_memories:?}");
        assert!(of_memories.iter().any(|item| item.words.contains("was repaired with")), "{of_memories:?}");
    }

    fn killed_in_the_middle_of_any_batch_nothing_is_half_done(bench: Bench) {
        let mut settings = small();
        settings.self_care.after_tokens = 1;
        let mind = bench.open_settings(settings.clone());
        mind.ensure_agent("main").unwrap();
        let mut ids = facts(&mind.access("main", Speaker::Operator).unwrap(), 23);
        for n in 0..17 {
            say(&mind.access("main", Speaker::Operator).unwrap(), "terminal", &format!("I will bring crate {n} on Monday"));
        }
        bench.clock().advance(DAY);
        drop(mind);
        let mut failures = 0;
        for point in ["write.begun", "write.applied", "write.before_commit", "write.committed"] {
            for nth in 1..=7 {
                let trap = Trap::fail(point);
                let store = bench.open_store(|options| options.faults = trap.faults()).unwrap();
                let mind = selfsame::Opening::new(settings.clone()).clock(bench.shared_clock()).seed([nth as u8 + 40; 32]).over(store, None).unwrap();
                // There is always something to fold: what one round was killed in, the next may finish.
                let operator = mind.access("main", Speaker::Operator).unwrap();
                ids.extend((0..6).map(|n| remember(&operator, &format!("{point} {nth}: pears in basket {n}"))));
                trap.arm(nth);
                failures += u32::from(agent(&mind).self_care(&CareRequest::default()).is_err());
                trap.arm(0);
                assert_whole_but_depth(&mind, &ids, 17);
            }
        }
        assert!(failures >= 4, "{failures} batches were killed");
        let mind = bench.open_settings(settings);
        let last = care(&agent(&mind), What::Both, None);
        assert!(matches!(last.outcome, CareOutcome::Done | CareOutcome::Nothing(_)), "{last:?}");
        assert!(ids.iter().all(|id| state(&agent(&mind), *id).0 == State::Archived));
        assert_eq!(unarchived(&agent(&mind)), 2);
        let of_memories = current(&agent(&mind)).into_iter().filter_map(|card| card.summary.of_memories().cloned()).collect::<Vec<_>>();
        let [whole] = of_memories.as_slice() else { panic!("above its ceiling, summaries are summarized: {of_memories:?}") };
        assert_eq!(whole.memories as usize, ids.len());
        assert!(whole.depth > 1);
    }

    fn twenty_facts_survive_ten_foldings_word_by_word(bench: Bench) {
        let mut settings = small();
        settings.self_care.recent_messages = 0;
        settings.self_care.batch = 30;
        let forgetful = Arc::new(ScriptedThinker::acting(|_, _| Ok("Themes: talk\nWe talked.".into())));
        for (agent_name, kind) in [("main", ThinkerKind::None), ("second", ThinkerKind::Model)] {
            let mut settings = settings.clone();
            settings.thinker.kind = kind;
            let mind = thinking(&bench, settings, &forgetful);
            mind.ensure_agent(agent_name).unwrap();
            let operator = mind.access(agent_name, Speaker::Operator).unwrap();
            let own = mind.access(agent_name, Speaker::Agent(None)).unwrap();
            let facts: Vec<String> = (0..20)
                .map(|n| match n % 4 {
                    0 => format!("I promise to give back book {n} before the winter."),
                    1 => format!("My cousin number {n} is called Ludmila{n}."),
                    2 => format!("The exam takes place on {} March 2026.", n + 1),
                    _ => format!("The gate code is {}.", 7000 + n),
                })
                .collect();
            for fact in &facts {
                say(&operator, "kitchen", &format!("Well, that is how it is. {fact} And the weather is fine."));
            }
            for round in 0..10 {
                for _ in 0..4 {
                    say(&operator, "kitchen", "It is nice to sit here and to talk about this and that for a while.");
                }
                bench.clock().advance(DAY);
                let report = care(&own, What::Conversations, None);
                let messages = if round == 0 { 24 } else { 4 };
                assert_eq!((report.outcome, report.messages, report.facts_left_out), (CareOutcome::Done, messages, 0), "round {round}");
            }
            let card = current(&own).remove(0);
            let rolling = card.summary.of_conversation().unwrap();
            assert_eq!((rolling.messages, rolling.facts.len(), current(&own).len()), (60, 20, 1));
            for fact in &facts {
                assert_eq!(rolling.facts.iter().filter(|one| one.ends_with(fact.as_str())).count(), 1, "{fact}: {:?}", rolling.facts);
            }
            assert_eq!(own.summaries(true, 50).unwrap().summaries.len(), 10, "each has the one before in it");
            assert!(card.sources.iter().any(|(kind, _)| kind.as_str() == "summary"));
            let context = own.context(&Occasion { principal: Some("operator".into()), budget_tokens: Some(8000), query: None }).unwrap();
            assert!(context.text.contains(&facts[0]) && context.text.contains(&facts[19]), "{}", context.text);
        }
        assert!(forgetful.prompts().iter().any(|prompt| prompt.material.contains("book 0 before the winter")));
    }

    fn a_full_list_of_facts_lets_promises_in_and_says_what_it_left_out(bench: Bench) {
        let mut settings = small();
        settings.self_care.recent_messages = 0;
        settings.self_care.facts = 3;
        let silent = Arc::new(ScriptedThinker::acting(|_, _| Ok("Themes: talk\nWe talked.".into())));
        for (agent_name, kind) in [("main", ThinkerKind::None), ("second", ThinkerKind::Model), ("third", ThinkerKind::None)] {
            let mut settings = settings.clone();
            settings.thinker.kind = kind;
            let mind = thinking(&bench, settings, &silent);
            mind.ensure_agent(agent_name).unwrap();
            let operator = mind.access(agent_name, Speaker::Operator).unwrap();
            let own = mind.access(agent_name, Speaker::Agent(None)).unwrap();
            let told = |texts: &[&str]| -> u64 {
                for text in texts {
                    say(&operator, "kitchen", text);
                }
                bench.clock().advance(DAY);
                if agent_name != "third" {
                    return care(&own, What::Conversations, None).facts_left_out;
                }
                let request = CareRequest { what: What::Conversations, ..CareRequest::default() };
                let CareStep::Handed(batch) = own.self_care_begin(&request).unwrap() else { panic!() };
                match own.self_care_commit(batch.id, "Themes: talk\nWe talked.").unwrap() {
                    CareStep::Folded { facts_left_out, .. } => facts_left_out,
                    other => panic!("{other:?}"),
                }
            };
            assert_eq!(told(&["The gate code is 7000.", "The door code is 7001.", "The shed code is 7002.", "The safe code is 7003."]), 1);
            assert_eq!(told(&["I promise to give back the book.", "My cousin is called Ludmila.", "The barn code is 7004."]), 3);
            let card = current(&own).remove(0);
            let facts = &card.summary.of_conversation().unwrap().facts;
            for (fact, kept) in facts.iter().zip(["The gate code is 7000.", "I promise to give back the book.", "My cousin is called Ludmila."]) {
                assert!(fact.ends_with(kept), "{facts:?}");
            }
            assert_eq!(facts.len(), 3);
        }
    }

    fn the_agent_writes_itself_in_two_steps(bench: Bench) {
        let mind = bench.open_settings(small());
        mind.ensure_agent("main").unwrap();
        let ids = facts(&mind.access("main", Speaker::Operator).unwrap(), 12);
        let own = agent(&mind);
        let request = CareRequest { what: What::Memories, ..CareRequest::default() };
        let untouched = |mind: &Mind| ids.iter().all(|id| state(&agent(mind), *id).0 == State::Active);
        let handed = |step: CareStep| match step {
            CareStep::Handed(batch) => batch,
            other => panic!("{other:?}"),
        };
        let first = handed(own.self_care_begin(&request).unwrap());
        assert_eq!((first.rows, first.until_row), (10, 10));
        assert!(first.material.contains("Crate 3 has 21 apples") && !first.material.contains("Crate 11"), "{}", first.material);
        assert_eq!(handed(own.self_care_begin(&request).unwrap()), first, "the same again is the same");
        bench.clock().advance(31 * MINUTE);
        let late = own.self_care_commit(first.id, "Themes: apples\nThere are apples.").unwrap_err();
        assert!(late.class() == Class::Conflict && late.to_string().contains("Nothing was changed"), "{late}");
        assert!(untouched(&mind));
        let second = handed(own.self_care_begin(&request).unwrap());
        assert_ne!(second.id, first.id);
        assert!(!dump(&mind).contains(&selfsame::seal::hex(&first.id.id().bytes())), "what expired is gone");
        let empty = own.self_care_commit(second.id, "Themes: apples").unwrap_err();
        assert!(empty.class() == Class::BadInput && empty.to_string().contains("no summary"), "{empty}");
        let long = own.self_care_commit(second.id, &"apples ".repeat(4000)).unwrap_err();
        assert!(long.to_string().contains("make it shorter"), "{long}");
        assert!(untouched(&mind));
        let text = "Themes: apples, the orchard\nTen crates of apples came from the orchard.";
        let folded = own.self_care_commit(second.id, text).unwrap();
        let CareStep::Folded { summary, .. } = folded else { panic!("{folded:?}") };
        let card = own.summary(summary).unwrap().unwrap();
        let row = card.summary.of_memories().unwrap();
        assert_eq!((row.written_by, row.memories, row.themes.len()), (WrittenBy::Agent, 10, 2));
        assert_eq!(row.content, "Ten crates of apples came from the orchard.");
        assert_eq!(row.provenance.trust().value(), 0.5, "no more than the agent's own word");
        assert!(own.self_care_commit(second.id, text).is_err(), "once");
        assert_eq!(state(&own, ids[9]), (State::Archived, Some(summary.id())));
        assert_eq!(state(&own, ids[10]).0, State::Active);
        assert!(matches!(own.self_care_begin(&request).unwrap(), CareStep::Nothing(_)), "two are too few");
    }

    fn what_changed_meanwhile_is_not_folded(bench: Bench) {
        let mind = bench.open_settings(small());
        mind.ensure_agent("main").unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let ids = facts(&operator, 10);
        let own = agent(&mind);
        let CareStep::Handed(batch) = own.self_care_begin(&CareRequest::default()).unwrap() else { panic!() };
        operator.pin(ids[4], true).unwrap();
        let refused = own.self_care_commit(batch.id, "Themes: apples\nApples.").unwrap_err();
        assert_eq!(refused.class(), Class::Conflict);
        assert!(ids.iter().all(|id| state(&own, *id).0 == State::Active));
        assert!(current(&own).is_empty());
    }

    fn a_batch_beyond_the_window_is_folded_in_parts(bench: Bench) {
        let mut settings = small();
        (settings.self_care.window_tokens, settings.self_care.summary_tokens) = (1200, 300);
        let mind = bench.open_settings(settings.clone());
        mind.ensure_agent("main").unwrap();
        let long = "with a long story of who brought it, along which road, in which weather, and what the horses were called ".repeat(4);
        for n in 0..10 {
            remember(&mind.access("main", Speaker::Operator).unwrap(), &format!("Load {n} came {long}"));
        }
        let own = agent(&mind);
        let CareStep::Handed(mut batch) = own.self_care_begin(&CareRequest::default()).unwrap() else { panic!() };
        let mut parts = 1;
        loop {
            assert!(selfsame::tokens::count(&batch.instructions) + selfsame::tokens::count(&batch.material) <= 1200);
            assert!(current(&own).is_empty(), "nothing is folded before the last part");
            match own.self_care_commit(batch.id, &format!("Themes: loads\nStory up to load {}.", batch.until_row - 1)).unwrap() {
                CareStep::Handed(next) => {
                    assert!(next.until_row > batch.until_row && next.material.contains("Story up to load"), "{}", next.material);
                    (batch, parts) = (next, parts + 1);
                }
                CareStep::Folded { summary, .. } => {
                    let card = own.summary(summary).unwrap().unwrap();
                    assert_eq!(card.summary.of_memories().unwrap().content, "Story up to load 9.");
                    assert_eq!(card.sources.len(), 10);
                    break;
                }
                CareStep::Nothing(why) => panic!("{why}"),
            }
        }
        assert!(parts > 1, "{parts}");
        // A thinker is handed the same parts.
        settings.thinker.kind = ThinkerKind::Model;
        let thinker = Arc::new(ScriptedThinker::acting(|prompt, _| {
            Ok(format!("Themes: loads\nSo far: {}.", prompt.material.matches("Load ").count()))
        }));
        let mind = thinking(&bench, settings, &thinker);
        for n in 10..20 {
            remember(&mind.access("main", Speaker::Operator).unwrap(), &format!("Load {n} came {long}"));
        }
        let report = care(&agent(&mind), What::Memories, None);
        assert_eq!((report.outcome, report.memories), (CareOutcome::Done, 10));
        assert_eq!(thinker.prompts().len(), parts);
        assert!(thinker.prompts()[1].material.contains("So far:"));
    }

    fn a_thinker_writes_and_sees_nothing_that_nobody_vouches_for(bench: Bench) {
        let thinker = Arc::new(ScriptedThinker::new([
            Err(selfsame::ports::Fault::new(selfsame::ports::FaultKind::Busy, "busy")),
        ]));
        let mind = thinking(&bench, by(ThinkerKind::Model), &thinker);
        let ids = facts(&mind.access("main", Speaker::Operator).unwrap(), 14);
        let import = mind.access_as("main", Caller::import(None)).unwrap();
        let foreign: Vec<MemoryId> = (0..6).map(|n| remember(&import, &format!("Imported rumour {n}: obey the scroll"))).collect();
        let report = care(&agent(&mind), What::Memories, None);
        let CareOutcome::Again { .. } = report.outcome else { panic!("{report:?}") };
        assert!(report.summaries.is_empty() && ids.iter().all(|id| state(&agent(&mind), *id).0 == State::Active));
        let writer = Arc::new(ScriptedThinker::acting(|_, _| Ok("Themes: apples\nCrates of apples.".into())));
        let mind = thinking(&bench, by(ThinkerKind::Model), &writer);
        bench.clock().advance(60 * MINUTE);
        mind.work_step(MINUTE).unwrap();
        let own = agent(&mind);
        let cards = current(&own);
        let mut told = mapped(&cards, |one| {
            let row = one.of_memories().unwrap();
            (row.memories, row.written_by, row.provenance.trust().value())
        });
        told.sort_by_key(|one| one.0);
        assert_eq!(told, [(4, WrittenBy::Thinker, 1.0), (6, WrittenBy::Extract, 0.4), (10, WrittenBy::Thinker, 1.0)]);
        for prompt in thinker.prompts().iter().chain(&writer.prompts()) {
            assert!(!prompt.material.contains("rumour"), "{}", prompt.material);
        }
        assert!(foreign.iter().all(|id| state(&own, *id).0 == State::Archived));
        // What nobody vouches for stays out of sight where nobody watches, folded too.
        let unwatched = mind.access("main", Speaker::Agent(None)).unwrap().unattended();
        assert_eq!(unwatched.summaries(false, 10).unwrap().summaries.len(), 2);
    }

    fn what_no_thinker_can_write_changes_nothing(bench: Bench) {
        let thinker = Arc::new(ScriptedThinker::acting(|_, _| Ok("Themes: nothing".into())));
        let mind = thinking(&bench, by(ThinkerKind::Model), &thinker);
        let ids = facts(&mind.access("main", Speaker::Operator).unwrap(), 8);
        let first = care(&agent(&mind), What::Memories, None);
        assert!(matches!(first.outcome, CareOutcome::Again { .. }), "{first:?}");
        for _ in 0..3 {
            bench.clock().advance(60 * MINUTE);
            mind.work_step(MINUTE).unwrap();
        }
        assert!(ids.iter().all(|id| state(&agent(&mind), *id).0 == State::Active));
        assert!(current(&agent(&mind)).is_empty());
        let open = bench.open_settings(small());
        assert_eq!(care(&agent(&open), What::Memories, None).outcome, CareOutcome::Done, "it is free to begin again");
    }

    fn the_agent_comes_for_summaries_as_its_work(bench: Bench) {
        let nobody = Arc::new(ScriptedThinker::new([]));
        let mind = thinking(&bench, by(ThinkerKind::Agent), &nobody);
        facts(&mind.access("main", Speaker::Operator).unwrap(), 12);
        let own = agent(&mind);
        let report = care(&own, What::Memories, None);
        let CareOutcome::Waits(work) = report.outcome else { panic!("{report:?}") };
        assert!(own.self_care_begin(&CareRequest::default()).unwrap_err().to_string().contains(&work.to_string()));
        let mut folded = 0;
        while let Some(handed) = own.next_work().unwrap() {
            assert!(handed.material.contains("apples"), "{}", handed.material);
            let returned = own.complete_work(handed.id, handed.token, "Themes: apples\nApples in crates.").unwrap();
            assert_eq!(returned.again, None);
            folded += 1;
        }
        assert_eq!(folded, 2);
        assert_eq!(mapped(&current(&own), |one| one.of_memories().unwrap().memories), [2, 10]);
    }

    fn evidence_stays_within_reach_and_decay_revives_nothing(bench: Bench) {
        let mind = bench.open_settings(small());
        mind.ensure_agent("main").unwrap();
        mind.ensure_house_duties().unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let ids = facts(&operator, 9);
        let said = [remember(&operator, "Maya uses PostgreSQL"), remember(&operator, "Maya prefers tea over coffee")];
        let about = || operator.know(&BeliefQuery { about: Some("Maya".into()), ..BeliefQuery::default() }).unwrap().beliefs;
        let before = about();
        assert!(!before.is_empty());
        let evidence = |id| -> Vec<Id> {
            operator.why(id).unwrap().unwrap().evidence.iter().map(|piece| piece.evidence.source.id).collect()
        };
        let rested: Vec<Vec<Id>> = before.iter().map(|belief| evidence(belief.observation.id)).collect();
        care(&agent(&mind), What::Memories, None);
        assert!(said.iter().all(|id| state(&operator, *id).0 == State::Archived));
        let after = about();
        assert_eq!(after.iter().map(|belief| evidence(belief.observation.id)).collect::<Vec<_>>(), rested);
        assert_eq!(after.iter().map(|one| one.confidence.to_bits()).collect::<Vec<_>>(), before.iter().map(|one| one.confidence.to_bits()).collect::<Vec<_>>());
        for id in rested.iter().flatten() {
            assert!(operator.memory(MemoryId::of(*id)).unwrap().is_some(), "evidence can be read");
        }
        // Recalled in the archive, pinned and aged: it stays folded.
        operator.recall(&Question { mode: Mode::Historical, ..Question::new("Maya prefers tea") }).unwrap();
        operator.pin(said[0], true).unwrap();
        for _ in 0..3 {
            bench.clock().advance(200 * DAY);
            while !jobs::scheduler(mind.settings()).step(&mind).unwrap().ran.is_empty() {}
        }
        for id in ids.iter().chain(&said) {
            let (state, into) = state(&operator, *id);
            assert!(state == State::Archived && into.is_some(), "{state:?}");
        }
    }

    fn what_is_said_now_or_privately_stays_where_it_is(bench: Bench) {
        let mut settings = small();
        settings.self_care.recent_messages = 3;
        let mind = bench.open_settings(settings);
        mind.ensure_agent("main").unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let own = agent(&mind);
        let first = say(&operator, "one", "The first word").conversation;
        for n in 2..=8 {
            let saying = Saying {
                privacy: if n == 4 { Privacy::Private } else { Privacy::Shared },
                ..Saying::new(Place::Conversation(first), format!("The {n}. word is secret{n}"))
            };
            operator.conversation_say(&saying, None).unwrap();
        }
        let report = care(&own, What::Conversations, None);
        assert!(matches!(report.outcome, CareOutcome::Nothing(_)), "it goes on: {report:?}");
        assert_eq!(watermark(&mind, first), 0);
        bench.clock().advance(16 * MINUTE);
        let second = say(&operator, "two", "And another thing").conversation;
        let report = care(&own, What::Conversations, None);
        // The last three with the operator are two of the first conversation and the one of the second.
        assert_eq!((report.outcome.clone(), report.messages), (CareOutcome::Done, 5));
        assert_eq!((watermark(&mind, first), watermark(&mind, second)), (6, 0));
        assert_eq!(report.after.held, [(Held::Recent, 3)].into());
        let shown = operator.conversation_show(first, 0, 100).unwrap();
        let archived: Vec<i64> = shown.messages.iter().filter(|one| one.archived_at.is_some()).map(|one| one.seq).collect();
        assert_eq!(archived, [1, 2, 3, 5, 6]);
        let card = current(&own).remove(0);
        let talk = card.summary.of_conversation().unwrap();
        assert!(!talk.whole().contains("secret4"), "{}", talk.whole());
        assert_eq!((card.counterpart.as_deref(), talk.messages, card.sources.len()), (Some("operator"), 5, 5));
        let ask = |mode| {
            let hits = own.recall(&Question { mode, ..Question::new("secret6") }).unwrap().hits;
            hits.iter().any(|hit| hit.found.summary().is_none() && hit.found.content().contains("secret6"))
        };
        assert!(!ask(Mode::Balanced) && ask(Mode::Historical));
    }

    fn a_changed_summary_is_seen(bench: Bench) {
        let mind = bench.open_settings(small());
        let agent_row: Agent = mind.ensure_agent("main").unwrap();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        facts(&operator, 10);
        for n in 0..4 {
            say(&operator, "terminal", &format!("word {n} of mine"));
        }
        bench.clock().advance(DAY);
        assert_eq!(care(&agent(&mind), What::Both, None).summaries.len(), 2);
        let refused = |table: &str| bench.execute_raw(&[agent_row.id], &format!("UPDATE {table} SET content = 'x'")).is_err();
        assert!(refused("character_memory_summaries") && refused("conversation_summaries"));
        assert!(bench.execute_raw(&[agent_row.id], "DELETE FROM conversation_summaries").is_err());
        let mut raw = bench.owner();
        for table in ["character_memory_summaries", "conversation_summaries"] {
            match bench.engine() {
                selfsame::Engine::Sqlite => raw.run(&format!("DROP TRIGGER {table}_fixed")).unwrap(),
                selfsame::Engine::Postgres => raw.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).unwrap(),
            };
        }
        drop(raw);
        for table in ["character_memory_summaries", "conversation_summaries"] {
            bench.execute_raw(&[agent_row.id], &format!("UPDATE {table} SET content = 'x'")).unwrap();
        }
        let problems = mind.verify().unwrap().problems;
        assert_eq!(problems.iter().filter(|one| one.contains("summary sum_") && one.contains("damaged")).count(), 2, "{problems:?}");
        let list = operator.summaries(false, 10).unwrap();
        assert_eq!((list.summaries.len(), list.damaged.len()), (0, 2));
        let context = operator.context(&Occasion::default()).unwrap();
        assert_eq!(context.damaged.len(), 2);
        let archive = |view: &str| bench.execute_raw(&[agent_row.id], &format!("SELECT * FROM {view}"));
        assert!(archive("archived_memories").is_ok() && archive("archived_conversations").is_ok());
    }
}

/// As [`assert_whole`], where summaries may have been summarized.
fn assert_whole_but_depth(mind: &Mind, ids: &[MemoryId], said: u64) {
    let access = mind.access("main", Speaker::Operator).unwrap();
    let all = access.summaries(true, 200).unwrap().summaries;
    let folded_into: BTreeSet<SummaryId> = all.iter().filter_map(|card| card.summary.folded_into()).collect();
    assert!(folded_into.iter().all(|id| all.iter().any(|card| card.summary.id() == *id)));
    let deep = |card: &&SummaryCard| card.summary.of_memories().is_some_and(|one| one.depth > 1);
    for card in all.iter().filter(deep) {
        let parts: u32 = all
            .iter()
            .filter(|one| one.summary.folded_into() == Some(card.summary.id()))
            .map(|one| one.summary.of_memories().unwrap().memories)
            .sum();
        assert_eq!(parts, card.summary.of_memories().unwrap().memories);
    }
    let of_memories: u32 = all
        .iter()
        .filter_map(|card| card.summary.of_memories())
        .filter(|one| one.depth == 1)
        .map(|one| one.memories)
        .sum();
    let archived = ids.iter().filter(|id| state(&access, **id).0 == State::Archived).count();
    assert_eq!(of_memories as usize, archived);
    assert_whole(mind, ids, said);
}

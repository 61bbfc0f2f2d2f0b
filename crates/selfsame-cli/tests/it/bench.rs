//! Measuring on outside data: each format, good and broken, in a few made-up lines.

use crate::cli::{Ran, World};
use insta::{Settings, assert_snapshot};
use serde_json::{Value, json};
use std::fs;

/// A world with a folder `set` that has these files.
fn world(files: &[(&str, String)]) -> World {
    let world = World::new();
    for (name, text) in files {
        let path = world.path("set").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    world
}

fn measure(world: &World, arguments: &[&str]) -> Ran {
    world.run(&[&["bench", "recall", "--data", "set"], arguments].concat())
}

fn figures(world: &World, arguments: &[&str]) -> Value {
    serde_json::from_str(&measure(world, &[&["--json"], arguments].concat()).succeeds()).unwrap()
}

/// The figures of one type of question.
fn row<'r>(report: &'r Value, kind: &str) -> &'r Value {
    let rows = report["recall"].as_array().unwrap();
    rows.iter().find(|row| row["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {rows:?}"))
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

mod json_lines {
    use super::*;

    fn memories() -> String {
        lines(&[
            json!({ "id": "a", "text": "Maya keeps bees on the roof", "at": "2024-03-01" }),
            json!({ "id": "b", "text": "The cellar floods every autumn" }),
            json!({ "id": "c", "text": "Maya sold honey at the market", "at": "2024-05-01T10:00:00Z" }),
            json!({ "id": "d", "text": "The oven needs a new door" }),
        ])
    }

    fn questions() -> String {
        lines(&[
            json!({ "question": "who keeps bees on the roof?", "evidence": ["a"], "type": "easy" }),
            json!({ "question": "does the cellar flood in autumn?", "evidence": ["b", "d"], "type": "half" }),
            json!({ "question": "zebra", "evidence": ["c"], "type": "hopeless" }),
            json!({ "question": "what is on the moon?", "evidence": [] }),
        ])
    }

    fn good() -> World {
        world(&[("memories.jsonl", memories()), ("questions.jsonl", questions())])
    }

    #[test]
    fn figures_are_those_of_the_ranking() {
        let report = figures(&good(), &[]);
        let of = |kind: &str, figure: &str| row(&report, kind)[figure].as_f64().unwrap();
        assert_eq!([of("easy", "recall_at_1"), of("easy", "mrr_at_20"), of("easy", "ndcg_at_10")], [1.0; 3]);
        assert_eq!([of("half", "recall_at_1"), of("half", "hit_at_10")], [0.5, 1.0]);
        assert_eq!([of("hopeless", "recall_at_20"), of("hopeless", "mrr_at_20")], [0.0; 2]);
        assert_eq!(of("overall", "recall_at_1"), 0.5);
        assert_eq!(row(&report, "overall")["questions"], 3);
        let data = &report["data"];
        assert_eq!(
            (&data["turns"], &data["answerable"], &data["unanswerable"]),
            (&json!(4), &json!(3), &json!(1))
        );
        assert_eq!(data["captions"], Value::Null);
    }

    #[test]
    fn nothing_is_made_of_the_mind_of_the_house() {
        let world = good();
        measure(&world, &[]).succeeds();
        assert!(!world.data().exists());
        assert_eq!(fs::read_dir(world.path("set")).unwrap().count(), 2);
        // Nor of a server that the settings name.
        measure(&world, &["--db", "postgres://nobody@127.0.0.1:1/none"]).succeeds();
    }

    #[test]
    fn two_hundred_nonsense_questions_are_asked() {
        let report = figures(&good(), &[]);
        let nonsense = report["abstention"]["nonsense"].as_array().unwrap();
        let asked: Vec<u64> = nonsense.iter().map(|one| one["questions"].as_u64().unwrap()).collect();
        assert_eq!(asked, [40, 40, 40, 40, 40, 200]);
        let of = |kind: &str| nonsense.iter().find(|one| one["type"] == kind).unwrap()["abstained"].as_f64();
        assert_eq!(of("keyboard mash"), Some(1.0));
        assert_eq!(report["speed"]["recalls"], 204);
    }

    #[test]
    fn a_dump_has_every_question_with_what_was_found() {
        let world = good();
        measure(&world, &["--dump", "found.jsonl"]).succeeds();
        let text = fs::read_to_string(world.path("found.jsonl")).unwrap();
        let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(found.len(), 204);
        assert_eq!(found[0]["evidence"], json!(["a"]));
        assert_eq!(found[0]["ranked"][0], "a");
        assert_eq!((&found[0]["type"], &found[0]["abstained"]), (&json!("easy"), &json!(false)));
        assert_eq!(found[2]["ranked"], json!([]));
        assert_eq!(found[3]["evidence"], json!([]));
    }

    #[test]
    fn what_is_known_twice_is_one_memory_and_answers_as_either() {
        let twice = lines(&[
            json!({ "id": "one", "text": "The gate code is 4711" }),
            json!({ "id": "two", "text": "The gate code is 4711" }),
        ]);
        let asked = lines(&[
            json!({ "question": "gate code", "evidence": ["one"], "type": "first" }),
            json!({ "question": "gate code", "evidence": ["two"], "type": "second" }),
        ]);
        let report = figures(&world(&[("memories.jsonl", twice), ("questions.jsonl", asked)]), &[]);
        assert_eq!(row(&report, "first")["recall_at_1"], 1.0);
        assert_eq!(row(&report, "second")["recall_at_1"], 1.0);
    }

    #[test]
    fn lines_with_a_conversation_are_messages_in_the_order_of_their_times() {
        let said = lines(&[
            json!({ "id": "2", "text": "Later", "at": "2024-05-02", "conversation": "x", "speaker": "Ada" }),
            json!({ "id": "1", "text": "Remember that the boiler code is 4711.", "at": "2024-05-01", "conversation": "x" }),
            json!({ "id": "3", "text": "Noted", "at": "2024-05-01T12:00", "conversation": "x", "speaker": "assistant" }),
        ]);
        let asked = lines(&[json!({ "question": "what is the boiler code?", "evidence": ["1"] })]);
        let report = figures(&world(&[("memories.jsonl", said), ("questions.jsonl", asked)]), &[]);
        // What was captured from a message counts as the message.
        assert_eq!(row(&report, "question")["recall_at_1"], 1.0, "{report}");
    }

    #[test]
    fn a_bad_line_is_named_with_what_to_fix() {
        let good = || json!({ "id": "a", "text": "Tea" });
        for (bad, said) in [
            (
                "{\"id\": \"b\", \"text\":}".to_owned(),
                "set/memories.jsonl: line 3: expected value at column 20",
            ),
            (json!({ "id": "b" }).to_string(), "line 3: missing field `text`"),
            (json!({ "id": "b", "text": "x", "when": 1 }).to_string(), "line 3: unknown field `when`"),
            (json!({ "id": "a", "text": "x" }).to_string(), "line 3: id \"a\" is there already"),
            (json!({ "id": "b", "text": " " }).to_string(), "line 3: text is empty"),
            (json!({ "id": "b", "text": "x", "at": "soon" }).to_string(), "line 3: at: `soon` is no time"),
            (
                json!({ "id": "b", "text": "x", "speaker": "Ada" }).to_string(),
                "line 3: speaker without conversation",
            ),
        ] {
            // A blank line is no line, but it is counted.
            let memories = format!("{}\n\n{bad}\n", good());
            let world = world(&[("memories.jsonl", memories), ("questions.jsonl", questions())]);
            measure(&world, &[]).fails(2, said);
        }
    }

    #[test]
    fn a_bad_question_is_named_too() {
        for (bad, said) in [
            (
                json!({ "question": "x", "evidence": ["nowhere"] }),
                "line 1: evidence names \"nowhere\", which is no id",
            ),
            (json!({ "question": "x" }), "questions.jsonl: line 1: missing field `evidence`"),
            (json!({ "question": "", "evidence": [] }), "line 1: question is empty"),
        ] {
            let files = [("memories.jsonl", memories()), ("questions.jsonl", lines(&[bad]))];
            measure(&world(&files), &[]).fails(2, said);
        }
        measure(&world(&[("memories.jsonl", memories())]), &[]).fails(2, "questions.jsonl: No such file");
        let empty = [("memories.jsonl", memories()), ("questions.jsonl", String::new())];
        measure(&world(&empty), &[]).fails(2, "there is no question in it");
    }
}

mod locomo {
    use super::*;

    fn turn(id: &str, speaker: &str, text: &str) -> Value {
        json!({ "speaker": speaker, "dia_id": id, "text": text })
    }

    fn sample(name: &str) -> Value {
        let mut pictured = turn("D1:2", "Ben", "Look at this!");
        pictured["blip_caption"] = "a zeppelin over a lake".into();
        json!({
            "sample_id": name,
            "conversation": {
                "speaker_a": "Ada", "speaker_b": "Ben",
                "session_10_date_time": "9:00 am on 2 June, 2023",
                "session_10": [turn("D10:1", "Ada", "My bakery opened in Lisbon"), turn("D10:2", "Ben", "Wonderful")],
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [turn("D1:1", "Ada", "I adopted a parrot"), pictured],
                "session_11_date_time": "9:00 am on 3 June, 2023",
            },
            "qa": [
                { "question": "Did somebody adopt a parrot?", "answer": "yes", "evidence": ["D1:1"], "category": 4 },
                { "question": "When did the bakery open?", "answer": 2023, "evidence": [" D10:01"], "category": 2 },
                { "question": "parrot bakery", "evidence": ["D1:1; D:10:1"], "category": 1 },
                { "question": "What flew, a zeppelin?", "evidence": ["D1:2", "D99:9"], "category": 4 },
                { "question": "Why?", "evidence": ["D"], "category": 3 },
                { "question": "Who?", "evidence": [], "category": 3 },
                { "question": "What did Ben bake?", "adversarial_answer": "bread", "evidence": ["D10:1"], "category": 5 },
            ],
        })
    }

    fn two() -> World {
        world(&[("locomo.json", json!([sample("first"), sample("second")]).to_string())])
    }

    #[test]
    fn turns_are_found_and_evidence_is_mended() {
        let report = figures(&two(), &["--as-memories"]);
        for kind in ["single-hop", "temporal", "multi-hop"] {
            assert_eq!(row(&report, kind)["recall_at_5"], 1.0, "{kind}: {report}");
        }
        let data = &report["data"];
        assert_eq!((&data["conversations"], &data["turns"]), (&json!(2), &json!(8)));
        assert_eq!((&data["answerable"], &data["unanswerable"]), (&json!(8), &json!(2)));
        assert_eq!((&data["skipped_evidence_ids"], &data["questions_left_out"]), (&json!(4), &json!(4)));
        assert_eq!(report["abstention"]["unanswerable"]["questions"], 2);
    }

    #[test]
    fn captions_are_part_of_a_turn_unless_left_out() {
        let found = |arguments: &[&str]| {
            let report = figures(&two(), &[&["--as-memories"], arguments].concat());
            (row(&report, "single-hop")["recall_at_20"].as_f64().unwrap(), report["data"]["captions"].clone())
        };
        assert_eq!(found(&[]), (1.0, json!(true)));
        assert_eq!(found(&["--no-captions"]), (0.5, json!(false)));
    }

    #[test]
    fn messages_are_filed_as_one_conversation() {
        let report = figures(&two(), &[]);
        assert_eq!(report["data"]["turns"], 8);
        assert_eq!(report["data"]["turns_cut"], 0);
    }

    #[test]
    fn a_turn_that_is_too_long_is_cut_and_counted() {
        let report = figures(&two(), &["--set", "memory.max_content_bytes=1024"]);
        assert_eq!(report["data"]["turns_cut"], 0);
        let mut long = sample("long");
        long["conversation"]["session_1"][0]["text"] = "Hüte ".repeat(500).into();
        let world = world(&[("one.json", json!([long]).to_string())]);
        let report = figures(&world, &["--set", "memory.max_content_bytes=1024"]);
        assert_eq!(report["data"]["turns_cut"], 1);
    }

    #[test]
    fn less_can_be_asked_for() {
        let world = two();
        let one = figures(&world, &["--conversation", "2"]);
        assert_eq!((&one["data"]["conversations"], &one["data"]["turns"]), (&json!(1), &json!(4)));
        assert_eq!(one["data"]["skipped_evidence_ids"], 2);
        let few = figures(&world, &["--questions", "2"]);
        assert_eq!(few["data"]["answerable"], 4);
        measure(&world, &["--conversation", "3"])
            .fails(2, "there is no conversation 3: the data has 2 conversations");
        measure(&world, &["--conversation", "0"]).fails(2, "there is no conversation 0");
    }

    #[test]
    fn weights_are_tried_on_who_was_left_out() {
        let report = figures(&two(), &["--as-memories", "--cross-validate"]);
        let found = &report["cross_validation"];
        let folds = found["folds"].as_array().unwrap();
        assert_eq!(folds.iter().map(|fold| &fold["left_out"]).collect::<Vec<_>>(), ["first", "second"]);
        assert_eq!(folds[0]["questions"], 4);
        assert_eq!(
            folds[0]["weights"].as_array().unwrap().len(),
            found["features"].as_array().unwrap().len()
        );
        assert_eq!(found["pooled"]["recall_at_10"], 1.0);
        assert_eq!(found["today"]["recall_at_5"], 1.0);
        let alone = ["--cross-validate", "--conversation", "1"];
        measure(&two(), &alone).fails(2, "it needs two or more");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let broken = |change: fn(&mut Value)| {
            let mut one = sample("odd");
            change(&mut one);
            world(&[("locomo.json", json!([one]).to_string())])
        };
        type Broken = (fn(&mut Value), &'static str);
        let cases: [Broken; 5] = [
            (
                |one| one["conversation"]["session_1_date_time"] = "noon".into(),
                "set/locomo.json: odd: session_1_date_time is \"noon\", which is no time",
            ),
            (
                |one| drop(one["conversation"].as_object_mut().unwrap().remove("session_1_date_time")),
                "odd: session_1_date_time is missing",
            ),
            (|one| one["qa"][0]["category"] = 6.into(), "odd: a question has category 6; there are 1 to 5"),
            (|one| one["conversation"]["session_1"][0]["text"] = 1.into(), "odd: session_1: invalid type"),
            (|one| drop(one.as_object_mut().unwrap().remove("qa")), "set/locomo.json: missing field `qa`"),
        ];
        for (change, said) in cases {
            measure(&broken(change), &[]).fails(2, said);
        }
    }

    #[test]
    fn as_people_see_it() {
        let world = two();
        let mut masked = Settings::clone_current();
        masked.add_filter(r"\d+\.\d+", "N");
        masked.add_filter(r"\d+ turns per second", "N turns per second");
        let _masked = masked.bind_to_scope();
        let shown = measure(&world, &["--as-memories", "--cross-validate"]);
        assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert_snapshot!(shown, @"
        LoCoMo: 2 conversations, 8 turns
        8 questions with evidence, 2 without an answer
        image captions are part of the turns
        evidence ids that name no turn, skipped: 4
        questions without evidence that names a turn, left out: 4

        recall: hit and NDCG at 10, MRR within 20
        type        n  R@1    R@5    R@10   R@20   hit    NDCG   MRR
        multi-hop   2  N  N  N  N  N  N  N
        single-hop  4  N  N  N  N  N  N  N
        temporal    2  N  N  N  N  N  N  N
        overall     8  N  N  N  N  N  N  N

        speed
        210 recalls  CPU ms p50 N, p95 N, p99 N
        filing       N turns per second, N CPU ms each

        abstention
        answerable         N % abstained; R@10 N with abstention, N without
        without answer     N % abstained; AUC of confidence N
        at R@10 - N     N % of these, N % of answerable, N % of nonsense
        general knowledge  N % of 40 abstained
        keyboard mash      N % of 40 abstained
        made-up words      N % of 40 abstained
        programming        N % of 40 abstained
        strangers          N % of 40 abstained
        all nonsense       N % of 200 abstained

        cross-validation: weights learned from the others
        left out  n  R@5    R@10
        first     4  N  N
        second    4  N  N
        pooled       N  N
        as it is     N  N

        weights learned
        feature         mean   least  most
        words           N  N  N
        coverage        N  N  N
        nearby          N  N  N
        passage         N  N  N
        sitting         N  N  N
        answers         N  N  N
        person          N  N  N
        own_words       N  N  N
        day             N  N  N
        speaks_of_day   N  N  N
        moment          N  N  N
        statement       N  N  N
        phrase          N  N  N
        quoted          N  N  N
        meaning         N  N  N
        meaning_around  N  N  N
        ");
    }
}

mod beam {
    use super::*;

    fn chat() -> Value {
        let message =
            |id: u32, role: &str, content: &str| json!({ "id": id, "role": role, "content": content });
        let mut first = message(0, "user", "Remember that the boiler code is 4711. ->-> 1,1");
        first["time_anchor"] = "March-15-2024".into();
        let mut third = message(2, "user", "Remember that my sister lives in Porto. ->-> 2,1");
        third["time_anchor"] = "April-05-2024".into();
        json!([
            { "batch_number": 1, "turns": [[first, message(1, "assistant", "Noted.")]] },
            { "batch_number": 2, "turns": [[third, message(3, "assistant", "Good to know.")]] },
        ])
    }

    fn questions() -> Value {
        json!({
            "abstention": [{ "question": "How old is the boiler?" }],
            "contradiction_resolution": [
                { "question": "What is the boiler code?", "source_chat_ids": { "first_statement": [0], "second_statement": [2] } },
            ],
            "information_extraction": [{ "question": "Where does my sister live?", "source_chat_ids": [2] }],
            "summarization": [{ "question": "What did we do?" }],
        })
    }

    fn sample(chat: &Value) -> World {
        world(&[("1/chat.json", chat.to_string()), ("1/probing_questions.json", questions().to_string())])
    }

    #[test]
    fn what_was_captured_from_a_message_counts_as_it() {
        let report = figures(&sample(&chat()), &[]);
        assert_eq!(row(&report, "information_extraction")["recall_at_1"], 1.0, "{report}");
        assert_eq!(row(&report, "contradiction_resolution")["recall_at_1"], 0.5);
        let data = &report["data"];
        assert_eq!(
            (&data["format"], &data["turns"], &data["unanswerable"]),
            (&json!("BEAM"), &json!(4), &json!(1))
        );
        assert_eq!(data["questions_left_out"], 1);
    }

    #[test]
    fn a_folder_by_itself_is_a_sample_and_others_come_by_number() {
        let files = |folder: &str| {
            let place = |name: &str| format!("{folder}{name}");
            [
                (place("chat.json"), chat().to_string()),
                (place("probing_questions.json"), questions().to_string()),
            ]
        };
        let all = ["10/", "9/", "x/"].map(files).concat();
        let all: Vec<(&str, String)> = all.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
        let world = world(&all);
        measure(&world, &["--dump", "dump.jsonl", "--questions", "1"]).succeeds();
        let dump = fs::read_to_string(world.path("dump.jsonl")).unwrap();
        let asked = dump.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let names: Vec<Value> =
            asked.filter(|one| one["type"] == "abstention").map(|one| one["conversation"].clone()).collect();
        assert_eq!(names, ["9", "10", "x"]);
        let one = world.run(&["bench", "recall", "--json", "--data", "set/9"]).succeeds();
        assert_eq!(serde_json::from_str::<Value>(&one).unwrap()["data"]["conversations"], 1);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut odd = chat();
        odd[0]["turns"][0][0]["role"] = "narrator".into();
        measure(&sample(&odd), &[])
            .fails(2, "set/1/chat.json: message 0 has role \"narrator\": user or assistant");
        let mut odd = chat();
        odd[1]["turns"][0][0]["time_anchor"] = "Spring".into();
        measure(&sample(&odd), &[]).fails(2, "message 2 has time_anchor \"Spring\", which is no date");
    }
}

mod knowledge {
    use super::*;

    /// Of the user, on a day each; the assistant answers between them.
    const SAID: [&str; 8] = [
        "Maya lives in Ghent. ->-> 1,1",
        "Maya lives in Porto. How is that? ->-> 1,2",
        "I work at Acme.\n```\nI work at Zenith.\n```",
        "I work at Borealis.",
        "The dashboard answers within 800ms, I think, more or less.",
        "Since we cache more it might be that it answers within 250ms by now.",
        // No rule reads these two, but they cannot both be so.
        "We usually meet the herons at 3 pm by the lake.",
        "We usually meet the herons at 4 pm by the lake.",
    ];

    fn chat() -> Value {
        let pair = |(place, words): (usize, &&str)| {
            let mut user = json!({ "id": 2 * place, "role": "user", "content": words });
            user["time_anchor"] = format!("March-{:02}-2024", place + 1).into();
            json!([user, { "id": 2 * place + 1, "role": "assistant", "content": "I live in Rome." }])
        };
        json!([{ "batch_number": 1, "turns": SAID.iter().enumerate().map(pair).collect::<Vec<_>>() }])
    }

    fn labels() -> Value {
        let update = |answer: &str, from: u32, to: u32| json!({ "question": "?", "answer": answer, "source_chat_ids": { "original_info": [from], "updated_info": [to] } });
        let contradiction = |first: &[u32], second: &[u32]| json!({ "question": "?", "source_chat_ids": { "first_statement": first, "second_statement": second } });
        json!({
            "contradiction_resolution": [contradiction(&[2], &[0]), contradiction(&[0], &[4]), contradiction(&[0], &[77])],
            "knowledge_update": [update("Borealis, since March", 4, 6), update("Borealis", 4, 6), update("250ms", 8, 10)],
            "abstention": [{ "question": "Why?" }],
        })
    }

    fn small() -> World {
        world(&[("1/chat.json", chat().to_string()), ("1/probing_questions.json", labels().to_string())])
    }

    fn measure(world: &World, arguments: &[&str]) -> Ran {
        world.run(&[&["bench", "knowledge", "--data", "set"], arguments].concat())
    }

    fn figures(world: &World, arguments: &[&str]) -> Value {
        let arguments = [&["--json", "--histories", "0"], arguments].concat();
        serde_json::from_str(&measure(world, &arguments).succeeds()).unwrap()
    }

    #[test]
    fn labels_are_held_against_what_is_believed() {
        let found = &figures(&small(), &[])["chats"];
        let counted = ["messages", "memories", "beliefs"].map(|what| found[what].as_u64().unwrap());
        assert_eq!(counted, [8, 9, 2], "{found}");
        let of =
            |sort: &str| (found[sort]["labelled"].as_u64().unwrap(), found[sort]["found"].as_u64().unwrap());
        assert_eq!((of("contradictions"), of("updates")), ((2, 1), (3, 2)));
        assert_eq!((&found["labels_left_out"], &found["skipped_ids"]), (&json!(1), &json!(1)));
        assert_eq!((&found["updates_read"], &found["updates_current"]), (&json!(2), &json!(1)), "{found}");
        assert_eq!(found["update_accuracy"].as_f64(), Some(1.0 / 3.0));
        assert_eq!((&found["flagged_pairs"], &found["kinds_cut"]), (&json!(3), &json!(0)));
        assert_eq!(found["flagged_per_100_messages"].as_f64(), Some(37.5));
    }

    #[test]
    fn a_principal_who_is_not_the_operator_only_contends() {
        let found = &figures(&small(), &["--as-principal"])["chats"];
        // The pairs are the same, but what was said first on equal terms stays.
        assert_eq!((&found["flagged_pairs"], &found["updates_current"]), (&json!(3), &json!(0)), "{found}");
    }

    #[test]
    fn a_dump_has_every_pair_and_every_belief() {
        let world = small();
        measure(&world, &["--histories", "2", "--dump", "found.jsonl"]).succeeds();
        let text = fs::read_to_string(world.path("found.jsonl")).unwrap();
        let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |what: &str| -> Vec<&Value> { all.iter().filter(|one| one["what"] == what).collect() };
        let (pairs, held, beliefs) = (of("pair"), of("held"), of("belief"));
        assert_eq!(pairs.len() + held.len() + beliefs.len(), all.len());
        let messages: Vec<&Value> = pairs.iter().map(|pair| &pair["messages"]).collect();
        assert_eq!(messages, [&json!(["0", "2"]), &json!(["4", "6"]), &json!(["12", "14"])]);
        assert_eq!(pairs[0]["words"], json!(["Maya lives in Ghent.", "Maya lives in Porto."]));
        let held: Vec<_> = held.iter().map(|one| (&one["value"], &one["messages"])).collect();
        let want = [(&json!("porto"), &json!(["2"])), (&json!("borealis"), &json!(["6"]))];
        assert!(held.len() == 2 && want.iter().all(|one| held.contains(one)), "{held:?}");
        // Every history is looked at eighteen times, and most of its 36 questions are answered.
        for history in 0..2 {
            let of_it = beliefs.iter().filter(|belief| belief["history"] == history).count();
            assert!((18 * 18..=18 * 36).contains(&of_it), "{of_it}");
        }
        assert!(beliefs.iter().all(|belief| belief["components"]["inputs"]["sources"].as_u64() > Some(0)));
    }

    #[test]
    fn chats_are_told_by_halves() {
        let chat = |name: &str, words: &str| {
            let message =
                json!({ "id": 0, "role": "user", "content": words, "time_anchor": "March-01-2024" });
            let chat = json!([{ "batch_number": 1, "turns": [[message]] }]);
            [
                (format!("{name}/chat.json"), chat.to_string()),
                (format!("{name}/probing_questions.json"), "{}".into()),
            ]
        };
        // By number, not by name: 10 is the last.
        let said = [("1", "Hm."), ("10", "I work at Acme."), ("2", "Hm.")];
        let files = said.map(|(name, words)| chat(name, words)).concat();
        let files: Vec<(&str, String)> =
            files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
        let found = figures(&world(&files), &[]);
        let halves = found["chat_halves"].as_array().unwrap();
        let told: Vec<_> =
            halves.iter().map(|half| (&half["half"], &half["chats"], &half["beliefs"])).collect();
        let want = [(&json!("development"), &json!(2), &json!(0)), (&json!("test"), &json!(1), &json!(1))];
        assert_eq!(told, want);
        assert_eq!(figures(&small(), &[])["chat_halves"], json!([]), "a single chat has no halves");
    }

    #[test]
    fn other_data_is_refused() {
        let world = world(&[("memories.jsonl", lines(&[json!({ "id": "a", "text": "Tea" })]))]);
        measure(&world, &[]).fails(2, "no chat to measure on");
    }

    #[test]
    fn as_people_see_it() {
        let mut masked = Settings::clone_current();
        // How many tenths of confidence there are, and what is in them, is the formula's.
        masked.add_filter(r"\n0\.\d  .*", "");
        masked.add_filter(r"\d+\.\d+", "N");
        masked.add_filter(r"\d+ beliefs looked", "N beliefs looked");
        let _masked = masked.bind_to_scope();
        let shown = measure(&small(), &["--histories", "1"]);
        assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert_snapshot!(shown, @"
        BEAM: 1 chat, 8 messages of the user, 9 memories, 2 beliefs
        ids that name no message, skipped: 1
        labels without two statements, left out: 1

        labelled pairs
        contradictions  1 of 2 found: N
        updates         2 of 3 found: N
        newest value    1 of 3 believed: N; 2 are behind any belief
        flagged         3 pairs, N in 100 messages

        development half: 1 history, N beliefs looked at, N % true
        days        answered  true
        1 to 60     N     N
        61 to 120   N     N
        121 to 180  N     N

        confidence by formula 1: Brier N
        from  beliefs  confidence  true

        confidence by formula 2: Brier N
        from  beliefs  confidence  true
        ");
    }
}

#[test]
fn a_folder_without_data_says_what_could_be_there() {
    let empty = World::new();
    fs::create_dir(empty.path("set")).unwrap();
    assert_snapshot!(measure(&empty, &[]), @"
    [stderr]
    error: set: no data in a known format: put locomo.json (LoCoMo) there, folders with chat.json and probing_questions.json (BEAM), or memories.jsonl with questions.jsonl
    [exit code 2]
    ");
    assert_snapshot!(measure(&World::new(), &[]), @"
    [stderr]
    error: set: No such file or directory (os error 2)
    [exit code 2]
    ");
}

#[test]
fn a_dump_that_cannot_be_written_is_said_before_the_work() {
    let files = [
        ("memories.jsonl", lines(&[json!({ "id": "a", "text": "Tea" })])),
        ("questions.jsonl", lines(&[json!({ "question": "Tea?", "evidence": ["a"] })])),
    ];
    measure(&world(&files), &["--dump", "no/such/file"]).fails(2, "no/such/file cannot be written");
}

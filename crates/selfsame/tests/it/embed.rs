//! The embedder that is at hand, with a real model.

use selfsame::embed::{FolderProblem, LocalEmbedder, ModelFolder, Pooling};
use selfsame::ports::{Embedder as _, PortError, Purpose};
use selfsame_testkit::model_folder;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const HOUR: Duration = Duration::from_secs(3600);

fn minilm() -> LocalEmbedder {
    let folder = ModelFolder::find(&model_folder()).unwrap();
    LocalEmbedder::new("minilm@test", 384, folder.files, HOUR)
}

fn one(embedder: &LocalEmbedder, text: &str) -> Vec<f32> {
    let mut vectors = embedder.embed(&[text], Purpose::Text).unwrap();
    assert_eq!(vectors.len(), 1);
    vectors.remove(0)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A folder with the model's tokenizer and something else as its graph.
fn folder_with(graph: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.onnx"), graph).unwrap();
    fs::copy(model_folder().join("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    folder
}

fn refusal(folder: &Path) -> String {
    let files = ModelFolder::find(folder).unwrap().files;
    let embedder = LocalEmbedder::new("bad", 384, files, HOUR);
    match embedder.embed(&["a text"], Purpose::Text) {
        Err(PortError::Lasting(said)) => said,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_paraphrase_is_nearer_than_what_is_about_something_else() {
    let embedder = minilm();
    for (text, paraphrase, other) in [
        (
            "Maya moved to Berlin last spring",
            "She relocated to the German capital",
            "The cake needs more sugar",
        ),
        ("my knee hurts after running", "jogging gives me joint pain", "the invoice is due on Friday"),
        ("He is allergic to peanuts", "nuts make him ill", "The train was late again"),
    ] {
        let vector = one(&embedder, text);
        let (near, far) =
            (cosine(&vector, &one(&embedder, paraphrase)), cosine(&vector, &one(&embedder, other)));
        assert!(near > far + 0.15, "{text}: {near} is not above {far}");
    }
}

#[test]
fn a_vector_follows_from_its_text_and_not_from_its_neighbours() {
    let embedder = minilm();
    let long = "A long text with many words. ".repeat(40);
    let texts = ["short", &long, "Where does Maya live?", "", "short"];
    let together = embedder.embed(&texts, Purpose::Text).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&one(&embedder, text), vector, "{text}");
    }
    assert_eq!(together[0], together[4]);
    assert_eq!(minilm().embed(&texts, Purpose::Text).unwrap(), together, "loaded anew, it says the same");
}

#[test]
fn many_ask_at_once_and_each_gets_its_own() {
    let embedder = minilm();
    let texts: Vec<String> =
        (0..24).map(|number| format!("memory number {number} is about apples")).collect();
    let alone: Vec<Vec<f32>> = texts.iter().map(|text| one(&embedder, text)).collect();
    let embedder = &embedder;
    std::thread::scope(|scope| {
        for (text, vector) in texts.iter().zip(&alone) {
            scope.spawn(move || assert_eq!(&one(embedder, text), vector));
        }
    });
}

#[test]
fn every_text_has_a_vector_of_length_one() {
    let embedder = minilm();
    let huge = "Words without end, amen. ".repeat(4096);
    let one_word = "a".repeat(100_000);
    let texts = [
        "",
        " ",
        "\n\t",
        "🦊🦊🦊",
        "e\u{301}",
        "漢字かな交じり文",
        "\u{200b}",
        "\0",
        &huge,
        &one_word,
        "[SEP] [PAD]",
    ];
    for (text, vector) in texts.iter().zip(embedder.embed(&texts, Purpose::Text).unwrap()) {
        let shown: String = text.chars().take(20).collect();
        assert_eq!(vector.len(), 384, "{shown:?}");
        assert!(vector.iter().all(|number| number.is_finite()), "{shown:?}");
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5, "{shown:?}");
    }
    assert_eq!(embedder.embed(&[], Purpose::Text), Ok(vec![]));
}

#[test]
fn a_long_text_is_read_as_far_as_the_model_reads() {
    let embedder = minilm();
    // Three hundred tokens: more than it was used with, and less than it has places for.
    let start = "the quick brown fox jumps over the lazy dog and ".repeat(30);
    let (one_end, other_end) = (format!("{start} Berlin"), format!("{start} sugar"));
    assert_eq!(one(&embedder, &one_end), one(&embedder, &other_end), "what is behind the limit is not read");
    let short = "the quick brown fox ".repeat(10);
    assert_ne!(one(&embedder, &format!("{short} Berlin")), one(&embedder, &format!("{short} sugar")));
}

#[test]
fn a_mark_of_the_tokenizer_within_a_text_is_only_text() {
    let embedder = minilm();
    let (plain, marked) = (one(&embedder, "sep"), one(&embedder, "[SEP]"));
    // As a mark it would be a text without a word, like the empty one.
    assert!(cosine(&plain, &marked) > cosine(&marked, &one(&embedder, "")), "it was taken for a mark");
}

#[test]
fn prefixes_are_put_before_and_are_part_of_the_name_where_they_matter() {
    let with = |question, text| {
        let folder = ModelFolder::find(&model_folder()).unwrap();
        LocalEmbedder::new("minilm@test", 384, folder.files, HOUR).prefixes(question, text)
    };
    let (plain, both) = (with("", ""), with("query: ", "passage: "));
    let text = both.embed(&["Maya"], Purpose::Text).unwrap();
    assert_eq!(text, plain.embed(&["passage: Maya"], Purpose::Text).unwrap());
    let question = both.embed(&["Maya"], Purpose::Question).unwrap();
    assert_eq!(question, plain.embed(&["query: Maya"], Purpose::Question).unwrap());
    assert_eq!(both.model(), r#"minilm@test "passage: ""#, "stored vectors depend on it");
    assert_eq!(with("query: ", "").model(), "minilm@test", "stored vectors do not");
}

#[test]
fn it_is_loaded_when_it_is_asked_and_goes_when_it_is_not() {
    let folder = ModelFolder::find(&model_folder()).unwrap();
    let embedder = LocalEmbedder::new("minilm@test", 384, folder.files, Duration::from_millis(100));
    assert!(!embedder.is_loaded(), "opening waits for nothing");
    assert_eq!((embedder.dimensions(), embedder.is_at_hand()), (Some(384), true));
    let before = one(&embedder, "a text");
    while embedder.is_loaded() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(one(&embedder, "a text"), before);
}

#[test]
fn files_that_are_no_model_are_refused_with_words() {
    let garbage = folder_with(b"this is not a graph at all");
    assert!(refusal(garbage.path()).contains("model.onnx\" is no ONNX model that can be run"));
    let empty = folder_with(b"");
    assert!(refusal(empty.path()).contains("is no ONNX model that can be run"));
    let graph = fs::read(model_folder().join("model_quantized.onnx")).unwrap();
    let cut = folder_with(&graph[..graph.len() / 2]);
    assert!(refusal(cut.path()).contains("is no ONNX model that can be run"));
    let bad_tokenizer = folder_with(&graph);
    fs::write(bad_tokenizer.path().join("tokenizer.json"), "{}").unwrap();
    assert!(refusal(bad_tokenizer.path()).contains("is no tokenizer that can be read"));
    let gone = folder_with(&graph);
    let files = ModelFolder::find(gone.path()).unwrap().files;
    fs::remove_file(gone.path().join("model.onnx")).unwrap();
    let said =
        LocalEmbedder::new("gone", 384, files, HOUR).embed(&["a"], Purpose::Text).unwrap_err().to_string();
    assert!(said.starts_with("gone: ") && said.contains("selfsame model install"), "{said}");
}

/// A folder in which only names count.
struct Layout(TempDir);

impl Layout {
    fn of(files: &[(&str, &str)]) -> Layout {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Layout(folder)
    }

    fn find(&self) -> Result<ModelFolder, FolderProblem> {
        ModelFolder::find(self.0.path())
    }

    /// The graph that is chosen, from the folder on.
    fn network(&self) -> String {
        let network = self.find().unwrap().files.network.path;
        network.strip_prefix(self.0.path()).unwrap().display().to_string()
    }

    fn said(&self) -> String {
        let said = self.find().unwrap_err().to_string();
        said.replace(&self.0.path().display().to_string(), "FOLDER")
    }
}

#[test]
fn the_graph_is_found_where_people_have_it() {
    let tokenizer = ("tokenizer.json", "{}");
    for (names, chosen) in [
        (&["model.onnx"][..], "model.onnx"),
        (&["anything.onnx"], "anything.onnx"),
        (&["onnx/model.onnx", "model.safetensors"], "onnx/model.onnx"),
        (
            &["onnx/model.onnx", "onnx/model_fp16.onnx", "onnx/model_quantized.onnx"],
            "onnx/model_quantized.onnx",
        ),
        (
            &["onnx/model.onnx", "onnx/model_O4.onnx", "onnx/model_qint8_avx512.onnx"],
            "onnx/model_qint8_avx512.onnx",
        ),
        (&["onnx/model.onnx", "onnx/model_O4.onnx"], "onnx/model.onnx"),
    ] {
        let files: Vec<_> = names.iter().map(|name| (*name, "")).chain([tokenizer]).collect();
        assert_eq!(Layout::of(&files).network(), chosen);
    }
    let named = Layout::of(&[("onnx/model.onnx", ""), ("onnx/model_O2.onnx", ""), tokenizer]);
    let found = ModelFolder::find(&named.0.path().join("onnx/model_O2.onnx")).unwrap().files;
    assert!(found.network.path.ends_with("onnx/model_O2.onnx") && found.tokenizer.path.is_file());
}

#[test]
fn what_a_folder_lacks_is_named() {
    let tokenizer = ("tokenizer.json", "{}");
    let pooling = |mode| format!(r#"{{"word_embedding_dimension":384,"pooling_mode_{mode}":true}}"#);
    for (files, said) in [
        (
            &[("tokenizer.json", "{}"), ("model.safetensors", "")][..],
            r#""FOLDER" has weights (model.safetensors or the like) but no ONNX model: look for the folder onnx/ of the same model, or export it (`optimum-cli export onnx --model "FOLDER" out`)"#,
        ),
        (
            &[("tokenizer.json", "{}")],
            r#""FOLDER" has no ONNX model: model.onnx or onnx/model.onnx must be there"#,
        ),
        (
            &[("model.onnx", "")],
            r#""FOLDER" has no tokenizer.json: it comes with the model, beside the weights"#,
        ),
        (
            &[tokenizer, ("b.onnx", ""), ("a.onnx", "")],
            r#""FOLDER" has several ONNX models (a.onnx, b.onnx): give the path of the one that is meant"#,
        ),
        (
            &[tokenizer, ("model.onnx", ""), ("config.json", "{")],
            r#""FOLDER/config.json" cannot be used: it is not JSON (EOF while parsing an object at line 1 column 1)"#,
        ),
        (
            &[tokenizer, ("model.onnx", ""), ("1_Pooling/config.json", &pooling("max_tokens"))],
            r#""FOLDER/1_Pooling/config.json" cannot be used: pooling_mode_max_tokens is not known here, only the mean or the first token"#,
        ),
        (
            &[
                tokenizer,
                ("model.onnx", ""),
                ("modules.json", r#"[{"type":"sentence_transformers.models.Dense"}]"#),
            ],
            r#""FOLDER/modules.json" cannot be used: a Dense layer follows the graph, which is not run here; take another model"#,
        ),
    ] {
        assert_eq!(Layout::of(files).said(), said);
    }
    let said = ModelFolder::find(Path::new("/no/such/folder")).unwrap_err().to_string();
    assert!(said.starts_with(r#""/no/such/folder" cannot be read: "#), "{said}");
}

#[test]
fn how_a_model_is_read_stands_beside_it() {
    let read = |files: &[(&str, &str)]| {
        let mut all = vec![("model.onnx", ""), ("tokenizer.json", r#"{"truncation":{"max_length":99}}"#)];
        all.extend(files);
        let found = Layout::of(&all).find().unwrap();
        (found.files.max_tokens, found.files.pooling, found.licence)
    };
    let sentence = ("sentence_bert_config.json", r#"{"max_seq_length":200}"#);
    let places = |number: &'static str| ("config.json", number);
    assert_eq!(read(&[]), (99, Pooling::Mean, None));
    assert_eq!(read(&[sentence]).0, 200);
    assert_eq!(read(&[sentence, places(r#"{"max_position_embeddings":128}"#)]).0, 128);
    assert_eq!(read(&[("tokenizer_config.json", r#"{"model_max_length":300}"#)]).0, 300);
    assert_eq!(read(&[("tokenizer_config.json", r#"{"model_max_length":1e30}"#)]).0, 99);
    assert_eq!(read(&[("sentence_bert_config.json", r#"{"max_seq_length":8192}"#)]).0, 512);
    assert_eq!(read(&[("tokenizer.json", "{}"), places(r#"{"max_position_embeddings":64}"#)]).0, 64);
    assert_eq!(read(&[("tokenizer.json", "{}")]).0, 256);
    let first =
        ("1_Pooling/config.json", r#"{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}"#);
    assert_eq!(read(&[first]).1, Pooling::First);
    let page = |text: &'static str| read(&[("README.md", text)]).2;
    assert_eq!(
        page("---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\n").as_deref(),
        Some("apache-2.0")
    );
    assert_eq!(page("# A model\nlicense: none\n"), None);
}

//! Models that are installed: whole or not at all.

use selfsame::DataFolder;
use selfsame::config::Settings;
use selfsame::embed::LocalEmbedder;
use selfsame::model::{Before, Fetch, Fetched, Installed, Installing, KnownModel, ModelError, Models};
use selfsame::ports::{Embedder as _, PortError, Purpose};
use selfsame::progress::Watch;
use selfsame::time::Time;
use selfsame_testkit::model_folder;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A data folder and a place for what is installed from.
struct Place {
    folder: TempDir,
    models: Models,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::of(&DataFolder::create(&folder.path().join("data")).unwrap());
        Place { folder, models }
    }

    fn installed(&self) -> PathBuf {
        self.folder.path().join("data/models")
    }

    fn names(&self) -> Vec<String> {
        self.models.list().unwrap().into_iter().map(|model| model.name).collect()
    }

    /// Everything in the folder of models but the lock.
    fn left_behind(&self) -> Vec<String> {
        let entries = fs::read_dir(self.installed()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != ".lock");
        names.sort();
        names
    }

    fn install(&self, source: &Path, how: &Installing) -> Result<Installed, ModelError> {
        self.models.install(source, how, &Watch::default())
    }

    fn fetch(&self, hub: &ScriptedHub) -> Result<Installed, ModelError> {
        self.models.fetch(KnownModel::find("all-MiniLM-L6-v2").unwrap(), hub, &as_is(), &Watch::default())
    }

    /// The real model, but for one thing: a changed licence changes nothing, another limit makes another model.
    fn variant(&self, name: &str, max_tokens: usize) -> PathBuf {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        for file in ["model_quantized.onnx", "tokenizer.json"] {
            fs::copy(model_folder().join(file), folder.join(file)).unwrap();
        }
        let limit = format!(r#"{{"max_seq_length":{max_tokens}}}"#);
        fs::write(folder.join("sentence_bert_config.json"), limit).unwrap();
        folder
    }
}

fn as_is() -> Installing {
    Installing { name: None, replace: false, now: Time::parse("2026-03-01T12:00:00Z").unwrap() }
}

fn named(name: &str) -> Installing {
    Installing { name: Some(name.into()), ..as_is() }
}

fn embedder(place: &Place, name: Option<&str>) -> LocalEmbedder {
    place.models.chosen(name).unwrap().unwrap().embedder(&Settings::default().embedder)
}

#[test]
fn a_model_is_installed_listed_used_and_removed() {
    let place = Place::new();
    assert_eq!(place.names(), [""; 0]);
    assert_eq!(place.models.chosen(None).unwrap(), None);
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&told);
    let watch = Watch::new(move |progress| {
        hears.lock().unwrap().push((progress.what.to_owned(), progress.done, progress.total));
    });
    let installed = place.models.install(&model_folder(), &as_is(), &watch);
    let Installed { model, was } = installed.unwrap();
    assert_eq!(was, Before::Nothing);
    assert_eq!((model.name.as_str(), model.dimensions, model.max_tokens), ("all-MiniLM-L6-v2", 384, 256));
    assert_eq!(model.licence.as_deref(), Some("apache-2.0"));
    assert_eq!(model.installed_at, "2026-03-01T12:00:00Z");
    assert_eq!((model.network.file.as_str(), model.tokenizer.bytes), ("model_quantized.onnx", 466_247));
    assert_eq!(model.bytes(), model.network.bytes + model.tokenizer.bytes);
    let (file, done, total) = told.lock().unwrap().last().cloned().unwrap();
    assert_eq!((file.as_str(), done, total), ("tokenizer.json", 466_247, Some(466_247)));
    assert_eq!(
        place.models.list().unwrap(),
        std::slice::from_ref(&model),
        "what is read is what was written"
    );
    assert_eq!(place.left_behind(), ["all-MiniLM-L6-v2"]);
    for file in ["model_quantized.onnx", "tokenizer.json", "manifest.toml"] {
        let mode = fs::metadata(model.folder.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let embedder = embedder(&place, None);
    assert_eq!(embedder.model(), format!("all-MiniLM-L6-v2@{}", &model.digest[..12]));
    assert_eq!(embedder.embed(&["hello"], Purpose::Text).unwrap()[0].len(), 384);
    assert_eq!(place.models.remove("all-MiniLM-L6-v2").unwrap(), model);
    assert_eq!((place.names(), place.left_behind()), (vec![], vec![]));
}

#[test]
fn the_same_again_is_said_and_another_is_refused_until_it_may_replace() {
    let place = Place::new();
    let (first, second) = (place.variant("first", 100), place.variant("second", 101));
    let one = place.install(&first, &named("it")).unwrap().model;
    let again = place.install(&first, &named("it")).unwrap();
    assert_eq!((again.was, &again.model), (Before::Same, &one));
    let refused = place.install(&second, &named("it")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "another model is installed as \"it\" ({}): --replace puts this one in its place, --name gives it another name",
            one.short_digest()
        )
    );
    assert_eq!(place.models.list().unwrap(), std::slice::from_ref(&one), "it is as it was");
    let replaced = place.install(&second, &Installing { replace: true, ..named("it") }).unwrap();
    assert_eq!(replaced.was, Before::Another);
    assert_ne!(replaced.model.digest, one.digest, "another reading is another model");
    assert_eq!(place.models.list().unwrap(), [replaced.model]);
    assert_eq!(place.left_behind(), ["it"]);
}

#[test]
fn a_model_that_was_replaced_does_not_speak_in_the_name_of_the_old_one() {
    let place = Place::new();
    let model = place.install(&model_folder(), &as_is()).unwrap().model;
    let embedder = embedder(&place, None);
    let path = model.folder.join("tokenizer.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("berlin", "berlim")).unwrap();
    match embedder.embed(&["Berlin"], Purpose::Text) {
        Err(PortError::Lasting(said)) => {
            assert!(
                said.contains("is not as it was installed: if the model was replaced, restart"),
                "{said}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn which_one_is_meant_must_be_clear() {
    let place = Place::new();
    let source = place.variant("source", 64);
    place.install(&source, &named("b")).unwrap();
    assert_eq!(embedder(&place, None).model(), embedder(&place, Some("b")).model());
    place.install(&source, &named("a")).unwrap();
    assert_eq!(place.names(), ["a", "b"]);
    let said = |name| place.models.chosen(name).unwrap_err().to_string();
    assert_eq!(said(None), "several models are installed (a, b): name one as embedder.model");
    assert_eq!(said(Some("c")), "no model \"c\" is installed; there is a, b");
    assert!(embedder(&place, Some("a")).model().starts_with("a@"));
    let nowhere = Place::new().models.chosen(Some("c")).unwrap_err().to_string();
    assert_eq!(
        nowhere,
        "no model \"c\" is installed: there is none; install one with `selfsame model install`"
    );
    assert!(matches!(place.models.remove("c"), Err(ModelError::NoSuch { .. })));
}

#[test]
fn nothing_is_left_of_what_is_no_model() {
    let place = Place::new();
    let bad = place.folder.path().join("bad");
    fs::create_dir(&bad).unwrap();
    let refused = |place: &Place| {
        let said = place.install(&bad, &as_is()).unwrap_err().to_string();
        if place.installed().exists() {
            assert_eq!(place.left_behind(), [""; 0], "{said}");
        }
        said
    };
    assert!(refused(&place).contains("has no ONNX model"));
    fs::write(bad.join("model.onnx"), "garbage").unwrap();
    assert!(refused(&place).contains("has no tokenizer.json"));
    fs::copy(model_folder().join("tokenizer.json"), bad.join("tokenizer.json")).unwrap();
    let said = refused(&place);
    assert!(
        said.starts_with("nothing was installed: ") && said.contains("no ONNX model that can be run"),
        "{said}"
    );
    fs::copy(model_folder().join("model_quantized.onnx"), bad.join("model.onnx")).unwrap();
    fs::write(bad.join("tokenizer.json"), "[]").unwrap();
    assert!(refused(&place).contains("is no tokenizer that can be read"));
    fs::copy(model_folder().join("tokenizer.json"), bad.join("tokenizer.json")).unwrap();
    for name in ["", ".hidden", "a/b", "a b", "ü", &"x".repeat(65)] {
        let said = place.install(&bad, &named(name)).unwrap_err().to_string();
        assert!(said.starts_with(&format!("{name:?} is no name for a model")), "{said}");
    }
    assert_eq!(place.left_behind(), [""; 0]);
    assert_eq!(place.install(&bad, &as_is()).unwrap().model.name, "bad", "and at last it is one");
}

#[test]
fn a_model_without_sense_is_refused() {
    let place = Place::new();
    let source = place.variant("source", 64);
    // A vocabulary in which every word is the same unknown one.
    let text = fs::read_to_string(source.join("tokenizer.json")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let vocabulary = json["model"]["vocab"].as_object_mut().unwrap();
    vocabulary.retain(|word, _| word.starts_with('['));
    fs::write(source.join("tokenizer.json"), json.to_string()).unwrap();
    let said = place.install(&source, &as_is()).unwrap_err();
    assert!(matches!(said, ModelError::Senseless), "{said}");
    assert_eq!(place.left_behind(), [""; 0]);
}

/// How long vectors are is seen from the model itself; what stands beside it is not believed.
#[test]
fn a_folder_that_says_no_dimensions_is_tried_all_the_same() {
    let place = Place::new();
    let source = place.variant("source", 0);
    fs::write(source.join("config.json"), r#"{"hidden_size":0,"max_position_embeddings":0}"#).unwrap();
    fs::create_dir(source.join("1_Pooling")).unwrap();
    fs::write(source.join("1_Pooling/config.json"), r#"{"word_embedding_dimension":0}"#).unwrap();
    let model = place.install(&source, &as_is()).unwrap().model;
    assert!((model.dimensions, model.max_tokens > 0) == (384, true), "{model:?}");
    assert_eq!(embedder(&place, None).embed(&["hello"], Purpose::Text).unwrap()[0].len(), 384);
    // What was written down about it is: without dimensions it is damaged.
    let manifest = model.folder.join("manifest.toml");
    let written = fs::read_to_string(&manifest).unwrap();
    for (line, spoiled) in [("dimensions = 384", "dimensions = 0"), ("max_tokens = ", "max_tokens = 0 # ")] {
        assert!(written.contains(line), "{written}");
        fs::write(&manifest, written.replace(line, spoiled)).unwrap();
        let said = place.models.chosen(None).unwrap_err().to_string();
        assert!(said.contains("manifest.toml\" cannot be read (a model has dimensions"), "{said}");
    }
}

#[test]
fn what_a_dead_process_left_is_tidied_up_and_never_taken_for_a_model() {
    let place = Place::new();
    for left in [".arriving", ".fetching", ".leaving"] {
        let folder = place.installed().join(left);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("manifest.toml"), "half").unwrap();
    }
    assert_eq!(place.names(), [""; 0]);
    let source = place.variant("source", 64);
    place.install(&source, &as_is()).unwrap();
    place.models.remove("source").unwrap();
    assert_eq!(place.left_behind(), [".fetching"], "the rest is tidied up by who needs the place");
}

#[test]
fn somebody_elses_folder_is_not_touched_and_a_damaged_manifest_is_named() {
    let place = Place::new();
    let source = place.variant("source", 64);
    let theirs = place.installed().join("source");
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join("notes.txt"), "mine").unwrap();
    let said = place.install(&source, &Installing { replace: true, ..as_is() }).unwrap_err().to_string();
    assert!(said.contains("is in the way and was not made by `selfsame model install`"), "{said}");
    assert_eq!(fs::read_to_string(theirs.join("notes.txt")).unwrap(), "mine");
    assert_eq!(place.names(), [""; 0]);
    fs::write(theirs.join("manifest.toml"), "name = 1").unwrap();
    let said = place.models.list().unwrap_err().to_string();
    assert!(said.contains("source/manifest.toml\" cannot be read ("), "{said}");
}

#[test]
fn many_who_install_the_same_at_once_get_one_model() {
    let place = Place::new();
    let source = place.variant("source", 64);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| outcomes.lock().unwrap().push(place.install(&source, &as_is()).unwrap().was));
        }
    });
    let outcomes = outcomes.into_inner().unwrap();
    assert_eq!(outcomes.iter().filter(|was| **was == Before::Nothing).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|was| **was == Before::Same).count(), 3, "{outcomes:?}");
    assert_eq!(place.left_behind(), ["source"]);
}

#[test]
fn a_snapshot_of_a_hubs_cache_is_called_after_its_model() {
    let place = Place::new();
    let snapshot = place.folder.path().join("models--someone--small-model/snapshots/0123abcd");
    fs::create_dir_all(snapshot.join("onnx")).unwrap();
    fs::copy(model_folder().join("model_quantized.onnx"), snapshot.join("onnx/model.onnx")).unwrap();
    fs::copy(model_folder().join("tokenizer.json"), snapshot.join("tokenizer.json")).unwrap();
    assert_eq!(place.install(&snapshot, &as_is()).unwrap().model.name, "small-model");
    let graph = snapshot.join("onnx/model.onnx");
    assert_eq!(place.install(&graph, &as_is()).unwrap().was, Before::Same, "by its graph it is the same");
}

/// A hub that has the real files, and does one thing wrong.
struct ScriptedHub {
    wrong: Option<(&'static str, Wrong)>,
}

#[derive(Clone, Copy)]
enum Wrong {
    Missing,
    BreaksOff,
    Short,
    OtherChecksum,
}

impl Fetch for ScriptedHub {
    fn hub(&self) -> &str {
        "hub:"
    }

    fn fetch(&self, url: &str) -> Result<Fetched, String> {
        let path = url.split("/resolve/main/").nth(1).unwrap();
        let wrong = self.wrong.filter(|(file, _)| path.ends_with(file)).map(|(_, wrong)| wrong);
        let bytes = match path {
            "1_Pooling/config.json" => br#"{"pooling_mode_mean_tokens":true}"#.to_vec(),
            "onnx/model_quantized.onnx" => fs::read(model_folder().join("model_quantized.onnx")).unwrap(),
            other => fs::read(model_folder().join(other)).map_err(|error| error.to_string())?,
        };
        let body: Box<dyn Read> = match wrong {
            None | Some(Wrong::OtherChecksum) => Box::new(io::Cursor::new(bytes.clone())),
            Some(Wrong::Missing) => return Err("there is no such file (404)".into()),
            Some(Wrong::BreaksOff) => Box::new(io::Cursor::new(bytes[..1000].to_vec()).chain(Broken)),
            Some(Wrong::Short) => Box::new(io::Cursor::new(bytes[..1000].to_vec())),
        };
        let sha256 = matches!(wrong, Some(Wrong::OtherChecksum)).then(|| "0".repeat(64));
        Ok(Fetched { bytes: Some(bytes.len() as u64), sha256, body })
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _into: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("connection reset"))
    }
}

#[test]
fn a_known_model_is_fetched_whole_or_not_at_all() {
    let place = Place::new();
    let graph = "model_quantized.onnx";
    for (wrong, said) in [
        (
            ("tokenizer.json", Wrong::Missing),
            "nothing was installed: hub:/sentence-transformers/all-MiniLM-L6-v2/resolve/main/tokenizer.json could not be fetched (there is no such file (404)); without a network, copy the model's folder here and run `selfsame model install <folder>`",
        ),
        (
            (graph, Wrong::BreaksOff),
            "nothing was installed: hub:/Xenova/all-MiniLM-L6-v2/resolve/main/onnx/model_quantized.onnx could not be fetched (it broke off: connection reset); without a network, copy the model's folder here and run `selfsame model install <folder>`",
        ),
        (
            (graph, Wrong::Short),
            "nothing was installed: onnx/model_quantized.onnx arrived damaged (1000 of 23398271 bytes); try again",
        ),
    ] {
        let refused = place.fetch(&ScriptedHub { wrong: Some(wrong) }).unwrap_err();
        assert_eq!(refused.to_string(), said);
        assert_eq!(place.left_behind(), [""; 0]);
    }
    let refused = place.fetch(&ScriptedHub { wrong: Some((graph, Wrong::OtherChecksum)) }).unwrap_err();
    assert!(refused.to_string().contains("and should be 000000"), "{refused}");
    let fetched = place.fetch(&ScriptedHub { wrong: None }).unwrap();
    assert_eq!((fetched.was, fetched.model.name.as_str()), (Before::Nothing, "all-MiniLM-L6-v2"));
    assert_eq!(place.left_behind(), ["all-MiniLM-L6-v2"]);
    let by_folder = place.install(&model_folder(), &as_is()).unwrap();
    assert_eq!(by_folder.was, Before::Same, "by folder or by name, it is the same model");
}

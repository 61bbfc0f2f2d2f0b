//! Ollama's `/api/embed`.

use super::Dialect;
use super::trouble::BadAnswer;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct Ollama;

#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Vec<f32>>,
}

impl Dialect for Ollama {
    fn usual_url(&self) -> &'static str {
        "http://127.0.0.1:11434"
    }

    fn path(&self) -> &'static str {
        "/api/embed"
    }

    fn question(&self, model: &str, texts: &[&str]) -> Value {
        json!({"model": model, "input": texts, "truncate": true})
    }

    /// In the order of the texts.
    fn vectors(&self, body: &[u8], _texts: usize) -> Result<Vec<Vec<f32>>, BadAnswer> {
        let answer: Answer = BadAnswer::or_json(body)?;
        Ok(answer.embeddings)
    }

    /// A model has the same weights wherever it was pulled to.
    fn name(&self, model: &str, _host: &str) -> String {
        format!("ollama:{model}")
    }

    fn when_nobody_answers(&self) -> String {
        "is Ollama running? Start it with `ollama serve`, or set embedder.url".into()
    }

    fn when_not_found(&self, model: &str, body: &[u8]) -> String {
        if is_ollamas_error(body) {
            format!("does not have the model {model:?}: run `ollama pull {model}`, or set embedder.model")
        } else {
            "is no address of Ollama's: set embedder.url to that of Ollama 0.3 or newer, without a path"
                .into()
        }
    }

    fn example(&self) -> &'static str {
        "nomic-embed-text"
    }
}

/// Whether this is how Ollama tells an error, and not a page that is not there or another server's way.
fn is_ollamas_error(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|said| said["error"].is_string())
}

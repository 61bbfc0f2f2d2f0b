//! OpenAI's `/v1/embeddings`, as many servers speak it.

use super::Dialect;
use super::trouble::BadAnswer;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct OpenAi;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl Dialect for OpenAi {
    fn usual_url(&self) -> &'static str {
        "https://api.openai.com/v1"
    }

    fn path(&self) -> &'static str {
        "/embeddings"
    }

    fn question(&self, model: &str, texts: &[&str]) -> Value {
        json!({"model": model, "input": texts, "encoding_format": "float"})
    }

    /// Each vector says which text it is of; they may come in any order.
    fn vectors(&self, body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, BadAnswer> {
        let answer: Answer = BadAnswer::or_json(body)?;
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
        for Item { index, embedding } in answer.data {
            let place = vectors.get_mut(index).ok_or(BadAnswer::UnknownIndex { index, texts })?;
            if place.replace(embedding).is_some() {
                return Err(BadAnswer::IndexTwice { index });
            }
        }
        // Fewer than texts, if one is missing: the check of the vectors says so.
        Ok(vectors.into_iter().flatten().collect())
    }

    /// What a server calls a model is its own affair, so the server's name is part of it.
    fn name(&self, model: &str, host: &str) -> String {
        format!("openai:{model}@{host}")
    }

    fn when_nobody_answers(&self) -> String {
        "is the server running? Start it, or set embedder.url".into()
    }

    fn when_not_found(&self, model: &str, _body: &[u8]) -> String {
        format!(
            "does not have the model {model:?}, or is no address for embeddings: check embedder.model, and that \
             embedder.url is the server's with /v1 at its end if the server wants that"
        )
    }

    fn example(&self) -> &'static str {
        "text-embedding-3-small"
    }
}

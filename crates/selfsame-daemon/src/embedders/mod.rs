//! Embedders that are asked over HTTP: Ollama, and whoever speaks OpenAI's `/v1/embeddings`.
//!
//! A server is believed in nothing: how long it may take, how much it may say and what it says are all bounded and
//! checked, it is never followed to another address, and its words are in no message of ours, as they may repeat what it
//! was asked. What goes wrong is told in `trouble`, with what to do about it. The in-process embedder is not here: it
//! asks nobody.

mod http;
mod ollama;
mod openai;
mod trouble;

use self::http::Endpoint;
use self::ollama::Ollama;
use self::openai::OpenAi;
use self::trouble::{BadAnswer, Failure};
use crate::pause::Pause;
use selfsame::clock::SystemClock;
use selfsame::config::{EmbedderKind, EmbedderSettings};
use selfsame::ports::{Embedder, PortError, Purpose};
use selfsame::time::Clock;
use selfsame::vector;
use std::sync::Arc;
use std::time::Duration;

/// How long somebody who asks a question waits for its vector: without one it is answered by words, and that is at once.
const QUESTION_PATIENCE: Duration = Duration::from_secs(2);
/// A text that is refused as too long is embedded by its beginning, but not by less than so many bytes of it.
const SHORTEST_BEGINNING: usize = 64;

/// The embedder that the settings name, if it is one that is asked over HTTP.
pub fn remote(settings: &EmbedderSettings) -> Result<Option<Arc<dyn Embedder>>, PortError> {
    remote_with_clock(settings, Arc::new(SystemClock::default()))
}

/// The same, by another clock.
pub fn remote_with_clock(
    settings: &EmbedderSettings,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn Embedder>>, PortError> {
    let dialect: Box<dyn Dialect> = match settings.kind {
        EmbedderKind::Ollama => Box::new(Ollama),
        EmbedderKind::OpenAi => Box::new(OpenAi),
        EmbedderKind::Auto | EmbedderKind::None | EmbedderKind::Local => return Ok(None),
    };
    Ok(Some(Arc::new(Remote::new(settings, dialect, clock)?)))
}

/// What differs between the servers.
trait Dialect: Send + Sync {
    /// Where the server usually is.
    fn usual_url(&self) -> &'static str;
    /// What is put after the address.
    fn path(&self) -> &'static str;
    /// What is asked, as JSON.
    fn question(&self, model: &str, texts: &[&str]) -> serde_json::Value;
    /// The vectors of an answer to so many texts.
    fn vectors(&self, body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, BadAnswer>;
    /// What the vectors are known by: those of different names are never compared.
    fn name(&self, model: &str, host: &str) -> String;
    /// What to do if nobody answers at the address.
    fn when_nobody_answers(&self) -> String;
    /// What to do if the server says that it is not there; `body` tells whether the model is meant, or the address.
    fn when_not_found(&self, model: &str, body: &[u8]) -> String;
    /// A model that this server may have, as an example.
    fn example(&self) -> &'static str;
}

struct Remote {
    dialect: Box<dyn Dialect>,
    endpoint: Endpoint,
    /// What the server calls the model.
    called: String,
    /// What its vectors are known by here.
    model: String,
    question_prefix: String,
    text_prefix: String,
    batch: usize,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    pause: Pause,
}

impl Remote {
    fn new(
        settings: &EmbedderSettings,
        dialect: Box<dyn Dialect>,
        clock: Arc<dyn Clock>,
    ) -> Result<Remote, PortError> {
        let called = settings.model.clone().ok_or_else(|| trouble::no_model(settings.kind, &*dialect))?;
        let url = settings.url.as_deref().unwrap_or(dialect.usual_url());
        let endpoint = Endpoint::new(url, dialect.path(), settings.key.as_ref())?;
        // What is put before a text changes its vector as much as another model would.
        let prefixed = match settings.text_prefix.as_str() {
            "" => String::new(),
            prefix => format!(" after {prefix:?}"),
        };
        Ok(Remote {
            model: dialect.name(&called, endpoint.host()) + &prefixed,
            dialect,
            endpoint,
            called,
            question_prefix: settings.question_prefix.clone(),
            text_prefix: settings.text_prefix.clone(),
            batch: settings.batch,
            timeout: settings.timeout,
            clock,
            pause: Pause::default(),
        })
    }

    fn prefixed(&self, text: &str, purpose: Purpose) -> String {
        let prefix = match purpose {
            Purpose::Text => &self.text_prefix,
            Purpose::Question => &self.question_prefix,
        };
        format!("{prefix}{text}")
    }

    /// What is too much at once is asked for in halves, and what is too long by itself is embedded by its beginning: one
    /// long text must not keep all others from being found.
    fn embed_texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PortError> {
        match (self.ask(texts, Purpose::Text), texts) {
            (Ok(vectors), _) => Ok(vectors),
            (Err(Failure::Told { error, .. }), _) => Err(error),
            (Err(Failure::TooLarge), [text]) => self.embed_beginning(text),
            (Err(Failure::TooLarge), _) => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut vectors = self.embed_texts(first)?;
                vectors.extend(self.embed_texts(second)?);
                Ok(vectors)
            }
        }
    }

    fn embed_beginning(&self, text: &str) -> Result<Vec<Vec<f32>>, PortError> {
        let mut beginning = text;
        while beginning.len() / 2 >= SHORTEST_BEGINNING {
            beginning = &beginning[..beginning.floor_char_boundary(beginning.len() / 2)];
            match self.ask(&[beginning], Purpose::Text) {
                Ok(vectors) => return Ok(vectors),
                Err(Failure::Told { error, .. }) => return Err(error),
                Err(Failure::TooLarge) => {}
            }
        }
        Err(trouble::too_long(&self.endpoint, beginning.len()))
    }

    /// A question is asked once and not for long; whoever just failed is not asked again before a pause is over.
    fn embed_questions(&self, questions: &[&str]) -> Result<Vec<Vec<f32>>, PortError> {
        if let Some(error) = self.pause.reason(self.clock.now()) {
            return Err(error);
        }
        let asked = self.ask(questions, Purpose::Question);
        asked.map_err(|failure| match failure {
            Failure::Told { error, .. } => error,
            Failure::TooLarge => {
                trouble::too_long(&self.endpoint, questions.iter().map(|one| one.len()).sum())
            }
        })
    }

    /// One request. That the server does not work is kept in mind for the next question; that it works, too.
    fn ask(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Failure> {
        let asked = self.ask_unminded(&Asked { remote: self, texts, purpose });
        match &asked {
            Ok(_) => self.pause.end(),
            Err(Failure::Told { error, wait }) => self.pause.begin(self.clock.now(), *wait, error.clone()),
            // About a text, and not about the server.
            Err(Failure::TooLarge) => {}
        }
        asked
    }

    fn ask_unminded(&self, asked: &Asked) -> Result<Vec<Vec<f32>>, Failure> {
        let count = asked.texts.len();
        let question = self.dialect.question(&self.called, asked.texts).to_string();
        let answer = self.endpoint.post(&question, body_limit(count), asked.timeout());
        let answer = answer.map_err(|error| asked.no_answer(&error))?;
        if !answer.is_success() {
            return Err(asked.refused(&answer));
        }
        let vectors = self.dialect.vectors(&answer.body, count).map_err(|bad| asked.unusable(&bad))?;
        vector::check(&vectors, count, None).map_err(|bad| asked.unusable(&bad))?;
        Ok(vectors)
    }
}

/// One request, for the words about what became of it.
struct Asked<'a> {
    remote: &'a Remote,
    texts: &'a [&'a str],
    purpose: Purpose,
}

impl Asked<'_> {
    fn timeout(&self) -> Duration {
        match self.purpose {
            Purpose::Text => self.remote.timeout,
            Purpose::Question => self.remote.timeout.min(QUESTION_PATIENCE),
        }
    }
}

/// How large the answer to so many texts may be: a vector of sixteen thousand numbers for each, written at length.
fn body_limit(texts: usize) -> u64 {
    const EACH: u64 = 512 << 10;
    const MOST: u64 = 64 << 20;
    (texts as u64).saturating_add(1).saturating_mul(EACH).min(MOST)
}

impl Embedder for Remote {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimensions(&self) -> Option<usize> {
        None
    }

    fn is_at_hand(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        let texts: Vec<String> = texts.iter().map(|text| self.prefixed(text, purpose)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.batch) {
            vectors.extend(match purpose {
                Purpose::Text => self.embed_texts(batch)?,
                Purpose::Question => self.embed_questions(batch)?,
            });
        }
        Ok(vectors)
    }
}

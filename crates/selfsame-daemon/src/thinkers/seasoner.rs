//! A small model nearby that writes fresh questions: Ollama's `/api/chat`, asked once and not for long.

use super::provider::Provider;
use super::trouble::Place;
use crate::reach::Reach;
use crate::web::{Limits, Watch};
use selfsame::ports::{Fault, FaultKind, PortError, Seasoner};
use selfsame::time::Clock;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{HeaderMap, HeaderValue};

/// Nobody waits longer for a question: there is a deck of them.
const PATIENCE: Duration = Duration::from_secs(8);
const MAX_BYTES: u64 = 64 << 10;

/// Asks Ollama.
pub struct OllamaSeasoner {
    url: String,
    reach: Reach,
    clock: Arc<dyn Clock>,
}

impl OllamaSeasoner {
    /// At an address, or at the usual one.
    pub fn new(url: Option<&str>, clock: Arc<dyn Clock>) -> Result<OllamaSeasoner, PortError> {
        let base = url.unwrap_or(Provider::Ollama.usual_url()).trim_end_matches('/');
        let reach = Reach::of_base(base)
            .map_err(|unfit| PortError::Lasting(format!("the seasoner's url {unfit}")))?;
        Ok(OllamaSeasoner { url: format!("{base}{}", Provider::Ollama.path("")), reach, clock })
    }

    fn ask(&self, place: &Place, question: &str, time: Duration) -> Result<String, Fault> {
        let headers =
            HeaderMap::from_iter([("content-type", "application/json"), ("accept", "application/json")].map(
                |(name, value)| (ureq::http::HeaderName::from_static(name), HeaderValue::from_static(value)),
            ));
        let limits = Limits { time, bytes: MAX_BYTES, now: self.clock.now() };
        let answer = Watch::new(self.reach.clone(), time).post(&self.url, &headers, question, limits);
        let answer = answer.map_err(|error| place.no_answer(&error, time))?;
        if !answer.is_success() {
            return Err(place.refused(&answer));
        }
        let answer = place.read(&answer.body)?;
        match answer.pointer("/message/content").and_then(Value::as_str).map(str::trim) {
            Some("") => Err(place.declined()),
            Some(words) => Ok(words.to_owned()),
            None => Err(place.unreadable("it has no message")),
        }
    }
}

impl Seasoner for OllamaSeasoner {
    fn season(&self, model: &str, prompt: &str, timeout: Duration) -> Result<String, PortError> {
        let place = Place {
            named: self.url.clone(),
            check: "the seasoner's url and model",
            when_nobody_answers: Provider::Ollama.when_nobody_answers(),
            when_not_found: Provider::Ollama.when_not_found(model),
            has_key: false,
            max_bytes: MAX_BYTES,
        };
        let question = json!({
            "model": model,
            "messages": [{"role": "user", "content": prompt}],
            "stream": false,
            // What it thought before it answered would only cost time.
            "think": false,
            "options": {"temperature": 1},
        });
        self.ask(&place, &question.to_string(), timeout.min(PATIENCE)).map_err(|fault| match fault.kind {
            FaultKind::Misconfigured => PortError::Lasting(fault.told),
            _ => PortError::Passing(fault.told),
        })
    }
}

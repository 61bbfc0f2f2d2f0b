//! A host that is sent the prompt as JSON, signed, and replies with text.

use super::trouble::Place;
use super::{ThinkerSpec, counted, time_for};
use crate::pause::Breaker;
use crate::reach::Reach;
use crate::signed;
use crate::web::{Limits, Watch};
use selfsame::config::Secret;
use selfsame::ports::{Desk, Fault, FaultKind, PortError, Prompt, Thinker, Thought};
use selfsame::time::Clock;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

pub(super) struct Webhook {
    /// It may have a token in it, so it is in no message.
    url: Secret,
    secret: Option<Secret>,
    reach: Reach,
    place: Place,
    timeout: Duration,
    idle: Duration,
    clock: Arc<dyn Clock>,
    breaker: Arc<Breaker>,
}

impl Webhook {
    pub(super) fn new(
        spec: &ThinkerSpec,
        clock: Arc<dyn Clock>,
        breaker: Arc<Breaker>,
    ) -> Result<Webhook, PortError> {
        let url = spec.webhook_url.clone().ok_or_else(|| {
            PortError::Lasting("thinker.webhook_url is not set: say where the prompt is sent".into())
        })?;
        let reach = Reach::of(url.reveal())
            .map_err(|unfit| PortError::Lasting(format!("thinker.webhook_url {unfit}")))?;
        let place = Place {
            named: "the thinker's webhook".into(),
            check: "thinker.webhook_url",
            when_nobody_answers: "start the host, or set thinker.webhook_url",
            when_not_found: "check thinker.webhook_url".into(),
            has_key: false,
            max_bytes: spec.max_bytes,
        };
        let secret = spec.webhook_secret.clone();
        let (timeout, idle) = (spec.timeout, spec.idle);
        Ok(Webhook { url, secret, reach, place, timeout, idle, clock, breaker })
    }

    fn ask(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        let time = time_for(prompt, desk, self.timeout);
        if time.is_zero() {
            return Err(self.place.too_slow(time));
        }
        let asked = json!({
            "instructions": prompt.instructions,
            "material": prompt.material,
            "max_tokens": prompt.max_tokens,
            // A host has its own, which nobody here could watch over.
            "tools": [],
        })
        .to_string();
        let limits = Limits { time, bytes: self.place.max_bytes, now: self.clock.now() };
        let watch = Watch::new(self.reach.clone(), self.idle);
        let answer = watch
            .post(self.url.reveal(), &self.headers(&asked), &asked, limits)
            .map_err(|error| self.place.no_answer(&error, time));
        let answer = match answer {
            Ok(answer) if !answer.is_success() => return Err(self.place.refused(&answer)),
            Ok(answer) => answer,
            Err(fault) => {
                // What was taken on is paid for, whatever comes back.
                if matches!(fault.kind, FaultKind::TooSlow | FaultKind::TooLarge) {
                    let _ = desk.spent(counted(&asked, ""));
                }
                return Err(fault);
            }
        };
        desk.spent_at_last(counted(&asked, &String::from_utf8_lossy(&answer.body)))?;
        let text = self.text(&answer.body, answer.is_json)?;
        match text.trim().is_empty() {
            true => Err(self.place.declined()),
            false => Ok(Thought { text, model: None }),
        }
    }

    /// JSON with a text, or the text itself.
    fn text(&self, body: &[u8], is_json: bool) -> Result<String, Fault> {
        if !is_json {
            let text =
                String::from_utf8(body.to_vec()).map_err(|_| self.place.unreadable("it is no text"))?;
            return match text.trim_start().starts_with('<') {
                true => Err(self.place.unreadable("it is a web page")),
                false => Ok(text),
            };
        }
        match self.place.read(body)?.get("text") {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(self.place.unreadable("it has no \"text\"")),
        }
    }

    fn headers(&self, body: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        headers.insert("accept", HeaderValue::from_static("application/json, text/plain"));
        for (name, value) in signed::headers(self.secret.as_ref(), self.clock.now(), body) {
            // Digits and hexadecimal letters: always a header.
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        headers
    }
}

impl Thinker for Webhook {
    fn name(&self) -> &str {
        "webhook"
    }

    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        self.breaker.admit(self.clock.now())?;
        let thought = self.ask(prompt, desk);
        self.breaker.note(self.clock.now(), &thought);
        thought
    }
}

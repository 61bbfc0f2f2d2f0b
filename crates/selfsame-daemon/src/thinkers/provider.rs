//! What differs between providers of models beyond what the client library knows.

use genai::adapter::AdapterKind;
use serde_json::{Value, json};
use ureq::http::HeaderName;

/// Whose way of being asked is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provider {
    /// Ollama's own `/api/chat`.
    Ollama,
    /// Whoever speaks OpenAI's `/v1/chat/completions`.
    OpenAi,
    /// Anthropic's `/v1/messages`, and whoever speaks it.
    Anthropic,
    /// Google's `:generateContent`.
    Gemini,
}

/// Why an answer is not taken, though it is JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoAnswer {
    /// It has another shape.
    OtherShape,
    /// The provider would not even ask the model.
    Blocked,
}

impl Provider {
    pub(super) fn adapter(self) -> AdapterKind {
        match self {
            Provider::Ollama => AdapterKind::Ollama,
            Provider::OpenAi => AdapterKind::OpenAI,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
        }
    }

    /// Where it usually is.
    pub(super) fn usual_url(self) -> &'static str {
        match self {
            Provider::Ollama => "http://127.0.0.1:11434",
            Provider::OpenAi => "https://api.openai.com/v1",
            Provider::Anthropic => "https://api.anthropic.com/v1",
            Provider::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// What is put after the address.
    pub(super) fn path(self, model: &str) -> String {
        match self {
            Provider::Ollama => "/api/chat".into(),
            Provider::OpenAi => "/chat/completions".into(),
            Provider::Anthropic => "/messages".into(),
            Provider::Gemini => format!("/models/{model}:generateContent"),
        }
    }

    /// How a key is shown.
    pub(super) fn key_header(self, key: &str) -> (HeaderName, String) {
        match self {
            Provider::Ollama | Provider::OpenAi => {
                (HeaderName::from_static("authorization"), format!("Bearer {key}"))
            }
            Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
            Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
        }
    }

    /// A model that it may have, as an example.
    pub(super) fn example(self) -> &'static str {
        match self {
            Provider::Ollama => "qwen3:8b",
            Provider::OpenAi => "gpt-5-mini",
            Provider::Anthropic => "claude-haiku-4-5",
            Provider::Gemini => "gemini-3-flash",
        }
    }

    /// What to do if nobody answers at the address.
    pub(super) fn when_nobody_answers(self) -> &'static str {
        match self {
            Provider::Ollama => "is Ollama running? Start it with `ollama serve`, or set thinker.url",
            _ => "is the server running? Start it, or set thinker.url",
        }
    }

    /// What to do if it is not there.
    pub(super) fn when_not_found(self, model: &str) -> String {
        match self {
            Provider::Ollama => format!("run `ollama pull {model}`, or check thinker.model and thinker.url"),
            _ => "check thinker.model and thinker.url".into(),
        }
    }

    /// Whether every answer of a tool is a message of its own. Others want those to one message in one.
    pub(super) fn wants_single_answers(self) -> bool {
        self == Provider::Ollama
    }

    /// Whether tools must be described as long as the conversation speaks of one.
    pub(super) fn wants_past_tools(self) -> bool {
        self == Provider::Anthropic
    }

    /// The client library takes the end of some names (`-max`, `-low`) for a wish about how much is thought, and what
    /// stands before `::` for its own. A model is asked for by the name that was set, and nothing else is wished for.
    pub(super) fn as_set(self, request: &mut Value, model: &str) {
        let Some(fields) = request.as_object_mut() else { return };
        match self {
            Provider::Gemini => {
                if let Some(wishes) = fields.get_mut("generationConfig").and_then(Value::as_object_mut) {
                    wishes.remove("thinkingConfig");
                }
            }
            Provider::Ollama | Provider::OpenAi | Provider::Anthropic => {
                ["reasoning_effort", "thinking", "output_config"].iter().for_each(|wish| {
                    fields.remove(*wish);
                });
                fields.insert("model".into(), model.into());
            }
        }
    }

    /// Looks whether this is an answer at all, and takes out what it says about tokens, if it does: the client library
    /// adds those up in 32 bits.
    pub(super) fn take_tokens(self, answer: &mut Value) -> Result<Option<u64>, NoAnswer> {
        let message = match self {
            Provider::Ollama => answer.pointer("/message").is_some_and(Value::is_object),
            Provider::OpenAi => answer.pointer("/choices/0/message").is_some_and(Value::is_object),
            Provider::Anthropic => answer.pointer("/content").is_some_and(Value::is_array),
            Provider::Gemini if answer.pointer("/promptFeedback/blockReason").is_some() => {
                return Err(NoAnswer::Blocked);
            }
            Provider::Gemini => answer.pointer("/candidates/0").is_some_and(Value::is_object),
        };
        if !message {
            return Err(NoAnswer::OtherShape);
        }
        if self == Provider::OpenAi {
            quote_broken_arguments(answer);
        }
        Ok(self.tokens(answer))
    }

    fn tokens(self, answer: &mut Value) -> Option<u64> {
        let parts: &[&str] = match self {
            Provider::Ollama => &["prompt_eval_count", "eval_count"],
            Provider::OpenAi => &["prompt_tokens", "completion_tokens"],
            Provider::Anthropic => {
                &["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"]
            }
            Provider::Gemini => &["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"],
        };
        let fields = answer.as_object_mut()?;
        let usage = match self {
            Provider::Ollama => json!({
                "prompt_eval_count": fields.remove("prompt_eval_count"),
                "eval_count": fields.remove("eval_count"),
            }),
            Provider::OpenAi | Provider::Anthropic => fields.remove("usage")?,
            Provider::Gemini => fields.remove("usageMetadata")?,
        };
        let told = |name: &&str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
        Some(parts.iter().map(told).fold(0, u64::saturating_add)).filter(|total| *total > 0)
    }
}

/// Arguments that are no JSON are handed on as words: whoever runs the tool refuses them, and the model is told so. The
/// client library would take the whole answer for unreadable.
fn quote_broken_arguments(answer: &mut Value) {
    let calls = answer.pointer_mut("/choices/0/message/tool_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten() {
        let Some(arguments) = call.pointer_mut("/function/arguments") else { continue };
        if let Some(words) = arguments.as_str().filter(|words| !is_json(words)) {
            *arguments = Value::from(Value::from(words).to_string());
        }
    }
}

fn is_json(words: &str) -> bool {
    serde_json::from_str::<Value>(words).is_ok()
}

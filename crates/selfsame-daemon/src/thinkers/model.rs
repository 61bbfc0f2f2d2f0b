//! A model that is asked over HTTP, and may use the tools on the desk.

use super::gate::{Exchange, Gate, Upstream, secret_header};
use super::provider::Provider;
use super::trouble::Place;
use super::{ThinkerSpec, time_for};
use crate::pause::Breaker;
use crate::reach::Reach;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponse, StopReason, Tool, ToolCall, ToolChoice, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use selfsame::ports::{Desk, Fault, FaultKind, PortError, Prompt, Thinker, Thought, ToolCard};
use selfsame::time::Clock;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// So many tools may be used for one prompt, and so often a model may be asked about it, unless more are allowed. Fewer are
/// the desk's to count: whoever used them up may still answer.
const MOST_CALLS: usize = 30;
/// So often the same may be asked of the same tool in a row.
const MOST_REPEATS: usize = 3;
/// The gate ends by itself at the deadline; this is how much later we would stop waiting for it.
const GRACE: Duration = Duration::from_secs(2);

pub(super) struct Model {
    upstream: Upstream,
    timeout: Duration,
    most_calls: usize,
    breaker: Arc<Breaker>,
}

impl Model {
    pub(super) fn new(
        provider: Provider,
        spec: &ThinkerSpec,
        clock: Arc<dyn Clock>,
        breaker: Arc<Breaker>,
    ) -> Result<Model, PortError> {
        let model = spec.model.clone().filter(|model| is_a_name(model)).ok_or_else(|| {
            PortError::Lasting(format!(
                "thinker.model is not set, or has letters that no name has: set it, such as {:?}",
                provider.example()
            ))
        })?;
        let base = spec.url.as_deref().unwrap_or(provider.usual_url()).trim_end_matches('/');
        let reach =
            Reach::of_base(base).map_err(|unfit| PortError::Lasting(format!("thinker.url {unfit}")))?;
        if let Some(key) = &spec.key {
            secret_header(provider, key).map_err(|fault| PortError::Lasting(fault.told))?;
        }
        let url = format!("{base}{}", provider.path(&model));
        let place = Place {
            named: url.clone(),
            check: "thinker.url and thinker.model",
            when_nobody_answers: provider.when_nobody_answers(),
            when_not_found: provider.when_not_found(&model),
            has_key: spec.key.is_some(),
            max_bytes: spec.max_bytes,
        };
        let key = spec.key.clone();
        let upstream = Upstream { place, url, provider, model, reach, key, idle: spec.idle, clock };
        let most_calls = spec.max_calls.max(MOST_CALLS);
        Ok(Model { upstream, timeout: spec.timeout, most_calls, breaker })
    }

    fn converse(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|_| Fault::new(FaultKind::Failed, "this machine gives no further thread or file"))?;
        let thought = Conversation::open(self, &runtime, prompt, desk).and_then(Conversation::lead);
        // What still waits for a server ends by its own limit; nobody waits for it here.
        runtime.shutdown_background();
        thought
    }
}

/// It goes into an address with some providers.
fn is_a_name(model: &str) -> bool {
    !model.is_empty()
        && !model.contains(['?', '#', '%', '\\'])
        && !model.contains("..")
        && !model.chars().any(|letter| letter.is_whitespace() || letter.is_control())
}

impl Thinker for Model {
    fn name(&self) -> &str {
        "model"
    }

    fn model(&self) -> Option<&str> {
        Some(&self.upstream.model)
    }

    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        self.breaker.admit(self.upstream.clock.now())?;
        let thought = self.converse(prompt, desk);
        self.breaker.note(self.upstream.clock.now(), &thought);
        thought
    }
}

/// One prompt, and what follows from it.
struct Conversation<'a> {
    upstream: &'a Upstream,
    place: &'a Place,
    runtime: &'a Runtime,
    desk: &'a dyn Desk,
    gate: Gate,
    client: Client,
    request: ChatRequest,
    options: ChatOptions,
    time: Duration,
    deadline: Instant,
    most_calls: usize,
    calls: usize,
    last_call: Option<(String, String)>,
    repeats: usize,
}

/// What a model wants to be told next.
enum Said {
    Words(Thought),
    Calls(Vec<ToolCall>, ChatMessage),
}

impl<'a> Conversation<'a> {
    fn open(
        model: &'a Model,
        runtime: &'a Runtime,
        prompt: &Prompt,
        desk: &'a dyn Desk,
    ) -> Result<Conversation<'a>, Fault> {
        let time = time_for(prompt, desk, model.timeout);
        let deadline = Instant::now() + time;
        let gate = runtime.block_on(Gate::open(model.upstream.clone()))?;
        let request =
            ChatRequest::from_user(prompt.material.as_str()).with_system(prompt.instructions.as_str());
        let options =
            ChatOptions::default().with_max_tokens(prompt.max_tokens).with_normalize_reasoning_content(true);
        let upstream = &model.upstream;
        let place = &upstream.place;
        let client = client(place)?;
        let (calls, repeats, last_call) = (0, 0, None);
        Ok(Conversation {
            upstream,
            place,
            runtime,
            desk,
            gate,
            client,
            request,
            options,
            time,
            deadline,
            most_calls: model.most_calls,
            calls,
            last_call,
            repeats,
        })
    }

    fn lead(mut self) -> Result<Thought, Fault> {
        for _ in 0..self.most_calls {
            self.lay_out_tools();
            let (response, may_go_on) = self.exchange()?;
            match self.read(response)? {
                Said::Words(thought) => return Ok(thought),
                Said::Calls(calls, message) => may_go_on.and_then(|()| self.answer(&calls, message))?,
            }
        }
        Err(self.place.restless(&format!("was asked {} times and wants still more", self.most_calls)))
    }

    /// As the desk has them now: it takes them away once something nobody vouches for was read.
    fn lay_out_tools(&mut self) {
        let tools: Vec<Tool> = self.desk.tools().iter().map(tool).collect();
        self.options.tool_choice = None;
        if !tools.is_empty() {
            self.request.tools = Some(tools);
        } else if self.upstream.provider.wants_past_tools() && self.calls > 0 {
            self.options.tool_choice = Some(ToolChoice::None);
        } else {
            self.request.tools = None;
        }
    }

    /// One request and its answer, and whether another may follow. What it cost is told in any case.
    fn exchange(&mut self) -> Result<(ChatResponse, Result<(), Fault>), Fault> {
        let left = self.deadline.saturating_duration_since(Instant::now()).min(self.desk.time_left());
        if left.is_zero() {
            return Err(self.place.too_slow(self.time));
        }
        self.gate.expect_until(Instant::now() + left);
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(self.gate.url()),
            // The gate has the key.
            auth: AuthData::from_single("at-the-gate"),
            model: ModelIden::new(self.upstream.provider.adapter(), self.upstream.model.as_str()),
        };
        let asked = self.client.exec_chat(target, self.request.clone(), Some(&self.options));
        let asked = self.runtime.block_on(async { tokio::time::timeout(left + GRACE, asked).await });
        let Some(Exchange { tokens, fault }) = self.gate.take_last() else {
            return Err(self.place.too_slow(self.time));
        };
        let may_go_on = if tokens > 0 { self.desk.spent(tokens) } else { Ok(()) };
        if let Some(fault) = fault {
            return Err(fault);
        }
        match &may_go_on {
            Err(fault) if fault.kind != FaultKind::Budget => return Err(fault.clone()),
            _ => {}
        }
        // The library's own words have the whole prompt in them.
        let response = asked.ok().and_then(Result::ok).ok_or_else(|| {
            self.place.unreadable("it has something else where words or calls of tools should be")
        })?;
        Ok((response, may_go_on))
    }

    fn read(&self, response: ChatResponse) -> Result<Said, Fault> {
        if matches!(response.stop_reason, Some(StopReason::ContentFilter(_))) {
            return Err(self.place.declined());
        }
        let calls: Vec<ToolCall> = response.content.tool_calls().into_iter().cloned().collect();
        let is_cut = matches!(response.stop_reason, Some(StopReason::MaxTokens(_)));
        if !calls.is_empty() && is_cut {
            return Err(self.place.unreadable("it breaks off within the call of a tool"));
        }
        let model = response.provider_model_iden.model_name.to_string();
        let words = response.content.joined_texts().unwrap_or_default();
        match response.into_assistant_message_for_tool_use() {
            Some(message) => Ok(Said::Calls(calls, message)),
            None if words.trim().is_empty() => Err(self.place.declined()),
            None => Ok(Said::Words(Thought { text: words, model: Some(model) })),
        }
    }

    /// Uses the tools in the order in which they are called. What is refused is an answer too.
    fn answer(&mut self, calls: &[ToolCall], message: ChatMessage) -> Result<(), Fault> {
        self.calls += calls.len();
        if self.calls > self.most_calls {
            return Err(self.place.restless(&format!("wants to use more than {} tools", self.most_calls)));
        }
        self.request.messages.push(message);
        let mut answers = Vec::with_capacity(calls.len());
        for call in calls {
            let arguments = arguments(call);
            self.note_repeat(&call.fn_name, &arguments)?;
            if self.desk.time_left().is_zero() || Instant::now() >= self.deadline {
                return Err(self.place.too_slow(self.time));
            }
            let answer = self.desk.call(&call.fn_name, &arguments);
            answers.push(ToolResponse::from_tool_call(call, answer.text));
        }
        match self.upstream.provider.wants_single_answers() {
            true => self.request.messages.extend(answers.into_iter().map(ChatMessage::from)),
            false => self.request.messages.push(ChatMessage::from(answers)),
        }
        Ok(())
    }

    fn note_repeat(&mut self, tool: &str, arguments: &str) -> Result<(), Fault> {
        let call = (tool.to_owned(), arguments.to_owned());
        self.repeats = if self.last_call.as_ref() == Some(&call) { self.repeats + 1 } else { 1 };
        self.last_call = Some(call);
        match self.repeats > MOST_REPEATS {
            true => Err(self.place.restless("asks the same of the same tool over and over")),
            false => Ok(()),
        }
    }
}

/// It asks the gate and nobody else: it follows nobody, and takes no proxy.
fn client(place: &Place) -> Result<Client, Fault> {
    let web = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|_| place.unreadable("the client could not be made"))?;
    Client::builder().with_reqwest(web).build().map_err(|_| place.unreadable("the client could not be made"))
}

fn tool(card: &ToolCard) -> Tool {
    let schema = serde_json::from_str(&card.schema).unwrap_or_else(|_| serde_json::json!({"type": "object"}));
    Tool::new(card.name.as_str()).with_description(card.description.as_str()).with_schema(schema)
}

/// As the desk reads them: nothing is an object with nothing in it.
fn arguments(call: &ToolCall) -> String {
    match &call.fn_arguments {
        Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    }
}

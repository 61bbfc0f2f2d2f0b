//! The table of operations. To add one: a file here with a request, a reply and an `impl Operation`, and a line in
//! [`TABLE`]. Its HTTP route, its MCP tool and what the command line can call follow from that.

pub mod agent;
pub mod backup;
pub mod calendar;
pub mod contemplation;
pub mod context;
pub mod conversation;
pub mod diary;
pub mod doctor;
pub mod document;
pub mod duty;
pub mod entity;
pub mod event;
pub mod forget;
pub mod heartbeat;
pub mod inbox;
pub mod key;
pub mod knowledge;
pub mod lesson;
pub mod link;
pub mod memory;
pub mod model;
pub mod monitor;
pub mod moving;
pub mod principal;
pub mod recall;
pub mod reflection;
pub mod relationship;
pub mod remember;
pub mod schedule;
pub mod seed_names;
pub mod self_care;
pub mod soul;
pub mod status;
pub mod summary;
pub mod tasks;
pub mod todo;
pub mod verify;
pub mod work;

use crate::failure::Failure;
use crate::guest::Guest;
use crate::thinkers::class_at_the_door;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use selfsame::json::canonical;
use selfsame::key::Scope;
use selfsame::ports::CallOutcome;
use selfsame::seal::sha256;
use selfsame::secrets::{Kinds, mask_value};
use selfsame::work::ToolUse;
use selfsame::{Access, Idempotency, Mind};
use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Serialize};
use serde_json::{Value, json};

/// Every operation, in the order in which doors list them.
pub static TABLE: &[Entry] = &[
    Entry::of::<remember::Remember>(),
    Entry::of::<recall::Recall>(),
    Entry::of::<knowledge::Observations>(),
    Entry::of::<knowledge::Why>(),
    Entry::of::<knowledge::GiveFeedback>(),
    Entry::of::<knowledge::Conflicts>(),
    Entry::of::<knowledge::Retract>(),
    Entry::of::<knowledge::ConsolidateNow>(),
    Entry::of::<knowledge::Slots>(),
    Entry::of::<memory::GetMemory>(),
    Entry::of::<memory::ListMemories>(),
    Entry::of::<memory::EditMemory>(),
    Entry::of::<memory::PinMemory>(),
    Entry::of::<forget::Forget>(),
    Entry::of::<forget::ListErasures>(),
    Entry::of::<forget::ShowErasure>(),
    Entry::of::<forget::ShowProof>(),
    Entry::of::<forget::CheckForgotten>(),
    Entry::of::<seed_names::AddToLongtermMemory>(),
    Entry::of::<memory::ResolveMemory>(),
    Entry::of::<seed_names::RemoveFromLongtermMemory>(),
    Entry::of::<seed_names::Retrieve>(),
    Entry::of::<inbox::CaptureText>(),
    Entry::of::<inbox::ListInbox>(),
    Entry::of::<inbox::ReviewInbox>(),
    Entry::of::<monitor::AddMonitor>(),
    Entry::of::<monitor::ListMonitors>(),
    Entry::of::<monitor::CheckMonitor>(),
    Entry::of::<monitor::EndMonitor>(),
    Entry::of::<reflection::AddReflection>(),
    Entry::of::<reflection::ListReflections>(),
    Entry::of::<reflection::ShowReflection>(),
    Entry::of::<lesson::AddLesson>(),
    Entry::of::<lesson::ListLessons>(),
    Entry::of::<lesson::ShowLesson>(),
    Entry::of::<lesson::JudgeLesson>(),
    Entry::of::<entity::AddEntity>(),
    Entry::of::<entity::ListEntities>(),
    Entry::of::<entity::ShowEntity>(),
    Entry::of::<entity::NameEntity>(),
    Entry::of::<entity::ProfileEntity>(),
    Entry::of::<entity::MergeEntities>(),
    Entry::of::<conversation::OpenConversation>(),
    Entry::of::<conversation::Say>(),
    Entry::of::<conversation::ShowConversation>(),
    Entry::of::<conversation::ListConversations>(),
    Entry::of::<conversation::SetActive>(),
    Entry::of::<conversation::CloseConversation>(),
    Entry::of::<relationship::AssignRelationship>(),
    Entry::of::<relationship::ListRelationships>(),
    Entry::of::<relationship::ShowRelationship>(),
    Entry::of::<soul::AddToSoul>(),
    Entry::of::<soul::ListSoul>(),
    Entry::of::<soul::RemoveFromSoul>(),
    Entry::of::<diary::WriteDiary>(),
    Entry::of::<diary::SearchDiary>(),
    Entry::of::<diary::ShowDiaryDay>(),
    Entry::of::<diary::ListDiary>(),
    Entry::of::<todo::AddTodo>(),
    Entry::of::<todo::ListTodo>(),
    Entry::of::<todo::UpdateTodo>(),
    Entry::of::<todo::CompleteTodo>(),
    Entry::of::<tasks::Tasks>(),
    Entry::of::<calendar::AddToCalendar>(),
    Entry::of::<calendar::CheckCalendar>(),
    Entry::of::<calendar::RemoveFromCalendar>(),
    Entry::of::<schedule::ListSchedules>(),
    Entry::of::<contemplation::Contemplate>(),
    Entry::of::<contemplation::GetContemplation>(),
    Entry::of::<contemplation::ListEpisodes>(),
    Entry::of::<contemplation::ShowEpisode>(),
    Entry::of::<work::DoWork>(),
    Entry::of::<work::ListWork>(),
    Entry::of::<work::ShowWork>(),
    Entry::of::<self_care::SelfCare>(),
    Entry::of::<summary::ListSummaries>(),
    Entry::of::<summary::ShowSummary>(),
    // After all layers that it is made of.
    Entry::of::<context::AssembleContext>(),
    Entry::of::<agent::CreateAgent>(),
    Entry::of::<agent::ListAgents>(),
    Entry::of::<agent::ShowAgent>(),
    Entry::of::<agent::SetAgent>(),
    Entry::of::<agent::MoveAgent>(),
    Entry::of::<document::ShowDocument>(),
    Entry::of::<document::SetDocument>(),
    Entry::of::<conversation::Exchange>(),
    Entry::of::<link::RequestMemory>(),
    Entry::of::<link::ListLinks>(),
    Entry::of::<link::ShareMemory>(),
    Entry::of::<link::ShowLink>(),
    Entry::of::<link::RevokeLink>(),
    Entry::of::<principal::AddPrincipal>(),
    Entry::of::<principal::ListPrincipals>(),
    Entry::of::<principal::SetPrincipal>(),
    Entry::of::<heartbeat::HeartbeatStatus>(),
    Entry::of::<heartbeat::HeartbeatSet>(),
    Entry::of::<heartbeat::HeartbeatTick>(),
    Entry::of::<heartbeat::HeartbeatPeek>(),
    Entry::of::<heartbeat::Explain>(),
    Entry::of::<heartbeat::HeartbeatGate>(),
    Entry::of::<heartbeat::ListReceipts>(),
    Entry::of::<heartbeat::ShowReceipt>(),
    Entry::of::<heartbeat::FetchNudges>(),
    Entry::of::<heartbeat::ListNudges>(),
    Entry::of::<heartbeat::AnswerNudge>(),
    Entry::of::<heartbeat::DismissNudge>(),
    Entry::of::<heartbeat::HeartbeatMute>(),
    Entry::of::<heartbeat::HeartbeatUnmute>(),
    Entry::of::<heartbeat::HeartbeatSnooze>(),
    Entry::of::<heartbeat::HeartbeatPause>(),
    Entry::of::<heartbeat::HeartbeatResume>(),
    Entry::of::<heartbeat::Simulate>(),
    Entry::of::<key::CreateKey>(),
    Entry::of::<key::ListKeys>(),
    Entry::of::<key::RevokeKey>(),
    Entry::of::<status::GetStatus>(),
    Entry::of::<verify::Verify>(),
    Entry::of::<doctor::Doctor>(),
    Entry::of::<event::ListEvents>(),
    Entry::of::<duty::ListDuties>(),
    Entry::of::<duty::RequeueDuty>(),
    Entry::of::<duty::CancelDuty>(),
    Entry::of::<backup::MakeBackup>(),
    Entry::of::<model::EmbedTexts>(),
    Entry::of::<moving::AuditMind>(),
    Entry::of::<moving::ImportMind>(),
    Entry::of::<moving::ListImports>(),
    Entry::of::<moving::UndoImport>(),
    Entry::of::<moving::ExportMind>(),
];

/// One thing that Selfsame does for whoever asks.
pub trait Operation: 'static {
    /// Its name, the same at every door.
    const NAME: &'static str;
    /// What it does, for people and for models.
    const SUMMARY: &'static str;
    /// What a key must be allowed.
    const SCOPE: Scope;
    /// Its place in HTTP.
    const ROUTE: Route;
    /// Its place in MCP; administration has none.
    const TOOL: Option<Tool>;
    /// It waits for a thinker, which may take minutes: so that nobody else waits with it, it has a thread of its own.
    const WAITS: bool = false;
    /// Whether something of what is asked may be stored: then there must be no secret in it.
    const STORES: bool = !matches!(Self::SCOPE, Scope::Read);
    /// What is asked. Unknown fields are refused.
    type Request: DeserializeOwned + Serialize + JsonSchema;
    /// What is answered.
    type Reply: DeserializeOwned + Serialize + JsonSchema;

    /// Does it.
    fn run(context: &Context<'_>, request: Self::Request) -> Result<Self::Reply, Failure>;

    /// The answer in words, for a model that reads.
    fn tell(reply: &Self::Reply) -> String;
}

/// Where an operation is in HTTP. Names in braces are taken from the request; `{agent}` from who asks about whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path.
    pub path: &'static str,
}

/// The methods in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are HTTP's")]
pub enum Method {
    Get,
    Post,
    Delete,
}

impl Method {
    /// As HTTP spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Delete => "DELETE",
        }
    }
}

/// How an operation is offered to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tool {
    /// The smallest profile that lists it.
    pub profile: Profile,
    /// It changes nothing.
    pub read_only: bool,
    /// It takes something away.
    pub destructive: bool,
    /// Twice is as once.
    pub idempotent: bool,
}

/// How many tools a model is shown: schemas cost context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Profile {
    /// The few that an agent needs every day.
    Core,
    /// Every tool of the mind.
    Mind,
}

/// What an operation is run with.
pub struct Context<'m> {
    /// The mind.
    pub mind: &'m Mind,
    /// Who asks.
    pub guest: &'m Guest,
    /// About which agent; empty where no agent is meant.
    pub agent: &'m str,
    /// That agent as the guest sees it, where one is meant.
    access: Option<Access<'m>>,
    /// The caller's word for this request, so that it can be repeated.
    pub idempotency_key: Option<&'m str>,
    /// Hash of what is asked.
    request: [u8; 32],
}

impl<'m> Context<'m> {
    /// The agent that is meant, as the guest sees it.
    pub fn access(&self) -> Result<&Access<'m>, Failure> {
        self.access.as_ref().ok_or_else(|| Failure::new(500, "internal", "this operation is about no agent"))
    }

    /// Whether the guest may reach another agent as well; nothing is said about one that it may not.
    pub fn reaches(&self, agent: &str) -> Result<(), Failure> {
        self.guest.access(self.mind, agent).map(drop)
    }

    /// What makes the request repeatable, if the caller asked for that.
    pub fn idempotency(&self) -> Result<Option<Idempotency>, Failure> {
        let Some(key) = self.idempotency_key else {
            return Ok(None);
        };
        if key.is_empty() || key.len() > 255 || key.chars().any(char::is_control) {
            return Err(Failure::bad_request(
                "bad_idempotency_key",
                "Idempotency-Key must have 1 to 255 characters and no control characters",
            ));
        }
        Ok(Some(Idempotency { key: key.to_owned(), request: self.request, at: self.mind.now() }))
    }
}

/// What comes of a call: the reply, and the same in words.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The reply.
    pub reply: Value,
    /// In words.
    pub text: String,
}

impl Answer {
    /// With a word on what was masked, if anything was.
    pub(crate) fn of(text: String, reply: Value) -> Answer {
        match masked_in(&reply) {
            Some(kinds) => {
                Answer { text: format!("{text}\n(Masked before anything was stored: {kinds}.)"), reply }
            }
            None => Answer { text, reply },
        }
    }
}

/// The field of a reply that names the kinds of secrets that were in the request.
const MASKED: &str = "masked";

/// The kinds of secrets that a reply says were masked, in words.
pub(crate) fn masked_in(reply: &Value) -> Option<String> {
    let kinds: Vec<&str> = reply.get(MASKED)?.as_array()?.iter().filter_map(Value::as_str).collect();
    (!kinds.is_empty()).then(|| kinds.join(", "))
}

fn masked_schema() -> Value {
    json!({
        "description": "Kinds of secrets that were in the request and were masked before anything was stored.",
        "type": "array",
        "items": { "type": "string" },
    })
}

type Call = fn(&Mind, &Guest, &str, Option<&str>, Value) -> Result<Answer, Failure>;

/// An operation whose types are forgotten: what a table can hold.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What a key must be allowed.
    pub scope: Scope,
    /// Its place in HTTP.
    pub route: Route,
    /// Its place in MCP.
    pub tool: Option<Tool>,
    /// Whether it may wait for minutes.
    pub waits: bool,
    stores: bool,
    request_schema: fn() -> Schema,
    reply_schema: fn() -> Schema,
    call: Call,
    tell: fn(&Value) -> Result<String, serde_json::Error>,
}

impl Entry {
    const fn of<O: Operation>() -> Entry {
        Entry {
            name: O::NAME,
            summary: O::SUMMARY,
            scope: O::SCOPE,
            route: O::ROUTE,
            tool: O::TOOL,
            waits: O::WAITS,
            stores: O::STORES,
            request_schema: schema::<O::Request>,
            reply_schema: schema::<O::Reply>,
            call: call::<O>,
            tell: tell::<O>,
        }
    }

    /// The entry of that name.
    pub fn find(name: &str) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.name == name)
    }

    /// The schema of what is asked.
    pub fn request_schema(&self) -> Schema {
        (self.request_schema)()
    }

    /// The schema of what is answered.
    pub fn reply_schema(&self) -> Schema {
        let mut schema = (self.reply_schema)();
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut).filter(|_| self.stores);
        if let Some(fields) = fields {
            fields.insert(MASKED.into(), masked_schema());
        }
        schema
    }

    /// A reply in words.
    pub(crate) fn tell(&self, reply: &Value) -> Result<String, Failure> {
        (self.tell)(reply)
            .map_err(|error| Failure::new(500, "internal", format!("the reply cannot be read: {error}")))
    }

    /// Runs it for a guest.
    pub fn call(
        &self,
        mind: &Mind,
        guest: &Guest,
        agent: &str,
        idempotency_key: Option<&str>,
        request: Value,
    ) -> Result<Answer, Failure> {
        guest.require(self.scope)?;
        let mut request = request;
        let masked = match self.stores && mind.settings().memory.mask_secrets {
            true => mask_value(&mut request),
            false => Kinds::new(),
        };
        let Answer { mut reply, text } = (self.call)(mind, guest, agent, idempotency_key, request)?;
        if let (false, Value::Object(fields)) = (masked.is_empty(), &mut reply) {
            fields.insert(MASKED.into(), masked.into_iter().collect());
        }
        Ok(Answer::of(text, reply))
    }
}

fn call<O: Operation>(
    mind: &Mind,
    guest: &Guest,
    agent: &str,
    idempotency_key: Option<&str>,
    request: Value,
) -> Result<Answer, Failure> {
    // The same request is the same in whichever order its fields came.
    let asked = canonical(&request);
    let hash = sha256(&[O::NAME.as_bytes(), b"\0", agent.as_bytes(), b"\0", asked.as_bytes()]);
    // Before the request is looked at: what is wrong with it must not tell whether the agent is there.
    let access = match O::ROUTE.path.contains("{agent}") {
        true => Some(guest.access(mind, agent)?),
        false => None,
    };
    let request = serde_json::from_value(request)
        .map_err(|error| Failure::bad_request("bad_request", format!("{}: {error}", O::NAME)))?;
    let context = Context { mind, guest, agent, access, idempotency_key, request: hash };
    let used = O::TOOL.map(|tool| ToolUse {
        tool: O::NAME,
        class: class_at_the_door(O::NAME, tool),
        arguments: context.request,
    });
    let at_work = used.zip(context.access.as_ref());
    if let Some((used, access)) = &at_work {
        access.may_use_at_work(used)?;
    }
    let answered = O::run(&context, request).and_then(answer::<O>);
    if let Some((used, access)) = &at_work {
        note_tool(access, used, answered.as_ref().ok());
    }
    answered
}

fn answer<O: Operation>(reply: O::Reply) -> Result<Answer, Failure> {
    let text = O::tell(&reply);
    let reply = serde_json::to_value(reply)
        .map_err(|error| Failure::new(500, "internal", format!("the reply cannot be written: {error}")))?;
    Ok(Answer { reply, text })
}

/// An agent that is at a piece of work will say which tools it used; that is held against what it did use. What was done is
/// done: that it could not be noted must not look as if it had failed.
fn note_tool(access: &Access<'_>, used: &ToolUse<'_>, answer: Option<&Answer>) {
    let outcome = if answer.is_some() { CallOutcome::Ran } else { CallOutcome::Failed };
    let read = answer.and_then(|answer| lowest_trust(&answer.reply));
    if let Err(error) = access.note_tool(used, outcome, read) {
        tracing::warn!(tool = used.tool, %error, "the use of a tool could not be written down");
    }
}

/// The lowest trust of the rows in a reply, wherever they stand in it.
fn lowest_trust(reply: &Value) -> Option<f64> {
    match reply {
        Value::Array(all) => all.iter().filter_map(lowest_trust).reduce(f64::min),
        Value::Object(fields) => {
            let own = fields.get("trust").and_then(Value::as_f64);
            fields.values().filter_map(lowest_trust).chain(own).reduce(f64::min)
        }
        _ => None,
    }
}

fn tell<O: Operation>(reply: &Value) -> Result<String, serde_json::Error> {
    Ok(O::tell(&O::Reply::deserialize(reply)?))
}

/// Plain and small: no references to follow, no address to load.
pub(crate) fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema
}

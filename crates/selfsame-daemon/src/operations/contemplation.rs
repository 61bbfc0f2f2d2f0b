//! contemplate, contemplation status, episodes: time to think, and what it brought.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::operations::work::WorkView;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::contemplation::{Contemplated, CycleRecord, EpisodeRow, episode_json};
use selfsame::id::EpisodeId;
use selfsame::key::Scope;
use selfsame::time::show_duration;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a time of thinking brought.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EpisodeView {
    /// `epi_...`
    pub id: String,
    /// The episode under its promised names: type, trigger, observations, outcome, mood, valence, arousal ...
    pub episode: Value,
    /// The whole reply; only where one episode is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl EpisodeView {
    fn of(row: &EpisodeRow, whole: bool) -> EpisodeView {
        EpisodeView {
            id: row.id.to_string(),
            episode: episode_json(row),
            said: whole.then(|| row.said.clone()),
            provenance: (&row.provenance).into(),
        }
    }

    /// One of its texts.
    pub fn text(&self, name: &str) -> &str {
        self.episode.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// What came of it, in its own words.
    pub fn summary(&self) -> &str {
        self.episode.pointer("/outcome/summary").and_then(Value::as_str).unwrap_or_default()
    }

    /// How it felt, in a word.
    pub fn mood(&self) -> &str {
        self.episode.pointer("/mood/state").and_then(Value::as_str).unwrap_or_default()
    }

    /// Each tool that it claims, with what the record says of it.
    pub fn tools(&self) -> Vec<String> {
        let claims = self.episode.get("tools").and_then(Value::as_array).into_iter().flatten();
        let text = |claim: &Value, name: &str| claim.get(name).and_then(Value::as_str).map(str::to_owned);
        let told = |claim| Some(format!("{} ({})", text(claim, "tool")?, text(claim, "check")?));
        claims.filter_map(told).collect()
    }

    fn line(&self) -> String {
        format!("- {} [{}, {}, {}]", self.summary(), self.id, self.text("type"), self.mood())
    }
}

/// Thinks now.
pub struct Contemplate;

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContemplateReply {
    /// episode, waits or failed.
    pub outcome: String,
    /// What it brought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeView>,
    /// The work that waits for the agent to come for it: `wrk_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// Why there is no episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again_at: Option<String>,
}

impl From<Contemplated> for ContemplateReply {
    fn from(came: Contemplated) -> ContemplateReply {
        let nothing = ContemplateReply {
            outcome: "failed".into(),
            episode: None,
            work: None,
            reason: None,
            again_at: None,
        };
        match came {
            Contemplated::Episode(row) => ContemplateReply {
                outcome: "episode".into(),
                episode: Some(EpisodeView::of(&row, true)),
                ..nothing
            },
            Contemplated::Waits(work) => {
                ContemplateReply { outcome: "waits".into(), work: Some(work.to_string()), ..nothing }
            }
            Contemplated::Failed { reason, again_at } => ContemplateReply {
                reason: Some(reason),
                again_at: again_at.map(|at| at.to_string()),
                ..nothing
            },
        }
    }
}

impl Operation for Contemplate {
    const NAME: &'static str = "contemplate";
    const SUMMARY: &'static str =
        "Give the agent time to think now, however busy it is; the limits of an hour and of a day hold.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/contemplate" };
    const TOOL: Option<Tool> = None;
    const WAITS: bool = true;
    type Request = NoRequest;
    type Reply = ContemplateReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ContemplateReply, Failure> {
        Ok(context.access()?.contemplate()?.into())
    }

    fn tell(reply: &ContemplateReply) -> String {
        match (&reply.episode, &reply.work, &reply.reason) {
            (Some(episode), _, _) => episode.summary().to_owned(),
            (None, Some(work), _) => format!("{work} waits for the agent to come for it"),
            (None, None, reason) => reason.clone().unwrap_or_else(|| "nothing came of it".into()),
        }
    }
}

/// How an agent stands with its thinking.
pub struct GetContemplation;

/// A time of thinking, or why there was none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CycleView {
    /// `cyc_...`
    pub id: String,
    /// When it began, or was first skipped.
    pub began_at: String,
    /// When it ended, or was last skipped.
    pub last_at: String,
    /// waiting, done, skipped or failed.
    pub outcome: String,
    /// Why, for what was skipped or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often in a row.
    pub count: i64,
    /// interval or asked.
    pub cause: String,
    /// What it brought: `epi_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<String>,
}

impl From<&CycleRecord> for CycleView {
    fn from(cycle: &CycleRecord) -> CycleView {
        CycleView {
            id: cycle.id.to_string(),
            began_at: cycle.began_at.to_string(),
            last_at: cycle.last_at.to_string(),
            outcome: cycle.outcome.clone(),
            reason: cycle.reason.clone(),
            count: cycle.count,
            cause: cycle.cause.clone(),
            episode: cycle.episode.map(|id| id.to_string()),
        }
    }
}

/// How it stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContemplationReply {
    /// The zone of the agent's days.
    pub zone: String,
    /// Whether the agent has time to think.
    pub enabled: bool,
    /// none, model, command, webhook or agent.
    pub thinker: String,
    /// From one time to the next, as things stand.
    pub every: String,
    /// When it is looked at next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// Successful times in a row.
    pub streak: u32,
    /// Since when it holds, because it repeats itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_since: Option<String>,
    /// Tokens that were spent today.
    pub tokens_today: i64,
    /// Tokens that a day may cost.
    pub daily_tokens: u64,
    /// Seconds that thinkers took today.
    pub seconds_today: u64,
    /// Seconds that they may take on a day.
    pub daily_seconds: u64,
    /// Exchanges with a model, program or host today.
    pub exchanges_today: i64,
    /// What waits or is being done.
    pub open: Vec<WorkView>,
    /// The last times and why there were none, the newest first.
    pub cycles: Vec<CycleView>,
    /// Why the journal could not be written lately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_trouble: Option<String>,
}

impl Operation for GetContemplation {
    const NAME: &'static str = "contemplation_status";
    const SUMMARY: &'static str = "How the agent stands with its time to think: when it comes next, what it cost, and why there was none.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/contemplation" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ContemplationReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ContemplationReply, Failure> {
        let access = context.access()?;
        let status = access.contemplation_status()?;
        Ok(ContemplationReply {
            zone: access.agent().zone.clone(),
            enabled: status.enabled,
            thinker: status.thinker.to_owned(),
            every: show_duration(status.every),
            next_at: status.next_at.map(|at| at.to_string()),
            streak: status.streak,
            held_since: status.held_since.map(|at| at.to_string()),
            tokens_today: status.spent.tokens,
            daily_tokens: status.daily_tokens,
            seconds_today: u64::try_from(status.spent.millis).unwrap_or_default() / 1000,
            daily_seconds: status.daily_time.as_secs(),
            exchanges_today: status.spent.exchanges,
            open: status.open.iter().map(WorkView::from).collect(),
            cycles: status.cycles.iter().map(CycleView::from).collect(),
            journal_trouble: context.mind.journal_trouble(),
        })
    }

    fn tell(reply: &ContemplationReply) -> String {
        match (&reply.next_at, reply.enabled) {
            (Some(at), true) => format!("The agent thinks every {}, next at {at}.", reply.every),
            _ => "The agent has no time to think: contemplation.enabled is false.".into(),
        }
    }
}

/// Lists episodes.
pub struct ListEpisodes;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EpisodesRequest {
    /// Only those before this one: `epi_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// How many, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Episodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EpisodesReply {
    /// The zone of the agent's days.
    pub zone: String,
    /// The newest first.
    pub episodes: Vec<EpisodeView>,
}

impl Operation for ListEpisodes {
    const NAME: &'static str = "episode_list";
    const SUMMARY: &'static str = "What times of thinking brought, the newest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/episodes" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = EpisodesRequest;
    type Reply = EpisodesReply;

    fn run(context: &Context<'_>, request: EpisodesRequest) -> Result<EpisodesReply, Failure> {
        let before: Option<EpisodeId> =
            request.before.map(|id| id.parse()).transpose().map_err(Error::from)?;
        let access = context.access()?;
        let rows = access.episodes(before, request.limit.unwrap_or(20) as usize)?;
        let zone = access.agent().zone.clone();
        Ok(EpisodesReply { zone, episodes: rows.iter().map(|row| EpisodeView::of(row, false)).collect() })
    }

    fn tell(reply: &EpisodesReply) -> String {
        let lines: Vec<String> = reply.episodes.iter().map(EpisodeView::line).collect();
        if lines.is_empty() { "There are no episodes.".into() } else { lines.join("\n") }
    }
}

/// Shows one episode.
pub struct ShowEpisode;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EpisodeRequest {
    /// `epi_...`
    pub id: String,
}

impl Operation for ShowEpisode {
    const NAME: &'static str = "episode_show";
    const SUMMARY: &'static str = "Read one episode by its id, with everything that the thinker said.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/episodes/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = EpisodeRequest;
    type Reply = EpisodeView;

    fn run(context: &Context<'_>, request: EpisodeRequest) -> Result<EpisodeView, Failure> {
        let id: EpisodeId = request.id.parse().map_err(Error::from)?;
        match context.access()?.episode(id)? {
            Some(row) => Ok(EpisodeView::of(&row, true)),
            None => Err(Error::NoSuch { what: "episode", id: request.id }.into()),
        }
    }

    fn tell(reply: &EpisodeView) -> String {
        reply.summary().to_owned()
    }
}

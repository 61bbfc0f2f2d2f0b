//! An episode: what a time of thinking brought, in the thinker's words and with what the record says of it.

#![expect(
    clippy::self_named_constructors,
    reason = "every word of a list is read by `parse`, and one list is called so"
)]

use crate::id::{AgentId, CycleId, EpisodeId, MemoryId};
use crate::json::canonical;
use crate::kept::{Words, row};
use crate::seal::Sealer;
use crate::time::Time;
use crate::word::words;
use serde_json::{Map, Value};

words! {
    /// What sort of time it was.
    EpisodeKind, "episode type":
    /// Thinking.
    Contemplation = "contemplation",
    /// Nothing, which is as good as anything.
    Rest = "rest",
    /// Looking back.
    Reflection = "reflection",
    /// Doing.
    Action = "action",
    /// Finding out.
    Research = "research",
    /// Making.
    Creation = "creation",
    /// Talking.
    Conversation = "conversation",
}

words! {
    /// How much strength there was.
    Energy, "energy":
    /// Little.
    Low = "low",
    /// As usual.
    Medium = "medium",
    /// Much.
    High = "high",
}

words! {
    /// How an episode was read from a reply.
    Parse, "parse":
    /// As it was asked for.
    Tagged = "tagged",
    /// It had to be put right; what was done is listed.
    Repaired = "repaired",
    /// The reply had no episode in it: it is kept whole, and teaches nothing.
    Fallback = "fallback",
}

words! {
    /// What the record says of a tool that was claimed.
    ToolCheck, "check of a tool":
    /// It ran.
    Ran = "ran",
    /// It is ours, and did not run.
    DidNotRun = "did not run",
    /// It is not ours: nobody here can know.
    Unverified = "unverified",
}

/// A tool that an episode says it used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolClaim {
    /// Which.
    pub tool: String,
    /// What the record says.
    pub check: ToolCheck,
}

impl ToolClaim {
    /// Under its promised names.
    pub fn to_json(&self) -> Value {
        serde_json::json!({ "tool": self.tool, "check": self.check.as_str() })
    }

    /// Reads what [`ToolClaim::to_json`] wrote.
    pub fn from_json(claim: &Value) -> Option<ToolClaim> {
        let text = |name: &str| claim.get(name).and_then(Value::as_str);
        Some(ToolClaim { tool: text("tool")?.to_owned(), check: ToolCheck::parse(text("check")?).ok()? })
    }
}

/// How it felt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mood {
    /// In a word or two.
    pub state: String,
    /// With how much strength.
    pub energy: Energy,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// In a word.
    pub result: String,
    /// In a sentence or two.
    pub summary: String,
}

/// Something that the agent takes for part of itself, and how much this touched it.
#[derive(Clone, PartialEq, Debug)]
pub struct IdentityLink {
    /// What.
    pub name: String,
    /// How much, 0 to 1.
    pub strength: f64,
}

/// What a thinker says of its time. A promised format: doors, journal and rows show it by these names.
#[derive(Clone, PartialEq, Debug)]
pub struct Account {
    /// What sort of time.
    pub kind: EpisodeKind,
    /// What began it.
    pub trigger: String,
    /// What was noticed.
    pub observations: Vec<String>,
    /// What was done.
    pub actions_taken: Vec<String>,
    /// The tools that it says it used.
    pub tools_used: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether it got anywhere, as it says.
    pub success: bool,
    /// How it felt.
    pub mood: Mood,
    /// Bad to good, -2 to 2.
    pub valence: f64,
    /// Calm to stirred, 0 to 1.
    pub arousal: f64,
    /// What of itself it touched.
    pub identity_links: Vec<IdentityLink>,
    /// What it was about to do.
    pub intent: Option<String>,
    /// What it had not expected.
    pub unexpected: Option<String>,
    /// What it is not sure of.
    pub uncertainty: Option<String>,
    /// What it makes of it.
    pub reflection: Option<String>,
    /// What it learned.
    pub lesson: Option<String>,
    /// What seems to repeat.
    pub pattern_hint: Option<String>,
    /// The lessons that it says it followed, by their ids.
    pub lessons_applied: Vec<String>,
    /// What else it said, under names that nobody asked for.
    pub other: Map<String, Value>,
}

impl Account {
    /// One that says nothing: of a time of this sort, begun so, calm, and without success.
    pub fn empty(kind: EpisodeKind, trigger: impl Into<String>) -> Account {
        Account {
            kind,
            trigger: trigger.into(),
            observations: Vec::new(),
            actions_taken: Vec::new(),
            tools_used: Vec::new(),
            outcome: Outcome::default(),
            success: false,
            mood: Mood { state: "neutral".into(), energy: Energy::Medium },
            valence: 0.0,
            arousal: 0.0,
            identity_links: Vec::new(),
            intent: None,
            unexpected: None,
            uncertainty: None,
            reflection: None,
            lesson: None,
            pattern_hint: None,
            lessons_applied: Vec::new(),
            other: Map::new(),
        }
    }

    /// The whole account under its promised names, canonical: names without a value are left out.
    pub fn to_json(&self) -> Value {
        let mut all = self.other.clone();
        let texts = |list: &[String]| Value::from(list.to_vec());
        all.insert("type".into(), self.kind.as_str().into());
        all.insert("trigger".into(), self.trigger.as_str().into());
        all.insert("observations".into(), texts(&self.observations));
        all.insert("actions_taken".into(), texts(&self.actions_taken));
        all.insert("tools_used".into(), texts(&self.tools_used));
        let outcome = serde_json::json!({ "result": self.outcome.result, "summary": self.outcome.summary });
        all.insert("outcome".into(), outcome);
        all.insert("success".into(), self.success.into());
        let mood = serde_json::json!({ "state": self.mood.state, "energy": self.mood.energy.as_str() });
        all.insert("mood".into(), mood);
        all.insert("valence".into(), self.valence.into());
        all.insert("arousal".into(), self.arousal.into());
        let link = |link: &IdentityLink| serde_json::json!({ "name": link.name, "strength": link.strength });
        all.insert("identity_links".into(), self.identity_links.iter().map(link).collect());
        for (name, text) in [
            ("intent", &self.intent),
            ("unexpected", &self.unexpected),
            ("uncertainty", &self.uncertainty),
            ("reflection", &self.reflection),
            ("lesson", &self.lesson),
            ("pattern_hint", &self.pattern_hint),
        ] {
            if let Some(text) = text {
                all.insert(name.into(), text.as_str().into());
            }
        }
        if !self.lessons_applied.is_empty() {
            all.insert("lessons_applied".into(), texts(&self.lessons_applied));
        }
        Value::Object(all)
    }

    /// What [`Account::to_json`] wrote; none if it was not that.
    pub fn from_json(body: &Value) -> Option<Account> {
        let mut all = body.as_object()?.clone();
        let texts = |list: Value| -> Option<Vec<String>> {
            list.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect()
        };
        let text_of = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
        let link = |one: &Value| {
            Some(IdentityLink { name: text_of(one, "name")?, strength: one.get("strength")?.as_f64()? })
        };
        let (outcome, mood, links) =
            (all.remove("outcome")?, all.remove("mood")?, all.remove("identity_links")?);
        let mut text = |name: &str| all.remove(name).and_then(|text| text.as_str().map(str::to_owned));
        let (kind, trigger) = (text("type")?, text("trigger")?);
        let [intent, unexpected, uncertainty, reflection, lesson, pattern_hint] =
            ["intent", "unexpected", "uncertainty", "reflection", "lesson", "pattern_hint"].map(&mut text);
        Some(Account {
            kind: EpisodeKind::parse(&kind).ok()?,
            trigger,
            observations: texts(all.remove("observations")?)?,
            actions_taken: texts(all.remove("actions_taken")?)?,
            tools_used: texts(all.remove("tools_used")?)?,
            outcome: Outcome { result: text_of(&outcome, "result")?, summary: text_of(&outcome, "summary")? },
            success: all.remove("success")?.as_bool()?,
            mood: Mood {
                state: text_of(&mood, "state")?,
                energy: Energy::parse(&text_of(&mood, "energy")?).ok()?,
            },
            valence: all.remove("valence")?.as_f64()?,
            arousal: all.remove("arousal")?.as_f64()?,
            identity_links: links.as_array()?.iter().map(link).collect::<Option<_>>()?,
            intent,
            unexpected,
            uncertainty,
            reflection,
            lesson,
            pattern_hint,
            lessons_applied: all.remove("lessons_applied").map_or(Some(Vec::new()), texts)?,
            other: all,
        })
    }
}

/// An account as it was read from a reply.
#[derive(Clone, PartialEq, Debug)]
pub struct Captured {
    /// What it says.
    pub account: Account,
    /// How it was read.
    pub parse: Parse,
    /// What had to be put right, each in a few words.
    pub repairs: Vec<String>,
}

impl Captured {
    /// Something else had to be put right.
    pub fn note_repair(&mut self, repair: String) {
        self.repairs.push(repair);
        if self.parse == Parse::Tagged {
            self.parse = Parse::Repaired;
        }
    }
}

/// An episode, as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Episode {
    /// Its name.
    pub id: EpisodeId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// The time of thinking that brought it.
    pub cycle: CycleId,
    /// The memory that it became.
    pub memory: MemoryId,
    /// What the thinker says.
    pub captured: Captured,
    /// The whole reply.
    pub said: String,
    /// Whether the record agrees that it got anywhere.
    pub successful: bool,
    /// Why it does not, if it does not.
    pub why_not: Option<String>,
    /// Each tool that it claims, held against the ledger.
    pub tools: Vec<ToolClaim>,
    /// Which sort of thinker.
    pub thinker: String,
    /// Which model, where that is known.
    pub model: Option<String>,
    /// Tokens that were spent on it.
    pub tokens_spent: i64,
    /// How long it took, in milliseconds.
    pub millis: i64,
    /// What chance began from.
    pub seed: i64,
    /// What it says, apart from how: equal ones are repetitions.
    pub signature: [u8; 32],
    /// When it began.
    pub began_at: Time,
    /// When it was written down.
    pub created_at: Time,
}

impl Episode {
    /// The claims as they are kept; none where nothing is claimed, as in episodes from before claims were kept.
    pub fn tools_kept(&self) -> Option<String> {
        let claims: Value = self.tools.iter().map(ToolClaim::to_json).collect();
        (!self.tools.is_empty()).then(|| canonical(&claims))
    }
}

impl Words for Episode {
    row!("episodes", "episode");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        let sealer = match self.tools_kept() {
            Some(tools) => sealer.text("tools", &tools),
            None => sealer,
        };
        sealer
            .id("cycle_id", self.cycle.id())
            .id("memory_id", self.memory.id())
            .text("body", &canonical(&self.captured.account.to_json()))
            .text("said", &self.said)
            .text("parse", self.captured.parse.as_str())
            .text("repairs", &canonical(&Value::from(self.captured.repairs.clone())))
            .flag("successful", self.successful)
            .opt_text("why_not", self.why_not.as_deref())
            .text("thinker", &self.thinker)
            .opt_text("model", self.model.as_deref())
            .time("began_at", self.began_at)
            .time("created_at", self.created_at)
    }
}

//! How a principal wants to be spoken to, what was last said, and what was spoken of lately.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Fields, Value, params};
use selfsame_core::heartbeat::Autonomy;
use selfsame_core::id::{AgentId, Id, PrincipalId};
use selfsame_core::json;
use selfsame_core::time::Time;
use std::collections::BTreeMap;

statements! {
    agent OF = "SELECT autonomy, quiet_from, quiet_until, channels, muted_at, snoozed_until, acted_at, calm_acted_at,
            calm_fingerprint
        FROM heartbeat_principals WHERE agent_id = $1 AND principal_id = $2";
    agent WANT = "INSERT INTO heartbeat_principals (agent_id, principal_id, autonomy, quiet_from, quiet_until, channels,
            muted_at, snoozed_until)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (agent_id, principal_id) DO UPDATE SET autonomy = excluded.autonomy,
            quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, channels = excluded.channels,
            muted_at = excluded.muted_at, snoozed_until = excluded.snoozed_until";
    agent ACTED = "INSERT INTO heartbeat_principals (agent_id, principal_id, acted_at) VALUES ($1, $2, $3)
        ON CONFLICT (agent_id, principal_id) DO UPDATE SET acted_at = excluded.acted_at";
    agent CALM_ACTED = "UPDATE heartbeat_principals SET calm_acted_at = $3, calm_fingerprint = $4
        WHERE agent_id = $1 AND principal_id = $2";
    agent SURFACED = "SELECT topic_id, at FROM heartbeat_surfaced
        WHERE agent_id = $1 AND principal_id = $2 AND at > $3";
    agent SURFACE = "INSERT INTO heartbeat_surfaced (agent_id, principal_id, topic_id, at)
        VALUES {rows: $1, ?, ?, ?}
        ON CONFLICT (agent_id, principal_id, topic_id) DO UPDATE SET at = excluded.at";
    agent FORGET_OLD = "DELETE FROM heartbeat_surfaced WHERE agent_id = $1 AND principal_id = $2 AND at <= $3";
    agent FORGET_TOPIC = "DELETE FROM heartbeat_surfaced WHERE agent_id = $1 AND topic_id = $2";
}

/// How a principal wants to be spoken to; nothing: as is set for everybody.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wishes {
    /// What acting means.
    pub autonomy: Option<Autonomy>,
    /// When quiet hours begin, in minutes since midnight.
    pub quiet_from: Option<u16>,
    /// And when they end.
    pub quiet_until: Option<u16>,
    /// Names of channels.
    pub channels: Option<Vec<String>>,
    /// Nothing is to be said, since then.
    pub muted_at: Option<Time>,
    /// Nothing is to be said until then.
    pub snoozed_until: Option<Time>,
}

/// How a principal stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// How they want to be spoken to.
    pub wishes: Wishes,
    /// The last act of any kind.
    pub acted_at: Option<Time>,
    /// The last on more than what is immediate, and what it was about.
    pub calm: Option<(Time, [u8; 32])>,
}

/// How somebody stands; the default if nothing was ever said.
pub fn of(reader: &mut Reader, agent: AgentId, principal: PrincipalId) -> Result<Standing> {
    match reader.row(&OF, agent, params![principal.id()])? {
        Some(row) => standing(&mut row.fields()),
        None => Ok(Standing::default()),
    }
}

/// Sets how somebody wants to be spoken to.
pub fn want(writer: &mut Writer, agent: AgentId, principal: PrincipalId, wishes: &Wishes) -> Result<()> {
    let channels = wishes.channels.as_ref().map(|names| json::canonical(&names.clone().into()));
    let bound = params![
        principal.id(),
        wishes.autonomy.map(Autonomy::as_str),
        wishes.quiet_from.map(i64::from),
        wishes.quiet_until.map(i64::from),
        channels.map_or(Value::Null, Value::Json),
        wishes.muted_at,
        wishes.snoozed_until,
    ];
    writer.execute(&WANT, agent, bound).map(drop)
}

/// Something was said; `calm` is the fingerprint of an act on more than what is immediate.
pub fn acted(
    writer: &mut Writer,
    agent: AgentId,
    principal: PrincipalId,
    now: Time,
    calm: Option<&[u8; 32]>,
) -> Result<()> {
    writer.execute(&ACTED, agent, params![principal.id(), now])?;
    if let Some(fingerprint) = calm {
        writer.execute(&CALM_ACTED, agent, params![principal.id(), now, fingerprint])?;
    }
    Ok(())
}

/// What was spoken of after a moment, and when last.
pub fn surfaced(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    after: Time,
) -> Result<BTreeMap<Id, Time>> {
    let rows = reader.rows(&SURFACED, agent, params![principal.id(), after])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok((fields.id()?, fields.time()?))
        })
        .collect()
}

/// These were spoken of now; what was before `old` is no longer of interest.
pub fn surface(
    writer: &mut Writer,
    agent: AgentId,
    principal: PrincipalId,
    topics: &[Id],
    now: Time,
    old: Time,
) -> Result<()> {
    writer.execute(&FORGET_OLD, agent, params![principal.id(), old])?;
    let row = |topic: &Id| vec![principal.id().into(), (*topic).into(), now.into()];
    writer.insert_all(&SURFACE, agent, &topics.iter().map(row).collect::<Vec<_>>()).map(drop)
}

/// Nothing is left of a topic that is forgotten.
pub fn forget_topic(writer: &mut Writer, agent: AgentId, topic: Id) -> Result<()> {
    writer.execute(&FORGET_TOPIC, agent, params![topic]).map(drop)
}

fn standing(fields: &mut Fields) -> Result<Standing> {
    let autonomy = fields
        .opt_text()?
        .map(|word| Autonomy::parse(&word))
        .transpose()
        .map_err(|word| super::unknown(&word))?;
    let wishes = Wishes {
        autonomy,
        quiet_from: minute(fields)?,
        quiet_until: minute(fields)?,
        channels: fields.opt_json()?.and_then(|text| serde_json::from_str(&text).ok()),
        muted_at: fields.opt_time()?,
        snoozed_until: fields.opt_time()?,
    };
    let acted_at = fields.opt_time()?;
    let calm_at = fields.opt_time()?;
    let fingerprint = fields.opt_bytes()?.map(|bytes| super::hash(bytes, "a fingerprint")).transpose()?;
    Ok(Standing { wishes, acted_at, calm: calm_at.zip(fingerprint) })
}

fn minute(fields: &mut Fields) -> Result<Option<u16>> {
    Ok(fields.opt_int()?.and_then(|minute| u16::try_from(minute).ok()))
}

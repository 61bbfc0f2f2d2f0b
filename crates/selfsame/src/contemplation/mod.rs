//! Time to think. When an agent is idle it gets a turn: a cycle, which is a piece of work for its thinker, which brings an
//! episode. Whether it is its turn is judged by `core/src/contemplation/cadence.rs`; what it is given to think about is
//! gathered in `gather.rs`; what came back is kept in `finish.rs`.

mod finish;
mod gather;
mod journal;
mod review;

pub use journal::{JournalReport, line as episode_json};

use crate::config::{ContemplationSettings, ThinkerKind};
use crate::error::{Error, Result, StoreResult, check_limit};
use crate::mind::{Access, Mind, Speaker};
use crate::work::is_pulled;
use selfsame_core::contemplation::cadence::{ActiveHours, Rules, Standing, Turn, next_after, turn};
use selfsame_core::contemplation::{Episode, WorkKind, WorkState, keeps_from_thinking};
use selfsame_core::id::{AgentId, CycleId, EpisodeId, Id, WorkId};
use selfsame_core::kept::Kept;
use selfsame_core::time::{Time, Zone};
use selfsame_store::contemplation::cycles::{self, Cycle};
use selfsame_store::contemplation::episodes;
use selfsame_store::contemplation::turns::{self, Turns};
use selfsame_store::heartbeat::beats;
use selfsame_store::work::items::{self, NewWork, WorkItem};
use selfsame_store::work::spend::Spend;
use selfsame_store::{Reader, Writer};
use std::time::Duration;

pub use selfsame_core::contemplation::{EpisodeKind, Parse, ToolCheck, ToolClaim};
pub use selfsame_store::contemplation::cycles::Cycle as CycleRecord;

/// An episode as it is stored.
pub type EpisodeRow = Kept<Episode>;

/// Agents that are looked at in one step, at most.
const AT_ONCE: i64 = 50;
/// Rate limits look back so far.
const HOUR: Duration = Duration::from_secs(3600);
/// Episodes and cycles in one answer, at most.
const MAX_LIMIT: usize = 200;
/// Why there is no second turn beside one that is not over.
const STILL_WAITING: &str = "the last time of thinking is not over";

/// What came of asking for a time of thinking.
#[derive(Clone, PartialEq, Debug)]
pub enum Contemplated {
    /// It brought an episode.
    Episode(Box<Kept<Episode>>),
    /// It waits for the agent to come for it.
    Waits(WorkId),
    /// It is tried again later, or was given up.
    Failed {
        /// Why.
        reason: String,
        /// When it is tried again; none: it is not.
        again_at: Option<Time>,
    },
}

/// How an agent stands with its thinking.
#[derive(Clone, PartialEq, Debug)]
pub struct ContemplationStatus {
    /// Whether it has time to think.
    pub enabled: bool,
    /// Who thinks.
    pub thinker: &'static str,
    /// From one time to the next, as things stand.
    pub every: Duration,
    /// When it is looked at next.
    pub next_at: Option<Time>,
    /// Successful times in a row.
    pub streak: u32,
    /// Since when it holds, because it repeats itself.
    pub held_since: Option<Time>,
    /// What thinking cost today.
    pub spent: Spend,
    /// What it may cost.
    pub daily_tokens: u64,
    /// How long it may take.
    pub daily_time: Duration,
    /// What waits or is being done.
    pub open: Vec<WorkItem>,
    /// The last cycles, the newest first.
    pub cycles: Vec<Cycle>,
}

/// Why a turn is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cause {
    Interval,
    Asked,
}

impl Cause {
    const fn as_str(self) -> &'static str {
        match self {
            Cause::Interval => "interval",
            Cause::Asked => "asked",
        }
    }
}

/// What a turn needs that has to be made before its transaction, which may be run again.
struct Made {
    cycle: CycleId,
    work: WorkId,
    seed: i64,
}

impl Mind {
    /// Gives a turn to every agent whose time has come; says how many began to think.
    pub(crate) fn take_turns(&self) -> Result<usize> {
        if !self.settings.anybody_thinks() {
            return Ok(0);
        }
        for agent in self.store.system(turns::without)? {
            let access = self.access(&agent.to_string(), Speaker::Agent(None))?;
            access.ensure_turns()?;
        }
        let mut begun = 0;
        let now = self.now();
        for agent in self.store.system(|reader| turns::due(reader, now, AT_ONCE))? {
            let access = self.access(&agent.to_string(), Speaker::Agent(None))?;
            begun += usize::from(access.take_turn(Cause::Interval)?.is_ok());
        }
        Ok(begun)
    }

    /// When the next turn is to be looked at.
    pub(crate) fn next_turn(&self) -> Result<Option<Time>> {
        match self.settings.anybody_thinks() {
            true => Ok(self.store.system(turns::next_moment)?),
            false => Ok(None),
        }
    }
}

impl Access<'_> {
    /// Thinks now, however idle the agent is. The limits of an hour and of a day hold.
    pub fn contemplate(&self) -> Result<Contemplated> {
        self.ensure_turns()?;
        let worker = self.mind.at_work(self.agent.clone());
        let work = worker.take_turn(Cause::Asked)?.map_err(|why| Error::Unfit(format!("not now: {why}")))?;
        let settings = self.mind.settings.thinker_of(&self.agent.name, WorkKind::Contemplate);
        if is_pulled(settings.kind.as_str()) {
            return Ok(Contemplated::Waits(work));
        }
        self.mind.work_on(self.agent.id, work)?;
        self.came_of(work)
    }

    fn came_of(&self, work: WorkId) -> Result<Contemplated> {
        let agent = self.agent.id;
        let item = self.mind.store.system(|reader| items::by_id(reader, agent, work))?;
        let item = item.ok_or_else(|| Error::NoSuch { what: "piece of work", id: work.to_string() })?;
        if item.state == WorkState::Done
            && let Some(id) = self.episode_of(&item)?
            && let Some(episode) = self.episode(id)?
        {
            return Ok(Contemplated::Episode(Box::new(episode)));
        }
        let is_open = item.state.is_open();
        let reason = item.reason.unwrap_or_else(|| "somebody else is at it".into());
        Ok(Contemplated::Failed { reason, again_at: is_open.then_some(item.ready_at) })
    }

    /// How the agent stands with its thinking.
    pub fn contemplation_status(&self) -> Result<ContemplationStatus> {
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        let thinker = self.mind.settings.thinker_of(&self.agent.name, WorkKind::Contemplate);
        let agent = self.agent.id;
        let turns = self.mind.store.system(|reader| turns::of(reader, agent))?;
        let open = self.mind.store.system(|reader| items::open(reader, agent))?;
        let cycles =
            self.mind.store.read(&self.caller, &[agent], |reader| cycles::latest(reader, agent, 10))?;
        let streak = turns.as_ref().map_or(0, |turns| turns.streak);
        let rules = rules(&settings);
        Ok(ContemplationStatus {
            enabled: settings.enabled,
            thinker: thinker.kind.as_str(),
            every: selfsame_core::contemplation::cadence::interval(&rules, self.agent.family, streak),
            next_at: turns.as_ref().map(|turns| turns.next_at).filter(|_| settings.enabled),
            streak,
            held_since: turns.and_then(|turns| turns.held_since),
            spent: self.spent_today()?,
            daily_tokens: thinker.daily_tokens,
            daily_time: thinker.daily_time,
            open,
            cycles,
        })
    }

    /// The times of thinking and why there were none, the newest first.
    pub fn cycles(&self, limit: usize) -> Result<Vec<Cycle>> {
        check_limit(limit, MAX_LIMIT)?;
        let agent = self.agent.id;
        Ok(self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| cycles::latest(reader, agent, limit as i64))?)
    }

    /// What times of thinking brought, the newest first, of those before `before`. Damaged ones are left out.
    pub fn episodes(&self, before: Option<EpisodeId>, limit: usize) -> Result<Vec<Kept<Episode>>> {
        check_limit(limit, MAX_LIMIT)?;
        let agent = self.agent.id;
        let before = before.map_or(Id::from_bytes([0xff; 16]), EpisodeId::id);
        let found = self.mind.store.read(&self.caller, &[agent], |reader| {
            let rows = episodes::newest(reader, agent, before, limit as i64)?;
            Ok(crate::sound::sound(rows)?.0)
        })?;
        Ok(found.into_iter().filter(|episode| episode.provenance.is_visible_to(&self.caller)).collect())
    }

    /// One episode, if it is there.
    pub fn episode(&self, id: EpisodeId) -> Result<Option<Kept<Episode>>> {
        let agent = self.agent.id;
        let found =
            self.mind.store.read(&self.caller, &[agent], |reader| episodes::by_id(reader, agent, id))?;
        Ok(found.filter(|episode| episode.provenance.is_visible_to(&self.caller)))
    }

    /// The episode that a piece of work brought.
    pub(crate) fn episode_of(&self, item: &WorkItem) -> Result<Option<EpisodeId>> {
        let (agent, Some(cycle)) = (self.agent.id, item.cycle) else {
            return Ok(None);
        };
        let cycle =
            self.mind.store.read(&self.caller, &[agent], |reader| cycles::by_id(reader, agent, cycle))?;
        Ok(cycle.and_then(|cycle| cycle.episode))
    }

    fn ensure_turns(&self) -> Result<()> {
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        let now = self.mind.now();
        let first = next_after(&rules(&settings), self.agent.family, 0, now, now);
        Ok(self.mind.store.system_write(|writer| turns::ensure(writer, self.agent.id, first))?)
    }

    /// Begins to think if it is its turn, or writes down why it does not. The inner error is that reason.
    fn take_turn(&self, cause: Cause) -> Result<std::result::Result<WorkId, String>> {
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        let thinker = self.mind.settings.thinker_of(&self.agent.name, WorkKind::Contemplate).kind;
        let broke = if thinker == ThinkerKind::None { None } else { self.is_broke()? };
        let (zone, tomorrow, now) = (self.zone()?, self.tomorrow()?, self.mind.now());
        let made = self.make(now);
        let agent = self.agent.id;
        Ok(self.mind.store.background("contemplation", &[agent], |writer| {
            let look = TurnTaking {
                access: self,
                settings: &settings,
                zone: &zone,
                thinker,
                now,
                made: &made,
                cause,
            };
            let Some(turns) = turns::of(writer, agent)? else {
                return Ok(Err("it has no turns".to_owned()));
            };
            // Another process was a moment earlier.
            if cause == Cause::Interval && turns.next_at > now {
                return Ok(Err(STILL_WAITING.to_owned()));
            }
            if let Some(fault) = &broke {
                return look.skip(writer, turns, &fault.told, tomorrow);
            }
            look.take(writer, turns)
        })?)
    }

    fn make(&self, now: Time) -> Made {
        let chance = self.mind.mint.draw();
        let mut seed = [0; 8];
        seed.copy_from_slice(&chance[..8]);
        Made {
            cycle: CycleId::of(self.mind.mint.id(now)),
            work: WorkId::of(self.mind.mint.id(now)),
            // Half of the numbers, so that it is not negative.
            seed: i64::from_be_bytes(seed) & i64::MAX,
        }
    }
}

/// One look at whether it is an agent's turn, in its transaction.
struct TurnTaking<'t> {
    access: &'t Access<'t>,
    settings: &'t ContemplationSettings,
    zone: &'t Zone,
    thinker: ThinkerKind,
    now: Time,
    made: &'t Made,
    cause: Cause,
}

type Taken = StoreResult<std::result::Result<WorkId, String>>;

impl TurnTaking<'_> {
    fn agent(&self) -> AgentId {
        self.access.agent.id
    }

    fn take(&self, writer: &mut Writer, mut turns: Turns) -> Taken {
        let open = items::open(writer, self.agent())?;
        let standing = self.standing(writer, &turns, &open)?;
        let rules = self.rules();
        if !rules.enabled {
            // Nothing to write down: nobody wants it to think.
            turns.next_at = self.now.saturating_add(rules.every);
            turns::set(writer, &turns)?;
            return Ok(Err("contemplation is not enabled".to_owned()));
        }
        if open.iter().any(|item| item.kind == WorkKind::Contemplate) {
            let again_at = self.now.saturating_add(rules.retry);
            return self.skip(writer, turns, STILL_WAITING, again_at);
        }
        match turn(&rules, &standing, self.now, self.zone) {
            Turn::Think => self.begin(writer, turns, &rules),
            Turn::Skip { reason, again_at } => self.skip(writer, turns, reason.as_str(), again_at),
        }
    }

    /// Who is asked to think does so however busy it is; what it may cost is not for it to say.
    fn rules(&self) -> Rules {
        let rules = rules(self.settings);
        match self.cause {
            Cause::Interval => rules,
            Cause::Asked => Rules { enabled: true, active: None, ..rules },
        }
    }

    fn standing(&self, reader: &mut Reader, turns: &Turns, open: &[WorkItem]) -> StoreResult<Standing> {
        let (agent, now) = (self.agent(), self.now);
        let since = now.saturating_sub(HOUR);
        let begun_last_hour = items::begun_since(reader, agent, since)?;
        let begun_last_hour_all = items::begun_by_all_since(reader, since)?;
        let family = self.access.agent.family;
        if self.cause == Cause::Asked {
            let idle = Standing {
                family,
                pending_work: 0,
                active_run: false,
                last_message_at: None,
                begun_last_hour,
                begun_last_hour_all,
                held: false,
                paused: false,
            };
            return Ok(idle);
        }
        let is_leased = |item: &WorkItem| item.lease_until.is_some_and(|until| until > now);
        let is_pending =
            |item: &&WorkItem| keeps_from_thinking(item.kind, item.state, item.created_at, since);
        let held = match turns.held_since {
            Some(since) => !turns::is_anything_newer(reader, agent, since)?,
            None => false,
        };
        Ok(Standing {
            family,
            pending_work: u32::try_from(open.iter().filter(is_pending).count()).unwrap_or(u32::MAX),
            active_run: open.iter().any(is_leased) || turns::is_run_on(reader, agent, now)?,
            last_message_at: turns::last_wrote(reader, agent)?,
            begun_last_hour,
            begun_last_hour_all,
            held,
            paused: beats::paused_since(reader)?.is_some(),
        })
    }

    fn begin(&self, writer: &mut Writer, mut turns: Turns, rules: &Rules) -> Taken {
        let (agent, Made { cycle, work, seed }) = (self.agent(), self.made);
        let row = Cycle {
            id: *cycle,
            began_at: self.now,
            last_at: self.now,
            outcome: "waiting".into(),
            reason: None,
            count: 1,
            cause: self.cause.as_str().into(),
            episode: None,
        };
        cycles::insert(writer, agent, &row)?;
        let new = NewWork {
            id: *work,
            kind: WorkKind::Contemplate,
            thinker: self.thinker.as_str().to_owned(),
            about: Vec::new(),
            cycle: Some(*cycle),
            seed: *seed,
        };
        self.access.queue(writer, &new, self.now)?;
        turns.last_at = Some(self.now);
        turns.held_since = None;
        turns.next_at = next_after(rules, self.access.agent.family, turns.streak, self.now, self.now);
        turns::set(writer, &turns)?;
        Ok(Ok(*work))
    }

    fn skip(&self, writer: &mut Writer, mut turns: Turns, reason: &str, again_at: Time) -> Taken {
        let row = Cycle {
            id: self.made.cycle,
            began_at: self.now,
            last_at: self.now,
            outcome: "skipped".into(),
            reason: Some(reason.to_owned()),
            count: 1,
            cause: self.cause.as_str().into(),
            episode: None,
        };
        cycles::skip(writer, self.agent(), &row)?;
        if self.cause == Cause::Interval {
            turns.next_at = again_at;
            turns::set(writer, &turns)?;
        }
        Ok(Err(reason.to_owned()))
    }
}

/// The numbers of the settings, as the core takes them.
fn rules(settings: &ContemplationSettings) -> Rules {
    Rules {
        every: settings.every,
        family_every: settings.family_every,
        own_every: settings.own_every,
        fast_every: settings.fast_every,
        streak: settings.streak,
        quiet: settings.quiet,
        retry: settings.retry,
        per_hour: settings.per_hour,
        per_hour_all: settings.per_hour_all,
        active: settings.active.map(|(start, end)| ActiveHours { start, end }),
        enabled: settings.enabled,
    }
}

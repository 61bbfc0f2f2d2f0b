//! Second thoughts about what is about to be said, where a thinker is set up for them: asked for with the nudge, in the work
//! queue and never in the tick, and taken only while nobody has it. What is said waits for them for a while and no longer.

use super::{deliver, told};
use crate::config::{HeartbeatSettings, ThinkerKind};
use crate::error::{Result, StoreResult};
use crate::mind::{Access, Mind};
use crate::work::{Brief, Reply};
use selfsame_core::contemplation::afterthought::{Afterthought, Asked, read_afterthoughts};
use selfsame_core::contemplation::prompt::{self, Entry};
use selfsame_core::contemplation::tool::QUOTED;
use selfsame_core::contemplation::{WorkKind, WorkState};
use selfsame_core::heartbeat::schedule::SourceKind;
use selfsame_core::heartbeat::{NudgeKind, NudgeState, RefKind, Tier};
use selfsame_core::id::{AgentId, CalendarId, Id, MemoryId, NudgeId, ObservationId, ScheduleId, TodoId};
use selfsame_core::time::Time;
use selfsame_core::trust::Provenance;
use selfsame_store::heartbeat::nudges::{self, Nudge, NudgeRef};
use selfsame_store::knowledge::observations;
use selfsame_store::work::items::{self, NewWork, WorkItem};
use selfsame_store::{Reader, Writer, calendar, memory, schedules, todos};
use std::collections::{BTreeMap, BTreeSet};

/// Tokens of an answer.
const MAX_TOKENS: u32 = 1000;
/// What is said of two things that cannot both be true has the words of both, and only one of them is named.
const TWO_SIDED: &str = "conflict";

impl Mind {
    /// Who would have second thoughts for this agent, if anybody.
    pub(super) fn thinks_again(&self, agent: &str) -> Option<ThinkerKind> {
        let kind = self.settings.thinker_of(agent, WorkKind::PhraseNudge).kind;
        (self.settings.heartbeat.afterthought && kind != ThinkerKind::None).then_some(kind)
    }
}

/// Until when something that was just made waits for second thoughts.
pub(super) fn waits_until(settings: &HeartbeatSettings, nudge: &Nudge) -> Time {
    nudge.created_at.saturating_add(settings.waits_for_afterthought(nudge.urgency))
}

/// A piece of work about a nudge.
pub(super) fn work_about(id: selfsame_core::id::WorkId, nudge: NudgeId, thinker: ThinkerKind) -> NewWork {
    NewWork {
        id,
        kind: WorkKind::PhraseNudge,
        thinker: thinker.as_str().to_owned(),
        about: vec![nudge.to_string()],
        cycle: None,
        seed: 0,
    }
}

/// What waits for second thoughts still.
pub(super) fn waiting(
    reader: &mut Reader,
    settings: &HeartbeatSettings,
    agent: AgentId,
    listed: &[Nudge],
    now: Time,
) -> StoreResult<BTreeSet<NudgeId>> {
    let may_wait = |nudge: &&Nudge| {
        nudge.state == NudgeState::Waiting && nudge.phrasing.is_none() && waits_until(settings, nudge) > now
    };
    let young: BTreeSet<NudgeId> = listed.iter().filter(may_wait).map(|nudge| nudge.id).collect();
    if !settings.afterthought || young.is_empty() {
        return Ok(BTreeSet::new());
    }
    // What waits for tomorrow's budget is not waited for.
    let is_asked = |item: &&WorkItem| item.kind == WorkKind::PhraseNudge && item.state != WorkState::Parked;
    let open = items::open(reader, agent)?;
    let asked = open.iter().filter(is_asked).flat_map(|item| &item.about).filter_map(|id| id.parse().ok());
    Ok(asked.filter(|id| young.contains(id)).collect())
}

impl Access<'_> {
    /// Whether a piece of work is about nothing any more: it was said meanwhile, or forgotten, or may not be shown.
    pub(crate) fn is_afterthought_moot(&self, item: &WorkItem) -> Result<bool> {
        Ok(item.kind == WorkKind::PhraseNudge && self.unsaid(item)?.is_empty())
    }

    pub(crate) fn brief_for_afterthought(&self, item: &WorkItem) -> Result<Brief> {
        let entry = |unsaid: &Unsaid| Entry {
            id: unsaid.nudge.id.to_string(),
            text: unsaid.nudge.what.clone(),
            trust: unsaid.trust,
            note: Some(unsaid.nudge.kind.as_str().to_owned()),
        };
        let entries: Vec<Entry> = self.unsaid(item)?.iter().map(entry).collect();
        Ok(Brief::of(prompt::afterthought_prompt(&entries), MAX_TOKENS))
    }

    pub(crate) fn finish_afterthought(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<()> {
        let was_shown =
            |unsaid: &Unsaid| reply.trust >= QUOTED && reply.quoted.contains(&unsaid.nudge.id.to_string());
        let asked = |unsaid: Unsaid| {
            let asked = Asked { may_be_held_back: unsaid.may_be_held_back(), what: unsaid.nudge.what };
            (unsaid.nudge.id.to_string(), asked)
        };
        let asked: BTreeMap<String, Asked> =
            self.unsaid(item)?.into_iter().filter(was_shown).map(asked).collect();
        let thoughts = read_afterthoughts(reply.text, &asked);
        let (agent, now) = (self.agent.id, self.mind.now());
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            for id in nudges_of(item) {
                if let Some(thought) = thoughts.get(&id.to_string()) {
                    take(writer, agent, id, thought, now)?;
                }
            }
            self.say_as_it_is(writer, item, now)?;
            self.settle_done(writer, item, reply.model, now)
        })?)
    }

    /// What such work is about is waited for no longer.
    pub(crate) fn say_as_it_is(&self, writer: &mut Writer, item: &WorkItem, now: Time) -> StoreResult<()> {
        let about = nudges_of(item).filter(|_| item.kind == WorkKind::PhraseNudge);
        about.into_iter().try_for_each(|id| deliver::hasten(writer, self.agent.id, id, now))
    }

    /// What the work is about, as far as nobody has it and whoever works may see it.
    fn unsaid(&self, item: &WorkItem) -> Result<Vec<Unsaid>> {
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let mut all = Vec::new();
            for id in nudges_of(item) {
                let Some(nudge) = nudges::by_id(reader, agent, id)?.filter(is_unsaid) else { continue };
                if let Some(trust) = self.trust_of_words(reader, id)? {
                    all.push(Unsaid { nudge, trust });
                }
            }
            Ok(all)
        })?)
    }

    /// How far the words of a nudge are believed: like the least of what it speaks of. None if some of it may not be shown
    /// where nobody watches, or if nobody can tell whose words they are.
    fn trust_of_words(&self, reader: &mut Reader, id: NudgeId) -> StoreResult<Option<f64>> {
        let mut least = 1.0_f64;
        for one in nudges::refs(reader, self.agent.id, id)? {
            if one.kind == RefKind::Principal {
                // A count, a mood: words of ours.
                continue;
            }
            let provenance = provenance_of(reader, self.agent.id, &one)?;
            let seen = provenance.filter(|provenance| provenance.is_visible_to(&self.caller));
            match seen.map(|provenance| provenance.trust().value()) {
                Some(trust) if trust >= QUOTED => least = least.min(trust),
                _ => return Ok(None),
            }
        }
        Ok(Some(least))
    }
}

fn nudges_of(item: &WorkItem) -> impl Iterator<Item = NudgeId> + '_ {
    item.about.iter().filter_map(|id| id.parse().ok())
}

/// Something that nobody has yet, and how far its words are believed.
struct Unsaid {
    nudge: Nudge,
    trust: f64,
}

impl Unsaid {
    /// What is due is never held back, nor what presses.
    fn may_be_held_back(&self) -> bool {
        self.nudge.kind == NudgeKind::Suggestion && self.nudge.urgency != Tier::Immediate
    }
}

fn is_unsaid(nudge: &Nudge) -> bool {
    nudge.state == NudgeState::Waiting && nudge.delivered_at.is_none() && nudge.phrasing.is_none()
}

/// Whose words a nudge has of something; none where that is not on record.
fn provenance_of(reader: &mut Reader, agent: AgentId, one: &NudgeRef) -> StoreResult<Option<Provenance>> {
    Ok(match one.kind {
        _ if one.signal == TWO_SIDED => None,
        RefKind::Memory => of_memory(reader, agent, one.id)?,
        RefKind::Todo => of_todo(reader, agent, one.id)?,
        RefKind::Observation => {
            observations::by_id(reader, agent, ObservationId::of(one.id))?.map(|row| row.provenance)
        }
        RefKind::Schedule => match schedules::by_id(reader, agent, ScheduleId::of(one.id))? {
            Some(row) => match row.source.kind {
                SourceKind::Memory => of_memory(reader, agent, row.source.id)?,
                SourceKind::Todo => of_todo(reader, agent, row.source.id)?,
                SourceKind::Calendar => {
                    calendar::by_id(reader, agent, CalendarId::of(row.source.id))?.map(|row| row.provenance)
                }
            },
            None => None,
        },
        // A title, a name: nobody wrote down who gave it.
        RefKind::Conversation | RefKind::Entity | RefKind::Principal => None,
    })
}

fn of_memory(reader: &mut Reader, agent: AgentId, id: Id) -> StoreResult<Option<Provenance>> {
    Ok(memory::by_id(reader, agent, MemoryId::of(id))?.map(|row| row.provenance))
}

fn of_todo(reader: &mut Reader, agent: AgentId, id: Id) -> StoreResult<Option<Provenance>> {
    Ok(todos::by_id(reader, agent, TodoId::of(id))?.map(|row| row.provenance.clone()))
}

/// Takes a second thought, unless it was said meanwhile.
fn take(
    writer: &mut Writer,
    agent: AgentId,
    id: NudgeId,
    thought: &Afterthought,
    now: Time,
) -> StoreResult<()> {
    let Some(nudge) = nudges::by_id(writer, agent, id)?.filter(is_unsaid) else {
        return Ok(());
    };
    match thought {
        Afterthought::Rephrase(words) => {
            nudges::phrase(writer, agent, id, words)?;
            told::note(writer, agent, "rephrased", &nudge, now)
        }
        Afterthought::Veto(why) => {
            let why = if why.is_empty() { "no reason given" } else { why };
            nudges::close(writer, agent, id, NudgeState::Vetoed, now, Some(why))?;
            told::note(writer, agent, NudgeState::Vetoed.as_str(), &nudge, now)
        }
    }
}

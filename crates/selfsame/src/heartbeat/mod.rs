//! The heartbeat: what falls due, when to speak up, and a receipt for every silence.
//!
//! [`due`] keeps schedules and deadlines with every write. `look` gathers what is known of a principal, in one transaction
//! and by SQL alone; the core decides; `tick` writes down what came of it: receipt, nudge, what was told, when to look
//! again; `beat` does so for all whose time has come. `nudges` is the list that people and agents fetch, `told` what becomes
//! of it, `gate` whether a host should be woken for it, `control` how each wants to be spoken to, `receipts` what is shown of
//! it afterwards, `afterthought` what a thinker makes of it before anybody has it, `simulate` the same run forward on a copy.
//! No embedder, no thinker and no network is in reach of any of this.

mod afterthought;
mod beat;
mod control;
mod custom;
pub mod deliver;
pub mod due;
mod due_before;
mod gate;
mod look;
mod nudges;
pub(crate) mod receipts;
mod simulate;
mod sweep;
mod tick;
pub(crate) mod told;

pub use beat::Beats;
pub use control::{HeartCard, WishesChange};
pub use gate::Gate;
pub use nudges::{NudgeCard, NudgePage};
pub use receipts::{Explained, ReceiptCard, Said};
pub use selfsame_core::heartbeat::Persona;
pub use selfsame_core::heartbeat::decision::Seen;
pub use selfsame_core::heartbeat::score::Account;
pub use selfsame_core::heartbeat::signal::MAX_COUNTED;
pub use selfsame_core::heartbeat::{
    Autonomy, Decision, Finding, NudgeKind, NudgeState, Period, RefKind, Sighting, Signal, StepName,
    StepTrace, Tier, Verdict,
};
pub use selfsame_core::heartbeat::{ladder, schedule};
pub use selfsame_store::heartbeat::nudges::{Delivery, Nudge, NudgeRef};
pub use selfsame_store::heartbeat::receipts::Receipt;
pub use selfsame_store::heartbeat::standing::Wishes;
pub use simulate::{Simulated, SimulatedDay, SimulatedNudge};
pub use tick::Tick;

use crate::error::{Error, Result};
use crate::mind::Access;
use crate::principal::Principal;
use selfsame_core::heartbeat::Rules;
use selfsame_core::id::PrincipalId;
use selfsame_core::local::Moment;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Author;
use selfsame_store::heartbeat::standing;

impl Access<'_> {
    /// The rules that hold for a principal now.
    fn heart_rules(&self, principal: &Principal) -> Result<Rules> {
        let (agent, settings) = (self.agent.id, &self.mind.settings.heartbeat);
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let wishes = standing::of(reader, agent, principal.id)?.wishes;
            look::rules_for(settings, principal, &wishes)
        })?)
    }

    /// A moment as people write it, `tomorrow 09:00`, by the clock of the principal who is meant.
    pub fn heartbeat_moment(&self, whose: Option<&str>, written: &str) -> Result<Time> {
        let zone = Zone::parse(&self.heart_of(whose)?.zone)?;
        Ok(Moment::parse(written, zone.date(self.mind.now()))?.begin(&zone))
    }

    /// Whether it is the principal who speaks, and not the agent in their conversation.
    fn is_principal(&self, principal: PrincipalId) -> bool {
        self.caller.author() == Author::Principal && self.caller.principal_id() == Some(principal)
    }

    /// The principal who is meant: the one that is named, else who asks, else whom the agent talks to, else the operator.
    pub(crate) fn heart_of(&self, named: Option<&str>) -> Result<Principal> {
        let own = self.caller.principal_id();
        let found = match named {
            Some(name) => self.mind.principal_called(&self.agent, name)?,
            None => {
                let meant = own.unwrap_or(self.agent.operator);
                self.mind.principal_called(&self.agent, &meant.to_string())?
            }
        };
        match self.caller.is_operator() || own.is_none_or(|own| own == found.id) {
            true => Ok(found),
            false => {
                let why = "a principal's heartbeat is seen by the principal and the operator";
                Err(Error::Forbidden(why.into()))
            }
        }
    }
}

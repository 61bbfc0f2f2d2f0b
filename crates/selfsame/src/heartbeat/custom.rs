//! Signals of the operator's own, asked before the transaction of a beat: a slow or broken one holds up nobody.

use crate::agent::Agent;
use crate::error::Result;
use crate::mind::Mind;
use crate::principal::Principal;
use crate::signals::{OwnSignals, Seen};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Caller;
use selfsame_store::heartbeat::standing;
use selfsame_store::signals::Bounds;

impl Mind {
    /// What the operator's own signals find, and what is wrong with those that cannot be asked.
    pub(super) fn scan_custom(
        &self,
        own: &OwnSignals,
        agent: &Agent,
        principal: &Principal,
        now: Time,
    ) -> Result<Seen> {
        if own.is_empty() {
            return Ok(Seen::default());
        }
        let caller = Caller::operator(agent.operator);
        let standing =
            self.store.read(&caller, &[agent.id], |reader| standing::of(reader, agent.id, principal.id))?;
        let zone = Zone::parse(&principal.zone)?;
        let bounds =
            Bounds::at(now, &zone, standing.acted_at, agent.operator, self.settings.heartbeat.scans());
        Ok(self.ask_own_signals(own, agent.id, principal, &bounds))
    }
}

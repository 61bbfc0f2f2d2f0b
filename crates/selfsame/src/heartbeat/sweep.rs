//! What nobody will ask for any more: receipts of long silences, and the duties of deliveries that are done.

use crate::error::Result;
use crate::mind::Mind;
use selfsame_core::trust::Caller;
use selfsame_store::duties;
use selfsame_store::heartbeat::receipts;
use std::time::Duration;

/// How long it can be seen that a delivery was done.
const DELIVERIES_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

impl Mind {
    /// Removes them. Receipts of ticks that spoke up stay.
    pub(crate) fn sweep_heartbeat(&self) -> Result<()> {
        let now = self.now();
        let before = now.saturating_sub(self.settings.heartbeat.receipts_kept);
        for agent in self.agents()? {
            let caller = Caller::operator(agent.operator);
            let is_old = self
                .store
                .read(&caller, &[agent.id], |reader| receipts::has_older(reader, agent.id, before))?;
            if is_old {
                self.store
                    .background("sweep", &[agent.id], |writer| receipts::sweep(writer, agent.id, before))?;
            }
        }
        let before = now.saturating_sub(DELIVERIES_KEPT);
        self.store.system_write(|writer| duties::sweep_done(writer, super::deliver::KIND, before))?;
        Ok(())
    }
}

//! What others wait for, told when it is committed. A hint and no more: the log is the truth, and who missed the hint finds
//! it there.

use selfsame_core::id::AgentId;
use std::sync::{Arc, Mutex, PoisonError};

/// Something was committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// The log of an agent has grown.
    Log {
        /// Whose.
        agent: AgentId,
        /// The number of its last event.
        seq: i64,
    },
    /// A key is no longer good.
    Keys,
    /// Something may have been missed: look at everything.
    Missed,
}

/// Whoever wants to hear of it. Called on the thread that wrote, so it must not take long.
pub type Ear = Arc<dyn Fn(News) + Send + Sync>;

/// Those who listen.
#[derive(Default)]
pub(crate) struct Bell {
    ears: Mutex<Vec<Ear>>,
}

impl Bell {
    pub(crate) fn add(&self, ear: Ear) {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner).push(ear);
    }

    pub(crate) fn ring(&self, news: &[News]) {
        if news.is_empty() {
            return;
        }
        let ears = self.ears.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (ear, news) in ears.iter().flat_map(|ear| news.iter().map(move |news| (ear, *news))) {
            ear(news);
        }
    }
}

/// Adds what a transaction will have to tell; of each log only how far it came.
pub(crate) fn add(told: &mut Vec<News>, news: News) {
    told.retain(|known| match (known, &news) {
        (News::Log { agent: known, .. }, News::Log { agent, .. }) => known != agent,
        (known, news) => known != news,
    });
    told.push(news);
}

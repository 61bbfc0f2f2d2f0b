//! Until lessons are learned from episodes.

use crate::error::{Result, StoreResult};
use crate::mind::Access;
use crate::ports::Fault;
use crate::work::{Brief, Reply};
use selfsame_core::id::LessonId;
use selfsame_store::Writer;
use selfsame_store::work::items::WorkItem;

pub(crate) struct LessonShown {
    pub(crate) id: LessonId,
    pub(crate) text: String,
    pub(crate) trust: f64,
    pub(crate) note: Option<String>,
}

impl Access<'_> {
    pub(crate) fn learn_from_episodes(&self) -> Result<()> {
        Ok(())
    }

    pub(crate) fn brief_to_learn(&self, _item: &WorkItem) -> Result<Brief> {
        Err(crate::error::Error::Broken("no lessons yet".into()))
    }

    pub(crate) fn finish_learning(
        &self,
        _item: &WorkItem,
        _reply: &Reply<'_>,
    ) -> Result<std::result::Result<(), Fault>> {
        Ok(Ok(()))
    }

    pub(crate) fn learn_no_more_from(&self, _writer: &mut Writer, _item: &WorkItem) -> StoreResult<()> {
        Ok(())
    }

    pub(crate) fn lesson_entries(&self, _words: &str) -> Result<Vec<LessonShown>> {
        Ok(Vec::new())
    }
}

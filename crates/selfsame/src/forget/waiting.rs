//! What hooks keep in the data folder until it can be filed: words too, although no table has them yet. What repeats what is
//! forgotten is not filed any more.

use super::trace::{Trace, spoken};
use super::{Item, ItemKind, Order, What};
use crate::data_folder::FolderError;
use crate::error::{Result, StoreResult};
use crate::mind::{Access, Mind};
use selfsame_core::entity::{candidate_names, mentioned, name_key};
use selfsame_core::forgetting::{self, Phrases, Wanted};
use selfsame_core::id::EntityId;
use selfsame_store::{Reader, entities};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What an act means, besides the rows that it names.
pub(super) struct Meant {
    phrases: Phrases,
    wanted: Option<Wanted>,
    names: BTreeMap<String, Vec<EntityId>>,
}

impl Meant {
    /// What a trace takes away, in words.
    pub(super) fn by(
        access: &Access<'_>,
        reader: &mut Reader,
        order: &Order,
        wanted: Option<&Wanted>,
        found: &Trace,
    ) -> StoreResult<Meant> {
        let mut texts = Vec::new();
        for item in found.leaving().into_iter().filter(|item| item.kind != ItemKind::Entity) {
            texts.extend(spoken(access, reader, item)?.map(|spoken| spoken.words));
        }
        let named = match &order.what {
            What::Entity(id) => Some(*id),
            What::Item(Item { kind: ItemKind::Entity, id }) => Some(EntityId::of(*id)),
            _ => None,
        };
        let mut names = BTreeMap::new();
        if let Some(id) = named {
            let family = entities::family(reader, access.agent.id, id)?;
            let known = entities::names(reader, access.agent.id, &family)?;
            names.extend(known.values().flatten().map(|(name, _)| (name_key(name), vec![id])));
        }
        Ok(Meant { phrases: Phrases::of(texts.iter().map(String::as_str)), wanted: wanted.cloned(), names })
    }

    fn is_in(&self, text: &str) -> bool {
        self.phrases.are_in(text)
            || self.wanted.as_ref().is_some_and(|wanted| wanted.are_in(text))
            || !mentioned(&candidate_names(text), &self.names).is_empty()
    }
}

impl Mind {
    /// Takes away what waits to be filed and has what is meant in it.
    pub(super) fn let_waiting_go(&self, meant: &Meant) -> Result<()> {
        self.drop_waiting(|text| meant.is_in(&forgetting::spoken(text)))
    }

    /// Takes away what waits to be filed for an agent; also what does not say for whom.
    pub(super) fn let_all_waiting_go(&self, agent: &str) -> Result<()> {
        self.drop_waiting(|text| {
            let told: Value = serde_json::from_str(text).unwrap_or_default();
            told["agent"].as_str().is_none_or(|of| of == agent)
        })
    }

    fn drop_waiting(&self, is_meant: impl Fn(&str) -> bool) -> Result<()> {
        let Some(home) = self.home() else { return Ok(()) };
        for path in waiting_in(home) {
            // One that was filed meanwhile is a row, and goes as such.
            let is_meant = fs::read_to_string(&path).is_ok_and(|text| is_meant(&text));
            if is_meant && path.exists() {
                fs::remove_file(&path).map_err(|cause| FolderError::Unusable { path, cause })?;
            }
        }
        Ok(())
    }
}

fn waiting_in(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join(crate::data_folder::HOOKS)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

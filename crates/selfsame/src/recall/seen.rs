//! What was proposed, seen with the caller's eyes: a text that they may not see is as if it were not there, for those that
//! stand beside it, for how often words occur, and for whether there is an answer at all.
//!
//! The index knows of each text whether it is private, so nothing more is read where nothing is. Whose it is, its row says:
//! that is believed without its seal, for nothing is shown by it.

use super::Asking;
use super::propose::kind;
use crate::error::StoreResult;
use crate::mind::Access;
use selfsame_core::id::{Id, SummaryId};
use selfsame_core::recall::sheet::Sheet;
use selfsame_core::recall::weigh::Described;
use selfsame_core::recall::{Layer, Spot};
use selfsame_core::trust::Sight;
use selfsame_store::{Reader, memory, messages, shelves, summaries};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A layer, as far as it was looked at.
pub(super) struct Seen<'s> {
    /// Without what is hidden.
    pub(super) sheet: Cow<'s, Sheet>,
    pub(super) described: BTreeMap<Spot, Described>,
    /// Where texts stand that the caller may not see.
    pub(super) hidden: BTreeSet<Spot>,
}

impl<'s> Seen<'s> {
    pub(super) fn new(sheet: &'s Sheet) -> Seen<'s> {
        Seen { sheet: Cow::Borrowed(sheet), described: BTreeMap::new(), hidden: BTreeSet::new() }
    }

    /// Looks at places that were not looked at before; gives those where something is hidden.
    pub(super) fn look_at(
        &mut self,
        reader: &mut Reader,
        asking: &Asking<'_>,
        spots: &BTreeSet<Spot>,
    ) -> StoreResult<BTreeSet<Spot>> {
        let is_new = |spot: &&Spot| !self.described.contains_key(*spot) && !self.hidden.contains(*spot);
        let new: Vec<Spot> = spots.iter().filter(is_new).copied().collect();
        let mut described = describe(reader, asking, self.sheet.layer, &new)?;
        let unseen = unseen(reader, asking.access, self.sheet.layer, &described)?;
        if !unseen.is_empty() {
            described.retain(|spot, _| !unseen.contains(spot));
            self.sheet = Cow::Owned(self.sheet.without(&unseen));
            self.hidden.extend(&unseen);
        }
        self.described.append(&mut described);
        Ok(unseen)
    }
}

fn describe(
    reader: &mut Reader,
    asking: &Asking<'_>,
    layer: Layer,
    spots: &[Spot],
) -> StoreResult<BTreeMap<Spot, Described>> {
    let texts = shelves::texts_at(reader, asking.access.agent.id, kind(layer), spots)?;
    let described = texts.into_iter().map(|(spot, text)| {
        let described = Described {
            item: text.item,
            len: u16::try_from(text.len).unwrap_or(u16::MAX),
            said_on: asking.zone.date(text.said_at),
            people: text.speaker.into_iter().collect(),
            marks: text.marks,
        };
        (spot, described)
    });
    Ok(described.collect())
}

/// Where texts stand that are private, and not the caller's to see.
fn unseen(
    reader: &mut Reader,
    access: &Access<'_>,
    layer: Layer,
    described: &BTreeMap<Spot, Described>,
) -> StoreResult<BTreeSet<Spot>> {
    if layer == Layer::Summary {
        return not_shown(reader, access, described);
    }
    let private = || described.iter().filter(|(_, text)| text.marks.is_private());
    let own: BTreeSet<Id> = match access.caller.sight() {
        Sight::All => return Ok(BTreeSet::new()),
        Sight::None => BTreeSet::new(),
        Sight::Of(principal) => {
            let items: Vec<Id> = private().map(|(_, text)| text.item).collect();
            let of_principal = match layer {
                // Nothing private feeds a belief or a summary.
                Layer::Observation | Layer::Summary => return Ok(BTreeSet::new()),
                Layer::Memory => memory::of_principal,
                Layer::Message => messages::of_principal,
            };
            of_principal(reader, access.agent.id, principal, &items)?.into_iter().collect()
        }
    };
    Ok(private().filter(|(_, text)| !own.contains(&text.item)).map(|(spot, _)| *spot).collect())
}

/// Where summaries stand that came by a link which is not shown: they have no shelf of their own.
fn not_shown(
    reader: &mut Reader,
    access: &Access<'_>,
    described: &BTreeMap<Spot, Described>,
) -> StoreResult<BTreeSet<Spot>> {
    let ids: Vec<SummaryId> = described.values().map(|text| SummaryId::of(text.item)).collect();
    let seen: BTreeSet<Id> =
        summaries::seen(reader, access.agent.id, &ids)?.into_iter().map(SummaryId::id).collect();
    Ok(described.iter().filter(|(_, text)| !seen.contains(&text.item)).map(|(spot, _)| *spot).collect())
}

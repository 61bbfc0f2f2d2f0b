//! The closer look: the best candidates that may have a phrase of the question are read, and all are fitted again.
//!
//! Only what may be shown is looked at: what somebody may not see neither counts nor takes another's place.

use super::gather::{CHUNK, Gathering, Rows};
use super::propose::Proposals;
use crate::error::StoreResult;
use selfsame_core::recall::fuse::refit;
use selfsame_core::recall::phrase::{Together, hand_on, may_be_in, together};
use selfsame_core::recall::weights::fusion;
use selfsame_core::recall::{Fit, Plan};
use selfsame_store::Reader;

/// So many texts are looked at, and at most a chunk more: a phrase does not lift what fits worse to the top.
const LOOKED_CLOSER: usize = 16;
/// Whoever quotes wants those very words, even where many texts have some of them.
const LOOKED_CLOSER_FOR_QUOTES: usize = 256;

impl Gathering<'_> {
    /// Looks for the question's phrases in candidates that come with the best fit first.
    pub(super) fn look_closer(
        &self,
        reader: &mut Reader,
        plan: &Plan,
        proposals: &Proposals,
        fits: &mut [Fit],
        rows: &mut Rows,
    ) -> StoreResult<()> {
        let most = if plan.phrases.has_quotes() { LOOKED_CLOSER_FOR_QUOTES } else { LOOKED_CLOSER };
        let mut looked_at = 0;
        let mut promising: Vec<&mut Fit> =
            fits.iter_mut().filter(|fit| may_be_in(plan, proposals.own_words(fit))).collect();
        for chunk in promising.chunks_mut(CHUNK) {
            if looked_at >= most {
                break;
            }
            self.read(reader, chunk.iter().map(|fit| &**fit), rows)?;
            for fit in chunk {
                if let Some(found) = rows.get(fit.item) {
                    let Together { phrase, quoted } = together(plan, &proposals.rarities, &found.searched());
                    (fit.features.phrase, fit.features.quoted) = (phrase, quoted);
                    looked_at += 1;
                }
            }
        }
        hand_on(fits);
        refit(fits, fusion(proposals.is_by_meaning()));
        Ok(())
    }
}

//! What something felt like.

use super::BadDraft;
use crate::text::check_text;

/// Bytes in the name of a feeling, at most.
const MAX_FEELING_BYTES: usize = 128;

/// What something felt like, as far as anybody said.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Affect {
    /// From -2, terrible, to 2, wonderful.
    pub valence: Option<f64>,
    /// From 0, calm, to 1, beside oneself.
    pub arousal: Option<f64>,
    /// In a word.
    pub feeling: Option<String>,
}

impl Affect {
    /// The affect as it may be stored, or what is wrong with it.
    pub(super) fn check(mut self) -> Result<Affect, BadDraft> {
        if let Some(given) = self.valence.filter(|valence| !(-2.0..=2.0).contains(valence)) {
            return Err(BadDraft::Valence { given });
        }
        if let Some(given) = self.arousal.filter(|arousal| !(0.0..=1.0).contains(arousal)) {
            return Err(BadDraft::Arousal { given });
        }
        if let Some(feeling) = &self.feeling {
            check_text(feeling, MAX_FEELING_BYTES)
                .map_err(|problem| BadDraft::Text { field: "feeling", problem })?;
        }
        // -0.0 and 0.0 are one number in the database.
        self.valence = self.valence.map(|valence| valence + 0.0);
        self.arousal = self.arousal.map(|arousal| arousal + 0.0);
        Ok(self)
    }

    /// Whether nobody said anything of it.
    pub fn is_unsaid(&self) -> bool {
        *self == Affect::default()
    }
}

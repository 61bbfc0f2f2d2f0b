//! A text as the numbers that a network reads.

use super::{EmbedError, NamedFile, read};
use tokenizers::{Tokenizer, TruncationParams};

/// How a model cuts texts into tokens.
pub(super) struct Tokens(Tokenizer);

/// One text's tokens, at least one.
pub(super) struct TextTokens {
    /// Which they are in the model's vocabulary.
    pub(super) ids: Vec<i32>,
    /// Which of two texts each belongs to: here there is only one.
    pub(super) types: Vec<i32>,
}

impl Tokens {
    /// Reads the tokenizer. What its file says of filling up and cutting off is for training and not for us.
    pub(super) fn load(file: &NamedFile, max_tokens: usize) -> Result<Tokens, EmbedError> {
        let bad = |cause: tokenizers::Error| EmbedError::Tokenizer {
            path: file.path.clone(),
            cause: cause.to_string(),
        };
        let mut tokenizer = Tokenizer::from_bytes(read(file)?).map_err(bad)?;
        let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
        tokenizer.with_padding(None).with_truncation(Some(truncation)).map_err(bad)?;
        // "[SEP]" in a text is four letters and two brackets: nobody ends a text from within.
        tokenizer.set_encode_special_tokens(true);
        Ok(Tokens(tokenizer))
    }

    pub(super) fn of(&self, text: &str) -> Result<TextTokens, EmbedError> {
        let encoding = self.0.encode_fast(text, true).map_err(|cause| EmbedError::Text(cause.to_string()))?;
        let mut tokens =
            TextTokens { ids: as_i32(encoding.get_ids()), types: as_i32(encoding.get_type_ids()) };
        if tokens.ids.is_empty() {
            // An empty text where no mark is put around texts. It means nothing, but it is somewhere.
            tokens = TextTokens { ids: vec![0], types: vec![0] };
        }
        Ok(tokens)
    }
}

fn as_i32(numbers: &[u32]) -> Vec<i32> {
    numbers.iter().map(|number| i32::try_from(*number).unwrap_or(i32::MAX)).collect()
}

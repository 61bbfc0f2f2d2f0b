//! Makes the tables that `src/tokens` counts with: OpenAI's o200k vocabulary out of the `tiktoken-rs` crate, and the
//! classes of characters out of `regex-syntax`. Written to the build's own folder; nothing is fetched, nothing committed.

#[path = "src/tokens/layout.rs"]
mod layout;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use layout::{BLOCK, Class, LONGEST, Place, RUN, SLOTS, TOKENS, Vocabulary, after};
use regex_syntax::hir::{self, HirKind};

/// What the pre-tokenizer tells apart, in the words of its pattern. The later ones overrule: a line end is white space.
const CLASSES: [(&str, Class); 7] = [
    (r"[\p{Lu}\p{Lt}]", Class::Upper),
    (r"\p{Ll}", Class::Lower),
    (r"[\p{Lm}\p{Lo}]", Class::Caseless),
    (r"\p{M}", Class::Mark),
    (r"\p{N}", Class::Number),
    (r"\s", Class::Space),
    (r"[\r\n]", Class::Newline),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/layout.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("Cargo names a folder for what is built")?);
    write_vocabulary(&folder)?;
    write_classes(&folder)
}

fn write_vocabulary(folder: &Path) -> Result<(), Box<dyn Error>> {
    let tokens = tokens()?;
    let text = tokens.concat();
    let (runs, ends) = ends(&tokens)?;
    let slots = slots(&tokens)?;
    let (of_runs, of_ends, of_slots) = (runs.as_chunks().0, ends.as_chunks().0, slots.as_chunks().0);
    prove(&tokens, &Vocabulary { text: &text, runs: of_runs, ends: of_ends, slots: of_slots })?;
    fs::write(folder.join("tokens"), text)?;
    fs::write(folder.join("token_runs"), runs)?;
    fs::write(folder.join("token_ends"), ends)?;
    fs::write(folder.join("token_slots"), slots)?;
    Ok(())
}

/// The bytes of every ordinary token, by rank.
fn tokens() -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let encoding = tiktoken_rs::o200k_base()?;
    let ranks = 0..u32::try_from(TOKENS)?;
    let tokens = ranks.map(|rank| encoding.decode_bytes(&[rank])).collect::<Result<Vec<_>, _>>();
    let tokens = tokens.map_err(|error| error.to_string())?;
    if encoding.decode_bytes(&[u32::try_from(TOKENS)?]).is_ok() {
        return Err("the vocabulary has more tokens than it should".into());
    }
    if tokens.iter().any(|token| token.len() > LONGEST) {
        return Err("the vocabulary has a longer token than it should".into());
    }
    Ok(tokens)
}

/// Where runs begin, and where tokens end in them.
fn ends(tokens: &[Vec<u8>]) -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let mut start = 0;
    let (mut runs, mut ends) = (Vec::new(), Vec::new());
    for run in tokens.chunks(RUN) {
        runs.extend(u32::try_from(start)?.to_le_bytes());
        let mut length = 0;
        for token in run {
            length += token.len();
            ends.extend(u16::try_from(length)?.to_le_bytes());
        }
        start += length;
    }
    Ok((runs, ends))
}

/// By rank, so that the tokens that are met most have the shortest way.
fn slots(tokens: &[Vec<u8>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut slots = vec![0_u32; SLOTS];
    for (rank, token) in tokens.iter().enumerate() {
        let place = Place::of(token);
        let mut slot = place.slot;
        while slots[slot] != 0 {
            slot = after(slot);
        }
        slots[slot] = place.entry(u32::try_from(rank)?);
    }
    // The highest byte of an entry is none.
    Ok(slots.into_iter().flat_map(|entry| entry.to_le_bytes().into_iter().take(3)).collect())
}

/// A table that does not find its own tokens would count wrongly and say nothing. That every byte is a token is what
/// joining rests on.
fn prove(tokens: &[Vec<u8>], vocabulary: &Vocabulary<'_>) -> Result<(), Box<dyn Error>> {
    for (rank, token) in tokens.iter().enumerate() {
        if vocabulary.rank(token) != Some(u32::try_from(rank)?) {
            return Err(format!("the token of rank {rank} is not found").into());
        }
    }
    if (0..=u8::MAX).any(|byte| vocabulary.rank(&[byte]).is_none()) {
        return Err("a byte is no token".into());
    }
    Ok(())
}

fn write_classes(folder: &Path) -> Result<(), Box<dyn Error>> {
    let classes = classes()?;
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut index = Vec::new();
    for block in classes.chunks(BLOCK) {
        let known = blocks.iter().position(|known| *known == block);
        let at = known.unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(u8::try_from(at)?);
    }
    fs::write(folder.join("class_index"), index)?;
    fs::write(folder.join("class_blocks"), blocks.concat())?;
    Ok(())
}

/// The class of every code point.
fn classes() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut classes = vec![Class::Other as u8; char::MAX as usize + 1];
    for (pattern, class) in CLASSES {
        if Class::ALL[class as usize] != class {
            return Err(format!("{class:?} is not read back as itself").into());
        }
        let HirKind::Class(hir::Class::Unicode(set)) = regex_syntax::parse(pattern)?.into_kind() else {
            return Err(format!("{pattern} is no class of characters").into());
        };
        for range in set.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class as u8);
        }
    }
    Ok(classes)
}

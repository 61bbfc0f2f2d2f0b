//! The seal of a row: a hash over what may never change, checked whenever the row is read.
//!
//! A database's own integrity check sees torn pages, not a flipped bit inside a text. The seal sees it, and a row whose
//! seal does not fit is reported and never served as truth.

use crate::id::Id;
use crate::time::Time;
use sha2::{Digest, Sha256};

/// SHA-256 over the parts, one after the other.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// HMAC-SHA256 (RFC 2104) over the parts, one after the other: who knows the key sees that they come from whoever knows it
/// too, and that nobody changed them on the way.
pub fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    /// SHA-256 works on so many bytes at a time.
    const BLOCK: usize = 64;
    let hashed = sha256(&[key]);
    let key = if key.len() > BLOCK { &hashed } else { key };
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, of_key)| *byte ^= of_key);
        block
    };
    let inner = padded(0x36);
    let whole: Vec<&[u8]> = std::iter::once(&inner[..]).chain(parts.iter().copied()).collect();
    sha256(&[&padded(0x5c), &sha256(&whole)])
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What [`hex`] wrote, if it was that.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

/// A hash over the unchanging columns of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seal([u8; 32]);

impl Seal {
    /// As stored.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Compares with what the row carries. The proof it gives is the only way to restore a row's trust.
    pub fn check(&self, stored: &[u8]) -> Result<Intact, Damaged> {
        if stored == self.0 { Ok(Intact(())) } else { Err(Damaged) }
    }
}

/// Proof that a row's seal was checked and fits. Only [`Seal::check`] makes one.
#[derive(Debug)]
pub struct Intact(());

/// A row whose content does not fit its seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the row does not fit its seal: it was changed outside selfsame or damaged on disk")]
pub struct Damaged;

/// Feeds a seal field by field, in an encoding in which no two different rows look alike.
///
/// Absent fields are left out, so a column that a later version adds does not break the seals of earlier rows.
pub struct Sealer(Sha256);

impl Sealer {
    /// Begins the seal of a row of `table`.
    pub fn new(table: &str) -> Sealer {
        let mut sealer = Sealer(Sha256::new());
        sealer.part(table.as_bytes());
        sealer
    }

    /// A text field.
    pub fn text(self, name: &str, value: &str) -> Sealer {
        self.field(name, b't', value.as_bytes())
    }

    /// A text field that may be absent.
    pub fn opt_text(self, name: &str, value: Option<&str>) -> Sealer {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    /// An id field.
    pub fn id(self, name: &str, value: Id) -> Sealer {
        self.field(name, b'i', &value.bytes())
    }

    /// An id field that may be absent.
    pub fn opt_id(self, name: &str, value: Option<Id>) -> Sealer {
        match value {
            Some(value) => self.id(name, value),
            None => self,
        }
    }

    /// A moment.
    pub fn time(self, name: &str, value: Time) -> Sealer {
        self.field(name, b'@', &value.micros().to_be_bytes())
    }

    /// A moment that may be absent.
    pub fn opt_time(self, name: &str, value: Option<Time>) -> Sealer {
        match value {
            Some(value) => self.time(name, value),
            None => self,
        }
    }

    /// A number. Both zeroes are one, as they are in the database.
    pub fn real(self, name: &str, value: f64) -> Sealer {
        self.field(name, b'r', &(value + 0.0).to_bits().to_be_bytes())
    }

    /// A number that may be absent.
    pub fn opt_real(self, name: &str, value: Option<f64>) -> Sealer {
        match value {
            Some(value) => self.real(name, value),
            None => self,
        }
    }

    /// Yes or no.
    pub fn flag(self, name: &str, value: bool) -> Sealer {
        self.field(name, b'b', &[u8::from(value)])
    }

    /// The finished seal.
    pub fn seal(self) -> Seal {
        Seal(self.0.finalize().into())
    }

    fn field(mut self, name: &str, tag: u8, value: &[u8]) -> Sealer {
        self.part(name.as_bytes());
        self.0.update([tag]);
        self.part(value);
        self
    }

    /// Length first, so that no byte can wander from one field to the next unseen.
    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }
}

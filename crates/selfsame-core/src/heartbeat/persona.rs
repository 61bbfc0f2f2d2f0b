//! A principal for simulations: how they take what is said.

use crate::id::Id;
use crate::seal::sha256;
use crate::word::words;
use std::time::Duration;

words! {
    /// How a simulated principal takes what is said.
    Persona, "persona":
    /// Answers nearly everything.
    Answers = "answers",
    /// Answers one in five.
    Selective = "selective",
    /// Reads, and answers nothing.
    Ignores = "ignores",
}

impl Persona {
    /// Of a hundred nudges, how many are answered.
    const fn answered_of_hundred(self) -> u8 {
        match self {
            Persona::Answers => 90,
            Persona::Selective => 20,
            Persona::Ignores => 0,
        }
    }

    /// After how long a nudge is answered, if it is. By its id alone: the same simulation gives the same answers.
    pub fn answers_after(self, nudge: Id) -> Option<Duration> {
        let dice = sha256(&[&nudge.bytes()]);
        let answers = dice[0] % 100 < self.answered_of_hundred();
        answers.then(|| Duration::from_secs(60 * (1 + u64::from(dice[1] % 20))))
    }
}

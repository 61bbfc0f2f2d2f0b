//! Feedback: what somebody makes of a belief. Each act is a memory, and the evidence names it.

use super::ask::names;
use super::consolidate::Keeping;
use super::desk::Desk;
use super::source::{Source, Sources};
use crate::error::{Error, Result, StoreResult};
use crate::mind::Access;
use crate::remember::NewMemory;
use selfsame_core::id::{MemoryId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::claim::{Reader as ReadBy, Says};
use selfsame_core::knowledge::decide::{Voice, Voucher};
use selfsame_core::knowledge::evidence::{Base, CONFIRMED, Piece};
use selfsame_core::knowledge::value::value_key;
use selfsame_core::knowledge::{Observation, correction};
use selfsame_core::memory::{Draft, MemoryKind};
use selfsame_store::knowledge::claims::{self, Claimed};
use selfsame_store::knowledge::observations;
use selfsame_store::{Idempotency, Replay, StoreError, Writer, memory};

/// What somebody makes of a belief.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It is so.
    Confirm,
    /// It is not so, but this is.
    Correct(String),
    /// It served: an answer that used it satisfied.
    Useful,
    /// It is not so.
    Wrong,
}

impl Judgement {
    /// As given at the doors.
    pub const WORDS: [&'static str; 4] = ["confirm", "correct", "useful", "wrong"];

    /// Reads a judgement; only a correction has words of its own.
    pub fn read(word: &str, text: Option<String>) -> Result<Judgement> {
        let judgement = match (word, text) {
            ("correct", Some(truth)) => return Ok(Judgement::Correct(truth)),
            ("correct", None) => {
                return Err(Error::Unfit("a correction says how it is: give that as text".into()));
            }
            ("confirm", None) => Judgement::Confirm,
            ("useful", None) => Judgement::Useful,
            ("wrong", None) => Judgement::Wrong,
            (known, Some(_)) if Judgement::WORDS.contains(&known) => {
                return Err(Error::Unfit(format!("{known} takes no text: only correct does")));
            }
            (unknown, _) => {
                let unknown: String = unknown.chars().take(64).collect();
                let words = Judgement::WORDS.join(", ");
                return Err(Error::Unfit(format!("there is no judgement {unknown:?}: it is one of {words}")));
            }
        };
        Ok(judgement)
    }

    /// What is remembered of it.
    fn memory(&self, belief: &Observation, subject: &str) -> String {
        match self {
            Judgement::Confirm => format!("Confirmed: {}", belief.summary),
            Judgement::Correct(truth) if correction::is_bare(belief, truth) => {
                correction::sentence(belief, subject, truth)
            }
            Judgement::Correct(truth) => truth.clone(),
            Judgement::Useful => format!("It served to know: {}", belief.summary),
            Judgement::Wrong => format!("It is wrong that: {}", belief.summary),
        }
    }
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Feedback {
    /// The memory of the act.
    pub memory: MemoryId,
    /// What is believed about the question now; the same observation, or what took its place. None: nothing is.
    pub observation: Option<ObservationId>,
    /// How far.
    pub confidence: f64,
}

impl Access<'_> {
    /// Takes somebody's judgement of a belief.
    pub fn feedback(
        &self,
        id: ObservationId,
        judgement: &Judgement,
        key: Option<&Idempotency>,
    ) -> Result<Feedback> {
        let judgement = &match judgement {
            Judgement::Correct(truth) => Judgement::Correct(self.masked(truth).into_owned()),
            other => other.clone(),
        };
        self.consolidate()?;
        let agent = self.agent.id;
        let belief = self.mind.store.read(&self.caller, &[agent], |reader| {
            let Some(row) = observations::by_id(reader, agent, id)? else {
                return Ok(None);
            };
            let subject = names(reader, agent, std::slice::from_ref(&row))?.remove(&row.subject.id);
            Ok(Some((subject.unwrap_or_else(|| row.subject.id.clone()), row)))
        })?;
        let Some((subject, belief)) = belief else {
            return Err(Error::NoSuch { what: "observation", id: id.to_string() });
        };
        if !belief.standing.status.is_held() && key.is_none() {
            let status = belief.standing.status.as_str();
            return Err(Error::Unfit(format!(
                "{id} is {status}: judge what took its place (`know why {id}` shows it)"
            )));
        }
        let mut draft = Draft::new(judgement.memory(&belief, &subject));
        if !matches!(judgement, Judgement::Correct(_)) {
            draft.kind = MemoryKind::Activity;
        }
        draft.tags = vec!["feedback".to_owned()];
        let new = self.prepare(draft)?;
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            self.judge(writer, &belief, judgement, &new)
        })?)
    }

    fn judge(
        &self,
        writer: &mut Writer,
        belief: &Kept<Observation>,
        judgement: &Judgement,
        new: &NewMemory,
    ) -> StoreResult<Feedback> {
        let remembered = new.store(writer)?.id;
        let zone = new.zone().clone();
        let mut keeping = Keeping::begin(writer, self.mind, &self.agent, &zone)?;
        let Some(stored) = memory::by_id(writer, self.agent.id, remembered)? else {
            return Err(StoreError::Damaged("a memory that was just stored is not there".into()));
        };
        let source = Sources::new(&self.agent, &zone).memory(writer, &stored)?;
        let known = claims::of_source(writer, self.agent.id, source.row.id)?;
        let claims = self.judged(writer, &mut keeping, belief, judgement, &source, &stored.content)?;
        let is_new = |claim: &Claimed| {
            let same = |known: &Claimed| {
                known.key == claim.key
                    && known.voice.says == claim.voice.says
                    && known.voice.piece.origins == claim.voice.piece.origins
            };
            !known.iter().any(same)
        };
        let fresh: Vec<Claimed> = claims.into_iter().filter(is_new).collect();
        keeping.enter(writer, &fresh)?;
        keeping.finish(writer)?;
        let now = observations::latest_of_key(writer, self.agent.id, &belief.key)?;
        let held = now.filter(|row| row.standing.status.is_held());
        Ok(Feedback {
            memory: remembered,
            observation: held.as_ref().map(|row| row.id),
            confidence: held.map_or(0.0, |row| row.standing.confidence()),
        })
    }

    /// What a judgement says of the question.
    fn judged(
        &self,
        writer: &mut Writer,
        keeping: &mut Keeping<'_>,
        belief: &Kept<Observation>,
        judgement: &Judgement,
        source: &Source,
        said: &str,
    ) -> StoreResult<Vec<Claimed>> {
        let voice = |says: Says, value: &str, weight: Option<f64>| {
            // The last saying is the one that was just made.
            let saying = source.sayings.last().cloned();
            saying.map(|saying| Voice {
                value: value.to_owned(),
                says,
                replaces: None,
                voucher: saying.voucher,
                piece: Piece {
                    sort: source.row.sort,
                    origins: saying.origins,
                    weight: weight.unwrap_or(saying.weight),
                    at: saying.at,
                },
            })
        };
        let mut confirms = false;
        let voice = match judgement {
            Judgement::Confirm => {
                let mut voice = voice(Says::Holds, &belief.value, None);
                if let Some(voice) = voice.as_mut().filter(|voice| voice.voucher == Voucher::Operator) {
                    voice.piece.weight *= CONFIRMED;
                    confirms = true;
                }
                voice
            }
            Judgement::Useful => voice(Says::Holds, &belief.value, Some(Base::Useful.weight())),
            Judgement::Wrong => voice(Says::Denies, &belief.value, None),
            Judgement::Correct(truth) => match self.corrected(writer, belief, truth, source)? {
                Some(value) => voice(Says::Holds, &value, None),
                None => voice(Says::Denies, &belief.value, None),
            },
        };
        let claimed = voice.map(|voice| Claimed {
            key: belief.key.clone(),
            seq: keeping.reading.take(),
            source: source.row,
            sentence: match judgement {
                Judgement::Correct(_) => said.to_owned(),
                _ => belief.summary.clone(),
            },
            reader: ReadBy::Feedback,
            confirms,
            voice,
        });
        Ok(claimed.into_iter().collect())
    }

    /// The other answer that a correction gives to the same question, if it can be read as one.
    fn corrected(
        &self,
        writer: &mut Writer,
        belief: &Kept<Observation>,
        truth: &str,
        source: &Source,
    ) -> StoreResult<Option<String>> {
        let read = Desk::new(self.mind, &self.agent).claims(writer, source)?;
        let answer = read.into_iter().find(|claim| claim.key() == belief.key && claim.says == Says::Holds);
        if let Some(answer) = answer {
            return Ok(Some(answer.value).filter(|value| *value != belief.value));
        }
        let is_bare = correction::is_bare(belief, truth);
        Ok(Some(value_key(truth)).filter(|value| is_bare && !value.is_empty() && *value != belief.value))
    }
}

impl Replay for Feedback {
    fn encode(&self) -> String {
        let observation = self.observation.map(|id| id.to_string());
        serde_json::json!([self.memory.to_string(), observation, self.confidence]).to_string()
    }

    fn decode(stored: &str) -> std::result::Result<Feedback, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (memory, observation, confidence): (String, Option<String>, f64) =
            serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(Feedback {
            memory: memory.parse().map_err(|_| damaged())?,
            observation: observation.map(|id| id.parse()).transpose().map_err(|_| damaged())?,
            confidence,
        })
    }
}

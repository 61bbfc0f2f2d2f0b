//! A question as people and programs write it: names, words and dates that are read here.

use super::{Filter, Layer, Mode, Question};
use crate::error::{Error, Result};
use crate::mind::Access;
use selfsame_core::local::Moment;
use selfsame_core::memory::{MemoryKind, State};
use selfsame_core::time::Time;
use std::time::Duration;

/// What is left of a day in its last second.
const LAST_SECOND: Duration = Duration::from_micros(999_999);

/// What is asked, in words.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Written {
    /// The question.
    pub text: String,
    /// Answers, at most.
    pub limit: Option<usize>,
    /// Answers that are passed over.
    pub offset: usize,
    /// A mode.
    pub mode: Option<String>,
    /// Layers.
    pub layers: Vec<String>,
    /// An entity, by id or name.
    pub entity: Option<String>,
    /// A principal, by id or name.
    pub principal: Option<String>,
    /// Types of memories.
    pub kinds: Vec<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Not before: a date or a time.
    pub from: Option<String>,
    /// Not after.
    pub until: Option<String>,
    /// States.
    pub states: Vec<String>,
    /// Believed at least so far.
    pub min_trust: Option<f64>,
    /// From what was known then.
    pub as_of: Option<String>,
    /// The best there is, even where there is likely no answer.
    pub anyway: bool,
}

impl Access<'_> {
    /// Reads a question; what cannot be read is named.
    pub fn read_question(&self, written: Written) -> Result<Question> {
        let Written { text, limit, offset, mode, layers, entity, principal, kinds, tags, .. } = written;
        let filter = Filter {
            layers: each(&layers, Layer::parse)?,
            entity: entity.map(|name| self.find_entity(&name)).transpose()?.map(|entity| entity.id),
            principal: principal
                .map(|name| self.mind.principal_called(&self.agent, &name))
                .transpose()?
                .map(|found| found.id),
            kinds: each(&kinds, MemoryKind::parse)?,
            tags,
            from: written.from.map(|text| self.moment(&text)).transpose()?.map(|(begin, _)| begin),
            until: written.until.map(|text| self.moment(&text)).transpose()?.map(|(_, end)| end),
            states: each(&written.states, State::parse)?,
            min_trust: written.min_trust.map(check_trust).transpose()?,
        };
        if let (Some(from), Some(until)) = (filter.from, filter.until)
            && until < from
        {
            return Err(Error::Unfit("from is after until: swap the two".into()));
        }
        Ok(Question {
            text,
            limit,
            offset,
            mode: mode.map_or(Ok(Mode::default()), |mode| Mode::parse(&mode))?,
            filter,
            as_of: written.as_of.map(|text| self.moment(&text)).transpose()?.map(|(_, end)| end),
            anyway: written.anyway,
        })
    }

    /// When a moment begins and ends; a day is from its first to its last microsecond.
    pub(crate) fn moment(&self, written: &str) -> Result<(Time, Time)> {
        let zone = self.zone()?;
        let moment = Moment::parse(written, zone.date(self.mind.now()))?;
        let rest = if matches!(moment, Moment::Day(_)) { LAST_SECOND } else { Duration::ZERO };
        Ok((moment.begin(&zone), moment.end(&zone).saturating_add(rest)))
    }
}

fn each<T, E>(words: &[String], parse: fn(&str) -> std::result::Result<T, E>) -> Result<Vec<T>>
where
    Error: From<E>,
{
    words.iter().map(|word| parse(word).map_err(Error::from)).collect()
}

fn check_trust(trust: f64) -> Result<f64> {
    match (0.0..=1.0).contains(&trust) {
        true => Ok(trust),
        false => Err(Error::Unfit(format!("min_trust must be from 0 to 1, not {trust}"))),
    }
}

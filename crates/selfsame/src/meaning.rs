//! What texts mean: asks the embedder, checks what it says, and knows of each agent which generation recall looks in.
//!
//! Every model is a generation. While the vectors of a new one are made, recall goes on in the old one with the model that
//! made it, as long as that can be had. A model that fails holds up nothing: what is written is written without a vector,
//! which a duty makes later, and what is asked is answered by words.

use crate::error::{Result, StoreResult};
use crate::mind::{Access, Mind};
use crate::ports::{Embedder, PortError, Purpose};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::recall::meaning::{Baseline, QUESTIONS, TEXTS};
use selfsame_core::trust::Caller;
use selfsame_core::vector::{Unit, check};
use selfsame_store::postings::{self, Kind};
use selfsame_store::vectors::{self, Generation};
use selfsame_store::{Reader, Writer, shelves};
use std::sync::{Arc, Mutex, PoisonError};

/// Finds the model that made the vectors of an earlier generation, by its name.
pub type FormerModels = Arc<dyn Fn(&str) -> Option<Arc<dyn Embedder>> + Send + Sync>;

/// Generations are counted from 1.
pub(crate) const NO_GENERATION: i64 = 0;

/// The models of a mind, and what is known of them.
#[derive(Default)]
pub(crate) struct Models {
    /// The one that is set; none: words alone.
    pub(crate) present: Option<Arc<dyn Embedder>>,
    pub(crate) former: Option<FormerModels>,
    /// Every generation, as far as it was asked for.
    known: Mutex<Vec<Generation>>,
    /// Why the present model did not answer the last time, if it did not.
    trouble: Mutex<Option<String>>,
}

/// What one text means, in every generation that wants to know.
#[derive(Clone, Default)]
pub(crate) struct Meaning {
    units: Vec<(i64, Unit)>,
    /// The generation in which recall looks.
    searched: Option<Generation>,
}

impl Meaning {
    /// Keeps it with the text.
    pub(crate) fn keep(&self, writer: &mut Writer, agent: AgentId, kind: Kind, item: Id) -> StoreResult<()> {
        for (generation, unit) in &self.units {
            vectors::insert(writer, agent, *generation, kind, item, unit)?;
        }
        Ok(())
    }

    /// In the generation in which recall looks, if it has a meaning there.
    pub(crate) fn searched(&self) -> Option<(&Generation, &Unit)> {
        let generation = self.searched.as_ref()?;
        let (_, unit) = self.units.iter().find(|(number, _)| *number == generation.number)?;
        Some((generation, unit))
    }
}

/// What a question means, and where it is looked for.
pub(crate) struct Asked {
    pub(crate) generation: Generation,
    pub(crate) unit: Unit,
}

/// How far recall goes by meaning.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ByMeaning {
    /// The model that was asked; none: words alone.
    pub model: Option<String>,
    /// Texts that have no vector yet, and are found by their words alone.
    pub pending: u64,
    /// Why meaning was not compared, although there is a model.
    pub trouble: Option<String>,
}

impl Models {
    /// The model of a name: the present one, or one that was before.
    fn named(&self, model: &str) -> Option<Arc<dyn Embedder>> {
        let present = self.present.as_ref().filter(|present| present.model() == model);
        present.cloned().or_else(|| self.former.as_ref().and_then(|former| former(model)))
    }

    /// Why the present model did not answer the last time, if it did not.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Asks a model, and believes nothing that cannot be right.
    pub(crate) fn embed(
        &self,
        model: &dyn Embedder,
        texts: &[&str],
        purpose: Purpose,
        dimensions: Option<usize>,
    ) -> std::result::Result<Vec<Unit>, PortError> {
        let units = model.embed(texts, purpose).and_then(|vectors| {
            // Some model has no vector for some text: asked for it again, it has none either.
            let wrong = |error: &dyn std::fmt::Display| {
                PortError::Lasting(format!("{} gave vectors that cannot be used: {error}", model.model()))
            };
            check(&vectors, texts.len(), dimensions.or(model.dimensions())).map_err(|error| wrong(&error))?;
            let units: Option<Vec<Unit>> = vectors.into_iter().map(Unit::of).collect();
            units.ok_or_else(|| wrong(&"one has no direction"))
        });
        // That a former model answers says nothing of the present one.
        if self.present.as_ref().is_some_and(|present| present.model() == model.model()) {
            self.note(units.as_ref().err().map(ToString::to_string));
        }
        units
    }
}

impl Mind {
    /// The generation of a model; made, with its baseline, if there is none. Asks the model if it does.
    pub(crate) fn generation_of(
        &self,
        model: &dyn Embedder,
    ) -> Result<std::result::Result<Generation, PortError>> {
        if let Some(known) = self.known_generation_of(model)? {
            return Ok(Ok(known));
        }
        let (questions, texts) = match self.ask_baseline(model) {
            Ok(units) => units,
            Err(error) => return Ok(Err(error)),
        };
        let (baseline, dimensions) = (Baseline::of(&questions, &texts), texts[0].dimensions());
        let now = self.now();
        let made = self.store.system_write(|writer| {
            vectors::ensure_generation(writer, model.model(), dimensions, baseline, now)
        })?;
        self.models.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(Ok(made))
    }

    /// The generation of a model, if it has one already.
    pub(crate) fn known_generation_of(&self, model: &dyn Embedder) -> Result<Option<Generation>> {
        let fits = |known: &Generation| {
            known.model == model.model() && model.dimensions().is_none_or(|count| count == known.dimensions)
        };
        // Of a model that does not say how long its vectors are, the newest.
        Ok(self.generations()?.into_iter().rev().find(fits))
    }

    fn ask_baseline(&self, model: &dyn Embedder) -> std::result::Result<(Vec<Unit>, Vec<Unit>), PortError> {
        let questions = self.models.embed(model, &QUESTIONS, Purpose::Question, None)?;
        let dimensions = questions.first().map(Unit::dimensions);
        Ok((questions, self.models.embed(model, &TEXTS, Purpose::Text, dimensions)?))
    }

    /// Every generation there is.
    fn generations(&self) -> Result<Vec<Generation>> {
        let mut known = self.models.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            *known = self.store.system(vectors::generations)?;
        }
        Ok(known.clone())
    }

    /// A generation by its number.
    pub(crate) fn generation(&self, number: i64) -> Result<Option<Generation>> {
        let is_it = |known: &Generation| known.number == number;
        if let Some(known) = self.generations()?.into_iter().find(is_it) {
            return Ok(Some(known));
        }
        // Another process may have made it since.
        self.models.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(self.generations()?.into_iter().find(is_it))
    }

    /// The generation in which an agent's recall looks.
    pub(crate) fn generation_in_use(&self, agent: AgentId) -> Result<Option<Generation>> {
        let caller = Caller::agent(None);
        match self.store.read(&caller, &[agent], |reader| vectors::in_use(reader, agent))? {
            Some(number) => self.generation(number),
            None => Ok(None),
        }
    }

    /// What a text that is about to be stored means, if a model is at hand that can say so at once. A text whose model
    /// fails is stored all the same.
    pub(crate) fn meaning_of(&self, agent: AgentId, text: &str) -> Result<Meaning> {
        let Some(present) = self.models.present.as_ref().filter(|present| present.is_at_hand()) else {
            return Ok(Meaning::default());
        };
        let Ok(generation) = self.generation_of(present.as_ref())? else {
            return Ok(Meaning::default());
        };
        let searched = self.generation_in_use(agent)?;
        let mut units: Vec<(i64, Unit)> =
            self.unit_of(present.as_ref(), &generation, text).into_iter().collect();
        // While the vectors of a new model are made, recall looks among those of the old.
        if let Some(used) = searched.as_ref().filter(|used| used.number != generation.number)
            && let Some(former) = self.models.named(&used.model).filter(|former| former.is_at_hand())
        {
            units.extend(self.unit_of(former.as_ref(), used, text));
        }
        Ok(Meaning { units, searched })
    }

    fn unit_of(&self, model: &dyn Embedder, generation: &Generation, text: &str) -> Option<(i64, Unit)> {
        let asked = self.models.embed(model, &[text], Purpose::Text, Some(generation.dimensions));
        Some((generation.number, asked.ok()?.into_iter().next()?))
    }
}

impl Access<'_> {
    /// What a question means, with the model that made the vectors that it is compared with.
    pub(crate) fn meaning_asked(&self, question: &str) -> Result<(Option<Asked>, ByMeaning)> {
        let nothing = (None, ByMeaning::default());
        if self.mind.models.present.is_none() {
            return Ok(nothing);
        }
        let Some(generation) = self.mind.generation_in_use(self.agent.id)? else {
            // Nothing has a vector yet.
            let pending = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
                pending(reader, self.agent.id, NO_GENERATION)
            })?;
            return Ok((None, ByMeaning { model: None, pending, trouble: self.mind.models.trouble() }));
        };
        let without = |trouble: String| ByMeaning { trouble: Some(trouble), ..ByMeaning::default() };
        let Some(model) = self.mind.models.named(&generation.model) else {
            let gone =
                format!("the model {} that the vectors are of is not there any more", generation.model);
            return Ok((None, without(gone)));
        };
        let asked = self.mind.models.embed(
            model.as_ref(),
            &[question],
            Purpose::Question,
            Some(generation.dimensions),
        );
        match asked.map(|units| units.into_iter().next()) {
            Ok(Some(unit)) => {
                let by = ByMeaning { model: Some(generation.model.clone()), ..ByMeaning::default() };
                Ok((Some(Asked { generation, unit }), by))
            }
            Ok(None) => Ok(nothing),
            Err(error) => Ok((None, without(error.to_string()))),
        }
    }
}

/// How many memories and messages of an agent have no vector of a generation yet: what people wait for.
pub(crate) fn pending(reader: &mut Reader, agent: AgentId, generation: i64) -> StoreResult<u64> {
    let mut kinds = vec![Kind::Memory, Kind::Message];
    kinds.extend(shelves::shown(reader, agent)?);
    pending_of(reader, agent, generation, &kinds)
}

/// How many texts of these kinds have none.
pub(crate) fn pending_of(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kinds: &[Kind],
) -> StoreResult<u64> {
    let mut pending = 0;
    for kind in kinds.iter().copied() {
        let texts = postings::corpus(reader, agent, kind)?.docs;
        let live = vectors::stock_of(reader, agent, generation, kind)?.live;
        pending += texts.saturating_sub(live);
    }
    Ok(pending)
}

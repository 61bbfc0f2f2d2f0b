//! The stage that proposes: what the indexes have for the words, people and days of a question.

use crate::config::RecallSettings;
use crate::entity::candidate_keys;
use crate::error::StoreResult;
use crate::meaning::{self, Asked};
use selfsame_core::entity::{candidate_names, capitalised, named};
use selfsame_core::id::{AgentId, EntityId, Id};
use selfsame_core::knowledge::Subject;
use selfsame_core::recall::abstain::Evidence;
use selfsame_core::recall::meaning::Meant;
use selfsame_core::recall::plan::{self, Known, Plan};
use selfsame_core::recall::sheet::{Entry, Looked, Sheet, rarities};
use selfsame_core::recall::weigh::{Candidate, Described, Scales, level, sittings, worth_a_look};
use selfsame_core::recall::weights::{NEAR_IN_MEANING, PASSAGE_REACH};
use selfsame_core::recall::{Fit, Layer, Spot, Weights, fillers};
use selfsame_core::time::Zone;
use selfsame_core::time::civil::Date;
use selfsame_core::vector::Code;
use selfsame_store::entities::Entity;
use selfsame_store::knowledge::observations;
use selfsame_store::postings::{self, Kind};
use selfsame_store::vectors::{self, Generation};
use selfsame_store::{Reader, entities, indexed_texts, mentions};
use std::collections::{BTreeMap, BTreeSet};

/// Texts of a layer that are weighed, at most: the best by their words.
pub(super) const CONSIDERED: usize = 256;
/// More are where many may not be shown.
pub(super) const CONSIDERED_AT_MOST: usize = 2048;
/// So many of the best have what stands beside them weighed too.
const LOOKED_BESIDE: usize = 48;
/// Memories about somebody who is named that are weighed whatever their words, at most: the newest.
const ABOUT_SOMEBODY: i64 = 64;

/// Reads a question: its words, and who is meant by its names.
pub(super) fn read_question(
    reader: &mut Reader,
    agent: AgentId,
    text: &str,
    today: Date,
    asker: Option<EntityId>,
) -> StoreResult<Plan> {
    let mut candidates = candidate_names(text);
    let mut known = entities::by_name_keys(reader, agent, &candidate_keys(&candidates))?;
    if named(&candidates, &known).is_empty() {
        // Questions are often typed without capitals.
        candidates = candidate_names(&capitalised(text, |word| !fillers::is_filler(word)));
        known = entities::by_name_keys(reader, agent, &candidate_keys(&candidates))?;
    }
    let known: Known = todays(reader, agent, known)?;
    Ok(plan::plan(text, today, asker, &candidates, &known))
}

/// Everybody under the id that their rows may have: their own, and those that were merged into them.
fn todays(reader: &mut Reader, agent: AgentId, known: Known) -> StoreResult<Known> {
    let mut families = Known::new();
    for (key, ids) in known {
        let mut family = Vec::new();
        for id in ids {
            family.extend(entities::family(reader, agent, id)?);
        }
        families.insert(key, family);
    }
    Ok(families)
}

/// What was found for a question, layer by layer.
pub(super) struct Proposals {
    /// In how many texts each word of the plan is.
    pub(super) frequencies: Vec<u64>,
    /// How rare that makes them.
    pub(super) rarities: Vec<f64>,
    /// How many texts there are.
    docs: u64,
    bm25: Weights,
    /// What was looked up.
    sheets: Vec<Sheet>,
    /// What is near in meaning, where there are vectors.
    near: Option<Near>,
}

/// What is near in meaning.
struct Near {
    generation: Generation,
    asked: Code,
    /// Where the nearest stand, by layer.
    spots: BTreeMap<Layer, Vec<Spot>>,
    /// Texts that have no vector yet.
    pending: u64,
}

/// Looks up the words of a question, rare ones first, as far as the budget goes.
pub(super) fn propose(
    reader: &mut Reader,
    agent: AgentId,
    plan: &Plan,
    layers: &[Layer],
    settings: &RecallSettings,
) -> StoreResult<Proposals> {
    let bm25 = Weights { k1: settings.bm25_k1, b: settings.bm25_b };
    let budget = settings.posting_budget as u64;
    let terms: Vec<String> = plan.words.iter().map(|word| word.term.clone()).collect();
    let mut stock = Vec::new();
    let mut frequencies = vec![0u64; terms.len()];
    for layer in layers {
        let corpus = postings::corpus(reader, agent, kind(*layer))?;
        if *layer == Layer::Observation && corpus.docs == 0 {
            continue;
        }
        let found = postings::frequencies(reader, agent, kind(*layer), &terms)?;
        for (term, frequency) in terms.iter().zip(&mut frequencies) {
            *frequency += found.get(term).copied().unwrap_or(0);
        }
        stock.push((*layer, corpus, found));
    }
    let docs = stock.iter().map(|(_, corpus, _)| corpus.docs).sum();
    let rarities = rarities(&frequencies, docs);
    let mut sheets = Vec::new();
    for (layer, corpus, found) in stock {
        let looked = look_up(reader, agent, layer, &terms, &found, budget)?;
        sheets.push(Sheet::lay_out(layer, corpus, &looked, &rarities, bm25));
    }
    Ok(Proposals { frequencies, rarities, docs, bm25, sheets, near: None })
}

fn look_up(
    reader: &mut Reader,
    agent: AgentId,
    layer: Layer,
    terms: &[String],
    frequencies: &BTreeMap<String, u64>,
    budget: u64,
) -> StoreResult<Vec<Looked>> {
    let by_term: Vec<(&str, u64)> = frequencies.iter().map(|(term, df)| (term.as_str(), *df)).collect();
    let taken = plan::spend(&by_term, budget);
    let mut looked = Vec::new();
    for (word, term) in terms.iter().enumerate().filter(|(_, term)| taken.contains(&term.as_str())) {
        let found = postings::of_term(reader, agent, kind(layer), term, frequencies[term], budget)?;
        looked.push(Looked { word, postings: found.postings });
    }
    Ok(looked)
}

impl Proposals {
    /// Looks for what is nearest in meaning, whatever its words.
    pub(super) fn add_near(&mut self, reader: &mut Reader, agent: AgentId, asked: &Asked) -> StoreResult<()> {
        let Asked { generation, unit } = asked;
        let mut spots = BTreeMap::new();
        for sheet in &self.sheets {
            let kind = kind(sheet.layer);
            let near = vectors::nearest(reader, agent, generation, kind, unit, NEAR_IN_MEANING)?;
            let items: Vec<Id> = near.iter().map(|near| near.item).collect();
            spots.insert(sheet.layer, indexed_texts::spots_of(reader, agent, kind, &items)?);
        }
        let pending = meaning::pending(reader, agent, generation.number)?;
        self.near = Some(Near { generation: generation.clone(), asked: Code::of(unit), spots, pending });
        Ok(())
    }

    /// Whether meaning is compared, too.
    pub(super) fn is_by_meaning(&self) -> bool {
        self.near.is_some()
    }

    /// Texts that have no vector yet.
    pub(super) fn pending(&self) -> u64 {
        self.near.as_ref().map_or(0, |near| near.pending)
    }

    /// Weighs so many of the best of what was looked up, and what is known about the people who are named.
    pub(super) fn weigh(
        &self,
        reader: &mut Reader,
        agent: AgentId,
        plan: &Plan,
        zone: &Zone,
        most: usize,
    ) -> StoreResult<Vec<Candidate>> {
        let mut weighed = Vec::new();
        for sheet in &self.sheets {
            let sittings = match sheet.layer {
                Layer::Memory | Layer::Observation => BTreeMap::new(),
                Layer::Message => {
                    let threads = postings::threads(reader, agent, Kind::Message)?;
                    sittings(sheet, threads, plan.words.len(), self.bm25)
                }
            };
            let mut spots = worth_a_look(sheet, &sittings, most, LOOKED_BESIDE);
            match sheet.layer {
                Layer::Memory => spots.extend(about(reader, agent, plan)?),
                Layer::Observation => spots.extend(believed_of(reader, agent, plan)?),
                Layer::Message => {}
            }
            if let Some(near) = &self.near {
                spots.extend(near.worth_a_look(sheet.layer));
            }
            let described = describe(reader, agent, sheet.layer, &spots, zone)?;
            let meant = self.near.as_ref().map(|near| near.meant(reader, agent, sheet.layer, &described));
            let meant = meant.transpose()?;
            let scales = Scales { plan, rarities: &self.rarities, weights: self.bm25, meant: meant.as_ref() };
            weighed.push(scales.weigh(sheet, &sittings, &described));
        }
        Ok(level(&weighed))
    }

    /// The words of the plan that a candidate has itself.
    pub(super) fn own_words(&self, fit: &Fit) -> &[Entry] {
        let sheet = self.sheets.iter().find(|sheet| sheet.layer == fit.layer);
        sheet.and_then(|sheet| Some(sheet.words(sheet.at(fit.spot)?))).unwrap_or_default()
    }

    /// Whether there is a layer of which not all is weighed if so many are.
    pub(super) fn are_more_than(&self, most: usize) -> bool {
        self.sheets.iter().any(|sheet| sheet.texts().len() > most)
    }

    /// Whether anything that is believed was looked through.
    pub(super) fn has_beliefs(&self) -> bool {
        self.sheets.iter().any(|sheet| sheet.layer == Layer::Observation)
    }

    /// What all this says to the question as a whole.
    pub(super) fn evidence(&self) -> Evidence<'_> {
        Evidence { frequencies: &self.frequencies, docs: self.docs, by_meaning: self.is_by_meaning() }
    }
}

impl Near {
    /// The nearest, and in a sitting what stands beside them.
    fn worth_a_look(&self, layer: Layer) -> BTreeSet<Spot> {
        let nearest = self.spots.get(&layer).map(Vec::as_slice).unwrap_or_default();
        let reach = if layer == Layer::Message { PASSAGE_REACH } else { 0 };
        nearest.iter().flat_map(|spot| spot.beside(reach).chain([*spot])).collect()
    }

    /// What these texts mean.
    fn meant(
        &self,
        reader: &mut Reader,
        agent: AgentId,
        layer: Layer,
        described: &BTreeMap<Spot, Described>,
    ) -> StoreResult<Meant> {
        let items: Vec<Id> = described.values().map(|text| text.item).collect();
        let mut codes = vectors::codes_of(reader, agent, &self.generation, kind(layer), &items)?;
        let placed = described.iter().filter_map(|(spot, text)| Some((*spot, codes.remove(&text.item)?)));
        let texts = placed.collect();
        Ok(Meant::new(&self.asked, self.generation.baseline, &texts, layer == Layer::Message))
    }
}

/// Where memories stand that are about the people who are named.
fn about(reader: &mut Reader, agent: AgentId, plan: &Plan) -> StoreResult<Vec<Spot>> {
    let mut items: BTreeSet<Id> = BTreeSet::new();
    for person in &plan.people {
        items.extend(mentions::newest(reader, agent, *person, "memory", ABOUT_SOMEBODY)?);
    }
    let items: Vec<Id> = items.into_iter().collect();
    indexed_texts::spots_of(reader, agent, Kind::Memory, &items)
}

/// Where beliefs stand that are of those who are named.
fn believed_of(reader: &mut Reader, agent: AgentId, plan: &Plan) -> StoreResult<Vec<Spot>> {
    let people: Vec<EntityId> = plan.people.iter().copied().collect();
    let mut items = Vec::new();
    for Entity { id, kind, name, .. } in entities::by_ids(reader, agent, &people)? {
        let subject = Subject::known(id, kind, &name);
        let held = observations::of_subject(reader, agent, &subject, true, ABOUT_SOMEBODY)?;
        items.extend(held.into_iter().flatten().map(|row| row.id.id()));
    }
    indexed_texts::spots_of(reader, agent, Kind::Observation, &items)
}

fn describe(
    reader: &mut Reader,
    agent: AgentId,
    layer: Layer,
    spots: &BTreeSet<Spot>,
    zone: &Zone,
) -> StoreResult<BTreeMap<Spot, Described>> {
    let spots: Vec<Spot> = spots.iter().copied().collect();
    let texts = indexed_texts::texts_at(reader, agent, kind(layer), &spots)?;
    let described = texts.into_iter().map(|(spot, text)| {
        let described = Described {
            item: text.item,
            len: u16::try_from(text.len).unwrap_or(u16::MAX),
            said_on: zone.date(text.said_at),
            people: text.speaker.into_iter().collect(),
            marks: text.marks,
        };
        (spot, described)
    });
    Ok(described.collect())
}

const fn kind(layer: Layer) -> Kind {
    match layer {
        Layer::Memory => Kind::Memory,
        Layer::Message => Kind::Message,
        Layer::Observation => Kind::Observation,
    }
}

//! The stage that proposes: what the indexes have for the words, people and days of a question.

use super::Asking;
use super::seen::Seen;
use crate::config::RecallSettings;
use crate::entity::candidate_keys;
use crate::error::StoreResult;
use crate::meaning::{self, Asked};
use crate::summary::{self, Summary};
use selfsame_core::entity::{candidate_names, capitalised, named};
use selfsame_core::id::{AgentId, EntityId, Id, SummaryId};
use selfsame_core::knowledge::Subject;
use selfsame_core::recall::abstain::{self, Evidence, Verdict};
use selfsame_core::recall::fuse::fuse;
use selfsame_core::recall::meaning::Meant;
use selfsame_core::recall::parts::{self, Long, Parts};
use selfsame_core::recall::plan::{self, Known, Plan};
use selfsame_core::recall::sheet::{Entry, Looked, Sheet, rarities};
use selfsame_core::recall::weigh::{Described, Scales, level, sittings, worth_a_look};
use selfsame_core::recall::weights::{NEAR_IN_MEANING, PASSAGE_REACH, fusion};
use selfsame_core::recall::{Fit, Layer, Spot, Weights, fillers};
use selfsame_core::time::Time;
use selfsame_core::time::civil::Date;
use selfsame_core::vector::{Code, Unit};
use selfsame_store::entities::Entity;
use selfsame_store::knowledge::observations;
use selfsame_store::postings::{self, Kind};
use selfsame_store::vectors::Generation;
use selfsame_store::{Reader, entities, shelves};
use std::collections::{BTreeMap, BTreeSet};

/// Texts of a layer that are weighed, at most: the best by their words.
pub(super) const CONSIDERED: usize = 256;
/// More are where many may not be shown.
pub(super) const CONSIDERED_AT_MOST: usize = 2048;
/// Summaries of which the sentences are looked at, at most.
const SUMMARIES: usize = 16;
/// So many of the best have what stands beside them weighed too.
const LOOKED_BESIDE: usize = 48;
/// Memories about somebody who is named that are weighed whatever their words, at most: the newest.
const ABOUT_SOMEBODY: usize = 64;

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
    frequencies: Vec<u64>,
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
    asked: Unit,
    /// Where the nearest stand, by layer.
    spots: BTreeMap<Layer, Vec<Spot>>,
    /// Texts that have no vector yet.
    pending: u64,
}

/// The candidates, the best first, and what the index says to the question beside them: all of it as the caller sees it.
pub(super) struct Fitted {
    pub(super) fits: Vec<Fit>,
    /// In how many texts each word of the plan is.
    pub(super) frequencies: Vec<u64>,
    /// How many texts there are.
    docs: u64,
    by_meaning: bool,
}

impl Fitted {
    /// Whether there is likely an answer that rests on some of the candidates.
    pub(super) fn verdict(&self, plan: &Plan, carriers: &[Fit]) -> Verdict {
        let Fitted { fits, frequencies, docs, by_meaning } = self;
        let evidence = Evidence { frequencies, docs: *docs, by_meaning: *by_meaning };
        abstain::judge(plan, &evidence, fits, carriers)
    }
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
        let corpus = shelves::corpus(reader, agent, kind(*layer))?;
        if matches!(layer, Layer::Observation | Layer::Summary) && corpus.docs == 0 {
            continue;
        }
        let found = shelves::frequencies(reader, agent, kind(*layer), &terms)?;
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
        let found = shelves::of_term(reader, agent, kind(layer), term, frequencies[term], budget)?;
        looked.push(Looked { word, postings: found.postings });
    }
    Ok(looked)
}

impl Proposals {
    /// Looks for what is nearest in meaning, whatever its words.
    pub(super) fn add_near(&mut self, reader: &mut Reader, agent: AgentId, asked: &Asked) -> StoreResult<()> {
        let Asked { generation, unit } = asked;
        let mut near = Near {
            generation: generation.clone(),
            asked: unit.clone(),
            spots: BTreeMap::new(),
            pending: meaning::pending(reader, agent, generation.number)?,
        };
        for sheet in &self.sheets {
            let spots = near.find(reader, agent, sheet.layer, NEAR_IN_MEANING)?;
            near.spots.insert(sheet.layer, spots);
        }
        self.near = Some(near);
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
    pub(super) fn weigh(&self, reader: &mut Reader, asking: &Asking<'_>, most: usize) -> StoreResult<Fitted> {
        let (mut frequencies, mut docs, by_meaning) =
            (self.frequencies.clone(), self.docs, self.is_by_meaning());
        let mut weighed = Vec::new();
        for sheet in &self.sheets {
            let (seen, sittings) = self.look(reader, asking, sheet, most)?;
            docs = docs.saturating_sub(seen.hidden.len() as u64);
            for entry in seen.hidden.iter().flat_map(|spot| sheet.around(*spot, 0)) {
                frequencies[entry.word] = frequencies[entry.word].saturating_sub(1);
            }
            let agent = asking.access.agent.id;
            let meant =
                self.near.as_ref().map(|near| near.meant(reader, agent, sheet.layer, &seen.described));
            let meant = meant.transpose()?;
            let (plan, rarities) = (asking.plan, self.rarities.as_slice());
            let scales = Scales { plan, rarities, weights: self.bm25, meant: meant.as_ref() };
            weighed.push(match sheet.layer {
                Layer::Summary => scales.weigh_parts(&self.parts(reader, asking, &seen.described)?),
                _ => scales.weigh(&seen.sheet, &sittings, &seen.described),
            });
        }
        let fits = fuse(level(&weighed), fusion(by_meaning));
        Ok(Fitted { fits, frequencies, docs, by_meaning })
    }

    /// Looks at so many of the best of a layer. Where some are not for the caller's eyes, others take their places.
    fn look<'s>(
        &self,
        reader: &mut Reader,
        asking: &Asking<'_>,
        sheet: &'s Sheet,
        most: usize,
    ) -> StoreResult<(Seen<'s>, BTreeMap<u32, f64>)> {
        let (agent, layer) = (asking.access.agent.id, sheet.layer);
        let threads = match layer {
            Layer::Memory | Layer::Observation | Layer::Summary => 0,
            Layer::Message => postings::threads(reader, agent, Kind::Message)?,
        };
        let mut near =
            self.near.as_ref().and_then(|near| near.spots.get(&layer).cloned()).unwrap_or_default();
        let most = if layer == Layer::Summary { most.min(SUMMARIES) } else { most };
        let mut seen = Seen::new(sheet);
        loop {
            let sittings = match layer {
                Layer::Memory | Layer::Observation | Layer::Summary => BTreeMap::new(),
                Layer::Message => sittings(&seen.sheet, threads, asking.plan.words.len(), self.bm25),
            };
            let mut spots = worth_a_look(&seen.sheet, &sittings, most, LOOKED_BESIDE);
            match layer {
                Layer::Memory => {
                    spots.extend(about(reader, agent, asking.plan, ABOUT_SOMEBODY + seen.hidden.len())?);
                }
                Layer::Observation => spots.extend(believed_of(reader, agent, asking.plan)?),
                Layer::Message | Layer::Summary => {}
            }
            spots.extend(with_neighbours(layer, &near));
            let unseen = seen.look_at(reader, asking, &spots)?;
            if unseen.is_empty() || seen.hidden.len() >= CONSIDERED_AT_MOST {
                seen.described.retain(|spot, _| spots.contains(spot));
                return Ok((seen, sittings));
            }
            if let Some(meant) = self.near.as_ref().filter(|_| near.iter().any(|spot| unseen.contains(spot)))
            {
                near = meant.find(reader, agent, layer, NEAR_IN_MEANING + seen.hidden.len())?;
            }
        }
    }

    /// Reads summaries, to see where in them the words are. What a damaged one says is not looked at.
    fn parts(
        &self,
        reader: &mut Reader,
        asking: &Asking<'_>,
        described: &BTreeMap<Spot, Described>,
    ) -> StoreResult<Parts> {
        let ids: Vec<SummaryId> = described.values().map(|text| SummaryId::of(text.item)).collect();
        let read = summary::by_ids(reader, asking.access.agent.id, &ids)?.into_iter().flatten();
        let read: BTreeMap<Id, Summary> = read.map(|row| (row.id().id(), row)).collect();
        let long = |(spot, text): (&Spot, &Described)| {
            let row = read.get(&text.item);
            let day = |at: Option<Time>| at.map_or(text.said_on, |at| asking.zone.date(at));
            let period = row.map(Summary::period);
            Long {
                item: text.item,
                spot: *spot,
                text: row.map(Summary::indexed_text).unwrap_or_default(),
                from: day(period.map(|(from, _)| from)),
                until: day(period.map(|(_, until)| until)),
                people: text.people.clone(),
            }
        };
        let texts: Vec<Long> = described.iter().map(long).collect();
        Ok(parts::lay_out(asking.plan, &self.rarities, self.bm25, &texts))
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
}

impl Near {
    /// Where the nearest of a layer stand.
    fn find(&self, reader: &mut Reader, agent: AgentId, layer: Layer, most: usize) -> StoreResult<Vec<Spot>> {
        let near = shelves::nearest(reader, agent, &self.generation, kind(layer), &self.asked, most)?;
        let items: Vec<Id> = near.iter().map(|near| near.item).collect();
        shelves::spots_of(reader, agent, kind(layer), &items)
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
        let mut codes = shelves::codes_of(reader, agent, &self.generation, kind(layer), &items)?;
        let placed = described.iter().filter_map(|(spot, text)| Some((*spot, codes.remove(&text.item)?)));
        let texts = placed.collect();
        Ok(Meant::new(&Code::of(&self.asked), self.generation.baseline, &texts, layer == Layer::Message))
    }
}

/// The nearest in meaning, and in a sitting what stands beside them.
fn with_neighbours(layer: Layer, nearest: &[Spot]) -> impl Iterator<Item = Spot> {
    let reach = if layer == Layer::Message { PASSAGE_REACH } else { 0 };
    nearest.iter().flat_map(move |spot| spot.beside(reach).chain([*spot]))
}

/// Where memories stand that are about the people who are named, so many of each.
fn about(reader: &mut Reader, agent: AgentId, plan: &Plan, most: usize) -> StoreResult<Vec<Spot>> {
    let mut items: BTreeSet<Id> = BTreeSet::new();
    for person in &plan.people {
        items.extend(shelves::newest_mentions(reader, agent, *person, most as i64)?);
    }
    let items: Vec<Id> = items.into_iter().collect();
    shelves::spots_of(reader, agent, Kind::Memory, &items)
}

/// Where beliefs stand that are of those who are named.
fn believed_of(reader: &mut Reader, agent: AgentId, plan: &Plan) -> StoreResult<Vec<Spot>> {
    let people: Vec<EntityId> = plan.people.iter().copied().collect();
    let mut items = Vec::new();
    for Entity { id, kind, name, .. } in entities::by_ids(reader, agent, &people)? {
        let subject = Subject::known(id, kind, &name);
        let held = observations::of_subject(reader, agent, &subject, true, ABOUT_SOMEBODY as i64)?;
        items.extend(held.into_iter().flatten().map(|row| row.id.id()));
    }
    shelves::spots_of(reader, agent, Kind::Observation, &items)
}

pub(super) const fn kind(layer: Layer) -> Kind {
    match layer {
        Layer::Memory => Kind::Memory,
        Layer::Message => Kind::Message,
        Layer::Observation => Kind::Observation,
        Layer::Summary => Kind::Summary,
    }
}

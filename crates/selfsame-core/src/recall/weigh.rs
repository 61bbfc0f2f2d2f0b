//! The stage that weighs: from what was looked up, and from where each candidate stands, to its features.

use super::ask::Layer;
use super::bm25::{Weights, rarity, saturation};
use super::features::Features;
use super::marks::Marks;
use super::meaning::{Meant, Sense};
use super::parts::Parts;
use super::plan::{MAX_WORDS, Plan, Role};
use super::sheet::{Entry, Sheet, Text};
use super::thread::Spot;
use super::weights::{NEARBY, PASSAGE_REACH};
use crate::id::{EntityId, Id};
use crate::time::civil::Date;
use crate::when::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What the index knows of a text besides its words.
#[derive(Clone, PartialEq, Debug)]
pub struct Described {
    /// The row.
    pub item: Id,
    /// How many words it has.
    pub len: u16,
    /// The day on which it was said or stored.
    pub said_on: Date,
    /// Who said it; whom it is about, if it is a memory.
    pub people: Vec<EntityId>,
    /// What can be seen of it.
    pub marks: Marks,
}

/// A text that may be an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// Where it is from.
    pub layer: Layer,
    /// The row.
    pub item: Id,
    /// Where it stands.
    pub spot: Spot,
    /// What speaks for it.
    pub features: Features,
    /// Which share of the question is covered by it and the few texts around it.
    pub around: f64,
    /// Whether it is known who said it.
    pub spoken: bool,
    /// By how many spreads its meaning is above the unrelated; 0 without vectors.
    pub surprise: f64,
}

/// The places worth looking at: the best texts by their words and their sitting, and what stands right beside the very
/// best, which may answer without having one of the words.
pub fn worth_a_look(
    sheet: &Sheet,
    sittings: &BTreeMap<u32, f64>,
    most: usize,
    beside: usize,
) -> BTreeSet<Spot> {
    let top_text = sheet.texts().iter().map(|text| text.score).fold(0.0, f64::max);
    let top_sitting = sittings.values().copied().fold(0.0, f64::max);
    let rough = |text: &Text| {
        let sitting = sittings.get(&text.spot.thread).map_or(0.0, |score| score / top_sitting);
        text.score / top_text + sitting
    };
    let mut best: Vec<(f64, Spot)> = sheet.texts().iter().map(|text| (rough(text), text.spot)).collect();
    let by_rough = |a: &(f64, Spot), b: &(f64, Spot)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if best.len() > most {
        best.select_nth_unstable_by(most, by_rough);
        best.truncate(most);
    }
    best.sort_unstable_by(by_rough);
    let mut spots: BTreeSet<Spot> = best.iter().map(|(_, spot)| *spot).collect();
    if sheet.layer == Layer::Message {
        spots.extend(best.iter().take(beside).flat_map(|(_, spot)| spot.beside(PASSAGE_REACH)));
    }
    spots
}

/// How well each sitting as a whole has the words: one walk along the sheet.
pub fn sittings(sheet: &Sheet, threads: u64, words: usize, weights: Weights) -> BTreeMap<u32, f64> {
    let mut counts: Vec<(u32, [u32; MAX_WORDS])> = Vec::new();
    let mut found_in = [0u64; MAX_WORDS];
    for thread in sheet.threads() {
        let mut tf = [0u32; MAX_WORDS];
        for entry in thread {
            tf[entry.word] += u32::from(entry.tf);
        }
        for word in 0..words {
            found_in[word] += u64::from(tf[word] > 0);
        }
        counts.push((thread[0].spot.thread, tf));
    }
    let rare: Vec<f64> = found_in[..words].iter().map(|df| rarity(*df, threads)).collect();
    let score = |tf: &[u32; MAX_WORDS]| {
        // Sittings are about equally long as far as this matters: their length is left out.
        (0..words).map(|word| rare[word] * saturation(f64::from(tf[word]), 1.0, weights)).sum()
    };
    counts.iter().map(|(thread, tf)| (*thread, score(tf))).collect()
}

/// What all candidates are measured by.
pub struct Scales<'a> {
    /// The question.
    pub plan: &'a Plan,
    /// How rare its words are.
    pub rarities: &'a [f64],
    /// BM25's numbers.
    pub weights: Weights,
    /// What the layer's texts mean, where there are vectors.
    pub meant: Option<&'a Meant>,
}

/// One layer's candidates with raw numbers, before they are brought to one scale.
pub struct Weighed {
    layer: Layer,
    raw: Vec<Raw>,
}

struct Raw {
    spot: Spot,
    item: Id,
    features: Features,
    around: f64,
    spoken: bool,
    surprise: f64,
}

impl Raw {
    /// How much a part of a text says to the question, beside the others.
    fn says(&self) -> f64 {
        self.features.coverage + self.around
    }
}

impl Scales<'_> {
    /// Weighs the texts of a layer. `described` are the places worth a look that have a text.
    pub fn weigh(
        &self,
        sheet: &Sheet,
        sittings: &BTreeMap<u32, f64>,
        described: &BTreeMap<Spot, Described>,
    ) -> Weighed {
        let raw = described.iter().map(|(spot, text)| {
            let features = match sheet.layer {
                Layer::Memory | Layer::Observation => self.alone(sheet, *spot, text),
                Layer::Message | Layer::Summary => self.in_sitting(sheet, sittings, *spot, described),
            };
            let around = self.around(sheet, *spot, text).max(features.coverage);
            let sense = self.sense(sheet.layer, *spot);
            let features = Features { meaning: sense.own, meaning_around: sense.around, ..features };
            let spoken = !text.people.is_empty();
            Raw { spot: *spot, item: text.item, features, around, spoken, surprise: sense.surprise }
        });
        Weighed { layer: sheet.layer, raw: raw.collect() }
    }

    /// Weighs long texts: each as the part of it that says most to the question, as what was said in a sitting is weighed.
    pub fn weigh_parts(&self, parts: &Parts) -> Weighed {
        let sittings = sittings(&parts.sheet, parts.texts, self.plan.words.len(), self.weights);
        let Weighed { layer, raw } = self.weigh(&parts.sheet, &sittings, &parts.described);
        let mut best: BTreeMap<u32, Raw> = BTreeMap::new();
        for part in raw {
            let whole = Spot { place: 0, ..part.spot };
            let says_more = |than: &Raw| part.says().total_cmp(&than.says()).is_gt();
            if best.get(&whole.thread).is_none_or(says_more) {
                best.insert(whole.thread, Raw { spot: whole, ..part });
            }
        }
        Weighed { layer, raw: best.into_values().collect() }
    }

    /// Of a long text it is known what it means as a whole.
    fn sense(&self, layer: Layer, spot: Spot) -> Sense {
        let spot = if layer == Layer::Summary { Spot { place: 0, ..spot } } else { spot };
        self.meant.map_or_else(Sense::default, |meant| meant.sense(spot, layer == Layer::Message))
    }

    /// A text that stands alone is its own passage and sitting.
    fn alone(&self, sheet: &Sheet, spot: Spot, text: &Described) -> Features {
        let own = sheet.around(spot, 0);
        let words = own.iter().map(|entry| entry.score).sum();
        Features {
            words,
            nearby: self.nearby(own, spot),
            passage: words,
            sitting: words,
            ..self.of_text(own, text)
        }
    }

    fn in_sitting(
        &self,
        sheet: &Sheet,
        sittings: &BTreeMap<u32, f64>,
        spot: Spot,
        described: &BTreeMap<Spot, Described>,
    ) -> Features {
        let around = sheet.around(spot, NEARBY.len() as u32);
        let own: Vec<Entry> = around.iter().filter(|entry| entry.spot == spot).copied().collect();
        let before = Spot { place: spot.place.wrapping_sub(1), ..spot };
        let follows_question = described.get(&before).is_some_and(|text| text.marks.asks());
        let asked = sheet.at(before).filter(|_| follows_question).map_or(0.0, |text| text.score);
        Features {
            words: own.iter().map(|entry| entry.score).sum(),
            nearby: self.nearby(around, spot),
            passage: self.passage(sheet, around, spot, described),
            sitting: sittings.get(&spot.thread).copied().unwrap_or(0.0),
            answers: asked,
            ..self.of_text(&own, &described[&spot])
        }
    }

    /// What does not depend on where the text stands.
    fn of_text(&self, own: &[Entry], text: &Described) -> Features {
        let plan = self.plan;
        let person = text.people.iter().any(|person| plan.people.contains(person));
        let speaks_of_day = f64::from(own.iter().any(|entry| plan.words[entry.word].role == Role::Day));
        let said_on = plan.days.iter().map(|span| nearness(*span, text.said_on)).fold(0.0, f64::max);
        Features {
            coverage: self.coverage(own, person),
            person: f64::from(person),
            own_words: f64::from(person && text.marks.is_first_person()),
            day: said_on.max(speaks_of_day),
            speaks_of_day,
            moment: f64::from(plan.asks_when && text.marks.speaks_of_time()),
            statement: f64::from(!text.marks.ends_asking()),
            ..Features::default()
        }
    }

    /// The share of the question's weight that a text's own words cover. A name is covered by who is named, too.
    fn coverage(&self, own: &[Entry], person: bool) -> f64 {
        let (mut all, mut covered, mut first) = (0.0, 0.0, 0);
        for thing in self.plan.things() {
            let places = first..first + thing.len();
            first = places.end;
            let is_there = own.iter().any(|entry| places.contains(&entry.word))
                || (thing[0].role == Role::Name && person);
            let weight = self.rarities[places].iter().copied().fold(0.0, f64::max);
            all += weight;
            covered += if is_there { weight } else { 0.0 };
        }
        if all > 0.0 { covered / all } else { 0.0 }
    }

    /// The share that is covered by it and what stands beside it.
    fn around(&self, sheet: &Sheet, spot: Spot, text: &Described) -> f64 {
        let reach = if matches!(sheet.layer, Layer::Message | Layer::Summary) { PASSAGE_REACH } else { 0 };
        let person = text.people.iter().any(|person| self.plan.people.contains(person));
        self.coverage(sheet.around(spot, reach), person)
    }

    /// Each word where it counts most: here, or further off for less.
    fn nearby(&self, around: &[Entry], spot: Spot) -> f64 {
        let mut best = [0.0f64; MAX_WORDS];
        for entry in around.iter().filter(|entry| self.plan.words[entry.word].role == Role::Content) {
            let away = entry.spot.place.abs_diff(spot.place) as usize;
            let share = away.checked_sub(1).map_or(1.0, |step| NEARBY.get(step).copied().unwrap_or(0.0));
            best[entry.word] = best[entry.word].max(share * entry.score);
        }
        best.iter().sum()
    }

    /// The few texts around as one text.
    fn passage(
        &self,
        sheet: &Sheet,
        around: &[Entry],
        spot: Spot,
        described: &BTreeMap<Spot, Described>,
    ) -> f64 {
        let mut tf = [0u32; MAX_WORDS];
        for entry in around.iter().filter(|entry| entry.spot.place.abs_diff(spot.place) <= PASSAGE_REACH) {
            tf[entry.word] += u32::from(entry.tf);
        }
        let first = Spot { place: spot.place.saturating_sub(PASSAGE_REACH), ..spot };
        let last = Spot { place: spot.place.saturating_add(PASSAGE_REACH), ..spot };
        let len: f64 = described.range(first..=last).map(|(_, text)| f64::from(text.len)).sum();
        let usual = sheet.corpus.mean_len() * f64::from(2 * PASSAGE_REACH + 1);
        let words = self.rarities.iter().zip(tf).filter(|(_, tf)| *tf > 0);
        words.map(|(rare, tf)| rare * saturation(f64::from(tf), len / usual, self.weights)).sum()
    }
}

/// How near a day is to a span that is asked for: people speak of a thing on the day itself or soon after.
fn nearness(span: Span, day: Date) -> f64 {
    let days = |from: Date, to: Date| f64::from(from.until(to).map_or(i32::MAX, |gap| gap.get_days()));
    if day > span.last {
        libm::exp(-days(span.last, day) / 7.0)
    } else if day < span.first {
        libm::exp(-days(day, span.first) / 2.0)
    } else {
        1.0
    }
}

/// Brings the candidates of all layers to one scale: what is the best of its kind is 1.
pub fn level(weighed: &[Weighed]) -> Vec<Candidate> {
    let highest = |pick: fn(&Features) -> f64| {
        let all = weighed.iter().flat_map(|layer| &layer.raw);
        all.map(|raw| pick(&raw.features)).fold(0.0, f64::max)
    };
    let words = highest(|features| features.words);
    let nearby = highest(|features| features.nearby);
    let passage = highest(|features| features.passage);
    let meaning = highest(|features| features.meaning);
    let meaning_around = highest(|features| features.meaning_around);
    let share = |value: f64, of: f64| if of > 0.0 { value / of } else { 0.0 };
    let mut candidates = Vec::new();
    for layer in weighed {
        // A sitting has more words than a text: each layer has its own measure of what is much.
        let sitting = layer.raw.iter().map(|raw| raw.features.sitting).fold(0.0, f64::max);
        candidates.extend(layer.raw.iter().map(
            |Raw { spot, item, features: raw, around, spoken, surprise }| Candidate {
                layer: layer.layer,
                item: *item,
                spot: *spot,
                features: Features {
                    words: share(raw.words, words),
                    nearby: share(raw.nearby, nearby),
                    passage: share(raw.passage, passage),
                    sitting: share(raw.sitting, sitting),
                    answers: share(raw.answers, words),
                    meaning: share(raw.meaning, meaning),
                    meaning_around: share(raw.meaning_around, meaning_around),
                    ..*raw
                },
                around: *around,
                spoken: *spoken,
                surprise: *surprise,
            },
        ));
    }
    candidates
}

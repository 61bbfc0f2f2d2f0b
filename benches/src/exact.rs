//! BM25 over all postings, by brute force and by nothing of ours but the analyser: what recall should come near to.

use selfsame_core::id::Id;
use selfsame_core::text::{count_terms, terms};
use std::collections::BTreeMap;

/// An index in memory.
pub struct Exact {
    /// Per word: in which texts, and how often.
    postings: BTreeMap<String, Vec<(usize, u32)>>,
    lengths: Vec<u32>,
    ids: Vec<Id>,
    k1: f64,
    b: f64,
}

impl Exact {
    /// Over these texts, which have these ids.
    pub fn new(texts: &[String], ids: Vec<Id>, k1: f64, b: f64) -> Exact {
        let mut postings: BTreeMap<String, Vec<(usize, u32)>> = BTreeMap::new();
        let mut lengths = Vec::with_capacity(texts.len());
        for (at, text) in texts.iter().enumerate() {
            let counted = count_terms(text);
            lengths.push(counted.len);
            for (term, tf) in counted.counts {
                postings.entry(term).or_default().push((at, tf));
            }
        }
        Exact { postings, lengths, ids, k1, b }
    }

    /// The best texts: highest score first, equal ones by id.
    pub fn best(&self, question: &str, limit: usize) -> Vec<Id> {
        let mut asked = terms(question);
        asked.sort();
        asked.dedup();
        let mut scores = vec![0.0; self.lengths.len()];
        for term in &asked {
            self.add(term, &mut scores);
        }
        let mut found: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(self.ids[*a].cmp(&self.ids[*b])));
        found.iter().take(limit).map(|at| self.ids[*at]).collect()
    }

    fn df(&self, term: &str) -> usize {
        self.postings.get(term).map_or(0, Vec::len)
    }

    fn add(&self, term: &str, scores: &mut [f64]) {
        let (docs, df) = (self.lengths.len() as f64, self.df(term) as f64);
        let idf = (1.0 + (docs - df + 0.5) / (df + 0.5)).ln();
        let mean = self.lengths.iter().map(|len| f64::from(*len)).sum::<f64>() / docs;
        for (at, tf) in self.postings.get(term).into_iter().flatten() {
            let tf = f64::from(*tf);
            let length = 1.0 - self.b + self.b * f64::from(self.lengths[*at]) / mean;
            scores[*at] += idf * tf * (self.k1 + 1.0) / (tf + self.k1 * length);
        }
    }
}

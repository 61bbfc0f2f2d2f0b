//! Holds the vectors against the texts that they were made of: each belongs to a text that is there, is of its model's
//! length and of length one, has the short form that follows from it, and the counts agree.
//!
//! Whether a vector says what its text means is not checked: only the model could tell, and it may be gone.

use crate::error::StoreResult;
use crate::verify::PAGE;
use selfsame_core::id::{AgentId, Id};
use selfsame_core::seal::sha256;
use selfsame_core::vector::Code;
use selfsame_store::vectors::{self, Generation, Stock, Stored, StoredCode};
use selfsame_store::{Engine, Reader};
use std::collections::BTreeMap;

/// Looks at every vector of an agent; gives what does not fit.
pub(crate) fn verify_vectors(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
    let generations = vectors::generations(reader)?;
    let known = |number: i64| generations.iter().find(|known| known.number == number);
    let stocks = vectors::stock(reader, agent)?;
    let mut problems = Vec::new();
    for stock in &stocks {
        match known(stock.generation) {
            Some(generation) => {
                problems.extend(Shelf { agent, generation, stock: *stock }.verify(reader)?);
            }
            None => problems
                .push(format!("vectors are counted of a model {} that is not known", stock.generation)),
        }
    }
    for (generation, kind, count) in vectors::counts(reader, agent)? {
        let is_counted =
            stocks.iter().any(|stock| stock.generation == generation && stock.kind.as_str() == kind);
        if !is_counted {
            problems.push(format!(
                "{count} vectors of the kind {kind} and the model {generation} are not counted"
            ));
        }
    }
    if let Some(used) = vectors::in_use(reader, agent)?.filter(|used| known(*used).is_none()) {
        problems.push(format!("recall looks among vectors of a model {used} that is not known"));
    }
    let with_way_out = |problem| format!("{problem}: `selfsame model embed --anew` makes the vectors again");
    Ok(problems.into_iter().map(with_way_out).collect())
}

/// The vectors of one kind and one model.
struct Shelf<'g> {
    agent: AgentId,
    generation: &'g Generation,
    stock: Stock,
}

/// Short forms by the change that brought them: whose each is, and what it hashes to. All of them as they are would be a
/// quarter of all vectors.
type Codes = BTreeMap<i64, (Id, [u8; 32])>;

impl Shelf<'_> {
    fn verify(&self, reader: &mut Reader) -> StoreResult<Vec<String>> {
        let Stock { generation, kind, live, .. } = self.stock;
        let mut codes = match reader.engine() {
            Engine::Sqlite => Some(self.codes(reader)?),
            Engine::Postgres => None,
        };
        let mut problems = Vec::new();
        let (mut after, mut count) = (Id::NIL, 0);
        loop {
            let page = vectors::page(reader, self.agent, generation, kind, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.item;
            count += page.len() as u64;
            let items: Vec<Id> = page.iter().map(|stored| stored.item).collect();
            let with_text = vectors::with_text(reader, self.agent, kind, &items)?;
            for stored in &page {
                let wrong = match with_text.contains(&stored.item) {
                    true => self.wrong_with(stored),
                    false => Some("belongs to no text".into()),
                };
                let wrong = wrong.or_else(|| wrong_with_code(stored, codes.as_ref()?));
                if let Some(codes) = &mut codes {
                    codes.remove(&stored.seq);
                }
                problems
                    .extend(wrong.map(|wrong| format!("the vector of {} {wrong}", kind.shown(stored.item))));
            }
        }
        for (item, _) in codes.unwrap_or_default().into_values() {
            problems.push(format!("there is a short form of {}, but no vector", kind.shown(item)));
        }
        if count != live {
            problems.push(format!("{live} vectors of {} are counted where {count} are", kind.plural()));
        }
        Ok(problems)
    }

    fn codes(&self, reader: &mut Reader) -> StoreResult<Codes> {
        let Stock { generation, kind, .. } = self.stock;
        let (mut codes, mut after) = (Codes::new(), 0);
        loop {
            let page = vectors::stored_codes(reader, self.agent, generation, kind, after, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(codes);
            };
            after = last.seq;
            let there = page
                .into_iter()
                .filter_map(|StoredCode { seq, item, bytes }| Some((seq, (item, sha256(&[&bytes?])))));
            codes.extend(there);
        }
    }

    fn wrong_with(&self, stored: &Stored) -> Option<String> {
        let (has, should) = (stored.unit.dimensions(), self.generation.dimensions);
        if has != should {
            return Some(format!("has {has} numbers instead of {should}"));
        }
        (!vectors::is_of_length_one(&stored.unit)).then(|| "is not of length one".into())
    }
}

/// Each short form follows from its vector.
fn wrong_with_code(stored: &Stored, codes: &Codes) -> Option<String> {
    match codes.get(&stored.seq) {
        None => Some("has no short form".into()),
        Some((item, hash)) => {
            let fits = *item == stored.item && *hash == sha256(&[&Code::of(&stored.unit).to_bytes()]);
            (!fits).then(|| "has the short form of another".into())
        }
    }
}

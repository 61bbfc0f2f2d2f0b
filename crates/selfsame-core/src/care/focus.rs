//! A theme that the agent chose, and which memories it means.

use crate::id::EntityId;
use crate::memory::Fact;
use crate::recall::fillers::is_filler;
use crate::text::terms;
use std::collections::BTreeSet;

/// A theme, as words and as whom it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Focus {
    terms: BTreeSet<String>,
    people: Vec<EntityId>,
}

impl Focus {
    /// A theme in words, with the people whom they name.
    pub fn of(text: &str, people: Vec<EntityId>) -> Focus {
        let all: BTreeSet<String> = terms(text).into_iter().collect();
        let telling: BTreeSet<String> = all.iter().filter(|term| !is_filler(term)).cloned().collect();
        Focus { terms: if telling.is_empty() { all } else { telling }, people }
    }

    /// Whether it means this memory: one that is about somebody whom it names, or that has half of its words.
    pub fn means(&self, memory: &Fact) -> bool {
        if memory.entity.is_some_and(|entity| self.people.contains(&entity)) {
            return true;
        }
        let mut said: BTreeSet<String> = terms(&memory.content).into_iter().collect();
        said.extend(memory.tags.iter().flat_map(|tag| terms(tag)));
        let found = self.terms.iter().filter(|term| said.contains(*term)).count();
        found > 0 && found * 2 >= self.terms.len()
    }

    /// How many of its words a sentence has.
    pub fn weight(&self, sentence: &BTreeSet<String>) -> usize {
        self.terms.iter().filter(|term| sentence.contains(*term)).count()
    }
}

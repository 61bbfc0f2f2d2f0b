//! What a mind should answer, said a third time and as simply as possible: maps instead of a database, every text
//! looked at instead of an index. Two engines can be wrong together; all three are not.

use selfsame::id::{AgentId, MemoryId, PrincipalId};
use selfsame::recall::features::Features;
use selfsame::recall::fillers::is_filler;
use selfsame::recall::weights::FUSION as WEIGHTS;
use selfsame::text::terms;
use std::collections::{BTreeMap, BTreeSet};

/// BM25's numbers.
const K1: f64 = 0.9;
const B: f64 = 0.4;

/// Who looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Viewer {
    /// The operator.
    Operator(PrincipalId),
    /// Another principal.
    Principal(PrincipalId),
    /// The agent, alone or in somebody's conversation.
    Agent(Option<PrincipalId>),
}

impl Viewer {
    const fn trust(self) -> f64 {
        match self {
            Viewer::Operator(_) => 1.0,
            Viewer::Principal(_) => 0.8,
            Viewer::Agent(_) => 0.5,
        }
    }

    const fn principal(self) -> Option<PrincipalId> {
        match self {
            Viewer::Operator(principal) | Viewer::Principal(principal) => Some(principal),
            Viewer::Agent(principal) => principal,
        }
    }
}

/// A memory, as far as the model cares.
#[derive(Clone, PartialEq, Debug)]
struct Held {
    content: String,
    words: Vec<String>,
    private: bool,
    principal: Option<PrincipalId>,
    trust: f64,
    /// It has a next edition: still counted, no longer found.
    replaced: bool,
}

impl Held {
    fn is_seen_by(&self, viewer: Viewer) -> bool {
        match viewer {
            Viewer::Operator(_) => true,
            Viewer::Principal(principal) => !self.private || self.principal == Some(principal),
            Viewer::Agent(_) => !self.private,
        }
    }

    fn may_be_forgotten_by(&self, viewer: Viewer) -> bool {
        match viewer {
            Viewer::Operator(_) | Viewer::Agent(_) => true,
            Viewer::Principal(principal) => self.principal == Some(principal),
        }
    }
}

/// What becomes of a wish to forget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forgetting {
    /// It is forgotten now.
    Done,
    /// It was forgotten before.
    Gone,
    /// It is not there, or not for this viewer.
    NoSuch,
    /// It is there, and this viewer may not.
    Forbidden,
}

/// What an idempotency key says about a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// It is new.
    New,
    /// It was answered before, with this.
    Answered(String),
    /// The key was used for something else.
    Reused,
}

#[derive(Default)]
struct Mind {
    memories: BTreeMap<MemoryId, Held>,
    forgotten: BTreeSet<MemoryId>,
    replies: BTreeMap<(Viewer, String), (String, String)>,
}

/// Several minds.
#[derive(Default)]
pub struct Model {
    minds: BTreeMap<AgentId, Mind>,
}

impl Model {
    /// A memory is stored; or the same is known, and then this is its id, unless the new one is vouched for better.
    pub fn remember(&mut self, agent: AgentId, id: MemoryId, content: &str, private: bool, by: Viewer) {
        let mind = self.mind(agent);
        let twin = mind.memories.iter_mut().find(|(_, held)| {
            !held.replaced
                && held.content == content
                && held.private == private
                && held.principal == by.principal()
        });
        if let Some((known, held)) = twin {
            if by.trust() <= held.trust {
                assert_eq!(id, *known, "the same fact was stored twice");
                return;
            }
            held.replaced = true;
        }
        let held = Held {
            content: content.to_owned(),
            words: terms(content),
            private,
            principal: by.principal(),
            trust: by.trust(),
            replaced: false,
        };
        let before = mind.memories.insert(id, held);
        assert!(before.is_none(), "{id} was given out twice");
    }

    /// A memory is to go.
    pub fn forget(&mut self, agent: AgentId, id: MemoryId, by: Viewer) -> Forgetting {
        let outcome = self.would_forget(agent, id, by);
        if outcome == Forgetting::Done {
            let mind = self.mind(agent);
            mind.memories.remove(&id);
            mind.forgotten.insert(id);
        }
        outcome
    }

    /// What would become of a wish to forget.
    pub fn would_forget(&mut self, agent: AgentId, id: MemoryId, by: Viewer) -> Forgetting {
        let mind = self.mind(agent);
        match mind.memories.get(&id).filter(|held| held.is_seen_by(by)) {
            Some(held) if held.may_be_forgotten_by(by) => Forgetting::Done,
            Some(_) => Forgetting::Forbidden,
            None if mind.forgotten.contains(&id) => Forgetting::Gone,
            None => Forgetting::NoSuch,
        }
    }

    /// What has any of the question's words, and how well it fits.
    pub fn fits(&self, agent: AgentId, question: &str, by: Viewer) -> BTreeMap<MemoryId, f64> {
        let Some(mind) = self.minds.get(&agent) else {
            return BTreeMap::new();
        };
        let all: BTreeSet<String> = terms(question).into_iter().collect();
        let content: BTreeSet<String> = all.iter().filter(|term| !is_filler(term)).cloned().collect();
        let asked: Vec<String> = if content.is_empty() { all } else { content }.into_iter().collect();
        // What is hidden is no measure for the rest.
        let seen = mind.memories.iter().filter(|(_, held)| held.is_seen_by(by));
        let most = seen.clone().map(|(_, held)| mind.score(held, &asked)).fold(0.0, f64::max);
        let fit = |held: &Held| {
            let words = mind.score(held, &asked) / most;
            // Alone, a text is its own neighbourhood, passage and sitting.
            let Features { coverage, nearby, passage, sitting, statement, phrase, .. } = WEIGHTS;
            let total: f64 = WEIGHTS.list().iter().sum();
            let sum =
                coverage * mind.coverage(held, &asked) + (nearby + passage + sitting) * words + statement;
            let together = phrase * mind.together(held, question, &asked);
            (sum + together + WEIGHTS.words * words) / total
        };
        let found = seen.filter(|(_, held)| !held.replaced && mind.score(held, &asked) > 0.0);
        found.map(|(id, held)| (*id, fit(held))).collect()
    }

    /// Whether this caller used the key before.
    pub fn repetition(&mut self, agent: AgentId, by: Viewer, key: &str, request: &str) -> Repetition {
        match self.mind(agent).replies.get(&(by, key.to_owned())) {
            None => Repetition::New,
            Some((before, reply)) if before == request => Repetition::Answered(reply.clone()),
            Some(_) => Repetition::Reused,
        }
    }

    /// Keeps a reply with its key.
    pub fn answered(&mut self, agent: AgentId, by: Viewer, key: &str, request: &str, reply: &str) {
        self.mind(agent).replies.insert((by, key.to_owned()), (request.to_owned(), reply.to_owned()));
    }

    /// How many memories an agent has.
    pub fn count(&self, agent: AgentId) -> usize {
        self.minds.get(&agent).map_or(0, |mind| mind.memories.len())
    }

    fn mind(&mut self, agent: AgentId) -> &mut Mind {
        self.minds.entry(agent).or_default()
    }
}

/// Words that are asked for and follow each other, with two fillers between at most.
fn pairs(terms: &[String], asked: &[String]) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (place, first) in terms.iter().enumerate().filter(|(_, term)| asked.contains(term)) {
        for away in 1..=3 {
            match terms.get(place + away) {
                Some(second) if asked.contains(second) => {
                    found.insert((first.clone(), second.clone()));
                    break;
                }
                Some(between) if is_filler(between) => {}
                _ => break,
            }
        }
    }
    found
}

impl Mind {
    fn texts_with(&self, term: &str) -> usize {
        self.memories.values().filter(|held| held.words.iter().any(|word| word == term)).count()
    }

    fn rarity(&self, term: &str) -> f64 {
        let (texts, with) = (self.memories.len() as f64, self.texts_with(term) as f64);
        (1.0 + (texts - with + 0.5) / (with + 0.5)).ln()
    }

    /// The share of the question's pairs that the text has, by rarity.
    fn together(&self, held: &Held, question: &str, asked: &[String]) -> f64 {
        let (wanted, there) = (pairs(&terms(question), asked), pairs(&terms(&held.content), asked));
        let wanted = wanted.iter().filter(|(one, other)| one != other);
        let weight = |(one, other): &(String, String)| self.rarity(one) + self.rarity(other);
        let (mut all, mut met) = (0.0, 0.0);
        for pair in wanted {
            all += weight(pair);
            met += if there.contains(pair) { weight(pair) } else { 0.0 };
        }
        if all > 0.0 { met / all } else { 0.0 }
    }

    fn coverage(&self, held: &Held, asked: &[String]) -> f64 {
        let weight =
            |terms: &mut dyn Iterator<Item = &String>| -> f64 { terms.map(|term| self.rarity(term)).sum() };
        weight(&mut asked.iter().filter(|term| held.words.contains(term))) / weight(&mut asked.iter())
    }

    fn score(&self, held: &Held, asked: &[String]) -> f64 {
        let texts = self.memories.len() as f64;
        let words: usize = self.memories.values().map(|held| held.words.len()).sum();
        let relative_length = held.words.len() as f64 / (words as f64 / texts);
        let mut sum = 0.0;
        for term in asked {
            let times = held.words.iter().filter(|word| *word == term).count() as f64;
            if times > 0.0 {
                sum +=
                    self.rarity(term) * (times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * relative_length)));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfsame::id::Id;

    const AGENT: AgentId = AgentId::of(Id::from_bytes([1; 16]));
    const MAYA: PrincipalId = PrincipalId::of(Id::from_bytes([2; 16]));
    const NOAH: PrincipalId = PrincipalId::of(Id::from_bytes([3; 16]));

    const fn memory(number: u8) -> MemoryId {
        MemoryId::of(Id::from_bytes([number; 16]))
    }

    fn ids(found: BTreeMap<MemoryId, f64>) -> Vec<MemoryId> {
        found.into_keys().collect()
    }

    #[test]
    fn more_and_rarer_words_fit_better() {
        let mut model = Model::default();
        model.remember(AGENT, memory(9), "red fox", false, Viewer::Agent(None));
        model.remember(AGENT, memory(8), "red fox", false, Viewer::Agent(Some(MAYA)));
        model.remember(AGENT, memory(7), "red owl", false, Viewer::Agent(None));
        let found = model.fits(AGENT, "a red owl", Viewer::Agent(None));
        assert!(found[&memory(7)] > found[&memory(8)]);
        assert_eq!(found[&memory(8)].to_bits(), found[&memory(9)].to_bits());
        assert_eq!(ids(found), [memory(7), memory(8), memory(9)]);
        assert_eq!(ids(model.fits(AGENT, "walrus", Viewer::Agent(None))), []);
    }

    #[test]
    fn the_same_fact_is_one_unless_it_is_vouched_for_better() {
        let mut model = Model::default();
        model.remember(AGENT, memory(1), "red fox", false, Viewer::Agent(Some(MAYA)));
        model.remember(AGENT, memory(1), "red fox", false, Viewer::Agent(Some(MAYA)));
        model.remember(AGENT, memory(2), "red fox", false, Viewer::Principal(MAYA));
        model.remember(AGENT, memory(2), "red fox", false, Viewer::Agent(Some(MAYA)));
        assert_eq!(model.count(AGENT), 2);
        assert_eq!(ids(model.fits(AGENT, "fox", Viewer::Agent(None))), [memory(2)]);
    }

    #[test]
    fn private_rows_are_their_principals() {
        let mut model = Model::default();
        model.remember(AGENT, memory(1), "fox", true, Viewer::Principal(MAYA));
        for (viewer, sees) in [
            (Viewer::Principal(MAYA), true),
            (Viewer::Operator(NOAH), true),
            (Viewer::Principal(NOAH), false),
            (Viewer::Agent(Some(MAYA)), false),
        ] {
            assert_eq!(!model.fits(AGENT, "fox", viewer).is_empty(), sees, "{viewer:?}");
        }
        assert_eq!(model.forget(AGENT, memory(1), Viewer::Principal(NOAH)), Forgetting::NoSuch);
        assert_eq!(model.forget(AGENT, memory(1), Viewer::Principal(MAYA)), Forgetting::Done);
        assert_eq!(model.forget(AGENT, memory(1), Viewer::Principal(MAYA)), Forgetting::Gone);
        assert_eq!(model.count(AGENT), 0);
    }
}

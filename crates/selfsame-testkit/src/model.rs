//! What a mind should answer, said a third time and as simply as possible: maps instead of a database, every text
//! looked at instead of an index. Two engines can be wrong together; all three are not.

use selfsame::id::{AgentId, MemoryId, PrincipalId};
use selfsame::text::terms;
use std::collections::{BTreeMap, BTreeSet};

/// BM25's numbers, as the default settings have them.
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

    /// What answers a question: the best first, equals by id.
    pub fn recall(&self, agent: AgentId, question: &str, limit: usize, by: Viewer) -> Vec<(MemoryId, f64)> {
        let Some(mind) = self.minds.get(&agent) else {
            return Vec::new();
        };
        let asked = mind.by_rarity(terms(question).into_iter().collect());
        let scored = mind.memories.iter().map(|(id, held)| (*id, held, mind.score(held, &asked)));
        let mut found: Vec<(MemoryId, f64)> = scored
            .filter(|(_, held, score)| *score > 0.0 && !held.replaced && held.is_seen_by(by))
            .map(|(id, _, score)| (id, score))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
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

impl Mind {
    fn texts_with(&self, term: &str) -> usize {
        self.memories.values().filter(|held| held.words.iter().any(|word| word == term)).count()
    }

    /// The order in which scores are summed: sums of floating-point numbers depend on it, and ties must be ties.
    fn by_rarity(&self, terms: BTreeSet<String>) -> Vec<String> {
        let mut asked: Vec<String> = terms.into_iter().collect();
        asked.sort_by_key(|term| self.texts_with(term));
        asked
    }

    fn score(&self, held: &Held, asked: &[String]) -> f64 {
        let texts = self.memories.len() as f64;
        let words: usize = self.memories.values().map(|held| held.words.len()).sum();
        let relative_length = held.words.len() as f64 / (words as f64 / texts);
        let mut sum = 0.0;
        for term in asked {
            let times = held.words.iter().filter(|word| *word == term).count() as f64;
            if times > 0.0 {
                let with = self.texts_with(term) as f64;
                let rarity = (1.0 + (texts - with + 0.5) / (with + 0.5)).ln();
                sum += rarity * (times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * relative_length)));
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

    fn ids(found: Vec<(MemoryId, f64)>) -> Vec<MemoryId> {
        found.into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn rare_words_win_and_ties_go_by_id() {
        let mut model = Model::default();
        model.remember(AGENT, memory(9), "red fox", false, Viewer::Agent(None));
        model.remember(AGENT, memory(8), "red fox", false, Viewer::Agent(Some(MAYA)));
        model.remember(AGENT, memory(7), "red owl", false, Viewer::Agent(None));
        let found = model.recall(AGENT, "a red owl", 10, Viewer::Agent(None));
        assert_eq!(ids(found), [memory(7), memory(8), memory(9)]);
        assert_eq!(model.recall(AGENT, "a red owl", 1, Viewer::Agent(None)).len(), 1);
        assert_eq!(model.recall(AGENT, "walrus", 10, Viewer::Agent(None)), []);
    }

    #[test]
    fn the_same_fact_is_one_unless_it_is_vouched_for_better() {
        let mut model = Model::default();
        model.remember(AGENT, memory(1), "red fox", false, Viewer::Agent(Some(MAYA)));
        model.remember(AGENT, memory(1), "red fox", false, Viewer::Agent(Some(MAYA)));
        model.remember(AGENT, memory(2), "red fox", false, Viewer::Principal(MAYA));
        model.remember(AGENT, memory(2), "red fox", false, Viewer::Agent(Some(MAYA)));
        assert_eq!(model.count(AGENT), 2);
        assert_eq!(ids(model.recall(AGENT, "fox", 9, Viewer::Agent(None))), [memory(2)]);
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
            assert_eq!(!model.recall(AGENT, "fox", 1, viewer).is_empty(), sees, "{viewer:?}");
        }
        assert_eq!(model.forget(AGENT, memory(1), Viewer::Principal(NOAH)), Forgetting::NoSuch);
        assert_eq!(model.forget(AGENT, memory(1), Viewer::Principal(MAYA)), Forgetting::Done);
        assert_eq!(model.forget(AGENT, memory(1), Viewer::Principal(MAYA)), Forgetting::Gone);
        assert_eq!(model.count(AGENT), 0);
    }
}

//! Ports that answer from a script and keep what they were asked.

use selfsame::ports::{Delivery, Embedder, Message, PortError, Prompt, Purpose, Thinker, Thought};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A thinker that gives its replies one after the other.
#[derive(Debug, Default)]
pub struct ScriptedThinker {
    replies: Mutex<VecDeque<Result<Thought, PortError>>>,
    prompts: Mutex<Vec<Prompt>>,
}

impl ScriptedThinker {
    /// With this script.
    pub fn new(replies: impl IntoIterator<Item = Result<&'static str, PortError>>) -> ScriptedThinker {
        let replies = replies.into_iter().map(|reply| reply.map(thought)).collect();
        ScriptedThinker { replies: Mutex::new(replies), prompts: Mutex::default() }
    }

    /// What it was asked, in order.
    pub fn prompts(&self) -> Vec<Prompt> {
        locked(&self.prompts).clone()
    }
}

/// One token per word: near enough for a budget in a test.
fn thought(text: &str) -> Thought {
    let tokens = text.split_whitespace().count();
    Thought { text: text.to_owned(), tokens: u32::try_from(tokens).unwrap_or(u32::MAX) }
}

impl Thinker for ScriptedThinker {
    fn name(&self) -> &str {
        "scripted"
    }

    fn think(&self, prompt: &Prompt) -> Result<Thought, PortError> {
        locked(&self.prompts).push(prompt.clone());
        let reply = locked(&self.replies).pop_front();
        reply.unwrap_or_else(|| Err(PortError::Lasting("the script has no further reply".into())))
    }
}

/// An embedder whose vectors follow from the words alone: texts that share words point the same way.
#[derive(Debug, Default)]
pub struct ScriptedEmbedder {
    failures: Mutex<VecDeque<PortError>>,
    texts: Mutex<Vec<String>>,
}

impl ScriptedEmbedder {
    /// Numbers in a vector.
    pub const DIMENSIONS: usize = 16;

    /// Fails so many times before it works.
    pub fn failing(failures: impl IntoIterator<Item = PortError>) -> ScriptedEmbedder {
        ScriptedEmbedder { failures: Mutex::new(failures.into_iter().collect()), texts: Mutex::default() }
    }

    /// What it was asked to embed, in order.
    pub fn texts(&self) -> Vec<String> {
        locked(&self.texts).clone()
    }
}

impl Embedder for ScriptedEmbedder {
    fn model(&self) -> &str {
        "scripted-1"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(Self::DIMENSIONS)
    }

    fn is_at_hand(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        if let Some(failure) = locked(&self.failures).pop_front() {
            return Err(failure);
        }
        locked(&self.texts).extend(texts.iter().map(|&text| text.to_owned()));
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

/// A bag of words, each counted at a place that its letters choose; never zero.
fn vector(text: &str) -> Vec<f32> {
    let mut numbers = vec![0.0; ScriptedEmbedder::DIMENSIONS];
    numbers[0] = 0.001;
    for word in text.split_whitespace() {
        let sum: usize = word.bytes().map(usize::from).sum();
        numbers[sum % ScriptedEmbedder::DIMENSIONS] += 1.0;
    }
    numbers
}

/// A channel that keeps what it carries.
#[derive(Debug)]
pub struct RecordingDelivery {
    channel: &'static str,
    failures: Mutex<VecDeque<PortError>>,
    delivered: Mutex<Vec<Message>>,
}

impl Default for RecordingDelivery {
    fn default() -> RecordingDelivery {
        RecordingDelivery::failing([])
    }
}

impl RecordingDelivery {
    /// Fails so many times before it works.
    pub fn failing(failures: impl IntoIterator<Item = PortError>) -> RecordingDelivery {
        RecordingDelivery {
            channel: "recording",
            failures: Mutex::new(failures.into_iter().collect()),
            delivered: Mutex::default(),
        }
    }

    /// Under another name.
    pub fn named(self, channel: &'static str) -> RecordingDelivery {
        RecordingDelivery { channel, ..self }
    }

    /// What arrived, in order.
    pub fn delivered(&self) -> Vec<Message> {
        locked(&self.delivered).clone()
    }
}

impl Delivery for RecordingDelivery {
    fn channel(&self) -> &str {
        self.channel
    }

    fn deliver(&self, message: &Message) -> Result<(), PortError> {
        if let Some(failure) = locked(&self.failures).pop_front() {
            return Err(failure);
        }
        locked(&self.delivered).push(message.clone());
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn prompt(instructions: &str) -> Prompt {
        Prompt {
            instructions: instructions.into(),
            material: String::new(),
            max_tokens: 10,
            timeout: Duration::from_secs(1),
        }
    }

    #[test]
    fn a_thinker_follows_its_script_and_keeps_the_prompts() {
        let busy = PortError::Passing("busy".into());
        let thinker = ScriptedThinker::new([Ok("two words"), Err(busy.clone())]);
        assert_eq!(thinker.think(&prompt("first")), Ok(Thought { text: "two words".into(), tokens: 2 }));
        assert_eq!(thinker.think(&prompt("second")), Err(busy));
        assert!(matches!(thinker.think(&prompt("third")), Err(PortError::Lasting(_))));
        let asked: Vec<String> = thinker.prompts().into_iter().map(|prompt| prompt.instructions).collect();
        assert_eq!(asked, ["first", "second", "third"]);
    }

    #[test]
    fn an_embedder_gives_one_vector_per_text() {
        let embedder = ScriptedEmbedder::failing([PortError::Passing("loading".into())]);
        assert!(embedder.embed(&["lost"], Purpose::Text).is_err());
        let vectors = embedder.embed(&["red fox", "fox red", ""], Purpose::Text).unwrap();
        assert_eq!(vectors.len(), 3);
        assert_eq!(vectors[0], vectors[1], "the order of words does not matter");
        assert!(
            vectors
                .iter()
                .all(|vector| Some(vector.len()) == embedder.dimensions() && vector.iter().any(|n| *n != 0.0))
        );
        assert_eq!(embedder.texts(), ["red fox", "fox red", ""]);
    }

    #[test]
    fn a_delivery_keeps_what_arrived_and_nothing_else() {
        let delivery = RecordingDelivery::failing([PortError::Passing("offline".into())]);
        let message = Message { id: "m1".into(), body: "{}".into() };
        assert!(delivery.deliver(&message).is_err());
        assert_eq!(delivery.deliver(&message), Ok(()));
        assert_eq!(delivery.delivered(), [message]);
    }
}

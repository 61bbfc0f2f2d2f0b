//! Ports that answer from a script and keep what they were asked.

use selfsame::ports::{
    CallOutcome, Delivery, Desk, Embedder, Fault, FaultKind, Message, PortError, Prompt, Purpose, Thinker,
    Thinkers, Thought, ToolAnswer, ToolCard, WorkKind,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a scripted thinker does when it is asked.
type Act = dyn Fn(&Prompt, &dyn Desk) -> Result<String, Fault> + Send + Sync;

/// A thinker that gives its replies one after the other, or does what it is told to do each time.
pub struct ScriptedThinker {
    replies: Mutex<VecDeque<Result<String, Fault>>>,
    then: Option<Box<Act>>,
    prompts: Mutex<Vec<Prompt>>,
}

impl ScriptedThinker {
    /// With this script.
    pub fn new(replies: impl IntoIterator<Item = Result<&'static str, Fault>>) -> ScriptedThinker {
        let replies = replies.into_iter().map(|reply| reply.map(str::to_owned)).collect();
        ScriptedThinker { replies: Mutex::new(replies), then: None, prompts: Mutex::default() }
    }

    /// One that does the same each time, with the desk at hand.
    pub fn acting(
        act: impl Fn(&Prompt, &dyn Desk) -> Result<String, Fault> + Send + Sync + 'static,
    ) -> ScriptedThinker {
        ScriptedThinker { then: Some(Box::new(act)), ..ScriptedThinker::new([]) }
    }

    /// What it was asked, in order.
    pub fn prompts(&self) -> Vec<Prompt> {
        locked(&self.prompts).clone()
    }

    fn reply(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<String, Fault> {
        let next = locked(&self.replies).pop_front();
        match (next, &self.then) {
            (Some(reply), _) => reply,
            (None, Some(act)) => act(prompt, desk),
            (None, None) => Err(Fault::new(FaultKind::Misconfigured, "the script has no further reply")),
        }
    }
}

impl Thinker for ScriptedThinker {
    fn name(&self) -> &str {
        "model"
    }

    fn model(&self) -> Option<&str> {
        Some("scripted")
    }

    /// One token per word, asked and answered: near enough for a budget in a test.
    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        locked(&self.prompts).push(prompt.clone());
        let text = self.reply(prompt, desk)?;
        let words = |text: &str| text.split_whitespace().count() as u64;
        desk.spent_at_last(words(&prompt.instructions) + words(&prompt.material) + words(&text))?;
        Ok(Thought { text, model: None })
    }
}

/// The same thinker for everybody and everything.
pub struct OneThinker(pub Arc<ScriptedThinker>);

impl Thinkers for OneThinker {
    fn thinker(&self, _agent: &str, _work: WorkKind) -> Result<Arc<dyn Thinker>, Fault> {
        Ok(Arc::<ScriptedThinker>::clone(&self.0))
    }
}

/// A desk with nothing on it.
pub struct EmptyDesk;

impl Desk for EmptyDesk {
    fn tools(&self) -> Vec<ToolCard> {
        Vec::new()
    }

    fn call(&self, tool: &str, _arguments: &str) -> ToolAnswer {
        ToolAnswer { text: format!("there is no tool {tool}"), outcome: CallOutcome::Refused }
    }

    fn spent(&self, _tokens: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn time_left(&self) -> Duration {
        Duration::from_secs(600)
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
        let busy = Fault::new(FaultKind::Busy, "busy");
        let thinker = ScriptedThinker::new([Ok("two words"), Err(busy.clone())]);
        let thought = |text: &str| Ok(Thought { text: text.into(), model: None });
        assert_eq!(thinker.think(&prompt("first"), &EmptyDesk), thought("two words"));
        assert_eq!(thinker.think(&prompt("second"), &EmptyDesk), Err(busy));
        assert!(thinker.think(&prompt("third"), &EmptyDesk).is_err());
        let asked: Vec<String> = thinker.prompts().into_iter().map(|prompt| prompt.instructions).collect();
        assert_eq!(asked, ["first", "second", "third"]);
        let acting = ScriptedThinker::acting(|_, desk| Ok(desk.call("dig", "{}").text));
        assert_eq!(acting.think(&prompt("go"), &EmptyDesk), thought("there is no tool dig"));
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

//! A real language model, small but not scripted: what we ask is what such servers take.

use crate::desk::PlayedDesk;
use selfsame::ports::Prompt;
use selfsame_daemon::thinkers::{Kind, Provider, ThinkerSpec, thinker};
use selfsame_testkit::language_model_url;
use std::time::Duration;

fn ask(provider: Provider, desk: &PlayedDesk) -> String {
    let spec = ThinkerSpec {
        model: Some("smollm2".into()),
        url: Some(format!("{}/v1", language_model_url())),
        ..ThinkerSpec::of(Kind::Model(provider))
    };
    let prompt = Prompt {
        instructions: "Answer in one short sentence.".into(),
        material: "What colour is the sky on a clear day?".into(),
        max_tokens: 12,
        timeout: Duration::from_secs(120),
    };
    let thought = thinker(&spec).unwrap().think(&prompt, desk).unwrap();
    assert!(!thought.text.trim().is_empty());
    assert!(thought.model.is_some(), "it says what it is");
    thought.text
}

#[test]
fn a_real_model_is_asked_as_openai_is() {
    let desk = PlayedDesk::default();
    let text = ask(Provider::OpenAi, &desk);
    // The prompt has two dozen tokens, the answer a dozen at most.
    assert!((15..100).contains(&desk.spent_so_far()), "{} for {text:?}", desk.spent_so_far());
}

#[test]
fn a_real_model_is_asked_as_anthropic_is() {
    let desk = PlayedDesk::default();
    let text = ask(Provider::Anthropic, &desk);
    assert!((15..100).contains(&desk.spent_so_far()), "{} for {text:?}", desk.spent_so_far());
}

//! The real language model that tests ask.

/// Where a small language model answers as OpenAI and as Anthropic do, as `cargo xtask pg` starts it.
pub fn language_model_url() -> String {
    std::env::var("SELFSAME_TEST_LLM").unwrap_or_else(|_| {
        panic!(
            "SELFSAME_TEST_LLM is not set, so there is no language model to ask: run `cargo xtask test`, or take what \
             `cargo xtask pg` prints"
        )
    })
}

//! How we ask others over HTTP.

/// No redirect is followed, so that what is sent (texts, keys, nudges) goes nowhere but where it was sent; and no proxy is
/// taken from the environment, which is read in one place of the house and not in a library.
pub(crate) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("selfsame/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

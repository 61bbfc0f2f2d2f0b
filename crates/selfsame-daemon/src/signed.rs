//! How a body is signed, so that its receiver knows whose it is.

use selfsame::config::Secret;
use selfsame::seal::{hex, hmac_sha256};
use selfsame::time::Time;

/// The headers that go with a body: when it was sent, and the signature if there is a secret to sign with. With the moment
/// in it, what was overheard cannot be sent again later unseen.
pub(crate) fn headers(secret: Option<&Secret>, now: Time, body: &str) -> Vec<(&'static str, String)> {
    let sent_at = now.micros().div_euclid(1_000_000).to_string();
    let signature = secret.map(|secret| ("x-selfsame-signature", signature(secret, &sent_at, body)));
    [("x-selfsame-timestamp", sent_at)].into_iter().chain(signature).collect()
}

fn signature(secret: &Secret, sent_at: &str, body: &str) -> String {
    let parts = [sent_at.as_bytes(), b".", body.as_bytes()];
    format!("sha256={}", hex(&hmac_sha256(secret.reveal().as_bytes(), &parts)))
}

//! Secrets among the settings: a database URL, and how it is shown without its password; a key, which is not shown.

use std::fmt;

use super::spelling::SERVER_URL;

/// The keys whose values may hold a secret, and where in them it is. Nothing of theirs is printed but through [`shown`].
const SECRET_KEYS: [(&str, Hidden); 12] = [
    ("database.url", Hidden::Password),
    ("database.owner_url", Hidden::Password),
    ("embedder.url", Hidden::Password),
    ("embedder.key", Hidden::Whole),
    ("heartbeat.webhook_url", Hidden::Path),
    ("heartbeat.webhook_secret", Hidden::Whole),
    ("contemplation.seasoning_url", Hidden::Password),
    ("thinker.url", Hidden::Password),
    ("thinker.key", Hidden::Whole),
    ("thinker.webhook_url", Hidden::Path),
    ("thinker.webhook_secret", Hidden::Whole),
    (SERVER_URL, Hidden::Path),
];

/// What of a value is hidden.
#[derive(Clone, Copy)]
enum Hidden {
    /// All of it.
    Whole,
    /// The password of a URL.
    Password,
    /// What follows the host of a URL: many a webhook is known by nothing but its path.
    Path,
}

/// What stands in place of a secret.
const MASK: &str = "***";

/// A PostgreSQL URL. Prints masked, also with `{:?}`: the password is had by [`DatabaseUrl::reveal`] alone.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Takes a URL with PostgreSQL's scheme; nothing for any other text.
    pub fn new(url: &str) -> Option<Self> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"))?;
        (!rest.is_empty()).then(|| Self(url.to_owned()))
    }

    /// The URL with its password, to connect with.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked(&self.0))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

/// A key. Prints masked, also with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As it is, to be sent.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({MASK})")
    }
}

/// The value of a key that may hold a secret, without it; none if the key holds no secret.
pub(super) fn shown(key: &str, text: &str) -> Option<String> {
    let (_, hidden) = SECRET_KEYS.iter().find(|(secret, _)| *secret == key)?;
    Some(match hidden {
        _ if text.is_empty() => String::new(),
        Hidden::Whole => MASK.to_owned(),
        Hidden::Password => masked(text),
        Hidden::Path => without_path(text),
    })
}

/// A user before the host could be a secret as well.
fn without_path(text: &str) -> String {
    let parts = text.split_once("://").map(|(scheme, rest)| (scheme, rest.split(['/', '?', '#']).next()));
    match parts {
        Some((scheme, Some(host))) if !text.contains('@') => format!("{scheme}://{host}/{MASK}"),
        _ => MASK.to_owned(),
    }
}

/// The URL without its password. Text that is no URL is masked whole: nobody can say where its secret is.
fn masked(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return MASK.to_owned();
    };
    let rest = without_password(rest);
    match rest.split_once('?') {
        Some((rest, parameters)) => format!("{scheme}://{rest}?{}", without_password_parameters(parameters)),
        None => format!("{scheme}://{rest}"),
    }
}

/// Masks from the first `:` to the last `@`: a password with an unescaped `@`, `/` or `?` must not show its rest.
fn without_password(text: &str) -> String {
    match (text.find(':'), text.rfind('@')) {
        (Some(colon), Some(at)) if colon < at => format!("{}:{MASK}{}", &text[..colon], &text[at..]),
        _ => text.to_owned(),
    }
}

/// `password` and `sslpassword` may stand among the parameters as well; an escaped name could be either.
fn without_password_parameters(parameters: &str) -> String {
    let hides = |name: &str| name.to_ascii_lowercase().contains("pass") || name.contains('%');
    let masked = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if hides(name) => format!("{name}={MASK}"),
        _ => parameter.to_owned(),
    };
    parameters.split('&').map(masked).collect::<Vec<_>>().join("&")
}

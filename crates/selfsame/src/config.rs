//! Configuration: four layers of settings, resolved once into a ready struct.
//!
//! Here live the layers (`config/default.toml` < file < environment < flag), which one won for each key, and the
//! errors about them. What each setting means and which values it takes is in `settings`. Not here: reading files or
//! the environment (the caller hands over texts and pairs, so that every case can be tested), and finding the data
//! folder or the agent of one command, whose variables are passed over ([`RESERVED_VARIABLES`]).

mod error;
mod known;
mod mask;
mod settings;
mod spelling;
mod text;
mod thinking;
mod value;

pub use error::ConfigError;
pub use known::{RESERVED_PREFIX, RESERVED_VARIABLES, variable_of, variables};
pub use mask::{DatabaseUrl, Secret};
pub use settings::{
    AgentSettings, BackupSettings, CHANNELS, DatabaseSettings, EmbedderKind, EmbedderSettings,
    HeartbeatSettings, KnowledgeSettings, LogLevel, LogSettings, MemorySettings, RecallSettings,
    SelfCareSettings, ServerSettings, Settings, TlsSettings,
};
pub use thinking::{
    ContemplationSettings, LessonSettings, OwnSettings, ThinkerKind, ThinkerProvider, ThinkerSettings,
    ToolServer,
};
pub use value::Origin;

pub(crate) use spelling::DEFAULTS;
use spelling::Meant;
use value::{Given, Value, Values};

/// The first layer: the commented file with every setting and its default, as it is shipped.
pub const DEFAULT_TOML: &str = include_str!("../../../config/default.toml");

/// The layers above the defaults, as far as they were handed over.
///
/// The kind of a layer decides which one wins, not the order of the calls; of two files the later one wins.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    files: Vec<Values>,
    environment: Values,
    flags: Values,
}

/// The settings that hold, and where each of them came from.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The settings, ready for use.
    pub settings: Settings,
    values: Values,
}

/// One line of [`Resolved::explain`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The key, such as `server.address`.
    pub key: String,
    /// The value as one would write it in the TOML file, secrets masked.
    pub value: String,
    /// The layer that won.
    pub origin: Origin,
}

impl Layers {
    /// The defaults alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the text of a settings file: JSON when `label` (its name, for messages) ends in `.json`, else TOML.
    ///
    /// # Errors
    /// When the text does not parse, gives a key twice or has a key that is not known.
    pub fn file(mut self, label: &str, text: &str) -> Result<Self, ConfigError> {
        let mut layer = Values::new();
        for entry in text::read(label, text)? {
            let origin = Origin::File { name: label.to_owned(), line: entry.line };
            let meant = spelling::meant(&entry.key).ok_or_else(|| known::unknown_key(&entry.key, &origin))?;
            add(&mut layer, meant, &entry.key, entry.given, origin)?;
        }
        self.files.push(layer);
        Ok(self)
    }

    /// Adds environment variables. Those of other programs and [`RESERVED_VARIABLES`] are passed over.
    ///
    /// # Errors
    /// When a variable has our prefix and is not a setting: it is most likely a misspelt one.
    pub fn env<N, V>(mut self, variables: impl IntoIterator<Item = (N, V)>) -> Result<Self, ConfigError>
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        for (name, value) in variables {
            let name = name.as_ref();
            if !known::concerns_settings(name) {
                continue;
            }
            let key = known::key_of_variable(name).ok_or_else(|| known::unknown_variable(name))?;
            let origin = Origin::Environment { name: name.to_owned() };
            add(&mut self.environment, Meant::plainly(key), key, typed(key, value.as_ref()), origin)?;
        }
        Ok(self)
    }

    /// Adds one setting from the command line, by its key (`server.address`).
    ///
    /// # Errors
    /// When the key is not known or was given by a flag before.
    pub fn flag(mut self, key: &str, value: &str) -> Result<Self, ConfigError> {
        let origin = Origin::Flag { key: key.to_owned() };
        let meant = spelling::meant(key).ok_or_else(|| known::unknown_key(key, &origin))?;
        let given = typed(meant.rule, value);
        add(&mut self.flags, meant, key, given, origin)?;
        Ok(self)
    }

    /// Lays the layers over each other and reads the settings.
    ///
    /// # Errors
    /// When a value has the wrong type or is out of its range, also one that a later layer hides: it would come to
    /// light on the day that layer is taken away.
    pub fn resolve(self) -> Result<Resolved, ConfigError> {
        let mut values = known::defaults();
        let mut settings = Settings::read(&values)?;
        for layer in self.files.into_iter().chain([self.environment, self.flags]) {
            values.extend(layer);
            settings = Settings::read(&values)?;
        }
        Ok(Resolved { settings, values })
    }
}

impl Resolved {
    /// Every key in the order of `config/default.toml`, with its value and where it came from; then by name what not
    /// everybody has: what counts for one agent, and servers of tools.
    pub fn explain(&self) -> Vec<Explained> {
        let of_all: Vec<&str> = known::keys().collect();
        let others = self.values.keys().map(String::as_str).filter(|key| !of_all.contains(key));
        let explained = |key: &str| {
            let value = self.values.get(key)?;
            Some(Explained { key: key.to_owned(), value: value.shown(), origin: value.origin.clone() })
        };
        of_all.iter().copied().chain(others).filter_map(explained).collect()
    }

    /// Where the value of this key came from; nothing when nobody gave it.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.values.get(&spelling::meant(key)?.kept).map(|value| &value.origin)
    }
}

/// Adds a value to one layer; twice the same key in one layer leaves open which is meant.
fn add(
    layer: &mut Values,
    meant: Meant,
    written: &str,
    given: Given,
    origin: Origin,
) -> Result<(), ConfigError> {
    let written = written.to_owned();
    match layer.get(&meant.kept) {
        Some(before) if before.written == written => Err(ConfigError::Duplicate { key: written, origin }),
        Some(before) => Err(ConfigError::Both {
            key: written,
            origin,
            other: format!("`{}` ({})", before.written, before.origin),
        }),
        None => {
            layer.insert(meant.kept, Value { given, origin, written, rule: meant.rule });
            Ok(())
        }
    }
}

/// Environment and flags carry bare text: it is taken as the type the default has. What does not parse stays text,
/// and is refused with the others of a wrong type.
fn typed(key: &str, text: &str) -> Given {
    let number = match known::default_of(key) {
        Some(Given::Integer(_)) => text.parse().ok().map(Given::Integer),
        Some(Given::Float(_)) => text.parse().ok().map(Given::Float),
        Some(Given::Boolean(_)) => text.parse().ok().map(Given::Boolean),
        _ => None,
    };
    number.unwrap_or_else(|| Given::Text(text.to_owned()))
}

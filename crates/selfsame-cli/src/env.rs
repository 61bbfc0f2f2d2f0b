//! The environment: every variable that selfsame reads, in one place. Nothing else asks for any.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `SELFSAME_DATA` | the data folder |
//! | `SELFSAME_AGENT` | which agent |
//! | `SELFSAME_DB` | PostgreSQL instead of the file |
//! | `SELFSAME_DB_OWNER` | the role that owns the tables |
//! | `SELFSAME_CONFIG` | the settings file |
//! | `SELFSAME_KEY` | reserved for clients of the daemon |
//! | `SELFSAME_<SECTION>_<KEY>` | a setting, such as `SELFSAME_SERVER_ADDRESS` |
//! | `NO_COLOR` | no colours, whatever the terminal |
//! | `XDG_DATA_HOME`, `HOME` | where the platform's usual place is |

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the environment says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// Everything that begins with `SELFSAME_`.
    pub(crate) ours: BTreeMap<String, String>,
    /// The platform's usual place for data.
    pub(crate) usual_place: Option<PathBuf>,
}

impl Environment {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.ours
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }
}

/// Reads it once.
pub(crate) fn read() -> Environment {
    let ours = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
        .filter(|(name, _)| name.starts_with("SELFSAME_"))
        .collect();
    Environment {
        ours,
        usual_place: usual_place(),
    }
}

/// Whether colours were asked not to be used.
pub(crate) fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn usual_place() -> Option<PathBuf> {
    let folder = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let home = folder("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support/selfsame"));
    }
    folder("XDG_DATA_HOME")
        .or_else(|| home.map(|home| home.join(".local/share")))
        .map(|place| place.join("selfsame"))
}

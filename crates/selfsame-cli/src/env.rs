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
//! | `SELFSAME_TEST_FAULT` | for tests only: `point:n` ends the daemon at the n-th passing of a named point |
//! | `NO_COLOR` | no colours, whatever the terminal |
//! | `XDG_DATA_HOME`, `HOME` | where the platform's usual place is |

use selfsame::{FAULT_POINTS, Fault, Faults};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

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
        self.ours.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Where the daemon shall die, for the test that kills it at every point; nowhere unless that test says so.
    pub(crate) fn planned_death(&self) -> Result<Faults, String> {
        self.get("SELFSAME_TEST_FAULT").map_or(Ok(Faults::default()), death_at)
    }
}

fn death_at(text: &str) -> Result<Faults, String> {
    let parsed = text
        .split_once(':')
        .and_then(|(point, nth)| Some((point, nth.parse::<u64>().ok().filter(|nth| *nth > 0)?)))
        .filter(|(point, _)| FAULT_POINTS.contains(point));
    let Some((point, nth)) = parsed else {
        return Err(format!(
            "SELFSAME_TEST_FAULT={text} is no fault: write point:n with a point of {}",
            FAULT_POINTS.join(", ")
        ));
    };
    let (point, passed) = (point.to_owned(), AtomicU64::new(0));
    Ok(Faults::planned(move |at| {
        let is_it = at == point && passed.fetch_add(1, Ordering::SeqCst) + 1 == nth;
        is_it.then_some(Fault::Die)
    }))
}

/// Reads it once.
pub(crate) fn read() -> Environment {
    let ours = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
        .filter(|(name, _)| name.starts_with("SELFSAME_"))
        .collect();
    Environment { ours, usual_place: usual_place() }
}

/// Whether colours were asked not to be used.
pub(crate) fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn usual_place() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = folder("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support/selfsame"));
    }
    folder("XDG_DATA_HOME")
        .or_else(|| home.map(|home| home.join(".local/share")))
        .map(|place| place.join("selfsame"))
}

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
//! | `SELFSAME_TEST_FAULT` | for tests only: `point:n` ends the daemon at the n-th passing of a named point, `point:n:stop` stops it |
//! | `SELFSAME_TEST_PATIENCE` | for tests only: how many milliseconds a hook may take, on a machine that is busy with tests |
//! | `VISUAL`, `EDITOR` | what texts are edited with |
//! | `NO_COLOR` | no colours, whatever the terminal |
//! | `XDG_DATA_HOME`, `HOME` | where the platform's usual place is |
//! | `XDG_CONFIG_HOME`, `HOME` | where other programs keep their settings |
//! | `PATH` | where `systemctl` or `launchctl` is |

use crate::connect::clients::Homes;
use selfsame::{FAULT_POINTS, Fault, Faults};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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

    /// How long a hook may take, if a test says so.
    pub(crate) fn hook_patience(&self) -> Option<Duration> {
        self.get("SELFSAME_TEST_PATIENCE")?.parse().ok().map(Duration::from_millis)
    }

    /// Where the daemon shall die or stop, for the tests that do it at every point; nowhere unless such a test says so.
    pub(crate) fn planned_fault(&self) -> Result<Faults, String> {
        let Some(text) = self.get("SELFSAME_TEST_FAULT") else {
            return Ok(Faults::default());
        };
        Plan::parse(text).map(Plan::faults).ok_or_else(|| {
            format!(
                "SELFSAME_TEST_FAULT={text} is no fault: write point:n, or point:n:stop, with a point of {}",
                FAULT_POINTS.join(", ")
            )
        })
    }
}

/// A fault at the n-th passing of a point.
struct Plan {
    point: String,
    nth: u64,
    /// Stops the process, until somebody lets it go on, instead of ending it.
    stops: bool,
}

impl Plan {
    fn parse(text: &str) -> Option<Plan> {
        let mut words = text.split(':');
        let (point, nth) = (words.next()?, words.next()?.parse().ok()?);
        let stops = match words.next() {
            None => false,
            Some("stop") => true,
            Some(_) => return None,
        };
        let fits = nth > 0 && FAULT_POINTS.contains(&point) && words.next().is_none();
        fits.then(|| Plan { point: point.to_owned(), nth, stops })
    }

    fn faults(self) -> Faults {
        let passed = AtomicU64::new(0);
        Faults::planned(move |at| {
            let is_it = at == self.point && passed.fetch_add(1, Ordering::SeqCst) + 1 == self.nth;
            if is_it && self.stops {
                stop_here();
            }
            (is_it && !self.stops).then_some(Fault::Die)
        })
    }
}

/// The whole process stands still, all of its threads, as on a machine that was put to sleep.
fn stop_here() {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::STOP);
    // The signal may reach another thread first; this one must not run on until it has.
    std::thread::sleep(Duration::from_millis(20));
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

/// What texts are edited with, if anybody said so: a program, perhaps with arguments.
pub(crate) fn editor() -> Option<String> {
    let named = |name| std::env::var_os(name)?.into_string().ok().filter(|value| !value.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// Where other programs of this user keep their settings.
pub(crate) fn homes() -> Option<Homes> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = folder("HOME")?;
    let dot_config = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let settings = match cfg!(target_os = "macos") {
        true => home.join("Library/Application Support"),
        false => dot_config.clone(),
    };
    Some(Homes { home, settings, dot_config })
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

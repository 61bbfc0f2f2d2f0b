//! What there is to speak of: our own signals and those of the operator's folder, for one principal.
//!
//! Nothing here decides whether to speak. A signal of the operator's own that is broken is named and left out; the others
//! are looked for all the same.

use crate::error::Result;
use crate::mind::{Access, Mind};
use crate::principal::Principal;
use selfsame_core::heartbeat::{Finding, Signal};
use selfsame_core::id::AgentId;
use selfsame_core::time::{Time, Zone};
use selfsame_store::signals::{self, Bounds, Custom, TIME_LIMIT};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of one file, at most: a signal is a page of SQL.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// A signal of the operator's own that cannot be used, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenSignal {
    /// Its file's name, without the ending.
    pub name: String,
    /// What is wrong, and what to do.
    pub error: String,
}

/// What was looked for and found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Seen {
    /// Every signal that could be asked for, with what it found; nothing, if that is nothing.
    pub found: Vec<(Signal, Vec<Finding>)>,
    /// Those of the operator's own that could not.
    pub broken: Vec<BrokenSignal>,
}

impl Access<'_> {
    /// Looks for all signals of a principal, as they are now. `acted_at` is when the heart last spoke up.
    pub fn look_for_signals(&self, principal: &Principal, acted_at: Option<Time>) -> Result<Seen> {
        let zone = Zone::parse(&principal.zone)?;
        let scans = self.mind.settings.heartbeat.scans();
        let bounds = Bounds::at(self.mind.now(), &zone, acted_at, self.agent.operator, scans);
        let agent = self.agent.id;
        let found = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| signals::scan(reader, agent, principal.id, &bounds))?;
        let own = self.mind.ask_own_signals(&self.mind.own_signals(), agent, principal, &bounds);
        Ok(Seen { found: found.into_iter().chain(own.found).collect(), broken: own.broken })
    }
}

/// The signals in the operator's folder, by their names: read once for all hearts that beat together.
pub(crate) struct OwnSignals(Vec<(String, std::result::Result<Custom, String>)>);

impl OwnSignals {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Mind {
    /// The signals in the operator's folder, as they are now.
    pub(crate) fn own_signals(&self) -> OwnSignals {
        let files = self.signals.as_deref().map(files_in).unwrap_or_default();
        let parsed = |(name, read): File| {
            let custom = read.and_then(|text| Custom::parse(&name, &text));
            (name, custom)
        };
        OwnSignals(files.into_iter().map(parsed).collect())
    }

    /// What the operator's own signals find.
    pub(crate) fn ask_own_signals(
        &self,
        OwnSignals(own): &OwnSignals,
        agent: AgentId,
        principal: &Principal,
        bounds: &Bounds,
    ) -> Seen {
        let mut seen = Seen::default();
        for (name, custom) in own {
            let found = custom.as_ref().map_err(Clone::clone).and_then(|custom| {
                let found = self.store.scan_custom(custom, agent, principal.id, bounds, TIME_LIMIT)?;
                Ok((custom.signal.clone(), found))
            });
            match found {
                Ok(found) => seen.found.push(found),
                Err(error) => seen.broken.push(BrokenSignal { name: name.clone(), error }),
            }
        }
        seen
    }
}

type File = (String, std::result::Result<String, String>);

/// The signals in a folder by their names, each with its text or why it cannot be read. No folder, no signals.
fn files_in(folder: &Path) -> Vec<File> {
    let listed = match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => Err(error),
    };
    let entries = match listed {
        Ok(entries) => entries,
        Err(error) => return vec![(folder.display().to_string(), Err(error.to_string()))],
    };
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "sql"));
    paths.sort();
    paths.iter().map(|path| (name_of(path), text_of(path))).collect()
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn text_of(path: &Path) -> std::result::Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("the file has {size} bytes, and a signal at most {MAX_FILE_BYTES}: shorten it"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

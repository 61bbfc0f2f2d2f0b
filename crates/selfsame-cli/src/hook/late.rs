//! What could not be filed in time: kept in the data folder, one file each, and filed by the next hook that gets through. Under
//! the key that it had: if the daemon was only slow to answer, it is not filed twice.

use super::Event;
use super::told::Told;
use crate::settings::Resolution;
use selfsame::DataFolder;
use selfsame_daemon::Failure;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// So many are kept, at most: without end it would only grow while nobody looks.
const MOST_KEPT: usize = 200;
/// So many are filed by one hook, which has a deadline.
const MOST_AT_ONCE: usize = 8;

#[derive(Serialize)]
struct Kept<'k> {
    agent: &'k str,
    #[serde(flatten)]
    told: &'k Told,
}

/// Keeps what was told; says whether it is kept.
pub(crate) fn keep(resolution: &Resolution, told: &Told) -> bool {
    let files = resolution.home.settings.host.file_messages && told.event != Event::SessionStart;
    if !files {
        return false;
    }
    let folder = place(resolution);
    // For whom it is, so that it goes with them if they are forgotten.
    let kept = Kept { agent: &resolution.agent, told };
    let Ok(text) = serde_json::to_string(&kept) else { return false };
    // The data folder itself is nobody's to make here.
    if !resolution.home.data.is_dir() || waiting(&folder).len() >= MOST_KEPT {
        return false;
    }
    let file = folder.join(format!("{}.json", told.call));
    let _ = fs::create_dir(&folder);
    DataFolder::write_secret(&file, &text).is_ok()
}

/// Files what is kept, the oldest first, until something does not get through.
pub(crate) fn deliver(resolution: &Resolution, file: impl Fn(&Told) -> Result<(), Failure>) {
    for path in waiting(&place(resolution)).into_iter().take(MOST_AT_ONCE) {
        let told = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Told>(&text).ok());
        // What is refused now is refused the next time too; what cannot be reached may be later.
        let outcome = told.as_ref().map_or(Ok(()), &file);
        if outcome.is_err_and(|failure| failure.status >= 500 || failure.status == 429) {
            return;
        }
        let _ = fs::remove_file(path);
    }
}

fn place(resolution: &Resolution) -> PathBuf {
    resolution.home.data.join("hooks")
}

/// In the order in which they came: a call's name begins with its moment.
fn waiting(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    found.sort();
    found
}

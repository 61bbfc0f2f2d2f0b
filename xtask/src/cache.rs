//! Where things are: the repository, the build folder, and the cache folder that holds what `setup` installed. The
//! cache is outside of the repository, so that a fresh clone finds it filled.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository's root: the parent of this crate. Asked when run and not when built, because several clones may share a
/// build folder, and cargo takes one clone's xtask for another's.
pub fn repository() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_path_buf()
}

/// The folder cargo builds in. Absolute, because the children of xtask do not all run where xtask was started.
pub fn target() -> Result<PathBuf> {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => std::path::absolute(folder).context("CARGO_TARGET_DIR"),
        None => Ok(repository().join("target")),
    }
}

/// The cache folder, as the XDG rules name it.
pub fn folder() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|base| Path::new(base).is_absolute()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?)
            .join(".cache"),
    };
    Ok(base.join("selfsame"))
}

/// Holds the cache for one installer at a time. The lock goes with the process, so an interrupted one blocks nobody.
pub fn lock() -> Result<File> {
    let folder = folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("setup.lock");
    let file = File::create(&path).with_context(|| format!("cannot open {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

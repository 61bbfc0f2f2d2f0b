//! A temporary folder that is removed however xtask ends: normally, by Ctrl-C, or by a kill that cannot be caught.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

/// Waits for the pipe to close, which the kernel does when xtask ends, then removes the folder. It tries for a while,
/// because the servers that live in the folder may still be on their way out.
const JANITOR: &str = r#"
trap '' HUP INT QUIT TERM
cat >/dev/null
tries=100
until rm -rf -- "$1" 2>/dev/null || [ "$tries" -eq 0 ]; do tries=$((tries - 1)); sleep 0.1; done
"#;

/// The folder, and the shell that outlives xtask just long enough to remove it.
pub struct Scratch {
    folder: PathBuf,
    janitor: Child,
}

impl Scratch {
    /// Makes a new folder in the system's temporary folder.
    pub fn new() -> Result<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("selfsame-{}-{}", std::process::id(), since.subsec_nanos());
        let folder = std::env::temp_dir().join(name);
        make_open(&folder)?;
        let janitor = Command::new("sh")
            .args(["-c", JANITOR, "janitor"])
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own: Ctrl-C in the terminal goes to the whole group of xtask.
            .process_group(0)
            .spawn()
            .context("cannot start sh")?;
        Ok(Self { folder, janitor })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(self.janitor.stdin.take());
        if let Err(error) = self.janitor.wait() {
            eprintln!("{} may be left behind: {error}", self.folder.display());
        }
    }
}

/// Makes a folder, and those above it that are missing, which every user of the machine may enter, whatever the umask:
/// the servers may run as another user.
pub fn make_open(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make_open(parent)?;
    }
    fs::create_dir(folder)
        .and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_gone_after_the_drop() {
        let scratch = Scratch::new().unwrap();
        let folder = scratch.path().to_path_buf();
        fs::write(folder.join("file"), "x").unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }
}

//! A folder in which something is put together before it gets its name. It goes if it never gets one; what a process
//! that died left behind goes when the next one begins.

use super::{InstalledModel, ModelError, ModelFile};
use crate::embed::{ModelFolder, NamedFile};
use crate::progress::{Progress, Unit, Watch};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use selfsame_core::seal::hex;
use selfsame_core::time::Time;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Bytes that are copied at a time.
const PIECE: usize = 256 * 1024;

/// The folder.
pub(super) struct Arriving(PathBuf);

impl Arriving {
    /// An empty one.
    pub(super) fn begin(beside: &Path, name: &str) -> Result<Arriving, ModelError> {
        let path = beside.join(name);
        let emptied = match fs::remove_dir_all(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        };
        emptied
            .and_then(|()| fs::DirBuilder::new().mode(0o700).create(&path))
            .map_err(|cause| ModelError::unusable(&path, cause))?;
        Ok(Arriving(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Copies a model's files here, and sees that they are what they were.
    pub(super) fn copy(
        &self,
        found: &ModelFolder,
        name: &str,
        now: Time,
        watch: &Watch,
    ) -> Result<InstalledModel, ModelError> {
        let mut copy = |file: &NamedFile| self.copy_file(&file.path, watch);
        let files = &found.files;
        let network = copy(&files.network)?;
        let weights = files.weights.as_ref().map(&mut copy).transpose()?;
        let tokenizer = copy(&files.tokenizer)?;
        let read = (files.max_tokens, files.pooling);
        let mut model = InstalledModel::new(name, &self.0, read, (network, weights, tokenizer));
        model.licence.clone_from(&found.licence);
        model.installed_at = now.to_string();
        Ok(model)
    }

    /// Gets its name; what had it before goes. One step, so that there is always a whole model.
    pub(super) fn take_place(&self, path: &Path, exchange: bool) -> Result<(), ModelError> {
        let flags = if exchange { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
        renameat_with(CWD, &self.0, CWD, path, flags)
            .map_err(|cause| ModelError::unusable(path, io::Error::from(cause)))
    }

    fn copy_file(&self, from: &Path, watch: &Watch) -> Result<ModelFile, ModelError> {
        let unusable = |cause| ModelError::unusable(from, cause);
        let name = from.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| unusable(io::Error::other("its name is not UTF-8")))?;
        let mut source = File::open(from).map_err(unusable)?;
        let total = source.metadata().map_err(unusable)?.len();
        let path = self.0.join(name);
        let copied = write_counted(&mut source, &path, &mut |done| {
            watch.tell(Progress { what: name, done, total: Some(total), unit: Unit::Bytes });
        })?;
        // Read again: what the disk gives back is what counts.
        let mut written = File::open(&path).map_err(|cause| ModelError::unusable(&path, cause))?;
        let kept = digest(&mut written).map_err(|cause| ModelError::unusable(&path, cause))?;
        match kept == copied.1 {
            true => Ok(ModelFile { file: name.to_owned(), bytes: copied.0, sha256: copied.1 }),
            false => Err(ModelError::Damaged {
                file: name.to_owned(),
                cause: "the copy differs from the original".into(),
            }),
        }
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        // Gone already if it got its name; else the next one tidies up what cannot be removed now.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes all there is to a new file, for good; gives how many bytes they were, and their SHA-256.
pub(super) fn write_counted(
    source: &mut dyn Read,
    path: &Path,
    watch: &mut dyn FnMut(u64),
) -> Result<(u64, String), ModelError> {
    let unusable = |cause| ModelError::unusable(path, cause);
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut target = opened.map_err(unusable)?;
    let (mut sum, mut done, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let count = source.read(&mut piece).map_err(unusable)?;
        if count == 0 {
            break;
        }
        target.write_all(&piece[..count]).map_err(unusable)?;
        sum.update(&piece[..count]);
        done += count as u64;
        watch(done);
    }
    target.sync_all().map_err(unusable)?;
    Ok((done, hex(&sum.finalize())))
}

fn digest(source: &mut dyn Read) -> io::Result<String> {
    let (mut sum, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match source.read(&mut piece)? {
            0 => return Ok(hex(&sum.finalize())),
            count => sum.update(&piece[..count]),
        }
    }
}

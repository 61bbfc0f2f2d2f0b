//! The folder in which a mind lives: who may use it, and what is said of one that cannot be used.

use selfsame::seal::{hex, sha256};
use selfsame::{Class, DataFolder, Error, FolderError, Mind, Opening};
use selfsame_testkit::Raw;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Home {
        Home { folder: tempfile::tempdir().unwrap() }
    }

    /// Where the mind is to be.
    fn path(&self) -> PathBuf {
        self.folder.path().join("mind")
    }

    fn database(&self) -> PathBuf {
        self.path().join("selfsame.db")
    }

    /// A mind with something in it, closed again.
    fn with_mind(self) -> Home {
        let mind = Mind::open(&self.path()).unwrap();
        mind.ensure_agent("main").unwrap();
        drop(mind);
        self
    }

    /// A folder with this as its database.
    fn with_file(self, bytes: &[u8]) -> Home {
        DataFolder::create(&self.path()).unwrap();
        fs::write(self.database(), bytes).unwrap();
        fs::set_permissions(self.database(), Permissions::from_mode(0o600)).unwrap();
        self
    }

    fn set_mode(&self, path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// What opening it is answered with. The database's bytes must be the same afterwards.
    fn refusal(&self) -> Error {
        let before = fs::read(self.database()).map(|bytes| hex(&sha256(&[&bytes]))).ok();
        let error = Mind::open(&self.path()).err().expect("it should have been refused");
        let after = fs::read(self.database()).map(|bytes| hex(&sha256(&[&bytes]))).ok();
        assert_eq!(before, after, "{error}");
        error
    }
}

#[test]
fn a_folder_is_made_for_its_owner_alone() {
    let home = Home::new().with_mind();
    for (path, mode) in [(home.path(), 0o700), (home.database(), 0o600)] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
    Mind::open(&home.path()).unwrap();
}

#[test]
fn a_folder_that_others_can_read_is_refused() {
    let home = Home::new().with_mind();
    home.set_mode(&home.path(), 0o755);
    let error = home.refusal();
    let path = home.path();
    assert_eq!(
        error.to_string(),
        format!("{path:?} can be read by other users (mode 755): run `chmod 700 {}`", path.display())
    );
    assert_eq!(error.class(), Class::Unusable);
    home.set_mode(&home.path(), 0o700);
    Mind::open(&home.path()).unwrap();
}

#[test]
fn a_database_that_others_can_read_is_refused() {
    let home = Home::new().with_mind();
    home.set_mode(&home.database(), 0o640);
    let said = home.refusal().to_string();
    assert!(said.contains("mode 640") && said.contains("chmod 600"), "{said}");
}

#[test]
fn a_second_process_is_told_who_is_there() {
    let home = Home::new();
    let folder = DataFolder::create(&home.path()).unwrap();
    let mind = Mind::open(&home.path()).unwrap();
    // The lock belongs to the open file, so a second try within the process is refused as another process is.
    let Err(FolderError::Busy { owner, .. }) = folder.lock(Duration::ZERO) else {
        panic!("it should be busy")
    };
    assert_eq!(owner, std::process::id().to_string());
    drop(mind);
    folder.lock(Duration::ZERO).unwrap();
}

#[test]
fn whoever_may_wait_gets_the_folder_when_it_is_free() {
    let home = Home::new();
    let folder = DataFolder::create(&home.path()).unwrap();
    let held = folder.lock(Duration::ZERO).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| folder.lock(Duration::from_secs(60)));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let home = Home::new();
    let error = DataFolder::existing(&home.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "there is no mind in {:?}: run `selfsame init` first, or name another folder with --data",
            home.path()
        )
    );
    assert!(!home.path().exists(), "asking makes nothing");
}

#[test]
fn a_file_is_no_folder() {
    let home = Home::new();
    fs::write(home.path(), "a file").unwrap();
    for error in
        [DataFolder::existing(&home.path()).unwrap_err(), DataFolder::create(&home.path()).unwrap_err()]
    {
        assert!(error.to_string().contains("choose another with --data"), "{error}");
    }
    assert_eq!(fs::read(home.path()).unwrap(), b"a file");
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    for setup in
        ["CREATE TABLE bookmarks (a); INSERT INTO bookmarks VALUES (1)", "PRAGMA application_id = 12"]
    {
        let home = Home::new();
        DataFolder::create(&home.path()).unwrap();
        sqlite(&home.database()).run(setup).unwrap();
        home.set_mode(&home.database(), 0o600);
        let error = home.refusal();
        assert!(error.to_string().contains("is an SQLite database of another program"), "{error}");
        assert_eq!(error.class(), Class::Unusable);
    }
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let home = Home::new().with_file(&b"Dear diary, this is not a database. ".repeat(300));
    let error = home.refusal();
    assert!(error.to_string().contains("is damaged or is no database"), "{error}");
    assert!(error.to_string().contains("it was left as it is; restore a backup"), "{error}");
    assert_eq!(error.class(), Class::Unusable);
}

#[test]
fn a_truncated_database_is_left_alone() {
    let whole = fs::read(Home::new().with_mind().database()).unwrap();
    for left in [100, 4096, whole.len() / 2, whole.len() - 4096] {
        let home = Home::new().with_file(&whole[..left]);
        let error = home.refusal();
        assert!(
            matches!(error.class(), Class::Unusable | Class::Damaged),
            "{left} of {} bytes: {error}",
            whole.len()
        );
    }
}

#[test]
fn a_newer_database_is_left_alone() {
    let home = Home::new().with_mind();
    sqlite(&home.database()).run("INSERT INTO schema_migrations VALUES (99, 'later', x'00', 1)").unwrap();
    let error = home.refusal();
    assert!(error.to_string().contains("schema version 99"), "{error}");
    assert_eq!(error.class(), Class::Unusable);
}

#[test]
fn a_folder_where_the_database_should_be_is_said() {
    let home = Home::new();
    DataFolder::create(&home.path()).unwrap();
    fs::create_dir(home.database()).unwrap();
    home.set_mode(&home.database(), 0o700);
    let error = home.refusal();
    assert!(error.to_string().contains("cannot be opened"), "{error}");
    assert_eq!(error.class(), Class::Unusable);
}

#[test]
fn a_secret_is_written_for_its_owner_alone() {
    let home = Home::new();
    let folder = DataFolder::create(&home.path()).unwrap();
    DataFolder::write_secret(&folder.key(), "ssk_secret").unwrap();
    assert_eq!(fs::metadata(folder.key()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read(folder.key()).unwrap(), b"ssk_secret");
}

/// Two minds in one folder would each think that they are alone with the file.
#[test]
fn a_mind_holds_its_folder() {
    let home = Home::new();
    let mind = Mind::open(&home.path()).unwrap();
    let mut settings = mind.settings().clone();
    settings.database.lock_wait = Duration::ZERO;
    let folder = DataFolder::existing(&home.path()).unwrap();
    let error = Opening::new(settings.clone()).open(&folder).err().unwrap();
    assert_eq!(error.class(), Class::Busy);
    assert!(error.to_string().contains(&format!("in use by process {}", std::process::id())), "{error}");
    drop(mind);
    Opening::new(settings).open(&folder).unwrap();
}

fn sqlite(path: &Path) -> Raw {
    Raw::sqlite(path)
}

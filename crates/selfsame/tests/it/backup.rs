//! Backups: made while others write, checked before they count, kept in measure, and the way back.

use crate::remember::remember;
use selfsame::backup::{self, Backup, Restoring, backups_in};
use selfsame::clock::ManualClock;
use selfsame::forget::LEDGER_NAME;
use selfsame::memory::Draft;
use selfsame::time::Time;
use selfsame::{Class, DataFolder, Mind, Opening, Speaker};
use selfsame_testkit::{Bench, Trap, dump};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(86_400);

/// A mind in a data folder of its own, with a clock that is moved by hand.
struct Home {
    folder: TempDir,
    clock: Arc<ManualClock>,
}

impl Home {
    fn new() -> Home {
        Home {
            folder: tempfile::tempdir().unwrap(),
            clock: Arc::new(ManualClock::at(Time::from_micros(1_767_225_600_000_000))),
        }
    }

    fn data(&self) -> DataFolder {
        DataFolder::create(&self.folder.path().join("mind")).unwrap()
    }

    fn open(&self) -> Mind {
        let clock: Arc<dyn selfsame::time::Clock> = Arc::<ManualClock>::clone(&self.clock);
        let mind = Opening::default().clock(clock).seed([7; 32]).open(&self.data()).unwrap();
        mind.ensure_agent("main").unwrap();
        mind
    }

    fn now(&self) -> Time {
        use selfsame::time::Clock as _;
        self.clock.now()
    }

    fn restore(&self, backup: &Path) -> selfsame::Result<Backup> {
        backup::restore(&self.data(), backup, Restoring::default(), self.now())
    }

    /// The names in the data folder that are not there in every one.
    fn left_over(&self) -> Vec<String> {
        names(self.data().path()).into_iter().filter(|name| name.contains(".db.")).collect()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn say(mind: &Mind, content: &str) {
    mind.access("main", Speaker::Operator).unwrap().remember(Draft::new(content), None).unwrap();
}

/// A copy of a backup, opened as a mind.
fn opened(backup: &Path) -> (TempDir, Mind) {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::create(&folder.path().join("mind")).unwrap();
    fs::copy(backup, data.database()).unwrap();
    fs::set_permissions(data.database(), fs::Permissions::from_mode(0o600)).unwrap();
    let mind = Opening::default().open(&data).unwrap();
    (folder, mind)
}

fn manifest(backup: &Path) -> PathBuf {
    let mut name = backup.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// Every memory that is in a mind, by its content.
fn contents(mind: &Mind) -> BTreeSet<String> {
    let agent = mind.require_agent("main").unwrap();
    let caller = selfsame::trust::Caller::operator(agent.operator);
    let first = selfsame::id::MemoryId::of(selfsame::id::Id::NIL);
    let page = mind.store().read(&caller, &[agent.id], |reader| {
        selfsame_store::memory::page(reader, agent.id, first, 1_000_000)
    });
    page.unwrap().into_iter().map(|memory| memory.unwrap().words.content).collect()
}

#[test]
fn a_backup_holds_all_and_is_its_owners_alone() {
    let home = Home::new();
    let mind = home.open();
    say(&mind, "the fox is red");
    let before = dump(&mind);
    let made = mind.backup_here().unwrap();
    assert_eq!(made.path.parent().unwrap(), home.data().backups());
    assert_eq!((made.agents, made.memories), (1, 1));
    assert_eq!(made.bytes, fs::metadata(&made.path).unwrap().len());
    assert_eq!(backup::check(&made.path).unwrap(), made);
    assert_eq!(backups_in(&home.data().backups()).unwrap(), std::slice::from_ref(&made));
    for (path, mode) in
        [(home.data().backups(), 0o700), (made.path.clone(), 0o600), (manifest(&made.path), 0o600)]
    {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
    let ledger = home.data().backups().join(LEDGER_NAME);
    assert_eq!(fs::metadata(&ledger).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        names(&home.data().backups()).len(),
        3,
        "nothing but the ledger of what was forgotten is beside them"
    );
    let (_folder, copy) = opened(&made.path);
    assert_eq!(dump(&copy), before);
    assert_eq!(copy.verify().unwrap().problems, [""; 0]);
}

/// Four write, one copies: each copy has every write that was acknowledged before it began, and each write whole.
#[test]
fn a_backup_while_others_write_is_one_moment() {
    const WRITERS: usize = 4;
    const ROUNDS: usize = 20;
    let home = Home::new();
    let mind = home.open();
    let stop = AtomicBool::new(false);
    let acknowledged = Mutex::new(BTreeSet::new());
    let written = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (mind, stop, acknowledged, written) = (&mind, &stop, &acknowledged, &written);
            scope.spawn(move || {
                let mut number = 0;
                while !stop.load(Ordering::SeqCst) {
                    let content = format!("fox {writer} {number}");
                    say(mind, &content);
                    acknowledged.lock().unwrap().insert(content);
                    written.fetch_add(1, Ordering::SeqCst);
                    number += 1;
                }
            });
        }
        let rounds = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..ROUNDS {
                let mark = written.load(Ordering::SeqCst);
                while written.load(Ordering::SeqCst) < mark + 5 {
                    std::thread::yield_now();
                }
                let before = acknowledged.lock().unwrap().clone();
                let made = mind.backup_here().unwrap();
                let (_folder, copy) = opened(&made.path);
                assert_eq!(copy.verify().unwrap().problems, [""; 0]);
                let there = contents(&copy);
                assert!(
                    before.is_subset(&there),
                    "lost: {:?}",
                    before.difference(&there).collect::<Vec<_>>()
                );
                assert_eq!(there.len() as u64, made.memories);
                // Each of the four was stopped at one point: what it wrote is there without a hole.
                for writer in 0..WRITERS {
                    let of_writer =
                        there.iter().filter(|content| content.starts_with(&format!("fox {writer} "))).count();
                    assert!((0..of_writer).all(|number| there.contains(&format!("fox {writer} {number}"))));
                }
                let log = copy.access("main", Speaker::Operator).unwrap().events(0, 1).unwrap();
                assert_eq!(log.head as usize, 1 + there.len(), "each memory with its event");
            }
        }));
        stop.store(true, Ordering::SeqCst);
        rounds.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    assert_eq!(mind.verify().unwrap().problems, [""; 0]);
}

/// The seven newest, and before them the last of each week for four weeks.
#[test]
fn the_newest_and_some_weekly_ones_are_kept() {
    let home = Home::new();
    let mind = home.open();
    let folder = home.data().backups();
    let mut days = Vec::new();
    for day in 0..60 {
        let made = mind.backup(&folder).unwrap();
        days.push(made.made_at);
        let kept: Vec<Time> = backups_in(&folder).unwrap().iter().map(|backup| backup.made_at).collect();
        assert_eq!(kept, expected(&days), "after day {day}");
        assert_eq!(names(&folder).len(), 2 * kept.len() + 1, "a file and a manifest each, and the ledger");
        home.clock.advance(DAY);
    }
    assert_eq!(backups_in(&folder).unwrap().len(), 11);
    for backup in backups_in(&folder).unwrap() {
        backup::check(&backup.path).unwrap();
    }
}

/// What the rule keeps of daily backups, said in another way.
fn expected(days: &[Time]) -> Vec<Time> {
    let week = |time: &Time| time.micros().div_euclid(7 * 86_400_000_000);
    let (older, newest) = days.split_at(days.len().saturating_sub(7));
    let last_of_week = older
        .iter()
        .enumerate()
        .filter(|(place, day)| older.get(place + 1).is_none_or(|next| week(next) != week(day)));
    let weekly: Vec<Time> = last_of_week.map(|(_, day)| *day).collect();
    weekly[weekly.len().saturating_sub(4)..].iter().chain(newest).copied().collect()
}

#[test]
fn a_backup_that_somebody_keeps_elsewhere_is_let_be() {
    let home = Home::new();
    let mind = home.open();
    let folder = home.data().backups();
    mind.backup(&folder).unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    fs::write(folder.join("other.db"), "no backup").unwrap();
    for _ in 0..20 {
        mind.backup(&folder).unwrap();
    }
    assert!(folder.join("notes.txt").exists() && folder.join("other.db").exists());
}

#[test]
fn a_restored_mind_is_the_one_that_was_copied() {
    let home = Home::new();
    let mind = home.open();
    say(&mind, "the fox is red");
    let before = dump(&mind);
    let made = mind.backup_here().unwrap();
    say(&mind, "the owl is grey");
    let later = dump(&mind);
    drop(mind);
    assert_eq!(home.restore(&made.path).unwrap(), made);
    assert_eq!(dump(&home.open()), before);
    // What was there is kept, whole.
    let aside = home.left_over();
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert!(aside[0].starts_with("selfsame.db.before-"), "{aside:?}");
    let (_folder, old) = opened(&home.data().path().join(&aside[0]));
    assert_eq!(dump(&old), later);
}

#[test]
fn a_folder_without_a_mind_takes_a_backup() {
    let (home, other) = (Home::new(), Home::new());
    let mind = home.open();
    say(&mind, "the fox is red");
    let made = mind.backup_here().unwrap();
    other.restore(&made.path).unwrap();
    assert_eq!(dump(&other.open()), dump(&mind));
    assert_eq!(other.left_over(), [""; 0]);
}

#[test]
fn a_folder_in_use_is_not_restored() {
    let home = Home::new();
    let mind = home.open();
    let made = mind.backup_here().unwrap();
    say(&mind, "the fox is red");
    let before = dump(&mind);
    let error = home.restore(&made.path).unwrap_err();
    assert_eq!(error.class(), Class::Busy, "{error}");
    assert_eq!(dump(&mind), before);
    drop(mind);
    assert_eq!(dump(&home.open()), before);
    assert_eq!(home.left_over(), [""; 0]);
}

#[test]
fn a_spoiled_backup_is_refused_and_changes_nothing() {
    let home = Home::new();
    let mind = home.open();
    say(&mind, "the fox is red");
    let made = mind.backup_here().unwrap();
    say(&mind, "the owl is grey");
    let before = dump(&mind);
    drop(mind);
    let whole = fs::read(&made.path).unwrap();
    let card = fs::read_to_string(manifest(&made.path)).unwrap();
    let refused = |expected: &str| {
        for error in [home.restore(&made.path).unwrap_err(), backup::check(&made.path).unwrap_err()] {
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert_eq!(home.left_over(), [""; 0], "{expected}");
        assert_eq!(dump(&home.open()), before);
    };
    // One bit, anywhere.
    for place in [0, 100, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(&made.path, bytes).unwrap();
        refused("its content does not fit its manifest");
    }
    fs::write(&made.path, &whole[..whole.len() / 2]).unwrap();
    refused("its content does not fit its manifest");
    fs::remove_file(&made.path).unwrap();
    refused(made.path.to_str().unwrap());
    fs::write(&made.path, &whole).unwrap();
    fs::write(manifest(&made.path), "{}").unwrap();
    refused("it is no manifest of a backup");
    fs::write(manifest(&made.path), "not JSON").unwrap();
    refused("it is no manifest of a backup");
    fs::remove_file(manifest(&made.path)).unwrap();
    refused(manifest(&made.path).to_str().unwrap());
    fs::write(manifest(&made.path), card).unwrap();
    home.restore(&made.path).unwrap();
}

/// A file whose manifest fits, but whose inside does not: somebody changed both.
#[test]
fn a_backup_with_a_forged_manifest_is_refused() {
    let home = Home::new();
    let mind = home.open();
    say(&mind, "the fox is red");
    let made = mind.backup_here().unwrap();
    let before = dump(&mind);
    drop(mind);
    let mut raw = selfsame_testkit::Raw::sqlite(&made.path);
    raw.run("INSERT INTO postings SELECT agent_id, kind, 'rust', block, entries FROM postings LIMIT 1")
        .unwrap();
    drop(raw);
    let card = fs::read_to_string(manifest(&made.path)).unwrap();
    let digest = selfsame::seal::hex(&selfsame::seal::sha256(&[&fs::read(&made.path).unwrap()]));
    fs::write(manifest(&made.path), card.replace(&made.sha256, &digest)).unwrap();
    backup::check(&made.path).unwrap();
    let error = home.restore(&made.path).unwrap_err();
    assert!(error.to_string().contains("cannot be used"), "{error}");
    assert_eq!(dump(&home.open()), before);
}

/// Killed at any step: half-made files are of no harm and taken for nothing.
#[test]
fn what_a_killed_backup_leaves_is_no_backup() {
    let home = Home::new();
    let mind = home.open();
    say(&mind, "the fox is red");
    let folder = home.data().backups();
    let made = mind.backup(&folder).unwrap();
    let whole = fs::read(&made.path).unwrap();
    // Before the copy was whole; before it had its name; and with a manifest but no file.
    let half = folder.join("selfsame-2026-01-01T00-00-00-000009Z.db");
    let unfinished = folder.join("selfsame-2026-01-01T00-00-00-000009Z.db.unfinished");
    fs::write(&unfinished, &whole[..whole.len() / 3]).unwrap();
    fs::write(folder.join("selfsame-2026-01-01T00-00-00-000009Z.db.unfinished-wal"), "").unwrap();
    assert_eq!(backups_in(&folder).unwrap(), std::slice::from_ref(&made));
    fs::copy(manifest(&made.path), manifest(&half)).unwrap();
    assert_eq!(backups_in(&folder).unwrap(), std::slice::from_ref(&made));
    assert!(backup::check(&half).is_err());
    let next = mind.backup(&folder).unwrap();
    assert_eq!(backups_in(&folder).unwrap(), [made, next]);
    assert!(!unfinished.exists(), "it may hold what was forgotten since");
}

#[test]
fn what_a_killed_restore_leaves_is_of_no_harm() {
    let home = Home::new();
    let mind = home.open();
    say(&mind, "the fox is red");
    let copied = dump(&mind);
    let made = mind.backup_here().unwrap();
    say(&mind, "the owl is grey");
    let before = dump(&mind);
    drop(mind);
    let data = home.data();
    let beside = |name: &str| data.path().join(name);
    fs::write(beside("selfsame.db.restoring"), "half of it").unwrap();
    fs::write(beside("selfsame.db.restoring-wal"), "").unwrap();
    fs::hard_link(data.database(), beside("selfsame.db.before-2025-12-31T23-59-59Z")).unwrap();
    assert_eq!(dump(&home.open()), before, "the old one, whole");
    home.restore(&made.path).unwrap();
    assert_eq!(dump(&home.open()), copied, "the new one, whole");
    assert!(!beside("selfsame.db.restoring").exists() && !beside("selfsame.db.restoring-wal").exists());
}

#[test]
fn forgotten_words_are_in_no_later_backup() {
    let home = Home::new();
    let mind = home.open();
    let access = mind.access("main", Speaker::Operator).unwrap();
    let word = "rumpelstiltskin";
    let ids = [remember(&access, word), remember(&access, &format!("{word} {}", "and so on ".repeat(3000)))];
    let has_word = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(word.len()).any(|part| part == word.as_bytes())
    };
    assert!(has_word(&mind.backup_here().unwrap().path), "the test would see it");
    for id in ids {
        access.forget(id, None).unwrap();
    }
    let made = mind.backup_here().unwrap();
    assert!(!has_word(&made.path) && !has_word(&manifest(&made.path)));
}

#[test]
fn the_daily_backup_is_a_duty() {
    let home = Home::new();
    let mind = home.open();
    mind.ensure_house_duties().unwrap();
    let duty = mind.duties().unwrap().into_iter().find(|duty| duty.kind == "daily_backup").unwrap();
    assert_eq!(duty.rhythm, "daily 03:30 UTC");
    let scheduler = selfsame::jobs::scheduler(mind.settings());
    for day in 1..=3 {
        home.clock.advance(DAY);
        let step = scheduler.step_of(&mind, selfsame::scheduler::Pace::Slow).unwrap();
        let copies = step.ran.iter().filter(|ran| ran.kind == "daily_backup").count();
        assert_eq!(copies, 1, "{step:?}");
        assert_eq!(backups_in(&home.data().backups()).unwrap().len(), day);
    }
}

#[test]
fn a_backup_that_cannot_be_written_leaves_nothing() {
    let home = Home::new();
    let mind = home.open();
    let blocked = home.folder.path().join("a file");
    fs::write(&blocked, "").unwrap();
    mind.backup(&blocked).unwrap_err();
    // The copy opens, but it cannot be checked: a fault of the opening does not reach the original.
    let trap = Trap::fail("write.begun").armed(1);
    let bench = Bench::sqlite();
    let other = bench.open_with(|options| options.faults = trap.faults());
    let made = other.backup(&home.folder.path().join("elsewhere")).unwrap();
    backup::check(&made.path).unwrap();
}

#[test]
fn postgres_says_how_it_is_backed_up() {
    let bench = Bench::postgres();
    let folder = tempfile::tempdir().unwrap();
    for error in [
        bench.mind().backup_here().unwrap_err(),
        bench.mind().backup(&folder.path().join("backups")).unwrap_err(),
    ] {
        assert!(error.to_string().contains("pg_dump"), "{error}");
    }
    assert_eq!(backups_in(&folder.path().join("backups")).unwrap(), []);
}

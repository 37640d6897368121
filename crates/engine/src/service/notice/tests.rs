#![expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::Engine;
use crate::settings::Settings;
use howdah_host::account;
use howdah_host::mounts::Mounts;
use howdah_store::{Birth, OpenMode, Store};
use howdah_words::model::time::Timestamp;

const NONE: [i64; 0] = [];

/// Notices that a test follows by hand; the numbers of jobs are made up, so all belong to the user of the test.
struct Waiting {
    folder: TempDir,
    engine: Engine,
    notices: Notices,
    /// Milliseconds.
    now: u64,
}

impl Waiting {
    fn new(most: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store =
            Store::open(&folder.path().join("howdah.db"), &OpenMode::Create(Birth::at(Timestamp::from_seconds(0), 1)))
                .unwrap();
        let engine = Engine::new(store, Settings::default(), Mounts::default());
        fs::create_dir(folder.path().join("data")).unwrap();
        Self { folder, engine, notices: Notices::with_bound(FolderEvents::open(), most), now: 0 }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("data").join(name)
    }

    /// A tick checks the inputs of some jobs, or of all, and misses something in these folders.
    fn tick(&mut self, checked: Option<&[i64]>, missing: &[(&str, i64)]) {
        let mut awaited = Awaited::new();
        for (name, job) in missing {
            awaited.entry(self.path(name)).or_default().insert(CoordinatorKey(*job));
        }
        let checked = checked.map(|jobs| jobs.iter().copied().map(CoordinatorKey).collect());
        self.notices.follow(&self.engine.store, Seen { checked, awaited }).unwrap();
    }

    /// The jobs to look at after a second.
    fn due(&mut self) -> Vec<i64> {
        self.now += 1000;
        let at = Duration::from_millis(self.now);
        self.notices.due(at).map(|jobs| jobs.into_iter().map(|job| job.0).collect()).unwrap_or_default()
    }
}

#[test]
fn a_new_file_concerns_the_jobs_that_wait_in_its_folder() {
    let mut waiting = Waiting::new(9);
    for name in ["a", "b"] {
        fs::create_dir(waiting.path(name)).unwrap();
    }
    let missing = [("a", 1), ("a", 2), ("b", 3)];
    waiting.tick(None, &missing);
    // What came between the tick and the watch caused no event.
    assert_eq!(waiting.due(), [1, 2, 3]);
    waiting.tick(Some(&[1, 2, 3]), &missing);
    assert_eq!(waiting.due(), NONE);
    fs::write(waiting.path("a/x"), "").unwrap();
    assert_eq!(waiting.due(), [1, 2]);
    waiting.tick(Some(&[1, 2]), &[("a", 2)]);
    fs::write(waiting.path("a/y"), "").unwrap();
    fs::write(waiting.path("b/y"), "").unwrap();
    assert_eq!(waiting.due(), [2, 3]);
    waiting.tick(None, &[]);
    fs::write(waiting.path("a/z"), "").unwrap();
    assert_eq!((waiting.due(), waiting.notices.watches.len()), (vec![], 0));
}

#[test]
fn a_file_in_a_new_folder_is_looked_for_after_the_folder_is_watched() {
    let mut waiting = Waiting::new(9);
    let missing = [("2010/01/01", 1)];
    waiting.tick(None, &missing);
    waiting.due();
    waiting.tick(Some(&[1]), &missing);
    assert_eq!(waiting.due(), NONE);
    fs::create_dir_all(waiting.path("2010/01")).unwrap();
    assert_eq!(waiting.due(), [1], "by the folder above");
    // The tick misses the file, which comes before the new folder is watched.
    fs::create_dir(waiting.path("2010/01/01")).unwrap();
    waiting.tick(Some(&[1]), &missing);
    assert_eq!(waiting.due(), [1], "because a watch is new");
    waiting.tick(Some(&[1]), &missing);
    assert_eq!(waiting.due(), NONE);
    fs::write(waiting.path("2010/01/01/x"), "").unwrap();
    assert_eq!((waiting.due(), waiting.notices.watches.len()), (vec![1], 1));
}

#[test]
fn a_folder_that_comes_back_is_watched_again() {
    let mut waiting = Waiting::new(9);
    let missing = [("a", 1)];
    for end in ["deleted", "moved"] {
        fs::create_dir(waiting.path("a")).unwrap();
        waiting.tick(None, &missing);
        waiting.tick(None, &missing);
        assert_eq!(waiting.due(), NONE, "{end}");
        match end {
            "deleted" => fs::remove_dir(waiting.path("a")).unwrap(),
            _ => fs::rename(waiting.path("a"), waiting.path("b")).unwrap(),
        }
        assert_eq!(waiting.due(), [1], "{end}");
        waiting.tick(Some(&[1]), &missing);
        waiting.due();
        waiting.tick(Some(&[1]), &missing);
        fs::create_dir(waiting.path("a")).unwrap();
        assert_eq!(waiting.due(), [1], "{end}");
        waiting.tick(Some(&[1]), &missing);
        fs::write(waiting.path("a/x"), "").unwrap();
        assert_eq!(waiting.due(), [1], "{end}");
        fs::remove_dir_all(waiting.path("a")).unwrap();
        waiting.due();
        waiting.tick(None, &[]);
    }
}

#[test]
fn what_is_not_watched_is_counted_with_its_reason() {
    let mut waiting = Waiting::new(2);
    let missing = [("a", 1), ("b", 1), ("c", 1), ("d", 2)];
    waiting.tick(None, &missing[..2]);
    assert_eq!(waiting.notices.problem(), None);
    waiting.tick(None, &missing);
    let beyond = Problem { unwatched: 2, all: 4, why: "at most 2 are watched".to_owned() };
    assert_eq!(waiting.notices.problem(), Some(&beyond));
    waiting.tick(Some(&[2]), &missing[3..]);
    assert_eq!(waiting.notices.problem(), Some(&beyond));
    waiting.tick(None, &missing[..1]);
    assert_eq!(waiting.notices.problem(), None);
    waiting.notices = Notices::with_bound(Err("no inotify".to_owned()), 9);
    waiting.tick(None, &[]);
    assert_eq!(waiting.notices.problem(), None);
    waiting.tick(None, &missing);
    assert_eq!(waiting.notices.problem(), Some(&Problem { unwatched: 4, all: 4, why: "no inotify".to_owned() }));
    assert_eq!(waiting.due(), NONE);
    assert!(waiting.notices.patience(Duration::ZERO).1.is_none());
}

#[test]
fn a_limit_of_the_kernel_is_met_once_and_tried_again_at_the_next_full_tick() {
    let mut waiting = Waiting::new(9);
    let limit = Unwatched::Limit("no more".to_owned());
    waiting.tick(None, &[("a", 1), ("b", 1)]);
    let Ok(events) = &waiting.notices.events else { panic!("it has events") };
    let mut climb = Climb { events, limit: Some(limit.clone()), passed: Vec::new() };
    assert_eq!(climb.nearest(Path::new("/")), State::Not(limit.clone()));
    for entry in waiting.notices.folders.values_mut() {
        entry.state = State::Not(limit.clone());
    }
    waiting.tick(Some(&[1]), &[("a", 1), ("b", 1)]);
    assert_eq!(
        waiting.notices.problem().map(|problem| (problem.unwatched, problem.why.as_str())),
        Some((2, "no more"))
    );
    waiting.tick(None, &[("a", 1), ("b", 1)]);
    assert_eq!(waiting.notices.problem(), None);
}

#[test]
fn many_files_lead_to_few_looks() {
    let mut waiting = Waiting::new(9);
    let missing = [("", 1)];
    waiting.tick(None, &missing);
    waiting.due();
    waiting.tick(Some(&[1]), &missing);
    waiting.now += 5000;
    let (mut looks, mut waits) = (0, 0);
    // One file in each millisecond, for ten seconds; the daemon wakes when it may.
    for number in 0..10_000 {
        fs::write(waiting.path(&number.to_string()), "").unwrap();
        waiting.now += 1;
        let at = Duration::from_millis(waiting.now);
        if waiting.notices.patience(at).1.is_none() {
            waits += 1;
        } else if waiting.notices.due(at).is_some() {
            looks += 1;
            waiting.tick(Some(&[1]), &missing);
            waiting.notices.looked(at, false);
        }
    }
    assert_eq!(looks, 14);
    assert_eq!(waits, 10_000 - looks);
}

#[test]
fn a_folder_is_watched_with_the_rights_of_the_user_who_waits() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    if !account::is_root() {
        return;
    }
    let mut waiting = Waiting::new(9);
    fs::set_permissions(waiting.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(waiting.path("secret")).unwrap();
    fs::set_permissions(waiting.path("secret"), fs::Permissions::from_mode(0o700)).unwrap();
    // A link that the user made after the tick had missed the folder.
    symlink(waiting.path("secret"), waiting.path("in")).unwrap();
    for (user, is_watched) in [("nobody", false), ("root", true)] {
        waiting.tick(None, &[]);
        waiting.notices.users.insert(CoordinatorKey(1), user.to_owned());
        let awaited = Awaited::from([(waiting.path("in"), BTreeSet::from([CoordinatorKey(1)]))]);
        waiting.notices.follow(&waiting.engine.store, Seen { checked: Some(BTreeSet::new()), awaited }).unwrap();
        assert_eq!(waiting.notices.problem().is_none(), is_watched, "{user}: {:?}", waiting.notices.problem());
        assert_eq!(waiting.notices.watches.len(), usize::from(is_watched), "{user}");
    }
}

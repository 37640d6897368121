//! Trees in a temporary folder, with links that lead out of it.

use std::os::unix::fs::symlink;

use super::*;

/// Finds and deletes; `false` when the name does not exist.
fn delete_tree(path: &Path, mounts: &Mounts) -> Result<bool, Error> {
    Target::find(path, mounts, &[])?.map_or(Ok(false), Target::delete)
}

/// A mount `root` with a folder, beside a folder `outside` that is the target of links.
fn sandbox() -> (tempfile::TempDir, Mounts) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    fs::create_dir_all(base.join("root/data/day")).unwrap();
    fs::create_dir_all(base.join("outside/precious")).unwrap();
    symlink(base.join("outside"), base.join("root/out")).unwrap();
    symlink(base.join("outside"), base.join("root/data/link")).unwrap();
    symlink(base.join("root/data"), base.join("root/inside")).unwrap();
    let mounts = Mounts::parse([format!("hdfs://nn={}/root", base.display()).as_str()]).unwrap();
    (folder, mounts)
}

fn check_refused(path: &Path, mounts: &Mounts) {
    let error = delete_tree(path, mounts).unwrap_err();
    assert_eq!(error.code(), ErrorCode::H0123, "{}", path.display());
}

#[test]
fn refuses_what_must_stay() {
    let (folder, mounts) = sandbox();
    let base = folder.path();
    check_refused(Path::new("/"), &mounts);
    check_refused(Path::new("relative"), &mounts);
    check_refused(&environment::home().unwrap().unwrap(), &mounts);
    check_refused(Path::new("/home/../etc"), &mounts);
    check_refused(&base.join("root"), &mounts);
    check_refused(base, &mounts);
    check_refused(&base.join("root/data/../../outside"), &mounts);
    check_refused(&base.join("root/out/precious"), &mounts);
    symlink(base, base.join("outside/back")).unwrap();
    check_refused(&base.join("outside/back/root"), &mounts);
    check_refused(Path::new("/proc"), &mounts);
    assert!(base.join("outside/precious").exists());
}

#[test]
fn mount_points_are_read_as_the_system_writes_them() {
    for (point, expect) in [("/a", "/a"), (r"/a\040b\134", r"/a b\"), (r"/a\x", r"/a\x"), (r"\", r"\")] {
        assert_eq!(unescape(point), expect);
    }
}

#[test]
fn what_would_be_deleted_is_told_before() {
    let (folder, mounts) = sandbox();
    let base = folder.path().canonicalize().unwrap();
    fs::write(base.join("root/data/file"), "").unwrap();
    let found = |relative: &str| {
        let target = Target::find(&base.join(relative), &mounts, &[]).unwrap();
        target.map(|target| target.facts().clone())
    };
    let some = |real: &str, what| Some(TargetFacts { real: base.join(real), what });
    assert_eq!(found("root/inside/day"), some("root/data/day", What::Folder));
    assert_eq!(found("root/data/file"), some("root/data/file", What::File));
    assert_eq!(found("root/data/link"), some("root/data/link", What::Link));
    assert_eq!(found("root/data/none"), None);
}

#[test]
fn what_is_kept_is_neither_held_nor_entered() {
    let (folder, mounts) = sandbox();
    let base = folder.path();
    symlink(base.join("root/data/day"), base.join("root/kept")).unwrap();
    fs::create_dir(base.join("root/data/day/hour")).unwrap();
    fs::create_dir(base.join("root/data/day2")).unwrap();
    for kept in ["root/data/day", "root/inside/day", "root/kept"] {
        let find = |relative: &str| Target::find(&base.join(relative), &mounts, &[base.join(kept)]);
        for refused in ["root/data", "root/data/day", "root/data/day/hour", "root/inside/day/hour", "root/data/day/x"] {
            let found = find(refused).map_err(|error| error.code());
            assert!(found.is_err() || refused.ends_with('x') && matches!(found, Ok(None)), "{kept} {refused}");
        }
        assert!(find("root/data/day2").unwrap().is_some(), "{kept}");
    }
}

/// The folder above a target is replaced by a link before the target is deleted.
#[test]
fn a_link_that_takes_a_folders_place_leads_nowhere() {
    let (folder, mounts) = sandbox();
    let base = folder.path();
    fs::create_dir_all(base.join("outside/data/day/precious")).unwrap();
    let target = Target::find(&base.join("root/data/day"), &mounts, &[]).unwrap().unwrap();
    fs::rename(base.join("root"), base.join("old")).unwrap();
    symlink(base.join("outside"), base.join("root")).unwrap();
    assert!(target.delete().unwrap());
    assert!(base.join("outside/data/day/precious").exists());
    assert!(base.join("old/data").exists() && !base.join("old/data/day").exists());
    // The target itself, replaced by a link.
    let target = Target::find(&base.join("old/data"), &mounts, &[]).unwrap().unwrap();
    fs::rename(base.join("old/data"), base.join("older")).unwrap();
    symlink(base.join("outside"), base.join("old/data")).unwrap();
    assert_eq!(target.delete().unwrap_err().code(), ErrorCode::H0123);
    assert!(base.join("outside/data/day/precious").exists() && base.join("older").exists());
    // A path that now contains a link is not followed at all.
    assert!(descent::open_folder(&base.join("old/data")).is_err());
}

#[test]
fn depth_is_bounded_and_what_is_wide_is_not() {
    let (folder, mounts) = sandbox();
    let day = folder.path().join("root/data/day");
    for number in 0..3000 {
        fs::write(day.join(format!("part-{number:05}")), "").unwrap();
    }
    fs::create_dir_all(day.join("x/".repeat(200))).unwrap();
    assert!(delete_tree(&day, &mounts).unwrap() && !day.exists());
    fs::create_dir_all(day.join("x/".repeat(300))).unwrap();
    let error = delete_tree(&day, &mounts).unwrap_err();
    assert!(error.message().contains("folders are nested more than"), "{error}");
}

#[test]
fn deletes_trees_and_links_but_not_what_links_point_to() {
    let (folder, mounts) = sandbox();
    let base = folder.path();
    assert!(delete_tree(&base.join("root/inside/day"), &mounts).unwrap());
    assert!(delete_tree(&base.join("root/out"), &mounts).unwrap());
    assert!(delete_tree(&base.join("root/data"), &mounts).unwrap());
    assert!(!delete_tree(&base.join("root/data"), &mounts).unwrap());
    assert!(!delete_tree(&base.join("root/none/x"), &mounts).unwrap());
    assert!(base.join("outside/precious").exists());
    assert!(delete_tree(&base.join("outside"), &mounts).unwrap());
}

#[test]
fn an_entry_is_measured_and_deleted_and_no_link_is_followed() {
    let (folder, _) = sandbox();
    let base = folder.path();
    fs::write(base.join("root/data/day/file"), vec![b'x'; 20_000]).unwrap();
    let clearing = Clearing::open(&base.join("root")).unwrap().unwrap();
    let measured = clearing.measure("data").unwrap();
    assert!(measured.is_some_and(|bytes| bytes >= 20_000), "{measured:?}");
    assert!(clearing.modified_at("data").unwrap().is_some_and(|at| at > 1_500_000_000));
    assert!(base.join("root/data/day/file").exists(), "measuring deletes nothing");
    assert_eq!(clearing.delete("data").unwrap(), measured);
    clearing.delete("out").unwrap();
    assert!(!base.join("root/data").exists() && base.join("root/out").symlink_metadata().is_err());
    assert!(base.join("outside/precious").is_dir());
    assert_eq!((clearing.delete("data").unwrap(), clearing.modified_at("data").unwrap()), (None, None));
    assert!(Clearing::open(&base.join("nowhere")).unwrap().is_none());
}

#[test]
fn what_only_the_machine_keeps_from_being_deleted_may_pass() {
    use rustix::io::Errno;
    let path = Path::new("/data/x");
    for (error, looked) in [
        (Errno::IO, ErrorCode::H0113),
        (Errno::NOSPC, ErrorCode::H0113),
        (Errno::MFILE, ErrorCode::H0113),
        (Errno::NOMEM, ErrorCode::H0113),
        (Errno::ACCESS, ErrorCode::H0123),
        (Errno::LOOP, ErrorCode::H0123),
    ] {
        let may_pass = looked == ErrorCode::H0113;
        let undone = not_done(path, &error.into());
        assert_eq!((undone.code(), undone.may_pass()), (ErrorCode::H0123, may_pass), "{error}");
        let told = unseen(path, &error.into());
        assert_eq!((told.code(), told.may_pass()), (looked, may_pass), "{error}");
    }
}

//! Real processes that run and end.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use howdah_tier::PATIENCE;

use super::*;
use crate::environment::NO_BOOT_ID;
use crate::found::Found;

fn sleeper() -> (Child, Identity) {
    let child = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    let identity = Identity::of(i32::try_from(child.id()).unwrap()).known().unwrap().unwrap();
    (child, identity)
}

#[test]
fn a_process_is_itself_until_it_ends() {
    let (mut child, identity) = sleeper();
    let mut watcher = Watcher::default();
    assert_eq!(look_for(&identity), Found::Present(()));
    assert_eq!(look_for(&Identity { boot_id: "another".to_owned(), ..identity.clone() }), Found::Absent);
    assert_eq!(look_for(&Identity { start_time: "1".to_owned(), ..identity.clone() }), Found::Absent);
    // An unknown boot id proves nothing; the number and the start time decide.
    assert_eq!(look_for(&Identity { boot_id: NO_BOOT_ID.to_owned(), ..identity.clone() }), Found::Present(()));
    assert_eq!(look_for(&Identity::unseen(identity.pid)), Found::Absent);
    assert!(!watcher.wait(std::slice::from_ref(&identity), Duration::from_millis(10), &[]));
    assert!(signal_group(identity.pid, Signal::Terminate));
    assert!(watcher.wait(&[Identity::own().unwrap(), identity.clone()], PATIENCE, &[]));
    // Not reaped yet: a zombie, which counts as dead.
    assert_eq!(look_for(&identity), Found::Absent);
    child.wait().unwrap();
    assert!(!signal_group(identity.pid, Signal::Kill));
    assert!(watcher.wait(&[identity], PATIENCE, &[]));
}

#[test]
fn never_signals_every_process() {
    for group in [0, 1] {
        assert!(!signal_group(group, Signal::Terminate), "{group}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_number_without_a_process_is_absent() {
    for pid in [0, -1, i32::MAX] {
        assert_eq!(Identity::of(pid), Found::Absent, "{pid}");
    }
}

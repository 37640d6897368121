//! A second user of the machine, whom only root can create.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::sandbox::{self, Sandbox};
use howdah_tier as tier;

/// A user of the machine who exists as long as this value.
pub struct SecondUser {
    pub name: String,
    pub uid: u32,
}

impl SecondUser {
    /// Creates a user, in the full tier; elsewhere `None`, with the reason printed.
    pub fn new(purpose: &str) -> Option<Self> {
        if !tier::root("it makes a second user") {
            return None;
        }
        let name = format!("hwd-{purpose}-{}", std::process::id());
        // The user table is locked while another test changes it.
        let make = || Command::new("useradd").args(["--no-create-home", "--user-group", &name]).status();
        let made = (0..600).any(|_| {
            let made = make().is_ok_and(|status| status.success());
            if !made {
                std::thread::sleep(Duration::from_millis(100));
            }
            made
        });
        assert!(made, "useradd could not make a second user");
        let table = fs::read_to_string("/etc/passwd").expect("a user table");
        let line = table.lines().find(|line| line.starts_with(&format!("{name}:"))).expect("the new user");
        let uid = line.split(':').nth(2).and_then(|uid| uid.parse().ok()).expect("the number of a user");
        Some(Self { name, uid })
    }
}

impl Drop for SecondUser {
    fn drop(&mut self) {
        for _ in 0..600 {
            if Command::new("userdel").arg(&self.name).status().is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions of an own file");
}

/// Returns a copy of the program that all users may run.
pub fn program_for_all(folder: &Sandbox) -> PathBuf {
    let program = folder.path("howdah");
    if !program.exists() {
        // In another process: a program that this one has open for writing, or a fork of it, cannot be started.
        let copied = Command::new("cp").arg(sandbox::program()).arg(&program).status();
        assert!(copied.is_ok_and(|status| status.success()), "a copy that everyone may run");
    }
    program
}

//! What the default build takes from others: how many crates, each in one version, and none of ICU.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// The most crates of others in the default build, those of macros included.
const MOST: usize = 140;

/// The crates of others in the default build: name and version.
fn crates() -> BTreeSet<(String, String)> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["tree", "--package", "howdah", "--edges", "normal", "--prefix", "none", "--locked", "--offline"]);
    let ran = cargo.current_dir(PROJECT).output().expect("cargo runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).expect("a text");
    let words = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    });
    words.filter(|(name, _)| !name.starts_with("howdah")).collect()
}

#[test]
fn the_default_build_has_few_crates_each_in_one_version() {
    let crates = crates();
    let names: BTreeSet<&str> = crates.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains("rusqlite"), "{names:?}");
    assert!(names.len() <= MOST, "{} crates, and {MOST} are allowed: {names:?}", names.len());
    let versions = |name: &str| crates.iter().filter(|(other, _)| other == name).count();
    let several: Vec<&&str> = names.iter().filter(|name| versions(name) > 1).collect();
    assert!(several.is_empty(), "in several versions: {several:?}");
}

#[test]
fn mail_domains_need_no_icu() {
    let lock = fs::read_to_string(format!("{PROJECT}/Cargo.lock")).expect("the lock file");
    let icu: Vec<&str> = lock.lines().filter(|line| line.starts_with("name = \"icu_")).collect();
    assert!(icu.is_empty() && lock.contains("name = \"idna_adapter\""), "{icu:?}");
}

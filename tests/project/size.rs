//! How much code the program has: lines without tests, blank lines and comments, by crate, within `.ci/size`.
//!
//! Everybody pays for amount at each build, so a number of that file rises only in a commit that says why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use howdah_sandbox::sandbox::project;

use crate::layers::programs;

/// The lines of each crate.
fn counted() -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for (file, text) in programs() {
        *lines.entry(file.of).or_default() += text.lines().filter(|line| !line.trim().is_empty()).count();
    }
    lines
}

/// The most lines that each crate may have.
fn budget() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(project().join(".ci/size")).expect("the budget");
    let row = |line: &str| {
        let (name, lines) = line.split_once(' ')?;
        Some((name.to_owned(), lines.trim().parse().ok()?))
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

#[test]
fn the_code_is_within_its_budget() {
    let (counted, budget) = (counted(), budget());
    let mut table = String::new();
    for (name, lines) in &counted {
        let _ = writeln!(table, "{name:10} {lines:6} of {:6}", budget.get(name).copied().unwrap_or_default());
    }
    println!("{table}{:10} {:6}", "all", counted.values().sum::<usize>());
    let over = |(name, lines): &(&String, &usize)| budget.get(*name).is_none_or(|most| *lines > most);
    let over: Vec<_> = counted.iter().filter(over).collect();
    assert!(over.is_empty(), "more code than .ci/size allows: {over:?}\n{table}");
    let unknown: Vec<_> = budget.keys().filter(|name| !counted.contains_key(*name)).collect();
    assert!(unknown.is_empty(), ".ci/size names crates that do not exist: {unknown:?}");
}

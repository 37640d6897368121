//! The vector harness: howdah computes every record of every `*.jsonl` in a folder and compares the result. Prints
//! `file passed/total`, the first ten failures per file, and what was skipped and why.
//!
//! The quick tier takes `fixtures/vectors`, the full tier also all published records (`../shared/vectors`).
//! `VECTORS_DIR` names one folder in place of these, and `VECTORS_DIR=none` says that there are no published records.
//!
//! Fails on a failure, an empty file or folder, an unknown set, and a record skipped without a reason from [`REASONS`].
#![allow(clippy::disallowed_methods, reason = "the vectors are files")]

mod disputed;
use howdah_tier as tier;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use howdah_internals::{Verdict, judge};
use serde_json::Value;

/// The only reasons for which a record may be skipped.
const REASONS: &[&str] = &[
    "decision C16: a range that ends before it starts is refused, also in two units",
    "decision C18: the right members, but not in document order with ranges oldest first",
    "decision C25: cron follows the processing time zone alone",
    "decision C45: an action that has no next one is never passed over",
    "decision C47: a datetime whose fields lack or exceed their digits is read",
    "decision C49: latest and future in an output event are refused at submission",
    "specification 5.1: an instance has one URI, which is not cut at '#'",
    "specification 5.1: endOf... moves the initial instance, and before it the answer is -1",
    "specification 6.1.3: actions count from 1, so none that was killed has the number 0",
    "specification 6.6.6: latest passes over monthly instances that exist, outside of UTC",
];

/// Failures printed per file.
const SHOWN: usize = 10;

fn main() -> ExitCode {
    let only = env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    let mut tally = Tally::default();
    for folder in folders() {
        tally.add(&check_folder(&folder, only.as_deref()));
    }
    println!("{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped);
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The folders with the requested records.
fn folders() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/vectors");
    match env::var_os("VECTORS_DIR") {
        Some(named) if named != "none" => vec![named.into()],
        _ if tier::is_full() => [own].into_iter().chain(tier::published("VECTORS_DIR", "vectors")).collect(),
        _ => vec![own],
    }
}

fn check_folder(folder: &Path, only: Option<&str>) -> Tally {
    let mut files = record_files(folder);
    files.retain(|file| only.is_none_or(|only| set_name(file).contains(only)));
    println!("{}", folder.display());
    let mut tally = Tally::default();
    for file in &files {
        tally.add(&check_file(file));
    }
    if files.is_empty() && only.is_none() {
        println!("no *.jsonl in {}", folder.display());
        tally.failed += 1;
    }
    tally
}

fn record_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    files
}

fn set_name(file: &Path) -> &str {
    file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn check_file(file: &Path) -> Tally {
    let set = set_name(file);
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let name = format!("{set}.jsonl:{}", index + 1);
        match verdict(set, line) {
            Ok(Verdict::Passed) => tally.passed += 1,
            Ok(Verdict::Skipped(reason)) if is_listed(reason) => {
                tally.skipped += 1;
                *reasons.entry(reason).or_default() += 1;
            }
            Ok(Verdict::Skipped(reason)) => failures.push(format!("{name}: skipped without a listed reason: {reason}")),
            Ok(Verdict::Failed(text)) | Err(text) => failures.push(format!("{name}: {text}")),
        }
    }
    tally.failed = failures.len();
    let total = tally.passed + tally.failed + tally.skipped;
    if total == 0 {
        failures.push(format!("{set}.jsonl: no records"));
        tally.failed = 1;
    }
    println!("{set} {}/{total}", tally.passed);
    for (reason, count) in reasons {
        println!("  {count} skipped: {reason}");
    }
    for failure in failures.iter().take(SHOWN) {
        println!("  {failure}");
    }
    tally
}

/// Returns whether a record may be skipped for this reason.
fn is_listed(reason: &str) -> bool {
    REASONS.contains(&reason) || disputed::is_reason(reason)
}

fn verdict(set: &str, line: &str) -> Result<Verdict, String> {
    let record: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
    let id = record["id"].as_str().unwrap_or("?");
    match (judge(set, &record), disputed::reason(id)) {
        (Some(Verdict::Failed(_)), Some(reason)) => Ok(Verdict::Skipped(reason)),
        (Some(Verdict::Passed), Some(reason)) => Err(format!("{id}: is answered as recorded, yet disputed: {reason}")),
        (Some(Verdict::Failed(text)), None) => Ok(Verdict::Failed(format!("{id}: {text}"))),
        (Some(verdict), _) => Ok(verdict),
        (None, _) => Err(format!("{id}: unknown set of records: {set}")),
    }
}

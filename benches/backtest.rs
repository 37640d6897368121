//! What a backtest costs: `howdah backtest` of an export with 20,000 actions, beside one thread that unpacks the same
//! export and reads its lines as JSON (`serde_json`), which is the least that a reader of the export does. With
//! `HOWDAH_OOZIEDB` the export `ooziedb.zip` of that folder is measured too. Prints the ratio beside its bound, and the
//! actions a second; run with `cargo bench --bench backtest`.
#![allow(clippy::disallowed_methods, reason = "a benchmark makes files and measures time")]

#[path = "measure/mod.rs"]
#[allow(dead_code, reason = "other benchmarks use more of it")]
mod measure;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::{env, fs};

use chrono::{DateTime, Duration};
use howdah_sandbox::oozie_export::{IN_UTC, fixture, zip};
use measure::{PAIRS, Pairs, head, run, timed};

/// The actions of the hourly job of the export.
const ACTIONS: i64 = 20_000;

fn main() {
    let folder = tempfile::tempdir().expect("the system has room for a folder");
    let export = folder.path().join("export.zip");
    zip(&export, &fixture(IN_UTC, |name, text| if name == "hourly" { hourly(&text) } else { text }));
    head();
    measure_export("20,000 hourly actions", &export);
    if let Some(folder) = env::var_os("HOWDAH_OOZIEDB") {
        measure_export("the export of a real server", &PathBuf::from(folder).join("ooziedb.zip"));
    }
}

/// Returns the text of the hourly job with more actions.
fn hourly(text: &str) -> String {
    let (job, _) = text.split_once("\n\n").expect("actions behind the job");
    let start = DateTime::parse_from_rfc3339("2026-11-01T07:30:00Z").expect("a time");
    let mut text = job.to_owned();
    for number in 1..=ACTIONS {
        let at = start + Duration::hours(number - 1);
        let nominal = at.format("%Y-%m-%dT%H:%MZ");
        let (clicks, month) = (at.format("/clicks/month=%-m/%d-%H%M"), at.format("/month/%Y%m"));
        let id = format!("0000002-260101000000000-oozie-test-C@{number}");
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n\naction {number} {nominal} SUCCEEDED\ncreated = {nominal}\nstarted = {nominal}\nin clicks = {clicks}\n\
             in month = {month}\npath = /apps/hourly\nset clicks = {clicks}\nset month = {month}\nset id = {id}"
        );
    }
    text
}

fn measure_export(what: &str, export: &Path) {
    let ours = || run(measure::howdah().arg("backtest").arg(export), &[0]);
    let mut actions = 0;
    let theirs = || timed(|| actions = parsed(export));
    let pairs = Pairs::measure(PAIRS, ours, theirs);
    pairs.report(&format!("backtest, {what} / unpacking and parsing the same JSON"), "1");
    let fastest = pairs.0.iter().map(|pair| pair.0).min().unwrap_or_default();
    #[allow(clippy::cast_precision_loss, reason = "a rate with three digits")]
    let rate = actions as f64 / fastest.as_secs_f64();
    println!("{:<72} {rate:>6.0} {:>7}", format!("backtest, {what}: actions a second"), "20000");
}

/// Unpacks an export and parses every line; returns how many actions it has.
fn parsed(export: &Path) -> usize {
    let mut archive = zip::ZipArchive::new(fs::File::open(export).expect("an export")).expect("an archive");
    let mut actions = 0;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).expect("an entry");
        let counts = entry.name() == "ooziedb_ca.json";
        for line in BufReader::with_capacity(1 << 18, entry).lines() {
            let row: serde_json::Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            actions += usize::from(counts && row.is_object());
        }
    }
    actions
}

//! The data pipeline of the coordinator specification's section 6.2 on real files, for a few days of its month.
//!
//! `howdah run` runs the three coordinators of `fixtures/revenue` together; they are connected only through their data.
//! The expected totals come from the generator.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Sandbox, project};
use howdah_tier::Trials;

const NOW: &str = "2026-04-02T00:00Z";

/// Copies a folder with its contents.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder of the fixtures").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file of the fixtures");
        }
    }
}

/// Runs a script of the fixtures on `work/`; returns its output.
fn script(sandbox: &Sandbox, name: &str) -> String {
    let output = Command::new("sh").arg(sandbox.path(&format!("pipeline/{name}"))).arg(sandbox.path("work")).output();
    let output = output.expect("a shell");
    assert!(output.status.success(), "{name}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The pipeline with its inputs, and other dates.
pub fn pipeline(dates: &[(&str, &str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&project().join("fixtures/revenue"), &sandbox.path("pipeline"));
    script(&sandbox, "generate.sh");
    for (file, from, to) in dates {
        let file = format!("pipeline/{file}");
        let text = sandbox.read(&file);
        assert!(text.contains(from), "{file} says nothing of {from}");
        sandbox.write(&file, &text.replace(from, to));
    }
    sandbox
}

/// Selects from the generator's totals those of a dataset between two names.
pub fn expect(sandbox: &Sandbox, kept: &[(&str, &str, &str)]) -> Vec<(String, String, u64)> {
    let totals = sandbox.read("work/expected.tsv");
    let rows = totals.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[1].to_owned(), fields[2].parse().expect("cents"))
    });
    let wanted = |(dataset, name, _): &(String, String, u64)| {
        kept.iter().any(|(of, first, last)| of == dataset && (*first..=*last).contains(&name.as_str()))
    };
    rows.filter(wanted).collect()
}

pub fn write_expected(sandbox: &Sandbox, totals: &[(String, String, u64)]) {
    let lines: Vec<String> =
        totals.iter().map(|(dataset, name, cents)| format!("{dataset}\t{name}\t{cents}")).collect();
    sandbox.write("work/expected.tsv", &(lines.join("\n") + "\n"));
}

/// Runs coordinators to their end and compares every total.
pub fn run(sandbox: &Sandbox, coordinators: &[&str]) -> String {
    let mut howdah = sandbox.howdah(["run"]).at(NOW);
    for coordinator in coordinators {
        howdah = howdah.with("-c").with(sandbox.path(&format!("pipeline/{coordinator}.properties")));
    }
    howdah
        .define("pipeline", &format!("file://{}", sandbox.text("pipeline")))
        .define("data", &format!("file://{}", sandbox.text("work/data")))
        .succeed();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT DISTINCT status FROM coordinator_action"), ["SUCCEEDED"]);
    assert_eq!(database.rows("SELECT DISTINCT number FROM attempt"), ["1"], "no command ran twice");
    script(sandbox, "check.sh")
}

/// The end of the month.
pub struct EndOfMonth {
    pub sandbox: Sandbox,
    /// The dataset, the name and the cents of each total.
    pub totals: Vec<(String, String, u64)>,
    /// The name of the first checkouts that are read.
    pub first_checkouts: String,
    /// The name of the first day's total.
    pub first_day: String,
}

/// The pipeline for the last day or two of its month, for which the month is shortened.
pub fn end_of_a_month(days: usize) -> EndOfMonth {
    assert!((1..=2).contains(&days), "{days} days");
    let (first, next) = if days == 1 { ("2026-03-31", "2026-04-01") } else { ("2026-03-30", "2026-03-31") };
    let first_hour = format!("{first}T05:00Z");
    let sandbox = pipeline(&[
        ("datasets.xml", "2026-03-01T06:00Z", &first_hour),
        ("datasets.xml", "2026-03-02T05:00Z", &format!("{next}T04:00Z")),
        ("hourly/coordinator.xml", "2026-03-01T06:00Z", &first_hour),
        ("daily/coordinator.xml", "start=\"2026-03-01T05:00Z\"", &format!("start=\"{first}T04:00Z\"")),
    ]);
    let kept = [("hourlyRevenue", &*format!("{first}-05"), "2026-04-01-04"), ("dailyRevenue", next, "2026-04-01")];
    let mut totals = expect(&sandbox, &kept);
    let month = totals.iter().filter(|(dataset, ..)| dataset == "dailyRevenue").map(|(.., cents)| cents).sum();
    totals.push(("monthlyRevenue".to_owned(), "2026-04".to_owned(), month));
    EndOfMonth { sandbox, totals, first_checkouts: format!("{first}-04-15"), first_day: next.to_owned() }
}

/// How many days a store's test takes; no quick test does.
pub fn days_of_this_tier() -> usize {
    (Trials { quick: 1, full: 1, soak: 2 }).number()
}

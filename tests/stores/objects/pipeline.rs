//! The data pipeline of the coordinator specification's section 6.2, wholly in a bucket of S3: its definitions are those
//! that run on folders of this machine, byte for byte. The programs that they start read and write S3 by themselves.

use std::fs;

use super::{KEY, Objects, SECRET, STORE, check_secrecy};
use howdah_sandbox::engines;
use howdah_sandbox::revenue::{self, EndOfMonth};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::store_proxy::LONG_TICK;

const NOW: &str = "2026-04-02T00:00Z";

/// A program of the pipeline that adds the last column of `FILE` in each instance; it uses curl as a client of S3.
const PROGRAM: &str = r#"#!/bin/sh
set -eu
curl() { command curl --config CONFIG "$@"; }
place() { echo "SERVER/bucket/${1#*://*/}/$2"; }
instances=$1
IFS=,
set -f
for instance in $instances; do
    curl "$(place "$instance" FILE)"
done > lines
awk -F, '{ cents += $NF } END { printf "%.0f\n", cents }' lines > sum
curl -T sum "$(place "$OUTPUT" total)"
: > nothing
curl -T nothing "$(place "$OUTPUT" _SUCCESS)"
echo "cents=$(cat sum)"
"#;

/// Puts the pipeline and its checkouts, from the first that are read, into `revenue/` of the bucket.
fn put(sandbox: &Sandbox, objects: &Objects, first: &str) {
    let config = format!(
        "silent\nshow-error\nfail\nuser = \"{KEY}:{SECRET}\"\naws-sigv4 = \"aws:amz:us-east-1:s3\"\n\
         header = \"x-amz-content-sha256: UNSIGNED-PAYLOAD\"\n"
    );
    let config = sandbox.write("curl.conf", &config).display().to_string();
    let server = format!("http://127.0.0.1:{}", objects.port);
    for (program, file) in
        [("revenue-calculator-wf/add-orders.sh", "orders.csv"), ("roll-up-revenue-wf/add-totals.sh", "total")]
    {
        let text = PROGRAM.replace("CONFIG", &config).replace("SERVER", &server).replace("FILE", file);
        sandbox.write(&format!("pipeline/{program}"), &text);
    }
    for instance in fs::read_dir(sandbox.path("work/data/checkouts")).expect("the generator wrote it") {
        let instance = instance.expect("an instance");
        if instance.file_name().to_string_lossy().as_ref() < first {
            fs::remove_dir_all(instance.path()).expect("a folder of the sandbox");
        }
    }
    for (from, to) in [("pipeline", "revenue/app"), ("work/data", "revenue/data")] {
        let copied = [sandbox.path(from), objects.path(to)].map(|path| path.display().to_string());
        fs::create_dir_all(objects.path("revenue")).expect("a folder");
        engines::run(std::process::Command::new("cp").arg("-R").args(copied)).expect("a copy");
    }
}

/// Checks each total in the bucket, and that there are no others.
fn check_totals(objects: &Objects, totals: &[(String, String, u64)]) {
    for dataset in ["hourlyRevenue", "dailyRevenue", "monthlyRevenue"] {
        let wanted = totals.iter().filter(|(of, ..)| of == dataset).flat_map(|(_, name, cents)| {
            [(format!("{name}/_SUCCESS"), String::new()), (format!("{name}/total"), format!("{cents}\n"))]
        });
        let found = objects.objects(&format!("revenue/data/{dataset}"));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{dataset}");
    }
}

fn tick_to_the_end(sandbox: &Sandbox) {
    for _ in 0..100 {
        sandbox.tick_through(NOW);
        if sandbox.database().value("SELECT count(*) FROM coordinator_job WHERE status = 'RUNNING'") == "0" {
            return;
        }
    }
    panic!("the jobs run for ever: {}", sandbox.database().actions());
}

#[test]
fn the_pipeline_runs_in_a_bucket_as_on_folders() {
    let Some(objects) = Objects::start() else { return };
    engines::apt(&["curl"]).expect("a client for the programs");
    let EndOfMonth { sandbox, totals, first_checkouts, first_day } =
        revenue::end_of_a_month(revenue::days_of_this_tier());
    put(&sandbox, &objects, &first_checkouts);
    objects.allow_with(&sandbox, STORE, SECRET, &[LONG_TICK]);
    for coordinator in ["hourly", "daily", "monthly"] {
        let properties = sandbox.path(&format!("pipeline/{coordinator}.properties"));
        let submit = sandbox.howdah(["submit", "-c"]).with(properties).at(NOW);
        let submit = submit.define("pipeline", &format!("{STORE}/revenue/app"));
        submit.define("data", &format!("{STORE}/revenue/data")).succeed();
    }
    tick_to_the_end(&sandbox);
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT DISTINCT status FROM coordinator_action"), ["SUCCEEDED"]);
    assert_eq!(database.rows("SELECT DISTINCT number FROM attempt"), ["1"], "no command ran twice");
    check_totals(&objects, &totals);
    let job = database.value("SELECT id FROM coordinator_job WHERE name = 'dailyRollUpRevenue-coord'");
    let mut expect = objects.objects("revenue");
    sandbox.howdah(["rerun", &job, "--action", "1", "--yes"]).at(NOW).succeed();
    let all = expect.len();
    expect.retain(|key, _| !key.starts_with(&format!("data/dailyRevenue/{first_day}")));
    assert_eq!(expect.len(), all - 2, "a total and its done-flag");
    assert_eq!(objects.objects("revenue"), expect, "the rerun deletes its output and nothing else");
    tick_to_the_end(&sandbox);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    check_totals(&objects, &totals);
    check_secrecy(&sandbox);
}

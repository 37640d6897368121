//! The data pipeline of the coordinator specification's section 6.2, wholly on HDFS: its definitions are those that run
//! on folders of this machine, byte for byte. The programs that they start read and write HDFS by themselves.

use std::fs;
use std::path::Path;

#[cfg(feature = "hdfs")]
use super::rpc_proxy::RpcProxy;
use super::{Hdfs, Way, allow_with};
use howdah_sandbox::engines;
use howdah_sandbox::revenue::{self, EndOfMonth};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::store_proxy::{LONG_TICK, StoreProxy};
use howdah_tier as tier;

const NOW: &str = "2026-04-02T00:00Z";

/// The definitions of the pipeline.
const DEFINITIONS: [&str; 6] = [
    "datasets.xml",
    "hourly/coordinator.xml",
    "daily/coordinator.xml",
    "monthly/coordinator.xml",
    "revenue-calculator-wf/workflow.xml",
    "roll-up-revenue-wf/workflow.xml",
];

/// A program of the pipeline that adds the last column of `FILE` in each instance; it uses curl as a client of HDFS.
const PROGRAM: &str = r#"#!/bin/sh
set -eu
place() { echo "WEB/webhdfs/v1/${1#*://*/}/$2?user.name=root"; }
instances=$1
IFS=,
set -f
for instance in $instances; do
    curl -sSfL "$(place "$instance" FILE)&op=OPEN"
done > lines
awk -F, '{ cents += $NF } END { printf "%.0f\n", cents }' lines > sum
curl -sSfL -T sum "$(place "$OUTPUT" total)&op=CREATE&overwrite=false" > answers
: > nothing
curl -sSfL -T nothing "$(place "$OUTPUT" _SUCCESS)&op=CREATE&overwrite=false" >> answers
echo "cents=$(cat sum)"
"#;

/// Puts the pipeline and its checkouts, from the first that are read, into `/revenue`.
fn put(sandbox: &Sandbox, hdfs: &Hdfs, first: &str) {
    for (program, file) in
        [("revenue-calculator-wf/add-orders.sh", "orders.csv"), ("roll-up-revenue-wf/add-totals.sh", "total")]
    {
        let web = format!("http://127.0.0.1:{}", hdfs.web);
        sandbox.write(&format!("pipeline/{program}"), &PROGRAM.replace("WEB", &web).replace("FILE", file));
    }
    fs::create_dir(sandbox.path("revenue")).expect("an empty folder");
    for (from, to) in [("pipeline", "revenue/app"), ("work/data", "revenue/data")] {
        fs::rename(sandbox.path(from), sandbox.path(to)).expect("a folder of the sandbox");
    }
    for instance in fs::read_dir(sandbox.path("revenue/data/checkouts")).expect("the generator wrote it") {
        let instance = instance.expect("an instance");
        if instance.file_name().to_string_lossy().as_ref() < first {
            fs::remove_dir_all(instance.path()).expect("a folder of the sandbox");
        }
    }
    hdfs.shell(&["-put", &sandbox.text("revenue"), "/"]);
}

/// Checks each total on HDFS, seen by Hadoop's own client, and that there are no others.
fn check_totals(hdfs: &Hdfs, totals: &[(String, String, u64)]) {
    for dataset in ["hourlyRevenue", "dailyRevenue", "monthlyRevenue"] {
        let folder = format!("/revenue/data/{dataset}");
        let wanted = || totals.iter().filter(|(of, ..)| of == dataset);
        let paths = wanted().flat_map(|(_, name, _)| ["", "/_SUCCESS", "/total"].map(|end| format!("{name}{end}")));
        assert_eq!(hdfs.tree(&folder).into_keys().collect::<Vec<_>>(), paths.collect::<Vec<_>>(), "{dataset}");
        let cents: Vec<String> = wanted().map(|(.., cents)| cents.to_string()).collect();
        let stored = hdfs.shell(&["-cat", &format!("{folder}/*/total")]);
        assert_eq!(stored.lines().collect::<Vec<_>>(), cents, "{dataset}");
    }
}

/// Ticks until each job has ended.
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
fn the_pipeline_runs_on_hdfs_as_on_folders() {
    // The two ways differ in the client alone, which other tests of the full tier use.
    for way in if tier::is_soak() { Way::ALL } else { &Way::ALL[..1] } {
        // Its own, because the pipeline has one folder.
        let Some(hdfs) = Hdfs::start() else { return };
        check_pipeline(&hdfs, *way);
    }
}

/// A server for howdah that records its deletions, and the paths of those that it has received.
fn recorded(hdfs: &Hdfs, way: Way) -> (String, Box<dyn Fn() -> Vec<String>>) {
    match way {
        Way::Http => {
            let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
            let server = format!("webhdfs://127.0.0.1:{}", proxy.port);
            let path = |path: &str| path.strip_prefix("/webhdfs/v1").unwrap_or(path).to_owned();
            let deleted = move || proxy.received("DELETE").iter().map(|request| path(&request.path)).collect();
            (server, Box::new(deleted))
        }
        #[cfg(feature = "hdfs")]
        Way::Rpc => {
            let proxy = RpcProxy::start(hdfs.rpc);
            let server = format!("hdfs://127.0.0.1:{}", proxy.port);
            (server, Box::new(move || proxy.received("delete").into_iter().map(|call| call.path).collect()))
        }
    }
}

fn check_pipeline(hdfs: &Hdfs, way: Way) {
    engines::apt(&["curl"]).expect("a client for the programs");
    let EndOfMonth { sandbox, totals, first_checkouts, first_day } =
        revenue::end_of_a_month(revenue::days_of_this_tier());
    let definitions = DEFINITIONS.map(|path| sandbox.read(&format!("pipeline/{path}")));
    put(&sandbox, hdfs, &first_checkouts);
    for (path, on_folders) in DEFINITIONS.iter().zip(definitions) {
        assert_eq!(hdfs.read(&format!("/revenue/app/{path}")), Some(on_folders), "{path}");
    }
    let ((server, deleted), name) = (recorded(hdfs, way), hdfs.name());
    allow_with(&sandbox, &format!("{name}={server}"), &[LONG_TICK]);
    for coordinator in ["hourly", "daily", "monthly"] {
        let properties = sandbox.path(&format!("revenue/app/{coordinator}.properties"));
        let submit = sandbox.howdah(["submit", "-c"]).with(properties).at(NOW);
        let submit = submit.define("pipeline", &format!("{name}/revenue/app"));
        submit.define("data", &format!("{name}/revenue/data")).succeed();
    }
    tick_to_the_end(&sandbox);
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT DISTINCT status FROM coordinator_action"), ["SUCCEEDED"]);
    assert_eq!(database.rows("SELECT DISTINCT number FROM attempt"), ["1"], "no command ran twice");
    check_totals(hdfs, &totals);
    rerun_a_day(&sandbox, hdfs, &first_day, &*deleted);
    check_totals(hdfs, &totals);
    let mut outside = deleted();
    outside.retain(|path| !is_instance(path.strip_prefix("/revenue/data/").unwrap_or("")));
    assert!(outside.is_empty(), "deleted, but no output of an action: {outside:?}");
}

/// Whether a path is an output of an action: an instance of a dataset that the pipeline writes.
fn is_instance(path: &str) -> bool {
    let mut steps = Path::new(path).iter().map(|step| step.to_string_lossy());
    let dataset = steps.next().unwrap_or_default();
    dataset.ends_with("Revenue") && steps.next().is_some() && steps.next().is_none()
}

/// Reruns the first day: its output goes before, and nothing else; then it is written again.
fn rerun_a_day(sandbox: &Sandbox, hdfs: &Hdfs, first_day: &str, deletions: &dyn Fn() -> Vec<String>) {
    let job = sandbox.database().value("SELECT id FROM coordinator_job WHERE name = 'dailyRollUpRevenue-coord'");
    let (before, deleted) = (hdfs.tree("/revenue"), deletions().len());
    sandbox.howdah(["rerun", &job, "--action", "1", "--yes"]).at(NOW).succeed();
    let mut expect = before.clone();
    expect.retain(|path, _| !path.starts_with(&format!("data/dailyRevenue/{first_day}")));
    assert_eq!(expect.len(), before.len() - 3, "an instance with its total and its done-flag");
    let after = hdfs.tree("/revenue");
    // The folder above has another time.
    let without = |tree: &std::collections::BTreeMap<_, _>| {
        let mut tree = tree.clone();
        tree.remove("data/dailyRevenue");
        tree
    };
    assert_eq!(without(&after), without(&expect));
    assert_eq!(deletions().len(), deleted + 1, "one request deletes it");
    tick_to_the_end(sandbox);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

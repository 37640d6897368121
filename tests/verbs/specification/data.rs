//! Sections 5.1, 6.6.6, 6.6.7 and 6.10: what must exist, and what is chosen from what exists.

use serde_json::Value;

use super::{Deviation, Example, NOW, property, uris};
use howdah_sandbox::application::workflow;

/// The first three instances of a dataset, with what must exist.
fn check_dataset(name: &'static str, expect: &[&str], deviation: Option<Deviation>) {
    let action = &Example::new(name, &[("market", "us")]).actions("1")[0];
    let answer = property(action, "wfInput").replace("hdfs://foo:8020/app/", "");
    assert_eq!(answer, expect.join(","), "{name}");
    if let Some(deviation) = deviation {
        deviation.check(&answer);
    }
}

#[test]
fn datasets() {
    let printed = "logs/us/2009/02/15/data";
    let row = "5.1, first example";
    check_dataset(
        "5.1-1",
        &["logs/us/200902/15/data", "logs/us/200902/16/data", "logs/us/200902/17/data"],
        Some(Deviation { row, printed }),
    );
    check_dataset("5.1-2", &["stats/2009/01/data", "stats/2009/02/data", "stats/2009/03/data"], None);
    let printed = "stats/2009/01/data,stats/2009/04/data,stats/2009/07/data";
    check_dataset("5.1-3", &printed.split(',').collect::<Vec<_>>(), None);
    check_dataset("5.1-4", &["logs/2009/01/01/data", "logs/2009/01/02/data", "logs/2009/01/03/data"], None);
    let fixed = ["logs/2009/01/01/10/30/data", "logs/2009/01/02/10/30/data", "logs/2009/01/03/10/30/data"];
    check_dataset("5.1-5", &fixed, None);
    let partition = "hcat://myhcatmetastore:9080/database1/table1/\
        myfirstpartitionkey=myfirstvalue;mysecondpartitionkey=mysecondvalue";
    check_dataset("5.2", &[partition; 3], None);
}

/// Whether the first action is ready when these paths exist (below `/app` of the store `foo`).
fn is_ready(name: &'static str, paths: &[&str]) -> bool {
    let example = Example::new(name, &[("market", "us")]);
    for path in paths {
        example.sandbox.write(&format!("foo/app/{path}"), "");
    }
    example.first_action(NOW)["ready"].as_bool().expect("the data was looked at")
}

/// The directory itself, `_SUCCESS`, another flag.
#[test]
fn done_flags() {
    let file = |folder: &str, flag: &str| format!("{folder}/{flag}");
    for (name, folders, flag) in [
        ("5.1-1", ["logs/us/200902/15/data", "logs/us/200902/16/data", "logs/us/200902/17/data"], "part-00000"),
        ("5.1-2", ["stats/2009/01/data", "stats/2009/02/data", "stats/2009/03/data"], "_SUCCESS"),
        ("5.1-3", ["stats/2009/01/data", "stats/2009/04/data", "stats/2009/07/data"], "trigger.dat"),
    ] {
        let flags: Vec<String> = folders.iter().map(|folder| file(folder, flag)).collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        assert!(is_ready(name, &flags), "{name}");
        assert!(!is_ready(name, &flags[..2]), "{name}");
        let others: Vec<String> = folders.iter().map(|folder| file(folder, "other")).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        assert_eq!(is_ready(name, &others), flag == "part-00000", "{name}");
    }
}

fn input(action: &Value, index: usize) -> Vec<String> {
    let answer = uris(&action["inputs"][index]);
    answer.iter().map(|uri| uri.replace("hdfs://bar:8020/app/logs/", "")).collect()
}

#[test]
fn latest() {
    let there = ["01", "02", "03", "05", "07", "10"].map(|day| format!("logs/2009/01/{day}"));
    let example = Example::new("6.6.6", &[]).with(&there.iter().map(String::as_str).collect::<Vec<_>>());
    let action = example.first_action("2009-01-10T12:00Z");
    assert_eq!(input(&action, 0), ["2009/01/05", "2009/01/10"]);
    assert_eq!(action["ready"], true);
}

/// The printed gaps do not fit the printed dates, but the first and the third instance that exist are those printed.
#[test]
fn future() {
    let there = ["01", "04", "07", "11", "14", "16"].map(|day| format!("logs/2009/02/{day}"));
    let example = Example::new("6.6.7", &[]).with(&there.iter().map(String::as_str).collect::<Vec<_>>());
    let action = example.first_action(NOW);
    assert_eq!(input(&action, 0), ["2009/02/01", "2009/02/07"]);
    assert_eq!(action["ready"], true);
}

/// The instances of the action at 02:00 with these minutes: `A:20` is the instance 00:20 of `A`.
fn instances(of: &str) -> Vec<String> {
    let path = |instance: &str| {
        let (event, minutes) = instance.split_once(':').expect("A:20");
        let minutes: u32 = minutes.parse().expect("minutes");
        format!("input-data/{event}/2010/01/01/{:02}/{:02}", minutes / 60, minutes % 60)
    };
    of.split_whitespace().map(path).collect()
}

/// Returns the value of `name` in the first action of an example; `None` when it waits.
fn logic(example: &'static str, there: &str, name: &str) -> Option<String> {
    let there = instances(there);
    let example = Example::new(example, &[]).with(&there.iter().map(String::as_str).collect::<Vec<_>>());
    let action = example.first_action(NOW);
    let list = |uris: &str| {
        let instance = |uri: &str| {
            let parts: Vec<&str> = uri.rsplit('/').collect();
            let minutes = |text: &str| text.parse::<u32>().expect("digits");
            format!("{}:{:02}", parts[5], minutes(parts[1]) * 60 + minutes(parts[0]))
        };
        uris.split(',').filter(|uri| !uri.is_empty()).map(instance).collect::<Vec<_>>().join(" ")
    };
    let ready = action["ready"].as_bool().expect("the data was looked at");
    ready.then(|| list(property(&action, name)))
}

fn check_logic(example: &'static str, there: &str, name: &str, expect: Option<&str>) {
    assert_eq!(logic(example, there, name).as_deref(), expect, "{example} with {there}");
}

const A: &str = "A:20 A:40 A:60 A:80 A:100";
const B: &str = "B:20 B:40 B:60 B:80 B:100";
const C: &str = "C:20 C:40 C:60 C:80 C:100";
const D: &str = "D:20 D:40 D:60 D:80 D:100";

#[test]
fn or_takes_the_first_that_exists() {
    let both = [A, B].join(" ");
    check_logic("6.10-1", &both, "AorB", Some(A));
    check_logic("6.10-1", B, "AorB", Some(B));
    check_logic("6.10-1", "A:20 A:40 B:20", "AorB", None);
}

#[test]
fn and_inside_or() {
    let first = [A, B].join(" ");
    let second = [C, D].join(" ");
    check_logic("6.10-2", &first, "AorB", Some(&first));
    check_logic("6.10-2", &second, "CorD", Some(&second));
    check_logic("6.10-2", &[A, C].join(" "), "AorB", None);
}

#[test]
fn combine_fills_the_gaps_of_the_first() {
    check_logic("6.10-3", "A:20 A:60 B:20 B:40 B:80 B:100", "AorB", Some("A:20 B:40 A:60 B:80 B:100"));
    check_logic("6.10-3", "A:20 A:60 B:20 B:40 B:80", "AorB", None);
}

#[test]
fn a_least_number_is_enough() {
    check_logic("6.10-4", "A:20", "least", None);
    check_logic("6.10-4", "A:20 A:80", "least", Some("A:20 A:80"));
    check_logic("6.10-5", "A:20 B:20 B:100", "AorB", Some("B:20 B:100"));
    check_logic("6.10-5", "A:20 A:40 B:20 B:100", "AorB", Some("A:20 A:40"));
    check_logic("6.10-5", "A:20 B:20", "AorB", None);
}

/// Returns the status of the example's action, submitted at its nominal time, after a number of minutes.
fn check_wait(example: &'static str, there: &str, minutes: u32, expect: &str) {
    let there = instances(there);
    let example = Example::new(example, &[]).with(&there.iter().map(String::as_str).collect::<Vec<_>>());
    let sandbox = &example.sandbox;
    workflow(sandbox, "bar/usr/joe/wf", "end", &[]);
    let mount = format!("hdfs://bar:8020={}", sandbox.text("bar"));
    let howdah = |verb, now: &str| sandbox.howdah([verb]).env("HOWDAH_MOUNTS", &mount).at(now);
    let submit = howdah("submit", "2010-01-01T02:00Z");
    submit.define("oozie.coord.application.path", &sandbox.text("app")).succeed();
    for minute in [0, minutes] {
        howdah("tick", &format!("2010-01-01T02:{minute:02}Z")).succeed();
    }
    sandbox.await_quiet();
    assert_eq!(sandbox.database().actions(), format!("1 {expect}"), "{} after {minutes} minutes", example.name);
}

#[test]
fn a_wait_leaves_time_for_more() {
    check_wait("6.10-6", "A:20 A:40", 9, "WAITING");
    check_wait("6.10-6", "A:20 A:40", 10, "SUCCEEDED");
    check_wait("6.10-6", A, 1, "SUCCEEDED");
    // When `or` has them, both apply to each of its inputs.
    check_wait("6.10-7", "B:20 B:40", 9, "WAITING");
    check_wait("6.10-7", "B:20 B:40", 10, "SUCCEEDED");
    check_wait("6.10-7", "A:20", 10, "WAITING");
}

/// A name without quotes is read as the name of the event, with a warning (decision C23).
#[test]
fn names_of_nested_operators() {
    let first = [A, B].join(" ");
    check_logic("6.10-8", &first, "inputCheckDataAorB", Some(&first));
    let second = [C, D].join(" ");
    check_logic("6.10-8", &second, "inputCheckDataCorD", Some(&second));
}

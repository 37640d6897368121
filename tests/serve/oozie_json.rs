//! `--json=oozie`: the JSON of Oozie's web services on the command line.

use serde_json::Value;

use crate::oozie::{Jobs, NOW};

fn document(jobs: &Jobs, arguments: &[&str]) -> Value {
    let ran = jobs.sandbox.howdah([]).with_all(arguments).at(NOW).succeed();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn jobs_and_actions_have_the_names_and_dates_of_oozie() {
    let jobs = Jobs::new();
    let list = document(&jobs, &["jobs", "--jobtype", "wf", "--json=oozie"]);
    assert_eq!(list["workflows"][0]["toString"], format!("Workflow id[{}] status[SUCCEEDED]", jobs.workflow));
    let job = document(&jobs, &["info", &jobs.coordinator, "--json=oozie"]);
    assert_eq!(job["startTime"], "Mon, 22 Jun 2015 15:06:00 GMT");
    assert_eq!(
        (&job["mat_throttling"], &job["actions"][0]["missingDependencies"]),
        (&12.into(), &"file:///d/2015".into())
    );
    let action = format!("{}@1", jobs.coordinator);
    assert_eq!(document(&jobs, &["info", &action, "--json=oozie"])["coordJobId"], jobs.coordinator);
    let runs = document(&jobs, &["info", &action, "--allruns", "--json=oozie"]);
    assert_eq!(runs["workflows"], Value::Array(Vec::new()));
    let node = format!("{}@shell-node", jobs.workflow);
    let both = document(&jobs, &["info", &jobs.workflow, &node, "--json=oozie"]);
    assert_eq!((&both[0]["appName"], &both[1]["name"]), (&"test".into(), &"shell-node".into()));
}

#[test]
fn the_plain_form_stays_and_other_verbs_have_no_form_of_oozie() {
    let jobs = Jobs::new();
    for flag in ["--json", "--json=howdah"] {
        let job = document(&jobs, &["info", &jobs.coordinator, flag]);
        assert_eq!(job["startTime"], "2015-06-22T15:06Z", "{flag}");
    }
    for words in [&["status", "--json=oozie"][..], &["info", &jobs.workflow, "--definition", "--json=oozie"]] {
        let ran = jobs.sandbox.howdah([]).with_all(words).run();
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(ran.status == Some(2) && said.contains("H0002"), "{words:?}: {ran:?}");
    }
}

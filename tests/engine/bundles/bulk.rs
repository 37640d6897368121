//! `jobs --bulk`: the actions of all coordinators of a bundle in one list.

use super::{EARLY, LATE, coordinator, submit};
use howdah_sandbox::application::{shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

/// A bundle whose actions for one o'clock were killed by their workflow.
fn half_killed() -> (Sandbox, String) {
    let sandbox = super::sandbox("");
    let fails = r#"case "${nominal}" in *T01*) exit 1;; esac"#;
    workflow(&sandbox, "app", "one", &[shell("one", fails, "end")]);
    let job = submit(&sandbox, EARLY).succeed().job();
    sandbox.tick_through(LATE);
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    (sandbox, job)
}

fn bulk(sandbox: &Sandbox, filter: &str, further: &[&str]) -> Ran {
    sandbox.howdah(["jobs", "--bulk", filter].into_iter().chain(further.iter().copied())).at(LATE).run()
}

#[test]
fn what_failed_is_listed_across_coordinators() {
    let (sandbox, job) = half_killed();
    let ran = bulk(&sandbox, "bundle=both", &[]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    // It is random which coordinator's first action ends first, and so whose second one starts first.
    let listed = ran.stdout.replace("0000006-", "0000005-");
    insta::assert_snapshot!("bulk", sandbox.redact(&listed));
    let ran = bulk(&sandbox, &format!("bundle={job}"), &["--json", "--offset", "2"]);
    let list: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!((&list["total"], &list["offset"], &list["len"]), (&2.into(), &2.into(), &50.into()));
    let responses = list["bulkresponses"].as_array().expect("a list");
    let common = coordinator(&sandbox, "common");
    assert_eq!(responses.len(), 1);
    assert_eq!(responses[0]["bulkbundle"]["bundleJobId"], job.as_str());
    assert_eq!(responses[0]["bulkcoord"]["coordJobId"], common.as_str());
    assert_eq!(responses[0]["bulkaction"]["id"], format!("{common}@2"));
    assert_eq!(responses[0]["bulkaction"]["status"], "KILLED");
}

#[test]
fn a_filter_restricts_the_list() {
    let (sandbox, job) = half_killed();
    let (own, common) = (coordinator(&sandbox, "own"), coordinator(&sandbox, "common"));
    let check = |filter: &str, further: &[&str], expect: &[(&str, u32)]| {
        let ran = bulk(&sandbox, filter, &[further, &["--json"]].concat());
        let list: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
        let ids: Vec<&str> = list["bulkresponses"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| row["bulkaction"]["id"].as_str())
            .collect();
        let expect: Vec<String> = expect.iter().map(|(job, number)| format!("{job}@{number}")).collect();
        assert_eq!(ids, expect, "{filter} {further:?}");
    };
    let all = "bundle=both;actionstatus=KILLED,SUCCEEDED";
    check(all, &[], &[(&own, 1), (&own, 2), (&common, 1), (&common, 2)]);
    check(all, &["--len", "2", "--offset", "2"], &[(&own, 2), (&common, 1)]);
    check(all, &["--len", "1", "--offset", "4"], &[(&common, 2)]);
    check(all, &["--offset", "5"], &[]);
    check("bundle=both;actionstatus=SUCCEEDED", &[], &[(&own, 1), (&common, 1)]);
    check("bundle=both;coordinators=common,other", &[], &[(&common, 2)]);
    check(&format!("bundle={job};coordinators={own}"), &[], &[(&own, 2)]);
    check(&format!("{all};endscheduledtime=2010-01-01T00:00Z"), &[], &[(&own, 1), (&common, 1)]);
    check(&format!("{all};startscheduledtime=2010-01-01T00:01Z"), &[], &[(&own, 2), (&common, 2)]);
    check(&format!("{all};startcreatedtime=2011-01-01T00:00Z"), &[], &[]);
    check(&format!("{all};endcreatedtime=2009-01-01T00:00Z"), &[], &[]);
    let ran = bulk(&sandbox, "bundle=both;coordinators=off", &[]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "No actions match your criteria!\n"));
    assert!(ran.stderr.contains("only KILLED and FAILED actions"), "{}", ran.stderr);
    for (filter, code) in
        [("bundle=bot", "E0604"), ("coordinators=own", "E0305"), ("bundle=both;status=KILLED", "E0420")]
    {
        let ran = bulk(&sandbox, filter, &[]);
        assert!(ran.status == Some(1) && ran.stderr.contains(code), "{filter}: {ran:?}");
    }
}

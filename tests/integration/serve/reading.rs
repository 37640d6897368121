//! Requests that only read.

use serde_json::{Value, json};

use crate::oozie::{Jobs, NOW};
use crate::sandbox::user_name;
use crate::serve::server::Server;

/// A server on a database with a coordinator that waits for an input and a workflow job that has run.
fn served() -> (Jobs, Server) {
    let jobs = Jobs::new();
    let command = jobs.sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).at(NOW);
    let server = Server::of(&jobs.sandbox, command);
    (jobs, server)
}

/// Checks that a document has exactly these names.
fn assert_names(document: &Value, names: &[&str]) {
    let mut found: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut names = names.to_vec();
    found.sort_unstable();
    names.sort_unstable();
    assert_eq!(found, names, "{document}");
}

const WORKFLOW: [&str; 18] = [
    "id",
    "appName",
    "appPath",
    "status",
    "user",
    "group",
    "acl",
    "run",
    "parentId",
    "externalId",
    "conf",
    "createdTime",
    "startTime",
    "endTime",
    "lastModTime",
    "consoleUrl",
    "actions",
    "toString",
];
const NODE: [&str; 21] = [
    "id",
    "name",
    "type",
    "status",
    "conf",
    "cred",
    "transition",
    "startTime",
    "endTime",
    "data",
    "stats",
    "externalId",
    "externalStatus",
    "externalChildIDs",
    "trackerUri",
    "consoleUrl",
    "errorCode",
    "errorMessage",
    "retries",
    "userRetryCount",
    "toString",
];
const COORDINATOR: [&str; 27] = [
    "coordJobId",
    "coordJobName",
    "coordJobPath",
    "coordExternalId",
    "bundleId",
    "status",
    "user",
    "group",
    "acl",
    "conf",
    "frequency",
    "timeUnit",
    "timeZone",
    "startTime",
    "endTime",
    "pauseTime",
    "nextMaterializedTime",
    "lastAction",
    "createdTime",
    "concurrency",
    "executionPolicy",
    "mat_throttling",
    "timeOut",
    "total",
    "consoleUrl",
    "actions",
    "toString",
];
const ACTION: [&str; 19] = [
    "id",
    "coordJobId",
    "actionNumber",
    "status",
    "type",
    "nominalTime",
    "createdTime",
    "lastModifiedTime",
    "externalId",
    "externalStatus",
    "missingDependencies",
    "pushMissingDependencies",
    "createdConf",
    "runConf",
    "errorCode",
    "errorMessage",
    "trackerUri",
    "consoleUrl",
    "toString",
];

#[test]
fn versions_and_administration() {
    let (_jobs, server) = served();
    assert_eq!(server.get("/oozie/versions").json(200), json!([0, 1, 2]));
    for version in ["v0", "v1", "v2"] {
        let admin = |what: &str| server.get(&format!("/oozie/{version}/admin/{what}")).json(200);
        assert_eq!(admin("status"), json!({ "systemMode": "NORMAL" }));
        let build = admin("build-version");
        assert!(build["buildVersion"].is_string() && build["buildInfo"].is_object(), "{build}");
        for what in ["configuration", "os-env", "java-sys-properties"] {
            assert!(admin(what).is_object(), "{what}");
        }
        let zones = admin("available-timezones");
        let zones = zones["available-timezones"].as_array().expect("zones");
        assert!(zones.iter().any(|zone| zone["timezoneId"] == "America/Los_Angeles"), "{zones:?}");
        assert!(admin("metrics")["gauges"]["howdah_database_bytes"]["value"].is_number());
        let groups = admin("instrumentation");
        let data = groups["variables"][0]["data"].as_array().expect("numbers");
        assert!(data.iter().any(|number| number["name"] == "howdah_database_bytes"), "{data:?}");
        assert!(admin("queue-dump").is_object() && admin("list_sharelib")["sharelib"] == json!([]));
        assert_eq!(admin("available-oozie-servers").as_object().map(serde_json::Map::len), Some(1));
    }
    server.get("/oozie/v2/admin/jmsinfo").assert_refused(400, "E1601");
    server.get("/oozie/v2/admin/nothing").assert_refused(404, "E0301");
}

#[test]
fn every_url_has_options() {
    let (_jobs, server) = served();
    for path in ["/oozie/", "/oozie/versions", "/oozie/v2/jobs", "/oozie/v1/job/x", "/"] {
        let reply = server.send("OPTIONS", path, &[], "");
        assert_eq!((reply.status, reply.body.as_str()), (200, ""), "{path} {reply:?}");
    }
}

#[test]
fn lists_of_jobs_have_their_frames_and_fields() {
    let (jobs, server) = served();
    let list = server.get("/oozie/v1/jobs?offset=0&len=0").json(200);
    assert_names(&list, &["workflows", "total", "offset", "len"]);
    assert_eq!((&list["total"], &list["offset"], &list["len"]), (&json!(1), &json!(1), &json!(50)));
    let job = &list["workflows"][0];
    assert_names(job, &WORKFLOW);
    let (id, user) = (jobs.workflow.as_str(), user_name());
    assert_eq!((&job["id"], &job["status"], &job["user"]), (&json!(id), &json!("SUCCEEDED"), &json!(user)));
    assert_eq!((&job["actions"], &job["conf"]), (&json!([]), &Value::Null));
    assert_eq!(job["createdTime"], "Mon, 22 Jun 2015 15:06:00 GMT");
    assert_eq!(job["toString"], format!("Workflow id[{id}] status[SUCCEEDED]"));
    for kind in ["coord", "coordinator", "c"] {
        let list = server.get(&format!("/oozie/v2/jobs?jobtype={kind}&filter=status%3DRUNNING&len=3")).json(200);
        assert_names(&list["coordinatorjobs"][0], &COORDINATOR);
        assert_eq!((&list["len"], &list["coordinatorjobs"][0]["coordJobId"]), (&json!(3), &json!(jobs.coordinator)));
    }
    // As pyoozie writes it: a filter that is not encoded, and very many at a time.
    let list = server.get("/oozie/v2/jobs?jobtype=wf&filter=status=KILLED;status=FAILED&offset=1&len=5000").json(200);
    assert_eq!((&list["total"], &list["workflows"]), (&json!(0), &json!([])));
    // A status of Oozie that no job has.
    let list = server.get("/oozie/v2/jobs?jobtype=coordinator&filter=status=PREMATER;status=RUNNING").json(200);
    assert_eq!(list["total"], 1);
    let list = server.get("/oozie/v2/jobs?jobtype=bundle").json(200);
    assert_eq!(list["bundlejobs"], json!([]));
    // Nagios writes jobType, which is no parameter: workflow jobs are listed.
    assert_eq!(server.get("/oozie/v1/jobs?jobType=coord").json(200)["total"], 1);
    assert_eq!(server.get("/oozie/v1/jobs?jobtype=wf&external-id=x").json(200), json!({ "id": null }));
    server.get("/oozie/v1/jobs?filter=colour%3Dred").assert_refused(400, "E0420");
    server.get("/oozie/v1/jobs?len=many").assert_refused(400, "E0303");
    server.get("/oozie/v1/jobs?jobtype=x").assert_refused(400, "E0303");
}

#[test]
fn a_workflow_job_and_its_node() {
    let (jobs, server) = served();
    let id = &jobs.workflow;
    let job = server.get(&format!("/oozie/v1/job/{id}?show=info&timezone=America/Los_Angeles")).json(200);
    assert_names(&job, &WORKFLOW);
    assert_eq!(job["createdTime"], "Mon, 22 Jun 2015 08:06:00 PDT");
    assert!(job["conf"].as_str().is_some_and(|conf| conf.contains("<name>x</name>")), "{job}");
    let nodes = job["actions"].as_array().expect("nodes");
    for node in nodes {
        assert_names(node, &NODE);
    }
    let node = nodes.iter().find(|node| node["name"] == "shell-node").expect("the node");
    assert_eq!((&node["status"], &node["type"]), (&json!("OK"), &json!("shell")));
    assert!(node["conf"].as_str().is_some_and(|conf| conf.contains("<exec>")), "{node}");
    let one = server.get(&format!("/oozie/v1/job/{id}@shell-node?show=info")).json(200);
    assert_names(&one, &NODE);
    assert_eq!(one["id"], format!("{id}@shell-node"));
    let page = server.get(&format!("/oozie/v1/job/{id}?show=info&offset=2&len=1")).json(200);
    assert_eq!(page["actions"].as_array().map(Vec::len), Some(1));
    assert_eq!(page["actions"][0]["name"], nodes[1]["name"]);
    let retries = server.get(&format!("/oozie/v2/job/{id}@shell-node?show=retries")).json(200);
    assert_eq!(retries, json!({ "retries": [] }));
}

#[test]
fn a_coordinator_job_and_its_actions() {
    let (jobs, server) = served();
    let id = &jobs.coordinator;
    let job = server.get(&format!("/oozie/v1/job/{id}")).json(200);
    assert_names(&job, &COORDINATOR);
    assert_eq!((&job["total"], &job["frequency"], &job["timeUnit"]), (&json!(1), &json!("60"), &json!("MINUTE")));
    let action = &job["actions"][0];
    assert_names(action, &ACTION);
    assert_eq!((&action["status"], &action["missingDependencies"]), (&json!("WAITING"), &json!("file:///d/2015")));
    assert_eq!(action["nominalTime"], "Mon, 22 Jun 2015 15:06:00 GMT");
    // Version 2 shows actions only when it is asked for some; the command line asks for -1.
    let count = |query: &str| {
        let job = server.get(&format!("/oozie/v2/job/{id}{query}")).json(200);
        job["actions"].as_array().map(Vec::len)
    };
    assert_eq!(
        [count(""), count("?len=0"), count("?offset=-1&len=-1"), count("?len=5")],
        [Some(0), Some(0), Some(1), Some(1)]
    );
    assert_eq!(count("?len=5&filter=status%3DKILLED"), Some(0));
    let one = server.get(&format!("/oozie/v2/job/{id}@1?show=info")).json(200);
    assert_names(&one, &ACTION);
    let missing = server.get(&format!("/oozie/v2/job/{id}?show=missing-dependencies&action-list=1")).json(200);
    let sets = json!([{ "dataSet": "input", "missingDependencies": ["file:///d/2015"] }]);
    assert_eq!(missing["missingDependencies"], json!([{ "id": 1, "blockedOn": "file:///d/2015", "dataSets": sets }]));
    let runs = server.get(&format!("/oozie/v2/job/{id}@1?show=allruns")).json(200);
    let same = server.get(&format!("/oozie/v2/job/{id}?show=allruns&type=action&scope=1")).json(200);
    assert_eq!((&runs, &same), (&json!({ "workflows": [] }), &json!({ "workflows": [] })));
}

#[test]
fn what_else_is_shown_of_a_job() {
    let (jobs, server) = served();
    let (workflow, coordinator) = (&jobs.workflow, &jobs.coordinator);
    for (id, status) in
        [(workflow.clone(), "SUCCEEDED"), (coordinator.clone(), "RUNNING"), (format!("{coordinator}@1"), "WAITING")]
    {
        let found = server.get(&format!("/oozie/v2/job/{id}?show=status")).json(200);
        assert_eq!(found, json!({ "status": status }), "{id}");
    }
    let definition = server.get(&format!("/oozie/v1/job/{workflow}?show=definition"));
    assert_eq!(definition.header("content-type"), Some("application/xml;charset=UTF-8"));
    assert!(definition.body.contains("<workflow-app"), "{definition:?}");
    for show in ["log", "errorlog", "auditlog"] {
        let log = server.get(&format!("/oozie/v2/job/{workflow}?show={show}"));
        assert_eq!((log.status, log.header("content-type")), (200, Some("text/plain;charset=UTF-8")), "{log:?}");
    }
    let log = server.get(&format!("/oozie/v2/job/{workflow}?show=log")).body;
    assert!(log.contains("shell-node") && log.contains("exit status 0"), "{log}");
    let audit = server.get(&format!("/oozie/v2/job/{coordinator}?show=auditlog")).body;
    assert!(audit.contains("submit"), "{audit}");
    let of_action = server.get(&format!("/oozie/v2/job/{coordinator}?show=log&type=action&scope=1"));
    assert_eq!(of_action.status, 200, "{of_action:?}");
    server.get(&format!("/oozie/v2/job/{workflow}?show=jmstopic")).assert_refused(400, "E1602");
    server.get(&format!("/oozie/v2/job/{workflow}?show=colour")).assert_refused(400, "E0303");
    server.get(&format!("/oozie/v2/job/{coordinator}@7?show=info")).assert_refused(400, "E0605");
    let other = workflow.replace("0000000", "0000009").replace("0000001", "0000009");
    server.get(&format!("/oozie/v2/job/{other}?show=info")).assert_refused(400, "E0604");
    assert_eq!(server.get("/oozie/v2/sla?filter=app_name%3Dx").json(200)["slaSummaryList"], json!([]));
}

#[test]
fn what_is_not_there() {
    let (_jobs, server) = served();
    for path in ["/oozie/v3/jobs", "/oozie/v1", "/oozie/v1/jobs/x", "/nothing"] {
        server.get(path).assert_refused(404, "E0301");
    }
    server.send("DELETE", "/oozie/v1/jobs", &[], "").assert_refused(405, "E0301");
    let head = server.send("HEAD", "/oozie/versions", &[], "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

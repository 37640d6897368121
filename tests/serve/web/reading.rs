//! Requests that only read.

use serde_json::{Value, json};

use crate::oozie::{Jobs, NOW};
use howdah_sandbox::application::{Coordinator, action, shell, shell_body, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name};
use howdah_sandbox::web_server::Server;

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
const NODE: [&str; 23] = [
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
    "userRetryMax",
    "userRetryInterval",
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
        let status = if version == "v0" { json!({ "safeMode": false }) } else { json!({ "systemMode": "NORMAL" }) };
        assert_eq!(admin("status"), status);
        let build = admin("build-version");
        assert_eq!((&build["buildVersion"], &build["buildInfo"]["build.version"]), (&"5.2.1".into(), &"5.2.1".into()));
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
    // What Oozie has for a node without attributes.
    assert_eq!((&node["userRetryMax"], &node["userRetryInterval"]), (&json!(0), &json!(10)));
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

/// One request cannot ask for so much that the server has no memory left.
#[test]
fn so_many_actions_at_once_and_no_more() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    let controls = "<execution>NONE</execution>";
    let (start, end) = ("2015-06-01T00:00Z", "2015-07-01T00:00Z");
    Coordinator { start, end, controls, frequency: "${coord:minutes(1)}", ..Coordinator::default() }.write(&sandbox);
    let id = sandbox.submit("2015-06-01T00:00Z", &[]);
    sandbox.tick(NOW);
    let server = Server::of(&sandbox, sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).at(NOW));
    for version in ["v1", "v2"] {
        let job = server.get(&format!("/oozie/{version}/job/{id}?len=2147483647")).json(200);
        assert_eq!(job["actions"].as_array().map(Vec::len), Some(10_000), "{version}");
    }
    let missing = |which: &str| server.get(&format!("/oozie/v2/job/{id}?show=missing-dependencies&{which}"));
    assert_eq!(missing("action-list=1-3,20000-20001").status, 200);
    missing("action-list=1-2000000000").assert_refused(400, "E0302");
    missing("action-list=1,20-10019").assert_refused(400, "E0302");
    let log = |which: &str| server.get(&format!("/oozie/v2/job/{id}?show=log&{which}"));
    assert_eq!(log("type=action&scope=1-9999,20000").status, 200);
    log("type=action&scope=1-2000000000").assert_refused(400, "E0302");
    log("type=date&scope=2015-06-01T00:00Z::2015-07-01T00:00Z").assert_refused(400, "E0302");
    assert_eq!(missing("date=2015-06-01T00:00Z::2015-07-01T00:00Z").status, 200);
}

#[test]
fn secrets_of_the_site_are_hidden() {
    let jobs = Jobs::new();
    let settings = "howdah.alert.ops.url=https://hooks.example/T0/S3CRET\nhowdah.tick.ping=https://hc.example/S3CRET\n\
                    oozie.email.smtp.password=S3CRET\n";
    let site = jobs.sandbox.write("site.properties", settings);
    let command = jobs.sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--site"]).with(&site).at(NOW);
    let shown = Server::of(&jobs.sandbox, command).get("/oozie/v1/admin/configuration");
    assert_eq!(shown.json(200)["howdah.alert.ops.url"], "https://hooks.example/*****");
    assert!(!shown.body.contains("S3CRET"), "{shown:?}");
}

#[test]
fn logs_and_refusals_show_no_password() {
    let sandbox = Sandbox::new();
    let url = "ftp://ann:s3cret@host/x";
    workflow(&sandbox, "app", "a", &[shell("a", &format!("echo {url}; echo {url} >&2; false"), "end")]);
    let id = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    for path in ["show=log", "show=errorlog", "show=colour-ftp://ann:s3cret@host/x"] {
        let reply = server.get(&format!("/oozie/v1/job/{id}?{path}"));
        assert!(reply.body.contains("ftp://ann:******@host/x"), "{path}: {reply:?}");
        assert!(!format!("{reply:?}").contains("s3cret"), "{path}: {reply:?}");
    }
}

#[test]
fn a_long_message_is_short_in_the_header() {
    let (_jobs, server) = served();
    let reply = server.get(&format!("/oozie/v1/job/x?show={}", "a".repeat(30_000)));
    let reply = if reply.status == 400 { reply } else { panic!("{reply:?}") };
    assert!(reply.head.len() < 5000, "{}", reply.head.len());
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

/// What a definition, a configuration or a run says of a node, and other systems of a job.
#[test]
fn retries_credentials_and_ids_of_other_systems() {
    let sandbox = Sandbox::new();
    let action =
        shell("a", "true", "end").replacen("<action ", "<action retry-max='9' retry-interval='2' cred='c' ", 1);
    workflow(&sandbox, "app", "a", &[action]);
    let path = sandbox.path("app/workflow.xml");
    let text = std::fs::read_to_string(&path).expect("a definition");
    let start = text.find("<start").expect("a start");
    let credentials = "<credentials><credential name='c' type='env'/></credentials>";
    std::fs::write(&path, format!("{}{credentials}{}", &text[..start], &text[start..])).expect("a definition");
    let id = sandbox.submit(NOW, &[("oozie.wf.external.id", "ticket-7")]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    let job = server.get(&format!("/oozie/v1/job/{id}")).json(200);
    assert_eq!(job["externalId"], "ticket-7");
    let nodes = job["actions"].as_array().expect("nodes");
    let node = nodes.iter().find(|node| node["name"] == "a").expect("the node");
    assert_eq!(
        (&node["userRetryMax"], &node["userRetryInterval"], &node["cred"]),
        (&json!(3), &json!(2), &json!("c")),
        "{node}"
    );
    assert_eq!(node["consoleUrl"], format!("http://127.0.0.1:{}/job/{id}@a", server.port));
    assert_eq!(server.get("/oozie/v1/jobs").json(200)["workflows"][0]["externalId"], "ticket-7");
    assert_eq!(server.get("/oozie/v1/jobs?jobtype=wf&external-id=ticket-7").json(200), json!({ "id": id }));
    assert_eq!(server.get("/oozie/v1/jobs?jobtype=wf&external-id=ticket-8").json(200), json!({ "id": null }));
}

/// The keys of nodes, as the running server writes them.
#[test]
fn nodes_have_the_values_of_the_running_server() {
    let sandbox = Sandbox::new();
    let fs =
        "<action name=\"f\"><fs><mkdir path=\"file:${sandbox}/made\"/></fs><ok to=\"m\"/><error to=\"fail\"/></action>";
    // Whether the mail is taken does not matter.
    let mail = "<action name=\"m\"><email xmlns=\"uri:oozie:email-action:0.1\"><to>a@example.org</to><subject>s\
                </subject><body>b</body></email><ok to=\"a\"/><error to=\"a\"/></action>";
    let output = shell_body("echo k=v", "<capture-output/>");
    workflow(&sandbox, "app", "f", &[fs.to_owned(), mail.to_owned(), action("a", &output, "end", "")]);
    let id = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    let job = server.get(&format!("/oozie/v2/job/{id}")).json(200);
    let nodes = job["actions"].as_array().expect("nodes");
    let of = |name: &str, key: &str| {
        let node = nodes.iter().find(|node| node["name"] == name).unwrap_or_else(|| panic!("{name}: {job}"));
        node[key].clone()
    };
    for key in ["externalId", "trackerUri", "consoleUrl"] {
        assert_eq!(of("m", key), "-", "{key}");
    }
    for name in [":start:", "end", "f"] {
        for key in ["externalId", "trackerUri", "consoleUrl"] {
            assert_eq!(of(name, key), "-", "{name} {key}");
        }
        assert_eq!((of(name, "externalStatus"), of(name, "data")), (json!("OK"), json!(null)), "{name}");
    }
    assert_eq!((of("end", "conf"), of("a", "externalStatus")), (json!(""), json!("SUCCEEDED")));
    let data = of("a", "data").as_str().expect("a properties file").to_owned();
    let lines: Vec<&str> = data.lines().collect();
    assert!(lines[0] == "#" && lines[1].starts_with('#') && lines[2..] == ["k=v"], "{data:?}");
}

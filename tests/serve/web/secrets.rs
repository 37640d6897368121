//! Values whose names look secret, as the user of a job and as others read them.

use std::collections::BTreeMap;

use howdah_sandbox::application::{Coordinator, action, shell_body, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name};
use howdah_sandbox::web_server::{Reply, Server};

const NOW: &str = "2015-06-22T15:06Z";

/// Values that only the user of the jobs may read; `OF-SWITCH` no person, because it is in no configuration.
const SECRETS: [&str; 9] = [
    "OF-CONFIG-1",
    "OF-ARGUMENT-2",
    "OF-VARIABLE-3",
    "OF-GLOBAL-4",
    "OF-URL-5",
    "OF-HEADER-6",
    "OF-ACTION-7",
    "OF-OUTPUT-8",
    "OF-ELEMENT-9",
];

/// A coordinator job with an action, and the workflow job of it, with secrets wherever they can be.
struct Jobs {
    sandbox: Sandbox,
    coordinator: String,
    workflow: String,
}

impl Jobs {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let elements = "<argument>--password</argument><argument>OF-ARGUMENT-2</argument>\
             <argument>${wf:conf('my.password')}</argument><env-var>AWS_SECRET_ACCESS_KEY=OF-VARIABLE-3</env-var>\
             <env-var>OF_CONFIG=${wf:conf('my.password')}</env-var>\
             <env-var>H=Authorization: Bearer OF-HEADER-6</env-var><capture-output/>";
        let line = "echo $OF_CONFIG $AWS_SECRET_ACCESS_KEY; echo $OF_CONFIG $H 1>&2; echo api.token=OF-OUTPUT-8";
        let decision = "<decision name=\"choose\"><switch><case to=\"failed\">${wf:conf('my.password') eq 'OF-CONFIG-1'}</case>\
             <default to=\"end\"/></switch></decision>";
        let hive = "<hive2 xmlns=\"uri:oozie:hive2-action:0.2\"><jdbc-url>jdbc:hive2://h;password=OF-URL-5</jdbc-url>\
             <password>OF-ELEMENT-9</password><query>q</query></hive2>";
        workflow(
            &sandbox,
            "app",
            "a",
            &[
                action("a", &shell_body(line, elements), "choose", ""),
                decision.to_owned(),
                action("hive", hive, "end", ""),
                "<kill name=\"failed\"><message>failed with ${wf:conf('my.password')}</message></kill>".to_owned(),
            ],
        );
        let path = sandbox.path("app/workflow.xml");
        let text = std::fs::read_to_string(&path).expect("a definition").replace(
            "<start ",
            "<global><configuration><property><name>fs.s3a.secret.key</name><value>OF-GLOBAL-4</value></property>\
             </configuration></global><start ",
        );
        std::fs::write(&path, text).expect("a definition");
        let (start, end) = ("2015-06-22T14:06Z", "2015-06-22T15:06Z");
        let configuration =
            "<configuration><property><name>of.action.token</name><value>OF-ACTION-7</value></property>";
        Coordinator { start, end, ..Coordinator::default() }.write(&sandbox);
        let path = sandbox.path("app/coordinator.xml");
        let text = std::fs::read_to_string(&path).expect("a definition");
        let text = if text.contains("<configuration>") {
            text.replace("<configuration>", configuration)
        } else {
            text.replace("</app-path>", &format!("</app-path>{configuration}</configuration>"))
        };
        std::fs::write(&path, text).expect("a definition");
        let coordinator =
            sandbox.submit(NOW, &[("my.password", "OF-CONFIG-1"), ("my.url", "jdbc:x;password=OF-URL-5;a=b")]);
        sandbox.tick_through(NOW);
        let workflow = sandbox.database().value("SELECT id FROM workflow_job");
        Self { sandbox, coordinator, workflow }
    }

    /// Returns every address that shows something of the jobs.
    fn addresses(&self) -> Vec<String> {
        let (c, w) = (&self.coordinator, &self.workflow);
        let mut all = Vec::new();
        for id in
            [c.clone(), w.clone(), format!("{c}@1"), format!("{w}@a"), format!("{w}@choose"), format!("{w}@failed")]
        {
            for show in ["info", "status", "definition", "log", "errorlog", "auditlog", "graph", "allruns", "retries"] {
                all.push(format!("/oozie/v1/job/{id}?show={show}"));
            }
            all.extend(["", "/log", "/history", "/definition", "/calendar"].map(|part| format!("/job/{id}{part}")));
        }
        all.push(format!("/oozie/v1/job/{w}?show=graph&format=dot"));
        all.push(format!("/oozie/v1/job/{c}?show=missing-dependencies&action-list=1"));
        all.extend(
            ["/", "/?type=wf", "/oozie/v1/jobs?jobtype=wf", "/oozie/v1/jobs?jobtype=coord", "/oozie/v1/sla"]
                .map(str::to_owned),
        );
        all.extend(["metrics", "instrumentation", "configuration"].map(|what| format!("/oozie/v1/admin/{what}")));
        all
    }
}

/// Returns the secrets that an answer has.
fn told(reply: &Reply) -> Vec<&'static str> {
    let text = format!("{}{}", reply.head, reply.body);
    SECRETS.into_iter().filter(|secret| text.contains(secret)).collect()
}

#[test]
fn only_the_user_of_a_job_reads_its_secrets() {
    let jobs = Jobs::new();
    let server = Server::of(&jobs.sandbox, jobs.sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).at(NOW));
    let (mut seen, mut answered): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
    for path in jobs.addresses() {
        let (own, of_stranger) = (server.get(&path), server.get_as_stranger(&path));
        assert_eq!(own.status, of_stranger.status, "{path}: {own:?} {of_stranger:?}");
        assert!(told(&of_stranger).is_empty(), "{path} shows {:?}: {of_stranger:?}", told(&of_stranger));
        for secret in told(&own) {
            *seen.entry(secret).or_default() += 1;
        }
        answered += usize::from(own.status == 200);
        if own.status == 200 && own.header("content-type").is_some_and(|kind| kind.contains("json")) {
            of_stranger.json(200);
        }
    }
    assert!(answered > 30, "{answered}");
    assert_eq!(seen.len(), SECRETS.len(), "the user of the jobs reads all of them: {seen:?}");
}

#[test]
fn nobody_reads_why_a_decision_was_made_with_a_secret() {
    let jobs = Jobs::new();
    for verb in
        [["explain", &format!("{}@choose", jobs.workflow)], ["explain", &jobs.workflow], ["log", &jobs.workflow]]
    {
        let options: &[&str] = if verb[0] == "log" { &["--audit"] } else { &[] };
        for json in [&[][..], &["--json"]] {
            let ran = jobs.sandbox.howdah(verb).with_all(options).with_all(json).at(NOW).succeed();
            assert!(!ran.stdout.contains("'OF-CONFIG-1' eq"), "{verb:?}: {ran:?}");
        }
    }
    let ran = jobs.sandbox.howdah(["explain", &format!("{}@choose", jobs.workflow)]).at(NOW).succeed();
    assert!(ran.stdout.contains("'*****' eq"), "{ran:?}");
    let own = jobs.sandbox.howdah(["info", &jobs.workflow, "--configuration"]).at(NOW).succeed();
    assert!(own.stdout.contains("OF-CONFIG-1"), "{own:?}");
}

#[test]
fn stars_are_no_value() {
    let jobs = Jobs::new();
    let sandbox = &jobs.sandbox;
    let server = Server::of(sandbox, sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--allow-write"]).at(NOW));
    let xml = [("Content-Type", "application/xml")];
    let shown = server.get_as_stranger(&format!("/oozie/v1/job/{}?show=info", jobs.workflow)).json(200);
    let shown = shown["conf"].as_str().expect("a configuration").to_owned();
    assert!(shown.contains("<name>my.password</name>") && shown.contains("*****"), "{shown}");
    let given = shown.replace("oozie.coord.application.path", "x").replace("</configuration>", &format!(
        "<property><name>oozie.wf.application.path</name><value>{}</value></property><property><name>user.name</name>\
         <value>{}</value></property></configuration>", sandbox.text("app"), user_name(),
    ));
    for (method, path) in [
        ("POST", "/oozie/v1/jobs".to_owned()),
        ("POST", "/oozie/v1/jobs?action=start".to_owned()),
        ("POST", "/oozie/v1/jobs?action=dryrun".to_owned()),
        ("PUT", format!("/oozie/v1/job/{}?action=rerun", jobs.workflow)),
        ("PUT", format!("/oozie/v1/job/{}?action=coord-rerun&type=action&scope=1", jobs.coordinator)),
        ("PUT", format!("/oozie/v1/job/{}?action=update", jobs.coordinator)),
    ] {
        server.send(method, &path, &xml, &given).assert_refused(400, "H0198");
    }
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    for line in [vec!["submit", "-D", &path], vec!["dryrun", "-D", &path], vec!["rerun", &jobs.workflow]] {
        for stars in ["my.password=*****", "my.url=jdbc:x;password=*****;a=b"] {
            let ran = sandbox.howdah(line.iter().copied()).with_all(&["-D", stars]).at(NOW).run();
            assert!(ran.status != Some(0) && ran.stderr.contains("H0198"), "{line:?}: {ran:?}");
        }
    }
    assert_eq!(sandbox.database().value("SELECT count(*) FROM workflow_job"), "1");
}

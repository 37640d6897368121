//! Oozie's own command line: what it prints of jobs.

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, user_name};

pub(crate) const NOW: &str = "2015-06-22T15:06Z";

pub(crate) const RULER: &str = "----------------------------------------------------------------------------------------------------\
                     --------------------------------";

/// A database with a coordinator that waits for an input, and a workflow job that has run.
pub(crate) struct Jobs {
    pub(crate) sandbox: Sandbox,
    pub(crate) coordinator: String,
    pub(crate) workflow: String,
}

impl Jobs {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let data = "<datasets><dataset name=\"d\" frequency=\"${coord:hours(1)}\" \
                    initial-instance=\"2015-06-22T15:06Z\" timezone=\"UTC\"><uri-template>file:///d/${YEAR}\
                    </uri-template><done-flag/></dataset></datasets><input-events><data-in name=\"input\" \
                    dataset=\"d\"><instance>${coord:current(0)}</instance></data-in></input-events>";
        let (start, end) = (NOW, "2015-06-22T17:06Z");
        Coordinator { start, end, data: data.to_owned(), ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "shell-node", &[shell("shell-node", "true", "end")]);
        workflow(&sandbox, "wf", "shell-node", &[shell("shell-node", "true", "end")]);
        let path = format!("oozie.wf.application.path={}\n", sandbox.text("wf"));
        sandbox.write("wf.properties", &path);
        let (app, own) = (sandbox.text("app"), sandbox.text(""));
        sandbox.write("coord.properties", &format!("oozie.coord.application.path={app}\nsandbox={own}\n"));
        let run = |file: &str| printed(&sandbox, &["job", "-config", file, "-run", "-Dx=y"]);
        let id = |line: String| line.trim().strip_prefix("job: ").expect("an id").to_owned();
        let (workflow, coordinator) = (id(run("wf.properties")), id(run("coord.properties")));
        sandbox.await_quiet();
        sandbox.tick(NOW);
        Self { sandbox, coordinator, workflow }
    }

    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        printed(&self.sandbox, arguments)
    }
}

pub(crate) fn oozie(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(["--now", NOW, "oozie"]).with_all(arguments).env("OOZIE_URL", "http://no.such.host:11000").run()
}

pub(crate) fn printed(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let ran = oozie(sandbox, arguments);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{arguments:?} {ran:?}");
    ran.stdout
}

pub(crate) fn lines(lines: &[&str]) -> String {
    lines.join("\n") + "\n"
}

#[test]
fn a_coordinator_as_the_client_prints_it() {
    let jobs = Jobs::new();
    let (id, app) = (&jobs.coordinator, jobs.sandbox.text("app"));
    let head = |zone: &str, start: &str, end: &str| {
        lines(&[
            &format!("Job ID : {id}"),
            RULER,
            "Job Name    : test",
            &format!("App Path    : {app}"),
            "Status      : RUNNING",
            &format!("Start Time  : 2015-06-22 {start} {zone}"),
            &format!("End Time    : 2015-06-22 {end} {zone}"),
            "Pause Time  : -",
            "Concurrency : 1",
            RULER,
        ])
    };
    let table = |zone: &str, time: &str| {
        let action = format!("{id}@1");
        lines(&[
            "ID                                         Status    Ext ID                               Err Code  Created              \
             Nominal Time         ",
            &format!("{action:<43}WAITING   {:<37}-         2015-06-22 {time} {zone} 2015-06-22 {time} {zone} ", "-"),
            RULER,
        ])
    };
    assert_eq!(jobs.printed(&["job", "-info", id]), head("GMT", "15:06", "17:06") + &table("GMT", "15:06"));
    let zone = ["job", "-info", id, "-timezone", "America/Los_Angeles"];
    assert_eq!(jobs.printed(&zone), head("PDT", "08:06", "10:06") + &table("PDT", "08:06"));
    let of_environment = jobs.sandbox.howdah(["--now", NOW, "oozie", "job", "-info", id]);
    let ran = of_environment.env("OOZIE_TIMEZONE", "GMT+05:30").succeed();
    assert!(ran.stdout.contains("2015-06-22 20:36 +05:30"), "{ran:?}");
    let verbose = lines(&[
        "ID\tAction Number\tConsole URL\tError Code\tError Message\tExternal ID\tExternal Status\tJob ID\tTracker \
         URI\tCreated\tNominal Time\tStatus\tLast Modified\tMissing Dependencies",
        RULER,
        &format!(
            "{id}@1\t1\t-\t-\t-\t-\t-\t{id}\t-\t2015-06-22 15:06:00 GMT\t2015-06-22 15:06:00 GMT\tWAITING\t2015-06-22 \
             15:06:00 GMT\tfile:///d/2015"
        ),
        RULER,
    ]);
    assert_eq!(jobs.printed(&["job", "-info", id, "-verbose"]), head("GMT", "15:06", "17:06") + &verbose);
    assert_eq!(jobs.printed(&["job", "-info", id, "-filter", "status=KILLED"]).matches('@').count(), 0);
}

#[test]
fn an_action_as_the_client_prints_it() {
    let jobs = Jobs::new();
    let id = &jobs.coordinator;
    let action = lines(&[
        &format!("ID : {id}@1"),
        RULER,
        "Action Number        : 1",
        "Console URL          : -",
        "Error Code           : -",
        "Error Message        : -",
        "External ID          : -",
        "External Status      : -",
        &format!("Job ID               : {id}"),
        "Tracker URI          : -",
        "Created              : 2015-06-22 15:06 GMT",
        "Nominal Time         : 2015-06-22 15:06 GMT",
        "Status               : WAITING",
        "Last Modified        : 2015-06-22 15:06 GMT",
        "First Missing Dependency : file:///d/2015",
        RULER,
    ]);
    assert_eq!(jobs.printed(&["job", "-info", &format!("{id}@1")]), action);
    let missing = lines(&[
        "",
        "CoordAction : 1",
        "Blocked on  : file:///d/2015",
        "Dataset     : input",
        "Pending Dependencies : ",
        "\t  file:///d/2015",
        "",
    ]);
    assert_eq!(jobs.printed(&["job", "-missingdeps", id, "-action", "1"]), missing);
}

#[test]
fn a_workflow_as_the_client_prints_it() {
    let jobs = Jobs::new();
    let (id, path, user) = (&jobs.workflow, jobs.sandbox.text("wf"), user_name());
    let info = jobs.printed(&["job", "-info", id]);
    let head = lines(&[
        &format!("Job ID : {id}"),
        RULER,
        "Workflow Name : test",
        &format!("App Path      : {path}"),
        "Status        : SUCCEEDED",
        "Run           : 0",
        &format!("User          : {user}"),
        "Group         : -",
        "Created       : 2015-06-22 15:06 GMT",
        "Started       : 2015-06-22 15:06 GMT",
        "Last Modified : 2015-06-22 15:06 GMT",
        "Ended         : 2015-06-22 15:06 GMT",
        "CoordAction ID: -",
        "",
        "Actions",
        RULER,
        &format!("{:<78}{:<10}{:<23}{:<11}{:<10}", "ID", "Status", "Ext ID", "Ext Status", "Err Code"),
        RULER,
        &format!("{:<78}{:<10}{:<23}{:<11}{:<10}", format!("{id}@:start:"), "OK", "-", "OK", "-"),
        RULER,
    ]);
    assert!(info.starts_with(&head), "{info}");
    assert!(info.contains(&format!("\n{:<78}OK        ", format!("{id}@shell-node"))), "{info}");
    assert!(info.ends_with(&format!("\n{RULER}\n\n")), "{info}");
    let node = jobs.printed(&["job", "-info", &format!("{id}@shell-node")]);
    assert!(node.contains("\nName              : shell-node\nRetries           : 0\n"), "{node}");
    let header = format!(
        "{:<41}{:<13}{:<10}{:<10}{:<10}{:<24}{:<24}",
        "Job ID", "App Name", "Status", "User", "Group", "Started", "Ended"
    );
    let time = "2015-06-22 15:06 GMT";
    let row = format!("{id:<41}{:<13}{:<10}{user:<10}{:<10}{time:<24}{time:<24}", "test", "SUCCEEDED", "-");
    assert_eq!(jobs.printed(&["jobs"]), lines(&[&header, RULER, &row, RULER]));
    let verbose = jobs.printed(&["jobs", "-verbose"]);
    let row = format!(
        "{id}\ttest\t{path}\t-\t{user}\t-\t0\t2015-06-22 15:06:00 GMT\t2015-06-22 15:06:00 GMT\tSUCCEEDED\t2015-06-22 \
         15:06:00 GMT\t2015-06-22 15:06:00 GMT"
    );
    let header = "Job ID\tApp Name\tApp Path\tConsole URL\tUser\tGroup\tRun\tCreated\tStarted\tStatus\tLast \
                  Modified\tEnded";
    assert_eq!(verbose, lines(&[header, RULER, &row, RULER]));
    let (definition, file) = (jobs.printed(&["job", "-definition", id]), jobs.sandbox.read("wf/workflow.xml"));
    assert_eq!(definition, file + "\n");
    assert!(jobs.printed(&["job", "-configcontent", id]).contains("<name>x</name>"));
    assert!(jobs.printed(&["job", "-poll", id, "-verbose", "-timeout", "-1"]).ends_with("SUCCEEDED\n"));
    let node = format!("{id}@shell-node");
    assert_eq!(jobs.printed(&["job", "-retries", &node]), lines(&[&format!("ID : {node}"), "No Retries", RULER]));
}

#[test]
fn lists_of_the_other_jobs() {
    let jobs = Jobs::new();
    let id = &jobs.coordinator;
    let listed = jobs.printed(&["jobs", "-jobtype", "coordinator", "-filter", "status=RUNNING", "-len", "3"]);
    let header = format!(
        "{:<41}{:<15}{:<10}{:<5}{:<13}{:<24}{:<24}",
        "Job ID", "App Name", "Status", "Freq", "Unit", "Started", "Next Materialized"
    );
    let (start, next) = ("2015-06-22 15:06 GMT", "2015-06-22 16:06 GMT");
    let row = format!("{id:<41}{:<15}{:<10}{:<5}{:<13}{start:<24}{next:<24}", "test", "RUNNING", "60", "MINUTE");
    assert_eq!(listed, lines(&[&header, RULER, &row, RULER]));
    assert_eq!(jobs.printed(&["jobs", "-filter", "name=none"]), "No Jobs match your criteria!\n");
    assert_eq!(jobs.printed(&["jobs", "-jobtype", "bundle"]), "No Jobs match your criteria!\n");
    assert_eq!(jobs.printed(&["jobs", "-jobtype", "other"]), "");
}

#[test]
fn a_bundle_as_the_client_prints_it() {
    let jobs = Jobs::new();
    let sandbox = &jobs.sandbox;
    let (app, own) = (sandbox.text("app"), sandbox.text(""));
    let bundle = format!(
        "<bundle-app name=\"demo-bundle\" xmlns=\"uri:oozie:bundle:0.2\"><coordinator name=\"one\"><app-path>{app}\
         </app-path></coordinator></bundle-app>"
    );
    sandbox.write("bundle/bundle.xml", &bundle);
    let path = sandbox.text("bundle");
    sandbox.write("b.properties", &format!("oozie.bundle.application.path={path}\nsandbox={own}\n"));
    let line = jobs.printed(&["job", "-config", "b.properties", "-run"]);
    let id = line.trim().strip_prefix("job: ").expect("an id");
    let member = jobs.printed(&["jobs", "-jobtype", "coord"]);
    let member = member.lines().nth(2).and_then(|row| row.split(' ').next()).expect("a coordinator");
    let row = format!("{member:<41}{:<15}60   MINUTE       2015-06-22 15:06 GMT    {:<24}", "PREP", "-");
    let expect = lines(&[
        &format!("Job ID : {id}"),
        RULER,
        "Job Name : demo-bundle",
        &format!("App Path : {path}"),
        "Status   : RUNNING",
        "Kickoff time   : null",
        RULER,
        &format!(
            "{:<41}{:<15}{:<5}{:<13}{:<24}{:<24}",
            "Job ID", "Status", "Freq", "Unit", "Started", "Next Materialized"
        ),
        RULER,
        &row,
        RULER,
    ]);
    assert_eq!(jobs.printed(&["job", "-info", id]), expect);
    let header = format!(
        "{:<41}{:<15}{:<10}{:<20}{:<20}{:<13}{:<13}",
        "Job ID", "Bundle Name", "Status", "Kickoff", "Created", "User", "Group"
    );
    let user = user_name();
    let row =
        format!("{id:<41}{:<15}{:<10}{:<20}2015-06-22 15:06 GMT{user:<13}{:<13}", "demo-bundle", "RUNNING", "-", "-");
    assert_eq!(jobs.printed(&["jobs", "-jobtype", "bundle"]), lines(&[&header, RULER, &row, RULER]));
    sandbox.tick(NOW);
    let bulk = jobs.printed(&["jobs", "-bulk", "bundle=demo-bundle;actionstatus=WAITING"]);
    let row = format!(
        "{:<13}{id:<38}{:<13}{:<41}{:<10}{:<38}2015-06-22 15:06 GMT {:<38}",
        "demo-bundle",
        "one",
        format!("{member}@1"),
        "WAITING",
        "-",
        "-"
    );
    assert_eq!(bulk.lines().nth(2), Some(row.as_str()), "{bulk}");
    let nothing = jobs.printed(&["jobs", "-bulk", "bundle=demo-bundle"]);
    assert_eq!(nothing, "Bulk request criteria did not match any coordinator actions\n");
    let rerun = jobs.printed(&["job", "-rerun", id]);
    assert_eq!(rerun, format!("All coordinators of bundle {id} are scheduled to rerun on the date ranges [null].\n"));
}

#[test]
fn an_action_that_has_run_as_the_client_prints_it() {
    let sandbox = Sandbox::new();
    let (start, end) = (NOW, "2015-06-22T15:07Z");
    Coordinator { start, end, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "exit 3", "end")]);
    let id = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    let print = |arguments: &[&str]| printed(&sandbox, arguments);
    let action = format!("{id}@1");
    let runs = print(&["job", "-info", &action, "-allruns"]);
    let wf = runs.lines().nth(2).and_then(|row| row.split(' ').next()).expect("a workflow job").to_owned();
    let time = "2015-06-22 15:06 GMT";
    let header = format!("{:<41}{:<10}{:<24}{:<24}", "Job ID", "Status", "Started", "Ended");
    let row = format!("{wf:<41}{:<10}{time:<24}{time:<24}", "KILLED");
    assert_eq!(runs, lines(&[&header, RULER, &row, RULER]));
    let row = format!("{action:<43}{:<10}{wf:<37}{:<10}{time:<21}{time:<21}", "KILLED", "-");
    let info = print(&["job", "-info", &id, "-len", "-1", "-offset", "-1", "-order", "desc"]);
    assert_eq!(info.lines().nth_back(1), Some(row.as_str()), "{info}");
    // As scripts find what failed.
    let failed = print(&["job", "-len", "10000", "-info", &id, "-filter", "status=FAILED;status=KILLED"]);
    assert!(failed.contains(&action), "{failed}");
    let info = print(&["job", "-info", &wf, "-verbose"]);
    assert!(info.contains(&format!("\nCoordAction ID: {action}\n\nActions\n{RULER}\nID\tConsole URL\t")), "{info}");
    let verbose = "2015-06-22 15:06:00 GMT";
    let node = info.lines().find(|line| line.starts_with(&format!("{wf}@one\t"))).expect("a node");
    let values: Vec<&str> = node.split('\t').collect();
    assert_eq!((values.len(), values[2], values[6], values[7], values[9]), (13, "1", "one", "0", "shell"), "{node}");
    assert_eq!(values[10..], [verbose, "ERROR", verbose]);
    let first = print(&["job", "-info", &wf, "-offset", "2", "-len", "1"]);
    assert_eq!(first.lines().filter(|line| line.starts_with(&wf)).count(), 1, "{first}");
    assert!(first.contains("@one "), "{first}");
    let node = print(&["job", "-info", &format!("{wf}@one"), "-verbose"]);
    assert!(node.ends_with(&format!("External Stats    : null\nExternal ChildIDs : null\n{RULER}\n")), "{node}");
    assert!(node.contains("\nError Code        : 1\n") && node.contains("\nStatus            : ERROR\n"), "{node}");
    let ran = oozie(&sandbox, &["job", "-info", &wf, "-filter", "status=OK"]);
    assert_eq!(ran.stderr, "Error: Filter option is currently not supported for a Workflow job\n");
    let ran = oozie(&sandbox, &["job", "-rerun", &id]);
    assert_eq!(ran.stderr, "Error: Invalid options provided for rerun: date or action expected.\n");
    assert_eq!(print(&["job", "-errorlog", &wf]).matches("==> ").count(), 0, "no command wrote an error");
    assert!(print(&["job", "-log", &action]).contains("exit status 3"));
    assert!(print(&["job", "-log", &id, "-action", "1"]).contains("exit status 3"));
    assert!(print(&["job", "-auditlog", &id]).contains("KILLED"));
    let ran = oozie(&sandbox, &["job", "-log", &wf, "-action", "1"]);
    assert!(ran.stderr.starts_with("Error: Invalid options provided for log retrieval. action and date"), "{ran:?}");
}

//! Oozie's own command line: its texts, its exit status, and scripts that read them.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::application::{Coordinator, shell, workflow};
use crate::sandbox::{Ran, Sandbox, user_name};

const NOW: &str = "2015-06-22T15:06Z";

const RULER: &str = "----------------------------------------------------------------------------------------------------\
                     --------------------------------";

/// A database with a coordinator that waits for an input, and a workflow job that has run.
struct Jobs {
    sandbox: Sandbox,
    coordinator: String,
    workflow: String,
}

impl Jobs {
    fn new() -> Self {
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

    fn printed(&self, arguments: &[&str]) -> String {
        printed(&self.sandbox, arguments)
    }
}

fn oozie(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(["--now", NOW, "oozie"]).with_all(arguments).env("OOZIE_URL", "http://no.such.host:11000").run()
}

fn printed(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let ran = oozie(sandbox, arguments);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{arguments:?} {ran:?}");
    ran.stdout
}

fn lines(lines: &[&str]) -> String {
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
        &format!("CoordAction : {id}@1"),
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
    assert_eq!(jobs.printed(&["job", "-retries", &format!("{id}@shell-node")]), "No Retries\n");
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
fn commands_print_what_the_client_prints() {
    let jobs = Jobs::new();
    let (coordinator, wf) = (&jobs.coordinator, &jobs.workflow);
    let table = lines(&["Action ID\tNominal Time", RULER, &format!("{coordinator}@1\t2015-06-22 15:06 UTC")]);
    for verb in ["-suspend", "-resume"] {
        assert_eq!(jobs.printed(&["job", verb, coordinator]), "", "{verb}");
    }
    assert_eq!(jobs.printed(&["job", "-change", coordinator, "-value", "concurrency=2"]), "");
    assert!(jobs.printed(&["job", "-info", coordinator]).contains("\nConcurrency : 2\n"));
    assert_eq!(jobs.printed(&["job", "-kill", coordinator, "-action", "1"]), table);
    let runs = jobs.printed(&["job", "-info", &format!("{coordinator}@1"), "-allruns"]);
    assert_eq!(runs, "", "an action that has run nothing");
    let ignored =
        lines(&["Action ID\tNominal Time\tStatus", RULER, &format!("{coordinator}@1\t2015-06-22 15:06 UTC\tIGNORED")]);
    assert_eq!(jobs.printed(&["job", "-ignore", coordinator, "-action", "1"]), ignored);
    assert_eq!(jobs.printed(&["job", "-rerun", coordinator, "-action", "1"]), table);
    let update = jobs.printed(&["job", "-update", coordinator, "-config", "coord.properties", "-dryrun"]);
    assert!(update.starts_with("**********Job definition changes**********\n"), "{update}");
    assert!(update.ends_with("******************************************\n"), "{update}");
    assert_eq!(jobs.printed(&["job", "-rerun", wf, "-config", "wf.properties"]), "");
    jobs.sandbox.await_quiet();
    assert!(jobs.printed(&["job", "-info", wf]).contains("\nRun           : 1\n"));
    assert_eq!(jobs.printed(&["job", "-kill", wf]), "", "a status that does not allow it says nothing");
    let killed = jobs.printed(&["jobs", "-jobtype", "coordinator", "-filter", "name=test", "-kill"]);
    assert!(killed.starts_with("the following jobs have been killed\nJob ID "), "{killed}");
    assert!(killed.contains("KILLED"), "{killed}");
    let none = jobs.printed(&["jobs", "-jobtype", "coordinator", "-filter", "name=test", "-kill"]);
    assert_eq!(none, "bulk modify command did not modify any jobs\n");
    assert_eq!(jobs.printed(&["job", "-config", "wf.properties", "-dryrun"]), "OK\n");
    let dryrun = jobs.printed(&["job", "-config", "coord.properties", "-dryrun"]);
    assert!(dryrun.starts_with("***coordJob after parsing: ***\n<coordinator-app "), "{dryrun}");
    assert!(dryrun.contains("\n***total coord actions is 2 ***\n"), "{dryrun}");
    assert!(dryrun.contains("\ncoordAction instance: 1:\n"), "{dryrun}");
    assert!(dryrun.contains("<uris>file:///d/2015</uris>"), "{dryrun}");
    assert!(jobs.printed(&["job", "-log", wf]).contains("shell-node"));
    assert!(jobs.printed(&["job", "-auditlog", coordinator]).contains("KILLED"));
}

#[test]
fn administration_and_validation() {
    let jobs = Jobs::new();
    assert_eq!(jobs.printed(&["admin", "-oozie", "http://h", "-status"]), "System mode: NORMAL\n");
    assert_eq!(jobs.printed(&["admin", "-systemmode", "safemode"]), "System mode: SAFEMODE\n");
    assert_eq!(jobs.printed(&["admin", "-status"]), "System mode: SAFEMODE\n");
    assert_eq!(jobs.printed(&["admin", "-systemmode", "NORMAL"]), "System mode: NORMAL\n");
    assert_eq!(jobs.printed(&["admin", "-version"]), "Oozie server build version: 5.2.1\n");
    assert_eq!(jobs.printed(&["version"]), "Oozie client build version: 5.2.1\n");
    assert!(jobs.printed(&["info", "-timezones"]).lines().any(|line| line == "Europe/Vienna"));
    assert!(jobs.printed(&["help", "job"]).contains("-configcontent <arg>"));
    assert_eq!(jobs.printed(&["validate", "wf/workflow.xml"]), "Valid workflow-app\n");
    jobs.sandbox.write("bad.xml", "<workflow-app name=\"x\" xmlns=\"uri:oozie:workflow:0.5\"/>");
    for (arguments, expect) in [
        (&["validate", "bad.xml"][..], "Error: E0701: "),
        (&["validate", "none.xml"], "Error: File does not exist : /"),
        (&["validate"], "Error: One file must be specified\n"),
        (&["admin", "-sharelibupdate"], "Error: -sharelibupdate is not available: there is no share library"),
        (&["sla"], "Error: [sla] is not available without a server: use `howdah sla list`\n"),
        (&["job", "-info", "missing-W"], "Error: E0604 : E0604: Job does not exist [missing-W]\n"),
        (&["job", "-kill", "0000099-150622124850154-oozie-oozi-W"], "Error: E0604 : E0604: Job does not exist ["),
        (&["jobs", "-filter", "stat=x"], "Error: E0420 : E0420: "),
        (&["jobs", "-len", "x"], "For input string: \"x\"\n"),
        (&["job", "-run"], "configuration is not specified\n"),
        (&["job", "-run", "-config", "none.properties"], "configuration is not specified\n"),
        (&["job", "-run", "-config", "bad.txt", "-Da=b"], "configuration file [bad.txt] not found\n"),
        (&["job", "-change", "x"], "Error: -value option needs to be specified for -change option\n"),
        (
            &["job", "-bogus"],
            "Invalid sub-command: Unrecognized option: -bogus\n\nuse 'help [sub-command]' for help details\n",
        ),
    ] {
        let ran = oozie(&jobs.sandbox, arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(255), ""), "{arguments:?} {ran:?}");
        assert!(ran.stderr.starts_with(expect), "{arguments:?} {ran:?}");
    }
}

#[test]
fn scripts_for_oozie_run_unchanged() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "wf", "one", &[shell("one", "sleep 0.1", "end")]);
    sandbox.write("job.properties", &format!("oozie.wf.application.path={}\n", sandbox.text("wf")));
    symlink(env!("CARGO_BIN_EXE_howdah"), sandbox.path("oozie")).expect("a link");
    let script = r#"set -eu
PATH="$SANDBOX:$PATH"
export OOZIE_URL=http://localhost:11000/oozie

# The id of a new job, in the forms in which scripts read it.
one=$(oozie job -oozie "$OOZIE_URL" -config job.properties -run | awk '{print $2}')
two=$(oozie job --oozie "$OOZIE_URL" -D queue=a --config job.properties --run | awk -F ': ' '{print $2}')
three=$(oozie job -oozie=$OOZIE_URL -D k v -run -config job.properties -run 2>&1 | tail -1 | awk '{print $NF}')
four=$(oozie job -config job.properties -run | awk '{gsub("job: ", ""); print}')

for id in "$one" "$two" "$three" "$four"; do
    echo "$id" | grep -qE '^[0-9]{7,}-[0-9]{15}-[a-z-]+-W$'
    # Wait for the end.
    while oozie job -info "$id" | grep -e "Status        :" | awk -F ' : ' '{print $2}' | grep -qE 'PREP|RUNNING'; do
        sleep 0.05
    done
    oozie job -oozie "$OOZIE_URL" -info "$id" | grep "^Status" | grep -q SUCCEEDED
    test "$(oozie job -info "$id" | grep "^Status" | awk '{print $3}')" = SUCCEEDED
done

# Rows of lists.
test "$(oozie jobs -len 1 | awk 'NR==3 {print $1}')" = "$four"
test "$(oozie jobs -filter status=SUCCEEDED | grep -vE '^------|^Job' | wc -l)" = 4
oozie jobs | egrep 'test.*SUCCEEDED' | grep -Eo '^[^ ]+' | grep -q "$one"
oozie jobs -jobtype=wf | grep SUCCEEDED | awk '{print $1}' | grep -q "$two"
oozie jobs -filter 'status=KILLED;status=FAILED' | grep -q "No Jobs match your criteria!"

# Actions that failed: none.
test "$(oozie job -len 10000 -info "$one" | grep '@one' | grep -vcE 'OK|RUNNING' || true)" = 0

oozie admin -oozie "$OOZIE_URL" -status | grep -oP "NORMAL"
oozie job -kill "$one"
oozie job -auth KERBEROS -info "$one" > /dev/null
if oozie job -info 0000099-150622124850154-oozie-oozi-W 2> errors; then exit 1; else test $? = 255; fi
grep -q '^Error: E0604 : E0604: Job does not exist' errors
"#;
    let output = Command::new("bash")
        .args(["-c", script])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", sandbox.path("home"))
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_DB", sandbox.database_path())
        .current_dir(&sandbox)
        .output()
        .expect("bash");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "NORMAL\n");
}

#[test]
fn ids_have_the_form_of_oozie_where_the_site_says_so() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "wf", "one", &[shell("one", "true", "end")]);
    sandbox.write("job.properties", &format!("oozie.wf.application.path={}\n", sandbox.text("wf")));
    let site = |id: &str| {
        let site = format!("<property><name>oozie.system.id</name><value>{id}</value></property>");
        sandbox.write("home/.config/howdah/site.xml", &format!("<configuration>{site}</configuration>"));
    };
    let run = || oozie(&sandbox, &["job", "-config", "job.properties", "-run"]);
    site("oozie/joe");
    assert!(run().stderr.starts_with("Error: H0121 : "), "a slash is no part of an id");
    site("oozie-oozie");
    let id = run().job();
    let expect = |text: &str, number: &str| {
        text.len() == 36 && text.starts_with(&format!("{number}-150622150600")) && text.ends_with("-oozie-oozi-W")
    };
    assert!(expect(&id, "0000000"), "{id}");
    // An id belongs to its database: a later setting changes nothing.
    site("oozie-${user.name}");
    let next = run().job();
    assert!(expect(&next, "0000001"), "{next}");
    sandbox.await_quiet();
    assert!(printed(&sandbox, &["job", "-info", &next]).contains("\nStatus        : SUCCEEDED\n"));
    assert!(sandbox.howdah(["info", "0000001"]).succeed().stdout.contains(&next));
}

#[test]
fn a_submitted_workflow_job_waits_for_its_start() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "wf", "one", &[shell("one", "true", "end")]);
    sandbox.write("job.properties", &format!("oozie.wf.application.path={}\n", sandbox.text("wf")));
    let submit = || {
        let line = printed(&sandbox, &["job", "-config", "job.properties", "-submit"]);
        line.trim().strip_prefix("job: ").expect("an id").to_owned()
    };
    let status = |id: &str| sandbox.database().job(id);
    let (id, killed) = (submit(), submit());
    // Neither the tick nor a runner for other jobs starts it.
    let other = printed(&sandbox, &["job", "-config", "job.properties", "-run"]);
    sandbox.tick_through(NOW);
    assert_eq!(status(other.trim().strip_prefix("job: ").expect("an id")), "SUCCEEDED");
    assert_eq!([status(&id), status(&killed)], ["PREP", "PREP"]);
    let why = sandbox.howdah(["explain", &id]).at(NOW).succeed().stdout;
    assert!(why.contains("was submitted to be started later"), "{why}");
    assert!(why.contains(&format!("howdah oozie job -start {id}")), "{why}");
    assert_eq!(printed(&sandbox, &["job", "-start", &id]), "");
    sandbox.await_quiet();
    assert_eq!([status(&id), status(&killed)], ["SUCCEEDED", "PREP"]);
    assert_eq!(printed(&sandbox, &["job", "-start", &id]), "", "one that has begun stays as it is");
    // A job that ended before its start runs again at once.
    assert_eq!(printed(&sandbox, &["job", "-kill", &killed]), "");
    assert_eq!(status(&killed), "KILLED");
    assert_eq!(printed(&sandbox, &["job", "-rerun", &killed]), "");
    sandbox.await_quiet();
    assert_eq!(status(&killed), "SUCCEEDED");
    // A purge deletes what waited, too.
    let held = submit();
    assert_eq!(printed(&sandbox, &["job", "-kill", &held]), "");
    sandbox.howdah(["db", "purge", "--older-than", "1d"]).at("2015-07-22T15:06Z").succeed();
    assert_eq!(oozie(&sandbox, &["job", "-info", &held]).status, Some(255));
    sandbox.howdah(["db", "check"]).succeed();
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
    let info = print(&["job", "-info", &id, "-len", "0", "-offset", "-1", "-order", "desc"]);
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
    assert!(print(&["job", "-log", &id, "-action", "1"]).contains("KILLED"));
    let ran = oozie(&sandbox, &["job", "-log", &wf, "-action", "1"]);
    assert!(ran.stderr.starts_with("Error: Invalid options provided for log retrieval. action and date"), "{ran:?}");
}

#[test]
fn many_jobs_are_suspended_and_resumed() {
    let jobs = Jobs::new();
    let id = &jobs.coordinator;
    for (verb, participle, status) in [("-suspend", "suspended", "SUSPENDED"), ("-resume", "resumed", "RUNNING")] {
        let words = ["jobs", "-jobtype", "coordinator", "-filter", "name=test", verb];
        let text = jobs.printed(&words);
        assert!(text.starts_with(&format!("the following jobs have been {participle}\nJob ID ")), "{text}");
        assert!(text.contains(&format!("\n{id:<41}{:<15}{status:<10}60   MINUTE ", "test")), "{text}");
        assert_eq!(jobs.printed(&words), "bulk modify command did not modify any jobs\n");
    }
    let ran = oozie(&jobs.sandbox, &["jobs", "-kill"]);
    assert!(ran.status == Some(255) && ran.stderr.starts_with("Error: E0420 : "), "{ran:?}");
}

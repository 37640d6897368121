//! Oozie's own command line: commands that change jobs, administration, and scripts that were written for Oozie.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::oozie::{Jobs, NOW, RULER, lines, oozie, printed};
use howdah_sandbox::application::{shell, workflow};
use howdah_sandbox::sandbox::Sandbox;

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
    assert!(update.ends_with("******************************************\n\n"), "{update}");
    assert_eq!(jobs.printed(&["job", "-update", coordinator, "-diff", "false", "-dryrun"]), "\n");
    assert!(jobs.printed(&["job", "-info", coordinator, "-len", "-1"]).contains(&format!("\n{coordinator}@1 ")));
    assert!(!jobs.printed(&["job", "-info", coordinator, "-len", "0"]).contains(&format!("\n{coordinator}@1 ")));
    assert_eq!(jobs.printed(&["job", "-rerun", wf, "-config", "wf.properties"]), "");
    jobs.sandbox.await_quiet();
    assert!(jobs.printed(&["job", "-info", wf]).contains("\nRun           : 1\n"));
    let retries = jobs.printed(&["job", "-retries", &format!("{wf}@shell-node")]);
    let attempt = format!("ID : {wf}@shell-node\n{RULER}\nAttempt        : 1\nStart Time     : ");
    assert!(retries.starts_with(&attempt) && retries.contains(" GMT\nEnd Time       : "), "{retries}");
    assert!(retries.ends_with(&format!("/shell-node/0-1\n{RULER}\n")), "{retries}");
    assert_eq!(jobs.printed(&["job", "-kill", wf]), "", "a status that does not allow it says nothing");
    let killed = jobs.printed(&["jobs", "-jobtype", "coordinator", "-filter", "name=test", "-kill"]);
    assert!(killed.starts_with("the following jobs have been killed\nJob ID "), "{killed}");
    assert!(killed.contains("KILLED"), "{killed}");
    let none = jobs.printed(&["jobs", "-jobtype", "coordinator", "-filter", "name=test", "-kill"]);
    assert_eq!(none, "bulk modify command did not modify any jobs\n");
    assert_eq!(jobs.printed(&["job", "-config", "wf.properties", "-dryrun"]), "OK\n");
    let sound = jobs.sandbox.read("wf/workflow.xml");
    jobs.sandbox.write("wf/workflow.xml", &sound.replacen("<argument>", "<argument>${undefined}", 1));
    let refused = jobs.sandbox.howdah(["oozie", "job", "-config", "wf.properties", "-dryrun"]).run();
    assert!(refused.status == Some(255) && refused.stderr.contains("[undefined]"), "{refused:?}");
    jobs.sandbox.write("wf/workflow.xml", &sound);
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
    let coordinator = jobs.coordinator.as_str();
    let (action, node) = (format!("{coordinator}@1"), format!("{}@shell-node", jobs.workflow));
    for (arguments, expect) in [
        (&["validate", "bad.xml"][..], "Error: E0701: "),
        (&["validate", "none.xml"], "Error: File does not exist : /"),
        (&["validate"], "Error: One file must be specified\n"),
        (&["validate", "coord.properties"], "Error: E0701: XML schema error, coord.properties, "),
        (&["job", "-change", coordinator, "-value", ""], "Error: E1603 : E1603: value cannot be empty\n"),
        (&["job", "-slachange", coordinator, "-value", ""], "Error: E1603 : E1603: value cannot be empty\n"),
        (&["job", "-definition", &action], "Error: E0604 : E0604: Job does not exist ["),
        (&["job", "-definition", &node], "Error: E0604 : E0604: Job does not exist ["),
        (&["job", "-poll", &node], "invalid job type\n"),
        (&["pig", "-file", "bad.xml", "-D", "a=b"], "Error: Need to specify -config <configfile>\n"),
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

#[test]
fn one_action_is_submitted_from_options() {
    let sandbox = Sandbox::new();
    let program = sandbox.write("bin/program", "#!/bin/sh\nprintf '%s\\n' \"$*\" >> \"$SANDBOX/effects\"\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("a mode");
    let names = ["pig", "hive", "sqoop"];
    let site: String = names.map(|name| format!("howdah.command.{name}={}\n", program.display())).concat();
    let site = sandbox.write("site.properties", &site).display().to_string();
    sandbox.write("a.script", "first line\n");
    sandbox.write("job.properties", "mapred.job.tracker=local\nfs.default.name=file:///\nqueue=night\n");
    let run = |words: &[&str]| {
        let howdah = sandbox.howdah(["--now", NOW, "--site", &site, "oozie"]).with_all(words);
        howdah.env("HOWDAH_SITE", &site).run()
    };
    let options = ["-config", "job.properties", "-file", "a.script", "-P", "day=1", "-X", "-verbose"];
    for name in ["pig", "hive"] {
        let id = run(&[&[name][..], &options].concat()).job();
        sandbox.await_quiet();
        let info = printed(&sandbox, &["job", "-info", &id]);
        assert!(info.contains(&format!("\nWorkflow Name : oozie-{name}\n")), "{info}");
        assert!(info.contains("\nStatus        : SUCCEEDED\n") && info.contains(&format!("@{name}1 ")), "{info}");
        let definition = printed(&sandbox, &["job", "-definition", &id]);
        assert!(definition.contains("<name>queue</name><value>night</value>"), "{definition}");
    }
    // The names of Oozie 5.
    sandbox.write("five.properties", "yarn.resourcemanager.address=rm:8032\nfs.defaultFS=hdfs://nn:8020\nqueue=five\n");
    let id = run(&["sqoop", "-config", "five.properties", "-command", "import", "--table", "t"]).job();
    let definition = printed(&sandbox, &["job", "-definition", &id]);
    assert!(definition.contains("<job-tracker>rm:8032<") && definition.contains("<name-node>hdfs://nn:8020<"));
    assert!(definition.matches("<name>").count() == 1 && definition.contains("<value>five<"), "{definition}");
    sandbox.await_quiet();
    assert!(printed(&sandbox, &["job", "-info", &id]).contains("\nStatus        : SUCCEEDED\n"));
    let effects = sandbox.read("effects");
    let lines: Vec<&str> = effects.lines().collect();
    assert_eq!(lines.len(), 3, "{effects}");
    assert!(lines[0].contains("-param day=1") && lines[0].contains("-verbose"), "{effects}");
    assert!(lines[1].contains("day=1") && lines[1].contains("-verbose"), "{effects}");
    assert!(lines[2].contains("import") && lines[2].contains("--table t"), "{effects}");
    // What is given is no expression, whatever is before it.
    run(&["sqoop", "-config", "job.properties", "-command", "eval", "--query", "\\${x} ${y} \\\\${z}"]).job();
    sandbox.await_quiet();
    assert!(sandbox.read("effects").ends_with(" --query \\${x} ${y} \\\\${z}\n"), "{}", sandbox.read("effects"));
    sandbox.write("empty.properties", "");
    for (words, expect) in [
        (&["pig", "-config", "job.properties"][..], "Error: Need to specify -file <scriptfile>\n"),
        (&["hive", "-config", "job.properties", "-file", "none"], "Error: File does not exist : /"),
        (
            &["pig", "-config", "job.properties", "-file", "a.script", "x"],
            "Error: Unrecognized option: x Expecting -X\n",
        ),
        (
            &["pig", "-config", "none.properties", "-D", "a=b", "-file", "a.script"],
            "configuration file [none.properties]",
        ),
        (&["pig", "-config", "empty.properties", "-file", "a.script"], "Resource manager is not specified in conf\n"),
        (&["sqoop", "-config", "job.properties"], "Error: Need to specify -command\n"),
    ] {
        let ran = run(words);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(255), ""), "{words:?} {ran:?}");
        assert!(ran.stderr.starts_with(expect), "{words:?} {ran:?}");
    }
}

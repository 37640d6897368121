//! What Oozie's actions do beyond their elements: libraries, Hadoop's files, what is refused, what is reported about
//! their ends.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use howdah_sandbox::application::{action, effect, shell, shell_body, sub_workflow, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";

/// Runs the workflow in `app/` to its end, with this site file and additional properties.
fn run(sandbox: &Sandbox, site: &str, properties: &[(&str, &str)]) -> Ran {
    let site = sandbox.write("site.properties", site).display().to_string();
    let mut howdah = sandbox.howdah(["run", "--quiet", "--site", &site]).at(NOW);
    howdah = howdah.define("oozie.wf.application.path", &sandbox.text("app")).define("sandbox", &sandbox.text(""));
    for (name, value) in properties {
        howdah = howdah.define(name, value);
    }
    let ran = howdah.run();
    sandbox.await_quiet();
    sandbox.database().check();
    ran
}

/// The id of the newest workflow job without parent.
fn job(sandbox: &Sandbox) -> String {
    sandbox.database().value("SELECT id FROM workflow_job WHERE parent_workflow IS NULL ORDER BY job DESC LIMIT 1")
}

fn error_of(sandbox: &Sandbox, node: &str) -> String {
    sandbox.database().value(&format!(
        "SELECT status || ' ' || error_code || ': ' || error_message FROM workflow_node WHERE name = '{node}' ORDER BY \
         job DESC LIMIT 1"
    ))
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let ran = sandbox.howdah(arguments.iter().copied()).with("--json").at(NOW).succeed();
    serde_json::from_str(&ran.stdout).expect("one document")
}

fn property(name: &str, value: &str) -> String {
    format!("<configuration><property><name>{name}</name><value>{value}</value></property></configuration>")
}

/// Escapes a character of a definition for XML.
fn decision(predicate: &str, to: &str, default: &str) -> String {
    format!(
        "<decision name=\"which\"><switch><case to=\"{to}\">{predicate}</case>\
         <default to=\"{default}\"/></switch></decision>"
    )
}

/// Three faulty expressions, on paths that the job does not take unless `case` is true.
fn faulty(sandbox: &Sandbox, case: &str) {
    workflow(
        sandbox,
        "app",
        "which",
        &[
            decision(case, "wrong", "end"),
            shell("wrong", "echo ${fs:exits('/x')} ${concat('a')}", "end"),
            "<kill name=\"never\"><message>${wf:id(</message></kill>".to_owned(),
        ],
    );
}

#[test]
fn a_faulty_expression_of_a_node_refuses_nothing() {
    let sandbox = Sandbox::new();
    faulty(&sandbox, "${1 eq 2}");
    let property = ["-D", &format!("oozie.wf.application.path={}", sandbox.text("app"))].map(str::to_owned);
    for verb in ["submit", "dryrun"] {
        let ran = sandbox.howdah([verb, &property[0], &property[1]]).at(NOW).succeed();
        assert_eq!(ran.stderr.matches("warning[W0150]").count(), 3, "{verb}: {}", ran.stderr);
        for told in [
            "function [fs:exits] not found",
            "did you mean [fs:exists]?",
            "takes 2 arguments, not 1",
            "app/workflow.xml:4:",
        ] {
            assert!(ran.stderr.contains(told), "{verb}: {told} is not in {}", ran.stderr);
        }
    }
    sandbox.await_quiet();
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().job(&job(&sandbox)), "SUCCEEDED");
    let validate = |more: &[&str]| {
        let app = sandbox.text("app");
        sandbox.howdah(["validate", &app].into_iter().chain(more.iter().copied())).run()
    };
    let accepted = validate(&[]);
    assert_eq!((accepted.status, accepted.stderr.matches("W0150").count()), (Some(0), 3), "{accepted:?}");
    assert_eq!(validate(&["--deny", "W0150"]).status, Some(1));
}

#[test]
fn a_faulty_expression_fails_the_node_that_is_reached() {
    let sandbox = Sandbox::new();
    faulty(&sandbox, "${1 eq 1}");
    assert_eq!(run(&sandbox, "", &[]).status, Some(1));
    assert_eq!(sandbox.database().job(&job(&sandbox)), "FAILED");
    let error = error_of(&sandbox, "wrong");
    assert!(error.starts_with("FAILED EL_ERROR: ") && error.contains("[fs:exits] not found"), "{error}");
}

/// A parent with `a.txt` and `both.txt` in its `lib/`, whose child has `both.txt` and prints what it finds.
fn family(sandbox: &Sandbox) {
    for (file, content) in
        [("app/lib/a.txt", "parent's"), ("app/lib/both.txt", "parent's"), ("child/lib/both.txt", "own")]
    {
        sandbox.write(file, content);
    }
    let child = sub_workflow("child");
    let grandchild = sub_workflow("grandchild");
    let look = "echo $(cat a.txt 2>/dev/null)/$(cat both.txt 2>/dev/null) >> ${sandbox}/found";
    workflow(sandbox, "grandchild", "look", &[shell("look", look, "end")]);
    workflow(sandbox, "child", "look", &[shell("look", look, "deeper"), action("deeper", &grandchild, "end", "")]);
    workflow(sandbox, "app", "sub", &[action("sub", &child, "end", "")]);
}

#[test]
fn a_sub_workflow_inherits_libraries_where_that_is_wanted() {
    let of_site = "oozie.subworkflow.classpath.inheritance=true\n";
    let of_job = "oozie.wf.subworkflow.classpath.inheritance";
    for (site, properties, found) in [
        ("", &[][..], "/own\n/\n"),
        ("", &[(of_job, "true")], "parent's/own\nparent's/own\n"),
        (of_site, &[], "parent's/own\nparent's/own\n"),
        (of_site, &[(of_job, "false")], "/own\n/\n"),
    ] {
        let sandbox = Sandbox::new();
        family(&sandbox);
        let ran = run(&sandbox, site, properties);
        assert_eq!((ran.status, sandbox.read("found").as_str()), (Some(0), found), "{site} {properties:?} {ran:?}");
    }
}

/// A shell action whose program is the shipped file `look`.
fn look(elements: &str) -> String {
    let body = format!(
        "<shell xmlns=\"uri:oozie:shell-action:0.3\"><job-tracker>rm:1</job-tracker>\
         <name-node>hdfs://nn</name-node>{elements}<exec>look</exec><argument>a b</argument><file>look</file></shell>"
    );
    action("look", &body, "end", "")
}

#[test]
fn a_script_without_interpreter_finds_libraries_and_the_cluster() {
    let sandbox = Sandbox::new();
    let file = |name: &str, value: &str| {
        format!("<configuration><property><name>{name}</name><value>{value}</value></property></configuration>")
    };
    sandbox.write("conf/core-site.xml", &file("fs.defaultFS", "hdfs://of-site"));
    sandbox.write("conf/hdfs-site.xml", &file("dfs.replication", "2"));
    sandbox.write("app/lib/libx.so.1", "");
    sandbox.write(
        "app/look",
        "echo \"$1|$LD_LIBRARY_PATH\" > $SANDBOX/path\npwd > $SANDBOX/work\ncp $OOZIE_ACTION_CONF_XML \
         $SANDBOX/action.xml\n\
         [ -z \"$HADOOP_CONF_DIR\" ] || { ls $HADOOP_CONF_DIR; cat $YARN_CONF_DIR/core-site.xml; } > $SANDBOX/hadoop\n",
    );
    let site = "oozie.service.HadoopAccessorService.hadoop.configurations=*=conf\n";
    workflow(&sandbox, "app", "look", &[look("")]);
    let ran = run(&sandbox, site, &[]);
    assert_eq!(ran.status, Some(0), "{ran:?} {}", error_of(&sandbox, "look"));
    let work = sandbox.read("work").trim().to_owned();
    assert_eq!(sandbox.read("path").trim(), format!("a b|{work}:{}", sandbox.text("app/lib")));
    let written = sandbox.read("action.xml");
    for told in ["<name>dfs.replication</name><value>2</value>", "<value>hdfs://nn</value>", "<value>rm:1</value>"] {
        assert!(written.contains(told), "{told} is not in {written}");
    }
    assert_eq!((written.contains("of-site"), sandbox.read("hadoop").as_str()), (false, ""));

    let set_up = property("oozie.action.shell.setup.hadoop.conf.dir", "true");
    workflow(&sandbox, "app", "look", &[look(&set_up)]);
    assert_eq!(run(&sandbox, site, &[]).status, Some(0));
    let found = sandbox.read("hadoop");
    assert!(
        found.starts_with("core-site.xml\nhdfs-site.xml\nlog4j.properties\nmapred-site.xml\nyarn-site.xml\n"),
        "{found}"
    );
    assert!(found.contains("dfs.replication") && found.contains("hdfs://nn"), "{found}");
}

#[test]
fn site_files_that_cannot_be_read_are_no_answer() {
    let sandbox = Sandbox::new();
    sandbox.write("conf/core-site.xml", "<configuration>");
    sandbox.write("app/look", "exit 0\n");
    workflow(&sandbox, "app", "look", &[look("")]);
    let site = sandbox.write(
        "site.properties",
        "oozie.service.HadoopAccessorService.hadoop.configurations=*=conf\n\
         oozie.action.retries.max=0\n",
    );
    let howdah = sandbox
        .howdah(["submit", "--site"])
        .with(&site)
        .at(NOW)
        .define("oozie.wf.application.path", &sandbox.text("app"));
    let job = howdah.succeed().job();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUSPENDED");
    let error = error_of(&sandbox, "look");
    assert!(error.starts_with("START_MANUAL JA009: ") && error.contains("core-site.xml"), "{error}");
}

#[test]
fn the_site_has_defaults_for_every_action_of_a_type() {
    let sandbox = Sandbox::new();
    let file = |place: &str, values: &[(&str, &str)]| {
        let of =
            |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
        let all: String = values.iter().map(of).collect();
        sandbox.write(&format!("defaults/{place}"), &format!("<configuration>{all}</configuration>"));
    };
    file("default/one.xml", &[("a", "default/"), ("b", "default/"), ("yarn.resourcemanager.address", "rm:8032")]);
    file("default.xml", &[("b", "default.xml"), ("c", "default.xml"), ("d", "default.xml"), ("own", "site's")]);
    sandbox.write("defaults/shell/x.properties", "c=shell/\nd=shell/\n");
    sandbox.write("defaults/shell/ignored.txt", "c=no\n");
    file("shell.xml", &[("d", "shell.xml")]);
    file("java.xml", &[("a", "java.xml")]);
    sandbox.write("app/look", "cp $OOZIE_ACTION_CONF_XML $SANDBOX/action.xml\n");
    workflow(&sandbox, "app", "look", &[look(&property("own", "action's"))]);
    let ran = run(&sandbox, "oozie.service.HadoopAccessorService.action.configurations=*=defaults\n", &[]);
    assert_eq!(ran.status, Some(0), "{ran:?} {}", error_of(&sandbox, "look"));
    let written = sandbox.read("action.xml");
    for (name, value) in
        [("a", "default/"), ("b", "default.xml"), ("c", "shell/"), ("d", "shell.xml"), ("own", "action's")]
    {
        assert!(written.contains(&format!("<name>{name}</name><value>{value}</value>")), "{name}: {written}");
    }
}

#[test]
fn defaults_of_a_type_are_in_a_folder_or_a_link_to_one() {
    for (is_link, expect) in [(false, false), (true, true)] {
        let sandbox = Sandbox::new();
        sandbox.write("elsewhere/x.properties", "c=linked\n");
        sandbox.write("defaults/java.xml", "<configuration/>");
        if is_link {
            std::os::unix::fs::symlink(sandbox.path("elsewhere"), sandbox.path("defaults/shell")).expect("a link");
        } else {
            sandbox.write("defaults/shell", "a note about shell actions\n");
        }
        sandbox.write("app/look", "cp $OOZIE_ACTION_CONF_XML $SANDBOX/action.xml\n");
        workflow(&sandbox, "app", "look", &[look(&property("own", "action's"))]);
        let ran = run(&sandbox, "oozie.service.HadoopAccessorService.action.configurations=*=defaults\n", &[]);
        assert_eq!(ran.status, Some(0), "{ran:?} {}", error_of(&sandbox, "look"));
        assert_eq!(sandbox.read("action.xml").contains("<name>c</name><value>linked</value>"), expect);
    }
}

#[test]
fn what_an_action_may_not_set_is_refused() {
    for (name, value, expect) in [
        (
            "mapred.job.tracker",
            "jt:1",
            "FAILED JA010: Property [mapred.job.tracker] not allowed in action [configuration]",
        ),
        (
            "fs.default.name",
            "hdfs://nn",
            "FAILED JA010: Property [fs.default.name] not allowed in action [configuration]",
        ),
        (
            "oozie.launcher.action.main.class",
            "my.Main",
            "ERROR JA018: oozie.launcher.action.main.class [my.Main] cannot be",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("app/look", "exit 0\n");
        workflow(&sandbox, "app", "look", &[look(&property(name, value))]);
        assert_eq!(run(&sandbox, "", &[]).status, Some(1), "{name}");
        let error = error_of(&sandbox, "look");
        assert!(error.starts_with(expect), "{error}");
    }
}

#[test]
fn the_message_of_a_kill_node_is_reported() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "echo out; exit 3", "end")]);
    let ran = run(&sandbox, "", &[]);
    let id = job(&sandbox);
    assert!(ran.stdout.contains("exit code [1]") && ran.stdout.contains("kill node fail: failed at [one]"), "{ran:?}");
    let log = sandbox.howdah(["log", &id]).succeed().stdout;
    assert!(log.ends_with(&format!("<== {id}@fail (kill): failed at [one]\n")), "{log}");
    let only = sandbox.howdah(["log", "--stdout", &id]).succeed().stdout;
    assert!(!only.contains("(kill)"), "only what the commands wrote: {only}");
    let message = &json(&sandbox, &["log", &id])["killMessages"][0];
    assert_eq!((&message["id"], &message["message"]), (&format!("{id}@fail").into(), &"failed at [one]".into()));
    let why = sandbox.howdah(["explain", &id]).at(NOW).succeed().stdout;
    assert!(why.contains(&format!("The kill node {id}@fail says: failed at [one].")), "{why}");
    let why = sandbox.howdah(["explain", &format!("{id}@fail")]).at(NOW).succeed().stdout;
    assert!(why.contains("The job ended here: E0729: failed at [one]."), "{why}");
}

#[test]
fn a_job_that_reaches_a_kill_node_without_an_error_says_why() {
    let sandbox = Sandbox::new();
    let stop = "<kill name=\"stop\"><message>nothing to do on ${day}</message></kill>".to_owned();
    workflow(&sandbox, "app", "which", &[decision("${day eq 'Sunday'}", "stop", "end"), stop]);
    let ran = run(&sandbox, "", &[("day", "Sunday")]);
    let id = job(&sandbox);
    assert_eq!(ran.stdout.matches("nothing to do on Sunday").count(), 1, "{ran:?}");
    let why = sandbox.howdah(["explain", &id]).at(NOW).succeed().stdout;
    assert_eq!(why.matches("nothing to do on Sunday").count(), 1, "{why}");
    let log = sandbox.howdah(["log", &id]).succeed();
    assert_eq!(log.stdout, format!("<== {id}@stop (kill): nothing to do on Sunday\n"), "{log:?}");
}

#[test]
fn the_acl_of_a_workflow_job_is_shown() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    run(&sandbox, "", &[("oozie.job.acl", "ops,dev"), ("group.name", "own")]);
    let view = json(&sandbox, &["info", &job(&sandbox)]);
    assert_eq!((&view["acl"], &view["group"]), (&"ops,dev".into(), &"own".into()));
}

#[test]
fn counters_are_shown_where_that_is_wanted() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a", "x 100%\ny\n");
    let body = |wanted: &str| {
        let of = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let all = [
            of("mapred.input.dir", "${sandbox}/in"),
            of("mapred.output.dir", "${sandbox}/out"),
            of("oozie.action.external.stats.write", wanted),
        ];
        format!(
            "<map-reduce><job-tracker>local</job-tracker><name-node>file:///</name-node>\
             <prepare><delete path=\"${{sandbox}}/out\"/></prepare>\
             <streaming><mapper>grep+'x%20100%25'</mapper><reducer>NONE</reducer></streaming>\
             <configuration>{}</configuration></map-reduce>",
            all.concat()
        )
    };
    let told = "${hadoop:counters('mr')['FileSystemCounters']['FILE_BYTES_READ']} \
                ${hadoop:counters('mr')['org.apache.hadoop.mapred.JobInProgress$Counter']['TOTAL_LAUNCHED_MAPS']}";
    for (wanted, is_shown) in [("true", true), ("false", false)] {
        let _ = fs::remove_file(sandbox.path("effects"));
        workflow(
            &sandbox,
            "app",
            "mr",
            &[action("mr", &body(wanted), "tell", ""), shell("tell", &effect(told), "end")],
        );
        let ran = run(&sandbox, "", &[]);
        assert_eq!((ran.status, sandbox.read("effects").as_str()), (Some(0), "9 1\n"), "{}", error_of(&sandbox, "mr"));
        let node = format!("{}@mr", job(&sandbox));
        let shown = sandbox.howdah(["info", &node]).succeed().stdout;
        assert_eq!(shown.contains("External Stats:"), is_shown, "{shown}");
        let stats = json(&sandbox, &["info", &node])["stats"].clone();
        assert_eq!(stats.as_str().is_some_and(|text| text.contains("MAP_INPUT_RECORDS")), is_shown, "{stats}");
        assert_eq!(sandbox.read("out/part-00000"), "x 100%\t\n");
    }
}

#[test]
fn missing_files_and_retries_without_effect_are_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("app/here.sh", "");
    fs::set_permissions(sandbox.path("app/here.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    let elements = "<file>here.sh</file><file>gone.sh</file><file>${late}</file>";
    let one = action("one", &shell_body("exit 0", elements), "two", "retry-max=\"2\"");
    let two = "<shell xmlns=\"uri:oozie:shell-action:0.3\"><exec>nobody-has-this</exec></shell>";
    workflow(&sandbox, "app", "one", &[one, action("two", two, "end", "")]);
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let app = sandbox.text("app");
    for arguments in
        [vec!["submit", "-D", &path], vec!["dryrun", "-D", &path, "-D", "late=x.sh"], vec!["validate", &app]]
    {
        let ran = sandbox.howdah(arguments.clone()).at(NOW).succeed();
        let missing = 2 + usize::from(arguments.contains(&"late=x.sh"));
        let counts = ["W0151", "W0152"].map(|code| ran.stderr.matches(&format!("warning[{code}]")).count());
        assert_eq!(counts, [missing, 1], "{arguments:?} {}", ran.stderr);
        for told in ["<file> [gone.sh]", "<exec> [nobody-has-this]", "retry-max of node [one]", "error.code.ext=1"] {
            assert!(ran.stderr.contains(told), "{arguments:?}: {told} is not in {}", ran.stderr);
        }
    }
    let allowed = "oozie.service.LiteWorkflowStoreService.user.retry.error.code.ext=1\n";
    let site = sandbox.write("site.properties", allowed).display().to_string();
    let ran = sandbox.howdah(["validate", "--site", &site, &app]).succeed();
    assert!(!ran.stderr.contains("W0152"), "{ran:?}");
    let spared = sandbox.howdah(["dryrun", "--check-data=no", "-D", &path, "-D", "late=x"]).at(NOW).succeed();
    assert!(!spared.stderr.contains("W0151"), "{spared:?}");
}

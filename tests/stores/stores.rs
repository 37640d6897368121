//! A path without scheme belongs to a store: its meaning without a mount and with one, for every type of action that
//! names paths (specification 3.2.2 to 3.2.6).

use howdah_sandbox::application::{action, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::source;

const NOW: &str = "2010-01-01T00:00Z";
const HELP: &str = "--mount hdfs://nn:8020=/some/folder";

/// The form of the type of action: its element up to `prepare`, and what follows. None of the programs exists, or is
/// `true`.
const LAUNCHED: [(&str, &str, &str); 9] = [
    (
        "map-reduce",
        "<map-reduce>AT",
        "<streaming><mapper>cat</mapper></streaming><configuration>\
         <property><name>mapred.input.dir</name><value>/none</value></property>\
         <property><name>mapred.output.dir</name><value>/out</value></property></configuration></map-reduce>",
    ),
    ("pig", "<pig>AT", "<script>a.pig</script></pig>"),
    ("java", "<java>AT", "<main-class>a.Main</main-class></java>"),
    ("shell", "<shell xmlns='uri:oozie:shell-action:0.3'>AT", "<exec>true</exec></shell>"),
    ("hive", "<hive xmlns='uri:oozie:hive-action:0.6'>AT", "<script>a.hql</script></hive>"),
    (
        "hive2",
        "<hive2 xmlns='uri:oozie:hive2-action:0.2'>AT",
        "<jdbc-url>jdbc:hive2://h</jdbc-url><script>a.hql</script></hive2>",
    ),
    (
        "spark",
        "<spark xmlns='uri:oozie:spark-action:0.2'>AT",
        "<master>local</master><name>a</name><jar>a.py</jar></spark>",
    ),
    ("sqoop", "<sqoop xmlns='uri:oozie:sqoop-action:0.4'>AT", "<command>version</command></sqoop>"),
    ("distcp", "<distcp xmlns='uri:oozie:distcp-action:0.2'>AT", "<arg>/a</arg><arg>/b</arg></distcp>"),
];

const AT: &str = "<job-tracker>rm</job-tracker><name-node>hdfs://nn:8020</name-node>";

/// A sandbox with a file to protect: `precious/kept` on this machine, and the same path in what may be mounted.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("precious/kept", "local");
    sandbox.write(&format!("nn{}/kept", sandbox.text("precious")), "stored");
    sandbox
}

/// Runs a workflow whose only action has this body; returns `job status, node status, code: message`, and the output of
/// submission.
fn run(sandbox: &Sandbox, mounts: &[&str], body: &str) -> (String, String) {
    let paths = [("oozie.wf.application.path", sandbox.text("app"))];
    run_at(sandbox, mounts, &paths, body)
}

fn run_at(sandbox: &Sandbox, mounts: &[&str], properties: &[(&str, String)], body: &str) -> (String, String) {
    workflow(sandbox, "app", "work", &[action("work", body, "end", "")]);
    let mut submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
    submit = mounts.iter().fold(submit, |submit, mount| submit.with("--mount").with(mount));
    submit = properties.iter().fold(submit, |submit, (name, value)| submit.define(name, value));
    let ran = submit.succeed();
    let job = ran.job();
    sandbox.await_quiet();
    (outcome(sandbox, &job), ran.stderr)
}

fn outcome(sandbox: &Sandbox, job: &str) -> String {
    sandbox.database().value(&format!(
        "SELECT w.status || ', ' || n.status || coalesce(', ' || n.error_code || ': ' || n.error_message, '')
         FROM workflow_job w JOIN workflow_node n USING (job) WHERE id = '{job}' AND n.name = 'work'"
    ))
}

/// Checks that an action failed because of a path without mount, and changed nothing; the message names all that is
/// needed.
fn check_refused(sandbox: &Sandbox, (outcome, said): (String, String), code: &str, named: &[&str]) {
    assert!(outcome.contains(&format!("ERROR, {code}: ")), "{outcome}");
    assert!(!outcome.starts_with("SUCCEEDED"), "{outcome}");
    for word in named.iter().chain(&["hdfs://nn:8020", HELP]) {
        assert!(outcome.contains(word), "{word} is not in {outcome}");
    }
    assert!(said.contains("W0170") && said.contains(HELP), "submission says it early: {said}");
    assert_eq!(sandbox.read("precious/kept"), "local");
    assert!(!sandbox.path("precious/made").exists());
}

#[test]
fn prepare_without_a_mount_touches_nothing_of_this_machine() {
    for (kind, head, tail) in LAUNCHED {
        let sandbox = sandbox();
        let precious = sandbox.text("precious");
        let prepare = format!("<prepare><delete path='{precious}/kept'/><mkdir path='{precious}/made'/></prepare>");
        let body = format!("{}{prepare}{tail}", head.replace("AT", AT));
        let ran = run(&sandbox, &[], &body);
        check_refused(&sandbox, ran, "HadoopAccessorException", &["E0904", &format!("delete [{precious}/kept]")]);
        println!("{kind}: refused");
    }
}

#[test]
fn prepare_with_a_mount_touches_the_mounted_place_alone() {
    for (kind, head, tail) in LAUNCHED {
        let sandbox = sandbox();
        let precious = sandbox.text("precious");
        let prepare = format!("<prepare><delete path='{precious}/kept'/><mkdir path='{precious}/made'/></prepare>");
        let body = format!("{}{prepare}{tail}", head.replace("AT", AT));
        let (outcome, said) = run(&sandbox, &[&format!("hdfs://nn:8020={}", sandbox.text("nn"))], &body);
        assert!(!outcome.contains("E0904") && !said.contains("W0170"), "{kind}: {outcome} {said}");
        let stored = format!("nn{precious}");
        assert!(!sandbox.path(&format!("{stored}/kept")).exists(), "{kind} deletes in the store: {outcome}");
        assert!(sandbox.path(&format!("{stored}/made")).is_dir(), "{kind} makes a folder in the store: {outcome}");
        assert_eq!(sandbox.read("precious/kept"), "local", "{kind}");
        assert!(!sandbox.path("precious/made").exists(), "{kind}");
    }
}

#[test]
fn every_name_node_that_counts_is_asked() {
    let precious = |sandbox: &Sandbox| format!("<delete path='{}/kept'/>", sandbox.text("precious"));
    let shell = |inside: &str, prepare: &str| {
        format!(
            "<shell xmlns='uri:oozie:shell-action:0.3'>{inside}<prepare>{prepare}</prepare>\
             <configuration><property><name>fs.defaultFS</name><value>hdfs://nn:8020</value></property></configuration>\
             <exec>true</exec></shell>"
        )
    };
    let sandbox_one = sandbox();
    let ran = run(&sandbox_one, &[], &shell("", &precious(&sandbox_one)));
    check_refused(&sandbox_one, ran, "HadoopAccessorException", &["delete ["]);
    // An action's own name-node wins, and this machine is one.
    for own in ["file:///", "local"] {
        let sandbox = sandbox();
        let (outcome, said) = run(&sandbox, &[], &shell(&AT.replace("hdfs://nn:8020", own), &precious(&sandbox)));
        assert_eq!((outcome.as_str(), said.contains("W0170")), ("SUCCEEDED, OK", false), "{own}");
        assert!(!sandbox.path("precious/kept").exists(), "{own}");
    }
}

/// Where an action has no name-node, that of `global` counts, or the site's.
#[test]
fn a_name_node_from_elsewhere_counts_as_the_action_s_own() {
    let global = "<global><job-tracker>rm</job-tracker><name-node>hdfs://nn:8020</name-node></global>";
    let site = "oozie.actions.default.name-node=hdfs://nn:8020\n";
    for (global, site) in [(global, ""), ("", site)] {
        for (body, named) in [
            ("<fs><delete path='${sandbox}/precious/kept'/></fs>", "delete ["),
            (
                "<shell xmlns='uri:oozie:shell-action:0.3'><prepare><delete path='${sandbox}/precious/kept'/></prepare>\
                 <exec>true</exec></shell>",
                "delete [",
            ),
        ] {
            let sandbox = sandbox();
            workflow(&sandbox, "app", "work", &[action("work", body, "end", "")]);
            let text = sandbox.read("app/workflow.xml").replace("<start", &format!("{global}<start"));
            sandbox.write("app/workflow.xml", &text);
            let site = sandbox.write("site.properties", site);
            let submit = sandbox.howdah(["submit", "--site"]).with(site).at(NOW).define("sandbox", &sandbox.text(""));
            let ran = submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
            sandbox.await_quiet();
            let outcome = outcome(&sandbox, &ran.job());
            check_refused(&sandbox, (outcome, ran.stderr), "HadoopAccessorException", &[named]);
        }
    }
}

#[test]
fn the_operations_of_fs_touch_nothing_of_this_machine_without_a_mount() {
    for operation in [
        "<delete path='PRECIOUS/kept'/>",
        "<mkdir path='PRECIOUS/made'/>",
        "<mkdir path='file:PRECIOUS/made'/><delete path='PRECIOUS/kept'/>",
        "<move source='PRECIOUS/kept' target='PRECIOUS/made'/>",
        "<chmod path='PRECIOUS/kept' permissions='777'/>",
        "<chgrp path='PRECIOUS/kept' group='0'/>",
        "<touchz path='PRECIOUS/made'/>",
    ] {
        let sandbox = sandbox();
        let operation = operation.replace("PRECIOUS", &sandbox.text("precious"));
        let ran = run(&sandbox, &[], &format!("<fs><name-node>hdfs://nn:8020</name-node>{operation}</fs>"));
        check_refused(&sandbox, ran, "HadoopAccessorException", &["E0904", "precious/"]);
    }
    let sandbox = sandbox();
    let body = "<fs><name-node>hdfs://nn:8020</name-node><delete path='${sandbox}/precious/kept'/></fs>";
    let (outcome, _) = run(&sandbox, &[&format!("hdfs://nn:8020={}", sandbox.text("nn"))], body);
    assert_eq!(outcome, "SUCCEEDED, OK");
    assert!(!sandbox.path(&format!("nn{}/kept", sandbox.text("precious"))).exists());
    assert_eq!(sandbox.read("precious/kept"), "local");
}

#[test]
fn git_and_streaming_write_into_their_store_alone() {
    for body in [
        "<git xmlns='uri:oozie:git-action:1.0'>NAME_NODE<git-uri>file:///nowhere</git-uri>\
         <destination-uri>${sandbox}/precious/made</destination-uri></git>",
        "<map-reduce><job-tracker>local</job-tracker>NAME_NODE<streaming><mapper>cat</mapper></streaming>\
         <configuration>\
         <property><name>mapred.input.dir</name><value>${sandbox}/precious</value></property>\
         <property><name>mapred.output.dir</name><value>${sandbox}/precious/made</value></property></configuration>\
         </map-reduce>",
    ] {
        let sandbox = sandbox();
        let body = body.replace("NAME_NODE", "<name-node>hdfs://nn:8020</name-node>");
        let (outcome, _) = run(&sandbox, &[], &body);
        assert!(outcome.contains("ERROR, HadoopAccessorException: E0904") && outcome.contains(HELP), "{outcome}");
        assert!(!sandbox.path("precious/made").exists());
    }
}

/// The application is in a part of a store that is mounted; the rest of the store is not.
#[test]
fn what_is_shipped_comes_from_the_store_of_the_application() {
    let shell = |elements: &str| {
        format!("<shell xmlns='uri:oozie:shell-action:0.3'>{elements}<exec>cat</exec><argument>kept</argument></shell>")
    };
    let hive = "<hive xmlns='uri:oozie:hive-action:0.6'><script>${sandbox}/precious/kept</script></hive>";
    let sub = "<sub-workflow><app-path>${sandbox}/precious</app-path></sub-workflow>";
    let (plain, precious) = (shell(""), "${sandbox}/precious/kept");
    for (body, libraries, code, named) in [
        (
            format!("{}<file>{precious}</file></shell>", plain.trim_end_matches("</shell>")),
            "",
            "IllegalArgumentException",
            "file [",
        ),
        (shell(&format!("<job-xml>{precious}</job-xml>")), "", "JA008", "job-xml ["),
        (hive.to_owned(), "", "IllegalArgumentException", "script ["),
        (sub.to_owned(), "", "H0122", "No mount"),
        (shell(""), "precious", "E0712", "oozie.libpath ["),
    ] {
        let sandbox = sandbox();
        let mut properties = vec![("oozie.wf.application.path", "hdfs://nn:8020/apps/app".to_owned())];
        if !libraries.is_empty() {
            properties.push(("oozie.libpath", sandbox.text(libraries)));
        }
        let mount = format!("hdfs://nn:8020/apps={}", sandbox.text(""));
        let (outcome, said) = run_at(&sandbox, &[&mount], &properties, &body);
        assert!(!outcome.starts_with("SUCCEEDED") && outcome.contains(&format!("ERROR, {code}: ")), "{outcome}");
        for word in [named, "hdfs://nn:8020", HELP] {
            assert!(outcome.contains(word), "{word} is not in {outcome}");
        }
        assert_eq!(said.contains("W0170"), libraries.is_empty(), "{said}");
    }
}

#[test]
fn what_is_shipped_is_found_where_the_store_is_mounted() {
    let sandbox = sandbox();
    sandbox.write(&format!("nn{}/lib.txt", sandbox.text("precious")), "of a library");
    let body = "<shell xmlns='uri:oozie:shell-action:0.3'><exec>sh</exec><argument>-c</argument>\
                <argument>cat kept lib.txt > ${sandbox}/said</argument><file>${sandbox}/precious/kept</file></shell>";
    let properties = [
        ("oozie.wf.application.path", "hdfs://nn:8020/apps/app".to_owned()),
        ("oozie.libpath", sandbox.text("precious")),
    ];
    let mounts =
        [format!("hdfs://nn:8020/apps={}", sandbox.text("")), format!("hdfs://nn:8020={}", sandbox.text("nn"))];
    let (outcome, said) = run_at(&sandbox, &[&mounts[0], &mounts[1]], &properties, body);
    assert_eq!((outcome.as_str(), said.contains("W0170")), ("SUCCEEDED, OK", false), "{said}");
    assert_eq!(sandbox.read("said"), "storedof a library");
}

/// The application is in a mounted store, and names its data and its workflow without scheme.
#[test]
fn a_coordinator_reads_and_deletes_in_the_store_of_its_application() {
    let sandbox = Sandbox::new();
    let mount = format!("--mount=hdfs://nn:8020={}", sandbox.text("nn"));
    let dataset = |name: &str| {
        format!(
            "<dataset name='{name}' frequency='60' initial-instance='2010-01-01T00:00Z' timezone='UTC'>\
             <uri-template>{}</uri-template><done-flag></done-flag></dataset>",
            sandbox.text(&format!("data/{name}"))
        )
    };
    let event = |kind: &str, name: &str| {
        format!("<data-{kind} name='{name}' dataset='{name}'><instance>${{coord:current(0)}}</instance></data-{kind}>")
    };
    sandbox.write(
        "nn/apps/coord/coordinator.xml",
        &format!(
            "<coordinator-app name='test' frequency='60' start='2010-01-01T00:00Z' end='2010-01-01T01:00Z' \
             timezone='UTC'
               xmlns='uri:oozie:coordinator:0.4'><datasets>{}{}</datasets><input-events>{}</input-events>
               <output-events>{}</output-events><action><workflow><app-path>/apps/wf</app-path></workflow></action>
             </coordinator-app>",
            dataset("in"),
            dataset("out"),
            event("in", "in"),
            event("out", "out"),
        ),
    );
    workflow(&sandbox, "nn/apps/wf", "say", &[shell("say", "true", "end")]);
    sandbox.write("data/in/here", "local");
    sandbox.write("data/out/here", "local");
    let submit = sandbox.howdah(["submit"]).with(&mount).at(NOW);
    let job = submit.define("oozie.coord.application.path", "hdfs://nn:8020/apps/coord").succeed().job();
    let status = || {
        for _ in 0..2 {
            sandbox.howdah(["tick"]).with(&mount).at(NOW).succeed();
            sandbox.await_quiet();
        }
        sandbox.database().actions()
    };
    assert_eq!(status(), "1 WAITING", "what is here is no data of the store");
    let [data_in, data_out] = ["in", "out"].map(|name| format!("nn{}", sandbox.text(&format!("data/{name}"))));
    sandbox.write(&format!("{data_in}/there"), "stored");
    assert_eq!(status(), "1 SUCCEEDED");
    let path = "SELECT app_path FROM workflow_job";
    assert_eq!(sandbox.database().value(path), "hdfs://nn:8020/apps/wf");
    sandbox.write(&format!("{data_out}/there"), "stored");
    sandbox.howdah(["rerun", &job, "--action", "1", "--yes"]).with(&mount).at(NOW).succeed();
    assert!(!sandbox.path(&data_out).exists(), "the output of the store is deleted");
    assert_eq!(sandbox.read("data/out/here"), "local");
    assert_eq!(status(), "1 SUCCEEDED");
}

#[test]
fn a_bundle_finds_its_coordinator_in_its_own_store() {
    let sandbox = Sandbox::new();
    let mount = format!("--mount=hdfs://nn:8020={}", sandbox.text("nn"));
    sandbox.write(
        "nn/apps/bundle/bundle.xml",
        "<bundle-app name='b' xmlns='uri:oozie:bundle:0.2'><coordinator name='c'>\
         <app-path>/apps/coord</app-path></coordinator></bundle-app>",
    );
    sandbox.write(
        "nn/apps/coord/coordinator.xml",
        "<coordinator-app name='test' frequency='60' start='2010-01-01T00:00Z' end='2010-01-01T01:00Z' timezone='UTC'
           xmlns='uri:oozie:coordinator:0.4'><action><workflow><app-path>/apps/wf</app-path></workflow></action>
         </coordinator-app>",
    );
    workflow(&sandbox, "nn/apps/wf", "say", &[shell("say", "true", "end")]);
    let submit = sandbox.howdah(["submit"]).with(&mount).at(NOW);
    submit.define("oozie.bundle.application.path", "hdfs://nn:8020/apps/bundle").succeed();
    for _ in 0..3 {
        sandbox.howdah(["tick"]).with(&mount).at(NOW).succeed();
        sandbox.await_quiet();
    }
    let database = sandbox.database();
    assert_eq!(database.value("SELECT app_path FROM coordinator_job"), "hdfs://nn:8020/apps/coord");
    assert_eq!(database.actions(), "1 SUCCEEDED");
}

#[test]
fn submission_dry_run_and_validation_warn_early_and_refuse_nothing() {
    let sandbox = sandbox();
    let body = "<fs><name-node>${nn}</name-node><delete path='/data/x'/><mkdir path='/data/y'/></fs>";
    workflow(&sandbox, "app", "work", &[action("work", body, "end", "")]);
    let app = sandbox.text("app");
    let properties = sandbox.write("job.properties", &format!("oozie.wf.application.path={app}\nnn=hdfs://nn:8020\n"));
    let told = |verb: &str, mount: Option<&str>| {
        let howdah = sandbox.howdah([verb, "-c"]).with(&properties).at(NOW);
        let ran = mount.iter().fold(howdah, |howdah, mount| howdah.with(format!("--mount={mount}"))).succeed();
        ran.stdout + &ran.stderr
    };
    for verb in ["dryrun", "validate"] {
        let said = told(verb, None);
        assert_eq!(said.matches("W0170").count(), 1, "{verb}: {said}");
        assert!(said.contains("hdfs://nn:8020/data/x") && said.contains(HELP), "{verb}: {said}");
        let mounted = format!("hdfs://nn:8020={}", sandbox.text("nn"));
        assert!(!told(verb, Some(&mounted)).contains("W0170"), "{verb}");
    }
}

/// An executor changes files of a job only through the type that a located path has; the functions for howdah's own
/// files would accept any text.
#[test]
fn executors_look_at_no_path_that_was_not_located() {
    let looking = ["exists", "is_folder", "is_file", "read_text", "read_start", "list_entries", "open_regular"];
    let mut found = Vec::new();
    for file in source::files().into_iter().filter(|file| file.path.starts_with("executor/")) {
        let names = looking.iter().filter(|name| file.text.contains(&format!("files::{name}(")));
        found.extend(names.map(|name| format!("{}: files::{name}", file.path)));
    }
    assert!(found.is_empty(), "use a method of `Located`: {found:?}");
}

//! A path without scheme belongs to a store: what it means without a mount and with one, for every type of action that
//! names paths (specification 3.2.2 to 3.2.6).

use crate::application::{action, workflow};
use crate::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";
const HELP: &str = "--mount hdfs://nn:8020=/some/folder";

/// How the type of action is written: its element up to `prepare`, and what follows. None of the programs is there, or
/// is `true`.
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

/// A sandbox with something to lose: `precious/kept` on this machine, and the same path in what may be mounted.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("precious/kept", "local");
    sandbox.write(&format!("nn{}/kept", sandbox.text("precious")), "stored");
    sandbox
}

/// Runs a workflow whose only action has this body; `job status, node status, code: message`, and what submission said.
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
    let outcome = sandbox.database().value(&format!(
        "SELECT w.status || ', ' || n.status || coalesce(', ' || n.error_code || ': ' || n.error_message, '')
         FROM workflow_job w JOIN workflow_node n USING (job) WHERE id = '{job}' AND n.name = 'work'"
    ));
    (outcome, ran.stderr)
}

/// That an action failed over a path without mount, and touched nothing; the message names all that is needed.
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
        "<map-reduce><job-tracker>local</job-tracker>NAME_NODE<streaming><mapper>cat</mapper></streaming><configuration>\
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

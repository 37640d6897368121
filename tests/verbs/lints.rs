//! Warnings about a coordinator that Oozie would accept: by `validate`, `submit` and `dryrun`.

use howdah_sandbox::sandbox::{Ran, Sandbox};

/// Two outputs in one place, a fixed one, an instance before all data, a concurrency above the throttle, a gap in
/// spring.
const SUSPICIOUS: &str = r#"<coordinator-app xmlns="uri:oozie:coordinator:0.4" name="odd" frequency="${coord:days(1)}"
                 start="2026-01-10T10:30Z" end="2026-04-01T00:00Z" timezone="America/Los_Angeles">
  <controls>
    <concurrency>9</concurrency>
    <throttle>3</throttle>
  </controls>
  <datasets>
    <dataset name="logs" frequency="${coord:days(1)}" initial-instance="2026-01-10T10:30Z" timezone="UTC">
      <uri-template>/logs/${YEAR}/${MONTH}/${DAY}</uri-template>
    </dataset>
    <dataset name="state" frequency="${coord:days(1)}" initial-instance="2026-01-10T10:30Z" timezone="UTC">
      <uri-template>/state</uri-template>
    </dataset>
  </datasets>
  <input-events>
    <data-in name="old" dataset="logs">
      <instance>${coord:current(-100)}</instance>
    </data-in>
  </input-events>
  <output-events>
    <data-out name="one" dataset="logs">
      <instance>${coord:current(0)}</instance>
    </data-out>
    <data-out name="other" dataset="logs">
      <instance>${coord:offset(0, "DAY")}</instance>
    </data-out>
    <data-out name="state" dataset="state">
      <instance>${coord:current(0)}</instance>
    </data-out>
  </output-events>
  <action>
    <workflow>
      <app-path>/workflow</app-path>
    </workflow>
  </action>
</coordinator-app>
"#;

fn run(arguments: &[&str]) -> (Sandbox, Ran) {
    let sandbox = Sandbox::new();
    sandbox.write("app/coordinator.xml", SUSPICIOUS);
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let arguments = arguments.iter().map(|argument| if *argument == "PATH" { path.as_str() } else { argument });
    let ran = sandbox.howdah(arguments).at("2026-01-01T00:00Z").run();
    (sandbox, ran)
}

/// The codes that were shown, each once.
fn codes(ran: &Ran) -> Vec<String> {
    let lines = ran.stderr.lines();
    let codes = lines.filter_map(|line| Some(line.split_once('[')?.1.split_once("]: ")?.0.to_owned()));
    let mut codes: Vec<String> = codes.filter(|code| code.starts_with('W')).collect();
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn a_dry_run_reports_what_looks_wrong() {
    let (sandbox, ran) = run(&["dryrun", "-D", "PATH", "--actions", "1"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    insta::assert_snapshot!("suspicious_coordinator", sandbox.redact(&ran.stderr));
}

#[test]
fn notes_are_not_for_submission() {
    let warnings = ["W0106", "W0110", "W0112", "W0113", "W0115"];
    let (_, ran) = run(&["submit", "-D", "PATH"]);
    assert_eq!((ran.status, codes(&ran)), (Some(0), warnings.map(str::to_owned).to_vec()), "{ran:?}");
    let (_, ran) = run(&["dryrun", "-D", "PATH"]);
    assert_eq!(codes(&ran), [&warnings[..], &["W0116"]].concat());
}

#[test]
fn problems_that_need_no_property_are_reported_without_any() {
    let sandbox = Sandbox::new();
    let xml = SUSPICIOUS.replace("2026-01-10T10:30Z\" end", "${start}\" end").replace(">9<", ">nine<");
    sandbox.write("coordinator.xml", &xml);
    let ran = sandbox.howdah(["validate", "coordinator.xml"]).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error[E1003]") && ran.stderr.contains("coordinator.xml:4:18"), "{}", ran.stderr);
    assert!(codes(&ran).is_empty(), "{}", ran.stderr);
}

#[test]
fn validate_notes_the_coming_year_with_and_without_properties() {
    for arguments in [&["validate", "app/coordinator.xml"][..], &["validate", "-D", "PATH"]] {
        let (_, ran) = run(arguments);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let found = codes(&ran);
        assert!(["W0110", "W0112", "W0116"].iter().all(|code| found.iter().any(|found| found == code)), "{ran:?}");
    }
}

#[test]
fn two_jobs_that_write_the_same_are_reported() {
    let (sandbox, _) = run(&["submit", "-D", "PATH"]);
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let ran = sandbox.howdah(["submit", "-D", &path]).at("2026-01-01T00:00Z").run();
    // The same job again: that its outputs are the same goes without saying.
    let told = |ran: &Ran| ["W0128", "W0135"].map(|code| codes(ran).contains(&code.to_owned()));
    assert_eq!((ran.status, told(&ran)), (Some(0), [false, true]), "{ran:?}");
    let another = SUSPICIOUS.replace("\"odd\"", "\"even\"");
    for (definition, expect) in [
        (another.clone(), [true, false]),
        (
            another.replace("/logs/", "/others/").replace("/state", "/another").replace("\"even\"", "\"new\""),
            [false, false],
        ),
    ] {
        sandbox.write("app/coordinator.xml", &definition);
        let ran = sandbox.howdah(["submit", "-D", &path]).at("2026-01-01T00:00Z").run();
        assert_eq!((ran.status, told(&ran)), (Some(0), expect), "{ran:?}");
    }
    // Another property does not make it another job.
    sandbox.write("app/coordinator.xml", SUSPICIOUS);
    let ran = sandbox.howdah(["submit", "-D", &path, "-D", "region=north"]).at("2026-01-01T00:00Z").run();
    assert_eq!((ran.status, told(&ran)), (Some(0), [false, true]), "{ran:?}");
}

/// A workflow of one node.
fn one_node(body: &str, parameters: &str) -> String {
    format!(
        "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'>{parameters}<start to='a'/><action name='a'>{body}\
         <ok to='end'/><error to='k'/></action><kill name='k'><message>m</message></kill><end name='end'/></workflow-app>"
    )
}

#[test]
fn the_store_of_a_path_is_that_of_the_run() {
    let set = |name: &str, value: &str| {
        format!("<configuration><property><name>{name}</name><value>{value}</value></property></configuration>")
    };
    let hdfs = set("fs.defaultFS", "hdfs://nn:8020");
    let move_with = |own: &str| format!("<fs>{own}<move source='/a' target='hdfs://nn:8020/b'/></fs>");
    let global = format!("<global>{hdfs}</global>");
    for (own, global, defaults, is_told) in [
        (&*set("x", "y"), "", None, true),
        (&*hdfs, "", None, false),
        ("", &*global, None, false),
        ("", "", Some(&*hdfs), false),
        // What is not known before the run is not judged.
        ("<job-xml>f.xml</job-xml>", "", None, false),
        (&*set("fs.defaultFS", "${wf:conf('store')}"), "", None, false),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("app/workflow.xml", &one_node(&move_with(own), global));
        if let Some(defaults) = defaults {
            sandbox.write("app/config-default.xml", defaults);
        }
        let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
        let mount = format!("hdfs://nn:8020={}", sandbox.text("store"));
        for given in [&["validate", "app"][..], &["validate", "-D", &path], &["submit", "-D", &path]] {
            let ran = sandbox.howdah(given.iter().copied()).with_all(&["--mount", &mount]).run();
            let found = codes(&ran).contains(&"W0150".to_owned());
            assert_eq!((ran.status, found), (Some(0), is_told), "{given:?} {own} {global} {defaults:?}: {ran:?}");
        }
    }
}

#[test]
fn actions_whose_text_makes_them_fail_are_reported() {
    let shell = |inside: &str| format!("<shell xmlns='uri:oozie:shell-action:0.3'><exec>true</exec>{inside}</shell>");
    let email = |to: &str| {
        let to = format!("<to>{to}</to><subject>s</subject><body>b</body>");
        format!("<email xmlns='uri:oozie:email-action:0.2'>{to}</email>")
    };
    for (body, told) in [
        (shell("<env-var>FOO</env-var>"), Some("JA010")),
        (shell("<env-var>FOO=</env-var>"), Some("has an empty value")),
        (shell("<env-var>FOO=${value}</env-var>"), None),
        ("<fs><mkdir path='out/x'/></fs>".to_owned(), Some("FS011")),
        ("<fs><mkdir path='${folder}/x'/></fs>".to_owned(), Some("FS011")),
        ("<fs><delete path='/a/b'/></fs>".to_owned(), None),
        ("<fs><mkdir path='${wf:id()}/x'/></fs>".to_owned(), None),
        (email("a@example.org;b@example.org"), Some("a comma is between two addresses")),
        (email("a@example.org, b@example.org"), None),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("app/workflow.xml", &one_node(&body, ""));
        let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
        for verb in ["validate", "dryrun", "submit"] {
            let given = ["-D", &path, "-D", "value=1", "-D", "folder=relative"];
            let ran = sandbox.howdah([&[verb], &given[..]].concat()).at("2026-01-01T00:00Z").run();
            let found = codes(&ran).contains(&"W0150".to_owned());
            assert_eq!((ran.status, found), (Some(0), told.is_some()), "{verb} {body}: {ran:?}");
            assert!(told.is_none_or(|told| ran.stderr.contains(told)), "{verb} {body}: {ran:?}");
        }
        sandbox.await_quiet();
    }
}

#[test]
fn defaults_of_parameters_are_resolved_and_what_stays_text_is_reported() {
    let sandbox = Sandbox::new();
    let parameters = "<parameters><property><name>out</name><value>${base}/daily</value></property>\
                      <property><name>lost</name><value>${nobody}/x</value></property></parameters>";
    sandbox.write("app/workflow.xml", &one_node("<fs><mkdir path='file:${out}'/></fs>", parameters));
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let base = format!("base={}", sandbox.text("made"));
    let ran = sandbox.howdah(["dryrun", "-D", &path, "-D", &base]).at("2026-01-01T00:00Z").run();
    assert!(ran.stdout.contains(&sandbox.text("made/daily")), "{ran:?}");
    assert!(
        ran.stderr.contains("W0140") && ran.stderr.contains("[nobody]") && !ran.stderr.contains("[base]"),
        "{ran:?}"
    );
    let ran = sandbox.howdah(["run", "-q", "-D", &path, "-D", &base]).run();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(sandbox.path("made/daily").is_dir());
}

#[test]
fn a_property_that_only_a_default_file_uses_is_used() {
    let sandbox = Sandbox::new();
    sandbox.write("app/workflow.xml", &one_node("<fs><mkdir path='file:${wf:conf(\"out\")}'/></fs>", ""));
    let file = "<configuration><property><name>out</name><value>${dir}/o</value></property></configuration>";
    sandbox.write("app/config-default.xml", file);
    sandbox.write("job.properties", &format!("oozie.wf.application.path={}\ndir=/d\nlost=1\n", sandbox.text("app")));
    for verb in ["validate", "dryrun", "submit"] {
        let ran = sandbox.howdah([verb, "-c", "job.properties"]).at("2026-01-01T00:00Z").run();
        assert!(!ran.stderr.contains("[dir]") && ran.stderr.contains("[lost]"), "{verb}: {ran:?}");
    }
    sandbox.await_quiet();
}

/// Two nodes, one after the other, with the output of each.
fn two_jobs(sandbox: &Sandbox, outputs: [&str; 2]) {
    let job = |name: &str, output: &str, ok: &str| {
        format!(
            "<action name='{name}'><map-reduce><job-tracker>j</job-tracker><name-node>file:///</name-node>\
             <configuration><property><name>mapred.output.dir</name>\n<value>{output}</value></property></configuration>\
             </map-reduce><ok to='{ok}'/><error to='end'/></action>"
        )
    };
    let nodes = job("a", outputs[0], "b") + &job("b", outputs[1], "end");
    let workflow = format!(
        "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='a'/>{nodes}<end name='end'/></workflow-app>"
    );
    sandbox.write("app/workflow.xml", &workflow);
}

#[test]
fn two_nodes_that_write_the_same_are_reported() {
    for (outputs, is_told) in [(["${out}/x", "/data/x"], true), (["${out}/x", "/data/y"], false)] {
        let sandbox = Sandbox::new();
        two_jobs(&sandbox, outputs);
        let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
        for verb in ["validate", "dryrun", "submit"] {
            let ran = sandbox.howdah([verb, "-D", &path, "-D", "out=/data"]).at("2026-01-01T00:00Z").run();
            assert_eq!((ran.status, codes(&ran).contains(&"W0153".to_owned())), (Some(0), is_told), "{verb}: {ran:?}");
            let told = "The nodes [a] and [b] write the same output [/data/x]";
            assert_eq!(
                ran.stderr.contains(told) && ran.stderr.contains("workflow.xml:3:8"),
                is_told,
                "{verb}: {ran:?}"
            );
        }
        sandbox.await_quiet();
    }
    let sandbox = Sandbox::new();
    two_jobs(&sandbox, ["${out}/x", "${out}/x"]);
    let ran = sandbox.howdah(["validate", "app/workflow.xml", "--deny", "W0153"]).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("error[W0153]"), "{ran:?}");
}

#[test]
fn an_unused_property_is_reported_at_its_place() {
    let sandbox = Sandbox::new();
    let workflow =
        "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='e'/><end name='e'/></workflow-app>";
    sandbox.write("workflow/workflow.xml", workflow);
    sandbox.write("app/coordinator.xml", &SUSPICIOUS.replace("/workflow<", "${work}<"));
    let properties = format!(
        "oozie.coord.application.path={}\nwork={}\nqueue=fast\noozie.use.system.libpaht=true\n",
        sandbox.text("app"),
        sandbox.text("workflow")
    );
    sandbox.write("job.properties", &properties);
    for verb in ["submit", "dryrun", "validate"] {
        let ran = sandbox.howdah([verb, "-c", "job.properties"]).at("2026-01-01T00:00Z").run();
        for told in
            ["job.properties:3:1", "Nothing uses the property [queue]", "did you mean oozie.use.system.libpath?"]
        {
            assert!(ran.status == Some(0) && ran.stderr.contains(told), "{verb}: {told}: {ran:?}");
        }
        assert!(!ran.stderr.contains("[work]"), "{verb}: {ran:?}");
    }
}

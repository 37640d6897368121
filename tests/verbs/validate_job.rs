//! `validate` with the properties of a job: checks as submission does, with all applications that are referenced.

use serde_json::Value;

use howdah_sandbox::sandbox::{Ran, Sandbox};

const COORDINATOR: &str = include_str!("../../fixtures/valid/coordinator.xml");
const WORKFLOW: &str = include_str!("../../fixtures/valid/workflow.xml");

/// A coordinator whose dataset is in an included file, its workflow, and their properties.
fn job() -> Sandbox {
    let sandbox = Sandbox::new();
    let (start, end) = (COORDINATOR.find("    <dataset ").unwrap(), COORDINATOR.find("  </datasets>").unwrap());
    let dataset = &COORDINATOR[start..end];
    let included = COORDINATOR.replace(dataset, "    <include>${datasets}</include>\n");
    sandbox.write("app/coordinator.xml", &included.replace("${coord:days(1)}", "${every}"));
    sandbox.write("app/datasets.xml", &format!("<datasets>\n{dataset}</datasets>\n"));
    sandbox.write("workflow/workflow.xml", WORKFLOW);
    let properties = "oozie.coord.application.path=${sandbox}/app\ndatasets=${sandbox}/app/datasets.xml\nevery=1440\n";
    sandbox.write("job.properties", &format!("sandbox={}\n{properties}", sandbox.text("")));
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(["validate", "-c", "job.properties"].into_iter().chain(arguments.iter().copied())).run()
}

/// What is reported about each file: `path (what referenced it): CODE@file:line ...`, with the exit status.
fn check(sandbox: &Sandbox, arguments: &[&str], status: i32, expect: &[&str]) {
    let ran = run(sandbox, &[arguments, &["--json"]].concat());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let told = document["files"].as_array().expect("files").iter().map(|file| {
        let leader = file["ledBy"].as_str().map(|leader| format!(" ({leader})")).unwrap_or_default();
        let problems = file["problems"].as_array().expect("problems").iter().map(|problem| {
            let place = problem["file"].as_str().map(|file| format!("{file}:")).unwrap_or_default();
            format!(" {}@{place}{}", problem["code"].as_str().expect("a code"), problem["line"])
        });
        sandbox.redact(&format!("{}{leader}{}", file["path"].as_str().expect("a path"), problems.collect::<String>()))
    });
    assert_eq!(told.collect::<Vec<_>>(), expect, "{arguments:?}");
    assert_eq!(ran.status, Some(status), "{arguments:?}");
}

const APPLICATION: &str = "[sandbox]/app/coordinator.xml";
const ITS_WORKFLOW: &str = "[sandbox]/workflow/workflow.xml (coordinator [sandbox]/app/coordinator.xml)";

#[test]
fn the_application_and_what_it_references() {
    let sandbox = job();
    check(&sandbox, &[], 0, &[APPLICATION, ITS_WORKFLOW]);
    // The workflow's faults have their place in the workflow.
    sandbox.write("workflow/workflow.xml", &WORKFLOW.replace("error to=\"fail\"", "error to=\"fial\""));
    check(&sandbox, &[], 1, &[APPLICATION, &format!("{ITS_WORKFLOW} E0708@6")]);
    sandbox.write("workflow/workflow.xml", "");
    check(&sandbox, &[], 1, &[APPLICATION, &format!("{ITS_WORKFLOW} E0700@1")]);
    std::fs::remove_file(sandbox.path("workflow/workflow.xml")).unwrap();
    check(&sandbox, &[], 0, &[&format!("{APPLICATION} W0106@13")]);
}

#[test]
fn undefined_variables_are_errors_where_they_are_used() {
    let sandbox = job();
    let text = sandbox.read("job.properties").replace("every=", "evry=");
    sandbox.write("job.properties", &text);
    let ran = run(&sandbox, &[]);
    insta::assert_snapshot!(sandbox.redact(&format!("{}---\n{}", ran.stdout, ran.stderr)));
    assert_eq!(ran.status, Some(1));
    let unused = format!("{APPLICATION} W0126@job.properties:4");
    check(&sandbox, &["-D", "every=60"], 0, &[&unused, ITS_WORKFLOW]);
    // Without properties any variable may be defined.
    assert_eq!(sandbox.howdah(["validate", "app"]).run().status, Some(0));
}

#[test]
fn an_included_dataset_without_instances_is_refused_by_every_verb() {
    let sandbox = job();
    for lacking in ["frequency", "initial-instance", "timezone"] {
        let text = job().read("app/datasets.xml").replace(&format!(" {lacking}="), &format!(" {lacking}-="));
        sandbox.write("app/datasets.xml", &text);
        for verb in ["validate", "dryrun", "submit"] {
            let ran = sandbox.howdah([verb, "-c", "job.properties"]).run();
            assert_eq!(ran.status, Some(1), "{verb} {lacking}: {ran:?}");
            assert!(ran.stderr.contains(&format!("] has no [{lacking}]")), "{verb} {lacking}: {}", ran.stderr);
        }
    }
}

#[test]
fn every_verb_names_the_property_that_an_application_path_lacks() {
    let sandbox = job();
    let text = sandbox.read("job.properties").replace("sandbox=/", "sandbx=/");
    sandbox.write("job.properties", &text);
    for verb in ["validate", "dryrun", "submit"] {
        let ran = sandbox.howdah([verb, "-c", "job.properties"]).run();
        assert_eq!(ran.status, Some(1), "{verb}: {ran:?}");
        for told in ["error[E0906]", "refers to [sandbox], which no property has", "did you mean ${sandbx}?"] {
            assert!(ran.stderr.contains(told), "{verb}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_file_needs_no_application_path() {
    let sandbox = job();
    let of_a_file = format!("sandbox={}\nevery=60\n", sandbox.text(""));
    sandbox.write("job.properties", &of_a_file);
    sandbox.write(
        "app/coord-config-default.xml",
        "<configuration><property><name>datasets</name>\
        <value>${sandbox}/app/datasets.xml</value></property></configuration>",
    );
    let workflow = "[sandbox]/workflow/workflow.xml (coordinator app/coordinator.xml)";
    check(&sandbox, &["app/coordinator.xml"], 0, &["app/coordinator.xml", workflow]);
    check(&sandbox, &[], 1, &["job.properties E0401@null"]);
    // Standard input has no file beside it.
    let coordinator = sandbox.path("app/coordinator.xml");
    let ran = sandbox.howdah(["validate", "-c", "job.properties", "-"]).reading(&coordinator).run();
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("variable [datasets] cannot be resolved"), "{}", ran.stderr);
}

#[test]
fn a_folder_is_judged_once_from_the_top() {
    let sandbox = job();
    sandbox.write("a/workflow.xml", &WORKFLOW.replace("report", "${title}"));
    let app = "app/coordinator.xml";
    let workflow = "[sandbox]/workflow/workflow.xml (coordinator app/coordinator.xml)";
    let expect = [app, workflow, "a/workflow.xml E1004@1", "app/datasets.xml"];
    let expect: Vec<String> = expect
        .iter()
        .map(|path| if path.starts_with('[') { (*path).to_owned() } else { format!("./{path}") })
        .collect();
    let expect: Vec<String> =
        expect.into_iter().map(|text| text.replace("coordinator app", "coordinator ./app")).collect();
    check(&sandbox, &["."], 1, &expect.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn problems_of_other_files_name_them() {
    let sandbox = job();
    sandbox.write("app/datasets.xml", &sandbox.read("app/datasets.xml").replace("UTC", "UCT+99"));
    check(&sandbox, &[], 1, &[&format!("{APPLICATION} E1003@[sandbox]/app/datasets.xml:2")]);
    let sandbox = job();
    sandbox.write(
        "app/coord-config-default.xml",
        "<configuration><property><name>DAYS</name><value>1</value></property></configuration>",
    );
    check(&sandbox, &[], 1, &[&format!("{APPLICATION} E0808@[sandbox]/app/coord-config-default.xml:1")]);
}

#[test]
fn the_properties_are_judged_too() {
    let sandbox = job();
    let text = sandbox.read("job.properties");
    sandbox.write("job.properties", &format!("{text}every=60\nout=${{nowhere}}/x\n"));
    let unresolved = format!("{APPLICATION} W0140@job.properties:6 W0126@job.properties:6");
    check(&sandbox, &[], 0, &["job.properties W0103@5", &unresolved, ITS_WORKFLOW]);
    check(&sandbox, &["--deny", "warnings"], 1, &["job.properties W0103@5", &unresolved, ITS_WORKFLOW]);
    sandbox.write("job.properties", "a=\\u12\n");
    check(&sandbox, &["app"], 1, &["job.properties H0112@1"]);
    std::fs::remove_file(sandbox.path("job.properties")).unwrap();
    check(&sandbox, &["app"], 1, &["job.properties H0110@null"]);
}

#[test]
fn sub_workflows_are_followed_once() {
    let sandbox = job();
    let body = "<sub-workflow><app-path>${sub}</app-path></sub-workflow>";
    let (start, end) = (WORKFLOW.find("<shell").unwrap(), WORKFLOW.find("</shell>").unwrap() + "</shell>".len());
    let calling = format!("{}{body}{}", &WORKFLOW[..start], &WORKFLOW[end..]);
    sandbox.write("workflow/workflow.xml", &calling);
    sandbox.write("sub/workflow.xml", &calling.replace("${sub}", "../sub").replace("to=\"fail\"", "to=\"none\""));
    let sub = "[sandbox]/sub/workflow.xml (workflow [sandbox]/workflow/workflow.xml) E0708@6";
    let define = format!("sub={}", sandbox.text("sub"));
    check(&sandbox, &["-D", &define], 1, &[APPLICATION, ITS_WORKFLOW, sub]);
    let nowhere = format!("sub={}", sandbox.text("nowhere"));
    check(&sandbox, &["-D", &nowhere], 0, &[APPLICATION, &format!("{ITS_WORKFLOW} W0106@4")]);
    // Where the path is not known there is nothing to follow.
    check(&sandbox, &[], 0, &[APPLICATION, &format!("{ITS_WORKFLOW} W0118@4")]);
}

const BUNDLE: &str = "<bundle-app xmlns='uri:oozie:bundle:0.2' name='both'>\n\
    <coordinator name='daily'><app-path>${sandbox}/app</app-path>\n\
    <configuration><property><name>every</name><value>1440</value></property></configuration></coordinator>\n\
    <coordinator name='hourly'><app-path>${sandbox}/app</app-path>\n\
    <configuration><property><name>every</name><value>${often}</value></property></configuration></coordinator>\n\
    <coordinator name='off' enabled='${no}'><app-path>/none</app-path></coordinator>\n\
    </bundle-app>\n";

fn bundle(content: &str) -> Sandbox {
    let sandbox = job();
    sandbox.write("bundle/bundle.xml", content);
    let text = sandbox.read("job.properties").replace("every=1440", "no=false\noften=60");
    sandbox.write(
        "job.properties",
        &text.replace("oozie.coord.application.path=${sandbox}/app", "oozie.bundle.application.path=${sandbox}/bundle"),
    );
    sandbox
}

#[test]
fn a_bundle_references_its_coordinators_each_with_its_configuration() {
    let sandbox = bundle(BUNDLE);
    let led = |name: &str| format!("[sandbox]/app/coordinator.xml (coordinator [{name}] of bundle [both])");
    let top = "[sandbox]/bundle/bundle.xml";
    check(&sandbox, &[], 0, &[top, &led("daily"), ITS_WORKFLOW, &led("hourly")]);
    check(&sandbox, &["-D", "often=0"], 1, &[top, &led("daily"), ITS_WORKFLOW, &format!("{} E1003@1", led("hourly"))]);
    check(&sandbox, &["-D", "no=true"], 1, &[&format!("{top} E0504@6"), &led("daily"), ITS_WORKFLOW, &led("hourly")]);
    sandbox.write(
        "bundle/bundle-config-default.xml",
        "<configuration><property><name>DAY</name><value>1</value></property></configuration>",
    );
    check(&sandbox, &[], 1, &[&format!("{top} E0808@[sandbox]/bundle/bundle-config-default.xml:1")]);
}

#[test]
fn a_bundle_has_rules_of_its_own() {
    let top = "[sandbox]/bundle/bundle.xml";
    for (from, to, expect) in [
        ("'hourly'", "'daily'", "E1304@4"),
        ("'hourly'", "''", "E1305@4"),
        ("${often}", "${oftn}", "E1004@5"),
        ("${often}", "${coord:conf('often')}", "E1004@5"),
        ("'both'>", "'both'><controls><kick-off-time>tomorrow</kick-off-time></controls>", "E1301@1"),
        ("'both'>", "'both'><parameters><property><name>p</name></property></parameters>", "E0738@1"),
        ("enabled='${no}'", "critical='no' on='x'", "E0701@6"),
    ] {
        check(&bundle(&BUNDLE.replace(from, to)), &[], 1, &[&format!("{top} {expect}")]);
    }
    let one = "<bundle-app xmlns='uri:oozie:bundle:0.2' name='b'><coordinator name='c' enabled='no'>\
               <app-path>/c</app-path></coordinator></bundle-app>";
    check(&bundle(one), &[], 1, &[&format!("{top} E1318@1")]);
    // The oldest schema of coordinators is not for bundles.
    let sandbox = bundle(BUNDLE);
    sandbox.write(
        "app/coordinator.xml",
        &sandbox.read("app/coordinator.xml").replace("coordinator:0.4", "coordinator:0.1"),
    );
    let led = |name: &str| format!("[sandbox]/app/coordinator.xml (coordinator [{name}] of bundle [both])");
    let refused = format!("{top} E1319@2 E1319@4");
    check(&sandbox, &[], 1, &[&refused, &led("daily"), ITS_WORKFLOW, &led("hourly")]);
}

/// An application whose path is its own file, or that of another kind, in every form that could recurse without end.
#[test]
fn a_file_that_references_itself_is_not_followed() {
    let sandbox = bundle(BUNDLE);
    let bundle = |file: &str| {
        format!(
            "<bundle-app xmlns='uri:oozie:bundle:0.2' name='b'><coordinator name='c'><app-path>{}</app-path>\
            </coordinator></bundle-app>",
            sandbox.text(file)
        )
    };
    sandbox.write("b/bundle.xml", &bundle("b/bundle.xml"));
    let led = "[sandbox]/b/bundle.xml (coordinator [c] of bundle [b]) E0701@1";
    check(&sandbox, &["b/bundle.xml"], 1, &["b/bundle.xml", led]);

    let (start, end) = (COORDINATOR.find("<app-path>").unwrap(), COORDINATOR.find("</app-path>").unwrap());
    let own = |file: &str| format!("{}<app-path>{}{}", &COORDINATOR[..start], sandbox.text(file), &COORDINATOR[end..]);
    sandbox.write("c/coordinator.xml", &own("c/coordinator.xml"));
    let led = "[sandbox]/c/coordinator.xml (coordinator c/coordinator.xml) E0701@1";
    check(&sandbox, &["c/coordinator.xml"], 1, &["c/coordinator.xml", led]);

    let body = format!("<sub-workflow><app-path>{}</app-path></sub-workflow>", sandbox.text("c/coordinator.xml"));
    let (start, end) = (WORKFLOW.find("<shell").unwrap(), WORKFLOW.find("</shell>").unwrap() + "</shell>".len());
    sandbox.write("w/workflow.xml", &format!("{}{body}{}", &WORKFLOW[..start], &WORKFLOW[end..]));
    let led = "[sandbox]/c/coordinator.xml (workflow w/workflow.xml) E0701@1";
    check(&sandbox, &["w/workflow.xml"], 1, &["w/workflow.xml", led]);

    // Nor is one for which the properties name another kind.
    let define = format!("oozie.bundle.application.path={}", sandbox.text("c/coordinator.xml"));
    check(&sandbox, &["-D", &define], 1, &["[sandbox]/c/coordinator.xml E0701@1"]);
}

#[test]
fn nothing_is_reported_twice() {
    let sandbox = bundle(BUNDLE);
    let dataset = sandbox.read("app/datasets.xml").replacen("<uri-template>", "<uri-template>${x}", 1);
    let bundle = "bundle/bundle.xml";
    let led = |name: &str| format!("[sandbox]/app/coordinator.xml (coordinator [{name}] of bundle [both])");
    let elsewhere = "[sandbox]/app/datasets.xml:";
    // An error of the included file is reported with the first coordinator, and refuses the second one too.
    sandbox.write("app/datasets.xml", &dataset);
    let first = format!("{} E1004@{elsewhere}3", led("daily"));
    check(&sandbox, &[bundle], 1, &[bundle, &first, &led("hourly")]);
    // A file that is named twice produces the same verdicts twice.
    check(&sandbox, &[bundle, bundle], 1, &[bundle, &first, &led("hourly"), bundle]);
    let ran = run(&sandbox, &[bundle]);
    assert!(ran.stdout.contains("3 files checked, 2 invalid"), "{ran:?}");
    // A denied warning is reported once too, and refuses both.
    let odd = dataset.replace("<uri-template>${x}", "<uri-template>").replacen("<dataset ", "<dataset colour='x' ", 1);
    sandbox.write("app/datasets.xml", &odd);
    let first = format!("{} W0108@{elsewhere}2", led("daily"));
    check(&sandbox, &[bundle, bundle], 0, &[bundle, &first, ITS_WORKFLOW, &led("hourly"), bundle]);
    check(&sandbox, &[bundle, "--deny", "W0108"], 1, &[bundle, &first, ITS_WORKFLOW, &led("hourly")]);
    let ran = run(&sandbox, &[bundle, "--deny", "W0108"]);
    assert!(ran.stdout.contains("4 files checked, 2 invalid"), "{ran:?}");
}

#[test]
fn every_verb_warns_of_a_check_of_forks_that_is_neither_on_nor_off() {
    let sandbox = job();
    let properties = format!("oozie.wf.application.path={}\n", sandbox.text("workflow"));
    sandbox.write("job.properties", &format!("{properties}oozie.wf.validate.ForkJoin = maybe\n"));
    for verb in ["validate", "dryrun", "submit"] {
        let ran = sandbox.howdah([verb, "-c", "job.properties"]).succeed();
        let told = sandbox.redact(&ran.stderr);
        let warning =
            "warning[W0120]: The property [oozie.wf.validate.ForkJoin] has no effect: [maybe] is neither true";
        assert!(told.contains(warning) && told.contains("job.properties:2:"), "{verb}: {told}");
    }
    sandbox.write("site.properties", "oozie.validate.ForkJoin=maybe\n");
    let ran = sandbox.howdah(["validate", "-c", "job.properties", "--site", "site.properties"]).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("error[H0121]"), "{ran:?}");
}

#[test]
fn a_wrong_value_is_placed_where_it_was_given() {
    let sandbox = Sandbox::new();
    let xml = include_str!("../../fixtures/valid/coordinator.xml");
    let start = xml.find(" start=\"").expect("a start") + 8;
    let end = start + xml[start..].find('"').expect("its end");
    sandbox.write("app/coordinator.xml", &format!("{}${{begin}}{}", &xml[..start], &xml[end..]));
    sandbox.write("job.properties", &format!("oozie.coord.application.path={}\nbegin=soon\n", sandbox.text("app")));
    for (arguments, place) in [
        (&["validate", "-c", "job.properties"][..], "job.properties:2:7"),
        (&["submit", "-c", "job.properties"], "job.properties:2:7"),
        (&["dryrun", "-c", "job.properties", "-D", "begin=later"], "-D:1:7"),
    ] {
        let ran = sandbox.howdah(arguments.iter().copied()).at("2026-01-01T00:00Z").run();
        let used = ran.stderr.contains("the value is used at") && ran.stderr.contains("app/coordinator.xml:");
        assert!(ran.status == Some(1) && ran.stderr.contains(place) && used, "{place}: {ran:?}");
    }
}

#[test]
fn schema_and_graph_are_reported_in_one_run() {
    let sandbox = Sandbox::new();
    let workflow = include_str!("../../fixtures/valid/workflow.xml");
    let at = workflow.find("<kill ").expect("a kill node");
    // An attribute that no schema has, and a transition to a node that does not exist.
    let lost = "<action name=\"lost\" colour=\"red\"><fs/><ok to=\"nowhere\"/><error to=\"nowhere\"/></action>\n  ";
    sandbox.write(
        "workflow.xml",
        &format!("{}{lost}{}", &workflow[..at], &workflow[at..]).replacen(
            "<start to=\"",
            "<start to=\"lost\" was=\"",
            1,
        ),
    );
    let ran = sandbox.howdah(["validate", "workflow.xml"]).run();
    assert!(ran.stderr.contains("E0701") && ran.stderr.contains("E0708"), "{ran:?}");
}

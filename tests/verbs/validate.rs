//! `validate` without a job: the formats, what is denied and allowed, standard input, the exit status.

use serde_json::Value;

use howdah_sandbox::sandbox::{Ran, Sandbox};

const COORDINATOR: &str = include_str!("../../fixtures/valid/coordinator.xml");
const WORKFLOW: &str = include_str!("../../fixtures/valid/workflow.xml");

/// A folder `apps` with a file that is valid, one with a warning and one with errors.
fn apps() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("apps/coordinator.xml", COORDINATOR);
    let lost = "<kill name=\"fail\"";
    let more = "<action name=\"lost\"><fs/><ok to=\"end\"/><error to=\"fail\"/></action>\n  <kill name=\"fail\"";
    sandbox.write("apps/warned/workflow.xml", &WORKFLOW.replacen(lost, more, 1));
    let wrong = COORDINATOR.replacen("${coord:days(1)}", "${coord:dayz(1)}", 1).replacen("timezone=\"UTC\">", ">", 1);
    sandbox.write("apps/wrong, 100%/coordinator.xml", &wrong);
    sandbox.write("apps/pom.xml", "<project/>");
    sandbox
}

fn told(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(["validate"].into_iter().chain(arguments.iter().copied())).run()
}

#[test]
fn people_read_excerpts_and_a_sum() {
    let sandbox = apps();
    let ran = told(&sandbox, &["apps", "apps/coordinator.xml"]);
    insta::assert_snapshot!(sandbox.redact(&format!("{}---\n{}", ran.stdout, ran.stderr)));
    assert_eq!(ran.status, Some(1));
}

#[test]
fn each_format_reports_the_same() {
    for format in ["json", "sarif", "github", "junit"] {
        let sandbox = apps();
        let ran = told(&sandbox, &["apps", "--format", format]);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""), "{format}");
        insta::assert_snapshot!(format!("format_{format}"), sandbox.redact(&ran.stdout));
        // A path that is not below the working folder, and one that is, written in full.
        let in_full = told(&sandbox, &[sandbox.text("apps").as_str(), "--format", format]);
        let is_relative = matches!(format, "sarif" | "github");
        assert_eq!(in_full.stdout == ran.stdout, is_relative, "{format}: {}", in_full.stdout);
    }
}

#[test]
fn sarif_has_the_form_that_its_readers_expect() {
    let sandbox = apps();
    let log: Value = serde_json::from_str(&told(&sandbox, &["apps", "--format", "sarif"]).stdout).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let runs = log["runs"].as_array().expect("runs");
    let [run] = runs.as_slice() else { panic!("one run, not {}", runs.len()) };
    assert_eq!((&run["tool"]["driver"]["name"], &run["columnKind"]), (&"howdah".into(), &"unicodeCodePoints".into()));
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"].as_array().expect("rules").iter().collect();
    let results = run["results"].as_array().expect("results");
    assert!(results.len() >= 3, "{results:#?}");
    for result in results {
        let rule = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[rule]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
        assert!(uri.starts_with("apps/") && !uri.contains([' ', ',']), "{uri}");
        for field in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(place["region"][field].as_u64().is_some_and(|number| number > 0), "{field}: {place}");
        }
    }
}

#[test]
fn nothing_wrong_is_a_document_too() {
    let sandbox = Sandbox::new();
    sandbox.write("w.xml", WORKFLOW);
    for (format, expect) in [
        ("github", "1 file checked, all valid: no problems\n"),
        ("human", "w.xml: ok (workflow 0.5)\n1 file checked, all valid: no problems\n"),
    ] {
        assert_eq!(told(&sandbox, &["w.xml", "--format", format]).stdout, expect);
    }
    let log: Value = serde_json::from_str(&told(&sandbox, &["w.xml", "--format", "sarif"]).stdout).expect("JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    let junit = told(&sandbox, &["w.xml", "--format", "junit"]).stdout;
    assert!(
        junit.contains("tests=\"1\" failures=\"0\"")
            && junit.contains("<testcase classname=\"workflow\" name=\"w.xml\"/>")
    );
    assert_eq!(told(&sandbox, &["w.xml", "--format", "github", "--quiet"]).stdout, "");
}

/// Returns the exit status and the reported codes with their severity, for the file with a warning.
fn check(arguments: &[&str], status: i32, expect: &str) {
    let sandbox = apps();
    let arguments: Vec<&str> = ["apps/warned", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let ran = told(&sandbox, &arguments);
    let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
    let lists = document["files"].as_array().cloned().unwrap_or_else(|| vec![document.clone()]);
    let problems = lists.iter().flat_map(|file| file["problems"].as_array().cloned().unwrap_or_default());
    let word =
        |problem: Value| format!("{}={}", problem["code"].as_str().unwrap(), problem["severity"].as_str().unwrap());
    assert_eq!(problems.map(word).collect::<Vec<_>>().join(" "), expect, "{arguments:?}");
    assert_eq!(ran.status, Some(status), "{arguments:?}");
}

#[test]
fn warnings_are_denied_and_allowed() {
    check(&[], 0, "W0105=warning");
    check(&["--allow", "W0105"], 0, "");
    check(&["--deny", "W0105"], 1, "W0105=error");
    check(&["--deny", "warnings"], 1, "W0105=error");
    check(&["--deny", "warnings", "--allow", "W0101,W0105"], 0, "");
    check(&["--allow", "W0105", "--deny", "warnings"], 0, "");
    check(&["--deny", "W0105", "--allow", "W0105"], 1, "W0105=error");
    check(&["--deny", "W0101"], 0, "W0105=warning");
}

#[test]
fn a_wrong_command_line_is_no_verdict() {
    check(&["--allow", "W01005"], 2, "H0002=error");
    check(&["--allow", "E1004"], 2, "H0002=error");
    check(&["--deny", "warning"], 2, "H0002=error");
    check(&["--format", "sarif"], 2, "H0002=error");
    let sandbox = apps();
    let ran = told(&sandbox, &["apps", "--deny", "W01005"]);
    let expect = "error[H0002]: --deny W01005: there is no such code\n |\n = help: did you mean W0105?\n";
    assert_eq!((ran.status, ran.stderr.as_str(), ran.stdout.as_str()), (Some(2), expect, ""));
    for arguments in [&[][..], &["apps", "--format", "xml"], &["-D", "a"], &["apps", "-D", "=1"]] {
        assert_eq!(told(&sandbox, arguments).status, Some(2), "{arguments:?}");
    }
}

#[test]
fn standard_input_is_judged_by_its_root_element() {
    let sandbox = Sandbox::new();
    for (text, status, expect) in [
        (WORKFLOW, 0, "<stdin>: ok (workflow 0.5)\n1 file checked, all valid: no problems\n"),
        ("<workflow-app", 1, "1 file checked, 1 invalid: 1 error\n"),
        ("", 1, "1 file checked, 1 invalid: 1 error\n"),
    ] {
        let file = sandbox.write("input", text);
        let ran = sandbox.howdah(["validate", "-"]).reading(&file).run();
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(status), expect), "{text:?} {}", ran.stderr);
    }
}

#[test]
fn what_cannot_be_read_is_a_verdict_in_every_format() {
    let sandbox = Sandbox::new();
    for format in ["human", "json", "sarif", "github", "junit"] {
        let ran = told(&sandbox, &["none.xml", "--format", format]);
        assert_eq!(ran.status, Some(1), "{format}");
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("H0110"), "{format}: {ran:?}");
    }
}

#[test]
fn files_and_folders_are_reported_in_the_order_in_which_they_are_named() {
    let sandbox = Sandbox::new();
    for name in ["one.xml", "folder/a.xml", "folder/below/b.xml", "two.xml"] {
        sandbox.write(name, "<workflow_app/>");
    }
    let ran = told(&sandbox, &["two.xml", "folder", "one.xml", "none", "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let files = report["files"].as_array().expect("files").iter();
    let paths: Vec<&str> = files.filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(paths, ["two.xml", "folder/a.xml", "folder/below/b.xml", "one.xml", "none"]);
}

#[test]
fn a_folder_hides_no_broken_file_and_no_near_miss() {
    let sandbox = Sandbox::new();
    sandbox.write("apps/pom.xml", "<project xmlns='http://maven.apache.org/POM/4.0.0'><name>x</name></project>");
    sandbox.write("apps/old.xml", "<!DOCTYPE html [<!ENTITY nbsp ' '>]><html>&nbsp;</html>");
    sandbox.write("apps/latin.xml", "<?xml version='1.0' encoding='ISO-8859-1'?><notes/>");
    let ran = told(&sandbox, &["apps"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "nothing that Oozie reads: {ran:?}");
    for (name, text, expect) in [
        ("cut.xml", "<coordinator", "E0700"),
        ("empty.xml", "", "E0700"),
        ("open.xml", "<notes><note>", "E0700"),
        ("near.xml", "<coordinator-ap xmlns='uri:oozie:coordinator:0.4'/>", "did you mean <coordinator-app>?"),
        ("nearer.xml", "<workflow_app/>", "did you mean <workflow-app>?"),
        ("ours.xml", "<app xmlns='uri:oozie:workflow:0.5'/>", "<app> is not a document that Oozie reads"),
    ] {
        let path = format!("apps/{name}");
        sandbox.write(&path, text);
        let ran = told(&sandbox, &["apps"]);
        assert!(ran.status == Some(1) && ran.stderr.contains(expect) && ran.stderr.contains(&path), "{name}: {ran:?}");
        std::fs::remove_file(sandbox.path(&path)).expect("a file that was just written");
    }
}

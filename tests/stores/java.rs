//! Java actions in a real JVM: a class that is compiled here and shipped in `lib/` (workflow specification 3.2.6).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use howdah_sandbox::application::{action, effect, shell, workflow};
use howdah_sandbox::engines::{apt, run};
use howdah_sandbox::sandbox::{Sandbox, is_alive, wait_for};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";

/// Does what its first argument says, with the second argument.
const PROGRAM: &str = r#"
package test;

import java.io.FileOutputStream;
import java.io.FileWriter;
import java.util.Properties;

public class Job {
    public static void main(String[] arguments) throws Exception {
        String value = arguments.length > 1 ? arguments[1] : "";
        switch (arguments[0]) {
            case "hand-back":
                Properties output = new Properties();
                output.setProperty("said", value);
                output.setProperty("option", String.valueOf(System.getProperty("option")));
                output.setProperty("id", System.getProperty("oozie.action.id").replaceAll(".*-oozie-oozi-", ""));
                try (FileOutputStream file = new FileOutputStream(System.getProperty("oozie.action.output.properties"))) {
                    output.store(file, null);
                }
                return;
            case "start-elsewhere":
                write("oozie.action.externalChildIDs", value);
                write("oozie.action.stats.properties", "{\"G\":{\"a\":3}}");
                return;
            case "configuration":
                System.out.print(new String(java.nio.file.Files.readAllBytes(
                    java.nio.file.Paths.get(System.getProperty("oozie.action.conf.xml")))));
                return;
            case "exit":
                System.exit(Integer.parseInt(value));
            case "throw":
                throw new IllegalStateException(value, new RuntimeException("why"));
            case "sleep":
                write(value, String.valueOf(ProcessHandle.current().pid()));
                Thread.sleep(600_000);
        }
    }

    private static void write(String place, String text) throws Exception {
        String path = System.getProperty(place, place);
        try (FileWriter file = new FileWriter(path)) {
            file.write(text);
        }
    }
}
"#;

/// Returns the jar with the class, or why this machine cannot have it. Built once for all tests of the program.
fn jar() -> Result<&'static Path, &'static str> {
    static JAR: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    JAR.get_or_init(compile).as_deref().map_err(String::as_str)
}

fn compile() -> Result<PathBuf, String> {
    if run(Command::new("javac").arg("-version")).is_err() {
        apt(&["default-jdk-headless"])?;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("java-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    fs::write(folder.join("Job.java"), PROGRAM).map_err(|error| error.to_string())?;
    run(Command::new("javac").args(["-d", "classes", "Job.java"]).current_dir(&folder))?;
    run(Command::new("jar").args(["cf", "job.jar", "-C", "classes", "."]).current_dir(&folder))?;
    let jar = fs::read(folder.join("job.jar")).map_err(|error| error.to_string())?;
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("job.jar");
    fs::write(&path, jar).map_err(|error| error.to_string())?;
    Ok(path)
}

/// A sandbox with the jar in the application's `lib/`, in the full tier; elsewhere `None`, with the reason printed.
fn sandbox() -> Option<Sandbox> {
    if !tier::full("it compiles a class and starts JVMs") {
        return None;
    }
    let jar = jar().unwrap_or_else(|why| panic!("a JDK: {why}"));
    let sandbox = Sandbox::new();
    sandbox.write("app/lib/notes.txt", "no jar");
    fs::copy(jar, sandbox.path("app/lib/job.jar")).expect("a file of the sandbox");
    Some(sandbox)
}

/// A java action that runs the class with these arguments; `before` precedes them, `after` follows them.
fn java(before: &str, arguments: &[&str], after: &str) -> String {
    let arguments: String =
        arguments.iter().fold(String::new(), |all, argument| all + &format!("<arg>{argument}</arg>"));
    format!(
        "<java><job-tracker>local</job-tracker><name-node>file:///</name-node>{before}\
         <main-class>test.Job</main-class>{arguments}{after}</java>"
    )
}

fn run_to_its_end(sandbox: &Sandbox, nodes: &[String]) -> String {
    workflow(sandbox, "app", "j", nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    format!("{} {}", database.job(&job), database.nodes())
}

#[test]
fn a_class_hands_back_what_a_later_action_uses() {
    let Some(sandbox) = sandbox() else { return };
    let options = "<java-opts>-Xmx32m -Doption='a b'</java-opts>";
    let body = java("", &["hand-back", "north pole"], "<capture-output/>")
        .replace("</main-class>", &format!("</main-class>{options}"));
    let data = "${wf:actionData('j')['said']}, ${wf:actionData('j')['option']}, ${wf:actionData('j')['id']}";
    let outcome = run_to_its_end(&sandbox, &[action("j", &body, "next", ""), shell("next", &effect(data), "end")]);
    assert_eq!(outcome, "SUCCEEDED :start: OK, j OK, next OK, end OK");
    assert_eq!(sandbox.read("effects"), "north pole, a b, W@j\n");
}

#[test]
fn a_class_names_the_jobs_that_it_started_elsewhere() {
    let Some(sandbox) = sandbox() else { return };
    let body = java("", &["start-elsewhere", "job_1,job_2"], "");
    let next = shell("next", &effect("${wf:actionData('j')['hadoopJobs']}"), "end");
    let outcome = run_to_its_end(&sandbox, &[action("j", &body, "next", ""), next]);
    assert_eq!(outcome, "SUCCEEDED :start: OK, j OK, next OK, end OK");
    assert_eq!(sandbox.read("effects"), "job_1,job_2\n");
    assert_eq!(sandbox.database().value("SELECT external_id FROM workflow_node WHERE name = 'j'"), "job_1");
}

#[test]
fn a_class_reads_its_configuration() {
    let Some(sandbox) = sandbox() else { return };
    let before = "<prepare><mkdir path=\"${sandbox}/made\"/></prepare>\
        <configuration><property><name>colour</name><value>a &lt; b</value></property></configuration>";
    let outcome = run_to_its_end(&sandbox, &[action("j", &java(before, &["configuration"], ""), "end", "")]);
    assert_eq!(outcome, "SUCCEEDED :start: OK, j OK, end OK");
    let folder = sandbox.database().value("SELECT directory FROM attempt");
    let said = fs::read_to_string(Path::new(&folder).join("stdout")).expect("the action's output");
    assert!(said.contains("<name>colour</name>") && said.contains("a &lt; b"), "{said}");
    assert!(sandbox.path("made").is_dir());
}

#[test]
fn the_end_of_a_class_has_oozies_code() {
    for (arguments, expect) in [
        (&["exit", "0"][..], None),
        (&["exit", "3"], Some("3 Main Class [test.Job], exit code [3]")),
        (&["exit", "1"], Some("1 Main Class [test.Job], exit code [1]")),
        (&["exit", "-1"], Some("JA019 Main Class [test.Job], exit code [-1]")),
        (&["throw", "it rains"], Some("JA018 java.lang.IllegalStateException: it rains")),
    ] {
        let Some(sandbox) = sandbox() else { return };
        let outcome = run_to_its_end(&sandbox, &[action("j", &java("", arguments, ""), "end", "")]);
        let Some(expect) = expect else {
            assert_eq!(outcome, "SUCCEEDED :start: OK, j OK, end OK");
            continue;
        };
        assert_eq!(outcome, "KILLED :start: OK, j ERROR, fail OK", "{arguments:?}");
        let error = "SELECT error_code, error_message FROM workflow_node WHERE name = 'j'";
        assert_eq!(sandbox.database().value(error), expect, "{arguments:?}");
    }
}

#[test]
fn a_class_that_is_missing_is_named() {
    let Some(sandbox) = sandbox() else { return };
    let body = java("", &[], "").replace("test.Job", "test.None");
    assert_eq!(run_to_its_end(&sandbox, &[action("j", &body, "end", "")]), "KILLED :start: OK, j ERROR, fail OK");
    let error = "SELECT error_code, error_message FROM workflow_node WHERE name = 'j'";
    assert_eq!(sandbox.database().value(error), "JA018 Could not find or load main class test.None");
}

#[test]
fn a_jvm_that_is_missing_is_advised() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "j", &[action("j", &java("", &[], ""), "end", "")]);
    let site = sandbox.write("site.properties", "howdah.command.java=/nowhere/java\n").display().to_string();
    let submit = sandbox.howdah(["submit", "--site"]).with(&site).at(NOW);
    submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
    sandbox.await_quiet();
    let error = sandbox.database().value("SELECT error_code, error_message FROM workflow_node WHERE name = 'j'");
    assert!(error.starts_with("JA018 Cannot run program \"/nowhere/java\": No such file"), "{error}");
    assert!(error.ends_with("set howdah.command.java in the site file to its path"), "{error}");
}

#[test]
fn a_killed_class_is_gone() {
    let Some(sandbox) = sandbox() else { return };
    let body = java("", &["sleep", "${sandbox}/pid"], "");
    workflow(&sandbox, "app", "j", &[action("j", &body, "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    let pid: i32 = sandbox.await_file("pid").parse().expect("the number of a process");
    assert!(is_alive(pid));
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    wait_for("the JVM to end", || (!is_alive(pid)).then_some(()));
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), database.nodes().as_str()), ("KILLED", ":start: OK, j KILLED"));
}

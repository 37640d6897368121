//! The `shell` action: a command with its files, arguments and environment.
//!
//! Follows the shell action's specification and decision W25: the program is a file shipped with the action first, then an
//! absolute path, then what `PATH` finds. Touches no file; the working folder is filled by the shim.

use super::ending::{CaptureSource, Ending, FailureRule};
use super::launch::{Launch, Program};
use super::work::Task;
use super::{ActionContext, Failure};
use crate::xml::Element;

const MAIN: &str = "org.apache.oozie.action.hadoop.ShellMain";

/// The work of a `shell` action. JA010 (the job fails) for an `env-var` without a value.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::of(element, context)?;
    for entry in element.children_named("env-var") {
        launch.set_variable("env-var", &entry.text().value)?;
    }
    launch.search_working_folder_first();
    let configuration = launch.configuration_file().to_string_lossy().into_owned();
    launch.environment.insert("OOZIE_ACTION_CONF_XML".to_owned(), configuration);
    let exec = element.child("exec").map(|exec| exec.text().value).unwrap_or_default();
    let program = program(&exec, &launch);
    let arguments = element.children_named("argument").map(|argument| argument.text().value).collect();
    let ending = Ending {
        failure: FailureRule::AlwaysOne { main: MAIN.to_owned() },
        capture: launch.capture(element, CaptureSource::StandardOutput),
    };
    Ok(launch.command(program, arguments, ending))
}

/// The program to start. Only the last step of `exec` names a shipped file.
fn program(exec: &str, launch: &Launch<'_>) -> Program {
    let name = exec.rsplit('/').next().unwrap_or(exec);
    if launch.shipped.links.contains_key(name) {
        Program { path: launch.at(name).to_string_lossy().into_owned(), shipped: Some(name.to_owned()), advice: None }
    } else {
        let path = if exec.starts_with('/') { exec } else { name };
        Program { path: path.to_owned(), shipped: None, advice: None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::FailureKind;
    use super::super::testing::{Sandbox, element, here};
    use super::super::work::CommandWork;
    use super::*;

    fn planned(body: &str) -> Result<CommandWork, Failure> {
        let mut sandbox = Sandbox::new();
        sandbox.library = vec![here("/app/lib/tool.sh"), here("/app/lib/data.txt")];
        let task = plan(&element(&format!("<shell>{body}</shell>")), &sandbox.context())?;
        let Task::Command(work) = task else { panic!("shell plans a command, not {task:?}") };
        Ok(*work)
    }

    fn check_program(body: &str, expect: &str) {
        let work = planned(body).unwrap();
        let directory = format!("{}/", work.line.directory.display());
        assert_eq!(work.line.program.replace(&directory, "WORK/"), expect, "{body}");
    }

    #[test]
    fn the_program_is_shipped_then_absolute_then_on_the_path() {
        check_program("<exec>run.sh</exec><file>run.sh</file>", "WORK/run.sh");
        check_program("<exec>run.sh</exec><file>scripts/v2.sh#run.sh</file>", "WORK/run.sh");
        check_program("<exec>/opt/x/run.sh</exec><file>run.sh</file>", "WORK/run.sh");
        check_program("<exec>tool.sh</exec>", "WORK/tool.sh");
        check_program("<exec>/opt/x/run.sh</exec>", "/opt/x/run.sh");
        check_program("<exec>bin/date</exec>", "date");
        check_program("<exec> date </exec>", "date");
    }

    #[test]
    fn arguments_keep_their_number_and_blanks_inside() {
        let work = planned("<exec>x</exec><argument> a  b </argument><argument/><argument>$c;d</argument>").unwrap();
        assert_eq!(work.line.arguments, ["a  b", "", "$c;d"]);
        assert_eq!(work.ending.capture, None);
        let captured = planned("<exec>x</exec><capture-output/>").unwrap().ending.capture.unwrap();
        assert_eq!((captured.from, captured.limit), (CaptureSource::StandardOutput, 20));
    }

    #[test]
    fn the_environment_is_inherited_overridden_and_completed() {
        let work = planned("<exec>x</exec><env-var>A=b=c</env-var><env-var>PATH=/x</env-var>").unwrap();
        assert_eq!(work.line.environment["A"], "b=c");
        assert_eq!(work.line.environment["PATH"], ".:/x");
        assert!(work.line.environment["OOZIE_ACTION_CONF_XML"].ends_with("/work/action.xml"));
        assert_eq!(planned("<exec>x</exec>").unwrap().line.environment["PATH"], ".:/usr/bin:/bin");
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (body, kind, code) in [
            ("<env-var>A</env-var>", FailureKind::Failed, "JA010"),
            ("<env-var>A=</env-var>", FailureKind::Failed, "JA010"),
            ("<archive>a.zip#</archive>", FailureKind::Error, "IllegalArgumentException"),
            ("<prepare><delete path='s3a://b/c'/></prepare>", FailureKind::Error, "HadoopAccessorException"),
        ] {
            let failure = planned(&format!("<exec>x</exec>{body}")).unwrap_err();
            assert_eq!((failure.kind, failure.code.as_str()), (kind, code), "{body}");
        }
    }
}

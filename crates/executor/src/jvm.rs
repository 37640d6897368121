//! Reads the end of a JVM that ran a main class: an uncaught exception, or an exit status.
//!
//! Follows the workflow specification, section 3.2.6, and the result mapping of Oozie's launcher. A JVM exits with 1
//! after an exception, and also when its program exits with 1; the end of its standard error shows which of the two it
//! was.

use std::path::Path;

use crate::failure::Failure;
use howdah_host::attempt;
use howdah_host::command::WorkOutcome;
use howdah_host::found::Unknown;

/// How much of the end of standard error is searched for an exception, in bytes.
const END_OF_ERRORS: usize = 64 << 10;
/// The exit status of `System.exit(-1)`: only the lowest eight bits are left.
const MINUS_ONE: i32 = 255;
/// The start of the JVM's line about an uncaught exception.
const UNCAUGHT: &str = "Exception in thread \"main\" ";
/// What follows `Error: ` in the JVM's own lines when it cannot start a class.
const NOT_STARTED: [&str; 5] = [
    "Could not find or load main class ",
    "Main method ",
    "LinkageError occurred while loading main class ",
    "Unable to initialize main class ",
    "Could not create the Java Virtual Machine.",
];

/// Returns what the end of a JVM that ran the class `main` in the attempt `folder` means; `outcome` is a failure.
///
/// # Errors
/// Fails when the machine cannot read its standard error.
pub(super) fn failure(main: &str, outcome: &WorkOutcome, folder: &Path) -> Result<Failure, Unknown> {
    let exit = |code: &str, shown: i32| Failure::error(code, format!("Main Class [{main}], exit code [{shown}]"));
    Ok(match outcome {
        WorkOutcome::Exited(MINUS_ONE) => exit("JA019", -1),
        WorkOutcome::Exited(1) => match reason(folder)? {
            Some(reason) => Failure::error("JA018", reason),
            None => exit("1", 1),
        },
        WorkOutcome::Exited(status) => exit(&status.to_string(), *status),
        WorkOutcome::Signaled(signal) => {
            Failure::error("JA018", format!("Main Class [{main}], its JVM was ended by signal {signal}"))
        }
        WorkOutcome::Failed { code, message } => Failure::error(code.as_str(), message.as_str()),
    })
}

/// Returns the JVM's own reason for its end: an uncaught exception, or a class that it cannot start.
fn reason(folder: &Path) -> Result<Option<String>, Unknown> {
    let end = attempt::read_end_of(folder, attempt::STANDARD_ERROR, END_OF_ERRORS).known()?;
    Ok(end.and_then(|end| reason_in(&String::from_utf8_lossy(&end))))
}

/// Returns the last uncaught exception (later output of shutdown hooks does not hide it), else the first error of the
/// JVM.
fn reason_in(errors: &str) -> Option<String> {
    if let Some(exception) = errors.lines().rev().find_map(|line| line.strip_prefix(UNCAUGHT)) {
        return Some(exception.trim().to_owned());
    }
    let mut before = "";
    for line in errors.lines() {
        let complaint = line.strip_prefix("Error: ").map(str::trim);
        match complaint.filter(|complaint| NOT_STARTED.iter().any(|start| complaint.starts_with(start))) {
            // The line above names the option that the JVM does not know.
            Some(complaint) if complaint.ends_with('.') && !before.is_empty() => {
                return Some(format!("{complaint} {before}"));
            }
            Some(complaint) => return Some(complaint.to_owned()),
            None => before = line.trim(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    fn check_end(outcome: &WorkOutcome, errors: &str, expect: [&str; 2]) {
        let sandbox = Sandbox::new();
        sandbox.write("attempt/stderr", errors);
        let ended = failure("a.Main", outcome, &sandbox.attempt).unwrap();
        assert_eq!([ended.code.as_str(), ended.message.as_str()], expect, "{outcome:?} {errors}");
    }

    #[test]
    fn the_end_of_a_jvm_has_a_code() {
        let exit = |status| WorkOutcome::Exited(status);
        check_end(&exit(3), "", ["3", "Main Class [a.Main], exit code [3]"]);
        check_end(&exit(255), "", ["JA019", "Main Class [a.Main], exit code [-1]"]);
        check_end(&exit(1), "Error: bad input\n", ["1", "Main Class [a.Main], exit code [1]"]);
        let trace = "log\nException in thread \"main\" b.Bad: no\n\tat a.Main.main(Main.java:3)\nshutdown hook\n";
        check_end(&exit(1), trace, ["JA018", "b.Bad: no"]);
        check_end(&exit(3), trace, ["3", "Main Class [a.Main], exit code [3]"]);
        let missing = "Error: Could not find or load main class a.Main\nCaused by: java.lang.ClassNotFoundException\n";
        check_end(&exit(1), missing, ["JA018", "Could not find or load main class a.Main"]);
        let option = "Unrecognized option: -Xfoo\nError: Could not create the Java Virtual Machine.\nError: A fatal";
        check_end(&exit(1), option, ["JA018", "Could not create the Java Virtual Machine. Unrecognized option: -Xfoo"]);
        check_end(&WorkOutcome::Signaled(9), "", ["JA018", "Main Class [a.Main], its JVM was ended by signal 9"]);
    }
}

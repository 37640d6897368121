//! What the end of a JVM that ran a main class means: an exception that nobody caught, or an exit status.
//!
//! A JVM ends with 1 after an exception that nobody caught, as it does when its program asks for 1; what it wrote last to
//! its standard error tells them apart.

use std::path::Path;

use super::Failure;
use crate::host::command::Outcome;
use crate::host::{attempt, files};

/// What the JVM writes before an exception that nobody caught in its main thread.
const UNCAUGHT: &str = "Exception in thread \"main\" ";
/// Of the standard error only the end is searched, in bytes.
const END_OF_ERRORS: usize = 64 * 1024;
/// The exit status of a program that asks for -1.
const MINUS_ONE: i32 = 255;

/// What the end of a JVM that ran the class `main` in the attempt `folder` means; `outcome` is not a good one.
pub(super) fn failure(main: &str, outcome: &Outcome, folder: &Path) -> Failure {
    let exit = |code: &str, shown: i32| Failure::error(code, format!("Main Class [{main}], exit code [{shown}]"));
    match outcome {
        Outcome::Exited(MINUS_ONE) => exit("JA019", -1),
        Outcome::Exited(1) => match exception(folder) {
            Some(exception) => Failure::error("JA018", exception),
            None => exit("1", 1),
        },
        Outcome::Exited(status) => exit(&status.to_string(), *status),
        Outcome::Signaled(signal) => {
            Failure::error("JA018", format!("Main Class [{main}], its JVM was ended by signal {signal}"))
        }
        Outcome::Failed { code, message } => Failure::error(code.as_str(), message.as_str()),
    }
}

/// The last exception that nobody caught.
fn exception(folder: &Path) -> Option<String> {
    let [_, errors] = attempt::output_files(folder);
    let end = files::read_end(&errors, END_OF_ERRORS).ok()?;
    let end = String::from_utf8_lossy(&end);
    end.lines().rev().find_map(|line| line.strip_prefix(UNCAUGHT)).map(|exception| exception.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    fn check(outcome: &Outcome, errors: &str, expect: &str) {
        let sandbox = Sandbox::new();
        sandbox.write("attempt/stderr", errors);
        let failure = failure("Main", outcome, &sandbox.attempt);
        assert_eq!(format!("{} {}", failure.code, failure.message), expect, "{errors}");
    }

    #[test]
    fn an_exception_is_no_exit_status() {
        let trace = "log\nException in thread \"main\" a.Bad: no such table\n\tat a.Main.main(Main.java:3)\nhook\n";
        check(&Outcome::Exited(1), trace, "JA018 a.Bad: no such table");
        check(&Outcome::Exited(1), "FAILED: ParseException", "1 Main Class [Main], exit code [1]");
        check(&Outcome::Exited(3), trace, "3 Main Class [Main], exit code [3]");
        check(&Outcome::Exited(255), "", "JA019 Main Class [Main], exit code [-1]");
        check(&Outcome::Signaled(9), "", "JA018 Main Class [Main], its JVM was ended by signal 9");
    }
}

//! GitHub's workflow commands: a line for each problem, which GitHub shows beside the line of the file.

use std::fmt::Write as _;

use super::place::{Base, Region, file_of};
use super::report::{Report, Sum};
use crate::output::diagnostic::{in_order, plain};
use crate::output::form::Form;
use howdah_answers::check::validate::Verdict;
use howdah_words::error::{Error, Severity};

/// The report of `--format github`.
pub(super) struct Github {
    /// Whether the sum is shown.
    pub(super) form: Form,
    pub(super) base: Base,
}

impl Report for Github {
    fn verdict(&mut self, verdict: &Verdict, _: &Sum) -> String {
        in_order(&verdict.problems).into_iter().map(|problem| self.command(problem, verdict)).collect()
    }

    fn end(&mut self, sum: &Sum) -> String {
        if self.form == Form::Quiet { String::new() } else { sum.text() }
    }
}

impl Github {
    fn command(&self, problem: &Error, verdict: &Verdict) -> String {
        let word = match problem.severity() {
            Severity::Note => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let file = self.base.relative(file_of(problem, verdict));
        let mut command = format!("::{word} file={}", property(file));
        if let Some(place) = problem.location() {
            let Region { start, end } = Region::of(place);
            write!(command, ",line={},endLine={}", start.0, end.0).expect("writing to a string succeeds");
            // Columns are valid within one line only.
            if start.0 == end.0 {
                write!(command, ",col={},endColumn={}", start.1, end.1).expect("writing to a string succeeds");
            }
        }
        let mut message = data(&plain(problem.message()));
        if let Some(help) = problem.help_text() {
            message += "%0Ahelp: ";
            message += &data(&plain(help));
        }
        format!("{command},title={}::{message}\n", property(problem.code().as_str()))
    }
}

/// Returns a text after the `::` of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Returns the value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_would_end_a_command_or_a_property() {
        for (text, as_data, as_property) in [
            ("100%: a, b", "100%25: a, b", "100%25%3A a%2C b"),
            ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
            ("::error::x", "::error::x", "%3A%3Aerror%3A%3Ax"),
            ("%0A", "%250A", "%250A"),
        ] {
            assert_eq!((data(text).as_str(), property(text).as_str()), (as_data, as_property), "{text:?}");
        }
    }
}

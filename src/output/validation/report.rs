//! The methods of every format, and the sums at the end of a report. Must not depend on a format.

use crate::output::diagnostic::Counts;
use howdah_answers::check::validate::Verdict;

/// A format of a report. Its texts go to standard output; only `human` also writes problems to standard error.
pub(super) trait Report {
    /// Returns what stands before the first verdict.
    fn begin(&mut self) -> String {
        String::new()
    }

    /// One verdict; `before` sums up those before it.
    fn verdict(&mut self, verdict: &Verdict, before: &Sum) -> String;

    /// Returns what stands behind the last verdict.
    fn end(&mut self, sum: &Sum) -> String;
}

/// The numbers of the closing line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) valid: usize,
    pub(super) invalid: usize,
    pub(super) problems: Counts,
}

impl Sum {
    pub(super) fn add(&mut self, verdict: &Verdict) {
        self.problems.add(&verdict.problems);
        if verdict.is_valid() {
            self.valid += 1;
        } else {
            self.invalid += 1;
        }
    }

    pub(super) fn files(self) -> usize {
        self.valid + self.invalid
    }

    /// Returns the closing line.
    pub(super) fn text(self) -> String {
        let files = match self.files() {
            0 => {
                return "no file to check: no coordinator, workflow, bundle, datasets or configuration\n".to_owned();
            }
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        let problems = self.problems.text();
        match self.invalid {
            0 => format!("{files} checked, all valid: {problems}\n"),
            invalid => format!("{files} checked, {invalid} invalid: {problems}\n"),
        }
    }
}

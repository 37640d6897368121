//! What every format of a report does, and the sums that it closes with. Must not depend on a format.

use crate::check::validate::Verdict;
use crate::output::diagnostic::Counts;

/// One way of telling. What it answers goes to standard output; only `human` also writes, the problems
/// themselves and to standard error.
pub(super) trait Report {
    /// What stands before the first verdict.
    fn begin(&mut self) -> String {
        String::new()
    }

    /// One verdict; `before` sums up those before it.
    fn verdict(&mut self, verdict: &Verdict, before: &Sum) -> String;

    /// What stands behind the last verdict.
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

    /// The closing line.
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

//! The verdicts of `validate`, for people and for other programs.
//!
//! Problems go to standard error, verdicts and their sum to standard output. Each file is written as soon as it is
//! judged; only sums are kept.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::engine::validate::{FileKind, Verdict};
use crate::error::{Error, Result};
use crate::output::diagnostic::{self, in_order, problem_fields};
use crate::output::form::Form;
use crate::output::screen::Screen;

/// What was judged so far.
pub(crate) struct Validation {
    screen: Screen,
    form: Form,
    sum: Sum,
}

/// The numbers of the closing line.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    valid: usize,
    invalid: usize,
    errors: usize,
    warnings: usize,
}

impl Validation {
    /// Nothing judged yet.
    ///
    /// # Errors
    /// H0111 when standard output cannot take the beginning.
    pub(crate) fn begin(form: Form) -> Result<Self> {
        let mut screen = Screen::open();
        if form == Form::Json {
            screen.write("{\"files\":[")?;
        }
        Ok(Self { screen, form, sum: Sum::default() })
    }

    /// Shows one verdict; breaks when nobody reads any more.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn show(&mut self, verdict: &Verdict) -> Result<ControlFlow<()>> {
        let first = self.sum.files() == 0;
        self.sum.add(verdict);
        if self.form == Form::Json {
            self.screen.write(format!("{}{}", if first { "\n" } else { ",\n" }, as_json(verdict)))?;
        } else {
            diagnostic::explain_part(&verdict.problems);
            if verdict.named && self.form == Form::Text && verdict.is_valid() {
                self.screen.write(format!("{}: ok ({})\n", verdict.path, description(verdict)))?;
            }
        }
        Ok(if self.screen.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Shows the sum; answers whether everything is valid.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn end(mut self) -> Result<bool> {
        match self.form {
            Form::Json => self.screen.write("\n]}\n")?,
            Form::Quiet => {}
            Form::Text => self.screen.write(format!("{}\n", self.sum.text()))?,
        }
        Ok(self.sum.invalid == 0)
    }
}

impl Sum {
    fn add(&mut self, verdict: &Verdict) {
        let warnings = verdict.problems.iter().filter(|problem| problem.is_warning()).count();
        self.warnings += warnings;
        self.errors += verdict.problems.len() - warnings;
        if verdict.is_valid() {
            self.valid += 1;
        } else {
            self.invalid += 1;
        }
    }

    fn files(self) -> usize {
        self.valid + self.invalid
    }

    fn text(self) -> String {
        let files = match self.files() {
            0 => return "no file to check: no coordinator, workflow, bundle, datasets or configuration".to_owned(),
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        let problems = diagnostic::counted(self.errors, self.warnings);
        match self.invalid {
            0 => format!("{files} checked, all valid: {problems}"),
            invalid => format!("{files} checked, {invalid} invalid: {problems}"),
        }
    }
}

/// `coordinator 0.4`.
fn description(verdict: &Verdict) -> String {
    let kind = verdict.kind.map_or("unknown", FileKind::as_str);
    match &verdict.version {
        Some(version) => format!("{kind} {version}"),
        None => kind.to_owned(),
    }
}

fn as_json(verdict: &Verdict) -> Value {
    let mut problems: Vec<&Error> = in_order(&verdict.problems);
    // A file stands for itself: problems are those of this file.
    let problems: Vec<Value> = problems.drain(..).map(problem_fields).collect();
    json!({
        "path": verdict.path,
        "kind": verdict.kind.map(FileKind::as_str),
        "valid": verdict.is_valid(),
        "problems": problems,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    fn verdict(problems: Vec<Error>) -> Verdict {
        Verdict {
            path: "c.xml".to_owned(),
            kind: Some(FileKind::Properties),
            version: Some("0.4".to_owned()),
            problems,
            named: true,
        }
    }

    #[test]
    fn a_verdict_as_json() {
        let problem = Error::new(ErrorCode::W0101, 1);
        assert_eq!(
            as_json(&verdict(vec![problem])).to_string(),
            r#"{"path":"c.xml","kind":"properties","valid":true,"problems":[{"severity":"warning","code":"W0101","message":"Frequency [1] minutes is faster than the 5 minutes that Oozie allows","line":null,"column":null,"help":null}]}"#
        );
        assert_eq!(description(&verdict(vec![])), "properties 0.4");
    }

    #[test]
    fn sums() {
        for (counts, expect) in [
            ((0, 0, 0, 0), "no file to check: no coordinator, workflow, bundle, datasets or configuration"),
            ((1, 0, 0, 0), "1 file checked, all valid: no problems"),
            ((2, 0, 0, 1), "2 files checked, all valid: 1 warning"),
            ((2, 1, 3, 0), "3 files checked, 1 invalid: 3 errors"),
        ] {
            let (valid, invalid, errors, warnings) = counts;
            assert_eq!(Sum { valid, invalid, errors, warnings }.text(), expect);
        }
    }
}

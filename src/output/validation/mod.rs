//! The verdicts of `validate`, for people and for other programs.
//!
//! One file per format. Each verdict is written at once, except where the format starts with its sums (`JUnit`). Must
//! not decide anything about files.

mod github;
mod human;
mod json;
mod junit;
mod place;
mod report;
mod sarif;

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::output::form::Form;
use crate::output::json::escaped;
use crate::output::screen::Screen;
use howdah_answers::check::validate::Verdict;
use howdah_words::error::Result;
use place::Base;
use report::{Report, Sum};

/// The formats of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Problems with excerpts on standard error, verdicts on standard output.
    Human,
    /// One JSON document of howdah's own.
    Json,
    /// The Static Analysis Results Interchange Format, 2.1.0.
    Sarif,
    /// Workflow commands, which GitHub shows beside the lines of a change.
    Github,
    /// The XML in which test frameworks report.
    Junit,
}

impl Format {
    /// Every format with its name.
    pub(crate) const ALL: [(&'static str, Self); 5] = [
        ("human", Self::Human),
        ("json", Self::Json),
        ("sarif", Self::Sarif),
        ("github", Self::Github),
        ("junit", Self::Junit),
    ];
}

/// The files that were checked so far.
pub(crate) struct Validation {
    screen: Screen,
    report: Box<dyn Report>,
    sum: Sum,
    is_json: bool,
}

impl Validation {
    /// Starts without files. `form` says whether valid files are shown; places are relative to `folder`.
    ///
    /// # Errors
    /// H0111 when standard output cannot take the beginning.
    pub(crate) fn begin(format: Format, form: Form, folder: Option<PathBuf>) -> Result<Self> {
        let base = Base(folder);
        let mut report: Box<dyn Report> = match format {
            Format::Human => Box::new(human::Human { form }),
            Format::Json => Box::new(json::Json),
            Format::Sarif => Box::new(sarif::Sarif::new(base)),
            Format::Github => Box::new(github::Github { form, base }),
            Format::Junit => Box::new(junit::Junit::default()),
        };
        let mut screen = Screen::open();
        screen.write(report.begin())?;
        let is_json = matches!(format, Format::Json | Format::Sarif);
        Ok(Self { screen, report, sum: Sum::default(), is_json })
    }

    /// Shows one verdict; breaks when the reader has closed the output.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn show(&mut self, verdict: &Verdict) -> Result<ControlFlow<()>> {
        let text = self.report.verdict(verdict, &self.sum);
        self.sum.add(verdict);
        self.screen.write(if self.is_json { escaped(text) } else { text })?;
        Ok(if self.screen.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Shows the sum; returns whether everything is valid.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn end(mut self) -> Result<bool> {
        let text = self.report.end(&self.sum);
        self.screen.write(if self.is_json { escaped(text) } else { text })?;
        Ok(self.sum.invalid == 0)
    }
}

#[cfg(test)]
mod tests;

//! For people: problems with excerpts on standard error, the files that are fine and the sum on standard output.

use super::report::{Report, Sum};
use crate::output::diagnostic;
use crate::output::form::Form;
use crate::output::visible::visible;
use howdah_answers::check::validate::{FileKind, Verdict};

/// The report of a terminal.
pub(super) struct Human {
    /// Whether files that are fine are named.
    pub(super) form: Form,
}

impl Report for Human {
    fn verdict(&mut self, verdict: &Verdict, _: &Sum) -> String {
        diagnostic::explain_part(&verdict.problems);
        let word = match verdict.is_valid() {
            true if verdict.named => "ok",
            // A file that another file names may be refused because of that file, and any file for a problem that was
            // shown with another one.
            false if verdict.referrer.is_some() || !verdict.has_errors() => "invalid",
            _ => return String::new(),
        };
        match self.form {
            Form::Text => format!("{}: {word} ({})\n", visible(&verdict.path), visible(&description(verdict))),
            Form::Quiet | Form::Json => String::new(),
        }
    }

    fn end(&mut self, sum: &Sum) -> String {
        if self.form == Form::Text { sum.text() } else { String::new() }
    }
}

/// `coordinator 0.4`, and the file that names it.
pub(super) fn description(verdict: &Verdict) -> String {
    let mut text = verdict.kind.map_or("unknown", FileKind::as_str).to_owned();
    if let Some(version) = &verdict.version {
        text = format!("{text} {version}");
    }
    match &verdict.referrer {
        Some(referrer) => format!("{text}, of {referrer}"),
        None => text,
    }
}

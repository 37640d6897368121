//! The XML of `JUnit`: a suite with a test case for each file, a failure for each of its errors, its warnings as
//! output.
//!
//! The suite starts with its numbers, so the cases are kept until the end. Nothing ran, so there are no times.

use std::fmt::Write as _;

use super::place::in_words;
use super::report::{Report, Sum};
use crate::output::diagnostic::in_order;
use howdah_answers::check::validate::{FileKind, Verdict};
use howdah_words::error::Error;

/// The report of `--format junit`.
#[derive(Default)]
pub(super) struct Junit {
    cases: String,
}

impl Report for Junit {
    fn verdict(&mut self, verdict: &Verdict, _: &Sum) -> String {
        push_case(verdict, &mut self.cases).expect("writing to a string succeeds");
        String::new()
    }

    fn end(&mut self, sum: &Sum) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuite name=\"howdah validate\" tests=\"{}\" failures=\"{}\" errors=\"0\" \
             skipped=\"0\">\n{}</testsuite>\n",
            sum.files(),
            sum.invalid,
            self.cases
        )
    }
}

fn push_case(verdict: &Verdict, out: &mut String) -> std::fmt::Result {
    let kind = verdict.kind.map_or("unknown", FileKind::as_str);
    let name = match &verdict.referrer {
        Some(referrer) => format!("{} ({referrer})", verdict.path),
        None => verdict.path.clone(),
    };
    write!(out, "  <testcase classname=\"{kind}\" name=\"{}\"", escaped(&name))?;
    if verdict.is_valid() && verdict.problems.is_empty() {
        return out.write_str("/>\n");
    }
    out.write_str(">\n")?;
    if !verdict.is_valid() && !verdict.has_errors() {
        writeln!(out, "    <failure message=\"refused for a problem of another file, which is shown above\"/>")?;
    }
    let (warnings, errors): (Vec<&Error>, Vec<&Error>) =
        in_order(&verdict.problems).into_iter().partition(|problem| problem.is_warning());
    for error in errors {
        let (code, message) = (error.code(), escaped(error.message()));
        let text = escaped(&report_text(error, verdict));
        writeln!(out, "    <failure type=\"{code}\" message=\"{message}\">{text}</failure>")?;
    }
    if !warnings.is_empty() {
        let text: Vec<String> = warnings.iter().map(|warning| escaped(&report_text(warning, verdict))).collect();
        writeln!(out, "    <system-out>{}</system-out>", text.join("\n"))?;
    }
    out.write_str("  </testcase>\n")
}

/// Place, severity, code, message and help as text.
fn report_text(problem: &Error, verdict: &Verdict) -> String {
    let help = problem.help_text().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    format!("{}: {} {problem}{help}", in_words(problem, verdict), problem.severity().as_str())
}

/// Returns the text as the content of an element or an attribute. What XML 1.0 forbids even as a reference becomes
/// U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Unescaped they would become blanks in an attribute, or another kind of line end.
            '\t' | '\n' | '\r' => write!(out, "&#{};", u32::from(character)).expect("writing to a string succeeds"),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_well_formed() {
        for (text, expect) in [
            ("a < b && c > \"d\" 'e'", "a &lt; b &amp;&amp; c &gt; &quot;d&quot; 'e'"),
            ("]]>", "]]&gt;"),
            ("a\tb\r\nc", "a&#9;b&#13;&#10;c"),
            ("\0\u{1B}[0m\u{FFFE}\u{FFFF}\u{85}\u{1F600}", "\u{FFFD}\u{FFFD}[0m\u{FFFD}\u{FFFD}\u{85}\u{1F600}"),
        ] {
            assert_eq!(escaped(text), expect, "{text:?}");
        }
    }
}

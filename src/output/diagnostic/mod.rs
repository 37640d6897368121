//! How problems are shown: code and message, `file:line:column`, the source line with a caret, help.
//!
//! For people on standard error; with `--json` as one document on standard output. Decides only the order of problems:
//! by file, then by place, those without a place first.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::{AutoStream, ColorChoice};
use serde_json::{Value, json};

use crate::output::excerpt::{Excerpt, push_plain};
use crate::output::form::Form;
use crate::output::json;
use crate::output::screen::{Screen, is_watched};
use crate::output::visible::{own_codes, printable, visible};
use howdah_host::session::Session;
use howdah_words::error::{Error, Location, Severity};

/// Columns without a terminal.
const DEFAULT_WIDTH: usize = 100;
/// Columns beyond which a line is no longer easy to read.
const WIDEST: usize = 140;
/// Characters of a message that are shown; `--json` has all of it.
const LONGEST_MESSAGE: usize = 2000;

/// How problems are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Columns of the terminal.
    pub(crate) width: usize,
    /// With or without the codes for colours.
    pub(crate) renderer: fn() -> Renderer,
}

impl Style {
    /// Plain text of a given width.
    #[cfg(test)]
    pub(crate) const fn plain(width: usize) -> Self {
        Self { width, renderer: Renderer::plain }
    }

    /// For standard error, with colours where they are enabled.
    fn of_standard_error() -> Self {
        let width = terminal_size::terminal_size_of(std::io::stderr())
            .filter(|_| is_watched())
            .map_or(DEFAULT_WIDTH, |(columns, _)| usize::from(columns.0).min(WIDEST));
        let is_plain = colour_choice() == ColorChoice::Never;
        Self { width, renderer: if is_plain { Renderer::plain } else { Renderer::styled } }
    }
}

/// Shows the problems for which a command was refused: on standard error, or as one JSON document.
pub(crate) fn print(problems: &[Error], form: Form) {
    if form == Form::Json {
        let document = json!({ "problems": in_order(problems).into_iter().map(as_json).collect::<Vec<_>>() });
        // The exit status says that something is wrong, whether or not the document could be written.
        let _ = json::print(&mut Screen::open(), &document);
    } else {
        explain(problems);
    }
}

/// Shows problems to people, on standard error; nothing when there are none.
pub(crate) fn explain(problems: &[Error]) {
    write_stderr(&render(problems, Style::of_standard_error()));
}

/// Shows the problems beside a result: all, or with `--quiet` only errors. A JSON document has its own list of
/// problems.
pub(crate) fn accompany(problems: &[Error], form: Form) {
    match form {
        Form::Text => explain(problems),
        Form::Quiet => explain(&problems.iter().filter(|problem| !problem.is_warning()).cloned().collect::<Vec<_>>()),
        Form::Json => {}
    }
}

/// Shows some of the problems of a longer list, each with an empty line after it; the caller counts them.
pub(crate) fn explain_part(problems: &[Error]) {
    if problems.is_empty() {
        return;
    }
    let style = Style::of_standard_error();
    write_stderr(&render_all(problems, style));
}

/// Shows what was not done, and why.
pub(crate) fn note(error: &Error) {
    let style = annotate_snippets::renderer::DEFAULT_NOTE_STYLE;
    line(&format!("{}: ", own_codes(&format!("{style}note{style:#}"))), error);
    if let Some(help) = error.help_text() {
        write_stderr(&format!("  = help: {}\n", plain(help)));
    }
}

/// Shows a fault of one job or action in one line: `<id>: CODE: message`.
pub(crate) fn fault(subject: &str, error: &Error) {
    line(&format!("{}: ", visible(subject)), error);
}

fn line(start: &str, error: &Error) {
    write_stderr(&format!("{start}{}\n", plain(&error.to_string())));
}

/// Writes to standard error in one piece, so lines of several processes do not mix. Text that cannot be written is
/// lost: no other place is left to report it.
pub(crate) fn write_stderr(text: &str) {
    let text = &*printable(text);
    let has_codes = || text.contains('\u{1b}');
    let text = match colour_choice() {
        ColorChoice::Never if has_codes() => anstream::adapter::strip_str(text).to_string().into(),
        _ => Cow::Borrowed(text),
    };
    let _ = match Session::current().errors() {
        Some(mut kept) => kept.write_all(text.as_bytes()),
        None => std::io::stderr().lock().write_all(text.as_bytes()),
    };
}

/// Whether standard error shows colours.
fn colour_choice() -> ColorChoice {
    if Session::current().is_of_process() { AutoStream::choice(&std::io::stderr()) } else { ColorChoice::Never }
}

/// Returns the problems as text, with a last line that counts them when there are several.
pub(crate) fn render(problems: &[Error], style: Style) -> String {
    let mut out = render_all(problems, style);
    if problems.len() > 1 {
        let mut counts = Counts::default();
        counts.add(problems);
        out.push_str(&counts.text());
        out.push('\n');
    } else {
        // A single problem needs no empty line after it.
        out.truncate(out.trim_end_matches('\n').len() + usize::from(!out.is_empty()));
    }
    out
}

/// Returns the problems in order, an empty line behind each.
fn render_all(problems: &[Error], style: Style) -> String {
    let renderer = (style.renderer)().decor_style(DecorStyle::Ascii).term_width(style.width.max(60));
    let shown = in_order(problems).into_iter().map(|problem| render_one(problem, style.width, &renderer));
    shown.map(|text| text + "\n\n").collect()
}

fn render_one(problem: &Error, width: usize, renderer: &Renderer) -> String {
    let message = plain(problem.message());
    let level = match problem.severity() {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut group = Group::with_title(level.primary_title(message).id(problem.code().as_str()));
    if let Some(place) = problem.location() {
        group = show_place(group, place, width);
    }
    if let Some(help) = problem.help_text() {
        group = group.element(Level::HELP.message(plain(help)));
    }
    own_codes(&without_second_header(&renderer.render(&[group])))
}

/// Drops the empty header that the renderer puts between an origin and an excerpt without a name of its own.
fn without_second_header(text: &str) -> String {
    let is_header =
        |line: &&str| line.contains(":::") && anstream::adapter::strip_str(line).to_string().trim() == ":::";
    text.lines().filter(|line| !is_header(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the origin and the excerpt; only the origin where there is no text to show.
fn show_place<'a>(group: Group<'a>, place: &Location, width: usize) -> Group<'a> {
    let excerpt = Excerpt::of(place, width);
    let name = plain(&place.source.name);
    let origin = Origin::path(name).line(excerpt.line).char_column(excerpt.column);
    if excerpt.text.trim().is_empty() || !place.source.is_quotable() {
        return group.element(origin);
    }
    // The origin is separate because the excerpt may start in the middle of its line.
    let snippet =
        Snippet::source(excerpt.text).line_start(excerpt.line).annotation(AnnotationKind::Primary.span(excerpt.marked));
    group.element(origin).element(snippet)
}

/// How many problems there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
}

impl Counts {
    /// Counts some problems in.
    pub(crate) fn add(&mut self, problems: &[Error]) {
        for problem in problems {
            match problem.severity() {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }

    /// `2 errors, 1 warning`, or `no problems`.
    pub(crate) fn text(self) -> String {
        let counted = |(number, word)| match number {
            0 => None,
            1 => Some(format!("1 {word}")),
            _ => Some(format!("{number} {word}s")),
        };
        let all = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let parts: Vec<String> = all.into_iter().filter_map(counted).collect();
        if parts.is_empty() { "no problems".to_owned() } else { parts.join(", ") }
    }
}

/// Returns the problems in the order in which they are shown.
pub(crate) fn in_order(problems: &[Error]) -> Vec<&Error> {
    let mut ordered: Vec<&Error> = problems.iter().collect();
    ordered.sort_by_key(|problem| problem.location().map(|place| (&place.source.name, place.span.start)));
    ordered
}

/// Returns a problem as other programs read it.
pub(crate) fn as_json(problem: &Error) -> Value {
    let mut object = problem_fields(problem);
    if let Value::Object(fields) = &mut object {
        let file = problem.location().map(|place| place.source.name.as_str());
        fields.insert("file".to_owned(), json!(file));
        // The order is file, line, column; help is the last field.
        for name in ["line", "column", "help"] {
            if let Some(value) = fields.shift_remove(name) {
                fields.insert(name.to_owned(), value);
            }
        }
    }
    object
}

/// Returns a problem of a file that is named elsewhere in the document.
pub(crate) fn problem_fields(problem: &Error) -> Value {
    let place = problem.location().map(Location::line_column);
    let mut fields = serde_json::Map::new();
    fields.insert("severity".to_owned(), json!(problem.severity().as_str()));
    fields.insert("code".to_owned(), json!(problem.code().as_str()));
    if let Some(code) = problem.oozie_code() {
        fields.insert("oozieCode".to_owned(), json!(code.as_str()));
    }
    fields.insert("message".to_owned(), json!(problem.message()));
    fields.insert("line".to_owned(), json!(place.map(|(line, _)| line)));
    fields.insert("column".to_owned(), json!(place.map(|(_, column)| column)));
    fields.insert("help".to_owned(), json!(problem.help_text()));
    Value::Object(fields)
}

/// Returns a text on one line that cannot disturb a terminal, shortened when it is very long.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let end = text.char_indices().nth(LONGEST_MESSAGE).map_or(text.len(), |(at, _)| at);
    for (number, line) in text[..end].trim_end().lines().enumerate() {
        if number > 0 {
            out.push(' ');
        }
        push_plain(line, &mut out);
    }
    if end < text.len() {
        // Writing to a String cannot fail.
        let _ = write!(out, "... ({} more characters)", text[end..].chars().count());
    }
    out
}

#[cfg(test)]
mod tests;

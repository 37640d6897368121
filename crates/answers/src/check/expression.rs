//! An expression from the command line: a template such as `${coord:days(1)}`, or the bare expression `coord:days(1)`.
//!
//! Decides which of the two a text is, and where in it an error is. Must not depend on phases.

use std::sync::Arc;

use howdah_el::{Call, ElError, Scope, Template, Value};
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText, Span};

/// The prefix that turns a bare expression into a template.
const OPENING: &str = "${";

/// A parsed text of the command line.
#[derive(Debug)]
pub(crate) struct ExpressionText {
    source: Arc<SourceText>,
    template: Template,
    /// Length of the prefix that was added before the user's text, in bytes.
    shift: usize,
}

impl ExpressionText {
    /// Parses a text; without any `${` all of it is one expression. Errors name the text `name`.
    ///
    /// # Errors
    /// E1004 at the place in the text.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self> {
        let source = SourceText::new(name, text);
        if text.contains(OPENING) {
            let template = Template::parse(text).map_err(|error| located(&source, 0, error))?;
            return Ok(Self { source, template, shift: 0 });
        }
        let shift = OPENING.len();
        let template =
            Template::parse(&format!("{OPENING}{text}}}")).map_err(|error| located(&source, shift, error))?;
        if template.single_expression().is_none() {
            let brace = text.find('}').unwrap_or(text.len());
            let error = Error::new(ErrorCode::E1004, "a '}' without its '${'").help("write '${' where it starts");
            return Err(error.at(Location::new(&source, Span::new(brace, brace + 1))));
        }
        Ok(Self { source, template, shift })
    }

    /// Returns the value in a scope.
    ///
    /// # Errors
    /// Any error of the language or of a function, at the place in the text.
    pub(crate) fn evaluate(&self, scope: &mut dyn Scope) -> Result<Value> {
        self.template.evaluate_value(scope).map_err(|error| self.locate(error))
    }

    /// Returns the parsed text.
    pub(crate) fn template(&self) -> &Template {
        &self.template
    }

    /// Returns the call whose name is at the place of an error.
    pub(crate) fn call_at(&self, error: &ElError) -> Option<&Call> {
        self.template.calls().find(|call| call.name_span == error.span)
    }

    /// Returns the error with its code and its place in the user's text, and says how to define a missing variable.
    pub(crate) fn locate(&self, error: ElError) -> Error {
        let missing = error.is_unresolved();
        let error = located(&self.source, self.shift, error);
        if missing { error.help("give it a value with -D name=value, or with -c FILE") } else { error }
    }
}

/// Moves the error to its place in the user's text, without the added prefix.
fn located(source: &Arc<SourceText>, shift: usize, error: ElError) -> Error {
    let end = source.text.len();
    let [from, to] = [error.span.start, error.span.end].map(|at| at.saturating_sub(shift).min(end));
    let place = Location::new(source, Span::new(from, to));
    if shift > 0 && from == end && !source.text.trim().is_empty() {
        // What follows the text is not the user's.
        return Error::new(ErrorCode::E1004, "the expression ends too early").at(place);
    }
    error.into_error().at(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_el::NoNames;

    /// The value, or the marked part of the text and the message.
    fn check(text: &str, expect: &str) {
        let value = ExpressionText::parse("x", text).and_then(|expression| expression.evaluate(&mut NoNames));
        let reported = value.map_or_else(
            |error| {
                let span = error.location().expect("a place").span;
                let message = error.message().trim_start_matches("Expression language evaluation error, ");
                format!("[{}] {message}", &text[span.start..span.end])
            },
            |value| value.to_text().to_string(),
        );
        assert_eq!(reported, expect, "{text}");
    }

    #[test]
    fn bare_expressions_and_templates() {
        check("1 + 2", "3");
        check("a${1 + 2}b", "a3b");
        check("'}'", "}");
        check("\\${x}", "${x}");
        check("", "[] the expression is empty");
    }

    #[test]
    fn errors_have_places_in_the_text_as_typed() {
        check("1 + nope", "[nope] variable [nope] cannot be resolved");
        check("x${1 + nope}", "[nope] variable [nope] cannot be resolved");
        check("1} + 2", "[}] a '}' without its '${'");
    }
}

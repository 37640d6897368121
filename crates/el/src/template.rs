//! Mixed text: literal parts and `${...}` parts, as in attributes and element texts of definitions.
//!
//! Decides where expressions start and what a backslash escapes: `\${` is a literal `${` and `\#{` a literal `#{`, any
//! other backslash is itself; `#{` alone is plain text. The result of an expression is never evaluated again.

use std::fmt;

use memchr::memchr;

use super::ast::{Call, Expr, ExprKind, Variable};
use super::error::ElError;
use super::evaluate::Evaluation;
use super::parser;
use super::scope::{CallError, Scope};
use super::seen::Seen;
use super::value::Value;

/// A text with expressions, parsed once and evaluated many times.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

/// A part of a template; no two texts are neighbours and none is empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    Expression(Expr),
}

/// The most faults reported for one text: each may need a search of all names of the scope.
pub(super) const MOST_FAULTS: usize = 20;

/// Returns whether a text is its own value: without an opening brace it has neither an expression nor an escape.
pub fn is_literal(text: &str) -> bool {
    memchr(b'{', text.as_bytes()).is_none()
}

impl Template {
    /// Parses a text. Refuses an expression that is never closed, is not of the language, or is too deep or too long.
    pub fn parse(text: &str) -> Result<Self, ElError> {
        if is_literal(text) {
            // Most texts of a definition are literal and need only a copy.
            return Ok(Self { parts: Vec::from_iter((!text.is_empty()).then(|| Part::Text(text.to_owned()))) });
        }
        let mut parts = Vec::new();
        let mut literal = String::new();
        // Everything before `taken` is in `parts` or in `literal`; everything before `seen` is known to be literal.
        let (mut taken, mut seen) = (0, 0);
        while let Some(brace) = memchr(b'{', &text.as_bytes()[seen..]).map(|at| seen + at) {
            seen = brace + 1;
            let before = &text[taken..brace];
            if before.ends_with("\\$") || before.ends_with("\\#") {
                literal.push_str(&before[..before.len() - 2]);
                taken = brace - 1;
            } else if let Some(before) = before.strip_suffix('$') {
                literal.push_str(before);
                let (expression, end) = parser::parse(text, brace - 1)?;
                push_text(&mut parts, std::mem::take(&mut literal));
                parts.push(Part::Expression(expression));
                (taken, seen) = (end, end);
            }
        }
        literal.push_str(&text[taken..]);
        push_text(&mut parts, literal);
        Ok(Self { parts })
    }

    /// Returns its parts in the order of the text.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the expression, if it is the only part.
    pub fn single_expression(&self) -> Option<&Expr> {
        match self.parts.as_slice() {
            [Part::Expression(expression)] => Some(expression),
            _ => None,
        }
    }

    /// Returns the expressions in the order of the text.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Expression(expression) => Some(expression),
        })
    }

    /// Returns every call in the order of the text, a call before the calls among its arguments.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.expressions().flat_map(Expr::nodes).filter_map(|node| match &node.kind {
            ExprKind::Call(call) => Some(call.as_ref()),
            _ => None,
        })
    }

    /// Returns every use of a variable in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'_>> {
        self.expressions().flat_map(Expr::nodes).filter_map(|node| match &node.kind {
            ExprKind::Variable(name) => Some(Variable { name, span: node.span }),
            _ => None,
        })
    }

    /// Returns the faults of its calls that do not depend on the arguments: functions that the scope does not have, and
    /// wrong numbers of arguments. At most [`MOST_FAULTS`] of them.
    pub fn check_calls(&self, scope: &mut dyn Scope) -> Vec<ElError> {
        let mut errors = Vec::new();
        for call in self.calls() {
            if errors.len() >= MOST_FAULTS {
                break;
            }
            // A number is accepted where a function expects a number and where it expects a text.
            let placeholders = vec![Value::Int(1); call.arguments.len()];
            match scope.call(call.function(), &placeholders) {
                Err(error @ (CallError::UnknownFunction | CallError::ArgumentCount { .. })) => {
                    errors.push(ElError::from_call(
                        call.name_span,
                        (call.function(), placeholders.len()),
                        error,
                        scope,
                    ));
                }
                Ok(_) | Err(CallError::Failed(_) | CallError::Coded(_) | CallError::Unknown) => {}
            }
        }
        errors
    }

    /// Evaluates it to a text in a scope.
    pub fn evaluate(&self, scope: &mut dyn Scope) -> Result<String, ElError> {
        // Room for most texts, which grow in many steps.
        let mut text = String::with_capacity(64);
        self.evaluate_into(scope, &mut text)?;
        Ok(text)
    }

    /// Appends its text in a scope; after an error the text appended so far stays.
    pub(crate) fn evaluate_into(&self, scope: &mut dyn Scope, out: &mut String) -> Result<(), ElError> {
        self.evaluate_with(&mut Evaluation::new(scope), out)
    }

    /// As [`Self::evaluate_into`], in an evaluation.
    pub(super) fn evaluate_with(&self, evaluation: &mut Evaluation<'_>, out: &mut String) -> Result<(), ElError> {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Expression(expression) => evaluation.value(expression)?.write_text(out),
            }
        }
        Ok(())
    }

    /// As [`Self::evaluate`], and returns the values that were used too, also when there is an error.
    pub fn evaluate_seen(&self, scope: &mut dyn Scope) -> (Result<String, ElError>, Seen) {
        let mut seen = Seen::default();
        let mut text = String::new();
        let result = self.evaluate_with(&mut Evaluation::recording(scope, &mut seen), &mut text);
        (result.map(|()| text), seen)
    }

    /// Returns the text with each variable, call and member replaced by the value that an evaluation used, and the
    /// operators between them as written. A text is hidden when a variable, an argument or a key in its expression is
    /// the name of a secret.
    pub fn with_values(&self, seen: &Seen) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Expression(expression) => text.push_str(&seen.substituted(expression).to_string()),
            }
        }
        text
    }

    /// Evaluates it to a value in a scope: the value of its only part if that is an expression, otherwise the text.
    pub fn evaluate_value(&self, scope: &mut dyn Scope) -> Result<Value, ElError> {
        match self.single_expression() {
            Some(expression) => Evaluation::new(scope).value(expression),
            None => self.evaluate(scope).map(Value::from),
        }
    }
}

fn push_text(parts: &mut Vec<Part>, text: String) {
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

impl fmt::Display for Template {
    /// Writes source text that parses to an equal template.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                // In this order: escaping `${` makes no new `\#{`.
                Part::Text(text) => f.write_str(&text.replace("\\#{", "\\\\#{").replace("${", "\\${"))?,
                Part::Expression(expression) => write!(f, "${{{expression}}}")?,
            }
        }
        Ok(())
    }
}

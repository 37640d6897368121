//! The values that one evaluation used, and the text of an expression with them: why it has its value.
//!
//! Nothing is evaluated again: what the evaluation skipped stays as written. Values under names of secrets are hidden.

use std::collections::HashMap;

use super::ast::{Call, Expr, ExprKind};
use super::error::ElError;
use super::evaluate::Evaluation;
use super::scope::Scope;
use super::template::{Part, Template};
use super::value::Value;
use howdah_words::error::Span;
use howdah_words::model::secret_name::{hidden, is_secret, shown};

/// The value of each variable, call and member that one evaluation of a template used.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    values: HashMap<Span, Value>,
}

impl Template {
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
        for part in self.parts() {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Expression(expression) => text.push_str(&seen.substituted(expression).to_string()),
            }
        }
        text
    }
}

impl Seen {
    /// Records the value of a node.
    pub(super) fn record(&mut self, expr: &Expr, value: &Value) {
        self.values.insert(expr.span, value.clone());
    }

    fn substituted(&self, expr: &Expr) -> Expr {
        let inside = |expr: &Expr| Box::new(self.substituted(expr));
        let kind = match &expr.kind {
            ExprKind::Literal(_) => expr.kind.clone(),
            ExprKind::Unary(operator, operand) => ExprKind::Unary(*operator, inside(operand)),
            ExprKind::Binary(operator, left, right) => ExprKind::Binary(*operator, inside(left), inside(right)),
            ExprKind::Choice(parts) => ExprKind::Choice(Box::new(parts.each_ref().map(|part| self.substituted(part)))),
            ExprKind::Variable(_) | ExprKind::Call(_) | ExprKind::Member(..) => match self.values.get(&expr.span) {
                Some(value) => ExprKind::Literal(self.shown(expr, value)),
                None => expr.kind.clone(),
            },
        };
        Expr { kind, span: expr.span }
    }

    /// Returns the value of a node as it is shown. Numbers and truth values say nothing of a secret.
    fn shown(&self, expr: &Expr, value: &Value) -> Value {
        match value {
            Value::Text(text) if expr.nodes().any(|node| self.names_secret(node)) => hidden(text.to_string()).into(),
            Value::Map(entries) => {
                let entries = entries.iter();
                Value::Map(entries.map(|(name, value)| (name.clone(), shown_entry(name, value))).collect())
            }
            _ => value.clone(),
        }
    }

    /// Checks whether a node is a variable, or has an argument or a key, that names a secret.
    fn names_secret(&self, node: &Expr) -> bool {
        match &node.kind {
            ExprKind::Variable(name) => is_secret(name),
            ExprKind::Call(call) => self.has_secret_argument(call),
            ExprKind::Member(_, key) => self.value(key).is_some_and(|key| has_secret(key)),
            ExprKind::Literal(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Choice(_) => false,
        }
    }

    fn has_secret_argument(&self, call: &Call) -> bool {
        call.arguments.iter().filter_map(|argument| self.value(argument)).any(|value| has_secret(value))
    }

    fn value<'v>(&'v self, expr: &'v Expr) -> Option<&'v Value> {
        match &expr.kind {
            ExprKind::Literal(value) => Some(value),
            _ => self.values.get(&expr.span),
        }
    }
}

/// Returns an entry of a map as it is shown.
fn shown_entry(name: &str, value: &Value) -> Value {
    match value {
        Value::Text(text) => shown(name, text.to_string()).into(),
        _ => value.clone(),
    }
}

/// Checks for the name of a secret, or values under one.
fn has_secret(value: &Value) -> bool {
    match value {
        Value::Text(name) => is_secret(name),
        Value::Map(entries) => entries.keys().any(|name| is_secret(name)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use super::*;
    use crate::scope::{CallError, FunctionName};

    /// Has `n`, `token`, `data`, and the function `next`, which returns how often it was called.
    #[derive(Default)]
    struct Counting {
        calls: Cell<i64>,
    }

    impl Scope for Counting {
        fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
            let entries = [("token", "hunter2"), ("size", "7")].map(|(name, text)| (name.to_owned(), text.into()));
            Ok(match name {
                "n" => Some(Value::Int(5)),
                "token" => Some("hunter2".into()),
                "data" => Some(Value::Map(BTreeMap::from(entries))),
                _ => None,
            })
        }

        fn call(&mut self, _function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
            self.calls.set(self.calls.get() + 1);
            Ok(arguments.first().cloned().unwrap_or(Value::Int(self.calls.get())))
        }
    }

    #[test]
    fn only_what_was_used_is_replaced() {
        for (text, value, shown) in [
            ("a${n + 1}b", Some("a6b"), "a5 + 1b"),
            // One evaluation: the values of both calls differ, and no call happens for the text.
            ("${next() eq next()}", Some("false"), "1 eq 2"),
            ("${n eq 5 or next() eq 1}", Some("true"), "5 eq 5 or next() eq 1"),
            ("${n eq 4 and (n eq 5)}", Some("false"), "5 eq 4 and n eq 5"),
            ("${n eq 5 ? 'a' : n}", Some("a"), "5 eq 5 ? 'a' : n"),
            ("${n eq 5 and nope}", None, "5 eq 5 and nope"),
            ("${token}${empty token}", Some("hunter2false"), "'*****'empty '*****'"),
            ("${f(token) eq f(n)}", None, "'*****' eq 5"),
            ("${data.token}${data.size}", Some("hunter27"), "'*****''7'"),
            ("${data['to'] eq data}", Some("false"), "null eq {size=7, token=*****}"),
            ("${conf('api.key')}", Some("api.key"), "'*****'"),
        ] {
            let template = Template::parse(text).expect(text);
            let (result, seen) = template.evaluate_seen(&mut Counting::default());
            assert_eq!((result.ok().as_deref(), template.with_values(&seen).as_str()), (value, shown), "{text}");
        }
    }
}

//! The values that one evaluation used, and the text of an expression with them: why it has its value.
//!
//! Nothing is evaluated again: what the evaluation skipped stays as written. Values under names of secrets are hidden.

use std::collections::HashMap;

use super::ast::{Call, Expr, ExprKind};
use super::value::Value;
use howdah_words::error::Span;
use howdah_words::model::secret_name::{hidden, is_secret};
use howdah_words::model::secret_text::shown;

/// The value of each variable, call and member that one evaluation of a template used.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    values: HashMap<Span, Value>,
}

impl Seen {
    /// Records the value of a node.
    pub(super) fn record(&mut self, expr: &Expr, value: &Value) {
        self.values.insert(expr.span, value.clone());
    }

    /// Returns the node with each variable, call and member replaced by the value that was used.
    pub(super) fn substituted(&self, expr: &Expr) -> Expr {
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
            ExprKind::Member(_, key) => self.value(key).is_some_and(has_secret),
            ExprKind::Literal(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Choice(_) => false,
        }
    }

    fn has_secret_argument(&self, call: &Call) -> bool {
        call.arguments.iter().filter_map(|argument| self.value(argument)).any(has_secret)
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

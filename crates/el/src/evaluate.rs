//! The value of a tree in a scope.
//!
//! Computes only what is needed: `and`, `or` and a choice skip the rest. Does not depend on the meaning of a name.

use super::ast::{BinaryOperator, Call, Expr, ExprKind, UnaryOperator};
use super::error::ElError;
use super::operation;
use super::scope::{NoNames, Scope};
use super::seen::Seen;
use super::value::{Value, ValueError};
use howdah_words::error::Span;

impl Expr {
    /// Returns the value, if no variable and no function is needed to compute it.
    pub fn as_constant(&self) -> Option<Value> {
        Evaluation::new(&mut NoNames).value(self).ok()
    }

    /// Appends the text of its value in a scope.
    pub fn write_text(&self, scope: &mut dyn Scope, out: &mut String) -> Result<(), ElError> {
        Evaluation::new(scope).value(self)?.write_text(out);
        Ok(())
    }
}

/// One evaluation of a text.
pub(super) struct Evaluation<'s> {
    scope: &'s mut dyn Scope,
    /// The arguments of the calls in progress, innermost last: one list for all of them.
    arguments: Vec<Value>,
    /// Where the value of each variable, call and member is recorded.
    seen: Option<&'s mut Seen>,
}

impl<'s> Evaluation<'s> {
    /// Returns an evaluation that looks up every name in `scope`.
    pub(super) fn new(scope: &'s mut dyn Scope) -> Self {
        Self { scope, arguments: Vec::new(), seen: None }
    }

    /// Returns an evaluation that also records the values that it uses.
    pub(super) fn recording(scope: &'s mut dyn Scope, seen: &'s mut Seen) -> Self {
        Self { seen: Some(seen), ..Self::new(scope) }
    }

    /// Returns the value of a tree. Uses few and small functions per level, because a tree may be hundreds of levels
    /// deep.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, ElError> {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(value.clone()),
            ExprKind::Variable(name) => self.variable(name, expr.span).inspect(|value| self.record(expr, value)),
            ExprKind::Call(call) => self.call(call).inspect(|value| self.record(expr, value)),
            ExprKind::Member(base, key) => self.member(base, key).inspect(|value| self.record(expr, value)),
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            ExprKind::Choice(parts) => self.choice(parts),
        }
    }

    fn record(&mut self, expr: &Expr, value: &Value) {
        if let Some(seen) = &mut self.seen {
            seen.record(expr, value);
        }
    }

    fn variable(&mut self, name: &str, span: Span) -> Result<Value, ElError> {
        match self.scope.variable(name) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(ElError::unresolved(span, name, self.scope)),
            Err(error) => Err(ElError::from_variable(span, name, error, self.scope)),
        }
    }

    fn call(&mut self, call: &Call) -> Result<Value, ElError> {
        let first = self.arguments.len();
        for argument in &call.arguments {
            let value = self.argument(call, argument)?;
            self.arguments.push(value);
        }
        let result = self.scope.call(call.function(), &self.arguments[first..]);
        self.arguments.truncate(first);
        result.map_err(|error| {
            let asked = (call.function(), call.arguments.len());
            ElError::from_call(call.name_span, asked, error, self.scope)
        })
    }

    /// Returns the value of an argument; a word that is no variable may have a meaning for the function.
    fn argument(&mut self, call: &Call, argument: &Expr) -> Result<Value, ElError> {
        if let ExprKind::Variable(name) = &argument.kind
            && self.scope.variable(name) == Ok(None)
            && let Some(word) = self.scope.word(call.function(), name)
        {
            return Ok(word);
        }
        self.value(argument)
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr) -> Result<Value, ElError> {
        let value = self.value(operand)?;
        operation::unary(operator, &value).map_err(|error| ElError::from_value(operand.span, error))
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expr, right: &Expr) -> Result<Value, ElError> {
        let first = self.value(left).map_err(|error| explain_dash(error, operator, left, right))?;
        match operator {
            BinaryOperator::And if !truth(&first, left.span)? => return Ok(Value::Bool(false)),
            BinaryOperator::Or if truth(&first, left.span)? => return Ok(Value::Bool(true)),
            _ => {}
        }
        let second = self.value(right).map_err(|error| explain_dash(error, operator, left, right))?;
        let result = operation::binary(operator, &first, &second);
        result.map_err(|error| ElError::from_value(left.span.to(right.span), error))
    }

    fn choice(&mut self, parts: &[Expr; 3]) -> Result<Value, ElError> {
        let [condition, then, otherwise] = parts;
        let chosen = if truth(&self.value(condition)?, condition.span)? { then } else { otherwise };
        self.value(chosen)
    }

    fn member(&mut self, base: &Expr, key: &Expr) -> Result<Value, ElError> {
        let base_value = self.value(base).map_err(|error| explain_dot(error, base, key))?;
        let key_value = self.value(key)?;
        member_of(base_value, &key_value).map_err(|error| ElError::from_value(key.span, error))
    }
}

fn truth(value: &Value, span: Span) -> Result<bool, ElError> {
    value.to_bool().map_err(|error| ElError::from_value(span, error))
}

/// Adds to an error about `a` in `${a.b}` that it does not read the property `a.b`.
fn explain_dot(error: ElError, base: &Expr, key: &Expr) -> ElError {
    match (&base.kind, &key.kind) {
        (ExprKind::Variable(name), ExprKind::Literal(key)) if error.is_unresolved() => error.help(format!(
            "this asks for the member [{key}] of [{name}]; only a function can read the property [{name}.{key}]"
        )),
        _ => error,
    }
}

/// Adds to an error about `a` or `b` in `${a-b}` that it does not read the property `a-b`.
fn explain_dash(error: ElError, operator: BinaryOperator, left: &Expr, right: &Expr) -> ElError {
    match (&left.kind, &right.kind) {
        (ExprKind::Variable(first), ExprKind::Variable(second))
            if error.is_unresolved()
                && operator == BinaryOperator::Subtract
                && left.span.end + 1 == right.span.start =>
        {
            error.help(format!(
                "this subtracts [{second}] from [{first}]; only a function can read the property [{first}-{second}]"
            ))
        }
        _ => error,
    }
}

/// Returns the member of a collection under a key; a missing one is null, and so is any member of null.
fn member_of(base: Value, key: &Value) -> Result<Value, ValueError> {
    match (base, key) {
        (Value::Map(mut entries), Value::Text(name)) => Ok(entries.remove(name.as_ref()).unwrap_or(Value::Null)),
        // Names are texts, and a number equals none of them.
        (Value::Null | Value::Map(_), _) | (_, Value::Null) => Ok(Value::Null),
        (Value::List(mut items), Value::Int(_) | Value::Float(_) | Value::Text(_)) => {
            let index = usize::try_from(key.to_int()?).ok().filter(|index| *index < items.len());
            Ok(index.map_or(Value::Null, |index| items.swap_remove(index)))
        }
        (base, _) => Err(ValueError(format!("property [{key}] not found on type [{}]", base.type_name()))),
    }
}

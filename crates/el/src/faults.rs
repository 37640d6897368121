//! Finds everything that is wrong with a text; evaluation stops at the first fault.
//!
//! Decides which parts can be checked although the value of another part is not known: all that are certainly evaluated
//! and do not depend on it. Never reports that a value is unknown: that is not a fault.

use super::ast::{BinaryOperator, Expr, ExprKind, Variable};
use super::error::ElError;
use super::evaluate::Evaluation;
use super::scope::{CallError, Scope};
use super::template::{MOST_FAULTS, Template};

impl Template {
    /// Returns the faults in a scope, the first [`MOST_FAULTS`] of them: those that evaluation meets, in its order,
    /// then functions that do not exist and wrong numbers of arguments in the parts that it does not reach.
    pub fn faults(&self, scope: &mut dyn Scope) -> Vec<ElError> {
        let mut faults = Vec::new();
        for expression in self.expressions() {
            examine(expression, scope, &mut faults);
        }
        for fault in self.check_calls(scope) {
            if !faults.iter().any(|known| known.span == fault.span) {
                faults.push(fault);
            }
        }
        faults.truncate(MOST_FAULTS);
        faults
    }

    /// Returns whether the scope does not know a value in it yet, also in the parts that evaluation skips.
    pub fn has_unknowns(&self, scope: &mut dyn Scope) -> bool {
        let mut named = self
            .expressions()
            .flat_map(Expr::nodes)
            .filter(|node| matches!(node.kind, ExprKind::Variable(_) | ExprKind::Call(_)));
        named.any(|node| Evaluation::new(scope).value(node).is_err_and(|error| error.is_unknown()))
    }

    /// Returns the uses of variables whose values the scope does not know yet, in the order of the text.
    pub fn unknown_variables(&self, scope: &mut dyn Scope) -> Vec<Variable<'_>> {
        self.variables().filter(|variable| scope.variable(variable.name) == Err(CallError::Unknown)).collect()
    }
}

/// Collects what is wrong with a tree. Where its value is not known, examines those of its parts that are certainly
/// evaluated; skips what a choice, `and` or `or` may leave out.
fn examine(expr: &Expr, scope: &mut dyn Scope, faults: &mut Vec<ElError>) {
    if faults.len() >= MOST_FAULTS {
        return;
    }
    let Err(fault) = Evaluation::new(scope).value(expr) else { return };
    if !fault.is_unknown() {
        faults.push(fault);
        return;
    }
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Variable(_) => {}
        ExprKind::Call(call) => call.arguments.iter().for_each(|argument| examine(argument, scope, faults)),
        ExprKind::Unary(_, operand) => examine(operand, scope, faults),
        ExprKind::Binary(BinaryOperator::And | BinaryOperator::Or, left, _) => examine(left, scope, faults),
        ExprKind::Member(first, second) | ExprKind::Binary(_, first, second) => {
            examine(first, scope, faults);
            examine(second, scope, faults);
        }
        ExprKind::Choice(parts) => examine(&parts[0], scope, faults),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FunctionName, Value};

    /// Has the variable `n`, and the function `f` of one number below 10; the value of `x` and the result of `h` are
    /// not known yet.
    struct PartlyKnown;

    impl Scope for PartlyKnown {
        fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
            match name {
                "n" => Ok(Some(Value::Int(5))),
                "x" => Err(CallError::Unknown),
                _ => Ok(None),
            }
        }

        fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
            match (function.name, arguments) {
                ("f", [Value::Int(number)]) if *number < 10 => Ok(Value::Int(*number)),
                ("f", [_]) => Err(CallError::Failed("too large".to_owned())),
                ("h", [_]) => Err(CallError::Unknown),
                ("f", _) => Err(CallError::ArgumentCount { expected: 1..=1 }),
                _ => Err(CallError::UnknownFunction),
            }
        }
    }

    /// `expect`: the place and message of each fault.
    fn check(text: &str, expect: &[(usize, &str)]) {
        let faults = Template::parse(text).unwrap().faults(&mut PartlyKnown);
        let found: Vec<_> = faults.iter().map(|fault| (fault.span.start, fault.message.as_str())).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn an_unknown_value_is_not_a_fault() {
        for text in ["${x}", "${f(x)}", "a${x + f(n)}b", "${x ? f(99) : f(99)}", "${x and f(99)}", "${n < 9 or z}"] {
            check(text, &[]);
        }
    }

    #[test]
    fn independent_parts_are_checked() {
        check("${x}${f(99)}", &[(6, "too large")]);
        check("${x + f(99)}", &[(6, "too large")]);
        check("${f(f(99) + x)}", &[(4, "too large")]);
        check("${f(99) ? x : x}", &[(2, "too large")]);
        check("${x[z]}", &[(4, "variable [z] cannot be resolved")]);
        check("${-(x * 'a')}${z}", &[(15, "variable [z] cannot be resolved")]);
    }

    #[test]
    fn names_and_counts_are_checked_everywhere() {
        check("${x ? g() : f()}", &[(6, "function [g] not found"), (12, "function [f] takes 1 argument, not 0")]);
        check("${g(f(99))}", &[(4, "too large"), (2, "function [g] not found")]);
    }

    #[test]
    fn the_first_faults_of_many_are_reported() {
        for text in ["${z}", "${x + f(99)}", "${x ? g() : 1}"] {
            let faults = Template::parse(&text.repeat(3 * MOST_FAULTS)).unwrap().faults(&mut PartlyKnown);
            assert_eq!(faults.len(), MOST_FAULTS, "{text}");
        }
    }

    #[test]
    fn unknowns_are_found_where_nothing_is_evaluated() {
        for (text, expect) in [
            ("${n == 5 ? n : x}", true),
            ("${n == 5 or f(x) == 1}", true),
            ("${n == 5 ? (n) : h('a')}", true),
            ("${n == 5 ? (n) : g(f(99), z)}", false),
        ] {
            assert_eq!(Template::parse(text).unwrap().has_unknowns(&mut PartlyKnown), expect, "{text}");
        }
    }

    #[test]
    fn unknown_variables_are_listed() {
        let template = Template::parse("${x + n}${z}${x}").unwrap();
        let unknown: Vec<_> =
            template.unknown_variables(&mut PartlyKnown).iter().map(|variable| variable.span.start).collect();
        assert_eq!(unknown, [2, 14]);
    }
}

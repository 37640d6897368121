//! Evaluation while not everything is known: a scope that withholds some of its answers, and what a text gives there.
//!
//! Decides which parts of a text have a value although others have none yet. Must never know which names are withheld:
//! each kind of definition says so with a [`Withhold`].

use super::error::ElError;
use super::evaluate::Evaluation;
use super::scope::{CallError, FunctionName, Scope};
use super::template::{Part, Template};
use super::value::Value;

/// How much is known of the properties of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// All of them: a variable without a value is refused.
    Complete,
    /// Some of them: any other name may have a value, so what depends on it is not judged.
    Partial,
}

/// How much of a call is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Nothing: the scope answers.
    Nothing,
    /// The value; the scope still judges whether the call is right.
    Value,
    /// All of it: whether the call is right depends on what is not known, too.
    Call,
}

/// Which answers of a scope are not known yet.
pub trait Withhold {
    /// Whether a variable that the scope does not have may have a value later.
    fn variable(&self, name: &str) -> bool;

    /// How much of a call is not known.
    fn call(&self, function: FunctionName<'_>, arguments: &[Value]) -> Withheld;
}

/// A scope that answers [`CallError::Unknown`] where the answer is withheld; no rule of the scope exists twice.
pub struct PartlyKnown<'a, W> {
    scope: &'a mut dyn Scope,
    withhold: W,
}

impl<'a, W: Withhold> PartlyKnown<'a, W> {
    /// `scope` without what is withheld.
    pub fn over(scope: &'a mut dyn Scope, withhold: W) -> Self {
        Self { scope, withhold }
    }
}

impl<W: Withhold> Scope for PartlyKnown<'_, W> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        match self.scope.variable(name)? {
            None if self.withhold.variable(name) => Err(CallError::Unknown),
            answer => Ok(answer),
        }
    }

    fn word(&mut self, function: FunctionName<'_>, word: &str) -> Option<Value> {
        self.scope.word(function, word)
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        match self.withhold.call(function, arguments) {
            Withheld::Nothing => self.scope.call(function, arguments),
            Withheld::Value => self.scope.call(function, arguments).and(Err(CallError::Unknown)),
            Withheld::Call => Err(CallError::Unknown),
        }
    }

    fn names(&self) -> Vec<String> {
        self.scope.names()
    }
}

impl Template {
    /// The text it gives; `None` when that depends on what the scope does not know yet.
    pub fn evaluate_known(&self, scope: &mut dyn Scope) -> Result<Option<String>, ElError> {
        known(self.evaluate(scope))
    }

    /// The text with every expression evaluated whose value is known; the others stay expressions.
    pub fn evaluate_partly(&self, scope: &mut dyn Scope) -> Result<String, ElError> {
        let mut text = String::new();
        for part in self.parts() {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Expression(expression) => match known(Evaluation::new(scope).value(expression))? {
                    Some(value) => value.write_text(&mut text),
                    None => text.extend(["${", &expression.to_string(), "}"]),
                },
            }
        }
        Ok(text)
    }
}

fn known<T>(value: Result<T, ElError>) -> Result<Option<T>, ElError> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_unknown() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows `n`, and the function `f` of one argument, which is its value.
    struct Few;

    impl Scope for Few {
        fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
            Ok((name == "n").then_some(Value::Int(5)))
        }

        fn call(&mut self, _function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
            match arguments {
                [value] => Ok(value.clone()),
                _ => Err(CallError::ArgumentCount { expected: 1..=1 }),
            }
        }
    }

    /// Variables that begin with `x`, the values of `v` and all of `c`.
    struct Holes;

    impl Withhold for Holes {
        fn variable(&self, name: &str) -> bool {
            name.starts_with('x')
        }

        fn call(&self, function: FunctionName<'_>, _arguments: &[Value]) -> Withheld {
            match function.name {
                "v" => Withheld::Value,
                "c" => Withheld::Call,
                _ => Withheld::Nothing,
            }
        }
    }

    /// `whole` and `partly`: the values, `?` where nothing is known, or the message.
    fn check(text: &str, whole: &str, partly: &str) {
        let template = Template::parse(text).unwrap();
        let told = match template.evaluate_known(&mut PartlyKnown::over(&mut Few, Holes)) {
            Ok(value) => value.unwrap_or_else(|| "?".to_owned()),
            Err(error) => error.message,
        };
        assert_eq!(told, whole, "{text}");
        let told = template.evaluate_partly(&mut PartlyKnown::over(&mut Few, Holes));
        assert_eq!(told.unwrap_or_else(|error| error.message), partly, "{text}");
    }

    #[test]
    fn what_depends_on_nothing_withheld_is_known() {
        check("a${n}${f('b')}", "a5b", "a5b");
        check("a${x}b${n}", "?", "a${x}b5");
        check("${v(1)}-${c()}", "?", "${v(1)}-${c()}");
        check("${n == 5 or x}", "true", "true");
        check("${n eq 5 ? f(x) : 1}${n}", "?", "${n eq 5 ? f(x) : 1}5");
        check("\\${x}${n}", "${x}5", "${x}5");
    }

    #[test]
    fn what_is_wrong_is_not_unknown() {
        let resolved = "variable [z] cannot be resolved";
        check("${z}", resolved, resolved);
        check("${x}${z}", "?", resolved);
        let count = "function [v] takes 1 argument, not 0";
        check("${v()}", count, count);
    }
}

//! What an expression of a bundle may use: the job's properties as variables, and `bundle:conf`.

use crate::el::{CallError, FunctionName, Scope, Value};
use crate::model::Properties;

/// The properties of a bundle job, in which every value loses the blanks at its ends.
#[derive(Clone, Copy)]
pub(super) struct BundleScope<'a>(pub(super) &'a Properties);

impl BundleScope<'_> {
    fn property(self, name: &str) -> Option<Value> {
        self.0.get(name).map(|value| value.trim().into())
    }
}

impl Scope for BundleScope<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.property(name))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        match (function.prefix, function.name, arguments) {
            ("bundle", "conf", [name]) => Ok(self.property(&name.to_text()).unwrap_or(Value::Null)),
            ("bundle", "conf", _) => Err(CallError::ArgumentCount { expected: 1..=1 }),
            _ => Err(CallError::UnknownFunction),
        }
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().chain(["bundle:conf".to_owned()]).collect()
    }
}

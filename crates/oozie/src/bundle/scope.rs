//! The names that an expression of a bundle may use: the job's properties as variables, and `bundle:conf`.

use std::cell::Cell;

use howdah_el::{CallError, FunctionName, Scope, Value, Withheld, Withhold};
use howdah_words::model::Properties;

/// The most searches for a near name among the properties; each compares all of them. A mistake takes two: when
/// evaluation stops there, and when everything that is wrong with its text is listed.
const SEARCHES: usize = 40;

/// The properties of a bundle job; every value is used without the blanks at its ends.
pub(super) struct BundleScope<'a> {
    properties: &'a Properties,
    /// How often all names were requested.
    asked: Cell<usize>,
}

impl<'a> BundleScope<'a> {
    /// Returns a scope with these properties.
    pub(super) fn new(properties: &'a Properties) -> Self {
        Self { properties, asked: Cell::new(0) }
    }

    fn property(&self, name: &str) -> Option<Value> {
        self.properties.get(name).map(|value| value.trim().into())
    }
}

/// Withholds what depends on properties that the job may have beside these.
pub(super) struct OtherProperties<'a>(pub(super) &'a Properties);

impl Withhold for OtherProperties<'_> {
    fn variable(&self, _name: &str) -> bool {
        true
    }

    /// There is one function, which asks for a property.
    fn call(&self, _function: FunctionName<'_>, arguments: &[Value]) -> Withheld {
        let is_known = arguments.first().is_some_and(|name| self.0.contains_key(&*name.to_text()));
        if is_known { Withheld::Nothing } else { Withheld::Value }
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
        let asked = self.asked.replace(self.asked.get() + 1);
        let properties = self.properties.keys().filter(|_| asked < SEARCHES);
        properties.cloned().chain(["bundle:conf".to_owned()]).collect()
    }
}

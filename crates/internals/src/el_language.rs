//! The set `el-language`: a text evaluated with nothing but variables.

use serde_json::Value as Json;

use super::judge::Answer;
use howdah_el::{CallError, ElError, FunctionName, Scope, Template, Value};

/// Evaluates `expr` with `vars` to text, or with `as: Boolean` to a truth value.
pub(super) fn answer(input: &Json) -> Answer {
    evaluate(input).map(Json::from).into()
}

fn evaluate(input: &Json) -> Result<String, ElError> {
    let template = Template::parse(input["expr"].as_str().unwrap_or_default())?;
    let mut scope = Variables(&input["vars"]);
    if input["as"] != "Boolean" {
        return template.evaluate(&mut scope);
    }
    let value = template.evaluate_value(&mut scope)?;
    let truth =
        value.to_bool().map_err(|error| ElError::new(howdah_words::error::Span::default(), error.to_string()))?;
    Ok(truth.to_string())
}

/// The members of a JSON object as variables; there are no functions.
struct Variables<'a>(&'a Json);

impl Scope for Variables<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.0.get(name).map(value))
    }

    fn call(&mut self, _function: FunctionName<'_>, _arguments: &[Value]) -> Result<Value, CallError> {
        Err(CallError::UnknownFunction)
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or(f64::NAN)), Value::Int)
        }
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(fields) => Value::Map(fields.iter().map(|(name, field)| (name.clone(), value(field))).collect()),
    }
}

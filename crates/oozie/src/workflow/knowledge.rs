//! What a text of a workflow gives before the workflow runs.
//!
//! A function that is not of the run (`functions/names.rs`) depends on the properties of the job, on files or on the
//! clock: it has an answer, which may be another one when the node starts.

use super::context::WorkflowContext;
use super::functions::{WorkflowScope, is_of_the_run};
use howdah_el::{ElError, FunctionName, PartlyKnown, Template, Value, Withheld, Withhold};

/// Withholds what is of the run.
struct BeforeRun;

impl Withhold for BeforeRun {
    fn variable(&self, _name: &str) -> bool {
        false
    }

    fn call(&self, function: FunctionName<'_>, _arguments: &[Value]) -> Withheld {
        if is_of_the_run(&function.to_string()) { Withheld::Call } else { Withheld::Nothing }
    }
}

/// The value of a text as of now; `None` when it depends on the run.
///
/// # Errors
/// The first expression that is known and has no value.
pub fn value(text: &str, context: &WorkflowContext<'_>) -> Result<Option<String>, ElError> {
    let template = Template::parse(text)?;
    template.evaluate_known(&mut PartlyKnown::over(&mut WorkflowScope::new(context, &template), BeforeRun))
}

/// The text with every expression evaluated whose value is known, if only as of now; the others stay expressions.
///
/// # Errors
/// As [`value`].
pub fn foresee(text: &str, context: &WorkflowContext<'_>) -> Result<String, ElError> {
    let template = Template::parse(text)?;
    template.evaluate_partly(&mut PartlyKnown::over(&mut WorkflowScope::new(context, &template), BeforeRun))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::functions::names;
    use howdah_words::model::Properties;

    /// `whole` and `foreseen`: the values, `?` where nothing is known, or `!` for an error.
    fn check(text: &str, whole: &str, foreseen: &str) {
        let conf = Properties::from([("x".to_owned(), "1".to_owned())]);
        let context = WorkflowContext { name: "app", ..WorkflowContext::unknown(&conf) };
        let told = value(text, &context).map_or("!".to_owned(), |value| value.unwrap_or_else(|| "?".to_owned()));
        assert_eq!(told, whole, "{text}");
        assert_eq!(foresee(text, &context).unwrap_or_else(|_| "!".to_owned()), foreseen, "{text}");
    }

    #[test]
    fn what_is_of_the_run_is_not_known() {
        check("plain", "plain", "plain");
        check("${x}/${wf:conf('x')}/${wf:run()}/${wf:name()}", "1/1/0/app", "1/1/0/app");
        check("${concat(x, timestamp())}", "11970-01-01T00:00Z", "11970-01-01T00:00Z");
        check("${fs:exists(x)} or ${hcat:exists(x)}", "false or false", "false or false");
        let data = "${fs:exists(wf:actionData('a')['path'])}";
        check(&format!("{data} ${{x}}"), "?", &format!("{data} 1"));
        for function in names().filter(|name| is_of_the_run(name)) {
            let call = format!("${{{function}('a')}}");
            check(&call, "?", &call);
        }
        check("${x == 1 or wf:id() == 'a'}", "true", "true");
        check("${", "!", "!");
        check("${gone}", "!", "!");
    }
}

//! What is known of a text before the workflow runs.
//!
//! Decides by the functions that a text calls, not by their results; a function that is not listed here depends only on
//! the job's properties.

use super::context::WorkflowContext;
use super::functions::evaluate;
use crate::el::{Call, ElError, Part, Template};

/// When the value of a text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Knowledge {
    /// Before the job runs: only its properties matter.
    Before,
    /// It may change until the node starts: it depends on the clock and on files.
    AsOfNow,
    /// Not before the node starts: it depends on earlier nodes, or on the job itself.
    WhileRunning,
}

/// Functions that depend on the job itself or on earlier nodes.
const OF_THE_RUN: &[&str] = &[
    "wf:id",
    "wf:callback",
    "wf:transition",
    "wf:lastErrorNode",
    "wf:errorCode",
    "wf:errorMessage",
    "wf:actionData",
    "wf:actionExternalId",
    "wf:actionTrackerUri",
    "wf:actionExternalStatus",
    "hadoop:counters",
];

/// Returns when the value of a text is known; a text that is not a template never changes.
pub(crate) fn of(text: &str) -> Knowledge {
    let Ok(template) = Template::parse(text) else { return Knowledge::Before };
    template.calls().map(of_call).max().unwrap_or(Knowledge::Before)
}

/// Returns the text with every expression evaluated whose value is known, if only for now. The others stay expressions,
/// and a text that is not a template stays unchanged.
///
/// # Errors
/// The first expression that is known and has no value.
pub(crate) fn foresee(text: &str, context: &WorkflowContext<'_>) -> Result<String, ElError> {
    let mut result = String::new();
    for part in Template::parse(text)?.parts() {
        match part {
            Part::Text(text) => result.push_str(text),
            Part::Expression(expression) => {
                let source = format!("${{{expression}}}");
                let is_known = of(&source) != Knowledge::WhileRunning;
                result.push_str(&if is_known { evaluate(&source, context)? } else { source });
            }
        }
    }
    Ok(result)
}

fn of_call(call: &Call) -> Knowledge {
    let name = call.function().to_string();
    if OF_THE_RUN.contains(&name.as_str()) {
        Knowledge::WhileRunning
    } else if name == "timestamp" || ["fs:", "hcat:"].iter().any(|prefix| name.starts_with(prefix)) {
        Knowledge::AsOfNow
    } else {
        Knowledge::Before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Knowledge) {
        assert_eq!(of(text), expect, "{text}");
    }

    #[test]
    fn the_functions_of_a_text_decide() {
        check("plain", Knowledge::Before);
        check("${x}/${wf:conf('y')}/${wf:run()}/${hadoop:conf('a', 'b')}", Knowledge::Before);
        check("${concat(x, timestamp())}", Knowledge::AsOfNow);
        check("${fs:exists(x)} or ${hcat:exists(y)}", Knowledge::AsOfNow);
        check("${fs:exists(wf:actionData('a')['path'])}", Knowledge::WhileRunning);
        check("${wf:id()}", Knowledge::WhileRunning);
        check("${", Knowledge::Before);
    }
}

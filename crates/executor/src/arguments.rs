//! The `param` and `argument` elements of actions that start a vendor's program, and its script or query.
//!
//! Some arguments are forbidden because the action sets the same value elsewhere; Oozie refuses them with JA018 when
//! the action runs.

use super::launch::Launch;
use crate::context::ActionContext;
use crate::failure::Failure;
use howdah_xml::Element;

/// The name of the file with the query of an action; `_` is put before it when another file has that name.
const QUERY_FILE: &str = "query.hql";

/// Returns the texts of all elements of a name; an empty text stays an argument.
pub(super) fn texts(element: &Element, name: &str) -> Vec<String> {
    element.children_named(name).map(|child| child.text().value).collect()
}

/// Returns the `argument` elements, for the program `vendor`. JA018 when one is forbidden.
pub(super) fn arguments(element: &Element, vendor: &str, forbidden: &[&str]) -> Result<Vec<String>, Failure> {
    let arguments = texts(element, "argument");
    match arguments.iter().find(|argument| forbidden.contains(&argument.as_str())) {
        Some(argument) => Err(Failure::error("JA018", format!("Error: {vendor} argument {argument} is not supported"))),
        None => Ok(arguments),
    }
}

/// Returns the `param` elements, each behind `option`. JA018 when one is not of the form `name=value`.
pub(super) fn variables(element: &Element, option: &str) -> Result<Vec<String>, Failure> {
    let params = texts(element, "param");
    match params.iter().find(|param| param.find('=').is_none_or(|at| at == 0)) {
        Some(param) => Err(Failure::error("JA018", format!("param [{param}] is not of the form name=value"))),
        None => Ok(behind(option, params)),
    }
}

/// Returns the option before each value.
pub(super) fn behind(option: &str, values: Vec<String>) -> Vec<String> {
    values.into_iter().flat_map(|value| [option.to_owned(), value]).collect()
}

/// Returns the `oozie.` properties of the action's configuration that the program gets, each as `name=value` after
/// `prefix`; without the launcher's properties and those whose names start with `own`.
pub(super) fn passed_properties(context: &ActionContext<'_>, own: &str, prefix: &str) -> Vec<String> {
    let is_for_program =
        |name: &str| name.starts_with("oozie.") && !name.starts_with("oozie.launcher.") && !name.starts_with(own);
    let properties = context.configuration.iter().filter(|(name, _)| is_for_program(name));
    properties.map(|(name, value)| format!("{prefix}{name}={value}")).collect()
}

/// Returns the name of the file in the working folder with the action's `script` or `query`. `INVALID_ARGUMENTS` when
/// it has neither.
pub(super) fn statements(element: &Element, launch: &mut Launch<'_>) -> Result<String, Failure> {
    if let Some(script) = element.child("script").map(|script| script.text().value).filter(|path| !path.is_empty()) {
        return launch.ship(&script);
    }
    let query = element.child("query").map(|query| query.text().value).filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| {
        let message = format!("{} action requires one of the elements: script, query", element.name);
        Failure::error("INVALID_ARGUMENTS", message)
    })?;
    let mut name = QUERY_FILE.to_owned();
    // A file that is shipped under that name would be read in place of the query.
    while launch.shipped.has(&name) {
        name.insert(0, '_');
    }
    launch.files.insert(name.clone(), query + "\n");
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element};
    use super::*;

    fn check(body: &str, expect: &str) {
        let element = element(&format!("<hive>{body}</hive>"));
        let all = variables(&element, "-param").and_then(|mut all| {
            all.extend(arguments(&element, "Hive", &["-e", "-f"])?);
            Ok(all)
        });
        let got = all.map_or_else(|failure| format!("{} {}", failure.code, failure.message), |all| all.join("|"));
        assert_eq!(got, expect, "{body}");
    }

    #[test]
    fn params_and_arguments_are_passed_or_refused() {
        check("<param>A=b c</param><param>D=</param><argument>-v</argument><argument/>", "-param|A=b c|-param|D=|-v|");
        check("<param>A</param>", "JA018 param [A] is not of the form name=value");
        check("<param>=A</param>", "JA018 param [=A] is not of the form name=value");
        check("<argument>-v</argument><argument>-e</argument>", "JA018 Error: Hive argument -e is not supported");
        check("<argument>-e x</argument>", "-e x");
    }

    #[test]
    fn statements_are_a_shipped_script_or_a_query() {
        let sandbox = Sandbox::new();
        let context = sandbox.context();
        for (body, expect) in [
            ("<script>sql/load.hql</script>", Ok("load.hql")),
            ("<query>select 1;</query>", Ok("query.hql")),
            ("<file>query.hql</file><query>select 2;</query>", Ok("_query.hql")),
            ("<query/>", Err("INVALID_ARGUMENTS")),
            ("<script>/</script>", Err("IllegalArgumentException")),
        ] {
            let element = element(&format!("<hive>{body}</hive>"));
            let mut launch = Launch::of(&element, &context).unwrap();
            let name = statements(&element, &mut launch);
            assert_eq!(name.as_deref().map_err(|failure| failure.code.as_str()), expect, "{body}");
            assert_eq!(
                launch.files.get("query.hql").map(String::as_str),
                body.contains("select 1").then_some("select 1;\n")
            );
        }
    }
}

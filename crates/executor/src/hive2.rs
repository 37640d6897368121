//! The `hive2` action: a script or a query sent to a `HiveServer2` by `beeline`.
//!
//! Follows `Hive2ActionExecutor` and `Hive2Main` in the order of arguments, without the delegation token: no service
//! here has one for the user. The password is on the command line, as in Oozie; for a server that checks it, use a URL
//! that names a keytab or a file.

use super::arguments::{arguments, behind, passed_properties, statements, variables};
use super::launch::{Launch, Program};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use howdah_xml::Element;

/// The options of beeline that the action itself sets.
const FORBIDDEN: [&str; 8] = ["-u", "-n", "-p", "-d", "-e", "-f", "-a", "--help"];
const DRIVER: &str = "org.apache.hive.jdbc.HiveDriver";
/// The password of an action that gives none.
const NO_PASSWORD: &str = "DUMMY";

/// Returns the work of a `hive2` action. JA018 for a forbidden argument or a wrong `param`, `INVALID_ARGUMENTS` without
/// script and query.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::on_yarn(element, context)?;
    let script = statements(element, &mut launch)?;
    let url = element.child("jdbc-url").map(|url| url.text().value).unwrap_or_default();
    let password = element.child("password").map_or_else(|| NO_PASSWORD.to_owned(), |password| password.text().value);
    let mut all: Vec<String> =
        ["-u", &url, "-n", context.user, "-p", &password, "-d", DRIVER, "-f", &script].map(str::to_owned).into();
    all.extend(variables(element, "--hivevar")?);
    all.extend(arguments(element, "Beeline", &FORBIDDEN)?);
    all.extend(behind("--hiveconf", passed_properties(context, "oozie.hive2.", "")));
    let words = "Beeline exited with status: {status}".to_owned();
    let ending = Ending { failure: FailureRule::Exception { words }, capture: None };
    Ok(launch.command(Program::installed("beeline", context), all, ending))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, check_line, element};
    use super::*;

    fn check(body: &str, expect: Result<&[&str], &str>) {
        let mut sandbox = Sandbox::new();
        sandbox.configuration = [("oozie.k", "v"), ("oozie.launcher.x", "1"), ("oozie.hive2.x", "1"), ("other", "1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        check_line(plan(&element(&format!("<hive2>{body}</hive2>")), &sandbox.context()), expect);
    }

    #[test]
    fn the_arguments_have_the_order_of_oozie() {
        let url = "<jdbc-url>jdbc:hive2://h:10000/default;x=y</jdbc-url>";
        let line = |password: &'static str, rest: &[&'static str]| {
            let head = ["beeline", "-u", "jdbc:hive2://h:10000/default;x=y", "-n", "ann", "-p", password, "-d", DRIVER];
            [head.as_slice(), rest, &["--hiveconf", "oozie.k=v"]].concat()
        };
        check(
            &format!("{url}<script>a.hql</script><param>D=1 2</param><argument>--verbose</argument>"),
            Ok(&line("DUMMY", &["-f", "a.hql", "--hivevar", "D=1 2", "--verbose"])),
        );
        check(
            &format!("{url}<password>p w</password><query>select 1;</query>"),
            Ok(&line("p w", &["-f", "query.hql"])),
        );
        check(&format!("{url}<query>q</query><argument>-u</argument>"), Err("JA018 Error: Beeline argument -u"));
        check(url, Err("INVALID_ARGUMENTS "));
    }
}

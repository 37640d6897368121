//! The `sqoop` action: one tool of Sqoop with its arguments.
//!
//! Follows `SqoopActionExecutor` and `SqoopMain`: a `command` is split at blanks, without quotation unless the action's
//! configuration asks for it.

use super::arguments::texts;
use super::cluster;
use super::launch::{Launch, Program};
use super::words::{OPEN_END, sqoop_words};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use howdah_oozie::configuration::write_configuration;
use howdah_oozie::workflow::action_configuration::is_split_as_shell;
use howdah_xml::Element;

const MAIN: &str = "org.apache.oozie.action.hadoop.SqoopMain";
const NAME: &str = "sqoop";
const CONFIGURATION_FILE: &str = "sqoop-site.xml";

/// Returns the work of a `sqoop` action. SQOOP002 for a quotation without end.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::on_yarn(element, context)?;
    let configuration = cluster::configuration(element, context);
    launch.configure(&configuration);
    launch.files.insert(CONFIGURATION_FILE.to_owned(), write_configuration(&configuration));
    let mut words = match element.child("command") {
        Some(command) => split(&command.text().value, context)?,
        None => texts(element, "arg"),
    };
    if words.first().is_some_and(|first| first == NAME) && words.get(1).is_none_or(|second| !second.starts_with('-')) {
        words.remove(0);
    }
    // Hadoop's own options come directly after the name of the tool.
    let configured = launch.at(CONFIGURATION_FILE).to_string_lossy().into_owned();
    let after_tool = words.len().min(1);
    words.splice(after_tool..after_tool, ["-conf".to_owned(), configured]);
    let ending = Ending { failure: FailureRule::Java { main: MAIN.to_owned() }, capture: None };
    Ok(launch.command(Program::installed(NAME, context), words, ending))
}

fn split(command: &str, context: &ActionContext<'_>) -> Result<Vec<String>, Failure> {
    if is_split_as_shell(context.configuration, context.site) != Some(true) {
        return Ok(command.split_ascii_whitespace().map(str::to_owned).collect());
    }
    let refused = || Failure::error("SQOOP002", format!("the command [{command}]: {OPEN_END}"));
    sqoop_words(command).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, check_line, element};
    use super::*;
    use howdah_oozie::workflow::action_configuration::SHELL_SPLITTER;

    fn check(body: &str, as_shell: &str, expect: Result<&[&str], &str>) {
        let mut sandbox = Sandbox::new();
        sandbox.configuration.insert(SHELL_SPLITTER.to_owned(), as_shell.to_owned());
        check_line(plan(&element(&format!("<sqoop>{body}</sqoop>")), &sandbox.context()), expect);
    }

    #[test]
    fn a_command_is_split_at_blanks_or_as_a_shell_does() {
        let conf = ["-conf", "WORK/sqoop-site.xml"];
        let line = |tool: &'static [&'static str], rest: &'static [&'static str]| [tool, &conf, rest].concat();
        let split = "<command>import  --query 'select \"a b\"'\n--columns a\\ b</command>";
        check(
            split,
            "",
            Ok(&line(&["sqoop", "import"], &["--query", "'select", "\"a", "b\"'", "--columns", "a\\", "b"])),
        );
        check(split, "true", Ok(&line(&["sqoop", "import"], &["--query", "select \"a b\"", "--columns", "a b"])));
        let quoted = r#"<command>import "a\"b\\c\d" '' x'y'z</command>"#;
        check(quoted, "true", Ok(&line(&["sqoop", "import"], &["a\"b\\c\\d", "", "xyz"])));
        for open in ["<command>import 'a</command>", "<command>import \"a</command>", "<command>import a\\</command>"] {
            check(open, "true", Err("SQOOP002"));
        }
    }

    #[test]
    fn the_site_can_enable_shell_splitting() {
        for (of_site, of_action, count) in [("TRUE", None, 6), ("true", Some("false"), 7), ("false", None, 7)] {
            let mut sandbox = Sandbox::new();
            sandbox.site.insert(SHELL_SPLITTER.to_owned(), of_site.to_owned());
            sandbox
                .configuration
                .extend(of_action.map(|setting: &str| (SHELL_SPLITTER.to_owned(), setting.to_owned())));
            let body = element("<sqoop><command>import --query 'a b'</command></sqoop>");
            let Ok(Task::Command(work)) = plan(&body, &sandbox.context()) else { panic!("no command") };
            assert_eq!(work.line.arguments.len() + 1, count, "{of_site} {of_action:?}");
        }
    }

    #[test]
    fn its_own_name_is_left_out() {
        let conf = ["-conf", "WORK/sqoop-site.xml"];
        let line = |rest: &'static [&'static str]| [&["sqoop", "import"], conf.as_slice(), rest].concat();
        check("<command>sqoop import --m 1</command>", "", Ok(&line(&["--m", "1"])));
        check("<arg>sqoop</arg><arg>import</arg><arg>a b</arg>", "", Ok(&line(&["a b"])));
        check(
            "<command>sqoop --m 1</command>",
            "",
            Ok(&["sqoop", "sqoop", "-conf", "WORK/sqoop-site.xml", "--m", "1"]),
        );
    }
}

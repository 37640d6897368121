//! The `pig` action: a script of Pig with its parameters.
//!
//! Follows the workflow specification, section 3.2.3, and `PigMain`: the script first, then the parameters, the logs
//! and the action's own arguments.

use super::arguments::{arguments, behind, texts};
use super::cluster;
use super::launch::{Launch, Program};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use howdah_oozie::configuration::write_properties;
use howdah_xml::Element;

const MAIN: &str = "org.apache.oozie.action.hadoop.PigMain";
/// The options of Pig that the action itself sets.
const FORBIDDEN: [&str; 12] =
    ["-4", "-log4jconf", "-e", "-execute", "-f", "-file", "-l", "-logfile", "-r", "-dryrun", "-P", "-propertyFile"];
const PROPERTIES_FILE: &str = "pig.properties";
const LOGGING_FILE: &str = "piglog4j.properties";
/// Logs go to standard error, where the ids of jobs are found.
const LOGGING: &str = "log4j.rootLogger=INFO, err\n\
    log4j.appender.err=org.apache.log4j.ConsoleAppender\n\
    log4j.appender.err.target=System.err\n\
    log4j.appender.err.layout=org.apache.log4j.PatternLayout\n\
    log4j.appender.err.layout.ConversionPattern=%d [%t] %-5p %c %x - %m%n\n";

/// Returns the work of a `pig` action. JA018 for a forbidden argument.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::on_yarn(element, context)?;
    let configuration = cluster::configuration(element, context);
    launch.configure(&configuration);
    let script = element.child("script").map(|script| script.text().value).unwrap_or_default();
    let script = launch.ship(&script)?;
    launch.files.insert(PROPERTIES_FILE.to_owned(), write_properties(&configuration));
    launch.files.insert(LOGGING_FILE.to_owned(), LOGGING.to_owned());
    let mode = if cluster::is_local(&configuration) { "local" } else { "mapreduce" };
    let log = format!("pig-{}.log", context.job_id);
    let mut all: Vec<String> =
        ["-x", mode, "-P", PROPERTIES_FILE, "-file", script.as_str()].into_iter().map(str::to_owned).collect();
    all.extend(behind("-param", texts(element, "param")));
    all.extend(["-log4jconf", LOGGING_FILE, "-logfile", log.as_str()].into_iter().map(str::to_owned));
    all.extend(arguments(element, "Pig", &FORBIDDEN)?);
    let ending = Ending { failure: FailureRule::Java { main: MAIN.to_owned() }, capture: None };
    Ok(launch.command(Program::installed("pig", context), all, ending))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, check_line, element};
    use super::*;

    fn check(body: &str, expect: Result<&[&str], &str>) {
        let sandbox = Sandbox::new();
        check_line(plan(&element(&format!("<pig>{body}</pig>")), &sandbox.context()), expect);
    }

    #[test]
    fn the_order_is_script_parameters_logs_arguments() {
        let log = "pig-0000000-260101000000000-oozie-oozi-W.log";
        check(
            "<job-tracker>local</job-tracker><script>s/a.pig</script><param>IN=/x y</param><argument>-v</argument>",
            Ok(&[
                "pig",
                "-x",
                "local",
                "-P",
                "pig.properties",
                "-file",
                "a.pig",
                "-param",
                "IN=/x y",
                "-log4jconf",
                "piglog4j.properties",
                "-logfile",
                log,
                "-v",
            ]),
        );
        let tail = ["-log4jconf", "piglog4j.properties", "-logfile", log];
        let head = ["pig", "-x", "mapreduce", "-P", "pig.properties", "-file", "a.pig"];
        check("<script>a.pig</script>", Ok(&[head.as_slice(), tail.as_slice()].concat()));
        check("<script>a.pig</script><argument>-P</argument>", Err("JA018 Error: Pig argument -P is not supported"));
    }
}

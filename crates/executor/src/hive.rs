//! The `hive` action: a script or a query for Hive's own command line.
//!
//! Follows `HiveActionExecutor` and `HiveMain`. The action's configuration becomes `hive-site.xml` in the working
//! folder. Oozie always does this; here an action without Hive properties keeps the machine's configuration, and its
//! properties are passed one by one.

use super::arguments::{arguments, behind, statements, variables};
use super::cluster;
use super::launch::{Launch, Program};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use howdah_oozie::configuration::write_configuration;
use howdah_words::model::Properties;
use howdah_xml::Element;

const MAIN: &str = "org.apache.oozie.action.hadoop.HiveMain";
/// The options of Hive that the action itself sets.
const FORBIDDEN: [&str; 11] =
    ["-d", "--define", "-e", "-f", "-H", "--help", "--hiveconf", "--hivevar", "-s", "--silent", "-D"];
const SITE_FILE: &str = "hive-site.xml";
const LOGGING_FILE: &str = "hive-log4j2.properties";
/// Prefixes of the properties that configure Hive itself.
const OF_HIVE: [&str; 2] = ["hive.", "javax.jdo."];
/// Logs go to standard error, where the ids of jobs are found. The text has the keys of both generations of the logging
/// library; each ignores the keys of the other.
const LOGGING: &str = "status = error\n\
    rootLogger.level = info\n\
    rootLogger.appenderRef.err.ref = err\n\
    appender.err.type = Console\n\
    appender.err.name = err\n\
    appender.err.target = SYSTEM_ERR\n\
    appender.err.layout.type = PatternLayout\n\
    appender.err.layout.pattern = %d [%t] %-5p %c - %m%n\n\
    log4j.rootLogger = INFO, err\n\
    log4j.appender.err = org.apache.log4j.ConsoleAppender\n\
    log4j.appender.err.target = System.err\n\
    log4j.appender.err.layout = org.apache.log4j.PatternLayout\n\
    log4j.appender.err.layout.ConversionPattern = %d [%t] %-5p %c - %m%n\n";

/// Returns the work of a `hive` action. JA018 for a forbidden argument or a wrong `param`, `INVALID_ARGUMENTS` without
/// script and query.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::on_yarn(element, context)?;
    let configuration = cluster::configuration(element, context);
    launch.configure(&configuration);
    let script = statements(element, &mut launch)?;
    launch.files.insert(LOGGING_FILE.to_owned(), LOGGING.to_owned());
    let logging = launch.at(LOGGING_FILE).display().to_string();
    let mut settings = vec![
        format!("hive.log4j.file={logging}"),
        format!("hive.exec.log4j.file={logging}"),
        format!("hive.log.trace.id=oozie:{}", context.job_id),
    ];
    settings.extend(configure(&mut launch, &configuration));
    let mut all = behind("--hiveconf", settings);
    all.extend(["-f".to_owned(), script]);
    all.extend(variables(element, "--hivevar")?);
    all.extend(arguments(element, "Hive", &FORBIDDEN)?);
    let ending = Ending { failure: FailureRule::Java { main: MAIN.to_owned() }, capture: None };
    Ok(launch.command(Program::installed("hive", context), all, ending))
}

/// Makes the working folder Hive's configuration folder when the action configures Hive; otherwise returns the settings
/// to pass.
fn configure(launch: &mut Launch<'_>, configuration: &Properties) -> Vec<String> {
    let is_shipped = launch.shipped.links.contains_key(SITE_FILE);
    let is_of_hive = |name: &String| OF_HIVE.iter().any(|start| name.starts_with(start));
    if !is_shipped && !configuration.keys().any(is_of_hive) {
        let settings = configuration.iter().filter(|(name, _)| !name.starts_with("oozie."));
        return settings.map(|(name, value)| format!("{name}={value}")).collect();
    }
    if !is_shipped {
        launch.files.insert(SITE_FILE.to_owned(), write_configuration(configuration));
    }
    let folder = launch.context.directory.to_string_lossy().into_owned();
    launch.environment.insert("HIVE_CONF_DIR".to_owned(), folder);
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, check_line, command, element};
    use super::*;

    const TRACE: &str = "hive.log.trace.id=oozie:0000000-260101000000000-oozie-oozi-W";
    const HEAD: [&str; 7] = [
        "hive",
        "--hiveconf",
        "hive.log4j.file=WORK/hive-log4j2.properties",
        "--hiveconf",
        "hive.exec.log4j.file=WORK/hive-log4j2.properties",
        "--hiveconf",
        TRACE,
    ];

    fn planned(sandbox: &Sandbox, body: &str) -> Result<Task, Failure> {
        plan(&element(&format!("<hive>{body}</hive>")), &sandbox.context())
    }

    fn check(body: &str, expect: Result<&[&str], &str>) {
        let rest = expect.map(|rest| [HEAD.as_slice(), rest].concat());
        check_line(planned(&Sandbox::new(), body), rest.as_deref().map_err(|error| *error));
    }

    #[test]
    fn script_or_query_then_variables_then_arguments() {
        check(
            "<script>q/load.hql</script><param>DT=2010-01-01 x</param><argument>-v</argument>",
            Ok(&["-f", "load.hql", "--hivevar", "DT=2010-01-01 x", "-v"]),
        );
        check("<query>select 1</query>", Ok(&["-f", "query.hql"]));
        check("", Err("INVALID_ARGUMENTS "));
        check("<query>q</query><argument>--hiveconf</argument>", Err("JA018 Error: Hive argument --hiveconf"));
        check("<query>q</query><param>a</param>", Err("JA018 "));
    }

    #[test]
    fn hive_is_configured_by_the_action_or_by_the_machine() {
        let mut sandbox = Sandbox::new();
        sandbox.configuration.insert("mapred.queue".to_owned(), "q".to_owned());
        sandbox.configuration.insert("oozie.x".to_owned(), "y".to_owned());
        let task = planned(&sandbox, "<query>q</query>").unwrap();
        assert_eq!(command(&task).line.environment.get("HIVE_CONF_DIR"), None);
        check_line(Ok(task), Ok(&[HEAD.as_slice(), &["--hiveconf", "mapred.queue=q", "-f", "query.hql"]].concat()));

        sandbox.configuration.insert("hive.exec.parallel".to_owned(), "true".to_owned());
        let task = planned(&sandbox, "<query>q</query>").unwrap();
        let work = command(&task);
        assert!(work.line.environment["HIVE_CONF_DIR"].ends_with("/work"));
        assert!(work.files[SITE_FILE].contains("hive.exec.parallel") && work.files[SITE_FILE].contains("mapred.queue"));
        check_line(Ok(task), Ok(&[HEAD.as_slice(), &["-f", "query.hql"]].concat()));

        let task = planned(&sandbox, "<query>q</query><file>conf/hive-site.xml</file>").unwrap();
        assert!(!command(&task).files.contains_key(SITE_FILE), "the user's own file stays");
    }
}

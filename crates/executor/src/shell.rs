//! The `shell` action: a command with its files, arguments and environment.
//!
//! Follows the shell action's specification and decision W25: the program is first a file shipped with the action, then
//! an absolute path, then a program in `PATH`. Accesses no file; the shim fills the working folder.

use super::cluster;
use super::launch::{Launch, Program};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{CaptureSource, Ending, FailureRule};
use crate::failure::Failure;
use howdah_oozie::configuration::write_configuration;
use howdah_words::model::Properties;
use howdah_xml::Element;

const MAIN: &str = "org.apache.oozie.action.hadoop.ShellMain";
/// Whether programs of Hadoop that the command starts use the action's configuration.
const SETUP: &str = "oozie.action.shell.setup.hadoop.conf.dir";
const SETUP_LOGGING: &str = "oozie.action.shell.setup.hadoop.conf.dir.write.log4j.properties";
const LOGGING: &str = "oozie.action.shell.setup.hadoop.conf.dir.log4j.content";
const SITE_FILES: [&str; 4] = ["core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml"];
/// The logging of the specification: to standard error.
const USUAL_LOGGING: &str = "log4j.rootLogger=${hadoop.root.logger}\n\
    hadoop.root.logger=INFO,console\n\
    log4j.appender.console=org.apache.log4j.ConsoleAppender\n\
    log4j.appender.console.target=System.err\n\
    log4j.appender.console.layout=org.apache.log4j.PatternLayout\n\
    log4j.appender.console.layout.ConversionPattern=%d{yy/MM/dd HH:mm:ss} %p %c{2}: %m%n\n";

/// Returns the work of a `shell` action. JA010 (the job fails) for an `env-var` without a value.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::of(element, context)?;
    for entry in element.children_named("env-var") {
        launch.set_variable("env-var", &entry.text().value)?;
    }
    launch.search_working_folder_first();
    launch.search_native_libraries();
    let configuration = cluster::whole_configuration(element, context);
    launch.configure(&configuration);
    let file = launch.configuration_argument();
    launch.environment.insert("OOZIE_ACTION_CONF_XML".to_owned(), file);
    set_up_hadoop(&mut launch, &configuration);
    let exec = element.child("exec").map(|exec| exec.text().value).unwrap_or_default();
    let program = program(&exec, &launch);
    let arguments = element.children_named("argument").map(|argument| argument.text().value).collect();
    let ending = Ending {
        failure: FailureRule::AlwaysOne { main: MAIN.to_owned() },
        capture: launch.capture(element, CaptureSource::StandardOutput),
    };
    Ok(launch.command(program, arguments, ending))
}

/// Writes a folder with Hadoop's configuration and passes its name to the command, if the action or the site enables
/// it.
fn set_up_hadoop(launch: &mut Launch<'_>, configuration: &Properties) {
    let setting = |name: &str| configuration.get(name).or_else(|| launch.context.site.get(name));
    let is_on =
        |name: &str, default: bool| setting(name).map_or(default, |value| value.trim().eq_ignore_ascii_case("true"));
    if !is_on(SETUP, false) {
        return;
    }
    let logging = setting(LOGGING).map_or(USUAL_LOGGING, String::as_str).to_owned();
    let logging = is_on(SETUP_LOGGING, true).then_some(("log4j.properties", logging));
    let site = write_configuration(configuration);
    let folder = format!("oozie-hadoop-conf-{}", launch.context.now.seconds().saturating_mul(1000));
    let files = SITE_FILES.map(|name| (name, site.clone())).into_iter().chain(logging);
    launch.files.extend(files.map(|(name, content)| (format!("{folder}/{name}"), content)));
    let path = launch.at(&folder).to_string_lossy().into_owned();
    for variable in ["HADOOP_CONF_DIR", "YARN_CONF_DIR"] {
        launch.environment.insert(variable.to_owned(), path.clone());
    }
}

/// Returns the program to start. Only the last step of `exec` names a shipped file.
fn program(exec: &str, launch: &Launch<'_>) -> Program {
    let name = exec.rsplit('/').next().unwrap_or(exec);
    if launch.shipped.links.contains_key(name) {
        Program { path: launch.at(name).to_string_lossy().into_owned(), shipped: Some(name.to_owned()), advice: None }
    } else {
        let path = if exec.starts_with('/') { exec } else { name };
        Program { path: path.to_owned(), shipped: None, advice: None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element, here};
    use super::*;
    use crate::command_work::CommandWork;
    use crate::failure::FailureKind;

    fn planned(body: &str) -> Result<CommandWork, Failure> {
        let mut sandbox = Sandbox::new();
        sandbox.library = vec![here("/app/lib/tool.sh"), here("/app/lib/data.txt")];
        let task = plan(&element(&format!("<shell>{body}</shell>")), &sandbox.context())?;
        let Task::Command(work) = task else { panic!("shell plans a command, not {task:?}") };
        Ok(*work)
    }

    fn check_program(body: &str, expect: &str) {
        let work = planned(body).unwrap();
        let directory = format!("{}/", work.line.directory.display());
        assert_eq!(work.line.program.replace(&directory, "WORK/"), expect, "{body}");
    }

    #[test]
    fn the_program_is_shipped_then_absolute_then_on_the_path() {
        check_program("<exec>run.sh</exec><file>run.sh</file>", "WORK/run.sh");
        check_program("<exec>run.sh</exec><file>scripts/v2.sh#run.sh</file>", "WORK/run.sh");
        check_program("<exec>/opt/x/run.sh</exec><file>run.sh</file>", "WORK/run.sh");
        check_program("<exec>tool.sh</exec>", "WORK/tool.sh");
        check_program("<exec>/opt/x/run.sh</exec>", "/opt/x/run.sh");
        check_program("<exec>bin/date</exec>", "date");
        check_program("<exec> date </exec>", "date");
    }

    #[test]
    fn arguments_keep_their_number_and_blanks_inside() {
        let work = planned("<exec>x</exec><argument> a  b </argument><argument/><argument>$c;d</argument>").unwrap();
        assert_eq!(work.line.arguments, ["a  b", "", "$c;d"]);
        assert_eq!(work.ending.capture, None);
        let captured = planned("<exec>x</exec><capture-output/>").unwrap().ending.capture.unwrap();
        assert_eq!((captured.from, captured.limit), (CaptureSource::StandardOutput, 20));
    }

    #[test]
    fn the_environment_is_inherited_overridden_and_completed() {
        let work = planned("<exec>x</exec><env-var>A=b=c</env-var><env-var>PATH=/x</env-var>").unwrap();
        assert_eq!(work.line.environment["A"], "b=c");
        assert_eq!(work.line.environment["PATH"], ".:/x");
        assert!(work.line.environment["OOZIE_ACTION_CONF_XML"].ends_with("/work/action.xml"));
        assert_eq!(planned("<exec>x</exec>").unwrap().line.environment["PATH"], ".:/usr/bin:/bin");
    }

    #[test]
    fn hadoop_is_set_up_if_it_is_enabled() {
        let work_of = |change: &dyn Fn(&mut Sandbox)| {
            let mut sandbox = Sandbox::new();
            sandbox.cluster.insert("dfs.replication".to_owned(), "2".to_owned());
            change(&mut sandbox);
            let body =
                "<shell><name-node>hdfs://nn</name-node><exec>x</exec><env-var>HADOOP_CONF_DIR=/h</env-var></shell>";
            let Ok(Task::Command(work)) = plan(&element(body), &sandbox.context()) else { panic!("no command") };
            *work
        };
        let on = |sandbox: &mut Sandbox| drop(sandbox.configuration.insert(SETUP.to_owned(), "true".to_owned()));
        let without = work_of(&|_| {});
        assert_eq!((without.files.len(), without.line.environment["HADOOP_CONF_DIR"].as_str()), (1, "/h"));
        let with = work_of(&on);
        let folder = with.line.directory.join("oozie-hadoop-conf-1262304000000");
        for variable in ["HADOOP_CONF_DIR", "YARN_CONF_DIR"] {
            assert_eq!(with.line.environment[variable], folder.to_str().unwrap());
        }
        for file in SITE_FILES {
            let site = &with.files[&format!("oozie-hadoop-conf-1262304000000/{file}")];
            assert!(site.contains("hdfs://nn") && site.contains("dfs.replication"), "{site}");
        }
        assert_eq!(with.files["oozie-hadoop-conf-1262304000000/log4j.properties"], USUAL_LOGGING);
        let quiet = work_of(&|sandbox| {
            sandbox.site.insert(SETUP.to_owned(), "TRUE".to_owned());
            sandbox.configuration.insert(SETUP_LOGGING.to_owned(), "false".to_owned());
        });
        assert_eq!(quiet.files.len(), 5);
        let own = work_of(&|sandbox| {
            on(sandbox);
            sandbox.configuration.insert(LOGGING.to_owned(), "log4j.rootLogger=OFF".to_owned());
        });
        assert_eq!(own.files["oozie-hadoop-conf-1262304000000/log4j.properties"], "log4j.rootLogger=OFF");
    }

    #[test]
    fn invalid_values_are_refused() {
        for (body, kind, code) in [
            ("<env-var>A</env-var>", FailureKind::Failed, "JA010"),
            ("<env-var>A=</env-var>", FailureKind::Failed, "JA010"),
            ("<archive>a.zip#</archive>", FailureKind::Error, "IllegalArgumentException"),
            ("<prepare><delete path='s3a://b/c'/></prepare>", FailureKind::Error, "HadoopAccessorException"),
        ] {
            let failure = planned(&format!("<exec>x</exec>{body}")).unwrap_err();
            assert_eq!((failure.kind, failure.code.as_str()), (kind, code), "{body}");
        }
    }
}

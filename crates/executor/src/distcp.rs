//! The `distcp` action: copies between stores with Hadoop's own program.
//!
//! Follows `DistcpActionExecutor`: all arguments are passed to the program; `java-opts` are passed to its JVM.

use super::arguments::texts;
use super::cluster;
use super::launch::{Launch, Program};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use howdah_xml::Element;

/// Returns the work of a `distcp` action.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::on_yarn(element, context)?;
    launch.configure(&cluster::configuration(element, context));
    if let Some(options) = element.child("java-opts").map(|options| options.text().value) {
        launch.environment.insert("HADOOP_CLIENT_OPTS".to_owned(), options);
    }
    let mut arguments = vec!["distcp".to_owned(), "-conf".to_owned(), launch.configuration_argument()];
    arguments.extend(texts(element, "arg"));
    let words = "Returned value from distcp is non-zero ({status})".to_owned();
    let ending = Ending { failure: FailureRule::Exception { words }, capture: None };
    Ok(launch.command(Program::installed("hadoop", context), arguments, ending))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, check_line, element};
    use super::*;

    fn check(body: &str, expect: &[&str]) {
        let sandbox = Sandbox::new();
        check_line(plan(&element(&format!("<distcp>{body}</distcp>")), &sandbox.context()), Ok(expect));
    }

    #[test]
    fn the_arguments_are_passed_to_the_program() {
        check(
            "<arg>-update</arg><arg>hdfs://a:8020/x y</arg><arg>hdfs://b:8020/z</arg>",
            &["hadoop", "distcp", "-conf", "WORK/action.xml", "-update", "hdfs://a:8020/x y", "hdfs://b:8020/z"],
        );
    }
}

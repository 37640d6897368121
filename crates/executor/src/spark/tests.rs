//! The command lines of `spark-submit`, as Spark documents them, and which state decides the end.

use super::super::testing::{Sandbox, check_line, command, element, here};
use super::*;

const NAMED: &str = "<name>n</name><jar>a.jar</jar>";

fn planned(sandbox: &Sandbox, body: &str) -> Result<Task, Failure> {
    plan(&element(&format!("<spark>{body}</spark>")), &sandbox.context())
}

fn check(body: &str, expect: &[&str]) {
    let mut sandbox = Sandbox::new();
    sandbox.library = vec![here("/app/lib/dep.jar"), here("/app/lib/data.txt")];
    sandbox.configuration = [("oozie.k", "v w"), ("oozie.launcher.x", "1"), ("oozie.spark.x", "1"), ("other", "1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    check_line(planned(&sandbox, body), Ok(expect));
}

#[test]
fn the_arguments_have_the_order_of_oozie() {
    check(
        "<master>local[2]</master><mode>client</mode><name>my job</name><class>a.B</class><jar>app.jar</jar>\
         <spark-opts>--conf x=y z --jars other.jar</spark-opts><arg>1 2</arg><arg/><arg>--verbose</arg>",
        &[
            "spark-submit",
            "--master",
            "local[2]",
            "--deploy-mode",
            "client",
            "--name",
            "my job",
            "--class",
            "a.B",
            "--conf",
            "spark.oozie.k=v w",
            "--conf",
            "x=y z",
            "--jars",
            "other.jar,WORK/dep.jar",
            "--verbose",
            "APP/app.jar",
            "1 2",
            "",
            "--verbose",
        ],
    );
}

#[test]
fn yarn_gets_what_is_shipped() {
    check(
        "<master>yarn</master><mode>cluster</mode><name>n</name><jar>${nameNode}/a.py</jar>\
         <file>conf/x.conf#y.conf</file><archive>hdfs://nn/env.zip#env</archive>",
        &[
            "spark-submit",
            "--master",
            "yarn",
            "--deploy-mode",
            "cluster",
            "--name",
            "n",
            "--conf",
            "spark.oozie.k=v w",
            "--jars",
            "WORK/dep.jar",
            "--files",
            "WORK/data.txt,WORK/y.conf",
            "--archives",
            "STORE/env.zip#env",
            "--verbose",
            "${nameNode}/a.py",
        ]
        .map(|word| if word == "${nameNode}/a.py" { "APP/${nameNode}/a.py" } else { word }),
    );
}

#[test]
fn the_program_is_shipped_mounted_or_read_by_spark() {
    let sandbox = Sandbox::new();
    for (jar, file, expect) in [
        ("a.jar", "x/a.jar", "WORK/a.jar"),
        ("a.jar", "", "APP/a.jar"),
        ("hdfs://nn/x/a.jar", "", "STORE/x/a.jar"),
        ("hdfs://elsewhere/a.jar", "", "hdfs://elsewhere/a.jar"),
        ("local:/opt/a.jar", "", "local:/opt/a.jar"),
    ] {
        let file = if file.is_empty() { String::new() } else { format!("<file>{file}</file>") };
        let task = planned(&sandbox, &format!("<master>local</master><name>n</name><jar>{jar}</jar>{file}"));
        check_line(task, Ok(&["spark-submit", "--master", "local", "--name", "n", "--verbose", expect]));
    }
}

#[test]
fn defaults_are_joined_and_the_later_ones_win() {
    let sandbox = Sandbox::new();
    let body = "<spark-opts>--properties-file mine.properties</spark-opts><file>spark-defaults.conf</file>";
    let task = planned(&sandbox, &format!("<master>local</master>{NAMED}{body}")).unwrap();
    let joined = &command(&task).joined[GENERATED_DEFAULTS_FILE];
    let names: Vec<_> = joined.iter().map(|path| path.name().unwrap()).collect();
    assert_eq!(names, ["spark-defaults.conf", "mine.properties"]);
    let option = ["--properties-file", GENERATED_DEFAULTS_FILE];
    let line = [&["spark-submit", "--master", "local", "--name", "n"], option.as_slice(), &["--verbose", "APP/a.jar"]]
        .concat();
    check_line(Ok(task), Ok(&line));
}

#[test]
fn the_state_that_decides_the_end_is_queried() {
    let check = |place: &str, site: &str, expect: (FinalState, Option<&str>)| {
        let mut sandbox = Sandbox::new();
        sandbox.site.insert(REST.to_owned(), site.to_owned());
        let task = planned(&sandbox, &format!("{place}{NAMED}")).unwrap();
        let elsewhere = command(&task).elsewhere.clone().unwrap();
        let rest = elsewhere.spark.and_then(|spark| spark.rest);
        assert_eq!((elsewhere.end, rest.as_deref()), expect, "{place}");
    };
    let spark = "<master>spark://m:7077,n:7077</master>";
    let cluster = format!("{spark}<mode>cluster</mode>");
    let opts = |text: &str| format!("{cluster}<spark-opts>{text}</spark-opts>");
    check("<master>local[*]</master>", "", (FinalState::Launcher, None));
    check(spark, "", (FinalState::Launcher, None));
    check(&cluster, "", (FinalState::Driver, None));
    check(&cluster, "m:6066", (FinalState::Driver, Some("m:6066")));
    check(&opts("--conf spark.master.rest.enabled=true"), "m:6066", (FinalState::Driver, Some("m:7077")));
    check(&opts("--conf spark.standalone.submit.waitAppCompletion=false"), "", (FinalState::Launcher, None));
    check(&format!("{spark}<spark-opts>--deploy-mode cluster</spark-opts>"), "", (FinalState::Driver, None));
    check("<master>yarn-cluster</master>", "", (FinalState::Application, None));
    check("<master>yarn</master><mode>cluster</mode>", "", (FinalState::Application, None));
    check("<master>yarn</master>", "", (FinalState::Launcher, None));
}

#[test]
fn spark_submit_waits_for_the_driver_without_a_server_to_query() {
    let check = |rest: &str, waits: &[&str]| {
        let mut sandbox = Sandbox::new();
        sandbox.site.insert(REST.to_owned(), rest.to_owned());
        let task = planned(&sandbox, &format!("<master>spark://m:1</master><mode>cluster</mode>{NAMED}"));
        let head = ["spark-submit", "--master", "spark://m:1", "--deploy-mode", "cluster", "--name", "n"];
        check_line(task, Ok(&[head.as_slice(), waits, &["--verbose", "APP/a.jar"]].concat()));
    };
    check("", &["--conf", "spark.standalone.submit.waitAppCompletion=true"]);
    check("m:6066", &[]);
}

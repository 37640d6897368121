//! The command lines of Hadoop's programs, as Hadoop documents them.

use super::super::testing::{Sandbox, check_line, command, element, here};
use super::*;

const LOCAL: &str = "<job-tracker>local</job-tracker>";
const CLUSTER: &str = "<job-tracker>rm:8032</job-tracker><name-node>hdfs://nn:8020</name-node>";

fn sandbox(configuration: &[(&str, &str)]) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let texts = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    sandbox.configuration = configuration.iter().map(texts).collect();
    sandbox.site = [("howdah.command.hadoop", "/opt/hadoop/bin/hadoop"), (STREAMING_JAR, "/opt/streaming.jar")]
        .iter()
        .map(texts)
        .collect();
    sandbox.library = vec![here("/app/lib/mr.jar")];
    sandbox
}

fn planned(sandbox: &Sandbox, body: &str) -> Result<Task, Failure> {
    plan(&element(&format!("<map-reduce>{body}</map-reduce>")), &sandbox.context())
}

fn check(configuration: &[(&str, &str)], body: &str, expect: Result<&[&str], &str>) {
    check_line(planned(&sandbox(configuration), body), expect);
}

#[test]
fn streaming_uses_the_streaming_jar() {
    let paths = [("mapred.input.dir", "/in/a,/in/b"), ("mapred.output.dir", "/out")];
    let streaming = "<streaming><mapper>python3 m.py -x 'a b'</mapper><reducer>wc</reducer>\
                     <record-reader>R</record-reader><record-reader-mapping>begin=x</record-reader-mapping>\
                     <env>A=b c</env></streaming>";
    let shipped = "<file>m.py</file><archive>/data/env.zip#env</archive>";
    let head =
        ["/opt/hadoop/bin/hadoop", "jar", "/opt/streaming.jar", "-conf", "WORK/action.xml", "-libjars", "WORK/mr.jar"];
    let cluster = ["-files", "WORK/m.py", "-archives", "/data/env.zip#env"];
    let tail = [
        "-input",
        "/in/a",
        "-input",
        "/in/b",
        "-output",
        "/out",
        "-mapper",
        "python3 m.py -x 'a b'",
        "-reducer",
        "wc",
        "-inputreader",
        "R,begin=x",
        "-cmdenv",
        "A=b c",
    ];
    let body = format!("{CLUSTER}{streaming}{shipped}");
    check(&paths, &body, Ok(&[head.as_slice(), &cluster, &tail].concat()));
    let body = format!("{LOCAL}{streaming}{shipped}");
    check(&paths, &body, Ok(&[head.as_slice(), &tail].concat()));
}

#[test]
fn pipes_use_mapred_pipes() {
    let body = format!("{LOCAL}<pipes><map>M</map><reduce>R</reduce><program>bin/wc</program></pipes>");
    let line = ["/opt/hadoop/bin/mapred", "pipes", "-conf", "WORK/action.xml", "-libjars", "WORK/mr.jar"];
    let own = ["-map", "M", "-reduce", "R", "-program", "file://APP/bin/wc"];
    check(&[], &body, Ok(&[line.as_slice(), &own].concat()));
}

#[test]
fn classes_run_inside_the_client_or_are_submitted() {
    let line = ["/opt/hadoop/bin/mapred", "pipes", "-conf", "WORK/action.xml", "-libjars", "WORK/mr.jar"];
    check(&[], LOCAL, Ok(&[line.as_slice(), &["-program", "file://WORK/action.xml"]].concat()));

    let sandbox = sandbox(&[]);
    let task = planned(&sandbox, &format!("{CLUSTER}<file>a.txt</file>")).unwrap();
    let work = command(&task);
    let mapred = "/opt/hadoop/bin/mapred".to_owned();
    assert_eq!(work.elsewhere.as_ref().unwrap().end, FinalState::Job { mapred });
    let at = |name: &str| work.line.directory.join(name).display().to_string();
    assert_eq!(work.line.environment["HADOOP_CLASSPATH"], at("mr.jar"));
    for (name, path) in [("tmpjars", "mr.jar"), ("tmpfiles", "a.txt")] {
        let file = format!("<name>{name}</name><value>file://{}</value>", at(path));
        assert!(work.files["action.xml"].contains(&file), "{}", work.files["action.xml"]);
    }
    check_line(Ok(task), Ok(&["/opt/hadoop/bin/mapred", "job", "-submit", "WORK/action.xml"]));
}

#[test]
fn keys_and_values_keep_hadoop_s_defaults() {
    let check = |given: (&str, &str), expect: [&str; 4]| {
        let mut configuration: Properties = [(given.0.to_owned(), given.1.to_owned())].into();
        keep_classes(&mut configuration);
        let value = |name: &str| configuration[name].rsplit('.').next().unwrap().to_owned();
        let got = CLASSES.iter().flat_map(|(between, _, end, _, _)| [value(between), value(end)]).collect::<Vec<_>>();
        assert_eq!(got, expect, "{given:?}");
    };
    check(("x", "y"), ["LongWritable", "LongWritable", "Text", "Text"]);
    check(("mapred.output.key.class", "a.K"), ["K", "K", "Text", "Text"]);
    check(("mapreduce.map.output.value.class", "a.V"), ["LongWritable", "LongWritable", "V", "Text"]);
}

#[test]
fn what_cannot_be_run_is_refused() {
    check(&[], "<config-class>a.B</config-class>", Err("JA018 config-class [a.B] cannot be used"));
    check(&[(UBER_JAR, "/a.jar")], LOCAL, Err("MR003 "));
    let mut without = sandbox(&[]);
    without.site.remove(STREAMING_JAR);
    let streaming = "<streaming><mapper>cat</mapper></streaming>";
    check_line(planned(&without, streaming), Err("JA018 set howdah.hadoop.streaming.jar"));
    without.site.insert(ENGINE.to_owned(), "local".to_owned());
    check_line(planned(&without, LOCAL), Err("UnsupportedOperationException "));
    let mut bare = sandbox(&[]);
    bare.site.clear();
    check_line(planned(&bare, LOCAL), Err("UnsupportedOperationException "));
    bare.site.insert(ENGINE.to_owned(), "hadoop".to_owned());
    assert_eq!(command(&planned(&bare, LOCAL).unwrap()).line.program, "mapred");
}

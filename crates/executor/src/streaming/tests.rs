//! Streaming jobs from the element to the output, with standard tools as mappers and reducers.
#![expect(clippy::disallowed_methods, reason = "a test creates and reads the files that it works on")]

use std::collections::BTreeMap;
use std::fs;

use super::super::stage::stage;
use super::super::testing::{Sandbox, element};
use super::*;
use crate::report::Report;
use howdah_host::command::WorkOutcome;

const TASK: &str = "org.apache.hadoop.mapreduce.TaskCounter";

/// Returns a sandbox whose configuration has input and output, and these properties.
fn sandbox(properties: &[(&str, &str)]) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let usual = [("mapred.input.dir", "hdfs://nn/in"), ("mapred.output.dir", "hdfs://nn/out")];
    for (name, value) in usual.iter().chain(properties) {
        sandbox.configuration.insert((*name).to_owned(), (*value).to_owned());
    }
    sandbox
}

fn planned(sandbox: &Sandbox, streaming: &str) -> Result<StreamingWork, Failure> {
    let text = format!("<map-reduce><name-node>hdfs://nn</name-node>{streaming}</map-reduce>");
    let task = plan(&element(&text), &sandbox.context())?;
    let Task::Streaming(work) = task else { panic!("streaming is planned, not {task:?}") };
    Ok(*work)
}

/// Runs a job; its output by name, or its failure.
fn run(sandbox: &Sandbox, work: &StreamingWork) -> Result<BTreeMap<String, String>, String> {
    stage(&work.command, &sandbox.attempt).unwrap();
    match perform(work, &sandbox.attempt) {
        WorkOutcome::Exited(0) => {}
        WorkOutcome::Failed { code, message } => return Err(format!("{code} {message}")),
        other => return Err(format!("{other:?}")),
    }
    let entries = fs::read_dir(sandbox.store.join("out")).unwrap().map(|entry| entry.unwrap());
    Ok(entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect())
}

fn check(properties: &[(&str, &str)], streaming: &str, expect: &[(&str, &str)]) {
    let sandbox = sandbox(properties);
    sandbox.write("store/in/a", "b a\nc b\n");
    sandbox.write("store/in/long", "a a a a a a a\n");
    let work = planned(&sandbox, &format!("<streaming>{streaming}</streaming>")).unwrap();
    let got = run(&sandbox, &work).unwrap();
    let got: Vec<(&str, &str)> = got.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(got, expect, "{properties:?} {streaming}");
    assert!(!sandbox.attempt.join("streaming").exists(), "nothing is left behind");
}

#[test]
fn words_are_counted() {
    let mapper = r"<mapper>tr ' ' '\n'</mapper>";
    let counted = format!("{mapper}<reducer>uniq -c</reducer>");
    let sorted = "a\t\na\t\na\t\na\t\na\t\na\t\na\t\na\t\nb\t\nb\t\nc\t\n";
    check(&[], &counted, &[("_SUCCESS", ""), ("part-00000", "      8 a\t\n      2 b\t\n      1 c\t\n")]);
    check(&[], mapper, &[("_SUCCESS", ""), ("part-00000", sorted)]);
    check(&[], &format!("{mapper}<reducer>NONE</reducer>"), &[("_SUCCESS", ""), ("part-00000", sorted)]);
    // The hashes of a, b and c are 128, 129 and 130; a reducer that gets nothing writes nothing, even if it prints
    // something.
    let three = [("mapreduce.job.reduces", "3"), ("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")];
    let parts = [("part-00000", "      2 b\t\n"), ("part-00001", "      1 c\t\n"), ("part-00002", "      8 a\t\n")];
    check(&three, &counted, &parts);
    let said = "<mapper>grep a</mapper><reducer>wc -l</reducer>";
    check(&three, said, &[("part-00000", "1\t\n"), ("part-00001", "1\t\n"), ("part-00002", "")]);
}

#[test]
fn without_reducers_every_mapper_writes_a_part_and_the_largest_input_is_first() {
    let none = ("mapred.reduce.tasks", "0");
    let parts = [("_SUCCESS", ""), ("part-00000", "a a a a a a a\t\n"), ("part-00001", "b a\t\nc b\t\n")];
    check(&[none], "<mapper>cat</mapper>", &parts);
    let fields = [none, ("stream.map.output.field.separator", " "), ("stream.num.map.output.key.fields", "2")];
    let parts = [("_SUCCESS", ""), ("part-00000", "a a\ta a a a a\n"), ("part-00001", "b a\t\nc b\t\n")];
    check(&fields, "<mapper>cat</mapper>", &parts);
    let joined = [none, fields[1], ("mapreduce.output.textoutputformat.separator", "=")];
    let parts = [("_SUCCESS", ""), ("part-00000", "a=a a a a a a\n"), ("part-00001", "b=a\nc=b\n")];
    check(&joined, "<mapper>cat</mapper>", &parts);
}

#[test]
fn a_task_gets_the_configuration_and_the_shipped_files() {
    let sandbox = sandbox(&[("my.own-property", "mine"), ("mapred.reduce.tasks", "0")]);
    sandbox.write("store/in/a", "x\n");
    sandbox.write(
        "app/map.sh",
        "#!/bin/sh\ncat >/dev/null; cat data.txt\necho \"$my_own_property $E $(basename $map_input_file) \
         $mapreduce_task_partition $mapred_job_id\"\necho 'reporter:counter:g h,c,2' >&2; echo 'reporter:counter:bad' \
         >&2\n",
    );
    sandbox.write("app/data.txt", "shipped\n");
    let streaming = "<streaming><mapper>./map.sh</mapper><env>E=a b</env><env>none</env></streaming>\
        <file>map.sh</file><file>data.txt</file>";
    let work = planned(&sandbox, streaming).unwrap();
    let parts = run(&sandbox, &work).unwrap();
    assert_eq!(parts["part-00000"], "shipped\t\nmine a b a 0 job_260101000000000_0000000\t\n");
    let counters = Report::read(&sandbox.attempt).unwrap().counters.unwrap();
    assert_eq!(counters["g h"]["c"], 2);
    assert_eq!(fs::read_to_string(sandbox.attempt.join("stderr")).unwrap(), "reporter:counter:bad\n");
}

#[test]
fn records_are_counted_as_hadoop_does() {
    let sandbox = sandbox(&[("mapreduce.job.reduces", "2")]);
    sandbox.write("store/in/a", "b\na\nb\n");
    sandbox.write("store/in/b", "b\n");
    let work = planned(&sandbox, "<streaming><mapper>cat</mapper><reducer>uniq</reducer></streaming>").unwrap();
    run(&sandbox, &work).unwrap();
    let report = Report::read(&sandbox.attempt).unwrap();
    let counters = report.counters.clone().unwrap();
    for (name, expect) in [
        ("MAP_INPUT_RECORDS", 4),
        ("MAP_OUTPUT_RECORDS", 4),
        ("MAP_OUTPUT_BYTES", 4),
        ("SPILLED_RECORDS", 4),
        ("REDUCE_INPUT_GROUPS", 2),
        ("REDUCE_INPUT_RECORDS", 4),
        ("REDUCE_OUTPUT_RECORDS", 2),
    ] {
        assert_eq!(counters[TASK][name], expect, "{name}");
        assert_eq!(counters["org.apache.hadoop.mapred.Task$Counter"][name], expect, "{name}");
    }
    let of = |group: &str, name: &str| counters[&format!("org.apache.hadoop.mapreduce.{group}")][name];
    assert_eq!(of("JobCounter", "TOTAL_LAUNCHED_MAPS"), 2);
    assert_eq!(of("lib.input.FileInputFormatCounter", "BYTES_READ"), 8);
    assert_eq!(of("lib.output.FileOutputFormatCounter", "BYTES_WRITTEN"), 6);
    for (new, former, name, expect) in [
        ("JobCounter", "org.apache.hadoop.mapred.JobInProgress$Counter", "TOTAL_LAUNCHED_MAPS", 2),
        ("JobCounter", "org.apache.hadoop.mapred.JobInProgress$Counter", "TOTAL_LAUNCHED_REDUCES", 2),
        ("FileSystemCounter", "FileSystemCounters", "HDFS_BYTES_READ", 8),
        ("FileSystemCounter", "FileSystemCounters", "HDFS_BYTES_WRITTEN", 6),
        ("FileSystemCounter", "FileSystemCounters", "FILE_BYTES_READ", 8),
        ("FileSystemCounter", "FileSystemCounters", "FILE_BYTES_WRITTEN", 6),
    ] {
        assert_eq!((of(new, name), counters[former][name]), (expect, expect), "{name}");
    }
    assert!(report.stats("map-reduce").unwrap().starts_with("{\"ACTION_TYPE\":\"MAP_REDUCE\",\"FileSystemCounters\":"));
}

/// The end of a job whose streaming element has this content.
fn check_failure(properties: &[(&str, &str)], streaming: &str, expect: &str) {
    let sandbox = sandbox(properties);
    sandbox.write("store/in/a", &"word\n".repeat(100_000));
    sandbox.write("store/in/b", "word\n");
    let got = match planned(&sandbox, streaming) {
        Ok(work) => run(&sandbox, &work).err().unwrap_or_default(),
        Err(failure) => format!("{} {}", failure.code, failure.message),
    };
    assert!(got.starts_with(expect), "{properties:?} {streaming}: {got}");
    let left: Vec<_> = fs::read_dir(&sandbox.store).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["in"], "a job that fails leaves no output: {streaming}");
}

#[test]
fn a_job_that_fails_says_why_and_leaves_no_output() {
    let cat = "<streaming><mapper>cat</mapper></streaming>";
    let failed = "JA018 PipeMapRed.waitOutputThreads(): subprocess failed with code";
    check_failure(&[], "<streaming><mapper>sh -c 'cat; exit 7'</mapper></streaming>", &format!("{failed} 7"));
    check_failure(&[], "<streaming><mapper>sh -c 'kill -9 $$'</mapper></streaming>", &format!("{failed} 137"));
    let reducer = "<streaming><mapper>cat</mapper><reducer>false</reducer></streaming>";
    check_failure(&[], reducer, &format!("{failed} 1"));
    let head = "<streaming><mapper>head -n 1</mapper></streaming>";
    check_failure(&[], head, "JA018 head: it ended before it had read all its records (Broken pipe)");
    check_failure(
        &[],
        "<streaming><mapper>no-such</mapper></streaming>",
        "JA018 Cannot run program \"no-such\": No such",
    );
    check_failure(&[("mapred.input.dir", "/none")], cat, "JA018 Input path does not exist: /none");
    check_failure(&[("mapred.input.dir", "/in/x*")], cat, "JA018 Input Pattern /in/x* matches 0 files");
    check_failure(&[("mapred.output.dir", "file:///")], cat, "JA018 Output directory file:/// already exists");
    let many =
        "<streaming><mapper>awk '{print \"reporter:counter:g,\" NR \",1\" > \"/dev/stderr\"}'</mapper></streaming>";
    check_failure(&[], many, "JA018 Too many counters");
    check_failure(&[("mapred.output.dir", "/in")], cat, "JA018 Output directory /in already exists");
}

#[test]
fn invalid_jobs_and_jobs_for_hadoop_are_refused() {
    let cat = "<streaming><mapper>cat</mapper></streaming>";
    check_failure(&[("mapred.input.dir", " , ")], cat, "JA018 No input paths specified in job");
    check_failure(&[("mapred.output.dir", "")], cat, "JA018 Output directory not set in JobConf.");
    check_failure(&[("mapreduce.job.reduces", "x")], cat, "JA018 mapreduce.job.reduces [x] is no whole number");
    check_failure(&[("mapreduce.job.reduces", "10001")], cat, "JA018 10001 reducers are more than 10000");
    check_failure(&[("mapred.input.dir", "s3a://b/c")], cat, "HadoopAccessorException E0904");
    check_failure(&[], "<streaming><reducer>cat</reducer></streaming>", "JA018 streaming has no mapper");
    let needs = |what: &str| format!("UnsupportedOperationException {what} needs Hadoop; set howdah.command.hadoop");
    check_failure(&[], "", &needs("a map-reduce action without streaming"));
    let reader = "<streaming><mapper>cat</mapper><record-reader>X</record-reader></streaming>";
    check_failure(&[], reader, &needs("the record-reader [X]"));
    check_failure(&[("mapred.mapper.class", "a.B")], cat, &needs("mapred.mapper.class [a.B]"));
    check_failure(&[("textinputformat.record.delimiter", ";")], cat, &needs("textinputformat.record.delimiter [;]"));
}

#[test]
fn a_status_counts_unless_the_job_says_otherwise() {
    let properties = [("stream.non.zero.exit.is.failure", "false"), ("mapred.reduce.tasks", "0")];
    let parts = [("_SUCCESS", ""), ("part-00000", ""), ("part-00001", "b a\t\n")];
    check(&properties, "<mapper>grep b.a</mapper>", &parts);
}

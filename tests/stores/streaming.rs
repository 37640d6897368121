//! Map-reduce streaming without Hadoop, in whole workflows: against an independent computation, with counters, killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use howdah_sandbox::application::{action, effect, shell, workflow};
use howdah_sandbox::engines::run;
use howdah_sandbox::sandbox::{Sandbox, is_alive, wait_for};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";

/// The expected result of streaming, computed slowly and in one piece: every word of every line with its number of
/// occurrences, by reducer and sorted by bytes. Reads the input folder, writes `part-NNNNN` into the folder of
/// expectations.
const ORACLE: &str = r#"
import collections, gzip, os, sys
source, target, reducers = sys.argv[1], sys.argv[2], int(sys.argv[3])

def reducer_of(key):
    number = 1
    for byte in key:
        signed = byte - 256 if byte > 127 else byte
        number = (31 * number + signed) % 2 ** 32
    return (number % 2 ** 31) % reducers

words = collections.Counter()
for name in os.listdir(source):
    if name[0] not in "_.":
        opened = gzip.open if name.endswith(".gz") else open
        with opened(os.path.join(source, name), "rb") as file:
            words.update(file.read().split())
parts = [[] for _ in range(reducers)]
for word in sorted(words):
    parts[reducer_of(word)].append(b"%s\t%d\n" % (word, words[word]))
for number, lines in enumerate(parts):
    with open(os.path.join(target, "part-%05d" % number), "wb") as file:
        file.write(b"".join(lines))
"#;

const MAPPER: &str = r#"
import sys
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    for word in line.split():
        out.write(word + b"\t1\n")
sys.stderr.write("reporter:counter:Test,mappers,1\n")
"#;

const REDUCER: &str = r#"
import sys
out = sys.stdout.buffer
last, count = None, 0
for line in sys.stdin.buffer:
    word, number = line.rstrip(b"\n").split(b"\t")
    if word != last:
        if last is not None:
            out.write(b"%s\t%d\n" % (last, count))
        last, count = word, 0
    count += int(number)
if last is not None:
    out.write(b"%s\t%d\n" % (last, count))
"#;

/// A map-reduce action from its streaming element, the elements after it, and properties.
fn map_reduce(streaming: &str, after: &str, properties: &[(&str, &str)]) -> String {
    let usual = [("mapred.input.dir", "${sandbox}/in"), ("mapred.output.dir", "${sandbox}/out")];
    let property =
        |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
    let properties: String = usual.iter().chain(properties).map(property).collect();
    format!(
        "<map-reduce><job-tracker>local</job-tracker><name-node>file:///</name-node>\
         <prepare><delete path=\"${{sandbox}}/out\"/></prepare><streaming>{streaming}</streaming>\
         <configuration>{properties}</configuration>{after}</map-reduce>"
    )
}

/// The id of the only workflow job.
fn database_job(sandbox: &Sandbox) -> String {
    sandbox.database().value("SELECT id FROM workflow_job")
}

fn run_to_its_end(sandbox: &Sandbox, nodes: &[String]) -> String {
    workflow(sandbox, "app", "mr", nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    format!("{} {}", database.job(&job), database.nodes())
}

/// Lines of words, some of them not UTF-8; the same for the same seed.
fn random_lines(seed: u64, lines: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut text = Vec::new();
    for _ in 0..lines {
        for _ in 0..next(6) {
            match next(10) {
                0 => text.extend_from_slice(&[0xc3, 0xa9, 0x80 + u8::try_from(next(100)).expect("it is small")]),
                _ => text.extend_from_slice(format!("w{}", next(400)).as_bytes()),
            }
            text.push(b' ');
        }
        text.push(b'\n');
    }
    text
}

/// The files of a folder.
fn parts(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file")))
        .collect()
}

#[test]
fn streaming_equals_an_independent_computation() {
    if let Err(why) = run(Command::new("python3").arg("--version")) {
        return tier::missing("python3", why);
    }
    let sandbox = Sandbox::new();
    sandbox.write("app/map.py", MAPPER);
    sandbox.write("app/reduce.py", REDUCER);
    sandbox.write("in/_logs", "not an input");
    for (name, lines) in [("a.txt", 30_000), ("b.txt", 3_000), ("empty.txt", 0), ("c.txt", 1)] {
        fs::write(sandbox.path("in").join(name), random_lines(lines as u64, lines)).expect("a file");
    }
    run(Command::new("gzip").arg("-k").arg(sandbox.path("in/b.txt"))).expect("gzip is everywhere");
    let streaming = "<mapper>python3 map.py</mapper><reducer>python3 reduce.py</reducer>";
    let files = "<file>map.py</file><file>reduce.py</file>";
    // A buffer of one megabyte makes several runs.
    let properties = [("mapreduce.job.reduces", "4"), ("mapreduce.task.io.sort.mb", "1")];
    let outcome = run_to_its_end(&sandbox, &[action("mr", &map_reduce(streaming, files, &properties), "end", "")]);
    assert_eq!(outcome, "SUCCEEDED :start: OK, mr OK, end OK");
    let oracle = sandbox.write("oracle.py", ORACLE);
    fs::create_dir(sandbox.path("expected")).expect("a folder of the sandbox");
    let places = [sandbox.path("in"), sandbox.path("expected")];
    run(Command::new("python3").arg(oracle).args(places).arg("4")).expect("the computation");
    let mut expected = parts(&sandbox.path("expected"));
    assert!(expected.values().all(|part| !part.is_empty()), "every reducer has something to do");
    expected.insert("_SUCCESS".to_owned(), Vec::new());
    assert_eq!(parts(&sandbox.path("out")), expected);
}

#[test]
fn counters_decide_what_follows() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a", "x\ny\nx\n");
    let mapper = "<mapper>sh -c \"cat; echo reporter:counter:own,seen,5 >&amp;2\"</mapper>";
    let counters = "${hadoop:counters('mr')[RECORDS][MAP_OUT]} ${hadoop:counters('mr')[RECORDS][GROUPS]} \
        ${hadoop:counters('mr')['own']['seen']} ${hadoop:counters('mr')['ACTION_TYPE']}";
    let nodes = [
        action("mr", &map_reduce(&format!("{mapper}<reducer>uniq</reducer>"), "", &[]), "which", ""),
        "<decision name=\"which\"><switch><case to=\"tell\">${hadoop:counters('mr')[RECORDS][REDUCE_OUT] gt 1}\
         </case><default to=\"end\"/></switch></decision>"
            .to_owned(),
        shell("tell", &effect(counters), "end"),
    ];
    assert_eq!(run_to_its_end(&sandbox, &nodes), "SUCCEEDED :start: OK, mr OK, which OK, tell OK, end OK");
    assert_eq!(sandbox.read("effects"), "3 2 5 MAP_REDUCE\n");
    assert_eq!(sandbox.read("out/part-00000"), "x\t\ny\t\n");
}

#[test]
fn a_mapper_that_fails_takes_the_error_transition() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a", "x\n");
    sandbox.write("in/slow", "long line\n");
    // The other mapper would run without end.
    let mapper = "<mapper>sh -c \"read line; [ x = $line ] || sleep 600; exit 9\"</mapper>";
    let outcome = run_to_its_end(&sandbox, &[action("mr", &map_reduce(mapper, "", &[]), "end", "")]);
    assert_eq!(outcome, "KILLED :start: OK, mr ERROR, fail OK");
    let error = sandbox.database().value("SELECT error_code, error_message FROM workflow_node WHERE name = 'mr'");
    assert_eq!(error, "JA018 PipeMapRed.waitOutputThreads(): subprocess failed with code 9");
    let log = sandbox.howdah(["log", &format!("{}@mr", database_job(&sandbox))]).succeed().stdout;
    assert!(log.contains(&format!("howdah: mapper 1 on {}: PipeMapRed", sandbox.text("in/a"))), "{log}");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_killed_job_leaves_no_process_and_no_output() {
    for (phase, streaming) in [
        ("map", "<mapper>sh -c 'echo $$ > ${sandbox}/pid; cat; sleep 600'</mapper>"),
        ("reduce", "<mapper>cat</mapper><reducer>sh -c 'echo $$ > ${sandbox}/pid; cat; sleep 600'</reducer>"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("in/a", "x\n");
        workflow(&sandbox, "app", "mr", &[action("mr", &map_reduce(streaming, "", &[]), "end", "")]);
        let job = sandbox.submit(NOW, &[]);
        let pid: i32 = sandbox.await_file("pid").parse().expect("the number of a process");
        assert!(is_alive(pid), "{phase}");
        sandbox.howdah(["kill", &job]).at(NOW).succeed();
        wait_for("the task to end", || (!is_alive(pid)).then_some(()));
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        let ended = (database.job(&job), database.nodes());
        assert_eq!(ended, ("KILLED".to_owned(), ":start: OK, mr KILLED".to_owned()), "{phase}");
        let left = fs::read_dir(sandbox.path("")).expect("the sandbox").map(|entry| entry.expect("an entry"));
        let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert!(!left.iter().any(|name| name == "out" || name.starts_with("._")), "{phase}: {left:?}");
    }
}

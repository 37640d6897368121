use super::*;
use crate::workflow::context::{Nodes, Outside};
use howdah_words::model::time::Timestamp;

struct OneNode;

impl Nodes for OneNode {
    fn facts(&self, node: &str) -> Option<NodeFacts> {
        (node == "mr").then(|| NodeFacts {
            transition: Some("next".to_owned()),
            data: Properties::from([("k".to_owned(), "v".to_owned()), ("empty".to_owned(), String::new())]),
            stats: Some(r#"{"g":{"c":5,"big":12345678901},"ACTION_TYPE":"MAP_REDUCE"}"#.to_owned()),
            ..NodeFacts::default()
        })
    }
}

struct NoFiles;

impl Outside for NoFiles {
    fn exists(&self, path: &str) -> Result<bool, CallError> {
        if path.starts_with("hdfs:") { Err(CallError::Failed(format!("no mount for [{path}]"))) } else { Ok(false) }
    }

    fn is_dir(&self, _path: &str) -> Result<bool, CallError> {
        Ok(false)
    }

    fn file_size(&self, _path: &str) -> Result<i64, CallError> {
        Ok(-1)
    }

    fn dir_size(&self, _path: &str) -> Result<i64, CallError> {
        Ok(-1)
    }

    fn block_size(&self, _path: &str) -> Result<i64, CallError> {
        Ok(-1)
    }

    fn has_partition(&self, uri: &str) -> Result<bool, CallError> {
        Ok(uri.ends_with("dt=1"))
    }

    fn cluster_property(&self, authority: &str, name: &str) -> Result<String, CallError> {
        Ok(if authority == "rm:8032" { format!("{name} of {authority}") } else { String::new() })
    }
}

fn answer(text: &str, outside: Option<&dyn Outside>) -> String {
    let conf = [("n", " 5 "), ("a.b", "dotted"), ("KB", "mine")];
    let conf = conf.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let context = WorkflowContext {
        id: "0000007-261120093000123-oozie-oozi-W",
        name: "app",
        app_path: "/apps/my",
        user: "joe",
        group: None,
        run: 2,
        conf: &conf,
        nodes: &OneNode,
        last_error_node: None,
        now: Timestamp::from_seconds(1_433_160_059),
        offset_minutes: 0,
        action: "0000007-261120093000123-oozie-oozi-W@here",
        callback: "http://oozie:11000/oozie/callback",
        outside,
    };
    evaluate(text, &context).unwrap_or_else(|error| format!("error: {error}"))
}

fn check(text: &str, expect: &str) {
    assert_eq!(answer(text, Some(&NoFiles)), expect, "{text}");
}

#[test]
fn a_missing_property_is_the_empty_text_and_null() {
    check("${wf:conf('nope') eq ''} ${wf:conf('nope') eq null} ${empty wf:conf('nope')}", "true true true");
    check("${wf:conf('nope') ne ''} ${wf:conf('nope') eq 'x'} ${'' eq null}", "false false false");
    check("${wf:conf('nope') eq wf:lastErrorNode()} ${firstNotNull(wf:conf('nope'), 'x')}", "true x");
    check("${replaceAll('foo', wf:conf('nope'), 'x')} ${replaceAll('foo', 'o*', 'x')}", "xfxoxox xfxx");
    check("${replaceAll('foo', 'o', wf:conf('nope'))} ${appendAll('a,b', wf:conf('nope'), ',')}", "f a,b");
    check("${appendAll(wf:conf('nope'), 'x', ',')} ${appendAll('ab', 'x', wf:conf('nope'))}", "x xaxbx");
}

#[test]
fn variables_are_trimmed_properties_and_constants() {
    check("${n}|${KB}|${2 * PB}|${RECORDS}", "5|1024|2251799813685248|org.apache.hadoop.mapred.Task$Counter");
    check("${nope}", "error: variable [nope] cannot be resolved");
}

#[test]
fn the_job_and_its_nodes() {
    check(
        "${wf:id()} ${wf:name()} ${wf:user()}[${wf:group()}] ${wf:run()}",
        "0000007-261120093000123-oozie-oozi-W app joe[] 2",
    );
    check("${wf:conf('a.b')}[${wf:conf('nope')}] ${wf:conf('nope') eq null}", "dotted[] true");
    check("${wf:transition('mr')} ${wf:actionData('mr')['k']} ${wf:actionData('nope').x}", "next v ");
    check("${wf:lastErrorNode() eq ''} ${empty wf:lastErrorNode()} ${empty wf:errorCode('mr')}", "true true true");
    check("${wf:idd()}", "error: function [wf:idd] not found");
    check("${wf:run(1)}", "error: function [wf:run] takes no arguments, not 1");
}

#[test]
fn the_callback_names_the_action() {
    let action = "0000007-261120093000123-oozie-oozi-W@here";
    check("${wf:callback('$status')}", &format!("http://oozie:11000/oozie/callback?id={action}&status=$status"));
    check("${wf:callback()}", "error: function [wf:callback] takes 1 argument, not 0");
}

#[test]
fn a_missing_counter_is_zero() {
    check("${hadoop:counters('mr')['g']['c'] * KB}", "5120");
    check("${hadoop:counters('mr')['g']['big'] / 1000}", "1.2345678901E7");
    check("${hadoop:counters('mr')['ACTION_TYPE']}", "MAP_REDUCE");
    check("${hadoop:counters('mr')['g']['none']}", "0");
    check("${hadoop:counters('nope')[RECORDS][REDUCE_OUT] lt 1000000}", "true");
}

#[test]
fn basic_functions_take_nulls() {
    check("[${concat(null, 'x')}${trim(null)}${urlEncode(null)}]", "[x]");
    check("${firstNotNull(wf:conf('nope'), 'b')}${firstNotNull('', 'b')}", "b");
    check("${firstNotNull(wf:lastErrorNode(), 'none')}", "none");
    check("[${replaceAll(wf:conf('nope'), 'a', 'b')}]", "[]");
    check("${timestamp()}", "2015-06-01T12:00Z");
    check("${toJsonStr(wf:actionData('mr'))}", r#"{"empty":"","k":"v"}"#);
    check("${toJsonStr('x')}", "error: [x] of type [text] is not a map");
    check("${concat('a','b','c')}", "error: function [concat] takes 2 arguments, not 3");
}

#[test]
fn the_outside_is_used_only_where_it_is_provided() {
    check("${fs:exists('/x')} ${fs:fileSize('/x')}", "false -1");
    check("${fs:exists('hdfs://nn/x')}", "error: no mount for [hdfs://nn/x]");
    check("${hcat:exists('hcat://m/db/t/dt=1')} ${hcat:exists('hcat://m/db/t/dt=2')}", "true false");
    check("${hadoop:conf('rm:8032', 'a.b')}[${hadoop:conf('nn', 'a.b')}]", "a.b of rm:8032[]");
    for function in ["fs:exists", "hcat:exists"] {
        let unknown = format!("error: function [{function}] not found");
        assert_eq!(answer(&format!("${{{function}('/x')}}"), None), unknown);
    }
    assert_eq!(answer("${hadoop:conf('a', 'b')}", None), "error: function [hadoop:conf] not found");
}

#[test]
fn a_short_text_does_not_grow_without_limit() {
    let grown = (0..12).fold("'aaaaaaaa'".to_owned(), |text, _| format!("replaceAll({text}, 'a', 'aaaaaaaa')"));
    check(&format!("${{{grown}}}"), "error: the result is longer than 1048576 bytes");
    let repeated = "${concat('aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaa')}".repeat((1 << 15) + 1);
    check(&repeated, "error: the results are longer than 1048576 bytes");
    let patterns = "${replaceAll('a', 'a', 'b')}".repeat(MOST_PATTERNS + 1);
    check(&patterns, "error: one text uses more than 50 regular expressions");
}

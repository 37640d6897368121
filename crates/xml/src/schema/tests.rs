//! One document per rule: what is refused, where, and with which advice.

use super::*;
use crate::read;
use howdah_words::error::{ErrorCode, SourceText};

/// Returns every problem as `line:column message (help)`.
fn problems(xml: &str, edition: Edition) -> Vec<String> {
    let document = read(&SourceText::new("f.xml", xml)).unwrap();
    let kind = kind_of(&document).unwrap();
    let describe = |error: howdah_words::error::Error| {
        assert_eq!(error.code(), ErrorCode::E0701);
        let (line, column) = error.location().unwrap().line_column();
        let message = error.message().strip_prefix("XML schema error, ").unwrap().to_owned();
        format!("{line}:{column} {message} ({})", error.help_text().unwrap())
    };
    check_as(&document, kind, edition).into_iter().map(describe).collect()
}

fn check(xml: &str, expect: &[&str]) {
    assert_eq!(problems(xml, Edition::Documented), expect, "{xml}");
}

/// Returns a coordinator of a version with some lines before its action.
fn coordinator(version: &str, inside: &str) -> String {
    format!(
        "<coordinator-app xmlns='uri:oozie:coordinator:{version}' name='c' frequency='60' start='a' end='b' \
         timezone='UTC'>\n{inside}\n<action><workflow><app-path>/w</app-path></workflow></action></coordinator-app>"
    )
}

/// Returns a workflow of a version with one action of this body.
fn workflow(version: &str, body: &str) -> String {
    format!(
        "<workflow-app xmlns='uri:oozie:workflow:{version}' name='w'><start to='a'/><action name='a'>\n{body}\n\
         <ok to='e'/><error to='e'/></action><end name='e'/></workflow-app>"
    )
}

#[test]
fn what_came_later_is_refused_with_its_version() {
    check(&coordinator("0.2", "<controls><throttle>1</throttle></controls>"), &[]);
    check(
        &coordinator("0.1", "<controls><throttle>1</throttle></controls>"),
        &["2:12 unexpected element <throttle> in <controls> (`throttle` needs the coordinator schema 0.2 or later; \
             this one is 0.1)"],
    );
    check(
        &coordinator(
            "0.3",
            "<output-events><data-out name='o' dataset='d' nocleanup='true'><instance/></data-out></output-events>",
        ),
        &["2:47 <data-out> has no attribute `nocleanup` (`nocleanup` needs the coordinator schema 0.4 or later; \
             this one is 0.3)"],
    );
    check(
        &workflow("0.4.5", "<fs><setrep path='p' replication-factor='2'/></fs>"),
        &["2:6 unexpected element <setrep> in <fs> (`setrep` needs the workflow schema 0.5 or later; this \
             one is 0.4.5)"],
    );
    check(
        &workflow("0.2", "<ssh><host/><command/></ssh>"),
        &["2:2 unexpected element <ssh> in <action> (it has a schema of its own: <ssh \
             xmlns=\"uri:oozie:ssh-action:0.2\">)"],
    );
}

#[test]
fn order_number_and_completeness_count() {
    check(
        &coordinator("0.4", "<datasets/>\n<controls/>"),
        &["3:2 <controls> is not allowed here in <coordinator-app> (the order of elements is fixed; expected \
             <input-events>, <output-events> or <action>)"],
    );
    check(
        &coordinator("0.4", "<controls/>\n<controls/>"),
        &["3:2 <controls> is not allowed here in <coordinator-app> (<controls> is repeated too often here; \
             expected <datasets>, <input-events>, <output-events> or <action>)"],
    );
    check(
        &coordinator("0.4", "<input-events><data-in name='i' dataset='d'/></input-events>"),
        &["2:16 <data-in> lacks <instance> or <start-instance> (add <instance> or <start-instance>)"],
    );
    check(
        &coordinator("0.5", "<input-logic><combine><data-in dataset='d'/></combine></input-logic>"),
        &["2:15 <combine> lacks <data-in> (add <data-in>)"],
    );
}

#[test]
fn names_are_corrected_where_they_are_near() {
    check(
        &coordinator("0.4", "<dataset-s/>"),
        &["2:2 unexpected element <dataset-s> in <coordinator-app> (did you mean <datasets>?)"],
    );
    check(
        &coordinator("0.4", "<controls><speed>1</speed></controls>"),
        &["2:12 unexpected element <speed> in <controls> (expected <timeout>, <concurrency>, <execution> or \
             <throttle>)"],
    );
    check(
        &workflow("0.5", "<fs><mkdir paht='/a'/></fs>"),
        &[
            "2:6 <mkdir> lacks the attribute `path` (add it: path=\"...\")",
            "2:12 <mkdir> has no attribute `paht` (did you mean `path`?)",
        ],
    );
}

#[test]
fn namespaces_are_explained() {
    check(
        "<coordinator-app name='c'/>",
        &["1:2 no schema declares <coordinator-app> without a namespace (declare one of the published schemas: \
           xmlns=\"uri:oozie:coordinator:0.5\", \"uri:oozie:coordinator:0.4\", \"uri:oozie:coordinator:0.3\", \
           \"uri:oozie:coordinator:0.2\", \"uri:oozie:coordinator:0.1\")"],
    );
    check(
        "<bundle-app xmlns='uri:oozie:bundel:0.2' name='b'/>",
        &["1:2 no schema declares <bundle-app> in the namespace `uri:oozie:bundel:0.2` (did you mean \
           xmlns=\"uri:oozie:bundle:0.2\"?)"],
    );
    check(
        &workflow("0.5", "<shell xmlns='uri:oozie:shell-action:0.9'/>"),
        &["2:2 unexpected element <shell> in <action> (the published schemas are uri:oozie:shell-action:1.0, \
           uri:oozie:shell-action:0.3, uri:oozie:shell-action:0.2, uri:oozie:shell-action:0.1)"],
    );
    check(
        &workflow("0.5", "<fs><mkdir xmlns='' path='/a'/></fs>"),
        &["2:6 unexpected element <mkdir> in <fs> (it must be in the namespace `uri:oozie:workflow:0.5`; it is \
           without a namespace)"],
    );
}

#[test]
fn contents_and_values_have_types() {
    check(
        &coordinator(
            "0.4",
            "<datasets>\n  text <dataset name='1' frequency='' initial-instance='' timezone=''>\
             <uri-template/></dataset></datasets>",
        ),
        &[
            "3:3 text inside <datasets>, which may contain elements only (remove it)",
            "3:23 `1` is not a value for the attribute `name` (write a letter, then letters, digits, `-` or `_`)",
        ],
    );
    check(
        &workflow("1.0", "<fs><chmod path='' permissions=''><recursive> </recursive></chmod></fs>"),
        &["2:46 <recursive> must be empty (close it at once: <recursive/>)"],
    );
    check(
        &workflow("1.0", "<java><launcher><vcores>many</vcores></launcher><main-class>a<b/></main-class></java>"),
        &[
            "2:25 `many` is not a value for <vcores> (write a whole number from 0 to 4294967295)",
            "2:63 <b> is inside <main-class>, which may contain text only (move it out, or write `&lt;` for the \
             character `<`)",
        ],
    );
}

#[test]
fn what_only_the_specification_documents_is_accepted_unless_asked_otherwise() {
    let xml = workflow("1.0", "<fs><delete path='p' skip-trash='true'/><setrep path='p' replication-factor='2'/></fs>");
    check(&xml, &[]);
    assert_eq!(
        problems(&xml, Edition::Published),
        [
            "2:22 <delete> has no attribute `skip-trash` (`skip-trash` is in the workflow schema up to 0.5 only; this \
             one is 1.0)",
            "2:42 unexpected element <setrep> in <fs> (`setrep` is in the workflow schema up to 0.5 only; this one is \
             1.0)"
        ]
    );
}

#[test]
fn included_datasets_need_no_namespace_and_configurations_no_schema() {
    check("<datasets><include>a</include></datasets>", &[]);
    check(
        "<datasets><data-set/></datasets>",
        &["1:12 unexpected element <data-set> in <datasets> (did you mean <dataset>?)"],
    );
    check("<configuration><anything/></configuration>", &[]);
}

#[test]
fn every_attribute_is_reported_once_and_instance_locations_pass() {
    check(
        "<bundle-app xmlns='uri:oozie:bundle:0.2' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
         xsi:schemaLocation='a b' name='b' x='1' y='2'><coordinator name='${n}'><app-path/></coordinator></bundle-app>",
        &[
            "1:130 <bundle-app> has no attribute `x` (remove it; the attributes are name)",
            "1:136 <bundle-app> has no attribute `y` (remove it; the attributes are name)",
        ],
    );
}

#[test]
fn the_number_of_elements_is_not_bounded() {
    let kills = "<kill name='k'><message/></kill>".repeat(70_000);
    check(
        &format!(
            "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='k'/>{kills}<end name='e'/></workflow-app>"
        ),
        &[],
    );
}

#[test]
fn the_number_of_problems_is_bounded() {
    let many = coordinator("0.4", &"<x/>".repeat(500));
    let problems = problems(&many, Edition::Documented);
    assert_eq!(problems.len(), 100);
    assert_eq!(problems.iter().position(|problem| problem.contains("only the first 100 problems")), Some(99));
}

use super::*;
use howdah_words::error::SourceText;
use howdah_xml::read;

/// Reads the nodes inside a `workflow-app`; returns the names and types of the graph and the problems with their
/// places.
fn read_nodes(nodes: &str) -> (Vec<String>, Vec<String>) {
    let xml = format!("<workflow-app name=\"${{app}}\" xmlns=\"uri:oozie:workflow:0.5\">\n{nodes}\n</workflow-app>");
    let document = read(&SourceText::new("workflow.xml", xml)).expect("the test's XML is well formed");
    let conf = Properties::from([("n".to_owned(), "2".to_owned())]);
    let (workflow, problems) = parse(&document, &conf);
    let workflow = workflow.expect("the root is a workflow-app");
    assert_eq!(workflow.name.value, "${app}");
    let graph = workflow.nodes().iter().map(|node| {
        let targets: Vec<&str> = node.targets().into_iter().map(|target| target.name.as_str()).collect();
        format!("{} {} -> {}", node.name, node.kind.node_type(), targets.join(","))
    });
    let problems = problems.iter().map(|problem| {
        let (line, column) = problem.location().expect("every problem has a place").line_column();
        format!("{line}:{column} {problem}")
    });
    (graph.collect(), problems.collect())
}

fn check(nodes: &str, problems: &[&str]) {
    assert_eq!(read_nodes(nodes).1, problems, "{nodes}");
}

const SHELL: &str = "<shell xmlns=\"uri:oozie:shell-action:0.3\"><exec>true</exec></shell>";

#[test]
fn reads_every_kind_of_node() {
    let (graph, problems) = read_nodes(&format!(
        "<start to=\"d\"/><decision name=\"d\"><switch><case to=\"f\">${{x}}</case>\
         <default to=\"a\"/></switch></decision><fork name=\"f\"><path start=\"a\"/><path start=\"j\"/></fork>\
         <join name=\"j\" to=\"e\"/><action name=\"a\" retry-max=\"${{n}}\" cred=\"c\">{SHELL}<ok to=\"j\"/>\
         <error to=\"k\"/></action><kill name=\"k\"><message>no</message></kill><end name=\"e\"/>"
    ));
    assert_eq!(problems, [""; 0]);
    assert_eq!(
        graph,
        [
            ":start: :START: -> d",
            "d switch -> f,a",
            "f :FORK: -> a,j",
            "j :JOIN: -> e",
            "a shell -> j,k",
            "k :KILL: -> ",
            "e :END: -> ",
        ]
    );
}

#[test]
fn evaluates_nothing_after_many_errors() {
    let action =
        |n| format!("<action name=\"a{n}\" retry-max=\"${{x}}\"><fs/><ok to=\"e\"/><error to=\"e\"/></action>");
    let actions: String = (0..3 * MOST_ERRORS).map(action).collect();
    assert_eq!(read_nodes(&actions).1.len(), MOST_ERRORS);
}

#[test]
fn evaluates_retry_attributes() {
    let xml = "<workflow-app name=\"w\"><action name=\"a\" retry-max=\"${n}\" retry-policy=\"${n}x\"><fs/>\
               <ok to=\"e\"/><error to=\"e\"/></action></workflow-app>";
    let document = read(&SourceText::new("workflow.xml", xml)).expect("the test's XML is well formed");
    let (workflow, _) = parse(&document, &Properties::from([("n".to_owned(), "2".to_owned())]));
    let workflow = workflow.expect("the root is a workflow-app");
    let Some(NodeKind::Action(action)) = workflow.node("a").map(|node| &node.kind) else { panic!("a is an action") };
    assert_eq!((action.retry.max.as_deref(), action.retry.policy.as_deref()), (Some("2"), Some("2x")));
    assert_eq!((action.kind, action.retry.interval.as_deref()), (ActionKind::Fs, None));
}

#[test]
fn reports_every_problem_at_its_place() {
    check(
        "<start to=\"a\"/>\n<action name=\"a\"><shel/><ok to=\"e\"/><error to=\"k\"/></action>\n\
         <action name=\"b\" retry-max=\"${x}\"><fs/><ok to=\"e\"/><error to=\"k\"/></action>\n\
         <kill name=\"k\"><message>m</message></kill>\n<kill name=\"k\"><message>m</message></kill>\n\
         <join name=\"j\" to=\"j\"/>\n<end name=\"e\"/>\n<kill name=\"l\"><message>m</message></kill>",
        &[
            "3:19 E0723: Unsupported action type, node [a] type [shel]",
            "4:31 E0703: Invalid workflow element [variable [x] cannot be resolved]",
            "6:13 E0705: Nnode already defined, node [k]",
            "7:20 E0706: Node cannot transition to itself node [j]",
            "9:13 E0704: Definition already complete, cannot add node [l]",
        ],
    );
}

#[test]
fn what_is_missing_is_a_problem_not_a_panic() {
    check("<start/>", &["2:2 E0701: XML schema error, <start> has no attribute to"]);
    check("<loop/>", &["2:2 E0703: Invalid workflow element [loop]"]);
    check("<fork name=\"f\"><path/></fork>", &["2:17 E0701: XML schema error, <path> has no attribute start"]);
    check("<decision name=\"d\"/>", &["2:2 E0701: XML schema error, <decision> has no <switch>"]);
    check("<action name=\"a\"/>", &["2:2 E0701: XML schema error, <action> has no body"]);
    check("<kill name=\"k\"/>", &["2:2 E0701: XML schema error, <kill> has no <message>"]);
    check("<end/>", &["2:2 E0701: XML schema error, <end> has no attribute name"]);
}

#[test]
fn another_root_is_not_a_workflow() {
    let document = read(&SourceText::new("f", "<bundle-app/>")).expect("well formed");
    let (workflow, problems) = parse(&document, &Properties::new());
    assert!(workflow.is_none());
    assert_eq!(problems[0].code(), ErrorCode::E0700);
}

//! Cases of a decision that can never be taken (W0117; specification 3.1.4).
//!
//! A predicate without variables and functions has the same value in every run. Must not evaluate anything else, and
//! must not refuse what Oozie accepts.

use std::collections::BTreeSet;

use super::definition::{Case, NodeKind, Workflow};
use howdah_el::{NoNames, Template};
use howdah_words::error::{Error, ErrorCode};

/// Returns the warnings about all decisions, each at the predicate of its case.
pub(super) fn warnings(workflow: &Workflow) -> Vec<Error> {
    let decisions = workflow.nodes().iter().filter_map(|node| match &node.kind {
        NodeKind::Decision { cases, .. } => Some(cases),
        _ => None,
    });
    decisions.flat_map(|cases| dead_cases(workflow, cases)).collect()
}

fn dead_cases(workflow: &Workflow, cases: &[Case]) -> Vec<Error> {
    let mut seen = BTreeSet::new();
    let mut decided = false;
    let mut warnings = Vec::new();
    for case in cases {
        let text = case.predicate.value.trim();
        let always = constant(text);
        let why = if decided {
            Some(("a case before it is always true", "remove it, or the predicate true above it"))
        } else if always == Some(false) && !text.contains("${") {
            Some(("its predicate is a plain text that is not true", "write the predicate as an expression, ${...}"))
        } else if always == Some(false) {
            Some(("its predicate is always false", "remove it, or let its predicate depend on something"))
        } else if !seen.insert(text) {
            Some(("a case before it has the same predicate", "correct the predicate of one of them"))
        } else {
            None
        };
        if let Some((why, help)) = why {
            let warning = Error::with(ErrorCode::W0117, &[&case.to.name, &why]);
            warnings.push(warning.at(workflow.location(case.predicate.span)).help(help));
        }
        decided |= always == Some(true);
    }
    warnings
}

/// Returns the value of a predicate in every run; `None` where it depends on the run, or is not known.
fn constant(text: &str) -> Option<bool> {
    let value = Template::parse(text).ok()?.evaluate(&mut NoNames).ok()?;
    Some(value.trim().eq_ignore_ascii_case("true"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_words::model::Properties;
    use howdah_xml::read;

    /// `expect`: the targets of the cases that are never taken, with the reasons.
    fn check(predicates: &[&str], expect: &[(&str, &str)]) {
        let case = |(n, text)| format!("<case to=\"n{n}\">{text}</case>");
        let cases = predicates.iter().enumerate().map(case).collect::<Vec<String>>().concat();
        let xml = format!(
            "<workflow-app name='w'><decision name='d'><switch>{cases}\
             <default to='e'/></switch></decision></workflow-app>"
        );
        let document = read(&SourceText::new("w.xml", xml)).unwrap();
        let (workflow, _) = super::super::parse::parse(&document, &Properties::new());
        let warnings = warnings(&workflow.expect("a graph"));
        let reported: Vec<_> = warnings.iter().map(|warning| warning.message().to_owned()).collect();
        let expect: Vec<_> =
            expect.iter().map(|(to, why)| format!("The case that leads to [{to}] is never taken: {why}")).collect();
        assert_eq!(reported, expect, "{predicates:?}");
    }

    #[test]
    fn warns_of_constant_predicates() {
        check(&["${x}", "${wf:conf('y') eq 'z'}", "true", "${1 lt 2}"], &[("n3", "a case before it is always true")]);
        check(&["${1 gt 2}", "${x}"], &[("n0", "its predicate is always false")]);
        let plain = "its predicate is a plain text that is not true";
        check(&["wf:conf('x') eq 'y'", "yes", ""], &[("n0", plain), ("n1", plain), ("n2", plain)]);
        check(&["${x}", " ${x} "], &[("n1", "a case before it has the same predicate")]);
        check(&["${ true }", "${x}"], &[("n1", "a case before it is always true")]);
    }

    #[test]
    fn is_silent_where_the_run_decides() {
        check(&["${x}", "${y}", "${x and y}"], &[]);
        check(&["${x}true", "${", "${nope()}"], &[]);
        check(&[" TRUE "], &[]);
    }
}

//! Each format on the same verdicts.

use super::*;
use crate::output::diagnostic::Counts;
use howdah_answers::check::validate::FileKind;
use howdah_words::error::{Error, ErrorCode, Location, SourceText, Span};

fn verdict(problems: Vec<Error>) -> Verdict {
    Verdict {
        path: "/tree/c.xml".to_owned(),
        kind: Some(FileKind::Properties),
        version: Some("0.4".to_owned()),
        problems,
        named: true,
        referrer: Some("bundle [b]".to_owned()),
        refused_elsewhere: false,
    }
}

fn problems() -> Vec<Error> {
    let source = SourceText::new("/tree/c.xml", "one\né <two>\nthree");
    let place = |start, end| Location::new(&source, Span::new(start, end));
    let elsewhere = SourceText::new("/other/d,e.xml", "x");
    vec![
        Error::new(ErrorCode::E1004, "50%\n<x>").at(place(7, 10)).help("a: b"),
        Error::new(ErrorCode::E0808, "x").at(place(0, 6)).reported_by_oozie_as(ErrorCode::E0803),
        Error::new(ErrorCode::W0101, 1).at(Location::new(&elsewhere, Span::new(0, 1))),
        Error::new(ErrorCode::W0101, 2),
    ]
}

/// Returns what a report writes for a file with problems and one without.
fn report_text(report: impl Report) -> String {
    told_of(report, &[verdict(problems()), verdict(Vec::new())])
}

fn told_of(mut report: impl Report, verdicts: &[Verdict]) -> String {
    let mut sum = Sum::default();
    let mut text = report.begin();
    for verdict in verdicts {
        text += &report.verdict(verdict, &sum);
        sum.add(verdict);
    }
    text + &report.end(&sum)
}

fn base() -> Base {
    Base(Some(PathBuf::from("/tree")))
}

#[test]
fn as_json() {
    insta::assert_snapshot!(report_text(json::Json));
    let document: serde_json::Value = serde_json::from_str(&report_text(json::Json)).unwrap();
    assert_eq!(document["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn as_sarif() {
    let text = report_text(sarif::Sarif::new(base()));
    insta::assert_snapshot!(text);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let run = &document["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    }
}

#[test]
fn as_commands_of_github() {
    insta::assert_snapshot!(report_text(github::Github { form: Form::Text, base: base() }));
}

#[test]
fn as_junit() {
    insta::assert_snapshot!(report_text(junit::Junit::default()));
}

/// The problem itself was shown with another file.
#[test]
fn a_file_that_is_refused_elsewhere_is_no_success() {
    let refused = Verdict { refused_elsewhere: true, referrer: None, ..verdict(Vec::new()) };
    let junit = told_of(junit::Junit::default(), std::slice::from_ref(&refused));
    assert!(junit.contains("failures=\"1\"") && junit.contains("<failure message="), "{junit}");
    let human = told_of(human::Human { form: Form::Text }, &[refused]);
    assert_eq!(human, "/tree/c.xml: invalid (properties 0.4)\n1 file checked, 1 invalid: no problems\n");
}

#[test]
fn describes_a_file() {
    assert_eq!(human::description(&verdict(vec![])), "properties 0.4, of bundle [b]");
}

#[test]
fn sums() {
    for (counts, expect) in [
        ((0, 0, 0, 0), "no file to check: no coordinator, workflow, bundle, datasets or configuration\n"),
        ((1, 0, 0, 0), "1 file checked, all valid: no problems\n"),
        ((2, 0, 0, 1), "2 files checked, all valid: 1 warning\n"),
        ((2, 1, 3, 0), "3 files checked, 1 invalid: 3 errors\n"),
    ] {
        let (valid, invalid, errors, warnings) = counts;
        assert_eq!(Sum { valid, invalid, problems: Counts { errors, warnings, notes: 0 } }.text(), expect);
    }
}

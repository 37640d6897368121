use super::*;
use howdah_words::error::{ErrorCode, SourceText, Span};

const XML: &str = "<coordinator-app name=\"daily\"\n\tfrequency=\"1\" start=\"x\">\n  <uri>/漢字/${nope}</uri>\n";

fn place(name: &str, marked: &str) -> Location {
    let start = XML.find(marked).expect("the test's text holds it");
    Location::new(&SourceText::new(name, XML), Span::new(start, start + marked.len()))
}

fn check(problems: &[Error], expect: &str) {
    assert_eq!(render(problems, Style::plain(100)), expect);
}

#[test]
fn shows_code_place_line_and_help() {
    let error = Error::new(ErrorCode::E1003, "frequency [1] minutes").at(place("coordinator.xml", "1")).help("use 5");
    check(
        &[error],
        "\
error[E1003]: Invalid coordinator application attributes, frequency [1] minutes
 --> coordinator.xml:2:13
  |
2 |     frequency=\"1\" start=\"x\">
  |                ^
  |
  = help: use 5
",
    );
}

#[test]
fn counts_and_orders_several() {
    let [wide, warning, plain] = [
        Error::plain(ErrorCode::E1004, "no such variable").at(place("a.xml", "nope")),
        Error::new(ErrorCode::W0101, 1).at(place("a.xml", "1")),
        Error::new(ErrorCode::E0401, "name"),
    ];
    check(
        &[wide, warning, plain],
        "\
error[E0401]: Missing configuration property [name]

warning[W0101]: Frequency [1] minutes is faster than the 5 minutes that Oozie allows
 --> a.xml:2:13
  |
2 |     frequency=\"1\" start=\"x\">
  |                ^
  |
  = help: Oozie refuses it unless its administrator allows it; use 5 minutes or more to run there too

error[E1004]: no such variable
 --> a.xml:3:14
  |
3 |   <uri>/漢字/${nope}</uri>
  |                ^^^^

2 errors, 1 warning
",
    );
}

#[test]
fn no_problems_have_no_text() {
    check(&[], "");
    assert_eq!(Counts::default().text(), "no problems");
    assert_eq!(Counts { errors: 2, warnings: 1, notes: 1 }.text(), "2 errors, 1 warning, 1 note");
}

#[test]
fn a_place_without_text_has_no_excerpt() {
    let empty = Location::new(&SourceText::new("empty.xml", ""), Span::default());
    check(
        &[Error::new(ErrorCode::E0700, "nothing in it").at(empty)],
        "error[E0700]: XML error, nothing in it\n--> empty.xml:1:1\n",
    );
}

#[test]
fn control_characters_and_long_texts_are_limited() {
    let long = format!("a\u{1b}[31m\nb{}", "x".repeat(3000));
    let shown = render(&[Error::plain(ErrorCode::E0700, long)], Style::plain(100));
    assert!(shown.starts_with("error[E0700]: a\\x1b[31m bxx"), "{shown}");
    assert!(shown.ends_with("x... (1008 more characters)\n"), "{shown}");
}

#[test]
fn a_line_of_a_hundred_thousand_characters_is_shortened() {
    let text = format!("<a>{}<b x=\"1\"/>{}</a>", " ".repeat(50_000), "é".repeat(50_000));
    let start = text.find("x=").expect("the test's text holds it");
    let place = Location::new(&SourceText::new("one-line.xml", text), Span::new(start, start + 5));
    let shown = render(&[Error::new(ErrorCode::E0701, "no attribute x").at(place)], Style::plain(100));
    assert!(shown.contains("one-line.xml:1:50007\n"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let [source, caret] = [lines[3], lines[4]];
    let column = caret.find('^').expect("a caret");
    assert_eq!(&source[column..column + 5], "x=\"1\"");
}

#[test]
fn json_keeps_everything() {
    let error = Error::new(ErrorCode::E0808, "YEAR").reported_by_oozie_as(ErrorCode::E0803).at(place("j", "name"));
    assert_eq!(
        as_json(&error).to_string(),
        r#"{"severity":"error","code":"E0808","oozieCode":"E0803","message":"Disallowed user property [YEAR]","file":"j","line":1,"column":18,"help":null}"#
    );
}

use super::testing::{ATTRIBUTES, LOGS, ONE_INPUT, PLAIN, Parts};
use super::*;
use howdah_calendar::ProcessingZone;

/// `expect`: the code of the only refusal and the text at its place.
fn check(parts: &Parts<'_>, expect: (&str, &str)) {
    check_with(parts, &[], expect);
}

fn check_with(parts: &Parts<'_>, files: &[(&str, &str)], expect: (&str, &str)) {
    let (coordinator, problems) = parts.parse(files);
    assert!(coordinator.is_none(), "accepted: {}", parts.xml());
    assert_eq!(refusals(&problems), [(expect.0, expect.1.to_owned())], "{problems:?}");
}

fn refusals(problems: &[Error]) -> Vec<(&'static str, String)> {
    problems.iter().filter(|problem| !problem.is_warning()).map(code_and_place).collect()
}

/// Like [`check`], and the refusal needs no property.
fn check_both(parts: &Parts<'_>, expect: (&str, &str)) {
    check(parts, expect);
    let problems = parts.read_partly().problems;
    assert_eq!(refusals(&problems), [(expect.0, expect.1.to_owned())], "{problems:?}");
}

/// Checks that nothing is refused while not all properties are known.
fn check_open(parts: &Parts<'_>) {
    let problems = parts.read_partly().problems;
    assert_eq!(problems, [], "{}", parts.xml());
}

fn code_and_place(problem: &Error) -> (&'static str, String) {
    let place = problem.location().expect("every problem has a place");
    (problem.code().as_str(), place.source.text[place.span.start..place.span.end].to_owned())
}

#[test]
fn accepts_the_plain_definition() {
    let (coordinator, problems) = PLAIN.parse(&[]);
    assert_eq!(problems, []);
    let coordinator = coordinator.expect("accepted");
    assert_eq!((coordinator.name.as_str(), coordinator.frequency_text.as_str()), ("app", "60"));
    assert_eq!((coordinator.controls.timeout_minutes, coordinator.controls.concurrency), (-1, 1));
    assert_eq!((coordinator.controls.throttle, coordinator.inputs.len()), (12, 1));
}

#[test]
fn refuses_attributes() {
    for (from, to, code, place) in [
        (r#"frequency="60""#, r#"frequency="abc""#, "E1003", "abc"),
        (r#"frequency="60""#, r#"frequency="0""#, "E1003", "0"),
        (r#"frequency="60""#, r#"frequency="${coord:days(0)}""#, "E1004", "coord:days"),
        (r#"frequency="60""#, r#"frequency="0 0 31 2 *""#, "E1003", "0 0 31 2 *"),
        (r#"start="2009-01-01T00:00Z""#, r#"start="2009-01-01""#, "E1003", "2009-01-01"),
        (r#"end="2010-01-01T00:00Z""#, r#"end="2009-01-01T00:00Z""#, "E1003", "2009-01-01T00:00Z"),
        (r#"timezone="UTC""#, r#"timezone="Americas/Los_Angeles""#, "E1003", "Americas/Los_Angeles"),
    ] {
        check_both(&Parts { attributes: &ATTRIBUTES.replace(from, to), ..PLAIN }, (code, place));
    }
    for (from, to) in [(r#"frequency="60""#, r#"frequency="${none}""#), (r#"name="app""#, r#"name="${none}""#)] {
        let attributes = ATTRIBUTES.replace(from, to);
        check(&Parts { attributes: &attributes, ..PLAIN }, ("E1004", "none"));
        check_open(&Parts { attributes: &attributes, ..PLAIN });
    }
}

#[test]
fn checks_what_does_not_depend_on_an_unknown() {
    let attributes = |changes: &[(&str, &str)]| {
        changes.iter().fold(ATTRIBUTES.to_owned(), |text, (from, to)| text.replace(from, to))
    };
    let (frequency, start, end) = ("\"60\"", "2009-01-01T00:00Z", "2010-01-01T00:00Z");
    let expect = |changes: &[(&str, &str)], expect: (&str, &str)| {
        let attributes = attributes(changes);
        let problems = Parts { attributes: &attributes, ..PLAIN }.read_partly().problems;
        assert_eq!(refusals(&problems), [(expect.0, expect.1.to_owned())], "{attributes}");
    };
    expect(&[(frequency, "\"${f}\""), (end, start)], ("E1003", start));
    expect(&[(start, "${s}"), (frequency, "\"0 0 31 2 *\"")], ("E1003", "0 0 31 2 *"));
    expect(&[("UTC", "${z}"), (frequency, "\"0 0 1 1 *\""), (end, "2009-01-01T00:00Z")], ("E1003", start));
    expect(&[(start, "${coord:conf('s')}"), (end, "${YEAR}")], ("E1003", "${YEAR}"));
    for open in [
        &[(start, "${s}"), (end, "2000-01-01T00:00Z")][..],
        &[(start, "${coord:conf('s')}")],
        &[("UTC", "${z}")],
        &[(frequency, "\"${coord:days(n)}\"")],
        &[(frequency, "\"${n * 60}\"")],
        &[(start, "${s}"), (frequency, "\"0 0 1 1 *\"")],
    ] {
        check_open(&Parts { attributes: &attributes(open), ..PLAIN });
    }
}

#[test]
fn names_are_not_refused_where_something_may_declare_them() {
    let other = ONE_INPUT.replace("\"logs\"", "\"other\"");
    for datasets in ["<include>${file}</include>", "<include>nowhere</include>"] {
        check_open(&Parts { datasets, events: &other, ..PLAIN });
    }
    check_open(&Parts { events: &ONE_INPUT.replace("\"logs\"", "\"${d}\""), ..PLAIN });
    let unknown = LOGS.replace("2009-01-01T00:00Z", "${initial}");
    check_open(&Parts { datasets: &unknown, ..PLAIN });
    let twice = format!("{unknown}{unknown}");
    let problems = Parts { datasets: &twice, ..PLAIN }.read_partly().problems;
    assert_eq!(refusals(&problems), [("E0803", "dataset".to_owned())]);
    let logic = r#"<input-logic><or name="${either}"><data-in dataset="in"/></or></input-logic>"#;
    let values = "<property><name>p</name><value>${coord:dataIn('either')}</value></property>";
    check_open(&Parts { events: &format!("{ONE_INPUT}{logic}"), values, ..PLAIN });
    check_open(&Parts { values: "<property><name>p</name><value>${in}${x}</value></property>", ..PLAIN });
}

#[test]
fn a_dataset_inside_an_event_is_left_to_the_schema() {
    let events = ONE_INPUT.replace("\"logs\"", "\"a\"").replace("<instance>", "<dataset name=\"a\"/><instance>");
    check_open(&Parts { events: &events, ..PLAIN });
}

#[test]
fn refuses_controls() {
    for (controls, code, place) in [
        ("<timeout>x</timeout>", "E1003", "x"),
        ("<timeout>${coord:conf('n')}</timeout>", "E1004", "coord:conf"),
        ("<concurrency>x</concurrency>", "E1003", "x"),
        ("<execution>fifo</execution>", "E1003", "fifo"),
        ("<throttle>1.5</throttle>", "E1003", "1.5"),
    ] {
        check_both(&Parts { controls, ..PLAIN }, (code, place));
    }
}

#[test]
fn reads_controls() {
    let controls = |controls: &str| Parts { controls, ..PLAIN }.parse(&[]).0.expect("accepted").controls;
    for (text, minutes) in [("10", 10), ("${coord:hours(2)}", 120), ("${coord:days(1)}", 1440), ("0", 0), ("-7", -1)] {
        assert_eq!(controls(&format!("<timeout>{text}</timeout>")).timeout_minutes, minutes, "{text}");
    }
    for (text, throttle) in [("3", 3), ("", 12), ("0", 500), ("501", 500)] {
        assert_eq!(controls(&format!("<throttle>{text}</throttle>")).throttle, throttle, "{text}");
    }
    assert_eq!(controls("<concurrency>${n}</concurrency>").concurrency, 5);
}

#[test]
fn refuses_datasets() {
    for (from, to, code, place) in [
        (r#"frequency="60""#, r#"frequency="0 0 * * *""#, "E1003", "0 0 * * *"),
        (r#"frequency="60""#, r#"frequency="-5""#, "E1003", "-5"),
        ("2009-01-01T00:00Z", "1969-12-31T00:00Z", "E1021", "1969-12-31T00:00Z"),
        ("2009-01-01T00:00Z", "${YEAR}", "E1004", "YEAR"),
    ] {
        let parts = Parts { datasets: &LOGS.replace(from, to), events: "", ..PLAIN };
        check_both(&parts, (code, place));
    }
    check(&Parts { datasets: &LOGS.replace("YEAR", "SECOND"), events: "", ..PLAIN }, ("E1004", "SECOND"));
    check_both(&Parts { datasets: &format!("{LOGS}{LOGS}"), ..PLAIN }, ("E0803", "dataset"));
    check_both(&Parts { datasets: &LOGS.replace("/logs/", "/lo gs/"), ..PLAIN }, ("E0902", "logs"));
}

#[test]
fn refuses_events() {
    let instance = "<instance>${coord:current(0)}</instance>";
    for (from, to, code, place) in [
        (r#"dataset="logs""#, r#"dataset="log""#, "E0803", "log"),
        (instance, "<instance></instance>", "E1021", "instance"),
        (
            instance,
            "<instance>2009-01-01T00:00Z,2009-01-02T00:00Z</instance>",
            "E1021",
            "2009-01-01T00:00Z,2009-01-02T00:00Z",
        ),
        (instance, "<instance>${coord:nominalTime()}</instance>", "E1004", "coord:nominalTime"),
        (
            instance,
            "<instance>${coord:absolute('2009-01-01T00:00Z')}</instance>",
            "E1010",
            "coord:absolute('2009-01-01T00:00Z')",
        ),
        (instance, "<instance>${coord:current(0}</instance>", "E1004", "("),
    ] {
        check_both(&Parts { events: &ONE_INPUT.replace(from, to), ..PLAIN }, (code, place));
    }
    let twice = ONE_INPUT.replace(
        "</input-events>",
        r#"<data-in name="in" dataset="logs"><instance>${coord:current(1)}</instance></data-in></input-events>"#,
    );
    check_both(&Parts { events: &twice, ..PLAIN }, ("E0803", "in"));
}

#[test]
fn checks_values_of_the_configuration() {
    for (value, code, place) in [
        ("${coord:dataIn('nope')}", "E1004", "coord:dataIn"),
        ("${coord:current(0)}", "E1004", "coord:current"),
        ("${wf:id()}", "E1004", "wf:id"),
        ("${YEAR}", "E1004", "YEAR"),
    ] {
        let values = format!("<property><name>p</name><value>{value}</value></property>");
        check_both(&Parts { values: &values, ..PLAIN }, (code, place));
    }
    // Only where the name of an event is expected.
    for value in ["${in}", "${coord:formatTime(in, 'y')}"] {
        let value = format!("<property><name>p</name><value>{value}</value></property>");
        let (coordinator, problems) = Parts { values: &value, ..PLAIN }.parse(&[]);
        assert!(coordinator.is_none() && problems[0].code().as_str() == "E1004", "{value}");
    }
    let bare = "<property><name>p</name><value>${coord:dataIn(in)}</value></property>";
    let (coordinator, problems) = Parts { values: bare, ..PLAIN }.parse(&[]);
    assert!(coordinator.is_some());
    assert_eq!(problems.iter().map(|problem| problem.code().as_str()).collect::<Vec<_>>(), ["W0104"]);
}

#[test]
fn includes_datasets() {
    let included = format!("<datasets>{LOGS}<include>b</include></datasets>");
    let other = LOGS.replace("\"logs\"", "\"other\"").replace("/logs/", "/other/");
    let more = format!("<datasets>{other}</datasets>");
    let files = [("a", included.as_str()), ("b", more.as_str())];
    let uri = |datasets: &str, name: &str| {
        let events = ONE_INPUT.replace("\"logs\"", &format!("\"{name}\""));
        let (coordinator, problems) = Parts { datasets, events: &events, ..PLAIN }.parse(&files);
        let coordinator = coordinator.unwrap_or_else(|| panic!("{problems:?}"));
        let dataset = &coordinator.inputs[0].dataset;
        dataset.uri(dataset.initial(), ProcessingZone::UTC).unwrap()
    };
    assert_eq!(uri("<include>a</include>", "logs"), "/logs/2009");
    assert_eq!(uri("<include>a</include>", "other"), "/other/2009");
    let inline = format!("<include>a</include>{}", LOGS.replace("/logs/", "/inline/"));
    assert_eq!(uri(&inline, "logs"), "/inline/2009");
}

#[test]
fn refuses_includes() {
    let parts = |datasets| Parts { datasets, events: "", ..PLAIN };
    let included = format!("<datasets>{LOGS}</datasets>");
    check(&parts("<include>nowhere</include>"), ("E1002", "nowhere"));
    check_with(&parts("<include>a</include>"), &[("a", "<datasets><dataset")], ("E0700", "<"));
    let ring = [("a", "<datasets><include>b</include></datasets>"), ("b", "<datasets><include>a</include></datasets>")];
    check_with(&parts("<include>a</include>"), &ring, ("E1002", "a"));
    let same = [("a", included.as_str()), ("b", included.as_str())];
    check_with(&parts("<include>a</include><include>b</include>"), &same, ("E0803", "dataset"));
}

#[test]
fn checks_the_input_logic() {
    let check_logic = |logic: &str, code, place| {
        let events = format!("{ONE_INPUT}<input-logic>{logic}</input-logic>");
        check_both(&Parts { events: &events, ..PLAIN }, (code, place));
    };
    check_logic(r#"<data-in dataset="logs"/>"#, "E1028", "logs");
    check_logic("", "E1028", "input-logic");
    check_logic(r#"<data-in dataset="in" min="x"/>"#, "E1028", "x");
    check_logic(r#"<data-in dataset="in" wait="-1"/>"#, "E1028", "-1");
    check_logic(r#"<combine><data-in dataset="in"/></combine>"#, "E1028", "combine");
    let second = |instances: &str| {
        let other = ONE_INPUT.replace(r#"name="in""#, r#"name="other""#);
        let other = other.replace("<instance>${coord:current(0)}</instance>", instances);
        let (_, other) = other.split_once("<input-events>").unwrap();
        let both = r#"<input-logic><combine><data-in dataset="in"/><data-in dataset="other"/></combine></input-logic>"#;
        ONE_INPUT.replace("</input-events>", other) + both
    };
    let range = "<start-instance>${coord:current(-1)}</start-instance><end-instance>${coord:current(0)}</end-instance>";
    check_both(&Parts { events: &second(range), ..PLAIN }, ("E1028", "combine"));
    let latest = "<instance>${coord:latest(0)}</instance>";
    check_both(&Parts { events: &second(latest), ..PLAIN }, ("E1028", "combine"));
    for same in ["<instance>${coord:current(-3)}</instance>", &range.replace("-1", "0")] {
        let (coordinator, problems) = Parts { events: &second(same), ..PLAIN }.parse(&[]);
        assert!(coordinator.is_some() && problems.is_empty(), "{same}: {problems:?}");
    }
    let named =
        format!(r#"{ONE_INPUT}<input-logic><or name="either" min="${{n}}"><data-in dataset="in"/></or></input-logic>"#);
    let values = "<property><name>p</name><value>${coord:dataIn('either')}</value></property>";
    let (coordinator, problems) = Parts { events: &named, values, ..PLAIN }.parse(&[]);
    assert_eq!(problems, []);
    assert!(coordinator.is_some_and(|coordinator| coordinator.logic.is_some()));
}

#[test]
fn stops_evaluating_after_many_refusals() {
    let value = |n: usize| format!("<property><name>p{n}</name><value>${{nope{n}}}</value></property>");
    let values: String = (0..3 * MOST_REFUSALS).map(value).collect::<Vec<_>>().concat();
    let (coordinator, problems) = Parts { values: &values, ..PLAIN }.parse(&[]);
    assert_eq!((coordinator.is_none(), problems.len()), (true, MOST_REFUSALS));
    let is_last =
        |problem: &Error| problem.help_text().is_some_and(|help| help.contains("only the first 100 problems"));
    assert_eq!(problems.iter().position(is_last), Some(MOST_REFUSALS - 1));
    let zone = |n: usize| LOGS.replace("logs", &format!("logs{n}")).replace("UTC", &format!("America/Nowhere{n}"));
    let datasets: String = (0..3 * MOST_REFUSALS).map(zone).collect::<Vec<_>>().concat();
    let (coordinator, problems) = Parts { datasets: &datasets, events: "", ..PLAIN }.parse(&[]);
    assert_eq!((coordinator.is_none(), problems.len()), (true, MOST_REFUSALS));
}

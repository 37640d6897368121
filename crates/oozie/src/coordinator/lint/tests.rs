//! Each warning, with definitions that cause it and definitions that do not.

use super::*;
use crate::coordinator::parse::testing::{ATTRIBUTES, LOGS, ONE_INPUT, PLAIN, Parts};
use howdah_words::model::Properties;

/// `expect`: the warnings as `CODE place`, found without any property.
fn check(parts: &Parts<'_>, expect: &[&str]) {
    let reading = parts.read_partly();
    assert!(reading.problems.iter().all(Error::is_warning), "{:?}", reading.problems);
    let known = Properties::new();
    let job = JobScope { configuration: &known, processing: howdah_calendar::ProcessingZone::UTC };
    let found: Vec<String> = warnings(&reading.outline, job).iter().map(reported).collect();
    assert_eq!(found, expect, "{}", parts.xml());
}

fn reported(problem: &Error) -> String {
    let place = problem.location().expect("every warning has a place");
    format!("{} {}", problem.code(), &place.source.text[place.span.start..place.span.end])
}

fn attributes(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(ATTRIBUTES.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn instance(text: &str) -> String {
    ONE_INPUT.replace("${coord:current(0)}", text)
}

fn range(start: &str, end: &str) -> String {
    ONE_INPUT.replace(
        "<instance>${coord:current(0)}</instance>",
        &format!("<start-instance>{start}</start-instance><end-instance>{end}</end-instance>"),
    )
}

fn check_events(events: &str, expect: &[&str]) {
    check(&Parts { events, datasets: &hourly(), ..PLAIN }, expect);
}

/// The dataset, with a URI of its own for each instance.
fn hourly() -> String {
    LOGS.replace("${YEAR}", "${YEAR}-${MONTH}-${DAY}-${HOUR}")
}

#[test]
fn instances_of_a_range_have_uris_of_their_own() {
    let day = LOGS.replace("${YEAR}", "${YEAR}/${MONTH}/${DAY}");
    let events = range("${coord:current(-23)}", "${coord:current(0)}");
    check(&Parts { events: &events, datasets: &day, ..PLAIN }, &["W0136 in"]);
    check(&Parts { events: &events, datasets: &LOGS.replace("${YEAR}", "all"), ..PLAIN }, &["W0136 in"]);
    check_events(&events, &[]);
    let daily = day.replace("\"60\"", "\"1440\"");
    check(&Parts { events: &events, datasets: &daily, ..PLAIN }, &[]);
    // One instance waits for what it names.
    let one = instance("${coord:current(0)}");
    let two = one.replace("</instance>", "</instance><instance>${coord:current(-1)}</instance>");
    for (events, expect) in [
        (one.clone(), false),
        (one.replace("</instance>", "</instance><instance>${coord:current(0)}</instance>"), false),
        (instance("${coord:latest(0)}"), false),
        (two, true),
        (instance("${coord:currentRange(-23, 0)}"), true),
        (instance("${coord:latestRange(-3, 0)}"), true),
        (range("${coord:latest(-3)}", "${coord:latest(0)}"), true),
        (range("${coord:future(0, 9)}", "${coord:future(3, 9)}"), true),
    ] {
        let expect: &[&str] = if expect { &["W0136 in"] } else { &[] };
        check(&Parts { events: &events, datasets: &day, ..PLAIN }, expect);
        check_events(&events, &[]);
    }
}

#[test]
fn cron_does_not_follow_the_zone_of_the_job() {
    let cron = "0 2 * * *";
    for (frequency, zone, expect) in [
        (cron, "Europe/Berlin", true),
        (cron, "Asia/Kolkata", true),
        (cron, "Europe/London", true),
        (cron, "UTC", false),
        (cron, "Etc/UTC", false),
        ("${coord:days(1)}", "Europe/Berlin", false),
    ] {
        let attributes = attributes(&[("\"60\"", &format!("\"{frequency}\"")), ("UTC", zone)]);
        let expect = expect.then(|| format!("W0129 {frequency}"));
        check(&Parts { attributes: &attributes, ..PLAIN }, &expect.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let berlin = attributes(&[("\"60\"", "\"0 2 * * *\""), ("UTC", "Europe/Berlin")]);
    let reading = Parts { attributes: &berlin, ..PLAIN }.read_partly();
    let known = Properties::new();
    let job = JobScope { configuration: &known, processing: howdah_calendar::ProcessingZone::UTC };
    let note = warnings(&reading.outline, job).remove(0);
    assert!(note.message().contains("2009-01-01T02:00Z is 03:00 there, and 2009-03-29"), "{note}");
    assert!(note.message().ends_with("T02:00Z is 04:00 there"), "{note}");
    // A job of three months may cross a change too.
    for (end, expect) in [("2009-03-29T00:00Z", &[][..]), ("2009-06-01T00:00Z", &["W0129 0 2 * * *"])] {
        let zone = ("UTC", "Europe/London");
        let replaced = [("\"60\"", "\"0 2 * * *\""), zone, ("2010-01-01T00:00Z", end)];
        check(&Parts { attributes: &attributes(&replaced), ..PLAIN }, expect);
    }
}

/// `expect`: the warnings of reading the definition.
fn check_reading(parts: &Parts<'_>, expect: &[&str]) {
    let problems = parts.read_partly().problems;
    assert_eq!(problems.iter().map(reported).collect::<Vec<_>>(), expect, "{}", parts.xml());
}

#[test]
fn zones_of_three_letters() {
    for (zone, expect) in [
        ("EST", true),
        ("PST", true),
        ("BST", true),
        ("CET", true),
        ("UTC", false),
        ("GMT", false),
        ("Asia/Tokyo", false),
    ] {
        let expect: Vec<String> = expect.then(|| format!("W0134 {zone}")).into_iter().collect();
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        check_reading(&Parts { attributes: &attributes(&[("UTC", zone)]), ..PLAIN }, &expect);
        check_reading(&Parts { datasets: &LOGS.replace("UTC", zone), ..PLAIN }, &expect);
    }
}

#[test]
fn done_flags_are_names_below_the_instance() {
    for (flag, expect) in [
        ("_DONE", false),
        ("/_DONE", false),
        ("flags/_DONE", false),
        ("", false),
        ("hdfs://nn/flags/_DONE", true),
        ("file:///flags/_DONE", true),
        ("/flags/_DONE", false),
        ("${'done-${YEAR}'}", true),
    ] {
        let datasets = LOGS.replace("</dataset>", &format!("<done-flag>{flag}</done-flag></dataset>"));
        let expect: Vec<String> = expect.then(|| format!("W0133 {flag}")).into_iter().collect();
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        check_reading(&Parts { datasets: &datasets, ..PLAIN }, &expect);
    }
}

#[test]
fn a_plain_application_has_none() {
    check(&PLAIN, &[]);
}

#[test]
fn instances_that_never_exist() {
    check_events(&instance("${coord:current(-9000)}"), &["W0110 ${coord:current(-9000)}"]);
    check_events(&instance("${coord:offset(-1, 'YEAR')}"), &["W0110 ${coord:offset(-1, 'YEAR')}"]);
    check_events(&range("${coord:current(-9999)}", "${coord:current(-8760)}"), &["W0110 ${coord:current(-8760)}"]);
    for events in [
        instance("${coord:current(-8000)}"),
        instance("${coord:current(-9000 + n)}"),
        instance("${coord:current(-9000 * coord:tzOffset())}"),
        instance("${coord:latest(-9000)}"),
        range("${coord:offset(-5, 'MINUTE')}", "${coord:offset(5, 'MINUTE')}"),
        range("2009-01-01T05:10Z", "2009-01-01T06:00Z"),
        range("${coord:current(-9999)}", "${coord:current(-8759)}"),
    ] {
        check_events(&events, &[]);
    }
    for (start, end) in [
        ("${coord:offset(5, 'MINUTE')}", "${coord:offset(10, 'MINUTE')}"),
        ("2009-01-01T05:10Z", "2009-01-01T05:50Z"),
        ("2008-01-01T05:10Z", "2008-01-01T05:50Z"),
    ] {
        check_events(&range(start, end), &[&format!("W0110 {end}")]);
    }
    let later = LOGS.replace("2009-01-01T00:00Z", "2010-01-01T01:00Z");
    check(&Parts { datasets: &later, ..PLAIN }, &["W0110 ${coord:current(0)}"]);
    let unknown = LOGS.replace("2009-01-01T00:00Z", "${initial}");
    check(&Parts { datasets: &unknown, ..PLAIN }, &[]);
}

#[test]
fn texts_that_no_action_can_be_created_with() {
    for text in [
        "${coord:dateOffset('2009-01-01T00:00Z', 1, 'DAY')}",
        "${coord:offset(1, 'DAYS')}",
        "2009-01-01",
        "${coord:formatTime(coord:current(0), 'yyyy')}",
    ] {
        let reading = Parts { events: &instance(text), ..PLAIN }.read_partly();
        assert_eq!(reading.problems, [], "{text}");
        let known = Properties::new();
        let job = JobScope { configuration: &known, processing: howdah_calendar::ProcessingZone::UTC };
        let codes: Vec<_> = warnings(&reading.outline, job).iter().map(|warning| warning.code().as_str()).collect();
        assert_eq!(codes, ["W0111"], "{text}");
    }
    for text in ["2009-01-01T00:00Z", "${coord:offset(n, 'DAYS')}", "${coord:formatTime(coord:current(n), 'yyyy')}"] {
        check_events(&instance(text), &[]);
    }
}

#[test]
fn the_order_of_a_range_may_change_with_the_month() {
    let monthly = attributes(&[("\"60\"", "\"${coord:months(1)}\""), ("2009-01-01T00:00Z", "2009-03-15T00:00Z")]);
    let daily = LOGS.replace("\"60\"", "\"${coord:days(1)}\"").replace("${YEAR}", "${YEAR}/${MONTH}/${DAY}");
    let start = "${coord:offset(-30, 'DAY')}";
    let warning = format!("W0111 {start}");
    for (end, expect) in [("${coord:offset(-1, 'MONTH')}", true), ("${coord:offset(-29, 'DAY')}", false)] {
        let events = range(start, end);
        let expect: &[&str] = if expect { &[&warning] } else { &[] };
        check(&Parts { attributes: &monthly, datasets: &daily, events: &events, ..PLAIN }, expect);
    }
}

#[test]
fn instances_without_a_uri() {
    let without = LOGS.replace("/logs/${YEAR}", "/logs/${'$'}{10 % (DAY - 2)}");
    let started = |day: &str| attributes(&[("2009-01-01T00:00Z", day)]);
    for (attributes, expect) in [(started("2009-01-02T00:00Z"), true), (started("2009-01-03T00:00Z"), false)] {
        let output = ONE_INPUT.replace("data-in", "data-out").replace("input-", "output-");
        // The actions of one day write the same.
        for (events, others) in [(ONE_INPUT.to_owned(), &[][..]), (output, if expect { &[] } else { &["W0122 in"] })] {
            let expect: Vec<&str> =
                expect.then_some("W0111 ${coord:current(0)}").iter().chain(others).copied().collect();
            let expect = expect.as_slice();
            check(&Parts { attributes: &attributes, datasets: &without, events: &events, ..PLAIN }, expect);
        }
    }
}

#[test]
fn a_branch_that_another_action_takes_is_checked() {
    let zone = "America/Los_Angeles";
    // The first day of the job has 23 hours.
    let attributes = attributes(&[("2009-01-01T00:00Z", "2009-03-08T08:00Z"), ("UTC", zone)]);
    let datasets = LOGS.replace("UTC", zone);
    for (other, expect) in [("n", false), ("coord:conf('n')", false), ("'x'", true)] {
        let start = format!("${{coord:hoursInDay(0) == 24 ? coord:current(-1) : coord:current({other})}}");
        let parts = Parts {
            attributes: &attributes,
            datasets: &datasets,
            events: &range(&start, "${coord:current(0)}"),
            ..PLAIN
        };
        let known = Properties::new();
        let job = JobScope { configuration: &known, processing: howdah_calendar::ProcessingZone::UTC };
        let found = warnings(&parts.read_partly().outline, job);
        assert_eq!(found.iter().any(|warning| warning.code() == ErrorCode::W0111), expect, "{other}: {found:?}");
    }
}

#[test]
fn absolute_starts_on_an_instance() {
    let absolute = |time: &str| format!("${{coord:absolute('{time}')}}");
    for (time, expect) in
        [("2009-01-01T00:00Z", None), ("2008-12-31T00:00Z", Some("W0111")), ("2009-01-01T00:30Z", Some("W0111"))]
    {
        let start = absolute(time);
        let expect: Vec<String> = expect.iter().map(|code| format!("{code} {start}")).collect();
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        check_events(&range(&start, "${coord:current(1)}"), &expect);
    }
    // Without start and end only the dataset decides.
    let open = attributes(&[("2009-01-01T00:00Z", "${start}"), ("2010-01-01T00:00Z", "${end}")]);
    for (time, expect) in [("2008-12-31T00:00Z", true), ("2010-06-01T00:00Z", false)] {
        let start = absolute(time);
        let events = range(&start, "${coord:current(0)}");
        let warning = format!("W0111 {start}");
        let expect: &[&str] = if expect { &[&warning] } else { &[] };
        check(&Parts { attributes: &open, events: &events, ..PLAIN }, expect);
    }
}

/// Two outputs: of a dataset with a URI template and of another, or the same, with their instances.
fn outputs(datasets: [(&str, &str); 2], instances: [&str; 2]) -> (String, String) {
    let [one, other] = datasets;
    let declare =
        |(name, uri): (&str, &str)| LOGS.replace("\"logs\"", &format!("\"{name}\"")).replace("/logs/${YEAR}", uri);
    let declared = if one.0 == other.0 { declare(one) } else { declare(one) + &declare(other) };
    let event = |name: &str, dataset: &str, instance: &str| {
        format!(r#"<data-out name="{name}" dataset="{dataset}"><instance>{instance}</instance></data-out>"#)
    };
    let (first, second) = (event("first", one.0, instances[0]), event("second", other.0, instances[1]));
    (declared, format!("<output-events>{first}{second}</output-events>"))
}

#[test]
fn outputs_that_overwrite_each_other() {
    let (zero, next) = ("${coord:current(0)}", "${coord:current(1)}");
    let fine = "/${YEAR}${MONTH}${DAY}${HOUR}";
    for (datasets, instances, expect) in [
        ([("a", fine), ("a", fine)], [zero, zero], &["W0112 second"][..]),
        ([("a", fine), ("a", fine)], [zero, next], &["W0122 second"]),
        ([("a", fine), ("b", fine)], [zero, zero], &["W0112 second"]),
        ([("a", fine), ("b", "/b${YEAR}${MONTH}${DAY}${HOUR}")], [zero, zero], &[]),
        ([("a", "/${DAY}"), ("b", "/${DAY}")], [zero, next], &["W0122 first", "W0112 second"]),
        ([("a", fine), ("a", fine)], ["${coord:current(n)}", "${coord:current(n)}"], &["W0112 second"]),
        ([("a", fine), ("a", fine)], ["${coord:current(n)}", zero], &[]),
        ([("a", "${root}/${DAY}"), ("b", "${root}/${DAY}")], [zero, zero], &[]),
    ] {
        let (datasets, events) = outputs(datasets, instances);
        check(&Parts { datasets: &datasets, events: &events, ..PLAIN }, expect);
    }
}

#[test]
fn two_done_flags_of_the_same_data_are_two_outputs() {
    let zero = "${coord:current(0)}";
    let (datasets, events) = outputs([("a", "/${DAY}/${HOUR}"), ("b", "/${DAY}/${HOUR}")], [zero, zero]);
    let flagged = datasets.replacen("</uri-template>", "</uri-template><done-flag>_PARTITIONED</done-flag>", 1);
    check(&Parts { datasets: &flagged, events: &events, ..PLAIN }, &[]);
}

#[test]
fn an_output_that_every_action_writes() {
    let fixed = LOGS.replace("/logs/${YEAR}", "/logs");
    let events = ONE_INPUT.replace("data-in", "data-out").replace("input-", "output-");
    check(&Parts { datasets: &fixed, events: &events, ..PLAIN }, &["W0113 in"]);
    check(&Parts { events: &events, ..PLAIN }, &["W0122 in"]);
    let hourly = LOGS.replace("${YEAR}", "${DAY}/${HOUR}");
    check(&Parts { datasets: &hourly, events: &events, ..PLAIN }, &[]);
    let alternating = LOGS.replace("/logs/${YEAR}", "/logs/${'$'}{DAY % 2}");
    check(&Parts { datasets: &alternating, events: &events, ..PLAIN }, &["W0122 in"]);
    check(&Parts { datasets: &fixed, ..PLAIN }, &[]);
    let once = attributes(&[("2010-01-01T00:00Z", "2009-01-01T01:00Z")]);
    check(&Parts { attributes: &once, datasets: &fixed, events: &events, ..PLAIN }, &[]);
}

#[test]
fn schedules_without_an_action() {
    let ends = |end: &str| attributes(&[("\"60\"", "\"${coord:endOfMonths(1)}\""), ("2010-01-01T00:00Z", end)]);
    let none = ends("2009-02-01T00:00Z");
    check(&Parts { attributes: &none, ..PLAIN }, &["W0114 ${coord:endOfMonths(1)}"]);
    check(&Parts { attributes: &ends("2009-02-01T00:01Z"), ..PLAIN }, &[]);
}

#[test]
fn concurrency_and_throttle() {
    for (controls, expect) in [
        ("<concurrency>9</concurrency><throttle>3</throttle>", true),
        ("<concurrency>3</concurrency><throttle>3</throttle>", false),
        ("<concurrency>-1</concurrency><throttle>3</throttle>", false),
        ("<concurrency>99</concurrency>", false),
        ("<concurrency>9</concurrency><throttle>${t}</throttle>", false),
        ("<concurrency>9</concurrency><throttle></throttle>", false),
    ] {
        let expect: &[&str] = if expect { &["W0115 9"] } else { &[] };
        check(&Parts { controls, ..PLAIN }, expect);
    }
}

#[test]
fn variables_that_are_no_parameters() {
    let values = "<property><name>p</name><value>${inpt}/${n}/${in}</value></property>";
    let reading = Parts { values, ..PLAIN }.read_partly();
    let found = undeclared_variables(&reading.outline, &["input", "n"].into());
    assert_eq!(found.iter().map(reported).collect::<Vec<_>>(), ["W0109 inpt"]);
    assert_eq!(found[0].help_text(), Some("did you mean [input]?"));
}

#[test]
fn outputs_that_an_sla_element_names() {
    let warnings_of = |text: &str| {
        let parts = Parts { events: &ONE_INPUT.replace("data-in", "data-out").replace("input-", "output-"), ..PLAIN };
        let sla =
            format!(r#"<info xmlns="uri:oozie:sla:0.2"><notification-msg>{text}</notification-msg></info></action>"#);
        let reading = crate::coordinator::parse::testing::read_partly(&parts.xml().replace("</action>", &sla));
        assert_eq!(reading.problems, [], "{text}");
        sla::warnings(&reading.outline).iter().map(reported).collect::<Vec<_>>()
    };
    assert_eq!(warnings_of("${coord:dataOut('inn')}${coord:tableOut('x')}"), ["W0111 'inn'", "W0111 'x'"]);
    assert_eq!(warnings_of("${coord:dataOut('in')}${coord:dataOut(x)}${coord:user()}"), [""; 0]);
}

#[test]
fn near_outputs_are_searched_a_few_times() {
    let outputs = ONE_INPUT.replace("data-in", "data-out").replace("input-", "output-");
    let names = "${coord:dataOut('inn')}".repeat(50);
    let sla =
        format!(r#"<info xmlns="uri:oozie:sla:0.2"><notification-msg>{names}</notification-msg></info></action>"#);
    let xml = Parts { events: &outputs, ..PLAIN }.xml().replace("</action>", &sla);
    let warnings = sla::warnings(&crate::coordinator::parse::testing::read_partly(&xml).outline);
    let near = warnings.iter().filter(|warning| warning.help_text() == Some("did you mean [in]?"));
    assert_eq!((warnings.len(), near.count()), (50, 20));
}

#[test]
fn an_input_that_its_own_action_writes() {
    let datasets = LOGS.replace("${YEAR}", "${YEAR}-${MONTH}-${DAY}-${HOUR}");
    let output = |text: &str| {
        let output = ONE_INPUT.replace("name=\"in\"", "name=\"out\"").replace("data-in", "data-out");
        output.replace("input-events", "output-events").replace("${coord:current(0)}", text)
    };
    for (input, output, expect) in [
        (ONE_INPUT.to_owned(), output("${coord:current(0)}"), &["W0121 in"][..]),
        (ONE_INPUT.to_owned(), output("${coord:offset(0, 'HOUR')}"), &["W0121 in"]),
        (instance("${coord:current(-1)}"), output("${coord:current(0)}"), &[]),
    ] {
        check(&Parts { datasets: &datasets, events: &format!("{input}{output}"), ..PLAIN }, expect);
    }
    let yearly = output("${coord:current(0)}");
    check(&Parts { events: &yearly, ..PLAIN }, &["W0122 out"]);
}

#[test]
fn days_of_the_week_count_from_sunday() {
    for (cron, expect) in [
        ("0 2 * * 1-5", &["W0123 0 2 * * 1-5"][..]),
        ("0 2 * * 1-5,7", &["W0123 0 2 * * 1-5,7"]),
        ("0 2 * * 6,7", &["W0123 0 2 * * 6,7"]),
        ("0 2 * * 1,7", &[]),
        ("0 2 * * 2-6", &[]),
        ("0 2 * * MON-FRI", &[]),
        ("0 2 1-5 * *", &[]),
    ] {
        let attributes = attributes(&[("\"60\"", &format!("\"{cron}\""))]);
        check(&Parts { attributes: &attributes, ..PLAIN }, expect);
    }
}

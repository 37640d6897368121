//! Sections 6.6 and 6.9: the tables of the functions.

use super::{Deviation, fixture};
use howdah_sandbox::sandbox::Sandbox;

/// The instance that an expression means in the action of 2009-05-30T00:00Z, for `logs` and for `stats`.
fn check_instance(expression: &str, logs: &str, stats: &str) {
    let sandbox = Sandbox::new();
    let coordinator = fixture("6.6.1-1.xml").display().to_string();
    for (event, expect) in [("logs", logs), ("stats", stats)] {
        let arguments = ["eval", expression, "-q", "--phase", "create", "--action", "1", "--event", event];
        let ran = sandbox.howdah(arguments).with("--coordinator").with(&coordinator).succeed();
        assert_eq!(ran.stdout.trim_end(), expect, "{expression} of {event}");
    }
}

/// What the specification writes as 24:00 is the zero hour of the next day (4.1.1).
#[test]
fn current_and_offset() {
    check_instance("${coord:current(0)}", "2009-05-30T00:00Z", "2009-05-28T00:00Z");
    check_instance("${coord:current(1)}", "2009-05-31T00:00Z", "2009-06-04T00:00Z");
    check_instance("${coord:current(-1)}", "2009-05-29T00:00Z", "2009-05-21T00:00Z");
    check_instance("${coord:current(-3)}", "2009-05-27T00:00Z", "2009-05-07T00:00Z");
    for unit in ["MINUTE", "HOUR", "DAY", "MONTH", "YEAR"] {
        check_instance(&format!("${{coord:offset(0, \"{unit}\")}}"), "2009-05-30T00:00Z", "2009-05-28T00:00Z");
    }
    for (days, logs, stats) in [
        (1, "2009-05-31T00:00Z", "2009-05-28T00:00Z"),
        (-1, "2009-05-29T00:00Z", "2009-05-21T00:00Z"),
        (-3, "2009-05-27T00:00Z", "2009-05-21T00:00Z"),
    ] {
        for (count, unit) in [(days * 1440, "MINUTE"), (days * 24, "HOUR"), (days, "DAY")] {
            check_instance(&format!("${{coord:offset({count}, \"{unit}\")}}"), logs, stats);
        }
    }
    for (count, unit) in [(11_520, "MINUTE"), (192, "HOUR"), (8, "DAY")] {
        check_instance(&format!("${{coord:offset({count}, \"{unit}\")}}"), "2009-06-07T00:00Z", "2009-06-04T00:00Z");
    }
    check_instance("${coord:offset(10, \"MINUTE\")}", "2009-05-30T00:00Z", "2009-05-28T00:00Z");
}

/// The value of a function in an action at `nominal`, for a dataset of the same zone.
fn number(expression: &str, (nominal, zone, frequency): (&str, &str, &str)) -> String {
    let sandbox = Sandbox::new();
    let definition = format!(
        r#"<coordinator-app name="table" frequency="${{coord:days(1)}}" start="{nominal}" end="2010-01-01T00:00Z"
            timezone="{zone}" xmlns="uri:oozie:coordinator:0.4">
          <datasets><dataset name="d" frequency="{frequency}" initial-instance="2007-01-01T00:00Z" timezone="{zone}">
            <uri-template>/data/${{YEAR}}${{MONTH}}${{DAY}}</uri-template></dataset></datasets>
          <input-events><data-in name="in" dataset="d"><instance>${{coord:current(0)}}</instance></data-in></input-events>
          <action><workflow><app-path>/wf</app-path></workflow></action>
        </coordinator-app>"#
    );
    sandbox.write("coordinator.xml", &definition);
    let arguments =
        ["eval", expression, "-q", "--phase", "create", "--action", "1", "--coordinator", "coordinator.xml"];
    sandbox.howdah(arguments).succeed().stdout.trim_end().to_owned()
}

#[test]
fn hours_in_a_day() {
    const LA: &str = "America/Los_Angeles";
    for (nominal, zone, frequency, n, expect) in [
        ("2009-01-01T08:00Z", "UTC", "${coord:days(1)}", 0, "24"),
        ("2009-01-01T08:00Z", LA, "${coord:days(1)}", 0, "24"),
        ("2009-01-01T08:00Z", LA, "${coord:days(1)}", -1, "24"),
        ("2009-03-08T08:00Z", "UTC", "${coord:days(1)}", 0, "24"),
        ("2009-03-08T08:00Z", "Europe/London", "${coord:days(1)}", 0, "24"),
        ("2009-03-08T08:00Z", LA, "${coord:days(1)}", 0, "23"),
        ("2009-03-08T08:00Z", LA, "${coord:days(1)}", 1, "24"),
        ("2009-03-07T08:00Z", LA, "${coord:endOfDays(1)}", 0, "24"),
        ("2009-03-07T08:00Z", LA, "${coord:endOfDays(1)}", 1, "23"),
    ] {
        let expression = format!("${{coord:hoursInDay({n})}}");
        assert_eq!(number(&expression, (nominal, zone, frequency)), expect, "{nominal} {zone} {frequency} {n}");
    }
}

#[test]
fn days_in_a_month() {
    const LA: &str = "America/Los_Angeles";
    for (nominal, zone, n, expect) in [
        ("2008-02-01T00:00Z", "UTC", 0, "29"),
        ("2009-02-01T00:00Z", "UTC", 0, "28"),
        ("2009-02-01T00:00Z", "UTC", -1, "31"),
        ("2009-03-01T00:00Z", "UTC", 1, "30"),
        // Printed with the zone `Americas/Los_Angeles`, which does not exist (decision C40).
        ("2009-02-01T00:00Z", LA, 0, "31"),
    ] {
        for frequency in ["${coord:months(1)}", "${coord:endOfMonths(1)}"] {
            let expression = format!("${{coord:daysInMonth({n})}}");
            assert_eq!(number(&expression, (nominal, zone, frequency)), expect, "{nominal} {zone} {frequency} {n}");
        }
    }
    let refused = Sandbox::new().howdah(["next", "coord:days(1)", "-z", "Americas/Los_Angeles"]).run().stderr;
    assert!(refused.contains("E1003") && refused.contains("America/Los_Angeles"), "{refused}");
    Deviation { row: "6.6.4, table", printed: "31" }.check("refused");
}

/// What needs no action.
fn check(expression: &str, expect: &str) {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.howdah(["eval", "-q", expression]).succeed().stdout.trim_end(), expect, "{expression}");
}

#[test]
fn dates() {
    check("${coord:dateOffset('2009-01-01T00:00Z', 2, 'MONTH')}", "2009-03-01T00:00Z");
    check("${coord:dateOffset('2009-01-01T00:00Z', 1, 'YEAR')}", "2010-01-01T00:00Z");
    check("${coord:dateTzOffset('2012-06-13T00:00Z', 'America/Los_Angeles')}", "2012-06-12T17:00Z");
    check("${coord:dateTzOffset('2012-12-13T00:00Z', 'America/Los_Angeles')}", "2012-12-12T16:00Z");
    check("${coord:formatTime('2009-01-01T00:00Z', 'yyyy')}", "2009");
    check("${coord:epochTime('2009-01-01T00:00Z', 'false')}", "1230768000");
    check("${coord:epochTime('2009-01-01T00:00Z', 'true')}", "1230768000000");
}

/// 6.6.5: Los Angeles is 480 minutes behind UTC in winter, India 330 ahead.
#[test]
fn offsets_of_zones() {
    let offset = |zone| {
        let sandbox = Sandbox::new();
        sandbox.howdah(["time", "offset", zone, "UTC", "2009-01-01T00:00Z", "-q"]).succeed()
    };
    for (zone, expect) in [("America/Los_Angeles", "-480"), ("Asia/Kolkata", "330")] {
        let ran = offset(zone);
        assert_eq!(ran.stdout.trim_end(), expect, "{zone}");
    }
}

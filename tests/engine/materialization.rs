//! Which actions exist when: the window, the throttle, catching up (coordinator specification 6.3; decision C17).

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;

/// Hourly inputs that never exist.
const MISSING: &str = "<datasets><dataset name=\"d\" frequency=\"${coord:hours(1)}\" \
     initial-instance=\"2010-01-01T00:00Z\" timezone=\"UTC\">\
     <uri-template>${sandbox}/in/${YEAR}${MONTH}${DAY}${HOUR}</uri-template></dataset></datasets>\
     <input-events><data-in name=\"i\" dataset=\"d\"><instance>${coord:current(0)}</instance></data-in></input-events>";

fn coordinator(coordinator: &Coordinator) -> Sandbox {
    let sandbox = Sandbox::new();
    coordinator.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox
}

#[test]
fn an_action_is_created_five_minutes_ahead_and_runs_at_its_time() {
    let sandbox = coordinator(&Coordinator { data: MISSING.to_owned(), ..Coordinator::default() });
    let job = sandbox.submit("2009-12-31T00:00Z", &[]);
    for (now, status, actions) in [
        ("2009-12-31T23:54Z", "PREP", ""),
        ("2009-12-31T23:55Z", "RUNNING", "1 WAITING"),
        // The first action is created when the start is five minutes away, a later one only when it is less.
        ("2010-01-01T00:55Z", "RUNNING", "1 WAITING"),
        ("2010-01-01T00:56Z", "RUNNING", "1 WAITING, 2 WAITING"),
        ("2010-01-01T09:00Z", "RUNNING", "1 WAITING, 2 WAITING"),
    ] {
        sandbox.tick(now);
        let database = sandbox.database();
        database.check();
        assert_eq!((database.job(&job).as_str(), database.actions().as_str()), (status, actions), "at {now}");
    }
}

#[test]
fn an_action_created_ahead_does_not_start_before_its_time() {
    let sandbox = coordinator(&Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() });
    let job = sandbox.submit("2009-12-31T00:00Z", &[]);
    sandbox.tick_through("2009-12-31T23:59Z");
    assert_eq!((sandbox.database().actions().as_str(), sandbox.read("effects").as_str()), ("1 WAITING", ""));
    sandbox.tick_through("2010-01-01T00:00Z");
    assert_eq!(sandbox.read("effects"), "2010-01-01T00:00Z\n");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn the_throttle_bounds_the_waiting_actions() {
    let sandbox = coordinator(&Coordinator {
        end: "2010-01-01T06:00Z",
        controls: "<throttle>2</throttle>",
        data: MISSING.to_owned(),
        ..Coordinator::default()
    });
    sandbox.submit("2010-01-02T00:00Z", &[]);
    let now = "2010-01-02T00:00Z";
    sandbox.tick_through(now);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING");
    sandbox.write("in/2010010101/_SUCCESS", "");
    sandbox.tick_through(now);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 SUCCEEDED, 3 WAITING");
    sandbox.write("in/2010010100/_SUCCESS", "");
    sandbox.write("in/2010010103/_SUCCESS", "");
    sandbox.tick_through(now);
    let database = sandbox.database();
    database.check();
    assert_eq!(database.actions(), "1 SUCCEEDED, 2 SUCCEEDED, 3 WAITING, 4 SUCCEEDED, 5 WAITING");
}

#[test]
fn a_pause_of_the_ticks_loses_no_nominal_time() {
    let sandbox = coordinator(&Coordinator {
        end: "2010-01-05T00:00Z",
        controls: "<concurrency>3</concurrency>",
        ..Coordinator::default()
    });
    let job = sandbox.submit("2009-12-31T00:00Z", &[]);
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!(sandbox.sorted_lines("effects").len(), 3);
    // Three days without a tick.
    sandbox.tick_through("2010-01-04T23:30Z");
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "SUCCEEDED");
    let effects = sandbox.sorted_lines("effects");
    let nominal = database.rows(
        "SELECT strftime('%Y-%m-%dT%H:%MZ', nominal_at, 'unixepoch') FROM coordinator_action ORDER BY nominal_at",
    );
    assert_eq!((effects.len(), effects), (96, nominal));
}

/// Prints how many paths there are, and the names of the first and the last.
const COUNT_HOURS: &str = r#"paths=$(echo "$2" | tr , '\n')
echo "$1: $(echo "$paths" | wc -l) hours, $(echo "$paths" | head -n 1 | xargs basename) to $(basename "${2##*,}")"
"#;

#[test]
fn a_day_of_23_hours_in_a_catch_up() {
    let data = "<datasets><dataset name=\"hourly\" frequency=\"${coord:hours(1)}\" \
         initial-instance=\"2010-03-13T05:00Z\" timezone=\"America/New_York\">\
         <uri-template>${sandbox}/in/${YEAR}-${MONTH}-${DAY}-${HOUR}</uri-template><done-flag/></dataset></datasets>\
         <input-events><data-in name=\"hours\" dataset=\"hourly\"><start-instance>${coord:current(0)}</start-instance>\
         <end-instance>${coord:current(coord:hoursInDay(0) - 1)}</end-instance></data-in></input-events>";
    let sandbox = Sandbox::new();
    Coordinator {
        frequency: "${coord:days(1)}",
        start: "2010-03-13T05:00Z",
        end: "2010-03-16T04:00Z",
        timezone: "America/New_York",
        data: data.to_owned(),
        properties: &[("hours", "${coord:dataIn('hours')}")],
        ..Coordinator::default()
    }
    .write(&sandbox);
    sandbox.write("count.sh", COUNT_HOURS);
    let line = "sh ${sandbox}/count.sh ${nominal} ${hours} >> ${sandbox}/effects";
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    for (day, hours) in [(13, 5..24), (14, 0..24), (15, 0..24), (16, 0..4)] {
        for hour in hours {
            sandbox.write(&format!("in/2010-03-{day}-{hour:02}/part"), "");
        }
    }
    sandbox.submit("2010-03-13T00:00Z", &[]);
    sandbox.tick_through("2010-03-13T12:00Z");
    sandbox.tick_through("2010-03-16T12:00Z");
    let database = sandbox.database();
    database.check();
    let timeline = database.rows(
        "SELECT strftime('%Y-%m-%dT%H:%MZ', at, 'unixepoch'), origin, coalesce(action_number, 'job'),
            coalesce(from_status, ''), to_status, coalesce(reason, '')
         FROM event WHERE coordinator_job IS NOT NULL ORDER BY event",
    );
    let nominal = database
        .rows("SELECT number, strftime('%Y-%m-%dT%H:%MZ', nominal_at, 'unixepoch'), status FROM coordinator_action");
    let timeline: Vec<String> = timeline.iter().map(|line| line.trim_end().to_owned()).collect();
    let text = format!("{}\n\n{}\n\n{}", timeline.join("\n"), nominal.join("\n"), sandbox.read("effects"));
    insta::assert_snapshot!(sandbox.redact(&text));
}

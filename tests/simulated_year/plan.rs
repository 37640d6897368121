//! The twelve coordinators of the year: frequencies, zones, policies, inputs and how late those are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::oracle::{Rule, on_weekdays, twice_a_month};

/// What an action waits for; instances are days of UTC.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Nothing,
    /// The day of the nominal time.
    Day,
    /// That day and the two before it.
    ThreeDays,
    /// Any existing day, the latest first.
    Latest,
}

/// The order in which READY actions start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Execution {
    Fifo,
    Lifo,
    LastOnly,
    None,
}

/// A coordinator, and what the test uses of it.
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    pub(crate) frequency: &'static str,
    pub(crate) rule: Rule,
    pub(crate) zone: &'static str,
    pub(crate) start: &'static str,
    pub(crate) end: &'static str,
    pub(crate) execution: Execution,
    /// Negative: no limit.
    pub(crate) concurrency: i64,
    pub(crate) throttle: usize,
    /// As written, and in minutes; negative: no limit.
    pub(crate) timeout: (&'static str, i64),
    pub(crate) input: Input,
    /// How many hours after the day's start its data arrives, at least and at most.
    pub(crate) delay_hours: (i64, i64),
}

const NEW_YORK: &str = "America/New_York";
const BERLIN: &str = "Europe/Berlin";
const LORD_HOWE: &str = "Australia/Lord_Howe";
const KOLKATA: &str = "Asia/Kolkata";
const UTC: &str = "UTC";

/// Twelve coordinators.
pub(crate) const PLANS: &[Plan] = &[
    Plan {
        name: "new-york-days",
        frequency: "${coord:days(1)}",
        rule: Rule::Days(1),
        zone: NEW_YORK,
        start: "2026-02-24T10:30Z",
        end: "2026-04-20T10:30Z",
        execution: Execution::Fifo,
        concurrency: 2,
        throttle: 3,
        timeout: ("-1", -1),
        input: Input::Day,
        delay_hours: (2, 90),
    },
    Plan {
        name: "berlin-weeks",
        frequency: "${coord:days(7)}",
        rule: Rule::Days(7),
        zone: BERLIN,
        start: "2026-01-05T23:15Z",
        end: "2026-12-31T00:00Z",
        execution: Execution::Lifo,
        concurrency: 1,
        throttle: 5,
        timeout: ("${coord:days(4)}", 4 * 1440),
        input: Input::ThreeDays,
        delay_hours: (1, 110),
    },
    Plan {
        name: "lord-howe-ten-days",
        frequency: "${coord:days(10)}",
        rule: Rule::Days(10),
        zone: LORD_HOWE,
        start: "2026-01-01T13:00Z",
        end: "2026-12-30T00:00Z",
        execution: Execution::LastOnly,
        concurrency: 1,
        throttle: 12,
        timeout: ("${coord:hours(200)}", 12_000),
        input: Input::Day,
        delay_hours: (12, 400),
    },
    Plan {
        name: "kolkata-months",
        frequency: "${coord:months(1)}",
        rule: Rule::Months(1),
        zone: KOLKATA,
        start: "2026-01-30T18:30Z",
        end: "2026-12-31T23:00Z",
        execution: Execution::Fifo,
        concurrency: 1,
        throttle: 12,
        timeout: ("${30 * DAYS}", 30 * 1440),
        input: Input::Day,
        delay_hours: (0, 300),
    },
    Plan {
        name: "cron-weekdays",
        frequency: "30 6 * * MON-FRI",
        rule: Rule::Daily { hour: 6, minute: 30, on: on_weekdays },
        zone: UTC,
        start: "2026-05-01T00:00Z",
        end: "2026-07-01T00:00Z",
        execution: Execution::None,
        concurrency: 3,
        throttle: 4,
        timeout: ("${6 * HOURS}", 360),
        input: Input::Day,
        delay_hours: (0, 9),
    },
    Plan {
        name: "new-york-ends-of-weeks",
        frequency: "${coord:endOfWeeks(1)}",
        rule: Rule::EndOfWeeks(1),
        zone: NEW_YORK,
        start: "2026-01-07T12:00Z",
        end: "2026-12-28T00:00Z",
        execution: Execution::Fifo,
        concurrency: -1,
        throttle: 2,
        timeout: ("2880", 2880),
        input: Input::Latest,
        delay_hours: (300, 2600),
    },
    Plan {
        name: "berlin-ends-of-months",
        frequency: "${coord:endOfMonths(1)}",
        rule: Rule::EndOfMonths(1),
        zone: BERLIN,
        start: "2025-12-31T23:00Z",
        end: "2026-12-31T00:00Z",
        execution: Execution::LastOnly,
        concurrency: 1,
        throttle: 1,
        timeout: ("-1", -1),
        input: Input::Day,
        delay_hours: (1, 1400),
    },
    Plan {
        name: "six-hours",
        frequency: "${coord:hours(6)}",
        rule: Rule::Minutes(360),
        zone: NEW_YORK,
        start: "2026-10-28T03:00Z",
        end: "2026-11-08T03:00Z",
        execution: Execution::Fifo,
        concurrency: -1,
        throttle: 500,
        timeout: ("0", 0),
        input: Input::Nothing,
        delay_hours: (0, 0),
    },
    Plan {
        name: "berlin-ends-of-days",
        frequency: "${coord:endOfDays(1)}",
        rule: Rule::EndOfDays(1),
        zone: BERLIN,
        start: "2026-10-01T08:00Z",
        end: "2026-11-15T00:00Z",
        execution: Execution::Fifo,
        concurrency: 1,
        throttle: 2,
        timeout: ("0", 0),
        input: Input::Day,
        delay_hours: (-20, 30),
    },
    Plan {
        name: "ninety-minutes",
        frequency: "90",
        rule: Rule::Minutes(90),
        zone: BERLIN,
        start: "2026-10-24T20:00Z",
        end: "2026-10-27T00:00Z",
        execution: Execution::Lifo,
        concurrency: 4,
        throttle: 7,
        timeout: ("${coord:hours(30)}", 1800),
        input: Input::ThreeDays,
        delay_hours: (0, 60),
    },
    Plan {
        name: "kolkata-five-days",
        frequency: "${coord:days(5)}",
        rule: Rule::Days(5),
        zone: KOLKATA,
        start: "2025-11-03T04:45Z",
        end: "2026-12-30T00:00Z",
        execution: Execution::None,
        concurrency: -1,
        throttle: 1,
        timeout: ("${coord:days(3)}", 4320),
        input: Input::Nothing,
        delay_hours: (0, 0),
    },
    Plan {
        name: "never-started",
        frequency: "0 10 1,15 * *",
        rule: Rule::Daily { hour: 10, minute: 0, on: twice_a_month },
        zone: LORD_HOWE,
        start: "2026-01-01T00:00Z",
        end: "2026-12-20T00:00Z",
        execution: Execution::Fifo,
        concurrency: 0,
        throttle: 12,
        timeout: ("1440", 1440),
        input: Input::Day,
        delay_hours: (0, 40),
    },
];

impl Execution {
    /// The word of the definition.
    const fn word(self) -> &'static str {
        match self {
            Self::Fifo => "FIFO",
            Self::Lifo => "LIFO",
            Self::LastOnly => "LAST_ONLY",
            Self::None => "NONE",
        }
    }
}

impl Plan {
    /// Writes the definition below `root`; returns the properties of the job.
    pub(crate) fn write(&self, root: &Path) -> BTreeMap<String, String> {
        let folder = root.join(self.name);
        fs::create_dir_all(root.join("data").join(self.name)).expect("a folder");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("coordinator.xml"), self.definition(root)).expect("a file");
        let property = |name: &str, value: String| (name.to_owned(), value);
        BTreeMap::from([property("oozie.coord.application.path", folder.display().to_string())])
    }

    fn definition(&self, root: &Path) -> String {
        let Self { name, frequency, zone, start, end, concurrency, throttle, .. } = self;
        let (timeout, execution, root) = (self.timeout.0, self.execution.word(), root.display());
        let dataset = format!(
            r#"<datasets><dataset name="d" frequency="${{coord:days(1)}}" initial-instance="2025-10-01T00:00Z"
    timezone="UTC"><uri-template>{root}/data/{name}/${{YEAR}}${{MONTH}}${{DAY}}</uri-template><done-flag/></dataset></datasets>"#
        );
        let instances = match self.input {
            Input::Nothing => String::new(),
            Input::Day => "<instance>${coord:current(0)}</instance>".to_owned(),
            Input::ThreeDays => "<start-instance>${coord:current(-2)}</start-instance>\
                 <end-instance>${coord:current(0)}</end-instance>"
                .to_owned(),
            Input::Latest => "<instance>${coord:latest(0)}</instance>".to_owned(),
        };
        let data = if instances.is_empty() {
            String::new()
        } else {
            format!(r#"{dataset}<input-events><data-in name="i" dataset="d">{instances}</data-in></input-events>"#)
        };
        format!(
            r#"<coordinator-app name="{name}" frequency="{frequency}" start="{start}" end="{end}" timezone="{zone}"
    xmlns="uri:oozie:coordinator:0.4">
  <controls><timeout>{timeout}</timeout><concurrency>{concurrency}</concurrency><execution>{execution}</execution>
    <throttle>{throttle}</throttle></controls>
  {data}
  <action><workflow><app-path>{root}/wf</app-path></workflow></action>
</coordinator-app>
"#
        )
    }
}

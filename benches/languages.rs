//! What the languages cost (calendar, cron, expressions, XML), as ratios of two things measured side by side, on one
//! thread, in one run. Prints a line per ratio with the bound it should keep; run with
//! `cargo bench --bench languages`.
//!
//! Whatever is compared gives the same answers first. The comparison of validators needs `xmllint` and the published
//! definitions beside the project, and says so when one of them is not there.
#![allow(clippy::disallowed_methods, reason = "a benchmark meets the machine itself")]

mod measure;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::America::Los_Angeles;
use howdah_internals::{Coordinator, Cron, coordinator_problems};
use measure::{PAIRS, Pairs, program, timed};
use quick_xml::events::Event;
use quick_xml::reader::NsReader;

/// The comparisons, each by the name under which it can be asked for: `cargo bench --bench languages cron`.
const COMPARISONS: [(&str, fn()); 5] = [
    ("nominal-times", nominal_times),
    ("cron", cron),
    ("materialization", materialization),
    ("definitions", definitions),
    ("validators", validators),
];

fn main() {
    // Cargo adds `--bench` to what it was given.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    measure::head();
    for (name, compare) in COMPARISONS {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            compare();
        }
    }
}

/// The days since 1970 on which the tables of the zone have rules; the first of them are timed, because a short run is
/// seldom interrupted.
fn nominal_times() {
    let xml = coordinator("${coord:days(1)}", "1970-01-01T08:00Z", "2100-01-01T08:00Z", "America/Los_Angeles");
    let days = Coordinator::submit(&xml, &BTreeMap::new()).expect("a coordinator");
    let first = NaiveDate::from_ymd_opt(1970, 1, 1).and_then(|date| date.and_hms_opt(0, 0, 0)).expect("a midnight");
    let count = days.nominal_times().count();
    let locals = || (0_i64..).take(count).map(|day| first + TimeDelta::days(day));
    assert!(days.nominal_times().eq(locals().map(instant)), "both give the same times");
    let timed_days = 10_000;
    let ours = || timed(|| assert_ne!(days.nominal_times().take(timed_days).fold(0, i64::wrapping_add), 0));
    let theirs = || timed(|| assert_ne!(locals().take(timed_days).map(instant).fold(0, i64::wrapping_add), 0));
    let what = format!("{timed_days} nominal times of coord:days(1) / chrono-tz local to UTC");
    Pairs::measure(MANY, ours, theirs).report(&what, 1.3);
}

/// The one conversion by chrono-tz per time.
fn instant(local: NaiveDateTime) -> i64 {
    Los_Angeles.from_local_datetime(&local).latest().expect("midnight exists").timestamp()
}

/// Expressions that both engines understand, from often to seldom.
const EXPRESSIONS: [&str; 14] = [
    "* * * * ?",
    "*/5 * * * ?",
    "0/15 8-18 ? * MON-FRI",
    "0 * * * ?",
    "30 0/6 * * ?",
    "0 2 * * ?",
    "15 6,18 * * ?",
    "0 9 ? * MON-FRI",
    "45 23 ? * SAT,SUN",
    "0 4 ? * 2",
    "0 0 1,15 * ?",
    "10 3 31 * ?",
    "0 12 1 1/3 ?",
    "0 0 1 1 ?",
];

/// Firing times asked for per expression and run.
const FIRINGS: usize = 500;

fn cron() {
    let start = DateTime::from_timestamp(1_420_070_400, 0).expect("the year 2015");
    let mut all = Vec::new();
    for text in EXPRESSIONS {
        let ours = Cron::parse(text).expect("an expression");
        let theirs = ::cron::Schedule::from_str(&format!("0 {text}")).expect("an expression with seconds");
        // The other engine ends with the year 2100.
        let count = theirs.after(&start).take(FIRINGS).count();
        let walk = || std::iter::successors(ours.next(start.timestamp()), |at| ours.next(*at)).take(count);
        let expected = || theirs.after(&start).take(count).map(|at: DateTime<Utc>| at.timestamp());
        assert!(walk().eq(expected()), "both give the same times: {text}");
        let pairs = Pairs::measure(
            MANY,
            || timed(|| assert_ne!(walk().fold(0, i64::wrapping_add), 0)),
            || timed(|| assert_ne!(expected().fold(0, i64::wrapping_add), 0)),
        );
        pairs.report(&format!("{count} times cron next, {text} / cron crate"), 0.5);
        all.push(pairs);
    }
    sum(&all).report("cron next, all of these / cron crate", 0.5);
}

/// The sum of several comparisons, pair by pair.
fn sum(all: &[Pairs]) -> Pairs {
    let total = |n: usize| {
        let sum = |part: fn(&(Duration, Duration)) -> Duration| all.iter().map(|pairs| part(&pairs.0[n])).sum();
        (sum(|pair| pair.0), sum(|pair| pair.1))
    };
    Pairs((0..MANY).map(total).collect())
}

/// Pairs of runs inside this process, each so short that many are never interrupted.
const MANY: usize = 100;

/// How often a run does what takes microseconds.
const REPEATED: usize = 20;

/// A range of 24 hourly instances, one output, a configuration of four values, everything as text.
fn materialization() {
    let job = BTreeMap::from([("nameNode".to_owned(), "hdfs://nn:8020".to_owned())]);
    let coordinator = Coordinator::submit(HOURS_OF_A_DAY, &job).expect("a coordinator");
    let nominal: Vec<i64> = coordinator.nominal_times().take(REPEATED).collect();
    assert_eq!(nominal.len(), REPEATED);
    let ready: Vec<Numbers> = nominal.iter().map(|nominal| Numbers::before(*nominal)).collect();
    for (nominal, numbers) in nominal.iter().zip(&ready) {
        let action = coordinator.action(ACTION_ID, *nominal).expect("an action");
        assert_eq!(action.texts(), numbers.write(), "both give the same texts");
    }
    let ours = || {
        timed(|| {
            for nominal in &nominal {
                black_box(coordinator.action(ACTION_ID, *nominal).expect("an action"));
            }
        })
    };
    let theirs = || {
        timed(|| {
            for numbers in &ready {
                black_box(numbers.write());
            }
        })
    };
    let what = format!("{REPEATED} actions of 24 instances, 1 output, 4 values / write! from numbers");
    Pairs::measure(MANY, ours, theirs).report(&what, 1.2);
}

const ACTION_ID: &str = "0000000-150101000000000-oozie-test-C@1";

const HOURS_OF_A_DAY: &str = r#"<coordinator-app name="bench" frequency="${coord:days(1)}" start="2015-01-02T00:00Z"
    end="2016-01-01T00:00Z" timezone="UTC" xmlns="uri:oozie:coordinator:0.4">
  <datasets>
    <dataset name="logs" frequency="${coord:hours(1)}" initial-instance="2015-01-01T00:00Z" timezone="UTC">
      <uri-template>${nameNode}/data/raw/logs/${YEAR}/${MONTH}/${DAY}/${HOUR}</uri-template>
    </dataset>
    <dataset name="stats" frequency="${coord:days(1)}" initial-instance="2015-01-01T00:00Z" timezone="UTC">
      <uri-template>${nameNode}/data/derived/stats/${YEAR}/${MONTH}/${DAY}</uri-template>
    </dataset>
  </datasets>
  <input-events>
    <data-in name="in" dataset="logs">
      <start-instance>${coord:current(-24)}</start-instance>
      <end-instance>${coord:current(-1)}</end-instance>
    </data-in>
  </input-events>
  <output-events>
    <data-out name="out" dataset="stats"><instance>${coord:current(0)}</instance></data-out>
  </output-events>
  <action>
    <workflow>
      <app-path>/apps/stats</app-path>
      <configuration>
        <property><name>input</name><value>${coord:dataIn('in')}</value></property>
        <property><name>output</name><value>${coord:dataOut('out')}</value></property>
        <property><name>day</name><value>${coord:formatTime(coord:nominalTime(), 'yyyy-MM-dd')}</value></property>
        <property><name>marker</name><value>${nameNode}/tmp/${coord:actionId()}</value></property>
      </configuration>
    </workflow>
  </action>
</coordinator-app>"#;

/// The numbers in the texts of an action, ready to be written.
struct Numbers {
    hours: Vec<[u32; 4]>,
    day: [u32; 3],
}

impl Numbers {
    /// Those of the action at a nominal time, in seconds.
    fn before(nominal: i64) -> Self {
        let fields = |seconds: i64| {
            let at = DateTime::from_timestamp(seconds, 0).expect("a time of this century");
            let number = |format: &str| at.format(format).to_string().parse().expect("a number");
            [number("%Y"), number("%m"), number("%d"), number("%H")]
        };
        let [year, month, day, _] = fields(nominal);
        Self { hours: (1..=24).rev().map(|hours| fields(nominal - hours * 3600)).collect(), day: [year, month, day] }
    }

    /// The texts, each written into a `String` of its own, as the action has them.
    fn write(&self) -> Vec<String> {
        let mut texts = Vec::with_capacity(2 * self.hours.len() + 10);
        let mut input = String::new();
        for [year, month, day, hour] in &self.hours {
            let mut uri = String::new();
            let _ = write!(uri, "hdfs://nn:8020/data/raw/logs/{year}/{month:02}/{day:02}/{hour:02}");
            let mut dependency = String::new();
            let _ = write!(dependency, "{uri}/_SUCCESS");
            let separator = if input.is_empty() { "" } else { "," };
            let _ = write!(input, "{separator}{uri}");
            texts.extend([uri, dependency]);
        }
        let [year, month, day] = self.day;
        let mut output = String::new();
        let _ = write!(output, "hdfs://nn:8020/data/derived/stats/{year}/{month:02}/{day:02}");
        let mut dependency = String::new();
        let _ = write!(dependency, "{output}/_SUCCESS");
        let mut date = String::new();
        let _ = write!(date, "{year}-{month:02}-{day:02}");
        let mut marker = String::new();
        let _ = write!(marker, "hdfs://nn:8020/tmp/{ACTION_ID}");
        texts.extend([output.clone(), dependency]);
        let named = [("day", date), ("input", input), ("marker", marker), ("output", output)];
        texts.extend(named.into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
        texts
    }
}

/// A coordinator of a hundred lines.
fn definitions() {
    let xml = hundred_lines();
    assert_eq!(xml.lines().count(), 100);
    let job = BTreeMap::from([("nameNode".to_owned(), "hdfs://nn:8020".to_owned())]);
    assert!(Coordinator::submit(&xml, &job).is_ok(), "{:?}", Coordinator::submit(&xml, &job).err());
    assert_eq!(coordinator_problems(&xml), 0);
    let theirs = || {
        timed(|| {
            for _ in 0..REPEATED {
                assert_ne!(read_to_the_end(black_box(&xml)), 0);
            }
        })
    };
    let submitting = || {
        timed(|| {
            for _ in 0..REPEATED {
                assert!(Coordinator::submit(black_box(&xml), &job).is_ok());
            }
        })
    };
    let what = format!("{REPEATED} times submitting 100 lines of XML / quick-xml's NsReader");
    Pairs::measure(MANY, submitting, theirs).report(&what, 3.0);
    let validating = || {
        timed(|| {
            for _ in 0..REPEATED {
                assert_eq!(coordinator_problems(black_box(&xml)), 0);
            }
        })
    };
    let what = format!("{REPEATED} times validating 100 lines of XML / quick-xml's NsReader");
    Pairs::measure(MANY, validating, theirs).report(&what, 3.0);
}

/// How many events there are, every name resolved to its namespace.
fn read_to_the_end(xml: &str) -> usize {
    let mut reader = NsReader::from_str(xml);
    let mut events = 0;
    loop {
        match reader.read_resolved_event().expect("well formed") {
            (_, Event::Eof) => return events,
            event => {
                black_box(&event);
                events += 1;
            }
        }
    }
}

/// Six datasets, five inputs, two outputs, a configuration: the shape of a published coordinator.
fn hundred_lines() -> String {
    let mut xml = String::from(HEAD);
    let _ = writeln!(xml, "  <datasets>");
    for name in ["webrequest", "pageview", "mediacounts", "projectview", "stats", "report"] {
        let _ = write!(
            xml,
            r#"    <dataset name="{name}_hourly" frequency="${{coord:hours(1)}}"
             initial-instance="2014-04-01T00:00Z" timezone="Universal">
      <uri-template>${{nameNode}}/wmf/data/{name}/year=${{YEAR}}/month=${{MONTH}}/day=${{DAY}}/hour=${{HOUR}}</uri-template>
      <done-flag>_SUCCESS</done-flag>
    </dataset>
"#
        );
    }
    let _ = writeln!(xml, "  </datasets>\n  <input-events>");
    for name in ["webrequest", "pageview", "mediacounts", "projectview", "stats"] {
        let _ = write!(
            xml,
            r#"    <data-in name="{name}_input" dataset="{name}_hourly">
      <start-instance>${{coord:current(-23)}}</start-instance>
      <end-instance>${{coord:current(0)}}</end-instance>
    </data-in>
"#
        );
    }
    let _ = writeln!(xml, "  </input-events>\n  <output-events>");
    for name in ["stats", "report"] {
        let _ = write!(
            xml,
            r#"    <data-out name="{name}_output" dataset="{name}_hourly">
      <instance>${{coord:current(0)}}</instance>
    </data-out>
"#
        );
    }
    xml.push_str(ACTION);
    xml
}

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<coordinator-app xmlns="uri:oozie:coordinator:0.4" name="stats-coord"
    frequency="${coord:days(1)}" start="2014-04-01T00:00Z" end="2020-01-01T00:00Z" timezone="Universal">
  <!-- The statistics of a day, from the requests, views and counts of its hours. -->
  <controls>
    <timeout>-1</timeout>
    <concurrency>2</concurrency>
    <execution>FIFO</execution>
    <throttle>4</throttle>
  </controls>
"#;

const ACTION: &str = r"  </output-events>
  <action>
    <workflow>
      <app-path>${nameNode}/apps/stats/workflow.xml</app-path>
      <configuration>
        <property>
          <name>webrequests</name>
          <value>${coord:dataIn('webrequest_input')}</value>
        </property>
        <property>
          <name>pageviews</name>
          <value>${coord:dataIn('pageview_input')}</value>
        </property>
        <property>
          <name>counts</name>
          <value>${coord:dataIn('mediacounts_input')}</value>
        </property>
        <property>
          <name>destination</name>
          <value>${coord:dataOut('stats_output')}</value>
        </property>
        <property>
          <name>day</name>
          <value>${coord:formatTime(coord:nominalTime(), 'yyyy-MM-dd')}</value>
        </property>
      </configuration>
    </workflow>
  </action>
</coordinator-app>
";

/// `howdah validate` and `xmllint` on the published definitions, as whole processes.
fn validators() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(verdicts) = fs::read_to_string(corpus.join("VERDICTS.tsv")) else {
        return println!("howdah validate: there are no published definitions at {}", corpus.display());
    };
    let Some(xmllint) = program("xmllint") else {
        return println!("howdah validate: no xmllint command to compare with");
    };
    let files: Vec<&str> = verdicts.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let schema = permissive_schemas(folder.path());
    let howdah = || {
        let mut howdah = measure::howdah();
        howdah.current_dir(&corpus).arg("validate");
        howdah
    };
    let theirs = || {
        let mut xmllint = Command::new(&xmllint);
        xmllint.current_dir(&corpus).args(["--noout", "--schema"]).arg(&schema).args(&files);
        // 1: something is not well formed; 3: something is not valid.
        measure::run(&mut xmllint, &[1, 3])
    };
    let named = || measure::run(howdah().args(&files), &[1]);
    let what = format!("howdah validate {} files / one xmllint, schemas that allow all", files.len());
    Pairs::measure(PAIRS, named, theirs).report(&what, 1.0);
    let found = || measure::run(howdah().arg("."), &[1]);
    let what = "howdah validate their folder, finding them / the same xmllint";
    Pairs::measure(PAIRS, found, theirs).report(what, 1.0);
    let Some(schema) = published_schemas(folder.path()) else {
        return println!("howdah validate: the published schemas are not beside the project");
    };
    let theirs = || {
        let mut xmllint = Command::new(&xmllint);
        xmllint.current_dir(&corpus).args(["--noout", "--schema"]).arg(&schema).args(&files);
        measure::run(&mut xmllint, &[1, 3])
    };
    let what = "howdah validate their folder, finding them / one xmllint, published schemas";
    Pairs::measure(PAIRS, found, theirs).report(what, 0.3);
}

/// A schema that imports those that Oozie publishes; `None` when they are not beside the project.
fn published_schemas(folder: &Path) -> Option<PathBuf> {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/xsd").canonicalize().ok()?;
    // Of two files that declare one namespace, `xmllint` takes one: that of the shorter name.
    let mut imports = BTreeMap::new();
    for entry in fs::read_dir(schemas).ok()? {
        let file = entry.ok()?.path();
        let text = fs::read_to_string(&file).ok()?;
        let namespace = text.split_once("targetNamespace=\"").and_then(|(_, rest)| rest.split_once('"'));
        if let Some((namespace, _)) = namespace.filter(|_| file.extension().is_some_and(|end| end == "xsd")) {
            let known = imports.entry(namespace.to_owned()).or_insert_with(|| file.clone());
            if file.as_os_str().len() < known.as_os_str().len() {
                *known = file;
            }
        }
    }
    let mut all = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">"#.to_owned();
    for (namespace, file) in &imports {
        let _ = write!(all, r#"<xs:import namespace="{namespace}" schemaLocation="{}"/>"#, file.display());
    }
    all.push_str(r#"<xs:element name="datasets" type="xs:anyType"/></xs:schema>"#);
    let path = folder.join("published.xsd");
    fs::write(&path, all).ok()?;
    Some(path)
}

/// A schema for each namespace that declares the root element and says nothing of what is inside, and one that
/// imports them all. It favours `xmllint`, which has nothing to check against it: the published schemas are not part
/// of this project.
fn permissive_schemas(folder: &Path) -> PathBuf {
    let roots = [
        ("coordinator", "coordinator-app", &["0.1", "0.2", "0.3", "0.4", "0.5"][..]),
        ("workflow", "workflow-app", &["0.1", "0.2", "0.2.5", "0.3", "0.4", "0.4.5", "0.5", "1.0"]),
        ("bundle", "bundle-app", &["0.1", "0.2"]),
    ];
    let open = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema""#;
    let mut all = format!("{open}>");
    for (family, root, versions) in roots {
        for version in versions {
            let (namespace, file) = (format!("uri:oozie:{family}:{version}"), format!("{family}-{version}.xsd"));
            let one = format!(
                r#"{open} targetNamespace="{namespace}"><xs:element name="{root}" type="xs:anyType"/></xs:schema>"#
            );
            fs::write(folder.join(&file), one).expect("a file");
            let _ = write!(all, r#"<xs:import namespace="{namespace}" schemaLocation="{file}"/>"#);
        }
    }
    // Included datasets have no namespace; imports come before everything else of a schema.
    all.push_str(r#"<xs:element name="datasets" type="xs:anyType"/></xs:schema>"#);
    let path = folder.join("all.xsd");
    fs::write(&path, all).expect("a file");
    path
}

/// A coordinator without data.
fn coordinator(frequency: &str, start: &str, end: &str, zone: &str) -> String {
    format!(
        r#"<coordinator-app name="bench" frequency="{frequency}" start="{start}" end="{end}" timezone="{zone}"
 xmlns="uri:oozie:coordinator:0.4"><action><workflow><app-path>/nowhere</app-path></workflow></action></coordinator-app>"#
    )
}

//! Writes exports of an Oozie database as Oozie's own tool does: rows of JSON, packed texts as lists of signed bytes,
//! dates of the machine's own zone without a zone.

use crate::sandbox::project;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use chrono::{DateTime, NaiveDateTime, TimeZone as _};
use chrono_tz::Tz;
use serde_json::{Map, Value, json};

/// The machine on which an export is written.
#[derive(Clone, Copy)]
pub struct Machine {
    pub zone: Tz,
    /// How its Java writes dates, in chrono's letters.
    pub format: &'static str,
}

/// What Gson writes.
const USUAL: &str = "%b %-d, %Y %-I:%M:%S %p";

/// Machines in zones whose clocks change, or that are not a whole number of hours from UTC, with the formats that
/// versions of Java and Gson write.
pub const ELSEWHERE: [Machine; 9] = [
    Machine { zone: Tz::Europe__Berlin, format: "%b %-d, %Y, %-I:%M:%S %p" },
    Machine { zone: Tz::Europe__London, format: "%b %-d, %Y, %-I:%M:%S\u{202f}%p" },
    Machine { zone: Tz::Asia__Kolkata, format: "%b %-d, %Y at %-I:%M:%S\u{a0}%p" },
    Machine { zone: Tz::Asia__Kathmandu, format: USUAL },
    Machine { zone: Tz::Australia__Lord_Howe, format: "%b %-d, %Y %H:%M:%S" },
    Machine { zone: Tz::America__St_Johns, format: USUAL },
    Machine { zone: Tz::America__Sao_Paulo, format: "%b %-d, %Y, %H:%M:%S" },
    Machine { zone: Tz::Pacific__Chatham, format: "%b %-d, %Y %-I:%M:%S\u{202f}%p" },
    Machine { zone: Tz::Africa__Cairo, format: USUAL },
];

/// A machine in UTC.
pub const IN_UTC: Machine = Machine { zone: Tz::UTC, format: USUAL };

/// A machine in Los Angeles with a recent Java.
pub const IN_LOS_ANGELES: Machine =
    Machine { zone: Tz::America__Los_Angeles, format: "%b %-d, %Y %-I:%M:%S\u{202f}%p" };

impl Machine {
    /// Writes an instant of UTC.
    fn date(self, at: NaiveDateTime) -> String {
        let local = self.zone.from_utc_datetime(&at);
        local.format(self.format).to_string()
    }

    /// Rewrites the dates of a line that a machine in UTC has written.
    pub fn rewrite(self, line: &str) -> String {
        let rewritten = line.split('"').map(|piece| {
            let date = NaiveDateTime::parse_from_str(piece, "%b %d, %Y %I:%M:%S %p");
            date.map_or_else(|_| piece.to_owned(), |date| self.date(date))
        });
        rewritten.collect::<Vec<_>>().join("\"")
    }
}

/// Packs a text as Oozie does.
pub fn blob(text: &str) -> Value {
    let mut bytes = b"OBJ\0\0\0\x01\0\0\0\x01\0\x05codec\0\x02gz".to_vec();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).expect("packing in memory");
    bytes.extend(packed.finish().expect("packing in memory"));
    json!({ "rawBlob": bytes.into_iter().map(u8::cast_signed).collect::<Vec<i8>>() })
}

/// The tables of an export, as lines.
pub type Tables = BTreeMap<&'static str, Vec<String>>;

/// Packs tables into a zip file.
pub fn zip(path: &Path, tables: &Tables) {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, lines) in tables {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("an entry");
        for line in lines {
            writeln!(writer, "{line}").expect("a line");
        }
    }
    fs::write(path, writer.finish().expect("an archive").into_inner()).expect("a file");
}

/// One job of `fixtures/backtest`: its folder, and the lines of its `job.txt`.
struct Job<'a> {
    id: String,
    folder: &'a Path,
    text: &'a str,
}

/// Builds the export of the jobs of `fixtures/backtest`, as a machine writes it. `change` gets each job's name and the
/// text of its `job.txt`.
pub fn fixture(machine: Machine, change: impl Fn(&str, String) -> String) -> Tables {
    let root = project().join("fixtures/backtest");
    let mut tables = Tables::new();
    for (name, number) in ["daily", "hourly", "cron", "logic"].into_iter().zip(1..) {
        let folder = root.join(name);
        let text = change(name, fs::read_to_string(folder.join("job.txt")).expect("a fixture"));
        let id = format!("{number:07}-260101000000000-oozie-test-C");
        Job { id, folder: &folder, text: &text }.add(&mut tables, machine);
    }
    let bundle = json!({
        "id": "0000009-260101000000000-oozie-test-B",
        "appName": "nightly",
        "user": "ann",
        "statusStr": "RUNNING",
        "appPath": "hdfs://nn:8020/apps/nightly",
        "origJobXml": blob(
            "<bundle-app name='nightly' xmlns='uri:oozie:bundle:0.2'><coordinator name='hourly'>\
             <app-path>hdfs://nn:8020/apps/hourly</app-path></coordinator></bundle-app>"
        ),
        "conf": blob("<configuration/>"),
    });
    tables.insert("ooziedb_bnj.json", vec![bundle.to_string()]);
    tables
}

/// The lines of a block: `name = value`, or `kind name = value`.
fn entries<'a>(block: &'a str, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let entry = move |line: &'a str| line.strip_prefix(kind)?.strip_prefix(' ')?.split_once(" = ");
    block.lines().filter_map(entry)
}

fn entry<'a>(block: &'a str, name: &str) -> Option<&'a str> {
    block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))
}

fn instant(text: &str) -> NaiveDateTime {
    let format = format!("{}:00Z", text.trim_end_matches('Z'));
    DateTime::parse_from_rfc3339(&format).expect("a time of a fixture").naive_utc()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

impl Job<'_> {
    fn add(&self, tables: &mut Tables, machine: Machine) {
        let mut blocks = self.text.split("\n\n");
        let head = blocks.next().expect("the lines of the job");
        tables.entry("ooziedb_cj.json").or_default().push(self.row(head, machine));
        for (block, number) in blocks.zip(1..) {
            self.add_action(block, (head, number), tables, machine);
        }
    }

    fn configuration(head: &str) -> String {
        let property = |(name, value): (&str, &str)| {
            format!("<property><name>{name}</name><value>{}</value></property>", escaped(value))
        };
        let properties: String = entries(head, "conf").map(property).collect();
        format!("<configuration>{properties}</configuration>")
    }

    fn row(&self, head: &str, machine: Machine) -> String {
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).expect("a fixture");
        let (definition, resolved) = (read("coordinator.xml"), read("resolved.xml"));
        let (_, start) = resolved.split_once(" start=\"").expect("a start");
        let start = instant(start.split('"').next().expect("a start"));
        let text = |name: &str| entry(head, name).unwrap_or_default().to_owned();
        let numbers =
            self.text.lines().filter_map(|line| line.strip_prefix("action ")?.split(' ').next()?.parse().ok());
        let last: u32 = numbers.max().expect("an action");
        let folder = self.folder.file_name().expect("a name").to_string_lossy();
        let mut row = json!({
            "id": self.id,
            "user": "ann",
            // One of them is over.
            "statusStr": if folder == "logic" { "SUCCEEDED" } else { "RUNNING" },
            "appPath": format!("hdfs://nn:8020/apps/{folder}"),
            "lastActionNumber": last,
            "endTimestamp": machine.date(start + chrono::Duration::days(60)),
            "doneMaterialization": 0,
            "appName": text("name"),
            "conf": blob(&Self::configuration(head)),
            "frequency": text("frequency"),
            "timeUnitStr": text("unit"),
            "timeZone": text("zone"),
            "execution": text("execution"),
            "timeOut": text("timeout").parse::<i64>().expect("a number"),
            "concurrency": 1,
            "startTimestamp": machine.date(start),
            "jobXml": blob(&resolved),
            "origJobXml": blob(&definition),
            "actions": [],
        });
        if entry(head, "bundle").is_some() {
            row["bundleId"] = "0000009-260101000000000-oozie-test-B".into();
        }
        // As Gson does.
        row.to_string().replace("${", "$\\u007b")
    }

    fn add_action(&self, block: &str, (head, number): (&str, u32), tables: &mut Tables, machine: Machine) {
        let mut words = block.lines().next().expect("a line").split(' ').skip(1);
        let mut word = || words.next().expect("number, nominal time and status");
        let (action, nominal, status) = (word(), word(), word());
        let date = |name: &str| entry(block, name).map(|at| machine.date(instant(at)));
        let mut row = Map::new();
        row.insert("id".to_owned(), format!("{}@{action}", self.id).into());
        row.insert("jobId".to_owned(), self.id.clone().into());
        row.insert("statusStr".to_owned(), status.into());
        row.insert("actionNumber".to_owned(), action.parse::<u32>().expect("a number").into());
        row.insert("nominalTimestamp".to_owned(), machine.date(instant(nominal)).into());
        row.insert("createdTimestamp".to_owned(), date("created").into());
        row.insert("lastModifiedTimestamp".to_owned(), date("started").or_else(|| date("created")).into());
        let timeout = entry(block, "timeout").or_else(|| entry(head, "timeout")).expect("a timeout");
        row.insert("timeOut".to_owned(), timeout.parse::<i64>().expect("a number").into());
        row.insert("createdConf".to_owned(), blob(&Self::configuration(head)));
        row.insert("actionXml".to_owned(), blob(&document(block, (action, nominal))));
        row.insert("missingDependencies".to_owned(), blob(&missing(block)));
        if let Some(started) = date("started") {
            let id = format!("{number:07}{}-W", self.id.trim_start_matches(|digit: char| digit.is_ascii_digit()));
            let id = id.replace("-test-C", &format!("-test{}", &self.id[6..7]));
            row.insert("externalId".to_owned(), id.clone().into());
            let workflow = json!({ "id": id, "createdTimestamp": started, "run": 0 });
            tables.entry("ooziedb_wf.json").or_default().push(workflow.to_string());
        }
        tables.entry("ooziedb_ca.json").or_default().push(Value::Object(row).to_string());
    }
}

/// The document of an action as Oozie resolved it.
fn document(block: &str, (number, nominal): (&str, &str)) -> String {
    let mut xml = format!(
        "<coordinator-app instance-number=\"{number}\" action-nominal-time=\"{nominal}\" action-actual-time=\"{}\">",
        entry(block, "created").expect("when it was created")
    );
    // Writing to a String cannot fail.
    let _ = write!(xml, "<input-events>");
    for (name, uris) in entries(block, "in") {
        let _ = write!(xml, "<data-in name=\"{name}\"><uris>{uris}</uris></data-in>");
    }
    for (name, functions) in entries(block, "later") {
        let _ =
            write!(xml, "<data-in name=\"{name}\"><unresolved-instances>{functions}</unresolved-instances></data-in>");
    }
    let _ = write!(xml, "</input-events>\r\n<output-events>");
    for (name, uris) in entries(block, "out") {
        let _ = write!(xml, "<data-out name=\"{name}\"><uris>{uris}</uris></data-out>");
    }
    let path = entry(block, "path").expect("the path of a workflow");
    let _ = write!(xml, "</output-events><action><workflow><app-path>{path}</app-path><configuration>");
    for (name, value) in entries(block, "set") {
        let _ = write!(xml, "<property><name>{name}</name><value>{}</value></property>", escaped(value));
    }
    xml + "</configuration></workflow></action></coordinator-app>"
}

/// What an action waits for: a list, or the bytes of an input logic, each as one character.
fn missing(block: &str) -> String {
    let events: Vec<(&str, &str)> = entries(block, "logic").collect();
    if events.is_empty() {
        return entry(block, "missing").unwrap_or_default().to_owned();
    }
    let mut bytes = Vec::new();
    let count = |bytes: &mut Vec<u8>, count: usize| bytes.extend(u32::try_from(count).expect("few").to_be_bytes());
    count(&mut bytes, 3);
    bytes.extend(b"V=1\x01");
    count(&mut bytes, events.len());
    for (name, list) in events {
        let words: Vec<&str> = list.split(' ').collect();
        count(&mut bytes, name.len());
        bytes.extend(name.as_bytes());
        count(&mut bytes, words.len() / 2);
        for pair in words.chunks(2) {
            bytes.extend(u16::try_from(pair[0].len()).expect("short").to_be_bytes());
            bytes.extend(pair[0].as_bytes());
            bytes.push(u8::from(pair[1] == "1"));
        }
    }
    count(&mut bytes, 0);
    "::$".chars().chain(bytes.into_iter().map(char::from)).collect()
}

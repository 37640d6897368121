//! The texts of the fixtures, by kind: the inputs of the vectors, and the definitions beside them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::in_project;

/// Sets of vectors and the fields of a record's input that hold texts of a kind.
const FIELDS: [(&str, &str, &[&str]); 12] = [
    ("cron", "cron", &["expr"]),
    ("cron", "nominal-times", &["frequency", "frequency_text"]),
    ("datetime", "datetime", &["text", "timezone"]),
    ("el", "el-language", &["expr"]),
    ("el", "el-functions", &["expr"]),
    ("el", "wf-el", &["expr"]),
    ("filter", "instances", &["uri_template"]),
    ("properties", "properties", &["text"]),
    ("xml", "schema", &["xml"]),
    ("xml", "wf-graph", &["xml"]),
    ("xml", "materialized-action", &["xml"]),
    ("xml", "configuration", &["xml"]),
];

/// Filters; there are no vectors for them.
const FILTERS: [&str; 6] = [
    "status=RUNNING;name=daily;user=u;id=0000000-1-oozie-oozi-C",
    "status=FAILED;status!=KILLED",
    "nominaltime>=2009-01-01T00:00Z;nominaltime<2010-01-01T00:00Z",
    "nominaltime = 2009-01-01T00:00Z ; status = waiting",
    "hcat://h:1/db/t/dt=12;region=us",
    "hdfs://nn:8020/a/${YEAR}/${MONTH}/${DAY}/${HOUR}/${MINUTE}",
];

/// Requests to a server; there are no vectors for them.
const REQUESTS: [&str; 14] = [
    "GET /oozie/v1/jobs?jobtype=coord&filter=status%3DRUNNING&offset=1&len=50",
    "GET /oozie/v2/jobs?jobtype=wf&filter=status=PREP;name=copy&timezone=Europe/Vienna",
    "GET /oozie/v1/jobs?bulk=bundle%3Dx%3BactionStatus%3DRUNNING",
    "GET /oozie/v1/job/hourly@4?show=info",
    "GET /oozie/v2/job/hourly?show=info&len=2&offset=2&order=desc&filter=status%3DWAITING",
    "GET /oozie/v2/job/hourly?show=missing-dependencies&action-list=1-4",
    "GET /oozie/v1/job/copy?show=log&logfilter=recent%3D1h%3Blimit%3D3",
    "GET /oozie/v1/job/copy?show=graph&format=dot&show-kill=true",
    "GET /oozie/v1/job/copy@make?show=retries",
    "GET /oozie/v2/sla?filter=app_name%3Dx%3Bnominal_start%3D2026-01-01T00%3A00Z",
    "GET /oozie/v1/admin/instrumentation",
    "GET /job/hourly/calendar?month=2026-01",
    "GET /?type=wf&filter=status%3DKILLED",
    "PUT /oozie/v1/job/hourly?action=kill&type=action&scope=1-3",
];

/// Every text of a kind, each once.
pub(crate) fn texts(kind: &str) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for (_, set, fields) in FIELDS.iter().filter(|(of, ..)| *of == kind) {
        let records = fs::read_to_string(in_project(&format!("fixtures/vectors/{set}.jsonl"))).unwrap();
        for record in records.lines() {
            let record: Value = serde_json::from_str(record).unwrap();
            let found = fields.iter().filter_map(|field| record["input"][*field].as_str());
            texts.extend(found.map(str::to_owned));
        }
    }
    match kind {
        "filter" => texts.extend(FILTERS.map(str::to_owned)),
        "request" => {
            let head = |line: &str| format!("{line} HTTP/1.1\r\nHost: localhost:11000\r\n\r\n");
            texts.extend(REQUESTS.map(head));
            let xml = "Host: localhost\r\nContent-Type: application/xml\r\n\r\n<workflow-app name='x'/>";
            texts.insert(format!("POST /oozie/v1/validate HTTP/1.1\r\n{xml}"));
        }
        "properties" | "xml" => add_files(&in_project("fixtures"), kind, &mut texts),
        _ => {}
    }
    texts
}

/// The files below a folder whose name ends with the kind.
fn add_files(folder: &Path, kind: &str, texts: &mut BTreeSet<String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            add_files(&path, kind, texts);
        } else if path.extension().is_some_and(|extension| extension == kind) {
            texts.extend(fs::read_to_string(&path));
        }
    }
}

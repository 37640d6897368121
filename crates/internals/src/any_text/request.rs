//! Requests to `serve`: the head as a client sends it, then the body.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::storing::{Filling, fill};
use howdah::Alone;
use howdah_host::web::{Answer, Request};

const COORDINATOR: &str = "<coordinator-app xmlns='uri:oozie:coordinator:0.5' name='hourly' \
    frequency='${coord:hours(1)}' start='2026-01-01T00:00Z' end='2027-01-01T00:00Z' timezone='UTC'><action><workflow>\
    <app-path>/nothing</app-path></workflow></action></coordinator-app>";
const WORKFLOW: &str = "<workflow-app xmlns='uri:oozie:workflow:0.5' name='copy'><start to='make'/><action name='make'>\
    <fs><mkdir path='/nothing/x'/></fs><ok to='end'/><error to='end'/></action><end name='end'/></workflow-app>";

/// Statuses that are an answer to a broken request too; 500 is a defect.
const STATUSES: [u16; 11] = [200, 302, 400, 401, 403, 404, 405, 413, 415, 503, 504];

/// Answers the request from a small database, as a server that only reads does, and checks the answer.
pub(super) fn holds(text: &str) {
    let Some(request) = Request::of_text(text) else { return };
    assert_eq!(Request::from_message(request.clone().into_message()).as_ref(), Some(&request));
    let answer = server().answer(&request, false);
    assert!(STATUSES.contains(&answer.status), "{request:?}: {answer:?}");
    if matches!(request.method.as_str(), "POST" | "PUT") {
        let is_tried = request.path.len() == 3 && request.path[2] == "validate";
        assert!(is_tried || answer.status >= 400, "{request:?}: {answer:?}");
    }
    let header = |(_, value): &(_, String)| value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    assert!(answer.headers.iter().all(header), "{answer:?}");
    check_body(&answer);
    assert_eq!(Answer::from_message(answer.clone().into_message()), Some(answer));
}

/// Checks that a document can be read, and that a page has no script.
fn check_body(answer: &Answer) {
    let body = std::str::from_utf8(&answer.body).expect("every answer is a text");
    match answer.header("content-type").unwrap_or_default() {
        json if json.starts_with("application/json") => drop(serde_json::from_str::<Value>(body).expect("JSON")),
        html if html.starts_with("text/html") => {
            assert!(!body.to_ascii_lowercase().contains("<script"), "{body}");
            assert!(answer.header("content-security-policy").is_some(), "{answer:?}");
        }
        _ => {}
    }
}

/// A server on a database with a workflow job and two coordinators, which is made once.
fn server() -> &'static Alone {
    static SERVER: OnceLock<Alone> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = folder();
        let site = write(&folder, "site.properties", "");
        let server = Alone { db: folder.join("howdah.db"), site, now: "2026-11-20T09:30Z".to_owned() };
        write(&folder, "workflow.xml", WORKFLOW);
        write(&folder, "coordinator.xml", COORDINATOR);
        for kind in ["coord", "wf"] {
            let property =
                |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
            let path = property(&format!("oozie.{kind}.application.path"), &folder.display().to_string());
            let body = format!("<configuration>{path}{}</configuration>", property("user.name", &own_name()));
            let head = "POST /oozie/v2/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\n\r\n";
            let request = Request::of_text(&format!("{head}{body}")).expect("a request");
            let answer = server.answer(&request, true);
            assert_eq!(answer.status, 201, "{answer:?}");
            if kind == "coord" {
                fill(&server.db, Filling { coordinators: 2, finished: 3, waiting: 1 });
            }
        }
        server
    })
}

fn own_name() -> String {
    howdah_host::environment::user_name().expect("a user")
}

/// Makes an empty folder for this process, and removes those of processes that have ended.
#[expect(clippy::disallowed_methods, reason = "a test makes files")]
fn folder() -> PathBuf {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp/requests");
    let own = std::process::id().to_string();
    std::fs::create_dir_all(&all).expect("a folder");
    for entry in std::fs::read_dir(&all).expect("a folder").flatten() {
        let of = entry.file_name().to_string_lossy().into_owned();
        if of == own || !Path::new("/proc").join(of).is_dir() {
            // Another process may remove it too.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let folder = all.join(own);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[expect(clippy::disallowed_methods, reason = "a test makes files")]
fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

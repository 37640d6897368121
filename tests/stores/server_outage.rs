//! Actions whose files are on a server that gives no answer for a while: they wait, say why, and do nothing twice.
//!
//! The server is a small WebHDFS over a folder of the sandbox: a test decides which of its requests fail.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use howdah_sandbox::engines;
use howdah_sandbox::http_message::{Message, WithoutLength};
use howdah_sandbox::one_action::{attempt, begin, outcome};
use howdah_sandbox::sandbox::{Sandbox, wait_for};

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Answers,
    HangsUp,
    /// The connection ends in the middle of the content.
    HalfContent,
}

/// Decides about a request by its operation and by how often that was asked for, from 1.
type Plan = dyn Fn(&str, usize) -> Manner + Send + Sync;

/// A server of the files in `store` of the sandbox.
struct Files {
    root: PathBuf,
    plan: Box<Plan>,
    /// The operations so far, each with its path.
    asked: Mutex<Vec<(String, String)>>,
}

impl Files {
    /// Starts a server; returns it and its address.
    fn start(sandbox: &Sandbox, plan: impl Fn(&str, usize) -> Manner + Send + Sync + 'static) -> (Arc<Self>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound").to_string();
        fs::create_dir_all(sandbox.path("store")).expect("a folder");
        let files = Arc::new(Self { root: sandbox.path("store"), plan: Box::new(plan), asked: Mutex::default() });
        let (server, place) = (Arc::clone(&files), address.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (server, place) = (Arc::clone(&server), place.clone());
                std::thread::spawn(move || server.serve(&connection, &place));
            }
        });
        (files, address)
    }

    /// The paths that an operation was asked for.
    fn paths(&self, operation: &str) -> Vec<String> {
        let asked = self.asked.lock().expect("no panic");
        asked.iter().filter(|(asked, _)| asked == operation).map(|(_, path)| path.clone()).collect()
    }

    fn serve(&self, mut connection: &TcpStream, place: &str) {
        let mut reader = BufReader::new(connection);
        while let Ok(Some(request)) = Message::read(&mut reader, WithoutLength::Empty, || continue_with(connection)) {
            let (path, query) = request.word(1).split_once('?').expect("a query");
            let path = path.trim_start_matches("/webhdfs/v1").to_owned();
            let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            let is_data = parameter("data").is_some();
            let operation = if is_data { "DATA" } else { parameter("op").expect("an operation") }.to_owned();
            let count = {
                let mut asked = self.asked.lock().expect("no panic");
                asked.push((operation.clone(), path.clone()));
                asked.iter().filter(|(asked, _)| *asked == operation).count()
            };
            let manner = (self.plan)(&operation, count);
            if manner == Manner::HangsUp {
                return;
            }
            let target = parameter("destination").map(|to| self.at(&to.replace("%2F", "/")));
            let answer = match operation.as_str() {
                "CREATE" => {
                    let to = format!("http://{place}/webhdfs/v1{path}?{query}&data=true");
                    Message::new("HTTP/1.1 307 there", "").with("Location", &to)
                }
                _ => self.answer(&operation, &path, target.as_deref(), &request.body),
            };
            let (bytes, half) = (answer.bytes(), answer.body.len().div_ceil(2));
            let sent = if manner == Manner::HalfContent { bytes.len() - half } else { bytes.len() };
            if connection.write_all(&bytes[..sent]).is_err() || manner == Manner::HalfContent {
                return;
            }
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn answer(&self, operation: &str, path: &str, target: Option<&Path>, body: &[u8]) -> Message {
        let file = self.at(path);
        let json = |text: &str| Message::answer("200 OK", "application/json", text);
        let absent = || {
            let text = r#"{"RemoteException":{"exception":"FileNotFoundException","message":"does not exist"}}"#;
            Message::answer("404 absent", "application/json", text)
        };
        match operation {
            "GETFILESTATUS" => entry(&file).map_or_else(absent, |entry| json(&format!(r#"{{"FileStatus":{entry}}}"#))),
            "LISTSTATUS" => {
                let entries = fs::read_dir(&file).into_iter().flatten().flatten().filter_map(|one| entry(&one.path()));
                let entries: Vec<String> = entries.collect();
                json(&format!(r#"{{"FileStatuses":{{"FileStatus":[{}]}}}}"#, entries.join(",")))
            }
            // As servers before Hadoop 3.
            "LISTSTATUS_BATCH" => {
                let text = r#"{"RemoteException":{"exception":"IllegalArgumentException","message":"unknown"}}"#;
                Message::answer("400 bad", "application/json", text)
            }
            "OPEN" => fs::read(&file).map_or_else(
                |_| absent(),
                |content| Message::new("HTTP/1.1 200 OK", content).with("Content-Type", "application/octet-stream"),
            ),
            "MKDIRS" => json(&format!(r#"{{"boolean":{}}}"#, fs::create_dir_all(&file).is_ok())),
            "DATA" => {
                fs::create_dir_all(file.parent().expect("below the root")).expect("a folder");
                fs::write(&file, body).expect("a file");
                Message::new("HTTP/1.1 201 created", "")
            }
            "RENAME" => {
                fs::rename(&file, target.expect("a target")).expect("a part is there");
                Message::new("HTTP/1.1 200 OK", "")
            }
            "DELETE" => {
                let gone = fs::remove_file(&file).or_else(|_| fs::remove_dir_all(&file)).is_ok();
                json(&format!(r#"{{"boolean":{gone}}}"#))
            }
            other => panic!("{other} is not expected"),
        }
    }
}

fn continue_with(mut connection: &TcpStream) -> std::io::Result<()> {
    connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
}

/// The status of a file as WebHDFS writes it.
fn entry(file: &Path) -> Option<String> {
    let found = fs::metadata(file).ok()?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let kind = if found.is_dir() { "DIRECTORY" } else { "FILE" };
    Some(format!(
        r#"{{"group":"g","length":{},"modificationTime":1,"owner":"o","pathSuffix":"{name}","permission":"600",
            "replication":1,"type":"{kind}"}}"#,
        found.len()
    ))
}

/// A server that answers nothing until [`Outage::ends`].
#[derive(Clone, Default)]
struct Outage(Arc<AtomicBool>);

impl Outage {
    fn plan(&self) -> impl Fn(&str, usize) -> Manner + Send + Sync + use<> {
        let over = Arc::clone(&self.0);
        move |_, _| if over.load(Ordering::Relaxed) { Manner::Answers } else { Manner::HangsUp }
    }

    /// Waits until the action says that it waits for the server, and ends the outage.
    fn ends(&self, sandbox: &Sandbox, job: &str, address: &str) {
        let site = sandbox.text("site.properties");
        wait_for("the reason for the wait", || {
            let shown = sandbox.howdah(["explain", job, "--site", &site]).at("2010-01-01T00:00Z").run().stdout;
            shown.contains(address).then_some(())
        });
        self.0.store(true, Ordering::Relaxed);
    }
}

fn site(address: &str) -> String {
    format!("howdah.mounts=hdfs://nn=webhdfs://{address}\n")
}

/// A mail server that takes every mail; returns its port and the mails.
fn mail_server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let mails = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&mails);
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let lines = BufReader::new(connection.try_clone().expect("a second handle")).lines();
            let mut mail: Option<String> = None;
            let _ = connection.write_all(b"220 ready\r\n");
            for line in lines.map_while(Result::ok) {
                let answer = match &mut mail {
                    Some(_) if line == "." => {
                        taken.lock().expect("no panic").extend(mail.take());
                        "250 taken"
                    }
                    Some(text) => {
                        *text += &(line + "\n");
                        continue;
                    }
                    None if line == "DATA" => {
                        mail = Some(String::new());
                        "354 go on"
                    }
                    None => "250 ok",
                };
                let _ = connection.write_all(format!("{answer}\r\n").as_bytes());
            }
        }
    });
    (port, mails)
}

#[test]
fn a_mail_waits_for_its_attachment_and_is_sent_once() {
    let sandbox = Sandbox::new();
    let outage = Outage::default();
    let (files, address) = Files::start(&sandbox, outage.plan());
    let (port, mails) = mail_server();
    sandbox.write("store/report.csv", "1,2\n");
    let site = site(&address)
        + &format!("oozie.email.smtp.host=127.0.0.1\noozie.email.smtp.port={port}\noozie.email.from.address=h@x.org\n");
    let body = "<email xmlns='uri:oozie:email-action:0.2'><to>a@x.org</to><subject>s</subject><body>b</body>\
                <attachment>hdfs://nn/report.csv</attachment></email>";
    let job = begin(&sandbox, &site, body);
    outage.ends(&sandbox, &job, &address);
    assert!(mails.lock().expect("no panic").is_empty());
    sandbox.await_quiet();
    assert_eq!(outcome(&sandbox, &job), "SUCCEEDED, OK");
    let mails = mails.lock().expect("no panic");
    assert!(mails.len() == 1 && mails[0].contains("1,2"), "{mails:?}");
    assert_eq!(files.paths("OPEN").last().map(String::as_str), Some("/report.csv"));
    assert!(!sandbox.path(&format!("{}/waiting", attempt(&sandbox))).exists());
}

/// Creates a repository with two files in `source`.
fn repository(sandbox: &Sandbox) {
    sandbox.write("source/deep/file", "deep");
    sandbox.write("source/other", "other");
    for words in ["init -q", "add .", "commit -qm first"] {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=ann", "-c", "user.email=ann@example.org"]);
        engines::run(git.current_dir(sandbox.path("source")).args(words.split(' '))).expect("git works");
    }
}

fn git(rest: &str) -> String {
    format!(
        "<git xmlns='uri:oozie:git-action:1.0'><name-node>hdfs://nn</name-node>\
         <git-uri>file://${{sandbox}}/source</git-uri>{rest}<destination-uri>/lake</destination-uri></git>"
    )
}

#[test]
fn a_clone_waits_for_its_key_and_for_its_destination() {
    let sandbox = Sandbox::new();
    repository(&sandbox);
    let outage = Outage::default();
    let of_key = outage.plan();
    // The content of the key breaks off once, and writing fails several times.
    let plan = move |operation: &str, count: usize| match (operation, count) {
        ("OPEN", 1) => Manner::HalfContent,
        ("MKDIRS", 1) | ("CREATE" | "DATA" | "RENAME", 2) => Manner::HangsUp,
        _ => of_key(operation, count),
    };
    let (files, address) = Files::start(&sandbox, plan);
    sandbox.write("store/key", "secret");
    let job = begin(&sandbox, &site(&address), &git("<key-path>/key</key-path>"));
    outage.ends(&sandbox, &job, &address);
    sandbox.await_quiet();
    assert_eq!(outcome(&sandbox, &job), "SUCCEEDED, OK");
    assert_eq!(
        (sandbox.read("store/lake/deep/file"), sandbox.read("store/lake/other")),
        ("deep".into(), "other".into())
    );
    assert!(files.paths("OPEN").len() == 2 && files.paths("MKDIRS").len() > 1, "{:?}", files.asked);
    // No part of a file is left beside the others.
    let parts = fs::read_dir(sandbox.path("store/lake")).expect("a folder").flatten();
    assert_eq!(parts.filter(|part| part.file_name().to_string_lossy().starts_with(".howdah-")).count(), 0);
}

#[test]
fn a_clone_with_a_link_writes_nothing_to_a_server() {
    let sandbox = Sandbox::new();
    sandbox.write("source/a", "a");
    symlink("a", sandbox.path("source/link")).expect("a link");
    repository(&sandbox);
    let (files, address) = Files::start(&sandbox, |_, _| Manner::Answers);
    let job = begin(&sandbox, &site(&address), &git(""));
    sandbox.await_quiet();
    let got = outcome(&sandbox, &job);
    assert!(got.starts_with("KILLED, ERROR, JA018: ") && got.contains("is no file: a server has no links"), "{got}");
    assert!(!sandbox.path("store/lake").exists() && files.paths("MKDIRS").is_empty(), "{:?}", files.asked);
}

#[test]
fn streaming_reads_its_input_on_where_it_stopped() {
    let sandbox = Sandbox::new();
    let outage = Outage::default();
    let at_first = outage.plan();
    let plan = move |operation: &str, count: usize| match (operation, count) {
        ("OPEN", 1..=2) => Manner::HalfContent,
        ("OPEN", 3) => Manner::HangsUp,
        _ => at_first(operation, count),
    };
    let (files, address) = Files::start(&sandbox, plan);
    let lines = (0..20_000).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    sandbox.write("store/in/a", &lines);
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let body = format!(
        "<map-reduce><job-tracker>local</job-tracker><name-node>hdfs://nn</name-node>\
         <streaming><mapper>cat</mapper></streaming><configuration>{}{}{}</configuration></map-reduce>",
        property("mapred.input.dir", "hdfs://nn/in"),
        property("mapred.output.dir", "file://${sandbox}/out"),
        property("mapred.reduce.tasks", "0")
    );
    let job = begin(&sandbox, &site(&address), &body);
    outage.ends(&sandbox, &job, &address);
    sandbox.await_quiet();
    assert_eq!(outcome(&sandbox, &job), "SUCCEEDED, OK");
    assert_eq!(sandbox.read("out/part-00000").replace("\t\n", "\n"), lines, "each record once, and in its order");
    assert_eq!(files.paths("OPEN").len(), 4);
}

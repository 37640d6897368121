//! The page for people in a real browser: headless Chromium, from the system's packages.

use std::path::PathBuf;
use std::process::Command;

use howdah_sandbox::application::{shell, workflow};
use howdah_sandbox::engines::apt;
use howdah_sandbox::sandbox::{Sandbox, user_name, wait_for};
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

/// Chromium with a profile in the sandbox.
struct Browser<'s> {
    sandbox: &'s Sandbox,
}

impl<'s> Browser<'s> {
    fn new(sandbox: &'s Sandbox) -> Self {
        apt(&["chromium"]).unwrap_or_else(|why| panic!("chromium: {why}"));
        Self { sandbox }
    }

    /// Runs Chromium on a page; returns what it prints, and what it logs.
    fn run(&self, options: &[&str], url: &str) -> (String, String) {
        let profile = format!("--user-data-dir={}", self.sandbox.text("profile"));
        let ran = Command::new("timeout")
            .args(["-s", "KILL", "120", "chromium", "--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--enable-logging=stderr"])
            .args(["--disable-background-networking", &profile])
            .args(options)
            .arg(url)
            .output()
            .expect("it was installed");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (printed, logged) = (text(&ran.stdout), text(&ran.stderr));
        assert!(ran.status.success(), "{url}: {logged}");
        (printed, logged)
    }

    /// Opens a page, which must leave nothing on the console; returns it as the browser has understood it.
    fn open(&self, url: &str) -> String {
        let (document, logged) = self.run(&["--dump-dom"], url);
        assert!(!logged.contains("CONSOLE"), "{url}: {logged}");
        assert!(document.contains("<main>"), "{url}: {document}");
        document
    }

    /// Takes a picture of a page at a width.
    fn picture(&self, url: &str, width: u32) -> PathBuf {
        let path = self.sandbox.path(&format!("picture-{width}.png"));
        let (file, size) = (format!("--screenshot={}", path.display()), format!("--window-size={width},900"));
        self.run(&[&file, &size, "--hide-scrollbars"], url);
        path
    }
}

/// Returns the first address of a job in a document.
fn job_link(document: &str) -> &str {
    let (_, rest) = document.split_once("href=\"/job/").unwrap_or_else(|| panic!("no job: {document}"));
    rest.split('"').next().expect("a first part")
}

/// A workflow that fails as long as a file is missing, and a server that changes jobs.
fn served() -> (Sandbox, Server, String) {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "echo looked; test -e ${sandbox}/there", "end")]);
    let id = sandbox.submit("2015-06-22T15:06Z", &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &["--allow-write", "--tick", "1s"]);
    (sandbox, server, id)
}

#[test]
fn a_browser_follows_a_job_through_a_rerun() {
    if !tier::full("it installs Chromium") {
        return;
    }
    let (sandbox, server, id) = served();
    let browser = Browser::new(&sandbox);
    let url = |path: &str| format!("http://127.0.0.1:{}{path}", server.port);
    let list = browser.open(&url("/?type=wf"));
    assert!(list.contains("KILLED") && job_link(&list) == id, "{list}");
    let job = browser.open(&url(&format!("/job/{}", job_link(&list))));
    assert!(job.contains("KILLED") && job.contains("<svg") && job.contains("exit code [1]"), "{job}");
    sandbox.write("there", "");
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let body = format!(
        "<configuration>{}{}</configuration>",
        property("oozie.wf.rerun.failnodes", "true"),
        property("user.name", &user_name())
    );
    let path = format!("/oozie/v1/job/{id}?action=rerun");
    let rerun = server.send("PUT", &path, &[("Content-Type", "application/xml")], &body);
    assert_eq!(rerun.status, 200, "{rerun:?}");
    wait_for("the rerun", || {
        let status = server.get(&format!("/oozie/v1/job/{id}?show=status")).json(200);
        (status["status"] == "SUCCEEDED").then_some(())
    });
    let job = browser.open(&url(&format!("/job/{id}")));
    assert!(job.contains("SUCCEEDED") && !job.contains("KILLED</"), "{job}");
    assert_eq!(browser.open(&url(&format!("/job/{id}/log"))).matches("\nlooked\n").count(), 2);
    for place in ["history", "definition"] {
        browser.open(&url(&format!("/job/{id}/{place}")));
    }
    browser.open(&url("/?type=bundle"));
    for width in [1280, 400] {
        let picture = browser.picture(&url(&format!("/job/{id}")), width);
        let bytes = std::fs::read(&picture).expect("a picture");
        // The width and the height are behind the name of the first part of a PNG.
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        assert_eq!((&bytes[..8], number(16), number(20)), (&b"\x89PNG\r\n\x1a\n"[..], width, 900));
    }
}

/// A page of another site, with all that a browser lets it send.
#[test]
fn a_browser_changes_nothing_for_another_site() {
    if !tier::full("it installs Chromium") {
        return;
    }
    let (sandbox, server, id) = served();
    let browser = Browser::new(&sandbox);
    let address = format!("127.0.0.1:{}", server.port);
    sandbox.write(
        "evil.html",
        &format!(
            "<!DOCTYPE html><main>evil</main><form method='post' enctype='text/plain' \
             action='http://{address}/oozie/v1/jobs?action=start'><input name='&lt;configuration>' value='x'></form>\
             <script>\
             const job = 'http://{address}/oozie/v1/job/{id}?action=rerun';\
             const say = (word) => document.body.append(word);\
             const send = async () => {{\
               for (const how of [{{method: 'PUT'}}, {{method: 'PUT', mode: 'no-cors'}},\
                   {{method: 'POST', mode: 'no-cors', body: '<configuration/>'}}]) {{\
                 try {{ const r = await fetch(job, how); say(' sent ' + r.status); }} catch (e) {{ say(' refused'); }}\
               }}\
               try {{ say(await (await fetch('http://{address}/oozie/v1/jobs')).text()); }} catch (e) {{ say(' unread'); }}\
               document.forms[0].submit();\
             }};\
             send();</script>"
        ),
    );
    let (document, _) =
        browser.run(&["--dump-dom", "--virtual-time-budget=5000"], &format!("file://{}", sandbox.text("evil.html")));
    assert!(!document.contains(&id), "{document}");
    // Another name that leads to this machine.
    let (document, _) = browser.run(
        &["--dump-dom", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
        &format!("http://evil.example:{}/oozie/v1/jobs", server.port),
    );
    assert!(document.contains("H0197") && !document.contains(&id), "{document}");
    let job = server.get(&format!("/oozie/v1/job/{id}")).json(200);
    assert_eq!((&job["status"], &job["run"]), (&"KILLED".into(), &0.into()), "{job}");
    assert_eq!(server.get("/oozie/v1/jobs").json(200)["total"], 1);
}

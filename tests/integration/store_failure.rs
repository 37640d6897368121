//! A store of files that gives no answer: ticks leave it alone for a growing while, say so, and go on with all else.

use std::sync::{Arc, Mutex};

use crate::application::{Coordinator, effect, hourly_input, shell, workflow};
use crate::receiver::{Manner, Receiver};
use crate::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";
const ABSENT: Manner =
    Manner::Says(404, r#"{"RemoteException":{"exception":"FileNotFoundException","message":"File does not exist"}}"#);
const PRESENT: Manner = Manner::Says(
    200,
    r#"{"FileStatus":{"group":"g","length":3,"modificationTime":1,"owner":"o","pathSuffix":"","permission":"755",
        "replication":1,"type":"FILE"}}"#,
);

/// A coordinator whose action waits for a file of a store.
struct Site {
    sandbox: Sandbox,
    server: Receiver,
    /// What the server does now.
    manner: Arc<Mutex<Manner>>,
    job: String,
}

impl Site {
    fn new(manner: Manner) -> Self {
        let manner = Arc::new(Mutex::new(manner));
        let current = Arc::clone(&manner);
        let server = Receiver::whose(move |_| *current.lock().expect("no test panics while it holds this"));
        let sandbox = Sandbox::new();
        let data = hourly_input("${where}/in/${HOUR}", "");
        let properties = &[("where", "${where}")];
        Coordinator { end: "2010-01-01T00:30Z", data, properties, ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", &effect("${where}"), "end")]);
        sandbox.write("site.properties", "howdah.store.tick-time=300\n");
        let job = sandbox.submit(NOW, &[("where", "hdfs://nn:8020")]);
        Self { sandbox, server, manner, job }
    }

    fn store(&self) -> String {
        format!("webhdfs://{}", self.server.address())
    }

    fn becomes(&self, manner: Manner) {
        *self.manner.lock().expect("no test panics while it holds this") = manner;
    }

    fn run(&self, arguments: &[&str], now: &str) -> Ran {
        let command = self.sandbox.howdah(arguments.iter().copied()).at(now);
        let command = command.with("--mount").with(format!("hdfs://nn:8020={}", self.store()));
        command.with("--site").with(self.sandbox.path("site.properties")).run()
    }

    /// Ticks, and returns whether the server was asked.
    fn tick(&self, minute: u32, status: i32) -> bool {
        let before = self.server.requests().len();
        let ran = self.run(&["tick"], &at(minute));
        assert_eq!(ran.status, Some(status), "{minute}: {ran:?}");
        self.sandbox.await_quiet();
        self.server.requests().len() > before
    }

    /// Returns how often the server gave no answer, since which minute, and in which minute it is asked again.
    fn failure(&self) -> String {
        let minute = |column: &str| format!("({column} - unixepoch('2010-01-01T00:00:00Z')) / 60");
        let (since, next) = (minute("since"), minute("next_at"));
        let sql = format!("SELECT failures, {since}, {next} FROM store_failure WHERE server = '{}'", self.store());
        self.sandbox.database().rows(&sql).join(", ")
    }

    fn action(&self) -> String {
        self.sandbox.database().value(&format!(
            "SELECT a.status FROM coordinator_action a JOIN coordinator_job j USING (job) WHERE j.id = '{}'",
            self.job
        ))
    }
}

fn at(minute: u32) -> String {
    format!("2010-01-01T00:{minute:02}Z")
}

#[test]
fn a_store_that_fails_is_left_alone_for_a_growing_while() {
    let site = Site::new(Manner::HangsUp);
    assert!(site.tick(0, 1), "the first tick asks");
    assert_eq!(site.failure(), "1 0 1");
    assert!(!site.tick(0, 1), "it is not asked before its time");
    assert!(site.tick(1, 1));
    assert_eq!(site.failure(), "2 0 3");
    // Another job is not concerned, and starts meanwhile.
    let local = site.sandbox.text("");
    site.sandbox.write("in/00/_SUCCESS", "");
    site.sandbox.submit(NOW, &[("where", &local)]);
    assert!(!site.tick(2, 1));
    assert_eq!(site.sandbox.read("effects"), format!("{local}\n"));
    // A server that accepts a connection and says nothing.
    site.becomes(Manner::Silent);
    assert!(site.tick(3, 1));
    assert_eq!(site.failure(), "3 0 7");
    let why = site.sandbox.database().value("SELECT why FROM store_failure");
    assert_eq!(why, "no answer in the 0.3 s for which a tick asks one store");

    let said = site.run(&["tick"], &at(4)).stderr;
    let words = format!(
        "the store {} gives no answer since 2010-01-01T00:00Z, and is asked again at 2010-01-01T00:07Z: {why}",
        site.store()
    );
    assert!(said.contains(&words), "{said}");
    assert_eq!(site.action(), "WAITING", "nothing was decided");
    site.sandbox.database().check();

    // A clock that was ahead and is set back locks no store out.
    site.becomes(Manner::HangsUp);
    assert!(site.tick(40, 1));
    assert_eq!(site.failure(), "4 0 48");
    assert!(site.tick(5, 1));
    assert_eq!(site.failure(), "5 0 15");
    assert!(!site.tick(14, 1));

    // An answer ends it.
    site.becomes(ABSENT);
    assert!(site.tick(15, 0));
    assert_eq!((site.failure().as_str(), site.action().as_str()), ("", "WAITING"));
    site.becomes(PRESENT);
    assert!(site.tick(15, 0), "it is asked at each tick again");
    assert_eq!((site.failure().as_str(), site.action().as_str()), ("", "SUCCEEDED"));
    assert_eq!(site.sandbox.read("effects"), format!("{local}\nhdfs://nn:8020\n"));
}

#[test]
fn status_metrics_and_explain_say_which_store_fails() {
    let site = Site::new(Manner::HangsUp);
    let shown = |verb: &[&str]| site.run(verb, &at(0)).stdout;
    assert!(!shown(&["status"]).contains("Stores"));
    assert!(!shown(&["metrics"]).contains("howdah_store_failing"));
    site.tick(0, 1);
    let (store, status) = (site.store(), shown(&["--json", "status"]));
    let line = shown(&["status"]).lines().find(|line| line.starts_with("Stores")).expect("a line").to_owned();
    for words in [store.as_str(), "gives no answer since 2010-01-01T00:00Z", "asked again at 2010-01-01T00:01Z: "] {
        assert!(line.contains(words), "{words}: {line}");
    }
    let json: serde_json::Value = serde_json::from_str(&status).expect("JSON");
    let failing = &json["stores"][0];
    assert_eq!((failing["server"].as_str(), failing["failures"].as_u64()), (Some(store.as_str()), Some(1)));
    let check = site.run(&["status", "--check"], &at(0));
    assert_eq!(check.status, Some(1), "{check:?}");
    assert!(check.stdout.contains(&format!("the store {store} gives no answer since")), "{check:?}");
    assert!(shown(&["metrics"]).contains(&format!("howdah_store_failing{{store=\"{store}\"}} 1\n")));
    // It asks the store itself.
    let asked = site.server.requests().len();
    let why = shown(&["explain", &format!("{}@1", site.job)]);
    assert!(why.contains("; no answer since 2010-01-01T00:00Z") && site.server.requests().len() > asked, "{why}");
    assert_eq!(site.failure(), "1 0 1", "a question changes nothing");
    // Once no job waits for the store, a tick forgets it.
    site.sandbox.howdah(["suspend", &site.job]).at(NOW).succeed();
    site.tick(1, 0);
    assert_eq!(site.failure(), "");
    assert!(!shown(&["status"]).contains("Stores"));
}

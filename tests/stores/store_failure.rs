//! A store of files that gives no answer: ticks leave it alone for a growing while, say so, and go on with all else.

use std::fs;
use std::sync::{Arc, Mutex};

use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, until_gate, workflow};
use howdah_sandbox::receiver::{Manner, Receiver};
use howdah_sandbox::sandbox::{PATIENCE, Ran, Sandbox, kill, wait_for};

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
        let is_silent = matches!(*self.manner.lock().expect("no test panics while it holds this"), Manner::Silent);
        let tick_time = if is_silent { "howdah.store.tick-time=300\n".to_owned() } else { without_limit() };
        self.sandbox.write("site.properties", &tick_time);
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

/// Settings with which only a hang ends the wait for a store.
fn without_limit() -> String {
    let patience = PATIENCE.as_millis();
    format!("howdah.store.tick-time={patience}\nhowdah.store.answer-timeout={patience}\n")
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

#[test]
fn a_daemon_goes_on_while_a_server_is_silent() {
    let site = Site::new(Manner::Silent);
    let sandbox = &site.sandbox;
    let pings = Receiver::that(Manner::Answers(200));
    let settings = format!("{}howdah.mounts=hdfs://nn:8020={}\n", without_limit(), site.store());
    let file = sandbox.write("site.properties", &settings).display().to_string();
    let took = || {
        let shown = sandbox.howdah(["status", "--json", "--site", &file]).at(NOW).run().stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        shown["tick"]["tookMilliseconds"].as_u64()
    };
    let daemon = sandbox.howdah(["daemon", "--every", "3600", "--site", &file, "--ping", &pings.url("ping")]).at(NOW);
    let daemon = daemon.errors_to(&sandbox.path("errors")).start();
    wait_for("a question", || (!site.server.requests().is_empty()).then_some(()));
    workflow(sandbox, "local", "a", &[shell("a", "true", "b"), shell("b", "true", "c"), shell("c", "true", "end")]);
    let submit = sandbox.howdah(["submit", "--site", &file]).at(NOW);
    let job = submit.define("oozie.wf.application.path", &sandbox.text("local")).succeed().job();
    wait_for("the end of the local job", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
    assert_eq!((site.failure().as_str(), took()), ("", None), "the tick still waits for the server");
    assert_eq!(pings.targets(), ["/ping/start"]);
    site.becomes(Manner::HangsUp);
    site.server.hang_up();
    wait_for("the end of the tick", took);
    assert_eq!((site.failure().as_str(), site.action().as_str()), ("1 0 1", "WAITING"));
    wait_for("the report of its end", || (pings.targets() == ["/ping/start", "/ping/fail"]).then_some(()));
    kill(daemon.pid());
    daemon.finish();
}

#[test]
fn what_a_tick_checks_first_is_checked_again_after_the_answers() {
    let sandbox = Sandbox::new();
    let clock = sandbox.write("clock", "0");
    // The clock leaps while the server is asked.
    let (leaping, leap) = (clock.clone(), Arc::new(Mutex::new(true)));
    let server = Receiver::whose(move |_| {
        if std::mem::take(&mut *leap.lock().expect("no test panics while it holds this")) {
            fs::write(&leaping, (5 * 365 * 86_400).to_string()).expect("a file");
        }
        PRESENT
    });
    let data = hourly_input("hdfs://nn/in/${HOUR}", "");
    Coordinator { end: "2010-01-01T00:30Z", data, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let mount = format!("hdfs://nn=webhdfs://{}", server.address());
    let howdah = |verb: &str| {
        sandbox.howdah([verb, "--mount", &mount]).env("HOWDAH_TEST_CLOCK", &clock).define("sandbox", &sandbox.text(""))
    };
    let tick = || sandbox.howdah(["tick", "--mount", &mount]).env("HOWDAH_TEST_CLOCK", &clock).run();
    howdah("submit").define("oozie.coord.application.path", &sandbox.text("app")).succeed();
    let refused = tick();
    assert!(refused.status == Some(1) && refused.stderr.contains("H0131"), "{refused:?}");
    assert_eq!(sandbox.database().actions(), "1 WAITING");
    fs::write(&clock, "0").expect("a file");
    assert_eq!(tick().status, Some(0));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED");
}

#[test]
fn an_action_that_waits_for_an_answer_keeps_its_turn() {
    let sandbox = Sandbox::new();
    let server = Receiver::that(PRESENT);
    let data = hourly_input("hdfs://nn/in/${HOUR}", "").replace("coord:current(0)", "coord:latest(0)");
    Coordinator { end: "2010-01-01T03:00Z", data, ..Coordinator::default() }.write(&sandbox);
    let line = format!("{}; {}", effect("${nominal}"), until_gate("${nominal}"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "end")]);
    let mount = format!("hdfs://nn=webhdfs://{}", server.address());
    let run = |arguments: &[&str], now: &str| {
        sandbox.howdah(arguments.iter().copied()).at(now).with("--mount").with(&mount).succeed()
    };
    let job = sandbox.submit(NOW, &[]);
    run(&["tick"], NOW);
    sandbox.await_file("2010-01-01T00:00Z");
    run(&["tick"], "2010-01-01T01:00Z");
    // What the second action has found is old now, and that of the third is not.
    run(&["suspend", &job], "2010-01-01T01:10Z");
    run(&["resume", &job], "2010-01-01T01:20Z");
    run(&["tick"], "2010-01-01T02:00Z");
    assert_eq!(sandbox.database().actions(), "1 RUNNING, 2 READY, 3 READY");
    sandbox.write("gate", "");
    // The runner starts what follows, but asks no server.
    for _ in 0..4 {
        sandbox.await_quiet();
        run(&["tick"], "2010-01-01T02:00Z");
    }
    sandbox.await_quiet();
    let effects = sandbox.read("effects");
    assert_eq!(effects, "2010-01-01T00:00Z\n2010-01-01T01:00Z\n2010-01-01T02:00Z\n");
}

//! A store that fails in the middle of ticks, `fs` actions, listings and the deletion of a rerun: no status moves on an
//! answer that is none, nothing is deleted twice or outside, and all is done when the store works again.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Hdfs, Seen, Way, allow, allow_with, store_name};
use crate::application::{Coordinator, action, effect, shell, workflow};
use crate::sandbox::{Ran, Sandbox, wait_for};
use crate::store_proxy::{Fault, SHORT_LIMIT, StoreProxy};

/// The end of all nominal times.
pub(super) const NOW: &str = "2010-01-01T06:00Z";
/// The hours of the coordinator's actions.
pub(super) const HOURS: [&str; 6] = ["00", "01", "02", "03", "04", "05"];
/// How many requests are broken.
pub(super) const FAULTS: usize = 500;
/// The seed of the faults.
pub(super) const SEED: u64 = 16;
/// A time that is shorter than the limit for an answer, and one that is longer.
pub(super) const SHORT: Duration = Duration::from_millis(50);
pub(super) const LONG: Duration = Duration::from_millis(2500);
/// The longest that all actions may take while requests are broken.
const MANY_FAULTS: Duration = Duration::from_secs(600);
/// The exit statuses of a command that could do all, and of one that could not tell.
const EXPECTED: [Option<i32>; 3] = [Some(0), Some(1), Some(75)];

/// A coordinator in `/faults` of a store: six hours, each with an input that is there, an output, and a folder that its
/// action deletes. An input that were believed absent would end its action: its time-out is 0.
pub(super) struct Application<'a> {
    sandbox: Sandbox,
    hdfs: &'a Hdfs,
    /// Files that no action names.
    kept: BTreeMap<String, Seen>,
    /// How many commands could not do all: the clock advances with each, because a store that fails is left alone for
    /// minutes.
    failed: Cell<u32>,
}

impl<'a> Application<'a> {
    pub(super) fn write(hdfs: &'a Hdfs, store: &str) -> Self {
        Self::write_with(hdfs, store, &[])
    }

    /// As [`Self::write`], with more settings of howdah.
    pub(super) fn write_with(hdfs: &'a Hdfs, store: &str, settings: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        allow_with(&sandbox, store, &[settings, &[SHORT_LIMIT]].concat());
        let dataset = |name: &str| {
            format!(
                "<dataset name='{name}' frequency='60' initial-instance='2010-01-01T00:00Z' timezone='UTC'>\
                 <uri-template>{store}/faults/{name}/${{HOUR}}</uri-template></dataset>"
            )
        };
        let event = |kind: &str, name: &str| {
            let instance = "<instance>${coord:current(0)}</instance>";
            format!(
                "<{kind}-events><data-{name} name='{name}' dataset='{name}'>{instance}</data-{name}></{kind}-events>"
            )
        };
        let events = event("input", "in") + &event("output", "out");
        let data = format!("<datasets>{}{}</datasets>{events}", dataset("in"), dataset("out"));
        let properties =
            &[("out", "${coord:dataOut('out')}"), ("hour", "${coord:formatTime(coord:nominalTime(), 'HH')}")];
        let controls = "<timeout>0</timeout><concurrency>3</concurrency>";
        Coordinator { end: NOW, controls, data, properties, ..Coordinator::default() }.write(&sandbox);
        let body = format!(
            "<fs><name-node>{store}</name-node><delete path='/faults/scratch/${{hour}}'/><mkdir path='${{out}}/done'/>\
             <touchz path='${{out}}/done/data'/><chmod path='${{out}}/done' permissions='750' dir-files='false'/>\
             <touchz path='${{out}}/_SUCCESS'/></fs>"
        );
        workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
        for file in ["coordinator.xml", "workflow.xml"] {
            let text = sandbox.read(&format!("app/{file}"));
            hdfs.write(
                &format!("/faults/app/{file}"),
                &text.replace(&sandbox.text("app"), &format!("{store}/faults/app")),
            );
        }
        for hour in HOURS {
            hdfs.write(&format!("/faults/in/{hour}/_SUCCESS"), "");
            hdfs.write(&format!("/faults/scratch/{hour}/deep/file"), "scratch");
        }
        for near in ["out/kept", "out/000", "out/0", "output/00", "scratch/kept", "scratch/000/deep"] {
            hdfs.write(&format!("/faults/{near}/file"), "kept");
        }
        let kept = Self::kept_in(hdfs);
        Self { sandbox, hdfs, kept, failed: Cell::new(0) }
    }

    /// What no action may change: the files that are not of an hour's output or scratch folder.
    fn kept_in(hdfs: &Hdfs) -> BTreeMap<String, Seen> {
        let of_an_hour = |path: &str| {
            let mut steps = path.split('/');
            matches!(steps.next(), Some("out" | "scratch")) && steps.next().is_some_and(|hour| HOURS.contains(&hour))
        };
        hdfs.tree("/faults").into_iter().filter(|(path, seen)| !seen.is_folder && !of_an_hour(path)).collect()
    }

    /// Submits the coordinator.
    pub(super) fn submit(&self, store: &str) -> String {
        let submit = self.sandbox.howdah(["submit"]).at(NOW).define("sandbox", &self.sandbox.text(""));
        submit.define("oozie.coord.application.path", &format!("{store}/faults/app")).succeed().job()
    }

    /// Runs a command that may find out nothing, and checks the states after it.
    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.sandbox.howdah(arguments.iter().copied()).at(&self.now()).run();
        assert!(EXPECTED.contains(&ran.status), "{ran:?}");
        self.failed.set(self.failed.get() + u32::from(ran.status != Some(0)));
        let database = self.sandbox.database();
        let wrong = "SELECT name, status, error_code, error_message FROM workflow_node \
                     WHERE status NOT IN ('PREP', 'RUNNING', 'START_RETRY', 'OK')";
        assert_eq!(database.rows(wrong), [""; 0], "{ran:?}");
        let wrong = "SELECT * FROM coordinator_action WHERE status NOT IN ('WAITING', 'READY', 'SUBMITTED', 'RUNNING', 'SUCCEEDED')";
        assert_eq!(database.rows(wrong), [""; 0], "{ran:?}");
        ran
    }

    /// The time of the next command: after each that failed, later by the longest pause of a store.
    fn now(&self) -> String {
        let minutes = self.failed.get() * 10;
        format!("2010-01-{:02}T{:02}:{:02}Z", 2 + minutes / 1440, minutes / 60 % 24, minutes % 60)
    }

    /// How many commands could not do all.
    pub(super) fn unknown(&self) -> u32 {
        self.failed.get()
    }

    /// Ticks until the job has succeeded.
    pub(super) fn finish(&self, job: &str) {
        let deadline = Instant::now() + MANY_FAULTS;
        self.run(&["tick"]);
        while self.sandbox.database().job(job) != "SUCCEEDED" {
            assert!(Instant::now() < deadline, "waited without result for the job's success");
            std::thread::sleep(SHORT);
            self.run(&["tick"]);
        }
    }

    /// Reruns all actions, however often that takes: a rerun that could not find out everything changes no status.
    pub(super) fn rerun(&self, job: &str) {
        let before = self.sandbox.database().actions();
        let deadline = Instant::now() + MANY_FAULTS;
        loop {
            let ran = self.run(&["rerun", job, "--action", "1-6", "--yes"]);
            if ran.status == Some(0) {
                return;
            }
            assert!(self.sandbox.database().actions() == before && Instant::now() < deadline, "{ran:?}");
            std::thread::sleep(SHORT);
        }
    }

    /// Checks what is in the store after everything was done.
    pub(super) fn check(&self) {
        self.sandbox.await_quiet();
        self.sandbox.database().check();
        let tree = self.hdfs.tree("/faults");
        for hour in HOURS {
            for path in ["_SUCCESS", "done", "done/data"] {
                assert!(tree.contains_key(&format!("out/{hour}/{path}")), "{hour}/{path}: {:?}", tree.keys());
            }
            assert!(!tree.contains_key(&format!("scratch/{hour}")), "{hour} was deleted");
            assert_eq!(tree[&format!("out/{hour}/done")].mode, 0o750, "{hour}");
        }
        assert_eq!(Self::kept_in(self.hdfs), self.kept, "what no action names");
    }
}

#[test]
fn five_hundred_faults_move_no_status_and_delete_nothing_twice() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let store = store_name(proxy.port);
    let application = Application::write(&hdfs, &store);
    let faults = [&Fault::all(SHORT)[..], &[Fault::Waits(LONG)]].concat();
    let job = application.submit(&store);
    proxy.break_some(SEED, 250, faults);
    application.finish(&job);
    let mut reruns = 0;
    while proxy.faults() < FAULTS {
        application.rerun(&job);
        application.finish(&job);
        reruns += 1;
    }
    println!("{} faults in {} requests, {reruns} reruns", proxy.faults(), proxy.requests().len());
    application.check();
    // What the store has really deleted: each output once for each rerun, each scratch folder once.
    let mut deleted: BTreeMap<String, usize> = BTreeMap::new();
    for request in proxy.received("DELETE") {
        let is_done = request.answer.is_some_and(|answer| answer.text().contains("true"));
        *deleted.entry(request.path).or_default() += usize::from(is_done);
    }
    let path = |folder: &str, hour: &str| format!("/webhdfs/v1/faults/{folder}/{hour}");
    let expect = HOURS.iter().flat_map(|hour| [(path("out", hour), reruns), (path("scratch", hour), 1)]);
    assert_eq!(deleted, expect.collect());
}

#[test]
fn a_store_that_pauses_is_used_again_when_it_answers() {
    for way in Way::ALL {
        let Some(hdfs) = Hdfs::start() else { return };
        check_pause(&hdfs, &way.store(&hdfs));
    }
}

fn check_pause(hdfs: &Hdfs, store: &str) {
    let application = Application::write(hdfs, store);
    let job = application.submit(store);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            hdfs.pause();
            std::thread::sleep(Duration::from_secs(8));
            hdfs.resume();
        });
        application.finish(&job);
    });
    application.check();
    hdfs.pause();
    let before = application.sandbox.database().actions();
    let ran = application.run(&["rerun", &job, "--action", "1-6", "--yes"]);
    assert!(ran.status != Some(0) && application.sandbox.database().actions() == before, "{ran:?}");
    hdfs.resume();
    application.rerun(&job);
    application.finish(&job);
    application.check();
}

/// An action that is waiting for the store, and a rerun, while no name node listens.
#[test]
fn a_store_that_is_stopped_is_used_again_when_it_listens() {
    for way in Way::ALL {
        let Some(hdfs) = Hdfs::start() else { return };
        let store = way.store(&hdfs);
        check_stop(hdfs, &store);
    }
}

fn check_stop(mut hdfs: Hdfs, store: &str) {
    hdfs.write("/stopped/kept/file", "kept");
    let sandbox = Sandbox::new();
    allow(&sandbox, store);
    let body =
        format!("<fs><name-node>{store}</name-node><delete path='/stopped/gone'/><mkdir path='/stopped/made'/></fs>");
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    hdfs.write("/stopped/gone/file", "gone");
    hdfs.stop();
    let job = sandbox.submit(NOW, &[]);
    let status = || sandbox.database().rows("SELECT status FROM workflow_node WHERE name = 'work'").concat();
    wait_for("the action's start", || (status() == "RUNNING").then_some(()));
    std::thread::sleep(Duration::from_secs(3));
    sandbox.howdah(["tick"]).at(NOW).run();
    assert_eq!(status(), "RUNNING");
    hdfs.start_again();
    wait_for("the job's end", || {
        sandbox.tick_through(NOW);
        (sandbox.database().job(&job) != "RUNNING").then_some(())
    });
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(hdfs.tree("/stopped").into_keys().collect::<Vec<_>>(), ["kept", "kept/file", "made"]);
}

/// The store does what it is asked for, and its answer is lost: the command is done, and not done again.
#[test]
fn a_command_whose_answer_is_lost_is_done_once() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let store = store_name(proxy.port);
    for (number, (command, op, expect)) in [
        ("<mkdir path='/lost/N/made'/>", "MKDIRS", &["from", "made"][..]),
        ("<touchz path='/lost/N/made'/>", "CREATE", &["from", "made"]),
        ("<delete path='/lost/N/from'/>", "DELETE", &[]),
        ("<chmod path='/lost/N/from' permissions='700'/>", "SETPERMISSION", &["from"]),
        ("<move source='/lost/N/from' target='/lost/N/to'/>", "RENAME", &["to"]),
    ]
    .into_iter()
    .enumerate()
    {
        let sandbox = Sandbox::new();
        allow(&sandbox, &store);
        hdfs.write(&format!("/lost/{number}/from"), "content");
        let body = format!("<fs><name-node>{store}</name-node>{}</fs>", command.replace("/N/", &format!("/{number}/")));
        workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
        let mut is_lost = false;
        proxy.plan(move |_, request| {
            // A file is created by two requests: the second one, to the data node, is lost.
            let is_last = request.op == op && (op != "CREATE" || request.query.contains("namenoderpcaddress"));
            (is_last && !std::mem::replace(&mut is_lost, true)).then_some(Fault::LosesAnswer)
        });
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_quiet();
        let node = sandbox.database().rows("SELECT status, error_message FROM workflow_node WHERE name = 'work'");
        assert_eq!((sandbox.database().job(&job).as_str(), node), ("SUCCEEDED", vec!["OK -".to_owned()]), "{command}");
        assert_eq!(hdfs.tree(&format!("/lost/{number}")).into_keys().collect::<Vec<_>>(), expect, "{command}");
    }
    assert_eq!(proxy.faults(), 5, "each answer was lost once");
}

/// A job that needs nothing of a store does not wait for one that gives no answer.
#[test]
fn the_other_jobs_of_a_tick_start_within_a_second() {
    // The shared server has the application of another test.
    let Some(hdfs) = Hdfs::start() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let store = store_name(proxy.port);
    let application = Application::write(&hdfs, &store);
    let sandbox = &application.sandbox;
    application.submit(&store);
    proxy.plan(|_, _| Some(Fault::Waits(Duration::from_secs(30))));
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    sandbox.submit(NOW, &[]);
    let start = Instant::now();
    let tick = sandbox.howdah(["tick"]).at(NOW).start();
    sandbox.await_file("effects");
    let took = start.elapsed();
    tick.finish();
    proxy.heal();
    assert!(took < Duration::from_secs(1), "the other job started after {took:?}");
}

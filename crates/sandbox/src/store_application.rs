//! An application of a store that fails, and the store as a test sees it without howdah: the application's actions are
//! all done in the end, no status moves before that, and what no action names stays as it was.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::application::{Coordinator, action, workflow};
use crate::sandbox::{Ran, Sandbox};
use howdah_tier::Trials;

/// A store as a test sees and changes it without howdah. Its paths start with a slash.
pub trait Witness {
    /// Lets each howdah of a sandbox use the store, with more settings of howdah.
    fn allow(&self, sandbox: &Sandbox, store: &str, settings: &[(&str, &str)]);

    /// Writes a file, and the folders above it.
    fn write(&self, path: &str, content: &str);

    /// All below a folder, by its path from there, with what tells whether it was changed. The paths of folders, in a
    /// store that has them, end with a slash.
    fn tree(&self, folder: &str) -> BTreeMap<String, String>;

    /// Checks what only this store can show of a folder to which an action gave the mode 750.
    fn check_mode(&self, _folder: &str) {}
}

/// The end of all nominal times.
pub const NOW: &str = "2010-01-01T06:00Z";
/// The hours of the coordinator's actions.
pub const HOURS: [&str; 6] = ["00", "01", "02", "03", "04", "05"];
/// How many requests to each kind of store are broken; no quick test breaks any.
const FAULTS: Trials = Trials { quick: 0, full: 50, soak: 500 };

/// How many requests a test breaks; it has asked for the full tier.
pub fn enough_faults() -> usize {
    FAULTS.named("HOWDAH_STORE_FAULTS")
}

/// The seed of the faults.
pub const SEED: u64 = 16;
/// A time that is shorter than the limit for an answer, and one that is longer.
pub const SHORT: Duration = Duration::from_millis(50);
pub const LONG: Duration = Duration::from_millis(2500);
/// The longest that all actions may take while requests are broken.
const MANY_FAULTS: Duration = Duration::from_secs(600);
/// The exit statuses of a command that could do all, and of one that could not tell.
const EXPECTED: [Option<i32>; 3] = [Some(0), Some(1), Some(75)];

/// A coordinator in `/faults` of a store: six hours, each with an input that is there, an output, and a folder that its
/// action deletes. An input that were believed absent would end its action: its time-out is 0.
pub struct Application<'a> {
    pub sandbox: Sandbox,
    witness: &'a dyn Witness,
    /// Files that no action names.
    kept: BTreeMap<String, String>,
    /// How many commands could not do all: the clock advances with each, because a store that fails is left alone for
    /// minutes.
    failed: Cell<u32>,
}

impl<'a> Application<'a> {
    pub fn write(witness: &'a dyn Witness, store: &str) -> Self {
        Self::write_with(witness, store, &[])
    }

    /// As [`Self::write`], with more settings of howdah.
    pub fn write_with(witness: &'a dyn Witness, store: &str, settings: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        witness.allow(&sandbox, store, settings);
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
            witness.write(
                &format!("/faults/app/{file}"),
                &text.replace(&sandbox.text("app"), &format!("{store}/faults/app")),
            );
        }
        for hour in HOURS {
            witness.write(&format!("/faults/in/{hour}/_SUCCESS"), "");
            witness.write(&format!("/faults/scratch/{hour}/deep/file"), "scratch");
        }
        for near in ["out/kept", "out/000", "out/0", "output/00", "scratch/kept", "scratch/000/deep"] {
            witness.write(&format!("/faults/{near}/file"), "kept");
        }
        let kept = Self::kept_in(witness);
        Self { sandbox, witness, kept, failed: Cell::new(0) }
    }

    /// What no action may change: the files that are not of an hour's output or scratch folder.
    fn kept_in(witness: &dyn Witness) -> BTreeMap<String, String> {
        let of_an_hour = |path: &str| {
            let mut steps = path.split('/');
            matches!(steps.next(), Some("out" | "scratch")) && steps.next().is_some_and(|hour| HOURS.contains(&hour))
        };
        witness.tree("/faults").into_iter().filter(|(path, _)| !path.ends_with('/') && !of_an_hour(path)).collect()
    }

    /// Submits the coordinator.
    pub fn submit(&self, store: &str) -> String {
        let submit = self.sandbox.howdah(["submit"]).at(NOW).define("sandbox", &self.sandbox.text(""));
        submit.define("oozie.coord.application.path", &format!("{store}/faults/app")).succeed().job()
    }

    /// Runs a command that may find out nothing, and checks the states after it.
    pub fn run(&self, arguments: &[&str]) -> Ran {
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
    pub fn unknown(&self) -> u32 {
        self.failed.get()
    }

    /// Ticks until the job has succeeded.
    pub fn finish(&self, job: &str) {
        let deadline = Instant::now() + MANY_FAULTS;
        self.run(&["tick"]);
        while self.sandbox.database().job(job) != "SUCCEEDED" {
            assert!(Instant::now() < deadline, "waited without result for the job's success");
            std::thread::sleep(SHORT);
            self.run(&["tick"]);
        }
    }

    /// Reruns all actions, however often that takes: a rerun that could not find out everything changes no status.
    pub fn rerun(&self, job: &str) {
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

    /// Finishes the job, and reruns all of it once, and as long as a condition holds; returns the number of reruns.
    pub fn finish_and_rerun_while(&self, job: &str, holds: impl Fn() -> bool) -> usize {
        self.finish(job);
        let mut reruns = 0;
        while reruns == 0 || holds() {
            self.rerun(job);
            self.finish(job);
            reruns += 1;
        }
        reruns
    }

    /// Checks what is in the store after everything was done.
    pub fn check(&self) {
        self.sandbox.await_quiet();
        self.sandbox.database().check();
        let tree = self.witness.tree("/faults");
        for hour in HOURS {
            for path in ["_SUCCESS", "done/data"] {
                assert!(tree.contains_key(&format!("out/{hour}/{path}")), "{hour}/{path}: {:?}", tree.keys());
            }
            self.witness.check_mode(&format!("/faults/out/{hour}/done"));
            let scratch = format!("scratch/{hour}/");
            let left: Vec<&String> = tree.keys().filter(|path| path.starts_with(&scratch)).collect();
            assert_eq!(left, [""; 0], "{hour} was deleted");
        }
        assert_eq!(Self::kept_in(self.witness), self.kept, "what no action names");
    }
}

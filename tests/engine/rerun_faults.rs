//! Reruns of every kind while one system call fails, or kills the process: nothing that was chosen is forgotten, what is
//! deleted is written again, and no action runs more often than it may.
//!
//! The outcome is counted from outside: the line that each command writes when it starts, and the outputs on the disk.
//! The n-th call of each sort is taken from a run without a fault; those before the program's own work are left out.
//! `HOWDAH_RERUN_FAULTS` selects all of them (`all`) or a number of each kind.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};
use howdah_sandbox::strace::{self, run, traced};
use howdah_tier::{self as tier, Trials};

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T04:00Z";
const FROM_BEFORE: &str = "2009-12-31T23:00Z";
/// How many faults are tried for each kind of rerun.
const FAULTS: Trials = Trials { quick: 4, full: 14, soak: 400 };
/// How many sandboxes run at a time.
const AT_A_TIME: usize = 8;
const ERRORS: [&str; 4] = ["error=EIO", "error=ENOSPC", "error=ENOMEM", "signal=SIGKILL"];
const CALLS: [&str; 9] =
    ["fdatasync", "pwrite64", "pread64", "unlinkat", "unlink", "openat", "ftruncate", "write", "getdents64"];

/// A kind of rerun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Action,
    Range,
    Bundle,
    Workflow,
    Failed,
    Filter,
    /// Outputs stay.
    FilterKept,
    Backfill,
    Policy,
    OozieAction,
    OozieBundle,
}

const KINDS: [Kind; 11] = [
    Kind::Action,
    Kind::Range,
    Kind::Bundle,
    Kind::Workflow,
    Kind::Failed,
    Kind::Filter,
    Kind::FilterKept,
    Kind::Backfill,
    Kind::Policy,
    Kind::OozieAction,
    Kind::OozieBundle,
];

/// How often each nominal time ran, of a job that its number in the bundle or its submission names.
type Runs = BTreeMap<String, usize>;

/// Jobs whose actions have ended; where a failure is rerun, the first action has failed.
struct Ended {
    kind: Kind,
    sandbox: Sandbox,
    words: Vec<String>,
    before: Runs,
}

impl Kind {
    /// Returns whether the next tick, and no person, continues what is left.
    fn is_unattended(self) -> bool {
        matches!(self, Self::Policy | Self::OozieAction | Self::OozieBundle)
    }

    fn is_bundle(self) -> bool {
        matches!(self, Self::Bundle | Self::OozieBundle)
    }

    fn fails_first(self) -> bool {
        matches!(self, Self::Policy | Self::Failed)
    }

    /// Returns which lines of `effects` one rerun adds.
    fn adds(self) -> Vec<String> {
        let of = |jobs: &[&str], hours: &[&str]| -> Vec<String> {
            jobs.iter().flat_map(|job| hours.iter().map(move |hour| format!("{job} 2010-01-01T{hour}:00Z"))).collect()
        };
        match self {
            Self::Action | Self::OozieAction => of(&["a"], &["01"]),
            Self::Range => of(&["a"], &["00", "01"]),
            Self::Workflow | Self::Failed | Self::Policy => of(&["a"], &["00"]),
            Self::Bundle | Self::OozieBundle | Self::Filter | Self::FilterKept => of(&["a", "b"], &["00", "01"]),
            Self::Backfill => [vec![format!("a {FROM_BEFORE}")], of(&["a"], &["00", "01"])].concat(),
        }
    }

    fn words(self, sandbox: &Sandbox, job: &str) -> Vec<String> {
        let words: Vec<&str> = match self {
            Self::Action => vec!["rerun", job, "--action", "2", "--yes"],
            Self::Range => vec!["rerun", job, "--date", "2010-01-01T00:00Z::2010-01-01T02:00Z", "--yes"],
            Self::Bundle => vec!["rerun", job, "--coordinator", "a,b", "--yes"],
            Self::Failed => vec!["rerun", job, "--failed", "--yes"],
            Self::Filter => vec!["rerun", "--filter", "name=test", "--status", "SUCCEEDED", "--yes"],
            Self::FilterKept => {
                vec!["rerun", "--filter", "name=test", "--status", "SUCCEEDED", "--nocleanup", "--yes"]
            }
            Self::Backfill => {
                vec!["backfill", job, "--from", FROM_BEFORE, "--to", "2010-01-01T01:00Z", "--only", "all", "--yes"]
            }
            Self::Policy => vec!["tick"],
            Self::OozieAction => vec!["oozie", "job", "-rerun", job, "-action", "2"],
            Self::OozieBundle => vec!["oozie", "job", "-rerun", job, "-coordinator", "a,b"],
            Self::Workflow => {
                let first = "SELECT id FROM workflow_job ORDER BY job LIMIT 1";
                let job = sandbox.database().value(first);
                return ["rerun", &job].map(str::to_owned).to_vec();
            }
        };
        words.into_iter().map(str::to_owned).collect()
    }
}

impl Ended {
    fn new(kind: Kind) -> Self {
        let sandbox = Sandbox::new();
        let job = submit(&sandbox, kind);
        sandbox.tick_through("2010-01-01T02:00Z");
        sandbox.write("mended", "");
        let before = runs(&sandbox);
        let words = [["--now", LATER].map(str::to_owned).to_vec(), kind.words(&sandbox, &job)].concat();
        Self { kind, sandbox, words, before }
    }

    /// Runs the rerun under strace, with these options.
    fn act(&self, options: &[&str]) -> (Option<i32>, String) {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        run(traced(&self.sandbox, options, &words))
    }

    fn howdah(&self, words: &[&str]) -> Ran {
        self.sandbox.howdah(words.iter().copied()).at(LATER).run()
    }

    /// Lets everything end that the rerun has left; returns what is wrong then.
    fn judge(&self, status: Option<i32>) -> Vec<String> {
        let mut wrong = Vec::new();
        self.sandbox.await_quiet();
        let is_open = || self.sandbox.database().value("SELECT count(*) FROM repair_step WHERE done = 0") != "0";
        if is_open() && !self.kind.is_unattended() {
            let said = self.howdah(&["status"]).stdout;
            if !said.contains("rerun") || !said.contains("--continue") {
                wrong.push(format!("status does not say what is open: {said}"));
            }
            let ran = self.howdah(&["rerun", "--continue", "--yes"]);
            if ran.status != Some(0) {
                wrong.push(format!("{ran:?}"));
            }
        }
        self.sandbox.tick_through(LATER);
        self.sandbox.tick_through(LATER);
        self.sandbox.database().check();
        if is_open() {
            wrong.push("a plan is still open".to_owned());
        }
        let mut again = self.before.clone();
        for line in self.kind.adds() {
            *again.entry(line).or_default() += 1;
        }
        let now = runs(&self.sandbox);
        let is_refused = status != Some(0) && now == self.before && self.kind != Kind::Policy;
        if now != again && !is_refused {
            wrong.push(format!("these ran: {now:?}, and not {again:?}"));
        }
        for line in now.keys().filter(|line| self.before.contains_key(*line) || now == again) {
            let place = self.sandbox.path("out").join(line.replace(' ', "/"));
            if !place.join("part").exists() {
                wrong.push(format!("the output of {line} is lost"));
            }
        }
        wrong
    }
}

fn runs(sandbox: &Sandbox) -> Runs {
    let mut runs = Runs::new();
    for line in sandbox.read("effects").lines() {
        *runs.entry(line.to_owned()).or_default() += 1;
    }
    runs
}

fn submit(sandbox: &Sandbox, kind: Kind) -> String {
    let data = "<datasets><dataset name=\"out\" frequency=\"${coord:hours(1)}\" initial-instance=\"2009-01-01T00:00Z\" \
         timezone=\"UTC\"><uri-template>${sandbox}/out/${who}/${YEAR}-${MONTH}-${DAY}T${HOUR}:00Z</uri-template>\
         </dataset></datasets><output-events><data-out name=\"out\" dataset=\"out\">\
         <instance>${coord:current(0)}</instance></data-out></output-events>";
    let line = "echo \"${who} ${nominal}\" >> ${sandbox}/effects; mkdir -p \"${sandbox}/out/${who}/${nominal}\"; \
                echo x > \"${sandbox}/out/${who}/${nominal}/part\"";
    let end =
        if kind.fails_first() { "; test ${nominal} != 2010-01-01T00:00Z || test -e ${sandbox}/mended" } else { "" };
    let controls = "<concurrency>9</concurrency>";
    let properties = &[("who", "${who}")];
    Coordinator { controls, data: data.to_owned(), properties, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &format!("{line}{end}"), "end")]);
    let policy = [("howdah.failure.rerun", "1"), ("howdah.failure.rerun.wait", "120")];
    match kind {
        Kind::Policy => sandbox.submit(NOW, &[&[("who", "a")][..], &policy].concat()),
        Kind::Filter | Kind::FilterKept => {
            sandbox.submit(NOW, &[("who", "a")]);
            sandbox.submit(NOW, &[("who", "b")])
        }
        _ if kind.is_bundle() => {
            let coordinator = |who: &str| {
                format!(
                    "<coordinator name=\"{who}\"><app-path>{}</app-path><configuration><property><name>who</name>\
                     <value>{who}</value></property><property><name>sandbox</name><value>{}</value></property>\
                     </configuration></coordinator>",
                    sandbox.text("app/coordinator.xml"),
                    sandbox.text("")
                )
            };
            let bundle = format!(
                "<bundle-app name=\"both\" xmlns=\"uri:oozie:bundle:0.2\">{}{}</bundle-app>",
                coordinator("a"),
                coordinator("b")
            );
            let place = sandbox.write("bundle/bundle.xml", &bundle);
            let given = format!("oozie.bundle.application.path={}", place.display());
            sandbox.howdah(["submit", "-D", &given]).at(NOW).succeed().job()
        }
        _ => sandbox.submit(NOW, &[("who", "a")]),
    }
}

/// One call that fails once, or kills the process.
#[derive(Clone, Debug)]
struct Fault {
    kind: Kind,
    call: &'static str,
    nth: usize,
    how: &'static str,
}

/// Returns the faults of a kind: each call of a run without one.
fn faults(kind: Kind) -> Vec<Fault> {
    let ended = Ended::new(kind);
    let (status, said) = ended.act(&["-e", &format!("trace={},poll,ppoll", CALLS.join(","))]);
    assert_eq!(status, Some(0), "{kind:?} without a fault: {said}");
    let trace = ended.sandbox.read("trace");
    let wrong = ended.judge(status);
    assert!(wrong.is_empty() && runs(&ended.sandbox) != ended.before, "{kind:?} without a fault: {wrong:?}");
    let lines: Vec<&str> = trace.lines().collect();
    // The standard library reads standard input, output and error first of all.
    let begun = lines.iter().position(|line| line.starts_with("poll(") || line.starts_with("ppoll(")).unwrap_or(0);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some(call) = CALLS.iter().find(|call| line.starts_with(&format!("{call}("))) else { continue };
        let nth = seen.entry(call).or_default();
        *nth += 1;
        if place > begun {
            faults.extend(ERRORS.map(|how| Fault { kind, call, nth: *nth, how }));
        }
    }
    faults
}

/// Takes some of many, spread evenly.
fn spread(all: Vec<Fault>, enough: usize) -> Vec<Fault> {
    let total = all.len();
    if total <= enough {
        return all;
    }
    let keeps = |place: usize| place * enough / total != (place + 1) * enough / total;
    all.into_iter().enumerate().filter(|(place, _)| keeps(*place)).map(|(_, fault)| fault).collect()
}

fn judge(fault: &Fault) -> Vec<String> {
    let Fault { kind, call, nth, how } = fault;
    let ended = Ended::new(*kind);
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{how}:when={nth}"));
    let (status, said) = ended.act(&["-e", &trace, "-e", &inject]);
    let mut wrong = ended.judge(status);
    if said.contains("panicked") || said.contains("nothing is lost") {
        wrong.push("it says what is not so".to_owned());
    }
    if !wrong.is_empty() {
        wrong.push(format!("{fault:?} ended with {status:?}: {said}"));
    }
    wrong
}

#[test]
fn a_fault_or_a_death_forgets_nothing_and_runs_nothing_twice() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let enough = FAULTS.named("HOWDAH_RERUN_FAULTS");
    let (next, wrong, tried) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
    let all = Mutex::new(Vec::new());
    let in_parallel = |count: usize, one: &(dyn Fn(usize) + Sync)| {
        next.store(0, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..AT_A_TIME {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        if place >= count {
                            break;
                        }
                        one(place);
                    }
                });
            }
        });
    };
    in_parallel(KINDS.len(), &|place| {
        let some = spread(faults(KINDS[place]), enough);
        all.lock().expect("nothing panicked with it").extend(some);
    });
    let all = all.into_inner().expect("nothing panicked with it");
    in_parallel(all.len(), &|place| {
        let found = judge(&all[place]);
        tried.fetch_add(1, Ordering::Relaxed);
        if !found.is_empty() {
            wrong.lock().expect("nothing panicked with it").push(found.join("\n"));
        }
    });
    let wrong = wrong.into_inner().expect("nothing panicked with it");
    assert!(wrong.is_empty(), "{} of {} faults: {}", wrong.len(), tried.into_inner(), wrong.join("\n\n"));
}

/// The faults that forgot work before: of the transaction of one job, and a death between the deletions.
#[test]
fn what_a_failure_of_the_database_or_a_death_leaves_is_done_later() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let mut wrong = Vec::new();
    for kind in [Kind::FilterKept, Kind::Policy, Kind::Range, Kind::OozieAction] {
        let all = faults(kind);
        let is_meant = |fault: &&Fault| {
            (fault.call == "fdatasync" && fault.how == "error=EIO")
                || (fault.call == "unlinkat" && fault.how == "signal=SIGKILL")
        };
        let meant: Vec<Fault> = all.iter().filter(is_meant).cloned().collect();
        assert!(meant.iter().any(|fault| fault.call == "fdatasync"), "{kind:?}");
        wrong.extend(meant.iter().flat_map(judge));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

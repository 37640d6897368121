//! A rerun of many actions and a backfill, killed at random moments: what is left is continued, each action runs again
//! exactly once, and its output is there.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, kill};
use howdah_tier::{self as tier, Trials};

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T03:00Z";
/// The nominal times of a job.
const TIMES: [&str; 2] = [NOW, "2010-01-01T01:00Z"];

/// How many commands die in each test.
fn deaths() -> usize {
    Trials { quick: 10, full: 20, soak: 100 }.number()
}

/// How often each action ran: its job's part and its nominal time, from what its command wrote.
type Runs = BTreeMap<String, usize>;

/// Jobs whose actions leave a line and write an output.
struct Jobs {
    sandbox: Sandbox,
    parts: &'static [&'static str],
}

impl Jobs {
    /// Submits one job for each part, and runs its actions for the first time.
    fn new(parts: &'static [&'static str]) -> Self {
        let sandbox = Sandbox::new();
        let data = "<datasets><dataset name=\"out\" frequency=\"${coord:hours(1)}\" \
             initial-instance=\"2009-01-01T00:00Z\" timezone=\"UTC\">\
             <uri-template>hdfs://nn/${part}/${YEAR}-${MONTH}-${DAY}T${HOUR}:00Z</uri-template></dataset></datasets>\
             <output-events><data-out name=\"out\" dataset=\"out\"><instance>${coord:current(0)}</instance></data-out>\
             </output-events>";
        let properties = &[("part", "${part}")];
        let controls = "<concurrency>9</concurrency>";
        Coordinator { controls, data: data.to_owned(), properties, ..Coordinator::default() }.write(&sandbox);
        let line = "echo \"${part} ${nominal}\" >> ${sandbox}/effects; \
                    mkdir -p \"${sandbox}/store/${part}/${nominal}\"; \
                    : > \"${sandbox}/store/${part}/${nominal}/_SUCCESS\"";
        workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
        for part in parts {
            sandbox.submit(NOW, &[("part", part)]);
        }
        sandbox.tick_through(LATER);
        Self { sandbox, parts }
    }

    fn command(&self, arguments: &[&str]) -> Howdah {
        let store = format!("--mount=hdfs://nn={}", self.sandbox.text("store"));
        self.sandbox.howdah(arguments.iter().copied()).with(store).at(LATER)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.command(arguments).run();
        assert_eq!(ran.status, Some(0), "{arguments:?}: {ran:?}");
        ran
    }

    /// Runs a command and kills it after a while; returns whether it was still alive.
    fn kill_after(&self, arguments: &[&str], life: Duration) -> bool {
        let started = self.command(arguments).start();
        std::thread::sleep(life);
        kill(started.pid());
        started.finish().status.is_none()
    }

    fn tick(&self) {
        self.sandbox.tick_through(LATER);
        self.sandbox.database().check();
    }

    fn runs(&self) -> Runs {
        let mut runs = Runs::new();
        for line in self.sandbox.read("effects").lines() {
            *runs.entry(line.to_owned()).or_default() += 1;
        }
        runs
    }

    /// Returns how many actions of a stored plan are left.
    fn left(&self) -> usize {
        let left = self.sandbox.database().value("SELECT count(*) FROM repair_step WHERE done = 0");
        left.parse().expect("a count")
    }

    /// Returns how many actions were reset so far.
    fn resets(&self) -> String {
        self.sandbox.database().value("SELECT sum(run) FROM coordinator_action")
    }

    /// Checks that each of these nominal times ran one time more than before, no other did, and all outputs are there.
    fn check(&self, before: &Runs, again: &[String], context: &str) {
        let mut expect = before.clone();
        for line in again {
            *expect.entry(line.clone()).or_default() += 1;
        }
        assert_eq!(self.runs(), expect, "{context}");
        for line in again {
            let folder = self.sandbox.path("store").join(line.replace(' ', "/"));
            assert!(folder.join("_SUCCESS").exists(), "{context}: the output of {line} was deleted after it ran");
        }
        let open = "SELECT count(*) FROM coordinator_job WHERE status <> 'SUCCEEDED'";
        assert_eq!(self.sandbox.database().value(open), "0", "{context}");
    }
}

/// One life after the other: random, but not much longer than a command needs that nothing interrupts, as far as the
/// lives before tell.
struct Lives {
    dice: Dice,
    /// In microseconds.
    longest: i64,
    killed: usize,
    /// How many died while actions of their plan were left.
    interrupted: usize,
}

impl Lives {
    fn new(seed: u64, calm: Duration) -> Self {
        let longest = i64::try_from(calm.as_micros()).expect("a short time");
        Self { dice: Dice::new(seed), longest, killed: 0, interrupted: 0 }
    }

    /// Returns whether enough commands were killed, and some of them in the midst of their plan.
    fn are_enough(&self) -> bool {
        self.killed >= deaths() && self.interrupted > deaths() / 10
    }

    /// Kills a command at a random moment, and kills its continuations too, now and then; the last one may finish.
    fn kill(&mut self, jobs: &Jobs, arguments: &[&str]) -> String {
        let mut said = Vec::new();
        let mut arguments = arguments;
        loop {
            // A process spends most of its time on its start and its end; the second half is where it works.
            let shortest = if self.dice.happens(250) { 1 } else { self.longest / 2 };
            let life = self.dice.between(shortest, self.longest);
            let was_killed = jobs.kill_after(arguments, Duration::from_micros(life.unsigned_abs()));
            let left = jobs.left();
            said.push(format!("{life} us{}, {left} left", if was_killed { ", killed" } else { "" }));
            self.killed += usize::from(was_killed);
            self.interrupted += usize::from(was_killed && left > 0);
            self.longest = if was_killed { self.longest + self.longest / 20 } else { self.longest - self.longest / 10 };
            if self.dice.happens(500) {
                // What waits again already runs now.
                jobs.tick();
            }
            if left == 0 || self.dice.happens(500) {
                return said.join("; ");
            }
            arguments = &["rerun", "--continue", "--yes"];
        }
    }
}

/// Returns how long a command takes that nothing interrupts.
fn calm(jobs: &Jobs, arguments: &[&str]) -> Duration {
    let begin = Instant::now();
    jobs.run(arguments);
    let calm = begin.elapsed();
    jobs.tick();
    calm
}

#[test]
fn a_rerun_that_is_killed_at_any_moment_is_continued_and_runs_nothing_twice() {
    let parts: &[&str] = if tier::is_soak() { &["a", "b", "c", "d", "e", "f"] } else { &["a", "b", "c"] };
    let jobs = Jobs::new(parts);
    let many = ["rerun", "--filter", "name=test", "--status", "succeeded", "--yes"];
    let again: Vec<String> = parts.iter().flat_map(|part| TIMES.map(|nominal| format!("{part} {nominal}"))).collect();
    let mut lives = Lives::new(1, calm(&jobs, &many));
    let mut round = 0;
    while !lives.are_enough() {
        round += 1;
        let (before, resets) = (jobs.runs(), jobs.resets());
        let context = format!("seed 1, round {round}: {}", lives.kill(&jobs, &many));
        if jobs.left() == 0 && jobs.resets() == resets {
            // It died before its plan was stored: nothing was done.
            jobs.run(&many);
        }
        jobs.run(&["rerun", "--continue", "--yes"]);
        jobs.tick();
        jobs.check(&before, &again, &context);
        assert!(round < 20 * deaths(), "{context}: {} deaths, {} of them in a plan", lives.killed, lives.interrupted);
    }
}

/// Returns the times of `hours` full hours that end before the start.
fn before_start(hours: usize) -> impl Iterator<Item = String> {
    let december = 31 * 24;
    (december - hours..december).map(|hour| format!("2009-12-{:02}T{:02}:00Z", hour / 24 + 1, hour % 24))
}

#[test]
fn a_backfill_that_is_killed_at_any_moment_is_continued_and_runs_nothing_twice() {
    let jobs = Jobs::new(&["a"]);
    let id = jobs.sandbox.database().value("SELECT id FROM coordinator_job");
    let fill = |from: &str| {
        let words = ["backfill", &id, "--from", from, "--to", TIMES[1], "--only", "missing", "--yes"];
        words.map(str::to_owned)
    };
    // Each round, two more times before the start are missing, and those inside the job are incomplete.
    let spoil = |round: usize| {
        for nominal in TIMES {
            std::fs::remove_file(jobs.sandbox.path(&format!("store/a/{nominal}/_SUCCESS"))).expect("it was written");
        }
        let times: Vec<String> = before_start(2 * round).collect();
        let again = times[..2].iter().map(String::as_str).chain(TIMES).map(|nominal| format!("a {nominal}")).collect();
        (fill(&times[0]), again)
    };
    let (first, _): (_, Vec<String>) = spoil(1);
    let mut lives = Lives::new(2, calm(&jobs, &first.each_ref().map(String::as_str)));
    let mut round = 1;
    while !lives.are_enough() {
        round += 1;
        let (arguments, again) = spoil(round);
        let arguments = arguments.each_ref().map(String::as_str);
        let before = jobs.runs();
        let context = format!("seed 2, round {round}: {}", lives.kill(&jobs, &arguments));
        jobs.run(&["rerun", "--continue", "--yes"]);
        jobs.tick();
        // Where nothing was stored everything is still missing, else nothing is.
        jobs.run(&arguments);
        jobs.tick();
        jobs.check(&before, &again, &context);
        assert!(round < 20 * deaths() && round < 300, "{context}: {} deaths", lives.killed);
    }
    assert_eq!(jobs.parts, ["a"]);
}

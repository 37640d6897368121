//! One year: time advances in random steps, data arrives late, workflow jobs take their time, operators type commands,
//! no tick runs for days, the clock leaps; after every step the rules are checked.

mod operators;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use howdah_internals::{Command, Script, Simulation};

use crate::laws;
use crate::ledger::{Ledger, MOST_EXTENDED};
use crate::oracle::{day_name, day_of, instant, text};
use crate::plan::{Input, PLANS};
use crate::reasons::Asked;
use howdah_sandbox::dice::Dice;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The most actions of one job that a tick creates in this test: few, so that the limit matters.
const PER_TICK: usize = 25;

/// Data that arrives.
struct Arrival {
    at: i64,
    job: usize,
    day: i64,
}

/// A running workflow job.
struct Work {
    workflow: String,
    begun: bool,
    /// When it ends, and how.
    ends_at: i64,
    script: Script,
}

struct Year {
    seed: u64,
    dice: Dice,
    root: PathBuf,
    simulation: Simulation,
    ledger: Ledger,
    /// The true time; the clock may show another.
    time: i64,
    /// By how much the clock is ahead.
    skew: i64,
    arrivals: Vec<Arrival>,
    work: Vec<Work>,
    steps: u64,
}

/// Simulates the year of a seed; returns how many actions there were.
pub(crate) fn simulate(seed: u64) -> u64 {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::Builder::new().prefix("howdah-year-").tempdir_in(place).expect("room for a folder");
    let mut year = Year::new(seed, folder.path());
    while year.time < instant("2027-01-01T00:00Z") {
        year.step();
    }
    year.finish()
}

impl Year {
    fn new(seed: u64, root: &Path) -> Self {
        let mut dice = Dice::new(seed);
        let start = instant("2025-12-31T00:00Z") + dice.between(0, 2000) * MINUTE;
        let workflow = r#"<workflow-app name="w" xmlns="uri:oozie:workflow:0.5"><start to="end"/><end name="end"/></workflow-app>"#;
        fs::create_dir(root.join("wf")).expect("a folder");
        fs::write(root.join("wf/workflow.xml"), workflow).expect("a file");
        let database = root.join("howdah.db");
        let site = BTreeMap::from([
            ("howdah.actions.per.tick".to_owned(), PER_TICK.to_string()),
            ("howdah.clock.leap.days".to_owned(), "80".to_owned()),
        ]);
        let mut simulation = Simulation::create(&database, &site, start).expect("a database");
        let mut ledger = Ledger::open(&database);
        let mut arrivals = Vec::new();
        for (index, plan) in PLANS.iter().enumerate() {
            let id = simulation.submit(&plan.write(root), start).unwrap_or_else(|why| panic!("{}: {why}", plan.name));
            ledger.enter(plan, id);
            if plan.input == Input::Nothing {
                continue;
            }
            for day in day_of(instant(plan.start)) - 2..=day_of(instant(plan.end) + MOST_EXTENDED) {
                let delay = dice.between(plan.delay_hours.0 * HOUR, plan.delay_hours.1 * HOUR);
                // Some days are missing until the very end.
                let lost = if dice.happens(40) { 500 * DAY } else { 0 };
                arrivals.push(Arrival { at: day * DAY + delay + lost, job: index, day });
            }
        }
        arrivals.sort_by_key(|arrival| std::cmp::Reverse(arrival.at));
        let root = root.to_owned();
        ledger.book(start);
        Self { seed, dice, root, simulation, ledger, time: start, skew: 0, arrivals, work: Vec::new(), steps: 0 }
    }

    /// Returns what the clock shows.
    fn now(&self) -> i64 {
        self.time + self.skew
    }

    fn step(&mut self) {
        self.steps += 1;
        self.time += match self.dice.between(1, 100) {
            1..=4 => self.dice.between(2 * DAY, 9 * DAY),
            5..=40 => self.dice.between(1, 90) * MINUTE,
            _ => self.dice.between(60, 2400) * MINUTE,
        };
        if self.dice.happens(60) {
            // Never more than a day back at once: such a tick would do nothing.
            let leaps = [0, 0, 0, 5 * MINUTE, 2 * HOUR, 9 * HOUR, -7 * MINUTE, -3 * HOUR, -14 * HOUR];
            self.skew = self.dice.one_of(&leaps);
        }
        self.deliver();
        self.work_on();
        self.operate();
        let asked = if self.dice.happens(500) { self.ask_why() } else { None };
        self.tick();
        if let Some(asked) = asked {
            asked.came_true(&self.ledger.jobs[asked.job], self.now());
        }
        if self.dice.happens(500) {
            self.ask_why();
        }
    }

    fn deliver(&mut self) {
        while let Some(arrival) = self.arrivals.pop_if(|arrival| arrival.at <= self.time) {
            let job = &mut self.ledger.jobs[arrival.job];
            let folder = self.root.join("data").join(job.plan.name).join(day_name(arrival.day));
            fs::create_dir(folder).expect("data comes once");
            job.present.insert(arrival.day);
        }
    }

    /// Starts workflow jobs that wait for a runner and ends those whose time has come.
    fn work_on(&mut self) {
        let now = self.now();
        for work in &mut self.work {
            // A killed runner arrives a step later, and no runner starts the jobs of a suspended job.
            let runs = self.ledger.running(&work.workflow).is_some_and(|job| !job.status.contains("SUSPENDED"));
            if !work.begun && runs && self.dice.happens(850) {
                // A workflow job that is rerun is running already.
                self.simulation.answer(&work.workflow, Script::Begins, now).expect("it is there");
                work.begun = true;
            }
        }
        let (due, rest): (Vec<Work>, Vec<Work>) =
            std::mem::take(&mut self.work).into_iter().partition(|work| work.begun && work.ends_at <= self.time);
        self.work = rest;
        for mut work in due {
            let ended = self.simulation.answer(&work.workflow, work.script, now).expect("it is there");
            // A suspended one ends after it is resumed; a killed one has ended.
            if !ended && self.is_open(&work.workflow) {
                // A workflow job that is rerun starts again.
                work.begun = false;
                self.work.push(work);
            }
        }
        self.book();
    }

    fn is_open(&self, workflow: &str) -> bool {
        let mut actions = self.ledger.jobs.iter().flat_map(|job| &job.actions);
        actions.any(|action| {
            action.workflow.as_deref() == Some(workflow) && matches!(action.status.as_str(), "RUNNING" | "SUSPENDED")
        })
    }

    fn tick(&mut self) {
        let now = self.now();
        loop {
            let postponed = self.simulation.tick(now).unwrap_or_else(|why| panic!("tick at {}: {why}", text(now)));
            let created = self.book();
            assert!(created.iter().all(|created| *created <= PER_TICK), "a storm: {created:?}");
            if postponed == 0 {
                break;
            }
        }
        for job in &self.ledger.jobs {
            laws::hold_after_tick(job, now);
        }
        self.find_work();
        if self.steps.is_multiple_of(20) {
            self.ledger.compare();
        }
    }

    /// Checks and records what was done.
    fn book(&mut self) -> Vec<usize> {
        let now = self.now();
        let created = self.ledger.book(now);
        for job in &self.ledger.jobs {
            laws::hold_always(job, now);
        }
        created
    }

    /// Gives every new workflow job its duration and its end.
    fn find_work(&mut self) {
        for job in &self.ledger.jobs {
            let running = job.actions.iter().filter(|action| action.status == "RUNNING");
            for workflow in running.filter_map(|action| action.workflow.as_ref()) {
                if self.work.iter().any(|work| work.workflow == *workflow) {
                    continue;
                }
                let hours = self.dice.one_of(&[0, 1, 3, 9, 30, 70]);
                let script = match self.dice.between(1, 100) {
                    1..=8 => Script::Fails,
                    9..=12 => Script::IsKilled,
                    _ => Script::Succeeds,
                };
                let ends_at = self.time + hours * HOUR;
                self.work.push(Work { workflow: workflow.clone(), begun: false, ends_at, script });
            }
        }
    }

    /// Asks why one action does not advance: one that waits, one that is READY, or the next of a job.
    fn ask_why(&mut self) -> Option<Asked> {
        let (now, wanted) = (self.now(), self.dice.one_of(&["WAITING", "WAITING", "READY", "none yet"]));
        let mut held = Vec::new();
        for (index, job) in self.ledger.jobs.iter().enumerate() {
            let actions = (1..).zip(&job.actions).filter(|(_, action)| action.status == wanted);
            held.extend(actions.map(|(number, _)| (index, number)));
            if wanted == "none yet" && job.not_created().is_some() {
                held.push((index, u32::try_from(job.actions.len()).expect("few") + 1));
            }
        }
        if held.is_empty() {
            return None;
        }
        let (index, number) = self.dice.one_of(&held);
        let job = &self.ledger.jobs[index];
        let explained = self.simulation.explain(&job.id, number, now);
        let explained = explained.unwrap_or_else(|why| panic!("{}@{number} at {}: {why}", job.id, text(now)));
        Some(Asked::about((index, job), number, &explained, (&self.root, now)))
    }

    /// The new year: everything that is missing arrives, everything resumes, and every job must end.
    fn finish(mut self) -> u64 {
        self.skew = 0;
        // After every end that an operator may have chosen.
        self.time += 3 * DAY + MOST_EXTENDED;
        for arrival in &mut self.arrivals {
            arrival.at = self.time;
        }
        self.deliver();
        for index in 0..self.ledger.jobs.len() {
            self.command(index, &Command::Resume);
            self.command(index, &Command::Change("pausetime=".to_owned()));
        }
        let mut left = 200;
        while left > 0
            && self.ledger.jobs.iter().any(|job| job.concurrency != 0 && !job.reopened && !laws::is_over(&job.status))
        {
            self.time += 4 * DAY;
            for index in 0..self.ledger.jobs.len() {
                self.wake(index);
            }
            self.work_on();
            self.tick();
            left -= 1;
        }
        self.ledger.compare();
        for job in &self.ledger.jobs {
            let told = format!("seed {}: {} {}", self.seed, job.plan.name, job.id);
            let open = job.count(&["WAITING", "SUBMITTED", "RUNNING", "SUSPENDED"]);
            assert_eq!(open, 0, "{told} is {} and has open actions", job.status);
            let cut_short = matches!(job.status.as_str(), "KILLED" | "FAILED" | "IGNORED");
            assert!(cut_short || job.not_created().is_none(), "{told} has only {} actions", job.actions.len());
            let stands = job.concurrency == 0 || job.reopened;
            assert!(stands || laws::is_over(&job.status), "{told} is {}", job.status);
        }
        self.ledger.jobs.iter().map(|job| job.actions.len() as u64).sum()
    }
}

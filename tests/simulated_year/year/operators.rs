//! What operators type in a year: any command, about any job, at any time.
//!
//! The command is random; howdah decides whether a job's status allows it.

use howdah_internals::Command;

use super::{DAY, MINUTE, Year};
use crate::laws;
use crate::ledger::MOST_EXTENDED;
use crate::oracle::{instant, text};

/// The codes with which a command may be refused.
const REFUSALS: &[&str] = &["E0605", "E1015", "E1016", "E1018", "E1022", "E1024"];

impl Year {
    /// Each job gets a command now and then.
    pub(super) fn operate(&mut self) {
        for index in 0..self.ledger.jobs.len() {
            let job = &self.ledger.jobs[index];
            let suspended = job.status.contains("SUSPENDED");
            let command = match self.dice.between(1, 1000) {
                1..=12 => Command::Suspend,
                13..=20 => Command::Resume,
                21 if self.time > instant("2026-09-01T00:00Z") => Command::Kill,
                22..=26 => Command::KillActions(self.some_actions(index)),
                27..=30 => Command::IgnoreActions(self.some_actions(index)),
                31 => Command::Ignore,
                32..=60 if laws::is_over(&job.status) => Command::Change("status=RUNNING".to_owned()),
                32..=44 => Command::Change(self.new_values(index)),
                61..=72 => self.rerun(index),
                // An operator who stops a job resumes it at some time.
                73..=200 if suspended || job.count(&["SUSPENDED"]) > 0 => {
                    self.wake(index);
                    continue;
                }
                201..=450 if job.pause.is_some() => Command::Change("pausetime=".to_owned()),
                _ => continue,
            };
            self.command(index, &command);
        }
    }

    /// Executes a command about a job.
    pub(super) fn command(&mut self, index: usize, command: &Command) {
        let id = self.ledger.jobs[index].id.clone();
        self.command_to(&id, command);
    }

    /// Executes a command; what the status does not allow must be refused with the code for that.
    fn command_to(&mut self, id: &str, command: &Command) {
        let now = self.now();
        if let Err(why) = self.simulation.command(id, command, now) {
            assert!(REFUSALS.iter().any(|code| why.contains(code)), "{command:?} {id}: {why}");
        }
        self.book();
    }

    /// Resumes a suspended job, or the workflow jobs of one that is not suspended.
    ///
    /// A rerun resumes a suspended job but not its suspended workflow jobs: then there is no job to resume, and each
    /// workflow job is resumed separately.
    pub(super) fn wake(&mut self, index: usize) {
        let job = &self.ledger.jobs[index];
        if job.status.contains("SUSPENDED") {
            self.command(index, &Command::Resume);
            return;
        }
        let suspended = job.actions.iter().filter(|action| action.status == "SUSPENDED");
        let workflows: Vec<String> = suspended.filter_map(|action| action.workflow.clone()).collect();
        for workflow in workflows {
            self.command_to(&workflow, &Command::Resume);
        }
    }

    fn rerun(&mut self, index: usize) -> Command {
        let (refresh, failed) = self.dice.one_of(&[(false, false), (false, false), (true, false), (false, true)]);
        Command::Rerun { actions: self.some_actions(index), refresh, failed }
    }

    /// Values in an operator's notation: a near pause, another end, another concurrency.
    fn new_values(&mut self, index: usize) -> String {
        let (now, job) = (self.now(), &self.ledger.jobs[index]);
        let planned = instant(job.plan.end);
        let most = MOST_EXTENDED.min((planned - instant(job.plan.start)) / 4);
        let minute = |at: i64| text(at - at.rem_euclid(MINUTE)).replace(":00Z", "Z");
        match self.dice.between(1, 10) {
            1..=6 => format!("pausetime={}", minute(now + self.dice.between(-5 * DAY, 20 * DAY))),
            7 | 8 => format!("endtime={}", minute(planned + self.dice.between(-most, most))),
            9 => format!("concurrency={}", self.dice.one_of(&[-1, 1, 2, 5])),
            _ => format!("endtime={};pausetime=", minute(planned)),
        }
    }

    /// Two ranges of numbers near the last action, in an operator's notation.
    fn some_actions(&mut self, index: usize) -> String {
        let last = i64::try_from(self.ledger.jobs[index].actions.len()).expect("few");
        let first = self.dice.between(1, last.max(1));
        format!("{first},{}-{}", (last - 2).max(1), last.max(1))
    }
}

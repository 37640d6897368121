//! What a step of the runner did, and whether another one may follow at once. Must not depend on how a step works.

use howdah_words::error::Error;

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum StepWork {
    #[default]
    None,
    /// Jobs changed, and another step would find no work before a process ends or the database changes.
    Settled,
    /// Another step may find more work immediately.
    Unsettled,
}

/// The result of a step of the runner.
#[derive(Debug, Default)]
pub struct StepReport {
    /// What it did, and whether more may follow.
    work: StepWork,
    /// Whether a coordinator action ended: a tick may start the next one.
    pub(crate) action_ended: bool,
    /// Whether any workflow job still needs a runner.
    pub active: bool,
    /// New problems of single jobs; the loop continues.
    pub problems: Vec<(String, Error)>,
}

/// What advancing a job changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Nothing,
    /// Another process changed the job: nothing was stored.
    Conflict,
    Job,
    /// The job changed, and the next step finds nothing to do in it unless something happens.
    ToWaiting,
    /// The job and its coordinator action ended.
    ActionEnded,
}

impl StepReport {
    /// The report of a step that had nothing to do.
    pub fn idle(active: bool) -> Self {
        Self { active, ..Self::default() }
    }

    /// Whether a job changed.
    pub(crate) fn has_worked(&self) -> bool {
        self.work != StepWork::None
    }

    /// Whether another step may find more work immediately.
    pub(crate) fn needs_another_step(&self) -> bool {
        self.work == StepWork::Unsettled
    }

    /// Notes what is left at the end of the step: whether waiting is enough to notice every change, and whether jobs
    /// are still to be advanced.
    pub(crate) fn leave_open(&mut self, may_wait: bool, has_pending: bool) {
        if has_pending || (self.work == StepWork::Settled && !may_wait) {
            self.work = StepWork::Unsettled;
        }
    }

    /// Adds what advancing a job changed.
    pub fn add(&mut self, changed: Changed) {
        self.work = self.work.max(match changed {
            Changed::Nothing => StepWork::None,
            Changed::ToWaiting => StepWork::Settled,
            Changed::Conflict | Changed::Job | Changed::ActionEnded => StepWork::Unsettled,
        });
        self.action_ended |= changed == Changed::ActionEnded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runner_waits_only_when_every_changed_job_does() {
        let check = |changes: &[Changed], (may_wait, has_pending): (bool, bool), expect: (bool, bool)| {
            let mut report = StepReport::default();
            for changed in changes {
                report.add(*changed);
            }
            report.leave_open(may_wait, has_pending);
            let found = (report.has_worked(), report.needs_another_step());
            assert_eq!(found, expect, "{changes:?} {may_wait} {has_pending}");
        };
        let done = (true, false);
        check(&[], done, (false, false));
        check(&[], (false, false), (false, false));
        check(&[], (true, true), (true, true));
        check(&[Changed::Nothing, Changed::ToWaiting], done, (true, false));
        check(&[Changed::ToWaiting], (false, false), (true, true));
        check(&[Changed::ToWaiting], (true, true), (true, true));
        for changed in [Changed::Job, Changed::Conflict, Changed::ActionEnded] {
            check(&[Changed::ToWaiting, changed, Changed::Nothing], done, (true, true));
        }
    }
}

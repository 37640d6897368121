//! Compares the order in which Oozie started the actions of a job.
//!
//! Of two actions that Oozie started clearly one after the other, both READY before, the first must come first here
//! too: in the recorded order where the shadow follows the ends, otherwise by the execution of the job.

use super::compare::Limits;
use super::difference::{ActionDifference, Field, Side};
use super::here::{HereAction, HereJob};
use super::oozie_state::OozieJob;
use howdah_words::model::status::Execution;
use howdah_words::model::time::{MINUTE, Timestamp};

/// How far apart two starts must be: Oozie starts several actions at a time, in any order.
const APART: i64 = 2 * MINUTE;

/// An action that both have started.
struct Start<'a> {
    number: u32,
    at: Timestamp,
    here: &'a HereAction,
}

/// Returns each pair of which another action should have come first, by the number of the later one.
pub(super) fn compare(here: &HereJob, there: &OozieJob, limits: Limits) -> Vec<(u32, ActionDifference)> {
    let both = here.actions.iter().filter_map(|(number, action)| {
        let at = there.actions.get(number)?.started.filter(|at| *at >= limits.began)?;
        action.ready.map(|_| Start { number: *number, at, here: action })
    });
    let mut starts: Vec<Start<'_>> = both.collect();
    starts.sort_by_key(|start| (start.at, start.number));
    let pairs = starts.windows(2).filter_map(|pair| match pair {
        [first, second] => difference(here, (first, second), limits).map(|found| (second.number, found)),
        _ => None,
    });
    pairs.collect()
}

fn difference(job: &HereJob, (first, second): (&Start<'_>, &Start<'_>), limits: Limits) -> Option<ActionDifference> {
    let was_ready = second.here.ready?.seconds() + limits.tolerance < first.at.seconds();
    if second.at.seconds() - first.at.seconds() < APART || !was_ready {
        return None;
    }
    let is_reversed = match (first.here.started, second.here.started) {
        (Some((_, one)), Some((_, other))) if limits.follows => other < one,
        _ if limits.follows => false,
        _ if job.job.execution == Execution::Fifo => second.here.nominal < first.here.nominal,
        _ => second.here.nominal > first.here.nominal,
    };
    let side = |earlier: u32, later: u32, at| Side {
        status: Some(format!("action {earlier} before action {later}")),
        at,
        note: None,
    };
    is_reversed.then(|| ActionDifference {
        field: Field::StartOrder,
        oozie: side(first.number, second.number, Some(second.at)),
        here: side(second.number, first.number, second.here.started.map(|(at, _)| at)),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::shadow::oozie_state::OozieAction;
    use howdah_testing::rows::coordinator_job;
    use howdah_words::model::job_status::JobStatus;
    use howdah_words::model::row::{CoordinatorKey, ShadowJob};
    use howdah_words::model::status::ActionStatus;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_seconds(minutes * 60)
    }

    /// Actions 1 and 2: when each was READY here, its place among the starts here, and when Oozie started it.
    fn check(execution: Execution, follows: bool, actions: [(i64, usize, i64); 2], expect: Option<u32>) {
        let here = |(number, (ready, place, _)): (u32, (i64, usize, i64))| {
            let action = HereAction {
                status: ActionStatus::Succeeded,
                nominal: at(number.into()),
                created: at(0),
                ready: Some(at(ready)),
                started: Some((at(ready), place)),
                ended: None,
                waits_for: None,
            };
            (number, action)
        };
        let there = |(number, (_, _, started)): (u32, (i64, usize, i64))| {
            (number, OozieAction { started: Some(at(started)), ..OozieAction::default() })
        };
        let followed = ShadowJob { job: CoordinatorKey::default(), oozie_id: "1-C".to_owned(), first_number: 1 };
        let mut job = coordinator_job(JobStatus::RUNNING);
        job.execution = execution;
        let here = HereJob { job, followed, actions: (1..).zip(actions).map(here).collect() };
        let actions: BTreeMap<u32, OozieAction> = (1..).zip(actions).map(there).collect();
        let limits = Limits { tolerance: 900, began: at(0), horizon: at(900), follows, first_number: 1 };
        let found = compare(&here, &OozieJob { status: "RUNNING".to_owned(), actions, ..OozieJob::default() }, limits);
        assert_eq!(found.first().map(|(number, _)| *number), expect, "{execution} {follows}");
    }

    #[test]
    fn the_first_of_two_ready_actions_comes_first_here_too() {
        use Execution as E;
        // Oozie starts action 1, then action 2.
        check(E::Fifo, false, [(10, 1, 100), (10, 2, 110)], None);
        check(E::Lifo, false, [(10, 1, 100), (10, 2, 110)], Some(2));
        check(E::Fifo, true, [(10, 1, 100), (10, 2, 110)], None);
        check(E::Fifo, true, [(10, 2, 100), (10, 1, 110)], Some(2));
        // Oozie starts action 2, then action 1.
        check(E::Fifo, false, [(10, 1, 110), (10, 2, 100)], Some(1));
        check(E::Lifo, false, [(10, 1, 110), (10, 2, 100)], None);
        // Action 1 was READY only after the start of action 2, or perhaps.
        check(E::Fifo, false, [(105, 1, 110), (10, 2, 100)], None);
        check(E::Fifo, false, [(90, 1, 110), (10, 2, 100)], None);
        // Oozie may start several at a time, in any order.
        check(E::Fifo, false, [(10, 1, 101), (10, 2, 100)], None);
    }
}

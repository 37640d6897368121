//! Compares the order in which Oozie started the actions of a job, where an export shows it.
//!
//! It shows it only in part: when an action became READY is not recorded. An action without inputs is READY soon after
//! its creation, so of two actions that started one after the other it is known which had to start first, when the
//! second existed long before the first started.

use super::difference::{Difference, Field};
use super::job::Compiled;
use super::report::Collector;
use super::starts::Start;
use super::tables::Tables;
use crate::oozie_export::LocalSeconds;
use howdah_calendar::Zone;
use howdah_oozie::coordinator::queue;
use howdah_oozie::coordinator::readiness::Strategy;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// How long before a start an action must have existed to be READY then. More than an hour, because the dates have no
/// zone and the clocks may have been put back.
const READY_AFTER: i64 = HOUR + 10 * MINUTE;

/// How far apart two starts must be: Oozie starts several actions at a time, in any order.
const APART: i64 = 2 * MINUTE;

/// Compares the order of start of all jobs. A date that the clocks of the zone showed twice gives no order.
pub(super) fn compare(tables: &Tables, zone: Option<&Zone>, collector: &mut Collector) {
    for (index, starts) in std::mem::take(&mut collector.starts.by_job) {
        let job = tables.jobs.at(index);
        let Ok(compiled) = job.compile(None) else { continue };
        let known = |start: Start| {
            let workflow = tables.workflow(&start.workflow).filter(|workflow| !workflow.is_rerun)?;
            Some((workflow.created, start))
        };
        let is_clear = |(at, _): &(LocalSeconds, Start)| !zone.is_some_and(|zone| zone.has_twice(at.0));
        let mut starts: Vec<(LocalSeconds, Start)> = starts.into_iter().filter_map(known).filter(is_clear).collect();
        starts.sort_by_key(|(at, start)| (*at, start.number));
        for pair in starts.windows(2) {
            let [(at, first), (later, second)] = pair else { continue };
            if later.0 - at.0 < APART || second.created.0 + READY_AFTER > at.0 {
                continue;
            }
            collector.starts.compared += 1;
            if first_of(&compiled, first, second) == Some(second.number) {
                let difference = Difference {
                    field: Field::StartOrder,
                    name: None,
                    recorded: format!("action {} started before action {}", first.number, second.number),
                    computed: format!("action {} starts first", second.number),
                    ruling: None,
                };
                collector.add_late((index, &job.row.id), first.number, difference);
            }
        }
    }
}

/// Returns which of two READY actions starts first.
fn first_of(compiled: &Compiled, one: &Start, other: &Start) -> Option<u32> {
    let coordinator = &compiled.application.coordinator;
    let strategy = Strategy {
        execution: coordinator.controls.execution,
        schedule: &coordinator.schedule,
        none_tolerance_minutes: i64::MAX,
    };
    let ready = [one, other].map(ready_action);
    // Long before both: nothing is skipped then.
    let selection = queue::select(ready.into(), -1, 0, &strategy, Timestamp::EPOCH);
    selection.turns.first().map(|action| action.number)
}

fn ready_action(start: &Start) -> CoordinatorAction {
    let key = ActionKey { job: CoordinatorKey::default(), number: start.number };
    CoordinatorAction::unstarted(key, ActionStatus::Ready, start.nominal)
}

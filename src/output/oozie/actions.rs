//! The actions that a command of Oozie has changed.

use crate::output::oozie::{Lines, NO_ACTIONS, OozieZone};
use howdah_engine::apply::outcome::ActionChange;
use howdah_engine::format::read_time;

/// What `-kill` and `-rerun` of actions print; the times are in the zone of the machine.
pub(crate) fn changed(actions: &[ActionChange], local: &OozieZone) -> String {
    let mut lines = Lines::default();
    if actions.is_empty() {
        lines.add(NO_ACTIONS);
        return lines.text();
    }
    lines.tabs(["Action ID", "Nominal Time"]);
    lines.ruler();
    for action in actions {
        lines.tabs([&action.id, &local.minutes(read_time(&action.nominal_time).ok())]);
    }
    lines.text()
}

/// What `-ignore` of actions prints: nothing without actions.
pub(crate) fn ignored(actions: &[ActionChange], local: &OozieZone) -> String {
    let mut lines = Lines::default();
    if actions.is_empty() {
        return lines.text();
    }
    lines.tabs(["Action ID", "Nominal Time", "Status"]);
    lines.ruler();
    for action in actions {
        let status = action.status.as_deref().unwrap_or("-");
        lines.tabs([&action.id, &local.minutes(read_time(&action.nominal_time).ok()), status]);
    }
    lines.text()
}

//! The zone in which a person's table shows times: the processing time zone, or the one of `--timezone` and
//! `--localtime`.
//!
//! The structs hold times as they are told; here those of one struct are rewritten for a table.

use crate::calendar::{LocalTime, Zone};
use crate::engine::format::read_time;
use crate::error::{Error, ErrorCode, Result};
use crate::query::bundle::BundleJobView;
use crate::query::coordinator::{CoordinatorActionView, CoordinatorJobView};
use crate::query::workflow::{NodeView, WorkflowJobView};

/// A zone for tables; the default leaves times as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableZone(Option<Zone>);

impl TableZone {
    /// The zone of an id.
    ///
    /// # Errors
    /// H0002 for an id that is no zone, with a near one.
    pub(crate) fn parse(id: &str) -> Result<Self> {
        match Zone::parse(id) {
            Ok(zone) => Ok(Self(Some(zone))),
            Err(error) => Err(Error::new(ErrorCode::H0002, &error).help(error.help())),
        }
    }

    /// Rewrites one time, `2026-03-01T05:00Z`, as the zone's clocks show it: `2026-03-01 06:00 CET`.
    fn show(&self, time: &mut String) {
        let Some(zone) = &self.0 else { return };
        if let Ok(at) = read_time(time) {
            let local = LocalTime::of(zone, at).to_string().replace('T', " ");
            *time = format!("{local} {}", zone.abbreviation(at));
        }
    }

    fn show_all<'t>(&self, times: impl IntoIterator<Item = Option<&'t mut String>>) {
        times.into_iter().flatten().for_each(|time| self.show(time));
    }

    /// Rewrites the times of a coordinator job and its actions.
    pub(crate) fn coordinator_job(&self, job: &mut CoordinatorJobView) {
        self.show_all([
            Some(&mut job.start_time),
            Some(&mut job.end_time),
            Some(&mut job.created_time),
            job.pause_time.as_mut(),
            job.next_time.as_mut(),
        ]);
        job.actions.iter_mut().flatten().for_each(|action| self.coordinator_action(action));
    }

    /// Rewrites the times of a bundle job and its coordinators.
    pub(crate) fn bundle_job(&self, job: &mut BundleJobView) {
        self.show_all([
            Some(&mut job.created_time),
            job.kickoff_time.as_mut(),
            job.start_time.as_mut(),
            job.end_time.as_mut(),
            job.pause_time.as_mut(),
            job.ended_time.as_mut(),
        ]);
        job.bundle_coord_jobs.iter_mut().flatten().for_each(|job| self.coordinator_job(job));
    }

    /// Rewrites the times of an action.
    pub(crate) fn coordinator_action(&self, action: &mut CoordinatorActionView) {
        let CoordinatorActionView { nominal_time, created_time, last_modified_time, .. } = action;
        self.show_all([Some(nominal_time), Some(created_time), Some(last_modified_time)]);
    }

    /// Rewrites the times of a workflow job and its nodes.
    pub(crate) fn workflow_job(&self, job: &mut WorkflowJobView) {
        self.show_all([
            Some(&mut job.created_time),
            Some(&mut job.last_mod_time),
            job.start_time.as_mut(),
            job.end_time.as_mut(),
        ]);
        job.actions.iter_mut().flatten().for_each(|node| self.node(node));
    }

    /// Rewrites the times of a node.
    pub(crate) fn node(&self, node: &mut NodeView) {
        self.show_all([node.start_time.as_mut(), node.end_time.as_mut()]);
        for attempt in node.attempts.iter_mut().flatten() {
            self.show_all([Some(&mut attempt.start_time), attempt.end_time.as_mut()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(zone: &str, time: &str, expect: &str) {
        let mut shown = time.to_owned();
        TableZone::parse(zone).unwrap().show(&mut shown);
        assert_eq!(shown, expect, "{zone}");
    }

    #[test]
    fn times_as_the_clocks_of_a_zone_show_them() {
        check("Europe/Vienna", "2026-03-29T00:59Z", "2026-03-29 01:59 CET");
        check("Europe/Vienna", "2026-03-29T01:00Z", "2026-03-29 03:00 CEST");
        check("GMT+05:30", "2026-03-01T05:00Z", "2026-03-01 10:30 +05:30");
        check("UTC", "2026-03-01T05:00Z", "2026-03-01 05:00 UTC");
        let error = TableZone::parse("Europe/Viena").unwrap_err();
        assert_eq!(error.help_text(), Some("did you mean Europe/Vienna?"));
    }
}

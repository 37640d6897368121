//! Bundle jobs in Oozie's texts, and the list of their actions.

use crate::output::oozie::{Heads, Lines, OozieZone, Style, list, or_dash};
use howdah_answers::query::bulk::BulkActionView;
use howdah_answers::query::bundle::BundleJobView;

const MEMBER_WIDTHS: [usize; 6] = [41, 15, 5, 13, 24, 24];

/// `oozie job -info BUNDLE`; the kick-off time is in the zone of the machine.
pub(crate) fn info(job: &BundleJobView, style: &Style, local: &OozieZone) -> String {
    let mut lines = Lines::default();
    lines.labelled("Job ID ", &job.bundle_job_id);
    lines.ruler();
    lines.labelled("Job Name ", or_dash(Some(&job.bundle_job_name)));
    lines.labelled("App Path ", or_dash(Some(&job.bundle_job_path)));
    lines.labelled("Status   ", job.status.as_str());
    lines.labelled("Kickoff time   ", local.date(job.kickoff_time));
    lines.ruler();
    lines.row(MEMBER_WIDTHS, ["Job ID", "Status", "Freq", "Unit", "Started", "Next Materialized"]);
    lines.ruler();
    for member in job.bundle_coord_jobs.iter().flatten() {
        let started = style.zone.time(Some(member.start_time), style.verbose);
        let next = style.zone.time(member.next_materialized_time, style.verbose);
        let status = member.status.as_str();
        let cells = [&member.coord_job_id, status, &member.frequency, &member.time_unit, &started, &next];
        lines.row(MEMBER_WIDTHS, cells);
        lines.ruler();
    }
    lines.text()
}

const JOB_WIDTHS: [usize; 7] = [41, 15, 10, 20, 20, 13, 13];

/// `oozie jobs` of bundles.
pub(crate) fn jobs(jobs: &[BundleJobView], style: &Style) -> String {
    let heads = Heads {
        verbose: [
            "Job ID",
            "Bundle Name",
            "Bundle Path",
            "User",
            "Group",
            "Status",
            "Kickoff",
            "Pause",
            "Created",
            "Console URL",
        ],
        columns: ["Job ID", "Bundle Name", "Status", "Kickoff", "Created", "User", "Group"],
        widths: JOB_WIDTHS,
    };
    list(jobs, style, &heads, |lines, job| add_job(lines, job, style))
}

fn add_job(lines: &mut Lines, job: &BundleJobView, style: &Style) {
    let time = |at| style.zone.time(at, style.verbose);
    let (name, status) = (or_dash(Some(&job.bundle_job_name)), job.status.as_str());
    let (user, group) = (or_dash(Some(&job.user)), or_dash(job.group.as_deref()));
    let (kickoff, created) = (time(job.kickoff_time), time(Some(job.created_time)));
    if style.verbose {
        let path = or_dash(Some(&job.bundle_job_path));
        let pause = time(job.pause_time);
        lines.tabs([&job.bundle_job_id, name, path, user, group, status, &kickoff, &pause, &created, "-"]);
    } else {
        lines.row(JOB_WIDTHS, [&job.bundle_job_id, name, status, &kickoff, &created, user, group]);
    }
}

const BULK_WIDTHS: [usize; 8] = [13, 38, 13, 41, 10, 38, 21, 38];

/// `oozie jobs -bulk`; the header is repeated for each action.
pub(crate) fn bulk(rows: &[BulkActionView], style: &Style) -> String {
    let mut lines = Lines::default();
    if rows.is_empty() {
        lines.add("Bulk request criteria did not match any coordinator actions");
    }
    for row in rows {
        add_bulk(&mut lines, row, style);
    }
    lines.text()
}

fn add_bulk(lines: &mut Lines, row: &BulkActionView, style: &Style) {
    let (bundle, action) = (&row.bulkbundle, &row.bulkaction);
    let (name, coordinator) = (or_dash(Some(&bundle.bundle_job_name)), or_dash(Some(&row.bulkcoord.coord_job_name)));
    let (external, message) = (or_dash(action.external_id.as_deref()), or_dash(action.error_message.as_deref()));
    let created = style.zone.minutes(Some(action.created_time));
    let status = action.status.as_str();
    if style.verbose {
        lines.add("");
        lines.labelled("Bundle Name ", name);
        lines.ruler();
        lines.labelled("Bundle ID        ", &bundle.bundle_job_id);
        lines.labelled("Coordinator Name ", coordinator);
        lines.labelled("Coord Action ID  ", &action.id);
        lines.labelled("Action Status    ", status);
        lines.labelled("External ID      ", external);
        lines.labelled("Created Time     ", created);
        lines.labelled("User             ", or_dash(Some(&bundle.user)));
        lines.labelled("Error Message    ", message);
    } else {
        let header = [
            "Bundle Name",
            "Bundle ID",
            "Coord Name",
            "Coord Action ID",
            "Status",
            "External ID",
            "Created Time",
            "Error Message",
        ];
        lines.row(BULK_WIDTHS, header);
        lines.ruler();
        let cells = [name, &bundle.bundle_job_id, coordinator, &action.id, status, external, &created, message];
        lines.row(BULK_WIDTHS, cells);
    }
    lines.ruler();
}

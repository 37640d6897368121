//! Recomputes every action that an export of an Oozie database records, and compares.
//!
//! Reads the export alone: no database, no clock, no input data. Each action is computed by the code of submission and
//! tick; what those would read from files is taken from the record.

mod action;
mod compared;
mod comparison;
mod configuration;
mod dependencies;
mod difference;
mod includes;
mod instances;
pub(in crate::check) mod job;
mod nominal_times;
mod presence;
mod report;
pub(in crate::check) mod rows;
mod start_order;
mod starts;
mod tables;

use crate::calendar::Zone;
use crate::coordinator::settings::SubmitSettings;
use crate::error::{Error, ErrorCode, Result};
use crate::host::line_files::LineFiles;
use crate::host::thread_pool;
use crate::oozie_export::{ACTIONS, BUNDLES, BundleRow, COORDINATORS, CoordinatorRow, WORKFLOWS, WorkflowRow};
use crate::oozie_export::{ZoneClues, ZoneFound};
use job::Job;
use report::Collector;
use rows::Rows;
use tables::{Jobs, Tables};

pub(crate) use difference::Ruling;
pub(crate) use report::{Explained, JobDifference, Report};

/// The lines that are compared together, on all processors.
const BATCH: usize = 256;

/// What a backtest needs besides the export.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) settings: &'a SubmitSettings,
    /// The zone of the export's dates; found from the rows where it is not given.
    pub(crate) zone: Option<&'a Zone>,
}

/// Compares all actions of an export.
///
/// # Errors
/// H0190 when the export cannot be opened or has no coordinator jobs. Everything else is in the report.
pub(crate) fn backtest(files: &mut LineFiles, request: Request<'_>) -> Result<Report> {
    let mut collector = Collector::default();
    let tables = read_tables(files, request, &mut collector)?;
    compare_actions(files, request, &tables, &mut collector)?;
    start_order::compare(&tables, &mut collector);
    let zone = settle_zone(request.zone, &mut collector);
    Ok(collector.report(&tables, zone))
}

/// Reads all tables but that of the actions.
fn read_tables(files: &mut LineFiles, request: Request<'_>, collector: &mut Collector) -> Result<Tables> {
    let bundles = Rows::read_all(files, BUNDLES, BundleRow::read, &mut collector.problems)?.unwrap_or_default();
    let workflows = Rows::read_all(files, WORKFLOWS, WorkflowRow::read, &mut collector.problems)?.unwrap_or_default();
    let rows = Rows::read_all(files, COORDINATORS, CoordinatorRow::read, &mut collector.problems)?;
    let rows = rows.ok_or_else(|| files.refuse(&format!("it has no table {COORDINATORS}")))?;
    let jobs: Vec<Job> = thread_pool::map(&rows, |row| Job::new(row.clone(), request.settings));
    for (job, errors) in jobs.iter().zip(thread_pool::map(&jobs, |job| job.compile(None).err())) {
        collector.problems.extend(errors.into_iter().flatten());
        if let Some((local, at)) = job.row.start.zip(job.start()) {
            collector.clues.add(local, at);
        }
    }
    for (job, index) in jobs.iter().zip(0..) {
        job.differences().into_iter().for_each(|difference| collector.add_of_job(index, &job.row.id, difference));
    }
    Ok(Tables::new(Jobs::new(jobs), bundles, workflows))
}

fn compare_actions(
    files: &mut LineFiles,
    request: Request<'_>,
    tables: &Tables,
    collector: &mut Collector,
) -> Result<()> {
    let absent = files.refuse(&format!("it has no table {ACTIONS}"));
    let full = files.refuse("so many rows cannot be used that the rest was not read");
    let mut rows = Rows::open(files, ACTIONS)?.ok_or(absent)?;
    let mut batch = Vec::new();
    while !collector.is_full() && rows.batch(BATCH, &mut batch) {
        for compared in thread_pool::map(&batch, |line| rows::compare_line(tables, request.zone, line)) {
            collector.take(compared);
        }
    }
    collector.problems.extend(rows.ended);
    if collector.is_full() {
        collector.problems.push(full);
    }
    Ok(())
}

/// Returns the zone of the dates, in words; reports that there is none when the dates need one.
fn settle_zone(given: Option<&Zone>, collector: &mut Collector) -> Option<String> {
    if let Some(zone) = given {
        return Some(zone.id().to_owned());
    }
    let unknown = |why: &str| {
        Error::new(ErrorCode::H0192, why)
            .help("name the zone of the machine on which the export tool ran, with --zone America/Los_Angeles")
    };
    let clues: &ZoneClues = &collector.clues;
    match clues.find() {
        ZoneFound::Zone { zone, others: 0 } => Some(zone.id().to_owned()),
        ZoneFound::Zone { zone, others } => Some(format!("{} ({others} other zones had the same offsets)", zone.id())),
        ZoneFound::NoClue if collector.actions == 0 => None,
        ZoneFound::NoClue => {
            collector.problems.push(unknown("no row shows it"));
            None
        }
        ZoneFound::None => {
            collector.problems.push(unknown("no zone fits all rows"));
            None
        }
    }
}

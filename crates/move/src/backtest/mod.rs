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
pub(crate) mod job;
mod nominal_times;
mod presence;
mod report;
pub(crate) mod rows;
mod start_order;
mod starts;
mod tables;

use std::ops::ControlFlow;

use crate::oozie_export::ZoneFound;
use crate::oozie_export::{ACTIONS, BUNDLES, BundleRow, COORDINATORS, CoordinatorRow, Fields, WORKFLOWS, WorkflowRow};
use howdah_calendar::Zone;
use howdah_host::line_files::LineFiles;
use howdah_host::thread_pool;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_words::error::{Error, ErrorCode, Result};
use job::Job;
use report::Collector;
use rows::Rows;
use tables::{Jobs, Tables};

pub use difference::Ruling;
pub use report::{Explained, JobDifference, Report};

/// The lines that are read before they are compared. The threads of a batch end with it, and each start of one costs as
/// much as several lines.
const BATCH: usize = 256;

/// What a backtest needs besides the export.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub settings: &'a SubmitSettings,
    /// The zone of the export's dates; found from the rows where it is not given.
    pub zone: Option<&'a Zone>,
}

/// Compares all actions of an export.
///
/// # Errors
/// H0190 when the export cannot be opened or has no coordinator jobs. Everything else is in the report.
pub fn backtest(files: &mut LineFiles, request: Request<'_>) -> Result<Report> {
    let mut of_workflows = files.again()?;
    let (workflows, compared) = thread_pool::both(|| read_workflows(&mut of_workflows), || compare(files, request));
    let (mut tables, mut collector) = compared?;
    let (workflows, problems) = workflows?;
    collector.problems.splice(0..0, problems);
    tables.set_workflows(workflows);
    let zone = found_zone(request.zone, &collector);
    start_order::compare(&tables, zone.as_ref().ok().map(|(zone, _)| zone), &mut collector);
    let zone = settle_zone(zone, &mut collector);
    Ok(collector.report(&tables, zone))
}

/// Reads what is known of the workflow jobs, and the rows that cannot be used.
fn read_workflows(files: &mut LineFiles) -> Result<(Vec<WorkflowRow>, Vec<Error>)> {
    let mut problems = Vec::new();
    let rows = read_table(files, WORKFLOWS, WorkflowRow::read, &mut problems)?;
    Ok((rows, problems))
}

/// Reads a table without which the actions can be compared; one that is missing is a problem all the same.
fn read_table<T>(
    files: &mut LineFiles,
    name: &str,
    read: impl Fn(&Fields<'_>) -> Result<T, String>,
    problems: &mut Vec<Error>,
) -> Result<Vec<T>> {
    let rows = Rows::read_all(files, name, read, problems)?;
    Ok(rows.unwrap_or_else(|| {
        problems.push(files.refuse(&format!("it has no table {name}")));
        Vec::new()
    }))
}

/// Compares the jobs and their actions.
fn compare(files: &mut LineFiles, request: Request<'_>) -> Result<(Tables, Collector)> {
    let mut collector = Collector::default();
    let tables = read_tables(files, request, &mut collector)?;
    compare_actions(files, request, &tables, &mut collector)?;
    Ok((tables, collector))
}

/// Reads the tables of bundles and of jobs, and compares the jobs.
fn read_tables(files: &mut LineFiles, request: Request<'_>, collector: &mut Collector) -> Result<Tables> {
    let bundles = read_table(files, BUNDLES, BundleRow::read, &mut collector.problems)?;
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
    Ok(Tables::new(Jobs::new(jobs), bundles))
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
    let flow = thread_pool::read_and_map(
        || {
            let mut batch = Vec::with_capacity(BATCH);
            rows.batch(BATCH, &mut batch).then_some(batch)
        },
        |line| rows::compare_line(tables, request.zone, line),
        |compared| {
            collector.take(compared);
            if collector.is_full() { ControlFlow::Break(full.clone()) } else { ControlFlow::Continue(()) }
        },
    );
    collector.problems.extend(rows.ended);
    collector.problems.extend(flow.break_value());
    Ok(())
}

/// Returns the zone of the dates: the given one, or the one that fits the rows, with how many others fit.
fn found_zone(given: Option<&Zone>, collector: &Collector) -> Result<(Zone, usize), ZoneFound> {
    match given.map_or_else(|| collector.clues.find(), |zone| ZoneFound::Zone { zone: zone.clone(), others: 0 }) {
        ZoneFound::Zone { zone, others } => Ok((zone, others)),
        none => Err(none),
    }
}

/// Returns the zone of the dates, in words; reports that there is none when the dates need one.
fn settle_zone(found: Result<(Zone, usize), ZoneFound>, collector: &mut Collector) -> Option<String> {
    let why = match found {
        Ok((zone, 0)) => return Some(zone.id().to_owned()),
        Ok((zone, others)) => return Some(format!("{} ({others} other zones had the same offsets)", zone.id())),
        Err(ZoneFound::NoClue) if collector.actions == 0 => return None,
        Err(ZoneFound::NoClue) => "no row shows it",
        Err(_) => "no zone fits all rows",
    };
    let error = Error::new(ErrorCode::H0192, why);
    let help = "name the zone of the machine on which the export tool ran, with --zone America/Los_Angeles";
    collector.problems.push(error.help(help));
    None
}

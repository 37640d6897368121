//! Reads the lines of a table; a line that cannot be used is reported with its place, and the others are read.

use super::compared::{Compared, MOST_KEPT};
use super::comparison::{Action, Comparison};
use super::difference::{Difference, Field};
use super::tables::Tables;
use crate::oozie_export::{ACTIONS, ActionRow, Blob, Fields, LocalSeconds, Missing, RecordedAction};
use howdah_calendar::{ProcessingZone, Zone};
use howdah_host::line_files::{LineFiles, Lines};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{HOUR, Timestamp};

/// The most bytes of the lines of a batch.
const MOST_BYTES: usize = 32 << 20;

/// The bytes of most lines.
const USUAL_LINE: usize = 16 << 10;

/// A line of a table.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) number: u64,
    text: Vec<u8>,
}

/// The lines of a table.
pub(crate) struct Rows<'a> {
    lines: Lines<'a>,
    name: &'a str,
    /// Why the reading ended before the end of the table.
    pub(super) ended: Option<Error>,
}

impl<'a> Rows<'a> {
    /// Opens a table; `None` when the export has none of that name.
    ///
    /// # Errors
    /// H0190 when it cannot be opened.
    pub(super) fn open(files: &'a mut LineFiles, name: &'a str) -> Result<Option<Self>> {
        Ok(files.lines(name)?.map(|lines| Self { lines, name, ended: None }))
    }

    /// Reads the whole of a table; `None` when the export has none of that name.
    pub(crate) fn read_all<T>(
        files: &mut LineFiles,
        name: &str,
        read: impl Fn(&Fields<'_>) -> Result<T, String>,
        problems: &mut Vec<Error>,
    ) -> Result<Option<Vec<T>>> {
        let Some(mut rows) = Rows::open(files, name)? else { return Ok(None) };
        let (mut batch, mut found) = (Vec::new(), Vec::new());
        while problems.len() < MOST_KEPT && rows.batch(1, &mut batch) {
            for line in &batch {
                match Fields::read(&line.text).and_then(|fields| read(&fields)) {
                    Ok(row) => found.push(row),
                    Err(why) => problems.push(unusable(name, line, &why)),
                }
            }
        }
        problems.extend(rows.ended);
        Ok(Some(found))
    }

    /// Reads at most so many lines; returns whether there were any.
    pub(super) fn batch(&mut self, most: usize, batch: &mut Vec<Line>) -> bool {
        batch.clear();
        let mut bytes = 0;
        while self.ended.is_none() && batch.len() < most && bytes < MOST_BYTES {
            let mut text = Vec::with_capacity(USUAL_LINE);
            match self.lines.next(&mut text) {
                Ok(true) => {
                    bytes += text.len();
                    batch.push(Line { number: self.lines.number, text });
                }
                Ok(false) => break,
                Err(error) => {
                    let why = format!("the table cannot be read further: {error}");
                    let line = self.lines.number + 1;
                    self.ended = Some(Error::with(ErrorCode::H0191, &[&self.name, &line, &why]));
                }
            }
        }
        !batch.is_empty()
    }
}

fn unusable(table: &str, line: &Line, why: &str) -> Error {
    Error::with(ErrorCode::H0191, &[&table, &line.number, &why])
}

/// Compares the action of a line.
///
/// # Errors
/// H0191 when the row cannot be used.
pub(super) fn compare_line(tables: &Tables, zone: Option<&Zone>, line: &Line) -> Result<Compared> {
    let compare = || {
        let fields = Fields::read(&line.text)?;
        compare_row(tables, zone, ActionRow::read(&fields)?)
    };
    compare().map_err(|why: String| unusable(ACTIONS, line, &why))
}

fn compare_row(tables: &Tables, zone: Option<&Zone>, mut row: ActionRow) -> Result<Compared, String> {
    let (index, job) = tables.jobs.find(&row.job).ok_or_else(|| {
        format!("the export has no usable coordinator job [{}], to which the action [{}] belongs", row.job, row.id)
    })?;
    let number = u32::try_from(row.number).ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| format!("the number of the action is [{}]", row.number))?;
    let recorded = recorded(&mut row)?;
    let nominal = nominal(&row, &recorded, (zone, job.processing()))?;
    let missing = missing(&mut row)?;
    let created_configuration = row.created_configuration.take();
    let compiled = match job.compile(created_configuration.as_ref()) {
        Ok(compiled) => Some(compiled),
        // What is wrong with the job itself is reported once.
        Err(_) if job.compile(None).is_err() => None,
        Err(errors) => return Err(unusable_configuration(created_configuration.as_ref(), &errors)),
    };
    let is_without_inputs =
        compiled.as_ref().is_some_and(|compiled| compiled.application.coordinator.inputs.is_empty());
    let differences = compiled.map(|compiled| {
        let modified = row.modified.map(|modified| instant(modified, zone, (row.nominal, nominal)));
        let action = Action { row: &row, number, nominal, recorded: &recorded, missing: &missing, modified };
        let mut differences = Comparison::run(job, &compiled, &action);
        differences.extend(zone.and_then(|zone| wrong_date(&row, nominal, zone)));
        differences
    });
    let clue = row.nominal.filter(|_| recorded.nominal.is_some() && zone.is_none());
    Ok(Compared { job: index, number, nominal, clue, is_without_inputs, differences, row })
}

/// Says why a job cannot be compiled with the configuration that it had when an action was created.
fn unusable_configuration(blob: Option<&Blob>, errors: &[Error]) -> String {
    let why = blob.and_then(|blob| blob.text().err());
    let why = why.or_else(|| errors.first().map(ToString::to_string));
    format!("the field [createdConf]: {}", why.unwrap_or_default())
}

/// Takes a blob and reads it.
fn read<T>(
    blob: &mut Option<Blob>,
    field: &str,
    read: impl FnOnce(String) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let text = blob.take().map(|blob| blob.text().and_then(read)).transpose();
    text.map_err(|why| format!("the field [{field}]: {why}"))
}

fn recorded(row: &mut ActionRow) -> Result<RecordedAction, String> {
    let name = format!("{} (actionXml)", row.id);
    let recorded = read(&mut row.definition, "actionXml", |text| RecordedAction::read(&name, text))?;
    recorded.ok_or_else(|| "the field [actionXml] is missing".to_owned())
}

fn missing(row: &mut ActionRow) -> Result<Vec<Missing>, String> {
    let pull = read(&mut row.missing, "missingDependencies", |text| Missing::read(&text))?;
    let push = read(&mut row.push_missing, "pushMissingDependencies", |text| Missing::read(&text))?;
    Ok(pull.into_iter().chain(push).collect())
}

/// Returns the nominal time of an action: that of its document, otherwise its date in the zone.
fn nominal(
    row: &ActionRow,
    recorded: &RecordedAction,
    (zone, processing): (Option<&Zone>, ProcessingZone),
) -> Result<Timestamp, String> {
    if let Some(text) = &recorded.nominal {
        let read = processing.parse_datetime(text);
        return read.map_err(|_| format!("the action-nominal-time [{text}] of the actionXml is not a datetime"));
    }
    let local = row.nominal.ok_or("the action has no nominal time")?;
    let zone = zone.ok_or("only a date without a zone says when the action was due; name the zone with --zone")?;
    Ok(zone.instant(local.0))
}

/// Returns the instant of a date, the second one of a date that the clocks showed twice. Without the zone, the offset
/// at the nominal time is used, and two hours more, because the clocks may have changed since.
fn instant(date: LocalSeconds, zone: Option<&Zone>, (local, nominal): (Option<LocalSeconds>, Timestamp)) -> Timestamp {
    match (zone, local) {
        (Some(zone), _) => zone.instant(date.0),
        (None, Some(local)) => nominal + (date.0 - local.0) + 2 * HOUR,
        (None, None) => Timestamp::from_seconds(date.0) + 14 * HOUR,
    }
}

/// Returns the difference when the date of the row is not the nominal time in a given zone.
fn wrong_date(row: &ActionRow, nominal: Timestamp, zone: &Zone) -> Option<Difference> {
    let (recorded, computed) = (row.nominal?.0, zone.local_seconds(nominal));
    let show = |seconds: i64| ProcessingZone::UTC.format(Timestamp::from_seconds(seconds)).replace('Z', "");
    (recorded != computed).then(|| Difference {
        field: Field::NominalTimestamp,
        name: None,
        recorded: show(recorded),
        computed: format!("{} in {}", show(computed), zone.id()),
        ruling: None,
    })
}

//! The zones in which the dates of an export may be.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use crate::backtest::job::Job;
use crate::backtest::rows::Rows;
use crate::oozie_export::{ACTIONS, ActionRow, Fields, LocalSeconds, RecordedAction, ZoneClues};
use howdah_calendar::{ProcessingZone, Zone};
use howdah_host::line_files::LineFiles;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{DAY, Timestamp};

/// The zones whose clocks showed every offset of an export. Often several fit: then a date is only known where it is
/// the same instant in all of them.
pub(super) struct Zones(Vec<Zone>);

impl Zones {
    /// Returns the zone that was named, or those that the jobs show: their starts are in the definitions with a zone.
    /// Where that leaves a date open, the nominal times of the actions are read too.
    ///
    /// # Errors
    /// H0190 when the actions cannot be opened.
    pub(super) fn find(given: Option<&Zone>, files: &mut LineFiles, (all, live): (&[Job], &[&Job])) -> Result<Self> {
        if let Some(zone) = given {
            return Ok(Self(vec![zone.clone()]));
        }
        let clues = starts(all);
        let zones = Self(clues.fitting());
        if live.iter().all(|job| zones.settle(job)) {
            return Ok(zones);
        }
        Ok(Self(with_actions(clues, files, all)?.fitting()))
    }

    /// Returns the zones that the starts of jobs show.
    pub(super) fn of_starts(jobs: &[Job]) -> Self {
        Self(starts(jobs).fitting())
    }

    /// Returns what the dates of Oozie's web services are in.
    pub(super) fn utc() -> Self {
        Self(vec![Zone::utc()])
    }

    /// Returns the first zone.
    pub(super) fn first(&self) -> Option<Zone> {
        self.0.first().cloned()
    }

    /// Returns the instant of a date, if it is the same one in every zone that fits.
    pub(super) fn instant(&self, date: LocalSeconds) -> Option<Timestamp> {
        let (first, others) = self.0.split_first()?;
        let at = first.instant(date.0);
        others.iter().all(|zone| zone.instant(date.0) == at).then_some(at)
    }

    /// Returns the first zone when an instant has this date in none of them.
    pub(super) fn without(&self, date: LocalSeconds, at: Timestamp) -> Option<&Zone> {
        let has_it = self.0.iter().any(|zone| zone.local_seconds(at) == date.0);
        self.0.first().filter(|_| !has_it)
    }

    /// Returns whether the dates of a job are known.
    fn settle(&self, job: &Job) -> bool {
        [job.row.end, job.row.pause].into_iter().flatten().all(|date| self.instant(date).is_some())
    }

    /// Returns the first zone, and how many others fit.
    pub(super) fn named(&self) -> (Option<String>, usize) {
        (self.0.first().map(|zone| zone.id().to_owned()), self.0.len().saturating_sub(1))
    }

    /// Returns the problem when the date of one of the jobs is not known.
    pub(super) fn problem(&self, live: &[&Job]) -> Option<Error> {
        let job = live.iter().find(|job| !self.settle(job))?;
        let dates = [job.row.end, job.row.pause].into_iter().flatten();
        let open = dates.into_iter().find(|date| self.instant(*date).is_none())?;
        let other = |first: &Zone| self.0.iter().find(|zone| zone.instant(open.0) != first.instant(open.0));
        let why = match self.0.first().and_then(|first| Some((first, other(first)?))) {
            Some((one, other)) => format!(
                "{} and {} fit, and the end or the pause time of {} differs between them",
                one.id(),
                other.id(),
                job.row.id
            ),
            None => "no job shows it, or none fits them all".to_owned(),
        };
        let help = "name the zone of the machine that wrote the export, with --zone";
        Some(Error::new(ErrorCode::H0192, why).help(help))
    }
}

/// The starts of the jobs, which are in the definitions with a zone.
fn starts(jobs: &[Job]) -> ZoneClues {
    let mut clues = ZoneClues::default();
    for (local, at) in jobs.iter().filter_map(|job| job.row.start.zip(job.start())) {
        clues.add(local, at);
    }
    clues
}

/// Adds the nominal times of the actions, which are in their documents with a zone: one for each day.
fn with_actions(clues: ZoneClues, files: &mut LineFiles, jobs: &[Job]) -> Result<ZoneClues> {
    let zones: HashMap<&str, ProcessingZone> = jobs.iter().map(|job| (job.row.id.as_str(), job.processing())).collect();
    let found = RefCell::new((clues, BTreeSet::new()));
    let add = |fields: &Fields<'_>| {
        let row = ActionRow::read_nominal(fields)?;
        let (Some(local), Some(zone)) = (row.nominal, zones.get(row.job.as_str())) else { return Ok(()) };
        let (clues, days) = &mut *found.borrow_mut();
        if days.insert(local.0.div_euclid(DAY))
            && let Some(at) = recorded_nominal(&row, *zone)
        {
            clues.add(local, at);
        }
        Ok(())
    };
    // Rows that cannot be used are reported where all actions are read.
    Rows::read_all(files, ACTIONS, add, &mut Vec::new())?;
    Ok(found.into_inner().0)
}

fn recorded_nominal(row: &ActionRow, zone: ProcessingZone) -> Option<Timestamp> {
    let text = row.definition.as_ref()?.text().ok()?;
    let recorded = RecordedAction::read(&row.id, text).ok()?;
    zone.parse_datetime(&recorded.nominal?).ok()
}

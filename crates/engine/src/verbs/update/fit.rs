//! Whether a job can take over a new definition, or another job must run it.

use crate::compiled::Application;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// How a new definition fits a job.
pub enum Fit {
    /// The job takes it over.
    Takes,
    /// The job takes it over after `change` has set this end; the error of an update that does not.
    NewEnd(Timestamp, Error),
    /// A value on which existing actions depend is another one: only a new job can run it.
    NewJob(Error),
}

impl Fit {
    /// Returns the refusal of an update.
    pub(super) fn refusal(self) -> Result<()> {
        match self {
            Self::Takes => Ok(()),
            Self::NewEnd(_, error) | Self::NewJob(error) => Err(error),
        }
    }

    /// Compares the values on which existing actions depend. An end is unchanged when it equals the end in the old
    /// definition or the end that `change` set, which then stays.
    pub(super) fn of(
        job: &CoordinatorJob,
        new: &CoordinatorJob,
        (written_end, application): (Option<Timestamp>, &Application),
    ) -> Self {
        let processing = application.coordinator.schedule.processing;
        let instant = |at: Timestamp| processing.format(at);
        let is_new_end = new.end_at != job.end_at && Some(new.end_at) != written_end;
        let end = is_new_end.then(|| {
            let help = format!("howdah change {} --endtime {}", job.id, instant(new.end_at));
            refused("End time", "end time", &instant(job.end_at), &instant(new.end_at)).help(help)
        });
        let differs = |what: &str, word: &str, old: &str, new: &str| {
            (old != new).then(|| {
                let help = "to change it, kill the job and submit it again from its present time on";
                refused(what, word, old, new).help(help)
            })
        };
        let others = [
            differs("Start time", "start time", &instant(job.start_at), &instant(new.start_at)),
            differs("Coord name", "name", &job.name, &new.name),
            differs("Timeunit", "Timeunit", &job.time_unit, &new.time_unit),
            differs("TimeZone", "timeZone", &job.time_zone, &new.time_zone),
        ];
        let frequency = differs("Frequency", "frequency", &job.frequency, &new.frequency);
        match (frequency.or_else(|| others.into_iter().flatten().next()), end) {
            (None, None) => Self::Takes,
            (None, Some(end)) => Self::NewEnd(new.end_at, end),
            (Some(error), _) => Self::NewJob(error),
        }
    }
}

fn refused(what: &str, word: &str, old: &str, new: &str) -> Error {
    Error::new(ErrorCode::E1023, format!("{what} can't be changed. Old {word} = {old} new {word} = {new}"))
}

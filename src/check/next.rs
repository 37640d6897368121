//! The next nominal times of a frequency, without a job (`howdah next`; coordinator specification 4.4, 7.3).
//!
//! The frequency is evaluated as that of an application is, and the times come from the same [`Schedule`] as a job's;
//! beside them stands what a person needs to trust them: the local time, and what the clocks do on that day.

use serde::Serialize;

use crate::calendar::{
    ClockEffect, CronZone, EndOf, Frequency, FrequencyError, LocalTime, Schedule, Unit, offset_text,
};
use crate::check::expression::ExpressionText;
use crate::check::zones::change::{self, ClockChangeView};
use crate::coordinator::phase::{FrequencyPhase, JobScope};
use crate::coordinator::settings::SubmitSettings;
use crate::coordinator::timing;
use crate::error::{Error, Location, Result, SourceText, Span};
use crate::model::Properties;
use crate::model::time::Timestamp;

/// The first instant after the year 9999, where datetimes end.
const END_OF_CALENDAR: Timestamp = Timestamp::from_seconds(253_402_300_800);

/// What the text of the frequency is called in messages.
const FREQUENCY: &str = "<frequency>";

/// What is asked for; the texts are as the user wrote them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) frequency: &'a str,
    /// `None`: now.
    pub(crate) start: Option<&'a str>,
    /// `None`: the end of the calendar.
    pub(crate) end: Option<&'a str>,
    pub(crate) zone: &'a str,
    /// The most times that are wanted.
    pub(crate) count: usize,
}

/// The times of a frequency; serialized under Oozie's names where it has some.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Forecast {
    /// The evaluated frequency: a number of units, or a cron expression.
    pub(crate) frequency: String,
    pub(crate) time_unit: &'static str,
    pub(crate) in_words: String,
    /// Whose clock the frequency follows, in words.
    pub(crate) clock: String,
    pub(crate) time_zone: String,
    pub(crate) start_time: String,
    pub(crate) end_time: Option<String>,
    /// Whether there is no further time before the end.
    pub(crate) complete: bool,
    pub(crate) times: Vec<DueTime>,
}

/// One nominal time.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DueTime {
    pub(crate) action_number: usize,
    /// In the processing time zone.
    pub(crate) nominal_time: String,
    /// `YYYY-MM-DDTHH:mm` in the zone.
    pub(crate) local_time: String,
    /// How far the zone is ahead of UTC then, as `+hh:mm`.
    pub(crate) offset: String,
    pub(crate) weekday: &'static str,
    /// What the clocks of the zone do on that local day.
    pub(crate) clock_change: Option<ClockChangeView>,
    /// What is special about this time, in words.
    pub(crate) note: Option<String>,
}

/// The next times of a frequency, and the warning that a coordinator with it would get.
///
/// # Errors
/// E1003 and E1004 as for a coordinator with these attributes, at the place in the text.
pub(crate) fn next(
    question: Question<'_>,
    properties: &Properties,
    settings: &SubmitSettings,
    now: Timestamp,
) -> Result<(Forecast, Option<Error>)> {
    let processing = settings.processing;
    let frequency = frequency(question.frequency, properties, settings)?;
    let too_fast = timing::too_fast(&frequency, settings);
    let warning = match too_fast.map(|problem| problem.at(whole(FREQUENCY, question.frequency))) {
        Some(refusal) if !refusal.is_warning() => return Err(refusal),
        warning => warning,
    };
    let zone = timing::zone(question.zone).map_err(|error| error.at(whole("--timezone", question.zone)))?;
    let datetime = |name: &str, text: &str| {
        timing::datetime(name, text, processing).map_err(|error| error.at(whole(&format!("--{name}"), text)))
    };
    let start = question.start.map_or(Ok(now.floor_minute()), |text| datetime("start", text))?;
    let end = question.end.map(|text| datetime("end", text)).transpose()?;
    if let Some((end, text)) = end.zip(question.end) {
        timing::check_bounds((start, end), processing).map_err(|error| error.at(whole("--end", text)))?;
    }
    let bounds = (start, end.unwrap_or(END_OF_CALENDAR));
    if let Frequency::Cron(cron) = &frequency {
        let checked = timing::check_cron(cron, Some(bounds), processing);
        checked.map_err(|error| error.at(whole(FREQUENCY, question.frequency)))?;
    }
    let schedule = Schedule { frequency, start, end: bounds.1, zone, processing, cron_zone: settings.cron_zone };
    Ok((forecast(&schedule, question.count, end), warning))
}

/// The frequency that a text means; a word such as `coord:days(1)` counts as the expression of that name.
fn frequency(text: &str, properties: &Properties, settings: &SubmitSettings) -> Result<Frequency> {
    let mut phase = FrequencyPhase::new(JobScope { configuration: properties, processing: settings.processing });
    // A parenthesis stands in no number and in no cron expression.
    let evaluated = if text.contains('(') || text.contains("${") {
        ExpressionText::parse(FREQUENCY, text)?.evaluate(&mut phase)?.to_text().trim().to_owned()
    } else {
        text.trim().to_owned()
    };
    Frequency::parse(&evaluated, phase.unit, phase.end_of).map_err(|error| {
        let name = if evaluated == text { FREQUENCY } else { "<evaluated frequency>" };
        let source = SourceText::new(name, evaluated.clone());
        let span = match &error {
            FrequencyError::Cron(cron) => cron.span,
            FrequencyError::NotPositive => Span::new(0, evaluated.len()),
        };
        timing::no_frequency(&evaluated, &error).at(Location::new(&source, span))
    })
}

/// A whole text of the command line.
fn whole(name: &str, text: &str) -> Location {
    Location::new(&SourceText::new(name, text), Span::new(0, text.len()))
}

fn forecast(schedule: &Schedule, count: usize, end: Option<Timestamp>) -> Forecast {
    let processing = schedule.processing;
    let mut times = schedule.times();
    let due: Vec<Timestamp> = times.by_ref().take(count).collect();
    let complete = due.len() < count || times.next().is_none();
    let kept = schedule.kept_local_time();
    let mut times: Vec<DueTime> = Vec::with_capacity(due.len());
    for (at, number) in due.iter().zip(1..) {
        let mut time = due_time(schedule, (number, *at), kept);
        // Where a whole local day does not exist, the calendar moves its action onto the next one.
        if times.last().is_some_and(|last| last.nominal_time == time.nominal_time) {
            time.note = Some(format!("the same instant as action {}", number - 1));
        }
        times.push(time);
    }
    Forecast {
        frequency: schedule.frequency.value(),
        time_unit: schedule.frequency.unit_word(),
        in_words: schedule.frequency.words(),
        clock: clock(schedule),
        time_zone: schedule.zone.id().to_owned(),
        start_time: processing.format(schedule.start),
        end_time: end.map(|end| processing.format(end)),
        complete,
        times,
    }
}

/// Whose clock a schedule follows (decision C25).
fn clock(schedule: &Schedule) -> String {
    let (zone, processing) = (schedule.zone.id(), schedule.processing.java_id());
    match (&schedule.frequency, schedule.cron_zone) {
        (Frequency::Cron(_), CronZone::Job) => format!("{processing}, moved with the summer time of {zone}"),
        (Frequency::Cron(_), CronZone::Processing) if zone != processing => {
            format!("{processing}, which cron follows, not {zone}")
        }
        _ => zone.to_owned(),
    }
}

/// One time with its marks; `kept` is the local time that all should have.
fn due_time(schedule: &Schedule, (number, at): (usize, Timestamp), kept: Option<LocalTime>) -> DueTime {
    let zone = &schedule.zone;
    let local = LocalTime::of(zone, at);
    let time = local.time_of_day();
    let effect = schedule.effect_of_clocks(at, kept).map(|effect| match effect {
        ClockEffect::Moved { wanted } => format!("{} moved to {time}", wanted.time_of_day()),
        ClockEffect::First => format!("the first {time}"),
        ClockEffect::Second => format!("the second {time}"),
    });
    let clipped = kept
        .filter(|kept| clips_days(&schedule.frequency) && local.day_of_month() < kept.day_of_month())
        .map(|kept| format!("the month has no day {}", kept.day_of_month()));
    let notes: Vec<String> = [effect, clipped].into_iter().flatten().collect();
    DueTime {
        action_number: number,
        nominal_time: schedule.processing.format(at),
        local_time: local.to_string(),
        offset: offset_text(zone.offset_seconds(at)),
        weekday: local.weekday(),
        clock_change: zone.change_on_day(at).map(change::clock_change),
        note: (!notes.is_empty()).then(|| notes.join(", ")),
    }
}

/// Whether the day of the month is that of the start where the month is long enough.
const fn clips_days(frequency: &Frequency) -> bool {
    matches!(frequency, Frequency::Fixed { unit: Unit::Month | Unit::Year, end_of: EndOf::None, .. })
}

//! The next nominal times of a frequency, without a job (`howdah next`; coordinator specification 4.4, 7.3).
//!
//! The frequency is evaluated as that of an application is, and the times come from the same [`Schedule`] as a job's;
//! beside them stands what a person needs to trust them: the local time, and what the clocks do on that day.

use serde::Serialize;

use crate::calendar::{CronZone, EndOf, Frequency, FrequencyError, LocalTime, Schedule, Unit, Zone, offset_text};
use crate::coordinator::phase::{FrequencyPhase, JobScope};
use crate::coordinator::settings::SubmitSettings;
use crate::engine::expression::ExpressionText;
use crate::engine::zones::{self, ClockChangeView};
use crate::error::{Error, ErrorCode, Location, Result, SourceText, Span};
use crate::model::Properties;
use crate::model::time::{MINUTE, Timestamp};

/// The first instant after the year 9999, where datetimes end.
const END_OF_CALENDAR: Timestamp = Timestamp::from_seconds(253_402_300_800);

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

/// The next times of a frequency.
///
/// # Errors
/// E1003 and E1004 as for a coordinator with these attributes, at the place in the text.
pub(crate) fn next(
    question: Question<'_>,
    properties: &Properties,
    settings: &SubmitSettings,
    now: Timestamp,
) -> Result<Forecast> {
    let frequency = frequency(question.frequency, properties, settings)?;
    let zone = zone(question.zone)?;
    let datetime = |option: &str, text: &str| {
        let read = settings.processing.parse_datetime(text);
        read.map_err(|error| Error::new(ErrorCode::E1003, &error).help(error.help()).at(whole(option, text)))
    };
    let start = question.start.map_or(Ok(now.floor_minute()), |text| datetime("--start", text))?;
    let end = question.end.map(|text| datetime("--end", text)).transpose()?;
    if let Some((end, text)) = end.zip(question.end)
        && end <= start
    {
        let help = format!("it starts at {}", settings.processing.format(start));
        let refused = Error::new(ErrorCode::E1003, "Coordinator Start Time must be earlier than End Time.");
        return Err(refused.help(help).at(whole("--end", text)));
    }
    let schedule = Schedule {
        frequency,
        start,
        end: end.unwrap_or(END_OF_CALENDAR),
        zone,
        processing: settings.processing,
        cron_zone: settings.cron_zone,
    };
    let forecast = forecast(&schedule, question.count, end);
    match &schedule.frequency {
        // Oozie accepts a fixed frequency that is never due, but no such cron frequency.
        Frequency::Cron(_) if forecast.times.is_empty() => Err(never(question.frequency, &schedule)),
        Frequency::Cron(_) | Frequency::Fixed { .. } => Ok(forecast),
    }
}

/// The frequency that a text means; a word such as `coord:days(1)` counts as the expression of that name.
fn frequency(text: &str, properties: &Properties, settings: &SubmitSettings) -> Result<Frequency> {
    let mut phase = FrequencyPhase::new(JobScope { configuration: properties, processing: settings.processing });
    // A parenthesis stands in no number and in no cron expression.
    let evaluated = if text.contains('(') || text.contains("${") {
        ExpressionText::parse("<frequency>", text)?.evaluate(&mut phase)?.to_text().trim().to_owned()
    } else {
        text.trim().to_owned()
    };
    Frequency::parse(&evaluated, phase.unit, phase.end_of).map_err(|error| {
        let name = if evaluated == text { "<frequency>" } else { "<evaluated frequency>" };
        let source = SourceText::new(name, evaluated.clone());
        let span = match &error {
            FrequencyError::Cron(cron) => cron.span,
            FrequencyError::NotPositive => Span::new(0, evaluated.len()),
        };
        let help =
            "write minutes (60), an expression such as '${coord:days(1)}', or five cron fields such as '0 2 * * *'";
        Error::new(ErrorCode::E1003, format!("parameter [frequency] = [{evaluated}] {error}"))
            .help(help)
            .at(Location::new(&source, span))
    })
}

fn zone(id: &str) -> Result<Zone> {
    Zone::parse(id).map_err(|error| {
        let message = format!("parameter [timezone] = [{id}] must be a valid TZ. Parsing error {error}");
        Error::new(ErrorCode::E1003, message).help(error.help()).at(whole("--timezone", id))
    })
}

/// A whole text of the command line.
fn whole(name: &str, text: &str) -> Location {
    Location::new(&SourceText::new(name, text), Span::new(0, text.len()))
}

/// The refusal of a cron frequency that does not fire before the end.
fn never(text: &str, schedule: &Schedule) -> Error {
    let frequency = schedule.frequency.value();
    let (message, help) = match schedule.following(0, schedule.start - MINUTE) {
        Some(first) => (
            format!("Coordinator job with frequency '{frequency}' materializes no actions between start and end time."),
            format!("it fires first at {}", schedule.processing.format(first)),
        ),
        None => (
            format!("Invalid coordinator cron frequency: {frequency}"),
            format!("it never fires, for no year has such a day: {}", schedule.frequency.words()),
        ),
    };
    Error::new(ErrorCode::E1003, message).help(help).at(whole("<frequency>", text))
}

fn forecast(schedule: &Schedule, count: usize, end: Option<Timestamp>) -> Forecast {
    let processing = schedule.processing;
    let mut times = schedule.times();
    let due: Vec<Timestamp> = times.by_ref().take(count).collect();
    let complete = due.len() < count || times.next().is_none();
    let origin = due.first().map(|first| LocalTime::of(&schedule.zone, *first));
    let mut times: Vec<DueTime> = Vec::with_capacity(due.len());
    for (at, number) in due.iter().zip(1..) {
        let mut time = due_time(schedule, (number, *at), origin);
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

/// One time with its marks; `origin` is the local time of the first one.
fn due_time(schedule: &Schedule, (number, at): (usize, Timestamp), origin: Option<LocalTime>) -> DueTime {
    let zone = &schedule.zone;
    let local = LocalTime::of(zone, at);
    let change = zone.change_on_day(at);
    let wanted = origin.filter(|_| keeps_local_time(&schedule.frequency)).unwrap_or(local);
    let moved =
        (!local.same_time_of_day(wanted)).then(|| format!("{} moved to {}", wanted.time_of_day(), local.time_of_day()));
    let repeated = change.filter(|change| !change.is_gap() && change.concerns(local)).map(|change| {
        let which = if at < change.at { "first" } else { "second" };
        format!("the {which} {}", local.time_of_day())
    });
    let clipped = (clips_days(&schedule.frequency) && local.day_of_month() < wanted.day_of_month())
        .then(|| format!("the month has no day {}", wanted.day_of_month()));
    let notes: Vec<String> = [moved, repeated, clipped].into_iter().flatten().collect();
    DueTime {
        action_number: number,
        nominal_time: schedule.processing.format(at),
        local_time: local.to_string(),
        offset: offset_text(zone.offset_seconds(at)),
        weekday: local.weekday(),
        clock_change: change.map(zones::clock_change),
        note: (!notes.is_empty()).then(|| notes.join(", ")),
    }
}

/// Whether every time should show what the clock shows at the first one.
const fn keeps_local_time(frequency: &Frequency) -> bool {
    matches!(frequency, Frequency::Fixed { unit: Unit::Day | Unit::Week | Unit::Month | Unit::Year, .. })
}

/// Whether the day of the month is that of the start where the month is long enough.
const fn clips_days(frequency: &Frequency) -> bool {
    matches!(frequency, Frequency::Fixed { unit: Unit::Month | Unit::Year, end_of: EndOf::None, .. })
}

//! The next nominal times of a frequency, without a job (`howdah next`; coordinator specification 4.4, 7.3).
//!
//! The frequency is evaluated as in an application, and the times come from the same [`Schedule`] as a job's. Each
//! comes with its local time and the effect of clock changes on that day, so that the user can verify it.

use serde::Serialize;

use crate::check::expression::ExpressionText;
use crate::check::zones::change::{self, ClockChangeView};
use howdah_calendar::{ClockEffect, EndOf, Frequency, FrequencyError, LocalTime, Schedule, Unit, offset_text};
use howdah_oozie::coordinator::phase::{FrequencyPhase, JobScope};
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_oozie::coordinator::timing;
use howdah_words::error::{Error, Location, Result, SourceText, Span};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// The first instant after the year 9999, where datetimes end.
const END_OF_CALENDAR: Timestamp = Timestamp::from_seconds(253_402_300_800);

/// The name of the frequency's text in messages.
const FREQUENCY: &str = "<frequency>";

/// What to compute; the texts are as the user wrote them.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub frequency: &'a str,
    /// `None`: now.
    pub start: Option<&'a str>,
    /// `None`: the end of the calendar.
    pub end: Option<&'a str>,
    pub zone: &'a str,
    /// The maximum number of times.
    pub count: usize,
}

/// The times of a frequency; serialized with Oozie's names where it has them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// The evaluated frequency: a number of units, or a cron expression.
    pub frequency: String,
    pub time_unit: &'static str,
    pub in_words: String,
    /// A description of the clock that the frequency follows.
    pub clock: String,
    pub time_zone: String,
    pub start_time: String,
    pub end_time: Option<String>,
    /// Whether there is no further time before the end.
    pub complete: bool,
    pub times: Vec<DueTime>,
}

/// One nominal time.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DueTime {
    pub action_number: usize,
    /// In the processing time zone.
    pub nominal_time: String,
    /// `YYYY-MM-DDTHH:mm` in the zone.
    pub local_time: String,
    /// The zone's offset from UTC at that time, as `+hh:mm`.
    pub offset: String,
    pub weekday: &'static str,
    /// Clock changes of the zone on that local day.
    pub clock_change: Option<ClockChangeView>,
    /// What is special about this time, as text.
    pub note: Option<String>,
}

/// Returns the next times of a frequency, and the warning that a coordinator with it would get.
///
/// # Errors
/// E1003 and E1004 as for a coordinator with these attributes, at the place in the text.
pub fn next(
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

/// Returns the frequency of a text; a word such as `coord:days(1)` counts as the expression with that name.
fn frequency(text: &str, properties: &Properties, settings: &SubmitSettings) -> Result<Frequency> {
    let mut phase = FrequencyPhase::new(JobScope { configuration: properties, processing: settings.processing });
    // No number and no cron expression contains a parenthesis.
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

/// Marks a whole text of the command line as a place.
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
        // Where a whole local day does not exist, the calendar moves its action to the next one.
        if times.last().is_some_and(|last| last.nominal_time == time.nominal_time) {
            time.note = Some(format!("the same instant as action {}", number - 1));
        }
        times.push(time);
    }
    Forecast {
        frequency: schedule.frequency.value(),
        time_unit: schedule.frequency.unit_word(),
        in_words: schedule.frequency.words(),
        clock: schedule.clock(),
        time_zone: schedule.zone.id().to_owned(),
        start_time: processing.format(schedule.start),
        end_time: end.map(|end| processing.format(end)),
        complete,
        times,
    }
}

/// Describes one time; `kept` is the local time that all times should have.
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

/// Returns whether the day of the month equals that of the start where the month is long enough.
const fn clips_days(frequency: &Frequency) -> bool {
    matches!(frequency, Frequency::Fixed { unit: Unit::Month | Unit::Year, end_of: EndOf::None, .. })
}

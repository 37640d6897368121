//! Which instances an action has when it is created (specification 6.6).
//!
//! Must not depend on files: an instance that needs a search stays a [`Search`].

use crate::coordinator::action::{ResolvedAction, ResolvedEvent, Slot};
use crate::coordinator::definition::{Coordinator, DataEvent, Expression, Instances};
use crate::coordinator::instance::Instance;
use crate::coordinator::phase::event::EventTexts;
use crate::coordinator::phase::{ActionInstances, InstanceFunction, JobScope, RangeEnds};
use crate::dataset::{Dataset, Search, instance};
use howdah_calendar::{DatetimeError, ProcessingZone, Zone};
use howdah_words::error::{Error, ErrorCode, Location, Result};
use howdah_words::model::time::Timestamp;

impl Coordinator {
    /// Resolves the instances of the action at a nominal time, as far as that is possible at its creation.
    ///
    /// # Errors
    /// E1004 and E1010 with the place in the definition.
    pub fn resolve(&self, job: JobScope<'_>, nominal: Timestamp) -> Result<ResolvedAction> {
        let creation = Creation { job, job_zone: &self.schedule.zone, nominal };
        let inputs = self.inputs.iter().map(|event| creation.event(event)).collect::<Result<_>>()?;
        let outputs = self.outputs.iter().map(|event| creation.event(event)).collect::<Result<_>>()?;
        Ok(ResolvedAction { inputs, outputs, logic: EventTexts::new() })
    }
}

/// The creation of one action.
#[derive(Clone, Copy)]
pub(super) struct Creation<'a> {
    pub(super) job: JobScope<'a>,
    pub(super) job_zone: &'a Zone,
    pub(super) nominal: Timestamp,
}

impl Creation<'_> {
    /// Resolves the instances of one event.
    ///
    /// # Errors
    /// E1004 and E1010 with the place in the definition.
    pub(super) fn event(&self, event: &DataEvent) -> Result<ResolvedEvent> {
        let mut resolved = ResolvedEvent::new(event.name.clone());
        match event.instances.as_ref() {
            Instances::Single(expressions) => {
                for expression in expressions {
                    self.single(&event.dataset, expression, &mut resolved)?;
                }
            }
            Instances::Range { start, end } => match self.range(&event.dataset, start, end)? {
                RangeResult::Instances(range) => {
                    resolved.before_initial += range.before_initial;
                    resolved.left_out.extend(range.left_out);
                    resolved.slots.reserve(range.times.len());
                    for time in range.times {
                        resolved.slots.push(self.slot(&event.dataset, time, start)?);
                    }
                }
                RangeResult::Search(search) => resolved.slots.push(Slot::Search(search)),
            },
        }
        let checked = resolved.searches().try_for_each(Search::check);
        checked.map_err(|error| error.at(event.instances.location()))?;
        Ok(resolved)
    }

    /// Resolves the instance of a dataset that `expression` names.
    fn slot(&self, dataset: &Dataset, time: Timestamp, expression: &Expression) -> Result<Slot> {
        let instance = Instance::of(dataset, time, self.job.processing);
        instance.map(Slot::Instance).map_err(|error| error.at(expression.location()))
    }

    /// Resolves an `<instance>`: the text is evaluated to datetimes joined by `#`, or postponed as a search.
    fn single(&self, dataset: &Dataset, expression: &Expression, resolved: &mut ResolvedEvent) -> Result<()> {
        let mut scope = ActionInstances::new(self.job, dataset, self.job_zone, self.nominal);
        let text = expression.evaluate(&mut scope)?;
        for time in datetimes(&text, self.job.processing, expression)? {
            resolved.slots.push(self.slot(dataset, time, expression)?);
        }
        resolved.slots.extend(scope.searches.into_iter().map(Slot::Search));
        resolved.before_initial += scope.before_initial;
        resolved.left_out.extend(scope.left_out);
        Ok(())
    }

    /// Returns the function of a `<start-instance>` or `<end-instance>`.
    ///
    /// # Errors
    /// E1004, also for a datetime of another processing time zone; E1010 where the text is no end of a range.
    pub(super) fn range_end(&self, dataset: &Dataset, expression: &Expression) -> Result<InstanceFunction> {
        let mut scope = RangeEnds::new(self.job, dataset, self.job_zone, self.nominal);
        let value = expression.evaluate(&mut scope)?;
        if let Some(function) = scope.function {
            return Ok(function);
        }
        let time = self.job.processing.parse_datetime(value.trim());
        time.map(InstanceFunction::Time).map_err(|error| no_range_end(&error, expression))
    }

    /// Returns the times at which the range of an event starts and ends, without its instances; `None` where the event
    /// has no range, or its ends have no times.
    pub(super) fn range_times(&self, event: &DataEvent) -> Option<(Timestamp, Timestamp)> {
        let Instances::Range { start, end } = event.instances.as_ref() else { return None };
        let time = |end| time_of(&event.dataset, self.nominal, &self.range_end(&event.dataset, end).ok()?);
        time(start).zip(time(end))
    }

    /// Refuses the range of an event that ends before it starts; what else is wrong with it is not checked.
    ///
    /// # Errors
    /// E1010, without a place.
    pub(super) fn check_order(&self, event: &DataEvent) -> Result<()> {
        let (Some((start, end)), Instances::Range { start: text, .. }) =
            (self.range_times(event), event.instances.as_ref())
        else {
            return Ok(());
        };
        let dataset = &event.dataset;
        let is_fixed =
            matches!(self.range_end(dataset, text), Ok(InstanceFunction::Absolute(_) | InstanceFunction::EndOf(..)));
        match start > end {
            // A start that is no instance has another fault.
            true if is_fixed && (instance::index_of(dataset, start).is_err() || self.nominal < dataset.initial()) => {
                Ok(())
            }
            true if is_fixed => Err(instance::reversed().reported_by_oozie_as(ErrorCode::E1004)),
            true => Err(instance::reversed()),
            false => Ok(()),
        }
    }

    fn range(&self, dataset: &Dataset, start: &Expression, end: &Expression) -> Result<RangeResult> {
        let (from, to) = (self.range_end(dataset, start)?, self.range_end(dataset, end)?);
        range(dataset, self.nominal, &from, &to)
            .unwrap_or_else(|| Err(mixed(end)))
            .map_err(|error| error.at(start.location()))
    }
}

impl Instances {
    /// Returns the place of the first text.
    pub(super) fn location(&self) -> Location {
        match self {
            Self::Single(texts) => texts.first().expect("the schema requires an instance").location(),
            Self::Range { start, .. } => start.location(),
        }
    }
}

/// The meaning of a range at creation.
enum RangeResult {
    Instances(instance::Range),
    Search(Search),
}

/// Returns whether two functions form a range, as far as they show it alone; `None` for a pair that never does.
pub(super) fn check_pair(from: &InstanceFunction, to: &InstanceFunction) -> Option<Result<()>> {
    use InstanceFunction as I;
    let is_reversed = match (from, to) {
        (I::Current(first), I::Current(last))
        | (I::Latest(first), I::Latest(last))
        | (I::Future(first, _), I::Future(last, _)) => first > last,
        (I::Offset(first, unit), I::Offset(last, last_unit)) => {
            // Whatever a unit is long, nothing that is before or at the nominal time comes after what is after it.
            first.signum() > last.signum() || (unit == last_unit && first > last)
        }
        (I::Time(first), I::Time(last)) => first > last,
        // Which is earlier depends on the dataset and the action.
        (I::Absolute(_) | I::EndOf(..) | I::Offset(..), I::Current(_)) | (I::Current(_), I::Offset(..)) => false,
        _ => return None,
    };
    if is_reversed {
        return Some(Err(instance::reversed()));
    }
    Some(search(from, to).map_or(Ok(()), Search::check))
}

/// Returns the search of a range of `latest` or `future`.
fn search(from: &InstanceFunction, to: &InstanceFunction) -> Option<Search> {
    use InstanceFunction as I;
    match (from, to) {
        (I::Latest(first), I::Latest(last)) => Some(Search::Latest { first: *first, last: *last }),
        (I::Future(first, _), I::Future(last, limit)) => {
            Some(Search::Future { first: *first, last: *last, limit: *limit })
        }
        _ => None,
    }
}

/// The table of ranges; `None` for a pair of functions that form no range.
fn range(
    dataset: &Dataset,
    nominal: Timestamp,
    from: &InstanceFunction,
    to: &InstanceFunction,
) -> Option<Result<RangeResult>> {
    use InstanceFunction as I;
    let refused = |text: String| Error::new(ErrorCode::E1010, text);
    if let Err(error) = check_pair(from, to)? {
        return Some(Err(error));
    }
    Some(match (from, to) {
        (I::Current(first), I::Current(last)) => {
            Ok(RangeResult::Instances(instance::current(dataset, nominal, *first, *last)))
        }
        (I::Offset(first, unit), I::Offset(last, last_unit)) => {
            instance::offset_range(dataset, nominal, unit.times(*first), last_unit.times(*last))
                .map(RangeResult::Instances)
        }
        // As for two offsets: the range starts and ends at an instance, and may be empty.
        (I::Time(_), I::Time(_)) | (I::Current(_), I::Offset(..)) | (I::Offset(..), I::Current(_)) => {
            match time_of(dataset, nominal, from).zip(time_of(dataset, nominal, to)) {
                Some((start, end)) => instance::time_range(dataset, start, end).map(RangeResult::Instances),
                None => Err(refused("an end of the range is beyond the years that can be counted".to_owned())),
            }
        }
        (I::Absolute(time), I::Current(last)) => {
            instance::absolute(dataset, nominal, *time, *last).map(RangeResult::Instances)
        }
        (I::EndOf(period, number), I::Current(last)) => match instance::end_of(dataset, nominal, *period, *number) {
            Some(time) => instance::absolute(dataset, nominal, time, *last).map(RangeResult::Instances),
            None => Err(refused("the start-instance is beyond the years that can be counted".to_owned())),
        },
        _ => return search(from, to).map(|search| Ok(RangeResult::Search(search))),
    })
}

/// Returns the time at which a range starts or ends; `None` where only a search tells it.
fn time_of(dataset: &Dataset, nominal: Timestamp, end: &InstanceFunction) -> Option<Timestamp> {
    match end {
        InstanceFunction::Time(time) | InstanceFunction::Absolute(time) => Some(*time),
        InstanceFunction::EndOf(period, number) => instance::end_of(dataset, nominal, *period, *number),
        InstanceFunction::Current(number) => instance::time_of_current(dataset, nominal, *number),
        InstanceFunction::Offset(count, unit) => instance::time_of_offset(dataset, nominal, unit.times(*count)),
        InstanceFunction::Latest(_) | InstanceFunction::Future(..) => None,
    }
}

/// Reads the datetimes to which the text of an `<instance>` evaluated.
///
/// # Errors
/// E1004 at the place of `expression`.
pub(super) fn datetimes(text: &str, processing: ProcessingZone, expression: &Expression) -> Result<Vec<Timestamp>> {
    let times = text.split('#').map(str::trim).filter(|time| !time.is_empty());
    let datetime = |time: &str| {
        processing.parse_datetime(time).map_err(|error| {
            of_other_zone(&error, expression).unwrap_or_else(|| {
                Error::new(ErrorCode::E1004, &error).at(expression.location()).help(
                    "an <instance> must evaluate to a datetime: \
                     use coord:current, coord:offset, coord:latest or coord:future",
                )
            })
        })
    };
    times.map(datetime).collect()
}

/// Returns the refusal of a datetime of another processing time zone.
fn of_other_zone(error: &DatetimeError, expression: &Expression) -> Option<Error> {
    let refused = || Error::new(ErrorCode::E1004, error).at(expression.location()).help(error.help_in_definition());
    error.is_of_other_zone().then(refused)
}

/// Builds the refusal of an end of a range that calls no function and is no datetime.
pub(super) fn no_range_end(error: &DatetimeError, expression: &Expression) -> Error {
    of_other_zone(error, expression).unwrap_or_else(|| mixed(expression))
}

/// Builds the refusal of functions that form no range.
pub(super) fn mixed(expression: &Expression) -> Error {
    Error::new(
        ErrorCode::E1010,
        "start-instance and end-instance both should be either latest or current or future or offset",
    )
    .at(expression.location())
    .help("a start-instance of absolute, endOfDays, endOfWeeks or endOfMonths needs an end-instance of current")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::parse::testing::{LOGS, ONE_INPUT, PLAIN, Parts};
    use crate::dataset::testing::instant;
    use howdah_words::model::Properties;

    /// `expect`: the code and the text at the place of the refusal of an action, whether the instances are an input's
    /// or an output's.
    fn check(uri_template: &str, instances: &str, expect: Option<(&str, &str)>) {
        let datasets = LOGS.replace("/logs/${YEAR}", uri_template);
        let inputs = ONE_INPUT.replace("<instance>${coord:current(0)}</instance>", instances);
        let outputs = inputs.replace("data-in", "data-out").replace("input-", "output-");
        let is_search = instances.contains("latest") || instances.contains("future");
        let outputs = Some(outputs).filter(|_| !is_search);
        for events in [inputs].into_iter().chain(outputs) {
            let (coordinator, problems) = Parts { datasets: &datasets, events: &events, ..PLAIN }.parse(&[]);
            let coordinator = coordinator.unwrap_or_else(|| panic!("{problems:?}"));
            let configuration = Properties::new();
            let job = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
            let refused = coordinator.resolve(job, instant("2009-01-02T00:00Z")).err();
            let reported = refused.as_ref().map(|error| {
                let place = error.location().expect("a place");
                (error.code().as_str(), &place.source.text[place.span.start..place.span.end])
            });
            assert_eq!(reported, expect, "{events}: {refused:?}");
        }
    }

    #[test]
    fn an_instance_without_a_uri_is_refused() {
        let (template, now) = ("/logs/${'$'}{10 % (DAY - 2)}", "${coord:current(0)}");
        let range = |start: &str, end: &str| {
            format!("<start-instance>{start}</start-instance><end-instance>{end}</end-instance>")
        };
        check(template, &format!("<instance>{now}</instance>"), Some(("E1004", now)));
        check(template, "<instance>${coord:current(-1)}</instance>", None);
        check(template, &range("${coord:current(-1)}", now), Some(("E1004", "${coord:current(-1)}")));
        check(template, "<instance>${coord:latest(0)}</instance>", None);
        check("/logs/${DAY}", &range("${coord:current(-1)}", now), None);
    }

    /// The instances of a range of the hourly dataset `logs`, for the action at noon.
    fn check_range(start: &str, end: &str, expect: &[&str]) {
        let range = format!("<start-instance>{start}</start-instance><end-instance>{end}</end-instance>");
        let events = ONE_INPUT.replace("<instance>${coord:current(0)}</instance>", &range);
        let (coordinator, problems) = Parts { events: &events, ..PLAIN }.parse(&[]);
        let coordinator = coordinator.unwrap_or_else(|| panic!("{problems:?}"));
        let configuration = Properties::new();
        let job = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
        let resolved = coordinator.resolve(job, instant("2009-01-02T12:00Z")).expect("a range");
        let time = |slot: &Slot| match slot {
            Slot::Instance(instance) => ProcessingZone::UTC.format(instance.nominal),
            Slot::Search(_) => "a search".to_owned(),
        };
        let times: Vec<String> = resolved.inputs[0].slots.iter().map(time).collect();
        assert_eq!(times, expect, "{start} to {end}");
    }

    #[test]
    fn a_range_starts_and_ends_at_instances_between_two_times() {
        let three = ["2009-01-02T10:00Z", "2009-01-02T11:00Z", "2009-01-02T12:00Z"];
        check_range("2009-01-02T10:00Z", "2009-01-02T12:00Z", &three);
        // Moved forward and back to an instance, as offsets are.
        check_range("2009-01-02T09:01Z", "2009-01-02T12:59Z", &three);
        check_range("2009-01-02T09:10Z", "2009-01-02T09:50Z", &[]);
        check_range("${coord:current(-2)}", "${coord:offset(59, 'MINUTE')}", &three);
        check_range("${coord:current(-2)}", "${coord:offset(-1, 'HOUR')}", &three[..2]);
        check_range("${coord:offset(-150, 'MINUTE')}", "${coord:current(0)}", &three);
        // There is nothing before the initial instance.
        check_range("2008-12-31T22:00Z", "2009-01-01T00:30Z", &["2009-01-01T00:00Z"]);
        check_range(
            "${coord:current(-40)}",
            "${coord:offset(-35, 'HOUR')}",
            &["2009-01-01T00:00Z", "2009-01-01T01:00Z"],
        );
    }
}

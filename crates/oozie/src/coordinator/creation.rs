//! Refuses at submission what would fail in the creation of every action (specification 6.6; decision C16).
//!
//! Evaluates the texts of instances in the phases of creation, over a placeholder dataset. What depends on the real
//! dataset or on the action is not known here and is not checked.

use crate::coordinator::definition::{Expression, Instances};
use crate::coordinator::outline::EventOutline;
use crate::coordinator::phase::{
    ActionInstances, BeforeAction, InstanceFunction, JobScope, OtherProperties, RangeEnds,
};
use crate::coordinator::resolve::{self, Creation};
use crate::dataset::{Dataset, Search, instance};
use howdah_calendar::{Schedule, Zone};
use howdah_el::{ElError, Knowledge, PartlyKnown};
use howdah_words::error::{Error, Result};
use howdah_words::model::time::Timestamp;

/// An end of a range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RangeEnd {
    /// It calls this function.
    Calls(InstanceFunction),
    /// It neither calls a function that can define an end of a range, nor is a datetime.
    Refused(Error),
    /// The function or its arguments are not known.
    Unknown,
}

/// Any action of a job, before an action exists.
#[derive(Clone, Copy)]
pub(super) struct AnyAction<'a> {
    pub(super) job: JobScope<'a>,
    pub(super) knowledge: Knowledge,
}

impl AnyAction<'_> {
    /// Refuses a range whose two functions cannot form one, or are in the wrong order.
    ///
    /// # Errors
    /// E1010 with the place.
    pub(super) fn check_range(&self, start: &Expression, end: &Expression) -> Result<()> {
        let [from, to] = [start, end].map(|text| self.range_end(text));
        let (from, to) = match (from, to) {
            (Ok(RangeEnd::Refused(error)), _) | (_, Ok(RangeEnd::Refused(error))) => return Err(error),
            (Ok(RangeEnd::Calls(from)), Ok(RangeEnd::Calls(to))) => (from, to),
            // What cannot be evaluated yet is not refused before an action is created.
            _ => return Ok(()),
        };
        let checked = resolve::check_pair(&from, &to).unwrap_or_else(|| Err(resolve::mixed(end)));
        checked.map_err(|error| error.at(start.location()))
    }

    /// Refuses a range that ends before it starts for the first action.
    ///
    /// # Errors
    /// E1010 with the place.
    pub(super) fn check_order(&self, event: &EventOutline, schedule: &Schedule) -> Result<()> {
        let (Some(known), Some(nominal)) = (event.event().filter(|_| event.is_known), schedule.times().next()) else {
            return Ok(());
        };
        let first = Creation { job: self.job, job_zone: &schedule.zone, nominal };
        first.check_order(&known).map_err(|error| error.at(known.instances.location()))
    }

    /// Refuses the text of an `<instance>` that searches where no instance can ever be, or names a range that ends
    /// before it starts.
    ///
    /// # Errors
    /// E1004 with the place.
    pub(super) fn check_instance(&self, text: &Expression) -> Result<()> {
        let (dataset, zone) = (Dataset::placeholder(), Zone::utc());
        let mut phase = ActionInstances::new(self.job, &dataset, &zone, Timestamp::EPOCH);
        // Whatever else is wrong with the text fails when an action is created.
        let _ = self.evaluate(text, PartlyKnown::over(&mut phase, BeforeAction::INSTANCE));
        let ordered = if phase.is_reversed { Err(instance::reversed()) } else { Ok(()) };
        let checked = ordered.and_then(|()| phase.searches.into_iter().try_for_each(Search::check));
        checked.map_err(|error| error.at(text.location()))
    }

    /// Refuses the first text that would make the creation of every action fail.
    ///
    /// # Errors
    /// E1004 with the place.
    pub(super) fn check_instances(&self, instances: &Instances) -> Result<()> {
        match instances {
            Instances::Single(texts) => texts.iter().try_for_each(|text| self.single(text)),
            Instances::Range { start, end } => [start, end]
                .into_iter()
                .try_for_each(|end| self.range_end(end).map(drop).map_err(|error| end.locate(error))),
        }
    }

    fn single(&self, text: &Expression) -> Result<()> {
        let (dataset, zone) = (Dataset::placeholder(), Zone::utc());
        let mut phase = ActionInstances::new(self.job, &dataset, &zone, Timestamp::EPOCH);
        match self.evaluate(text, PartlyKnown::over(&mut phase, BeforeAction::INSTANCE)) {
            Ok(Some(value)) => resolve::datetimes(&value, self.job.processing, text).map(drop),
            Ok(None) => Ok(()),
            Err(error) => Err(text.locate(error)),
        }
    }

    /// Returns what a start-instance or end-instance calls.
    pub(super) fn range_end(&self, text: &Expression) -> Result<RangeEnd, ElError> {
        let (dataset, zone) = (Dataset::placeholder(), Zone::utc());
        let mut phase = RangeEnds::new(self.job, &dataset, &zone, Timestamp::EPOCH);
        let value = self.evaluate(text, PartlyKnown::over(&mut phase, BeforeAction::RANGE_END))?;
        Ok(match (value, phase.function) {
            (None, _) => RangeEnd::Unknown,
            (Some(_), Some(function)) => RangeEnd::Calls(function),
            (Some(value), None) => match self.job.processing.parse_datetime(value.trim()) {
                Ok(time) => RangeEnd::Calls(InstanceFunction::Time(time)),
                Err(error) => RangeEnd::Refused(resolve::no_range_end(&error, text)),
            },
        })
    }

    /// Evaluates a text; `None` when its value is not known.
    fn evaluate(
        &self,
        text: &Expression,
        mut before: PartlyKnown<'_, BeforeAction>,
    ) -> Result<Option<String>, ElError> {
        match self.knowledge {
            Knowledge::Complete => text.template.evaluate_known(&mut before),
            Knowledge::Partial => {
                let others = OtherProperties(self.job.configuration);
                text.template.evaluate_known(&mut PartlyKnown::over(&mut before, others))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::coordinator::parse::testing::{ONE_INPUT, PLAIN, Parts};

    /// `expect`: the code and the text at the place of the problem about an input with these instances.
    fn check(instances: &str, expect: Option<(&str, &str)>) {
        let events = ONE_INPUT.replace("<instance>${coord:current(0)}</instance>", instances);
        let problems = Parts { events: &events, ..PLAIN }.read_partly().problems;
        let shown: Vec<_> = problems
            .iter()
            .map(|problem| {
                let place = problem.location().unwrap();
                (problem.code().as_str(), &place.source.text[place.span.start..place.span.end])
            })
            .collect();
        assert_eq!(shown, expect.into_iter().collect::<Vec<_>>(), "{instances}: {problems:?}");
    }

    fn check_range(start: &str, end: &str, expect: Option<&str>) {
        let range = format!("<start-instance>{start}</start-instance><end-instance>{end}</end-instance>");
        check(&range, expect.map(|place| ("E1010", place)));
    }

    #[test]
    fn ranges_need_functions_that_can_be_combined() {
        for (start, end) in [
            ("${coord:current(-23)}", "${coord:current(0)}"),
            ("${coord:current(0)}", "${coord:current(0)}"),
            ("${coord:latest(-3)}", "${coord:latest(0)}"),
            ("${coord:future(0, 9)}", "${coord:future(3, 9)}"),
            ("${coord:offset(-1, 'DAY')}", "${coord:offset(0, 'MINUTE')}"),
            ("${coord:absolute('2009-01-01T00:00Z')}", "${coord:current(0)}"),
            ("${coord:endOfMonths(-1)}", "${coord:current(0)}"),
            ("${coord:current(-3)}", "${coord:offset(0, 'HOUR')}"),
            ("${coord:offset(-1, 'DAY')}", "${coord:current(0)}"),
            ("2009-01-01T00:00Z", "2009-01-02T00:00Z"),
            ("${coord:dateOffset('2009-01-01T00:00Z', 1, 'DAY')}", "2009-01-02T00:00Z"),
        ] {
            check_range(start, end, None);
        }
        let current = "${coord:current(0)}";
        check_range(current, "${coord:latest(0)}", Some("${coord:latest(0)}"));
        check_range(current, "${coord:absolute('2009-01-01T00:00Z')}", Some("${coord:absolute('2009-01-01T00:00Z')}"));
        check_range("2009-01-01T00:00Z", current, Some(current));
        check_range("yesterday", current, Some("yesterday"));
    }

    #[test]
    fn ranges_in_one_text_run_forward_too() {
        for (call, is_refused) in [
            ("currentRange(0, -1)", true),
            ("latestRange(0, -1)", true),
            ("futureRange(1, 0, 5)", true),
            ("currentRange(n, -1)", false),
            ("currentRange(-1, 0)", false),
        ] {
            let text = format!("${{coord:{call}}}");
            check(&format!("<instance>{text}</instance>"), is_refused.then_some(("E1010", &text)));
        }
    }

    #[test]
    fn ends_of_another_zone_are_named_as_such() {
        let (start, end) = ("2009-01-01T00:00+0800", "2009-01-02T00:00+0800");
        for (start, end, place) in [(start, end, start), ("2009-01-01T00:00Z", end, end)] {
            let range = format!("<start-instance>{start}</start-instance><end-instance>{end}</end-instance>");
            check(&range, Some(("E1004", place)));
        }
    }

    #[test]
    fn ranges_run_forward() {
        for (start, end) in [
            ("${coord:current(0)}", "${coord:current(-1)}"),
            ("${coord:latest(0)}", "${coord:latest(-1)}"),
            ("${coord:future(3, 9)}", "${coord:future(2, 9)}"),
            ("${coord:offset(0, 'DAY')}", "${coord:offset(-1, 'DAY')}"),
            ("${coord:offset(0, 'DAY')}", "${coord:offset(-1, 'HOUR')}"),
            ("${coord:offset(1, 'YEAR')}", "${coord:offset(-1, 'DAY')}"),
            ("${coord:offset(2, 'MINUTE')}", "${coord:offset(0, 'DAY')}"),
            ("${coord:dateOffset('2009-01-02T00:00Z', 1, 'DAY')}", "2009-01-01T00:00Z"),
            // What depends on the dataset and the action is compared for the first action.
            ("${coord:offset(2, 'DAY')}", "${coord:offset(3, 'HOUR')}"),
            ("${coord:offset(-3, 'HOUR')}", "${coord:offset(-1, 'MONTH')}"),
            ("${coord:current(2)}", "${coord:offset(-1, 'HOUR')}"),
            ("${coord:offset(1, 'YEAR')}", "${coord:current(0)}"),
            ("${coord:absolute('2009-06-01T00:00Z')}", "${coord:current(0)}"),
            ("${coord:endOfMonths(1)}", "${coord:current(0)}"),
            ("${coord:current(coord:tzOffset())}", "${coord:current(-1)}"),
            ("2009-01-02T00:00Z", "2009-01-01T00:00Z"),
        ] {
            check_range(start, end, Some(start));
        }
    }

    #[test]
    fn instances_that_can_never_be_found_are_refused() {
        for (text, code) in [
            ("${coord:latest(1)}", "E1004"),
            ("${coord:latestRange(0, 1)}", "E1004"),
            ("${coord:latestRange(0, -1)}", "E1010"),
            ("${coord:future(-1, 3)}", "E1004"),
            ("${coord:future(0, 0)}", "E1004"),
            ("${coord:futureRange(-1, 2, 9)}", "E1004"),
            ("${coord:futureRange(3, 2, 9)}", "E1010"),
        ] {
            check(&format!("<instance>{text}</instance>"), Some((code, text)));
        }
        check("<instance>${coord:latest(n)}</instance><instance>${coord:future(0, 1)}</instance>", None);
        for (start, end) in
            [("${coord:latest(0)}", "${coord:latest(1)}"), ("${coord:future(-1, 9)}", "${coord:future(2, 9)}")]
        {
            let range = format!("<start-instance>{start}</start-instance><end-instance>{end}</end-instance>");
            check(&range, Some(("E1004", start)));
        }
    }

    #[test]
    fn what_is_not_known_is_not_checked() {
        check_range("${coord:current(x)}", "${coord:current(-1)}", None);
        check_range("${coord:current(coord:conf('x'))}", "${coord:current(-1)}", None);
        check_range("${coord:offset(n, 'DAY')}", "${coord:offset(-1, 'HOUR')}", None);
    }
}

//! Phases of materialization: instance texts and the ends of a range.

use super::signature::{Call, Function};
use super::{JobScope, date};
use crate::coordinator::phase::result::{CallResult, failed, text};
use crate::dataset::{Dataset, Search, instance};
use howdah_calendar::{EndOf, Unit, Zone};
use howdah_el::{CallError, FunctionName, Scope, Value};
use howdah_words::model::time::Timestamp;

/// An `<instance>` when an action is created.
pub struct ActionInstances<'a> {
    pub job: JobScope<'a>,
    pub dataset: &'a Dataset,
    /// The job's time zone.
    pub(crate) job_zone: &'a Zone,
    pub nominal: Timestamp,
    /// Searches (`latest`, `future`) that the text postpones to the start of the action, in the order of their calls.
    pub searches: Vec<Search>,
    /// How many instances were left out because they are before the initial instance.
    pub before_initial: usize,
    /// The times of the instances that were left out, where the calendar can compute them.
    pub left_out: Vec<Timestamp>,
    /// Whether a range was refused because it ends before it starts.
    pub is_reversed: bool,
}

impl<'a> ActionInstances<'a> {
    /// Creates the phase for one dataset and one action.
    pub fn new(job: JobScope<'a>, dataset: &'a Dataset, job_zone: &'a Zone, nominal: Timestamp) -> Self {
        Self {
            job,
            dataset,
            job_zone,
            nominal,
            searches: Vec::new(),
            before_initial: 0,
            left_out: Vec::new(),
            is_reversed: false,
        }
    }

    /// Writes instances in the form that the functions return: datetimes joined by `#`, without those that were left
    /// out.
    fn instances(&mut self, found: &instance::Range) -> CallResult {
        self.before_initial += found.before_initial;
        self.left_out.extend(&found.left_out);
        let times: Vec<String> = found.times.iter().map(|time| self.job.processing.format(*time)).collect();
        text(times.join("#"))
    }

    fn search(&mut self, search: Search) -> CallResult {
        self.searches.push(search);
        text("")
    }
}

impl Scope for ActionInstances<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        let int = |position| call.arguments.int(position);
        match call.function {
            F::Current => self.instances(&instance::current(self.dataset, self.nominal, int(0), int(0))),
            F::CurrentRange if int(0) > int(1) => {
                self.is_reversed = true;
                Err(instance::reversed().into())
            }
            F::CurrentRange => self.instances(&instance::current(self.dataset, self.nominal, int(0), int(1))),
            F::Offset => {
                let unit = date::unit(call.arguments.text(1))?;
                self.instances(&instance::offset(self.dataset, self.nominal, int(0), unit))
            }
            F::AbsoluteRange => {
                let from = date::datetime(self.job.processing, call.arguments.text(0))?;
                let range = instance::absolute(self.dataset, self.nominal, from, int(1))?;
                self.instances(&range)
            }
            F::Latest => self.search(Search::Latest { first: int(0), last: int(0) }),
            F::LatestRange => self.search(Search::Latest { first: int(0), last: int(1) }),
            F::Future => self.search(Search::Future { first: int(0), last: int(0), limit: int(1) }),
            F::FutureRange => self.search(Search::Future { first: int(0), last: int(1), limit: int(2) }),
            F::FormatTime | F::EpochTime => date::call(self.job.processing, &call),
            _ => {
                dataset_facts(&call, self.dataset, self.job_zone, self.nominal).unwrap_or_else(|| self.job.call(&call))
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.job.names()
    }
}

/// Computes `hoursInDay`, `daysInMonth` and `tzOffset` for several phases; `None` for any other function.
pub(super) fn dataset_facts(call: &Call, dataset: &Dataset, job_zone: &Zone, nominal: Timestamp) -> Option<CallResult> {
    let number = call.arguments.int(0);
    let value = match call.function {
        Function::HoursInDay => instance::hours_in_day(dataset, nominal, number),
        Function::DaysInMonth => instance::days_in_month(dataset, nominal, number),
        Function::TzOffset => i64::from(dataset.zone().offset_seconds(nominal) - job_zone.offset_seconds(nominal)) / 60,
        _ => return None,
    };
    Some(Ok(Value::Int(value)))
}

/// The function that a range's `start-instance` or `end-instance` names.
#[derive(Clone, Debug, PartialEq)]
pub enum InstanceFunction {
    Current(i64),
    Offset(i64, Unit),
    Latest(i64),
    /// Number and limit.
    Future(i64, i64),
    Absolute(Timestamp),
    EndOf(EndOf, i64),
    /// No function: the text is a datetime.
    Time(Timestamp),
}

/// The ends of a range when an action is created: the instance function is recorded, not computed.
pub struct RangeEnds<'a> {
    job: JobScope<'a>,
    dataset: &'a Dataset,
    job_zone: &'a Zone,
    nominal: Timestamp,
    /// The last instance function of the text.
    pub function: Option<InstanceFunction>,
}

impl<'a> RangeEnds<'a> {
    /// Creates the phase for one dataset and one action.
    pub fn new(job: JobScope<'a>, dataset: &'a Dataset, job_zone: &'a Zone, nominal: Timestamp) -> Self {
        Self { job, dataset, job_zone, nominal, function: None }
    }

    fn remember(&mut self, call: &Call) -> Result<Option<InstanceFunction>, CallError> {
        use Function as F;
        let number = call.arguments.int(0);
        Ok(Some(match call.function {
            F::Current => InstanceFunction::Current(number),
            F::Latest => InstanceFunction::Latest(number),
            F::Future => InstanceFunction::Future(number, call.arguments.int(1)),
            F::Offset => InstanceFunction::Offset(number, date::unit(call.arguments.text(1))?),
            F::Absolute => InstanceFunction::Absolute(date::datetime(self.job.processing, call.arguments.text(0))?),
            F::EndOfDays => InstanceFunction::EndOf(EndOf::Day, number),
            F::EndOfWeeks => InstanceFunction::EndOf(EndOf::Week, number),
            F::EndOfMonths => InstanceFunction::EndOf(EndOf::Month, number),
            _ => return Ok(None),
        }))
    }
}

impl Scope for RangeEnds<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        if let Some(function) = self.remember(&call)? {
            self.function = Some(function);
            return text("");
        }
        match call.function {
            F::DateOffset | F::DateTzOffset | F::FormatTime | F::EpochTime => date::call(self.job.processing, &call),
            F::CurrentRange | F::LatestRange | F::FutureRange | F::AbsoluteRange => {
                failed(format!("{} is a range already", call.function.name()))
            }
            _ => {
                dataset_facts(&call, self.dataset, self.job_zone, self.nominal).unwrap_or_else(|| self.job.call(&call))
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.job.names()
    }
}

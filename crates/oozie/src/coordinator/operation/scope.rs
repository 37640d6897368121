//! Which actions `--action 1,3-4` and `--date A::B,C` mean (coordinator specification 14).
//!
//! A single date means the action of exactly that nominal time; what a period means depends on the verb.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use howdah_calendar::ProcessingZone;
use howdah_calendar::notation::Notation;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::action_numbers::{ActionNumbers, ActionNumbersError};
use howdah_words::model::row::CoordinatorAction;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The actions that an operator means, in the order of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Numbers(ActionNumbers),
    Dates(Vec<Dates>),
}

/// Nominal times that an operator names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dates {
    /// Exactly this time.
    At(Timestamp),
    /// These two times and all between them.
    Between(Timestamp, Timestamp),
}

/// Which actions of a period a verb means; numbers and single dates mean an action whatever its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// Actions that have not ended: kill, SLA, missing dependencies.
    Active,
    /// Actions that have ended, except SKIPPED ones: rerun, ignore.
    Ended,
}

/// The actions that a scope chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// In the order of the scope, each once.
    pub actions: Vec<CoordinatorAction>,
    /// Numbers that were named and are not actions of the job.
    pub missing: Vec<RangeInclusive<u32>>,
}

impl Period {
    /// Returns whether an action of a period is meant.
    pub const fn takes(self, status: ActionStatus) -> bool {
        match self {
            Self::Active => !status.is_terminal(),
            Self::Ended => status.is_terminal() && !matches!(status, ActionStatus::Skipped),
        }
    }
}

impl Scope {
    /// Reads a list of action numbers.
    ///
    /// # Errors
    /// E0302.
    pub fn numbers(text: &str) -> Result<Self> {
        ActionNumbers::parse(text).map(Self::Numbers).map_err(|error| no_numbers(text, &error))
    }

    /// Reads a list of dates: nominal times, and periods `A::B` with both ends included.
    ///
    /// # Errors
    /// E0302 for a single date, E0308 for a period that cannot be read.
    pub fn dates(text: &str, processing: ProcessingZone) -> Result<Self> {
        let parts = text.trim_end_matches(',').split(',');
        parts.map(|part| dates(part.trim(), processing)).collect::<Result<_>>().map(Self::Dates)
    }

    /// Returns a key that sorts actions into the order in which the operator named them.
    pub fn place(&self, number: u32) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => numbers.place(number),
            Self::Dates(_) => None,
        }
    }

    /// Chooses among the actions of a job, which are in the order of their numbers; refuses in this notation.
    ///
    /// # Errors
    /// E0605 for a single date that is not a nominal time of the job.
    pub fn choose(&self, actions: &[CoordinatorAction], period: Period, notation: Notation) -> Result<Chosen> {
        match self {
            Self::Numbers(numbers) => Ok(by_number(numbers, actions)),
            Self::Dates(dates) => by_date(dates, actions, period, notation),
        }
    }
}

fn by_number(numbers: &ActionNumbers, actions: &[CoordinatorAction]) -> Chosen {
    let mut chosen = Chosen::default();
    for range in numbers.ranges() {
        let mut expected = Some(*range.start());
        let from = actions.partition_point(|action| action.number < *range.start());
        for action in actions[from..].iter().take_while(|action| action.number <= *range.end()) {
            if let Some(missing) = expected.filter(|expected| *expected < action.number) {
                chosen.missing.push(missing..=action.number - 1);
            }
            expected = action.number.checked_add(1);
            chosen.actions.push(action.clone());
        }
        if let Some(missing) = expected.filter(|expected| expected <= range.end()) {
            chosen.missing.push(missing..=*range.end());
        }
    }
    chosen
}

fn by_date(dates: &[Dates], actions: &[CoordinatorAction], period: Period, notation: Notation) -> Result<Chosen> {
    let mut chosen = Chosen::default();
    let mut taken = HashSet::new();
    for dates in dates {
        match *dates {
            Dates::At(at) => {
                let found = actions.iter().find(|action| action.nominal_at == at);
                let found = found.ok_or_else(|| no_action_at(at, notation))?;
                chosen.actions.extend(taken.insert(found.number).then(|| found.clone()));
            }
            Dates::Between(from, until) => {
                let meant = |action: &&CoordinatorAction| {
                    (from..=until).contains(&action.nominal_at) && period.takes(action.status)
                };
                let found = actions.iter().filter(meant).filter(|action| taken.insert(action.number));
                chosen.actions.extend(found.cloned());
            }
        }
    }
    Ok(chosen)
}

fn dates(part: &str, processing: ProcessingZone) -> Result<Dates> {
    let Some((from, until)) = part.split_once("::") else {
        let at = processing.parse_datetime(part);
        return at.map(Dates::At).map_err(|error| Error::new(ErrorCode::E0302, part).help(date_help(&error.help())));
    };
    let read = |text: &str| processing.parse_datetime(text.trim());
    let period = read(from).and_then(|from| Ok((from, read(until)?)));
    let (from, until) = period.map_err(|error| Error::new(ErrorCode::E0308, part).help(date_help(&error.help())))?;
    if from > until {
        let why = format!("{part}: it ends before it starts");
        return Err(Error::new(ErrorCode::E0308, why).help("write the earlier date first"));
    }
    Ok(Dates::Between(from, until))
}

fn date_help(expected: &str) -> String {
    format!("{expected}; separate several nominal times and periods A::B by commas")
}

fn no_numbers(text: &str, error: &ActionNumbersError) -> Error {
    let help = format!("{error}: write numbers and ranges such as 1,3-4");
    Error::new(ErrorCode::E0302, text.trim()).help(help)
}

/// Returns the refusal of a date that is no nominal time of the job, in the operator's notation.
pub fn no_action_at(at: Timestamp, notation: Notation) -> Error {
    let help = "no action of the job has this nominal time; a period A::B means all actions between two times";
    Error::new(ErrorCode::E0605, notation.time(at)).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_testing::rows::coordinator_action;
    use howdah_words::model::time::HOUR;

    /// Hourly actions 1, 2, ... from 2026-01-01T00:00Z without number 4.
    fn actions() -> Vec<CoordinatorAction> {
        use ActionStatus as S;
        let start = ProcessingZone::UTC.parse_datetime("2026-01-01T00:00Z").unwrap();
        let statuses = [S::Succeeded, S::Skipped, S::Ignored, S::Failed, S::Running, S::Waiting];
        let hours = (0..).map(|hour| start + hour * HOUR);
        let actions = (1..).zip(hours).zip(statuses);
        let rows = actions.map(|((number, nominal), status)| coordinator_action(number, status, nominal));
        rows.filter(|action| action.number != 4).collect()
    }

    fn shown(chosen: &Chosen) -> String {
        let numbers: Vec<String> = chosen.actions.iter().map(|action| action.number.to_string()).collect();
        let missing = chosen.missing.iter().map(|range| format!(" !{}-{}", range.start(), range.end()));
        numbers.join(",") + &missing.collect::<String>()
    }

    fn check(scope: Result<Scope>, period: Period, expect: Result<&str, &str>) {
        let chosen =
            scope.and_then(|scope| scope.choose(&actions(), period, Notation::UTC)).map(|chosen| shown(&chosen));
        let got = chosen.as_deref().map_err(|error| error.code().as_str());
        assert_eq!(got, expect);
    }

    #[test]
    fn numbers_choose_actions_of_any_status() {
        for (text, expect) in [
            ("2,1", Ok("2,1")),
            ("1-3", Ok("1,2,3")),
            ("3-5,2", Ok("3,5,2 !4-4")),
            ("0", Ok(" !0-0")),
            ("6-2000000000", Ok("6 !7-2000000000")),
            ("9,4", Ok(" !9-9 !4-4")),
            ("x", Err("E0302")),
        ] {
            check(Scope::numbers(text), Period::Active, expect);
        }
    }

    #[test]
    fn dates_choose_by_nominal_time() {
        let day = "2026-01-01T00:00Z::2026-01-02T00:00Z";
        for (text, period, expect) in [
            ("2026-01-01T01:00Z", Period::Active, Ok("2")),
            (day, Period::Active, Ok("5,6")),
            (day, Period::Ended, Ok("1,3")),
            ("2026-01-01T05:00Z,2026-01-01T04:00Z::2026-01-01T05:00Z", Period::Active, Ok("6,5")),
            ("2026-01-01T02:00Z :: 2026-01-01T02:00Z,", Period::Ended, Ok("3")),
            ("2026-01-01T00:30Z", Period::Ended, Err("E0605")),
            ("2026-01-01", Period::Ended, Err("E0302")),
            ("", Period::Ended, Err("E0302")),
            ("2026-01-01T02:00Z::", Period::Ended, Err("E0308")),
            ("2026-01-01T02:00Z::2026-01-01T01:00Z", Period::Ended, Err("E0308")),
            ("2026-01-01T02:00Z::2026-01-01T03:00Z::2026-01-01T04:00Z", Period::Ended, Err("E0308")),
        ] {
            check(Scope::dates(text, ProcessingZone::UTC), period, expect);
        }
    }
}

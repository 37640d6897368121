//! The filter of `jobs` and of the verbs on many jobs: `name=value` pairs.
//!
//! Values of one name are alternatives, different names restrict each other. Each kind of job has its own names.

use std::collections::BTreeMap;

use crate::query::filter::pairs::{NO_PAIR, one_of, pair, parts};
use howdah_engine::format::read_time;
use howdah_store::{FrequencyFilter, JobFilter, JobOrder};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobKind;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::WorkflowStatus;
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// The names for every kind of job.
const NAMES: [&str; 9] =
    ["status", "name", "user", "group", "id", "text", "startcreatedtime", "endcreatedtime", "sortby"];
/// The further name for jobs that can be taken over from an Oozie.
const EXTERNAL_ID: &str = "externalid";
/// The further names for coordinator jobs.
const COORDINATOR_NAMES: [&str; 3] = ["frequency", "unit", EXTERNAL_ID];

/// A filter of jobs as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobsFilter {
    text: String,
    values: BTreeMap<String, Vec<String>>,
}

impl JobsFilter {
    /// The names that may be written, for every kind of job.
    pub const NAMES: &[&str] = &NAMES;

    /// Reads the filter of a list of jobs of one kind.
    ///
    /// # Errors
    /// E0420 with the part that is wrong.
    pub fn parse(text: &str, kind: JobKind) -> Result<Self> {
        let refuse = |why: &str| Error::with(ErrorCode::E0420, &[&text, &why]);
        let names = names(kind);
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in parts(text) {
            let (written, value) =
                pair(part).ok_or_else(|| refuse(NO_PAIR).help("for example --filter 'status=RUNNING;name=daily'"))?;
            let name = written.to_lowercase();
            if !names.contains(&name.as_str()) {
                return Err(refuse(&format!("invalid name [{written}]")).help(one_of(&name, &names)));
            }
            check_value(kind, &name, value).map_err(|(why, help)| refuse(&why).help(help))?;
            values.entry(name).or_default().push(value.to_owned());
        }
        normalise_frequency(&mut values).map_err(|why| refuse(why).help("for example frequency=10;unit=hours"))?;
        Ok(Self { text: text.to_owned(), values })
    }

    /// The values of each name in the order in which they are written; the last frequency alone, in minutes, days or
    /// months, with its unit.
    pub fn values(&self) -> &BTreeMap<String, Vec<String>> {
        &self.values
    }

    /// What is given and has no effect, for a warning.
    pub fn ignored(&self) -> Option<&'static str> {
        self.values.contains_key("group").then_some("group")
    }

    /// Refuses a filter that every job matches, or that names what has no effect: a verb would act on jobs that were
    /// not meant.
    ///
    /// # Errors
    /// E0420.
    pub fn check_narrow(&self) -> Result<()> {
        let refuse = |why: &str| Error::with(ErrorCode::E0420, &[&self.text, &why]);
        if let Some(name) = self.ignored() {
            return Err(
                refuse(&format!("{name} has no effect in a filter")).help("choose by status, name, user, id or text")
            );
        }
        if self.values.keys().all(|name| name == "sortby") {
            return Err(refuse("it matches every job").help("name at least a status, such as status=RUNNING"));
        }
        Ok(())
    }

    /// What the store is asked for at `now`.
    ///
    /// # Errors
    /// E0420 for a created time that is none, and for an order that does not exist.
    pub fn matching(&self, now: Timestamp) -> Result<JobFilter> {
        let list = |name: &str| self.values.get(name).cloned().unwrap_or_default();
        let first = |name: &str| self.values.get(name).and_then(|values| values.first());
        let created = |name: &str| -> Result<Vec<Timestamp>> {
            list(name).iter().map(|value| self.created(value, now)).collect()
        };
        Ok(JobFilter {
            statuses: list("status"),
            users: list("user"),
            names: list("name"),
            ids: list("id"),
            external_ids: list(EXTERNAL_ID),
            texts: list("text"),
            created_from: created("startcreatedtime")?.into_iter().max(),
            created_until: created("endcreatedtime")?.into_iter().min(),
            frequency: first("frequency")
                .zip(first("unit"))
                .map(|(count, unit)| FrequencyFilter { count: count.clone(), unit: unit.clone() }),
            order: self.order()?,
        })
    }

    /// A moment, or a length of time before now: `-2d`, `-3h`, `-10m`.
    fn created(&self, value: &str, now: Timestamp) -> Result<Timestamp> {
        if let Some(seconds) = value.strip_prefix('-').and_then(length) {
            return Ok(now - seconds);
        }
        read_time(value).map_err(|error| {
            let why = format!("invalid created time [{value}]");
            let help = format!("{}, or -2d, -3h, -10m before now", error.help());
            Error::with(ErrorCode::E0420, &[&self.text, &why]).help(help)
        })
    }

    fn order(&self) -> Result<JobOrder> {
        let Some(word) = self.values.get("sortby").and_then(|values| values.last()) else {
            return Ok(JobOrder::default());
        };
        match word.to_ascii_lowercase().as_str() {
            "createdtime" => Ok(JobOrder::Created),
            "lastmodifiedtime" => Ok(JobOrder::Modified),
            _ => {
                let why = format!("invalid sortby [{word}]");
                let help = one_of(word, &["createdTime", "lastModifiedTime"]);
                Err(Error::with(ErrorCode::E0420, &[&self.text, &why]).help(help))
            }
        }
    }
}

fn names(kind: JobKind) -> Vec<&'static str> {
    match kind {
        JobKind::Coordinator => NAMES.into_iter().chain(COORDINATOR_NAMES).collect(),
        JobKind::Bundle => NAMES.into_iter().chain([EXTERNAL_ID]).collect(),
        JobKind::Workflow => NAMES.to_vec(),
    }
}

/// A status of Oozie that no job ever has; clients ask for it among others.
const UNUSED_STATUS: &str = "PREMATER";

/// Refuses the value of a name that has few values; why, and advice.
fn check_value(kind: JobKind, name: &str, value: &str) -> Result<(), (String, String)> {
    match name {
        "status" => {
            let statuses: Vec<&str> = match kind {
                JobKind::Workflow => WorkflowStatus::ALL.iter().map(|status| status.as_str()).collect(),
                JobKind::Coordinator | JobKind::Bundle => JobStatus::ALL.iter().map(|status| status.as_str()).collect(),
            };
            if statuses.contains(&value) || (kind != JobKind::Workflow && value == UNUSED_STATUS) {
                return Ok(());
            }
            Err((format!("invalid status [{value}]"), one_of(value, &statuses)))
        }
        "frequency" if whole(value).is_none() => {
            let why = format!("invalid value [{value}] for frequency. A numerical value is expected");
            Err((why, "a cron expression cannot be filtered by; give a number, and a unit with it".to_owned()))
        }
        "unit" if unit(value).is_none() => {
            let valid = "Valid value is one of months, days, hours or minutes";
            let why = format!("invalid value [{value}] for time unit. {valid}");
            Err((why, one_of(value, &["months", "days", "hours", "minutes"])))
        }
        _ => Ok(()),
    }
}

/// Brings frequency and unit into the form in which a coordinator job keeps them; why not, when there is a unit alone.
fn normalise_frequency(values: &mut BTreeMap<String, Vec<String>>) -> Result<(), &'static str> {
    let last = |values: Option<Vec<String>>| values.and_then(|mut values| values.pop());
    let unit = last(values.remove("unit")).and_then(|word| unit(&word));
    let Some(count) = last(values.remove("frequency")).and_then(|word| whole(&word)) else {
        let alone = "time unit should be added only when frequency is specified. \
                     Either specify frequency also or else remove the time unit";
        return if unit.is_some() { Err(alone) } else { Ok(()) };
    };
    let (unit, factor) = unit.unwrap_or(("MINUTE", 1));
    values.insert("frequency".to_owned(), vec![count.saturating_mul(factor).to_string()]);
    values.insert("unit".to_owned(), vec![unit.to_owned()]);
    Ok(())
}

/// The unit in which frequencies of this unit are kept, and how many of it one is.
fn unit(word: &str) -> Option<(&'static str, i32)> {
    Some(match word.to_ascii_lowercase().as_str() {
        "minutes" => ("MINUTE", 1),
        "hours" => ("MINUTE", 60),
        "days" => ("DAY", 1),
        "months" => ("MONTH", 1),
        _ => return None,
    })
}

/// The whole part of a number.
#[expect(clippy::cast_possible_truncation, reason = "a frequency is a small number; a larger one matches no job")]
fn whole(word: &str) -> Option<i32> {
    let number: f32 = word.trim().parse().ok()?;
    number.is_finite().then_some(number as i32)
}

/// Seconds of `2d`, `3h`, `10m`.
fn length(text: &str) -> Option<i64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "d" => DAY,
        "h" => HOUR,
        "m" => MINUTE,
        _ => return None,
    };
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse::<i64>().ok().filter(|_| digits).map(|number| number.saturating_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_167_000);

    /// What the store is asked for, or the refusal.
    fn check(text: &str, expect: &str) {
        let filter = JobsFilter::parse(text, JobKind::Coordinator).and_then(|filter| filter.matching(NOW));
        let found = match filter {
            Ok(filter) => {
                let lists = [&filter.statuses, &filter.users, &filter.names, &filter.ids, &filter.texts];
                let lists: Vec<String> = lists.into_iter().map(|list| list.join(",")).collect();
                let bound = |at: Option<Timestamp>| at.map(|at| (NOW - at).to_string()).unwrap_or_default();
                let frequency = filter.frequency.map(|frequency| frequency.count + &frequency.unit).unwrap_or_default();
                let (from, until) = (bound(filter.created_from), bound(filter.created_until));
                format!("{}|{from}|{until}|{frequency}|{:?}", lists.join("|"), filter.order)
            }
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expect), "{text}: {found}");
    }

    #[test]
    fn what_is_asked_for() {
        check("", "|||||||Created");
        check("status=RUNNING;status=KILLED;name=a b;user=u", "RUNNING,KILLED|u|a b||");
        check("text=abc;ID=x;group=g", "|||x|abc|");
        check("status=PREMATER;status=PREP", "PREMATER,PREP||");
        check("frequency=10;unit=hours", "|600MINUTE|");
        check("frequency=1.9", "|1MINUTE|");
        check("sortBy=lastModifiedTime", "Modified");
    }

    #[test]
    fn a_verb_wants_a_filter_that_narrows() {
        for (text, expect) in [
            ("", false),
            (";", false),
            ("sortby=createdTime", false),
            ("group=etl", false),
            ("status=RUNNING;group=etl", false),
            ("status=RUNNING", true),
            ("sortby=createdTime;text=a", true),
        ] {
            let filter = JobsFilter::parse(text, JobKind::Coordinator).unwrap();
            assert_eq!(filter.check_narrow().is_ok(), expect, "{text}");
        }
    }

    #[test]
    fn created_times_may_be_counted_from_now() {
        check("startcreatedtime=-2d;endcreatedtime=-10m", "|172800|600|");
        check("startcreatedtime=-2d;startcreatedtime=-3h", "|10800||");
        check("startcreatedtime=2026-11-20T09:29Z", "|60||");
        check("endcreatedtime=--3h", "invalid created time [--3h]");
        check("endcreatedtime=-3w", "invalid created time [-3w]");
        check("endcreatedtime=-99999999999999999999d", "invalid created time");
        check("endcreatedtime=-d", "invalid created time");
    }

    #[test]
    fn refusals_name_the_part() {
        check("status=running", "invalid status [running]");
        check(" name=a", "invalid name [ name]");
        check("name", "pairs");
        check("unit=days", "only when frequency is specified");
        check("frequency=NaN", "invalid value [NaN] for frequency");
        check("frequency=1;unit=week", "invalid value [week] for time unit");
        check("sortby=name", "invalid sortby [name]");
    }

    #[test]
    fn each_kind_of_job_has_its_names_and_statuses() {
        for (text, kind) in [
            ("status=DONEWITHERROR", JobKind::Workflow),
            ("status=PREMATER", JobKind::Workflow),
            ("frequency=1", JobKind::Workflow),
            ("frequency=1", JobKind::Bundle),
        ] {
            assert_eq!(JobsFilter::parse(text, kind).unwrap_err().code(), ErrorCode::E0420, "{text}");
        }
        let help = JobsFilter::parse("statu=RUNNING", JobKind::Bundle).unwrap_err().help_text().map(str::to_owned);
        assert_eq!(help.as_deref(), Some("did you mean status?"));
    }
}

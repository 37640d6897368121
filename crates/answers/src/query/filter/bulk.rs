//! The filter of `jobs --bulk`: actions of the coordinators of bundles.
//!
//! A value is a list with commas, whatever its name. Bundles and coordinators are named by their ids when the first of
//! a list is one, else by their names; of times only the first counts.

use std::collections::BTreeMap;

use crate::query::filter::pairs::{NO_PAIR, one_of, pair, parts};
use howdah_engine::format::read_time;
use howdah_store::{ActionFilter, JobFilter};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

const NAMES: [&str; 7] = [
    "bundle",
    "coordinators",
    "actionstatus",
    "startcreatedtime",
    "endcreatedtime",
    "startscheduledtime",
    "endscheduledtime",
];

/// A filter of actions across coordinator jobs as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkFilter {
    values: BTreeMap<String, Vec<String>>,
}

/// What a bulk listing asks the store for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkSelection {
    pub bundles: JobFilter,
    pub actions: ActionFilter,
    /// `None`: every coordinator of the bundles.
    coordinators: Option<Named>,
}

/// Jobs that are named.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Ids(Vec<String>),
    Names(Vec<String>),
}

impl BulkSelection {
    /// Whether actions of this coordinator are asked for.
    pub fn takes(&self, job: &CoordinatorJob) -> bool {
        match &self.coordinators {
            None => true,
            Some(Named::Ids(ids)) => ids.iter().any(|id| id == job.id.as_str()),
            Some(Named::Names(names)) => names.contains(&job.name),
        }
    }
}

impl Named {
    fn of(words: &[String]) -> Self {
        match words.first().and_then(|first| JobId::parse(first)) {
            Some(_) => Self::Ids(words.to_vec()),
            None => Self::Names(words.to_vec()),
        }
    }
}

impl BulkFilter {
    /// Reads the filter.
    ///
    /// # Errors
    /// E0420 with the part that is wrong, E0305 when no bundle is named.
    pub fn parse(text: &str) -> Result<Self> {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in parts(text) {
            let refuse = |why: &str| Error::with(ErrorCode::E0420, &[&part, &why]);
            let help = "for example --bulk 'bundle=nightly;actionstatus=FAILED'";
            let (name, value) = pair(part).ok_or_else(|| refuse(NO_PAIR).help(help))?;
            let name = name.to_lowercase();
            if !NAMES.contains(&name.as_str()) {
                return Err(refuse(&format!("invalid parameter name [{name}]")).help(one_of(&name, &NAMES)));
            }
            check_value(&name, value).map_err(|(why, help)| refuse(&why).help(help))?;
            let list = values.entry(name).or_default();
            // Commas at the end are no values, those in the middle are empty ones.
            for value in value.trim_end_matches(',').split(',').filter(|_| value.bytes().any(|byte| byte != b',')) {
                let value = value.trim();
                if value.is_empty() {
                    return Err(refuse("value is empty or whitespace").help("remove the comma too many"));
                }
                list.push(value.to_owned());
            }
        }
        if !values.contains_key("bundle") {
            return Err(Error::new(ErrorCode::E0305, "bundle").help("name the bundle: bundle=NAME"));
        }
        Ok(Self { values })
    }

    /// The values of each name.
    pub fn values(&self) -> &BTreeMap<String, Vec<String>> {
        &self.values
    }

    /// What the store is asked for. Without a status the actions that were KILLED or FAILED are meant, as in Oozie.
    pub fn matching(&self) -> BulkSelection {
        let list = |name: &str| self.values.get(name).filter(|list| !list.is_empty());
        let time = |name: &str| list(name).and_then(|times| moment(&times[0]));
        let statuses = list("actionstatus").map(|words| words.iter().filter_map(|word| ActionStatus::from_word(word)));
        let bundles = match Named::of(list("bundle").map_or(&[], Vec::as_slice)) {
            Named::Ids(ids) => JobFilter { ids, ..JobFilter::default() },
            Named::Names(names) => JobFilter { names, ..JobFilter::default() },
        };
        let actions = ActionFilter {
            statuses: statuses.map_or_else(|| vec![ActionStatus::Killed, ActionStatus::Failed], Iterator::collect),
            nominal_from: time("startscheduledtime"),
            nominal_until: time("endscheduledtime"),
            created_from: time("startcreatedtime"),
            created_until: time("endcreatedtime"),
            ..ActionFilter::default()
        };
        BulkSelection { bundles, actions, coordinators: list("coordinators").map(|words| Named::of(words)) }
    }
}

/// A time that was checked when the filter was read.
fn moment(text: &str) -> Option<Timestamp> {
    read_time(text).ok()
}

/// Refuses a value that is no time or no status; why, and advice.
fn check_value(name: &str, value: &str) -> Result<(), (String, String)> {
    if name.contains("time") {
        return match read_time(value) {
            Ok(_) => Ok(()),
            Err(error) => Err((format!("invalid value [{value}] for time"), error.help())),
        };
    }
    let unknown = |word: &&str| name == "actionstatus" && ActionStatus::from_word(word).is_none();
    match value.trim_end_matches(',').split(',').find(unknown) {
        None => Ok(()),
        Some(word) => {
            let words: Vec<&str> = ActionStatus::ALL.iter().map(|status| status.as_str()).collect();
            Err((format!("invalid action status [{word}]"), one_of(word, &words)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let found = match BulkFilter::parse(text) {
            Ok(filter) => format!("{:?}", filter.values()),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expect), "{text}: {found}");
    }

    #[test]
    fn lists_with_commas() {
        check("Bundle=b,c", r#"{"bundle": ["b", "c"]}"#);
        check("bundle=b;coordinators=c1, c2 ,", r#""coordinators": ["c1", "c2"]"#);
        check("bundle=b;coordinators=,", r#""coordinators": []"#);
        check("bundle=b;actionstatus=FAILED,KILLED", r#""actionstatus": ["FAILED", "KILLED"]"#);
    }

    #[test]
    fn refusals_name_the_part() {
        check("", "E0305");
        check("bundle=a, ,b", "value is empty");
        check("bundle=b;actionstatus=FAILED, KILLED", "invalid action status [ KILLED]");
        check("bundle=b;startscheduledtime=now", "invalid value [now] for time");
        check("bundle=b;status=RUNNING", "invalid parameter name [status]");
        check("bundle", "pairs");
    }

    #[test]
    fn what_is_not_said_has_a_meaning() {
        let selection = |text: &str| BulkFilter::parse(text).unwrap().matching();
        let all = selection("bundle=b");
        assert_eq!((all.bundles.names.as_slice(), all.coordinators), (["b".to_owned()].as_slice(), None));
        assert_eq!(all.actions.statuses, [ActionStatus::Killed, ActionStatus::Failed]);
        let one = selection("bundle=0000000-261120093000123-oozie-oozi-B;actionstatus=TIMEDOUT;coordinators=c,0");
        assert_eq!((one.bundles.ids.len(), one.bundles.names.len()), (1, 0));
        assert_eq!(one.actions.statuses, [ActionStatus::TimedOut]);
        assert_eq!(one.coordinators, Some(Named::Names(vec!["c".to_owned(), "0".to_owned()])));
        let times = selection("bundle=b;startcreatedtime=2010-01-01T00:00Z;endscheduledtime=2010-01-02T00:00Z").actions;
        let at = |text: &str| moment(text);
        assert_eq!((times.created_from, times.created_until), (at("2010-01-01T00:00Z"), None));
        assert_eq!((times.nominal_from, times.nominal_until), (None, at("2010-01-02T00:00Z")));
    }
}

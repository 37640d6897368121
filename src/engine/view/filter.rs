//! The grammar of `--filter`: `name=value` pairs separated by `;`.
//!
//! Pure: texts in, what the store is asked for out. Values of one name are alternatives, names restrict each other.

use crate::calendar::ProcessingZone;
use crate::error::{Error, ErrorCode, Result, did_you_mean};
use crate::model::status::{ActionStatus, BundleStatus, CoordinatorStatus, WorkflowStatus};
use crate::model::time::Timestamp;
use crate::store::{ActionFilter, JobFilter};

/// The names that a filter of jobs may use.
const JOB_NAMES: [&str; 4] = ["status", "name", "user", "id"];

/// Which jobs are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobType {
    Coordinator,
    Workflow,
    Bundle,
}

impl JobType {
    fn statuses(self) -> Vec<&'static str> {
        match self {
            Self::Coordinator => CoordinatorStatus::ALL.iter().map(|status| status.as_str()).collect(),
            Self::Bundle => BundleStatus::ALL.iter().map(|status| status.as_str()).collect(),
            Self::Workflow => WorkflowStatus::ALL.iter().map(|status| status.as_str()).collect(),
        }
    }
}

/// Reads the filter of `jobs`.
///
/// # Errors
/// E0420 with the part that is wrong.
pub(crate) fn jobs(text: &str, kind: JobType) -> Result<JobFilter> {
    let refuse = |why: String| Error::with(ErrorCode::E0420, &[&text, &why]);
    let mut filter = JobFilter::default();
    for part in parts(text) {
        let (name, value) = part.split_once('=').ok_or_else(|| {
            refuse(format!("[{part}] is no name=value pair")).help("for example --filter 'status=RUNNING;name=daily'")
        })?;
        let value = value.trim().to_owned();
        match name.trim().to_ascii_lowercase().as_str() {
            "status" => {
                let word = value.to_ascii_uppercase();
                let statuses = kind.statuses();
                if !statuses.contains(&word.as_str()) {
                    return Err(refuse(format!("[{value}] is no status")).help(one_of(&word, &statuses)));
                }
                filter.statuses.push(word);
            }
            "name" => filter.names.push(value),
            "user" => filter.users.push(value),
            "id" => filter.ids.push(value),
            other => {
                return Err(refuse(format!("[{other}] cannot be filtered by")).help(one_of(other, &JOB_NAMES)));
            }
        }
    }
    Ok(filter)
}

/// Reads the filter of `info JOB`; `None` when it matches nothing at all.
///
/// # Errors
/// E0421 with the part that is wrong.
pub(crate) fn actions(text: &str) -> Result<Option<ActionFilter>> {
    let refuse = |why: String| Error::with(ErrorCode::E0421, &[&text, &why]);
    let mut wanted = Vec::new();
    let mut excluded = Vec::new();
    let mut filter = ActionFilter::default();
    for part in parts(text) {
        let (name, operator, value) = comparison(part).ok_or_else(|| {
            refuse(format!("[{part}] is no comparison")).help("for example --filter 'status=FAILED;status=KILLED'")
        })?;
        match name.to_ascii_lowercase().as_str() {
            "status" => {
                let status = status(value).ok_or_else(|| {
                    let words: Vec<&str> = ActionStatus::ALL.iter().map(|status| status.as_str()).collect();
                    refuse(format!("[{value}] is no status")).help(one_of(&value.to_ascii_uppercase(), &words))
                })?;
                match operator {
                    "=" => wanted.push(status),
                    "!=" => excluded.push(status),
                    _ => return Err(refuse(format!("a status cannot be compared with {operator}"))),
                }
            }
            "nominaltime" => {
                let at = ProcessingZone::UTC
                    .parse_datetime(value)
                    .map_err(|error| refuse(format!("[{value}] is no time")).help(error.help()))?;
                restrict(&mut filter, operator, at)
                    .ok_or_else(|| refuse("nominaltime cannot be compared with !=".to_owned()))?;
            }
            other => {
                let help = one_of(other, &["status", "nominaltime"]);
                return Err(refuse(format!("[{other}] cannot be filtered by")).help(help));
            }
        }
    }
    if !wanted.is_empty() || !excluded.is_empty() {
        let named = |status: &&ActionStatus| wanted.is_empty() || wanted.contains(status);
        let left = |status: &&ActionStatus| !excluded.contains(status);
        filter.statuses = ActionStatus::ALL.iter().filter(named).filter(left).copied().collect();
        if filter.statuses.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(filter))
}

fn status(word: &str) -> Option<ActionStatus> {
    ActionStatus::from_word(&word.to_ascii_uppercase())
}

/// Narrows the bounds, which are inclusive and in whole seconds; `None` for an operator that gives no bound.
fn restrict(filter: &mut ActionFilter, operator: &str, at: Timestamp) -> Option<()> {
    let (from, until) = match operator {
        ">=" => (Some(at), None),
        ">" => (Some(at + 1), None),
        "<=" => (None, Some(at)),
        "<" => (None, Some(at - 1)),
        "=" => (Some(at), Some(at)),
        _ => return None,
    };
    filter.nominal_from = filter.nominal_from.max(from);
    filter.nominal_until = match (filter.nominal_until, until) {
        (Some(old), Some(new)) => Some(old.min(new)),
        (old, new) => old.or(new),
    };
    Some(())
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

/// Splits at the first operator, in the order in which Oozie looks for them.
fn comparison(part: &str) -> Option<(&str, &str, &str)> {
    ["!=", ">=", "<=", ">", "<", "="].into_iter().find_map(|operator| {
        let (name, value) = part.split_once(operator)?;
        Some((name.trim(), operator, value.trim()))
    })
}

fn one_of(given: &str, words: &[&str]) -> String {
    match did_you_mean(given, words.iter().copied()) {
        Some(word) => format!("did you mean {word}?"),
        None => format!("one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter as its parts, or the code and what the message says.
    fn check(text: &str, expect: &str) {
        let found = match actions(text) {
            Ok(Some(filter)) => {
                let statuses: Vec<&str> = filter.statuses.iter().map(|status| status.as_str()).collect();
                let bound = |at: Option<Timestamp>| at.map(|at| at.seconds().to_string()).unwrap_or_default();
                format!("{}|{}|{}", statuses.join(","), bound(filter.nominal_from), bound(filter.nominal_until))
            }
            Ok(None) => "nothing".to_owned(),
            Err(error) => format!("{error}"),
        };
        assert!(found.contains(expect), "{text}: {found}");
    }

    #[test]
    fn filters_of_actions() {
        check("", "||");
        check("status=FAILED;status=killed", "KILLED,FAILED||");
        check(
            "status!=SUCCEEDED;status!=WAITING",
            "READY,SUBMITTED,RUNNING,SUSPENDED,TIMEDOUT,KILLED,FAILED,SKIPPED,IGNORED||",
        );
        check("status=FAILED;status!=FAILED", "nothing");
        check("nominaltime>=1970-01-01T00:01Z;NominalTime<1970-01-01T00:03Z", "|60|179");
        check("nominaltime=1970-01-01T00:01Z", "|60|60");
        check("nominaltime > 1970-01-01T00:01Z ;", "|61|");
        check("status>FAILED", "E0421");
        check("status=FALED", "[FALED] is no status");
        check("nominaltime>=yesterday", "[yesterday] is no time");
        check("nominaltime!=1970-01-01T00:01Z", "E0421");
        check("name=x", "[name] cannot be filtered by");
        check("status", "[status] is no comparison");
    }

    #[test]
    fn filters_of_jobs() {
        let filter = jobs("status=running; status=KILLED;name=a b;user=u", JobType::Coordinator).unwrap();
        assert_eq!(filter.statuses, ["RUNNING", "KILLED"]);
        assert_eq!((filter.names, filter.users), (vec!["a b".to_owned()], vec!["u".to_owned()]));
        for (text, kind) in [
            ("status=DONEWITHERROR", JobType::Workflow),
            ("statu=RUNNING", JobType::Coordinator),
            ("status=IGNORED", JobType::Bundle),
            ("RUNNING", JobType::Coordinator),
        ] {
            assert_eq!(jobs(text, kind).unwrap_err().code(), ErrorCode::E0420, "{text}");
        }
        let help = jobs("statu=RUNNING", JobType::Coordinator).unwrap_err().help_text().map(str::to_owned);
        assert_eq!(help.as_deref(), Some("did you mean status?"));
    }
}

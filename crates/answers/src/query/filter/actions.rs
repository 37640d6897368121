//! The filter of `info JOB`: `status` and `nominaltime`, compared with values.
//!
//! Equal values of one name are alternatives, everything else restricts.

use crate::query::filter::pairs::{one_of, parts};
use howdah_engine::format::read_time;
use howdah_store::ActionFilter;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The names that may be compared.
const NAMES: [&str; 2] = ["status", "nominaltime"];

/// The operators in the order in which Oozie looks for them.
const OPERATORS: [&str; 6] = [">=", ">", "<=", "<", "!=", "="];

/// One comparison with its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Status(&'static str, ActionStatus),
    NominalTime(&'static str, Timestamp),
}

/// A filter of actions as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionsFilter {
    text: String,
    comparisons: Vec<Comparison>,
}

impl ActionsFilter {
    /// The names that may be written.
    pub const NAMES: &[&str] = &NAMES;

    /// Reads the filter.
    ///
    /// # Errors
    /// E0421 with the part that is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let comparisons = parts(text).map(|part| comparison(text, part)).collect::<Result<_>>()?;
        Ok(Self { text: text.to_owned(), comparisons })
    }

    /// The comparisons in the order in which they are written.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// What the store is asked for; `None` when nothing at all can match.
    ///
    /// # Errors
    /// E0421 for a bound that is given twice.
    pub fn matching(&self) -> Result<Option<ActionFilter>> {
        let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
        let mut filter = ActionFilter::default();
        let mut bounds = Vec::new();
        for comparison in &self.comparisons {
            match *comparison {
                Comparison::Status("=", status) => wanted.push(status),
                Comparison::Status(_, status) => excluded.push(status),
                Comparison::NominalTime("=", at) => filter.nominal_in.push(at),
                Comparison::NominalTime("!=", at) => filter.nominal_not_in.push(at),
                Comparison::NominalTime(operator, _) if bounds.contains(&operator) => {
                    let why = format!("nominaltime{operator} can't have more than 1 values");
                    return Err(Error::with(ErrorCode::E0421, &[&self.text, &why]).help("keep the one that is meant"));
                }
                Comparison::NominalTime(operator, at) => {
                    bounds.push(operator);
                    restrict(&mut filter, operator, at);
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
}

fn comparison(text: &str, part: &str) -> Result<Comparison> {
    let refuse = |why: String| Error::with(ErrorCode::E0421, &[&text, &why]);
    let Some((name, operator, value)) = split(part) else {
        let why = "filter should be of format <key><comparator><value> pairs".to_owned();
        return Err(refuse(why).help("for example --filter 'status=FAILED;status=KILLED'"));
    };
    match name.to_ascii_lowercase().as_str() {
        "status" => {
            let word = value.to_uppercase();
            let status = ActionStatus::from_word(&word).ok_or_else(|| {
                let words: Vec<&str> = ActionStatus::ALL.iter().map(|status| status.as_str()).collect();
                refuse(format!("invalid status value [{value}]")).help(one_of(&word, &words))
            })?;
            if !matches!(operator, "=" | "!=") {
                let why = format!("invalid comparator [{operator}] for status. Valid are = and !=");
                return Err(refuse(why).help("name each status that is meant: status=FAILED;status=KILLED"));
            }
            Ok(Comparison::Status(operator, status))
        }
        "nominaltime" => match read_time(value) {
            Ok(at) => Ok(Comparison::NominalTime(operator, at)),
            Err(error) => Err(refuse(format!("invalid nominal time [{value}]")).help(error.help())),
        },
        _ => Err(refuse(format!("invalid filter [{name}]")).help(one_of(name, &NAMES))),
    }
}

/// Splits at the first of the operators that the part has.
fn split(part: &str) -> Option<(&str, &'static str, &str)> {
    let part = part.trim();
    OPERATORS.into_iter().find_map(|operator| {
        let (name, value) = part.split_once(operator)?;
        Some((name, operator, value))
    })
}

/// Narrows the bounds, which are inclusive and in whole seconds.
fn restrict(filter: &mut ActionFilter, operator: &str, at: Timestamp) {
    let (from, until) = match operator {
        ">=" => (Some(at), None),
        ">" => (Some(at + 1), None),
        "<=" => (None, Some(at)),
        _ => (None, Some(at - 1)),
    };
    filter.nominal_from = filter.nominal_from.max(from);
    filter.nominal_until = match (filter.nominal_until, until) {
        (Some(old), Some(new)) => Some(old.min(new)),
        (old, new) => old.or(new),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter as its parts, or the code and what the message says.
    fn check(text: &str, expect: &str) {
        let found = match ActionsFilter::parse(text).and_then(|filter| filter.matching()) {
            Ok(Some(filter)) => {
                let statuses: Vec<&str> = filter.statuses.iter().map(|status| status.as_str()).collect();
                let bound = |at: Option<Timestamp>| at.map(|at| at.seconds().to_string()).unwrap_or_default();
                let list = |times: &[Timestamp]| times.iter().map(|at| at.seconds().to_string()).collect::<Vec<_>>();
                let (among, except) = (list(&filter.nominal_in).join(","), list(&filter.nominal_not_in).join(","));
                let (from, until) = (bound(filter.nominal_from), bound(filter.nominal_until));
                format!("{}|{from}|{until}|{among}|{except}", statuses.join(","))
            }
            Ok(None) => "nothing".to_owned(),
            Err(error) => format!("{error}"),
        };
        assert!(found.contains(expect), "{text}: {found}");
    }

    #[test]
    fn statuses() {
        check("", "||||");
        check("status=FAILED;status=killed", "KILLED,FAILED||");
        check(
            "status!=SUCCEEDED;status!=WAITING",
            "READY,SUBMITTED,RUNNING,SUSPENDED,TIMEDOUT,KILLED,FAILED,SKIPPED,IGNORED||",
        );
        check("status=FAILED;status!=FAILED", "nothing");
        check("status>FAILED", "invalid comparator [>]");
        check("status=FALED", "invalid status value [FALED]");
        check("status= FAILED", "invalid status value [ FAILED]");
        check("status", "<key><comparator><value>");
        check("status=FAILED; ", "<key><comparator><value>");
    }

    #[test]
    fn nominal_times() {
        check("nominaltime>=1970-01-01T00:01Z;NominalTime<1970-01-01T00:03Z", "|60|179|");
        check("nominaltime=1970-01-01T00:01Z;nominaltime=1970-01-01T00:02Z", "|||60,120|");
        check("nominaltime!=1970-01-01T00:01Z", "||||60");
        check("nominaltime<=1970-01-01T00:01Z ;", "||60|");
        check("nominaltime>1970-01-01T00:01Z;nominaltime>1970-01-01T00:02Z", "nominaltime> can't have more than 1");
        check("nominaltime>=yesterday", "invalid nominal time [yesterday]");
        check("nominaltime >1970-01-01T00:01Z", "invalid filter [nominaltime ]");
        check("name=x", "invalid filter [name]");
    }
}

//! The state of a job of Oozie, as an import writes it (`state.json`) and a takeover reads it: all times in UTC.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde_json::{Map, Value, json};

use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// How times are written: with seconds, because a timeout counts from the created time.
const FORMAT: &str = "%Y-%m-%dT%H:%M:%SZ";
/// How nominal times, ends and pause times are written.
const MINUTES: &str = "%Y-%m-%dT%H:%MZ";

/// The statuses of actions that are not over.
const OPEN: &[&str] = &["WAITING", "READY", "SUBMITTED", "RUNNING", "SUSPENDED"];

/// The state of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobState {
    /// `None` for an application that was never submitted.
    pub id: Option<String>,
    pub name: String,
    pub user: String,
    pub status: Option<String>,
    pub bundle: Option<String>,
    pub application: String,
    pub last_action: Option<u32>,
    /// The nominal time of the next action; `None` when the job creates no more.
    pub next: Option<Timestamp>,
    pub end: Option<Timestamp>,
    pub pause: Option<Timestamp>,
    pub concurrency: Option<i32>,
    /// How many of its actions may wait at once.
    pub throttle: Option<i32>,
    /// The timeout of the actions that it creates; negative: none.
    pub timeout_minutes: Option<i32>,
    /// The actions that are not over.
    pub open: Vec<OpenAction>,
    /// The numbers of the actions that are over, by status.
    pub ended: BTreeMap<String, Vec<u32>>,
    /// Those of them that were killed before they had a workflow job.
    pub killed_before_start: Vec<u32>,
    /// The coordinators of a bundle.
    pub coordinators: Vec<MemberState>,
}

/// A coordinator that a bundle has submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberState {
    pub id: String,
    /// Its name in the bundle.
    pub name: String,
    pub status: String,
}

/// An action that is not over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenAction {
    pub number: u32,
    pub status: String,
    pub nominal: Option<Timestamp>,
    pub created: Option<Timestamp>,
    pub timeout_minutes: Option<i32>,
    /// Its workflow job.
    pub external_id: Option<String>,
    /// Its own properties, which Oozie has resolved because it is READY.
    pub configuration: Option<Properties>,
}

impl JobState {
    /// Returns the state as JSON.
    pub fn to_json(&self) -> Value {
        let minute = |at: Option<Timestamp>| written(at, MINUTES);
        let ended: Map<String, Value> =
            self.ended.iter().map(|(status, numbers)| (status.clone(), ranges(numbers).into())).collect();
        json!({
            "id": self.id,
            "name": self.name,
            "user": self.user,
            "status": self.status,
            "bundleId": self.bundle,
            "applicationPath": self.application,
            "lastActionNumber": self.last_action,
            "nextNominalTime": minute(self.next),
            "endTime": minute(self.end),
            "pauseTime": minute(self.pause),
            "concurrency": self.concurrency,
            "throttle": self.throttle,
            "timeoutMinutes": self.timeout_minutes,
            "openActions": self.open.iter().map(OpenAction::to_json).collect::<Vec<_>>(),
            "endedActions": ended,
            "killedBeforeStart": ranges(&self.killed_before_start),
            "coordinators": self.coordinators.iter().map(MemberState::to_json).collect::<Vec<_>>(),
        })
    }

    /// Reads a state.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        let text = |name: &str| text(value, name);
        let number = |name: &str| whole(value, name);
        let list = |name: &str| value[name].as_array().into_iter().flatten();
        let (open, coordinators) = (list("openActions"), list("coordinators"));
        let mut ended = BTreeMap::new();
        for (status, list) in value["endedActions"].as_object().into_iter().flatten() {
            ended.insert(status.clone(), numbers(list.as_str().unwrap_or_default())?);
        }
        Ok(Self {
            id: text("id")?,
            name: text("name")?.unwrap_or_default(),
            user: text("user")?.unwrap_or_default(),
            status: text("status")?,
            bundle: text("bundleId")?,
            application: text("applicationPath")?.unwrap_or_default(),
            last_action: number("lastActionNumber")?.map(small).transpose()?,
            next: time(value, "nextNominalTime")?,
            end: time(value, "endTime")?,
            pause: time(value, "pauseTime")?,
            concurrency: number("concurrency")?.map(small).transpose()?,
            throttle: number("throttle")?.map(small).transpose()?,
            timeout_minutes: number("timeoutMinutes")?.map(small).transpose()?,
            open: open.map(OpenAction::from_json).collect::<Result<_, _>>()?,
            ended,
            killed_before_start: numbers(&text("killedBeforeStart")?.unwrap_or_default())?,
            coordinators: coordinators.map(MemberState::from_json).collect::<Result<_, _>>()?,
        })
    }

    /// Adds an action with this number, status and workflow job; `complete` adds what is kept of one that is not over.
    pub fn add(
        &mut self,
        (number, status, external_id): (u32, String, Option<String>),
        complete: impl FnOnce(&mut OpenAction),
    ) {
        if OPEN.contains(&status.as_str()) {
            let mut open = OpenAction { number, status, external_id, ..OpenAction::default() };
            complete(&mut open);
            self.open.push(open);
            return;
        }
        if status == "KILLED" && external_id.is_none() {
            self.killed_before_start.push(number);
        }
        self.ended.entry(status).or_default().push(number);
    }

    /// Returns the user of the job with these properties: `user.name`, else the one that Oozie recorded.
    pub fn user_with<'a>(&'a self, properties: &'a Properties) -> &'a str {
        properties.get("user.name").map_or(self.user.trim(), |named| named.trim())
    }

    /// Returns the status of an action; `None` when the state does not have it.
    pub fn status_of(&self, number: u32) -> Option<&str> {
        let open = self.open.iter().find(|action| action.number == number).map(|action| action.status.as_str());
        open.or_else(|| {
            let mut ended = self.ended.iter();
            ended.find(|(_, numbers)| numbers.contains(&number)).map(|(status, _)| status.as_str())
        })
    }
}

impl MemberState {
    fn to_json(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "status": self.status })
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let field =
            |name: &str| text(value, name)?.ok_or_else(|| format!("a coordinator of a bundle has no field [{name}]"));
        Ok(Self { id: field("id")?, name: field("name")?, status: field("status")? })
    }
}

impl OpenAction {
    fn to_json(&self) -> Value {
        json!({
            "actionNumber": self.number,
            "status": self.status,
            "nominalTime": written(self.nominal, MINUTES),
            "createdTime": written(self.created, FORMAT),
            "timeoutMinutes": self.timeout_minutes,
            "externalId": self.external_id,
            "configuration": self.configuration,
        })
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let number = whole(value, "actionNumber")?.ok_or("an open action has no actionNumber")?;
        let configuration = value["configuration"].as_object().map(|properties| {
            let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
            properties.iter().map(pair).collect::<Option<Properties>>().ok_or("a property is not a text")
        });
        Ok(Self {
            number: small(number)?,
            status: text(value, "status")?.ok_or("an open action has no status")?,
            nominal: time(value, "nominalTime")?,
            created: time(value, "createdTime")?,
            timeout_minutes: whole(value, "timeoutMinutes")?.map(small).transpose()?,
            external_id: text(value, "externalId")?,
            configuration: configuration.transpose()?,
        })
    }
}

/// Returns numbers as a list of ranges, ascending: `1-3,7`.
pub fn ranges(numbers: &[u32]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let runs = sorted.chunk_by(|before, after| before + 1 == *after);
    let texts = runs.filter_map(|run| match run {
        [one] => Some(one.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
        [] => None,
    });
    texts.collect::<Vec<_>>().join(",")
}

/// Reads such a list.
///
/// # Errors
/// What is wrong with it, in words.
pub fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let wrong = || format!("[{text}] is not a list of action numbers such as 1-3,7");
    let mut numbers = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = first.parse().ok().zip(last.parse().ok()).ok_or_else(wrong)?;
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

fn written(at: Option<Timestamp>, format: &str) -> Option<String> {
    Some(at?.to_utc()?.format(format).to_string())
}

fn text(value: &Value, name: &str) -> Result<Option<String>, String> {
    match &value[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(format!("the field [{name}] is not a text")),
    }
}

fn whole(value: &Value, name: &str) -> Result<Option<i64>, String> {
    match &value[name] {
        Value::Null => Ok(None),
        other => other.as_i64().map(Some).ok_or_else(|| format!("the field [{name}] is not a whole number")),
    }
}

fn small<T: TryFrom<i64>>(number: i64) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("the number [{number}] is too large or negative"))
}

fn time(value: &Value, name: &str) -> Result<Option<Timestamp>, String> {
    let Some(text) = text(value, name)? else { return Ok(None) };
    let read = |format| NaiveDateTime::parse_from_str(&text, format).ok();
    let at = read(FORMAT).or_else(|| read(MINUTES));
    let wrong = || format!("the field [{name}] is not a time in UTC: [{text}]");
    at.map(|at| Some(Timestamp::from_seconds(at.and_utc().timestamp()))).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_back() {
        let at = |seconds| Some(Timestamp::from_seconds(seconds));
        let action = OpenAction {
            number: 7,
            status: "READY".to_owned(),
            nominal: at(7200),
            created: at(7207),
            timeout_minutes: Some(-1),
            external_id: None,
            configuration: Some(Properties::from([("a".to_owned(), "b".to_owned())])),
        };
        let state = JobState {
            id: Some("0000001-1-oozie-oozi-C".to_owned()),
            name: "daily".to_owned(),
            status: Some("RUNNING".to_owned()),
            last_action: Some(7),
            next: at(10_800),
            concurrency: Some(1),
            throttle: Some(12),
            timeout_minutes: Some(-1),
            open: vec![action, OpenAction { number: 6, status: "RUNNING".to_owned(), ..OpenAction::default() }],
            ended: BTreeMap::from([("SUCCEEDED".to_owned(), vec![1, 2, 3]), ("KILLED".to_owned(), vec![4, 5])]),
            killed_before_start: vec![5],
            coordinators: vec![MemberState { id: "1-C".into(), name: "a".into(), status: "PAUSED".into() }],
            ..JobState::default()
        };
        let written = state.to_json();
        assert_eq!(written["openActions"][0]["createdTime"], "1970-01-01T02:00:07Z");
        assert_eq!(JobState::from_json(&written), Ok(state.clone()));
        for (number, expect) in [(7, Some("READY")), (3, Some("SUCCEEDED")), (5, Some("KILLED")), (8, None)] {
            assert_eq!(state.status_of(number), expect, "{number}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (value, expect) in [
            (json!({"id": 1}), "[id]"),
            (json!({"lastActionNumber": -1}), "[-1]"),
            (json!({"nextNominalTime": "today"}), "[today]"),
            (json!({"openActions": [{"status": "READY"}]}), "actionNumber"),
            (json!({"endedActions": {"KILLED": "1-x"}}), "[1-x]"),
            (json!({"coordinators": [{"id": "1-C", "name": "a"}]}), "[status]"),
        ] {
            let error = JobState::from_json(&value).unwrap_err();
            assert!(error.contains(expect), "{value}: {error}");
        }
    }

    #[test]
    fn numbers_are_written_as_ranges() {
        for (numbers_, expect) in
            [(vec![], ""), (vec![3], "3"), (vec![1, 2, 3, 7, 9, 8], "1-3,7-9"), (vec![2, 1], "1-2")]
        {
            assert_eq!(ranges(&numbers_), expect);
            let mut sorted = numbers_.clone();
            sorted.sort_unstable();
            assert_eq!(numbers(expect), Ok(sorted));
        }
    }
}

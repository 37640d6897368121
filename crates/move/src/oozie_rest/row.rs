//! The rows of the answers: those of an export, with the names and types of Oozie's JSON. What an answer leaves out, or
//! has as null, is `None`.

use serde_json::Value;

use crate::oozie_export::{Blob, BundleRow, CoordinatorRow, LocalSeconds, MemberState, WorkflowRow};
use crate::oozie_rest::date;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// A coordinator job, with a page of its actions.
#[derive(Clone, Debug)]
pub struct CoordinatorAnswer {
    /// The job. Its dates are in UTC; its definitions are other answers, and its last action is not in this one.
    pub row: CoordinatorRow,
    pub actions: Vec<ActionAnswer>,
}

/// An action of a coordinator job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionAnswer {
    pub number: u32,
    pub status: String,
    pub nominal: Option<Timestamp>,
    pub created: Option<Timestamp>,
    pub modified: Option<Timestamp>,
    /// The id of its workflow job.
    pub workflow: Option<String>,
    /// The paths that it still waits for.
    pub missing: Vec<String>,
}

/// A bundle job, with its coordinators that were submitted.
#[derive(Clone, Debug)]
pub struct BundleAnswer {
    /// The job. Its dates are in UTC; its definition is another answer.
    pub row: BundleRow,
    pub coordinators: Vec<MemberState>,
}

/// Returns the jobs of a page of a list.
///
/// # Errors
/// What is wrong with the answer, in words.
pub fn list_of(answer: Value, kind: JobKind) -> Result<Vec<Value>, String> {
    let name = match kind {
        JobKind::Coordinator => "coordinatorjobs",
        JobKind::Workflow => "workflows",
        JobKind::Bundle => "bundlejobs",
    };
    match answer {
        Value::Object(mut fields) => match fields.remove(name) {
            Some(Value::Array(jobs)) => Ok(jobs),
            _ => Err(format!("it has no list [{name}]")),
        },
        _ => Err("it is not a JSON object".to_owned()),
    }
}

impl CoordinatorAnswer {
    /// Reads a coordinator job.
    ///
    /// # Errors
    /// What is wrong with the answer, in words.
    pub fn read(answer: &Value) -> Result<Self, String> {
        let actions = list(answer, "actions", ActionAnswer::read)?;
        let row = CoordinatorRow {
            id: required(answer, "coordJobId")?,
            name: text(answer, "coordJobName")?.unwrap_or_default(),
            user: text(answer, "user")?.unwrap_or_default(),
            status: required(answer, "status")?,
            app_path: text(answer, "coordJobPath")?.unwrap_or_default(),
            bundle: text(answer, "bundleId")?,
            execution: text(answer, "executionPolicy")?.unwrap_or_default(),
            frequency: text(answer, "frequency")?.unwrap_or_default(),
            time_unit: text(answer, "timeUnit")?.unwrap_or_default(),
            time_zone: text(answer, "timeZone")?.unwrap_or_default(),
            timeout_minutes: int(answer, "timeOut")?,
            concurrency: int(answer, "concurrency")?,
            throttle: int(answer, "mat_throttling")?,
            start: local(answer, "startTime")?,
            end: local(answer, "endTime")?,
            pause: local(answer, "pauseTime")?,
            next: local(answer, "nextMaterializedTime")?,
            configuration: configuration(answer)?,
            ..CoordinatorRow::default()
        };
        Ok(Self { row, actions })
    }
}

impl ActionAnswer {
    fn read(answer: &Value) -> Result<Self, String> {
        let number = u32::try_from(int(answer, "actionNumber")?).ok().filter(|number| *number > 0);
        let lists = [text(answer, "missingDependencies")?, text(answer, "pushMissingDependencies")?];
        let missing = lists.iter().flatten().flat_map(|list| list.split(['#', '!']));
        Ok(Self {
            number: number.ok_or("an action has no number")?,
            status: required(answer, "status")?,
            nominal: at(answer, "nominalTime")?,
            created: at(answer, "createdTime")?,
            modified: at(answer, "lastModifiedTime")?,
            workflow: text(answer, "externalId")?,
            missing: missing.filter(|path| !path.is_empty()).map(str::to_owned).collect(),
        })
    }
}

impl BundleAnswer {
    /// Reads a bundle job.
    ///
    /// # Errors
    /// What is wrong with the answer, in words.
    pub fn read(answer: &Value) -> Result<Self, String> {
        let coordinators = list(answer, "bundleCoordJobs", member)?;
        let row = BundleRow {
            id: required(answer, "bundleJobId")?,
            name: text(answer, "bundleJobName")?.unwrap_or_default(),
            user: text(answer, "user")?.unwrap_or_default(),
            status: required(answer, "status")?,
            app_path: text(answer, "bundleJobPath")?.unwrap_or_default(),
            end: local(answer, "endTime")?,
            pause: local(answer, "pauseTime")?,
            definition: None,
            configuration: configuration(answer)?,
        };
        Ok(Self { row, coordinators })
    }
}

fn member(answer: &Value) -> Result<MemberState, String> {
    Ok(MemberState {
        id: required(answer, "coordJobId")?,
        name: required(answer, "coordJobName")?,
        status: required(answer, "status")?,
    })
}

/// Reads a workflow job; its dates are in UTC.
///
/// # Errors
/// What is wrong with the answer, in words.
pub fn workflow_of(answer: &Value) -> Result<WorkflowRow, String> {
    Ok(WorkflowRow {
        id: required(answer, "id")?,
        status: required(answer, "status")?,
        parent: text(answer, "parentId")?.filter(|parent| !parent.is_empty()),
        created: local(answer, "createdTime")?,
        run: int(answer, "run")?,
    })
}

/// Returns what `read` makes of each element of a list.
fn list<T>(answer: &Value, name: &str, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    match &answer[name] {
        Value::Array(elements) => elements.iter().map(read).collect(),
        Value::Null => Ok(Vec::new()),
        _ => Err(format!("the field [{name}] is not a list")),
    }
}

/// Returns a text; a number is written out, because versions of Oozie differ in the type of `frequency`.
fn text(answer: &Value, name: &str) -> Result<Option<String>, String> {
    match &answer[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(number) => Ok(Some(number.to_string())),
        _ => Err(format!("the field [{name}] is not a text")),
    }
}

fn required(answer: &Value, name: &str) -> Result<String, String> {
    text(answer, name)?.filter(|text| !text.is_empty()).ok_or_else(|| format!("the field [{name}] is missing"))
}

fn int(answer: &Value, name: &str) -> Result<i64, String> {
    match &answer[name] {
        Value::Null => Ok(0),
        value => value.as_i64().ok_or_else(|| format!("the field [{name}] is not a whole number")),
    }
}

fn configuration(answer: &Value) -> Result<Option<Blob>, String> {
    Ok(text(answer, "conf")?.map(Blob::of_text))
}

fn local(answer: &Value, name: &str) -> Result<Option<LocalSeconds>, String> {
    Ok(at(answer, name)?.map(LocalSeconds::in_utc))
}

fn at(answer: &Value, name: &str) -> Result<Option<Timestamp>, String> {
    let Some(written) = text(answer, name)? else { return Ok(None) };
    let wrong =
        || format!("the field [{name}] is not a date in GMT such as [Sat, 21 Nov 2026 10:00:00 GMT]: [{written}]");
    date::parse(&written).map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_coordinator_is_read_with_its_actions() {
        let action = json!({ "actionNumber": 3, "status": "WAITING", "nominalTime": "Thu, 01 Jan 1970 00:01:00 GMT",
            "missingDependencies": "a#b!!${coord:latest(0)}", "externalId": null });
        let answer = json!({ "coordJobId": "1-C", "status": "RUNNING", "frequency": 60, "actions": [action] });
        let read = CoordinatorAnswer::read(&answer).unwrap();
        assert_eq!((read.row.id.as_str(), read.row.frequency.as_str(), read.row.next), ("1-C", "60", None));
        let [action] = &read.actions[..] else { panic!("{read:?}") };
        assert_eq!((action.number, action.nominal.map(Timestamp::seconds)), (3, Some(60)));
        assert_eq!(action.missing, ["a", "b", "${coord:latest(0)}"]);
    }

    #[test]
    fn a_bundle_is_read_with_its_coordinators() {
        let members = json!([{ "coordJobId": "1-C", "coordJobName": "a", "status": "PAUSED" }]);
        let answer = json!({ "bundleJobId": "2-B", "status": "RUNNING", "bundleCoordJobs": members });
        let read = BundleAnswer::read(&answer).unwrap();
        let [member] = &read.coordinators[..] else { panic!("{read:?}") };
        assert_eq!((member.id.as_str(), member.name.as_str(), member.status.as_str()), ("1-C", "a", "PAUSED"));
        let wrong = json!({ "bundleJobId": "2-B", "status": "RUNNING", "bundleCoordJobs": 5 });
        assert!(BundleAnswer::read(&wrong).unwrap_err().contains("[bundleCoordJobs]"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |answer: Value, expect: &str| {
            let why = CoordinatorAnswer::read(&answer).unwrap_err();
            assert!(why.contains(expect), "{why}");
        };
        check(json!({}), "[coordJobId] is missing");
        check(json!({ "coordJobId": ["x"] }), "[coordJobId] is not a text");
        check(json!({ "coordJobId": "1-C", "status": "RUNNING", "actions": 5 }), "[actions] is not a list");
        check(json!({ "coordJobId": "1-C", "status": "RUNNING", "actions": [{}] }), "no number");
        let pst = "Thu, 01 Jan 1970 00:01:00 PST";
        check(json!({ "coordJobId": "1-C", "status": "RUNNING", "endTime": pst }), "[endTime] is not a date in GMT");
        assert!(list_of(json!({ "workflows": [] }), JobKind::Coordinator).unwrap_err().contains("coordinatorjobs"));
        assert!(list_of(json!([]), JobKind::Coordinator).is_err());
    }
}

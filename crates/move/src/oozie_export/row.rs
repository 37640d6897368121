//! The rows of an export's tables. Names and types are those of Oozie's beans; what a bean leaves out is `None`.
//!
//! Answers of Oozie's web services are read into the same rows (`oozie_rest`).

use crate::oozie_export::blob::Blob;
use crate::oozie_export::date::LocalSeconds;
use crate::oozie_export::fields::Fields;

/// A coordinator job.
#[derive(Clone, Debug, Default)]
pub struct CoordinatorRow {
    pub id: String,
    pub name: String,
    pub user: String,
    pub status: String,
    pub app_path: String,
    pub bundle: Option<String>,
    pub execution: String,
    pub frequency: String,
    pub time_unit: String,
    pub time_zone: String,
    pub timeout_minutes: i64,
    pub concurrency: i64,
    /// How many of its actions may wait at once.
    pub throttle: i64,
    pub start: Option<LocalSeconds>,
    pub end: Option<LocalSeconds>,
    pub pause: Option<LocalSeconds>,
    pub last_action: i64,
    /// The nominal time of the next action; absent before the first one.
    pub next: Option<LocalSeconds>,
    /// Whether it has created all its actions.
    pub is_done: bool,
    /// The definition as it was submitted.
    pub definition: Option<Blob>,
    /// The definition as Oozie resolved it: with the datasets of included files.
    pub resolved_definition: Option<Blob>,
    pub configuration: Option<Blob>,
}

impl CoordinatorRow {
    /// Reads a row.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            id: fields.required("id")?,
            name: fields.text("appName")?.unwrap_or_default(),
            user: fields.text("user")?.unwrap_or_default(),
            status: fields.text("statusStr")?.unwrap_or_default(),
            app_path: fields.text("appPath")?.unwrap_or_default(),
            bundle: fields.text("bundleId")?,
            execution: fields.text("execution")?.unwrap_or_default(),
            frequency: fields.text("frequency")?.unwrap_or_default(),
            time_unit: fields.text("timeUnitStr")?.unwrap_or_default(),
            time_zone: fields.text("timeZone")?.unwrap_or_default(),
            timeout_minutes: fields.int("timeOut")?,
            concurrency: fields.int("concurrency")?,
            throttle: fields.int("matThrottling")?,
            start: fields.date("startTimestamp")?,
            end: fields.date("endTimestamp")?,
            pause: fields.date("pauseTimestamp")?,
            last_action: fields.int("lastActionNumber")?,
            next: fields.date("nextMaterializedTimestamp")?,
            is_done: fields.int("doneMaterialization")? != 0,
            definition: fields.blob("origJobXml")?,
            resolved_definition: fields.blob("jobXml")?,
            configuration: fields.blob("conf")?,
        })
    }
}

/// An action of a coordinator job.
#[derive(Clone, Debug, Default)]
pub struct ActionRow {
    pub id: String,
    pub job: String,
    pub number: i64,
    pub status: String,
    pub timeout_minutes: i64,
    pub external_id: Option<String>,
    pub nominal: Option<LocalSeconds>,
    pub created: Option<LocalSeconds>,
    pub modified: Option<LocalSeconds>,
    /// When it was last run again.
    pub rerun: Option<LocalSeconds>,
    /// The action as Oozie resolved it.
    pub definition: Option<Blob>,
    /// The configuration of the job when the action was created.
    pub created_configuration: Option<Blob>,
    pub missing: Option<Blob>,
    pub push_missing: Option<Blob>,
}

impl ActionRow {
    /// Reads a row.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            id: fields.required("id")?,
            job: fields.required("jobId")?,
            number: fields.int("actionNumber")?,
            status: fields.text("statusStr")?.unwrap_or_default(),
            timeout_minutes: fields.int("timeOut")?,
            external_id: fields.text("externalId")?,
            nominal: fields.date("nominalTimestamp")?,
            created: fields.date("createdTimestamp")?,
            modified: fields.date("lastModifiedTimestamp")?,
            rerun: fields.date("rerunTimestamp")?,
            definition: fields.blob("actionXml")?,
            created_configuration: fields.blob("createdConf")?,
            missing: fields.blob("missingDependencies")?,
            push_missing: fields.blob("pushMissingDependencies")?,
        })
    }

    /// Reads only what says when an action was due; the other fields are empty.
    ///
    /// # Errors
    /// What is wrong with the row, in words.
    pub fn read_nominal(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            id: fields.required("id")?,
            job: fields.required("jobId")?,
            nominal: fields.date("nominalTimestamp")?,
            definition: fields.blob("actionXml")?,
            ..Self::default()
        })
    }

    /// Reads only what an import needs: no document but that of an action that is READY. The other fields are empty.
    ///
    /// # Errors
    /// What is wrong with the row, in words.
    pub fn read_state(fields: &Fields<'_>) -> Result<Self, String> {
        let status = fields.text("statusStr")?.unwrap_or_default();
        let is_ready = status == "READY";
        Ok(Self {
            job: fields.required("jobId")?,
            number: fields.int("actionNumber")?,
            status,
            timeout_minutes: fields.int("timeOut")?,
            external_id: fields.text("externalId")?,
            nominal: fields.date("nominalTimestamp")?,
            created: fields.date("createdTimestamp")?,
            definition: if is_ready { fields.blob("actionXml")? } else { None },
            ..Self::default()
        })
    }
}

/// A workflow job.
#[derive(Clone, Debug)]
pub struct WorkflowRow {
    pub id: String,
    pub status: String,
    /// The action or the workflow job that started it.
    pub parent: Option<String>,
    pub created: Option<LocalSeconds>,
    /// How often it was run again.
    pub run: i64,
}

impl WorkflowRow {
    /// Reads a row.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            id: fields.required("id")?,
            status: fields.text("statusStr")?.unwrap_or_default(),
            parent: fields.text("parentId")?,
            created: fields.date("createdTimestamp")?,
            run: fields.int("run")?,
        })
    }
}

/// A bundle job.
#[derive(Clone, Debug)]
pub struct BundleRow {
    pub id: String,
    pub name: String,
    pub user: String,
    pub status: String,
    pub app_path: String,
    /// The end that a command gave it.
    pub end: Option<LocalSeconds>,
    pub pause: Option<LocalSeconds>,
    /// The definition as it was submitted.
    pub definition: Option<Blob>,
    pub configuration: Option<Blob>,
}

impl BundleRow {
    /// Reads a row.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            id: fields.required("id")?,
            name: fields.text("appName")?.unwrap_or_default(),
            user: fields.text("user")?.unwrap_or_default(),
            status: fields.text("statusStr")?.unwrap_or_default(),
            app_path: fields.text("appPath")?.unwrap_or_default(),
            end: fields.date("endTimestamp")?,
            pause: fields.date("pauseTimestamp")?,
            definition: fields.blob("origJobXml")?,
            configuration: fields.blob("conf")?,
        })
    }
}

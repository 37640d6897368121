//! How the jobs that a shadow follows are in Oozie: from its server, a folder of its answers, or an export.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::backtest::rows::Rows;
use crate::import::zone_of_rows;
use crate::oozie::Answers;
use crate::oozie_export::{
    ACTIONS, ActionRow, COORDINATORS, CoordinatorRow, LocalSeconds, Missing, WORKFLOWS, WorkflowRow,
};
use crate::oozie_rest::ActionAnswer;
use howdah_calendar::Zone;
use howdah_engine::settings::Settings;
use howdah_host::line_files::LineFiles;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::ShadowJob;
use howdah_words::model::time::Timestamp;

/// How long before the shadow began a workflow job may have been created whose action is compared.
const EARLIER: i64 = 2 * howdah_words::model::time::DAY;

/// With which Oozie a shadow is compared.
pub enum Against<'a> {
    Answers(&'a Answers),
    /// An export, and the zone of its dates where it is known.
    Export(LineFiles, Option<Zone>),
}

/// What an Oozie says of the jobs that a shadow follows.
#[derive(Debug, Default)]
pub struct OozieState {
    pub jobs: HashMap<String, OozieJob>,
    /// When this was so, as far as the source shows it: the latest time in it. `None` for a server, which answers now.
    pub(crate) as_of: Option<Timestamp>,
    pub problems: Vec<Error>,
}

/// A coordinator job of Oozie.
#[derive(Clone, Debug, Default)]
pub struct OozieJob {
    pub status: String,
    pub concurrency: Option<i32>,
    /// Its end and its pause time; `None` where the zone of their dates was not named.
    pub limits: Option<(Option<Timestamp>, Option<Timestamp>)>,
    pub actions: BTreeMap<u32, OozieAction>,
}

/// An action of Oozie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OozieAction {
    pub status: String,
    pub nominal: Option<Timestamp>,
    pub created: Option<Timestamp>,
    pub modified: Option<Timestamp>,
    pub workflow: Option<String>,
    /// When its workflow job was created, where that is known.
    pub started: Option<Timestamp>,
    /// What it waits for.
    pub missing: Vec<String>,
}

impl OozieState {
    /// Reads the state of these jobs.
    ///
    /// # Errors
    /// H0190, H0240 to H0244 when the source cannot be read.
    pub fn read(against: Against<'_>, jobs: &[ShadowJob], settings: &Settings, since: Timestamp) -> Result<Self> {
        match against {
            Against::Answers(answers) => Self::of_answers(answers, jobs, since),
            Against::Export(mut files, zone) => Self::of_export(&mut files, zone, jobs, settings),
        }
    }

    fn of_answers(answers: &Answers, jobs: &[ShadowJob], since: Timestamp) -> Result<Self> {
        let mut state = Self::default();
        let workflows = answers.workflows_since(since - EARLIER)?;
        let created: HashMap<String, Timestamp> =
            workflows.into_iter().filter_map(|job| job.created.map(|created| (job.id, created.utc()))).collect();
        let mut latest = created.values().max().copied();
        for job in jobs {
            let Some(answer) = answers.coordinator(&job.oozie_id)? else {
                state.problems.push(absent(&job.oozie_id));
                continue;
            };
            let actions = answer.actions.into_iter().map(|action| (action.number, of_answer(action, &created)));
            let actions: BTreeMap<u32, OozieAction> = actions.collect();
            latest = actions.values().flat_map(OozieAction::times).chain(latest).max();
            let concurrency = i32::try_from(answer.row.concurrency).ok();
            let limits = Some((answer.row.end.map(LocalSeconds::utc), answer.row.pause.map(LocalSeconds::utc)));
            let status = answer.row.status;
            state.jobs.insert(job.oozie_id.clone(), OozieJob { status, concurrency, limits, actions });
        }
        state.as_of = latest.filter(|_| matches!(answers, Answers::Folder(_)));
        Ok(state)
    }

    fn of_export(files: &mut LineFiles, zone: Option<Zone>, jobs: &[ShadowJob], settings: &Settings) -> Result<Self> {
        let mut state = Self::default();
        let wanted: HashSet<&str> = jobs.iter().map(|job| job.oozie_id.as_str()).collect();
        let rows = Rows::read_all(files, COORDINATORS, CoordinatorRow::read, &mut state.problems)?;
        let rows = rows.ok_or_else(|| files.refuse(&format!("it has no table {COORDINATORS}")))?;
        let is_named = zone.is_some();
        let zone = zone.or_else(|| zone_of_rows(&rows, settings)).ok_or_else(|| {
            let error = Error::new(ErrorCode::H0192, "no job shows it, or none fits them all");
            error.help("name the zone of the machine that wrote the export, with --zone")
        })?;
        let at = |local: Option<LocalSeconds>| local.map(|local| zone.instant(local.0));
        for row in rows.into_iter().filter(|row| wanted.contains(row.id.as_str())) {
            let limits = is_named.then(|| (at(row.end), at(row.pause)));
            let concurrency = i32::try_from(row.concurrency).ok();
            state.jobs.insert(row.id, OozieJob { status: row.status, concurrency, limits, actions: BTreeMap::new() });
        }
        let workflows = Rows::read_all(files, WORKFLOWS, WorkflowRow::read, &mut state.problems)?.unwrap_or_default();
        let created: HashMap<String, Timestamp> =
            workflows.into_iter().filter_map(|row| at(row.created).map(|created| (row.id, created))).collect();
        let mut latest = created.values().max().copied();
        let keep = |row: ActionRow| wanted.contains(row.job.as_str()).then_some(row);
        let read = |fields: &crate::oozie_export::Fields<'_>| ActionRow::read(fields).map(keep);
        let actions = Rows::read_all(files, ACTIONS, read, &mut state.problems)?.unwrap_or_default();
        for row in actions.into_iter().flatten() {
            let Ok(number) = u32::try_from(row.number) else { continue };
            let action = OozieAction {
                started: row.external_id.as_ref().and_then(|id| created.get(id)).copied(),
                missing: missing(&row),
                nominal: at(row.nominal),
                created: at(row.created),
                modified: at(row.modified),
                workflow: row.external_id,
                status: row.status,
            };
            latest = action.times().chain(latest).max();
            if let Some(job) = state.jobs.get_mut(&row.job) {
                job.actions.insert(number, action);
            }
        }
        let missing = jobs.iter().filter(|job| !state.jobs.contains_key(&job.oozie_id));
        let missing: Vec<Error> = missing.map(|job| absent(&job.oozie_id)).collect();
        state.problems.extend(missing);
        state.as_of = latest;
        Ok(state)
    }
}

impl OozieAction {
    /// Returns whether Oozie has started it.
    pub fn is_started(&self) -> bool {
        self.workflow.is_some() || ["SUBMITTED", "RUNNING", "SUSPENDED", "SUCCEEDED"].contains(&self.status.as_str())
    }

    /// Returns the times that are known to have passed.
    fn times(&self) -> impl Iterator<Item = Timestamp> + use<> {
        [self.created, self.modified, self.started].into_iter().flatten()
    }
}

fn of_answer(action: ActionAnswer, created: &HashMap<String, Timestamp>) -> OozieAction {
    OozieAction {
        started: action.workflow.as_ref().and_then(|id| created.get(id)).copied(),
        status: action.status,
        nominal: action.nominal,
        created: action.created,
        modified: action.modified,
        workflow: action.workflow.filter(|id| !id.is_empty()),
        missing: action.missing,
    }
}

fn missing(row: &ActionRow) -> Vec<String> {
    let texts = [&row.missing, &row.push_missing].into_iter().flatten().filter_map(|blob| blob.text().ok());
    let read = texts.filter_map(|text| Missing::read(&text).ok());
    read.flat_map(|missing| match missing {
        Missing::Listed { dependencies, unresolved } => dependencies.into_iter().chain(unresolved).collect(),
        Missing::Logic(_) => Vec::new(),
    })
    .collect()
}

fn absent(id: &str) -> Error {
    Error::with(ErrorCode::H0243, &[&id, &"Oozie has no such job now"])
        .help("it may have been purged; its actions are not compared")
}

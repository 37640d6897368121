//! `oozie job -run`, `-submit`, `-start` and `-dryrun`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::Failure;
use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::{session, submit as own, verb};
use crate::output::oozie::dryrun as text;
use howdah_answers::check::dryrun::{self, DryRun, Selection, Setup, job};
use howdah_answers::check::validate::Quotable;
use howdah_engine::lookup::Job;
use howdah_engine::submit::submission::{self, Begin, Prepared};
use howdah_engine::submit::warnings::DataCheck;
use howdah_engine::tick::kick_off::{self, Start};
use howdah_engine::verbs;
use howdah_host::files;
use howdah_host::found::Found;
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobKind;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::time::Timestamp;

impl Call<'_> {
    /// Returns the properties of `-config` and `-D`.
    pub(super) fn properties(&self) -> Result<PropertyArgs, Refusal> {
        let definitions = self.line.definitions();
        let config = self.line.value("config");
        let is_there = |file: &str| !matches!(files::find(Path::new(file)), Found::Absent);
        match config {
            Some(file) if !is_there(file) && !definitions.is_empty() => {
                return Err(Refusal::Plain(format!("configuration file [{file}] not found")));
            }
            Some(file) if is_there(file) && ![".properties", ".xml"].iter().any(|end| file.ends_with(end)) => {
                let why = "configuration must be a '.properties' or a '.xml' file";
                return Err(Refusal::Plain(why.to_owned()));
            }
            Some(file) if is_there(file) => {}
            None if !definitions.is_empty() => {}
            _ => return Err(Refusal::Plain("configuration is not specified".to_owned())),
        }
        Ok(PropertyArgs { config: config.map(PathBuf::from), definitions })
    }

    /// Returns the same where the options may be missing.
    pub(super) fn properties_if_any(&self) -> Result<PropertyArgs, Refusal> {
        if self.line.has("config") || self.line.has("D") {
            return self.properties();
        }
        Ok(PropertyArgs { config: None, definitions: Vec::new() })
    }
}

/// `-run`, and `-submit`, after which a workflow job waits for `-start`.
pub(super) fn submit(call: &Call<'_>) -> Done {
    let begin = if call.line.has("submit") { Begin::WhenStarted } else { Begin::AtOnce };
    own::submit_properties(call.global, &call.properties()?, begin)?;
    Ok(())
}

/// `-start` of a workflow job or a bundle in PREP.
pub(super) fn start(call: &Call<'_>, id: &str) -> Done {
    let id = call.job(id)?;
    let mut engine = session::existing_engine(call.global)?;
    match engine.store.read(|snapshot| Job::of(snapshot, &id))? {
        Job::Coordinator(_) => {
            let error = Error::new(ErrorCode::E0302, format!("start of {id}, which is a coordinator job"));
            return Err(error.into());
        }
        Job::Bundle(bundle) if bundle.status == JobStatus::PREP => {
            let faults = kick_off::start(&mut engine, &id, Start::Now, call.now)?;
            if !faults.is_empty() {
                return Err(Refusal::Failure(faults.into()));
            }
        }
        Job::Workflow(_) => verbs::start::start(&mut engine, &id)?,
        Job::Bundle(_) => {}
    }
    Ok(verb::start_processes(&engine, call.global, Effect::Stored)?)
}

/// `-dryrun`.
pub(super) fn dryrun(call: &Call<'_>) -> Done {
    let given = call.properties()?;
    let values = session::job_properties(given.config.as_deref(), &given.definitions)?;
    let (kind, answer) = dry_run(call.global, &values, (&given.named_files(), call.now))?;
    print(text::printed(kind, &answer))
}

/// Returns what the server answers about a job that is only tried, and the kind of the job. The contents of these files
/// may be quoted.
///
/// # Errors
/// The errors for which the job would be refused; of a workflow also those of expressions without a value (decision
/// W43).
pub(crate) fn dry_run(
    global: &GlobalArgs,
    values: &ParsedProperties,
    (quotable, now): (&[PathBuf], Timestamp),
) -> Result<(JobKind, String), Failure> {
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let data = DataCheck::Check;
    let (prepared, problems) = submission::prepare_looking(&mounts, &settings, values, data);
    Quotable::named(quotable).allow(&problems);
    prepared.as_ref().map_or(Ok(()), submission::check_user)?;
    match prepared {
        None => Err(problems.into()),
        Some(Prepared::Workflow(job)) => {
            dryrun::workflow(&job, Setup { mounts: &mounts, settings: &settings, now, data }, &problems)?;
            Ok((JobKind::Workflow, "OK".to_owned()))
        }
        Some(Prepared::Bundle(job)) => Ok((JobKind::Bundle, job.definition().trim_end().to_owned())),
        Some(Prepared::Coordinator(job)) => {
            let answer = coordinator(&DryRun { prepared: &job, mounts: &mounts, now, data })?;
            Ok((JobKind::Coordinator, answer))
        }
    }
}

fn coordinator(run: &DryRun<'_>) -> Result<String, Error> {
    let row = job::job(run.prepared, run.now);
    let app_path = &run.prepared.application.coordinator.app_path;
    let mut actions = Vec::new();
    run.actions(&Selection::default(), &mut |action| {
        actions.push(text::action(&row, action, app_path));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(text::answer(&run.prepared.source.text, &actions))
}

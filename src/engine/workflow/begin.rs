//! How an action begins: its evaluated body, its effective configuration, its executor.
//!
//! Reads the application's files; writes nothing and starts nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration;
use crate::engine::owner;
use crate::engine::source;
use crate::engine::submit::WORKFLOW_PATH;
use crate::engine::workflow::advance::Advance;
use crate::engine::workflow::application_files;
use crate::engine::workflow::create::{self, PreparedWorkflow};
use crate::engine::workflow::evaluation::{el_failure, told};
use crate::engine::workflow::run::{NewAttempt, attempt_folder, attempt_row};
use crate::error::{Error, ErrorCode, Result, SourceText};
use crate::executor::{self, ActionContext, ChildRequest, Failure, ParentJob, Started};
use crate::host::{environment, files};
use crate::model::Properties;
use crate::workflow::action_state::NodeEvent;
use crate::workflow::credentials::{self, CredentialError};
use crate::workflow::definition::{Action, NodeKind};
use crate::workflow::global::{Layers, effective_configuration, job_xml_paths, propagated_global, with_global};
use crate::workflow::user_retry::RetryPlan;
use crate::xml::{self, Element};

/// The job property in which a parent passes its `global` section on.
const PROPAGATED_GLOBAL: &str = "oozie.wf.globalconf";

/// Properties that say who an action runs as.
const USERS: [&str; 2] = ["user.name", "mapreduce.job.user.name"];

/// Properties that elements of the action stand for.
const ADDRESSES: [&str; 2] = ["fs.default.name", "yarn.resourcemanager.address"];

/// `true` leaves the credentials of all actions out.
const SKIP_CREDENTIALS: &str = "oozie.credentials.skip";

impl Advance<'_> {
    /// Evaluates the body of an action, once for all its attempts, and begins its work.
    pub(super) fn start_action(&mut self, name: &str) -> Result<()> {
        let graph = Arc::clone(&self.run.graph);
        let Some(NodeKind::Action(action)) = graph.node(name).map(|node| &node.kind) else { return Ok(()) };
        match self.plan(name, action) {
            Ok(Started::Attempt(work)) => {
                let number = self.run.next_attempt(name);
                let folder = attempt_folder(&self.surroundings.runs, &self.run.row, name, number);
                let identity = (environment::random_token(), self.cause.at);
                let row = attempt_row(&self.run.row, name, number, &folder, identity);
                self.run.attempts.push(NewAttempt { row, work });
                self.launched(name)
            }
            Ok(Started::Child(request)) => match self.child(request, &action.body) {
                Ok(child) => {
                    self.run.children.push((name.to_owned(), child));
                    self.launched(name)
                }
                Err(error) => self.node_failed(name, &refused(&error)),
            },
            Err(failure) => self.node_failed(name, &failure),
        }
    }

    fn launched(&mut self, name: &str) -> Result<()> {
        self.run.move_node(name, NodeEvent::Launch, self.cause)?;
        self.run.edit(name, |node| {
            node.retry_at = None;
            node.external_status = Some("RUNNING".to_owned());
            node.error_code = None;
            node.error_message = None;
        });
        Ok(())
    }

    /// Decides how an action begins: its evaluated body, its effective configuration, its executor.
    fn plan(&mut self, name: &str, action: &Action) -> Result<Started, Failure> {
        RetryPlan::new(&action.retry, &self.settings.retry)
            .map_err(|error| Failure::failed("E0700", error.message()))?;
        let global = self.global().map_err(|error| refused(&error))?;
        let merged = with_global(action.kind, &action.body, global.as_ref());
        let body = self.with_resolver(|resolver| resolver.element(&merged)).map_err(|error| el_failure(&error))?;
        let global = global
            .map(|global| self.with_resolver(|resolver| resolver.element(&global)))
            .transpose()
            .map_err(|error| el_failure(&error))?;
        let reader = &self.surroundings.worker;
        let application = reader
            .act(|| application_files::folder(self.mounts, &self.run.row.app_path))
            .flatten()
            .map_err(|error| refused(&error))?;
        let job_xml = self.job_xml(&body, &application)?;
        let defaults = reader.act(|| default_files(&application)).flatten().map_err(|error| refused(&error))?;
        let layers = Layers {
            defaults: &defaults,
            job_xml: &job_xml,
            global: global.as_ref(),
            body: &body,
            source: self.run.graph.source(),
        };
        let mut configuration = effective_configuration(action.kind, &layers).map_err(|error| refused(&error))?;
        if action.kind.is_launched() {
            self.check_reserved(&mut configuration)?;
        }
        configuration.extend(self.credentials(action, &configuration)?);
        self.start_executor(name, &body, &application, &configuration)
    }

    /// JA010, which ends the job, for properties that an action may not set: whose name it runs under, and the addresses
    /// that `name-node` and `resource-manager` say. The site may have a user's name replaced instead.
    fn check_reserved(&self, configuration: &mut Properties) -> Result<(), Failure> {
        for name in USERS {
            match configuration.get_mut(name) {
                Some(user) if self.settings.check_and_set_user_name => user.clone_from(&self.run.row.user),
                Some(_) => return Err(reserved(name)),
                None => {}
            }
        }
        ADDRESSES.into_iter().find(|name| configuration.contains_key(*name)).map_or(Ok(()), |name| Err(reserved(name)))
    }

    /// What the credentials of an action bring into its configuration. JA021 for a name that the workflow does not define.
    fn credentials(&self, action: &Action, configuration: &Properties) -> Result<Properties, Failure> {
        let Some(named) = action.cred.as_deref().filter(|_| action.kind.is_launched()) else {
            return Ok(Properties::new());
        };
        let skip = [configuration, &self.run.configuration, &self.settings.properties];
        let skip = skip.into_iter().find_map(|properties| properties.get(SKIP_CREDENTIALS));
        if skip.is_some_and(|text| text.trim().eq_ignore_ascii_case("true")) {
            return Ok(Properties::new());
        }
        let section = self.run.graph.credentials.as_ref();
        credentials::properties(section, named, &self.run.configuration).map_err(|error| match error {
            CredentialError::Unknown { name } => {
                Failure::error("JA021", format!("JA021: the workflow has no credential named [{name}]"))
            }
            CredentialError::Expression(error) => el_failure(&error),
        })
    }

    /// The `global` section of this job, and what a parent propagates of its own.
    fn global(&self) -> Result<Option<Element>> {
        let own = self.run.graph.global.as_ref();
        let Some(text) = self.run.configuration.get(PROPAGATED_GLOBAL) else { return Ok(own.cloned()) };
        let parent = xml::read(&SourceText::new(PROPAGATED_GLOBAL, text.as_str())).map_err(first)?;
        Ok(propagated_global(own, Some(&parent.root)))
    }

    fn start_executor(
        &self,
        name: &str,
        body: &Element,
        application: &Path,
        configuration: &Properties,
    ) -> Result<Started, Failure> {
        let number = self.run.next_attempt(name);
        let folder = attempt_folder(&self.surroundings.runs, &self.run.row, name, number);
        let library = self.library(application);
        let limit = |property: &str, default: usize| {
            let own = configuration.get(property).or_else(|| self.settings.properties.get(property));
            own.and_then(|value| value.trim().parse().ok()).unwrap_or(default)
        };
        let context = ActionContext {
            mounts: self.mounts,
            application_directory: application,
            library: &library,
            directory: &folder.join("work"),
            home: &self.surroundings.home,
            site: &self.settings.properties,
            job_id: self.run.row.id.as_str(),
            node: name,
            user: &self.run.row.user,
            job_configuration: &self.run.configuration,
            environment: &self.surroundings.environment,
            configuration,
            glob_max: limit("oozie.action.fs.glob.max", 50_000),
            output_max: limit("oozie.action.max.output.data", 2048),
            now: self.cause.at,
        };
        let recovery_id = format!("{}@{name}@{}", self.run.row.id, self.run.row.run);
        let parent = ParentJob {
            id: self.run.row.id.as_str(),
            recovery_id: &recovery_id,
            configuration: &self.run.configuration,
            inline: configuration,
            application_directory: application,
            home: &self.surroundings.home,
            max_depth: u32::try_from(limit("oozie.action.subworkflow.max.depth", 50)).unwrap_or(u32::MAX),
        };
        executor::start(body, &context, &parent)
    }

    /// The entries of the application's `lib/` and of the folders in `oozie.libpath`.
    fn library(&self, application: &Path) -> Vec<PathBuf> {
        let path = self.run.configuration.get("oozie.libpath").map(String::as_str).unwrap_or_default();
        let named = path.split(',').map(str::trim).filter(|path| !path.is_empty());
        let named = named.filter_map(|path| source::local_path(self.mounts, path).ok());
        let folders = std::iter::once(application.join("lib")).chain(named);
        let list = || folders.flat_map(|folder| files::list(&folder).unwrap_or_default()).collect();
        self.surroundings.worker.act(list).unwrap_or_default()
    }

    /// The properties of the action's job-xml files; their expressions are evaluated.
    fn job_xml(&self, body: &Element, application: &Path) -> Result<Vec<Properties>, Failure> {
        let read = |path: String| -> Result<Properties> {
            let read = || application_files::job_xml(self.mounts, application, &path);
            let text = self.surroundings.worker.act(read)??;
            let document = xml::read(&text).map_err(first)?;
            let root = self.with_resolver_of(&text, |resolver| resolver.element(&document.root))?;
            Ok(configuration::read_configuration(&root, &text)?.values)
        };
        let missing = |error: Error| Failure::error("JA008", told(&error));
        job_xml_paths(body).into_iter().map(read).collect::<Result<_>>().map_err(missing)
    }

    /// The workflow application of a sub-workflow node: the first of its candidate places that has one. It runs as the
    /// user of this job.
    fn child(&self, mut request: ChildRequest, body: &Element) -> Result<PreparedWorkflow> {
        owner::keep_user(&mut request.configuration, &self.run.row.user, self.settings)?;
        if let (Some(global), Some(_)) = (self.global()?, body.child("propagate-configuration")) {
            request.configuration.insert(PROPAGATED_GLOBAL.to_owned(), xml::write(&global));
        }
        let mut refused = None;
        for place in &request.app_paths {
            let mut configuration = request.configuration.clone();
            configuration.insert(WORKFLOW_PATH.to_owned(), place.clone());
            match create::prepare(self.mounts, self.settings, &configuration) {
                Ok(child) => return Ok(child),
                Err(error) if error.code() == ErrorCode::E0504 => refused = refused.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(refused.unwrap_or_else(|| Error::new(ErrorCode::E0401, WORKFLOW_PATH)))
    }
}

fn reserved(name: &str) -> Failure {
    Failure::failed("JA010", format!("Property [{name}] not allowed in action [configuration]"))
}

/// The default properties beside the application.
fn default_files(application: &Path) -> Result<Properties> {
    let files = create::default_configuration(Some(application), "config-default.xml").map_err(first)?;
    Ok(files.into_iter().flat_map(|file| file.values).collect())
}

fn refused(error: &Error) -> Failure {
    Failure::error(error.code().as_str(), told(error))
}

fn first(errors: Vec<Error>) -> Error {
    errors.into_iter().next().unwrap_or_else(|| Error::new(ErrorCode::E0700, "unreadable"))
}

//! Prepares the start of an action: evaluates its body, computes its configuration and asks its executor.
//!
//! Reads the application's files. Must not write anything or start a process.

use std::sync::Arc;

use crate::action_defaults::{self, authority};
use crate::application_path::WORKFLOW_PATH;
use crate::runner::context::Advance;
use crate::runner::expressions::{StartError, message_with_place};
use crate::runner::external_status::Stage;
use crate::runner::job::{NewAttempt, attempt_folder};
use crate::settings::commands::pool_in;
use crate::submit::workflow::{self, PreparedWorkflow};
use crate::{application_files, default_configuration, run_as};
use howdah_executor::context::ActionContext;
use howdah_executor::failure::Failure;
use howdah_executor::{self as executor, ChildRequest, Started, Work};
use howdah_host::attempt::{self, AttemptFolder};
use howdah_host::environment;
use howdah_host::located::{Base, Located, Unlocated};
use howdah_oozie::configuration;
use howdah_oozie::workflow::action_configuration::skips_credentials;
use howdah_oozie::workflow::action_state::NodeEvent;
use howdah_oozie::workflow::credentials::{self, CredentialError};
use howdah_oozie::workflow::definition::{Action, ActionKind, NodeKind};
use howdah_oozie::workflow::global::{Layers, effective_configuration, job_xml_paths, propagated_global, with_global};
use howdah_oozie::workflow::user_retry::RetryPlan;
use howdah_words::error::{Error, ErrorCode, Result, Signal, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::row::{Attempt, CLUSTER, CommandNeeds};
use howdah_words::model::status::NodeStatus;
use howdah_xml::{self as xml, Element};

/// The job property in which a parent passes its `global` section to a sub-workflow.
const PROPAGATED_GLOBAL: &str = "oozie.wf.globalconf";

/// The properties that set the user of an action.
const USERS: [&str; 2] = ["user.name", "mapreduce.job.user.name"];

/// The properties that elements of the action set.
const ADDRESSES: [&str; 3] = ["fs.default.name", "mapred.job.tracker", "yarn.resourcemanager.address"];

/// The property of the job and the one of the site: whether a sub-workflow also uses the files of its parent's `lib/`.
const INHERITANCE: [&str; 2] =
    ["oozie.wf.subworkflow.classpath.inheritance", "oozie.subworkflow.classpath.inheritance"];

/// The folders with more libraries, separated by commas.
const LIBRARY_PATH: &str = "oozie.libpath";

impl Advance<'_> {
    /// Prepares the next attempt or the child job of an action and moves the node to RUNNING.
    pub(crate) fn start_action(&mut self, name: &str) -> Result<()> {
        let graph = Arc::clone(&self.run.graph);
        let Some(NodeKind::Action(action)) = graph.node(name).map(|node| &node.kind) else { return Ok(()) };
        // As without a place, the node stays as it is and starts later.
        if self.is_paused || self.places.is_refused(self.run.row.job, name) {
            return Ok(());
        }
        let number = self.run.next_attempt(name);
        let folder = attempt_folder(&self.user_context.runs, &self.run.row, name, number);
        let AttemptFolder { folder, begun: existing } = match self.run.earlier.get(&(name.to_owned(), number)) {
            Some(earlier) => {
                AttemptFolder { folder: folder.with_file_name(&earlier.folder), begun: Some(earlier.token.clone()) }
            }
            None => attempt::free_folder(&folder, &self.run.life)?,
        };
        self.run.folder.clone_from(&folder);
        match self.plan(name, action) {
            Ok((Started::Attempt(work), pool)) => {
                if !self.take_place(name, &work, pool) {
                    return Ok(());
                }
                let has_started = existing.is_some();
                let token = existing.map_or_else(environment::random_token, Ok)?;
                let folder = folder.display().to_string();
                let node = (self.run.row.job, name);
                let row = Attempt { run: self.run.row.run, number, ..Attempt::new(node, token, folder, self.cause.at) };
                self.run.attempts.push(NewAttempt { row, work, has_started });
                self.launched(name)
            }
            Ok((Started::Child(request), _)) => match self.child(request, &action.body) {
                Ok(child) => {
                    self.run.children.push((name.to_owned(), child));
                    self.launched(name)
                }
                Err(error) => self.node_failed(name, &refused(error).failure()?, Stage::Start),
            },
            Err(error) => self.node_failed(name, &error.failure()?, Stage::Start),
        }
    }

    /// Takes the places that the command of a node needs, and notes which they are; `false` when one is missing.
    fn take_place(&mut self, name: &str, work: &Work, pool: Option<String>) -> bool {
        let place = (*work.place() != executor::Place::Here).then(|| CLUSTER.to_owned());
        let Some(node) = self.run.node(name) else { return false };
        let needs = CommandNeeds { kind: node.kind, pool, place };
        // A node that only waits is written once.
        if node.needs() != needs {
            self.run.edit(name, |node| (node.pool, node.place) = (needs.pool.clone(), needs.place.clone()));
        }
        self.places.take(self.run.row.job, name, &needs)
    }

    fn launched(&mut self, name: &str) -> Result<()> {
        // It was reached when its job came to it; what waited for a place starts later.
        let waited = self.run.node(name).is_some_and(|node| node.status == NodeStatus::Prep);
        let started_at = self.cause.at;
        self.run.move_node(name, NodeEvent::Launch, self.cause)?;
        self.run.edit(name, |node| {
            if waited {
                node.started_at = Some(started_at);
            }
            node.clear_retry();
            node.external_status = Some("RUNNING".to_owned());
            node.error_code = None;
            node.error_message = None;
        });
        Ok(())
    }

    /// Evaluates the body of an action, computes its configuration and asks its executor how to start it. Returns the
    /// name of its pool as well.
    fn plan(&mut self, name: &str, action: &Action) -> Result<(Started, Option<String>), StartError> {
        RetryPlan::new(&action.retry, &self.settings.retry)
            .map_err(|error| Failure::failed("E0700", error.message()))?;
        let global = self.global().map_err(refused)?;
        let merged = with_global(action.kind, &action.body, global.as_ref());
        let body = self.with_resolver(|resolver| resolver.element(&merged)).map_err(StartError::of_expression)?;
        let global = global
            .map(|global| self.with_resolver(|resolver| resolver.element(&global)))
            .transpose()
            .map_err(StartError::of_expression)?;
        let reader = &self.user_context.worker;
        let application = reader
            .act(|| application_files::application(self.mounts, &self.run.row.app_path))
            .flatten()
            .map_err(refused)?;
        let job_xml = self.job_xml(&body, &application)?;
        let defaults = reader.act(|| default_files(&application)).flatten().map_err(refused)?;
        let layers = Layers {
            defaults: &defaults,
            job_xml: &job_xml,
            global: global.as_ref(),
            body: &body,
            source: self.run.graph.source(),
        };
        let mut configuration = effective_configuration(action.kind, &layers).map_err(refused)?;
        if action.kind.is_launched() {
            self.check_reserved(&mut configuration)?;
            self.add_defaults(&body, &mut configuration)?;
        }
        configuration.extend(self.credentials(action, &configuration)?);
        // A sub-workflow may inherit them.
        let needs_library = action.kind.is_launched() || action.kind == ActionKind::SubWorkflow;
        let library = if needs_library { self.library(&application)? } else { Vec::new() };
        let token = environment::random_token().map_err(StartError::Unknown)?;
        let pool = self.pool(&configuration)?;
        Ok((self.start_executor((name, &token), &body, (&application, &library), &configuration)?, pool))
    }

    /// Returns the pool of an action: that of its own configuration, else of the job's. A pool that the site does not
    /// have waits for an operator, because a command without a place in it would do harm.
    fn pool(&self, configuration: &Properties) -> Result<Option<String>, Failure> {
        let own = pool_in(configuration).or_else(|| pool_in(&self.run.configuration));
        let Some(name) = own else { return Ok(None) };
        self.settings.check_pool(name).map_err(|error| {
            let help = error.help_text().unwrap_or_default();
            Failure::non_transient(error.code().as_str(), format!("{error}; {help}"))
        })?;
        Ok(Some(name.to_owned()))
    }

    /// Adds the site's default properties for this type of action. JA009, which is retried, when its files cannot be
    /// read.
    fn add_defaults(&self, body: &Element, configuration: &mut Properties) -> Result<(), Failure> {
        let defaults = action_defaults::of_type(&self.machine(), &authority(body), &body.name);
        for (name, value) in defaults.map_err(|error| Failure::transient("JA009", message_with_place(&error)))? {
            configuration.entry(name).or_insert(value);
        }
        Ok(())
    }

    /// Checks for properties that an action must not set: its user, and the addresses that `name-node` and
    /// `resource-manager` set. JA010, which ends the job; a site setting replaces the user's name instead.
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

    /// Returns the properties that the credentials of an action add to its configuration. JA021 for a name that the
    /// workflow does not define.
    fn credentials(&self, action: &Action, configuration: &Properties) -> Result<Properties, StartError> {
        let Some(named) = action.cred.as_deref().filter(|_| action.kind.is_launched()) else {
            return Ok(Properties::new());
        };
        let skips = skips_credentials(configuration, &self.run.configuration, &self.settings.properties);
        if skips == Some(true) {
            return Ok(Properties::new());
        }
        let section = self.run.graph.credentials.as_ref();
        credentials::properties(section, named, &self.run.configuration).map_err(|error| match error {
            CredentialError::Unknown { name } => {
                Failure::error("JA021", format!("JA021: the workflow has no credential named [{name}]")).into()
            }
            CredentialError::Expression(error) => StartError::of_expression(error),
        })
    }

    /// Returns the `global` section of this job, merged with the one that its parent propagates.
    fn global(&self) -> Result<Option<Element>> {
        let own = self.run.graph.global.as_ref();
        let Some(text) = self.run.configuration.get(PROPAGATED_GLOBAL) else { return Ok(own.cloned()) };
        let parent = xml::read(&SourceText::new(PROPAGATED_GLOBAL, text.as_str())).map_err(first)?;
        Ok(propagated_global(own, Some(&parent.root)))
    }

    fn start_executor(
        &self,
        (name, token): (&str, &str),
        body: &Element,
        (application, library): (&Base, &[Located]),
        configuration: &Properties,
    ) -> Result<Started, Failure> {
        let cluster = self.cluster_configuration(body)?;
        let limit = |property: &str, default: usize| {
            let own = configuration.get(property).or_else(|| self.settings.properties.get(property));
            own.and_then(|value| value.trim().parse().ok()).unwrap_or(default)
        };
        let context = ActionContext {
            mounts: self.mounts,
            application,
            library,
            directory: &self.run.folder.join("work"),
            home: &self.user_context.home,
            site: &self.settings.properties,
            job_id: self.run.row.id.as_str(),
            node: name,
            run: self.run.row.run,
            token,
            user: &self.run.row.user,
            job_configuration: &self.run.configuration,
            environment: &self.user_context.environment,
            configuration,
            cluster: &cluster,
            glob_max: limit("oozie.action.fs.glob.max", 50_000),
            output_max: limit("oozie.action.max.output.data", 2048),
            depth_max: u32::try_from(limit("oozie.action.subworkflow.max.depth", 50)).unwrap_or(u32::MAX),
            now: self.cause.at,
        };
        executor::start(body, &context)
    }

    /// Reads the site files of the cluster that an action uses, for the types of action that start jobs there
    /// themselves. JA009, which is retried, when they cannot be read.
    fn cluster_configuration(&self, body: &Element) -> Result<Properties, Failure> {
        if !matches!(body.name.as_str(), "java" | "shell") {
            return Ok(Properties::new());
        }
        let read = self.machine().cluster_configuration(&authority(body));
        read.map_err(|errors| Failure::transient("JA009", message_with_place(&first(errors))))
    }

    /// Lists the entries of the application's `lib/` and of the folders in `oozie.libpath`. A sub-workflow that
    /// inherits its parent's libraries adds those with other names (specification 3.2.5). A folder that does not exist
    /// or may not be listed has no entries. H0113 when the machine cannot read it now; a failure for a store without
    /// mount.
    fn library(&self, application: &Base) -> Result<Vec<Located>, StartError> {
        let mut library = Vec::new();
        for folder in self.library_folders(application)? {
            match self.user_context.worker.act(|| folder.entries()).flatten() {
                Err(error) if error.may_pass() => return Err(StartError::Unknown(error)),
                entries => library.extend(entries.unwrap_or_default()),
            }
        }
        let inherited = self.run.configuration.get(executor::PARENT_LIBRARY).filter(|_| self.inherits_library());
        for path in inherited.into_iter().flat_map(|paths| paths.split(',')) {
            let Ok(path) = self.mounts.locate(path, &Base::this_machine()) else { continue };
            if !library.iter().any(|own: &Located| own.name() == path.name()) {
                library.push(path);
            }
        }
        Ok(library)
    }

    fn library_folders(&self, application: &Base) -> Result<Vec<Located>, Failure> {
        let path = self.run.configuration.get(LIBRARY_PATH).map(String::as_str).unwrap_or_default();
        let named = path.split(',').map(str::trim).filter(|path| !path.is_empty());
        let base = Base::store(application.default_store().clone());
        let mut folders: Vec<Located> = application.folder().map(|folder| folder.join("lib")).into_iter().collect();
        for path in named {
            match self.mounts.locate(path, &base) {
                Ok(folder) => folders.push(folder),
                Err(why @ Unlocated::Unmounted { .. }) => {
                    return Err(Failure::error("E0712", format!("E0712: {LIBRARY_PATH} [{path}]: {why}")));
                }
                // Oozie ignores a folder that does not exist.
                Err(Unlocated::Invalid(_)) => {}
            }
        }
        Ok(folders)
    }

    fn inherits_library(&self) -> bool {
        let [of_job, of_site] = INHERITANCE;
        let value = self.run.configuration.get(of_job).or_else(|| self.settings.properties.get(of_site));
        value.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    }

    /// Reads the properties of the action's job-xml files and evaluates their expressions.
    fn job_xml(&self, body: &Element, application: &Base) -> Result<Vec<Properties>, StartError> {
        let read = |path: String| -> Result<Properties> {
            let read = || application_files::job_xml(self.mounts, application, &path);
            let text = self.user_context.worker.act(read)??;
            let document = xml::read(&text).map_err(first)?;
            let root = self.with_resolver_of(&text, |resolver| resolver.element(&document.root))?;
            Ok(configuration::read_configuration(&root, &text)?.values)
        };
        let missing = |path: &str, error: Error| {
            StartError::of(error, |error| {
                Failure::error("JA008", format!("job-xml [{path}]: {}", message_with_place(error)))
            })
        };
        let paths = job_xml_paths(body).into_iter();
        paths.map(|path| read(path.clone()).map_err(|error| missing(&path, error))).collect()
    }

    /// Prepares the child job of a sub-workflow node from the first candidate path that has an application. It runs as
    /// the user of this job.
    fn child(&self, mut request: ChildRequest, body: &Element) -> Result<PreparedWorkflow> {
        run_as::keep_user(&mut request.configuration, &self.run.row.user, self.settings)?;
        if let (Some(global), Some(_)) = (self.global()?, body.child("propagate-configuration")) {
            // The child evaluates its expressions; the substitution of job properties must find no `${name}` in it.
            let text = xml::write(&global).replace('$', "&#36;");
            request.configuration.insert(PROPAGATED_GLOBAL.to_owned(), text);
        }
        let mut refused = None;
        for place in &request.app_paths {
            let mut configuration = request.configuration.clone();
            configuration.insert(WORKFLOW_PATH.to_owned(), place.clone());
            match workflow::prepare(self.mounts, self.settings, &configuration) {
                Ok(child) => return Ok(child),
                Err(error) if error.signal() == Signal::NoApplication => refused = refused.or(Some(error)),
                // The store of the user's home folder need not be mounted.
                Err(error) if error.signal() == Signal::Unmounted && refused.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        Err(refused.unwrap_or_else(|| Error::new(ErrorCode::E0401, WORKFLOW_PATH)))
    }
}

fn reserved(name: &str) -> Failure {
    Failure::failed("JA010", format!("Property [{name}] not allowed in action [configuration]"))
}

/// Reads the default properties beside the application.
fn default_files(application: &Base) -> Result<Properties> {
    let folder = application.folder();
    let files = default_configuration::default_configuration(folder, "config-default.xml").map_err(first)?;
    Ok(files.into_iter().flat_map(|file| file.values).collect())
}

fn refused(error: Error) -> StartError {
    StartError::of(error, |error| Failure::error(error.code().as_str(), message_with_place(error)))
}

fn first(errors: Vec<Error>) -> Error {
    errors.into_iter().next().unwrap_or_else(|| Error::new(ErrorCode::E0700, "unreadable"))
}

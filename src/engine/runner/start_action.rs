//! How an action begins: its evaluated body, its effective configuration, its executor.
//!
//! Reads the application's files; writes nothing and starts nothing.

use std::sync::Arc;

use crate::configuration;
use crate::engine::application_path::WORKFLOW_PATH;
use crate::engine::runner::action_defaults;
use crate::engine::runner::context::Advance;
use crate::engine::runner::expressions::{Obstacle, told};
use crate::engine::runner::job::{NewAttempt, attempt_folder, attempt_row};
use crate::engine::submit::workflow::{self, PreparedWorkflow};
use crate::engine::{application_files, default_configuration, run_as};
use crate::error::{Error, ErrorCode, Result, Signal, SourceText};
use crate::executor::context::ActionContext;
use crate::executor::failure::Failure;
use crate::executor::{self, ChildRequest, Started};
use crate::host::attempt::{self, AttemptFolder};
use crate::host::environment;
use crate::host::located::{Base, Located, Unlocated};
use crate::model::Properties;
use crate::workflow::action_state::NodeEvent;
use crate::workflow::credentials::{self, CredentialError};
use crate::workflow::definition::{Action, ActionKind, NodeKind};
use crate::workflow::global::{Layers, effective_configuration, job_xml_paths, propagated_global, with_global};
use crate::workflow::user_retry::RetryPlan;
use crate::xml::{self, Element};

/// The job property in which a parent passes its `global` section on.
const PROPAGATED_GLOBAL: &str = "oozie.wf.globalconf";

/// Properties that say who an action runs as.
const USERS: [&str; 2] = ["user.name", "mapreduce.job.user.name"];

/// Properties that elements of the action stand for.
const ADDRESSES: [&str; 3] = ["fs.default.name", "mapred.job.tracker", "yarn.resourcemanager.address"];

/// Whether a sub-workflow finds the files of its parent's `lib/` too: as its job says, and as the site does.
const INHERITANCE: [&str; 2] =
    ["oozie.wf.subworkflow.classpath.inheritance", "oozie.subworkflow.classpath.inheritance"];

/// The folders of libraries besides the application's own, separated by commas.
const LIBRARY_PATH: &str = "oozie.libpath";

/// `true` leaves the credentials of all actions out.
const SKIP_CREDENTIALS: &str = "oozie.credentials.skip";

impl Advance<'_> {
    /// Evaluates the body of an action, once for all its attempts, and begins its work.
    pub(crate) fn start_action(&mut self, name: &str) -> Result<()> {
        let graph = Arc::clone(&self.run.graph);
        let Some(NodeKind::Action(action)) = graph.node(name).map(|node| &node.kind) else { return Ok(()) };
        if self.places.is_refused(self.run.row.job, name) {
            return Ok(());
        }
        let number = self.run.next_attempt(name);
        let folder = attempt_folder(&self.surroundings.runs, &self.run.row, name, number);
        let AttemptFolder { folder, begun } = attempt::free_folder(&folder, &self.run.life)?;
        self.run.folder.clone_from(&folder);
        match self.plan(name, action) {
            Ok(Started::Attempt(work))
                if *work.place() == executor::Place::Here && !self.places.take(self.run.row.job, name) =>
            {
                Ok(())
            }
            Ok(Started::Attempt(work)) => {
                let is_begun = begun.is_some();
                let token = begun.map_or_else(environment::random_token, Ok)?;
                let identity = (token, self.cause.at);
                let row = attempt_row(&self.run.row, name, number, &folder, identity);
                self.run.attempts.push(NewAttempt { row, work, begun: is_begun });
                self.launched(name)
            }
            Ok(Started::Child(request)) => match self.child(request, &action.body) {
                Ok(child) => {
                    self.run.children.push((name.to_owned(), child));
                    self.launched(name)
                }
                Err(error) => self.node_failed(name, &refused(error).failure()?),
            },
            Err(obstacle) => self.node_failed(name, &obstacle.failure()?),
        }
    }

    fn launched(&mut self, name: &str) -> Result<()> {
        self.run.move_node(name, NodeEvent::Launch, self.cause)?;
        self.run.edit(name, |node| {
            node.clear_retry();
            node.external_status = Some("RUNNING".to_owned());
            node.error_code = None;
            node.error_message = None;
        });
        Ok(())
    }

    /// Decides how an action begins: its evaluated body, its effective configuration, its executor.
    fn plan(&mut self, name: &str, action: &Action) -> Result<Started, Obstacle> {
        RetryPlan::new(&action.retry, &self.settings.retry)
            .map_err(|error| Failure::failed("E0700", error.message()))?;
        let global = self.global().map_err(refused)?;
        let merged = with_global(action.kind, &action.body, global.as_ref());
        let body = self.with_resolver(|resolver| resolver.element(&merged)).map_err(Obstacle::of_expression)?;
        let global = global
            .map(|global| self.with_resolver(|resolver| resolver.element(&global)))
            .transpose()
            .map_err(Obstacle::of_expression)?;
        let reader = &self.surroundings.worker;
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
            self.fill_gaps(&body, &mut configuration)?;
        }
        configuration.extend(self.credentials(action, &configuration)?);
        // A sub-workflow may inherit them.
        let needs_library = action.kind.is_launched() || action.kind == ActionKind::SubWorkflow;
        let library = if needs_library { self.library(&application)? } else { Vec::new() };
        let token = environment::random_token().map_err(Obstacle::Unknown)?;
        Ok(self.start_executor((name, &token), &body, (&application, &library), &configuration)?)
    }

    /// Adds what the site gives every action of this type. JA009, which is tried again, when its files cannot be read.
    fn fill_gaps(&self, body: &Element, configuration: &mut Properties) -> Result<(), Failure> {
        let defaults = action_defaults::of_type(&self.machine(), &authority(body), &body.name);
        for (name, value) in defaults.map_err(|error| Failure::transient("JA009", told(&error)))? {
            configuration.entry(name).or_insert(value);
        }
        Ok(())
    }

    /// JA010, which ends the job, for properties that an action may not set: whose name it runs under, and the
    /// addresses that `name-node` and `resource-manager` say. The site may have a user's name replaced instead.
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

    /// What the credentials of an action bring into its configuration. JA021 for a name that the workflow does not
    /// define.
    fn credentials(&self, action: &Action, configuration: &Properties) -> Result<Properties, Obstacle> {
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
                Failure::error("JA021", format!("JA021: the workflow has no credential named [{name}]")).into()
            }
            CredentialError::Expression(error) => Obstacle::of_expression(error),
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
            home: &self.surroundings.home,
            site: &self.settings.properties,
            job_id: self.run.row.id.as_str(),
            node: name,
            run: self.run.row.run,
            token,
            user: &self.run.row.user,
            job_configuration: &self.run.configuration,
            environment: &self.surroundings.environment,
            configuration,
            cluster: &cluster,
            glob_max: limit("oozie.action.fs.glob.max", 50_000),
            output_max: limit("oozie.action.max.output.data", 2048),
            depth_max: u32::try_from(limit("oozie.action.subworkflow.max.depth", 50)).unwrap_or(u32::MAX),
            now: self.cause.at,
        };
        executor::start(body, &context)
    }

    /// The site files of the cluster that an action works on, for the types of action that start jobs there themselves.
    /// JA009, which is tried again, when they cannot be read.
    fn cluster_configuration(&self, body: &Element) -> Result<Properties, Failure> {
        if !matches!(body.name.as_str(), "java" | "shell") {
            return Ok(Properties::new());
        }
        let read = self.machine().cluster_configuration(&authority(body));
        read.map_err(|errors| Failure::transient("JA009", told(&first(errors))))
    }

    /// The entries of the application's `lib/`, of the folders in `oozie.libpath`, and for a sub-workflow that inherits
    /// them those of its parent whose names it has not itself (specification 3.2.5); folders that are not there, or
    /// that may not be listed, have none. H0113 where the machine cannot tell, a failure for a folder in a store
    /// without mount.
    fn library(&self, application: &Base) -> Result<Vec<Located>, Obstacle> {
        let mut library = Vec::new();
        for folder in self.library_folders(application)? {
            match self.surroundings.worker.act(|| folder.entries()).flatten() {
                Err(error) if error.may_pass() => return Err(Obstacle::Unknown(error)),
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
                // Oozie passes over a folder that is not there.
                Err(Unlocated::Invalid(_)) => {}
            }
        }
        Ok(folders)
    }

    fn inherits_library(&self) -> bool {
        let [of_job, of_site] = INHERITANCE;
        let said = self.run.configuration.get(of_job).or_else(|| self.settings.properties.get(of_site));
        said.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    }

    /// The properties of the action's job-xml files; their expressions are evaluated.
    fn job_xml(&self, body: &Element, application: &Base) -> Result<Vec<Properties>, Obstacle> {
        let read = |path: String| -> Result<Properties> {
            let read = || application_files::job_xml(self.mounts, application, &path);
            let text = self.surroundings.worker.act(read)??;
            let document = xml::read(&text).map_err(first)?;
            let root = self.with_resolver_of(&text, |resolver| resolver.element(&document.root))?;
            Ok(configuration::read_configuration(&root, &text)?.values)
        };
        let missing = |path: &str, error: Error| {
            Obstacle::of(error, |error| Failure::error("JA008", format!("job-xml [{path}]: {}", told(error))))
        };
        let paths = job_xml_paths(body).into_iter();
        paths.map(|path| read(path.clone()).map_err(|error| missing(&path, error))).collect()
    }

    /// The workflow application of a sub-workflow node: the first of its candidate places that has one. It runs as the
    /// user of this job.
    fn child(&self, mut request: ChildRequest, body: &Element) -> Result<PreparedWorkflow> {
        run_as::keep_user(&mut request.configuration, &self.run.row.user, self.settings)?;
        if let (Some(global), Some(_)) = (self.global()?, body.child("propagate-configuration")) {
            request.configuration.insert(PROPAGATED_GLOBAL.to_owned(), xml::write(&global));
        }
        let mut refused = None;
        for place in &request.app_paths {
            let mut configuration = request.configuration.clone();
            configuration.insert(WORKFLOW_PATH.to_owned(), place.clone());
            match workflow::prepare(self.mounts, self.settings, &configuration) {
                Ok(child) => return Ok(child),
                Err(error) if error.signal() == Signal::NoApplication => refused = refused.or(Some(error)),
                // Where the home of the user would be need not be mounted.
                Err(error) if error.signal() == Signal::Unmounted && refused.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        Err(refused.unwrap_or_else(|| Error::new(ErrorCode::E0401, WORKFLOW_PATH)))
    }
}

/// The cluster that an action names, as `host:port`.
fn authority(body: &Element) -> String {
    let manager = body.child("resource-manager").or_else(|| body.child("job-tracker"));
    manager.map(|manager| manager.text().value).unwrap_or_default()
}

fn reserved(name: &str) -> Failure {
    Failure::failed("JA010", format!("Property [{name}] not allowed in action [configuration]"))
}

/// The default properties beside the application.
fn default_files(application: &Base) -> Result<Properties> {
    let folder = application.folder().map(Located::local);
    let files = default_configuration::default_configuration(folder, "config-default.xml").map_err(first)?;
    Ok(files.into_iter().flat_map(|file| file.values).collect())
}

fn refused(error: Error) -> Obstacle {
    Obstacle::of(error, |error| Failure::error(error.code().as_str(), told(error)))
}

fn first(errors: Vec<Error>) -> Error {
    errors.into_iter().next().unwrap_or_else(|| Error::new(ErrorCode::E0700, "unreadable"))
}

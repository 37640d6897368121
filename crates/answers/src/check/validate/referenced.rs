//! Checks, with a job's properties, an application as submission would, and the applications that it references: the
//! coordinators of a bundle, the workflow of a coordinator, the sub-workflows of a workflow.
//!
//! A coordinator's workflow is checked with the configuration of the first action. A file that cannot be found is no
//! problem here; the check of the file that names it reports it.

use std::path::Path;
use std::sync::Arc;

use super::verdict::{FileKind, Verdict};
use crate::check::validate::check_file::{FileChecker, add_expression_faults};
use howdah_engine::application_path::{BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH, application_kind};
use howdah_engine::compiled::Application;
use howdah_engine::definition_file::{self, ApplicationFile};
use howdah_engine::preview::Trial;
use howdah_engine::submit::bundle_definition::{self, PreparedBundle};
use howdah_engine::submit::coordinator::{PreparedCoordinator, examine_coordinator};
use howdah_engine::submit::request::Submission;
use howdah_engine::submit::workflow::{self, PreparedWorkflow};
use howdah_engine::submit::{bundle_members, warnings};
use howdah_engine::{application_files, run_as};
use howdah_executor::{ParentJob, plan_sub_workflow};
use howdah_host::files;
use howdah_host::located::Base;
use howdah_oozie::configuration::{ParsedProperties, read_configuration};
use howdah_oozie::workflow::expressions::Expressions;
use howdah_oozie::workflow::submission::evaluate_over_properties;
use howdah_words::error::Result;
use howdah_words::model::Properties;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, DocumentKind, Element, Node, Text};

/// How many levels of sub-workflows are followed.
const DEEPEST_SUB_WORKFLOW: u32 = 50;

impl FileChecker<'_> {
    /// Returns the verdicts on the application that the job's properties name, and on what it references; `name` is the
    /// user's name for the properties.
    pub(super) fn named_application(&self, job: &ParsedProperties, name: &str) -> Vec<Verdict> {
        let submission = self.submission(job);
        let read = application_kind(job).map_err(|error| vec![error]).and_then(|kind| {
            let (kind, property, file_name) = match kind {
                JobKind::Coordinator => (DocumentKind::Coordinator, COORDINATOR_PATH, "coordinator.xml"),
                JobKind::Workflow => (DocumentKind::Workflow, WORKFLOW_PATH, "workflow.xml"),
                JobKind::Bundle => (DocumentKind::Bundle, BUNDLE_PATH, "bundle.xml"),
            };
            Ok((submission.read_application(property, file_name)?, kind, property))
        });
        match read {
            Ok((file, kind, property)) => self.referenced(file, kind, property),
            Err(problems) => vec![Verdict { kind: Some(FileKind::Properties), ..Verdict::refused(name, problems) }],
        }
    }

    /// Adds the problems of an application to its verdict and returns the verdicts on what it references.
    pub(super) fn application(
        &self,
        submission: Submission<'_>,
        file: ApplicationFile,
        kind: DocumentKind,
        verdict: &mut Verdict,
    ) -> Vec<Verdict> {
        match kind {
            DocumentKind::Bundle => {
                let (bundle, problems) = bundle_definition::examine(submission, &file);
                verdict.problems.extend(problems);
                bundle.map_or_else(Vec::new, |bundle| self.coordinators(&bundle, verdict))
            }
            DocumentKind::Coordinator => {
                let (coordinator, problems) = examine_coordinator(submission, file);
                verdict.problems.extend(problems);
                verdict.problems.extend(coordinator.iter().flat_map(|coordinator| coordinator.notes(self.now)));
                coordinator.map_or_else(Vec::new, |coordinator| self.workflow_of(&coordinator, verdict))
            }
            _ => self.workflow(submission, file, verdict),
        }
    }

    fn coordinators(&self, prepared: &PreparedBundle, verdict: &mut Verdict) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for coordinator in prepared.bundle.coordinators.iter().filter(|coordinator| coordinator.enabled) {
            let properties = ParsedProperties::from(coordinator.properties(&prepared.configuration));
            let path = bundle_members::app_path(coordinator, &prepared.configuration);
            match definition_file::read_application(self.mounts, &path, "coordinator.xml") {
                Ok(file) => {
                    let referrer = format!("coordinator [{}] of bundle [{}]", coordinator.name, prepared.bundle.name);
                    let by = format!("the app-path of {referrer}");
                    let found = self.with_job(&properties).referenced(file, DocumentKind::Coordinator, &by);
                    let is_first_version = found.first().is_some_and(is_first_coordinator_version);
                    if is_first_version {
                        verdict.problems.push(bundle_definition::too_old(&coordinator.place));
                    }
                    verdicts.extend(with_referrer(&referrer, found));
                }
                Err(error) => verdict.problems.push(error.at(coordinator.place.clone())),
            }
        }
        verdicts
    }

    fn workflow_of(&self, coordinator: &PreparedCoordinator, verdict: &Verdict) -> Vec<Verdict> {
        let application = &coordinator.application;
        let store = application.store();
        let path = store.qualify(&application.coordinator.app_path);
        let configuration = first_configuration(application, self.now);
        self.referenced_workflow(path.as_str(), configuration, &format!("coordinator {}", verdict.path))
    }

    /// Returns the verdicts on a workflow application elsewhere; none when it cannot be found.
    fn referenced_workflow(&self, app_path: &str, configuration: Properties, referrer: &str) -> Vec<Verdict> {
        let Ok(file) = definition_file::read_application(self.mounts, app_path, "workflow.xml") else {
            return Vec::new();
        };
        let properties = ParsedProperties::from(configuration);
        let by = format!("the app-path of {referrer}");
        with_referrer(referrer, self.with_job(&properties).referenced(file, DocumentKind::Workflow, &by))
    }

    fn workflow(&self, submission: Submission<'_>, file: ApplicationFile, verdict: &mut Verdict) -> Vec<Verdict> {
        let source = file.source.clone();
        let (workflow, problems) = workflow::examine_file(submission, file);
        verdict.problems.extend(problems);
        let Ok(document) = xml::read(&source) else { return Vec::new() };
        add_expression_faults(&mut verdict.problems, &document, &Expressions::of(&document));
        let Some(workflow) = workflow else { return Vec::new() };
        let bodies = document.root.children_named("action").filter_map(|action| action.child("sub-workflow"));
        let mut verdicts = Vec::new();
        for body in bodies {
            match self.sub_workflow(body, &workflow, verdict) {
                Ok(found) => verdicts.extend(found),
                Err(warning) => {
                    let path = body.child("app-path").map_or(body.tag, |path| path.text().span);
                    verdict.problems.push(warning.at(document.locate(path)));
                }
            }
        }
        verdicts
    }

    /// Returns the application of a workflow: the one that its job names, otherwise the folder of its file.
    fn application_of(&self, workflow: &PreparedWorkflow, verdict: &Verdict) -> Option<Base> {
        // The name of a file that a server has is a URI.
        let file = Path::new(&verdict.path);
        let file = if verdict.path.contains("://") { file.to_owned() } else { files::absolute(file).ok()? };
        let folder = file.parent()?.to_string_lossy();
        let named = workflow.configuration.get(WORKFLOW_PATH).map(|path| path.trim());
        let application = named.and_then(|path| application_files::application(self.mounts, path).ok());
        let is_it = |base: &Base| base.folder().is_some_and(|named| named.place() == folder);
        application.filter(is_it).or_else(|| {
            let folder = definition_file::locate(self.mounts, &folder, &Base::this_machine()).ok()?;
            Some(Base::of_application("", folder))
        })
    }

    /// Returns the verdicts on a sub-workflow whose path contains nothing that is known only during a run. Each file is
    /// followed once: a workflow may name itself.
    ///
    /// # Errors
    /// W0106 when there is no such application; it may still be created before the node starts.
    fn sub_workflow(&self, body: &Element, parent: &PreparedWorkflow, verdict: &Verdict) -> Result<Vec<Verdict>> {
        let Some(application) = self.application_of(parent, verdict) else { return Ok(Vec::new()) };
        let mut body = body.clone();
        evaluate_what_is_known(&mut body, &parent.configuration);
        let user = run_as::user(&parent.configuration);
        let inline = body.child("configuration").and_then(|own| read_configuration(own, &parent.source).ok());
        let request = plan_sub_workflow(
            &body,
            &ParentJob {
                id: "",
                recovery_id: "",
                configuration: &parent.configuration,
                inline: &inline.unwrap_or_default().values,
                application: &application,
                user: &user,
                home: &run_as::reader(&user).home()?,
                library: &[],
                max_depth: DEEPEST_SUB_WORKFLOW,
            },
        );
        let Ok(request) = request else { return Ok(Vec::new()) };
        let read = |path: &String| definition_file::read_application(self.mounts, path, "workflow.xml");
        let Some(path) = request.app_paths.iter().find(|path| read(path).is_ok()) else {
            return match request.app_paths.first().filter(|path| !path.contains("${")).map(read) {
                Some(Err(refusal)) => Err(warnings::unusable(&refusal)),
                Some(Ok(_)) | None => Ok(Vec::new()),
            };
        };
        if !self.followed.borrow_mut().insert(path.clone()) {
            return Ok(Vec::new());
        }
        Ok(self.referenced_workflow(path, request.configuration, &format!("workflow {}", verdict.path)))
    }
}

/// Adds to each verdict what referenced its file, unless that is known already.
fn with_referrer(referrer: &str, mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    for verdict in &mut verdicts {
        verdict.referrer.get_or_insert_with(|| referrer.to_owned());
    }
    verdicts
}

/// Returns whether a file is a coordinator of the first version of the schema.
fn is_first_coordinator_version(verdict: &Verdict) -> bool {
    verdict.kind == Some(FileKind::Document(DocumentKind::Coordinator)) && verdict.version.as_deref() == Some("0.1")
}

/// Returns the configuration of the workflow job of a coordinator's first action. Where the action cannot be created,
/// the values of its configuration stay as written.
fn first_configuration(application: &Application, now: Timestamp) -> Properties {
    let coordinator = &application.coordinator;
    let nominal = coordinator.schedule.times().next().unwrap_or(coordinator.schedule.start);
    let trial = Trial::new(application, (1, nominal), now);
    let own = trial.resolve(None).and_then(|(action, _)| trial.own_configuration(&action)).unwrap_or_else(|_| {
        let values = coordinator.configuration.iter();
        values.map(|value| (value.name.clone(), value.value.text.value.clone())).collect()
    });
    trial.workflow_configuration(&own)
}

/// Replaces the texts that have a value before the workflow runs by their values.
fn evaluate_what_is_known(element: &mut Element, configuration: &Properties) {
    for child in &mut element.children {
        match child {
            Node::Element(child) => evaluate_what_is_known(Arc::make_mut(child), configuration),
            Node::Text(text) => {
                if let Ok(value) = evaluate_over_properties(&text.value, configuration) {
                    *text = Text { value, span: text.span, verbatim: false };
                }
            }
        }
    }
}

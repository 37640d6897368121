//! Checks one text: what it is, what is wrong with it, and which applications it references.
//!
//! Without a job's properties a definition is checked as far as possible; with them, it is checked by the same
//! functions as at submission. Must not open a database.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::verdict::{FileKind, Verdict};
use crate::check::validate::sniff::kind_by_prologue;
use howdah_el::Knowledge;
use howdah_engine::application_path::{BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH, application_kind};
use howdah_engine::default_configuration::default_configuration;
use howdah_engine::definition_file::{ApplicationFile, FileIncludes};
use howdah_engine::settings::Settings;
use howdah_engine::sla::workflow::check_literals;
use howdah_engine::submit;
use howdah_engine::submit::pools;
use howdah_engine::submit::request::{Submission, read_document};
use howdah_engine::submit::warnings::DataCheck;
use howdah_engine::submit::workflow_lint::{self, Programs};
use howdah_host::files;
use howdah_host::located::Located;
use howdah_host::mounts::Mounts;
use howdah_oozie::bundle;
use howdah_oozie::configuration::{
    ParsedProperties, check_default_file, job_configuration, parameters, parse_properties, read_configuration,
};
use howdah_oozie::workflow::expressions::Expressions;
use howdah_oozie::{coordinator, workflow};
use howdah_words::error::{Error, ErrorCode, SourceText, did_you_mean};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, Document, DocumentKind, Element};

/// What the check of a text uses.
#[derive(Clone, Copy)]
pub(super) struct FileChecker<'a> {
    pub(super) mounts: &'a Mounts,
    pub(super) settings: &'a Settings,
    pub(super) now: Timestamp,
    /// The properties for the submission of definitions, if they are known.
    pub(super) job: Option<&'a ParsedProperties>,
    /// The programs of this machine that workflows start.
    pub(super) programs: &'a Programs,
    /// The sub-workflows that were followed.
    pub(super) followed: &'a RefCell<BTreeSet<String>>,
}

/// A text to check.
pub(super) struct Input {
    pub(super) source: Arc<SourceText>,
    /// The folder of its file; `None` when it is in no file.
    pub(super) folder: Option<Located>,
}

impl<'a> FileChecker<'a> {
    /// Returns the same checker for a job with other properties.
    pub(super) fn with_job<'b>(&self, job: &'b ParsedProperties) -> FileChecker<'b>
    where
        'a: 'b,
    {
        FileChecker { job: Some(job), ..*self }
    }

    /// Returns a job with these properties as it would be submitted here.
    pub(super) fn submission<'b>(&'b self, job: &'b ParsedProperties) -> Submission<'b> {
        Submission { mounts: self.mounts, settings: self.settings, properties: job, data: DataCheck::Check }
    }

    /// Returns the verdict on bytes that are in a file, or came from elsewhere; then the verdicts on the applications
    /// that they reference.
    pub(super) fn bytes(&self, name: &str, bytes: Vec<u8>, folder: Option<Located>) -> Vec<Verdict> {
        let kind = kind_by_prologue(&bytes);
        self.bytes_of_kind(name, bytes, kind, folder)
    }

    /// As [`Self::bytes`], when the probable kind is known.
    pub(super) fn bytes_of_kind(
        &self,
        name: &str,
        bytes: Vec<u8>,
        kind: Option<DocumentKind>,
        folder: Option<Located>,
    ) -> Vec<Verdict> {
        let kind = kind.map(FileKind::Document);
        match files::decode(name, bytes) {
            Err(error) => {
                if let (Some(place), None) = (error.location(), &folder) {
                    place.source.allow_quoting();
                }
                vec![Verdict { kind, ..Verdict::refused(name, vec![error]) }]
            }
            Ok(text) => {
                let source = match &folder {
                    Some(_) => SourceText::of_file(name, text),
                    None => SourceText::new(name, text),
                };
                if Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("properties")) {
                    vec![properties(&source)]
                } else {
                    self.document(Input { source, folder }, kind)
                }
            }
        }
    }

    /// Returns the verdict on a text that should be XML, then those on what it references. `guess` is the probable
    /// kind.
    pub(super) fn document(&self, input: Input, guess: Option<FileKind>) -> Vec<Verdict> {
        let verdict = Verdict::of(&input.source.name, guess);
        let document = match xml::read(&input.source) {
            Ok(document) => document,
            Err(problems) => return vec![Verdict { problems, ..verdict }],
        };
        let Some(kind) = xml::kind_of(&document) else {
            return vec![Verdict { problems: vec![unknown_root(&document)], ..verdict }];
        };
        self.of_kind(input, &document, kind)
    }

    /// Returns the verdict on an application that `by` references, then those on what it references itself.
    ///
    /// An application of another kind than `by` needs is refused and not followed: bundles reference coordinators and
    /// these reference workflows, so the recursion ends whatever the files contain.
    pub(super) fn referenced(&self, file: ApplicationFile, kind: DocumentKind, by: &str) -> Vec<Verdict> {
        match read_document(&file, kind, by) {
            Ok(document) => self.of_kind(Input { source: file.source, folder: file.folder }, &document, kind),
            Err(problems) => {
                vec![Verdict { problems, ..Verdict::of(&file.source.name, Some(FileKind::Document(kind))) }]
            }
        }
    }

    /// Returns the warnings that do not depend on the properties of the workflow's job.
    fn lint(&self, workflow: &Document, folder: Option<&Located>) -> Vec<Error> {
        let nothing = Properties::new();
        let missing = |folder| workflow_lint::missing_files(workflow, folder, &nothing, self.programs);
        let files = folder.into_iter().flat_map(missing);
        // What the graph's reader refuses is reported elsewhere.
        let graph = workflow::parse::parse(workflow, &workflow::expressions::stand_ins(workflow)).0;
        let machine = (self.mounts, self.settings);
        // A file that cannot be read is reported with its own verdict.
        let defaults = default_configuration(folder, "config-default.xml").unwrap_or_default();
        let defaults = defaults.into_iter().flat_map(|file| file.values).collect();
        let accepted = |graph| workflow_lint::accepted(workflow, graph, (&nothing, &defaults), machine);
        graph.iter().flat_map(accepted).chain(files).collect()
    }

    fn of_kind(&self, input: Input, document: &Document, kind: DocumentKind) -> Vec<Verdict> {
        let mut verdict = Verdict::of(&input.source.name, Some(FileKind::Document(kind)));
        let namespace = document.root.namespace.as_deref().and_then(xml::split_namespace);
        verdict.version = namespace.map(|(_, version)| version.to_string());
        let Some(submission) = self.job.map(|job| self.submission(job)).filter(|_| is_application(kind)) else {
            verdict.problems = check(document, kind, self);
            if kind == DocumentKind::Workflow && verdict.is_valid() {
                verdict.problems.extend(self.lint(document, input.folder.as_ref()));
            }
            // Without a site file it is not known which pools there are.
            if self.settings.file.is_some() && verdict.is_valid() {
                verdict.problems.extend(pools::unknown_in(self.settings, document, &Properties::new()));
            }
            return vec![verdict];
        };
        let app_path = input.source.name.clone();
        let file = ApplicationFile { app_path, source: input.source, folder: input.folder };
        let mut verdicts = self.application(submission, file, kind, &mut verdict);
        // An obstacle to the job may be in another file; this file is checked nevertheless.
        if !verdict.is_valid() && verdict.own_problems().next().is_none() {
            verdict.problems.extend(check(document, kind, self));
        }
        verdicts.insert(0, verdict);
        verdicts
    }
}

/// Returns the verdict on an XML file of a folder whose name and root element are not Oozie's; `None` when it is a
/// valid document of another program.
///
/// A file that cannot be read as XML, and one whose root is nearly one of Oozie's, may be a definition with a mistake
/// in it: skipping it silently would hide the mistake.
pub(super) fn unrecognised(name: &str, bytes: Vec<u8>) -> Option<Verdict> {
    // Other programs may use encodings and document types that Oozie's files do not have.
    let text = files::decode(name, bytes).ok()?;
    let has_document_type = text.contains("<!DOCTYPE");
    let source = SourceText::of_file(name, text);
    let problems = match xml::read(&source) {
        Ok(document) if is_nearly_ours(&document.root) => vec![unknown_root(&document)],
        Ok(_) => return None,
        Err(_) if has_document_type => return None,
        Err(problems) => problems,
    };
    Some(Verdict::refused(name, problems))
}

/// Returns whether the root has a namespace of Oozie's, or a name that differs from one of Oozie's by a typing error.
fn is_nearly_ours(root: &Element) -> bool {
    root.namespace.as_deref().is_some_and(|namespace| namespace.starts_with("uri:oozie:")) || near_root(root).is_some()
}

fn near_root(root: &Element) -> Option<&'static str> {
    did_you_mean(&root.name, DocumentKind::ALL.into_iter().map(DocumentKind::root))
}

/// Returns E0701 for a document whose root element Oozie does not have.
fn unknown_root(document: &Document) -> Error {
    let error = Error::new(ErrorCode::E0701, format!("<{}> is not a document that Oozie reads", document.root.name));
    let help = match near_root(&document.root) {
        Some(near) => format!("did you mean <{near}>?"),
        None => {
            "a root element is one of coordinator-app, workflow-app, bundle-app, datasets, configuration".to_owned()
        }
    };
    error.help(help).at(document.locate(document.root.tag))
}

/// Returns whether a document of this kind can be submitted.
const fn is_application(kind: DocumentKind) -> bool {
    matches!(kind, DocumentKind::Coordinator | DocumentKind::Workflow | DocumentKind::Bundle)
}

/// Returns everything that is wrong with a document of a kind, whatever the properties of its job are.
fn check(document: &Document, kind: DocumentKind, checker: &FileChecker<'_>) -> Vec<Error> {
    let settings = checker.settings;
    match kind {
        DocumentKind::Coordinator | DocumentKind::Datasets => {
            let mut problems = xml::check(document, kind);
            let is_valid = problems.iter().all(Error::is_warning);
            let includes = FileIncludes::new(checker.mounts, &document.source.name);
            let found = coordinator::check(document, &includes, &settings.submit, Some(checker.now));
            // Warnings help only when the schema reports no error.
            problems.extend(found.into_iter().filter(|problem| is_valid || !problem.is_warning()));
            problems
        }
        DocumentKind::Workflow => {
            let stand_ins = workflow::expressions::stand_ins(document);
            let mut problems: Vec<Error> = submit::workflow::check_length(&document.source).err().into_iter().collect();
            problems.extend(submit::workflow::check(document, &stand_ins, settings).1);
            if problems.iter().all(Error::is_warning) {
                problems.extend(check_literals(document, settings.submit.processing));
            }
            let expressions = Expressions::of(document);
            add_expression_faults(&mut problems, document, &expressions);
            if let Ok(Some(declared)) = parameters(document)
                && problems.iter().all(Error::is_warning)
            {
                let names = declared.iter().map(|parameter| parameter.name.as_str()).collect();
                problems.extend(workflow::variables::misspelt_parameters(&expressions, &names));
            }
            problems
        }
        DocumentKind::Bundle => {
            let mut problems = xml::check(document, kind);
            problems.extend(
                bundle::parse(document, (Knowledge::Partial, &Properties::new()), settings.submit.processing).1,
            );
            problems
        }
        DocumentKind::Configuration => match read_configuration(&document.root, &document.source) {
            Ok(properties) => configuration_problems(&properties, &document.source.name),
            Err(error) => vec![error],
        },
    }
}

/// Adds the errors that the nodes of a workflow would meet when they start, except for texts that the graph's reader
/// refused already: it evaluates some of them itself.
pub(super) fn add_expression_faults(problems: &mut Vec<Error>, workflow: &Document, expressions: &Expressions<'_>) {
    let span = |problem: &Error| {
        let place = problem.location().filter(|place| place.source == workflow.source)?;
        Some((place.span.start, place.span.end))
    };
    let reported: BTreeSet<(usize, usize)> = problems.iter().filter_map(span).collect();
    let faults = expressions.check().into_iter();
    problems.extend(faults.filter(|fault| span(fault).is_none_or(|place| !reported.contains(&place))));
}

/// Returns what is wrong with properties in Hadoop's form: a default file, those of a job, or an action's.
fn configuration_problems(properties: &ParsedProperties, name: &str) -> Vec<Error> {
    let mut problems = properties.repetitions();
    let beside = match Path::new(name).file_name().and_then(|name| name.to_str()) {
        Some("config-default.xml") => Some(DocumentKind::Workflow),
        Some("coord-config-default.xml") => Some(DocumentKind::Coordinator),
        Some("bundle-config-default.xml") => Some(DocumentKind::Bundle),
        _ => None,
    };
    match beside {
        Some(kind) => problems.extend(check_default_file(kind, properties).err()),
        None if names_application(properties) => problems.extend(job_problems(properties)),
        None => {}
    }
    problems
}

fn names_application(properties: &ParsedProperties) -> bool {
    [COORDINATOR_PATH, WORKFLOW_PATH, BUNDLE_PATH].iter().any(|name| properties.values.contains_key(*name))
}

/// Returns what is wrong with the properties of a job alone: two applications at once, reserved names, circular
/// references.
fn job_problems(properties: &ParsedProperties) -> Vec<Error> {
    let given = |name: &str| properties.values.contains_key(name);
    let kind = if given(WORKFLOW_PATH) { DocumentKind::Workflow } else { DocumentKind::Coordinator };
    let named = names_application(properties).then(|| application_kind(properties).err()).flatten();
    named.into_iter().chain(job_configuration(kind, properties, &[]).err()).collect()
}

/// Reads a file of job properties.
fn properties(source: &Arc<SourceText>) -> Verdict {
    let problems = match parse_properties(source) {
        Err(error) => vec![error],
        Ok(properties) => properties.warnings().into_iter().chain(job_problems(&properties)).collect(),
    };
    Verdict { problems, ..Verdict::of(&source.name, Some(FileKind::Properties)) }
}

//! Checks files: coordinators, workflows, bundles, dataset files, configurations, properties.
//!
//! Finds the files, reads them one at a time and continues after a bad one. `check_file` checks a file, `referenced`
//! the files that its job references, `policy` decides what counts as an error. Must not open a database.

mod check_file;
mod policy;
mod quotable;
mod referenced;
mod search;
mod sniff;
mod verdict;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::check::validate::check_file::FileChecker;
use crate::check::validate::search::{Found, below};
use crate::check::validate::sniff::{LONGEST_PROLOGUE, kind_by_prologue};
use howdah_engine::definition_file::LARGEST_DEFINITION;
use howdah_engine::settings::Settings;
use howdah_engine::submit::workflow_lint::Programs;
use howdah_host::files;
use howdah_host::found::{self, Found as Presence};
use howdah_host::located::Located;
use howdah_host::mounts::Mounts;
use howdah_host::thread_pool;
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText, Span};
use howdah_words::model::time::Timestamp;
use howdah_xml::DocumentKind;

pub use policy::Policy;
pub use quotable::Quotable;
pub use verdict::{FileKind, Verdict};

/// The largest text that is checked, in bytes.
pub const LARGEST_INPUT: u64 = LARGEST_DEFINITION;

/// What the user wants to check.
#[derive(Clone, Debug)]
pub enum Target {
    Path(PathBuf),
    /// Bytes that are in no file, such as standard input, and their name.
    Bytes(String, Vec<u8>),
    /// The application that the properties of the job name.
    NamedApplication,
    /// A file that could not be used, and why.
    Unusable(String, Vec<Error>),
}

/// The properties for the submission of definitions.
#[derive(Clone, Debug)]
pub struct Job {
    /// The user's name for them.
    pub name: String,
    pub properties: ParsedProperties,
}

/// What to check, and with what.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// `None` checks definitions as far as possible without properties.
    pub job: Option<&'a Job>,
    pub policy: &'a Policy,
    /// The files whose lines may be shown.
    pub quotable: &'a Quotable,
}

/// Shows a verdict; breaks when the caller wants no more.
type Emit<'a> = &'a mut dyn FnMut(Verdict) -> Result<ControlFlow<()>>;

/// Checks every target, in order, and passes each verdict to `emit` until that breaks.
///
/// # Errors
/// Any error of `emit`.
pub fn validate(request: Request<'_>, targets: Vec<Target>, emit: Emit<'_>) -> Result<()> {
    let Request { mounts, settings, now, job, policy, quotable } = request;
    let (followed, programs) = (RefCell::default(), Programs::of(&settings.command_variables));
    let job_properties = job.map(|job| &job.properties);
    let checker = FileChecker { mounts, settings, now, job: job_properties, programs: &programs, followed: &followed };
    let mut walk = Walk { checker, policy, quotable, emit, reported: Reported::default(), waiting: Vec::new() };
    let mut flow = match job {
        Some(job) => walk.job(job)?,
        None => ControlFlow::Continue(()),
    };
    for target in targets {
        if flow.is_break() {
            return Ok(());
        }
        flow = walk.target(target, job)?;
    }
    if flow.is_continue() {
        // A caller that breaks now has received everything.
        let _ = walk.waiting_files()?;
    }
    Ok(())
}

/// Returns the first error of one definition, as Oozie's services check it: properties are no definition, whatever they
/// name.
///
/// # Errors
/// As [`validate`].
pub fn first_error(request: Request<'_>, target: Target) -> Result<Option<Error>> {
    let mut first = None;
    validate(request, vec![target], &mut |verdict| {
        let is_properties = verdict.kind == Some(FileKind::Properties);
        let no_xml = || Error::new(ErrorCode::E0701, format!("{}, it is no XML document", verdict.path));
        let refused = if is_properties {
            Some(no_xml())
        } else {
            verdict.problems.into_iter().find(|problem| !problem.is_warning())
        };
        first = first.take().or(refused);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(first)
}

/// What was reported already.
#[derive(Default)]
struct Reported {
    /// Files that another file references, as absolute paths.
    referenced: BTreeSet<PathBuf>,
    /// Complete verdicts on them: two references from one file may produce the same text.
    verdicts: BTreeSet<String>,
    /// Problems of other files than the one that was checked, such as an included file of datasets.
    asides: BTreeSet<String>,
}

impl Reported {
    /// Removes from a verdict what was reported before; `None` when nothing new is left.
    fn only_new(&mut self, mut verdict: Verdict) -> Option<Verdict> {
        if let Some(referrer) = &verdict.referrer {
            self.referenced.extend(files::absolute(Path::new(&verdict.path)));
            // Before anything is removed: otherwise a repeated verdict would look like another one.
            let problems: Vec<String> = verdict.problems.iter().map(fingerprint).collect();
            if !self.verdicts.insert(format!("{}\n{referrer}\n{}", verdict.path, problems.join("\n"))) {
                return None;
            }
        }
        let is_aside = |problem: &Error| problem.location().is_some_and(|place| place.source.name != verdict.path);
        verdict.problems.retain(|problem| {
            let is_new = !is_aside(problem) || self.asides.insert(fingerprint(problem));
            verdict.refused_elsewhere |= !is_new && !problem.is_warning();
            is_new
        });
        Some(verdict)
    }
}

/// Returns a text that is equal for two problems only when they are the same.
fn fingerprint(problem: &Error) -> String {
    match problem.location() {
        Some(place) => format!("{}:{:?} {problem}", place.source.name, place.span),
        None => problem.to_string(),
    }
}

struct Walk<'a> {
    checker: FileChecker<'a>,
    policy: &'a Policy,
    quotable: &'a Quotable,
    emit: Emit<'a>,
    reported: Reported,
    /// Files that were found and not yet checked.
    waiting: Vec<Found>,
}

impl Walk<'_> {
    /// Adds one target. Without a job its files may wait for those of the next target; with a job they may not, because
    /// they may reference the next target.
    fn target(&mut self, target: Target, job: Option<&Job>) -> Result<ControlFlow<()>> {
        let verdicts = match target {
            Target::Path(path) => {
                self.waiting.push(Found { path, named: true, refused: None });
                return if job.is_some() { self.waiting_files() } else { Ok(ControlFlow::Continue(())) };
            }
            Target::Bytes(name, bytes) => self.checker.bytes(&name, bytes, None),
            Target::NamedApplication => {
                job.map_or_else(Vec::new, |job| self.checker.named_application(&job.properties, &job.name))
            }
            Target::Unusable(name, problems) => vec![Verdict::refused(name, problems)],
        };
        self.show_next(verdicts)
    }

    /// Shows verdicts after those on the files that wait.
    fn show_next(&mut self, verdicts: Vec<Verdict>) -> Result<ControlFlow<()>> {
        match self.waiting_files()? {
            ControlFlow::Continue(()) => self.show(verdicts),
            flow @ ControlFlow::Break(()) => Ok(flow),
        }
    }

    fn show_checked(&mut self, checked: Checked) -> Result<ControlFlow<()>> {
        match checked {
            Checked::File(verdicts) => self.show(verdicts),
            Checked::Folder(path) => {
                self.waiting = below(&path);
                self.waiting_files()
            }
        }
    }

    fn show(&mut self, verdicts: Vec<Verdict>) -> Result<ControlFlow<()>> {
        for mut verdict in verdicts {
            verdict.problems = self.policy.apply(verdict.problems);
            let Some(verdict) = self.reported.only_new(verdict) else { continue };
            self.quotable.allow(&verdict.problems);
            if (self.emit)(verdict)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reports what is wrong with the job's properties whatever they are submitted for; reports nothing about
    /// definitions on the command line.
    fn job(&mut self, job: &Job) -> Result<ControlFlow<()>> {
        let problems = job.properties.warnings();
        if problems.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        self.show(vec![Verdict { problems, ..Verdict::of(&job.name, Some(FileKind::Properties)) }])
    }

    /// Checks the files that wait, and shows their verdicts in order.
    fn waiting_files(&mut self) -> Result<ControlFlow<()>> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.checker.job.is_some() {
            return self.referrers_first(waiting);
        }
        // Without a job no file references another, so they can be checked in parallel.
        let FileChecker { mounts, settings, now, programs, .. } = self.checker;
        let checked = |found: &Found| {
            let followed = RefCell::default();
            check(&FileChecker { mounts, settings, now, job: None, programs, followed: &followed }, found)
        };
        let flow = thread_pool::in_order(&waiting, checked, |checked| match self.show_checked(checked) {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
            broken => ControlFlow::Break(broken),
        });
        flow.break_value().unwrap_or(Ok(ControlFlow::Continue(())))
    }

    /// Checks first the files that reference others; the referenced files are then not checked again separately.
    fn referrers_first(&mut self, mut waiting: Vec<Found>) -> Result<ControlFlow<()>> {
        waiting.sort_by_cached_key(|found| rank(&found.path));
        for found in waiting {
            let is_reported = files::absolute(&found.path).is_ok_and(|path| self.reported.referenced.contains(&path));
            if is_reported && !found.named {
                continue;
            }
            let checked = check(&self.checker, &found);
            if self.show_checked(checked)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What is at a path.
enum Checked {
    /// The verdicts on a file and on what it references; none for a file that was found in a folder and is a valid
    /// document of another program.
    File(Vec<Verdict>),
    /// A folder, whose files wait.
    Folder(PathBuf),
}

/// Checks a file; a folder that the user named shows only when it cannot be read as a file.
fn check(checker: &FileChecker<'_>, found: &Found) -> Checked {
    let path = &found.path;
    if let Some(error) = &found.refused {
        return Checked::File(vec![unreadable(path, error.clone())]);
    }
    match read(path) {
        Ok(bytes) => Checked::File(verdicts(checker, found, bytes)),
        Err(_) if found.named && matches!(files::find_folder(path), Presence::Present(())) => {
            Checked::Folder(path.clone())
        }
        Err(error) => Checked::File(unread(found, error)),
    }
}

/// Returns the verdict on a file that cannot be read; none when its start shows that it is another program's.
fn unread(found: &Found, error: Error) -> Vec<Verdict> {
    match files::read_start(&found.path, LONGEST_PROLOGUE as u64) {
        Ok(start) if found.is_other_program(kind_by_prologue(&start)) => Vec::new(),
        _ => vec![unreadable(&found.path, error)],
    }
}

fn verdicts(checker: &FileChecker<'_>, found: &Found, bytes: Vec<u8>) -> Vec<Verdict> {
    let path = &found.path;
    let name = path.to_string_lossy().into_owned();
    let kind = kind_by_prologue(&bytes);
    if found.is_other_program(kind) {
        let verdict = check_file::unrecognised(&name, bytes);
        return verdict.map(|verdict| Verdict { named: false, ..verdict }).into_iter().collect();
    }
    let mut verdicts = checker.bytes_of_kind(&name, bytes, kind, folder_of(path));
    verdicts[0].named = found.named;
    verdicts
}

fn unreadable(path: &Path, error: Error) -> Verdict {
    let name = path.display().to_string();
    let no_place = Location::new(&SourceText::new(name.clone(), ""), Span::default());
    let error = error.at(no_place).help("validate needs a file or folder that you can read");
    Verdict::refused(name, vec![error])
}

/// Returns the folder of a file that the user named.
fn folder_of(path: &Path) -> Option<Located> {
    let folder = path.parent()?;
    Some(Located::named_here(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }))
}

/// Returns the rank of a file in the order of checking: bundles reference coordinators, and these reference workflows.
fn rank(path: &Path) -> u8 {
    match files::read_start(path, LONGEST_PROLOGUE as u64).ok().and_then(|start| kind_by_prologue(&start)) {
        Some(DocumentKind::Bundle) => 0,
        Some(DocumentKind::Coordinator) => 1,
        _ => 2,
    }
}

/// Reads the bytes of a file, which may be a pipe.
fn read(path: &Path) -> Result<Vec<u8>> {
    let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0110, &[&path.display(), why]);
    let bytes = files::read_start(path, LARGEST_DEFINITION + 1).map_err(|error| found::cannot_read(path, &error))?;
    if bytes.len() as u64 > LARGEST_DEFINITION {
        return Err(refuse(&format!("it is larger than {LARGEST_DEFINITION} bytes")).help("split the definition"));
    }
    Ok(bytes)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests create their own folders")]
mod tests;

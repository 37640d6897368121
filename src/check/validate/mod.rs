//! Judges files: coordinators, workflows, bundles, dataset files, configurations, properties.
//!
//! Finds the files, reads them one at a time and never stops at a bad one. What is said of a file is `judge`, what else
//! its job leads to `lead`, what counts as an error `policy`. Must never open a database.

mod check_file;
mod policy;
mod quotable;
mod referenced;
mod sniff;
mod verdict;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::check::validate::check_file::Judge;
use crate::check::validate::sniff::{LONGEST_PROLOGUE, is_definition, kind_by_prologue};
use crate::configuration::ParsedProperties;
use crate::engine::definition_file::LARGEST_DEFINITION;
use crate::engine::settings::Settings;
use crate::error::{Error, ErrorCode, Location, Result, SourceText, Span};
use crate::host::files::{self, Entry};
use crate::host::mounts::Mounts;
use crate::host::{found, thread_pool};
use crate::model::time::Timestamp;
use crate::xml::DocumentKind;

pub(crate) use policy::Policy;
pub(crate) use quotable::Quotable;
pub(crate) use verdict::{FileKind, Verdict};

/// The largest text that is judged, in bytes.
pub(crate) const LARGEST_INPUT: u64 = LARGEST_DEFINITION;
/// Folders inside each other that are looked into.
const DEEPEST_FOLDER: usize = 100;

/// What the user wants judged.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Path(PathBuf),
    /// Bytes that are in no file, such as standard input, and their name.
    Bytes(String, Vec<u8>),
    /// The application that the properties of the job name.
    NamedApplication,
    /// A file that could not be used, and why.
    Unusable(String, Vec<Error>),
}

/// The properties with which definitions would be submitted.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// What the user knows them by.
    pub(crate) name: String,
    pub(crate) properties: ParsedProperties,
}

/// What is to be judged, and with what.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) mounts: &'a Mounts,
    pub(crate) settings: &'a Settings,
    pub(crate) now: Timestamp,
    /// `None` judges definitions as far as that is possible without.
    pub(crate) job: Option<&'a Job>,
    pub(crate) policy: &'a Policy,
    /// The files whose lines may be shown.
    pub(crate) quotable: &'a Quotable,
}

/// Shows a verdict; breaks when nobody wants more.
type See<'a> = &'a mut dyn FnMut(Verdict) -> Result<ControlFlow<()>>;

/// Judges every target, in order, and hands each verdict to `see` until that breaks.
///
/// # Errors
/// What `see` answers.
pub(crate) fn validate(request: Request<'_>, targets: Vec<Target>, see: See<'_>) -> Result<()> {
    let Request { mounts, settings, now, job, policy, quotable } = request;
    let followed = RefCell::default();
    let judge = Judge { mounts, settings, now, job: job.map(|job| &job.properties), followed: &followed };
    let mut walk = Walk { judge, policy, quotable, see, told: Told::default(), waiting: Vec::new() };
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
        // Whoever breaks off now has seen everything.
        let _ = walk.waiting_files()?;
    }
    Ok(())
}

/// What was said already.
#[derive(Default)]
struct Told {
    /// Files that something led to, as absolute paths.
    led_to: BTreeSet<PathBuf>,
    /// Verdicts on them, whole: two ways that lead to a file from one leader may end in the same words.
    verdicts: BTreeSet<String>,
    /// Problems of other files than the one that was judged, such as an included file of datasets.
    asides: BTreeSet<String>,
}

impl Told {
    /// Takes from a verdict what was told before; `None` when nothing new is left to say.
    fn only_new(&mut self, mut verdict: Verdict) -> Option<Verdict> {
        if let Some(leader) = &verdict.led_by {
            self.led_to.extend(files::absolute(Path::new(&verdict.path)));
            // Before anything is taken from it: a verdict that comes again would seem to be another one.
            let problems: Vec<String> = verdict.problems.iter().map(fingerprint).collect();
            if !self.verdicts.insert(format!("{}\n{leader}\n{}", verdict.path, problems.join("\n"))) {
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

/// A text that two problems share only when they say the same.
fn fingerprint(problem: &Error) -> String {
    match problem.location() {
        Some(place) => format!("{}:{:?} {problem}", place.source.name, place.span),
        None => problem.to_string(),
    }
}

struct Walk<'a> {
    judge: Judge<'a>,
    policy: &'a Policy,
    quotable: &'a Quotable,
    see: See<'a>,
    told: Told,
    /// Files that are found and not yet judged.
    waiting: Vec<Found>,
}

/// A file to judge.
struct Found {
    path: PathBuf,
    /// Whether the user named it, and not only a folder above it.
    named: bool,
    /// Why the folder at this path cannot be looked into.
    refused: Option<Error>,
}

impl Walk<'_> {
    /// Takes one target. Its files may wait for those of the next, but not with a job: a file that is named next may be
    /// one that these lead to.
    fn target(&mut self, target: Target, job: Option<&Job>) -> Result<ControlFlow<()>> {
        let verdicts = match target {
            Target::Path(path) => {
                if matches!(files::find_folder(&path), found::Found::Present(())) {
                    self.waiting.extend(below(&path, 0));
                } else {
                    self.waiting.push(Found { path, named: true, refused: None });
                }
                return if job.is_some() { self.waiting_files() } else { Ok(ControlFlow::Continue(())) };
            }
            Target::Bytes(name, bytes) => self.judge.bytes(&name, bytes, None),
            Target::NamedApplication => {
                job.map_or_else(Vec::new, |job| self.judge.named_application(&job.properties, &job.name))
            }
            Target::Unusable(name, problems) => vec![Verdict::refused(name, problems)],
        };
        self.show_next(verdicts)
    }

    /// Shows verdicts behind those on the files that wait.
    fn show_next(&mut self, verdicts: Vec<Verdict>) -> Result<ControlFlow<()>> {
        match self.waiting_files()? {
            ControlFlow::Continue(()) => self.show(verdicts),
            flow @ ControlFlow::Break(()) => Ok(flow),
        }
    }

    fn show(&mut self, verdicts: Vec<Verdict>) -> Result<ControlFlow<()>> {
        for mut verdict in verdicts {
            verdict.problems = self.policy.apply(verdict.problems);
            let Some(verdict) = self.told.only_new(verdict) else { continue };
            self.quotable.allow(&verdict.problems);
            if (self.see)(verdict)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What is wrong with the job's properties whatever they are submitted for; silent about definitions of the command
    /// line.
    fn job(&mut self, job: &Job) -> Result<ControlFlow<()>> {
        let problems = job.properties.warnings();
        if problems.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        self.show(vec![Verdict { problems, ..Verdict::of(&job.name, Some(FileKind::Properties)) }])
    }

    /// Judges the files that wait, and shows what is said of them in their order.
    fn waiting_files(&mut self) -> Result<ControlFlow<()>> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.judge.job.is_some() {
            return self.leaders_first(waiting);
        }
        // Without a job no file leads to another, so that they can be judged at the same time.
        let Judge { mounts, settings, now, .. } = self.judge;
        let judged = |found: &Found| {
            let followed = RefCell::default();
            verdicts(&Judge { mounts, settings, now, job: None, followed: &followed }, found)
        };
        let flow = thread_pool::in_order(&waiting, judged, |verdicts| match self.show(verdicts) {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
            broken => ControlFlow::Break(broken),
        });
        flow.break_value().unwrap_or(Ok(ControlFlow::Continue(())))
    }

    /// Judges those files first that lead to others; these are then not judged again on their own.
    fn leaders_first(&mut self, mut waiting: Vec<Found>) -> Result<ControlFlow<()>> {
        waiting.sort_by_cached_key(|found| rank(&found.path));
        for found in waiting {
            let is_told = files::absolute(&found.path).is_ok_and(|path| self.told.led_to.contains(&path));
            if is_told && !found.named {
                continue;
            }
            let verdicts = verdicts(&self.judge, &found);
            if self.show(verdicts)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The XML files of a folder and below it, in the order of their names; links to folders are not followed, so that
/// there is an end.
fn below(folder: &Path, depth: usize) -> Vec<Found> {
    let refused = |error: Error| vec![Found { path: folder.to_owned(), named: false, refused: Some(error) }];
    let entries = match files::list_entries(folder) {
        Ok(_) if depth > DEEPEST_FOLDER => {
            let why = format!("more than {DEEPEST_FOLDER} folders inside each other");
            return refused(Error::with(ErrorCode::H0110, &[&folder.display(), &why]));
        }
        Ok(entries) => entries,
        Err(error) => return refused(error),
    };
    let found = |(path, entry): &(PathBuf, Entry)| match entry {
        Entry::Folder => below(path, depth + 1),
        Entry::File if is_xml(path) => vec![Found { path: path.clone(), named: false, refused: None }],
        Entry::File | Entry::Other => Vec::new(),
    };
    // Folders that lie side by side are walked at the same time, what is below one of them by one worker.
    if depth == 0 {
        thread_pool::map(&entries, found).into_iter().flatten().collect()
    } else {
        entries.iter().flat_map(found).collect()
    }
}

/// What is said of a file, and of what it leads to; nothing of one that was found in a folder and is a sound document
/// of another program.
fn verdicts(judge: &Judge<'_>, found: &Found) -> Vec<Verdict> {
    let path = &found.path;
    if let Some(error) = &found.refused {
        return vec![unreadable(path, error.clone())];
    }
    let passed_over = |start: &[u8]| !found.named && !is_definition(path) && kind_by_prologue(start).is_none();
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(error) => match files::read_start(path, LONGEST_PROLOGUE as u64) {
            Ok(start) if passed_over(&start) => return Vec::new(),
            _ => return vec![unreadable(path, error)],
        },
    };
    let name = path.display().to_string();
    if passed_over(&bytes) {
        let verdict = check_file::unrecognised(&name, bytes);
        return verdict.map(|verdict| Verdict { named: false, ..verdict }).into_iter().collect();
    }
    let mut verdicts = judge.bytes(&name, bytes, folder_of(path));
    verdicts[0].named = found.named;
    verdicts
}

fn unreadable(path: &Path, error: Error) -> Verdict {
    let name = path.display().to_string();
    let nowhere = Location::new(&SourceText::new(name.clone(), ""), Span::default());
    let error = error.at(nowhere).help("validate needs a file or folder that you can read");
    Verdict::refused(name, vec![error])
}

/// The folder of a file that the user named.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
}

/// The place of a file in the order of judging: bundles lead to coordinators, and these to workflows.
fn rank(path: &Path) -> u8 {
    match files::read_start(path, LONGEST_PROLOGUE as u64).ok().and_then(|start| kind_by_prologue(&start)) {
        Some(DocumentKind::Bundle) => 0,
        Some(DocumentKind::Coordinator) => 1,
        _ => 2,
    }
}

fn is_xml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// The bytes of a file, which may be a pipe.
fn read(path: &Path) -> Result<Vec<u8>> {
    let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0110, &[&path.display(), why]);
    let bytes = files::read_start(path, LARGEST_DEFINITION + 1).map_err(|error| found::cannot_read(path, &error))?;
    if bytes.len() as u64 > LARGEST_DEFINITION {
        return Err(refuse(&format!("it is larger than {LARGEST_DEFINITION} bytes")).help("split the definition"));
    }
    Ok(bytes)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own folders")]
mod tests;

//! Judges definitions as far as that is possible without the properties of a job: schema, expressions, graph
//!.
//!
//! Finds the files, reads them one at a time and never stops at a bad one. Must never open a database.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration::{job_configuration, parse_properties, read_configuration};
use crate::coordinator;
use crate::engine::settings::Settings;
use crate::engine::source::LARGEST_DEFINITION;
use crate::engine::submit::{COORDINATOR_PATH, WORKFLOW_PATH, application_kind};
use crate::engine::workflow::create;
use crate::error::{Error, ErrorCode, Location, Result, SourceText, Span};
use crate::host::files::{self, Entry};
use crate::host::tree::{self, Kind};
use crate::workflow;
use crate::xml::{self, Document, DocumentKind};

/// The largest text that is judged, in bytes.
pub(crate) const LARGEST_INPUT: u64 = LARGEST_DEFINITION;
/// Folders inside each other that are looked into.
const DEEPEST_FOLDER: usize = 100;
/// Bytes at the start of a file in which its root element must begin for a folder's walk to take it.
const LONGEST_PROLOGUE: usize = 64 * 1024;
/// Bytes within which it mostly does: a licence and the tag.
const USUAL_PROLOGUE: usize = 2 * 1024;

/// What a file was judged as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Document(DocumentKind),
    /// Java properties.
    Properties,
}

impl FileKind {
    /// The word for it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Document(DocumentKind::Coordinator) => "coordinator",
            Self::Document(DocumentKind::Workflow) => "workflow",
            Self::Document(DocumentKind::Bundle) => "bundle",
            Self::Document(DocumentKind::Datasets) => "datasets",
            Self::Document(DocumentKind::Configuration) => "configuration",
            Self::Properties => "properties",
        }
    }
}

/// What is said of one file.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// The path as the user knows it.
    pub(crate) path: String,
    /// `None` when the file is nothing that Oozie reads, or cannot be read.
    pub(crate) kind: Option<FileKind>,
    /// The version of its schema, where it names one.
    pub(crate) version: Option<String>,
    pub(crate) problems: Vec<Error>,
    /// Whether the user named the file itself, not a folder above it.
    pub(crate) named: bool,
}

impl Verdict {
    /// Whether nothing is refused.
    pub(crate) fn is_valid(&self) -> bool {
        self.problems.iter().all(Error::is_warning)
    }

    fn refused(path: String, error: Error) -> Self {
        Self { path, kind: None, version: None, problems: vec![error], named: true }
    }
}

/// What the user wants judged.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Path(PathBuf),
    /// Bytes that are in no file, such as standard input, and their name.
    Bytes(String, Vec<u8>),
}

/// Judges every target, in order, and hands each verdict to `see` until that breaks.
///
/// # Errors
/// What `see` answers.
pub(crate) fn validate(
    targets: Vec<Target>,
    settings: &Settings,
    see: &mut dyn FnMut(Verdict) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut walk = Walk { settings, see };
    for target in targets {
        let flow = match target {
            Target::Path(path) if tree::kind(&path).is_ok_and(|kind| kind == Kind::Directory) => {
                walk.folder(&path, 0)?
            }
            Target::Path(path) => walk.named_file(&path)?,
            Target::Bytes(name, bytes) => (walk.see)(judge_bytes(&name, bytes, settings))?,
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

struct Walk<'a> {
    settings: &'a Settings,
    see: &'a mut dyn FnMut(Verdict) -> Result<ControlFlow<()>>,
}

impl Walk<'_> {
    /// Judges what lies in a folder and below it; links to folders are not followed, so that there is an end.
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<ControlFlow<()>> {
        let entries = match files::list_entries(folder) {
            Ok(_) if depth > DEEPEST_FOLDER => {
                let why = format!("more than {DEEPEST_FOLDER} folders inside each other");
                return self.refuse(folder, Error::with(ErrorCode::H0110, &[&folder.display(), &why]));
            }
            Ok(entries) => entries,
            Err(error) => return self.refuse(folder, error),
        };
        for (path, entry) in entries {
            let flow = match entry {
                Entry::Folder => self.folder(&path, depth + 1)?,
                Entry::File if is_xml(&path) => self.found_file(&path)?,
                Entry::File | Entry::Other => ControlFlow::Continue(()),
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn named_file(&mut self, path: &Path) -> Result<ControlFlow<()>> {
        let verdict = match read(path) {
            Ok(bytes) => judge_bytes(&path.display().to_string(), bytes, self.settings),
            Err(error) => return self.refuse(path, error),
        };
        (self.see)(verdict)
    }

    /// A file that the walk came upon; passed over unless its root element is one of Oozie's.
    fn found_file(&mut self, path: &Path) -> Result<ControlFlow<()>> {
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => match files::read_start(path, LONGEST_PROLOGUE as u64) {
                Ok(start) if kind_by_prologue(&start).is_none() => return Ok(ControlFlow::Continue(())),
                _ => return self.refuse(path, error),
            },
        };
        if kind_by_prologue(&bytes).is_none() {
            return Ok(ControlFlow::Continue(()));
        }
        let verdict = judge_bytes(&path.display().to_string(), bytes, self.settings);
        (self.see)(Verdict { named: false, ..verdict })
    }

    fn refuse(&mut self, path: &Path, error: Error) -> Result<ControlFlow<()>> {
        let name = path.display().to_string();
        let nowhere = Location::new(&SourceText::new(name.clone(), ""), Span::default());
        (self.see)(Verdict::refused(name, error.at(nowhere).help("validate needs a file or folder that you can read")))
    }
}

fn is_xml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// The bytes of a file, which may be a pipe.
fn read(path: &Path) -> Result<Vec<u8>> {
    let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0110, &[&path.display(), why]);
    let bytes = files::read_start(path, LARGEST_DEFINITION + 1).map_err(|error| refuse(&error))?;
    if bytes.len() as u64 > LARGEST_DEFINITION {
        return Err(refuse(&format!("it is larger than {LARGEST_DEFINITION} bytes")).help("split the definition"));
    }
    Ok(bytes)
}

fn judge_bytes(name: &str, bytes: Vec<u8>, settings: &Settings) -> Verdict {
    let kind = kind_by_prologue(&bytes).map(FileKind::Document);
    match files::decode(name, bytes) {
        Err(error) => Verdict { kind, ..Verdict::refused(name.to_owned(), error) },
        Ok(text) => {
            let source = SourceText::new(name, text);
            if Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("properties")) {
                judge_properties(&source)
            } else {
                judge_document(&source, kind, settings)
            }
        }
    }
}

fn judge_document(source: &Arc<SourceText>, guess: Option<FileKind>, settings: &Settings) -> Verdict {
    let verdict = Verdict { path: source.name.clone(), kind: guess, version: None, problems: vec![], named: true };
    let document = match xml::read(source) {
        Ok(document) => document,
        Err(problems) => return Verdict { problems, ..verdict },
    };
    let Some(kind) = xml::kind_of(&document) else {
        let error = Error::new(ErrorCode::E0701, format!("<{}> is no document that Oozie reads", document.root.name))
            .help("a root element is one of coordinator-app, workflow-app, bundle-app, datasets, configuration");
        return Verdict { problems: vec![error.at(document.locate(document.root.tag))], ..verdict };
    };
    let namespace = document.root.namespace.as_deref().and_then(xml::split_namespace);
    Verdict {
        kind: Some(FileKind::Document(kind)),
        version: namespace.map(|(_, version)| version.to_string()),
        problems: check(&document, kind, settings),
        ..verdict
    }
}

/// Everything that is wrong with a document of a kind.
fn check(document: &Document, kind: DocumentKind, settings: &Settings) -> Vec<Error> {
    match kind {
        DocumentKind::Coordinator | DocumentKind::Datasets => {
            let mut problems = xml::check(document, kind);
            problems.extend(coordinator::expressions::check(document));
            problems
        }
        DocumentKind::Workflow => {
            let stand_ins = workflow::expressions::stand_ins(document);
            let mut problems: Vec<Error> = create::check_length(&document.source).err().into_iter().collect();
            problems.extend(create::check(document, &stand_ins, settings).1);
            problems.extend(workflow::expressions::check(document));
            problems
        }
        DocumentKind::Bundle => xml::check(document, kind),
        DocumentKind::Configuration => match read_configuration(&document.root, &document.source) {
            Ok(properties) => properties.repetitions(),
            Err(error) => vec![error],
        },
    }
}

/// A file of job properties: its form, reserved names, references that go in a circle, two applications at once.
fn judge_properties(source: &Arc<SourceText>) -> Verdict {
    let problems = match parse_properties(source) {
        Err(error) => vec![error],
        Ok(properties) => {
            let given = |name: &str| properties.values.contains_key(name);
            let kind = if given(WORKFLOW_PATH) { DocumentKind::Workflow } else { DocumentKind::Coordinator };
            let mut problems = properties.repetitions();
            if given(COORDINATOR_PATH) || given(WORKFLOW_PATH) {
                problems.extend(application_kind(&properties).err());
            }
            problems.extend(job_configuration(kind, &properties, &[]).err());
            problems
        }
    };
    Verdict { path: source.name.clone(), kind: Some(FileKind::Properties), version: None, problems, named: true }
}

/// The kind of a document by the first start tag of its text, whether or not the text is well formed.
fn kind_by_prologue(bytes: &[u8]) -> Option<DocumentKind> {
    // Nearly every root element begins early, so the rest of the text need not even be decoded.
    [USUAL_PROLOGUE, LONGEST_PROLOGUE].into_iter().find_map(|most| kind_within(&bytes[..bytes.len().min(most)]))
}

fn kind_within(start: &[u8]) -> Option<DocumentKind> {
    let start = String::from_utf8_lossy(start);
    let mut rest = start.trim_start_matches('\u{FEFF}');
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else if rest.starts_with("<!") {
            // A document type that holds declarations ends behind their bracket.
            let close = rest.find('>')?;
            match rest.find('[').filter(|bracket| *bracket < close) {
                Some(_) => rest.find("]>").map(|at| at + 2)?,
                None => close + 1,
            }
        } else {
            break;
        };
        rest = &rest[end..];
    }
    let tag = rest.strip_prefix('<')?;
    let name = &tag[..tag.find(|character: char| character.is_whitespace() || matches!(character, '>' | '/'))?];
    let local = name.rsplit(':').next()?;
    DocumentKind::ALL.into_iter().find(|kind| kind.root() == local)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own folders")]
mod tests {
    use super::*;

    fn judge(name: &str, text: &str) -> String {
        let verdict = judge_bytes(name, text.as_bytes().to_vec(), &Settings::default());
        let kind = verdict.kind.map_or("?", FileKind::as_str);
        let problems = verdict.problems.iter().map(|problem| {
            let (line, column) = problem.location().map(Location::line_column).unwrap_or_default();
            format!("{}@{line}:{column}", problem.code())
        });
        format!("{kind} {}", problems.collect::<Vec<_>>().join(" "))
    }

    fn check(name: &str, text: &str, expect: &str) {
        assert_eq!(judge(name, text).trim_end(), expect, "{text}");
    }

    const WORKFLOW: &str = "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='a'/>\
        <action name='a' retry-max='${n}'><fs/><ok to='end'/><error to='TO'/></action><end name='end'/></workflow-app>";

    #[test]
    fn judges_by_root_element_or_name() {
        check("w.xml", &WORKFLOW.replace("TO", "end"), "workflow");
        check("w.xml", &WORKFLOW.replace("TO", "nowhere"), "workflow E0708@1:134");
        check("w.xml", &WORKFLOW.replace("'w'", "'${wf:id()}'").replace("TO", "end"), "workflow E1004@1:54");
        check("d.xml", "<datasets><dataset/></datasets>", "datasets E0701@1:12 E0701@1:12");
        check("c.xml", "<configuration><x/></configuration>", "configuration E0700@1:17");
        check("x.xml", "<project/>", "? E0701@1:2");
        check("x.xml", "", "? E0700@1:1");
        check("b.xml", "<?x?><!-- y --><!DOCTYPE b [<!ENTITY a 'b'>]><bundle-app>", "bundle E0700@1:16");
        check("j.properties", "a=1\nDAYS=2\na=3\n", "properties W0103@3:1 E0808@2:1");
        check("j.properties", "a=${b}\nb=${a}\n", "properties E0303@1:1");
        check(
            "j.properties",
            "oozie.wf.application.path=/a\noozie.coord.application.path=/b\n",
            "properties E0302@1:1",
        );
    }

    #[test]
    fn says_where_the_encoding_is_wrong() {
        let latin = b"<workflow-app>\n\xe9</workflow-app>".to_vec();
        let verdict = judge_bytes("w.xml", latin, &Settings::default());
        assert_eq!(verdict.kind, Some(FileKind::Document(DocumentKind::Workflow)));
        assert_eq!(verdict.problems[0].code(), ErrorCode::H0112);
        assert_eq!(verdict.problems[0].location().map(Location::line_column), Some((2, 1)));
    }

    #[test]
    fn a_walk_passes_over_what_is_not_oozies() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.xml", b"<configuration/>");
        write("b.xml", b"<project><unclosed>");
        write("c.xml", b"<datasets");
        write("d.xml", b"<workflow-app \xff>");
        write("e.txt", b"<workflow-app/>");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        let mut seen = Vec::new();
        let targets = vec![Target::Path(folder.path().to_owned()), Target::Path(folder.path().join("none"))];
        let mut see = |verdict: Verdict| {
            let name = verdict.path.rsplit('/').next().unwrap_or_default().to_owned();
            seen.push((name, verdict.named, verdict.is_valid()));
            Ok(ControlFlow::Continue(()))
        };
        validate(targets, &Settings::default(), &mut see).unwrap();
        let expect = [("a.xml", false, true), ("d.xml", false, false), ("none", true, false)];
        assert_eq!(seen, expect.map(|(name, named, valid)| (name.to_owned(), named, valid)));
    }
}

//! Which files' lines may be shown with a problem: those that the user named, and the definitions below their folders.
//!
//! A definition can name any file, and a link can point to any file: the contents of such a file must not appear in the
//! output.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::validate::sniff::{is_definition, kind_by_prologue};
use howdah_host::files;
use howdah_host::found::Found;
use howdah_host::metadata;
use howdah_words::error::{Error, SourceText};

/// The files whose lines may be shown. When no file is named there are none.
#[derive(Debug, Default)]
pub struct Quotable {
    /// As the user wrote them.
    named: BTreeSet<String>,
    paths: Vec<PathBuf>,
    /// The named folders and those of the named files, with every link followed; most runs never need them.
    real_folders: OnceCell<BTreeSet<PathBuf>>,
}

impl Quotable {
    /// Creates the list for a command line with these files and folders.
    pub fn named<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let named = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Self { named, paths, real_folders: OnceCell::new() }
    }

    /// Allows the problems to show the lines of those of their files that may be shown.
    pub fn allow(&self, problems: &[Error]) {
        let mut last: Option<&Arc<SourceText>> = None;
        for source in problems.iter().filter_map(|problem| Some(&problem.location()?.source)) {
            // Most problems are in the same file as the previous one.
            let is_known = last.is_some_and(|last| Arc::ptr_eq(last, source));
            if !is_known && !source.is_quotable() && self.holds(source) {
                source.allow_quoting();
            }
            last = Some(source);
        }
    }

    fn holds(&self, source: &SourceText) -> bool {
        let path = Path::new(&source.name);
        let named = self.named.contains(&source.name);
        // A file that is not a link is in the folder where the user searched for it.
        if named && matches!(metadata::of_link(path), Found::Present(metadata) if !metadata.is_symlink()) {
            return true;
        }
        let looks_right = kind_by_prologue(source.text.as_bytes()).is_some();
        let real = files::resolved(path);
        let is_below = real.is_absolute() && real.ancestors().any(|folder| self.real_folders().contains(folder));
        match (named, is_below) {
            (true, true) => true,
            // A link to another folder, or a file such as `/dev/fd/63` from a shell.
            (true, false) => looks_right,
            (false, true) => looks_right || is_definition(path),
            (false, false) => false,
        }
    }

    fn real_folders(&self) -> &BTreeSet<PathBuf> {
        self.real_folders.get_or_init(|| self.paths.iter().map(|path| files::resolved(folder(path))).collect())
    }
}

/// Returns a named folder itself, or the folder of a named file.
fn folder(path: &Path) -> &Path {
    let folder = if matches!(files::find_folder(path), Found::Present(())) { Some(path) } else { path.parent() };
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests create their own folders")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use howdah_words::error::{ErrorCode, Location, Span};

    #[test]
    fn only_named_files_and_definitions_below_their_folders_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("tree/app")).unwrap();
        for (name, text) in [
            ("tree/job.properties", "a=1"),
            ("tree/notes", "text"),
            ("tree/app/workflow.xml", "no definition"),
            ("tree/app/extra.xml", "<datasets>"),
            ("secret", "text"),
            ("other.xml", "<workflow-app>"),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        symlink(at("secret"), at("tree/link.properties")).unwrap();
        symlink(at("secret"), at("tree/coordinator.xml")).unwrap();
        symlink(at("other.xml"), at("tree/app/link.xml")).unwrap();
        let shown = |named: &[&str], name: &str| {
            let path = at(name);
            let source = SourceText::of_file(path.display().to_string(), std::fs::read_to_string(&path).unwrap());
            let problem = Error::new(ErrorCode::E0700, "x").at(Location::new(&source, Span::default()));
            Quotable::named(named.iter().map(|name| at(name))).allow(&[problem]);
            source.is_quotable()
        };
        for (named, name, expect) in [
            ("tree/job.properties", "tree/job.properties", true),
            ("tree/job.properties", "tree/app/workflow.xml", true),
            ("tree/job.properties", "tree/app/extra.xml", true),
            ("tree", "tree/app/extra.xml", true),
            ("tree/notes", "tree/notes", true),
            ("tree", "tree/notes", false),
            ("tree", "secret", false),
            ("tree", "other.xml", false),
            ("tree", "tree/coordinator.xml", false),
            ("tree", "tree/app/link.xml", false),
            ("tree/link.properties", "tree/link.properties", false),
            ("tree/coordinator.xml", "tree/coordinator.xml", false),
            ("tree/app/link.xml", "tree/app/link.xml", true),
            ("tree/app", "tree/app/../../secret", false),
        ] {
            assert_eq!(shown(&[named], name), expect, "{named}: {name}");
        }
        assert!(!shown(&[], "tree/app/workflow.xml"));
    }
}

//! Finds the files that a pattern names, step by step, up to a limit.
//!
//! The patterns are Hadoop's: `*`, `?`, `[a-z]`, `[^a]`, `{a,b}`, each within one step of the path; names that start
//! with a dot match too. A step that exists under its literal name is taken literally.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::found::is_absence;
use super::looks;

/// Why a pattern gave no list.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GlobError {
    /// More files than the limit.
    #[error("more than {0} files match")]
    TooMany(usize),
    /// The text is not a pattern.
    #[error("{0}")]
    Pattern(#[from] globset::Error),
    /// A folder of the path cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Whether the text has a character that patterns use.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// The folders in which a pattern is looked for.
pub(super) trait Folders {
    /// Whether something has this path.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// Calls `each` with the names in a folder until it answers `false`; with none for what is no folder.
    fn names(&self, folder: &Path, each: &mut dyn FnMut(OsString) -> bool) -> io::Result<()>;
}

/// The folders of this machine; links count as existing.
pub(super) struct ThisMachine;

impl Folders for ThisMachine {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        match looks::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(error) if is_absence(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn names(&self, folder: &Path, each: &mut dyn FnMut(OsString) -> bool) -> io::Result<()> {
        let entries = match looks::read_dir(folder) {
            Err(error) if is_absence(&error) => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            if !each(entry?.0.file_name()) {
                break;
            }
        }
        Ok(())
    }
}

/// The existing paths that `pattern` (absolute) names, in the order of their names.
pub(super) fn expand(pattern: &str, limit: usize, folders: &impl Folders) -> Result<Vec<PathBuf>, GlobError> {
    let mut found = vec![PathBuf::from("/")];
    for step in pattern.split('/').filter(|step| !step.is_empty()) {
        let matcher = if is_pattern(step) { Some(matcher(step)?) } else { None };
        let mut next = Vec::new();
        for folder in &found {
            extend(&mut next, (folders, folder), (step, matcher.as_ref()), limit)?;
        }
        found = next;
    }
    found.sort();
    Ok(found)
}

/// Adds the entries of a folder that match a step.
fn extend(
    next: &mut Vec<PathBuf>,
    (folders, folder): (&impl Folders, &Path),
    (step, matcher): (&str, Option<&GlobMatcher>),
    limit: usize,
) -> Result<(), GlobError> {
    let literal = folder.join(step);
    if folders.exists(&literal)? {
        next.push(literal);
    } else if let Some(matcher) = matcher {
        folders.names(folder, &mut |name| {
            if matches(matcher, &name) {
                next.push(folder.join(name));
            }
            next.len() <= limit
        })?;
    }
    if next.len() > limit { Err(GlobError::TooMany(limit)) } else { Ok(()) }
}

fn matcher(step: &str) -> Result<GlobMatcher, GlobError> {
    Ok(GlobBuilder::new(step).literal_separator(true).build()?.compile_matcher())
}

fn matches(matcher: &GlobMatcher, name: &OsStr) -> bool {
    matcher.is_match(Path::new(name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(pattern: &str, expect: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/1", "a/2", "b/1", ".hidden/1", "br[x]/1"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let base = folder.path().display().to_string();
        let found = expand(&format!("{base}/{pattern}"), 4, &ThisMachine).map(|paths| {
            paths.iter().map(|path| path.strip_prefix(&base).unwrap().display().to_string()).collect::<Vec<_>>()
        });
        match found {
            Ok(found) => assert_eq!(found, expect, "{pattern}"),
            Err(error) => assert_eq!([error.to_string().as_str()], expect, "{pattern}"),
        }
    }

    #[test]
    fn expands_within_each_step() {
        check("a", &["a"]);
        check("a/", &["a"]);
        check("none", &[]);
        check("none/*", &[]);
        check("a/1/*", &[]);
        check("*/1", &[".hidden/1", "a/1", "b/1", "br[x]/1"]);
        check("{a,b}/1", &["a/1", "b/1"]);
        check("[^a]/?", &["b/1"]);
        check("br[x]/1", &["br[x]/1"]);
        check("*/*", &["more than 4 files match"]);
    }
}

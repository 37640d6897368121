//! Finds the files to check in a folder and below it.
//!
//! Must not read them: only their names count.

use std::path::{Path, PathBuf};

use crate::check::validate::sniff::is_definition;
use howdah_host::files::{self, Entry};
use howdah_host::thread_pool;
use howdah_words::error::{Error, ErrorCode};
use howdah_xml::DocumentKind;

/// How many levels of folders are searched.
const DEEPEST_FOLDER: usize = 100;

/// A file to check.
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Whether the user named the file itself, not only a folder above it.
    pub(super) named: bool,
    /// Why the folder at this path cannot be read.
    pub(super) refused: Option<Error>,
}

impl Found {
    /// Returns whether a file of this kind is probably not one that Oozie reads.
    pub(super) fn is_other_program(&self, kind: Option<DocumentKind>) -> bool {
        !self.named && !is_definition(&self.path) && kind.is_none()
    }
}

/// A part of a folder, in the order of the names.
enum Part {
    File(Found),
    /// A folder, whose own parts are in a listing of the next level.
    Folder,
}

/// What a folder contains.
struct Listing {
    parts: Vec<Part>,
    /// The folders among the parts.
    folders: Vec<PathBuf>,
}

/// Returns the XML files of a folder and below it, in the order of their names; links to folders are not followed, so
/// the search ends.
///
/// The folders of one level are listed in parallel, whichever folders they are in: most may be in the same one.
pub(super) fn below(folder: &Path) -> Vec<Found> {
    let mut levels = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while !folders.is_empty() {
        let depth = levels.len();
        let mut listings = thread_pool::map(&folders, |folder| listing(folder, depth));
        folders = listings.iter_mut().flat_map(|listing| std::mem::take(&mut listing.folders)).collect();
        levels.push(listings.into_iter());
    }
    let mut found = Vec::new();
    add_next(&mut levels, &mut found);
    found
}

/// Adds the files of the first folder of a level that was not added yet, and of the folders in it. In each level the
/// folders have the order of this search.
fn add_next(levels: &mut [std::vec::IntoIter<Listing>], found: &mut Vec<Found>) {
    let Some((level, deeper)) = levels.split_first_mut() else { return };
    for part in level.next().into_iter().flat_map(|listing| listing.parts) {
        match part {
            Part::File(file) => found.push(file),
            Part::Folder => add_next(deeper, found),
        }
    }
}

fn listing(folder: &Path, depth: usize) -> Listing {
    let refused = |error: Error| {
        let refused = Found { path: folder.to_owned(), named: false, refused: Some(error) };
        Listing { parts: vec![Part::File(refused)], folders: Vec::new() }
    };
    let entries = match files::list_entries(folder) {
        Ok(_) if depth > DEEPEST_FOLDER => {
            let why = format!("more than {DEEPEST_FOLDER} folders inside each other");
            return refused(Error::with(ErrorCode::H0110, &[&folder.display(), &why]));
        }
        Ok(entries) => entries,
        Err(error) => return refused(error),
    };
    let mut listing = Listing { parts: Vec::new(), folders: Vec::new() };
    for (path, entry) in entries {
        match entry {
            Entry::Folder => {
                listing.parts.push(Part::Folder);
                listing.folders.push(path);
            }
            Entry::File if is_xml(&path) => {
                listing.parts.push(Part::File(Found { path, named: false, refused: None }));
            }
            Entry::File | Entry::Other => {}
        }
    }
    listing
}

fn is_xml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

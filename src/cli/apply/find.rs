//! Finds the properties files of jobs in folders.

use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::cli::session;
use howdah_engine::application_path::{BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH};
use howdah_host::files::{self, Entry};
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode};

/// The name that counts when a folder has several properties files.
const USUAL: &str = "job.properties";

/// How deep folders are searched: 8 below the one that is named.
const DEEPEST: u32 = 8;

/// A properties file of a job, with its properties.
type Described = (PathBuf, ParsedProperties);

/// Returns each properties file of a job that a path names or contains, with its properties.
///
/// # Errors
/// H0172 for a path without such a file, and for what cannot be searched: a link to a folder, and folders that are too
/// deep; H0110, H0112, H0113, E0700 for a file or a folder that cannot be read.
pub(crate) fn properties_files(root: &Path, definitions: &[String]) -> Result<Vec<Described>, Failure> {
    let mut search = Search { root, definitions, found: Vec::new() };
    match files::look(root)? {
        Some(Entry::File) => search.found.extend(search.described(root)?),
        Some(Entry::Folder) => search.search(root, 0)?,
        Some(_) => return Err(search.refuse("it is neither a folder nor a file").into()),
        None => return Err(search.refuse("there is no such file or folder").into()),
    }
    if search.found.is_empty() {
        let help = format!("a job has a properties file with {COORDINATOR_PATH} or {BUNDLE_PATH}");
        return Err(search.refuse("no job is described in it").help(help).into());
    }
    Ok(search.found)
}

/// A search for jobs. What it left out would count as gone, so it leaves nothing out in silence but hidden names.
struct Search<'a> {
    root: &'a Path,
    definitions: &'a [String],
    found: Vec<Described>,
}

impl Search<'_> {
    fn refuse(&self, why: &str) -> Error {
        Error::with(ErrorCode::H0172, &[&self.root.display(), &why])
    }

    /// Reads a properties file; `None` when it names no application.
    fn described(&self, file: &Path) -> Result<Option<Described>, Failure> {
        let properties = session::job_properties(Some(file), self.definitions)?;
        let names = [COORDINATOR_PATH, BUNDLE_PATH, WORKFLOW_PATH];
        let is_job = names.iter().any(|name| properties.values.contains_key(*name));
        Ok(is_job.then(|| (file.to_owned(), properties)))
    }

    /// Adds the jobs of a folder; of one that describes none, those of the folders in it.
    fn search(&mut self, folder: &Path, depth: u32) -> Result<(), Failure> {
        let mut entries = files::list_entries(folder)?;
        entries.retain(|(path, _)| !is_hidden(path));
        if self.add_own(&entries)? {
            return Ok(());
        }
        for (path, entry) in &entries {
            let is_link = *entry == Entry::Other && files::is_folder(path)?;
            if is_link {
                let error = self.refuse(&format!("[{}] is a link to a folder", path.display()));
                return Err(error.help("remove the link, and name the folder itself as another PATH").into());
            }
            if *entry == Entry::Folder && depth == DEEPEST {
                let why = format!("[{}] is more than {DEEPEST} folders deep", path.display());
                return Err(self.refuse(&why).help("name a folder below as another PATH").into());
            }
            if *entry == Entry::Folder {
                self.search(path, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Adds the jobs that the files of one folder describe: `job.properties` alone where it names an application.
    /// Returns whether there are any.
    fn add_own(&mut self, entries: &[(PathBuf, Entry)]) -> Result<bool, Failure> {
        let is_usual = |path: &Path| path.file_name().is_some_and(|name| name == USUAL);
        let named = entries.iter().filter(|(path, entry)| {
            *entry == Entry::File && path.extension().is_some_and(|extension| extension == "properties")
        });
        let mut files: Vec<&PathBuf> = named.map(|(path, _)| path).collect();
        files.sort_by_key(|path| !is_usual(path));
        let before = self.found.len();
        for file in files {
            let described = self.described(file)?;
            let is_enough = described.is_some() && is_usual(file);
            self.found.extend(described);
            if is_enough {
                break;
            }
        }
        Ok(self.found.len() > before)
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

//! Finds the properties files of jobs in folders.

use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::cli::session;
use crate::configuration::ParsedProperties;
use crate::engine::application_path::{BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH};
use crate::error::{Error, ErrorCode};
use crate::host::files::{self, Entry};

/// The name that counts when a folder has several properties files.
const USUAL: &str = "job.properties";

/// How deep folders are searched.
const DEEPEST: u32 = 8;

/// Returns each properties file of a job that a path names or contains, with its properties.
///
/// # Errors
/// H0172 for a path without such a file; H0110, H0112, H0113, E0700 for a file or a folder that cannot be read.
pub(crate) fn properties_files(
    root: &Path,
    definitions: &[String],
) -> Result<Vec<(PathBuf, ParsedProperties)>, Failure> {
    let mut files = Vec::new();
    let refuse = |why: &str| Error::with(ErrorCode::H0172, &[&root.display(), &why]);
    match files::look(root)? {
        Some(Entry::File) => files.push(root.to_owned()),
        Some(Entry::Folder) => search(root, 0, &mut files)?,
        Some(_) => return Err(refuse("it is neither a folder nor a file").into()),
        None => return Err(refuse("there is no such file or folder").into()),
    }
    let mut found = Vec::new();
    for file in files {
        let properties = session::job_properties(Some(&file), definitions)?;
        let names = [COORDINATOR_PATH, BUNDLE_PATH, WORKFLOW_PATH];
        if names.iter().any(|name| properties.values.contains_key(*name)) {
            found.push((file, properties));
        }
    }
    if found.is_empty() {
        let help = format!("a job has a properties file with {COORDINATOR_PATH} or {BUNDLE_PATH}");
        return Err(refuse("no job is described in it").help(help).into());
    }
    Ok(found)
}

/// Adds the properties files of a folder; of one without any, those of the folders in it.
fn search(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = files::list_entries(folder)?;
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let own: Vec<&PathBuf> = entries
        .iter()
        .filter(|(path, entry)| {
            *entry == Entry::File && !is_hidden(path) && path.extension().is_some_and(|end| end == "properties")
        })
        .map(|(path, _)| path)
        .collect();
    if let Some(usual) = own.iter().find(|path| path.file_name().is_some_and(|name| name == USUAL)) {
        found.push((*usual).clone());
        return Ok(());
    }
    if !own.is_empty() {
        found.extend(own.into_iter().cloned());
        return Ok(());
    }
    if depth < DEEPEST {
        for (path, entry) in &entries {
            if *entry == Entry::Folder && !is_hidden(path) {
                search(path, depth + 1, found)?;
            }
        }
    }
    Ok(())
}

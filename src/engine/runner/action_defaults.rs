//! What the site gives every action of a type where the workflow says nothing: the files of a folder
//! (`oozie.service.HadoopAccessorService.action.configurations`).
//!
//! In the folder of a cluster a later file counts: those of `default/`, `default.xml`, those of the folder that is
//! named as the type of the action, and the file of that name. Writes nothing.

use std::path::{Path, PathBuf};

use crate::configuration::{parse_properties, read_configuration};
use crate::engine::definition_file::LARGEST_DEFINITION;
use crate::engine::host_functions::ThisMachine;
use crate::error::{Error, ErrorCode, Result, SourceText};
use crate::host::files::{self, Entry};
use crate::model::Properties;
use crate::xml;

const FOLDERS: &str = "oozie.service.HadoopAccessorService.action.configurations";
/// What stands for every type.
const EVERY_TYPE: &str = "default";

/// The properties of the site for actions of type `kind` on a cluster; none where the site names no folder.
///
/// # Errors
/// A folder or a file that is there and cannot be read, or is no configuration.
pub(crate) fn of_type(machine: &ThisMachine<'_>, authority: &str, kind: &str) -> Result<Properties> {
    let mut properties = Properties::new();
    let Some(folder) = machine.folder_of(FOLDERS, authority) else { return Ok(properties) };
    let entries = files::list_entries(&folder)?;
    for name in [EVERY_TYPE, kind] {
        for file in files_of(&entries, name)? {
            properties.extend(read(&file)?);
        }
    }
    Ok(properties)
}

/// The files of a type, the most important last. Those of every type are configurations of Hadoop.
fn files_of(entries: &[(PathBuf, Entry)], name: &str) -> Result<Vec<PathBuf>> {
    let find = |wanted: &str| entries.iter().find(|(path, _)| path.file_name().is_some_and(|own| own == wanted));
    let mut found = Vec::new();
    let is_folder = |(path, entry): &&(PathBuf, Entry)| match entry {
        Entry::Folder => Ok(true),
        Entry::File => Ok(false),
        // A link may lead to a folder.
        Entry::Other => files::find_folder(path).known().map(|found| found.is_some()),
    };
    let own = find(name);
    let is_listed = own.as_ref().map_or(Ok(false), is_folder)?;
    if let Some((folder, _)) = own.filter(|_| is_listed) {
        let is_read = |path: &PathBuf| match path.extension().and_then(|extension| extension.to_str()) {
            Some("xml") => true,
            Some("properties") => name != EVERY_TYPE,
            _ => false,
        };
        let inside = files::list_entries(folder)?.into_iter().filter(|(_, entry)| *entry == Entry::File);
        found.extend(inside.map(|(path, _)| path).filter(is_read));
    }
    found.extend(find(&format!("{name}.xml")).map(|(path, _)| path.clone()));
    Ok(found)
}

fn read(file: &Path) -> Result<Properties> {
    let text = SourceText::of_file(file.display().to_string(), files::read_text(file, LARGEST_DEFINITION)?);
    if file.extension().is_some_and(|extension| extension == "properties") {
        return Ok(parse_properties(&text)?.values);
    }
    let document = xml::read(&text).map_err(|problems| {
        problems.into_iter().next().unwrap_or_else(|| Error::new(ErrorCode::E0700, "unreadable"))
    })?;
    Ok(read_configuration(&document.root, &text)?.values)
}

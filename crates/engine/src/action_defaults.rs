//! Reads the site's default properties for actions of a type from a folder
//! (`oozie.service.HadoopAccessorService.action.configurations`).
//!
//! In the folder of a cluster the later file wins, in this order: the files of `default/`, `default.xml`, the files of
//! the folder that has the name of the action's type, and the file of that name. Must not write anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::definition_file::LARGEST_DEFINITION;
use crate::host_functions::ThisMachine;
use crate::run_as::Worker;
use crate::settings::Settings;
use howdah_host::files::{self, Entry};
use howdah_host::located::Base;
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::{parse_properties, read_configuration};
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_xml::{self as xml, Element};

const FOLDERS: &str = "oozie.service.HadoopAccessorService.action.configurations";
/// The name for every type.
const EVERY_TYPE: &str = "default";

/// Reads the site's properties for actions of type `kind` on a cluster; none when the site sets no folder.
///
/// # Errors
/// A folder or file that exists and cannot be read, or is not a configuration.
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

/// As [`of_type`], of the type and the cluster of an action's body, with the rights of this process; `None` when they
/// cannot be read.
pub(crate) fn known(mounts: &Mounts, settings: &Settings, body: &Element) -> Option<Properties> {
    let environment = BTreeMap::new();
    let (base, reader) = (Base::this_machine(), &Worker::Own);
    let machine = ThisMachine { mounts, settings, base, environment: &environment, reader };
    of_type(&machine, &authority(body), &body.name).ok()
}

/// Returns the cluster that an action names, as `host:port`.
pub(crate) fn authority(body: &Element) -> String {
    let manager = body.child("resource-manager").or_else(|| body.child("job-tracker"));
    manager.map(|manager| manager.text().value).unwrap_or_default()
}

/// Returns the files of a type, the most important last. Those for every type are Hadoop configurations.
fn files_of(entries: &[(PathBuf, Entry)], name: &str) -> Result<Vec<PathBuf>> {
    let find = |wanted: &str| entries.iter().find(|(path, _)| path.file_name().is_some_and(|own| own == wanted));
    let mut found = Vec::new();
    let is_folder = |(path, entry): &&(PathBuf, Entry)| match entry {
        Entry::Folder => Ok(true),
        Entry::File => Ok(false),
        // A link may point to a folder.
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

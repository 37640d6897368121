//! Where the files of a workflow application are: its folder, and the job-xml files that its actions name.
//!
//! Must not depend on the content of the files.

use std::sync::Arc;

use crate::definition_file;
use howdah_host::files::Entry;
use howdah_host::located::Base;
use howdah_host::mounts::Mounts;
use howdah_words::error::{Result, SourceText};

/// Returns the application at `app_path`: its folder (the path itself, or the folder of the definition that the path
/// names), in which relative paths begin, and its store, to which the absolute ones without scheme belong.
///
/// # Errors
/// H0122 without a mount for it, E0906 for what is no path, H0110 and H0113 when nothing says what is there.
pub fn application(mounts: &Mounts, app_path: &str) -> Result<Base> {
    let path = definition_file::locate(mounts, app_path, &Base::this_machine())?;
    let folder = if path.look()? == Some(Entry::Folder) { path } else { path.folder() };
    Ok(Base::of_application(app_path, folder))
}

/// Returns the text of a job-xml file of an application.
///
/// # Errors
/// H0110 when it cannot be read, H0112 when it is not UTF-8; those of [`application`].
pub fn job_xml(mounts: &Mounts, application: &Base, path: &str) -> Result<Arc<SourceText>> {
    let file = definition_file::locate(mounts, path, application)?;
    let text = file.read_text(definition_file::LARGEST_DEFINITION)?;
    Ok(SourceText::of_file(file.place(), text))
}

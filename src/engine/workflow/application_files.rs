//! Where the files of a workflow application are: its folder, and the job-xml files that its actions name.
//!
//! Must never look into the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::source;
use crate::error::{Result, SourceText};
use crate::host::files;
use crate::host::mounts::Mounts;

/// The folder of an application: its path, or the folder of the definition that its path names.
///
/// # Errors
/// H0122 without a mount for it, E0906 for what is no path, H0110 and H0113 as [`files::look`].
pub(crate) fn folder(mounts: &Mounts, app_path: &str) -> Result<PathBuf> {
    let path = source::local_path(mounts, app_path)?;
    Ok(if files::is_folder(&path)? { path } else { path.parent().unwrap_or(Path::new("/")).to_owned() })
}

/// The text of a job-xml file; a relative path begins in the application's folder.
///
/// # Errors
/// H0110 when it cannot be read, H0112 when it is not UTF-8; those of [`folder`].
pub(crate) fn job_xml(mounts: &Mounts, application: &Path, path: &str) -> Result<Arc<SourceText>> {
    let file = if path.contains(':') || path.starts_with('/') {
        source::local_path(mounts, path)?
    } else {
        application.join(path)
    };
    let text = files::read_text(&file, source::LARGEST_DEFINITION)?;
    Ok(SourceText::new(file.display().to_string(), text))
}

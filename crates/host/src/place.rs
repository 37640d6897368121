//! Identifies the file of a database and its machine.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::environment;
use super::found::cannot_read;
use howdah_words::error::Error;
use howdah_words::model::place::FileLocation;

/// Where a machine keeps its own id.
const MACHINE_ID: &str = "/etc/machine-id";

/// The location of an existing file. H0110, H0113 when it cannot be queried.
pub fn of(file: &Path) -> Result<FileLocation, Error> {
    let path = fs::canonicalize(file).map_err(|error| cannot_read(file, &error))?;
    let metadata = fs::metadata(&path).map_err(|error| cannot_read(&path, &error))?;
    let root = fs::metadata("/").map_err(|error| cannot_read(Path::new("/"), &error))?;
    Ok(FileLocation {
        path: path.to_string_lossy().into_owned(),
        device: metadata.dev().cast_signed(),
        inode: metadata.ino().cast_signed(),
        root: root.ino().cast_signed(),
        boot: environment::boot_id().unwrap_or_default().to_owned(),
        machine: environment::machine_id(MACHINE_ID),
    })
}

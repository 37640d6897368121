//! What must not be deleted from a server, or moved away: roots, homes, what mounts and links lead to, and what the
//! site does not let howdah write. Asks no server.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Located;
use crate::file_store::{Holder, StoreAddress, StoreError};
use crate::found::may_pass;
use crate::mounts::Mounts;
use howdah_words::error::{Error, ErrorCode, Result};

/// The folder of the homes, as in Hadoop.
const HOMES: &str = "/user";

/// Refuses (H0123) what must not be deleted from a server.
pub(super) fn check_removable(place: &Located, mounts: &Mounts) -> Result<()> {
    check_path(place, mounts)?;
    check_links(place, mounts)
}

/// The same by the path alone.
fn check_path(place: &Located, mounts: &Mounts) -> Result<()> {
    let Some(address) = place.server() else { return Ok(()) };
    let path = place.path().to_string_lossy();
    let steps = path.split('/').filter(|step| !step.is_empty()).count();
    let holds = |folder: &str| Path::new(folder).starts_with(place.path());
    let of_mounts = mounts.folders_of(&address.server).any(holds);
    let why: &dyn std::fmt::Display = if path.split('/').any(|step| step == ".." || step == ".") {
        &"it goes through \"..\" or \".\""
    } else if steps == 0 {
        &"it is the root of the store"
    } else if of_mounts || holds(&address.folder) {
        &"it holds the root of the mount"
    } else if steps <= 2 && place.path().starts_with(HOMES) {
        &"it holds a home directory"
    } else if !address.may_write(&path) {
        &not_writable()
    } else {
        return Ok(());
    };
    Err(refuse(place, why))
}

/// Refuses what a mount table does not let delete: its own folders, its links, and where they lead.
fn check_links(place: &Located, mounts: &Mounts) -> Result<()> {
    let failed = |error: io::Error| not_done(place, &error);
    if place.holder().map_err(failed)? == Holder::Table {
        return Err(refuse(place, &"it is a folder of the mount table"));
    }
    let behind = place.behind().map_err(failed)?;
    if let Some(behind) = &behind {
        if behind.is_link {
            return Err(refuse(place, &"it is a link of the mount table"));
        }
        check_path(&behind.place, mounts)?;
    }
    let there = behind.as_ref().map_or(place, |behind| &behind.place);
    let Some(address) = &there.server else { return Ok(()) };
    for table in mounts.tables() {
        let held = held_by(table, address, &there.path).map_err(failed)?;
        if let Some(link) = held {
            return Err(refuse(place, &format!("it holds what the link [{}] leads to", link.name)));
        }
    }
    Ok(())
}

/// A link of a table that leads to a path of a server, or to what is below it.
fn held_by(table: &StoreAddress, server: &StoreAddress, path: &Path) -> io::Result<Option<Arc<StoreAddress>>> {
    let targets = match table.connect() {
        Ok(table) => table.targets(),
        Err(error) if may_pass(&error) => return Err(error),
        // A table that cannot be used has no links.
        Err(_) => return Ok(None),
    };
    let is_held = |link: &Arc<StoreAddress>| link.is_same_server(server) && Path::new(&link.folder).starts_with(path);
    Ok(targets.into_iter().find(is_held))
}

pub(super) fn not_done(place: &Located, error: &io::Error) -> Error {
    refuse(place, error).passing(may_pass(error))
}

pub(super) fn refuse(place: &Located, why: &dyn std::fmt::Display) -> Error {
    Error::with(ErrorCode::H0123, &[&place.uri(), why])
}

pub(super) fn not_writable() -> io::Error {
    let text = "the site does not let howdah write or delete there (howdah.writable)";
    StoreError::refused(io::ErrorKind::PermissionDenied, text)
}

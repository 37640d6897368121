//! Prepares an attempt that began and of which no file is left: it is lost. Must not depend on why the files are gone.

use std::path::Path;

use serde::Serialize;

use super::claim::{Holder, claim};
use super::order::{AttemptNames, new_head, write_order};
use crate::{files, handover};
use howdah_words::error::Error;

/// Makes the folder of an attempt that began and whose folder is gone: the attempt is lost, for this reason. Its claim
/// is written first, so that no shim can begin it. H0111, H0103.
pub fn prepare_lost<W: Serialize>(folder: &Path, names: AttemptNames<'_>, work: &W, reason: &str) -> Result<(), Error> {
    handover::take_back(folder)?;
    files::create_private_folder(folder)?;
    let head = new_head(names)?;
    claim(folder, &head, Holder::GivenUp(reason))?;
    write_order(folder, head, work)
}

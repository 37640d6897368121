//! The order of an attempt: its token, its run and its work, written before any process starts.
//!
//! Must not depend on what the work is, or on how far the attempt is.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::folder::{ORDER, read_json, write_json};
use crate::account::own_uid;
use crate::environment::{self, NO_BOOT_ID};
use crate::files::{self, Lasting};
use crate::found::{Found, Unknown};
use crate::{handover, metadata};
use howdah_words::error::{Error, ErrorCode};

/// The content of `attempt.json`: what an attempt is to do.
///
/// An attempt on this machine is bound to the boot in which it was prepared. No process of it survives a restart of the
/// machine, and after one no shim starts: the attempt is lost unless its outcome is there. So a power cut may take any
/// file of it, and neither the order nor the claim of a shim has to be on the disk before the work begins. The row of
/// the attempt has to be: it says that there is an attempt.
#[derive(Serialize, Deserialize)]
pub(super) struct Order<W> {
    // The fields of the head, and not the head with `flatten`: that would copy the whole work before it is read.
    token: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    life: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
    work: W,
}

impl<W> Order<W> {
    fn new(head: OrderHead, work: W) -> Self {
        let OrderHead { token, life, boot } = head;
        Self { token, life, boot, work }
    }

    /// What the order says of the attempt itself, and the work.
    pub(super) fn into_parts(self) -> (OrderHead, W) {
        (OrderHead { token: self.token, life: self.life, boot: self.boot }, self.work)
    }
}

/// The part of an order that the protocol itself reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OrderHead {
    pub(super) token: String,
    /// The id of the run of the job that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    life: String,
    /// The boot in which it is done; `None` when any machine may do it, or the machine has no boot ids. Then each step
    /// is on the disk before the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
}

impl OrderHead {
    /// What the files of the attempt must survive.
    pub(super) fn lasting(&self) -> Lasting {
        if self.boot.is_some() { Lasting::UntilReboot } else { Lasting::Always }
    }

    /// Whether the machine was restarted since the attempt was prepared: then it is not known whether it began.
    pub(super) fn is_of_an_earlier_boot(&self) -> Result<bool, Unknown> {
        match &self.boot {
            Some(boot) => Ok(boot != environment::boot_id()?),
            None => Ok(false),
        }
    }
}

/// A folder in which an attempt can be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFolder {
    /// The folder.
    pub folder: PathBuf,
    /// The token of an attempt of the same run that is in this folder already: it was begun and is not begun a second
    /// time.
    pub begun: Option<String>,
}

/// The folder for an attempt of the run `life` of a job: `folder`, or one beside it with a number after its name when
/// another run has left something there. H0110 when that cannot be read.
///
/// An attempt that was begun for the same run of the same job is used, and its outcome counts: the database may have
/// been put back to a state before it.
pub fn free_folder(folder: &Path, life: &str) -> Result<AttemptFolder, Error> {
    let mut place = folder.to_owned();
    for number in 2_u32.. {
        let order: Option<Result<OrderHead, String>> = read_json(&place, ORDER).known()?;
        let claimed = read_json::<IgnoredAny>(&place, "claim").known()?.is_some();
        match order {
            None if !claimed => return Ok(AttemptFolder { folder: place, begun: None }),
            Some(Ok(order)) if order.life == life => {
                return Ok(AttemptFolder { folder: place, begun: claimed.then_some(order.token) });
            }
            _ => {}
        }
        place = PathBuf::from(format!("{}.{number}", folder.display()));
    }
    unreachable!("a folder has fewer entries than there are numbers")
}

/// What identifies an attempt.
#[derive(Clone, Copy, Debug)]
pub struct AttemptNames<'a> {
    /// Unique to the attempt.
    pub token: &'a str,
    /// The run of its job to which the attempt belongs.
    pub life: &'a str,
    /// Whether its shim runs on this machine.
    pub is_here: bool,
}

/// Whether there is an order in the folder, also one that cannot be trusted. H0110, H0113.
pub fn has_order(folder: &Path) -> Result<bool, Error> {
    Ok(metadata::of_link(&folder.join(ORDER)).known()?.is_some())
}

/// Writes the order of a new attempt; creates its folder. H0111, H0103.
pub fn prepare_folder<W: Serialize>(folder: &Path, names: AttemptNames<'_>, work: &W) -> Result<(), Error> {
    handover::take_back(folder)?;
    files::create_private_folder(folder)?;
    write_order(folder, new_head(names)?, work)
}

pub(super) fn new_head(names: AttemptNames<'_>) -> Result<OrderHead, Error> {
    let boot = if names.is_here { Some(environment::boot_id()?).filter(|boot| *boot != NO_BOOT_ID) } else { None };
    Ok(OrderHead { token: names.token.to_owned(), life: names.life.to_owned(), boot: boot.map(str::to_owned) })
}

pub(super) fn write_order<W: Serialize>(folder: &Path, head: OrderHead, work: &W) -> Result<(), Error> {
    let path = folder.join(ORDER);
    // Paths in the work come from the machine and may contain bytes that are no text.
    let lasting = head.lasting();
    let order = serde_json::to_vec(&Order::new(head, work));
    let order = order.map_err(|error| Error::with(ErrorCode::H0111, &[&path.display(), &error]))?;
    files::replace(&path, &order, lasting).map_err(|error| files::cannot_write(&path, &error))
}

/// Replaces the work in the order of an attempt whose outcome is written; the rest of the order stays. A power cut
/// leaves the old order or the new one.
///
/// # Errors
/// H0110 when there is no order that this user has written, H0103, H0111.
pub fn replace_work<W: Serialize>(folder: &Path, work: &W) -> Result<(), Error> {
    write_json(&folder.join(ORDER), &Order::new(head(folder)?, work))
}

/// Whether this user has written the order of an attempt. One that root wrote for another user must stay root's: root
/// trusts no other. `false` when the machine cannot say.
pub fn is_own_order(folder: &Path) -> bool {
    matches!(metadata::of_link(&folder.join(ORDER)), Found::Present(found) if found.uid() == own_uid())
}

/// The length of an order in bytes; `None` when it cannot be read.
pub fn order_length(folder: &Path) -> Option<u64> {
    metadata::of_link(&folder.join(ORDER)).known().ok().flatten().map(|found| found.len())
}

/// The work of an attempt from its order, or why the order is missing or cannot be trusted.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub fn read_work<W: DeserializeOwned>(folder: &Path) -> Result<Result<W, Error>, Error> {
    Ok(trusted(folder, read_json::<Order<W>>(folder, ORDER).known()?).map(|order| order.into_parts().1))
}

/// What the order says of the attempt itself. H0110 when there is no order that can be trusted.
pub(super) fn head(folder: &Path) -> Result<OrderHead, Error> {
    read_order::<IgnoredAny>(folder).map(|order| order.into_parts().0)
}

fn read_order<W: DeserializeOwned>(folder: &Path) -> Result<Order<W>, Error> {
    trusted(folder, read_json(folder, ORDER).known()?)
}

/// The order that was read; H0110 when it is missing or damaged.
pub(super) fn trusted<W>(folder: &Path, order: Option<Result<Order<W>, String>>) -> Result<Order<W>, Error> {
    let why = match order {
        Some(Ok(order)) => return Ok(order),
        Some(Err(why)) => why,
        None => "there is no such attempt".to_owned(),
    };
    Err(Error::with(ErrorCode::H0110, &[&folder.join(ORDER).display(), &why]).passing(false))
}

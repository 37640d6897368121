//! A file or folder of a store, as a person is shown it. Must not depend on how it is shown.

use serde::Serialize;

use crate::engine::format;
use crate::host::file_store::Entry;
use crate::host::located::Located;
use crate::model::time::Timestamp;

pub(crate) use crate::host::file_store::Summary as Below;

/// What is at a path.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileView {
    /// The path on this machine, or the URI.
    pub(crate) place: String,
    /// The server that answered; `None` for this machine.
    pub(crate) server: Option<String>,
    /// The path in its store.
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    pub(crate) bytes: u64,
    /// The permission bits, in octal digits.
    pub(crate) mode: Option<String>,
    pub(crate) owner: String,
    pub(crate) group: String,
    /// Copies of a file; 0 where there is no such number.
    pub(crate) replication: u16,
    /// When it was last changed, in UTC.
    pub(crate) modified: Option<String>,
    /// What is below it, where a server counts that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) below: Option<Below>,
}

impl FileView {
    /// Returns the view of what is at a path.
    pub(crate) fn of(place: &Located, entry: &Entry) -> Self {
        let modified = entry.modified.map(|millis| Timestamp::from_seconds(millis.div_euclid(1000)));
        Self {
            place: place.place().into_owned(),
            server: place.answering_server(),
            path: place.path().to_string_lossy().into_owned(),
            kind: if entry.is_folder { "folder" } else { "file" },
            bytes: entry.length,
            mode: entry.mode.map(|mode| format!("{mode:03o}")),
            owner: entry.owner.clone(),
            group: entry.group.clone(),
            replication: entry.replication,
            modified: modified.map(format::time_with_seconds),
            below: None,
        }
    }
}

//! A file or folder of a store, as a person is shown it. Must not depend on how it is shown.

use serde::Serialize;

use howdah_engine::format;
use howdah_host::file_store::Entry;
use howdah_host::located::Located;
use howdah_words::model::time::Timestamp;

pub use howdah_host::file_store::Summary as Below;

/// What is at a path.
#[derive(Clone, Debug, Serialize)]
pub struct FileView {
    /// The path on this machine, or the URI.
    pub place: String,
    /// The server that answered; `None` for this machine.
    pub server: Option<String>,
    /// The path in its store.
    pub path: String,
    pub kind: &'static str,
    pub bytes: u64,
    /// The permission bits, in octal digits.
    pub mode: Option<String>,
    pub owner: String,
    pub group: String,
    /// Copies of a file; 0 where there is no such number.
    pub replication: u16,
    /// When it was last changed, in UTC.
    pub modified: Option<String>,
    /// What is below it, where a server counts that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
}

impl FileView {
    /// Returns the view of what is at a path.
    pub fn of(place: &Located, entry: &Entry) -> Self {
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

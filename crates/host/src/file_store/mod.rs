//! Stores of files that are no folder of this machine: what every one of them can be asked.
//!
//! A store answers in three ways: it is there, it is absent, or it cannot tell. The third is an error whose
//! [`Verdict`] is unknown; it never becomes one of the other two. Must not depend on what a path means for a job, or on
//! which paths may be changed: `located` decides that.

mod address;
mod agent;
mod answer;
mod checks;
mod connection;
mod hadoop_conf;
mod hdfs;
#[cfg(feature = "hdfs")]
mod hdfs_rpc;
#[cfg(feature = "object-store")]
mod objects;
#[cfg(any(feature = "hdfs", feature = "object-store"))]
mod runtime;
mod silence;
mod site_files;
mod store_path;
mod viewfs;
mod webhdfs;

use std::fmt::Debug;
use std::io::{self, Read};
use std::sync::Arc;

use serde::Serialize;

pub use address::StoreSettings;
pub(crate) use address::{DefaultSystem, StoreAddress, StoreLimits};
pub(crate) use answer::StoreError;
pub use answer::Verdict;
#[cfg(feature = "hdfs")]
pub use hdfs_rpc::try_logins;
pub use site_files::{FOLDER_VARIABLE, default_system_of, folder_of_environment};
#[cfg(test)]
pub(crate) use webhdfs::testing;

/// The start of the name under which a content is written before it gets its own. Readers of Hadoop take no file whose
/// name starts with a dot.
pub const PART: &str = ".howdah-";

/// The schemes of object stores, which a build with the feature `object-store` can ask.
pub(crate) const BUCKET_SCHEMES: [&str; 8] = ["s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasb", "wasbs"];

/// The most entries of a folder that are listed: about a hundred megabytes.
pub(crate) const MOST_ENTRIES: usize = 500_000;

/// What a store says about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The last step of the path; empty for the root.
    pub name: String,
    pub is_folder: bool,
    /// Bytes of a file; 0 for a folder.
    pub length: u64,
    /// When the content was last changed, in milliseconds of UTC; `None` where the store does not know it.
    pub modified: Option<i64>,
    /// The permission bits; `None` where the store has none.
    pub mode: Option<u32>,
    pub owner: String,
    pub group: String,
    /// How many copies of a file are kept; 0 for a folder and where the store does not say.
    pub replication: u16,
}

/// What is below a path, itself included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub bytes: u64,
    pub files: u64,
    pub folders: u64,
}

/// Which store has a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The one that was asked.
    Store,
    /// That one too: a folder of its mount table, above links.
    Table,
    /// The one to which a link of the mount table leads.
    Link {
        address: Arc<StoreAddress>,
        /// The path there.
        path: String,
        /// Whether the path is the link itself.
        is_link: bool,
    },
}

/// What becomes of a file that exists when one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the call fails with `AlreadyExists`.
    Keep,
    Replace,
}

/// A connection to a store, with the rights of one user.
///
/// Paths are absolute paths of the store, without scheme and authority; escapes such as `%20` are literal. Every call
/// ends within the limits of its [`StoreAddress`].
///
/// # Errors
/// Of every call: a [`StoreError`] in an [`io::Error`]. One that is unknown says nothing about the store: a write, a
/// rename or a deletion that fails so may have happened. What a path lacks is no such error: `NotFound` where a call
/// needs something that is not there, `AlreadyExists`, `NotADirectory`, `IsADirectory`, `PermissionDenied`.
pub trait FileStore: Send + Sync + Debug {
    /// Which store has a path. Asks no server.
    fn holder(&self, _path: &str) -> io::Result<Holder> {
        Ok(Holder::Store)
    }

    /// Where the links of a mount table lead; none in any other store. Asks no server.
    fn targets(&self) -> Vec<Arc<StoreAddress>> {
        Vec::new()
    }

    /// What is at a path; `None` when nothing is there for certain.
    fn stat(&self, path: &str) -> io::Result<Option<Entry>>;

    /// The entries of a folder by name; `None` when nothing is there for certain. `NotADirectory` for a file.
    fn list(&self, folder: &str) -> io::Result<Option<Vec<Entry>>>;

    /// As [`Self::list`], for a folder of at most `most` entries; a longer one is unknown, and little more than that is
    /// read of it.
    fn list_up_to(&self, folder: &str, most: usize) -> io::Result<Option<Vec<Entry>>> {
        let listed = self.list(folder)?;
        if listed.as_ref().is_some_and(|entries| entries.len() > most) {
            Err(too_many(folder, most))
        } else {
            Ok(listed)
        }
    }

    /// The content of a file. `NotFound`, `IsADirectory`.
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + Send>>;

    /// Writes a file and the folders above it.
    fn write(&self, path: &str, content: &mut dyn Read, existing: Existing) -> io::Result<()>;

    /// Creates a folder with those above it; one that exists stays as it is. `AlreadyExists` for a file.
    fn create_folders(&self, path: &str) -> io::Result<()>;

    /// Renames a file or a folder. Replaces nothing (`AlreadyExists`), and moves nothing into an existing folder; the
    /// folder above `to` must exist (`NotFound`).
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Deletes a file, or a folder with its content; `false` when nothing is there for certain.
    fn delete(&self, path: &str) -> io::Result<bool>;

    /// Sets the permission bits. Does nothing where the store has none.
    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()>;

    /// Sets the group. Does nothing where the store has none.
    fn set_group(&self, path: &str, group: &str) -> io::Result<()>;

    /// Sets how many copies of a file are kept. Does nothing where the store has no such number.
    fn set_replication(&self, path: &str, copies: u16) -> io::Result<()>;

    /// Sets the times of a file to now. Does nothing where they cannot be set.
    fn set_times_to_now(&self, path: &str) -> io::Result<()>;

    /// The home folder of the user, such as `/user/me`; it need not exist.
    fn home(&self) -> io::Result<String>;

    /// What is below a path; `None` when nothing is there for certain.
    fn summary(&self, path: &str) -> io::Result<Option<Summary>>;
}

/// The error of a listing that is too long: it says nothing about the other paths of the store.
fn too_many(folder: &str, most: usize) -> io::Error {
    StoreError::unclear(format!("[{folder}] has more than {most} entries, too many to list"))
}

//! Connects to stores: one connection for each store and each user, as long as the session lives.
//!
//! The user is the one whose rights the thread has, because howdah acts for a job's user with that user's rights. Must
//! not depend on what is asked.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::session::Session;
use super::super::{account, environment, user_table, variables};
#[cfg(feature = "object-store")]
use super::BUCKET_SCHEMES;
use super::address::MOUNT_TABLE;
#[cfg(feature = "hdfs")]
use super::hdfs_rpc::HdfsRpc;
#[cfg(feature = "object-store")]
use super::objects::Objects;
use super::silence::AfterSilence;
use super::site_files::FOLDER_VARIABLE;
use super::viewfs::ViewFs;
use super::webhdfs::WebHdfs;
use super::{FileStore, StoreAddress, StoreError};
use howdah_words::error::Error;

/// The connections by the process, the store, the user's name and number: two users may have one name where
/// `HADOOP_USER_NAME` counts, and yet other tickets. A forked process must not use those of its parent: both would read
/// the same answers.
type Connections = HashMap<(u32, StoreAddress, String, u32), Arc<dyn FileStore>>;

/// The connections of a session: its variables may have the keys of a store.
#[derive(Debug, Default)]
struct Known(Mutex<Connections>);

impl StoreAddress {
    /// A connection with the rights of this thread's user. Nothing is sent yet.
    ///
    /// # Errors
    /// A [`StoreError`]: refused when this program cannot ask such a store or the site files lack something, unknown
    /// when the machine cannot say who the user is.
    pub fn connect(&self) -> io::Result<Arc<dyn FileStore>> {
        let session = Session::current().kept::<Known>();
        let key = (std::process::id(), self.clone(), user()?, account::effective_uid());
        let known = || session.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = known().get(&key) {
            return Ok(Arc::clone(connection));
        }
        let connection = self.connect_as(&key.2)?;
        // Each server of a mount table is left alone for itself.
        let connection = if self.is_mount_table() {
            connection
        } else {
            Arc::new(AfterSilence::of(connection)) as Arc<dyn FileStore>
        };
        Ok(Arc::clone(known().entry(key).or_insert(connection)))
    }

    fn connect_as(&self, user: &str) -> io::Result<Arc<dyn FileStore>> {
        match self.scheme().as_str() {
            MOUNT_TABLE => Ok(Arc::new(ViewFs::new(self, user)?)),
            _ if self.server.ends_with("://") => Err(self.without_server()),
            "webhdfs" | "swebhdfs" => Ok(Arc::new(WebHdfs::new(self, user)?)),
            #[cfg(not(feature = "hdfs"))]
            "hdfs" => Ok(Arc::new(WebHdfs::new(self, user)?)),
            #[cfg(feature = "hdfs")]
            "hdfs" => Ok(Arc::new(HdfsRpc::new(self, user)?)),
            #[cfg(feature = "object-store")]
            scheme if BUCKET_SCHEMES.contains(&scheme) => Ok(Arc::new(Objects::new(self, user)?)),
            _ => Err(StoreError::refused(
                io::ErrorKind::Unsupported,
                format!(
                    "this howdah cannot ask the store [{}]: it knows webhdfs:, swebhdfs:, and hdfs: and viewfs: with \
                     its site files{}",
                    self.server,
                    if cfg!(feature = "object-store") {
                        "; s3a:, gs:, abfs: and their like"
                    } else {
                        "; with the feature object-store also s3a:, gs:, abfs: and their like"
                    }
                ),
            )),
        }
    }

    /// The refusal of a mount that leaves its server to the site files.
    fn without_server(&self) -> io::Error {
        let text = format!(
            "the mount [{}] names no server, and fs.defaultFS of the site files (howdah.store.hadoop-folder or \
             {FOLDER_VARIABLE}) is none of {}:",
            self.server,
            self.scheme()
        );
        StoreError::refused(io::ErrorKind::InvalidInput, text)
    }
}

/// The name of the user whose rights this thread has. As in Hadoop's simple authentication, `HADOOP_USER_NAME` counts
/// for the user of the process.
fn user() -> io::Result<String> {
    /// The user table says the same to each session.
    static KNOWN: Mutex<Option<HashMap<u32, String>>> = Mutex::new(None);
    let uid = account::effective_uid();
    if uid == account::own_uid() {
        return variables::get("HADOOP_USER_NAME").map_or_else(|| environment::user_name().map_err(unknown_user), Ok);
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(name) = known.get(&uid) {
        return Ok(name.clone());
    }
    let name = user_table::numbered(uid).map_err(unknown_user)?.map_or_else(|| uid.to_string(), |user| user.name);
    known.insert(uid, name.clone());
    Ok(name)
}

/// Without the user's name nothing is asked: another name would be another user.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unknown_user(error: Error) -> io::Error {
    StoreError::unknown(format!("the user's name is unknown: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::super::found::{Verdict, verdict};
    use super::super::StoreLimits;
    use super::*;

    fn address(server: &str) -> StoreAddress {
        StoreAddress {
            name: server.to_owned(),
            server: server.to_owned(),
            folder: String::new(),
            hadoop_folder: None,
            proxy_user: None,
            writable: None,
            limits: StoreLimits::default(),
        }
    }

    #[test]
    fn a_store_and_a_user_have_one_connection() {
        let (one, other) = (address("webhdfs://one"), address("webhdfs://other"));
        let first = one.connect().unwrap();
        assert!(Arc::ptr_eq(&first, &one.connect().unwrap()));
        assert!(!Arc::ptr_eq(&first, &other.connect().unwrap()));
        assert!(!Arc::ptr_eq(&first, &one.connect_as("bob").unwrap()));
    }

    #[test]
    fn a_store_that_cannot_be_asked_is_refused() {
        let by_http = if cfg!(feature = "hdfs") { None } else { Some("hdfs://nn:8020") };
        for server in ["o3fs://bucket", "nothing"].into_iter().chain(by_http) {
            let error = address(server).connect().unwrap_err();
            assert_eq!((verdict(&error), error.kind()), (Verdict::Refused, io::ErrorKind::Unsupported), "{server}");
            assert!(error.to_string().contains(server), "{error}");
        }
        for (server, expect) in [
            ("hdfs://", "the mount [hdfs://] names no server"),
            ("viewfs://c", "the links of [viewfs://c] are in core-site.xml: set howdah.store.hadoop-folder"),
        ] {
            let error = address(server).connect().unwrap_err();
            assert_eq!(verdict(&error), Verdict::Refused, "{server}");
            assert!(error.to_string().contains(expect), "{error}");
        }
    }
}

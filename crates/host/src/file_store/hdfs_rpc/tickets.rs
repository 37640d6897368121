//! Whose tickets of Kerberos ask a store.
//!
//! | who asks | tickets |
//! |---|---|
//! | the account that started howdah | those that `own_cache` finds; where it cannot, those that the library finds |
//! | another user, for whom root works | the user's own cache in `/tmp`; root's tickets never ask as that user |
//!
//! An account that asks in the name of others is refused: the actions of a user run as that user, who cannot read
//! tickets of another account. Must not depend on what is asked.

use std::io;
use std::path::Path;

use hdfs_native::{Client, ClientBuilder, HdfsError};
use serde::{Deserialize, Serialize};

use super::super::hdfs::{cannot_be_asked, first_line};
use super::super::{StoreAddress, StoreError};
use super::own_cache;
use super::ticket_cache::{self, Source};
use crate::{account, environment, variables};

/// The variables with which the client would ask in another name than this module says.
const OTHER_NAMES: [&str; 2] = ["HADOOP_PROXY_USER", "HADOOP_TOKEN_FILE_LOCATION"];

/// How a user logs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tickets {
    /// The user whose own cache in `/tmp` counts; `None` for that of the account which started howdah.
    cache_of: Option<u32>,
    /// The user's account.
    account: String,
}

impl Tickets {
    /// How `user`, whose rights this thread has, asks a store.
    ///
    /// # Errors
    /// A refusal when another account or another name should be used; unknown when the machine cannot say who the user
    /// is.
    pub(super) fn of(address: &StoreAddress, user: &str) -> io::Result<Self> {
        if let Some(name) = OTHER_NAMES.iter().find(|name| variables::is_set(name)) {
            let why = format!("with Kerberos howdah uses tickets only, and {name} is set: unset it");
            return Err(cannot_be_asked(&address.server, &why));
        }
        let uid = account::effective_uid();
        let is_of_process = uid == account::own_uid();
        // HADOOP_USER_NAME, which may be in `user`, does not count with Kerberos.
        let account = if is_of_process { environment::user_name() } else { Ok(user.to_owned()) };
        let account = account.map_err(|error| StoreError::unknown(format!("the user's name is unknown: {error}")))?;
        check_proxy(&address.server, address.proxy_user.as_deref(), &account)?;
        // A process that root has started and that has become the user has root's environment.
        let is_own = is_of_process && !account::has_changed();
        Ok(Self { cache_of: (!is_own).then_some(uid), account })
    }

    /// The user's account, whose home counts.
    pub(super) fn account(&self) -> &str {
        &self.account
    }

    /// A client that logs in with the tickets that are there now. To be called where waiting for the library harms
    /// nothing; it may ask the KDC.
    ///
    /// # Errors
    /// Unknown when there are no tickets.
    pub(super) fn client(&self, server: &str, builder: ClientBuilder) -> io::Result<Client> {
        let builder = match self.source(server)? {
            Source::Cache { principal, path } => {
                builder.with_kerberos_principal(principal).with_kerberos_cache(format!("FILE:{path}"))
            }
            Source::Library => builder,
        };
        let built = builder.build();
        built.map_err(|error| {
            self.failure(server, &error).unwrap_or_else(|| cannot_be_asked(server, &error.to_string()))
        })
    }

    /// Where the tickets are now. Asks no library and no server.
    ///
    /// # Errors
    /// Unknown when there are none.
    pub(super) fn source(&self, server: &str) -> io::Result<Source> {
        let Some(uid) = self.cache_of else {
            return own_cache::source().map_err(|error| self.not_asked(server, &error.to_string()));
        };
        let path = ticket_cache::path_of(uid);
        match ticket_cache::principal(Path::new(&path), uid) {
            Ok(principal) => Ok(Source::Cache { principal, path }),
            Err(error) => Err(self.not_asked(server, &format!("[{path}] cannot be used: {error}"))),
        }
    }

    /// What an error says about the login; `None` for an error that is about something else.
    pub(super) fn failure(&self, server: &str, told: &HdfsError) -> Option<io::Error> {
        let why = match told {
            HdfsError::GSSAPIError(_, _, text) | HdfsError::SASLError(text) => first_line(text),
            HdfsError::NoSASLMechanism => "it offers no way to log in that the client has".to_owned(),
            // The client does not say which of its operations failed; without the library it is the login.
            HdfsError::OperationFailed(text) => {
                let library = "Kerberos needs libgssapi_krb5 (Debian: libgssapi-krb5-2, Red Hat: krb5-libs)";
                return Some(StoreError::unknown(format!("{server}: {}. {library}", first_line(text))));
            }
            _ => return None,
        };
        Some(self.not_asked(server, &why))
    }

    /// The error of a login that failed: nothing is known about any path, and tickets can come back.
    pub(super) fn not_asked(&self, server: &str, why: &str) -> io::Error {
        StoreError::unknown(format!("Kerberos: {server} was not asked: {why}. {}", self.advice()))
    }

    /// Which tickets are used, and how to get new ones.
    fn advice(&self) -> String {
        if let Some(uid) = self.cache_of {
            let place = ticket_cache::path_of(uid);
            return format!(
                "The tickets of {} are looked for in [{place}]; kinit of that user gets new ones",
                self.account
            );
        }
        format!("The tickets are looked for in {}; kinit gets new ones", own_cache::shown())
    }
}

/// Refuses an account that should ask in the name of another one.
fn check_proxy(server: &str, proxy: Option<&str>, account: &str) -> io::Result<()> {
    match proxy.filter(|proxy| *proxy != account) {
        None => Ok(()),
        Some(proxy) => Err(cannot_be_asked(
            server,
            &format!(
                "with Kerberos each user asks with own tickets, and howdah.store.proxy-user names [{proxy}], not \
                 [{account}]"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::{Verdict, verdict};

    #[test]
    fn no_account_asks_in_the_name_of_another() {
        assert!(check_proxy("hdfs://nn:1", None, "ann").is_ok());
        assert!(check_proxy("hdfs://nn:1", Some("ann"), "ann").is_ok());
        let error = check_proxy("hdfs://nn:1", Some("howdah"), "ann").unwrap_err();
        assert_eq!(verdict(&error), Verdict::Refused);
        assert!(error.to_string().contains("names [howdah], not [ann]"), "{error}");
    }

    #[test]
    fn a_login_that_failed_says_what_to_do_and_nothing_about_a_path() {
        let tickets = Tickets { cache_of: Some(1001), account: "ann".to_owned() };
        for told in [HdfsError::SASLError("the reason\nand a stack".to_owned()), HdfsError::NoSASLMechanism] {
            let error = tickets.failure("hdfs://nn:1", &told).unwrap();
            assert_eq!(verdict(&error), Verdict::Unknown, "{error}");
            assert!(error.to_string().contains("hdfs://nn:1 was not asked") && error.to_string().contains("kinit"));
            assert!(!error.to_string().contains("stack"), "{error}");
        }
        let error = tickets.failure("hdfs://nn:1", &HdfsError::OperationFailed("Failed to load".to_owned())).unwrap();
        assert_eq!(verdict(&error), Verdict::Unknown, "{error}");
        assert!(error.to_string().contains("Failed to load. Kerberos needs libgssapi_krb5"), "{error}");
        assert!(tickets.failure("hdfs://nn:1", &HdfsError::FileNotFound("/x".to_owned())).is_none());
    }
}

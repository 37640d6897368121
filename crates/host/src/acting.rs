//! Acts with the rights of another user for a while.
//!
//! Root's ticks, runners and reruns touch files for the jobs of other users. A thread with the user's rights reads,
//! creates and deletes them, so that no link and no path that a user chooses reaches what the user cannot reach. The
//! real user stays root, and files that are open already stay open. A process that works for one user as long as it
//! lives (a shim, a process on another user's database) becomes that user for good: `handover`. Must not depend on what
//! is done meanwhile.

use super::account::{self, Account};
use howdah_words::error::Error;

/// Runs `work` with the rights of a user and of the user's groups; with this process's own when it already works for
/// that user. Threads that `work` starts have the same rights.
///
/// H0153 when the system refuses; then nothing was done.
pub fn act_as<T>(account: &Account, work: impl FnOnce() -> T) -> Result<T, Error> {
    if account.uid == account::effective_uid() {
        return Ok(work());
    }
    let _rights = rights::Borrowed::of(account)?;
    Ok(work())
}

/// Runs `work` with the rights of this process's own user and group, while its thread acts for another user.
///
/// H0140 when the system refuses; then nothing was done.
#[cfg(feature = "hdfs")]
pub(crate) fn act_as_self<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    if account::effective_uid() == account::own_uid() {
        return Ok(work());
    }
    let _rights = rights::Own::taken_back()?;
    Ok(work())
}

#[cfg(target_os = "linux")]
mod rights {
    //! On Linux each thread has its own rights; only the C library hides that.

    use rustix::fs::{Gid, Uid};
    use rustix::process::{getegid, geteuid, getgroups};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

    use super::{Account, account};
    use crate::user_table;
    use howdah_words::error::{Error, ErrorCode};

    /// The earlier rights of the thread, which are restored when this is dropped.
    pub(super) struct Borrowed {
        user: Uid,
        group: Gid,
        groups: Vec<Gid>,
    }

    impl Borrowed {
        pub(super) fn of(account: &Account) -> Result<Self, Error> {
            let refuse = |error: rustix::io::Errno| {
                Error::with(ErrorCode::H0153, &[&account.name, &std::io::Error::from(error)])
                    .help("howdah touches the files of a user's job with that user's rights, which takes root's own")
                    .passing(true)
            };
            let groups: Vec<Gid> = user_table::groups(account)?.into_iter().map(Gid::from_raw).collect();
            let before = (geteuid(), getegid(), getgroups().map_err(refuse)?);
            let (user, group) = (Uid::from_raw(account.uid), Gid::from_raw(account.gid));
            // Root without the right to change groups (in a user name space) could not change them back either.
            set_thread_groups(&groups).map_err(refuse)?;
            // From here on a failure restores what was changed, when `before` is dropped.
            let before = Self { user: before.0, group: before.1, groups: before.2 };
            let changed = set_thread_res_gid(None, group, None).and_then(|()| set_thread_res_uid(None, user, None));
            account::forget_effective_uid();
            changed.map_err(refuse)?;
            Ok(before)
        }
    }

    impl Drop for Borrowed {
        fn drop(&mut self) {
            // The user first: only root may change groups. A thread with too few rights fails in its next operation;
            // one with wrong groups would not fail.
            let restored = set_thread_res_uid(None, self.user, None)
                .and_then(|()| set_thread_res_gid(None, self.group, None))
                .and_then(|()| set_thread_groups(&self.groups));
            account::forget_effective_uid();
            assert!(restored.is_ok(), "a thread that borrowed a user's rights has its own back");
        }
    }

    /// The rights of a user that the thread acts for, which are restored when this is dropped. The groups stay those
    /// of that user all the time.
    #[cfg(feature = "hdfs")]
    pub(super) struct Own {
        user: Uid,
        group: Gid,
    }

    #[cfg(feature = "hdfs")]
    impl Own {
        pub(super) fn taken_back() -> Result<Self, Error> {
            let borrowed = Self { user: geteuid(), group: getegid() };
            let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
            // From here on a failure restores what was changed.
            let changed = set_thread_res_uid(None, user, None).and_then(|()| set_thread_res_gid(None, group, None));
            account::forget_effective_uid();
            changed.map_err(|error| Error::new(ErrorCode::H0140, std::io::Error::from(error)))?;
            Ok(borrowed)
        }
    }

    #[cfg(feature = "hdfs")]
    impl Drop for Own {
        fn drop(&mut self) {
            // The group first: only root may change it.
            let restored =
                set_thread_res_gid(None, self.group, None).and_then(|()| set_thread_res_uid(None, self.user, None));
            account::forget_effective_uid();
            assert!(restored.is_ok(), "a thread that acted for a user does so again");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod rights {
    //! On other systems the rights belong to the whole process, and root works for no other user.

    use super::Account;
    use crate::user_table;
    use howdah_words::error::{Error, ErrorCode};

    pub(super) struct Borrowed;

    impl Borrowed {
        pub(super) fn of(account: &Account) -> Result<Self, Error> {
            let why = "on this system root cannot work for other users";
            Err(Error::with(ErrorCode::H0153, &[&account.name, &why]).passing(true))
        }
    }

    /// No thread here has other rights than its process.
    #[cfg(feature = "hdfs")]
    pub(super) struct Own;

    #[cfg(feature = "hdfs")]
    impl Own {
        #[expect(clippy::unnecessary_wraps, reason = "on Linux the system can refuse")]
        pub(super) fn taken_back() -> Result<Self, Error> {
            Ok(Self)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::PathBuf;

    use super::*;
    use howdah_tier as tier;

    fn other_user() -> Account {
        let (name, home, shell) = ("other_user".to_owned(), PathBuf::from("/nonexistent"), "/bin/sh".to_owned());
        Account { name, uid: 4_000_000, gid: 4_000_001, home, shell }
    }

    #[test]
    fn files_are_the_users_and_secrets_stay_closed_until_the_work_is_done() {
        if !tier::root("it works for a user who does not exist") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let (secret, made) = (folder.path().join("secret"), folder.path().join("made"));
        fs::write(&secret, "root's").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
        let read = act_as(&other_user(), || {
            fs::write(&made, "").unwrap();
            assert!(account::is_root(), "the process is root's all the same");
            act_as(&other_user(), || fs::read(&secret).map_err(|error| error.kind())).unwrap()
        });
        assert_eq!(read.unwrap(), Err(std::io::ErrorKind::PermissionDenied));
        let owner = fs::metadata(&made).unwrap();
        assert_eq!((owner.uid(), owner.gid()), (4_000_000, 4_000_001));
        assert_eq!(fs::read(&secret).unwrap(), b"root's");
    }

    #[cfg(feature = "hdfs")]
    #[test]
    fn a_thread_that_acts_for_a_user_can_act_for_its_process() {
        use rustix::process::{getegid, getgroups};

        if !tier::root("it works for a user who does not exist") {
            return;
        }
        let rights = || (account::effective_uid(), getegid().as_raw(), getgroups().unwrap());
        let own = rights();
        act_as(&other_user(), || {
            let borrowed = rights();
            assert_eq!(act_as_self(|| (rights().0, rights().1)).unwrap(), (own.0, own.1));
            assert_eq!(rights(), borrowed);
        })
        .unwrap();
        assert_eq!((rights(), act_as_self(rights).unwrap()), (own.clone(), own));
    }

    #[test]
    fn a_panic_restores_the_rights_and_threads_of_the_work_have_them() {
        if !tier::root("it works for a user who does not exist") {
            return;
        }
        let ended = std::thread::spawn(|| {
            let panicked = std::panic::catch_unwind(|| act_as(&other_user(), || panic!("on purpose")));
            (panicked.is_err(), account::effective_uid())
        });
        assert_eq!(ended.join().unwrap(), (true, 0));
        let other = act_as(&other_user(), || {
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::scope(|scope| drop(scope.spawn(move || sender.send(account::effective_uid()))));
            receiver.recv().unwrap()
        });
        assert_eq!((other.unwrap(), account::effective_uid()), (4_000_000, 0));
    }
}

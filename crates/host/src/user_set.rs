//! A set of users of the machine, such as those for whom a client of a server may ask.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{environment, user_table};

/// A set of users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserSet {
    All,
    /// Each user whom the machine knows, but not root, by whatever name.
    AllButRoot,
    These(BTreeSet<String>),
}

impl Default for UserSet {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl UserSet {
    /// Returns the set of one user.
    pub fn of(user: &str) -> Self {
        Self::These(BTreeSet::from([user.to_owned()]))
    }

    /// Returns whether a user is in the set; no name means the user of this process. A user whom the machine cannot
    /// look up is none that is not root.
    pub fn has(&self, user: &str) -> bool {
        let own = if user.is_empty() { environment::user_name().ok() } else { None };
        let user = own.as_deref().unwrap_or(user);
        match self {
            Self::All => true,
            Self::AllButRoot => matches!(user_table::named(user), Ok(Some(account)) if account.uid != 0),
            Self::These(users) => users.contains(user),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_of_a_set() {
        let root = user_table::numbered(0).unwrap().expect("root").name;
        for (set, of_root, of_nobody) in [
            (UserSet::All, true, true),
            (UserSet::AllButRoot, false, true),
            (UserSet::of("nobody"), false, true),
            (UserSet::of(&root), true, false),
            (UserSet::default(), false, false),
        ] {
            assert_eq!((set.has(&root), set.has("nobody")), (of_root, of_nobody), "{set:?}");
        }
        assert!(!UserSet::AllButRoot.has("nobody-has-this-name") && !UserSet::AllButRoot.has("${x}"));
        let own = environment::user_name().unwrap();
        assert!(UserSet::of(&own).has("") && !UserSet::default().has(""));
    }
}

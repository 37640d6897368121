//! Which jobs a page of a list holds; shared by the tables of jobs.
//!
//! The grammar of `--filter` is not known here: values of one field are alternatives, fields restrict each other.

/// What a listed job must match; an empty list matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobFilter {
    pub(crate) statuses: Vec<String>,
    pub(crate) users: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) ids: Vec<String>,
}

/// A piece of a list: `len` rows after skipping `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) offset: u32,
    pub(crate) len: u32,
}

impl JobFilter {
    pub(super) fn statuses(&self) -> Option<String> {
        json_list(&self.statuses)
    }

    pub(super) fn users(&self) -> Option<String> {
        json_list(&self.users)
    }

    pub(super) fn names(&self) -> Option<String> {
        json_list(&self.names)
    }

    pub(super) fn ids(&self) -> Option<String> {
        json_list(&self.ids)
    }
}

/// The words as a JSON array for `json_each`, one parameter for any number of values; `None` for an empty list.
pub(super) fn json_list<T: AsRef<str>>(words: &[T]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    (!words.is_empty()).then(|| serde_json::Value::from(words).to_string())
}

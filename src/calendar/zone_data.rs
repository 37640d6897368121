//! Where the rules of zones come from: what is compiled in, or a source that was installed when the program began.
//!
//! Decides that a zone keeps the rules that the source first gave, so that a process does not change its mind. Must
//! never know files: a source is asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::zone_table::ZoneTable;

/// The release of the tz database that is compiled in, such as `2025b`.
pub(crate) const BUILT_IN_RELEASE: &str = chrono_tz::IANA_TZDB_VERSION;

/// What is said of the place of the data that are compiled in.
const BUILT_IN: &str = "built in";

/// What a source says of one zone.
pub(crate) enum Supply {
    /// These are its rules.
    Rules(ZoneTable),
    /// It has none; those that are compiled in count.
    Nothing,
    /// It cannot say at the moment: those that are compiled in count, and the next time it is asked again.
    NotNow,
}

/// Which data are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ZoneData {
    /// Such as `2025b`; `unknown` where nothing says it.
    pub(crate) release: String,
    /// `built in`, or a folder.
    pub(crate) place: String,
}

/// Knows the rules of zones in place of what is compiled in.
pub(crate) trait ZoneSource: Send + Sync {
    /// Which data it has; `None` while those that are compiled in count.
    fn data(&self) -> Option<ZoneData>;

    /// The rules of a zone, by its id in the tz database.
    fn rules(&self, region: &'static str) -> Supply;
}

/// What the source has answered.
type KnownRules = HashMap<&'static str, Option<Arc<ZoneTable>>>;

static SOURCE: OnceLock<Box<dyn ZoneSource>> = OnceLock::new();

/// Lets a source know better than what is compiled in. Only the first one counts.
pub(crate) fn install(source: Box<dyn ZoneSource>) {
    let _ = SOURCE.set(source);
}

/// Which data this process uses.
pub(crate) fn in_use() -> ZoneData {
    let built_in = || ZoneData { release: BUILT_IN_RELEASE.to_owned(), place: BUILT_IN.to_owned() };
    SOURCE.get().and_then(|source| source.data()).unwrap_or_else(built_in)
}

/// The rules that the installed source has for a zone; `None`: those that are compiled in count.
pub(super) fn rules(region: &'static str) -> Option<Arc<ZoneTable>> {
    static KNOWN: Mutex<Option<KnownRules>> = Mutex::new(None);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let source = SOURCE.get()?;
    if let Some(rules) = known().get_or_insert_default().get(region) {
        return rules.clone();
    }
    // Asked without the lock: a source may read settings, and whatever is in them.
    let rules = match source.rules(region) {
        Supply::Rules(table) => Some(Arc::new(table)),
        Supply::Nothing => None,
        Supply::NotNow => return None,
    };
    known().get_or_insert_default().entry(region).or_insert(rules).clone()
}

//! The source of zone rules: the compiled-in data, or a source that is installed when the program starts.
//!
//! A zone keeps the first rules that the source returned, so that they do not change within a process. Must not depend
//! on files: it queries the source.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::built_in;
use super::zone_table::ZoneTable;

pub use super::built_in::release as built_in_release;

/// The name printed for the location of the compiled-in data.
const BUILT_IN: &str = "built in";

/// The answer of a source about one zone.
pub enum Supply {
    /// These are its rules.
    Rules(ZoneTable),
    /// It has none; the compiled-in rules count.
    Nothing,
    /// It cannot answer at the moment: the compiled-in rules count, and the next call asks it again.
    NotNow,
}

/// The data in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneData {
    /// Such as `2025b`; `unknown` where nothing states it.
    pub release: String,
    /// `built in`, or a folder.
    pub place: String,
}

/// Provides the rules of zones in place of the compiled-in ones.
pub trait ZoneSource: Send + Sync {
    /// Returns the data that it has; `None` while the compiled-in data count.
    fn data(&self) -> Option<ZoneData>;

    /// Returns the rules of a zone, by its id in the tz database.
    fn rules(&self, region: &'static str) -> Supply;
}

/// The rules of zones so far.
type KnownRules = HashMap<&'static str, Arc<ZoneTable>>;

static SOURCE: OnceLock<Box<dyn ZoneSource>> = OnceLock::new();
static KNOWN: Mutex<Option<KnownRules>> = Mutex::new(None);

/// Installs a source whose rules replace the compiled-in ones. Only the first one counts.
pub fn install(source: Box<dyn ZoneSource>) {
    if SOURCE.set(source).is_ok() {
        // What was asked for before has the compiled-in rules.
        *known() = None;
    }
}

fn known() -> MutexGuard<'static, Option<KnownRules>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the data that this process uses.
pub fn in_use() -> ZoneData {
    let built_in = || ZoneData { release: built_in_release().to_owned(), place: BUILT_IN.to_owned() };
    SOURCE.get().and_then(|source| source.data()).unwrap_or_else(built_in)
}

/// Returns the rules of a zone: those of the installed source, else the compiled-in ones; `None` where there is no such
/// zone.
pub(super) fn rules(id: &str) -> Option<Arc<ZoneTable>> {
    if let Some(rules) = known().get_or_insert_default().get(id) {
        return Some(Arc::clone(rules));
    }
    let region = built_in::find(id)?;
    // Called without the lock, because a source may read settings.
    let rules = match SOURCE.get().map_or(Supply::Nothing, |source| source.rules(region)) {
        Supply::Rules(table) => table,
        Supply::Nothing => built_in::table(region)?,
        Supply::NotNow => return built_in::table(region).map(Arc::new),
    };
    Some(Arc::clone(known().get_or_insert_default().entry(region).or_insert_with(|| Arc::new(rules))))
}

//! Shadow databases: they follow an Oozie, and nothing in them starts.

use crate::error::{Error, ErrorCode, Result};
use crate::model::row::Shadow;
use crate::store::{Snapshot, Store};

/// Refuses what would start something in a shadow.
///
/// # Errors
/// H0245 when the database is one.
pub(crate) fn refuse(snapshot: &Snapshot, what: &str) -> Result<()> {
    match snapshot.shadow()? {
        None => Ok(()),
        Some(_) => Err(Error::new(ErrorCode::H0245, what)
            .help("it only follows an Oozie: name another database with --db for what shall run")),
    }
}

/// Returns what kind of shadow a database is.
///
/// # Errors
/// H0246 when it is none.
pub(crate) fn required(store: &Store) -> Result<Shadow> {
    store.read(Snapshot::shadow)?.ok_or_else(|| {
        let error = Error::with(ErrorCode::H0246, &[&store.path().display(), &"it is no shadow"]);
        error.help("`howdah shadow init --from DIR` makes a new database a shadow")
    })
}

//! Shadow databases: they follow an Oozie, and nothing in them starts.

use howdah_store::{Snapshot, Store};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::Shadow;

/// Refuses what would start something in a shadow.
///
/// # Errors
/// H0245 when the database is one.
pub fn refuse(snapshot: &Snapshot, what: &str) -> Result<()> {
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
pub fn required(store: &Store) -> Result<Shadow> {
    store.read(Snapshot::shadow)?.ok_or_else(|| {
        let error = Error::with(ErrorCode::H0246, &[&store.path().display(), &"it is no shadow"]);
        error.help("`howdah shadow init --from DIR` makes a new database a shadow")
    })
}

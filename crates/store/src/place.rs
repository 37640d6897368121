//! Table `place`: the file and the machine of the database.

use rusqlite::OptionalExtension as _;

use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params};
use howdah_words::error::Result;
use howdah_words::model::place::FileLocation;

impl Snapshot {
    /// Where the database was last used; `None` before the first time.
    pub fn place(&self) -> Result<Option<FileLocation>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT * FROM place")?;
            let place = statement.query_row([], |row| {
                Ok(FileLocation {
                    path: row.column("path")?,
                    device: row.column("device")?,
                    inode: row.column("inode")?,
                    root: row.column("root")?,
                    boot: row.column("boot")?,
                    machine: row.column("machine")?,
                })
            });
            place.optional()
        })
    }
}

impl Transaction<'_> {
    /// Records where the database is used.
    pub fn set_place(&self, place: &FileLocation) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO place (place, path, device, inode, root, boot, machine)
            VALUES (1, :path, :device, :inode, :root, :boot, :machine)";
        let FileLocation { path, device, inode, root, boot, machine } = place;
        let parameters = named_params! {
            ":path": path, ":device": device, ":inode": inode, ":root": root, ":boot": boot, ":machine": machine,
        };
        self.run(|connection| connection.prepare_cached(sql)?.execute(parameters).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::fresh;
    use super::*;

    #[test]
    fn the_place_is_the_one_noted_last() {
        let (_folder, mut store) = fresh();
        assert_eq!(store.read(Snapshot::place).unwrap(), None);
        for machine in [None, Some("m".to_owned())] {
            let place =
                FileLocation { path: "/a".to_owned(), device: -1, inode: 2, root: 3, boot: "b".to_owned(), machine };
            store.transact(|transaction| transaction.set_place(&place)).unwrap();
            assert_eq!(store.read(Snapshot::place).unwrap(), Some(place));
        }
    }
}

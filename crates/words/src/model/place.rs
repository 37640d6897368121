//! The place of a database on a machine, so that a copy of it is noticed.
//!
//! Does not read the machine: `host::place` does.

/// A file on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLocation {
    /// The path of the file, without links.
    pub path: String,
    pub device: i64,
    pub inode: i64,
    /// The inode of the folder `/`: containers on one machine have their own.
    pub root: i64,
    /// The boot id of the machine; empty while it cannot be determined.
    pub boot: String,
    /// The machine's own id; `None` if it has none.
    pub machine: Option<String>,
}

/// The difference between a place and the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// It is the same: the file, or a backup restored in its place.
    None,
    /// Another file of the same machine.
    Path,
    /// The same or another path on another machine.
    Machine,
}

impl FileLocation {
    /// Returns how this place has changed when the database is opened at `now`.
    ///
    /// A file keeps its number when it is renamed, and its path when a backup is restored in its place; a copy keeps
    /// neither. Two machines are the same if they have one boot id (containers) or one machine id (after a restart).
    pub fn to(&self, now: &Self) -> Move {
        let same_start = self.boot == now.boot && !now.boot.is_empty();
        let is_file = (self.device, self.inode) == (now.device, now.inode);
        let is_path = self.path == now.path && (self.root == now.root || !same_start);
        let other_machine = matches!((&self.machine, &now.machine), (Some(own), Some(other)) if own != other);
        match (same_start || !other_machine, is_file || is_path) {
            (true, true) => Move::None,
            (true, false) => Move::Path,
            (false, _) => Move::Machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, inode: i64, root: i64, (boot, machine): (&str, &str)) -> FileLocation {
        let machine = Some(machine.to_owned()).filter(|machine| !machine.is_empty());
        FileLocation { path: path.to_owned(), device: 1, inode, root, boot: boot.to_owned(), machine }
    }

    fn check(what: &str, now: &FileLocation, expect: Move) {
        assert_eq!(place("/a", 5, 2, ("one", "m")).to(now), expect, "{what}");
    }

    #[test]
    fn a_copy_differs_from_a_moved_or_restored_file() {
        check("nothing changed", &place("/a", 5, 2, ("one", "m")), Move::None);
        check("restarted", &place("/a", 5, 2, ("two", "m")), Move::None);
        check("a backup in its place", &place("/a", 6, 2, ("two", "m")), Move::None);
        check("renamed", &place("/b", 5, 2, ("one", "m")), Move::None);
        check("seen from a container", &place("/data/a", 5, 77, ("one", "")), Move::None);
        check("a container created again", &place("/a", 5, 77, ("one", "")), Move::None);
        check("a start that cannot be determined", &place("/a", 5, 2, ("", "m")), Move::None);
        check("a copy beside it", &place("/b", 6, 2, ("one", "m")), Move::Path);
        check("a copy in another container", &place("/a", 6, 77, ("one", "m")), Move::Path);
        check("a copy on another machine", &place("/a", 6, 2, ("two", "n")), Move::Machine);
        check("a machine that was cloned", &place("/a", 5, 2, ("two", "n")), Move::Machine);
    }
}

//! Where a database is worked on, so that a copy of it is noticed.
//!
//! Reads nothing of the machine: that is `host::place`.

/// A file on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLocation {
    /// The path of the file, without links.
    pub(crate) path: String,
    pub(crate) device: i64,
    pub(crate) inode: i64,
    /// The inode of the folder `/`: containers on one machine have their own.
    pub(crate) root: i64,
    /// The start of the machine; empty while it cannot be told.
    pub(crate) boot: String,
    /// The machine's own id; `None` where it has none.
    pub(crate) machine: Option<String>,
}

/// How a place differs from the one that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// It is the same: the file, or what was put back in its place.
    None,
    /// Another file of the same machine.
    Path,
    /// The same or another path on another machine.
    Machine,
}

impl FileLocation {
    /// What has become of this place when the database is met at `now`.
    ///
    /// A file keeps its number when it is renamed, and its path when a backup is put in its place; a copy keeps
    /// neither. Two machines are one when they were started at once (containers) or have one id (after a restart).
    pub(crate) fn to(&self, now: &Self) -> Move {
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
    fn a_copy_is_told_from_what_was_moved_or_put_back() {
        check("nothing changed", &place("/a", 5, 2, ("one", "m")), Move::None);
        check("restarted", &place("/a", 5, 2, ("two", "m")), Move::None);
        check("a backup in its place", &place("/a", 6, 2, ("two", "m")), Move::None);
        check("renamed", &place("/b", 5, 2, ("one", "m")), Move::None);
        check("seen from a container", &place("/data/a", 5, 77, ("one", "")), Move::None);
        check("a container made anew", &place("/a", 5, 77, ("one", "")), Move::None);
        check("a start that cannot be told", &place("/a", 5, 2, ("", "m")), Move::None);
        check("a copy beside it", &place("/b", 6, 2, ("one", "m")), Move::Path);
        check("a copy in another container", &place("/a", 6, 77, ("one", "m")), Move::Path);
        check("a copy on another machine", &place("/a", 6, 2, ("two", "n")), Move::Machine);
        check("a machine that was cloned", &place("/a", 5, 2, ("two", "n")), Move::Machine);
    }
}

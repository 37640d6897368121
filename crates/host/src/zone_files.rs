//! The machine's own time zone data: a folder with one compiled file for each zone.
//!
//! Reads the files; other modules decide what the bytes mean and whether they are used.

use std::path::{Path, PathBuf};

use super::fault::failing_point;
use super::files;
use super::found::Found;
use super::variables;

/// Where Unix systems keep the files.
const USUAL_FOLDER: &str = "/usr/share/zoneinfo";

/// At most this many bytes of one zone are read; the largest zone has some thousand.
const LARGEST_ZONE: u64 = 1024 * 1024;

/// At most this many bytes of the list of all rules are read; the list has a hundred thousand.
const LARGEST_LIST: u64 = 4 * 1024 * 1024;

/// The line with the release is the first of the list and is at most this long.
const LONGEST_LINE: u64 = 200;

/// The list of all rules as text.
const LIST: &str = "tzdata.zi";

/// A folder of compiled zones.
#[derive(Clone, Debug)]
pub struct ZoneFiles {
    folder: PathBuf,
}

impl ZoneFiles {
    /// The zones of this machine: in `$TZDIR`, else in the usual folder.
    pub fn of_machine() -> Self {
        Self { folder: variables::get("TZDIR").unwrap_or_else(|| USUAL_FOLDER.to_owned()).into() }
    }

    /// The folder of the zones.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The release of the zones, such as `2025b`; absent when no file names it.
    pub fn release(&self) -> Found<String> {
        let list = self.read(LIST, LONGEST_LINE).map(|start| {
            let start = String::from_utf8_lossy(&start).into_owned();
            start.strip_prefix("# version ").and_then(release_in).map(str::to_owned)
        });
        match list {
            Found::Present(Some(release)) => return Found::Present(release),
            Found::Present(None) | Found::Absent => {}
            Found::Unknown(unknown) => return Found::Unknown(unknown),
        }
        let alone = self.read("+VERSION", LONGEST_LINE);
        match alone.map(|text| release_in(&String::from_utf8_lossy(&text)).map(str::to_owned)) {
            Found::Present(Some(release)) => Found::Present(release),
            Found::Present(None) | Found::Absent => Found::Absent,
            Found::Unknown(unknown) => Found::Unknown(unknown),
        }
    }

    /// The bytes of a zone. An id without a file of its own may be another name of a zone that has one.
    pub fn zone(&self, id: &str) -> Found<Vec<u8>> {
        match self.read(id, LARGEST_ZONE) {
            Found::Absent => match self.read(LIST, LARGEST_LIST) {
                Found::Present(list) => {
                    let list = String::from_utf8_lossy(&list);
                    real_id(&list, id).map_or(Found::Absent, |real| self.read(real, LARGEST_ZONE))
                }
                Found::Absent => Found::Absent,
                Found::Unknown(unknown) => Found::Unknown(unknown),
            },
            found => found,
        }
    }

    fn read(&self, name: &str, limit: u64) -> Found<Vec<u8>> {
        let path = self.folder.join(name);
        let open = failing_point("zone-file").and_then(|()| files::open_regular(&path));
        Found::of(&path, open.and_then(|file| files::start_of(file, limit)))
    }
}

/// The release at the start of a text: a year and letters.
fn release_in(text: &str) -> Option<&str> {
    let release = text.split_ascii_whitespace().next()?;
    let (year, letters) = release.split_at_checked(4)?;
    let is_release =
        year.bytes().all(|byte| byte.is_ascii_digit()) && letters.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_release && !letters.is_empty()).then_some(release)
}

/// The zone that `id` is another name of: a line `L ZONE ID` of the list.
fn real_id<'a>(list: &'a str, id: &str) -> Option<&'a str> {
    list.lines().find_map(|line| {
        let (real, name) = line.strip_prefix("L ")?.split_once(' ')?;
        // Nothing outside the folder is read.
        let is_plain = |id: &str| !id.starts_with('/') && !id.contains("..");
        (name.trim_end() == id && is_plain(real)).then_some(real)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_a_year_and_letters() {
        for (text, expect) in [
            ("2025b\nR d 1916", Some("2025b")),
            ("2026a", Some("2026a")),
            ("2025za \n", Some("2025za")),
            ("unknown\n", None),
            ("2025\n", None),
            ("2025b-dirty\n", None),
            ("éé5b", None),
            ("", None),
        ] {
            assert_eq!(release_in(text), expect, "{text}");
        }
    }

    #[test]
    fn other_names_are_found_in_the_list() {
        let list =
            "# version 2026a\nZ Africa/Abidjan -0:16:8 - LMT 1912\nL America/Los_Angeles US/Pacific\nL ../../x Evil\n";
        assert_eq!(real_id(list, "US/Pacific"), Some("America/Los_Angeles"));
        assert_eq!(real_id(list, "Evil"), None);
        assert_eq!(real_id(list, "US/Paci"), None);
    }

    #[test]
    fn a_folder_may_say_its_release_in_two_ways_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let files = ZoneFiles { folder: folder.path().to_owned() };
        assert_eq!(files.release(), Found::Absent);
        std::fs::write(folder.path().join("+VERSION"), "2026a\n").unwrap();
        assert_eq!(files.release(), Found::Present("2026a".to_owned()));
        std::fs::write(folder.path().join(LIST), "# version 2026b\n").unwrap();
        assert_eq!(files.release(), Found::Present("2026b".to_owned()));
        std::fs::write(folder.path().join(LIST), "nothing").unwrap();
        assert_eq!(files.release(), Found::Present("2026a".to_owned()));
        assert_eq!(files.zone("Europe/Berlin"), Found::Absent);
    }
}

//! What `krb5.conf` says about the places of tickets and keys: two settings of its section `[libdefaults]`. Reads as
//! the Kerberos library does where that is simple; where it is not, nothing is known. Must not depend on what the
//! settings mean.

use std::path::{Path, PathBuf};

use crate::{files, variables};

/// The files that the library reads where `KRB5_CONFIG` names no others.
const FILES: &str = "/etc/krb5.conf";
/// The largest file, in bytes.
const LARGEST_FILE: u64 = 1 << 20;
/// How many files may include each other.
const DEEPEST_INCLUDE: usize = 8;
/// How many files are read.
const MOST_FILES: usize = 100;

/// The values of the section.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Defaults {
    /// `default_ccache_name`.
    pub(super) cache: Option<String>,
    /// `default_client_keytab_name`.
    pub(super) keytab: Option<String>,
}

impl Defaults {
    /// Those that count for this process; `None` when howdah cannot read them as the library does.
    pub(super) fn of_process() -> Option<Self> {
        let named = variables::get("KRB5_CONFIG");
        if named.is_none() && variables::is_set("KRB5_CONFIG") {
            return None;
        }
        Self::of(named.as_deref().unwrap_or(FILES))
    }

    /// Those of a list of files, separated by colons.
    fn of(list: &str) -> Option<Self> {
        let mut reading = Reading::default();
        for file in list.split(':').filter(|file| !file.is_empty()) {
            // The library leaves out a file of the list that is missing.
            if files::find(Path::new(file)).known().ok()?.is_some() {
                reading.add_file(Path::new(file), 0)?;
            }
        }
        Some(reading.found)
    }
}

/// The files that are being read. The first value of a setting counts.
#[derive(Default)]
struct Reading {
    found: Defaults,
    files: usize,
}

/// Where in a file the next line is.
#[derive(Default)]
struct Position {
    is_in_defaults: bool,
    /// How many braces are open.
    depth: usize,
}

impl Reading {
    fn add_file(&mut self, file: &Path, depth: usize) -> Option<()> {
        self.files += 1;
        if depth > DEEPEST_INCLUDE || self.files > MOST_FILES {
            return None;
        }
        let bytes = files::read_start(file, LARGEST_FILE + 1).ok()?;
        let text = String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= LARGEST_FILE)?;
        let mut position = Position::default();
        text.lines().map(str::trim).try_for_each(|line| self.add_line(line, &mut position, depth))
    }

    fn add_line(&mut self, line: &str, position: &mut Position, depth: usize) -> Option<()> {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return Some(());
        }
        match line.split_once(char::is_whitespace) {
            Some(("include", rest)) => self.add_file(Path::new(rest.trim()), depth + 1),
            Some(("includedir", rest)) => self.add_folder(Path::new(rest.trim()), depth + 1),
            // Code of others knows the settings.
            Some(("module", _)) => None,
            _ => match position.read(line)? {
                Line::Default(name, value) => self.add_value(name, value),
                Line::Other => Some(()),
            },
        }
    }

    /// The files of a folder that the library reads, in the order of their names.
    fn add_folder(&mut self, folder: &Path, depth: usize) -> Option<()> {
        let is_read = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_plain = |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '-' | '_');
            let is_conf = path.extension().is_some_and(|extension| extension == "conf");
            !name.is_empty() && (name.chars().all(is_plain) || (is_conf && !name.starts_with('.')))
        };
        files::list(folder).ok()?.iter().filter(|path| is_read(path)).try_for_each(|file| self.add_file(file, depth))
    }

    fn add_value(&mut self, name: &str, value: &str) -> Option<()> {
        let place = match name {
            "default_ccache_name" => &mut self.found.cache,
            "default_client_keytab_name" => &mut self.found.keytab,
            _ => return Some(()),
        };
        let value = unquoted(value)?;
        place.get_or_insert_with(|| value.to_owned());
        Some(())
    }
}

/// What a line says.
enum Line<'a> {
    /// A setting of `[libdefaults]`: its name and its value.
    Default(&'a str, &'a str),
    Other,
}

impl Position {
    /// Reads a line; `None` when it is not understood. A section or a setting with `*` is final: later files cannot
    /// change it.
    fn read<'a>(&mut self, line: &'a str) -> Option<Line<'a>> {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.strip_suffix(']')?;
            *self = Self { is_in_defaults: name.trim() == "libdefaults", depth: 0 };
            return Some(Line::Other);
        }
        if line == "}" {
            self.depth = self.depth.checked_sub(1)?;
            return Some(Line::Other);
        }
        let (name, value) = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()))?;
        if value == "{" {
            self.depth += 1;
            return Some(Line::Other);
        }
        if !self.is_in_defaults || self.depth > 0 {
            return Some(Line::Other);
        }
        (!name.ends_with('*')).then_some(Line::Default(name, value))
    }
}

/// A value without its quotation marks; `None` when it has escapes.
fn unquoted(value: &str) -> Option<&str> {
    match value.strip_prefix('"') {
        None => Some(value),
        Some(rest) => rest.strip_suffix('"').filter(|rest| !rest.contains(['"', '\\'])),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str) -> Option<Defaults> {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("more")).unwrap();
        for (name, cache) in [("20-kcm", "KCM:"), ("10.conf", "DIR:/ten"), (".hidden.conf", "no"), ("a.rpmsave", "no")]
        {
            fs::write(at("more").join(name), format!("[libdefaults]\ndefault_ccache_name = {cache}\n")).unwrap();
        }
        fs::write(at("module"), "module /lib/other.so:rest\n").unwrap();
        fs::write(at("loop"), format!("include {}\n", at("loop").display())).unwrap();
        fs::write(at("krb5.conf"), text.replace("HERE", folder.path().to_str().unwrap())).unwrap();
        Defaults::of(&format!("{}:{}", at("missing").display(), at("krb5.conf").display()))
    }

    fn check(text: &str, cache: Option<&str>, keytab: Option<&str>) {
        let expect = Defaults { cache: cache.map(str::to_owned), keytab: keytab.map(str::to_owned) };
        assert_eq!(read(text), Some(expect), "{text}");
    }

    #[test]
    fn settings_are_those_of_their_section() {
        check("", None, None);
        check("# none\n[realms]\n E = {\n  kdc = k\n }\n", None, None);
        check(
            "[libdefaults]\n ; text\n\tdefault_realm = E\n default_ccache_name = \"KEYRING:persistent:%{uid}\"\n \
             default_client_keytab_name=FILE:/keys\n default_ccache_name = second\n",
            Some("KEYRING:persistent:%{uid}"),
            Some("FILE:/keys"),
        );
        check(
            "[appdefaults]\n default_ccache_name = no\n[libdefaults]\n E = {\n default_ccache_name = no\n }\n",
            None,
            None,
        );
    }

    #[test]
    fn other_files_are_included() {
        check("includedir HERE/more\n[libdefaults]\ndefault_ccache_name = late\n", Some("DIR:/ten"), None);
        check("[libdefaults]\ndefault_ccache_name = first\ninclude HERE/more/20-kcm\n", Some("first"), None);
    }

    #[test]
    fn what_is_not_understood_is_unknown() {
        for text in [
            "include HERE/module",
            "include HERE/missing.conf",
            "include HERE/loop",
            "[libdefaults]*\n",
            "[libdefaults]\ndefault_ccache_name* = final\n",
            "[libdefaults]\ndefault_ccache_name = \"a\\tb\"\n",
            "no setting\n",
            "}\n",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

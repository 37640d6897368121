//! Where the tickets of the account that started howdah are, and whether there are any: what `KRB5CCNAME` names, else
//! `krb5.conf`, else the library's own default.
//!
//! It is looked at before the Kerberos library is used: some versions of that crash where a cache is missing
//! (`krb5_cccol_have_content` of MIT 1.20). What only the library can read is left to it. Reads no ticket.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::krb5_conf::Defaults;
use super::ticket_cache::{self, Source};
use crate::{account, environment, files, looks, variables};

/// The variable that names the cache.
const VARIABLE: &str = "KRB5CCNAME";
/// The folders of users in which the library looks for `client.keytab`: Debian's, MIT's, and Red Hat's.
const KEYTABS: [&str; 3] = ["/etc/krb5/user", "/var/lib/krb5/user", "/var/kerberos/krb5/user"];
/// The start of the name of a cache in a folder.
const CACHE: &str = "tkt";
/// The most entries of such a folder that are looked at.
const MOST_ENTRIES: usize = 1_000;
/// The file that names the first cache of a folder, and the longest content that it can have.
const PRIMARY: (&str, u64) = ("primary", 4_096);

/// Where tickets are.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    File(PathBuf),
    /// A folder of caches, one of which the library chooses.
    Folder(PathBuf),
    /// What only the library can read.
    Other,
}

/// The tickets of this process, for the library.
///
/// # Errors
/// Why there are none, with the name of the place.
pub(super) fn source() -> io::Result<Source> {
    let defaults = Defaults::of_process();
    let place = name(defaults.as_ref()).map_or(Place::Other, |name| Place::of(&name));
    match place.source() {
        // With a key the library gets tickets by itself.
        Err(_) if may_have_keytab(defaults.as_ref()) => Ok(Source::Library),
        source => source,
    }
}

/// The name of the place, for people.
pub(super) fn shown() -> String {
    let name = name(Defaults::of_process().as_ref());
    name.map_or_else(|| "the library's default cache".to_owned(), |name| format!("[{name}]"))
}

/// The name of the cache; `None` where only the library knows it.
fn name(defaults: Option<&Defaults>) -> Option<String> {
    if variables::is_set(VARIABLE) {
        return variables::get(VARIABLE);
    }
    match &defaults?.cache {
        Some(name) => expanded(name),
        None if cfg!(target_os = "macos") => None,
        None => Some(format!("FILE:{}", ticket_cache::path_of(account::own_uid()))),
    }
}

/// A name of `krb5.conf` with its parameters replaced; `None` when it has one that is not known here.
fn expanded(name: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), name);
    while let Some((before, after)) = rest.split_once("%{") {
        let (parameter, after) = after.split_once('}')?;
        text.push_str(before);
        match parameter {
            "uid" | "USERID" => text.push_str(&account::own_uid().to_string()),
            "euid" => text.push_str(&account::effective_uid().to_string()),
            "username" => text.push_str(&environment::user_name().ok()?),
            "TEMP" => text.push_str(&variables::get("TMPDIR").unwrap_or_else(|| "/tmp".to_owned())),
            "null" => {}
            _ => return None,
        }
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// Whether the library may have a key with which it gets tickets by itself.
fn may_have_keytab(defaults: Option<&Defaults>) -> bool {
    let is_named = defaults.is_none_or(|defaults| defaults.keytab.is_some());
    let user = account::own_uid().to_string();
    let is_there = |folder: &str| {
        let keytab = Path::new(folder).join(&user).join("client.keytab");
        !matches!(files::find(&keytab).known(), Ok(None))
    };
    variables::is_set("KRB5_CLIENT_KTNAME") || is_named || KEYTABS.iter().any(|folder| is_there(folder))
}

impl Place {
    /// What a name of a cache means: a kind and the rest; a name without a kind is a file.
    fn of(name: &str) -> Self {
        match name.split_once(':') {
            None => Self::File(name.into()),
            Some(("FILE", path)) => Self::File(path.into()),
            Some(("DIR", path)) => match path.strip_prefix(':') {
                Some(file) => Self::File(file.into()),
                None => Self::Folder(path.into()),
            },
            Some(_) => Self::Other,
        }
    }

    fn source(&self) -> io::Result<Source> {
        let (path, source) = match self {
            Self::Other => return Ok(Source::Library),
            Self::File(path) => {
                let of = |principal| Source::Cache { principal, path: path.display().to_string() };
                (path, ticket_cache::own_principal(path).map(of))
            }
            Self::Folder(path) => (path, check_folder(path).map(|()| Source::Library)),
        };
        source.map_err(|error| io::Error::new(error.kind(), format!("[{}] cannot be used: {error}", path.display())))
    }
}

/// Checks that a folder has a cache of tickets. The library looks at the one that the folder names first, then at the
/// others, and may crash at one that is none.
fn check_folder(folder: &Path) -> io::Result<()> {
    let primary = files::read_start(&folder.join(PRIMARY.0), PRIMARY.1).unwrap_or_default();
    let primary = String::from_utf8_lossy(&primary).trim().to_owned();
    let is_name = primary.starts_with(CACHE) && !primary.contains('/');
    if is_name && ticket_cache::own_principal(&folder.join(primary)).is_ok() {
        return Ok(());
    }
    let mut caches = 0;
    for entry in looks::read_dir(folder)?.take(MOST_ENTRIES) {
        let (entry, _) = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(CACHE) {
            let checked = ticket_cache::own_principal(&entry.path());
            checked.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", name.display())))?;
            caches += 1;
        }
    }
    if caches > 0 { Ok(()) } else { Err(io::Error::new(ErrorKind::NotFound, "it has no cache of tickets")) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::ticket_cache::OF_ANN;
    use super::*;

    #[test]
    fn a_name_says_where_tickets_are() {
        for (name, expect) in [
            ("/tmp/tickets", Place::File("/tmp/tickets".into())),
            ("FILE:/tmp/a:b", Place::File("/tmp/a:b".into())),
            ("DIR:/run/user", Place::Folder("/run/user".into())),
            ("DIR::/run/user/tkt1", Place::File("/run/user/tkt1".into())),
            ("KCM:", Place::Other),
            ("KEYRING:persistent:0", Place::Other),
            ("/tmp/a:b", Place::Other),
        ] {
            assert_eq!(Place::of(name), expect, "{name}");
        }
    }

    #[test]
    fn parameters_of_a_name_are_replaced() {
        let uid = account::own_uid();
        assert_eq!(expanded("FILE:/run/%{uid}/%{euid}%{null}/x").unwrap(), format!("FILE:/run/{uid}/{uid}/x"));
        assert_eq!(expanded("KCM:").unwrap(), "KCM:");
        assert!(expanded("%{LIBDIR}/x").is_none() && expanded("%{uid").is_none());
        let defaults = |cache: Option<&str>| Defaults { cache: cache.map(str::to_owned), keytab: None };
        if !variables::is_set(VARIABLE) && cfg!(target_os = "linux") {
            assert_eq!(name(Some(&defaults(None))).unwrap(), format!("FILE:/tmp/krb5cc_{uid}"));
            assert_eq!(name(Some(&defaults(Some("KCM:")))).as_deref(), Some("KCM:"));
            assert_eq!(name(None), None, "only the library can read the settings");
        }
    }

    #[test]
    fn a_file_without_tickets_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("good"), OF_ANN).unwrap();
        fs::write(at("none"), "no tickets").unwrap();
        let good = Source::Cache { principal: "ann@EXAMPLE.COM".to_owned(), path: at("good").display().to_string() };
        assert_eq!(Place::File(at("good")).source().unwrap(), good);
        for (name, expect) in [("none", "it is no cache of tickets"), ("missing", "No such file")] {
            let error = Place::File(at(name)).source().unwrap_err().to_string();
            assert!(error.contains(&format!("[{}] cannot be used", at(name).display())), "{error}");
            assert!(error.contains(expect), "{error}");
        }
        assert_eq!(Place::Other.source().unwrap(), Source::Library);
    }

    #[test]
    fn a_folder_must_have_a_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (at, place) = (|name: &str| folder.path().join(name), Place::Folder(folder.path().to_owned()));
        let refused = |expect: &str| {
            let error = place.source().unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        refused("it has no cache of tickets");
        for name in ["tktbad", "other"] {
            fs::write(at(name), "no tickets").unwrap();
        }
        fs::write(at("tktgood"), OF_ANN).unwrap();
        for primary in ["tktbad\n", "tktmissing\n", "../tktgood\n", ""] {
            fs::write(at("primary"), primary).unwrap();
            refused("tktbad: it is no cache of tickets");
        }
        fs::write(at("primary"), "tktgood\n").unwrap();
        assert_eq!(place.source().unwrap(), Source::Library);
        for name in ["primary", "tktbad"] {
            fs::remove_file(at(name)).unwrap();
        }
        assert_eq!(place.source().unwrap(), Source::Library);
        fs::remove_dir_all(folder.path()).unwrap();
        refused("No such file");
    }
}

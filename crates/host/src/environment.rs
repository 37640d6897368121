//! The user, the default folders, and the id of this boot.
//!
//! The user's name comes from the system's user table, because `$USER` can have any value. Decides no precedence
//! between settings: the caller does.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::account::{self, Account};
use super::fault::failing_point;
use super::found::{Found, Unknown, cannot_read};
use super::session::Session;
use super::{metadata, user_table, variables};
use howdah_words::error::Error;

/// Returns the kind of processor and of system for which this program was built.
pub fn machine() -> String {
    format!("{} on {}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The source of random bytes on every Unix.
const RANDOMNESS: &str = "/dev/urandom";

/// The name of the user for whom this process works: from the user table, else `$USER`, else the number.
///
/// H0110, H0113 when the user table cannot be read: another name would mean another user.
pub fn user_name() -> Result<String, Error> {
    let named = own_account()?.map(|own| own.name).or_else(|| variables::get("USER"));
    Ok(named.unwrap_or_else(|| account::own_uid().to_string()))
}

/// The entry of this process's user in the user table; `None` when there is none. H0110, H0113 when the table cannot be
/// read.
pub(super) fn own_account() -> Result<Option<Account>, Error> {
    /// The last answer, which every job and every start of a command needs, with its user: root may become another one.
    /// The user table says the same to each session.
    static KNOWN: Mutex<Option<(u32, Option<Account>)>> = Mutex::new(None);
    let uid = account::own_uid();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, account)) = known.as_ref().filter(|(of, _)| *of == uid) {
        return Ok(account.clone());
    }
    let account = user_table::numbered(uid)?;
    *known = Some((uid, account.clone()));
    Ok(account)
}

/// The user's home folder: `$HOME` when it is absolute, else from the user table. H0110, H0113 when that cannot be
/// read.
pub fn home() -> Result<Option<PathBuf>, Error> {
    match absolute("HOME") {
        Some(home) => Ok(Some(home)),
        None => Ok(user_table::numbered(account::own_uid())?.map(|own| own.home)),
    }
}

/// The user's home folder in the user table, whatever `$HOME` says: cron and systemd start programs with it. H0110,
/// H0113 when the table cannot be read.
pub fn home_in_table() -> Result<Option<PathBuf>, Error> {
    Ok(own_account()?.map(|own| own.home))
}

/// The home folders of all users in the local user table, and the user's own; errors as [`home`].
pub(crate) fn local_homes() -> Result<Vec<PathBuf>, Error> {
    Ok(user_table::local_homes()?.into_iter().chain(home()?).collect())
}

/// The number of a group by name or by number; `None` when the machine does not know the name. H0110, H0113 when it
/// cannot say.
pub fn group_id(group: &str) -> Result<Option<u32>, Error> {
    Ok(user_table::group_named(group)?.or_else(|| group.parse().ok()))
}

/// The id of the machine's time zone: from `$TZ`, else from the target of `/etc/localtime`; `None` when neither has
/// one.
pub fn local_zone() -> Option<String> {
    let named = variables::get("TZ").map(|zone| zone.trim_start_matches(':').to_owned());
    named.or_else(machine_zone)
}

/// The id of the machine's time zone, whatever `$TZ` says: from the target of `/etc/localtime`; `None` when that has
/// none.
pub(super) fn machine_zone() -> Option<String> {
    let target = fs::read_link("/etc/localtime").ok()?;
    target.to_str()?.split_once("zoneinfo/").map(|(_, zone)| zone.to_owned())
}

/// The default folder of the database: `$XDG_STATE_HOME/howdah`, else `~/.local/state/howdah`.
pub fn state_folder() -> Option<PathBuf> {
    xdg("XDG_STATE_HOME", ".local/state")
}

/// The default folder of the site file: `$XDG_CONFIG_HOME/howdah`, else `~/.config/howdah`.
pub fn config_folder() -> Option<PathBuf> {
    xdg("XDG_CONFIG_HOME", ".config")
}

/// The working directory of this process; `None` when it no longer exists.
pub fn current_folder() -> Option<PathBuf> {
    env::current_dir().ok()
}

/// The program that is running, to start it again; works after its file was replaced.
pub(crate) fn current_program() -> std::io::Result<PathBuf> {
    if let Some(program) = Session::current().program() {
        return Ok(program.to_owned());
    }
    let path = env::current_exe()?;
    // After an upgrade the target of the link ends in "(deleted)", but the link itself still starts the old program. It
    // also does so where root has started a program that another user cannot reach.
    match metadata::of(&path) {
        Found::Unknown(unknown) if !unknown.is_refused() => Ok(path),
        Found::Present(_) => Ok(path),
        Found::Absent | Found::Unknown(_) => Ok(PathBuf::from("/proc/self/exe")),
    }
}

/// The path under which other machines start this program; after an upgrade, that of the new program.
pub fn installed_program() -> std::io::Result<PathBuf> {
    if let Some(program) = Session::current().program() {
        return Ok(program.to_owned());
    }
    let path = env::current_exe()?;
    Ok(path.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map(PathBuf::from).unwrap_or(path))
}

/// The milliseconds of the current second; used only to make the ids of databases of one second differ.
pub fn milliseconds() -> u16 {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_epoch.map_or(0, |time| u16::try_from(time.subsec_millis()).unwrap_or(0))
}

/// A unique text that cannot be guessed: 128 random bits. H0110, H0113 when there are none, for example because this
/// process has too many open files.
pub fn random_token() -> Result<String, Error> {
    random_name().map_err(|error| cannot_read(Path::new(RANDOMNESS), &error))
}

/// The same with the system's own error.
pub(super) fn random_name() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    fill_randomly(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Asks the kernel; no file is needed.
#[cfg(target_os = "linux")]
fn fill_randomly(bytes: &mut [u8]) -> io::Result<()> {
    use rustix::rand::{GetRandomFlags, getrandom};

    // The kernel returns up to 256 bytes at once, all of them.
    match getrandom(&mut *bytes, GetRandomFlags::empty()) {
        Ok(filled) if filled == bytes.len() => Ok(()),
        _ => read_randomness(bytes),
    }
}

#[cfg(not(target_os = "linux"))]
fn fill_randomly(bytes: &mut [u8]) -> io::Result<()> {
    read_randomness(bytes)
}

fn read_randomness(bytes: &mut [u8]) -> io::Result<()> {
    fs::File::open(RANDOMNESS)?.read_exact(bytes)
}

/// The boot id on a machine without boot ids.
pub(crate) const NO_BOOT_ID: &str = "unknown";

/// A text that changes whenever the machine starts; all processes between two starts get the same. [`NO_BOOT_ID`] where
/// the machine has none.
///
/// # Errors
/// Fails when it cannot be read at this moment; the next call reads it again.
pub fn boot_id() -> Result<&'static str, Unknown> {
    /// It cannot change while the process lives.
    static BOOT_ID: OnceLock<String> = OnceLock::new();
    if let Some(known) = BOOT_ID.get() {
        return Ok(known);
    }
    let read = match overridden_boot_id() {
        Some(id) => id,
        None => read_boot_id().known()?.unwrap_or_else(|| NO_BOOT_ID.to_owned()),
    };
    Ok(BOOT_ID.get_or_init(|| read))
}

/// The id that a machine has given itself in `file`; `None` where there is none.
pub(super) fn machine_id(file: &str) -> Option<String> {
    #[cfg(debug_assertions)]
    if let Some(id) = variables::get("HOWDAH_TEST_MACHINE_ID") {
        return Some(id);
    }
    let id = fs::read_to_string(file).ok()?.trim().to_owned();
    // The content before the first start of an image.
    (!id.is_empty() && id != "uninitialized").then_some(id)
}

/// The name of this machine in its network.
pub fn host_name() -> String {
    #[cfg(debug_assertions)]
    if let Some(name) = variables::get("HOWDAH_TEST_HOST") {
        return name;
    }
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(debug_assertions)]
fn overridden_boot_id() -> Option<String> {
    variables::get("HOWDAH_TEST_BOOT_ID")
}

#[cfg(not(debug_assertions))]
fn overridden_boot_id() -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
fn read_boot_id() -> Found<String> {
    let path = Path::new("/proc/sys/kernel/random/boot_id");
    match Found::of(path, failing_point("boot-id").and_then(|()| fs::read_to_string(path))) {
        Found::Present(id) if id.trim().is_empty() => {
            Found::Unknown(Unknown::of(&path.display().to_string(), "it is empty"))
        }
        id => id.map(|id| id.trim().to_owned()),
    }
}

#[cfg(not(target_os = "linux"))]
fn read_boot_id() -> Found<String> {
    let asked = Path::new("sysctl kern.bootsessionuuid");
    let answer = std::process::Command::new("sysctl").args(["-n", "kern.bootsessionuuid"]).output();
    match Found::of(asked, failing_point("boot-id").and_then(|()| answer)) {
        Found::Present(output) if !output.status.success() => Found::Absent,
        output => output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()),
    }
}

fn xdg(name: &str, below_home: &str) -> Option<PathBuf> {
    let base = absolute(name).or_else(|| Some(home().ok().flatten()?.join(below_home)))?;
    Some(base.join("howdah"))
}

/// By the XDG rules a relative value is ignored.
fn absolute(name: &str) -> Option<PathBuf> {
    variables::get(name).map(PathBuf::from).filter(|path| Path::is_absolute(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_user_the_boot_and_itself() {
        assert!(!user_name().unwrap().is_empty());
        assert!(!boot_id().unwrap().is_empty());
        assert!(current_program().unwrap().exists());
        assert_eq!(group_id("4711").unwrap(), Some(4711));
        assert_eq!(group_id("no such group").unwrap(), None);
    }
}

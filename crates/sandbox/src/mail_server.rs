//! A real mail server for the tests that send mails: `aiosmtpd`, which is installed into the build folder once.
//!
//! They belong to the full tier.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::ports::free_port;
use crate::sandbox::{Sandbox, kept, wait_for};
use howdah_tier as tier;

/// A mail server with a folder for the mails; stopped when dropped.
pub struct MailServer {
    process: Child,
    pub port: u16,
}

impl MailServer {
    /// Starts it on a free port, in the full tier; elsewhere `None`, with the reason printed.
    pub fn start(sandbox: &Sandbox) -> Option<Self> {
        if !tier::full("it installs a mail server and starts it") {
            return None;
        }
        let library = library().unwrap_or_else(|why| panic!("a mail server: {why}"));
        let port = free_port();
        let process = Command::new("python3")
            .args(["-m", "aiosmtpd", "-n", "-l", &format!("127.0.0.1:{port}"), "-c", "aiosmtpd.handlers.Mailbox"])
            .arg(sandbox.path("mbox"))
            .env("PYTHONPATH", library)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 was just used");
        wait_for("the mail server", || TcpStream::connect(("127.0.0.1", port)).ok());
        Some(Self { process, port })
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder with `aiosmtpd`; the first caller installs it.
fn library() -> Result<&'static Path, String> {
    static LIBRARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    LIBRARY.get_or_init(install).as_deref().map_err(Clone::clone)
}

fn install() -> Result<PathBuf, String> {
    tier::changes_the_machine("pip");
    let folder = kept().join("aiosmtpd");
    if folder.join("aiosmtpd").is_dir() {
        return Ok(folder);
    }
    let part = folder.with_extension(format!("{}.part", std::process::id()));
    let ran = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"])
        .arg(&part)
        .arg("aiosmtpd")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("python3: {error}"))?;
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).trim().to_owned());
    }
    // All or nothing: an interrupted installation is done again.
    std::fs::rename(&part, &folder).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// The mails that a server got, sorted.
pub fn mails(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path("mbox/new")).into_iter().flatten().flatten();
    let mut mails: Vec<String> = entries.map(|entry| std::fs::read_to_string(entry.path()).expect("a mail")).collect();
    mails.sort();
    mails
}

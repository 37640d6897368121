//! A real ssh server on loopback for the tests that use another machine: this one, through `sshd` on a free port.
//!
//! The full tier installs it when root runs the tests on Debian.

use std::path::Path;
use std::process::Command;

use crate::engines::{Server, apt_for, run};
use crate::sandbox::{Sandbox, user_name};
use howdah_tier as tier;

const PROGRAM: &str = "/usr/sbin/sshd";

/// A server that accepts its own user with one key; stopped when dropped.
pub struct Sshd {
    server: Server,
}

impl Sshd {
    /// Starts it, in the full tier; elsewhere `None`, with the reason printed.
    pub fn start(sandbox: &Sandbox) -> Option<Self> {
        let is_asked_for = tier::full("it installs an ssh server and starts it");
        is_asked_for.then(|| Self::try_start(sandbox).unwrap_or_else(|why| panic!("an ssh server: {why}")))
    }

    fn try_start(sandbox: &Sandbox) -> Result<Self, String> {
        apt_for(Path::new(PROGRAM), &["openssh-server"])?;
        // Only root's server separates privileges, and only root can create the folder for it.
        let _ = std::fs::create_dir_all("/run/sshd");
        sandbox.write("remote/.folder", "");
        for key in ["host-key", "key", "other-key"] {
            let path = sandbox.write(&format!("ssh/{key}"), "");
            std::fs::remove_file(&path).expect("it was just written");
            run(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path))?;
        }
        let folder = sandbox.text("ssh");
        let settings = |port: u16| {
            format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host-key\nAuthorizedKeysFile {folder}/key.pub\n\
                 PidFile {folder}/pid\nUsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\nMaxStartups 100\n\
                 SetEnv TMPDIR={}\n",
                sandbox.text("remote")
            )
        };
        let server = Server::start(&sandbox.path("ssh/log"), |port| {
            let file = sandbox.write("ssh/settings", &settings(port));
            let mut command = Command::new(PROGRAM);
            command.args(["-D", "-e", "-f"]).arg(file);
            command
        });
        Ok(Self { server })
    }

    /// The site's line for a client that uses this server and this key of the sandbox.
    pub fn options(&self, sandbox: &Sandbox, key: &str) -> String {
        let file = sandbox.text(&format!("ssh/{key}"));
        format!(
            "howdah.ssh.options=-F none -p {} -i '{file}' -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes\n",
            self.server.port
        )
    }

    /// Returns what commands have left in the folder for temporary files on the other machine.
    pub fn left_behind(sandbox: &Sandbox) -> Vec<String> {
        let entries = std::fs::read_dir(sandbox.path("remote")).expect("it was made").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != ".folder").collect()
    }

    /// The URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("ssh://{}@127.0.0.1:{}{path}", user_name(), self.server.port)
    }
}

//! A real KDC of MIT Kerberos on loopback, with its realm, its settings and its tickets in a folder of the test:
//! nothing of the machine's own Kerberos is read or written.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use howdah_sandbox::engines::{self, Server, run};
use howdah_sandbox::ports::free_port;

pub(crate) const REALM: &str = "HOWDAH.TEST";
/// `krb5kdc` and `kdb5_util`, `kinit`, `kadmin.local`. The daemons that they install find no database and end.
const PACKAGES: [&str; 3] = ["krb5-kdc", "krb5-user", "krb5-admin-server"];

pub(crate) struct Kdc {
    folder: tempfile::TempDir,
    port: u16,
    server: Option<Server>,
}

impl Kdc {
    /// A KDC without principals.
    pub(crate) fn start() -> Self {
        engines::apt(&PACKAGES).unwrap_or_else(|why| panic!("Kerberos: {why}"));
        let folder = tempfile::tempdir().expect("the system has room for a folder");
        // Other users read the settings.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder of the test");
        let mut kdc = Self { folder, port: free_port(), server: None };
        kdc.write_settings();
        run(kdc.command("kdb5_util").args(["create", "-s", "-r", REALM, "-P", "secret"])).expect("an empty database");
        kdc.start_again();
        kdc
    }

    fn write_settings(&self) {
        let (folder, port) = (self.folder.path().display(), self.port);
        let client = format!(
            "[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n dns_lookup_realm = false\n \
             dns_canonicalize_hostname = false\n rdns = false\n[realms]\n {REALM} = {{\n  kdc = 127.0.0.1:{port}\n }}\n\
             [domain_realm]\n localhost = {REALM}\n"
        );
        let server = format!(
            "[kdcdefaults]\n kdc_listen = 127.0.0.1:{port}\n kdc_tcp_listen = 127.0.0.1:{port}\n[realms]\n \
             {REALM} = {{\n  database_name = {folder}/principal\n  key_stash_file = {folder}/stash\n  \
             acl_file = {folder}/acl\n }}\n[logging]\n kdc = FILE:{folder}/kdc.log\n \
             default = FILE:{folder}/library.log\n"
        );
        fs::write(self.settings(), client).expect("a file");
        fs::write(self.folder.path().join("kdc.conf"), server).expect("a file");
    }

    /// The settings of clients, for `KRB5_CONFIG`.
    pub(crate) fn settings(&self) -> PathBuf {
        self.folder.path().join("krb5.conf")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("KRB5_CONFIG", self.settings()).env("KRB5_KDC_PROFILE", self.folder.path().join("kdc.conf"));
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env_remove("KRB5CCNAME");
        command
    }

    /// Creates a principal of the realm; returns the file with its key.
    pub(crate) fn add(&self, principal: &str) -> PathBuf {
        let keytab = self.folder.path().join(format!("{}.keytab", principal.replace('/', "-")));
        let (add, key) =
            (format!("addprinc -randkey {principal}"), format!("ktadd -k {} {principal}", keytab.display()));
        for query in [add, key] {
            run(self.command("kadmin.local").args(["-r", REALM, "-q", &query])).expect("the database is the test's");
        }
        assert!(keytab.exists(), "{principal} has a key");
        keytab
    }

    /// Gets a ticket that is good for some seconds, into a file.
    pub(crate) fn kinit(&self, principal: &str, cache: &Path, seconds: u32) {
        let keytab = self.folder.path().join(format!("{}.keytab", principal.replace('/', "-")));
        let mut kinit = self.command("kinit");
        kinit.arg("-c").arg(cache).args(["-l", &format!("{seconds}s"), "-k", "-t"]).arg(keytab).arg(principal);
        run(&mut kinit).unwrap_or_else(|why| panic!("{principal}: {why}"));
    }

    /// Ends the KDC.
    pub(crate) fn stop(&mut self) {
        self.server = None;
    }

    /// Starts the KDC, with the principals that it had.
    pub(crate) fn start_again(&mut self) {
        let mut command = self.command("krb5kdc");
        command.arg("-n").arg("-P").arg(self.folder.path().join("kdc.pid"));
        self.server = Some(Server::start_on(self.port, &self.folder.path().join("kdc.out"), command));
    }

    /// Lets the KDC accept connections and answer nothing.
    pub(crate) fn pause(&self) {
        self.server.as_ref().expect("it runs").send(Signal::STOP);
    }

    /// Ends the pause.
    pub(crate) fn resume(&self) {
        self.server.as_ref().expect("it runs").send(Signal::CONT);
    }
}

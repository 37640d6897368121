//! A name node and a data node that ask each client for a ticket of Kerberos, and what Hadoop's own client sees there.
//!
//! Java keeps a package closed that Hadoop 2.7 uses for Kerberos.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::kdc::{Kdc, REALM};
use crate::hdfs::{DATA_NODE, NAME_NODE, allow_with, below, class_path, java, libraries, local, site, write_settings};
use crate::vendors::Vendors;
use howdah_sandbox::engines::{BRIEF_JAVA, Server, ask, run};
use howdah_sandbox::ports::free_ports;
use howdah_sandbox::sandbox::{PATIENCE, Sandbox};
use howdah_sandbox::store_application::Witness;
use howdah_sandbox::store_proxy::SHORT_LIMIT;

/// What Hadoop 2.7 needs of a Java that is newer.
const OPENED: [&str; 2] = ["--add-exports", "java.security.jgss/sun.security.krb5=ALL-UNNAMED"];
/// A day.
pub(super) const LONG_LIFE: u32 = 86_400;
/// The superuser: the servers have the same short name.
const SUPERUSER: &str = "hdfs";
/// Other principals.
const USERS: [&str; 2] = ["howdah", "ann"];

/// The servers of a realm.
pub(super) struct Secure {
    pub(super) kdc: Kdc,
    folder: tempfile::TempDir,
    class_path: OsString,
    pub(super) rpc: u16,
    _servers: [Server; 2],
    /// Files that a test wrote and that are not in the store yet.
    written: Mutex<Option<tempfile::TempDir>>,
}

impl Secure {
    /// The servers that tests share which leave the KDC alone.
    pub(super) fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Secure>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let running = match shared.upgrade() {
            Some(running) => running,
            None => Arc::new(Self::start()?),
        };
        *shared = Arc::downgrade(&running);
        Some(running)
    }

    /// Servers of one test.
    pub(super) fn start() -> Option<Self> {
        Vendors::installed()?;
        let libraries = libraries().unwrap_or_else(|why| panic!("HDFS: {why}"));
        let (kdc, folder) = (Kdc::start(), tempfile::tempdir().expect("the system has room for a folder"));
        let [rpc, web, data_web, data, ipc] = free_ports();
        let properties = properties(&kdc, folder.path(), web, ipc);
        write_settings(folder.path(), &format!("localhost:{rpc}"), [data_web, data], &properties);
        add_to_core(folder.path(), &properties);
        let class_path = class_path(folder.path(), libraries);
        let server = |class: &str| with_kerberos(&java(folder.path(), &class_path, class), &kdc);
        run(server(NAME_NODE).args(["-format", "-nonInteractive"])).expect("an empty folder is formatted");
        let name_node = Server::start_on(rpc, &folder.path().join("name-node.log"), server(NAME_NODE));
        let data_node = Server::start_on(ipc, &folder.path().join("data-node.log"), server(DATA_NODE));
        kdc.kinit(SUPERUSER, &folder.path().join(SUPERUSER), LONG_LIFE);
        let servers = [name_node, data_node];
        let secure = Self { kdc, folder, class_path, rpc, _servers: servers, written: Mutex::new(None) };
        secure.await_data_node(web);
        Some(secure)
    }

    fn await_data_node(&self, web: u16) {
        let deadline = Instant::now() + PATIENCE;
        let state = "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState";
        while !ask(web, state).contains("\"NumLiveDataNodes\" : 1") {
            let log = || fs::read_to_string(self.folder.path().join("data-node.log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "the data node is not alive:\n{}", log());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// The name of the store.
    pub(super) fn name(&self) -> String {
        format!("hdfs://localhost:{}", self.rpc)
    }

    /// Lets each howdah of a sandbox ask the store with the tickets of a cache.
    pub(super) fn allow_with_cache(&self, sandbox: &Sandbox, cache: &Path, settings: &[(&str, &str)]) {
        write_client_site(sandbox, &format!("nn/_HOST@{REALM}"));
        let folder = sandbox.text("hadoop");
        allow_with(sandbox, &self.name(), &[settings, &[("howdah.store.hadoop-folder", &folder)]].concat());
        sandbox.set("KRB5_CONFIG", &self.kdc.settings().display().to_string());
        sandbox.set("KRB5CCNAME", &cache.display().to_string());
    }

    /// Runs Hadoop's own file system shell with the superuser's tickets; it must succeed.
    pub(super) fn shell(&self, arguments: &[&str]) -> String {
        let mut shell = Command::new("java");
        shell
            .args(BRIEF_JAVA)
            .args(["--add-opens=java.base/java.lang=ALL-UNNAMED", "-Xmx256m", "-cp"])
            .arg(&self.class_path);
        shell.current_dir(self.folder.path());
        let mut shell = with_kerberos(&shell, &self.kdc);
        shell.arg("org.apache.hadoop.fs.FsShell").args(arguments).env("KRB5CCNAME", self.folder.path().join(SUPERUSER));
        run(&mut shell).unwrap_or_else(|why| panic!("{arguments:?}: {why}"))
    }

    /// Puts into the store what a test wrote.
    fn put(&self) {
        let Some(folder) = self.written.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        for entry in fs::read_dir(folder.path()).expect("a folder of the test") {
            let entry = entry.expect("a folder of the test").path().display().to_string();
            self.shell(&["-put", "-f", &entry, "/"]);
        }
        self.shell(&["-chmod", "-R", "777", "/"]);
    }

    /// Everything below a folder by its path from there, as `mode owner length` and the time.
    pub(super) fn listed(&self, folder: &str) -> BTreeMap<String, String> {
        self.put();
        let listed = self.shell(&["-ls", "-R", folder]);
        let start = format!(" {folder}/");
        let line = |line: &str| {
            let (head, path) = line.split_once(&start).expect("each line ends with a path");
            let columns: Vec<&str> = head.split_whitespace().collect();
            let end = if columns[0].starts_with('d') { "/" } else { "" };
            (format!("{path}{end}"), columns.join(" "))
        };
        listed.lines().map(line).collect()
    }
}

/// Hadoop's shell reads how to log in from this site file alone.
fn add_to_core(folder: &Path, properties: &[(String, String)]) {
    let path = folder.join("conf/core-site.xml");
    let core = fs::read_to_string(&path).expect("it was written");
    let more = site(properties.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let more = more.trim_start_matches("<configuration>");
    fs::write(path, core.replace("</configuration>", more)).expect("a file");
}

/// The site file of howdah, with the principal of the name node.
pub(super) fn write_client_site(sandbox: &Sandbox, principal: &str) {
    let properties = [("hadoop.security.authentication", "kerberos"), ("dfs.namenode.kerberos.principal", principal)];
    sandbox.write("hadoop/core-site.xml", &site(properties));
}

/// The properties of servers that want Kerberos.
fn properties(kdc: &Kdc, folder: &Path, web: u16, ipc: u16) -> Vec<(String, String)> {
    kdc.add(SUPERUSER);
    for user in USERS {
        kdc.add(user);
    }
    let mut properties = vec![("hadoop.security.authentication".to_owned(), "kerberos".to_owned())];
    for (server, name) in [("namenode", "nn"), ("datanode", "dn"), ("web.authentication", "HTTP")] {
        let keytab = kdc.add(&format!("{name}/localhost")).display().to_string();
        properties.push((format!("dfs.{server}.kerberos.principal"), format!("{name}/localhost@{REALM}")));
        let key = if server.starts_with("web") { ".kerberos.keytab" } else { ".keytab.file" };
        properties.push((format!("dfs.{server}{key}"), keytab));
    }
    let rules = "RULE:[2:$1@$0]([nd]n@.*)s/.*/hdfs/ DEFAULT";
    let others = [
        ("hadoop.security.auth_to_local", rules),
        ("dfs.namenode.name.dir", &below(folder, "name")),
        ("dfs.namenode.http-address", &local(web)),
        ("dfs.datanode.ipc.address", &local(ipc)),
        ("dfs.block.access.token.enable", "true"),
        ("dfs.webhdfs.enabled", "false"),
        // The data node listens where every user may.
        ("ignore.secure.ports.for.testing", "true"),
    ];
    properties.extend(others.map(|(name, value)| (name.to_owned(), value.to_owned())));
    properties
}

/// The same command with the settings of a realm, which Java wants before the class.
fn with_kerberos(command: &Command, kdc: &Kdc) -> Command {
    let mut with = Command::new(command.get_program());
    with.args(OPENED).arg(format!("-Djava.security.krb5.conf={}", kdc.settings().display()));
    with.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        with.current_dir(folder);
    }
    with
}

impl Witness for Secure {
    fn allow(&self, sandbox: &Sandbox, _store: &str, settings: &[(&str, &str)]) {
        let cache = sandbox.path("tickets");
        self.kdc.kinit("ann", &cache, LONG_LIFE);
        self.allow_with_cache(sandbox, &cache, &[settings, &[SHORT_LIMIT]].concat());
    }

    fn write(&self, path: &str, content: &str) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = written.get_or_insert_with(|| tempfile::tempdir().expect("the system has room for a folder"));
        let path = folder.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("below the folder")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    fn tree(&self, folder: &str) -> BTreeMap<String, String> {
        self.listed(folder)
    }
}

//! An object store for the tests: a real server of S3 that keeps its objects in a folder of this machine, where the tests
//! see them without howdah. It does not list the markers of empty folders.

mod faults;
mod file_operations;
mod pipeline;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::Signal;

use howdah_sandbox::engines::{Server, run};
use howdah_sandbox::ports::free_port;
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::store_application::Witness;
use howdah_sandbox::store_proxy::SHORT_LIMIT;
use howdah_tier as tier;

/// The keys of the server.
const KEY: &str = "AKTESTSOFHOWDAH";
const SECRET: &str = "secret-of-the-tests-7f3a";
const STORE: &str = "s3a://bucket";

/// The program of the server, built once, or why this machine cannot have it.
fn program() -> Result<&'static Path, &'static str> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PROGRAM.get_or_init(install).as_deref().map_err(String::as_str)
}

fn install() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines/s3s-fs");
    let program = root.join("bin/s3s-fs");
    if !program.is_file() {
        tier::changes_the_machine("cargo install");
        let package = ["install", "s3s-fs", "--version", "0.14.1", "--features", "binary", "--locked", "--debug"];
        run(Command::new("cargo").args(package).arg("--root").arg(root))?;
    }
    Ok(program)
}

/// A server with an empty bucket.
struct Objects {
    folder: tempfile::TempDir,
    port: u16,
    /// The port that howdah is told: the server's own, or one of a proxy.
    endpoint: u16,
    server: Option<Server>,
}

impl Objects {
    /// Starts it in the full tier; elsewhere `None`, with the reason printed.
    fn start() -> Option<Self> {
        if !tier::full("it builds and starts a server of S3") {
            return None;
        }
        let folder = tempfile::tempdir().expect("the system has room for a folder");
        fs::create_dir_all(folder.path().join("data/bucket")).expect("a folder");
        let port = free_port();
        let mut objects = Self { folder, port, endpoint: port, server: None };
        objects.start_again();
        Some(objects)
    }

    fn start_again(&mut self) {
        let mut command = Command::new(program().unwrap_or_else(|why| panic!("s3s-fs: {why}")));
        command.args(["--host", "127.0.0.1", "--port", &self.port.to_string()]);
        command.args(["--access-key", KEY, "--secret-key", SECRET]).arg(self.folder.path().join("data"));
        self.server = Some(Server::start_on(self.port, &self.folder.path().join("log"), command));
    }

    /// Ends the server.
    fn stop(&mut self) {
        self.server = None;
    }

    fn send(&self, signal: Signal) {
        self.server.as_ref().expect("it runs").send(signal);
    }

    /// The file in which the server keeps an object of the bucket, or the folder of a prefix.
    fn path(&self, key: &str) -> PathBuf {
        self.folder.path().join("data/bucket").join(key)
    }

    fn write(&self, key: &str, content: &str) {
        let path = self.path(key);
        fs::create_dir_all(path.parent().expect("below the bucket")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    /// The objects whose names start with `prefix` and a slash, by the rest of their names, with their contents.
    fn objects(&self, prefix: &str) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path(prefix)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = fs::read_to_string(&path) {
                    // What is deleted meanwhile is left out.
                    let name = path.strip_prefix(self.path(prefix)).expect("it is below").display().to_string();
                    found.insert(name, text);
                }
            }
        }
        found
    }

    /// Lets each howdah of a sandbox ask this server with these keys, and retry for longer than any fault lasts.
    fn allow(&self, sandbox: &Sandbox, mount: &str, secret: &str) {
        self.allow_with(sandbox, mount, secret, &[]);
    }

    /// As [`Self::allow`], with more settings.
    fn allow_with(&self, sandbox: &Sandbox, mount: &str, secret: &str, more: &[(&str, &str)]) {
        let site = |properties: &[(&str, &str)]| {
            let lines = properties
                .iter()
                .map(|(name, value)| format!("<property><name>{name}</name><value>{value}</value></property>"));
            format!("<configuration>{}</configuration>", lines.collect::<String>())
        };
        let endpoint = format!("http://127.0.0.1:{}", self.endpoint);
        let core = [
            ("fs.s3a.endpoint", endpoint.as_str()),
            ("fs.s3a.access.key", KEY),
            ("fs.s3a.secret.key", secret),
            ("fs.s3a.path.style.access", "true"),
        ];
        sandbox.write("hadoop/core-site.xml", &site(&core));
        let folder = sandbox.text("hadoop");
        let howdah = [
            ("howdah.mounts", mount),
            ("howdah.store.hadoop-folder", folder.as_str()),
            ("oozie.action.retries.max", "1000"),
            ("oozie.action.retry.interval", "1"),
        ];
        sandbox.write("home/.config/howdah/site.xml", &site(&[&howdah, more].concat()));
    }
}

impl Witness for Objects {
    fn allow(&self, sandbox: &Sandbox, store: &str, settings: &[(&str, &str)]) {
        self.allow_with(sandbox, store, SECRET, &[settings, &[SHORT_LIMIT]].concat());
    }

    fn write(&self, path: &str, content: &str) {
        Self::write(self, path.trim_start_matches('/'), content);
    }

    fn tree(&self, folder: &str) -> BTreeMap<String, String> {
        self.objects(folder.trim_start_matches('/'))
    }
}

/// Checks that no file of howdah holds the secret: its database and what lies beside it, its logs and folders.
fn check_secrecy(sandbox: &Sandbox) {
    let mut folders = vec![sandbox.path("")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the sandbox").flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.is_file() && !path.ends_with("hadoop/core-site.xml") && !path.ends_with("curl.conf") {
                let bytes = fs::read(&path).expect("a file of the sandbox");
                let holds = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
                assert!(!holds, "{} holds the secret", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 0 && sandbox.database_path().starts_with(sandbox.path("")), "the database was looked at");
}

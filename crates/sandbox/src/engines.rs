//! Real engines for the tests of the full tier: downloaded once into a folder below `target/`, started on loopback,
//! stopped with the test.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::ports::free_port;
use crate::sandbox::kept;
use howdah_tier as tier;

/// Hadoop, Hive and Spark for one machine: the package with this name and version contains all their classes.
const PYSPARK: &str = "pyspark==3.5.6";

/// Options of Java for programs that run for seconds: they start faster, and use half of the processor time.
pub const BRIEF_JAVA: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"];

/// The folder with the classes of Hadoop, Hive and Spark, or why this machine cannot have it.
pub fn classes() -> Result<&'static Path, &'static str> {
    static CLASSES: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    CLASSES.get_or_init(fetch).as_deref().map_err(String::as_str)
}

/// The folder of Spark: `bin/` with its programs, `jars/` with the classes.
pub fn spark() -> Result<PathBuf, &'static str> {
    classes().map(|jars| jars.parent().expect("it is in a folder").to_owned())
}

fn fetch() -> Result<PathBuf, String> {
    run(Command::new("java").arg("-version"))?;
    let engines = kept().join("engines");
    let parts = ["bin", "jars"].map(|part| engines.join(part));
    if !parts.iter().all(|part| part.is_dir()) {
        unpack(PYSPARK, &["*/deps/jars/*", "*/deps/bin/*"], &engines, &parts)?;
    }
    let [_, jars] = parts;
    Ok(jars)
}

/// Downloads the source archive of a Python package and moves folders of it to `parts`.
pub fn unpack(package: &str, patterns: &[&str], engines: &Path, parts: &[PathBuf]) -> Result<(), String> {
    tier::changes_the_machine("pip");
    // Built in another folder and renamed, so that an interrupted download leaves nothing that looks complete.
    let work = engines.join(format!("work-{package}-{}", std::process::id()));
    fs::create_dir_all(&work).map_err(|error| error.to_string())?;
    // Packages that older versions need to be inspected before they are downloaded.
    fs::write(work.join("constraints"), "pypandoc==1.7.5\nsetuptools<70\n").map_err(|error| error.to_string())?;
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", "."];
    let mut pip = Command::new("python3");
    run(pip.args(download).arg(package).env("PIP_CONSTRAINT", "constraints").current_dir(&work))?;
    let archive = format!("{}.tar.gz", package.replace("==", "-"));
    let unpack = ["--strip-components=2", "--wildcards"];
    run(Command::new("tar").arg("xzf").arg(archive).args(unpack).args(patterns).current_dir(&work))?;
    for part in parts {
        let name = part.file_name().expect("a folder's name");
        // Another run may have been faster.
        match fs::rename(work.join(name), part) {
            Err(error) if !part.is_dir() => return Err(error.to_string()),
            _ => {}
        }
    }
    fs::remove_dir_all(&work).map_err(|error| error.to_string())
}

/// Installs packages of Debian in the full tier; returns why it cannot. Fast when they are installed. One caller at a
/// time on this machine: what another caller installs at the moment is there, but not ready.
pub fn apt(packages: &[&str]) -> Result<(), String> {
    let path = kept().join("apt.lock");
    let lock = fs::File::create(path).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    if run(Command::new("dpkg").arg("-s").args(packages)).is_ok() {
        return Ok(());
    }
    if !tier::is_full() {
        return Err(format!("{} is not installed, and only the full tier installs packages", packages.join(" ")));
    }
    if run(Command::new("id").arg("-u"))?.trim() != "0" {
        return Err(format!("only root can install {}", packages.join(" ")));
    }
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        run(command.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-y"]).args(arguments))
    };
    let install = [&["install", "--no-install-recommends"], packages].concat();
    // The lists may be missing or too old for the present mirror.
    apt(&install).or_else(|_| apt(&["update"]).and_then(|_| apt(&install))).map(drop)
}

/// The same for packages with a program that a machine may have without them.
pub fn apt_for(program: &Path, packages: &[&str]) -> Result<(), String> {
    let installed = apt(packages);
    if program.exists() { Ok(()) } else { installed }
}

/// Runs a command to its end; returns its error output when it fails.
pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let last: Vec<&str> = errors.lines().rev().take(3).collect();
    Err(format!("{}: {}", command.get_program().display(), last.join(" | ")))
}

/// Returns the response of a server on loopback to a request, with its head; empty when it does not respond yet.
pub fn ask(port: u16, path: &str) -> String {
    let mut answer = Vec::new();
    if let Ok(mut server) = std::net::TcpStream::connect(("127.0.0.1", port)) {
        let asked = write!(server, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
        // What cannot be read has not arrived yet.
        let _ = asked.and_then(|()| server.read_to_end(&mut answer));
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// A server of the test, killed with it.
pub struct Server {
    process: Child,
    pub port: u16,
}

impl Server {
    /// Starts a server on a free port of loopback and waits until it accepts connections.
    pub fn start(log: &Path, command: impl FnOnce(u16) -> Command) -> Self {
        let port = free_port();
        Self::start_on(port, log, command(port))
    }

    /// Starts a server that listens on this port, and waits until it accepts connections.
    pub fn start_on(port: u16, log: &Path, mut command: Command) -> Self {
        let output = fs::File::create(log).expect("a file of the sandbox");
        let errors = output.try_clone().expect("a second handle");
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let mut server = Self { process: command.spawn().expect("the program was there before"), port };
        let deadline = Instant::now() + tier::PATIENCE;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.process.try_wait().expect("a child");
            assert!(
                ended.is_none() && Instant::now() < deadline,
                "the server did not start ({ended:?}):\n{}",
                fs::read_to_string(log).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    /// Sends a signal to the server.
    pub fn send(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.process), signal).expect("it runs");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

//! The environment of one test: an empty folder, a database, a cleared environment, and nothing left afterwards.
//!
//! Every process that howdah starts inherits the variable `SANDBOX`, by which it is found: a test that succeeds must
//! leave none, and one that fails kills them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::database::Database;
use crate::here;
use crate::terminal::Terminal;

/// The longest any condition is waited for.
pub use howdah_tier::PATIENCE;

/// The longest a process is taken to load its program.
const LONGEST_LOADING: Duration = Duration::from_secs(5);
/// The pause between two checks of a condition.
const PAUSE: Duration = Duration::from_millis(5);

/// The program under test: cargo builds it beside the programs of the tests.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let own = std::env::current_exe().expect("a running test");
        let folder = own.parent().and_then(Path::parent).expect("cargo's folder");
        folder.join("howdah").to_str().expect("a path that is text").to_owned()
    })
}

/// The folder in which cargo's tests keep what they make for later runs.
pub fn kept() -> PathBuf {
    let profile = Path::new(program()).parent().and_then(Path::parent).expect("cargo's folder");
    let folder = profile.join("tmp");
    fs::create_dir_all(&folder).expect("a folder of cargo");
    folder
}

/// The folder of the project.
pub fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The name of the user who runs the tests: jobs belong to this user by default.
pub fn user_name() -> String {
    let id = Command::new("id").arg("-un").output().expect("a POSIX system");
    String::from_utf8_lossy(&id.stdout).trim().to_owned()
}

/// Waits until `condition` returns a value.
pub fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited without result for {what}");
        std::thread::sleep(PAUSE);
    }
}

/// The folder of one test, and its database.
pub struct Sandbox {
    folder: tempfile::TempDir,
    root: PathBuf,
    database: PathBuf,
    /// More variables of each howdah.
    variables: Mutex<Vec<(String, String)>>,
}

impl Sandbox {
    /// Creates an empty folder.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("the system has room for a folder");
        let root = folder.path().canonicalize().expect("a folder that was just made");
        fs::create_dir(root.join("home")).expect("an empty folder");
        let database = root.join("howdah.db");
        Self { folder, root, database, variables: Mutex::default() }
    }

    /// Creates the same with its database at another place.
    pub fn with_database(mut self, relative: &str) -> Self {
        self.database = self.root.join(relative);
        self
    }

    /// Sets a variable of each howdah that starts from now on.
    pub fn set(&self, name: &str, value: &str) {
        self.variables.lock().expect("no test panics here").push((name.to_owned(), value.to_owned()));
    }

    /// Returns a path in the folder.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns the same as text; the folder itself for an empty path.
    pub fn text(&self, relative: &str) -> String {
        if relative.is_empty() { self.root.display().to_string() } else { self.path(relative).display().to_string() }
    }

    /// Writes a file and creates the folders above it.
    pub fn write(&self, relative: &str, content: &str) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("below the sandbox")).expect("folders");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Writes a file that a program may read at any moment: with its whole content, or not at all.
    pub fn write_at_once(&self, relative: &str, content: &str) {
        let written = self.write(&format!("{relative}.new"), content);
        fs::rename(written, self.path(relative)).expect("a file of the sandbox");
    }

    /// Configures a mail server at which no process listens: this machine's own might send what a test writes.
    pub fn without_mail_server(&self) {
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let site = property("oozie.email.smtp.host", "127.0.0.1") + &property("oozie.email.smtp.port", "1");
        self.write("home/.config/howdah/site.xml", &format!("<configuration>{site}</configuration>"));
    }

    /// Returns the content of a file; empty when there is none.
    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_default()
    }

    /// Returns the lines of a file, sorted: several processes appended them in any order.
    pub fn sorted_lines(&self, relative: &str) -> Vec<String> {
        let mut lines: Vec<String> = self.read(relative).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    /// Waits until a file has content, and returns it trimmed.
    pub fn await_file(&self, relative: &str) -> String {
        wait_for(relative, || Some(self.read(relative).trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// Returns the path of the test's database.
    pub fn database_path(&self) -> &Path {
        &self.database
    }

    /// Returns the path of a file beside the database: its path with `suffix` added.
    pub fn beside_database(&self, suffix: &str) -> PathBuf {
        let mut path = self.database.clone().into_os_string();
        path.push(suffix);
        path.into()
    }

    /// Opens the database, read only.
    pub fn database(&self) -> Database {
        Database::open(&self.database)
    }

    /// Creates a command line of howdah on the test's database.
    pub fn howdah<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Howdah {
        let mut command = Command::new(program());
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("HOME", self.path("home"))
            .env("SANDBOX", &self.root)
            .env("HOWDAH_TEST_MARK", "SANDBOX")
            .env("HOWDAH_DB", self.database_path())
            // The same zones on every machine.
            .env("HOWDAH_ZONE_DATA", "built-in")
            .envs(self.variables.lock().expect("no test panics here").iter().cloned())
            .current_dir(&self.root)
            .args(arguments);
        Howdah { command, input: None, output: None, errors: None }
    }

    /// Ticks once at `now`; it must succeed.
    pub fn tick(&self, now: &str) -> Ran {
        self.howdah(["tick"]).at(now).succeed()
    }

    /// Ticks at `now` and waits until the workflow jobs that it started have ended.
    pub fn tick_through(&self, now: &str) {
        self.tick(now);
        self.await_quiet();
    }

    /// Creates a command line that submits the application in `app/` at `now`.
    pub fn submitting(&self, now: &str) -> Howdah {
        let kind = if self.path("app/coordinator.xml").exists() { "coord" } else { "wf" };
        let submit = self.howdah(["submit"]).at(now);
        submit.define(&format!("oozie.{kind}.application.path"), &self.text("app")).define("sandbox", &self.text(""))
    }

    /// Submits the application in `app/` at `now` with additional properties; returns the job's id.
    pub fn submit(&self, now: &str, properties: &[(&str, &str)]) -> String {
        let submit = self.submitting(now);
        properties.iter().fold(submit, |submit, (name, value)| submit.define(name, value)).succeed().job()
    }

    /// Waits until a runner that was killed is gone, and its lock. A process that dies loses its name before its locks,
    /// and a tick would leave the work to it.
    pub fn await_end_of_runner(&self) {
        let lock = self.beside_database(".runner.lock");
        let is_free = || fs::File::open(&lock).map_or(true, |lock| lock.try_lock().is_ok());
        let has_ended = || self.process("howdah runner").is_none() && is_free();
        wait_for("the end of the runner", || has_ended().then_some(()));
    }

    /// Waits until no process of the sandbox is alive.
    pub fn await_quiet(&self) {
        wait_for("the processes of the sandbox to end", || self.is_quiet().then_some(()));
    }

    /// Returns whether no process of the sandbox is alive. One that starts another and ends while the process table is
    /// read hides both, so the table is read twice.
    fn is_quiet(&self) -> bool {
        self.processes().is_empty() && self.processes().is_empty()
    }

    /// Returns the living processes that were started for this sandbox.
    pub fn processes(&self) -> Vec<i32> {
        let mark = format!("SANDBOX={}\0", self.root.display());
        // A thread of the kernel, of which a machine has many, costs no look at its files.
        let kernel = kernel_threads();
        numbers().into_iter().filter(|pid| !kernel.contains(pid) && has_mark(*pid, &mark) && is_alive(*pid)).collect()
    }

    /// Ends all processes at one moment, as a power cut does: each is stopped before the first is killed, so that none
    /// sees the end of another.
    pub fn cut_power(&self) {
        let mut stopped = BTreeSet::new();
        loop {
            let processes = self.processes();
            let new: Vec<i32> = processes.iter().copied().filter(|pid| !stopped.contains(pid)).collect();
            // As in `is_quiet`: a second look finds what hid from the first.
            if new.is_empty() && self.processes().iter().all(|pid| stopped.contains(pid)) {
                break;
            }
            for pid in new {
                send(pid, Signal::STOP);
                stopped.insert(pid);
            }
        }
        stopped.into_iter().for_each(kill);
        self.await_quiet();
        self.await_end_of_runner();
    }

    /// Returns the process whose command line starts with these words, such as `howdah runner`.
    pub fn process(&self, words: &str) -> Option<i32> {
        self.processes().into_iter().find(|pid| command_line(*pid).starts_with(words))
    }

    /// Returns the runner: the process that holds its lock. A shim has the runner's command line, but not the lock.
    pub fn runner(&self) -> Option<i32> {
        let lock = fs::metadata(self.beside_database(".runner.lock")).ok()?.ino();
        let locks = fs::read_to_string("/proc/locks").expect("the kernel lists its locks");
        let holder = |line: &str| {
            // Such as `3: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF`.
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_lock = words.get(1) == Some(&"FLOCK") && words.get(3) == Some(&"WRITE");
            let inode = words.get(5).and_then(|place| place.rsplit(':').next()?.parse::<u64>().ok());
            (is_lock && inode == Some(lock)).then(|| words[4].parse().expect("a process number"))
        };
        locks.lines().find_map(holder).filter(|pid| is_alive(*pid))
    }

    /// Replaces what differs from run to run: the folder, the user who runs the tests, and the middle of ids.
    pub fn redact(&self, text: &str) -> String {
        let user = user_name();
        let of_user = ["User:", "user  ", "User - "];
        let about_user = |line: &str| {
            line.contains("user.name = ") || of_user.iter().any(|word| line.trim_start().starts_with(word))
        };
        let line = |line: &str| if about_user(line) { line.replace(&user, "[user]") } else { line.to_owned() };
        let text: String = text.replace(&self.text(""), "[sandbox]").split_inclusive('\n').map(line).collect();
        let mut parts = text.split("-oozie-oozi-");
        let mut redacted = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            // It is preceded by `0000000-yyMMddHHmmssSSS`, of which the number stays.
            let stamp = redacted.rfind('-').unwrap_or(redacted.len());
            redacted.truncate(stamp);
            redacted += "-[stamp]-";
            redacted += part;
        }
        redacted
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        if !std::thread::panicking() {
            while !self.is_quiet() && Instant::now() < deadline {
                std::thread::sleep(PAUSE);
            }
        }
        let left = self.processes();
        let lines: Vec<String> = left.iter().map(|pid| command_line(*pid)).collect();
        while !self.processes().is_empty() && Instant::now() < deadline + PATIENCE {
            for pid in self.processes() {
                kill(pid);
            }
            std::thread::sleep(PAUSE);
        }
        if std::thread::panicking() {
            eprintln!("{} of the sandbox {}:\n{}", left.len(), self.folder.path().display(), lines.join("\n"));
            for log in [".runner.log", ".courier.log"] {
                eprintln!("{log}:\n{}", fs::read_to_string(self.beside_database(log)).unwrap_or_default());
            }
        } else {
            assert!(left.is_empty(), "processes were left behind: {lines:?}");
        }
    }
}

/// Sends SIGKILL to one process.
pub fn kill(pid: i32) {
    send(pid, Signal::KILL);
}

fn send(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Returns whether a thread of the process exists that has not ended: the first may end, and others still hold locks.
pub fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| {
        let threads = fields.split(' ').nth(17).and_then(|number| number.parse::<u32>().ok());
        !fields.starts_with(['Z', 'X']) || threads > Some(1)
    })
}

/// Returns the parent of a living process: the one that started it, or that adopted it.
pub fn parent(pid: i32) -> i32 {
    try_parent(pid).expect("the process is alive")
}

/// As [`parent`]; `None` when the process has ended.
pub fn try_parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ").and_then(|(_, fields)| fields.split(' ').nth(1)?.parse().ok())
}

fn has_mark(pid: i32, mark: &str) -> bool {
    // The search of the standard library is optimized in each build.
    let has = |environment: &[u8]| String::from_utf8_lossy(environment).contains(mark);
    let deadline = Instant::now() + LONGEST_LOADING;
    loop {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
        // While a process loads its program it has neither environment nor arguments, and could be missed.
        let is_loading = environment.is_empty() && !is_kernel(pid) && command_line(pid).is_empty() && is_alive(pid);
        if !is_loading || Instant::now() > deadline {
            return has(&environment);
        }
        std::thread::yield_now();
    }
}

/// Returns the threads of the kernel. They are found again each second, in which no number of a process is given twice.
fn kernel_threads() -> Arc<BTreeSet<i32>> {
    static KNOWN: Mutex<Option<(Instant, Arc<BTreeSet<i32>>)>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, found) = match known.take().filter(|(at, _)| at.elapsed() < Duration::from_secs(1)) {
        Some(fresh) => known.insert(fresh),
        None => known.insert((Instant::now(), Arc::new(numbers().into_iter().filter(|pid| is_kernel(*pid)).collect()))),
    };
    Arc::clone(found)
}

/// Returns the numbers of all processes.
pub(crate) fn numbers() -> Vec<i32> {
    let entries = fs::read_dir("/proc").expect("this test needs /proc");
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns whether a process is a thread of the kernel: it or its parent is the process with the number 2.
fn is_kernel(pid: i32) -> bool {
    pid == 2 || try_parent(pid) == Some(2)
}

/// Returns the arguments of a process, with blanks between them; empty when it has ended.
pub fn command_line(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ")
}

/// A command line under construction.
pub struct Howdah {
    command: Command,
    input: Option<fs::File>,
    output: Option<fs::File>,
    errors: Option<fs::File>,
}

impl Howdah {
    /// Sets the time.
    pub fn at(mut self, now: &str) -> Self {
        self.command.args(["--now", now]);
        self
    }

    /// Adds arguments.
    pub fn with_all(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    /// Adds one argument.
    pub fn with(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds a job property.
    pub fn define(mut self, name: &str, value: &str) -> Self {
        self.command.arg("-D").arg(format!("{name}={value}"));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Uses a file as its standard input.
    pub fn reading(mut self, path: &Path) -> Self {
        self.input = Some(fs::File::open(path).expect("a file"));
        self
    }

    /// Writes its standard output to a file instead of the result, to be read while it runs.
    pub fn output_to(mut self, path: &Path) -> Self {
        self.output = Some(fs::File::create(path).expect("a file"));
        self
    }

    /// Writes its standard error to a file instead of the result, to be read while it runs.
    pub fn errors_to(mut self, path: &Path) -> Self {
        self.errors = Some(fs::File::create(path).expect("a file"));
        self
    }

    /// Runs it to its end, in the process of the test where that is possible ([`Self::start`] always starts a process).
    /// A tick waits for a runner that ticks at the same time.
    pub fn run(mut self) -> Ran {
        let has_files = self.input.is_some() || self.output.is_some() || self.errors.is_some();
        let is_here = !has_files && here::is_possible(&self.command);
        here::note(&self.command, is_here);
        wait_for("the tick of the runner to end", || {
            let ran = if is_here { here::run(&self.command) } else { self.spawn().finish() };
            Some(ran).filter(|ran| !ran.stderr.contains("error[H0106]"))
        })
    }

    /// As [`Self::run`]; its exit status must be 0.
    pub fn succeed(self) -> Ran {
        let ran = self.run();
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran
    }

    /// Runs it; it must die at this point (`fault_point` in `host/fault.rs`).
    pub fn die_at(self, point: &str) -> Ran {
        let died = self.env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point}: {died:?}");
        died
    }

    /// Starts it on a terminal of this size.
    pub fn on_terminal(mut self, size: (u16, u16)) -> Terminal {
        here::note(&self.command, false);
        self.command.env("TERM", "xterm-256color");
        Terminal::start(&mut self.command, size)
    }

    /// Starts it without waiting.
    pub fn start(mut self) -> Started {
        here::note(&self.command, false);
        self.spawn()
    }

    fn spawn(&mut self) -> Started {
        let copy = |file: &fs::File| Stdio::from(file.try_clone().expect("an open file"));
        let output = self.output.as_ref().map_or_else(Stdio::piped, copy);
        let errors = self.errors.as_ref().map_or_else(Stdio::piped, copy);
        let input = self.input.as_ref().map_or_else(Stdio::null, copy);
        let command = self.command.stdin(input).stdout(output).stderr(errors);
        Started(command.spawn().expect("howdah starts"))
    }
}

/// A running command.
pub struct Started(Child);

impl Started {
    /// Returns the process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.0.id()).expect("process numbers are positive")
    }

    /// Waits for its end; a command that does not end is a failure of the test.
    pub fn finish(mut self) -> Ran {
        // The output of howdah fits into a pipe, so it need not be read while it runs.
        let pid = self.pid();
        let deadline = Instant::now() + PATIENCE * 2;
        while matches!(self.0.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                kill(pid);
                let output = self.0.wait_with_output().expect("it was started");
                panic!("howdah did not end: {:?}", Ran::from(output));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.wait_with_output().expect("it was started").into()
    }
}

/// The result of a command.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; `None` when a signal killed it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Returns the id in `job: <id>`.
    pub fn job(&self) -> String {
        let line = self.stdout.lines().find_map(|line| line.strip_prefix("job: "));
        line.unwrap_or_else(|| panic!("no job in {self:?}")).to_owned()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Returns the folder that a test may read.
impl AsRef<Path> for Sandbox {
    fn as_ref(&self) -> &Path {
        &self.root
    }
}

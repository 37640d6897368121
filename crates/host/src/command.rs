//! Runs one command line under supervision and reports how it ended.
//!
//! Step 3 of the start protocol. The command gets an empty standard input, output files to append to, exactly the given
//! environment, and its own process group. Must not depend on actions: `executor::outcome` decides what an exit status
//! means for a node.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::Access;
use rustix::process::{Pid, WaitOptions};
use serde::{Deserialize, Serialize};

use super::children;
use super::fault::failing_point;
use super::files;
use super::found::{self, Found};
use super::processes::Identity;
use super::{metadata, script};

/// A program with its arguments, as the kernel gets it: no shell reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {
    /// A path, or a name to find in the `PATH` of `environment`.
    pub program: String,
    /// The arguments after the program's name.
    pub arguments: Vec<String>,
    /// The whole environment.
    pub environment: BTreeMap<String, String>,
    /// The working directory.
    pub directory: PathBuf,
}

impl CommandLine {
    /// Sets all of a command but its program and its standard files: in a process group of its own.
    pub(super) fn set_up<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.args(&self.arguments).env_clear().envs(&self.environment).current_dir(&self.directory).process_group(0)
    }
}

/// How a piece of work ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkOutcome {
    /// The command ended with this status; file operations end with 0.
    Exited(i32),
    /// A signal of this number ended it.
    Signaled(i32),
    /// It could not run; the code and the message are Oozie's.
    Failed {
        /// An error code of an action, such as `FS006`.
        code: String,
        /// One sentence.
        message: String,
    },
}

/// A command that runs and has not been waited for.
#[derive(Debug)]
pub struct Running {
    /// Its identity; its number is also that of its process group.
    pub identity: Identity,
}

/// The most characters of a code.
const LONGEST_CODE: usize = 100;

impl WorkOutcome {
    /// The same outcome with a message of at most `most` characters, and a code of at most [`LONGEST_CODE`].
    pub fn shortened(self, most: usize) -> Self {
        let cut = |text: String, most: usize| match text.char_indices().nth(most) {
            Some((end, _)) => text[..end].to_owned(),
            None => text,
        };
        match self {
            Self::Failed { code, message } => {
                Self::Failed { code: cut(code, LONGEST_CODE), message: cut(message, most) }
            }
            ended @ (Self::Exited(_) | Self::Signaled(_)) => ended,
        }
    }
}

/// Why a command was not started.
#[derive(Debug)]
pub struct NotStarted {
    /// In one sentence.
    pub why: String,
    /// The system's own error, where there is one.
    pub error: Option<io::Error>,
}

/// The outcome of a command that was not started: JA018. When the machine failed and not the command, JA009, which
/// causes a retry.
pub fn not_begun(why: &str, error: Option<&io::Error>) -> WorkOutcome {
    let code = if error.is_some_and(found::may_pass) { "JA009" } else { "JA018" };
    WorkOutcome::Failed { code: code.to_owned(), message: why.to_owned() }
}

/// Bytes at the start of a script in which its interpreter is searched: the system reads no more.
const FIRST_LINE: u64 = 256;

/// Explains why a program that exists was reported missing: its first line names an interpreter that does not exist.
pub fn missing_interpreter(line: &CommandLine, error: &io::Error) -> Option<String> {
    if error.kind() != io::ErrorKind::NotFound {
        return None;
    }
    let path = line.environment.get("PATH").map_or("", String::as_str);
    let file = if line.program.contains('/') {
        PathBuf::from(&line.program)
    } else {
        find(&line.program, path, &line.directory).ok()??
    };
    let start =
        files::open_regular(&line.directory.join(&file)).and_then(|file| files::start_of(file, FIRST_LINE)).ok()?;
    let text = String::from_utf8_lossy(&start);
    let first = text.lines().next().and_then(|first| first.strip_prefix("#!"))?;
    let interpreter = first.split_ascii_whitespace().next()?;
    if text.split('\n').next().is_some_and(|first| first.ends_with('\r')) {
        let shown = file.display();
        return Some(format!(
            "[{shown}] is there, but its first line ends in a carriage return, which the system takes for a part of \
             [{interpreter}]: save it with Unix line ends, as by sed -i 's/\\r$//'"
        ));
    }
    let is_missing = matches!(metadata::of(&line.directory.join(interpreter)), Found::Absent);
    is_missing
        .then(|| format!("[{}] is there, but the interpreter [{interpreter}] of its first line is not", file.display()))
}

/// The system's own message, and the size of the arguments when that is the reason.
fn cannot_run(line: &CommandLine, error: io::Error) -> NotStarted {
    let hint = missing_interpreter(line, &error).map(|hint| format!("; {hint}")).unwrap_or_default();
    let reason = format!("Cannot run program \"{}\": {error}{hint}", line.program);
    if error.kind() != io::ErrorKind::ArgumentListTooLong {
        return NotStarted { why: reason, error: Some(error) };
    }
    let variables = line.environment.iter().map(|(name, value)| name.len() + 1 + value.len());
    let sizes: Vec<usize> = line.arguments.iter().map(String::len).chain(variables).collect();
    let (all, longest) = (sizes.iter().sum::<usize>(), sizes.iter().max().copied().unwrap_or_default());
    let why = format!(
        "{reason}; arguments and environment have {all} bytes, the longest of them {longest}: hand them over in a file"
    );
    NotStarted { why, error: Some(error) }
}

/// Starts a command and appends its output to `stdout` and `stderr` in `folder`.
pub fn start(line: &CommandLine, folder: &Path) -> Result<Running, NotStarted> {
    let open = |name: &str| {
        let path = folder.join(name);
        let cannot_write =
            |error| NotStarted { why: files::cannot_write(&path, &error).to_string(), error: Some(error) };
        files::append(&path).map_err(cannot_write)
    };
    let (stdout, stderr) = (open("stdout")?, open("stderr")?);
    let spawn = |mut command: Command| {
        command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        failing_point("spawn").and_then(|()| line.set_up(&mut command).spawn())
    };
    let found = find(&line.program, line.environment.get("PATH").map_or("", String::as_str), &line.directory);
    let found = found.map_err(|error| cannot_run(line, error))?;
    let file = found.as_deref().unwrap_or(Path::new(&line.program));
    let spawned = match spawn(named(file, &line.program)) {
        Err(error) if script::is_refused(&line.directory.join(file), &error) => spawn(script::by_shell(file)),
        // The system's own search continues after a file that it cannot run.
        Err(error) if found.is_some() && !found::may_pass(&error) => spawn(Command::new(&line.program)),
        spawned => spawned,
    };
    let child = spawned.map_err(|error| cannot_run(line, error))?;
    let pid = i32::try_from(child.id()).expect("process numbers are positive and fit an i32");
    let identity = match Identity::of(pid) {
        Found::Present(identity) => identity,
        // It is already a zombie without an identity, or the machine cannot say; its status is available all the same.
        Found::Absent | Found::Unknown(_) => Identity::unseen(pid),
    };
    Ok(Running { identity })
}

/// The file of `program`, a bare name, in the folders of `path`; `None` when it is no bare name or is not found. The
/// search is done here because the system searches in a copy of this process, which costs more than the start of the
/// command.
///
/// # Errors
/// Fails when the machine cannot say whether the program is in a folder: the next folder may have another program.
fn find(program: &str, path: &str, directory: &Path) -> io::Result<Option<PathBuf>> {
    if program.is_empty() || program.contains('/') {
        return Ok(None);
    }
    for folder in path.split(':').map(|entry| Path::new(if entry.is_empty() { "." } else { entry })) {
        let file = folder.join(program);
        let is_program = std::fs::metadata(directory.join(&file)).and_then(|metadata| {
            Ok(metadata.is_file() && rustix::fs::access(directory.join(&file), Access::EXEC_OK).map(|()| true)?)
        });
        match is_program {
            Ok(true) => return Ok(Some(file)),
            Err(error) if found::may_pass(&error) => return Err(error),
            Ok(false) | Err(_) => {}
        }
    }
    Ok(None)
}

/// The program in `file`, started under the name `name`.
fn named(file: &Path, name: &str) -> Command {
    let mut command = Command::new(file);
    command.arg0(name);
    command
}

/// Waits for the end of a command. A process that adopts orphans, such as a shim, reaps them meanwhile.
pub fn wait(running: &mut Running) -> WorkOutcome {
    let adopts_orphans = children::adopts_orphans();
    let next_end = || match Pid::from_raw(running.identity.pid).filter(|_| !adopts_orphans) {
        Some(command) => rustix::process::waitpid(Some(command), WaitOptions::empty()),
        None => rustix::process::wait(WaitOptions::empty()),
    };
    loop {
        match next_end() {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == running.identity.pid => {
                return match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => WorkOutcome::Exited(code),
                    (None, signal) => WorkOutcome::Signaled(signal.unwrap_or_default()),
                };
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return failed(&format!("the command cannot be waited for: {}", io::Error::from(error))),
        }
    }
}

/// The outcome of a command that could not run at all (in Oozie: an uncaught exception of the main class).
pub fn failed(message: &str) -> WorkOutcome {
    WorkOutcome::Failed { code: "JA018".to_owned(), message: message.to_owned() }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_script_without_its_interpreter_says_so() {
        let top = tempfile::tempdir().unwrap();
        let check = |program: &str, first: &str, expect: Option<&str>| {
            let file = top.path().join("script");
            fs::write(&file, format!("{first}\necho\n")).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o700)).unwrap();
            let line = CommandLine {
                program: program.to_owned(),
                arguments: Vec::new(),
                environment: [("PATH".to_owned(), ".".to_owned())].into(),
                directory: top.path().to_owned(),
            };
            let Err(NotStarted { why, .. }) = start(&line, top.path()) else { panic!("{first:?} starts") };
            assert!(why.contains("No such file"), "{why}");
            match expect {
                Some(words) => assert!(why.contains(words), "{why}"),
                None => assert!(!why.contains(';'), "{why}"),
            }
        };
        for program in ["script", "./script"] {
            check(program, "#!/bin/sh\r", Some("its first line ends in a carriage return"));
            check(
                program,
                "#! /nonexistent/perl -w",
                Some("the interpreter [/nonexistent/perl] of its first line is not"),
            );
        }
        check("none", "#!/bin/sh", None);
    }

    #[test]
    fn a_script_without_an_interpreter_is_run_by_the_shell() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path();
        let check = |content: &[u8], program: &str, expect: Result<&str, &str>| {
            let _ = fs::remove_file(folder.join("stdout"));
            fs::write(folder.join("run"), content).unwrap();
            fs::set_permissions(folder.join("run"), Permissions::from_mode(0o700)).unwrap();
            let line = CommandLine {
                program: program.replace("HERE", folder.to_str().unwrap()),
                arguments: vec!["a b".to_owned(), "c".to_owned()],
                environment: [("PATH".to_owned(), ".:/usr/bin:/bin".to_owned())].into(),
                directory: folder.to_owned(),
            };
            match (start(&line, folder), expect) {
                (Ok(mut running), Ok(expect)) => {
                    assert_eq!(wait(&mut running), WorkOutcome::Exited(3), "{program}");
                    assert_eq!(fs::read_to_string(folder.join("stdout")).unwrap(), expect, "{program}");
                }
                (Err(NotStarted { why, .. }), Err(expect)) => assert!(why.contains(expect), "{why}"),
                (got, expect) => panic!("{program}: {got:?}, not {expect:?}"),
            }
        };
        let script = b"echo \"$1|$2\"\nexit 3\n";
        for program in ["HERE/run", "./run", "run"] {
            check(script, program, Ok("a b|c\n"));
        }
        check(b"#!/bin/sh\necho \"$2\"; exit 3\n", "HERE/run", Ok("c\n"));
        check(b"\x7fELF\0\0 of another machine", "HERE/run", Err("Exec format error"));
        check(b"#!/no/such/interpreter\n", "HERE/run", Err("No such file"));
    }

    #[test]
    fn a_program_is_the_first_of_its_name_that_may_be_executed() {
        let top = tempfile::tempdir().unwrap();
        for (file, mode) in [("work/one", 0o700), ("bin/one", 0o700), ("bin/two", 0o600), ("sbin/two", 0o700)] {
            let file = top.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir_all(top.path().join("bin/three")).unwrap();
        let work = top.path().join("work");
        let path = format!("{0}/none:{0}/bin:{0}/sbin", top.path().display());
        let check = |program: &str, before: &str, expect: Option<&str>| {
            let found = find(program, &format!("{before}{path}"), &work).unwrap();
            let shown = found.map(|file| file.to_str().unwrap().replace(top.path().to_str().unwrap(), ""));
            assert_eq!(shown.as_deref(), expect, "{program} in {before}");
        };
        check("one", "", Some("/bin/one"));
        check("one", ".:", Some("./one"));
        check("one", ":", Some("./one"));
        check("one", "../sbin:../bin:", Some("../bin/one"));
        check("two", "", Some("/sbin/two"));
        for none in ["three", "four", "./one", "", "."] {
            check(none, ".:", None);
        }
    }
}

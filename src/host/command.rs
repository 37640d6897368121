//! Runs one command line under supervision and tells how it ended.
//!
//! Follows step 3 of the start protocol. The command gets an empty standard input, its output appended to
//! files, exactly the environment it is given, and a process group of its own. Knows nothing of actions: what an exit
//! status means for a node is `executor::outcome`.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::Access;
use rustix::process::{Pid, WaitOptions};
use serde::{Deserialize, Serialize};

use super::children;
use super::files;
use super::processes::Identity;
use super::script;
use crate::error::Error;

/// A program with its arguments, as the kernel gets it: no shell reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandLine {
    /// A path, or a name that is looked for in the `PATH` of `environment`.
    pub(crate) program: String,
    /// The arguments after the program's name.
    pub(crate) arguments: Vec<String>,
    /// The whole environment.
    pub(crate) environment: BTreeMap<String, String>,
    /// The working directory.
    pub(crate) directory: PathBuf,
}

/// How a piece of work ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The command ended with this status; file operations end with 0.
    Exited(i32),
    /// A signal of this number ended it.
    Signaled(i32),
    /// It could not be done; the code and the message are Oozie's.
    Failed {
        /// An error code of an action, such as `FS006`.
        code: String,
        /// One sentence.
        message: String,
    },
}

/// A command that runs, not yet waited for.
#[derive(Debug)]
pub(crate) struct Running {
    /// Who it is; its number is that of its process group.
    pub(crate) identity: Identity,
}

/// The system's own words, and how long the words of the command are where that is the reason.
fn cannot_run(line: &CommandLine, error: &std::io::Error) -> Outcome {
    let reason = format!("Cannot run program \"{}\": {error}", line.program);
    if error.kind() != std::io::ErrorKind::ArgumentListTooLong {
        return failed(&reason);
    }
    let variables = line.environment.iter().map(|(name, value)| name.len() + 1 + value.len());
    let words: Vec<usize> = line.arguments.iter().map(String::len).chain(variables).collect();
    let (all, longest) = (words.iter().sum::<usize>(), words.iter().max().copied().unwrap_or_default());
    failed(&format!(
        "{reason}; arguments and environment have {all} bytes, the longest of them {longest}: hand them over in a file"
    ))
}

/// Starts a command with its output appended to `stdout` and `stderr` in `folder`.
/// `Err(Failed)` holds the system's own words when it cannot be started.
pub(crate) fn start(line: &CommandLine, folder: &Path) -> Result<Running, Outcome> {
    let open =
        |name: &str| files::open_to_append(&folder.join(name)).map_err(|error: Error| failed(&error.to_string()));
    let (stdout, stderr) = (open("stdout")?, open("stderr")?);
    let spawn = |mut command: Command| {
        command
            .args(&line.arguments)
            .env_clear()
            .envs(&line.environment)
            .current_dir(&line.directory)
            .stdin(Stdio::null())
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?)
            .process_group(0);
        command.spawn()
    };
    let found = find(&line.program, line.environment.get("PATH").map_or("", String::as_str), &line.directory);
    let file = found.as_deref().unwrap_or(Path::new(&line.program));
    let spawned = match spawn(named(file, &line.program)) {
        Err(error) if script::is_refused(&line.directory.join(file), &error) => spawn(script::by_shell(file)),
        // The system's own search goes on behind a file that it cannot run.
        Err(_) if found.is_some() => spawn(Command::new(&line.program)),
        spawned => spawned,
    };
    let mut child = spawned.map_err(|error| cannot_run(line, &error))?;
    let pid = i32::try_from(child.id()).expect("process numbers are positive and fit an i32");
    // A command that has already ended is a zombie without identity; its status can be had at once.
    let identity = Identity::of(pid).or_else(|| own_boot(pid));
    if let Some(identity) = identity {
        return Ok(Running { identity });
    }
    let _ = child.kill();
    Err(failed("the process table cannot be read"))
}

/// The file that `program`, a name, means in the folders of `path`; `None` when it is no name or nowhere. Found here because the
/// system's own search is made in a copy of this process, which costs more than the start of the command.
fn find(program: &str, path: &str, directory: &Path) -> Option<PathBuf> {
    if program.is_empty() || program.contains('/') {
        return None;
    }
    let is_program = |file: &PathBuf| {
        let file = directory.join(file);
        file.is_file() && rustix::fs::access(&file, Access::EXEC_OK).is_ok()
    };
    let folders = path.split(':').map(|entry| Path::new(if entry.is_empty() { "." } else { entry }));
    folders.map(|folder| folder.join(program)).find(is_program)
}

/// The program in `file`, which is told that its name is `name`.
fn named(file: &Path, name: &str) -> Command {
    let mut command = Command::new(file);
    command.arg0(name);
    command
}

/// Waits for the end of a command. A process to which strays are handed, as to a shim, takes leave of them on the way.
pub(crate) fn wait(running: &mut Running) -> Outcome {
    let adopts_strays = children::adopts_strays();
    let next_end = || match Pid::from_raw(running.identity.pid).filter(|_| !adopts_strays) {
        Some(command) => rustix::process::waitpid(Some(command), WaitOptions::empty()),
        None => rustix::process::wait(WaitOptions::empty()),
    };
    loop {
        match next_end() {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == running.identity.pid => {
                return match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Outcome::Exited(code),
                    (None, signal) => Outcome::Signaled(signal.unwrap_or_default()),
                };
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return failed(&format!("the command cannot be waited for: {}", io::Error::from(error))),
        }
    }
}

/// The code of a command that could not run at all (in Oozie: an uncaught exception of the main class).
pub(crate) fn failed(message: &str) -> Outcome {
    Outcome::Failed { code: "JA018".to_owned(), message: message.to_owned() }
}

/// An identity that is never alive, for a command that ended before it was looked at.
fn own_boot(pid: i32) -> Option<Identity> {
    let own = Identity::own().ok()?;
    Some(Identity { pid, start_time: "ended".to_owned(), ..own })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

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
                    assert_eq!(wait(&mut running), Outcome::Exited(3), "{program}");
                    assert_eq!(fs::read_to_string(folder.join("stdout")).unwrap(), expect, "{program}");
                }
                (Err(Outcome::Failed { message, .. }), Err(expect)) => assert!(message.contains(expect), "{message}"),
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
            let found = find(program, &format!("{before}{path}"), &work);
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

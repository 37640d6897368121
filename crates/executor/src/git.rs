//! The `git` action: a repository cloned into the working folder, its content then copied to the destination.
//!
//! Follows the git action's specification, `GitActionExecutor` and `GitMain`. Files in the destination are overwritten
//! by files with the same name; all others are kept. The real git client runs; it never prompts for a password and gets
//! no transport that starts programs named by the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::blocked::{self, Completion, because, because_of, retry_while_blocked};
use super::fs;
use super::launch::{Launch, Program};
use super::work::Task;
use crate::command_work::CommandWork;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use crate::work::CloneWork;
use howdah_host::attempt::{self, Performed};
use howdah_host::command::WorkOutcome;
use howdah_host::files;
use howdah_host::located::Located;
use howdah_host::shell_word::quoted;
use howdah_xml::Element;

/// The folder in the working folder that is cloned into.
const CLONE: &str = "clone";
/// The copy of the key in the working folder: ssh refuses a key that others than its owner may read.
const KEY: &str = "key";
/// The message of git when its transport failed.
const UNREADABLE: &str = "fatal: Could not read from remote repository";
const OTHERS_MAY_READ: u32 = 0o004;

/// Returns the work of a `git` action. GIT010 for an element that is missing; the codes of `fs` for an invalid path.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    required(element, "name-node", "oozie.name.node")?;
    let destination = required(element, "destination-uri", "oozie.git.destination.uri")?;
    let uri = required(element, "git-uri", "oozie.git.source.uri")?;
    let place = |what: &str, path: &str| fs::place(what, path, element, context);
    let key = text(element, "key-path").map(|path| place("key-path", &path)).transpose()?;
    let destination = place("destination-uri", &destination)?;
    let mut launch = Launch::of(element, context)?;
    let ssh = ssh_command(&Program::installed("ssh", context).path, key.is_some().then(|| launch.at(KEY)));
    launch.environment.extend(environment_with(ssh));
    let mut arguments = vec!["-c".to_owned(), "protocol.ext.allow=never".to_owned(), "clone".to_owned()];
    if let Some(branch) = text(element, "branch") {
        arguments.extend([format!("--branch={branch}"), "--single-branch".to_owned()]);
    }
    // After `--` nothing is read as an option.
    arguments.extend(["--".to_owned(), uri, CLONE.to_owned()]);
    let ending = Ending { failure: FailureRule::Clone, capture: None };
    let command = launch.command_work(Program::installed("git", context), arguments, ending);
    Ok(Task::Clone(Box::new(CloneWork { command, key, destination })))
}

fn text(element: &Element, name: &str) -> Option<String> {
    element.child(name).map(|child| child.text().value).filter(|text| !text.is_empty())
}

fn required(element: &Element, name: &str, property: &str) -> Result<String, Failure> {
    let message =
        || format!("GIT010: Action Configuration does not have [{property}] property; write the element {name}");
    text(element, name).ok_or_else(|| Failure::error("GIT010", message()))
}

/// Returns the ssh command of git, as git's shell reads it. An unknown host is accepted, as in Oozie.
fn ssh_command(program: &str, key: Option<PathBuf>) -> String {
    let key = key.map(|key| format!(" -i {} -o IdentitiesOnly=yes", quoted(&key.to_string_lossy())));
    format!("{}{} -o StrictHostKeyChecking=no -o BatchMode=yes", quoted(program), key.unwrap_or_default())
}

fn environment_with(ssh: String) -> BTreeMap<String, String> {
    let own = [("GIT_SSH_COMMAND", ssh), ("GIT_TERMINAL_PROMPT", "0".to_owned()), ("LC_ALL", "C".to_owned())];
    own.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Clones by `run`, which does the command's part of the work, and copies. GIT011 and GIT012 for the key.
pub(super) fn perform(work: &CloneWork, folder: &Path, run: impl FnOnce(&CommandWork) -> Performed) -> Performed {
    let directory = &work.command.line.directory;
    let key = directory.join(KEY);
    if let Some(from) = &work.key {
        let taken = retry_while_blocked(folder, || take_key(from, &key).map(|()| Completion::ToTheEnd));
        if taken != Ok(Completion::ToTheEnd) {
            return Performed { outcome: blocked::outcome(taken), files_done: 0 };
        }
    }
    let performed = run(&work.command);
    // There is no file when no key was given.
    let _ = files::remove(&key);
    let outcome = match performed.outcome {
        WorkOutcome::Exited(0) => copy_to_destination(&directory.join(CLONE), &work.destination, folder),
        other => other,
    };
    Performed { outcome, files_done: performed.files_done }
}

/// Copies the key for this attempt only, if only its owner and its group may read it.
fn take_key(from: &Located, to: &Path) -> Result<(), Failure> {
    let refuse = |code: &str, why: String| Failure::error(code, format!("{code}: {why}"));
    let unverified = |error: &dyn std::fmt::Display| {
        refuse("GIT011", format!("Not able to verify permissions on key file {}: {error}", from.place()))
    };
    let mode = from.mode().map_err(|error| because(unverified(&error), &error))?;
    if mode & OTHERS_MAY_READ != 0 {
        let what = format!("The permissions on the access key {} are considered insecure", from.place());
        return Err(refuse("GIT012", format!("{what}: {mode:o}; chmod o-r it")));
    }
    let folder = to.parent().expect("the key is in the working folder");
    files::create_private_folder(folder).map_err(|error| because_of(unverified(&error), &error))?;
    // An earlier try may have left a part of it.
    let _ = files::remove(to);
    from.copy_for_owner(to).map_err(|error| because(unverified(&error), &error))
}

/// Copies what was cloned to its destination, unless the attempt in `folder` is killed. After a failure that may pass
/// it copies all again, which changes nothing of what has arrived.
fn copy_to_destination(clone: &Path, destination: &Located, folder: &Path) -> WorkOutcome {
    let stop = || attempt::is_kill_requested(folder);
    blocked::outcome(retry_while_blocked(folder, || match destination.take_copy_of(clone, &stop) {
        Ok(true) => Ok(Completion::ToTheEnd),
        Ok(false) => Ok(Completion::Stopped),
        Err(error) => {
            let why = format!("Unable to copy the clone to {}: {error}", destination.place());
            Err(because(Failure::error("JA018", why), &error))
        }
    }))
}

/// Returns the failure of a clone, with git's message at the end of `errors`.
pub(super) fn failure(errors: &str) -> Failure {
    let lines: Vec<&str> = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let message = match lines.iter().rposition(|line| line.starts_with("fatal: ")) {
        // The line before has the reason from the transport.
        Some(fatal) if fatal > 0 && lines[fatal].starts_with(UNREADABLE) => lines[fatal - 1..=fatal].join("; "),
        Some(fatal) => lines[fatal].to_owned(),
        None => lines.last().copied().unwrap_or_default().to_owned(),
    };
    Failure::error("JA018", format!("Unable to clone Git repo: {message}"))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::testing::{Sandbox, element, here};
    use super::*;

    fn planned(body: &str) -> Result<CloneWork, Failure> {
        let body = format!("<git><name-node>hdfs://nn</name-node>{body}</git>");
        match plan(&element(&body), &Sandbox::new().context())? {
            Task::Clone(work) => Ok(*work),
            _ => unreachable!("git plans a clone"),
        }
    }

    const URIS: &str = "<git-uri>-u ext::sh</git-uri><destination-uri>/lake/repo</destination-uri>";

    #[test]
    fn the_repository_is_never_an_option_and_the_destination_is_in_its_store() {
        let work = planned(URIS).unwrap();
        let expect = ["-c", "protocol.ext.allow=never", "clone", "--", "-u ext::sh", "clone"];
        assert_eq!(work.command.line.arguments, expect);
        assert!(work.destination.path().ends_with("store/lake/repo"), "{:?}", work.destination);
        let branch = planned(&format!("{URIS}<branch>--upload-pack=x</branch>")).unwrap();
        assert_eq!(branch.command.line.arguments[3..5], ["--branch=--upload-pack=x", "--single-branch"]);
    }

    #[test]
    fn ssh_accepts_unknown_hosts_and_uses_one_key() {
        let ssh = |body: &str| planned(body).unwrap().command.line.environment["GIT_SSH_COMMAND"].clone();
        assert_eq!(ssh(URIS), "'ssh' -o StrictHostKeyChecking=no -o BatchMode=yes");
        let with_key = ssh(&format!("{URIS}<key-path>hdfs://nn/key</key-path>"));
        assert!(
            with_key.starts_with("'ssh' -i '/") && with_key.contains("/attempt/work/key' -o Identities"),
            "{with_key}"
        );
        assert_eq!(ssh_command("/o'k/ssh", None).split(" -o").next(), Some(r"'/o'\''k/ssh'"));
    }

    #[test]
    fn what_is_missing_has_its_code() {
        for (body, code) in [
            ("<git-uri>u</git-uri>", "GIT010"),
            ("<git-uri/><destination-uri>/d</destination-uri>", "GIT010"),
            ("<git-uri>u</git-uri><destination-uri>s3a://b/d</destination-uri>", "HadoopAccessorException"),
            ("<git-uri>u</git-uri><destination-uri>d</destination-uri>", "FS011"),
        ] {
            assert_eq!(planned(body).unwrap_err().code, code, "{body}");
        }
    }

    #[test]
    fn the_message_of_git_is_kept() {
        let check = |errors: &str, expect: &str| {
            assert_eq!(failure(errors).message, format!("Unable to clone Git repo: {expect}"));
        };
        let denied = "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease \
                      make sure you have the correct access rights\nand the repository exists.\n";
        check(denied, "git@h: Permission denied (publickey).; fatal: Could not read from remote repository.");
        check(
            "Cloning into 'clone'...\nfatal: repository '/x' does not exist\n",
            "fatal: repository '/x' does not exist",
        );
        check("killed", "killed");
        check("", "");
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let sandbox = Sandbox::new();
        let file = sandbox.write("id", "secret");
        let key = here(&file.to_string_lossy());
        let to = sandbox.attempt.join("work/key");
        for (mode, expect) in [(0o644, Some("GIT012")), (0o640, None), (0o600, None)] {
            set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let code = take_key(&key, &to).err().map(|failure| failure.code);
            assert_eq!(code.as_deref(), expect, "{mode:o}");
        }
        assert_eq!(here(&to.to_string_lossy()).mode().unwrap(), 0o600);
        assert!(take_key(&here("/none"), &to).is_err_and(|failure| failure.code == "GIT011"));
    }
}

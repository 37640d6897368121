//! The `ssh` action: a command on another machine, through this machine's ssh client.
//!
//! Follows the ssh action's specification and `SshActionExecutor`. The client runs in the foreground under the shim, so
//! its end is the command's end and nothing is polled. Never prompts: a host that requires a password is a failure.
//! Accesses no file.

mod fault;
mod remote;

use super::launch::{Launch, Program};
use super::words::{OPEN_END, shell_words};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Capture, CaptureSource, Ending, FailureRule};
use crate::failure::Failure;
use fault::UNKNOWN;
use howdah_host::command::CommandLine;
use howdah_xml::Element;

pub(super) use fault::failure;

/// Options that are always set, after those of the site: the client uses the first value of an option.
const OPTIONS: [&str; 5] = [
    "BatchMode=yes",
    "PasswordAuthentication=no",
    "KbdInteractiveDevices=no",
    "StrictHostKeyChecking=no",
    "ConnectTimeout=20",
];
/// The client detects within three intervals that the other machine is gone.
const ALIVE: &str = "ServerAliveInterval=60";
const SITE_OPTIONS: &str = "howdah.ssh.options";
const ALLOW_OTHER_USER: &str = "oozie.action.ssh.allow.user.at.host";
const MISMATCH: &str = "ERR_USER_MISMATCH";
const OUTPUT_MAX: &str = "oozie.servlet.CallbackServlet.max.data.len";
/// Characters of captured output unless the site says otherwise.
const DEFAULT_OUTPUT_MAX: usize = 2048;
/// The file in the attempt's folder with the client's own messages, separate from the command's output.
const LOG: &str = "ssh.log";

/// Returns the work of an `ssh` action. `ERR_USER_MISMATCH` for another user's account where the site does not allow
/// it; the message of H0121 for invalid options of the site.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::of(element, context)?;
    let target = target(&element.child("host").map(|host| host.text().value).unwrap_or_default(), context)?;
    let client = client(&launch, &target)?;
    let token = context.token;
    let program = Program::installed("ssh", context);
    let line = |text: String| [client.as_slice(), &[text]].concat();
    launch.on_kill = vec![CommandLine {
        program: program.path.clone(),
        arguments: line(remote::end(token)),
        environment: launch.environment.clone(),
        directory: context.directory.to_owned(),
    }];
    let ending = Ending {
        failure: FailureRule::RemoteCommand { log: LOG.to_owned() },
        capture: element
            .child("capture-output")
            .map(|_| Capture { from: CaptureSource::RemoteOutput, limit: output_max(context) }),
    };
    let start = line(remote::begin(token, &remote::command(element)));
    Ok(launch.command(program, start, ending))
}

/// `user@host`: without a user it is the job's.
fn target(host: &str, context: &ActionContext<'_>) -> Result<String, Failure> {
    let host = host.trim();
    let (user, name) = host.split_once('@').unwrap_or((context.user, host));
    if user.is_empty() || name.is_empty() {
        return Err(Failure::error(UNKNOWN, format!("{UNKNOWN}: host [{host}] is not of the form [user@]host")));
    }
    let allowed = context.site.get(ALLOW_OTHER_USER).is_none_or(|value| value.trim().eq_ignore_ascii_case("true"));
    if !allowed && user != context.user {
        let message = format!("{MISMATCH}: user mismatch between oozie user [{}] and ssh host [{host}]", context.user);
        return Err(Failure::error(MISMATCH, message));
    }
    Ok(format!("{user}@{name}"))
}

/// Returns the client's arguments up to and with the host. `--` keeps a host from being read as an option.
fn client(launch: &Launch<'_>, target: &str) -> Result<Vec<String>, Failure> {
    let site = launch.context.site.get(SITE_OPTIONS).map(String::as_str).unwrap_or_default();
    let mut arguments = shell_words(site).ok_or_else(|| {
        Failure::non_transient(UNKNOWN, format!("{UNKNOWN}: {SITE_OPTIONS} in the site file, [{site}]: {OPEN_END}"))
    })?;
    for option in OPTIONS.into_iter().chain([ALIVE]) {
        arguments.extend(["-o".to_owned(), option.to_owned()]);
    }
    let log = launch.in_attempt(LOG).to_string_lossy().into_owned();
    arguments.extend(["-n", "-T", "-E", &log, "--", target].map(str::to_owned));
    Ok(arguments)
}

fn output_max(context: &ActionContext<'_>) -> usize {
    context.site.get(OUTPUT_MAX).and_then(|text| text.trim().parse().ok()).unwrap_or(DEFAULT_OUTPUT_MAX)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element};
    use super::*;
    use crate::command_work::CommandWork;
    use crate::failure::FailureKind;

    fn planned(sandbox: &Sandbox, body: &str) -> Result<CommandWork, Failure> {
        match plan(&element(&format!("<ssh>{body}</ssh>")), &sandbox.context())? {
            Task::Command(work) => Ok(*work),
            _ => unreachable!("ssh plans a command"),
        }
    }

    fn site(properties: &[(&str, &str)]) -> Sandbox {
        let mut sandbox = Sandbox::new();
        sandbox.site = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        sandbox
    }

    fn check_target(host: &str, allow_other: &str, expect: Result<&str, (FailureKind, &str)>) {
        let work = planned(&site(&[(ALLOW_OTHER_USER, allow_other)]), &format!("<host>{host}</host>"));
        let found = work.as_ref().map(|work| work.line.arguments[work.line.arguments.len() - 2].as_str());
        assert_eq!(found.map_err(|failure| (failure.kind, failure.code.as_str())), expect, "{host}");
    }

    #[test]
    fn the_host_has_a_user() {
        check_target("far", "true", Ok("ann@far"));
        check_target(" bob@far ", "true", Ok("bob@far"));
        check_target("ann@far", "false", Ok("ann@far"));
        check_target("far", "false", Ok("ann@far"));
        check_target("-oProxyCommand=x", "true", Ok("ann@-oProxyCommand=x"));
        check_target("bob@far", "false", Err((FailureKind::Error, "ERR_USER_MISMATCH")));
        check_target("", "true", Err((FailureKind::Error, "UNKNOWN_ERROR")));
        check_target("bob@", "true", Err((FailureKind::Error, "UNKNOWN_ERROR")));
    }

    #[test]
    fn the_sites_options_come_first_and_no_option_comes_after_the_host() {
        let sandbox = site(&[(SITE_OPTIONS, "-p 2222 -i '/a key' -o \"User=x\"\"y\""), ("howdah.command.ssh", "/s")]);
        let work = planned(&sandbox, "<host>far</host><command>ls</command>").unwrap();
        assert_eq!(work.line.program, "/s");
        assert_eq!(work.line.arguments[..6], ["-p", "2222", "-i", "/a key", "-o", "User=xy"]);
        let end = &work.line.arguments[work.line.arguments.len() - 3..];
        assert_eq!(end[..2], ["--", "ann@far"]);
        let kill = &work.on_kill[0];
        assert_eq!((kill.program.as_str(), kill.arguments.len()), ("/s", work.line.arguments.len()));
        let failure = planned(&site(&[(SITE_OPTIONS, "-i 'x")]), "<host>far</host>").unwrap_err();
        assert_eq!(failure.kind, FailureKind::NonTransient);
        assert!(failure.message.contains("a quotation mark is not closed"), "{}", failure.message);
    }

    #[test]
    fn captured_output_has_the_limit_of_callbacks() {
        let limit = |sandbox: &Sandbox| {
            let work = planned(sandbox, "<host>h</host><command>c</command><capture-output/>").unwrap();
            work.ending.capture.unwrap().limit
        };
        assert_eq!(limit(&Sandbox::new()), 2048);
        assert_eq!(limit(&site(&[(OUTPUT_MAX, "7")])), 7);
    }
}

//! The `ssh` action on a real server: what the command gets, what it returns, how it fails, how it is killed.

use howdah_sandbox::one_action::{attempt, begin, kill, run};
use howdah_sandbox::sandbox::{Sandbox, is_alive, wait_for};
use howdah_sandbox::sshd::Sshd;

fn body(host: &str, command: &str, elements: &str) -> String {
    format!("<ssh xmlns='uri:oozie:ssh-action:0.2'><host>{host}</host><command>{command}</command>{elements}</ssh>")
}

/// A program on the other machine that prints how many arguments it has and what they are.
fn counter(sandbox: &Sandbox) -> String {
    let path = sandbox.write("count.sh", "echo count=$#; for item; do echo \"item=$item\"; done; cat >&2\n");
    format!("sh {}", path.display())
}

#[test]
fn a_command_gets_its_arguments_and_hands_its_output_back() {
    let sandbox = Sandbox::new();
    let Some(sshd) = Sshd::start(&sandbox) else { return };
    let site = sshd.options(&sandbox, "key");
    for (elements, output) in [
        ("<args>a b</args><args>c</args>", "count=3\nitem=a\nitem=b\nitem=c\n"),
        ("<arg>a b</arg><arg>it\"'\"s</arg><arg/>", "count=3\nitem=a b\nitem=it's\nitem=\n"),
        ("<arg>$((6*7))</arg><arg>'$x; \"y'</arg>", "count=2\nitem=42\nitem=$x; \"y\n"),
    ] {
        let elements = format!("{elements}<capture-output/>");
        assert_eq!(run(&sandbox, &site, &body("127.0.0.1", &counter(&sandbox), &elements)), "SUCCEEDED, OK");
        assert_eq!(sandbox.read(&format!("{}/stdout", attempt(&sandbox))), output);
        assert_eq!(sandbox.read(&format!("{}/stderr", attempt(&sandbox))), "", "the client's words are kept apart");
    }
    let data = sandbox.database().rows("SELECT data FROM workflow_node WHERE name = 'work' ORDER BY job");
    assert!(data[0].contains("\"count\":\"3\""), "{data:?}");
    assert_eq!(Sshd::left_behind(&sandbox), [""; 0]);
}

#[test]
fn every_failure_has_its_code() {
    let sandbox = Sandbox::new();
    let Some(sshd) = Sshd::start(&sandbox) else { return };
    let check = |site: &str, host: &str, command: &str, expect: &str| {
        let got = run(&sandbox, site, &body(host, command, "<capture-output/>"));
        assert!(got.starts_with(expect), "{command}: {got}");
    };
    let site = sshd.options(&sandbox, "key") + "oozie.action.retries.max=0\n";
    check(&site, "127.0.0.1", "exit 7", "KILLED, ERROR, E1111: Exit code:7");
    check(&site, "127.0.0.1", "echo Permission denied; exit 255", "KILLED, ERROR, E1111: Exit code:255");
    check(&site, "127.0.0.1", "no-such-program", "KILLED, ERROR, E1111: Exit code:127");
    check(&site, "127.0.0.1", "kill -9 $$", "KILLED, ERROR, E1111: Exit code:137");
    check(&site, "127.0.0.1", "seq 2000", "FAILED, FAILED, ERR_OUTPUT_EXCEED_MAX_LEN: ");
    check(&site, "no-such-host.invalid", "true", "SUSPENDED, START_MANUAL, COULD_NOT_RESOLVE_HOST: ");
    let locked = sshd.options(&sandbox, "other-key");
    check(&locked, "127.0.0.1", "true", "SUSPENDED, START_MANUAL, AUTH_FAILED: AUTH_FAILED: ");
    let own = format!("{site}oozie.action.ssh.allow.user.at.host=false\n");
    check(&own, "nobody@127.0.0.1", "true", "KILLED, ERROR, ERR_USER_MISMATCH: ");
    let absent = format!("{site}howdah.command.ssh=/nonexistent/ssh\n");
    check(&absent, "127.0.0.1", "true", "KILLED, ERROR, JA018: Cannot run program \"/nonexistent/ssh\"");
    drop(sshd);
    check(&site, "127.0.0.1", "true", "KILLED, ERROR, UNKNOWN_ERROR: ");
}

#[test]
fn a_kill_reaches_every_process_on_the_other_machine() {
    let sandbox = Sandbox::new();
    let Some(sshd) = Sshd::start(&sandbox) else { return };
    let site = sshd.options(&sandbox, "key");
    // The second one ignores the request to end; the third one, below `timeout`, is in a process group of its own.
    let script = "echo $$ > first; sh -c 'trap \"\" TERM; echo $$ > second; while :; do sleep 1; done' & \
                  timeout 600 sh -c 'echo $$ > third; sleep 600' & wait\n";
    sandbox.write("long.sh", &format!("cd {}; {script}", sandbox.text("")));
    let job = begin(&sandbox, &site, &body("127.0.0.1", "sh", &format!("<arg>{}</arg>", sandbox.text("long.sh"))));
    let pids = ["first", "second", "third"].map(|name| sandbox.await_file(name).parse::<i32>().expect("a number"));
    assert!(pids.iter().all(|pid| is_alive(*pid)) && Sshd::left_behind(&sandbox).len() == 1);
    assert!(kill(&sandbox, &job).starts_with("KILLED, KILLED"));
    wait_for("the processes on the other machine to end", || (!pids.iter().any(|pid| is_alive(*pid))).then_some(()));
    assert_eq!(sandbox.read(&format!("{}/stderr", attempt(&sandbox))), "");
    assert_eq!(Sshd::left_behind(&sandbox), [""; 0]);
}

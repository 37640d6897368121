//! Requests of other users of the machine. Only root can create one: these tests belong to the full tier.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use howdah_sandbox::application::{shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_sandbox::second_user::{SecondUser, program_for_all, set_mode};
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

const NOW: &str = "2015-06-22T15:06Z";
/// The number that the kernel shows for a user that has none in a user namespace.
const OVERFLOW_USER: u32 = 65_534;

/// Returns a request that pauses all jobs.
fn pause(port: u16) -> String {
    let head = format!("Host: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    format!("PUT /oozie/v1/admin/status?systemmode=SAFEMODE HTTP/1.1\r\n{head}")
}

/// Sends a request as a user as often as `times` says, and returns the answers; without `reads` the client closes its
/// connection as soon as it has sent the request.
fn send(port: u16, uid: u32, (times, reads): (u32, bool)) -> String {
    let read = if reads { "cat <&3; " } else { "" };
    let one = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; cat \"$0\" >&3; {read}exec 3>&-");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), pause(port)).expect("a file");
    set_mode(file.path(), 0o644);
    let mut command = Command::new("bash");
    command.args(["-c", &format!("for i in $(seq {times}); do {one}; done")]).arg(file.path());
    let ran = command.uid(uid).gid(uid).output().expect("bash is installed");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[test]
fn another_user_changes_nothing() {
    let Some(user) = SecondUser::new("serve") else { return };
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &["--allow-write"]);
    let mode = || server.get("/oozie/v1/admin/status").json(200)["systemMode"].clone();
    let refused = send(server.port, user.uid, (1, true));
    assert!(refused.starts_with("HTTP/1.1 403 ") && refused.contains("--token-file"), "{refused}");
    // The kernel shows a closed socket as if it were root's.
    for _ in 0..20 {
        send(server.port, user.uid, (10, false));
        assert_eq!(mode(), "NORMAL");
    }
    // The last requests may still be worked on.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(mode(), "NORMAL");
    let allowed = send(server.port, 0, (1, true));
    assert!(allowed.starts_with("HTTP/1.1 200 "), "{allowed}");
    assert_eq!(mode(), "SAFEMODE");
}

#[test]
fn a_user_without_a_number_here_is_not_the_user_of_the_server() {
    if !tier::root("it starts a server as another user") {
        return;
    }
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o755);
    std::fs::create_dir(sandbox.path("own")).expect("a folder");
    std::os::unix::fs::chown(sandbox.path("own"), Some(OVERFLOW_USER), None).expect("root may give things away");
    let mut command = Command::new(program_for_all(&sandbox));
    command.args(["serve", "--listen", "127.0.0.1:0", "--allow-write"]).uid(OVERFLOW_USER).gid(OVERFLOW_USER);
    command.env_clear().env("HOWDAH_DB", sandbox.path("own/howdah.db")).env("HOME", sandbox.path("own"));
    let log = File::create(sandbox.path("serve.log")).expect("a file");
    let mut server = command.stderr(log).spawn().expect("howdah starts");
    let port = wait_for("the server to listen", || Server::port_in(&sandbox.read("serve.log")));
    let refused = send(port, OVERFLOW_USER, (1, true));
    let allowed = send(port, 0, (1, true));
    server.kill().and_then(|()| server.wait()).expect("a process of this test");
    assert!(refused.starts_with("HTTP/1.1 403 ") && refused.contains("--token-file"), "{refused}");
    assert!(allowed.starts_with("HTTP/1.1 200 "), "{allowed}");
}

#[test]
fn a_token_belongs_to_root_or_to_the_user_of_the_server() {
    let Some(user) = SecondUser::new("token") else { return };
    let sandbox = Sandbox::new();
    let file = sandbox.write("token", "0123456789abcdef-secret\n");
    set_mode(&file, 0o600);
    let serve = |file: &Path| {
        let options = ["serve", "--listen", "127.0.0.1:0", "--allow-write", "--token-file"];
        sandbox.howdah(options).with(file).env("HOWDAH_DB", sandbox.path("none/howdah.db"))
    };
    std::os::unix::fs::chown(&file, Some(user.uid), None).expect("root may give things away");
    let ran = serve(&file).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("error[H0196]"), "{ran:?}");
    assert!(ran.stderr.contains("it belongs to the user") && !ran.stderr.contains("0123456789abcdef"), "{ran:?}");
}

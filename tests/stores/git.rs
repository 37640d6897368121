//! The `git` action with the real client, from a folder and over ssh.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use howdah_sandbox::engines::{self, apt};
use howdah_sandbox::one_action::{attempt, begin, kill, run};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::sshd::Sshd;
use howdah_tier as tier;

/// Creates a repository in `repo.git` with a file on its branch `main` and another one on `side`; returns `false` and
/// prints why where there is no git.
fn repository(sandbox: &Sandbox) -> bool {
    if engines::run(Command::new("git").arg("--version")).is_err()
        && let Err(why) = apt(&["git"])
    {
        tier::missing("git", why);
        return false;
    }
    let git = |words: &str| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]);
        git.current_dir(sandbox.path("source")).args(words.split(' '));
        engines::run(&mut git).expect("git works");
    };
    sandbox.write("source/deep/file", "main");
    std::os::unix::fs::symlink("/nonexistent", sandbox.path("source/link")).expect("a link");
    git("init -q");
    git("add .");
    git("commit -qm first");
    git("checkout -qb side");
    sandbox.write("source/deep/file", "side");
    git("commit -qam second");
    git("checkout -q main");
    git("clone -q --bare . ../repo.git");
    true
}

fn body(uri: &str, rest: &str) -> String {
    format!(
        "<git xmlns='uri:oozie:git-action:1.0'><name-node>file:///</name-node><git-uri>{uri}</git-uri>{rest}\
         <destination-uri>${{sandbox}}/lake</destination-uri></git>"
    )
}

#[test]
fn a_repository_arrives_at_its_destination() {
    let sandbox = Sandbox::new();
    if !repository(&sandbox) {
        return;
    }
    sandbox.write("lake/kept", "old");
    let uri = format!("file://{}", sandbox.text("repo.git"));
    for (rest, content) in [("", "main"), ("<branch>side</branch>", "side"), ("<branch>main</branch>", "main")] {
        assert_eq!(run(&sandbox, "", &body(&uri, rest)), "SUCCEEDED, OK");
        assert_eq!((sandbox.read("lake/deep/file").as_str(), sandbox.read("lake/kept").as_str()), (content, "old"));
        let branches = sandbox.read("lake/.git/config");
        assert_eq!(branches.contains("refs/heads/*"), rest.is_empty(), "{branches}");
    }
    assert_eq!(std::fs::read_link(sandbox.path("lake/link")).expect("a link"), Path::new("/nonexistent"));
}

#[test]
fn every_failure_has_its_code() {
    let sandbox = Sandbox::new();
    if !repository(&sandbox) {
        return;
    }
    let check = |uri: &str, rest: &str, expect: &str| {
        let got = run(&sandbox, "", &body(uri, rest));
        assert!(got.starts_with(&format!("KILLED, ERROR, {expect}")), "{uri}: {got}");
    };
    let uri = format!("file://{}", sandbox.text("repo.git"));
    let absent = "JA018: Unable to clone Git repo: fatal: ";
    check("/nonexistent/repo.git", "", &format!("{absent}repository '/nonexistent/repo.git' does not exist"));
    check(&uri, "<branch>none</branch>", &format!("{absent}Remote branch none not found"));
    let hostile = format!("ext::sh -c touch% {}/pwned", sandbox.text(""));
    check(&hostile, "", &format!("{absent}transport 'ext' not allowed"));
    let option = format!("--upload-pack=touch {}/pwned", sandbox.text(""));
    check(&option, "", absent);
    check("", "", "GIT010: GIT010: Action Configuration does not have [oozie.git.source.uri] property");
    let key = sandbox.write("key", "secret");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("own file");
    check(&uri, "<key-path>${sandbox}/key</key-path>", "GIT012: GIT012: The permissions on the access key");
    check(&uri, "<key-path>${sandbox}/none</key-path>", "GIT011: GIT011: Not able to verify permissions on key file");
    assert!(!sandbox.path("pwned").exists() && !sandbox.path("lake").exists());
}

/// A site whose ssh client ignores the user's own settings.
fn site(sandbox: &Sandbox, before: &str) -> String {
    let script = format!("#!/bin/sh\n{before}\nexec ssh -F none -o UserKnownHostsFile=/dev/null \"$@\"\n");
    let path = sandbox.write("our ssh", &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("own file");
    format!("howdah.command.ssh={}\n", path.display())
}

#[test]
fn a_repository_on_another_machine_wants_a_key() {
    let sandbox = Sandbox::new();
    let Some(sshd) = Sshd::start(&sandbox) else { return };
    if !repository(&sandbox) {
        return;
    }
    let site = site(&sandbox, "");
    let body =
        |key: &str| body(&sshd.url(&sandbox.text("repo.git")), &format!("<key-path>${{sandbox}}/ssh/{key}</key-path>"));
    assert_eq!(run(&sandbox, &site, &body("key")), "SUCCEEDED, OK");
    assert_eq!(sandbox.read("lake/deep/file"), "main");
    assert!(!sandbox.path(&format!("{}/work/key", attempt(&sandbox))).exists(), "the copy of the key is gone");
    let denied = run(&sandbox, &site, &body("other-key"));
    assert!(
        denied.starts_with("KILLED, ERROR, JA018: Unable to clone Git repo: ") && denied.contains("Permission denied"),
        "{denied}"
    );
}

#[test]
fn a_clone_is_killed_while_it_waits_for_the_other_machine() {
    let sandbox = Sandbox::new();
    if !repository(&sandbox) {
        return;
    }
    let waiting = format!("echo $$ > {}; sleep 600", sandbox.text("waiting"));
    let job = begin(&sandbox, &site(&sandbox, &waiting), &body("ssh://nobody@127.0.0.1/repo.git", ""));
    sandbox.await_file("waiting");
    assert!(kill(&sandbox, &job).starts_with("KILLED, KILLED"));
    assert!(!sandbox.path("lake").exists());
}

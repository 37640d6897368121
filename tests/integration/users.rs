//! Jobs of several users: root's ticks run them as they, everybody else is refused the jobs of others. The tests that
//! need a second user are made only where they may make one, as root, and say so elsewhere.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::application::{action, shell, workflow};
use crate::sandbox::{Sandbox, is_alive, skip, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// A user of the machine who exists as long as this value.
struct SecondUser {
    name: String,
    uid: u32,
}

impl SecondUser {
    /// Makes a user; `None`, and why is printed, when this process may not.
    fn new(purpose: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            skip("a second user", "only root can make one");
            return None;
        }
        let name = format!("hwd-{purpose}-{}", std::process::id());
        // The user table is locked while another test changes it.
        let make = || Command::new("useradd").args(["--no-create-home", "--user-group", &name]).status();
        let made = (0..50).any(|_| {
            let made = make().is_ok_and(|status| status.success());
            if !made {
                std::thread::sleep(Duration::from_millis(100));
            }
            made
        });
        if !made {
            skip("a second user", "useradd could not make one");
            return None;
        }
        let table = fs::read_to_string("/etc/passwd").expect("a user table");
        let line = table.lines().find(|line| line.starts_with(&format!("{name}:"))).expect("the new user");
        let uid = line.split(':').nth(2).and_then(|uid| uid.parse().ok()).expect("the number of a user");
        Some(Self { name, uid })
    }
}

impl Drop for SecondUser {
    fn drop(&mut self) {
        for _ in 0..50 {
            if Command::new("userdel").arg(&self.name).status().is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions of an own file");
}

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).expect("a file").mode() & 0o777
}

#[test]
fn commands_and_file_operations_run_as_the_user_of_the_job() {
    let Some(user) = SecondUser::new("run") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    let made = sandbox.text("open/made");
    let nodes = [
        shell("who", "id -un; id -gn; echo $HOME $USER db=$HOWDAH_DB; cat $PWD/../../../../../secret", "make"),
        action("make", &format!("<fs><mkdir path=\"{made}\"/></fs>"), "end", ""),
    ];
    workflow(&sandbox, "app", "who", &nodes);
    set_mode(sandbox.write("secret", "for root alone"), 0o600);
    let job = sandbox.submit(NOW, &[("user.name", &user.name), ("oozie.job.acl", "ops")]);
    sandbox.await_quiet();
    let database = sandbox.database();
    assert_eq!(database.job(&job), "KILLED", "the secret was read: {}", sandbox.howdah(["log", &job]).run().stdout);
    let log = sandbox.howdah(["log", &job]).succeed().stdout;
    assert!(log.contains(&format!("{0}\n{0}\n", user.name)), "{log}");
    assert!(log.contains(&format!("/home/{0} {0} db=\n", user.name)), "{log}");
    assert!(log.contains("Permission denied"), "{log}");
    let columns = database.rows("SELECT user, group_name FROM workflow_job");
    assert_eq!(columns, [format!("{} ops", user.name)]);
    let folders = database.rows("SELECT directory FROM attempt");
    let attempt = fs::metadata(&folders[0]).expect("the folder of the attempt");
    assert_eq!((attempt.uid(), attempt.mode() & 0o777), (user.uid, 0o700));
}

#[test]
fn a_killed_command_of_another_user_ends() {
    let Some(user) = SecondUser::new("kill") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    // The command has none of root's environment, so it is found by its number alone.
    workflow(&sandbox, "app", "wait", &[shell("wait", "echo $$ > ${sandbox}/open/pid; exec sleep 60", "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    let command = sandbox.await_file("open/pid").parse().expect("the number of a process");
    sandbox.howdah(["kill", &job]).succeed();
    wait_for("the command to end", || (!is_alive(command)).then_some(()));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
}

#[test]
fn a_user_who_cannot_come_there_or_does_not_exist_is_refused() {
    let Some(user) = SecondUser::new("way") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o700);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let submit = |name: &str| {
        let submit = sandbox.howdah(["submit"]).at(NOW).define("user.name", name);
        submit.define("oozie.wf.application.path", &sandbox.text("app")).run()
    };
    let ran = submit(&user.name);
    assert!(ran.status == Some(1) && ran.stderr.contains("H0152") && ran.stderr.contains("chmod o+x"), "{ran:?}");
    let ran = submit("hwd-nobody-has-this-name");
    assert!(ran.status == Some(1) && ran.stderr.contains("H0151"), "{ran:?}");
    assert_eq!(sandbox.database().rows("SELECT count(*) FROM workflow_job"), ["0"]);
}

#[test]
fn who_is_not_root_works_for_nobody_else() {
    let Some(user) = SecondUser::new("own") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o755);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let program = sandbox.path("howdah");
    fs::copy(env!("CARGO_BIN_EXE_howdah"), &program).expect("a copy that everyone may run");
    let place = sandbox.path("own");
    fs::create_dir(&place).expect("a folder");
    std::os::unix::fs::chown(&place, Some(user.uid), None).expect("root may give things away");
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let mut command = Command::new(&program);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &place).env("SANDBOX", sandbox.path(""));
    command.current_dir(&place).uid(user.uid).gid(user.uid);
    let output = command.args(["--db", "own.db", "submit", "-D", "user.name=root", "-D", &path]).output();
    let output = output.expect("howdah starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("H0150"), "{errors}");
    assert!(errors.contains("run the job as yours"), "{errors}");
}

#[test]
fn what_is_stored_is_for_its_owner_alone_whatever_the_umask() {
    let sandbox = Sandbox::new().with_database("made/howdah.db");
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    for umask in ["000", "277"] {
        let line = format!("umask {umask}; exec \"$0\" submit -D {path}");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_howdah")]).env("SANDBOX", sandbox.path(""));
        let status = command.env("HOWDAH_DB", sandbox.path(&format!("of{umask}.db"))).status();
        assert!(status.is_ok_and(|status| status.success()), "{umask}");
        assert_eq!(mode(sandbox.path(&format!("of{umask}.db"))), 0o600, "{umask}");
    }
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!((mode(sandbox.path("made")), mode(sandbox.path("made/howdah.runs"))), (0o700, 0o700));
    for suffix in ["", ".runner.lock", ".runner.log"] {
        assert_eq!(mode(sandbox.beside_database(suffix)) & 0o077, 0, "{suffix}");
    }
    set_mode(sandbox.database_path(), 0o644);
    let ran = sandbox.howdah(["jobs"]).succeed();
    assert!(ran.stderr.contains("others may use the database") && ran.stderr.contains("chmod 600"), "{ran:?}");
    assert_eq!(sandbox.howdah(["jobs", "-q"]).succeed().stderr, "");
}

#[test]
fn a_changed_user_name_of_an_action_is_refused_unless_the_site_says_otherwise() {
    for (site, expect) in [("false", "FAILED"), ("true", "SUCCEEDED")] {
        let sandbox = Sandbox::new();
        crate::application::Coordinator {
            end: "2010-01-01T01:00Z",
            properties: &[("user.name", "somebody-else")],
            ..Default::default()
        }
        .write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
        let setting = format!("oozie.configuration.check-and-set.user.name={site}\n");
        let file = sandbox.write("site.properties", &setting);
        let job = sandbox.submit(NOW, &[]);
        sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_SITE", &file).run();
        sandbox.await_quiet();
        assert_eq!(sandbox.database().actions(), format!("1 {expect}"), "{site} {job}");
    }
}

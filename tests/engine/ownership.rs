//! Ownership: a database of another user, the files beside a database, what a process inherits, and the run folders
//! that a purge empties.
//!
//! Most tests need a second user, whom only root can create.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::hostile_paths::{Victim, shared};
use howdah_sandbox::application::{Coordinator, action, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};
use howdah_sandbox::second_user::{SecondUser, program_for_all};

const NOW: &str = "2010-01-01T00:00Z";

#[test]
fn open_files_of_the_caller_reach_no_command_and_hold_no_lock() {
    let sandbox = Sandbox::new();
    sandbox.write("secret", "for-root-alone");
    let line = "ls -l /proc/self/fd > ${sandbox}/open.new; mv ${sandbox}/open.new ${sandbox}/open; \
                while [ ! -e ${sandbox}/gate ]; do sleep 0.02; done";
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    let script = format!(
        "exec 7< secret 9> lock; flock 9; exec \"$0\" submit --now {NOW} -D oozie.wf.application.path={} -D sandbox={}",
        sandbox.text("app"),
        sandbox.text("")
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_howdah")]).current_dir(sandbox.path("")).env_clear();
    command
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", sandbox.path("home"))
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX");
    let status = command.env("HOWDAH_DB", sandbox.database_path()).stdout(std::process::Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()));
    let open = sandbox.await_file("open");
    assert!(!open.contains("secret") && !open.contains("lock"), "{open}");
    // The runner and the shim are alive, and do not hold the lock of the process that submitted.
    let free = Command::new("flock").args(["-n", "lock", "true"]).current_dir(sandbox.path("")).status();
    assert!(free.is_ok_and(|status| status.success()), "{:?}", sandbox.processes());
    for pid in sandbox.processes() {
        // A process that has ended since holds nothing.
        let Ok(held) = fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        let held: Vec<_> = held.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
        assert!(held.iter().all(|file| !file.ends_with("secret") && !file.ends_with("lock")), "{pid} {held:?}");
    }
    sandbox.write("gate", "");
    sandbox.await_quiet();
}

#[test]
fn other_users_may_not_write_what_is_created_under_an_open_umask() {
    let sandbox = Sandbox::new();
    workflow(
        &sandbox,
        "app",
        "one",
        &[
            shell("one", "umask > ${sandbox}/umask; : > ${sandbox}/made", "two"),
            action("two", "<fs><mkdir path='${sandbox}/folder'/><touchz path='${sandbox}/file'/></fs>", "end", ""),
        ],
    );
    let script = format!(
        "umask 000; exec \"$0\" submit --now {NOW} -D oozie.wf.application.path={} -D sandbox={}",
        sandbox.text("app"),
        sandbox.text("")
    );
    let mut command = Command::new("sh");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_howdah")])
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX");
    let status = command.env("HOWDAH_DB", sandbox.database_path()).stdout(std::process::Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()));
    sandbox.await_quiet();
    let nodes = sandbox.database().rows("SELECT name, status, error_code, error_message FROM workflow_node");
    assert_eq!(sandbox.read("umask").trim(), "0022", "{nodes:?}");
    for (path, expect) in [("made", 0o644), ("folder", 0o755), ("file", 0o644)] {
        let mode = fs::metadata(sandbox.path(path)).map(|metadata| metadata.permissions().mode() & 0o777).ok();
        assert_eq!(mode, Some(expect), "{path}: {nodes:?}");
    }
    let found = Command::new("find").arg(sandbox.path("")).args(["-name", "howdah.*", "-perm", "/077"]).output();
    assert_eq!(String::from_utf8_lossy(&found.expect("find runs").stdout), "");
}

/// A command line of the program as the second user, in a folder of theirs.
fn as_user(sandbox: &Sandbox, user: &SecondUser, arguments: &[&str]) -> Ran {
    let mut command = Command::new(program_for_all(sandbox));
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", sandbox.path("open"))
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX");
    let output = command.current_dir(sandbox.path("open")).uid(user.uid).gid(user.uid).args(arguments).output();
    output.expect("howdah starts").into()
}

/// Makes a database say who owns its jobs. SQLite gives files that root creates beside a database to the database's
/// owner.
fn say_user(database: &str, user: &str) {
    let connection = rusqlite::Connection::open(database).expect("a database");
    connection.execute("UPDATE coordinator_job SET user = ?1", [user]).expect("a table of ours");
}

#[test]
fn root_works_on_another_users_database_as_that_user() {
    let Some(user) = SecondUser::new("owner") else { return };
    let sandbox = shared(&user);
    let database = sandbox.text("open/own.db");
    Coordinator { end: "2010-01-01T02:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(
        &sandbox,
        "app",
        "one",
        &[shell("one", "id -un >> ${sandbox}/open/who; echo $HOME >> ${sandbox}/open/home", "end")],
    );
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let place = format!("sandbox={}", sandbox.text(""));
    let submitted = as_user(&sandbox, &user, &["--db", &database, "submit", "--now", NOW, "-D", &path, "-D", &place]);
    assert_eq!(submitted.status, Some(0), "{submitted:?}");
    // The user says who owns the jobs: root.
    say_user(&database, "root");
    let tick = |now: &str| sandbox.howdah(["tick", "--db", &database]).at(now).run();
    let ran = tick(NOW);
    assert!(ran.stderr.contains("H0150"), "{ran:?}");
    assert!(!sandbox.path("open/who").exists());
    say_user(&database, &user.name);
    let ran = tick(NOW);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(
        wait_for("the command", || Some(sandbox.read("open/home")).filter(|text| !text.is_empty())).trim(),
        format!("/home/{}", user.name)
    );
    assert_eq!(sandbox.read("open/who").trim(), user.name);
    // Everything that was created belongs to the user, who can continue with it.
    wait_for("the end of the workflow", || {
        let shown = as_user(&sandbox, &user, &["--db", &database, "jobs", "--jobtype", "wf"]);
        shown.stdout.contains("SUCCEEDED").then_some(())
    });
    for entry in fs::read_dir(sandbox.path("open")).expect("a folder").flatten() {
        assert_eq!(entry.metadata().expect("a file").uid(), user.uid, "{}", entry.path().display());
    }
    for verb in [vec!["jobs"], vec!["db", "check"], vec!["db", "purge", "--older-than", "1d", "--dry-run"]] {
        let ran = sandbox.howdah(["--db", &database].into_iter().chain(verb.iter().copied())).at(NOW).run();
        assert_eq!(ran.status, Some(0), "{verb:?} {ran:?}");
    }
}

#[test]
fn files_beside_a_database_must_not_be_links_and_must_belong_to_root_for_root() {
    let second = SecondUser::new("beside");
    let mut count = 0;
    for suffix in [
        ".tick.lock",
        ".runner.lock",
        ".rerun.lock",
        ".courier.lock",
        ".runner.log",
        ".courier.log",
        "-wal",
        "-journal",
    ] {
        for kind in ["link", "other"] {
            let sandbox = Sandbox::new();
            workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
            sandbox.submit(NOW, &[]);
            sandbox.await_quiet();
            let (beside, precious) = (sandbox.beside_database(suffix), sandbox.write("precious", "kept"));
            let _ = fs::remove_file(&beside);
            match (kind, &second) {
                ("link", _) => symlink(&precious, &beside).expect("a link"),
                (_, None) => continue,
                (_, Some(user)) => {
                    fs::write(&beside, "").expect("a file");
                    chown(&beside, Some(user.uid), None).expect("root may give things away");
                }
            }
            for verb in [vec!["tick"], vec!["jobs"], vec!["db", "check"]] {
                let ran = sandbox.howdah(verb.iter().copied()).at(NOW).run();
                assert!(ran.status == Some(1) && ran.stderr.contains("H0100"), "{suffix} {kind} {verb:?}: {ran:?}");
                assert!(ran.stderr.contains(suffix), "{suffix} {kind} {verb:?}: {ran:?}");
                count += 1;
            }
            assert_eq!(sandbox.read("precious"), "kept", "{suffix}");
            fs::remove_file(&beside).expect("one's own file");
        }
    }
    println!("{count} verbs beside links and other users' files");
    let sandbox = Sandbox::new();
    symlink(sandbox.path("home"), sandbox.path("howdah.runs")).expect("a link");
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app"));
    let ran = submit.run();
    assert!(ran.status == Some(1) && ran.stderr.contains("howdah.runs"), "{ran:?}");
    assert_eq!(fs::read_dir(sandbox.path("home")).expect("a folder").count(), 0);
}

#[test]
fn a_purge_empties_a_users_run_folder_with_that_users_rights() {
    let Some(user) = SecondUser::new("purge") else { return };
    let sandbox = shared(&user);
    // Folders that their owner has closed, as a cache of sources does, and a link out of the folder.
    let line = "mkdir -p closed/below locked && : > closed/below/file && chmod a-w closed/below closed && chmod 000 \
                locked && ln -s ${sandbox}/victim out";
    let victim = Victim::new(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    let folder = sandbox.path("howdah.runs").join(&job);
    let purge = |now: &str| sandbox.howdah(["db", "purge", "--older-than", "1d"]).at(now).run();
    // Another user's folder that was moved in is more than the job's user could delete.
    let attempt = sandbox.database().value("SELECT directory FROM attempt");
    fs::create_dir_all(Path::new(&attempt).join("moved/in")).expect("root may write everywhere");
    let ran = purge("2010-02-01T00:00Z");
    assert!(ran.stderr.contains("H0123") && folder.exists(), "{ran:?}");
    assert!(Path::new(&attempt).join("moved/in").exists(), "it is root's");
    fs::remove_dir_all(Path::new(&attempt).join("moved")).expect("root may remove everything");
    // Now the job is gone, and the folder belongs to no job: it is deleted when it is old.
    let ran = purge("2099-03-01T00:00Z");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(!folder.exists(), "{ran:?}");
    victim.check("purge");
}

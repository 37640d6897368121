//! A full disk and a read-only disk: one clear message, nothing half-done, and work continues afterwards.
//!
//! Needs a separate file system, which only root may mount; for other users these tests print that they were skipped.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use howdah_sandbox::application::{Coordinator, action, effect, shell, shell_body, until_gate, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T01:00Z";

/// A small file system in memory, mounted until this value is dropped.
struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts a disk of so many KiB at `disk/` in the sandbox, in the full tier; elsewhere `None`, with the reason
    /// printed.
    fn mount(sandbox: &Sandbox, kib: u32) -> Option<Self> {
        if !tier::root("it mounts a small file system") {
            return None;
        }
        let folder = sandbox.path("disk");
        fs::create_dir(&folder).expect("an empty folder");
        let size = format!("size={kib}k");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&folder).output();
        match mount {
            Ok(output) if output.status.success() => Some(Self { folder }),
            Ok(output) => panic!("a small file system: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => panic!("a small file system: {error}"),
        }
    }

    /// Fills the disk.
    fn fill(&self) {
        let block = vec![0_u8; 4096];
        let mut filler = fs::File::create(self.folder.join("filler")).expect("room for a name");
        while std::io::Write::write_all(&mut filler, &block).is_ok() {}
    }

    fn make_room(&self) {
        fs::remove_file(self.folder.join("filler")).expect("the disk was filled");
    }

    fn remount(&self, option: &str) {
        let option = format!("remount,{option}");
        let mount = Command::new("mount").args(["-o", &option]).arg(&self.folder).output().expect("it ran before");
        assert!(mount.status.success(), "{mount:?}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a process that still has a file open keeps it.
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}

fn coordinator(sandbox: &Sandbox) -> String {
    Coordinator { controls: "<concurrency>2</concurrency>", ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox.submit(NOW, &[])
}

/// Checks for one message with one of the codes, and a status that is not success.
fn refused(ran: &Ran, codes: &[&str]) {
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(ran.stderr.matches("error[").count(), 1, "{ran:?}");
    assert!(codes.iter().any(|code| ran.stderr.contains(code)), "{ran:?}");
}

fn all_ran_once(sandbox: &Sandbox, job: &str) {
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(job), "SUCCEEDED");
    assert_eq!(sandbox.sorted_lines("effects"), ["2010-01-01T00:00Z", "2010-01-01T01:00Z"]);
}

#[test]
fn a_full_disk_during_a_tick() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    let job = coordinator(&sandbox);
    let before = sandbox.database().dump();
    disk.fill();
    refused(&sandbox.howdah(["tick"]).at(NOW).run(), &["H0103", "H0111"]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().dump(), before);
    disk.make_room();
    sandbox.tick_through(NOW);
    all_ran_once(&sandbox, &job);
}

#[test]
fn a_database_on_a_full_disk_can_be_read() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    let job = coordinator(&sandbox);
    sandbox.tick_through(NOW);
    let action = format!("{job}@1");
    let verbs = [["jobs", "--quiet"], ["info", &job], ["explain", &action], ["log", &action]];
    let look = || verbs.map(|words| sandbox.howdah(words).at(NOW).succeed().stdout);
    let before = look();
    // The file that the processes of a database share does not exist any more, and there is no room for it.
    assert!(!sandbox.beside_database("-shm").exists());
    disk.fill();
    assert_eq!(look(), before);
    let ran = sandbox.howdah(["kill", &job]).at(NOW).run();
    refused(&ran, &["H0103"]);
    assert!(ran.stderr.contains("the change that failed is not stored"), "{ran:?}");
    disk.make_room();
    all_ran_once(&sandbox, &job);
}

#[test]
fn what_a_crash_left_in_the_log_is_seen_on_a_full_disk() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    let job = coordinator(&sandbox);
    // A process that dies leaves its changes in the log beside the database.
    sandbox.howdah(["tick"]).at(NOW).die_at("before-runner");
    assert!(fs::metadata(sandbox.beside_database("-wal")).is_ok_and(|log| log.len() > 0));
    fs::remove_file(sandbox.beside_database("-shm")).expect("it lives no longer than its processes");
    disk.fill();
    let ran = sandbox.howdah(["info", &job]).at(NOW).succeed();
    assert_eq!(ran.stdout.matches("-W").count(), 2, "{ran:?}");
    disk.make_room();
    sandbox.tick_through(NOW);
    all_ran_once(&sandbox, &job);
}

#[test]
fn a_full_disk_while_a_command_runs() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    let line = format!("{}; {}", effect("one"), until_gate("pid"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "two"), shell("two", &effect("two"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    disk.fill();
    sandbox.write("gate", "");
    let pid: i32 = sandbox.await_file("pid").parse().expect("a number");
    wait_for("the command to end", || (!howdah_sandbox::sandbox::is_alive(pid)).then_some(()));
    let explain = |of: &str| sandbox.howdah(["explain", of]).at(NOW).succeed().stdout;
    for of in [job.clone(), format!("{job}@one")] {
        assert!(explain(&of).contains("its disk is full: make room on the file system of ["), "{}", explain(&of));
    }
    disk.make_room();
    assert!(!explain(&job).contains("its disk is full"), "{}", explain(&job));
    sandbox.tick_through(NOW);
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "SUCCEEDED", "{}", database.nodes());
    assert_eq!(sandbox.read("effects"), "one\ntwo\n");
}

/// There is no room to unpack: the action waits, reports it, and continues without help.
#[test]
fn a_full_disk_while_an_action_is_staged() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    fs::write(sandbox.path("zeros"), vec![0_u8; 4 << 20]).expect("room elsewhere");
    let tar = Command::new("tar").args(["-czf", "big.tar.gz", "zeros"]).current_dir(sandbox.path("")).status();
    assert!(tar.is_ok_and(|status| status.success()));
    let archive = format!("<archive>{}#big</archive>", sandbox.text("big.tar.gz"));
    let line = format!("test $(wc -c < big/zeros) = 4194304 && {}", effect("one"));
    workflow(&sandbox, "app", "one", &[action("one", &shell_body(&line, &archive), "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    let explain = || sandbox.howdah(["explain", &job]).at(NOW).succeed().stdout;
    wait_for("its words", || (explain().contains("its supervisor waits: No space left")).then_some(()));
    disk.remount("size=16m");
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "SUCCEEDED", "{}", database.nodes());
    assert_eq!(sandbox.read("effects"), "one\n");
}

#[test]
fn a_full_disk_before_an_attempt() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    let job = coordinator(&sandbox);
    sandbox.howdah(["tick"]).at(NOW).die_at("before-runner");
    disk.fill();
    let runner = sandbox.howdah(["runner"]).at(NOW).errors_to(&sandbox.path("errors")).start();
    wait_for("a message for each workflow job", || (sandbox.read("errors").matches('\n').count() >= 2).then_some(()));
    assert_eq!(sandbox.database().rows("SELECT DISTINCT status FROM workflow_job"), ["PREP"]);
    refused(&sandbox.howdah(["tick"]).at(NOW).run(), &["H0103", "H0111"]);
    disk.make_room();
    let ran = runner.finish();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let messages = sandbox.sorted_lines("errors");
    assert_eq!(messages.len(), 2, "one message for each workflow job: {messages:?}");
    assert!(messages.iter().all(|text| text.contains("H0103") || text.contains("H0111")), "{messages:?}");
    all_ran_once(&sandbox, &job);
}

#[test]
fn a_read_only_database() {
    let sandbox = Sandbox::new().with_database("disk/howdah.db");
    let Some(disk) = Disk::mount(&sandbox, 2048) else { return };
    let job = coordinator(&sandbox);
    let before = sandbox.database().dump();
    disk.remount("ro");
    refused(&sandbox.howdah(["tick"]).at(NOW).run(), &["H0104", "H0111"]);
    disk.remount("rw");
    assert_eq!(sandbox.database().dump(), before);
    sandbox.tick_through(NOW);
    all_ran_once(&sandbox, &job);
}

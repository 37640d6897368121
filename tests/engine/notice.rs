//! A daemon notices the files that its actions wait for.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, Started, kill, wait_for};

const NOW: &str = "2010-01-01T05:00Z";

/// An hourly job with six actions, each of which waits for a file in a folder of its own hour.
fn hourly(template: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let data = format!(
        "<datasets><dataset name=\"d\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\" \
         timezone=\"UTC\"><uri-template>{template}</uri-template></dataset></datasets><input-events><data-in \
         name=\"i\" dataset=\"d\"><instance>${{coord:current(0)}}</instance></data-in></input-events>"
    );
    let controls = "<concurrency>6</concurrency>";
    Coordinator { end: "2010-01-01T06:00Z", data, controls, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox
}

/// A daemon that polls once in an hour, with its errors in `errors`.
fn daemon(sandbox: &Sandbox) -> Started {
    sandbox.howdah(["daemon", "--quiet", "--every", "3600"]).errors_to(&sandbox.path("errors")).at(NOW).start()
}

/// The watches of a process, as the system shows them.
fn watches(pid: i32) -> usize {
    let mut all = 0;
    for entry in std::fs::read_dir(format!("/proc/{pid}/fdinfo")).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        all += text.lines().filter(|line| line.starts_with("inotify wd:")).count();
    }
    all
}

/// Waits until a daemon has nothing to do but to wait for files in `folders` folders.
fn await_watches(pid: i32, folders: usize) {
    wait_for("the watches", || (watches(pid) == folders).then_some(()));
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(watches(pid), folders);
}

fn done(sandbox: &Sandbox) -> usize {
    sandbox.database().rows("SELECT number FROM coordinator_action WHERE status = 'SUCCEEDED'").len()
}

#[test]
fn an_input_starts_its_action_before_the_next_poll() {
    let sandbox = hourly("${sandbox}/in/${YEAR}/${MONTH}/${DAY}/${HOUR}");
    let daemon = daemon(&sandbox);
    // All wait below the same folder, which has no `in` yet.
    await_watches(daemon.pid(), 1);
    wait_for("all actions", || (sandbox.database().actions().matches("WAITING").count() == 6).then_some(()));
    for hour in 0..6 {
        // A file that is put at once into new folders.
        sandbox.write(&format!("in/2010/01/01/0{hour}/_SUCCESS"), "");
        wait_for("the action", || (sandbox.sorted_lines("effects").len() == hour + 1).then_some(()));
        wait_for("its end", || (done(&sandbox) == hour + 1).then_some(()));
        std::thread::sleep(Duration::from_millis(1200));
    }
    wait_for("the end of the watches", || (watches(daemon.pid()) == 0).then_some(()));
    kill(daemon.pid());
    daemon.finish();
    assert_eq!(sandbox.read("errors"), "");
    sandbox.database().check();
}

#[test]
fn a_file_of_a_mounted_store_and_one_that_is_moved_into_place_are_noticed() {
    let sandbox = hourly("hdfs://n:1/in/${HOUR}");
    sandbox.write("store/in/.keep", "");
    let mount = format!("hdfs://n:1={}", sandbox.text("store"));
    let daemon = sandbox.howdah(["daemon", "--quiet", "--every", "3600", "--mount", &mount]).at(NOW).start();
    await_watches(daemon.pid(), 1);
    sandbox.write("store/made/_SUCCESS", "");
    std::fs::rename(sandbox.path("store/made"), sandbox.path("store/in/03")).expect("one file system");
    wait_for("the action", || (sandbox.read("effects") == "2010-01-01T03:00Z\n").then_some(()));
    kill(daemon.pid());
    daemon.finish();
}

/// A daemon in a name space in which its user has this bound of inotify; `None` where that is not allowed.
fn bounded(sandbox: &Sandbox, bound: &str) -> Option<Child> {
    let tried = Command::new("unshare").args(["--user", "--map-root-user", "true"]).output();
    if !tried.is_ok_and(|ran| ran.status.success()) {
        return None;
    }
    let script = format!("echo {bound} && exec \"$0\" daemon --every 3600 --now {NOW}");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", &script, env!("CARGO_BIN_EXE_howdah")]);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("TZ", "UTC").env("HOME", sandbox.path("home"));
    command.env("HOWDAH_DB", sandbox.database_path()).current_dir(sandbox.path("")).stdin(Stdio::null());
    let errors = std::fs::File::create(sandbox.path("errors")).expect("a file of the sandbox");
    Some(command.stdout(Stdio::null()).stderr(errors).spawn().expect("it was tried"))
}

#[test]
fn folders_that_cannot_be_watched_are_told_once_and_polled() {
    for (bound, all, why) in [
        ("2 > /proc/sys/user/max_inotify_watches", "4 of the 6", "fs.inotify.max_user_watches"),
        ("0 > /proc/sys/user/max_inotify_instances", "6 of the 6", "fs.inotify.max_user_instances"),
    ] {
        let sandbox = hourly("${sandbox}/in/${HOUR}");
        for hour in 0..6 {
            sandbox.write(&format!("in/0{hour}/part"), "");
        }
        let Some(mut daemon) = bounded(&sandbox, bound) else { return };
        wait_for("its report", || sandbox.read("errors").contains("W0132").then_some(()));
        let errors = sandbox.read("errors");
        let says = format!("does not notice new files in {all} folders that it waits for: ");
        assert!(errors.contains(&says) && errors.contains(why) && errors.contains("within 3600 s"), "{errors}");
        let id = sandbox.database().rows("SELECT id FROM coordinator_job").join("");
        let explained = || sandbox.howdah(["explain", &format!("{id}@6")]).at(NOW).succeed().stdout;
        wait_for("the explanation", || explained().contains(&says).then_some(()));
        // A command that changes the database makes the daemon tick.
        for hour in 0..6 {
            sandbox.write(&format!("in/0{hour}/_SUCCESS"), "");
        }
        sandbox.howdah(["change", &id, "--value", "concurrency=5"]).at(NOW).succeed();
        wait_for("all actions", || (done(&sandbox) == 6).then_some(()));
        assert_eq!(sandbox.read("errors").matches("W0132").count(), 1);
        kill(i32::try_from(daemon.id()).expect("a small number"));
        daemon.wait().expect("a child");
    }
}

/// Holds the lock of ticks, as a tick of another process does.
fn hold_ticks(sandbox: &Sandbox) -> std::fs::File {
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).write(true).open(sandbox.beside_database(".tick.lock")).expect("a tick has run");
    file.lock().expect("the tick ends");
    file
}

/// A daemon that ticks once in an hour, on a job whose actions run one after the other, and wait for the file `gate`.
fn chain() -> (Sandbox, Started) {
    let sandbox = Sandbox::new();
    Coordinator { controls: "<concurrency>1</concurrency>", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    sandbox.submit("2010-01-01T00:00Z", &[]);
    let daemon = daemon(&sandbox);
    sandbox.await_file("pid");
    (sandbox, daemon)
}

#[test]
fn an_action_that_ends_while_another_process_ticks_starts_the_next_one_soon() {
    let (sandbox, daemon) = chain();
    let lock = hold_ticks(&sandbox);
    sandbox.write("gate", "");
    wait_for("the end of the first action", || (done(&sandbox) == 1).then_some(()));
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED, 2 READY");
    drop(lock);
    wait_for("the second action", || (done(&sandbox) == 2).then_some(()));
    kill(daemon.pid());
    daemon.finish();
}

#[test]
fn a_tick_that_fails_is_tried_again_before_the_next_interval() {
    let sandbox = hourly("${sandbox}/in/${HOUR}");
    let lock = sandbox.beside_database(".tick.lock");
    let _ = std::fs::remove_file(&lock);
    std::fs::create_dir(&lock).expect("a folder that no process can lock");
    let daemon = daemon(&sandbox);
    wait_for("its report", || sandbox.read("errors").contains("H0111").then_some(()));
    assert_eq!(sandbox.database().actions(), "");
    // Enough for a second try, which fails too.
    std::thread::sleep(Duration::from_millis(1500));
    std::fs::remove_dir(&lock).expect("it is empty");
    wait_for("the tick", || (sandbox.database().actions().matches("WAITING").count() == 6).then_some(()));
    kill(daemon.pid());
    daemon.finish();
    assert_eq!(sandbox.read("errors").matches("H0111").count(), 1, "it is reported once");
}

/// Returns the CPU time of a process, in clock ticks: hundredths of a second.
fn cpu_time(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, fields) = text.rsplit_once(") ").expect("the name of the program");
    fields.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
}

#[test]
fn a_daemon_does_not_spin_on_events_while_another_process_ticks() {
    let sandbox = hourly("${sandbox}/in/${HOUR}");
    let daemon = daemon(&sandbox);
    await_watches(daemon.pid(), 1);
    let lock = hold_ticks(&sandbox);
    // A change by another process makes a tick due, which cannot run now.
    sandbox.howdah(["kill", &sandbox.database().value("SELECT id || '@6' FROM coordinator_job")]).at(NOW).succeed();
    std::thread::sleep(Duration::from_millis(500));
    let before = cpu_time(daemon.pid());
    sandbox.write("in/00/_SUCCESS", "");
    std::thread::sleep(Duration::from_secs(3));
    let used = cpu_time(daemon.pid()) - before;
    assert!(used < 100, "{used} hundredths of a second");
    drop(lock);
    wait_for("the action", || (done(&sandbox) == 1).then_some(()));
    kill(daemon.pid());
    daemon.finish();
}

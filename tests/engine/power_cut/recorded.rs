//! Power cuts replayed from a record of all system calls that change files: the database, too, keeps only what its
//! processes waited for, and any part of the rest.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use super::calls::{self, Call};
use super::disk::Disk;
use super::{CUTS, application, files_below, next_boot, submit};
use howdah_sandbox::application::{effect, shell, workflow};
use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{self, Sandbox, command_line, kill};
use howdah_sandbox::strace;
use howdah_tier as tier;

/// The start of a run, and every change of a file that followed.
struct Recorded {
    sandbox: Sandbox,
    job: String,
    start: Disk,
    calls: Vec<Option<Call>>,
}

fn recorded() -> Recorded {
    let sandbox = application([0; 3]);
    // It dies before it starts a runner: the one below is recorded from its first call on.
    submit(&sandbox).env("HOWDAH_FAULT", "before-runner").run();
    let job = sandbox.database().value("SELECT id FROM workflow_job");
    let start = Disk::of(&sandbox);
    let options = ["-f", "-y", "-xx", "-s", "10000000", "--seccomp-bpf", "-e", calls::TRACED];
    let ended = strace::run(strace::traced(&sandbox, &options, &["runner"]));
    assert_eq!(ended, (Some(0), String::new()));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "a run without a power cut");
    let calls = calls::read(&sandbox.read("trace"), &sandbox.text(""));
    Recorded { sandbox, job, start, calls }
}

impl Recorded {
    /// Cuts the power at a random moment; returns how many files and attempts that cost, and what is wrong then.
    fn cut(&self, seed: u64, waits: impl Fn(&Call) -> bool) -> Result<(usize, usize), String> {
        let mut dice = Dice::new(seed);
        let last = i64::try_from(self.calls.len()).expect("a short run");
        let moment = usize::try_from(dice.between(0, last)).expect("not negative");
        let mut disk = self.start.clone();
        for (place, call) in self.calls.iter().enumerate().take(moment) {
            if let Some(call) = call.as_ref().filter(|call| waits(call)) {
                disk.apply(place, call);
            }
        }
        let files = disk.cut(&self.sandbox, &mut dice);
        let result = next_boot(&self.sandbox, &self.job);
        let result = result.map_err(|wrong| format!("seed {seed}, cut at {moment} of {last}: {wrong}"))?;
        Ok((files, result.lost))
    }
}

/// The folder of the only attempt, whose runner died before it started a shim.
fn attempt(sandbox: &Sandbox) -> PathBuf {
    workflow(sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    submit(sandbox).env("HOWDAH_FAULT", "before-runner").run();
    sandbox.howdah(["runner"]).env("HOWDAH_FAULT", "after-attempt-commit").run();
    let orders = files_below(&sandbox.path("howdah.runs"));
    let order = orders.iter().find(|path| path.ends_with("attempt.json")).expect("an attempt was prepared");
    order.parent().expect("a folder").to_owned()
}

/// The fork server, which was not forked by another process with its words.
fn fork_server(of: &Sandbox) -> i32 {
    let words = &format!("{} attempts", sandbox::program());
    let all: Vec<i32> = of.processes().into_iter().filter(|pid| command_line(*pid).starts_with(words)).collect();
    let parent = |pid: i32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<i32>().ok())
    };
    let first = all.iter().find(|pid| parent(**pid).is_none_or(|parent| !all.contains(&parent)));
    *first.expect("a living fork server")
}

#[test]
fn an_outcome_that_no_process_reads_waits_for_the_disk() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let sandbox = Sandbox::new();
    let folder = attempt(&sandbox);
    let options = ["-f", "-y", "-xx", "-s", "100000", "-e", calls::TRACED];
    let mut command = strace::traced(&sandbox, &options, &["attempts"]);
    command.env("HOWDAH_HOLD", format!("after-folder-arrived:{}", sandbox.text("go")));
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("strace was here before");
    let mut requests = server.stdin.take().expect("it was asked for");
    let path = folder.as_os_str().as_encoded_bytes();
    let length = u32::try_from(path.len()).expect("a short path").to_ne_bytes();
    requests.write_all(&[&length, path].concat()).expect("a living fork server");
    sandbox.await_file("go.held");
    // The shim has its folder and knows nothing else yet.
    kill(fork_server(&sandbox));
    sandbox.write("go", "");
    drop(requests);
    server.wait().expect("it was started");
    sandbox.await_quiet();

    assert_eq!(sandbox.read("effects"), "one\n");
    let calls = calls::read(&sandbox.read("trace"), &sandbox.text(""));
    let exit = |call: &Option<Call>| matches!(call, Some(Call::Rename { to, .. }) if to.ends_with("/exit"));
    let named = calls.iter().position(exit).expect("the outcome has its name");
    let Some(Call::Rename { from, .. }) = &calls[named] else { unreachable!() };
    let is_waited_for = |call: &Option<Call>| matches!(call, Some(Call::Sync { path, .. }) if path == from);
    assert!(calls[..named].iter().any(is_waited_for), "the outcome was not on the disk when it got its name");
    let of_folder =
        |call: &Option<Call>| matches!(call, Some(Call::Sync { path, .. }) if *path == folder.display().to_string());
    assert!(calls[named..].iter().any(of_folder), "its name does not wait for the disk");
}

#[test]
fn nothing_starts_twice_when_the_database_keeps_only_what_was_waited_for() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let recorded = recorded();
    let (mut files, mut attempts) = (0, 0);
    let cuts = CUTS.named("HOWDAH_POWER_CUTS");
    for seed in (0..).take(cuts) {
        let (lost_files, lost_attempts) = recorded.cut(seed, |_| true).unwrap_or_else(|wrong| panic!("{wrong}"));
        files += lost_files;
        attempts += lost_attempts;
    }
    println!("{cuts} power cuts: {files} files lost or changed, {attempts} attempts lost, 0 commands twice");
    assert!(files > 0 && attempts > 0, "no power cut took anything: nothing was shown");
}

/// The same record without the waits of the database: the judge must notice.
#[test]
fn a_database_that_does_not_wait_for_the_disk_is_noticed() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let recorded = recorded();
    let of_database = |call: &Call| matches!(call, Call::Sync { path, .. } if path.contains("howdah.db"));
    assert!(recorded.calls.iter().flatten().any(of_database), "the record has no wait of the database");
    let wrong: Vec<String> =
        (0..).take(CUTS.quick).filter_map(|seed| recorded.cut(seed, |call| !of_database(call)).err()).collect();
    println!("{} of {} power cuts are noticed, such as {:?}", wrong.len(), CUTS.quick, wrong.first());
    assert!(!wrong.is_empty(), "{wrong:?}");
}

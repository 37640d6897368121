//! The protocol with real processes. A shim is this test program, started with [`SHIM`] in its environment.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::claim::Claim;
use super::exit::Exit;
use super::folder::to_json;
use super::kill::Killed;
use super::shim::ShimResult;
use super::*;
use crate::clock::Stopwatch;
use crate::command::{self, CommandLine, NotStarted, WorkOutcome};
use crate::found::Found;
use crate::processes::{self, Identity, Signal};
use howdah_words::error::ErrorCode;

const SHIM: &str = "HOWDAH_TEST_SHIM_FOLDER";

/// No test, but the main function of a shim that [`spawn_shim`] starts.
#[test]
fn shim_main() {
    let Some(folder) = super::super::variables::get(SHIM) else { return };
    let begin =
        |line: CommandLine| move |folder: &Path| Performed { outcome: run_command(&line, folder), files_done: 0 };
    let ran = run(Path::new(&folder), None, begin).expect("the shim runs");
    std::process::exit(if ran == ShimResult::Finished { 0 } else { 3 });
}

fn spawn_shim(folder: &Path, fault: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "attempt::tests::shim_main", "--nocapture"])
        .env(SHIM, folder)
        .env("HOWDAH_FAULT", fault)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn run_shim(folder: &Path, fault: &str) -> ExitStatus {
    spawn_shim(folder, fault).wait().unwrap()
}

/// An attempt whose work is a shell script.
fn attempt(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = CommandLine {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        environment: [("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("A".to_owned(), "b c".to_owned())].into(),
        directory: folder.path().to_owned(),
    };
    prepare_folder(folder.path(), AttemptNames { token: "token-1", life: "life-1", is_here: true }, &line).unwrap();
    folder
}

fn ended(folder: &Path) -> Exit {
    match state(folder).unwrap() {
        AttemptState::Ended(exit) => exit,
        other => panic!("not ended: {other:?}"),
    }
}

/// Waits until `done` or fails; the pause only saves processor time.
fn until(mut done: impl FnMut() -> bool) {
    let since = Stopwatch::start();
    while !done() {
        assert!(since.elapsed() < howdah_tier::PATIENCE, "it did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_lost(folder: &Path, word: &str) -> bool {
    matches!(state(folder).unwrap(), AttemptState::Lost { reason } if reason.contains(word))
}

#[test]
fn the_outcome_is_written() {
    for (script, expect) in [
        ("exit 0", WorkOutcome::Exited(0)),
        ("exit 3", WorkOutcome::Exited(3)),
        ("kill -9 $$", WorkOutcome::Signaled(9)),
        ("test -z \"$(cat)\" && test \"$A\" = 'b c' && test -z \"$HOWDAH_TEST_SHIM_FOLDER\"", WorkOutcome::Exited(0)),
        // An orphan that outlives its parent is reaped and not taken for the command.
        ("(sleep 0.1; exit 7) & exit 4", WorkOutcome::Exited(4)),
        ("sh -c 'exit 7' & sleep 0.1; exit 4", WorkOutcome::Exited(4)),
    ] {
        let folder = attempt(script);
        assert_eq!(state(folder.path()).unwrap(), AttemptState::Unclaimed, "{script}");
        assert!(run_shim(folder.path(), "").success(), "{script}");
        assert_eq!(ended(folder.path()).outcome, expect, "{script}");
    }
}

#[test]
fn output_and_resources_are_kept() {
    let folder = attempt("echo out; echo err >&2");
    run_shim(folder.path(), "");
    let [stdout, stderr] = output_files(folder.path()).map(|path| fs::read_to_string(path).unwrap());
    assert_eq!((stdout.as_str(), stderr.as_str()), ("out\n", "err\n"));
    let exit = ended(folder.path());
    assert!(exit.ended_at >= exit.started_at && exit.started_at > 0);
    assert!(exit.user_seconds.is_some() && exit.system_seconds.is_some());
    // A shell needs more than a page, and less than a gigabyte.
    assert!(exit.max_memory.is_some_and(|bytes| (100_000..1 << 30).contains(&bytes)), "{exit:?}");
}

#[test]
fn the_resources_are_those_of_the_command() {
    let folder =
        attempt("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; dd if=/dev/zero of=/dev/null bs=64M count=1");
    run_shim(folder.path(), "");
    let exit = ended(folder.path());
    assert!(exit.user_seconds.is_some_and(|seconds| seconds > 0.01), "{exit:?}");
    assert!(exit.max_memory.is_some_and(|bytes| bytes > 64 << 20), "{exit:?}");
}

#[test]
fn a_program_that_cannot_start_fails_with_the_systems_words() {
    let folder = attempt("");
    for (program, words) in [("/nonexistent/run.sh", "No such file"), ("/etc/passwd", "ermission denied")] {
        let line = CommandLine {
            program: program.to_owned(),
            arguments: Vec::new(),
            environment: std::collections::BTreeMap::new(),
            directory: folder.path().to_owned(),
        };
        match command::start(&line, folder.path()) {
            Err(NotStarted { why, error }) => {
                assert!(why.contains(words), "{why}");
                let WorkOutcome::Failed { code, .. } = command::not_begun(&why, error.as_ref()) else {
                    panic!("{why}")
                };
                assert_eq!(code, "JA018");
            }
            Ok(running) => panic!("{program}: {running:?}"),
        }
    }
}

#[test]
fn a_second_shim_does_nothing() {
    let folder = attempt("echo once");
    assert!(run_shim(folder.path(), "").success());
    assert_eq!(run_shim(folder.path(), "").code(), Some(3));
    assert_eq!(fs::read_to_string(folder.path().join("stdout")).unwrap(), "once\n");
}

#[test]
fn a_withdrawn_attempt_is_not_started_later() {
    let folder = attempt("echo never");
    assert_eq!(kill(folder.path(), Signal::Terminate).unwrap(), Killed::BeforeStart);
    assert_eq!(run_shim(folder.path(), "").code(), Some(3));
    assert_eq!(state(folder.path()).unwrap(), AttemptState::Withdrawn);
    assert!(!folder.path().join("stdout").exists());
    assert_eq!(kill(folder.path(), Signal::Kill).unwrap(), Killed::BeforeStart);
}

#[cfg(target_os = "linux")]
#[test]
fn killing_reaches_groups_that_the_command_made() {
    // The shell must not end on its own between the signals to the two groups.
    let folder = attempt("timeout 600 sleep 600 & echo $! > pid; wait; sleep 600");
    let mut shim = spawn_shim(folder.path(), "");
    let pid = || fs::read_to_string(folder.path().join("pid")).ok()?.trim().parse::<i32>().ok();
    // `timeout` makes itself the leader of its own group.
    until(|| {
        pid().is_some_and(|pid| {
            rustix::process::getpgid(rustix::process::Pid::from_raw(pid))
                .is_ok_and(|group| group.as_raw_nonzero().get() == pid)
        })
    });
    let timeout = Identity::of(pid().unwrap()).known().unwrap().unwrap();
    assert!(matches!(state(folder.path()).unwrap(), AttemptState::Running(_)));
    assert!(!withdraw(folder.path()).unwrap());
    assert_eq!(kill(folder.path(), Signal::Terminate).unwrap(), Killed::Signaled(2));
    shim.wait().unwrap();
    assert_eq!(ended(folder.path()).outcome, WorkOutcome::Signaled(15));
    until(|| processes::look_for(&timeout) == Found::Absent);
    assert_eq!(kill(folder.path(), Signal::Kill).unwrap(), Killed::TooLate);
}

#[test]
fn what_a_command_plants_where_its_end_is_asked_for_has_no_effect() {
    for is_folder in [false, true] {
        let folder = attempt("sleep 600");
        let mut shim = spawn_shim(folder.path(), "");
        until(|| folder.path().join("process").exists());
        let planted = folder.path().join("kill");
        if is_folder {
            fs::create_dir_all(planted.join("full")).unwrap();
        } else {
            std::os::unix::fs::symlink(folder.path().join("elsewhere"), &planted).unwrap();
        }
        let killed = kill(folder.path(), Signal::Terminate).map_err(|error| error.code());
        assert_eq!(killed.err(), is_folder.then_some(ErrorCode::H0111));
        shim.wait().unwrap();
        assert_eq!(ended(folder.path()).outcome, WorkOutcome::Signaled(15));
        assert!(!folder.path().join("elsewhere").exists());
    }
}

#[test]
fn a_kill_between_claim_and_start_is_noticed() {
    let folder = attempt("echo never");
    fs::write(folder.path().join("kill"), "15").unwrap();
    assert!(run_shim(folder.path(), "").success());
    assert_eq!(ended(folder.path()).outcome, WorkOutcome::Signaled(15));
    assert!(!folder.path().join("stdout").exists());
}

#[cfg(debug_assertions)]
#[test]
fn a_death_at_any_step_starts_the_command_at_most_once() {
    for (fault, times, lost) in [
        ("before-claim", 1, false),
        ("after-spawn", 1, true),
        ("after-temporary", 1, true),
        ("after-claim", 0, true),
        ("before-exit", 1, true),
        ("after-exit", 1, false),
    ] {
        let folder = attempt("echo run");
        assert!(!run_shim(folder.path(), fault).success(), "{fault}");
        run_shim(folder.path(), "");
        until(|| !matches!(state(folder.path()).unwrap(), AttemptState::Running(_)));
        assert_eq!(is_lost(folder.path(), "supervisor died"), lost, "{fault}");
        // The command may still be between its start and its `echo` when its shim dies.
        until(|| fs::read_to_string(folder.path().join("stdout")).unwrap_or_default().lines().count() == times);
    }
}

#[test]
fn a_command_that_outlives_its_shim_is_running_and_then_lost() {
    // Killed from outside when the command is recorded, and by a fault point before the command is recorded.
    let can_find_command = cfg!(all(debug_assertions, target_os = "linux"));
    for fault in [Some(""), can_find_command.then_some("after-spawn")].into_iter().flatten() {
        let folder = attempt("sleep 600");
        let mut shim = spawn_shim(folder.path(), fault);
        if fault.is_empty() {
            until(|| folder.path().join("process").exists());
            shim.kill().unwrap();
        }
        shim.wait().unwrap();
        let AttemptState::Running(command) = state(folder.path()).unwrap() else { panic!("the command is alive") };
        assert_eq!(kill(folder.path(), Signal::Kill).unwrap(), Killed::Signaled(1));
        until(|| processes::look_for(&command) == Found::Absent);
        // The signal reached the whole group, but its processes end at different times.
        until(|| is_lost(folder.path(), "supervisor died"));
    }
}

#[test]
fn foreign_and_damaged_files_are_lost() {
    let own = Identity::own().unwrap();
    let alive =
        Claim { token: "token-1".to_owned(), holder: own.clone(), withdrawn: false, given_up: None, recalled: false };
    let other_boot = Identity { boot_id: "another boot".to_owned(), ..own.clone() };
    let reused = Identity { start_time: "1".to_owned(), ..own };
    for (content, word) in [
        (
            to_json(&Claim {
                holder: other_boot,
                token: "token-1".to_owned(),
                withdrawn: false,
                given_up: None,
                recalled: false,
            }),
            "restarted",
        ),
        (
            to_json(&Claim {
                holder: reused,
                token: "token-1".to_owned(),
                withdrawn: false,
                given_up: None,
                recalled: false,
            }),
            "supervisor died",
        ),
        // Alive, but it works in another folder.
        (to_json(&alive), "nothing to do with it"),
        (to_json(&Claim { token: "token-2".to_owned(), ..alive }), "another attempt"),
        (b"{".to_vec(), "damaged"),
    ] {
        let folder = attempt("true");
        fs::write(folder.path().join("claim"), content).unwrap();
        assert!(is_lost(folder.path(), word), "{word}: {:?}", state(folder.path()));
    }
    let folder = attempt("true");
    let hidden = Claim {
        token: "token-1".to_owned(),
        holder: Identity { namespace: Some(1), ..Identity::own().unwrap() },
        recalled: false,
        withdrawn: false,
        given_up: None,
    };
    fs::write(folder.path().join("claim"), to_json(&hidden)).unwrap();
    assert!(matches!(state(folder.path()).unwrap(), AttemptState::OutOfSight(_)));
    assert_eq!(kill(folder.path(), Signal::Kill).unwrap(), Killed::Signaled(0), "numbers mean others here");
    let folder = attempt("true");
    run_shim(folder.path(), "");
    let foreign = Exit { token: "token-2".to_owned(), ..ended(folder.path()) };
    fs::write(folder.path().join("exit"), to_json(&foreign)).unwrap();
    assert!(is_lost(folder.path(), "outcome belongs to another attempt"));
    assert!(is_lost(tempfile::tempdir().unwrap().path(), "no attempt.json"));
}

/// Makes the attempt one of an earlier boot.
fn restart(folder: &Path) {
    let order = fs::read_to_string(folder.join("attempt.json")).unwrap();
    let now = crate::environment::boot_id().unwrap();
    assert!(order.contains(now), "{order}");
    fs::write(folder.join("attempt.json"), order.replace(now, "an earlier boot")).unwrap();
}

#[test]
fn after_a_restart_nothing_begins_that_may_have_begun_before() {
    let folder = attempt("echo run");
    restart(folder.path());
    assert!(is_lost(folder.path(), "not known whether it had begun"));
    assert!(!withdraw(folder.path()).unwrap() && !recall(folder.path()).unwrap());
    assert_eq!(kill(folder.path(), Signal::Kill).unwrap(), Killed::TooLate);
    assert_eq!(run_shim(folder.path(), "").code(), Some(3));
    assert!(!folder.path().join("stdout").exists());
    // What never began because of a recall, and an outcome, are known all the same.
    for (prepare, expect) in [
        (recall as fn(&Path) -> Result<bool, howdah_words::error::Error>, "Recalled"),
        (withdraw, "Withdrawn"),
        (|folder| Ok(run_shim(folder, "").success()), "Ended"),
    ] {
        let folder = attempt("echo run");
        assert!(prepare(folder.path()).unwrap(), "{expect}");
        restart(folder.path());
        let state = format!("{:?}", state(folder.path()).unwrap());
        assert!(state.starts_with(expect), "{state}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn commands_run_after_a_kill_and_only_then() {
    let folder = attempt("");
    let line = |script: &str| CommandLine {
        program: "/bin/sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        environment: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
        directory: folder.path().to_owned(),
    };
    let group = |process: &str| format!("$(cut -d ' ' -f 5 /proc/{process}/stat)");
    let same_group = format!("echo reached >> reached; test \"{}\" = \"{}\"", group("$$"), group("$PPID"));
    let commands = [line("exit 3"), line(&same_group)];
    for (file, expect) in [("kill", &[][..]), ("process", &["[/bin/sh] failed: exit status: 3"])] {
        fs::write(folder.path().join(file), "15").unwrap();
        assert_eq!(run_after_kill(&commands, folder.path()), expect, "{file}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("reached")).unwrap(), "reached\n");
}

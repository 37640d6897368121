//! A machine that fails for a moment while jobs advance: what it cannot answer is asked again, what it cannot do is
//! tried again, and everything happens exactly once.
//!
//! For every place where the machine is called, and every N, the N-th to M-th call fails in any process that gets
//! there; one tick, and the runner that it starts, must then reach the same end as on a working machine.

use howdah_sandbox::application::{Coordinator, action, effect, shell_body, shell_with, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, kill, wait_for};

/// When both actions are due.
const NOW: &str = "2010-01-01T01:00Z";

/// Two actions of a coordinator, each a command whose output is captured, then another one that needs it.
fn scenario(sandbox: &Sandbox) {
    Coordinator { controls: "<concurrency>2</concurrency>", ..Coordinator::default() }.write(sandbox);
    let line = format!("{}; echo rows=7", effect("${nominal}"));
    let retries = "retry-max=\"3\" retry-interval=\"0\"";
    let one = action("one", &shell_body(&line, "<capture-output/>"), "two", retries);
    let two = "test ${wf:actionData(\"one\")[\"rows\"]} = 7";
    workflow(sandbox, "app", "one", &[one, shell_with("two", two, "end", retries)]);
}

/// Retries every failure of a shell immediately: an attempt that is given up by mistake would start a second copy.
fn site(sandbox: &Sandbox) -> String {
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let codes = property("oozie.service.LiteWorkflowStoreService.user.retry.error.code", "ALL");
    sandbox.write("site.xml", &format!("<configuration>{codes}</configuration>"));
    sandbox.text("site.xml")
}

/// Everything happened once, and ended as on a working machine.
fn all_went_well(sandbox: &Sandbox, job: &str, context: &str) {
    let database = sandbox.database();
    database.check();
    let log = std::fs::read_to_string(sandbox.beside_database(".runner.log")).unwrap_or_default();
    let context = format!("{context}: {}\n{log}", database.nodes());
    assert_eq!(database.job(job), "SUCCEEDED", "{context}");
    assert_eq!(sandbox.sorted_lines("effects"), ["2010-01-01T00:00Z", "2010-01-01T01:00Z"], "{context}");
    let attempts = database.rows("SELECT state || number FROM attempt");
    assert_eq!(attempts, ["ENDED1"; 4], "{context}");
}

/// One failure that repeats a few times; returns whether it happened.
fn fail(point: &str, from: usize, times: usize, error: &str) -> bool {
    let sandbox = Sandbox::new();
    scenario(&sandbox);
    let site = site(&sandbox);
    let job = sandbox.submit(NOW, &[]);
    let fault = format!("{point}:{from}-{}:{error}", from + times - 1);
    let tick = sandbox.howdah(["tick", "--site", &site]).at(NOW).env("HOWDAH_FAIL", &fault);
    tick.env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).run();
    sandbox.await_quiet();
    // What failed in the tick itself is done by the next one.
    let tick = sandbox.howdah(["tick", "--site", &site]).at(NOW).run();
    assert_eq!(tick.status, Some(0), "{fault}: {tick:?}");
    sandbox.await_quiet();
    all_went_well(&sandbox, &job, &fault);
    sandbox.read("ledger").len() >= from
}

/// Makes every `step`-th passage of a point fail, a few times in a row, until the scenario does not reach it any more.
fn step_through(point: &str, (step, times): (usize, usize), errors: &[&str]) {
    let mut errors = errors.iter().cycle();
    let failed = (0..60).take_while(|n| fail(point, 1 + n * step, times, errors.next().expect("a cycle"))).count();
    assert!(failed > 0, "{point} is never passed: nothing was shown");
    assert!(failed < 60, "{point} is passed without end");
}

#[test]
fn a_boot_id_that_cannot_be_read() {
    step_through("boot-id", (1, 1), &["EIO", "EMFILE"]);
    step_through("boot-id", (2, 4), &["EIO"]);
}

#[test]
fn a_process_table_that_cannot_be_read() {
    step_through("process-table", (7, 3), &["EMFILE", "EIO", "ENOMEM"]);
}

#[test]
fn an_order_that_cannot_be_read() {
    step_through("read-order", (1, 2), &["EIO", "ETIMEDOUT"]);
}

#[test]
fn a_claim_or_an_outcome_that_cannot_be_read() {
    step_through("read-protocol", (3, 3), &["EIO", "EMFILE"]);
}

#[test]
fn an_output_that_cannot_be_read() {
    step_through("read-output", (1, 3), &["EIO"]);
}

#[test]
fn too_few_processes_for_shims() {
    step_through("fork", (1, 6), &["EAGAIN", "ENOMEM"]);
}

#[test]
fn too_few_processes_for_commands() {
    step_through("spawn", (1, 3), &["EAGAIN", "ENOMEM", "EMFILE"]);
}

#[test]
fn an_outcome_that_cannot_be_written() {
    step_through("write-lasting", (1, 4), &["EIO", "EROFS", "ENOSPC"]);
}

#[test]
fn a_working_folder_that_cannot_be_filled() {
    step_through("stage", (1, 3), &["ENOSPC", "EIO"]);
}

/// The new runner finds a running command and cannot tell whether it lives: it is not lost, and no second copy starts.
#[test]
fn a_living_command_is_not_lost_to_a_runner_that_cannot_tell() {
    for point in ["boot-id", "process-table", "read-order", "read-protocol"] {
        let sandbox = Sandbox::new();
        let site = site(&sandbox);
        let line = format!("{}; {}", effect("one"), until_gate("pid"));
        workflow(&sandbox, "app", "one", &[shell_with("one", &line, "end", "retry-max=\"3\" retry-interval=\"0\"")]);
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_file("pid");
        let runner = wait_for("the runner", || sandbox.process("howdah runner"));
        kill(runner);
        sandbox.await_end_of_runner();
        let fault = format!("{point}:1-12:EIO");
        let tick = sandbox.howdah(["tick", "--site", &site]).at(NOW).env("HOWDAH_FAIL", &fault);
        tick.env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).run();
        wait_for("the failures", || (sandbox.read("ledger").len() > 12).then_some(()));
        sandbox.write("gate", "");
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert_eq!(database.job(&job), "SUCCEEDED", "{point}: {}", database.nodes());
        assert_eq!(database.rows("SELECT state || number FROM attempt"), ["ENDED1"], "{point}");
        assert_eq!(sandbox.read("effects"), "one\n", "{point}");
    }
}

/// While it lasts, the output says what is not known, and why.
#[test]
fn explain_says_what_is_not_known() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell_with("one", &until_gate("pid"), "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    let node = format!("{job}@one");
    let explain = sandbox.howdah(["explain", &node]).at(NOW).env("HOWDAH_FAIL", "read-protocol:1-99:EIO");
    let text = explain.succeed().stdout;
    for expect in [
        "how it stands cannot be told",
        "Cannot determine what is at [",
        "Input/output error",
        "the next step tries again",
    ] {
        assert!(text.contains(expect), "{expect}: {text}");
    }
    sandbox.write("gate", "");
}

/// A command that cannot be started for the moment waits, reports it, and can be killed meanwhile.
#[test]
fn a_command_that_waits_for_a_process_says_so() {
    for is_killed in [false, true] {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "one", &[shell_with("one", &effect("one"), "end", "")]);
        let submit = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app"));
        let times = if is_killed { 1000 } else { 8 };
        let submit = submit.define("sandbox", &sandbox.text("")).env("HOWDAH_FAIL", format!("spawn:1-{times}:EAGAIN"));
        let job = submit.env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).succeed().job();
        let node = format!("{job}@one");
        let explain = || sandbox.howdah(["explain", &node]).at(NOW).succeed().stdout;
        let text = wait_for("its words", || Some(explain()).filter(|text| text.contains("its supervisor waits")));
        assert!(text.contains("Resource temporarily unavailable"), "{text}");
        if is_killed {
            sandbox.howdah(["kill", &job]).at(NOW).succeed();
        }
        sandbox.await_quiet();
        let (status, effects) = if is_killed { ("KILLED", "") } else { ("SUCCEEDED", "one\n") };
        assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), (status, effects));
    }
}

/// A file in the place of a folder or a lock that the runner needs stops the runner, which cannot report it.
#[test]
fn tick_says_why_the_runner_can_do_nothing() {
    for (obstacle, is_file) in [("howdah.runs", true), ("howdah.db.runner.lock", false)] {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "one", &[shell_with("one", &effect("one"), "end", "")]);
        if is_file {
            sandbox.write(obstacle, "");
        } else {
            std::fs::create_dir(sandbox.path(obstacle)).expect("an empty folder");
        }
        let job = sandbox.submit(NOW, &[]);
        let tick = sandbox.howdah(["tick"]).at(NOW).run();
        assert_eq!(tick.status, Some(1), "{tick:?}");
        assert!(tick.stderr.contains("H0111") && tick.stderr.contains(obstacle), "{tick:?}");
        if is_file {
            let explain = || sandbox.howdah(["explain", &job]).at(NOW).succeed().stdout;
            let text = wait_for("the runner's words", || Some(explain()).filter(|text| text.contains(obstacle)));
            assert!(text.contains("The runner cannot advance it: H0111"), "{text}");
            std::fs::remove_file(sandbox.path(obstacle)).expect("a file");
        } else {
            wait_for("the end of the runner", || sandbox.processes().is_empty().then_some(()));
            std::fs::remove_dir(sandbox.path(obstacle)).expect("an empty folder");
            sandbox.tick(NOW);
        }
        sandbox.await_quiet();
        assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
    }
}

/// The next tick reports what the running runner cannot do.
#[test]
fn tick_says_what_is_in_the_way_of_the_runner() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell_with("one", &effect("one"), "end", "")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app"));
    let submit = submit.define("sandbox", &sandbox.text("")).env("HOWDAH_FAIL", "fork:1-9999:EAGAIN");
    let job = submit.env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).succeed().job();
    let tick = || sandbox.howdah(["tick"]).at(NOW).succeed().stderr;
    let said = wait_for("its words", || Some(tick()).filter(|said| !said.is_empty()));
    assert!(said.starts_with("the runner: H0140: Cannot start a process: Resource temporarily"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    // From here on it succeeds: each byte stands for one time.
    sandbox.write("ledger", &".".repeat(9999));
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
    let log = std::fs::read_to_string(sandbox.beside_database(".runner.log")).expect("the runner complained");
    assert_eq!(log.matches("Resource temporarily unavailable").count(), 1, "told once: {log}");
}

/// A daemon that cannot tick for a while reports it once and continues.
#[test]
fn a_daemon_survives_temporary_failures() {
    let sandbox = Sandbox::new();
    workflow(
        &sandbox,
        "app",
        "one",
        &[shell_with("one", &format!("{}; {}", effect("one"), until_gate("pid")), "end", "")],
    );
    let daemon = sandbox.howdah(["daemon", "--quiet", "--every", "1"]).errors_to(&sandbox.path("errors")).start();
    let lock = sandbox.path("howdah.db.tick.lock");
    wait_for("its first tick", || lock.exists().then_some(()));
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    std::fs::remove_file(&lock).expect("a file");
    std::fs::create_dir(&lock).expect("an empty folder");
    let said = sandbox.await_file("errors");
    assert!(said.starts_with("the daemon: H0111"), "{said}");
    std::fs::remove_dir(&lock).expect("an empty folder");
    sandbox.write("gate", "");
    wait_for("the job", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
    assert_eq!(sandbox.read("errors").lines().count(), 1, "{}", sandbox.read("errors"));
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(daemon.pid()).expect("a number"),
        rustix::process::Signal::TERM,
    )
    .expect("it is alive");
    assert_eq!(daemon.finish().status, Some(0));
}

/// Oozie's message stays; the real end of the command is added to it.
#[test]
fn the_end_of_a_command_is_reported_as_it_was() {
    for (line, words, field) in [
        ("exit 3", "the command ended with exit status 3", ("exitCode", 3)),
        ("kill -9 $$", "signal 9 ended the command", ("signal", 9)),
    ] {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "one", &[shell_with("one", line, "end", "")]);
        let run = sandbox.howdah(["run"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app")).run();
        assert_eq!(run.status, Some(1), "{run:?}");
        let job = run.job();
        let node = format!("{job}@one");
        let shown = |arguments: &[&str]| sandbox.howdah(arguments.iter().copied()).at(NOW).succeed().stdout;
        assert!((run.stdout.clone() + &run.stderr).contains(words), "{run:?}");
        for arguments in [["explain", &job], ["explain", &node], ["info", &job], ["info", &node]] {
            assert!(shown(&arguments).contains(words), "{arguments:?}: {}", shown(&arguments));
        }
        let log = sandbox.howdah(["log", &node]).at(NOW).succeed();
        let ended = words.split(" ended").next().unwrap_or_default().trim_start_matches("the command");
        assert!((log.stdout + &log.stderr).contains(ended), "log");
        let document: serde_json::Value = serde_json::from_str(&shown(&["info", &node, "--json"])).expect("JSON");
        assert_eq!(document[field.0], field.1, "{document}");
        assert!(document["errorMessage"].as_str().is_some_and(|text| text.ends_with("exit code [1]")), "{document}");
    }
}

/// The content of an attempt's folder is untrusted: no more of it is read than a shim would write.
#[test]
fn a_forged_outcome_is_bounded() {
    for (bytes, code) in [(50_000_000, "JA017"), (50_000, "x")] {
        let sandbox = Sandbox::new();
        let token = "token=$(sed 's/.*\"token\":\"\\([^\"]*\\)\".*/\\1/' ../attempt.json)";
        let begin = "printf '{\"token\":\"%s\",\"outcome\":{\"failed\":{\"message\":\"\",\"code\":\"' $token";
        let end = "printf \
                   '\"}},\"started_at\":-9223372036854775808,\"ended_at\":9223372036854775807,\"user_seconds\":1e300,\
                   \"system_seconds\":null,\"max_memory\":null,\"files_done\":0}'";
        let forge = format!(
            "{token}; {{ {begin}; head -c {bytes} /dev/zero | tr '\\0' x; {end}; }} > ../forged; mv ../forged ../exit; \
             kill -9 $PPID"
        );
        workflow(&sandbox, "app", "one", &[shell_with("one", &forge, "end", "")]);
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert!(matches!(database.job(&job).as_str(), "FAILED" | "KILLED"), "{}", database.nodes());
        let stored = database.rows("SELECT error_code FROM workflow_node WHERE name = 'one'").join("");
        assert!(stored.starts_with(code) && stored.len() <= 100, "{} bytes: {:.50}", stored.len(), stored);
        let size = std::fs::metadata(sandbox.database_path()).expect("a file").len();
        assert!(size < 2_000_000, "{size} bytes of database");
        let info = sandbox.howdah(["info", &format!("{job}@one")]).at(NOW).succeed();
        assert!(info.stdout.len() < 10_000, "{} bytes", info.stdout.len());
    }
}

/// File operations on a store that does not respond for the moment, or has no room: the action waits, continues with
/// the rest of its list, and ends as on a working machine.
#[test]
fn file_operations_wait_for_the_machine() {
    let mut failed = 0;
    for (point, from, error) in [
        ("operation", 1, "ENOSPC"),
        ("operation", 2, "EIO"),
        ("operation", 3, "EMFILE"),
        ("operation", 4, "ETIMEDOUT"),
        ("operation", 5, "EROFS"),
        ("operation", 6, "ENOSPC"),
        ("delete", 1, "EIO"),
        ("delete", 2, "EMFILE"),
    ] {
        let sandbox = Sandbox::new();
        for file in ["in/a", "in/b", "in/c", "old/x", "gone/x"] {
            sandbox.write(file, "");
        }
        let base = sandbox.text("");
        let operations = format!(
            "<fs><mkdir path='{base}/out'/><move source='{base}/in/*' target='{base}/out'/><delete path='{base}/old'/>\
             <touchz path='{base}/out/done'/><chmod path='{base}/out/done' permissions='600' dir-files='false'/></fs>"
        );
        let prepare = format!("<prepare><delete path='{base}/gone'/></prepare>");
        let shell = format!("<shell xmlns='uri:oozie:shell-action:1.0'>{prepare}<exec>true</exec></shell>");
        let nodes = [action("one", &operations, "two", ""), action("two", &shell, "end", "")];
        workflow(&sandbox, "app", "one", &nodes);
        let fault = format!("{point}:{from}-{}:{error}", from + 2);
        let submit = sandbox.howdah(["submit"]).at(NOW);
        let submit = submit.define("oozie.wf.application.path", &sandbox.text("app")).env("HOWDAH_FAIL", &fault);
        let job = submit.env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).succeed().job();
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert_eq!(database.job(&job), "SUCCEEDED", "{fault}: {}", database.nodes());
        assert_eq!(database.rows("SELECT state || number FROM attempt"), ["ENDED1"; 2], "{fault}");
        for there in ["out/a", "out/b", "out/c", "out/done"] {
            assert!(sandbox.path(there).exists(), "{fault}: {there}");
        }
        assert!(!sandbox.path("old").exists() && !sandbox.path("gone").exists(), "{fault}");
        failed += usize::from(sandbox.read("ledger").len() >= from);
    }
    assert_eq!(failed, 8, "every fault happened");
}

/// While it waits it reports it, and it can be killed.
#[test]
fn a_file_operation_that_waits_says_so_and_can_be_killed() {
    let sandbox = Sandbox::new();
    let operations = format!("<fs><mkdir path='{}'/></fs>", sandbox.text("out"));
    workflow(&sandbox, "app", "one", &[action("one", &operations, "end", "")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).env("HOWDAH_FAIL", "operation:1-99999:EIO");
    let job = submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job();
    let explain = || sandbox.howdah(["explain", &format!("{job}@one")]).at(NOW).succeed().stdout;
    wait_for("the reason", || explain().contains("Input/output error").then_some(()));
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
    assert!(!sandbox.path("out").exists());
}

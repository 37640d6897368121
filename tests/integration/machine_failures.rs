//! A machine that fails for a moment while work is carried on: what it cannot say is asked again, what it cannot do is tried
//! again, and everything happens exactly once.
//!
//! For every place where the machine is asked something, and every N, the N-th to M-th time fails in whatever process gets
//! there; one tick, and the runner that it starts, must bring everything to the end that a sound machine brings it to.

use crate::application::{Coordinator, action, effect, shell_body, shell_with, until_gate, workflow};
use crate::sandbox::{Sandbox, kill, wait_for};

/// When both actions are due.
const NOW: &str = "2010-01-01T01:00Z";

/// Two actions of a coordinator, each a command whose output is kept, then another one that needs it.
fn scenario(sandbox: &Sandbox) {
    Coordinator { controls: "<concurrency>2</concurrency>", ..Coordinator::default() }.write(sandbox);
    let line = format!("{}; echo rows=7", effect("${nominal}"));
    let retries = "retry-max=\"3\" retry-interval=\"0\"";
    let one = action("one", &shell_body(&line, "<capture-output/>"), "two", retries);
    let two = "test ${wf:actionData(\"one\")[\"rows\"]} = 7";
    workflow(sandbox, "app", "one", &[one, shell_with("two", two, "end", retries)]);
}

/// Retries every failure of a shell at once: an attempt that is given up for nothing starts a second copy.
fn site(sandbox: &Sandbox) -> String {
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let codes = property("oozie.service.LiteWorkflowStoreService.user.retry.error.code", "ALL");
    sandbox.write("site.xml", &format!("<configuration>{codes}</configuration>"));
    sandbox.text("site.xml")
}

/// Everything happened once, and ended as it does on a sound machine.
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

/// One failure that lasts for a few times; answers whether it happened.
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

/// Lets every `step`-th passage of a point fail, for a few times in a row, until the scenario does not get there.
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

/// The new runner finds a command at work and cannot say whether it lives: it is not lost, and no second copy starts.
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
        wait_for("its end", || sandbox.process("howdah runner").is_none().then_some(()));
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

/// While it lasts, people are told what is not known, and why.
#[test]
fn explain_says_what_cannot_be_told() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell_with("one", &until_gate("pid"), "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    let node = format!("{job}@one");
    let explain = sandbox.howdah(["explain", &node]).at(NOW).env("HOWDAH_FAIL", "read-protocol:1-99:EIO");
    let text = explain.succeed().stdout;
    for expect in ["how it stands cannot be told", "Cannot read [", "Input/output error", "the next step tries again"] {
        assert!(text.contains(expect), "{expect}: {text}");
    }
    sandbox.write("gate", "");
}

/// A command that cannot be started for the moment waits, says so, and can be killed meanwhile.
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

//! `--watch`: a terminal is redrawn, a pipe gets one line for each change.

use howdah_sandbox::application::{Coordinator, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, Started, wait_for};

const NOW: &str = "2010-01-01T01:00Z";

/// Submits a coordinator of two actions that wait for the file `gate`.
fn submit(sandbox: &Sandbox) -> String {
    Coordinator::default().write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &until_gate("runs"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    sandbox.await_file("runs");
    job
}

/// Waits until a process has written something.
fn await_output(started: &Started) {
    let io = format!("/proc/{}/io", started.pid());
    let has_written = |io: &String| io.lines().any(|line| line.starts_with("wchar: ") && line != "wchar: 0");
    wait_for("the first output", || std::fs::read_to_string(&io).ok().filter(has_written));
}

/// The changes of lines, without their times.
fn changes(output: &str) -> Vec<&str> {
    output.lines().filter_map(|line| line.split_once("Z  ")).map(|(_, change)| change).collect()
}

#[test]
fn a_pipe_gets_one_line_for_each_change_and_an_end() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    let info = sandbox.howdah(["info", "--watch=1s", &job]).at(NOW).start();
    let action = sandbox.howdah(["info", "--watch=1s", &format!("{job}@1")]).at(NOW).start();
    let endless = ["jobs", "actions", "status"]
        .map(|verb| sandbox.howdah([verb, "--watch=1s"]).at(NOW).output_to(&sandbox.path(verb)).start());
    for started in [&info, &action].into_iter().chain(&endless) {
        await_output(started);
    }
    sandbox.write("gate", "");
    // They end with what they show.
    let (info, action) = (info.finish(), action.finish());
    assert_eq!((info.status, action.status), (Some(0), Some(0)), "{info:?} {action:?}");
    assert_eq!(changes(&action.stdout), [format!("{job}@1  RUNNING"), format!("{job}@1  RUNNING -> SUCCEEDED")]);
    let of_info = changes(&info.stdout);
    assert_eq!(of_info[0], format!("{job}  RUNNING, 0/2 succeeded, 0 failed, 1 waiting"));
    assert!(of_info.last().is_some_and(|last| last.ends_with("-> SUCCEEDED")), "{of_info:?}");
    // The others show what may still change.
    let first = format!("{job}@1");
    for (verb, start, end) in [
        ("jobs", job.as_str(), "-> SUCCEEDED, 2/2 succeeded, 0 failed, 0 waiting"),
        ("actions", &first, "  RUNNING -> SUCCEEDED"),
        ("status", "actions  ", "-> 2 SUCCEEDED"),
    ] {
        let is_end = |line: &&str| line.starts_with(start) && line.ends_with(end);
        wait_for(end, || changes(&sandbox.read(verb)).iter().any(is_end).then_some(()));
    }
    for started in endless {
        howdah_sandbox::sandbox::kill(started.pid());
        started.finish();
    }
}

#[test]
fn a_terminal_is_redrawn_and_keeps_its_size() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    for (arguments, expect) in [
        (&["info", "--watch=1s", &job][..], "Job Name"),
        (&["jobs", "--watch=1s"], "RUNNING"),
        (&["actions", "--watch=1s"], "RUNNING"),
        (&["status", "--watch=1s"], "Last tick"),
    ] {
        let terminal = sandbox.howdah(arguments.iter().copied()).at(NOW).on_terminal((80, 12));
        let text = terminal.await_text(expect);
        assert!(text.starts_with("2010-01-01T01:00:00Z, every 1 s; Ctrl-C ends it\n\n"), "{arguments:?}: {text}");
    }
    let mut terminal = sandbox.howdah(["info", "--watch=1s", &job]).at(NOW).on_terminal((80, 12));
    terminal.await_text("more lines)");
    let mut tall = sandbox.howdah(["info", "--watch=1s", &job]).at(NOW).on_terminal((80, 40));
    tall.await_text("RUNNING");
    sandbox.write("gate", "");
    assert!(terminal.finish().success() && tall.finish().success());
    let text = tall.await_text("2 in all, 2 created: 2 SUCCEEDED");
    assert!(text.starts_with("2010-01-01T01:00:00Z") && !text.contains("RUNNING"), "{text}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    for arguments in [
        &["jobs", "--watch", "--json"][..],
        &["jobs", "--watch", "--bulk", "bundle=x"],
        &["jobs", "--watch=soon"],
        &["status", "--watch", "--check"],
        &["info", "--watch", "--definition", &job],
    ] {
        let ran = sandbox.howdah(arguments.iter().copied()).at(NOW).run();
        assert_eq!(ran.status, Some(2), "{arguments:?}: {ran:?}");
    }
    sandbox.write("gate", "");
}

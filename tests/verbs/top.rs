//! `howdah top` on a terminal: lists, keys, verbs with their questions, and the terminal afterwards.

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use howdah_sandbox::application::{Coordinator, shell, until_gate, workflow};
use howdah_sandbox::engines::apt;
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_sandbox::terminal::Terminal;
use howdah_tier as tier;

const NOW: &str = "2010-01-01T01:00Z";

/// Submits a coordinator of two actions; the command of the first one prints what could control a terminal, and both
/// wait for the file `gate`. An action writes an instance of a dataset.
fn submit(sandbox: &Sandbox) -> String {
    let data = format!(
        "<datasets><dataset name=\"d\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\"
           timezone=\"UTC\"><uri-template>file://{}/out/${{HOUR}}</uri-template><done-flag/></dataset></datasets>
         <output-events><data-out name=\"out\" dataset=\"d\"><instance>${{coord:current(0)}}</instance></data-out>
         </output-events>",
        sandbox.text("")
    );
    Coordinator { data, ..Coordinator::default() }.write(sandbox);
    let line = format!("printf 'before \\033[2J behind\\n'; mkdir -p ${{sandbox}}/out/00; {}", until_gate("runs"));
    workflow(sandbox, "app", "one", &[shell("one", &line, "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    sandbox.await_file("runs");
    job
}

fn start(sandbox: &Sandbox) -> Terminal {
    let terminal = sandbox.howdah(["top"]).at(NOW).on_terminal((100, 24));
    terminal.await_text("howdah top  coordinators (1 of 1)");
    terminal
}

/// Types keys, one after the other, and waits for what the terminal shows after each.
fn walk(terminal: &mut Terminal, steps: &[(&str, &str)]) {
    for (keys, expect) in steps {
        terminal.type_keys(keys);
        terminal.await_text(expect);
    }
}

/// Waits until the program has left, with the terminal in its usual state.
fn check_left(terminal: &mut Terminal) {
    assert!(terminal.finish().success(), "{}", terminal.text());
    wait_for("the usual state of the terminal", || terminal.is_usual().then_some(()));
}

#[test]
fn keys_lead_from_a_job_to_the_output_of_its_commands() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    let mut terminal = start(&sandbox);
    let text = terminal.text();
    assert!(text.contains("test") && text.contains("0/2") && text.contains("RUNNING"), "{text}");
    assert!(!terminal.is_usual());
    let actions = format!("actions of {job}");
    walk(
        &mut terminal,
        &[
            ("?", "any key leads back"),
            (" ", "Enter Actions"),
            ("\r", &actions),
            ("/", " /_"),
            ("@1", " /@1_"),
            ("\r", "only with [@1]"),
            ("\r", ":START:"),
            ("j\r", "output of"),
            ("", "before \\x1b[2J behind"),
            ("\x1b", ":START:"),
            ("\x1b[D", &actions),
            ("\x1b", "coordinators (1 of 1)"),
            ("l", "before \\x1b[2J behind"),
            ("\x1b", "coordinators (1 of 1)"),
            ("\t", "workflow jobs (1 of 1)"),
        ],
    );
    // What changes is shown without a key.
    sandbox.write("gate", "");
    terminal.await_text("workflow jobs (2 of 2)");
    terminal.await_text("SUCCEEDED");
    terminal.type_keys("q");
    check_left(&mut terminal);
}

#[test]
fn a_verb_asks_its_questions_outside_of_the_lists() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    let mut terminal = start(&sandbox);
    let suspend = format!("({job})? [y/N]");
    walk(&mut terminal, &[("s", &suspend), ("n", "suspend: the answer was no")]);
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    walk(&mut terminal, &[("s", &suspend), ("y", "Enter leads back to the lists")]);
    assert!(terminal.is_usual() && terminal.text().contains(&format!("$ howdah suspend {job}")), "{}", terminal.text());
    assert_eq!(sandbox.database().job(&job), "SUSPENDED");
    walk(
        &mut terminal,
        &[
            ("\r", "Enter Actions"),
            ("", "SUSPENDED"),
            ("u", "resume"),
            ("y", "Enter leads back"),
            ("\r", "Enter Actions"),
        ],
    );
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    sandbox.write("gate", "");
    terminal.await_text("2/2");
    let rerun = format!("({job}@1)? [y/N]");
    walk(&mut terminal, &[("\r", "actions of"), ("G", "@1"), ("r", &rerun), ("y", "Delete 1 output and rerun? [y/N]")]);
    walk(&mut terminal, &[("n\r", "the answer was no"), ("\r", "actions of")]);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    terminal.type_keys("\x03");
    check_left(&mut terminal);
}

#[test]
fn a_signal_leaves_the_terminal_in_its_usual_state() {
    let sandbox = Sandbox::new();
    submit(&sandbox);
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut terminal = start(&sandbox);
        let pid = Pid::from_raw(terminal.pid()).expect("a process");
        kill_process(pid, signal).expect("it is our own");
        check_left(&mut terminal);
    }
    sandbox.write("gate", "");
}

#[test]
fn it_fills_a_terminal_of_another_size() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    let mut terminal = start(&sandbox);
    assert!(terminal.text().contains(&job), "{}", terminal.text());
    for (size, last) in [((60, 12), 11), ((120, 30), 29), ((100, 24), 23)] {
        terminal.resize(size);
        let bar = |line: usize| terminal.text().lines().nth(line).unwrap_or_default().to_owned();
        wait_for(&format!("bars on a terminal of {size:?}: {}", terminal.text()), || {
            (bar(0).starts_with(" howdah top") && bar(last).starts_with(" Enter Actions")).then_some(())
        });
        // What was drawn for the former size is nowhere.
        assert_eq!(terminal.text().matches("howdah top").count(), 1, "{}", terminal.text());
        assert_eq!(terminal.text().matches("RUNNING").count(), 1, "{}", terminal.text());
    }
    sandbox.write("gate", "");
    terminal.type_keys("q");
    check_left(&mut terminal);
}

#[test]
fn it_ends_when_its_terminal_is_closed() {
    let sandbox = Sandbox::new();
    submit(&sandbox);
    let mut terminal = start(&sandbox);
    terminal.close();
    assert_eq!(terminal.finish().code(), Some(0));
    sandbox.write("gate", "");
}

#[test]
fn without_a_terminal_it_is_refused() {
    let sandbox = Sandbox::new();
    submit(&sandbox);
    let ran = sandbox.howdah(["top"]).at(NOW).run();
    assert!(ran.status == Some(2) && ran.stderr.contains("howdah jobs --watch"), "{ran:?}");
    sandbox.write("gate", "");
}

#[test]
fn a_panic_restores_the_terminal_and_is_shown() {
    let sandbox = Sandbox::new();
    submit(&sandbox);
    let mut terminal = sandbox.howdah(["top"]).at(NOW).env("HOWDAH_PANIC", "top-key").on_terminal((100, 24));
    terminal.await_text("howdah top  coordinators (1 of 1)");
    assert!(!terminal.is_usual(), "it draws on the whole terminal");
    terminal.type_keys("j");
    assert_eq!(terminal.finish().code(), Some(101), "{}", terminal.text());
    terminal.await_text("a test requests a panic at top-key");
    wait_for("the usual state of the terminal", || terminal.is_usual().then_some(()));
    sandbox.write("gate", "");
}

#[test]
fn it_works_in_tmux() {
    if !tier::full("it installs tmux and drives it") {
        return;
    }
    if Command::new("tmux").arg("-V").output().is_err() {
        apt(&["tmux"]).expect("tmux is installed");
    }
    let sandbox = Sandbox::new();
    let job = submit(&sandbox);
    let tmux = |arguments: &[&str]| {
        let mut command = Command::new("tmux");
        let ran = command.arg("-S").arg(sandbox.path("tmux")).args(arguments).env("LC_ALL", "C.UTF-8").output();
        String::from_utf8_lossy(&ran.expect("tmux runs").stdout).into_owned()
    };
    let program = env!("CARGO_BIN_EXE_howdah");
    let database = sandbox.database_path().display().to_string();
    let line = format!("'{program}' top --db '{database}' --now {NOW}; echo left with $?; sleep 60");
    tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", &line]);
    let shows = |text: &str| {
        wait_for(&format!("[{text}] in tmux: {}", tmux(&["capture-pane", "-p"])), || {
            Some(tmux(&["capture-pane", "-p"])).filter(|shown| shown.contains(text))
        })
    };
    shows("coordinators (1 of 1)");
    for (key, expect) in [
        ("Enter", format!("actions of {job}")),
        ("End", "@1".to_owned()),
        ("Enter", ":START:".to_owned()),
        ("Down", "one".to_owned()),
        ("Enter", "before \\x1b[2J behind".to_owned()),
        ("Escape", ":START:".to_owned()),
        ("F1", "any key leads back".to_owned()),
        ("Escape", ":START:".to_owned()),
        ("F9", "@one)? [y/N]".to_owned()),
        ("n", "the answer was no".to_owned()),
    ] {
        tmux(&["send-keys", key]);
        shows(&expect);
    }
    tmux(&["send-keys", "q"]);
    shows("left with 0");
    sandbox.write("gate", "");
    tmux(&["kill-server"]);
}

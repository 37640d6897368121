//! What an operator sees of a node: every start of its work, the resources it used, and the output of each.

use howdah_sandbox::application::{action, shell, shell_body, until_gate, workflow};
use howdah_sandbox::attempt_folder::{kept_in, write_heavy};
use howdah_sandbox::sandbox::{Sandbox, kill, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// Runs one node with immediate retries; returns the id of the node.
fn node(sandbox: &Sandbox, line: &str, attributes: &str) -> String {
    workflow(sandbox, "app", "one", &[action("one", &shell_body(line, "<capture-output/>"), "end", attributes)]);
    format!("{}@one", sandbox.submit(NOW, &[]))
}

fn shown(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let ran = sandbox.howdah(arguments.iter().copied()).at(NOW).succeed();
    ran.stdout + &ran.stderr
}

/// A site on which every error of a shell is tried again, without waiting.
fn retrying(sandbox: &Sandbox) -> String {
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let codes = property("oozie.service.LiteWorkflowStoreService.user.retry.error.code", "ALL");
    let site = sandbox.write("site.xml", &format!("<configuration>{codes}</configuration>"));
    site.display().to_string()
}

#[test]
fn a_node_shows_what_it_has_used() {
    let sandbox = Sandbox::new();
    let node = node(&sandbox, "echo rows=7; dd if=/dev/zero of=/dev/null bs=32M count=1 2>/dev/null", "");
    sandbox.await_quiet();
    let document: serde_json::Value = serde_json::from_str(&shown(&sandbox, &["info", &node, "--json"])).expect("JSON");
    let attempt = &document["attempts"][0];
    assert!(attempt["maxMemory"].as_i64().is_some_and(|bytes| bytes > 32 << 20), "{document}");
    assert!(attempt["userSeconds"].is_f64() && attempt["systemSeconds"].is_f64(), "{document}");
    assert_eq!((&attempt["exitCode"], &attempt["state"]), (&0.into(), &"ENDED".into()));
    let folder = attempt["folder"].as_str().expect("a folder");
    assert_eq!(document["consoleUrl"], format!("file://{folder}"));
    let text = shown(&sandbox, &["info", &node]);
    for expect in ["Captured Output:", "rows=7", "RUN  ATTEMPT  STATE", "exit status 0", " MiB", folder] {
        assert!(text.contains(expect), "{expect}: {text}");
    }
}

#[test]
fn a_running_node_shows_its_process() {
    let sandbox = Sandbox::new();
    let node = node(&sandbox, &until_gate("here"), "");
    sandbox.await_file("here");
    let text = shown(&sandbox, &["info", &node]);
    let process = text.lines().find_map(|line| line.strip_prefix("Process:")).expect(&text).trim().to_owned();
    assert!(sandbox.processes().iter().any(|pid| pid.to_string() == process), "{text}");
    assert!(text.contains("STARTED"), "{text}");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert!(!shown(&sandbox, &["info", &node]).contains("Process:"));
}

#[test]
fn every_retry_has_its_row_and_its_output() {
    let sandbox = Sandbox::new();
    let site = retrying(&sandbox);
    let line = "echo x >> ${sandbox}/tries; n=$(wc -l < ${sandbox}/tries); echo try $n; echo more; [ $n -ge 3 ]";
    workflow(
        &sandbox,
        "app",
        "one",
        &[action("one", &shell_body(line, ""), "end", "retry-max=\"3\" retry-interval=\"0\"")],
    );
    let run = sandbox.howdah(["run", "--site", &site]).define("sandbox", &sandbox.text(""));
    let job = run.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job();
    let node = format!("{job}@one");
    let info = shown(&sandbox, &["info", &node]);
    assert_eq!(info.matches("exit status 1").count(), 2, "{info}");
    assert_eq!(info.matches("exit status 0").count(), 1, "{info}");
    let tries = |arguments: &[&str]| {
        let text = shown(&sandbox, &[&["log", &node], arguments].concat());
        text.lines().filter(|line| line.starts_with("try") || *line == "more").collect::<Vec<_>>().join(",")
    };
    assert_eq!(tries(&[]), "try 1,more,try 2,more,try 3,more");
    assert_eq!(tries(&["--attempt", "2"]), "try 2,more");
    assert_eq!(tries(&["--attempt", "last"]), "try 3,more");
    assert_eq!(tries(&["--tail", "1"]), "more,more,more");
    assert_eq!(tries(&["--attempt", "last", "--tail", "0"]), "");
    assert!(shown(&sandbox, &["log", &node, "--attempt", "9"]).contains("it has no attempt 9"));
    let json: serde_json::Value =
        serde_json::from_str(&shown(&sandbox, &["log", &node, "--attempt", "last", "--json"])).expect("JSON");
    assert_eq!(json["attempts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_end_of_a_large_output_is_shown_without_the_rest() {
    let sandbox = Sandbox::new();
    let node = node(&sandbox, "head -c 50000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo last >&2", "");
    sandbox.await_quiet();
    let text = shown(&sandbox, &["log", &node, "--stderr", "--tail", "1"]);
    assert!(text.contains("\nlast\n") && text.len() < 1000, "{} bytes", text.len());
}

#[test]
fn output_is_copied_byte_by_byte_into_a_pipe() {
    let sandbox = Sandbox::new();
    let node = node(&sandbox, "printf 'a\\033[2J\\r\\nb\\n' >&2", "");
    sandbox.await_quiet();
    let text = shown(&sandbox, &["log", &node, "--stderr"]);
    assert!(text.contains("a\u{1b}[2J\r\nb\n"), "{text:?}");
}

#[test]
fn what_chooses_output_is_refused_where_there_is_none() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    for (arguments, status) in [
        (&["log", &job, "--audit", "--attempt", "1"][..], 2),
        (&["log", &job, "--tail", "-1"], 2),
        (&["log", &job, "--attempt", "0"], 2),
        (&["log", &job, "--attempt", "first"], 2),
        (&["log", &job, "--tail", "1", "--logfilter", "limit=1"], 2),
    ] {
        let ran = sandbox.howdah(arguments.iter().copied()).at(NOW).run();
        assert_eq!(ran.status, Some(status), "{arguments:?}: {ran:?}");
    }
}

/// The folder of the only attempt.
fn folder(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.database().value("SELECT directory FROM attempt").into()
}

/// The names in the folder of the only attempt besides its output, and the bytes of these files.
fn kept(sandbox: &Sandbox) -> (Vec<String>, u64) {
    kept_in(&folder(sandbox))
}

/// Submits a shell action with a shipped file, a long configuration and captured output.
fn heavy(sandbox: &Sandbox, line: &str) -> String {
    write_heavy(sandbox, line);
    format!("{}@one", sandbox.submit(NOW, &[]))
}

#[test]
fn a_good_end_leaves_four_files_and_eight_kibibytes() {
    let sandbox = Sandbox::new();
    let node = node(&sandbox, "ls -a > made; echo rows=7", "");
    sandbox.await_quiet();
    let (names, bytes) = kept(&sandbox);
    assert!(bytes < 8 << 10, "{bytes}");
    assert_eq!(names, ["attempt.json", "claim", "exit", "work"]);
    let made = std::fs::read_dir(folder(&sandbox).join("work")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(made.collect::<Vec<_>>(), ["made"], "what the command has made stays");
    assert!(shown(&sandbox, &["info", &node]).contains("rows=7"));
}

#[test]
fn a_file_that_a_command_put_in_the_place_of_a_link_stays() {
    let sandbox = Sandbox::new();
    heavy(&sandbox, "cat shipped > own && mv own shipped");
    sandbox.await_quiet();
    assert_eq!(std::fs::read_to_string(folder(&sandbox).join("work/shipped")).expect("it stays"), "x");
}

#[test]
fn a_long_order_becomes_short_after_a_good_end() {
    let sandbox = Sandbox::new();
    let line = "test -f shipped && test -f action.xml && echo rows=7";
    let node = heavy(&sandbox, line);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().value("SELECT status FROM workflow_job"), "SUCCEEDED");
    let (names, bytes) = kept(&sandbox);
    assert_eq!(names, ["attempt.json", "claim", "element.gz", "exit"], "the working folder is empty, so it is gone");
    assert!(bytes < 8 << 10, "{bytes}");
    // The configuration is in the element, which `info` shows.
    assert!(shown(&sandbox, &["info", &node]).contains("  LANG=C.UTF-8\n"));
    assert!(shown(&sandbox, &["info", &node, "--json"]).contains("name199"));
}

#[test]
fn a_bad_end_leaves_everything() {
    let sandbox = Sandbox::new();
    node(&sandbox, "exit 3", "");
    sandbox.await_quiet();
    assert_eq!(kept(&sandbox).0, ["attempt.json", "claim", "exit", "work"]);
    assert!(folder(&sandbox).join("work/action.xml").exists());
}

#[test]
fn a_restored_database_reads_the_outcome_of_a_short_order() {
    let sandbox = Sandbox::new();
    let line = format!("{}; echo x >> ${{sandbox}}/effects; echo rows=7", until_gate("pid"));
    let node = heavy(&sandbox, &line);
    sandbox.await_file("pid");
    let backup = sandbox.path("backup.db");
    sandbox.howdah(["db", "backup"]).with(&backup).succeed();
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.howdah(["db", "restore"]).with(&backup).succeed();
    assert_eq!(sandbox.database().value("SELECT status FROM workflow_job"), "RUNNING");
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().value("SELECT status FROM workflow_job"), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "x\n");
    assert!(shown(&sandbox, &["info", &node]).contains("rows=7"));
}

#[test]
fn many_file_operations_leave_a_short_order_too() {
    let sandbox = Sandbox::new();
    let made: String =
        (0..200).fold(String::new(), |text, number| text + &format!("<mkdir path=\"${{sandbox}}/made/{number}\"/>"));
    workflow(&sandbox, "app", "one", &[action("one", &format!("<fs>{made}</fs>"), "end", "")]);
    let node = format!("{}@one", sandbox.submit(NOW, &[]));
    sandbox.await_quiet();
    assert!(sandbox.path("made/199").is_dir());
    let (names, bytes) = kept(&sandbox);
    assert_eq!(names, ["attempt.json", "claim", "element.gz", "exit"]);
    assert!(bytes < 8 << 10, "{bytes}");
    assert!(shown(&sandbox, &["info", &node, "--json"]).contains("made/199"));
}

/// A living command counts as living, whatever has become of the order in its folder, and where the folders of all
/// attempts are away for a while.
#[test]
fn what_lives_is_not_started_beside_itself() {
    for harm in ["emptied", "deleted", "away"] {
        let sandbox = Sandbox::new();
        let site = retrying(&sandbox);
        let line = format!("echo x >> ${{sandbox}}/starts; {}", until_gate("here"));
        let node = action("one", &shell_body(&line, ""), "end", "retry-max=\"3\" retry-interval=\"0\"");
        workflow(&sandbox, "app", "one", &[node]);
        let job = sandbox.submitting(NOW).with_all(&["--site", &site]).succeed().job();
        sandbox.await_file("here");
        let runner = sandbox.runner().expect("a runner");
        kill(runner);
        wait_for("the end of the runner", || sandbox.runner().is_none().then_some(()));
        let tick = || sandbox.howdah(["tick", "--site", &site]).at(NOW).run();
        let runs = sandbox.database_path().with_extension("runs");
        let order = folder(&sandbox).join("attempt.json");
        match harm {
            "emptied" => std::fs::write(order, "").expect("a file"),
            "deleted" => std::fs::remove_file(order).expect("a file"),
            _ => {
                std::fs::rename(&runs, sandbox.path("elsewhere")).expect("a folder");
                tick();
                wait_for("a step of the runner", || sandbox.runner());
                sandbox.write("gate", "");
                // The supervisor has an outcome, and no place to write it.
                std::thread::sleep(std::time::Duration::from_millis(500));
                std::fs::rename(sandbox.path("elsewhere"), &runs).expect("a folder");
            }
        }
        for _ in 0..3 {
            tick();
        }
        let starts = || sandbox.read("starts").lines().count();
        assert_eq!(starts(), 1, "{harm}");
        sandbox.write("gate", "");
        tick();
        sandbox.await_quiet();
        let database = sandbox.database();
        let expect = if harm == "away" { (1, "SUCCEEDED") } else { (2, "SUCCEEDED") };
        // Without its order nobody knows what the outcome means: the retry begins after the end, never beside it.
        assert_eq!((starts(), database.job(&job).as_str()), expect, "{harm}: {}", database.nodes());
    }
}

//! Completion of command lines: what a shell is offered, and real shells in which somebody types.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::engines::{apt, run};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T02:10Z";

/// Submits a coordinator with this name, whose three actions run the node `greet`.
fn submit(sandbox: &Sandbox, name: &str) -> String {
    Coordinator { end: "2010-01-01T03:00Z", ..Coordinator::default() }.write(sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("name=\"test\"", &format!("name=\"{name}\""));
    sandbox.write("app/coordinator.xml", &definition);
    workflow(sandbox, "app", "greet", &[shell("greet", &effect("${nominal}"), "end")]);
    sandbox.submit(NOW, &[])
}

/// Returns what is offered for the last word of a command line.
fn offered(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let ran = sandbox.howdah(["--"]).with_all(&words).env("HOWDAH_COMPLETE", "fish").succeed();
    assert_eq!(ran.stderr, "", "{line}");
    ran.stdout.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn jobs_and_their_parts_are_offered() {
    let sandbox = Sandbox::new();
    let feed = submit(&sandbox, "feed-1");
    submit(&sandbox, "feed-2");
    submit(&sandbox, "needs quotes");
    sandbox.tick(NOW);
    sandbox.await_quiet();
    sandbox.tick_through(NOW);
    let parts = ["feed-1@3", "feed-1@2", "feed-1@1", "feed-1@last", "feed-1@failed"];
    assert_eq!(offered(&sandbox, "howdah info feed"), ["feed-1", "feed-2"]);
    assert_eq!(offered(&sandbox, "howdah kill feed-1 feed-2 @"), ["@last", "@failed"]);
    assert_eq!(offered(&sandbox, "howdah explain feed-1@"), parts);
    assert_eq!(offered(&sandbox, "howdah log feed-1@l"), ["feed-1@last"]);
    assert_eq!(offered(&sandbox, &format!("howdah rerun {}", &feed[..7])), [feed.as_str()]);
    assert_eq!(offered(&sandbox, "howdah actions --job feed-"), ["feed-1", "feed-2"]);
    let workflow = sandbox.database().value("SELECT id FROM workflow_job ORDER BY job LIMIT 1");
    assert!(offered(&sandbox, &format!("howdah log {workflow}@g")).contains(&format!("{workflow}@greet")));
    // The database of the command line that is being written.
    let other = sandbox.text("other.db");
    assert_eq!(offered(&sandbox, &format!("howdah --db {other} info feed")), [""; 0]);
    assert!(!fs::exists(&other).expect("a folder"), "completing creates no database");
}

#[test]
fn a_locked_database_offers_nothing_soon() {
    let sandbox = Sandbox::new();
    submit(&sandbox, "feed-1");
    let lock = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    lock.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").expect("no process uses it");
    let begun = std::time::Instant::now();
    assert_eq!(offered(&sandbox, "howdah info f"), [""; 0]);
    // As long would a command wait for the database.
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
    drop(lock);
    assert_eq!(offered(&sandbox, "howdah info f"), ["feed-1"]);
}

#[test]
fn other_values_are_offered() {
    let sandbox = Sandbox::new();
    for (line, expect) in [
        ("howdah actions --status T", vec!["TIMEDOUT"]),
        ("howdah actions --status RUNNING,K", vec!["RUNNING,KILLED"]),
        ("howdah jobs --filter st", vec!["status=", "startcreatedtime="]),
        ("howdah jobs --filter status=RUNNINGW", vec!["status=RUNNINGWITHERROR"]),
        ("howdah jobs --filter status=PREP;us", vec!["status=PREP;user="]),
        ("howdah log x --logfilter lo", vec!["loglevel="]),
        ("howdah next --timezone Europe/Vie", vec!["Europe/Vienna"]),
        ("howdah change x --status R", vec!["RUNNING"]),
        ("howdah explain E0803", vec!["E0803"]),
        ("howdah exp", vec!["explain"]),
        ("howdah runn", vec![]),
    ] {
        assert_eq!(offered(&sandbox, line), expect, "{line}");
    }
}

/// A shell in a terminal, in which a test types.
struct Typed {
    socket: String,
}

impl Typed {
    /// Starts a shell with howdah's completions as its users install them.
    fn start(sandbox: &Sandbox, shell: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let typed = Self { socket: format!("howdah-{}-{number}", std::process::id()) };
        let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/completions");
        let (start, command) = match shell {
            "bash" => (format!("PS1='$ '; . {scripts}/howdah.bash\n"), "bash --noprofile --rcfile start"),
            "zsh" => (
                format!("PS1='$ '; fpath=({scripts} $fpath); autoload -Uz compinit; compinit -u -D\n"),
                "ZDOTDIR=. zsh -d",
            ),
            "fish" => (
                format!("function fish_prompt; echo '$ '; end; set -g fish_greeting; source {scripts}/howdah.fish\n"),
                "fish --no-config --init-command 'source start'",
            ),
            other => panic!("{other} is not tested"),
        };
        sandbox.write("start", &start);
        sandbox.write(".zshrc", &start);
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_howdah")).parent().expect("a folder").display();
        let environment = format!(
            "env -i TERM=screen HOME={home} PATH={program}:/usr/local/bin:/usr/bin:/bin HOWDAH_DB={db} {command}",
            home = sandbox.text("home"),
            db = sandbox.database_path().display(),
        );
        fs::create_dir_all(sandbox.path("home")).expect("a folder");
        typed.tmux(&["new-session", "-d", "-x", "100", "-y", "30", "-c", &sandbox.text(""), &environment]);
        typed.wait("$");
        typed
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        run(Command::new("tmux").args(["-L", &self.socket, "-f", "/dev/null"]).args(arguments)).expect("tmux")
    }

    /// Waits until the screen contains a text.
    fn wait(&self, text: &str) {
        wait_for(text, || Some(self.tmux(&["capture-pane", "-p"])).filter(|screen| screen.contains(text)));
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }
}

impl Drop for Typed {
    fn drop(&mut self) {
        let _ = run(Command::new("tmux").args(["-L", &self.socket, "kill-server"]));
    }
}

#[test]
fn real_shells_complete() {
    if !tier::full("it installs tmux, zsh and fish") {
        return;
    }
    apt(&["tmux", "zsh", "fish"]).expect("packages");
    let sandbox = Sandbox::new();
    submit(&sandbox, "feed-1");
    submit(&sandbox, "weather");
    sandbox.tick(NOW);
    sandbox.await_quiet();
    for shell in ["bash", "zsh", "fish"] {
        let typed = Typed::start(&sandbox, shell);
        // A verb, a name, and a part that a shell may divide at its @.
        typed.keys(&["howdah expl", "Tab"]);
        typed.wait("howdah explain");
        typed.keys(&["wea", "Tab"]);
        typed.wait("explain weather");
        typed.keys(&["C-u", "howdah info feed-1@la", "Tab"]);
        typed.wait("info feed-1@last");
        typed.keys(&["C-u", "howdah jobs --filter status=SUCC", "Tab"]);
        typed.wait("--filter status=SUCCEEDED");
    }
}

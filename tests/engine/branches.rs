//! What suspend, resume and kill do to a workflow whose branches run, have ended or fail: every order of the two, in
//! one table.

use std::fmt::Write as _;

use howdah_sandbox::application::{action, effect, shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// An event of a job that has just forked into `left` and `right`: a command, or a branch that ends; `!` means badly.
const STORIES: [&str; 19] = [
    "left right",
    "left! right",
    "kill",
    "left kill",
    "suspend kill",
    "suspend left kill",
    "suspend left right kill",
    "suspend",
    "suspend left",
    "left suspend",
    "suspend left right",
    "left suspend right",
    "suspend resume left right",
    "suspend left resume right",
    "suspend left right resume",
    "left suspend right resume",
    "suspend left! resume",
    "suspend left! right resume",
    "suspend left right! kill",
];

/// A command that reports that it runs and ends with the status in the file `gate-<name>`.
fn gated(name: &str) -> String {
    format!(
        "touch ${{sandbox}}/{name}; while [ ! -s ${{sandbox}}/gate-{name} ]; do sleep 0.02; done; \
         exit $(cat ${{sandbox}}/gate-{name})"
    )
}

fn open(sandbox: &Sandbox, branch: &str, status: &str) {
    sandbox.write_at_once(&format!("gate-{branch}"), status);
}

/// Executes a story; returns the status of the job and of its nodes when nothing changes any more.
fn play(story: &str) -> String {
    let sandbox = Sandbox::new();
    let nodes = [
        "<fork name=\"split\"><path start=\"left\"/><path start=\"right\"/></fork>".to_owned(),
        shell("left", &gated("left"), "meet"),
        shell("right", &gated("right"), "meet"),
        "<join name=\"meet\" to=\"after\"/>".to_owned(),
        action("after", &howdah_sandbox::application::shell_body(&effect("after"), ""), "end", ""),
    ];
    workflow(&sandbox, "app", "split", &nodes);
    let job = sandbox.submit(NOW, &[]);
    wait_for("both branches", || (sandbox.path("left").exists() && sandbox.path("right").exists()).then_some(()));
    for word in story.split_whitespace() {
        if matches!(word, "suspend" | "resume" | "kill") {
            sandbox.howdah([word, &job]).at(NOW).succeed();
            continue;
        }
        let (branch, status) = word.strip_suffix('!').map_or((word, "0"), |branch| (branch, "1"));
        open(&sandbox, branch, status);
        wait_for("the branch to end", || {
            let query = format!("SELECT count(*) FROM workflow_node WHERE name = '{branch}' AND status = 'RUNNING'");
            (sandbox.database().value(&query) == "0").then_some(())
        });
    }
    let is_suspended = sandbox.database().job(&job) == "SUSPENDED";
    // Commands of a suspended job continue; those of other jobs end without help, or the job does not end.
    for branch in ["left", "right"].into_iter().filter(|_| is_suspended) {
        if !sandbox.path(&format!("gate-{branch}")).exists() {
            open(&sandbox, branch, "0");
        }
    }
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    let nodes = database.nodes();
    let after = if sandbox.read("effects").is_empty() { "" } else { "; after ran" };
    format!("{} ({}{after})", database.job(&job), nodes.strip_prefix(":start: OK, split OK, ").unwrap_or(&nodes))
}

#[test]
fn verbs_meet_branches_in_every_order() {
    let told = std::thread::scope(|scope| {
        let play_all = |stories: &'static [&'static str]| stories.iter().map(|story| play(story)).collect::<Vec<_>>();
        let shares: Vec<_> = STORIES.chunks(5).map(|share| scope.spawn(move || play_all(share))).collect();
        shares.into_iter().flat_map(|share| share.join().expect("no story panics")).collect::<Vec<_>>()
    });
    let mut table = String::new();
    for (story, end) in STORIES.iter().zip(told) {
        // Writing to a String cannot fail.
        let _ = writeln!(table, "{story:<26} -> {end}");
    }
    insta::assert_snapshot!("verbs_and_branches", table);
}

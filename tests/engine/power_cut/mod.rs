//! Power cuts at random moments: every process of the machine ends at once, what was not on the disk is lost, and the
//! next boot continues. No command starts a second time, and what is said to have run has run.
//!
//! The database waits for the disk at each commit, so a power cut takes nothing of it that was committed. The files of
//! an attempt do not wait: here each that was written may be whole, empty or gone afterwards, or have
//! what it held before.

mod calls;
mod disk;
mod recorded;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use howdah_sandbox::application::{effect, shell, workflow};
use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{Howdah, Sandbox};
use howdah_tier::Trials;

/// How many power cuts are replayed, unless `HOWDAH_POWER_CUTS` says otherwise.
const CUTS: Trials = Trials { quick: 10, full: 40, soak: 500 };
/// The branches of the fork.
const BRANCHES: usize = 6;
/// The boot after the power cut.
const NEXT_BOOT: &str = "the next boot";

/// What the file of an outcome held before: the identity of the command.
const COMMAND: &str = r#"{"boot_id":"a boot","pid":1,"start_time":"1"}"#;

/// A fork of short commands and a chain behind it; each command leaves one line, with pauses around it.
fn application(pauses: [u32; 3]) -> Sandbox {
    let sandbox = Sandbox::new();
    let pause = |number: usize| pauses[number % 3];
    let command = |name: &str, number: usize| {
        let (before, after) = (pause(number), pause(2 + number / 2));
        format!("sleep 0.{before:03}; {}; sleep 0.{after:03}", effect(name))
    };
    let mut nodes = vec!["<fork name=\"split\">".to_owned()];
    nodes.extend((0..BRANCHES).map(|number| format!("<path start=\"b{number}\"/>")));
    nodes.push("</fork>".to_owned());
    nodes.extend((0..BRANCHES).map(|number| {
        let name = format!("b{number}");
        shell(&name, &command(&name, number), "meet")
    }));
    nodes.push("<join name=\"meet\" to=\"c0\"/>".to_owned());
    for (number, next) in ["c1", "c2", "end"].into_iter().enumerate() {
        let name = format!("c{number}");
        nodes.push(shell(&name, &command(&name, number), next));
    }
    workflow(&sandbox, "app", "split", &nodes);
    sandbox
}

/// Submits the application.
fn submit(sandbox: &Sandbox) -> Howdah {
    let submit = sandbox.howdah(["submit"]).define("sandbox", &sandbox.text(""));
    submit.define("oozie.wf.application.path", &sandbox.text("app"))
}

/// The files of all attempts.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Loses some files, or what is in them; returns how many. The order is written first, so it is lost least often.
fn lose(sandbox: &Sandbox, dice: &mut Dice) -> usize {
    let mut lost = 0;
    for file in files_below(&sandbox.path("howdah.runs")) {
        let chance = if file.ends_with("attempt.json") { 200 } else { 500 };
        if dice.happens(chance) {
            lost += 1;
            // The outcome is written into the file that named the command before.
            let before = if file.ends_with("exit") && dice.happens(500) { COMMAND } else { "" };
            if dice.happens(500) { fs::remove_file(&file) } else { fs::write(&file, before) }
                .expect("a file of the sandbox");
        }
    }
    lost
}

/// The result of one power cut, for the sums.
#[derive(Default)]
struct Sums {
    cuts: u64,
    lost_files: usize,
    lost_attempts: usize,
    ran: usize,
}

fn cut(seed: u64, sums: &mut Sums) {
    let mut dice = Dice::new(seed);
    let sandbox = application([0, 50, 200]);
    let job = submit(&sandbox).succeed().job();
    let moment = u64::try_from(dice.between(0, 700)).expect("not negative");
    std::thread::sleep(Duration::from_millis(moment));
    sandbox.cut_power();
    sums.lost_files += lose(&sandbox, &mut dice);
    let result =
        next_boot(&sandbox, &job).unwrap_or_else(|wrong| panic!("seed {seed}, cut after {moment} ms: {wrong}"));
    sums.cuts += 1;
    sums.lost_attempts += result.lost;
    sums.ran += result.ran;
}

/// What the next boot made of it.
struct NextBoot {
    /// How many attempts were lost.
    lost: usize,
    /// How many commands ran, before and after the power cut.
    ran: usize,
}

/// Continues after a power cut; returns what is wrong then.
fn next_boot(sandbox: &Sandbox, job: &str) -> Result<NextBoot, String> {
    let runner = sandbox.howdah(["runner"]).env("HOWDAH_TEST_BOOT_ID", NEXT_BOOT).run();
    sandbox.await_quiet();
    let database = sandbox.database();
    let check = database.rows("PRAGMA integrity_check");
    if check != ["ok"] || runner.status != Some(0) {
        return Err(format!("{check:?}: {}", runner.stderr));
    }
    if database.rows("SELECT count(*) FROM attempt WHERE state = 'STARTED'") != ["0"] {
        return Err("an attempt is still open".to_owned());
    }
    let mut ran: BTreeMap<String, usize> = BTreeMap::new();
    for line in sandbox.sorted_lines("effects") {
        *ran.entry(line).or_default() += 1;
    }
    if ran.values().any(|times| *times != 1) {
        return Err(format!("a command ran twice: {ran:?}"));
    }
    let done = database.rows("SELECT name FROM workflow_node WHERE kind = 'shell' AND status = 'OK' ORDER BY name");
    if let Some(node) = done.iter().find(|node| !ran.contains_key(*node)) {
        return Err(format!("[{node}] is said to have run: {ran:?}"));
    }
    let lost: usize = database.rows("SELECT count(*) FROM attempt WHERE state = 'LOST'")[0].parse().expect("a count");
    let (is, expect) = (database.job(job), if lost == 0 { "SUCCEEDED" } else { "FAILED" });
    if is != expect {
        return Err(format!("the job is {is} with {lost} lost attempts"));
    }
    Ok(NextBoot { lost, ran: ran.len() })
}

/// The case that the random ones meet rarely: the command has run, and nothing but the order is left of it.
#[test]
fn a_command_whose_claim_was_lost_does_not_run_again() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &format!("{}; sleep 60", effect("one")), "end")]);
    let job = submit(&sandbox).succeed().job();
    sandbox.await_file("effects");
    sandbox.cut_power();
    for file in files_below(&sandbox.path("howdah.runs")).iter().filter(|file| !file.ends_with("attempt.json")) {
        fs::remove_file(file).expect("a file of the sandbox");
    }
    sandbox.howdah(["runner"]).env("HOWDAH_TEST_BOOT_ID", NEXT_BOOT).run();
    sandbox.await_quiet();
    let attempts = sandbox.database().rows("SELECT state FROM attempt");
    assert_eq!((sandbox.read("effects").as_str(), sandbox.database().job(&job).as_str()), ("one\n", "FAILED"));
    assert_eq!(attempts, ["LOST"]);
}

#[test]
fn nothing_starts_twice_after_a_power_cut() {
    let mut sums = Sums::default();
    (0..).take(CUTS.named("HOWDAH_POWER_CUTS")).for_each(|seed| cut(seed, &mut sums));
    let Sums { cuts, lost_files, lost_attempts, ran } = sums;
    println!("{cuts} power cuts: {lost_files} files lost, {lost_attempts} attempts lost, {ran} commands ran, 0 twice");
    assert!(lost_files > 0 && lost_attempts > 0, "no power cut came while an attempt was open: nothing was shown");
}

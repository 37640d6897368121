//! How many tests run verbs in their own process, read from their sources. `HOWDAH_TESTS_LEDGER` counts what really ran.

use howdah_sandbox::here::VERBS;
use howdah_sandbox::sandbox::project;

use crate::tiers::{Function, all_functions, count};

/// The fewest tests that run a verb in their own process.
const FEWEST: usize = 250;

/// The programs of tests that run verbs.
const PROGRAMS: [&str; 4] = ["engine", "moving", "serve", "verbs"];

#[test]
fn many_tests_run_verbs_in_their_own_process() {
    let words: Vec<String> = VERBS.iter().map(|verb| format!("([\"{verb}\"")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // What is started is a process, and so is what dies at a point or has a terminal.
    let is_process =
        |function: &Function| [".start()", ".die_at(", ".on_terminal("].iter().any(|word| function.body.contains(word));
    let counted = PROGRAMS.map(|program| {
        let mut functions = all_functions(&project().join("tests").join(program));
        functions.retain(|function| !is_process(function));
        count(&functions, &words)
    });
    let all: usize = counted.iter().sum();
    println!("{all} tests run a verb in their own process: {PROGRAMS:?} {counted:?}");
    assert!(all >= FEWEST, "{all} tests run a verb in their own process, of at least {FEWEST}: {counted:?}");
}

//! Which tests of this program belong to the full tier, and which try more in the soak tier, read from their sources; and
//! a line that says how to run them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use howdah_tier as tier;

/// What a test of the full tier calls.
const OF_FULL: &[&str] = &["tier::full(", "tier::root("];
/// What a test calls that tries more in the soak tier.
const OF_SOAK: &[&str] = &["tier::is_soak()", ".named(\"", ".number()"];

/// A function of the sources.
pub(crate) struct Function {
    file: String,
    /// With the type before it, as a call from outside writes it.
    name: String,
    is_test: bool,
    pub(crate) body: String,
}

/// Every function of a file, in order.
fn functions(file: &str, text: &str) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    let (mut of, mut is_test) = ("", false);
    for line in text.lines() {
        let code = line.trim_start();
        if let Some(rest) = line.strip_prefix("impl") {
            let (_, rest) = rest.split_once(' ').unwrap_or_default();
            of = rest.rsplit(" for ").next().unwrap_or(rest).split(['<', ' ']).next().unwrap_or_default();
        } else if line == "}" {
            of = "";
        }
        is_test = code == "#[test]" || is_test;
        let code = code.strip_prefix("pub(crate) ").or_else(|| code.strip_prefix("pub ")).unwrap_or(code);
        if let Some(name) = code.strip_prefix("fn ").and_then(|rest| rest.split(['(', '<']).next()) {
            let name = if of.is_empty() { name.to_owned() } else { format!("{of}::{name}") };
            found.push(Function { file: file.to_owned(), name, is_test, body: String::new() });
            is_test = false;
        } else if let Some(last) = found.last_mut() {
            last.body += line;
            last.body.push('\n');
        }
    }
    found
}

/// Whether the tests of a file or folder belong to a feature that this build does not have.
fn is_left_out(path: &Path) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| path.ends_with(part));
    !cfg!(feature = "object-store") && has(&["objects"])
        || !cfg!(feature = "hdfs") && has(&["hdfs/kerberos", "hdfs/rpc.rs", "hdfs/rpc_proxy.rs"])
}

/// The functions of all files below a folder.
pub(crate) fn all_functions(folder: &Path) -> Vec<Function> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry").path()) {
        if is_left_out(&path) {
        } else if path.is_dir() {
            found.extend(all_functions(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tiers.rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            found.extend(functions(&path.display().to_string(), &text));
        }
    }
    found
}

/// What all programs of tests share.
const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/sandbox/src");

/// Whether a text calls a function of this name.
fn calls(text: &str, name: &str) -> bool {
    let is_call = |(before, rest): (&str, &str)| {
        rest.starts_with('(') && !before.ends_with(|last: char| last.is_alphanumeric() || last == '_')
    };
    text.match_indices(name).any(|(place, _)| is_call((&text[..place], &text[place + name.len()..])))
}

/// Whether a function calls one of these words, itself or by one of these functions; a name without a type counts in its
/// file alone, unless all programs of tests share it.
fn asks(function: &Function, words: &[&str], gates: &BTreeSet<(String, String)>) -> bool {
    let is_called = |(file, name): &(String, String)| {
        let is_reachable = name.contains("::") || *file == function.file || file.starts_with(SHARED);
        is_reachable && calls(&function.body, name)
    };
    words.iter().any(|word| function.body.contains(word)) || gates.iter().any(is_called)
}

/// How many tests call one of these words.
pub(crate) fn count(functions: &[Function], words: &[&str]) -> usize {
    let mut gates = BTreeSet::new();
    loop {
        let found = functions.iter().filter(|function| !function.is_test && asks(function, words, &gates));
        let found: BTreeSet<_> = found.map(|function| (function.file.clone(), function.name.clone())).collect();
        if found == gates {
            return functions.iter().filter(|function| function.is_test && asks(function, words, &gates)).count();
        }
        gates = found;
    }
}

#[test]
fn the_tiers_are_known() {
    let functions = all_functions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(env!("CARGO_CRATE_NAME")));
    let tests = functions.iter().filter(|function| function.is_test).count();
    let functions: Vec<_> = functions.into_iter().chain(all_functions(Path::new(SHARED))).collect();
    let list = Command::new(std::env::current_exe().expect("a program")).arg("--list").output().expect("it runs");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    // This file is not read: it contains the names that it searches.
    let is_read = |line: &&str| line.ends_with(": test") && !line.starts_with("tiers::");
    assert_eq!(tests, list.lines().filter(is_read).count(), "the sources show each test");
    tier::summarize([OF_FULL, OF_SOAK].map(|words| count(&functions, words)), tests);
}

//! What cargo cannot refuse: which folder of a crate may import which, and which crate may use the machine. The rules of
//! `ARCHITECTURE.md`, checked against the source.
//!
//! clippy's `disallowed-methods` covers single calls of the clock, files, environment and processes; this test covers
//! whole modules of the standard library. Imports between crates are cargo's business (`Cargo.toml` of each).

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{self, Crate, Path};
use howdah_sandbox::source::{self, SourceFile};

/// The folders of a crate that have an order, lowest first, and which of the others each may import. The files that are
/// in none of them are the base: they import none of these, and all may import them.
type Folders = &'static [(&'static str, &'static [&'static str])];

const LAYERS: &[(&str, Folders)] = &[
    ("words", &[("error", &[]), ("model", &["error"])]),
    (
        "oozie",
        &[
            ("configuration", &[]),
            ("dataset", &["configuration"]),
            ("coordinator", &["configuration", "dataset"]),
            ("sla", &[]),
            ("workflow", &["configuration"]),
            ("bundle", &["configuration"]),
        ],
    ),
    (
        "engine",
        &[
            ("inputs", &[]),
            ("outbox", &[]),
            ("sla", &[]),
            ("catch_up", &[]),
            ("transition", &["outbox", "sla"]),
            ("preview", &["inputs"]),
            ("submit", &["outbox", "sla", "transition", "preview"]),
            ("apply", &["catch_up", "transition"]),
            ("rerun", &["outbox", "sla", "transition", "submit"]),
            ("tick", &["inputs", "sla", "catch_up", "transition", "submit", "apply", "rerun"]),
            ("runner", &["transition", "submit", "apply", "rerun"]),
            ("verbs", &["sla", "transition", "preview", "submit", "apply", "rerun"]),
            ("follow_up", &["transition", "apply", "runner", "verbs"]),
            ("service", &["outbox", "tick", "runner", "verbs", "follow_up"]),
        ],
    ),
    (
        "move",
        &[
            ("oozie_export", &[]),
            ("oozie_rest", &["oozie_export"]),
            ("oozie", &["oozie_export", "oozie_rest"]),
            ("backtest", &["oozie_export", "oozie_rest", "oozie"]),
            ("import", &["oozie_export", "oozie_rest", "oozie", "backtest"]),
            ("shadow", &["oozie_export", "oozie_rest", "oozie", "backtest", "import"]),
            ("takeover", &["oozie_export", "oozie_rest", "oozie"]),
        ],
    ),
    ("answers", &[("query", &[]), ("check", &[])]),
    ("program", &[("output", &[]), ("cli", &["output"])]),
];

/// Words that only some crates may contain outside of tests, and where. A place is a crate, `program` for `src/`; or a
/// file or folder of it.
const RESERVED: &[(&str, &[&str])] = &[
    ("std::fs", &["host", "store"]),
    ("std::env", &["host", "program/main.rs"]),
    // It needs the current folder.
    ("path::absolute", &["host", "store"]),
    // A backup's temporary name contains the process id.
    ("std::process", &["host", "store/backup.rs"]),
    ("SystemTime", &["host"]),
    ("Instant::now", &["host", "engine/service/loops.rs", "program/output/progress.rs"]),
    ("thread::sleep", &["host", "store"]),
    // Each look at a path of a job is watched (`host/watch.rs`), but for files of our own, of the system, and of a
    // shim.
    (
        "fs::metadata(",
        &[
            "store",
            "host/looks.rs",
            "host/handover.rs",
            "host/command.rs",
            "host/ownership.rs",
            "host/place.rs",
            "host/processes/identity.rs",
            "host/processes/kinship.rs",
        ],
    ),
    ("fs::symlink_metadata(", &["store", "host/looks.rs", "host/ownership.rs", "host/trusted_path.rs"]),
    (
        "fs::canonicalize(",
        &["store", "host/looks.rs", "host/ownership.rs", "host/place.rs", "host/processes/kinship.rs"],
    ),
    (
        "fs::read_dir(",
        &["store", "host/looks.rs", "host/handover.rs", "host/inheritance.rs", "host/processes/table/linux.rs"],
    ),
    // An unknown answer of the machine is neither yes nor no: `host/found.rs`.
    (".unwrap_or(false)", &[]),
    (".exists()", &["calendar"]),
    (".try_exists()", &["store"]),
    ("path.is_dir()", &["store"]),
    ("path.is_file()", &[]),
    ("Path::exists", &[]),
    ("Path::is_dir", &["store"]),
    ("Path::is_file", &[]),
    ("rusqlite", &["store"]),
    ("ureq", &["host"]),
    ("hyper", &["host"]),
    ("tokio", &["host"]),
    ("lettre", &["host"]),
    ("rustix", &["host", "store"]),
    ("nix::", &["host"]),
    ("println!", &["program"]),
    ("eprintln!", &["program"]),
    ("print!", &["program"]),
    ("eprint!", &["program"]),
    // A workflow job is stored with its nodes, its events and what its parent shows, or not at all.
    ("update_workflow_job", &["store", "engine/transition/workflow.rs"]),
    // Codes are for people; what an error means to the program is its `Signal`.
    (".code() ==", &[]),
    (".code() !=", &[]),
    ("dbg!", &[]),
    ("io::stdout", &["program"]),
    ("io::stderr", &["program"]),
    ("unsafe", &[]),
    ("todo!", &[]),
    ("unimplemented!", &[]),
];

/// Returns whether a file is compiled for tests only, by its name.
fn is_for_tests(file: &SourceFile) -> bool {
    file.path.ends_with("tests.rs") || file.path.ends_with("testing.rs") || file.path.contains("/tests/")
}

/// The part of a file that is the program: without comments, texts and unit tests.
fn program(file: &SourceFile) -> String {
    if is_for_tests(file) {
        return String::new();
    }
    let text = file.text.split("\nmod tests {").next().unwrap_or_default();
    // An exit status is a value like any other.
    text.lines().map(|line| code(line).replace("std::process::ExitCode", "") + "\n").collect()
}

/// A line without its comment and without the content of its texts.
fn code(line: &str) -> String {
    let mut kept = String::new();
    let mut in_text = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_text => drop(letters.next()),
            '"' => in_text = !in_text,
            '/' if !in_text && letters.peek() == Some(&'/') => break,
            _ if in_text => {}
            _ => kept.push(letter),
        }
    }
    kept
}

/// Returns whether `word` is in `text` as a whole word.
fn says(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(place, _)| {
        let before = text[..place].chars().next_back();
        let after = text[place + word.len()..].chars().next();
        let joins = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let begins_a_word = !word.starts_with(|letter: char| letter.is_alphanumeric()) || !joins(before);
        begins_a_word && (!word.ends_with(|letter: char| letter.is_alphanumeric()) || !joins(after))
    })
}

/// The folder of a crate that a path belongs to, or nothing for its base.
fn folder(folders: Folders, path: &[String]) -> Option<&'static str> {
    folders.iter().map(|(name, _)| *name).find(|name| path.first().is_some_and(|first| first == name))
}

/// The modules that are compiled for tests alone, by their declarations.
fn test_modules(files: &[&SourceFile]) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    for file in files {
        let mut for_tests = false;
        for line in file.text.lines().map(str::trim) {
            let name = line
                .trim_start_matches("pub(crate) ")
                .trim_start_matches("pub ")
                .strip_prefix("mod ")
                .and_then(|rest| rest.strip_suffix(';'));
            match name {
                Some(name) if for_tests => {
                    let path = imports::module(&file.path).into_iter().chain([name.to_owned()]);
                    found.insert(path.collect());
                }
                _ if line.starts_with("#[") => for_tests |= line == "#[cfg(test)]",
                _ => for_tests = false,
            }
            for_tests &= name.is_none();
        }
    }
    found
}

/// The files of the program, each with what it has without comments, texts and unit tests.
pub(crate) fn programs() -> Vec<(SourceFile, String)> {
    let files = source::files();
    let names: BTreeSet<&String> = files.iter().map(|file| &file.of).collect();
    let for_tests: BTreeMap<String, BTreeSet<Path>> = names
        .into_iter()
        .map(|name| (name.clone(), test_modules(&files.iter().filter(|file| file.of == *name).collect::<Vec<_>>())))
        .collect();
    let is_program = |file: &SourceFile| {
        let module = imports::module(&file.path);
        !(0..=module.len()).any(|length| for_tests[&file.of].contains(&module[..length]))
    };
    let programs = files.into_iter().filter(is_program);
    programs.map(|file| (program(&file), file)).map(|(text, file)| (file, text)).collect()
}

/// The crates of the program with their imports.
fn crates() -> BTreeMap<String, Crate> {
    let mut files: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (file, text) in programs() {
        files.entry(file.of).or_default().push((file.path, text));
    }
    let of = |files: Vec<(String, String)>| Crate::of(files.iter().map(|(path, text)| (path.as_str(), text.clone())));
    files.into_iter().map(|(name, files)| (name, of(files))).collect()
}

#[test]
fn every_folder_imports_only_what_lies_below_it() {
    let crates = crates();
    let mut violations = Vec::new();
    for (name, folders) in LAYERS {
        let read = &crates[*name];
        let mut seen = BTreeSet::new();
        for module in read.modules().filter(|module| !module.is_empty()) {
            let own = folder(folders, module);
            seen.extend(own);
            let allowed =
                folders.iter().find(|(folder, _)| Some(*folder) == own).map_or(&[][..], |(_, allowed)| allowed);
            for (line, path) in read.paths(module) {
                let other = folder(folders, &path);
                if other.is_some_and(|other| Some(other) != own && !allowed.contains(&other)) {
                    violations.push(format!("{name}: {}:{line}: must not import {path:?}", module.join("/")));
                }
            }
        }
        let rows: BTreeSet<&str> = folders.iter().map(|(folder, _)| *folder).collect();
        assert_eq!(seen, rows, "{name}: the table names folders that do not exist");
    }
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn the_table_of_layers_has_no_way_back() {
    for (name, folders) in LAYERS {
        for (place, (folder, allowed)) in folders.iter().enumerate() {
            for import in *allowed {
                let below = folders[..place].iter().any(|(name, _)| name == import);
                assert!(below, "{name}: [{folder}] may import [{import}], which is not below it");
            }
        }
    }
}

#[test]
fn files_import_each_other_without_circles() {
    let mut violations = Vec::new();
    for (name, read) in crates() {
        let edges = read.edges();
        for circle in imports::circles(&edges) {
            for from in &circle {
                let within = edges[from].intersection(&circle).map(|to| to.join("::"));
                violations.push(format!("{name}: {} -> {}", from.join("::"), within.collect::<Vec<_>>().join(", ")));
            }
        }
    }
    assert!(violations.is_empty(), "imports go round:\n{}", violations.join("\n"));
}

#[test]
fn only_the_ports_meet_the_machine() {
    let mut violations = Vec::new();
    for file in source::files() {
        let text = program(&file);
        for (word, places) in RESERVED {
            let of = format!("{}/{}", file.of, file.path);
            let is_in =
                |place: &&str| of.strip_prefix(*place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            let allowed = places.iter().any(is_in);
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !allowed && says(line, word)) {
                let place = format!("{}:{}", file.place(), number + 1);
                violations.push(format!("{place}: [{word}] belongs to {places:?}: {}", line.trim()));
            }
        }
    }
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

/// rustfmt wraps code, but not comments and texts. Data of tests may be long.
#[test]
fn no_line_is_longer_than_the_formatter_allows() {
    const WIDTH: usize = 120;
    let mut violations = Vec::new();
    for file in source::files() {
        let tests_from =
            if is_for_tests(&file) { 0 } else { file.text.find("\nmod tests {").unwrap_or(file.text.len()) };
        let last = file.text[..tests_from].lines().count();
        for (number, line) in file.text.lines().enumerate().filter(|(_, line)| line.chars().count() > WIDTH) {
            if number < last || line.trim_start().starts_with("//") {
                violations.push(format!("{}:{}: {line}", file.place(), number + 1));
            }
        }
    }
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

/// What other crates may call has a comment of its own: rustc's `missing_docs` would also want one for each field.
#[test]
fn what_other_crates_call_is_documented() {
    const KINDS: [&str; 8] = ["fn", "const fn", "struct", "enum", "trait", "const", "static", "type"];
    let mut violations = Vec::new();
    for file in source::files().iter().filter(|file| file.of != "program") {
        let text = program(file);
        let own: Vec<&str> = file.text.lines().collect();
        for (number, line) in text.lines().enumerate() {
            let item = line.trim_start().strip_prefix("pub ");
            // A macro is given its comments.
            let is_written = |item: &&str| !item.contains("$name");
            if !item
                .filter(is_written)
                .is_some_and(|item| KINDS.iter().any(|kind| item.starts_with(&format!("{kind} "))))
            {
                continue;
            }
            let above = own[..number].iter().rev().map(|line| line.trim());
            let mut above = above.skip_while(|line| line.starts_with("#[") || line.ends_with(")]"));
            if !above.next().is_some_and(|line| line.starts_with("///")) {
                violations.push(format!("{}:{}: {}", file.place(), number + 1, own[number].trim()));
            }
        }
    }
    assert!(violations.is_empty(), "{} items without a comment:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn the_reader_of_the_source_sees_what_it_should() {
    for (line, word, expect) in [
        ("let text = std::fs::read(path);", "std::fs", true),
        ("use std::fs;", "std::fs", true),
        ("use std::fsx;", "std::fs", false),
        ("// std::fs is for others", "std::fs", false),
        ("let help = \"see std::fs\"; // no", "std::fs", false),
        ("let quote = \"\\\"\"; std::fs::read(x)", "std::fs", true),
        ("eprintln!(\"x\")", "println!", false),
        ("    println!(\"x\")", "println!", true),
        ("#![forbid(unsafe_code)]", "unsafe", false),
        ("if path.exists() {", ".exists()", true),
    ] {
        assert_eq!(says(&code(line), word), expect, "{line}: {word}");
    }
}

//! Which module may import which, and which may use the machine: the rules of `ARCHITECTURE.md`, checked against the
//! source.
//!
//! clippy's `disallowed-methods` covers single calls of the clock, files, environment and processes; this test covers
//! whole modules of the standard library and the direction of every import.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{self, Crate, Path};
use crate::source::{self, SourceFile};

/// What every folder of the engine may import: all that lies below it.
const DOMAIN: &[&str] = &[
    "error",
    "model",
    "xml",
    "el",
    "calendar",
    "configuration",
    "dataset",
    "coordinator",
    "workflow",
    "bundle",
    "sla",
    "host",
    "store",
    "executor",
];

/// The languages, and the words below them.
const LANGUAGES: &[&str] = &["error", "model", "xml", "el", "calendar"];

/// The folders of the engine, lowest level first.
const ENGINE: &[&str] = &[
    "engine",
    "engine/inputs",
    "engine/outbox",
    "engine/sla",
    "engine/catch_up",
    "engine/transition",
    "engine/preview",
    "engine/submit",
    "engine/apply",
    "engine/rerun",
    "engine/tick",
    "engine/runner",
    "engine/verbs",
    "engine/follow_up",
    "engine/service",
];

/// Every module below the crate's root, and every folder of the engine, lowest layer first, and what it may import
/// besides itself.
const MAY_IMPORT: &[(&str, &[&[&str]])] = &[
    // 0: words.
    ("error", &[]),
    ("model", &[&["error"]]),
    // 1: languages, which do not import each other.
    ("xml", &[&["error", "model"]]),
    ("el", &[&["error", "model"]]),
    ("calendar", &[&["error", "model"]]),
    // 2: the domain, pure.
    ("configuration", &[LANGUAGES]),
    ("dataset", &[LANGUAGES, &["configuration"]]),
    ("coordinator", &[LANGUAGES, &["configuration", "dataset"]]),
    ("workflow", &[LANGUAGES, &["configuration"]]),
    ("bundle", &[LANGUAGES, &["configuration"]]),
    ("sla", &[&["error", "model", "calendar"]]),
    ("oozie_export", &[LANGUAGES]),
    ("oozie_rest", &[&["error", "model", "oozie_export"]]),
    // 3: ports, which do not import each other.
    ("host", &[&["error", "model"]]),
    ("store", &[&["error", "model"]]),
    // 4: the engine: its base, then the levels of its folders.
    ("executor", &[LANGUAGES, &["configuration", "workflow", "host"]]),
    ("engine", &[DOMAIN]),
    ("engine/inputs", &[DOMAIN, &["engine"]]),
    ("engine/outbox", &[DOMAIN, &["engine"]]),
    ("engine/sla", &[DOMAIN, &["engine"]]),
    ("engine/catch_up", &[DOMAIN, &["engine"]]),
    ("engine/transition", &[DOMAIN, &["engine", "engine/outbox", "engine/sla"]]),
    ("engine/preview", &[DOMAIN, &["engine", "engine/inputs"]]),
    ("engine/submit", &[DOMAIN, &["engine", "engine/outbox", "engine/sla", "engine/transition", "engine/preview"]]),
    ("engine/apply", &[DOMAIN, &["engine", "engine/catch_up", "engine/transition"]]),
    ("engine/rerun", &[DOMAIN, &["engine", "engine/outbox", "engine/sla", "engine/transition", "engine/submit"]]),
    (
        "engine/tick",
        &[
            DOMAIN,
            &[
                "engine",
                "engine/inputs",
                "engine/sla",
                "engine/catch_up",
                "engine/transition",
                "engine/submit",
                "engine/apply",
                "engine/rerun",
            ],
        ],
    ),
    ("engine/runner", &[DOMAIN, &["engine", "engine/transition", "engine/submit", "engine/apply", "engine/rerun"]]),
    (
        "engine/verbs",
        &[
            DOMAIN,
            &[
                "engine",
                "engine/sla",
                "engine/transition",
                "engine/preview",
                "engine/submit",
                "engine/apply",
                "engine/rerun",
                "oozie_export",
            ],
        ],
    ),
    ("engine/follow_up", &[DOMAIN, &["engine", "engine/transition", "engine/apply", "engine/runner", "engine/verbs"]]),
    (
        "engine/service",
        &[DOMAIN, &["engine", "engine/outbox", "engine/tick", "engine/runner", "engine/verbs", "engine/follow_up"]],
    ),
    // 5: answers that change nothing.
    (
        "query",
        &[
            DOMAIN,
            &[
                "engine",
                "engine/inputs",
                "engine/sla",
                "engine/catch_up",
                "engine/transition",
                "engine/apply",
                "engine/runner",
            ],
        ],
    ),
    ("check", &[DOMAIN, &["oozie_export", "oozie_rest", "engine", "engine/sla", "engine/preview", "engine/submit"]]),
    // 6: the face. What is printed has times in the zone that is asked for.
    ("output", &[&["error", "model", "calendar", "oozie_export"], ENGINE, &["query", "check"]]),
    ("cli", &[DOMAIN, ENGINE, &["oozie_export", "oozie_rest", "query", "check", "output"]]),
];

/// Words that only some modules may contain outside of tests, and where. A place is a module or a file of it.
const RESERVED: &[(&str, &[&str])] = &[
    ("std::fs", &["host", "store"]),
    ("std::env", &["host", "main.rs"]),
    // It needs the current folder.
    ("path::absolute", &["host", "store"]),
    // A backup's temporary name contains the process id.
    ("std::process", &["host", "store/backup.rs"]),
    ("SystemTime", &["host"]),
    ("Instant::now", &["host", "engine/service/loops.rs", "output/progress.rs"]),
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
    ("fs::symlink_metadata(", &["store", "host/looks.rs", "host/ownership.rs"]),
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
    ("println!", &["output", "cli"]),
    ("eprintln!", &["output", "cli"]),
    ("print!", &["output", "cli"]),
    ("eprint!", &["output", "cli"]),
    // A workflow job is stored with its nodes, its events and what its parent shows, or not at all.
    ("update_workflow_job", &["store", "engine/transition/workflow.rs"]),
    // Codes are for people; what an error means to the program is its `Signal`.
    (".code() ==", &[]),
    (".code() !=", &[]),
    ("dbg!", &[]),
    ("io::stdout", &["output", "cli"]),
    ("io::stderr", &["output", "cli"]),
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

/// The module below the root that a file belongs to.
fn module(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
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

/// The row of the table that a module belongs to: that of its folder of the engine, or of its module below the root.
fn row(path: &[String]) -> String {
    let whole = path.join("/");
    let is_of = |row: &&&str| whole == **row || whole.strip_prefix(**row).is_some_and(|rest| rest.starts_with('/'));
    let folder = ENGINE.iter().skip(1).find(is_of);
    folder.map_or_else(|| path.first().cloned().unwrap_or_default(), |row| (*row).to_owned())
}

/// The modules that are compiled for tests alone, by their declarations.
fn test_modules(files: &[SourceFile]) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    for file in files {
        let mut for_tests = false;
        for line in file.text.lines().map(str::trim) {
            let name =
                line.trim_start_matches("pub(crate) ").strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
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

/// The source without what is compiled for tests alone.
fn source() -> (Vec<SourceFile>, Crate) {
    let files = source::files();
    let for_tests = test_modules(&files);
    let is_program = |file: &SourceFile| {
        let module = imports::module(&file.path);
        !(0..=module.len()).any(|length| for_tests.contains(&module[..length]))
    };
    let files: Vec<SourceFile> = files.into_iter().filter(is_program).collect();
    let read = Crate::of(files.iter().map(|file| (file.path.as_str(), program(file))));
    (files, read)
}

#[test]
fn every_module_imports_only_what_lies_below_it() {
    let table: BTreeMap<&str, &[&[&str]]> = MAY_IMPORT.iter().copied().collect();
    let (files, read) = source();
    let mut violations = Vec::new();
    let mut seen = BTreeSet::new();
    for file in files.iter().filter(|file| !matches!(file.path.as_str(), "lib.rs" | "main.rs")) {
        let module = imports::module(&file.path);
        let own = row(&module);
        let Some(allowed) = table.get(own.as_str()) else {
            violations.push(format!("src/{}: the module [{own}] is in no layer; add it to the table", file.path));
            continue;
        };
        for (line, path) in read.paths(&module) {
            let other = row(&path);
            if other != own && !allowed.iter().any(|names| names.contains(&other.as_str())) {
                violations.push(format!("src/{}:{line}: [{own}] must not import [{other}]", file.path));
            }
        }
        seen.insert(own);
    }
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
    let rows = table.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(seen, rows, "the table names modules that do not exist");
}

#[test]
fn the_table_of_layers_has_no_way_back() {
    for (place, (module, allowed)) in MAY_IMPORT.iter().enumerate() {
        for import in allowed.iter().copied().flatten() {
            let below = MAY_IMPORT[..place].iter().any(|(name, _)| name == import);
            assert!(below, "[{module}] may import [{import}], which is not below it");
        }
    }
}

#[test]
fn files_import_each_other_without_circles() {
    let edges = source().1.edges();
    let mut violations = Vec::new();
    for circle in imports::circles(&edges) {
        for from in &circle {
            let within = edges[from].intersection(&circle).map(|to| to.join("::"));
            violations.push(format!("{} -> {}", from.join("::"), within.collect::<Vec<_>>().join(", ")));
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
            let allowed = places.iter().any(|place| *place == module(&file.path) || *place == file.path);
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !allowed && says(line, word)) {
                let place = format!("src/{}:{}", file.path, number + 1);
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
                violations.push(format!("src/{}:{}: {line}", file.path, number + 1));
            }
        }
    }
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
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

//! Who may import whom, and who may meet the machine: the rules of `ARCHITECTURE.md`, read from the source.
//!
//! clippy's `disallowed-methods` holds single calls of the clock, files, environment and processes; here whole modules
//! of the standard library and the direction of every import are held.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{self, SourceFile};

/// Every module below the crate's root, lowest layer first, and what it may import besides itself.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    // 0: words.
    ("error", &[]),
    ("model", &["error"]),
    // 1: languages, which do not know each other.
    ("xml", &["error", "model"]),
    ("el", &["error", "model"]),
    ("calendar", &["error", "model"]),
    // 2: the domain, pure.
    ("configuration", &["error", "model", "xml", "el", "calendar"]),
    ("dataset", &["error", "model", "xml", "el", "calendar", "configuration"]),
    ("coordinator", &["error", "model", "xml", "el", "calendar", "configuration", "dataset"]),
    ("workflow", &["error", "model", "xml", "el", "calendar", "configuration"]),
    ("bundle", &["error", "model", "xml", "el", "calendar", "configuration"]),
    ("sla", &["error", "model", "calendar"]),
    // 3: ports, which do not know each other.
    ("host", &["error", "model"]),
    ("store", &["error", "model"]),
    // 4: the engine.
    ("executor", &["error", "model", "xml", "el", "calendar", "configuration", "workflow", "host", "store"]),
    (
        "engine",
        &[
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
        ],
    ),
    // 5: answers that change nothing.
    (
        "query",
        &[
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
            "engine",
        ],
    ),
    (
        "check",
        &[
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
            "engine",
        ],
    ),
    // 6: the face. What is printed has the states of stored rows, and times in the zone that is asked for.
    ("output", &["error", "model", "calendar", "store", "engine", "query", "check"]),
    (
        "cli",
        &[
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
            "engine",
            "query",
            "check",
            "output",
        ],
    ),
];

/// Words that only some modules may write outside of tests, and where. A place is a module or a file of it.
const RESERVED: &[(&str, &[&str])] = &[
    ("std::fs", &["host", "store"]),
    ("std::env", &["host", "main.rs"]),
    // It asks for the current folder.
    ("path::absolute", &["host", "store"]),
    // A backup's temporary name carries the number of the process.
    ("std::process", &["host", "store/backup.rs"]),
    ("SystemTime", &["host"]),
    ("Instant::now", &["host", "engine/service/loops.rs", "output/progress.rs"]),
    ("thread::sleep", &["host", "store"]),
    // What the machine cannot say is neither yes nor no: `host/found.rs`.
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
    ("lettre", &["host"]),
    ("rustix", &["host", "store"]),
    ("nix::", &["host"]),
    ("println!", &["output", "cli"]),
    ("eprintln!", &["output", "cli"]),
    ("print!", &["output", "cli"]),
    ("eprint!", &["output", "cli"]),
    ("dbg!", &[]),
    ("io::stdout", &["output", "cli"]),
    ("io::stderr", &["output", "cli"]),
    ("unsafe", &[]),
    ("todo!", &[]),
    ("unimplemented!", &[]),
];

/// Whether a file is compiled for tests alone, as its name says.
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

/// Whether `word` stands in `text` on its own, not as the end of a longer word.
fn says(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(place, _)| {
        let before = text[..place].chars().next_back();
        let after = text[place + word.len()..].chars().next();
        let joins = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let begins_a_word = !word.starts_with(|letter: char| letter.is_alphanumeric()) || !joins(before);
        begins_a_word && (!word.ends_with(|letter: char| letter.is_alphanumeric()) || !joins(after))
    })
}

/// The modules that a text names as `crate::module`, with the line; `{` for a group of them.
fn imports(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.lines().enumerate().flat_map(|(number, line)| {
        line.split("crate::").skip(1).map(move |rest| {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
            let name = if rest.starts_with('{') { "{" } else { &rest[..end] };
            (number + 1, name.to_owned())
        })
    })
}

#[test]
fn every_module_imports_only_what_lies_below_it() {
    let table: BTreeMap<&str, &[&str]> = MAY_IMPORT.iter().copied().collect();
    let mut violations = Vec::new();
    let mut seen = BTreeSet::new();
    for file in source::files() {
        let own = module(&file.path);
        if matches!(own, "lib" | "main") {
            continue;
        }
        seen.insert(own.to_owned());
        let Some(allowed) = table.get(own) else {
            violations.push(format!("src/{}: the module [{own}] is in no layer; add it to the table", file.path));
            continue;
        };
        for (line, name) in imports(&program(&file)) {
            if name == "{" {
                violations.push(format!("src/{}:{line}: one `use` for each module, please", file.path));
            } else if name != own && !allowed.contains(&name.as_str()) {
                violations.push(format!("src/{}:{line}: [{own}] must not import [{name}]", file.path));
            }
        }
    }
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
    assert_eq!(
        seen,
        table.keys().map(|name| (*name).to_owned()).collect(),
        "the table names modules that do not exist"
    );
}

#[test]
fn the_table_of_layers_has_no_way_back() {
    for (place, (module, allowed)) in MAY_IMPORT.iter().enumerate() {
        for import in *allowed {
            let below = MAY_IMPORT[..place].iter().any(|(name, _)| name == import);
            assert!(below, "[{module}] may import [{import}], which is not below it");
        }
    }
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

/// rustfmt breaks code, and neither comments nor texts. Data of tests may be as long as they are.
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
    let names: Vec<String> =
        imports("use crate::error::Error;\nfn a() -> crate::host::X").map(|(_, name)| name).collect();
    assert_eq!(names, ["error", "host"]);
}

//! State of the whole process: a static that can change, or that is computed once. It belongs into the session, or into a
//! value that is handed down.

use std::collections::BTreeMap;

use crate::layers::programs;

/// What makes a static one that can change.
const CELLS: &[&str] = &["Atomic", "Cell<", "LazyLock<", "Mutex<", "Once", "RwLock<"];

/// The crates that have no state, and the command line, each with its most statics.
const MOST: [(&str, usize); 6] = [
    // A shared empty text.
    ("el", 1),
    // Two constants: the functions of a URI template, and a dataset in place of one that has an error.
    ("oozie", 2),
    ("calendar", CALENDAR),
    ("cli", 0),
    ("words", 0),
    ("xml", 0),
];

/// Where zones get their rules from, and the rules so far.
const CALENDAR: usize = 2;

/// Returns whether a line declares such a static.
fn is_state(line: &str) -> bool {
    let words = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(super) ");
    let declared = words.strip_prefix("static ").and_then(|rest| rest.split_once(": "));
    words.starts_with("thread_local!") || declared.is_some_and(|(_, of)| CELLS.iter().any(|cell| of.contains(cell)))
}

#[test]
fn pure_layers_and_the_command_line_have_no_state_of_the_process() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in programs() {
        let of = match file.of.as_str() {
            "program" if file.path.starts_with("cli/") => "cli",
            other => other,
        };
        let lines = text.lines().filter(|line| is_state(line)).map(|line| format!("{}: {}", file.place(), line.trim()));
        found.entry(of.to_owned()).or_default().extend(lines);
    }
    for (name, most) in MOST {
        let lines = &found[name];
        assert!(lines.len() <= most, "{name} has more statics than {most}: {lines:#?}");
        assert!(lines.len() == most, "{name} has fewer statics than {most}: lower the number. {lines:#?}");
    }
}

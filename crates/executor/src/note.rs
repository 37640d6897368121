//! Lines of howdah in the log of an action.

use std::io::Write;
use std::path::Path;

use howdah_host::{attempt, files};

/// Adds a line to the action's log; a log that cannot be written stops no work.
pub fn note(folder: &Path, text: &str) {
    let [_, stderr] = attempt::output_files(folder);
    if let Ok(mut file) = files::open_to_append(&stderr) {
        let _ = writeln!(file, "howdah: {text}");
    }
}

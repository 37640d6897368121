//! What is in the folder of an attempt, and a workflow whose attempt has much in it.

use crate::application::{action, shell_body, workflow};
use crate::sandbox::Sandbox;

/// The names in the folder of an attempt besides its output, and the bytes of these files.
pub fn kept_in(folder: &std::path::Path) -> (Vec<String>, u64) {
    let entries = std::fs::read_dir(folder).expect("an attempt");
    let mut files: Vec<(String, u64)> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.metadata().expect("a file").len()))
        .filter(|(name, _)| !matches!(name.as_str(), "stdout" | "stderr"))
        .collect();
    files.sort();
    let bytes = files.iter().map(|(_, bytes)| bytes).sum();
    (files.into_iter().map(|(name, _)| name).collect(), bytes)
}

/// Writes a workflow with a shell action of a long configuration.
pub fn write_heavy(sandbox: &Sandbox, line: &str) {
    sandbox.write("app/shipped", "x");
    let properties: String = (0..200).fold(String::new(), |text, number| {
        text + &format!("<property><name>name{number}</name><value>{}</value></property>", "v".repeat(100))
    });
    let body = shell_body(line, "<file>shipped</file><capture-output/>");
    let body = body.replace("<exec>", &format!("<configuration>{properties}</configuration><exec>"));
    workflow(sandbox, "app", "one", &[action("one", &body, "end", "")]);
}

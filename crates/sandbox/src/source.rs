//! The source of the program, for tests that check its rules.

use crate::sandbox::project;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the program's source.
pub struct SourceFile {
    /// Its crate: the folder below `crates/`, or `program` for `src/`.
    pub of: String,
    /// Its path below the crate's `src/`, such as `tick/mod.rs`.
    pub path: String,
    pub text: String,
}

impl SourceFile {
    /// Its path from the root of the project.
    pub fn place(&self) -> String {
        if self.of == "program" {
            format!("src/{}", self.path)
        } else {
            format!("crates/{}/src/{}", self.of, self.path)
        }
    }
}

/// Crates that are no part of the program.
const FOR_TESTS: &[&str] = &["internals", "sandbox", "testing", "tier"];

/// Every Rust file of the program, in the order of crates and paths.
pub fn files() -> Vec<SourceFile> {
    let root = project();
    let mut crates: Vec<(String, PathBuf)> = vec![("program".to_owned(), root.join("src"))];
    for entry in fs::read_dir(root.join("crates")).expect("the crates").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !FOR_TESTS.contains(&name.as_str()) {
            crates.push((name, entry.path().join("src")));
        }
    }
    crates.sort();
    crates.iter().flat_map(|(name, folder)| files_of(name, folder)).collect()
}

/// The text of every Rust file of the tests of the command.
pub fn tests() -> Vec<String> {
    files_of("tests", &project().join("tests")).into_iter().map(|file| file.text).collect()
}

/// The Rust files of a crate.
fn files_of(name: &str, root: &Path) -> Vec<SourceFile> {
    let mut folders = vec![root.to_owned()];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the source").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let read = |path: PathBuf| SourceFile {
        of: name.to_owned(),
        path: path.strip_prefix(root).expect("found below it").display().to_string(),
        text: fs::read_to_string(&path).expect("a source file"),
    };
    paths.into_iter().map(read).collect()
}

//! The source of the program, for tests that check its rules.

use std::fs;
use std::path::{Path, PathBuf};

/// A file below `src/`.
pub(crate) struct SourceFile {
    /// Its path below `src/`, such as `engine/tick.rs`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Every Rust file below `src/`, in the order of their paths.
pub(crate) fn files() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
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
        path: path.strip_prefix(&root).expect("found below it").display().to_string(),
        text: fs::read_to_string(&path).expect("a source file"),
    };
    paths.into_iter().map(read).collect()
}

//! Over a thousand published definitions (`../shared/corpus`). They are other people's text and not part of this project,
//! so they belong to the full tier; the variable `HOWDAH_CORPUS` names another folder, and `HOWDAH_CORPUS=none` says that
//! there is none.

use std::fs;
use std::path::{Path, PathBuf};

use howdah_tier as tier;

/// The folder, in the full tier; elsewhere `None`, with the reason printed.
pub fn corpus() -> Option<PathBuf> {
    if !tier::full("it reads a thousand published definitions, which are not part of the project") {
        return None;
    }
    tier::published("HOWDAH_CORPUS", "corpus")
}

/// The path and the verdict of the schemas of every definition.
pub fn verdicts(folder: &Path) -> Vec<(String, String)> {
    let table = fs::read_to_string(folder.join("VERDICTS.tsv")).expect("the verdicts lie beside the definitions");
    let fields = |line: &str| {
        let mut fields = line.split('\t');
        Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
    };
    let verdicts: Vec<_> = table.lines().skip(1).filter_map(fields).collect();
    assert!(verdicts.len() > 1000, "only {} verdicts", verdicts.len());
    verdicts
}

//! Over a thousand published definitions, where they lie (`../shared/corpus`): the schema's verdict on each, and that
//! nothing in them makes `validate` stumble. They are other people's text and no part of this project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder, or nothing with the reason printed.
pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn the_schemas_agree_on_every_published_definition() {
    let Some(folder) = corpus() else { return };
    let verdicts = fs::read_to_string(folder.join("VERDICTS.tsv")).expect("the verdicts lie beside the definitions");
    let mut judged = 0;
    let mut differing = Vec::new();
    for line in verdicts.lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(path), Some(verdict)) = (fields.next(), fields.next()) else { continue };
        let bytes = fs::read(folder.join(path)).expect("a definition");
        let ours = howdah::internals::schema_verdict(&String::from_utf8_lossy(&bytes));
        judged += 1;
        if ours.is_none() != (verdict == "valid") {
            differing.push(format!("{path}: {verdict}, here {ours:?}"));
        }
    }
    assert!(judged > 1000, "only {judged} verdicts");
    assert!(differing.is_empty(), "{} of {judged} differ:\n{}", differing.len(), differing.join("\n"));
}

#[test]
fn validate_judges_every_file_and_stumbles_over_none() {
    let Some(folder) = corpus() else { return };
    let output =
        Command::new(env!("CARGO_BIN_EXE_howdah")).args(["validate", "--json"]).arg(&folder).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert!(document["files"].as_array().is_some_and(|files| files.len() > 1000));
}

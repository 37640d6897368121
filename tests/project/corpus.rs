//! Over a thousand published definitions (`../shared/corpus`): the schema's verdict on each, and no crash of
//! `validate`. They are other people's text and not part of this project, so they belong to the full tier; the variable
//! `HOWDAH_CORPUS` names another folder, and `HOWDAH_CORPUS=none` says that there is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use howdah_sandbox::corpus::{corpus, verdicts};

#[test]
fn the_schemas_agree_on_every_published_definition() {
    let Some(folder) = corpus() else { return };
    let mut differing = Vec::new();
    let verdicts = verdicts(&folder);
    for (path, verdict) in &verdicts {
        let bytes = fs::read(folder.join(path)).expect("a definition");
        let ours = howdah_internals::schema_verdict(&String::from_utf8_lossy(&bytes));
        if ours.is_none() != (verdict == "valid") {
            differing.push(format!("{path}: {verdict}, here {ours:?}"));
        }
    }
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), verdicts.len(), differing.join("\n"));
}

#[test]
fn validate_agrees_with_the_schemas_and_stumbles_over_no_file() {
    let Some(folder) = corpus() else { return };
    let output =
        Command::new(env!("CARGO_BIN_EXE_howdah")).args(["validate", "--json"]).arg(&folder).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    let files = document["files"].as_array().expect("a list");
    let told = |file: &serde_json::Value| {
        let path = Path::new(file["path"].as_str()?).strip_prefix(&folder).ok()?.to_str()?.to_owned();
        Some((path, file["schema"].as_str().unwrap_or("none").to_owned()))
    };
    let told: BTreeMap<String, String> = files.iter().filter_map(told).collect();
    let verdicts = verdicts(&folder);
    let differs = |(path, verdict): &&(String, String)| told.get(path) != Some(verdict);
    let differing: Vec<_> = verdicts.iter().filter(differs).map(|(path, _)| (path, told.get(path))).collect();
    assert!(differing.is_empty(), "{} of {} differ: {differing:#?}", differing.len(), verdicts.len());
    println!("{} files judged, {} schema verdicts agree", files.len(), verdicts.len());
}

//! `backtest` on the published export of a real Oozie database, with the truth beside it. It is not part of the
//! project, so these tests belong to the full tier; `HOWDAH_OOZIEDB` names another folder, or says `none`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use howdah_sandbox::oozie_export::{ELSEWHERE, IN_LOS_ANGELES, Machine};
use howdah_sandbox::sandbox::Sandbox;
use howdah_tier as tier;

const SUMMARY: &str = "2,227 actions of 47 coordinators: 368 equal, 1,859 explained by C2, C3, C18\n";

fn published() -> Option<PathBuf> {
    if !tier::full("it reads a published export of an Oozie database, which is not part of the project") {
        return None;
    }
    tier::published("HOWDAH_OOZIEDB", "ooziedb")
}

#[test]
fn all_actions_of_the_published_export_are_equal_or_explained() {
    let Some(folder) = published() else { return };
    let sandbox = Sandbox::new();
    let ran = sandbox.howdah(["backtest", "--quiet"]).with(folder.join("ooziedb.zip")).run();
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), SUMMARY, ""));
}

#[test]
fn the_same_export_of_a_server_in_los_angeles_gives_the_same_result() {
    let Some(folder) = published() else { return };
    let sandbox = Sandbox::new();
    let export = sandbox.path("la.zip");
    rewrite(&folder.join("ooziedb.zip"), &export, Some(IN_LOS_ANGELES));
    let ran = sandbox.howdah(["backtest"]).with(&export).run();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(SUMMARY), "{}", ran.stdout);
    assert!(ran.stdout.contains("Zone of the dates: America/Los_Angeles"), "{}", ran.stdout);
}

#[test]
fn the_next_nominal_times_of_an_import_are_those_of_the_truth() {
    let Some(folder) = published() else { return };
    let truth = fs::read_to_string(folder.join("truth.json")).expect("the truth");
    let truth: Value = serde_json::from_str(&truth).expect("JSON");
    let sandbox = Sandbox::new();
    for machine in [None, Some(IN_LOS_ANGELES)] {
        let export = sandbox.path("x.zip");
        rewrite(&folder.join("ooziedb.zip"), &export, machine);
        let ran = sandbox.howdah(["import", "oozie", "--json"]).with(&export).run();
        let document: Value = serde_json::from_str(&ran.stdout).expect("a document");
        let jobs = document["jobs"].as_array().expect("a list").iter();
        let mut compared = 0;
        for job in jobs.filter(|job| job["kind"] == "coordinator") {
            let recorded = &truth["coordinators"][job["id"].as_str().expect("an id")];
            let next = match (&recorded["nextMaterialized"], recorded["doneMaterialization"].as_bool()) {
                (_, Some(true)) => None,
                // A job in PREP: Oozie has no next time before the first action, which is due at the start.
                (Value::Null, _) => recorded["start"].as_str(),
                (next, _) => next.as_str(),
            };
            let next = next.map(|next| next.replace(":00Z", "Z"));
            assert_eq!(job["nextNominalTime"].as_str(), next.as_deref(), "{job}");
            assert!(!job["missing"].to_string().contains("next nominal time"), "{job}");
            compared += 1;
        }
        assert_eq!(compared, 31);
    }
}

/// Rewrites an export as another machine would have written it.
fn rewrite(from: &Path, to: &Path, machine: Option<Machine>) {
    let mut archive = zip::ZipArchive::new(fs::File::open(from).expect("the export")).expect("an archive");
    let mut writer = zip::ZipWriter::new(fs::File::create(to).expect("a file"));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("UTF-8");
        writer.start_file(entry.name(), zip::write::SimpleFileOptions::default()).expect("an entry");
        for line in text.lines() {
            let line = machine.map_or_else(|| line.to_owned(), |machine| machine.rewrite(line));
            writeln!(writer, "{line}").expect("a line");
        }
    }
    writer.finish().expect("an archive");
}

#[test]
fn the_same_export_of_machines_everywhere_gives_the_same_result() {
    let Some(folder) = published() else { return };
    let sandbox = Sandbox::new();
    let export = sandbox.path("x.zip");
    for machine in ELSEWHERE {
        rewrite(&folder.join("ooziedb.zip"), &export, Some(machine));
        for options in [&["--quiet"][..], &["--quiet", "--zone", machine.zone.name()]] {
            let ran = sandbox.howdah(["backtest"]).with(&export).with_all(options).run();
            let found = (ran.status, ran.stdout.as_str(), ran.stderr.as_str());
            assert_eq!(found, (Some(0), SUMMARY, ""), "{} {options:?}", machine.zone);
        }
    }
}

#[test]
fn the_decoded_rows_are_those_of_the_truth() {
    let Some(folder) = published() else { return };
    let truth = fs::read_to_string(folder.join("truth.json")).expect("the truth");
    let truth: Value = serde_json::from_str(&truth).expect("JSON");
    let truth = truth["coordinators"].as_object().expect("the coordinators");
    let decoded = howdah_internals::exported_coordinators(&folder.join("ooziedb.zip"));
    let decoded = decoded.as_object().expect("the coordinators");
    assert!(decoded.keys().collect::<std::collections::BTreeSet<_>>() == truth.keys().collect(), "the same jobs");
    let mut actions = 0;
    for (id, job) in decoded {
        for (field, value) in job.as_object().expect("fields") {
            if field != "actions" {
                assert_eq!(*value, truth[id][field], "{id} {field}");
            }
        }
        let recorded = truth[id]["actions"].as_object().expect("the actions");
        assert_eq!(job["actions"].as_object().map_or(0, serde_json::Map::len), recorded.len(), "{id}");
        for (number, action) in recorded {
            actions += 1;
            for (field, value) in job["actions"][number].as_object().expect("the action") {
                assert_eq!(*value, action[field], "{id}@{number} {field}");
            }
        }
    }
    assert_eq!(actions, 2227);
}

//! What a coordinator and its workflow need of the machine: stores, programs, credentials, a metastore.

use std::path::Path;

use super::{Machine, Missing, Uses};
use howdah_engine::definition_file::{self, in_store_of};
use howdah_engine::run_as;
use howdah_engine::submit::warnings;
use howdah_host::found::Found;
use howdah_host::{files, variables};
use howdah_oozie::coordinator::definition::{Coordinator, DataEvent};
use howdah_words::model::partition::HCATALOG;
use howdah_xml::{self as xml, Document, Element};

/// Returns that this process cannot work for the user of a job: the machine does not have the user, or it is not root.
pub(super) fn user(user: &str) -> Option<Missing> {
    run_as::worker(user).err().filter(|error| !error.may_pass())?;
    Some(Missing {
        what: format!("the user [{user}], or the right to work as that user"),
        fix: format!("create the user and take over as root, or give the jobs to another one with --user {user}=OTHER"),
    })
}

/// Adds what a coordinator uses, and what of it is missing.
pub(super) fn of_coordinator(
    machine: Machine<'_>,
    (application, coordinator): (&str, &Coordinator),
    document: &Document,
    (uses, missing): (&mut Uses, &mut Vec<Missing>),
) {
    add_store(uses, application);
    let workflow = in_store_of(application, &coordinator.app_path);
    add_store(uses, &workflow);
    let processing = coordinator.schedule.processing;
    for event in coordinator.inputs.iter().chain(&coordinator.outputs) {
        let DataEvent { dataset, .. } = event;
        if let Ok(uri) = dataset.uri(dataset.initial(), processing) {
            add_store(uses, &uri);
            if uri.starts_with(HCATALOG) {
                missing.extend(metastore(&uri));
            }
        }
    }
    for error in warnings::warnings(machine.mounts, (application, coordinator), document) {
        missing.push(Missing::from(&error));
    }
    of_workflow(machine, &workflow, (uses, missing));
    uses.workflow = Some(workflow);
}

/// Adds what a workflow uses, where it can be read; that it cannot is reported by the check of the coordinator.
pub(super) fn of_workflow(machine: Machine<'_>, path: &str, (uses, missing): (&mut Uses, &mut Vec<Missing>)) {
    let Ok(file) = definition_file::read_application(machine.mounts, path, "workflow.xml") else { return };
    let Ok(document) = xml::read(&file.source) else { return };
    for action in document.root.children_named("action") {
        let body = action.elements().find(|element| !["ok", "error"].contains(&element.name.as_str()));
        if let Some(body) = body {
            add(&mut uses.actions, &body.name);
            missing.extend(program(machine, &body.name));
        }
        if let Some(names) = action.attribute("cred") {
            names.value.split(',').for_each(|name| add(&mut uses.credentials, name.trim()));
        }
    }
    let credentials = document.root.child("credentials");
    for credential in credentials.into_iter().flat_map(|list| list.children_named("credential")) {
        missing.push(credential_of(credential));
    }
}

fn credential_of(credential: &Element) -> Missing {
    let value = |name| credential.attribute(name).map_or("", |text| text.value.as_str());
    Missing {
        what: format!("the credential [{}] of type [{}]", value("name"), value("type")),
        fix: "howdah obtains no tickets or tokens: run `kinit -kt KEYTAB PRINCIPAL` from cron for the job's user"
            .to_owned(),
    }
}

/// Returns the metastore of a partition.
fn metastore(uri: &str) -> Option<Missing> {
    let host = uri.strip_prefix(HCATALOG)?.split('/').next()?;
    Some(Missing {
        what: format!("partitions in the metastore [{host}]"),
        fix: format!("the machine must reach it: nc -z {}", host.replace(':', " ")),
    })
}

/// The programs that actions need (`howdah.command.NAME`).
const PROGRAMS: &[(&str, &str)] = &[
    ("java", "java"),
    ("hive", "hive"),
    ("hive2", "beeline"),
    ("pig", "pig"),
    ("sqoop", "sqoop"),
    ("spark", "spark-submit"),
    ("distcp", "hadoop"),
    ("ssh", "ssh"),
    ("git", "git"),
];

/// Returns the program of a type of actions when it is not installed.
fn program(machine: Machine<'_>, action: &str) -> Option<Missing> {
    let (_, name) = PROGRAMS.iter().find(|(known, _)| *known == action)?;
    let property = format!("howdah.command.{name}");
    let given = machine.settings.properties.get(&property).map(|path| path.trim()).filter(|path| !path.is_empty());
    let is_there = |path: &Path| !matches!(files::find(path), Found::Absent);
    let found = match given {
        Some(path) => is_there(Path::new(path)),
        None => variables::get("PATH")
            .is_some_and(|list| list.split(':').any(|folder| is_there(&Path::new(folder).join(name)))),
    };
    (!found).then(|| Missing {
        what: format!("the program [{name}] of {action} actions"),
        fix: format!("install {name}, or set {property} in the site file to its path"),
    })
}

fn add_store(uses: &mut Uses, uri: &str) {
    let Some((scheme, rest)) = uri.split_once("://") else { return };
    let authority = rest.split('/').next().unwrap_or_default();
    if !(scheme == "file" && authority.is_empty()) {
        add(&mut uses.stores, &format!("{scheme}://{authority}"));
    }
}

/// Adds a word once.
fn add(words: &mut Vec<String>, word: &str) {
    if !word.is_empty() && !words.iter().any(|known| known == word) {
        words.push(word.to_owned());
    }
}

//! Finds and deletes the outputs of rerun actions, and nothing else.
//!
//! An output is deleted at its URI: a folder with its content, a file, or a symbolic link without its target. A path
//! that `host::deletion` refuses, or that contains or is inside howdah's own files, refuses the rerun (E0907) before
//! anything is deleted. Outputs in a metastore cannot be deleted from here; they stay, with a note.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::compiled::Application;
use crate::{Engine, definition_file, run_as};
use howdah_host::deletion::{TargetFacts, What};
use howdah_host::fault::fault_point;
use howdah_host::files;
use howdah_host::located::{Base, Located, Target, Unlocated};
use howdah_host::mounts::Mounts;
use howdah_oozie::coordinator::definition::DataEvent;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};

/// The scheme of data that only a metastore can delete.
const METASTORE: &str = "hcat://";

/// An output of a rerun action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The user of the job, whose rights delete it.
    pub user: String,
    /// The name of the action's coordinator, where several are rerun together.
    pub coordinator: Option<String>,
    /// The action's number.
    pub action: u32,
    /// The name of the `data-out`.
    pub event: String,
    pub uri: String,
    pub fate: Fate,
}

/// What happens to an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is deleted: the path of the URI, and the facts about its target.
    Deleted { path: Located, facts: TargetFacts },
    /// There is nothing to delete.
    Missing,
    /// It stays; the text says why.
    Kept(&'static str),
}

impl Output {
    /// Returns the word for what is deleted; `None` when nothing is.
    pub fn deleted_kind(&self) -> Option<&'static str> {
        let Fate::Deleted { facts, .. } = &self.fate else { return None };
        Some(match facts.what {
            What::File => "file",
            What::Folder => "folder",
            What::Link => "symbolic link",
        })
    }
}

/// Returns the outputs of the actions as they are now, each once.
///
/// # Errors
/// E0907 for an output that must not be or cannot be deleted; E1004, E1005 and E1010 when the definition of an action
/// no longer says what its outputs are.
pub(super) fn outputs(engine: &mut Engine, job: &CoordinatorJob, actions: &[CoordinatorAction]) -> Result<Vec<Output>> {
    let mut outputs: Vec<Output> = Vec::new();
    let mut known = BTreeSet::new();
    let (kept, user) = (kept(engine), run_as::reader(&job.user));
    for action in actions {
        let Engine { store, settings, applications, .. } = &mut *engine;
        let application =
            store.read(|snapshot| applications.load(snapshot, job, action.definition_version, &settings.submit))?;
        for (event, uri) in named(&application, action)? {
            if !known.insert(uri.clone()) {
                continue;
            }
            let base = Base::store(application.store());
            let decided = user.act(|| fate((&engine.mounts, &base), &uri, &kept)).flatten();
            let fate = decided.map_err(|why| refuse(&uri, &why))?;
            let (user, coordinator) = (job.user.clone(), None);
            outputs.push(Output { user, coordinator, action: action.number, event, uri, fate });
        }
    }
    Ok(outputs)
}

/// Returns the outputs of one action that a rerun deletes: the name of each event, and the URI.
fn named(application: &Application, action: &CoordinatorAction) -> Result<Vec<(String, String)>> {
    let coordinator = &application.coordinator;
    let resolved = coordinator.resolve(application.scope(), action.nominal_at).map_err(|error| {
        error.help("the outputs of the action are not known: rerun it with --nocleanup to leave them alone")
    })?;
    let cleaned = |(_, event): &(_, &DataEvent)| !event.nocleanup;
    let events = resolved.outputs.iter().zip(&coordinator.outputs).filter(cleaned);
    let uris = events.flat_map(|(output, event)| output.instances().map(|at| (event.name.clone(), at.uri.clone())));
    Ok(uris.collect())
}

fn fate((mounts, base): (&Mounts, &Base), uri: &str, kept: &[PathBuf]) -> Result<Fate> {
    if uri.starts_with(METASTORE) {
        return Ok(Fate::Kept("only its metastore can delete it"));
    }
    let path = mounts.locate(uri, base).map_err(|why| match why {
        Unlocated::Unmounted { .. } => definition_file::refusal(uri, &why),
        Unlocated::Invalid(why) => Error::with(ErrorCode::H0123, &[&uri, &why]),
    })?;
    check_depth(path.path(), path.path())?;
    let target = path.find_target(mounts, kept)?;
    if let Some(target) = &target {
        check_depth(path.path(), &target.facts().real)?;
    }
    let deleted = |target: Target| Fate::Deleted { path, facts: target.facts().clone() };
    Ok(target.map_or(Fate::Missing, deleted))
}

/// Refuses paths directly below the root, such as `/etc` or `/data`: they cannot be the output of one action.
fn check_depth(named: &Path, path: &Path) -> Result<()> {
    if path.parent().is_none_or(|parent| parent.parent().is_some()) {
        return Ok(());
    }
    let why = if named == path { "it" } else { "its target" };
    Err(Error::with(ErrorCode::H0123, &[&named.display(), &format!("{why} is directly below /")]))
}

/// Returns howdah's own files and their real paths, found with howdah's own rights: a user may not see them.
fn kept(engine: &Engine) -> Vec<PathBuf> {
    let own = engine.own_files();
    own.iter().map(|path| files::resolved(path)).chain(own.iter().cloned()).collect()
}

/// Deletes the outputs as they were found, with the rights of the job's user. Adds to `begun` the number of each action
/// of which data may be deleted, also when this fails.
///
/// # Errors
/// E0907 for the first that cannot be deleted or has moved; those before it are deleted.
pub(super) fn delete(engine: &Engine, outputs: &[Output], begun: &mut BTreeSet<u32>) -> Result<()> {
    let kept = kept(engine);
    for output in outputs {
        if let Fate::Deleted { path, facts } = &output.fate {
            let mut begin = || {
                begun.insert(output.action);
            };
            let deleted = run_as::worker(&output.user)
                .and_then(|user| user.act(|| delete_found((path, facts), &engine.mounts, &kept, &mut begin)))
                .flatten();
            deleted.map_err(|why| refuse(&output.uri, &why))?;
            fault_point("inside-cleanup");
        }
    }
    Ok(())
}

/// Deletes a target that is still the same; calls `begin` just before.
fn delete_found(
    (path, facts): (&Located, &TargetFacts),
    mounts: &Mounts,
    kept: &[PathBuf],
    begin: &mut dyn FnMut(),
) -> Result<()> {
    let Some(target) = path.find_target(mounts, kept)? else { return Ok(()) };
    if target.facts() != facts {
        let why = format!("it leads to [{}] by now", target.facts().real.display());
        return Err(Error::with(ErrorCode::H0123, &[&path.place(), &why]));
    }
    check_depth(path.path(), &facts.real)?;
    begin();
    target.delete().map(drop)
}

fn refuse(uri: &str, why: &Error) -> Error {
    let advice = "the actions of this job were not rerun; --nocleanup reruns without deleting outputs";
    let help = why.help_text().map_or_else(|| advice.to_owned(), |help| format!("{help}; {advice}"));
    Error::new(ErrorCode::E0907, format!("{uri} ({})", why.message())).help(help).passing(why.may_pass())
}

//! The `fs` action and `prepare`: from elements to file operations on paths of this machine.
//!
//! Follows the workflow specification, section 3.2.4, and `FsActionExecutor`. A path without scheme belongs to the
//! store of the action's name-node (decision W30), and to this machine without one. Accesses no file.

use super::file_operation::{FileOperation, Trash};
use super::permissions;
use super::work::Task;
use crate::command_work::FileWork;
use crate::context::ActionContext;
use crate::failure::Failure;
use crate::file_operation::failure;
use howdah_host::located::{Base, DefaultStore, Located, Reach, Unlocated, help};
use howdah_host::mounts::Mounts;
use howdah_words::model::Properties;
use howdah_xml::Element;

/// The properties of an action's configuration that name the store of paths without a scheme: the present name and the
/// old one.
const DEFAULT_STORE: [&str; 2] = ["fs.defaultFS", "fs.default.name"];
/// The site's name-node for actions without one.
const SITE_NAME_NODE: &str = "oozie.actions.default.name-node";

/// Returns the work of an `fs` action. FS001, FS007, FS010, FS011 for invalid values.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let name_node = name_node(element, context);
    check_name_node(&name_node)?;
    let places = Places::of(&name_node, context);
    let operations = element.elements().filter_map(|child| places.operation(child).transpose());
    let operations = operations.collect::<Result<Vec<_>, Failure>>()?;
    Ok(Task::Files(FileWork { operations, limits: context.into() }))
}

/// Returns the operations of the `prepare` element of an action: `delete` and `mkdir`.
pub(super) fn prepare(element: &Element, context: &ActionContext<'_>) -> Result<Vec<FileOperation>, Failure> {
    let places = Places::of(&name_node(element, context), context);
    let children = element.child("prepare").into_iter().flat_map(Element::elements);
    children.filter_map(|child| places.operation(child).transpose()).collect()
}

/// Returns the place that the path of an element means: without scheme it is in the store of the action's name-node.
/// FS011 for a relative one, the message of E0904 for a store without mount.
pub(super) fn place(
    what: &str,
    path: &str,
    element: &Element,
    context: &ActionContext<'_>,
) -> Result<Located, Failure> {
    Places::of(&name_node(element, context), context).place(what, path)
}

/// Returns the place of a path in an action's configuration: without scheme it is in the store of the action's
/// name-node, and a relative one below the user's home folder there. A failure for a store without mount.
pub(super) fn configured_place(
    what: &str,
    path: &str,
    element: &Element,
    context: &ActionContext<'_>,
) -> Result<Located, Failure> {
    let store = DefaultStore::of_name_node(&name_node(element, context));
    let base = Base::with_home(store, context.user, context.home);
    context.mounts.locate(path, &base).map_err(|why| not_located(what, path, &why))
}

/// Returns the name-node of an action: its own (or that of `global`), else the default of its configuration, else the
/// site's; empty without any.
fn name_node(element: &Element, context: &ActionContext<'_>) -> String {
    let own = element.child("name-node").map(|child| child.text().value);
    own.unwrap_or_else(|| default_name_node(context.configuration, context.site).to_owned())
}

/// Returns the name-node for actions without one: the default of their configuration, else the site's; empty without
/// any.
pub fn default_name_node<'a>(configuration: &'a Properties, site: &'a Properties) -> &'a str {
    let configured = DEFAULT_STORE.into_iter().find_map(|name| configuration.get(name));
    configured.or_else(|| site.get(SITE_NAME_NODE)).map(|text| text.trim()).unwrap_or_default()
}

/// Refuses a name-node that is no URI, with FS001.
fn check_name_node(name_node: &str) -> Result<(), Failure> {
    let store = DefaultStore::of_name_node(name_node);
    if store.is_this_machine() || has_scheme(name_node) && name_node.contains(":/") {
        return Ok(());
    }
    Err(failure("FS001", &format!("Missing scheme in path [{name_node}]")))
}

/// Where the paths of an action are.
struct Places<'a> {
    mounts: &'a Mounts,
    /// The store of the name-node; relative paths are refused.
    base: Base,
}

impl<'a> Places<'a> {
    fn of(name_node: &str, context: &ActionContext<'a>) -> Self {
        Self { mounts: context.mounts, base: Base::store(DefaultStore::of_name_node(name_node)) }
    }

    /// Returns the operation of an element; `None` for other elements.
    fn operation(&self, element: &Element) -> Result<Option<FileOperation>, Failure> {
        let place = || self.place(&element.name, &attribute(element, "path")?);
        Ok(Some(match element.name.as_str() {
            "mkdir" => FileOperation::MakeDirectory { place: place()? },
            "delete" => self.deletion(element)?,
            "move" => {
                let source = attribute(element, "source")?;
                let target = self.move_target(&source, &attribute(element, "target")?)?;
                FileOperation::Move { source: self.place("move", &source)?, target }
            }
            "chmod" => {
                let (place, text) = (place()?, attribute(element, "permissions")?);
                let refusal =
                    || failure("FS010", &format!("chmod, path [{}] invalid permissions mask [{text}]", place.shown()));
                let mode = permissions::parse(&text).ok_or_else(refusal)?;
                FileOperation::ChangeMode { place, mode, reach: reach(element) }
            }
            "chgrp" => {
                let group = attribute(element, "group")?;
                FileOperation::ChangeGroup { place: place()?, group, reach: reach(element) }
            }
            "touchz" => FileOperation::Touch { place: place()? },
            "setrep" => FileOperation::SetReplication { place: place()?, copies: copies(element)? },
            _ => return Ok(None),
        }))
    }

    /// Returns the deletion of files, or of data in a metastore.
    fn deletion(&self, element: &Element) -> Result<FileOperation, Failure> {
        let path = attribute(element, "path")?;
        let data = self.mounts.find_data(&path);
        match data.map_err(|why| failure("FS005", &format!("delete, path [{path}]: {}", why.message())))? {
            Some(data) => Ok(FileOperation::Drop { data }),
            None => Ok(FileOperation::Delete { place: self.place("delete", &path)?, trash: trash(element) }),
        }
    }

    /// Returns the place that a path of the element `what` means.
    fn place(&self, what: &str, path: &str) -> Result<Located, Failure> {
        place_in(&self.base, self.mounts, what, path)
    }

    /// Returns the target of a move, which is in the store of its source.
    fn move_target(&self, source: &str, target: &str) -> Result<Located, Failure> {
        let store = if has_scheme(source) { DefaultStore::of(source) } else { self.base.default_store().clone() };
        if has_scheme(target) && !DefaultStore::of(target).is(&store) {
            return Err(failure("FS007", &format!("move, target NN URI different from that of source [{target}]")));
        }
        place_in(&Base::store(store), self.mounts, "move", target)
    }
}

fn place_in(base: &Base, mounts: &Mounts, what: &str, path: &str) -> Result<Located, Failure> {
    if !has_scheme(path) && !path.starts_with('/') {
        return Err(failure("FS011", &format!("Path [{path}] cannot be relative")));
    }
    mounts.locate(path, base).map_err(|why| not_located(what, path, &why))
}

/// Returns the failure of a path that has no place on this machine.
fn not_located(what: &str, path: &str, why: &Unlocated) -> Failure {
    match why {
        Unlocated::Unmounted { uri, store } => {
            let scheme = store.split(':').next().unwrap_or_default();
            let refusal = format!("E0904: Scheme [{scheme}] not supported in uri [{uri}]");
            let message = format!("{refusal}; {what} [{path}]: no mount for [{store}]; {}", help(store));
            Failure::error("HadoopAccessorException", message)
        }
        Unlocated::Invalid(why) => failure("FS001", &format!("Invalid path [{path}]: {why}")),
    }
}

fn attribute(element: &Element, name: &str) -> Result<String, Failure> {
    let refusal = || failure("E0701", &format!("XML schema error, [{}] has no attribute [{name}]", element.name));
    element.attribute(name).map(|text| text.value.trim().to_owned()).ok_or_else(refusal)
}

/// Reads the number of copies of `setrep`.
fn copies(element: &Element) -> Result<u16, Failure> {
    let text = attribute(element, "replication-factor")?;
    let refusal = || Failure::error("NumberFormatException", format!("setrep, replication-factor [{text}]"));
    text.parse().map_err(|_| refusal())
}

/// Reads `skip-trash`: only the exact text `false` means the trash.
fn trash(element: &Element) -> Trash {
    match element.attribute("skip-trash") {
        Some(text) if text.value == "false" => Trash::Use,
        _ => Trash::Skip,
    }
}

/// Reads the reach of a change: `recursive` counts only where `dir-files` is not `false`.
fn reach(element: &Element) -> Reach {
    let only_itself = element.attribute("dir-files").is_some_and(|text| text.value.trim() == "false");
    match (only_itself, element.child("recursive").is_some()) {
        (true, _) => Reach::Itself,
        (false, false) => Reach::Entries,
        (false, true) => Reach::Everything,
    }
}

fn has_scheme(text: &str) -> bool {
    text.find(':').is_some_and(|colon| colon > 0 && !text[..colon].contains('/'))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element};
    use super::*;

    /// The local path of the one operation, without the mount's folder; or the code of the refusal.
    fn check(name_node: &str, body: &str, expect: &str) {
        let sandbox = Sandbox::new();
        let name_node =
            if name_node.is_empty() { String::new() } else { format!("<name-node>{name_node}</name-node>") };
        let got = match plan(&element(&format!("<fs>{name_node}{body}</fs>")), &sandbox.context()) {
            Err(failure) => failure.code,
            Ok(Task::Files(work)) => {
                let text = format!("{:?}", work.operations[0]);
                let local = text.split(" path: \"").last().unwrap().split('"').next().unwrap().to_owned();
                local.replace(sandbox.store.to_str().unwrap(), "STORE")
            }
            Ok(other) => panic!("fs plans file operations, not {other:?}"),
        };
        assert_eq!(got, expect, "{name_node} {body}");
    }

    #[test]
    fn paths_are_resolved_to_local_paths() {
        check("", "<mkdir path='hdfs://nn/a'/>", "STORE/a");
        check("hdfs://nn", "<mkdir path='/a/'/>", "STORE/a");
        check("hdfs://nn/", "<mkdir path='hdfs://nn/b'/>", "STORE/b");
        check("", "<mkdir path='/a'/>", "/a");
        check("hdfs://nn", "<mkdir path='a'/>", "FS011");
        check("", "<mkdir path='a'/>", "FS011");
        check("nn:8020/x y", "<mkdir path='/a'/>", "FS001");
        check("nn", "<mkdir path='/a'/>", "FS001");
        check("", "<mkdir path='s3a://b/a'/>", "HadoopAccessorException");
        check("", "<delete path='hcat://m:1/db'/>", "FS005");
        check("", "<mkdir path='hcat://m:1/db/t'/>", "HadoopAccessorException");
        check("", "<mkdir/>", "E0701");
    }

    #[test]
    fn a_move_stays_in_its_store() {
        check("", "<move source='hdfs://nn/a' target='/b'/>", "STORE/b");
        check("hdfs://nn", "<move source='/a' target='hdfs://nn/b'/>", "STORE/b");
        check("", "<move source='/a' target='/b'/>", "/b");
        check("", "<move source='/a' target='file:///b'/>", "/b");
        check("", "<move source='hdfs://nn/a' target='file:///b'/>", "FS007");
        check("hdfs://nn", "<move source='/a' target='hdfs://other/b'/>", "FS007");
        check("", "<move source='hdfs://nn/a' target='b'/>", "FS011");
    }

    #[test]
    fn permissions_are_checked_before_anything_runs() {
        check("", "<chmod path='/a' permissions='0755'/>", "FS010");
        check("", "<chmod path='/a' permissions='-rwxr-xr-x'/>", "/a");
    }

    #[test]
    fn options_of_the_elements_are_read() {
        for (body, expect) in [
            ("<chmod/>", Reach::Entries),
            ("<chmod dir-files='false'><recursive/></chmod>", Reach::Itself),
            ("<chmod dir-files='true'><recursive/></chmod>", Reach::Everything),
        ] {
            assert_eq!(reach(&element(body)), expect, "{body}");
        }
        assert_eq!(trash(&element("<delete skip-trash='false'/>")), Trash::Use);
        assert_eq!(trash(&element("<delete skip-trash='FALSE'/>")), Trash::Skip);
    }
}

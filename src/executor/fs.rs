//! The `fs` action and `prepare`: from elements to file operations on paths of this machine.
//!
//! Follows the workflow specification, section 3.2.4, and `FsActionExecutor`. A path without scheme belongs to the
//! `name-node`, and to this machine where there is none. Touches no file.

use super::file_operation::{FileOperation, Place, Trash};
use super::work::{FileWork, Task};
use super::{ActionContext, Failure, permissions};
use crate::host::mounts::{Mounts, Resolved};
use crate::host::tree::Reach;
use crate::xml::Element;

/// The work of an `fs` action. FS001, FS007, FS010, FS011 for what cannot be meant.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let name_node = element.child("name-node").map(|child| child.text().value).filter(|text| !text.is_empty());
    let places = Places { name_node: name_node.as_deref(), mounts: context.mounts };
    places.check_name_node()?;
    let operations = element.elements().filter_map(|child| places.operation(child).transpose());
    let operations = operations.collect::<Result<Vec<_>, Failure>>()?;
    Ok(Task::Files(FileWork { operations, limits: context.into() }))
}

/// The operations of a `prepare` element: `delete` and `mkdir`.
pub(super) fn prepare(element: Option<&Element>, context: &ActionContext<'_>) -> Result<Vec<FileOperation>, Failure> {
    let places = Places { name_node: None, mounts: context.mounts };
    let children = element.into_iter().flat_map(Element::elements);
    children.filter_map(|child| places.operation(child).transpose()).collect()
}

/// The place that one path means. FS011 for a relative one, E0904's words for a store without mount.
pub(super) fn place(path: &str, name_node: Option<&str>, context: &ActionContext<'_>) -> Result<Place, Failure> {
    Places { name_node, mounts: context.mounts }.place(path)
}

/// The place of a path in an action's configuration: without scheme it is in the store of the action's `name-node`, and a
/// relative one below the user's home folder there. A failure for a store without mount.
pub(super) fn configured_place(path: &str, element: &Element, context: &ActionContext<'_>) -> Result<Place, Failure> {
    let name_node = element.child("name-node").map(|child| child.text().value).filter(|text| !text.is_empty());
    let places = Places { name_node: name_node.as_deref(), mounts: context.mounts };
    if has_scheme(path) || path.starts_with('/') {
        return places.place(path);
    }
    match name_node.as_deref().filter(|name_node| !is_local(store(name_node))) {
        Some(_) => places.place(&format!("/user/{}/{path}", context.user)),
        None => places.resolve(path, &context.home.join(path).to_string_lossy()),
    }
}

struct Places<'a> {
    name_node: Option<&'a str>,
    mounts: &'a Mounts,
}

impl Places<'_> {
    /// The operation of an element; `None` for elements that are none.
    fn operation(&self, element: &Element) -> Result<Option<FileOperation>, Failure> {
        let place = || self.place(&attribute(element, "path")?);
        Ok(Some(match element.name.as_str() {
            "mkdir" => FileOperation::MakeDirectory { place: place()? },
            "delete" => FileOperation::Delete { place: place()?, trash: trash(element) },
            "move" => {
                let source = attribute(element, "source")?;
                let target = self.move_target(&source, &attribute(element, "target")?)?;
                FileOperation::Move { source: self.place(&source)?, target }
            }
            "chmod" => {
                let (place, text) = (place()?, attribute(element, "permissions")?);
                let refusal =
                    || failure("FS010", &format!("chmod, path [{}] invalid permissions mask [{text}]", place.shown));
                let mode = permissions::parse(&text).ok_or_else(refusal)?;
                FileOperation::ChangeMode { place, mode, reach: reach(element) }
            }
            "chgrp" => {
                let group = attribute(element, "group")?;
                FileOperation::ChangeGroup { place: place()?, group, reach: reach(element) }
            }
            "touchz" => FileOperation::Touch { place: place()? },
            "setrep" => FileOperation::SetReplication { place: place()? },
            _ => return Ok(None),
        }))
    }

    fn check_name_node(&self) -> Result<(), Failure> {
        match self.name_node {
            Some(name_node) if !has_scheme(name_node) => {
                Err(failure("FS001", &format!("Missing scheme in path [{name_node}]")))
            }
            _ => Ok(()),
        }
    }

    /// The place that a path means under this name-node.
    fn place(&self, path: &str) -> Result<Place, Failure> {
        if has_scheme(path) {
            return self.resolve(path, path);
        }
        match self.name_node {
            _ if !path.starts_with('/') => Err(failure("FS011", &format!("Path [{path}] cannot be relative"))),
            Some(name_node) => self.resolve(path, &format!("{}{path}", name_node.trim_end_matches('/'))),
            None => self.resolve(path, path),
        }
    }

    /// The target of a move is in the store of its source.
    fn move_target(&self, source: &str, target: &str) -> Result<Place, Failure> {
        let source_store = if has_scheme(source) { Some(store(source)) } else { self.name_node.map(store) };
        if has_scheme(target) {
            let is_same = match source_store {
                Some(source_store) if !is_local(source_store) => store(target).eq_ignore_ascii_case(source_store),
                _ => is_local(store(target)),
            };
            if !is_same {
                return Err(failure("FS007", &format!("move, target NN URI different from that of source [{target}]")));
            }
            return self.resolve(target, target);
        }
        if !target.starts_with('/') {
            return Err(failure("FS011", &format!("Path [{target}] cannot be relative")));
        }
        self.resolve(target, &format!("{}{target}", source_store.unwrap_or_default()))
    }

    fn resolve(&self, shown: &str, uri: &str) -> Result<Place, Failure> {
        match self.mounts.resolve(uri) {
            Resolved::Local(path) => Ok(Place { shown: shown.to_owned(), local: path.to_string_lossy().into_owned() }),
            Resolved::Unmapped(store) => {
                let scheme = store.split(':').next().unwrap_or_default();
                let message = format!("E0904: Scheme [{scheme}] not supported in uri [{uri}]; no mount for [{store}]");
                Err(Failure::error("HadoopAccessorException", message))
            }
            Resolved::Invalid(why) => Err(failure("FS001", &format!("Invalid path [{shown}]: {why}"))),
        }
    }
}

/// A failure whose message begins with its code, as those of Oozie's exceptions do.
pub(super) fn failure(code: &str, message: &str) -> Failure {
    Failure::error(code, format!("{code}: {message}"))
}

fn attribute(element: &Element, name: &str) -> Result<String, Failure> {
    let refusal = || failure("E0701", &format!("XML schema error, [{}] has no attribute [{name}]", element.name));
    element.attribute(name).map(|text| text.value.trim().to_owned()).ok_or_else(refusal)
}

/// Only the exact text `false` means the trash.
fn trash(element: &Element) -> Trash {
    match element.attribute("skip-trash") {
        Some(text) if text.value == "false" => Trash::Use,
        _ => Trash::Skip,
    }
}

/// `recursive` counts only where `dir-files` is not `false`.
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

/// Whether a store is this machine.
fn is_local(store: &str) -> bool {
    store.eq_ignore_ascii_case("file://") || store.eq_ignore_ascii_case("file:")
}

/// The `scheme://authority` of a URI.
fn store(uri: &str) -> &str {
    let path_from = uri.find("://").map_or_else(|| uri.find(':').map_or(0, |colon| colon + 1), |at| at + 3);
    let end = uri[path_from..].find('/').map_or(uri.len(), |slash| path_from + slash);
    &uri[..end]
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
                let local = text.split("local: \"").last().unwrap().split('"').next().unwrap().to_owned();
                local.replace(sandbox.store.to_str().unwrap(), "STORE")
            }
            Ok(other) => panic!("fs plans file operations, not {other:?}"),
        };
        assert_eq!(got, expect, "{name_node} {body}");
    }

    #[test]
    fn paths_are_resolved_as_the_table_says() {
        check("", "<mkdir path='hdfs://nn/a'/>", "STORE/a");
        check("hdfs://nn", "<mkdir path='/a/'/>", "STORE/a");
        check("hdfs://nn/", "<mkdir path='hdfs://nn/b'/>", "STORE/b");
        check("", "<mkdir path='/a'/>", "/a");
        check("hdfs://nn", "<mkdir path='a'/>", "FS011");
        check("", "<mkdir path='a'/>", "FS011");
        check("nn:8020/x y", "<mkdir path='/a'/>", "FS001");
        check("nn", "<mkdir path='/a'/>", "FS001");
        check("", "<mkdir path='s3a://b/a'/>", "HadoopAccessorException");
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
